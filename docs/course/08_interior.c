/* Interior point: every "either or" becomes a product kappa, and kappa goes to zero. */
#include <stdio.h>
#include "slipstick.h"

enum { NC = 2, N = 3*NC, ALL = 4*NC };                       /* unknowns: t1, t2, n and psi of each contact */
static const slip_real mu[NC] = { SLIP_R(0.3), SLIP_R(0.5) };
static const slip_real g[N] = { 4, 1, SLIP_R(-0.0981), -6, 3, 0 };     /* the kicked crates of lesson 7 */
static const slip_real G[N*N] = {                           /* 1/m1 = 1, 1/m1 + 1/m2 = 1.01 [1/kg] */
    1, 0, 0, -1, 0, 0,   0, 1, 0, 0, -1, 0,   0, 0, 1, 0, 0, -1,
    -1, 0, 0, SLIP_R(1.01), 0, 0,   0, -1, 0, 0, SLIP_R(1.01), 0,   0, 0, -1, 0, 0, SLIP_R(1.01) };

/* b <- A^-1 b by elimination, the largest pivot first. */
static void eliminate(slip_real A[ALL][ALL], slip_real b[ALL])
{
    for (int i = 0, best = 0; i < ALL; best = ++i) {
        slip_real h = b[i];

        for (int k = i; k < ALL; ++k) if (slip_abs(A[k][i]) > slip_abs(A[best][i])) best = k;
        b[i] = b[best];  b[best] = h;
        for (int j = 0; j < ALL; ++j) { h = A[i][j];  A[i][j] = A[best][j];  A[best][j] = h; }
        for (int k = 0; k < ALL; ++k) {
            h = k == i ? 0 : A[k][i]/A[i][i];
            b[k] -= h*b[i];
            for (int j = i; j < ALL; ++j) A[k][j] -= h*A[i][j];
        }
    }
    for (int i = 0; i < ALL; ++i) b[i] /= A[i][i];
}

/* The products of contact c less kappa, four rows of their Jacobian; returns their mean. */
static slip_real products(int c, const slip_real *l, const slip_real *s, slip_real psi, slip_real kappa,
                          slip_real *F, slip_real J[ALL][ALL])
{
    const slip_real m = mu[c], n = m*l[2];
    const slip_real a[4] = { l[2]*s[2], n*psi + l[0]*s[0] + l[1]*s[1], n*s[0] + psi*l[0], n*s[1] + psi*l[1] };

    for (int i = 0; i < 4; ++i) {
        F[4*c + i] = a[i] - (i < 2 ? kappa : 0);
        for (int j = 0; j < N; ++j) {                                        /* through sigma = G lambda + g */
            const slip_real *col = G + 3*N*c + j;

            J[4*c + i][j] = i == 0 ? l[2]*col[2*N] : i == 1 ? l[0]*col[0] + l[1]*col[N] : n*col[(i - 2)*N];
        }
        J[4*c + i][3*c] += i == 1 ? s[0] : i == 2 ? psi : 0;                 /* through the impulses themselves */
        J[4*c + i][3*c + 1] += i == 1 ? s[1] : i == 3 ? psi : 0;
        J[4*c + i][3*c + 2] += i == 0 ? s[2] : i == 1 ? m*psi : m*s[i - 2];
        for (int k = 0; k < NC; ++k) J[4*c + i][N + k] = k != c || i == 0 ? 0 : i == 1 ? n : l[i - 2];
    }
    return (a[0] + a[1])/2;
}

/* Whether all contacts are inside: lambda in its cone, sigma_n > 0, |sigma_T| < psi. */
static int inside(const slip_real *l, const slip_real *s, const slip_real *psi)
{
    for (int c = 0; c < NC; ++c, l += 3, s += 3)
        if (!(l[2] > 0 && s[2] > 0 && l[0]*l[0] + l[1]*l[1] < mu[c]*mu[c]*l[2]*l[2] && psi[c] > 0
              && s[0]*s[0] + s[1]*s[1] < psi[c]*psi[c])) return 0;
    return 1;
}

int main(void)
{
    static unsigned char memory[1 << 16];
    slip_real x[ALL] = { 0, 0, SLIP_R(210.9081), 0, 0, SLIP_R(209.81), 10, 10 };     /* both crates hop: inside */
    slip_real y[ALL], sigma[N], F[ALL], J[ALL][ALL], ours[N] = { 0 };
    slip_solution sol = slip_solution_over(ours, NULL, NULL);
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_problem p = slip_problem_dense(NC, mu, g, G, N);
    slip_residual r;

    for (int k = 0; ; ++k) {
        slip_real mean = 0;

        slip_residual_of(&p, x, sigma, &r);
        for (int c = 0; c < NC; ++c) mean += products(c, x + 3*c, sigma + 3*c, x[N + c], 0, F, J)/NC;
        if (k % 5 == 0) printf("step %2d  mean product %.1e J  residual %.1e\n", k, (double)mean, (double)r.eps_abs);
        if (r.eps_abs < 1e-9 || k == 60) break;
        for (int c = 0; c < NC; ++c) products(c, x + 3*c, sigma + 3*c, x[N + c], mean/5, F, J);
        eliminate(J, F);                                                     /* a fifth of it is the next goal */
        for (slip_real step = 1; step == 1 || !inside(y, sigma, y + N); step *= SLIP_R(0.8)) {   /* stays inside */
            for (int i = 0; i < ALL; ++i) y[i] = x[i] - step*F[i];
            slip_residual_of(&p, y, sigma, &r);
        }
        for (int i = 0; i < ALL; ++i) x[i] = y[i];
    }
    if (slip_solve(&slip_solver_ncp_ipm, &p, NULL, &sol, &mem) != SLIP_OK) return 1;
    printf("row      by hand     ncp-ipm, %d steps\n", sol.iterations);
    for (int i = 0; i < N; ++i) printf("%3d  %11.6f %11.6f N s\n", i, (double)x[i], (double)ours[i]);
    return 0;
}
