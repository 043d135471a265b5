/* Height fields: terrain as a grid of heights, solid below.
 *
 * In its own frame the field covers x in [x0, x0 + (nx-1) dx], y in [y0, y0 + (ny-1) dy]; sample (i, j) is
 * at (x0 + i dx, y0 + j dy, height[j nx + i]). A cell has two triangles, cut along the diagonal from
 * (i, j) to (i+1, j+1). The body's pose places the frame in the world. All round it ends in upright walls,
 * slip_heightfield_depth() below its lowest sample; beside them there is nothing. */
#ifndef SLIP_GEOM_HEIGHTFIELD_H
#define SLIP_GEOM_HEIGHTFIELD_H

#include "geom/hull.h"

enum { SLIP_FIELD_BLOCK = 8,              /* cells along each side of a block                      */
       SLIP_FIELD_MOST = 16384 };         /* samples along an axis, at most                        */

typedef struct slip_heightfield {
    int nx, ny;                 /* samples, at least 2 each                                         */
    slip_real dx, dy;           /* spacing [m], > 0                                                 */
    slip_real x0, y0;           /* of sample (0, 0) [m]                                             */
    const slip_real *height;    /* nx ny [m]                                                        */
    int bx, by;                 /* blocks                                                           */
    const slip_real *block;     /* 2 bx by: least and greatest height of each block                 */
    slip_real lo, hi;           /* least and greatest height                                        */
} slip_heightfield;

/* The height at (x, y) of the field's frame. */
typedef slip_real (*slip_height_function)(void *context, slip_real x, slip_real y);

/* A field centred on its frame's origin from nx ny heights (copied) or from a function.
 * SLIP_ERR_ARGUMENT: fewer than 2 or more than SLIP_FIELD_MOST samples, bad spacing, a height that is not
 * finite (err says which); SLIP_ERR_WORKSPACE: less than slip_heightfield_bytes() in the arena. Nothing
 * changes then. err may be NULL. */
slip_status slip_heightfield_build(int nx, int ny, slip_real dx, slip_real dy, const slip_real *height,
                                   slip_arena *arena, slip_heightfield *field, slip_error *err);
slip_status slip_heightfield_from(int nx, int ny, slip_real dx, slip_real dy, slip_height_function f, void *context,
                                  slip_arena *arena, slip_heightfield *field, slip_error *err);
size_t      slip_heightfield_bytes(int nx, int ny);

/* Height and unit normal of the surface above (x, y) of the field's frame; 0 outside the field. On a line
 * between triangles the one with the lower number is taken. normal may be NULL. */
int slip_heightfield_at(const slip_heightfield *field, slip_real x, slip_real y, slip_real *height,
                        slip_real normal[3]);

/* Corners of triangle t in 0 .. 2 (nx-1)(ny-1) - 1, anticlockwise from above; cell (i, j) has the triangles
 * 2 (j (nx-1) + i), on its lower right, and the next one, on its upper left. */
void slip_heightfield_triangle(const slip_heightfield *field, int t, slip_real corner[9]);

/* The convex prism between a triangle and the level `bottom` [m], for use with slip_distance(): a hull whose
 * arrays lie in the given store. bottom must be below the triangle. */
typedef struct {
    slip_real vertex[18], soa[24], plane[20];
    slip_hull hull;
} slip_field_prism;
void slip_heightfield_prism(const slip_heightfield *field, int t, slip_real bottom, slip_field_prism *prism);

/* How deep a field is solid, below its lowest sample, for bounds and walls: its longer side. [m] */
slip_real slip_heightfield_depth(const slip_heightfield *field);

/* Bounds of the surface, and of the body below it down to `depth` under its least height, when placed. */
void slip_heightfield_bounds(const slip_heightfield *field, const slip_pose *pose, slip_real depth,
                             slip_real lo[3], slip_real hi[3]);

/* ---- contacts ------------------------------------------------------------------------------------------ */

enum { SLIP_FIELD_CONTACTS = 8 };

typedef struct {
    slip_real point[3];         /* halfway between the surfaces, world [m]                          */
    slip_real normal[3];        /* unit, from the field to the shape, world                         */
    slip_real gap;              /* < 0: penetration [m]                                             */
    uint32_t feature;           /* the same from step to step while the same features touch         */
} slip_field_contact;

/* Contacts of a placed shape (sphere, capsule, box, cylinder, mesh) with a placed field: at most
 * SLIP_FIELD_CONTACTS with a gap up to `margin`, the deepest first, then those that touch next and are far
 * apart; four when all have one normal.
 * Returns how many, or a negative slip_status: bad shape, NaN, a kind that cannot touch a field.
 *
 * Two kinds of contact are made. Points of the shape (centres of rounded ends, corners, points of a
 * cylinder's rims) against the triangles: the normal is the triangle's, to the last bit; a point below the
 * surface is pushed out of the triangle nearest to it. And ridges, edges of the field that are truly convex,
 * against the whole shape, kept only when the normal lies between those of the two triangles that meet
 * there, or 0.01 rad beside for what lies flush; two points where the shape lies along it. Edges inside a plane
 * or in a valley make no contact, so none is felt when sliding over them.
 * The walls at the border are as solid as the surface: a point below is pushed out of a wall that is nearer,
 * points beside meet them, and the border's edges and the four upright ones meet the shape as ridges do. */
int slip_heightfield_contacts(const slip_heightfield *field, const slip_pose *pose_f, const slip_shape *shape,
                              const slip_pose *pose_s, slip_real margin,
                              slip_field_contact out[SLIP_FIELD_CONTACTS]);

#endif
