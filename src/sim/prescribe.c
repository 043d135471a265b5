/* Joints whose motion is prescribed: they push and are not pushed.
 *
 * The velocity v_p of such a coordinate at the end of the step is given. Row p of M dv = dt (tau - nle) + J' lambda
 * then has an unknown force instead of an unknown velocity, and is left out: M_ff dv_f = dt (tau - nle)_f - M_fp dv_p +
 * J_f' lambda. In the factor M = L'DL of the tree this is the limit of infinite inertia M_pp: 1/D_p = 0 and row p of L
 * is 0 left of its diagonal, all other entries are unchanged. Impulses then change no v_p, contacts see v_p through
 * v_free, and dv_p moves the others by L^-1. Afterwards row p gives the force that moves the joint, whose work counts
 * as that of drives.
 *
 * Positions end where they are given, not where the step would take them: errors do not add up. Without a position the
 * joint goes on at the mean of its velocities before and after the step. */
#include "sim/world_private.h"

#include <string.h>

/* An inertia whose square is just finite [kg m^2, kg]: all others are below rounding beside it, and what is left of it
 * in the factor is overwritten. */
#define PRESCRIBE_INFINITE slip_sqrt(SLIP_REAL_MAX/2)

static int prescribe_iv(const slip_model *m, int b) { return m->dof_iv[m->idof[b]]; }
static int prescribe_nv(const slip_model *m, int b) { return slip_joint_nv((slip_joint_type)m->type[b]); }
static int prescribe_nq(const slip_model *m, int b) { return slip_joint_nq((slip_joint_type)m->type[b]); }

void slip_sim_prescribe_marks(slip_world *w, const slip_step_input *in)
{
    const slip_model *m = w->model;
    int b, i;

    w->step.nprescribed = 0;
    if (!in->prescribed) return;
    memset(w->step.given, 0, (size_t)m->nv*sizeof *w->step.given);
    for (b = 1; b < m->nbodies; ++b) {
        if (in->prescribed[b] == SIM_FREE) continue;
        w->step.nprescribed += 1;
        for (i = 0; i < prescribe_nv(m, b); ++i) w->step.given[prescribe_iv(m, b) + i] = 1;
    }
    w->step.driven[0] = 1;
    for (b = 1; b < m->nbodies; ++b)                     /* a mimic joint has its leader's coordinate */
        w->step.driven[b] = w->step.driven[m->parent[b]] && w->step.given[prescribe_iv(m, b)];
}

/* ---- positions ---------------------------------------------------------------------------------------------- */

/* r = x turned by an angle in the plane; r may be x. */
static void prescribe_turn_plane(slip_real angle, const slip_real x[2], slip_real r[2])
{
    const slip_real c = slip_cos(angle), s = slip_sin(angle), x0 = x[0], x1 = x[1];

    r[0] = c*x0 - s*x1;
    r[1] = s*x0 + c*x1;
}

/* Motion of a floating or planar joint for the time h at a velocity that stays as it is in the outer axes: q and, in
 * the new axes, v. Bodies that float alone do not turn by their momentum here. */
static void prescribe_drift(int type, slip_real h, const slip_real *q0, const slip_real *v0, slip_real *q, slip_real *v)
{
    slip_real t[3], e[4], unit[4];

    if (type == SLIP_JOINT_FLOATING) {
        const slip_real *now = slip_sim_unit(q0 + 3, unit);

        slip_quat_rotate(now, v0, t);
        slip_axpy3(h, t, q0, q);
        slip_scale3(h, v0 + 3, t);
        slip_quat_exp(t, e);
        slip_quat_mul(now, e, q + 3);
        slip_quat_normalize(q + 3, q + 3);
        slip_quat_conj(e, e);
        slip_quat_rotate(e, v0, v);
        slip_copy3(v0 + 3, v + 3);
    } else if (type == SLIP_JOINT_PLANAR) {
        prescribe_turn_plane(q0[2], v0, t);
        q[0] = q0[0] + h*t[0];
        q[1] = q0[1] + h*t[1];
        q[2] = q0[2] + h*v0[2];
        prescribe_turn_plane(-h*v0[2], v0, v);
        v[2] = v0[2];
    }
}

