/* Inverse and forward dynamics of a world with the same contact model. See inverse.h.
 *
 * The inverse of one step, read backwards (free_velocity.c, impulses.c, integrate.c): v_ref into the axes of the step's
 * start; c = J v_ref + corrections; lambda by id-prox or id-barrier; and CR Alg. 2 line 5,
 *     tau = RNEA(q, v, a, wrenches of the world and of the contacts),
 * where the contacts' share goes through RNEA's backward sweep as forces on bodies, and limits and loops by J'. */
#include "sim/inverse_private.h"

#include <string.h>
#include "solvers/barrier.h"
#include "solvers/solvers.h"

slip_inverse_options slip_inverse_defaults(void)
{
    slip_inverse_options o;

    memset(&o, 0, sizeof o);
    o.method = SLIP_ID_PROX;
    o.prox = slip_id_prox_defaults();
    o.touch = o.still = SLIP_R(1e-3);
    o.redistribute = 1;
    o.barrier = slip_id_barrier_defaults();
    o.r_min = SLIP_R(0.01);
    o.r_max = 100;
    return o;
}

/* ---- memory and inputs --------------------------------------------------------------------- */

static int inverse_carve(inverse_work *k, const slip_world *w, slip_arena *mem)
{
    const size_t nv = (size_t)w->model->nv, rows = (size_t)w->fixed.max_rows;

    k->q = slip_arena_reals(mem, (size_t)w->model->nq);
    k->v = slip_arena_reals(mem, nv);
    k->tau = slip_arena_reals(mem, nv);
    k->drives = (slip_drive *)slip_arena_take(mem, nv, sizeof *k->drives);
    k->marks = (int *)slip_arena_take(mem, 2*nv, sizeof *k->marks);
    k->goal = slip_arena_reals(mem, nv);
    k->a = slip_arena_reals(mem, nv);
    k->dv_expected = slip_arena_reals(mem, nv);
    k->wrench = slip_arena_reals(mem, 6*(size_t)w->model->nbodies);
    k->free_tau = slip_arena_reals(mem, nv);
    k->plain = slip_arena_reals(mem, rows);
    k->vmin = slip_arena_reals(mem, rows);
    k->work = slip_arena_reals(mem, 2*rows);
    k->mode = (unsigned char *)slip_arena_take(mem, (size_t)w->opt.max_contacts, 1);
    return k->q && k->v && k->tau && k->drives && k->marks && k->goal && k->a && k->dv_expected && k->wrench
        && k->free_tau && k->plain && k->vmin && k->work && k->mode;
}

size_t slip_inverse_bytes(const slip_world *w, const slip_inverse_options *opt)
{
    slip_arena a = slip_arena_counting();
    const slip_problem p = slip_problem_dense_rows(w->opt.max_contacts, w->fixed.max_limits, 6*slip_sim_loop_count(w),
                                                   NULL, NULL, NULL, NULL, w->fixed.max_rows);
    size_t most, bytes;
    inverse_work k;

    (void)opt;
    inverse_carve(&k, w, &a);
    most = slip_inverse_redistribute_bytes(w);
    bytes = slip_ccp_barrier_bytes(&p, &w->opt.solve);
    if (bytes > most) most = bytes;
    bytes = slip_solver_ncp_admm.bytes(&p, &w->opt.solve);
    if (bytes > most) most = bytes;
    bytes = slip_ccp_newton_bytes(&p, &w->opt.solve);
    if (bytes > most) most = bytes;
    return slip_arena_needed(&a) + most + 64;
}

