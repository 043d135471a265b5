/* Dojo's primal-dual interior point (Howell et al., arXiv 2203.00806) on a contact problem, written from the solver of
 * the authors' repository and its manual. Per contact, the variables
 *
 *     gamma = (normal impulse, mu times it, tangential impulses),   s = (normal velocity, psi, tangential velocities)
 *
 * and the equations s_1 = sigma_n, mu gamma_1 = gamma_2, s_34 = sigma_T, gamma_1 s_1 = kappa,
 * gamma_234 o s_234 = kappa e with u o v = (u.v, u_1 v_23 + v_1 u_23). Newton on all of them with kappa = 0 (affine
 * direction), then with a kappa from Mehrotra's rule and the second-order term of the affine direction (corrector),
 * then a step to a fraction tau of the way to the boundary, halved while both violations grow.
 *
 * Readings. (1) Dojo also has the bodies' velocities among its unknowns; here sigma = A lambda + g stands for them, as
 * if the bodies' equations held from the start. (2) Dojo's contact has the gap in place of the normal velocity; the
 * time step divides it. (3) Start and fractions tau are the caller's (naive_ipm_rules): the repository's are given in
 * naive.h. (4) kappa may go to 0: no floor. */
#include "naive.h"

#include <math.h>
#include <string.h>

enum { IPM_ROWS = 8*NAIVE_CONTACTS };

/* u o v for the four entries: a product of reals, and one of the second-order cone. */
static void ipm_product(const double u[4], const double v[4], double p[4])
{
    p[0] = u[0]*v[0];
    p[1] = u[1]*v[1] + u[2]*v[2] + u[3]*v[3];
    p[2] = u[1]*v[2] + v[1]*u[2];
    p[3] = u[1]*v[3] + v[1]*u[3];
}

void naive_ipm_impulses(const naive_problem *q, const naive_ipm *w, double *x)
{
    int i;

    for (i = 0; i < q->nc; ++i) {
        x[3*i] = w->gamma[i][2];
        x[3*i + 1] = w->gamma[i][3];
        x[3*i + 2] = w->gamma[i][0];
    }
}

/* r[8 i ...]: four equations of contact i, then its four products. */
static void ipm_residual(const naive_problem *q, const naive_ipm *w, double *r)
{
    double x[NAIVE_ROWS];
    int i;

    naive_ipm_impulses(q, w, x);
    for (i = 0; i < q->nc; ++i) {
        r[8*i] = naive_velocity(q, x, 3*i + 2) - w->s[i][0];
        r[8*i + 1] = q->mu[i]*w->gamma[i][0] - w->gamma[i][1];
        r[8*i + 2] = naive_velocity(q, x, 3*i) - w->s[i][2];
        r[8*i + 3] = naive_velocity(q, x, 3*i + 1) - w->s[i][3];
        ipm_product(w->gamma[i], w->s[i], r + 8*i + 4);
    }
}

static void ipm_violations(const naive_problem *q, const naive_ipm *w, double *residual, double *products)
{
    double r[IPM_ROWS];
    int i, k;

    ipm_residual(q, w, r);
    *residual = *products = 0;
    for (i = 0; i < q->nc; ++i) for (k = 0; k < 4; ++k) {
        *residual = fmax(*residual, fabs(r[8*i + k]));
        *products = fmax(*products, fabs(r[8*i + 4 + k]));
    }
}

/* Column of the Jacobian for a unit change of gamma (half 0) or s (half 1), entry k of contact j: the residual is
 * bilinear, so the column is what the change adds to first order. */
static void ipm_column(const naive_problem *q, const naive_ipm *w, int j, int half, int k, double *column)
{
    static const int row_of[4] = { 2, -1, 0, 1 };             /* gamma's entries as rows t1, t2, n */
    double unit[4] = { 0, 0, 0, 0 };
    int i;

    memset(column, 0, (size_t)(8*q->nc)*sizeof *column);
    unit[k] = 1;
    ipm_product(unit, half ? w->gamma[j] : w->s[j], column + 8*j + 4);
    if (half) { if (k != 1) column[8*j + k] = -1;  return; }
    if (k == 0) column[8*j + 1] = q->mu[j];
    if (k == 1) column[8*j + 1] = -1;
    for (i = 0; row_of[k] >= 0 && i < q->nc; ++i) {
        column[8*i] += q->A[3*i + 2][3*j + row_of[k]];
        column[8*i + 2] += q->A[3*i][3*j + row_of[k]];
        column[8*i + 3] += q->A[3*i + 1][3*j + row_of[k]];
    }
}

