/* How many iterations ADMM takes for each penalty rho; and the library's, which moves its rho. */
#include <math.h>
#include <stdio.h>
#include "slipstick.h"

enum { NC = 2, N = 3*NC };
static unsigned char memory[1 << 16];

/* The crates of lesson 5, m1 below and m2 on it: rows t1, t2, n of floor-m1, then of m1-m2. */
static void crates(double m1, double m2, slip_real G[N*N], slip_real g[N])
{
    const double A[NC][NC] = { { 1/m1, -1/m1 }, { -1/m1, 1/m1 + 1/m2 } }, free[N] = { 3, 1, -9.81*0.01, 0, 0, 0 };

    for (int i = 0; i < N; ++i) {
        g[i] = (slip_real)free[i];
        for (int j = 0; j < N; ++j) G[N*i + j] = (slip_real)(i % 3 == j % 3 ? A[i/3][j/3] : 0);
    }
}

/* L L' = G + shift 1, and x <- (L L')^-1 x. */
static void factor(const slip_real *G, slip_real shift, slip_real L[N][N])
{
    for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j) {
            L[i][j] = G[N*i + j] + (i == j ? shift : 0);
            for (int k = 0; k < j; ++k) L[i][j] -= L[i][k]*L[j][k];
            L[i][j] = i == j ? slip_sqrt(L[i][i]) : L[i][j]/L[j][j];
        }
}

static void substitute(slip_real L[N][N], slip_real x[N])
{
    for (int i = 0; i < N; x[i] /= L[i][i], ++i) for (int k = 0; k < i; ++k) x[i] -= L[i][k]*x[k];
    for (int i = N - 1; i >= 0; x[i] /= L[i][i], --i) for (int k = i + 1; k < N; ++k) x[i] -= L[k][i]*x[k];
}

/* Nearest point of the cone, as in lesson 3. */
static void project(slip_real mu, slip_real x[3])
{
    const slip_real t = slip_sqrt(x[0]*x[0] + x[1]*x[1]), n = (x[2] + mu*t)/(1 + mu*mu);
    const slip_real scale = mu*t <= -x[2] ? 0 : mu*n/t;

    if (t <= mu*x[2]) return;
    x[0] *= scale;  x[1] *= scale;  x[2] = mu*t <= -x[2] ? 0 : n;
}

/* Iterations to 1e-6; 5000: more. */
static int iterations(const slip_problem *p, const slip_real *mu, const slip_real *G, const slip_real *g, slip_real rho)
{
    const slip_real eta = SLIP_R(1e-6);
    slip_real L[N][N], f[N] = { 0 }, y[N] = { 0 }, z[N] = { 0 }, sigma[N];
    slip_residual r;
    int k;

    factor(G, eta + rho, L);
    for (k = 1; k < 5000; ++k) {
        for (int i = 0; i < N; ++i) {
            const slip_real *zt = z + i/3*3;

            f[i] = eta*f[i] + rho*y[i] + z[i] - g[i] - (i % 3 == 2 ? mu[i/3]*slip_sqrt(zt[0]*zt[0] + zt[1]*zt[1]) : 0);
        }
        substitute(L, f);
        for (int i = 0; i < N; ++i) y[i] = f[i] - z[i]/rho;
        for (int i = 0; i < NC; ++i) project(mu[i], y + 3*i);
        for (int i = 0; i < N; ++i) z[i] -= rho*(f[i] - y[i]);
        slip_residual_of(p, y, sigma, &r);
        if (r.eps_abs <= 1e-6) break;
    }
    return k;
}

int main(void)
{
    static const double rhos[7] = { 0.003, 0.01, 0.02, 0.05, 0.1, 0.3, 1 };
    const slip_real mu[NC] = { SLIP_R(0.3), SLIP_R(0.5) };

    printf("m2/m1      ");
    for (int k = 0; k < 7; ++k) printf("rho %-6g", rhos[k]);
    printf("ncp-admm\n");
    for (int ratio = 1; ratio <= 1000; ratio *= 10) {
        slip_real G[N*N], g[N], ours[N] = { 0 };
        slip_solution sol = slip_solution_over(ours, NULL, NULL);
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_problem p;

        crates(1, ratio, G, g);
        p = slip_problem_dense(NC, mu, g, G, N);
        printf("%5d      ", ratio);
        for (int k = 0; k < 7; ++k) printf("%-10d", iterations(&p, mu, G, g, (slip_real)rhos[k]));
        if (slip_solve(&slip_solver_ncp_admm, &p, NULL, &sol, &mem) != SLIP_OK) return 1;
        printf("%d\n", sol.iterations);
    }
    return 0;
}
