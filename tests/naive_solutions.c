/* Solutions found the slow, sure way: of the CCP by projected gradients, of the LCP by trying all cases. */
#include "naive.h"

#include <math.h>
#include <string.h>

void naive_ccp_solution(const naive_problem *q, double *x)
{
    double least, largest, moved = 1, y[NAIVE_ROWS];
    int k, pass;

    naive_eigenvalues(q, 0, &least, &largest);
    memset(x, 0, (size_t)q->n*sizeof *x);
    for (pass = 0; pass < 1000000 && moved > 0; ++pass) {
        for (k = 0; k < q->n; ++k) y[k] = x[k] - naive_velocity(q, x, k)/largest;
        naive_project_cones(q, y, y);
        for (moved = 0, k = 0; k < q->n; ++k) if (fabs(x[k] - y[k]) > 1e-16*(1 + fabs(y[k]))) moved = 1;
        memcpy(x, y, (size_t)q->n*sizeof *x);
    }
}

/* One case of the LCP: state[i] = 0 open, else 1 + 3 a + b with a, b = 0 stick, 1 at +mu n, 2 at -mu n on the axes. */
static int naive_lcp_case(const naive_problem *q, const int *state, double *x)
{
    double K[NAIVE_ROWS*NAIVE_ROWS], v;
    int i, k, ok = 1;

    for (i = 0; i < q->n; ++i) {
        const int contact = i/3, axis = i % 3, s = state[contact];
        const int way = s == 0 ? -1 : axis == 2 ? 0 : axis == 0 ? (s - 1)/3 : (s - 1) % 3;

        for (k = 0; k < q->n; ++k) K[i*q->n + k] = way == 0 ? q->A[i][k] : i == k;
        x[i] = way == 0 ? -q->g[i] : 0;
        if (way > 0) K[i*q->n + 3*contact + 2] = way == 1 ? -q->mu[contact] : q->mu[contact];
    }
    if (!naive_linear_solve(q->n, K, x)) return 0;
    for (i = 0; i < q->nc && ok; ++i) {
        const double n = x[3*i + 2], b = q->mu[i]*n;

        ok = state[i] == 0 ? naive_velocity(q, x, 3*i + 2) >= 0 : n >= 0;
        for (k = 0; state[i] != 0 && k < 2; ++k) {
            const int way = k == 0 ? (state[i] - 1)/3 : (state[i] - 1) % 3;

            v = naive_velocity(q, x, 3*i + k);
            ok = ok && (way == 0 ? fabs(x[3*i + k]) <= b : way == 1 ? v <= 0 : v >= 0);
        }
    }
    return ok;
}

/* Tries all 10^nc cases; counts solutions, and those within `tol` of `like` (NULL: none). The first goes to `first`. */
static int naive_lcp_enumerate(const naive_problem *q, const double *like, double tol, double *first, int *near)
{
    int state[NAIVE_CONTACTS], code, c, i, count = 0, cases = 1;

    for (i = 0; i < q->nc; ++i) cases *= 10;
    for (*near = 0, code = 0; code < cases; ++code) {
        double x[NAIVE_ROWS], far = 0;

        for (c = code, i = 0; i < q->nc; ++i, c /= 10) state[i] = c % 10;
        if (!naive_lcp_case(q, state, x)) continue;
        if (first && count == 0) memcpy(first, x, (size_t)q->n*sizeof *x);
        for (i = 0; like && i < q->n; ++i) far = fmax(far, fabs(x[i] - like[i]));
        *near += like && far <= tol;
        ++count;
    }
    return count;
}

int naive_lcp_has_solution(const naive_problem *q, const double *x, double tol)
{
    int near;

    naive_lcp_enumerate(q, x, tol, NULL, &near);
    return near > 0;
}

int naive_lcp_solution_count(const naive_problem *q, double first[NAIVE_ROWS])
{
    int near;

    return naive_lcp_enumerate(q, NULL, 0, first, &near);
}
