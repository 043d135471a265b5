/* ccp-barrier: Todorov's convex, smooth contact model by a primal log-barrier Newton method (TO Sec. III).
 *
 *     min over f of  E(f) + B(f)                                         TO eq. 17
 *     E = 1/2 f'(A + R) f + f'c,     A = G,  c = g                       TO eq. 15
 *     B = B1(f) + B2(A f + c),       barrier.h                           TO eq. 16, 20:
 *         mu^2 f_n^2 - |f_T|^2 > 0,  f_n > 0,   v_n - v_min > 0          TO eq. 9-11
 *
 *     f <- inside the cones
 *     repeat
 *         if some v_n <= v_min: B2 is elastic in this step               TO eq. 25
 *         d <- -(A + R + B1'' + A_N' B2'' A_N)^-1 grad                    Cholesky
 *         a <- min(1, 0.99 of the way to the nearest surface), analytic; halved while the energy does not fall
 *         f <- f + a d
 *     until the gradient [m/s] is below the tolerance
 *
 * t (option `barrier`, [J]) is part of the model: it keeps f a smooth function of the data and lets impulses act from a
 * little distance. For t -> 0, R = 0 the model is the CCP, whose velocities satisfy v_n >= mu |v_T| anyway. Newton
 * starts at a larger t and works down to it. R is p->R plus, where p->distance is known, R(d) of TO eq. 24
 * (options r_min, r_max, d_max); v_min is p->vmin, s the option `elastic`. Where no velocity satisfies v >= v_min the
 * elastic form's minimum is returned, with SLIP_STALLED. Bilateral rows only enter E. Of a slightly asymmetric G the
 * symmetric part is used: an energy depends on no other. */
#include "solvers/barrier.h"
#include "solvers/scaled.h"
#include "solvers/solvers.h"

#include <string.h>

enum { BARRIER_STEPS = 500 };

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_scaling scale;
    slip_real *A, *b, *R;        /* scaled G, g, R                                                 */
    slip_real *H;                /* n x n Hessian, factored                                        */
    slip_real *f, *v;            /* scaled impulses, velocities A f + b                            */
    slip_real *grad, *d, *dv;    /* gradient, direction, A d                                       */
    slip_real *n1, *n2;          /* nc + nl: B2's derivatives                                      */
    slip_real *lambda, *best, *out;
    slip_real t, t_end;          /* scaled barrier weights: now, and the model's                   */
    int elastic;                 /* whether some velocity violates v_min now                       */
    slip_problem own;            /* the problem with R(d) of TO eq. 24 in its R                    */
    slip_real *R_own;
    slip_residual residual;
    slip_real excess;
    int steps;
    int settled;                 /* the minimum of the elastic form is reached, some velocity violating v_min  */
} barrier_work;

static int barrier_carve(barrier_work *w, const slip_problem *p, slip_arena *a)
{
    const size_t n = (size_t)p->n, m = (size_t)p->nc + (size_t)p->nl;

    w->scale.D = slip_arena_reals(a, n);
    w->A = slip_arena_reals(a, n*n);
    w->H = slip_arena_reals(a, n*n);
    w->b = slip_arena_reals(a, n);
    w->R = slip_arena_reals(a, n);
    w->f = slip_arena_reals(a, n);
    w->v = slip_arena_reals(a, n);
    w->grad = slip_arena_reals(a, n);
    w->d = slip_arena_reals(a, n);
    w->dv = slip_arena_reals(a, n);
    w->n1 = slip_arena_reals(a, m);
    w->n2 = slip_arena_reals(a, m);
    w->lambda = slip_arena_reals(a, n);
    w->best = slip_arena_reals(a, n);
    w->out = slip_arena_reals(a, n);
    w->R_own = slip_arena_reals(a, n);
    return w->scale.D && w->A && w->H && w->b && w->R && w->f && w->v && w->grad && w->d && w->dv && w->n1 && w->n2 &&
           w->lambda && w->best && w->out && w->R_own;
}

/* w->p: the problem with the compliance that grows with the distance; p itself where no distance is known. */
static void barrier_grow_compliance(barrier_work *w, const slip_problem *p)
{
    const slip_barrier_law law = { w->opt->r_min, w->opt->r_max, w->opt->d_max };
    int i;

    w->p = p;
    if (!p->distance) return;
    for (i = 0; i < slip_block_count(p); ++i)
        slip_barrier_block_compliance(p, &law, i, w->R_own + slip_block_row(p, i));
    w->own = *p;
    w->own.R = w->R_own;
    w->own.distance = NULL;
    w->p = &w->own;
}

static int barrier_normal(const slip_problem *p, int i) { return i < p->nc ? 3*i + 2 : 2*p->nc + i; }

