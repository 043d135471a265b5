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

/* ---- memory, and the world on loan --------------------------------------------------------------------- */

static int inverse_carve(inverse_work *k, const slip_world *w, slip_arena *mem)
{
    const size_t nv = (size_t)w->model->nv, rows = (size_t)w->max_rows;

    k->q = slip_arena_reals(mem, (size_t)w->model->nq);
    k->v = slip_arena_reals(mem, nv);
    k->tau = slip_arena_reals(mem, nv);
    k->drives = (slip_drive *)slip_arena_take(mem, nv, sizeof *k->drives);
    k->marks = (int *)slip_arena_take(mem, 2*nv, sizeof *k->marks);
    k->goal = slip_arena_reals(mem, nv);
    k->a = slip_arena_reals(mem, nv);
    k->wrench = slip_arena_reals(mem, 6*(size_t)w->model->nbodies);
    k->free_tau = slip_arena_reals(mem, nv);
    k->plain = slip_arena_reals(mem, rows);
    k->vmin = slip_arena_reals(mem, rows);
    k->work = slip_arena_reals(mem, 2*rows);
    k->mode = (unsigned char *)slip_arena_take(mem, (size_t)w->opt.max_contacts, 1);
    return k->q && k->v && k->tau && k->drives && k->marks && k->goal && k->a && k->wrench && k->free_tau && k->plain
        && k->vmin && k->work && k->mode;
}

size_t slip_inverse_bytes(const slip_world *w, const slip_inverse_options *opt)
{
    slip_arena a = slip_arena_counting();
    const slip_problem p = slip_problem_dense_rows(w->opt.max_contacts, w->max_limits, 6*w->nloops, NULL, NULL, NULL,
                                                   NULL, w->max_rows);
    size_t most, bytes;
    inverse_work k;

    (void)opt;
    inverse_carve(&k, w, &a);
    most = slip_inverse_redistribute_bytes(w);
    bytes = slip_ccp_barrier_bytes(&p, &w->opt.solve);
    if (bytes > most) most = bytes;
    bytes = slip_ncp_admm_bytes(&p, &w->opt.solve);
    if (bytes > most) most = bytes;
    bytes = slip_ccp_newton_bytes(&p, &w->opt.solve);
    if (bytes > most) most = bytes;
    return slip_arena_needed(&a) + most + 64;
}

/* Lends q, v, tau, drives and their marks of the world to a function, and takes them back. */
typedef struct { slip_real *q, *v, *tau; slip_drive *drives; int *saturated, *slides; } inverse_loan;

static inverse_loan inverse_lend(inverse_work *k)
{
    slip_world *w = k->w;
    const inverse_loan own = { w->q, w->v, w->tau, w->drives, w->saturated, w->slides };
    int i;

    memset(k->drives, 0, (size_t)w->model->nv*sizeof *k->drives);
    memset(k->marks, 0, 2*(size_t)w->model->nv*sizeof *k->marks);
    for (i = 0; i < w->model->nv; ++i) k->drives[i].effort = (slip_real)INFINITY;
    w->q = k->q;
    w->v = k->v;
    w->tau = k->tau;
    w->drives = k->drives;
    w->saturated = k->marks;
    w->slides = k->marks + w->model->nv;
    return own;
}

static void inverse_return(inverse_work *k, const inverse_loan *own)
{
    k->w->q = own->q;
    k->w->v = own->v;
    k->w->v_bias = own->v;
    k->w->tau = own->tau;
    k->w->drives = own->drives;
    k->w->saturated = own->saturated;
    k->w->slides = own->slides;
}

/* ---- velocities ---------------------------------------------------------------------------------------- */

