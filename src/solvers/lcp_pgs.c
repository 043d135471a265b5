/* lcp-pgs: projected Gauss-Seidel on the LCP of the four-facet pyramid (LL Alg. 1), as in ODE, PhysX and DART.
 *
 *  1  for k = 1 ... M
 *  2      for i = 1 ... nc
 *  3          lambda_N <- lambda_N - (G lambda + g)_N/G_NN
 *  4          lambda_N <- max(0, lambda_N)
 *  5          lambda_T <- lambda_T - (G lambda + g)_T/max(G_t1, G_t2)         SLIP_STEP_MAX, HW eq. 18 (default)
 *                or       lambda_T - (G lambda + g)_T/min(G_t1, G_t2)         SLIP_STEP_MIN, LL as printed
 *                or       argmin over |x|_inf <= mu lambda_N of 1/2 x'G_TT x + b'x          SLIP_STEP_BLOCK
 *  6          lambda_T <- clamp(lambda_T, mu lambda_N)
 *
 * Line 5 sees lambda_N as line 4 leaves it. LL's 1/min exceeds the 2/max within which a gradient step on G_TT contracts
 * as soon as the tangents differ by more than a factor of two. G stands for G + R. The option `relaxation` multiplies
 * the steps of lines 3 and 5: LL eq. 22, whose weights are printed the wrong way round, with the projection after
 * it, so that iterates stay in the pyramid.
 *
 * The model: Signorini for the normal, and each tangential axis for itself at +-mu lambda_N or at rest. Friction is
 * up to sqrt(2) too strong along the diagonals and drawn to the corners (LL Fig. 6). More facets: lcp-lemke. */
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

static slip_status lcp_pgs_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                 slip_arena *scratch)
{
    slip_gs w;
    int i;

    if (opt && opt->facets > 4) return sol->status = SLIP_ERR_UNSUPPORTED;                 /* line 6 is for four */
    if (!slip_gs_begin(&w, p, opt, sol, scratch, SLIP_MODEL_LCP, 4)) return w.status;
    while (slip_gs_next(&w)) {                                                             /* 1   */
        for (i = 0; i < p->nc; ++i) {                                                      /* 2   */
            const slip_local *k = &w.contact[i];
            const slip_real *old = w.lambda + 3*i, step = k->diag[2] > 0 ? w.relax/k->diag[2] : 0;
            slip_real v[3], x[3], r;

            slip_gs_velocity(&w, i, v);                                                    /* (G lambda + g)_i */
            x[2] = slip_max(0, old[2] - step*v[2]);                                        /* 3-4 */
            v[0] += k->tn[0]*(x[2] - old[2]);
            v[1] += k->tn[1]*(x[2] - old[2]);
            r = k->mu < SLIP_MU_INFINITE ? k->mu*x[2] : k->mu;         /* infinite: for an open contact too */
            slip_gs_tangents(&w, k, v, r, old, slip_local_box, x);                         /* 5   */
            x[0] = slip_clamp(x[0], -r, r);                                                /* 6   */
            x[1] = slip_clamp(x[1], -r, r);
            slip_gs_set(&w, i, x);
        }
        slip_gs_scalars(&w);
    }
    return slip_gs_end(&w);
}

const slip_solver slip_solver_lcp_pgs = {
    .id = "lcp-pgs", .model = SLIP_MODEL_LCP,
    .about = "projected Gauss-Seidel on a four-sided pyramid",
    .paper = "LL Alg. 1", .engines = "ODE, PhysX, DART",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_RELAXATION | SLIP_READS_STEP | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = lcp_pgs_solve, .bytes = slip_gs_bytes
};
