/* Making a world: checks of the description, memory, copies; and access to what it holds. */
#include "sim/world_private.h"
#include "solvers/solvers.h"

#include <string.h>

slip_material slip_material_default(void)
{
    slip_material m;

    m.friction = SLIP_R(0.7);
    m.restitution = m.stiffness = m.damping = m.tangent_stiffness = m.tangent_damping = 0;
    return m;
}

slip_world_options slip_world_defaults(void)
{
    slip_world_options o;

    memset(&o, 0, sizeof o);
    o.dt = SLIP_R(1e-3);
    o.solver = NULL;
    o.solve = slip_solver_defaults();
    o.solve.tol_rule = SLIP_TOL_BOTH;                    /* a resting world must rest: 1e-6 J can hide 0.1 mm/s */
    o.solve.max_iterations = 1000;                       /* a step that needs more says so and goes on             */
    o.margin = SLIP_R(0.002);
    o.erp = SLIP_R(0.5);
    o.slop = SLIP_TOL(1e-8, 1e-6);
    o.ring = SLIP_R(0.01);
    o.midway = SLIP_R(0.02);
    o.sleep_time = SLIP_R(0.5);
    o.max_push = SLIP_R(0.1);
    o.max_pull = 1;
    o.rest_speed = SLIP_R(0.05);
    o.mix = SLIP_MIX_GEOMETRIC;
    o.self = 1;
    o.max_contacts = 256;
    o.islands = 1;
    return o;
}

/* ---- checks ------------------------------------------------------------------------------------------------ */

static slip_status world_check_options(const slip_world_options *o, slip_error *err)
{
    if (o->max_contacts < 0 || o->max_contacts > 100000)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "max_contacts is %d, expected 0 to 100000", o->max_contacts);
    if (o->max_pairs < 0)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "max_pairs is %d, expected 0 or more", o->max_pairs);
    if (slip_sim_check_options(o, err) < 0) return SLIP_ERR_ARGUMENT;
    return slip_solver_check(o->solver, &o->solve, err);
}

static slip_status world_check_counts(const slip_world_def *d, slip_error *err)
{
    const struct { const char *name; int n; const void *list; } given[] = {
        { "colliders", d->ncolliders, d->colliders },       { "materials", d->nmaterials, d->materials },
        { "material_pairs", d->nmaterial_pairs, d->material_pairs }, { "excludes", d->nexcludes, d->excludes },
        { "loops", d->nloops, d->loops }
    };
    int i;

    for (i = 0; i < (int)(sizeof given/sizeof *given); ++i)
        if (given[i].n < 0 || (given[i].n > 0 && !given[i].list))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "a world of %d %s%s", given[i].n, given[i].name,
                             given[i].n > 0 ? ", and none are given" : "");
    return SLIP_OK;
}

static slip_status world_check_material(const slip_material *m, int i, slip_error *err)
{
    const slip_real soft[4] = { m->stiffness, m->damping, m->tangent_stiffness, m->tangent_damping };
    const slip_real infinite = (slip_real)INFINITY;
    int k;

    if (!(m->friction >= 0) || (m->friction > SLIP_MOST_FRICTION && m->friction < infinite))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "material %d: its friction is %g, expected 0 to %g or infinity",
                         i, (double)m->friction, (double)SLIP_MOST_FRICTION);
    if (!(m->restitution >= 0 && m->restitution <= 1))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "material %d: its restitution is %g, expected 0 to 1", i,
                         (double)m->restitution);
    for (k = 0; k < 4; ++k)
        if (!(soft[k] >= 0 && soft[k] <= SLIP_MOST_STIFFNESS))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "material %d: stiffness or damping is %g, expected 0 to %g",
                             i, (double)soft[k], (double)SLIP_MOST_STIFFNESS);
    return SLIP_OK;
}

/* Finite, with a rotation for R: one that was never filled in is none. */
static int world_is_pose(const slip_pose *X)
{
    slip_real R[9], t[9];
    int i;

    if (!slip_pose_is_finite(X)) return 0;
    slip_mat3_transpose(X->R, t);
    slip_mat3_mul(t, X->R, R);
    for (i = 0; i < 9; ++i) if (!(slip_abs(R[i] - (slip_real)(i % 4 == 0)) <= SLIP_R(1e-4))) return 0;
    return 1;
}

