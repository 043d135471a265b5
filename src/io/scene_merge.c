/* One forest out of many parts: robots are loaded and appended with their prefix, bodies multiplied, each tree is
 * hung on a joint from the world, and the model is built. */
#include "io/mjcf.h"
#include "io/scene_private.h"

#include <string.h>

/* ---- appending a description -------------------------------------------------------------------- */

static const char *merge_name(slip_arena *mem, const char *prefix, const char *name)
{
    const size_t n = strlen(prefix), m = strlen(name);
    char *text = (char *)slip_arena_take(mem, n + m + 1, 1);

    if (!text || slip_arena_is_counting(mem)) return text;
    memcpy(text, prefix, n);
    memcpy(text + n, name, m + 1);
    return text;
}

/* Copies a description's links and joints behind those of `into`, whose arrays have room: names prefixed, indices
 * shifted, places set to line and column (0: as they are). SLIP_ERR_WORKSPACE leaves `into` unchanged. */
static slip_status merge_append(const slip_model_def *part, const char *prefix, int line, int column, slip_arena *mem,
                                slip_model_def *into)
{
    const int link0 = into->nlinks, joint0 = into->njoints;
    int i;

    for (i = 0; i < part->nlinks; ++i) {
        slip_link_def *l = &into->links[link0 + i];

        *l = part->links[i];
        l->name = merge_name(mem, prefix, l->name);
        if (line > 0) {
            l->line = line;
            l->column = column;
        }
        if (!l->name) return SLIP_ERR_WORKSPACE;
    }
    for (i = 0; i < part->njoints; ++i) {
        slip_joint_def *j = &into->joints[joint0 + i];

        *j = part->joints[i];
        j->name = merge_name(mem, prefix, j->name);
        if (line > 0) {
            j->line = line;
            j->column = column;
        }
        j->child += link0;
        if (j->parent >= 0) j->parent += link0;
        if (j->mimic >= 0) j->mimic += joint0;
        if (!j->name) return SLIP_ERR_WORKSPACE;
    }
    into->nlinks += part->nlinks;
    into->njoints += part->njoints;
    return SLIP_OK;
}

/* ---- robots ------------------------------------------------------------------------------------- */

slip_status slip_scene_input_add(scene_reader *r, const char *path)
{
    slip_scene_input *input = (slip_scene_input *)slip_arena_take(r->mem, 1, sizeof *input);

    if (!input) return slip_scene_full(r->u.err);
    input->path = path;
    input->next = r->out.inputs;
    r->out.inputs = input;
    return SLIP_OK;
}

char *slip_scene_path(scene_reader *r, const char *name)
{
    const char *slash = strrchr(r->u.file, '/');
    const size_t n = slash && name[0] != '/' ? (size_t)(slash - r->u.file) + 1 : 0, m = strlen(name);
    char *path = (char *)slip_arena_take(r->mem, n + m + 1, 1);

    if (!path) return NULL;
    memcpy(path, r->u.file, n);
    memcpy(path + n, name, m + 1);
    return slip_scene_input_add(r, path) == SLIP_OK ? path : NULL;
}

/* Groups of a robot's own shapes hold where it is the only one and the scene gives it none: bits of two robots mean
 * different things. */
static void merge_groups(const scene_reader *r, scene_robot *robot)
{
    int i;

    if (r->n.robots == 1 && robot->at.group == 1 && robot->at.mask == -1) return;
    for (i = 0; i < robot->urdf.nshapes; ++i) robot->urdf.shapes[i].group = 0;
}

static slip_status merge_load_robot(scene_reader *r, scene_robot *robot)
{
    const char *path = slip_scene_path(r, robot->file.name);
    char why[256];
    slip_status s;

    if (!path) return slip_scene_full(r->u.err);
    if (r->robot_text)
        s = slip_robot_read(r->robot_text, r->robot_length, r->u.file, r->u.opt, r->mem, &robot->urdf, r->u.report,
                            r->u.err);
    else
        s = slip_robot_load(path, r->u.opt, r->mem, &robot->urdf, r->u.report, r->u.err);
    if (s == SLIP_ERR_FILE) {
        slip_format(why, (int)sizeof why, "%s", r->u.err->what);
        slip_error_set_file(r->u.err, r->u.file);
        return slip_urdf_fail(&r->u, s, robot->file.line, robot->file.column, "robot file '%s': %s", path, why);
    }
    if (s < 0) return s;                                       /* speaks of the URDF's own lines */
    merge_groups(r, robot);
    robot->surface_of = (int *)slip_arena_take_zero(r->mem, (size_t)robot->urdf.def.nlinks, sizeof(int));
    if (!robot->surface_of) return slip_scene_full(r->u.err);
    robot->place.file = path;
    robot->start = slip_arena_reals(r->mem, (size_t)robot->urdf.def.njoints);
    if (!robot->start) return slip_scene_full(r->u.err);
    if (robot->srdf_file.name) {
        const char *srdf = slip_scene_path(r, robot->srdf_file.name);

        if (!srdf) return slip_scene_full(r->u.err);
        s = slip_srdf_load(srdf, r->mem, &robot->srdf, r->u.report, r->u.err);
        if (s < 0) return s;
    }
    slip_error_set_file(r->u.err, r->u.file);
    return SLIP_OK;
}

