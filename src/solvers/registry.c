/* The registry of all solvers, chains of them, and the engines they stand for. See solver.h. */
#include "solvers/solvers.h"

#include <string.h>

#define REGISTRY_TAKES_ALL (SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE)

/* The ticks of LL Tab. II; for solvers that are not in it, what their model and method imply. */
enum {
    REG_SIG = SLIP_KEEPS_SIGNORINI, REG_COU = SLIP_KEEPS_COULOMB, REG_MDP = SLIP_KEEPS_MDP,
    REG_EXACT = SLIP_KEEPS_NO_SHIFT, REG_PURE = SLIP_KEEPS_NO_INTERNAL, REG_ROBUST = SLIP_KEEPS_ROBUST,
    REG_PROVEN = SLIP_KEEPS_CONVERGENCE, REG_ALL_LAWS = REG_SIG | REG_COU | REG_MDP | REG_EXACT
};

enum {
    REG_RELAX = SLIP_READS_RELAXATION, REG_STEP = SLIP_READS_STEP, REG_ALPHA = SLIP_READS_ALPHA,
    REG_RHO = SLIP_READS_RHO, REG_FACETS = SLIP_READS_FACETS, REG_REGULARIZATION = SLIP_READS_REGULARIZATION,
    REG_BARRIER = SLIP_READS_BARRIER, REG_BARRIER_FINAL = SLIP_READS_BARRIER_FINAL
};

