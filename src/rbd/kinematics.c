/* Poses, velocities and accelerations of all bodies, from the root outwards. */
#include "rbd/kernel_private.h"

#include "rbd/trig.h"

/* Angles of all joints that turn, then their cosines and sines in one vectorised sweep. */
static void kinematics_angles(const slip_model *m, slip_data *d, const slip_real *q)
{
    int b;

    d->angle[0] = 0;
    for (b = 1; b < m->nbodies; ++b) d->angle[b] = m->turn[b]*q[m->angle[b]] + m->offset[b];
    slip_sincos(m->nbodies, d->angle, d->trig, d->trig + m->nbodies);
}

/* R = A Rz(angle): the first two columns of A turned, the third kept. */
static inline void kinematics_turn_z(const slip_real A[9], slip_real c, slip_real s, slip_real R[9])
{
    int i;

    for (i = 0; i < 9; i += 3) {
        const slip_real x = A[i], y = A[i + 1];

        R[i] = c*x + s*y;
        R[i + 1] = c*y - s*x;
        R[i + 2] = A[i + 2];
    }
}

/* R = A Q(quaternion) */
static inline void kinematics_turn_quat(const slip_real A[9], const slip_real quat[4], slip_real R[9])
{
    slip_real Q[9];

    slip_quat_to_mat3(quat, Q);
    slip_mat3_mul(A, Q, R);
}

void slip_kinematics_pass(const slip_model *m, slip_data *d, const slip_real *q)
{
    const slip_real *cosine = d->trig, *sine = d->trig + m->nbodies;
    int b;

    kinematics_angles(m, d, q);
    for (b = 1; b < m->nbodies; ++b) {
        const slip_pose *P = &d->pose[m->parent[b]], *T = &m->tree[b];
        const slip_real *x = q + m->iq[b];
        slip_pose *X = &d->pose[b];
        slip_real *r = d->arm + 3*b, A[9], t[3];

        slip_mat3_mul(P->R, T->R, A);                    /* the joint's frame before it moves */
        slip_mat3_vec(P->R, T->p, r);
        switch (m->type[b]) {
        case SLIP_JOINT_REVOLUTE:
        case SLIP_JOINT_CONTINUOUS:
            kinematics_turn_z(A, cosine[b], sine[b], X->R);
            break;
        case SLIP_JOINT_PRISMATIC: {
            const slip_real s = m->scale[b]*x[0] + m->offset[b];

            slip_mat3_copy(A, X->R);
            r[0] += s*A[2];  r[1] += s*A[5];  r[2] += s*A[8];
            break; }
        case SLIP_JOINT_PLANAR:
            slip_set3(x[0], x[1], 0, t);
            slip_mat3_vec(A, t, t);
            slip_add3(r, t, r);
            kinematics_turn_z(A, cosine[b], sine[b], X->R);
            break;
        case SLIP_JOINT_BALL:
            kinematics_turn_quat(A, x, X->R);
            break;
        case SLIP_JOINT_FLOATING:
            slip_mat3_vec(A, x, t);
            slip_add3(r, t, r);
            kinematics_turn_quat(A, x + 3, X->R);
            break;
        default: break;
        }
        slip_add3(P->p, r, X->p);
    }
}

/* Quaternions of zero length have no rotation. */
static int kinematics_has_zero_quat(const slip_model *m, const slip_real *q)
{
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const slip_real *x = q + m->iq[b] + (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 0);

        if (m->type[b] < SLIP_JOINT_BALL) continue;
        if (!(x[0]*x[0] + x[1]*x[1] + x[2]*x[2] + x[3]*x[3] > SLIP_TOL(1e-200, 1e-30))) return 1;
    }
    return 0;
}

int slip_q_is_bad(const slip_model *m, const slip_real *q)
{
    return !rbd_finite(q, m->nq) || (m->nq != m->nv && kinematics_has_zero_quat(m, q));
}

slip_status slip_kinematics(const slip_model *model, slip_data *data, const slip_real *q)
{
    if (slip_q_is_bad(model, q)) return SLIP_ERR_ARGUMENT;
    slip_kinematics_pass(model, data, q);
    return SLIP_OK;
}

slip_status slip_velocities(const slip_model *model, slip_data *data, const slip_real *v)
{
    const slip_real *x;
    int b;

    if (!rbd_finite(v, model->nv)) return SLIP_ERR_ARGUMENT;
    x = slip_expand(model, v, data->u);
    for (b = 1; b < model->nbodies; ++b) {
        const slip_real *p = data->velocity + 6*model->parent[b];
        slip_real *o = data->velocity + 6*b, u[3], w[3], t[3];

        rbd_joint_motion(model, b, &data->pose[b], x + model->idof[b], u, w);
        slip_cross3(p + 3, data->arm + 3*b, t);          /* v = v_p + w_p x r + u,   w = w_p + w_joint */
        slip_add3(p, t, o);
        slip_add3(o, u, o);
        slip_add3(p + 3, w, o + 3);
    }
    return SLIP_OK;
}

slip_status slip_accelerations(const slip_model *model, slip_data *data, const slip_real *v, const slip_real *a)
{
    const slip_real *x, *y;
    int b;

    if (!rbd_finite(v, model->nv) || !rbd_finite(a, model->nv)) return SLIP_ERR_ARGUMENT;
    x = slip_expand(model, v, data->u);
    y = slip_expand(model, a, data->u + model->ndofs);
    for (b = 1; b < model->nbodies; ++b) {
        const int p = model->parent[b];
        const slip_real *w_p = data->velocity + 6*p + 3, *w_b = data->velocity + 6*b + 3, *r = data->arm + 3*b;
        const slip_real *acc_p = data->accel + 6*p;
        slip_real *acc = data->accel + 6*b, u[3], w[3], t[3], sum[3];

        /* a = a_p + alpha_p x r + w_p x (w_p x r) + (w_p + w) x u + u',  alpha = alpha_p + w_p x w_joint + w' */
        rbd_joint_motion(model, b, &data->pose[b], y + model->idof[b], acc, acc + 3);
        rbd_joint_motion(model, b, &data->pose[b], x + model->idof[b], u, w);
        slip_cross3_add(w_p, w, acc + 3);
        slip_add3(acc + 3, acc_p + 3, acc + 3);
        slip_add3(w_p, w_b, sum);
        slip_cross3_add(sum, u, acc);
        slip_cross3(w_p, r, t);
        slip_cross3_add(w_p, t, acc);
        slip_cross3_add(acc_p + 3, r, acc);
        slip_add3(acc, acc_p, acc);
    }
    return SLIP_OK;
}

void slip_link_pose(const slip_model *model, const slip_data *data, int link, slip_pose *X)
{
    slip_pose_mul(&data->pose[model->link_body[link]], &model->link_pose[link], X);
}

void slip_link_velocity(const slip_model *model, const slip_data *data, int link, slip_real v[6])
{
    const int b = model->link_body[link];
    slip_real r[3];

    slip_mat3_vec(data->pose[b].R, model->link_pose[link].p, r);
    slip_motion_shift(data->velocity + 6*b, r, v);
}
