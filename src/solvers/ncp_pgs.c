/* ncp-pgs: projected Gauss-Seidel on the NCP with the horizontal projection (LL Alg. 5, HW eq. 16-18), as in Bullet.
 *
 *  1  for k = 1 ... M
 *  2      for i = 1 ... nc
 *  3          lambda_N <- lambda_N - (G lambda + g)_N/G_NN                                HW eq. 16
 *  4          lambda_N <- max(0, lambda_N)
 *  5          lambda_T <- lambda_T - (G lambda + g)_T/max(G_t1, G_t2)         SLIP_STEP_MAX, HW eq. 18 (default)
 *                or       lambda_T - (G lambda + g)_T/min(G_t1, G_t2)         SLIP_STEP_MIN, LL as printed
 *                or       argmin over |x| <= mu lambda_N of 1/2 x'G_TT x + b'x              SLIP_STEP_BLOCK
 *  6          lambda_T <- projection of lambda_T on the disc of radius mu lambda_N        HW eq. 17
 *
 * Line 5 sees lambda_N as line 4 leaves it. LL's 1/min exceeds the 2/max within which a gradient step on G_TT contracts
 * as soon as the tangents differ by more than a factor of two. G stands for G + R. The option `relaxation` is HW's
 * alpha of eq. 18 (HW Sec. V-C runs 0.6): it multiplies the steps of lines 3 and 5.
 *
 * A fixed point solves the NCP for any of the steps. There is no proof of convergence: where friction couples strongly
 * back into the normal (mu |G_NT| near or beyond G_NN, Painleve's case) lines 3-6 may cycle within one contact; ncp-gs
 * solves it as a whole. Internal forces depend on the start and the order of the sweeps (LL Tab. II). */
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

static slip_status ncp_pgs_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                 slip_arena *scratch)
{
    slip_gs w;
    int i;

    if (!slip_gs_begin(&w, p, opt, sol, scratch, SLIP_MODEL_NCP, 0)) return w.status;
    slip_gs_print_rule(&w, SLIP_GS_UPDATES);                                               /* HW Sec. V-C */
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
            slip_gs_tangents(&w, k, v, r, old, slip_local_disc, x);                        /* 5   */
            slip_cone_project_horizontal(k->mu, x, x);                                     /* 6   */
            slip_gs_add_update(&w, old, x, v[2]);
            slip_gs_set(&w, i, x);
        }
        slip_gs_scalars(&w);
    }
    return slip_gs_end(&w);
}

const slip_solver slip_solver_ncp_pgs = {
    .id = "ncp-pgs", .model = SLIP_MODEL_NCP,
    .about = "Gauss-Seidel with horizontal projections",
    .paper = "LL Alg. 5, HW eq. 16-18", .engines = "Bullet",
    .takes = SLIP_TAKES_ALL,
    .reads = SLIP_READS_RELAXATION | SLIP_READS_STEP | SLIP_READS_STOP | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = ncp_pgs_solve, .bytes = slip_gs_bytes
};
