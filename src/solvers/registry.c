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

/* Iterations and parameters are the engines' documented defaults, as far as they have a counterpart here. */
const slip_solver *slip_solver_like(const char *engine, slip_solver_options *opt)
{
    if (!engine) return NULL;
    if (strcmp(engine, "ode") == 0) {                      /* QuickStep: 20 sweeps, successive over-relaxation 1.3 */
        opt->max_iterations = 20;
        opt->relaxation = SLIP_R(1.3);
        return &slip_solver_lcp_pgs;
    }
    if (strcmp(engine, "physx") == 0) {                    /* four position iterations */
        opt->max_iterations = 4;
        return &slip_solver_lcp_pgs;
    }
    if (strcmp(engine, "dart") == 0) {                     /* its PGS: 30 sweeps */
        opt->max_iterations = 30;
        return &slip_solver_lcp_pgs;
    }
    if (strcmp(engine, "bullet") == 0) {                   /* ten sweeps of the sequential-impulse solver */
        opt->max_iterations = 10;
        return &slip_solver_ncp_pgs;
    }
    if (strcmp(engine, "mujoco") == 0) {                   /* impedance d = 0.95: R = (1 - d)/d diag(G) */
        opt->regularization = SLIP_R(0.05)/SLIP_R(0.95);
        opt->max_iterations = 100;
        return &slip_solver_ccp_newton;
    }
    if (strcmp(engine, "drake") == 0) {                    /* near-rigid: R = diag(G)/(4 pi^2) */
        opt->regularization = 1/(4*SLIP_PI*SLIP_PI);
        opt->max_iterations = 100;
        return &slip_solver_ccp_newton;
    }
    if (strcmp(engine, "raisim") == 0) {                   /* HW Sec. IV: alpha from 1 by 0.99 to 0.7 */
        opt->alpha = 1;
        opt->alpha_decay = SLIP_R(0.99);
        opt->alpha_min = SLIP_R(0.7);
        opt->max_iterations = 150;
        return &slip_solver_raisim_bisection;
    }
    if (strcmp(engine, "dojo") == 0) {                     /* its own stop; its kappa_tol is of gaps, not of speeds */
        opt->max_iterations = 50;
        opt->stop = SLIP_STOP_PRINTED;
        return &slip_solver_ncp_ipm;
    }
    if (strcmp(engine, "simple") == 0) {                   /* CR: spectral rule, tube 10, at most 1000 */
        opt->max_iterations = 1000;
        return &slip_solver_ncp_admm;
    }
    if (strcmp(engine, "scs") == 0) {                      /* as CR runs it for Fig. 5: at most 1000 */
        opt->max_iterations = 1000;
        return &slip_solver_ccp_scs;
    }
    if (strcmp(engine, "chrono") == 0) {                   /* 50 sweeps of its projected SOR */
        opt->max_iterations = 50;
        return &slip_solver_ccp_pgs;
    }
    return NULL;
}
