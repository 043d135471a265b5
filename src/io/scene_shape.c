/* Shapes of robots and bodies with their hulls, masses of bodies from their shapes, and from these the world's
 * colliders, visuals and excluded pairs. */
#include "io/scene_private.h"

#include <string.h>
#include "geom/decompose.h"
#include "geom/mass.h"
#include "io/mesh.h"
#include "io/urdf_colliders.h"

/* Parts of a mesh with convex="decompose", and how much too much volume their hulls may have. */
enum { SHAPE_PARTS = 16 };
#define SHAPE_EXCESS SLIP_R(0.05)

/* ---- shapes ------------------------------------------------------------------------------------- */

/* The hull of a mesh file. One that is missing or cannot be read leaves shape->hull NULL: an error for a body of the
 * scene, a warning for a robot, whose meshes are others' files. `robot` is where the scene names it; NULL: none. */
static slip_status shape_load_hull(scene_reader *r, const slip_urdf_shape *u, const char *owner,
                                   const scene_placed *robot, slip_shape *shape)
{
    slip_hull *hull;
    slip_status s;

    if (robot)
        return slip_urdf_hull(owner, u, robot->line ? robot->line : u->line, robot->line ? robot->column : u->column,
                              r->mem, &shape->hull, r->u.report, r->u.err);
    if (!u->mesh_found)
        return slip_urdf_fail(&r->u, SLIP_ERR_FILE, u->line, u->column, "body '%s': mesh '%s' not found", owner,
                              u->mesh_path ? u->mesh_path : u->mesh_uri);
    hull = (slip_hull *)slip_arena_take(r->mem, 1, sizeof *hull);
    if (!hull) return slip_scene_full(r->u.err);
    s = slip_mesh_load_hull(u->mesh_path, u->size, 0, r->mem, hull, r->u.report, r->u.err);
    slip_error_set_file(r->u.err, s < 0 ? u->mesh_path : r->u.file);
    if (s < 0) return s;
    shape->hull = hull;
    return SLIP_OK;
}

static slip_status shape_convert(scene_reader *r, const slip_urdf_shape *u, const char *owner,
                                 const scene_placed *robot, slip_shape *shape)
{
    *shape = slip_urdf_shape_of(u);
    if (u->kind != SLIP_SHAPE_MESH || (u->role != SLIP_URDF_COLLISION && !u->points)) return SLIP_OK;
    return shape_load_hull(r, u, owner, robot, shape);
}

/* The parts of a mesh that is to be decomposed. One that is not closed, or cannot be read, has none: it stays whole. */
static slip_status shape_decompose(scene_reader *r, const slip_urdf_shape *u, const char *owner,
                                   slip_decomposition *out)
{
    const size_t high = slip_arena_mark_scratch(r->mem), low = slip_arena_mark(r->mem);
    slip_trimesh mesh, kept;
    slip_error why;
    slip_status s;

    memset(out, 0, sizeof *out);
    if (u->decompose != 1 || u->role != SLIP_URDF_COLLISION || !u->mesh_found || u->points) return SLIP_OK;
    slip_error_clear(&why);
    s = slip_mesh_load(u->mesh_path, u->size, r->mem, &mesh, NULL, NULL, &why);
    if (s >= 0) {                                              /* to scratch, so that the hulls come first */
        kept = mesh;
        kept.vertex = (slip_real *)slip_arena_scratch(r->mem, 3*(size_t)mesh.nv, sizeof(slip_real));
        kept.triangle = (int *)slip_arena_scratch(r->mem, 3*(size_t)mesh.nt, sizeof(int));
        if (!kept.vertex || !kept.triangle) return slip_scene_full(r->u.err);
        memcpy(kept.vertex, mesh.vertex, 3*(size_t)mesh.nv*sizeof(slip_real));
        memcpy(kept.triangle, mesh.triangle, 3*(size_t)mesh.nt*sizeof(int));
        slip_arena_release(r->mem, low);
        s = slip_decompose(&kept, SHAPE_PARTS, SHAPE_EXCESS, slip_mesh_tolerance(&kept), r->mem, out, &why);
    }
    slip_arena_release_scratch(r->mem, high);
    if (s == SLIP_ERR_WORKSPACE) return slip_scene_full(r->u.err);
    if (s == SLIP_OK) return s;
    memset(out, 0, sizeof *out);
    return slip_warn(r->u.report, r->u.err, u->line, u->column, "'%s': mesh '%s' is not decomposed: %s", owner,
                     u->mesh_path, s < 0 ? why.what : "it is not closed");
}

