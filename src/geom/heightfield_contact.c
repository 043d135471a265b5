/* Contacts of a shape with a height field, worked out in the field's frame.
 *
 * Points of the shape with a radius ("feet") meet triangles; convex edges of the field ("ridges") meet the whole shape
 * through slip_distance(). Edges in a plane or in a valley make no contact, so a ball rolling over a plain feels one
 * plane (the one-sided Voronoi regions of the surface). The walls around the field are in heightfield_border.c. */
#include "geom/heightfield_private.h"

enum { FIELD_RIM = 16 };

/* Sine of the angle up to which a line or face of a shape counts as flush with several ridges and samples. All of them
 * get contacts with their own normals; with one contact at a time the shape would rock between them. */
#define FIELD_LEAN SLIP_R(0.01)

/* Share of a cell within which a point of an edge counts as the sample at its end; and the bits of a sample's name. */
#define FIELD_END    SLIP_TOL(1e-9, 1e-5)
#define FIELD_SAMPLE 0xa0000000u

/* ---- candidates ---------------------------------------------------------------------------------------- */

/* Adds a contact. One at the place, or with the name, and with the normal of another replaces it if deeper; in a full
 * list the shallowest gives way. */
void slip_field_add(field_query *q, const field_hit *hit)
{
    const slip_real near_by = SLIP_R(1e-6)*slip_min(q->f->dx, q->f->dy);
    int i, at = q->nhits;

    for (i = 0; i < q->nhits; ++i)
        if ((q->hit[i].feature == hit->feature || slip_distance3(q->hit[i].point, hit->point) <= near_by)
            && slip_dot3(q->hit[i].normal, hit->normal) > SLIP_R(0.9999)) {
            if (hit->gap < q->hit[i].gap) q->hit[i] = *hit;
            return;
        }
    if (at < FIELD_CANDIDATES) {
        q->hit[q->nhits++] = *hit;
        return;
    }
    for (at = 0, i = 1; i < q->nhits; ++i) if (q->hit[i].gap > q->hit[at].gap) at = i;
    if (hit->gap < q->hit[at].gap) q->hit[at] = *hit;
}

void slip_field_add_patch(field_query *q, const slip_patch *patch, int k, uint32_t feature)
{
    field_hit hit;

    hit.gap = patch->point[k].gap;
    slip_copy3(patch->normal, hit.normal);
    slip_copy3(patch->point[k].point, hit.point);
    hit.feature = feature;
    slip_field_add(q, &hit);
}

/* Range of cells under an interval; 0 when it misses the field. */
int slip_field_range(slip_real lo, slip_real hi, slip_real start, slip_real step, int cells, int *first, int *last)
{
    const slip_real a = (lo - start)/step, b = (hi - start)/step;

    if (!(b >= 0) || !(a <= (slip_real)cells)) return 0;
    *first = a > 0 ? (a < (slip_real)(cells - 1) ? (int)a : cells - 1) : 0;
    *last = b < (slip_real)(cells - 1) ? (int)b : cells - 1;
    return 1;
}

/* A walk over the cells under a box that reach up to its lower side. */
typedef struct {
    int i0, i1, j1, i, j;
    slip_real least;                         /* heights below this do not count */
} field_cells;

static int field_cells_begin(const field_query *q, const slip_real lo[3], const slip_real hi[3], field_cells *c)
{
    const slip_heightfield *f = q->f;
    int j0;

    if (!slip_field_range(lo[0], hi[0], f->x0, f->dx, f->nx - 1, &c->i0, &c->i1)) return 0;
    if (!slip_field_range(lo[1], hi[1], f->y0, f->dy, f->ny - 1, &j0, &c->j1)) return 0;
    c->i = c->i0 - 1;
    c->j = j0;
    c->least = lo[2];
    return 1;
}

/* The next cell, i and j; 0 at the end, or when the budget allows no more. Whole blocks that stay below are stepped
 * over. */
