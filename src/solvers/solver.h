/* Options, solution, registry, and the call of a solver, the same for all solvers. The two functions of a slip_solver:
 *
 *     slip_status solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
 *                       slip_arena *scratch);
 *     size_t      bytes(const slip_problem *p, const slip_solver_options *opt);
 *
 *   p        the problem; unchanged
 *   opt      NULL for slip_solver_defaults()
 *   sol      see below; lambda must point to p->n reals
 *   scratch  at least bytes() bytes free; all of it is released at the end
 * SLIP_OK: the tolerance is met on the solver's own model. SLIP_MAX_ITERS, SLIP_STALLED, SLIP_DIVERGED (impulses grow
 * without bound, there seems to be no solution), SLIP_DEADLINE (opt->budget is used up, set by slip_solve()): not met,
 * sol holds the best iterate. < 0: sol->lambda, sigma, dual
 * untouched: SLIP_ERR_ARGUMENT (bad numbers, wrong sizes), SLIP_ERR_WORKSPACE, SLIP_ERR_NOT_SPD (G clearly indefinite),
 * SLIP_ERR_UNSUPPORTED (a kind of block the solver cannot take). */
#ifndef SLIP_SOLVERS_SOLVER_H
#define SLIP_SOLVERS_SOLVER_H

#include "base/budget.h"
#include "contact/residual.h"

/* ---- options ------------------------------------------------------------------------------------ */

typedef enum { SLIP_RHO_SPECTRAL, SLIP_RHO_LINEAR, SLIP_RHO_FIXED } slip_rho_rule;

/* When a solve ends: at the true criterion of the solver's model, judged on its impulses; at the criterion that its
 * paper prints, for solvers that read SLIP_READS_STOP; or, for solvers that sweep (SLIP_READS_COUNT), after
 * max_iterations sweeps, neither sooner nor with another iterate than the last, as engines do. SLIP_OK always means the
 * true criterion. */
typedef enum { SLIP_STOP_TRUE, SLIP_STOP_PRINTED, SLIP_STOP_COUNT } slip_stop_rule;

/* Tangential step of lcp-pgs and ncp-pgs: a 2x2 solve of the tangential block, HW eq. 18's 1/max(G_t1, G_t2), or
 * LL Alg. 1 and 5 as printed, 1/min. ccp-pgs: BLOCK shortens LL Alg. 2's 3/trace so that it always descends. */
typedef enum { SLIP_STEP_BLOCK, SLIP_STEP_MAX, SLIP_STEP_MIN } slip_step_rule;

/* One iteration, as the history callback gets it. Residuals are those of the solver's own model, in the
 * user's units. */
typedef struct {
    int iteration;                          /* from 1                                                   */
    slip_real eps_primal, eps_dual, eps_comp;
    slip_real rho;                          /* ADMM's penalty, ccp-scs's scale, Newton's eps/r, else 0 */
    int factorizations;                     /* so far                                                   */
    const slip_real *lambda;                /* the iterate, in the problem's rows; NULL where a solver has none */
    const char *phase;                      /* "admm", "newton", "sweep" …; a constant                  */
} slip_iteration;

