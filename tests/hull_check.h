/* Checks of slip_hull arrays shared by tests: Unity assertions. */
#ifndef SLIP_TESTS_HULL_CHECK_H
#define SLIP_TESTS_HULL_CHECK_H

#include "geom/hull.h"

/* Loops, twins, edges and neighbours tell the same story, and Euler's formula holds. */
void hull_check_topology(const slip_hull *h);

/* Neighbours of a corner go round it: consecutive ones share the face named for the first. */
void hull_check_fans(const slip_hull *h);

#endif
