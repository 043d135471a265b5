/* See mjcf.h. Entry points; the walks over the text; classes of defaults, the compiler's settings and assets. */
#include "io/mjcf.h"

#include <string.h>
#include "io/file.h"
#include "io/mjcf_private.h"

static slip_status mjcf_full(slip_error *err)
{
    return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "robot does not fit into the arena");
}

/* ---- counting ------------------------------------------------------------------------------------ */

typedef struct { int links, joints, shapes, extras, defaults, classes, meshes, hfields; } mjcf_counts;

/* What an element may need; too much is harmless. A body is a link on a fixed joint, each joint a link more. */
static void mjcf_count_element(const slip_xml *x, int in_default, mjcf_counts *n)
{
    const int joint = slip_xml_is(x, "joint") || slip_xml_is(x, "freejoint");
    const int link = slip_xml_is(x, "body") || slip_xml_is(x, "site") || joint;

    n->links += link;
    n->joints += link;
    n->shapes += slip_xml_is(x, "geom");
    n->meshes += slip_xml_is(x, "mesh");
    n->hfields += slip_xml_is(x, "hfield");
    n->classes += slip_xml_is(x, "default");
    n->extras += x->depth == 3;                                /* actuators, equalities, pairs, tendons */
    if (in_default) n->defaults += x->nattributes;
}

static slip_status mjcf_count(mjcf_reader *r, const char *text, size_t length, mjcf_counts *n)
{
    slip_xml *x = r->u.xml;
    int in_default = 0;
    slip_status s = slip_xml_begin(x, text, length, r->u.err);

    memset(n, 0, sizeof *n);
    while (s == SLIP_OK) {
        s = slip_xml_next(x, r->u.err);
        if (s < 0 || x->event == SLIP_XML_DONE) break;
        if (x->event == SLIP_XML_END && x->depth == 1) in_default = 0;
        if (x->event != SLIP_XML_START) continue;
        if (x->depth == 1 && !slip_xml_is(x, "mujoco"))
            return slip_fail(r->u.err, SLIP_ERR_PARSE, x->line, x->column, "root element is <%.*s>, expected <mujoco>",
                             slip_xml_shown(x->full), x->full.text);
        if (x->depth == 2) in_default = slip_xml_is(x, "default");
        mjcf_count_element(x, in_default, n);
    }
    return s;
}

/* ---- defaults, compiler, assets ------------------------------------------------------------------ */

/* Notes the attributes of an element within a class of defaults. */
static void mjcf_keep_defaults(mjcf_reader *r, int of)
{
    const slip_xml *x = r->u.xml;
    int i;

    for (i = 0; i < x->nattributes; ++i) {
        mjcf_default *d = &r->defaults[r->ndefaults++];

        d->of = of;
        d->tag = x->name;
        d->name = x->attributes[i].name;
        d->value = x->attributes[i].value;
    }
}

/* <default> and all in it; leaves the reader at its end. */
static slip_status mjcf_defaults(mjcf_reader *r)
{
    slip_xml *x = r->u.xml;
    const int depth = x->depth;
    int stack[MJCF_DEPTH], top = depth - 1;
    slip_status s = SLIP_OK;

    stack[top] = -1;
    for (;;) {
        if (x->event == SLIP_XML_END && x->depth < depth) return SLIP_OK;
        if (x->event == SLIP_XML_START && slip_xml_is(x, "default")) {
            const slip_xml_attribute *a = slip_xml_find(x, "class");
            static const slip_xml_slice main = { "main", 4 };

            r->classes[r->nclasses].name = a ? a->value : main;
            r->classes[r->nclasses].parent = stack[x->depth - 1];
            stack[x->depth] = r->nclasses == 0 || stack[x->depth - 1] >= 0 ? r->nclasses : 0;
            if (stack[x->depth - 1] < 0) r->classes[r->nclasses].parent = stack[x->depth] == 0 ? -1 : 0;
            ++r->nclasses;
        } else if (x->event == SLIP_XML_START) {
            stack[x->depth] = stack[x->depth - 1];
            mjcf_keep_defaults(r, stack[x->depth]);
        }
        s = slip_xml_next(x, r->u.err);
        if (s < 0) return s;
    }
}