/* v - v_min of row i in scaled units, and the elastic slope there: x scales by D/unit, t by 1/unit^2. */
static slip_real barrier_distance(const barrier_work *w, int i, const slip_real *v)
{
    const int row = barrier_normal(w->p, i);

    return v[row] - (w->p->vmin ? w->p->vmin[i]*w->scale.D[row]/w->scale.unit : 0);
}

/* On the way down to the model's t the slope is larger, so that the elastic form drives velocities inside. Not without
 * bound: a parabola as stiff as t/t_end = 1e13 keeps Newton's steps at the cones' surfaces. */
static slip_real barrier_slope(const barrier_work *w, int i)
{
    const slip_real grown = slip_clamp(w->t/w->t_end, 1, SLIP_R(1e6));

    return w->elastic ? grown*w->opt->elastic/(w->scale.unit*w->scale.D[barrier_normal(w->p, i)]) : 0;
}

static void barrier_product(const barrier_work *w, const slip_real *x, slip_real *y)
{
    int i;

    for (i = 0; i < w->p->n; ++i) y[i] = slip_dot(w->p->n, w->A + (size_t)i*(size_t)w->p->n, x);
}

/* E + B at f, v = A f + b. */
static slip_real barrier_value(const barrier_work *w, const slip_real *f, const slip_real *v)
{
    const slip_problem *p = w->p;
    slip_real sum = 0, d1, d2;
    int i;

    for (i = 0; i < p->n; ++i) sum += f[i]*(v[i] + w->b[i] + w->R[i]*f[i])/2;       /* f'(A f + 2 b + R f)/2 */
    for (i = 0; i < p->nc; ++i) sum += slip_barrier_contact(p->mu[i], w->t, f + 3*i, NULL, NULL);
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) sum += slip_barrier_scalar(w->t, 0, f[i], &d1, &d2);
    for (i = 0; i < p->nc + p->nl; ++i)
        sum += slip_barrier_scalar(w->t, barrier_slope(w, i), barrier_distance(w, i, v), &d1, &d2);
    return sum;
}

/* A first point inside the cones: impulses of at least t, where the barrier's force t/f is one, the unit of the scaled
 * problem, and tangents at most halfway to the cone. */
static void barrier_start(barrier_work *w, const slip_solution *sol)
{
    const slip_problem *p = w->p;
    int i;

    memset(w->f, 0, (size_t)p->n*sizeof(slip_real));
    if (sol->warm) slip_scaling_in(p, &w->scale, sol->lambda, w->f);
    for (i = 0; i < p->nc; ++i) {
        slip_real *f = w->f + 3*i, most, norm = slip_norm2(f);

        f[2] = slip_max(f[2], sol->warm ? w->t : 1);
        most = p->mu[i]*f[2]/2;
        if (norm > most) { f[0] *= most/norm;  f[1] *= most/norm; }
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) w->f[i] = slip_max(w->f[i], sol->warm ? w->t : 1);
    barrier_product(w, w->f, w->v);
    for (i = 0; i < p->n; ++i) w->v[i] += w->b[i];
}

/* ---- Newton ------------------------------------------------------------------------------------------------ */

/* H += A_N' diag(n2) A_N, lower triangle; grad += A_N' n1. */
static void barrier_velocity_terms(barrier_work *w)
{
    const size_t n = (size_t)w->p->n;
    size_t r, c;
    int i;

    for (i = 0; i < w->p->nc + w->p->nl; ++i) {
        const int row = barrier_normal(w->p, i);
        const slip_real *a = w->A + (size_t)row*n;

        slip_barrier_scalar(w->t, barrier_slope(w, i), barrier_distance(w, i, w->v), &w->n1[i], &w->n2[i]);
        for (r = 0; r < n; ++r) {
            const slip_real s = w->n2[i]*a[r];

            if (a[r] == 0) continue;                      /* large problems are sparse */
            w->grad[r] += a[r]*w->n1[i];
            for (c = 0; c <= r; ++c) w->H[r*n + c] += s*a[c];
        }
    }
}

/* A frictionless tangential impulse is held: unit row, no gradient. */
static void barrier_hold(barrier_work *w, size_t row)
{
    const size_t n = (size_t)w->p->n;
    size_t j;

    for (j = 0; j < row; ++j) w->H[row*n + j] = 0;
    for (j = row + 1; j < n; ++j) w->H[j*n + row] = 0;
    w->H[row*n + row] = 1;
    w->grad[row] = 0;
}