/* The input of the step's phases: q, v and tau of the caller, no drives, marks from zero. */
static slip_status inverse_set_input(inverse_work *k)
{
    const int nv = k->w->model->nv;
    int i;

    memset(k->drives, 0, (size_t)nv*sizeof *k->drives);
    memset(k->marks, 0, 2*(size_t)nv*sizeof *k->marks);
    for (i = 0; i < nv; ++i) k->drives[i].effort = (slip_real)INFINITY;
    k->in = slip_world_input(k->w);
    k->in.q = k->q;
    k->in.v = k->v;
    k->in.tau = k->tau;
    k->in.drives = k->drives;
    k->in.prescribed = NULL;
    k->in.saturated = k->marks;
    k->in.slides = k->marks + nv;
    k->in.dv_smooth = k->in.dv_expected = NULL;
    return slip_phase_begin(k->w, &k->in);
}

/* ---- velocities ---------------------------------------------------------------------------------------- */

/* The velocity at which the step takes its bias forces: the mean of before and after (free_velocity.c). */
static void inverse_bias_velocity(inverse_work *k)
{
    slip_world *w = k->w;
    int i;

    w->step.v_bias = k->in.v;
    if (w->opt.integrator == SLIP_EULER || w->fixed.constant_mass) return;
    for (i = 0; i < w->model->nv; ++i) w->step.v_mean[i] = (k->in.v[i] + k->goal[i])/2;
    w->step.v_bias = w->step.v_mean;
}

