/* Poses, velocities and accelerations of all bodies, from the root outwards. */
#include "rbd/kernel_private.h"

#include "base/trig.h"

/* Angles of all joints that turn, then their cosines and sines in one vectorised sweep. */
static void kinematics_angles(const slip_model *m, slip_data *d, const slip_real *q)
{
    const int n = SLIP_PADDED(m->nbodies);
    int b, turning = 0;

    for (b = 1; b < m->nbodies; ++b) {
        d->angle[b] = m->turn[b]*q[m->angle[b]] + m->offset[b];
        turning |= m->type[b] < SLIP_JOINT_BALL;
    }
    if (turning) slip_sincos(n, d->angle, d->trig, d->trig + n);
}

/* L = T Rz(angle): the first two columns of T turned, the third kept. */
static inline void kinematics_turn_z(const slip_real T[9], slip_real c, slip_real s, slip_real L[9])
{
    L[0] = c*T[0] + s*T[1];  L[1] = c*T[1] - s*T[0];  L[2] = T[2];
    L[3] = c*T[3] + s*T[4];  L[4] = c*T[4] - s*T[3];  L[5] = T[5];
    L[6] = c*T[6] + s*T[7];  L[7] = c*T[7] - s*T[6];  L[8] = T[8];
}

/* The body's pose in its parent's frame: l its origin, L its rotation. */
static inline void kinematics_local(const slip_model *m, int b, const slip_real *q, slip_real c, slip_real s,
                                    slip_real l[3], slip_real L[9])
{
    const slip_pose *T = &m->tree[b];
    const slip_real *x = q + m->iq[b];
    slip_real t[3], Q[9], y;

    slip_copy3(T->p, l);
    switch (m->type[b]) {
    case SLIP_JOINT_REVOLUTE:
    case SLIP_JOINT_CONTINUOUS:
        kinematics_turn_z(T->R, c, s, L);
        break;
    case SLIP_JOINT_PRISMATIC:
        y = m->scale[b]*x[0] + m->offset[b];
        slip_mat3_copy(T->R, L);
        l[0] += y*L[2];  l[1] += y*L[5];  l[2] += y*L[8];
        break;
    case SLIP_JOINT_PLANAR:
        slip_set3(x[0], x[1], 0, t);
        slip_mat3_vec(T->R, t, t);
        slip_add3(l, t, l);
        kinematics_turn_z(T->R, c, s, L);
        break;
    case SLIP_JOINT_BALL:
        slip_quat_to_mat3(x, Q);
        slip_mat3_mul(T->R, Q, L);
        break;
    default:                                             /* floating */
        slip_mat3_vec(T->R, x, t);
        slip_add3(l, t, l);
        slip_quat_to_mat3(x + 3, Q);
        slip_mat3_mul(T->R, Q, L);
        break;
    }
}

