/* Defaults with slip_solver_default. A program that calls slip_world_defaults_for() instead, and neither
 * slip_world_like() (like.c) nor inverse dynamics (inverse.c), links only the solvers it names itself. */
#include "sim/world.h"
#include "solvers/solvers.h"

slip_world_options slip_world_defaults(void)
{
    return slip_world_defaults_for(&slip_solver_default);
}
