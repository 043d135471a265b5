/* A cylinder against a polytope core, exactly: all normals at which their separation can have its maximum.
 *
 * The separation of overlapping shapes, as a function of the unit normal, has its maximum where the largest ball inside
 * A - B touches the surface. The surface has one normal there, so it is a face or a smooth patch of A - B, of one of
 * five sorts: a cap and anything; a face and anything; the side and an edge crossed; the side and a vertex; a rim and
 * an edge. The first four are closed forms. Seen along an edge a rim is an ellipse and the edge a point; the point's
 * normals to the ellipse are a quartic's roots, each alone in a known interval. For shapes apart there is a sixth sort,
 * a rim and a vertex. A normal that is offered in vain costs time, never the answer: each is judged by the supports
 * along it. */
#include "geom/cylinder_private.h"

/* ---- a rim and an edge --------------------------------------------------------------------------- */

/* The root of G(t) = K sin t cos t - P sin t + Q cos t in [lo, hi], where G goes from + to -: Newton, kept in the
 * bracket. */
static slip_real cyl_root(slip_real K, slip_real P, slip_real Q, slip_real lo, slip_real hi)
{
    slip_real t = slip_clamp(slip_atan2(slip_abs(Q) + K, P + K), lo, hi);
    int i;

    for (i = 0; i < 64; ++i) {
        const slip_real s = slip_sin(t), c = slip_cos(t), g = K*s*c - P*s + Q*c, slope = K*(c*c - s*s) - P*c - Q*s;
        slip_real next;

        if (g > 0) lo = t;
        else hi = t;
        next = t - g/slope;
        if (!(next >= lo && next <= hi)) next = (lo + hi)/2;
        if (slip_abs(next - t) <= SLIP_REAL_EPS*t) return next;
        t = next;
    }
    return t;
}

/* The point (X, Y), X >= 0, against the half ellipse (R cos t, ez R sin t), |t| <= pi/2, on the side of +-Y that `side`
 * says: the normal n, of any length, at the nearest point there, and (cos t, sin t) in p. 0: none. With K = R (1 -
 * ez^2), P = X and Q = +-ez Y the condition is G(t) = K s c - P s + Q c = 0. Divided by s c it decreases for Q >= 0;
 * for Q < 0 it has one summit, where tan^3 t = -Q/P, and the nearest point lies beyond it. */
static int cyl_ellipse(slip_real R, slip_real K, slip_real ez, slip_real X, slip_real Y, slip_real side, slip_real n[2],
                       slip_real p[2])
{
    const slip_real P = X, Q = side*ez*Y;
    slip_real t, lo = 0;

    if (!(ez > SLIP_REAL_MIN)) {                        /* the rim seen on edge: the point is beyond its end, or none */
        n[0] = X - R;
        n[1] = Y;
        p[0] = 1;
        p[1] = 0;
        return X > R && side*Y >= 0;
    }
    if (Q < 0) {
        const slip_real u = P > 0 ? slip_cbrt(-Q/P) : SLIP_REAL_MAX;

        lo = slip_is_finite(u*u) ? slip_atan2(u, 1) : SLIP_PI/2;
        if (!(K - P/slip_max(slip_cos(lo), SLIP_REAL_MIN) + Q/slip_sin(lo) > 0)) return 0;
    }
    t = cyl_root(K, P, Q, lo, SLIP_PI/2);
    p[0] = slip_cos(t);
    p[1] = side*slip_sin(t);
    n[0] = ez*p[0];
    n[1] = p[1];
    return 1;
}

