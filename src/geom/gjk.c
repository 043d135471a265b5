/* Distance between convex cores: Gilbert, Johnson and Keerthi (1988), on the difference A - B.
 *
 * v is the point of A - B nearest the origin so far, in the hull of at most four vertices; each step adds the vertex
 * farthest along -v. It ends when no vertex is nearer than v by more than rounding, so the result does not depend on a
 * tolerance. Weights come from triple products (ratios of areas and volumes), and v is always formed as a convex
 * combination: a poor weight costs a step and leaves the bound valid. */
#include "geom/gjk.h"

/* ---- nearest point of a simplex ---------------------------------------------------------------- */

/* Edge i-j; weight of i in *l, nearest point in x; returns its squared distance. */
static slip_real gjk_edge(const gjk_simplex *s, int i, int j, slip_real *l, slip_real x[3])
{
    const slip_real *p = s->v[i].w, *q = s->v[j].w;
    slip_real e[3], ee, t;

    slip_sub3(p, q, e);
    ee = slip_dot3(e, e);
    t = ee > 0 ? slip_clamp(-slip_dot3(q, e)/ee, 0, 1) : 0;
    slip_axpy3(t, e, q, x);
    *l = t;
    return slip_dot3(x, x);
}

/* One way to carry the nearest point: up to three vertices with weights. */
typedef struct { slip_real xx, x[3], l[3]; int at[3], n; } gjk_part;

static void gjk_try_edge(const gjk_simplex *s, int i, int j, gjk_part *best)
{
    slip_real l, x[3];
    const slip_real xx = gjk_edge(s, i, j, &l, x);

    if (xx >= best->xx) return;
    best->xx = xx;
    slip_copy3(x, best->x);
    best->n = 0;
    if (l > 0) { best->at[best->n] = i;  best->l[best->n++] = l; }
    if (l < 1) { best->at[best->n] = j;  best->l[best->n++] = 1 - l; }
}

/* The origin's shadow on the triangle r, r + e, r + f with normal n, from its weights l. Near the plane the rounding of
 * the weights, magnified in a thin triangle, would turn x away from n: then x is its part along n, and the rest, which
 * should be nothing, corrects the weights. Returns |x|^2. */
static slip_real gjk_shadow(const slip_real e[3], const slip_real f[3], const slip_real r[3], const slip_real n[3],
                            slip_real nn, slip_real l[3], slip_real x[3])
{
    slip_real xx, t[3], c[3], di, dj;
    int m;

    for (m = 0; m < 3; ++m) x[m] = l[0]*e[m] + l[1]*f[m] + r[m];
    xx = slip_dot3(x, x);
    if (xx > SLIP_TOL(1e-8, 1e-3)*slip_dot3(r, r)) return xx;
    slip_copy3(x, t);
    slip_scale3(slip_dot3(n, x)/nn, n, x);
    slip_sub3(t, x, t);
    slip_cross3(t, f, c);  di = slip_dot3(n, c)/nn;
    slip_cross3(e, t, c);  dj = slip_dot3(n, c)/nn;
    l[0] = slip_max(l[0] - di, 0);
    l[1] = slip_max(l[1] - dj, 0);
    l[2] = slip_max(1 - l[0] - l[1], 0);
    return slip_dot3(x, x);
}

/* Triangle i-j-k: inside when all three weights are positive, else on the edges opposite to the others. */
static void gjk_try_triangle(const gjk_simplex *s, int i, int j, int k, gjk_part *best)
{
    const slip_real *p = s->v[i].w, *q = s->v[j].w, *r = s->v[k].w;
    slip_real e[3], f[3], n[3], c[3], nn, li, lj, lk;

    slip_sub3(p, r, e);
    slip_sub3(q, r, f);
    slip_cross3(e, f, n);
    nn = slip_dot3(n, n);
    slip_cross3(q, r, c);  li = slip_dot3(n, c);          /* weights times nn */
    slip_cross3(r, p, c);  lj = slip_dot3(n, c);
    lk = nn - li - lj;
    if (li > 0 && lj > 0 && lk > 0) {
        slip_real x[3], xx, l[3];

        slip_set3(li/nn, lj/nn, lk/nn, l);
        xx = gjk_shadow(e, f, r, n, nn, l, x);
        if (xx < best->xx) {
            best->xx = xx;
            best->n = 3;
            slip_copy3(x, best->x);
            slip_copy3(l, best->l);
            best->at[0] = i;  best->at[1] = j;  best->at[2] = k;
        }
        /* A sliver's weights are rounding noise; its edges may carry a nearer point. */
        if (nn > SLIP_TOL(1e-12, 1e-5)*slip_dot3(e, e)*slip_dot3(f, f)) return;
        gjk_try_edge(s, i, j, best);
        gjk_try_edge(s, i, k, best);
        gjk_try_edge(s, j, k, best);
        return;
    }
    if (!(li > 0)) gjk_try_edge(s, j, k, best);
    if (!(lj > 0)) gjk_try_edge(s, i, k, best);
    if (!(lk > 0)) gjk_try_edge(s, i, j, best);
}

