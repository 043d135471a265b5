/* Poses and rotations: where frames are, and how files write it.
 *
 * Rotation matrices are slip_real[9], row-major; quaternions slip_real[4] in the order x y z w, rotating body
 * coordinates to the outer frame; vectors slip_real[3]. Inputs come first, outputs last; an output may be one of the
 * inputs. Nothing here fails: numbers that are not finite give results that are not. vec.h has the rest of the small
 * algebra. */
#ifndef SLIP_BASE_POSE_H
#define SLIP_BASE_POSE_H

#include "base/real.h"

/* A frame b seen from a frame a: x_a = R x_b + p. */
typedef struct {
    slip_real R[9];   /* rotation, row-major                */
    slip_real p[3];   /* origin of b, in a's axes       [m] */
} slip_pose;

/* b is a: no rotation, no displacement. */
static inline void slip_pose_identity(slip_pose *X)
{
    static const slip_pose identity = { { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, { 0, 0, 0 } };

    *X = identity;
}

/* x_a = X x_b [m] */
static inline void slip_pose_point(const slip_pose *X, const slip_real x[3], slip_real r[3])
{
    const slip_real *R = X->R, a = x[0], b = x[1], c = x[2];

    r[0] = R[0]*a + R[1]*b + R[2]*c + X->p[0];
    r[1] = R[3]*a + R[4]*b + R[5]*c + X->p[1];
    r[2] = R[6]*a + R[7]*b + R[8]*c + X->p[2];
}

/* X_ac = X_ab X_bc */
static inline void slip_pose_mul(const slip_pose *X_ab, const slip_pose *X_bc, slip_pose *X_ac)
{
    slip_pose X;
    int i;

    slip_pose_point(X_ab, X_bc->p, X.p);
    for (i = 0; i < 9; i += 3) {
        const slip_real *A = X_ab->R + i, *B = X_bc->R;

        X.R[i]     = A[0]*B[0] + A[1]*B[3] + A[2]*B[6];
        X.R[i + 1] = A[0]*B[1] + A[1]*B[4] + A[2]*B[7];
        X.R[i + 2] = A[0]*B[2] + A[1]*B[5] + A[2]*B[8];
    }
    *X_ac = X;
}

/* X_ba = X_ab^-1 */
static inline void slip_pose_inverse(const slip_pose *X_ab, slip_pose *X_ba)
{
    const slip_pose X = *X_ab;
    int i;

    for (i = 0; i < 3; ++i) {
        X_ba->R[3*i] = X.R[i];  X_ba->R[3*i + 1] = X.R[3 + i];  X_ba->R[3*i + 2] = X.R[6 + i];
        X_ba->p[i] = -(X.R[i]*X.p[0] + X.R[3 + i]*X.p[1] + X.R[6 + i]*X.p[2]);
    }
}

/* R of a unit quaternion; exact to rounding even when |q| is off by some eps, as it divides by |q|^2. */
static inline void slip_quat_to_mat3(const slip_real q[4], slip_real R[9])
{
    const slip_real x = q[0], y = q[1], z = q[2], w = q[3];
    const slip_real s = 2/(x*x + y*y + z*z + w*w);
    const slip_real sx = s*x, sy = s*y, sz = s*z;
    const slip_real xx = sx*x, yy = sy*y, zz = sz*z, xy = sx*y, xz = sx*z, yz = sy*z;
    const slip_real wx = sx*w, wy = sy*w, wz = sz*w;

    R[0] = 1 - (yy + zz);  R[1] = xy - wz;        R[2] = xz + wy;
    R[3] = xy + wz;        R[4] = 1 - (xx + zz);  R[5] = yz - wx;
    R[6] = xz - wy;        R[7] = yz + wx;        R[8] = 1 - (xx + yy);
}

/* A pose from a position [m] and a quaternion of any non-zero length. */
static inline void slip_pose_from(const slip_real p[3], const slip_real q[4], slip_pose *X)
{
    slip_quat_to_mat3(q, X->R);
    X->p[0] = p[0];  X->p[1] = p[1];  X->p[2] = p[2];
}

/* The unit quaternion of a rotation matrix, w >= 0; largest component first, so never ill-conditioned. */
void slip_mat3_to_quat(const slip_real R[9], slip_real q[4]);

/* r = q/|q|, w's sign kept; returns |q|. A zero or non-finite q gives the identity and returns 0. */
slip_real slip_quat_normalize(const slip_real q[4], slip_real r[4]);

/* URDF's fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll) [rad]. */
void slip_mat3_from_rpy(const slip_real rpy[3], slip_real R[9]);
void slip_mat3_to_rpy(const slip_real R[9], slip_real rpy[3]);

#endif
