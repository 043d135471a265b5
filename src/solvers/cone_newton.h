/* The parts of ccp-newton's step; the loop is in ccp_newton.c. Private to src/solvers.
 *
 *     min over K of  1/2 l'A l + g'l + 1/2 l'W l        A = sym(G), W diagonal */
#ifndef SLIP_SOLVERS_CONE_NEWTON_H
#define SLIP_SOLVERS_CONE_NEWTON_H

#include "contact/operator.h"

typedef struct slip_cone_newton slip_cone_newton;
struct slip_cone_newton {
    const slip_problem *p;
    int n, m;
    slip_real *D;                    /* n: 1/sqrt of the mean diagonal of the row's block, to compare rows   */
    slip_real *W, *g;                /* n: the metric, > 0, and the free velocity; set by the caller         */
    slip_real *x, *c, *lambda;       /* n: primal variable (v = v_free + M^-1 J'x), A x + g, answer in K     */
    slip_real *r, *t, *d, *Ad, *u;   /* n: x - lambda, A r, Newton's direction, A d, scratch                 */
    slip_real *H;                    /* 9 per block: -d lambda/d c                                           */
    slip_real *I;                    /* 9 per block: the identity                                            */
    slip_problem even;               /* the problem, a full G replaced by its symmetric part                 */
    slip_real *A;                    /* n x n: that part, NULL where G is symmetric or in blocks             */
    slip_operator op;                /* I + H A                                                              */
    int factorizations;              /* counted up                                                           */
};

/* Takes all arrays from the arena (low end); 0 when it is full. */
int slip_cone_newton_carve(slip_cone_newton *q, const slip_problem *p, slip_arena *arena);

/* Once per problem: D, the identity and the scaling of the operator. */
void slip_cone_newton_setup(slip_cone_newton *q);

/* c, lambda, r and t at x, for the given W and g; returns the size of t, the gradient's velocity |A (x - lambda)|. */
slip_real slip_cone_newton_evaluate(slip_cone_newton *q);

/* Newton's direction d: (I + H A) d = -r. 0 when it cannot be found. */
int slip_cone_newton_direction(slip_cone_newton *q);

/* Exact line search along d; also makes A d. */
slip_real slip_cone_newton_line_search(slip_cone_newton *q);

/* The largest |v| in units of D; a NaN when there is one. */
slip_real slip_cone_newton_size(const slip_cone_newton *q, const slip_real *v);

/* y = sym(G) x. */
void slip_cone_newton_product(slip_cone_newton *q, const slip_real *x, slip_real *y);

#endif
