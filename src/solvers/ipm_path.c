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

#define PATH_LEAST    SLIP_R(0.3)     /* of theta kappa_start: least eigenvalue of a product near the path           */
#define PATH_OFF      SLIP_R(0.5)     /* of it: how far a product may be off                                         */
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

/* out += s z */
static void path_add(const slip_ipm *w, slip_real s, const slip_ipm_point *z, slip_ipm_point *out)
{
    int i;

    for (i = 0; i < w->p->n; ++i) { out->x[i] += s*z->x[i];  out->y[i] += s*z->y[i]; }
    for (i = 0; i < w->p->nc; ++i) out->psi[i] += s*z->psi[i];
}

/* out = a + f_1 z_1 + f_2 z_2 + ... */
static void path_combine(int n, const slip_real *f, const slip_real *const z[SLIP_IPM_ORDER + 1],
                         slip_real *SLIP_RESTRICT out)
{
    int i, k;

    for (i = 0; i < n; ++i) {
        slip_real sum = z[0][i];

        for (k = 1; k <= SLIP_IPM_ORDER; ++k) sum += f[k]*z[k][i];
        out[i] = sum;
    }
}

/* w->step at s along the curve; returns delta. */
static slip_real path_step(slip_ipm *w, const slip_real *turn, slip_real s)
{
    const slip_real *x[SLIP_IPM_ORDER + 1], *y[SLIP_IPM_ORDER + 1], *psi[SLIP_IPM_ORDER + 1];
    slip_real f[SLIP_IPM_ORDER + 1], power = s;
    int k;

    f[0] = 1;
    f[1] = 1 + turn[0] + s;
    for (k = 2; k <= SLIP_IPM_ORDER; ++k) f[k] = power *= s;
    for (k = 0; k <= SLIP_IPM_ORDER; ++k) {
        const slip_ipm_point *z = k ? &w->curve[k] : &w->affine;

        x[k] = z->x;
        y[k] = z->y;
        psi[k] = z->psi;
    }
    path_combine(w->p->n, f, x, w->step.x);
    path_combine(w->p->n, f, y, w->step.y);
    path_combine(w->p->nc, f, psi, w->step.psi);
    return path_delta(turn, s);
}

/* Whether a product (x o y) = kappa (1 + head, tail) and the cones' eigenvalues are those of a point near the path. */
static int path_is_near(slip_real least, slip_real off) { return least >= PATH_LEAST && off <= PATH_OFF; }

/* Whether the point plus w->step is inside all cones, with products near kappa. */
static int path_is_central(const slip_ipm *w, slip_real kappa)
{
    const slip_problem *p = w->p;
    const slip_ipm_point *z = &w->at, *d = &w->step;
    const slip_real over = 1/kappa;
    int i, k;

    for (i = 0; i < p->nc; ++i) {
        slip_real x[3], y[3], x0, psi, inner, outer, product, head, t0, t1;

        for (k = 0; k < 3; ++k) {
            x[k] = z->x[3*i + k] + d->x[3*i + k];
            y[k] = z->y[3*i + k] + d->y[3*i + k];
        }
        product = over*x[2]*y[2];
        if (!(x[2] > 0) || !path_is_near(product, product - 1)) return 0;
        if (!slip_ipm_has_cone(w, i)) continue;
        x0 = p->mu[i]*x[2];
        psi = z->psi[i] + d->psi[i];
        inner = x0*x0 - x[0]*x[0] - x[1]*x[1];
        outer = psi*psi - y[0]*y[0] - y[1]*y[1];
        if (!(psi > 0) || !(inner > 0) || !(outer > 0)) return 0;
        head = over*(x0*psi + x[0]*y[0] + x[1]*y[1]) - 1;
        t0 = over*(x0*y[0] + psi*x[0]);
        t1 = over*(x0*y[1] + psi*x[1]);
        if (!path_is_near(over*slip_sqrt(inner*outer), slip_sqrt(head*head + t0*t0 + t1*t1))) return 0;
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) {
        const slip_real x = z->x[i] + d->x[i], product = over*x*(z->y[i] + d->y[i]);

        if (!(x > 0) || !path_is_near(product, product - 1)) return 0;
    }
    return 1;
}

