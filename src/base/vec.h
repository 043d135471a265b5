/* Small vectors, 3x3 matrices and quaternions, inline; poses are in pose.h.
 *
 * Vectors are slip_real[3]; matrices slip_real[9], row-major; quaternions slip_real[4] in the order
 * x y z w, unit, rotating body coordinates to the outer frame. Inputs come first, outputs last.
 * An output may be one of the inputs everywhere here. */
#ifndef SLIP_BASE_VEC_H
#define SLIP_BASE_VEC_H

#include "base/pose.h"

/* ---- numbers --------------------------------------------------------------------------------- */

static inline slip_real slip_min(slip_real a, slip_real b) { return a < b ? a : b; }
static inline slip_real slip_max(slip_real a, slip_real b) { return a > b ? a : b; }
static inline slip_real slip_clamp(slip_real x, slip_real lo, slip_real hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Neither NaN nor infinite. Written so that -ffast-math style assumptions are not needed or used. */
static inline int slip_is_finite(slip_real x) { return x - x == 0; }

/* ---- 3-vectors ------------------------------------------------------------------------------- */

static inline void slip_set3(slip_real x, slip_real y, slip_real z, slip_real r[3]) { r[0] = x; r[1] = y; r[2] = z; }
static inline void slip_zero3(slip_real r[3]) { r[0] = 0; r[1] = 0; r[2] = 0; }
static inline void slip_copy3(const slip_real a[3], slip_real r[3]) { r[0] = a[0]; r[1] = a[1]; r[2] = a[2]; }
static inline void slip_neg3(const slip_real a[3], slip_real r[3]) { r[0] = -a[0]; r[1] = -a[1]; r[2] = -a[2]; }

static inline void slip_add3(const slip_real a[3], const slip_real b[3], slip_real r[3])
{
    r[0] = a[0] + b[0];  r[1] = a[1] + b[1];  r[2] = a[2] + b[2];
}

static inline void slip_sub3(const slip_real a[3], const slip_real b[3], slip_real r[3])
{
    r[0] = a[0] - b[0];  r[1] = a[1] - b[1];  r[2] = a[2] - b[2];
}

static inline void slip_scale3(slip_real s, const slip_real a[3], slip_real r[3])
{
    r[0] = s*a[0];  r[1] = s*a[1];  r[2] = s*a[2];
}

/* r = s a + b */
static inline void slip_axpy3(slip_real s, const slip_real a[3], const slip_real b[3], slip_real r[3])
{
    r[0] = s*a[0] + b[0];  r[1] = s*a[1] + b[1];  r[2] = s*a[2] + b[2];
}

static inline slip_real slip_dot3(const slip_real a[3], const slip_real b[3])
{
    return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

/* r = a x b */
static inline void slip_cross3(const slip_real a[3], const slip_real b[3], slip_real r[3])
{
    const slip_real x = a[1]*b[2] - a[2]*b[1];
    const slip_real y = a[2]*b[0] - a[0]*b[2];
    const slip_real z = a[0]*b[1] - a[1]*b[0];

    r[0] = x;  r[1] = y;  r[2] = z;
}

/* r += a x b;  r must not be a or b */
static inline void slip_cross3_add(const slip_real a[3], const slip_real b[3], slip_real r[3])
{
    r[0] += a[1]*b[2] - a[2]*b[1];
    r[1] += a[2]*b[0] - a[0]*b[2];
    r[2] += a[0]*b[1] - a[1]*b[0];
}

static inline slip_real slip_norm3(const slip_real a[3]) { return slip_sqrt(slip_dot3(a, a)); }
static inline slip_real slip_norm2(const slip_real a[2]) { return slip_sqrt(a[0]*a[0] + a[1]*a[1]); }

static inline slip_real slip_distance3(const slip_real a[3], const slip_real b[3])
{
    slip_real d[3];

    slip_sub3(a, b, d);
    return slip_norm3(d);
}

/* r = a/|a|, immune to overflow and underflow; returns |a|. A zero vector gives r = 0 and returns 0. */
slip_real slip_normalize3(const slip_real a[3], slip_real r[3]);

/* Two unit vectors t1, t2 that make (t1, t2, n) right-handed and orthonormal; n must be unit.
 * Continuous in n but at one point, n = -z. For n = z they are x and y. */
void slip_tangents(const slip_real n[3], slip_real t1[3], slip_real t2[3]);

/* Whether n numbers are all finite; four sums, so that their latencies overlap. */
static inline int slip_all_finite(const slip_real *x, int n)
{
    slip_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;

    for (; i + 4 <= n; i += 4) {                   /* 0, or NaN from a NaN or an infinity */
        s0 += x[i] - x[i];  s1 += x[i + 1] - x[i + 1];  s2 += x[i + 2] - x[i + 2];  s3 += x[i + 3] - x[i + 3];
    }
    if (i + 2 <= n) { s0 += x[i] - x[i];  s1 += x[i + 1] - x[i + 1];  i += 2; }
    if (i < n) s2 += x[i] - x[i];
    return (s0 + s1) + (s2 + s3) == 0;
}

/* Whether |x_i| <= most for all entries; NaN counts as no. The sum of squares decides most cases without a branch per
 * entry. */
static inline int slip_all_within(const slip_real *x, int n, slip_real most)
{
    slip_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;

    for (; i + 4 <= n; i += 4) {
        s0 += x[i]*x[i];  s1 += x[i + 1]*x[i + 1];  s2 += x[i + 2]*x[i + 2];  s3 += x[i + 3]*x[i + 3];
    }
    if (i + 2 <= n) { s0 += x[i]*x[i];  s1 += x[i + 1]*x[i + 1];  i += 2; }
    if (i < n) s2 += x[i]*x[i];
    if ((s0 + s1) + (s2 + s3) <= most*most) return 1;
    for (i = 0; i < n && slip_abs(x[i]) <= most;) ++i;
    return i == n;
}

/* ---- 3x3 matrices, row-major ----------------------------------------------------------------- */

static inline void slip_mat3_identity(slip_real A[9])
{
    A[0] = 1; A[1] = 0; A[2] = 0;  A[3] = 0; A[4] = 1; A[5] = 0;  A[6] = 0; A[7] = 0; A[8] = 1;
}

static inline void slip_mat3_copy(const slip_real A[9], slip_real B[9])
{
    int i;
    for (i = 0; i < 9; ++i) B[i] = A[i];
}

/* r = A x */
static inline void slip_mat3_vec(const slip_real A[9], const slip_real x[3], slip_real r[3])
{
    const slip_real a = A[0]*x[0] + A[1]*x[1] + A[2]*x[2];
    const slip_real b = A[3]*x[0] + A[4]*x[1] + A[5]*x[2];
    const slip_real c = A[6]*x[0] + A[7]*x[1] + A[8]*x[2];

    r[0] = a;  r[1] = b;  r[2] = c;
}

/* r = A' x */
static inline void slip_mat3_tvec(const slip_real A[9], const slip_real x[3], slip_real r[3])
{
    const slip_real a = A[0]*x[0] + A[3]*x[1] + A[6]*x[2];
    const slip_real b = A[1]*x[0] + A[4]*x[1] + A[7]*x[2];
    const slip_real c = A[2]*x[0] + A[5]*x[1] + A[8]*x[2];

    r[0] = a;  r[1] = b;  r[2] = c;
}

/* C = A B */
static inline void slip_mat3_mul(const slip_real A[9], const slip_real B[9], slip_real C[9])
{
    slip_real T[9];
    int i;

    for (i = 0; i < 3; ++i) {
        T[3*i]     = A[3*i]*B[0] + A[3*i + 1]*B[3] + A[3*i + 2]*B[6];
        T[3*i + 1] = A[3*i]*B[1] + A[3*i + 1]*B[4] + A[3*i + 2]*B[7];
        T[3*i + 2] = A[3*i]*B[2] + A[3*i + 1]*B[5] + A[3*i + 2]*B[8];
    }
    slip_mat3_copy(T, C);
}

/* B = A' */
static inline void slip_mat3_transpose(const slip_real A[9], slip_real B[9])
{
    slip_real T[9];

    T[0] = A[0]; T[1] = A[3]; T[2] = A[6];
    T[3] = A[1]; T[4] = A[4]; T[5] = A[7];
    T[6] = A[2]; T[7] = A[5]; T[8] = A[8];
    slip_mat3_copy(T, B);
}

/* C = A' B */
static inline void slip_mat3_tmul(const slip_real A[9], const slip_real B[9], slip_real C[9])
{
    slip_real T[9];

    slip_mat3_transpose(A, T);
    slip_mat3_mul(T, B, C);
}

static inline slip_real slip_mat3_det(const slip_real A[9])
{
    return A[0]*(A[4]*A[8] - A[5]*A[7]) - A[1]*(A[3]*A[8] - A[5]*A[6]) + A[2]*(A[3]*A[7] - A[4]*A[6]);
}

/* B = A^-1 by cofactors; returns det A. B is untouched when the determinant is 0 or not finite. */
slip_real slip_mat3_inverse(const slip_real A[9], slip_real B[9]);

/* Eigenvalues w (ascending) and eigenvectors (columns of V, right-handed) of a symmetric matrix
 * given by its lower triangle; cyclic Jacobi, accurate to rounding. */
void slip_mat3_eigen(const slip_real A[9], slip_real w[3], slip_real V[9]);

/* Rotation about a unit axis by an angle [rad]. */
void slip_mat3_from_axis_angle(const slip_real axis[3], slip_real angle, slip_real R[9]);

/* The rotation that takes z to the unit vector `axis`, by the shortest way; identity for z, and a
 * half turn about x for -z. */
void slip_mat3_z_to(const slip_real axis[3], slip_real R[9]);

/* ---- quaternions, x y z w --------------------------------------------------------------------- */

static inline void slip_quat_identity(slip_real q[4]) { q[0] = 0; q[1] = 0; q[2] = 0; q[3] = 1; }

/* r = a b: first b, then a */
static inline void slip_quat_mul(const slip_real a[4], const slip_real b[4], slip_real r[4])
{
    const slip_real x = a[3]*b[0] + a[0]*b[3] + a[1]*b[2] - a[2]*b[1];
    const slip_real y = a[3]*b[1] - a[0]*b[2] + a[1]*b[3] + a[2]*b[0];
    const slip_real z = a[3]*b[2] + a[0]*b[1] - a[1]*b[0] + a[2]*b[3];
    const slip_real w = a[3]*b[3] - a[0]*b[0] - a[1]*b[1] - a[2]*b[2];

    r[0] = x;  r[1] = y;  r[2] = z;  r[3] = w;
}

static inline void slip_quat_conj(const slip_real q[4], slip_real r[4])
{
    r[0] = -q[0];  r[1] = -q[1];  r[2] = -q[2];  r[3] = q[3];
}

/* The rotation vector's quaternion, exp(w/2), and back: |log| <= pi, the shorter way round. */
void slip_quat_exp(const slip_real w[3], slip_real q[4]);
void slip_quat_log(const slip_real q[4], slip_real w[3]);

/* r = q x q*, a vector turned by a unit quaternion. */
void slip_quat_rotate(const slip_real q[4], const slip_real x[3], slip_real r[3]);

/* ---- poses ------------------------------------------------------------------------------------ */

/* Whether all of it is finite: 0, or NaN from a NaN or an infinity. */
static inline int slip_pose_is_finite(const slip_pose *X)
{
    const slip_real *R = X->R, *p = X->p;
    const slip_real s0 = (R[0] - R[0]) + (R[4] - R[4]) + (R[8] - R[8]);
    const slip_real s1 = (R[1] - R[1]) + (R[5] - R[5]) + (p[0] - p[0]);
    const slip_real s2 = (R[2] - R[2]) + (R[6] - R[6]) + (p[1] - p[1]);
    const slip_real s3 = (R[3] - R[3]) + (R[7] - R[7]) + (p[2] - p[2]);

    return (s0 + s1) + (s2 + s3) == 0;
}

/* x_b = X^-1 x_a */
static inline void slip_pose_inv_point(const slip_pose *X, const slip_real x[3], slip_real r[3])
{
    slip_real t[3];

    slip_sub3(x, X->p, t);
    slip_mat3_tvec(X->R, t, r);
}

#endif
