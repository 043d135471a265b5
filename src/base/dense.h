/* Dense Cholesky factorisation, in place, row-major with a leading dimension.
 * Only the lower triangle of A is read or written. Cost n^3/6 multiply-adds, blocked. */
#ifndef SLIP_BASE_DENSE_H
#define SLIP_BASE_DENSE_H

#include "base/real.h"
#include "base/status.h"

/* A = L L'. Returns SLIP_ERR_NOT_SPD at the first pivot that is not positive; *bad_pivot (may be
 * NULL) then holds its index and A is partly overwritten. */
slip_status slip_chol_factor(int n, slip_real *A, int lda, int *bad_pivot);

/* The same with `rows` - n >= 0 more rows B below A, which become B L^-T: their share of a larger matrix's factor. */
slip_status slip_chol_factor_tall(int n, int rows, slip_real *A, int lda, int *bad_pivot);

/* x <- L^-1 x, x <- L^-T x, x <- A^-1 x, with the L of slip_chol_factor. */
void slip_chol_lower(int n, const slip_real *L, int lda, slip_real *x);
void slip_chol_upper(int n, const slip_real *L, int lda, slip_real *x);
void slip_chol_solve(int n, const slip_real *L, int lda, slip_real *x);

/* Sum of a_i b_i, in a fixed order that vectorises. */
slip_real slip_dot(int n, const slip_real *a, const slip_real *b);

/* y -= s a, n entries each. */
void slip_subtract_row(int n, slip_real s, const slip_real *SLIP_RESTRICT a, slip_real *SLIP_RESTRICT y);

/* Largest |x_i|; 0 for n = 0, NaN when an entry is NaN. */
slip_real slip_max_abs(int n, const slip_real *x);

#endif
