/* Spatial algebra with classical velocities and accelerations.
 *
 * Every spatial quantity of a body is taken at the origin of its body frame, in world axes: a motion is
 * (velocity of the origin, angular velocity), a force is (force, moment about the origin). Moving to
 * another point then needs no rotation, only one cross product, and positions far from the world's
 * origin cost no digits. Accelerations are the classical ones: of the origin as a moving point.
 *
 * A rigid inertia is 10 numbers: m, h = m c (first moment), and the six of I about the same point. */
#ifndef SLIP_RBD_SPATIAL_H
#define SLIP_RBD_SPATIAL_H

#include "base/base.h"

/* Symmetric 3x3 as six numbers: xx xy xz yy yz zz. r = S x */
static inline void slip_sym3_vec(const slip_real S[6], const slip_real x[3], slip_real r[3])
{
    const slip_real a = S[0]*x[0] + S[1]*x[1] + S[2]*x[2];
    const slip_real b = S[1]*x[0] + S[3]*x[1] + S[4]*x[2];
    const slip_real c = S[2]*x[0] + S[4]*x[1] + S[5]*x[2];

    r[0] = a;  r[1] = b;  r[2] = c;
}

/* T = R S R', row by row of R S; T may be S. */
static inline void slip_sym3_rotate(const slip_real R[9], const slip_real S[6], slip_real T[6])
{
    const slip_real s0 = S[0], s1 = S[1], s2 = S[2], s3 = S[3], s4 = S[4], s5 = S[5];
    const slip_real a0 = R[0]*s0 + R[1]*s1 + R[2]*s2, a1 = R[0]*s1 + R[1]*s3 + R[2]*s4,
        a2 = R[0]*s2 + R[1]*s4 + R[2]*s5;
    const slip_real b0 = R[3]*s0 + R[4]*s1 + R[5]*s2, b1 = R[3]*s1 + R[4]*s3 + R[5]*s4,
        b2 = R[3]*s2 + R[4]*s4 + R[5]*s5;
    const slip_real c0 = R[6]*s0 + R[7]*s1 + R[8]*s2, c1 = R[6]*s1 + R[7]*s3 + R[8]*s4,
        c2 = R[6]*s2 + R[7]*s4 + R[8]*s5;

    T[0] = a0*R[0] + a1*R[1] + a2*R[2];
    T[1] = a0*R[3] + a1*R[4] + a2*R[5];
    T[2] = a0*R[6] + a1*R[7] + a2*R[8];
    T[3] = b0*R[3] + b1*R[4] + b2*R[5];
    T[4] = b0*R[6] + b1*R[7] + b2*R[8];
    T[5] = c0*R[6] + c1*R[7] + c2*R[8];
}

/* Rigid inertia turned into other axes: m, R h, R I R'. */
static inline void slip_inertia_rotate(const slip_real R[9], const slip_real in[10], slip_real out[10])
{
    out[0] = in[0];
    slip_mat3_vec(R, in + 1, out + 1);
    slip_sym3_rotate(R, in + 4, out + 4);
}

/* Adds an inertia taken at a point r away to one taken here: with u = h + m r/2,
 *   h += h' + m r,   I += I' + 2 (r . u) 1 - r u' - u r'. */
static inline void slip_inertia_add_shifted(const slip_real at_r[10], const slip_real r[3], slip_real here[10])
{
    const slip_real m = at_r[0], x = r[0], y = r[1], z = r[2];
    const slip_real mx = m*x, my = m*y, mz = m*z;
    const slip_real ux = at_r[1] + mx/2, uy = at_r[2] + my/2, uz = at_r[3] + mz/2;
    const slip_real xx = 2*x*ux, yy = 2*y*uy, zz = 2*z*uz;

    here[0] += m;
    here[1] += at_r[1] + mx;
    here[2] += at_r[2] + my;
    here[3] += at_r[3] + mz;
    here[4] += at_r[4] + (yy + zz);
    here[5] += at_r[5] - (x*uy + y*ux);
    here[6] += at_r[6] - (x*uz + z*ux);
    here[7] += at_r[7] + (xx + zz);
    here[8] += at_r[8] - (y*uz + z*uy);
    here[9] += at_r[9] + (xx + yy);
}

/* Force of a motion under a rigid inertia: f = m v + w x h,  n = I w + h x v. */
static inline void slip_inertia_vec(const slip_real I[10], const slip_real v[6], slip_real f[6])
{
    const slip_real *h = I + 1, *w = v + 3;
    slip_real t[3];

    slip_cross3(w, h, t);
    slip_axpy3(I[0], v, t, f);
    slip_sym3_vec(I + 4, w, f + 3);
    slip_cross3_add(h, v, f + 3);
}

/* A motion of the same body at a point r away: v + w x r, w. r may be out of one that moves with the body. */
static inline void slip_motion_shift(const slip_real v[6], const slip_real r[3], slip_real out[6])
{
    slip_real t[3];

    slip_cross3(v + 3, r, t);
    slip_add3(v, t, out);
    slip_copy3(v + 3, out + 3);
}

/* A force acting at a point r away, taken here: f, n + r x f. */
static inline void slip_force_shift(const slip_real at_r[6], const slip_real r[3], slip_real here[6])
{
    slip_real t[3];

    slip_cross3(r, at_r, t);
    slip_add3(at_r + 3, t, here + 3);
    slip_copy3(at_r, here);
}

/* Rigid inertia of a mass m with centre c and inertia Ic (xx xy xz yy yz zz) about the centre. */
void slip_inertia_from(slip_real m, const slip_real c[3], const slip_real Ic[6], slip_real out[10]);

/* The way back; a zero mass gives c = 0 and Ic = I. */
void slip_inertia_to(const slip_real in[10], slip_real *m, slip_real c[3], slip_real Ic[6]);

#endif
