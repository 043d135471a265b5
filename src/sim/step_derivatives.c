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

/* Numbers that are written before they are read. */
static slip_real *sd_reals(slip_arena *mem, size_t n)
{
    return (slip_real *)slip_arena_take(mem, n, sizeof(slip_real));
}

/* The result first, scratch behind it from *mark on; most_nl: limits of any of the step's contact problems; stages:
 * there are several. The state's columns are always there while others are computed;
 * D has no room for them when they are not wanted. */
static void sd_carve(sim_derivative *d, slip_arena *mem, unsigned inputs, int nc, int nl, int most_nl, int stages,
                     size_t *mark)
{
    const slip_model *m = d->w->model;
    const size_t nv = (size_t)m->nv, nb = (size_t)m->nbodies, nd = (size_t)m->ndofs;
    const size_t rows = 3*(size_t)nc + (size_t)most_nl;
    slip_step_jacobian *o = d->out;
    size_t N;
    int k;

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
    o->D = d->products ? NULL
        : sd_reals(mem, (size_t)o->rows*(size_t)(o->columns - (inputs & SLIP_BY_STATE ? 0 : 2*m->nv)));
    o->limit_iv = slip_arena_ints(mem, (size_t)nl);
    o->border = slip_arena_ints(mem, (size_t)(nc + most_nl) + nv + 1);
    *mark = slip_arena_mark(mem);
    if (d->products) {
        const size_t most = N > rows ? N : rows;

        for (k = 0; k < 6; ++k) d->one[k] = sd_reals(mem, most);
        d->one_rows = sd_reals(mem, rows);
        d->one_v = sd_reals(mem, nv);
        d->L = sd_reals(mem, (size_t)m->branches.size);
        d->D_inv = sd_reals(mem, nv);
        d->last = (sim_drift_blocks *)slip_arena_take(mem, nb, sizeof *d->last);
    }
    d->D = d->products || inputs & SLIP_BY_STATE ? o->D : sd_reals(mem, (size_t)o->rows*(size_t)o->columns);
    d->blocks = (sim_drift_blocks *)slip_arena_take(mem, nb, sizeof *d->blocks);
    d->kinds = (sim_contact_kind *)slip_arena_take(mem, (size_t)nc, sizeof *d->kinds);
    d->push = sd_reals(mem, nv);
    d->vf = sd_reals(mem, nv);
    d->vs = sd_reals(mem, nv);
    d->u = sd_reals(mem, nv);
    d->y = sd_reals(mem, nv);
    d->stiff = sd_reals(mem, nv);
    d->slope_q = sd_reals(mem, nv);
    d->slope_v = sd_reals(mem, nv);
    d->saturated = slip_arena_ints(mem, nv);
    d->columns = sd_reals(mem, 6*nd);
    d->before = sd_reals(mem, 6*nb);
    d->after = sd_reals(mem, 6*nb);
    d->free = sd_reals(mem, 6*nb);
    d->struck = sd_reals(mem, 6*nb);
    d->turning = sd_reals(mem, 6*nb);
    d->accel = sd_reals(mem, 6*nb);
    d->force = sd_reals(mem, 6*nb);
    d->list = slip_arena_ints(mem, nd);
    d->moved = slip_arena_ints(mem, nd);
    d->Sa = sd_reals(mem, 6*nd);
    d->Sb = sd_reals(mem, 6*nd);
    d->Fq = sd_reals(mem, nv*nv);
    d->K = sd_reals(mem, nv*nv);
    d->M = sd_reals(mem, nv*nv);
    d->U = sd_reals(mem, nv*nv);
    d->r = sd_reals(mem, nv*N);
    d->first = stages ? sd_reals(mem, nv*N) : d->r;
    d->jump = stages ? sd_reals(mem, nv*N) : NULL;
    d->keep = stages ? sd_reals(mem, nv*N) : NULL;
    for (k = 0; k < 2; ++k) {
        d->half[k] = stages ? sd_reals(mem, nv*N) : NULL;
        d->x[k] = stages ? sd_reals(mem, nv) : NULL;
    }
    d->work = stages ? sd_reals(mem, 17*nv + 8*nb) : NULL;
    d->lambda_row = stages ? sd_reals(mem, N) : NULL;
    d->extra = o->density >= 0 ? sd_reals(mem, nv*N) : NULL;
    d->s = sd_reals(mem, rows*N);
    d->c = sd_reals(mem, nv*(size_t)d->NQ);
    d->J = sd_reals(mem, rows*nv);
    d->P = sd_reals(mem, rows*nv);
    d->X = sd_reals(mem, nv*sd_pad((int)rows));
    d->K2 = sd_reals(mem, rows*rows);
    d->A = sd_reals(mem, rows*rows);
    d->B = sd_reals(mem, rows*3);
    d->a = sd_reals(mem, rows);
    d->t = sd_reals(mem, rows);
    d->lambda_of = sd_reals(mem, rows);
    d->inverse = sd_reals(mem, rows*rows);
    d->zr = d->products ? NULL : sd_reals(mem, rows*N);
    d->right = d->products ? NULL : sd_reals(mem, rows*N);
    d->lambda = d->products ? NULL : sd_reals(mem, rows*N);
    d->R = sd_reals(mem, rows);
    d->pivot = slip_arena_ints(mem, rows);
    d->mode = slip_arena_ints(mem, (size_t)nc + (size_t)most_nl);
    d->row_of = slip_arena_ints(mem, rows);
}

