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

/* ---- the criterion --------------------------------------------------------------------------------------- */

/* One way to see a contact: s, and its distance from K*_mu and from being orthogonal to lambda. */
typedef struct { slip_real s[3], dual, power; } raisim_view;

static void raisim_look(slip_real mu, const slip_real lambda[3], const slip_real sigma[3], slip_real y,
                        const slip_real A[3], raisim_view *v)
{
    slip_axpy3(y, A, sigma, v->s);
    v->dual = slip_cone_distance_dual(mu, v->s);
    v->power = slip_abs(slip_dot3(lambda, v->s));
}

/* s = sigma + y (w, A_NN) for the root y of  (A_NN/mu)^2 y^2 = |sigma_T + y w|^2  that fits lambda best. For mu |w| <
 * A_NN there is one root y >= 0; beyond, none or two, and where there is none the nearest y stands in. `most` is the
 * largest impulse of all, to add a power to a velocity. */
static void raisim_shifted(slip_real mu, slip_real most, const slip_real A[3], const slip_real lambda[3],
                           const slip_real sigma[3], raisim_view *best)
{
    const slip_real w0 = A[0], w1 = A[1], m2 = mu*mu, scale = most > 0 ? 1/most : 0;
    const slip_real a = A[2]*A[2] - m2*(w0*w0 + w1*w1);
    const slip_real b = m2*(sigma[0]*w0 + sigma[1]*w1), c = m2*(sigma[0]*sigma[0] + sigma[1]*sigma[1]);
    const slip_real root = slip_sqrt(slip_max(0, b*b + a*c));                /* a y^2 - 2 b y - c = 0 */
    const slip_real q = b >= 0 ? b + root : b - root;                        /* roots q/a and -c/q    */
    int k;

    raisim_look(mu, lambda, sigma, 0, A, best);                              /* y = 0 fits a sticking contact */
    for (k = 0; k < 2; ++k) {
        const slip_real y = k == 0 ? (a != 0 ? q/a : -1) : (q != 0 ? -c/q : 0);
        raisim_view other;

        if (!(y > 0) || !slip_is_finite(y)) continue;
        raisim_look(mu, lambda, sigma, y, A, &other);
        if (other.dual + scale*other.power < best->dual + scale*best->power) *best = other;
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

/* w = A_Tn and A_nn of contact i, with R: from what the sweep keeps, or (k is NULL) from the problem. */
static void raisim_column(const slip_problem *p, int i, const slip_local *k, slip_real w[3])
{
    slip_real A[9];

    if (k) { slip_set3(k->A[2], k->A[5], k->A[8] - k->eps, w);  return; }
    slip_problem_block(p, i, i, A);
    slip_set3((A[2] + A[6])/2, (A[5] + A[7])/2, A[8] + (p->R ? p->R[3*i + 2] : 0), w);
}

static void raisim_note_contact(const slip_problem *p, int i, const slip_local *k, const slip_real *l,
                                const slip_real *sigma, slip_residual *r)
{
    raisim_view view;
    slip_real w[3];

    if (!slip_is_finite(p->mu[i])) {
        raisim_look(p->mu[i], l, sigma, 0, sigma, &view);
    } else {
        raisim_column(p, i, k, w);
        raisim_shifted(p->mu[i], r->lambda_max, w, l, sigma, &view);
    }
    raisim_note(r, i, slip_cone_distance(p->mu[i], l), view.dual, slip_max(view.power, slip_abs(l[2]*sigma[2])));
}

static void raisim_residual(const slip_problem *p, const slip_local *contact, const slip_real *lambda,
                            const slip_real *sigma, slip_residual *r)
{
    const int m = slip_block_count(p);
    int i;

    r->lambda_max = slip_max_abs(p->n, lambda);
    r->sigma_max = slip_max_abs(p->n, sigma);
    if (!slip_is_finite(r->lambda_max) || !slip_is_finite(r->sigma_max)) {
        slip_residual_at(p, SLIP_MODEL_NCP, 0, lambda, sigma, r);
        return;
    }
    r->g_max = slip_max_abs(p->n, p->g);
    r->eps_primal = r->eps_dual = r->eps_comp = r->eps_abs = 0;
    r->worst = -1;
    for (i = 0; i < p->nc; ++i) raisim_note_contact(p, i, contact ? contact + i : NULL, lambda + 3*i, sigma + 3*i, r);
    for (; i < m; ++i) {
        const int row = slip_block_row(p, i), both = slip_block_is_bilateral(p, i);
        const slip_real l = lambda[row], v = sigma[row];

        raisim_note(r, i, both ? 0 : slip_max(-l, 0), both ? slip_abs(v) : slip_max(-v, 0), slip_abs(l*v));
    }
}

void slip_raisim_residual(const slip_problem *p, const slip_real *lambda, const slip_real *sigma, slip_residual *r)
{
    raisim_residual(p, NULL, lambda, sigma, r);
}

/* ---- the loop -------------------------------------------------------------------------------------------- */

static void raisim_judge(const slip_gs *w, const slip_real *lambda, const slip_real *sigma, slip_residual *r)
{
    raisim_residual(w->p, w->contact, lambda, sigma, r);
}

static void raisim_contact(const slip_gs *w, const slip_local *k, const slip_real sigma[3], const slip_real old[3],
                           slip_real x[3])
{
    const slip_real blend = w->alpha*w->relax;
    slip_real b[3];

    slip_gs_without(k, sigma, old, b);
    slip_local_raisim(k, b, old, (slip_slide_method)w->method, SLIP_R(0.1)*w->opt->tol, x);      /* 3-8  */
    if (blend == 1) return;
    x[0] = old[0] + blend*(x[0] - old[0]);                                   /* 4, 6, 9 */
    x[1] = old[1] + blend*(x[1] - old[1]);
    x[2] = old[2] + blend*(x[2] - old[2]);
}

slip_status slip_raisim_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                              slip_arena *scratch, slip_slide_method method)
{
    slip_gs w;

    if (!slip_gs_begin(&w, p, opt, sol, scratch, SLIP_MODEL_RAISIM, 0, raisim_judge)) return w.status;
    w.alpha = w.opt->alpha;
    w.method = (int)method;
    while (slip_gs_next(&w)) {                                               /* 1    */
        slip_gs_sweep(&w, raisim_contact);                                   /* 2    */
        w.alpha = w.opt->alpha_min + w.opt->alpha_decay*(w.alpha - w.opt->alpha_min);   /* 12 */
    }
    return slip_gs_end(&w);
}
