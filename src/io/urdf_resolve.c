/* Resolves names to indices and checks that the joints form a tree: unique names, known links, one joint above each
 * link, no loop, one root. Then mimics, through chains of them, and colours by name. Every step takes time in
 * proportion to the file, but for the sorting of names. */
#include "io/urdf_private.h"

#include <string.h>

/* ---- a sorted list of names ------------------------------------------------------------------- */

/* Reference i of an array of structs that begin with a slip_urdf_ref. */
typedef struct {
    const unsigned char *base;
    size_t stride;
    int count;
    int *order;                       /* indices by name, equal names in the order of the file */
} urdf_names;

static const slip_urdf_ref *urdf_name(const urdf_names *t, int i)
{
    return (const slip_urdf_ref *)(const void *)(t->base + (size_t)i*t->stride);
}

static int urdf_before(const urdf_names *t, int a, int b)
{
    const int c = strcmp(urdf_name(t, a)->name, urdf_name(t, b)->name);

    return c < 0 || (c == 0 && a < b);
}

/* Sinks order[i] in the heap order[0..n), the greatest on top. */
static void urdf_sink(urdf_names *t, int i, int n)
{
    int *o = t->order;

    for (;;) {
        const int left = 2*i + 1, right = left + 1;
        int top = i, swap;

        if (left < n && urdf_before(t, o[top], o[left])) top = left;
        if (right < n && urdf_before(t, o[top], o[right])) top = right;
        if (top == i) return;
        swap = o[i];
        o[i] = o[top];
        o[top] = swap;
        i = top;
    }
}

/* Sorts order[0..count), indices into the array at `base`. Heap sort: n log n whatever the names. */
static urdf_names urdf_sorted(const void *base, size_t stride, int count, int *order)
{
    urdf_names t;
    int i;

    t.base = (const unsigned char *)base;
    t.stride = stride;
    t.count = count;
    t.order = order;
    for (i = count/2 - 1; i >= 0; --i) urdf_sink(&t, i, count);
    for (i = count - 1; i > 0; --i) {
        const int last = order[i];

        order[i] = order[0];
        order[0] = last;
        urdf_sink(&t, 0, i);
    }
    return t;
}

static void urdf_all(int *order, int count)
{
    int i;

    for (i = 0; i < count; ++i) order[i] = i;
}

/* The first of this name in the file; -1 when there is none. */
static int urdf_lookup(const urdf_names *t, const char *name)
{
    int lo = 0, hi = t->count;

    while (lo < hi) {
        const int mid = lo + (hi - lo)/2;

        if (strcmp(urdf_name(t, t->order[mid])->name, name) < 0) lo = mid + 1;
        else hi = mid;
    }
    return lo < t->count && strcmp(urdf_name(t, t->order[lo])->name, name) == 0 ? t->order[lo] : -1;
}

/* Refuses a name that occurs twice; of several the one that repeats first in the file. */
static slip_status urdf_unique(slip_urdf_reader *r, const urdf_names *t, const char *kind)
{
    int i, bad = -1, first = -1;

    for (i = 1; i < t->count; ++i) {
        const int a = t->order[i - 1], b = t->order[i];

        if ((bad >= 0 && b > bad) || strcmp(urdf_name(t, a)->name, urdf_name(t, b)->name) != 0) continue;
        bad = b;
        first = a;
    }
    if (bad < 0) return SLIP_OK;
    return slip_fail(r->err, SLIP_ERR_MODEL, urdf_name(t, bad)->line, urdf_name(t, bad)->column,
                     "%s name '%.*s' is used twice, first in line %d", kind, slip_urdf_shown(urdf_name(t, bad)->name),
                     urdf_name(t, bad)->name, urdf_name(t, first)->line);
}

/* ---- links ------------------------------------------------------------------------------------ */

