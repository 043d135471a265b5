/* See scene.h. Entry points: count, take memory, read, merge, resolve; and starting a world. */
#include "io/scene.h"

#include <string.h>
#include "io/file.h"
#include "io/scene_private.h"

/* ---- counting ----------------------------------------------------------------------------------- */

/* Counts the memory that an element may need, wherever it stands; counting too much is harmless. */
static void scene_count_element(const slip_xml *x, scene_reader *r)
{
    scene_counts *n = &r->room;

    n->robots += slip_xml_is(x, "robot");
    n->bodies += slip_xml_is(x, "body");
    n->grounds += slip_xml_is(x, "ground") || slip_xml_is(x, "terrain");
    n->surfaces += slip_xml_is(x, "surface");
    n->pairs += slip_xml_is(x, "surface_pair");
    n->excludes += slip_xml_is(x, "exclude");
    n->loops += slip_xml_is(x, "loop") || slip_xml_is(x, "spring");
    n->joints += slip_xml_is(x, "joint");
    n->drives += slip_xml_is(x, "drive");
    n->events += slip_xml_is(x, "push") || slip_xml_is(x, "release") || slip_xml_is(x, "close")
              || slip_xml_is(x, "target") || slip_xml_is(x, "set_velocity");
    n->moves += slip_xml_is(x, "move");
    r->u.room.shapes += slip_xml_is(x, "collision") || slip_xml_is(x, "visual") || slip_xml_is(x, "geometry");
    r->u.room.materials += slip_xml_is(x, "material");
}

static slip_status scene_check_root(const slip_xml *x, slip_error *err)
{
    if (slip_xml_is(x, "scene")) return SLIP_OK;
    return slip_fail(err, SLIP_ERR_PARSE, x->line, x->column, "root element is <%.*s>%s, expected <scene>",
                     slip_xml_shown(x->full), x->full.text,
                     slip_xml_is(x, "robot") ? " (a URDF: name it in a scene by <robot file=\"…\"/>)" :
                     slip_xml_is(x, "mujoco") ? " (an MJCF file)" : slip_xml_is(x, "sdf") ? " (an SDF file)" : "");
}

static slip_status scene_count(scene_reader *r, const char *text, size_t length)
{
    slip_xml *x = r->u.xml;
    slip_status s = slip_xml_begin(x, text, length, r->u.err);

    while (s == SLIP_OK) {
        s = slip_xml_next(x, r->u.err);
        if (s < 0 || x->event == SLIP_XML_DONE) break;
        if (x->event != SLIP_XML_START) continue;
        if (x->depth == 1) s = scene_check_root(x, r->u.err);
        scene_count_element(x, r);
    }
    r->u.room.links = r->room.bodies;
    /* a value's quotes make room for its terminator; a mesh's name is kept twice, once as a path */
    r->u.room.kept_text = 2*length + (size_t)r->u.room.shapes*slip_urdf_mesh_room(r->u.opt, r->u.file);
    return s;
}

/* ---- memory ------------------------------------------------------------------------------------- */

static void *scene_scratch(slip_arena *mem, int n, size_t size)
{
    return slip_arena_scratch(mem, (size_t)n, size);
}

/* Takes memory: lists as written go to scratch, and the scene later copies what it keeps of them; names and shapes are
 * lasting. */
