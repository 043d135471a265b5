/* Penetration depth by an expanding polytope (van den Bergen 2001), written as a branch and bound.
 *
 * A polytope inside A - B is grown at its face nearest the origin. The face's offset is a lower bound of the
 * depth and the support along its normal an upper one; a face that cannot be grown is retired with its upper
 * bound, and the search ends when no open face can beat the best. A sliver with a wrong normal thus costs a
 * step, not the answer. Offsets are signed: the origin may lie on the boundary or just outside.
 * The normal reported is that of the features (a face, or two edges crossed), not that of the triangle. */
#include "geom/epa.h"

enum { EPA_VERTICES = 64, EPA_FACES = 2*EPA_VERTICES };

typedef struct {
    slip_real n[3], d;            /* outward unit normal, offset of the plane         */
    unsigned char v[3];           /* vertices, anticlockwise from outside             */
    unsigned char adj[3];         /* face across v[k] -> v[k+1]                       */
    unsigned char seen;           /* number of the last vertex that saw it from above */
} epa_face;

/* A vertex of A - B; core_vertex_of() has the points of A and B, which only the answer needs. */
typedef struct {
    slip_real w[3];
    int ia, ib;
} epa_vertex;

typedef struct {
    epa_vertex v[EPA_VERTICES];
    epa_face f[EPA_FACES];
    slip_real open[EPA_FACES];    /* offset of a face that may be grown; SLIP_REAL_MAX for the others: evaluated ones,
                                     slivers, free slots */
    unsigned char spare[EPA_FACES];
    int nv, nf, ns;               /* nf: slots in use or once used; ns: spare ones among them */
    slip_real eps;                /* rounding of a height                                     */
} epa_hull;

/* ---- the polytope ------------------------------------------------------------------------------ */

/* Plane of face f; a face without area borrows that of its neighbour across edge 0 and is never grown. */
static void epa_plane(epa_hull *h, int at)
{
    epa_face *f = &h->f[at];
    const slip_real *x = h->v[f->v[0]].w;
    slip_real e[3], g[3], n[3], nn, ee, gg;

    slip_sub3(h->v[f->v[1]].w, x, e);
    slip_sub3(h->v[f->v[2]].w, x, g);
    slip_cross3(e, g, n);
    nn = slip_dot3(n, n);
    ee = slip_dot3(e, e);
    gg = slip_dot3(g, g);
    if (nn > 64*SLIP_REAL_EPS*SLIP_REAL_EPS*ee*gg && nn > SLIP_REAL_MIN) {
        slip_scale3(1/slip_sqrt(nn), n, f->n);
        f->d = slip_dot3(f->n, x);
        h->open[at] = f->d;
    } else {
        slip_copy3(h->f[f->adj[0]].n, f->n);
        f->d = h->f[f->adj[0]].d;
        h->open[at] = SLIP_REAL_MAX;
    }
}

/* Marks the faces that see vertex v, from `first` outwards, in list; returns how many. */
static int epa_visible(epa_hull *h, int v, int first, unsigned char list[EPA_FACES])
{
    const slip_real *w = h->v[v].w;
    int n = 0, i, k;

    h->f[first].seen = (unsigned char)v;
    list[n++] = (unsigned char)first;
    for (i = 0; i < n; ++i)
        for (k = 0; k < 3; ++k) {
            const int g = h->f[list[i]].adj[k];

            if (h->f[g].seen == v || slip_dot3(h->f[g].n, w) - h->f[g].d <= h->eps) continue;
            h->f[g].seen = (unsigned char)v;
            list[n++] = (unsigned char)g;
        }
    return n;
}

static void epa_set_adj(epa_face *f, int from, int to, int face)
{
    int k;

    for (k = 0; k < 3; ++k)
        if (f->v[k] == from && f->v[k < 2 ? k + 1 : 0] == to) f->adj[k] = (unsigned char)face;
}

