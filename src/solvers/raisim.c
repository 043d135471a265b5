/* RaiSim's model (HW, LL Alg. 4): the loop over contacts and the criterion. The sliding contact itself is in local.c.
 *
 *  1  while lambda not converged
 *  2      for each contact i                                b = sigma_i - A_i lambda_i: velocity without its impulse
 *  3-4        if b_N > 0 (opening)      x <- 0
 *  5-6        else if -A^-1 b in K_mu   x <- -A^-1 b        (sticking)
 *  8          else                      x <- argmin over K_mu and sigma_N = 0 of the contact's energy (sliding)
 *  4,6,9      lambda_i <- alpha x + (1 - alpha) lambda_i
 * 12      alpha <- alpha_min + gamma (alpha - alpha_min)
 *
 * LL Alg. 4 line 12 prints the weights the other way round, and decays alpha within the sweep; HW's order is meant.
 * Limits and bilateral rows are swept along; RaiSim's heuristic of the three cases has no proof of convergence. */
#include "solvers/raisim.h"
#include "solvers/gauss_seidel.h"

static void raisim_judge(const slip_gs *w, const slip_real *lambda, const slip_real *sigma, slip_residual *r)
{
    slip_raisim_residual(w->p, lambda, sigma, r);
}

slip_status slip_raisim_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                              slip_arena *scratch, slip_slide_method method)
{
    slip_gs w;
    slip_real alpha;
    int i;

    if (!slip_gs_begin(&w, p, opt, sol, scratch, SLIP_MODEL_RAISIM, 0, raisim_judge)) return w.status;
    alpha = w.opt->alpha;
    while (slip_gs_next(&w)) {                                               /* 1    */
        const slip_real blend = alpha*w.relax;

        for (i = 0; i < p->nc; ++i) {                                        /* 2    */
            const slip_local *k = &w.contact[i];
            const slip_real *old = w.lambda + 3*i;
            slip_real sigma[3], b[3], x[3];

            slip_gs_velocity(&w, i, sigma);
            slip_mat3_vec(k->A, old, b);
            slip_sub3(sigma, b, b);
            slip_local_raisim(k, b, method, 0, x);                           /* 3-8  */
            x[0] = old[0] + blend*(x[0] - old[0]);                           /* 4, 6, 9 */
            x[1] = old[1] + blend*(x[1] - old[1]);
            x[2] = old[2] + blend*(x[2] - old[2]);
            slip_gs_set(&w, i, x);
        }
        slip_gs_scalars(&w);
        alpha = w.opt->alpha_min + w.opt->alpha_decay*(alpha - w.opt->alpha_min);   /* 12 */
    }
    return slip_gs_end(&w);
}

/* ---- the criterion --------------------------------------------------------------------------------------- */

/* How far s is from K*_mu and from being orthogonal to lambda, as a velocity; `most` is the largest impulse of all. */
static slip_real raisim_misfit(slip_real mu, slip_real most, const slip_real lambda[3], const slip_real s[3])
{
    return slip_cone_distance_dual(mu, s) + (most > 0 ? slip_abs(slip_dot3(lambda, s))/most : 0);
}

/* s = sigma + y (w, A_NN) for the root y of  (A_NN/mu)^2 y^2 = |sigma_T + y w|^2  that fits lambda best. For mu |w| <
 * A_NN there is one root y >= 0; beyond, none or two, and where there is none the nearest y stands in. */
static void raisim_shifted(slip_real mu, slip_real most, const slip_real A[9], const slip_real lambda[3],
                           const slip_real sigma[3], slip_real s[3])
{
    const slip_real w0 = A[2], w1 = A[5], m2 = mu*mu;
    const slip_real a = A[8]*A[8] - m2*(w0*w0 + w1*w1);
    const slip_real b = m2*(sigma[0]*w0 + sigma[1]*w1), c = m2*(sigma[0]*sigma[0] + sigma[1]*sigma[1]);
    const slip_real root = slip_sqrt(slip_max(0, b*b + a*c));                /* a y^2 - 2 b y - c = 0 */
    const slip_real q = b >= 0 ? b + root : b - root;                        /* roots q/a and -c/q    */
    slip_real least = raisim_misfit(mu, most, lambda, sigma);
    int k;

    slip_copy3(sigma, s);                                                    /* y = 0 fits a sticking contact */
    for (k = 0; k < 2; ++k) {
        const slip_real y = k == 0 ? (a != 0 ? q/a : -1) : (q != 0 ? -c/q : 0);
        slip_real t[3], fit;

        if (!(y >= 0) || !slip_is_finite(y)) continue;
        slip_set3(sigma[0] + y*w0, sigma[1] + y*w1, sigma[2] + y*A[8], t);
        fit = raisim_misfit(mu, most, lambda, t);
        if (fit < least) { least = fit;  slip_copy3(t, s); }
    }
}

static void raisim_note(slip_residual *r, int i, slip_real p, slip_real d, slip_real c)
{
    const slip_real most = slip_max(p, slip_max(d, c));

    if (most > r->eps_abs || r->worst < 0) { r->eps_abs = most;  r->worst = i; }
    r->eps_primal = slip_max(r->eps_primal, p);
    r->eps_dual = slip_max(r->eps_dual, d);
    r->eps_comp = slip_max(r->eps_comp, c);
}

void slip_raisim_residual(const slip_problem *p, const slip_real *lambda, const slip_real *sigma, slip_residual *r)
{
    const int m = slip_block_count(p);
    int i;

    if (!slip_all_finite(lambda, p->n) || !slip_all_finite(sigma, p->n)) {
        slip_residual_at(p, SLIP_MODEL_NCP, 0, lambda, sigma, r);
        return;
    }
    r->lambda_max = slip_max_abs(p->n, lambda);
    r->sigma_max = slip_max_abs(p->n, sigma);
    r->g_max = slip_max_abs(p->n, p->g);
    r->eps_primal = r->eps_dual = r->eps_comp = r->eps_abs = 0;
    r->worst = -1;
    for (i = 0; i < p->nc; ++i) {
        const slip_real *l = lambda + 3*i;
        slip_real A[9], s[3];

        slip_problem_block(p, i, i, A);
        A[2] = (A[2] + A[6])/2;
        A[5] = (A[5] + A[7])/2;
        if (p->R) A[8] += p->R[3*i + 2];
        if (slip_is_finite(p->mu[i])) raisim_shifted(p->mu[i], r->lambda_max, A, l, sigma + 3*i, s);
        else slip_copy3(sigma + 3*i, s);
        raisim_note(r, i, slip_cone_distance(p->mu[i], l), slip_cone_distance_dual(p->mu[i], s),
                    slip_max(slip_abs(slip_dot3(l, s)), slip_abs(l[2]*sigma[3*i + 2])));
    }
    for (; i < m; ++i) {
        const int row = slip_block_row(p, i), both = slip_block_is_bilateral(p, i);
        const slip_real l = lambda[row], v = sigma[row];

        raisim_note(r, i, both ? 0 : slip_max(-l, 0), both ? slip_abs(v) : slip_max(-v, 0), slip_abs(l*v));
    }
}