/* The acceleration, in the joints' own turning axes, that takes v to the goal. */
static void inverse_acceleration(inverse_work *k)
{
    const slip_model *m = k->w->model;
    const slip_real dt = k->w->opt.dt;
    int i, b;

    for (i = 0; i < m->nv; ++i) k->a[i] = (k->goal[i] - k->in.v[i])/dt;
    for (b = 1; b < m->nbodies; ++b) {
        slip_real *a = k->a + m->dof_iv[m->idof[b]], t[3];
        const slip_real *v = k->w->step.v_bias + m->dof_iv[m->idof[b]];

        if (m->type[b] == SLIP_JOINT_FLOATING) {
            slip_cross3(v + 3, v, t);
            slip_sub3(a, t, a);
        } else if (m->type[b] == SLIP_JOINT_PLANAR) {
            a[0] += v[2]*v[1];
            a[1] -= v[2]*v[0];
        }
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Poses, contacts and M's factor at q, as the step has them: damping counts in M. */
static slip_status inverse_find_contacts(inverse_work *k)
{
    slip_world *w = k->w;
    const slip_model *m = w->model;
    slip_status s = slip_phase_kinematics(w, &k->in), found;
    int i, bad;

    if (s != SLIP_OK) return s;
    slip_sim_settle_begin(w);
    found = slip_phase_collide(w);
    if (found < 0) return found;
    w->step.rolls = 0;                                   /* see inverse.h */
    w->step.v_bias = k->in.v;
    slip_crba_pass(m, w->data);
    slip_bias_pass(m, w->data, k->in.v, w->input.wrench, w->step.nle);
    for (i = 0; i < m->nv; ++i) w->data->M[m->branches.row[i] + m->branches.depth[i]] += w->opt.dt*m->damping[i];
    s = slip_ltl_factor(&m->branches, w->data->M, w->data->L, w->data->D_inv, &bad);
    if (s != SLIP_OK) return slip_sim_no_inertia(w, bad, w->data->M[m->branches.row[bad] + m->branches.depth[bad]]);
    slip_sim_arcs(w);
    for (i = 0; i < w->step.ncontacts; ++i) {
        slip_zero3(w->step.contacts[i].impulse);
        slip_zero3(w->step.contacts[i].dual);
    }
    return found;
}

/* How far forces reach in the barrier model. */
static slip_real inverse_d_max(const inverse_work *k) { return k->o->d_max > 0 ? k->o->d_max : k->w->opt.margin; }

/* Limits within reach of v, as in the step. For the barrier model those within d_max, and as for contacts further by
 * the way that the present velocity can cover: the rows must be the same in both directions, so neither v_free nor
 * v_ref may choose. */
static void inverse_limits(inverse_work *k, const slip_real *v)
{
    if (k->o->method == SLIP_ID_BARRIER) slip_sim_find_limits(k->w, &k->in, k->in.v, inverse_d_max(k));
    else slip_sim_find_limits(k->w, &k->in, v, slip_max(SIM_LIMIT_REACH, k->o->touch));
}

/* Barrier model: velocities without corrections, those in v_min; R(d) on every row (TO eq. 11, 24). */
static void inverse_barrier_rows(inverse_work *k)
{
    slip_world *w = k->w;
    const int nc = w->step.assembly.nc, nl = w->step.assembly.nl;
    int i, j;

    for (i = 0; i < nc + nl; ++i) {
        const int normal = i < nc ? 3*i + 2 : 2*nc + i, first = i < nc ? 3*i : normal;
        const slip_real gap = i < nc ? w->step.contacts[i].gap : slip_sim_limit_gap(w, &k->in, i - nc);

        k->vmin[i] = k->plain[normal] - w->rows.g[normal];
        for (j = first; j <= normal; ++j) {
            w->rows.R[j] = slip_barrier_compliance(gap, k->o->r_min, k->o->r_max, inverse_d_max(k));
            w->rows.g[j] = k->plain[j];
        }
    }
    for (j = 3*nc + nl; j < w->step.assembly.n; ++j) w->rows.R[j] = k->o->r_min;
}

/* All rows at v, all islands in one problem: k->p with g = J v + corrections (barrier: in v_min); k->plain = J v. */
static void inverse_rows(inverse_work *k, const slip_real *v)
{
    slip_world *w = k->w;
    const slip_island all = { -1, 0, w->step.ncontacts, 0 };
    const int barrier = k->o->method == SLIP_ID_BARRIER;
    int i;

    inverse_limits(k, v);
    for (i = 0; i < w->step.ncontacts; ++i) w->step.order[i] = i;
    slip_assembly_begin(&w->step.assembly, w->model, w->data);
    slip_sim_rows(w, &k->in, v, &all);
    slip_assembly_velocity(&w->step.assembly, v, k->plain);
    if (barrier) inverse_barrier_rows(k);
    slip_assembly_finish(&w->step.assembly, w->rows.mu, w->rows.g, barrier || w->rows.compliant ? w->rows.R : NULL,
                         &k->p);
    if (barrier) k->p.vmin = k->vmin;
}

/* ---- touching ------------------------------------------------------------------------------------------ */

/* c of a rigid normal: 0 where the gap ends within +-touch and the velocity does not leave, so that a motion known to
 * some digits can stand on the ground; velocity v, gap before. In an impact the arc is less exact. */
static slip_real inverse_snap(const inverse_work *k, slip_real v, slip_real gap, slip_real arc, slip_real c)
{
    const slip_real end = gap + k->w->opt.dt*v;

    if (slip_abs(c) <= k->o->still + slip_abs(arc)) return 0;    /* as the step has it: it may push an overlap out */
    if (k->o->touch == 0) return c;
    if (v > k->o->still) return slip_max(c, v);
    if (end > k->o->touch) return end/k->w->opt.dt;
    return end < -k->o->touch && v < -k->o->still ? end/k->w->opt.dt : 0;
}

/* c of a loop's row, the same way: 0 where the step itself has it closed, or may be drawing it together, or where it
 * ends within +-touch, or as far open as it was; velocity v, error before. */
static slip_real inverse_snap_loop(const inverse_work *k, slip_real v, slip_real error, slip_real c)
{
    const slip_real end = error/k->w->opt.dt + v;

    if (slip_abs(c) <= k->o->still) return 0;
    if (v*error < 0 && slip_abs(v) <= slip_min(k->w->opt.erp*slip_abs(error)/k->w->opt.dt, k->w->opt.max_pull))
        return 0;
    if (k->o->touch == 0) return c;
    return slip_abs(v) <= k->o->still || slip_abs(end)*k->w->opt.dt <= k->o->touch ? 0 : end;
}

/* All loops, whose rows begin at row. */
static void inverse_touch_loops(inverse_work *k, int row)
{
    slip_world *w = k->w;
    slip_real error[6];
    int i, j;

    for (i = 0; i < slip_sim_loop_count(w); ++i) {
        for (j = 0; w->state.loop_state[i].on && j < (int)w->fixed.loops[i].def.kind; ++j, ++row) {
            if (slip_sim_is_spring(w, i)) continue;      /* its force follows from the motion */
            if (j == 0) slip_sim_loop_error(w, i, error);
            w->rows.g[row] = inverse_snap_loop(k, k->plain[row], error[j], w->rows.g[row]);
        }
    }
}

/* Mode of a contact with velocity c: open, sticking or slipping. Under infinite friction none slips: c_T is rounding
 * then, or id-prox returns SLIP_DIVERGED. */
static inverse_mode inverse_mode_of(const slip_real c[3], slip_real mu, int soft)
{
    if (soft) return INVERSE_FIXED;
    if (c[2] > 0) return INVERSE_OPEN;
    return slip_norm2(c) > 0 && slip_is_finite(mu) ? INVERSE_SLIP : INVERSE_STICK;
}

/* Whether contact i, with c along the surface, sticks. In an impact the arc is less exact, and the step may have
 * replaced it by the velocity before, so that sticking does no work (slip_sim_bound_work()). */
static int inverse_sticks(const inverse_work *k, int i, const slip_real c[2])
{
    const sim_contact *s = &k->w->step.contacts[i];
    const slip_real *v = k->plain + 3*i, still = k->o->still;
    slip_real both[2], unsure = 0;

    if (!k->w->rows.with_before) return slip_norm2(c) <= still;
    both[0] = v[0] + s->before[0];
    both[1] = v[1] + s->before[1];
    if (slip_abs(s->before[2] - s->arc[2]) > slip_norm3(s->arc)) unsure = slip_norm2(s->arc);
    return slip_norm2(c) <= still + unsure || slip_norm2(both) <= still;
}

/* Snaps contacts, limits and loops, finds the mode of each contact, and makes the first guess. */
static void inverse_touch(inverse_work *k, slip_inverse_result *r)
{
    slip_world *w = k->w;
    const int nc = w->step.assembly.nc, nl = w->step.assembly.nl;
    int i;

    memset(w->rows.lambda, 0, (size_t)w->step.assembly.n*sizeof *w->rows.lambda);
    for (i = 0; i < nc; ++i) {
        slip_real *c = w->rows.g + 3*i;
        const int soft = w->step.contacts[i].stiffness > 0, yields = w->rows.R[3*i] > 0;

        if (!soft) c[2] = inverse_snap(k, k->plain[3*i + 2], w->step.contacts[i].gap, w->step.contacts[i].arc[2], c[2]);
        if (!yields && inverse_sticks(k, i, c)) c[0] = c[1] = 0;
        k->mode[i] = (unsigned char)inverse_mode_of(c, w->step.contacts[i].mu, soft || yields);
        r->open += c[2] > 0;
        r->slip += c[2] <= 0 && slip_norm2(c) > 0;
        r->stick += c[2] <= 0 && slip_norm2(c) == 0;
        if (c[2] <= 0) w->rows.lambda[3*i + 2] = k->o->push*w->opt.dt;
    }
    for (i = 0; i < nl; ++i) {
        const int row = 3*nc + i;

        w->rows.g[row] = inverse_snap(k, k->plain[row], slip_sim_limit_gap(w, &k->in, i), 0, w->rows.g[row]);
    }
    inverse_touch_loops(k, 3*nc + nl);
}

/* lambda into w->rows.lambda, by the method of the options. */
static slip_status inverse_impulses(inverse_work *k, slip_inverse_result *r)
{
    slip_world *w = k->w;
    slip_id_result id;
    slip_status s;
    int i;

    memset(&id, 0, sizeof id);
    id.worst = -1;
    if (k->p.n == 0) s = SLIP_OK;
    else if (k->o->method == SLIP_ID_BARRIER) {
        s = slip_id_barrier(&k->p, &k->o->barrier, w->rows.lambda, k->work, &id);
        for (i = 0; i < k->p.n; ++i) w->rows.sigma[i] = k->plain[i];
        r->slip = w->step.assembly.nc;
    } else {
        inverse_touch(k, r);
        s = slip_id_prox(&k->p, &k->o->prox, 1, w->rows.lambda, w->rows.sigma, &id);
    }
    if (s < 0) return slip_fail(&w->error, s, 0, 0, "the inverse contact model refuses its options or its numbers");
    r->iterations = id.iterations;
    r->diverged = id.diverged;
    r->worst = id.diverged > 0 ? id.worst : -1;
    r->elastic = id.elastic;
    r->residual = id.residual.eps_abs;
    return s;
}

/* Contacts whose motion no impulse explains are not redistributed. */
static void inverse_fix_diverged(inverse_work *k)
{
    const slip_real tol = k->o->prox.tol;
    int i;

    for (i = 0; i < k->p.nc; ++i) {
        slip_real s[3];

        slip_copy3(k->w->rows.sigma + 3*i, s);
        if (k->o->prox.model == SLIP_MODEL_NCP) slip_desaxce(k->p.mu[i], s, s);
        if (slip_cone_distance_dual(k->p.mu[i], s) > tol) k->mode[i] = INVERSE_FIXED;
    }
}

/* ---- torques ------------------------------------------------------------------------------------------- */

/* Adds an impulse over dt, world axes, on a body at a point. */
static void inverse_add_force(inverse_work *k, int body, const slip_real point[3], slip_real scale,
                              const slip_real f[3])
{
    slip_real *wr = k->wrench + 6*body, arm[3], m[3];

    if (body == 0) return;
    slip_sub3(point, k->w->data->pose[body].p, arm);
    slip_cross3(arm, f, m);
    slip_axpy3(scale, f, wr, wr);
    slip_axpy3(scale, m, wr + 3, wr + 3);
}

/* Adds the forces of all contacts to k->wrench. */
static void inverse_contact_wrenches(inverse_work *k)
{
    slip_world *w = k->w;
    slip_real f[3];
    int i;

    memcpy(k->wrench, w->input.wrench, 6*(size_t)w->model->nbodies*sizeof *k->wrench);
    for (i = 0; i < w->step.assembly.nc; ++i) {
        const slip_contact_site *site = &w->step.contacts[i].site;

        slip_mat3_tvec(site->frame, w->rows.lambda + 3*i, f);
        inverse_add_force(k, site->body_b, site->point, 1/w->opt.dt, f);
        inverse_add_force(k, site->body_a, site->point, -1/w->opt.dt, f);
    }
}

/* Joint losses, and the turning terms that the step integrates exactly for bodies that float alone. */
static void inverse_losses(const inverse_work *k, slip_real *tau)
{
    const slip_model *m = k->w->model;
    const slip_real rest = k->o->method == SLIP_ID_PROX ? k->o->still : 0;
    int i, b;

    for (i = 0; i < m->nv; ++i) {
        tau[i] += m->damping[i]*k->goal[i];
        if (slip_abs(k->goal[i]) > rest) tau[i] += k->goal[i] > 0 ? m->friction[i] : -m->friction[i];
    }
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        slip_real bias[6];

        if (!k->w->fixed.free_single[b] && !k->w->fixed.plane_single[b]) continue;
        slip_sim_turn_bias(k->w, b, k->w->step.v_bias + iv, bias);
        slip_sub3(tau + iv, bias, tau + iv);
        if (k->w->fixed.free_single[b]) slip_sub3(tau + iv + 3, bias + 3, tau + iv + 3);
    }
}

/* CR Alg. 2 line 5, with w->rows.lambda. */
static slip_status inverse_torques(inverse_work *k, slip_real *tau)
{
    slip_world *w = k->w;
    const int nc = w->step.assembly.nc;
    slip_status s;
    int i;

    inverse_contact_wrenches(k);
    inverse_bias_velocity(k);
    inverse_acceleration(k);
    s = slip_rnea(w->model, w->data, k->in.q, w->step.v_bias, k->a, k->wrench, tau);
    if (s != SLIP_OK) return slip_fail(&w->error, s, 0, 0, "a velocity is not finite");
    inverse_losses(k, tau);
    if (w->step.assembly.n > 3*nc) {                                /* limits and loops by J' */
        memcpy(k->work, w->rows.lambda, (size_t)w->step.assembly.n*sizeof *k->work);
        memset(k->work, 0, 3*(size_t)nc*sizeof *k->work);
        slip_assembly_force(&w->step.assembly, k->work, k->free_tau);
        for (i = 0; i < w->model->nv; ++i) tau[i] -= k->free_tau[i]/w->opt.dt;
    }
    return SLIP_OK;
}

static slip_real inverse_missing(const inverse_work *k, const slip_real *tau)
{
    slip_real most = 0;
    int i;

    for (i = 0; i < k->w->model->nv; ++i) if (!inverse_is_driven(k, i)) most = slip_max(most, slip_abs(tau[i]));
    return most;
}

/* ---- both directions ------------------------------------------------------------------------------------------- */

/* Writes impulses and velocities to the contacts, for slip_contact_get(). */
static void inverse_store(inverse_work *k, slip_inverse_result *r)
{
    slip_world *w = k->w;
    int i;

    for (i = 0; i < w->step.assembly.nc; ++i) {
        slip_copy3(w->rows.lambda + 3*i, w->step.contacts[i].impulse);
        slip_copy3(w->rows.sigma + 3*i, w->step.contacts[i].sigma);
    }
    w->stats.residual.lambda_max = slip_max_abs(w->step.assembly.n, w->rows.lambda);
    r->contacts = w->step.assembly.nc;
    r->limits = w->step.assembly.nl;
    r->loops = w->step.assembly.nb;
}

/* The inverse: velocities to the axes of the start, rows, impulses, torques (CR Alg. 2), redistribution. */
static slip_status inverse_run(inverse_work *k, slip_real *tau, slip_inverse_result *r)
{
    slip_status s = inverse_find_contacts(k), found = s, explained;
    int changed = 0;

    if (s < 0) return s;
    slip_inverse_to_middle(k->w, k->goal);
    inverse_bias_velocity(k);
    slip_bias_pass(k->w->model, k->w->data, k->w->step.v_bias, k->w->input.wrench, k->w->step.nle);
    slip_sim_arcs(k->w);                                 /* those of the step, at its mean velocity */
    inverse_rows(k, k->goal);
    explained = inverse_impulses(k, r);
    if (explained < 0) return explained;
    s = inverse_torques(k, tau);
    if (s != SLIP_OK) return s;
    r->unactuated_before = r->unactuated = inverse_missing(k, tau);
    if (k->o->redistribute && k->o->method == SLIP_ID_PROX && r->unactuated > 0 && k->p.n > 0) {
        inverse_fix_diverged(k);
        s = slip_inverse_redistribute(k, tau, &changed);
        if (s < 0) return s;
        if (changed) {
            s = inverse_torques(k, tau);
            if (s != SLIP_OK) return s;
            r->unactuated = inverse_missing(k, tau);
        }
    }
    inverse_store(k, r);
    return explained != SLIP_OK ? explained : found;
}

/* Checks and copies inputs. */
static slip_status inverse_begin(inverse_work *k, slip_world *w, const slip_real *q, const slip_real *v,
                                 const slip_real *x, const slip_inverse_options *o, slip_arena *scratch)
{
    const slip_model *m = w->model;

    slip_error_clear(&w->error);
    memset(&w->stats, 0, sizeof w->stats);
    if (!slip_all_finite(q, m->nq) || !slip_all_finite(v, m->nv) || !slip_all_finite(x, m->nv))
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "a position, velocity or force is not finite");
    if (!(o->touch >= 0) || !(o->still >= 0) || !(o->push >= 0) || !(o->r_min >= 0) || !(o->r_max >= o->r_min)
        || !(o->d_max >= 0))
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0,
                         "touch, still, push, r_min and d_max must not be negative, r_max not below r_min");
    if (slip_sim_law(w) != SLIP_LAW_RIGID)
        return slip_fail(&w->error, SLIP_ERR_UNSUPPORTED, 0, 0, "inverse dynamics takes rigid contacts and soft "
                         "materials, but the world has another contact law");
    k->w = w;
    k->o = o;
    k->mem = scratch;
    if (!inverse_carve(k, w, scratch))
        return slip_fail(&w->error, SLIP_ERR_WORKSPACE, 0, 0, "not enough scratch: it takes %z bytes",
                         slip_inverse_bytes(w, o));
    memcpy(k->q, q, (size_t)m->nq*sizeof *q);
    memcpy(k->v, v, (size_t)m->nv*sizeof *v);
    memcpy(k->tau, x, (size_t)m->nv*sizeof *x);
    memcpy(k->goal, x, (size_t)m->nv*sizeof *x);
    return inverse_set_input(k);
}

