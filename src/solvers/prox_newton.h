/* A convex quadratic over a product of small sets, by a primal non-smooth Newton method inside a proximal-point loop:
 *
 *     min over C of  1/2 x'A x + g'x        A symmetric, semidefinite
 *
 * The staggered solvers use it with half-lines, discs and squares. Private to src/solvers. */
#ifndef SLIP_SOLVERS_PROX_NEWTON_H
#define SLIP_SOLVERS_PROX_NEWTON_H

#include "contact/problem.h"

typedef enum {
    SLIP_SET_FREE,    /* one row, no bound                           */
    SLIP_SET_PLUS,    /* one row, x >= 0                             */
    SLIP_SET_DISC,    /* two rows, |x| <= size                       */
    SLIP_SET_BOX      /* two rows, |x|_inf <= size                   */
} slip_set_kind;

typedef struct {
    slip_set_kind kind;
    int row;               /* first row                              */
    slip_real size;        /* radius of a disc or box                */
} slip_set;

typedef struct {
    int n, nsets;
    slip_set *sets;        /* nsets, cover all rows in order                                      */
    slip_real *A;          /* n x n, row-major, symmetric                                         */
    slip_real *g;          /* n                                                                   */
    slip_real delta;       /* > 0: the proximal weight                                            */
    slip_real *x;          /* n, the primal variable: v = v_free + M^-1 J' x                      */
    slip_real *c;          /* n, A x + g                                                          */
    slip_real *lambda;     /* n, lambda(c): argmin over C of delta/2 |l|^2 + c'l                     */
    slip_real *L;          /* 2 per row: factor of the derivative of lambda(c), H = L L'          */
    int *count;            /* nsets: columns of L in use                                          */
    slip_real *K;          /* n x n: I + L'A L                                                    */
    slip_real *r, *d, *Ad, *t, *u;   /* n each, scratch                                           */
    int steps, factorizations;       /* counted up                                                */
    slip_budget *budget;             /* of the solve; NULL: none                                  */
    slip_real flops;                 /* of all steps: a Cholesky of the active set, four products */
} slip_prox_newton;

/* Takes all arrays from the arena (low end); 0 when it is full. */
int slip_prox_newton_carve(slip_prox_newton *q, int n, int nsets, slip_arena *arena);

/* `lambda` is start and answer, `base` is g. Each proximal step minimises with delta/2 |x - lambda|^2 added, delta
 * falling tenfold from step to step. Stops when the natural residual |x - P_C(x - (A x + g))| is below tol, or when
 * rounding does not let it fall. Returns it. */
slip_real slip_prox_newton_solve(slip_prox_newton *q, const slip_real *base, slip_real tol, slip_real *lambda);

#endif
