/* L'DL of a mass matrix of terms (Featherstone 2005).
 * Entries between branches are the constant zero, and no operation is made of them. */
#include "fast_robot.h"

void fast_ltl(term_graph *g, int n, term *M, term *D_inv)
{
    int i, j, k;

    for (k = n - 1; k >= 0; --k) {
        D_inv[k] = term_div(g, term_constant(g, 1), M[k*n + k]);
        for (i = k - 1; i >= 0; --i) {                   /* row i -= (M_ki / D_k) row k */
            const term x = term_mul(g, M[k*n + i], D_inv[k]);

            for (j = 0; j <= i; ++j) M[i*n + j] = term_sub(g, M[i*n + j], term_mul(g, x, M[k*n + j]));
        }
        for (i = 0; i < k; ++i) M[k*n + i] = term_mul(g, M[k*n + i], D_inv[k]);
    }
}

void fast_ltl_solve(term_graph *g, int n, const term *L, const term *D_inv, term *x)
{
    int i, k;

    for (k = n - 1; k >= 0; --k)
        for (i = 0; i < k; ++i) x[i] = term_sub(g, x[i], term_mul(g, L[k*n + i], x[k]));
    for (k = 0; k < n; ++k) {
        x[k] = term_mul(g, D_inv[k], x[k]);
        for (i = 0; i < k; ++i) x[k] = term_sub(g, x[k], term_mul(g, L[k*n + i], x[i]));
    }
}

/* Rows from the root to the leaves: M^-1(k, j) = [k = j]/D_k - sum over i < k of L(k, i) M^-1(i, j),  j <= k. */
void fast_ltl_inverse(term_graph *g, int n, const term *L, const term *D_inv, term *M_inv)
{
    int i, j, k;

    for (k = 0; k < n; ++k)
        for (j = 0; j <= k; ++j) {
            term sum = j == k ? D_inv[k] : term_constant(g, 0);

            for (i = 0; i < k; ++i) sum = term_sub(g, sum, term_mul(g, L[k*n + i], M_inv[i*n + j]));
            M_inv[k*n + j] = M_inv[j*n + k] = sum;
        }
}
