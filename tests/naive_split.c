/* ADMM (LL Alg. 3, CR Alg. 1) and staggered projections (LL Alg. 6). See naive.h. */
#include "naive.h"

#include <math.h>
#include <string.h>

int naive_linear_solve(int n, double *A, double *b)
{
    int i, j, k;

    for (k = 0; k < n; ++k) {
        int best = k;

        for (i = k + 1; i < n; ++i) if (fabs(A[i*n + k]) > fabs(A[best*n + k])) best = i;
        if (A[best*n + k] == 0) return 0;
        for (j = 0; best != k && j < n; ++j) {
            const double t = A[k*n + j];

            A[k*n + j] = A[best*n + j];
            A[best*n + j] = t;
        }
        if (best != k) { const double t = b[k];  b[k] = b[best];  b[best] = t; }
        for (i = k + 1; i < n; ++i) {
            const double f = A[i*n + k]/A[k*n + k];

            for (j = k; j < n; ++j) A[i*n + j] -= f*A[k*n + j];
            b[i] -= f*b[k];
        }
    }
    for (i = n - 1; i >= 0; --i) {
        for (j = i + 1; j < n; ++j) b[i] -= A[i*n + j]*b[j];
        b[i] /= A[i*n + i];
    }
    return 1;
}

/* Whether A - shift I is positive definite: all pivots of elimination are positive. */
static int naive_is_definite(const naive_problem *q, double sign, double shift)
{
    double K[NAIVE_ROWS][NAIVE_ROWS];
    int i, j, k;

    for (i = 0; i < q->n; ++i) for (j = 0; j < q->n; ++j) K[i][j] = sign*(q->A[i][j] - (i == j ? shift : 0));
    for (k = 0; k < q->n; ++k) {
        if (!(K[k][k] > 0)) return 0;
        for (i = k + 1; i < q->n; ++i) {
            const double f = K[i][k]/K[k][k];

            for (j = k; j < q->n; ++j) K[i][j] -= f*K[k][j];
        }
    }
    return 1;
}

void naive_eigenvalues(const naive_problem *q, double shift, double *least, double *largest)
{
    double trace = 0, lo, hi;
    int i, k;

    for (i = 0; i < q->n; ++i) trace += q->A[i][i];
    for (lo = -trace, hi = trace, k = 0; k < 200; ++k) {
        if (naive_is_definite(q, 1, (lo + hi)/2)) lo = (lo + hi)/2; else hi = (lo + hi)/2;
    }
    *least = lo + shift;
    for (lo = 0, hi = 2*trace, k = 0; k < 200; ++k) {
        if (naive_is_definite(q, -1, (lo + hi)/2)) hi = (lo + hi)/2; else lo = (lo + hi)/2;
    }
    *largest = hi + shift;
}

/* x solves (A + shift I) x = b. */
static void naive_shifted_solve(const naive_problem *q, double shift, const double *b, double *x)
{
    double K[NAIVE_ROWS*NAIVE_ROWS];
    int i, j;

    for (i = 0; i < q->n; ++i) for (j = 0; j < q->n; ++j) K[i*q->n + j] = q->A[i][j] + (i == j ? shift : 0);
    memcpy(x, b, (size_t)q->n*sizeof *x);
    naive_linear_solve(q->n, K, x);
}

/* LL Alg. 3 lines 3-5, with f for lambda, y for z, z for gamma. Starting values are not printed: zero. */
void naive_ccp_admm_step(const naive_problem *q, double rho, naive_admm *a)
{
    double b[NAIVE_ROWS];
    int i;

    for (i = 0; i < q->n; ++i) b[i] = -(q->g[i] - rho*a->y[i] + a->z[i]);
    naive_shifted_solve(q, rho, b, a->f);
    for (i = 0; i < q->n; ++i) b[i] = a->f[i] + a->z[i]/rho;
    naive_project_cones(q, b, a->y);
    for (i = 0; i < q->n; ++i) a->z[i] += rho*(a->f[i] - a->y[i]);
}