static void ipm_direction(const naive_problem *q, const naive_ipm *w, const double *r, naive_ipm *d)
{
    const int n = 8*q->nc;
    double K[IPM_ROWS*IPM_ROWS], column[IPM_ROWS], x[IPM_ROWS];
    int i, j, k;

    for (j = 0; j < q->nc; ++j) for (k = 0; k < 8; ++k) {
        ipm_column(q, w, j, k/4, k % 4, column);
        for (i = 0; i < n; ++i) K[i*n + 8*j + k] = column[i];
    }
    for (i = 0; i < n; ++i) x[i] = -r[i];
    naive_linear_solve(n, K, x);
    for (j = 0; j < q->nc; ++j) for (k = 0; k < 4; ++k) {
        d->gamma[j][k] = x[8*j + k];
        d->s[j][k] = x[8*j + 4 + k];
    }
}

/* The longest step <= 1 that goes tau of the way to the boundary: of u >= 0, and of u_1 >= |u_23| (root of a
 * quadratic). */
static double ipm_reach(const double u[4], const double d[4], double tau, double tau_cone)
{
    const double a = d[1]*d[1] - d[2]*d[2] - d[3]*d[3], b = u[1]*d[1] - u[2]*d[2] - u[3]*d[3];
    const double c = u[1]*u[1] - u[2]*u[2] - u[3]*u[3], root = sqrt(fmax(0, b*b - a*c));
    double step = 1, to;

    if (d[0] < 0) step = fmin(step, -tau*u[0]/d[0]);
    if (a < 0 || (b < 0 && b*b >= a*c)) {                      /* first positive root of a t^2 + 2 b t + c */
        to = b < 0 ? c/(root - b) : -(b + root)/a;
        step = fmin(step, tau_cone*to);
    }
    return step;
}

static double ipm_step_length(const naive_problem *q, const naive_ipm *w, const naive_ipm *d, double tau, double cone)
{
    double step = 1;
    int i;

    for (i = 0; i < q->nc; ++i) {
        step = fmin(step, ipm_reach(w->gamma[i], d->gamma[i], tau, cone));
        step = fmin(step, ipm_reach(w->s[i], d->s[i], tau, cone));
    }
    return step;
}

static double ipm_gap(const naive_problem *q, const naive_ipm *w, const naive_ipm *d, double step)
{
    double gap = 0;
    int i, k;

    for (i = 0; i < q->nc; ++i) for (k = 0; k < 4; ++k)
        gap += (w->gamma[i][k] + step*d->gamma[i][k])*(w->s[i][k] + step*d->s[i][k]);
    return gap/(2*q->nc);                                     /* two cones per contact, each of degree 1 here */
}

void naive_ipm_start(const naive_problem *q, const naive_ipm_rules *rules, naive_ipm *w)
{
    int i;

    memset(w, 0, sizeof *w);
    for (i = 0; i < q->nc; ++i) w->gamma[i][0] = w->gamma[i][1] = w->s[i][0] = w->s[i][1] = rules->start;
    ipm_violations(q, w, &w->residual, &w->products);
}

void naive_ipm_step(const naive_problem *q, const naive_ipm_rules *rules, naive_ipm *w)
{
    double r[IPM_ROWS], p[4], step, gap, kappa, tau;
    naive_ipm d, next = *w;
    int i, k, halving;

    ipm_residual(q, w, r);
    ipm_direction(q, w, r, &d);                               /* affine: kappa = 0 */
    step = ipm_step_length(q, w, &d, rules->affine, rules->affine);
    gap = ipm_gap(q, w, &d, 0);
    kappa = gap*pow(fmin(fmax(ipm_gap(q, w, &d, step)/gap, 0), 1), 3);
    for (i = 0; i < q->nc; ++i) {
        ipm_product(d.gamma[i], d.s[i], p);
        for (k = 0; k < 4; ++k) r[8*i + 4 + k] += p[k] - (k < 2 ? kappa : 0);
    }
    ipm_direction(q, w, r, &d);                               /* corrector */
    tau = fmax(0.95, 1 - pow(fmax(w->residual, w->products), 2));
    step = ipm_step_length(q, w, &d, tau, fmin(tau, rules->cone));
    for (halving = 0; halving < 10; ++halving, step /= 2) {
        for (i = 0; i < q->nc; ++i) for (k = 0; k < 4; ++k) {
            next.gamma[i][k] = w->gamma[i][k] + step*d.gamma[i][k];
            next.s[i][k] = w->s[i][k] + step*d.s[i][k];
        }
        ipm_violations(q, &next, &next.residual, &next.products);
        if (next.residual <= w->residual || next.products <= w->products) break;
    }
    *w = next;
}
