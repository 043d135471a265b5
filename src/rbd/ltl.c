/* L'DL factorisation over branches (Featherstone 2005): M = L' D L with unit lower L that has M's own
 * pattern, so there is no fill. Rows are packed root first; row i's entries up to an ancestor at depth d
 * line up with that ancestor's own row, so each update is one contiguous loop, in whole groups of
 * SLIP_LANES: what lands in the padding is never read. */
#include "rbd/passes.h"

/* y -= f x for one group, all read before anything is written: one vector operation. */
static inline void ltl_subtract_group(slip_real f, const slip_real *x, slip_real *y)
{
    slip_real t[SLIP_LANES];
    int l;

    for (l = 0; l < SLIP_LANES; ++l) t[l] = y[l] - f*x[l];
    for (l = 0; l < SLIP_LANES; ++l) y[l] = t[l];
}

/* x[0..n) *= f, rounded up to whole groups. */
static inline void ltl_scale(int n, slip_real f, slip_real *x)
{
    int e, l;

    for (e = 0; e < n; e += SLIP_LANES)
        for (l = 0; l < SLIP_LANES; ++l) x[e + l] *= f;
}

/* y[0..n) -= f x[0..n), rounded up to whole groups; n > 0, and mostly small. */
static inline void ltl_subtract(int n, slip_real f, const slip_real *x, slip_real *y)
{
    int e;

    ltl_subtract_group(f, x, y);
    if (n <= SLIP_LANES) return;
    ltl_subtract_group(f, x + SLIP_LANES, y + SLIP_LANES);
    for (e = 2*SLIP_LANES; e < n; e += SLIP_LANES) ltl_subtract_group(f, x + e, y + e);
}

slip_status slip_ltl_factor(const slip_branches *b, const slip_real *M, slip_real *L, slip_real *D_inv, int *bad_pivot)
{
    int i, k, e;

    if (L != M)
        for (e = 0; e < b->size; ++e) L[e] = M[e];
    for (k = b->n - 1; k >= 0; --k) {
        const int depth = b->depth[k], *path = b->path + b->row[k];
        slip_real *row = L + b->row[k];
        const slip_real pivot = row[depth], d = 1/pivot;

        if (!(pivot > 0) || !slip_is_finite(pivot)) {
            if (bad_pivot) *bad_pivot = k;
            return SLIP_ERR_NOT_SPD;
        }
        D_inv[k] = d;
        for (i = depth - 1; i >= 0; --i)                 /* row of ancestor i -= (M_ki / D_k) row k */
            ltl_subtract(i + 1, row[i]*d, row, L + b->row[path[i]]);
        ltl_scale(depth, d, row);
        row[depth] = 1;
    }
    return SLIP_OK;
}

/* x <- L^-T x, leaves to root. Ancestors that are consecutive are taken two at a time. */
static void ltl_solve_transposed(const slip_branches *b, const slip_real *L, slip_real *x)
{
    int i, k;

    for (k = b->n - 1; k >= 0; --k) {
        const int depth = b->depth[k], run = b->run[k], *path = b->path + b->row[k];
        const slip_real *row = L + b->row[k], y = x[k];
        slip_real *z = x + path[0];

        for (i = 0; i < run; i += 2) {
            const slip_real even = z[i] - row[i]*y, odd = z[i + 1] - row[i + 1]*y;

            z[i] = even;
            z[i + 1] = odd;
        }
        for (; i < depth; ++i) x[path[i]] -= row[i]*y;
    }
}

void slip_ltl_solve_l(const slip_branches *b, const slip_real *L, slip_real *x)
{
    int i, k;

    for (k = 0; k < b->n; ++k) {
        const int depth = b->depth[k], *path = b->path + b->row[k];
        const slip_real *row = L + b->row[k];
        slip_real y = x[k];

        for (i = 0; i < depth; ++i) y -= row[i]*x[path[i]];
        x[k] = y;
    }
}

void slip_ltl_solve(const slip_branches *b, const slip_real *L, const slip_real *D_inv, slip_real *x)
{
    int k;

    ltl_solve_transposed(b, L, x);                          /* M^-1 = L^-1 D^-1 L^-T */
    for (k = 0; k < b->n; ++k) x[k] *= D_inv[k];
    slip_ltl_solve_l(b, L, x);
}

