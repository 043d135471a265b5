/* From a description of links and joints to a model ready for the algorithms: checks the tree, merges
 * fixed joints, sorts bodies depth first, turns joint axes onto z, resolves mimic joints and lays out
 * the branch-induced sparsity. Whether the result can be simulated at all is judged in check.c. */
#include "rbd/build_private.h"

#include <string.h>

/* ---- checks of the description ---------------------------------------------------------------------- */

static slip_status build_check_link(const slip_link_def *l, slip_error *err)
{
    if (!l->name) return slip_fail(err, SLIP_ERR_ARGUMENT, l->line, l->column, "a link has no name");
    if (!slip_is_finite(l->mass) || !slip_all_finite(l->com, 3) || !slip_all_finite(l->inertia, 6))
        return slip_fail(err, SLIP_ERR_ARGUMENT, l->line, l->column, "link '%s': mass, centre or inertia is not finite",
                         l->name);
    if (l->mass < 0)
        return slip_fail(err, SLIP_ERR_MODEL, l->line, l->column,
                         "link '%s': mass %g is negative", l->name, (double)l->mass);
    return SLIP_OK;
}

static int build_uses_axis(slip_joint_type t)
{
    return t == SLIP_JOINT_REVOLUTE || t == SLIP_JOINT_CONTINUOUS || t == SLIP_JOINT_PRISMATIC
        || t == SLIP_JOINT_PLANAR;
}

static int build_is_1dof(slip_joint_type t)
{
    return t == SLIP_JOINT_REVOLUTE || t == SLIP_JOINT_CONTINUOUS || t == SLIP_JOINT_PRISMATIC;
}

static slip_status build_check_joint_numbers(const slip_joint_def *j, slip_error *err)
{
    if (!slip_all_finite(j->origin.R, 9) || !slip_all_finite(j->origin.p, 3) || !slip_all_finite(j->axis, 3)
        || !slip_is_finite(j->mimic_scale) || !slip_is_finite(j->mimic_offset))
        return slip_fail(err, SLIP_ERR_ARGUMENT, j->line, j->column, "joint '%s': origin, axis or mimic is not finite",
                         j->name);
    if (!slip_is_finite(j->damping) || !slip_is_finite(j->friction) || !slip_is_finite(j->armature)
        || j->damping < 0 || j->friction < 0 || j->armature < 0)
        return slip_fail(err, SLIP_ERR_MODEL, j->line, j->column,
                         "joint '%s': damping, friction and armature must be finite and not negative", j->name);
    if (!(j->lower <= j->upper))
        return slip_fail(err, SLIP_ERR_MODEL, j->line, j->column,
                         "joint '%s': lower limit %g is above the upper limit %g",
                         j->name, (double)j->lower, (double)j->upper);
    if (!(j->velocity >= 0) || !(j->effort >= 0))
        return slip_fail(err, SLIP_ERR_MODEL, j->line, j->column,
                         "joint '%s': velocity and effort limits must not be negative",
                         j->name);
    if (build_uses_axis(j->type) && !(slip_norm3(j->axis) > SLIP_REAL_EPS))
        return slip_fail(err, SLIP_ERR_MODEL, j->line, j->column, "joint '%s': axis has zero length", j->name);
    return SLIP_OK;
}

static slip_status build_check_joint(const slip_model_def *def, const slip_joint_def *j, slip_error *err)
{
    if (!j->name) return slip_fail(err, SLIP_ERR_ARGUMENT, j->line, j->column, "a joint has no name");
    if ((unsigned)j->type > SLIP_JOINT_FLOATING)         /* an enum may be signed or not */
        return slip_fail(err, SLIP_ERR_ARGUMENT, j->line, j->column,
                         "joint '%s': unknown type %d", j->name, (int)j->type);
    if (j->parent < -1 || j->parent >= def->nlinks || j->child < 0 || j->child >= def->nlinks)
        return slip_fail(err, SLIP_ERR_ARGUMENT, j->line, j->column, "joint '%s': parent or child is no link", j->name);
    if (j->mimic < -1 || j->mimic >= def->njoints)
        return slip_fail(err, SLIP_ERR_ARGUMENT, j->line, j->column, "joint '%s': mimics no joint", j->name);
    return build_check_joint_numbers(j, err);
}

