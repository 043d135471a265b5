/* See trig.h. */
#include "base/pair_sum.h"
#include "base/trig.h"

#ifdef SLIP_REAL_FLOAT
/* pi/2 in parts of at most 11 bits, the last one full: k P1, k P2 and k P3 are exact for |k| < 2^13 */
#define TRIG_P1 1.5703125f
#define TRIG_P2 4.837512969970703125e-4f
#define TRIG_P3 7.549533620476723e-8f
#define TRIG_P4 2.5633440682570896e-12f
#define TRIG_ROUND 12582912.0f                           /* 1.5 * 2^23: adding it rounds to an integer */
#else
/* pi/2 in parts of 33, 33, 33 and 53 bits: k P1, k P2 and k P3 are exact for |k| < 2^20 */
#define TRIG_P1 1.5707963267341256
#define TRIG_P2 6.077100506303966e-11
#define TRIG_P3 2.0222662487111665e-21
#define TRIG_P4 8.4784276603689e-32
#define TRIG_ROUND 6755399441055744.0                    /* 1.5 * 2^52 */
#endif
#define TRIG_LIMIT SLIP_TOL(1e5, 2e3)                    /* |k| is below 2^17 (2^11) up to there       */

/* sin r = r + r z p(z), cos r = 1 - z/2 + z^2 q(z) with z = r^2, |r| <= pi/4: Taylor's p and q */
static inline slip_real trig_sin_poly(slip_real z)
{
    slip_real p = SLIP_R(2.8114572543455206e-15);        /*  1/17! */

    p = p*z - SLIP_R(7.6471637318198164e-13);            /* -1/15! */
    p = p*z + SLIP_R(1.6059043836821613e-10);            /*  1/13! */
    p = p*z - SLIP_R(2.5052108385441720e-08);            /* -1/11! */
    p = p*z + SLIP_R(2.7557319223985893e-06);            /*  1/9!  */
    p = p*z - SLIP_R(1.9841269841269841e-04);            /* -1/7!  */
    p = p*z + SLIP_R(8.3333333333333332e-03);            /*  1/5!  */
    return p*z - SLIP_R(1.6666666666666666e-01);         /* -1/3!  */
}

static inline slip_real trig_cos_poly(slip_real z)
{
    slip_real p = SLIP_R(-1.5619206968586225e-16);       /* -1/18! */

    p = p*z + SLIP_R(4.7794773323873853e-14);            /*  1/16! */
    p = p*z - SLIP_R(1.1470745597729725e-11);            /* -1/14! */
    p = p*z + SLIP_R(2.0876756987868100e-09);            /*  1/12! */
    p = p*z - SLIP_R(2.7557319223985888e-07);            /* -1/10! */
    p = p*z + SLIP_R(2.4801587301587302e-05);            /*  1/8!  */
    p = p*z - SLIP_R(1.3888888888888889e-03);            /* -1/6!  */
    return p*z + SLIP_R(4.1666666666666664e-02);         /*  1/4!  */
}

/* An angle as k pi/2 + r + lo, |r| <= pi/4, k an integer. */
typedef struct { slip_real k, r, lo; } trig_reduced;

static inline trig_reduced trig_reduce(slip_real x)              /* for |x| <= TRIG_LIMIT                 */
{
    const slip_real k = (x*SLIP_R(0.63661977236758134308) + TRIG_ROUND) - TRIG_ROUND;          /* nearest to x/(pi/2) */
    const slip_real first = x - k*TRIG_P1, second = k*TRIG_P2, third = k*TRIG_P3;
    const slip_real a = first - second, r = a - third;
    const trig_reduced out = { k, r, ((first - a) - second) + (((a - r) - third) - k*TRIG_P4) };

    return out;
}

