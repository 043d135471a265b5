/* See elementary.h. */
#include "base/elementary.h"
#include "base/pair_sum.h"

/* ln 2 = hi + lo; hi has 32 bits (15 in float), so that k hi is exact for every exponent k. */
#define LN2_HI SLIP_TOL(0.6931471806019545, 0.693145751953125f)
#define LN2_LO SLIP_TOL(-4.2009150726810846e-11, 1.428606765330187e-06f)
#define EXP_MOST SLIP_TOL(709.782712893384, 88.72284f)         /* ln of the largest number                 */
#define EXP_LEAST SLIP_TOL(-745.1332191019412, -103.97208f)    /* half of the smallest one: less is 0      */

static int is_nan(slip_real x) { return x != x; }
static int is_infinite(slip_real x) { return slip_abs(x) > SLIP_REAL_MAX; }

/* ---- exponential and logarithm ------------------------------------------------------------------------------ */

/* e^(x + lo) = 2^k e^r with |r| <= ln(2)/2, where e^r = 1 + r + r^2/2! + ... + r^13/13!. */
static slip_real exp_of(slip_real x, slip_real lo)
{
    const slip_real k = slip_floor(x/(LN2_HI + LN2_LO) + SLIP_R(0.5));
    const slip_real first = x - k*LN2_HI, rest = lo - k*LN2_LO, r = first + rest, low = rest - (r - first);
    slip_real p = SLIP_R(1.6059043836821613e-10);              /* 1/13! */

    p = p*r + SLIP_R(2.0876756987868100e-09);
    p = p*r + SLIP_R(2.5052108385441720e-08);
    p = p*r + SLIP_R(2.7557319223985888e-07);
    p = p*r + SLIP_R(2.7557319223985893e-06);
    p = p*r + SLIP_R(2.4801587301587302e-05);
    p = p*r + SLIP_R(1.9841269841269841e-04);
    p = p*r + SLIP_R(1.3888888888888889e-03);
    p = p*r + SLIP_R(8.3333333333333332e-03);
    p = p*r + SLIP_R(4.1666666666666664e-02);
    p = p*r + SLIP_R(1.6666666666666666e-01);
    p = p*r + SLIP_R(0.5);
    return slip_ldexp(1 + (r + (low + r*r*p)), (int)k);
}

slip_real slip_exp(slip_real x)
{
    if (is_nan(x)) return x;
    if (x > EXP_MOST) return (slip_real)INFINITY;
    if (x < EXP_LEAST) return 0;
    return exp_of(x, 0);
}

/* x = m 2^k with m in [sqrt(1/2), sqrt(2)); returns m. */
static slip_real log_split(slip_real x, int *k)
{
    slip_real m = slip_frexp(x, k);

    if (m < SLIP_R(0.70710678118654752440)) {
        m *= 2;
        --*k;
    }
    return m;
}

/* 2 s^4/5 + 2 s^6/7 + ... with z = s^2: the rest of 2 atanh(s)/s behind 2 + 2 z/3; |s| <= 0.172. */
static slip_real log_rest(slip_real z)
{
    slip_real p = SLIP_R(2.0)/23;

    for (int i = 21; i >= 5; i -= 2) p = p*z + SLIP_R(2.0)/(slip_real)i;
    return z*z*p;
}

/* With m = 1 + f and s = f/(2 + f), ln m = 2 atanh s = f - f^2/2 + s (f^2/2 + 2 s^2/3 + 2 s^4/5 + ...). */
slip_real slip_log(slip_real x)
{
    slip_real f, s, z, half, k;
    int e;

    if (is_nan(x) || x < 0) return (slip_real)NAN;
    if (x == 0) return -(slip_real)INFINITY;
    if (is_infinite(x)) return x;
    f = log_split(x, &e) - 1;
    k = (slip_real)e;
    s = f/(2 + f);
    z = s*s;
    half = f*f/2;
    return k*LN2_HI - ((half - (s*(half + (SLIP_R(0.66666666666666666667)*z + log_rest(z))) + k*LN2_LO)) - f);
}

/* ln x to twice the digits, for x > 0: 2 s + 2 s^3/3 as pairs, the rest, below 2^-12 of it, as it is. */
static slip_pair log_pair(slip_real x)
{
    const slip_pair two_thirds = { SLIP_R(0.66666666666666666667), SLIP_TOL(3.700743415417188e-17, -1.9868215e-08f) };
    int e;
    const slip_real m = log_split(x, &e), f = m - 1, k = (slip_real)e;
    const slip_pair below = slip_pair_sum(2, f);
    const slip_real s0 = f/below.hi;
    const slip_pair back = slip_pair_product(s0, below.hi);
    const slip_pair s = slip_pair_quick_sum(s0, ((f - back.hi) - back.lo - s0*below.lo)/below.hi);
    const slip_pair z = slip_pair_mul(s, s), turns = slip_pair_quick_sum(k*LN2_HI, k*LN2_LO);
    slip_pair r = slip_pair_mul(z, two_thirds);

    r = slip_pair_add(r, slip_pair_sum(2, log_rest(z.hi)));
    return slip_pair_add(turns, slip_pair_mul(r, s));
}

