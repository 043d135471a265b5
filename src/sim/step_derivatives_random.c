/* The derivative of a step smoothed by chance: with x = (q, v), s a normal change of it and f the step, the mean of
 * f(x [+] s) over s is smooth wherever f jumps or has corners, and its derivative is the mean of f' where that
 * exists: but for the part that jumps of f would add, which samples do not see. */
#include "sim/step_smoothed.h"
#include "sim/step_derivatives_private.h"

#include <string.h>

size_t slip_step_smoothed_bytes(const slip_world *world)
{
    const size_t nv = (size_t)world->model->nv, nb = (size_t)world->model->nbodies;
    slip_arena count = slip_arena_counting();

    slip_arena_take(&count, slip_snapshot_bytes(world), 1);
    slip_arena_reals(&count, 2*nv*(5*nv + 7*nb) + nv);
    return slip_arena_needed(&count) + slip_step_jacobian_bytes(world);
}

/* Adds D of one sample, whose columns are those of the result; contacts have none. */
static void sd_add_sample(const slip_step_jacobian *J, slip_step_smoothed *result)
{
    int i;

    for (i = 0; i < 2*J->nv*J->columns; ++i) result->D[i] += J->D[i];
    result->samples += 1;
}

/* The columns' places; D of zeros. */
static slip_status sd_begin_mean(const slip_world *w, unsigned inputs, slip_arena *mem, slip_step_smoothed *r)
{
    const int nv = w->model->nv, nb = w->model->nbodies;
    const int sizes[7] = { nv, nv, nv, nv, nv, 6*nb, nb };
    const unsigned group[7] = { SLIP_BY_STATE, SLIP_BY_STATE, SLIP_BY_TAU, SLIP_BY_DRIVES, SLIP_BY_DRIVES,
                                SLIP_BY_WRENCH, SLIP_BY_DENSITY };
    int *const first[7] = { &r->q, &r->v, &r->tau, &r->q_ref, &r->v_ref, &r->wrench, &r->density }, i;

    r->nv = nv;
    r->columns = r->samples = r->without = 0;
    for (i = 0; i < 7; ++i) {
        *first[i] = inputs & group[i] ? r->columns : -1;
        r->columns += inputs & group[i] ? sizes[i] : 0;
    }
    r->D = slip_arena_reals(mem, 2*(size_t)nv*(size_t)r->columns);
    if (!r->D) return SLIP_ERR_WORKSPACE;
    memset(r->D, 0, 2*(size_t)nv*(size_t)r->columns*sizeof *r->D);
    return SLIP_OK;
}

slip_status slip_step_derivatives_randomised(slip_world *w, unsigned inputs, slip_real sigma_q, slip_real sigma_v,
                                             int samples, uint64_t seed, slip_arena *mem, slip_step_smoothed *result)
{
    const size_t begin = slip_arena_mark(mem), bytes = slip_snapshot_bytes(w);
    slip_random rng = slip_random_seed(seed);
    slip_status s = SLIP_OK;
    slip_real *change;
    void *saved;
    size_t mark;
    int k, i;

    if (inputs == 0 || inputs & SLIP_BY_MATERIAL || inputs > SLIP_BY_ALL)
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "inputs is %d: samples differ in their contacts, so that "
                         "there are no columns of materials", (int)inputs);
    if (samples < 1 || !(sigma_q >= 0) || !(sigma_v >= 0))
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "%d samples of standard deviations %g and %g", samples,
                         (double)sigma_q, (double)sigma_v);
    s = sd_begin_mean(w, inputs, mem, result);
    mark = slip_arena_mark(mem);
    saved = slip_arena_take(mem, bytes, 1);
    change = slip_arena_reals(mem, (size_t)w->model->nv);
    if (s != SLIP_OK || !saved || !change) {
        slip_arena_release(mem, begin);
        return SLIP_ERR_WORKSPACE;
    }
    slip_snapshot_save(w, saved);
    for (k = 0; k < samples && s != SLIP_ERR_WORKSPACE; ++k) {
        const size_t one = slip_arena_mark(mem);
        slip_step_jacobian J;

        slip_snapshot_restore(w, saved, bytes);
        for (i = 0; i < w->model->nv; ++i) change[i] = slip_random_normal(&rng);
        slip_integrate(w->model, w->state.q, change, sigma_q, w->state.q);
        for (i = 0; i < w->model->nv; ++i) w->state.v[i] += sigma_v*slip_random_normal(&rng);
        s = slip_step_derivatives(w, inputs, SLIP_REAL_EPS, mem, &J);
        if (s >= 0) sd_add_sample(&J, result);
        else result->without += 1;
        slip_arena_release(mem, one);
    }
    slip_snapshot_restore(w, saved, bytes);
    slip_arena_release(mem, s == SLIP_ERR_WORKSPACE ? begin : mark);
    if (s == SLIP_ERR_WORKSPACE) return s;
    for (i = 0; i < 2*result->nv*result->columns && result->samples > 0; ++i)
        result->D[i] /= (slip_real)result->samples;
    s = slip_step(w);
    if (s < 0) {
        slip_arena_release(mem, begin);
        return s;
    }
    return result->samples > 0 ? s : SLIP_DEGENERATE;
}
