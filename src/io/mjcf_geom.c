/* Geoms of MJCF: shapes of bodies, and the mass they give them. */
#include "io/mjcf_private.h"

#include <string.h>
#include "geom/trimesh.h"
#include "io/file.h"
#include "io/mesh.h"
#include "io/urdf_colliders.h"

enum { GEOM_PLANE, GEOM_HFIELD, GEOM_SPHERE, GEOM_CAPSULE, GEOM_ELLIPSOID, GEOM_CYLINDER, GEOM_BOX, GEOM_MESH,
       GEOM_KINDS };

typedef struct {
    int kind;
    slip_pose X;
    slip_real size[3];
    const mjcf_mesh *mesh;
    const mjcf_hfield *hfield;
} mjcf_geom;

/* From two points: the axis, half the length, and the place in the middle. */
static slip_status geom_from_to(mjcf_reader *r, mjcf_geom *g, int nsize)
{
    slip_real x[6], axis[3];
    int n;
    slip_status s = slip_mjcf_reals(r, "fromto", 6, x, &n);

    if (s < 0 || n == 0) return s;
    slip_pose_point(&r->body[r->depth].frame, x, x);
    slip_pose_point(&r->body[r->depth].frame, x + 3, x + 3);
    slip_sub3(x + 3, x, axis);
    slip_add3(x, x + 3, g->X.p);
    slip_scale3(SLIP_R(0.5), g->X.p, g->X.p);
    if (!(slip_norm3(axis) > 0))
        return slip_fail(r->u.err, SLIP_ERR_MODEL, r->u.xml->line, r->u.xml->column, "fromto has length 0");
    if (g->kind == GEOM_BOX || g->kind == GEOM_ELLIPSOID) {
        if (nsize == 1) g->size[1] = g->size[0];
        g->size[2] = slip_norm3(axis)/2;
    } else {
        g->size[1] = slip_norm3(axis)/2;
    }
    slip_scale3(-1, axis, axis);                               /* MuJoCo's z points from the second to the first */
    slip_normalize3(axis, axis);
    slip_mat3_z_to(axis, g->X.R);
    return SLIP_OK;
}

static const mjcf_mesh *geom_mesh(mjcf_reader *r)
{
    slip_xml_slice name;
    int i;

    if (!slip_mjcf_text(r, "mesh", &name)) return NULL;
    for (i = 0; i < r->nmeshes; ++i)
        if (slip_xml_slice_is(name, r->meshes[i].name)) return &r->meshes[i];
    return NULL;
}

static const mjcf_hfield *geom_hfield(mjcf_reader *r)
{
    slip_xml_slice name;
    int i;

    if (!slip_mjcf_text(r, "hfield", &name)) return NULL;
    for (i = 0; i < r->nhfields; ++i)
        if (slip_xml_slice_is(name, r->hfields[i].name)) return &r->hfields[i];
    return NULL;
}

/* A shape that MuJoCo fits into a mesh: the mesh itself. */
static void geom_unfit(mjcf_reader *r, mjcf_geom *g)
{
    static const slip_xml_slice fitted = { "primitives fitted to the mesh", 29 };
    slip_xml_slice word;

    if (g->kind == GEOM_MESH || g->kind == GEOM_PLANE || g->kind == GEOM_HFIELD || !slip_mjcf_text(r, "mesh", &word))
        return;
    g->kind = GEOM_MESH;
    slip_mjcf_note(r, "geom", fitted);
}

static slip_status geom_read(mjcf_reader *r, mjcf_geom *g)
{
    slip_xml_slice word;
    int n;
    slip_status s = slip_mjcf_class(r, "geom");

    memset(g, 0, sizeof *g);
    if (s < 0) return s;
    g->kind = GEOM_SPHERE;
    if (slip_mjcf_text(r, "type", &word)) {
        g->kind = slip_text_word("plane hfield sphere capsule ellipsoid cylinder box mesh", word.text, word.length);
        if (g->kind < 0) {
            slip_mjcf_note(r, "geom", word);
            return SLIP_OK;
        }
    } else if (slip_mjcf_text(r, "mesh", &word)) {
        g->kind = GEOM_MESH;                                   /* as MuJoCo 3 takes it */
    }
    geom_unfit(r, g);
    s = slip_mjcf_pose(r, &g->X);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "size", 3, g->size, &n);
    if (s == SLIP_OK) s = geom_from_to(r, g, n);
    if (s == SLIP_OK && g->kind == GEOM_MESH) g->mesh = geom_mesh(r);
    if (s == SLIP_OK && g->kind == GEOM_HFIELD) g->hfield = geom_hfield(r);
    if (s < 0 || (g->kind != GEOM_MESH && g->kind != GEOM_HFIELD) || g->mesh || g->hfield) return s;
    if (r->is_partial) {                                       /* a mesh that MuJoCo makes itself */
        static const slip_xml_slice unknown = { "a mesh that is not understood", 29 };

        slip_mjcf_note(r, "geom", unknown);
        g->kind = -1;
        return SLIP_OK;
    }
    return slip_fail(r->u.err, SLIP_ERR_MODEL, r->u.xml->line, r->u.xml->column, "a geom names a %s that is no asset",
                     g->kind == GEOM_MESH ? "mesh" : "height field");
}

