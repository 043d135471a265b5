/* The registry: solvers by name, and presets for other engines. See solver.h. A program that names its solvers by
 * their constants (solvers.h) does not need this file. */
#include "solvers/solvers.h"

#include <string.h>

static const slip_solver *const registry_list[] = {
    /* printed in the papers */
    &slip_solver_lcp_pgs, &slip_solver_lcp_lemke, &slip_solver_lcp_staggered,
    &slip_solver_ccp_pgs, &slip_solver_ccp_admm, &slip_solver_ccp_newton, &slip_solver_ccp_barrier,
    &slip_solver_ccp_scs,
    &slip_solver_raisim_bisection, &slip_solver_raisim_golden, &slip_solver_raisim_quartic,
    &slip_solver_ncp_pgs, &slip_solver_ncp_staggered, &slip_solver_ncp_admm, &slip_solver_ncp_ipm,
    /* ours */
    &slip_solver_lcp_gs, &slip_solver_ccp_gs, &slip_solver_raisim_newton, &slip_solver_ncp_gs,
    &slip_solver_ncp_wadmm, &slip_solver_ncp_newton, &slip_solver_ncp_path, &slip_solver_default,
};

static const slip_registry registry_all = { registry_list, (int)(sizeof registry_list/sizeof *registry_list), NULL };

const slip_registry *slip_registry_all(void)
{
    return &registry_all;
}

const slip_solver *slip_registry_find(const slip_registry *registry, const char *id)
{
    int i;

    if (!id) return NULL;
    if (!registry) registry = &registry_all;
    for (; registry; registry = registry->next)
        for (i = 0; i < registry->count; ++i)
            if (strcmp(registry->solvers[i]->id, id) == 0) return registry->solvers[i];
    return NULL;
}

const slip_solver *slip_solver_find(const char *id)
{
    return slip_registry_find(&registry_all, id);
}

int slip_solver_count(void)
{
    return registry_all.count;
}

const slip_solver *slip_solver_get(int i)
{
    return i >= 0 && i < registry_all.count ? registry_list[i] : NULL;
}

/* ---- engines ------------------------------------------------------------------------------------- */

/* Iterations and parameters are the engines' documented defaults, as far as they have a counterpart here
 * (docs/engines.md). 0: the options' own. The regularisation is what a problem without its world allows: with one,
 * slip_world_like() has the engine's own law, contact by contact. */
static const struct {
    const char *name;
    const slip_solver *solver;
    int max_iterations;
    slip_real relaxation, regularization;
    int alpha;                   /* 1: alpha stays 1 */
    int block;                   /* 1: SLIP_STEP_BLOCK */
    slip_stop_rule stop;
} registry_engines[] = {
    { "ode", &slip_solver_lcp_pgs, 20, SLIP_R(1.3), 0, 0, 0, SLIP_STOP_COUNT },    /* successive over-relaxation */
    { "physx", &slip_solver_lcp_pgs, 4, 0, 0, 0, 0, SLIP_STOP_COUNT },             /* four position iterations */
    { "dart", &slip_solver_lcp_pgs, 30, 0, 0, 0, 0, SLIP_STOP_TRUE },              /* its PGS */
    { "bullet", &slip_solver_ncp_pgs, 10, 0, 0, 0, 0, SLIP_STOP_COUNT },           /* sequential impulses */
    { "mujoco", &slip_solver_ccp_newton, 100, 0, SLIP_R(0.05)/SLIP_R(0.95), 0, 0, SLIP_STOP_TRUE },
                                                                         /* impedance d = 0.95: R = (1 - d)/d diag(G) */
    { "drake", &slip_solver_ccp_newton, 100, 0, 1/(4*SLIP_PI*SLIP_PI), 0, 0, SLIP_STOP_TRUE },
                                                                         /* near-rigid: R = diag(G)/(4 pi^2) */
    { "raisim", &slip_solver_raisim_bisection, 150, 0, 0, 1, 0, SLIP_STOP_TRUE },  /* HW has 1 by 0.99 to 0.7 */
    { "dojo", &slip_solver_ncp_ipm, 50, 0, 0, 0, 0, SLIP_STOP_PRINTED },  /* its kappa_tol is of gaps, not speeds */
    { "simple", &slip_solver_ncp_admm, 1000, 0, 0, 0, 0, SLIP_STOP_TRUE },  /* CR: spectral rule, tube 10, most 1000 */
    { "scs", &slip_solver_ccp_scs, 1000, 0, 0, 0, 0, SLIP_STOP_TRUE },      /* as CR runs it for Fig. 5: at most 1000 */
    { "chrono", &slip_solver_ccp_pgs, 50, 0, 0, 0, 1, SLIP_STOP_COUNT },
                                      /* 50 sweeps of its projected SOR. Its step 3/trace(G_ii) overshoots for feet of
                                       * trees, whose joints Chrono has as constraints: the one that descends instead */
};

const slip_solver *slip_solver_like(const char *engine, slip_solver_options *opt)
{
    size_t i = 0;

    while (i < sizeof registry_engines/sizeof *registry_engines
           && !(engine && strcmp(engine, registry_engines[i].name) == 0)) ++i;
    if (i == sizeof registry_engines/sizeof *registry_engines) return NULL;
    opt->max_iterations = registry_engines[i].max_iterations;
    if (registry_engines[i].relaxation > 0) opt->relaxation = registry_engines[i].relaxation;
    if (registry_engines[i].regularization > 0) opt->regularization = registry_engines[i].regularization;
    if (registry_engines[i].alpha) opt->alpha = opt->alpha_decay = opt->alpha_min = 1;
    if (registry_engines[i].block) opt->step = SLIP_STEP_BLOCK;
    opt->stop = registry_engines[i].stop;
    return registry_engines[i].solver;
}
