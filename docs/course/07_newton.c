/* Newton: the laws of contact as F(lambda) = 0, and a linear system for every step. */
#include <stdio.h>
#include "slipstick.h"

enum { NC = 2, N = 3*NC };
static const slip_real mu[NC] = { SLIP_R(0.3), SLIP_R(0.5) };

/* The crates of lesson 5, 1 kg below and 100 kg on it, after a kick against the lower one: rows of floor, of crates. */
static const slip_real g[N] = { 4, 1, SLIP_R(-0.0981), -6, 3, 0 };
static const slip_real G[N*N] = {                           /* 1/m1 = 1, 1/m1 + 1/m2 = 1.01 [1/kg] */
    1, 0, 0, -1, 0, 0,   0, 1, 0, 0, -1, 0,   0, 0, 1, 0, 0, -1,
    -1, 0, 0, SLIP_R(1.01), 0, 0,   0, -1, 0, 0, SLIP_R(1.01), 0,   0, 0, -1, 0, 0, SLIP_R(1.01) };

/* F of contact c, three rows of its Jacobian J, and the state: 'o' open, 'k' sticks, 's' slips. */
static char natural_map(int c, const slip_real *lambda, const slip_real *sigma, slip_real *F,
                        slip_real J[N][N])
{
    const slip_real *l = lambda + 3*c, *s = sigma + 3*c, m = mu[c], r = 1/G[(N + 1)*3*c];
    const slip_real st = slip_sqrt(s[0]*s[0] + s[1]*s[1]), w[2] = { st > 0 ? s[0]/st : 0, st > 0 ? s[1]/st : 0 };
    const slip_real x[3] = { l[0] - r*s[0], l[1] - r*s[1], l[2] - r*(s[2] + m*st) };
    const slip_real t = slip_sqrt(x[0]*x[0] + x[1]*x[1]), n = (x[2] + m*t)/(1 + m*m);
    const slip_real q[3] = { m*x[0]/t, m*x[1]/t, 1 };                      /* generator of the cone next to x */
    const char state = m*t <= -x[2] ? 'o' : t <= m*x[2] ? 'k' : 's';

    for (int i = 0; i < 3; ++i) {
        slip_real D[3];                                                    /* row i of dP_K/dx */

        F[3*c + i] = l[i] - (state == 'o' ? 0 : state == 'k' ? x[i] : n*q[i]);
        for (int k = 0; k < 3; ++k)
            D[k] = state == 'o' ? 0 : state == 'k' ? i == k
                 : q[i]*q[k]/(1 + m*m) + (i < 2 && k < 2 ? m*n/t*((i == k) - x[i]*x[k]/(t*t)) : 0);
        for (int j = 0; j < N; ++j) {                                      /* d(lambda - P_K(x))/d lambda_j */
            const slip_real *col = G + 3*N*c + j;

            J[3*c + i][j] = (3*c + i == j) - (j/3 == c ? D[j % 3] : 0)
                          + r*(D[0]*col[0] + D[1]*col[N] + D[2]*(col[2*N] + m*(w[0]*col[0] + w[1]*col[N])));
        }
    }
    return state;
}

/* b <- A^-1 b by elimination, the largest pivot first. */
static void eliminate(slip_real A[N][N], slip_real b[N])
{
    for (int i = 0, best = 0; i < N; best = ++i) {
        slip_real h = b[i];

        for (int k = i; k < N; ++k) if (slip_abs(A[k][i]) > slip_abs(A[best][i])) best = k;
        b[i] = b[best];  b[best] = h;
        for (int j = 0; j < N; ++j) { h = A[i][j];  A[i][j] = A[best][j];  A[best][j] = h; }
        for (int k = 0; k < N; ++k) {
            h = k == i ? 0 : A[k][i]/A[i][i];
            b[k] -= h*b[i];
            for (int j = i; j < N; ++j) A[k][j] -= h*A[i][j];
        }
    }
    for (int i = 0; i < N; ++i) b[i] /= A[i][i];
}

int main(void)
{
    static unsigned char memory[1 << 16];
    slip_real lambda[N] = { 0 }, ours[N] = { 0 }, sigma[N], F[N], J[N][N];
    slip_solution sol = slip_solution_over(ours, NULL, NULL);
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_problem p = slip_problem_dense(NC, mu, g, G, N);
    slip_residual res;

    for (int k = 0; k <= 20; ++k) {
        char state[NC];

        slip_residual_of(&p, lambda, sigma, &res);
        for (int i = 0; i < NC; ++i) state[i] = natural_map(i, lambda, sigma, F, J);
        printf("step %2d  floor %c crates %c  residual %s%.1e\n", k, state[0], state[1],
               res.eps_abs > 1e-12 ? "" : "below ", res.eps_abs > 1e-12 ? (double)res.eps_abs : 1e-12);
        if (res.eps_abs <= 1e-12) break;
        eliminate(J, F);
        for (int i = 0; i < N; ++i) lambda[i] -= F[i];
    }
    if (slip_solve(&slip_solver_ncp_newton, &p, NULL, &sol, &mem) != SLIP_OK) return 1;
    printf("row      by hand  ncp-newton, %d steps\n", sol.iterations);
    for (int i = 0; i < N; ++i) printf("%3d  %11.7f  %11.7f N s\n", i, (double)lambda[i], (double)ours[i]);
    return 0;
}