static int field_cells_next(const field_query *q, field_cells *c)
{
    const slip_heightfield *f = q->f;

    while (slip_budget_take(q->budget)) {
        const slip_real *h;

        if (++c->i > c->i1) {
            c->i = c->i0;
            if (++c->j > c->j1) return 0;
        }
        if (f->block[2*(c->j/SLIP_FIELD_BLOCK*f->bx + c->i/SLIP_FIELD_BLOCK) + 1] < c->least) {
            c->i = c->i/SLIP_FIELD_BLOCK*SLIP_FIELD_BLOCK + SLIP_FIELD_BLOCK - 1;
            continue;
        }
        h = f->height + c->j*f->nx + c->i;
        if (slip_max(slip_max(h[0], h[1]), slip_max(h[f->nx], h[f->nx + 1])) >= c->least) return 1;
    }
    return 0;
}

/* ---- feet ---------------------------------------------------------------------------------------------- */

/* Unit normal of a triangle, from its corners. */
static void field_normal(const slip_real x[9], slip_real n[3])
{
    slip_real u[3], v[3];

    slip_sub3(x + 3, x, u);
    slip_sub3(x + 6, x, v);
    slip_cross3(u, v, n);
    slip_normalize3(n, n);
}

/* Whether p, moved along n onto the triangle's plane, lies in the triangle, its border included. */
static int field_is_over(const slip_real x[9], const slip_real n[3], const slip_real p[3])
{
    int k;

    for (k = 0; k < 3; ++k) {
        const slip_real *a = x + 3*k, *b = x + 3*((k + 1) % 3);
        slip_real e[3], d[3], c[3];

        slip_sub3(b, a, e);
        slip_sub3(p, a, d);
        slip_cross3(e, d, c);
        if (slip_dot3(c, n) < -8*SLIP_REAL_EPS*slip_dot3(e, e)) return 0;
    }
    return 1;
}

/* A cheap look before field_is_over(): whether the foot of p on the plane of triangle k of cell (i, j) is in the
 * cell, a hair widened. With the slopes g and v the height of p over the plane along z, it is p + g v/(1 + g^2). */
static int field_may_be_over(const slip_heightfield *f, int i, int j, int k, const slip_real p[3])
{
    const slip_real *h = f->height + j*f->nx + i, x0 = f->x0 + f->dx*(slip_real)i, y0 = f->y0 + f->dy*(slip_real)j;
    const slip_real gx = (k == 0 ? h[1] - h[0] : h[f->nx + 1] - h[f->nx])/f->dx;
    const slip_real gy = (k == 0 ? h[f->nx + 1] - h[1] : h[f->nx] - h[0])/f->dy;
    const slip_real x = p[0] - x0, y = p[1] - y0, v = (p[2] - h[0] - gx*x - gy*y)/(1 + gx*gx + gy*gy);
    const slip_real hair = SLIP_R(1e-3);

    return slip_abs(x + gx*v - f->dx/2) <= (SLIP_R(0.5) + hair)*f->dx
        && slip_abs(y + gy*v - f->dy/2) <= (SLIP_R(0.5) + hair)*f->dy;
}

/* Height of p over the plane of triangle k of cell (i, j), and its unit normal; 0 when p is not over the triangle, or
 * not within `least` to `most` of its plane. */
static int field_over_triangle(const slip_heightfield *f, int i, int j, int k, const slip_real p[3], slip_real least,
                               slip_real most, slip_real *height, slip_real n[3])
{
    slip_real x[9], d[3];

    if (!field_may_be_over(f, i, j, k, p)) return 0;
    slip_heightfield_triangle(f, 2*(j*(f->nx - 1) + i) + k, x);
    field_normal(x, n);
    slip_sub3(p, x, d);
    *height = slip_dot3(n, d);
    return *height >= least && *height <= most && field_is_over(x, n, p);
}

