/* raisim-bisection: RaiSim's model, each sliding contact by per-contact bisection (HW Alg. 1-2), as in RaiSim.
 *
 *      theta <- direction of the zero-velocity impulse                                HW Alg. 1, lines 2-6
 *      step downhill in energy, ever longer, until dE/dtheta changes sign             lines 7-23
 *      halve the bracket until its impulses differ by less than gamma                 lines 24-33
 *
 * HW Alg. 1 is slip_slide_search() in local_slide.c, with its line numbers and with values for beta1, beta2, beta3, which
 * HW leaves open. The loop over contacts is HW Alg. 2, in raisim.c. */
#include "solvers/gauss_seidel.h"
#include "solvers/raisim.h"
#include "solvers/solvers.h"

static slip_status raisim_bisection_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                          slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, SLIP_SLIDE_BISECTION);
}

const slip_solver slip_solver_raisim_bisection = {
    .id = "raisim-bisection", .model = SLIP_MODEL_RAISIM,
    .about = "per-contact bisection",
    .paper = "LL Alg. 4, HW Alg. 1-2", .engines = "RaiSim",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_ALPHA | SLIP_READS_STOP | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = raisim_bisection_solve, .bytes = slip_gs_bytes
};
