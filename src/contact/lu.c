/* Dense LU, four rows at a time. See lu.h.
 *
 * Pivots are sought along rows and columns exchanged, so that all operations on a row are on contiguous numbers.
 * Exchanges are made in the rows that are still to be eliminated only; the solution undoes them panel by panel. */
#include "contact/lu.h"

#include <string.h>
#include "contact/quad.h"

#define LU_ENOUGH SLIP_R(4.0)      /* times its square: the diagonal is a pivot if that is the sum of all squares */

enum { LU_PANEL = 4 };

/* Rows first .. end-1. Before them all columns are done. */
typedef struct {
    slip_real *A;
    size_t ld;
    int n, width, first, end;
    int *pivot, swaps;
    slip_real upper[LU_PANEL][LU_PANEL];       /* the rows' upper triangle, inverses on the diagonal */
} lu_panel;

static slip_real *lu_row(const lu_panel *p, int i) { return p->A + (size_t)i*p->ld; }

/* y -= f_0 x_0 + … over columns from `from`, a multiple of four, on; `rows` is a constant where this is called. */
static inline void lu_subtract_rows(const lu_panel *p, int rows, const slip_real f[LU_PANEL], int from,
                           slip_real *SLIP_RESTRICT y)
{
    const slip_real *SLIP_RESTRICT x = lu_row(p, p->first);
    const size_t ld = p->ld, width = (size_t)p->width;
    size_t j;
    int k, i;

    for (j = (size_t)from; j + 8 <= width; j += 8)
        for (k = 0; k < 2*SLIP_QUAD_PARTS; ++k) {
            slip_lanes s = slip_quad_load(y + j, k);

            for (i = 0; i < rows; ++i) s -= f[i]*slip_quad_load(x + (size_t)i*ld + j, k);
            slip_quad_store(y + j, k, s);
        }
    for (; j + 4 <= width; j += 4)
        for (k = 0; k < SLIP_QUAD_PARTS; ++k) {
            slip_lanes s = slip_quad_load(y + j, k);

            for (i = 0; i < rows; ++i) s -= f[i]*slip_quad_load(x + (size_t)i*ld + j, k);
            slip_quad_store(y + j, k, s);
        }
    for (; j < width; ++j) for (i = 0; i < rows; ++i) y[j] -= f[i]*x[(size_t)i*ld + j];
}

static inline void lu_swap(slip_real *y, int a, int b)
{
    const slip_real t = y[a];

    y[a] = y[b];
    y[b] = t;
}

/* Multipliers f of the panel's first `rows` rows that make y zero in their columns. 0: it is zero already. */
static inline int lu_multipliers(const lu_panel *p, int rows, slip_real *SLIP_RESTRICT y, slip_real f[LU_PANEL])
{
    int i, k;

    for (k = 0; p->swaps && k < rows; ++k) lu_swap(y, p->first + k, p->pivot[p->first + k]);
    y += p->first;
    for (k = 0; k < rows && y[k] == 0; ++k) {}
    if (k == rows) return 0;
    for (k = 0; k < rows; ++k) {
        slip_real s = y[k];

        for (i = 0; i < k; ++i) s -= f[i]*p->upper[i][k];
        f[k] = s*p->upper[k][k];
    }
    return 1;
}

/* Eliminates row `rows` of the panel by the rows before it. The entries in the columns of these rows are not used
 * afterwards. */
static inline void lu_own_row(const lu_panel *p, int rows)
{
    slip_real *y = lu_row(p, p->first + rows), f[LU_PANEL];
    int k;

    if (!lu_multipliers(p, rows, y, f)) return;
    lu_subtract_rows(p, rows, f, p->first, y);
    for (k = 0; k < rows; ++k) y[p->first + k] = f[k];
}

static inline void lu_lower_row(const lu_panel *p, slip_real *y)
{
    slip_real f[LU_PANEL];
    int k;

    if (!lu_multipliers(p, LU_PANEL, y, f)) return;
    for (k = 0; k < LU_PANEL; ++k) y[p->first + k] = f[k];
    lu_subtract_rows(p, LU_PANEL, f, p->end, y);
}

/* The column of the pivot of row k: the diagonal if it is not small, else the largest; -1 when all are zero. */
static int lu_find_pivot(const lu_panel *p, int k)
{
    const slip_real *y = lu_row(p, k);
    slip_real most = slip_abs(y[k]), sum = slip_row_dot(p->n - p->end, y + p->end, y + p->end);
    int j, best = k;

    for (j = k + 1; j < p->end; ++j) sum += y[j]*y[j];
    if (most > 0 && sum <= LU_ENOUGH*most*most) return k;
    for (j = k + 1; j < p->n; ++j)
        if (slip_abs(y[j]) > most) { most = slip_abs(y[j]);  best = j; }
    return most > 0 ? best : -1;
}

