/* See random.h. */
#include "base/random.h"

#include "base/elementary.h"
#include "base/trig.h"
#include "base/vec.h"

static uint32_t pcg_step(slip_random *rng)
{
    const uint64_t s = rng->state;
    const uint32_t x = (uint32_t)(((s >> 18) ^ s) >> 27), r = (uint32_t)(s >> 59);

    rng->state = s*UINT64_C(6364136223846793005) + rng->stream;
    return (x >> r) | (x << ((32 - r) & 31));
}

slip_random slip_random_seed(uint64_t seed)
{
    slip_random rng;

    rng.state = 0;
    rng.stream = UINT64_C(0xda3e39cb94b95bdb);           /* any odd increment */
    pcg_step(&rng);
    rng.state += seed;
    pcg_step(&rng);
    return rng;
}

uint32_t slip_random_bits(slip_random *rng) { return pcg_step(rng); }

int slip_random_int(slip_random *rng, int lo, int hi)
{
    const uint32_t span = (uint32_t)hi - (uint32_t)lo + 1u;      /* 0 stands for 2^32 */

    if (hi < lo) return lo;
    /* Multiply-shift; its bias of span/2^32 is far below what any use here can see. */
    return span ? (int)((uint32_t)lo + (uint32_t)(((uint64_t)pcg_step(rng)*span) >> 32)) : (int)pcg_step(rng);
}

slip_real slip_random_uniform(slip_random *rng, slip_real lo, slip_real hi)
{
    const uint32_t a = pcg_step(rng) >> 5, b = pcg_step(rng) >> 6;             /* 27 + 26 = 53 bits */
    const double   u = ((double)a*67108864.0 + (double)b)/9007199254740992.0;  /* [0, 1)            */
    const slip_real x = lo + (hi - lo)*(slip_real)u;

    return x < hi ? x : lo;                              /* rounding may reach hi, in float above all */
}

slip_real slip_random_normal(slip_random *rng)
{
    int tries;

    /* Marsaglia's polar method accepts with probability pi/4: the chance of 64 refusals in a row is 1e-43. */
    for (tries = 0; tries < 64; ++tries) {
        const slip_real x = slip_random_uniform(rng, -1, 1), y = slip_random_uniform(rng, -1, 1);
        const slip_real s = x*x + y*y;

        if (s > 0 && s < 1) return x*slip_sqrt(-2*slip_log(s)/s);
    }
    return 0;
}

void slip_random_unit3(slip_random *rng, slip_real u[3])
{
    const slip_real z = slip_random_uniform(rng, -1, 1), a = slip_random_uniform(rng, 0, 2*SLIP_PI);
    const slip_real r = slip_sqrt(slip_max(0, 1 - z*z));

    slip_set3(r*slip_cos(a), r*slip_sin(a), z, u);
    if (!(slip_normalize3(u, u) > 0)) slip_set3(0, 0, 1, u);
}

void slip_random_quat(slip_random *rng, slip_real q[4])
{
    int i;

    for (i = 0; i < 4; ++i) q[i] = slip_random_normal(rng);
    slip_quat_normalize(q, q);
}