/* The sine and cosine of a reduced angle; an odd k swaps them. */
static inline void trig_turn(trig_reduced a, slip_real *c, slip_real *s)
{
    const slip_real k = a.k, r = a.r, lo = a.lo;
    const slip_real half = (k*SLIP_R(0.5) + TRIG_ROUND) - TRIG_ROUND;
    const slip_real odd = k - 2*half;                                            /* -1, 0 or 1            */
    const slip_real quarter = (half*SLIP_R(0.5) + TRIG_ROUND) - TRIG_ROUND;
    const slip_real flip = 1 - 2*slip_abs(half - 2*quarter);                     /* cos(half pi): 1 or -1 */
    const slip_real z = r*r, sr = r + (r*(z*trig_sin_poly(z)) + lo*(1 - z/2));
    const slip_real cr = 1 - (z/2 - (z*(z*trig_cos_poly(z)) - r*lo));
    const slip_real swap = odd*odd, keep = 1 - swap;

    *s = flip*(keep*sr + odd*cr);
    *c = flip*(keep*cr - odd*sr);
}

/* ---- large angles ------------------------------------------------------------------------------------------ */

enum {
    TRIG_WORDS = 12,             /* of 16 bits: 192 bits of 2/pi leave an error of 2^-137 quarter turns       */
    TRIG_DIGITS = 76             /* words of 2/pi: the largest exponent, 1024, plus 192                       */
};

static const uint16_t trig_two_over_pi[TRIG_DIGITS] = {
    0xa2f9, 0x836e, 0x4e44, 0x1529, 0xfc27, 0x57d1, 0xf534, 0xddc0, 0xdb62, 0x9599, 0x3c43, 0x9041,
    0xfe51, 0x63ab, 0xdebb, 0xc561, 0xb724, 0x6e3a, 0x424d, 0xd2e0, 0x0649, 0x2eea, 0x09d1, 0x921c,
    0xfe1d, 0xeb1c, 0xb129, 0xa73e, 0xe882, 0x35f5, 0x2ebb, 0x4484, 0xe99c, 0x7026, 0xb45f, 0x7e41,
    0x3991, 0xd639, 0x8353, 0x39f4, 0x9c84, 0x5f8b, 0xbdf9, 0x283b, 0x1ff8, 0x97ff, 0xde05, 0x980f,
    0xef2f, 0x118b, 0x5a0a, 0x6d1f, 0x6d36, 0x7ecf, 0x27cb, 0x09b7, 0x4f46, 0x3f66, 0x9e5f, 0xea2d,
    0x7527, 0xbac7, 0xebe5, 0xf17b, 0x3d07, 0x39f7, 0x8a52, 0x92ea, 0x6bfb, 0x5fb1, 0x1f8d, 0x5d08,
    0x5603, 0x3046, 0xfc7b, 0x6bab
};

/* The 16 binary digits of 2/pi behind the first `at`, which may be negative: zeros. */
static uint32_t trig_digits(int at)
{
    const int word = at >= 0 ? at/16 : -((15 - at)/16), shift = at - 16*word;
    const uint32_t high = word >= 0 && word < TRIG_DIGITS ? trig_two_over_pi[word] : 0;
    const uint32_t low = word + 1 >= 0 && word + 1 < TRIG_DIGITS ? trig_two_over_pi[word + 1] : 0;

    return ((high << 16 | low) >> (16 - shift)) & 0xffff;
}

/* x = m 2^e with m an integer, so that x/(pi/2) = m 2^e (2/pi). Of 2/pi the digits whose product with 2^e is a multiple
 * of four turn full circles and are left out. Of the product's 192 bits the two highest then count the quarter turns
 * and the others are the fraction, exact to 2^-137. */
