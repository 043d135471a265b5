/* The one-contact problems of per-contact solvers; see local.h.
 *
 * Sliding after RaiSim (HW Sec. III-A, LL eq. 20). With sigma_n = 0 the normal impulse is a function of the tangential
 * one, x_n = -(b_n + w.x_T)/A_nn, and what remains is a plane problem. In units of rho = -mu b_n/A_nn:
 *
 *     min 1/2 x'S x + s'x   over   |x| + a.x <= 1,     a = mu w/A_nn,   S = A_TT - w w'/A_nn
 *
 * The boundary is a conic with a focus at the origin, r(theta) = 1/(1 + a.u(theta)) (HW eq. 14), an ellipse for |a| < 1
 * and a branch of a hyperbola for the strongly coupled |a| > 1. Directions are counted from e, that of the
 * zero-velocity impulse x0 = L e (HW's initial guess), by tau = tan(angle/2):
 *
 *     x(tau) = (1 - tau^2, 2 tau)/q(tau),    q = (1 - a1) tau^2 + 2 a2 tau + (1 + a1) > 0
 *
 * and dE/dtheta, HW eq. 15, has the sign of a quartic in tau. From x0 one sees the arc cos(angle) >= (1 - a1 L)/L
 * of the boundary; the energy is unimodal on it, and its derivative points inwards at both ends [HW ref. 7], so the
 * minimum is the one root of the quartic there. All methods below look for that root; none needs an angle. */
#include "solvers/local.h"

/* ---- preparation --------------------------------------------------------------------------------------- */

/* The symmetric part of block (i, i) with R on its diagonal. */
static void local_matrix(const slip_problem *p, int i, slip_real A[9])
{
    int r;

    slip_problem_block(p, i, i, A);
    A[1] = A[3] = (A[1] + A[3])/2;
    A[2] = A[6] = (A[2] + A[6])/2;
    A[5] = A[7] = (A[5] + A[7])/2;
    if (p->R) for (r = 0; r < 3; ++r) A[4*r] += p->R[3*i + r];
}

/* inv = A^-1 of a symmetric A by cofactors; returns det A. */
static slip_real local_inverse(const slip_real A[9], slip_real inv[9])
{
    const slip_real c0 = A[4]*A[8] - A[5]*A[5], c1 = A[5]*A[2] - A[1]*A[8], c2 = A[1]*A[5] - A[4]*A[2];
    const slip_real det = A[0]*c0 + A[1]*c1 + A[2]*c2;
    const slip_real d = det != 0 ? 1/det : 0;

    inv[0] = d*c0;  inv[1] = inv[3] = d*c1;  inv[2] = inv[6] = d*c2;
    inv[4] = d*(A[0]*A[8] - A[2]*A[2]);
    inv[5] = inv[7] = d*(A[1]*A[2] - A[0]*A[5]);
    inv[8] = d*(A[0]*A[4] - A[1]*A[1]);
    return det;
}

void slip_local_prepare(const slip_problem *p, int i, slip_local *k)
{
    const slip_real singular = SLIP_TOL(1e-12, 1e-5), prox = SLIP_TOL(1e-7, 1e-4);
    slip_real m;
    int r;

    local_matrix(p, i, k->A);
    k->mu = p->mu[i];
    k->size = (k->A[0] + k->A[4] + k->A[8])/3;
    m = k->size;
    k->eps = 0;
    if (!(local_inverse(k->A, k->inv) > singular*m*m*m) && m > 0) {
        k->eps = prox*m;
        for (r = 0; r < 3; ++r) k->A[4*r] += k->eps;
        local_inverse(k->A, k->inv);
    }
    k->inv_nn = k->A[8] > 0 ? 1/k->A[8] : 0;
    k->S[0] = k->A[0] - k->A[2]*k->A[2]*k->inv_nn;
    k->S[1] = k->A[1] - k->A[2]*k->A[5]*k->inv_nn;
    k->S[2] = k->A[4] - k->A[5]*k->A[5]*k->inv_nn;
}