/* grad += B1', H += B1'' (TO eq. 9, 10), block by block; holds frictionless tangents. */
static void barrier_impulse_terms(barrier_work *w)
{
    const slip_problem *p = w->p;
    const size_t n = (size_t)p->n;
    slip_real g[3], h[9], d1, d2;
    size_t i;
    int r, c;

    for (i = 0; i < (size_t)p->nc; ++i) {
        slip_barrier_contact(p->mu[i], w->t, w->f + 3*i, g, h);
        slip_add3(w->grad + 3*i, g, w->grad + 3*i);
        for (r = 0; r < 3; ++r) for (c = 0; c <= r; ++c) w->H[(3*i + (size_t)r)*n + 3*i + (size_t)c] += h[3*r + c];
    }
    for (i = 3*(size_t)p->nc; i < 3*(size_t)p->nc + (size_t)p->nl; ++i) {
        slip_barrier_scalar(w->t, 0, w->f[i], &d1, &d2);
        w->grad[i] += d1;
        w->H[i*n + i] += d2;
    }
    for (i = 0; i < (size_t)p->nc; ++i) if (p->mu[i] == 0) { barrier_hold(w, 3*i);  barrier_hold(w, 3*i + 1); }
}

/* Gradient, and Newton's direction d with dv = A d; 0 when the Hessian cannot be factored. */
static int barrier_direction(barrier_work *w)
{
    const size_t n = (size_t)w->p->n;
    slip_real top;
    size_t i, j;

    for (i = 0; i < n; ++i) {
        w->grad[i] = w->v[i] + w->R[i]*w->f[i];
        for (j = 0; j <= i; ++j) w->H[i*n + j] = w->A[i*n + j];
        w->H[i*n + i] += w->R[i];
    }
    barrier_velocity_terms(w);
    barrier_impulse_terms(w);
    for (top = 0, i = 0; i < n; ++i) top = slip_max(top, w->H[i*n + i]);
    for (i = 0; i < n; ++i) w->H[i*n + i] += SLIP_TOL(1e-12, 2e-7)*top;     /* rows without a barrier may be singular */
    if (slip_chol_factor(w->p->n, w->H, w->p->n, NULL) != SLIP_OK) return 0;
    for (i = 0; i < n; ++i) w->d[i] = -w->grad[i];
    slip_chol_solve(w->p->n, w->H, w->p->n, w->d);
    barrier_product(w, w->d, w->dv);
    return slip_all_finite(w->d, w->p->n);
}

/* The step to the nearest surface; bounds on velocities count only when all velocities satisfy them. */
static slip_real barrier_wall(const barrier_work *w)
{
    const slip_problem *p = w->p;
    slip_real a = (slip_real)INFINITY;
    int i;

    for (i = 0; i < p->nc; ++i) a = slip_min(a, slip_barrier_contact_step(p->mu[i], w->f + 3*i, w->d + 3*i));
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) a = slip_min(a, slip_barrier_scalar_step(w->f[i], w->d[i]));
    for (i = 0; i < p->nc + p->nl && !w->elastic; ++i)
        a = slip_min(a, slip_barrier_scalar_step(barrier_distance(w, i, w->v), w->dv[barrier_normal(p, i)]));
    return a;
}

/* Moves f and v; returns Newton's decrement grad'H^-1 grad before the step, or -1 when no step lowers the energy. */
static slip_real barrier_advance(barrier_work *w)
{
    const int n = w->p->n;
    const slip_real now = barrier_value(w, w->f, w->v), decrement = -slip_dot(n, w->grad, w->d);
    slip_real a = slip_min(1, SLIP_R(0.99)*barrier_wall(w));
    int i, tries;

    for (tries = 0; tries < 40; ++tries, a /= 2) {
        for (i = 0; i < n; ++i) { w->out[i] = w->f[i] + a*w->d[i];  w->lambda[i] = w->v[i] + a*w->dv[i]; }
        if (barrier_value(w, w->out, w->lambda) <= now - SLIP_R(1e-4)*a*decrement) break;                /* Armijo */
        if (decrement <= SLIP_TOL(1e-13, 1e-5)*(slip_abs(now) + w->t)) break;        /* rounding of the value */
    }
    if (tries == 40) return -1;
    for (i = 0; i < n; ++i) w->f[i] = w->out[i];
    barrier_product(w, w->f, w->v);
    for (i = 0; i < n; ++i) w->v[i] += w->b[i];
    return decrement;
}

/* ---- the loop ------------------------------------------------------------------------------------------------- */