static slip_status urdf_unknown(slip_urdf_reader *r, const slip_joint_def *j, const slip_urdf_ref *ref,
                                const char *what)
{
    return slip_fail(r->err, SLIP_ERR_MODEL, ref->line, ref->column, "joint '%.*s': %s '%.*s' does not exist",
                     slip_urdf_shown(j->name), j->name, what, slip_urdf_shown(ref->name), ref->name);
}

/* Parent and child of each joint, and above[link], the joint above each link or -1. A parent "world" that is no link is
 * the world; so is any other, with a warning: a gripper's file may name the arm it goes on. Where it is a typing error,
 * there are two roots. */
static slip_status urdf_connect(slip_urdf_reader *r, const urdf_names *links)
{
    slip_model_def *def = &r->out.def;
    int i;

    for (i = 0; i < def->nlinks; ++i) r->above[i] = -1;
    for (i = 0; i < def->njoints; ++i) {
        slip_joint_def *j = &def->joints[i];
        const slip_urdf_joint_refs *refs = &r->joints[i];

        j->parent = urdf_lookup(links, refs->parent.name);
        j->child = urdf_lookup(links, refs->child.name);
        if (j->parent < 0 && !slip_text_equal(refs->parent.name, "world")) {
            const slip_status s = slip_warn(r->report, r->err, refs->parent.line, refs->parent.column, "joint '%.*s': "
                                            "parent link '%.*s' does not exist; taken as the world",
                                            slip_urdf_shown(j->name), j->name, slip_urdf_shown(refs->parent.name),
                                            refs->parent.name);

            if (s < 0) return s;
        }
        if (j->child < 0) return urdf_unknown(r, j, &refs->child, "child link");
        if (r->above[j->child] >= 0) {
            const slip_joint_def *other = &def->joints[r->above[j->child]];

            return slip_fail(r->err, SLIP_ERR_MODEL, refs->child.line, refs->child.column,
                             "link '%.*s' has two parents, by joint '%.*s' (line %d) and by joint '%.*s'",
                             slip_urdf_shown(refs->child.name), refs->child.name, slip_urdf_shown(other->name),
                             other->name, other->line, slip_urdf_shown(j->name), j->name);
        }
        r->above[j->child] = i;
    }
    return SLIP_OK;
}

/* Names the links of the loop through `start`, as many as fit. */
static slip_status urdf_loop(slip_urdf_reader *r, int start)
{
    const slip_model_def *def = &r->out.def;
    const slip_urdf_ref *place = &r->joints[r->above[start]].child;
    char text[180];
    int n = 0, link = start;

    do {
        const char *name = def->links[link].name;

        if (n + slip_urdf_shown(name) + 12 > (int)sizeof text) {
            slip_format(text + n, (int)sizeof text - n, "... < ");
            break;
        }
        n += slip_format(text + n, (int)sizeof text - n, "%.*s < ", slip_urdf_shown(name), name);
        link = def->joints[r->above[link]].parent;
    } while (link != start);
    return slip_fail(r->err, SLIP_ERR_MODEL, place->line, place->column,
                     "kinematic loop: %s%.*s (child < parent); a URDF must be a tree",
                     text, slip_urdf_shown(def->links[start].name), def->links[start].name);
}

/* Walks up from every link; meeting the walk's own mark again is a loop. */
static slip_status urdf_check_loops(slip_urdf_reader *r)
{
    const slip_model_def *def = &r->out.def;
    int i, link;

    for (i = 0; i < def->nlinks; ++i) r->mark[i] = -1;
    for (i = 0; i < def->nlinks; ++i) {
        for (link = i; link >= 0 && r->mark[link] < 0; ) {
            r->mark[link] = i;
            link = r->above[link] >= 0 ? def->joints[r->above[link]].parent : -1;
        }
        if (link >= 0 && r->mark[link] == i) return urdf_loop(r, link);
    }
    return SLIP_OK;
}