/* Puts the parts of decomposed meshes into the lists, each behind the first. Bodies' shapes follow (r's own only). */
static slip_status shape_expand(scene_reader *r, slip_urdf *urdf, const slip_decomposition *parts, int n,
                                slip_shape **shapes)
{
    slip_urdf_shape *list = (slip_urdf_shape *)slip_arena_take(r->mem, (size_t)n, sizeof *list);
    slip_shape *all = (slip_shape *)slip_arena_take(r->mem, (size_t)n, sizeof *all);
    int i, k, at = 0, b;

    if (!list || !all) return slip_scene_full(r->u.err);
    for (i = urdf->nshapes - 1; i >= 0 && urdf == &r->u.out; --i)    /* from the end: those before i are as read */
        for (b = 0; b < r->n.bodies; ++b) {
            scene_body *body = &r->bodies[b];
            const int more = parts[i].n > 1 ? parts[i].n - 1 : 0;

            if (i < body->first_shape) body->first_shape += more;
            else if (i < body->first_shape + body->nshapes) body->nshapes += more;
        }
    for (i = 0; i < urdf->nshapes; ++i)
        for (k = 0; k < (parts[i].n > 1 ? parts[i].n : 1); ++k, ++at) {
            list[at] = urdf->shapes[i];
            all[at] = (*shapes)[i];
            if (parts[i].n > 0) all[at].hull = &parts[i].part[k];
            if (k > 0) list[at].decompose = 2;
        }
    urdf->shapes = list;
    urdf->nshapes = n;
    *shapes = all;
    return SLIP_OK;
}

static slip_status shape_convert_all(scene_reader *r, slip_urdf *urdf, const scene_placed *robot, slip_shape **shapes)
{
    slip_decomposition *parts;
    slip_status s = SLIP_OK;
    int i, n = 0;

    *shapes = (slip_shape *)slip_arena_take(r->mem, (size_t)urdf->nshapes, sizeof **shapes);
    parts = (slip_decomposition *)slip_arena_take_zero(r->mem, (size_t)urdf->nshapes, sizeof *parts);
    if (!*shapes || !parts) return slip_scene_full(r->u.err);
    for (i = 0; i < urdf->nshapes && s == SLIP_OK; ++i) {
        const slip_urdf_shape *u = &urdf->shapes[i];

        s = shape_decompose(r, u, slip_urdf_owner(urdf, u), &parts[i]);
        if (s == SLIP_OK && parts[i].n > 0) (*shapes)[i] = slip_urdf_shape_of(u);
        else if (s == SLIP_OK) s = shape_convert(r, u, slip_urdf_owner(urdf, u), robot, &(*shapes)[i]);
        n += parts[i].n > 1 ? parts[i].n : 1;
    }
    if (s < 0) return s;
    for (i = 0; i < urdf->nshapes && parts[i].n == 0; ++i) { }
    return i < urdf->nshapes ? shape_expand(r, urdf, parts, n, shapes) : s;
}

/* Mass, centre and inertia of a body from its collision shapes, of one density all through. */
static slip_status shape_body_mass(scene_reader *r, const scene_body *b)
{
    const slip_real density = b->density > 0 ? b->density : 1000;
    slip_link_def *link = &r->u.out.def.links[b->link];
    slip_mass sum, part;
    int i;

    memset(&sum, 0, sizeof sum);
    for (i = b->first_shape; i < b->first_shape + b->nshapes; ++i) {
        const slip_urdf_shape *u = &r->u.out.shapes[i];

        if (u->role != SLIP_URDF_COLLISION) continue;
        if (slip_shape_mass(&r->shapes[i], density, &part) < 0) continue;
        slip_mass_transform(&part, &u->pose, &part);
        slip_mass_add(&sum, &part, &sum);
    }
    if (!(sum.mass > 0))
        return slip_fail(r->u.err, SLIP_ERR_MODEL, b->at.line, b->at.column,
                         "body '%s' has no collision shape with a volume, "
                         "so its mass and inertia must be given by an <inertial>", link->name);
    if (b->mass > 0) slip_mass_set(b->mass, &sum);
    link->mass = sum.mass;
    slip_copy3(sum.centre, link->com);
    memcpy(link->inertia, sum.inertia, sizeof link->inertia);
    return SLIP_OK;
}

