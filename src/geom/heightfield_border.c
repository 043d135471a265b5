/* The border of a height field: upright walls all round, from the surface down. The solid below the surface ends at
 * them, so the contact of a shape that leaves the field sideways fades continuously. Without walls a shape that dipped
 * beside the field and came back would be pushed out from its full depth at once.
 *
 * Points of a shape meet the walls' faces; the edges where surface and walls meet, and where two walls do, meet the
 * whole shape, with normals between those of the faces on either side. */
#include "geom/heightfield_private.h"

#include "geom/ray.h"

#define BORDER_NAME 0xc0000000u       /* bits of the names of its contacts */

static slip_real border_far(const slip_heightfield *f, int axis)
{
    return axis ? f->y0 + f->dy*(slip_real)(f->ny - 1) : f->x0 + f->dx*(slip_real)(f->nx - 1);
}

/* The axis a side looks along, and how far out it is along that: x . n = offset on the wall. */
static int border_axis(int side) { return side & 1 ? 0 : 1; }
static int border_sign(int side) { return side == 1 || side == 2 ? 1 : -1; }

static slip_real border_offset(const slip_heightfield *f, int side)
{
    const int axis = border_axis(side);

    return border_sign(side) > 0 ? border_far(f, axis) : axis ? -f->y0 : -f->x0;
}

static slip_real border_height(const slip_heightfield *f, int side, const slip_real p[3])
{
    return (slip_real)border_sign(side)*p[border_axis(side)] - border_offset(f, side);
}

void slip_field_wall_normal(int side, slip_real n[3])
{
    slip_zero3(n);
    n[border_axis(side)] = (slip_real)border_sign(side);
}

int slip_field_meets_wall(const slip_heightfield *f, int side, const slip_real lo[3], const slip_real hi[3])
{
    return border_height(f, side, border_sign(side) > 0 ? hi : lo) >= 0;
}

slip_real slip_field_wall_nearest(const slip_heightfield *f, const slip_real p[3], slip_real best, slip_real n[3])
{
    int side;

    for (side = 0; side < 4; ++side) {
        const slip_real height = border_height(f, side, p);

        if (!(height > best)) continue;
        best = slip_min(height, 0);
        slip_field_wall_normal(side, n);
    }
    return best;
}

slip_real slip_field_wall_outside(const slip_heightfield *f, const slip_real p[3], slip_real n[3])
{
    slip_real q[3], ground, height = 0;
    int side, at = -1;

    for (side = 0; side < 4; ++side) {
        if (!(border_height(f, side, p) > 0)) continue;
        if (at >= 0) return SLIP_REAL_MAX;               /* beyond a corner */
        at = side;
        height = border_height(f, side, p);
    }
    if (at < 0) return SLIP_REAL_MAX;
    slip_copy3(p, q);
    q[border_axis(at)] = (slip_real)border_sign(at)*border_offset(f, at);
    if (!slip_heightfield_at(f, q[0], q[1], &ground, NULL) || p[2] > ground) return SLIP_REAL_MAX;
    if (p[2] < f->lo - slip_heightfield_depth(f)) return SLIP_REAL_MAX;
    slip_field_wall_normal(at, n);
    return height;
}

/* ---- edges ------------------------------------------------------------------------------------------------ */

int slip_field_segment(const field_query *q, const slip_real a[3], const slip_real b[3], slip_patch *patch)
{
    slip_shape segment = { SLIP_SHAPE_CAPSULE, 0, { 0, 0, 0 }, NULL, NULL };
    slip_distance_cache cache = { { 0, 0, 0 }, 0, 0, NULL };
    slip_real u[3];
    slip_pose X;

    slip_sub3(b, a, u);
    segment.half[2] = slip_normalize3(u, u)/2;
    slip_mat3_z_to(u, X.R);
    slip_add3(a, b, X.p);
    slip_scale3(SLIP_R(0.5), X.p, X.p);
    cache.budget = q->budget;
    return slip_patch_find(&segment, &X, q->shape, &q->pose, q->margin, &cache, patch) >= 0 && patch->n > 0;
}

int slip_field_between(const field_query *q, const slip_real n[3], const slip_real left[3], const slip_real right[3])
{
    return slip_dot3(n, left) >= -q->lean && slip_dot3(n, right) >= -q->lean;
}

