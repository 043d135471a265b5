/* See convert.h. Every converter is one switch over joint types. The libraries differ in the order of a quaternion, the
 * axes of a velocity, and the point where it is taken. */
#include "rbd/convert.h"

#include "rbd/kernel_private.h"

/* ---- small ones ------------------------------------------------------------------------------------- */

void slip_quat_to_wxyz(const slip_real q[4], slip_real wxyz[4])
{
    const slip_real x = q[0], y = q[1], z = q[2], w = q[3];

    wxyz[0] = w;  wxyz[1] = x;  wxyz[2] = y;  wxyz[3] = z;
}

void slip_quat_from_wxyz(const slip_real wxyz[4], slip_real q[4])
{
    const slip_real w = wxyz[0], x = wxyz[1], y = wxyz[2], z = wxyz[3];

    q[0] = x;  q[1] = y;  q[2] = z;  q[3] = w;
}

void slip_quat_from_rpy(const slip_real rpy[3], slip_real q[4])
{
    slip_real R[9];

    slip_mat3_from_rpy(rpy, R);
    slip_mat3_to_quat(R, q);
}

void slip_quat_to_rpy(const slip_real q[4], slip_real rpy[3])
{
    slip_real R[9];

    slip_quat_to_mat3(q, R);
    slip_mat3_to_rpy(R, rpy);
}

void slip_twist_to_world(const slip_pose *X, const slip_real in_frame[6], slip_real in_world[6])
{
    slip_mat3_vec(X->R, in_frame, in_world);
    slip_mat3_vec(X->R, in_frame + 3, in_world + 3);
}

void slip_twist_from_world(const slip_pose *X, const slip_real in_world[6], slip_real in_frame[6])
{
    slip_mat3_tvec(X->R, in_world, in_frame);
    slip_mat3_tvec(X->R, in_world + 3, in_frame + 3);
}

/* ---- walking over a model ------------------------------------------------------------------------------- */

/* The next body after b whose joint has coordinates of its own; nbodies at the end. */
static int convert_next(const slip_model *m, int b)
{
    do ++b; while (b < m->nbodies && m->mimics[b]);
    return b;
}

static int convert_iv(const slip_model *m, int b) { return m->dof_iv[m->idof[b]]; }

static void convert_copy(int n, const slip_real *from, slip_real *to)
{
    int i;

    for (i = 0; i < n; ++i) to[i] = from[i];
}

static int convert_is_zero_quat(const slip_real q[4])
{
    return !(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3] > SLIP_TOL(1e-200, 1e-30));
}

/* ---- MuJoCo ------------------------------------------------------------------------------------------- */

slip_status slip_q_to_mujoco(const slip_model *model, const slip_real *q, slip_real *qpos)
{
    slip_real turn[4];
    int b;

    if (slip_q_is_invalid(model, q)) return SLIP_ERR_ARGUMENT;
    for (b = convert_next(model, 0); b < model->nbodies; b = convert_next(model, b)) {
        const slip_real *x = q + model->iq[b];
        slip_real *y = qpos + model->iq[b];

        switch (model->type[b]) {
        case SLIP_JOINT_BALL: slip_quat_to_wxyz(x, y); break;
        case SLIP_JOINT_FLOATING:                        /* the joint's own origin is part of qpos there */
            slip_pose_point(&model->tree[b], x, y);
            slip_mat3_to_quat(model->tree[b].R, turn);
            slip_quat_mul(turn, x + 3, turn);
            slip_quat_to_wxyz(turn, y + 3);
            break;
        default: convert_copy(slip_joint_nq((slip_joint_type)model->type[b]), x, y); break;
        }
    }
    return SLIP_OK;
}

