/* The central path by its arc length: the interior point's run for problems whose path folds back. See ipm.h,
 * ncp_ipm.c.
 *
 * Since friction is not a potential, W A + Z may turn singular along the path: there kappa has a least value, the path
 * goes on with growing kappa, and comes down again elsewhere. A method that insists on a smaller kappa in each step is
 * stuck at such a fold for ever. With theta shrinking complementarity and slack error of the first point alike,
 *
 *     F(z, theta) = ( A x + b - y - theta rho_start,   (x o y) - theta kappa_start e ) = 0
 *
 * is a curve through the first point that, but for accidents, has no end inside the cones: it leads to theta = 0, a
 * solution. Since F is quadratic, one factorisation of F_z = dF/dz gives as many of its derivatives as one likes. With
 * z = (x, y, psi) and delta the relative change of theta,
 *
 *     corrector   z_0 = -F_z^-1 F(z, 0) + (1 + delta_0) z_1
 *     tangent     z_1 = -F_z^-1 dF/d(log theta),                              delta_1 = 1
 *     order k     z_k = -F_z^-1 sum_(0<i<k) (z_i o z_(k-i)) + delta_k z_1
 *     step        z <- z + z_0 + s z_1 + s^2 z_2 + ...,   theta <- theta (1 + delta_0 + s + delta_2 s^2 + ...)
 *
 * with delta_k such that (z_k, delta_k) is normal to the tangent (z_1, 1): s is an arc length, and all of it stays
 * finite at a fold, where derivatives by theta do not. |s| is as large as leaves all products x o y near theta
 * kappa_start e, and its sign is that of det F_z at the start times that of now, negated: both change at a fold. */
#include "solvers/ipm.h"

#include <string.h>
#include "contact/quad.h"

#define PATH_LEAST    SLIP_R(0.3)     /* of theta kappa_start: least eigenvalue of a product near the path; 0.1 saves
                                       * nothing and loses the way at folds                                          */
#define PATH_MOST     SLIP_R(3.0)     /* and the largest                                                             */
#define PATH_GROW     SLIP_R(4.0)     /* a step is tried at so many times the length of the last                     */
#define PATH_CUT      SLIP_R(0.3)     /* and, when its end proved too far, so much of it again                       */
#define PATH_DOWN     SLIP_R(0.999)   /* largest share of theta that a step takes away                               */
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

/* delta along the curve: turn[0] + s + turn[2] s^2 + ... */
static slip_real path_delta(const slip_real *turn, slip_real s)
{
    slip_real delta = 0;
    int k;

    for (k = SLIP_IPM_ORDER; k >= 0; --k) delta = delta*s + turn[k];
    return slip_max(delta, -PATH_DOWN);
}

/* out = a + f_1 z_1 + f_2 z_2 + ... */
static void path_combine(int n, const slip_real *f, const slip_real *const z[SLIP_IPM_ORDER + 2],
                         slip_real *SLIP_RESTRICT out)
{
    int i, k;

    for (i = 0; i < n; ++i) {
        slip_real sum = z[SLIP_IPM_ORDER + 1][i] + z[0][i];

        for (k = 1; k <= SLIP_IPM_ORDER; ++k) sum += f[k]*z[k][i];
        out[i] = sum;
    }
}

/* w->step <- the point at s along the curve; returns delta. */
static slip_real path_step(slip_ipm *w, const slip_real *turn, slip_real s)
{
    const slip_real *x[SLIP_IPM_ORDER + 2], *y[SLIP_IPM_ORDER + 2], *psi[SLIP_IPM_ORDER + 2];
    slip_real f[SLIP_IPM_ORDER + 1], power = s;
    int k;

    f[1] = 1 + turn[0] + s;
    for (k = 2; k <= SLIP_IPM_ORDER; ++k) f[k] = power *= s;
    for (k = 0; k <= SLIP_IPM_ORDER + 1; ++k) {
        const slip_ipm_point *z = k == 0 ? &w->affine : k <= SLIP_IPM_ORDER ? &w->curve[k] : &w->at;

        x[k] = z->x;
        y[k] = z->y;
        psi[k] = z->psi;
    }
    path_combine(w->p->n, f, x, w->step.x);
    path_combine(w->p->n, f, y, w->step.y);
    path_combine(w->p->nc, f, psi, w->step.psi);
    return path_delta(turn, s);
}

