/* The velocity without contacts, v_free, of step_derivatives.c: its equation, and what all inputs change in it. */
#include "sim/step_derivatives_private.h"

#include "base/dense.h"

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

/* ---- forces ------------------------------------------------------------------------------------------------------ */

/* D, slopes and saturation of drives, and the force of drives, damping and dry friction at q, v, into `force`. */
static void sd_actuation(sim_derivative *d, const slip_step_input *in, slip_real *force)
{
    const slip_world *w = d->w;
    const slip_real dt = w->opt.dt;
    int i;

    for (i = 0; i < d->nv; ++i) {
        const slip_drive *p = &in->drives[i];
        slip_real torque;

        d->stiff[i] = dt*w->model->damping[i];
        d->slope_q[i] = d->slope_v[i] = 0;
        d->saturated[i] = 1;
        force[i] = in->tau[i] - w->model->damping[i]*in->v[i];
        if (in->slides[i]) force[i] -= (slip_real)in->slides[i]*w->model->friction[i];
        else if (w->model->friction[i] > 0) {                /* it sticks: settle.c */
            const slip_real held = SIM_STICK*w->step.inertia[i];

            force[i] -= held*in->v[i]/dt;
            d->stiff[i] += held;
            d->slope_v[i] -= held/dt;
        }
        if (!slip_sim_has_drive(p)) continue;
        torque = slip_sim_drive_torque(w, in, i, in->v[i]);
        if (p->implicit && in->saturated[i]) force[i] += (slip_real)in->saturated[i]*p->effort;
        else if (!p->implicit && slip_abs(torque) > p->effort) force[i] += slip_clamp(torque, -p->effort, p->effort);
        else {
            d->saturated[i] = 0;
            force[i] += torque;
            d->slope_q[i] = w->model->limit_iq[i] >= 0 ? -p->kp : 0;
            d->slope_v[i] -= p->kd + (p->implicit ? -dt*d->slope_q[i] : 0);
            if (p->implicit) d->stiff[i] += dt*p->kd + dt*dt*p->kp;
        }
    }
}

/* Whether a joint with dry friction begins or ends to slide, by its torque or its velocity. */
static int sd_begins_to_slide(const sim_derivative *d, const slip_step_input *in, int i, slip_real eps)
{
    const slip_world *w = d->w;
    const slip_real most = w->model->friction[i], fast = most*w->opt.dt/w->step.inertia[i];

    if (!(most > 0)) return 0;
    if (in->slides[i]) return slip_abs(d->vs[i]) <= eps*slip_max(fast, slip_abs(in->v[i]));
    return slip_abs(SIM_STICK*slip_abs(d->vs[i]) - fast) <= eps*fast;
}

/* Drives whose torque is within eps of their limit, and joints that are between standing and sliding. */
void slip_sim_d_find_drives_at_limits(sim_derivative *d, const slip_step_input *in, slip_real eps)
{
    int i;

    for (i = 0; i < d->nv; ++i) if (sd_begins_to_slide(d, in, i, eps)) slip_sim_d_add_border(d, d->nc + d->nl + i);

    for (i = 0; i < d->nv; ++i) {
        const slip_drive *p = &in->drives[i];

        if (!slip_sim_has_drive(p) || !slip_is_finite(p->effort)) continue;
        if (slip_abs(slip_abs(slip_sim_drive_torque(d->w, in, i, d->vs[i])) - p->effort) <= eps*p->effort)
            slip_sim_d_add_border(d, d->nc + d->nl + i);
    }
}

/* y = (v_free - v)/dt - f(u). */
static void sd_acceleration(sim_derivative *d, const slip_real *v)
{
    const slip_model *m = d->w->model;
    int b, i;

    for (i = 0; i < d->nv; ++i) d->y[i] = (d->vf[i] - v[i])/d->w->opt.dt;
    for (b = 1; b < m->nbodies && !d->falls; ++b) {
        slip_real f[3], df[36], *y = d->y + m->dof_iv[m->idof[b]];

        if (slip_sim_d_freeze(m, b, d->u + m->dof_iv[m->idof[b]], f, df) > 0)
            for (i = 0; i < (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 2); ++i) y[i] -= f[i];
    }
}

