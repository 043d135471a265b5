/* Friction cones, their duals and projections; per contact the order is t1, t2, n.
 *
 *   K_mu  = { x : |x_T| <= mu x_n }        for mu = 0 the ray n >= 0, for mu = infinity the half-space n >= 0
 *   K*_mu = { x : x_n >= mu |x_T| }        for mu = 0 the half-space, for mu = infinity the ray
 *
 * Outputs may be the inputs everywhere. mu >= 0, infinity allowed; nothing here divides by mu. */
#ifndef SLIP_CONTACT_CONE_H
#define SLIP_CONTACT_CONE_H

#include "base/base.h"

/* From here on mu^2 would overflow, and the cone is the half-space to rounding. */
#define SLIP_MU_INFINITE SLIP_TOL(1e150, 1e18)

/* y = the nearest point of K_mu, of K*_mu. Moreau: x = P_K(x) - P_K*(-x). */
void slip_cone_project(slip_real mu, const slip_real x[3], slip_real y[3]);
void slip_cone_project_dual(slip_real mu, const slip_real x[3], slip_real y[3]);

/* The nearest point of K_mu to a point with tangent |x_T| = t and normal n is (c x_T, *yn), c returned; over is
 * 1/(1 + mu^2), mu < SLIP_MU_INFINITE. Without branches: a compiler can vectorise loops over contacts. */
static inline slip_real slip_cone_shrink(slip_real mu, slip_real over, slip_real t, slip_real n, slip_real *yn)
{
    const slip_real y = (n + mu*t)*over, scale = mu*y/t;
    const int outside = t > mu*n || n < 0, polar = mu*t <= -n;
    slip_real c = outside ? scale : 1, top = outside ? y : n;

    c = polar ? 0 : c;
    *yn = polar ? 0 : top;
    return c;
}

/* Euclidean distance to K_mu, to K*_mu; 0 inside. */
static inline slip_real slip_cone_distance(slip_real mu, const slip_real x[3])
{
    const slip_real t = slip_norm2(x), n = x[2];

    if (mu >= SLIP_MU_INFINITE) return slip_max(-n, 0);
    if (t <= mu*n && n >= 0) return 0;
    if (mu*t <= -n) return slip_norm3(x);
    return (t - mu*n)/slip_sqrt(1 + mu*mu);
}

static inline slip_real slip_cone_distance_dual(slip_real mu, const slip_real x[3])
{
    const slip_real t = slip_norm2(x), n = x[2];

    if (mu >= SLIP_MU_INFINITE) return n >= 0 ? t : slip_norm3(x);
    if (n >= mu*t) return 0;
    if (t <= -mu*n) return slip_norm3(x);
    return (mu*t - n)/slip_sqrt(1 + mu*mu);
}

/* y = argmin over K_mu of sum_k d_k (y_k - x_k)^2, d_k > 0. In closed form when d_0 == d_1
 * (CR Sec. IV), else by a safeguarded Newton on one scalar, to rounding. */
void slip_cone_project_metric(slip_real mu, const slip_real d[3], const slip_real x[3], slip_real y[3]);

/* "Horizontal" projection (LL Alg. 5): the normal part clipped at 0, the tangent scaled back onto the disc. */
void slip_cone_project_horizontal(slip_real mu, const slip_real x[3], slip_real y[3]);

/* The pyramid around K_mu with k >= 3 facets: { x_n >= 0, a_j . x_T <= mu x_n }, a_j = (cos, sin)(2 pi j/k).
 * k = 4 gives |x_T|_inf <= mu x_n (LL Sec. III). Its corners lie at the angles 2 pi (j + 1/2)/k with radius
 * mu x_n/cos(pi/k). */
void      slip_pyramid_project(slip_real mu, int k, const slip_real x[3], slip_real y[3]);
slip_real slip_pyramid_distance(slip_real mu, int k, const slip_real x[3]);

/* De Saxce's correction: s = sigma + Gamma(sigma), Gamma = (0, 0, mu |sigma_T|) (LL eq. 13).
 * For mu = infinity Gamma is 0: a sticking tangent is then demanded by K* alone. */
static inline void slip_desaxce(slip_real mu, const slip_real sigma[3], slip_real s[3])
{
    const slip_real gamma = mu >= SLIP_MU_INFINITE ? 0 : mu*slip_norm2(sigma);

    slip_set3(sigma[0], sigma[1], sigma[2] + gamma, s);
}

#endif