/* Eliminates within the panel. 0 when a row is zero. */
static int lu_factor_panel(lu_panel *p)
{
    int i, r, at;

    p->swaps = 0;
    for (r = 0; r < LU_PANEL && p->first + r < p->end; ++r) {
        const int k = p->first + r;

        if (r == 1) lu_own_row(p, 1);
        else if (r == 2) lu_own_row(p, 2);
        else if (r == 3) lu_own_row(p, 3);
        at = p->pivot[k] = lu_find_pivot(p, k);
        if (at < 0) return 0;
        if (at != k) {
            p->swaps = 1;
            for (i = 0; i <= r; ++i) lu_swap(lu_row(p, p->first + i), k, at);
        }
        for (i = 0; i < r; ++i) p->upper[i][r] = lu_row(p, p->first + i)[k];
        p->upper[r][r] = 1/lu_row(p, k)[k];
    }
    return 1;
}

slip_status slip_lu_factor_wide(int n, int width, slip_real *A, int lda, int *pivot)
{
    lu_panel p;
    int i;

    p.A = A;
    p.ld = (size_t)lda;
    p.n = n;
    p.width = width;
    p.pivot = pivot;
    for (p.first = 0; p.first < n; p.first = p.end) {
        p.end = p.first + LU_PANEL < n ? p.first + LU_PANEL : n;
        if (!lu_factor_panel(&p)) return SLIP_ERR_NOT_SPD;
        for (i = p.end; i < n; ++i) lu_lower_row(&p, lu_row(&p, i));
    }
    return SLIP_OK;
}

slip_status slip_lu_factor(int n, slip_real *A, int lda, int *pivot)
{
    return slip_lu_factor_wide(n, n, A, lda, pivot);
}

int slip_lu_sign(int n, const slip_real *A, int lda, const int *pivot)
{
    int i, sign = 1;

    for (i = 0; i < n; ++i) if ((A[(size_t)i*(size_t)lda + (size_t)i] < 0) != (pivot[i] != i)) sign = -sign;
    return sign;
}

/* x_i -= a_i . y for the `rows` rows of a panel, a_i and y of n numbers. */
static void lu_dot(int rows, int n, const slip_real *A, size_t ld, const slip_real *y, slip_real *x)
{
    slip_lanes s[LU_PANEL][SLIP_QUAD_PARTS];
    int i, j, k;

    if (rows < LU_PANEL) {
        for (i = 0; i < rows; ++i) x[i] -= slip_row_dot(n, A + (size_t)i*ld, y);
        return;
    }
    memset(s, 0, sizeof s);
    for (j = 0; j + 4 <= n; j += 4)
        for (k = 0; k < SLIP_QUAD_PARTS; ++k)
            for (i = 0; i < LU_PANEL; ++i) s[i][k] += slip_quad_load(A + (size_t)i*ld + j, k)*slip_quad_load(y + j, k);
    for (i = 0; i < LU_PANEL; ++i) x[i] -= SLIP_QUAD_SUM(s[i]);
    for (; j < n; ++j) for (i = 0; i < LU_PANEL; ++i) x[i] -= A[(size_t)i*ld + (size_t)j]*y[j];
}

void slip_lu_solve_upper(int n, const slip_real *A, int lda, const int *pivot, slip_real *x)
{
    const size_t ld = (size_t)lda;
    int first, end, i, j;

    for (end = n; end > 0; end = first) {
        first = (end - 1)/LU_PANEL*LU_PANEL;
        lu_dot(end - first, n - end, A + (size_t)first*ld + end, ld, x + end, x + first);
        for (i = end - 1; i >= first; --i) {
            const slip_real *row = A + (size_t)i*ld;

            for (j = i + 1; j < end; ++j) x[i] -= row[j]*x[j];
            x[i] /= row[i];
        }
        for (i = end - 1; i >= first; --i) lu_swap(x, i, pivot[i]);
    }
}

void slip_lu_solve(int n, const slip_real *A, int lda, const int *pivot, slip_real *x)
{
    const size_t ld = (size_t)lda;
    int first, end, i, j;

    for (first = 0; first < n; first = end) {
        end = first + LU_PANEL < n ? first + LU_PANEL : n;
        lu_dot(end - first, first, A + (size_t)first*ld, ld, x, x + first);
        for (i = first + 1; i < end; ++i) for (j = first; j < i; ++j) x[i] -= A[(size_t)i*ld + (size_t)j]*x[j];
    }
    slip_lu_solve_upper(n, A, lda, pivot, x);
}
