/* Bodies of MJCF: their joints, inertials and sites. A joint of MJCF lies anywhere in its body, and a body may have
 * several: each becomes a massless link at the joint, and the body itself is fixed to the last of them. */
#include "io/mjcf_private.h"

#include <string.h>

/* The body that is open, whatever frames are within it. */
static mjcf_body *body_open(mjcf_reader *r) { return &r->body[r->body[r->depth].owner]; }

/* A new joint above a new link; NULL when the counting pass did not make room, or names do not fit. */
static slip_joint_def *body_add(mjcf_reader *r, const char *link_name, const char *joint_name, int parent,
                                const slip_pose *at)
{
    slip_model_def *def = &r->u.out.def;
    slip_link_def *l = &def->links[def->nlinks];
    slip_joint_def *j = &def->joints[def->njoints];

    if (!link_name || !joint_name || def->nlinks == r->rooms[0] || def->njoints == r->rooms[1]) return NULL;
    memset(l, 0, sizeof *l);
    l->name = link_name;
    *j = slip_joint_defaults();
    j->name = joint_name;
    j->parent = parent;
    j->child = def->nlinks;
    j->origin = *at;
    l->line = j->line = r->u.xml->line;
    l->column = j->column = r->u.xml->column;
    slip_pose_identity(&r->u.out.extras.home[def->njoints]);
    r->u.out.extras.start[def->njoints] = r->ref[def->njoints] = 0;
    memset(&r->u.out.contacts[def->nlinks], 0, sizeof r->u.out.contacts[0]);
    r->u.out.contacts[def->nlinks].friction = r->u.out.contacts[def->nlinks].restitution = -1;
    r->u.out.contacts[def->nlinks].rolling = r->u.out.contacts[def->nlinks].torsion = -1;
    ++def->nlinks;
    ++def->njoints;
    return j;
}

static slip_status body_full(mjcf_reader *r)
{
    return slip_fail(r->u.err, SLIP_ERR_WORKSPACE, 0, 0, "robot does not fit into the arena");
}

/* "a/b", from the arena. */
static const char *body_pair(mjcf_reader *r, const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    char *text = (char *)slip_arena_take(r->mem, n + m + 2, 1);

    if (!text) return NULL;
    memcpy(text, a, n);
    text[n] = '/';
    memcpy(text + n + 1, b, m + 1);
    return text;
}

int slip_mjcf_link(mjcf_reader *r, const char *name, int parent, const slip_pose *at)
{
    const slip_joint_def *j = name ? body_add(r, name, body_pair(r, name, "fixed"), parent, at) : NULL;

    return j ? j->child : -1;
}

/* What a body and a frame have in common: the place, and the class of what is within. */
static slip_status body_begin(mjcf_reader *r, const char *tag, slip_pose *X, int *class_of)
{
    const slip_xml_attribute *child = slip_xml_find(r->u.xml, "childclass");
    slip_status s;

    r->tag = tag;
    r->class_of = *class_of = r->body[r->depth].class_of;
    s = slip_mjcf_pose(r, X);
    return s == SLIP_OK && child ? slip_mjcf_find_class(r, child, class_of) : s;
}

slip_status slip_mjcf_body(mjcf_reader *r)
{
    mjcf_body *b = &r->body[r->depth + 1];
    slip_pose X;
    int class_of;
    slip_status s = body_begin(r, "body", &X, &class_of);

    if (s < 0) return s;
    memset(b, 0, sizeof *b);
    b->link = slip_mjcf_link(r, slip_mjcf_name(r, "body"), body_open(r)->link, &X);
    if (b->link < 0) return body_full(r);
    b->class_of = class_of;
    b->owner = ++r->depth;
    slip_pose_identity(&b->frame);
    return SLIP_OK;
}

/* A frame moves what is within it, and vanishes. */
slip_status slip_mjcf_frame(mjcf_reader *r)
{
    mjcf_body *b = &r->body[r->depth + 1];
    slip_pose X;
    int class_of;
    const slip_status s = body_begin(r, "frame", &X, &class_of);

    if (s < 0) return s;
    memset(b, 0, sizeof *b);
    b->link = body_open(r)->link;
    b->class_of = class_of;
    b->owner = r->body[r->depth++].owner;
    b->frame = X;
    return SLIP_OK;
}

/* ---- joints -------------------------------------------------------------------------------------- */

/* Puts a joint above the body's link, below those it has: the link keeps its index, so that what was read of the body
 * stays its own, and a new link at the joint comes between. */
static slip_joint_def *body_insert(mjcf_reader *r, const char *name, const slip_real pos[3])
{
    slip_model_def *def = &r->u.out.def;
    const int link = body_open(r)->link;
    slip_joint_def *last = NULL, *j;
    slip_pose at, back;
    int i;

    for (i = 0; i < def->njoints; ++i) if (def->joints[i].child == link) last = &def->joints[i];
    slip_pose_identity(&at);
    slip_copy3(pos, at.p);
    slip_pose_mul(&last->origin, &at, &at);                    /* the joint, in the frame of what is above    */
    j = name ? body_add(r, body_pair(r, def->links[link].name, name), name, last->parent, &at) : NULL;
    if (!j) return NULL;
    last->parent = j->child;
    slip_pose_identity(&back);
    slip_scale3(-1, pos, back.p);
    last->origin = back;                                       /* at q = 0 nothing has turned                 */
    return j;
}