static void field_foot_hit(const slip_real p[3], slip_real r, const slip_real n[3], slip_real height, uint32_t feature,
                           field_hit *hit)
{
    hit->gap = height - r;
    slip_copy3(n, hit->normal);
    slip_axpy3(-(r + hit->gap/2), n, p, hit->point);
    hit->feature = feature;
}

/* A foot below the surface makes one contact: with the triangle above it, a nearer triangle, or a wall that is nearer
 * still. */
static void field_foot_below(field_query *q, const slip_real p[3], slip_real r, uint32_t feature,
                             const slip_real column_normal[3], slip_real column_height)
{
    slip_real best = column_normal[2]*column_height, n[3], lo[3], hi[3];
    field_cells c;
    field_hit hit;
    int k;

    slip_copy3(column_normal, n);
    for (k = 0; k < 3; ++k) { lo[k] = p[k] + best;  hi[k] = p[k] - best; }   /* best <= 0: the cube in its reach */
    if (slip_abs(best) < 2*q->f->dx + 2*q->f->dy && field_cells_begin(q, lo, hi, &c))
        while (field_cells_next(q, &c))
            for (k = 0; k < 2; ++k) {
                slip_real m[3], height;

                if (!field_over_triangle(q->f, c.i, c.j, k, p, best, 0, &height, m) || height <= best) continue;
                best = height;
                slip_copy3(m, n);
            }
    best = slip_field_wall_nearest(q->f, p, best, n);
    field_foot_hit(p, r, n, best, feature, &hit);
    slip_field_add(q, &hit);
}

/* A foot above the surface: all triangles it stands over within reach; two of them in a valley. */
static void field_foot_above(field_query *q, const slip_real p[3], slip_real r, uint32_t feature)
{
    const slip_real reach = r + q->margin;
    const slip_real lo[3] = { p[0] - reach, p[1] - reach, p[2] - reach };
    const slip_real hi[3] = { p[0] + reach, p[1] + reach, p[2] + reach };
    slip_real n[3];
    uint32_t rank = 0;
    field_cells c;
    field_hit hit;
    int k;

    if (!field_cells_begin(q, lo, hi, &c)) return;
    while (field_cells_next(q, &c))
        for (k = 0; k < 2; ++k) {
            const int before = q->nhits;
            slip_real height;

            if (!field_over_triangle(q->f, c.i, c.j, k, p, 0, reach, &height, n)) continue;
            field_foot_hit(p, r, n, height, feature + (rank << 24), &hit);
            slip_field_add(q, &hit);
            rank += (uint32_t)(q->nhits > before);
        }
}

static void field_foot(field_query *q, const slip_real p[3], slip_real r, uint32_t feature)
{
    slip_real ground, height, n[3];
    field_hit hit;

    if (p[2] - r - q->margin > q->f->hi || !slip_budget_take(q->budget)) return;
    if (!slip_heightfield_at(q->f, p[0], p[1], &ground, n)) {
        if (r > 0) field_foot_above(q, p, r, feature);   /* beside the field, but perhaps over its border */
        height = slip_field_wall_outside(q->f, p, n);
        if (height > r + q->margin) return;
        field_foot_hit(p, r, n, height, feature, &hit);
        slip_field_add(q, &hit);
    } else if (p[2] < ground) {
        field_foot_below(q, p, r, feature, n, p[2] - ground);
    } else {
        field_foot_above(q, p, r, feature);
    }
}

/* The rims of a cylinder: fixed points, so that a standing one keeps its contacts, and the lowest point of
 * each rim once it leans by more than 6 degrees against the ground there, so that a rolling one rolls on a
 * circle; beyond 30 degrees only that. */
