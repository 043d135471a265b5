/* Penetration of two convex cores by the expanding polytope, private to geom. */
#ifndef SLIP_GEOM_EPA_H
#define SLIP_GEOM_EPA_H

#include "geom/gjk.h"

/* The least translation that separates the polytope cores of q, which overlap or touch; s is where slip_gjk_distance()
 * ended. Fills r with d <= 0 (up to rounding), the normal and the witness points.
 * SLIP_OK; SLIP_MAX_ITERS: no room to grow, r holds the best bound found; SLIP_STALLED: the polytope became
 * inconsistent, r holds the best bound found and the caller should decide by other means; SLIP_DEADLINE: q->budget is
 * used up, r holds the best bound found.
 * Uses about 9 kB of stack in double, 5 in float. */
slip_status slip_epa_depth(core_pair *q, const gjk_simplex *s, core_result *r);

#endif