slip_status slip_scene_shapes(scene_reader *r)
{
    slip_status s = shape_convert_all(r, &r->u.out, NULL, &r->shapes);
    int i;

    for (i = 0; i < r->n.robots && s == SLIP_OK; ++i)
        s = shape_convert_all(r, &r->robots[i].urdf, &r->robots[i].at, &r->robots[i].shapes);
    for (i = 0; i < r->n.bodies && s == SLIP_OK; ++i) {
        const scene_body *b = &r->bodies[i];

        if (!b->is_fixed && !b->has_inertial) s = shape_body_mass(r, b);
        else if (b->has_inertial && (b->mass > 0 || b->density > 0))
            s = slip_warn(r->u.report, r->u.err, b->at.line, b->at.column,
                          "body '%s': mass or density ignored beside its "
                          "<inertial>", r->u.out.def.links[b->link].name);
    }
    return s;
}

/* ---- colliders and visuals ---------------------------------------------------------------------- */

/* Writing lists of a length known before: the same walk counts (arrays NULL) and fills. */
typedef struct {
    slip_collider_def *colliders;
    slip_visual *visuals;
    int ncolliders, nvisuals;
} shape_lists;

static slip_status shape_surface(scene_reader *r, const scene_placed *at, int *index)
{
    int i;

    *index = 0;
    if (!at->surface.name) return SLIP_OK;
    for (i = 0; i < r->out.world.nmaterials; ++i)
        if (slip_text_equal(r->out.surfaces[i], at->surface.name)) {
            *index = i;
            return SLIP_OK;
        }
    return slip_fail(r->u.err, SLIP_ERR_MODEL, at->surface.line, at->surface.column,
                     "unknown surface '%s', expected the name of a <surface>", at->surface.name);
}

/* Velocity of a shape's surface, at its own origin and in its axes, from that of the thing that it is part of. */
static void shape_belt(const slip_real u[6], const slip_pose *pose, slip_real out[6])
{
    slip_real t[3];

    slip_copy3(u, t);
    slip_cross3_add(u + 3, pose->p, t);
    slip_mat3_tvec(pose->R, t, out);
    slip_mat3_tvec(pose->R, u + 3, out + 3);
}

static void shape_add_collider(shape_lists *out, const char *name, int link, const slip_shape *shape,
                               const slip_pose *pose, int surface, const scene_placed *at)
{
    slip_collider_def *c = out->colliders ? &out->colliders[out->ncolliders] : NULL;

    ++out->ncolliders;
    if (!c) return;
    c->name = name;
    c->link = link;
    c->shape = *shape;
    c->pose = *pose;
    c->material = surface;
    c->group = (unsigned)at->group;
    c->mask = (unsigned)at->mask;
    if (link < 0) memcpy(c->surface_velocity, at->surface_velocity, sizeof c->surface_velocity);   /* in its own axes */
    else shape_belt(at->surface_velocity, pose, c->surface_velocity);
}

static void shape_add_visual(shape_lists *out, int link, const slip_shape *shape, const slip_pose *pose,
                             const slip_real colour[4], const slip_urdf_shape *mesh)
{
    slip_visual *v = out->visuals ? &out->visuals[out->nvisuals] : NULL;

    ++out->nvisuals;
    if (!v) return;
    v->link = link;
    v->shape = *shape;
    v->pose = *pose;
    memcpy(v->colour, colour, sizeof v->colour);
    v->mesh_path = mesh && mesh->kind == SLIP_SHAPE_MESH && mesh->mesh_found && !mesh->points
                 ? mesh->mesh_path : NULL;
    slip_set3(1, 1, 1, v->mesh_scale);
    if (v->mesh_path) slip_copy3(mesh->size, v->mesh_scale);
    if (v->mesh_path && mesh->decompose) v->shape.hull = NULL; /* drawn whole, not as its first part */
}

/* A colour for a body that names none: six that are easy to tell apart. */
static const slip_real *shape_colour(const scene_placed *at, int number)
{
    static const slip_real palette[6][4] = {
        { SLIP_R(0.26), SLIP_R(0.47), SLIP_R(0.71), 1 }, { SLIP_R(0.85), SLIP_R(0.52), SLIP_R(0.20), 1 },
        { SLIP_R(0.36), SLIP_R(0.63), SLIP_R(0.36), 1 }, { SLIP_R(0.75), SLIP_R(0.32), SLIP_R(0.30), 1 },
        { SLIP_R(0.55), SLIP_R(0.45), SLIP_R(0.70), 1 }, { SLIP_R(0.80), SLIP_R(0.70), SLIP_R(0.30), 1 } };

    return at->has_colour ? at->colour : palette[number % 6];
}

