/* Sines, cosines and tangents, of one angle or of many at once.
 *
 * Branch-free, so a compiler turns the loop over many angles into vector code, and independent of libm, so that the
 * same angles give the same bits on every machine. Reduction by multiples of pi/2 split into four parts (Cody and Waite
 * 1980), larger angles by the digits of 2/pi (Payne and Hanek 1983), then Taylor's series on [-pi/4, pi/4], whose
 * remainder is below rounding. Error of about 1 unit in the last place at most, for every finite angle. */
#ifndef SLIP_BASE_TRIG_H
#define SLIP_BASE_TRIG_H

#include "base/real.h"

/* c[i] = cos(x[i]), s[i] = sin(x[i]); both NaN where x[i] is not finite. The arrays must not overlap. */
void slip_sincos(int n, const slip_real *SLIP_RESTRICT x, slip_real *SLIP_RESTRICT c, slip_real *SLIP_RESTRICT s);

slip_real slip_sin(slip_real x);
slip_real slip_cos(slip_real x);
slip_real slip_tan(slip_real x);

#endif
