/* Making a world: checks of the description, memory, copies. */
#include "sim/world_private.h"
#include "contact/operator.h"

#include <limits.h>
#include <string.h>

slip_world_options slip_world_defaults_for(const slip_solver *solver)
{
    slip_world_options o;

    memset(&o, 0, sizeof o);
    o.dt = SLIP_R(1e-3);
    o.solver = solver;
    o.solve = slip_solver_defaults();
    o.solve.tol_rule = SLIP_TOL_BOTH;                    /* a resting world must rest: 1e-6 J can hide 0.1 mm/s */
    o.solve.max_iterations = 1000;                       /* a step that needs more reports SLIP_MAX_ITERS          */
    o.margin = SLIP_R(0.002);
    o.erp = SLIP_R(0.5);
    o.slop = SLIP_TOL(1e-8, 1e-6);
    o.ring = SLIP_R(0.01);
    o.integrator = SLIP_MIDPOINT;
    o.sleep_time = SLIP_R(0.5);
    o.max_push = SLIP_R(0.1);
    o.max_pull = 1;
    o.law = slip_contact_law_defaults();
    o.mix = SLIP_MIX_GEOMETRIC;
    o.self = 1;
    o.islands = 1;
    o.warm_start = o.soften = o.correct = 1;
    o.warm_share = 1;
    o.reuse = SLIP_TOL(0.1, 1);
    o.scratch_rows = 1500;
    return o;
}

void slip_world_equal_terms(slip_world_options *o)
{
    o->reuse = 0;
    o->soften = o->correct = 0;
}

/* ---- checks ------------------------------------------------------------------------------------------------ */

static slip_status world_check_options(const slip_world_options *o, slip_error *err)
{
    slip_status s;

    if (o->max_contacts < 0 || o->max_contacts > 100000)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "max_contacts is %d, expected 0 to 100000", o->max_contacts);
    if (o->scratch_rows < 1)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "scratch_rows is %d, expected 1 or more", o->scratch_rows);
    if (o->max_pairs < 0)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "max_pairs is %d, expected 0 or more", o->max_pairs);
    s = slip_sim_check_options(o, err);
    return s < 0 ? s : slip_solver_check(o->solver, &o->solve, err);
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
#ifdef SLIP_NO_LOOPS
    if (d->nloops > 0)
        return slip_fail(err, SLIP_ERR_UNSUPPORTED, 0, 0, "%d loops, but the library is built with SLIP_NO_LOOPS",
                         d->nloops);
#endif
    return SLIP_OK;
}

/* Finite, with a rotation R: a pose of zeros, never filled in, is none. */
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
    if (!slip_shape_is_built(c->shape.kind))
        return slip_fail(err, SLIP_ERR_UNSUPPORTED, 0, 0, "collider %d '%s': the library is built without the shape %s "
                         "(SLIP_SHAPES)", i, c->name ? c->name : "", slip_shape_kind_name(c->shape.kind));
    if (slip_shape_check(&c->shape) != SLIP_OK)
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0,
                         "collider %d '%s': its %s has a size that is negative or not finite", i,
                         c->name ? c->name : "", slip_shape_kind_name(c->shape.kind));
    if (!world_is_pose(&c->pose))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "collider %d '%s': its pose is not finite, or not a rotation", i,
                         c->name ? c->name : "");
    if (!slip_all_within(c->surface_velocity, 6, SLIP_MOST_SPEED))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "collider %d '%s': its surface velocity is not finite, or "
                         "larger than %g", i, c->name ? c->name : "", (double)SLIP_MOST_SPEED);
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
        || (l->kind != SLIP_LOOP_SPRING && l->kind != SLIP_LOOP_BALL && l->kind != SLIP_LOOP_HINGE
            && l->kind != SLIP_LOOP_WELD))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "loop %d '%s': unknown link or kind", i, name);
    if (!world_is_pose(&l->frame_a) || !world_is_pose(&l->frame_b))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "loop %d '%s': its frame on link %c is not finite, or not a "
                         "rotation", i, name, world_is_pose(&l->frame_a) ? 'b' : 'a');
    if (l->kind == SLIP_LOOP_SPRING) {
        const slip_real most = SLIP_MOST_STIFFNESS, k = l->stiffness, d = l->damping;

        if (!(k >= 0 && k <= most && d >= 0 && d <= most && l->length >= 0 && l->length <= SLIP_MOST_LENGTH)
            || (k < SLIP_R(1e-9) && d < SLIP_R(1e-9)))
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "spring %d '%s': stiffness %g, damping %g, length %g; they "
                             "are not negative, at most 1e12, and one of the first two is 1e-9 or more", i, name,
                             (double)k, (double)d, (double)l->length);
    }
    if (world_body_of(m, l->link_a) == world_body_of(m, l->link_b))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "loop %d '%s': its links do not move against each other", i,
                         name);
    return SLIP_OK;
}

