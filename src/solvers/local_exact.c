/* One contact's own LCP and CCP, all others held, as a whole; see local.h. The NCP's and RaiSim's are in local.c.
 *
 * LCP with the square |x_T|_inf <= mu x_n: each tangential axis rests, or slides at +-mu x_n against its velocity. That
 * is a linear system for each of the nine pairs; the pair of the last impulse is tried first, as a rule it is still the
 * one.
 *
 * CCP: least energy over K_mu. On the surface x = t d(u), d = (mu u, 1), the best t is -(b.d)/(d'A d), and what is left
 * is the direction u: sigma_T along u, by Newton on the angle. Then sigma.d = 0, so sigma is in K* as soon as sigma_T
 * opposes u; the energy being convex, that makes x the one minimum. */
#include "solvers/local.h"

/* ---- LCP ------------------------------------------------------------------------------------------------- */

static slip_real exact_row(const slip_local *k, int r, const slip_real b[3], const slip_real x[3])
{
    return k->A[3*r]*x[0] + k->A[3*r + 1]*x[1] + k->A[3*r + 2]*x[2] + b[r];
}

/* Both axes slide: x = n (mu s_1, mu s_2, 1) and sigma_n = 0. */
static int exact_corner(const slip_local *k, const slip_real b[3], const int s[2], slip_real x[3])
{
    const slip_real m0 = k->mu*(slip_real)s[0], m1 = k->mu*(slip_real)s[1];
    const slip_real n = -b[2]/(k->A[8] + m0*k->A[6] + m1*k->A[7]);

    if (!(n > 0)) return 0;
    slip_set3(m0*n, m1*n, n, x);
    return (slip_real)s[0]*exact_row(k, 0, b, x) <= 0 && (slip_real)s[1]*exact_row(k, 1, b, x) <= 0;
}

/* Axis c slides, axis d rests: two equations for x_d and n. */
static int exact_edge(const slip_local *k, const slip_real b[3], int c, int sign, slip_real x[3])
{
    const int d = !c;
    const slip_real m = k->mu*(slip_real)sign;
    const slip_real a11 = k->A[4*d], a12 = k->A[3*d + 2] + m*k->A[1], a21 = k->A[6 + d], a22 = k->A[8] + m*k->A[6 + c];
    const slip_real det = a11*a22 - a12*a21;
    const slip_real n = (a21*b[d] - a11*b[2])/det;

    x[d] = (a12*b[2] - a22*b[d])/det;
    x[c] = m*n;
    x[2] = n;
    return n > 0 && slip_abs(x[d]) <= k->mu*n && (slip_real)sign*exact_row(k, c, b, x) <= 0;
}

static int exact_mode(const slip_local *k, const slip_real b[3], const int s[2], slip_real x[3])
{
    if (s[0] && s[1]) return exact_corner(k, b, s, x);
    if (s[0]) return exact_edge(k, b, 0, s[0], x);
    if (s[1]) return exact_edge(k, b, 1, s[1], x);
    return 0;                                                            /* rest: looked at before */
}

static int exact_side(slip_real x, slip_real limit)
{
    const slip_real most = limit*(1 - SLIP_TOL(1e-9, 1e-5));

    return x >= most ? 1 : x <= -most ? -1 : 0;
}

int slip_local_lcp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3])
{
    int s[2];

    if (!slip_is_finite(k->mu) || k->inv_nn == 0) return 0;
    if (b[2] >= 0) { slip_zero3(x);  return 1; }
    slip_mat3_vec(k->inv, b, x);
    slip_neg3(x, x);
    if (x[2] >= 0 && slip_max(slip_abs(x[0]), slip_abs(x[1])) <= k->mu*x[2]) return 1;
    s[0] = exact_side(old[0], k->mu*old[2]);
    s[1] = exact_side(old[1], k->mu*old[2]);
    if (old[2] > 0 && exact_mode(k, b, s, x)) return 1;
    for (s[0] = -1; s[0] <= 1; ++s[0]) for (s[1] = -1; s[1] <= 1; ++s[1]) if (exact_mode(k, b, s, x)) return 1;
    return 0;
}

/* ---- CCP ------------------------------------------------------------------------------------------------- */

/* One Newton step on h(theta) = d_theta.sigma from the unit direction u, which is turned; x is the impulse along u as
 * it was. Returns the tangent of the turn. */
static slip_real exact_turn(const slip_local *k, const slip_real b[3], slip_real u[2], slip_real x[3])
{
    const slip_real *A = k->A, mu = k->mu;
    const slip_real d[3] = { mu*u[0], mu*u[1], 1 }, e[2] = { -mu*u[1], mu*u[0] };          /* e = d_theta's tangents */
    slip_real Ad[3], dAd, eAd, eAe, bd, be, t, slope, h, turn, c, s;

    slip_mat3_vec(A, d, Ad);
    dAd = slip_dot3(d, Ad);
    eAd = e[0]*Ad[0] + e[1]*Ad[1];
    eAe = e[0]*(A[0]*e[0] + A[1]*e[1]) + e[1]*(A[3]*e[0] + A[4]*e[1]);
    bd = slip_dot3(b, d);
    be = b[0]*e[0] + b[1]*e[1];
    t = -bd/dAd;
    slip_scale3(t, d, x);
    h = t*eAd + be;
    slope = -(d[0]*(t*Ad[0] + b[0]) + d[1]*(t*Ad[1] + b[1])) - (be + 2*t*eAd)*eAd/dAd + t*eAe;
    if (!(t > 0) || !(slope > 0)) return (slip_real)INFINITY;
    turn = slip_clamp(-h/slope, -1, 1);
    c = 1/slip_sqrt(1 + turn*turn);
    s = c*turn;
    slip_set3(c*u[0] - s*u[1], c*u[1] + s*u[0], 0, Ad);
    u[0] = Ad[0];
    u[1] = Ad[1];
    return turn;
}

int slip_local_ccp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3])
{
    const slip_real close = SLIP_TOL(1e-8, 1e-4), mu2 = k->mu*k->mu;                  /* squared by the last step */
    slip_real u[2], length, turn;
    int it;

    if (!slip_is_finite(k->mu) || k->inv_nn == 0) return 0;
    if (b[2] >= k->mu*slip_norm2(b)) { slip_zero3(x);  return 1; }
    slip_mat3_vec(k->inv, b, x);
    slip_neg3(x, x);
    if (x[2] >= 0 && x[0]*x[0] + x[1]*x[1] <= mu2*x[2]*x[2]) return 1;
    if (old[0] != 0 || old[1] != 0) { u[0] = old[0];  u[1] = old[1]; } else { u[0] = -b[0];  u[1] = -b[1]; }
    length = slip_norm2(u);
    if (!(length > 0)) return 0;
    u[0] /= length;
    u[1] /= length;
    for (it = 0; it < 12; ++it) {
        turn = exact_turn(k, b, u, x);
        if (!slip_is_finite(turn)) return 0;
        if (slip_abs(turn) > close) continue;
        exact_turn(k, b, u, x);
        return u[0]*exact_row(k, 0, b, x) + u[1]*exact_row(k, 1, b, x) <= 0;
    }
    return 0;
}
