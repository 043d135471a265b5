/* FK, RNEA, CRBA and ABA of many states at once. One source for two kinds of lane: a vector of states where the
 * compiler has vector types (gcc, clang), and a single state elsewhere; each operation then is one of the same
 * machine number a state, so that both give the same bits. The formulas are those of kinematics.c, rnea.c, crba.c and
 * aba.c, where they are derived; here all joints go freedom by freedom: joint types would only add branches, and
 * those cost a vector of states as much as one. */
#include "rbd/batch.h"
#include "base/trig.h"
#include "rbd/kernel_private.h"

#include <string.h>

#if defined(__GNUC__) && !defined(SLIP_NO_VECTORS)
#if defined __AVX512F__
#define BATCH_BYTES 64
#elif defined __AVX__
#define BATCH_BYTES 32
#else
#define BATCH_BYTES 16           /* gcc takes wider vectors apart into scalars where the machine has none as wide */
#endif
enum { BATCH_LANES = BATCH_BYTES/(int)sizeof(slip_real) };
typedef slip_real slip_lane __attribute__((vector_size(BATCH_BYTES), aligned(sizeof(slip_real))));
#else
enum { BATCH_LANES = 1 };
typedef slip_real slip_lane;
#endif

struct slip_batch {
    const slip_model *m;
    slip_data *one;                          /* for models with mimic joints; else NULL                        */
    slip_lane *R, *p, *arm;                  /* [9, 3, 3 a body] poses                                         */
    slip_lane *w, *accel, *bias, *force;     /* [3, 6, 9, 6 a body] as in slip_data                            */
    slip_lane *inertia;                      /* [21 a body] composite (10 of them) or articulated              */
    slip_lane *own;                          /* [10 a body] in world axes                                      */
    slip_lane *U, *u, *D_inv;                /* [6, 1, 1 a freedom]                                            */
    slip_lane *q, *v, *a, *tau;              /* a vector of states                                             */
    slip_lane *angle, *cosine, *sine;        /* [a body]                                                       */
    slip_lane *M;                            /* [branches.size]                                                */
};

static const slip_lane batch_zero = { 0 };

/* ---- small algebra over lanes ---------------------------------------------------------------------------------- */

static inline void batch_axis(const slip_lane *R, int column, slip_lane z[3])
{
    z[0] = R[column];  z[1] = R[column + 3];  z[2] = R[column + 6];
}

static inline void batch_clear(slip_lane *x, int n)
{
    int i;

    for (i = 0; i < n; ++i) x[i] = batch_zero;
}

static inline void batch_copy(int n, const slip_lane *from, slip_lane *to)
{
    int i;

    for (i = 0; i < n; ++i) to[i] = from[i];
}

/* y += a x */
static inline void batch_axpy3(const slip_lane *a, const slip_lane x[3], slip_lane y[3])
{
    y[0] += *a*x[0];  y[1] += *a*x[1];  y[2] += *a*x[2];
}

/* y += a x b */
static inline void batch_cross_add(const slip_lane a[3], const slip_lane b[3], slip_lane y[3])
{
    y[0] += a[1]*b[2] - a[2]*b[1];
    y[1] += a[2]*b[0] - a[0]*b[2];
    y[2] += a[0]*b[1] - a[1]*b[0];
}

