/* Shapes: making, checking, bounding them, and the support map of a whole shape. */
#include "geom/heightfield_contact.h"
#include "geom/support.h"

slip_shape slip_shape_sphere(slip_real radius)
{
    slip_shape s = { SLIP_SHAPE_SPHERE, 0, { 0, 0, 0 }, NULL, NULL };

    s.radius = radius;
    return s;
}

slip_shape slip_shape_box(slip_real hx, slip_real hy, slip_real hz)
{
    slip_shape s = { SLIP_SHAPE_BOX, 0, { 0, 0, 0 }, NULL, NULL };

    slip_set3(hx, hy, hz, s.half);
    return s;
}

slip_shape slip_shape_capsule(slip_real radius, slip_real half_length)
{
    slip_shape s = { SLIP_SHAPE_CAPSULE, 0, { 0, 0, 0 }, NULL, NULL };

    s.radius = radius;
    s.half[2] = half_length;
    return s;
}

slip_shape slip_shape_cylinder(slip_real radius, slip_real half_length)
{
    slip_shape s = slip_shape_capsule(radius, half_length);

    s.kind = SLIP_SHAPE_CYLINDER;
    return s;
}

slip_shape slip_shape_ellipsoid(slip_real a, slip_real b, slip_real c)
{
    slip_shape s = slip_shape_box(a, b, c);

    s.kind = SLIP_SHAPE_ELLIPSOID;
    return s;
}

slip_shape slip_shape_mesh(const slip_hull *hull)
{
    slip_shape s = { SLIP_SHAPE_MESH, 0, { 0, 0, 0 }, NULL, NULL };

    s.hull = hull;
    return s;
}

slip_shape slip_shape_halfspace(void)
{
    slip_shape s = { SLIP_SHAPE_HALFSPACE, 0, { 0, 0, 0 }, NULL, NULL };

    return s;
}

slip_shape slip_shape_heightfield(const struct slip_heightfield *field)
{
    slip_shape s = { SLIP_SHAPE_HEIGHTFIELD, 0, { 0, 0, 0 }, NULL, NULL };

    s.field = field;
    return s;
}

static int shape_size_ok(slip_real x) { return x >= 0 && slip_is_finite(x); }

int slip_shape_is_built(slip_shape_kind kind)
{
    return (unsigned)kind >= SLIP_SHAPE_KINDS || SLIP_SHAPES_BUILT >> kind & 1;
}

slip_status slip_shape_check(const slip_shape *s)
{
    int ok = 0;

    switch (s->kind) {
    case SLIP_SHAPE_SPHERE:      ok = shape_size_ok(s->radius);  break;
    case SLIP_SHAPE_BOX:         ok = shape_size_ok(s->half[0]) && shape_size_ok(s->half[1])
        && shape_size_ok(s->half[2]);
                                 break;
    case SLIP_SHAPE_CAPSULE:
    case SLIP_SHAPE_CYLINDER:    ok = shape_size_ok(s->radius) && shape_size_ok(s->half[2]);  break;
    case SLIP_SHAPE_ELLIPSOID:   ok = s->half[0] > 0 && s->half[1] > 0 && s->half[2] > 0 && slip_all_finite(s->half, 3);
                                 break;
    case SLIP_SHAPE_MESH:        ok = s->hull != NULL && s->hull->nv > 0;  break;
    case SLIP_SHAPE_HALFSPACE:   ok = 1;  break;
    case SLIP_SHAPE_HEIGHTFIELD: ok = s->field != NULL;  break;
    }
    return ok && slip_shape_is_built(s->kind) ? SLIP_OK : SLIP_ERR_ARGUMENT;
}

const char *slip_shape_kind_name(slip_shape_kind kind)
{
    static const char *const names[SLIP_SHAPE_KINDS] = { "sphere", "box", "capsule", "cylinder", "ellipsoid",
                                                         "mesh", "halfspace", "heightfield" };

    return (unsigned)kind < SLIP_SHAPE_KINDS ? names[kind] : "unknown";
}

