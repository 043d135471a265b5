/* The default: ncp-newton and ncp-admm in turns, each from where the other got (PAPERS.md Sec. 2).
 *
 *     large problems, cold:  a few ADMM iterations, which find the active set at the price of few factorisations
 *     repeat
 *         Newton from the best iterate so far, until it stalls or has had its share
 *         ADMM from the best iterate, four times as long as last time
 *     until the true criterion holds
 *
 * Newton is quick where contacts slide, ADMM is robust where Newton's active set wanders. */
#include "solvers/admm.h"
#include "solvers/newton.h"
#include "solvers/solvers.h"

#define DEFAULT_ITERATIONS   50000
#define DEFAULT_LARGE        300         /* rows from which a cold solve begins with ADMM */
#define DEFAULT_FIRST_ADMM   20
#define DEFAULT_NEWTON       80
#define DEFAULT_ADMM         100

typedef struct {
    slip_problem copy;                   /* p, with a factored G multiplied out */
    const slip_solver_options *opt;
    slip_newton newton;
    slip_admm admm;
    int admm_ready;
    slip_real *best;
    slip_real excess;
    slip_residual residual;
    int iterations, factorizations, left;
} default_pair;

static slip_status default_carve(default_pair *w, const slip_problem *p, const slip_solver_options *opt,
                                 slip_arena *arena)
{
    slip_status status = SLIP_OK;

    w->copy = *p;
    w->opt = opt;
    w->best = slip_arena_reals(arena, (size_t)p->n);
    if (!w->best) return SLIP_ERR_WORKSPACE;
    if (p->G.form == SLIP_G_FACTOR) {
        status = slip_problem_to_dense(&w->copy, arena);
        if (slip_arena_is_counting(arena)) w->copy.G.form = SLIP_G_DENSE;
        w->copy.G.symmetric = 1;
    }
    if (status >= 0) status = slip_newton_carve(&w->newton, &w->copy, opt, arena);
    if (status >= 0) status = slip_admm_carve(&w->admm, p, opt, SLIP_MODEL_NCP, arena);
    return status;
}

size_t slip_default_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena count = slip_arena_counting();
    default_pair w;

    default_carve(&w, p, opt, &count);
    return slip_arena_needed(&count);
}

/* Counts what a part did and keeps its best when it is the best so far. */
static void default_collect(default_pair *w, int iterations, int factorizations, slip_real excess,
                            const slip_residual *residual, const slip_real *best)
{
    int i;

    w->iterations += iterations;
    w->factorizations += factorizations;
    w->left -= iterations;
    if (!(excess < w->excess)) return;
    w->excess = excess;
    w->residual = *residual;
    for (i = 0; i < w->copy.n; ++i) w->best[i] = best[i];
}

static slip_status default_newton(default_pair *w, const slip_real *from, slip_real scale, int steps)
{
    slip_newton *n = &w->newton;
    slip_status status;

    slip_newton_start(n, from, scale);
    status = slip_newton_run(n, steps < w->left ? steps : w->left);
    default_collect(w, n->iterations, n->factorizations, n->best_excess, &n->best_residual, n->best);
    return status;
}

static slip_status default_admm(default_pair *w, const slip_real *from, const slip_real *dual, slip_real rho, int steps)
{
    slip_admm *a = &w->admm;
    slip_status status = slip_admm_start(a, from, dual, rho);

    if (status < 0) return status;
    w->admm_ready = 1;
    status = slip_admm_run(a, steps < w->left ? steps : w->left);
    default_collect(w, a->iterations, a->factorizations, a->best_excess, &a->best_residual, a->best);
    return status;
}

/* The turns. */
static slip_status default_alternate(default_pair *w, const slip_solution *sol)
{
    static const slip_real scales[] = { SLIP_R(1.0), SLIP_R(0.3), SLIP_R(3.0) };
    slip_status status = SLIP_MAX_ITERS;
    int round, admm_steps = DEFAULT_ADMM;
    const slip_real *from = sol->warm ? sol->lambda : NULL;

    if (!sol->warm && w->copy.n >= DEFAULT_LARGE) {
        status = default_admm(w, NULL, NULL, 0, DEFAULT_FIRST_ADMM);
        from = w->best;
    }
    for (round = 0; status > SLIP_OK && w->left > 0; ++round) {
        status = default_newton(w, from, scales[round % 3], DEFAULT_NEWTON);
        if (status == SLIP_OK || w->left <= 0) break;
        status = default_admm(w, w->best, NULL, w->admm_ready ? slip_admm_rho(&w->admm) : 0, admm_steps);
        admm_steps *= 4;
        from = w->best;
    }
    return status;
}

slip_status slip_default(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    const unsigned takes = SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE;
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options storage;
    slip_status status;
    default_pair w;

    if (!slip_solver_open(p, SLIP_MODEL_NCP, takes, &opt, &storage, sol, &status)) return status;
    status = default_carve(&w, p, opt, scratch);
    if (status >= 0) {
        w.admm_ready = w.iterations = w.factorizations = 0;
        w.excess = (slip_real)INFINITY;
        w.left = opt->max_iterations > 0 ? opt->max_iterations : DEFAULT_ITERATIONS;
        status = default_alternate(&w, sol);
    }
    if (status >= 0) {
        sol->iterations = w.iterations;
        sol->factorizations = w.factorizations;
        sol->rho = w.admm_ready ? slip_admm_rho(&w.admm) : 0;
        status = slip_solver_close(p, opt, w.best, w.newton.image, &w.residual, status, sol);
    }
    slip_arena_release(scratch, mark);
    return sol->status = status;
}
