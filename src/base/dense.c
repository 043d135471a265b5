/* Cholesky factorisation and solves, row-major, lower triangle.
 *
 * Left-looking in panels of a few columns: the contribution of the columns to the left is subtracted from a panel, in
 * tiles of 4 rows that stay in registers; then the panel is factored by itself. Each entry's sum runs over the columns
 * in their order and each dot product over 8 partial sums, whatever the vector length: results do not depend on it.
 * Left out: pivoting, blocking for the cache. */
#include "base/dense.h"
#include "base/vec.h"

#include <string.h>

/* ---- vectors ---------------------------------------------------------------------------------- */

/* A few reals side by side: a compiler's vector where it has them, else a single one. */
#if defined(__GNUC__) && (defined(__AVX__) || defined(__SSE2__) || defined(__ARM_NEON))
#ifdef __AVX__
#define DENSE_BYTES 32
#else
#define DENSE_BYTES 16
#endif
typedef slip_real dense_vec __attribute__((vector_size(DENSE_BYTES), aligned(sizeof(slip_real)), may_alias));
#else
typedef slip_real dense_vec;
#endif

#define DENSE_LANES ((int)(sizeof(dense_vec)/sizeof(slip_real)))
#define DENSE_SUMS  8                           /* partial sums of a dot product, a multiple of the lanes */
#define DENSE_NV    (DENSE_SUMS/DENSE_LANES)    /* as vectors                                             */

static dense_vec dense_load(const slip_real *p) { return *(const dense_vec *)p; }
static void dense_store(slip_real *p, dense_vec v) { *(dense_vec *)p = v; }

/* ---- factorisation ---------------------------------------------------------------------------- */

#define DENSE_NR    (2*DENSE_LANES)             /* columns of a panel, rows of a packed row           */
#define DENSE_DEPTH 64                          /* columns packed at a time                           */
#define DENSE_SMALL 12                          /* up to here one triangle is the whole matrix        */
#define DENSE_TRI   16                          /* the largest triangle: DENSE_SMALL or DENSE_NR      */

typedef struct {
    slip_real inv[DENSE_TRI];                   /* s = inv a, by column of the triangle at hand       */
    slip_real u[DENSE_TRI][DENSE_TRI];          /* row k: column k of L; 0 up to the diagonal         */
} dense_work;

/* Factors the w x w triangle at A, row by row; returns -1, or the index of the pivot that failed. */
static int dense_triangle(int w, slip_real *A, int lda, dense_work *work)
{
    int i, j, k;

    for (i = 0; i < w; ++i) {
        slip_real *row = A + i*lda, p = row[i];

        for (j = 0; j < i; ++j) {
            slip_real a = row[j], s;

            for (k = 0; k < j; ++k) a -= row[k]*work->u[k][j];
            s = a*work->inv[j];
            work->u[j][i] = s;
            row[j] = s;
            p -= s*s;
        }
        if (!(p > 0)) return i;
        row[i] = slip_sqrt(p);
        work->inv[i] = 1/row[i];
    }
    return -1;
}

/* c[r] -= a[r] B for 4 rows: a[r] of depth reals, B of depth rows of NR, c[r] of NR. */
static void dense_tile(int depth, const slip_real *const a[4], const slip_real *b, slip_real *const c[4])
{
    const slip_real *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    dense_vec c00 = dense_load(c[0]), c01 = dense_load(c[0] + DENSE_LANES);
    dense_vec c10 = dense_load(c[1]), c11 = dense_load(c[1] + DENSE_LANES);
    dense_vec c20 = dense_load(c[2]), c21 = dense_load(c[2] + DENSE_LANES);
    dense_vec c30 = dense_load(c[3]), c31 = dense_load(c[3] + DENSE_LANES);
    int k;

    for (k = 0; k < depth; ++k, b += DENSE_NR) {
        const dense_vec b0 = dense_load(b), b1 = dense_load(b + DENSE_LANES);

        c00 -= a0[k]*b0;  c01 -= a0[k]*b1;
        c10 -= a1[k]*b0;  c11 -= a1[k]*b1;
        c20 -= a2[k]*b0;  c21 -= a2[k]*b1;
        c30 -= a3[k]*b0;  c31 -= a3[k]*b1;
    }
    dense_store(c[0], c00);  dense_store(c[0] + DENSE_LANES, c01);
    dense_store(c[1], c10);  dense_store(c[1] + DENSE_LANES, c11);
    dense_store(c[2], c20);  dense_store(c[2] + DENSE_LANES, c21);
    dense_store(c[3], c30);  dense_store(c[3] + DENSE_LANES, c31);
}