/* ---- disc and square ----------------------------------------------------------------------------------- */

/* x = -(A_TT + nu I)^-1 b */
static void local_shifted(const slip_local *k, const slip_real b[2], slip_real nu, slip_real x[2])
{
    const slip_real p = k->A[0] + nu, q = k->A[1], r = k->A[4] + nu;
    const slip_real det = p*r - q*q, d = det > 0 ? 1/det : 0;

    x[0] = d*(q*b[1] - r*b[0]);
    x[1] = d*(q*b[0] - p*b[1]);
}

/* Newton on 1/|x(nu)| = 1/r, which is concave and nearly straight: from nu = 0 it climbs without overshooting. */
void slip_local_disc(const slip_local *k, const slip_real b[2], slip_real r, slip_real x[2])
{
    const slip_real close = SLIP_TOL(4e-16, 2e-7);
    slip_real nu = 0, norm2, slope, y[2], step;
    int it;

    if (!(r > 0)) { x[0] = 0;  x[1] = 0;  return; }
    local_shifted(k, b, 0, x);
    norm2 = x[0]*x[0] + x[1]*x[1];
    if (norm2 <= r*r) return;
    for (it = 0; it < 30; ++it) {
        const slip_real norm = slip_sqrt(norm2);

        local_shifted(k, x, nu, y);                       /* y = -(A + nu)^-1 x = dx/dnu                    */
        slope = -(x[0]*y[0] + x[1]*y[1]);                 /* > 0:  d(1/|x|)/dnu = slope/|x|^3               */
        if (!(slope > 0)) break;
        step = norm2*(norm/r - 1)/slope;
        nu += step;
        local_shifted(k, b, nu, x);
        norm2 = x[0]*x[0] + x[1]*x[1];
        if (!(step > close*nu) || norm2 <= r*r*(1 + 8*close)) break;
    }
    step = r/slip_sqrt(norm2);                            /* onto the circle to rounding                    */
    x[0] *= step;  x[1] *= step;
}

/* Energy 1/2 x'A_TT x + b'x */
static slip_real local_energy(const slip_local *k, const slip_real b[2], const slip_real x[2])
{
    return x[0]*(b[0] + k->A[0]*x[0]/2 + k->A[1]*x[1]) + x[1]*(b[1] + k->A[4]*x[1]/2);
}

/* The minimum on the edge where coordinate c has the value v. */
static void local_edge(const slip_local *k, const slip_real b[2], slip_real r, int c, slip_real v, slip_real x[2])
{
    const slip_real d = k->A[c ? 0 : 4];

    x[c] = v;
    x[!c] = d > 0 ? slip_clamp(-(b[!c] + k->A[1]*v)/d, -r, r) : 0;
}

void slip_local_box(const slip_local *k, const slip_real b[2], slip_real r, slip_real x[2])
{
    slip_real free[2], y[2];
    int c, found = 0;

    local_shifted(k, b, 0, free);
    x[0] = slip_clamp(free[0], -r, r);
    x[1] = slip_clamp(free[1], -r, r);
    for (c = 0; c < 2; ++c) {
        if (free[c] >= -r && free[c] <= r) continue;
        local_edge(k, b, r, c, free[c] > 0 ? r : -r, y);
        if (!found || local_energy(k, b, y) < local_energy(k, b, x)) { x[0] = y[0];  x[1] = y[1]; }
        found = 1;
    }
}

/* ---- RaiSim's sliding contact -------------------------------------------------------------------------- */

/* The plane problem in the frame of e, turned over where needed so that the root lies at tau > 0. */
typedef struct {
    slip_real S[3], a[2], L;   /* 11 12 22                                                     */
    slip_real c[5];            /* the quartic: c0 + c1 tau + … ; c0 < 0, first root wanted     */
    slip_real top;             /* the root is in (0, top]; may exceed 1                        */
    slip_real sign;            /* -1 when turned over                                          */
    slip_real guess;           /* tau of the last impulse; 0: none, or out of the arc          */
} local_plane;

