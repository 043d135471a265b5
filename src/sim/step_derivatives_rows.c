/* Rows of contacts and limits for step_derivatives.c: J, sigma, what inputs change in them (s, P), and in the momentum
 * of the impulses by moving contact points and frames (c). */
#include "sim/step_derivatives_private.h"

#include <string.h>

/* b of a contact's rows as a linear function of the gap's velocity, the arc and J v before the step: coefficients of
 * the normal row and of the tangents. */
typedef struct { slip_real gap, arc, before, t_arc, t_before, b[3]; int near; } sd_terms;

/* Change of the velocity of body's point x, which moves by dx, at the motions `motion`, when freedom `dof` moves it by
 * S: S x V + v_p x S at the world's origin, and w x dx. S is 0 where the freedom does not move the body. */
static void sd_velocity_change(const sim_derivative *d, int dof, int body, const slip_real S[6],
                               const slip_real *motion, const slip_real x[3], const slip_real dx[3], slip_real du[3])
{
    const slip_real *V = motion + 6*body, *P = motion + 6*d->w->model->parent[d->w->model->dof_body[dof]];
    slip_real A[6], change[6] = { 0 };
    int i;

    for (i = 0; i < 6; ++i) A[i] = V[i] - P[i];              /* S x V + P x S = S x (V - P) */
    slip_cross3_add(S + 3, A, change);
    slip_cross3_add(S, A + 3, change);
    slip_cross3_add(S + 3, A + 3, change + 3);
    slip_sim_motion_at(change, x, du);
    slip_cross3_add(V + 3, dx, du);
}

/* Relative velocity of a contact, world axes and in its frame. */
static void sd_relative_world(const sim_contact *c, const slip_real *motion, slip_real u[3])
{
    slip_real a[3];

    slip_sim_motion_at(motion + 6*c->site.body_b, c->site.point, u);
    slip_sim_motion_at(motion + 6*c->site.body_a, c->site.point, a);
    slip_sub3(u, a, u);
}

void slip_sim_d_relative(const sim_contact *c, const slip_real *motion, slip_real u[3])
{
    sd_relative_world(c, motion, u);
    slip_mat3_vec(c->site.frame, u, u);
}

/* ---- b ----------------------------------------------------------------------------------------------------------- */

/* Whether the velocity that closes a gap or works an overlap off has a corner there. Within the slop it is 0, with
 * slopes of 1/dt and erp/dt on both sides. */
static int sd_is_corner(const slip_world *w, slip_real gap, slip_real eps)
{
    return slip_abs(gap) <= (1 + eps)*w->opt.slop
        || slip_abs(w->opt.erp*gap/w->opt.dt + w->opt.max_push) <= eps*w->opt.max_push;
}

/* Slope of slip_sim_gap_velocity(). */
static slip_real sd_gap_slope(const slip_world *w, slip_real gap)
{
    const slip_real dt = w->opt.dt;

    if (slip_abs(gap) <= w->opt.slop) return 0;
    return gap > 0 ? 1/dt : w->opt.erp*gap/dt < -w->opt.max_push ? 0 : w->opt.erp/dt;
}

/* The larger one of b, with its slopes in *t, and b = value with slopes by arc and before. near: they are the same. */
static slip_real sd_raise(sd_terms *t, slip_real b, slip_real value, slip_real arc, slip_real before, slip_real close)
{
    t->near |= slip_abs(b - value) <= close;
    if (!(value > b)) return b;
    t->gap = 0;
    t->arc = arc;
    t->before = before;
    return value;
}

