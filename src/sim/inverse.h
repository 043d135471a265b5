/* Inverse dynamics of a whole world: the torques and contact forces that explain a motion, contacts found by geometry;
 * and the forward model that goes with them, so that each undoes the other (docs/inverse.md).
 *
 *   id-prox     tau = RNEA(q, v, (v_ref - v)/dt) - J' lambda/dt,  lambda from J v_ref by CR Alg. 2 (NCP or CCP)
 *   id-barrier  the same with Todorov's smooth, invertible contacts (TO): forces decay with distance
 *
 * Both leave torsional and rolling friction out, in either direction. */
#ifndef SLIP_SIM_INVERSE_H
#define SLIP_SIM_INVERSE_H

#include "sim/world.h"
#include "solvers/id.h"

typedef enum { SLIP_ID_PROX, SLIP_ID_BARRIER } slip_inverse_method;

typedef struct {
    slip_inverse_method method;          /* SLIP_ID_PROX                                                       */

    /* id-prox */
    slip_id_prox_options prox;           /* model, rho, tolerance                                              */
    slip_real push;                      /* normal force a touching rigid contact starts from [N]: 0. It is what an
                                            arm shall press with; a sliding contact keeps push/(1 + mu^2).     */
    slip_real touch;                     /* a rigid contact or limit whose gap ends the step within +-touch
                                            touches [m, rad]: 1e-3; 0: only as the step itself would have it   */
    slip_real still;                     /* slower than this is at rest [m/s, rad/s]: 1e-3; 0: exactly          */
    int redistribute;                    /* 1: choose among the impulses that explain the motion of rigid contacts
                                            those that leave least to unactuated joints: 1                      */
    /* id-barrier */
    slip_id_barrier_options barrier;     /* t, s                                                               */
    slip_real r_min, r_max, d_max;       /* R(d), TO eq. 24 [1/kg, 1/kg, m]: 0.01, 100, 0: the world's margin   */

    const unsigned char *actuated;       /* [nv] 0: no actuator on this coordinate; NULL: 0 for floating joints
                                            and those with an effort limit of 0                                 */
} slip_inverse_options;

/* The values above. */
slip_inverse_options slip_inverse_defaults(void);

typedef struct {
    slip_status status;
    int contacts, limits, loops;         /* blocks considered                                                  */
    int open, stick, slip;               /* contacts by state; id-barrier does not distinguish: all slip       */
    int iterations;                      /* of the contact-space inverse                                       */
    int diverged, worst;                 /* blocks whose motion no force explains, and one of them: a contact when
                                            below `contacts`; -1: none                                         */
    int elastic;                         /* id-barrier: some velocity is not allowed                           */
    slip_real residual;                  /* of the contact model, largest [m/s or N s]                         */
    slip_real unactuated_before;         /* largest unactuated |tau|, before and after redistribution           */
    slip_real unactuated;                /* [N, N m]: 0 when the motion is possible                             */
} slip_inverse_result;

/* Bytes of scratch that the two functions below need at most. */
size_t slip_inverse_bytes(const slip_world *world, const slip_inverse_options *opt);

/* tau [nv] that takes (q, v) to v_ref, the velocity slip_world_v() shows after one step of the world's dt. On
 * unactuated coordinates tau is the wrench that is missing for the motion. Drives are ignored: tau is their total
 * torque; dampers, friction in joints and slip_world_wrench() count. The world's state does not change, but its
 * contacts afterwards are those of q with the forces found (slip_contact_get()). opt NULL: defaults. scratch:
 * slip_inverse_bytes(). result may be NULL. SLIP_OK, SLIP_MAX_ITERS, SLIP_DROPPED (too many contacts). SLIP_DIVERGED:
 * part of the motion cannot be explained, it enters another body or (CCP) slides without lifting off; tau leaves those
 * contacts at `push`. SLIP_ERR_ARGUMENT, SLIP_ERR_NOT_SPD, SLIP_ERR_WORKSPACE: tau untouched; slip_world_error() has
 * the message. */
slip_status slip_inverse_dynamics(slip_world *world, const slip_real *q, const slip_real *v, const slip_real *v_ref,
                                  const slip_inverse_options *opt, slip_arena *scratch, slip_real *tau,
                                  slip_inverse_result *result);

/* Forward: q_next [nq] (or NULL) and v_next [nv] of one step under tau [nv], the losses and wrenches named above, with
 * the contact model of the options: ncp-admm (ccp-newton for the CCP) or ccp-barrier. touch, still, push and
 * redistribute are not read. The status is that of the solver. */
slip_status slip_forward_dynamics(slip_world *world, const slip_real *q, const slip_real *v, const slip_real *tau,
                                  const slip_inverse_options *opt, slip_arena *scratch, slip_real *q_next,
                                  slip_real *v_next, slip_inverse_result *result);

/* v [nv] that slip_world_v() shows after a step of dt from q0 to q1 by SLIP_EULER, for motions given by positions
 * alone. They belong to that integrator: forces act at the positions. With SLIP_MIDPOINT q1 - q0 is the mean of two
 * velocities. */
void slip_velocity_between(const slip_world *world, const slip_real *q0, const slip_real *q1, slip_real *v);

#endif
