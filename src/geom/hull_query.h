/* Queries on a finished hull. */
#ifndef SLIP_GEOM_HULL_QUERY_H
#define SLIP_GEOM_HULL_QUERY_H

#include "geom/hull.h"

/* The dimension a hull spans: 0 a point, 1 a segment, 2 a polygon, 3 a solid. */
int slip_hull_dimension(const slip_hull *hull);

#endif