static int scene_carve(scene_reader *r)
{
    slip_arena *mem = r->mem;
    const int failed = mem->failed;
    int full;

    mem->failed = 0;
    r->u.out.def.links = (slip_link_def *)slip_arena_take_zero(mem, (size_t)r->u.room.links, sizeof(slip_link_def));
    r->u.out.shapes = (slip_urdf_shape *)slip_arena_take_zero(mem, (size_t)r->u.room.shapes, sizeof(slip_urdf_shape));
    r->u.kept.at = (char *)slip_arena_take(mem, r->u.room.kept_text, 1);
    r->u.kept.left = r->u.room.kept_text;
    r->u.links = (slip_urdf_ref *)scene_scratch(mem, r->u.room.links, sizeof(slip_urdf_ref));
    r->u.materials = (slip_urdf_material *)scene_scratch(mem, r->u.room.materials, sizeof(slip_urdf_material));
    r->robots = (scene_robot *)scene_scratch(mem, r->room.robots, sizeof(scene_robot));
    r->bodies = (scene_body *)scene_scratch(mem, r->room.bodies, sizeof(scene_body));
    r->grounds = (scene_ground *)scene_scratch(mem, r->room.grounds, sizeof(scene_ground));
    r->surfaces = (scene_surface *)scene_scratch(mem, r->room.surfaces, sizeof(scene_surface));
    r->pairs = (scene_pair *)scene_scratch(mem, r->room.pairs, sizeof(scene_pair));
    r->excludes = (scene_exclude *)scene_scratch(mem, r->room.excludes, sizeof(scene_exclude));
    r->loops = (scene_loop *)scene_scratch(mem, r->room.loops, sizeof(scene_loop));
    r->joints = (scene_joint *)scene_scratch(mem, r->room.joints, sizeof(scene_joint));
    r->drives = (scene_joint *)scene_scratch(mem, r->room.drives, sizeof(scene_joint));
    r->events = (scene_event *)scene_scratch(mem, r->room.events, sizeof(scene_event));
    r->moves = (scene_move *)scene_scratch(mem, r->room.moves, sizeof(scene_move));
    full = mem->failed;
    mem->failed = failed || full;
    return !full;
}

/* ---- reading ------------------------------------------------------------------------------------ */

slip_status slip_scene_full(slip_error *err)
{
    return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "scene does not fit into the arena");
}

static void scene_defaults(scene_reader *r)
{
    slip_camera *c = &r->out.camera;

    r->robot = -1;
    r->out.name = r->out.about = "";
    r->out.duration = 2;
    r->out.def.gravity[2] = SLIP_R(-9.81);
    r->out.world.options = slip_world_defaults();
    slip_set3(2, -3, SLIP_R(1.5), c->eye);
    slip_set3(0, 0, SLIP_R(0.3), c->target);
    c->fov = 40;
    c->follow = -1;
}

static slip_status scene_read_in(scene_reader *r, const char *text, size_t length)
{
    slip_status s;

    r->u.xml = (slip_xml *)slip_arena_scratch(r->mem, 1, sizeof(slip_xml));
    if (!r->u.xml) return slip_scene_full(r->u.err);
    s = scene_count(r, text, length);
    if (s < 0) return s;
    if (!scene_carve(r)) return slip_scene_full(r->u.err);
    r->out.file = slip_arena_text(r->mem, r->u.file, strlen(r->u.file));
    if (!r->out.file) return slip_scene_full(r->u.err);
    s = slip_xml_begin(r->u.xml, text, length, r->u.err);
    if (s == SLIP_OK) s = slip_xml_next(r->u.xml, r->u.err);
    if (s == SLIP_OK && r->solver) s = slip_solver_check(r->solver, &r->out.world.options.solve, r->u.err);
    if (s == SLIP_OK) s = slip_scene_read_root(r);
    if (r->solver) r->out.world.options.solver = r->solver;
    if (s == SLIP_OK) s = slip_scene_merge(r);
    if (s >= 0) s = slip_scene_resolve(r);
    return s;
}

slip_scene_options slip_scene_defaults(void)
{
    slip_scene_options o;

    o.seed = 0;
    o.package_paths = NULL;
    o.npackage_paths = 0;
    o.solver = NULL;
    o.registry = NULL;
    o.repair_armature = SLIP_REPAIR_ARMATURE;
    o.robot_text = NULL;
    o.robot_length = 0;
    return o;
}