/* Where a joint ends that is at q with velocity v0, and at the end has v1: half a step with each. */
static void prescribe_end(int type, slip_real dt, const slip_real *q0, const slip_real *v0, const slip_real *v1,
                          slip_real *q)
{
    slip_real half[7], t[6], e[4], turn[3];

    switch (type) {
    case SLIP_JOINT_FLOATING:
        prescribe_drift(type, dt/2, q0, v0, half, t);
        slip_scale3(dt/2, v1 + 3, turn);
        slip_quat_exp(turn, e);
        slip_quat_mul(half + 3, e, q + 3);
        slip_quat_normalize(q + 3, q + 3);
        slip_quat_rotate(q + 3, v1, t);                  /* v1 is in the axes of the end */
        slip_axpy3(dt/2, t, half, q);
        break;
    case SLIP_JOINT_PLANAR:
        prescribe_drift(type, dt/2, q0, v0, half, t);
        q[2] = half[2] + dt/2*v1[2];
        prescribe_turn_plane(q[2], v1, t);
        q[0] = half[0] + dt/2*t[0];
        q[1] = half[1] + dt/2*t[1];
        break;
    case SLIP_JOINT_BALL:
        slip_add3(v0, v1, turn);
        slip_scale3(dt/2, turn, turn);
        slip_quat_exp(turn, e);
        slip_quat_mul(q0, e, q);
        slip_quat_normalize(q, q);
        break;
    default:
        q[0] = q0[0] + dt/2*(v0[0] + v1[0]);
        break;
    }
}

/* Velocity v of the end from the axes there, q_end, to those at q. */
static void prescribe_to_axes(int type, const slip_real *q, const slip_real *q_end, const slip_real *v, slip_real *out)
{
    slip_real back[4], turn[4];

    if (type == SLIP_JOINT_FLOATING) {
        slip_quat_conj(q + 3, back);
        slip_quat_mul(back, q_end + 3, turn);
        slip_quat_normalize(turn, turn);
        slip_quat_rotate(turn, v, out);
        slip_quat_rotate(turn, v + 3, out + 3);
    } else if (type == SLIP_JOINT_PLANAR) {
        prescribe_turn_plane(q_end[2] - q[2], v, out);
        out[2] = v[2];
    } else {
        memcpy(out, v, (size_t)slip_joint_nv((slip_joint_type)type)*sizeof *v);
    }
}

void slip_sim_prescribe_begin(slip_world *w, const slip_step_input *start, slip_real *q, slip_real *v)
{
    const slip_model *m = w->model;
    const slip_real h = w->opt.dt - slip_sim_last_part(w);
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int iq = m->iq[b], iv = prescribe_iv(m, b), nq = prescribe_nq(m, b), type = m->type[b];
        slip_real *end = w->step.q_end + iq;

        if (start->prescribed[b] == SIM_FREE) continue;
        prescribe_drift(type, h, start->q + iq, start->v + iv, q + iq, v + iv);
        if (start->prescribed[b] == SIM_GIVEN_POSITION) memcpy(end, w->input.q_given + iq, (size_t)nq*sizeof *end);
        else prescribe_end(type, w->opt.dt, start->q + iq, start->v + iv, w->input.v_given + iv, end);
        prescribe_to_axes(type, q + iq, end, w->input.v_given + iv, w->step.v_end + iv);
    }
}

void slip_sim_prescribe_end(const slip_world *w, slip_real *v_next, slip_real *q_next)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int iq = m->iq[b], iv = prescribe_iv(m, b);

        if (w->input.prescribed[b] == SIM_FREE) continue;
        memcpy(q_next + iq, w->step.q_end + iq, (size_t)prescribe_nq(m, b)*sizeof *q_next);
        memcpy(v_next + iv, w->input.v_given + iv, (size_t)prescribe_nv(m, b)*sizeof *v_next);
    }
}

