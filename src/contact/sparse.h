/* Sparse block factorisation A = L D U, 3x3 blocks, symmetric pattern, no pivoting between blocks.
 *
 * A symmetric A has U = L'. The order is an approximate minimum degree (Amestoy, Davis, Duff 1996, the
 * quotient graph and its degree bound, without supervariables); the pattern of L falls out of it: the boundary
 * of an eliminated node is its column. */
#ifndef SLIP_CONTACT_SPARSE_H
#define SLIP_CONTACT_SPARSE_H

#include "base/base.h"

typedef struct {
    int m;                   /* block rows                                                        */
    int *order, *place;      /* order[k] is eliminated as k-th; place is its inverse              */
    int *start;              /* m + 1: column k of L holds the blocks start[k] .. start[k+1]-1    */
    int *row;                /* their block rows, in elimination numbers, ascending, > k          */
    slip_real *L, *U;        /* 9 per block; U holds the blocks of row k of U, transposed; NULL when symmetric */
    slip_real *D;            /* 9 per block column: the inverse of the pivot block                */
    slip_real *workL, *workU;          /* 9 m + 1 each                                                      */
    int *head, *next, *at;             /* m each: lists of the columns that update a column                 */
    slip_real *x;                      /* 3 m, for solves                                                   */
} slip_sparse;

/* Order, pattern and memory (low end of the arena) for the pattern given by m rows of block columns
 * col[start[i]..start[i+1]), which must be symmetric; the diagonal may be left out.
 * `general`: U as well. A counting arena is charged the bound of a full lower triangle. */
slip_status slip_sparse_analyse(slip_sparse *s, int m, const int *start, const int *col, int general,
                                slip_arena *arena);

/* B[9] = block (i, j) of A, j in the pattern of row i or j == i. */
typedef void slip_sparse_block(const void *context, int i, int j, slip_real B[9]);

/* Numeric factorisation; start and col as in the analysis. Symmetric: blocks of the lower triangle in
 * elimination order are read and SLIP_ERR_NOT_SPD is returned when a pivot block is not positive
 * definite; general: SLIP_ERR_NOT_SPD when one is singular. */
slip_status slip_sparse_factor(slip_sparse *s, const int *start, const int *col, slip_sparse_block *block,
                               const void *context);

/* Flops of a general factorisation of the analysed pattern. */
double slip_sparse_flops(const slip_sparse *s);

/* x <- A^-1 x; x has 3 m rows in the order of A. */
void slip_sparse_solve(const slip_sparse *s, slip_real *x);

#endif
