/* id-prox: inverse dynamics by the proximal fixed point (CR Alg. 2).
 *
 *     for k = 1 … n_iter                                                     line 1
 *         s      <- Gamma(R lambda + c)             NCP; 0 for the CCP            2
 *         lambda <- P_K^D(-D^-1 (c + s - rho lambda)),   D = R + rho I            3
 *
 * P_K^D is the projection under the metric D, in closed form (cone.h). R being diagonal, the loop runs contact by
 * contact. Where R > 0 the proximal term is not needed and would only slow the loop down, so such blocks start at
 * their answer, which the loop then confirms:
 *     NCP  lambda_n = max(0, -c_n)/R_n,  lambda_T = -c_T/R_T or on the rim of the disc mu lambda_n
 *     CCP  lambda   = P_K^R(-R^-1 c)
 * Lines 4 and 5, the torque, are src/sim/inverse.c. */
#include "solvers/id_prox.h"

#include <string.h>

slip_problem slip_inverse_problem(int nc, int nl, int nb, const slip_real *mu, const slip_real *c, const slip_real *R)
{
    return slip_problem_dense_rows(nc, nl, nb, mu, c, R, NULL, 3*nc + nl + nb);
}

slip_id_prox_options slip_id_prox_defaults(void)
{
    slip_id_prox_options o;

    o.model = SLIP_MODEL_NCP;
    o.rho = SLIP_TOL(1e-8, 1e-3);
    o.tol = SLIP_TOL(1e-6, 1e-4);
    o.max_iterations = 100;
    return o;
}

static int prox_is_valid(const slip_problem *p, const slip_id_prox_options *o, const slip_real *guess)
{
    int i;

    if (p->nc < 0 || p->nl < 0 || p->nb < 0 || p->n != 3*p->nc + p->nl + p->nb) return 0;
    if (!(o->rho > 0) || !(o->tol > 0) || (o->model != SLIP_MODEL_NCP && o->model != SLIP_MODEL_CCP)) return 0;
    if (!slip_all_finite(p->g, p->n) || (guess && !slip_all_finite(guess, p->n))) return 0;
    for (i = 0; i < p->nc; ++i) if (!(p->mu[i] >= 0)) return 0;
    for (i = 0; p->R && i < p->n; ++i) if (!(p->R[i] >= 0) || !slip_is_finite(p->R[i])) return 0;
    return 1;
}

/* ---- one contact --------------------------------------------------------------------------------------- */

/* s = c + R x, and with De Saxce's correction for the NCP. */
static void prox_dual(slip_contact_model model, slip_real mu, const slip_real R[3], const slip_real c[3],
                      const slip_real x[3], slip_real s[3])
{
    int k;

    for (k = 0; k < 3; ++k) s[k] = c[k] + R[k]*x[k];
    if (model == SLIP_MODEL_NCP) slip_desaxce(mu, s, s);
}

/* Largest of eps_p, eps_d, eps_c (residual.h) of one contact. */
static slip_real prox_error(slip_contact_model model, slip_real mu, const slip_real R[3], const slip_real c[3],
                            const slip_real x[3])
{
    slip_real s[3];

    prox_dual(model, mu, R, c, x, s);
    return slip_max(slip_cone_distance(mu, x), slip_max(slip_cone_distance_dual(mu, s), slip_abs(slip_dot3(x, s))));
}

/* x_T = argmin of 1/2 x_T'R_T x_T + c_T'x_T over the disc of radius r: -c_T/(R_T + nu) with the multiplier nu >= 0 that
 * brings it onto the rim, if it is outside without. Newton on 1/|x_T| - 1/r, which is nearly linear in nu and concave,
 * so that iterates increase and never overshoot. A tangent without compliance and velocity does not change. */
static void prox_disc(slip_real r, const slip_real R[3], const slip_real c[3], slip_real x[3])
{
    enum { STEPS = 50 };                                 /* five do; the bound is for loops that end in rounding */
    const slip_real t = slip_norm2(c);
    slip_real nu = slip_max(0, t/r - slip_max(R[0], R[1]));
    int k;

    if (R[0] == 0 && R[1] == 0 && t == 0) {
        const slip_real norm = slip_norm2(x);

        if (norm > r) { x[0] *= r/norm;  x[1] *= r/norm; }
        return;
    }
    for (k = 0; k < STEPS; ++k) {
        const slip_real e0 = c[0] == 0 ? 0 : 1/(R[0] + nu), e1 = c[1] == 0 ? 0 : 1/(R[1] + nu);
        slip_real norm, next;

        x[0] = -c[0]*e0;
        x[1] = -c[1]*e1;
        norm = slip_norm2(x);
        if (norm <= r) return;
        next = nu + (norm/r - 1)*norm*norm/(x[0]*x[0]*e0 + x[1]*x[1]*e1);
        if (!(next > nu)) return;
        nu = next;
    }
}

/* The solution itself where R > 0 makes it unique; x (a guess) projected on the cone otherwise. */
static void prox_start(slip_contact_model model, slip_real mu, const slip_real R[3], const slip_real c[3],
                       slip_real x[3])
{
    slip_cone_project(mu, x, x);
    if (!(R[2] > 0)) return;
    if (model == SLIP_MODEL_CCP) {
        const slip_real free[3] = { -c[0]/R[0], -c[1]/R[1], -c[2]/R[2] };

        if (R[0] > 0 && R[1] > 0) slip_cone_project_metric(mu, R, free, x);
        return;
    }
    x[2] = slip_max(0, -c[2])/R[2];
    if (mu*x[2] > 0) prox_disc(mu*x[2], R, c, x);
    else x[0] = x[1] = 0;
}

