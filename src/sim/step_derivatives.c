/* The derivative of a step, implicitly: the step's result solves equations whose derivatives are known. With y = (v*
 * - v)/dt - f, v* the new velocity in the axes of the step's start and f = w x v what floating joints gain by keeping
 * these axes:
 *
 *   momentum   rnea(q, v, y, wrenches and contact forces) - turn(v) + D y - force(q, v, tau, drives) = J_l' lambda_l/dt
 *   rows       sigma = J(q) v* + R lambda + b(q, v) of contacts and limits
 *   modes      open: lambda = 0;  sticking, or a limit that is reached: sigma = 0;
 *              sliding: sigma_n = 0,  lambda_t |sigma_t| + mu lambda_n sigma_t = 0
 *   drift      q+, v+ from q, v* joint by joint (drift_derivatives.c)
 *
 * D are the implicit terms of drives and damping, turn() what integrate.c treats by turning momenta. The derivative
 * of a mode is A dlambda + B dsigma + a dmu = 0, with small blocks A, B; with X = (M + D)^-1 J' and G = J X
 *
 *   dv* = (M + D)^-1 r + X dlambda,   (A + B (G + R)) dlambda = -B (J (M + D)^-1 r + s) - a dmu
 *
 * r and s being what inputs change in momentum and rows at fixed v*, lambda. Contacts that share their load in more
 * than one way make the matrix singular: a small compliance is added to it, and taken out again by repetition. */
#include "sim/step_derivatives_private.h"

#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static size_t sd_pad(int n) { return (size_t)SLIP_PADDED(n); }

/* Columns for an input, if it is wanted: the first one. */
static int sd_take(slip_step_jacobian *o, unsigned wanted, int columns)
{
    if (!wanted) return -1;
    o->columns += columns;
    return o->columns - columns;
}

/* The result first, scratch behind it from *mark on. */
static void sd_carve(sim_derivative *d, slip_arena *mem, unsigned inputs, int nc, int nl, size_t *mark)
{
    const slip_model *m = d->w->model;
    const size_t nv = (size_t)m->nv, nb = (size_t)m->nbodies, rows = 3*(size_t)nc + (size_t)nl;
    slip_step_jacobian *o = d->out;
    size_t N;

    d->nv = o->nv = m->nv;
    d->nb = m->nbodies;
    d->nc = o->nc = nc;
    d->nl = o->nl = nl;
    o->columns = 0;
    o->q = sd_take(o, inputs & SLIP_BY_STATE, m->nv);
    o->v = sd_take(o, inputs & SLIP_BY_STATE, m->nv);
    o->tau = sd_take(o, inputs & SLIP_BY_TAU, m->nv);
    o->q_ref = sd_take(o, inputs & SLIP_BY_DRIVES, m->nv);
    o->v_ref = sd_take(o, inputs & SLIP_BY_DRIVES, m->nv);
    o->wrench = sd_take(o, inputs & SLIP_BY_WRENCH, 6*m->nbodies);
    o->friction = sd_take(o, inputs & SLIP_BY_MATERIAL, nc);
    o->restitution = sd_take(o, inputs & SLIP_BY_MATERIAL, nc);
    o->stiffness = sd_take(o, inputs & SLIP_BY_MATERIAL, nc);
    o->damping = sd_take(o, inputs & SLIP_BY_MATERIAL, nc);
    o->density = sd_take(o, inputs & SLIP_BY_DENSITY, m->nbodies);
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
    d->saturated = slip_arena_ints(mem, nv);
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
    d->inverse = slip_arena_reals(mem, rows*rows);
    d->z = slip_arena_reals(mem, rows*N);
    d->right = slip_arena_reals(mem, rows*N);
    d->lambda = slip_arena_reals(mem, rows*N);
    d->R = slip_arena_reals(mem, rows);
    d->pivot = slip_arena_ints(mem, rows);
    d->mode = slip_arena_ints(mem, (size_t)nc + (size_t)nl);
    d->row_of = slip_arena_ints(mem, rows);
}

size_t slip_step_jacobian_bytes(const slip_world *world)
{
    slip_arena count = slip_arena_counting();
    slip_step_jacobian result;
    size_t mark;
    sim_derivative d;

    d.w = (slip_world *)world;
    d.out = &result;
    slip_arena_reals(&count, (size_t)world->model->nq + (size_t)world->model->nv);
    sd_carve(&d, &count, SLIP_BY_ALL, world->opt.max_contacts, world->fixed.max_limits, &mark);
    return slip_arena_needed(&count) + slip_derivatives_bytes(world->model);
}

/* ---- what is not differentiated ---------------------------------------------------------------------------------- */

slip_status slip_sim_d_refuse(slip_world *w, const char *what)
{
    return slip_fail(&w->error, SLIP_ERR_UNSUPPORTED, 0, 0, "this step cannot be differentiated: %s", what);
}

