/* The judge beyond residual.h: laws by model, the measure by which iterates are compared, internal forces. */
#ifndef SLIP_CONTACT_RESIDUAL_OPS_H
#define SLIP_CONTACT_RESIDUAL_OPS_H

#include "contact/residual.h"

/* The bits SLIP_SIGNORINI ... that a solution of the model obeys. */
unsigned slip_contact_model_laws(slip_contact_model model);

/* eps_p, eps_d, eps_c of contact i under RaiSim's model, with `lambda` and `sigma` of this contact and the largest
 * impulse of all (residual_raisim.c). */
void slip_raisim_residual(const slip_problem *p, int i, slip_real lambda_max, const slip_real lambda[3],
                          const slip_real sigma[3], slip_real eps[3]);

static inline int slip_tol_is_relative(slip_tol_rule rule)
{
    return rule == SLIP_TOL_RELATIVE || rule == SLIP_TOL_BOTH;
}

/* How many times the residual exceeds 0.999 of the tolerance: <= 1 means solved, also for another judge whose sums
 * round differently. Iterates are compared by this number. */
slip_real slip_residual_excess(const slip_residual *r, slip_real tol, slip_tol_rule rule);

/* The internal part itself: x (n) = lambda minus its part in the range of G. SLIP_ERR_WORKSPACE otherwise. */
slip_status slip_internal_forces(const slip_problem *p, const slip_real *lambda, slip_real *x, slip_arena *arena);

#endif