static slip_status build_check_def(const slip_model_def *def, slip_error *err)
{
    slip_status s = SLIP_OK;
    int i;

    if (!def || def->nlinks < 0 || def->njoints < 0 || (def->nlinks && !def->links) || (def->njoints && !def->joints))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "the model's description is missing or has negative counts");
    if (def->nlinks > SLIP_MODEL_MAX_LINKS || def->njoints > SLIP_MODEL_MAX_LINKS)
        return slip_fail(err, SLIP_ERR_LIMIT, 0, 0, "the model has more than %d links or joints", SLIP_MODEL_MAX_LINKS);
    if (!slip_all_finite(def->gravity, 3))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "gravity is not finite");
    if (!(def->repair_armature >= 0 && def->repair_armature <= SLIP_MOST_MASS))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "repair_armature is %g, expected 0 to %g",
                         (double)def->repair_armature, (double)SLIP_MOST_MASS);
    for (i = 0; i < def->nlinks && s == SLIP_OK; ++i) s = build_check_link(&def->links[i], err);
    for (i = 0; i < def->njoints && s == SLIP_OK; ++i) s = build_check_joint(def, &def->joints[i], err);
    return s;
}

/* ---- names ------------------------------------------------------------------------------------------ */

/* FNV-1a. */
static uint32_t build_hash(const char *s)
{
    uint32_t h = 2166136261u;

    for (; *s; ++s) h = (h ^ (unsigned char)*s)*16777619u;
    return h;
}

/* Fails when two of n names are equal. name(i) sits `stride` bytes after name(i-1), its line and column further on. */
static slip_status build_check_names(const char *what, const void *first, int n, size_t stride, size_t line_at,
                                     size_t column_at, slip_arena *mem, slip_error *err)
{
    const unsigned char *base = (const unsigned char *)first;
    const size_t mark = slip_arena_mark_scratch(mem);
    size_t room = 16;
    int *table, i;
    slip_status status = SLIP_OK;

    while (room < 2*(size_t)n) room *= 2;
    table = (int *)slip_arena_scratch(mem, room, sizeof *table);
    if (!table) return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "not enough memory for the model");
    memset(table, 0, room*sizeof *table);                /* 0: free, otherwise index + 1 */
    for (i = 0; i < n && status == SLIP_OK; ++i) {
        const char *name = *(const char *const *)(const void *)(base + (size_t)i*stride);
        size_t at = build_hash(name) & (room - 1);

        for (; table[at]; at = (at + 1) & (room - 1)) {
            const unsigned char *other = base + (size_t)(table[at] - 1)*stride, *here = base + (size_t)i*stride;

            if (!slip_text_equal(*(const char *const *)(const void *)other, name)) continue;
            status = slip_fail(err, SLIP_ERR_MODEL, *(const int *)(const void *)(here + line_at),
                               *(const int *)(const void *)(here + column_at),
                               "%s '%s' is defined twice, first on line %d", what, name,
                               *(const int *)(const void *)(other + line_at));
            break;
        }
        table[at] = i + 1;
    }
    slip_arena_release_scratch(mem, mark);
    return status;
}

/* ---- the tree --------------------------------------------------------------------------------------- */

/* Links the joints into child lists; a link has at most one joint above it. */
static slip_status build_children(build *b, slip_error *err)
{
    const slip_model_def *def = b->def;
    int i, j;

    for (i = 0; i < def->nlinks; ++i) b->above[i] = -1;
    for (i = 0; i <= def->nlinks; ++i) b->first[i] = -1;
    for (j = def->njoints - 1; j >= 0; --j) {            /* backwards, so that lists keep the order given */
        const slip_joint_def *jd = &def->joints[j];

        if (b->above[jd->child] >= 0) {
            const slip_joint_def *other = &def->joints[b->above[jd->child]];

            return slip_fail(err, SLIP_ERR_MODEL, jd->line, jd->column,
                             "link '%s' has two joints above it, '%s' and '%s': "
                             "kinematic loops need a loop closure", def->links[jd->child].name, jd->name, other->name);
        }
        b->above[jd->child] = j;
        b->next[j] = b->first[jd->parent + 1];
        b->first[jd->parent + 1] = j;
    }
    return SLIP_OK;
}

