/* Signed distance of convex point sets by brute force: the judge of the distance query, sharing no code with it.
 *
 * Every shape is a set of at most TRUTH_MOST points and a radius. The separation along any direction is a lower bound
 * of the signed distance and the distance of any two sub-simplices an upper one; trying all normals of all triples, all
 * crossed pairs and all sub-simplices makes both exact. Long double, from the very inputs the query saw. */
#ifndef SLIP_TESTS_TRUTH_H
#define SLIP_TESTS_TRUTH_H

#include "geom/shape.h"

enum { TRUTH_MOST = 16 };

typedef struct { long double x[TRUTH_MOST][3], radius, size; int n; } truth_set;

/* The placed core of a sphere, capsule, box or small mesh. */
void truth_place(const slip_shape *s, const slip_pose *X, truth_set *t);

/* The signed distance; n (may be NULL) is a direction that attains it when they overlap. */
long double truth_distance(const truth_set *a, const truth_set *b, long double n[3]);

/* min over B of d.x - max over A of d.x, with the radii; d unit. */
long double truth_separation(const truth_set *a, const truth_set *b, const slip_real d[3]);

/* How far a point is from the surface of a set; a lower bound, exact inside and over faces. */
long double truth_off_surface(const truth_set *a, const slip_real x[3]);

#endif