/* The root: the one link without a joint above, or the first that hangs on the world by a joint. */
static slip_status urdf_find_root(slip_urdf_reader *r)
{
    const slip_model_def *def = &r->out.def;
    int i, loose = -1, hung = -1;

    for (i = 0; i < def->nlinks; ++i) {
        const int is_loose = r->above[i] < 0, is_hung = !is_loose && def->joints[r->above[i]].parent < 0;
        const int other = loose >= 0 ? loose : hung;

        if ((is_loose && other >= 0) || (is_hung && loose >= 0))
            return slip_fail(r->err, SLIP_ERR_MODEL, r->links[i].line, r->links[i].column,
                             "two root links, '%.*s' (line %d) and '%.*s': no joint connects them",
                             slip_urdf_shown(def->links[other].name), def->links[other].name, def->links[other].line,
                             slip_urdf_shown(def->links[i].name), def->links[i].name);
        if (is_loose) loose = i;
        if (is_hung && hung < 0) hung = i;
    }
    r->out.root = loose >= 0 ? loose : hung;
    return SLIP_OK;
}

/* Hangs the root on the world by a floating joint, as the last in the list. */
static slip_status urdf_free_base(slip_urdf_reader *r, const urdf_names *joints)
{
    static const char *const names[] = { "root_joint", "free_root_joint", "slip_root_joint" };
    const int root = r->out.root;
    slip_model_def *def = &r->out.def;
    slip_joint_def *j = &def->joints[def->njoints];
    static const slip_urdf_joint blank = { 0, 0, 0, 0, 0, 0, (slip_real)NAN, (slip_real)NAN };
    int i = 0;

    if (r->above[root] >= 0)
        return slip_warn(r->report, r->err, def->joints[r->above[root]].line, def->joints[r->above[root]].column,
                         "free base ignored: link '%.*s' already hangs on the world by joint '%.*s'",
                         slip_urdf_shown(def->links[root].name), def->links[root].name,
                         slip_urdf_shown(def->joints[r->above[root]].name), def->joints[r->above[root]].name);
    while (i < 3 && urdf_lookup(joints, names[i]) >= 0) ++i;
    if (i == 3) return slip_fail(r->err, SLIP_ERR_MODEL, 0, 0, "no name is left for the free base's joint");
    *j = slip_joint_defaults();
    j->name = names[i];
    j->type = SLIP_JOINT_FLOATING;
    j->parent = -1;
    j->child = root;
    r->out.joints[def->njoints++] = blank;
    return SLIP_OK;
}

/* ---- mimics ----------------------------------------------------------------------------------- */

static int urdf_turns(slip_joint_type type) { return type != SLIP_JOINT_PRISMATIC; }

/* Finds the joint that joint i follows, and whether it can. */
static slip_status urdf_find_leader(slip_urdf_reader *r, const urdf_names *joints, int i)
{
    slip_model_def *def = &r->out.def;
    slip_joint_def *j = &def->joints[i];
    const slip_urdf_ref *ref = &r->joints[i].mimic;
    const slip_joint_def *leader;

    j->mimic = urdf_lookup(joints, ref->name);
    if (j->mimic < 0)
        return slip_warn(r->report, r->err, ref->line, ref->column, "joint '%.*s': mimicked joint '%.*s' does not "
                         "exist; it moves by itself", slip_urdf_shown(j->name), j->name, slip_urdf_shown(ref->name),
                         ref->name);
    leader = &def->joints[j->mimic];
    if (j->mimic == i)
        return slip_fail(r->err, SLIP_ERR_MODEL, ref->line, ref->column, "joint '%.*s' mimics itself",
                         slip_urdf_shown(j->name), j->name);
    if (leader->type != SLIP_JOINT_REVOLUTE && leader->type != SLIP_JOINT_CONTINUOUS &&
        leader->type != SLIP_JOINT_PRISMATIC)
        return slip_fail(r->err, SLIP_ERR_MODEL, ref->line, ref->column,
                         "joint '%.*s' mimics '%.*s', which is %s; expected revolute, continuous or prismatic",
                         slip_urdf_shown(j->name), j->name, slip_urdf_shown(leader->name), leader->name,
                         slip_joint_type_name(leader->type));
    if (urdf_turns(leader->type) == urdf_turns(j->type)) return SLIP_OK;
    return slip_warn(r->report, r->err, ref->line, ref->column,
                     "joint '%.*s' (%s) mimics '%.*s' (%s): its multiplier is taken in %s", slip_urdf_shown(j->name),
                     j->name, slip_joint_type_name(j->type), slip_urdf_shown(leader->name), leader->name,
                     slip_joint_type_name(leader->type), urdf_turns(j->type) ? "rad/m" : "m/rad");
}