/* Least and largest eigenvalue of the products of all contacts, over kappa; outside of a cone the least one is
 * negative. Those of the cones are h -+ sqrt(h^2 - det x det y), h = x.y, the eigenvalues of y seen from x (Q_x^(1/2)
 * y) and of x seen from y: a contact that slides may turn by more than |x o y - kappa e| would allow, which says
 * little where x and y are large and near the surface. */
static void path_products(const slip_ipm *w, slip_real kappa, slip_real *SLIP_RESTRICT low,
                          slip_real *SLIP_RESTRICT high)
{
    const slip_real *x = w->step.x, *y = w->step.y, *psi = w->step.psi, *mu = w->mu, over = 1/kappa;
    const int nc = w->p->nc;
    int i;

    for (i = 0; i < nc; ++i) {
        const slip_real gamma = x[2*nc + i], reach = mu[i]*gamma, normal = over*gamma*y[2*nc + i];
        const slip_real inner = reach*reach - x[i]*x[i] - x[nc + i]*x[nc + i];
        const slip_real outer = psi[i]*psi[i] - y[i]*y[i] - y[nc + i]*y[nc + i], det = over*inner*over*outer;
        const slip_real h = over*(reach*psi[i] + x[i]*y[i] + x[nc + i]*y[nc + i]);
        const slip_real most = h + slip_sqrt(slip_max(h*h - det, 0)), least = slip_min(normal, det/most);

        low[i] = slip_min(slip_min(gamma, psi[i]), slip_min(inner, outer)) > 0 ? least : -1;
        high[i] = slip_max(normal, most);
    }
    for (i = 0; i < w->plains; ++i) {
        const int k = w->plain[i];

        low[k] = high[k] = x[2*nc + k] > 0 ? over*x[2*nc + k]*y[2*nc + k] : -1;
    }
}

/* Whether w->step is inside all cones, with products near kappa. */
static int path_is_central(const slip_ipm *w, slip_real kappa)
{
    const int nc = w->p->nc;
    slip_real least = PATH_LEAST, most = PATH_MOST;
    int i;

    path_products(w, kappa, w->low, w->high);
    for (i = 0; i < nc; ++i) {
        if (!(w->low[i] >= least)) return 0;
        most = slip_max(most, w->high[i]);
    }
    for (i = 3*nc; i < 3*nc + w->p->nl; ++i) {
        const slip_real x = w->step.x[i], product = x*w->step.y[i]/kappa;

        if (!(x > 0) || !(product >= least)) return 0;
        most = slip_max(most, product);
    }
    return most <= PATH_MOST;
}