slip_status slip_q_from_mujoco(const slip_model *model, const slip_real *qpos, slip_real *q)
{
    slip_real turn[4], inverse[4];
    int b;

    if (slip_q_is_invalid(model, qpos)) return SLIP_ERR_ARGUMENT;       /* quaternions are in the same places */
    for (b = convert_next(model, 0); b < model->nbodies; b = convert_next(model, b)) {
        const slip_real *y = qpos + model->iq[b];
        slip_real *x = q + model->iq[b];

        switch (model->type[b]) {
        case SLIP_JOINT_BALL: slip_quat_from_wxyz(y, x); break;
        case SLIP_JOINT_FLOATING:
            slip_pose_inv_point(&model->tree[b], y, x);
            slip_mat3_to_quat(model->tree[b].R, turn);
            slip_quat_conj(turn, inverse);
            slip_quat_from_wxyz(y + 3, turn);
            slip_quat_mul(inverse, turn, x + 3);
            break;
        default: convert_copy(slip_joint_nq((slip_joint_type)model->type[b]), y, x); break;
        }
    }
    return SLIP_OK;
}

/* The rotation from the child's axes, those of our linear velocity, to the axes MuJoCo uses: the world's for a free
 * joint, the joint frame's for a planar one. 0 for joints that need none. */
static int mujoco_turn(const slip_model *m, int b, const slip_real *q, slip_real R[9])
{
    const slip_real *x = q + m->iq[b];

    if (m->type[b] == SLIP_JOINT_FLOATING) {
        slip_quat_to_mat3(x + 3, R);
        slip_mat3_mul(m->tree[b].R, R, R);
        return 1;
    }
    if (m->type[b] == SLIP_JOINT_PLANAR) {
        const slip_real c = slip_cos(x[2]), s = slip_sin(x[2]);

        slip_mat3_identity(R);
        R[0] = c;  R[1] = -s;
        R[3] = s;  R[4] = c;
        return 1;
    }
    return 0;
}

/* The linear part of a joint's velocities or forces, two or three numbers, turned by R or back. */
static void mujoco_turn_linear(const slip_real R[9], int n, int back, slip_real *x)
{
    slip_real t[3] = { 0, 0, 0 };

    convert_copy(n, x, t);
    if (back) slip_mat3_tvec(R, t, t);
    else slip_mat3_vec(R, t, t);
    convert_copy(n, t, x);
}

static int mujoco_linear(int type) { return type == SLIP_JOINT_PLANAR ? 2 : 3; }

/* A vector over v into MuJoCo's axes or back, in place. */
static void mujoco_turn_all(const slip_model *m, const slip_real *q, int back, slip_real *x)
{
    slip_real R[9];
    int b;

    for (b = convert_next(m, 0); b < m->nbodies; b = convert_next(m, b))
        if (mujoco_turn(m, b, q, R)) mujoco_turn_linear(R, mujoco_linear(m->type[b]), back, x + convert_iv(m, b));
}

/* Velocities and forces go the same way, as R is orthogonal. */
static slip_status mujoco_vector(const slip_model *m, const slip_real *q, const slip_real *in, int back, slip_real *out)
{
    if (slip_q_is_invalid(m, q) || !rbd_finite(in, m->nv)) return SLIP_ERR_ARGUMENT;
    convert_copy(m->nv, in, out);
    mujoco_turn_all(m, q, back, out);
    return SLIP_OK;
}

slip_status slip_v_to_mujoco(const slip_model *model, const slip_real *q, const slip_real *v, slip_real *qvel)
{
    return mujoco_vector(model, q, v, 0, qvel);
}

slip_status slip_v_from_mujoco(const slip_model *model, const slip_real *q, const slip_real *qvel, slip_real *v)
{
    return mujoco_vector(model, q, qvel, 1, v);
}

slip_status slip_tau_to_mujoco(const slip_model *model, const slip_real *q, const slip_real *tau, slip_real *qfrc)
{
    return mujoco_vector(model, q, tau, 0, qfrc);
}

slip_status slip_tau_from_mujoco(const slip_model *model, const slip_real *q, const slip_real *qfrc, slip_real *tau)
{
    return mujoco_vector(model, q, qfrc, 1, tau);
}