/* Collects the mimics from joint i up to one that is settled (mark 2) or independent; -1 on a cycle. */
static int urdf_collect_chain(slip_urdf_reader *r, int i)
{
    const slip_joint_def *joints = r->out.def.joints;
    int n = 0;

    for (; joints[i].mimic >= 0 && r->mark[i] != 2; i = joints[i].mimic) {
        if (r->mark[i] == 1) return -1;
        r->mark[i] = 1;
        r->chain[n++] = i;
    }
    return n;
}

/* q = a q1 + b with q1 = a1 q0 + b1 becomes q = a a1 q0 + a b1 + b. */
static slip_status urdf_settle(slip_urdf_reader *r, int i)
{
    slip_joint_def *joints = r->out.def.joints, *j = &joints[i];
    const slip_joint_def *leader = &joints[j->mimic];

    r->mark[i] = 2;
    if (leader->mimic >= 0) {
        j->mimic_offset += j->mimic_scale*leader->mimic_offset;
        j->mimic_scale *= leader->mimic_scale;
        j->mimic = leader->mimic;
    }
    if (slip_is_finite(j->mimic_offset) && slip_is_finite(j->mimic_scale)) return SLIP_OK;
    return slip_fail(r->err, SLIP_ERR_MODEL, j->line, j->column, "joint '%.*s': multipliers along its mimics overflow",
                     slip_urdf_shown(j->name), j->name);
}

/* Makes all joints independent: <mimic> is ignored. */
static void urdf_clear_mimics(slip_model_def *def)
{
    int i;

    for (i = 0; i < def->njoints; ++i) {
        def->joints[i].mimic = -1;
        def->joints[i].mimic_scale = 1;
        def->joints[i].mimic_offset = 0;
    }
}

static slip_status urdf_resolve_mimics(slip_urdf_reader *r, const urdf_names *joints)
{
    slip_model_def *def = &r->out.def;
    slip_status s = SLIP_OK;
    int i, n;

    for (i = 0; s == SLIP_OK && i < joints->count; ++i)
        if (r->joints[i].mimic.name) s = urdf_find_leader(r, joints, i);
    for (i = 0; i < def->njoints; ++i) r->mark[i] = 0;
    for (i = 0; s == SLIP_OK && i < joints->count; ++i) {
        n = urdf_collect_chain(r, i);
        if (n < 0)
            return slip_fail(r->err, SLIP_ERR_MODEL, r->joints[i].mimic.line, r->joints[i].mimic.column,
                             "joint '%.*s' mimics '%.*s', which in turn follows a cycle of mimics",
                             slip_urdf_shown(def->joints[i].name), def->joints[i].name,
                             slip_urdf_shown(r->joints[i].mimic.name), r->joints[i].mimic.name);
        while (s == SLIP_OK && n > 0) s = urdf_settle(r, r->chain[--n]);
    }
    return s;
}

/* ---- materials and meshes --------------------------------------------------------------------- */

/* The names of all global, or all local, materials that have a colour. */
static urdf_names urdf_coloured(slip_urdf_reader *r, int is_local, int *order)
{
    int i, n = 0;

    for (i = 0; i < r->nmaterials; ++i)
        if (r->materials[i].has_colour && (r->materials[i].shape >= 0) == is_local) order[n++] = i;
    return urdf_sorted(r->materials, sizeof *r->materials, n, order);
}