/* One shape of a description, on a link of the merged one. */
static void shape_add(const slip_urdf *urdf, const slip_shape *shapes, int i, int link, const char *name, int surface,
                      const scene_placed *at, const slip_real *colour, int has_visuals, shape_lists *out)
{
    const slip_urdf_shape *u = &urdf->shapes[i];
    const int is_collider = u->role == SLIP_URDF_COLLISION && (u->kind != SLIP_SHAPE_MESH || shapes[i].hull);
    scene_placed own = *at;

    if (u->group) {                                            /* its file says which shapes it meets */
        own.group = (int)u->group;
        own.mask = (int)u->mask;
    }
    if (is_collider) shape_add_collider(out, u->name[0] ? u->name : name, link, &shapes[i], &u->pose, surface, &own);
    if (u->role == SLIP_URDF_VISUAL ? 1 : !has_visuals && u->decompose < 2)
        shape_add_visual(out, link, &shapes[i], &u->pose, colour ? colour : u->colour, u);
}

static int shape_has_visuals(const slip_urdf *urdf, int link)
{
    int i;

    for (i = 0; i < urdf->nshapes; ++i)
        if (urdf->shapes[i].link == link && urdf->shapes[i].role == SLIP_URDF_VISUAL) return 1;
    return 0;
}

static slip_status shape_robot(scene_reader *r, const scene_robot *robot, shape_lists *out)
{
    const slip_urdf *urdf = &robot->urdf;
    int surface, i;
    const slip_status s = shape_surface(r, &robot->at, &surface);

    for (i = 0; i < urdf->nshapes && s == SLIP_OK; ++i) {
        const int at = urdf->shapes[i].link, link = at < 0 ? -1 : robot->place.first_link + at;
        const int own = at < 0 ? 0 : robot->surface_of[at];

        shape_add(urdf, robot->shapes, i, link, link < 0 ? "world" : r->out.def.links[link].name,
                  own > 0 && !robot->at.surface.name ? own - 1 : surface, &robot->at,
                  robot->at.has_colour ? robot->at.colour : NULL, shape_has_visuals(urdf, urdf->shapes[i].link), out);
    }
    return s;
}

static slip_status shape_body(scene_reader *r, const scene_body *b, int number, shape_lists *out)
{
    const int copies = b->count[0]*b->count[1]*b->count[2], has_visuals = shape_has_visuals(&r->u.out, b->link);
    int surface, i, k;
    const slip_status s = shape_surface(r, &b->at, &surface);

    for (k = 0; k < copies && s == SLIP_OK; ++k)
        for (i = b->first_shape; i < b->first_shape + b->nshapes; ++i) {
            const int is_visual = r->u.out.shapes[i].role == SLIP_URDF_VISUAL;

            shape_add(&r->u.out, r->shapes, i, b->first_link + k, r->out.def.links[b->first_link + k].name, surface,
                      &b->at, is_visual ? NULL : shape_colour(&b->at, number), has_visuals, out);
        }
    return s;
}

static slip_status shape_ground(scene_reader *r, const scene_ground *g, shape_lists *out)
{
    static const slip_real grey[4] = { SLIP_R(0.82), SLIP_R(0.82), SLIP_R(0.80), 1 };
    int surface;
    const slip_status s = shape_surface(r, &g->at, &surface);

    if (s < 0) return s;
    shape_add_collider(out, g->shape.kind == SLIP_SHAPE_HALFSPACE ? "ground" : "terrain", -1, &g->shape, &g->at.origin,
                       surface, &g->at);
    shape_add_visual(out, -1, &g->shape, &g->at.origin, g->at.has_colour ? g->at.colour : grey, NULL);
    return SLIP_OK;
}

static slip_status shape_walk(scene_reader *r, shape_lists *out)
{
    slip_status s = SLIP_OK;
    int i;

    out->ncolliders = out->nvisuals = 0;
    for (i = 0; i < r->n.grounds && s == SLIP_OK; ++i) s = shape_ground(r, &r->grounds[i], out);
    for (i = 0; i < r->n.robots && s == SLIP_OK; ++i) s = shape_robot(r, &r->robots[i], out);
    for (i = 0; i < r->n.bodies && s == SLIP_OK; ++i) s = shape_body(r, &r->bodies[i], i, out);
    return s;
}