/* Distance from x, a point inside the shape, to the shape's surface along d (unit). */
static slip_real border_reach(const field_query *q, const slip_real x[3], const slip_real d[3])
{
    const slip_real far = 4*slip_shape_reach(q->shape) + slip_distance3(x, q->pose.p);
    slip_ray ray;
    slip_ray_hit hit;

    slip_axpy3(far, d, x, ray.origin);
    slip_neg3(d, ray.dir);
    ray.tmax = far;
    return slip_ray_shape(&ray, q->shape, &q->pose, &hit) == 1 ? far - hit.t : 0;
}

static int border_is_corner(const slip_heightfield *f, int i, int j)
{
    return (i == 0 || i == f->nx - 1) && (j == 0 || j == f->ny - 1);
}

/* The middle of the part of an edge inside the shape, which contains the edge's point x. Returns the length of that
 * part when it ends at a corner of the field, else infinity. */
static slip_real border_middle(const field_query *q, const field_edge *e, const slip_real u[3], slip_real length,
                               slip_real x[3])
{
    slip_real r[3], at, from, to;
    int corner;

    slip_sub3(x, e->a, r);
    at = slip_dot3(r, u);
    to = slip_min(length, at + border_reach(q, x, u));
    slip_neg3(u, r);
    from = slip_max(0, at - border_reach(q, x, r));
    corner = (from <= 0 && border_is_corner(q->f, e->i, e->j))
          || (to >= length && border_is_corner(q->f, e->i + e->di, e->j + e->dj));
    slip_axpy3((from + to)/2, u, e->a, x);
    return corner ? to - from : SLIP_REAL_MAX;
}

/* An edge so deep in the shape that the nearest way out leads into the solid: the contact is along the normal of the
 * adjacent face with the shorter way out. If the way round a corner is shorter, the next side's wall makes it. */
static void border_deep_edge(field_query *q, const field_edge *e, const slip_patch *patch, uint32_t feature)
{
    slip_real u[3], x[3], n[2][3], t[2], d[3], inside;
    field_hit hit;
    int k;

    slip_sub3(e->b, e->a, u);
    t[0] = slip_normalize3(u, u);
    slip_axpy3(-patch->point[0].gap/2, patch->normal, patch->point[0].point, x);
    inside = border_middle(q, e, u, t[0], x);
    slip_sub3(e->c, e->a, d);
    slip_cross3(u, d, n[0]);                             /* the triangle's, upwards */
    slip_sub3(e->d, e->a, d);
    slip_cross3(d, u, n[1]);                             /* the wall's, outwards    */
    for (k = 0; k < 2; ++k) {
        slip_normalize3(n[k], n[k]);
        slip_neg3(n[k], d);
        t[k] = border_reach(q, x, d);
    }
    k = t[1] < t[0];
    if (!(t[k] > 0) || t[k] > inside) return;
    hit.gap = -t[k];
    slip_copy3(n[k], hit.normal);
    slip_axpy3(hit.gap/2, n[k], x, hit.point);
    hit.feature = feature;
    slip_field_add(q, &hit);
}

/* Contacts of an edge of the surface: one point, or two where the edge lies along the shape. */
static void border_run(field_query *q, int side, const field_edge *e)
{
    const uint32_t feature = BORDER_NAME | (uint32_t)(side << 24 | (e->i + e->j) << 2);
    slip_real left[3], right[3], x[3];
    slip_patch patch;
    int k;

    if (!slip_field_is_ridge(e, left, right) || !slip_field_segment(q, e->a, e->b, &patch)) return;
    if (!slip_field_between(q, patch.normal, left, right)) {
        if (patch.point[0].gap < 0) border_deep_edge(q, e, &patch, feature | 3);
        return;
    }
    for (k = 0; k < patch.n; ++k) {
        slip_axpy3(-patch.point[k].gap/2, patch.normal, patch.point[k].point, x);
        if (patch.n > 1 || slip_field_owns(q, e, x, patch.normal))
            slip_field_add_patch(q, &patch, k, feature | (uint32_t)k);
    }
}

/* Cell edge k of a side, the solid on its left: from sample (i, j) by (di, dj); its triangle's far corner by (ci, cj).
 * */
