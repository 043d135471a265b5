/* See urdf.h. Entry points: count, take memory, read, resolve. */
#include "io/urdf.h"

#include <string.h>
#include "io/file.h"
#include "io/urdf_private.h"

slip_urdf_options slip_urdf_defaults(void)
{
    slip_urdf_options opt;

    opt.free_base = 0;
    opt.independent_mimics = 0;
    opt.find_meshes = 1;
    opt.package_paths = NULL;
    opt.npackage_paths = 0;
    return opt;
}

/* ---- counting --------------------------------------------------------------------------------- */

/* Counts the memory that an element may need. Elements of skipped blocks count too; counting too much is harmless. */
static void urdf_count_element(const slip_xml *x, size_t mesh_room, slip_urdf_counts *n)
{
    int i;

    if (x->depth == 2) {
        n->links += slip_xml_is(x, "link");
        n->joints += slip_xml_is(x, "joint");
    }
    n->shapes += x->depth == 3 && (slip_xml_is(x, "collision") || slip_xml_is(x, "visual"));
    n->materials += slip_xml_is(x, "material");
    for (i = 0; i < x->nattributes; ++i) {
        const slip_xml_attribute *a = &x->attributes[i];
        const size_t bytes = (size_t)a->value.length + 1;

        if (slip_xml_slice_is(a->name, "name"))     n->kept_text += bytes;
        if (slip_xml_slice_is(a->name, "filename")) n->kept_text += 2*bytes + mesh_room;
        if (slip_xml_slice_is(a->name, "link") || slip_xml_slice_is(a->name, "joint") ||
            slip_xml_slice_is(a->name, "type"))
            n->passing_text += bytes;
    }
}

/* The root element must be <robot>; others get a hint. */
static slip_status urdf_check_root(const slip_xml *x, slip_error *err)
{
    if (slip_xml_is(x, "robot")) return SLIP_OK;
    return slip_fail(err, SLIP_ERR_PARSE, x->line, x->column, "root element is <%.*s>%s, expected <robot>",
                     slip_xml_shown(x->full), x->full.text,
                     slip_xml_is(x, "sdf") ? " (an SDF file)" : slip_xml_is(x, "mujoco") ? " (an MJCF file)" : "");
}

