/* See patch.h. Face clipping after Sutherland and Hodgman (1974): the polygon of one shape that faces the
 * other along the normal is cut by the side planes of the other's, and what is left and close enough is
 * reduced to four points. */
#include "geom/patch.h"

#include <string.h>

enum { PATCH_MOST = 24, PATCH_RIM = 8 };                 /* corners of a polygon while it is cut; points of a rim */

/* A face, an edge or a corner of a shape as a polygon of 3 or more, 2 or 1 points, world frame. For rounded
 * shapes these are points of the core, `round` inside the surface. */
typedef struct {
    int n;
    slip_real x[PATCH_MOST][3];
    uint32_t id[PATCH_MOST];
    slip_real normal[3];                                 /* outward, of a polygon             */
    slip_real align;                                     /* normal . direction asked for      */
    slip_real round;
    uint32_t face;
} patch_side;

/* How nearly a face must look along the normal to carry a patch: within some 8 degrees. */
#define PATCH_ALIGNED SLIP_R(0.99)

static void patch_put(patch_side *s, const slip_pose *X, slip_real x, slip_real y, slip_real z, uint32_t id)
{
    const slip_real local[3] = { x, y, z };

    if (s->n == PATCH_MOST) return;
    slip_pose_point(X, local, s->x[s->n]);
    s->id[s->n++] = id;
}

/* ---- the side of a shape that looks along a direction ------------------------------------------------------ */

static void patch_box_side(const slip_shape *b, const slip_pose *X, const slip_real d[3], patch_side *s)
{
    const slip_real ax = slip_abs(d[0]), ay = slip_abs(d[1]), az = slip_abs(d[2]);
    const int k = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2, u = (k + 1)%3, v = (k + 2)%3;
    const slip_real sign = d[k] >= 0 ? SLIP_R(1) : SLIP_R(-1);
    int i;

    for (i = 0; i < 4; ++i) {                            /* anticlockwise seen from outside when sign > 0 */
        const int j = sign > 0 ? i : 3 - i;
        const slip_real su = j == 0 || j == 3 ? SLIP_R(1) : SLIP_R(-1), sv = j < 2 ? SLIP_R(1) : SLIP_R(-1);
        slip_real x[3];

        x[k] = sign*b->half[k];
        x[u] = su*b->half[u];
        x[v] = sv*b->half[v];
        patch_put(s, X, x[0], x[1], x[2], (uint32_t)((x[0] > 0) | (x[1] > 0) << 1 | (x[2] > 0) << 2));
    }
    s->normal[0] = sign*X->R[k];
    s->normal[1] = sign*X->R[k + 3];
    s->normal[2] = sign*X->R[k + 6];
    s->align = slip_abs(d[k]);
    s->face = (uint32_t)(2*k + (sign > 0));
}

static void patch_hull_side(const slip_hull *h, const slip_pose *X, const slip_real d[3], patch_side *s)
{
    int f, best = -1, k, n, step;

    s->align = -2;
    for (f = 0; f < h->nf; ++f)
        if (slip_dot3(h->plane + 4*f, d) > s->align) { s->align = slip_dot3(h->plane + 4*f, d); best = f; }
    if (best < 0) {                                      /* a segment or a point */
        for (k = 0; k < h->nv && k < 2; ++k) patch_put(s, X, h->vertex[3*k], h->vertex[3*k + 1], h->vertex[3*k + 2], (uint32_t)k);
        return;
    }
    n = h->loop_start[best + 1] - h->loop_start[best];
    step = (n + PATCH_MOST/2 - 1)/(PATCH_MOST/2);        /* a face of very many corners is thinned out */
    for (k = 0; k < n; k += step) {
        const int v = h->loop[h->loop_start[best] + k];

        patch_put(s, X, h->vertex[3*v], h->vertex[3*v + 1], h->vertex[3*v + 2], (uint32_t)v);
    }
    slip_mat3_vec(X->R, h->plane + 4*best, s->normal);
    s->face = (uint32_t)best;
}