/* A position holds for one step. */
void slip_sim_prescribe_commit(slip_world *w)
{
    int b;

    for (b = 1; b < w->model->nbodies; ++b)
        if (w->input.prescribed[b] == SIM_GIVEN_POSITION) w->input.prescribed[b] = SIM_GIVEN_VELOCITY;
}

/* ---- velocities --------------------------------------------------------------------------------------------- */

void slip_sim_prescribe_inertia(slip_world *w)
{
    const slip_branches *b = &w->model->branches;
    int i;

    for (i = 0; i < b->n; ++i) if (w->step.given[i]) w->data->M[b->row[i] + b->depth[i]] = PRESCRIBE_INFINITE;
}

void slip_sim_prescribe_factor(slip_world *w)
{
    const slip_branches *b = &w->model->branches;
    int i, e;

    for (i = 0; i < b->n; ++i) {
        if (!w->step.given[i]) continue;
        w->data->M[b->row[i] + b->depth[i]] = w->step.inertia[i];
        w->data->D_inv[i] = 0;
        for (e = 0; e < b->depth[i]; ++e) w->data->L[b->row[i] + e] = 0;
    }
}

void slip_sim_turning_axes(const slip_world *w, slip_real *dv)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = prescribe_iv(m, b);
        const slip_real *v = w->step.v_bias + iv;
        slip_real t[3];

        if (m->type[b] == SLIP_JOINT_FLOATING) {
            slip_cross3(v + 3, v, t);
            slip_axpy3(-w->opt.dt, t, dv + iv, dv + iv);
        } else if (m->type[b] == SLIP_JOINT_PLANAR) {
            dv[iv] += w->opt.dt*v[2]*v[1];
            dv[iv + 1] -= w->opt.dt*v[2]*v[0];
        }
    }
}

void slip_sim_prescribe_change(slip_world *w, const slip_step_input *in, slip_real *x)
{
    slip_real *dv = w->step.nv_scratch;                    /* scratch, before impacts */
    int i;

    for (i = 0; i < w->model->nv; ++i) dv[i] = w->step.given[i] ? w->step.v_end[i] - in->v[i] : 0;
    slip_sim_turning_axes(w, dv);
    for (i = 0; i < w->model->nv; ++i) if (!w->step.given[i]) dv[i] = 0;
    slip_ltl_solve_l(&w->model->branches, w->data->L, dv);
    for (i = 0; i < w->model->nv; ++i) x[i] += dv[i];
}

/* Row p of the equation of motion: f_p = (M dv - J' lambda)_p/dt + nle_p - tau_p + damping. Single bodies have their
 * gyroscopic forces too, which nle lacks: here their momenta do not turn by themselves. */
void slip_sim_prescribe_forces(slip_world *w, const slip_step_input *in)
{
    const slip_model *m = w->model;
    const slip_real dt = w->opt.dt;
    slip_real *dv = w->step.x, *y = w->step.nv_scratch, *f = w->step.drive_force;
    int i, b;

    for (i = 0; i < m->nv; ++i) dv[i] = w->step.v_next[i] - in->v[i];
    slip_sim_turning_axes(w, dv);
    slip_branches_vec(&m->branches, w->data->M, dv, y);
    for (i = 0; i < m->nv; ++i) {
        if (!w->step.given[i]) continue;
        f[i] = (y[i] - w->step.jt_lambda[i])/dt + w->step.nle[i] - in->tau[i] + m->damping[i]*w->step.v_next[i];
        if (w->step.any_impact) f[i] -= w->step.jt_lambda_impact[i]/dt;
    }
    for (b = 1; b < m->nbodies; ++b) {
        slip_real bias[6] = { 0, 0, 0, 0, 0, 0 };

        if (in->prescribed[b] == SIM_FREE || (!w->fixed.free_single[b] && !w->fixed.plane_single[b])) continue;
        slip_sim_turn_bias(w, b, w->step.v_bias + prescribe_iv(m, b), bias);
        for (i = 0; i < prescribe_nv(m, b); ++i) f[prescribe_iv(m, b) + i] += bias[i];
    }
}