/* The contact impulses of the forward model into w->rows.lambda, w->rows.sigma. */
static slip_status inverse_solve_forward(inverse_work *k, slip_inverse_result *r)
{
    slip_world *w = k->w;
    slip_solver_options o = w->opt.solve;
    slip_solution sol = slip_solution_over(w->rows.lambda, w->rows.sigma, NULL);
    slip_status s;

    if (k->p.n == 0) return SLIP_OK;
    o.barrier = k->o->barrier.barrier;
    o.elastic = k->o->barrier.elastic;
    if (k->o->method == SLIP_ID_BARRIER) s = slip_ccp_barrier(&k->p, &o, &sol, k->mem);
    else s = (k->o->prox.model == SLIP_MODEL_CCP ? slip_ccp_newton : slip_ncp_admm)(&k->p, &o, &sol, k->mem);
    if (s < 0) return slip_fail(&w->error, s, 0, 0, "the contact solver failed: %s", slip_status_text(s));
    r->iterations = sol.iterations;
    r->residual = sol.model.eps_abs;
    return s;
}

/* Free velocity, rows and impulses with the constraints' change of velocity k->dv_expected in the mean velocity; settle
 * rounds; w->step.v_next. Returns the solver's status. */
static slip_status inverse_forward_once(inverse_work *k, slip_inverse_result *r)
{
    slip_world *w = k->w;
    slip_status s = slip_phase_free_velocity(w, &k->in, w->step.v_free);
    int i;

    slip_sim_settle_begin(w);
    if (s != SLIP_OK) return s;
    do {
        inverse_rows(k, w->step.v_free);
        s = inverse_solve_forward(k, r);
        if (s < 0) return s;
        memset(k->a, 0, (size_t)w->model->nv*sizeof *k->a);
        if (k->p.n > 0) slip_assembly_impulse(&w->step.assembly, w->rows.lambda, k->a);
        for (i = 0; i < w->model->nv; ++i) w->step.v_next[i] = w->step.v_free[i] + k->a[i];
    } while (slip_sim_settle(w, &k->in, w->step.v_free, w->step.v_next, 0));
    return s;
}

