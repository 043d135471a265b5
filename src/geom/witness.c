/* Witness points for a known normal: where the two support features overlap, seen along it.
 *
 * A GJK in the plane across the normal, on the features' vertices alone. Used where the normal is known but
 * not which points of the features face each other: parallel faces and edges. */
#include "geom/support.h"

/* A support feature, or all vertices of a hull that are as high as `level` along m, in the hull's frame. For shapes as
 * thin as rounding, such vertices may share no face or edge. */
typedef struct { core_feature f; int slab; slip_real m[3], level; } flat_feature;

typedef struct { slip_real u[2], a[3], b[3]; } flat_vertex;
typedef struct { flat_vertex v[3]; slip_real l[3]; int n; } flat_simplex;

/* A point of a cap's rim along d. */
static void flat_rim(const core_feature *f, const slip_real d[3], slip_real x[3])
{
    slip_real e[3];

    slip_copy3(d, e);
    if (f->R) slip_mat3_tvec(f->R, d, e);
    core_cylinder_support(f->shape, e, x);
    x[2] = slip_copysign(f->shape->half[2], (slip_real)f->cap);
    if (f->R) {
        slip_mat3_vec(f->R, x, x);
        slip_add3(x, f->p, x);
    }
}

/* The farthest along d of the hull's vertices that are level. */
static void flat_slab(const flat_feature *g, const slip_real d[3], slip_real x[3])
{
    const slip_hull *h = g->f.shape->hull;
    slip_real best = -SLIP_REAL_MAX, e[3];
    int i, at = 0;

    slip_copy3(d, e);
    if (g->f.R) slip_mat3_tvec(g->f.R, d, e);
    for (i = 0; i < h->nv; ++i) {
        const slip_real s = slip_dot3(e, h->vertex + 3*i);

        if (s <= best || slip_dot3(g->m, h->vertex + 3*i) < g->level) continue;
        best = s;
        at = i;
    }
    slip_copy3(h->vertex + 3*at, x);
    if (g->f.R) {
        slip_mat3_vec(g->f.R, x, x);
        slip_add3(x, g->f.p, x);
    }
}

/* The feature's point farthest along d (a's frame). */
static void flat_support(const flat_feature *g, const slip_real d[3], slip_real x[3])
{
    const core_feature *f = &g->f;
    slip_real best = 0, y[3];
    int i;

    if (g->slab) { flat_slab(g, d, x);  return; }
    if (f->cap) { flat_rim(f, d, x);  return; }
    for (i = 0; i < f->n; ++i) {
        slip_core_feature_point(f, i, y);
        if (i && slip_dot3(d, y) <= best) continue;
        best = slip_dot3(d, y);
        slip_copy3(y, x);
    }
}

static slip_real flat_dot(const slip_real x[2], const slip_real y[2]) { return x[0]*y[0] + x[1]*y[1]; }
static slip_real flat_cross(const slip_real x[2], const slip_real y[2]) { return x[0]*y[1] - x[1]*y[0]; }

/* Nearest point to the origin on the edge i-j: weight of i; returns its squared distance. */
static slip_real flat_edge(const flat_simplex *s, int i, int j, slip_real *l)
{
    const slip_real e[2] = { s->v[i].u[0] - s->v[j].u[0], s->v[i].u[1] - s->v[j].u[1] };
    const slip_real ee = flat_dot(e, e);
    slip_real x[2];

    *l = ee > 0 ? slip_clamp(-flat_dot(s->v[j].u, e)/ee, 0, 1) : 0;
    x[0] = s->v[j].u[0] + *l*e[0];
    x[1] = s->v[j].u[1] + *l*e[1];
    return flat_dot(x, x);
}

/* Keeps vertices i (weight l) and j, or the one that carries all. */
static void flat_keep_edge(flat_simplex *s, int i, int j, slip_real l)
{
    const flat_vertex vi = s->v[i], vj = s->v[j];

    s->n = 0;
    if (l > 0) { s->v[s->n] = vi;  s->l[s->n++] = l; }
    if (l < 1) { s->v[s->n] = vj;  s->l[s->n++] = 1 - l; }
}

/* A triangle whose area is more than rounding; the weights in a sliver, or one with a corner twice, would be noise. */
static int flat_broad(const flat_simplex *s, slip_real area)
{
    slip_real most = 0;
    int k;

    for (k = 0; k < 3; ++k) most = slip_max(most, flat_dot(s->v[k].u, s->v[k].u));
    return slip_abs(area) > 64*SLIP_REAL_EPS*most;
}