/* The joint between the world and a tree's root. */
static slip_joint_def merge_root_joint(const char *name, int is_free, int root, const slip_pose *origin, int line,
                                       int column)
{
    slip_joint_def j = slip_joint_defaults();

    j.name = name;
    j.type = is_free ? SLIP_JOINT_FLOATING : SLIP_JOINT_FIXED;
    j.parent = -1;
    j.child = root;
    j.line = line;
    j.column = column;
    if (!is_free) j.origin = *origin;                          /* a free one starts there instead */
    return j;
}

/* The joint of a robot's own from the world; -1 when its root hangs free. */
static int merge_own_root(const slip_urdf *urdf)
{
    int i;

    for (i = 0; i < urdf->def.njoints; ++i)
        if (urdf->def.joints[i].child == urdf->root) return urdf->def.joints[i].parent < 0 ? i : -1;
    return -1;
}

static void merge_set_armature(slip_model_def *def, int first, slip_real armature)
{
    int i;

    for (i = first; i < def->njoints; ++i)
        if (slip_joint_nv(def->joints[i].type) == 1) def->joints[i].armature = armature;
}

/* "root_joint", or with as many signs before it as no joint of the robot has. */
static const char *merge_root_name(scene_reader *r, const scene_robot *robot)
{
    static const char name[] = "____root_joint";
    const char *at = name + 4;
    int i = 0;

    while (i < robot->urdf.def.njoints && at > name)
        if (slip_text_equal(robot->urdf.def.joints[i].name, at)) --at, i = 0;
        else ++i;
    return merge_name(r->mem, robot->prefix, at);
}

/* The joint above each link of a file, -1: none. */
static void merge_above(const slip_model_def *def, int *above)
{
    int i;

    for (i = 0; i < def->nlinks; ++i) above[i] = -1;
    for (i = 0; i < def->njoints; ++i) above[def->joints[i].child] = i;
}

/* The link that hangs on the world, or on nothing, above a link; the link itself if nothing is above it. A file whose
 * joints make a circle ends it too: the model that it does not make says so. */
static int merge_root_of(const slip_model_def *def, const int *above, int link)
{
    int steps = def->nlinks;

    while (steps-- > 0 && above[link] >= 0 && def->joints[above[link]].parent >= 0)
        link = def->joints[above[link]].parent;
    return link;
}

/* Whether a robot's file brings what others stand on: colliders of the world, or of trees that hang on it and in which
 * nothing moves. The base of an arm is none: it is part of a robot. */
static slip_status merge_find_ground(scene_reader *r, scene_robot *robot)
{
    const slip_model_def *def = &robot->urdf.def;
    char *own = (char *)slip_arena_take_zero(r->mem, (size_t)def->nlinks, 1), *moves;
    const size_t mark = slip_arena_mark(r->mem);
    int *above = (int *)slip_arena_take(r->mem, (size_t)def->nlinks, sizeof *above);
    int i, found = 0;

    moves = (char *)slip_arena_take_zero(r->mem, (size_t)def->nlinks, 1);
    if (!own || !above || !moves) return slip_scene_full(r->u.err);
    merge_above(def, above);
    for (i = 0; i < def->njoints; ++i)
        if (def->joints[i].type != SLIP_JOINT_FIXED) moves[merge_root_of(def, above, def->joints[i].child)] = 1;
    for (i = 0; i < def->nlinks; ++i) {
        const int root = merge_root_of(def, above, i);

        own[i] = (char)(above[root] >= 0 && !moves[root]);
    }
    for (i = 0; i < robot->urdf.nshapes && !found; ++i) {
        const slip_urdf_shape *u = &robot->urdf.shapes[i];

        if (u->role != SLIP_URDF_COLLISION || (u->kind == SLIP_SHAPE_MESH && !robot->shapes[i].hull)) continue;
        found = u->link < 0 || own[u->link];
    }
    slip_arena_release(r->mem, mark);
    robot->is_ground = own;
    robot->place.brings_ground = found;
    robot->place.stands_on_own = found && robot->unless_own;
    return SLIP_OK;
}