/* The sequence of axes of euler angles: three of x, y, z, capitals for fixed axes. */
static slip_status mjcf_read_sequence(mjcf_reader *r, char euler[MJCF_EULER])
{
    const slip_xml_attribute *a = slip_xml_find(r->u.xml, "eulerseq");
    int i;

    if (!a) return SLIP_OK;
    for (i = 0; i < a->value.length && i < 3 && a->value.text[i] && strchr("xyzXYZ", a->value.text[i]); ++i)
        euler[i] = a->value.text[i];
    if (i == 3 && a->value.length == 3) return SLIP_OK;
    return slip_fail(r->u.err, SLIP_ERR_MODEL, a->value_line, a->value_column,
                     "eulerseq=\"%.*s\" of <compiler>, expected three of x, y, z, X, Y, Z", slip_xml_shown(a->value),
                     a->value.text);
}

static slip_status mjcf_read_compiler(mjcf_reader *r)
{
    mjcf_compiler *c = &r->compiler;
    slip_xml_slice text;
    int n;
    slip_status s;

    r->tag = "compiler";
    r->class_of = -1;
    if (slip_mjcf_is(r, "angle", "radian")) c->degrees = 0;
    if (slip_mjcf_is(r, "angle", "degree")) c->degrees = 1;
    if (slip_mjcf_is(r, "autolimits", "false")) c->autolimits = 0;
    if (slip_mjcf_is(r, "inertiafromgeom", "true")) c->from_geoms = 1;
    if (slip_mjcf_is(r, "inertiafromgeom", "false")) c->from_geoms = 0;
    if (slip_mjcf_is(r, "balanceinertia", "true")) c->balance = 1;
    if (slip_mjcf_is(r, "exactmeshinertia", "true")) c->exact = 1;
    if (slip_mjcf_is(r, "strippath", "true")) c->strip_path = 1;
    if (slip_mjcf_text(r, "assetdir", &text)) c->asset_dir = slip_mjcf_copy(r, text);
    if (slip_mjcf_text(r, "meshdir", &text)) c->mesh_dir = slip_mjcf_copy(r, text);
    if (!c->asset_dir || !c->mesh_dir) return mjcf_full(r->u.err);
    if (slip_mjcf_is(r, "coordinate", "global"))
        return slip_fail(r->u.err, SLIP_ERR_UNSUPPORTED, r->u.xml->line, r->u.xml->column, "coordinate=\"global\" of "
                         "<compiler>, which MuJoCo itself reads no more; expected local coordinates");
    s = mjcf_read_sequence(r, c->euler);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "settotalmass", 1, &c->total_mass, &n);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "inertiagrouprange", 2, c->groups, &n);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "boundmass", 1, &c->bound_mass, &n);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "boundinertia", 1, &c->bound_inertia, &n);
    return s;
}

/* The second walk: what bodies refer to, wherever it stands. Meshes need the compiler's directory, so come after. */
static slip_status mjcf_collect(mjcf_reader *r, const char *text, size_t length, int meshes)
{
    slip_xml *x = r->u.xml;
    slip_status s = slip_xml_begin(x, text, length, r->u.err);

    while (s == SLIP_OK) {
        s = slip_xml_next(x, r->u.err);
        if (s < 0 || x->event == SLIP_XML_DONE) break;
        if (x->event != SLIP_XML_START || x->depth < 2) continue;
        if (meshes) {
            if (x->depth == 3 && slip_xml_is(x, "mesh") && slip_xml_slice_is(x->open[1].name, "asset"))
                s = slip_mjcf_mesh(r);
            else if (x->depth == 3 && slip_xml_is(x, "hfield") && slip_xml_slice_is(x->open[1].name, "asset"))
                s = slip_mjcf_hfield(r);
        } else if (x->depth == 2 && slip_xml_is(x, "default")) {
            s = mjcf_defaults(r);
        } else if (x->depth == 2 && slip_xml_is(x, "compiler")) {
            s = mjcf_read_compiler(r);
        }
    }
    return s;
}

/* ---- the third walk ------------------------------------------------------------------------------ */

static slip_status mjcf_skip(mjcf_reader *r)
{
    static const slip_xml_slice none = { "", 0 };
    const slip_xml *x = r->u.xml;
    char tag[40];

    r->is_partial |= slip_xml_is(x, "composite") || slip_xml_is(x, "flexcomp") || slip_xml_is(x, "replicate")
                     || slip_xml_is(x, "attach");
    slip_format(tag, (int)sizeof tag, "%.*s", x->name.length > 30 ? 30 : x->name.length, x->name.text);
    slip_mjcf_note(r, tag, none);
    return slip_xml_skip(r->u.xml, r->u.err);
}