/* Replaces the visible faces by a cone from the new vertex w over their rim. The rim must be one simple loop;
 * 0 when it is not, or when there is no room. */
static int epa_cone(epa_hull *h, int w, const unsigned char list[EPA_FACES], int n)
{
    unsigned char starts[EPA_VERTICES], ends[EPA_VERTICES], made[EPA_FACES];
    int nm = 0, i, k;

    for (i = 0; i < h->nv; ++i) starts[i] = ends[i] = EPA_FACES;
    for (i = 0; i < n; ++i)
        for (k = 0; k < 3; ++k) {
            const epa_face *old = &h->f[list[i]];
            const int v0 = old->v[k], v1 = old->v[k < 2 ? k + 1 : 0], out = old->adj[k];
            int at;

            if (h->f[out].seen == w) continue;
            if (h->ns == 0 && h->nf == EPA_FACES) return 0;
            if (starts[v0] != EPA_FACES || ends[v1] != EPA_FACES) return 0;
            at = h->ns > 0 ? h->spare[--h->ns] : h->nf++;
            h->f[at].v[0] = (unsigned char)v0;
            h->f[at].v[1] = (unsigned char)v1;
            h->f[at].v[2] = (unsigned char)w;
            h->f[at].adj[0] = (unsigned char)out;
            h->f[at].seen = 0;
            starts[v0] = ends[v1] = made[nm++] = (unsigned char)at;
            epa_set_adj(&h->f[out], v1, v0, at);
        }
    for (i = 0; i < nm; ++i) {
        epa_face *f = &h->f[made[i]];
        const int after = starts[f->v[1]], before = ends[f->v[0]];

        if (after == EPA_FACES || before == EPA_FACES) return 0;
        f->adj[1] = (unsigned char)after;
        f->adj[2] = (unsigned char)before;
        epa_plane(h, made[i]);
    }
    for (i = 0; i < n; ++i) {
        h->open[list[i]] = SLIP_REAL_MAX;
        h->spare[h->ns++] = list[i];
    }
    return nm >= 3;
}

/* ---- the first tetrahedron --------------------------------------------------------------------- */

/* Height of w over the flat of the first n vertices, or -1 when it is one of them. */
static slip_real epa_height(const epa_vertex *v, int n, const slip_real w[3])
{
    slip_real e[3], f[3], g[3], c[3], nn;

    slip_sub3(w, v[0].w, g);
    if (n == 1) return slip_norm3(g);
    slip_sub3(v[1].w, v[0].w, e);
    if (n == 2) {
        slip_cross3(e, g, c);
        return slip_norm3(c)/slip_norm3(e);
    }
    slip_sub3(v[2].w, v[0].w, f);
    slip_cross3(e, f, c);
    nn = slip_norm3(c);
    return nn > 0 ? slip_abs(slip_dot3(c, g))/nn : -1;
}

/* Directions in which to look for a vertex off the flat of the first n. */
static int epa_directions(const epa_vertex *v, int n, slip_real d[6][3])
{
    slip_real e[3], f[3], t[3];
    int k;

    for (k = 0; k < 6; ++k) slip_zero3(d[k]);
    if (n == 1) {
        for (k = 0; k < 6; ++k) d[k][k/2] = k%2 ? SLIP_R(-1) : SLIP_R(1);
        return 6;
    }
    slip_sub3(v[1].w, v[0].w, e);
    if (n == 2) {
        slip_normalize3(e, e);
        slip_tangents(e, f, t);
        for (k = 0; k < 3; ++k) {
            d[0][k] = f[k];  d[1][k] = -f[k];  d[2][k] = t[k];  d[3][k] = -t[k];
        }
        return 4;
    }
    slip_sub3(v[2].w, v[0].w, f);
    slip_cross3(e, f, t);
    slip_normalize3(t, d[0]);
    slip_neg3(d[0], d[1]);
    return 2;
}