/* ---- excluded pairs ----------------------------------------------------------------------------- */

typedef struct { int (*pairs)[2]; int n; } shape_pairs;

static void shape_exclude(shape_pairs *out, int a, int b)
{
    if (out->pairs) {
        out->pairs[out->n][0] = a;
        out->pairs[out->n][1] = b;
    }
    ++out->n;
}

/* <exclude>: every link that matches a with every link that matches b. */
static slip_status shape_written_excludes(scene_reader *r, shape_pairs *out)
{
    const slip_model_def *def = &r->out.def;
    int e, i, k;

    for (e = 0; e < r->n.excludes; ++e) {
        const scene_exclude *x = &r->excludes[e];
        const int before = out->n;

        for (i = 0; i < def->nlinks; ++i) {
            if (!slip_text_matches(x->a.name, def->links[i].name)) continue;
            for (k = 0; k < def->nlinks; ++k)
                if (k != i && slip_text_matches(x->b.name, def->links[k].name)) shape_exclude(out, i, k);
        }
        if (out->n == before)
            return slip_fail(r->u.err, SLIP_ERR_MODEL, x->a.line, x->a.column, "no pair of links matches '%s' and '%s'",
                             x->a.name, x->b.name);
        if (out->n > 1000000)
            return slip_fail(r->u.err, SLIP_ERR_LIMIT, x->a.line, x->a.column, "more than a million excluded pairs");
    }
    return SLIP_OK;
}

/* Whether a body carries mass; bodies without are the insides of joints with several freedoms. */
static int shape_has_mass(const slip_model *m, int body)
{
    return m->body_mass[body] > 0;
}

/* The body at the root of a body's tree; 0 for the world. */
static int shape_root(const slip_model *m, int body)
{
    while (m->parent[body] > 0) body = m->parent[body];
    return body;
}

/* The robot a link belongs to; -1 for the scene's own bodies. */
static int shape_robot_of(const scene_reader *r, int link)
{
    int i;

    for (i = 0; i < r->n.robots; ++i)
        if (link >= r->robots[i].place.first_link
            && link < r->robots[i].place.first_link + r->robots[i].place.nlinks) return i;
    return -1;
}

/* Parent and child with only massless bodies between them count as neighbours: a shoulder made of three hinges is one
 * joint; and so does a robot's fixed base with what moves on it, but not ground that its file brings. The world leaves
 * out other parents and children by itself. */
static void shape_neighbour_excludes(scene_reader *r, shape_pairs *out)
{
    const slip_model *m = r->out.model;
    int i, k;

    if (r->out.world.options.parent_child) return;
    for (i = 0; i < m->nlinks; ++i) {
        const int body = m->link_body[i], robot = shape_robot_of(r, i);
        int above = body > 0 ? m->parent[body] : 0;

        if (body == 0 || robot < 0 || (above > 0 && (shape_has_mass(m, above) || !shape_has_mass(m, body)))) continue;
        while (above > 0 && !shape_has_mass(m, above)) above = m->parent[above];
        for (k = 0; k < m->nlinks; ++k)
            if (m->link_body[k] == above && shape_robot_of(r, k) == robot
                && !r->robots[robot].is_ground[k - r->robots[robot].place.first_link]) shape_exclude(out, i, k);
    }
}

/* With self="false" no two links of a robot collide. The world leaves out those of one tree; here are the others: a
 * base that is fixed to the world, and the trees that stand on it. */
static void shape_self_excludes(scene_reader *r, shape_pairs *out)
{
    const slip_model *m = r->out.model;
    int k, a, b;

    if (r->out.world.options.self) return;
    for (k = 0; k < r->n.robots; ++k) {
        const int first = r->robots[k].place.first_link, end = first + r->robots[k].place.nlinks;

        for (a = first; a < end; ++a)
            for (b = a + 1; b < end; ++b)
                if (shape_root(m, m->link_body[a]) != shape_root(m, m->link_body[b])) shape_exclude(out, a, b);
    }
}

/* ---- into the world's description --------------------------------------------------------------- */