/* The normal's b of a rigid contact, as rows_normal_b() has it. close: velocities that are the same. */
static slip_real sd_normal_b(const slip_world *w, const sim_contact *c, const slip_real before[3], slip_real close,
                             sd_terms *t)
{
    const slip_real b = slip_sim_gap_velocity(w, c->gap) + c->arc[2], slop_speed = w->opt.slop/w->opt.dt;
    const slip_real beyond = before[2] - c->arc[2], size = slip_norm3(c->arc), share = slip_min(1, w->opt.erp);
    const slip_real apart = size + c->lift + 2*slop_speed;
    slip_real push;

    if (c->covered) {                                        /* so large that it stays open */
        t->near = 1;
        return (w->opt.margin + w->step.collider_way[c->a] + w->step.collider_way[c->b])/w->opt.dt;
    }
    t->gap = sd_gap_slope(w, c->gap);
    t->arc = (slip_real)slip_sim_d_has_arc(c);
    if (w->opt.integrator == SLIP_EULER || c->preset_overlap || c->jammed) return b;
    t->near |= slip_abs(slip_abs(beyond) - size) <= close || slip_abs(beyond - apart) <= close;
    if (size > 0 && slip_abs(beyond) <= size) return sd_raise(t, b, before[2], 0, 1, close);
    if (beyond > apart) return sd_raise(t, b, slip_max(c->arc[2], 0), c->arc[2] > 0, 0, close);
    push = (beyond < 0 ? share*beyond : beyond) - slop_speed;
    if (c->lift > 0 && push >= -c->lift - close) {           /* the account is a history: it has no derivative here */
        t->near = 1;
        return sd_raise(t, b, c->arc[2] + slip_min(push, -c->lift), 1, 0, close);
    }
    push = slip_min(push, -c->lift);
    t->near |= slip_abs(beyond) <= close && c->arc[2] + push > b - close;
    if (beyond < 0) return sd_raise(t, b, c->arc[2] + push, 1 - share, share, close);
    return sd_raise(t, b, c->arc[2] + push, 0, 1, close);
}

/* Whether a body alone turns just so fast that its contacts have arcs: below, these are shorter than the slop and left
 * out (arc_has()). */
static int sd_begins_arcs(const sim_derivative *d, int collider, slip_real eps)
{
    const slip_world *w = d->w;
    const sim_collider *c = &w->fixed.colliders[collider];
    const slip_real *spin = d->turning + 6*c->body + 3, turn = w->opt.dt*w->opt.dt*slip_dot3(spin, spin);

    if (c->body == 0 || !w->fixed.free_single[c->body] || w->opt.integrator == SLIP_EULER) return 0;
    return slip_abs(turn*(c->span + slip_norm3(w->fixed.centre + 3*c->body)) - w->opt.slop) <= eps*w->opt.slop;
}

/* b of a contact as rows_contact() writes it, and its terms. slip_sim_bound_work() may have replaced it by `before`:
 * the step's own b tells. before, free: J v before the step and J v_free. */
