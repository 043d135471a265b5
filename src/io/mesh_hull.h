/* Mesh files, OBJ, STL and COLLADA, as convex hulls: the shape SLIP_SHAPE_MESH. */
#ifndef SLIP_IO_MESH_HULL_H
#define SLIP_IO_MESH_HULL_H

#include "geom/hull.h"

/* The convex hull of a mesh file. A mesh that is not convex is reported (slip_warn) with the file's name
 * and what its hull adds; a flat one gives SLIP_DEGENERATE and a warning. tolerance as in
 * slip_hull_build(), 0 for slip_mesh_tolerance(). Only the hull stays in the arena; while it is built, room
 * for the mesh and slip_hull_bytes() of its vertices is needed, and SLIP_ERR_WORKSPACE tells how much. */
slip_status slip_mesh_load_hull(const char *path, const slip_real *scale, slip_real tolerance, slip_arena *arena,
                                slip_hull *hull, slip_report *report, slip_error *err);

#endif
