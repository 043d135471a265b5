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

enum { LU_PANEL = 4 };

/* y -= f x */
static void lu_row_update(int n, slip_real f, const slip_real *SLIP_RESTRICT x, slip_real *SLIP_RESTRICT y)
{
    int j;

    for (j = 0; j < n; ++j) y[j] -= f*x[j];
}

/* y -= f0 x0 + f1 x1 + f2 x2 + f3 x3, rows ld apart: four multiplications for each number moved. */
static void lu_row_update4(int n, const slip_real *f, const slip_real *SLIP_RESTRICT x, size_t ld,
                           slip_real *SLIP_RESTRICT y)
{
    const slip_real f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
    const slip_real *x1 = x + ld, *x2 = x + 2*ld, *x3 = x + 3*ld;
    int j;

    for (j = 0; j < n; ++j) y[j] -= f0*x[j] + f1*x1[j] + f2*x2[j] + f3*x3[j];
}

/* Eliminates column k below its pivot, within columns k .. end-1 only. 0 when the column is zero. */
static int lu_column(int n, slip_real *A, size_t ld, int k, int end, int *pivot)
{
    slip_real *row = A + (size_t)k*ld, inverse, most = slip_abs(row[k]);
    int i, best = k;

    for (i = k + 1; i < n; ++i) {
        const slip_real a = slip_abs(A[(size_t)i*ld + (size_t)k]);

        if (a > most) { most = a; best = i; }
    }
    if (!(most > 0)) return 0;
    pivot[k] = best;
    if (best != k) lu_swap_rows(n, row, A + (size_t)best*ld);
    inverse = 1/row[k];
    for (i = k + 1; i < n; ++i) {
        slip_real *other = A + (size_t)i*ld;

        if (other[k] == 0) continue;
        other[k] *= inverse;
        lu_row_update(end - k - 1, other[k], row + k + 1, other + k + 1);
    }
    return 1;
}

/* Four columns at a time: the panel first, then its rows to the right, then all that is below and to the right. */
slip_status slip_lu_factor(int n, slip_real *A, int lda, int *pivot)
{
    const size_t ld = (size_t)lda;
    int first, i, k;

    for (first = 0; first < n; first += LU_PANEL) {
        const int end = first + LU_PANEL < n ? first + LU_PANEL : n, right = n - end;

        for (k = first; k < end; ++k)
            if (!lu_column(n, A, ld, k, end, pivot)) return SLIP_ERR_NOT_SPD;
        if (right == 0) break;
        for (k = first + 1; k < end; ++k)
            for (i = first; i < k; ++i)
                lu_row_update(right, A[(size_t)k*ld + (size_t)i], A + (size_t)i*ld + end, A + (size_t)k*ld + end);
        for (i = end; i < n; ++i) {
            const slip_real *f = A + (size_t)i*ld + first;

            if (f[0] == 0 && f[1] == 0 && f[2] == 0 && f[3] == 0) continue;      /* bodies apart: two rows of three */
            lu_row_update4(right, f, A + (size_t)first*ld + end, ld, A + (size_t)i*ld + end);
        }
    }
    return SLIP_OK;
}

void slip_lu_solve(int n, const slip_real *A, int lda, const int *pivot, slip_real *x)
{
    const size_t ld = (size_t)lda;
    int i;

    for (i = 0; i < n; ++i) {
        const slip_real t = x[pivot[i]];

        x[pivot[i]] = x[i];
        x[i] = t;
    }
    for (i = 1; i < n; ++i) x[i] -= slip_dot(i, A + (size_t)i*ld, x);
    for (i = n - 1; i >= 0; --i) {
        const slip_real *row = A + (size_t)i*ld;

        x[i] = (x[i] - slip_dot(n - 1 - i, row + i + 1, x + i + 1))/row[i];
    }
}
