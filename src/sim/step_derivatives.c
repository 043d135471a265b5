/* The derivative of a step, implicitly: the step's result solves equations whose derivatives are known. With y = (v* - v)/dt
 * - f, v* the new velocity in the axes of the step's start and f = w x v what floating joints gain by keeping these axes:
 *
 *   momentum   rnea(q, v, y, wrenches and contact forces) - turn(v) + D y - force(q, v, tau, drives) = J_l' lambda_l/dt
 *   rows       sigma = J(q) v* + R lambda + b(q, v) of contacts and limits
 *   modes      open: lambda = 0;  sticking, or a limit that is reached: sigma = 0;
 *              sliding: sigma_n = 0,  lambda_t |sigma_t| + mu lambda_n sigma_t = 0
 *   drift      q+, v+ from q, v* joint by joint (drift_derivatives.c)
 *
 * D are the implicit terms of drives and damping, turn() what integrate.c treats by turning momenta. The derivative of a
 * mode is A dlambda + B dsigma + a dmu = 0, with small blocks A, B; with X = (M + D)^-1 J' and G = J X
 *
 *   dv* = (M + D)^-1 r + X dlambda,   (A + B (G + R)) dlambda = -B (J (M + D)^-1 r + s) - a dmu
 *
 * r and s being what inputs change in momentum and rows at fixed v*, lambda. Contacts that share their load in more than one
 * way make the matrix singular: a small compliance is added to it, and taken out again by repetition. */
#include "sim/step_derivatives_private.h"

#include "contact/lu.h"

#include <string.h>

#define SD_COMPLIANCE SLIP_TOL(1e-8, 1e-3)   /* of the largest mobility; each repetition shrinks its effect by about that */
#define SD_RANK 100                          /* a pivot of which compliance is a hundredth would be 0 without */
enum { SD_REPEATS = 4 };

enum { SD_OPEN, SD_STICKS, SD_SLIDES };

typedef struct {
    slip_world *w;
    slip_step_jacobian *out;
    int nv, nb, nc, nl, N, active, wide;     /* columns of the result; rows of closed contacts and limits; the same padded */
    slip_real *q, *v, *vs;                   /* before the step; v*                                                 */
    slip_real *columns;                      /* [6*ndofs] motions of the freedoms at the world's origin             */
    slip_real *before, *after;               /* [6*nbodies] the bodies' motions there at v and v*                   */
    slip_real *force;                        /* [6*nbodies] wrenches and contact forces                             */
    slip_real *y, *stiff, *slope_q;          /* [nv] D, and d(force)/dq of drives                                   */
    slip_real *saturated;                    /* [nv] 1: a constant torque                                           */
    slip_real *Fq, *Fv, *M;                  /* [nv*nv] of inverse dynamics                                         */
    slip_real *r, *s;                        /* [nv*N], [rows*N]                                                    */
    slip_real *J;                            /* [rows*nv]                                                           */
    slip_real *X, *K, *A, *B, *a;            /* [nv*wide], [active^2] with compliance, as it is, ...                */
    slip_real *t, *x, *rest;                 /* [rows] each                                                         */
    slip_real *R;                            /* [rows]                                                              */
    int *pivot, *mode, *row_of;              /* [active], [nc + nl], [active] row of each                           */
} sd;

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static size_t sd_pad(int n) { return (size_t)SLIP_PADDED(n); }

