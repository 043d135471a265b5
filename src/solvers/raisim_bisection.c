/* raisim-bisection: RaiSim's model, each sliding contact by per-contact bisection (HW Alg. 1-2, LL Alg. 4). RaiSim's
 * own way.
 *
 *     theta <- direction of the zero-velocity impulse                    HW Alg. 1
 *     step away from it, downhill in energy, until dE/dtheta changes sign
 *     halve the bracket
 *
 * Two things differ from the page. The visible arc's end is known in closed form (local.c), so the bracket is [guess,
 * end] at once; HW steps outwards with unnamed beta1..3. And the bracket is halved only when Newton's step would
 * leave it: some 4 evaluations to rounding where halving needs 50. HW's own loop is SLIP_SLIDE_PAPER in local.h,
 * compared with the others by tests/test_local.c.
 *
 * The loop over contacts is HW Alg. 2, in raisim.c. */
#include "solvers/raisim.h"
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

slip_status slip_raisim_bisection(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, SLIP_SLIDE_BISECTION);
}

size_t slip_raisim_bisection_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)opt;
    return slip_gs_bytes(p);
}
