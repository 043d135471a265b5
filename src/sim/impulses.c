/* Contact impulses of a step: for each island its rows, the impulses of the last step if they still hold, else one call
 * of the solver; and the velocity that results. Every solver gets the same problem, the same warm start and the same
 * tolerance. */
#include "sim/world_private.h"

#include <string.h>

/* The warm start in w->rows as a solution; cold without the option warm_start. */
static slip_solution impulses_warm_start(const slip_world *w)
{
    slip_solution warm = slip_solution_over(w->rows.lambda, w->rows.sigma, w->rows.dual);
    const int n = w->step.assembly.n;
    int i;

    if (!w->opt.warm_start) {
        memset(w->rows.lambda, 0, (size_t)n*sizeof *w->rows.lambda);
        memset(w->rows.dual, 0, (size_t)n*sizeof *w->rows.dual);
        return warm;
    }
    if (w->opt.warm_share < 1)
        for (i = 0; i < n; ++i) w->rows.lambda[i] *= w->opt.warm_share;
    warm.warm = n;
    warm.rho = w->state.progress->problem_rows == n ? w->state.progress->rho : 0;    /* else of another problem */
    return warm;
}

/* *p <- the problem of the rows in w->rows: G is multiplied out here. */
static void impulses_problem(slip_world *w, slip_problem *p)
{
    slip_assembly_finish(&w->step.assembly, w->rows.mu, w->rows.g, w->rows.compliant ? w->rows.R : NULL, p);
    p->distance = w->rows.distance;
}

void slip_phase_rows(slip_world *w, const slip_step_input *in, const slip_real *v_free, const slip_island *island,
                     slip_problem *problem, slip_solution *warm)
{
    slip_sim_rows(w, in, v_free, island);
    slip_sim_soften(w, island);
    slip_sim_bound_pulls(w, island);
    impulses_problem(w, problem);
    *warm = impulses_warm_start(w);
}

void slip_phase_add(slip_world *w, const slip_real *lambda)
{
    slip_assembly_add_impulse(&w->step.assembly, lambda, w->step.dv_contact);
    w->step.dv_done = 0;
    if (slip_sim_sums_jt_lambda(w)) slip_assembly_add_force(&w->step.assembly, lambda, w->step.jt_lambda);
}

void slip_phase_velocity(slip_world *w, const slip_real *v_free, slip_real *v_next)
{
    int i;

    if (!w->step.dv_done) slip_assembly_spread(&w->step.assembly, w->step.dv_contact);
    w->step.dv_done = 1;
    for (i = 0; i < w->model->nv; ++i) v_next[i] = v_free[i] + w->step.dv_contact[i];
}

/* Worst of two residuals, criterion by criterion. */
static void impulses_worst(slip_residual *all, const slip_residual *one)
{
    all->eps_primal = slip_max(all->eps_primal, one->eps_primal);
    all->eps_dual = slip_max(all->eps_dual, one->eps_dual);
    all->eps_comp = slip_max(all->eps_comp, one->eps_comp);
    all->eps_abs = slip_max(all->eps_abs, one->eps_abs);
    all->lambda_max = slip_max(all->lambda_max, one->lambda_max);
    all->sigma_max = slip_max(all->sigma_max, one->sigma_max);
    all->g_max = slip_max(all->g_max, one->g_max);
}

/* One call of the solver for w->step.problem: w->rows.lambda, sigma and dual become its answer, *model the
 * residual of the solver's own model. */
static slip_status impulses_solve(slip_world *w, const slip_island *island, slip_residual *residual,
                                  slip_residual *model)
{
    const size_t mark = slip_arena_mark(&w->step.scratch);
    slip_solution sol = impulses_warm_start(w);
    slip_status s;

    if (w->opt.on_problem) w->opt.on_problem(w->opt.problem_context, &w->step.problem, &sol);
    s = slip_solve(w->opt.solver, &w->step.problem, &w->opt.solve, &sol, &w->step.scratch);
    slip_arena_release(&w->step.scratch, mark);
    if (s < 0) slip_sim_report_failed(w, s, island);
    if (s < 0) return s;
    w->state.progress->rho = sol.rho;
    w->state.progress->problem_rows = w->step.assembly.n;
    w->stats.calls += 1;
    w->stats.iterations += sol.iterations;
    w->stats.factorizations += sol.factorizations;
    w->stats.solves += 1;
    w->stats.replaced += sol.replaced;
    *residual = sol.residual;
    *model = sol.model;
    return s;
}

/* Whether a budget leaves nothing for further rounds. */
static int impulses_are_over(const slip_world *w, slip_status s)
{
    return s == SLIP_DEADLINE || slip_budget_is_empty(w->opt.solve.budget);
}

/* Solves the island in w->rows and w->step.problem by one call of the solver. It is called again while bounds of
 * torsional or rolling friction contradict the normal impulses, at most SIM_ROLLING_ROUNDS times, and while contacts
 * create energy, at most once for each contact's normal and tangents. */