static inline void batch_dot(const slip_lane a[3], const slip_lane b[3], slip_lane *y)
{
    *y = a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

static inline void batch_mat_vec(const slip_lane A[9], const slip_lane x[3], slip_lane y[3])
{
    y[0] = A[0]*x[0] + A[1]*x[1] + A[2]*x[2];
    y[1] = A[3]*x[0] + A[4]*x[1] + A[5]*x[2];
    y[2] = A[6]*x[0] + A[7]*x[1] + A[8]*x[2];
}

static inline void batch_mat_tvec(const slip_lane A[9], const slip_lane x[3], slip_lane y[3])
{
    y[0] = A[0]*x[0] + A[3]*x[1] + A[6]*x[2];
    y[1] = A[1]*x[0] + A[4]*x[1] + A[7]*x[2];
    y[2] = A[2]*x[0] + A[5]*x[1] + A[8]*x[2];
}

/* y = S x, S = xx xy xz yy yz zz in lanes */
static inline void batch_sym_vec(const slip_lane S[6], const slip_lane x[3], slip_lane y[3])
{
    y[0] = S[0]*x[0] + S[1]*x[1] + S[2]*x[2];
    y[1] = S[1]*x[0] + S[3]*x[1] + S[4]*x[2];
    y[2] = S[2]*x[0] + S[4]*x[1] + S[5]*x[2];
}

/* ---- states into lanes and back -------------------------------------------------------------------------------- */

/* A vector of states from x, the last of `count` again where there are fewer. 0 when a number is not finite. */
static inline int batch_load(const slip_real *x, int size, int count, slip_lane *out)
{
    const slip_real *from[BATCH_LANES], *sums;
    slip_lane sum = batch_zero;
    int i, l;

    for (l = 0; l < BATCH_LANES; ++l) from[l] = x + (size_t)(l < count ? l : count - 1)*(size_t)size;
    for (i = 0; i < size; ++i) {
        slip_real *to = (slip_real *)(out + i);

        for (l = 0; l < BATCH_LANES; ++l) to[l] = from[l][i];
    }
    for (i = 0; i < size; ++i) sum += 0*out[i];
    for (sums = (const slip_real *)&sum, l = 0; l < BATCH_LANES; ++l) if (!(sums[l] == 0)) return 0;
    return 1;
}

/* The way back: numbers x of `count` states, each `stride` behind the one before. */
static inline void batch_store(const slip_lane *x, int size, int count, slip_real *out, size_t stride)
{
    const slip_real *from = (const slip_real *)x;
    int i, l;

    for (l = 0; l < count; ++l)
        for (i = 0; i < size; ++i) out[(size_t)l*stride + (size_t)i] = from[i*BATCH_LANES + l];
}

/* ---- passes ---------------------------------------------------------------------------------------------------- */

static inline void batch_quat(const slip_lane q[4], slip_lane R[9])
{
    const slip_lane s = 2/(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]);
    const slip_lane sx = s*q[0], sy = s*q[1], sz = s*q[2];
    const slip_lane xx = sx*q[0], yy = sy*q[1], zz = sz*q[2], xy = sx*q[1], xz = sx*q[2], yz = sy*q[2];
    const slip_lane wx = sx*q[3], wy = sy*q[3], wz = sz*q[3];

    R[0] = 1 - (yy + zz);  R[1] = xy - wz;        R[2] = xz + wy;
    R[3] = xy + wz;        R[4] = 1 - (xx + zz);  R[5] = yz - wx;
    R[6] = xz - wy;        R[7] = yz + wx;        R[8] = 1 - (xx + yy);
}

/* y = A x and C = A B with A of the model, the same for all states. */
static inline void batch_fixed_vec(const slip_real A[9], const slip_lane x[3], slip_lane y[3])
{
    y[0] = A[0]*x[0] + A[1]*x[1] + A[2]*x[2];
    y[1] = A[3]*x[0] + A[4]*x[1] + A[5]*x[2];
    y[2] = A[6]*x[0] + A[7]*x[1] + A[8]*x[2];
}

static inline void batch_fixed_mul(const slip_real A[9], const slip_lane B[9], slip_lane C[9])
{
    int i;

    for (i = 0; i < 9; ++i) {
        const slip_real *row = A + i/3*3;

        C[i] = row[0]*B[i % 3] + row[1]*B[3 + i % 3] + row[2]*B[6 + i % 3];
    }
}

/* The body's pose in its parent's frame: the offset from the tree's origin in l, the rotation in L. */
static inline void batch_local(const slip_batch *k, int b, slip_lane l[3], slip_lane L[9])
{
    const slip_pose *T = &k->m->tree[b];
    const slip_lane *x = k->q + k->m->iq[b], c = k->cosine[b], s = k->sine[b];
    slip_lane Q[9], t[3];
    int i;

    for (i = 0; i < 3; ++i) l[i] = batch_zero + T->p[i];
    switch (k->m->type[b]) {
    case SLIP_JOINT_PRISMATIC:
        for (i = 0; i < 9; ++i) L[i] = batch_zero + T->R[i];
        for (i = 0; i < 3; ++i) l[i] += x[0]*T->R[3*i + 2];
        return;
    case SLIP_JOINT_BALL:
    case SLIP_JOINT_FLOATING:
        batch_quat(x + (k->m->type[b] == SLIP_JOINT_FLOATING ? 3 : 0), Q);
        batch_fixed_mul(T->R, Q, L);
        break;
    default:                                                     /* about z */
        for (i = 0; i < 9; i += 3) {
            L[i] = c*T->R[i] + s*T->R[i + 1];
            L[i + 1] = c*T->R[i + 1] - s*T->R[i];
            L[i + 2] = batch_zero + T->R[i + 2];
        }
        break;
    }
    if (k->m->type[b] != SLIP_JOINT_FLOATING && k->m->type[b] != SLIP_JOINT_PLANAR) return;
    t[0] = x[0];  t[1] = x[1];  t[2] = k->m->type[b] == SLIP_JOINT_FLOATING ? x[2] : batch_zero;
    batch_fixed_vec(T->R, t, Q);
    for (i = 0; i < 3; ++i) l[i] += Q[i];
}

