/* Supports of hulls, support features, and the normals and witness points that features determine. */
#include "geom/support.h"

/* ---- hulls ------------------------------------------------------------------------------------ */

/* One pass over all vertices; the lowest index of equals. */
static int support_scan_plain(const slip_hull *h, const slip_real d[3])
{
    const slip_real *x = h->soa, *y = x + h->stride, *z = y + h->stride;
    slip_real best = d[0]*x[0] + d[1]*y[0] + d[2]*z[0];
    int i, at = 0;

    for (i = 1; i < h->nv; ++i) {
        const slip_real s = d[0]*x[i] + d[1]*y[i] + d[2]*z[i];

        if (s > best) { best = s;  at = i; }
    }
    return at;
}

#if defined(__AVX2__) && defined(__FMA__) && !defined(SLIP_REAL_FLOAT)
#include <immintrin.h>

/* The same, eight at a time: compilers do not vectorise a search for the largest. Lane k of at[] holds the first block
 * in which that lane was largest. The tail repeats vertex 0, which loses every tie to itself. */
static int support_scan(const slip_hull *h, const slip_real d[3])
{
    const double *x = h->soa, *y = x + h->stride, *z = y + h->stride;
    const __m256d dx = _mm256_set1_pd(d[0]), dy = _mm256_set1_pd(d[1]), dz = _mm256_set1_pd(d[2]);
    const __m256i step = _mm256_set1_epi64x(8);
    __m256d b0 = _mm256_set1_pd(-DBL_MAX), b1 = b0;
    __m256i a0 = _mm256_set_epi64x(3, 2, 1, 0), a1 = _mm256_set_epi64x(7, 6, 5, 4), i0 = a0, i1 = a1;
    double best[4];
    long long at[4];
    int i, k = 0;

    if (h->stride <= 8) return support_scan_plain(h, d);
    for (i = 0; i < h->stride; i += 8) {
        const __m256d s0 = _mm256_fmadd_pd(dz, _mm256_loadu_pd(z + i),
                           _mm256_fmadd_pd(dy, _mm256_loadu_pd(y + i), _mm256_mul_pd(dx, _mm256_loadu_pd(x + i))));
        const __m256d s1 = _mm256_fmadd_pd(dz, _mm256_loadu_pd(z + i + 4),
                           _mm256_fmadd_pd(dy, _mm256_loadu_pd(y + i + 4),
                                           _mm256_mul_pd(dx, _mm256_loadu_pd(x + i + 4))));
        const __m256d g0 = _mm256_cmp_pd(s0, b0, _CMP_GT_OQ), g1 = _mm256_cmp_pd(s1, b1, _CMP_GT_OQ);

        b0 = _mm256_max_pd(s0, b0);
        b1 = _mm256_max_pd(s1, b1);
        a0 = _mm256_blendv_epi8(a0, i0, _mm256_castpd_si256(g0));
        a1 = _mm256_blendv_epi8(a1, i1, _mm256_castpd_si256(g1));
        i0 = _mm256_add_epi64(i0, step);
        i1 = _mm256_add_epi64(i1, step);
    }
    {   /* the better of both halves; the earlier of equals */
        const __m256d more = _mm256_cmp_pd(b1, b0, _CMP_GT_OQ), same = _mm256_cmp_pd(b1, b0, _CMP_EQ_OQ);
        const __m256d earlier = _mm256_and_pd(same, _mm256_castsi256_pd(_mm256_cmpgt_epi64(a0, a1)));
        const __m256d take = _mm256_or_pd(more, earlier);

        _mm256_storeu_pd(best, _mm256_blendv_pd(b0, b1, take));
        _mm256_storeu_si256((__m256i *)at, _mm256_blendv_epi8(a0, a1, _mm256_castpd_si256(take)));
    }
    for (i = 1; i < 4; ++i) if (best[i] > best[k] || (best[i] == best[k] && at[i] < at[k])) k = i;
    return at[k] < h->nv ? (int)at[k] : 0;
}
#else
static int support_scan(const slip_hull *h, const slip_real d[3]) { return support_scan_plain(h, d); }
#endif