static trig_reduced trig_reduce_large(slip_real x)
{
    const slip_pair quarter = { SLIP_PI/2, SLIP_TOL(6.123233995736766e-17, -4.371138828673793e-8) };
    enum { DIGITS = sizeof(slip_real) == sizeof(double) ? 4 : 2, BITS = DIGITS == 4 ? 53 : 24 };
    uint32_t product[TRIG_WORDS] = { 0 };                                        /* lowest first          */
    trig_reduced out = { 0, x - x, 0 };                                          /* NaN if x is not finite */
    slip_pair f = { 0, 0 };
    slip_real m;
    uint32_t quadrant, digit[DIGITS];                                            /* of m, lowest first     */
    int e, negative;

    if (!(slip_abs(x) <= SLIP_REAL_MAX)) return out;
    m = slip_ldexp(slip_frexp(slip_abs(x), &e), BITS - 16*(DIGITS - 1));
    e -= BITS;
    for (int j = DIGITS - 1; j >= 0; --j) {                                      /* exact, without 64 bits */
        digit[j] = (uint32_t)m;
        m = 65536*(m - (slip_real)digit[j]);
    }
    for (int j = 0; j < DIGITS; ++j) {
        uint32_t carry = 0;

        for (int i = 0; i + j < TRIG_WORDS; ++i) {
            const uint32_t digits = trig_digits(e - 2 + 16*(TRIG_WORDS - 1 - i));

            carry += product[i + j] + digit[j]*digits;                           /* below 2^32            */
            product[i + j] = carry & 0xffff;
            carry >>= 16;
        }
    }
    quadrant = product[TRIG_WORDS - 1] >> 14;
    negative = (product[TRIG_WORDS - 1] >> 13 & 1) != 0;                         /* more than half a quarter */
    product[TRIG_WORDS - 1] &= 0x3fff;
    if (negative) {                                                              /* 1 - fraction          */
        uint32_t carry = 1;

        ++quadrant;
        for (int i = 0; i < TRIG_WORDS; ++i) {
            carry += ~product[i] & 0xffff;
            product[i] = carry & (i == TRIG_WORDS - 1 ? 0x3fff : 0xffff);
            carry >>= 16;
        }
    }
    for (int i = TRIG_WORDS - 1; i >= 0; --i) {
        const slip_pair sum = slip_pair_quick_sum(f.hi, slip_ldexp((slip_real)product[i], 16*(i - TRIG_WORDS) + 2));

        f.hi = sum.hi;
        f.lo += sum.lo;
    }
    f = slip_pair_mul(f, quarter);
    out.k = x < 0 ? -(slip_real)quadrant : (slip_real)quadrant;
    out.r = negative == (x < 0) ? f.hi : -f.hi;
    out.lo = negative == (x < 0) ? f.lo : -f.lo;
    return out;
}

/* ---- the functions ----------------------------------------------------------------------------------------- */

void slip_sincos(int n, const slip_real *SLIP_RESTRICT x, slip_real *SLIP_RESTRICT c, slip_real *SLIP_RESTRICT s)
{
    int large = 0;

    for (int i = 0; i < n; ++i) trig_turn(trig_reduce(x[i]), c + i, s + i);
    for (int i = 0; i < n; ++i) large |= !(slip_abs(x[i]) <= TRIG_LIMIT);
    for (int i = 0; large && i < n; ++i)
        if (!(slip_abs(x[i]) <= TRIG_LIMIT)) trig_turn(trig_reduce_large(x[i]), c + i, s + i);
}

slip_real slip_sin(slip_real x)
{
    slip_real c, s;

    slip_sincos(1, &x, &c, &s);
    return s;
}

slip_real slip_cos(slip_real x)
{
    slip_real c, s;

    slip_sincos(1, &x, &c, &s);
    return c;
}

/* The quotient of pairs: sin = r + ..., cos = 1 - r^2/2 + ..., each with what its rounding lost. */
slip_real slip_tan(slip_real x)
{
    const trig_reduced a = slip_abs(x) <= TRIG_LIMIT ? trig_reduce(x) : trig_reduce_large(x);
    const slip_pair z = slip_pair_product(a.r, a.r), one = slip_pair_quick_sum(1, -z.hi/2);
    const slip_real c4 = trig_cos_poly(z.hi), s3 = trig_sin_poly(z.hi);
    const slip_pair s = slip_pair_quick_sum(a.r, a.r*(z.hi*s3) + a.lo*(1 - z.hi/2));
    const slip_pair c = slip_pair_quick_sum(one.hi, one.lo + (z.hi*(z.hi*c4) - z.lo/2 - a.r*a.lo));
    const int odd = a.k - 2*slip_floor(a.k/2) > 0;
    const slip_pair above = odd ? c : s, below = odd ? s : c;
    const slip_real q = above.hi/below.hi;
    const slip_pair back = slip_pair_product(q, below.hi);
    const slip_real t = q + (((above.hi - back.hi) - back.lo) + (above.lo - q*below.lo))/below.hi;

    return odd ? -t : t;
}