int slip_cyl_line_touches(const slip_shape *s, const slip_real x[3], const slip_real e[3], cyl_touch t[4])
{
    const slip_real R = s->radius;
    slip_real f[3] = { -e[1], e[0], 0 }, g[3], X, across;
    int k, i, count = 2;

    across = slip_normalize3(f, f);                                  /* across line and axis */
    if (!(across > 0)) f[0] = 1;
    slip_cross3(e, f, g);
    X = slip_dot3(f, x);
    if (X < 0) { slip_neg3(f, f);  slip_neg3(g, g);  X = -X; }
    slip_copy3(f, t[0].n);
    slip_neg3(f, t[1].n);
    t[0].rim = t[1].rim = 0;
    for (k = 0; k < 2; ++k) {
        const slip_real side = k ? SLIP_R(-1) : SLIP_R(1), cap = side*(g[2] < 0 ? -s->half[2] : s->half[2]);
        const slip_real turn = slip_copysign(R, e[2]);               /* g's shadow is e_z (-f_y, f_x) */
        slip_real uv[2], p[2], m[3];

        if (!cyl_ellipse(R, R*across*across, slip_abs(e[2]), X, slip_dot3(g, x) - cap*g[2], side, uv, p)) continue;
        for (i = 0; i < 3; ++i) m[i] = uv[0]*f[i] + uv[1]*g[i];
        if (!(slip_normalize3(m, t[count].n) > 0)) continue;
        slip_set3(R*p[0]*f[0] - turn*p[1]*f[1], R*p[0]*f[1] + turn*p[1]*f[0], cap, t[count].at);
        t[count++].rim = 1;
    }
    return count;
}

static int cyl_in_wedge(const sat_edge *g, const slip_real n[3])
{
    const slip_real slack = -SLIP_TOL(1e-10, 1e-5);

    return slip_dot3(n, g->in0) >= slack && slip_dot3(n, g->in1) >= slack;
}

/* Whether no normal of the edge's wedge can beat the best: at the wedge's ends a point y of the cylinder is deep enough
 * already, and between them n is a sum of the ends with weights that add up to 1 or more. */
static int cyl_edge_cannot_win(const cyl_best *c, const sat_edge *g)
{
    slip_real m0[3], m1[3], y[3], w[3];

    if (!(c->d < 0)) return 0;
    slip_cross3(g->e, g->in0, m0);                        /* the faces' normals, turned inwards */
    slip_cross3(g->in1, g->e, m1);
    if (slip_dot3(m0, g->in1) < 0) { slip_neg3(m0, m0);  slip_neg3(m1, m1); }
    slip_add3(m0, m1, w);
    if (!(slip_dot3(m0, g->in1) > SLIP_R(1e-3))) return 0;           /* no faces, or a blade */
    core_cylinder_support(c->q->a, w, y);
    slip_sub3(g->x, y, w);
    return slip_dot3(m0, w) <= c->d && slip_dot3(m1, w) <= c->d;
}

static void cyl_edge(cyl_best *c, const sat_edge *g)
{
    cyl_touch t[4];
    int k, count;

    if (core_is_over(c->q) || cyl_edge_cannot_win(c, g)) return;
    core_take(c->q);
    count = slip_cyl_line_touches(c->q->a, g->x, g->e, t);
    for (k = 0; k < count; ++k)
        if (cyl_in_wedge(g, t[k].n)) cyl_offer_rim(c, t[k].n, g->x, t[k].rim, t[k].at, g->x);
}

/* ---- the other sorts ----------------------------------------------------------------------------- */

static void cyl_caps(cyl_best *c)
{
    static const slip_real z[2][3] = { { 0, 0, 1 }, { 0, 0, -1 } };

    cyl_offer(c, z[0], c->q->p);
    cyl_offer(c, z[1], c->q->p);
}

static void cyl_place(const core_pair *q, const slip_real x[3], slip_real y[3])
{
    slip_mat3_vec(q->R, x, y);
    slip_add3(y, q->p, y);
}

/* B's faces; a point on face i is its vertex, the box's corner on that side. */
static void cyl_faces(cyl_best *c)
{
    const slip_shape *b = c->q->b;
    slip_real n[3], x[3];
    int i;

    for (i = 0; i < slip_sat_faces(b) && !core_is_over(c->q); ++i) {
        slip_sat_face_normal(b, i, n);
        if (b->kind == SLIP_SHAPE_MESH) slip_copy3(b->hull->vertex + 3*b->hull->loop[b->hull->loop_start[i]], x);
        else slip_set3(n[0]*b->half[0], n[1]*b->half[1], n[2]*b->half[2], x);
        cyl_place(c->q, x, x);
        slip_mat3_vec(c->q->R, n, n);
        slip_neg3(n, n);
        cyl_offer(c, n, x);
    }
}

