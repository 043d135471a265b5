/* Factorisations of the Delassus operator plus a diagonal: A = sym(G) + diag(shift).
 *
 * Three routes; slip_operator_choose() takes the one with the fewest flops that the form of G allows:
 *   DENSE    n x n Cholesky
 *   SPARSE   3x3-block L D L' on a minimum-degree order; the order and the pattern are found once
 *   JOINT    G = Y Y': (Y Y' + S)^-1 = S^-1 - S^-1 Y (I + Y' S^-1 Y)^-1 Y' S^-1, an nv x nv Cholesky */
#ifndef SLIP_CONTACT_DELASSUS_H
#define SLIP_CONTACT_DELASSUS_H

#include "contact/operator.h"

typedef struct {
    slip_operator_route route;
    int n, ld;
    slip_real *L;            /* DENSE: n x n (small: inverted), JOINT: nv x nv, lower triangles */
    slip_real *S, *v;        /* JOINT: 1/shift (n), scratch (nv)                   */
    slip_sparse sparse;      /* SPARSE                                             */
    const slip_problem *p;   /* as last given, for JOINT's products with Y         */
} slip_gfactor;

/* Memory (low end of the arena, kept until the caller releases it) and, for SPARSE, order and pattern.
 * In a counting arena an upper bound is counted. SLIP_ERR_WORKSPACE when it does not fit. */
slip_status slip_gfactor_prepare(slip_gfactor *f, const slip_problem *p, slip_arena *arena);
slip_status slip_gfactor_prepare_route(slip_gfactor *f, const slip_problem *p, slip_operator_route route,
                                       slip_arena *arena);

/* Factorises sym(G) + diag(shift); JOINT needs shift > 0. May be called again for another shift or other
 * values in the same pattern. SLIP_ERR_NOT_SPD when a pivot is not positive. */
slip_status slip_gfactor_shift(slip_gfactor *f, const slip_problem *p, const slip_real *shift);

/* x <- A^-1 x, n rows. */
void slip_gfactor_solve(const slip_gfactor *f, slip_real *x);

#endif
