/* ccp-pgs: projected Gauss-Seidel on the CCP with the orthogonal projection on the cone (LL Alg. 2), as in Chrono.
 *
 *  1  for k = 1 ... M
 *  2      for i = 1 ... nc
 *  3          lambda_i <- lambda_i - 3/trace(G_ii) (G lambda + g)_i          SLIP_STEP_MAX, SLIP_STEP_MIN (default)
 *                or       lambda_i - sqrt(3)/|G_ii| (G lambda + g)_i          SLIP_STEP_BLOCK
 *  4          lambda_i <- proj_K(lambda_i)
 *
 * A gradient step on a block descends for steps below 2/lambda_max(G_ii), while 3/trace may be as long as 3/lambda_max
 * when G_ii is far from a multiple of the identity (a long foot): there LL's step may cycle or diverge. With the
 * Frobenius norm, sqrt(3)/|G_ii| is the same step for a multiple of the identity, never longer, and at most
 * sqrt(3)/lambda_max: it always descends, and the convex problem makes the sweeps converge. G stands for G + R. The
 * option `relaxation` multiplies the step of line 3 (LL eq. 22 with the projection after it).
 *
 * The model: sliding contacts leave the ground, sigma_N = mu |sigma_T| (LL eq. 18). */
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

/* Line 3's step. */
static slip_real cpgs_step(const slip_local *k, slip_step_rule rule)
{
    slip_real norm2 = 0;
    int i;

    if (!(k->size > 0)) return 0;                                            /* size = trace(G_ii)/3 */
    if (rule != SLIP_STEP_BLOCK) return 1/k->size;
    for (i = 0; i < 9; ++i) norm2 += k->A[i]*k->A[i];
    return slip_sqrt(3/norm2);
}

slip_status slip_ccp_pgs(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    slip_gs w;
    int i;

    if (!slip_gs_begin(&w, p, opt, sol, scratch, SLIP_MODEL_CCP, 0)) return w.status;
    while (slip_gs_next(&w)) {                                               /* 1 */
        for (i = 0; i < p->nc; ++i) {                                        /* 2 */
            const slip_local *k = &w.contact[i];
            const slip_real *old = w.lambda + 3*i;
            slip_real v[3], x[3];

            slip_gs_velocity(&w, i, v);                                      /* (G lambda + g)_i */
            slip_axpy3(-w.relax*cpgs_step(k, w.opt->step), v, old, x);       /* 3 */
            slip_cone_project(k->mu, x, x);                                  /* 4 */
            slip_gs_set(&w, i, x);
        }
        slip_gs_scalars(&w);
    }
    return slip_gs_end(&w);
}

const slip_solver slip_solver_ccp_pgs = {
    .id = "ccp-pgs", .model = SLIP_MODEL_CCP,
    .about = "Gauss-Seidel with orthogonal cone projections",
    .paper = "LL Alg. 2", .engines = "Chrono",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_RELAXATION | SLIP_READS_STEP | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = slip_ccp_pgs, .bytes = slip_gs_bytes
};