static slip_status world_check_collider(const slip_world_def *def, int i, slip_error *err)
{
    const slip_collider_def *c = &def->colliders[i];

    if (c->link < -1 || c->link >= def->model->nlinks || c->material < 0 || c->material >= def->nmaterials)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "collider %d '%s': link %d or material %d does not exist", i,
                         c->name ? c->name : "", c->link, c->material);
    if (slip_shape_check(&c->shape) != SLIP_OK)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0,
                         "collider %d '%s': its %s has a size that is negative or not finite", i,
                         c->name ? c->name : "", slip_shape_kind_name(c->shape.kind));
    if (!world_is_pose(&c->pose))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "collider %d '%s': its pose is not finite, or not a rotation", i,
                         c->name ? c->name : "");
    if (c->shape.kind >= SLIP_SHAPE_HALFSPACE && c->link >= 0 && def->model->link_body[c->link] != 0)
        return slip_fail(err, SLIP_ERR_UNSUPPORTED, 0, 0, "collider %d '%s': a %s must be fixed to the world", i,
                         c->name ? c->name : "", slip_shape_kind_name(c->shape.kind));
    return SLIP_OK;
}

/* The body a link is part of; 0 for the world. */
static int world_body_of(const slip_model *m, int link) { return link < 0 ? 0 : m->link_body[link]; }

static slip_status world_check_loop(const slip_world_def *def, int i, slip_error *err)
{
    const slip_loop_def *l = &def->loops[i];
    const slip_model *m = def->model;
    const char *name = l->name ? l->name : "";

    if (l->link_a < -1 || l->link_a >= m->nlinks || l->link_b < -1 || l->link_b >= m->nlinks
        || (l->kind != SLIP_LOOP_BALL && l->kind != SLIP_LOOP_HINGE && l->kind != SLIP_LOOP_WELD))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "loop %d '%s': unknown link or kind", i, name);
    if (!world_is_pose(&l->frame_a) || !world_is_pose(&l->frame_b))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "loop %d '%s': its frame on link %c is not finite, or not a "
                         "rotation", i, name, world_is_pose(&l->frame_a) ? 'b' : 'a');
    if (world_body_of(m, l->link_a) == world_body_of(m, l->link_b))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "loop %d '%s': its links do not move against each other", i,
                         name);
    return SLIP_OK;
}

static slip_status world_check(const slip_world_def *def, slip_error *err)
{
    slip_status s;
    int i;

    if (!def || !def->model) return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "a world needs a model");
    s = world_check_options(&def->options, err);
    if (s == SLIP_OK) s = world_check_counts(def, err);
    for (i = 0; i < def->nmaterials && s == SLIP_OK; ++i) s = world_check_material(&def->materials[i], i, err);
    for (i = 0; i < def->nmaterial_pairs && s == SLIP_OK; ++i)
        s = world_check_material(&def->material_pairs[i].material, i, err);
    for (i = 0; i < def->ncolliders && s == SLIP_OK; ++i) s = world_check_collider(def, i, err);
    for (i = 0; i < def->nloops && s == SLIP_OK; ++i) s = world_check_loop(def, i, err);
    return s;
}

