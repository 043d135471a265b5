/* What the derivatives of inverse and forward dynamics share: the passes of rnea_derivatives.c over the freedoms of all
 * joints, and their scratch. */
#ifndef SLIP_RBD_DERIVATIVES_PRIVATE_H
#define SLIP_RBD_DERIVATIVES_PRIVATE_H

#include "rbd/derivatives.h"

enum { DERIV_INERTIA = 22, DERIV_WRENCH = 12 };

/* Spatial vectors (velocity of the point of the body that is at O; angular), (force; moment about O), world axes. O is
 * one point for each tree, the origin of its root body in the state of the call. */
typedef struct {
    int n, stride;           /* freedoms; numbers from plane to plane, and columns of each half of T            */
    int *end;                /* [nbodies]    first freedom after the body's subtree                             */
    slip_real *r;            /* [3*nbodies]  origin less O [m]                                                  */
    slip_real *v, *a, *f;    /* [6*nbodies]  velocity, acceleration, force of the subtree                       */
    slip_real *c;            /* [6*nbodies]  acceleration by velocities of the joint alone                      */
    slip_real *own;          /* [10*nbodies] inertia of the body at O                                           */
    slip_real *gyro;         /* [6*nbodies]  v x* I v of the body                                               */
    slip_real *subtree;      /* [DERIV_INERTIA*nbodies] sums over subtrees: I (10), p (3), G (9)                */
    slip_real *turned;       /* [DERIV_WRENCH*nbodies]  sums over subtrees: F (3), W (9) of the wrenches        */
    slip_real *S, *dS, *ddS, *bar;   /* [6*n] S, psi', psi'', psi' + S' of each freedom                         */
    slip_real *IS, *BS, *WS, *Fq, *Fv;   /* planes [6, 3, 3, 6, 6][stride], one number of all freedoms each     */
    slip_real *x;            /* [n]                                                                             */
    slip_real *T;            /* [n + LANES - 1][2][stride] rows of dtau_dq and of dtau_dv, over the freedoms     */
    slip_real *R;            /* [nv][2][stride] the same over the coordinates; T itself without mimic joints    */
} slip_deriv;

/* Takes the scratch from the low end of ws, which is as before when it does not fit: SLIP_ERR_WORKSPACE. */
slip_status slip_deriv_carve(const slip_model *m, slip_arena *ws, slip_deriv *w);

/* Whatever does not depend on accelerations, from poses and velocities x of the freedoms, wrench or NULL; and M. */
void slip_deriv_velocities(const slip_model *m, slip_data *d, const slip_real *x, const slip_real *wrench,
                           slip_deriv *w);

/* Accelerations, and forces of subtrees, at accelerations y of the freedoms (NULL: zero). */
void slip_deriv_forces(const slip_model *m, const slip_real *y, const slip_real *wrench, slip_deriv *w);

/* T and R. */
void slip_deriv_matrices(const slip_model *m, const slip_real *wrench, slip_deriv *w);

#endif