static void batch_kinematics(slip_batch *k)
{
    const slip_model *m = k->m;
    int b, i, c;

    for (b = 1; b < m->nbodies; ++b) k->angle[b] = m->turn[b]*k->q[m->angle[b]] + m->offset[b];
    slip_sincos(m->nbodies*BATCH_LANES, (const slip_real *)k->angle, (slip_real *)k->cosine, (slip_real *)k->sine);
    for (b = 1; b < m->nbodies; ++b) {
        const slip_lane *from = k->p + 3*m->parent[b];
        slip_lane P[9], X[9], l[3], L[9], r[3];

        batch_copy(9, k->R + 9*m->parent[b], P);
        batch_local(k, b, l, L);
        for (i = 0; i < 3; ++i)
            for (c = 0; c < 3; ++c) X[3*i + c] = P[3*i]*L[c] + P[3*i + 1]*L[3 + c] + P[3*i + 2]*L[6 + c];
        batch_mat_vec(P, l, r);
        batch_copy(9, X, k->R + 9*b);
        batch_copy(3, r, k->arm + 3*b);
        for (i = 0; i < 3; ++i) k->p[3*b + i] = from[i] + r[i];
    }
}

/* Velocity of a joint: u of the origin, w angular, from the numbers x of its freedoms. Returns whether it moves
 * along. */
static inline int batch_joint(const slip_batch *k, int b, const slip_lane *x, slip_lane u[3], slip_lane w[3])
{
    const int first = k->m->idof[b], end = first + slip_joint_nv((slip_joint_type)k->m->type[b]);
    int d, moves = 0;

    batch_clear(u, 3);
    batch_clear(w, 3);
    for (d = first; d < end; ++d) {
        slip_lane z[3];

        batch_axis(k->R + 9*b, k->m->dof_axis[d], z);
        moves |= !k->m->dof_angular[d];
        if (k->m->dof_angular[d]) batch_axpy3(&x[d], z, w);
        else batch_axpy3(&x[d], z, u);
    }
    return moves;
}

static inline void batch_K(const slip_lane w[3], const slip_lane alpha[3], slip_lane K[9])
{
    const slip_lane xx = w[0]*w[0], yy = w[1]*w[1], zz = w[2]*w[2], xy = w[0]*w[1], xz = w[0]*w[2], yz = w[1]*w[2];

    K[0] = -(yy + zz);      K[1] = xy - alpha[2];   K[2] = xz + alpha[1];
    K[3] = xy + alpha[2];   K[4] = -(xx + zz);      K[5] = yz - alpha[0];
    K[6] = xz - alpha[1];   K[7] = yz + alpha[0];   K[8] = -(xx + yy);
}

/* own = the inertia of body b in world axes, of the model's in body axes: R I R' row by row. */
static inline void batch_own(const slip_batch *k, int b, slip_lane *own)
{
    const slip_real *I = k->m->inertia + 10*b, *S = I + 4;
    const slip_lane *R = k->R + 9*b;
    slip_lane row[3];
    int i;

    own[0] = batch_zero + I[0];
    for (i = 0; i < 3; ++i) own[1 + i] = R[3*i]*I[1] + R[3*i + 1]*I[2] + R[3*i + 2]*I[3];
    for (i = 0; i < 3; ++i) {
        const slip_lane *r = R + 3*i;

        row[0] = r[0]*S[0] + r[1]*S[1] + r[2]*S[2];
        row[1] = r[0]*S[1] + r[1]*S[3] + r[2]*S[4];
        row[2] = r[0]*S[2] + r[1]*S[4] + r[2]*S[5];
        if (i == 0) batch_dot(row, R, &own[4]);
        if (i <= 1) batch_dot(row, R + 3, &own[5 + 2*i]);
        batch_dot(row, R + 6, &own[i == 0 ? 6 : 7 + i]);
    }
}

/* f = m a + K h,  n = I alpha + w x I w + h x a, all in world axes. */
static inline void batch_newton_euler(const slip_lane I[10], const slip_lane K[9], const slip_lane w[3],
                                      const slip_lane acc[6], slip_lane f[6])
{
    slip_lane L[3];

    batch_mat_vec(K, I + 1, f);
    batch_axpy3(I, acc, f);
    batch_sym_vec(I + 4, w, L);
    batch_sym_vec(I + 4, acc + 3, f + 3);
    batch_cross_add(w, L, f + 3);
    batch_cross_add(I + 1, acc, f + 3);
}