/* What is of no use is told: names of things that are not there. */
static slip_status world_warn(const slip_world_def *def, slip_report *report, slip_error *err)
{
    slip_status s = SLIP_OK;
    int i, k;

    for (i = 0; i < def->nmaterial_pairs && s == SLIP_OK; ++i)
        for (k = 0; k < 2 && s == SLIP_OK; ++k) {
            const int material = k ? def->material_pairs[i].b : def->material_pairs[i].a;

            if (material < 0 || material >= def->nmaterials)
                s = slip_warn(report, err, 0, 0, "material pair %d: there is no material %d", i, material);
        }
    for (i = 0; i < def->nexcludes && s == SLIP_OK; ++i)
        for (k = 0; k < 2 && s == SLIP_OK; ++k)
            if (def->excludes[i][k] < -1 || def->excludes[i][k] >= def->model->nlinks)
                s = slip_warn(report, err, 0, 0, "exclude %d: there is no link %d", i, def->excludes[i][k]);
    return s;
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

static slip_real *world_reals(slip_arena *mem, int n)
{
    return (slip_real *)slip_arena_take_zero(mem, (size_t)n, sizeof(slip_real));
}

static int *world_ints(slip_arena *mem, int n)
{
    return (int *)slip_arena_take_zero(mem, (size_t)n, sizeof(int));
}

/* What changes from step to step, in one block. */
static void world_take_state(slip_world *w, slip_arena *mem)
{
    const slip_model *m = w->model;
    const size_t before = slip_arena_mark(mem);

    w->clock = (struct sim_clock *)slip_arena_take_zero(mem, 1, sizeof *w->clock);
    w->state = (unsigned char *)w->clock;
    w->q = world_reals(mem, m->nq);
    w->v = world_reals(mem, m->nv);
    w->tau = world_reals(mem, m->nv);
    w->wrench = world_reals(mem, 6*m->nbodies);
    w->drives = (slip_drive *)slip_arena_take_zero(mem, (size_t)m->nv, sizeof *w->drives);
    w->limit_impulse = world_reals(mem, 2*m->nv);
    w->saturated = world_ints(mem, m->nv);
    w->slides = world_ints(mem, m->nv);
    w->still = world_reals(mem, m->nbodies);
    w->push_rest = world_reals(mem, m->nv);
    w->q_rest = world_reals(mem, m->nq);
    w->v_rest = world_reals(mem, m->nv);
    w->touching_rest = world_ints(mem, m->nbodies);
    w->loop_state = (sim_loop_state *)slip_arena_take_zero(mem, (size_t)w->nloops, sizeof *w->loop_state);
    w->memory = (sim_memory *)slip_arena_take_zero(mem, (size_t)w->opt.max_contacts, sizeof *w->memory);
    w->state_bytes = slip_arena_mark(mem) - before;
}

static void world_take_step(slip_world *w, slip_arena *mem)
{
    const slip_model *m = w->model;

    w->touching = world_ints(mem, m->nbodies);
    w->sleeps = world_ints(mem, m->nbodies);
    w->limit_before = world_reals(mem, 2*m->nv);
    w->still_before = world_reals(mem, m->nbodies);
    w->marks_before = world_ints(mem, 2*m->nv);
    w->loop_before = (sim_loop_state *)slip_arena_take_zero(mem, (size_t)w->nloops, sizeof *w->loop_before);
    w->contacts = (sim_contact *)slip_arena_take_zero(mem, (size_t)w->opt.max_contacts, sizeof *w->contacts);
    w->order = world_ints(mem, w->opt.max_contacts);
    w->v_free = world_reals(mem, m->nv);       w->v_next = world_reals(mem, m->nv);
    w->nle = world_reals(mem, m->nv);          w->x = world_reals(mem, m->nv);
    w->drive_force = world_reals(mem, m->nv);  w->accel = world_reals(mem, m->nv);
    w->v_mid = world_reals(mem, m->nv);
    w->v_start = world_reals(mem, m->nv);      w->dv_contact = world_reals(mem, m->nv);
    w->q_next = world_reals(mem, m->nq);       w->push = world_reals(mem, m->nv);
    w->held = world_ints(mem, m->nv);
    w->held_impulse = world_reals(mem, 2*m->nv);
    w->held_force = world_reals(mem, m->nv);
    w->inertia = world_reals(mem, m->nv);      w->iv_body = world_ints(mem, m->nv);
    w->ring = world_reals(mem, m->nv);
    w->diagonal = world_reals(mem, m->nv);
    w->constant_mass = slip_mass_is_constant(m);
    w->M_kept = world_reals(mem, w->constant_mass ? m->branches.size : 0);
    w->L_kept = world_reals(mem, w->constant_mass ? m->branches.size : 0);
    w->D_inv_kept = world_reals(mem, w->constant_mass ? m->nv : 0);
    w->centre = world_reals(mem, 3*m->nbodies);
    w->v_way = world_reals(mem, m->nv);
    w->inertia_centre = world_reals(mem, 6*m->nbodies);
    w->inertia_inv = world_reals(mem, 6*m->nbodies);
    w->free_single = world_ints(mem, m->nbodies);
    w->plane_single = world_ints(mem, m->nbodies);
    w->body_tree = world_ints(mem, m->nbodies);
    w->group = world_ints(mem, m->nbodies);
    w->limit_iv = world_ints(mem, w->max_limits);
    w->limit_sign = world_reals(mem, w->max_limits);
    w->mu = world_reals(mem, w->opt.max_contacts);
    w->g = world_reals(mem, w->max_rows);      w->R = world_reals(mem, w->max_rows);
    w->lambda = world_reals(mem, w->max_rows); w->sigma = world_reals(mem, w->max_rows);
    w->dual = world_reals(mem, w->max_rows);
}

/* Limits that the model has, with those of drives and dry friction, and rows at the most. */
static void world_count_rows(slip_world *w)
{
    const slip_model *m = w->model;
    int i;

    w->max_limits = w->max_held = 0;
    for (i = 0; i < m->nv; ++i) {
        w->max_limits += slip_is_finite(m->lower[i]) + slip_is_finite(m->upper[i]);
        w->max_held += (m->limit_iq[i] >= 0) + (m->friction[i] > 0);
    }
    w->has_limits = w->max_limits > 0;
    w->max_limits += w->max_held;
    w->max_rows = 3*w->opt.max_contacts + w->max_limits + 6*w->nloops;
}

/* The solver's scratch: what the largest problem of this world needs. The default solver is given what it needs for
 * WORLD_FULL_ROWS rows in a full matrix, which is a lot more in a sparse one, and falls back on sweeps beyond. */
static slip_status world_take_scratch(slip_world *w, slip_arena *mem)
{
    enum { WORLD_FULL_ROWS = 1500 };
    const slip_problem p = slip_problem_dense_rows(w->opt.max_contacts, w->max_limits, 6*w->nloops, w->mu, w->g, w->R,
                                                   NULL, w->max_rows);
    const slip_solver *solver = slip_solver_find(w->opt.solver ? w->opt.solver : "default");
    size_t bytes;
    unsigned char *block;

    if (p.n > WORLD_FULL_ROWS && solver && solver->solve == slip_default) {
        const slip_problem part = slip_problem_dense_rows(0, 0, WORLD_FULL_ROWS, w->mu, w->g, w->R, NULL,
                                                          WORLD_FULL_ROWS);
        const size_t sweeps = slip_ncp_pgs_bytes(&p, &w->opt.solve);

        bytes = slip_solve_bytes(w->opt.solver, &part, &w->opt.solve);
        if (bytes < sweeps) bytes = sweeps;
    } else {
        bytes = slip_solve_bytes(w->opt.solver, &p, &w->opt.solve);
    }
    block = (unsigned char *)slip_arena_take(mem, bytes, 1);
    if (!block) return SLIP_ERR_WORKSPACE;
    if (!slip_arena_is_counting(mem)) w->scratch = slip_arena_over(block, bytes);
    return SLIP_OK;
}

/* Room for blocks of G: all of them in small worlds; else as many as a heap of bodies has that touch a dozen others
 * each in four points. Beyond that the problem stays in its factored form. */
static int world_block_count(const slip_world *w)
{
    enum { EACH = 128 };
    const int blocks = w->opt.max_contacts + w->max_limits + 6*w->nloops;

    return blocks <= EACH ? 0 : EACH*blocks;
}

/* All the memory of a world; with a counting arena only counted. */
static slip_status world_carve(const slip_world_def *def, slip_world *w, slip_arena *mem)
{
    const int nc = def->ncolliders;
    const int max_pairs = def->options.max_pairs ? def->options.max_pairs : nc*16 > 64 ? nc*16 : 64;
    slip_status s;

    w->model = def->model;
    w->opt = def->options;
    w->most_contacts = w->opt.max_contacts;
    w->ncolliders = nc;
    w->nmaterials = def->nmaterials;
    w->nmaterial_pairs = def->nmaterial_pairs;
    w->nloops = def->nloops;
    world_count_rows(w);
    w->data = slip_data_create(def->model, mem);
    if (!w->data) return SLIP_ERR_WORKSPACE;
    w->colliders = (sim_collider *)slip_arena_take_zero(mem, (size_t)nc, sizeof *w->colliders);
    w->collider_pose = (slip_pose *)slip_arena_take_zero(mem, (size_t)nc, sizeof *w->collider_pose);
    w->collider_way = world_reals(mem, nc);
    w->materials = (slip_material *)slip_arena_take_zero(mem, (size_t)w->nmaterials, sizeof *w->materials);
    w->material_pairs = (slip_material_pair *)slip_arena_take_zero(mem, (size_t)w->nmaterial_pairs,
                                                                   sizeof *w->material_pairs);
    w->loops = (sim_loop *)slip_arena_take_zero(mem, (size_t)w->nloops, sizeof *w->loops);
    world_take_state(w, mem);
    world_take_step(w, mem);
    s = slip_assembly_create(def->model, w->opt.max_contacts, w->max_limits + 6*w->nloops, world_block_count(w), mem,
                             &w->assembly);
    if (s != SLIP_OK || mem->failed) return SLIP_ERR_WORKSPACE;
    s = slip_broadphase_create(nc, max_pairs, def->nexcludes, mem, &w->broad);
    if (s != SLIP_OK) return s;
    return world_take_scratch(w, mem);
}

/* ---- contents ------------------------------------------------------------------------------------------------ */

/* A link's body, and a frame on the link in the body's axes. */
static int world_body_frame(const slip_model *m, int link, const slip_pose *in_link, slip_pose *in_body)
{
    *in_body = *in_link;
    if (link < 0) return 0;
    slip_pose_mul(&m->link_pose[link], in_link, in_body);
    return m->link_body[link];
}

static void world_fill_colliders(slip_world *w, const slip_world_def *def)
{
    const slip_model *m = w->model;
    const slip_real nowhere[3] = { 0, 0, 0 };
    int i;

    for (i = 0; i < def->ncolliders; ++i) {
        const slip_collider_def *d = &def->colliders[i];
        sim_collider *c = &w->colliders[i];
        slip_proxy proxy = slip_proxy_default();

        c->link = d->link;
        c->body = world_body_frame(m, d->link, &d->pose, &c->local);
        c->shape = d->shape;
        c->reach = slip_shape_reach(&d->shape);
        c->material = d->material;
        c->group = d->group;
        c->mask = d->mask;
        c->name = d->name ? d->name : "";
        proxy.body = c->body;
        proxy.parent = c->body == 0 || def->options.parent_child || m->parent[c->body] == 0 ? -1 : m->parent[c->body];
        proxy.link = d->link;
        proxy.group = d->group;
        proxy.mask = d->mask;
        proxy.is_static = c->body == 0;
        slip_broadphase_add(w->broad, &proxy, nowhere, nowhere);
    }
    for (i = 0; i < def->nexcludes; ++i) slip_broadphase_exclude(w->broad, def->excludes[i][0], def->excludes[i][1]);
}

static void world_fill_loops(slip_world *w, const slip_world_def *def)
{
    int i;

    for (i = 0; i < def->nloops; ++i) {
        sim_loop *l = &w->loops[i];

        l->def = def->loops[i];
        l->body_a = world_body_frame(w->model, l->def.link_a, &l->def.frame_a, &l->local_a);
        l->body_b = world_body_frame(w->model, l->def.link_b, &l->def.frame_b, &l->local_b);
        w->loop_state[i].on = 1;
    }
}

/* The link that a body carries without adding to it: itself, or the next along hinges and links of next to no mass. */
static int world_carried(const slip_model *m, int b)
{
    const slip_real next_to_none = SLIP_R(1e-3);
    int k = b;

    while (++k < m->nbodies)
        if (m->parent[k] == b && m->inertia[10*b] <= next_to_none*m->inertia[10*k]) b = k;
        else if (m->parent[k] == b) break;
    return b;
}

/* Inertia of a link that a hinge carries by massless ones, for free_rings(), which keeps a share of it (1 %): the mean
 * about its origin; at most twenty times its smallest principal one, so that 1 % is a fifth of what two hinges at
 * right angles always turn and a slender rod on a universal joint spins as it should. 4 det/tr^2 is the smallest one
 * or less. */
static slip_real world_ring(const slip_real I[6])
{
    const slip_real trace = I[0] + I[3] + I[5];
    const slip_real det = I[0]*(I[3]*I[5] - I[4]*I[4]) - I[1]*(I[1]*I[5] - I[4]*I[2]) + I[2]*(I[1]*I[4] - I[3]*I[2]);

    if (!(trace > 0)) return 0;
    return slip_max(0, slip_min(trace/3, 80*det/(trace*trace)));
}

static void world_fill_rings(slip_world *w)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int carried = world_carried(m, b);

        if ((m->type[b] != SLIP_JOINT_REVOLUTE && m->type[b] != SLIP_JOINT_CONTINUOUS) || m->mimics[b] || carried == b)
            continue;
        w->ring[m->dof_iv[m->idof[b]]] = world_ring(m->inertia + 10*carried + 4);
        w->has_rings = 1;
    }
}