static void field_feet_rim(field_query *q, int end)
{
    const slip_real r = q->shape->radius, cap[3] = { 0, 0, end ? q->shape->half[2] : -q->shape->half[2] };
    slip_real centre[3], ground, n[3] = { 0, 0, 1 }, low[3], lean, p[3];
    int k;

    slip_pose_point(&q->pose, cap, centre);
    slip_heightfield_at(q->f, centre[0], centre[1], &ground, n);
    slip_mat3_tvec(q->pose.R, n, low);
    lean = slip_norm2(low);
    for (k = 0; k <= FIELD_RIM; ++k) {
        const slip_real a = 2*SLIP_PI*(slip_real)k/FIELD_RIM;

        if (k < FIELD_RIM ? lean > SLIP_R(0.5) : lean < SLIP_R(0.1)) continue;
        if (k < FIELD_RIM) slip_set3(r*slip_cos(a), r*slip_sin(a), cap[2], p);
        else               slip_set3(-r*low[0]/lean, -r*low[1]/lean, cap[2], p);
        slip_pose_point(&q->pose, p, p);
        field_foot(q, p, 0, (uint32_t)(end*(FIELD_RIM + 1) + k));
    }
}

/* The points of both rims that are farthest into a wall, for walls in reach. */
static void field_feet_walls(field_query *q, const slip_real lo[3], const slip_real hi[3])
{
    slip_real m[3], d[3], across, p[3];
    int side, end;

    for (side = 0; side < 4; ++side) {
        if (!slip_field_meets_wall(q->f, side, lo, hi)) continue;
        slip_field_wall_normal(side, m);
        slip_mat3_tvec(q->pose.R, m, d);
        across = slip_norm2(d);
        for (end = 0; end < 2 && across > SLIP_R(0.1); ++end) {
            slip_set3(-q->shape->radius*d[0]/across, -q->shape->radius*d[1]/across,
                      end ? q->shape->half[2] : -q->shape->half[2], p);
            slip_pose_point(&q->pose, p, p);
            field_foot(q, p, 0, (uint32_t)(2*(FIELD_RIM + 1) + 2*side + end));
        }
    }
}

/* Point of an ellipsoid farthest against n, in the field's frame. */
static void field_lowest(const field_query *q, const slip_real n[3], slip_real p[3])
{
    slip_real d[3];

    slip_mat3_tvec(q->pose.R, n, d);
    slip_neg3(d, d);
    slip_shape_support(q->shape, d, p);
    slip_pose_point(&q->pose, p, p);
}

/* An ellipsoid has a foot of its own for each triangle and each wall: the point farthest into it. Buried so deep that
 * none is over its triangle, it has one for the surface above its centre. */
static void field_feet_ellipsoid(field_query *q, const slip_real lo[3], const slip_real hi[3])
{
    const slip_real *centre = q->pose.p;
    slip_real x[9], n[3], d[3], p[3], ground;
    uint32_t rank = 0;
    field_cells c;
    field_hit hit;
    int k;

    for (k = 0; k < 4; ++k) {
        if (!slip_field_meets_wall(q->f, k, lo, hi)) continue;
        slip_field_wall_normal(k, n);
        field_lowest(q, n, p);
        field_foot(q, p, 0, (uint32_t)(1 + k));
    }
    if (!field_cells_begin(q, lo, hi, &c)) return;
    while (field_cells_next(q, &c))
        for (k = 0; k < 2; ++k) {
            const int before = q->nhits;

            slip_heightfield_triangle(q->f, 2*(c.j*(q->f->nx - 1) + c.i) + k, x);
            field_normal(x, n);
            field_lowest(q, n, p);
            slip_sub3(p, x, d);
            if (slip_dot3(n, d) > q->margin || !field_is_over(x, n, p)) continue;
            field_foot_hit(p, 0, n, slip_dot3(n, d), rank << 24, &hit);
            slip_field_add(q, &hit);
            rank += (uint32_t)(q->nhits > before);
        }
    if (q->nhits > 0 || !slip_heightfield_at(q->f, centre[0], centre[1], &ground, n) || centre[2] > ground) return;
    field_lowest(q, n, p);
    field_foot(q, p, 0, 0);
}