static slip_status sd_check_options(slip_world *w)
{
    if (w->opt.integrator != SLIP_EULER) return slip_sim_d_refuse(w, "only steps with integrator=\"euler\" can");
    if (w->opt.solver->model != SLIP_MODEL_NCP) return slip_sim_d_refuse(w, "its solver is none of the NCP");
    if (slip_sim_loop_count(w) > 0) return slip_sim_d_refuse(w, "the world has loops");
    if (w->opt.law.kind != SLIP_LAW_RIGID || w->opt.law.overlap)
        return slip_sim_d_refuse(w, "the world has a contact law");
    if (w->fixed.rolling_kinds) return slip_sim_d_refuse(w, "a material has torsional or rolling friction");
    if (w->fixed.has_friction) return slip_sim_d_refuse(w, "a joint has dry friction");
    if (w->fixed.has_rings && w->opt.ring > 0) return slip_sim_d_refuse(w, "the world has rings");
    if (w->opt.sleep > 0) return slip_sim_d_refuse(w, "bodies may sleep");
    return SLIP_OK;
}

static slip_status sd_check_step(slip_world *w)
{
    int k;

    if (w->step.nprescribed > 0) return slip_sim_d_refuse(w, "a joint's motion is prescribed");
    if (w->step.belts) return slip_sim_d_refuse(w, "a surface moves");
    if (w->step.nheld > 0) return slip_sim_d_refuse(w, "a drive's limit is a row of the contact problem");
    if (w->stats.softened > 0) return slip_sim_d_refuse(w, "contacts were made soft");
    for (k = 0; k < w->step.ncontacts; ++k) {
        const sim_contact *c = &w->step.contacts[k];
        sim_contact_kind kind;

        if (c->tangent_stiffness + c->tangent_damping > 0) return slip_sim_d_refuse(w, "a surface yields along itself");
        if (slip_sim_contact_kind(w, c, &kind) != SLIP_OK)
            return slip_fail(&w->error, SLIP_ERR_UNSUPPORTED, 0, 0, "this step cannot be differentiated: it has no "
                             "derivative of contacts between '%s' and '%s'", slip_sim_collider_name(w, c->a),
                             slip_sim_collider_name(w, c->b));
    }
    return SLIP_OK;
}

void slip_sim_d_add_border(sim_derivative *d, int k)
{
    slip_step_jacobian *o = d->out;
    int i;

    for (i = 0; i < o->nborder && o->border[i] != k; ++i) {}
    if (i == o->nborder) o->border[o->nborder++] = k;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* d->q, v and the step are there. */
static slip_status sd_differentiate(sim_derivative *d, slip_real eps, slip_arena *mem)
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

        if (slip_sim_d_freeze(m, b, d->v + m->dof_iv[m->idof[b]], f, df) > 0)
            for (i = 0; i < (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 2); ++i) y[i] -= f[i];
    }
    slip_sim_d_forces(d, &in);
    s = slip_rnea_derivatives(m, w->data, d->q, d->v, d->y, d->force, d->Fq, d->Fv, mem);
    if (s != SLIP_OK) return s;
    slip_dof_columns(m, w->data, d->columns);
    slip_mass_matrix(m, w->data, d->M);
    slip_sim_d_actuation(d, &in, force);
    slip_sim_d_find_drives_at_limits(d, &in, eps);
    s = slip_sim_d_check_momentum(d, force);
    if (s != SLIP_OK) return s;
    for (i = 0; i < d->nv; ++i) {
        d->M[i*d->nv + i] += d->stiff[i];
        w->data->M[br->row[i] + br->depth[i]] += d->stiff[i];
    }
    s = slip_ltl_factor(br, w->data->M, w->data->L, w->data->D_inv, NULL);
    if (s != SLIP_OK) return s;
    slip_sim_d_motions(d, d->v, d->before);
    slip_sim_d_motions(d, d->vs, d->after);
    slip_sim_d_by_velocity(d, &in);
    slip_sim_d_right_sides(d, &in);
    s = slip_sim_d_rows(d, &in, eps);
    if (s != SLIP_OK) return s;
    slip_sim_d_modes(d, eps);
    slip_sim_d_blocks(d);
    s = slip_sim_d_matrix(d);
    if (s != SLIP_OK) return slip_sim_d_refuse(w, "its contact modes have no unique solution even with compliance");
    slip_sim_d_columns(d);
    return SLIP_OK;
}

slip_status slip_step_derivatives(slip_world *w, unsigned inputs, slip_real eps, slip_arena *mem,
                                  slip_step_jacobian *result)
{
    const size_t begin = slip_arena_mark(mem), nq = (size_t)w->model->nq, nv = (size_t)w->model->nv;
    const int failed_before = mem->failed;
    slip_status step, s = sd_check_options(w);
    slip_real *start;
    const size_t high = slip_arena_mark_scratch(mem);
    size_t mark = begin;
    sim_derivative d;

    if (s != SLIP_OK) return s;
    if (inputs == 0 || inputs > SLIP_BY_ALL)
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "inputs is %d, none of SLIP_BY_...", (int)inputs);
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
        sd_carve(&d, mem, inputs, w->step.ncontacts, w->step.nlimits, &mark);
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