/* Whether the mean velocity at which bias forces were taken differs from the mean of before and after: constraints
 * have changed the velocity by other than k->dv_expected, or joint friction, whose marks begin at zero, has let go
 * only after these forces were taken. k->dv_expected becomes that change; the marks stay as they were settled. */
static int inverse_update_mean(inverse_work *k)
{
    const slip_world *w = k->w;
    slip_real change = 0, most = 0;
    int i;

    for (i = 0; i < w->model->nv; ++i) {
        const slip_real mean = (k->in.v[i] + w->step.v_next[i])/2;

        change = slip_max(change, slip_abs(mean - w->step.v_mean[i]));
        most = slip_max(most, slip_max(slip_abs(mean), slip_abs(w->step.v_next[i])));
        k->dv_expected[i] = k->a[i];
    }
    return w->opt.dt*(most + change)*change > SIM_MEAN_EXACT*most;
}

/* Forward: all phases, again while bias forces were not taken at the mean velocity. */
static slip_status inverse_run_forward(inverse_work *k, slip_real *q_next, slip_real *v_next, slip_inverse_result *r)
{
    enum { ROUNDS = 10 };
    slip_world *w = k->w;
    const int by_mean = w->opt.integrator != SLIP_EULER && !w->fixed.constant_mass;
    slip_status found = inverse_find_contacts(k), s;
    int i = 0;

    if (found < 0) return found;
    memset(k->dv_expected, 0, (size_t)w->model->nv*sizeof *k->dv_expected);
    k->in.dv_expected = k->dv_expected;
    do s = inverse_forward_once(k, r);
    while (s >= 0 && by_mean && inverse_update_mean(k) && ++i < ROUNDS);
    if (s < 0) return s;
    slip_phase_integrate(w, &k->in, w->step.v_next, w->step.q_next);
    if (q_next) memcpy(q_next, w->step.q_next, (size_t)w->model->nq*sizeof *q_next);
    memcpy(v_next, w->step.v_next, (size_t)w->model->nv*sizeof *v_next);
    inverse_store(k, r);
    return s != SLIP_OK ? s : found;
}

