/* The algorithms of dynamics.h for many states of one model at once: a lane of a vector register each.
 *
 * States are arrays one after the other: q [n*nq], v, a, tau [n*nv]. Results are those of the functions for one
 * state, to rounding, and a state's result does not depend on the states beside it, to the bit. Models with mimic
 * joints go one state after the other. SLIP_ERR_ARGUMENT for NaN, infinity or a quaternion of zero length in a state,
 * and a negative n; then results of states before its vector (slip_batch_lanes()) are written, the others untouched.
 * Outputs may not alias inputs, but tau and a may. */
#ifndef SLIP_RBD_BATCH_H
#define SLIP_RBD_BATCH_H

#include "rbd/dynamics.h"

/* Scratch for one thread; the number of states is not bounded by it. */
typedef struct slip_batch slip_batch;

/* Bytes that slip_batch_create() takes from an arena, room for alignment included. */
size_t slip_batch_bytes(const slip_model *model);

/* From the low end of mem; the model must outlive it. SLIP_ERR_WORKSPACE: *batch and mem are as before. */
slip_status slip_batch_create(const slip_model *model, slip_arena *mem, slip_batch **batch);

/* States that are computed together, as many as a vector register of the machine that is compiled for holds: 2, 4 or 8
 * doubles, twice as many floats; 1 with compilers without vectors. */
int slip_batch_lanes(void);

/* pose [n*nbodies]: body frames in the world, the world's own first. */
slip_status slip_batch_kinematics(slip_batch *batch, int n, const slip_real *q, slip_pose *pose);

/* tau = M a + nle(q, v). a NULL: 0. */
slip_status slip_batch_rnea(slip_batch *batch, int n, const slip_real *q, const slip_real *v, const slip_real *a,
                            slip_real *tau);

/* M [n*branches.size], packed as model->branches says; its padding is 0. */
slip_status slip_batch_crba(slip_batch *batch, int n, const slip_real *q, slip_real *M);

/* a = M^-1 (tau - nle). SLIP_ERR_NOT_SPD, likewise, when a joint of some state has nothing to move. */
slip_status slip_batch_aba(slip_batch *batch, int n, const slip_real *q, const slip_real *v, const slip_real *tau,
                           slip_real *a);

#endif