/* Inner product in which each part of the point has length one. */
static slip_real path_dot(const slip_ipm *w, const slip_ipm_point *a, const slip_ipm_point *b)
{
    const slip_problem *p = w->p;
    slip_real sum = 0;
    int i;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *u = a->x + 3*i, *v = b->x + 3*i, *s = a->y + 3*i, *t = b->y + 3*i;
        const slip_real x = w->at.x[3*i + 2], y = w->at.y[3*i + 2], psi = w->at.psi[i];

        sum += slip_dot3(u, v)/(x*x) + s[2]*t[2]/(y*y) + (s[0]*t[0] + s[1]*t[1] + a->psi[i]*b->psi[i])/(psi*psi);
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) {
        const slip_real x = w->at.x[i], y = w->at.y[i];

        sum += a->x[i]*b->x[i]/(x*x) + a->y[i]*b->y[i]/(y*y);
    }
    return sum/(slip_real)(4*p->nc + p->nl + 1);
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
    for (i = 0; i < w->p->n; ++i) w->sigma[i] = -theta*w->rho_start[i];
    slip_ipm_direction(w, w->sigma, c);
    cc = path_dot(w, c, c);
    turn[0] = slip_clamp(-(path_dot(w, &w->affine, c) + cc)/(1 + cc), SLIP_R(-0.5), 1);
    turn[1] = 1;
    memset(w->sigma, 0, (size_t)w->p->n*sizeof(slip_real));
    for (k = 2; k <= SLIP_IPM_ORDER; ++k) {
        slip_ipm_aim(w, 0);
        for (i = 1; i < k; ++i) slip_ipm_aim_less(w, &w->curve[i], &w->curve[k - i]);
        slip_ipm_direction(w, w->sigma, &w->curve[k]);
        turn[k] = -path_dot(w, &w->curve[k], c)/(1 + cc);
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
    int t;

    for (t = 0; t < PATH_TRIALS; ++t, ahead *= ahead > most/2 ? SLIP_R(0.85) : SLIP_R(0.6)) {
        delta = path_step(w, turn, (slip_real)way*ahead);
        if (path_is_central(w, (1 + delta)*s->theta*s->kappa)) break;
    }
    if (t == PATH_TRIALS || !slip_all_finite(w->step.x, w->p->n)) return 0;
    path_copy(w, &w->at, &w->last);
    s->last = s->theta;
    if (++s->since > PATH_SAFE) {
        path_copy(w, &w->at, &w->safe);
        s->safe = s->theta;
        s->since = 0;
    }
    slip_ipm_advance(w, 1);
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

slip_status slip_ipm_follow(slip_ipm *w, int attempt, int steps)
{
    static const float distances[SLIP_IPM_TRIES] = { 1, 10, 0.1f, 100, 3, 0.3f, 1000, 0.01f };
    const slip_real inside = (slip_real)distances[attempt];
    path_state s = { 0, 1, 1, 1, 1, PATH_UP, PATH_UP, 0, 0, 0 };
    const slip_real near = slip_solver_near(w->opt);
    slip_real turn[SLIP_IPM_ORDER + 1], best = w->best_excess, excess = best, before;
    int k, late = 0, polish = PATH_POLISH;

    s.kappa = inside*inside;
    slip_ipm_start(w, inside);
    slip_ipm_slack(w);
    memcpy(w->rho_start, w->rho, (size_t)w->p->n*sizeof(slip_real));
    path_copy(w, &w->at, &w->last);
    path_copy(w, &w->at, &w->safe);
    for (k = 0; k < steps; ++k) {
        if (!path_directions(w, s.kappa, s.theta, turn)) return SLIP_STALLED;
        if (k == 0) s.first = w->sign;
        before = excess;
        if (!path_advance(w, &s, turn)) path_retreat(w, &s);
        else excess = slip_ipm_judge(w);
        if (excess <= 1) return SLIP_OK;
        if (excess <= near && excess > before/2) return SLIP_MAX_ITERS;
        if (s.theta > PATH_END || w->best_excess < PATH_BETTER*best) late = 0;
        else if (w->sign == s.first) ++late;
        if (late == 0) best = w->best_excess;
        if (late > PATH_LATE) return SLIP_MAX_ITERS;
        if (w->polish && k == polish) {
            if (w->polish(w->polish_context, w->lambda)) return SLIP_OK;
            polish *= 2;
        }
        if (s.most < PATH_SLOW || s.reach < PATH_SHORT || s.theta > PATH_FAR) return SLIP_STALLED;
    }
    return SLIP_MAX_ITERS;
}
