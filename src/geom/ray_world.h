/* Rays and points against many shapes, through the broad phase's tree. */
#ifndef SLIP_GEOM_RAY_WORLD_H
#define SLIP_GEOM_RAY_WORLD_H

#include "geom/broadphase.h"
#include "geom/ray.h"

/* A world for queries: shape[id] and pose[id] are those of the broad phase's box id; a hit needs
 * (group & mask) != 0 for the box's group. The broad phase must be up to date. */
typedef struct {
    const slip_broadphase *boxes;
    const slip_shape *shape;
    const slip_pose *pose;
} slip_ray_world;

/* The closest hit in the world, the lowest id among equals; returns as slip_ray_shape(). */
int slip_ray_cast(const slip_ray_world *world, const slip_ray *ray, uint32_t mask, slip_ray_hit *hit);

/* The shape nearest to a point (the deepest when it is inside several) no farther than reach: 1 or 0. */
int slip_point_nearest(const slip_ray_world *world, const slip_real x[3], slip_real reach, uint32_t mask,
                       slip_point_hit *hit);

/* Ids of the shapes that contain the point, border included, ascending; at most `most` are stored.
 * Returns how many there are, or SLIP_ERR_ARGUMENT. */
int slip_point_inside(const slip_ray_world *world, const slip_real x[3], uint32_t mask, int *id, int most);

#endif
