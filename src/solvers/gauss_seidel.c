/* The code around the loops of the Gauss-Seidel solvers; see gauss_seidel.h.
 *
 * Judging takes a product with G, as much as a sweep, so an iterate is judged in two cases: when the expected change of
 * the next sweep has fallen in the ratio of tolerance to last residual (both shrink in proportion), and at growing
 * intervals, to keep the best iterate and to detect stalls. */
#include "solvers/gauss_seidel.h"

#include <string.h>

/* Iterates are judged every GS_CHECK sweeps, later every quarter of those made: this bounds the share of time spent on
 * judging, and the sweeps made after convergence. A residual that takes GS_PATIENCE sweeps to fall by a per cent would
 * fall by a tenth within the limit of GS_SWEEPS: that is a stall. A residual that first rises may fall later; the
 * option `patience` allows for that. */
enum { GS_SWEEPS = 10000, GS_PATIENCE = GS_SWEEPS/10, GS_CHECK = 8 };

/* Bilateral rows are linear equations. Up to GS_TOGETHER of them are one block, which each sweep solves exactly. Rows
 * of loops are nearly the same where links line up or loops are repeated; one by one they would take 1000 sweeps and
 * more (Bricard's mechanism; 2 as a block). More rows than that would need more memory than a solver that sweeps is
 * chosen for, 0.5 MB in double: these are taken one by one, and so are all in programs without loops. */
#ifdef SLIP_NO_LOOPS
enum { GS_TOGETHER = 0 };
#else
enum { GS_TOGETHER = 256 };
#endif

static int gs_is_together(const slip_gs *w) { return GS_TOGETHER > 0 && w->together; }

static int gs_carve(slip_gs *w, const slip_problem *p, slip_arena *a)
{
    const size_t n = (size_t)p->n, nb = p->nb <= GS_TOGETHER ? (size_t)p->nb : 0;

    w->contact = (slip_local *)slip_arena_take(a, (size_t)p->nc, sizeof(slip_local));
    w->scalar = slip_arena_reals(a, (size_t)p->nl + (size_t)p->nb);
    w->lambda = slip_arena_reals(a, n);
    w->best = slip_arena_reals(a, n);
    w->sigma = slip_arena_reals(a, n);
    w->aside = slip_arena_reals(a, p->G.form == SLIP_G_FACTOR ? (size_t)p->G.nv : 0);
    w->L = slip_arena_reals(a, nb*nb);
    w->step = slip_arena_reals(a, nb);
    return w->contact && w->scalar && w->lambda && w->best && w->sigma && w->aside && w->L && w->step;
}

size_t slip_gs_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena a = slip_arena_counting();
    slip_gs w;

    (void)opt;
    gs_carve(&w, p, &a);
    return slip_arena_needed(&a);
}

/* Factors G + R of the bilateral rows. Without compliance it may be singular: then they are taken one by one. */
static void gs_prepare_bilateral(slip_gs *w)
{
    const slip_problem *p = w->p;
    const int n = p->nb, first = p->nc + p->nl;
    int i, j;

    w->together = 0;
    if (GS_TOGETHER == 0 || n < 2 || n > GS_TOGETHER) return;
    for (i = 0; i < n; ++i) {
        for (j = 0; j <= i; ++j) slip_problem_block(p, first + i, first + j, &w->L[i*n + j]);
        if (p->R) w->L[i*n + i] += p->R[slip_block_row(p, first + i)];
    }
    w->together = slip_chol_factor(n, w->L, n, NULL) == SLIP_OK;
}

static void gs_prepare(slip_gs *w)
{
    const slip_problem *p = w->p;
    const int m = slip_block_count(p);
    int i;

    for (i = 0; i < p->nc; ++i) slip_local_prepare(p, i, &w->contact[i]);
    for (i = p->nc; i < m; ++i) {
        slip_real d;

        slip_problem_block(p, i, i, &d);
        if (p->R) d += p->R[slip_block_row(p, i)];
        w->scalar[i - p->nc] = d > 0 ? 1/d : 0;
    }
    gs_prepare_bilateral(w);
}