/* First pass: checks that the text is well-formed XML with a <robot>, and counts its elements. */
static slip_status urdf_count(slip_xml *x, const char *text, size_t length, size_t mesh_room, slip_urdf_counts *n,
                              slip_error *err)
{
    slip_status s = slip_xml_begin(x, text, length, err);

    memset(n, 0, sizeof *n);
    while (s == SLIP_OK) {
        s = slip_xml_next(x, err);
        if (s < 0 || x->event == SLIP_XML_DONE) break;
        if (x->event != SLIP_XML_START) continue;
        if (x->depth == 1) s = urdf_check_root(x, err);
        urdf_count_element(x, mesh_room, n);
    }
    return s;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* Takes everything but the XML reader; 0 when the arena is full. The fill is over a counting arena, too. */
static int urdf_carve(slip_urdf_reader *r, slip_arena *mem)
{
    const slip_urdf_counts *n = &r->room;
    const int most = n->links > n->joints ? n->links : n->joints;
    const size_t work = (size_t)(most > n->materials ? most : n->materials) + 1;
    const size_t joints = (size_t)n->joints + 1;              /* and one for a free base */
    const int failed = mem->failed;
    int full;

    mem->failed = 0;
    r->out.def.links = (slip_link_def *)slip_arena_take_zero(mem, (size_t)n->links, sizeof(slip_link_def));
    r->out.def.joints = (slip_joint_def *)slip_arena_take_zero(mem, joints, sizeof(slip_joint_def));
    r->out.joints = (slip_urdf_joint *)slip_arena_take_zero(mem, joints, sizeof(slip_urdf_joint));
    r->out.contacts = (slip_urdf_contact *)slip_arena_take_zero(mem, (size_t)n->links, sizeof(slip_urdf_contact));
    r->out.shapes = (slip_urdf_shape *)slip_arena_take_zero(mem, (size_t)n->shapes, sizeof(slip_urdf_shape));
    r->kept.at = (char *)slip_arena_take(mem, n->kept_text, 1);
    r->kept.left = n->kept_text;
    r->passing.at = (char *)slip_arena_scratch(mem, n->passing_text, 1);
    r->passing.left = n->passing_text;
    r->links = (slip_urdf_ref *)slip_arena_scratch(mem, (size_t)n->links, sizeof(slip_urdf_ref));
    r->joints = (slip_urdf_joint_refs *)slip_arena_scratch(mem, joints, sizeof(slip_urdf_joint_refs));
    r->materials = (slip_urdf_material *)slip_arena_scratch(mem, (size_t)n->materials, sizeof(slip_urdf_material));
    r->index = (int *)slip_arena_scratch(mem, work, sizeof(int));
    r->above = (int *)slip_arena_scratch(mem, work, sizeof(int));
    r->mark = (int *)slip_arena_scratch(mem, work, sizeof(int));
    r->chain = (int *)slip_arena_scratch(mem, work, sizeof(int));
    full = mem->failed;
    mem->failed = failed || full;
    return !full;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* <robot>: links, joints and materials in any order. */
static slip_status urdf_read_robot(slip_urdf_reader *r)
{
    static const slip_urdf_tag tags[] = {
        { "link", 1, slip_urdf_read_link }, { "joint", 1, slip_urdf_read_joint },
        { "material", 1, slip_urdf_read_material }, { "transmission", 1, NULL }, { "gazebo", 1, NULL },
        { "ros2_control", 1, NULL }, { "sensor", 1, NULL }, { "mujoco", 1, NULL } };
    const slip_xml *x = r->xml;
    slip_xml_attribute *version;
    slip_status s = slip_urdf_text(r, "name", &r->kept, &r->out.def.name);

    if (s == SLIP_OK && r->out.def.name[0] == '\0')
        s = slip_urdf_warn(r, x->line, x->column, "<robot> has no name");
    version = slip_xml_find(r->xml, "version");
    if (s == SLIP_OK && version && !slip_xml_slice_is(version->value, "1.0") && !slip_xml_slice_is(version->value, "1"))
        s = slip_urdf_warn(r, version->value_line, version->value_column, "version \"%.*s\" is not known, expected 1.0",
                           slip_xml_shown(version->value), version->value.text);
    if (s < 0) return s;
    return slip_urdf_children(r, tags, (int)(sizeof tags/sizeof *tags), NULL);
}

/* Second pass, into the memory taken. */
static slip_status urdf_fill(slip_urdf_reader *r, const char *text, size_t length)
{
    slip_status s = slip_xml_begin(r->xml, text, length, r->err);

    if (s == SLIP_OK) s = slip_xml_next(r->xml, r->err);
    if (s == SLIP_OK) s = urdf_read_robot(r);
    if (s == SLIP_OK) s = slip_urdf_resolve(r);
    return s;
}

static slip_status urdf_full(slip_error *err)
{
    return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "robot does not fit into the arena");
}

static slip_status urdf_read_in(slip_urdf_reader *r, const char *text, size_t length, slip_arena *mem)
{
    slip_status s;

    r->xml = (slip_xml *)slip_arena_scratch(mem, 1, sizeof(slip_xml));
    if (!r->xml) return urdf_full(r->err);
    s = urdf_count(r->xml, text, length, slip_urdf_mesh_room(r->opt, r->file), &r->room, r->err);
    if (s < 0) return s;
    if (!urdf_carve(r, mem)) return urdf_full(r->err);
    return urdf_fill(r, text, length);
}

slip_status slip_urdf_read(const char *text, size_t length, const char *file, const slip_urdf_options *opt,
                           slip_arena *mem, slip_urdf *out, slip_report *report, slip_error *err)
{
    const slip_urdf_options defaults = slip_urdf_defaults();
    const size_t low = slip_arena_mark(mem), high = slip_arena_mark_scratch(mem);
    slip_urdf_reader r;
    slip_error local;
    slip_status s;

    if (slip_arena_is_counting(mem))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "a counting arena holds no robot; see slip_urdf_bytes()");
    memset(&r, 0, sizeof r);
    r.opt = opt ? opt : &defaults;
    r.lenient = 1;
    r.file = file ? file : "";
    r.report = report;
    r.err = err ? err : &local;
    slip_error_clear(r.err);
    slip_error_set_file(r.err, r.file);
    r.out.def.gravity[2] = SLIP_R(-9.81);
    s = urdf_read_in(&r, text, length, mem);
    slip_arena_release_scratch(mem, high);
    if (s < 0) slip_arena_release(mem, low);
    else       *out = r.out;
    return s;
}

slip_status slip_urdf_bytes(const char *text, size_t length, const char *file, const slip_urdf_options *opt,
                            size_t *bytes, slip_error *err)
{
    const slip_urdf_options defaults = slip_urdf_defaults();
    slip_arena count = slip_arena_counting();
    slip_urdf_reader r;
    slip_xml xml;
    slip_status s;

    memset(&r, 0, sizeof r);
    slip_error_clear(err);
    slip_error_set_file(err, file);
    s = urdf_count(&xml, text, length, slip_urdf_mesh_room(opt ? opt : &defaults, file ? file : ""), &r.room, err);
    if (s < 0) return s;
    slip_arena_scratch(&count, 1, sizeof(slip_xml));
    urdf_carve(&r, &count);
    *bytes = slip_arena_needed(&count);
    return SLIP_OK;
}

slip_status slip_urdf_load(const char *path, const slip_urdf_options *opt, slip_arena *mem, slip_urdf *out,
                           slip_report *report, slip_error *err)
{
    const size_t high = slip_arena_mark_scratch(mem);
    size_t length = 0;
    char *text = NULL;
    slip_status s = slip_file_read(path, SLIP_XML_MAX_BYTES, mem, &text, &length, err);

    if (s == SLIP_OK) s = slip_urdf_read(text, length, path, opt, mem, out, report, err);
    slip_arena_release_scratch(mem, high);
    return s;
}