/* A cap as a polygon whose corners are fixed to the body, or the line of the mantle that looks along d. */
static void patch_cylinder_side(const slip_shape *c, const slip_pose *X, const slip_real d[3], patch_side *s)
{
    static const slip_real turn[PATCH_RIM][2] = {
        { 1, 0 }, { SLIP_R(0.70710678118654752), SLIP_R(0.70710678118654752) }, { 0, 1 },
        { SLIP_R(-0.70710678118654752), SLIP_R(0.70710678118654752) }, { -1, 0 },
        { SLIP_R(-0.70710678118654752), SLIP_R(-0.70710678118654752) }, { 0, -1 },
        { SLIP_R(0.70710678118654752), SLIP_R(-0.70710678118654752) } };
    const slip_real across = slip_norm2(d), sign = d[2] >= 0 ? SLIP_R(1) : SLIP_R(-1);
    int i;

    if (slip_abs(d[2]) >= across) {
        for (i = 0; i < PATCH_RIM; ++i) {
            const int j = sign > 0 ? i : PATCH_RIM - 1 - i;

            patch_put(s, X, c->radius*turn[j][0], c->radius*turn[j][1], sign*c->half[2], (uint32_t)(j + (sign > 0 ? 8 : 0)));
        }
        slip_set3(sign*X->R[2], sign*X->R[5], sign*X->R[8], s->normal);
        s->align = slip_abs(d[2]);
        s->face = sign > 0;
        return;
    }
    patch_put(s, X, c->radius*d[0]/across, c->radius*d[1]/across, -c->half[2], 16);
    patch_put(s, X, c->radius*d[0]/across, c->radius*d[1]/across, c->half[2], 17);
}

static void patch_side_of(const slip_shape *shape, const slip_pose *X, const slip_real direction[3], patch_side *s)
{
    slip_real d[3];

    s->n = 0;
    s->align = -1;
    s->round = 0;
    s->face = 0;
    slip_zero3(s->normal);
    slip_mat3_tvec(X->R, direction, d);
    switch (shape->kind) {
    case SLIP_SHAPE_BOX:      patch_box_side(shape, X, d, s); break;
    case SLIP_SHAPE_MESH:     patch_hull_side(shape->hull, X, d, s); break;
    case SLIP_SHAPE_CYLINDER: patch_cylinder_side(shape, X, d, s); break;
    case SLIP_SHAPE_CAPSULE:
        patch_put(s, X, 0, 0, -shape->half[2], 0);
        patch_put(s, X, 0, 0, shape->half[2], 1);
        s->round = shape->radius;
        break;
    default:
        patch_put(s, X, 0, 0, 0, 0);
        s->round = shape->kind == SLIP_SHAPE_SPHERE ? shape->radius : 0;
        break;
    }
}

/* ---- clipping -------------------------------------------------------------------------------------------------- */

/* Cuts the polygon (or segment) s by the plane n . x <= d; new corners are named after the cut and the edge. */
static void patch_cut(patch_side *s, const slip_real n[3], slip_real d, uint32_t cut)
{
    patch_side out;
    int i;

    out.n = 0;
    for (i = 0; i < s->n; ++i) {
        const int j = (i + 1)%s->n;
        const slip_real di = slip_dot3(n, s->x[i]) - d, dj = slip_dot3(n, s->x[j]) - d;

        if (di <= 0 && out.n < PATCH_MOST) {
            slip_copy3(s->x[i], out.x[out.n]);
            out.id[out.n++] = s->id[i];
        }
        if ((di < 0) != (dj < 0) && di != dj && out.n < PATCH_MOST && !(s->n == 2 && i == 1)) {
            const slip_real t = di/(di - dj);
            slip_real edge[3];

            slip_sub3(s->x[j], s->x[i], edge);
            slip_axpy3(t, edge, s->x[i], out.x[out.n]);
            out.id[out.n++] = 32 + cut*64 + (s->id[i] < s->id[j] ? s->id[i]*7 + s->id[j] : s->id[j]*7 + s->id[i]);
        }
    }
    s->n = out.n;
    memcpy(s->x, out.x, (size_t)out.n*sizeof out.x[0]);
    memcpy(s->id, out.id, (size_t)out.n*sizeof out.id[0]);
}

