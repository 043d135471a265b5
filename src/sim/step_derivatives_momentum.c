/* The momentum equation of step_derivatives.c and its derivatives by everything but the motion of contact points: r. */
#include "sim/step_derivatives_private.h"

#include <string.h>

/* ---- motions ----------------------------------------------------------------------------------------------------- */

/* Motions of all bodies at the world's origin, at velocities v. */
void slip_sim_d_motions(const sim_derivative *d, const slip_real *v, slip_real *motion)
{
    const slip_model *m = d->w->model;
    int b, k, i;

    for (i = 0; i < 6; ++i) motion[i] = 0;
    for (b = 1; b < m->nbodies; ++b) {
        const int end = m->idof[b] + slip_joint_nv((slip_joint_type)m->type[b]);

        for (i = 0; i < 6; ++i) motion[6*b + i] = motion[6*m->parent[b] + i];
        for (k = m->idof[b]; k < end; ++k)
            for (i = 0; i < 6; ++i) motion[6*b + i] += m->dof_scale[k]*v[m->dof_iv[k]]*d->columns[6*k + i];
    }
}

int slip_sim_d_moves(const slip_model *m, int dof, int body)
{
    const int above = m->dof_body[dof];

    while (body > above) body = m->parent[body];
    return body == above;
}

/* The motion of a body by a freedom: its column or 0. */
void slip_sim_d_column(const sim_derivative *d, int dof, int body, slip_real S[6])
{
    const slip_real s = slip_sim_d_moves(d->w->model, dof, body) ? d->w->model->dof_scale[dof] : 0;
    int i;

    for (i = 0; i < 6; ++i) S[i] = s*d->columns[6*dof + i];
}

/* f of floating and planar joints, and its derivative by v, n x n, for body b; returns n or 0. */
int slip_sim_d_freeze(const slip_model *m, int b, const slip_real *v, slip_real f[3], slip_real df[36])
{
    int i;

    for (i = 0; i < 36; ++i) df[i] = 0;
    slip_zero3(f);
    if (m->type[b] == SLIP_JOINT_FLOATING) {
        const slip_real *w = v + 3;

        slip_cross3(w, v, f);
        df[1] = -w[2];   df[2] = w[1];    df[6] = w[2];    df[8] = -w[0];   df[12] = -w[1];  df[13] = w[0];
        df[4] = v[2];    df[5] = -v[1];   df[9] = -v[2];   df[11] = v[0];   df[15] = v[1];   df[16] = -v[0];
        return 6;
    }
    if (m->type[b] != SLIP_JOINT_PLANAR) return 0;
    f[0] = -v[2]*v[1];
    f[1] = v[2]*v[0];
    df[1] = -v[2];  df[2] = -v[1];
    df[3] = v[2];   df[5] = v[0];
    return 3;
}

/* ---- momentum ---------------------------------------------------------------------------------------------------- */

/* D, slopes and saturation of drives, and the force of drives and damping at q, v, into `force`. */
void slip_sim_d_actuation(sim_derivative *d, const slip_step_input *in, slip_real *force)
{
    const slip_world *w = d->w;
    const slip_real dt = w->opt.dt;
    int i;

    for (i = 0; i < d->nv; ++i) {
        const slip_drive *p = &in->drives[i];
        slip_real torque;

        d->stiff[i] = dt*w->model->damping[i];
        d->slope_q[i] = 0;
        d->saturated[i] = 1;
        force[i] = in->tau[i] - w->model->damping[i]*d->v[i];
        if (!slip_sim_has_drive(p)) continue;
        torque = slip_sim_drive_torque(w, in, i, d->v[i]);
        if (p->implicit && in->saturated[i]) force[i] += (slip_real)in->saturated[i]*p->effort;
        else if (!p->implicit && slip_abs(torque) > p->effort) force[i] += slip_clamp(torque, -p->effort, p->effort);
        else {
            d->saturated[i] = 0;
            force[i] += torque;
            d->slope_q[i] = w->model->limit_iq[i] >= 0 ? -p->kp : 0;
            if (p->implicit) d->stiff[i] += dt*p->kd + dt*dt*p->kp;
        }
    }
}

/* Drives whose torque is within eps of their limit. */
void slip_sim_d_find_drives_at_limits(sim_derivative *d, const slip_step_input *in, slip_real eps)
{
    int i;

    for (i = 0; i < d->nv; ++i) {
        const slip_drive *p = &in->drives[i];

        if (!slip_sim_has_drive(p) || !slip_is_finite(p->effort)) continue;
        if (slip_abs(slip_abs(slip_sim_drive_torque(d->w, in, i, d->vs[i])) - p->effort) <= eps*p->effort)
            slip_sim_d_add_border(d, d->nc + d->nl + i);
    }
}