/* Attributes that make no difference here, or only to how things look. */
static void mjcf_pass_over(slip_xml *x)
{
    static const char *const names[] = { "class", "childclass", "name", "material", "rgba", "group", "mesh", "type",
                                         "limited", "ctrllimited", "forcelimited", "ctrlrange", "condim", "size",
                                         "mocap", "contype", "conaffinity", "friction", "mass", "density", "kv", "kp",
                                         "actuatorfrclimited", "range", "gainprm", "gaintype", "user" };
    size_t i;

    for (i = 0; i < sizeof names/sizeof *names; ++i) slip_xml_find(x, names[i]);
}

/* An element below <worldbody>. */
static slip_status mjcf_in_body(mjcf_reader *r)
{
    slip_xml *x = r->u.xml;
    const int frame = slip_xml_is(x, "frame"), opens = frame || slip_xml_is(x, "body");
    slip_status s;

    if (opens) s = frame ? slip_mjcf_frame(r) : slip_mjcf_body(r);
    else if (slip_xml_is(x, "joint")) s = slip_mjcf_joint(r, 0);
    else if (slip_xml_is(x, "freejoint")) s = slip_mjcf_joint(r, 1);
    else if (slip_xml_is(x, "inertial")) s = slip_mjcf_inertial(r);
    else if (slip_xml_is(x, "geom")) s = slip_mjcf_geom(r);
    else if (slip_xml_is(x, "site")) s = slip_mjcf_site(r);
    else return mjcf_skip(r);
    if (s < 0) return s;
    mjcf_pass_over(x);
    slip_mjcf_unread(r);
    return opens ? SLIP_OK : slip_xml_skip(x, r->u.err);
}

static slip_status mjcf_worldbody(mjcf_reader *r)
{
    slip_xml *x = r->u.xml;
    const int depth = x->depth;
    slip_status s;

    r->depth = 0;
    for (;;) {
        s = slip_xml_next(x, r->u.err);
        if (s < 0) return s;
        if (x->event == SLIP_XML_END && x->depth < depth) return SLIP_OK;
        if (x->event == SLIP_XML_END) s = slip_mjcf_body_end(r);       /* all others were read to their ends */
        else if (x->event == SLIP_XML_START) s = mjcf_in_body(r);
        if (s < 0) return s;
    }
}

/* The children of an element below the root, each by the same function, which may read further. */
static slip_status mjcf_each(mjcf_reader *r, slip_status (*read)(mjcf_reader *r))
{
    slip_xml *x = r->u.xml;
    const int depth = x->depth;
    slip_status s;

    for (;;) {
        s = slip_xml_next(x, r->u.err);
        if (s < 0) return s;
        if (x->event == SLIP_XML_END && x->depth < depth) return SLIP_OK;
        if (x->event != SLIP_XML_START) continue;
        s = read(r);
        if (s == SLIP_OK && x->event == SLIP_XML_START) {
            mjcf_pass_over(x);
            slip_mjcf_unread(r);
            s = slip_xml_skip(x, r->u.err);
        }
        if (s < 0) return s;
    }
}

static slip_status mjcf_read_contact(mjcf_reader *r)
{
    return slip_xml_is(r->u.xml, "exclude") ? slip_mjcf_exclude(r) : slip_mjcf_pair(r);
}

static slip_status mjcf_read_option(mjcf_reader *r)
{
    slip_status s;
    int n;

    r->tag = "option";
    r->class_of = -1;
    s = slip_mjcf_reals(r, "gravity", 3, r->u.out.def.gravity, &n);
    slip_mjcf_unread(r);
    return s;
}

static slip_status mjcf_read_flag(mjcf_reader *r)
{
    r->tag = "flag";
    r->class_of = -1;
    r->is_weightless |= slip_mjcf_is(r, "gravity", "disable");
    slip_mjcf_unread(r);
    return slip_xml_skip(r->u.xml, r->u.err);
}

/* In which walk an element below the root is read: bodies, then tendons, which name joints, then equalities, then what
 * may name tendons; -1: in none. */