/* Cuts `inc` by the side planes of the polygon `ref`. */
static void patch_clip(const patch_side *ref, patch_side *inc)
{
    int i;

    for (i = 0; i < ref->n && inc->n > 0; ++i) {
        const int j = (i + 1)%ref->n;
        slip_real edge[3], out[3];

        slip_sub3(ref->x[j], ref->x[i], edge);
        slip_cross3(edge, ref->normal, out);             /* outwards: corners run anticlockwise */
        if (slip_normalize3(out, out) > 0) patch_cut(inc, out, slip_dot3(out, ref->x[i]), (uint32_t)(i + 1));
    }
}

/* ---- reduction -------------------------------------------------------------------------------------------------- */

/* Area, twice and signed about n, of a triangle. */
static slip_real patch_area(const slip_real n[3], const slip_real a[3], const slip_real b[3], const slip_real c[3])
{
    slip_real u[3], v[3], w[3];

    slip_sub3(b, a, u);
    slip_sub3(c, a, v);
    slip_cross3(u, v, w);
    return slip_dot3(n, w);
}

/* Keeps at most four of m points: the deepest, the one farthest from it, and those that span the most area on
 * either side. Ties go to the lower feature, so that noise does not change the choice. */
static int patch_reduce(const slip_real n[3], slip_patch_point *p, int m)
{
    slip_real size = 0;
    int i, k;

    for (i = 1; i < m; ++i) size = slip_max(size, slip_distance3(p[0].point, p[i].point));
    for (k = 0; k < 4 && k < m; ++k) {
        int best = k;
        slip_real value = -SLIP_REAL_MAX;

        for (i = k; i < m; ++i) {
            slip_real x, tie;

            if (k == 0)      { x = -p[i].gap;  tie = SLIP_TOL(1e-9, 1e-6) + SLIP_R(1e-4)*size; }
            else if (k == 1) { x = slip_distance3(p[0].point, p[i].point);  tie = SLIP_R(1e-3)*size; }
            else {
                const slip_real area = patch_area(n, p[0].point, p[1].point, p[i].point);

                x = k == 2 ? slip_abs(area) : patch_area(n, p[0].point, p[1].point, p[2].point) > 0 ? -area : area;
                if (k == 3) x = slip_max(x, slip_max(-slip_abs(x), 0));
                tie = SLIP_R(1e-3)*size*size;
            }
            if (x > value + tie || (x > value - tie && p[i].feature < p[best].feature)) { value = slip_max(value, x); best = i; }
        }
        { const slip_patch_point t = p[k]; p[k] = p[best]; p[best] = t; }
    }
    return k;
}

/* ---- half-spaces ------------------------------------------------------------------------------------------------ */

static void patch_add(slip_patch_point *p, int *m, const slip_real x[3], slip_real gap, const slip_real n[3], uint32_t feature)
{
    if (*m >= PATCH_MOST) return;
    slip_axpy3(-gap/2, n, x, p[*m].point);
    p[*m].gap = gap;
    p[(*m)++].feature = feature;
}

/* Corners of the shape near the plane n . x = d; rounded ones by their core. A cylinder gives the rim's lowest point
 * too, unless it stands so flat that this point is noise. */
static int patch_plane_points(const slip_shape *s, const slip_pose *X, const slip_real n[3], slip_real d, slip_real margin,
                              slip_patch_point *p)
{
    slip_real down[3], low[3], x[3];
    patch_side side;
    int i, m = 0;

    slip_neg3(n, down);
    if (s->kind == SLIP_SHAPE_BOX) {
        const slip_real c = slip_dot3(n, X->p) - d;
        slip_real e[3];

        for (i = 0; i < 3; ++i) e[i] = s->half[i]*(n[0]*X->R[i] + n[1]*X->R[i + 3] + n[2]*X->R[i + 6]);
        for (i = 0; i < 8; ++i) {
            const slip_real gap = c + (i & 1 ? e[0] : -e[0]) + (i & 2 ? e[1] : -e[1]) + (i & 4 ? e[2] : -e[2]);

            if (gap > margin) continue;
            slip_set3(i & 1 ? s->half[0] : -s->half[0], i & 2 ? s->half[1] : -s->half[1], i & 4 ? s->half[2] : -s->half[2], x);
            slip_pose_point(X, x, x);
            slip_axpy3(-gap/2, n, x, p[m].point);
            p[m].gap = gap;
            p[m++].feature = (uint32_t)i;
        }
        return m;
    }
    if (s->kind == SLIP_SHAPE_MESH) {
        slip_mat3_tvec(X->R, n, low);
        for (i = 0; i < s->hull->nv; ++i) {
            const slip_real gap = slip_dot3(low, s->hull->vertex + 3*i) + slip_dot3(n, X->p) - d;

            if (gap > margin) continue;
            slip_pose_point(X, s->hull->vertex + 3*i, x);
            if (m == PATCH_MOST) m = patch_reduce(n, p, m);          /* keep the best and go on */
            patch_add(p, &m, x, gap, n, (uint32_t)i);
        }
        return m;
    }
    patch_side_of(s, X, down, &side);
    for (i = 0; i < side.n; ++i) {
        slip_axpy3(-side.round, n, side.x[i], x);
        if (slip_dot3(n, x) - d <= margin) patch_add(p, &m, x, slip_dot3(n, x) - d, n, side.id[i]);
    }
    if (s->kind == SLIP_SHAPE_CYLINDER && side.align < SLIP_R(0.99995)) {
        slip_mat3_tvec(X->R, down, low);
        slip_shape_support(s, low, x);
        slip_pose_point(X, x, x);
        if (slip_dot3(n, x) - d <= margin) patch_add(p, &m, x, slip_dot3(n, x) - d, n, 30);
    }
    return m;
}

