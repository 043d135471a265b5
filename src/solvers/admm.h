/* The proximal ADMM of CR Alg. 1, shared by ncp-admm, ccp-admm and the default solver; private to src/solvers.
 *
 *   1   for k = 1, 2, ...
 *   2       s <- Gamma(z)                                                   ccp-admm: s = 0
 *   3-4     f <- -(G + R + (eta + rho) W)^-1 (g + s - eta W f - rho W y - z + A y)
 *   5       y <- P_K(f - z/(rho W))
 *   6       z <- z - rho W (f - y)
 *   7       r_prim = f - y,  r_dual = eta W (f - f-) + rho W (y - y-)        (40), (41)
 *   8       stop when y meets the true criterion
 *   11      move rho by the spectral (46) or the linear rule (44)
 *
 * Differences to the paper. W is a diagonal, one number per block: mean diag(G_ii + R_ii), so that a light and a
 * heavy body are treated alike; that is the paper's algorithm on lambda_i sqrt(W_i), and makes it independent
 * of units. A is the antisymmetric part of G, zero for exact data: the factorisation is symmetric, the criterion is
 * not. After ten iterations rho may move only now and then, so that a dozen factorisations suffice. */
#ifndef SLIP_SOLVERS_ADMM_H
#define SLIP_SOLVERS_ADMM_H

#include "contact/delassus.h"
#include "solvers/solver.h"

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_model_kind model;                  /* NCP or CCP: Gamma on or off                              */
    int n, m;
    slip_real *W;                           /* n: weight of every row                                   */
    slip_real *f, *y, *z;                   /* n: the three variables                                   */
    slip_real *f_old, *y_old;               /* n                                                        */
    slip_real *sigma;                       /* n: of y                                                  */
    slip_real *shift;                       /* n: R + (eta + rho) W; also scratch                       */
    slip_real *best, *mark;                 /* n each; y some time ago                                  */
    slip_gfactor factor;
    slip_real eta, rho, least;              /* relative to W; the least rho that made G definite, or 0  */
    slip_real bound, power;                 /* L and p of the spectral rule                             */
    slip_real primal, dual;                 /* residuals of (40), (41), weighted, largest entry         */
    slip_real checked;                      /* primal + dual when y was last judged                     */
    slip_real last_excess, last_dual;       /* the verdict then, and its dual residual                  */
    int sigma_is_best;                      /* sigma is that of `best`                                  */
    int warm;                               /* started with dual and rho of an earlier solve            */
    int since;                              /* iterations since rho last moved                          */
    slip_real stuck_excess;                 /* best excess when the last stretch without progress began */
    slip_real look_excess, look_dual;       /* least of last_excess, last_dual at the looks so far      */
    int stuck_since;
    int told;                               /* iterations before this run, for the history              */

    slip_residual best_residual;
    slip_real best_excess;
    int iterations, factorizations;
} slip_admm;

slip_status slip_admm_carve(slip_admm *w, const slip_problem *p, const slip_solver_options *opt,
                            slip_model_kind model, slip_arena *arena);

/* Starts from lambda and z (n each; NULL: zero, and z from lambda) and rho [1/kg] (0: chosen).
 * Negative when the first factorisation fails. */
slip_status slip_admm_start(slip_admm *w, const slip_real *lambda, const slip_real *z, slip_real rho);

/* At most `steps` iterations. SLIP_OK: w->best meets the tolerance. SLIP_MAX_ITERS; negative when a
 * factorisation fails; SLIP_STALLED after thousands of iterations without progress; SLIP_DIVERGED when impulses grow
 * along a direction that shows that there is no solution. */
slip_status slip_admm_run(slip_admm *w, int steps);

/* rho in the problem's units: relative rho times the mean weight. */
slip_real slip_admm_rho(const slip_admm *w);

/* The whole solve, as ncp-admm and ccp-admm do it. */
slip_status slip_admm_solve(const slip_problem *p, const slip_solver_options *opt, slip_model_kind model,
                            slip_solution *sol, slip_arena *scratch);
size_t slip_admm_bytes(const slip_problem *p, const slip_solver_options *opt, slip_model_kind model);

#endif