static slip_status sd_row_b(const sim_derivative *d, const sim_contact *c, const slip_real *row_b, slip_real eps,
                            const slip_real before[3], const slip_real free[3], sd_terms *t)
{
    const slip_world *w = d->w;
    const slip_real dt = w->opt.dt, size = slip_norm3(before) + slip_norm3(c->arc) + dt*slip_norm3(w->model->gravity);
    const slip_real close = eps*size, same = SLIP_TOL(1e-9, 1e-2)*size;
    slip_real apart[2], n;
    int i, kept;

    memset(t, 0, sizeof *t);
    t->near = sd_begins_arcs(d, c->a, eps) || sd_begins_arcs(d, c->b, eps);
    if (w->step.arcs) {                                      /* tangents */
        for (i = 0; i < 2; ++i) apart[i] = before[i] - c->arc[i];
        n = slip_norm2(apart) - slip_norm2(c->arc);
        kept = n <= 0;
        t->near |= slip_abs(n) <= close && slip_norm2(c->arc) > 0;
        for (i = 0; i < 2; ++i) kept |= slip_abs(row_b[i] - c->arc[i]) > same;
        t->t_before = (slip_real)kept;
        t->t_arc = (slip_real)(!kept && slip_sim_d_has_arc(c));
        for (i = 0; i < 2; ++i) {
            t->b[i] = kept ? before[i] : c->arc[i];
            if (slip_abs(t->b[i] - row_b[i]) > same) return SLIP_ERR_UNSUPPORTED;
        }
    }
    if (c->stiffness > 0) {
        t->gap = c->gap > 0 ? 1/dt : c->stiffness/(dt*c->stiffness + c->damping);
        t->b[2] = c->gap*t->gap;
        t->near |= slip_abs(c->gap) <= w->opt.slop;
        return SLIP_OK;
    }
    if (w->opt.integrator == SLIP_EULER && c->restitution > 0) {
        const slip_real most = slip_max(w->opt.rest_speed, slip_abs(free[2] - before[2]));

        t->near = slip_abs(c->gap + dt*before[2]) <= eps*dt*slip_abs(before[2])
               || slip_abs(before[2] + most) <= eps*slip_abs(before[2]);
        if (c->gap + dt*before[2] <= 0 && before[2] < -most) {
            t->before = c->restitution;
            t->b[2] = c->restitution*before[2];
            return SLIP_OK;
        }
    }
    t->b[2] = sd_normal_b(w, c, before, close, t);
    if (!slip_sim_d_has_arc(c)) t->arc = 0;
    t->near |= sd_is_corner(w, c->gap, eps) && t->gap + (slip_abs(c->gap) <= w->opt.slop) > 0;
    if (w->opt.integrator == SLIP_EULER || slip_abs(t->b[2] - row_b[2]) <= same) return SLIP_OK;
    t->arc = t->gap = t->before = 0;
    if (slip_abs(before[2] - row_b[2]) <= same) {         /* slip_sim_bound_work() */
        t->before = 1;
        t->b[2] = before[2];
        return SLIP_OK;
    }
    t->gap = sd_gap_slope(w, c->gap);                        /* an island without the velocities before */
    t->b[2] = slip_sim_gap_velocity(w, c->gap);
    return slip_abs(t->b[2] - row_b[2]) <= same && !w->step.arcs ? SLIP_OK : SLIP_ERR_UNSUPPORTED;
}

