/* What the Gauss-Seidel solvers have in common; see gauss_seidel.h.
 *
 * Judging costs a product with G, as much as a sweep, so it is done when it may pay: when the change that the next
 * sweep would bring has fallen as far as the last verdict says it must (both shrink in proportion), and now and then
 * to keep the best iterate and to see whether there is progress at all. Two ways of not getting on are told apart:
 * sweeps that circle (changes turn against the last ones) are damped, as a fixed point of the damped map is one of
 * the map; sweeps that creep (changes repeat) are what Gauss-Seidel does on an ill-conditioned G, and end as
 * SLIP_STALLED. */
#include "solvers/gauss_seidel.h"

#include <string.h>

enum { GS_SWEEPS = 10000, GS_PATIENCE = 1000, GS_CIRCLES = 40, GS_DAMPINGS = 10 };

static int gs_carve(slip_gs *w, const slip_problem *p, slip_arena *a)
{
    const size_t n = (size_t)p->n;

    w->contact = (slip_local *)slip_arena_take(a, (size_t)p->nc, sizeof(slip_local));
    w->scalar = slip_arena_reals(a, (size_t)(p->nl + p->nb));
    w->lambda = slip_arena_reals(a, n);
    w->best = slip_arena_reals(a, n);
    w->sigma = slip_arena_reals(a, n);
    w->last = slip_arena_reals(a, n);
    return w->contact && w->scalar && w->lambda && w->best && w->sigma && w->last;
}

size_t slip_gs_bytes(const slip_problem *p)
{
    slip_arena a = slip_arena_counting();
    slip_gs w;

    gs_carve(&w, p, &a);
    return slip_arena_needed(&a);
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
}

/* A warm start is brought into the model's set: mu may have changed since. */
static void gs_start(slip_gs *w)
{
    const slip_problem *p = w->p;
    const size_t bytes = (size_t)p->n*sizeof(slip_real);
    int i;

    memset(w->last, 0, bytes);
    if (!w->sol->warm) { memset(w->lambda, 0, bytes);  return; }
    memcpy(w->lambda, w->sol->lambda, bytes);
    for (i = 0; i < p->nc; ++i) {
        if (w->model == SLIP_MODEL_LCP) slip_pyramid_project(p->mu[i], w->facets, w->lambda + 3*i, w->lambda + 3*i);
        else slip_cone_project_horizontal(p->mu[i], w->lambda + 3*i, w->lambda + 3*i);
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) w->lambda[i] = slip_max(w->lambda[i], 0);
}

int slip_gs_begin(slip_gs *w, const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                  slip_arena *scratch, slip_model_kind model, int facets, slip_gs_judge *judge)
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
    w->judge = judge;
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
    w->target = 3*w->opt->tol*(slip_tol_is_relative(w->opt->tol_rule) ? slip_max_abs(p->n, p->g) : 1);
    w->best_excess = w->mark_excess = w->mark_comp = (slip_real)INFINITY;
    w->next_check = sol->warm ? 0 : 8;
    w->mark_sweep = w->circling = w->dampings = w->judged = w->last_is_best = 0;
    w->change = w->before = (slip_real)INFINITY;
    w->along = w->moved = 0;
    w->status = SLIP_MAX_ITERS;
    return 1;
}

void slip_gs_relax(const slip_gs *w, const slip_real old[3], slip_real x[3])
{
    slip_sub3(x, old, x);
    slip_axpy3(w->relax, x, old, x);
}

void slip_gs_scalars(slip_gs *w)
{
    const slip_problem *p = w->p;
    const int m = slip_block_count(p);
    int i;

    for (i = p->nc; i < m; ++i) {
        const int row = slip_block_row(p, i);
        const slip_real inv = w->scalar[i - p->nc];
        slip_real s, x, d;

        slip_gs_velocity(w, i, &s);
        x = w->lambda[row] - w->relax*inv*s;
        if (i < p->nc + p->nl) x = slip_max(x, 0);
        d = x - w->lambda[row];
        if (inv > 0) {
            w->along += d*w->last[row]/inv;
            w->moved += d*d/inv;
            w->change = slip_max(w->change, d*d/(inv*inv));
        }
        w->last[row] = d;
        slip_sweep_set(&w->sweep, i, &x);
    }
}

void slip_gs_sweep(slip_gs *w, slip_gs_update *update)
{
    int i;

    for (i = 0; i < w->p->nc; ++i) {
        slip_real sigma[3], x[3];

        slip_gs_velocity(w, i, sigma);
        update(w, &w->contact[i], sigma, w->lambda + 3*i, x);
        slip_gs_set(w, i, x);
    }
    slip_gs_scalars(w);
}