/* Looks for the ground that robots bring, and leaves out what is only for those that bring none. */
static slip_status merge_grounds(scene_reader *r)
{
    int i, n = 0, brought = 0;

    for (i = 0; i < r->n.robots; ++i) {
        const slip_status s = merge_find_ground(r, &r->robots[i]);

        if (s < 0) return s;
        brought |= r->robots[i].place.brings_ground;
    }
    for (i = 0; i < r->n.grounds; ++i)
        if (!brought || !r->grounds[i].when_needed) r->grounds[n++] = r->grounds[i];
    r->n.grounds = n;
    return SLIP_OK;
}

static slip_status merge_robot(scene_reader *r, scene_robot *robot)
{
    slip_model_def *def = &r->out.def;
    const int own = merge_own_root(&robot->urdf);
    slip_scene_robot *p = &robot->place;
    const char *name;
    slip_status s = SLIP_OK;

    p->prefix = robot->prefix;
    p->first_link = def->nlinks;
    p->first_joint = def->njoints;
    if (robot->urdf.def.nlinks == 0) return SLIP_OK;           /* warned of when it was read */
    if (own < 0 || robot->on_ground) s = slip_scene_place(r, robot);
    if (s < 0) return s;
    p->root = def->nlinks + robot->urdf.root;
    s = merge_append(&robot->urdf.def, robot->prefix, robot->at.line, robot->at.column, r->mem, def);
    if (s < 0) return slip_scene_full(r->u.err);
    if (robot->armature >= 0) merge_set_armature(def, p->first_joint, robot->armature);
    if (own >= 0) {
        int i;

        for (i = p->first_joint; i < def->njoints; ++i) {      /* all that hang on the world move with the origin */
            slip_joint_def *j = &def->joints[i];

            if (j->parent < 0 && j->type != SLIP_JOINT_FLOATING)
                slip_pose_mul(&robot->at.origin, &j->origin, &j->origin);
        }
        robot->is_free = def->joints[p->first_joint + own].type == SLIP_JOINT_FLOATING;
        p->base_why = robot->is_free ? "" : "its own file joins it to the world";
        if (robot->at.moves && !robot->is_free)
            s = slip_urdf_warn(&r->u, robot->at.line, robot->at.column,
                               "velocity ignored: '%s' is joined to the world by "
                               "its own joint '%s'", p->file, def->joints[p->first_joint + own].name);
    } else {
        name = merge_root_name(r, robot);
        if (!name) return slip_scene_full(r->u.err);
        def->joints[def->njoints++] = merge_root_joint(name, robot->is_free, p->root, &robot->at.origin,
                                                       robot->at.line, robot->at.column);
        if (!robot->is_free && robot->at.moves)
            s = slip_urdf_warn(&r->u, robot->at.line, robot->at.column, "velocity ignored: the base is fixed");
    }
    p->is_free = robot->is_free;
    p->nlinks = def->nlinks - p->first_link;
    p->njoints = def->njoints - p->first_joint;
    return s;
}

/* ---- bodies ------------------------------------------------------------------------------------- */

static const char *merge_copy_name(scene_reader *r, const scene_body *b, const char *name, int k)
{
    char number[SLIP_NUMBER_SIZE];
    const int copies = b->count[0]*b->count[1]*b->count[2];

    if (copies == 1) return name;
    slip_print_int(k, number);
    return merge_name(r->mem, name, number);
}

/* The pose of the k-th copy: x runs fastest. Random parts depend on seed and k alone. */
void slip_scene_copy_pose(const scene_body *b, int k, slip_pose *X)
{
    const int i[3] = { k % b->count[0], k/b->count[0] % b->count[1], k/b->count[0]/b->count[1] };
    slip_random rng = slip_random_seed((uint64_t)b->seed*1000003U + (uint64_t)k);
    slip_real quat[4], R[9];
    int c;

    *X = b->at.origin;
    for (c = 0; c < 3; ++c)
        X->p[c] += (slip_real)i[c]*b->step[c] + b->jitter[c]*slip_random_uniform(&rng, -1, 1);
    if (!b->random_turn) return;
    slip_random_quat(&rng, quat);
    slip_quat_to_mat3(quat, R);
    slip_mat3_mul(X->R, R, X->R);
}

