/* Projected Gauss-Seidel (LL Alg. 1, 2, 5; HW eqs. 16-18) and per-contact sweeps (HW Alg. 2). See naive.h. */
#include "naive.h"

#include <math.h>

void naive_read(const slip_problem *p, naive_problem *q)
{
    slip_real G[NAIVE_ROWS*NAIVE_ROWS];
    int i, j;

    q->nc = p->nc;
    q->n = p->n;
    slip_problem_full(p, G, p->n);
    for (i = 0; i < q->n; ++i) {
        for (j = 0; j < q->n; ++j) q->A[i][j] = (double)G[i*q->n + j];
        if (p->R) q->A[i][i] += (double)p->R[i];
        q->g[i] = (double)p->g[i];
    }
    for (i = 0; i < q->nc; ++i) q->mu[i] = (double)p->mu[i];
}

double naive_velocity(const naive_problem *q, const double *x, int k)
{
    double v = q->g[k];
    int j;

    for (j = 0; j < q->n; ++j) v += q->A[k][j]*x[j];
    return v;
}

void naive_project_cone(double mu, const double x[3], double y[3])
{
    const double t = hypot(x[0], x[1]);
    double n = x[2], scale = 1;

    if (t > mu*n || n < 0) {
        if (mu*t <= -n) n = scale = 0;                       /* polar cone: the apex */
        else {
            n = (n + mu*t)/(1 + mu*mu);
            scale = mu*n/t;
        }
    }
    y[0] = scale*x[0];
    y[1] = scale*x[1];
    y[2] = n;
}

void naive_project_cones(const naive_problem *q, const double *x, double *y)
{
    int i;

    for (i = 0; i < q->nc; ++i) naive_project_cone(q->mu[i], x + 3*i, y + 3*i);
}

naive_units naive_units_of(const naive_problem *q)
{
    naive_units u;
    int i;

    u.unit = 0;
    for (i = 0; i < q->n; ++i) {
        const int k = 3*(i/3);

        u.D[i] = sqrt(3/(q->A[k][k] + q->A[k + 1][k + 1] + q->A[k + 2][k + 2]));
        u.unit = fmax(u.unit, fabs(u.D[i]*q->g[i]));
    }
    return u;
}

static double naive_clamp(double x, double bound) { return fmin(fmax(x, -bound), bound); }

/* 1/2 (x - old)'H(x - old) + v'(x - old) at x: the tangential energy as seen from `old`. */
static double naive_energy2(double H[2][2], const double v[2], const double old[2], const double x[2])
{
    const double d0 = x[0] - old[0], d1 = x[1] - old[1];

    return (H[0][0]*d0*d0 + 2*H[0][1]*d0*d1 + H[1][1]*d1*d1)/2 + v[0]*d0 + v[1]*d1;
}

static void naive_newton2(double H[2][2], const double v[2], const double old[2], double x[2])
{
    const double det = H[0][0]*H[1][1] - H[0][1]*H[0][1];

    x[0] = old[0] - (H[1][1]*v[0] - H[0][1]*v[1])/det;
    x[1] = old[1] - (H[0][0]*v[1] - H[0][1]*v[0])/det;
}

/* The minimiser of that energy over |x_k| <= b: the best of the free minimiser and those of the four edges. */
static void naive_box_minimum(double H[2][2], const double v[2], const double old[2], double b, double x[2])
{
    double least = (double)INFINITY;
    int edge;

    naive_newton2(H, v, old, x);
    if (fabs(x[0]) <= b && fabs(x[1]) <= b) return;
    for (edge = 0; edge < 4; ++edge) {
        const int fixed = edge/2, other = 1 - fixed;
        double y[2], e;

        y[fixed] = edge % 2 ? b : -b;
        y[other] = naive_clamp(old[other] - (v[other] + H[0][1]*(y[fixed] - old[fixed]))/H[other][other], b);
        e = naive_energy2(H, v, old, y);
        if (e < least) { least = e;  x[0] = y[0];  x[1] = y[1]; }
    }
}