static void field_feet(field_query *q, const slip_real lo[3], const slip_real hi[3])
{
    const slip_shape *s = q->shape;
    slip_real p[3];
    int i;

    switch (s->kind) {
    case SLIP_SHAPE_SPHERE:
        field_foot(q, q->pose.p, s->radius, 0);
        break;
    case SLIP_SHAPE_CAPSULE:
        for (i = 0; i < 2; ++i) {
            slip_set3(0, 0, i ? s->half[2] : -s->half[2], p);
            slip_pose_point(&q->pose, p, p);
            field_foot(q, p, s->radius, (uint32_t)i);
        }
        break;
    case SLIP_SHAPE_BOX:
        for (i = 0; i < 8; ++i) {
            slip_set3(i & 1 ? s->half[0] : -s->half[0], i & 2 ? s->half[1] : -s->half[1],
                      i & 4 ? s->half[2] : -s->half[2], p);
            slip_pose_point(&q->pose, p, p);
            field_foot(q, p, 0, (uint32_t)i);
        }
        break;
    case SLIP_SHAPE_CYLINDER:
        field_feet_rim(q, 0);
        field_feet_rim(q, 1);
        field_feet_walls(q, lo, hi);
        break;
    case SLIP_SHAPE_ELLIPSOID:
        field_feet_ellipsoid(q, lo, hi);
        break;
    default:
        for (i = 0; i < s->hull->nv; ++i) {
            slip_pose_point(&q->pose, s->hull->vertex + 3*i, p);
            field_foot(q, p, 0, (uint32_t)i);
        }
        break;
    }
}

/* ---- ridges -------------------------------------------------------------------------------------------- */

void slip_field_sample(const slip_heightfield *f, int i, int j, slip_real x[3])
{
    slip_set3(f->x0 + f->dx*(slip_real)i, f->y0 + f->dy*(slip_real)j, f->height[j*f->nx + i], x);
}

/* Edge `which` of cell (i, j): 0 along x, 1 along y, 2 the diagonal, all from its sample (i, j). 0 when the edge
 * is on the field's border, or not convex: the four samples make a parallelogram seen from above, so its
 * diagonals cross, and a ridge is the higher one. */
static int field_edge_of(const slip_heightfield *f, int i, int j, int which, field_edge *e)
{
    static const int step[3][6] = { { 1, 0, 1, 1, 0, -1 }, { 0, 1, -1, 0, 1, 1 }, { 1, 1, 0, 1, 1, 0 } };   /* b c d */
    const int *k = step[which];

    const slip_real *h = f->height + j*f->nx + i;

    if ((which == 0 && j == 0) || (which == 1 && i == 0)) return 0;
    if (!(h[0] + h[k[1]*f->nx + k[0]] > h[k[3]*f->nx + k[2]] + h[k[5]*f->nx + k[4]])) return 0;
    slip_field_sample(f, i, j, e->a);
    slip_field_sample(f, i + k[0], j + k[1], e->b);
    slip_field_sample(f, i + k[2], j + k[3], e->c);
    slip_field_sample(f, i + k[4], j + k[5], e->d);
    e->i = i;
    e->j = j;
    e->di = k[0];
    e->dj = k[1];
    e->feature = 0x80000000u | (uint32_t)(3*(j*f->nx + i) + which) << 2;
    return 1;
}

/* For a ridge: the outward in-plane directions of its left and right triangle. 0 when it is none. */
int slip_field_is_ridge(const field_edge *e, slip_real out_left[3], slip_real out_right[3])
{
    slip_real u[3], c[3], d[3], n[3], m[3], x[3];

    slip_sub3(e->b, e->a, u);
    slip_sub3(e->c, e->a, c);
    slip_sub3(e->d, e->a, d);
    slip_normalize3(u, u);
    slip_cross3(u, c, n);
    slip_normalize3(n, n);                               /* left triangle's normal  */
    slip_cross3(d, u, m);
    slip_normalize3(m, m);                               /* right triangle's normal */
    slip_cross3(n, m, x);
    if (slip_dot3(x, u) < FIELD_RIDGE) return 0;         /* sine of the bend, positive when convex */
    slip_cross3(u, n, out_left);                         /* points away from the left triangle  */
    slip_cross3(m, u, out_right);
    return 1;
}