/* A warm start is brought into the model's set: mu may have changed since. */
static void gs_start(slip_gs *w)
{
    const slip_problem *p = w->p;
    const size_t bytes = (size_t)p->n*sizeof(slip_real);
    int i;

    if (!w->sol->warm) { memset(w->lambda, 0, bytes);  return; }
    memcpy(w->lambda, w->sol->lambda, bytes);
    for (i = 0; i < p->nc; ++i) {
        if (w->model == SLIP_MODEL_LCP) slip_pyramid_project(p->mu[i], w->facets, w->lambda + 3*i, w->lambda + 3*i);
        else slip_cone_project_horizontal(p->mu[i], w->lambda + 3*i, w->lambda + 3*i);
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) w->lambda[i] = slip_max(w->lambda[i], 0);
}

int slip_gs_begin(slip_gs *w, const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                  slip_arena *scratch, slip_contact_model model, int facets)
{
    w->opt = opt;
    if (!slip_solver_open(p, model, SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE, &w->opt,
                          &w->storage, sol, &w->status)) return 0;
    w->p = p;
    w->sol = sol;
    w->arena = scratch;
    w->mark = slip_arena_mark(scratch);
    w->model = model;
    w->facets = facets;
    if (!gs_carve(w, p, scratch)) {
        slip_arena_release(scratch, w->mark);
        w->status = sol->status = SLIP_ERR_WORKSPACE;
        return 0;
    }
    gs_prepare(w);
    gs_start(w);
    w->sweep = slip_sweep_begin(p, w->lambda);
    w->relax = w->opt->relaxation;
    w->limit = w->opt->max_iterations > 0 ? w->opt->max_iterations : GS_SWEEPS;
    w->sweeps = -1;
    w->target = w->opt->tol*(slip_tol_is_relative(w->opt->tol_rule) ? slip_max_abs(p->n, p->g) : 1);
    w->best_excess = w->mark_excess = (slip_real)INFINITY;
    w->next_check = sol->warm ? 0 : GS_CHECK;
    w->mark_sweep = w->judged = w->sigma_is_best = w->may_damp = 0;
    w->change = w->before = w->mark_error = (slip_real)INFINITY;
    w->rule = SLIP_GS_NO_RULE;
    w->error = 0;
    w->status = SLIP_MAX_ITERS;
    return 1;
}

/* All bilateral rows at once: sigma there becomes (1 - relax) of what it is. */
static void gs_bilateral(slip_gs *w)
{
    const slip_problem *p = w->p;
    const int n = p->nb, first = p->nc + p->nl;
    int i;

    for (i = 0; i < n; ++i) {
        slip_gs_velocity(w, first + i, &w->step[i]);
        w->change = slip_max(w->change, w->relax*w->relax*w->step[i]*w->step[i]);
        if (w->rule == SLIP_GS_UPDATES) w->error += slip_abs(w->step[i]);
    }
    slip_chol_solve(n, w->L, n, w->step);
    for (i = 0; i < n; ++i) {
        const slip_real d = w->relax*w->step[i], x = w->lambda[slip_block_row(p, first + i)] - d;

        if (w->rule == SLIP_GS_UPDATES) w->error += slip_abs(d);
        slip_sweep_set(&w->sweep, first + i, &x);
    }
}

void slip_gs_scalars(slip_gs *w)
{
    const slip_problem *p = w->p;
    const int m = slip_block_count(p) - (gs_is_together(w) ? p->nb : 0);
    int i;

    for (i = p->nc; i < m; ++i) {
        const int row = slip_block_row(p, i);
        const slip_real inv = w->scalar[i - p->nc];
        slip_real s, x, d;

        slip_gs_velocity(w, i, &s);
        x = w->lambda[row] - w->relax*inv*s;
        if (i < p->nc + p->nl) x = slip_max(x, 0);
        d = x - w->lambda[row];
        if (inv > 0) w->change = slip_max(w->change, d*d/(inv*inv));
        if (w->rule == SLIP_GS_UPDATES)
            w->error += slip_abs(d) + (i < p->nc + p->nl ? slip_max(0, -s) : slip_abs(s));
        slip_sweep_set(&w->sweep, i, &x);
    }
    if (gs_is_together(w)) gs_bilateral(w);
}

