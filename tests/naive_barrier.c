/* Todorov's objective written out (TO eqs. 15-17, 25), and its minimiser by Newton's method with backtracking. R is
 * passed apart from G because the normal velocities of eq. 11 are G f + c, while E has A + R. See naive.h. */
#include "naive.h"

#include <math.h>

int naive_barrier_feasible(const naive_barrier *b, const double *f)
{
    int i;

    for (i = 0; i < b->G.nc; ++i) if (!(naive_velocity(&b->G, f, 3*i + 2) > 0)) return 0;
    return 1;
}

/* Value, first and second derivative of the velocity's barrier: -t log x, and below x0 = t/s (where the slope is -s)
 * the quadratic that has the same value and derivatives there, when `elastic` is set. The print says that the first
 * and second derivatives coincide; the value is taken to coincide as well. */
static double naive_velocity_barrier(const naive_barrier *b, int elastic, double x, double *d1, double *d2)
{
    const double x0 = b->t/b->s, at = elastic ? fmax(x, x0) : x, by = x - at;
    const double slope = -b->t/at, curve = b->t/(at*at);

    *d1 = slope + curve*by;
    *d2 = curve;
    return at > 0 ? -b->t*log(at) + slope*by + curve*by*by/2 : (double)INFINITY;
}

static double naive_cone_gap(const naive_barrier *b, int i, const double *f)
{
    const double m = b->G.mu[i]*f[3*i + 2];

    return m*m - f[3*i]*f[3*i] - f[3*i + 1]*f[3*i + 1];
}

double naive_barrier_value(const naive_barrier *b, int elastic, const double *f)
{
    double e = 0, d1, d2;
    int i;

    for (i = 0; i < b->G.n; ++i) e += f[i]*(naive_velocity(&b->G, f, i) + b->G.g[i] + b->R[i]*f[i])/2;
    for (i = 0; i < b->G.nc; ++i) {
        const double h = naive_cone_gap(b, i, f), n = f[3*i + 2];

        if (!(h > 0) || !(n > 0)) return (double)INFINITY;
        e += -b->t*log(h) - b->t*log(n);
        e += naive_velocity_barrier(b, elastic, naive_velocity(&b->G, f, 3*i + 2), &d1, &d2);
    }
    return e;
}

/* Gradient and Hessian (n x n, row-major). */
static void naive_barrier_derivatives(const naive_barrier *b, int elastic, const double *f, double *grad, double *H)
{
    const int n = b->G.n;
    int i, j, k;

    for (i = 0; i < n; ++i) {
        grad[i] = naive_velocity(&b->G, f, i) + b->R[i]*f[i];
        for (j = 0; j < n; ++j) H[i*n + j] = b->G.A[i][j] + (i == j ? b->R[i] : 0);
    }
    for (k = 0; k < b->G.nc; ++k) {
        const double mu = b->G.mu[k], *x = f + 3*k, h = naive_cone_gap(b, k, f);
        const double dh[3] = { -2*x[0], -2*x[1], 2*mu*mu*x[2] }, ddh[3] = { -2, -2, 2*mu*mu };
        double d1, d2;

        naive_velocity_barrier(b, elastic, naive_velocity(&b->G, f, 3*k + 2), &d1, &d2);
        for (i = 0; i < 3; ++i) {
            grad[3*k + i] -= b->t*dh[i]/h;
            H[(3*k + i)*n + 3*k + i] -= b->t*ddh[i]/h;
            for (j = 0; j < 3; ++j) H[(3*k + i)*n + 3*k + j] += b->t*dh[i]*dh[j]/(h*h);
        }
        grad[3*k + 2] -= b->t/x[2];
        H[(3*k + 2)*n + 3*k + 2] += b->t/(x[2]*x[2]);
        for (i = 0; i < n; ++i) {
            grad[i] += d1*b->G.A[3*k + 2][i];
            for (j = 0; j < n; ++j) H[i*n + j] += d2*b->G.A[3*k + 2][i]*b->G.A[3*k + 2][j];
        }
    }
}

void naive_barrier_gradient(const naive_barrier *b, int elastic, const double *f, double *grad)
{
    double H[NAIVE_ROWS*NAIVE_ROWS];

    naive_barrier_derivatives(b, elastic, f, grad, H);
}