/* Depth-first order of all links: b->order, with b->seen of them. Links on a cycle are never reached. */
static void build_order_from(build *b, int link)
{
    int depth = 0;

    b->stack[depth++] = link;
    while (depth > 0) {
        const int l = b->stack[--depth];
        int j, n = 0, k;

        b->order[b->seen++] = l;
        for (j = b->first[l + 1]; j >= 0; j = b->next[j]) b->stack[depth + n++] = b->def->joints[j].child;
        for (k = 0; k < n/2; ++k) {                      /* the first child must come off the stack first */
            const int t = b->stack[depth + k];

            b->stack[depth + k] = b->stack[depth + n - 1 - k];
            b->stack[depth + n - 1 - k] = t;
        }
        depth += n;
    }
}

static slip_status build_order(build *b, slip_error *err)
{
    const slip_model_def *def = b->def;
    int l;

    for (l = 0; l < def->nlinks; ++l)                    /* a root: no joint above, or one from the world */
        if (b->above[l] < 0 || def->joints[b->above[l]].parent < 0) build_order_from(b, l);
    if (b->seen == def->nlinks) return SLIP_OK;
    for (l = 0; l < b->seen; ++l) b->above[b->order[l]] = -2;
    for (l = 0; b->above[l] == -2; ++l) {}
    return slip_fail(err, SLIP_ERR_MODEL, def->joints[b->above[l]].line, def->joints[b->above[l]].column,
                     "link '%s' is part of a loop of joints: no root leads to it", def->links[l].name);
}

/* ---- mimic ------------------------------------------------------------------------------------------ */

/* Follows a chain of mimic joints to the joint that moves: q_j = scale q_root + offset. */
static slip_status build_follow(const build *b, int j, int *root, slip_real *scale, slip_real *offset, slip_error *err)
{
    const slip_joint_def *jd = &b->def->joints[j];
    int steps = 0;

    *scale = 1;
    *offset = 0;
    while (b->def->joints[j].mimic >= 0) {
        const slip_joint_def *m = &b->def->joints[j];

        *offset += *scale*m->mimic_offset;
        *scale *= m->mimic_scale;
        j = m->mimic;
        if (++steps > b->def->njoints)
            return slip_fail(err, SLIP_ERR_MODEL, jd->line, jd->column,
                             "joint '%s' mimics itself through others", jd->name);
    }
    if (steps > 0 && (!build_is_1dof(jd->type) || !build_is_1dof(b->def->joints[j].type)))
        return slip_fail(err, SLIP_ERR_MODEL, jd->line, jd->column,
                         "joint '%s' (%s) cannot mimic '%s' (%s): both must have one freedom",
                         jd->name, slip_joint_type_name(jd->type), b->def->joints[j].name,
                         slip_joint_type_name(b->def->joints[j].type));
    *root = j;
    return SLIP_OK;
}

/* ---- sizes and memory -------------------------------------------------------------------------------- */

/* Counts bodies, freedoms and coordinates. */
static void build_count(build *b)
{
    slip_model *m = b->model;
    int j;

    m->nbodies = 1;
    m->ndofs = m->nv = m->nq = 0;
    for (j = 0; j < b->def->njoints; ++j) {
        const slip_joint_def *jd = &b->def->joints[j];

        if (jd->type == SLIP_JOINT_FIXED) continue;
        m->nbodies += 1;
        m->ndofs += slip_joint_nv(jd->type);
        if (jd->mimic >= 0) continue;
        m->nv += slip_joint_nv(jd->type);
        m->nq += slip_joint_nq(jd->type);
    }
    m->nlinks = b->def->nlinks;
    m->njoints = b->def->njoints;
}

