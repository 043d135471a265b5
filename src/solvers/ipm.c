/* The interior point's point, right-hand sides, step lengths and quick run. See ipm.h and, for the equations,
 * ncp_ipm.c. */
#include "solvers/ipm.h"

#include <string.h>

#define IPM_PROX   SLIP_TOL(1e-9, 1e-5)     /* of rows without complementarity: G may be singular there */
#define IPM_SHORTS 3                        /* short steps in a row that end a quick run               */

static void ipm_carve_point(slip_ipm_point *d, const slip_problem *p, slip_arena *a)
{
    d->x = slip_arena_reals(a, (size_t)p->n);
    d->y = slip_arena_reals(a, (size_t)p->n);
    d->psi = slip_arena_reals(a, (size_t)p->nc);
}

slip_status slip_ipm_carve(slip_ipm *w, const slip_problem *p, const slip_solver_options *opt, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena), n = (size_t)p->n, nc = (size_t)p->nc, m = (size_t)slip_block_count(p);
    slip_status status;
    int k;

    arena->failed = 0;
    w->p = p;
    w->opt = opt;
    w->polish = NULL;
    w->polish_context = NULL;
    w->scale.D = slip_arena_reals(arena, n);
    w->b = slip_arena_reals(arena, n);
    ipm_carve_point(&w->at, p, arena);
    ipm_carve_point(&w->step, p, arena);
    ipm_carve_point(&w->affine, p, arena);
    for (k = 1; k <= SLIP_IPM_ORDER; ++k) ipm_carve_point(&w->curve[k], p, arena);
    ipm_carve_point(&w->last, p, arena);
    ipm_carve_point(&w->safe, p, arena);
    w->rho = slip_arena_reals(arena, n);
    w->rho_start = slip_arena_reals(arena, n);
    w->target = slip_arena_reals(arena, n);
    w->head = slip_arena_reals(arena, nc);
    w->lambda = slip_arena_reals(arena, n);
    w->sigma = slip_arena_reals(arena, n);
    w->best = slip_arena_reals(arena, n);
    w->W = slip_arena_reals(arena, 9*m);
    w->Z = slip_arena_reals(arena, 9*m);
    status = arena->failed ? SLIP_ERR_WORKSPACE : slip_ipm_carve_matrix(w, arena);
    if (status >= 0 && arena->failed) status = SLIP_ERR_WORKSPACE;
    if (status < 0) slip_arena_release(arena, mark);
    return status;
}

/* ---- the point ------------------------------------------------------------------------------------------- */

void slip_ipm_slack(slip_ipm *w)
{
    int i;

    slip_ipm_product(w, w->at.x, w->rho);
    for (i = 0; i < w->p->n; ++i) w->rho[i] += w->b[i] - w->at.y[i];
}

void slip_ipm_start(slip_ipm *w, slip_real inside)
{
    const slip_problem *p = w->p;
    int i;

    memset(w->at.x, 0, (size_t)p->n*sizeof(slip_real));
    memset(w->at.y, 0, (size_t)p->n*sizeof(slip_real));
    for (i = 0; i < p->nc; ++i) {
        w->at.x[3*i + 2] = w->at.y[3*i + 2] = inside;
        w->at.psi[i] = slip_ipm_has_cone(w, i) ? inside/p->mu[i] : inside;
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) w->at.x[i] = w->at.y[i] = inside;
}

/* A point inside all cones at distance `inside` from their surfaces, near `from`. */
static void ipm_start_near(slip_ipm *w, const slip_real *from, slip_real inside)
{
    const slip_problem *p = w->p;
    int i, k;

    slip_scaling_in(p, &w->scale, from, w->at.x);
    memset(w->at.y, 0, (size_t)p->n*sizeof(slip_real));
    slip_ipm_slack(w);
    memcpy(w->at.y, w->rho, (size_t)p->n*sizeof(slip_real));
    for (i = 0; i < p->nc; ++i) {
        slip_real *x = w->at.x + 3*i, *y = w->at.y + 3*i, limit, norm;
        const int cone = slip_ipm_has_cone(w, i);

        x[2] = slip_max(x[2], inside);
        y[2] = slip_max(y[2], inside);
        limit = p->mu[i]*slip_max(x[2] - inside/2, 0);
        norm = slip_norm2(x);
        if (norm > limit) for (k = 0; k < 2; ++k) x[k] *= limit/norm;
        if (!cone) { y[0] = 0;  y[1] = 0; }
        if (p->mu[i] == 0) { x[0] = 0;  x[1] = 0; }
        w->at.psi[i] = slip_norm2(y) + inside;
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) {
        w->at.x[i] = slip_max(w->at.x[i], inside);
        w->at.y[i] = slip_max(w->at.y[i], inside);
    }
    for (; i < p->n; ++i) w->at.y[i] = 0;
}

