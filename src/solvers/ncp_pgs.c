/* ncp-pgs: projected Gauss-Seidel on the NCP with the horizontal projection (LL Alg. 5, HW eq. 16-18). Bullet's way.
 *
 *  1  for k = 1 ... M
 *  2      for i = 1 ... nc
 *  3          lambda_N <- lambda_N - (sigma_N)/G_NN                         sigma = ((G + R) lambda + g)_i
 *  4          lambda_N <- max(0, lambda_N)
 *  5          lambda_T <- lambda_T - (sigma_T)/min(G_t1, G_t2)                           SLIP_STEP_MIN, LL as printed
 *                or       lambda_T - (sigma_T)/max(G_t1, G_t2)                           SLIP_STEP_MAX, HW eq. 18
 *                or       argmin over |x| <= mu lambda_N of 1/2 x'G_TT x + b_T'x         SLIP_STEP_BLOCK
 *  6          lambda_T <- projection of lambda_T on the disc of radius mu lambda_N
 *  3-6    or  lambda_i <- the solution of contact i's own NCP, all others held            SLIP_STEP_CONTACT (default)
 *
 * LL's 1/min exceeds the 2/max within which a gradient step on G_TT contracts as soon as the tangents differ by more
 * than a factor of two; it is kept to be seen. The relaxation of LL eq. 22 (1: none) multiplies the steps. Its order
 * there weighs the old iterate; here, as in HW, omega weighs the step: lambda + omega (new - lambda).
 *
 * A fixed point solves the NCP for any of the steps. Where friction couples strongly back into the normal (mu |G_NT|
 * near or beyond G_NN, Painleve's case) lines 3-6 chase each other within the contact; solving it as a whole (local.c)
 * ends that, and on robots needs a third of the sweeps. Sweeps that circle among contacts are damped by the frame.
 * There is no proof of convergence, and internal forces are whatever the sweeps leave (LL Tab. II). */
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

/* Lines 5-6; v = sigma_T after line 4. */
static void npgs_tangent(const slip_gs *w, const slip_local *k, const slip_real v[2], const slip_real old[2],
                         slip_real x[3])
{
    const slip_step_rule rule = w->opt->step;
    const slip_real r = slip_is_finite(k->mu) ? k->mu*x[2] : k->mu;         /* infinite: for an open contact too */
    slip_real t, y[2], b[2];

    if (rule == SLIP_STEP_BLOCK) {
        b[0] = v[0] - k->A[0]*old[0] - k->A[1]*old[1];
        b[1] = v[1] - k->A[1]*old[0] - k->A[4]*old[1];
        slip_local_disc(k, b, r, y);
        x[0] = old[0] + w->relax*(y[0] - old[0]);
        x[1] = old[1] + w->relax*(y[1] - old[1]);
    } else {
        t = rule == SLIP_STEP_MAX ? slip_max(k->A[0], k->A[4]) : slip_min(k->A[0], k->A[4]);
        t = t > 0 ? w->relax/t : 0;
        x[0] = old[0] - t*v[0];
        x[1] = old[1] - t*v[1];
    }
    slip_cone_project_horizontal(k->mu, x, x);
}

/* Lines 3-6 in one: the contact's own NCP, exactly. */
static void npgs_whole(const slip_gs *w, const slip_local *k, const slip_real sigma[3], const slip_real old[3],
                       slip_real x[3])
{
    slip_real b[3];

    slip_gs_without(k, sigma, old, b);
    slip_local_ncp(k, b, old, x);
    if (w->relax == 1) return;
    slip_gs_relax(w, old, x);
    slip_cone_project_horizontal(k->mu, x, x);
}

static void npgs_contact(const slip_gs *w, const slip_local *k, const slip_real sigma[3], const slip_real old[3],
                         slip_real x[3])
{
    slip_real v[2], dn;

    if (w->opt->step == SLIP_STEP_CONTACT) { npgs_whole(w, k, sigma, old, x);  return; }
    x[2] = slip_max(0, old[2] - w->relax*k->inv_nn*sigma[2]);                /* 3-4 */
    dn = x[2] - old[2];
    v[0] = sigma[0] + k->A[2]*dn;
    v[1] = sigma[1] + k->A[5]*dn;
    npgs_tangent(w, k, v, old, x);                                           /* 5-6 */
}

slip_status slip_ncp_pgs(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    return slip_gs_solve(p, opt, sol, scratch, SLIP_MODEL_NCP, 0, npgs_contact);
}

size_t slip_ncp_pgs_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)opt;
    return slip_gs_bytes(p);
}
