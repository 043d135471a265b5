/* raisim-newton: RaiSim's model, each sliding contact by a safeguarded Newton method. Ours.
 *
 *      bracket <- the visible arc on the downhill side of the zero-velocity impulse, whose end is known in closed form
 *      Newton's method on dE/dtheta = 0, a quartic in tan(theta/2), from the last impulse's direction;
 *      a step that would leave the bracket halves it instead
 *
 * Some 4 evaluations to rounding where HW's bisection needs 50: slip_quartic_root() in local_slide.c. The loop over
 * contacts is HW Alg. 2, in raisim.c. */
#include "solvers/gauss_seidel.h"
#include "solvers/raisim.h"
#include "solvers/solvers.h"

static slip_status raisim_newton_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                       slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, SLIP_SLIDE_NEWTON);
}

const slip_solver slip_solver_raisim_newton = {
    .id = "raisim-newton", .model = SLIP_MODEL_RAISIM,
    .about = "per-contact safeguarded Newton",
    .paper = "", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_ALPHA | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = raisim_newton_solve, .bytes = slip_gs_bytes
};