/* Wrenches, and forces of contacts as wrenches. */
void slip_sim_d_forces(sim_derivative *d, const slip_step_input *in)
{
    const slip_world *w = d->w;
    int k, i;

    for (i = 0; i < 6*d->nb; ++i) d->force[i] = in->wrench[i];
    for (k = 0; k < d->nc; ++k) {
        const sim_contact *c = &w->step.contacts[k];
        slip_real F[3], arm[3];

        slip_mat3_tvec(c->site.frame, c->impulse, F);
        slip_scale3(1/w->opt.dt, F, F);
        for (i = 0; i < 2; ++i) {
            const int body = i ? c->site.body_a : c->site.body_b;
            slip_real *to = d->force + 6*body;

            slip_sub3(c->site.point, w->data->pose[body].p, arm);
            slip_add3(to, F, to);
            slip_cross3_add(arm, F, to + 3);
            slip_neg3(F, F);
        }
    }
}

/* Whether the momentum equation holds for the step's result: else it did something that is not differentiated here. */
slip_status slip_sim_d_check_momentum(sim_derivative *d, const slip_real *force)
{
    slip_world *w = d->w;
    const slip_model *m = w->model;
    slip_real *tau = w->step.x, bias[6], error = 0, size = 0;
    int b, i;

    slip_rnea(m, w->data, d->q, d->v, d->y, d->force, tau);
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];

        if (!w->fixed.free_single[b] && !w->fixed.plane_single[b]) continue;
        slip_sim_turn_bias(w, b, d->v + iv, bias);
        for (i = 0; i < (w->fixed.free_single[b] ? 6 : 3); ++i) tau[iv + i] -= bias[i];
    }
    for (i = 0; i < d->nv; ++i) {
        tau[i] += d->stiff[i]*d->y[i] - force[i];
        size = slip_max(size, slip_max(slip_abs(force[i]), slip_abs(d->M[i*d->nv + i]*d->y[i])));
        size = slip_max(size, slip_abs(w->step.nle[i]));
    }
    for (i = 0; i < d->nl; ++i) {
        const int iv = w->step.limit_iv[i];
        const slip_real s = w->step.limit_sign[i];

        tau[iv] -= s*w->state.limit_impulse[2*iv + (s < 0)]/w->opt.dt;
    }
    for (i = 0; i < d->nv; ++i) error = slip_max(error, slip_abs(tau[i]));
    if (error <= SLIP_TOL(1e-9, 1e-2)*size) return SLIP_OK;
    return slip_sim_d_refuse(w, "its momentum equation is another one");
}

/* d(momentum)/dv: of inverse dynamics, of y, of turn() and of the force. */
void slip_sim_d_by_velocity(sim_derivative *d, const slip_step_input *in)
{
    const slip_world *w = d->w;
    const slip_model *m = w->model;
    const slip_real dt = w->opt.dt;
    const int n = d->nv;
    int b, i, j, k;

    for (i = 0; i < n; ++i) {
        for (j = 0; j < n; ++j) d->Fv[i*n + j] -= d->M[i*n + j]/dt;
        d->Fv[i*n + i] += m->damping[i];
        if (!(d->saturated[i] > 0))
            d->Fv[i*n + i] += in->drives[i].kd + (in->drives[i].implicit ? -dt*d->slope_q[i] : 0);
    }
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        const slip_real *I = m->inertia + 10*b, *v = d->v + iv;
        slip_real f[3], df[36], t[3], u[3];
        const int size = slip_sim_d_freeze(m, b, v, f, df);

        for (i = 0; i < n && size > 0; ++i)
            for (j = 0; j < size; ++j)
                for (k = 0; k < size; ++k) d->Fv[i*n + iv + j] -= d->M[i*n + iv + k]*df[size*k + j];
        if (w->fixed.plane_single[b]) {
            d->Fv[iv*n + iv + 2] += 2*v[2]*I[1];
            d->Fv[(iv + 1)*n + iv + 2] += 2*v[2]*I[2];
        }
        for (j = 0; w->fixed.free_single[b] && j < 3; ++j) {     /* w x (w x h),  w x I w */
            slip_real e[3] = { 0, 0, 0 }, lin[3] = { 0, 0, 0 }, ang[3] = { 0, 0, 0 };

            e[j] = 1;
            slip_cross3(v + 3, I + 1, t);
            slip_cross3_add(e, t, lin);
            slip_cross3(e, I + 1, t);
            slip_cross3_add(v + 3, t, lin);
            slip_sym3_vec(I + 4, v + 3, t);
            slip_cross3_add(e, t, ang);
            slip_sym3_vec(I + 4, e, u);
            slip_cross3_add(v + 3, u, ang);
            for (i = 0; i < 3; ++i) {
                d->Fv[(iv + i)*n + iv + 3 + j] -= lin[i];
                d->Fv[(iv + 3 + i)*n + iv + 3 + j] -= ang[i];
            }
        }
    }
}

