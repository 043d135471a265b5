/* The central path by its arc length: the interior point's run for problems whose path folds back. See ipm.h,
 * ncp_ipm.c.
 *
 * Since friction is not a potential, W A + Z may turn singular along the path: there kappa has a least value, the path
 * goes on with growing kappa, and comes down again elsewhere. A method that insists on a smaller kappa in each step is
 * stuck at such a fold for ever. With theta shrinking complementarity and slack error of the first point,
 *
 *     F(z, theta) = ( A x + b - y - theta^2 rho_start,   (x o y) - theta kappa_start e ) = 0
 *
 * is a curve through the first point that, but for accidents, has no end inside the cones: it leads to theta = 0, a
 * solution. (The slack error shrinks faster since the judge multiplies it by the impulses, which are large in a jam:
 * as theta alone it would be what the end waits for, there where steps become short.) The steps' ends are near the
 * curve, not on it: their products are p, not theta kappa_start e. From there a step follows the curve on which all
 * products shrink alike, and bends towards the middle as it goes,
 *
 *     x o y = (1 + delta(s)) (p + tau s (theta kappa_start e - p)),   A x + b - y = (1 + delta(s))^2 theta^2 rho_start
 *
 * (a correction that did not shrink along with theta would be a pole of z(s) at theta = 0: steps would halve theta at
 * best). Since F is quadratic, one factorisation of F_z = dF/dz gives as many derivatives of z = (x, y, psi) as one
 * likes. With rho = theta^2 rho_start and delta = delta_1 s + delta_2 s^2 + ...
 *
 *     tangent     T = F_z^-1 (p, 2 rho),                                 its delta is 1
 *     to the middle    C = F_z^-1 (theta kappa_start e - p, 0) + eta T,           eta
 *     order 1     z_1 = T + tau C,                                                delta_1 = 1 + tau eta
 *     order k     z_k = F_z^-1 sum_(0<i<k) (-z_i o z_(k-i), delta_i delta_(k-i) rho) + q_k T + tau delta_(k-1) C,
 *                                                                                 delta_k = q_k + tau delta_(k-1) eta
 *     step        z <- z + s z_1 + s^2 z_2 + ...,   theta <- theta (1 + delta)
 *
 * with eta and q_k such that what they belong to is normal to the tangent (T, 1): s is an arc length, and all of it
 * stays finite at a fold, where derivatives by theta do not. |s| is as large as leaves all products x o y near theta
 * kappa_start e, and its sign is that of det F_z at the start times that of now, negated: both change at a fold. */
#include "solvers/ipm.h"

#include <string.h>
#include "contact/quad.h"

#define PATH_LEAST    SLIP_R(0.1)     /* of theta kappa_start: least eigenvalue of a product near the path; 0.02 and 50
                                       * save nothing, and one tower in a hundred then gets lost                     */
#define PATH_MOST     SLIP_R(10.0)    /* and the largest                                                             */
#define PATH_FLAT     SLIP_R(3e-4)    /* of their size: contacts so near to their surface need not be inside of it;
                                       * below PATH_STRICT less, as the judge does not allow it                      */
