/* Inverse dynamics: the recursive Newton-Euler algorithm (Luh, Walker and Paul 1980), in world axes with
 * each body's origin as its reference point, and classical accelerations:
 *
 *   outwards   w = w_p + w_joint
 *              alpha = alpha_p + w_p x w_joint + w'_joint
 *              a = a_p + K_p r + (w_p + w) x u + u',        K = [alpha]x + [w]x [w]x
 *              f = m a + K h,   n = I alpha + w x I w + h x a
 *   inwards    tau = S . (f, n),   f_p += f,  n_p += n + r x f
 *
 * The linear velocity of the origin never appears, and K serves the body itself and all its children. */
#include "rbd/kernel_private.h"

/* K = [alpha]x + [w]x [w]x, the linear map from a point's offset to its acceleration relative to the origin. */
static inline void newton_euler_K(const slip_real w[3], const slip_real alpha[3], slip_real K[9])
{
    const slip_real xx = w[0]*w[0], yy = w[1]*w[1], zz = w[2]*w[2];
    const slip_real xy = w[0]*w[1], xz = w[0]*w[2], yz = w[1]*w[2];

    K[0] = -(yy + zz);      K[1] = xy - alpha[2];   K[2] = xz + alpha[1];
    K[3] = xy + alpha[2];   K[4] = -(xx + zz);      K[5] = yz - alpha[0];
    K[6] = xz - alpha[1];   K[7] = yz + alpha[0];   K[8] = -(xx + yy);
}

/* f = m a + K h,  n = R (I (R' alpha) + (R' w) x I (R' w)) + h x a, with I and h constant in body axes. */
static inline void newton_euler_force(const slip_real I[10], const slip_real R[9], const slip_real K[9],
                                      const slip_real w[3], const slip_real acc[6], slip_real f[6])
{
    slip_real h[3], wb[3], ab[3], Lw[3], nb[3], Kh[3];

    slip_mat3_vec(R, I + 1, h);
    slip_mat3_vec(K, h, Kh);
    slip_axpy3(I[0], acc, Kh, f);
    slip_mat3_tvec(R, w, wb);
    slip_mat3_tvec(R, acc + 3, ab);
    slip_sym3_vec(I + 4, wb, Lw);
    slip_sym3_vec(I + 4, ab, nb);
    slip_cross3_add(wb, Lw, nb);
    slip_mat3_vec(R, nb, f + 3);
    slip_cross3_add(h, acc, f + 3);
}

/* The same with I and h in world axes. */
static inline void newton_euler_own_force(const slip_real I[10], const slip_real K[9], const slip_real w[3],
                                          const slip_real acc[6], slip_real f[6])
{
    slip_real Lw[3], Kh[3];

    slip_mat3_vec(K, I + 1, Kh);
    slip_axpy3(I[0], acc, Kh, f);
    slip_sym3_vec(I + 4, w, Lw);
    slip_sym3_vec(I + 4, acc + 3, f + 3);
    slip_cross3_add(w, Lw, f + 3);
    slip_cross3_add(I + 1, acc, f + 3);
}

/* Angular velocity and accelerations of a body with one turning freedom. */
static inline void newton_euler_revolute(const slip_real z[3], slip_real x, slip_real y, const slip_real w_p[3],
                                         slip_real w[3], slip_real acc[6])
{
    slip_real joint[3];

    slip_scale3(x, z, joint);
    slip_axpy3(y, z, acc + 3, acc + 3);
    slip_cross3_add(w_p, joint, acc + 3);
    slip_add3(w_p, joint, w);
}

/* The same for any joint. */
static void newton_euler_general(const slip_model *m, const slip_data *d, int b, const slip_real *x, const slip_real *y,
                                 const slip_real w_p[3], slip_real w[3], slip_real acc[6])
{
    slip_real u[3], joint[3], du[3], dw[3], sum[3];

    rbd_joint_motion(m, b, &d->pose[b], x, u, joint);
    slip_add3(w_p, joint, w);
    slip_add3(w_p, w, sum);
    slip_cross3_add(sum, u, acc);
    slip_cross3_add(w_p, joint, acc + 3);
    if (!y) return;
    rbd_joint_motion(m, b, &d->pose[b], y, du, dw);
    slip_add3(acc, du, acc);
    slip_add3(acc + 3, dw, acc + 3);
}