/* Updates the tile at rows i.. and panel columns j..j+w; a tile at the edge of the triangle is copied first. `k` is the
 * first of the columns that are packed in b. */
static void dense_update(int n, slip_real *A, int lda, int i, int j, int w, int k, int depth, const slip_real *b)
{
    const int rows = n - i < 4 ? n - i : 4, whole = rows == 4 && w == DENSE_NR && i >= j + w - 1;
    slip_real copy[4][DENSE_NR], *c[4];
    const slip_real *a[4];
    int r, l;

    for (r = 0; r < 4; ++r) {
        slip_real *row = A + (r < rows ? i + r : i)*lda;          /* rows that are not there: the first again */

        a[r] = row + k;
        c[r] = whole ? row + j : copy[r];
        for (l = 0; !whole && l < DENSE_NR; ++l) copy[r][l] = r < rows && l < w && j + l <= i + r ? row[j + l] : 0;
    }
    dense_tile(depth, a, b, c);
    for (r = 0; !whole && r < rows; ++r)
        for (l = 0; l < w && j + l <= i + r; ++l) A[(i + r)*lda + j + l] = copy[r][l];
}

/* Subtracts the contribution of columns 0..j from panel columns j..j+w, rows j..n. */
static void dense_left(int n, slip_real *A, int lda, int j, int w)
{
    slip_real b[DENSE_DEPTH*DENSE_NR];
    int i, k, l, c;

    for (k = 0; k < j; k += DENSE_DEPTH) {
        const int depth = j - k < DENSE_DEPTH ? j - k : DENSE_DEPTH;

        for (c = 0; c < DENSE_NR; ++c) {                          /* b: the panel's rows, transposed */
            const slip_real *row = A + (j + (c < w ? c : 0))*lda + k;

            for (l = 0; l < depth; ++l) b[l*DENSE_NR + c] = row[l];
        }
        for (i = j; i < n; i += 4) dense_update(n, A, lda, i, j, w, k, depth, b);
    }
}

/* The NR reals at c, in a row below a factored triangle L: c <- c L^-T, column after column. */
static void dense_row(const dense_work *work, slip_real *c)
{
    dense_vec c0 = dense_load(c), c1 = dense_load(c + DENSE_LANES);
    slip_real rest[DENSE_NR];
    int k;

    for (k = 0; k < DENSE_NR; ++k) {
        slip_real s;

        dense_store(rest, c0);
        dense_store(rest + DENSE_LANES, c1);
        s = rest[k]*work->inv[k];
        c[k] = s;
        c0 -= s*dense_load(work->u[k]);
        c1 -= s*dense_load(work->u[k] + DENSE_LANES);
    }
}

/* The same for a triangle of w columns. */
static void dense_narrow_row(int w, const dense_work *work, slip_real *c)
{
    int j, k;

    for (j = 0; j < w; ++j) {
        for (k = 0; k < j; ++k) c[j] -= c[k]*work->u[k][j];
        c[j] *= work->inv[j];
    }
}

static slip_status dense_fail(int pivot, int *bad_pivot)
{
    if (bad_pivot) *bad_pivot = pivot;
    return SLIP_ERR_NOT_SPD;
}

