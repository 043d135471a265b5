/* A solver of one's own: damped Jacobi on the CCP, as short as a solver can be. It shows what every solver does besides
 * its algorithm; "How to add a solver" in docs/architecture.md explains each call, tests/test_my_solver.c runs it.
 *
 *     lambda_i <- P_K(lambda_i - omega/(m trace_i) sigma_i)     all m blocks i at once, trace_i = tr(G_ii + R_ii)
 *
 * The largest eigenvalue of (G + R)/trace is at most m, so the CCP's objective falls for every omega < 2. With many
 * contacts these steps are far too short for use.
 *
 * From the tree:  make && cc -std=c99 -Isrc examples/my_solver.c build/cc-double/libslipstick.a -lm && ./a.out */
#include <stdio.h>
#include <string.h>
#include "slipstick_parts.h"

enum { MY_LIMIT = 50000 };                               /* iterations, where the options name no limit */

typedef struct { slip_real *lambda, *sigma, *step, *best; } my_work;

/* Takes the memory; in a counting arena it is counted by the same calls. */
static int my_take(my_work *w, const slip_problem *p, slip_arena *a)
{
    const size_t n = (size_t)p->n;

    w->lambda = slip_arena_reals(a, n);
    w->sigma = slip_arena_reals(a, n);
    w->step = slip_arena_reals(a, n);
    w->best = slip_arena_reals(a, n);
    return w->lambda && w->sigma && w->step && w->best;
}

static size_t my_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena count = slip_arena_counting();
    my_work w;

    (void)opt;
    my_take(&w, p, &count);
    return slip_arena_needed(&count);
}

/* step <- omega/(m trace_i) for each row. */
static void my_steps(const slip_problem *p, slip_real omega, slip_real *step)
{
    int i, k;

    slip_problem_diagonal(p, step);
    for (i = 0; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i), end = row + slip_block_dim(p, i);
        slip_real trace = 0;

        for (k = row; k < end; ++k) trace += step[k] + (p->R ? p->R[k] : 0);
        for (k = row; k < end; ++k) step[k] = trace > 0 ? omega/((slip_real)slip_block_count(p)*trace) : 0;
    }
}

static slip_status my_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol, slip_arena *mem)
{
    const size_t mark = slip_arena_mark(mem);
    slip_solver_options defaults;
    slip_residual r, best_residual;
    slip_real excess, best_excess = 0;
    slip_status status;
    my_work w;
    int i, k, limit;

    if (!slip_solver_open(p, SLIP_MODEL_CCP, SLIP_TAKES_ALL, &opt, &defaults, sol, &status)) return status;
    if (!my_take(&w, p, mem)) {
        slip_arena_release(mem, mark);
        return sol->status = SLIP_ERR_WORKSPACE;
    }
    limit = opt->max_iterations > 0 ? opt->max_iterations : MY_LIMIT;
    my_steps(p, opt->relaxation, w.step);
    memset(w.lambda, 0, (size_t)p->n*sizeof *w.lambda);
    if (sol->warm) slip_problem_project(p, sol->lambda, w.lambda);
    for (k = 0;; ++k) {
        slip_problem_sigma(p, w.lambda, w.sigma);                            /* judge */
        slip_residual_at(p, SLIP_MODEL_CCP, 0, w.lambda, w.sigma, &r);
        excess = slip_residual_excess(&r, opt->tol, opt->tol_rule);
        if (k > 0) slip_solver_report(opt, k, &r, 0, 0, w.lambda, "jacobi");
        if (k == 0 || excess < best_excess) {                                /* keep the best */
            best_excess = excess;
            best_residual = r;
            memcpy(w.best, w.lambda, (size_t)p->n*sizeof *w.best);
        }
        if (excess <= 1 || k == limit || !slip_budget_take(opt->budget)) break;
        for (i = 0; i < p->n; ++i) w.lambda[i] -= w.step[i]*w.sigma[i];      /* the algorithm: two lines */
        slip_problem_project(p, w.lambda, w.lambda);
    }
    sol->iterations = k;
    status = slip_solver_close(p, opt, w.best, w.sigma, &best_residual, excess <= 1 ? SLIP_OK : SLIP_MAX_ITERS, sol);
    slip_arena_release(mem, mark);
    return status;
}

static const slip_solver my_solver = {
    .id = "my-solver", .model = SLIP_MODEL_CCP, .about = "damped Jacobi with cone projections",
    .paper = "", .engines = "", .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_RELAXATION,
    .solve = my_solve, .bytes = my_bytes
};

/* Two contacts that share a body, solved by name. A world takes the solver by slip_world_options.solver. */
int main(void)
{
    static const slip_solver *const list[1] = { &my_solver };
    const slip_registry mine = { list, 1, slip_registry_all() };
    static unsigned char memory[4096];
    const slip_real half = (slip_real)0.5, aside = (slip_real)0.1;                /* also where slip_real is float */
    const slip_real mu[2] = { half, half }, g[6] = { aside, 0, -1, aside, 0, -2*aside };
    slip_real G[36] = { 0 }, lambda[6] = { 0 };
    slip_solver_options opt = slip_solver_defaults();
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_solution sol = slip_solution_over(lambda, NULL, NULL);
    slip_problem p;
    int i;

    for (i = 0; i < 6; ++i) G[7*i] = 2;
    G[2*6 + 5] = G[5*6 + 2] = half;
    p = slip_problem_dense(2, mu, g, G, 6);
    slip_solve(slip_registry_find(&mine, "my-solver"), &p, &opt, &sol, &mem);
    printf("%s after %d iterations: normal impulses %.4f and %.4f N s\n", slip_status_text(sol.status), sol.iterations,
           (double)lambda[2], (double)lambda[5]);
    return sol.status == SLIP_OK ? 0 : 1;
}
