/* Rays and points against single shapes. */
#ifndef SLIP_GEOM_RAY_H
#define SLIP_GEOM_RAY_H

#include "geom/shape.h"

typedef struct {
    slip_real origin[3];     /* [m]                                        */
    slip_real dir[3];        /* need not be unit; t counts in its lengths  */
    slip_real tmax;          /* how far to look, >= 0; may be INFINITY     */
} slip_ray;

typedef struct {
    slip_real t;             /* the hit is origin + t dir                                             */
    slip_real point[3];      /* world [m]                                                             */
    slip_real normal[3];     /* of the surface, unit, outwards; minus the direction for a start inside */
    int id;                  /* which shape of a world; -1 for a single one                           */
} slip_ray_hit;

/* First point of a placed shape on the ray: 1 and *hit, 0 for a miss (hit untouched), SLIP_ERR_ARGUMENT for
 * NaN, a zero direction or a bad shape. A ray that starts inside hits at t = 0. Exact to rounding; closed
 * forms for all kinds, faces in turn for a hull (a flat one is hit from both sides; a segment or a point
 * never), cells in turn for a height field (from above its surface; its walls from outside; a start below is
 * inside). */
int slip_ray_shape(const slip_ray *ray, const slip_shape *shape, const slip_pose *pose, slip_ray_hit *hit);

/* ---- points ---------------------------------------------------------------------------------------------- */

typedef struct {
    slip_real distance;      /* from the point to the surface, < 0 inside [m] */
    slip_real point[3];      /* nearest point of the surface, world [m]       */
    slip_real normal[3];     /* unit, out of the shape                        */
    int id;
} slip_point_hit;

/* Signed distance of a point to a shape, with the nearest surface point: by slip_distance() to a sphere of
 * radius zero; for a height field by slip_heightfield_contacts()' rules, looking up to `reach` away. Returns
 * 1, or 0 when a height field is farther than reach, or SLIP_ERR_ARGUMENT. */
int slip_point_shape(const slip_real x[3], const slip_shape *shape, const slip_pose *pose, slip_real reach,
                     slip_point_hit *hit);

#endif