typedef struct {
    /* stopping */
    slip_real tol;                          /* 1e-6 (1e-4 in float), see slip_tol_rule                  */
    slip_tol_rule tol_rule;                 /* SLIP_TOL_AUTO                                            */
    slip_stop_rule stop;                    /* SLIP_STOP_TRUE                                           */
    int max_iterations;                     /* 0: the solver's own default. The staggered solvers stop at 2e9
                                               flops in all besides                                     */

    /* Gauss-Seidel and per-contact solvers */
    slip_real relaxation;                   /* factor of each step, in (0, 2): HW eq. 18's alpha; LL eq. 22 with the
                                               projection after it, so that impulses stay in the cone; 1 */
    slip_step_rule step;                    /* SLIP_STEP_MAX                                            */
    slip_real alpha, alpha_decay, alpha_min; /* HW Alg. 2: 1, 0.99, 0.7                                  */
    int patience;                           /* sweeps in which the residual has to fall by a per cent, else the
                                               solve ends as SLIP_STALLED; 0: 1000                      */

    /* ADMM (CR Alg. 1, LL Alg. 3) */
    slip_rho_rule rho_rule;                 /* SLIP_RHO_SPECTRAL                                        */
    slip_real rho;                          /* start [1/kg]; 0: sqrt(eta L), eq. 45 with p = 0           */
    slip_real rho_tube;                     /* alpha of eqs. 44, 46, > 1; 0: 10, in ncp-wadmm 3         */
    slip_real rho_power;                    /* p+ = p- of eq. 46: 0.05                                  */
    slip_real rho_factor;                   /* tau of eq. 44: 2                                         */
    slip_real eta;                          /* proximal weight: 1e-6 [1/kg]; ncp-wadmm: relative to W   */
    int rho_every;                          /* ncp-wadmm: after as many iterations rho moves only so often; 0: 10 */
    slip_real over_relaxation;              /* in (0, 2); 0: ncp-wadmm 1.8 (after warm starts), ccp-scs 1.5   */

    /* pyramids */
    int facets;                             /* k >= 4: 4                                                */

    /* convex solvers */
    slip_real regularization;               /* ccp-newton's alpha, R = alpha diag(G); 0: only p->R      */
    slip_real barrier, elastic;             /* TO: t = 0.1 [J], s = 10 [N s]                            */
    slip_real r_min, r_max, d_max;          /* TO eq. 24: R of a row at p->distance d, r_min = 0.01 [1/kg] for
                                               d <= 0, straight to r_max = 100 [1/kg] at d_max = 0.1 [m]  */
    int sweeps;                             /* default: 0: exact, with factorisations; else problems of 240 rows and
                                               more are swept at most so often, without matrices (real time)    */
    slip_real barrier_final;                /* ncp-ipm's kappa_tol [J]; 0: from tol */

    slip_budget *budget;                    /* NULL: none. Every iteration of every loop takes from it, at the price of
                                               its flops in sweeps over the problem; when it is used up the best
                                               impulses so far, inside their cones, are returned with
                                               SLIP_DEADLINE                                            */

    /* around the solve */
    void (*history)(void *context, const slip_iteration *it);   /* NULL: none                           */
    void *history_context;
    double (*clock)(void *context);         /* seconds; NULL: sol->seconds stays 0                      */
    void *clock_context;
} slip_solver_options;

/* The values above. */
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
    int replaced;                           /* 1: the solver's `sweeps` took its place, see slip_solver   */
    slip_residual residual;                 /* of the NCP, by the judge                                 */
    slip_residual model;                    /* of the solver's own model                                */
    double seconds;
} slip_solution;

/* A cold solution around the caller's arrays. */
slip_solution slip_solution_over(slip_real *lambda, slip_real *sigma, slip_real *dual);

/* ---- solvers ------------------------------------------------------------------------------------ */

/* Kinds of blocks a solver takes. A problem with other blocks is refused, SLIP_ERR_UNSUPPORTED. */
enum {
    SLIP_TAKES_LIMITS = 1, SLIP_TAKES_BILATERAL = 2, SLIP_TAKES_COMPLIANCE = 4,
    SLIP_TAKES_ALL = SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE
};

/* Options a solver reads besides those of stopping. ALPHA: all of alpha_...; RHO: rho, rho_rule, rho_tube, rho_power,
 * rho_factor and eta; FACETS: any number of them; BARRIER: barrier, elastic, r_min, r_max and d_max; STOP: the
 * printed stopping rule; COUNT: the rule that counts sweeps; PATIENCE: until a stall; SWEEPS: `sweeps`. */
