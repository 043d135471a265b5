/* The laws of four models for one point, by hand, beside the library's solvers. */
#include <math.h>
#include <stdio.h>
#include "slipstick.h"

static unsigned char memory[1 << 16];

/* Impulse on a point of mass m whose velocity without it is c, c[2] < 0 and sliding. */
static void ncp(double m, double mu, const double c[3], double l[3])     /* takes c_n, pushes against the sliding */
{
    const double t = hypot(c[0], c[1]);

    l[2] = -m*c[2];
    for (int k = 0; k < 2; ++k) l[k] = -fmin(m*t, mu*l[2])*c[k]/t;
}

static void lcp(double m, double mu, const double c[3], double l[3])     /* t1 and t2 have a bound each */
{
    l[2] = -m*c[2];
    for (int k = 0; k < 2; ++k) l[k] = -copysign(fmin(m*fabs(c[k]), mu*l[2]), c[k]);
}

static void ccp(double m, double mu, const double c[3], double l[3])     /* projects -m c on the cone */
{
    const double t = hypot(c[0], c[1]), n = (-c[2] + mu*t)/(1 + mu*mu);

    l[2] = t <= -mu*c[2] ? -m*c[2] : m*n;
    for (int k = 0; k < 2; ++k) l[k] = t <= -mu*c[2] ? -m*c[k] : -m*mu*n*c[k]/t;
}

int main(void)
{
    static void (*const law[4])(double, double, const double *, double *) = { lcp, ccp, ncp, ncp };
    const slip_solver *const solvers[4] = { &slip_solver_lcp_gs, &slip_solver_ccp_gs, &slip_solver_raisim_newton,
                                            &slip_solver_ncp_gs };
    const slip_real mu = SLIP_R(0.8), m = 1, g[3] = { SLIP_R(3.876), SLIP_R(0.99), SLIP_R(-0.01962) };
    const slip_real G[9] = { 1/m, 0, 0, 0, 1/m, 0, 0, 0, 1/m };
    const double c[3] = { (double)g[0], (double)g[1], (double)g[2] };

    for (int i = 0; i < 4; ++i) {
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_problem p = slip_problem_dense(1, &mu, g, G, 3);
        slip_real lambda[3] = { 0, 0, 0 };
        slip_solution sol = slip_solution_over(lambda, NULL, NULL);
        double l[3], off = 0;

        if (slip_solve(solvers[i], &p, NULL, &sol, &mem) != SLIP_OK) return 1;
        law[i]((double)m, (double)mu, c, l);
        for (int k = 0; k < 3; ++k) off = fmax(off, fabs(l[k] - (double)lambda[k]));
        printf("%-13s lambda %8.5f %8.5f %8.5f N s, lifts at %.5f m/s, solver agrees to 1e-9: %s\n", solvers[i]->id,
               l[0], l[1], l[2], c[2] + l[2]/(double)m, off < 1e-9 ? "yes" : "no");
    }
    return 0;
}
