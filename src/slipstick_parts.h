/* The parts of Slipstick beyond slipstick.h, for programs that build something of their own from them: solvers,
 * simulators, readers of other formats. Names here may change sooner than those of slipstick.h.
 *
 *   base      small vectors and matrices, scratch of arenas, messages, numbers as text, dense factorisations, random
 *             numbers
 *   rbd       single passes of the algorithms, packed factorisation, spatial algebra, other libraries' conventions
 *   geom      triangle meshes, height fields by triangles, broad phase, rays through it
 *   contact   cones, the operator of a problem, its assembly from contact sites, sparse and shifted factorisations
 *   solvers   the frame around a solve, for solvers of one's own; registries; inverses in contact space
 *   sim       the phases of a step; options, materials and work of a running world; products with a step's derivative, its
 *             mean over random states; iLQR over steps
 *   io        height maps, whole files, XML, SRDF, mesh files, writing text and JSON, recordings read back, plots */
#ifndef SLIPSTICK_PARTS_H
#define SLIPSTICK_PARTS_H

#include "slipstick.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "base/base.h"
#include "rbd/rbd.h"
#include "geom/geom.h"
#include "contact/contact.h"
#include "solvers/frame.h"
#include "solvers/functions.h"
#include "solvers/id_barrier.h"
#include "solvers/id_prox.h"
#include "sim/world_more.h"
#include "sim/phases.h"
#include "sim/ilqr.h"
#include "sim/step_products.h"
#include "sim/step_smoothed.h"
#include "io/io.h"

#ifdef __cplusplus
}
#endif

#endif
