/* ccp-pgs: projected Gauss-Seidel on the CCP with the orthogonal projection on the cone (LL Alg. 2). Chrono's way.
 *
 *  1  for k = 1 ... M
 *  2      for i = 1 ... nc
 *  3          lambda_i <- lambda_i - 3/trace(G_ii) sigma_i                  sigma = ((G + R) lambda + g)_i
 *  4          lambda_i <- proj_K(lambda_i)
 *  3-4    or  lambda_i <- the least energy over K_mu, all others held       SLIP_STEP_CONTACT (default)
 *
 * A gradient step on a block descends for steps below 2/lambda_max(G_ii), while 3/trace may be as long as 3/lambda_max
 * when G_ii is far from a multiple of the identity (a long foot). SLIP_STEP_BLOCK therefore caps it at 1.9/lambda_max;
 * SLIP_STEP_MAX and SLIP_STEP_MIN run LL's line 3 as printed. The default goes to where lines 3-4 lead when repeated
 * on one contact, in a tenth of the sweeps. Convex, so it converges whenever it descends; sliding contacts leave the
 * ground, sigma_N = mu |sigma_T| (LL eq. 18). */
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

static void cpgs_contact(const slip_gs *w, const slip_local *k, const slip_real sigma[3], const slip_real old[3],
                         slip_real x[3])
{
    slip_real b[3];

    if (w->opt->step == SLIP_STEP_CONTACT) {
        slip_gs_without(k, sigma, old, b);
        if (slip_local_ccp(k, b, old, x)) {
            if (w->relax != 1) { slip_gs_relax(w, old, x);  slip_cone_project(k->mu, x, x); }
            return;
        }
    }
    slip_axpy3(-w->relax*cpgs_step(k, w->opt->step), sigma, old, x);         /* 3 */
    slip_cone_project(k->mu, x, x);                                          /* 4 */
}

slip_status slip_ccp_pgs(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    return slip_gs_solve(p, opt, sol, scratch, SLIP_MODEL_CCP, 0, cpgs_contact);
}

size_t slip_ccp_pgs_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)opt;
    return slip_gs_bytes(p);
}
