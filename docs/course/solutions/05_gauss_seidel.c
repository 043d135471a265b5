/* The heavier the upper crate, the more sweeps: measured, and from the rate m2/(m1 + m2). */
#include <math.h>
#include <stdio.h>
#include "slipstick.h"

enum { NC = 2, N = 3*NC };
static unsigned char memory[1 << 16];

/* The crates, m1 below and m2 on it, slide as one over the floor: rows t1, t2, n of floor-m1, then of m1-m2. */
static void crates(double m1, double m2, slip_real G[N*N], slip_real g[N])
{
    const double A[NC][NC] = { { 1/m1, -1/m1 }, { -1/m1, 1/m1 + 1/m2 } };
    const double free[N] = { 3, 1, -9.81*0.01, 0, 0, 0 };              /* velocities without impulses [m/s] */

    for (int i = 0; i < N; ++i) {
        g[i] = (slip_real)free[i];
        for (int j = 0; j < N; ++j) G[N*i + j] = (slip_real)(i % 3 == j % 3 ? A[i/3][j/3] : 0);
    }
}

/* Velocity of row i for the impulses as they are. */
static slip_real velocity(const slip_real *G, const slip_real *g, const slip_real *lambda, int i)
{
    slip_real sum = g[i];

    for (int j = 0; j < N; ++j) sum += G[N*i + j]*lambda[j];
    return sum;
}

static void sweep(const slip_real *mu, const slip_real *G, const slip_real *g, slip_real *lambda)
{
    for (int i = 0; i < N; i += 3) {
        slip_real most, t;

        lambda[i + 2] -= velocity(G, g, lambda, i + 2)/G[(N + 1)*(i + 2)];     /* normal: stops, does not pull */
        if (lambda[i + 2] < 0) lambda[i + 2] = 0;
        for (int k = i; k < i + 2; ++k) lambda[k] -= velocity(G, g, lambda, k)/G[(N + 1)*k];   /* would stick ... */
        most = mu[i/3]*lambda[i + 2];
        t = slip_sqrt(lambda[i]*lambda[i] + lambda[i + 1]*lambda[i + 1]);
        if (t > most) { lambda[i] *= most/t;  lambda[i + 1] *= most/t; }       /* ... with a force on the disc */
    }
}

int main(void)
{
    const slip_real mu[NC] = { SLIP_R(0.3), SLIP_R(0.5) };

    printf("  m2/m1     rate   theory   sweeps to 1e-6   ncp-gs\n");
    for (int ratio = 1; ratio <= 1000; ratio *= 10) {
        slip_real G[N*N], g[N], lambda[N] = { 0 }, ours[N] = { 0 }, sigma[N], before = 0, rate = 0;
        slip_solution sol = slip_solution_over(ours, NULL, NULL);
        slip_solver_options opt = slip_solver_defaults();
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_residual r;
        slip_problem p;
        int k = 0;

        opt.max_iterations = 100000;
        crates(1, ratio, G, g);
        p = slip_problem_dense(NC, mu, g, G, N);
        do {
            sweep(mu, G, g, lambda);
            slip_residual_of(&p, lambda, sigma, &r);
            rate = before > 0 ? r.eps_abs/before : 0;
            before = r.eps_abs;
            ++k;
        } while (r.eps_abs > 1e-6);
        if (slip_solve(&slip_solver_ncp_gs, &p, &opt, &sol, &mem) < 0) return 1;
        printf("%7d  %.5f  %.5f  %15d  %7d%s\n", ratio, rate, ratio/(1.0 + ratio), k, sol.iterations,
               sol.status == SLIP_OK ? "" : " and stalls");
    }
    return 0;
}