/* Lines 2 and 3. */
static void prox_step(slip_contact_model model, slip_real rho, slip_real mu, const slip_real R[3], const slip_real c[3],
                      const slip_real x[3], slip_real y[3])
{
    const slip_real sigma[2] = { c[0] + R[0]*x[0], c[1] + R[1]*x[1] };
    const slip_real s = model == SLIP_MODEL_NCP && mu < SLIP_MU_INFINITE ? mu*slip_norm2(sigma) : 0;
    const slip_real D[3] = { R[0] + rho, R[1] + rho, R[2] + rho };
    slip_real target[3];
    int k;

    for (k = 0; k < 3; ++k) target[k] = -(c[k] + (k == 2 ? s : 0) - rho*x[k])/D[k];
    slip_cone_project_metric(mu, D, target, y);
}

/* Whether steps a and b are the same to a few roots of a rounding: the proximal iteration of a problem without solution
 * moves by a constant in each step, one with a solution slows down. */
static int prox_is_diverging(const slip_real a[3], const slip_real b[3])
{
    return slip_norm3(b) > 0 && slip_distance3(a, b) <= SLIP_TOL(1e-7, 1e-3)*slip_norm3(b);
}

/* Returns the iterations; *status: SLIP_OK, SLIP_MAX_ITERS or SLIP_DIVERGED, x then being the start again. */
static int prox_contact(const slip_id_prox_options *o, slip_real mu, const slip_real R[3], const slip_real c[3],
                        slip_real x[3], slip_status *status)
{
    slip_real start[3], y[3], step[3] = { 0, 0, 0 }, last[3];
    int k;

    prox_start(o->model, mu, R, c, x);
    slip_copy3(x, start);
    for (k = 1; k <= o->max_iterations; ++k) {                 /* 1 */
        prox_step(o->model, o->rho, mu, R, c, x, y);           /* 2, 3 */
        slip_copy3(step, last);
        slip_sub3(y, x, step);
        slip_copy3(y, x);
        if (prox_error(o->model, mu, R, c, x) <= o->tol) { *status = SLIP_OK;  return k; }
        if (k > 2 && prox_is_diverging(last, step)) {
            slip_copy3(start, x);
            *status = SLIP_DIVERGED;
            return k;
        }
    }
    *status = SLIP_MAX_ITERS;
    return o->max_iterations;
}

/* ---- one row ------------------------------------------------------------------------------------------- */

/* A limit (lambda >= 0) or a bilateral row (free). Without compliance and with c = 0 any impulse is a solution: the
 * guess is kept. */
static void prox_row(const slip_id_prox_options *o, int is_limit, slip_real R, slip_real c, slip_real *x,
                     slip_status *status)
{
    *status = SLIP_OK;
    if (is_limit) *x = slip_max(*x, 0);
    if (R > 0) *x = is_limit ? slip_max(0, -c)/R : -c/R;
    else if (is_limit && c > o->tol) *x = 0;
    else if (c < -o->tol || (!is_limit && c > o->tol)) *status = SLIP_DIVERGED;
    else if (is_limit && slip_abs(*x*c) > o->tol) *x = 0;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

/* lambda in place. Counts blocks that diverged; returns the worst status. */
static slip_status prox_sweep(const slip_problem *p, const slip_id_prox_options *o, slip_real *lambda,
                              slip_id_result *r)
{
    static const slip_real rigid[3] = { 0, 0, 0 };
    slip_status worst = SLIP_OK;
    int i;

    for (i = 0; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i);
        const slip_real *R = p->R ? p->R + row : rigid;
        slip_status s;
        int k = 1;

        if (i < p->nc) k = prox_contact(o, p->mu[i], R, p->g + row, lambda + row, &s);
        else prox_row(o, slip_block_is_limit(p, i), R[0], p->g[row], lambda + row, &s);
        if (k > r->iterations) r->iterations = k;
        if (s == SLIP_DIVERGED) {
            r->diverged += 1;
            r->worst = i;
        }
        if (s > worst) worst = s;
    }
    return worst;
}

slip_status slip_id_prox(const slip_problem *p, const slip_id_prox_options *opt, int warm, slip_real *lambda,
                         slip_real *sigma, slip_id_result *result)
{
    const slip_id_prox_options defaults = slip_id_prox_defaults(), *o = opt ? opt : &defaults;
    slip_id_result r;
    int i;

    memset(&r, 0, sizeof r);
    r.worst = -1;
    if (!prox_is_valid(p, o, warm ? lambda : NULL)) return SLIP_ERR_ARGUMENT;
    if (!warm) memset(lambda, 0, (size_t)p->n*sizeof *lambda);
    r.status = prox_sweep(p, o, lambda, &r);
    if (sigma) {
        for (i = 0; i < p->n; ++i) sigma[i] = p->g[i] + (p->R ? p->R[i]*lambda[i] : 0);
        slip_residual_at(p, o->model, 0, lambda, sigma, &r.residual);
        if (r.diverged == 0) r.worst = r.residual.worst;
    }
    if (result) *result = r;
    return r.status;
}