/* The result first, scratch behind it from *mark on. */
static void sd_carve(sd *d, slip_arena *mem, int nc, int nl, size_t *mark)
{
    const slip_model *m = d->w->model;
    const size_t nv = (size_t)m->nv, nb = (size_t)m->nbodies, rows = (size_t)(3*nc + nl);
    slip_step_jacobian *o = d->out;
    size_t N;

    d->nv = o->nv = m->nv;
    d->nb = m->nbodies;
    d->nc = o->nc = nc;
    d->nl = o->nl = nl;
    o->q = 0;
    o->v = m->nv;
    o->tau = 2*m->nv;
    o->q_ref = 3*m->nv;
    o->v_ref = 4*m->nv;
    o->wrench = 5*m->nv;
    o->friction = o->wrench + 6*m->nbodies;
    o->restitution = o->friction + nc;
    o->stiffness = o->restitution + nc;
    o->damping = o->stiffness + nc;
    o->density = o->damping + nc;
    o->columns = o->density + m->nbodies;
    o->rows = 2*m->nv + 3*nc + nl;
    d->N = (int)sd_pad(o->columns);
    N = (size_t)d->N;
    o->D = slip_arena_reals(mem, (size_t)o->rows*(size_t)o->columns);
    o->limit_iv = slip_arena_ints(mem, (size_t)nl);
    o->border = slip_arena_ints(mem, (size_t)(nc + nl) + nv);
    *mark = slip_arena_mark(mem);
    d->vs = slip_arena_reals(mem, nv);
    d->columns = slip_arena_reals(mem, 6*(size_t)m->ndofs);
    d->before = slip_arena_reals(mem, 6*nb);
    d->after = slip_arena_reals(mem, 6*nb);
    d->force = slip_arena_reals(mem, 6*nb);
    d->y = slip_arena_reals(mem, nv);
    d->stiff = slip_arena_reals(mem, nv);
    d->slope_q = slip_arena_reals(mem, nv);
    d->saturated = slip_arena_reals(mem, nv);
    d->Fq = slip_arena_reals(mem, nv*nv);
    d->Fv = slip_arena_reals(mem, nv*nv);
    d->M = slip_arena_reals(mem, nv*nv);
    d->r = slip_arena_reals(mem, nv*N);
    d->s = slip_arena_reals(mem, rows*N);
    d->J = slip_arena_reals(mem, rows*nv);
    d->X = slip_arena_reals(mem, nv*sd_pad(3*nc + nl));
    d->K = slip_arena_reals(mem, rows*rows);
    d->A = slip_arena_reals(mem, rows*rows);
    d->B = slip_arena_reals(mem, rows*3);
    d->a = slip_arena_reals(mem, rows);
    d->t = slip_arena_reals(mem, rows);
    d->x = slip_arena_reals(mem, rows);
    d->rest = slip_arena_reals(mem, rows);
    d->R = slip_arena_reals(mem, rows);
    d->pivot = slip_arena_ints(mem, rows);
    d->mode = slip_arena_ints(mem, (size_t)(nc + nl));
    d->row_of = slip_arena_ints(mem, rows);
}

size_t slip_step_jacobian_bytes(const slip_world *world)
{
    slip_arena count = slip_arena_counting();
    slip_step_jacobian result;
    size_t mark;
    sd d;

    d.w = (slip_world *)world;
    d.out = &result;
    slip_arena_reals(&count, (size_t)(world->model->nq + world->model->nv));
    sd_carve(&d, &count, world->opt.max_contacts, world->fixed.max_limits, &mark);
    return slip_arena_needed(&count) + slip_derivatives_bytes(world->model);
}

/* ---- what is not differentiated ----------------------------------------------------------------------------------- */

static slip_status sd_refuse(slip_world *w, const char *what)
{
    return slip_fail(&w->error, SLIP_ERR_UNSUPPORTED, 0, 0, "this step cannot be differentiated: %s", what);
}

static slip_status sd_check_options(slip_world *w)
{
    if (w->opt.integrator != SLIP_EULER) return sd_refuse(w, "only steps with integrator=\"euler\" can");
    if (w->opt.solver->model != SLIP_MODEL_NCP) return sd_refuse(w, "its solver is none of the NCP");
    if (slip_sim_loop_count(w) > 0) return sd_refuse(w, "the world has loops");
    if (w->opt.law.kind != SLIP_LAW_RIGID || w->opt.law.overlap) return sd_refuse(w, "the world has a contact law");
    if (w->fixed.rolling_kinds) return sd_refuse(w, "a material has torsional or rolling friction");
    if (w->fixed.has_friction) return sd_refuse(w, "a joint has dry friction");
    if (w->fixed.has_rings && w->opt.ring > 0) return sd_refuse(w, "the world has rings");
    if (w->opt.sleep > 0) return sd_refuse(w, "bodies may sleep");
    return SLIP_OK;
}

static slip_status sd_check_step(slip_world *w)
{
    int k;

    if (w->step.nprescribed > 0) return sd_refuse(w, "a joint's motion is prescribed");
    if (w->step.belts) return sd_refuse(w, "a surface moves");
    if (w->step.nheld > 0) return sd_refuse(w, "a drive's limit is a row of the contact problem");
    if (w->stats.softened > 0) return sd_refuse(w, "contacts were made soft");
    for (k = 0; k < w->step.ncontacts; ++k) {
        const sim_contact *c = &w->step.contacts[k];
        sim_contact_kind kind;

        if (c->tangent_stiffness + c->tangent_damping > 0) return sd_refuse(w, "a surface yields along itself");
        if (slip_sim_contact_kind(w, c, &kind) != SLIP_OK)
            return slip_fail(&w->error, SLIP_ERR_UNSUPPORTED, 0, 0, "this step cannot be differentiated: it has no "
                             "derivative of contacts between '%s' and '%s'", slip_sim_collider_name(w, c->a),
                             slip_sim_collider_name(w, c->b));
    }
    return SLIP_OK;
}

