/* Contact patches: the faces that look along the pair's normal, laid over one another.
 *
 * Both faces are projected along the normal n of the pair query; at each corner of their overlap the gap is the height
 * of B's face over A's there. Both heights belong to points of the shapes, so no gap is less than the separation along
 * n: the patch is never deeper than the pair, whichever faces it uses. The witness point is added when no corner is as
 * deep. */
#include "geom/patch_private.h"

/* ---- sides: what of a shape looks along n ------------------------------------------------------------------ */

typedef struct { slip_real t1[3], t2[3], n[3]; } patch_frame;

static void side_add(const patch_frame *f, patch_side *s, const slip_real x[3])
{
    s->u[s->n][0] = slip_dot3(f->t1, x);
    s->u[s->n][1] = slip_dot3(f->t2, x);
    s->h[s->n++] = slip_dot3(f->n, x);
}

/* Slope of a face with outward normal m (same frame as f): height falls against m's tilt. 0 when it looks sideways. */
static int side_slope(const patch_frame *f, const slip_real m[3], patch_side *s)
{
    const slip_real along = slip_dot3(f->n, m);

    if (slip_abs(along) < PATCH_SIDEWAYS) return 0;
    s->slope[0] = -slip_dot3(f->t1, m)/along;
    s->slope[1] = -slip_dot3(f->t2, m)/along;
    return 1;
}

static void side_place(const core_pair *q, int second, const slip_real x[3], slip_real r[3])
{
    if (!second) { slip_copy3(x, r);  return; }
    slip_mat3_vec(q->R, x, r);
    slip_add3(r, q->p, r);
}

static void side_turn(const core_pair *q, int second, const slip_real x[3], slip_real r[3])
{
    if (second) slip_mat3_vec(q->R, x, r);
    else slip_copy3(x, r);
}

/* m: direction looked along, in the shape's frame, outwards. */
static void side_box(const core_pair *q, int second, const patch_frame *f, const slip_real m[3], patch_side *s)
{
    static const slip_real walk[4][2] = { { 1, 1 }, { -1, 1 }, { -1, -1 }, { 1, -1 } };
    const slip_real *h = (second ? q->b : q->a)->half;
    const slip_real x = slip_abs(m[0]), y = slip_abs(m[1]), z = slip_abs(m[2]);
    const int i = x >= y && x >= z ? 0 : y >= z ? 1 : 2, j = (i + 1)%3, k = (i + 2)%3;
    const slip_real sign = m[i] < 0 ? SLIP_R(-1) : SLIP_R(1), order = second ? -sign : sign;
    slip_real c[3], p[3], normal[3] = { 0, 0, 0 };
    int v;

    normal[i] = sign;
    side_turn(q, second, normal, normal);
    if (!side_slope(f, normal, s)) return;
    s->face = 2*i + (m[i] < 0);
    for (v = 0; v < 4; ++v) {                             /* anticlockwise about n, as seen with n up */
        c[i] = sign*h[i];
        c[j] = walk[v][0]*h[j];
        c[k] = order*walk[v][1]*h[k];
        side_place(q, second, c, p);
        side_add(f, s, p);
    }
}

/* The hull's face most along m, around its support vertex; of many corners, every so many-th. */
static void side_hull(core_pair *q, int second, const patch_frame *f, const slip_real m[3], patch_side *s)
{
    const slip_hull *h = (second ? q->b : q->a)->hull;
    const int v = slip_core_hull_support(h, m, second ? q->hint_b : q->hint_a);
    slip_real best = -2, p[3];
    int k, face = -1, first, count, kept;

    for (k = h->adj_start[v]; h->nf > 0 && k < h->adj_start[v + 1]; ++k) {
        const slip_real c = slip_dot3(m, h->plane + 4*h->adj_face[k]);

        if (c > best) { best = c;  face = h->adj_face[k]; }
    }
    if (face < 0) return;
    side_turn(q, second, h->plane + 4*face, p);
    if (!side_slope(f, p, s)) return;
    s->face = face;
    first = h->loop_start[face];
    count = h->loop_start[face + 1] - first;
    kept = count < PATCH_SIDES ? count : PATCH_SIDES;
    for (k = 0; k < kept; ++k) {
        const int i = k*count/kept;

        side_place(q, second, h->vertex + 3*h->loop[first + (second ? count - 1 - i : i)], p);
        side_add(f, s, p);
    }
}

