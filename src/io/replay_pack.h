/* The numbers of the page's binary form, little endian. */
#ifndef SLIP_IO_REPLAY_PACK_H
#define SLIP_IO_REPLAY_PACK_H

#include <stdint.h>

/* x in [lo, lo + extent] as 16 bits: off by extent/131070 at most. */
uint16_t slip_pack_unit(float x, float lo, float extent);

/* A unit quaternion by its three smaller components, 15 bits each and two bits for the largest: off by less than
 * 2e-4 rad. */
void slip_pack_quat(const float q[4], uint16_t out[3]);

/* A number as an IEEE half: 11 bits, too large becomes 65504. */
uint16_t slip_pack_half(float x);

/* A residual as one byte: 0 for less than 1e-20, else tenths of a decade. */
uint8_t slip_pack_decade(float x);

#endif
