/* The central path by its arc length: the interior point's run for problems whose path folds back. See ipm.h,
 * ncp_path.c.
 *
 * Since friction is not a potential, W A + Z may turn singular along the path: there kappa has a least value, the path
 * goes on with growing kappa, and comes down again elsewhere. A method that reduces kappa in each step stalls at such a
 * fold. With theta, which falls from 1 to 0 and scales complementarity and slack error of the first point,
 *
 *     F(z, theta) = ( A x + b - y - theta^2 r_start,   (x o y) - theta kappa_start e ) = 0
 *
 * is a curve through the first point that, except in degenerate cases, has no end inside the cones: it leads to
 * theta = 0, a solution. (The slack error falls as theta^2, since the judge multiplies it by the impulses, which are
 * large in a jam: as theta alone it would be the last residual to meet the tolerance.) A step ends near the curve, not
 * on it: its products are p, not theta kappa_start e. From there the next step follows the curve on which all products
 * shrink alike, and bends towards the middle as it goes,
 *
 *     x o y = (1 + delta(l)) (p + tau l (theta kappa_start e - p)),   A x + b - y = (1 + delta(l))^2 theta^2 r_start
 *
 * (without the factor (1 + delta) on the correction, z(l) would have a pole at theta = 0 and each step could at best
 * halve theta). Since F is quadratic, one factorisation of F_z = dF/dz gives all derivatives of z = (x, y, psi). With
 * r = theta^2 r_start and delta = delta_1 l + delta_2 l^2 + ...
 *
 *     tangent     T = F_z^-1 (p, 2 r),                                            its delta is 1
 *     to the middle    C = F_z^-1 (theta kappa_start e - p, 0) + zeta T,          its delta is zeta
 *     order 1     z_1 = T + tau C,                                                delta_1 = 1 + tau zeta
 *     order k     z_k = F_z^-1 sum_(0<i<k) (-z_i o z_(k-i), delta_i delta_(k-i) r) + q_k T + tau delta_(k-1) C,
 *                                                                                 delta_k = q_k + tau delta_(k-1) zeta
 *     step        z <- z + l z_1 + l^2 z_2 + ...,   theta <- theta (1 + delta)
 *
 * zeta makes (C, zeta) normal to the tangent (T, 1), and q_k does so for the k-th derivative: l is then an arc length,
 * and all derivatives stay finite at a fold, where those by theta do not. |l| is the largest length that leaves all
 * products x o y near theta kappa_start e. The sign of l is minus the product of the signs of det F_z at the start and
 * now: it changes at a fold. tau is 1/l of the longest step that is tried, whose end would be in the middle.
 *
 * Each contact that comes to slip, stick or open is a pair of branch points near the real axis, which no power series
 * can pass. So the step is that of a Pade approximant with one denominator for all of z and delta, which keeps the
 * linear equations among them: with d_1 .. d_(N-1) that minimise |z_N + d_1 z_(N-1) + ... + d_(N-1) z_1| and
 * D_k = 1 + d_1 l + ... + d_k l^k, l^k becomes l^k D_(N-1-k)/D_(N-1) for k < N, and 0 for k = N. (As in the asymptotic
 * numerical method of Cochelin, Damil and Potier-Ferry.) */
#include "solvers/ipm.h"

#include <string.h>
#include "base/dense.h"
#include "contact/quad.h"

/* The first four, changed by ten, break bounds of tests/test_ipm_path.c on steps or on towers that arrive; PATH_WHOLE
 * and PATH_FINER have to be below 1, else the search for a length does not end. */
#define PATH_WIDTH SLIP_R(10.0)      /* near the path: products of 1/10 to 10 times theta kappa_start               */
#define PATH_GROW  SLIP_R(4.0)       /* a step is tried at so many times the length of the last one                 */
#define PATH_WHOLE SLIP_R(0.99)      /* the longest step: it takes two decades off theta, or doubles it             */
#define PATH_FINER SLIP_R(0.8)       /* from one length to the next shorter one in the search for the longest       */
#define PATH_SHORT slip_sqrt(SLIP_REAL_EPS)      /* the second derivative of a shorter step is lost in rounding     */
#define PATH_RIDGE (100*SLIP_REAL_EPS)           /* of squared lengths: rounding of their sums, if z_k are dependent */