/* Mean complementarity at the point plus a d. */
static slip_real ipm_gap(const slip_ipm *w, slip_real a, const slip_ipm_point *d)
{
    const slip_problem *p = w->p;
    slip_real sum = 0, count = 0;
    int i, k;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = w->at.x + 3*i, *y = w->at.y + 3*i, *u = d->x + 3*i, *v = d->y + 3*i;
        const slip_real gamma = x[2] + a*u[2];

        sum += gamma*(y[2] + a*v[2]);
        count += 1;
        if (!slip_ipm_has_cone(w, i)) continue;
        sum += p->mu[i]*gamma*(w->at.psi[i] + a*d->psi[i]);
        for (k = 0; k < 2; ++k) sum += (x[k] + a*u[k])*(y[k] + a*v[k]);
        count += 1;
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i, count += 1)
        sum += (w->at.x[i] + a*d->x[i])*(w->at.y[i] + a*d->y[i]);
    return count > 0 ? sum/count : 0;
}

/* ---- the linear system ---------------------------------------------------------------------------------------- */

/* W and Z (3x3) of a contact: of the tangential rows after eliminating psi, of the normal row Signorini's. */
static void ipm_contact_matrices(const slip_ipm *w, int i, slip_real W[9], slip_real Z[9])
{
    const slip_real *x = w->at.x + 3*i, *y = w->at.y + 3*i, mu = w->p->mu[i], psi = w->at.psi[i];
    int r, c;

    memset(W, 0, 9*sizeof(slip_real));
    memset(Z, 0, 9*sizeof(slip_real));
    W[8] = x[2];
    Z[8] = y[2];
    for (r = 0; r < 2; ++r) {
        if (mu == 0) { Z[4*r] = 1;  continue; }                              /* d beta = 0            */
        if (!slip_is_finite(mu)) { W[4*r] = 1;  Z[4*r] = IPM_PROX;  continue; }   /* sigma_T = 0      */
        for (c = 0; c < 2; ++c) {
            W[3*r + c] = (r == c ? mu*x[2] : 0) - x[r]*x[c]/(mu*x[2]);
            Z[3*r + c] = (r == c ? psi : 0) - x[r]*y[c]/(mu*x[2]);
        }
        Z[3*r + 2] = mu*(y[r] - x[r]*psi/(mu*x[2]));
    }
}

int slip_ipm_linearise(slip_ipm *w)
{
    const slip_problem *p = w->p;
    const int m = slip_block_count(p);
    int i;

    for (i = 0; i < p->nc; ++i) ipm_contact_matrices(w, i, w->W + 9*i, w->Z + 9*i);
    for (; i < m; ++i) {
        const int row = slip_block_row(p, i), limit = slip_block_is_limit(p, i);

        w->W[9*i] = limit ? w->at.x[row] : 1;
        w->Z[9*i] = limit ? w->at.y[row] : IPM_PROX;
    }
    return slip_ipm_factor(w);
}

void slip_ipm_aim(slip_ipm *w, slip_real kappa)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i) {
        slip_set3(0, 0, kappa, w->target + 3*i);
        w->head[i] = kappa;
    }
    for (i = 3*p->nc; i < p->n; ++i) w->target[i] = i < 3*p->nc + p->nl ? kappa : 0;
}

void slip_ipm_aim_less(slip_ipm *w, const slip_ipm_point *a, const slip_ipm_point *b)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = a->x + 3*i, *y = b->y + 3*i, x0 = p->mu[i]*x[2], psi = b->psi[i];
        slip_real *t = w->target + 3*i;

        t[2] -= x[2]*y[2];
        if (!slip_ipm_has_cone(w, i)) continue;
        t[0] -= x0*y[0] + psi*x[0];
        t[1] -= x0*y[1] + psi*x[1];
        w->head[i] -= x0*psi + x[0]*y[0] + x[1]*y[1];
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) w->target[i] -= a->x[i]*b->y[i];
}