static int *build_ints(build *b, int n)
{
    return (int *)slip_arena_take_zero(b->mem, (size_t)n, sizeof(int));
}

static slip_real *build_reals(build *b, int n)
{
    return (slip_real *)slip_arena_take_zero(b->mem, (size_t)n, sizeof(slip_real));
}

static void build_take_arrays(build *b)
{
    const int nb = b->model->nbodies, nd = b->model->ndofs, nv = b->model->nv;
    const int nl = b->model->nlinks, nj = b->model->njoints;

    b->parent = build_ints(b, nb);      b->type = build_ints(b, nb);       b->iq = build_ints(b, nb);
    b->idof = build_ints(b, nb);        b->angle = build_ints(b, nb);      b->body_joint = build_ints(b, nb);
    b->body_link = build_ints(b, nb);   b->mimics = build_ints(b, nb);
    b->inertia = build_reals(b, 10*nb); b->scale = build_reals(b, nb);     b->offset = build_reals(b, nb);
    b->turn = build_reals(b, nb);       b->body_mass = build_reals(b, nb);
    b->tree = (slip_pose *)slip_arena_take_zero(b->mem, (size_t)nb, sizeof(slip_pose));
    b->dof_body = build_ints(b, nd);    b->dof_axis = build_ints(b, nd);   b->dof_angular = build_ints(b, nd);
    b->dof_iv = build_ints(b, nd);      b->dof_scale = build_reals(b, nd); b->dof_armature = build_reals(b, nd);
    b->armature = build_reals(b, nv);   b->damping = build_reals(b, nv);   b->friction = build_reals(b, nv);
    b->velocity_limit = build_reals(b, nv);  b->effort_limit = build_reals(b, nv);
    b->lower = build_reals(b, nv);      b->upper = build_reals(b, nv);     b->limit_iq = build_ints(b, nv);
    b->link_name = (const char **)slip_arena_take_zero(b->mem, (size_t)nl, sizeof(char *));
    b->link_body = build_ints(b, nl);
    b->link_pose = (slip_pose *)slip_arena_take_zero(b->mem, (size_t)nl, sizeof(slip_pose));
    b->joint_name = (const char **)slip_arena_take_zero(b->mem, (size_t)nj, sizeof(char *));
    b->joint_type = build_ints(b, nj);  b->joint_body = build_ints(b, nj);
}

/* The model's const view of the arrays. */
static void build_publish(const build *b)
{
    slip_model *m = b->model;

    m->parent = b->parent;        m->type = b->type;            m->iq = b->iq;
    m->idof = b->idof;            m->angle = b->angle;          m->body_joint = b->body_joint;
    m->body_link = b->body_link;  m->mimics = b->mimics;
    m->inertia = b->inertia;      m->scale = b->scale;          m->offset = b->offset;
    m->turn = b->turn;            m->body_mass = b->body_mass;  m->tree = b->tree;
    m->dof_body = b->dof_body;    m->dof_axis = b->dof_axis;    m->dof_angular = b->dof_angular;
    m->dof_iv = b->dof_iv;        m->dof_scale = b->dof_scale;  m->dof_armature = b->dof_armature;
    m->armature = b->armature;    m->damping = b->damping;      m->friction = b->friction;
    m->velocity_limit = b->velocity_limit;                      m->effort_limit = b->effort_limit;
    m->lower = b->lower;          m->upper = b->upper;          m->limit_iq = b->limit_iq;
    m->link_name = b->link_name;  m->link_body = b->link_body;  m->link_pose = b->link_pose;
    m->joint_name = b->joint_name;  m->joint_type = b->joint_type;  m->joint_body = b->joint_body;
}

/* ---- bodies ----------------------------------------------------------------------------------------- */