enum { PATH_ORDER = SLIP_IPM_ORDER };

/* Coefficients: delta_k of 1 + delta, delta[0] = 1; and d_k of the denominator, from d[1] on. */
typedef struct { slip_real delta[PATH_ORDER + 1], d[PATH_ORDER]; } path_series;

static void path_copy(const slip_ipm *w, const slip_ipm_point *from, slip_ipm_point *to)
{
    memcpy(to->x, from->x, (size_t)w->p->n*sizeof(slip_real));
    memcpy(to->y, from->y, (size_t)w->p->n*sizeof(slip_real));
    memcpy(to->psi, from->psi, (size_t)w->p->nc*sizeof(slip_real));
}

/* f_k <- l^k D_(N-1-k)/D_(N-1); returns delta = delta_1 f_1 + delta_2 f_2 + ... */
static slip_real path_powers(const path_series *t, slip_real l, slip_real f[PATH_ORDER])
{
    slip_real D[PATH_ORDER], power = 1, delta = 0;
    int k;

    D[0] = f[0] = 1;
    for (k = 1; k < PATH_ORDER; ++k) {
        f[k] = power *= l;
        D[k] = D[k - 1] + t->d[k]*power;
    }
    for (k = 1; k < PATH_ORDER; ++k) {
        f[k] *= D[PATH_ORDER - 1 - k]/D[PATH_ORDER - 1];
        delta += t->delta[k]*f[k];
    }
    return slip_max(delta, -PATH_WHOLE);
}

/* out = z_0 + f_1 z_1 + f_2 z_2 + ..., numbers `from` to `to` */
static inline void path_combine(int from, int to, const slip_real *f, const slip_real *const z[PATH_ORDER],
                                slip_real *SLIP_RESTRICT out)
{
    int i, k;

    for (i = from; i < to; ++i) {
        slip_real sum = z[0][i];

        for (k = 1; k < PATH_ORDER; ++k) sum += f[k]*z[k][i];
        out[i] = sum;
    }
}

/* low, high <- least and largest eigenvalue of the products of contacts `from` to `to` in w->step, over kappa; low
 * is negative outside of a cone. The eigenvalues of a cone are h -+ sqrt(h^2 - det x det y), h = x.y, those of
 * Q_x^(1/2) y and of Q_y^(1/2) x. They are used instead of |x o y - kappa e| because that bound allows a sliding
 * contact, whose x and y are large and near the surface, hardly any change of direction. */
static inline void path_products(const slip_ipm *w, slip_real kappa, int from, int to, slip_real *SLIP_RESTRICT low,
                                 slip_real *SLIP_RESTRICT high)
{
    const slip_real *x = w->step.x, *y = w->step.y, *psi = w->step.psi, *mu = w->mu, inv_kappa = 1/kappa;
    const int nc = w->p->nc;
    int i;

    for (i = from; i < to; ++i) {
        const slip_real gamma = x[2*nc + i], mu_gamma = mu[i]*gamma, normal = inv_kappa*gamma*y[2*nc + i];
        const slip_real inner = mu_gamma*mu_gamma - x[i]*x[i] - x[nc + i]*x[nc + i];
        const slip_real outer = psi[i]*psi[i] - y[i]*y[i] - y[nc + i]*y[nc + i];
        const slip_real dot = mu_gamma*psi[i] + x[i]*y[i] + x[nc + i]*y[nc + i];
        const slip_real h = inv_kappa*dot, det = inv_kappa*inner*inv_kappa*outer;
        const slip_real most = h + slip_sqrt(slip_max(h*h - det, 0)), least = slip_min(normal, det/most);
        const slip_real inside = slip_min(inner, outer) > 0 ? least : -1;

        low[i] = slip_min(gamma, psi[i]) > 0 ? inside : -1;
        high[i] = slip_max(normal, most);
    }
}

