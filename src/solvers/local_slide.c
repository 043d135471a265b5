/* RaiSim's sliding contact (HW Sec. III-A, LL eq. 20): the plane problem of local.h by the three methods that HW Tab. I
 * compares, and by a safeguarded Newton method of ours.
 *
 * From x0 one sees the arc cos(angle) >= 1/L - a_1 of the boundary, angles counted from e. The energy is unimodal on it
 * and its derivative points inwards at both ends [HW ref. 7]; the minimum of the problem lies there. */
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

/* ---- bisection: HW Alg. 1 ------------------------------------------------------------------------------ */

/* A point of the boundary; HW eq. 14: r = 1/(1 + a.u). */
typedef struct { slip_real angle, c, s, r; } slide_point;

static slide_point slide_at(const slip_plane *t, slip_real angle)
{
    slide_point y;

    y.angle = angle;
    y.c = slip_cos(angle);
    y.s = slip_sin(angle);
    y.r = 1/(1 + t->a[0]*y.c + t->a[1]*y.s);
    return y;
}

/* HW eq. 15 without its normalisation: the velocity S (x - x0) along the boundary's tangent. The sign of dE/dtheta. */
static slip_real slide_gradient(const slip_plane *t, const slide_point *y)
{
    const slip_real x0 = y->r*y->c - t->L, x1 = y->r*y->s;

    return (t->S[1]*x0 + t->S[2]*x1)*(y->c + t->a[0]) - (t->S[0]*x0 + t->S[1]*x1)*(y->s + t->a[1]);
}

/* Distance of two impulses [N s]. */
static slip_real slide_distance(const slip_plane *t, const slide_point *y, const slide_point *z)
{
    const slip_real d0 = y->r*y->c - z->r*z->c, d1 = y->r*y->s - z->r*z->s, dn = y->r - z->r;

    return slip_sqrt(t->rho*t->rho*(d0*d0 + d1*d1) + t->normal*t->normal*dn*dn);
}

/* Whether y can be the minimum: it exists (r > 0) and is seen from x0. Line 13 prints grad h2 . (lambda - lambda_v=0) <
 * 0 for a point out of sight. With HW's h2, whose gradient points out of the cone, that is the sign of a point in
 * sight; the text's meaning counts here. A step of more than half a turn would come round to the arc's other end. */
static int slide_in_sight(const slip_plane *t, const slide_point *y)
{
    return y->r > 0 && y->c >= 1/t->L - t->a[0] && slip_abs(y->angle) < SLIP_PI;
}

/* HW names beta1, beta2, beta3 without values. Here steps double as long as the gradient keeps its sign and halve when
 * they leave the arc. First steps of 0.1 to 0.3 rad need the fewest evaluations, 18 on random contacts to 1e-6 N s; ten
 * times less or more costs one or two (`slipstick papers HW-tab1` varies it, and the start). tests/test_printed_sweeps.c
 * repeats the search with these values. */
void slip_slide_search(const slip_plane *t, slip_real gamma, slip_real beta1, slip_real start, slip_real x[3])
{
    const slip_real beta2 = SLIP_R(0.5), beta3 = 2;
    enum { STEPS = 100 };                              /* 0.1 rad halved so often is below rounding */
    slide_point y = slide_at(t, start), old = y, mid;                    /* 2-4   */
    const slip_real D0 = slide_gradient(t, &y);                          /* 5     */
    slip_real step = D0 > 0 ? -beta1 : beta1;                            /* 6     */
    int it, crossed = 0;

    for (it = 0; it < STEPS && !crossed && D0 != 0; ++it) {              /* 7     */
        old = y;                                                         /* 8-9   */
        y = slide_at(t, old.angle + step);                               /* 10-12 */
        if (!slide_in_sight(t, &y)) {                                    /* 13    */
            step *= beta2;                                               /* 14    */
            y = old;
        } else if ((slide_gradient(t, &y) > 0) == (D0 > 0)) {            /* 16-17 */
            step *= beta3;                                               /* 18    */
        } else crossed = 1;                                              /* 20    */
    }
    for (it = 0; it < STEPS && crossed; ++it) {                          /* 24    */
        mid = slide_at(t, (y.angle + old.angle)/2);                      /* 25-27 */
        if (mid.angle == y.angle || mid.angle == old.angle) break;
        if ((slide_gradient(t, &mid) > 0) == (D0 > 0)) old = mid;        /* 28-29 */
        else y = mid;                                                    /* 31    */
        if (slide_distance(t, &old, &y) < gamma) break;                  /* 33    */
    }
    slip_plane_impulse(t, y.c, y.s, 1, x);
}

