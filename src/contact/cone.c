/* Friction cones: projections, distances, their Jacobian, diagonal metrics and pyramids. See cone.h.
 * LL eqs. 10-14, CR Sec. IV for the metric with equal tangential weights; the rest is derived here. */
#include "contact/cone.h"

/* The half-space n >= 0. */
static void cone_half_space(const slip_real x[3], slip_real y[3])
{
    slip_set3(x[0], x[1], slip_max(x[2], 0), y);
}

void slip_cone_project(slip_real mu, const slip_real x[3], slip_real y[3])
{
    const slip_real xt = slip_norm2(x), xn = x[2];

    if (mu >= SLIP_MU_INFINITE) {
        cone_half_space(x, y);
    } else if (xt <= mu*xn && xn >= 0) {            /* inside: keep it      */
        slip_copy3(x, y);
    } else if (mu*xt <= -xn) {                      /* polar cone: the apex */
        slip_zero3(y);
    } else if (xt > 0) {                            /* the surface          */
        const slip_real yn = (xn + mu*xt)/(1 + mu*mu), scale = mu*yn/xt;

        slip_set3(scale*x[0], scale*x[1], yn, y);
    } else {                                        /* mu = 0, on the ray   */
        slip_set3(0, 0, xn, y);
    }
}

void slip_cone_project_dual(slip_real mu, const slip_real x[3], slip_real y[3])
{
    slip_real minus[3], polar[3];

    slip_neg3(x, minus);
    slip_cone_project(mu, minus, polar);            /* Moreau: P_K*(x) = x + P_K(-x) */
    slip_add3(x, polar, y);
}

/* |y_T| for y_T = argmin of the Lagrangian, y_k = d_k x_k/(d_k + nu), and its derivative in nu. */
static slip_real cone_metric_radius(const slip_real d[3], const slip_real x[3], slip_real nu, slip_real *slope)
{
    const slip_real e0 = 1/(d[0] + nu), e1 = 1/(d[1] + nu);
    const slip_real y0 = d[0]*x[0]*e0, y1 = d[1]*x[1]*e1, r = slip_sqrt(y0*y0 + y1*y1);

    *slope = r > 0 ? -(y0*y0*e0 + y1*y1*e1)/r : 0;
    return r;
}

/* With the multiplier nu of |y_T|^2 <= mu^2 y_n^2 and y_n = |y_T|/mu, stationarity in y_n reads
 *     F(nu) = (d_n - nu mu^2) |y_T|(nu) - mu d_n x_n = 0,
 * which falls monotonically from F(0) > 0 (outside) to a negative limit (not polar), without poles. */
static void cone_metric_surface(slip_real mu, const slip_real d[3], const slip_real x[3], slip_real y[3])
{
    slip_real lo = 0, hi = -1, nu = 0, r = 0, scale = slip_max(d[0], d[1]) + d[2]/(mu*mu);
    int i;

    for (i = 0; i < 200; ++i) {
        slip_real slope, F, dF, next;

        r = cone_metric_radius(d, x, nu, &slope);
        F = (d[2] - nu*mu*mu)*r - mu*d[2]*x[2];
        dF = (d[2] - nu*mu*mu)*slope - mu*mu*r;
        if (F > 0) lo = nu; else hi = nu;
        next = dF < 0 ? nu - F/dF : -1;
        if (!(next > lo) || (hi >= 0 && !(next < hi))) next = hi < 0 ? 2*lo + scale : (lo + hi)/2;
        if (F == 0 || slip_abs(next - nu) <= 2*SLIP_REAL_EPS*nu || (hi >= 0 && !(next > lo && next < hi))) break;
        nu = next;
    }
    slip_set3(d[0]*x[0]/(d[0] + nu), d[1]*x[1]/(d[1] + nu), r/mu, y);
}

