/* L'DL factorisation over branches (Featherstone 2005): M = L' D L with unit lower L that has M's own
 * pattern, so there is no fill. Rows are packed root first; row i's entries up to an ancestor at depth d
 * line up with that ancestor's own row, so each update is one contiguous loop. */
#include "rbd/dynamics.h"

slip_status slip_ltl_factor(const slip_branches *b, const slip_real *M, slip_real *L, slip_real *D_inv, int *bad_pivot)
{
    int i, k, e;

    if (L != M)
        for (e = 0; e < b->size; ++e) L[e] = M[e];
    for (k = b->n - 1; k >= 0; --k) {
        const int depth = b->depth[k], *path = b->path + b->row[k];
        slip_real *row = L + b->row[k];
        const slip_real pivot = row[depth];

        if (!(pivot > 0) || !slip_is_finite(pivot)) {
            if (bad_pivot) *bad_pivot = k;
            return SLIP_ERR_NOT_SPD;
        }
        D_inv[k] = 1/pivot;
        for (i = depth - 1; i >= 0; --i) {               /* row of ancestor i -= (M_ki / D_k) row k */
            slip_real *SLIP_RESTRICT up = L + b->row[path[i]];
            const slip_real f = row[i]*D_inv[k];

            for (e = 0; e <= i; ++e) up[e] -= f*row[e];
            row[i] = f;
        }
        row[depth] = 1;
    }
    return SLIP_OK;
}

void slip_ltl_solve_lt(const slip_branches *b, const slip_real *L, slip_real *x)
{
    int i, k;

    for (k = b->n - 1; k >= 0; --k) {
        const int depth = b->depth[k], *path = b->path + b->row[k];
        const slip_real *row = L + b->row[k], y = x[k];

        for (i = 0; i < depth; ++i) x[path[i]] -= row[i]*y;
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

    slip_ltl_solve_lt(b, L, x);                          /* M^-1 = L^-1 D^-1 L^-T */
    for (k = 0; k < b->n; ++k) x[k] *= D_inv[k];
    slip_ltl_solve_l(b, L, x);
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

/* W = L^-1 over the same pattern: row k of W is e_k - sum over ancestors i of L_ki (row i of W). */
static void ltl_invert_rows(const slip_branches *b, const slip_real *L, slip_real *W)
{
    int e, i, k;

    for (k = 0; k < b->n; ++k) {
        const int depth = b->depth[k], *path = b->path + b->row[k];
        const slip_real *row = L + b->row[k];
        slip_real *SLIP_RESTRICT out = W + b->row[k];

        /* from the nearest ancestor up: entry i of row k is used by lower entries only after it was read */
        for (i = 0; i < depth; ++i) {
            const slip_real *up = W + b->row[path[i]];
            const slip_real f = row[i];

            out[i] = 0;
            for (e = 0; e <= i; ++e) out[e] -= f*up[e];
        }
        out[depth] = 1;
    }
}

/* Ancestors that rows i and j have in common, themselves included. */
static int ltl_common(const slip_branches *b, int i, int j)
{
    const int *p = b->path + b->row[i], *r = b->path + b->row[j];
    const int n = 1 + (b->depth[i] < b->depth[j] ? b->depth[i] : b->depth[j]);
    int k = 0;

    while (k < n && p[k] == r[k]) ++k;
    return k;
}

void slip_ltl_inverse(const slip_branches *b, const slip_real *L, const slip_real *D_inv, slip_real *W,
                      slip_real *M_inv)
{
    const int n = b->n;
    int e, i, j, k;

    ltl_invert_rows(b, L, W);
    for (i = 0; i < n; ++i) {                            /* W <- W D^-1/2, so that M^-1 = W W' */
        const int *path = b->path + b->row[i];
        slip_real *row = W + b->row[i];

        for (k = 0; k <= b->depth[i]; ++k) row[k] *= slip_sqrt(D_inv[path[k]]);
    }
    for (i = 0; i < n; ++i)
        for (j = 0; j <= i; ++j) {
            const slip_real *x = W + b->row[i], *y = W + b->row[j];
            slip_real sum = 0;

            k = ltl_common(b, i, j);
            for (e = 0; e < k; ++e) sum += x[e]*y[e];
            M_inv[i*n + j] = M_inv[j*n + i] = sum;
        }
}