static void sd_add_border(sd *d, int k)
{
    slip_step_jacobian *o = d->out;
    int i;

    for (i = 0; i < o->nborder && o->border[i] != k; ++i) {}
    if (i == o->nborder) o->border[o->nborder++] = k;
}

/* ---- motions ------------------------------------------------------------------------------------------------------ */

/* Motions of all bodies at the world's origin, at velocities v. */
static void sd_motions(const sd *d, const slip_real *v, slip_real *motion)
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

static int sd_moves(const slip_model *m, int dof, int body)
{
    const int above = m->dof_body[dof];

    while (body > above) body = m->parent[body];
    return body == above;
}

/* The motion of a body by a freedom: its column or 0. */
static void sd_column(const sd *d, int dof, int body, slip_real S[6])
{
    const slip_real s = sd_moves(d->w->model, dof, body) ? d->w->model->dof_scale[dof] : 0;
    int i;

    for (i = 0; i < 6; ++i) S[i] = s*d->columns[6*dof + i];
}

/* f of floating and planar joints, and its derivative by v, n x n, for body b; returns n or 0. */
static int sd_freeze(const slip_model *m, int b, const slip_real *v, slip_real f[3], slip_real df[36])
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

/* ---- momentum ----------------------------------------------------------------------------------------------------- */

/* D, slopes and saturation of drives, and the force of drives and damping at q, v, into `force`. */
static void sd_actuation(sd *d, const slip_step_input *in, slip_real *force)
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
static void sd_find_drives_at_limits(sd *d, const slip_step_input *in, slip_real eps)
{
    int i;

    for (i = 0; i < d->nv; ++i) {
        const slip_drive *p = &in->drives[i];

        if (!slip_sim_has_drive(p) || !slip_is_finite(p->effort)) continue;
        if (slip_abs(slip_abs(slip_sim_drive_torque(d->w, in, i, d->vs[i])) - p->effort) <= eps*p->effort)
            sd_add_border(d, d->nc + d->nl + i);
    }
}

/* Wrenches, and forces of contacts as wrenches. */
static void sd_forces(sd *d, const slip_step_input *in)
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
static slip_status sd_check_momentum(sd *d, const slip_real *force)
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
    return sd_refuse(w, "its momentum equation is another one");
}

/* d(momentum)/dv: of inverse dynamics, of y, of turn() and of the force. */
static void sd_by_velocity(sd *d, const slip_step_input *in)
{
    const slip_world *w = d->w;
    const slip_model *m = w->model;
    const slip_real dt = w->opt.dt;
    const int n = d->nv;
    int b, i, j, k;

    for (i = 0; i < n; ++i) {
        for (j = 0; j < n; ++j) d->Fv[i*n + j] -= d->M[i*n + j]/dt;
        d->Fv[i*n + i] += m->damping[i];
        if (d->saturated[i] == 0)
            d->Fv[i*n + i] += in->drives[i].kd + (in->drives[i].implicit ? -dt*d->slope_q[i] : 0);
    }
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        const slip_real *I = m->inertia + 10*b, *v = d->v + iv;
        slip_real f[3], df[36], t[3], u[3];
        const int size = sd_freeze(m, b, v, f, df);

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
static void sd_body_force(const sd *d, int b, slip_real f[6])
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
static void sd_by_density(sd *d)
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
            sd_column(d, k, b, S);
            slip_sim_motion_at(S, w->data->pose[b].p, u);
            r[(size_t)m->dof_iv[k]*(size_t)d->N] -= dt*(slip_dot3(u, f) + slip_dot3(S + 3, f + 3));
        }
        if (!w->fixed.free_single[b] && !w->fixed.plane_single[b]) continue;
        slip_sim_turn_bias(w, b, d->v + iv, bias);
        for (i = 0; i < (w->fixed.free_single[b] ? 6 : 3); ++i) r[(size_t)(iv + i)*(size_t)d->N] += dt*bias[i];
    }
}

