/* The engine of ccp-newton: the CCP with a compliance W > 0 by a primal non-smooth Newton method with exact line
 * search, dense or sparse as G is. Private to src/solvers.
 *
 *     min over K of  1/2 l'A l + g'l + 1/2 l'W l        A = sym(G), W diagonal */
#ifndef SLIP_SOLVERS_CONE_NEWTON_H
#define SLIP_SOLVERS_CONE_NEWTON_H

#include "contact/problem.h"
#include "contact/sparse.h"

typedef struct slip_cone_newton slip_cone_newton;
struct slip_cone_newton {
    const slip_problem *p;
    int n, m, is_sparse;
    slip_real *D;                    /* n: 1/sqrt of the mean diagonal of the row's block, to compare rows   */
    slip_real *W, *g;                /* n: the metric, > 0, and the free velocity; set by the caller         */
    slip_real *x, *c, *lambda;       /* n: primal variable (v = v_free + M^-1 J'x), A x + g, answer in K     */
    slip_real *r, *t, *d, *Ad, *u;   /* n: x - lambda, A r, Newton's direction, A d, scratch                 */
    slip_real *H;                    /* 9 per block: -d lambda/d c                                           */
    slip_real *A, *M;                /* dense: n x n each                                                    */
    int *pivot;
    slip_sparse sparse;
    slip_real *padded;               /* sparse: 3 m                                                          */
    int steps, factorizations;       /* counted up                                                           */
    void (*after)(void *context);    /* called after each step with the new lambda; NULL: none               */
    void *context;
};

/* Takes all arrays from the arena (low end) and, for a sparse G, order and pattern; 0 when it is full. */
int slip_cone_newton_carve(slip_cone_newton *q, const slip_problem *p, slip_arena *arena);

/* Once per problem: D and the dense A. */
void slip_cone_newton_setup(slip_cone_newton *q);

/* Newton from q->x for the given W and g until the gradient's velocity |A (x - lambda)| is below tol times the largest
 * |c| + |g|, all in units of D, at most `most` steps. q->lambda is in K. Returns 1 when tol was reached. */
int slip_cone_newton_inner(slip_cone_newton *q, slip_real tol, int most);

/* y = sym(G) x. */
void slip_cone_newton_product(const slip_cone_newton *q, const slip_real *x, slip_real *y);

#endif