/* Whether vertex x of B is lower along n than its neighbours. For hulls only: the vertices of other cores are few. */
static int cyl_is_lowest(const core_pair *q, int i, const slip_real n[3])
{
    const slip_hull *h = q->b->hull;
    slip_real m[3], low;
    int k;

    if (q->b->kind != SLIP_SHAPE_MESH) return 1;
    slip_mat3_tvec(q->R, n, m);
    low = slip_dot3(m, h->vertex + 3*i) - 64*SLIP_REAL_EPS*q->size;
    for (k = h->adj_start[i]; k < h->adj_start[i + 1]; ++k) if (slip_dot3(m, h->vertex + 3*h->adj[k]) < low) return 0;
    return 1;
}

static int cyl_vertices(const slip_shape *s)
{
    return s->kind == SLIP_SHAPE_MESH ? s->hull->nv : s->kind == SLIP_SHAPE_BOX ? 8 : s->kind == SLIP_SHAPE_CAPSULE ? 2
        : 1;
}

static void cyl_vertex_of(const core_pair *q, int i, slip_real x[3])
{
    const slip_shape *s = q->b;

    slip_zero3(x);
    if (s->kind == SLIP_SHAPE_MESH) slip_copy3(s->hull->vertex + 3*i, x);
    if (s->kind == SLIP_SHAPE_BOX)
        slip_set3(i & 1 ? s->half[0] : -s->half[0], i & 2 ? s->half[1] : -s->half[1], i & 4 ? s->half[2] : -s->half[2],
                  x);
    if (s->kind == SLIP_SHAPE_CAPSULE) x[2] = i ? s->half[2] : -s->half[2];
    cyl_place(q, x, x);
}

/* B's vertices beside the cylinder; for one on its axis any side is as good as another. */
static void cyl_sides(cyl_best *c)
{
    slip_real x[3], n[3];
    int i;

    for (i = 0; i < cyl_vertices(c->q->b) && !core_is_over(c->q); ++i) {
        cyl_vertex_of(c->q, i, x);
        slip_set3(x[0], x[1], 0, n);
        if (!(slip_normalize3(n, n) > 0)) slip_set3(1, 0, 0, n);
        if (cyl_bound(c, n, x) > c->d + c->eps && cyl_is_lowest(c->q, i, n)) cyl_offer(c, n, x);
    }
}

/* The edge of a hull from vertex i to j, between the faces to its left and right, placed. */
static void cyl_hull_edge(const core_pair *q, int i, int j, int left, int right, sat_edge *g)
{
    const slip_hull *h = q->b->hull;
    slip_real e[3], in[3];

    slip_sub3(h->vertex + 3*j, h->vertex + 3*i, e);
    slip_normalize3(e, e);
    slip_mat3_vec(q->R, e, g->e);
    slip_cross3(h->plane + 4*left, e, in);
    slip_mat3_vec(q->R, in, g->in0);
    slip_cross3(e, h->plane + 4*right, in);
    slip_mat3_vec(q->R, in, g->in1);
    cyl_place(q, h->vertex + 3*i, g->x);
}

/* The edges of face f that lead to later faces. The cylinder's deepest point y below this face rules most of them out
 * as in cyl_edge_cannot_win(): at the near end of the edge's wedge by what the face itself has offered, at the far one
 * by a product. */