slip_status slip_scene_read(const char *text, size_t length, const char *file, const slip_scene_options *opt,
                            slip_arena *mem, slip_scene *scene, slip_report *report, slip_error *err)
{
    slip_urdf_options urdf = slip_urdf_defaults();
    const slip_scene_options defaults = slip_scene_defaults();
    const size_t low = slip_arena_mark(mem), high = slip_arena_mark_scratch(mem);
    scene_reader *r;
    slip_error local;
    slip_status s;

    if (slip_arena_is_counting(mem))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "a counting arena holds no scene");
    if (!err) err = &local;
    slip_error_clear(err);
    slip_error_set_file(err, file ? file : "");
    r = (scene_reader *)slip_arena_scratch(mem, 1, sizeof *r);
    if (!r) return slip_scene_full(err);
    memset(r, 0, sizeof *r);
    if (!opt) opt = &defaults;
    urdf.package_paths = opt->package_paths;
    urdf.npackage_paths = opt->npackage_paths;
    r->seed = opt->seed;
    r->solver = opt->solver;
    r->registry = opt->registry;
    r->out.def.repair_armature = opt->repair_armature;
    r->robot_text = opt->robot_text;
    r->robot_length = opt->robot_length;
    r->u.opt = &urdf;
    r->u.file = file ? file : "";
    r->u.report = report;
    r->u.err = err;
    r->mem = mem;
    scene_defaults(r);
    s = scene_read_in(r, text, length);
    if (s >= 0) *scene = r->out;
    else slip_arena_release(mem, low);
    slip_arena_release_scratch(mem, high);
    return s;
}

slip_status slip_scene_load(const char *path, const slip_scene_options *opt, slip_arena *mem, slip_scene *scene,
                            slip_report *report, slip_error *err)
{
    const size_t high = slip_arena_mark_scratch(mem);
    size_t length = 0;
    char *text = NULL;
    slip_status s = slip_file_read(path, SLIP_XML_MAX_BYTES, mem, &text, &length, err);

    if (s == SLIP_OK) s = slip_scene_read(text, length, path, opt, mem, scene, report, err);
    slip_arena_release_scratch(mem, high);
    return s;
}

/* ---- a world ------------------------------------------------------------------------------------ */

void slip_scene_reset(const slip_scene *scene, slip_world *world)
{
    const slip_model *m = scene->model;
    int i;

    memcpy(slip_world_q(world), scene->q, (size_t)m->nq*sizeof(slip_real));
    memcpy(slip_world_v(world), scene->v, (size_t)m->nv*sizeof(slip_real));
    memset(slip_world_tau(world), 0, (size_t)m->nv*sizeof(slip_real));
    memset(slip_world_wrench(world), 0, (size_t)m->nbodies*6*sizeof(slip_real));
    for (i = 0; i < m->nv; ++i) *slip_world_drive(world, i) = scene->drives[i];
    for (i = 0; i < scene->world.nloops; ++i) slip_world_set_loop(world, i, 1);
    for (i = 0; i < scene->nmoves; ++i) {
        const int joint = scene->moves[i].joint, body = m->joint_body[joint];

        slip_world_prescribe(world, joint, scene->q + m->iq[body], scene->v + m->dof_iv[m->idof[body]]);
    }
}

/* The name of the thing a collider belongs to. */
static const char *scene_side_name(const slip_scene *scene, int collider)
{
    const slip_collider_def *c = &scene->world.colliders[collider];

    return c->link < 0 ? c->name : scene->def.links[c->link].name;
}

/* Line and column of the later of the two elements that two colliders belong to; a ground has none. */
static void scene_later_place(const slip_scene *scene, int a, int b, int *line, int *column)
{
    const int link[2] = { scene->world.colliders[a].link, scene->world.colliders[b].link };
    int i;

    *line = *column = 0;
    for (i = 0; i < 2; ++i) {
        const slip_link_def *l = link[i] >= 0 ? &scene->def.links[link[i]] : NULL;

        if (!l || l->line < *line || (l->line == *line && l->column < *column)) continue;
        *line = l->line;
        *column = l->column;
    }
}

enum { SCENE_MOST_OVERLAPS = 10 };    /* warnings of overlaps at the start, in detail */

