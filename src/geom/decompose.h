/* Approximate convex decomposition: a closed mesh as several convex hulls, so that a cup is hollow. */
#ifndef SLIP_GEOM_DECOMPOSE_H
#define SLIP_GEOM_DECOMPOSE_H

#include "geom/trimesh.h"

enum { SLIP_DECOMPOSE_MOST = 64 };        /* parts, at most */

typedef struct {
    int n;
    slip_hull *part;         /* [n]                                                                */
    slip_real volume;        /* of the solid inside the mesh [m^3]                                 */
    slip_real hull_volume;   /* of its convex hull                                                 */
    slip_real parts_volume;  /* of the parts' hulls together                                       */
} slip_decomposition;

/* Cuts the solid inside a closed mesh by planes along the axes, always the part whose hull has the most volume that is
 * not solid, where the hulls of the two halves have the least; until the hulls have no more than `excess` of the
 * solid's volume too much, or `most` parts are made. tolerance [m] is slip_hull_build()'s.
 * Memory: the hulls from the low end of mem, scratch from the high end (released). SLIP_OK. SLIP_DEGENERATE: the mesh
 * is not closed or has no volume; one part, its hull. SLIP_ERR_WORKSPACE, and what slip_hull_build() refuses: *out
 * and mem are as before. O(parts n log n), the cuts that are tried included. */
slip_status slip_decompose(const slip_trimesh *mesh, int most, slip_real excess, slip_real tolerance, slip_arena *mem,
                           slip_decomposition *out, slip_error *err);

#endif
