/* The parts of vec.h that are too long, or too rarely called, to be inline. */
#include "base/vec.h"

#include "base/elementary.h"
#include "base/trig.h"

slip_real slip_normalize3(const slip_real a[3], slip_real r[3])
{
    const slip_real m = slip_max(slip_abs(a[0]), slip_max(slip_abs(a[1]), slip_abs(a[2])));
    slip_real s[3], n;

    if (!(m > 0)) { slip_zero3(r); return 0; }
    s[0] = a[0]/m;  s[1] = a[1]/m;  s[2] = a[2]/m;      /* components in [-1, 1], one of them 1 */
    n = slip_norm3(s);
    r[0] = s[0]/n;  r[1] = s[1]/n;  r[2] = s[2]/n;
    return m*n;
}

void slip_tangents(const slip_real n[3], slip_real t1[3], slip_real t2[3])
{
    /* The shortest rotation from z to n, applied to x and y, with k = 1/(1 + n_z). Below the equator the
     * sum cancels, and k is found from x^2 + y^2 = (1 + n_z)(1 - n_z) instead. */
    const slip_real x = n[0], y = n[1], z = n[2], d = x*x + y*y;
    slip_real k;

    if (z < 0 && d < SLIP_REAL_MIN) {                    /* -z to rounding: a half turn about x */
        slip_set3(1, 0, 0, t1);
        slip_set3(0, -1, 0, t2);
        return;
    }
    k = z < 0 ? (1 - z)/d : 1/(1 + z);
    slip_set3(1 - k*x*x, -k*x*y, -x, t1);
    slip_set3(-k*x*y, 1 - k*y*y, -y, t2);
}

slip_real slip_mat3_inverse(const slip_real A[9], slip_real B[9])
{
    const slip_real det = slip_mat3_det(A), s = 1/det;
    slip_real T[9];

    if (det == 0 || !slip_is_finite(s)) return det;
    T[0] = s*(A[4]*A[8] - A[5]*A[7]);  T[1] = s*(A[2]*A[7] - A[1]*A[8]);  T[2] = s*(A[1]*A[5] - A[2]*A[4]);
    T[3] = s*(A[5]*A[6] - A[3]*A[8]);  T[4] = s*(A[0]*A[8] - A[2]*A[6]);  T[5] = s*(A[2]*A[3] - A[0]*A[5]);
    T[6] = s*(A[3]*A[7] - A[4]*A[6]);  T[7] = s*(A[1]*A[6] - A[0]*A[7]);  T[8] = s*(A[0]*A[4] - A[1]*A[3]);
    slip_mat3_copy(T, B);
    return det;
}

/* One Jacobi rotation that zeroes A[p][q]; A symmetric and full, V accumulates the rotations. */
static void eigen_rotate(slip_real A[9], slip_real V[9], int p, int q)
{
    const slip_real apq = A[3*p + q];
    slip_real theta, t, c, s;
    int i;

    if (apq == 0) return;
    theta = (A[4*q] - A[4*p])/(2*apq);
    t = slip_copysign(1, theta)/(slip_abs(theta) + slip_sqrt(theta*theta + 1));
    c = 1/slip_sqrt(t*t + 1);
    s = t*c;
    for (i = 0; i < 3; ++i) {                            /* A <- A J, V <- V J */
        const slip_real a = A[3*i + p], b = A[3*i + q], v = V[3*i + p], w = V[3*i + q];

        A[3*i + p] = c*a - s*b;  A[3*i + q] = s*a + c*b;
        V[3*i + p] = c*v - s*w;  V[3*i + q] = s*v + c*w;
    }
    for (i = 0; i < 3; ++i) {                            /* A <- J' A */
        const slip_real a = A[3*p + i], b = A[3*q + i];

        A[3*p + i] = c*a - s*b;  A[3*q + i] = s*a + c*b;
    }
    A[3*p + q] = A[3*q + p] = 0;
}

/* Swaps eigenpairs i and j when they are out of order, negating one column to stay right-handed. */
static void eigen_order(slip_real w[3], slip_real V[9], int i, int j)
{
    int k;

    if (w[i] <= w[j]) return;
    for (k = 0; k < 3; ++k) {
        const slip_real t = V[3*k + i];

        V[3*k + i] = V[3*k + j];
        V[3*k + j] = -t;
    }
    { const slip_real t = w[i]; w[i] = w[j]; w[j] = t; }
}

void slip_mat3_eigen(const slip_real A[9], slip_real w[3], slip_real V[9])
{
    slip_real B[9];
    int sweep;

    slip_mat3_copy(A, B);
    B[1] = B[3];  B[2] = B[6];  B[5] = B[7];
    slip_mat3_identity(V);
    for (sweep = 0; sweep < 30; ++sweep) {               /* quadratic convergence: 5 or 6 are usual */
        if (B[1] == 0 && B[2] == 0 && B[5] == 0) break;
        eigen_rotate(B, V, 0, 1);
        eigen_rotate(B, V, 0, 2);
        eigen_rotate(B, V, 1, 2);
    }
    w[0] = B[0];  w[1] = B[4];  w[2] = B[8];
    eigen_order(w, V, 0, 1);
    eigen_order(w, V, 1, 2);
    eigen_order(w, V, 0, 1);
}

void slip_mat3_from_axis_angle(const slip_real axis[3], slip_real angle, slip_real R[9])
{
    slip_real u[3], w[3], q[4];

    slip_normalize3(axis, u);
    slip_scale3(angle, u, w);
    slip_quat_exp(w, q);
    slip_quat_to_mat3(q, R);
}