/* r = -dt d(momentum)/d(inputs), but for what contact points and frames do. */
static void sd_right_sides(sd *d, const slip_step_input *in)
{
    const slip_model *m = d->w->model;
    const slip_step_jacobian *o = d->out;
    const slip_real dt = d->w->opt.dt;
    const int n = d->nv, N = d->N;
    int i, j, k;

    memset(d->r, 0, (size_t)n*(size_t)N*sizeof *d->r);
    for (i = 0; i < n; ++i) {
        slip_real *r = d->r + (size_t)i*(size_t)N;

        for (j = 0; j < n; ++j) {
            r[o->q + j] = -dt*d->Fq[i*n + j];
            r[o->v + j] = -dt*d->Fv[i*n + j];
        }
        r[o->q + i] += dt*d->slope_q[i];
        r[o->tau + i] = dt;
        if (d->saturated[i] != 0) continue;
        r[o->q_ref + i] = dt*in->drives[i].kp;
        r[o->v_ref + i] = dt*in->drives[i].kd;
    }
    for (k = 0; k < m->ndofs; ++k) {                         /* J' of each body's wrench, about its origin */
        slip_real *r = d->r + (size_t)m->dof_iv[k]*(size_t)N + o->wrench;

        for (j = 1; j < d->nb; ++j) {
            slip_real S[6], u[3];

            sd_column(d, k, j, S);
            slip_sim_motion_at(S, d->w->data->pose[j].p, u);
            for (i = 0; i < 3; ++i) {
                r[6*j + i] += dt*u[i];
                r[6*j + 3 + i] += dt*S[3 + i];
            }
        }
    }
    sd_by_density(d);
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

/* Change of the velocity of body's point x, which moves by dx, at the motions `motion`, when a freedom moves by its
 * column: S x V + v_p x S at the world's origin, and w x dx. S is 0 where the freedom does not move the body. */
static void sd_velocity_change(const sd *d, int dof, int body, const slip_real *motion, const slip_real x[3],
                               const slip_real dx[3], slip_real du[3])
{
    const slip_real *V = motion + 6*body, *P = motion + 6*d->w->model->parent[d->w->model->dof_body[dof]];
    slip_real S[6], A[6], change[6] = { 0 };
    int i;

    sd_column(d, dof, body, S);
    for (i = 0; i < 6; ++i) A[i] = V[i] - P[i];              /* S x V + P x S = S x (V - P) */
    slip_cross3_add(S + 3, A, change);
    slip_cross3_add(S, A + 3, change);
    slip_cross3_add(S + 3, A + 3, change + 3);
    slip_sim_motion_at(change, x, du);
    slip_cross3_add(V + 3, dx, du);
}

/* Relative velocity of a contact in its frame. */
static void sd_relative(const sim_contact *c, const slip_real *motion, slip_real u[3])
{
    slip_real a[3];

    slip_sim_motion_at(motion + 6*c->site.body_b, c->site.point, u);
    slip_sim_motion_at(motion + 6*c->site.body_a, c->site.point, a);
    slip_sub3(u, a, u);
    slip_mat3_vec(c->site.frame, u, u);
}

/* Whether the velocity that closes a gap or works an overlap off has a corner there. Within the slop it is 0, with slopes
 * of 1/dt and erp/dt on both sides. */
static int sd_is_corner(const slip_world *w, slip_real gap, slip_real eps)
{
    return slip_abs(gap) <= (1 + eps)*w->opt.slop
        || slip_abs(w->opt.erp*gap/w->opt.dt + w->opt.max_push) <= eps*w->opt.max_push;
}

/* b of a contact's normal row and its slope by the gap; *bounces: b is e J v instead. near: at a corner of b. */
static slip_real sd_row_b(const sd *d, const sim_contact *c, slip_real eps, slip_real *slope, int *bounces, int *near)
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
        sd_relative(c, d->before, u);
        sd_motions(d, w->step.v_free, d->force);             /* free for use by now */
        sd_relative(c, d->force, free);
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
static void sd_contact_rows(sd *d, int k, const sim_contact_kind *kind, slip_real slope, int bounces)
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

        sd_column(d, j, c->site.body_a, Sa);
        sd_column(d, j, c->site.body_b, Sb);
        for (i = 0, dgap = 0; i < 6; ++i) dgap += slip_abs(Sa[i]) + slip_abs(Sb[i]);
        if (dgap <= 0) continue;
        slip_sim_motion_at(Sb, c->site.point, du);
        slip_sim_motion_at(Sa, c->site.point, t);
        slip_sub3(du, t, du);
        slip_mat3_vec(c->site.frame, du, t);
        for (i = 0; i < 3; ++i) J[i*d->nv + iv] += t[i];
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

                if (!sd_moves(m, l, body)) continue;
                sd_column(d, l, body, S);
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

/* ---- modes -------------------------------------------------------------------------------------------------------- */

/* A, B and a of a sliding contact; `row`: of its first row among the closed ones. */
static void sd_slide(sd *d, const sim_contact *c, const slip_real sigma[3], int row)
{
    const slip_real speed = slip_norm2(sigma), e[2] = { sigma[0]/speed, sigma[1]/speed };
    const slip_real mu = slip_sim_row_friction(d->w, c), turn = mu*c->impulse[2]/speed;
    int i, k;

    for (i = 0; i < 2; ++i) {
        for (k = 0; k < 2; ++k) d->B[3*(row + i) + k] = turn*((i == k) - e[i]*e[k]);
        d->B[3*(row + i) + 2] = 0;
        d->A[(row + i)*d->active + row + i] += 1;
        d->A[(row + i)*d->active + row + 2] += mu*e[i];
        d->a[row + i] = mu < c->mu ? 0 : c->impulse[2]*e[i];
    }
    d->B[3*row + 6] = d->B[3*row + 7] = 0;
    d->B[3*row + 8] = 1;
}

/* Modes of all contacts and limits, whose sigma is in d->t; how many rows are closed. */
static void sd_modes(sd *d, slip_real eps)
{
    const slip_world *w = d->w;
    slip_real lambda = 0, speed = 0;
    int k, i;

    for (k = 0; k < d->nc; ++k) lambda = slip_max(lambda, slip_norm3(w->step.contacts[k].impulse));
    for (k = 0; k < d->nl; ++k)
        lambda = slip_max(lambda, w->state.limit_impulse[2*w->step.limit_iv[k] + (w->step.limit_sign[k] < 0)]);
    for (k = 0; k < d->nc; ++k) {
        slip_real u[3];

        sd_relative(&w->step.contacts[k], d->before, u);
        speed = slip_max(speed, slip_max(slip_norm3(u), slip_norm3(d->t + 3*k)));
    }
    for (k = 0; k < d->nv; ++k) speed = slip_max(speed, d->nl > 0 ? slip_abs(d->vs[k]) : 0);
    lambda *= eps;
    speed = eps*slip_max(speed, w->opt.dt*slip_norm3(w->model->gravity));
    d->active = 0;
    for (k = 0; k < d->nc; ++k) {
        const sim_contact *c = &w->step.contacts[k];
        const slip_real *x = c->impulse, *sigma = d->t + 3*k;
        const slip_real slip = slip_norm2(sigma), mu = slip_sim_row_friction(w, c), room = mu*x[2] - slip_norm2(x);

        d->mode[k] = x[2] <= lambda ? SD_OPEN : mu > 0 && (room > lambda || slip <= speed) ? SD_STICKS : SD_SLIDES;
        if (d->mode[k] == SD_OPEN && sigma[2] <= speed) sd_add_border(d, k);
        if (d->mode[k] == SD_STICKS && room <= lambda) sd_add_border(d, k);
        for (i = 0; d->mode[k] != SD_OPEN && i < 3; ++i) d->row_of[d->active++] = 3*k + i;
    }
    for (k = 0; k < d->nl; ++k) {
        const int closed = w->state.limit_impulse[2*w->step.limit_iv[k] + (w->step.limit_sign[k] < 0)] > lambda;

        d->mode[d->nc + k] = closed ? SD_STICKS : SD_OPEN;
        if (!closed && d->t[3*d->nc + k] <= speed) sd_add_border(d, d->nc + k);
        if (closed) d->row_of[d->active++] = 3*d->nc + k;
    }
    d->wide = (int)sd_pad(d->active);
}

/* Fills A and B of the closed rows; those of open ones have none. */
static void sd_blocks(sd *d)
{
    const int n = d->active;
    int i, k;

    memset(d->A, 0, (size_t)n*(size_t)n*sizeof *d->A);
    for (i = 0; i < n; ++i) d->a[i] = 0;
    for (i = 0; i < n; ++i) {
        const int row = d->row_of[i], contact = row/3;

        if (row >= 3*d->nc) { d->B[3*i] = 1;  continue; }
        if (row % 3 != 0) continue;
        if (d->mode[contact] == SD_SLIDES && slip_norm2(d->t + 3*contact) > 0) {
            sd_slide(d, &d->w->step.contacts[contact], d->t + 3*contact, i);
            continue;
        }
        for (k = 0; k < 9; ++k) d->B[3*i + k] = k % 4 == 0;
        if (d->mode[contact] == SD_STICKS) continue;
        for (k = 0; k < 2; ++k) {                            /* without friction or sliding: lambda_t = 0 */
            d->B[3*(i + k) + k] = 0;
            d->A[(i + k)*n + i + k] = 1;
        }
    }
}

/* y_i = sum over the block of row i of B z. */
static slip_real sd_times_B(const sd *d, int i, const slip_real *z, int stride)
{
    const int row = d->row_of[i], first = row >= 3*d->nc ? i : i - row % 3, n = row >= 3*d->nc ? 1 : 3;
    slip_real sum = 0;
    int k;

    for (k = 0; k < n; ++k) sum += d->B[3*i + k]*z[(first + k)*stride];
    return sum;
}

/* A <- A + B (G + R), K the same with compliance, factored. */
static slip_status sd_matrix(sd *d)
{
    const slip_data *data = d->w->data;
    const int n = d->active, nv = d->nv;
    slip_real *G = d->K, most = 0, soft;
    int i, j, k;

    memset(d->X, 0, (size_t)nv*(size_t)d->wide*sizeof *d->X);
    for (k = 0; k < nv; ++k) for (i = 0; i < n; ++i) d->X[k*d->wide + i] = d->J[d->row_of[i]*nv + k];
    slip_ltl_solve_rows(&d->w->model->branches, data->L, data->D_inv, d->wide, d->X);
    for (i = 0; i < n; ++i)
        for (j = 0; j < n; ++j) {
            slip_real sum = i == j ? d->R[d->row_of[i]] : 0;

            for (k = 0; k < nv; ++k) sum += d->J[d->row_of[i]*nv + k]*d->X[k*d->wide + j];
            G[i*n + j] = sum;
        }
    for (i = 0; i < n; ++i) most = slip_max(most, G[i*n + i]);
    soft = SD_COMPLIANCE*most;
    for (j = 0; j < n; ++j)
        for (i = 0; i < n; ++i) d->A[i*n + j] += sd_times_B(d, i, G + j, n);
    for (i = 0; i < n; ++i) {
        const int row = d->row_of[i], first = row >= 3*d->nc ? i : i - row % 3, m = row >= 3*d->nc ? 1 : 3;

        for (j = 0; j < n; ++j) G[i*n + j] = d->A[i*n + j];
        for (k = 0; k < m; ++k) G[i*n + first + k] += soft*d->B[3*i + k];
    }
    d->out->unique = 1;
    if (n > 0 && slip_lu_factor(n, d->K, n, d->pivot) != SLIP_OK) return SLIP_ERR_NOT_SPD;
    for (i = 0; i < n; ++i) if (slip_abs(d->K[i*n + i]) <= SD_RANK*soft) d->out->unique = 0;
    return SLIP_OK;
}

/* dlambda of one column, whose changes of sigma at fixed lambda are z, into d->x; returns what it leaves, relative. */
static slip_real sd_solve(sd *d, const slip_real *z, int friction)
{
    const int n = d->active;
    slip_real left = 0, most = 0;
    int i, j, k;

    for (i = 0; i < n; ++i) {
        d->t[i] = -sd_times_B(d, i, z, 1) - (d->row_of[i] < 3*d->nc && d->row_of[i]/3 == friction ? d->a[i] : 0);
        d->x[i] = 0;
        most = slip_max(most, slip_abs(d->t[i]));
    }
    for (k = 0; k <= SD_REPEATS; ++k) {
        left = 0;
        for (i = 0; i < n; ++i) {
            slip_real sum = d->t[i];

            for (j = 0; j < n; ++j) sum -= d->A[i*n + j]*d->x[j];
            d->rest[i] = sum;
            left = slip_max(left, slip_abs(sum));
        }
        if (k == SD_REPEATS) break;
        slip_lu_solve(n, d->K, n, d->pivot, d->rest);
        for (i = 0; i < n; ++i) d->x[i] += d->rest[i];
    }
    return most > 0 ? left/most : 0;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

/* Rows q+ and v+ from dv*, which is in r. */
static void sd_drift(const sd *d)
{
    const slip_model *m = d->w->model;
    const slip_step_jacobian *o = d->out;
    int b, i, j, k;

    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        sim_drift_blocks blocks;

        if (m->mimics[b]) continue;
        slip_sim_drift_derivatives(d->w, b, d->w->opt.dt, d->vs + iv, &blocks);
        for (i = 0; i < blocks.n; ++i)
            for (k = 0; k < o->columns; ++k) {
                slip_real q = 0, v = 0;

                for (j = 0; j < blocks.n; ++j) {
                    const slip_real dv = d->r[(size_t)(iv + j)*(size_t)d->N + (size_t)k];

                    if (k == o->q + iv + j) q += blocks.qq[i*blocks.n + j];
                    q += blocks.qv[i*blocks.n + j]*dv;
                    v += blocks.vv[i*blocks.n + j]*dv;
                }
                o->D[(iv + i)*o->columns + k] = q;
                o->D[(d->nv + iv + i)*o->columns + k] = v;
            }
    }
}

/* All columns: r <- dv*, and rows of impulses. */
static void sd_columns(sd *d)
{
    slip_step_jacobian *o = d->out;
    const size_t N = (size_t)d->N;
    slip_real *z = d->R;                                     /* R is in A by now */
    int i, j, k;

    memset(o->D, 0, (size_t)o->rows*(size_t)o->columns*sizeof *o->D);
    slip_ltl_solve_rows(&d->w->model->branches, d->w->data->L, d->w->data->D_inv, d->N, d->r);
    for (k = 0; k < o->columns && d->active > 0; ++k) {
        for (i = 0; i < d->active; ++i) {
            const int row = d->row_of[i];

            z[i] = d->s[(size_t)row*N + (size_t)k];
            for (j = 0; j < d->nv; ++j) z[i] += d->J[row*d->nv + j]*d->r[(size_t)j*N + (size_t)k];
        }
        o->left = slip_max(o->left, sd_solve(d, z, k - o->friction));
        for (i = 0; i < d->active; ++i) o->D[(2*d->nv + d->row_of[i])*o->columns + k] = d->x[i];
        for (j = 0; j < d->nv; ++j)
            for (i = 0; i < d->active; ++i) d->r[(size_t)j*N + (size_t)k] += d->X[j*d->wide + i]*d->x[i];
    }
    sd_drift(d);
}

/* Columns of restitution, stiffness and damping of contact k: of the last two R lambda + gap k/(dt k + d). approach: J v
 * before the step when it bounces. */
static void sd_material(sd *d, int k, slip_real approach)
{
    const sim_contact *c = &d->w->step.contacts[k];
    const slip_real dt = d->w->opt.dt, stiff = dt*c->stiffness + c->damping, over = slip_min(c->gap, 0);
    slip_real *s = d->s + (size_t)(3*k + 2)*(size_t)d->N;

    s[d->out->restitution + k] = approach;
    if (!(c->stiffness > 0)) return;
    s[d->out->stiffness + k] = (over*c->damping - c->impulse[2])/(stiff*stiff);
    s[d->out->damping + k] = -(over*c->stiffness + c->impulse[2]/dt)/(stiff*stiff);
}

/* sigma of all rows at the step's result into d->t, J, s and r of contacts and limits; checked against the step's own. */
static slip_status sd_rows(sd *d, const slip_step_input *in, slip_real eps)
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
        sd_relative(c, d->after, sigma);
        sigma[2] += sd_row_b(d, c, eps, &slope, &bounces, &near);
        if (near && c->impulse[2] > 0) sd_add_border(d, k);
        if (c->stiffness > 0) d->R[3*k + 2] = 1/(dt*(dt*c->stiffness + c->damping));
        sigma[2] += d->R[3*k + 2]*c->impulse[2];
        sd_contact_rows(d, k, &kind, slope, bounces);
        sd_relative(c, d->before, u);
        sd_material(d, k, bounces ? u[2] : 0);
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
        d->s[(size_t)row*(size_t)d->N + (size_t)(d->out->q + iv)] = sign*slope;
        d->t[row] = sign*d->vs[iv] + slip_sim_gap_velocity(w, gap);
        if (sd_is_corner(w, gap, eps) && w->state.limit_impulse[2*iv + (sign < 0)] > 0) sd_add_border(d, d->nc + k);
    }
    if (error <= SLIP_TOL(1e-9, 1e-2)*(size + dt*slip_norm3(w->model->gravity))) return SLIP_OK;
    return sd_refuse(w, "its contact rows are other ones");
}

