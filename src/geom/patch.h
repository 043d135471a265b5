/* Contact patches: not one point of contact but the stable few, each with a feature id that persists. */
#ifndef SLIP_GEOM_PATCH_H
#define SLIP_GEOM_PATCH_H

#include "geom/distance.h"

enum { SLIP_PATCH_POINTS = 4 };

typedef struct {
    slip_real point[3];      /* midway between the surfaces, world                                     [m] */
    slip_real gap;           /* along the normal; < 0: overlap, never deeper than the pair's own       [m] */
    uint32_t feature;        /* the same from step to step while the same features touch                   */
} slip_patch_point;

typedef struct {
    int count;               /* 0: farther apart than the margin                                           */
    slip_real normal[3];     /* unit, from the first shape to the second, world                            */
    slip_patch_point point[SLIP_PATCH_POINTS];   /* deepest first, the others spread as widely as possible */
} slip_patch;

/* Where two placed shapes touch, or would within `margin` [m]. Flat against flat (faces of boxes, meshes and
 * cylinders; the sides of cylinders and capsules against those) gives up to four points by clipping one
 * face against the other; everything else the one pair of closest points. cache (may be NULL): see distance.h.
 * Statuses are those of slip_distance(); out is untouched when negative. */
slip_status slip_patch_find(const slip_shape *a, const slip_pose *pose_a, const slip_shape *b, const slip_pose *pose_b,
                            slip_real margin, slip_distance_cache *cache, slip_patch *out);

#endif
