/* lcp-pgs: projected Gauss-Seidel on the LCP of the four-facet pyramid (LL Alg. 1). The way of ODE, PhysX and DART.
 *
 *  1  for k = 1 ... M
 *  2      for i = 1 ... nc
 *  3          lambda_N <- lambda_N - (sigma_N)/G_NN                         sigma = ((G + R) lambda + g)_i
 *  4          lambda_N <- max(0, lambda_N)
 *  5          lambda_T <- argmin over |x|_inf <= mu lambda_N of 1/2 x'G_TT x + b_T'x     SLIP_STEP_BLOCK
 *                or       lambda_T - (sigma_T)/max(G_t1, G_t2)                           SLIP_STEP_MAX
 *                or       lambda_T - (sigma_T)/min(G_t1, G_t2)                           SLIP_STEP_MIN, LL as printed
 *  6          lambda_T <- clamp(lambda_T, mu lambda_N)
 *  3-6    or  lambda_i <- the solution of contact i's own LCP, all others held            SLIP_STEP_CONTACT (default)
 *
 * The model: Signorini for the normal, and each tangential axis for itself at +-mu lambda_N or at rest. Friction is
 * up to sqrt(2) too strong along the diagonals and drawn to the corners (LL Fig. 6). More facets: lcp-lemke. The
 * whole contact takes a quarter of the sweeps on robots, as lines 3-6 chase each other within a contact whose normal
 * and tangents are coupled. */
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

static void lpgs_tangent(const slip_gs *w, const slip_local *k, const slip_real v[2], const slip_real old[3],
                         slip_real x[3])
{
    const slip_step_rule rule = w->opt->step;
    slip_real b[2], y[2], t;
    const slip_real r = x[2] > 0 || slip_is_finite(k->mu) ? k->mu*x[2] : k->mu;

    if (rule == SLIP_STEP_BLOCK || rule == SLIP_STEP_CONTACT) {                            /* 5   */
        b[0] = v[0] - k->A[0]*old[0] - k->A[1]*old[1];
        b[1] = v[1] - k->A[1]*old[0] - k->A[4]*old[1];
        slip_local_box(k, b, r, y);
        x[0] = old[0] + w->relax*(y[0] - old[0]);
        x[1] = old[1] + w->relax*(y[1] - old[1]);
    } else {
        t = rule == SLIP_STEP_MAX ? slip_max(k->A[0], k->A[4]) : slip_min(k->A[0], k->A[4]);
        t = t > 0 ? w->relax/t : 0;
        x[0] = old[0] - t*v[0];
        x[1] = old[1] - t*v[1];
    }
    x[0] = slip_clamp(x[0], -r, r);                                                        /* 6   */
    x[1] = slip_clamp(x[1], -r, r);
}

static void lpgs_contact(const slip_gs *w, const slip_local *k, const slip_real sigma[3], const slip_real old[3],
                         slip_real x[3])
{
    slip_real b[3], dn;

    if (w->opt->step == SLIP_STEP_CONTACT && w->relax == 1) {
        slip_gs_without(k, sigma, old, b);
        if (slip_local_lcp(k, b, old, x)) return;
    }
    x[2] = slip_max(0, old[2] - w->relax*k->inv_nn*sigma[2]);                              /* 3-4 */
    dn = x[2] - old[2];
    b[0] = sigma[0] + k->A[2]*dn;
    b[1] = sigma[1] + k->A[5]*dn;
    lpgs_tangent(w, k, b, old, x);
}

slip_status slip_lcp_pgs(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    if (opt && opt->facets > 4)                              /* clamping is for four */
        return sol->status = SLIP_ERR_UNSUPPORTED;
    return slip_gs_solve(p, opt, sol, scratch, SLIP_MODEL_LCP, 4, lpgs_contact);
}

size_t slip_lcp_pgs_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)opt;
    return slip_gs_bytes(p);
}