/* d->q, v and the step are there. */
static slip_status sd_differentiate(sd *d, slip_real eps, slip_arena *mem)
{
    slip_world *w = d->w;
    const slip_model *m = w->model;
    const slip_branches *br = &m->branches;
    slip_step_input in = slip_world_input(w);
    const slip_real dt = w->opt.dt;
    slip_real *force = d->r;                                 /* for now */
    slip_status s;
    int b, i;

    in.q = d->q;
    in.v = d->v;
    d->out->nborder = 0;
    d->out->left = 0;
    for (i = 0; i < d->nv; ++i) {
        d->vs[i] = w->step.v_free[i] + w->step.dv_contact[i];
        d->y[i] = (d->vs[i] - d->v[i])/dt;
    }
    for (b = 1; b < m->nbodies; ++b) {
        slip_real f[3], df[36], *y = d->y + m->dof_iv[m->idof[b]];

        if (sd_freeze(m, b, d->v + m->dof_iv[m->idof[b]], f, df) > 0)
            for (i = 0; i < (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 2); ++i) y[i] -= f[i];
    }
    sd_forces(d, &in);
    s = slip_rnea_derivatives(m, w->data, d->q, d->v, d->y, d->force, d->Fq, d->Fv, mem);
    if (s != SLIP_OK) return s;
    slip_dof_columns(m, w->data, d->columns);
    slip_mass_matrix(m, w->data, d->M);
    sd_actuation(d, &in, force);
    sd_find_drives_at_limits(d, &in, eps);
    s = sd_check_momentum(d, force);
    if (s != SLIP_OK) return s;
    for (i = 0; i < d->nv; ++i) {
        d->M[i*d->nv + i] += d->stiff[i];
        w->data->M[br->row[i] + br->depth[i]] += d->stiff[i];
    }
    s = slip_ltl_factor(br, w->data->M, w->data->L, w->data->D_inv, NULL);
    if (s != SLIP_OK) return s;
    sd_motions(d, d->v, d->before);
    sd_motions(d, d->vs, d->after);
    sd_by_velocity(d, &in);
    sd_right_sides(d, &in);
    s = sd_rows(d, &in, eps);
    if (s != SLIP_OK) return s;
    sd_modes(d, eps);
    sd_blocks(d);
    s = sd_matrix(d);
    if (s != SLIP_OK) return sd_refuse(w, "its contact modes have no unique solution even with compliance");
    sd_columns(d);
    return SLIP_OK;
}