/* Whether a contact at sample (i, j) with this normal is the sample's own: no edge leads from there towards
 * the shape. */
static int field_is_peak(const field_query *q, int i, int j, const slip_real n[3])
{
    const slip_heightfield *f = q->f;
    static const int beside[6][2] = { { 1, 0 }, { 1, 1 }, { 0, 1 }, { -1, 0 }, { -1, -1 }, { 0, -1 } };
    slip_real x[3], y[3];
    int k;

    slip_field_sample(f, i, j, x);
    for (k = 0; k < 6; ++k) {
        const int a = i + beside[k][0], b = j + beside[k][1];

        if (a < 0 || b < 0 || a >= f->nx || b >= f->ny) continue;
        slip_field_sample(f, a, b, y);
        slip_sub3(y, x, y);
        if (slip_dot3(n, y) > q->lean*slip_norm3(y)) return 0;
    }
    return 1;
}

/* Whether the nearest point x of the ridge lets it keep the contact: always, but at its ends. */
int slip_field_owns(const field_query *q, const field_edge *e, const slip_real x[3], const slip_real n[3])
{
    const slip_real end = FIELD_END*(q->f->dx + q->f->dy);

    if (slip_distance3(x, e->a) <= end) return field_is_peak(q, e->i, e->j, n);
    if (slip_distance3(x, e->b) <= end) return field_is_peak(q, e->i + e->di, e->j + e->dj, n);
    return 1;
}

/* The name of a ridge's point x: at an end of the ridge that of the sample, the same for all ridges that meet there; in
 * between, the rank along the ridge. */
static uint32_t field_ridge_name(const slip_heightfield *f, const field_edge *e, const slip_real x[3],
                                 const slip_patch *patch, int k)
{
    const slip_real end = FIELD_END*(f->dx + f->dy), to_a = slip_distance3(x, e->a);
    uint32_t rank = 0;
    int i;

    if (to_a <= end) return FIELD_SAMPLE | (uint32_t)(e->j*f->nx + e->i);
    if (slip_distance3(x, e->b) <= end) return FIELD_SAMPLE | (uint32_t)((e->j + e->dj)*f->nx + e->i + e->di);
    for (i = 0; i < patch->n; ++i) rank += i != k && slip_distance3(patch->point[i].point, e->a) < to_a;
    return e->feature | rank;
}

/* One point, the nearest; two where the shape lies along the ridge, on a face or a line of its own. The lower one of
 * these may be a sample from which another edge leads up to the shape: it is held all the same, else a face on two
 * samples would tip to and fro between them. */
static void field_ridge(field_query *q, const field_edge *e, const slip_real lo[3], const slip_real hi[3])
{
    slip_real left[3], right[3], x[3];
    slip_patch patch;
    int k;

    for (k = 0; k < 3; ++k)
        if (slip_min(e->a[k], e->b[k]) > hi[k] || slip_max(e->a[k], e->b[k]) < lo[k]) return;
    if (!slip_field_is_ridge(e, left, right) || !slip_field_segment(q, e->a, e->b, &patch)) return;
    if (!slip_field_between(q, patch.normal, left, right)) return;
    for (k = 0; k < patch.n; ++k) {
        slip_axpy3(-patch.point[k].gap/2, patch.normal, patch.point[k].point, x);
        if (patch.n == 1 && !slip_field_owns(q, e, x, patch.normal)) return;
        slip_field_add_patch(q, &patch, k, field_ridge_name(q->f, e, x, &patch, k));
    }
}

static void field_ridges(field_query *q, const slip_real lo[3], const slip_real hi[3])
{
    field_cells c;
    field_edge e;
    int k;

    if (!field_cells_begin(q, lo, hi, &c)) return;
    while (field_cells_next(q, &c))
        for (k = 0; k < 3; ++k)
            if (field_edge_of(q->f, c.i, c.j, k, &e)) field_ridge(q, &e, lo, hi);
}