/* The acceleration, in the joints' own turning axes, that takes v to the goal. */
static void inverse_acceleration(inverse_work *k)
{
    const slip_model *m = k->w->model;
    const slip_real dt = k->w->opt.dt;
    int i, b;

    for (i = 0; i < m->nv; ++i) k->a[i] = (k->goal[i] - k->v[i])/dt;
    for (b = 1; b < m->nbodies; ++b) {
        slip_real *a = k->a + m->dof_iv[m->idof[b]], t[3];
        const slip_real *v = k->w->v_bias + m->dof_iv[m->idof[b]];

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
static slip_status inverse_look(inverse_work *k)
{
    slip_world *w = k->w;
    const slip_model *m = w->model;
    slip_status s = slip_kinematics(m, w->data, k->q), found;
    int i, bad;

    if (s != SLIP_OK)
        return slip_fail(&w->error, s, 0, 0, "q has a number that is not finite or a quaternion of zero length");
    slip_sim_settle_begin(w);
    slip_velocities(m, w->data, k->v);                   /* how far to look depends on them */
    found = slip_sim_collide(w);
    if (found < 0) return found;
    w->v_bias = k->v;
    slip_bias_pass(m, w->data, k->v, w->wrench, w->nle);
    slip_crba_pass(m, w->data);
    for (i = 0; i < m->nv; ++i) w->data->M[m->branches.row[i] + m->branches.depth[i]] += w->opt.dt*m->damping[i];
    s = slip_ltl_factor(&m->branches, w->data->M, w->data->L, w->data->D_inv, &bad);
    if (s != SLIP_OK) return slip_sim_no_inertia(w, bad, w->data->M[m->branches.row[bad] + m->branches.depth[bad]]);
    if (slip_sim_is_fast(w)) slip_sim_bias_midway(w, k->v);
    slip_sim_arcs(w);
    for (i = 0; i < w->ncontacts; ++i) slip_zero3(w->contacts[i].impulse);
    return found;
}

/* How far forces reach in the barrier model. */
static slip_real inverse_d_max(const inverse_work *k) { return k->o->d_max > 0 ? k->o->d_max : k->w->opt.margin; }

/* Limits within reach of v, as in the step. For the barrier model those within d_max, and as for contacts further by
 * what the present velocity can cover: the rows must be the same in both directions, so neither v_free nor v_ref may
 * choose. */
static void inverse_limits(inverse_work *k, const slip_real *v)
{
    slip_world *w = k->w;
    const slip_model *m = w->model;
    const int barrier = k->o->method == SLIP_ID_BARRIER;
    const slip_real far = barrier ? inverse_d_max(k) : slip_max(SLIP_R(1e-3), k->o->touch);
    int i, side;

    w->nlimits = 0;
    for (i = 0; i < m->nv; ++i) {
        const slip_real reach = 2*w->opt.dt*slip_abs(barrier ? k->v[i] : v[i]) + far;

        for (side = 1; side >= -1 && m->limit_iq[i] >= 0; side -= 2) {
            if (w->nlimits >= w->max_limits || !slip_is_finite(side > 0 ? m->lower[i] : m->upper[i])) continue;
            w->limit_iv[w->nlimits] = i;
            w->limit_sign[w->nlimits] = (slip_real)side;
            if (slip_sim_limit_gap(w, w->nlimits) < reach) w->nlimits++;
        }
    }
    w->stats.limits = w->nlimits;
}

/* Barrier model: velocities without corrections, those in v_min; R(d) on every row (TO eq. 11, 24). */
static void inverse_barrier_rows(inverse_work *k)
{
    slip_world *w = k->w;
    const int nc = w->assembly.nc, nl = w->assembly.nl;
    int i, j;

    for (i = 0; i < nc + nl; ++i) {
        const int normal = i < nc ? 3*i + 2 : 2*nc + i, first = i < nc ? 3*i : normal;
        const slip_real gap = i < nc ? w->contacts[i].gap : slip_sim_limit_gap(w, i - nc);

        k->vmin[i] = k->plain[normal] - w->g[normal];
        for (j = first; j <= normal; ++j) {
            w->R[j] = slip_barrier_compliance(gap, k->o->r_min, k->o->r_max, inverse_d_max(k));
            w->g[j] = k->plain[j];
        }
    }
    for (j = 3*nc + nl; j < w->assembly.n; ++j) w->R[j] = k->o->r_min;
}

/* All rows at v: k->p with g = J v + corrections (barrier: in v_min), and k->plain = J v. */
static void inverse_rows(inverse_work *k, slip_real *v)
{
    slip_world *w = k->w;
    const int barrier = k->o->method == SLIP_ID_BARRIER;

    inverse_limits(k, v);
    slip_sim_all_rows(w, v);
    slip_assembly_velocity(&w->assembly, w->v_seen, k->plain);
    if (barrier) inverse_barrier_rows(k);
    slip_assembly_finish(&w->assembly, w->mu, w->g, barrier || w->compliant ? w->R : NULL, &k->p);
    if (barrier) k->p.vmin = k->vmin;
}

/* ---- what touches -------------------------------------------------------------------------------------- */

/* c of a rigid normal: 0 where the gap ends within +-touch and the velocity does not leave, so that a motion known to
 * some digits can stand on the ground; velocity v, gap before. */
static slip_real inverse_snap(const inverse_work *k, slip_real v, slip_real gap, slip_real c)
{
    const slip_real end = gap + k->w->opt.dt*v;

    if (slip_abs(c) <= k->o->still) return 0;            /* as the step itself has it: it may push an overlap out */
    if (k->o->touch == 0) return c;
    if (v > k->o->still) return slip_max(c, v);
    if (end > k->o->touch) return end/k->w->opt.dt;
    return end < -k->o->touch && v < -k->o->still ? end/k->w->opt.dt : 0;
}

/* c of a loop's row, the same way: 0 where the step itself has it closed, or where it ends within +-touch, or as far
 * open as it was; velocity v, error before. */
static slip_real inverse_snap_loop(const inverse_work *k, slip_real v, slip_real error, slip_real c)
{
    const slip_real end = error/k->w->opt.dt + v;

    if (slip_abs(c) <= k->o->still) return 0;
    if (k->o->touch == 0) return c;
    return slip_abs(v) <= k->o->still || slip_abs(end)*k->w->opt.dt <= k->o->touch ? 0 : end;
}

/* All loops, whose rows begin at row. */
static void inverse_touch_loops(inverse_work *k, int row)
{
    slip_world *w = k->w;
    slip_row_site site;
    slip_real error;
    int i, j;

    for (i = 0; i < w->nloops; ++i) {
        for (j = 0; w->loop_state[i].on && j < (int)w->loops[i].def.kind; ++j, ++row) {
            slip_sim_loop_row(w, i, j, &site, &error);
            w->g[row] = inverse_snap_loop(k, k->plain[row], error, w->g[row]);
        }
    }
}

/* What a contact with c does. Under infinite friction none slides: c_T is rounding then, or id-prox says diverged. */
static inverse_mode inverse_mode_of(const slip_real c[3], slip_real mu, int soft)
{
    if (soft) return INVERSE_FIXED;
    if (c[2] > 0) return INVERSE_OPEN;
    return slip_norm2(c) > 0 && slip_is_finite(mu) ? INVERSE_SLIP : INVERSE_STICK;
}

/* Snaps contacts, limits and loops, tells what each contact does, and makes the guess. */
static void inverse_touch(inverse_work *k, slip_inverse_result *r)
{
    slip_world *w = k->w;
    const int nc = w->assembly.nc, nl = w->assembly.nl;
    int i;

    memset(w->lambda, 0, (size_t)w->assembly.n*sizeof *w->lambda);
    for (i = 0; i < nc; ++i) {
        slip_real *c = w->g + 3*i;
        const int soft = w->contacts[i].stiffness > 0, yields = w->R[3*i] > 0;

        if (!soft) c[2] = inverse_snap(k, k->plain[3*i + 2], w->contacts[i].gap, c[2]);
        if (!yields && slip_norm2(c) <= k->o->still) c[0] = c[1] = 0;
        k->mode[i] = (unsigned char)inverse_mode_of(c, w->mu[i], soft || yields);
        r->open += c[2] > 0;
        r->slip += c[2] <= 0 && slip_norm2(c) > 0;
        r->stick += c[2] <= 0 && slip_norm2(c) == 0;
        if (c[2] <= 0) w->lambda[3*i + 2] = k->o->push*w->opt.dt;
    }
    for (i = 0; i < nl; ++i) {
        const int row = 3*nc + i;

        w->g[row] = inverse_snap(k, k->plain[row], slip_sim_limit_gap(w, i), w->g[row]);
    }
    inverse_touch_loops(k, 3*nc + nl);
}

/* lambda into w->lambda, by the method of the options. */
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
        s = slip_id_barrier(&k->p, &k->o->barrier, w->lambda, k->work, &id);
        for (i = 0; i < k->p.n; ++i) w->sigma[i] = k->plain[i];
        r->slip = w->assembly.nc;
    } else {
        inverse_touch(k, r);
        s = slip_id_prox(&k->p, &k->o->prox, 1, w->lambda, w->sigma, &id);
    }
    if (s < 0) return slip_fail(&w->error, s, 0, 0, "the inverse contact model refuses its options or its numbers");
    r->iterations = id.iterations;
    r->diverged = id.diverged;
    r->worst = id.diverged > 0 ? id.worst : -1;
    r->elastic = id.elastic;
    r->residual = id.residual.eps_abs;
    return s;
}