/* Reduces the simplex to the part nearest the origin; weights in l. Returns 1 when the origin is inside. */
static int flat_reduce(flat_simplex *s)
{
    static const int edge[3][2] = { { 1, 2 }, { 2, 0 }, { 0, 1 } };
    slip_real best = SLIP_REAL_MAX, l, lbest = 0, area, part[3];
    int k, at = 0;

    if (s->n == 1) { s->l[0] = 1;  return 0; }
    if (s->n == 2) {
        flat_edge(s, 0, 1, &l);
        flat_keep_edge(s, 0, 1, l);
        return 0;
    }
    for (k = 0; k < 3; ++k) part[k] = flat_cross(s->v[edge[k][0]].u, s->v[edge[k][1]].u);
    area = part[0] + part[1] + part[2];
    if (flat_broad(s, area) && part[0]/area >= 0 && part[1]/area >= 0 && part[2]/area >= 0) {
        for (k = 0; k < 3; ++k) s->l[k] = part[k]/area;
        return 1;
    }
    for (k = 0; k < 3; ++k) {
        const slip_real r = flat_edge(s, edge[k][0], edge[k][1], &l);

        if (r < best) { best = r;  at = k;  lbest = l; }
    }
    flat_keep_edge(s, edge[at][0], edge[at][1], lbest);
    return 0;
}

static void flat_nearest(const flat_simplex *s, slip_real x[2])
{
    int k;

    x[0] = x[1] = 0;
    for (k = 0; k < s->n; ++k) {
        x[0] += s->l[k]*s->v[k].u[0];
        x[1] += s->l[k]*s->v[k].u[1];
    }
}

static void flat_add(flat_simplex *s, const flat_feature f[2], const slip_real t1[3], const slip_real t2[3],
                     const slip_real d[2])
{
    flat_vertex *v = &s->v[s->n++];
    slip_real e[3], w[3];
    int k;

    for (k = 0; k < 3; ++k) e[k] = d[0]*t1[k] + d[1]*t2[k];
    flat_support(&f[0], e, v->a);
    slip_neg3(e, e);
    flat_support(&f[1], e, v->b);
    slip_sub3(v->a, v->b, w);
    v->u[0] = slip_dot3(t1, w);
    v->u[1] = slip_dot3(t2, w);
}

/* Nearest points, seen along r->n, of two features; returns how far apart they are. */
static slip_real flat_search(const flat_feature f[2], core_result *r)
{
    enum { FLAT_MOST = 64 };
    flat_simplex s, last;
    slip_real t1[3], t2[3], x[2] = { 1, 0 }, rr = SLIP_REAL_MAX;
    int i, k;

    slip_tangents(r->n, t1, t2);
    s.n = 0;
    last.n = 0;
    for (i = 0; i < FLAT_MOST; ++i) {
        const slip_real d[2] = { -x[0], -x[1] };

        flat_add(&s, f, t1, t2, d);
        if (flat_reduce(&s)) { last = s;  rr = 0;  break; }
        flat_nearest(&s, x);
        if (last.n && flat_dot(x, x) >= rr) break;      /* no gain: the one before was nearest */
        rr = flat_dot(x, x);
        last = s;
        if (rr <= SLIP_REAL_MIN) break;
    }
    slip_zero3(r->a);
    slip_zero3(r->b);
    for (k = 0; k < last.n; ++k) {
        slip_axpy3(last.l[k], last.v[k].a, r->a, r->a);
        slip_axpy3(last.l[k], last.v[k].b, r->b, r->b);
    }
    return slip_sqrt(rr);
}

static void flat_feature_of(core_pair *q, int second, const slip_real n[3], slip_real tol, int slab, flat_feature *g)
{
    slip_core_feature_of(q, second, n, tol, &g->f);
    g->slab = slab && g->f.shape->kind == SLIP_SHAPE_MESH;
    if (!g->slab) return;
    slip_copy3(n, g->m);
    if (second) {
        slip_mat3_tvec(q->R, n, g->m);
        slip_neg3(g->m, g->m);
    }
    g->level = slip_dot3(g->m, g->f.shape->hull->vertex + 3*slip_core_hull_support(g->f.shape->hull, g->m, 0)) - tol;
}

/* With the features within some tolerance of the support planes. Where rounding chose between normals of equal
 * separation, the features of the chosen one may not overlap: then the tolerance is widened. point: replaces the
 * feature of core `of`, or NULL. */
static slip_real flat_witness(core_pair *q, const core_feature *point, int of, core_result *r)
{
    const slip_real good = 64*SLIP_REAL_EPS*q->size;
    slip_real tol = good, best = SLIP_REAL_MAX;
    core_result x = *r;
    flat_feature f[2];
    int k, slab;

    for (slab = 0; best > good && tol <= SLIP_TOL(1e-8, 5e-3)*q->size; slab = 1, tol *= 8) {
        slip_real off;

        for (k = 0; k < 2; ++k) {
            flat_feature_of(q, k, r->n, tol, slab, &f[k]);
            if (!point || k != of) continue;
            f[k].f = *point;
            f[k].slab = 0;
        }
        off = flat_search(f, &x);
        if (off >= best) continue;
        best = off;
        slip_copy3(x.a, r->a);
        slip_copy3(x.b, r->b);
    }
    return best;
}

slip_real slip_core_witness(core_pair *q, core_result *r)
{
    return flat_witness(q, NULL, 0, r);
}

slip_real slip_core_witness_at(core_pair *q, int second, const slip_real x[3], core_result *r)
{
    core_feature f;

    f.shape = second ? q->b : q->a;
    f.R = f.p = NULL;
    f.loop = NULL;
    f.n = 1;
    f.cap = 0;
    f.id[0] = 0;
    slip_copy3(x, f.x[0]);
    return flat_witness(q, &f, second, r);
}