/* The same over the disc |x| <= b: (H + m I) x = H old - v with m >= 0 such that |x| = b, found by bisection. */
static void naive_disc_minimum(double H[2][2], const double v[2], const double old[2], double b, double x[2])
{
    const double h[2] = { v[0] - H[0][0]*old[0] - H[0][1]*old[1], v[1] - H[0][1]*old[0] - H[1][1]*old[1] };
    const double zero[2] = { 0, 0 };
    double lo = 0, hi = 1, K[2][2];
    int i;

    naive_newton2(H, h, zero, x);
    if (hypot(x[0], x[1]) <= b) return;
    if (!(b > 0)) { x[0] = x[1] = 0;  return; }
    while (hypot(h[0], h[1]) > hi*b) hi *= 2;                  /* |x| < |h|/m: on the disc at m = hi */
    for (i = 0; i < 200; ++i) {
        const double m = (lo + hi)/2;

        K[0][0] = H[0][0] + m;
        K[0][1] = K[1][0] = H[0][1];
        K[1][1] = H[1][1] + m;
        naive_newton2(K, h, zero, x);
        if (hypot(x[0], x[1]) > b) lo = m; else hi = m;
    }
}

/* Tangential step of one contact: its own rule, then the box (LL Alg. 1 line 6) or the disc (Alg. 5 line 6). */
static void naive_tangent(const naive_problem *q, int i, slip_step_rule rule, int box, double alpha, double *x)
{
    const int k = 3*i;
    const double b = q->mu[i]*x[k + 2], v[2] = { naive_velocity(q, x, k), naive_velocity(q, x, k + 1) };
    double H[2][2], step, r;

    H[0][0] = q->A[k][k];
    H[1][1] = q->A[k + 1][k + 1];
    H[0][1] = H[1][0] = q->A[k][k + 1];
    if (rule == SLIP_STEP_BLOCK) {
        const double old[2] = { x[k], x[k + 1] };

        (box ? naive_box_minimum : naive_disc_minimum)(H, v, old, b, x + k);
        return;
    }
    step = alpha/(rule == SLIP_STEP_MIN ? fmin(H[0][0], H[1][1]) : fmax(H[0][0], H[1][1]));
    x[k] -= step*v[0];
    x[k + 1] -= step*v[1];
    if (box) {
        x[k] = naive_clamp(x[k], b);
        x[k + 1] = naive_clamp(x[k + 1], b);
    } else if ((r = hypot(x[k], x[k + 1])) > b) {
        x[k] *= b/r;
        x[k + 1] *= b/r;
    }
}

/* LL eq. 22 prints alpha lambda^- + (1 - alpha) lambda, which does nothing at alpha = 1 and moves away from the update
 * for alpha > 1. Reading: alpha weighs the update, as in HW Alg. 2. The text says "the previous iteration" without
 * saying whether a contact or the whole sweep is relaxed: taken contact by contact, as Gauss-Seidel methods do (SOR),
 * after the projection. HW eq. 18 prints another relaxation: its alpha weighs the step, before the projection, so that
 * impulses stay in their cones. Both are here, as `mix` and `alpha`. */
static void naive_relax(double mix, const double old[3], double x[3])
{
    int k;

    for (k = 0; k < 3; ++k) x[k] = mix*x[k] + (1 - mix)*old[k];
}

/* LL Alg. 1 and 5 differ in line 6 only. lambda is overwritten line by line, so line 5 reads a velocity that knows the
 * new normal impulse, and both tangents step from the same velocity. Starting value: not printed, zero here. */
static void naive_pgs_sweep(const naive_problem *q, const naive_rules *r, int box, double *x)
{
    int i;

    for (i = 0; i < q->nc; ++i) {
        const int k = 3*i;
        const double old[3] = { x[k], x[k + 1], x[k + 2] };

        x[k + 2] = fmax(0, x[k + 2] - r->alpha*naive_velocity(q, x, k + 2)/q->A[k + 2][k + 2]);   /* lines 3, 4 */
        naive_tangent(q, i, r->step, box, r->alpha, x);                                  /* lines 5, 6 */
        naive_relax(r->mix, old, x + k);
    }
}

void naive_lcp_pgs_sweep(const naive_problem *q, const naive_rules *r, double *x)
{
    naive_pgs_sweep(q, r, 1, x);
}

void naive_ncp_pgs_sweep(const naive_problem *q, const naive_rules *r, double *x)
{
    naive_pgs_sweep(q, r, 0, x);
}

