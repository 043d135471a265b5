/* Forward dynamics: the articulated-body algorithm (Featherstone 1983), in world axes at each body's own
 * origin, written for the deviation from the motion with zero joint accelerations:
 *
 *   outwards   a0, p = I a0 + bias                     the Newton-Euler pass with no acceleration
 *   inwards    U = IA s,  D = s . U + armature,  u = tau - s . p          for each freedom, last to first
 *              IA -= U U'/D,  p += U u/D;   parent: IA_p += shifted IA,  p_p += shifted p
 *   outwards   delta = delta_p shifted;   a = (u - U . delta)/D,  delta += s a       first to last
 *
 * As the deviation starts at zero at the world, velocity-product accelerations need no term of their own.
 * Joints with several freedoms are eliminated one freedom after the other, which is block elimination.
 *
 * An articulated inertia is 21 numbers, [ A B; B' C ]: A (6, symmetric), B (9, row-major), C (6). */
#include "rbd/kernel_private.h"

/* IA of a rigid body: A = m 1, B = -[h]x, C = I. */
static inline void aba_rigid(const slip_real I[10], slip_real IA[21])
{
    slip_real *B = IA + 6;
    int i;

    IA[0] = IA[3] = IA[5] = I[0];
    IA[1] = IA[2] = IA[4] = 0;
    B[0] = 0;      B[1] = I[3];   B[2] = -I[2];
    B[3] = -I[3];  B[4] = 0;      B[5] = I[1];
    B[6] = I[2];   B[7] = -I[1];  B[8] = 0;
    for (i = 0; i < 6; ++i) IA[15 + i] = I[4 + i];
}

/* U = IA s for a unit axis z, turning (0, z) or moving (z, 0). */
static inline void aba_column(const slip_real IA[21], const slip_real z[3], int angular, slip_real U[6])
{
    if (angular) {
        slip_mat3_vec(IA + 6, z, U);
        slip_sym3_vec(IA + 15, z, U + 3);
    } else {
        slip_sym3_vec(IA, z, U);
        slip_mat3_tvec(IA + 6, z, U + 3);
    }
}

/* IA -= U U'/D */
static inline void aba_eliminate(const slip_real U[6], slip_real D_inv, slip_real IA[21])
{
    const slip_real a = D_inv*U[0], b = D_inv*U[1], c = D_inv*U[2], d = D_inv*U[3], e = D_inv*U[4], f = D_inv*U[5];

    IA[0] -= a*U[0];   IA[1] -= a*U[1];   IA[2] -= a*U[2];   IA[3] -= b*U[1];   IA[4] -= b*U[2];   IA[5] -= c*U[2];
    IA[6] -= a*U[3];   IA[7] -= a*U[4];   IA[8] -= a*U[5];
    IA[9] -= b*U[3];   IA[10] -= b*U[4];  IA[11] -= b*U[5];
    IA[12] -= c*U[3];  IA[13] -= c*U[4];  IA[14] -= c*U[5];
    IA[15] -= d*U[3];  IA[16] -= d*U[4];  IA[17] -= d*U[5];  IA[18] -= e*U[4];  IA[19] -= e*U[5];  IA[20] -= f*U[5];
}

/* Adds an articulated inertia at a point r away to one here: A stays, B' = B - A [r]x,
 * C' = C - B' [r]x + [r]x B'  (written with B and B' so that C' is symmetric to rounding). */
static inline void aba_add_shifted(const slip_real IA[21], const slip_real r[3], slip_real to[21])
{
    const slip_real *A = IA, *B = IA + 6, *C = IA + 15;
    const slip_real x = r[0], y = r[1], z = r[2];
    /* row i of A [r]x is (row i of A) x r */
    const slip_real b0 = B[0] - (A[1]*z - A[2]*y), b1 = B[1] - (A[2]*x - A[0]*z), b2 = B[2] - (A[0]*y - A[1]*x);
    const slip_real b3 = B[3] - (A[3]*z - A[4]*y), b4 = B[4] - (A[4]*x - A[1]*z), b5 = B[5] - (A[1]*y - A[3]*x);
    const slip_real b6 = B[6] - (A[4]*z - A[5]*y), b7 = B[7] - (A[5]*x - A[2]*z), b8 = B[8] - (A[2]*y - A[4]*x);
    int i;

    for (i = 0; i < 6; ++i) to[i] += A[i];
    to[6] += b0;   to[7] += b1;   to[8] += b2;
    to[9] += b3;   to[10] += b4;  to[11] += b5;
    to[12] += b6;  to[13] += b7;  to[14] += b8;
    /* C - B^T [r]x: row i is C_i - (column i of B) x r;  + [r]x B': column j is r x (column j of B') */
    to[15] += C[0] - (B[3]*z - B[6]*y) + (y*b6 - z*b3);
    to[16] += C[1] - (B[6]*x - B[0]*z) + (y*b7 - z*b4);
    to[17] += C[2] - (B[0]*y - B[3]*x) + (y*b8 - z*b5);
    to[18] += C[3] - (B[7]*x - B[1]*z) + (z*b1 - x*b7);
    to[19] += C[4] - (B[1]*y - B[4]*x) + (z*b2 - x*b8);
    to[20] += C[5] - (B[2]*y - B[5]*x) + (x*b5 - y*b2);
}

