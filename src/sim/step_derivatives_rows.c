/* Rows of contacts and limits for step_derivatives.c: J, sigma, what inputs change in them (s), and in the momentum
 * equation by moving contact points and frames. */
#include "sim/step_derivatives_private.h"

#include <string.h>

/* Change of the velocity of body's point x, which moves by dx, at the motions `motion`, when a freedom moves by its
 * column: S x V + v_p x S at the world's origin, and w x dx. S is 0 where the freedom does not move the body. */
static void sd_velocity_change(const sim_derivative *d, int dof, int body, const slip_real *motion,
                               const slip_real x[3], const slip_real dx[3], slip_real du[3])
{
    const slip_real *V = motion + 6*body, *P = motion + 6*d->w->model->parent[d->w->model->dof_body[dof]];
    slip_real S[6], A[6], change[6] = { 0 };
    int i;

    slip_sim_d_column(d, dof, body, S);
    for (i = 0; i < 6; ++i) A[i] = V[i] - P[i];              /* S x V + P x S = S x (V - P) */
    slip_cross3_add(S + 3, A, change);
    slip_cross3_add(S, A + 3, change);
    slip_cross3_add(S + 3, A + 3, change + 3);
    slip_sim_motion_at(change, x, du);
    slip_cross3_add(V + 3, dx, du);
}

/* Relative velocity of a contact in its frame. */
void slip_sim_d_relative(const sim_contact *c, const slip_real *motion, slip_real u[3])
{
    slip_real a[3];

    slip_sim_motion_at(motion + 6*c->site.body_b, c->site.point, u);
    slip_sim_motion_at(motion + 6*c->site.body_a, c->site.point, a);
    slip_sub3(u, a, u);
    slip_mat3_vec(c->site.frame, u, u);
}

/* Whether the velocity that closes a gap or works an overlap off has a corner there. Within the slop it is 0, with
 * slopes of 1/dt and erp/dt on both sides. */
static int sd_is_corner(const slip_world *w, slip_real gap, slip_real eps)
{
    return slip_abs(gap) <= (1 + eps)*w->opt.slop
        || slip_abs(w->opt.erp*gap/w->opt.dt + w->opt.max_push) <= eps*w->opt.max_push;
}

/* b of a contact's normal row and its slope by the gap; *bounces: b is e J v instead. near: at a corner of b. */
static slip_real sd_row_b(const sim_derivative *d, const sim_contact *c, slip_real eps, slip_real *slope, int *bounces,
                          int *near)
{
    const slip_world *w = d->w;
    const slip_real dt = w->opt.dt, b = slip_sim_gap_velocity(w, c->gap), size = slip_abs(c->gap);
    slip_real u[3], free[3], most;

    *bounces = *near = 0;
    if (c->stiffness > 0) {
        const slip_real stiff = dt*c->stiffness + c->damping;

        *slope = c->gap > 0 ? 1/dt : c->stiffness/stiff;
        *near = size <= w->opt.slop;
        return c->gap**slope;
    }
    if (c->restitution > 0) {
        slip_sim_d_relative(c, d->before, u);
        slip_sim_d_motions(d, w->step.v_free, d->force);             /* free for use by now */
        slip_sim_d_relative(c, d->force, free);
        most = slip_max(w->opt.rest_speed, slip_abs(free[2] - u[2]));
        *bounces = c->gap + dt*u[2] <= 0 && u[2] < -most;
        *near = slip_abs(c->gap + dt*u[2]) <= eps*dt*slip_abs(u[2]) || slip_abs(u[2] + most) <= eps*slip_abs(u[2]);
        *slope = 0;
        if (*bounces) return c->restitution*u[2];
    }
    if (size <= w->opt.slop) *slope = 0;
    else *slope = c->gap > 0 ? 1/dt : w->opt.erp*c->gap/dt < -w->opt.max_push ? 0 : w->opt.erp/dt;
    *near |= sd_is_corner(w, c->gap, eps);
    return b;
}

