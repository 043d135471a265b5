/* Slipstick: rigid-body dynamics, collision and frictional contact for robots, in C99.
 *
 * This header has what most programs need. Its chapters, from the bottom up; each is written to be read:
 *
 *   base      the real type, status and errors, the arena, poses
 *   rbd       models (trees of joints) and their dynamics: RNEA, CRBA, ABA, Jacobians, energies
 *   geom      shapes, distances, contact patches, mass properties, rays
 *   contact   the contact problem and the judge of every solution
 *   solvers   the algorithms of the papers behind one signature and one registry
 *   sim       the world and its step; inverse dynamics with contact
 *   io        files: URDF, scenes, meshes, contact problems, replays
 *
 * slipstick_parts.h adds the parts these are made of: small algebra, broad phase, assembly of contact problems,
 * factorisations, the inverses of single contacts, converters to other conventions, height maps, XML, plots.
 *
 * Conventions: SI units, z up; linear before angular; quaternions x y z w; row-major matrices.
 * Functions that can fail return a slip_status: 0 done, > 0 usable with a reservation, < 0 no result. */
#ifndef SLIPSTICK_H
#define SLIPSTICK_H

#define SLIP_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* `make dist` puts exactly the headers named here in place, in this order: each needs only those above it. */
#include "base/real.h"
#include "base/status.h"
#include "base/arena.h"
#include "base/budget.h"
#include "base/pose.h"

#include "rbd/model.h"
#include "rbd/dynamics.h"
#include "rbd/derivatives.h"

#include "geom/shape.h"
#include "geom/hull.h"
#include "geom/heightfield.h"
#include "geom/mass.h"
#include "geom/distance.h"
#include "geom/patch.h"
#include "geom/ray.h"

#include "contact/problem.h"
#include "contact/residual.h"

#include "solvers/solver.h"
#include "solvers/solvers.h"
#include "solvers/id.h"

#include "sim/world.h"
#include "sim/inverse.h"
#include "sim/step_derivatives.h"

#include "io/urdf.h"
#include "io/mesh_hull.h"
#include "io/scene.h"
#include "io/stream.h"
#include "io/problem.h"
#include "io/replay.h"

#ifdef __cplusplus
}
#endif

#endif