enum {
    SLIP_READS_RELAXATION = 1, SLIP_READS_STEP = 2, SLIP_READS_ALPHA = 4, SLIP_READS_RHO = 8, SLIP_READS_FACETS = 16,
    SLIP_READS_REGULARIZATION = 32, SLIP_READS_BARRIER = 64, SLIP_READS_BARRIER_FINAL = 128, SLIP_READS_STOP = 256,
    SLIP_READS_RHO_EVERY = 512, SLIP_READS_OVER_RELAXATION = 1024, SLIP_READS_COUNT = 2048,
    SLIP_READS_PATIENCE = 4096, SLIP_READS_SWEEPS = 8192
};

typedef slip_status slip_solve_function(const slip_problem *p, const slip_solver_options *opt,
                                        slip_solution *sol, slip_arena *scratch);
typedef size_t slip_bytes_function(const slip_problem *p, const slip_solver_options *opt);

/* Flops of a solver's set-up and of one of its iterations. A budget counts in sweeps over the problem: an iteration
 * counts for as many as have its flops, and so does the set-up. */
typedef struct { double setup, iteration; } slip_work_estimate;
typedef slip_work_estimate slip_work_function(const slip_problem *p, const slip_solver_options *opt);

/* A solver: one constant of this type for each, defined at the end of the solver's file (solvers.h lists them). A
 * program may define one of its own and pass it wherever a solver is taken; a program that names solvers only by
 * these constants links only those it names. */
typedef struct slip_solver {
    const char *id;                         /* "ncp-admm"                                               */
    slip_contact_model model;
    const char *about;                      /* one line                                                 */
    const char *paper;                      /* "CR Alg. 1": runs the algorithm printed there; "": ours  */
    const char *engines;                    /* engines that work alike: "Simple", "ODE, PhysX", or ""   */
    unsigned takes, reads;                  /* SLIP_TAKES_..., SLIP_READS_...                           */
    int takes_factor;                       /* 1: works with G = Y Y' as it is: large worlds do not multiply it out */
    slip_solve_function *solve;
    slip_bytes_function *bytes;

    /* for solvers that begin with a matrix; NULL: an iteration is a sweep, without a set-up */
    slip_work_function *work;
    const struct slip_solver *sweeps;       /* takes its place where set-up and one iteration do not fit a budget, or
                                               its memory does not; sol->replaced is 1 then             */
} slip_solver;

/* Solves p by `solver`, in scratch of at least slip_solve_bytes() bytes. See the head of this file for the outcomes.
 * SLIP_ERR_UNSUPPORTED for blocks that the solver does not take. A solver fills lambda, sigma and dual where they are
 * not NULL, status, iterations, factorizations, rho, residual and model; slip_solver_close() fills all but iterations,
 * factorizations and rho. For a solver that leaves `model` unset, slip_solve() fills sigma, dual, residuals and the
 * status that follows from them. */
slip_status slip_solve(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt,
                       slip_solution *sol, slip_arena *scratch);
size_t      slip_solve_bytes(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt);

/* ---- registry: solvers by name ------------------------------------------------------------------- */

/* A list of solvers in which names are looked up. `next` (may be NULL) is searched after it, so that a program puts
 * its own solvers before ours:  { mine, 1, slip_registry_all() }. */
typedef struct slip_registry {
    const slip_solver *const *solvers;
    int count;
    const struct slip_registry *next;
} slip_registry;

/* All solvers of this library: the printed ones in the order of docs/solvers/README.md, then ours, `default` last. */
const slip_registry *slip_registry_all(void);

/* The solver of slip_registry_all() called `id`, NULL when there is none; and all of it by number:
 * 0 <= i < slip_solver_count(), else NULL. */
const slip_solver *slip_solver_find(const char *id);
int slip_solver_count(void);
const slip_solver *slip_solver_get(int i);

#include "solvers/frame.h"    /* for the sources of this library: not part of slipstick.h */

#endif