enum { MJCF_BODIES, MJCF_TENDONS, MJCF_EQUALITIES, MJCF_REST, MJCF_WALKS };

static int mjcf_walk_of(const slip_xml *x)
{
    static const char *const passed[] = { "default", "compiler", "asset", "visual", "statistic", "size" };
    size_t i;

    for (i = 0; i < sizeof passed/sizeof *passed; ++i) if (slip_xml_is(x, passed[i])) return -1;
    if (slip_xml_is(x, "worldbody") || slip_xml_is(x, "option")) return MJCF_BODIES;
    return slip_xml_is(x, "tendon") ? MJCF_TENDONS : slip_xml_is(x, "equality") ? MJCF_EQUALITIES : MJCF_REST;
}

static slip_status mjcf_walk(mjcf_reader *r, const char *text, size_t length, int walk)
{
    slip_xml *x = r->u.xml;
    slip_status s = slip_xml_begin(x, text, length, r->u.err);

    while (s == SLIP_OK) {
        s = slip_xml_next(x, r->u.err);
        if (s < 0 || x->event == SLIP_XML_DONE) break;
        if (x->event != SLIP_XML_START || x->depth < 2) continue;
        if (x->depth > 2) s = mjcf_read_flag(r);               /* of <option> */
        else if (mjcf_walk_of(x) != walk) s = slip_xml_skip(x, r->u.err);
        else if (slip_xml_is(x, "worldbody")) s = mjcf_worldbody(r);
        else if (slip_xml_is(x, "option")) s = mjcf_read_option(r);
        else if (walk == MJCF_TENDONS) s = mjcf_each(r, slip_mjcf_tendon);
        else if (walk == MJCF_EQUALITIES) s = mjcf_each(r, slip_mjcf_equality);
        else if (slip_xml_is(x, "actuator")) s = mjcf_each(r, slip_mjcf_actuator);
        else if (slip_xml_is(x, "contact")) s = mjcf_each(r, mjcf_read_contact);
        else if (slip_xml_is(x, "keyframe")) s = mjcf_each(r, slip_mjcf_key);
        else s = mjcf_skip(r);
    }
    return s;
}

/* One warning for all that was not understood. */
static slip_status mjcf_tell(mjcf_reader *r)
{
    char text[220];
    int i, at = 0;

    for (i = 0; i < r->nnotes && at < (int)sizeof text - 70; ++i)
        at += slip_format(text + at, (int)sizeof text - at, "%s%s", i ? ", " : "", r->notes[i].what);
    if (r->nnotes == 0) return SLIP_OK;
    return slip_warn(r->u.report, r->u.err, r->notes[0].line, 0, "not used: %s%s", text, i < r->nnotes ? ", ..." : "");
}

/* ---- memory and entry points --------------------------------------------------------------------- */

static int mjcf_carve(mjcf_reader *r, const mjcf_counts *n)
{
    slip_arena *mem = r->mem;
    slip_urdf *o = &r->u.out;
    const size_t links = (size_t)n->links, joints = (size_t)n->joints + 1, extras = (size_t)n->extras;

    o->def.links = (slip_link_def *)slip_arena_take_zero(mem, links, sizeof(slip_link_def));
    o->def.joints = (slip_joint_def *)slip_arena_take_zero(mem, joints, sizeof(slip_joint_def));
    o->joints = (slip_urdf_joint *)slip_arena_take_zero(mem, joints, sizeof(slip_urdf_joint));
    o->contacts = (slip_urdf_contact *)slip_arena_take_zero(mem, links, sizeof(slip_urdf_contact));
    o->shapes = (slip_urdf_shape *)slip_arena_take_zero(mem, (size_t)n->shapes, sizeof(slip_urdf_shape));
    o->extras.home = (slip_pose *)slip_arena_take_zero(mem, joints, sizeof(slip_pose));
    o->extras.start = (slip_real *)slip_arena_take_zero(mem, joints, sizeof(slip_real));
    o->extras.loops = (slip_robot_loop *)slip_arena_take_zero(mem, extras, sizeof(slip_robot_loop));
    o->extras.drives = (slip_robot_drive *)slip_arena_take_zero(mem, extras, sizeof(slip_robot_drive));
    o->extras.excludes = (int (*)[2])slip_arena_take_zero(mem, extras, sizeof *o->extras.excludes);
    r->ref = (slip_real *)slip_arena_scratch(mem, joints, sizeof(slip_real));
    r->defaults = (mjcf_default *)slip_arena_scratch(mem, (size_t)n->defaults, sizeof(mjcf_default));
    r->classes = (mjcf_class *)slip_arena_scratch(mem, (size_t)n->classes + 1, sizeof(mjcf_class));
    r->meshes = (mjcf_mesh *)slip_arena_scratch(mem, (size_t)n->meshes, sizeof(mjcf_mesh));
    r->hfields = (mjcf_hfield *)slip_arena_scratch(mem, (size_t)n->hfields, sizeof(mjcf_hfield));
    r->bits = (mjcf_geom_bits *)slip_arena_scratch(mem, (size_t)n->shapes, sizeof(mjcf_geom_bits));
    r->pairs = (int (*)[2])slip_arena_scratch(mem, extras, sizeof *r->pairs);
    r->tendons = (mjcf_tendon *)slip_arena_scratch(mem, extras, sizeof(mjcf_tendon));
    r->rooms[0] = n->links;
    r->rooms[1] = n->joints;
    r->rooms[2] = n->shapes;
    return !mem->failed;
}