/* Judges f by the gradient of TO eq. 17 and v >= v_min; keeps the best. Returns the excess. */
static slip_real barrier_judge(barrier_work *w)
{
    slip_residual r, gradient;
    slip_real excess;

    slip_scaling_out(w->p, &w->scale, w->f, w->lambda);
    slip_barrier_residual(w->p, w->opt->barrier, w->opt->elastic, w->lambda, w->out, w->grad, &r);
    if (w->steps > 0) slip_solver_report(w->opt, w->steps, &r, 0, w->steps, w->lambda, "barrier");
    excess = slip_residual_excess(&r, w->opt->tol, w->opt->tol_rule);
    gradient = r;
    gradient.eps_dual = slip_is_finite(r.eps_dual) ? slip_max_abs(w->p->n, w->out) : r.eps_dual; /* without v_min - v */
    w->settled = excess > 1 && slip_residual_excess(&gradient, w->opt->tol, w->opt->tol_rule) <= 1;
    if (excess < w->excess || w->steps == 0 || w->settled) {
        w->excess = excess;
        w->residual = r;
        memcpy(w->best, w->lambda, (size_t)w->p->n*sizeof(slip_real));
    }
    return excess;
}

static void barrier_set_elastic(barrier_work *w)
{
    int i;

    w->elastic = 0;
    for (i = 0; i < w->p->nc + w->p->nl; ++i) if (!(barrier_distance(w, i, w->v) > 0)) w->elastic = 1;
}

/* Newton steps; t falls by ten near the minimum for the present t, down to t_end. */
static slip_status barrier_loop(barrier_work *w)
{
    const int limit = w->opt->max_iterations > 0 ? w->opt->max_iterations : BARRIER_STEPS;
    slip_real decrement;
    int flat = 0;

    for (;;) {
        const slip_real before = w->excess;

        if (w->steps >= limit || !slip_budget_take(w->opt->budget)) return SLIP_MAX_ITERS;
        barrier_set_elastic(w);
        if (!barrier_direction(w)) return SLIP_STALLED;
        decrement = barrier_advance(w);
        w->steps++;
        if (barrier_judge(w) <= 1) return SLIP_OK;
        if (w->settled) return SLIP_STALLED;       /* no feasible velocity: the elastic minimum is the answer */
        if (w->t > w->t_end && (decrement < SLIP_R(0.5)*w->t || decrement < 0)) { /* near the path: to a smaller t */
            w->t = slip_max(w->t_end, w->t/10);
            flat = 0;
        } else if (w->t <= w->t_end) {
            flat = w->excess < SLIP_R(0.9)*before ? 0 : flat + 1;
            if (flat > 40 || (decrement < 0 && flat > 2)) return SLIP_STALLED;
        }
    }
}

slip_status slip_ccp_barrier(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                             slip_arena *scratch)
{
    const slip_problem *const given = p;
    slip_solver_options storage;
    slip_status status;
    barrier_work w;
    size_t mark;

    if (!slip_solver_open(p, SLIP_MODEL_BARRIER, SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE,
                          &opt, &storage, sol, &status)) return status;
    mark = slip_arena_mark(scratch);
    if (!barrier_carve(&w, p, scratch)) {
        slip_arena_release(scratch, mark);
        return sol->status = SLIP_ERR_WORKSPACE;
    }
    w.opt = opt;
    barrier_grow_compliance(&w, p);
    p = w.p;
    w.steps = 0;
    w.elastic = w.settled = 0;
    w.excess = (slip_real)INFINITY;
    slip_scaling_make(p, &w.scale);
    slip_scaling_matrix(p, &w.scale, 1, w.A);
    slip_scaling_vector(p, &w.scale, p->g, w.b);
    slip_scaling_compliance(p, &w.scale, w.R);
    w.t_end = opt->barrier/(w.scale.unit*w.scale.unit);
    /* Where t begins changes the cost alone: warm at 0.1 a step of quad_drop takes a third more, at t_end 290 of 2000
     * steps stall. */
    w.t = slip_max(w.t_end, sol->warm ? SLIP_R(1e-3) : SLIP_R(0.1));
    barrier_start(&w, sol);
    status = barrier_judge(&w) <= 1 ? SLIP_OK : barrier_loop(&w);
    sol->iterations = sol->factorizations = w.steps;
    status = slip_solver_close(given, opt, w.best, w.out, &w.residual, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}

size_t slip_ccp_barrier_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena a = slip_arena_counting();
    barrier_work w;

    (void)opt;
    barrier_carve(&w, p, &a);
    return slip_arena_needed(&a);
}

const slip_solver slip_solver_ccp_barrier = {
    .id = "ccp-barrier", .model = SLIP_MODEL_BARRIER,
    .about = "log-barrier Newton with elastic mode",
    .paper = "TO Sec. III", .engines = "MuJoCo (2011)",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_BARRIER,
    .solve = slip_ccp_barrier, .bytes = slip_ccp_barrier_bytes,
    .work = slip_work_of_full_factorisations, .sweeps = &slip_solver_ccp_gs
};