/* The same of row k without a cone: a contact's normal or a limit. */
static slip_real path_product(const slip_ipm *w, slip_real kappa, int k)
{
    return w->step.x[k] > 0 ? w->step.x[k]*w->step.y[k]/kappa : -1;
}

/* The arrays of the point and of the curve's derivatives, by order, for path_combine(). */
typedef struct { const slip_real *x[PATH_ORDER], *y[PATH_ORDER], *psi[PATH_ORDER]; } path_curve;

static path_curve path_arrays(const slip_ipm *w)
{
    path_curve c;
    int k;

    for (k = 0; k < PATH_ORDER; ++k) {
        const slip_ipm_point *z = k == 0 ? &w->at : &w->curve[k];

        c.x[k] = z->x;
        c.y[k] = z->y;
        c.psi[k] = z->psi;
    }
    return c;
}

/* w->step <- the curve's point at powers f. Returns a contact, or nc plus the number of a limit, whose product is
 * not near kappa, one that is too small before one that is too large; -1 when all are near it. */
static int path_step(slip_ipm *w, const path_curve *c, const slip_real *f, slip_real kappa)
{
    const int nc = w->p->nc;
    slip_real least = 1/PATH_WIDTH, most = PATH_WIDTH;
    int i, low = -1, high = -1;

    path_combine(0, w->p->n, f, c->x, w->step.x);
    path_combine(0, w->p->n, f, c->y, w->step.y);
    path_combine(0, nc, f, c->psi, w->step.psi);
    path_products(w, kappa, 0, nc, w->low, w->high);
    for (i = 0; i < w->plains; ++i) {
        const int k = w->plain[i];

        w->low[k] = w->high[k] = path_product(w, kappa, 2*nc + k);
    }
    for (i = 0; i < nc; ++i) {
        if (!(w->low[i] >= least)) { least = w->low[i];  low = i; }
        if (w->high[i] > most) { most = w->high[i];  high = i; }
    }
    for (i = 0; i < w->p->nl && low < 0; ++i) {
        const slip_real product = path_product(w, kappa, 3*nc + i);

        if (!(product >= 1/PATH_WIDTH && product <= PATH_WIDTH)) low = nc + i;
    }
    return low >= 0 ? low : high;
}

/* Whether the product of contact k, or of limit k - nc, is near kappa at powers f. Its entries of w->step change. */
static int path_is_near(slip_ipm *w, const path_curve *c, const slip_real *f, slip_real kappa, int k)
{
    const int nc = w->p->nc, row = 2*nc + k;
    slip_real low, high;
    int i;

    for (i = k < nc ? k : row; i <= row; i += k < nc ? nc : 1) {       /* there may be limits and no contact */
        path_combine(i, i + 1, f, c->x, w->step.x);
        path_combine(i, i + 1, f, c->y, w->step.y);
    }
    low = high = path_product(w, kappa, row);
    if (k < nc && slip_ipm_has_cone(w, k)) {
        path_combine(k, k + 1, f, c->psi, w->step.psi);
        path_products(w, kappa, k, k + 1, w->low, w->high);
        low = w->low[k];
        high = w->high[k];
    }
    return low >= 1/PATH_WIDTH && high <= PATH_WIDTH;
}

