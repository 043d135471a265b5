/* ncp-staggered: staggered projections on the friction cone (LL Alg. 6).
 *
 *  1  for k = 1 ... M
 *  2      g_N~ <- g_N + G_NT lambda_T                 (LL prints g_T; the normal problem needs g_N)
 *  3      lambda_N <- argmin over lambda >= 0 of 1/2 lambda'G_NN lambda + g_N~'lambda
 *  4      g_T~ <- g_T + G_TN lambda_N
 *  5      lambda_T <- argmin over |lambda_i| <= mu_i lambda_N,i of 1/2 lambda'G_TT lambda + g_T~'lambda
 *
 * A fixed point satisfies Signorini's condition (line 3's optimality) and maximum dissipation (line 5's): the NCP.
 * There is no proof of convergence. Both problems are solved to rounding by prox_newton.c; staggered.c sets them up. */
#include "solvers/staggered.h"
#include "solvers/solvers.h"

/* LL Alg. 6. */
static slip_status ncp_staggered_loop(slip_staggered *w, int most)
{
    int k;

    for (k = 1; k <= most; ++k) {                              /* 1 */
        slip_staggered_free_velocity(w, &w->N);                /* 2 */
        slip_staggered_minimise(w, &w->N);                     /* 3 */
        slip_staggered_set_radii(w);                           /*   radius mu lambda_N of each disc */
        slip_staggered_free_velocity(w, &w->T);                /* 4 */
        slip_staggered_minimise(w, &w->T);                     /* 5 */
        if (!slip_staggered_end_round(w)) return w->status;
    }
    return SLIP_MAX_ITERS;
}

static slip_status ncp_staggered_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                       slip_arena *scratch)
{
    return slip_staggered_solve(p, opt, SLIP_MODEL_NCP, SLIP_SET_DISC, ncp_staggered_loop, sol, scratch);
}

const slip_solver slip_solver_ncp_staggered = {
    .id = "ncp-staggered", .model = SLIP_MODEL_NCP,
    .about = "staggered projections on the cone",
    .paper = "LL Alg. 6", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = 0,
    .solve = ncp_staggered_solve, .bytes = slip_staggered_bytes,
    .work = slip_staggered_work, .sweeps = &slip_solver_ncp_gs
};
