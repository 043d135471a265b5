/* The code around the loops of the ADMM solvers: memory, the factorisation, the rules for rho, when to judge, the best
 * iterate, and the watchdog. The loops are in ncp_admm.c (CR Alg. 1), ccp_admm.c (LL Alg. 3) and ncp_wadmm.c (ours).
 * Private to src/solvers.
 *
 * A loop does  carve, start, then per iteration: its printed lines, slip_admm_residuals, slip_admm_end_iteration,
 * slip_admm_move_rho  and, when rho moved, slip_admm_factor. Nothing here changes f, y or z. */
#ifndef SLIP_SOLVERS_ADMM_H
#define SLIP_SOLVERS_ADMM_H

#include "contact/delassus.h"
#include "solvers/solver.h"

/* Tube alpha of (44) and (46); CR prints no value. */
#define SLIP_ADMM_TUBE 10

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_contact_model model;               /* NCP or CCP: the criterion, and z of a warm start         */
    int n, m;

    /* the loop's */
    slip_real *f, *y, *z;                   /* n: the three variables of CR Alg. 1                      */
    slip_real *f_old, *y_old;               /* n: of the iteration before, kept by the loop             */
    slip_real *M;                           /* n: metric of |f - y|: 1 as printed, W in ncp-wadmm       */
    slip_real eta, rho;                     /* [1/kg] where M = 1, else pure numbers                    */
    slip_real primal, dual, comp;           /* largest entries of (40), (41), (42)                      */
    int iterations, factorizations;
    int warm;                               /* started with the rho of an earlier solve                 */
    int since;                              /* iterations since rho last moved, counted by ncp-wadmm    */

    /* the frame's */
    slip_real *W;                           /* n: mean diagonal of G + R in the row's block   [1/kg]    */
    slip_real *sigma;                       /* n: of the y last judged                                  */
    slip_real *shift;                       /* n: R + (eta + rho) M; also scratch                       */
    slip_real *best;                        /* n                                                        */
    slip_gfactor factor;
    slip_real least;                        /* the least rho that made G + R + rho definite, or 0       */
    slip_real L;                            /* of (45): the largest eigenvalue; 0: not computed yet     */
    slip_real checked, last_excess, last_dual;   /* primal + dual, excess, eps_dual when y was last judged */
    slip_real look_excess, look_dual;       /* their least values at the watchdog's looks               */
    int looks;                              /* without progress                                         */
    int sigma_is_best, judged;              /* sigma is that of `best`; y is judged                     */
    slip_status status;                     /* result when the iteration ended it                         */

    slip_residual best_residual;
    slip_real best_excess;
} slip_admm;

/* Takes the memory of an ADMM over p from the arena; SLIP_ERR_WORKSPACE. */
slip_status slip_admm_carve(slip_admm *w, const slip_problem *p, const slip_solver_options *opt,
                            slip_contact_model model, slip_arena *arena);

/* Starts from lambda and z (n each; NULL: zero, and z from lambda) and rho [1/kg] (0: chosen), with the metric M = 1
 * or, `weighted`, M = W. Negative when the first factorisation fails. */
slip_status slip_admm_start(slip_admm *w, int weighted, const slip_real *lambda, const slip_real *z, slip_real rho);

/* Factors G + R + (eta + rho) M. Where rounding left G a little indefinite, rho is raised until it succeeds. */
slip_status slip_admm_factor(slip_admm *w);

/* b -= A y, A = (G - G')/2. The factorisation takes the symmetric part of G; data of others is slightly asymmetric,
 * and the criterion counts for G as given. Nothing happens for a symmetric G. */
void slip_admm_subtract_antisymmetric(const slip_admm *w, slip_real *b);

/* primal, dual, comp: the largest entries of (40), (41) and (42) in the metric M. */
void slip_admm_residuals(slip_admm *w);

/* Ends an iteration: counts it, judges y when due, calls the history callback, checks for a stall, takes from the
 * budget. 0 to stop: w->status is SLIP_OK (converged), SLIP_STALLED, SLIP_DIVERGED or SLIP_DEADLINE. */
int slip_admm_end_iteration(slip_admm *w);

/* Whether y of the start meets the true criterion. */
int slip_admm_is_solved(slip_admm *w);

/* Moves rho by the linear rule (44) or the spectral one (45), (46) for the tube alpha; 1 when it moved. */
int slip_admm_move_rho(slip_admm *w, slip_real alpha);

/* rho in the problem's units [1/kg]. */
slip_real slip_admm_rho(const slip_admm *w);

/* A whole solve around `loop`, which makes at most `most` iterations. */
typedef slip_status slip_admm_loop(slip_admm *w, int most);
slip_status slip_admm_solve(const slip_problem *p, const slip_solver_options *opt, slip_contact_model model,
                            int weighted, slip_admm_loop *loop, slip_solution *sol, slip_arena *scratch);
slip_bytes_function slip_admm_bytes;

#endif
