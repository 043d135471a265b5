/* The one query for a pair of shapes: signed distance, normal, witness points. */
#ifndef SLIP_GEOM_DISTANCE_H
#define SLIP_GEOM_DISTANCE_H

#include "base/budget.h"
#include "geom/shape.h"

/* The answer, in the frame of the poses (the world's).
 *
 *   distance > 0: the least distance. < 0: minus the least translation that separates the shapes.
 *   normal: unit, from the first shape to the second; moving the second by -distance*normal makes them touch.
 *   a, b: points on the surfaces, b = a + distance*normal.
 * Where normal or points are not unique (concentric spheres, parallel faces) they are one valid choice. */
typedef struct {
    slip_real distance;      /* [m] */
    slip_real normal[3];
    slip_real a[3], b[3];    /* [m] */
    int iterations;          /* support evaluations beyond the closed forms */
} slip_distance_result;

/* The state of a pair from its last query, a first guess for the next one; zero it before the first. It never changes
 * the distance, but may change which of several valid normals or points is returned. */
typedef struct {
    slip_real direction[3];  /* last normal in the first shape's frame; 0: nothing known               */
    int hint_a, hint_b;      /* last support vertices of hulls                                         */
    slip_budget *budget;     /* the query takes an iteration for each support evaluation; NULL: no bound */
} slip_distance_cache;

/* Signed distance of two placed shapes; cache may be NULL.
 *
 * Exact to rounding, about 1e-15 of the shapes' size in double, for every pair that it takes, cylinders included;
 * corners within 1e-9 of each other may pass for touching, an error of that size at most. Points
 * lie on the surfaces to rounding; where features are parallel to a hair (a cap on a cap tilted by 1e-8) to 1e-7 of
 * the size, b - a = distance*normal always to rounding.
 * Closed forms, else GJK and, for overlapping polytope cores, an expanding polytope (Gilbert et al. 1988, van den
 * Bergen 2001), for cylinders the normals of every sort of contact; bounded work, at most 10 kB of stack.
 * SLIP_OK. SLIP_DEADLINE: cache->budget was used up before the end. Then distance < 0: the shapes overlap, and moving
 * the second by -distance*normal separates them, but a shorter way may exist; distance >= 0: not known whether they
 * touch, they are at most so far apart. SLIP_ERR_ARGUMENT: NaN, infinity or a bad shape. SLIP_ERR_UNSUPPORTED: two
 * half-spaces, height fields.
 * out is untouched when negative. */
slip_status slip_distance(const slip_shape *a, const slip_pose *pose_a, const slip_shape *b, const slip_pose *pose_b,
                          slip_distance_cache *cache, slip_distance_result *out);

/* The same, but gives up once the distance is known to exceed `beyond`: then SLIP_OK with a distance that is a
 * lower bound of the true one and above `beyond`, a normal along which it holds, and points that are some points
 * of the shapes. For filters and speculative contacts. */
slip_status slip_distance_within(const slip_shape *a, const slip_pose *pose_a, const slip_shape *b,
                                 const slip_pose *pose_b, slip_real beyond, slip_distance_cache *cache,
                                 slip_distance_result *out);

#endif