/* Steepest ascent over the edges; a vertex higher than all its neighbours is the highest of a convex hull.
 * On equal heights rounding could make the climb wander, so only a strict gain moves it: at most nv steps. */
static int support_climb(const slip_hull *h, const slip_real d[3], int at)
{
    slip_real best = slip_dot3(d, h->vertex + 3*at);
    int steps;

    for (steps = 0; steps < h->nv; ++steps) {
        int k, next = at;

        for (k = h->adj_start[at]; k < h->adj_start[at + 1]; ++k) {
            const slip_real s = slip_dot3(d, h->vertex + 3*h->adj[k]);

            if (s > best) { best = s;  next = h->adj[k]; }
        }
        if (next == at) break;
        at = next;
    }
    return at;
}

int slip_core_hull_support(const slip_hull *h, const slip_real d[3], int hint)
{
    if (h->nv <= CORE_CLIMB_ABOVE || h->nf < 4) return support_scan(h, d);
    return support_climb(h, d, hint >= 0 && hint < h->nv ? hint : 0);
}

/* The face round vertex v that faces n most; -1 when the hull has no faces. */
static int support_face_at(const slip_hull *h, int v, const slip_real n[3])
{
    slip_real best = -2;
    int k, at = -1;

    if (h->nf == 0) return -1;
    for (k = h->adj_start[v]; k < h->adj_start[v + 1]; ++k) {
        const slip_real s = slip_dot3(n, h->plane + 4*h->adj_face[k]);

        if (s > best) { best = s;  at = h->adj_face[k]; }
    }
    return at;
}

/* ---- features --------------------------------------------------------------------------------- */

void slip_core_feature_point(const core_feature *f, int i, slip_real x[3])
{
    if (!f->loop) { slip_copy3(f->x[i], x);  return; }
    slip_copy3(f->shape->hull->vertex + 3*f->loop[i], x);
    if (f->R) {
        slip_mat3_vec(f->R, x, x);
        slip_add3(x, f->p, x);
    }
}