/* Coefficients of f = V1 W1 + V2 W2 with V = S x-direction + s q the tangential velocity and W the curve's tangent
 * (HW eq. 10 without its norm): W = (-(a2 tau^2 + 2 tau + a2), (a1 - 1) tau^2 + 1 + a1). */
static void local_quartic(local_plane *t)
{
    const slip_real a1 = t->a[0], a2 = t->a[1], L = t->L;
    const slip_real q0 = 1 + a1, q1 = 2*a2, q2 = 1 - a1;
    const slip_real l0 = 1 - L*q0, l1 = -L*q1, l2 = -1 - L*q2;         /* (1 - tau^2) - L q              */
    const slip_real u0 = t->S[0]*l0, u1 = t->S[0]*l1 + 2*t->S[1], u2 = t->S[0]*l2;
    const slip_real v0 = t->S[1]*l0, v1 = t->S[1]*l1 + 2*t->S[2], v2 = t->S[1]*l2;

    t->c[0] = v0*q0 - u0*a2;
    t->c[1] = v1*q0 - u1*a2 - 2*u0;
    t->c[2] = v2*q0 - u2*a2 - 2*u1 - v0*q2 - u0*a2;
    t->c[3] = -2*u2 - v1*q2 - u1*a2;
    t->c[4] = -v2*q2 - u2*a2;
}

/* The end of the visible arc, or of q > 0, whichever comes first. */
static slip_real local_top(const local_plane *t)
{
    const slip_real cosine = 1/t->L - t->a[0];                         /* of the visible arc's end       */
    const slip_real q0 = 1 + t->a[0], half = t->a[1], q2 = 1 - t->a[0];
    const slip_real disc = half*half - q0*q2;
    slip_real top = cosine > -1 ? slip_sqrt(slip_max(0, 1 - cosine)/(1 + cosine)) : SLIP_R(1e8);

    if (disc > 0 && (half < 0 || q2 < 0)) top = slip_min(top, q0/(slip_sqrt(disc) - half));   /* q's first root */
    return slip_min(top, SLIP_R(1e8));
}

/* The problem in the frame of e. */
static void local_plane_set(const slip_local *k, const slip_real a[2], const slip_real e[2], slip_real L,
                            local_plane *t)
{
    const slip_real c = e[0], s = e[1], S0 = k->S[0], S1 = k->S[1], S2 = k->S[2];

    t->L = L;
    t->sign = 1;
    t->S[0] = c*c*S0 + 2*c*s*S1 + s*s*S2;
    t->S[1] = c*s*(S2 - S0) + (c*c - s*s)*S1;
    t->S[2] = s*s*S0 - 2*c*s*S1 + c*c*S2;
    t->a[0] = c*a[0] + s*a[1];
    t->a[1] = c*a[1] - s*a[0];
}

/* Its quartic, turned over so that the root is at tau > 0. Returns 0 when tau = 0 is the answer. */
static int local_plane_quartic(local_plane *t)
{
    local_quartic(t);
    if (t->c[0] > 0) {                                                 /* energy falls the other way     */
        t->sign = -1;
        t->S[1] = -t->S[1];  t->a[1] = -t->a[1];
        t->c[0] = -t->c[0];  t->c[2] = -t->c[2];  t->c[4] = -t->c[4];
    }
    t->top = local_top(t);
    return t->c[0] < 0 && t->top > 0;
}

static inline slip_real local_poly(const slip_real c[5], slip_real t)
{
    const slip_real t2 = t*t;

    return (c[0] + c[1]*t) + t2*((c[2] + c[3]*t) + t2*c[4]);
}

/* A root in [lo, hi] where c goes from negative to positive: the bracket is halved whenever Newton's step from its last
 * end leaves it, which is HW's bisection where it must be and four evaluations where it need not. */
