/* lcp-pgs: projected Gauss-Seidel on the LCP of the four-facet pyramid (LL Alg. 1). The way of ODE, PhysX and DART.
 *
 *     for k = 1 ... M
 *         for i = 1 ... nc
 *  3          lambda_N <- lambda_N - (sigma_N)/G_NN                         sigma = ((G + R) lambda + g)_i
 *  4          lambda_N <- max(0, lambda_N)
 *  5          lambda_T <- argmin over |x|_inf <= mu lambda_N of 1/2 x'G_TT x + b_T'x     SLIP_STEP_BLOCK
 *                or       lambda_T - (sigma_T)/max(G_t1, G_t2)                           SLIP_STEP_MAX
 *                or       lambda_T - (sigma_T)/min(G_t1, G_t2)                           SLIP_STEP_MIN, LL as printed
 *  6          lambda_T <- clamp(lambda_T, mu lambda_N)
 *
 * The model: Signorini for the normal, and each tangential axis for itself at +-mu lambda_N or at rest. Friction is
 * up to sqrt(2) too strong along the diagonals and drawn to the corners (LL Fig. 6). More facets: lcp-lemke. */
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

static void lpgs_contact(const slip_local *k, slip_step_rule rule, slip_real relax, const slip_real sigma[3],
                         const slip_real old[3], slip_real x[3])
{
    slip_real v[2], b[2], y[2], dn, r, t;

    x[2] = slip_max(0, old[2] - relax*k->inv_nn*sigma[2]);                   /* 3-4 */
    dn = x[2] - old[2];
    v[0] = sigma[0] + k->A[2]*dn;
    v[1] = sigma[1] + k->A[5]*dn;
    r = x[2] > 0 || slip_is_finite(k->mu) ? k->mu*x[2] : k->mu;
    if (rule == SLIP_STEP_BLOCK || rule == SLIP_STEP_CONTACT) {                                           /* 5   */
        b[0] = v[0] - k->A[0]*old[0] - k->A[1]*old[1];
        b[1] = v[1] - k->A[1]*old[0] - k->A[4]*old[1];
        slip_local_box(k, b, r, y);
        x[0] = old[0] + relax*(y[0] - old[0]);
        x[1] = old[1] + relax*(y[1] - old[1]);
    } else {
        t = rule == SLIP_STEP_MAX ? slip_max(k->A[0], k->A[4]) : slip_min(k->A[0], k->A[4]);
        t = t > 0 ? relax/t : 0;
        x[0] = old[0] - t*v[0];
        x[1] = old[1] - t*v[1];
    }
    x[0] = slip_clamp(x[0], -r, r);                                          /* 6   */
    x[1] = slip_clamp(x[1], -r, r);
}

slip_status slip_lcp_pgs(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    slip_gs w;
    int i;

    if (opt && opt->facets > 4) return SLIP_ERR_UNSUPPORTED;                 /* clamping is for four  */
    if (!slip_gs_begin(&w, p, opt, sol, scratch, SLIP_MODEL_LCP, 4, NULL)) return w.status;
    while (slip_gs_next(&w)) {                                               /* 1   */
        for (i = 0; i < p->nc; ++i) {                                        /* 2   */
            slip_real sigma[3], x[3];

            slip_gs_velocity(&w, i, sigma);
            lpgs_contact(&w.contact[i], w.opt->step, w.relax, sigma, w.lambda + 3*i, x);
            slip_gs_set(&w, i, x);
        }
        slip_gs_scalars(&w);
    }
    return slip_gs_end(&w);
}

size_t slip_lcp_pgs_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)opt;
    return slip_gs_bytes(p);
}
