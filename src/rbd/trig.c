/* See trig.h. */
#include "rbd/trig.h"

#ifdef SLIP_REAL_FLOAT
/* pi/2 in parts of at most 11 bits, the last one full: k P1 and k P2 are exact for |k| < 2^13 */
#define TRIG_P1 1.5703125f
#define TRIG_P2 4.837512969970703125e-4f
#define TRIG_P3 7.54978995489188216e-8f
#define TRIG_ROUND 12582912.0f                           /* 1.5 * 2^23: adding it rounds to an integer */
#else
/* pi/2 in parts of 33, 33 and 53 bits: k P1 and k P2 are exact for |k| < 2^20 */
#define TRIG_P1 1.57079632673412561417
#define TRIG_P2 6.07710050630396597660e-11
#define TRIG_P3 2.02226624879595063154e-21
#define TRIG_ROUND 6755399441055744.0                    /* 1.5 * 2^52 */
#endif

/* sin and cos of |r| <= pi/4: r - r^3/3! + ... , 1 - r^2/2! + ... */
static inline slip_real trig_sin_poly(slip_real r, slip_real z)
{
    slip_real p = SLIP_R(2.8114572543455206e-15);        /*  1/17! */

    p = p*z - SLIP_R(7.6471637318198164e-13);            /* -1/15! */
    p = p*z + SLIP_R(1.6059043836821613e-10);            /*  1/13! */
    p = p*z - SLIP_R(2.5052108385441720e-08);            /* -1/11! */
    p = p*z + SLIP_R(2.7557319223985893e-06);            /*  1/9!  */
    p = p*z - SLIP_R(1.9841269841269841e-04);            /* -1/7!  */
    p = p*z + SLIP_R(8.3333333333333332e-03);            /*  1/5!  */
    p = p*z - SLIP_R(1.6666666666666666e-01);            /* -1/3!  */
    return r + r*(z*p);
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
    p = p*z + SLIP_R(4.1666666666666664e-02);            /*  1/4!  */
    return 1 - (z/2 - z*(z*p));
}

void slip_sincos(int n, const slip_real *SLIP_RESTRICT x, slip_real *SLIP_RESTRICT c, slip_real *SLIP_RESTRICT s)
{
    int i, large = 0;

    for (i = 0; i < n; ++i) {
        const slip_real k = (x[i]*SLIP_R(0.63661977236758134308) + TRIG_ROUND) - TRIG_ROUND;   /* nearest to x/(pi/2) */
        const slip_real r = ((x[i] - k*TRIG_P1) - k*TRIG_P2) - k*TRIG_P3;
        const slip_real half = (k*SLIP_R(0.5) + TRIG_ROUND) - TRIG_ROUND;
        const slip_real odd = k - 2*half;                                        /* -1, 0 or 1            */
        const slip_real quarter = (half*SLIP_R(0.5) + TRIG_ROUND) - TRIG_ROUND;
        const slip_real flip = 1 - 2*slip_abs(half - 2*quarter);                 /* cos(half pi): 1 or -1 */
        const slip_real z = r*r, sr = trig_sin_poly(r, z), cr = trig_cos_poly(z);
        const slip_real swap = odd*odd, keep = 1 - swap;

        /* x = r + odd pi/2 + half pi; an odd quadrant swaps sine and cosine */
        s[i] = flip*(keep*sr + odd*cr);
        c[i] = flip*(keep*cr - odd*sr);
    }
    for (i = 0; i < n; ++i) large |= slip_abs(x[i]) > SLIP_TRIG_LIMIT;
    for (i = 0; large && i < n; ++i) {
        if (slip_abs(x[i]) <= SLIP_TRIG_LIMIT) continue;
        s[i] = slip_sin(x[i]);
        c[i] = slip_cos(x[i]);
    }
}
