/* G plus one small matrix per block: the one place that decides in which space such a system is stored and factored.
 *
 * The interior point and ccp-newton factor N = W A + Z in every iteration, A = D G D being G in some scaling and W, Z
 * 3x3 blocks on the diagonal. (M is the mass matrix, K a cone or joint_space.h's matrix.) There are three ways:
 *
 *     DENSE    LU of a full matrix
 *     SPARSE   G given as blocks: a block LU on a minimum-degree order (sparse.h)
 *     JOINT    G = Y Y' known: N = Z (I + H V V'), H = Z^-1 W, V = D Y: an LU over the coordinates that Y touches, body
 *              by body (joint_space.h)
 *
 * Of those that the form of G allows, the one with the fewest flops is taken. All costs are flops of one LU,
 * multiplications and additions; a symmetric factorisation takes half of them by every way, so that the order stays.
 *
 * Rounding forbids one choice. Over the coordinates, blocks Z that are small against A make large numbers that cancel,
 * about eps |A|/|Z|: that leaves three digits or fewer of a float's seven. So systems with general W and Z take JOINT
 * in double only. The symmetric systems of delassus.h do without this rule: their shift is no small part of A.
 *
 * ccp-newton uses this operator on all three routes, the interior point on DENSE and SPARSE. Two systems have code of
 * their own, for speed: the interior point's JOINT inverts its blocks for several contacts at once (ipm_joint.c), and
 * ncp-newton's matrix has the active set's rows and columns only (newton_system.c), whose pattern changes from step to
 * step. Both use this operator's memory and choice. sym(G) + diagonal, by Cholesky, is in delassus.h. The memory is
 * carved once; several engines may use it in turn. Private to contact and solvers. */
#ifndef SLIP_CONTACT_OPERATOR_H
#define SLIP_CONTACT_OPERATOR_H

#include "contact/joint_space.h"
#include "contact/problem.h"
#include "contact/sparse.h"

typedef enum { SLIP_OPERATOR_DENSE, SLIP_OPERATOR_SPARSE, SLIP_OPERATOR_JOINT } slip_operator_route;

/* ---- estimates, without an analysis of the pattern ------------------------------------------------------------- */

/* LU of a full matrix: 2/3 n^3. */
double slip_operator_dense_flops(int n);

/* m block rows with `blocks` blocks in all, as a block LU: see operator.c. */
double slip_operator_sparse_flops(int m, int blocks);

/* n rows of Y that touch `columns` coordinates, `width` of them each, over the coordinates. */
double slip_operator_joint_flops(int n, int columns, double width);

/* The least of those that the form of G allows; and of a sweep over all rows, the unit of budgets: a product with G and
 * each contact's own problem. */
double slip_operator_least_flops(const slip_problem *p);
double slip_operator_sweep_flops(const slip_problem *p);

/* Whether blocks are better than a full matrix; whether G = Y Y' is better left as Y than multiplied out. */
int slip_operator_prefers_blocks(int n, int m, int blocks);
int slip_operator_prefers_factor(int n, int columns, double width);

/* The rule of rounding above: whether systems with general blocks may be solved over the coordinates. */
static inline int slip_operator_allows_joint(void) { return sizeof(slip_real) == sizeof(double); }

/* The route for sym(G) + diagonal, by the estimates. */
slip_operator_route slip_operator_choose(const slip_problem *p);

/* ---- the operator ------------------------------------------------------------------------------------------------ */

/* Numbers from row to row of a full matrix of n columns with a right-hand side behind it. */
#define SLIP_OPERATOR_WIDTH(n) SLIP_PADDED((n) + 1)

typedef struct {
    slip_operator_route route;
    double flops;                /* of one factorisation, counted on the analysed pattern                     */
    double solve_flops;          /* of one solve with it                                                      */
    slip_problem p;              /* the problem, its G as a full matrix where the route is DENSE              */
    slip_real *F;                /* DENSE: n x SLIP_OPERATOR_WIDTH(n)                                        */
    int *pivot;                  /* DENSE: n                                                                 */
    slip_sparse sparse;          /* SPARSE                                                                   */
    slip_joint_space joint;      /* JOINT                                                                    */
    const slip_real *D, *W, *Z;  /* as given last                                                            */
    slip_real *inverse;          /* JOINT: 9 per block, Z^-1                                                 */
    slip_real *padded;           /* 3 per block, scratch                                                     */
    slip_real *rows;             /* DENSE: 3 rows of the symmetric part of G                                 */
    int symmetrise;              /* whether G stands for (G + G')/2; 0 unless the caller sets it             */
    int sign;                    /* of the determinant at the last factorisation                             */
} slip_operator;

/* Chooses the route and carves its memory. In a counting arena the most that any route takes is counted.
 * SLIP_ERR_WORKSPACE when not even a full matrix fits. */
slip_status slip_operator_carve(slip_operator *o, const slip_problem *p, slip_arena *arena);

/* The scaling: D has n numbers, the same one for all rows of a block; NULL: 1. It is not copied. */
void slip_operator_open(slip_operator *o, const slip_real *D);

/* y = A x, A = D G D. y may not be x. */
void slip_operator_apply(slip_operator *o, const slip_real *x, slip_real *y);

/* Factors N = W A + Z and sets o->sign; W and Z have 9 numbers per block, of which a single row uses the first. Returns
 * 0 when N, or over the coordinates Z, is singular. */
int slip_operator_factor(slip_operator *o, const slip_real *W, const slip_real *Z);

/* x (n) <- N^-1 x. */
void slip_operator_solve(slip_operator *o, slip_real *x);

/* x (n) <- s^-1 x, single rows padded to three in `padded` (3 per block). */
void slip_operator_solve_padded(const slip_sparse *s, const slip_problem *p, slip_real *padded, slip_real *x);

#endif
