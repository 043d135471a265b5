/* Convex hulls of point sets: quickhull on a grid of integers, then true polygonal faces. */
#ifndef SLIP_GEOM_HULL_H
#define SLIP_GEOM_HULL_H

#include "geom/shape.h"

/* Most points one hull may be built from. */
enum { SLIP_HULL_MOST_POINTS = 20000000 };

/* The convex hull of `n` points (3n reals [m]) into *hull, whose arrays are taken from the arena.
 *
 * tolerance [m]: points within it of the hull of the others may be left out, and triangles within it of
 * one plane become one face. 0, or anything smaller, stands for a few units in the last place of the
 * largest coordinate, the least that makes sense. For points read from files with few digits, see
 * slip_mesh_tolerance() in io/mesh.h.
 *
 * Vertices keep the values of the input, and its order unless all are in one plane. Euler's nv - ne + nf = 2 holds.
 * SLIP_OK: a solid. SLIP_DEGENERATE: the points lie, within the tolerance, in one plane (nf = 2, both
 * sides of the polygon), on one line (nv = 2, ne = 1, nf = 0) or at one point (nv = 1, ne = nf = 0); such
 * a hull still collides. Negative: no points, too many, a coordinate that is not finite, or an arena with
 * less than slip_hull_bytes(n) free; *hull and the arena are then as before. err may be NULL.
 * O(n log n) for points in general position. */
slip_status slip_hull_build(const slip_real *points, int n, slip_real tolerance, slip_arena *arena,
                            slip_hull *hull, slip_error *err);

/* Bytes of arena that a hull of n points may need while it is built: about 700 n. What stays taken
 * afterwards depends on the hull's own size only; the rest is given back. */
size_t slip_hull_bytes(int n);

#endif
