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

/* The result first, scratch behind it from *mark on. The state's columns are always there while others are computed;
 * D has no room for them when they are not wanted. */
static void sd_carve(sim_derivative *d, slip_arena *mem, unsigned inputs, int nc, int nl, size_t *mark)
{
    const slip_model *m = d->w->model;
    const size_t nv = (size_t)m->nv, nb = (size_t)m->nbodies, nd = (size_t)m->ndofs, rows = (size_t)(3*nc + nl);
    slip_step_jacobian *o = d->out;
    size_t N;

    d->nv = o->nv = m->nv;
    d->nb = m->nbodies;
    d->nc = o->nc = nc;
    d->nl = o->nl = nl;
    o->columns = 0;
    o->q = sd_take(o, 1, m->nv);
    o->v = sd_take(o, 1, m->nv);
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
    d->NQ = (int)sd_pad(m->nv);
    N = (size_t)d->N;
    o->D = slip_arena_reals(mem, (size_t)o->rows*(size_t)(o->columns - (inputs & SLIP_BY_STATE ? 0 : 2*m->nv)));
    o->limit_iv = slip_arena_ints(mem, (size_t)nl);
    o->border = slip_arena_ints(mem, (size_t)(nc + nl) + nv);
    *mark = slip_arena_mark(mem);
    d->vf = slip_arena_reals(mem, nv);
    d->vs = slip_arena_reals(mem, nv);
    d->u = slip_arena_reals(mem, nv);
    d->z = slip_arena_reals(mem, nv);
    d->y = slip_arena_reals(mem, nv);
    d->stiff = slip_arena_reals(mem, nv);
    d->slope_q = slip_arena_reals(mem, nv);
    d->slope_v = slip_arena_reals(mem, nv);
    d->saturated = slip_arena_ints(mem, nv);
    d->columns = slip_arena_reals(mem, 6*nd);
    d->before = slip_arena_reals(mem, 6*nb);
    d->after = slip_arena_reals(mem, 6*nb);
    d->free = slip_arena_reals(mem, 6*nb);
    d->turning = slip_arena_reals(mem, 6*nb);
    d->accel = slip_arena_reals(mem, 6*nb);
    d->force = slip_arena_reals(mem, 6*nb);
    d->list = slip_arena_ints(mem, nd);
    d->moved = slip_arena_ints(mem, nd);
    d->Sa = slip_arena_reals(mem, 6*nd);
    d->Sb = slip_arena_reals(mem, 6*nd);
    d->Fq = slip_arena_reals(mem, nv*nv);
    d->K = slip_arena_reals(mem, nv*nv);
    d->M = slip_arena_reals(mem, nv*nv);
    d->U = slip_arena_reals(mem, nv*nv);
    d->r = slip_arena_reals(mem, nv*N);
    d->extra = o->density >= 0 ? slip_arena_reals(mem, nv*N) : NULL;
    d->s = slip_arena_reals(mem, rows*N);
    d->c = slip_arena_reals(mem, nv*(size_t)d->NQ);
    d->J = slip_arena_reals(mem, rows*nv);
    d->P = slip_arena_reals(mem, rows*nv);
    d->X = slip_arena_reals(mem, nv*sd_pad(3*nc + nl));
    d->K2 = slip_arena_reals(mem, rows*rows);
    d->A = slip_arena_reals(mem, rows*rows);
    d->B = slip_arena_reals(mem, rows*3);
    d->a = slip_arena_reals(mem, rows);
    d->t = slip_arena_reals(mem, rows);
    d->lambda_of = slip_arena_reals(mem, rows);
    d->inverse = slip_arena_reals(mem, rows*rows);
    d->zr = slip_arena_reals(mem, rows*N);
    d->right = slip_arena_reals(mem, rows*N);
    d->lambda = slip_arena_reals(mem, rows*N);
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
    sim_derivative d;

    d.w = (slip_world *)world;
    d.out = &result;
    slip_arena_reals(&count, (size_t)(world->model->nq + 2*world->model->nv));
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
    const slip_contact_model model = w->opt.solver->model;

    if (model != SLIP_MODEL_NCP && model != SLIP_MODEL_CCP)
        return slip_sim_d_refuse(w, "its solver's contact model is none of NCP and CCP");
    if (slip_sim_loop_count(w) > 0) return slip_sim_d_refuse(w, "the world has loops");
    if (w->opt.law.kind != SLIP_LAW_RIGID || w->opt.law.overlap)
        return slip_sim_d_refuse(w, "the world has a contact law");
    if (w->fixed.rolling_kinds) return slip_sim_d_refuse(w, "a material has torsional or rolling friction");
    if (w->fixed.has_friction) return slip_sim_d_refuse(w, "a joint has dry friction");
    if (w->opt.sleep > 0) return slip_sim_d_refuse(w, "bodies may sleep");
    return SLIP_OK;
}