/* J and s of contact k, and what its motion changes in r. */
static void sd_contact_rows(sim_derivative *d, int k, const sim_contact_kind *kind, slip_real slope, int bounces)
{
    const slip_world *w = d->w;
    const slip_model *m = w->model;
    const sim_contact *c = &w->step.contacts[k];
    const int N = d->N, o = d->out->q;
    slip_real *J = d->J + 3*k*d->nv, *s = d->s + (size_t)(3*k)*(size_t)N, u[3], u_a[3], F[3];
    int j, i, l;

    slip_sim_motion_at(d->after + 6*c->site.body_b, c->site.point, u);
    slip_sim_motion_at(d->after + 6*c->site.body_a, c->site.point, u_a);
    slip_sub3(u, u_a, u);
    slip_mat3_tvec(c->site.frame, c->impulse, F);
    for (j = 0; j < m->ndofs; ++j) {
        const int iv = m->dof_iv[j];
        slip_real Sa[6], Sb[6], dx[3], dframe[9], dgap, du[3], t[3], dF[3];

        slip_sim_d_column(d, j, c->site.body_a, Sa);
        slip_sim_d_column(d, j, c->site.body_b, Sb);
        for (i = 0, dgap = 0; i < 6; ++i) dgap += slip_abs(Sa[i]) + slip_abs(Sb[i]);
        if (dgap <= 0) continue;
        slip_sim_motion_at(Sb, c->site.point, du);
        slip_sim_motion_at(Sa, c->site.point, t);
        slip_sub3(du, t, du);
        slip_mat3_vec(c->site.frame, du, t);
        for (i = 0; i < 3; ++i) J[i*d->nv + iv] += t[i];
        if (o < 0) continue;
        if (bounces) s[2*(size_t)N + (size_t)(d->out->v + iv)] += c->restitution*t[2];
        slip_sim_contact_motion(c, kind, Sa, Sb, dx, dframe, &dgap);
        sd_velocity_change(d, j, c->site.body_b, d->after, c->site.point, dx, du);
        sd_velocity_change(d, j, c->site.body_a, d->after, c->site.point, dx, t);
        slip_sub3(du, t, du);
        slip_mat3_vec(c->site.frame, du, du);
        slip_mat3_vec(dframe, u, t);
        slip_add3(du, t, du);
        du[2] += slope*dgap;
        if (bounces) {
            slip_real before[3], change[3], a[3];

            slip_sim_motion_at(d->before + 6*c->site.body_b, c->site.point, before);
            slip_sim_motion_at(d->before + 6*c->site.body_a, c->site.point, a);
            slip_sub3(before, a, before);
            sd_velocity_change(d, j, c->site.body_b, d->before, c->site.point, dx, change);
            sd_velocity_change(d, j, c->site.body_a, d->before, c->site.point, dx, a);
            slip_sub3(change, a, change);
            du[2] += c->restitution*(slip_dot3(c->site.frame + 6, change) + slip_dot3(dframe + 6, before));
        }
        for (i = 0; i < 3; ++i) s[(size_t)i*(size_t)N + (size_t)(o + iv)] += du[i];
        slip_mat3_tvec(dframe, c->impulse, dF);              /* the same impulse in the frame that has turned */
        for (l = 0; l < m->ndofs; ++l) {
            slip_real *r = d->r + (size_t)m->dof_iv[l]*(size_t)N + o + iv;

            for (i = 0; i < 2; ++i) {
                const int body = i ? c->site.body_a : c->site.body_b;
                slip_real S[6], origin[3], arm[3], moment[3];

                if (!slip_sim_d_moves(m, l, body)) continue;
                slip_sim_d_column(d, l, body, S);
                slip_sim_motion_at(i ? Sa : Sb, w->data->pose[body].p, origin);
                slip_sub3(dx, origin, t);
                slip_cross3(t, F, moment);                   /* of the body's origin and the point */
                slip_sub3(c->site.point, w->data->pose[body].p, arm);
                slip_cross3_add(arm, dF, moment);
                slip_sim_motion_at(S, w->data->pose[body].p, t);
                *r += (i ? -1 : 1)*(slip_dot3(dF, t) + slip_dot3(moment, S + 3));
            }
        }
    }
}