size_t slip_step_jacobian_bytes(const slip_world *world)
{
    slip_arena count = slip_arena_counting();
    slip_step_jacobian result;
    sim_notes notes;
    size_t mark;
    sim_derivative d;

    d.w = (slip_world *)world;
    d.out = &result;
    d.products = 0;
    slip_arena_reals(&count, (size_t)world->model->nq + 2*(size_t)world->model->nv);
    slip_sim_d_notes(world, &count, &notes);
    sd_carve(&d, &count, SLIP_BY_ALL & ~(unsigned)SLIP_BY_STATE, world->opt.max_contacts, world->fixed.max_limits,
             world->fixed.max_limits, 1, &mark);
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
    if (w->opt.sleep > 0) return slip_sim_d_refuse(w, "bodies may sleep");
    return SLIP_OK;
}

static slip_status sd_check_step(slip_world *w, const sim_notes *notes)
{
    int k;

    if (w->step.unresolved) return slip_sim_d_refuse(w, "its mean velocity did not converge");
    if (notes->rounds > SD_ROUNDS) return slip_sim_d_refuse(w, "contacts were struck in too many rounds");
    if (notes->bounded) return slip_sim_d_refuse(w, "an impact's restitution was scaled down");
    if (w->step.rounds > 0 && notes->rounds + notes->hits > 0)
        return slip_sim_d_refuse(w, "drives came to their limits, or left them, in a hit");
    if (w->step.nprescribed > 0) return slip_sim_d_refuse(w, "a joint's motion is prescribed");
    if (w->step.belts) return slip_sim_d_refuse(w, "a surface moves");
    if (w->step.nheld > 0) return slip_sim_d_refuse(w, "a drive's limit is a row of the contact problem");
    if (w->stats.softened > 0) return slip_sim_d_refuse(w, "contacts were made soft");
    for (k = 0; k < w->step.ncontacts; ++k) {
        const sim_contact *c = &w->step.contacts[k];

        if (c->tangent_stiffness + c->tangent_damping > 0) return slip_sim_d_refuse(w, "a surface yields along itself");
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

/* The result counts the limits of the step's last rows; another problem may have had others. */
void slip_sim_d_add_limit_border(sim_derivative *d, int k)
{
    const sim_stage *last = &d->notes->last, *st = d->stage;
    int i = 0;

    while (i < last->nl && (last->limit_iv[i] != st->limit_iv[k] || last->limit_sign[i]*st->limit_sign[k] < 0)) ++i;
    slip_sim_d_add_border(d, d->nc + i);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Whether a contact has an impulse in any of the step's contact problems: else its motion does not matter. */
static int sd_is_loaded(const sim_derivative *d, int k)
{
    const sim_notes *notes = d->notes;
    int i, any = notes->last.impulse[3*k + 2] > 0 || (notes->hits > 0 && notes->before_hit.impulse[3*k + 2] > 0);

    for (i = 0; i < notes->rounds; ++i) any |= notes->impact[i].impulse[3*k + 2] > 0;
    return any;
}

/* How all contacts move with their bodies. */
static slip_status sd_contact_kinds(sim_derivative *d)
{
    slip_world *w = d->w;
    int k;

    for (k = 0; k < d->nc; ++k) {
        const sim_contact *c = &w->step.contacts[k];

        if (!sd_is_loaded(d, k)) {
            d->kinds[k].form = SIM_UNKNOWN;
            d->kinds[k].kinked = 0;
        } else if (slip_sim_contact_kind(w, c, &d->kinds[k]) != SLIP_OK) {
            return slip_fail(&w->error, SLIP_ERR_UNSUPPORTED, 0, 0, "this step cannot be differentiated: '%s' and '%s' "
                             "have a contact that is ahead of them, or none after a small motion",
                             slip_sim_collider_name(w, c->a), slip_sim_collider_name(w, c->b));
        }
    }
    return SLIP_OK;
}

/* The forces of the stage's contacts as wrenches. */
static void sd_contact_forces(sim_derivative *d)
{
    const slip_world *w = d->w;
    int k, i;

    for (i = 0; i < 6*d->nb; ++i) d->force[i] = 0;
    for (k = 0; k < d->nc; ++k) {
        const sim_contact *c = &w->step.contacts[k];
        slip_real F[3], arm[3];

        slip_mat3_tvec(c->site.frame, d->stage->impulse + 3*k, F);
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
        d->vf[i] = d->notes->rounds + d->notes->hits > 0 ? d->notes->vf[i] : w->step.v_free[i];
        d->u[i] = d->falls ? 0 : euler ? d->v[i] : (d->v[i] + d->vf[i] + d->expected[i])/2;
    }
    return SLIP_OK;
}

/* One contact problem: r, the columns of its base, becomes that of the velocity with its impulses. */
static slip_status sd_stage(sim_derivative *d, const sim_stage *st, const slip_step_input *in, slip_real eps,
                            slip_arena *mem)
{
    slip_world *w = d->w;
    slip_real *mean = w->step.nv_scratch;
    slip_status s;
    int i;

    d->stage = st;
    d->nl = st->nl;
    for (i = 0; i < d->nv; ++i) d->vs[i] = st->base[i] + st->change[i];
    sd_contact_forces(d);
    slip_sim_d_motions(d, d->vs, d->after);
    slip_sim_d_motions(d, st->base, d->free);
    if (d->jump && !st->impact) {
        for (i = 0; i < d->nv; ++i) mean[i] = (d->v[i] + w->step.dv_impact[i] + st->base[i])/2;
        slip_sim_d_motions(d, mean, d->struck);
        for (i = 0; i < d->nv; ++i) mean[i] = d->v[i] + w->step.dv_impact[i];
        slip_sim_d_motions(d, mean, d->before);
    }
    memset(d->c, 0, (size_t)d->nv*(size_t)d->NQ*sizeof *d->c);
    s = slip_sim_d_rows(d, in, eps);
    if (s != SLIP_OK) return s;
    slip_sim_d_modes(d, eps);
    slip_sim_d_blocks(d);
    s = slip_sim_d_matrix(d);
    if (s != SLIP_OK) return slip_sim_d_refuse(w, "its contact modes have no unique solution even with compliance");
    if (!d->products) return slip_sim_d_impulses(d, mem);
    if (d->active == 0) return SLIP_OK;
    slip_sim_d_invert(d);
    return slip_sim_d_carry(d, mem);
}

/* X <- (dv + dv_free)/2, dv_free before impacts and hits. */
static void sd_mean_columns(const sim_derivative *d, slip_real *X)
{
    int i;

    for (i = 0; i < d->nv*d->N; ++i) X[i] = d->first[i]/2;
    for (i = 0; i < d->nv; ++i) X[(size_t)i*(size_t)d->N + (size_t)(d->out->v + i)] += SLIP_R(0.5);
}

/* r <- columns of v_free, that of both halves and of impacts; its value is checked against the next stage's. */
static slip_status sd_join_halves(sim_derivative *d, const sim_stage *next)
{
    const slip_world *w = d->w;
    slip_real error = 0, size = 0;
    int i;

    for (i = 0; i < d->nv*d->N; ++i) d->r[i] = (d->half[0][i] + d->half[1][i])/2 + (d->jump ? d->jump[i] : 0);
    for (i = 0; i < d->nv; ++i) {
        const slip_real v = d->v[i] + (d->x[0][i] + d->x[1][i])/2 + (d->jump ? w->step.dv_impact[i] : 0);

        error = slip_max(error, slip_abs(v - next->base[i]));
        size = slip_max(size, slip_abs(v) + slip_abs(d->v[i]));
    }
    if (error <= SLIP_TOL(1e-9, 1e-2)*(size + w->opt.dt*slip_norm3(w->model->gravity))) return SLIP_OK;
    return slip_sim_d_refuse(d->w, "the halves of its hit are other ones");
}

/* All rounds of impacts, and v_free after them. */
static slip_status sd_impacts(sim_derivative *d, const slip_step_input *in, const sim_stage *next, slip_real eps,
                              slip_arena *mem)
{
    slip_world *w = d->w;
    sim_notes *notes = d->notes;
    const size_t size = (size_t)d->nv*(size_t)d->N*sizeof *d->r;
    slip_real *u = d->lambda_row, *jump = d->jump;
    slip_status s;
    int k, i;

    sd_mean_columns(d, d->keep);
    memcpy(d->r, d->keep, size);
    d->jump = NULL;
    for (k = 0; k < notes->rounds; ++k) {
        sim_stage *st = &notes->impact[k];
        const slip_real *after = notes->impact[k + 1 < notes->rounds ? k + 1 : 0].base;

        for (i = 0; i < d->nv; ++i)
            st->change[i] = k + 1 < notes->rounds ? after[i] - st->base[i]
                : notes->impact[0].base[i] + w->step.dv_impact[i] - st->base[i];
        s = sd_stage(d, st, in, eps, mem);
        if (s != SLIP_OK) return s;
    }
    d->jump = jump;
    for (i = 0; i < d->nv*d->N; ++i) d->jump[i] = d->r[i] - d->keep[i];
    if (!d->mean) {
        for (i = 0; i < d->nv*d->N; ++i) d->r[i] = d->first[i] + d->jump[i];
        return SLIP_OK;
    }
    memcpy(d->half[0], d->first, size);
    for (i = 0; i < d->nv; ++i) {
        d->x[0][i] = d->vf[i] - d->v[i];
        u[i] = d->u[i] + w->step.dv_impact[i];
    }
    memcpy(d->keep, d->u, (size_t)d->nv*sizeof *u);
    s = slip_sim_d_half(d, in, u, d->r, d->x[1], d->half[1], mem);
    memcpy(d->u, d->keep, (size_t)d->nv*sizeof *u);
    return s == SLIP_OK ? sd_join_halves(d, next) : s;
}

/* The impulses that were found first, and v_free of the halves before and after them. */
static slip_status sd_hit(sim_derivative *d, const slip_step_input *in, slip_real eps, slip_arena *mem)
{
    const slip_world *w = d->w;
    const sim_stage *st = &d->notes->before_hit;
    slip_real *u = d->lambda_row, *mean = u + d->nv;         /* [N] holds 2 nv and more */
    slip_status s;
    int i;

    memcpy(d->keep, d->r, (size_t)d->nv*(size_t)d->N*sizeof *d->r);
    s = sd_stage(d, st, in, eps, mem);
    if (s != SLIP_OK) return s;
    memcpy(mean, d->u, (size_t)d->nv*sizeof *u);
    for (i = 0; i < d->nv*d->N; ++i) d->keep[i] = d->r[i] - d->keep[i];
    sd_mean_columns(d, d->r);
    for (i = 0; i < d->nv; ++i) u[i] = (d->v[i] + d->vf[i])/2;
    s = slip_sim_d_half(d, in, u, d->r, d->x[0], d->half[0], mem);
    if (s != SLIP_OK) return s;
    for (i = 0; i < d->nv*d->N; ++i) d->r[i] += d->keep[i] + (d->jump ? d->jump[i] : 0);
    for (i = 0; i < d->nv; ++i) u[i] += st->change[i] + (d->jump ? w->step.dv_impact[i] : 0);
    s = slip_sim_d_half(d, in, u, d->r, d->x[1], d->half[1], mem);
    memcpy(d->u, mean, (size_t)d->nv*sizeof *u);
    return s == SLIP_OK ? sd_join_halves(d, &d->notes->last) : s;
}

/* d->q0, v0, expected and the step are there. */
static slip_status sd_differentiate(sim_derivative *d, slip_real eps, slip_arena *mem)
{
    slip_world *w = d->w;
    sim_notes *notes = d->notes;
    slip_step_input in = slip_world_input(w);
    slip_status s;
    int k;

    d->out->nborder = 0;
    d->out->left = 0;
    d->out->unique = 1;
    s = sd_velocities(d, &in);
    if (s == SLIP_OK) s = sd_contact_kinds(d);
    if (s == SLIP_OK) s = slip_sim_d_free(d, &in, mem);
    if (s != SLIP_OK) return s;
    slip_sim_d_motions(d, d->v, d->before);
    slip_sim_d_motions(d, d->falls ? d->v : d->u, d->turning);
    if (w->step.arcs) slip_sim_d_accelerations(d, d->falls ? d->v : d->u);
    if (notes->rounds + notes->hits > 0) memcpy(d->first, d->r, (size_t)d->nv*(size_t)d->N*sizeof *d->r);
    if (notes->rounds > 0) s = sd_impacts(d, &in, notes->hits > 0 ? &notes->before_hit : &notes->last, eps, mem);
    else d->jump = NULL;
    if (s == SLIP_OK && notes->hits > 0) s = sd_hit(d, &in, eps, mem);
    if (s == SLIP_OK) s = sd_stage(d, &notes->last, &in, eps, mem);
    if (s != SLIP_OK) return s;
    for (k = 0; k < d->nl; ++k) d->out->limit_iv[k] = notes->last.limit_iv[k];
    slip_sim_d_find_drives_at_limits(d, &in, eps);
    d->halves = w->opt.integrator != SLIP_EULER;
    d->with_arcs = w->step.arcs;
    d->all = *d->out;
    if (d->products) slip_sim_d_keep_factor(d);
    else slip_sim_d_result(d);
    return w->step.hit ? slip_sim_d_scale(d, &in) : SLIP_OK;
}

/* Without the columns of the state, which all else needs, when they are not wanted. */
static void sd_drop_state(sim_derivative *d)
{
    slip_step_jacobian *o = d->out;
    const int skip = 2*d->nv, columns = o->columns - skip;
    int *const first[] = { &o->q, &o->v, &o->tau, &o->q_ref, &o->v_ref, &o->wrench, &o->friction, &o->restitution,
                           &o->stiffness, &o->damping, &o->density };
    int i;

    for (i = 0; o->D && i < o->rows; ++i)
        memcpy(o->D + (size_t)i*(size_t)columns, d->D + (size_t)i*(size_t)o->columns + skip,
               (size_t)columns*sizeof *o->D);
    o->columns = columns;
    for (i = 0; i < (int)(sizeof first/sizeof *first); ++i) *first[i] = *first[i] < skip ? -1 : *first[i] - skip;
}

/* The step itself, which notes what it does; its mean velocity is found to rounding. */
static slip_status sd_step(slip_world *w, sim_notes *notes)
{
    const int exact_before = w->opt.exact_mean;
    slip_status s;

    w->opt.exact_mean = 1;
    w->step.watch = &notes->watch;
    s = slip_step(w);
    w->step.watch = NULL;
    w->opt.exact_mean = exact_before;
    if (s >= 0) slip_sim_d_note_rows(w, w->step.v_free, &notes->last);
    return s;
}

/* The step and its derivative, as D or (d->products) as what products need. */
static slip_status sd_run(sim_derivative *d, unsigned inputs, slip_real eps, slip_arena *mem)
{
    slip_world *w = d->w;
    slip_step_jacobian *result = d->out;
    const size_t begin = slip_arena_mark(mem), nq = (size_t)w->model->nq, nv = (size_t)w->model->nv;
    const int failed_before = mem->failed;
    slip_status step, s = sd_check_options(w);
    slip_real *start;
    const size_t high = slip_arena_mark_scratch(mem);
    size_t mark = begin;
    sim_notes notes;
    int k, most;

    if (s != SLIP_OK) return s;
    if (inputs == 0 || inputs > SLIP_BY_ALL)
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "inputs is %d, none of SLIP_BY_...", (int)inputs);
    if (!(eps > 0)) return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "eps is %g, not above 0", (double)eps);
    d->notes = &notes;
    start = (slip_real *)slip_arena_scratch(mem, nq + 2*nv, sizeof *start);
    if (!start || !slip_sim_d_notes(w, mem, &notes)) {
        slip_arena_release_scratch(mem, high);
        return SLIP_ERR_WORKSPACE;
    }
    d->q0 = start;
    d->v0 = start + nq;
    d->expected = d->v0 + nv;
    memcpy(d->q0, w->state.q, nq*sizeof *start);
    memcpy(d->v0, w->state.v, nv*sizeof *start);
    memcpy(d->expected, w->state.dv_expected, nv*sizeof *start);
    step = sd_step(w, &notes);
    s = step < 0 ? step : sd_check_step(w, &notes);
    if (notes.rounds + notes.hits > 0) d->products = 0;
    if (s == SLIP_OK) {
        most = notes.hits > 0 ? notes.before_hit.nl : 0;
        for (k = 0; k < notes.rounds; ++k) most = notes.impact[k].nl > most ? notes.impact[k].nl : most;
        most = notes.last.nl > most ? notes.last.nl : most;
        mem->failed = 0;
        sd_carve(d, mem, inputs, w->step.ncontacts, notes.last.nl, most, notes.rounds + notes.hits > 0, &mark);
        if (mem->failed) s = SLIP_ERR_WORKSPACE;
        else mem->failed = failed_before;
    }
    if (s == SLIP_OK && d->products) mark = slip_arena_mark(mem);
    if (s == SLIP_OK) s = sd_differentiate(d, eps, mem);
    if (s == SLIP_OK) {
        if (!(inputs & SLIP_BY_STATE)) sd_drop_state(d);
        slip_motion_pass(w->model, w->data, d->q, d->v);     /* of the step's middle, as steps leave them */
    }
    slip_arena_release_scratch(mem, high);
    slip_arena_release(mem, s == SLIP_OK ? mark : begin);
    if (s != SLIP_OK) return s;
    if (step > SLIP_OK) return step;
    return result->nborder > 0 || result->left > eps ? SLIP_DEGENERATE : SLIP_OK;
}

slip_status slip_step_derivatives(slip_world *w, unsigned inputs, slip_real eps, slip_arena *mem,
                                  slip_step_jacobian *result)
{
    sim_derivative d;

    d.w = w;
    d.out = result;
    d.products = 0;
    return sd_run(&d, inputs, eps, mem);
}

size_t slip_step_linear_bytes(const slip_world *world)
{
    slip_arena count = slip_arena_counting();

    slip_arena_take(&count, 1, sizeof(sim_derivative));
    slip_arena_reals(&count, 13*(size_t)(8*world->model->nv + 13*world->model->nbodies + 7*world->opt.max_contacts
                                         + world->fixed.max_limits) + (size_t)world->model->branches.size);
    slip_arena_take(&count, (size_t)world->model->nbodies, sizeof(sim_drift_blocks));
    return slip_arena_needed(&count) + slip_step_jacobian_bytes(world);
}

slip_status slip_step_linearize(slip_world *w, unsigned inputs, slip_real eps, slip_arena *mem,
                                slip_step_linear *result)
{
    const size_t begin = slip_arena_mark(mem);
    sim_derivative *d = (sim_derivative *)slip_arena_take(mem, 1, sizeof *d);
    slip_status s;

    if (!d) return SLIP_ERR_WORKSPACE;
    d->w = w;
    d->out = &result->at;
    d->products = 1;
    s = sd_run(d, inputs, eps, mem);
    if (s < 0) slip_arena_release(mem, begin);
    else result->inside = d;
    return s;
}
