/* Analytic derivatives of kinematics and dynamics (docs/derivatives.md).
 *
 * A change of q is a tangent vector e with nv numbers, laid out like v: q [+] e = slip_integrate(q, e, 1). Freedoms of
 * floating, ball and planar joints are in the axes of the child, as those of v. All matrices are row-major with nv
 * columns, one for each direction of q, v, a or tau; entries of freedoms of which neither is an ancestor of the other
 * are exactly 0 in the derivatives of inverse dynamics. Outputs must not overlap inputs or each other; NULL for those
 * that are not wanted. External wrenches are held fixed as the numbers that they are: force and moment about the body's
 * origin, in world axes. */
#ifndef SLIP_RBD_DERIVATIVES_H
#define SLIP_RBD_DERIVATIVES_H

#include "base/arena.h"
#include "rbd/dynamics.h"

/* Scratch of the two functions below, from the low end of their arena, given back when they return [bytes]. */
size_t slip_derivatives_bytes(const slip_model *model);

/* tau = rnea(q, v, a, wrench): dtau_dq, dtau_dv [nv*nv]. The third derivative, dtau_da, is the mass matrix, which is
 * left in data->M (slip_mass_matrix()). wrench [6*nbodies] or NULL. SLIP_ERR_ARGUMENT: an input is not finite;
 * SLIP_ERR_WORKSPACE: ws is too small. Outputs are untouched then. O(n d) for n freedoms in a tree of depth d. */
slip_status slip_rnea_derivatives(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v,
                                  const slip_real *a, const slip_real *wrench, slip_real *dtau_dq, slip_real *dtau_dv,
                                  slip_arena *ws);

/* a = aba(q, v, tau, wrench), a [nv] or NULL, and its derivatives da_dq, da_dv, da_dtau [nv*nv], the last M^-1. Leaves
 * M and its factor in data. As above, and SLIP_ERR_NOT_SPD when a joint has nothing to move. O(n^2 d). */
slip_status slip_aba_derivatives(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v,
                                 const slip_real *tau, const slip_real *wrench, slip_real *a, slip_real *da_dq,
                                 slip_real *da_dv, slip_real *da_dtau, slip_arena *ws);

/* Derivatives [6*nv] of a link's velocity J v and acceleration J a + (dJ/dt) v, as slip_link_jacobian() and
 * slip_link_jacobian_dot_v() define them in a frame: vel_dq, acc_dq, acc_dv. The others are J itself: vel_dv, acc_da,
 * and in SLIP_FRAME_LOCAL the derivative of the pose. Needs slip_velocities(), and slip_accelerations() for acc_dq. */
void slip_link_derivatives(const slip_model *model, const slip_data *data, int link, slip_frame frame,
                           slip_real *vel_dq, slip_real *acc_dq, slip_real *acc_dv);

/* Derivatives of the centre of mass, com_dq [3*nv], and of slip_momentum(), h_dq and h_dv [6*nv]; h_dv is the
 * centroidal momentum matrix. Needs slip_crba(); h_dq also slip_velocities() after it. The model has some mass. */
void slip_momentum_derivatives(const slip_model *model, slip_data *data, slip_real *com_dq, slip_real *h_dq,
                               slip_real *h_dv);

#endif