/* Bodies that are alone, their centres of mass and the inertia about them; next to the origin is at it. */
static void world_fill_singles(slip_world *w)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        w->free_single[b] = m->type[b] == SLIP_JOINT_FLOATING && m->parent[b] == 0;
        w->plane_single[b] = m->type[b] == SLIP_JOINT_PLANAR && m->parent[b] == 0;
    }
    for (b = 1; b < m->nbodies; ++b) w->free_single[m->parent[b]] = w->plane_single[m->parent[b]] = 0;
    for (b = 1, w->all_free = 1; b < m->nbodies; ++b) w->all_free &= w->free_single[b];
    for (b = 1; b < m->nbodies; ++b) {
        const slip_real *in = m->inertia + 10*b;
        slip_real *I = w->inertia_centre + 6*b, *out = w->inertia_inv + 6*b, *c = w->centre + 3*b, B[9] = { 0 }, mass;

        if (!w->free_single[b] && !w->plane_single[b]) continue;
        if (slip_norm3(in + 1) <= SLIP_TOL(1e-12, 1e-6)*slip_sqrt(in[0]*(in[4] + in[7] + in[9])))
            memcpy(I, in + 4, 6*sizeof *I);
        else {
            slip_inertia_to(in, &mass, c, I);
            w->has_offset = 1;
        }
        {
            const slip_real A[9] = { I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5] };

            slip_mat3_inverse(A, B);
        }
        slip_set3(B[0], B[1], B[2], out);
        slip_set3(B[4], B[5], B[8], out + 3);
    }
}