/* Contacts whose motion nothing explains are not redistributed. */
static void inverse_fix_diverged(inverse_work *k)
{
    const slip_real tol = k->o->prox.tol;
    int i;

    for (i = 0; i < k->p.nc; ++i) {
        slip_real s[3];

        slip_copy3(k->w->sigma + 3*i, s);
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

static void inverse_contact_wrenches(inverse_work *k)
{
    slip_world *w = k->w;
    slip_real f[3];
    int i;

    memcpy(k->wrench, w->wrench, 6*(size_t)w->model->nbodies*sizeof *k->wrench);
    for (i = 0; i < w->assembly.nc; ++i) {
        const slip_contact_site *site = &w->contacts[i].site;

        slip_mat3_tvec(site->frame, w->lambda + 3*i, f);
        inverse_add_force(k, site->body_b, site->point, 1/w->opt.dt, f);
        inverse_add_force(k, site->body_a, site->point, -1/w->opt.dt, f);
    }
}

/* Joint losses, and what the step treats exactly for bodies that are alone. */
static void inverse_losses(const inverse_work *k, slip_real *tau)
{
    const slip_model *m = k->w->model;
    const slip_real rest = k->o->method == SLIP_ID_PROX ? k->o->still : 0;
    int i, b;

    for (i = 0; i < m->nv; ++i) {
        tau[i] += m->damping[i]*(k->v[i] + k->w->opt.dt*k->a[i]);
        if (slip_abs(k->goal[i]) > rest) tau[i] += k->goal[i] > 0 ? m->friction[i] : -m->friction[i];
    }
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        slip_real bias[6];

        if (!k->w->free_single[b] && !k->w->plane_single[b]) continue;
        slip_sim_turn_bias(k->w, b, k->w->v_bias + iv, bias);
        slip_sub3(tau + iv, bias, tau + iv);
        if (k->w->free_single[b]) slip_sub3(tau + iv + 3, bias + 3, tau + iv + 3);
    }
}

/* CR Alg. 2 line 5, with w->lambda. */
static slip_status inverse_torques(inverse_work *k, slip_real *tau)
{
    slip_world *w = k->w;
    const int nc = w->assembly.nc;
    slip_status s;
    int i;

    inverse_contact_wrenches(k);
    s = slip_rnea(w->model, w->data, k->q, w->v_bias, k->a, k->wrench, tau);
    if (s != SLIP_OK) return slip_fail(&w->error, s, 0, 0, "a velocity is not finite");
    inverse_losses(k, tau);
    if (w->assembly.n > 3*nc) {                                /* limits and loops by J' */
        memcpy(k->work, w->lambda, (size_t)w->assembly.n*sizeof *k->work);
        memset(k->work, 0, 3*(size_t)nc*sizeof *k->work);
        slip_assembly_force(&w->assembly, k->work, k->free_tau);
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

/* ---- the two ------------------------------------------------------------------------------------------- */

/* Impulses and velocities to the contacts, for who reads them. */
static void inverse_store(inverse_work *k, slip_inverse_result *r)
{
    slip_world *w = k->w;
    int i;

    for (i = 0; i < w->assembly.nc; ++i) {
        slip_copy3(w->lambda + 3*i, w->contacts[i].impulse);
        slip_copy3(w->sigma + 3*i, w->contacts[i].sigma);
    }
    w->stats.residual.lambda_max = slip_max_abs(w->assembly.n, w->lambda);
    r->contacts = w->assembly.nc;
    r->limits = w->assembly.nl;
    r->loops = w->assembly.nb;
}

static slip_status inverse_run(inverse_work *k, slip_real *tau, slip_inverse_result *r)
{
    slip_status s = inverse_look(k), found = s, explained;
    int changed = 0;

    if (s < 0) return s;
    slip_inverse_to_start(k->w, k->goal);
    inverse_acceleration(k);
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
    return SLIP_OK;
}

slip_status slip_inverse_dynamics(slip_world *w, const slip_real *q, const slip_real *v, const slip_real *v_ref,
                                  const slip_inverse_options *opt, slip_arena *scratch, slip_real *tau,
                                  slip_inverse_result *result)
{
    const slip_inverse_options defaults = slip_inverse_defaults();
    const size_t mark = slip_arena_mark(scratch);
    slip_inverse_result r;
    inverse_loan own;
    inverse_work k;
    slip_status s = inverse_begin(&k, w, q, v, v_ref, opt ? opt : &defaults, scratch);

    memset(&r, 0, sizeof r);
    r.worst = -1;
    if (s == SLIP_OK) {
        own = inverse_lend(&k);
        s = inverse_run(&k, k.tau, &r);
        inverse_return(&k, &own);
        if (s >= 0) memcpy(tau, k.tau, (size_t)w->model->nv*sizeof *tau);
    }
    r.status = s;
    if (result) *result = r;
    slip_arena_release(scratch, mark);
    return s;
}

/* The contact impulses of the forward model into w->lambda, w->sigma. */
static slip_status inverse_solve_forward(inverse_work *k, slip_inverse_result *r)
{
    slip_world *w = k->w;
    slip_solver_options o = w->opt.solve;
    slip_solution sol = slip_solution_over(w->lambda, w->sigma, NULL);
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

static slip_status inverse_run_forward(inverse_work *k, slip_real *q_next, slip_real *v_next, slip_inverse_result *r)
{
    slip_world *w = k->w;
    slip_status s = inverse_look(k), found = s, solved = SLIP_OK;
    int i;

    if (s < 0) return s;
    s = slip_sim_free_velocity(w);
    if (s != SLIP_OK) return s;
    do {
        inverse_rows(k, w->v_free);
        solved = inverse_solve_forward(k, r);
        if (solved < 0) return solved;
        slip_assembly_impulse(&w->assembly, w->lambda, k->a);
        for (i = 0; i < w->model->nv; ++i) w->v_next[i] = w->v_free[i] + (k->p.n > 0 ? k->a[i] : 0);
    } while (slip_sim_settle(w, 0, solved == SLIP_OK));
    slip_sim_integrate(w, NULL);
    if (q_next) memcpy(q_next, w->q_next, (size_t)w->model->nq*sizeof *q_next);
    memcpy(v_next, w->v_next, (size_t)w->model->nv*sizeof *v_next);
    inverse_store(k, r);
    return solved != SLIP_OK ? solved : found;
}

slip_status slip_forward_dynamics(slip_world *w, const slip_real *q, const slip_real *v, const slip_real *tau,
                                  const slip_inverse_options *opt, slip_arena *scratch, slip_real *q_next,
                                  slip_real *v_next, slip_inverse_result *result)
{
    const slip_inverse_options defaults = slip_inverse_defaults();
    const size_t mark = slip_arena_mark(scratch);
    slip_inverse_result r;
    inverse_loan own;
    inverse_work k;
    slip_status s = inverse_begin(&k, w, q, v, tau, opt ? opt : &defaults, scratch);

    memset(&r, 0, sizeof r);
    r.worst = -1;
    if (s == SLIP_OK) {
        own = inverse_lend(&k);
        s = inverse_run_forward(&k, q_next, v_next, &r);
        inverse_return(&k, &own);
    }
    r.status = s;
    if (result) *result = r;
    slip_arena_release(scratch, mark);
    return s;
}