static slip_status patch_halfspace(const slip_pose *H, const slip_shape *s, const slip_pose *X, slip_real margin, int flip,
                                   slip_patch *out)
{
    const slip_real n[3] = { H->R[2], H->R[5], H->R[8] };
    slip_patch_point p[PATCH_MOST];
    int m = patch_plane_points(s, X, n, slip_dot3(n, H->p), margin, p);

    if (!slip_all_finite(X->R, 9) || !slip_all_finite(X->p, 3)) return SLIP_ERR_ARGUMENT;
    m = patch_reduce(n, p, m);
    out->count = m;
    memcpy(out->point, p, (size_t)m*sizeof *p);
    if (flip) slip_neg3(n, out->normal);
    else slip_copy3(n, out->normal);
    return SLIP_OK;
}

/* ---- two bounded shapes -------------------------------------------------------------------------------------------- */

static void patch_single(const slip_distance_result *r, slip_patch *out)
{
    out->count = 1;
    slip_copy3(r->normal, out->normal);
    slip_add3(r->a, r->b, out->point[0].point);
    slip_scale3(SLIP_R(0.5), out->point[0].point, out->point[0].point);
    out->point[0].gap = r->distance;
    out->point[0].feature = UINT32_C(0xffffffff);
}

/* What is left of `inc` after clipping by `ref`, with gaps along the pair's normal; sign +1 when ref is the first. */
static int patch_faces(const patch_side *ref, patch_side *inc, const slip_real n[3], slip_real sign, slip_real margin,
                       slip_patch_point *p)
{
    const slip_real d = slip_dot3(ref->normal, ref->x[0]), lean = sign*slip_dot3(ref->normal, n);
    slip_real up[3], x[3];
    int i, m = 0;

    slip_scale3(sign, n, up);                            /* from ref to inc */
    patch_clip(ref, inc);
    for (i = 0; i < inc->n; ++i) {
        /* along the normal from ref's face to the surface of inc, whose core is `round` further out */
        const slip_real gap = (slip_dot3(ref->normal, inc->x[i]) - d)/lean - inc->round;

        if (gap > margin) continue;
        slip_axpy3(-inc->round, up, inc->x[i], x);
        patch_add(p, &m, x, gap, up, (ref->face & 255u) << 16 | (sign > 0 ? UINT32_C(1) << 30 : 0) | (inc->id[i] & 0xffffu));
    }
    return m;
}