/* The kinds of friction against turning that some material has, bits SIM_ROLLS_... */
static int world_rolling_kinds(const slip_world_def *def)
{
    int i, kinds = 0;

    for (i = 0; i < def->nmaterials; ++i) kinds |= slip_sim_rolling_kinds(&def->materials[i]);
    for (i = 0; i < def->nmaterial_pairs; ++i) kinds |= slip_sim_rolling_kinds(&def->material_pairs[i].material);
    return kinds;
}

/* A joint that moves nothing that has inertia, where no repair was wanted. */
static slip_status world_fail_idle(const slip_model *m, slip_error *err)
{
    int d = 0, body;

    while (d < m->ndofs - 1 && (m->dof_iv[d] != m->idle - 1 || m->mimics[m->dof_body[d]])) ++d;
    body = m->dof_body[d];
    return slip_fail(err, SLIP_ERR_MODEL, 0, 0, "joint '%s' moves nothing that has inertia, so forces do not tell its "
                     "motion: give link '%s' a mass and inertia, or the joint an armature (--repair armature=0.01)",
                     m->joint_name[m->body_joint[body]], m->link_name[m->body_link[body]]);
}

static slip_status world_check(const slip_world_def *def, slip_error *err)
{
    slip_status s;
    int i;

    if (!def || !def->model) return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "a world needs a model");
    if (def->model->idle > 0) return world_fail_idle(def->model, err);
    s = world_check_options(&def->options, err);
    if (s == SLIP_OK) s = world_check_counts(def, err);
    for (i = 0; i < def->nmaterials && s == SLIP_OK; ++i) s = slip_sim_check_material(&def->materials[i], i, err);
    for (i = 0; i < def->nmaterial_pairs && s == SLIP_OK; ++i)
        s = slip_sim_check_material(&def->material_pairs[i].material, i, err);
    if (s == SLIP_OK) s = slip_sim_rolling_solver(def->options.solver, world_rolling_kinds(def), err);
    for (i = 0; i < def->ncolliders && s == SLIP_OK; ++i) s = world_check_collider(def, i, err);
    for (i = 0; i < def->nloops && s == SLIP_OK; ++i) s = world_check_loop(def, i, err);
    return s;
}

/* Warns of names that match nothing. */
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