/* The residual of the current impulses, reported to the history callback. */
static void gs_measure(slip_gs *w, slip_residual *r)
{
    slip_problem_sigma(w->p, w->lambda, w->sigma);
    slip_residual_at(w->p, w->model, w->facets, w->lambda, w->sigma, r);
    w->sigma_is_best = 0;
    if (w->sweeps > 0) slip_solver_report(w->opt, w->sweeps, r, 0, 0, w->lambda, "sweep");
}

/* Measures and keeps the best iterate. Returns the excess. */
static slip_real gs_judge(slip_gs *w)
{
    slip_residual r;
    slip_real excess;

    gs_measure(w, &r);
    excess = slip_residual_excess(&r, w->opt->tol, w->opt->tol_rule);
    w->sigma_is_best = slip_is_finite(excess) && (!w->judged || excess < w->best_excess);
    if (w->sigma_is_best) {
        w->best_excess = excess;
        w->best_residual = r;
        memcpy(w->best, w->lambda, (size_t)w->p->n*sizeof(slip_real));
        w->judged = 1;
    }
    return excess;
}

/* Continues from the best iterate with half the relaxation: sweeps that cycle may converge then, and a fixed point of
 * the damped sweep is one of the sweep. */
static void gs_damp(slip_gs *w)
{
    w->may_damp = 0;
    w->relax /= 2;
    w->mark_sweep = w->sweeps;
    memcpy(w->lambda, w->best, (size_t)w->p->n*sizeof(slip_real));
    w->sweep = slip_sweep_begin(w->p, w->lambda);
}

/* Sets w->status and returns 1 at convergence, stall or the limit of sweeps. */
static int gs_is_over(slip_gs *w, slip_real excess)
{
    if (excess <= 1) { w->status = SLIP_OK;  return 1; }
    if (!slip_is_finite(excess)) { w->status = SLIP_DIVERGED;  return 1; }
    if (w->sweeps > 0 && w->change == 0) { w->status = SLIP_STALLED;  return 1; }
    if (excess < SLIP_R(0.99)*w->mark_excess) {
        w->mark_excess = excess;
        w->mark_sweep = w->sweeps;
    }
    if (w->sweeps >= w->limit) return 1;
    if (w->sweeps - w->mark_sweep > (w->opt->patience > 0 ? w->opt->patience : GS_PATIENCE)) {
        if (!w->may_damp) { w->status = SLIP_STALLED;  return 1; }
        gs_damp(w);
    }
    return 0;
}

/* Reports an iterate that is not judged to the history callback. The sweep's running Y'lambda is in G.work; applying G
 * would compute it anew and so change the rounding of the sweeps that follow. */
static void gs_report(slip_gs *w)
{
    const slip_problem *p = w->p;
    const size_t bytes = p->G.form == SLIP_G_FACTOR ? (size_t)p->G.nv*sizeof(slip_real) : 0;
    slip_residual r;

    if (bytes) memcpy(w->aside, p->G.work, bytes);
    gs_measure(w, &r);
    if (bytes) memcpy(p->G.work, w->aside, bytes);
}

/* ---- the printed rules ------------------------------------------------------------------------------------------ */

/* By how much contact i breaks the constraints of HW Sec. II: penetration; the impulse of an open contact; the cone;
 * the velocity of a sticking one. An impulse on the cone, to rounding, slides. */
static slip_real gs_violation(const slip_problem *p, int i, const slip_real x[3], const slip_real v[3])
{
    const slip_real share = SLIP_TOL(1e-9, 1e-4), most = p->mu[i]*x[2], t = slip_norm2(x);

    if (!(x[2] > 0)) return slip_max(0, -v[2]);
    if (p->mu[i] >= SLIP_MU_INFINITE || t < (1 - share)*most) return slip_norm3(v);
    return slip_abs(v[2]) + slip_max(0, t - most);
}