static slip_status body_limits(mjcf_reader *r, slip_joint_def *j, slip_real ref)
{
    const int turns = j->type != SLIP_JOINT_PRISMATIC;
    slip_real range[2];
    int n, limited = r->compiler.autolimits;
    slip_status s = turns ? slip_mjcf_angle(r, "range", 2, range, &n) : slip_mjcf_reals(r, "range", 2, range, &n);

    if (slip_mjcf_is(r, "limited", "true")) limited = 1;
    if (slip_mjcf_is(r, "limited", "false")) limited = 0;
    if (s < 0 || n < 2 || !limited || j->type == SLIP_JOINT_BALL) return s;
    if (!(range[0] <= range[1]))
        return slip_warn(r->u.report, r->u.err, j->line, j->column, "joint '%s': range %g to %g is empty; not limited",
                         j->name, (double)range[0], (double)range[1]);
    j->lower = range[0] - ref;
    j->upper = range[1] - ref;
    if (j->type == SLIP_JOINT_CONTINUOUS) j->type = SLIP_JOINT_REVOLUTE;
    return SLIP_OK;
}

static slip_status body_losses(mjcf_reader *r, slip_joint_def *j)
{
    slip_real stiffness = 0, effort[2];
    int n, k;
    slip_status s = slip_mjcf_reals(r, "armature", 1, &j->armature, &n);

    if (s == SLIP_OK) s = slip_mjcf_reals(r, "damping", 1, &j->damping, &n);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "frictionloss", 1, &j->friction, &n);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "stiffness", 1, &stiffness, &n);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "actuatorfrcrange", 2, effort, &k);
    if (s == SLIP_OK && k == 2) j->effort = slip_max(slip_abs(effort[0]), slip_abs(effort[1]));
    if (s == SLIP_OK && n == 1 && stiffness > 0) {
        const slip_xml_slice what = { "stiffness", 9 };

        slip_mjcf_note(r, "joint", what);
    }
    return s;
}

slip_status slip_mjcf_joint(mjcf_reader *r, int is_free)
{
    static const struct { const char *word; slip_joint_type type; } types[] = {
        { "hinge", SLIP_JOINT_CONTINUOUS }, { "slide", SLIP_JOINT_PRISMATIC }, { "ball", SLIP_JOINT_BALL },
        { "free", SLIP_JOINT_FLOATING } };
    slip_joint_type type = is_free ? SLIP_JOINT_FLOATING : SLIP_JOINT_CONTINUOUS;
    slip_real pos[3] = { 0, 0, 0 }, axis[3] = { 0, 0, 1 }, ref = 0;
    slip_xml_slice word;
    slip_joint_def *j;
    int i, n;
    slip_status s;

    if (r->body[r->depth].owner == 0)
        return slip_fail(r->u.err, SLIP_ERR_MODEL, r->u.xml->line, r->u.xml->column, "a joint outside a body");
    s = slip_mjcf_class(r, is_free ? "freejoint" : "joint");
    if (s == SLIP_OK && !is_free && slip_mjcf_text(r, "type", &word)) {
        for (i = 0; i < 4 && !slip_xml_slice_is(word, types[i].word); ++i) { }
        if (i == 4)
            return slip_fail(r->u.err, SLIP_ERR_PARSE, r->u.xml->line, r->u.xml->column, "joint type '%.*s', expected "
                             "hinge, slide, ball or free", slip_xml_shown(word), word.text);
        type = types[i].type;
    }
    if (s == SLIP_OK && type != SLIP_JOINT_FLOATING) s = slip_mjcf_reals(r, "pos", 3, pos, &n);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "axis", 3, axis, &n);
    if (s == SLIP_OK && type == SLIP_JOINT_PRISMATIC) s = slip_mjcf_reals(r, "ref", 1, &ref, &n);
    else if (s == SLIP_OK) s = slip_mjcf_angle(r, "ref", 1, &ref, &n);
    if (s < 0) return s;
    slip_pose_point(&r->body[r->depth].frame, pos, pos);
    slip_mat3_vec(r->body[r->depth].frame.R, axis, axis);
    j = body_insert(r, slip_mjcf_name(r, "joint"), pos);
    if (!j) return body_full(r);
    j->type = type;
    slip_copy3(axis, j->axis);
    r->ref[j - r->u.out.def.joints] = ref;
    if (type == SLIP_JOINT_FLOATING) {                         /* its coordinates are its place in the world */
        r->u.out.extras.home[j - r->u.out.def.joints] = j->origin;
        slip_pose_identity(&j->origin);
    } else {
        s = body_limits(r, j, ref);
    }
    return s < 0 ? s : body_losses(r, j);
}