/* w x v of a joint that turns its own linear axes: d/dt (R v) = R (v' + w x v). */
static void mujoco_turning(int type, const slip_real *v, slip_real wv[3])
{
    if (type == SLIP_JOINT_PLANAR) slip_set3(-v[2]*v[1], v[2]*v[0], 0, wv);
    else slip_cross3(v + 3, v, wv);
}

/* Adds sign (w x v) to the linear accelerations of the joints that need it. */
static void mujoco_add_turning(const slip_model *m, const slip_real *v, slip_real sign, slip_real *a)
{
    slip_real wv[3];
    int b, i;

    for (b = convert_next(m, 0); b < m->nbodies; b = convert_next(m, b)) {
        if (m->type[b] != SLIP_JOINT_FLOATING && m->type[b] != SLIP_JOINT_PLANAR) continue;
        mujoco_turning(m->type[b], v + convert_iv(m, b), wv);
        for (i = 0; i < mujoco_linear(m->type[b]); ++i) a[convert_iv(m, b) + i] += sign*wv[i];
    }
}

slip_status slip_a_to_mujoco(const slip_model *model, const slip_real *q, const slip_real *v, const slip_real *a,
                             slip_real *qacc)
{
    if (slip_q_is_invalid(model, q) || !rbd_finite(v, model->nv) || !rbd_finite(a, model->nv)) return SLIP_ERR_ARGUMENT;
    convert_copy(model->nv, a, qacc);
    mujoco_add_turning(model, v, 1, qacc);
    mujoco_turn_all(model, q, 0, qacc);
    return SLIP_OK;
}

slip_status slip_a_from_mujoco(const slip_model *model, const slip_real *q, const slip_real *v, const slip_real *qacc,
                               slip_real *a)
{
    slip_status s;

    if (!rbd_finite(v, model->nv)) return SLIP_ERR_ARGUMENT;
    s = mujoco_vector(model, q, qacc, 1, a);
    if (s == SLIP_OK) mujoco_add_turning(model, v, -1, a);
    return s;
}

/* ---- Pinocchio ---------------------------------------------------------------------------------------- */

/* The index of a joint's angle that Pinocchio keeps as cosine and sine, among the joint's numbers; -1 for none. */
static int pinocchio_angle(int type)
{
    return type == SLIP_JOINT_CONTINUOUS ? 0 : type == SLIP_JOINT_PLANAR ? 2 : -1;
}

int slip_pinocchio_nq(const slip_model *model)
{
    int n = model->nq, b;

    for (b = convert_next(model, 0); b < model->nbodies; b = convert_next(model, b))
        n += pinocchio_angle(model->type[b]) >= 0;
    return n;
}

slip_status slip_q_to_pinocchio(const slip_model *model, const slip_real *q, slip_real *pin)
{
    int b;

    if (slip_q_is_invalid(model, q)) return SLIP_ERR_ARGUMENT;
    for (b = convert_next(model, 0); b < model->nbodies; b = convert_next(model, b)) {
        const int at = pinocchio_angle(model->type[b]), n = slip_joint_nq((slip_joint_type)model->type[b]);
        const slip_real *x = q + model->iq[b];

        convert_copy(n, x, pin);
        if (at >= 0) {
            pin[at] = slip_cos(x[at]);
            pin[at + 1] = slip_sin(x[at]);
        }
        pin += n + (at >= 0);
    }
    return SLIP_OK;
}

/* Whether all numbers can be used: finite, and neither a quaternion nor a (cos, sin) of zero length. */
static int pinocchio_is_invalid(const slip_model *m, const slip_real *pin)
{
    int b;

    if (!rbd_finite(pin, slip_pinocchio_nq(m))) return 1;
    for (b = convert_next(m, 0); b < m->nbodies; b = convert_next(m, b)) {
        const int at = pinocchio_angle(m->type[b]);

        if (at >= 0 && pin[at] == 0 && pin[at + 1] == 0) return 1;
        if (m->type[b] == SLIP_JOINT_BALL && convert_is_zero_quat(pin)) return 1;
        if (m->type[b] == SLIP_JOINT_FLOATING && convert_is_zero_quat(pin + 3)) return 1;
        pin += slip_joint_nq((slip_joint_type)m->type[b]) + (at >= 0);
    }
    return 0;
}