/* The same with I in body axes, which costs less where I in world axes is not needed otherwise. */
static inline void batch_newton_euler_body(const slip_real in[10], const slip_lane R[9], const slip_lane K[9],
                                           const slip_lane w[3], const slip_lane acc[6], slip_lane f[6])
{
    slip_lane I[10], wb[3], ab[3], L[3], n[3], h[3];
    int i;

    for (i = 0; i < 10; ++i) I[i] = batch_zero + in[i];
    batch_mat_vec(R, I + 1, h);
    batch_mat_vec(K, h, f);
    batch_axpy3(I, acc, f);
    batch_mat_tvec(R, w, wb);
    batch_mat_tvec(R, acc + 3, ab);
    batch_sym_vec(I + 4, wb, L);
    batch_sym_vec(I + 4, ab, n);
    batch_cross_add(wb, L, n);
    batch_mat_vec(R, n, f + 3);
    batch_cross_add(h, acc, f + 3);
}

/* What the joint of body b adds to the angular velocity w and the accelerations acc that its parent gave it. */
static inline void batch_joint_forces(const slip_batch *k, int b, const slip_lane *y, const slip_lane w_p[3],
                                      slip_lane w[3], slip_lane acc[6])
{
    const int first = k->m->idof[b];
    slip_lane u[3], joint[3], sum[3];
    int i;

    if (k->m->type[b] == SLIP_JOINT_REVOLUTE || k->m->type[b] == SLIP_JOINT_CONTINUOUS) {      /* the common case */
        batch_axis(k->R + 9*b, 2, u);
        for (i = 0; i < 3; ++i) joint[i] = k->v[first]*u[i];
        if (y) batch_axpy3(&y[first], u, acc + 3);
    } else {
        if (batch_joint(k, b, k->v, u, joint)) {
            for (i = 0; i < 3; ++i) sum[i] = 2*w_p[i] + joint[i];
            batch_cross_add(sum, u, acc);
        }
        if (y) {
            batch_joint(k, b, y, u, sum);
            for (i = 0; i < 3; ++i) { acc[i] += u[i];  acc[3 + i] += sum[i]; }
        }
    }
    batch_cross_add(w_p, joint, acc + 3);
    for (i = 0; i < 3; ++i) w[i] = w_p[i] + joint[i];
}

/* Accelerations and forces of all bodies for the velocities k->v and accelerations y of the freedoms (NULL: 0);
 * inertias in world axes into k->own where they are wanted. Works in local variables: what is stored to memory in
 * between could be anything's, for all the compiler knows, and would be loaded again. */
static inline void batch_forces(slip_batch *k, const slip_lane *y, int wants_own)
{
    const slip_model *m = k->m;
    int b, i;

    for (i = 0; i < 3; ++i) k->accel[i] = batch_zero - m->gravity[i];
    batch_clear(k->accel + 3, 3);
    batch_clear(k->w, 3);
    batch_clear(k->bias, 9);
    for (b = 1; b < m->nbodies; ++b) {
        const slip_lane *of_parent = k->accel + 6*m->parent[b];
        slip_lane w_p[3], w[3], acc[6], K[9], I[10], f[6];

        batch_copy(3, k->w + 3*m->parent[b], w_p);
        batch_mat_vec(k->bias + 9*m->parent[b], k->arm + 3*b, acc);
        for (i = 0; i < 3; ++i) {
            acc[i] += of_parent[i];
            acc[3 + i] = of_parent[3 + i];
        }
        batch_joint_forces(k, b, y, w_p, w, acc);
        batch_K(w, acc + 3, K);
        if (wants_own) {
            batch_own(k, b, I);
            batch_newton_euler(I, K, w, acc, f);
            batch_copy(10, I, k->own + 10*b);
        } else {
            batch_newton_euler_body(m->inertia + 10*b, k->R + 9*b, K, w, acc, f);
        }
        batch_copy(3, w, k->w + 3*b);
        batch_copy(6, acc, k->accel + 6*b);
        batch_copy(9, K, k->bias + 9*b);
        batch_copy(6, f, k->force + 6*b);
    }
}

static void batch_rnea(slip_batch *k, const slip_lane *y)
{
    const slip_model *m = k->m;
    int b, d, i;

    batch_kinematics(k);
    batch_forces(k, y, 0);
    for (b = m->nbodies - 1; b > 0; --b) {
        const int first = m->idof[b], end = first + slip_joint_nv((slip_joint_type)m->type[b]);
        slip_lane f[6], F[6], z[3], tau;

        batch_copy(6, k->force + 6*b, f);
        for (d = first; d < end; ++d) {
            batch_axis(k->R + 9*b, m->dof_axis[d], z);
            if (m->dof_angular[d]) batch_dot(z, f + 3, &tau);
            else batch_dot(z, f, &tau);
            k->tau[d] = y ? tau + m->dof_armature[d]*y[d] : tau;
        }
        if (m->parent[b] == 0) continue;
        batch_copy(6, k->force + 6*m->parent[b], F);
        for (i = 0; i < 6; ++i) F[i] += f[i];
        batch_cross_add(k->arm + 3*b, f, F + 3);
        batch_copy(6, F, k->force + 6*m->parent[b]);
    }
}