static slip_real local_root(const slip_real c[5], slip_real lo, slip_real hi, slip_real guess)
{
    const slip_real close = SLIP_TOL(1e-7, 1e-4);                      /* squared by the step that meets it */
    const slip_real f_lo = local_poly(c, lo), f_hi = local_poly(c, hi);
    slip_real x = hi;
    int it;

    if (f_hi <= 0) return hi;
    x = guess > lo && guess < hi ? guess : lo + (hi - lo)*(f_lo/(f_lo - f_hi));
    for (it = 0; it < 80; ++it) {
        const slip_real f = local_poly(c, x), df = c[1] + x*(2*c[2] + x*(3*c[3] + x*4*c[4]));
        slip_real next = x - f/df;

        if (f < 0) lo = x; else hi = x;
        if (!(next >= lo && next <= hi)) next = (lo + hi)/2;
        if (slip_abs(next - x) <= close*next) return next;
        x = next;
    }
    return x;
}

/* HW Alg. 1 as printed: steps outwards from the guess until the gradient changes sign (lines 7-23), then halves the
 * bracket down to gamma (lines 24-33). Steps that leave the visible arc are taken back, beta2 times as long. */
static slip_real local_paper(const local_plane *t, slip_real gamma)
{
    const slip_real beta1 = SLIP_R(0.05), beta2 = SLIP_R(0.5), beta3 = 2;
    slip_real step = beta1, old = 0, x = 0;
    int it;

    for (it = 0; it < 200; ++it) {
        x = old + step;
        if (x > t->top) { step *= beta2;  x = t->top; if (step <= gamma) break; else continue; }
        if (local_poly(t->c, x) > 0) break;
        old = x;
        step *= beta3;
    }
    while (x - old > gamma && it++ < 400) {
        const slip_real mid = (old + x)/2;

        if (mid <= old || mid >= x) break;
        if (local_poly(t->c, mid) < 0) old = mid; else x = mid;
    }
    return (old + x)/2;
}

/* ---- golden section ------------------------------------------------------------------------------------ */

/* (E(t2) - E(t1))/(t2 - t1) up to a constant. E is quadratic, so E(t1) - E(t2) is (x1 - x2).(S (x1 + x2)/2 + s), and
 * x1 - x2 has t2 - t1 as a factor: no cancellation, so the section can go down to rounding instead of to its square
 * root. */
static slip_real local_chord(const local_plane *t, slip_real t1, slip_real t2)
{
    const slip_real a1 = t->a[0], a2 = t->a[1];
    const slip_real q1 = (1 - a1)*t1*t1 + 2*a2*t1 + 1 + a1, q2 = (1 - a1)*t2*t2 + 2*a2*t2 + 1 + a1;
    const slip_real inv = 1/(q1*q2), i1 = inv*q2, i2 = inv*q1;
    const slip_real mx = ((1 - t1*t1)*i1 + (1 - t2*t2)*i2)/2 - t->L, my = t1*i1 + t2*i2;
    const slip_real dx = t1 + t2 + a2*(1 + t1*t2), dy = (1 - a1)*t1*t2 - (1 + a1);

    return -inv*(dx*(t->S[0]*mx + t->S[1]*my) + dy*(t->S[1]*mx + t->S[2]*my));
}

/* The next point to look at: the vertex of the parabola through lo < x < hi; 0 when it has none within. */
static int local_vertex(slip_real lo, slip_real x, slip_real hi, slip_real left, slip_real right, slip_real *y)
{
    *y = (lo + x)/2 - left*(hi - lo)/(2*(right - left));
    return right > left && *y > lo && *y < hi;
}

/* Golden section of the larger part, and parabolas where they shrink the bracket (Brent); `left` and `right` are the
 * chords from x to both ends. */
