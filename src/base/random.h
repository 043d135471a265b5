/* A small seeded generator: the same seed gives the same numbers on every machine.
 * PCG-XSH-RR 64/32 (O'Neill 2014): 64-bit linear congruence, 32-bit permuted output. */
#ifndef SLIP_BASE_RANDOM_H
#define SLIP_BASE_RANDOM_H

#include "base/real.h"

typedef struct { uint64_t state, stream; } slip_random;

/* The generator that the seed stands for: the same seed, the same numbers. */
slip_random slip_random_seed(uint64_t seed);
uint32_t    slip_random_bits(slip_random *rng);                                  /* 32 uniform bits */
int         slip_random_int(slip_random *rng, int lo, int hi);                   /* lo..hi, both in */
slip_real   slip_random_uniform(slip_random *rng, slip_real lo, slip_real hi);   /* [lo, hi)        */
slip_real   slip_random_normal(slip_random *rng);                                /* mean 0, var. 1  */
void        slip_random_unit3(slip_random *rng, slip_real u[3]);                 /* on the sphere   */
void        slip_random_quat(slip_random *rng, slip_real q[4]);                  /* uniform on SO3  */

#endif