/* The colliders up to the last one that is a hull: these have extreme vertices to remember. */
static int world_hulls(const slip_world_def *def)
{
    int n = def->ncolliders;

    while (n > 0 && def->colliders[n - 1].shape.kind != SLIP_SHAPE_MESH) --n;
    return n;
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

/* Several arrays of n numbers each. */
static void world_reals_each(slip_arena *mem, int n, slip_real **const *arrays, size_t count)
{
    size_t i;

    for (i = 0; i < count; ++i) *arrays[i] = world_reals(mem, n);
}

/* State, which changes from step to step, in one block. */
static void world_take_state(slip_world *w, slip_arena *mem)
{
    const slip_model *m = w->model;
    const size_t start = slip_arena_mark(mem);
    sim_state *s = &w->state;
    slip_real **const of_coordinates[] = { &s->v, &w->input.tau, &w->input.v_given, &s->dv_smooth, &s->dv_last,
                                           &s->dv_expected, &s->dv_free_rest, &s->v_rest };
    slip_real **const of_positions[] = { &s->q, &w->input.q_given, &s->q_rest };

    s->progress = (sim_progress *)slip_arena_take_zero(mem, 1, sizeof *s->progress);
    s->block = (unsigned char *)s->progress;
    s->limit_impulse = world_reals(mem, 2*m->nv);
    s->loop_state = (sim_loop_state *)slip_arena_take_zero(mem, (size_t)slip_sim_loop_count(w), sizeof *s->loop_state);
    s->saturated = world_ints(mem, m->nv);
    s->slides = world_ints(mem, m->nv);
    s->still = world_reals(mem, m->nbodies);
    s->lost = world_reals(mem, m->nbodies);
    s->first_bytes = slip_arena_mark(mem) - start;
    world_reals_each(mem, m->nv, of_coordinates, sizeof of_coordinates/sizeof *of_coordinates);
    world_reals_each(mem, m->nq, of_positions, sizeof of_positions/sizeof *of_positions);
    w->input.wrench = world_reals(mem, 6*m->nbodies);
    w->input.drives = (slip_drive *)slip_arena_take_zero(mem, (size_t)m->nv, sizeof *w->input.drives);
    w->input.prescribed = world_ints(mem, m->nbodies);
    s->surface_velocity = world_reals(mem, 6*w->fixed.ncolliders);
    s->touching_rest = world_ints(mem, m->nbodies);
    s->memory = (sim_memory *)slip_arena_take_zero(mem, (size_t)w->opt.max_contacts, sizeof *s->memory);
    if (w->fixed.rolling_kinds)
        s->rolling = (sim_rolling_memory *)slip_arena_take_zero(mem, (size_t)w->opt.max_contacts, sizeof *s->rolling);
    s->bytes = slip_arena_mark(mem) - start;
    s->before = (unsigned char *)slip_arena_take_zero(mem, s->first_bytes, 1);
}

/* Facts about bodies and coordinates. */
static void world_take_fixed(slip_world *w, slip_arena *mem)
{
    const slip_model *m = w->model;
    sim_fixed *f = &w->fixed;

    f->iv_body = world_ints(mem, m->nv);
    f->ring = world_reals(mem, m->nv);
    f->centre = world_reals(mem, 3*m->nbodies);
    f->inertia_centre = world_reals(mem, 6*m->nbodies);
    f->inertia_inv = world_reals(mem, 6*m->nbodies);
    f->free_single = world_ints(mem, m->nbodies);
    f->plane_single = world_ints(mem, m->nbodies);
    f->first_loop = world_ints(mem, m->nbodies);
    f->body_tree = world_ints(mem, m->nbodies);
    f->inv_weight = world_reals(mem, slip_sim_law(w) == SLIP_LAW_REFERENCE ? m->nbodies : 0);
    f->constant_mass = slip_mass_is_constant(m);
    w->cache.M = world_reals(mem, f->constant_mass ? m->branches.size : 0);
    w->cache.L = world_reals(mem, f->constant_mass ? m->branches.size : 0);
    w->cache.D_inv = world_reals(mem, f->constant_mass ? m->nv : 0);
}

static void world_take_step(slip_world *w, slip_arena *mem)
{
    const slip_model *m = w->model;
    sim_step *s = &w->step;
    slip_real **const of_coordinates[] = { &s->v_free, &s->v_next, &s->nle, &s->x, &s->drive_force, &s->accel,
                                           &s->v_sensed, &s->v_mid, &s->v_mean, &s->nv_scratch, &s->dv_impact,
                                           &s->jt_lambda_impact, &s->dv_contact, &s->jt_lambda, &s->held_force,
                                           &s->inertia, &s->diagonal, &s->v_end, &s->half, &s->smooth_force };
    slip_real **const of_positions[] = { &s->q_mid, &s->q_end, &s->q_next, &s->q_ahead };

    world_reals_each(mem, m->nv, of_coordinates, sizeof of_coordinates/sizeof *of_coordinates);
    world_reals_each(mem, m->nq, of_positions, sizeof of_positions/sizeof *of_positions);
    s->given = world_ints(mem, m->nv);
    s->budget.left = -1;
    s->driven = world_ints(mem, m->nbodies);
    s->tree_scratch = world_reals(mem, 3*m->nbodies);
    s->tree_hit = world_ints(mem, m->nbodies);
    s->tree_driven = world_ints(mem, m->nbodies);
    s->loops = (sim_loop_step *)slip_arena_take_zero(mem, (size_t)slip_sim_loop_count(w), sizeof *s->loops);
    s->loop_work = world_reals(mem, 7*6*slip_sim_loop_count(w));
    s->held = world_ints(mem, m->nv);
    s->held_impulse = world_reals(mem, 2*m->nv);
    s->contacts = (sim_contact *)slip_arena_take_zero(mem, (size_t)w->opt.max_contacts, sizeof *s->contacts);
    if (w->fixed.rolling_kinds)
        s->rolling = (sim_rolling *)slip_arena_take_zero(mem, (size_t)w->opt.max_contacts, sizeof *s->rolling);
    s->order = world_ints(mem, w->opt.max_contacts);
    s->touching = world_ints(mem, m->nbodies);
    s->sleeps = world_ints(mem, m->nbodies);
    s->group = world_ints(mem, m->nbodies);
    s->limit_iv = world_ints(mem, w->fixed.max_limits);
    s->limit_sign = world_reals(mem, w->fixed.max_limits);
}

static void world_take_rows(slip_world *w, slip_arena *mem)
{
    const int n = w->fixed.max_rows;
    sim_rows *r = &w->rows;

    r->mu = world_reals(mem, w->fixed.max_blocks);
    r->g = world_reals(mem, n);
    r->R = world_reals(mem, n);
    r->distance = world_reals(mem, n);
    r->lambda = world_reals(mem, n);
    r->sigma = world_reals(mem, n);
    r->dual = world_reals(mem, n);
    w->step.impact_before = world_reals(mem, n);
}

/* The kinds of friction against turning that some material has, and room for the blocks of contacts with these. */
static void world_count_blocks(slip_world *w, const slip_world_def *def)
{
    const int kinds = world_rolling_kinds(def);

    w->fixed.rolling_kinds = kinds;
    w->fixed.max_blocks = w->opt.max_contacts*(1 + ((kinds & SIM_ROLLS_ACROSS) != 0)
                                               + ((kinds & SIM_ROLLS_ABOUT) != 0));
}

/* Limit rows of the model, with the rows of drives and dry friction, and the largest number of all rows. */
static void world_count_rows(slip_world *w)
{
    const slip_model *m = w->model;
    int i;

    w->fixed.max_limits = w->fixed.max_held = 0;
    for (i = 0; i < m->nv; ++i) {
        w->fixed.max_limits += slip_is_finite(m->lower[i]) + slip_is_finite(m->upper[i]);
        w->fixed.max_held += (m->limit_iq[i] >= 0) + (m->friction[i] > 0);
    }
    w->fixed.has_limits = w->fixed.max_limits > 0;
    w->fixed.max_limits += w->fixed.max_held;
    w->fixed.max_rows = 3*w->fixed.max_blocks + w->fixed.max_limits + 6*slip_sim_loop_count(w);
}

/* Bytes of the solver's scratch for a full matrix of nc contacts, nl limits and nb bilateral rows. */
static size_t world_solve_bytes(const slip_world *w, int nc, int nl, int nb)
{
    const slip_problem p = slip_problem_dense_rows(nc, nl, nb, w->rows.mu, w->rows.g, w->rows.R, NULL, 3*nc + nl + nb);

    return slip_solve_bytes(w->opt.solver, &p, &w->opt.solve);
}

/* The solver's scratch: its largest need, but where a world has more than scratch_rows rows, no more than a
 * problem of scratch_rows rows or that many rows' square of numbers takes, and for a solver that factors over the
 * coordinates WORLD_SPARSE_BYTES for each row besides: half of that suffices for the contacts of 1000 boxes that do not
 * stay open, the factors of 3000 need all of it. Sweeps, whose memory grows with the rows, then still have room for all
 * of them. */
static slip_status world_take_scratch(slip_world *w, slip_arena *mem)
{
    enum { WORLD_SPARSE_BYTES = 600 };
    const int rows = w->opt.scratch_rows;
    size_t bytes = world_solve_bytes(w, w->fixed.max_blocks, w->fixed.max_limits, 6*slip_sim_loop_count(w));
    unsigned char *block;

    if (w->fixed.max_rows > rows) {
        const size_t contacts = world_solve_bytes(w, rows/3, 0, rows%3), scalars = world_solve_bytes(w, 0, 0, rows);
        size_t most = (size_t)rows*(size_t)rows*sizeof(slip_real);

        if (most < contacts) most = contacts;
        if (most < scalars) most = scalars;
        if (w->opt.solver->takes_factor && slip_operator_allows_joint())
            most += (size_t)(w->fixed.max_rows - rows)*WORLD_SPARSE_BYTES;
        if (bytes > most) bytes = most;
    }
    block = (unsigned char *)slip_arena_take(mem, bytes, 1);
    if (!block) return SLIP_ERR_WORKSPACE;
    if (!slip_arena_is_counting(mem)) w->step.scratch = slip_arena_over(block, bytes);
    return SLIP_OK;
}

/* Room for blocks of G: all of them in small worlds; else as many as a heap of bodies has that touch a dozen others
 * each in four points. Beyond that the problem stays in its factored form. None in large worlds of free bodies with
 * a solver that factors over their coordinates. */
static int world_block_count(const slip_world *w)
{
    enum { EACH = 128 };
    const int blocks = w->fixed.max_blocks + w->fixed.max_limits + 6*slip_sim_loop_count(w);

    if (w->fixed.max_rows > w->opt.scratch_rows && w->opt.solver->takes_factor) return -EACH*blocks;
    return blocks <= EACH ? 0 : EACH*blocks;
}

/* A link of a robot touches the ground, in four points; a body in a heap a dozen others besides, each of which has half
 * of their points: twelve more for each tree. */
int slip_world_contact_room(const slip_world_def *def)
{
    enum { LEAST = 64, MOST = 100000, GROUND = 4, OTHERS = 12 };
    const slip_model *m = def->model;
    int i, room = 0, last = 0;

    if (def->options.max_contacts > 0) return def->options.max_contacts;
    for (i = 0; i < def->ncolliders && room < MOST; ++i) {
        int body = def->colliders[i].link < 0 ? 0 : m->link_body[def->colliders[i].link];

        if (body == 0) continue;
        while (m->parent[body] != 0) body = m->parent[body];
        room += body == last ? GROUND : GROUND + OTHERS;         /* colliders of a tree follow one another */
        last = body;
    }
    return room < LEAST ? LEAST : room > MOST ? MOST : room;
}

/* Candidate pairs: a box has about as many neighbours, and never more than all pairs. */
static int world_pair_room(const slip_world_def *def)
{
    enum { EACH = 16, MOST = INT_MAX/EACH };
    const int n = def->ncolliders < MOST ? def->ncolliders : MOST;

    if (def->options.max_pairs > 0) return def->options.max_pairs;
    return n <= 2*EACH ? n*(n - 1)/2 : n*EACH;
}

/* All the memory of a world; with a counting arena only counted. */
static slip_status world_carve(const slip_world_def *def, slip_world *w, slip_arena *mem)
{
    const int nc = def->ncolliders, max_pairs = world_pair_room(def);
    slip_status s;

    w->model = def->model;
    w->opt = def->options;
    w->opt.max_contacts = slip_world_contact_room(def);
    w->fixed.most_contacts = w->opt.max_contacts;
    w->fixed.ncolliders = nc;
    w->fixed.nmaterials = def->nmaterials;
    w->fixed.nmaterial_pairs = def->nmaterial_pairs;
    w->fixed.nloops = def->nloops;
    world_count_blocks(w, def);
    world_count_rows(w);
    if (slip_data_create(def->model, mem, &w->data) != SLIP_OK) return SLIP_ERR_WORKSPACE;
    w->fixed.colliders = (sim_collider *)slip_arena_take_zero(mem, (size_t)nc, sizeof *w->fixed.colliders);
    w->step.collider_pose = (slip_pose *)slip_arena_take_zero(mem, (size_t)nc, sizeof *w->step.collider_pose);
    w->step.collider_way = world_reals(mem, nc);
    w->cache.extreme = (int (*)[6])slip_arena_take_zero(mem, (size_t)world_hulls(def), sizeof *w->cache.extreme);
    w->fixed.materials = (slip_material *)slip_arena_take_zero(mem, (size_t)w->fixed.nmaterials,
                                                               sizeof *w->fixed.materials);
    w->fixed.material_pairs = (slip_material_pair *)slip_arena_take_zero(mem, (size_t)w->fixed.nmaterial_pairs,
                                                                   sizeof *w->fixed.material_pairs);
    w->fixed.loops = (sim_loop *)slip_arena_take_zero(mem, (size_t)slip_sim_loop_count(w), sizeof *w->fixed.loops);
    world_take_state(w, mem);
    world_take_fixed(w, mem);
    world_take_step(w, mem);
    world_take_rows(w, mem);
    s = slip_assembly_create(def->model, w->fixed.max_blocks, w->fixed.max_limits + 6*slip_sim_loop_count(w),
                             world_block_count(w), mem, &w->step.assembly);
    if (s != SLIP_OK || mem->failed) return SLIP_ERR_WORKSPACE;
    s = slip_broadphase_create(nc, max_pairs, def->nexcludes, mem, &w->cache.broad);
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
        sim_collider *c = &w->fixed.colliders[i];
        slip_proxy proxy = slip_proxy_defaults();

        c->link = d->link;
        c->body = world_body_frame(m, d->link, &d->pose, &c->local);
        c->shape = d->shape;
        c->reach = slip_shape_reach(&d->shape);
        c->span = c->reach + slip_norm3(c->local.p);
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
        slip_broadphase_add(w->cache.broad, &proxy, nowhere, nowhere);
        slip_world_set_surface_velocity(w, i, d->surface_velocity);
    }
    for (i = 0; i < def->nexcludes; ++i)
        slip_broadphase_exclude(w->cache.broad, def->excludes[i][0], def->excludes[i][1]);
}

