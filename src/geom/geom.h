/* All of geom: shapes, their distances and contacts. */
#ifndef SLIP_GEOM_GEOM_H
#define SLIP_GEOM_GEOM_H

#include "geom/shape.h"
#include "geom/hull.h"
#include "geom/distance.h"
#include "geom/patch.h"

#endif
