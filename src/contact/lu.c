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

/* The same for two rows y and z with factors f and g: each x is loaded once for both. */
static void lu_rows_update4(int n, const slip_real *f, const slip_real *g, const slip_real *SLIP_RESTRICT x, size_t ld,
                            slip_real *SLIP_RESTRICT y, slip_real *SLIP_RESTRICT z)
{
    const slip_real f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3], g0 = g[0], g1 = g[1], g2 = g[2], g3 = g[3];
    const slip_real *x1 = x + ld, *x2 = x + 2*ld, *x3 = x + 3*ld;
    int j;

    for (j = 0; j < n; ++j) {
        const slip_real a = x[j], b = x1[j], c = x2[j], d = x3[j];

        y[j] -= f0*a + f1*b + f2*c + f3*d;
        z[j] -= g0*a + g1*b + g2*c + g3*d;
    }
}

/* A panel of columns first .. end-1, and the rows below it that are not zero there: of bodies that touch few others, a
 * third of all. No other row can become nonzero, or be a pivot, while the panel is eliminated. */
typedef struct {
    slip_real *A;
    size_t ld;
    int n, first, end;
    int *rows, count;            /* rows >= end */
} lu_panel;

static void lu_find_rows(lu_panel *p)
{
    const int whole = p->end - p->first == LU_PANEL;
    int i, k;

    p->count = 0;
    for (i = p->end; i < p->n; ++i) {
        const slip_real *row = p->A + (size_t)i*p->ld + p->first;
        int zero = row[0] == 0;

        if (whole) zero = zero && row[1] == 0 && row[2] == 0 && row[3] == 0;
        else for (k = 1; k < p->end - p->first; ++k) zero = zero && row[k] == 0;
        if (!zero) p->rows[p->count++] = i;
    }
}

/* The row of largest entry in column k, from row k on. */
static int lu_find_pivot(const lu_panel *p, int k)
{
    slip_real most = slip_abs(p->A[(size_t)k*p->ld + (size_t)k]);
    int i, best = k;

    for (i = k + 1; i < p->end; ++i) {
        const slip_real a = slip_abs(p->A[(size_t)i*p->ld + (size_t)k]);

        if (a > most) { most = a; best = i; }
    }
    for (i = 0; i < p->count; ++i) {
        const slip_real a = slip_abs(p->A[(size_t)p->rows[i]*p->ld + (size_t)k]);

        if (a > most) { most = a; best = p->rows[i]; }
    }
    return most > 0 ? best : -1;
}

/* other -= f row over the panel's columns from k + 1 on; `rest` is that part of the row, with zeros before it. */
static inline void lu_eliminate(const lu_panel *p, int k, slip_real inverse, const slip_real rest[LU_PANEL],
                                slip_real *SLIP_RESTRICT other)
{
    const slip_real f = other[k - p->first]*inverse;
    int j;

    if (p->end - p->first == LU_PANEL) for (j = 0; j < LU_PANEL; ++j) other[j] -= f*rest[j];
    else for (j = 0; j < p->end - p->first; ++j) other[j] -= f*rest[j];
    other[k - p->first] = f;
}

/* Eliminates column k below its pivot, within the panel only. 0 when the column is zero. */
static int lu_column(const lu_panel *p, int k, int *pivot)
{
    slip_real *row = p->A + (size_t)k*p->ld, rest[LU_PANEL] = { 0 }, inverse;
    int i;

    pivot[k] = lu_find_pivot(p, k);
    if (pivot[k] < 0) return 0;
    if (pivot[k] != k) lu_swap_rows(p->n, row, p->A + (size_t)pivot[k]*p->ld);
    inverse = 1/row[k];
    for (i = k + 1; i < p->end; ++i) rest[i - p->first] = row[i];
    for (i = k + 1; i < p->end; ++i) lu_eliminate(p, k, inverse, rest, p->A + (size_t)i*p->ld + p->first);
    for (i = 0; i < p->count; ++i) lu_eliminate(p, k, inverse, rest, p->A + (size_t)p->rows[i]*p->ld + p->first);
    return 1;
}

/* Four columns at a time: the panel first, then its rows to the right, then all that is below and to the right. What is
 * left of `pivot` beyond a panel holds the list of its rows. */
slip_status slip_lu_factor(int n, slip_real *A, int lda, int *pivot)
{
    const size_t ld = (size_t)lda;
    lu_panel p;
    int i, k;

    p.A = A;
    p.ld = ld;
    p.n = n;
    for (p.first = 0; p.first < n; p.first = p.end) {
        const int first = p.first, end = first + LU_PANEL < n ? first + LU_PANEL : n, right = n - end;

        p.end = end;
        p.rows = pivot + end;
        lu_find_rows(&p);
        for (k = first; k < end; ++k) if (!lu_column(&p, k, pivot)) return SLIP_ERR_NOT_SPD;
        if (right == 0) break;
        for (k = first + 1; k < end; ++k)
            for (i = first; i < k; ++i)
                lu_row_update(right, A[(size_t)k*ld + (size_t)i], A + (size_t)i*ld + end, A + (size_t)k*ld + end);
        for (i = 0; i + 1 < p.count; i += 2) {
            slip_real *y = A + (size_t)p.rows[i]*ld, *z = A + (size_t)p.rows[i + 1]*ld;

            lu_rows_update4(right, y + first, z + first, A + (size_t)first*ld + end, ld, y + end, z + end);
        }
        if (i < p.count) {
            slip_real *y = A + (size_t)p.rows[i]*ld;

            lu_row_update4(right, y + first, A + (size_t)first*ld + end, ld, y + end);
        }
    }
    return SLIP_OK;
}

int slip_lu_sign(int n, const slip_real *A, int lda, const int *pivot)
{
    int i, sign = 1;

    for (i = 0; i < n; ++i) if ((A[(size_t)i*(size_t)lda + (size_t)i] < 0) != (pivot[i] != i)) sign = -sign;
    return sign;
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
