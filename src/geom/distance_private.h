/* The closed forms behind slip_distance(), private to geom. Each fills r (world frame), first to second. */
#ifndef SLIP_GEOM_DISTANCE_PRIVATE_H
#define SLIP_GEOM_DISTANCE_PRIVATE_H

#include "geom/distance.h"
#include "geom/support.h"

void near_sphere_sphere(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                        slip_distance_result *r);
void near_box_sphere(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                     slip_distance_result *r);
void near_capsule_sphere(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                         slip_distance_result *r);
void near_cylinder_sphere(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                          slip_distance_result *r);
void near_capsule_capsule(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                          slip_distance_result *r);
void near_box_capsule(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                      slip_distance_result *r);
void near_plane_shape(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                      slip_distance_result *r);

/* Box against box: 1 when the answer is in r (core frame); 0 when they are apart and no face and no pair of edges
 * decides, with r->n the best axis to search from. */
int box_box_distance(core_pair *q, core_result *r);

/* Every face normal and every pair of edges of two polytope cores: the last resort, slow and sure. */
void sat_depth(core_pair *q, core_result *r);

#endif