slip_real slip_shape_reach(const slip_shape *s)
{
    switch (s->kind) {
    case SLIP_SHAPE_SPHERE:   return s->radius;
    case SLIP_SHAPE_BOX:      return slip_norm3(s->half);
    case SLIP_SHAPE_CAPSULE:  return s->radius + s->half[2];
    case SLIP_SHAPE_CYLINDER: return slip_sqrt(s->radius*s->radius + s->half[2]*s->half[2]);
    case SLIP_SHAPE_ELLIPSOID: return slip_max(slip_max(s->half[0], s->half[1]), s->half[2]);
    case SLIP_SHAPE_MESH:     return s->hull->reach;
    default:                  return 0;
    }
}

void slip_shape_support(const slip_shape *s, const slip_real d[3], slip_real point[3])
{
    const slip_real round = core_round(s);
    int hint = 0;

    core_support(s, d, &hint, point);
    if (round > 0) {
        slip_real u[3];

        slip_normalize3(d, u);
        slip_axpy3(round, u, point, point);
    }
}

/* Half extents along the world's axes of a shape that is symmetric about its origin. */
static void shape_half_extents(const slip_shape *s, const slip_real R[9], slip_real e[3])
{
    int i;

    for (i = 0; i < 3; ++i) {
        const slip_real *r = R + 3*i;
        const slip_real across = slip_sqrt(r[0]*r[0] + r[1]*r[1]);   /* sine of z's angle to the axis */
        slip_real x[3];

        switch (s->kind) {
        case SLIP_SHAPE_BOX:
            e[i] = slip_abs(r[0])*s->half[0] + slip_abs(r[1])*s->half[1] + slip_abs(r[2])*s->half[2];
            break;
        case SLIP_SHAPE_CAPSULE:  e[i] = slip_abs(r[2])*s->half[2] + s->radius;         break;
        case SLIP_SHAPE_CYLINDER: e[i] = slip_abs(r[2])*s->half[2] + across*s->radius;  break;
        case SLIP_SHAPE_ELLIPSOID:
            core_ellipsoid_support(s->half, r, x);
            e[i] = slip_dot3(r, x);
            break;
        default:                  e[i] = s->radius;                                     break;
        }
    }
}

void slip_hull_bounds(const slip_hull *hull, const slip_pose *X, int hint[6], slip_real lo[3], slip_real hi[3])
{
    int i;

    for (i = 0; i < 3; ++i) {
        slip_real d[3], m[3];

        slip_copy3(X->R + 3*i, d);
        slip_neg3(d, m);
        hint[2*i] = slip_core_hull_support(hull, m, hint[2*i]);
        hint[2*i + 1] = slip_core_hull_support(hull, d, hint[2*i + 1]);
        lo[i] = X->p[i] + slip_dot3(d, hull->vertex + 3*hint[2*i]);
        hi[i] = X->p[i] + slip_dot3(d, hull->vertex + 3*hint[2*i + 1]);
    }
}

/* The solid lies under its plane: bounded only along an axis that its normal is exactly along. */
static void shape_halfspace_bounds(const slip_pose *X, slip_real lo[3], slip_real hi[3])
{
    int i;

    for (i = 0; i < 3; ++i) {
        const slip_real up = X->R[3*i + 2];

        lo[i] = up == -1 ? X->p[i] : -SLIP_REAL_MAX;
        hi[i] = up == 1 ? X->p[i] : SLIP_REAL_MAX;
    }
}

void slip_shape_bounds(const slip_shape *s, const slip_pose *X, slip_real lo[3], slip_real hi[3])
{
    int hint[6] = { 0, 0, 0, 0, 0, 0 };
    slip_real e[3];

    switch (s->kind) {
    case SLIP_SHAPE_MESH:
        if (SLIP_HAS_SHAPE(MESH)) slip_hull_bounds(s->hull, X, hint, lo, hi);
        break;
    case SLIP_SHAPE_HALFSPACE:
        shape_halfspace_bounds(X, lo, hi);
        break;
    case SLIP_SHAPE_HEIGHTFIELD:
        if (SLIP_HAS_SHAPE(HEIGHTFIELD)) slip_heightfield_bounds(s->field, X, slip_heightfield_depth(s->field), lo, hi);
        break;
    default:
        shape_half_extents(s, X->R, e);
        slip_sub3(X->p, e, lo);
        slip_add3(X->p, e, hi);
        break;
    }
}
