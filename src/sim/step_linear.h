/* The derivative of a step (step_derivatives.h) in other forms: products with vectors, forward and adjoint, and the mean
 * over random changes of the state. */
#ifndef SLIP_SIM_STEP_LINEAR_H
#define SLIP_SIM_STEP_LINEAR_H

#include "sim/step_derivatives.h"

/* The same derivative as products with vectors, without D: the step is differentiated once, and each product costs
 * about as much as one column. */
typedef struct {
    slip_step_jacobian at;       /* as above; D is NULL, but where the step was hit or struck: then it is there, and
                                    products are those with it                                                   */
    void *inside;
} slip_step_linear;

/* Memory for any step of a world, of which slip_step_linearize() keeps the most. */
size_t slip_step_linear_bytes(const slip_world *world);

/* As slip_step_derivatives(), with at.left = 0. `result` holds as long as mem and the world's model do, whatever the
 * world does next; it is for one thread at a time, since products use its scratch. Negative: mem is as it was. */
slip_status slip_step_linearize(slip_world *world, unsigned inputs, slip_real eps, slip_arena *mem,
                                slip_step_linear *result);

/* out [rows] = D change, change [columns]: how the result changes. */
void slip_step_forward(const slip_step_linear *linear, const slip_real *change, slip_real *out);

/* out [columns] = D' weight, weight [rows]: the gradient by all inputs of a function whose gradient by the step's
 * result is `weight` (by q+ as a tangent vector). */
void slip_step_adjoint(const slip_step_linear *linear, const slip_real *weight, slip_real *out);

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
 * (sigma_v), drawn by the seed; then the step itself is taken, without a change. inputs as above but
 * SLIP_BY_MATERIAL. The status is that of the step; SLIP_DEGENERATE: no sample has a derivative; SLIP_ERR_ARGUMENT,
 * SLIP_ERR_WORKSPACE: the world is as it was. */
slip_status slip_step_derivatives_randomised(slip_world *world, unsigned inputs, slip_real sigma_q, slip_real sigma_v,
                                             int samples, uint64_t seed, slip_arena *mem, slip_step_smoothed *result);

#endif