/* Box: coordinates along which the normal is level are free, the others fixed; corners in loop order. */
static void feature_box(const slip_shape *s, const slip_real n[3], slip_real tol, core_feature *f)
{
    static const slip_real walk[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
    int level[2] = { 0, 0 }, nl = 0, i, k;
    slip_real x[3];

    for (i = 0; i < 3; ++i) {
        x[i] = slip_copysign(s->half[i], n[i]);
        if (slip_abs(n[i])*2*s->half[i] <= tol && nl < 2) level[nl++] = i;
    }
    f->n = 1 << nl;
    for (k = 0; k < f->n; ++k) {
        slip_copy3(x, f->x[k]);
        if (nl > 0) f->x[k][level[0]] = s->half[level[0]]*(nl == 1 ? (k ? SLIP_R(1) : SLIP_R(-1)) : walk[k][0]);
        if (nl > 1) f->x[k][level[1]] = s->half[level[1]]*walk[k][1];
        f->id[k] = (f->x[k][0] > 0) | (f->x[k][1] > 0) << 1 | (f->x[k][2] > 0) << 2;
    }
}

/* Hull: the support vertex's best face if all of it is level, else its longest level edge, else the vertex. */
static void feature_hull(const slip_shape *s, const slip_real n[3], slip_real tol, int at, core_feature *f)
{
    const slip_hull *h = s->hull;
    const slip_real top = slip_dot3(n, h->vertex + 3*at);
    const int face = support_face_at(h, at, n);
    slip_real best = -1;
    int k, level = face >= 0;

    for (k = face >= 0 ? h->loop_start[face] : 0; level && k < h->loop_start[face + 1]; ++k)
        level = slip_dot3(n, h->vertex + 3*h->loop[k]) >= top - tol;
    if (level) {
        f->loop = h->loop + h->loop_start[face];
        f->n = h->loop_start[face + 1] - h->loop_start[face];
        return;
    }
    f->n = 1;
    f->id[0] = at;
    slip_copy3(h->vertex + 3*at, f->x[0]);
    for (k = h->adj_start[at]; k < h->adj_start[at + 1]; ++k) {
        const slip_real *x = h->vertex + 3*h->adj[k];
        const slip_real length = slip_distance3(x, f->x[0]);

        if (slip_dot3(n, x) < top - tol || length <= best) continue;
        best = length;
        f->n = 2;
        f->id[1] = h->adj[k];
        slip_copy3(x, f->x[1]);
    }
}

/* Cylinder: the whole cap as four rim points, the side's line, or the support point. */
static void feature_cylinder(const slip_shape *s, const slip_real n[3], slip_real tol, core_feature *f)
{
    const slip_real across = slip_sqrt(n[0]*n[0] + n[1]*n[1]);
    const int line = 2*slip_abs(n[2])*s->half[2] <= tol;
    int k;

    f->n = 1;
    core_cylinder_support(s, n, f->x[0]);
    f->id[0] = f->x[0][2] > 0;
    if (2*across*s->radius <= tol && !(line && s->half[2] > s->radius)) {        /* a wire lies on its side */
        f->n = 4;
        f->cap = n[2] >= 0 ? 1 : -1;
        for (k = 0; k < 4; ++k) {
            const slip_real c = k == 0 ? s->radius : k == 2 ? -s->radius : 0;
            const slip_real d = k == 1 ? s->radius : k == 3 ? -s->radius : 0;

            slip_set3(c, d, f->x[0][2], f->x[k]);
            f->id[k] = 4 + k;
        }
    } else if (line) {
        f->n = 2;
        slip_set3(f->x[0][0], f->x[0][1], -s->half[2], f->x[0]);
        slip_set3(f->x[0][0], f->x[0][1], s->half[2], f->x[1]);
        f->id[0] = 0;
        f->id[1] = 1;
    }
}

static void feature_segment(const slip_shape *s, const slip_real n[3], slip_real tol, core_feature *f)
{
    const int both = 2*slip_abs(n[2])*s->half[2] <= tol && s->half[2] > 0;

    f->n = both ? 2 : 1;
    slip_set3(0, 0, both ? -s->half[2] : slip_copysign(s->half[2], n[2]), f->x[0]);
    slip_set3(0, 0, s->half[2], f->x[1]);
    f->id[0] = f->x[0][2] > 0;
    f->id[1] = 1;
}

void slip_core_feature_of(core_pair *q, int second, const slip_real n[3], slip_real tol, core_feature *f)
{
    const slip_shape *s = second ? q->b : q->a;
    slip_real m[3];
    int i;

    f->shape = s;
    f->loop = NULL;
    f->cap = 0;
    f->R = second ? q->R : NULL;
    f->p = q->p;
    slip_copy3(n, m);
    if (second) {
        slip_mat3_tvec(q->R, n, m);
        slip_neg3(m, m);
    }
    switch (s->kind) {
    case SLIP_SHAPE_BOX:      feature_box(s, m, tol, f);  break;
    case SLIP_SHAPE_CAPSULE:  feature_segment(s, m, tol, f);  break;
    case SLIP_SHAPE_CYLINDER: feature_cylinder(s, m, tol, f);  break;
    case SLIP_SHAPE_ELLIPSOID: f->n = 1;  f->id[0] = 0;  core_ellipsoid_support(s->half, m, f->x[0]);  break;
    case SLIP_SHAPE_MESH:
        feature_hull(s, m, tol, slip_core_hull_support(s->hull, m, second ? q->hint_b : q->hint_a), f);
        break;
    default:                  f->n = 1;  f->id[0] = 0;  slip_zero3(f->x[0]);  break;
    }
    for (i = 0; second && !f->loop && i < f->n; ++i) {
        slip_mat3_vec(q->R, f->x[i], f->x[i]);
        slip_add3(f->x[i], q->p, f->x[i]);
    }
}

/* ---- normals from features --------------------------------------------------------------------- */

static int feature_distinct(int i, int j, int k)
{
    return i < 0 || j < 0 || k < 0 ? 0 : 1 + (i != j) + (k != i && k != j);
}

/* The normal of the face of `s` nearest to n, in the shape's frame. */
static int feature_face_normal(const slip_shape *s, int vertex, const slip_real n[3], slip_real face[3])
{
    if (s->kind == SLIP_SHAPE_BOX) {
        const slip_real x = slip_abs(n[0]), y = slip_abs(n[1]), z = slip_abs(n[2]);
        const int i = x >= y && x >= z ? 0 : y >= z ? 1 : 2;

        slip_zero3(face);
        face[i] = slip_copysign(1, n[i]);
        return 1;
    }
    if (s->kind == SLIP_SHAPE_MESH) {
        const int f = support_face_at(s->hull, vertex, n);

        if (f < 0) return 0;
        slip_copy3(s->hull->plane + 4*f, face);
        return 1;
    }
    return 0;
}

/* The difference of the two distinct points among three. */
static void feature_edge(const core_vertex v[3], int second, slip_real e[3])
{
    const slip_real *x0 = second ? v[0].b : v[0].a, *x1 = second ? v[1].b : v[1].a, *x2 = second ? v[2].b : v[2].a;
    const int same = second ? v[0].ib == v[1].ib : v[0].ia == v[1].ia;

    slip_sub3(same ? x2 : x1, x0, e);
}

int slip_core_face_of_b(const core_pair *q, int ib, const slip_real about[3], slip_real n[3])
{
    slip_real m[3], face[3];

    slip_mat3_tvec(q->R, about, m);
    slip_neg3(m, m);
    if (!feature_face_normal(q->b, ib, m, face)) return 0;
    slip_mat3_vec(q->R, face, n);
    slip_neg3(n, n);
    return 1;
}

int slip_core_feature_normal(const core_pair *q, const core_vertex v[3], const slip_real about[3], slip_real n[3])
{
    const int na = feature_distinct(v[0].ia, v[1].ia, v[2].ia), nb = feature_distinct(v[0].ib, v[1].ib, v[2].ib);
    slip_real m[3], e[3], f[3];

    if (na == 3 && feature_face_normal(q->a, v[0].ia, about, n)) return 1;
    if (nb == 3) return slip_core_face_of_b(q, v[0].ib, about, n);
    if (na != 2 || nb != 2) return 0;
    feature_edge(v, 0, e);
    feature_edge(v, 1, f);
    slip_normalize3(e, e);
    slip_normalize3(f, f);
    slip_cross3(e, f, m);
    if (slip_normalize3(m, n) <= 4*SLIP_REAL_EPS) return 0;
    if (slip_dot3(n, about) < 0) slip_neg3(n, n);
    return 1;
}

/* ---- either way round ------------------------------------------------------------------------- */

core_pair *slip_core_turned(const core_pair *q, core_pair *other)
{
    other->a = q->b;
    other->b = q->a;
    slip_mat3_transpose(q->R, other->R);
    slip_mat3_vec(other->R, q->p, other->p);
    slip_neg3(other->p, other->p);
    other->size = q->size;
    other->hint_a = q->hint_b;
    other->hint_b = q->hint_a;
    other->budget = q->budget;
    return other;
}

void slip_core_turn_back(const core_pair *q, core_result *r)
{
    slip_real a[3];

    slip_mat3_vec(q->R, r->n, r->n);
    slip_neg3(r->n, r->n);
    slip_mat3_vec(q->R, r->b, a);
    slip_add3(a, q->p, a);
    slip_mat3_vec(q->R, r->a, r->b);
    slip_add3(r->b, q->p, r->b);
    slip_copy3(a, r->a);
}