/* From f = (0, 0, 1) per contact. The mode is chosen anew at each step: elastic while a normal velocity is negative. */
void naive_barrier_solution(const naive_barrier *b, double *f)
{
    const int n = b->G.n;
    double d[NAIVE_ROWS], H[NAIVE_ROWS*NAIVE_ROWS], y[NAIVE_ROWS];
    int i, step;

    for (i = 0; i < n; ++i) f[i] = i % 3 == 2;
    for (step = 0; step < 500; ++step) {
        const int elastic = !naive_barrier_feasible(b, f);
        const double value = naive_barrier_value(b, elastic, f);
        double length = 1, slope = 0, grad[NAIVE_ROWS];

        naive_barrier_derivatives(b, elastic, f, grad, H);
        for (i = 0; i < n; ++i) d[i] = -grad[i];
        naive_linear_solve(n, H, d);
        for (i = 0; i < n; ++i) slope += grad[i]*d[i];
        do {
            for (i = 0; i < n; ++i) y[i] = f[i] + length*d[i];
            length /= 2;
        } while (length > 1e-12 && !(naive_barrier_value(b, elastic, y) <= value + 1e-4*2*length*slope));
        if (!(length > 1e-12)) break;                         /* at rounding */
        for (i = 0; i < n; ++i) f[i] = y[i];
    }
}

/* ---- the iteration of TO Sec. III-D --------------------------------------------------------------------- */

static double naive_nearer(double a, double b) { return b > 0 ? fmin(a, b) : a; }

/* The largest a at which f + a d touches a cone, a plane f_n = 0 or, when all velocities are feasible, v_n = 0. */
static double naive_barrier_surface(const naive_barrier *b, int elastic, const double *f, const double *d)
{
    double a = (double)INFINITY;
    int i, j;

    for (i = 0; i < b->G.nc; ++i) {
        const double m2 = b->G.mu[i]*b->G.mu[i], *x = f + 3*i, *y = d + 3*i;
        const double A = m2*y[2]*y[2] - y[0]*y[0] - y[1]*y[1], B = 2*(m2*x[2]*y[2] - x[0]*y[0] - x[1]*y[1]);
        const double C = naive_cone_gap(b, i, f), D = B*B - 4*A*C;
        double speed = 0;

        if (D > 0) {                                             /* both roots of A a^2 + B a + C */
            const double Q = -(B + (B < 0 ? -1 : 1)*sqrt(D))/2;

            a = naive_nearer(naive_nearer(a, Q/A), C/Q);
        }
        a = naive_nearer(a, -x[2]/y[2]);
        for (j = 0; j < b->G.n; ++j) speed += b->G.A[3*i + 2][j]*d[j];
        if (!elastic) a = naive_nearer(a, -naive_velocity(&b->G, f, 3*i + 2)/speed);
    }
    return a;
}

/* Added to the print: 0.99 for "remain in the feasible region", and the halving (Armijo's 1e-4) for energies that would
 * not fall. `shift` is relative to the largest diagonal entry in units u. */
naive_barrier_step naive_barrier_advance(const naive_barrier *b, double shift, const naive_units *u, double *f)
{
    const int n = b->G.n, elastic = !naive_barrier_feasible(b, f);
    const double value = naive_barrier_value(b, elastic, f);
    double grad[NAIVE_ROWS], H[NAIVE_ROWS*NAIVE_ROWS], d[NAIVE_ROWS], y[NAIVE_ROWS], top = 0;
    naive_barrier_step step = { elastic, 0, 0, 0 };
    int i;

    naive_barrier_derivatives(b, elastic, f, grad, H);
    for (i = 0; i < n; ++i) top = fmax(top, u->D[i]*u->D[i]*H[i*n + i]);
    for (i = 0; i < n; ++i) { H[i*n + i] += shift*top/(u->D[i]*u->D[i]);  d[i] = -grad[i]; }
    naive_linear_solve(n, H, d);
    for (i = 0; i < n; ++i) step.decrement -= grad[i]*d[i];
    step.length = fmin(1, 0.99*naive_barrier_surface(b, elastic, f, d));
    for (; step.halvings < 40; ++step.halvings) {
        const double a = ldexp(step.length, -step.halvings);

        for (i = 0; i < n; ++i) y[i] = f[i] + a*d[i];
        if (naive_barrier_value(b, elastic, y) <= value - 1e-4*a*step.decrement) break;
    }
    for (i = 0; i < n; ++i) f[i] = y[i];
    return step;
}