/* The first link that hangs on the world by a joint that moves, else by any; -1 without links. */
static int mjcf_root(const slip_model_def *def)
{
    int i, root = -1;

    for (i = def->njoints - 1; i >= 0; --i)
        if (def->joints[i].parent < 0 && (root < 0 || def->joints[i].type != SLIP_JOINT_FIXED))
            root = def->joints[i].child;
    return root;
}

static slip_status mjcf_read_in(mjcf_reader *r, const char *text, size_t length)
{
    static const slip_xml_slice main = { "main", 4 };
    mjcf_counts n;
    int walk;
    slip_status s = mjcf_count(r, text, length, &n);
    slip_xml_attribute *name;

    if (s < 0) return s;
    if (!mjcf_carve(r, &n)) return mjcf_full(r->u.err);
    r->compiler.degrees = r->compiler.autolimits = 1;
    r->compiler.from_geoms = 2;
    r->compiler.density = 1000;
    r->compiler.mesh_dir = r->compiler.asset_dir = "";
    r->compiler.groups[1] = 5;
    memcpy(r->compiler.euler, "xyz", 4);
    s = mjcf_collect(r, text, length, 0);
    if (s == SLIP_OK && r->nclasses == 0) {
        r->classes[0].name = main;
        r->classes[r->nclasses++].parent = -1;
    }
    if (s == SLIP_OK) s = mjcf_collect(r, text, length, 1);
    r->body[0].link = -1;
    slip_pose_identity(&r->body[0].frame);
    if (s == SLIP_OK) s = slip_xml_begin(r->u.xml, text, length, r->u.err);
    if (s == SLIP_OK) s = slip_xml_next(r->u.xml, r->u.err);
    if (s < 0) return s;
    name = slip_xml_find(r->u.xml, "model");
    r->u.out.def.name = name ? slip_mjcf_copy(r, name->value) : "MuJoCo Model";
    if (!r->u.out.def.name) return mjcf_full(r->u.err);
    for (walk = MJCF_BODIES; walk < MJCF_WALKS && s == SLIP_OK; ++walk) s = mjcf_walk(r, text, length, walk);
    if (s < 0) return s;
    slip_mjcf_sort(r);
    slip_mjcf_total_mass(r);
    if (r->is_weightless) slip_zero3(r->u.out.def.gravity);
    s = mjcf_tell(r);
    r->u.out.root = mjcf_root(&r->u.out.def);
    if (s == SLIP_OK && r->u.out.root < 0)
        s = slip_warn(r->u.report, r->u.err, 0, 0, "the model has no bodies: there is nothing to move");
    return s;
}

/* A warning, at its place in the file that it is about. */
static void mjcf_pass_on(void *context, const slip_error *warning)
{
    const mjcf_reader *r = (const mjcf_reader *)context;
    slip_error placed = *warning;

    slip_mjcf_place(&r->parts, &placed);
    if (r->outer->warn) r->outer->warn(r->outer->context, &placed);
}