/* Whether the equation of v_free holds for the step's: else the step did something that is not differentiated here. */
static slip_status sd_check(sim_derivative *d, const slip_step_input *in, const slip_real *force)
{
    slip_world *w = d->w;
    const slip_model *m = w->model;
    slip_real *tau = w->step.x, bias[6], error = 0, size = 0;
    int b, i;

    slip_rnea(m, w->data, in->q, d->u, d->y, in->wrench, tau);
    for (b = 1; b < m->nbodies && !d->falls; ++b) {
        const int iv = m->dof_iv[m->idof[b]];

        if (!w->fixed.free_single[b] && !w->fixed.plane_single[b]) continue;
        slip_sim_turn_bias(w, b, d->u + iv, bias);
        for (i = 0; i < (w->fixed.free_single[b] ? 6 : 3); ++i) tau[iv + i] -= bias[i];
    }
    for (i = 0; i < d->nv; ++i) {
        const slip_real D = d->M[i*d->nv + i] + d->stiff[i];

        tau[i] += d->stiff[i]*d->y[i] - force[i];
        if (w->model->friction[i] > 0 && !in->slides[i]) tau[i] = 0;     /* it stands: all is rounding */
        size = slip_max(size, slip_max(slip_abs(force[i]), slip_abs(d->M[i*d->nv + i]*d->y[i])));
        size = slip_max(size, slip_max(slip_abs(w->step.nle[i]), D*slip_abs(d->vf[i])/w->opt.dt));
        if (slip_abs(D - w->step.diagonal[i]) > SLIP_TOL(1e-9, 1e-3)*D)
            return slip_sim_d_refuse(w, "a ring is near gimbal lock, or a joint's inertia is another one");
    }
    for (i = 0; i < d->nv; ++i) error = slip_max(error, slip_abs(tau[i]));
    if (error <= SLIP_TOL(1e-9, 1e-2)*size) return SLIP_OK;
    return slip_sim_d_refuse(w, "its momentum equation is another one");
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

/* K: from the derivative of inverse dynamics by velocity to that of the whole equation by u. */
static void sd_by_mean(sim_derivative *d, const slip_real *at, slip_real *K)
{
    const slip_world *w = d->w;
    const slip_model *m = w->model;
    const int n = d->nv;
    int b, i, j, k;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        const slip_real *I = m->inertia + 10*b, *v = at + iv;
        slip_real f[3], df[36], t[3], u[3];
        const int size = slip_sim_d_freeze(m, b, v, f, df);

        for (i = 0; i < n && size > 0; ++i)
            for (k = 0; k < size; ++k) {
                const slip_real M = d->M[i*n + iv + k] + (i == iv + k ? d->stiff[i] : 0);

                for (j = 0; slip_abs(M) > 0 && j < size; ++j) K[i*n + iv + j] -= M*df[size*k + j];
            }
        if (w->fixed.plane_single[b]) {
            K[iv*n + iv + 2] += 2*v[2]*I[1];
            K[(iv + 1)*n + iv + 2] += 2*v[2]*I[2];
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
                K[(iv + i)*n + iv + 3 + j] -= lin[i];
                K[(iv + 3 + i)*n + iv + 3 + j] -= ang[i];
            }
        }
    }
}

/* The force that an inertia I [10] on body b needs, about the body's origin, at the motion in w->data. */
static void sd_body_force(const sim_derivative *d, int b, const slip_real inertia[10], const slip_real *gravity,
                          slip_real f[6])
{
    const slip_data *data = d->w->data;
    const slip_real *v = data->velocity + 6*b, *w = v + 3, *acc = data->accel + 6*b;
    slip_real I[10], a[3], t[3];

    slip_inertia_rotate(data->pose[b].R, inertia, I);
    slip_sub3(acc, gravity, a);
    slip_scale3(I[0], a, f);                                 /* m a + alpha x h + w x (w x h) */
    slip_cross3_add(acc + 3, I + 1, f);
    slip_cross3(w, I + 1, t);
    slip_cross3_add(w, t, f);
    slip_sym3_vec(I + 4, acc + 3, f + 3);                    /* I alpha + w x I w + h x a */
    slip_sym3_vec(I + 4, w, t);
    slip_cross3_add(w, t, f + 3);
    slip_cross3_add(I + 1, a, f + 3);
}

/* Columns of densities in R, -dt times the force that each body's inertia needs at velocities u and accelerations y:
 * momentum is linear in it. */
void slip_sim_d_by_density(sim_derivative *d, const slip_real *u, const slip_real *y, const slip_real *gravity,
                           slip_real *R)
{
    const slip_world *w = d->w;
    const slip_model *m = w->model;
    slip_real f[6], S[6], v[3];
    int b, k;

    slip_velocities(m, w->data, u);
    slip_accelerations(m, w->data, u, y);
    for (b = 1; b < m->nbodies; ++b) {
        slip_real *r = R + d->out->density + b;

        sd_body_force(d, b, m->inertia + 10*b, gravity, f);
        for (k = 0; k < m->ndofs; ++k) {
            slip_sim_d_column(d, k, b, S);
            slip_sim_motion_at(S, w->data->pose[b].p, v);
            r[(size_t)m->dof_iv[k]*(size_t)d->N] -= w->opt.dt*(slip_dot3(v, f) + slip_dot3(S + 3, f + 3));
        }
    }
}

