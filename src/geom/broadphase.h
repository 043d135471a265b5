/* Broad phase: which pairs of bounding boxes overlap, frame after frame.
 *
 * Boxes have ids. Move them as the world moves, call slip_broadphase_update(), read the pairs: exactly the
 * allowed pairs whose boxes overlap (touching counts), a < b, sorted by a then b. Up to
 * SLIP_BROADPHASE_SMALL boxes all pairs are tested; beyond, a balanced tree of fattened boxes finds
 * candidates, and only boxes that left their fat box are looked at again. docs/broadphase.md has the
 * measurements behind both. */
#ifndef SLIP_GEOM_BROADPHASE_H
#define SLIP_GEOM_BROADPHASE_H

#include "geom/shape.h"

enum { SLIP_BROADPHASE_SMALL = 64 };        /* a multiple of 8 */

/* The filter data of a box. Two boxes are a pair only when
 *   - not both are static,
 *   - their bodies differ (a body is a cluster of links fixed to each other),
 *   - neither body is the other's parent,
 *   - (a.group & b.mask) and (b.group & a.mask) are both non-zero,
 *   - their links are not on the exclude list. */
typedef struct {
    int body;                /* -1: of no body, never filtered by it                              */
    int parent;              /* the body it hangs on by a joint, -1: none                         */
    int link;                /* what slip_broadphase_exclude() names, -1: none                    */
    uint32_t group, mask;    /* bits                                                              */
    int is_static;
} slip_proxy;

slip_proxy slip_proxy_defaults(void);    /* no body, no link, group 1, mask all, moving */

typedef struct { int a, b; } slip_box_pair;

typedef struct slip_broadphase slip_broadphase;

/* Takes everything it will ever need from the arena; SLIP_ERR_WORKSPACE when it does not fit,
 * SLIP_ERR_ARGUMENT for capacities below 0. max_pairs bounds the pairs of one frame; twice as many as
 * expected leaves room for the fattened boxes. */
slip_status slip_broadphase_create(int max_boxes, int max_pairs, int max_excludes, slip_arena *arena,
                                   slip_broadphase **out);
size_t      slip_broadphase_bytes(int max_boxes, int max_pairs, int max_excludes);

/* Adds a box lo..hi [m], finite or +-SLIP_REAL_MAX; the lowest free id, or -1: full, or lo <= hi does not hold. */
int slip_broadphase_add(slip_broadphase *bp, const slip_proxy *proxy, const slip_real lo[3], const slip_real hi[3]);

/* Removes a box; its id may be given out again. An id not in use is ignored. */
void slip_broadphase_remove(slip_broadphase *bp, int id);

/* A box's new place; SLIP_ERR_ARGUMENT, nothing changed, for an id not in use, NaN or lo > hi. */
slip_status slip_broadphase_move(slip_broadphase *bp, int id, const slip_real lo[3], const slip_real hi[3]);

/* Excludes all pairs of boxes with these two links, in either order. SLIP_ERR_LIMIT beyond max_excludes. */
slip_status slip_broadphase_exclude(slip_broadphase *bp, int link_a, int link_b);

/* Brings tree and pairs up to date. SLIP_DROPPED: more than max_pairs overlap; the first ones were kept and
 * slip_broadphase_dropped() tells how many were not, a million at most. */
slip_status slip_broadphase_update(slip_broadphase *bp);

/* The pairs of the last update, valid until the next. */
const slip_box_pair *slip_broadphase_pairs(const slip_broadphase *bp, int *count);
int              slip_broadphase_dropped(const slip_broadphase *bp);

/* Number of box comparisons in the last update, inner nodes of the tree included: a measure of work without a clock. */
size_t slip_broadphase_tests(const slip_broadphase *bp);

/* The filter data of an id in use; NULL for another. */
const slip_proxy *slip_broadphase_proxy(const slip_broadphase *bp, int id);

/* Ids run from 0 to slip_broadphase_end() - 1, with gaps where boxes were removed. */
int slip_broadphase_end(const slip_broadphase *bp);

/* Whether the two boxes pass the filters above, wherever they are. */
int slip_broadphase_allows(const slip_broadphase *bp, int a, int b);

/* Walks over the boxes that a query may concern, each once, in no particular but reproducible order.
 * Usage: it = slip_broadphase_all(bp); while ((id = slip_broadphase_next(&it, lo, hi)) >= 0) ...
 * gives the ids whose (fattened) box overlaps lo..hi, which may shrink from call to call. After the last
 * update; boxes moved since then are found where they were. */
typedef struct {
    const slip_broadphase *bp;
    int node, large, id;
} slip_broadphase_walk;

slip_broadphase_walk slip_broadphase_all(const slip_broadphase *bp);
int slip_broadphase_next(slip_broadphase_walk *walk, const slip_real lo[3], const slip_real hi[3]);

/* The same for boxes that the ray origin + t dir, 0 <= t <= tmax, may meet; dir need not be unit. */
int slip_broadphase_next_on_ray(slip_broadphase_walk *walk, const slip_real origin[3], const slip_real dir[3],
                                slip_real tmax);

/* Bounds of a placed shape with a margin on all sides. [m] */
void slip_shape_bounds_with(const slip_shape *shape, const slip_pose *pose, slip_real margin, slip_real lo[3],
                            slip_real hi[3]);

#endif
