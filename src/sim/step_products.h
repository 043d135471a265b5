/* The derivative of a step (step_derivatives.h) as products with vectors, without the matrix D: the step is
 * differentiated once, and each product costs about as much as one column of D. */
#ifndef SLIP_SIM_STEP_PRODUCTS_H
#define SLIP_SIM_STEP_PRODUCTS_H

#include "sim/step_derivatives.h"

/* What slip_step_forward() and slip_step_adjoint() read. */
typedef struct {
    slip_step_jacobian at;       /* sizes, columns and borders. D is NULL, except where the step was hit or struck:
                                    there products are those with it                                            */
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

#endif
