/* Inner kernels that the algorithms of rbd share. Inline, unchecked. */
#ifndef SLIP_RBD_KERNEL_PRIVATE_H
#define SLIP_RBD_KERNEL_PRIVATE_H

#include "rbd/passes.h"
#include "rbd/spatial.h"

/* The axis of a freedom: a column of its body's rotation. */
static inline void rbd_axis(const slip_pose *X, int column, slip_real z[3])
{
    z[0] = X->R[column];  z[1] = X->R[column + 3];  z[2] = X->R[column + 6];
}

/* Column of freedom d for a point at x: (velocity, angular velocity). */
static inline void rbd_column(const slip_model *m, const slip_data *data, int d, const slip_real x[3],
                              slip_real col[6])
{
    const slip_pose *X = &data->pose[m->dof_body[d]];
    slip_real z[3], r[3];

    rbd_axis(X, m->dof_axis[d], z);
    if (m->dof_angular[d]) {
        slip_sub3(x, X->p, r);
        slip_cross3(z, r, col);
        slip_copy3(z, col + 3);
    } else {
        slip_copy3(z, col);
        slip_zero3(col + 3);
    }
}

/* Whether n numbers are all finite; four sums, so that their latencies overlap. */
static inline int rbd_finite(const slip_real *x, int n)
{
    slip_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;

    for (; i + 4 <= n; i += 4) {
        s0 += x[i]*0;  s1 += x[i + 1]*0;  s2 += x[i + 2]*0;  s3 += x[i + 3]*0;
    }
    for (; i < n; ++i) s0 += x[i]*0;
    return (s0 + s1) + (s2 + s3) == 0;
}

/* Velocity of a joint: u of the body's origin, w angular, of the body relative to its parent, world axes,
 * from the velocities x of its freedoms. */
static inline void rbd_joint_motion(const slip_model *m, int body, const slip_pose *X, const slip_real *x,
                                    slip_real u[3], slip_real w[3])
{
    slip_real t[3];

    switch (m->type[body]) {
    case SLIP_JOINT_REVOLUTE:
    case SLIP_JOINT_CONTINUOUS: slip_zero3(u);  rbd_axis(X, 2, w);  slip_scale3(x[0], w, w);  break;
    case SLIP_JOINT_PRISMATIC:  slip_zero3(w);  rbd_axis(X, 2, u);  slip_scale3(x[0], u, u);  break;
    case SLIP_JOINT_PLANAR:
        slip_set3(x[0], x[1], 0, t);
        slip_mat3_vec(X->R, t, u);
        rbd_axis(X, 2, w);
        slip_scale3(x[2], w, w);
        break;
    case SLIP_JOINT_BALL:     slip_zero3(u);  slip_mat3_vec(X->R, x, w);  break;
    case SLIP_JOINT_FLOATING: slip_mat3_vec(X->R, x, u);  slip_mat3_vec(X->R, x + 3, w);  break;
    default:                  slip_zero3(u);  slip_zero3(w);  break;
    }
}

/* The other way: power of a force on the body along each of its freedoms, y_d = s_d . f. */
static inline void rbd_joint_force(const slip_model *m, int body, const slip_pose *X, const slip_real f[6],
                                   slip_real *y)
{
    slip_real t[3];

    switch (m->type[body]) {
    case SLIP_JOINT_REVOLUTE:
    case SLIP_JOINT_CONTINUOUS: y[0] = X->R[2]*f[3] + X->R[5]*f[4] + X->R[8]*f[5];  break;
    case SLIP_JOINT_PRISMATIC:  y[0] = X->R[2]*f[0] + X->R[5]*f[1] + X->R[8]*f[2];  break;
    case SLIP_JOINT_PLANAR:
        slip_mat3_tvec(X->R, f, t);
        y[0] = t[0];  y[1] = t[1];
        y[2] = X->R[2]*f[3] + X->R[5]*f[4] + X->R[8]*f[5];
        break;
    case SLIP_JOINT_BALL:     slip_mat3_tvec(X->R, f + 3, y);  break;
    case SLIP_JOINT_FLOATING: slip_mat3_tvec(X->R, f, y);  slip_mat3_tvec(X->R, f + 3, y + 3);  break;
    default: break;
    }
}

/* Whether q has a number that is not finite or a quaternion of zero length. */
int slip_q_is_invalid(const slip_model *m, const slip_real *q);

/* Poses of all bodies; the unchecked slip_kinematics(). */
void slip_kinematics_pass(const slip_model *m, slip_data *d, const slip_real *q);

/* d->own from the poses: CRBA and ABA need it, and it makes the Newton-Euler pass after them cheaper. */
void slip_own_inertia_pass(const slip_model *m, slip_data *d);

/* Velocities of the freedoms from those of the coordinates: v itself, or the expansion over mimic joints
 * into room[ndofs]. */
const slip_real *slip_expand(const slip_model *m, const slip_real *v, slip_real *room);

/* The transpose: forces on the freedoms gathered into tau[nv]. */
void slip_gather(const slip_model *m, const slip_real *y, slip_real *tau);

/* Angular velocities, accelerations and bias matrices of all bodies for given velocities x and
 * accelerations y of the freedoms (y NULL: zero), with gravity as an acceleration of the world, and the
 * forces f = I a + bias that each body alone needs, into d->force, less the wrench. */
void slip_newton_euler_pass(const slip_model *m, slip_data *d, const slip_real *x, const slip_real *y,
                            const slip_real *wrench);

#endif
