/* Elementary functions with the same bits on every machine: a C library's own differ in the last place, from one
 * library to the next and with or without fused multiplication. Only what IEEE 754 and C define exactly is taken from
 * it: sqrt, fabs, floor, ceil, fmod, copysign, frexp, ldexp.
 *
 * Error below 1 unit in the last place. Special values are those of C99's annex F:
 * exp(-inf) = 0, log(0) = -inf, log(-1) = NaN, atan2 of signed zeros and infinities, pow(x, 0) = 1, and so on. No
 * errno, no floating-point exceptions are promised. */
#ifndef SLIP_BASE_ELEMENTARY_H
#define SLIP_BASE_ELEMENTARY_H

#include "base/real.h"

slip_real slip_exp(slip_real x);
slip_real slip_log(slip_real x);
slip_real slip_pow(slip_real x, slip_real y);
slip_real slip_cbrt(slip_real x);
slip_real slip_hypot(slip_real x, slip_real y);
slip_real slip_asin(slip_real x);
slip_real slip_acos(slip_real x);
slip_real slip_atan2(slip_real y, slip_real x);       /* the angle of (x, y) in [-pi, pi]                  */

#endif