/* x^y for finite x > 0: e^(y ln x), with the product to twice the digits, as the exponential multiplies its error. */
static slip_real pow_of(slip_real x, slip_real y)
{
    const slip_pair l = log_pair(x);
    slip_pair p;

    if (slip_abs(y) > SLIP_TOL(1e20, 1e12f)) y = slip_copysign(SLIP_TOL(1e20, 1e12f), y);  /* 0, 1 or infinity anyhow */
    p = slip_pair_product(y, l.hi);
    p.lo += y*l.lo;
    if (p.hi > 2*EXP_MOST) return (slip_real)INFINITY;
    if (p.hi < 2*EXP_LEAST) return 0;
    return exp_of(p.hi, p.lo);
}

slip_real slip_pow(slip_real x, slip_real y)
{
    const int whole = slip_floor(y) == y, odd = whole && slip_abs(slip_fmod(y, 2)) == 1;
    slip_real r;

    if (y == 0 || x == 1) return 1;
    if (is_nan(x) || is_nan(y)) return x + y;
    if (is_infinite(y) && slip_abs(x) == 1) return 1;
    if (x == 0 || is_infinite(x) || is_infinite(y)) {
        const int large = is_infinite(y) ? (slip_abs(x) > 1) == (y > 0) : is_infinite(x) == (y > 0);

        r = large ? (slip_real)INFINITY : 0;
        return odd ? slip_copysign(r, x) : r;
    }
    if (x < 0 && !whole) return (slip_real)NAN;
    r = pow_of(slip_abs(x), y);
    return x < 0 && odd ? -r : r;
}

/* ---- roots --------------------------------------------------------------------------------------------------- */

/* x = m 8^k with m in [1/8, 1): a parabola through m^(1/3), Newton's method, the last time with an exact residual. */
slip_real slip_cbrt(slip_real x)
{
    slip_real m, t;
    slip_pair square, cube;
    int e, k;

    if (x == 0 || is_nan(x) || is_infinite(x)) return x;
    m = slip_frexp(slip_abs(x), &e);
    k = (e + 3*400)/3 - 400 + ((e + 3*400)%3 != 0);             /* the least k with e <= 3 k             */
    m = slip_ldexp(m, e - 3*k);
    t = SLIP_R(0.397) + m*(SLIP_R(0.979) - m*SLIP_R(0.376));
    for (int i = 0; i < (int)SLIP_TOL(4, 3); ++i) t -= (t - m/(t*t))/3;
    square = slip_pair_product(t, t);
    cube = slip_pair_product(square.hi, t);
    t -= ((cube.hi - m) + (cube.lo + square.lo*t))/(3*square.hi);
    return slip_copysign(slip_ldexp(t, k), x);
}

/* sqrt(x^2 + y^2) from the squares to twice the digits, scaled by a power of two against overflow. */
slip_real slip_hypot(slip_real x, slip_real y)
{
    const slip_real most = slip_abs(x) > slip_abs(y) ? slip_abs(x) : slip_abs(y);
    slip_pair sum;
    slip_real r;
    int e;

    if (is_infinite(x) || is_infinite(y)) return (slip_real)INFINITY;
    if (is_nan(x) || is_nan(y)) return x + y;
    if (most == 0) return 0;
    (void)slip_frexp(most, &e);
    x = slip_ldexp(x, -e);
    y = slip_ldexp(y, -e);
    sum = slip_pair_add(slip_pair_product(x, x), slip_pair_product(y, y));
    r = slip_sqrt(sum.hi);
    {
        const slip_pair square = slip_pair_product(r, r);

        r += (((sum.hi - square.hi) - square.lo) + sum.lo)/(2*r);
    }
    return slip_ldexp(r, e);
}

/* ---- angles --------------------------------------------------------------------------------------------------- */

/* atan(i/8) as pairs */
static const slip_pair atan_eighths[9] = {
    { 0, 0 },
    { SLIP_R(0.12435499454676144), SLIP_TOL(-3.1253241424539383e-18, -1.240382241363136e-09f) },
    { SLIP_R(0.24497866312686414), SLIP_TOL(1.0698755618734451e-17, -3.1786777654474463e-09f) },
    { SLIP_R(0.35877067027057225), SLIP_TOL(-2.4623815582638635e-17, 1.7639498750554594e-09f) },
    { SLIP_R(0.4636476090008061),  SLIP_TOL(2.2698777452961687e-17, 5.01215868808913e-09f) },
    { SLIP_R(0.5585993153435624),  SLIP_TOL(-5.4556305485916264e-18, 2.2111597886009804e-08f) },
    { SLIP_R(0.6435011087932844),  SLIP_TOL(1.5834785051444286e-17, 5.868937336117597e-09f) },
    { SLIP_R(0.7188299996216245),  SLIP_TOL(-2.1478388444456983e-17, 1.0188335508587443e-08f) },
    { SLIP_R(0.7853981633974483),  SLIP_TOL(3.061616997868383e-17, -2.1855694143368964e-08f) },
};