static void slide_bisection(const slip_plane *t, slip_real gamma, slip_real x[3])
{
    slip_slide_search(t, gamma, SLIP_R(0.1), 0, x);
}

/* ---- the half angle's tangent: for the methods below --------------------------------------------------- */

/* With tau = tan(angle/2) the boundary is rational:
 *
 *     x(tau) = (1 - tau^2, 2 tau)/q(tau),    q = (1 - a1) tau^2 + 2 a2 tau + (1 + a1) > 0
 */
static void slide_impulse(const slip_plane *t, slip_real tau, slip_real x[3])
{
    slip_plane_impulse(t, 1 - tau*tau, 2*tau, 1 + tau*tau, x);
}

/* |tau| at the end of the visible arc, or of q > 0, on the side of `sign`. */
static slip_real slide_end(const slip_plane *t, slip_real sign)
{
    const slip_real most = SLIP_R(1e8);              /* half a turn: 1 + tau^2 is tau^2 to rounding beyond */
    const slip_real cosine = 1/t->L - t->a[0];
    const slip_real q0 = 1 + t->a[0], half = sign*t->a[1], q2 = 1 - t->a[0];
    const slip_real disc = half*half - q0*q2;
    slip_real end = cosine > -1 ? slip_sqrt(slip_max(0, 1 - cosine)/(1 + cosine)) : most;

    if (disc > 0 && (half < 0 || q2 < 0)) end = slip_min(end, q0/(slip_sqrt(disc) - half));   /* q's first root */
    return slip_min(end, most);
}

/* ---- golden section (HW Sec. V-B) ---------------------------------------------------------------------- */

/* Whether E(t1) < E(t2), t1 < t2. E is quadratic, so E(t1) - E(t2) is (x1 - x2).(S (x1 + x2)/2 + s), and x1 - x2 has
 * t2 - t1 as a factor: no cancellation, so the section can go down to rounding instead of to its square root. */
static int slide_is_lower(const slip_plane *t, slip_real t1, slip_real t2)
{
    const slip_real a1 = t->a[0], a2 = t->a[1];
    const slip_real q1 = (1 - a1)*t1*t1 + 2*a2*t1 + 1 + a1, q2 = (1 - a1)*t2*t2 + 2*a2*t2 + 1 + a1;
    const slip_real inv = 1/(q1*q2), i1 = inv*q2, i2 = inv*q1;
    const slip_real mx = ((1 - t1*t1)*i1 + (1 - t2*t2)*i2)/2 - t->L, my = t1*i1 + t2*i2;
    const slip_real dx = t1 + t2 + a2*(1 + t1*t2), dy = (1 - a1)*t1*t2 - (1 + a1);

    return dx*(t->S[0]*mx + t->S[1]*my) + dy*(t->S[1]*mx + t->S[2]*my) < 0;
}

/* Golden section of the visible arc, by values of the energy alone. */
static void slide_golden(const slip_plane *t, slip_real gamma, slip_real x[3])
{
    const slip_real g = SLIP_R(0.3819660112501051518);                   /* 2 - golden ratio          */
    enum { STEPS = 200 };                              /* shrink the longest arc, 2e8, to rounding */
    slip_real lo = -slide_end(t, -1), hi = slide_end(t, 1);
    slip_real t1 = lo + g*(hi - lo), t2 = hi - g*(hi - lo), end[3];
    int it;

    for (it = 0; it < STEPS && t1 < t2; ++it) {
        if (slide_is_lower(t, t1, t2)) { hi = t2;  t2 = t1;  t1 = lo + g*(hi - lo); }
        else { lo = t1;  t1 = t2;  t2 = hi - g*(hi - lo); }
        slide_impulse(t, lo, end);
        slide_impulse(t, hi, x);
        if (slip_distance3(end, x) < gamma) break;
    }
    slide_impulse(t, (lo + hi)/2, x);
}