/* Warns of overlaps at the start, once per pair, with its deepest contact. The contacts of a pair are adjacent; only
 * when contacts were dropped, which is warned of too, may a pair be reported twice. */
static slip_status scene_check_overlaps(const slip_scene *scene, slip_world *world, slip_report *report,
                                        slip_error *err)
{
    const slip_real tolerance = SCENE_OVERLAP;
    const int n = slip_contact_count(world);
    int i, k, shown = 0;
    slip_status s = SLIP_OK;

    for (i = 0; i < n && s == SLIP_OK; i = k) {
        const slip_contact_info c = slip_contact_get(world, i);
        slip_real depth = -c.gap;
        int line, column;

        for (k = i + 1; k < n; ++k) {
            const slip_contact_info o = slip_contact_get(world, k);

            if (o.collider_a != c.collider_a || o.collider_b != c.collider_b) break;
            depth = slip_max(depth, -o.gap);
        }
        if (!(depth > tolerance) || ++shown > SCENE_MOST_OVERLAPS) continue;
        scene_later_place(scene, c.collider_a, c.collider_b, &line, &column);
        s = slip_warn(report, err, line, column, "'%s' and '%s' overlap by %.3g mm at the start",
                      scene_side_name(scene, c.collider_a), scene_side_name(scene, c.collider_b),
                      1000*(double)depth);
    }
    if (s == SLIP_OK && shown > SCENE_MOST_OVERLAPS)
        s = slip_warn(report, err, scene->line, scene->column,
                      "%d more pairs overlap at the start", shown - SCENE_MOST_OVERLAPS);
    return s;
}

/* A tree that moves: its root body, 0 without any, and its mass. */
typedef struct { int root; slip_real mass; } scene_tree;

/* The lightest tree that moves and has a mass, and the heaviest. A tree's bodies are contiguous. */
static void scene_extremes(const slip_model *m, scene_tree *light, scene_tree *heavy)
{
    int b = 1;

    light->root = heavy->root = 0;
    light->mass = heavy->mass = 1;
    while (b < m->nbodies) {
        scene_tree t = { b, 0 };

        for (; b < m->nbodies && (b == t.root || m->parent[b] >= t.root); ++b) t.mass += m->inertia[10*b];
        if (t.mass > 0 && (light->root == 0 || t.mass < light->mass)) *light = t;
        if (t.mass > 0 && (heavy->root == 0 || t.mass > heavy->mass)) *heavy = t;
    }
}

slip_real slip_scene_mass_ratio(const slip_scene *scene)
{
    scene_tree light, heavy;

    scene_extremes(scene->model, &light, &heavy);
    return heavy.mass/light.mass;
}

/* Warns, in single precision, of mass ratios too large for the tolerance: two stacked boxes of ratio 1 : 100 are solved
 * to 1e-4 in each step, of 1 : 300 in all but three steps of 1000, of 1 : 1000 in less than half. */
static slip_status scene_check_masses(const slip_scene *scene, slip_report *report, slip_error *err)
{
    const slip_real most = SLIP_TOL(INFINITY, 999);
    const slip_model *m = scene->model;
    const slip_link_def *link;
    scene_tree light, heavy;

    scene_extremes(m, &light, &heavy);
    if (!(heavy.mass > most*light.mass)) return SLIP_OK;
    link = &scene->def.links[m->body_link[light.root]];
    return slip_warn(report, err, link->line, link->column, "'%s' has %.4g kg and '%s' %.4g kg: in single precision, "
                     "contacts of so different masses miss their tolerance; a build with REAL=double does not",
                     link->name, (double)light.mass, scene->def.links[m->body_link[heavy.root]].name,
                     (double)heavy.mass);
}

/* The weight t [J] of ccp-barrier in this scene: the scene's or the caller's, else 1e-4 m (g dt)^2 with the mass of the
 * lightest tree. A body at rest under a barrier departs at about sqrt(t/m): with TO's 0.1 J, meant for a humanoid and
 * steps of 10 ms, a kilogram departs at 0.3 m/s in every step; with this weight at a hundredth of g dt. */
