/* Queries on shapes and hulls beyond shape.h, for distances and bounds. */
#ifndef SLIP_GEOM_SHAPE_QUERY_H
#define SLIP_GEOM_SHAPE_QUERY_H

#include "geom/shape.h"

/* Short name of a kind: "sphere", "box"...; "unknown" for anything else. */
const char *slip_shape_kind_name(slip_shape_kind kind);

/* 0 for the kinds that SLIP_SHAPES leaves out. */
int slip_shape_is_built(slip_shape_kind kind);

/* Radius about the shape's own origin; 0 for half-spaces and height fields. [m] */
slip_real slip_shape_reach(const slip_shape *shape);

/* Farthest point of the shape along d (any non-zero vector), all in the shape's frame; for a half-space
 * or a height field the origin. */
void slip_shape_support(const slip_shape *shape, const slip_real d[3], slip_real point[3]);

/* The least axis-aligned box around a placed hull. hint: its extreme vertices of the last call (-x, +x, -y, ...), from
 * which the search goes on; zeros at first. The box does not depend on it. */
void slip_hull_bounds(const slip_hull *hull, const slip_pose *pose, int hint[6], slip_real lo[3], slip_real hi[3]);

/* The dimension a hull spans: 0 a point, 1 a segment, 2 a polygon, 3 a solid. */
int slip_hull_dimension(const slip_hull *hull);

#endif