void slip_kinematics_pass(const slip_model *m, slip_data *d, const slip_real *q)
{
    const slip_real *cosine = d->trig, *sine = d->trig + SLIP_PADDED(m->nbodies);
    int b;

    kinematics_angles(m, d, q);
    d->has_own = 0;
    for (b = 1; b < m->nbodies; ++b) {
        const slip_pose *P = &d->pose[m->parent[b]];
        slip_pose *SLIP_RESTRICT X = &d->pose[b];
        slip_real *SLIP_RESTRICT r = d->arm + 3*b, l[3], L[9];
        int i;

        /* Local poses do not depend on the parent, so only the products below form a chain of dependencies. */
        kinematics_local(m, b, q, cosine[b], sine[b], l, L);
        for (i = 0; i < 3; ++i) {
            const slip_real x = P->R[3*i], y = P->R[3*i + 1], z = P->R[3*i + 2];

            X->R[3*i]     = x*L[0] + y*L[3] + z*L[6];
            X->R[3*i + 1] = x*L[1] + y*L[4] + z*L[7];
            X->R[3*i + 2] = x*L[2] + y*L[5] + z*L[8];
            r[i] = x*l[0] + y*l[1] + z*l[2];
            X->p[i] = P->p[i] + r[i];
        }
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

int slip_q_is_invalid(const slip_model *m, const slip_real *q)
{
    return !rbd_finite(q, m->nq) || (m->nq != m->nv && kinematics_has_zero_quat(m, q));
}

slip_status slip_kinematics(const slip_model *model, slip_data *data, const slip_real *q)
{
    if (slip_q_is_invalid(model, q)) return SLIP_ERR_ARGUMENT;
    slip_kinematics_pass(model, data, q);
    return SLIP_OK;
}

/* Velocities outwards; v is finite. */
static void kinematics_velocities(const slip_model *model, slip_data *data, const slip_real *v)
{
    const slip_real *x = slip_expand(model, v, data->u);
    int b;

    for (b = 1; b < model->nbodies; ++b) {
        const slip_real *p = data->velocity + 6*model->parent[b];
        slip_real *o = data->velocity + 6*b, u[3], w[3], t[3];

        rbd_joint_motion(model, b, &data->pose[b], x + model->idof[b], u, w);
        slip_cross3(p + 3, data->arm + 3*b, t);          /* v = v_p + w_p x r + u,   w = w_p + w_joint */
        slip_add3(p, t, o);
        slip_add3(o, u, o);
        slip_add3(p + 3, w, o + 3);
    }
}

slip_status slip_velocities(const slip_model *model, slip_data *data, const slip_real *v)
{
    if (!rbd_finite(v, model->nv)) return SLIP_ERR_ARGUMENT;
    kinematics_velocities(model, data, v);
    return SLIP_OK;
}

slip_status slip_motion_pass(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v)
{
    if (model->nq != model->nv && kinematics_has_zero_quat(model, q)) return SLIP_ERR_ARGUMENT;
    slip_kinematics_pass(model, data, q);
    kinematics_velocities(model, data, v);
    return SLIP_OK;
}

slip_status slip_accelerations(const slip_model *model, slip_data *data, const slip_real *v, const slip_real *a)
{
    const slip_real *x, *y;
    int b;

    if (!rbd_finite(v, model->nv) || !rbd_finite(a, model->nv)) return SLIP_ERR_ARGUMENT;
    x = slip_expand(model, v, data->u);
    y = slip_expand(model, a, data->u + model->ndofs);
    for (b = 0; b < 6; ++b) data->accel[b] = 0;          /* the world's: inverse dynamics leaves -g there */
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

/* The terms of slip_accelerations(), summed from the body up to its root: what joint j adds to the angular acceleration
 * turns everything beyond it, alpha_j x (p_body - p_j). */
void slip_body_acceleration(const slip_model *model, const slip_data *data, int body, const slip_real *a,
                            slip_real accel[6])
{
    int b, i;

    for (i = 0; i < 6; ++i) accel[i] = 0;
    for (b = body; b > 0; b = model->parent[b]) {
        const slip_real *o = data->velocity + 6*b, *p = data->velocity + 6*model->parent[b], *r = data->arm + 3*b;
        slip_real y[6] = { 0 }, u[3], w[3], du[3], alpha[3], t[3], sum[3];

        for (i = model->idof[b]; i < model->ndofs && model->dof_body[i] == b; ++i)
            y[i - model->idof[b]] = model->dof_scale[i]*a[model->dof_iv[i]];
        rbd_joint_motion(model, b, &data->pose[b], y, du, alpha);
        slip_cross3(p + 3, r, t);
        for (i = 0; i < 3; ++i) {
            u[i] = o[i] - p[i] - t[i];                   /* the joint's own velocity */
            w[i] = o[3 + i] - p[3 + i];
        }
        slip_cross3_add(p + 3, w, alpha);
        slip_add3(p + 3, o + 3, sum);
        slip_cross3_add(sum, u, du);
        slip_cross3_add(p + 3, t, du);
        slip_sub3(data->pose[body].p, data->pose[b].p, t);
        slip_cross3_add(alpha, t, du);
        slip_add3(accel, du, accel);
        slip_add3(accel + 3, alpha, accel + 3);
    }
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