/* Eliminates the freedoms of one body; 0 when a pivot is not positive. */
static int aba_inwards_body(const slip_model *m, slip_data *d, int b, const slip_real *tau)
{
    const int first = m->idof[b];
    int k = first + slip_joint_nv((slip_joint_type)m->type[b]) - 1, i;
    slip_real *IA = d->articulated + 21*b, *p = d->force + 6*b, *u = d->u + m->ndofs, *D_inv = u + m->ndofs;

    for (; k >= first; --k) {
        const slip_real *s;
        slip_real z[3], *U = d->U + 6*k, D, w;

        rbd_axis(&d->pose[b], m->dof_axis[k], z);
        aba_column(IA, z, m->dof_angular[k], U);
        s = m->dof_angular[k] ? U + 3 : U;
        D = slip_dot3(z, s) + m->dof_armature[k];
        if (!(D > 0)) return 0;
        D_inv[k] = 1/D;
        u[k] = tau[k] - slip_dot3(z, m->dof_angular[k] ? p + 3 : p);
        w = u[k]*D_inv[k];
        for (i = 0; i < 6; ++i) p[i] += U[i]*w;
        if (m->parent[b] != 0 || k > first) aba_eliminate(U, D_inv[k], IA);
    }
    return 1;
}

static slip_status aba_inwards(const slip_model *m, slip_data *d, const slip_real *tau)
{
    int b, i;

    for (b = m->nbodies - 1; b > 0; --b) {
        const int parent = m->parent[b];
        slip_real *P;

        if (!aba_inwards_body(m, d, b, tau)) return SLIP_ERR_NOT_SPD;
        if (parent == 0) continue;
        aba_add_shifted(d->articulated + 21*b, d->arm + 3*b, d->articulated + 21*parent);
        P = d->force + 6*parent;
        for (i = 0; i < 6; ++i) P[i] += d->force[6*b + i];
        slip_cross3_add(d->arm + 3*b, d->force + 6*b, P + 3);
    }
    return SLIP_OK;
}

/* Accelerations from the root outwards; the deviations replace data->accel. */
static void aba_outwards(const slip_model *m, slip_data *d, slip_real *a)
{
    const slip_real *u = d->u + m->ndofs, *D_inv = u + m->ndofs;
    int b, k, i;

    for (i = 0; i < 6; ++i) d->accel[i] = 0;
    for (b = 1; b < m->nbodies; ++b) {
        const int end = m->idof[b] + slip_joint_nv((slip_joint_type)m->type[b]);
        slip_real *delta = d->accel + 6*b;

        slip_motion_shift(d->accel + 6*m->parent[b], d->arm + 3*b, delta);
        for (k = m->idof[b]; k < end; ++k) {
            const slip_real *U = d->U + 6*k;
            slip_real z[3], *part = m->dof_angular[k] ? delta + 3 : delta, sum = 0;

            for (i = 0; i < 6; ++i) sum += U[i]*delta[i];
            a[k] = (u[k] - sum)*D_inv[k];
            rbd_axis(&d->pose[b], m->dof_axis[k], z);
            slip_axpy3(a[k], z, part, part);
        }
    }
}

/* With mimic joints: a = M^-1 (tau - nle), the bias forces gathered over the freedoms. */
static slip_status aba_by_ltl(const slip_model *m, slip_data *d, const slip_real *v, const slip_real *tau,
                              const slip_real *wrench, slip_real *a)
{
    slip_status s;
    int i;

    slip_crba_pass(m, d);
    s = slip_ltl_factor(&m->branches, d->M, d->L, d->D_inv, NULL);
    if (s != SLIP_OK) return s;
    slip_bias_pass(m, d, v, wrench, d->x);
    for (i = 0; i < m->nv; ++i) a[i] = tau[i] - d->x[i];
    slip_ltl_solve(&m->branches, d->L, d->D_inv, a);
    return SLIP_OK;
}

slip_status slip_aba(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v,
                     const slip_real *tau, const slip_real *wrench, slip_real *a)
{
    slip_status s;
    int b;

    if (slip_q_is_invalid(model, q) || !rbd_finite(v, model->nv) || !rbd_finite(tau, model->nv)
        || (wrench && !rbd_finite(wrench, 6*model->nbodies))) return SLIP_ERR_ARGUMENT;
    slip_kinematics_pass(model, data, q);
    if (model->ndofs != model->nv) return aba_by_ltl(model, data, v, tau, wrench, a);
    slip_own_inertia_pass(model, data);
    slip_newton_euler_pass(model, data, v, NULL, wrench);
    for (b = 1; b < model->nbodies; ++b) aba_rigid(data->own + 10*b, data->articulated + 21*b);
    s = aba_inwards(model, data, tau);
    if (s == SLIP_OK) aba_outwards(model, data, a);
    return s;
}