void slip_mat3_from_rpy(const slip_real rpy[3], slip_real R[9])
{
    const slip_real cr = slip_cos(rpy[0]), sr = slip_sin(rpy[0]);
    const slip_real cp = slip_cos(rpy[1]), sp = slip_sin(rpy[1]);
    const slip_real cy = slip_cos(rpy[2]), sy = slip_sin(rpy[2]);

    R[0] = cy*cp;  R[1] = cy*sp*sr - sy*cr;  R[2] = cy*sp*cr + sy*sr;
    R[3] = sy*cp;  R[4] = sy*sp*sr + cy*cr;  R[5] = sy*sp*cr - cy*sr;
    R[6] = -sp;    R[7] = cp*sr;             R[8] = cp*cr;
}

void slip_mat3_to_rpy(const slip_real R[9], slip_real rpy[3])
{
    const slip_real cp = slip_hypot(R[0], R[3]);
    slip_real roll = 0, yaw;

    if (cp > 16*SLIP_REAL_EPS) {
        /* Roll is read off Rz(yaw)' R: near the poles, where both angles are badly determined, it then fits
         * this yaw, and R is met all the same. */
        const slip_real cy = R[0]/cp, sy = R[3]/cp;

        yaw = slip_atan2(R[3], R[0]);
        roll = slip_atan2(sy*R[2] - cy*R[5], cy*R[4] - sy*R[1]);
    } else {                                             /* pitch of +-90 degrees: roll is taken as 0 */
        yaw = slip_atan2(-R[1], R[4]);
    }
    slip_set3(roll, slip_atan2(-R[6], cp), yaw, rpy);
}

void slip_mat3_z_to(const slip_real axis[3], slip_real R[9])
{
    slip_real t1[3], t2[3];

    slip_tangents(axis, t1, t2);
    R[0] = t1[0];  R[1] = t2[0];  R[2] = axis[0];
    R[3] = t1[1];  R[4] = t2[1];  R[5] = axis[1];
    R[6] = t1[2];  R[7] = t2[2];  R[8] = axis[2];
}

void slip_mat3_to_quat(const slip_real R[9], slip_real q[4])
{
    /* 4 q_i^2 for each component; the largest is at least 1. */
    const slip_real d[4] = { 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                             1 - R[0] - R[4] + R[8], 1 + R[0] + R[4] + R[8] };
    slip_real r[4];
    int best = 3, i;

    for (i = 0; i < 3; ++i) if (d[i] > d[best]) best = i;
    switch (best) {
    case 0:  r[0] = d[0];         r[1] = R[1] + R[3];  r[2] = R[2] + R[6];  r[3] = R[7] - R[5];  break;
    case 1:  r[0] = R[1] + R[3];  r[1] = d[1];         r[2] = R[5] + R[7];  r[3] = R[2] - R[6];  break;
    case 2:  r[0] = R[2] + R[6];  r[1] = R[5] + R[7];  r[2] = d[2];         r[3] = R[3] - R[1];  break;
    default: r[0] = R[7] - R[5];  r[1] = R[2] - R[6];  r[2] = R[3] - R[1];  r[3] = d[3];         break;
    }
    if (r[3] < 0) for (i = 0; i < 4; ++i) r[i] = -r[i];
    slip_quat_normalize(r, q);
}

slip_real slip_quat_normalize(const slip_real q[4], slip_real r[4])
{
    const slip_real m = slip_max(slip_max(slip_abs(q[0]), slip_abs(q[1])), slip_max(slip_abs(q[2]), slip_abs(q[3])));
    slip_real s[4], n;
    int i;

    if (!(m > 0) || !slip_all_finite(q, 4)) { slip_quat_identity(r); return 0; }
    for (i = 0; i < 4; ++i) s[i] = q[i]/m;
    n = slip_sqrt(s[0]*s[0] + s[1]*s[1] + s[2]*s[2] + s[3]*s[3]);
    for (i = 0; i < 4; ++i) r[i] = s[i]/n;
    return m*n;
}

void slip_quat_exp(const slip_real w[3], slip_real q[4])
{
    const slip_real half2 = slip_dot3(w, w)/4;
    slip_real k, c;

    /* sin(half)/angle and cos(half), by their series where the division would lose digits */
    if (half2 < SLIP_TOL(1e-8, 1e-4)) {
        k = SLIP_R(0.5)*(1 - half2/6);
        c = 1 - half2/2;
    } else {
        const slip_real half = slip_sqrt(half2);

        k = slip_sin(half)/(2*half);
        c = slip_cos(half);
    }
    q[0] = k*w[0];  q[1] = k*w[1];  q[2] = k*w[2];  q[3] = c;
}

void slip_quat_log(const slip_real q[4], slip_real w[3])
{
    const slip_real s = slip_norm3(q), sign = q[3] < 0 ? SLIP_R(-1) : SLIP_R(1);
    /* angle/sin(angle/2); for small s the limit 2, exact to rounding as |q| = 1 */
    const slip_real k = s < SLIP_TOL(1e-8, 1e-4) ? 2*sign : 2*sign*slip_atan2(s, sign*q[3])/s;

    slip_scale3(k, q, w);
}

void slip_quat_rotate(const slip_real q[4], const slip_real x[3], slip_real r[3])
{
    slip_real t[3], u[3];

    slip_cross3(q, x, t);                                /* x + 2 w (q x x) + 2 q x (q x x) */
    slip_scale3(2, t, t);
    slip_cross3(q, t, u);
    r[0] = x[0] + q[3]*t[0] + u[0];
    r[1] = x[1] + q[3]*t[1] + u[1];
    r[2] = x[2] + q[3]*t[2] + u[2];
}
