/* ccp-pgs: projected Gauss-Seidel on the CCP with the orthogonal projection on the cone (LL Alg. 2). Chrono's way.
 *
 *     for k = 1 ... M
 *         for i = 1 ... nc
 *  3          lambda_i <- lambda_i - 3/trace(G_ii) sigma_i                  sigma = ((G + R) lambda + g)_i
 *  4          lambda_i <- proj_K(lambda_i)
 *
 * A gradient step on a block descends for steps below 2/lambda_max(G_ii), while 3/trace may be as long as 3/lambda_max
 * when G_ii is far from a multiple of the identity (a long foot): it is therefore capped at 1.9/lambda_max;
 * SLIP_STEP_MAX and SLIP_STEP_MIN run LL's line 3 as printed. Convex, so it converges whenever it descends;
 * sliding contacts leave the ground, sigma_N = mu |sigma_T| (LL eq. 18). */
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

/* Line 3's step, with lambda_max bounded by the Frobenius norm. */
static slip_real cpgs_step(const slip_local *k, slip_step_rule rule)
{
    slip_real norm2 = 0;
    int i;

    if (!(k->size > 0)) return 0;
    if (rule == SLIP_STEP_MAX || rule == SLIP_STEP_MIN) return 1/k->size;
    for (i = 0; i < 9; ++i) norm2 += k->A[i]*k->A[i];
    return slip_min(1/k->size, SLIP_R(1.9)/slip_sqrt(norm2));
}

slip_status slip_ccp_pgs(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    slip_gs w;
    int i;

    if (!slip_gs_begin(&w, p, opt, sol, scratch, SLIP_MODEL_CCP, 0, NULL)) return w.status;
    for (i = 0; i < p->nc; ++i) w.contact[i].inv[0] = cpgs_step(&w.contact[i], w.opt->step);
    while (slip_gs_next(&w)) {                                               /* 1 */
        for (i = 0; i < p->nc; ++i) {                                        /* 2 */
            const slip_real step = w.relax*w.contact[i].inv[0];
            slip_real sigma[3], x[3];

            slip_gs_velocity(&w, i, sigma);
            slip_axpy3(-step, sigma, w.lambda + 3*i, x);                     /* 3 */
            slip_cone_project(p->mu[i], x, x);                               /* 4 */
            slip_gs_set(&w, i, x);
        }
        slip_gs_scalars(&w);
    }
    return slip_gs_end(&w);
}

size_t slip_ccp_pgs_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)opt;
    return slip_gs_bytes(p);
}