/* Adds an inertia at a point r away to one here (slip_inertia_add_shifted()). */
static inline void batch_add_shifted(const slip_lane at[10], const slip_lane r[3], slip_lane here[10])
{
    const slip_lane m = at[0], mx = m*r[0], my = m*r[1], mz = m*r[2];
    const slip_lane ux = at[1] + mx/2, uy = at[2] + my/2, uz = at[3] + mz/2;
    const slip_lane xx = 2*r[0]*ux, yy = 2*r[1]*uy, zz = 2*r[2]*uz;

    here[0] += m;
    here[1] += at[1] + mx;
    here[2] += at[2] + my;
    here[3] += at[3] + mz;
    here[4] += at[4] + (yy + zz);
    here[5] += at[5] - (r[0]*uy + r[1]*ux);
    here[6] += at[6] - (r[0]*uz + r[2]*ux);
    here[7] += at[7] + (xx + zz);
    here[8] += at[8] - (r[1]*uz + r[2]*uy);
    here[9] += at[9] + (xx + yy);
}

/* One row of M: the momentum of the subtree for a unit of freedom d, carried up the tree. */
static inline void batch_crba_row(slip_batch *k, int d)
{
    const slip_model *m = k->m;
    const slip_lane *I = k->inertia + 10*m->dof_body[d];
    slip_lane *entry = k->M + m->dofs.row[d] + m->dofs.depth[d], F[6], z[3];
    int b = m->dof_body[d], e = d;

    batch_axis(k->R + 9*b, m->dof_axis[d], z);
    batch_clear(F, 6);
    if (m->dof_angular[d]) {                                     /* f = z x h,  n = I z */
        batch_cross_add(z, I + 1, F);
        batch_sym_vec(I + 4, z, F + 3);
    } else {                                                     /* f = m z,    n = h x z */
        batch_axpy3(I, z, F);
        batch_cross_add(I + 1, z, F + 3);
    }
    for (; e >= 0; e = m->dofs.parent[e], --entry) {
        slip_lane x;

        for (; b != m->dof_body[e]; b = m->parent[b]) batch_cross_add(k->arm + 3*b, F, F + 3);
        batch_axis(k->R + 9*b, m->dof_axis[e], z);
        if (m->dof_angular[e]) batch_dot(z, F + 3, &x);
        else batch_dot(z, F, &x);
        *entry = e == d ? x + m->dof_armature[d] : x;
    }
}

static void batch_crba(slip_batch *k)
{
    const slip_model *m = k->m;
    int b, d;

    batch_kinematics(k);
    for (b = 1; b < m->nbodies; ++b) {
        slip_lane I[10];

        batch_own(k, b, I);
        batch_copy(10, I, k->inertia + 10*b);
    }
    for (b = m->nbodies - 1; b > 0; --b) {
        slip_lane here[10];

        if (m->parent[b] == 0) continue;
        batch_copy(10, k->inertia + 10*m->parent[b], here);
        batch_add_shifted(k->inertia + 10*b, k->arm + 3*b, here);
        batch_copy(10, here, k->inertia + 10*m->parent[b]);
    }
    for (d = 0; d < m->ndofs; ++d) batch_crba_row(k, d);
}

/* IA of a rigid body, and what IA adds at the parent's origin: aba_rigid(), aba_add_shifted(). */
static inline void batch_articulated(const slip_lane I[10], slip_lane IA[21])
{
    slip_lane *B = IA + 6;
    int i;

    IA[0] = IA[3] = IA[5] = I[0];
    IA[1] = IA[2] = IA[4] = B[0] = B[4] = B[8] = batch_zero;
    B[1] = I[3];   B[2] = -I[2];  B[5] = I[1];
    B[3] = -I[3];  B[6] = I[2];   B[7] = -I[1];
    for (i = 0; i < 6; ++i) IA[15 + i] = I[4 + i];
}

