/* Solvers around a solver. See solve_probe.h. */
#include "solve_probe.h"

#include <math.h>
#include <string.h>

/* A slip_solver has no context, so the one probe there is lives here. */
static struct {
    slip_solver solver;
    const slip_solver *inner;
    size_t room;
    solve_observer *observer;
    void *context;
} probe;

static slip_status probe_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                               slip_arena *scratch)
{
    const slip_status status = slip_solve(probe.inner, p, opt, sol, scratch);

    if (status >= 0) probe.observer(probe.context, p, opt, sol, scratch);
    return status;
}

static size_t probe_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    return slip_solve_bytes(probe.inner, p, opt) + probe.room;
}

const slip_solver *solve_probe(const slip_solver *solver, size_t room, solve_observer *observer, void *context)
{
    probe.solver = *solver;
    probe.solver.solve = probe_solve;
    probe.solver.bytes = probe_bytes;
    probe.inner = solver;
    probe.room = room;
    probe.observer = observer;
    probe.context = context;
    return &probe.solver;
}

/* ---- the time ------------------------------------------------------------------------------------------------- */

double solve_best(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt, int repeats,
                  slip_solution *sol, slip_arena *scratch, slip_status *status)
{
    const size_t mark = slip_arena_mark(scratch), bytes = (size_t)p->n*sizeof(slip_real);
    slip_real *lambda = slip_arena_reals(scratch, (size_t)p->n), *dual = slip_arena_reals(scratch, (size_t)p->n);
    const slip_real rho = sol->rho;
    const int warm = sol->warm;
    double best = HUGE_VAL;
    int k;

    *status = lambda && dual ? SLIP_OK : SLIP_ERR_WORKSPACE;
    if (*status >= 0 && warm > 0) memcpy(lambda, sol->lambda, bytes);
    if (*status >= 0 && warm > 0 && sol->dual) memcpy(dual, sol->dual, bytes);
    for (k = 0; k < repeats && *status >= 0; ++k) {
        double start;

        if (k > 0 && warm > 0) memcpy(sol->lambda, lambda, bytes);
        if (k > 0 && warm > 0 && sol->dual) memcpy(sol->dual, dual, bytes);
        sol->warm = warm;
        sol->rho = rho;
        start = cli_cpu_seconds();
        *status = slip_solve(solver, p, opt, sol, scratch);
        best = fmin(best, cli_cpu_seconds() - start);
    }
    slip_arena_release(scratch, mark);
    return best;
}

size_t solve_best_bytes(const slip_problem *p) { return 2*((size_t)p->n*sizeof(slip_real) + 64); }   /* 64: alignment */

static size_t timed_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    return slip_solve_bytes(probe.inner, p, opt) + solve_best_bytes(p);
}

static slip_status timed_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                               slip_arena *scratch)
{
    solve_cost *c = (solve_cost *)probe.context;
    const double n = p->n;
    slip_status status;

    c->seconds += solve_best(probe.inner, p, opt, c->repeats, sol, scratch, &status);
    if (status < 0) return status;
    c->iterations += sol->iterations;
    c->contacts += p->nc;
    c->solves += 1;
    c->operations += 2*n*n*sol->iterations + n*n*n/3*sol->factorizations;
    return status;
}

const slip_solver *solve_timed(const slip_solver *solver, solve_cost *cost)
{
    probe.solver = *solver;
    probe.solver.solve = timed_solve;
    probe.solver.bytes = timed_bytes;
    probe.inner = solver;
    probe.room = 0;
    probe.context = cost;
    return &probe.solver;
}

/* ---- sweeping first ------------------------------------------------------------------------------------------- */

typedef struct { slip_real *lambda; int n, seen; } sweep_iterate;

static void sweep_keep(void *context, const slip_iteration *it)
{
    sweep_iterate *s = (sweep_iterate *)context;

    if (!it->lambda) return;
    memcpy(s->lambda, it->lambda, (size_t)s->n*sizeof *s->lambda);
    s->seen = 1;
}

/* One sweep towards a tolerance that nothing meets, then the rest from there. */
static slip_status sweep_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                               slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options first = *opt;
    sweep_iterate kept;
    slip_status status;

    kept.lambda = slip_arena_reals(scratch, (size_t)p->n);
    kept.n = p->n;
    kept.seen = 0;
    if (!kept.lambda) return SLIP_ERR_WORKSPACE;
    first.tol = SLIP_TOL(1e-300, 1e-37);
    first.max_iterations = 1;
    first.history = sweep_keep;
    first.history_context = &kept;
    status = slip_solve(probe.inner, p, &first, sol, scratch);
    if (status >= 0) {
        const int sweeps = sol->iterations;

        if (kept.seen) memcpy(sol->lambda, kept.lambda, (size_t)p->n*sizeof *sol->lambda);
        sol->warm = p->n;
        status = slip_solve(probe.inner, p, opt, sol, scratch);
        sol->iterations += sweeps;
    }
    slip_arena_release(scratch, mark);
    return status;
}

static size_t sweep_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    return slip_solve_bytes(probe.inner, p, opt) + (size_t)p->n*sizeof(slip_real) + 64;    /* 64: alignment */
}

const slip_solver *solve_sweep_first(const slip_solver *solver)
{
    probe.solver = *solver;
    probe.solver.solve = sweep_solve;
    probe.solver.bytes = sweep_bytes;
    probe.inner = solver;
    return &probe.solver;
}