/* The pairs of robots' SRDF files. */
static slip_status shape_srdf_excludes(scene_reader *r, shape_pairs *out)
{
    int i, k;

    for (i = 0; i < r->n.robots; ++i)
        for (k = 0; k < r->robots[i].srdf.npairs; ++k) {
            const slip_srdf_pair *p = &r->robots[i].srdf.pairs[k];
            const int a = slip_scene_find_link(r, i, p->a), b = slip_scene_find_link(r, i, p->b);
            slip_status s = SLIP_OK;

            if (a >= 0 && b >= 0) shape_exclude(out, a, b);
            else if (!out->pairs)
                s = slip_warn(r->u.report, r->u.err, r->robots[i].srdf_file.line, r->robots[i].srdf_file.column,
                              "srdf, line %d: there is no link '%s'", p->line, a < 0 ? p->a : p->b);
            if (s < 0) return s;
        }
    return SLIP_OK;
}

/* Pairs that robots' own files exclude. */
static void shape_own_excludes(scene_reader *r, shape_pairs *out)
{
    int i, k;

    for (i = 0; i < r->n.robots; ++i) {
        const slip_robot_extras *e = &r->robots[i].urdf.extras;
        const int first = r->robots[i].place.first_link;

        for (k = 0; k < e->nexcludes; ++k)
            if (e->excludes[k][0] >= 0 && e->excludes[k][1] >= 0)
                shape_exclude(out, first + e->excludes[k][0], first + e->excludes[k][1]);
    }
}

static slip_status shape_all_excludes(scene_reader *r, shape_pairs *out)
{
    slip_status s = shape_written_excludes(r, out);

    if (s == SLIP_OK) s = shape_srdf_excludes(r, out);
    if (s < 0) return s;
    shape_own_excludes(r, out);
    shape_neighbour_excludes(r, out);
    shape_self_excludes(r, out);
    return SLIP_OK;
}

static slip_status shape_take_excludes(scene_reader *r)
{
    shape_pairs list = { NULL, 0 };
    int (*more)[2] = NULL, (*all)[2], nmore = 0, n, i;
    slip_status s = shape_all_excludes(r, &list);

    if (s < 0) return s;
    n = list.n;
    list.pairs = (int (*)[2])slip_arena_scratch(r->mem, (size_t)n, sizeof *list.pairs);
    if (!list.pairs) return slip_scene_full(r->u.err);
    list.n = 0;
    shape_all_excludes(r, &list);
    s = slip_scene_overlaps(r, (const int (*)[2])list.pairs, n, &more, &nmore);
    if (s < 0) return s;
    r->out.world.nexcludes = n + nmore;
    all = (int (*)[2])slip_arena_take(r->mem, (size_t)n + (size_t)nmore, sizeof *all);
    if (!all) return slip_scene_full(r->u.err);
    for (i = 0; i < n + nmore; ++i) memcpy(all[i], i < n ? list.pairs[i] : more[i - n], sizeof *all);
    r->out.world.excludes = (const int (*)[2])all;
    return SLIP_OK;
}

/* The files of meshes are inputs of the scene, drawn or not. */
static slip_status shape_inputs(scene_reader *r, const slip_urdf *from)
{
    slip_status s = SLIP_OK;
    int i;

    for (i = 0; i < from->nshapes && s == SLIP_OK; ++i)
        if (from->shapes[i].mesh_path && from->shapes[i].mesh_found)
            s = slip_scene_input_add(r, from->shapes[i].mesh_path);
    return s;
}

slip_status slip_scene_colliders(scene_reader *r)
{
    shape_lists list = { NULL, NULL, 0, 0 };
    slip_status s = shape_walk(r, &list);
    int i;

    if (s == SLIP_OK) s = shape_inputs(r, &r->u.out);
    for (i = 0; i < r->n.robots && s == SLIP_OK; ++i) s = shape_inputs(r, &r->robots[i].urdf);
    if (s < 0) return s;
    list.colliders = (slip_collider_def *)slip_arena_take_zero(r->mem, (size_t)list.ncolliders, sizeof *list.colliders);
    list.visuals = (slip_visual *)slip_arena_take_zero(r->mem, (size_t)list.nvisuals, sizeof *list.visuals);
    if (!list.colliders || !list.visuals) return slip_scene_full(r->u.err);
    shape_walk(r, &list);
    r->out.world.ncolliders = list.ncolliders;
    r->out.world.colliders = list.colliders;
    r->out.nvisuals = list.nvisuals;
    r->out.visuals = list.visuals;
    if (!r->out.has_max_contacts) r->out.world.options.max_contacts = slip_world_contact_room(&r->out.world);
    return shape_take_excludes(r);
}