/* Tetrahedron: 1 when the origin is strictly inside; else the faces it is outside of. */
static int gjk_try_tetrahedron(const gjk_simplex *s, gjk_part *best)
{
    const slip_real *p = s->v[0].w, *q = s->v[1].w, *r = s->v[2].w, *t = s->v[3].w;
    slip_real pq[3], rt[3], e[3], f[3], g[3], c[3], vol, l0, l1, l2, l3;

    slip_sub3(p, t, e);
    slip_sub3(q, t, f);
    slip_sub3(r, t, g);
    slip_cross3(f, g, c);
    vol = slip_dot3(e, c);
    slip_cross3(p, q, pq);
    slip_cross3(r, t, rt);
    l0 = -slip_dot3(q, rt);                   /* det(-t, q - t, r - t), the weight of p times vol; and so on */
    l1 = slip_dot3(p, rt);
    l2 = -slip_dot3(t, pq);
    l3 = slip_dot3(r, pq);
    if (vol < 0) { l0 = -l0;  l1 = -l1;  l2 = -l2;  l3 = -l3; }
    if (l0 > 0 && l1 > 0 && l2 > 0 && l3 > 0) return 1;
    if (!(l0 > 0)) gjk_try_triangle(s, 1, 2, 3, best);
    if (!(l1 > 0)) gjk_try_triangle(s, 0, 2, 3, best);
    if (!(l2 > 0)) gjk_try_triangle(s, 0, 1, 3, best);
    if (!(l3 > 0)) gjk_try_triangle(s, 0, 1, 2, best);
    return 0;
}

/* Finds the part of the simplex nearest the origin; 1 when the origin is inside a tetrahedron. */
static int gjk_nearest(const gjk_simplex *s, gjk_part *best)
{
    best->xx = SLIP_REAL_MAX;
    best->n = 0;
    switch (s->n) {
    case 1:
        best->xx = slip_dot3(s->v[0].w, s->v[0].w);
        slip_copy3(s->v[0].w, best->x);
        best->n = 1;  best->at[0] = 0;  best->l[0] = 1;
        return 0;
    case 2:  gjk_try_edge(s, 0, 1, best);  return 0;
    case 3:  gjk_try_triangle(s, 0, 1, 2, best);  return 0;
    default: return gjk_try_tetrahedron(s, best);
    }
}

/* Keeps the vertices of a part; its indices ascend, so this works in place. */
static void gjk_keep(gjk_simplex *s, gjk_part *part)
{
    int k;

    if (part->n == 2 && part->at[0] > part->at[1]) {
        const int i = part->at[0];
        const slip_real l = part->l[0];

        part->at[0] = part->at[1];  part->l[0] = part->l[1];
        part->at[1] = i;            part->l[1] = l;
    }
    for (k = 0; k < part->n; ++k) {
        if (part->at[k] != k) s->v[k] = s->v[part->at[k]];
        s->l[k] = part->l[k];
    }
    s->n = part->n;
}

/* ---- the search -------------------------------------------------------------------------------- */

static int gjk_has(const gjk_simplex *s, const core_vertex *v)
{
    int k;

    if (v->ia < 0 || v->ib < 0) return 0;
    for (k = 0; k < s->n; ++k) if (s->v[k].ia == v->ia && s->v[k].ib == v->ib) return 1;
    return 0;
}

/* For nearly parallel faces the new vertex, the last one, turns v by an angle whose square is lost in the rounding of
 * vv, but not in the bound. Such a part is as near as the old one and is taken. */
