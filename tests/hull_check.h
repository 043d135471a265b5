/* Checks of slip_hull arrays shared by tests: Unity assertions. */
#ifndef SLIP_TESTS_HULL_CHECK_H
#define SLIP_TESTS_HULL_CHECK_H

#include "geom/hull.h"

/* Loops, twins, edges and neighbours tell the same story, and Euler's formula holds. */
void hull_check_topology(const slip_hull *h);

/* Neighbours of a corner go round it: consecutive ones share the face named for the first. */
void hull_check_fans(const slip_hull *h);

/* Signed distance of a point (shape's frame) to the nearest face plane from outside: <= 0 exactly when it
 * is inside; outside it is a lower bound of the distance. *face (may be NULL) is that face. For a hull
 * without faces +distance to the segment or point and face -1. O(nf). */
slip_real hull_depth(const slip_hull *hull, const slip_real x[3], int *face);

#endif