/* The verdict on the current impulses; keeps them when they are the best so far. Returns the excess. */
static slip_real gs_judge(slip_gs *w)
{
    slip_residual *r = &w->now;
    slip_real excess;

    slip_problem_sigma(w->p, w->lambda, w->sigma);
    if (w->judge) w->judge(w, w->lambda, w->sigma, r);
    else slip_residual_at(w->p, w->model, w->facets, w->lambda, w->sigma, r);
    if (w->sweeps > 0) slip_solver_tell(w->opt, w->sweeps, r, 0, 0, "sweep");
    excess = slip_residual_excess(r, w->opt->tol, w->opt->tol_rule);
    w->last_is_best = slip_is_finite(excess) && (!w->judged || excess < w->best_excess);
    if (w->last_is_best) {
        w->best_excess = excess;
        w->best_residual = *r;
        memcpy(w->best, w->lambda, (size_t)w->p->n*sizeof(slip_real));
        w->judged = 1;
    }
    return excess;
}

/* Halves the relaxation and goes on from the best iterate. */
static void gs_damp(slip_gs *w)
{
    w->relax /= 2;
    w->circling = 0;
    w->dampings++;
    w->mark_sweep = w->sweeps;
    w->mark_excess = w->best_excess;
    w->mark_comp = (slip_real)INFINITY;
    memcpy(w->lambda, w->best, (size_t)w->p->n*sizeof(slip_real));
    memset(w->last, 0, (size_t)w->p->n*sizeof(slip_real));
    w->sweep = slip_sweep_begin(w->p, w->lambda);
}

/* Whether one of the residuals fell by a per cent since it last did: their maxima have plateaus, one contact deep. */
static int gs_gets_on(slip_gs *w, slip_real excess)
{
    const int on = excess < SLIP_R(0.99)*w->mark_excess || w->now.eps_comp < SLIP_R(0.99)*w->mark_comp;

    if (on) {
        w->mark_excess = slip_min(excess, w->mark_excess);
        w->mark_comp = slip_min(w->now.eps_comp, w->mark_comp);
        w->mark_sweep = w->sweeps;
        w->circling = 0;
    }
    return on;
}

/* What to do after a verdict: 0 ends the loop. */
static int gs_progress(slip_gs *w, slip_real excess)
{
    const int turned = w->model != SLIP_MODEL_CCP && w->along < SLIP_R(0.3)*w->moved;    /* CCP descends anyway */

    if (excess <= 1) { w->status = SLIP_OK;  return 0; }
    if (!slip_is_finite(excess)) { w->status = SLIP_DIVERGED;  return 0; }
    if (w->sweeps > 0 && w->change == 0) { w->status = SLIP_STALLED;  return 0; }
    if (gs_gets_on(w, excess)) return 1;
    if (turned && ++w->circling >= GS_CIRCLES && w->dampings < GS_DAMPINGS) {
        gs_damp(w);
    } else if (w->sweeps - w->mark_sweep > GS_PATIENCE) {
        if (!turned || w->dampings >= GS_DAMPINGS) { w->status = SLIP_STALLED;  return 0; }
        gs_damp(w);
    }
    return 1;
}

int slip_gs_next(slip_gs *w)
{
    const int first = ++w->sweeps == 0;
    const int told = w->opt->history != NULL && !first, last = w->sweeps >= w->limit;
    slip_real excess, next;

    w->change = first ? (slip_real)INFINITY : slip_sqrt(w->change);
    next = w->sweeps > 1 && w->change < w->before ? w->change*(w->change/w->before) : w->change;
    w->before = w->change;
    if (told || last || next <= w->target || w->sweeps >= w->next_check || w->circling) {
        if (!(first && !w->sol->warm)) {
            excess = gs_judge(w);
            if (!gs_progress(w, excess)) return 0;
            w->target = first ? w->target : SLIP_R(1.5)*next/excess;
            w->next_check = w->sweeps + (w->sweeps < 32 ? 8 : w->sweeps/4);
        }
        if (last) return 0;
    }
    w->change = w->along = w->moved = 0;
    return 1;
}

/* The best there is when no iterate was finite: lambda = 0. */
static void gs_nothing(slip_gs *w)
{
    memset(w->lambda, 0, (size_t)w->p->n*sizeof(slip_real));
    memset(w->best, 0, (size_t)w->p->n*sizeof(slip_real));
    gs_judge(w);
    w->best_residual = w->now;
    w->last_is_best = 1;
}

slip_status slip_gs_end(slip_gs *w)
{
    const slip_residual *ncp = w->model == SLIP_MODEL_NCP ? &w->best_residual : NULL;

    if (!w->judged) gs_nothing(w);
    w->sol->iterations = w->sweeps;
    w->sol->factorizations = 0;
    if (!w->last_is_best) slip_problem_sigma(w->p, w->best, w->sigma);
    w->status = slip_solver_close_at(w->p, w->opt, w->best, w->sigma, &w->best_residual, ncp, w->status, w->sol);
    slip_arena_release(w->arena, w->mark);
    return w->status;
}

slip_status slip_gs_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                          slip_arena *scratch, slip_model_kind model, int facets, slip_gs_update *update)
{
    slip_gs w;

    if (!slip_gs_begin(&w, p, opt, sol, scratch, model, facets, NULL)) return w.status;
    while (slip_gs_next(&w)) slip_gs_sweep(&w, update);
    return slip_gs_end(&w);
}