slip_status slip_step_derivatives(slip_world *w, slip_real eps, slip_arena *mem, slip_step_jacobian *result)
{
    const size_t begin = slip_arena_mark(mem), nq = (size_t)w->model->nq, nv = (size_t)w->model->nv;
    const int failed_before = mem->failed;
    slip_status step, s = sd_check_options(w);
    slip_real *start;
    const size_t high = slip_arena_mark_scratch(mem);
    size_t mark = begin;
    sd d;

    if (s != SLIP_OK) return s;
    if (!(eps > 0)) return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "eps is %g, not above 0", (double)eps);
    d.w = w;
    d.out = result;
    start = (slip_real *)slip_arena_scratch(mem, nq + nv, sizeof *start);
    if (!start) return SLIP_ERR_WORKSPACE;
    d.q = start;
    d.v = start + nq;
    memcpy(d.q, w->state.q, nq*sizeof *start);
    memcpy(d.v, w->state.v, nv*sizeof *start);
    step = slip_step(w);
    s = step < 0 ? step : sd_check_step(w);
    if (s == SLIP_OK) {
        mem->failed = 0;
        sd_carve(&d, mem, w->step.ncontacts, w->step.nlimits, &mark);
        if (mem->failed) s = SLIP_ERR_WORKSPACE;
        else mem->failed = failed_before;
    }
    if (s == SLIP_OK) s = sd_differentiate(&d, eps, mem);
    slip_arena_release_scratch(mem, high);
    slip_arena_release(mem, s == SLIP_OK ? mark : begin);
    if (s != SLIP_OK) return s;
    if (step > SLIP_OK) return step;
    return result->nborder > 0 || result->left > eps ? SLIP_DEGENERATE : SLIP_OK;
}