/* The angle of (x, y) for 0 <= y <= x, x > 0, neither tiny nor huge: with c = i/8 nearest to y/x the angle is
 * atan c + atan u, u = (y - c x)/(x + c y), |u| <= 1/16, and atan u = u - u^3/3 + ... - u^15/15. */
static slip_pair atan_octant(slip_real y, slip_real x)
{
    const int i = (int)(8*(y/x) + SLIP_R(0.5));
    const slip_real c = (slip_real)i/8;
    const slip_pair cx = slip_pair_product(c, x), cy = slip_pair_product(c, y), below = slip_pair_sum(x, cy.hi);
    const slip_pair above = slip_pair_sum(y - cx.hi, -cx.lo);
    const slip_real u = above.hi/below.hi, z = u*u;
    const slip_pair back = slip_pair_product(u, below.hi);
    const slip_real lost = ((above.hi - back.hi) - back.lo + (above.lo - u*(below.lo + cy.lo)))/below.hi;
    slip_real p = SLIP_R(-1.0)/15;

    for (int j = 13; j >= 3; j -= 2) p = p*z + (j%4 == 1 ? SLIP_R(1.0) : SLIP_R(-1.0))/(slip_real)j;
    return slip_pair_add(atan_eighths[i], slip_pair_quick_sum(u, u*z*p + lost));
}

static slip_pair angle_less(slip_pair a, slip_pair b)
{
    b.hi = -b.hi;
    b.lo = -b.lo;
    return slip_pair_add(a, b);
}

/* The angle of (x, |y|) in [0, pi], neither of them NaN. */
static slip_pair angle_of(slip_real y, slip_real x)
{
    const slip_pair quarter = { SLIP_PI/2, SLIP_TOL(6.123233995736766e-17, -4.371138828673793e-8f) };
    const slip_pair half = { 2*quarter.hi, 2*quarter.lo };
    const int steep = slip_abs(y) > slip_abs(x), behind = slip_copysign(1, x) < 0;
    slip_real ax = slip_abs(x), ay = slip_abs(y);
    slip_pair a = { 0, 0 };
    int e;

    if (is_infinite(x) || is_infinite(y)) {
        ax = is_infinite(x) ? 1 : 0;
        ay = is_infinite(y) ? 1 : 0;
    }
    if (steep) {
        const slip_real swap = ax;

        ax = ay;
        ay = swap;
    }
    if (ay > ax*SLIP_REAL_EPS) {
        (void)slip_frexp(ax, &e);
        a = atan_octant(slip_ldexp(ay, -e), slip_ldexp(ax, -e));
    } else if (ay > 0) {
        a.hi = ay/ax;                                           /* tan u = u to rounding                 */
    }
    if (steep) a = angle_less(quarter, a);
    return behind ? angle_less(half, a) : a;
}

slip_real slip_atan2(slip_real y, slip_real x)
{
    if (is_nan(x) || is_nan(y)) return x + y;
    return slip_copysign(angle_of(y, x).hi, y);
}

/* sqrt(1 - x^2) */
static slip_pair other_leg(slip_real x)
{
    const slip_pair square = slip_pair_product(x, x), rest = slip_pair_sum(1, -square.hi);
    slip_pair w = { slip_sqrt(rest.hi), 0 };

    if (w.hi > 0) {
        const slip_pair back = slip_pair_product(w.hi, w.hi);

        w.lo = (((rest.hi - back.hi) - back.lo) + (rest.lo - square.lo))/(2*w.hi);
    }
    return w;
}

/* The angle of (w, |x|), w = w.hi + w.lo; on the unit circle it falls by |x| when w grows by 1. */
slip_real slip_asin(slip_real x)
{
    slip_pair w, a;

    if (!(slip_abs(x) <= 1)) return (slip_real)NAN;
    w = other_leg(x);
    a = angle_of(x, w.hi);
    return slip_copysign(a.hi + (a.lo - slip_abs(x)*w.lo), x);
}

slip_real slip_acos(slip_real x)
{
    slip_pair w, a;

    if (!(slip_abs(x) <= 1)) return (slip_real)NAN;
    w = other_leg(x);
    a = angle_of(w.hi, x);
    return a.hi + (a.lo + x*w.lo);
}
