/* What all solvers share: options, solution, registry, and the frame around every solve.
 *
 *     slip_status slip_<id>(const slip_problem *p, const slip_solver_options *opt,
 *                           slip_solution *sol, slip_arena *scratch);
 *     size_t      slip_<id>_bytes(const slip_problem *p, const slip_solver_options *opt);
 *
 *   p        the problem; unchanged
 *   opt      NULL for slip_solver_defaults()
 *   sol      see below; lambda must point to p->n reals
 *   scratch  at least slip_<id>_bytes() bytes free; the arena is handed back as it came
 * SLIP_OK: the tolerance is met on the solver's own model. SLIP_MAX_ITERS, SLIP_STALLED, SLIP_DIVERGED (impulses grow
 * without end, there seems to be no solution): not met, sol holds the best iterate. < 0: sol->lambda, sigma, dual
 * untouched: SLIP_ERR_ARGUMENT (bad numbers, wrong sizes), SLIP_ERR_WORKSPACE, SLIP_ERR_NOT_SPD (G clearly indefinite),
 * SLIP_ERR_UNSUPPORTED (a kind of block the solver cannot take). */
#ifndef SLIP_SOLVERS_SOLVER_H
#define SLIP_SOLVERS_SOLVER_H

#include "contact/residual.h"

/* ---- options ------------------------------------------------------------------------------------ */

typedef enum { SLIP_RHO_SPECTRAL, SLIP_RHO_LINEAR, SLIP_RHO_FIXED } slip_rho_rule;

/* Step of the Gauss-Seidel solvers: a 2x2 solve of the tangential block, HW eq. 18's 1/max(G_t1, G_t2), LL Alg. 1 and 5
 * as printed, 1/min, or the contact's three rows solved as a whole (ncp-pgs; the others take BLOCK for it). */
typedef enum { SLIP_STEP_BLOCK, SLIP_STEP_MAX, SLIP_STEP_MIN, SLIP_STEP_CONTACT } slip_step_rule;

/* One iteration, as told to the history callback. Residuals are those of the solver's own model, in the
 * user's units. */
typedef struct {
    int iteration;                          /* from 1                                                   */
    slip_real eps_primal, eps_dual, eps_comp;
    slip_real rho;                          /* ADMM's penalty, Newton's 1/beta, else 0                  */
    int factorizations;                     /* so far                                                   */
    const char *phase;                      /* "admm", "newton", "sweep" …; a constant                  */
} slip_iteration;

typedef struct {
    /* stopping */
    slip_real tol;                          /* 1e-6 (1e-4 in float), see slip_tol_rule                  */
    slip_tol_rule tol_rule;                 /* SLIP_TOL_AUTO                                            */
    slip_real enough;                       /* above tol: where a step no longer halves a residual below this,
                                               ncp-newton, ncp-ipm and default stop, SLIP_STALLED; 0: only at tol */
    int max_iterations;                     /* 0: the solver's own default. The staggered solvers stop at 3e8/n^2
                                               Newton steps in all besides (50 for 800 contacts)        */

    /* Gauss-Seidel and per-contact solvers */
    slip_real relaxation;                   /* over-relaxation of LL eq. 22, in (0, 2); 1               */
    slip_step_rule step;                    /* SLIP_STEP_CONTACT                                        */
    slip_real alpha, alpha_decay, alpha_min; /* HW Alg. 2: 1, 0.99, 0.7                                  */

    /* ADMM (CR Alg. 1) */
    slip_rho_rule rho_rule;                 /* SLIP_RHO_SPECTRAL                                        */
    slip_real rho;                          /* start [1/kg]; 0: chosen                                  */
    slip_real rho_tube;                     /* alpha of eqs. 44, 46: 3 (10 needs twice the iterations)  */
    slip_real rho_power;                    /* p+ = p- of eq. 46: 0.05                                  */
    slip_real rho_factor;                   /* tau of eq. 44: 2                                         */
    int rho_every;                          /* after ten iterations rho may move only so often; 0: default,
                                               1: every iteration as in the paper                       */
    slip_real over_relaxation;              /* of f in line 5, in (0, 2): 1.8; 1: none, as in the paper */
    slip_real eta;                          /* proximal weight, relative to mean diag(G): 1e-6          */

    /* pyramids */
    int facets;                             /* k >= 4: 4                                                */

    /* convex solvers */
    slip_real regularization;               /* ccp-newton's alpha, R = alpha diag(G); 0: only p->R      */
    slip_real barrier, elastic;             /* TO: t = 0.1, s = 10                                      */
    slip_real barrier_final;                /* ncp-ipm: complementarity target, 0: from tol             */

    /* around the solve */
    void (*history)(void *context, const slip_iteration *it);   /* NULL: none                           */
    void *history_context;
    double (*clock)(void *context);         /* seconds; NULL: sol->seconds stays 0                      */
    void *clock_context;
} slip_solver_options;