/* Two straight sides that run alongside: the ends of the stretch they share. */
static int patch_lines(const patch_side *A, const patch_side *B, const slip_real n[3], slip_real margin, slip_patch_point *p)
{
    slip_real u[3], v[3], w[3], x[3], y[3], length, lo, hi, t[2];
    int i, m = 0;

    slip_sub3(A->x[1], A->x[0], u);
    length = slip_normalize3(u, u);
    slip_sub3(B->x[1], B->x[0], v);
    if (!(length > 0) || !(slip_normalize3(v, v) > 0)) return 0;
    slip_cross3(u, v, w);
    if (slip_norm3(w) > SLIP_R(0.05) || slip_abs(slip_dot3(u, n)) > SLIP_R(0.05)) return 0;
    for (i = 0; i < 2; ++i) {
        slip_sub3(B->x[i], A->x[0], w);
        t[i] = slip_dot3(w, u);
    }
    lo = slip_max(0, slip_min(t[0], t[1]));
    hi = slip_min(length, slip_max(t[0], t[1]));
    if (hi - lo < SLIP_R(1e-3)*length) return 0;
    for (i = 0; i < 2; ++i) {
        const slip_real s = i ? hi : lo, along = (s - t[0])/(t[1] - t[0]);
        slip_real gap;

        slip_axpy3(s, u, A->x[0], x);
        slip_sub3(B->x[1], B->x[0], y);
        slip_axpy3(along, y, B->x[0], y);
        slip_sub3(y, x, w);
        gap = slip_dot3(w, n) - A->round - B->round;
        slip_axpy3(-B->round, n, y, y);
        if (gap <= margin) patch_add(p, &m, y, gap, n, (uint32_t)i);
    }
    return m;
}

/* Points of the patch where sides are flat enough, 0 when the closest points are all there is. */
static int patch_points(const slip_shape *a, const slip_pose *A, const slip_shape *b, const slip_pose *B,
                        const slip_real n[3], slip_real margin, slip_patch_point *p)
{
    slip_real back[3];
    patch_side sa, sb;

    slip_neg3(n, back);
    patch_side_of(a, A, n, &sa);
    patch_side_of(b, B, back, &sb);
    if (sa.n == 1 || sb.n == 1) return 0;
    if (sa.n >= 3 && sa.align >= PATCH_ALIGNED && (sb.n < 3 || sa.align >= sb.align - SLIP_R(1e-6)))
        return patch_faces(&sa, &sb, n, 1, margin, p);
    if (sb.n >= 3 && sb.align >= PATCH_ALIGNED) return patch_faces(&sb, &sa, n, -1, margin, p);
    if (sa.n == 2 && sb.n == 2) return patch_lines(&sa, &sb, n, margin, p);
    return 0;
}

/* The closest points belong to the patch: adds them when nothing there is as deep. */
static int patch_with_closest(const slip_distance_result *r, slip_patch_point *p, int m)
{
    slip_real lowest = SLIP_REAL_MAX;
    slip_patch single;
    int i;

    for (i = 0; i < m; ++i) {
        p[i].gap = slip_max(p[i].gap, r->distance);      /* rounding must not deepen it */
        lowest = slip_min(lowest, p[i].gap);
    }
    if (lowest <= r->distance + SLIP_TOL(1e-7, 1e-5) || m >= PATCH_MOST) return m;
    patch_single(r, &single);
    p[m] = single.point[0];
    return m + 1;
}

slip_status slip_patch_find(const slip_shape *a, const slip_pose *pose_a, const slip_shape *b, const slip_pose *pose_b,
                            slip_real margin, slip_distance_cache *cache, slip_patch *out)
{
    slip_distance_result r;
    slip_patch_point p[PATCH_MOST + 1];
    slip_status s;
    int m;

    if (a->kind == SLIP_SHAPE_HALFSPACE && b->kind != SLIP_SHAPE_HALFSPACE) return patch_halfspace(pose_a, b, pose_b, margin, 0, out);
    if (b->kind == SLIP_SHAPE_HALFSPACE && a->kind != SLIP_SHAPE_HALFSPACE) return patch_halfspace(pose_b, a, pose_a, margin, 1, out);
    s = slip_distance_within(a, pose_a, b, pose_b, margin, cache, &r);
    if (s < 0) return s;
    if (r.distance > margin) {
        out->count = 0;
        return SLIP_OK;
    }
    m = patch_points(a, pose_a, b, pose_b, r.normal, margin, p);
    if (m == 0) {
        patch_single(&r, out);
        return s;
    }
    m = patch_with_closest(&r, p, m);
    out->count = patch_reduce(r.normal, p, m);
    memcpy(out->point, p, (size_t)out->count*sizeof *p);
    slip_copy3(r.normal, out->normal);
    return s;
}