/* x <- d x - sum over ancestors i of row[i] X_i, in `groups` groups of columns that stay in registers. */
static inline void ltl_gather(int groups, slip_real d, int depth, const int *path, const slip_real *row,
                              const slip_real *X, int stride, slip_real *x)
{
    slip_real sum[4*SLIP_LANES];
    int i, l;

    for (l = 0; l < groups*SLIP_LANES; ++l) sum[l] = d*x[l];
    for (i = 0; i < depth; ++i) {
        const slip_real *from = X + path[i]*stride, f = row[i];

        for (l = 0; l < groups*SLIP_LANES; ++l) sum[l] -= f*from[l];
    }
    for (l = 0; l < groups*SLIP_LANES; ++l) x[l] = sum[l];
}

/* The two sweeps of slip_ltl_solve(), a whole row of X for each number of x. */
void slip_ltl_solve_rows(const slip_branches *b, const slip_real *L, const slip_real *D_inv, int columns, slip_real *X)
{
    int i, k, e;

    for (k = b->n - 1; k >= 0; --k) {
        const int depth = b->depth[k], *path = b->path + b->row[k];
        const slip_real *row = L + b->row[k];

        for (i = 0; i < depth; ++i) ltl_subtract(columns, row[i], X + k*columns, X + path[i]*columns);
    }
    for (k = 0; k < b->n; ++k) {
        const int depth = b->depth[k], *path = b->path + b->row[k];
        const slip_real *row = L + b->row[k], d = D_inv[k];
        slip_real *x = X + k*columns;

        for (e = 0; e + 4*SLIP_LANES <= columns; e += 4*SLIP_LANES)
            ltl_gather(4, d, depth, path, row, X + e, columns, x + e);
        for (; e < columns; e += SLIP_LANES) ltl_gather(1, d, depth, path, row, X + e, columns, x + e);
    }
}

void slip_branches_vec(const slip_branches *b, const slip_real *M, const slip_real *x, slip_real *y)
{
    int i, k;

    for (k = 0; k < b->n; ++k) y[k] = 0;
    for (k = 0; k < b->n; ++k) {
        const int depth = b->depth[k], *path = b->path + b->row[k];
        const slip_real *row = M + b->row[k], xk = x[k];
        slip_real sum = row[depth]*xk;

        for (i = 0; i < depth; ++i) {
            sum += row[i]*x[path[i]];
            y[path[i]] += row[i]*xk;
        }
        y[k] += sum;
    }
}

/* From L M^-1 = D^-1 L^-T, whose row k is zero left of the diagonal and 1/D_k on it:
 *   M^-1(k, j) = [k = j]/D_k - sum over ancestors i of L(k, i) M^-1(i, j),   j <= k,
 * root to leaves, in long contiguous rows; the other triangle is filled in along the way. */
void slip_ltl_inverse(const slip_branches *b, const slip_real *L, const slip_real *D_inv, slip_real *M_inv)
{
    const int n = b->n;
    int i, j, k, l;

    for (k = 0; k < n; ++k) {
        const int depth = b->depth[k], *path = b->path + b->row[k];
        const slip_real *row = L + b->row[k];
        slip_real *SLIP_RESTRICT out = M_inv + k*n, diagonal = D_inv[k];

        /* groups of columns; the last one may overlap the one before and then writes the same again */
        for (j = 0; j < k && k >= SLIP_LANES; j += SLIP_LANES) {
            const int at = j + SLIP_LANES <= k ? j : k - SLIP_LANES;
            slip_real sum[SLIP_LANES] = { 0 };

            for (i = 0; i < depth; ++i)
                for (l = 0; l < SLIP_LANES; ++l) sum[l] -= row[i]*M_inv[path[i]*n + at + l];
            for (l = 0; l < SLIP_LANES; ++l) out[at + l] = sum[l];
        }
        for (j = 0; j < k && k < SLIP_LANES; ++j)
            for (out[j] = 0, i = 0; i < depth; ++i) out[j] -= row[i]*M_inv[path[i]*n + j];
        for (i = 0; i < depth; ++i) diagonal -= row[i]*out[path[i]];
        out[k] = diagonal;
        for (j = 0; j < k; ++j) M_inv[j*n + k] = out[j];
    }
}
