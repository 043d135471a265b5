/* The mean of a step's derivative (step_derivatives.h) over random changes of its state. */
#ifndef SLIP_SIM_STEP_SMOOTHED_H
#define SLIP_SIM_STEP_SMOOTHED_H

#include "sim/step_derivatives.h"

/* The derivative of a smoothed problem, the mean of the step over random changes of q and v: the mean of D over
 * samples. It is not the derivative of the step; it exists where that has corners. Rows of q+ and v+ alone
 * [2*nv*columns]. */
typedef struct {
    int nv, columns;
    int q, v, tau, q_ref, v_ref, wrench, density;        /* first columns, -1 of those that were not asked for */
    slip_real *D;
    int samples, without;                                /* samples in the mean; those whose step has no derivative */
} slip_step_smoothed;

/* Memory for any step of a world [bytes]. */
size_t slip_step_smoothed_bytes(const slip_world *world);

/* `samples` steps from normal changes of q (tangent directions, standard deviation sigma_q [m, rad]) and of v
 * (sigma_v), drawn by the seed; then the step itself is taken, without a change. inputs as for
 * slip_step_derivatives(), but SLIP_BY_MATERIAL. The status is that of the step; SLIP_DEGENERATE: no sample has a
 * derivative; SLIP_ERR_ARGUMENT, SLIP_ERR_WORKSPACE: the world is as it was. */
slip_status slip_step_derivatives_randomised(slip_world *world, unsigned inputs, slip_real sigma_q, slip_real sigma_v,
                                             int samples, uint64_t seed, slip_arena *mem, slip_step_smoothed *result);

#endif