/* Facts about bodies that every step needs. */
static void world_fill_bodies(slip_world *w)
{
    const slip_model *m = w->model;
    int b, d;

    for (b = 1; b < m->nbodies; ++b) w->body_tree[b] = m->parent[b] == 0 ? b : w->body_tree[m->parent[b]];
    w->only_tree = w->body_tree[m->nbodies - 1] == 1;    /* trees are contiguous */
    world_fill_singles(w);
    for (d = 0; d < m->ndofs; ++d) w->iv_body[m->dof_iv[d]] = m->dof_body[d];
    for (d = 0; d < m->nv; ++d) {
        w->has_friction |= m->friction[d] > 0;
        w->drives[d].effort = m->effort_limit[d];
        w->drives[d].implicit = 1;
    }
}

size_t slip_world_bytes(const slip_world_def *def)
{
    slip_arena count = slip_arena_counting();
    slip_world w;

    if (world_check(def, NULL) != SLIP_OK) return 0;
    memset(&w, 0, sizeof w);
    slip_arena_take(&count, 1, sizeof w);
    if (world_carve(def, &w, &count) != SLIP_OK) return 0;
    return slip_arena_needed(&count);
}

slip_status slip_world_create(const slip_world_def *def, slip_arena *mem, slip_world **world, slip_report *report,
                              slip_error *err)
{
    const size_t mark = slip_arena_mark(mem);
    slip_world *w;
    slip_status s = world_check(def, err);

    if (s == SLIP_OK) s = world_warn(def, report, err);
    if (s != SLIP_OK) return s;
    w = (slip_world *)slip_arena_take_zero(mem, 1, sizeof *w);
    s = w ? world_carve(def, w, mem) : SLIP_ERR_WORKSPACE;
    if (s != SLIP_OK) {
        slip_arena_release(mem, mark);
        return slip_fail(err, s, 0, 0, "not enough memory for the world: it needs %z bytes", slip_world_bytes(def));
    }
    if (w->nmaterials > 0) memcpy(w->materials, def->materials, (size_t)w->nmaterials*sizeof *w->materials);
    if (w->nmaterial_pairs > 0)
        memcpy(w->material_pairs, def->material_pairs, (size_t)w->nmaterial_pairs*sizeof *w->material_pairs);
    world_fill_colliders(w, def);
    world_fill_loops(w, def);
    world_fill_bodies(w);
    world_fill_rings(w);
    slip_neutral(w->model, w->q);
    w->fingerprint = slip_sim_fingerprint(w);
    *world = w;
    return SLIP_OK;
}

