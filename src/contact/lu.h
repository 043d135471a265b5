/* Dense LU with partial pivoting, in place, row-major. n^3/3 multiply-adds in row operations. */
#ifndef SLIP_CONTACT_LU_H
#define SLIP_CONTACT_LU_H

#include "base/base.h"

/* A Q = L U; pivot[n] holds the column exchanges Q. SLIP_ERR_NOT_SPD when A is singular to rounding. */
slip_status slip_lu_factor(int n, slip_real *A, int lda, int *pivot);

/* The same for n rows of `width` >= n numbers: the columns behind the n-th, right-hand sides or padding, are multiplied
 * by L^-1. A width that is a multiple of four costs less than the one before it. */
slip_status slip_lu_factor_wide(int n, int width, slip_real *A, int lda, int *pivot);

/* Sign of the determinant of the factored A. */
int slip_lu_sign(int n, const slip_real *A, int lda, const int *pivot);

/* x <- A^-1 x. */
void slip_lu_solve(int n, const slip_real *A, int lda, const int *pivot, slip_real *x);

/* x <- (L^-1 A)^-1 x, the second half of slip_lu_solve(). */
void slip_lu_solve_upper(int n, const slip_real *A, int lda, const int *pivot, slip_real *x);

#endif