static void world_fill_loops(slip_world *w, const slip_world_def *def)
{
    int i, a, b;

    for (i = 0; i < def->nloops; ++i) {
        sim_loop *l = &w->fixed.loops[i];

        l->def = def->loops[i];
        l->body_a = world_body_frame(w->model, l->def.link_a, &l->def.frame_a, &l->local_a);
        l->body_b = world_body_frame(w->model, l->def.link_b, &l->def.frame_b, &l->local_b);
        for (a = l->body_a, b = l->body_b; a != b; ) {   /* parents have smaller indices */
            if (a > b) a = w->model->parent[a];
            else b = w->model->parent[b];
        }
        l->meet = a;
        l->next_at_a = w->fixed.first_loop[l->body_a];
        w->fixed.first_loop[l->body_a] = i + 1;
        if (l->body_b != l->body_a) {
            l->next_at_b = w->fixed.first_loop[l->body_b];
            w->fixed.first_loop[l->body_b] = i + 1;
        }
        w->state.loop_state[i].on = 1;
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

/* Inertia of a link that a hinge carries by massless ones, for fv_rings(), which keeps a share of it (1 %): the mean
 * about its origin; at most twenty times its smallest principal one, so that 1 % is a fifth of the inertia that two
 * hinges at right angles always turn and a slender rod on a universal joint spins at the right rate. 4 det/tr^2 is the
 * smallest one or less. */
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
        w->fixed.ring[m->dof_iv[m->idof[b]]] = world_ring(m->inertia + 10*carried + 4);
        w->fixed.has_rings = 1;
    }
}