/* Places of what was read, for messages that come later: those of included files are not the model's. */
static void mjcf_own_places(mjcf_reader *r)
{
    const slip_model_def *def = &r->u.out.def;
    int i;

    for (i = 0; i < def->nlinks + def->njoints + r->u.out.nshapes && r->parts.n > 1; ++i) {
        const int j = i - def->nlinks, k = j - def->njoints;
        int *line = j < 0 ? &def->links[i].line : k < 0 ? &def->joints[j].line : &r->u.out.shapes[k].line;
        int *column = j < 0 ? &def->links[i].column : k < 0 ? &def->joints[j].column : &r->u.out.shapes[k].column;
        slip_error place;

        slip_error_clear(&place);
        place.line = *line;
        place.column = *column;
        slip_mjcf_place(&r->parts, &place);
        *line = place.file[0] ? 0 : place.line;
        *column = place.file[0] ? 0 : place.column;
    }
}

slip_status slip_mjcf_read(const char *text, size_t length, const char *file, const slip_urdf_options *opt,
                           slip_arena *mem, slip_urdf *out, slip_report *report, slip_error *err)
{
    const slip_urdf_options defaults = slip_urdf_defaults();
    const size_t low = slip_arena_mark(mem), high = slip_arena_mark_scratch(mem);
    const int failed = mem->failed;
    mjcf_reader *r;
    slip_error local;
    slip_status s;

    if (slip_arena_is_counting(mem)) return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "a counting arena holds no robot");
    if (!err) err = &local;
    slip_error_clear(err);
    slip_error_set_file(err, file ? file : "");
    mem->failed = 0;
    r = (mjcf_reader *)slip_arena_scratch(mem, 1, sizeof *r);
    if (r) {
        memset(r, 0, sizeof *r);
        r->u.opt = opt ? opt : &defaults;
        r->u.file = file ? file : "";
        r->outer = report;
        if (report) {
            r->report = *report;
            r->report.warn = mjcf_pass_on;
            r->report.context = r;
            r->u.report = &r->report;
        }
        r->u.err = err;
        r->mem = mem;
        r->u.out.def.gravity[2] = SLIP_R(-9.81);
        r->u.xml = (slip_xml *)slip_arena_scratch(mem, 1, sizeof(slip_xml));
    }
    s = r && r->u.xml ? slip_mjcf_include(r->u.file, mem, &text, &length, &r->parts, err) : mjcf_full(err);
    if (s == SLIP_OK) {
        s = mjcf_read_in(r, text, length);
        if (s < 0) slip_mjcf_place(&r->parts, err);
        else mjcf_own_places(r);
    }
    if (r && report) report->count = r->report.count;
    if (s >= 0) *out = r->u.out;
    else slip_arena_release(mem, low);
    slip_arena_release_scratch(mem, high);
    mem->failed = failed;
    return s;
}

int slip_robot_format(const char *text, size_t length)
{
    size_t i = 0;

    /* over blanks, comments, instructions and whatever else begins with <? or <!, to the name of the first element */
    while (i + 1 < length && !(text[i] == '<' && text[i + 1] != '?' && text[i + 1] != '!')) {
        if (i + 3 < length && memcmp(text + i, "<!--", 4) == 0)
            for (i += 4; i + 2 < length && memcmp(text + i, "-->", 3) != 0; ++i) { }
        ++i;
    }
    if (i + 6 < length && memcmp(text + i, "<robot", 6) == 0) return 1;
    return i + 7 < length && memcmp(text + i, "<mujoco", 7) == 0 ? 2 : 0;
}

slip_status slip_robot_read(const char *text, size_t length, const char *file, const slip_urdf_options *opt,
                            slip_arena *mem, slip_urdf *out, slip_report *report, slip_error *err)
{
    return (slip_robot_format(text, length) == 2 ? slip_mjcf_read : slip_urdf_read)(text, length, file, opt, mem, out,
                                                                                   report, err);
}

slip_status slip_robot_load(const char *path, const slip_urdf_options *opt, slip_arena *mem, slip_urdf *out,
                            slip_report *report, slip_error *err)
{
    const size_t high = slip_arena_mark_scratch(mem);
    size_t length = 0;
    char *text = NULL;
    slip_status s = slip_file_read(path, SLIP_XML_MAX_BYTES, mem, &text, &length, err);

    if (s == SLIP_OK) s = slip_robot_read(text, length, path, opt, mem, out, report, err);
    slip_arena_release_scratch(mem, high);
    return s;
}
