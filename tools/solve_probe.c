/* Solvers around a solver. See solve_probe.h. */
#include "solve_probe.h"

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

static slip_status timed_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                               slip_arena *scratch)
{
    const double start = cli_seconds();
    const slip_status status = slip_solve(probe.inner, p, opt, sol, scratch);

    *(double *)probe.context += cli_seconds() - start;
    return status;
}

const slip_solver *solve_timed(const slip_solver *solver, double *seconds)
{
    probe.solver = *solver;
    probe.solver.solve = timed_solve;
    probe.solver.bytes = probe_bytes;
    probe.inner = solver;
    probe.room = 0;
    probe.context = seconds;
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
