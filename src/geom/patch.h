/* Contact patches: the contact points of two shapes, each with a name that stays the same from step to step. */
#ifndef SLIP_GEOM_PATCH_H
#define SLIP_GEOM_PATCH_H

#include "geom/distance.h"

enum { SLIP_PATCH_MOST = 4 };

typedef struct {
    slip_real point[3];      /* halfway between both surfaces, world frame                            [m] */
    slip_real gap;           /* along the patch's normal; < 0: overlap, never more than the pair's own  [m] */
    uint32_t id;             /* the features that meet here; the same from step to step while they do     */
} slip_patch_point;

typedef struct {
    int n;                                   /* 0: farther apart than the margin                  */
    int iterations;                          /* support evaluations beyond the closed forms       */
    slip_real normal[3];                     /* unit, from the first shape to the second          */
    slip_patch_point point[SLIP_PATCH_MOST]; /* the deepest first, then those that span most area */
} slip_patch;

/* The contacts of two placed shapes whose gap is at most `margin` (>= 0, [m]; for contacts foreseen within a step).
 *
 * The pair query gives the normal; the faces (edges, sides) that look along it are laid over one another, and the
 * corners of the overlap are contacts. All points of one shape, so no contact is deeper than the pair's signed
 * distance. Two edges along each other have a normal of their own, which does not depend on the order of the shapes.
 * Against a half-space the lowest corners are taken directly. cache as for slip_distance(), may be NULL.
 * Status as for slip_distance(); out->n = 0 when there is no contact, or the budget ended before that was known, out
 * untouched when negative. */
slip_status slip_patch_find(const slip_shape *a, const slip_pose *pose_a, const slip_shape *b, const slip_pose *pose_b,
                            slip_real margin, slip_distance_cache *cache, slip_patch *out);

#endif
