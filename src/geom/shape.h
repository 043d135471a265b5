/* The shapes that can touch. */
#ifndef SLIP_GEOM_SHAPE_H
#define SLIP_GEOM_SHAPE_H

#include "base/base.h"

typedef enum {
    SLIP_SHAPE_SPHERE,       /* radius                                                       */
    SLIP_SHAPE_BOX,          /* half extents                                                 */
    SLIP_SHAPE_CAPSULE,      /* radius, half length of the segment on local z                */
    SLIP_SHAPE_CYLINDER,     /* radius, half length on local z                               */
    SLIP_SHAPE_MESH,         /* convex hull of vertices                                      */
    SLIP_SHAPE_HALFSPACE,    /* solid z <= 0                                                 */
    SLIP_SHAPE_HEIGHTFIELD   /* solid below a grid of heights                                */
} slip_shape_kind;

#endif
