/* ncp-staggered: staggered projections on the friction cone itself (LL Alg. 6).
 *
 *     repeat
 *         lambda_N <- argmin of 1/2 lambda'G_NN lambda + (g_N + G_NT lambda_T)'lambda over lambda >= 0
 *         lambda_T <- argmin of 1/2 lambda'G_TT lambda + (g_T + G_TN lambda_N)'lambda over |lambda_i| <= mu lambda_N
 *
 * A fixed point satisfies Signorini (the first problem's optimality) and maximum dissipation (the second's): the NCP.
 * The loop is in staggered.c. */
#include "solvers/staggered.h"
#include "solvers/solvers.h"

slip_status slip_ncp_staggered(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                               slip_arena *scratch)
{
    return slip_staggered_solve(p, opt, sol, scratch, SLIP_MODEL_NCP);
}

size_t slip_ncp_staggered_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)opt;
    return slip_staggered_bytes(p);
}