static void border_edge(const slip_heightfield *f, int side, int k, field_edge *e)
{
    static const int along[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    static const int corner[4][2] = { { 1, 1 }, { -1, 0 }, { -1, -1 }, { 1, 0 } };

    e->i = side == 0 ? k : side == 1 ? f->nx - 1 : side == 2 ? k + 1 : 0;
    e->j = side == 0 ? 0 : side == 1 ? k : side == 2 ? f->ny - 1 : k + 1;
    e->di = along[side][0];
    e->dj = along[side][1];
    e->feature = 0;
    slip_field_sample(f, e->i, e->j, e->a);
    slip_field_sample(f, e->i + e->di, e->j + e->dj, e->b);
    slip_field_sample(f, e->i + corner[side][0], e->j + corner[side][1], e->c);
    slip_set3(e->a[0], e->a[1], e->a[2] - 1, e->d);
}

/* Whether g, the next edge of the side, goes on straight from e and its triangle in e's plane; both may be joined then.
 * Slopes of e, which may be a joined one, against g's. */
static int border_is_straight(const field_edge *e, const field_edge *g)
{
    const slip_real length = slip_abs(e->b[0] - e->a[0]) + slip_abs(e->b[1] - e->a[1]);
    const slip_real cell = slip_abs(g->b[0] - g->a[0]) + slip_abs(g->b[1] - g->a[1]);
    const slip_real rise = (e->b[2] - e->a[2])*cell/length - (g->b[2] - g->a[2]);
    const slip_real tilt = e->c[2] - e->a[2] - (g->c[2] - g->a[2]);

    return slip_abs(rise) <= FIELD_RIDGE/8*cell && slip_abs(tilt) <= FIELD_RIDGE/8*cell;
}

/* Joins g to e. Sides 0 and 1 are numbered the way their edges run, so the end moves; on the others, the start does. */
static void border_join(field_edge *e, const field_edge *g, int side)
{
    e->di += g->di;
    e->dj += g->dj;
    if (side < 2) { slip_copy3(g->b, e->b);  return; }
    slip_copy3(g->a, e->a);
    slip_copy3(g->c, e->c);
    slip_copy3(g->d, e->d);
    e->i = g->i;
    e->j = g->j;
}

/* The border of one side under the shape, one cell more at each end, straight parts in one. */
static void border_side(field_query *q, int side, const slip_real lo[3], const slip_real hi[3])
{
    const slip_heightfield *f = q->f;
    const int axis = 1 - border_axis(side), cells = (axis ? f->ny : f->nx) - 1;
    field_edge run, next;
    int k, first, last, open = 0;

    if (!slip_field_range(lo[axis], hi[axis], axis ? f->y0 : f->x0, axis ? f->dy : f->dx, cells, &first, &last)) return;
    first -= first > 0;
    last += last < cells - 1;
    for (k = first; k <= last && slip_budget_take(q->budget); ++k) {
        border_edge(f, side, k, &next);
        if (open && border_is_straight(&run, &next)) { border_join(&run, &next, side);  continue; }
        if (open) border_run(q, side, &run);
        run = next;
        open = 1;
    }
    if (open) border_run(q, side, &run);
}

/* The upright edge between two walls, below the corner of the surface. */
static void border_corner(field_query *q, int side_x, int side_y)
{
    const slip_heightfield *f = q->f;
    const slip_real top_end = SLIP_TOL(1e-9, 1e-5)*(f->dx + f->dy);
    slip_real a[3], b[3], left[3], right[3], x[3];
    slip_patch patch;
    int k;

    slip_field_sample(f, border_sign(side_x) > 0 ? f->nx - 1 : 0, border_sign(side_y) > 0 ? f->ny - 1 : 0, a);
    slip_copy3(a, b);
    b[2] = f->lo - slip_heightfield_depth(f);
    slip_field_wall_normal(side_x, left);
    slip_field_wall_normal(side_y, right);
    if (!slip_field_segment(q, a, b, &patch) || !slip_field_between(q, patch.normal, left, right)) return;
    for (k = 0; k < patch.n; ++k) {
        slip_axpy3(-patch.point[k].gap/2, patch.normal, patch.point[k].point, x);
        if (patch.normal[2] > FIELD_RIDGE && slip_distance3(x, a) <= top_end) continue;      /* the surface's corner */
        slip_field_add_patch(q, &patch, k, BORDER_NAME | (uint32_t)(4 << 24 | side_x << 4 | side_y << 2 | k));
    }
}

void slip_field_border(field_query *q, const slip_real lo[3], const slip_real hi[3])
{
    int side, meets[4];

    for (side = 0; side < 4; ++side) {
        meets[side] = slip_field_meets_wall(q->f, side, lo, hi);
        if (meets[side]) border_side(q, side, lo, hi);
    }
    for (side = 0; side < 4; ++side) {
        const int next = (side + 1) % 4;

        if (meets[side] && meets[next]) border_corner(q, side & 1 ? side : next, side & 1 ? next : side);
    }
}