/* w->step <- the tangent, weighed so that each part of the point has length one in path_dot(). */
static void path_weigh(slip_ipm *w)
{
    const slip_ipm_point *c = &w->curve[1], *z = &w->at;
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

/* w->affine, w->curve and turn at the point. 0 when the matrix is singular. */
static int path_directions(slip_ipm *w, slip_real kappa, slip_real theta, slip_real turn[SLIP_IPM_ORDER + 1])
{
    slip_ipm_point *c = &w->curve[1];
    slip_real cc;
    int i, k;

    if (!slip_ipm_linearise(w)) return 0;
    w->iterations++;
    slip_ipm_aim(w, 0);
    slip_ipm_aim_less(w, &w->at, &w->at);
    slip_ipm_direction(w, w->rho, &w->affine);
    slip_ipm_aim(w, theta*kappa);
    for (i = 0; i < w->p->n; ++i) w->sigma[i] = -theta*w->rho_start[i];      /* in parts */
    slip_ipm_direction(w, w->sigma, c);
    path_weigh(w);
    cc = path_dot(w, c);
    turn[0] = slip_clamp(-(path_dot(w, &w->affine) + cc)/(1 + cc), SLIP_R(-0.5), 1);
    turn[1] = 1;
    memset(w->sigma, 0, (size_t)w->p->n*sizeof(slip_real));
    for (k = 2; k <= SLIP_IPM_ORDER; ++k) {
        slip_ipm_aim(w, 0);
        for (i = 1; i < k; ++i) slip_ipm_aim_less(w, &w->curve[i], &w->curve[k - i]);
        slip_ipm_direction(w, w->sigma, &w->curve[k]);
        turn[k] = -path_dot(w, &w->curve[k])/(1 + cc);
        path_add(w, turn[k], c, &w->curve[k]);
    }
    return 1;
}

typedef struct {
    slip_real kappa, theta;      /* of the first point; of this one                                          */
    slip_real last, safe;        /* theta of w->last and w->safe                                             */
    slip_real reach;             /* how far the last step went beyond the corrector, in log theta            */
    slip_real most, limit;       /* longest reach allowed, now and at all: less after each return to the safe point */
    int first;                   /* sign of the first determinant                                            */
    int fails, since;            /* fails in a row; steps since the safe point                               */
} path_state;

/* A step along the path; 0 when none leads to a point near it. */
static int path_advance(slip_ipm *w, path_state *s, const slip_real *turn)
{
    const int way = -s->first*w->sign;
    const slip_real most = slip_min(way < 0 ? PATH_DOWN : PATH_UP, s->most);
    slip_real ahead = slip_min(most, PATH_GROW*s->reach), delta = 0;
    slip_ipm_point there;
    int t;

    for (t = 0; t < PATH_TRIALS; ++t, ahead *= ahead > most/2 ? SLIP_R(0.85) : SLIP_R(0.6)) {
        delta = path_step(w, turn, (slip_real)way*ahead);
        if (path_is_central(w, (1 + delta)*s->theta*s->kappa)) break;
    }
    if (t == PATH_TRIALS || !slip_all_finite(w->step.x, w->p->n)) return 0;
    if (++s->since > PATH_SAFE) {
        path_copy(w, &w->at, &w->safe);
        s->safe = s->theta;
        s->since = 0;
    }
    there = w->step;
    w->step = w->last;
    w->last = w->at;
    w->at = there;
    s->last = s->theta;
    s->theta *= 1 + delta;
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
        s->theta = s->last;
        s->reach *= PATH_CUT/PATH_GROW;
    } else {
        path_copy(w, &w->safe, &w->at);
        s->theta = s->safe;
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

    for (i = 0; i < w->p->n; ++i) w->rho[i] = s->theta*w->rho_start[i];
    return slip_ipm_judge(w, s->theta*s->kappa);
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
    slip_real turn[SLIP_IPM_ORDER + 1], best = w->best_excess, excess, last = (slip_real)INFINITY;
    int k, late = 0, polish = PATH_POLISH;

    for (k = 0; k + w->spent < steps; ++k) {
        if (!path_directions(w, s->kappa, s->theta, turn)) return SLIP_STALLED;
        if (k == 0) s->first = w->sign;
        if (s->theta <= PATH_END || (w->polish && k >= polish)) w->ask = (slip_real)INFINITY;
        excess = (slip_real)INFINITY;
        if (!path_advance(w, s, turn)) path_retreat(w, s);
        else excess = path_judge(w, s);
        if (excess <= 1 || (slip_is_finite(excess) && path_polish(w, k, &polish))) return SLIP_OK;
        if (excess <= near && excess > last/2) return SLIP_MAX_ITERS;
        if (slip_is_finite(excess)) last = excess;
        if (s->theta > PATH_END || w->best_excess < PATH_BETTER*best) late = 0;
        else if (w->sign == s->first) ++late;
        if (late == 0) best = w->best_excess;
        if (late > PATH_LATE) return SLIP_MAX_ITERS;
        if (s->most < PATH_SLOW || s->reach < PATH_SHORT || s->theta > PATH_FAR) return SLIP_STALLED;
    }
    return SLIP_MAX_ITERS;
}

slip_status slip_ipm_follow(slip_ipm *w, int attempt, int steps)
{
    static const float distances[SLIP_IPM_TRIES] = { 1, 10, 0.1f, 100, 3, 0.3f, 1000, 0.01f };
    const slip_real inside = (slip_real)distances[attempt];
    path_state s = { 0, 1, 1, 1, 1, PATH_UP, PATH_UP, 0, 0, 0 };
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
    return slip_ipm_judge(w, s.theta*s.kappa) <= 1 ? SLIP_OK : status;
}