static slip_real local_golden(const local_plane *t, slip_real top, slip_real gamma)
{
    const slip_real g = SLIP_R(0.3819660112501051518), near = SLIP_R(0.01);
    slip_real lo = slip_max(0, t->guess - near), hi = slip_min(top, t->guess + near), x = t->guess;
    slip_real left = x > 0 ? local_chord(t, lo, x) : 1, right = left < 0 ? local_chord(t, x, hi) : -1;
    slip_real width = 2*top, y, mid;
    int it;

    if (!(left < 0 && right > 0)) {                                 /* not around the last one: the whole arc */
        lo = 0;
        hi = top;
        x = g*top;
        left = local_chord(t, lo, x);
        right = local_chord(t, x, hi);
    }
    for (it = 0; it < 200 && hi - lo > gamma*x; ++it) {
        const int parabola = it % 3 != 0 || hi - lo < width/2;      /* halved in three steps, or a golden one */

        if (it % 3 == 0) width = hi - lo;
        if (!parabola || !local_vertex(lo, x, hi, left, right, &y))
            y = x - lo > hi - x ? x - g*(x - lo) : x + g*(hi - x);
        else if (slip_abs(y - x) <= gamma*x) return y;
        mid = local_chord(t, x, y);
        if (y > x) {
            if (mid > 0) { hi = y;  right = mid; } else { lo = x;  x = y;  left = mid;  right = local_chord(t, y, hi); }
        } else {
            if (mid < 0) { lo = y;  left = mid; } else { hi = x;  x = y;  right = mid;  left = local_chord(t, lo, y); }
        }
    }
    return x;
}

/* ---- the analytic quartic ------------------------------------------------------------------------------ */