/* Bodies that float alone, their centres of mass and the inertia about them; a centre within rounding of the origin is
 * set to it. */
static void world_fill_singles(slip_world *w)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        w->fixed.free_single[b] = m->type[b] == SLIP_JOINT_FLOATING && m->parent[b] == 0;
        w->fixed.plane_single[b] = m->type[b] == SLIP_JOINT_PLANAR && m->parent[b] == 0;
    }
    for (b = 1; b < m->nbodies; ++b) w->fixed.free_single[m->parent[b]] = w->fixed.plane_single[m->parent[b]] = 0;
    for (b = 1; b < m->nbodies; ++b) {
        const slip_real *in = m->inertia + 10*b;
        slip_real *I = w->fixed.inertia_centre + 6*b, *out = w->fixed.inertia_inv + 6*b, *c = w->fixed.centre + 3*b;
        slip_real B[9] = { 0 }, mass;

        if (!w->fixed.free_single[b] && !w->fixed.plane_single[b]) continue;
        if (slip_norm3(in + 1) <= SLIP_TOL(1e-12, 1e-6)*slip_sqrt(in[0]*(in[4] + in[7] + in[9])))
            memcpy(I, in + 4, 6*sizeof *I);
        else {
            slip_inertia_to(in, &mass, c, I);
            w->fixed.has_offset = 1;
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

    for (b = 1; b < m->nbodies; ++b) w->fixed.body_tree[b] = m->parent[b] == 0 ? b : w->fixed.body_tree[m->parent[b]];
    w->fixed.only_tree = w->fixed.body_tree[m->nbodies - 1] == 1;    /* trees are contiguous */
    world_fill_singles(w);
    for (d = 0; d < m->ndofs; ++d) w->fixed.iv_body[m->dof_iv[d]] = m->dof_body[d];
    for (d = 0; d < m->nv; ++d) {
        w->fixed.has_friction |= m->friction[d] > 0;
        w->input.drives[d].effort = m->effort_limit[d];
        w->input.drives[d].implicit = 1;
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
        const size_t bytes = slip_world_bytes(def);

        slip_arena_release(mem, mark);
        if (bytes == 0)
            return slip_fail(err, SLIP_ERR_LIMIT, 0, 0, "a world of %d colliders, max_contacts %d and max_pairs %d is "
                             "larger than an address of this machine can tell", def->ncolliders,
                             slip_world_contact_room(def), world_pair_room(def));
        return slip_fail(err, s, 0, 0, "not enough memory for the world: it needs %z bytes", bytes);
    }
    if (w->fixed.nmaterials > 0)
        memcpy(w->fixed.materials, def->materials, (size_t)w->fixed.nmaterials*sizeof *def->materials);
    if (w->fixed.nmaterial_pairs > 0)
        memcpy(w->fixed.material_pairs, def->material_pairs,
               (size_t)w->fixed.nmaterial_pairs*sizeof *def->material_pairs);
    world_fill_colliders(w, def);
    world_fill_loops(w, def);
    world_fill_bodies(w);
    world_fill_rings(w);
    slip_neutral(w->model, w->state.q);
    s = slip_sim_law_begin(w, err);
    if (s != SLIP_OK) {
        slip_arena_release(mem, mark);
        return s;
    }
    w->fixed.fingerprint = slip_sim_fingerprint(w);
    *world = w;
    return SLIP_OK;
}
