/* The frame around every solve: defaults, checks, statistics and the final judgement. See solver.h. */
#include "solvers/solver.h"
#include "contact/operator.h"

#include <string.h>

slip_solver_options slip_solver_defaults(void)
{
    slip_solver_options o;

    memset(&o, 0, sizeof o);                                 /* what is not set below is 0 or NULL */
    o.tol = SLIP_TOL(1e-6, 1e-4);
    o.tol_rule = SLIP_TOL_AUTO;
    o.stop = SLIP_STOP_TRUE;
    o.relaxation = 1;
    o.step = SLIP_STEP_MAX;
    o.alpha = 1;
    o.alpha_decay = SLIP_R(0.99);
    o.alpha_min = SLIP_R(0.7);
    o.rho_rule = SLIP_RHO_SPECTRAL;
    o.rho_power = SLIP_R(0.05);
    o.rho_factor = 2;
    o.eta = SLIP_R(1e-6);
    o.facets = 4;
    o.barrier = SLIP_R(0.1);
    o.elastic = 10;
    o.r_min = SLIP_R(0.01);
    o.r_max = 100;
    o.d_max = SLIP_R(0.1);
    return o;
}

slip_solution slip_solution_over(slip_real *lambda, slip_real *sigma, slip_real *dual)
{
    slip_solution s;

    memset(&s, 0, sizeof s);
    s.lambda = lambda;
    s.sigma = sigma;
    s.dual = dual;
    return s;
}

static int solver_options_are_sane(const slip_solver_options *o)
{
    return o->tol > 0 && slip_is_finite(o->tol) && o->max_iterations >= 0
        && o->relaxation > 0 && o->relaxation < 2
        && o->alpha > 0 && o->alpha_decay > 0 && o->alpha_decay <= 1 && o->alpha_min > 0 && o->patience >= 0
        && o->sweeps >= 0
        && o->rho >= 0 && (o->rho_tube == 0 || o->rho_tube > 1) && o->rho_power > 0 && o->rho_factor > 1
        && o->rho_every >= 0 && o->over_relaxation >= 0 && o->over_relaxation < 2 && o->eta > 0 && o->facets >= 4
        && o->regularization >= 0
        && o->barrier > 0 && o->elastic > 0 && o->r_min >= 0 && o->r_max >= o->r_min && o->d_max >= 0
        && o->barrier_final >= 0;
}

static int solver_warm_is_sane(const slip_problem *p, const slip_solution *sol)
{
    if (sol->warm == 0) return 1;
    return sol->warm == p->n && slip_all_finite(sol->lambda, p->n) && slip_is_finite(sol->rho) && sol->rho >= 0
        && (!sol->dual || slip_all_finite(sol->dual, p->n));
}

static int solver_can_take(const slip_problem *p, unsigned takes)
{
    if (p->nl > 0 && !(takes & SLIP_TAKES_LIMITS)) return 0;
    if (p->nb > 0 && !(takes & SLIP_TAKES_BILATERAL)) return 0;
    if (p->R && !(takes & SLIP_TAKES_COMPLIANCE)) return 0;
    return 1;
}

/* Whether lambda = 0 solves the model: sigma = g then. The barrier pushes even then. Infinite friction holds the
 * tangent whether or not the contact is open; but in RaiSim's model an open contact has no impulse. */
static int solver_free_flight(const slip_problem *p, slip_contact_model model)
{
    int i;

    if (model == SLIP_MODEL_BARRIER) return 0;
    for (i = 0; i < p->nc; ++i) {
        const slip_real *g = p->g + 3*i;

        if (!(g[2] >= 0)) return 0;
        if (model == SLIP_MODEL_CCP && slip_cone_distance_dual(p->mu[i], g) > 0) return 0;
        if (p->mu[i] >= SLIP_MU_INFINITE && (g[0] != 0 || g[1] != 0)
            && !(model == SLIP_MODEL_RAISIM && g[2] > 0)) return 0;
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) if (!(p->g[i] >= 0)) return 0;
    for (; i < p->n; ++i) if (p->g[i] != 0) return 0;
    return 1;
}

/* lambda = 0, sigma = g, and a residual of exactly 0. */
static slip_status solver_answer_zero(const slip_problem *p, slip_solution *sol)
{
    int i;

    for (i = 0; i < p->n; ++i) {
        sol->lambda[i] = 0;
        if (sol->sigma) sol->sigma[i] = p->g[i];
    }
    if (sol->dual) slip_problem_desaxce(p, p->g, sol->dual);
    slip_residual_at(p, SLIP_MODEL_NCP, 4, sol->lambda, p->g, &sol->residual);
    sol->model = sol->residual;
    sol->model.eps_primal = sol->model.eps_dual = sol->model.eps_comp = sol->model.eps_abs = 0;
    return sol->status = SLIP_OK;
}

