/* <collision>, <visual> and <material>: shapes, where they sit on their link, and their colours. */
#include "io/urdf_private.h"

#include <assert.h>

/* A shape under construction; the origin comes first, as slip_urdf_read_origin wants. */
typedef struct {
    slip_pose origin;
    slip_urdf_shape *shape;
    int has_shape, has_geometry;
} urdf_shape;

/* ---- geometry --------------------------------------------------------------------------------- */

/* Refuses negative sizes and warns of vanishing ones: a point or a disc can touch, but is rarely meant. */
static slip_status urdf_check_size(slip_urdf_reader *r, const slip_real *x, int n)
{
    const slip_xml *xml = r->xml;
    int i, is_flat = 0;

    for (i = 0; i < n; ++i) {
        if (x[i] < 0)
            return slip_urdf_fail(r, SLIP_ERR_MODEL, xml->line, xml->column, "size %g of <%.*s> is negative",
                                  (double)x[i], slip_xml_shown(xml->full), xml->full.text);
        if (!(x[i] > 0)) is_flat = 1;
    }
    if (!is_flat) return SLIP_OK;
    return slip_urdf_warn(r, xml->line, xml->column, "<%.*s> has no volume", slip_xml_shown(xml->full), xml->full.text);
}

/* Notes the shape that was read; the first of a <geometry> counts. */
static slip_status urdf_set_shape(slip_urdf_reader *r, urdf_shape *u, slip_shape_kind kind, const slip_real size[3])
{
    const slip_xml *x = r->xml;

    if (u->has_shape) {
        const slip_status s = slip_urdf_warn(r, x->line, x->column, "second shape <%.*s> in one <geometry> ignored",
                                             slip_xml_shown(x->full), x->full.text);
        if (s < 0) return s;
    } else {
        u->has_shape = 1;
        u->shape->kind = kind;
        slip_copy3(size, u->shape->size);
    }
    return slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status urdf_read_box(slip_urdf_reader *r, void *target)
{
    slip_real size[3] = { 0, 0, 0 };
    slip_status s = slip_urdf_reals_within(r, "size", 3, SLIP_MOST_LENGTH, "m", size, NULL);

    if (s == SLIP_OK) s = urdf_check_size(r, size, 3);
    if (s < 0) return s;
    slip_scale3(SLIP_R(0.5), size, size);
    return urdf_set_shape(r, (urdf_shape *)target, SLIP_SHAPE_BOX, size);
}

static slip_status urdf_read_sphere(slip_urdf_reader *r, void *target)
{
    slip_real size[3] = { 0, 0, 0 };
    slip_status s = slip_urdf_reals_within(r, "radius", 1, SLIP_MOST_LENGTH, "m", size, NULL);

    if (s == SLIP_OK) s = urdf_check_size(r, size, 1);
    return s < 0 ? s : urdf_set_shape(r, (urdf_shape *)target, SLIP_SHAPE_SPHERE, size);
}

static slip_status urdf_read_ellipsoid(slip_urdf_reader *r, void *target)
{
    const slip_xml *x = r->xml;
    slip_real size[3] = { 0, 0, 0 };
    slip_status s = slip_urdf_reals_within(r, "radii", 3, SLIP_MOST_LENGTH, "m", size, NULL);

    if (s < 0) return s;
    if (!(size[0] > 0 && size[1] > 0 && size[2] > 0))
        return slip_urdf_fail(r, SLIP_ERR_MODEL, x->line, x->column, "radii \"%g %g %g\" of <ellipsoid>, expected "
                              "three positive numbers", (double)size[0], (double)size[1], (double)size[2]);
    return urdf_set_shape(r, (urdf_shape *)target, SLIP_SHAPE_ELLIPSOID, size);
}

/* Cylinder and capsule: radius and half length; a capsule's length is that of its straight part. */
static slip_status urdf_read_round(slip_urdf_reader *r, void *target, slip_shape_kind kind)
{
    slip_real size[3] = { 0, 0, 0 };
    slip_status s = slip_urdf_reals_within(r, "radius", 1, SLIP_MOST_LENGTH, "m", size, NULL);

    if (s == SLIP_OK) s = slip_urdf_reals_within(r, "length", 1, SLIP_MOST_LENGTH, "m", size + 1, NULL);
    if (s == SLIP_OK) s = urdf_check_size(r, size, 2);
    if (s < 0) return s;
    size[1] *= SLIP_R(0.5);
    return urdf_set_shape(r, (urdf_shape *)target, kind, size);
}

static slip_status urdf_read_cylinder(slip_urdf_reader *r, void *target)
{
    return urdf_read_round(r, target, SLIP_SHAPE_CYLINDER);
}

static slip_status urdf_read_capsule(slip_urdf_reader *r, void *target)
{
    return urdf_read_round(r, target, SLIP_SHAPE_CAPSULE);
}

/* Whether a mesh collides as its hull or as the hulls of its parts. */
static slip_status urdf_read_convex(slip_urdf_reader *r, urdf_shape *u)
{
    const slip_xml_attribute *a = slip_xml_find(r->xml, "convex");

    if (!a || u->has_shape || slip_xml_slice_is(a->value, "hull")) return SLIP_OK;
    u->shape->decompose = slip_xml_slice_is(a->value, "decompose");
    if (u->shape->decompose) return SLIP_OK;
    return slip_urdf_fail(r, SLIP_ERR_PARSE, a->value_line, a->value_column, "convex=\"%.*s\", expected hull or "
                          "decompose", slip_xml_shown(a->value), a->value.text);
}

static slip_status urdf_read_mesh(slip_urdf_reader *r, void *target)
{
    urdf_shape *u = (urdf_shape *)target;
    const slip_xml *x = r->xml;
    slip_real scale[3] = { 1, 1, 1 };
    slip_urdf_ref file = { NULL, 0, 0 };
    int found;
    slip_status s = slip_urdf_need_text(r, "filename", &r->kept, &file);

    if (s == SLIP_OK && r->lenient && slip_urdf_count(r, "scale") == 1) {
        s = slip_urdf_reals(r, "scale", 1, scale, NULL);
        scale[1] = scale[2] = scale[0];
        if (s == SLIP_OK)
            s = slip_urdf_warn(r, x->line, x->column, "mesh scale \"%g\" taken along all axes", (double)scale[0]);
    } else if (s == SLIP_OK) {
        s = slip_urdf_reals(r, "scale", 3, scale, &found);
    }
    if (s < 0) return s;
    if (!(scale[0]*scale[0] > 0 && scale[1]*scale[1] > 0 && scale[2]*scale[2] > 0))
        return slip_urdf_fail(r, SLIP_ERR_MODEL, x->line, x->column, "mesh scale \"%g %g %g\" flattens it",
                              (double)scale[0], (double)scale[1], (double)scale[2]);
    if (s == SLIP_OK) s = urdf_read_convex(r, u);
    if (s < 0) return s;
    if (!u->has_shape) {
        u->shape->mesh_uri = file.name;
        slip_urdf_find_mesh(r, u->shape);
    }
    return urdf_set_shape(r, u, SLIP_SHAPE_MESH, scale);
}

static slip_status urdf_read_geometry(slip_urdf_reader *r, void *target)
{
    static const slip_urdf_tag tags[] = {
        { "box", 1, urdf_read_box }, { "sphere", 1, urdf_read_sphere }, { "cylinder", 1, urdf_read_cylinder },
        { "capsule", 1, urdf_read_capsule }, { "ellipsoid", 1, urdf_read_ellipsoid }, { "mesh", 1, urdf_read_mesh } };

    ((urdf_shape *)target)->has_geometry = 1;
    return slip_urdf_children(r, tags, (int)(sizeof tags/sizeof *tags), target);
}

/* ---- material --------------------------------------------------------------------------------- */

slip_status slip_urdf_rgba(slip_urdf_reader *r, slip_real colour[4], int *found)
{
    slip_status s = slip_urdf_reals(r, "rgba", 4, colour, found);
    int i, outside = 0;

    if (s < 0 || (found && !*found)) return s;
    for (i = 0; i < 4; ++i) {
        const slip_real c = slip_clamp(colour[i], 0, 1);

        if (c < colour[i] || c > colour[i]) outside = 1;
        colour[i] = c;
    }
    if (outside) s = slip_urdf_warn(r, r->xml->line, r->xml->column, "rgba is not within 0..1; clamped");
    return s;
}

static slip_status urdf_read_colour(slip_urdf_reader *r, void *target)
{
    slip_urdf_material *m = (slip_urdf_material *)target;
    const slip_status s = slip_urdf_rgba(r, m->colour, NULL);

    m->has_colour = s >= 0;
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

/* Adds a material to the list; a local one may be nameless, or name a global one. */
static slip_status urdf_add_material(slip_urdf_reader *r, int is_local, slip_urdf_pool *pool, slip_urdf_material **out)
{
    static const slip_urdf_tag tags[] = {
        { "color", 0, urdf_read_colour }, { "texture", 1, NULL } };
    slip_urdf_material *m = &r->materials[r->nmaterials];
    slip_status s = SLIP_OK;

    assert(r->nmaterials < r->room.materials);
    m->name.line = r->xml->line;
    m->name.column = r->xml->column;
    m->shape = is_local ? r->out.nshapes : -1;
    m->has_colour = 0;
    s = is_local ? slip_urdf_text(r, "name", pool, &m->name.name) : slip_urdf_need_text(r, "name", pool, &m->name);
    if (s < 0) return s;
    ++r->nmaterials;
    *out = m;
    return slip_urdf_children(r, tags, (int)(sizeof tags/sizeof *tags), m);
}

slip_status slip_urdf_read_material(slip_urdf_reader *r, void *unused)
{
    slip_urdf_material *m;
    slip_status s;

    (void)unused;
    s = urdf_add_material(r, 0, &r->kept, &m);
    if (s == SLIP_OK && !m->has_colour)
        s = slip_urdf_warn(r, m->name.line, m->name.column, "material '%.*s' has no colour",
                           slip_urdf_shown(m->name.name), m->name.name);
    return s;
}

static slip_status urdf_read_shape_material(slip_urdf_reader *r, void *target)
{
    slip_urdf_shape *shape = ((urdf_shape *)target)->shape;
    slip_urdf_material *m;
    const slip_status s = urdf_add_material(r, 1, &r->kept, &m);
    int i;

    if (s < 0) return s;
    shape->material = m->name.name;
    for (i = 0; i < 4 && m->has_colour; ++i) shape->colour[i] = m->colour[i];
    return SLIP_OK;
}

/* ---- shapes ----------------------------------------------------------------------------------- */

/* An empty shape of a link, in the next place of the list. */
static void urdf_begin_shape(slip_urdf_reader *r, const slip_link_def *link, slip_urdf_role role, urdf_shape *u)
{
    static const slip_urdf_shape blank = { 0, SLIP_URDF_COLLISION, SLIP_SHAPE_SPHERE, { { 0 }, { 0 } }, { 0, 0, 0 }, "",
                                           NULL, NULL, 0, 0, NULL, 0, NULL, 0, 0, "",
                                           { SLIP_R(0.7), SLIP_R(0.7), SLIP_R(0.7), 1 }, 0, 0 };

    assert(r->out.nshapes < r->room.shapes);
    slip_pose_identity(&u->origin);
    u->shape = &r->out.shapes[r->out.nshapes];
    u->has_shape = u->has_geometry = 0;
    *u->shape = blank;
    u->shape->role = role;
    u->shape->link = (int)(link - r->out.def.links);
    u->shape->line = r->xml->line;
    u->shape->column = r->xml->column;
}

static slip_status urdf_read_shape(slip_urdf_reader *r, const slip_link_def *link, slip_urdf_role role)
{
    static const slip_urdf_tag tags[] = {
        { "origin", 0, slip_urdf_read_origin }, { "geometry", 0, urdf_read_geometry },
        { "material", 0, urdf_read_shape_material } };
    urdf_shape u;
    slip_status s;
    const int line = r->xml->line, column = r->xml->column, nmaterials = r->nmaterials;

    urdf_begin_shape(r, link, role, &u);
    s = slip_urdf_text(r, "name", &r->kept, &u.shape->name);
    if (s == SLIP_OK) s = slip_urdf_children(r, tags, role == SLIP_URDF_VISUAL ? 3 : 2, &u);
    if (s < 0) return s;
    u.shape->pose = u.origin;
    r->out.nshapes += u.has_shape;
    if (u.has_shape) return SLIP_OK;
    r->nmaterials = nmaterials;                                /* its material belongs to no shape */
    return slip_urdf_warn(r, line, column, "<%s> %s; ignored", role == SLIP_URDF_VISUAL ? "visual" : "collision",
                          u.has_geometry ? "has no shape that is known" : "has no <geometry>");
}

slip_status slip_urdf_read_geometry(slip_urdf_reader *r, void *link_def)
{
    const int line = r->xml->line, column = r->xml->column;
    urdf_shape u;
    slip_status s;

    urdf_begin_shape(r, (const slip_link_def *)link_def, SLIP_URDF_COLLISION, &u);
    u.shape->pose = u.origin;
    s = urdf_read_geometry(r, &u);
    if (s < 0) return s;
    r->out.nshapes += u.has_shape;
    return u.has_shape ? SLIP_OK : slip_urdf_warn(r, line, column, "<geometry> has no shape that is known; ignored");
}

slip_status slip_urdf_read_collision(slip_urdf_reader *r, void *link_def)
{
    return urdf_read_shape(r, (const slip_link_def *)link_def, SLIP_URDF_COLLISION);
}

slip_status slip_urdf_read_visual(slip_urdf_reader *r, void *link_def)
{
    return urdf_read_shape(r, (const slip_link_def *)link_def, SLIP_URDF_VISUAL);
}
