/* Dense LU with partial pivoting, in place, row-major. n^3/3 multiply-adds in row operations. */
#ifndef SLIP_CONTACT_LU_H
#define SLIP_CONTACT_LU_H

#include "base/base.h"

/* P A = L U; pivot[n] holds the row exchanges. SLIP_ERR_NOT_SPD when A is singular to rounding. */
slip_status slip_lu_factor(int n, slip_real *A, int lda, int *pivot);

/* Sign of the determinant of the factored A. */
int slip_lu_sign(int n, const slip_real *A, int lda, const int *pivot);

/* x <- A^-1 x. */
void slip_lu_solve(int n, const slip_real *A, int lda, const int *pivot, slip_real *x);

#endif