static inline void batch_articulated_add(const slip_lane *SLIP_RESTRICT IA, const slip_lane *SLIP_RESTRICT r,
                                         slip_lane *SLIP_RESTRICT to)
{
    static const int sym[9] = { 0, 1, 2, 1, 3, 4, 2, 4, 5 };
    const slip_lane *A = IA, *B = IA + 6, *C = IA + 15;
    slip_lane D[9];
    int i, j;

    /* D = B - A [r]x: row i of A [r]x is (row i of A) x r */
    for (i = 0; i < 3; ++i) {
        const slip_lane a = A[sym[3*i]], b = A[sym[3*i + 1]], c = A[sym[3*i + 2]];

        D[3*i] = B[3*i] - (b*r[2] - c*r[1]);
        D[3*i + 1] = B[3*i + 1] - (c*r[0] - a*r[2]);
        D[3*i + 2] = B[3*i + 2] - (a*r[1] - b*r[0]);
    }
    for (i = 0; i < 6; ++i) to[i] += A[i];
    for (i = 0; i < 9; ++i) to[6 + i] += D[i];
    for (i = 0; i < 3; ++i)                                      /* C - B' [r]x + [r]x D */
        for (j = i; j < 3; ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;

            to[15 + sym[3*i + j]] += C[sym[3*i + j]] - (B[3*j1 + i]*r[j2] - B[3*j2 + i]*r[j1])
                + (r[i1]*D[3*i2 + j] - r[i2]*D[3*i1 + j]);
        }
}

/* IA -= U U'/D */
static inline void batch_eliminate(const slip_lane *SLIP_RESTRICT U, const slip_lane *D_inv,
                                   slip_lane *SLIP_RESTRICT IA)
{
    static const int sym[9] = { 0, 1, 2, 1, 3, 4, 2, 4, 5 };
    int i, j;

    for (i = 0; i < 3; ++i) {
        const slip_lane a = *D_inv*U[i], c = *D_inv*U[3 + i];

        for (j = i; j < 3; ++j) {
            IA[sym[3*i + j]] -= a*U[j];
            IA[15 + sym[3*i + j]] -= c*U[3 + j];
        }
        for (j = 0; j < 3; ++j) IA[6 + 3*i + j] -= a*U[3 + j];
    }
}

static inline int batch_positive(const slip_lane *D)
{
    const slip_real *x = (const slip_real *)D;
    int l;

    for (l = 0; l < BATCH_LANES; ++l) if (!(x[l] > 0)) return 0;
    return 1;
}

/* Eliminates freedom d of body b from its inertia IA and force p; 0 when a pivot is not positive. */
static inline int batch_pivot(slip_batch *k, int b, int d, int angular, slip_lane IA[21], slip_lane p[6])
{
    const slip_model *m = k->m;
    slip_lane U[6], z[3], D, D_inv, w;
    int i;

    batch_axis(k->R + 9*b, m->dof_axis[d], z);
    if (angular) {
        batch_mat_vec(IA + 6, z, U);
        batch_sym_vec(IA + 15, z, U + 3);
    } else {
        batch_sym_vec(IA, z, U);
        batch_mat_tvec(IA + 6, z, U + 3);
    }
    batch_dot(z, angular ? U + 3 : U, &D);
    D += m->dof_armature[d];
    if (!batch_positive(&D)) return 0;
    D_inv = 1/D;
    batch_dot(z, angular ? p + 3 : p, &w);
    k->D_inv[d] = D_inv;
    k->u[d] = k->tau[d] - w;
    w = k->u[d]*D_inv;
    for (i = 0; i < 6; ++i) p[i] += U[i]*w;
    batch_copy(6, U, k->U + 6*d);
    if (m->parent[b] != 0 || d > m->idof[b]) batch_eliminate(U, &D_inv, IA);
    return 1;
}

static slip_status batch_inwards(slip_batch *k)
{
    const slip_model *m = k->m;
    int b, d, i;

    for (b = 1; b < m->nbodies; ++b) batch_articulated(k->own + 10*b, k->inertia + 21*b);
    for (b = m->nbodies - 1; b > 0; --b) {
        const int parent = m->parent[b];
        slip_lane *IA = k->inertia + 21*b, *to = k->inertia + 21*parent, p[6], F[6], r[3];

        batch_copy(6, k->force + 6*b, p);
        for (d = m->idof[b] + slip_joint_nv((slip_joint_type)m->type[b]) - 1; d >= m->idof[b]; --d)
            if (!(m->dof_angular[d] ? batch_pivot(k, b, d, 1, IA, p) : batch_pivot(k, b, d, 0, IA, p)))
                return SLIP_ERR_NOT_SPD;
        if (parent == 0) continue;
        batch_copy(3, k->arm + 3*b, r);
        batch_articulated_add(IA, r, to);
        batch_copy(6, k->force + 6*parent, F);
        for (i = 0; i < 6; ++i) F[i] += p[i];
        batch_cross_add(r, p, F + 3);
        batch_copy(6, F, k->force + 6*parent);
    }
    return SLIP_OK;
}