/* Gives the shape that only names a material its colour: the global one's, else that of another shape. */
static slip_status urdf_resolve_material(slip_urdf_reader *r, const slip_urdf_material *m, const urdf_names *global,
                                         const urdf_names *local)
{
    int i, k = urdf_lookup(global, m->name.name);

    if (k < 0) k = urdf_lookup(local, m->name.name);
    if (k < 0 || m->name.name[0] == '\0')
        return slip_warn(r->report, r->err, m->name.line, m->name.column,
                         "material '%.*s' has no colour anywhere; grey taken",
                         slip_urdf_shown(m->name.name), m->name.name);
    for (i = 0; i < 4; ++i) r->out.shapes[m->shape].colour[i] = r->materials[k].colour[i];
    return SLIP_OK;
}

static slip_status urdf_resolve_materials(slip_urdf_reader *r)
{
    const urdf_names global = urdf_coloured(r, 0, r->index), local = urdf_coloured(r, 1, r->chain);
    slip_status s = SLIP_OK;
    int i;

    for (i = 1; s == SLIP_OK && i < global.count; ++i) {
        const slip_urdf_ref *a = urdf_name(&global, global.order[i - 1]), *b = urdf_name(&global, global.order[i]);

        if (strcmp(a->name, b->name) == 0)
            s = slip_warn(r->report, r->err, b->line, b->column, "material '%.*s' of line %d is defined again; ignored",
                          slip_urdf_shown(b->name), b->name, a->line);
    }
    for (i = 0; s == SLIP_OK && i < r->nmaterials; ++i) {
        const slip_urdf_material *m = &r->materials[i];

        if (m->shape >= 0 && !m->has_colour) s = urdf_resolve_material(r, m, &global, &local);
    }
    return s;
}

/* One warning for all meshes that were looked for in vain. */
static slip_status urdf_missing_meshes(slip_urdf_reader *r)
{
    const slip_urdf_shape *first = NULL;
    int i, n = 0, in_package;

    for (i = 0; i < r->out.nshapes; ++i) {
        const slip_urdf_shape *shape = &r->out.shapes[i];

        if (shape->kind != SLIP_SHAPE_MESH || shape->mesh_found) continue;
        if (!first) first = shape;
        ++n;
    }
    if (!first || !r->opt->find_meshes) return SLIP_OK;
    in_package = strncmp(first->mesh_uri, "package://", 10) == 0 || strncmp(first->mesh_uri, "model://", 8) == 0;
    return slip_warn(r->report, r->err, first->line, first->column, "%d mesh file%s not found, first '%.*s'%s", n,
                     n == 1 ? "" : "s", slip_urdf_shown(first->mesh_uri), first->mesh_uri,
                     in_package ? "; give the directory that holds the package as a package path" : "");
}

slip_status slip_urdf_resolve(slip_urdf_reader *r)
{
    slip_model_def *def = &r->out.def;
    urdf_names names;
    slip_status s;

    r->out.root = -1;
    if (def->nlinks == 0 && def->njoints == 0)
        return slip_warn(r->report, r->err, 0, 0, "robot has no links: there is nothing to move");
    urdf_all(r->index, def->nlinks);
    names = urdf_sorted(r->links, sizeof *r->links, def->nlinks, r->index);
    if ((s = urdf_unique(r, &names, "link")) < 0) return s;
    if ((s = urdf_connect(r, &names)) < 0) return s;
    if ((s = urdf_check_loops(r)) < 0) return s;
    if ((s = urdf_find_root(r)) < 0) return s;

    urdf_all(r->index, def->njoints);
    names = urdf_sorted(r->joints, sizeof *r->joints, def->njoints, r->index);
    if ((s = urdf_unique(r, &names, "joint")) < 0) return s;
    if (r->opt->independent_mimics) urdf_clear_mimics(def);
    else if ((s = urdf_resolve_mimics(r, &names)) < 0) return s;
    if (r->opt->free_base && (s = urdf_free_base(r, &names)) < 0) return s;
    if ((s = urdf_resolve_materials(r)) < 0) return s;
    return urdf_missing_meshes(r);
}