slip_status slip_q_from_pinocchio(const slip_model *model, const slip_real *pin, slip_real *q)
{
    int b;

    if (pinocchio_is_invalid(model, pin)) return SLIP_ERR_ARGUMENT;
    for (b = convert_next(model, 0); b < model->nbodies; b = convert_next(model, b)) {
        const int at = pinocchio_angle(model->type[b]), n = slip_joint_nq((slip_joint_type)model->type[b]);
        slip_real *x = q + model->iq[b];

        convert_copy(n, pin, x);
        if (at >= 0) x[at] = slip_atan2(pin[at + 1], pin[at]);
        pin += n + (at >= 0);
    }
    return SLIP_OK;
}

/* ---- ROS ---------------------------------------------------------------------------------------------- */

void slip_pose_to_ros(const slip_pose *X, slip_real position[3], slip_real orientation[4])
{
    slip_copy3(X->p, position);
    slip_mat3_to_quat(X->R, orientation);
}

slip_status slip_pose_from_ros(const slip_real position[3], const slip_real orientation[4], slip_pose *X)
{
    if (!slip_all_finite(position, 3) || !slip_all_finite(orientation, 4) || convert_is_zero_quat(orientation))
        return SLIP_ERR_ARGUMENT;
    slip_pose_from(position, orientation, X);
    return SLIP_OK;
}

/* The body of a floating joint below the world, 0 for any other. */
static int ros_free_body(const slip_model *m, int joint)
{
    const int b = joint >= 0 && joint < m->njoints ? m->joint_body[joint] : -1;

    return b > 0 && m->type[b] == SLIP_JOINT_FLOATING && m->parent[b] == 0 ? b : 0;
}

slip_status slip_joint_to_odometry(const slip_model *model, int joint, const slip_real *q, const slip_real *v,
                                   slip_ros_odometry *out)
{
    const int b = ros_free_body(model, joint);
    const slip_real *x, *u;
    slip_pose in_joint, X;

    if (b == 0) return SLIP_ERR_UNSUPPORTED;
    x = q + model->iq[b];
    u = v + convert_iv(model, b);
    if (!slip_all_finite(x, 7) || !slip_all_finite(u, 6) || convert_is_zero_quat(x + 3)) return SLIP_ERR_ARGUMENT;
    slip_pose_from(x, x + 3, &in_joint);
    slip_pose_mul(&model->tree[b], &in_joint, &X);
    slip_pose_to_ros(&X, out->position, out->orientation);
    slip_copy3(u, out->linear);
    slip_copy3(u + 3, out->angular);
    return SLIP_OK;
}

slip_status slip_joint_from_odometry(const slip_model *model, int joint, const slip_ros_odometry *in,
                                     slip_real *q, slip_real *v)
{
    const int b = ros_free_body(model, joint);
    slip_pose X, inverse, in_joint;

    if (b == 0) return SLIP_ERR_UNSUPPORTED;
    if (!slip_all_finite(in->linear, 3) || !slip_all_finite(in->angular, 3)
        || slip_pose_from_ros(in->position, in->orientation, &X) != SLIP_OK) return SLIP_ERR_ARGUMENT;
    slip_pose_inverse(&model->tree[b], &inverse);
    slip_pose_mul(&inverse, &X, &in_joint);
    slip_pose_to_ros(&in_joint, q + model->iq[b], q + model->iq[b] + 3);
    slip_copy3(in->linear, v + convert_iv(model, b));
    slip_copy3(in->angular, v + convert_iv(model, b) + 3);
    return SLIP_OK;
}