/* dt J' of the wrench on each body, about its origin. */
static void sd_by_wrench(const sim_derivative *d, slip_real *R)
{
    const slip_model *m = d->w->model;
    int i, j, k;

    for (k = 0; k < m->ndofs; ++k) {
        slip_real *r = R + (size_t)m->dof_iv[k]*(size_t)d->N + d->out->wrench;

        for (j = 1; j < d->nb; ++j) {
            slip_real S[6], u[3];

            slip_sim_d_column(d, k, j, S);
            slip_sim_motion_at(S, d->w->data->pose[j].p, u);
            for (i = 0; i < 3; ++i) {
                r[6*j + i] += d->w->opt.dt*u[i];
                r[6*j + 3 + i] += d->w->opt.dt*S[3 + i];
            }
        }
    }
}

/* r <- what inputs change in dt times the equation, K du aside, and (M + D) dv. */
void slip_sim_d_right_sides(sim_derivative *d, const slip_step_input *in, slip_real *R)
{
    const slip_world *w = d->w;
    const slip_step_jacobian *o = d->out;
    const slip_real dt = w->opt.dt;
    const int n = d->nv, N = d->N;
    int i, j, b;

    memset(R, 0, (size_t)n*(size_t)N*sizeof *R);
    for (i = 0; i < n; ++i) {
        slip_real *r = R + (size_t)i*(size_t)N;

        for (j = 0; o->q >= 0 && j < n; ++j) {
            r[o->q + j] = -dt*d->Fq[i*n + j];
            r[o->v + j] = d->M[i*n + j];
        }
        if (o->q >= 0) r[o->q + i] += dt*d->slope_q[i];
        if (o->q >= 0) r[o->v + i] += d->stiff[i] + dt*(d->slope_v[i] - w->model->damping[i]);
        if (o->tau >= 0) r[o->tau + i] = dt;
        if (d->saturated[i] || o->q_ref < 0) continue;
        r[o->q_ref + i] = dt*in->drives[i].kp;
        r[o->v_ref + i] = dt*in->drives[i].kd;
    }
    if (o->wrench >= 0) sd_by_wrench(d, R);
    if (o->density < 0) return;
    slip_sim_d_by_density(d, d->u, d->y, w->model->gravity, R);
    for (b = 1; b < d->nb && !d->falls; ++b) {
        const int iv = w->model->dof_iv[w->model->idof[b]];
        slip_real bias[6];

        if (!w->fixed.free_single[b] && !w->fixed.plane_single[b]) continue;
        slip_sim_turn_bias(w, b, d->u + iv, bias);
        for (i = 0; i < (w->fixed.free_single[b] ? 6 : 3); ++i)
            R[(size_t)(iv + i)*(size_t)N + (size_t)(o->density + b)] += dt*bias[i];
    }
}

/* U, which has the pattern of M: U = V W with V of ones on the diagonal, leaves first, so that nothing fills in. */
static slip_status sd_factor(const slip_branches *br, slip_real *U)
{
    const int n = br->n;
    int k, i, e;

    for (k = n - 1; k >= 0; --k) {
        const int *path = br->path + br->row[k], depth = br->depth[k];
        const slip_real pivot = U[k*n + k];

        if (!(slip_abs(pivot) > 0) || !slip_is_finite(pivot)) return SLIP_ERR_NOT_SPD;
        for (i = 0; i < depth; ++i) {
            slip_real *row = U + path[i]*n;
            const slip_real f = row[k]/pivot;

            row[k] = f;
            for (e = 0; e < depth; ++e) row[path[e]] -= f*U[k*n + path[e]];
        }
    }
    return SLIP_OK;
}

/* X <- U^-1 X, rows of N numbers. */
static void sd_solve_rows(const slip_branches *br, const slip_real *U, int N, slip_real *X)
{
    const int n = br->n;
    int k, i, l;

    for (k = n - 1; k >= 0; --k)
        for (i = 0; i < br->depth[k]; ++i) {
            const int at = br->path[br->row[k] + i];

            slip_subtract_row(N, U[at*n + k], X + (size_t)k*(size_t)N, X + (size_t)at*(size_t)N);
        }
    for (k = 0; k < n; ++k) {
        slip_real *x = X + (size_t)k*(size_t)N;
        const slip_real scale = 1/U[k*n + k];

        for (i = 0; i < br->depth[k]; ++i) {
            const int at = br->path[br->row[k] + i];

            slip_subtract_row(N, U[k*n + at], X + (size_t)at*(size_t)N, x);
        }
        for (l = 0; l < N; ++l) x[l] *= scale;
    }
}