static void naive_admm_residuals(const naive_problem *q, double eta, double rho, const double *f0, const double *y0,
                                 naive_admm *a)
{
    int i, k;

    a->primal = a->dual = a->comp = 0;
    for (i = 0; i < q->n; ++i) {
        a->primal = fmax(a->primal, fabs(a->f[i] - a->y[i]));
        a->dual = fmax(a->dual, fabs(eta*(a->f[i] - f0[i]) + rho*(a->y[i] - y0[i])));
    }
    for (i = 0; i < q->nc; ++i) {
        double c = 0;

        for (k = 3*i; k < 3*i + 3; ++k) c += a->f[k]*a->z[k];
        a->comp = fmax(a->comp, fabs(c));
    }
}

/* CR Alg. 1 lines 2-7. Starting values of f, y, z are not printed: zero. */
void naive_ncp_admm_step(const naive_problem *q, double eta, double rho, naive_admm *a)
{
    double b[NAIVE_ROWS], f0[NAIVE_ROWS], y0[NAIVE_ROWS];
    int i;

    memcpy(f0, a->f, sizeof f0);
    memcpy(y0, a->y, sizeof y0);
    for (i = 0; i < q->n; ++i) {
        const double s = i % 3 == 2 ? q->mu[i/3]*hypot(a->z[i - 2], a->z[i - 1]) : 0;       /* line 2 */

        b[i] = -(q->g[i] + s - eta*a->f[i] - rho*a->y[i] - a->z[i]);
    }
    naive_shifted_solve(q, eta + rho, b, a->f);                                             /* lines 3, 4 */
    for (i = 0; i < q->n; ++i) b[i] = a->f[i] - a->z[i]/rho;
    naive_project_cones(q, b, a->y);                                                        /* line 5 */
    for (i = 0; i < q->n; ++i) a->z[i] -= rho*(a->f[i] - a->y[i]);                          /* line 6 */
    naive_admm_residuals(q, eta, rho, f0, y0, a);                                           /* line 7 */
}

/* ---- staggered projections -------------------------------------------------------------------------- */

/* min 1/2 x'Ax + g'x over the rows of one kind, the others held, by projected gradients with step 1/trace. */
static void naive_inner(const naive_problem *q, int normals, int box, double *x)
{
    double trace = 0, v[NAIVE_ROWS], moved = 1;
    int i, k, pass;

    for (k = 0; k < q->n; ++k) if ((k % 3 == 2) == normals) trace += q->A[k][k];
    for (pass = 0; pass < 1000000 && moved > 0; ++pass) {
        double old[NAIVE_ROWS];

        memcpy(old, x, sizeof old);
        for (k = 0; k < q->n; ++k) v[k] = naive_velocity(q, x, k);
        for (k = 0; k < q->n; ++k) if ((k % 3 == 2) == normals) x[k] -= v[k]/trace;
        for (i = 0; i < q->nc; ++i) {
            double *t = x + 3*i;
            const double b = q->mu[i]*t[2], r = hypot(t[0], t[1]);

            if (normals) t[2] = fmax(0, t[2]);
            else if (box) for (k = 0; k < 2; ++k) t[k] = fmin(fmax(t[k], -b), b);
            else if (r > b) { t[0] *= b/r;  t[1] *= b/r; }
        }
        for (moved = 0, k = 0; k < q->n; ++k) if (fabs(x[k] - old[k]) > 1e-16*(1 + fabs(x[k]))) moved = 1;
    }
}

/* LL Alg. 6, one pass. Line 2 prints g_T + G_NT lambda_T; the normal problem needs g_N + G_NT lambda_T. Starting value
 * of lambda_T: not printed, zero. */
void naive_staggered_pass(const naive_problem *q, int box, double *x)
{
    naive_inner(q, 1, box, x);                                /* lines 2, 3 */
    naive_inner(q, 0, box, x);                                /* lines 4, 5 */
}
