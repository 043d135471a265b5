/* The primal Newton method on the CCP with compliance (LL Sec. III on MuJoCo, CR Tab. I), in the space of velocities:
 *
 *     min over v of  1/2 |v - v_free|_M^2 + ell(J v),    ell(c) = 1/2 lambda(c)'R lambda(c)
 *     lambda(c) = argmin over K of 1/2 (lambda + R^-1 c)'R (lambda + R^-1 c),        grad ell = -lambda
 *
 *     repeat   H d = -grad;   v <- v + a d,  a the minimum along d
 *
 * A contact problem gives G = J M^-1 J' and g = J v_free alone. Every M, J and v_free that make them have the same
 * impulses: M = 1, J the Cholesky factor of G, v_free = J^-1 g. See naive.h. */
#include "naive.h"

#include <math.h>
#include <string.h>

/* ---- lambda(c) of one contact, and its derivative --------------------------------------------------------- */

/* Whether nu is larger than the multiplier of |l_T|^2 = mu^2 l_n^2 at the projection l of y in the metric R, where
 * R (l - y) + nu B l = 0 with B = diag(1, 1, -mu^2): |l_T| - mu l_n falls with nu for y_n > 0, which is before the pole
 * of l_n, and grows beyond it. */
static int newton_is_beyond(double mu, const double R[3], const double y[3], double nu)
{
    const double t = hypot(R[0]*y[0]/(R[0] + nu), R[1]*y[1]/(R[1] + nu)), n = R[2]*y[2]/(R[2] - mu*mu*nu);

    return y[2] > 0 ? t < mu*n : t > mu*n;
}

static double newton_multiplier(double mu, const double R[3], const double y[3])
{
    const double pole = R[2]/(mu*mu);
    double lo = y[2] > 0 ? 0 : pole, hi = y[2] > 0 ? pole : 2*pole;
    int k;

    while (y[2] <= 0 && hi < 1e100 && !newton_is_beyond(mu, R, y, hi)) { lo = hi;  hi *= 2; }
    for (k = 0; k < 200; ++k) {
        const double nu = (lo + hi)/2;

        if (newton_is_beyond(mu, R, y, nu)) hi = nu;
        else lo = nu;
    }
    return (lo + hi)/2;
}

/* l = lambda(c); dl (3 x 3) its derivative by c, NULL where not wanted. */
static void newton_contact(double mu, const double R[3], const double c[3], double l[3], double dl[3][3])
{
    const double y[3] = { -c[0]/R[0], -c[1]/R[1], -c[2]/R[2] };
    double K[16], column[4], nu;
    int i, j, k;

    if (dl) memset(dl, 0, 9*sizeof(double));
    memset(l, 0, 3*sizeof *l);
    if (y[2] > 0 && hypot(y[0], y[1]) <= mu*y[2]) {                        /* inside */
        for (i = 0; i < 3; ++i) { l[i] = y[i];  if (dl) dl[i][i] = -1/R[i]; }
        return;
    }
    if (mu == 0) {
        if (y[2] > 0) { l[2] = y[2];  if (dl) dl[2][2] = -1/R[2]; }
        return;
    }
    if (c[2] >= 0 && mu*hypot(c[0], c[1]) <= c[2]) return;                 /* R y in the polar cone: the apex */
    nu = newton_multiplier(mu, R, y);
    l[0] = R[0]*y[0]/(R[0] + nu);
    l[1] = R[1]*y[1]/(R[1] + nu);
    l[2] = hypot(l[0], l[1])/mu;
    for (j = 0; dl && j < 3; ++j) {              /* (R + nu B) dl + B l dnu = -dc,  (B l)'dl = 0 */
        const double Bl[3] = { l[0], l[1], -mu*mu*l[2] };

        memset(K, 0, sizeof K);
        for (i = 0; i < 3; ++i) {
            K[5*i] = R[i] + (i < 2 ? nu : -mu*mu*nu);
            K[4*i + 3] = K[12 + i] = Bl[i];
            column[i] = i == j ? -1 : 0;
        }
        column[3] = 0;
        naive_linear_solve(4, K, column);
        for (k = 0; k < 3; ++k) dl[k][j] = column[k];
    }
}