static slip_status sd_check_step(slip_world *w)
{
    int k;

    if (w->step.unresolved) return slip_sim_d_refuse(w, "its mean velocity did not converge");
    if (w->step.any_impact) return slip_sim_d_refuse(w, "contacts were struck: restitution with the midpoint step");
    if (w->step.hit) return slip_sim_d_refuse(w, "a tree was hit: its bias forces are those of two halves");
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

/* The forces of contacts as wrenches, and their change of the velocity, z. */
static void sd_contact_forces(sim_derivative *d)
{
    const slip_world *w = d->w;
    int k, i;

    for (i = 0; i < d->nv; ++i) d->z[i] = d->vs[i] - d->vf[i];
    for (i = 0; i < 6*d->nb; ++i) d->force[i] = 0;
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

/* Velocities of the step, and the state where its forces acted. */
static slip_status sd_velocities(sim_derivative *d, slip_step_input *in)
{
    slip_world *w = d->w;
    const int euler = w->opt.integrator == SLIP_EULER;
    int i;

    d->falls = w->fixed.constant_mass;
    d->mean = !euler && !d->falls;
    in->q = d->q = euler ? d->q0 : w->step.q_mid;
    in->v = d->v = euler ? d->v0 : w->step.v_mid;
    if (w->opt.integrator == SLIP_FOURTH) {                  /* a step of fourth order has no such middle */
        slip_real *q = w->step.q_ahead, *v = w->step.nv_scratch;

        memcpy(v, d->v0, (size_t)d->nv*sizeof *v);
        slip_sim_drift(w, d->q0, w->opt.dt/2, v, q);
        if (memcmp(q, d->q, (size_t)w->model->nq*sizeof *q) != 0)
            return slip_sim_d_refuse(w, "it was one of fourth order");
    }
    for (i = 0; i < d->nv; ++i) {
        d->vf[i] = w->step.v_free[i];
        d->vs[i] = d->vf[i] + w->step.dv_contact[i];
        d->u[i] = d->falls ? 0 : euler ? d->v[i] : (d->v[i] + d->vf[i] + d->expected[i])/2;
    }
    return SLIP_OK;
}

/* d->q0, v0, expected and the step are there. */
static slip_status sd_differentiate(sim_derivative *d, slip_real eps, slip_arena *mem)
{
    slip_world *w = d->w;
    slip_step_input in = slip_world_input(w);
    slip_status s;

    d->out->nborder = 0;
    d->out->left = 0;
    d->out->unique = 1;
    s = sd_velocities(d, &in);
    if (s == SLIP_OK) s = slip_sim_d_free(d, &in, eps, mem);
    if (s != SLIP_OK) return s;
    sd_contact_forces(d);
    slip_sim_d_motions(d, d->v, d->before);
    slip_sim_d_motions(d, d->vs, d->after);
    slip_sim_d_motions(d, d->vf, d->free);
    slip_sim_d_motions(d, d->falls ? d->v : d->u, d->turning);
    if (w->step.arcs) slip_sim_d_accelerations(d, d->falls ? d->v : d->u);
    memset(d->c, 0, (size_t)d->nv*(size_t)d->NQ*sizeof *d->c);
    s = slip_sim_d_rows(d, &in, eps);
    if (s != SLIP_OK) return s;
    slip_sim_d_modes(d, eps);
    slip_sim_d_blocks(d);
    s = slip_sim_d_matrix(d);
    if (s != SLIP_OK) return slip_sim_d_refuse(w, "its contact modes have no unique solution even with compliance");
    return slip_sim_d_impulses(d, mem);
}

slip_status slip_step_derivatives(slip_world *w, unsigned inputs, slip_real eps, slip_arena *mem,
                                  slip_step_jacobian *result)
{
    const size_t begin = slip_arena_mark(mem), nq = (size_t)w->model->nq, nv = (size_t)w->model->nv;
    const int failed_before = mem->failed, exact_before = w->opt.exact_mean;
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
    start = (slip_real *)slip_arena_scratch(mem, nq + 2*nv, sizeof *start);
    if (!start) return SLIP_ERR_WORKSPACE;
    d.q0 = start;
    d.v0 = start + nq;
    d.expected = d.v0 + nv;
    memcpy(d.q0, w->state.q, nq*sizeof *start);
    memcpy(d.v0, w->state.v, nv*sizeof *start);
    memcpy(d.expected, w->state.dv_expected, nv*sizeof *start);
    w->opt.exact_mean = 1;
    step = slip_step(w);
    w->opt.exact_mean = exact_before;
    s = step < 0 ? step : sd_check_step(w);
    if (s == SLIP_OK) {
        mem->failed = 0;
        sd_carve(&d, mem, inputs, w->step.ncontacts, w->step.nlimits, &mark);
        if (mem->failed) s = SLIP_ERR_WORKSPACE;
        else mem->failed = failed_before;
    }
    if (s == SLIP_OK) s = sd_differentiate(&d, eps, mem);
    if (s == SLIP_OK) {
        slip_sim_d_result(&d, (inputs & SLIP_BY_STATE) != 0);
        slip_velocities(w->model, w->data, d.v);             /* of the step's middle, as steps leave them */
    }
    slip_arena_release_scratch(mem, high);
    slip_arena_release(mem, s == SLIP_OK ? mark : begin);
    if (s != SLIP_OK) return s;
    if (step > SLIP_OK) return step;
    return result->nborder > 0 || result->left > eps ? SLIP_DEGENERATE : SLIP_OK;
}