/* The right-hand side of the system in dx alone: target - W rho, psi eliminated. */
static void ipm_right_side(const slip_ipm *w, const slip_real *rho, slip_real *dx)
{
    const slip_problem *p = w->p;
    int i, r;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = w->at.x + 3*i, *t = w->target + 3*i, *e = rho + 3*i, *W = w->W + 9*i, mu = p->mu[i];
        slip_real *d = dx + 3*i;

        d[2] = t[2] - x[2]*e[2];
        if (slip_ipm_has_cone(w, i)) {
            const slip_real h = w->head[i]/(mu*x[2]);

            for (r = 0; r < 2; ++r) d[r] = t[r] - h*x[r] - W[3*r]*e[0] - W[3*r + 1]*e[1];
        } else {
            for (r = 0; r < 2; ++r) d[r] = mu == 0 ? -x[r] : -e[r];
        }
    }
    for (i = 3*p->nc; i < p->n; ++i) dx[i] = i < 3*p->nc + p->nl ? w->target[i] - w->at.x[i]*rho[i] : -rho[i];
}

void slip_ipm_direction(slip_ipm *w, const slip_real *rho, slip_ipm_point *d)
{
    const slip_problem *p = w->p;
    int i;

    ipm_right_side(w, rho, d->x);
    slip_ipm_solve(w, d->x, d->y);
    for (i = 0; i < p->n; ++i) d->y[i] += rho[i];
    for (i = 3*p->nc + p->nl; i < p->n; ++i) d->y[i] = 0;
    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = w->at.x + 3*i, *y = w->at.y + 3*i, *u = d->x + 3*i, mu = p->mu[i];
        slip_real *v = d->y + 3*i;

        d->psi[i] = 0;
        if (!slip_ipm_has_cone(w, i)) { v[0] = v[1] = 0;  continue; }
        d->psi[i] = (w->head[i] - x[0]*v[0] - x[1]*v[1] - w->at.psi[i]*mu*u[2] - y[0]*u[0] - y[1]*u[1])/(mu*x[2]);
    }
}

/* ---- step lengths ---------------------------------------------------------------------------------------------- */

/* Largest a with z0 + a d0 >= |z1 + a d1|; infinity when the ray stays inside. */
static slip_real ipm_to_cone(slip_real z0, const slip_real z1[2], slip_real d0, const slip_real d1[2])
{
    const slip_real c = z0*z0 - z1[0]*z1[0] - z1[1]*z1[1];
    const slip_real b = z0*d0 - z1[0]*d1[0] - z1[1]*d1[1];
    const slip_real a = d0*d0 - d1[0]*d1[0] - d1[1]*d1[1];
    const slip_real disc = b*b - a*c;
    slip_real step = d0 < 0 ? -z0/d0 : (slip_real)INFINITY, root;

    if (disc <= 0) return step;
    root = b < 0 ? c/(slip_sqrt(disc) - b) : a < 0 ? (b + slip_sqrt(disc))/-a : (slip_real)INFINITY;
    return root > 0 ? slip_min(step, root) : step;
}

static slip_real ipm_to_zero(slip_real z, slip_real d) { return d < 0 ? -z/d : (slip_real)INFINITY; }

slip_real slip_ipm_length(const slip_ipm *w, const slip_ipm_point *d)
{
    const slip_problem *p = w->p;
    slip_real a = (slip_real)INFINITY;
    int i;

    for (i = 0; i < p->nc; ++i) {
        const slip_real *x = w->at.x + 3*i, *y = w->at.y + 3*i, *u = d->x + 3*i, *v = d->y + 3*i, mu = p->mu[i];

        a = slip_min(a, slip_min(ipm_to_zero(x[2], u[2]), ipm_to_zero(y[2], v[2])));
        if (!slip_ipm_has_cone(w, i)) continue;
        a = slip_min(a, ipm_to_cone(mu*x[2], x, mu*u[2], u));
        a = slip_min(a, ipm_to_cone(w->at.psi[i], y, d->psi[i], v));
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i)
        a = slip_min(a, slip_min(ipm_to_zero(w->at.x[i], d->x[i]), ipm_to_zero(w->at.y[i], d->y[i])));
    return a;
}

void slip_ipm_advance(slip_ipm *w, slip_real a)
{
    int i;

    for (i = 0; i < w->p->n; ++i) { w->at.x[i] += a*w->step.x[i];  w->at.y[i] += a*w->step.y[i]; }
    for (i = 0; i < w->p->nc; ++i) w->at.psi[i] += a*w->step.psi[i];
}

/* ---- the quick run ----------------------------------------------------------------------------------------------- */