/* Capsule: its axis, pushed out by the radius. */
static void side_capsule(const core_pair *q, int second, const patch_frame *f, patch_side *s)
{
    const slip_shape *c = second ? q->b : q->a;
    slip_real x[3] = { 0, 0, 0 }, p[3];
    int k;

    for (k = 0; k < 2; ++k) {
        x[2] = k ? c->half[2] : -c->half[2];
        side_place(q, second, x, p);
        slip_axpy3(second ? -c->radius : c->radius, f->n, p, p);
        side_add(f, s, p);
    }
}

/* Cylinder: eight points of the cap's rim that stay where they are on the body, or the side's line. */
static void side_cylinder(const core_pair *q, int second, const patch_frame *f, const slip_real m[3], patch_side *s)
{
    static const slip_real cosine[8] = { SLIP_R(1), SLIP_R(0.70710678118654752), 0, SLIP_R(-0.70710678118654752),
                                         SLIP_R(-1), SLIP_R(-0.70710678118654752), 0, SLIP_R(0.70710678118654752) };
    const slip_shape *c = second ? q->b : q->a;
    const slip_real sign = m[2] < 0 ? SLIP_R(-1) : SLIP_R(1), order = second ? -sign : sign;
    slip_real x[3], p[3], normal[3] = { 0, 0, 0 };
    int k;

    if (slip_abs(m[2]) < SLIP_R(0.7)) {
        core_cylinder_support(c, m, x);
        for (k = 0; k < 2; ++k) {
            x[2] = k ? c->half[2] : -c->half[2];
            side_place(q, second, x, p);
            side_add(f, s, p);
        }
        return;
    }
    normal[2] = sign;
    side_turn(q, second, normal, normal);
    if (!side_slope(f, normal, s)) return;
    s->face = m[2] < 0;
    for (k = 0; k < PATCH_CAP; ++k) {
        const int i = order > 0 ? k : (PATCH_CAP - k)%PATCH_CAP;

        slip_set3(c->radius*cosine[i], c->radius*cosine[(i + 6)%8], sign*c->half[2], x);
        side_place(q, second, x, p);
        side_add(f, s, p);
    }
}

/* Four points of the rim on the side of m. On a cap that lies flat they are fixed to the body. As the cap leans they
 * turn towards the lowest point, and from 2 mrad on one of them is the lowest point; when that is halfway between two,
 * both are turned towards it, so that the points move continuously with the direction of the lean. At turn `ahead` of
 * the lean from a point's own place it goes `ahead` up to an eighth of a turn, then less again, and stays from a
 * quarter on. */