/* Coordinates of the joints that move by themselves, in the order of the bodies. */
static void build_coordinates(build *b)
{
    int i, iq = 0, iv = 0;

    for (i = 0; i < b->def->nlinks; ++i) {
        const int j = b->above[b->order[i]];

        if (j < 0 || b->def->joints[j].type == SLIP_JOINT_FIXED || b->def->joints[j].mimic >= 0) continue;
        b->joint_iq[j] = iq;
        b->joint_iv[j] = iv;
        iq += slip_joint_nq(b->def->joints[j].type);
        iv += slip_joint_nv(b->def->joints[j].type);
    }
}

/* Limits and losses of an independent joint, per velocity coordinate. */
static void build_joint_data(build *b, int j)
{
    const slip_joint_def *jd = &b->def->joints[j];
    int k;

    for (k = 0; k < slip_joint_nv(jd->type); ++k) {
        const int i = b->joint_iv[j] + k;

        b->damping[i] += jd->damping;
        b->friction[i] += jd->friction;
        b->velocity_limit[i] = jd->velocity;
        b->effort_limit[i] = jd->effort;
        b->lower[i] = build_is_1dof(jd->type) && jd->type != SLIP_JOINT_CONTINUOUS ? jd->lower : -(slip_real)INFINITY;
        b->upper[i] = build_is_1dof(jd->type) && jd->type != SLIP_JOINT_CONTINUOUS ? jd->upper : (slip_real)INFINITY;
        b->limit_iq[i] = build_is_1dof(jd->type) ? b->joint_iq[j] : -1;
    }
}

/* Adds the damping and friction of a mimicking joint to the coordinate it follows. */
static void build_mimic_data(build *b, int j, int root, slip_real scale)
{
    const slip_joint_def *jd = &b->def->joints[j];
    const int i = b->joint_iv[root];

    b->damping[i] += scale*scale*jd->damping;
    b->friction[i] += slip_abs(scale)*jd->friction;
}

/* Limits of a mimicking joint, scale q + offset within [lower, upper], narrow those of the coordinate it follows.
 * Limits that leave an empty range or a single point are taken for a mistake and ignored with a warning. */
static slip_status build_mimic_limits(build *b, int body, slip_report *report, slip_error *err)
{
    const int j = b->body_joint[body], i = b->dof_iv[b->idof[body]];
    const slip_joint_def *jd = &b->def->joints[j];
    const slip_real scale = b->scale[body], offset = b->offset[body];
    slip_real from, to;

    if (!b->mimics[body] || jd->type == SLIP_JOINT_CONTINUOUS || scale == 0) return SLIP_OK;
    if (b->lower[i] == b->upper[i]) return SLIP_OK;      /* held as it is */
    from = ((scale > 0 ? jd->lower : jd->upper) - offset)/scale;
    to = ((scale > 0 ? jd->upper : jd->lower) - offset)/scale;
    if (!(slip_max(from, b->lower[i]) < slip_min(to, b->upper[i])))
        return slip_warn(report, err, jd->line, jd->column,
                         "joint '%s' mimics another, which its limits would hold at %g to %g "
                         "against that one's %g to %g: its limits are left out", jd->name, (double)from, (double)to,
                         (double)b->lower[i], (double)b->upper[i]);
    b->lower[i] = slip_max(from, b->lower[i]);
    b->upper[i] = slip_min(to, b->upper[i]);
    return SLIP_OK;
}

/* The freedoms of a body: which axis, turning or moving, and where in v. */
static void build_dofs(build *b, int body, int iv, slip_real scale)
{
    static const int axis[7][6]    = { {0}, {2}, {2}, {2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2, 0, 1, 2} };
    static const int angular[7][6] = { {0}, {1}, {1}, {0}, {0, 0, 1}, {1, 1, 1}, {0, 0, 0, 1, 1, 1} };
    const int t = b->type[body], n = slip_joint_nv((slip_joint_type)t);
    const slip_real armature = b->def->joints[b->body_joint[body]].armature;
    int k;

    b->idof[body] = b->ndofs;
    for (k = 0; k < n; ++k) {
        const int d = b->ndofs++;

        b->dof_body[d] = body;
        b->dof_axis[d] = axis[t][k];
        b->dof_angular[d] = angular[t][k];
        b->dof_iv[d] = iv + k;
        b->dof_scale[d] = scale;
        b->dof_armature[d] = armature;
        b->armature[iv + k] += scale*scale*armature;
    }
}