int slip_solver_open(const slip_problem *p, slip_contact_model model, unsigned takes,
                     const slip_solver_options **opt, slip_solver_options *storage,
                     slip_solution *sol, slip_status *status)
{
    if (!*opt) {
        *storage = slip_solver_defaults();
        *opt = storage;
    }
    *status = SLIP_ERR_ARGUMENT;
    if (!p || !sol || !solver_options_are_sane(*opt)) return 0;
    sol->seconds = (*opt)->clock ? -(*opt)->clock((*opt)->clock_context) : 0;
    sol->iterations = sol->factorizations = 0;
    *status = slip_problem_check_quick(p);
    if (*status >= 0 && ((p->n > 0 && !sol->lambda) || !solver_warm_is_sane(p, sol))) *status = SLIP_ERR_ARGUMENT;
    if (*status >= 0 && !solver_can_take(p, takes)) *status = SLIP_ERR_UNSUPPORTED;
    if (*status < 0) { sol->status = *status; return 0; }
    if (p->n == 0 || solver_free_flight(p, model)) {
        *status = solver_answer_zero(p, sol);
        if ((*opt)->clock) sol->seconds += (*opt)->clock((*opt)->clock_context);
        return 0;
    }
    return 1;
}

slip_status slip_solver_close(const slip_problem *p, const slip_solver_options *opt, const slip_real *lambda,
                              slip_real *sigma, const slip_residual *model, slip_status reached,
                              slip_solution *sol)
{
    slip_problem_sigma(p, lambda, sigma);
    return slip_solver_close_at(p, opt, lambda, sigma, model, NULL, reached, sol);
}

slip_status slip_solver_close_at(const slip_problem *p, const slip_solver_options *opt, const slip_real *lambda,
                                 const slip_real *sigma, const slip_residual *model, const slip_residual *ncp,
                                 slip_status reached, slip_solution *sol)
{
    int i;

    if (sol->lambda != lambda) for (i = 0; i < p->n; ++i) sol->lambda[i] = lambda[i];
    if (sol->sigma && sol->sigma != sigma) for (i = 0; i < p->n; ++i) sol->sigma[i] = sigma[i];
    if (sol->dual) slip_problem_desaxce(p, sigma, sol->dual);
    if (ncp) sol->residual = *ncp;
    else slip_residual_at(p, SLIP_MODEL_NCP, 4, lambda, sigma, &sol->residual);
    sol->model = *model;
    if (reached >= 0) {
        const int met = slip_residual_excess(model, opt->tol, opt->tol_rule) <= 1;

        if (met) reached = SLIP_OK;
        else if (reached == SLIP_OK) reached = SLIP_STALLED;
    }
    sol->status = reached;
    if (opt->clock) sol->seconds += opt->clock(opt->clock_context);
    return reached;
}

void slip_solver_report(const slip_solver_options *opt, int iteration, const slip_residual *model, slip_real rho,
                      int factorizations, const slip_real *lambda, const char *phase)
{
    slip_iteration it;

    if (!opt->history) return;
    it.iteration = iteration;
    it.eps_primal = model->eps_primal;
    it.eps_dual = model->eps_dual;
    it.eps_comp = model->eps_comp;
    it.rho = rho;
    it.factorizations = factorizations;
    it.lambda = lambda;
    it.phase = phase;
    opt->history(opt->history_context, &it);
}

/* ---- a solve by any solver ------------------------------------------------------------------------ */

/* Judges the impulses of a solver that filled nothing else: sigma, dual, residuals and status. Without it a world would
 * take them for solved. */