static void epa_keep(const core_vertex *from, epa_vertex *to)
{
    slip_copy3(from->w, to->w);
    to->ia = from->ia;
    to->ib = from->ib;
}

/* Grows the simplex to a tetrahedron with room inside; returns the vertices found, fewer than 4 when A - B is
 * flat to rounding. */
static int epa_tetrahedron(core_pair *q, const gjk_simplex *s, epa_hull *h)
{
    const slip_real least = 16*h->eps;
    int n = 0, i, k;

    for (i = 0; i < s->n; ++i)                            /* what the search left, if it spans something */
        if (n == 0 || epa_height(h->v, n, s->v[i].w) > least) epa_keep(&s->v[i], &h->v[n++]);
    while (n < 4) {
        slip_real d[6][3], best = least;
        const int nd = epa_directions(h->v, n, d);
        epa_vertex keep = h->v[0];
        core_vertex w;

        for (k = 0; k < nd; ++k) {
            slip_real height;

            core_vertex_along(q, d[k], &w);
            height = epa_height(h->v, n, w.w);
            if (height > best) { best = height;  epa_keep(&w, &keep); }
        }
        if (!(best > least)) return n;
        h->v[n++] = keep;
    }
    return 4;
}

static void epa_start(epa_hull *h)
{
    static const unsigned char v[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 1, 3, 2 }, { 0, 2, 3 } };
    static const unsigned char adj[4][3] = { { 1, 2, 3 }, { 3, 2, 0 }, { 1, 3, 0 }, { 0, 2, 1 } };
    slip_real e[3], f[3], g[3], c[3];
    int i, k;

    slip_sub3(h->v[1].w, h->v[0].w, e);
    slip_sub3(h->v[2].w, h->v[0].w, f);
    slip_sub3(h->v[3].w, h->v[0].w, g);
    slip_cross3(e, f, c);
    if (slip_dot3(c, g) > 0) {                            /* vertex 3 must be under face 0 1 2 */
        const epa_vertex t = h->v[1];

        h->v[1] = h->v[2];
        h->v[2] = t;
    }
    h->nv = 4;
    h->nf = 4;
    h->ns = 0;
    for (i = 0; i < 4; ++i) {
        for (k = 0; k < 3; ++k) {
            h->f[i].v[k] = v[i][k];
            h->f[i].adj[k] = adj[i][k];
        }
        h->f[i].seen = 0;
        epa_plane(h, i);
    }
}

/* ---- the answer -------------------------------------------------------------------------------- */

/* Witness points: the weights of the origin's shadow on the triangle. 0 when it falls outside. */
static int epa_weigh(const core_vertex v[3], const slip_real n[3], core_result *r)
{
    slip_real e[3], f[3], c[3], nn, l[3];
    int k;

    slip_sub3(v[0].w, v[2].w, e);
    slip_sub3(v[1].w, v[2].w, f);
    slip_cross3(e, f, c);
    nn = slip_dot3(c, n);
    slip_cross3(v[1].w, v[2].w, c);  l[0] = slip_dot3(n, c)/nn;
    slip_cross3(v[2].w, v[0].w, c);  l[1] = slip_dot3(n, c)/nn;
    l[2] = 1 - l[0] - l[1];
    for (k = 0; k < 3; ++k) if (!(l[k] >= -16*SLIP_REAL_EPS)) return 0;
    slip_zero3(r->a);
    slip_zero3(r->b);
    for (k = 0; k < 3; ++k) {
        slip_axpy3(l[k], v[k].a, r->a, r->a);
        slip_axpy3(l[k], v[k].b, r->b, r->b);
    }
    return 1;
}

/* Normal from the features, distance from the supports along it, witness points from the triangle if they
 * agree with both, else from the features' overlap. */