/* w->step <- c with weights: each part of the point itself would have length one in path_dot(). */
static void path_weigh(slip_ipm *w, const slip_ipm_point *c)
{
    const slip_ipm_point *z = &w->at;
    const int n = w->p->n, nc = w->p->nc, limits = n - w->p->nb;
    slip_ipm_point *out = &w->step;
    int i;

    SLIP_APART for (i = 0; i < nc; ++i) {
        const slip_real push = 1/(z->x[2*nc + i]*z->x[2*nc + i]), slide = 1/(z->psi[i]*z->psi[i]);

        out->x[i] = push*c->x[i];
        out->x[nc + i] = push*c->x[nc + i];
        out->y[i] = slide*c->y[i];
        out->y[nc + i] = slide*c->y[nc + i];
        out->psi[i] = slide*c->psi[i];
    }
    for (i = 2*nc; i < limits; ++i) {
        out->x[i] = c->x[i]/(z->x[i]*z->x[i]);
        out->y[i] = c->y[i]/(z->y[i]*z->y[i]);
    }
    for (; i < n; ++i) out->x[i] = out->y[i] = 0;
    for (i = 0; i < w->plains; ++i) {
        const int k = w->plain[i];

        out->y[k] = out->y[nc + k] = out->psi[k] = 0;
    }
}

/* Inner product of a and the weighted vector that path_weigh() has left in w->step. */
static slip_real path_dot(const slip_ipm *w, const slip_ipm_point *a)
{
    const int n = w->p->n, nc = w->p->nc;

    return (slip_row_dot(n, a->x, w->step.x) + slip_row_dot(n, a->y, w->step.y) + slip_row_dot(nc, a->psi, w->step.psi))
         / (slip_real)(4*nc + w->p->nl + 1);
}

/* z += a c */
static void path_add(const slip_ipm *w, slip_real a, const slip_ipm_point *c, slip_ipm_point *z)
{
    int i;

    for (i = 0; i < w->p->n; ++i) { z->x[i] += a*c->x[i];  z->y[i] += a*c->y[i]; }
    for (i = 0; i < w->p->nc; ++i) z->psi[i] += a*c->psi[i];
}

/* T = F_z^-1 (p, 2 r) and C = F_z^-1 (kappa e - p, theta^2 r_start - r), r as the last steps have left it. */
static void path_first(slip_ipm *w, slip_real kappa, slip_real theta)
{
    const slip_real kappas[2] = { 0, kappa }, *const slacks[2] = { w->r, w->sigma };
    slip_ipm_point *const T = &w->tangent, *const both[2] = { T, &w->centre };
    int i;

    for (i = 0; i < w->p->n; ++i) {                      /* in parts */
        w->sigma[i] = w->r[i] - theta*theta*w->r_start[i];
        w->r[i] *= 2;
    }
    slip_ipm_two_directions(w, kappas, slacks, both);
    for (i = 0; i < w->p->n; ++i) { T->x[i] = -T->x[i];  T->y[i] = -T->y[i];  w->r[i] /= 2; }
    for (i = 0; i < w->p->nc; ++i) T->psi[i] = -T->psi[i];
}

/* sum_(0<i<k) delta_i delta_(k-i) */
static slip_real path_delta_products(const slip_real *delta, int k)
{
    slip_real sum = 0;
    int i;

    for (i = 1; i < k; ++i) sum += delta[i]*delta[k - i];
    return sum;
}

/* t->d from w->curve and t->delta, by the normal equations of the z_k scaled to length one; zeros where these are
 * singular, which leaves the power series. */
static void path_denominator(slip_ipm *w, path_series *t)
{
    enum { N = PATH_ORDER };
    slip_real M[N*N], b[N], size[N];
    int i, j, solved;

    for (i = 0; i < N; ++i) {                            /* row N - 1 - i stands for d of z_(i+1) */
        path_weigh(w, &w->curve[i + 1]);
        for (j = 0; j <= i; ++j)
            M[N*i + j] = path_dot(w, &w->curve[j + 1]) + t->delta[i + 1]*t->delta[j + 1];
        size[i] = 1/slip_sqrt(M[N*i + i]);
        for (j = 0; j <= i; ++j) M[N*i + j] *= size[i]*size[j];
    }
    for (i = 0; i < N - 1; ++i) {
        M[N*i + i] += PATH_RIDGE;
        b[i] = -M[N*(N - 1) + i];
    }
    solved = slip_chol_factor(N - 1, M, N, NULL) == SLIP_OK;
    if (solved) slip_chol_solve(N - 1, M, N, b);
    for (j = 0; j < N - 1; ++j) t->d[N - 1 - j] = solved ? b[j]*size[j]/size[N - 1] : 0;
}