/* ---- dE/dtheta as a quartic in tau --------------------------------------------------------------------- */

static inline slip_real slide_poly(const slip_real c[5], slip_real t)
{
    const slip_real t2 = t*t;

    return (c[0] + c[1]*t) + t2*((c[2] + c[3]*t) + t2*c[4]);
}

/* f = V1 W1 + V2 W2 with V = S (x - x0) q and W the boundary's tangent: W = (-(a2 tau^2 + 2 tau + a2), (a1 - 1) tau^2 +
 * 1 + a1). The plane is mirrored where needed so that f(0) < 0: the minimum is the first root at tau > 0. Returns 0
 * when tau = 0 is the minimum. */
static int slide_quartic(slip_plane *t, slip_real f[5])
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
    const slip_real f_lo = slide_poly(c, lo), f_hi = slide_poly(c, hi);
    slip_real x = hi;
    int it;

    if (f_hi <= 0) return hi;
    x = guess > lo && guess < hi ? guess : lo + (hi - lo)*(f_lo/(f_lo - f_hi));
    for (it = 0; it < STEPS; ++it) {
        const slip_real f = slide_poly(c, x), df = c[1] + x*(2*c[2] + x*(3*c[3] + x*4*c[4]));
        slip_real next = x - f/df;

        if (f < 0) lo = x; else hi = x;
        if (!(next >= lo && next <= hi)) next = (lo + hi)/2;
        if (slip_abs(next - x) <= close*next) return next;
        x = next;
    }
    return x;
}

/* ---- roots in closed form (HW Sec. V-B, "analytical") -------------------------------------------------- */

/* The largest real root of m^3 + a m^2 + b m + c, which is positive here as c < 0; one Newton step after Cardano. */
static slip_real slide_cubic(slip_real a, slip_real b, slip_real c)
{
    const slip_real p = b - a*a/3, q = 2*a*a*a/27 - a*b/3 + c, d = q*q/4 + p*p*p/27;
    slip_real m, f, df;

    if (d >= 0) {
        const slip_real u = slip_cbrt(-q/2 - slip_copysign(slip_sqrt(d), q));

        m = (u != 0 ? u - p/(3*u) : 0) - a/3;
    } else {
        const slip_real r = slip_sqrt(-p/3);

        m = 2*r*slip_cos(slip_acos(slip_clamp(-q/(2*r*r*r), -1, 1))/3) - a/3;
    }
    f = ((m + a)*m + b)*m + c;
    df = (3*m + 2*a)*m + b;
    return df > 0 ? m - f/df : m;
}

/* Real roots of x^4 + b x^3 + c x^2 + d x + e after Ferrari; returns how many. */
static int slide_ferrari(slip_real b, slip_real c, slip_real d, slip_real e, slip_real x[4])
{
    const slip_real p = c - 3*b*b/8, q = d - b*c/2 + b*b*b/8, r = e - b*d/4 + b*b*c/16 - 3*b*b*b*b/256;
    slip_real m, s, disc;
    int n = 0, k;

    m = slide_cubic(p, p*p/4 - r, -q*q/8);                               /* resolvent                 */
    s = m > 0 ? slip_sqrt(2*m) : 0;
    for (k = -1; k <= 1; k += 2) {
        const slip_real lin = s > 0 ? q/(2*s) : slip_sqrt(slip_max(0, p*p/4 - r));

        disc = s*s/4 - (p/2 + m + (slip_real)k*lin);
        if (disc < 0) continue;
        x[n++] = (slip_real)k*s/2 + slip_sqrt(disc) - b/4;
        x[n++] = (slip_real)k*s/2 - slip_sqrt(disc) - b/4;
    }
    return n;
}