static void side_rim(const slip_shape *s, const slip_real m[3], slip_real across, slip_real x[4][3])
{
    static const slip_real place[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    const slip_real weight = slip_clamp((across - SLIP_R(2e-4))/SLIP_R(1.8e-3), 0, 1);
    int k;

    for (k = 0; k < 4; ++k) {
        const slip_real c = place[k][0]*m[0] + place[k][1]*m[1], d = place[k][0]*m[1] - place[k][1]*m[0];
        const slip_real ahead = weight > 0 ? slip_atan2(d, c) : 0;
        const slip_real turn = slip_copysign(slip_clamp(SLIP_PI/2 - slip_abs(ahead), 0, slip_abs(ahead)), ahead)*weight;
        const slip_real cs = slip_cos(turn), sn = slip_sin(turn);

        slip_set3(s->radius*(cs*place[k][0] - sn*place[k][1]), s->radius*(sn*place[k][0] + cs*place[k][1]),
                  slip_copysign(s->half[2], m[2]), x[k]);
    }
}

/* Direction of the other shape, in the shape's own frame. */
static void side_direction(const core_pair *q, int second, const patch_frame *f, slip_real m[3])
{
    slip_copy3(f->n, m);
    if (!second) return;
    slip_mat3_tvec(q->R, f->n, m);
    slip_neg3(m, m);
}

static void side_of(core_pair *q, int second, const patch_frame *f, patch_side *s)
{
    slip_real m[3];

    s->n = 0;
    s->face = 0;
    s->slope[0] = s->slope[1] = 0;
    side_direction(q, second, f, m);
    switch ((second ? q->b : q->a)->kind) {
    case SLIP_SHAPE_BOX:      side_box(q, second, f, m, s);  break;
    case SLIP_SHAPE_MESH:     if (SLIP_HAS_SHAPE(MESH)) side_hull(q, second, f, m, s);  break;
    case SLIP_SHAPE_CAPSULE:  side_capsule(q, second, f, s);  break;
    case SLIP_SHAPE_CYLINDER: if (SLIP_HAS_SHAPE(CYLINDER)) side_cylinder(q, second, f, m, s);  break;
    default:                  break;
    }
}

/* ---- two solids ------------------------------------------------------------------------------------------- */

/* Whether the overlap is a cylinder's cap all over the other's face: n corners, all between its own sides. */
static int cap_is_whole(const slip_shape *s, const patch_side *own, int second, const patch_corner *c, int n)
{
    int i;

    if (!SLIP_HAS_SHAPE(CYLINDER) || s->kind != SLIP_SHAPE_CYLINDER || own->n != PATCH_CAP || n != PATCH_CAP) return 0;
    for (i = 0; i < n; ++i)
        if (((c[i].id & 255) < CLIP_OF_A) != second || ((c[i].id >> 8 & 255) < CLIP_OF_A) != second) return 0;
    return 1;
}

/* A whole cap gives four points that move steadily with its lean, where the choice of four of eight would jump; they
 * bear the names of every other corner of the eight, so that these last when the cap slides over an edge. Returns 4 or
 * 0. */
static int cap_corners(const core_pair *q, int second, const patch_frame *f, const patch_side *other, patch_corner *c)
{
    const slip_shape *s = second ? q->b : q->a;
    const unsigned base = second ? 0 : CLIP_OF_A;
    const uint32_t faces = c[0].id & 0xffff0000u;
    slip_real m[3], x[4][3], p[3], h;
    int k;

    side_direction(q, second, f, m);
    side_rim(s, m, slip_sqrt(m[0]*m[0] + m[1]*m[1]), x);
    for (k = 0; k < 4; ++k) {
        const unsigned at = (unsigned)((m[2] < 0) == second ? 2*k : (PATCH_CAP - 2*k)%PATCH_CAP);

        side_place(q, second, x[k], p);
        c[k].u[0] = slip_dot3(f->t1, p);
        c[k].u[1] = slip_dot3(f->t2, p);
        h = slip_dot3(f->n, p);
        c[k].low = second ? slip_patch_height(other, c[k].u) : h;
        c[k].high = second ? h : slip_patch_height(other, c[k].u);
        c[k].id = faces | (base + (at + PATCH_CAP - 1)%PATCH_CAP) << 8 | (base + at);
    }
    return 4;
}

static void patch_single(const slip_distance_result *d, slip_patch *out)
{
    out->n = 1;
    slip_copy3(d->normal, out->normal);
    slip_axpy3(d->distance/2, d->normal, d->a, out->point[0].point);
    out->point[0].gap = d->distance;
    out->point[0].id = 0;
}

#define PATCH_HAS_SIDES \
    (SLIP_HAS_SHAPE(BOX) | SLIP_HAS_SHAPE(CAPSULE) | SLIP_HAS_SHAPE(CYLINDER) | SLIP_HAS_SHAPE(MESH))

/* Whether a shape touches at one point whatever the other is. */
static int patch_is_round(const slip_shape *s)
{
    return s->kind == SLIP_SHAPE_SPHERE || s->kind == SLIP_SHAPE_ELLIPSOID;
}

/* Keeps the corners within the margin; adds the witness when none of them is deeper than it by more than `less`. */
static int patch_gather(const patch_frame *f, const slip_pose *xa, const slip_distance_result *d, slip_real margin,
                        slip_real less, patch_corner *c, int n)
{
    slip_real best = SLIP_REAL_MAX, x[3];
    int i, m = 0;

    for (i = 0; i < n; ++i) {
        const slip_real gap = c[i].high - c[i].low;

        if (!(gap <= margin)) continue;
        best = slip_min(best, gap);
        c[m++] = c[i];
    }
    if (m > 0 && best <= d->distance + less) return m;
    if (m == PATCH_CORNERS) --m;
    slip_pose_inv_point(xa, d->a, x);
    c[m].u[0] = slip_dot3(f->t1, x);
    c[m].u[1] = slip_dot3(f->t2, x);
    c[m].low = slip_dot3(f->n, x);
    c[m].high = c[m].low + d->distance;
    c[m].id = 0;
    return m + 1;
}

static void patch_write(const patch_frame *f, const slip_pose *xa, const slip_real normal[3], const patch_corner *c,
                        int n, slip_patch *out)
{
    int i, k;

    out->n = n;
    slip_copy3(normal, out->normal);
    for (i = 0; i < n; ++i) {
        const slip_real h = (c[i].low + c[i].high)/2;
        slip_real x[3];

        for (k = 0; k < 3; ++k) x[k] = c[i].u[0]*f->t1[k] + c[i].u[1]*f->t2[k] + h*f->n[k];
        slip_pose_point(xa, x, out->point[i].point);
        out->point[i].gap = c[i].high - c[i].low;
        out->point[i].id = c[i].id;
    }
}

static slip_status patch_solids(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                                slip_real margin, slip_distance_cache *cache, slip_patch *out)
{
    patch_corner c[PATCH_CORNERS];
    slip_distance_result d;
    patch_side sa, sb;
    patch_frame f;
    core_pair q;
    slip_real less;
    slip_status status = slip_distance_within(a, xa, b, xb, margin, cache, &d);
    int n;

    if (status < 0) return status;
    out->iterations = d.iterations;
    if (d.distance > margin || (status == SLIP_DEADLINE && d.distance >= 0)) { out->n = 0;  return status; }
    if (!PATCH_HAS_SIDES || patch_is_round(a) || patch_is_round(b)) { patch_single(&d, out);  return status; }
    q.a = a;
    q.b = b;
    core_place(xa, xb, &q);
    q.hint_a = cache ? cache->hint_a : 0;
    q.hint_b = cache ? cache->hint_b : 0;
    q.budget = NULL;
    if ((SLIP_HAS_SHAPE(BOX) || SLIP_HAS_SHAPE(MESH)) && slip_patch_edges(&q, xa, &d, margin, out)) return status;
    slip_mat3_tvec(xa->R, d.normal, f.n);
    slip_tangents(f.n, f.t1, f.t2);
    side_of(&q, 0, &f, &sa);
    side_of(&q, 1, &f, &sb);
    n = slip_patch_overlap(&sa, &sb, c);
    if (n == 0) { patch_single(&d, out);  return status; }
    less = SLIP_TOL(1e-6, 1e-4)*(slip_shape_reach(a) + slip_shape_reach(b));
    if (cap_is_whole(b, &sb, 1, c, n)) { n = cap_corners(&q, 1, &f, &sa, c);  less = SLIP_REAL_MAX; }
    else if (cap_is_whole(a, &sa, 0, c, n)) { n = cap_corners(&q, 0, &f, &sb, c);  less = SLIP_REAL_MAX; }
    n = patch_gather(&f, xa, &d, margin, less, c, n);
    n = slip_patch_reduce(c, n, SLIP_PATCH_MOST);
    patch_write(&f, xa, d.normal, c, n, out);
    return status;
}

/* ---- half-space ------------------------------------------------------------------------------------------- */

/* A point of the shape (its frame) over the plane; kept when within the margin, the deepest in front. */
static void plane_add(const slip_pose *plane, const slip_real up[3], const slip_pose *X, const slip_real x[3],
                      slip_real round, slip_real margin, uint32_t id, slip_patch *out)
{
    slip_patch_point *p;
    slip_real w[3], e[3], gap;

    slip_pose_point(X, x, w);
    slip_sub3(w, plane->p, e);
    gap = slip_dot3(up, e) - round;
    if (!(gap <= margin) || out->n == SLIP_PATCH_MOST) return;
    p = &out->point[out->n++];
    p->gap = gap;
    p->id = id;
    slip_axpy3(-round - gap/2, up, w, p->point);
    if (out->n > 1 && gap < out->point[0].gap) {
        const slip_patch_point t = out->point[0];

        out->point[0] = *p;
        *p = t;
    }
}

/* The four corners of the lowest face. m: down, in the box's frame. */
static void plane_box(const slip_pose *plane, const slip_real up[3], const slip_shape *s, const slip_pose *X,
                      const slip_real m[3], slip_real margin, slip_patch *out)
{
    const slip_real ax = slip_abs(m[0]), ay = slip_abs(m[1]), az = slip_abs(m[2]);
    const int i = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2, j = (i + 1)%3, k = (i + 2)%3;
    slip_real x[3];
    int v;

    x[i] = slip_copysign(s->half[i], m[i]);
    for (v = 0; v < 4; ++v) {
        x[j] = v & 1 ? s->half[j] : -s->half[j];
        x[k] = v & 2 ? s->half[k] : -s->half[k];
        plane_add(plane, up, X, x, 0, margin, (uint32_t)(1 + ((m[i] > 0) << i | (v & 1) << j | (v >> 1) << k)), out);
    }
}

/* Upright: four points of the lower rim, whichever of them a turn brings down. Lying: the lowest of either rim. */
static void plane_cylinder(const slip_pose *plane, const slip_real up[3], const slip_shape *s, const slip_pose *X,
                           const slip_real m[3], slip_real margin, slip_patch *out)
{
    const slip_real across = slip_sqrt(m[0]*m[0] + m[1]*m[1]), z = slip_copysign(s->half[2], m[2]);
    const uint32_t end = m[2] > 0 ? 8 : 16, other = 24 - end;
    slip_real x[4][3], far[3];
    int k;

    if (slip_abs(m[2]) < SLIP_R(0.7)) {
        core_cylinder_support(s, m, far);
        far[2] = -z;
        slip_set3(far[0], far[1], z, x[0]);
        plane_add(plane, up, X, x[0], 0, margin, end + 4, out);
        plane_add(plane, up, X, far, 0, margin, other + 4, out);
        return;
    }
    side_rim(s, m, across, x);
    for (k = 0; k < 4; ++k) plane_add(plane, up, X, x[k], 0, margin, end + (uint32_t)k, out);
}

/* The corners of the lowest face, four of them when there are more. */
static void plane_hull(const slip_pose *plane, const slip_real up[3], const slip_shape *s, const slip_pose *X,
                       const slip_real m[3], slip_real margin, slip_patch *out)
{
    patch_corner c[PATCH_CORNERS];
    core_pair q = { NULL, NULL, { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, { 0, 0, 0 }, 0, 0, 0, NULL };
    patch_side side;
    patch_frame f;
    slip_real x[3], e[3], base;
    int i, k, n = 0;

    q.a = s;
    slip_copy3(m, f.n);
    slip_tangents(m, f.t1, f.t2);
    side_of(&q, 0, &f, &side);
    slip_sub3(X->p, plane->p, e);
    base = slip_dot3(up, e);
    for (i = 0; i < side.n; ++i) {
        if (!(base - side.h[i] <= margin)) continue;
        c[n].u[0] = side.u[i][0];
        c[n].u[1] = side.u[i][1];
        c[n].low = 0;
        c[n].high = base - side.h[i];
        c[n++].id = (uint32_t)(side.face & 0xffff) << 8 | (uint32_t)(i + 1);
    }
    n = slip_patch_reduce(c, n, SLIP_PATCH_MOST);
    for (i = 0; i < n; ++i) {
        for (k = 0; k < 3; ++k) x[k] = c[i].u[0]*f.t1[k] + c[i].u[1]*f.t2[k] + (base - c[i].high)*f.n[k];
        plane_add(plane, up, X, x, 0, margin + SLIP_REAL_EPS, c[i].id, out);
    }
}

static slip_status patch_plane(const slip_pose *plane, const slip_shape *s, const slip_pose *X, slip_real margin,
                               int flip, slip_patch *out)
{
    slip_real up[3], m[3], x[3] = { 0, 0, 0 };
    slip_distance_result d;

    if (!slip_pose_is_finite(plane) || !slip_pose_is_finite(X)) return SLIP_ERR_ARGUMENT;
    slip_set3(plane->R[2], plane->R[5], plane->R[8], up);
    slip_mat3_tvec(X->R, up, m);
    slip_neg3(m, m);
    out->n = out->iterations = 0;
    switch (s->kind) {
    case SLIP_SHAPE_SPHERE:   plane_add(plane, up, X, x, s->radius, margin, 1, out);  break;
    case SLIP_SHAPE_BOX:      if (SLIP_HAS_SHAPE(BOX)) plane_box(plane, up, s, X, m, margin, out);  break;
    case SLIP_SHAPE_CYLINDER: if (SLIP_HAS_SHAPE(CYLINDER)) plane_cylinder(plane, up, s, X, m, margin, out);  break;
    case SLIP_SHAPE_ELLIPSOID:
        if (!SLIP_HAS_SHAPE(ELLIPSOID)) break;
        core_ellipsoid_support(s->half, m, x);
        plane_add(plane, up, X, x, 0, margin, 1, out);
        break;
    case SLIP_SHAPE_CAPSULE:
        x[2] = -s->half[2];
        plane_add(plane, up, X, x, s->radius, margin, 1, out);
        x[2] = s->half[2];
        plane_add(plane, up, X, x, s->radius, margin, 2, out);
        break;
    default:
        if (!SLIP_HAS_SHAPE(MESH)) break;
        plane_hull(plane, up, s, X, m, margin, out);
        if (out->n == 0 && slip_near_plane_shape(NULL, plane, s, X, 0, &d) == SLIP_OK && d.distance <= margin)
            patch_single(&d, out);
        break;
    }
    slip_scale3(flip ? SLIP_R(-1) : SLIP_R(1), up, out->normal);
    return SLIP_OK;
}

slip_status slip_patch_find(const slip_shape *a, const slip_pose *pose_a, const slip_shape *b, const slip_pose *pose_b,
                            slip_real margin, slip_distance_cache *cache, slip_patch *out)
{
    const int pa = a->kind == SLIP_SHAPE_HALFSPACE, pb = b->kind == SLIP_SHAPE_HALFSPACE;

    if (!(margin >= 0) || !slip_is_finite(margin)) return SLIP_ERR_ARGUMENT;
    if (pa != pb && a->kind <= SLIP_SHAPE_HALFSPACE && b->kind <= SLIP_SHAPE_HALFSPACE) {
        const slip_shape *s = pa ? b : a;

        if (slip_shape_check(s) != SLIP_OK) return SLIP_ERR_ARGUMENT;
        return patch_plane(pa ? pose_a : pose_b, s, pa ? pose_b : pose_a, margin, pb, out);
    }
    return patch_solids(a, pose_a, b, pose_b, margin, cache, out);
}