slip_solver_options slip_solver_defaults(void);

/* ---- solution ----------------------------------------------------------------------------------- */

typedef struct {
    /* arrays of the caller, p->n reals each; sigma and dual may be NULL */
    slip_real *lambda;                      /* impulses: warm start in, answer out              [N s]   */
    slip_real *sigma;                       /* out: (G + R) lambda + g                          [m/s]   */
    slip_real *dual;                        /* dual variable z = sigma + Gamma(sigma): warm start in (used
                                               by ADMM), out for the next                       [m/s]   */
    int warm;                               /* in: 0 cold; else the number of rows that lambda (dual, rho)
                                               hold of an earlier solution: must be p->n, or the solve is
                                               refused with SLIP_ERR_ARGUMENT                           */
    slip_real rho;                          /* in when warm, out: penalty [1/kg]; 0: none known         */

    /* out */
    slip_status status;
    int iterations, factorizations;
    slip_residual residual;                 /* of the NCP, by the judge                                 */
    slip_residual model;                    /* of the solver's own model                                */
    double seconds;
} slip_solution;

/* A cold solution around the caller's arrays. */
slip_solution slip_solution_over(slip_real *lambda, slip_real *sigma, slip_real *dual);

/* ---- registry ----------------------------------------------------------------------------------- */

/* Laws a solver keeps (LL Tab. II) and blocks it takes. */
enum {
    SLIP_KEEPS_SIGNORINI = 1, SLIP_KEEPS_COULOMB = 2, SLIP_KEEPS_MDP = 4, SLIP_KEEPS_NO_SHIFT = 8,
    SLIP_KEEPS_NO_INTERNAL = 16, SLIP_KEEPS_ROBUST = 32, SLIP_KEEPS_CONVERGENCE = 64
};
enum { SLIP_TAKES_LIMITS = 1, SLIP_TAKES_BILATERAL = 2, SLIP_TAKES_COMPLIANCE = 4 };

/* Options it reads beside those of stopping. ALPHA: all of alpha_...; RHO: all of rho_..., over_relaxation and eta;
 * FACETS: any number of them; BARRIER: barrier and elastic. */
enum {
    SLIP_READS_RELAXATION = 1, SLIP_READS_STEP = 2, SLIP_READS_ALPHA = 4, SLIP_READS_RHO = 8, SLIP_READS_FACETS = 16,
    SLIP_READS_REGULARIZATION = 32, SLIP_READS_BARRIER = 64, SLIP_READS_BARRIER_FINAL = 128
};

typedef slip_status slip_solve_function(const slip_problem *p, const slip_solver_options *opt,
                                        slip_solution *sol, slip_arena *scratch);
typedef size_t slip_bytes_function(const slip_problem *p, const slip_solver_options *opt);

