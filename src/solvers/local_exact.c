/* The whole contact of the LCP, the CCP and the NCP, all others held; see local.h.
 *
 * LCP with the square |x_T|_inf <= mu x_n: each tangential axis rests, or slides at +-mu x_n against its velocity. That
 * is a linear system for each of the nine pairs; the pair of the last impulse is tried first, as it usually still
 * holds.
 *
 * CCP: least energy over K_mu. On the surface x = t d(u), d = (mu u, 1), the best t is -(b.d)/(d'A d), and the
 * direction u remains: sigma_T along u, by Newton's method on the angle. Then sigma.d = 0, so sigma is in K* as soon as
 * sigma_T opposes u; the energy being convex, that makes x the one minimum.
 *
 * NCP: sigma_T = -nu x_T/|x_T| in the plane sigma_n = 0, so (S + nu/|x|) x = S x0. As nu grows from 0, x turns from x0
 * to S x0, less than 90 degrees, and |x| + a.x falls from beyond 1 to 0: somewhere between the two directions lies a
 * solution, for any coupling. sigma_T across x is a quartic in tau = tan(angle/2). */
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
    return 0;                                                            /* rest: tested before    */
}

static int exact_side(slip_real x, slip_real limit)
{
    const slip_real most = limit*(1 - SLIP_TOL(1e-9, 1e-5));

    return x >= most ? 1 : x <= -most ? -1 : 0;
}

/* By the nine cases. 0 when none holds. */
static int exact_lcp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3])
{
    int s[2];

    if (k->inv_nn == 0) return 0;
    if (k->mu >= SLIP_MU_INFINITE) return slip_local_open_or_stick(k, b, x) == SLIP_LOCAL_STICK;
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

/* Otherwise the normal with the tangents held, then the tangents on the square: lcp-pgs with SLIP_STEP_BLOCK. */
void slip_local_lcp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3])
{
    slip_real v[2];

    if (exact_lcp(k, b, old, x)) return;
    x[2] = slip_max(0, -k->inv_nn*(k->A[6]*old[0] + k->A[7]*old[1] + b[2]));
    v[0] = b[0] + k->A[2]*x[2];
    v[1] = b[1] + k->A[5]*x[2];
    slip_local_box(k, v, k->mu*x[2], x);
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

/* 0 when Newton's method does not find it. */
static int exact_ccp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3])
{
    const slip_real close = SLIP_TOL(1e-8, 1e-4), mu2 = k->mu*k->mu;                  /* squared by the last step */
    slip_real u[2], length, turn;
    int it;

    if (k->inv_nn == 0) return 0;
    if (k->mu >= SLIP_MU_INFINITE) return slip_local_open_or_stick(k, b, x) == SLIP_LOCAL_STICK;
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

/* Otherwise a gradient step and a projection: ccp-pgs with SLIP_STEP_BLOCK. */
void slip_local_ccp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3])
{
    slip_real sigma[3], norm2 = 0;
    int i;

    if (exact_ccp(k, b, old, x)) return;
    for (i = 0; i < 9; ++i) norm2 += k->A[i]*k->A[i];
    slip_mat3_vec(k->A, old, sigma);
    slip_add3(sigma, b, sigma);
    slip_axpy3(norm2 > 0 ? -slip_sqrt(3/norm2) : 0, sigma, old, x);
    slip_cone_project(k->mu, x, x);
}

/* ---- NCP ------------------------------------------------------------------------------------------------- */

/* tau of the sliding direction, between that of x0, tau = 0, and that of S x0. V x u with V = S (x - x0) q and u the
 * direction is V2 (1 - tau^2) - 2 V1 tau. */
static slip_real exact_direction(const slip_plane *t)
{
    const slip_real q0 = 1 + t->a[0], q2 = 1 - t->a[0], l0 = 1 - t->L*q0, l1 = -2*t->L*t->a[1], l2 = -1 - t->L*q2;
    const slip_real u0 = t->S[0]*l0, u1 = t->S[0]*l1 + 2*t->S[1], u2 = t->S[0]*l2;
    const slip_real v0 = t->S[1]*l0, v1 = t->S[1]*l1 + 2*t->S[2], v2 = t->S[1]*l2;
    const slip_real end = slip_abs(t->S[1])/(t->S[0] + slip_sqrt(t->S[0]*t->S[0] + t->S[1]*t->S[1]));
    slip_real c[5] = { v0, v1 - 2*u0, v2 - 2*u1 - v0, -2*u2 - v1, -v2 };

    if (t->S[1] < 0) { c[0] = -c[0];  c[2] = -c[2];  c[4] = -c[4]; }   /* the other side: tau -> -tau, f -> -f */
    return slip_copysign(end > 0 ? slip_quartic_root(c, 0, end, 0) : 0, t->S[1]);
}

/* A contact that slid the last time (|x_T| = mu x_n to a thousandth) turns little: one Newton step on the quartic
 * above, in the frame of the last direction e. The sweeps repeat it, so that it converges as the whole search does, in
 * a third of the time. 0 when the step is not small: beyond tau = 0.1 its error, tau^2, is more than a per cent. */
static int exact_turn_from(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3])
{
    const slip_real t2 = old[0]*old[0] + old[1]*old[1], limit = k->mu*old[2];
    const slip_real normal = -b[2]*k->inv_nn, m = k->mu*k->inv_nn;
    slip_real inv, c, s, a1, a2, s1, s2, S12, S11, S22, q0, tau, q, slope;

    if (!(t2 >= SLIP_R(0.999)*limit*limit) || !(limit > 0)) return 0;
    inv = 1/slip_sqrt(t2);
    c = old[0]*inv;
    s = old[1]*inv;
    a1 = m*(c*k->A[2] + s*k->A[5]);
    a2 = m*(c*k->A[5] - s*k->A[2]);
    inv = 1/(k->mu*normal);
    s1 = inv*(c*(b[0] + k->A[2]*normal) + s*(b[1] + k->A[5]*normal));
    s2 = inv*(c*(b[1] + k->A[5]*normal) - s*(b[0] + k->A[2]*normal));
    S11 = c*c*k->S[0] + 2*c*s*k->S[1] + s*s*k->S[2];
    S12 = c*s*(k->S[2] - k->S[0]) + (c*c - s*s)*k->S[1];
    S22 = k->S[0] + k->S[2] - S11;
    q0 = 1 + a1;
    slope = 2*(S22 + a2*s2 - (S11 + s1*q0));
    tau = -(S12 + s2*q0)/slope;
    if (!(slope > 0) || !(S11 + s1*q0 < 0) || !(slip_abs(tau) < SLIP_R(0.1)*slip_min(1, q0))) return 0;
    q = normal/((1 - a1)*tau*tau + 2*a2*tau + q0);
    x[2] = q*(1 + tau*tau);
    q *= k->mu;
    x[0] = q*(c*(1 - tau*tau) - s*2*tau);
    x[1] = q*(s*(1 - tau*tau) + c*2*tau);
    return 1;
}

void slip_local_ncp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3])
{
    slip_plane t;
    slip_real tau;

    if (slip_local_open_or_stick(k, b, x) != SLIP_LOCAL_SLIDE) return;
    if (b[2] < 0 && exact_turn_from(k, b, old, x)) return;
    if (!slip_plane_begin(k, b, x, &t)) { slip_set3(0, 0, t.normal, x);  return; }
    tau = exact_direction(&t);
    slip_plane_impulse(&t, 1 - tau*tau, 2*tau, 1 + tau*tau, x);
}