slip_status slip_chol_factor_tall(int n, int rows, slip_real *A, int lda, int *bad_pivot)
{
    dense_work work;
    int i, j, bad;

    if (n <= DENSE_SMALL && rows == n) {
        bad = dense_triangle(n, A, lda, &work);
        return bad < 0 ? SLIP_OK : dense_fail(bad, bad_pivot);
    }
    memset(work.u, 0, sizeof work.u);
    for (j = 0; j < n; j += DENSE_NR) {
        const int w = n - j < DENSE_NR ? n - j : DENSE_NR;

        dense_left(rows, A, lda, j, w);
        bad = dense_triangle(w, A + j*lda + j, lda, &work);
        if (bad >= 0) return dense_fail(j + bad, bad_pivot);
        for (i = j + w; i < rows; ++i) {
            if (w == DENSE_NR) dense_row(&work, A + i*lda + j);
            else dense_narrow_row(w, &work, A + i*lda + j);
        }
    }
    return SLIP_OK;
}

slip_status slip_chol_factor(int n, slip_real *A, int lda, int *bad_pivot)
{
    return slip_chol_factor_tall(n, n, A, lda, bad_pivot);
}

/* ---- products and solves ---------------------------------------------------------------------- */

/* The partial sums added in a fixed order. */
static slip_real dense_total(const dense_vec v[DENSE_NV])
{
    slip_real s[DENSE_SUMS];
    int i;

    for (i = 0; i < DENSE_NV; ++i) dense_store(s + i*DENSE_LANES, v[i]);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

slip_real slip_dot(int n, const slip_real *a, const slip_real *b)
{
    dense_vec v[DENSE_NV] = { 0 };
    slip_real s = 0;
    int i = 0, k;

    if (n >= DENSE_SUMS) {
        for (k = 0; k < DENSE_NV; ++k) v[k] = dense_load(a + k*DENSE_LANES)*dense_load(b + k*DENSE_LANES);
        for (i = DENSE_SUMS; i + DENSE_SUMS <= n; i += DENSE_SUMS)
            for (k = 0; k < DENSE_NV; ++k)
                v[k] += dense_load(a + i + k*DENSE_LANES)*dense_load(b + i + k*DENSE_LANES);
        s = dense_total(v);
    }
    for (; i < n; ++i) s += a[i]*b[i];
    return s;
}

void slip_subtract_row(int n, slip_real s, const slip_real *SLIP_RESTRICT a, slip_real *SLIP_RESTRICT y)
{
    int i = 0;

    for (; i + DENSE_LANES <= n; i += DENSE_LANES) dense_store(y + i, dense_load(y + i) - s*dense_load(a + i));
    for (; i < n; ++i) y[i] -= s*a[i];
}

void slip_chol_lower(int n, const slip_real *L, int lda, slip_real *x)
{
    int i;

    for (i = 0; i < n; ++i) x[i] = (x[i] - slip_dot(i, L + i*lda, x))/L[i*lda + i];
}

void slip_chol_upper(int n, const slip_real *L, int lda, slip_real *x)
{
    int i;

    for (i = n - 1; i >= 0; --i) {
        x[i] /= L[i*lda + i];
        slip_subtract_row(i, x[i], L + i*lda, x);
    }
}

void slip_chol_solve(int n, const slip_real *L, int lda, slip_real *x)
{
    slip_chol_lower(n, L, lda, x);
    slip_chol_upper(n, L, lda, x);
}

slip_real slip_max_abs(int n, const slip_real *x)
{
    slip_real even = 0, odd = 0;
    int i, bad = 0;

    for (i = 0; i + 1 < n; i += 2) {                    /* two at a time: a maximum waits for the last one */
        const slip_real a = slip_abs(x[i]), b = slip_abs(x[i + 1]);

        bad |= a != a || b != b;
        even = slip_max(a, even);
        odd = slip_max(b, odd);
    }
    if (i < n) {
        bad |= x[i] != x[i];
        even = slip_max(slip_abs(x[i]), even);
    }
    return bad ? (slip_real)NAN : slip_max(even, odd);
}