static slip_status solver_complete(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                                   slip_status status, slip_solution *sol, slip_arena *scratch)
{
    const slip_solver_options defaults = slip_solver_defaults();
    const size_t mark = slip_arena_mark(scratch);
    slip_real *sigma = sol->sigma ? sol->sigma : slip_arena_reals(scratch, (size_t)p->n);
    slip_residual model;

    if (!sigma) return sol->status = SLIP_ERR_WORKSPACE;
    if (!opt) opt = &defaults;
    slip_problem_sigma(p, sol->lambda, sigma);
    slip_residual_at(p, solver->model, opt->facets, sol->lambda, sigma, &model);
    status = slip_solver_close_at(p, opt, sol->lambda, sigma, &model, NULL, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}

/* Brings the impulses of a solve that was cut short inside their cones, and shortens them so that they create no
 * energy. They change it by g.lambda + lambda.(G + R) lambda/2, which along lambda is least at the share
 * -g.lambda/lambda.(G + R) lambda of it; an iterate or a warm start that is far off may be many times longer. */
static slip_status solver_shorten(const slip_problem *p, slip_solution *sol, slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_real *image = slip_arena_reals(scratch, (size_t)p->n), along = 0, square = 0;
    int i;

    if (!image) return sol->status = SLIP_ERR_WORKSPACE;
    slip_problem_project(p, sol->lambda, sol->lambda);
    slip_problem_sigma(p, sol->lambda, image);
    for (i = 0; i < p->n; ++i) {
        along -= p->g[i]*sol->lambda[i];
        square += (image[i] - p->g[i])*sol->lambda[i];
    }
    if (along < square)
        for (i = 0; i < p->n; ++i) sol->lambda[i] *= along > 0 ? along/square : 0;      /* square may underflow */
    slip_arena_release(scratch, mark);
    return SLIP_OK;
}

/* The impulses of a solve whose budget is used up, judged. */
static slip_status solver_end_at_deadline(const slip_solver *solver, const slip_problem *p,
                                          const slip_solver_options *opt, slip_solution *sol, slip_arena *scratch)
{
    const double seconds = sol->seconds;
    slip_status status = solver_shorten(p, sol, scratch);

    if (status < 0) return status;
    status = solver_complete(solver, p, opt, SLIP_DEADLINE, sol, scratch);
    sol->seconds = seconds;
    return status;
}

/* ---- budgets ------------------------------------------------------------------------------------------- */

/* Until a clock has told: slower than microcontrollers with a floating-point unit (some 3e-8 at 168 MHz) [s/flop]. */
#define SOLVER_PACE 1e-7

/* Solves of fewer flops say nothing about the pace: clocks have a resolution. */
#define SOLVER_PACE_FLOPS 1e4

long slip_budget_units(const slip_problem *p, double flops)
{
    const double units = flops/slip_operator_sweep_flops(p);

    return units > 1 ? units < 1e9 ? (long)units : 1000000000 : 1;
}

double slip_budget_seconds(const slip_budget *b, double flops) { return (b->pace > 0 ? b->pace : SOLVER_PACE)*flops; }

/* Of a row and an iteration besides products and factorisations, as measured for default's interior point. */
#define SOLVER_ROW_FLOPS 350.0

/* Of an entry of a full matrix that is gathered from G's blocks. */
#define SOLVER_ENTRY_FLOPS 20.0

slip_work_estimate slip_work_of_factorisations(const slip_problem *p, const slip_solver_options *opt)
{
    slip_work_estimate w;

    (void)opt;
    w.setup = slip_operator_least_flops(p) + SOLVER_ROW_FLOPS*p->n;      /* its pattern is analysed first */
    w.iteration = slip_operator_least_flops(p) + SOLVER_ROW_FLOPS*p->n + 2*slip_operator_sweep_flops(p);
    return w;
}

slip_work_estimate slip_work_of_full_factorisations(const slip_problem *p, const slip_solver_options *opt)
{
    slip_work_estimate w;

    (void)opt;
    w.setup = SOLVER_ENTRY_FLOPS*p->n*p->n;
    w.iteration = slip_operator_dense_flops(p->n) + SOLVER_ROW_FLOPS*p->n + 4.0*p->n*p->n;
    return w;
}

/* The factor of n pivots takes 3/n of its own flops to solve with. */
slip_work_estimate slip_work_of_products(const slip_problem *p, const slip_solver_options *opt)
{
    const double factor = slip_operator_least_flops(p);
    slip_work_estimate w;

    (void)opt;
    w.setup = factor + SOLVER_ROW_FLOPS*p->n;
    w.iteration = slip_operator_sweep_flops(p) + (p->n > 0 ? 3*factor/p->n : 0);
    return w;
}

/* Sets the price of the solver's iterations and counts its set-up. Returns 0 when set-up and one iteration do not fit
 * the budget, or the solver's memory does not fit the scratch. */
static int solver_may_begin(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                            slip_budget *b, const slip_arena *scratch)
{
    const slip_work_estimate work = solver->work(p, opt);
    const long units = slip_budget_units(p, work.setup), price = slip_budget_units(p, work.iteration);

    if (!slip_budget_has(b, units + price, slip_budget_seconds(b, work.setup + work.iteration))) return 0;
    if (solver->bytes(p, opt) > slip_arena_left(scratch)) return 0;
    slip_budget_count(b, units);
    b->price = price;
    b->ahead = slip_budget_seconds(b, work.iteration);
    return 1;
}

/* The pace of a solve that began at `since`, with `taken` iterations counted then. Later ones count for a quarter, but
 * a slower one at once: a deadline needs an upper bound. */
static void solver_learn_pace(const slip_problem *p, slip_budget *b, double since, long taken)
{
    const double flops = (double)(b->taken - taken)*slip_operator_sweep_flops(p);
    double pace;

    if (!b->clock || flops < SOLVER_PACE_FLOPS) return;
    pace = (b->clock(b->clock_context) - since)/flops;
    if (pace > 0) b->pace = pace > b->pace ? pace : b->pace + (pace - b->pace)/4;
}

/* A solver that begins with a matrix, on a budget. It gets half of it, and the other half, if it is not done then, is
 * for sweeps from where it came: its iterates are not made to be cut short, while each sweep improves on the last one.
 * Where set-up and one iteration do not fit the half, sweeps get all of it. sol->replaced: the answer is theirs. */
static slip_status solver_halved(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                                 slip_solution *sol, slip_arena *scratch)
{
    slip_solver_options inner = *opt;
    slip_budget half = slip_budget_share(opt->budget, 1, 2);
    int iterations, factorizations;
    slip_status status;

    inner.budget = &half;
    sol->replaced = !solver_may_begin(solver, p, opt, &half, scratch);
    if (sol->replaced) return solver->sweeps->solve(p, opt, sol, scratch);
    status = solver->solve(p, &inner, sol, scratch);
    slip_budget_give_back(opt->budget, &half);
    if (status <= SLIP_OK || !half.refused) return status;
    iterations = sol->iterations;
    factorizations = sol->factorizations;
    opt->budget->refused = 0;
    status = solver_shorten(p, sol, scratch);
    if (status < 0) return status;
    sol->warm = p->n;
    sol->replaced = 1;
    status = solver->sweeps->solve(p, opt, sol, scratch);
    sol->iterations += iterations;
    sol->factorizations += factorizations;
    return status;
}

/* A solve without an iteration: the warm start, or nothing, cut to what it may be. */
static slip_status solver_skipped(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                                  slip_solution *sol, slip_arena *scratch)
{
    slip_status status;
    int i;

    if (!slip_solver_open(p, solver->model, solver->takes, &opt, NULL, sol, &status)) return status;
    opt->budget->refused = 1;
    for (i = sol->warm; i < p->n; ++i) sol->lambda[i] = 0;
    return solver_end_at_deadline(solver, p, opt, sol, scratch);
}

/* A solve on a budget. */
static slip_status solver_bounded(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                                  slip_solution *sol, slip_arena *scratch)
{
    slip_budget *budget = opt->budget;
    const double since = budget->clock ? budget->clock(budget->clock_context) : 0;
    const long taken = budget->taken;
    slip_status status;

    budget->refused = 0;
    if (slip_budget_is_empty(budget)) return solver_skipped(solver, p, opt, sol, scratch);
    status = solver->work ? solver_halved(solver, p, opt, sol, scratch) : solver->solve(p, opt, sol, scratch);
    solver_learn_pace(p, budget, since, taken);
    if (status < 0) return status;
    if (status > SLIP_OK && slip_budget_is_over(budget)) return solver_end_at_deadline(solver, p, opt, sol, scratch);
    return sol->replaced ? solver_complete(solver, p, opt, status, sol, scratch) : status;
}

slip_status slip_solve(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                       slip_solution *sol, slip_arena *scratch)
{
    slip_status status;

    if (!solver) return sol->status = SLIP_ERR_ARGUMENT;
    if (!solver_can_take(p, solver->takes)) return sol->status = SLIP_ERR_UNSUPPORTED;
    if (!SLIP_HAS_BUDGETS && opt && opt->budget) return sol->status = SLIP_ERR_UNSUPPORTED;
    sol->iterations = sol->factorizations = sol->replaced = 0;
    sol->model.eps_abs = -1;                                 /* no residual: the solver sets it */
    status = SLIP_HAS_BUDGETS && opt && opt->budget ? solver_bounded(solver, p, opt, sol, scratch)
                                                    : solver->solve(p, opt, sol, scratch);
    return status >= 0 && sol->model.eps_abs < 0 ? solver_complete(solver, p, opt, status, sol, scratch) : status;
}

size_t slip_solve_bytes(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt)
{
    const slip_solver_options defaults = slip_solver_defaults();

    return solver ? solver->bytes(p, opt ? opt : &defaults) + (size_t)p->n*sizeof(slip_real) + SLIP_ALIGN : 0;
}

slip_status slip_solver_check(const slip_solver *solver, const slip_solver_options *opt, slip_error *err)
{
    if (!solver) return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "no solver");
    if (!solver_options_are_sane(opt))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "an option of solver '%s' is out of its range", solver->id);
    if (opt->facets > 4 && solver->model == SLIP_MODEL_LCP && !(solver->reads & SLIP_READS_FACETS))
        return slip_fail(err, SLIP_ERR_UNSUPPORTED, 0, 0, "%d facets, but the pyramid of '%s' has four; for more there "
                         "is 'lcp-lemke'", opt->facets, solver->id);
    if (opt->stop == SLIP_STOP_PRINTED && !(solver->reads & SLIP_READS_STOP))
        return slip_fail(err, SLIP_ERR_UNSUPPORTED, 0, 0, "stop 'printed', but no paper prints a stopping rule for "
                         "'%s'", solver->id);
    return SLIP_OK;
}
