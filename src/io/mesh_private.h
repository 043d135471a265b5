/* Shared by the mesh readers: a cursor over text with its line, and the mesh being filled.
 *
 * Every reader runs twice over the bytes: once to count, once to fill, with the same code. */
#ifndef SLIP_IO_MESH_PRIVATE_H
#define SLIP_IO_MESH_PRIVATE_H

#include "io/mesh.h"

typedef struct {
    const char *at, *end;
    int line;                /* of `at`, from 1 */
} mesh_cursor;

typedef struct {
    slip_trimesh *mesh;      /* vertex and triangle are NULL while counting; nv and nt count up */
    slip_mesh_notes *notes;
    slip_report *report;     /* NULL on the second run: warnings are given once                 */
    slip_error *err;
    slip_arena *arena;       /* whose scratch end is free while a run lasts                     */
} mesh_sink;

/* Most vertices or triangles of one file, 3 times as many fit an int with room to spare; and most bytes. */
enum { MESH_MOST = 100000000, MESH_MOST_BYTES = 2000000000 };

/* Largest coordinate: its fifth power, times a density, is still a number. Unscaled, and scaled [m]. */
#define MESH_FAR SLIP_TOL(1e30, 1e6)

/* Adds a vertex or a triangle; SLIP_ERR_LIMIT beyond MESH_MOST. */
slip_status slip_mesh_add_vertex(mesh_sink *sink, const slip_real x[3]);
slip_status slip_mesh_add_triangle(mesh_sink *sink, int a, int b, int c);

/* Cuts the polygon of the last n - 2 triangles, a fan from its first corner, anew where that folds over itself, as it
 * may where the polygon is not convex: the first corner with a good fan is taken. Nothing while counting, for more
 * than MESH_MOST_CORNERS corners, or when a vertex from `seen` on, not yet read, is among them. */
enum { MESH_MOST_CORNERS = 128 };
void slip_mesh_refan(slip_trimesh *mesh, int n, int seen);

/* Reads a finite real word of text[0..length); 0 when it is not one. */
int slip_mesh_word_real(const char *text, int length, slip_real *x);

/* 1 when the word is this one, upper and lower case alike. */
int slip_mesh_word_is(const char *text, int length, const char *lower);

slip_status slip_mesh_obj_scan(const char *bytes, size_t length, mesh_sink *sink);
slip_status slip_mesh_stl_text_scan(const char *bytes, size_t length, mesh_sink *sink);
slip_status slip_mesh_stl_binary_scan(const char *bytes, size_t length, mesh_sink *sink);
slip_status slip_mesh_dae_scan(const char *bytes, size_t length, mesh_sink *sink);

#endif