/* w->curve and the series at the point, whose matrix is factored. The middle has products kappa e and the slack error
 * theta^2 r_start. */
static void path_directions(slip_ipm *w, slip_real kappa, slip_real theta, slip_real tau, path_series *t)
{
    slip_real *delta = t->delta;
    const slip_ipm_point *T = &w->tangent;
    slip_ipm_point *C = &w->centre;
    slip_real tangent2, zeta;                            /* tangent2: squared length of (T, 1) */
    int i, k;

    path_first(w, kappa, theta);
    path_weigh(w, T);
    tangent2 = 1 + path_dot(w, T);
    zeta = -path_dot(w, C)/tangent2;
    path_add(w, zeta, T, C);
    path_copy(w, T, &w->curve[1]);
    path_add(w, tau, C, &w->curve[1]);
    delta[0] = 1;
    delta[1] = 1 + tau*zeta;
    for (k = 2; k <= PATH_ORDER; ++k) {
        const slip_real products = path_delta_products(delta, k);
        slip_ipm_point *c = &w->curve[k];
        slip_real q;

        for (i = 0; i < w->p->n; ++i) w->sigma[i] = -products*w->r[i];
        slip_ipm_aim(w, 0);
        for (i = 1; i < k; ++i) slip_ipm_aim_less(w, &w->curve[i], &w->curve[k - i]);
        slip_ipm_direction(w, w->sigma, c);
        q = -path_dot(w, c)/tangent2;
        path_add(w, q, T, c);
        path_add(w, tau*delta[k - 1], C, c);
        delta[k] = q + tau*delta[k - 1]*zeta;
    }
    path_denominator(w, t);
}

typedef struct {
    slip_real kappa;             /* of the first point                                                       */
    slip_real theta, slack;      /* of w->at; its slack error over r_start, about theta^2                  */
    slip_real length;            /* of the last step                                                         */
    int first;                   /* sign of the first determinant                                            */
} path_state;

/* The next shorter length in the search. Near 1 it is 1 - length that grows by 1/PATH_FINER: theta goes with it. */
static slip_real path_shorter(slip_real length)
{
    return slip_max(PATH_FINER*length, 1 - (1 - length)/PATH_FINER);
}

/* The slack error over r_start after a step of powers f: (1 + delta)^2 slack + tau l (1 + delta)(theta^2 - slack), to
 * the order of z. */
static slip_real path_slack(const path_state *s, const slip_real *delta, slip_real tau, const slip_real *f)
{
    slip_real sum = s->slack;
    int k;

    for (k = 1; k < PATH_ORDER; ++k)
        sum += f[k]*(s->slack*(2*delta[k] + path_delta_products(delta, k))
                     + tau*delta[k - 1]*(s->theta*s->theta - s->slack));
    return sum;
}

/* A step along the path: w->at <- the farthest point that is near it. 0 when not even a short step leads to one. A
 * length that is too long is shortened until it suits the worst contact; only then are all contacts tried again. */
static int path_advance(slip_ipm *w, path_state *s)
{
    const slip_real sign = (slip_real)(-s->first*w->op->sign), kappa = s->theta*s->kappa;
    const path_curve c = path_arrays(w);
    slip_real f[PATH_ORDER], delta, length = slip_min(PATH_WHOLE, PATH_GROW*s->length);
    const slip_real tau = sign/length;
    slip_ipm_point there;
    path_series t;
    int worst;

    path_directions(w, kappa, s->theta, tau, &t);
    delta = path_powers(&t, sign*length, f);
    while ((worst = path_step(w, &c, f, (1 + delta)*kappa)) >= 0) {
        do {
            length = path_shorter(length);
            delta = path_powers(&t, sign*length, f);
        } while (length > PATH_SHORT && !path_is_near(w, &c, f, (1 + delta)*kappa, worst));
        if (!(length > PATH_SHORT)) return 0;
    }
    there = w->step;
    w->step = w->at;
    w->at = there;
    s->slack = path_slack(s, t.delta, tau, f);
    s->theta *= 1 + delta;
    s->length = length;
    return slip_all_finite(w->at.x, w->p->n);
}