/* ---- the few that matter ------------------------------------------------------------------------------- */

/* Whether all candidates stand on one plane: four of them are enough then. */
static int field_is_plane(const field_query *q)
{
    int i;

    for (i = 1; i < q->nhits; ++i)
        if (slip_dot3(q->hit[i].normal, q->hit[0].normal) < 1 - SLIP_TOL(1e-12, 1e-6)) return 0;
    return 1;
}

/* Chooses the deepest contact first, then repeatedly the one with the largest distance from those chosen, divided by
 * the excess of its gap over the deepest: contacts that touch come before distant ones with a gap. `hair` makes nearly
 * equal gaps count as equal, so that the corners of a flat bottom are taken. */
static int field_choose(field_query *q, field_hit chosen[SLIP_FIELD_CONTACTS])
{
    const slip_real hair = SLIP_TOL(1e-4, 1e-3)*slip_shape_reach(q->shape);
    const int room = field_is_plane(q) ? SLIP_PATCH_MOST : SLIP_FIELD_CONTACTS;
    slip_real far[FIELD_CANDIDATES];
    int n, i;

    for (n = 0; n < room && q->nhits > 0; ++n) {
        slip_real most = 0;
        int best = 0;

        for (i = 0; i < q->nhits; ++i) {
            slip_real value;

            if (n > 0) {
                const slip_real d = slip_distance3(q->hit[i].point, chosen[n - 1].point);

                if (n == 1 || d < far[i]) far[i] = d;
                value = far[i]/(q->hit[i].gap - chosen[0].gap + hair);
            } else {
                value = -q->hit[i].gap;
            }
            if (i == 0 || value > most) { best = i;  most = value; }
        }
        chosen[n] = q->hit[best];
        q->hit[best] = q->hit[--q->nhits];
        far[best] = far[q->nhits];
    }
    return n;
}

int slip_heightfield_contacts(const slip_heightfield *field, const slip_pose *pose_f, const slip_shape *shape,
                              const slip_pose *pose_s, slip_real margin, slip_budget *budget,
                              slip_field_contact out[SLIP_FIELD_CONTACTS])
{
    field_query q;
    field_hit chosen[SLIP_FIELD_CONTACTS];
    slip_pose inv;
    slip_real lo[3], hi[3];
    int n, i;

    if (slip_shape_check(shape) < 0 || !slip_is_finite(margin) || margin < 0) return SLIP_ERR_ARGUMENT;
    if (!slip_pose_is_finite(pose_f) || !slip_pose_is_finite(pose_s)) return SLIP_ERR_ARGUMENT;
    if (shape->kind == SLIP_SHAPE_HALFSPACE || shape->kind == SLIP_SHAPE_HEIGHTFIELD) return SLIP_ERR_UNSUPPORTED;
    q.f = field;
    q.shape = shape;
    q.margin = margin;
    q.lean = shape->kind == SLIP_SHAPE_SPHERE || shape->kind == SLIP_SHAPE_ELLIPSOID ? FIELD_RIDGE : FIELD_LEAN;
    q.budget = budget;
    q.nhits = 0;
    slip_pose_inverse(pose_f, &inv);
    slip_pose_mul(&inv, pose_s, &q.pose);
    slip_shape_bounds(shape, &q.pose, lo, hi);
    for (i = 0; i < 3; ++i) { lo[i] -= margin;  hi[i] += margin; }
    field_feet(&q, lo, hi);
    field_ridges(&q, lo, hi);
    slip_field_border(&q, lo, hi);
    n = field_choose(&q, chosen);
    for (i = 0; i < n; ++i) {
        slip_pose_point(pose_f, chosen[i].point, out[i].point);
        slip_mat3_vec(pose_f->R, chosen[i].normal, out[i].normal);
        out[i].gap = chosen[i].gap;
        out[i].feature = chosen[i].feature;
    }
    return n;
}
