/* Packing of numbers for the replay page; see replay_pack.h. The page's script unpacks in the same way. */
#include "io/replay_pack.h"
#include "base/elementary.h"

#include <math.h>
#include <string.h>

uint16_t slip_pack_unit(float x, float lo, float extent)
{
    const float u = extent > 0 ? (x - lo)/extent*65535.0f : 0.0f;

    return u > 0 ? u < 65535.0f ? (uint16_t)(u + 0.5f) : (uint16_t)65535u : (uint16_t)0u;
}

/* 15 bits for a component in [-1/sqrt2, 1/sqrt2]: those that are not the largest are no larger. */
#define PACK_ROOT_HALF 0.70710678118654752f

void slip_pack_quat(const float q[4], uint16_t out[3])
{
    int i, k = 0, big = 0;
    float sign;

    for (i = 1; i < 4; ++i)
        if (fabsf(q[i]) > fabsf(q[big])) big = i;
    sign = q[big] < 0 ? -1.0f : 1.0f;
    for (i = 0; i < 4; ++i) {
        float u;

        if (i == big) continue;
        u = (sign*q[i]/PACK_ROOT_HALF + 1)*16383.5f;
        out[k++] = (uint16_t)(u > 0 ? u < 32767.0f ? u + 0.5f : 32767.0f : 0.0f);
    }
    out[0] = (uint16_t)(out[0] | (big & 1) << 15);
    out[1] = (uint16_t)(out[1] | (big & 2) << 14);
}

uint16_t slip_pack_half(float x)
{
    const unsigned sign = x < 0 ? 0x8000u : 0u;
    float a = fabsf(x), scaled;
    int e;

    if (!(a < 65504.0f)) return (uint16_t)(sign | (a == a ? 0x7bffu : 0u));
    if (a < 6.103515625e-5f) return (uint16_t)(sign | (unsigned)(a*16777216.0f + 0.5f));   /* steps of 2^-24 */
    a = frexpf(a, &e);                                                                      /* a in [0.5, 1)  */
    scaled = (a*2 - 1)*1024.0f + 0.5f;
    return (uint16_t)(sign | (((unsigned)(e + 14) << 10) + (unsigned)scaled));
}

uint8_t slip_pack_decade(float x)
{
    const float decades = x > 0 ? (float)(slip_log((slip_real)x)*SLIP_R(0.43429448190325183)) : 0.0f;   /* 1/log 10 */
    const float d = x > 0 ? (decades + 20)*10 + 1 : 0.0f;

    return (uint8_t)(d > 0 ? d < 255.0f ? d + 0.5f : 255.0f : x > 0 || x == 0 ? 0.0f : 255.0f);
}