/* The excess after a step. Where the point is not judged, r is the slack error by the path's formula. */
static slip_real path_judge(slip_ipm *w, const path_state *s)
{
    int i;

    for (i = 0; i < w->p->n; ++i) w->r[i] = s->slack*w->r_start[i];
    return slip_ipm_judge(w, s->theta*s->kappa);
}

/* Steps along the path until the tolerance is met, no step is found, or `steps` are taken. */
static slip_status path_walk(slip_ipm *w, path_state *s, int steps)
{
    int k;

    for (k = 0; k < steps && slip_budget_take(w->opt->budget); ++k) {
        slip_real excess;

        if (!slip_ipm_linearise(w)) return SLIP_STALLED;
        w->iterations++;
        if (k == 0) s->first = w->op->sign;
        if (!path_advance(w, s)) { slip_ipm_report(w);  return SLIP_STALLED; }
        excess = path_judge(w, s);
        slip_ipm_report(w);
        if (excess <= 1) return SLIP_OK;
        if (s->theta*s->kappa < SLIP_REAL_EPS) return SLIP_MAX_ITERS;      /* kappa is below rounding */
    }
    return SLIP_MAX_ITERS;
}

slip_status slip_ipm_follow(slip_ipm *w, int attempt, int steps)
{
    static const float distances[SLIP_IPM_TRIES] = { 1, 10, 0.1f, 100 };
    const slip_real inside = (slip_real)distances[attempt];
    path_state s = { 0, 1, 1, 1, 0 };
    slip_status status;

    s.kappa = inside*inside;
    slip_ipm_start(w, inside);
    w->careful = 1;
    slip_ipm_slack(w);
    memcpy(w->r_start, w->r, (size_t)w->p->n*sizeof(slip_real));
    w->judge_below = (slip_real)INFINITY;
    status = path_walk(w, &s, steps);
    if (status == SLIP_OK) return status;
    w->judge_below = (slip_real)INFINITY;                        /* the end may be better than the point judged last */
    return slip_ipm_judge(w, s.theta*s.kappa) <= 1 ? SLIP_OK : status;
}

/* Whether the path is begun without a quick run. Where both arrive it takes three quarters of the iterations, each of
 * which has SLIP_IPM_ORDER solves more. In float the path is lost more often than the quick run: without one, 5180 of
 * 6000 steps of a pile of 27 balls miss the tolerance (tests/test_rolling.c). */
static int path_comes_first(const slip_ipm *w)
{
    const double quick = w->op->flops + 2*w->op->solve_flops, path = quick + SLIP_IPM_ORDER*w->op->solve_flops;

    return sizeof(slip_real) > sizeof(float) && 3*path < 4*quick;
}

/* A quick run from the warm start or the middle of the cones, then the path from one first point after another. Each of
 * these has an equal share of the iterations that are left, since one that has lost its path may cycle. */
slip_status slip_ipm_solve_from(slip_ipm *w, const slip_real *warm, int limit)
{
    enum { QUICK = 25 };                                 /* iterations: most quick runs that arrive take 4 to 20 */
    slip_status status = SLIP_STALLED;
    int t;

    for (t = path_comes_first(w) ? 0 : -1; t < SLIP_IPM_TRIES && status > SLIP_OK && w->iterations < limit
         && !slip_budget_is_over(w->opt->budget); ++t) {
        const int left = limit - w->iterations, quick = left < QUICK ? left : QUICK;

        status = t < 0 ? slip_ipm_run(w, warm, SLIP_R(1e-2), quick)
                       : slip_ipm_follow(w, t, 1 + (left - 1)/(SLIP_IPM_TRIES - t));
    }
    if (status <= SLIP_OK) return status;
    return w->iterations >= limit ? SLIP_MAX_ITERS : SLIP_STALLED;
}
