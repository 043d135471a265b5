/* A convex quadratic over a product of small sets, by a primal non-smooth Newton method inside a proximal-point loop:
 *
 *     min over C of  1/2 x'A x + g'x + 1/2 x'R x        A symmetric, semidefinite; R >= 0 diagonal
 *
 * ccp-newton uses it with friction cones, the staggered solvers with half-lines, discs and squares. Private to
 * src/solvers. */
#ifndef SLIP_SOLVERS_PROX_NEWTON_H
#define SLIP_SOLVERS_PROX_NEWTON_H

#include "contact/problem.h"

typedef enum {
    SLIP_SET_FREE,    /* one row, no bound                           */
    SLIP_SET_PLUS,    /* one row, x >= 0                             */
    SLIP_SET_CONE,    /* three rows, K_size                          */
    SLIP_SET_DISC,    /* two rows, |x| <= size                       */
    SLIP_SET_BOX      /* two rows, |x|_inf <= size                   */
} slip_set_kind;

typedef struct {
    slip_set_kind kind;
    int row;               /* first row                              */
    slip_real size;        /* mu of a cone, radius of a disc or box  */
} slip_set;

typedef struct {
    int n, nsets;
    slip_set *sets;        /* nsets, cover all rows in order                                      */
    slip_real *A;          /* n x n, row-major, symmetric                                         */
    slip_real *g;          /* n                                                                   */
    slip_real *W;          /* n, > 0: the metric, compliance plus proximal weight                 */
    slip_real *x;          /* n, the primal variable: v = v_free + M^-1 J' x                      */
    slip_real *c;          /* n, A x + g                                                          */
    slip_real *lambda;     /* n, the set's answer to c: argmin over C of 1/2 l'W l + c'l          */
    slip_real *L;          /* 3 per row: factor of the answer's derivative, H = L L'              */
    int *count;            /* nsets: columns of L in use                                          */
    slip_real *K;          /* n x n: I + L'A L                                                    */
    slip_real *r, *d, *Ad, *t, *u;   /* n each, scratch                                           */
    int steps, factorizations;       /* counted up                                                */
} slip_prox_newton;

/* Takes all arrays from the arena (low end); 0 when it is full. */
int slip_prox_newton_carve(slip_prox_newton *q, int n, int nsets, slip_arena *arena);

/* Newton from q->x to the minimum for the given A, g, W, until the gradient's velocity |A (x - lambda)| is below tol
 * times the largest |c|, at most `most` steps. q->lambda is then in C. Returns 1 when tol was reached. */
int slip_prox_newton_inner(slip_prox_newton *q, slip_real tol, int most);

/* y = the Euclidean projection of x on C. May be the same array. */
void slip_prox_newton_project(const slip_prox_newton *q, const slip_real *x, slip_real *y);

/* The proximal-point loop around it with R = 0: W = delta I, shrinking from `delta`, each step from the last answer.
 * `lambda` is start and answer. `base` is g. Stops when the natural residual |x - P_C(x - (A x + g))| is below tol, or
 * when rounding does not let it fall. Returns it. */
slip_real slip_prox_newton_solve(slip_prox_newton *q, const slip_real *base, slip_real delta, slip_real tol,
                                 slip_real *lambda);

#endif
