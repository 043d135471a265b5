/* Distance of two convex cores by GJK, private to geom. */
#ifndef SLIP_GEOM_GJK_H
#define SLIP_GEOM_GJK_H

#include "geom/support.h"

typedef struct {
    core_vertex v[4];
    slip_real l[4];      /* weights of the point nearest the origin */
    int n;
} gjk_simplex;

typedef enum {
    GJK_APART,           /* r: distance, normal, witness points                                    */
    GJK_BEYOND,          /* farther apart than `beyond`; r->d is a lower bound, r->n its direction */
    GJK_CLOSE,           /* cores touch or overlap to rounding; s is where the search ended        */
    GJK_CUT              /* q->budget is used up: r as for GJK_APART, but at most that far apart   */
} gjk_outcome;

/* Distance of the cores of q, searched from the direction d (a's frame, roughly from A to B; any length).
 * Stops early once the distance is known to exceed `beyond`. `apart`: they are known not to overlap, so a flat
 * tetrahedron that seems to hold the origin does not. */
gjk_outcome slip_gjk_distance(core_pair *q, const slip_real d[3], slip_real beyond, int apart, gjk_simplex *s,
                              core_result *r);

/* Cores closer than this fraction of q->size: b - a has too few digits left to be a normal. */
#define GJK_NEAR SLIP_TOL(1e-9, 1e-4)

#endif