/* A new body on a moving joint: frames, coordinates, freedoms. */
static slip_status build_body(build *b, int j, slip_error *err)
{
    const slip_joint_def *jd = &b->def->joints[j];
    const int body = b->nbodies++;
    const int turns = jd->type == SLIP_JOINT_REVOLUTE || jd->type == SLIP_JOINT_CONTINUOUS
        || jd->type == SLIP_JOINT_PLANAR;
    slip_pose align, world, at;
    slip_real axis[3];
    int root = j;
    slip_status s = build_follow(b, j, &root, &b->scale[body], &b->offset[body], err);

    if (s != SLIP_OK) return s;
    slip_pose_identity(&align);                          /* body frame in the link frame: z on the axis */
    if (build_uses_axis(jd->type)) {
        slip_normalize3(jd->axis, axis);
        slip_mat3_z_to(axis, align.R);
    }
    slip_pose_identity(&world);
    slip_pose_mul(jd->parent < 0 ? &world : &b->link_pose[jd->parent], &jd->origin, &at);
    slip_pose_mul(&at, &align, &b->tree[body]);
    slip_pose_inverse(&align, &b->link_pose[jd->child]);
    b->link_body[jd->child] = b->joint_body[j] = body;
    b->parent[body] = jd->parent < 0 ? 0 : b->link_body[jd->parent];
    b->type[body] = (int)jd->type;
    b->body_joint[body] = j;
    b->body_link[body] = jd->child;
    b->mimics[body] = root != j;
    b->iq[body] = b->joint_iq[root];
    b->angle[body] = b->iq[body] + (jd->type == SLIP_JOINT_PLANAR ? 2 : 0);
    b->turn[body] = turns ? b->scale[body] : 0;
    build_dofs(b, body, b->joint_iv[root], b->scale[body]);
    if (root == j) build_joint_data(b, j);
    else build_mimic_data(b, j, root, b->scale[body]);
    return SLIP_OK;
}

/* A link on a fixed joint, or a root: moves with its parent's body. */
static void build_merge(build *b, int link, int j)
{
    const int parent = j < 0 ? -1 : b->def->joints[j].parent;
    slip_pose at;

    slip_pose_identity(&at);
    if (j >= 0) at = b->def->joints[j].origin;
    if (parent >= 0) slip_pose_mul(&b->link_pose[parent], &at, &at);
    b->link_pose[link] = at;
    b->link_body[link] = parent < 0 ? 0 : b->link_body[parent];
    if (j >= 0) b->joint_body[j] = -1;
}

/* Adds a link's inertia to its body's. */
static void build_lump(build *b, int link)
{
    const slip_link_def *l = &b->def->links[link];
    const slip_pose *X = &b->link_pose[link];
    const int body = b->link_body[link];
    slip_real in_link[10], turned[10];

    slip_inertia_from(l->mass, l->com, l->inertia, in_link);
    slip_inertia_rotate(X->R, in_link, turned);
    slip_inertia_add_shifted(turned, X->p, b->inertia + 10*body);
    b->body_mass[body] += l->mass;
}

static slip_status build_bodies(build *b, slip_error *err)
{
    int i;

    b->nbodies = 1;
    b->body_joint[0] = b->body_link[0] = -1;
    slip_pose_identity(&b->tree[0]);
    for (i = 0; i < b->def->nlinks; ++i) {
        const int link = b->order[i], j = b->above[link];

        if (j < 0 || b->def->joints[j].type == SLIP_JOINT_FIXED) build_merge(b, link, j);
        else {
            const slip_status s = build_body(b, j, err);

            if (s != SLIP_OK) return s;
        }
        build_lump(b, link);
    }
    return SLIP_OK;
}

/* ---- names and the whole ------------------------------------------------------------------------------ */

static const char *build_copy_name(build *b, const char *name)
{
    return slip_arena_text(b->mem, name, strlen(name));
}