static void cyl_face_edges(cyl_best *c, int f)
{
    const slip_hull *h = c->q->b->hull;
    const slip_real *plane = h->plane + 4*f;
    slip_real n[3], y[3], w[3];
    sat_edge g;
    int k;

    slip_mat3_vec(c->q->R, plane, n);
    slip_neg3(n, n);
    core_cylinder_support(c->q->a, n, y);
    slip_sub3(y, c->q->p, y);
    slip_mat3_tvec(c->q->R, y, y);
    for (k = h->loop_start[f]; k < h->loop_start[f + 1]; ++k) {
        const int i = h->loop[k], j = h->loop[k + 1 < h->loop_start[f + 1] ? k + 1 : h->loop_start[f]],
            to = h->loop_twin[k];

        if (to < f) continue;
        slip_sub3(y, h->vertex + 3*i, w);
        if (c->d < 0 && slip_dot3(plane, w) <= c->d && slip_dot3(h->plane + 4*to, w) <= c->d
            && slip_dot3(plane, h->plane + 4*to) > SLIP_R(-0.9)) continue;
        cyl_hull_edge(c->q, i, j, f, to, &g);
        cyl_edge(c, &g);
    }
}

static void cyl_polytope(cyl_best *c)
{
    const slip_shape *b = c->q->b;
    sat_edge g;
    int i;

    cyl_faces(c);
    cyl_sides(c);
    if (b->kind == SLIP_SHAPE_MESH && b->hull->nf > 0) {
        for (i = 0; i < b->hull->nf && !core_is_over(c->q); ++i) cyl_face_edges(c, i);
        return;
    }
    for (i = 0; i < slip_sat_edges(b); ++i) {
        slip_sat_edge_of(b, i, c->q, &g);
        cyl_edge(c, &g);
    }
}

/* ---- either way round ----------------------------------------------------------------------------- */

/* The pair with its cylinder first: q itself, or *other filled from it. */
static core_pair *cyl_first(core_pair *q, core_pair *other)
{
    return q->a->kind == SLIP_SHAPE_CYLINDER ? q : slip_core_turned(q, other);
}

/* The points for the best normal from what is known of the rims; returns how far they miss each other. */
static slip_real cyl_rim_points(const cyl_best *c, core_result *r)
{
    slip_real off[3];

    if (c->on != 3) return slip_core_witness_at(c->q, c->on == 2, c->on == 2 ? c->b : c->a, r);
    slip_copy3(c->a, r->a);
    slip_copy3(c->b, r->b);
    slip_sub3(r->b, r->a, off);
    slip_axpy3(-r->d, r->n, off, off);
    return slip_norm3(off);
}

/* The points for the best normal, made to fit it: b - a = d n about their middle. Returns by how much they did not:
 * points of two shapes apart that fit are a proof that the normal is the best. */
static slip_real cyl_finish(core_pair *q, const cyl_best *c, core_result *r)
{
    const slip_real good = 64*SLIP_REAL_EPS*q->size;
    slip_real off = SLIP_REAL_MAX, wider;
    core_result other;

    r->status = core_is_over(q) ? SLIP_DEADLINE : SLIP_OK;
    slip_copy3(c->n, r->n);
    r->d = core_separation(c->q, r->n);
    if (c->on) off = cyl_rim_points(c, r);
    if (off > good) {
        other = *r;
        wider = slip_core_witness(c->q, &other);
        if (wider < off) { off = wider;  *r = other; }
    }
    core_align_points(r);
    if (c->q != q) slip_core_turn_back(q, r);
    return off;
}

static void cyl_start(core_pair *q, core_pair *other, cyl_best *c)
{
    c->q = cyl_first(q, other);
    c->d = -SLIP_REAL_MAX;
    slip_set3(0, 0, 1, c->n);
    c->eps = 0;
    c->on = 0;
}

void slip_cylinder_depth(core_pair *q, core_result *r)
{
    core_pair other;
    cyl_best c;

    cyl_start(q, &other, &c);
    cyl_caps(&c);
    c.eps = 4*SLIP_REAL_EPS*q->size;
    if (c.q->b->kind == SLIP_SHAPE_CYLINDER) slip_cyl_cylinders(&c);
    else cyl_polytope(&c);
    cyl_finish(q, &c, r);
}