/* The free velocity: d->y, M, D, drives; r <- its derivative by all inputs. With K the derivative of the equation by
 * the velocity u of the bias forces, and g that of drives and damping by v,
 *
 *   u = v:                 (M + D) dv_free = (M + D + dt g - dt K) dv + dt (dforce - Fq dq)
 *   u = (v + v_free)/2:    (M + D + dt/2 K) dv_free = (M + D + dt g - dt/2 K) dv + dt (dforce - Fq dq) */
slip_status slip_sim_d_free(sim_derivative *d, const slip_step_input *in, slip_arena *mem)
{
    slip_world *w = d->w;
    const slip_model *m = w->model;
    const slip_branches *br = &m->branches;
    const int n = d->nv;
    const slip_real half = d->mean ? w->opt.dt/2 : w->opt.dt;
    slip_status s;
    int i, j;

    sd_acceleration(d, in->v);
    s = slip_rnea_derivatives(m, w->data, in->q, d->u, d->y, in->wrench, d->Fq, d->falls ? NULL : d->K, mem);
    if (s != SLIP_OK) return s;
    slip_dof_columns(m, w->data, d->columns);
    slip_mass_matrix(m, w->data, d->M);
    sd_actuation(d, in, d->push);
    s = sd_check(d, in, d->push);
    if (s != SLIP_OK) return s;
    if (!d->falls) sd_by_mean(d, d->u, d->K);
    slip_sim_d_right_sides(d, in, d->r);
    for (i = 0; !d->falls && d->out->q >= 0 && i < n; ++i)
        for (j = 0; j < n; ++j) d->r[(size_t)i*(size_t)d->N + (size_t)(d->out->v + j)] -= half*d->K[i*n + j];
    if (!d->mean) {
        if (!d->products) slip_ltl_solve_rows(br, w->data->L, w->data->D_inv, d->N, d->r);
        return SLIP_OK;
    }
    for (i = 0; i < n*n; ++i) d->U[i] = d->M[i] + half*d->K[i];
    for (i = 0; i < n; ++i) d->U[i*n + i] += d->stiff[i];
    if (sd_factor(br, d->U) != SLIP_OK) return slip_sim_d_refuse(w, "the step does not resolve its motion");
    if (!d->products) sd_solve_rows(br, d->U, d->N, d->r);
    return SLIP_OK;
}

/* One half of a step that was hit (fv_halves()): bias forces at a velocity u with columns dU. x [nv] <- the change of v
 * that it would make in a whole step; R <- columns of v + x. */
slip_status slip_sim_d_half(sim_derivative *d, const slip_step_input *in, const slip_real *u, const slip_real *dU,
                            slip_real *x, slip_real *R, slip_arena *mem)
{
    slip_world *w = d->w;
    const slip_model *m = w->model;
    const slip_branches *br = &m->branches;
    slip_real *bias = w->step.x, *zero = w->step.nv_scratch;
    slip_status s;
    int b, i;

    memcpy(d->u, u, (size_t)d->nv*sizeof *u);
    for (i = 0; i < d->nv; ++i) zero[i] = 0;
    slip_rnea(m, w->data, in->q, u, zero, in->wrench, bias);
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        slip_real turn[6];

        if (!w->fixed.free_single[b] && !w->fixed.plane_single[b]) continue;
        slip_sim_turn_bias(w, b, u + iv, turn);
        for (i = 0; i < (w->fixed.free_single[b] ? 6 : 3); ++i) bias[iv + i] -= turn[i];
    }
    for (i = 0; i < d->nv; ++i) d->y[i] = d->push[i] - bias[i];
    slip_ltl_solve(br, w->data->L, w->data->D_inv, d->y);
    for (i = 0; i < d->nv; ++i) x[i] = w->opt.dt*d->y[i];
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        slip_real f[3], df[36];

        if (slip_sim_d_freeze(m, b, u + iv, f, df) > 0)
            for (i = 0; i < (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 2); ++i) x[iv + i] += w->opt.dt*f[i];
    }
    s = slip_rnea_derivatives(m, w->data, in->q, u, d->y, in->wrench, d->Fq, d->K, mem);
    if (s != SLIP_OK) return s;
    sd_by_mean(d, u, d->K);
    slip_sim_d_right_sides(d, in, R);
    slip_sim_d_add_product(d, d->nv, d->nv, -w->opt.dt, d->K, d->nv, dU, R);
    slip_ltl_solve_rows(br, w->data->L, w->data->D_inv, d->N, R);
    return SLIP_OK;
}