static void build_names(build *b)
{
    int i;

    b->model->name = build_copy_name(b, b->def->name ? b->def->name : "");
    for (i = 0; i < b->def->nlinks; ++i) b->link_name[i] = build_copy_name(b, b->def->links[i].name);
    for (i = 0; i < b->def->njoints; ++i) {
        b->joint_name[i] = build_copy_name(b, b->def->joints[i].name);
        b->joint_type[i] = (int)b->def->joints[i].type;
    }
}

static slip_status build_take_scratch(build *b)
{
    const size_t nl = (size_t)b->def->nlinks, nj = (size_t)b->def->njoints;

    b->above = (int *)slip_arena_scratch(b->mem, nl, sizeof(int));
    b->first = (int *)slip_arena_scratch(b->mem, nl + 1, sizeof(int));
    b->next = (int *)slip_arena_scratch(b->mem, nj, sizeof(int));
    b->order = (int *)slip_arena_scratch(b->mem, nl, sizeof(int));
    b->stack = (int *)slip_arena_scratch(b->mem, nl + nj + 1, sizeof(int));
    b->joint_iq = (int *)slip_arena_scratch(b->mem, nj, sizeof(int));
    b->joint_iv = (int *)slip_arena_scratch(b->mem, nj, sizeof(int));
    return b->mem->failed ? SLIP_ERR_WORKSPACE : SLIP_OK;
}

static slip_status build_compile(build *b, slip_report *report, slip_error *err)
{
    slip_status s;
    int body;

    b->model = (slip_model *)slip_arena_take_zero(b->mem, 1, sizeof *b->model);
    if (!b->model || build_take_scratch(b) != SLIP_OK) return SLIP_ERR_WORKSPACE;
    if ((s = build_children(b, err)) != SLIP_OK) return s;
    if ((s = build_order(b, err)) != SLIP_OK) return s;
    build_count(b);
    build_take_arrays(b);
    if (b->mem->failed) return SLIP_ERR_WORKSPACE;
    slip_copy3(b->def->gravity, b->model->gravity);
    build_coordinates(b);
    if ((s = build_bodies(b, err)) != SLIP_OK) return s;
    for (body = 1; body < b->model->nbodies; ++body)
        if ((s = build_mimic_limits(b, body, report, err)) != SLIP_OK) return s;
    build_names(b);
    if (b->mem->failed) return SLIP_ERR_WORKSPACE;
    build_publish(b);
    s = slip_build_branches(b);
    if (s == SLIP_ERR_LIMIT)
        return slip_fail(err, s, 0, 0, "the tree is too deep: its mass matrix has more than %d entries",
                         SLIP_MODEL_MAX_ENTRIES);
    if (s != SLIP_OK) return s;
    return slip_build_check(b, report, err);
}

slip_status slip_model_build(const slip_model_def *def, slip_arena *mem, const slip_model **model,
                             slip_report *report, slip_error *err)
{
    const size_t low = slip_arena_mark(mem), high = slip_arena_mark_scratch(mem);
    const int failed_before = mem->failed;
    build b;
    slip_status s = build_check_def(def, err);

    memset(&b, 0, sizeof b);
    b.def = def;
    b.mem = mem;
    mem->failed = 0;
    if (s == SLIP_OK)
        s = build_check_names("link", def->links, def->nlinks, sizeof *def->links, offsetof(slip_link_def, line),
                              offsetof(slip_link_def, column), mem, err);
    if (s == SLIP_OK)
        s = build_check_names("joint", def->joints, def->njoints, sizeof *def->joints, offsetof(slip_joint_def, line),
                              offsetof(slip_joint_def, column), mem, err);
    if (s == SLIP_OK) s = build_compile(&b, report, err);
    slip_arena_release_scratch(mem, high);
    if (s == SLIP_ERR_WORKSPACE) slip_fail(err, s, 0, 0, "not enough memory for the model");
    if (s < 0) slip_arena_release(mem, low);
    else *model = b.model;
    mem->failed |= failed_before;
    return s;
}