static const slip_solver registry_solvers[] = {
    { "lcp-pgs", SLIP_MODEL_LCP, "projected Gauss-Seidel on a four-sided pyramid", "LL Alg. 1", "ODE, PhysX, DART",
      REG_SIG | REG_EXACT | REG_PROVEN, REGISTRY_TAKES_ALL, slip_lcp_pgs, slip_lcp_pgs_bytes, REG_RELAX | REG_STEP },
    { "lcp-lemke", SLIP_MODEL_LCP, "Lemke's pivoting on a pyramid of k facets", "LL Sec. III", "",
      REG_SIG | REG_EXACT | REG_ROBUST, REGISTRY_TAKES_ALL, slip_lcp_lemke, slip_lcp_lemke_bytes, REG_FACETS },
    { "lcp-staggered", SLIP_MODEL_LCP, "staggered projections on a pyramid", "LL Tab. II", "",
      REG_SIG | REG_EXACT | REG_PURE | REG_ROBUST, REGISTRY_TAKES_ALL, slip_lcp_staggered, slip_lcp_staggered_bytes,
      REG_RELAX },
    { "ccp-pgs", SLIP_MODEL_CCP, "Gauss-Seidel with orthogonal cone projections", "LL Alg. 2", "Chrono",
      REG_COU | REG_MDP | REG_EXACT | REG_PROVEN, REGISTRY_TAKES_ALL, slip_ccp_pgs, slip_ccp_pgs_bytes,
      REG_RELAX | REG_STEP },
    { "ccp-admm", SLIP_MODEL_CCP, "ADMM on the convex relaxation", "LL Alg. 3", "",
      REG_COU | REG_MDP | REG_EXACT | REG_PURE | REG_ROBUST | REG_PROVEN, REGISTRY_TAKES_ALL, slip_ccp_admm,
      slip_ccp_admm_bytes, REG_RHO },
    { "ccp-newton", SLIP_MODEL_CCP, "primal Newton on the regularised convex problem", "LL Sec. III, CR Tab. I",
      "MuJoCo, Drake", REG_COU | REG_MDP | REG_PURE | REG_ROBUST | REG_PROVEN, REGISTRY_TAKES_ALL, slip_ccp_newton,
      slip_ccp_newton_bytes, REG_REGULARIZATION },
    { "ccp-barrier", SLIP_MODEL_BARRIER, "log-barrier Newton with elastic mode", "TO Sec. III", "MuJoCo (2011)",
      REG_COU | REG_PURE | REG_ROBUST | REG_PROVEN, REGISTRY_TAKES_ALL, slip_ccp_barrier, slip_ccp_barrier_bytes,
      REG_BARRIER },
    { "raisim-bisection", SLIP_MODEL_RAISIM, "per-contact bisection", "LL Alg. 4, HW Alg. 1-2", "RaiSim",
      REG_SIG | REG_COU | REG_EXACT, REGISTRY_TAKES_ALL, slip_raisim_bisection, slip_raisim_bisection_bytes,
      REG_RELAX | REG_ALPHA },
    { "raisim-golden", SLIP_MODEL_RAISIM, "per-contact golden section", "HW Sec. V-B", "",
      REG_SIG | REG_COU | REG_EXACT, REGISTRY_TAKES_ALL, slip_raisim_golden, slip_raisim_golden_bytes,
      REG_RELAX | REG_ALPHA },
    { "raisim-quartic", SLIP_MODEL_RAISIM, "per-contact roots of a quartic", "HW Sec. V-B", "",
      REG_SIG | REG_COU | REG_EXACT, REGISTRY_TAKES_ALL, slip_raisim_quartic, slip_raisim_quartic_bytes,
      REG_RELAX | REG_ALPHA },
    { "ncp-pgs", SLIP_MODEL_NCP, "Gauss-Seidel with horizontal projections", "LL Alg. 5, HW eq. 16-18", "Bullet",
      REG_ALL_LAWS, REGISTRY_TAKES_ALL, slip_ncp_pgs, slip_ncp_pgs_bytes, REG_RELAX | REG_STEP },
    { "ncp-staggered", SLIP_MODEL_NCP, "staggered projections on the cone", "LL Alg. 6", "",
      REG_ALL_LAWS | REG_PURE | REG_ROBUST, REGISTRY_TAKES_ALL, slip_ncp_staggered, slip_ncp_staggered_bytes,
      REG_RELAX },
    { "ncp-admm", SLIP_MODEL_NCP, "proximal ADMM with spectral penalty", "CR Alg. 1", "Simple",
      REG_ALL_LAWS | REG_PURE | REG_ROBUST, REGISTRY_TAKES_ALL, slip_ncp_admm, slip_ncp_admm_bytes, REG_RHO },
    { "ncp-ipm", SLIP_MODEL_NCP, "primal-dual interior point", "CR Tab. I", "Dojo",
      REG_ALL_LAWS | REG_ROBUST, REGISTRY_TAKES_ALL, slip_ncp_ipm, slip_ncp_ipm_bytes, REG_BARRIER_FINAL },
    { "ncp-newton", SLIP_MODEL_NCP, "semi-smooth Newton on the active set, proximal", "ours", "",
      REG_ALL_LAWS | REG_ROBUST, REGISTRY_TAKES_ALL, slip_ncp_newton, slip_ncp_newton_bytes, 0 },
    { "default", SLIP_MODEL_NCP, "ncp-newton and ncp-admm in turns", "ours", "",
      REG_ALL_LAWS | REG_ROBUST, REGISTRY_TAKES_ALL, slip_default, slip_default_bytes,
      REG_RELAX | REG_RHO | REG_BARRIER_FINAL },
};
enum { REGISTRY_COUNT = (int)(sizeof registry_solvers/sizeof *registry_solvers) };

int slip_solver_count(void)
{
    return REGISTRY_COUNT;
}

const slip_solver *slip_solver_get(int i)
{
    return i >= 0 && i < REGISTRY_COUNT ? &registry_solvers[i] : NULL;
}

/* The solver called text[0..length). */
static const slip_solver *registry_find(const char *text, int length)
{
    int i;

    for (i = 0; i < REGISTRY_COUNT; ++i)
        if (slip_text_equal_n(text, length, registry_solvers[i].id)) return &registry_solvers[i];
    return NULL;
}

const slip_solver *slip_solver_find(const char *id)
{
    return id ? registry_find(id, (int)strlen(id)) : NULL;
}

/* ---- chains -------------------------------------------------------------------------------------- */