/* ---- the method --------------------------------------------------------------------------------------------- */

/* J v at v + a d. */
static void newton_contact_velocity(const naive_newton *w, double a, double *c)
{
    int i, j;

    for (i = 0; i < w->n; ++i) for (c[i] = 0, j = 0; j < w->n; ++j) c[i] += w->J[i][j]*(w->v[j] + a*w->d[j]);
}

void naive_newton_impulses(const naive_newton *w, double a, double *lambda)
{
    double c[NAIVE_ROWS];
    int i;

    newton_contact_velocity(w, a, c);
    for (i = 0; i < w->n; i += 3) newton_contact(w->mu[i/3], w->R + i, c + i, lambda + i, NULL);
}

void naive_newton_start(const naive_problem *q, const double *R, naive_newton *w)
{
    int i, j, k;

    memset(w, 0, sizeof *w);
    w->n = q->n;
    memcpy(w->mu, q->mu, sizeof w->mu);
    memcpy(w->R, R, (size_t)q->n*sizeof *R);
    for (j = 0; j < q->n; ++j) for (i = j; i < q->n; ++i) {                 /* G = J J' */
        double s = q->A[i][j];

        for (k = 0; k < j; ++k) s -= w->J[i][k]*w->J[j][k];
        w->J[i][j] = i == j ? sqrt(s) : s/w->J[j][j];
    }
    for (i = 0; i < q->n; ++i) {
        for (w->v_free[i] = q->g[i], j = 0; j < i; ++j) w->v_free[i] -= w->J[i][j]*w->v_free[j];
        w->v_free[i] /= w->J[i][i];
        w->v[i] = w->v_free[i];                                             /* no impulses */
    }
}

/* v - v_free - J'lambda at v + a d. */
static void newton_gradient(const naive_newton *w, double a, double *grad)
{
    double lambda[NAIVE_ROWS];
    int i, j;

    naive_newton_impulses(w, a, lambda);
    for (i = 0; i < w->n; ++i) {
        grad[i] = w->v[i] + a*w->d[i] - w->v_free[i];
        for (j = 0; j < w->n; ++j) grad[i] -= w->J[j][i]*lambda[j];
    }
}

double naive_newton_slope(const naive_newton *w, double a)
{
    double grad[NAIVE_ROWS], sum = 0;
    int i;

    newton_gradient(w, a, grad);
    for (i = 0; i < w->n; ++i) sum += grad[i]*w->d[i];
    return sum;
}

void naive_newton_direction(naive_newton *w)
{
    const int n = w->n;
    double H[NAIVE_ROWS*NAIVE_ROWS], c[NAIVE_ROWS], l[3], dl[3][3];
    int i, j, k, r, s;

    memset(w->d, 0, sizeof w->d);
    newton_contact_velocity(w, 0, c);
    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) H[i*n + j] = i == j;
    for (k = 0; k < n; k += 3) {
        newton_contact(w->mu[k/3], w->R + k, c + k, l, dl);
        for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) for (r = 0; r < 3; ++r) for (s = 0; s < 3; ++s)
            H[i*n + j] -= w->J[k + r][i]*dl[r][s]*w->J[k + s][j];
    }
    newton_gradient(w, 0, c);
    for (i = 0; i < n; ++i) w->d[i] = -c[i];
    naive_linear_solve(n, H, w->d);
}

double naive_newton_minimum(const naive_newton *w)
{
    double lo = 0, hi = 1;
    int k;

    while (naive_newton_slope(w, hi) < 0 && hi < 1e9) hi *= 2;
    for (k = 0; k < 200; ++k) {
        const double a = (lo + hi)/2;

        if (naive_newton_slope(w, a) < 0) lo = a;
        else hi = a;
    }
    return (lo + hi)/2;
}

void naive_newton_advance(naive_newton *w, double a)
{
    int i;

    for (i = 0; i < w->n; ++i) w->v[i] += a*w->d[i];
}