void slip_cone_project_metric(slip_real mu, const slip_real d[3], const slip_real x[3], slip_real y[3])
{
    const slip_real w[3] = { d[0]*x[0], d[1]*x[1], d[2]*x[2] };

    if (mu >= SLIP_MU_INFINITE) {
        cone_half_space(x, y);
    } else if (slip_norm2(x) <= mu*x[2] && x[2] >= 0) {
        slip_copy3(x, y);
    } else if (mu*slip_norm2(w) <= -w[2] || mu <= 0) {        /* polar in the metric: the apex (or the ray) */
        slip_set3(0, 0, mu <= 0 ? slip_max(x[2], 0) : SLIP_R(0.0), y);
    } else if (d[0] == d[1]) {
        /* CR Sec. IV: D^-1/2 P_K~(D^1/2 x), mu~ = mu sqrt(d_T/d_n), written for the surface */
        const slip_real xt = slip_norm2(x), k = mu*mu*d[0]/d[2];
        const slip_real yn = (x[2] + k*xt/mu)/(1 + k), scale = mu*yn/xt;

        slip_set3(scale*x[0], scale*x[1], yn, y);
    } else {
        cone_metric_surface(mu, d, x, y);
    }
}

void slip_cone_project_horizontal(slip_real mu, const slip_real x[3], slip_real y[3])
{
    const slip_real n = slip_max(x[2], 0), r = mu >= SLIP_MU_INFINITE ? mu : mu*n, t = slip_norm2(x);
    const slip_real scale = t > r ? r/t : 1;

    slip_set3(scale*x[0], scale*x[1], n, y);
}

/* By symmetry the nearest point lies in the same sector as x, between a facet's middle and one corner:
 * in the facet's axes (u along its normal a_j, w along the facet) either the half-space u <= mu n is all
 * that matters, or the corner's ray. */
/* Direction (c, s) of the facet nearest to x, and tan of half its sector; no angles needed for the square. */
static void pyramid_facet(int k, const slip_real x[3], slip_real *c, slip_real *s, slip_real *tangent)
{
    const slip_real sector = 2*SLIP_PI/(slip_real)k;
    slip_real facet;

    if (k == 4) {
        const int first = slip_abs(x[0]) >= slip_abs(x[1]);

        *c = first ? slip_copysign(1, x[0]) : 0;
        *s = first ? 0 : slip_copysign(1, x[1]);
        *tangent = 1;
        return;
    }
    facet = slip_floor(slip_atan2(x[1], x[0])/sector + SLIP_R(0.5))*sector;
    *c = slip_cos(facet);
    *s = slip_sin(facet);
    *tangent = slip_tan(sector/2);
}

void slip_pyramid_project(slip_real mu, int k, const slip_real x[3], slip_real y[3])
{
    slip_real c, s, tangent, u, w, n = x[2];

    if (mu >= SLIP_MU_INFINITE) { cone_half_space(x, y); return; }
    pyramid_facet(k, x, &c, &s, &tangent);
    u = c*x[0] + s*x[1];
    w = c*x[1] - s*x[0];
    if (u <= mu*n && n >= 0) { slip_copy3(x, y); return; }
    {
        const slip_real v = (u - mu*n)/(1 + mu*mu);

        u -= v;
        n += mu*v;
    }
    if (slip_abs(w) > u*tangent || n < 0) {
        const slip_real e[3] = { mu, slip_copysign(mu*tangent, w), 1 };
        const slip_real along = ((c*x[0] + s*x[1])*e[0] + w*e[1] + x[2])/slip_dot3(e, e), t = slip_max(along, 0);

        u = t*e[0];
        w = t*e[1];
        n = t;
    }
    slip_set3(c*u - s*w, s*u + c*w, n, y);
}

slip_real slip_pyramid_distance(slip_real mu, int k, const slip_real x[3])
{
    slip_real y[3];

    slip_pyramid_project(mu, k, x, y);
    return slip_distance3(x, y);
}

