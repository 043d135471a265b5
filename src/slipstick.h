/* Slipstick: rigid-body dynamics, collision and frictional contact for robots, in C99.
 *
 * The one header a user includes. Its chapters, from the bottom up; each is written to be read:
 *
 *   base      the real type, status and errors, the arena, small vectors, dense factorisations
 *   rbd       models (trees of joints) and their dynamics: RNEA, CRBA, ABA, Jacobians, energies
 *   geom      shapes, distances, contact patches, hulls, broad phase, rays
 *   contact   friction cones, the contact problem, its operator, and the judge of every solution
 *   solvers   the algorithms of the papers behind one signature and one registry
 *   sim       the world and its step; inverse dynamics with contact
 *   io        files: URDF, scenes, meshes, contact problems, plots, replays
 *
 * Conventions: SI units, z up; linear before angular; quaternions x y z w; row-major matrices.
 * Functions that can fail return a slip_status: 0 done, > 0 usable with a reservation, < 0 no result. */
#ifndef SLIPSTICK_H
#define SLIPSTICK_H

#define SLIP_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

#include "base/base.h"
#include "rbd/rbd.h"
#include "contact/contact.h"
#include "solvers/solver.h"
#include "solvers/solvers.h"
#include "solvers/id_prox.h"
#include "solvers/id_barrier.h"
#include "geom/geom.h"
#include "contact/problem.h"
#include "sim/world.h"
#include "sim/inverse.h"
#include "io/io.h"

#ifdef __cplusplus
}
#endif

#endif