/* ---- access -------------------------------------------------------------------------------------------------- */

const slip_error *slip_world_error(const slip_world *w) { return &w->error; }
const slip_step_stats *slip_world_stats(const slip_world *w) { return &w->stats; }
const slip_model *slip_world_model(const slip_world *w) { return w->model; }
slip_data *slip_world_data(slip_world *w) { return w->data; }
slip_real *slip_world_q(slip_world *w) { return w->q; }
slip_real *slip_world_v(slip_world *w) { return w->v; }
slip_real *slip_world_tau(slip_world *w) { return w->tau; }
slip_real *slip_world_wrench(slip_world *w) { return w->wrench; }
slip_drive *slip_world_drive(slip_world *w, int iv) { return iv >= 0 && iv < w->model->nv ? &w->drives[iv] : NULL; }
slip_real slip_world_time(const slip_world *w) { return w->clock->time; }
long slip_world_steps(const slip_world *w) { return w->clock->steps; }
slip_world_options *slip_world_options_of(slip_world *w) { return &w->opt; }

void slip_world_set_control(slip_world *w, void (*control)(void *context, slip_world *world), void *context)
{
    w->control = control;
    w->control_context = context;
}

/* Nobody has been slow for any time. */
static void world_wake_all(slip_world *w) { memset(w->still, 0, (size_t)w->model->nbodies*sizeof *w->still); }