/* ---- apart ---------------------------------------------------------------------------------------- */

/* The normal from the cylinder to the point x outside it. */
static void cyl_point(cyl_best *c, const slip_real x[3])
{
    const slip_real rho = slip_sqrt(x[0]*x[0] + x[1]*x[1]);
    const slip_real out = rho - c->q->a->radius, up = slip_abs(x[2]) - c->q->a->half[2];
    slip_real n[3];

    if (!(out > 0) || !(rho > 0)) return;
    slip_set3(x[0]/rho, x[1]/rho, 0, n);
    cyl_offer(c, n, x);
    if (!(up > 0)) return;
    slip_set3(out*x[0]/rho, out*x[1]/rho, slip_copysign(up, x[2]), n);
    if (slip_normalize3(n, n) > 0) cyl_offer(c, n, x);
}

static void cyl_pair(cyl_best *c, const slip_real x[3], const slip_real y[3])
{
    slip_real e[3];
    cyl_touch t[4];
    int k, count;

    slip_sub3(y, x, e);
    if (!(slip_normalize3(e, e) > 0)) return;
    count = slip_cyl_line_touches(c->q->a, x, e, t);
    core_take(c->q);
    for (k = 0; k < count; ++k) cyl_offer_rim(c, t[k].n, x, t[k].rim, t[k].at, x);
}

/* Offers the normals in which the vertices of B at the end of the search can take part: each vertex alone, each two as
 * an edge. */
static void cyl_features(cyl_best *c, const int *id, int n)
{
    slip_real x[4][3];
    int i, k;

    for (i = 0; i < n; ++i) {
        cyl_vertex_of(c->q, id[i], x[i]);
        cyl_point(c, x[i]);
        for (k = 0; k < i; ++k) if (id[k] != id[i]) cyl_pair(c, x[k], x[i]);
    }
}

static void cyl_all(cyl_best *c)
{
    slip_real x[3];
    int i;

    cyl_polytope(c);
    for (i = 0; i < cyl_vertices(c->q->b) && !core_is_over(c->q); ++i) {
        cyl_vertex_of(c->q, i, x);
        cyl_point(c, x);
    }
}

/* The normal of B's face that three vertices lie on, turned as in slip_core_turn_back() if need be. */
static void cyl_face_at(cyl_best *c, const core_pair *q, const core_vertex v[3], const slip_real about[3])
{
    slip_real m[3];

    if (!slip_core_feature_normal(q, v, about, m)) return;
    if (c->q != q) {
        slip_mat3_tvec(q->R, m, m);
        slip_neg3(m, m);
    }
    cyl_offer(c, m, c->q->p);
}

void slip_cylinder_polish(core_pair *q, const core_vertex *v, int n, core_result *r)
{
    const slip_real slack = 64*SLIP_REAL_EPS*q->size;
    core_pair other;
    cyl_best c;
    int i, id[4], rims;

    cyl_start(q, &other, &c);
    rims = c.q->b->kind == SLIP_SHAPE_CYLINDER;
    slip_copy3(r->n, c.n);
    if (c.q != q) {
        slip_mat3_tvec(q->R, c.n, c.n);
        slip_neg3(c.n, c.n);
    }
    c.eps = slack/16;
    c.d = core_separation(c.q, c.n) - slack;              /* a feature's own normal has more digits */
    cyl_caps(&c);
    if (rims) {
        slip_cyl_cylinders_near(&c, r->a);
    } else {
        for (i = 0; i < n; ++i) id[i] = c.q == q ? v[i].ib : v[i].ia;
        if (n == 3) cyl_face_at(&c, q, v, r->n);
        cyl_features(&c, id, n);
    }
    if (c.d > 0 && cyl_finish(q, &c, r) <= 16*slack) return;
    if (rims) slip_cyl_cylinders(&c);                          /* the search stopped short */
    else cyl_all(&c);
    cyl_finish(q, &c, r);
}