static slip_real gs_violations(slip_gs *w)
{
    const slip_problem *p = w->p;
    slip_real sum = 0;
    int i;

    slip_problem_sigma(p, w->lambda, w->sigma);
    w->sigma_is_best = 0;
    for (i = 0; i < p->nc; ++i) sum += gs_violation(p, i, w->lambda + 3*i, w->sigma + 3*i);
    for (i = 3*p->nc; i < p->n; ++i)
        sum += i < 3*p->nc + p->nl && !(w->lambda[i] > 0) ? slip_max(0, -w->sigma[i]) : slip_abs(w->sigma[i]);
    return sum;
}

/* After a sweep: whether the printed rule, a stall or the limit ends the solve. The last iterate is its answer. */
static int gs_is_over_printed(slip_gs *w)
{
    const slip_real error = w->rule == SLIP_GS_UPDATES ? w->error : gs_violations(w);
    const int patience = w->opt->patience > 0 ? w->opt->patience : GS_PATIENCE;

    if (!slip_is_finite(error)) { w->status = SLIP_DIVERGED;  return 1; }
    if (error < SLIP_R(0.99)*w->mark_error) {
        w->mark_error = error;
        w->mark_sweep = w->sweeps;
    }
    if (error <= w->opt->tol) w->status = SLIP_OK;
    else if (!(w->change > 0) || w->sweeps - w->mark_sweep > patience) w->status = SLIP_STALLED;
    else if (w->sweeps < w->limit) {
        if (w->opt->history) gs_report(w);
        return 0;
    }
    w->judged = 0;
    gs_judge(w);
    return 1;
}

int slip_gs_next(slip_gs *w)
{
    const int refused = !slip_budget_take(w->opt->budget), first = ++w->sweeps == 0, cold = first && !w->sol->warm;
    slip_real next;                                  /* expected change of the next sweep          */

    w->change = first ? (slip_real)INFINITY : slip_sqrt(w->change);
    next = w->sweeps > 1 && w->change < w->before ? w->change*(w->change/w->before) : w->change;
    w->before = w->change;
    if (refused && w->sweeps < w->limit) w->limit = w->sweeps;
    if (w->rule != SLIP_GS_NO_RULE) {
        if (!first && gs_is_over_printed(w)) return 0;
        w->error = 0;
    } else if (w->opt->stop == SLIP_STOP_COUNT && w->sweeps < w->limit) {
        if (w->opt->history && !first) gs_report(w);
    } else if (!cold && (next <= w->target || w->sweeps >= w->next_check || w->sweeps >= w->limit)) {
        const slip_real excess = gs_judge(w);

        if (gs_is_over(w, excess)) return 0;
        if (!first) w->target = next/excess;
        w->next_check = w->sweeps + (w->sweeps > 4*GS_CHECK ? w->sweeps/4 : GS_CHECK);
    } else if (w->opt->history && !first) gs_report(w);
    w->change = 0;
    return 1;
}

slip_status slip_gs_end(slip_gs *w)
{
    const slip_residual *ncp = w->model == SLIP_MODEL_NCP ? &w->best_residual : NULL;

    if (!w->judged) {                                /* no iterate was finite: lambda = 0 is returned          */
        memset(w->best, 0, (size_t)w->p->n*sizeof(slip_real));
        w->sigma_is_best = 0;
    }
    if (!w->sigma_is_best) slip_problem_sigma(w->p, w->best, w->sigma);
    if (!w->judged) slip_residual_at(w->p, w->model, w->facets, w->best, w->sigma, &w->best_residual);
    w->sol->iterations = w->sweeps;
    w->sol->factorizations = 0;
    w->status = slip_solver_close_at(w->p, w->opt, w->best, w->sigma, &w->best_residual, ncp, w->status, w->sol);
    slip_arena_release(w->arena, w->mark);
    return w->status;
}
