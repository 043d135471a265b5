/* See hostile.h. */
#include "hostile.h"

#include <string.h>

hostile hostile_begin(const slip_real *q, const slip_real *v, slip_real speed, int every)
{
    hostile h;

    memset(&h, 0, sizeof h);
    h.random = slip_random_seed(18);
    h.q = q;
    h.v = v;
    h.speed = speed;
    h.every = every;
    return h;
}

void hostile_restart(const hostile *h, slip_world *world)
{
    const slip_model *m = slip_world_model(world);

    memcpy(slip_world_q(world), h->q, (size_t)m->nq*sizeof *h->q);
    memcpy(slip_world_v(world), h->v, (size_t)m->nv*sizeof *h->v);
}

int hostile_before(hostile *h, slip_world *world)
{
    const slip_model *m = slip_world_model(world);
    slip_real *q = slip_world_q(world), *v = slip_world_v(world);
    int i;

    if (++h->steps % h->every != 0) return 0;
    ++h->changes;
    if (h->changes % 3 != 1) hostile_restart(h, world);
    if (h->changes % 3 == 0) {
        for (i = 0; i < m->nv; ++i) v[i] = slip_random_uniform(&h->random, -h->speed, h->speed);
        slip_integrate(m, q, v, SLIP_R(0.05), q);
        memcpy(v, h->v, (size_t)m->nv*sizeof *v);
    }
    for (i = 0; i < m->nv; ++i) v[i] += slip_random_uniform(&h->random, -h->speed, h->speed);
    return 1;
}