/* LL Alg. 2. All three rows step from one velocity. */
void naive_ccp_pgs_sweep(const naive_problem *q, const naive_rules *r, double *x)
{
    int i, j;

    for (i = 0; i < q->nc; ++i) {
        const int k = 3*i;
        const double step = r->alpha*3/(q->A[k][k] + q->A[k + 1][k + 1] + q->A[k + 2][k + 2]);
        const double old[3] = { x[k], x[k + 1], x[k + 2] };
        double v[3];

        for (j = 0; j < 3; ++j) v[j] = naive_velocity(q, x, k + j);
        for (j = 0; j < 3; ++j) x[k + j] -= step*v[j];
        naive_project_cone(q->mu[i], x + k, x + k);
        naive_relax(r->mix, old, x + k);
    }
}

/* ---- RaiSim ---------------------------------------------------------------------------------------- */

/* HW eqs. 13, 14: the point of the conic section at angle a, and dE/da there. Returns 0 off the section (r < 0). */
static int naive_section(double M[3][3], const double c[3], double mu, double a, double x[3], double *slope)
{
    const double d[3] = { cos(a), sin(a), 1/mu };
    const double under = M[2][0]*d[0] + M[2][1]*d[1] + M[2][2]*d[2], r = -c[2]/under;
    const double dr = -r*(M[2][1]*d[0] - M[2][0]*d[1])/under;
    const double dx[3] = { dr*d[0] - r*d[1], dr*d[1] + r*d[0], dr*d[2] };
    int i, j;

    for (i = 0; i < 3; ++i) x[i] = r*d[i];
    for (*slope = 0, i = 0; i < 3; ++i) {
        double v = c[i];

        for (j = 0; j < 3; ++j) v += M[i][j]*x[j];
        *slope += v*dx[i];
    }
    return under > 0;
}

static double naive_energy3(double M[3][3], const double c[3], const double x[3])
{
    double e = 0;
    int i, j;

    for (i = 0; i < 3; ++i) for (e += c[i]*x[i], j = 0; j < 3; ++j) e += x[i]*M[i][j]*x[j]/2;
    return e;
}

/* HW eq. 11 for a slipping contact: a scan over the angle finds the valley, bisection of dE/da its bottom. HW Alg. 1
 * finds the same angle to its gamma, golden section and quartic to theirs. */
void naive_raisim_slide(double M[3][3], const double c[3], double mu, double x[3])
{
    enum { SCAN = 7200 };
    const double step = 6.283185307179586477/SCAN;
    double best = (double)INFINITY, at = 0, lo, hi, slope, y[3];
    int k;

    if (mu == 0) { x[0] = x[1] = 0;  x[2] = -c[2]/M[2][2];  return; }
    for (k = 0; k < SCAN; ++k) if (naive_section(M, c, mu, k*step, y, &slope)) {
        const double e = naive_energy3(M, c, y);

        if (e < best) { best = e;  at = k*step; }
    }
    for (lo = at - step, hi = at + step, k = 0; k < 100; ++k) {
        at = (lo + hi)/2;
        naive_section(M, c, mu, at, x, &slope);
        if (slope > 0) hi = at; else lo = at;
    }
}

/* HW Alg. 2 lines 2-11. The caller moves alpha after each sweep (line 12); LL Alg. 4 line 13 moves it after each
 * contact and weighs the other way round in line 12, which is a misprint (alpha = 1 would never move). */
void naive_raisim_sweep(const naive_problem *q, naive_slide *slide, double alpha, double *x)
{
    int i, j, k;

    for (i = 0; i < q->nc; ++i) {
        double M[3][3], K[9], c[3], stick[3], next[3] = { 0, 0, 0 };

        for (j = 0; j < 3; ++j) {                             /* c: the velocity without this contact's impulse */
            c[j] = naive_velocity(q, x, 3*i + j);
            for (k = 0; k < 3; ++k) {
                M[j][k] = K[3*j + k] = q->A[3*i + j][3*i + k];
                c[j] -= M[j][k]*x[3*i + k];
            }
        }
        for (j = 0; j < 3; ++j) stick[j] = -c[j];
        naive_linear_solve(3, K, stick);
        if (c[2] > 0) {                                       /* opening: towards 0 */
        } else if (q->mu[i]*stick[2] >= hypot(stick[0], stick[1])) {
            for (j = 0; j < 3; ++j) next[j] = stick[j];
        } else slide(M, c, q->mu[i], next);
        for (j = 0; j < 3; ++j) x[3*i + j] = alpha*next[j] + (1 - alpha)*x[3*i + j];
    }
}