void slip_world_set_loop(slip_world *w, int loop, int on)
{
    if (loop < 0 || loop >= w->nloops || w->loop_state[loop].on == (on != 0)) return;
    w->loop_state[loop].on = on != 0;
    world_wake_all(w);                                   /* who hung on it must not go on sleeping */
}

const slip_material *slip_world_material(const slip_world *w, int i)
{
    return i >= 0 && i < w->nmaterials ? &w->materials[i] : NULL;
}

const slip_material_pair *slip_world_material_pair(const slip_world *w, int i)
{
    return i >= 0 && i < w->nmaterial_pairs ? &w->material_pairs[i] : NULL;
}

/* Puts a material in the place of another one; no place (NULL) is an error. */
static slip_status world_change_material(slip_world *w, int i, slip_material *place, const slip_material *m)
{
    slip_status s;

    slip_error_clear(&w->error);
    if (!place || !m)
        return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "there is no material or material pair %d", i);
    s = world_check_material(m, i, &w->error);
    if (s != SLIP_OK) return s;
    *place = *m;
    world_wake_all(w);                                   /* who stuck to a slope may slide now */
    return SLIP_OK;
}

slip_status slip_world_set_material(slip_world *w, int i, const slip_material *m)
{
    return world_change_material(w, i, i >= 0 && i < w->nmaterials ? &w->materials[i] : NULL, m);
}

slip_status slip_world_set_material_pair(slip_world *w, int i, const slip_material *m)
{
    return world_change_material(w, i, i >= 0 && i < w->nmaterial_pairs ? &w->material_pairs[i].material : NULL, m);
}

/* Two springs in series; a rigid one (0) adds nothing. */
static slip_real world_in_series(slip_real a, slip_real b) { return a > 0 && b > 0 ? a*b/(a + b) : slip_max(a, b); }

slip_material slip_sim_mix(const slip_world *w, int a, int b)
{
    const slip_material *A = &w->materials[a], *B = &w->materials[b];
    slip_material m = *A;
    int i;

    for (i = 0; i < w->nmaterial_pairs; ++i) {
        const slip_material_pair *p = &w->material_pairs[i];

        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) return p->material;
    }
    switch (w->opt.mix) {
    case SLIP_MIX_MEAN:    m.friction = (A->friction + B->friction)/2; break;
    case SLIP_MIX_MIN:     m.friction = slip_min(A->friction, B->friction); break;
    case SLIP_MIX_MAX:     m.friction = slip_max(A->friction, B->friction); break;
    case SLIP_MIX_PRODUCT: m.friction = A->friction*B->friction; break;
    default:               m.friction = A == B ? A->friction : slip_sqrt(A->friction*B->friction); break;
    }
    m.restitution = slip_max(A->restitution, B->restitution);
    m.stiffness = world_in_series(A->stiffness, B->stiffness);
    m.damping = slip_max(A->damping, B->damping);
    m.tangent_stiffness = world_in_series(A->tangent_stiffness, B->tangent_stiffness);
    m.tangent_damping = slip_max(A->tangent_damping, B->tangent_damping);
    return m;
}