/* The largest real root of m^3 + a m^2 + b m + c, which is positive here as c < 0; one Newton step after Cardano. */
static slip_real local_cubic(slip_real a, slip_real b, slip_real c)
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
static int local_ferrari(slip_real b, slip_real c, slip_real d, slip_real e, slip_real x[4])
{
    const slip_real p = c - 3*b*b/8, q = d - b*c/2 + b*b*b/8, r = e - b*d/4 + b*b*c/16 - 3*b*b*b*b/256;
    slip_real m, s, disc;
    int n = 0, k;

    m = local_cubic(p, p*p/4 - r, -q*q/8);                             /* resolvent                      */
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

/* A few Newton steps on the quartic itself: Ferrari loses half the digits where roots are close. */
static slip_real local_polish(const slip_real c[5], slip_real x)
{
    int k;

    for (k = 0; k < 3; ++k) {
        const slip_real df = c[1] + x*(2*c[2] + x*(3*c[3] + x*4*c[4]));
        const slip_real step = df != 0 ? local_poly(c, x)/df : 0;

        x -= step;
        if (slip_abs(step) <= SLIP_TOL(1e-8, 1e-4)*slip_abs(x)) break;         /* squared by the step itself */
    }
    return x;
}

/* The root in (lo, hi] with c rising; by bisection where the closed form is too ill-conditioned to name it. */
static slip_real local_analytic(const slip_real c[5], slip_real lo, slip_real hi)
{
    const slip_real big = slip_max(slip_max(slip_abs(c[0]), slip_abs(c[1])),
                                   slip_max(slip_abs(c[2]), slip_abs(c[3])));
    slip_real x[4], t;
    int n, k;

    if (slip_abs(c[4]) > SLIP_TOL(1e-8, 1e-3)*big) {
        n = local_ferrari(c[3]/c[4], c[2]/c[4], c[1]/c[4], c[0]/c[4], x);
        for (k = 0; k < n; ++k) {
            if (!(x[k] >= lo - SLIP_R(0.1) && x[k] <= hi + SLIP_R(0.1))) continue;
            t = local_polish(c, x[k]);
            if (t >= lo && t <= hi && slip_abs(local_poly(c, t)) <= SLIP_TOL(1e-13, 1e-5)*(big + slip_abs(c[4])))
                return t;
        }
    }
    return local_root(c, lo, hi, 0);
}

/* ---- the three methods on one bracket ------------------------------------------------------------------ */

/* Root on [0, 1], or, when the sign has not changed there (more than 90 degrees from the guess: strong coupling), on
 * [1, top] through 1/tau and the reversed quartic. */
static slip_real local_tau(const local_plane *t, slip_slide_method method, slip_real gamma)
{
    const slip_real best = SLIP_TOL(1e-15, 1e-7);
    const slip_real g = gamma > 0 ? gamma : best;
    slip_real back[5];
    int i;

    if (t->top <= 1 || local_poly(t->c, 1) > 0) {
        const slip_real top = slip_min(t->top, 1);

        if (method == SLIP_SLIDE_PAPER) return local_paper(t, g);
        if (method == SLIP_SLIDE_GOLDEN) return local_golden(t, top, g);
        if (method == SLIP_SLIDE_QUARTIC) return local_analytic(t->c, 0, top);
        return local_root(t->c, 0, top, t->guess);
    }
    for (i = 0; i < 5; ++i) back[i] = -t->c[4 - i];
    return 1/(method == SLIP_SLIDE_QUARTIC ? local_analytic(back, 1/t->top, 1) : local_root(back, 1/t->top, 1, 0));
}

/* ---- the NCP's sliding contact ------------------------------------------------------------------------- */

/* Coulomb with maximum dissipation: sigma_T = -nu x/|x|, so (S + nu/|x|) x = S x0. As nu grows from 0, x turns from
 * x0 to S x0, less than 90 degrees, and |x| + a.x falls from beyond 1 to 0: somewhere between the two directions lies
 * a solution, for any coupling. sigma_T across x, V x u, is a quartic in tau as well: V2 (1 - tau^2) - 2 V1 tau. */
static slip_real local_tau_ncp(local_plane *t)
{
    const slip_real q0 = 1 + t->a[0], q2 = 1 - t->a[0], l0 = 1 - t->L*q0, l1 = -2*t->L*t->a[1], l2 = -1 - t->L*q2;
    const slip_real u0 = t->S[0]*l0, u1 = t->S[0]*l1 + 2*t->S[1], u2 = t->S[0]*l2;
    const slip_real v0 = t->S[1]*l0, v1 = t->S[1]*l1 + 2*t->S[2], v2 = t->S[1]*l2;
    const slip_real end = slip_abs(t->S[1])/(t->S[0] + slip_sqrt(t->S[0]*t->S[0] + t->S[1]*t->S[1]));
    slip_real c[5] = { v0, v1 - 2*u0, v2 - 2*u1 - v0, -2*u2 - v1, -v2 };

    if (t->S[1] < 0) { c[0] = -c[0];  c[2] = -c[2];  c[4] = -c[4]; }   /* the other side: tau -> -tau, f -> -f */
    return slip_copysign(end > 0 ? local_root(c, 0, end, 0) : 0, t->S[1]);
}

/* ---- sliding, either model ----------------------------------------------------------------------------- */

/* tau of the direction of `old`, on the side where the root is. */
static slip_real local_guess(const local_plane *t, const slip_real e[2], const slip_real old[3])
{
    const slip_real along = e[0]*old[0] + e[1]*old[1], across = t->sign*(e[0]*old[1] - e[1]*old[0]);
    const slip_real sum = along + slip_norm2(old);

    return across > 0 && sum > 0 && across < t->top*sum ? across/sum : 0;
}

/* x0: the zero-velocity impulse, outside the cone; b_n < 0. `ncp`: maximum dissipation, else RaiSim's least energy. */
static void local_slide(const slip_local *k, const slip_real b[3], const slip_real *old, const slip_real x0[3], int ncp,
                        slip_slide_method method, slip_real gamma, slip_real x[3])
{
    const slip_real normal = -b[2]*k->inv_nn, rho = k->mu*normal;      /* impulse at the focus           */
    const slip_real a[2] = { k->mu*k->A[2]*k->inv_nn, k->mu*k->A[5]*k->inv_nn };
    const slip_real length = slip_norm2(x0), inv = 1/length;
    const slip_real e[2] = { x0[0]*inv, x0[1]*inv };
    slip_real tau = 0, q, y0, y1;
    local_plane t;

    if (!(length > 0) || !(rho > 0)) { x[0] = 0;  x[1] = 0;  x[2] = normal;  return; }
    local_plane_set(k, a, e, length/rho, &t);
    if (ncp) tau = local_tau_ncp(&t);
    else if (local_plane_quartic(&t)) {
        t.guess = old ? local_guess(&t, e, old) : 0;
        tau = local_tau(&t, method, gamma);
    }
    q = 1/((1 - t.a[0])*tau*tau + 2*t.a[1]*tau + 1 + t.a[0]);
    y0 = rho*(1 - tau*tau)*q;
    y1 = rho*2*tau*q*t.sign;
    x[0] = e[0]*y0 - e[1]*y1;
    x[1] = e[1]*y0 + e[0]*y1;
    x[2] = normal*(1 + tau*tau)*q;
}

/* mu = infinity: no tangential motion at all, the normal impulse still a push. */
static slip_local_case local_glued(const slip_local *k, const slip_real b[3], const slip_real x0[3], slip_real x[3])
{
    if (x0[2] >= 0) { slip_copy3(x0, x);  return SLIP_LOCAL_STICK; }
    local_shifted(k, b, 0, x);
    x[2] = 0;
    return SLIP_LOCAL_STICK;
}

slip_local_case slip_local_raisim(const slip_local *k, const slip_real b[3], const slip_real *old,
                                  slip_slide_method method, slip_real gamma, slip_real x[3])
{
    slip_real x0[3];

    if (!slip_is_finite(k->mu)) {
        slip_mat3_vec(k->inv, b, x0);
        slip_neg3(x0, x0);
        return local_glued(k, b, x0, x);
    }
    if (b[2] >= 0 || k->inv_nn == 0) { slip_zero3(x);  return SLIP_LOCAL_OPEN; }
    slip_mat3_vec(k->inv, b, x0);
    slip_neg3(x0, x0);
    if (x0[2] >= 0 && x0[0]*x0[0] + x0[1]*x0[1] <= k->mu*k->mu*x0[2]*x0[2]) {
        slip_copy3(x0, x);
        return SLIP_LOCAL_STICK;
    }
    local_slide(k, b, old, x0, 0, method, gamma, x);
    return SLIP_LOCAL_SLIDE;
}

/* A contact that slid the last time turns little: one Newton step on the quartic above, in the frame of the last
 * direction e. Repeated by the sweeps it is as good as the whole search, for a third of the time. 0 when it does not
 * apply. */
static int local_slide_near(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3])
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
    if (!(slope > 0) || !(S11 + s1*q0 < 0) || !(slip_abs(tau) < SLIP_R(0.1)) || !(q0 > SLIP_R(0.1))) return 0;
    q = normal/((1 - a1)*tau*tau + 2*a2*tau + q0);
    x[2] = q*(1 + tau*tau);
    q *= k->mu;
    x[0] = q*(c*(1 - tau*tau) - s*2*tau);
    x[1] = q*(s*(1 - tau*tau) + c*2*tau);
    return 1;
}

slip_local_case slip_local_ncp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3])
{
    slip_real x0[3];

    slip_mat3_vec(k->inv, b, x0);
    slip_neg3(x0, x0);
    if (!slip_is_finite(k->mu)) return local_glued(k, b, x0, x);
    if (b[2] >= 0 || k->inv_nn == 0) { slip_zero3(x);  return SLIP_LOCAL_OPEN; }
    if (x0[2] >= 0 && x0[0]*x0[0] + x0[1]*x0[1] <= k->mu*k->mu*x0[2]*x0[2]) {
        slip_copy3(x0, x);
        return SLIP_LOCAL_STICK;
    }
    if (!local_slide_near(k, b, old, x)) local_slide(k, b, NULL, x0, 1, SLIP_SLIDE_BISECTION, 0, x);
    return SLIP_LOCAL_SLIDE;
}