/* Deviations of the accelerations, from the root outwards, in place of k->accel. */
static void batch_outwards(slip_batch *k)
{
    const slip_model *m = k->m;
    int b, d, i;

    batch_clear(k->accel, 6);
    for (b = 1; b < m->nbodies; ++b) {
        slip_lane delta[6], z[3], sum;

        batch_copy(6, k->accel + 6*m->parent[b], delta);
        batch_cross_add(k->accel + 6*m->parent[b] + 3, k->arm + 3*b, delta);
        for (d = m->idof[b]; d < m->idof[b] + slip_joint_nv((slip_joint_type)m->type[b]); ++d) {
            for (sum = batch_zero, i = 0; i < 6; ++i) sum += k->U[6*d + i]*delta[i];
            sum = (k->u[d] - sum)*k->D_inv[d];
            k->a[d] = sum;
            batch_axis(k->R + 9*b, m->dof_axis[d], z);
            if (m->dof_angular[d]) batch_axpy3(&sum, z, delta + 3);
            else batch_axpy3(&sum, z, delta);
        }
        batch_copy(6, delta, k->accel + 6*b);
    }
}

static slip_status batch_aba(slip_batch *k)
{
    slip_status s;

    batch_kinematics(k);
    batch_forces(k, NULL, 1);
    s = batch_inwards(k);
    if (s == SLIP_OK) batch_outwards(k);
    return s;
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static slip_lane *batch_take(slip_arena *mem, int n)
{
    return (slip_lane *)slip_arena_take_zero(mem, (size_t)n, sizeof(slip_lane));
}

static slip_status batch_carve(const slip_model *m, slip_arena *mem, slip_batch **out)
{
    const int nb = m->nbodies, nd = m->ndofs;
    slip_batch *k = (slip_batch *)slip_arena_take(mem, 1, sizeof *k);
    slip_batch sizes, *to = slip_arena_is_counting(mem) || !k ? &sizes : k;
    slip_status status = SLIP_OK;

    to->m = m;
    to->one = NULL;
    if (nd != m->nv) status = slip_data_create(m, mem, &to->one);
    else {
        to->R = batch_take(mem, 9*nb);      to->p = batch_take(mem, 3*nb);      to->arm = batch_take(mem, 3*nb);
        to->w = batch_take(mem, 3*nb);      to->accel = batch_take(mem, 6*nb);  to->bias = batch_take(mem, 9*nb);
        to->force = batch_take(mem, 6*nb);  to->own = batch_take(mem, 10*nb);   to->inertia = batch_take(mem, 21*nb);
        to->U = batch_take(mem, 6*nd);      to->u = batch_take(mem, nd);        to->D_inv = batch_take(mem, nd);
        to->q = batch_take(mem, m->nq);     to->v = batch_take(mem, nd);        to->a = batch_take(mem, nd);
        to->tau = batch_take(mem, nd);      to->angle = batch_take(mem, nb);    to->cosine = batch_take(mem, nb);
        to->sine = batch_take(mem, nb);     to->M = batch_take(mem, m->branches.size);
    }
    *out = k;
    return mem->failed ? SLIP_ERR_WORKSPACE : status;
}

size_t slip_batch_bytes(const slip_model *model)
{
    slip_arena count = slip_arena_counting();
    slip_batch *k;

    batch_carve(model, &count, &k);
    return slip_arena_needed(&count);
}

slip_status slip_batch_create(const slip_model *model, slip_arena *mem, slip_batch **batch)
{
    const size_t mark = slip_arena_mark(mem);
    const int failed_before = mem->failed;
    slip_batch *k;
    slip_status status;
    int i;

    mem->failed = 0;
    status = batch_carve(model, mem, &k);
    if (status < 0) {
        slip_arena_release(mem, mark);
        return status;
    }
    mem->failed = failed_before;
    if (!slip_arena_is_counting(mem) && !k->one)
        for (i = 0; i < 9; i += 4) k->R[i] = batch_zero + 1;     /* of the world */
    *batch = k;
    return SLIP_OK;
}

int slip_batch_lanes(void) { return BATCH_LANES; }

/* ---- calls ----------------------------------------------------------------------------------------------------- */

/* Positions of the next vector of states: 0 for one that is not finite or a quaternion of zero length. */
static int batch_load_q(slip_batch *k, const slip_real *q, int count)
{
    const slip_model *m = k->m;
    int i;

    if (m->nq != m->nv)
        for (i = 0; i < count; ++i) if (slip_q_is_invalid(m, q + (size_t)i*(size_t)m->nq)) return 0;
    return batch_load(q, m->nq, count, k->q);
}

static int batch_count(int n, int i) { return n - i < BATCH_LANES ? n - i : BATCH_LANES; }

slip_status slip_batch_kinematics(slip_batch *k, int n, const slip_real *q, slip_pose *pose)
{
    const slip_model *m = k->m;
    int i, b;

    if (n < 0) return SLIP_ERR_ARGUMENT;
    for (i = 0; k->one && i < n; ++i) {
        if (slip_kinematics(m, k->one, q + (size_t)i*(size_t)m->nq) != SLIP_OK) return SLIP_ERR_ARGUMENT;
        memcpy(pose + (size_t)i*(size_t)m->nbodies, k->one->pose, (size_t)m->nbodies*sizeof *pose);
    }
    for (i = 0; !k->one && i < n; i += BATCH_LANES) {
        const int count = batch_count(n, i);

        if (!batch_load_q(k, q + (size_t)i*(size_t)m->nq, count)) return SLIP_ERR_ARGUMENT;
        batch_kinematics(k);
        for (b = 0; b < m->nbodies; ++b) {
            slip_pose *X = &pose[(size_t)i*(size_t)m->nbodies + (size_t)b];
            const size_t stride = (size_t)m->nbodies*(sizeof *X/sizeof(slip_real));

            batch_store(k->R + 9*b, 9, count, X->R, stride);
            batch_store(k->p + 3*b, 3, count, X->p, stride);
        }
    }
    return SLIP_OK;
}

slip_status slip_batch_rnea(slip_batch *k, int n, const slip_real *q, const slip_real *v, const slip_real *a,
                            slip_real *tau)
{
    const slip_model *m = k->m;
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    slip_status s = SLIP_OK;
    int i;

    if (n < 0) return SLIP_ERR_ARGUMENT;
    for (i = 0; k->one && i < n && s == SLIP_OK; ++i) {
        const size_t at = (size_t)i;

        s = a ? slip_rnea(m, k->one, q + at*nq, v + at*nv, a + at*nv, NULL, tau + at*nv)
            : slip_bias(m, k->one, q + at*nq, v + at*nv, tau + at*nv);
    }
    for (i = 0; !k->one && i < n; i += BATCH_LANES) {
        const int count = batch_count(n, i);
        const size_t at = (size_t)i;

        if (!batch_load_q(k, q + at*nq, count) || !batch_load(v + at*nv, m->nv, count, k->v)
            || (a && !batch_load(a + at*nv, m->nv, count, k->a))) return SLIP_ERR_ARGUMENT;
        batch_rnea(k, a ? k->a : NULL);
        batch_store(k->tau, m->nv, count, tau + at*nv, nv);
    }
    return s;
}

slip_status slip_batch_crba(slip_batch *k, int n, const slip_real *q, slip_real *M)
{
    const slip_model *m = k->m;
    const size_t nq = (size_t)m->nq, size = (size_t)m->branches.size;
    int i;

    if (n < 0) return SLIP_ERR_ARGUMENT;
    for (i = 0; k->one && i < n; ++i) {
        if (slip_crba(m, k->one, q + (size_t)i*nq) != SLIP_OK) return SLIP_ERR_ARGUMENT;
        memcpy(M + (size_t)i*size, k->one->M, size*sizeof *M);
    }
    for (i = 0; !k->one && i < n; i += BATCH_LANES) {
        const int count = batch_count(n, i);

        if (!batch_load_q(k, q + (size_t)i*nq, count)) return SLIP_ERR_ARGUMENT;
        batch_crba(k);
        batch_store(k->M, m->branches.size, count, M + (size_t)i*size, size);
    }
    return SLIP_OK;
}

slip_status slip_batch_aba(slip_batch *k, int n, const slip_real *q, const slip_real *v, const slip_real *tau,
                           slip_real *a)
{
    const slip_model *m = k->m;
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    slip_status s = SLIP_OK;
    int i;

    if (n < 0) return SLIP_ERR_ARGUMENT;
    for (i = 0; k->one && i < n && s == SLIP_OK; ++i) {
        const size_t at = (size_t)i;

        s = slip_aba(m, k->one, q + at*nq, v + at*nv, tau + at*nv, NULL, a + at*nv);
    }
    for (i = 0; !k->one && i < n && s == SLIP_OK; i += BATCH_LANES) {
        const int count = batch_count(n, i);
        const size_t at = (size_t)i;

        if (!batch_load_q(k, q + at*nq, count) || !batch_load(v + at*nv, m->nv, count, k->v)
            || !batch_load(tau + at*nv, m->nv, count, k->tau)) return SLIP_ERR_ARGUMENT;
        s = batch_aba(k);
        if (s == SLIP_OK) batch_store(k->a, m->nv, count, a + at*nv, nv);
    }
    return s;
}