#define PATH_STRICT   SLIP_TOL(1e-6, 1e-2)    /* theta                                                       */
#define PATH_GROW     SLIP_R(4.0)     /* a step is tried at so many times the length of the last                     */
#define PATH_CUT      SLIP_R(0.3)     /* and, when its end proved too far, so much of it again                       */
#define PATH_MIDDLE   SLIP_R(1.75)    /* times the length of the last step: there it would be in the middle          */
#define PATH_LESS     SLIP_R(1.7)     /* a long step that fails is tried again with so many times as much left       */
#define PATH_DOWN     SLIP_R(0.99)    /* largest share of theta that a step takes away                               */
#define PATH_UP       SLIP_R(2.0)     /* largest share that is added, behind a fold                                  */
#define PATH_TRIALS   16              /* lengths that are tried                                                      */
#define PATH_SAFE     8               /* steps from one safe point to the next                                       */
#define PATH_EASE     SLIP_R(1.3)     /* growth of the longest step after a return to it                             */
#define PATH_SLOW     SLIP_R(1e-3)    /* shorter longest steps lead nowhere                                          */
#define PATH_SHORT    SLIP_R(1e-8)    /* steps so short lead nowhere                                                 */
#define PATH_END      SLIP_TOL(1e-10, 1e-4)   /* theta below which rounding may be all that is left          */
#define PATH_LATE     10              /* steps there that do not help end the run                                    */
#define PATH_BETTER   SLIP_R(0.98)    /* of the least excess so far: a step that helps                                */
#define PATH_POLISH   32              /* steps after which the caller is asked, and after twice as many again        */
#define PATH_FAR      SLIP_R(1e4)     /* theta: far above the first point the path does not come back                */

static void path_copy(const slip_ipm *w, const slip_ipm_point *from, slip_ipm_point *to)
{
    memcpy(to->x, from->x, (size_t)w->p->n*sizeof(slip_real));
    memcpy(to->y, from->y, (size_t)w->p->n*sizeof(slip_real));
    memcpy(to->psi, from->psi, (size_t)w->p->nc*sizeof(slip_real));
}

/* f <- 1, s, s^2, ...; returns delta = turn_1 s + turn_2 s^2 + ... */
static slip_real path_powers(const slip_real *turn, slip_real s, slip_real f[SLIP_IPM_ORDER + 1])
{
    slip_real delta = 0;
    int k;

    f[0] = 1;
    for (k = 1; k <= SLIP_IPM_ORDER; ++k) {
        f[k] = f[k - 1]*s;
        delta += turn[k]*f[k];
    }
    return slip_max(delta, -PATH_DOWN);
}

/* out = z_0 + f_1 z_1 + f_2 z_2 + ..., numbers `from` to `to` */
static inline void path_combine(int from, int to, const slip_real *f, const slip_real *const z[SLIP_IPM_ORDER + 1],
                                slip_real *SLIP_RESTRICT out)
{
    int i, k;

    for (i = from; i < to; ++i) {
        slip_real sum = z[0][i];

        for (k = 1; k <= SLIP_IPM_ORDER; ++k) sum += f[k]*z[k][i];
        out[i] = sum;
    }
}

/* What points of the path are near: products kappa e, and how near to their surfaces contacts may be outside. */
typedef struct { slip_real kappa, flat; } path_tube;

/* Least and largest eigenvalue of the products of contacts `from` to `to` in w->step, over kappa; the least one is
 * negative outside of a cone. Those of the cones are h -+ sqrt(h^2 - det x det y), h = x.y, the eigenvalues of y seen
 * from x (Q_x^(1/2) y) and of x seen from y: a contact that slides may turn by more than |x o y - kappa e| would allow,
 * which says little where x and y are large and near the surface.
 *
 * Where both are so near that kappa is next to nothing between them, a hair's breadth decides about inside and outside:
 * no step of some length could meet it, and none has to. The matrix hardly knows the difference, and the next step
 * corrects it. Only the normal's product counts then. */
static inline void path_products(const slip_ipm *w, path_tube tube, int from, int to, slip_real *SLIP_RESTRICT low,
                                 slip_real *SLIP_RESTRICT high)
{
    const slip_real *x = w->step.x, *y = w->step.y, *psi = w->step.psi, *mu = w->mu, over = 1/tube.kappa;
    const slip_real thin = tube.flat;
    const int nc = w->p->nc;
    int i;

    for (i = from; i < to; ++i) {
        const slip_real gamma = x[2*nc + i], reach = mu[i]*gamma, normal = over*gamma*y[2*nc + i];
        const slip_real inner = reach*reach - x[i]*x[i] - x[nc + i]*x[nc + i];
        const slip_real outer = psi[i]*psi[i] - y[i]*y[i] - y[nc + i]*y[nc + i];
        const slip_real dot = reach*psi[i] + x[i]*y[i] + x[nc + i]*y[nc + i], h = over*dot, det = over*inner*over*outer;
        const slip_real most = h + slip_sqrt(slip_max(h*h - det, 0)), least = slip_min(normal, det/most);
        const slip_real inside = slip_min(inner, outer) > 0 ? least : -1;
        const int flat = slip_abs(inner) < thin*reach*reach && slip_abs(outer) < thin*psi[i]*psi[i]
                      && slip_abs(dot) < thin*reach*psi[i];

        low[i] = slip_min(gamma, psi[i]) > 0 ? flat ? normal : inside : -1;
        high[i] = flat ? normal : slip_max(normal, most);
    }
}

