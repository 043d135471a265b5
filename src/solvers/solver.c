/* The frame around every solve: defaults, the door, the close. See solver.h. */
#include "solvers/solver.h"

#include <string.h>

slip_solver_options slip_solver_defaults(void)
{
    slip_solver_options o;

    memset(&o, 0, sizeof o);
    o.tol = SLIP_TOL(1e-6, 1e-4);
    o.tol_rule = SLIP_TOL_AUTO;
    o.enough = 0;
    o.max_iterations = 0;
    o.relaxation = 1;
    o.step = SLIP_STEP_CONTACT;
    o.alpha = 1;
    o.alpha_decay = SLIP_R(0.99);
    o.alpha_min = SLIP_R(0.7);
    o.rho_rule = SLIP_RHO_SPECTRAL;
    o.rho = 0;
    o.rho_tube = 3;
    o.rho_power = SLIP_R(0.05);
    o.rho_factor = 2;
    o.rho_every = 0;
    o.over_relaxation = SLIP_R(1.8);
    o.eta = SLIP_R(1e-6);
    o.facets = 4;
    o.regularization = 0;
    o.barrier = SLIP_R(0.1);
    o.elastic = 10;
    o.barrier_final = 0;
    o.history = NULL;
    o.history_context = NULL;
    o.clock = NULL;
    o.clock_context = NULL;
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
    return o->tol > 0 && slip_is_finite(o->tol) && o->enough >= 0 && slip_is_finite(o->enough) && o->max_iterations >= 0
        && o->relaxation > 0 && o->relaxation < 2
        && o->alpha > 0 && o->alpha_decay > 0 && o->alpha_decay <= 1 && o->alpha_min > 0
        && o->rho >= 0 && o->rho_tube > 1 && o->rho_power > 0 && o->rho_factor > 1 && o->rho_every >= 0
        && o->over_relaxation > 0 && o->over_relaxation < 2 && o->eta > 0 && o->facets >= 4 && o->regularization >= 0
        && o->barrier > 0 && o->elastic > 0 && o->barrier_final >= 0;
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
    return 1;
}

/* Whether lambda = 0 solves the model: sigma = g then. The barrier pushes even then. */
static int solver_free_flight(const slip_problem *p, slip_model_kind model)
{
    int i;

    if (model == SLIP_MODEL_BARRIER) return 0;
    for (i = 0; i < p->nc; ++i) {
        const slip_real *g = p->g + 3*i;

        if (!(g[2] >= 0)) return 0;
        if (model == SLIP_MODEL_CCP && slip_cone_distance_dual(p->mu[i], g) > 0) return 0;
        if (!slip_is_finite(p->mu[i]) && (g[0] != 0 || g[1] != 0) && !(g[2] > 0)) return 0;
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) if (!(p->g[i] >= 0)) return 0;
    for (; i < p->n; ++i) if (p->g[i] != 0) return 0;
    return 1;
}

/* lambda = 0, sigma = g, and a residual of exactly nothing. */
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

int slip_solver_open(const slip_problem *p, slip_model_kind model, unsigned takes,
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

void slip_solver_tell(const slip_solver_options *opt, int iteration, const slip_residual *model,
                      slip_real rho, int factorizations, const char *phase)
{
    slip_iteration it;

    if (!opt->history) return;
    it.iteration = iteration;
    it.eps_primal = model->eps_primal;
    it.eps_dual = model->eps_dual;
    it.eps_comp = model->eps_comp;
    it.rho = rho;
    it.factorizations = factorizations;
    it.phase = phase;
    opt->history(opt->history_context, &it);
}