static int gjk_turns(const gjk_simplex *s, const gjk_part *part, slip_real vv)
{
    return part->n > 1 && part->xx <= vv*(1 + 4*SLIP_REAL_EPS) && part->at[part->n - 1] == s->n - 1;
}

/* Distance, normal and witness points of the final simplex. */
static void gjk_finish(const gjk_simplex *s, const slip_real v[3], core_result *r)
{
    slip_real x[3];
    int k;

    slip_zero3(r->a);
    slip_zero3(r->b);
    for (k = 0; k < s->n; ++k) {
        slip_axpy3(s->l[k], s->v[k].a, r->a, r->a);
        slip_axpy3(s->l[k], s->v[k].b, r->b, r->b);
    }
    core_round_once3(v, x);
    r->d = slip_norm3(x);
    slip_scale3(-1/r->d, x, r->n);
}

/* When rounding stops the search early: restarts from the vertex just found, at most twice, and keeps the better result
 * in `kept`. */
static int gjk_restart(gjk_simplex *s, slip_real v[3], slip_real *vv, gjk_simplex *kept, slip_real kept_v[3],
                       int *restarts)
{
    const core_vertex w = s->v[s->n];

    if (*restarts == 0 || *vv < slip_dot3(kept_v, kept_v)) {
        *kept = *s;
        slip_copy3(v, kept_v);
    }
    if (++*restarts > 2) return 0;
    s->v[0] = w;
    s->l[0] = 1;
    s->n = 1;
    slip_copy3(w.w, v);
    *vv = slip_dot3(v, v);
    return 1;
}

gjk_outcome slip_gjk_distance(core_pair *q, const slip_real d[3], slip_real beyond, int apart, gjk_simplex *s,
                              core_result *r)
{
    enum { GJK_MOST = 128, GJK_TURNS = 16 };
    const int sharp = core_is_polytope(q->a) && core_is_polytope(q->b);
    const slip_real eps = 4*SLIP_REAL_EPS*q->size, touch = eps*eps;
    const slip_real slack = sharp ? eps : SLIP_TOL(1e-14, 1e-6)*q->size;
    slip_real v[3], vv, vw, m[3], kept_v[3] = { 0, 0, 0 };
    gjk_simplex kept;
    gjk_part part;
    int i, restarts = 0, turns = 0, turned;

    r->status = SLIP_OK;
    s->n = 1;
    s->l[0] = 1;
    core_vertex_along(q, d, &s->v[0]);
    slip_copy3(s->v[0].w, v);
    vv = slip_dot3(v, v);
    for (i = 1; i <= GJK_MOST; ++i) {
        core_vertex *w = &s->v[s->n];

        r->iterations = i;
        if (vv <= touch) return GJK_CLOSE;
        if (core_is_over(q)) {
            gjk_finish(s, v, r);
            r->status = SLIP_DEADLINE;
            return GJK_CUT;
        }
        slip_neg3(v, m);
        core_vertex_along(q, m, w);
        vw = slip_dot3(v, w->w);
        if (vw > 0 && vw*vw > beyond*beyond*vv) {
            gjk_finish(s, v, r);
            r->d = vw/slip_sqrt(vv);
            return GJK_BEYOND;
        }
        if (vv - vw <= 0 || (vv - vw)*(vv - vw) <= slack*slack*vv) break;
        if (!gjk_has(s, w)) {
            ++s->n;
            if (gjk_nearest(s, &part) && !apart) return GJK_CLOSE;
            turned = part.xx >= vv && sharp && turns < GJK_TURNS && gjk_turns(s, &part, vv);
            turns += turned;
            if (part.xx < vv || turned) {
                gjk_keep(s, &part);
                slip_copy3(part.x, v);
                vv = part.xx;
                continue;
            }
            --s->n;                                     /* rounding eats the gain */
        }
        if (!sharp || (vv - vw)*(vv - vw) <= 64*64*eps*eps*vv) break;
        if (!gjk_restart(s, v, &vv, &kept, kept_v, &restarts)) break;
    }
    if (restarts && slip_dot3(kept_v, kept_v) < vv) {
        *s = kept;
        slip_copy3(kept_v, v);
    }
    if (i > GJK_MOST) r->status = SLIP_MAX_ITERS;
    gjk_finish(s, v, r);
    return GJK_APART;
}
