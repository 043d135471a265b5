/* Mesh files: OBJ, STL in text and binary form, and COLLADA (.dae), as triangle meshes or as convex hulls. */
#ifndef SLIP_IO_MESH_H
#define SLIP_IO_MESH_H

#include "geom/trimesh.h"
#include "io/mesh_hull.h"
#include "io/stream.h"

typedef enum { SLIP_MESH_OBJ, SLIP_MESH_STL_TEXT, SLIP_MESH_STL_BINARY, SLIP_MESH_DAE } slip_mesh_format;

/* Counts of everything but triangles. */
typedef struct {
    slip_mesh_format format;
    int polygons;            /* faces with more than three corners, cut into fans               */
    int groups, materials;   /* OBJ statements without meaning here: g, o, s; usemtl, mtllib    */
    int extras;              /* OBJ texture coordinates and normals                             */
    int ignored;             /* what has no meaning here (points, lines, skins …), each kind warned of once */
    int solids;              /* STL text: solids, taken as one mesh                             */
    int welded;              /* STL, DAE: corners found equal to an earlier one and joined      */
    int unused;              /* vertices of no triangle, left out                               */
    int instances;           /* DAE: geometries and nodes that the scene instantiates           */
    char up_axis;            /* DAE: 'X', 'Y', 'Z' as the file says, 0 when it does not: not applied */
} slip_mesh_notes;

/* Reads a mesh from bytes already in memory. name: for messages, and its ending (.obj, .stl in any case)
 * tells the format; without one the bytes do. scale: three factors, NULL for 1; mirrored ones flip the
 * windings. notes and report may be NULL. The mesh's arrays come from the arena's low end.
 *
 * SLIP_ERR_PARSE (with line, or with the byte in the text), SLIP_ERR_LIMIT, SLIP_ERR_ARGUMENT (a bad
 * scale), SLIP_ERR_WORKSPACE: mesh and arena as before. A mesh has at least two triangles. */
slip_status slip_mesh_read(const char *name, const char *bytes, size_t length, const slip_real *scale,
                           slip_arena *arena, slip_trimesh *mesh, slip_mesh_notes *notes, slip_report *report,
                           slip_error *err);

/* The same from a file; its bytes are kept at the scratch end while it is read. Also SLIP_ERR_FILE. */
slip_status slip_mesh_load(const char *path, const slip_real *scale, slip_arena *arena, slip_trimesh *mesh,
                           slip_mesh_notes *notes, slip_report *report, slip_error *err);

/* Bytes of arena slip_mesh_read() may need for so many bytes of mesh, beside them: a bound, about 13 times
 * as much. slip_mesh_load() keeps the file's bytes in the arena too. */
size_t slip_mesh_read_bytes(size_t length);

/* The tolerance that suits coordinates printed with about six digits, or stored as 32-bit floats:
 * 2e-5 of the largest coordinate, four times the last of six digits. A box in such a file gets its six faces. [m] */
slip_real slip_mesh_tolerance(const slip_trimesh *mesh);

/* Whether a mesh with this report, these properties and this hull is convex: no concave edge and, when it
 * is closed, no more than 1e-3 of the hull's volume missing. *missing (may be NULL) is that fraction. */
int slip_mesh_is_convex(const slip_trimesh *mesh, const slip_trimesh_facts *report, const slip_hull *hull,
                        slip_real *missing);

/* Writes a hull as OBJ with polygonal faces; SLIP_ERR_FILE when the stream refuses. */
slip_status slip_mesh_write_obj(const slip_hull *hull, slip_stream *out);

/* The same of n hulls, each an object "part0", "part1", ... when there are several. */
slip_status slip_mesh_write_parts(const slip_hull *hulls, int n, slip_stream *out);

#endif