/* ---- inertials and sites ------------------------------------------------------------------------- */

slip_status slip_mjcf_inertial(mjcf_reader *r)
{
    mjcf_body *b = body_open(r);
    slip_link_def *l = &r->u.out.def.links[b->link];
    slip_real d[3], f[6], I[6] = { 0, 0, 0, 0, 0, 0 };
    slip_pose X;
    int has_diagonal, has_full = 0;
    slip_status s = slip_mjcf_class(r, "inertial");

    if (s == SLIP_OK) s = slip_mjcf_pose(r, &X);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "mass", 1, &l->mass, NULL);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "diaginertia", 3, d, &has_diagonal);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "fullinertia", 6, f, &has_full);
    if (s < 0) return s;
    if (l->mass < 0) return slip_fail(r->u.err, SLIP_ERR_MODEL, r->u.xml->line, r->u.xml->column, "mass %g is negative",
                                      (double)l->mass);
    if (has_full == 6) {                                       /* MJCF: xx yy zz xy xz yz */
        I[0] = f[0];  I[3] = f[1];  I[5] = f[2];
        I[1] = f[3];  I[2] = f[4];  I[4] = f[5];
    } else if (has_diagonal == 3) {
        I[0] = d[0];  I[3] = d[1];  I[5] = d[2];
    }
    slip_copy3(X.p, l->com);
    slip_urdf_turn_inertia(X.R, I, l->inertia);
    b->has_inertial = 1;
    return SLIP_OK;
}

slip_status slip_mjcf_site(mjcf_reader *r)
{
    const char *name;
    slip_pose X;
    slip_status s = slip_mjcf_class(r, "site");

    if (s == SLIP_OK) s = slip_mjcf_pose(r, &X);
    if (s < 0) return s;
    name = slip_mjcf_name(r, "site");
    if (name) {
        const size_t n = strlen(name) + 1;
        char *full = (char *)slip_arena_take(r->mem, 5 + n, 1);

        if (full) {
            memcpy(full, "site:", 5);
            memcpy(full + 5, name, n);
        }
        name = full;
    }
    return slip_mjcf_link(r, name, body_open(r)->link, &X) < 0 ? body_full(r) : SLIP_OK;
}

/* ---- the end of a body --------------------------------------------------------------------------- */

/* The compiler's least principal moments. */
static void body_bound_inertia(slip_real least, slip_real I[6])
{
    const slip_real A[9] = { I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5] };
    slip_real w[3], V[9], diagonal[6] = { 0, 0, 0, 0, 0, 0 };

    slip_mat3_eigen(A, w, V);
    if (w[0] >= least) return;
    diagonal[0] = slip_max(w[0], least);
    diagonal[3] = slip_max(w[1], least);
    diagonal[5] = slip_max(w[2], least);
    slip_urdf_turn_inertia(V, diagonal, I);
}

/* A ball of the same trace, for an inertia that no body has. */
static void body_balance_inertia(slip_real I[6])
{
    const slip_real A[9] = { I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5] };
    slip_real w[3], V[9];
    int k;

    slip_mat3_eigen(A, w, V);
    if (w[0] + w[1] >= w[2]) return;
    for (k = 0; k < 6; ++k) I[k] = k == 0 || k == 3 || k == 5 ? (w[0] + w[1] + w[2])/3 : 0;
}

slip_status slip_mjcf_body_end(mjcf_reader *r)
{
    const mjcf_body *b = body_open(r);
    slip_link_def *l = &r->u.out.def.links[b->link];

    if (r->body[r->depth].owner != r->depth) {                 /* a frame's */
        --r->depth;
        return SLIP_OK;
    }
    if (r->compiler.from_geoms == 1 || (r->compiler.from_geoms == 2 && !b->has_inertial)) {
        l->mass = b->mass.mass;
        slip_copy3(b->mass.centre, l->com);
        memcpy(l->inertia, b->mass.inertia, sizeof l->inertia);
    }
    l->mass = slip_max(l->mass, r->compiler.bound_mass);
    if (r->compiler.balance) body_balance_inertia(l->inertia);
    if (r->compiler.bound_inertia > 0) body_bound_inertia(r->compiler.bound_inertia, l->inertia);
    --r->depth;
    return SLIP_OK;
}

void slip_mjcf_total_mass(mjcf_reader *r)
{
    const slip_model_def *def = &r->u.out.def;
    slip_real sum = 0;
    int i, k;

    for (i = 0; i < def->nlinks; ++i) sum += def->links[i].mass;
    for (i = 0; i < def->nlinks && r->compiler.total_mass > 0 && sum > 0; ++i) {
        slip_link_def *l = &r->u.out.def.links[i];

        l->mass *= r->compiler.total_mass/sum;
        for (k = 0; k < 6; ++k) l->inertia[k] *= r->compiler.total_mass/sum;
    }
}
