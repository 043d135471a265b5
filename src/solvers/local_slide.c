/* RaiSim's sliding contact (HW Sec. III-A, LL eq. 20) as the plane problem of local.h. The methods that solve it are in
 * the files of the solvers that are named after them: raisim_bisection.c, raisim_golden.c, raisim_quartic.c (the three
 * of HW Tab. I) and raisim_newton.c (ours).
 *
 * The arc of the boundary that is visible from x0 is cos(angle) >= 1/L - a_1, angles counted from e. The energy is
 * unimodal on it and its derivative points inwards at both ends [HW ref. 7]; the minimum of the problem lies there. */
#include "solvers/local.h"

/* ---- the plane problem --------------------------------------------------------------------------------- */

int slip_plane_begin(const slip_local *k, const slip_real b[3], const slip_real x0[3], slip_plane *t)
{
    const slip_real length = slip_norm2(x0), inv = length > 0 ? 1/length : 0, m = k->mu*k->inv_nn;
    const slip_real c = inv*x0[0], s = inv*x0[1], S0 = k->S[0], S1 = k->S[1], S2 = k->S[2];

    t->mu = k->mu;
    t->normal = -b[2]*k->inv_nn;
    t->rho = k->mu*t->normal;
    if (!(length > 0) || !(t->rho > 0)) return 0;
    t->L = length/t->rho;
    t->e[0] = c;
    t->e[1] = s;
    t->mirror = 1;
    t->S[0] = c*c*S0 + 2*c*s*S1 + s*s*S2;
    t->S[1] = c*s*(S2 - S0) + (c*c - s*s)*S1;
    t->S[2] = s*s*S0 - 2*c*s*S1 + c*c*S2;
    t->a[0] = m*(c*k->A[2] + s*k->A[5]);
    t->a[1] = m*(c*k->A[5] - s*k->A[2]);
    return 1;
}

void slip_plane_impulse(const slip_plane *t, slip_real c, slip_real s, slip_real h, slip_real x[3])
{
    const slip_real r = 1/(h + t->a[0]*c + t->a[1]*s);
    const slip_real y0 = t->rho*r*c, y1 = t->mirror*t->rho*r*s;

    x[0] = t->e[0]*y0 - t->e[1]*y1;
    x[1] = t->e[1]*y0 + t->e[0]*y1;
    x[2] = t->normal*r*h;
}

/* ---- the half angle's tangent ------------------------------------------------------------------------------ */

/* With tau = tan(angle/2) the boundary is rational:
 *
 *     x(tau) = (1 - tau^2, 2 tau)/q(tau),    q = (1 - a1) tau^2 + 2 a2 tau + (1 + a1) > 0
 */
void slip_plane_impulse_at(const slip_plane *t, slip_real tau, slip_real x[3])
{
    slip_plane_impulse(t, 1 - tau*tau, 2*tau, 1 + tau*tau, x);
}

slip_real slip_plane_end(const slip_plane *t, slip_real sign)
{
    const slip_real most = SLIP_R(1e8);              /* half a turn: 1 + tau^2 is tau^2 to rounding beyond */
    const slip_real cosine = 1/t->L - t->a[0];
    const slip_real q0 = 1 + t->a[0], half = sign*t->a[1], q2 = 1 - t->a[0];
    const slip_real disc = half*half - q0*q2;
    slip_real end = cosine > -1 ? slip_sqrt(slip_max(0, 1 - cosine)/(1 + cosine)) : most;

    if (disc > 0 && (half < 0 || q2 < 0)) end = slip_min(end, q0/(slip_sqrt(disc) - half));   /* q's first root */
    return slip_min(end, most);
}

/* ---- dE/dtheta as a quartic in tau --------------------------------------------------------------------- */

/* f = V1 W1 + V2 W2 with V = S (x - x0) q and W the boundary's tangent: W = (-(a2 tau^2 + 2 tau + a2), (a1 - 1) tau^2 +
 * 1 + a1). */
int slip_plane_quartic(slip_plane *t, slip_real f[5])
{
    const slip_real a1 = t->a[0], a2 = t->a[1], L = t->L;
    const slip_real q0 = 1 + a1, q1 = 2*a2, q2 = 1 - a1;
    const slip_real l0 = 1 - L*q0, l1 = -L*q1, l2 = -1 - L*q2;           /* (1 - tau^2) - L q         */
    const slip_real u0 = t->S[0]*l0, u1 = t->S[0]*l1 + 2*t->S[1], u2 = t->S[0]*l2;
    const slip_real v0 = t->S[1]*l0, v1 = t->S[1]*l1 + 2*t->S[2], v2 = t->S[1]*l2;

    f[0] = v0*q0 - u0*a2;
    f[1] = v1*q0 - u1*a2 - 2*u0;
    f[2] = v2*q0 - u2*a2 - 2*u1 - v0*q2 - u0*a2;
    f[3] = -2*u2 - v1*q2 - u1*a2;
    f[4] = -v2*q2 - u2*a2;
    if (f[0] > 0) {
        t->mirror = -1;
        t->S[1] = -t->S[1];  t->a[1] = -t->a[1];
        f[0] = -f[0];  f[2] = -f[2];  f[4] = -f[4];
    }
    return f[0] < 0;
}

slip_real slip_quartic_root(const slip_real c[5], slip_real lo, slip_real hi, slip_real guess)
{
    const slip_real close = SLIP_TOL(1e-7, 1e-4);    /* root of rounding: Newton's last step squares its error */
    enum { STEPS = 80 };                               /* halving alone ends within 60 */
    const slip_real f_lo = slip_quartic_at(c, lo), f_hi = slip_quartic_at(c, hi);
    slip_real x = hi;
    int it;

    if (f_hi <= 0) return hi;
    x = guess > lo && guess < hi ? guess : lo + (hi - lo)*(f_lo/(f_lo - f_hi));
    for (it = 0; it < STEPS; ++it) {
        const slip_real f = slip_quartic_at(c, x), df = c[1] + x*(2*c[2] + x*(3*c[3] + x*4*c[4]));
        slip_real next = x - f/df;

        if (f < 0) lo = x; else hi = x;
        if (!(next >= lo && next <= hi)) next = (lo + hi)/2;
        if (slip_abs(next - x) <= close*next) return next;
        x = next;
    }
    return x;
}

/* In [0, 1], or, when the sign has not changed there (more than 90 degrees from x0: strong coupling), in [1, end]
 * through 1/tau and the reversed quartic. */
slip_real slip_plane_root(const slip_real f[5], slip_real end, slip_quartic_method *find, slip_real guess)
{
    slip_real back[5], tau;
    int i;

    if (end <= 1 || slip_quartic_at(f, 1) > 0) return find(f, 0, slip_min(end, 1), guess);
    for (i = 0; i < 5; ++i) back[i] = -f[4 - i];
    tau = find(back, 1/end, 1, 0);
    return tau > 0 ? 1/tau : tau;
}

void slip_local_slide(const slip_local *k, const slip_real b[3], const slip_real *old, slip_slide_method *method,
                      slip_real gamma, slip_real x[3])
{
    slip_plane t;

    if (slip_plane_begin(k, b, x, &t)) method(&t, gamma, old, x);
    else slip_set3(0, 0, t.normal, x);
}