/* The next solver of a chain, *chain moved behind it; NULL at an unknown name. */
static const slip_solver *registry_next(const char **chain)
{
    const char *comma = strchr(*chain, ',');
    const int length = comma ? (int)(comma - *chain) : (int)strlen(*chain);
    const slip_solver *solver = registry_find(*chain, length);

    *chain += comma ? length + 1 : length;
    return solver;
}

/* Whether all names of a chain are known. */
static int registry_chain_is_known(const char *chain)
{
    const size_t length = strlen(chain);

    if (length > 0 && chain[length - 1] == ',') return 0;
    do if (!registry_next(&chain)) return 0; while (*chain);
    return 1;
}

slip_status slip_solver_check(const char *chain, const slip_solver_options *opt, slip_error *err)
{
    const char *at = chain && *chain ? chain : "default";

    for (;;) {
        const char *name = at, *comma = strchr(at, ',');
        const slip_solver *solver = registry_next(&at);

        if (!solver)
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "unknown solver '%.*s' in '%s'",
                             (int)(at - name) - (comma != NULL), name, chain);
        if (opt->facets > 4 && solver->model == SLIP_MODEL_LCP && !(solver->reads & SLIP_READS_FACETS))
            return slip_fail(err, SLIP_ERR_UNSUPPORTED, 0, 0, "%d facets, but the pyramid of '%s' has four; for more "
                             "there is 'lcp-lemke'", opt->facets, solver->id);
        if (!comma) return SLIP_OK;
    }
}

unsigned slip_solver_reads(const char *chain)
{
    unsigned reads = 0;

    if (!chain || !*chain) chain = "default";
    while (*chain) {
        const slip_solver *solver = registry_next(&chain);

        if (solver) reads |= solver->reads;
    }
    return reads;
}

size_t slip_solve_bytes(const char *chain, const slip_problem *p, const slip_solver_options *opt)
{
    slip_solver_options defaults = slip_solver_defaults();
    size_t most = 0;

    if (!chain || !*chain) chain = "default";
    if (!registry_chain_is_known(chain)) return 0;
    do {
        const slip_solver *solver = registry_next(&chain);
        const size_t bytes = solver->bytes(p, opt ? opt : &defaults);

        if (bytes > most) most = bytes;
    } while (*chain);
    return most + 2*((size_t)p->n*sizeof(slip_real) + SLIP_ALIGN);
}

/* Whether answer a is better than b: solved beats not solved, then the smaller NCP residual. */
static int registry_is_better(const slip_solution *a, const slip_solution *b)
{
    if ((a->status == SLIP_OK) != (b->status == SLIP_OK)) return a->status == SLIP_OK;
    return a->residual.eps_abs < b->residual.eps_abs;
}

slip_status slip_solve(const char *chain, const slip_problem *p, const slip_solver_options *opt,
                       slip_solution *sol, slip_arena *scratch, const slip_solver **used)
{
    const size_t mark = slip_arena_mark(scratch);
    const size_t size = (size_t)p->n*sizeof(slip_real);
    slip_real *best, *sigma;
    slip_solution kept, now;
    int have = 0, iterations = 0, factorizations = 0;
    double seconds = 0;

    if (!chain || !*chain) chain = "default";
    if (!strchr(chain, ',')) {                             /* a single solver needs no book-keeping */
        const slip_solver *solver = slip_solver_find(chain);

        if (!solver) return sol->status = SLIP_ERR_ARGUMENT;
        if (used) *used = solver;
        return solver->solve(p, opt, sol, scratch);
    }
    if (!registry_chain_is_known(chain)) return sol->status = SLIP_ERR_ARGUMENT;
    best = slip_arena_reals(scratch, (size_t)p->n);
    sigma = slip_arena_reals(scratch, (size_t)p->n);
    if (!best || !sigma) { slip_arena_release(scratch, mark); return sol->status = SLIP_ERR_WORKSPACE; }
    now = kept = *sol;
    do {
        const slip_solver *solver = registry_next(&chain);
        const slip_status status = solver->solve(p, opt, &now, scratch);

        iterations += now.iterations;
        factorizations += now.factorizations;
        seconds += now.seconds;
        if (status >= 0 && (!have || registry_is_better(&now, &kept))) {
            have = 1;
            kept = now;
            memcpy(best, now.lambda, size);
            if (now.sigma) memcpy(sigma, now.sigma, size);
            if (used) *used = solver;
        } else if (!have) {
            kept.status = status;
        }
        if (status == SLIP_OK || status == SLIP_ERR_ARGUMENT) break;
        if (have) {                                        /* the next begins where the best one stopped */
            memcpy(now.lambda, best, size);
            now.warm = p->n;
            now.rho = 0;
        }
    } while (*chain);
    if (have) {
        memcpy(kept.lambda, best, size);
        if (kept.sigma) memcpy(kept.sigma, sigma, size);
        if (kept.dual) slip_problem_desaxce(p, sigma, kept.dual);
        kept.iterations = iterations;
        kept.factorizations = factorizations;
        kept.seconds = seconds;
    }
    kept.warm = sol->warm;
    *sol = kept;
    slip_arena_release(scratch, mark);
    return sol->status;
}

