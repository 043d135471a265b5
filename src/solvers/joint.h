/* Contacts' systems solved in the joints' space; private to src/solvers.
 *
 * With G = Y Y' known and fewer coordinates than rows, a system over all contacts with one small matrix per block,
 *
 *     (I + H V V') x = s,      V = D Y,   H 3x3 for a contact, a number for a limit or bilateral row,
 *
 * is solved by one of the size of V's columns:   x = s - H V t,   t = V' x = K^-1 V' s,   K = I + V' H V.
 *
 * Contacts between the same two bodies touch the same columns and stand side by side in V: such a group of blocks is one
 * small full matrix, and what it adds to K or to V' x is summed up before it is spread over the columns. */
#ifndef SLIP_SOLVERS_JOINT_H
#define SLIP_SOLVERS_JOINT_H

#include "contact/problem.h"

typedef struct {
    const slip_problem *p;
    int columns;             /* coordinates that the problem touches                                    */
    int *place, *column;     /* nv: where a coordinate stands in K, -1; and of each entry of ycol       */
    int *run;                /* entries of ycol that stand side by side in K from this one on           */
    int *group, groups;      /* groups + 1: first blocks of the groups                                  */
    slip_real *V;            /* D Y, packed as Y                                                        */
    slip_real *H;            /* 9 per block, for the caller to fill; a single row uses the first        */
    slip_real *K, *v;        /* columns^2, factored; columns                                            */
    int *pivot;
} slip_joint;

/* Memory, and the order of the columns. 0 when there is no factor, when `columns` would be more than 300 or not be less
 * than `share` of the rows, or when it does not fit. A counting arena gets 0 as well: callers take this road only where
 * it needs no more than what they count. */
int slip_joint_carve(slip_joint *j, const slip_problem *p, slip_real share, slip_arena *arena);

/* V = D Y; D (n, one number per block) may be NULL for 1. */
void slip_joint_open(slip_joint *j, const slip_real *D);

/* K from j->H, factored. 0 when it is singular. */
int slip_joint_factor(slip_joint *j);

/* Sign of the determinant of K. */
int slip_joint_sign(const slip_joint *j);

/* v (columns) = V' x; out (n) = V v; v <- K^-1 v. */
void slip_joint_gather(const slip_joint *j, const slip_real *x, slip_real *v);
void slip_joint_spread(const slip_joint *j, const slip_real *v, slip_real *out);
void slip_joint_solve(const slip_joint *j, slip_real *v);

#endif