static slip_status impulses_rounds(slip_world *w, const slip_island *island, slip_residual *residual)
{
    slip_residual model;
    slip_status s;
    int i;

    s = impulses_solve(w, island, residual, &model);
    do {
        for (i = 1; w->step.rolls && s >= 0 && !impulses_are_over(w, s) && slip_sim_rolling_check(w, island, i); ++i)
            s = impulses_solve(w, island, residual, &model);
        if (s < 0 || impulses_are_over(w, s) || !slip_sim_bound_work(w, island)) break;
        s = impulses_solve(w, island, residual, &model);
    } while (s >= 0);
    if (s > SLIP_OK) slip_sim_report_missed(w, s, island, &model, slip_sim_excess(w, &model));
    return s;
}

/* One island: rows; the last impulses judged by J alone; softening and bounded pulls; the last impulses judged with G
 * or Y; else the solver. Its impulses are added and stored. */
static slip_status impulses_of_island(slip_world *w, const slip_step_input *in, const slip_real *v_free,
                                      const slip_island *island)
{
    slip_problem *with_G = NULL;
    slip_residual residual;
    slip_status s = SLIP_OK;
    int softened = 0, reused;

    slip_sim_rows(w, in, v_free, island);
    if (w->step.assembly.n == 0) return SLIP_OK;
    slip_sim_lap(w, SLIP_PHASE_ASSEMBLY);
    reused = slip_sim_reused_impulses_hold(w, island, &residual);
    if (!reused) {
        softened = slip_sim_soften(w, island);
        w->stats.softened += softened;
        slip_sim_bound_pulls(w, island);
        /* Impulses that were not reused in the last step will mostly be refused. Then G is needed for the solve anyway,
         * and judging with G is cheaper than with Y. RaiSim's criterion needs blocks of G. */
        if (w->opt.solver->model == SLIP_MODEL_RAISIM || !slip_sim_was_reused(w, island))
            impulses_problem(w, with_G = &w->step.problem);
        reused = slip_sim_last_impulses_hold(w, island, with_G, &residual);
        slip_sim_lap(w, SLIP_PHASE_ASSEMBLY);
        if (!reused && !with_G) impulses_problem(w, &w->step.problem);
        if (!reused) s = impulses_rounds(w, island, &residual);
        if (s < 0) return s;
        slip_phase_add(w, w->rows.lambda);
    }
    slip_sim_lap(w, SLIP_PHASE_SOLVE);
    if (w->opt.soften && !w->fixed.constant_mass) slip_sim_mark_jams(w, island, s > SLIP_OK);
    slip_sim_store_impulses(w, island, reused && !softened);
    w->stats.islands += 1;
    impulses_worst(&w->stats.residual, &residual);
    return s;
}

/* How many islands with contacts there are. */
static int impulses_islands(const slip_world *w)
{
    int i, n = 0;

    for (i = 0; i < w->step.ncontacts; ++i)
        n += i == 0 || w->step.contacts[w->step.order[i]].island != w->step.contacts[w->step.order[i - 1]].island;
    return n;
}

/* Whether the island at place `at` of n has its turn, when only `left` of them can have an iteration: each step goes on
 * where the last one ended. */
static int impulses_have_turn(const slip_world *w, int at, int n, long left)
{
    return left >= n || (at + n - (int)(w->state.progress->steps % n*left % n)) % n < left;
}

slip_status slip_sim_impulses(slip_world *w, const slip_step_input *in, const slip_real *v_free, slip_real *v_next)
{
    slip_island island = { 0, 0, 0, 0 };
    slip_status worst = SLIP_OK;
    const long left = w->step.budget.left;
    int i, rest, all, at = 0;

    slip_phase_islands(w, in, v_free);
    slip_sim_sleep_groups(w);
    rest = SLIP_HAS_BUDGETS && w->opt.solve.budget ? impulses_islands(w) : 0;
    all = rest + 1;                                      /* and one without contacts */
    while (slip_island_next(w, &island)) {
        slip_status s = SLIP_OK;

        if (slip_sim_island_sleeps(w, &island)) {        /* its impulses are those of the last step */
            for (i = island.from; i < island.to; ++i) slip_zero3(w->step.contacts[w->step.order[i]].sigma);
        } else {
            if (island.to > island.from) rest -= 1;
            slip_sim_share(w, island.to - island.from + 1, w->step.ncontacts - island.from + 1, rest,
                           w->step.ncontacts - island.from);
            if (SLIP_HAS_BUDGETS && left >= 0 && !impulses_have_turn(w, at++, all, left)) w->step.share.left = 0;
            s = impulses_of_island(w, in, v_free, &island);
            slip_sim_share_end(w);
        }
        if (s < 0) return s;
        if (s > worst) worst = s;
    }
    slip_phase_velocity(w, v_free, v_next);
    w->stats.asleep = 0;
    slip_sim_hold_sleepers(w);
    return worst;
}