/* Either direction: x is v_ref and out tau [nv], or x is tau and out v_next [nv]. */
static slip_status inverse_either(slip_world *w, int forward, const slip_real *q, const slip_real *v,
                                  const slip_real *x, const slip_inverse_options *opt, slip_arena *scratch,
                                  slip_real *q_next, slip_real *out, slip_inverse_result *result)
{
    const slip_inverse_options defaults = slip_inverse_defaults();
    const size_t mark = slip_arena_mark(scratch);
    slip_inverse_result r;
    inverse_work k;
    slip_status s = inverse_begin(&k, w, q, v, x, opt ? opt : &defaults, scratch);

    memset(&r, 0, sizeof r);
    r.worst = -1;
    if (s == SLIP_OK) {
        s = forward ? inverse_run_forward(&k, q_next, out, &r) : inverse_run(&k, k.tau, &r);
        if (s >= 0 && !forward) memcpy(out, k.tau, (size_t)w->model->nv*sizeof *out);
        w->step.v_bias = w->state.v;
    }
    r.status = s;
    if (result) *result = r;
    slip_arena_release(scratch, mark);
    return s;
}

slip_status slip_inverse_dynamics(slip_world *w, const slip_real *q, const slip_real *v, const slip_real *v_ref,
                                  const slip_inverse_options *opt, slip_arena *scratch, slip_real *tau,
                                  slip_inverse_result *result)
{
    return inverse_either(w, 0, q, v, v_ref, opt, scratch, NULL, tau, result);
}

slip_status slip_forward_dynamics(slip_world *w, const slip_real *q, const slip_real *v, const slip_real *tau,
                                  const slip_inverse_options *opt, slip_arena *scratch, slip_real *q_next,
                                  slip_real *v_next, slip_inverse_result *result)
{
    return inverse_either(w, 1, q, v, tau, opt, scratch, q_next, v_next, result);
}
