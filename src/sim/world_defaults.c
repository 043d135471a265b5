/* The one place of the simulation that names a solver: a program that does not call this function links only the
 * solvers it names itself. */
#include "sim/world.h"
#include "solvers/solvers.h"

slip_world_options slip_world_defaults(void)
{
    return slip_world_defaults_for(&slip_solver_default);
}
