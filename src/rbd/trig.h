/* Sines and cosines of many angles at once.
 *
 * Branch-free, so a compiler turns the loop into vector code, and independent of libm, so that the same
 * angles give the same bits on every machine. Reduction by multiples of pi/2 split into three parts
 * (Cody and Waite 1980), then Taylor's series on [-pi/4, pi/4], whose remainder is below rounding.
 * Error below 1 unit in the last place within a turn, 2.5 up to SLIP_TRIG_LIMIT; larger angles go to libm. */
#ifndef SLIP_RBD_TRIG_H
#define SLIP_RBD_TRIG_H

#include "base/base.h"

#define SLIP_TRIG_LIMIT SLIP_TOL(1e5, 2e3)

/* c[i] = cos(x[i]), s[i] = sin(x[i]). The arrays must not overlap. */
void slip_sincos(int n, const slip_real *SLIP_RESTRICT x, slip_real *SLIP_RESTRICT c, slip_real *SLIP_RESTRICT s);

#endif