static void epa_finish(core_pair *q, const core_vertex v[3], const slip_real n[3], slip_real upper, core_result *r)
{
    const slip_real tol = 256*SLIP_REAL_EPS*q->size;
    slip_real m[3], x[3], w[3];

    r->d = -upper;
    slip_copy3(n, r->n);
    if (slip_core_feature_normal(q, v, n, m)) {
        const slip_real d = core_separation(q, m);

        if (d >= r->d - 64*SLIP_REAL_EPS*q->size) {
            r->d = d;
            slip_copy3(m, r->n);
        }
    }
    if (epa_weigh(v, r->n, r)) {
        slip_axpy3(r->d, r->n, r->a, x);
        slip_sub3(x, r->b, w);
        if (slip_norm3(w) <= tol) return;
    }
    slip_core_witness(q, r);
}

/* A - B is flat: the cores lie in one plane or on one line, and the penetration across it is zero. */
static slip_status epa_flat(core_pair *q, const epa_vertex *v, int n, core_result *r)
{
    slip_real d[6][3];

    epa_directions(v, n, d);
    if (n == 1) slip_set3(0, 0, 1, d[0]);
    slip_copy3(d[0], r->n);
    r->d = core_separation(q, r->n);
    slip_core_witness(q, r);
    return SLIP_OK;
}

static int epa_nearest(const epa_hull *h)
{
    slip_real best = SLIP_REAL_MAX;
    int i, at = -1;

    for (i = 0; i < h->nf; ++i)
        if (h->open[i] < best) { best = h->open[i];  at = i; }
    return at;
}

static int epa_known(const epa_hull *h, const core_vertex *w)
{
    int i;

    if (w->ia < 0 || w->ib < 0) return 0;
    for (i = 0; i < h->nv; ++i) if (h->v[i].ia == w->ia && h->v[i].ib == w->ib) return 1;
    return 0;
}

slip_status slip_epa_depth(core_pair *q, const gjk_simplex *s, core_result *r)
{
    epa_hull h;
    core_vertex best[3] = { { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, 0, 0 } }, w;
    unsigned char list[EPA_FACES];
    slip_real upper = SLIP_REAL_MAX, normal[3] = { 0, 0, 1 };
    slip_status status = SLIP_OK;
    /* two small hulls have a way out that is faster than a polytope grown all round; for large ones it is far slower */
    const int small = q->a->kind == SLIP_SHAPE_MESH && q->b->kind == SLIP_SHAPE_MESH
        && q->a->hull->nv + q->b->hull->nv < 512;
    const int most = small ? 40 : EPA_VERTICES - 1;
    int at, k;

    h.eps = 4*SLIP_REAL_EPS*q->size;
    k = epa_tetrahedron(q, s, &h);
    if (k < 4) return epa_flat(q, h.v, k, r);
    epa_start(&h);
    while ((at = epa_nearest(&h)) >= 0) {
        epa_face *f = &h.f[at];
        slip_real height;

        if (f->d >= upper - h.eps) break;
        if (h.nv == most) { status = SLIP_MAX_ITERS;  break; }
        if (core_is_over(q) && upper < SLIP_REAL_MAX) { status = SLIP_DEADLINE;  break; }
        core_vertex_along(q, f->n, &w);
        ++r->iterations;
        height = slip_dot3(f->n, w.w);
        if (height < upper) {
            upper = height;
            slip_copy3(f->n, normal);
            for (k = 0; k < 3; ++k) core_vertex_of(q, h.v[f->v[k]].ia, h.v[f->v[k]].ib, &best[k]);
        }
        if (height - f->d <= h.eps || epa_known(&h, &w)) { h.open[at] = SLIP_REAL_MAX;  continue; }
        epa_keep(&w, &h.v[h.nv++]);
        k = epa_visible(&h, h.nv - 1, at, list);
        if (!epa_cone(&h, h.nv - 1, list, k)) { status = SLIP_STALLED;  break; }
    }
    epa_finish(q, best, normal, upper, r);
    return status;
}