/* The force that body b alone needs, about its origin, as inverse dynamics has it. */
static void sd_body_force(const sim_derivative *d, int b, slip_real f[6])
{
    const slip_data *data = d->w->data;
    const slip_real *v = data->velocity + 6*b, *w = v + 3, *acc = data->accel + 6*b;
    slip_real I[10], a[3], t[3];

    slip_inertia_rotate(data->pose[b].R, d->w->model->inertia + 10*b, I);
    slip_sub3(acc, d->w->model->gravity, a);
    slip_scale3(I[0], a, f);                                 /* m a + alpha x h + w x (w x h) */
    slip_cross3_add(acc + 3, I + 1, f);
    slip_cross3(w, I + 1, t);
    slip_cross3_add(w, t, f);
    slip_sym3_vec(I + 4, acc + 3, f + 3);                    /* I alpha + w x I w + h x a */
    slip_sym3_vec(I + 4, w, t);
    slip_cross3_add(w, t, f + 3);
    slip_cross3_add(I + 1, a, f + 3);
}

/* Columns of densities: momentum is linear in each body's inertia. */
static void sd_by_density(sim_derivative *d)
{
    const slip_world *w = d->w;
    const slip_model *m = w->model;
    const slip_real dt = w->opt.dt;
    slip_real f[6], S[6], u[3], bias[6];
    int b, k, i;

    slip_velocities(m, w->data, d->v);
    slip_accelerations(m, w->data, d->v, d->y);
    for (b = 1; b < m->nbodies; ++b) {
        slip_real *r = d->r + d->out->density + b;
        const int iv = m->dof_iv[m->idof[b]];

        sd_body_force(d, b, f);
        for (k = 0; k < m->ndofs; ++k) {
            slip_sim_d_column(d, k, b, S);
            slip_sim_motion_at(S, w->data->pose[b].p, u);
            r[(size_t)m->dof_iv[k]*(size_t)d->N] -= dt*(slip_dot3(u, f) + slip_dot3(S + 3, f + 3));
        }
        if (!w->fixed.free_single[b] && !w->fixed.plane_single[b]) continue;
        slip_sim_turn_bias(w, b, d->v + iv, bias);
        for (i = 0; i < (w->fixed.free_single[b] ? 6 : 3); ++i) r[(size_t)(iv + i)*(size_t)d->N] += dt*bias[i];
    }
}

/* r = -dt d(momentum)/d(inputs), but for what contact points and frames do. */
void slip_sim_d_right_sides(sim_derivative *d, const slip_step_input *in)
{
    const slip_model *m = d->w->model;
    const slip_step_jacobian *o = d->out;
    const slip_real dt = d->w->opt.dt;
    const int n = d->nv, N = d->N;
    int i, j, k;

    memset(d->r, 0, (size_t)n*(size_t)N*sizeof *d->r);
    for (i = 0; i < n; ++i) {
        slip_real *r = d->r + (size_t)i*(size_t)N;

        for (j = 0; o->q >= 0 && j < n; ++j) {
            r[o->q + j] = -dt*d->Fq[i*n + j];
            r[o->v + j] = -dt*d->Fv[i*n + j];
        }
        if (o->q >= 0) r[o->q + i] += dt*d->slope_q[i];
        if (o->tau >= 0) r[o->tau + i] = dt;
        if (d->saturated[i] || o->q_ref < 0) continue;
        r[o->q_ref + i] = dt*in->drives[i].kp;
        r[o->v_ref + i] = dt*in->drives[i].kd;
    }
    for (k = 0; o->wrench >= 0 && k < m->ndofs; ++k) {       /* J' of each body's wrench, about its origin */
        slip_real *r = d->r + (size_t)m->dof_iv[k]*(size_t)N + o->wrench;

        for (j = 1; j < d->nb; ++j) {
            slip_real S[6], u[3];

            slip_sim_d_column(d, k, j, S);
            slip_sim_motion_at(S, d->w->data->pose[j].p, u);
            for (i = 0; i < 3; ++i) {
                r[6*j + i] += dt*u[i];
                r[6*j + 3 + i] += dt*S[3 + i];
            }
        }
    }
    if (o->density >= 0) sd_by_density(d);
}