/* Judges w->lambda with the velocities in w->sigma. */
static slip_real ipm_excess(const slip_ipm *w, slip_residual *r)
{
    slip_residual_at(w->p, SLIP_MODEL_NCP, 0, w->lambda, w->sigma, r);
    return slip_residual_excess(r, w->opt->tol, w->opt->tol_rule);
}

/* The slack gives sigma for nothing; an answer is confirmed with G as it was given, whose sums round otherwise. */
slip_real slip_ipm_judge(slip_ipm *w)
{
    slip_residual r;
    slip_real excess;
    int i;

    slip_ipm_slack(w);
    for (i = 0; i < w->p->n; ++i) w->sigma[i] = w->scale.unit*(w->rho[i] + w->at.y[i])/w->scale.D[i];
    slip_scaling_out(w->p, &w->scale, w->at.x, w->lambda);
    excess = ipm_excess(w, &r);
    if (excess <= 1) {
        slip_problem_sigma(w->p, w->lambda, w->sigma);
        excess = ipm_excess(w, &r);
    }
    slip_solver_tell(w->opt, w->told + w->iterations, &r, 0, w->iterations, "ipm");
    if (excess < w->best_excess || w->iterations == 0) {
        w->best_excess = excess;
        w->best_residual = r;
        memcpy(w->best, w->lambda, (size_t)w->p->n*sizeof(slip_real));
    }
    return excess;
}

/* A step to the middle, the gap kept, or else predictor and corrector; returns the length of the step taken. */
static slip_real ipm_iterate(slip_ipm *w, int centre, slip_real target)
{
    const slip_real gap = ipm_gap(w, 0, &w->at);
    slip_real a, after, s;

    if (!slip_ipm_linearise(w)) return 0;
    w->iterations++;
    if (centre) {
        slip_ipm_aim(w, gap);
        slip_ipm_aim_less(w, &w->at, &w->at);
    } else {
        slip_ipm_aim(w, 0);
        slip_ipm_aim_less(w, &w->at, &w->at);
        slip_ipm_direction(w, w->rho, &w->affine);
        a = slip_min(1, slip_ipm_length(w, &w->affine));
        after = slip_max(0, ipm_gap(w, a, &w->affine));
        s = gap > 0 ? slip_min(1, after/gap) : 0;
        slip_ipm_aim(w, slip_max(target, s*s*s*gap));
        slip_ipm_aim_less(w, &w->at, &w->at);
        if (a > SLIP_R(0.1)) slip_ipm_aim_less(w, &w->affine, &w->affine);
    }
    slip_ipm_direction(w, w->rho, &w->step);
    a = slip_min(1, SLIP_R(0.99)*slip_ipm_length(w, &w->step));
    if (!slip_all_finite(w->step.x, w->p->n) || !(a > 0)) return 0;
    slip_ipm_advance(w, a);
    return a;
}

int slip_ipm_open(slip_ipm *w, const slip_real *lambda)
{
    const slip_problem *p = w->p;

    w->told = w->iterations = 0;
    w->best_excess = (slip_real)INFINITY;
    slip_scaling_make(p, &w->scale);
    slip_scaling_vector(p, &w->scale, p->g, w->b);
    slip_ipm_open_matrix(w);
    memset(w->at.x, 0, (size_t)p->n*sizeof(slip_real));
    memset(w->at.y, 0, (size_t)p->n*sizeof(slip_real));
    if (lambda) slip_scaling_in(p, &w->scale, lambda, w->at.x);
    return slip_ipm_judge(w) <= 1;
}

slip_status slip_ipm_run(slip_ipm *w, const slip_real *from, int steps)
{
    const slip_real target = w->opt->barrier_final/(w->scale.unit*w->scale.unit), near = slip_solver_near(w->opt);
    slip_real excess = w->best_excess;
    int k, centre = 0, shorts = 0;

    if (from) ipm_start_near(w, from, SLIP_R(1e-2));
    else slip_ipm_start(w, 1);
    slip_ipm_slack(w);
    for (k = 0; k < steps; ++k) {
        const slip_real a = ipm_iterate(w, centre, target), before = excess;

        if (a == 0) return SLIP_STALLED;
        excess = slip_ipm_judge(w);
        if (excess <= 1) return SLIP_OK;
        if (excess <= near && excess > before/2) return SLIP_STALLED;
        centre = !centre && a < SLIP_R(0.1);
        shorts = a < SLIP_R(0.1) ? shorts + 1 : 0;
        if (shorts > IPM_SHORTS) return SLIP_STALLED;
    }
    return SLIP_MAX_ITERS;
}