/* The same of row k without a cone: a contact's normal or a limit. */
static slip_real path_product(const slip_ipm *w, slip_real kappa, int k)
{
    return w->step.x[k] > 0 ? w->step.x[k]*w->step.y[k]/kappa : -1;
}

/* The point and the derivatives of the curve, number by number. */
typedef struct { const slip_real *x[SLIP_IPM_ORDER + 1], *y[SLIP_IPM_ORDER + 1], *psi[SLIP_IPM_ORDER + 1]; } path_curve;

static path_curve path_numbers(const slip_ipm *w)
{
    path_curve c;
    int k;

    for (k = 0; k <= SLIP_IPM_ORDER; ++k) {
        const slip_ipm_point *z = k == 0 ? &w->at : &w->curve[k];

        c.x[k] = z->x;
        c.y[k] = z->y;
        c.psi[k] = z->psi;
    }
    return c;
}

/* w->step <- the curve's point of powers f. Returns a contact, or nc plus a limit's number, whose product is not near
 * kappa; -1 when all are. */
static int path_step(slip_ipm *w, const path_curve *c, const slip_real *f, path_tube tube)
{
    const int nc = w->p->nc;
    slip_real least = PATH_LEAST, most = PATH_MOST;
    int i, low = -1, high = -1;

    path_combine(0, w->p->n, f, c->x, w->step.x);
    path_combine(0, w->p->n, f, c->y, w->step.y);
    path_combine(0, nc, f, c->psi, w->step.psi);
    path_products(w, tube, 0, nc, w->low, w->high);
    for (i = 0; i < w->plains; ++i) {
        const int k = w->plain[i];

        w->low[k] = w->high[k] = path_product(w, tube.kappa, 2*nc + k);
    }
    for (i = 0; i < nc; ++i) {
        if (!(w->low[i] >= least)) { least = w->low[i];  low = i; }
        if (w->high[i] > most) { most = w->high[i];  high = i; }
    }
    for (i = 0; i < w->p->nl && low < 0; ++i) {
        const slip_real product = path_product(w, tube.kappa, 3*nc + i);

        if (!(product >= PATH_LEAST && product <= PATH_MOST)) low = nc + i;
    }
    return low >= 0 ? low : high;
}

/* Whether contact k, or limit k - nc, is near there. Its numbers in w->step change. */
static int path_is_near(slip_ipm *w, const path_curve *c, const slip_real *f, path_tube tube, int k)
{
    const int nc = w->p->nc, row = 2*nc + k;
    slip_real low, high;
    int i;

    for (i = k < nc ? k : row; i <= row; i += k < nc ? nc : 1) {       /* there may be limits and no contact */
        path_combine(i, i + 1, f, c->x, w->step.x);
        path_combine(i, i + 1, f, c->y, w->step.y);
    }
    low = high = path_product(w, tube.kappa, row);
    if (k < nc && slip_ipm_has_cone(w, k)) {
        path_combine(k, k + 1, f, c->psi, w->step.psi);
        path_products(w, tube, k, k + 1, w->low, w->high);
        low = w->low[k];
        high = w->high[k];
    }
    return low >= PATH_LEAST && high <= PATH_MOST;
}