typedef struct {
    const char *id;                         /* "ncp-admm"                                               */
    slip_model_kind model;
    const char *about;                      /* one line                                                 */
    const char *paper;                      /* "CR Alg. 1"                                              */
    const char *engines;                    /* "Simple", "ODE, PhysX, DART", or ""                      */
    unsigned keeps, takes;
    slip_solve_function *solve;
    slip_bytes_function *bytes;
    unsigned reads;
} slip_solver;

int slip_solver_count(void);
const slip_solver *slip_solver_get(int i);             /* in the order of PAPERS.md Sec. 2, the default last */
const slip_solver *slip_solver_find(const char *id);   /* NULL when unknown                                  */

/* Solves with a chain of solvers, "ncp-admm,ncp-pgs": the next is tried, from where the last one stopped, when
 * one does not reach the tolerance; the best answer by the NCP's judge is kept (that of the last solver's
 * model when all models are alike). NULL or "": slip_default. `used` (may be NULL) is the solver that gave the
 * answer. SLIP_ERR_ARGUMENT for an unknown id. */
slip_status slip_solve(const char *chain, const slip_problem *p, const slip_solver_options *opt,
                       slip_solution *sol, slip_arena *scratch, const slip_solver **used);
size_t      slip_solve_bytes(const char *chain, const slip_problem *p, const slip_solver_options *opt);

/* Whether a chain's names are known and its solvers take these options: SLIP_ERR_ARGUMENT, SLIP_ERR_UNSUPPORTED (more
 * facets than a solver's pyramid has). And what its solvers read, SLIP_READS_...; 0 for unknown ones. */
slip_status slip_solver_check(const char *chain, const slip_solver_options *opt, slip_error *err);
unsigned    slip_solver_reads(const char *chain);

/* `--like ENGINE`: the solver that works the way an engine does, and its parameters set in *opt.
 * ode bullet physx dart mujoco drake raisim dojo simple chrono; NULL when unknown. */
const slip_solver *slip_solver_like(const char *engine, slip_solver_options *opt);

/* ---- the frame around a solve: for solver files --------------------------------------------------- */

/* The excess (slip_residual_excess) at which to stop where progress is slow: 1 when options do not say more. */
static inline slip_real slip_solver_near(const slip_solver_options *opt)
{
    return opt->enough > opt->tol ? opt->enough/opt->tol : 1;
}

/* Opens a solve: checks p, opt, sol and what the solver takes; answers at once when there are no rows or when
 * lambda = 0 solves the model exactly (free flight). Returns 1 to go on; 0 when `*status` is to be returned.
 * *opt is replaced by the defaults when NULL. `takes` as in the registry. `storage` holds the defaults. */
int slip_solver_open(const slip_problem *p, slip_model_kind model, unsigned takes,
                     const slip_solver_options **opt, slip_solver_options *storage,
                     slip_solution *sol, slip_status *status);

/* Closes it: copies `lambda` (n) into sol, computes sigma and the NCP residual, fills the statistics and
 * returns sol->status: `reached` when >= 0 is what the solver says, but SLIP_OK is only passed on when the
 * model's residual (`model`) meets the tolerance. scratch is used for sigma when sol->sigma is NULL. */
slip_status slip_solver_close(const slip_problem *p, const slip_solver_options *opt, const slip_real *lambda,
                              slip_real *sigma, const slip_residual *model, slip_status reached,
                              slip_solution *sol);

/* The same for a sigma that the solver has just computed by slip_problem_sigma for this very lambda, with `ncp` the
 * judge's residual at it (NULL: judged here): saves a product with G, which small problems notice. */
slip_status slip_solver_close_at(const slip_problem *p, const slip_solver_options *opt, const slip_real *lambda,
                                 const slip_real *sigma, const slip_residual *model, const slip_residual *ncp,
                                 slip_status reached, slip_solution *sol);

/* Tells the history callback, if there is one. */
void slip_solver_tell(const slip_solver_options *opt, int iteration, const slip_residual *model,
                      slip_real rho, int factorizations, const char *phase);

/* Start and end of the caller's clock: sol->seconds counts from slip_solver_open to slip_solver_close. */

#endif