static slip_real scene_barrier(const slip_scene *scene)
{
    const slip_solver_options usual = slip_solver_defaults();
    const slip_real given = scene->world.options.solve.barrier, fall = slip_norm3(scene->def.gravity);
    scene_tree light, heavy;
    slip_real v;

    if (scene->has_barrier || given < usual.barrier || given > usual.barrier) return given;
    v = (fall > 0 ? fall : SLIP_R(9.81))*scene->world.options.dt;
    scene_extremes(scene->model, &light, &heavy);
    return slip_max(SLIP_R(1e-4)*light.mass*v*v, SLIP_TOL(1e-30, 1e-20));
}

slip_status slip_scene_start(const slip_scene *scene, slip_arena *mem, slip_world **world, slip_report *report,
                             slip_error *err)
{
    const size_t low = slip_arena_mark(mem);
    slip_world_def def = scene->world;
    slip_world *w;
    slip_error local;
    slip_status s;

    if (!err) err = &local;
    slip_error_clear(err);
    slip_error_set_file(err, scene->file);
    def.options.solve.barrier = scene_barrier(scene);
    s = slip_world_create(&def, mem, &w, NULL, err);            /* its own warnings are about another state */
    if (s < 0) return s;
    slip_scene_reset(scene, w);
    s = slip_world_update(w);
    if (s < 0) slip_fail(err, s, scene->line, scene->column, "the starting state: %s", slip_world_error(w)->what);
    if (s == SLIP_DROPPED)
        s = slip_warn(report, err, scene->line, scene->column, "%s", slip_world_error(w)->what);
    if (s >= 0) s = scene_check_overlaps(scene, w, report, err);
    if (s >= 0) s = scene_check_masses(scene, report, err);
    if (s < 0) {
        slip_arena_release(mem, low);
        return s;
    }
    *world = w;
    return SLIP_OK;
}

int slip_scene_make_room(slip_scene *scene, const slip_world *world)
{
    enum { MOST_CONTACTS = 100000, MOST_PAIRS = 10000000 };
    const slip_step_stats *t = slip_world_stats(world);
    slip_world_options *o = &scene->world.options;
    const int contacts = 2*(t->contacts + t->dropped), pairs = 2*(t->pairs + t->dropped_pairs);
    int raised = 0;

    if (contacts > o->max_contacts && !scene->has_max_contacts && o->max_contacts < MOST_CONTACTS) {
        o->max_contacts = contacts < MOST_CONTACTS ? contacts : MOST_CONTACTS;
        raised = 1;
    }
    if (t->dropped_pairs > 0 && pairs > o->max_pairs && !scene->has_max_pairs && o->max_pairs < MOST_PAIRS) {
        o->max_pairs = pairs < MOST_PAIRS ? pairs : MOST_PAIRS;
        raised = 1;
    }
    return raised;
}

slip_status slip_scene_load_world(const char *path, slip_arena *mem, slip_world **world, slip_report *report,
                                  slip_error *err)
{
    const size_t low = slip_arena_mark(mem);
    slip_scene *scene = (slip_scene *)slip_arena_take(mem, 1, sizeof *scene);
    size_t read;
    slip_status s;

    if (!scene) return slip_scene_full(err);
    s = slip_scene_load(path, NULL, mem, scene, report, err);
    read = slip_arena_mark(mem);
    if (s >= 0) s = slip_scene_start(scene, mem, world, NULL, err);
    while (s >= 0 && slip_scene_make_room(scene, *world)) {
        slip_arena_release(mem, read);
        s = slip_scene_start(scene, mem, world, NULL, err);
    }
    if (s >= 0) {
        slip_arena_release(mem, read);
        s = slip_scene_start(scene, mem, world, report, err);
    }
    if (s < 0) {
        slip_arena_release(mem, low);
        return s;
    }
    slip_world_set_control(*world, slip_scene_control, scene);
    return SLIP_OK;
}
