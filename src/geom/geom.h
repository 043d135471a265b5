/* All headers of geom, for the sources of the modules above. */
#ifndef SLIP_GEOM_GEOM_H
#define SLIP_GEOM_GEOM_H

#include "geom/shape.h"
#include "geom/hull.h"
#include "geom/shape_query.h"
#include "geom/distance.h"
#include "geom/patch.h"
#include "geom/mass.h"
#include "geom/trimesh.h"
#include "geom/decompose.h"
#include "geom/heightfield.h"
#include "geom/heightfield_contact.h"
#include "geom/broadphase.h"
#include "geom/ray.h"
#include "geom/ray_world.h"

#endif