/* Columns of restitution, stiffness and damping of contact k: of the last two R lambda + gap k/(dt k + d). approach:
 * J v before the step when it bounces. */
static void sd_material(sim_derivative *d, int k, slip_real approach)
{
    const sim_contact *c = &d->w->step.contacts[k];
    const slip_real dt = d->w->opt.dt, stiff = dt*c->stiffness + c->damping, over = slip_min(c->gap, 0);
    slip_real *s = d->s + (size_t)(3*k + 2)*(size_t)d->N;

    s[d->out->restitution + k] = approach;
    if (!(c->stiffness > 0)) return;
    s[d->out->stiffness + k] = (over*c->damping - c->impulse[2])/(stiff*stiff);
    s[d->out->damping + k] = -(over*c->stiffness + c->impulse[2]/dt)/(stiff*stiff);
}

/* sigma of all rows at the step's result into d->t, J, s and r of contacts and limits; checked against the step's
 * own. */
slip_status slip_sim_d_rows(sim_derivative *d, const slip_step_input *in, slip_real eps)
{
    slip_world *w = d->w;
    const slip_real dt = w->opt.dt;
    slip_real size = 0, error = 0, slope;
    int k, i, bounces, near;

    memset(d->J, 0, (size_t)(3*d->nc + d->nl)*(size_t)d->nv*sizeof *d->J);
    memset(d->s, 0, (size_t)(3*d->nc + d->nl)*(size_t)d->N*sizeof *d->s);
    for (k = 0; k < 3*d->nc + d->nl; ++k) d->R[k] = 0;
    for (k = 0; k < d->nc; ++k) {
        const sim_contact *c = &w->step.contacts[k];
        sim_contact_kind kind;
        slip_real *sigma = d->t + 3*k, u[3];

        slip_sim_contact_kind(w, c, &kind);
        slip_sim_d_relative(c, d->after, sigma);
        sigma[2] += sd_row_b(d, c, eps, &slope, &bounces, &near);
        if (near && c->impulse[2] > 0) slip_sim_d_add_border(d, k);
        if (c->stiffness > 0) d->R[3*k + 2] = 1/(dt*(dt*c->stiffness + c->damping));
        sigma[2] += d->R[3*k + 2]*c->impulse[2];
        sd_contact_rows(d, k, &kind, slope, bounces);
        slip_sim_d_relative(c, d->before, u);
        if (d->out->friction >= 0) sd_material(d, k, bounces ? u[2] : 0);
        size = slip_max(size, slip_max(slip_norm3(u), slip_max(slip_norm3(c->sigma), slip_norm3(sigma))));
        size = slip_max(size, d->R[3*k + 2]*c->impulse[2]);
        for (i = 0; i < 3; ++i) error = slip_max(error, slip_abs(sigma[i] - c->sigma[i]));
    }
    for (k = 0; k < d->nl; ++k) {
        const int iv = w->step.limit_iv[k], row = 3*d->nc + k;
        const slip_real sign = w->step.limit_sign[k], gap = slip_sim_limit_gap(w, in, k);

        d->out->limit_iv[k] = iv;
        slope = slip_abs(gap) <= w->opt.slop ? 0 : gap > 0 ? 1/dt
            : w->opt.erp*gap/dt < -w->opt.max_push ? 0 : w->opt.erp/dt;
        d->J[row*d->nv + iv] = sign;
        if (d->out->q >= 0) d->s[(size_t)row*(size_t)d->N + (size_t)(d->out->q + iv)] = sign*slope;
        d->t[row] = sign*d->vs[iv] + slip_sim_gap_velocity(w, gap);
        if (sd_is_corner(w, gap, eps) && w->state.limit_impulse[2*iv + (sign < 0)] > 0)
            slip_sim_d_add_border(d, d->nc + k);
    }
    if (error <= SLIP_TOL(1e-9, 1e-2)*(size + dt*slip_norm3(w->model->gravity))) return SLIP_OK;
    return slip_sim_d_refuse(w, "its contact rows are other ones");
}
