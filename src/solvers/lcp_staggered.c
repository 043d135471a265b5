/* lcp-staggered: staggered projections on the pyramid |lambda_T|_inf <= mu lambda_N (LL Tab. II, ref. 34).
 *
 *     repeat
 *         lambda_N <- argmin of 1/2 lambda'G_NN lambda + (g_N + G_NT lambda_T)'lambda over lambda >= 0
 *         lambda_T <- argmin of 1/2 lambda'G_TT lambda + (g_T + G_TN lambda_N)'lambda over the squares
 *
 * The pyramid's two axes slide each for itself; its section is a square, so the second problem has bounds only.
 * The loop is in staggered.c. */
#include "solvers/staggered.h"
#include "solvers/solvers.h"

slip_status slip_lcp_staggered(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                               slip_arena *scratch)
{
    if (opt && opt->facets > 4)                              /* the square is for four facets */
        return sol->status = SLIP_ERR_UNSUPPORTED;
    return slip_staggered_solve(p, opt, sol, scratch, SLIP_MODEL_LCP);
}

size_t slip_lcp_staggered_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)opt;
    return slip_staggered_bytes(p);
}