/* The body of a joint with one freedom, mimicking or not; 0 for any other. */
static int ros_simple_body(const slip_model *m, int joint)
{
    const int b = m->joint_body[joint];

    return b > 0 && slip_joint_nv((slip_joint_type)m->type[b]) == 1 ? b : 0;
}

slip_status slip_state_to_joints(const slip_model *model, const slip_real *q, const slip_real *v, const slip_real *tau,
                                 slip_real *position, slip_real *velocity, slip_real *effort)
{
    int j;

    if (!rbd_finite(q, model->nq) || !rbd_finite(v, model->nv) || !rbd_finite(tau, model->nv)) return SLIP_ERR_ARGUMENT;
    for (j = 0; j < model->njoints; ++j) {
        const int b = ros_simple_body(model, j);

        position[j] = b ? model->scale[b]*q[model->iq[b]] + model->offset[b] : 0;
        velocity[j] = b ? model->scale[b]*v[convert_iv(model, b)] : 0;
        effort[j] = b && !model->mimics[b] ? tau[convert_iv(model, b)] : 0;
    }
    return SLIP_OK;
}

slip_status slip_state_from_joints(const slip_model *model, const slip_real *position, const slip_real *velocity,
                                   const slip_real *effort, slip_real *q, slip_real *v, slip_real *tau)
{
    const int n = model->njoints;
    int j;

    if (!rbd_finite(position, n) || !rbd_finite(velocity, n) || !rbd_finite(effort, n)) return SLIP_ERR_ARGUMENT;
    for (j = 0; j < n; ++j) {
        const int b = ros_simple_body(model, j);

        if (!b || model->mimics[b]) continue;
        q[model->iq[b]] = position[j];
        v[convert_iv(model, b)] = velocity[j];
        tau[convert_iv(model, b)] = effort[j];
    }
    for (j = 0; j < n; ++j) {
        const int b = ros_simple_body(model, j);

        if (b && model->mimics[b]) tau[convert_iv(model, b)] += model->scale[b]*effort[j];
    }
    return SLIP_OK;
}

/* ---- Bullet ------------------------------------------------------------------------------------------- */

void slip_link_to_bullet(const slip_pose *X, const slip_real v[6], const slip_real com[3], slip_bullet_body *out)
{
    slip_real r[3], at_com[6];

    slip_mat3_vec(X->R, com, r);
    slip_motion_shift(v, r, at_com);
    slip_mat3_copy(X->R, out->pose.R);
    slip_add3(X->p, r, out->pose.p);
    slip_mat3_to_quat(X->R, out->rotation);
    slip_copy3(at_com, out->linear);
    slip_copy3(at_com + 3, out->angular);
}

void slip_link_from_bullet(const slip_bullet_body *in, const slip_real com[3], slip_pose *X, slip_real v[6])
{
    slip_real r[3], at_com[6];

    slip_mat3_vec(in->pose.R, com, r);
    slip_neg3(r, r);                                     /* from the centre of mass to the link's origin */
    slip_copy3(in->linear, at_com);
    slip_copy3(in->angular, at_com + 3);
    slip_motion_shift(at_com, r, v);
    slip_mat3_copy(in->pose.R, X->R);
    slip_add3(in->pose.p, r, X->p);
}

void slip_wrench_to_bullet(const slip_pose *X, const slip_real com[3], const slip_real wrench[6], slip_real at_com[6])
{
    slip_real r[3];

    slip_mat3_vec(X->R, com, r);
    slip_neg3(r, r);                                     /* the link's origin seen from the centre of mass */
    slip_force_shift(wrench, r, at_com);
}

void slip_wrench_from_bullet(const slip_pose *X, const slip_real com[3], const slip_real at_com[6], slip_real wrench[6])
{
    slip_real r[3];

    slip_mat3_vec(X->R, com, r);
    slip_force_shift(at_com, r, wrench);
}