/* The shape as URDF has it. */
static void geom_shape(mjcf_reader *r, const mjcf_geom *g, slip_urdf_shape *u)
{
    static const slip_shape_kind kinds[GEOM_KINDS] = {
        SLIP_SHAPE_HALFSPACE, SLIP_SHAPE_HEIGHTFIELD, SLIP_SHAPE_SPHERE, SLIP_SHAPE_CAPSULE, SLIP_SHAPE_ELLIPSOID,
        SLIP_SHAPE_CYLINDER, SLIP_SHAPE_BOX, SLIP_SHAPE_MESH };

    memset(u, 0, sizeof *u);
    u->link = r->body[r->depth].link;
    u->kind = kinds[g->kind];
    u->pose = g->X;
    slip_copy3(g->size, u->size);
    u->name = u->material = "";
    u->line = r->u.xml->line;
    u->column = r->u.xml->column;
    if (g->hfield) u->field = g->hfield->field;
    if (!g->mesh) return;
    slip_copy3(g->mesh->scale, u->size);
    u->mesh_uri = u->mesh_path = g->mesh->path ? g->mesh->path : g->mesh->name;
    u->points = g->mesh->numbers.vertex;
    u->npoints = g->mesh->numbers.nv;
    u->mesh_found = u->points || (r->u.opt->find_meshes && slip_file_exists(g->mesh->path));
}

static slip_status geom_mass(mjcf_reader *r, const mjcf_geom *g, const slip_urdf_shape *u)
{
    mjcf_body *b = &r->body[r->body[r->depth].owner];
    slip_real density = r->compiler.density, given = -1, group = 0;
    const slip_shape shape = slip_urdf_shape_of(u);
    slip_mass part;
    int n;
    slip_status s = slip_mjcf_reals(r, "density", 1, &density, &n);

    if (s == SLIP_OK) s = slip_mjcf_reals(r, "mass", 1, &given, &n);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "group", 1, &group, &n);
    if (group < r->compiler.groups[0] || group > r->compiler.groups[1]) return s;
    if (s < 0 || b->link < 0 || r->compiler.from_geoms == 0 || given == 0 || !(density > 0)) return s;
    if (r->compiler.from_geoms == 2 && b->has_inertial) return s;
    if (g->kind == GEOM_MESH) s = slip_mjcf_mesh_mass(r, g->mesh, density, &part);
    else if (g->kind == GEOM_HFIELD) return SLIP_OK;
    else if (slip_shape_mass(&shape, density, &part) < 0) return SLIP_OK;
    if (s < 0) return s;
    if (given > 0) slip_mass_set(given, &part);
    slip_mass_transform(&part, &g->X, &part);
    slip_mass_add(&b->mass, &part, &b->mass);
    return SLIP_OK;
}

/* The first collision geom of a body that says so tells the friction of its link. */
static slip_status geom_friction(mjcf_reader *r, int link)
{
    slip_urdf_contact *c = &r->u.out.contacts[link];
    slip_real x[3];
    int n;
    const slip_status s = slip_mjcf_reals(r, "friction", 3, x, &n);

    if (s < 0 || n == 0 || c->friction >= 0) return s;
    c->friction = slip_clamp(x[0], 0, SLIP_R(1e6));
    return SLIP_OK;
}

/* A height field stands in the world; 0, with a note, for one that cannot be used. */
static slip_status geom_check_hfield(mjcf_reader *r, const mjcf_geom *g, int *use)
{
    static const slip_xml_slice moving = { "hfield on a body", 16 };

    *use = g->kind != GEOM_HFIELD;
    if (*use) return SLIP_OK;
    if (g->hfield->why)
        return slip_warn(r->u.report, r->u.err, g->hfield->line, 0, "height field '%s' is left out: %s",
                         g->hfield->name, g->hfield->why);
    *use = r->body[r->depth].link < 0;
    if (!*use) slip_mjcf_note(r, "geom", moving);
    return SLIP_OK;
}

/* A bit set of MJCF, which is a number. */
static slip_status geom_bits(mjcf_reader *r, const char *name, unsigned *bits)
{
    slip_real x = 1;
    int n;
    const slip_status s = slip_mjcf_reals(r, name, 1, &x, &n);

    *bits = x >= 0 && x < SLIP_R(4294967296.0) ? (unsigned)x : ~0u;
    return s;
}

slip_status slip_mjcf_geom(mjcf_reader *r)
{
    const slip_xml_attribute *name = slip_xml_find(r->u.xml, "name");
    slip_real rgba[4];
    mjcf_geom_bits *bits;
    mjcf_geom g;
    slip_urdf_shape *u;
    int n, i, use = 0;
    slip_status s = geom_read(r, &g);

    if (s < 0 || g.kind < 0) return s;
    s = geom_check_hfield(r, &g, &use);
    if (s < 0 || !use || r->u.out.nshapes == r->rooms[2]) return s;
    u = &r->u.out.shapes[r->u.out.nshapes];
    bits = &r->bits[r->u.out.nshapes];
    geom_shape(r, &g, u);
    bits->name = name ? slip_mjcf_copy(r, name->value) : "";
    if (!bits->name) return slip_fail(r->u.err, SLIP_ERR_WORKSPACE, 0, 0, "robot does not fit into the arena");
    s = geom_mass(r, &g, u);
    if (s == SLIP_OK) s = geom_bits(r, "contype", &bits->contype);
    if (s == SLIP_OK) s = geom_bits(r, "conaffinity", &bits->conaffinity);
    u->role = bits->contype == 0 && bits->conaffinity == 0 ? SLIP_URDF_VISUAL : SLIP_URDF_COLLISION;
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "rgba", 4, rgba, &n);
    for (i = 0; i < 4; ++i) u->colour[i] = s == SLIP_OK && n == 4 ? slip_clamp(rgba[i], 0, 1) : i < 3 ? SLIP_R(0.7) : 1;
    if (s == SLIP_OK && u->role == SLIP_URDF_COLLISION && u->link >= 0) s = geom_friction(r, u->link);
    if (s == SLIP_OK) ++r->u.out.nshapes;
    return s;
}
