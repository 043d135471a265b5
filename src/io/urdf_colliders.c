/* See urdf_colliders.h. */
#include "io/urdf_colliders.h"

#include "base/fail.h"
#include "geom/hull.h"
#include "io/mesh.h"
#include "io/mesh_hull.h"
#include "io/urdf_private.h"

slip_shape slip_urdf_shape_of(const slip_urdf_shape *u)
{
    switch (u->kind) {
    case SLIP_SHAPE_SPHERE:    return slip_shape_sphere(u->size[0]);
    case SLIP_SHAPE_BOX:       return slip_shape_box(u->size[0], u->size[1], u->size[2]);
    case SLIP_SHAPE_CAPSULE:   return slip_shape_capsule(u->size[0], u->size[1]);
    case SLIP_SHAPE_CYLINDER:  return slip_shape_cylinder(u->size[0], u->size[1]);
    case SLIP_SHAPE_HALFSPACE: return slip_shape_halfspace();
    case SLIP_SHAPE_ELLIPSOID: return slip_shape_ellipsoid(u->size[0], u->size[1], u->size[2]);
    case SLIP_SHAPE_HEIGHTFIELD: return slip_shape_heightfield(u->field);
    default:                   return slip_shape_mesh(NULL);
    }
}

const char *slip_urdf_owner(const slip_urdf *urdf, const slip_urdf_shape *shape)
{
    return shape->link < 0 ? "world" : urdf->def.links[shape->link].name;
}

/* Whether a mesh cannot be used, whatever memory there is; a strict report has made an error of a warning itself. */
static int collider_is_unreadable(slip_status s, const slip_report *report)
{
    return s < 0 && s != SLIP_ERR_WORKSPACE && !(s == SLIP_ERR_MODEL && report && report->strict);
}

/* The hull of a mesh that is given as numbers. */
static slip_status collider_points_hull(const slip_urdf_shape *u, slip_arena *mem, slip_hull *hull, slip_error *err)
{
    slip_trimesh mesh;

    mesh.nv = u->npoints;
    mesh.nt = 0;
    mesh.vertex = (slip_real *)u->points;                      /* to be read */
    mesh.triangle = NULL;
    return slip_hull_build(u->points, u->npoints, slip_mesh_tolerance(&mesh), mem, hull, err);
}

slip_status slip_urdf_hull(const char *link, const slip_urdf_shape *u, int line, int column, slip_arena *mem,
                           const slip_hull **out, slip_report *report, slip_error *err)
{
    slip_error why;
    slip_hull *hull;
    slip_status s;

    *out = NULL;
    if (!u->mesh_found)
        return slip_warn(report, err, line, column, "link '%s': mesh '%s' not found, so it does not collide", link,
                         u->mesh_path ? u->mesh_path : u->mesh_uri);
    hull = (slip_hull *)slip_arena_take(mem, 1, sizeof *hull);
    if (!hull) return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "not enough memory for the hull of a mesh");
    slip_error_clear(&why);
    s = u->points ? collider_points_hull(u, mem, hull, &why)
                  : slip_mesh_load_hull(u->mesh_path, u->size, 0, mem, hull, report, &why);
    if (collider_is_unreadable(s, report))
        return why.line > 0 ? slip_warn(report, err, line, column, "link '%s' does not collide: mesh '%s', line %d: %s",
                                        link, u->mesh_path, why.line, why.what)
                            : slip_warn(report, err, line, column, "link '%s' does not collide: mesh '%s': %s", link,
                                        u->mesh_path, why.what);
    if (s < 0 && err) *err = why;
    if (s >= 0) *out = hull;
    return s < 0 ? s : SLIP_OK;
}

slip_status slip_urdf_colliders(const slip_urdf *urdf, slip_arena *mem, const slip_collider_def **colliders,
                                int *ncolliders, slip_report *report, slip_error *err)
{
    const size_t mark = slip_arena_mark(mem);
    slip_collider_def *list;
    slip_status s = SLIP_OK;
    int i, n = 0;

    for (i = 0; i < urdf->nshapes; ++i) n += urdf->shapes[i].role == SLIP_URDF_COLLISION;
    list = (slip_collider_def *)slip_arena_take_zero(mem, (size_t)n, sizeof *list);
    if (!list) return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "not enough memory for %d colliders", n);
    for (i = n = 0; i < urdf->nshapes && s == SLIP_OK; ++i) {
        const slip_urdf_shape *u = &urdf->shapes[i];
        slip_collider_def *c = &list[n];

        if (u->role != SLIP_URDF_COLLISION) continue;
        c->shape = slip_urdf_shape_of(u);
        if (u->kind == SLIP_SHAPE_MESH)
            s = slip_urdf_hull(slip_urdf_owner(urdf, u), u, u->line, u->column, mem, &c->shape.hull, report, err);
        if (u->kind == SLIP_SHAPE_MESH && !c->shape.hull) continue;
        c->name = u->name[0] ? u->name : slip_urdf_owner(urdf, u);
        c->link = u->link;
        c->pose = u->pose;
        c->group = u->group ? u->group : 1;
        c->mask = u->group ? u->mask : ~0u;
        ++n;
    }
    if (s < 0) {
        slip_arena_release(mem, mark);
        return s;
    }
    *colliders = list;
    *ncolliders = n;
    return SLIP_OK;
}
