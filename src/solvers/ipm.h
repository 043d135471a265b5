/* The primal-dual interior point of ncp-ipm, shared with the default solver; private to src/solvers. See ncp_ipm.c for
 * the equations.
 *
 * Each iteration factors W A + Z, A = D (G + R) D the scaled operator, W and Z 3x3 per contact:
 *
 *     DENSE    LU of size n
 *     SPARSE   when G comes as few blocks of many: a block LU on a minimum-degree order
 *     JOINT    in double, when G = Y Y' is known and has few columns: with H = (Z + W D R D)^-1 W and V = D Y,
 *              (W A + Z)^-1 r = s - H V (I + V' H V)^-1 V' s,   s = (Z + W D R D)^-1 r,   an LU of V's columns */
#ifndef SLIP_SOLVERS_IPM_H
#define SLIP_SOLVERS_IPM_H

#include "contact/sparse.h"
#include "solvers/scaled.h"
#include "solvers/solver.h"

typedef enum { SLIP_IPM_DENSE, SLIP_IPM_SPARSE, SLIP_IPM_JOINT } slip_ipm_route;

#define SLIP_IPM_TRIES 8             /* starting points that slip_ipm_run knows */

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_scaling scale;
    slip_ipm_route route;
    slip_real *b;                /* n: scaled g                                                            */
    slip_real *A, *F;            /* DENSE: n x n, scaled G + R, and W A + Z, factored                      */
    int *pivot;                  /* DENSE: n, JOINT: columns                                               */
    slip_real *K, *v;            /* JOINT: I + V' H V, factored, and a vector of its size                  */
    slip_real *H, *S;            /* JOINT: 9 per block, and (Z + W D R D)^-1                               */
    int *place, columns;         /* JOINT: nv, where a coordinate stands in K                              */
    slip_sparse sparse;          /* SPARSE: W A + Z, factored                                              */
    slip_real *W, *Z;            /* 9 per block: of the last linearisation                                 */
    slip_real *padded;           /* SPARSE: 3 per block                                                    */
    slip_real *x, *y;            /* n: impulses and their slacks (eta, s); a bilateral row's y is 0        */
    slip_real *psi;              /* nc                                                                     */
    slip_real *rho;              /* n: A x + b - y                                                         */
    slip_real *dx, *dy, *dpsi;   /* a step                                                                 */
    slip_real *ax, *ay, *apsi;   /* the affine step                                                        */
    slip_real *r0;               /* nc: right-hand side of the cone's first row                            */
    slip_real *lambda, *sigma, *best;    /* n, in the problem's units                                      */
    slip_residual best_residual;
    slip_real best_excess;
    int told;                    /* iterations before this run, for the history                            */
    int iterations;              /* and factorisations, for the caller to read                             */
} slip_ipm;

/* Carves the workspace; a counting arena counts. */
slip_status slip_ipm_carve(slip_ipm *w, const slip_problem *p, const slip_solver_options *opt, slip_arena *arena);

/* Scales the problem and judges `lambda` (n; NULL: zero) as the first candidate. Returns 1 when it already solves. */
int slip_ipm_open(slip_ipm *w, const slip_real *lambda);

/* One run from starting point `attempt` (0 .. SLIP_IPM_TRIES-1), or near `from` (n) when that is not NULL, of at most
 * `steps` iterations. SLIP_OK: w->best meets the tolerance; SLIP_MAX_ITERS; SLIP_STALLED: steps have become too short. */
slip_status slip_ipm_run(slip_ipm *w, const slip_real *from, int attempt, int steps);

#endif