/* w->step <- the tangent, weighed so that each part of the point has length one in path_dot(). */
static void path_weigh(slip_ipm *w)
{
    const slip_ipm_point *c = &w->tangent, *z = &w->at;
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

/* Inner product of a and the tangent that is weighed in w->step. */
static slip_real path_dot(const slip_ipm *w, const slip_ipm_point *a)
{
    const int n = w->p->n, nc = w->p->nc;

    return (slip_row_dot(n, a->x, w->step.x) + slip_row_dot(n, a->y, w->step.y) + slip_row_dot(nc, a->psi, w->step.psi))
         / (slip_real)(4*nc + w->p->nl + 1);
}

/* z += s c */
static void path_add(const slip_ipm *w, slip_real s, const slip_ipm_point *c, slip_ipm_point *z)
{
    int i;

    for (i = 0; i < w->p->n; ++i) { z->x[i] += s*c->x[i];  z->y[i] += s*c->y[i]; }
    for (i = 0; i < w->p->nc; ++i) z->psi[i] += s*c->psi[i];
}

/* T = F_z^-1 (p, 2 rho) and C = F_z^-1 (kappa e - p, slack rho_start - rho), rho as rounding has left it. */
static void path_first(slip_ipm *w, slip_real kappa, slip_real slack)
{
    const slip_real kappas[2] = { 0, kappa }, *const slacks[2] = { w->rho, w->sigma };
    slip_ipm_point *const T = &w->tangent, *const both[2] = { T, &w->centre };
    int i;

    for (i = 0; i < w->p->n; ++i) {                      /* in parts */
        w->sigma[i] = w->rho[i] - slack*w->rho_start[i];
        w->rho[i] *= 2;
    }
    slip_ipm_two_directions(w, kappas, slacks, both);
    for (i = 0; i < w->p->n; ++i) { T->x[i] = -T->x[i];  T->y[i] = -T->y[i];  w->rho[i] /= 2; }
    for (i = 0; i < w->p->nc; ++i) T->psi[i] = -T->psi[i];
}

/* sum_(0<i<k) delta_i delta_(k-i) */
static slip_real path_turns(const slip_real *turn, int k)
{
    slip_real sum = 0;
    int i;

    for (i = 1; i < k; ++i) sum += turn[i]*turn[k - i];
    return sum;
}

/* w->curve and turn at the point, with the matrix of there; the middle has products kappa e, and slack rho_start. */
static void path_directions(slip_ipm *w, slip_real kappa, slip_real slack, slip_real tau,
                            slip_real turn[SLIP_IPM_ORDER + 1])
{
    const slip_ipm_point *T = &w->tangent;
    slip_ipm_point *C = &w->centre;
    slip_real long2, eta;
    int i, k;

    path_first(w, kappa, slack);
    path_weigh(w);
    long2 = 1 + path_dot(w, T);
    eta = slip_clamp(-path_dot(w, C)/long2, SLIP_R(-0.5), 1);
    path_add(w, eta, T, C);
    path_copy(w, T, &w->curve[1]);
    path_add(w, tau, C, &w->curve[1]);
    turn[1] = 1 + tau*eta;
    for (k = 2; k <= SLIP_IPM_ORDER; ++k) {
        const slip_real turns = path_turns(turn, k);
        slip_ipm_point *c = &w->curve[k];
        slip_real q;

        for (i = 0; i < w->p->n; ++i) w->sigma[i] = -turns*w->rho[i];
        slip_ipm_aim(w, 0);
        for (i = 1; i < k; ++i) slip_ipm_aim_less(w, &w->curve[i], &w->curve[k - i]);
        slip_ipm_direction(w, w->sigma, c);
        q = -path_dot(w, c)/long2;
        path_add(w, q, T, c);
        path_add(w, tau*turn[k - 1], C, c);
        turn[k] = q + tau*turn[k - 1]*eta;
    }
}

/* Where on its way a point is: theta, and its slack error over rho_start, about theta^2. */
typedef struct { slip_real theta, slack; } path_mark;

typedef struct {
    slip_real kappa;             /* of the first point                                                       */
    path_mark at, last, safe;    /* of w->at, w->last and w->safe                                            */
    slip_real reach;             /* how far the last step went                                               */
    slip_real most, limit;       /* longest reach allowed, now and at all: less after each return to the safe point */
    int first;                   /* sign of the first determinant                                            */
    int fails, since;            /* fails in a row; steps since the safe point                               */
} path_state;

/* 1 where theta is to grow, -1 where it is to fall. */
static int path_way(const slip_ipm *w, const path_state *s) { return -s->first*w->sign; }

/* The longest step. */
static slip_real path_most(const slip_ipm *w, const path_state *s)
{
    return slip_min(path_way(w, s) < 0 ? PATH_DOWN : PATH_UP, s->most);
}

/* A shorter step than `ahead`: of a long one the end, where theta becomes small, is what counts. */
static slip_real path_less(slip_real ahead, slip_real most)
{
    const slip_real less = ahead*(ahead > most/2 ? SLIP_R(0.85) : SLIP_R(0.6));

    return most < 1 ? slip_max(less, 1 - PATH_LESS*(1 - ahead)) : less;
}

/* What is left of the slack error after a step of powers f: (1 + delta)^2 to the order of z. */
static slip_real path_slack(const slip_real *turn, const slip_real *f)
{
    slip_real sum = 1;
    int k;

    for (k = 1; k <= SLIP_IPM_ORDER; ++k) sum += f[k]*(2*turn[k] + path_turns(turn, k));
    return sum;
}

/* w->step <- a point near the path, as far ahead as there is one; *ahead <- how far that is, *there what it is then. 0
 * when there is none. A contact that one length is too long for is asked about shorter ones before all are. */
static int path_reach(slip_ipm *w, const path_state *s, slip_real *ahead, path_mark *there)
{
    const slip_real way = (slip_real)path_way(w, s), most = path_most(w, s), kappa = s->at.theta*s->kappa;
    const slip_real tau = way/slip_min(most, PATH_MIDDLE*s->reach);
    const path_curve c = path_numbers(w);
    slip_real turn[SLIP_IPM_ORDER + 1], f[SLIP_IPM_ORDER + 1], delta;
    path_tube tube;
    int t = 0, worst;

    path_directions(w, kappa, s->at.slack, tau, turn);
    tube.flat = PATH_FLAT*slip_sqrt(slip_min(1, s->at.theta/PATH_STRICT));
    *ahead = slip_min(most, PATH_GROW*s->reach);
    delta = path_powers(turn, way**ahead, f);
    tube.kappa = (1 + delta)*kappa;
    while ((worst = path_step(w, &c, f, tube)) >= 0 && t < PATH_TRIALS)
        do {
            *ahead = path_less(*ahead, most);
            delta = path_powers(turn, way**ahead, f);
            tube.kappa = (1 + delta)*kappa;
        } while (++t < PATH_TRIALS && !path_is_near(w, &c, f, tube, worst));
    there->theta = (1 + delta)*s->at.theta;
    there->slack = path_slack(turn, f)*s->at.slack;
    return worst < 0 && slip_all_finite(w->step.x, w->p->n);
}

/* A step along the path; 0 when none leads to a point near it. */
static int path_advance(slip_ipm *w, path_state *s)
{
    slip_real ahead;
    slip_ipm_point there;
    path_mark mark;

    if (!path_reach(w, s, &ahead, &mark)) return 0;
    if (++s->since > PATH_SAFE) {
        path_copy(w, &w->at, &w->safe);
        s->safe = s->at;
        s->since = 0;
    }
    there = w->step;
    w->step = w->last;
    w->last = w->at;
    w->at = there;
    s->last = s->at;
    s->at = mark;
    s->reach = ahead;
    s->most = slip_min(s->limit, PATH_EASE*s->most);
    s->fails = 0;
    return 1;
}

/* The last step was too long for its end to be corrected: once more with a shorter one. When that does not help either,
 * some step before has left the path, over a fold perhaps: back to the safe point, and slowly. */
static void path_retreat(slip_ipm *w, path_state *s)
{
    if (++s->fails == 1) {
        path_copy(w, &w->last, &w->at);
        s->at = s->last;
        s->reach *= PATH_CUT/PATH_GROW;
    } else {
        path_copy(w, &w->safe, &w->at);
        s->at = s->safe;
        s->limit = slip_min(s->limit, 1)/2;              /* or it would go astray at the same place again */
        s->most = PATH_CUT*slip_min(s->most, s->limit);
        s->reach = s->most;
        s->since = 0;
        s->fails = 0;
    }
    slip_ipm_slack(w);
}

/* After a step: what the judge says. Until it is asked, rho is what the path says. */
static slip_real path_judge(slip_ipm *w, const path_state *s)
{
    int i;

    for (i = 0; i < w->p->n; ++i) w->rho[i] = s->at.slack*w->rho_start[i];
    return slip_ipm_judge(w, s->at.theta*s->kappa);
}

/* Whether somebody else ends a run that has become long, from the point that was judged last. */
static int path_polish(slip_ipm *w, int k, int *next)
{
    if (!w->polish || k < *next) return 0;
    *next *= 2;
    return w->polish(w->polish_context, w->lambda);
}

/* To the end, to a stop, or for `steps` steps. */
static slip_status path_walk(slip_ipm *w, path_state *s, int steps)
{
    const slip_real near = slip_solver_near(w->opt);
    slip_real best = w->best_excess, excess, last = (slip_real)INFINITY;
    int k, late = 0, polish = PATH_POLISH;

    for (k = 0; k + w->spent < steps; ++k) {
        if (!slip_ipm_linearise(w)) return SLIP_STALLED;
        w->iterations++;
        if (k == 0) s->first = w->sign;
        if (s->at.theta <= PATH_END || (w->polish && k >= polish)) w->ask = (slip_real)INFINITY;
        excess = (slip_real)INFINITY;
        if (!path_advance(w, s)) path_retreat(w, s);
        else excess = path_judge(w, s);
        if (excess <= 1 || (slip_is_finite(excess) && path_polish(w, k, &polish))) return SLIP_OK;
        if (excess <= near && excess > last/2) return SLIP_MAX_ITERS;
        if (slip_is_finite(excess)) last = excess;
        if (s->at.theta > PATH_END || w->best_excess < PATH_BETTER*best) late = 0;
        else if (w->sign == s->first) ++late;
        if (late == 0) best = w->best_excess;
        if (late > PATH_LATE) return SLIP_MAX_ITERS;
        if (s->most < PATH_SLOW || s->reach < PATH_SHORT || s->at.theta > PATH_FAR) return SLIP_STALLED;
    }
    return SLIP_MAX_ITERS;
}

slip_status slip_ipm_follow(slip_ipm *w, int attempt, int steps)
{
    static const float distances[SLIP_IPM_TRIES] = { 1, 10, 0.1f, 100, 3, 0.3f, 1000, 0.01f };
    const slip_real inside = (slip_real)distances[attempt];
    path_state s = { 0, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1, PATH_UP, PATH_UP, 0, 0, 0 };
    slip_status status;

    s.kappa = inside*inside;
    slip_ipm_start(w, inside);
    slip_ipm_slack(w);
    memcpy(w->rho_start, w->rho, (size_t)w->p->n*sizeof(slip_real));
    path_copy(w, &w->at, &w->last);
    path_copy(w, &w->at, &w->safe);
    w->ask = (slip_real)INFINITY;
    w->spent = 0;
    status = path_walk(w, &s, steps);
    if (status == SLIP_OK) return status;
    w->ask = (slip_real)INFINITY;                        /* where it ends may be better than what was judged last */
    return slip_ipm_judge(w, s.at.theta*s.kappa) <= 1 ? SLIP_OK : status;
}