/* ---- the interface ------------------------------------------------------------------------------------------ */

/* The body of a joint whose motion may be prescribed; 0 and w->error when there is none. */
static int prescribe_body(slip_world *w, int joint)
{
    const slip_model *m = w->model;
    const char *why = NULL;

    slip_error_clear(&w->error);
    if (joint < 0 || joint >= m->njoints) {
        slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "there is no joint %d", joint);
        return 0;
    }
    if (m->joint_body[joint] < 0) why = "is fixed";
    else if (m->mimics[m->joint_body[joint]]) why = "follows another joint";
    if (!why) return m->joint_body[joint];
    slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "joint '%s' %s, so its motion cannot be prescribed",
              m->joint_name[joint], why);
    return 0;
}

static slip_status prescribe_bad(slip_world *w, int joint, const char *what, slip_real most)
{
    return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the prescribed %s of joint '%s' is not finite, or larger "
                     "than %g", what, w->model->joint_name[joint], (double)most);
}

slip_status slip_world_prescribe(slip_world *w, int joint, const slip_real *q, const slip_real *v)
{
    const slip_model *m = w->model;
    const int b = prescribe_body(w, joint);
    const slip_real *quat = q && b > 0 ? q + (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 0) : NULL;
    slip_real *to;

    if (b == 0) return SLIP_ERR_ARGUMENT;
    if (!slip_all_within(v, prescribe_nv(m, b), SLIP_MOST_SPEED))
        return prescribe_bad(w, joint, "velocity", SLIP_MOST_SPEED);
    if (q && !slip_all_within(q, prescribe_nq(m, b), SLIP_MOST_LENGTH))
        return prescribe_bad(w, joint, "position", SLIP_MOST_LENGTH);
    if (q && (m->type[b] == SLIP_JOINT_FLOATING || m->type[b] == SLIP_JOINT_BALL)
        && !(slip_dot3(quat, quat) + quat[3]*quat[3] > 0))
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the prescribed quaternion of joint '%s' has length 0",
                         m->joint_name[joint]);
    w->state.progress->nprescribed += w->input.prescribed[b] == SIM_FREE;
    w->input.prescribed[b] = q ? SIM_GIVEN_POSITION : SIM_GIVEN_VELOCITY;
    memcpy(w->input.v_given + prescribe_iv(m, b), v, (size_t)prescribe_nv(m, b)*sizeof *v);
    if (!q) return SLIP_OK;
    to = w->input.q_given + m->iq[b];
    memcpy(to, q, (size_t)prescribe_nq(m, b)*sizeof *q);
    if (m->type[b] == SLIP_JOINT_FLOATING) slip_quat_normalize(to + 3, to + 3);
    else if (m->type[b] == SLIP_JOINT_BALL) slip_quat_normalize(to, to);
    return SLIP_OK;
}

void slip_world_release(slip_world *w, int joint)
{
    const int b = slip_world_is_prescribed(w, joint) ? w->model->joint_body[joint] : 0;

    if (b == 0) return;
    w->input.prescribed[b] = SIM_FREE;
    w->state.progress->nprescribed -= 1;
    memset(w->state.still, 0, (size_t)w->model->nbodies*sizeof *w->state.still);     /* all wake */
}

int slip_world_is_prescribed(const slip_world *w, int joint)
{
    return joint >= 0 && joint < w->model->njoints && w->model->joint_body[joint] > 0
        && w->input.prescribed[w->model->joint_body[joint]] != SIM_FREE;
}