/* Two Newton steps on the quartic itself: Ferrari loses half the digits where roots are close; a step doubles them. */
static slip_real slide_polish(const slip_real c[5], slip_real x)
{
    int k;

    for (k = 0; k < 2; ++k) {
        const slip_real df = c[1] + x*(2*c[2] + x*(3*c[3] + x*4*c[4]));

        if (df != 0) x -= slide_poly(c, x)/df;
    }
    return x;
}

/* The root in [lo, hi], 0 <= lo; -1 when the closed form has too few digits to name it, so that the caller halves: a
 * leading coefficient below the root of rounding, which costs Ferrari half its digits and polishing cannot give back,
 * or a value at the root of more than a hundred roundings, where roots run together. */
static slip_real slide_analytic(const slip_real c[5], slip_real lo, slip_real hi)
{
    const slip_real big = slip_max(slip_max(slip_abs(c[0]), slip_abs(c[1])),
                                   slip_max(slip_abs(c[2]), slip_abs(c[3])));
    slip_real x[4], t;
    int n, k;

    if (!(slip_abs(c[4]) > SLIP_TOL(1e-8, 1e-3)*big)) return -1;
    n = slide_ferrari(c[3]/c[4], c[2]/c[4], c[1]/c[4], c[0]/c[4], x);
    for (k = 0; k < n; ++k) {
        t = slide_polish(c, x[k]);
        if (t >= lo && t <= hi && slip_abs(slide_poly(c, t)) <= SLIP_TOL(1e-13, 1e-5)*(big + slip_abs(c[4])))
            return t;
    }
    return -1;
}

/* ---- the root on the visible arc ----------------------------------------------------------------------- */

/* tau of the direction of `old`, 0 when it is not on the side of the root. */
static slip_real slide_guess(const slip_plane *t, const slip_real *old)
{
    slip_real along, across, sum;

    if (!old) return 0;
    along = t->e[0]*old[0] + t->e[1]*old[1];
    across = t->mirror*(t->e[0]*old[1] - t->e[1]*old[0]);
    sum = along + slip_norm2(old);
    return across > 0 && sum > 0 ? across/sum : 0;
}

/* In [0, 1], or, when the sign has not changed there (more than 90 degrees from x0: strong coupling), in [1, end]
 * through 1/tau and the reversed quartic. By Newton's method or in closed form; -1 when the latter fails. */
static slip_real slide_root(const slip_real f[5], slip_real end, int newton, slip_real guess)
{
    slip_real back[5], tau;
    int i;

    if (end <= 1 || slide_poly(f, 1) > 0) {
        end = slip_min(end, 1);
        return newton ? slip_quartic_root(f, 0, end, guess) : slide_analytic(f, 0, end);
    }
    for (i = 0; i < 5; ++i) back[i] = -f[4 - i];
    tau = newton ? slip_quartic_root(back, 1/end, 1, 0) : slide_analytic(back, 1/end, 1);
    return tau > 0 ? 1/tau : tau;
}

void slip_local_slide(const slip_local *k, const slip_real b[3], const slip_real *old, slip_slide_method method,
                      slip_real gamma, slip_real x[3])
{
    slip_real f[5], tau = 0;
    slip_plane t;

    if (!slip_plane_begin(k, b, x, &t)) { slip_set3(0, 0, t.normal, x);  return; }
    if (method == SLIP_SLIDE_BISECTION) { slide_bisection(&t, gamma, x);  return; }
    if (method == SLIP_SLIDE_GOLDEN) { slide_golden(&t, gamma, x);  return; }
    if (slide_quartic(&t, f)) tau = slide_root(f, slide_end(&t, 1), method == SLIP_SLIDE_NEWTON, slide_guess(&t, old));
    if (tau >= 0) slide_impulse(&t, tau, x);
    else slide_bisection(&t, 0, x);
}