void slip_newton_euler_pass(const slip_model *m, slip_data *d, const slip_real *x, const slip_real *y,
                            const slip_real *wrench)
{
    int b, i;

    slip_neg3(m->gravity, d->accel);                     /* the world accelerates upwards */
    slip_zero3(d->accel + 3);
    slip_zero3(d->velocity + 3);
    for (i = 0; i < 9; ++i) d->bias[i] = 0;
    for (b = 1; b < m->nbodies; ++b) {
        const int p = m->parent[b], first = m->idof[b];
        const slip_real *w_p = d->velocity + 6*p + 3, *R = d->pose[b].R;
        slip_real *w = d->velocity + 6*b + 3, *acc = d->accel + 6*b, *K = d->bias + 9*b, *f = d->force + 6*b;

        slip_mat3_vec(d->bias + 9*p, d->arm + 3*b, acc);
        slip_add3(acc, d->accel + 6*p, acc);
        slip_copy3(d->accel + 6*p + 3, acc + 3);
        if (m->type[b] == SLIP_JOINT_REVOLUTE || m->type[b] == SLIP_JOINT_CONTINUOUS) {
            slip_real z[3];

            rbd_axis(&d->pose[b], 2, z);
            newton_euler_revolute(z, x[first], y ? y[first] : 0, w_p, w, acc);
        } else {
            newton_euler_general(m, d, b, x + first, y ? y + first : NULL, w_p, w, acc);
        }
        newton_euler_K(w, acc + 3, K);
        if (d->has_own) newton_euler_own_force(d->own + 10*b, K, w, acc, f);
        else newton_euler_force(m->inertia + 10*b, R, K, w, acc, f);
        if (wrench)
            for (i = 0; i < 6; ++i) f[i] -= wrench[6*b + i];
    }
}

/* Inwards: forces of the freedoms, and each body's force handed to its parent. tau may be y. */
static void rnea_inwards(const slip_model *m, slip_data *d, const slip_real *y, slip_real *tau)
{
    int b, i;

    for (b = m->nbodies - 1; b > 0; --b) {
        const int first = m->idof[b], n = slip_joint_nv((slip_joint_type)m->type[b]);
        const slip_real *f = d->force + 6*b;
        slip_real *F = d->force + 6*m->parent[b], s[6];

        rbd_joint_force(m, b, &d->pose[b], f, s);
        for (i = 0; i < n; ++i) tau[first + i] = y ? s[i] + m->dof_armature[first + i]*y[first + i] : s[i];
        if (m->parent[b] == 0) continue;
        for (i = 0; i < 6; ++i) F[i] += f[i];
        slip_cross3_add(d->arm + 3*b, f, F + 3);
    }
}

/* x and y over the freedoms; tau over the coordinates. */
static void rnea_run(const slip_model *m, slip_data *d, const slip_real *x, const slip_real *y,
                     const slip_real *wrench, slip_real *tau)
{
    slip_real *room = d->u + 2*m->ndofs;

    slip_newton_euler_pass(m, d, x, y, wrench);
    rnea_inwards(m, d, y, m->ndofs == m->nv ? tau : room);
    if (m->ndofs != m->nv) slip_gather(m, room, tau);
}

slip_status slip_rnea(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v,
                      const slip_real *a, const slip_real *wrench, slip_real *tau)
{
    if (slip_q_is_invalid(model, q) || !rbd_finite(v, model->nv) || !rbd_finite(a, model->nv)
        || (wrench && !rbd_finite(wrench, 6*model->nbodies))) return SLIP_ERR_ARGUMENT;
    slip_kinematics_pass(model, data, q);
    rnea_run(model, data, slip_expand(model, v, data->u), slip_expand(model, a, data->u + model->ndofs), wrench, tau);
    return SLIP_OK;
}

void slip_bias_pass(const slip_model *m, slip_data *d, const slip_real *v, const slip_real *wrench, slip_real *nle)
{
    rnea_run(m, d, slip_expand(m, v, d->u), NULL, wrench, nle);
}

slip_status slip_bias(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v, slip_real *nle)
{
    if (slip_q_is_invalid(model, q) || !rbd_finite(v, model->nv)) return SLIP_ERR_ARGUMENT;
    slip_kinematics_pass(model, data, q);
    slip_bias_pass(model, data, v, NULL, nle);
    return SLIP_OK;
}

slip_status slip_gravity(const slip_model *model, slip_data *data, const slip_real *q, slip_real *g)
{
    int i;

    if (slip_q_is_invalid(model, q)) return SLIP_ERR_ARGUMENT;
    slip_kinematics_pass(model, data, q);
    for (i = 0; i < model->ndofs; ++i) data->u[i] = 0;
    rnea_run(model, data, data->u, NULL, NULL, g);
    return SLIP_OK;
}

void slip_wrench_add(const slip_model *model, const slip_data *data, int link, const slip_real point[3],
                     const slip_real force[3], const slip_real moment[3], slip_real *wrench)
{
    const int b = model->link_body[link];
    slip_real *w = wrench + 6*b, r[3];

    if (b == 0) return;
    slip_sub3(point, data->pose[b].p, r);
    slip_add3(w, force, w);
    slip_cross3_add(r, force, w + 3);
    if (moment) slip_add3(w + 3, moment, w + 3);
}