/* Centre of mass of a body, in the frame of the link that moves on its joint. */
static void bullet_com(const slip_model *m, int b, slip_real com[3])
{
    const slip_real *I = m->inertia + 10*b;

    slip_zero3(com);
    if (I[0] > 0) slip_scale3(1/I[0], I + 1, com);
    slip_pose_inv_point(&m->link_pose[m->body_link[b]], com, com);
}

void slip_state_to_bullet(const slip_model *model, const slip_data *data, slip_bullet_body *bodies)
{
    slip_real v[6], com[3];
    slip_pose X;
    int b;

    for (b = 1; b < model->nbodies; ++b) {
        slip_link_pose(model, data, model->body_link[b], &X);
        slip_link_velocity(model, data, model->body_link[b], v);
        bullet_com(model, b, com);
        slip_link_to_bullet(&X, v, com, &bodies[b - 1]);
    }
}

/* Frame of a body and velocity of its origin, world axes; the world itself for b = 0. */
static void bullet_body(const slip_model *m, const slip_bullet_body *bodies, int b, slip_pose *X, slip_real v[6])
{
    slip_real com[3], r[3];
    slip_pose link, in_link;
    int i;

    slip_pose_identity(X);
    for (i = 0; i < 6; ++i) v[i] = 0;
    if (b == 0) return;
    bullet_com(m, b, com);
    slip_link_from_bullet(&bodies[b - 1], com, &link, v);
    slip_pose_inverse(&m->link_pose[m->body_link[b]], &in_link);
    slip_pose_mul(&link, &in_link, X);
    slip_sub3(X->p, link.p, r);
    slip_motion_shift(v, r, v);
}

/* A joint's coordinates from the pose L of its body in its joint frame. */
static void bullet_joint_q(int type, const slip_pose *L, slip_real *x)
{
    const slip_real angle = slip_atan2(L->R[3] - L->R[1], L->R[0] + L->R[4]);       /* closest turn about z */

    switch (type) {
    case SLIP_JOINT_PRISMATIC: x[0] = L->p[2]; break;
    case SLIP_JOINT_PLANAR:    slip_set3(L->p[0], L->p[1], angle, x); break;
    case SLIP_JOINT_BALL:      slip_mat3_to_quat(L->R, x); break;
    case SLIP_JOINT_FLOATING:  slip_copy3(L->p, x);  slip_mat3_to_quat(L->R, x + 3); break;
    default:                   x[0] = angle; break;
    }
}

static int bullet_is_bad(const slip_bullet_body *o)
{
    return !slip_pose_is_finite(&o->pose) || !slip_all_finite(o->linear, 3) || !slip_all_finite(o->angular, 3);
}

slip_status slip_state_from_bullet(const slip_model *model, const slip_bullet_body *bodies, slip_real *q, slip_real *v)
{
    slip_pose P, J, X, inverse, L;
    slip_real vp[6], vb[6], rel[6], r[3];
    int b, i;

    for (b = 1; b < model->nbodies; ++b)
        if (bullet_is_bad(&bodies[b - 1])) return SLIP_ERR_ARGUMENT;
    for (b = convert_next(model, 0); b < model->nbodies; b = convert_next(model, b)) {
        bullet_body(model, bodies, model->parent[b], &P, vp);
        bullet_body(model, bodies, b, &X, vb);
        slip_pose_mul(&P, &model->tree[b], &J);
        slip_pose_inverse(&J, &inverse);
        slip_pose_mul(&inverse, &X, &L);
        bullet_joint_q(model->type[b], &L, q + model->iq[b]);
        slip_sub3(X.p, P.p, r);
        slip_motion_shift(vp, r, vp);                    /* the parent's velocity at the child's origin */
        for (i = 0; i < 6; ++i) rel[i] = vb[i] - vp[i];
        rbd_joint_force(model, b, &X, rel, v + convert_iv(model, b));   /* axes are orthonormal: S' S = 1 */
    }
    return SLIP_OK;
}