/* b of a contact in an impact: -(1 + e) times the approach is asked of one that was struck. */
static void sd_impact_b(const sim_contact *c, int part, const slip_real free[3], sd_terms *t)
{
    memset(t, 0, sizeof *t);
    if (part < 2) return;
    t->before = c->restitution;
    t->b[2] = c->restitution*free[2];
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* Lists the freedoms that move a contact's bodies, with bits 1 for a and 2 for b. */
static int sd_list(sim_derivative *d, const sim_contact *c)
{
    const slip_model *m = d->w->model;
    int side, b, k, i, n = 0;

    for (side = 0; side < 2; ++side)
        for (b = side ? c->site.body_b : c->site.body_a; b > 0; b = m->parent[b]) {
            const int end = m->idof[b] + slip_joint_nv((slip_joint_type)m->type[b]);

            for (k = m->idof[b]; k < end; ++k) {
                for (i = 0; side && i < n && d->list[i] != k; ++i) {}
                if (side == 0 || i == n) {
                    d->list[n] = k;
                    d->moved[n++] = 1 << side;
                } else d->moved[i] |= 2;
            }
        }
    for (i = 0; i < n; ++i)
        for (k = 0; k < 6; ++k) {
            const slip_real S = m->dof_scale[d->list[i]]*d->columns[6*d->list[i] + k];

            d->Sa[6*i + k] = d->moved[i] & 1 ? S : 0;
            d->Sb[6*i + k] = d->moved[i] & 2 ? S : 0;
        }
    return n;
}

/* J of contact k by the listed freedoms. */
static void sd_jacobian(sim_derivative *d, int k, int n)
{
    const sim_contact *c = &d->w->step.contacts[k];
    int j, i;

    for (j = 0; j < n; ++j) {
        slip_real S[6], u[3];

        for (i = 0; i < 6; ++i) S[i] = d->Sb[6*j + i] - d->Sa[6*j + i];
        slip_sim_motion_at(S, c->site.point, u);
        slip_mat3_vec(c->site.frame, u, u);
        for (i = 0; i < 3; ++i) d->J[(3*k + i)*d->nv + d->w->model->dof_iv[d->list[j]]] += u[i];
    }
}

/* Adds what the impulse F (world axes) does to the momentum when its point moves by dx, its frame turns it by dF, and
 * the origins of its bodies, about which c has its moment already, move by Sa and Sb: column `to` of c. */
static void sd_impulse_moves(sim_derivative *d, const sim_contact *c, int n, const slip_real F[3],
                             const slip_real dF[3], const slip_real dx[3], const slip_real *Sa, const slip_real *Sb,
                             slip_real *to)
{
    const slip_model *m = d->w->model;
    slip_real f[2][3], t[3], origin[3];
    int side, l;

    for (side = 0; side < 2; ++side) {
        const int body = side ? c->site.body_b : c->site.body_a;

        slip_sim_motion_at(side ? Sb : Sa, d->w->data->pose[body].p, origin);
        slip_sub3(dx, origin, t);
        slip_cross3(t, F, f[side]);
        slip_cross3_add(c->site.point, dF, f[side]);
    }
    for (l = 0; l < n; ++l) {
        const slip_real *A = d->Sa + 6*l, *B = d->Sb + 6*l;

        to[(size_t)m->dof_iv[d->list[l]]*(size_t)d->NQ] += slip_dot3(dF, B) - slip_dot3(dF, A)
            + slip_dot3(f[1], B + 3) - slip_dot3(f[0], A + 3);
    }
}

/* s, P and c of contact k, whose n freedoms are listed. lambda: its impulse. */
static void sd_contact_columns(sim_derivative *d, int k, int n, const sim_contact_kind *kind, const sd_terms *t,
                               const slip_real *lambda, const slip_real *before_motion)
{
    const sim_contact *c = &d->w->step.contacts[k];
    const int N = d->N, q = d->out->q, loaded = lambda[2] > 0, has_arc = t->arc > 0 || t->t_arc > 0;
    const slip_real t_before = t->t_before;
    slip_real after[3], before[3], F[3];
    int j, i;

    sd_relative_world(c, d->after, after);
    sd_relative_world(c, before_motion, before);
    slip_mat3_tvec(c->site.frame, lambda, F);
    for (j = 0; j < n; ++j) {
        const slip_real *Sa = d->Sa + 6*j, *Sb = d->Sb + 6*j;
        const int dof = d->list[j], iv = d->w->model->dof_iv[dof];
        slip_real dx[3], dframe[9], dgap, du[3], u[3], v[3], dF[3], *s = d->s + (size_t)(3*k)*(size_t)N + q + iv;

        slip_sim_contact_motion(c, kind, Sa, Sb, dx, dframe, &dgap);
        sd_velocity_change(d, dof, c->site.body_b, Sb, d->after, c->site.point, dx, du);
        sd_velocity_change(d, dof, c->site.body_a, Sa, d->after, c->site.point, dx, u);
        slip_sub3(du, u, du);
        slip_mat3_vec(c->site.frame, du, du);
        slip_mat3_vec(dframe, after, u);
        slip_add3(du, u, du);
        du[2] += t->gap*dgap;
        if (t_before > 0 || t->before > 0) {
            sd_velocity_change(d, dof, c->site.body_b, Sb, before_motion, c->site.point, dx, u);
            sd_velocity_change(d, dof, c->site.body_a, Sa, before_motion, c->site.point, dx, v);
            slip_sub3(u, v, u);
            slip_mat3_vec(c->site.frame, u, u);
            slip_mat3_vec(dframe, before, v);
            slip_add3(u, v, u);
            du[0] += t_before*u[0];
            du[1] += t_before*u[1];
            du[2] += t->before*u[2];
        }
        if (has_arc) {
            slip_sim_d_arc(d, c, dof, Sa, Sb, d->moved[j], d->falls ? d->v : d->u, dx, dframe, u, v);
            for (i = 0; i < 3; ++i) {
                const slip_real share = i < 2 ? t->t_arc : t->arc;

                du[i] += share*u[i];
                d->P[(3*k + i)*d->nv + iv] += share*v[i];
            }
        }
        for (i = 0; i < 3; ++i) s[(size_t)i*(size_t)N] += du[i];
        if (!loaded) continue;
        slip_mat3_tvec(dframe, lambda, dF);                  /* the same impulse in the frame that has turned */
        sd_impulse_moves(d, c, n, F, dF, dx, Sa, Sb, d->c + iv);
    }
}

/* J times the change of the velocity before, v: with impacts v and what they changed, or, of a contact that had one,
 * the mean of that and v_free; in a round of impacts that round's own, in r. */
static void sd_before_columns(sim_derivative *d, int k, const sd_terms *t)
{
    const int N = d->N, in_impact = d->stage->impact, met = d->jump && d->w->step.contacts[k].impact[2] > 0;
    int i, j;

    for (i = 0; i < 3; ++i) {
        const slip_real all = i < 2 ? t->t_before : t->before, share = met ? all/2 : all;
        const slip_real *J = d->J + (3*k + i)*d->nv;
        slip_real *s = d->s + (size_t)(3*k + i)*(size_t)N;

        if (!(all > 0)) continue;
        if (in_impact || met) slip_sim_d_add_product(d, 1, d->nv, in_impact ? all : share, J, d->nv, d->r, s);
        if (in_impact) continue;
        for (j = 0; j < d->nv; ++j) s[d->out->v + j] += share*J[j];
        if (d->jump) slip_sim_d_add_product(d, 1, d->nv, share, J, d->nv, d->jump, s);
    }
}

/* Columns of restitution, stiffness and damping of contact k: of the last two R lambda + gap k/(dt k + d). approach:
 * J v before the step when it bounces. */
static void sd_material(sim_derivative *d, int k, const slip_real *lambda, slip_real approach)
{
    const sim_contact *c = &d->w->step.contacts[k];
    const slip_real dt = d->w->opt.dt, stiff = dt*c->stiffness + c->damping, over = slip_min(c->gap, 0);
    slip_real *s = d->s + (size_t)(3*k + 2)*(size_t)d->N;

    s[d->out->restitution + k] = approach;
    if (!(c->stiffness > 0) || d->stage->impact) return;
    s[d->out->stiffness + k] = (over*c->damping - lambda[2])/(stiff*stiff);
    s[d->out->damping + k] = -(over*c->stiffness + lambda[2]/dt)/(stiff*stiff);
}

/* Limits: their rows have no arc. In impacts overlaps are not worked off. */
static void sd_limits(sim_derivative *d, const slip_step_input *in, slip_real eps)
{
    const slip_world *w = d->w;
    const sim_stage *st = d->stage;
    int k;

    for (k = 0; k < d->nl; ++k) {
        const int iv = st->limit_iv[k], row = 3*d->nc + k;
        const slip_real sign = st->limit_sign[k], q = in->q[w->model->limit_iq[iv]];
        const slip_real gap = sign > 0 ? q - w->model->lower[iv] : w->model->upper[iv] - q;
        const slip_real slope = st->impact && gap < 0 ? 0 : sd_gap_slope(w, gap);
        const slip_real b = slip_sim_gap_velocity(w, gap);

        d->J[row*d->nv + iv] = sign;
        d->s[(size_t)row*(size_t)d->N + (size_t)(d->out->q + iv)] = sign*slope;
        d->lambda_of[row] = st->limit_impulse[k];
        d->t[row] = sign*d->vs[iv] + (st->impact ? slip_max(0, b) : b);
        if (sd_is_corner(w, gap, eps) && d->lambda_of[row] > 0) slip_sim_d_add_limit_border(d, k);
    }
}

/* Contact k of the stage: its row of all arrays, and *error, *size of the check of sigma. */
static slip_status sd_contact(sim_derivative *d, int k, slip_real eps, slip_real *size, slip_real *error)
{
    slip_world *w = d->w;
    const sim_stage *st = d->stage;
    const sim_contact *c = &w->step.contacts[k];
    const slip_real dt = w->opt.dt, weight = dt*slip_norm3(w->model->gravity), exact = SLIP_TOL(1e-9, 1e-2);
    const slip_real *lambda = st->impulse + 3*k;
    const slip_real *before_motion = st->impact ? d->free : d->jump && c->impact[2] > 0 ? d->struck : d->before;
    slip_real *sigma = d->t + 3*k, before[3], free[3];
    sd_terms terms;
    int n, i;

    slip_copy3(lambda, d->lambda_of + 3*k);
    if (!st->part[k]) return SLIP_OK;
    slip_sim_d_relative(c, before_motion, before);
    slip_sim_d_relative(c, d->free, free);
    if (st->impact) sd_impact_b(c, st->part[k], free, &terms);
    else if (sd_row_b(d, c, st->row_b + 3*k, eps, before, free, &terms) != SLIP_OK)
        return slip_sim_d_refuse(w, "its contact rows are other ones");
    if (w->step.arcs && slip_sim_d_has_arc(c) && slip_sim_d_arc_error(d, c) > exact*(slip_norm3(c->arc) + weight))
        return slip_sim_d_refuse(w, "arcs of its contacts are other ones");
    slip_sim_d_relative(c, d->after, sigma);
    slip_add3(sigma, terms.b, sigma);
    if (c->stiffness > 0 && !st->impact) d->R[3*k + 2] = 1/(dt*(dt*c->stiffness + c->damping));
    sigma[2] += d->R[3*k + 2]*lambda[2];
    if ((terms.near || d->kinds[k].kinked) && lambda[2] > 0) slip_sim_d_add_border(d, k);
    n = sd_list(d, c);
    sd_jacobian(d, k, n);
    if (d->kinds[k].form != SIM_UNKNOWN) sd_contact_columns(d, k, n, &d->kinds[k], &terms, lambda, before_motion);
    sd_before_columns(d, k, &terms);
    if (d->out->friction >= 0)
        sd_material(d, k, lambda, (w->opt.integrator == SLIP_EULER || st->impact) && terms.before > 0 ? before[2] : 0);
    *size = slip_max(*size, slip_max(slip_norm3(before), slip_max(slip_norm3(st->sigma + 3*k), slip_norm3(sigma))));
    *size = slip_max(*size, d->R[3*k + 2]*lambda[2]);
    for (i = 0; i < 3; ++i) *error = slip_max(*error, slip_abs(sigma[i] - st->sigma[3*k + i]));
    return SLIP_OK;
}

/* sigma of all rows of the stage into d->t, J, s, P and c of contacts and limits; checked against the step's own. */
slip_status slip_sim_d_rows(sim_derivative *d, const slip_step_input *in, slip_real eps)
{
    slip_world *w = d->w;
    const int rows = 3*d->nc + d->nl;
    slip_real size = 0, error = 0;
    int k;

    memset(d->J, 0, (size_t)rows*(size_t)d->nv*sizeof *d->J);
    memset(d->s, 0, (size_t)rows*(size_t)d->N*sizeof *d->s);
    if (w->step.arcs) memset(d->P, 0, (size_t)rows*(size_t)d->nv*sizeof *d->P);
    for (k = 0; k < rows; ++k) d->R[k] = d->t[k] = 0;
    for (k = 0; k < d->nc; ++k) {
        const slip_status s = sd_contact(d, k, eps, &size, &error);

        if (s != SLIP_OK) return s;
    }
    sd_limits(d, in, eps);
    if (error <= SLIP_TOL(1e-9, 1e-2)*(size + w->opt.dt*slip_norm3(w->model->gravity))) return SLIP_OK;
    return slip_sim_d_refuse(w, "its contact rows are other ones");
}