static slip_status merge_body(scene_reader *r, scene_body *b)
{
    slip_model_def *def = &r->out.def;
    const slip_link_def *link = &r->u.out.def.links[b->link];
    const int copies = b->count[0]*b->count[1]*b->count[2];
    int k;

    b->first_link = def->nlinks;
    for (k = 0; k < copies; ++k) {
        const char *name = merge_copy_name(r, b, link->name, k);
        slip_pose X;

        if (!name) return slip_scene_full(r->u.err);
        slip_scene_copy_pose(b, k, &X);
        def->links[def->nlinks] = *link;
        def->links[def->nlinks].name = name;
        def->joints[def->njoints++] = merge_root_joint(name, !b->is_fixed, def->nlinks++, &X, link->line,
                                                       link->column);
    }
    if (b->is_fixed && b->at.moves)
        return slip_warn(r->u.report, r->u.err, b->at.line, b->at.column, "body '%s': velocity ignored: it is fixed",
                         link->name);
    return SLIP_OK;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static slip_status merge_take(scene_reader *r)
{
    size_t links = 0, joints = 0;
    int i;

    for (i = 0; i < r->n.robots; ++i) {
        links += (size_t)r->robots[i].urdf.def.nlinks;
        joints += (size_t)r->robots[i].urdf.def.njoints + 1;
    }
    for (i = 0; i < r->n.bodies; ++i) {
        const size_t copies = (size_t)r->bodies[i].count[0]*(size_t)r->bodies[i].count[1]*(size_t)r->bodies[i].count[2];

        links += copies;
        joints += copies;
    }
    r->out.def.links = (slip_link_def *)slip_arena_take(r->mem, links, sizeof(slip_link_def));
    r->out.def.joints = (slip_joint_def *)slip_arena_take(r->mem, joints, sizeof(slip_joint_def));
    return r->out.def.links && r->out.def.joints ? SLIP_OK : slip_scene_full(r->u.err);
}

/* Adds the loops of robots' own files to those of the scene. */
static slip_status merge_loops(scene_reader *r)
{
    scene_loop *all;
    int i, k, n = 0;

    for (i = 0; i < r->n.robots; ++i) n += r->robots[i].urdf.extras.nloops;
    if (n == 0) return SLIP_OK;
    all = (scene_loop *)slip_arena_scratch(r->mem, (size_t)r->n.loops + (size_t)n, sizeof *all);
    if (!all) return slip_scene_full(r->u.err);
    memset(all, 0, (size_t)(r->n.loops + n)*sizeof *all);
    if (r->n.loops > 0) memcpy(all, r->loops, (size_t)r->n.loops*sizeof *all);
    r->loops = all;
    for (i = 0; i < r->n.robots; ++i) {
        const slip_urdf *u = &r->robots[i].urdf;

        for (k = 0; k < u->extras.nloops; ++k) {
            const slip_robot_loop *own = &u->extras.loops[k];
            scene_loop *l = &r->loops[r->n.loops++];

            l->name.name = own->name;
            l->a.name = own->a < 0 ? "world" : u->def.links[own->a].name;
            l->b.name = own->b < 0 ? "world" : u->def.links[own->b].name;
            l->kind = own->is_weld ? SLIP_LOOP_WELD : SLIP_LOOP_BALL;
            l->frame_a = own->frame_a;
            l->frame_b = own->frame_b;
            l->has_a = 1;
            l->has_b = own->has_frame_b;
            l->redundant = 1;
            l->robot = i;
            slip_set3(0, 0, 1, l->axis);
        }
    }
    return SLIP_OK;
}

slip_status slip_scene_merge(scene_reader *r)
{
    slip_status s = SLIP_OK;
    int i;

    for (i = 0; i < r->n.robots && s == SLIP_OK; ++i) s = merge_load_robot(r, &r->robots[i]);
    if (s == SLIP_OK) s = merge_loops(r);
    if (s == SLIP_OK) s = slip_scene_shapes(r);
    if (s == SLIP_OK) s = merge_grounds(r);
    if (s == SLIP_OK) s = merge_take(r);
    r->out.def.name = r->out.name;
    for (i = 0; i < r->n.robots && s == SLIP_OK; ++i) s = merge_robot(r, &r->robots[i]);
    for (i = 0; i < r->n.bodies && s == SLIP_OK; ++i) s = merge_body(r, &r->bodies[i]);
    if (s < 0) return s;
    if (r->out.def.nlinks == 0)
        return slip_fail(r->u.err, SLIP_ERR_MODEL, r->out.line, r->out.column, r->robot_text
                         ? "the robot has no links, so there is nothing to simulate"
                         : "the scene has no robot and no body, so nothing to simulate");
    s = slip_model_build(&r->out.def, r->mem, &r->out.model, r->u.report, r->u.err);
    if (s >= 0 && r->out.model->nv == 0)
        return slip_warn(r->u.report, r->u.err, r->out.line, r->out.column, "nothing in the scene can move");
    return s;
}