/* ---- engines ------------------------------------------------------------------------------------- */

/* Iterations and parameters are the engines' documented defaults, as far as they translate. */
const slip_solver *slip_solver_like(const char *engine, slip_solver_options *opt)
{
    if (!engine) return NULL;
    if (strcmp(engine, "ode") == 0) {                      /* QuickStep: 20 sweeps, successive over-relaxation 1.3 */
        opt->max_iterations = 20;
        opt->relaxation = SLIP_R(1.3);
        return slip_solver_find("lcp-pgs");
    }
    if (strcmp(engine, "physx") == 0) {                    /* four position iterations */
        opt->max_iterations = 4;
        return slip_solver_find("lcp-pgs");
    }
    if (strcmp(engine, "dart") == 0) {                     /* its PGS: 30 sweeps */
        opt->max_iterations = 30;
        return slip_solver_find("lcp-pgs");
    }
    if (strcmp(engine, "bullet") == 0) {                   /* ten sweeps of the sequential-impulse solver */
        opt->max_iterations = 10;
        opt->step = SLIP_STEP_MAX;
        return slip_solver_find("ncp-pgs");
    }
    if (strcmp(engine, "mujoco") == 0) {                   /* impedance d = 0.95: R = (1 - d)/d diag(G) */
        opt->regularization = SLIP_R(0.05)/SLIP_R(0.95);
        opt->max_iterations = 100;
        return slip_solver_find("ccp-newton");
    }
    if (strcmp(engine, "drake") == 0) {                    /* near-rigid: R = diag(G)/(4 pi^2) */
        opt->regularization = 1/(4*SLIP_PI*SLIP_PI);
        opt->max_iterations = 100;
        return slip_solver_find("ccp-newton");
    }
    if (strcmp(engine, "raisim") == 0) {                   /* HW Sec. IV: alpha from 1 by 0.99 to 0.7 */
        opt->alpha = 1;
        opt->alpha_decay = SLIP_R(0.99);
        opt->alpha_min = SLIP_R(0.7);
        opt->max_iterations = 150;
        return slip_solver_find("raisim-bisection");
    }
    if (strcmp(engine, "dojo") == 0) {
        opt->max_iterations = 50;
        return slip_solver_find("ncp-ipm");
    }
    if (strcmp(engine, "simple") == 0) {                   /* CR: spectral rule, tube 10, at most 1000 */
        opt->rho_rule = SLIP_RHO_SPECTRAL;
        opt->rho_tube = 10;
        opt->rho_every = 1;
        opt->max_iterations = 1000;
        return slip_solver_find("ncp-admm");
    }
    if (strcmp(engine, "chrono") == 0) {                   /* 50 sweeps of its projected SOR */
        opt->max_iterations = 50;
        return slip_solver_find("ccp-pgs");
    }
    return NULL;
}
