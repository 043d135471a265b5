/* Sums and products without their rounding error, as a pair of reals: what their rounding lost is a real itself (Dekker
 * 1971, Knuth). Needs IEEE arithmetic that does not fuse products and sums behind our back: -ffp-contract=off. */
#ifndef SLIP_BASE_PAIR_SUM_H
#define SLIP_BASE_PAIR_SUM_H

#include "base/real.h"

typedef struct { slip_real hi, lo; } slip_pair;      /* hi + lo, |lo| at most half a unit in hi's last place */

static inline slip_pair slip_pair_sum(slip_real a, slip_real b)               /* a + b                       */
{
    const slip_real s = a + b, t = s - a;
    const slip_pair r = { s, (a - (s - t)) + (b - t) };

    return r;
}

static inline slip_pair slip_pair_quick_sum(slip_real a, slip_real b)         /* a + b where |a| >= |b|      */
{
    const slip_real s = a + b;
    const slip_pair r = { s, b - (s - a) };

    return r;
}

static inline slip_pair slip_pair_product(slip_real a, slip_real b)           /* a b; overflows beyond 2^996 (2^115) */
{
    const slip_real split = SLIP_TOL(134217729.0, 4097.0f);                   /* 2^27 + 1: halves of 26 bits */
    const slip_real ta = split*a, ah = ta - (ta - a), al = a - ah;
    const slip_real tb = split*b, bh = tb - (tb - b), bl = b - bh, p = a*b;
    const slip_pair r = { p, ((ah*bh - p) + ah*bl + al*bh) + al*bl };

    return r;
}

static inline slip_pair slip_pair_add(slip_pair a, slip_pair b)
{
    const slip_pair s = slip_pair_sum(a.hi, b.hi);

    return slip_pair_quick_sum(s.hi, s.lo + (a.lo + b.lo));
}

static inline slip_pair slip_pair_mul(slip_pair a, slip_pair b)
{
    const slip_pair p = slip_pair_product(a.hi, b.hi);

    return slip_pair_quick_sum(p.hi, p.lo + (a.hi*b.lo + a.lo*b.hi));
}

#endif
