/* Dense LU with partial pivoting. See lu.h. */
#include "contact/lu.h"

static void lu_swap_rows(int n, slip_real *SLIP_RESTRICT a, slip_real *SLIP_RESTRICT b)
{
    int j;

    for (j = 0; j < n; ++j) {
        const slip_real t = a[j];

        a[j] = b[j];
        b[j] = t;
    }
}

/* y -= f x, f != 0 */
static void lu_row_update(int n, slip_real f, const slip_real *SLIP_RESTRICT x, slip_real *SLIP_RESTRICT y)
{
    int j;

    for (j = 0; j < n; ++j) y[j] -= f*x[j];
}

slip_status slip_lu_factor(int n, slip_real *A, int lda, int *pivot)
{
    const size_t ld = (size_t)lda;
    int i, k;

    for (k = 0; k < n; ++k) {
        slip_real *row = A + (size_t)k*ld, inverse, most = slip_abs(row[k]);
        int best = k;

        for (i = k + 1; i < n; ++i) {
            const slip_real a = slip_abs(A[(size_t)i*ld + (size_t)k]);

            if (a > most) { most = a; best = i; }
        }
        if (!(most > 0)) return SLIP_ERR_NOT_SPD;
        pivot[k] = best;
        if (best != k) lu_swap_rows(n, row, A + (size_t)best*ld);
        inverse = 1/row[k];
        for (i = k + 1; i < n; ++i) {
            slip_real *other = A + (size_t)i*ld;

            if (other[k] == 0) continue;
            other[k] *= inverse;
            lu_row_update(n - k - 1, other[k], row + k + 1, other + k + 1);
        }
    }
    return SLIP_OK;
}

void slip_lu_solve(int n, const slip_real *A, int lda, const int *pivot, slip_real *x)
{
    const size_t ld = (size_t)lda;
    int i, j;

    for (i = 0; i < n; ++i) {
        const slip_real t = x[pivot[i]];

        x[pivot[i]] = x[i];
        x[i] = t;
    }
    for (i = 1; i < n; ++i) {
        const slip_real *row = A + (size_t)i*ld;
        slip_real s = x[i];

        for (j = 0; j < i; ++j) s -= row[j]*x[j];
        x[i] = s;
    }
    for (i = n - 1; i >= 0; --i) {
        const slip_real *row = A + (size_t)i*ld;
        slip_real s = x[i];

        for (j = i + 1; j < n; ++j) s -= row[j]*x[j];
        x[i] = s/row[i];
    }
}
