/* lcp-staggered: staggered projections on the pyramid |lambda_T|_inf <= mu lambda_N (LL Tab. II, ref. 34; LL Alg. 6
 * with squares for discs).
 *
 *  1  for k = 1 ... M
 *  2      g_N~ <- g_N + G_NT lambda_T                 (LL prints g_T; the normal problem needs g_N)
 *  3      lambda_N <- argmin over lambda >= 0 of 1/2 lambda'G_NN lambda + g_N~'lambda
 *  4      g_T~ <- g_T + G_TN lambda_N
 *  5      lambda_T <- argmin over |lambda_i|_inf <= mu_i lambda_N,i of 1/2 lambda'G_TT lambda + g_T~'lambda
 *
 * The pyramid's two axes slide each for itself; its section is a square, so line 5 has bounds only. There is no proof
 * of convergence. Both problems are solved to rounding by prox_newton.c; staggered.c sets them up. */
#include "solvers/staggered.h"
#include "solvers/solvers.h"

/* The loop above. */
static slip_status lcp_staggered_loop(slip_staggered *w, int most)
{
    int k;

    for (k = 1; k <= most; ++k) {                              /* 1 */
        slip_staggered_free_velocity(w, &w->N);                /* 2 */
        slip_staggered_minimise(w, &w->N);                     /* 3 */
        slip_staggered_set_radii(w);                           /*   half width mu lambda_N of each square */
        slip_staggered_free_velocity(w, &w->T);                /* 4 */
        slip_staggered_minimise(w, &w->T);                     /* 5 */
        if (!slip_staggered_end_round(w)) return w->status;
    }
    return SLIP_MAX_ITERS;
}

static slip_status lcp_staggered_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                       slip_arena *scratch)
{
    if (opt && opt->facets > 4) return sol->status = SLIP_ERR_UNSUPPORTED;    /* the square is for four facets */
    return slip_staggered_solve(p, opt, SLIP_MODEL_LCP, SLIP_SET_BOX, lcp_staggered_loop, sol, scratch);
}

const slip_solver slip_solver_lcp_staggered = {
    .id = "lcp-staggered", .model = SLIP_MODEL_LCP,
    .about = "staggered projections on a pyramid",
    .paper = "LL Tab. II", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = 0,
    .solve = lcp_staggered_solve, .bytes = slip_staggered_bytes,
    .work = slip_staggered_work, .sweeps = &slip_solver_lcp_gs
};
