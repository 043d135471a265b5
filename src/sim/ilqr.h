/* Receding-horizon control by iLQR over the steps of a world (docs/mpc.md): torques for the next N
 * steps that make a quadratic cost small, found by rolling the world out, differentiating its steps, contact included,
 * and sweeping back. No heap: all memory is taken when it is created.
 *
 *     slip_ilqr_create(world, &options, &mem, &loop);                once
 *     for (;;) {                                                     each control period
 *         slip_ilqr_iterate(loop, q, v, &cost);                      once or a few times, from the measured state
 *         u = slip_ilqr_torque(loop, 0);                             to the motors
 *         slip_ilqr_shift(loop);
 *     } */
#ifndef SLIP_SIM_ILQR_H
#define SLIP_SIM_ILQR_H

#include "sim/world.h"

typedef struct {
    int horizon;                     /* control periods that are looked ahead, N >= 1                              */
    int steps;                       /* steps of the world in each, >= 1: 1                                        */
    int nu;                          /* coordinates with a motor ...                                               */
    const int *iv;                   /* [nu] ... which, places in v                                                */
    const slip_real *effort;         /* [nu] largest torque [N m, N]; NULL: any                                    */
    const slip_real *q_ref, *v_ref;  /* [nq], [nv] where to be (v_ref NULL: 0), read at every call                 */
    const slip_real *u_ref;          /* [nu] torques that cost nothing, NULL: 0                                    */
    const slip_real *Q, *Q_end;      /* [2*nv] weights of q (-) q_ref and v - v_ref, in each period and at the end */
    const slip_real *R;              /* [nu] weights of torques, > 0                                               */
    slip_real eps;                   /* of slip_step_derivatives(): 1e-6 (float: 1e-4)                             */
    int tries;                       /* step lengths that are tried, 1, 1/2, 1/4, ...: 6                           */
} slip_ilqr_options;

slip_ilqr_options slip_ilqr_defaults(void);

typedef struct slip_ilqr slip_ilqr;

/* Bytes that slip_ilqr_create() takes from an arena. */
size_t slip_ilqr_bytes(const slip_world *world, const slip_ilqr_options *opt);

/* `world` is the loop's own: its state is overwritten; its drives, wrenches and materials count as they are. The arrays
 * of the options must outlive the loop. Torques begin at 0. SLIP_ERR_ARGUMENT, SLIP_ERR_WORKSPACE: *loop untouched. */
slip_status slip_ilqr_create(slip_world *world, const slip_ilqr_options *opt, slip_arena *mem, slip_ilqr **loop);

/* One iteration from the state (q, v): rolls out, differentiates, sweeps back, and keeps the new torques where they
 * cost less. cost (may be NULL): of the torques that are kept. SLIP_OK: they got better. SLIP_STALLED: no step length
 * did, they are as before. Steps that slip_step_derivatives() refuses are differenced. < 0: a step failed, as
 * slip_step() says; torques are as before. */
slip_status slip_ilqr_iterate(slip_ilqr *loop, const slip_real *q, const slip_real *v, slip_real *cost);

slip_real *slip_ilqr_torque(slip_ilqr *loop, int k);             /* [nu] of period k; may be written              */
const slip_real *slip_ilqr_gain(const slip_ilqr *loop, int k);   /* [nu][2*nv]: torque by the state's difference  */
const slip_real *slip_ilqr_position(const slip_ilqr *loop, int k);       /* [nq] planned, k = 0 .. N              */

/* Moves on by one period; the last torques are used once more. */
void slip_ilqr_shift(slip_ilqr *loop);

/* Steps since it was made that had an analytic derivative, and those that were differenced. */
void slip_ilqr_counts(const slip_ilqr *loop, long *analytic, long *differenced);

#endif
