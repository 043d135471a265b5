/* Distances of ellipsoids.
 *
 * The separation f(n) = min over B of n.x - max over A of n.x has the gradient b(n) - a(n), the difference of the
 * support points, and on the unit sphere the Hessian -(K_A + K_B + f I) with K the radii of curvature. Apart it has one
 * maximum: GJK finds it to about 1e-7, and Newton's method on the feature that B ended on to rounding.
 *
 * Overlapping, B is first moved out along the present n by s > -f. The nearest points of the moved pair give a normal m
 * with f(m) + s n.m >= f(n) + s, so f(m) >= f(n): each such step ascends, whatever the shapes; errors shrink by
 * s/(K + f + s). A maximum no deeper than the smallest radius of curvature rho of A - B is the only one: the ball of
 * radius rho inside the surface at its witness contains the ball round the origin. For depths from rho/2 on, where the
 * steps may be short, other starts are tried and the best is kept. */
#include "geom/distance_private.h"
#include "geom/epa.h"

#define ELL_NEAR SLIP_TOL(1e-6, 1e-3)    /* of the size: nearer cores count as touching; b - a has few digits        */
#define ELL_OUT  SLIP_TOL(1e-3, 1e-2)    /* of the size: gap to which an overlapping pair is moved; more costs steps */

enum { ELL_STEPS = 16, ELL_CLIMBS = 32 };

/* A part of B with its support as a smooth function of n: a line (n stays across e) or a circle across e, through x or
 * round it, with radius r, which may be 0; or the whole of B, an ellipsoid. */
typedef enum { ELL_LINE, ELL_CIRCLE, ELL_WHOLE } ell_sort;
typedef struct { ell_sort sort; slip_real x[3], e[3], r; } ell_part;

/* The best normal so far. */
typedef struct { core_pair *q; slip_real d, n[3]; } ell_best;

static void ell_offer(ell_best *c, const slip_real n[3])
{
    const slip_real d = core_separation(c->q, n);

    if (!(d > c->d)) return;
    c->d = d;
    slip_copy3(n, c->n);
}

/* The same for a maximum on a part of B, f there. It has more correct digits than the normal of a search, whose error
 * shows only squared in d; so it is taken where d is as good, if the part is what supports B. */
static void ell_offer_part(ell_best *c, const slip_real n[3], slip_real f)
{
    const slip_real d = core_separation(c->q, n), eps = SLIP_REAL_EPS*c->q->size;

    if (!(d >= c->d - 4*eps) || !(f <= d + 64*eps)) return;
    c->d = d;
    slip_copy3(n, c->n);
}

/* Its support point along n, in its own frame; returns the support. */
static slip_real ell_point(const slip_real h[3], const slip_real n[3], slip_real x[3])
{
    core_ellipsoid_support(h, n, x);
    return slip_dot3(n, x);
}

/* u' K v for the support point x of n, in its own frame. */
static slip_real ell_curvature(const slip_real h[3], const slip_real x[3], slip_real support, const slip_real u[3],
                               const slip_real v[3])
{
    return (h[0]*h[0]*u[0]*v[0] + h[1]*h[1]*u[1]*v[1] + h[2]*h[2]*u[2]*v[2] - slip_dot3(x, u)*slip_dot3(x, v))/support;
}

/* B's support point of -n on a part; for a circle u is the direction from its centre against it. */
static void ell_part_point(const core_pair *q, const ell_part *p, const slip_real n[3], slip_real b[3], slip_real u[3])
{
    slip_real m[3];

    if (p->sort == ELL_WHOLE) {
        slip_mat3_tvec(q->R, n, m);
        ell_point(q->b->half, m, u);
        slip_mat3_vec(q->R, u, b);
        slip_sub3(q->p, b, b);
        return;
    }
    slip_axpy3(-slip_dot3(p->e, n), p->e, n, u);
    slip_normalize3(u, u);
    slip_axpy3(-slip_dot3(p->e, u), p->e, u, u);          /* again: n nearly along e left rounding of eps/|u| along e */
    slip_axpy3(-p->r, u, p->x, b);
}

/* The separation along n by A and a part of B, and its gradient. */
static slip_real ell_value(const core_pair *q, const ell_part *p, const slip_real n[3], slip_real w[3])
{
    slip_real a[3], b[3], u[3];

    core_take(q);
    ell_point(q->a->half, n, a);
    ell_part_point(q, p, n, b, u);
    slip_sub3(b, a, w);
    return slip_dot3(n, w);
}

/* t_i' (K_A + K_B) t_j of tangents t at n. */
static void ell_curvatures(const core_pair *q, const ell_part *p, const slip_real n[3], const slip_real t[2][3],
                           slip_real K[3])
{
    static const int first[3] = { 0, 0, 1 }, second[3] = { 0, 1, 1 };
    slip_real a[3], b[3], u[3], m[3], s[2][3] = { { 0, 0, 0 }, { 0, 0, 0 } }, ha, hb = 1;
    int k;

    ha = ell_point(q->a->half, n, a);
    ell_part_point(q, p, n, b, u);
    if (p->sort == ELL_WHOLE) {
        slip_mat3_tvec(q->R, n, m);
        hb = slip_dot3(u, m);
        for (k = 0; k < 2; ++k) slip_mat3_tvec(q->R, t[k], s[k]);
    } else {
        slip_cross3(p->e, u, m);                          /* along the circle */
        hb = slip_dot3(u, n);
    }
    for (k = 0; k < 3; ++k) {
        const slip_real *x = t[first[k]], *y = t[second[k]];

        K[k] = ell_curvature(q->a->half, a, ha, x, y);
        if (p->sort == ELL_WHOLE) K[k] += ell_curvature(q->b->half, u, hb, s[first[k]], s[second[k]]);
        else if (p->r > 0) K[k] += p->r*slip_dot3(m, x)*slip_dot3(m, y)/hb;
    }
}

/* The Newton step at n; 0 when f does not bend down there. */
static int ell_step(const core_pair *q, const ell_part *p, const slip_real n[3], const slip_real w[3], slip_real f,
                    slip_real step[3])
{
    slip_real t[2][3], K[3], g[2], y[2], det;

    if (p->sort == ELL_LINE) slip_cross3(p->e, n, t[0]);
    else slip_tangents(n, t[0], t[1]);
    if (p->sort == ELL_LINE) slip_copy3(t[0], t[1]);
    ell_curvatures(q, p, n, (const slip_real (*)[3])t, K);
    g[0] = slip_dot3(t[0], w);
    g[1] = slip_dot3(t[1], w);
    K[0] += f;
    K[2] += f;
    det = p->sort == ELL_LINE ? K[0] : K[0]*K[2] - K[1]*K[1];
    if (!(K[0] > 0) || !(det > 0)) return 0;
    if (p->sort == ELL_LINE) {
        slip_scale3(g[0]/K[0], t[0], step);
        return 1;
    }
    y[0] = (K[2]*g[0] - K[1]*g[1])/det;
    y[1] = (K[0]*g[1] - K[1]*g[0])/det;
    slip_scale3(y[0], t[0], step);
    slip_axpy3(y[1], t[1], step, step);
    return 1;
}

/* Offers the maximum of f on a part that Newton's method reaches from n; 1 when it got there. */
static int ell_newton(ell_best *c, const ell_part *p, const slip_real from[3])
{
    slip_real n[3], m[3], w[3], v[3], step[3], f, length = 1;
    int i, k;

    slip_copy3(from, n);
    if (p->sort == ELL_LINE) slip_axpy3(-slip_dot3(p->e, n), p->e, n, n);
    if (!(slip_normalize3(n, n) > 0)) return 0;
    f = ell_value(c->q, p, n, w);
    for (i = 0; i < ELL_STEPS && !core_is_over(c->q); ++i) {
        slip_real next = f, scale = 1;

        if (!ell_step(c->q, p, n, w, f, step)) { length = 1;  break; }
        length = slip_norm3(step);
        if (length > SLIP_R(0.5)) scale = SLIP_R(0.5)/length;
        for (k = 0; k < 6; ++k, scale /= 2) {
            slip_axpy3(scale, step, n, m);
            slip_normalize3(m, m);
            next = ell_value(c->q, p, m, v);
            if (next >= f - 4*SLIP_REAL_EPS*c->q->size) break;
        }
        if (k == 6) break;
        slip_copy3(m, n);
        slip_copy3(v, w);
        f = next;
        if (length <= 8*SLIP_REAL_EPS) break;
    }
    ell_offer_part(c, n, f);
    return length <= SLIP_TOL(1e-7, 1e-3);
}

/* ---- the parts of B --------------------------------------------------------------------------------------- */

static void ell_cylinder(ell_best *c, const slip_real n[3])
{
    const core_pair *q = c->q;
    const slip_shape *b = q->b;
    ell_part p;
    slip_real up;

    slip_set3(q->R[2], q->R[5], q->R[8], p.e);
    p.sort = ELL_LINE;
    p.r = b->radius;
    slip_copy3(q->p, p.x);
    ell_newton(c, &p, n);                                 /* the side */
    p.sort = ELL_CIRCLE;
    for (up = -1; up <= 1; up += 2) {
        slip_scale3(up, p.e, p.x);
        ell_offer(c, p.x);                                /* a cap */
        slip_axpy3(up*b->half[2], p.e, q->p, p.x);
        ell_newton(c, &p, n);                             /* its rim */
    }
}

/* The vertices that a search ended on, B moved by `moved`: each two as an edge, each alone, and its face nearest to n.
 * In float a search may end on an edge of the face it should have found, so a face need not have three of them. */
static void ell_vertices(ell_best *c, const gjk_simplex *s, const slip_real moved[3], const slip_real n[3])
{
    ell_part p;
    slip_real m[3];
    int i, k;

    p.r = 0;
    p.sort = ELL_LINE;
    for (i = 0; i < s->n && !core_is_over(c->q); ++i)
        for (k = 0; k < i; ++k) {
            slip_sub3(s->v[i].b, moved, p.x);
            slip_sub3(s->v[k].b, s->v[i].b, p.e);
            if (s->v[k].ib != s->v[i].ib && slip_normalize3(p.e, p.e) > 0) ell_newton(c, &p, n);
        }
    p.sort = ELL_CIRCLE;
    slip_set3(0, 0, 1, p.e);
    for (i = 0; i < s->n && !core_is_over(c->q); ++i) {
        slip_sub3(s->v[i].b, moved, p.x);
        for (k = 0; k < i && s->v[k].ib != s->v[i].ib; ++k) { }
        if (k < i) continue;
        ell_newton(c, &p, n);
        if (slip_core_face_of_b(c->q, s->v[i].ib, n, m)) ell_offer(c, m);
    }
}

static void ell_parts(ell_best *c, const gjk_simplex *s, const slip_real moved[3], const slip_real n[3])
{
    ell_part p;

    ell_offer(c, n);
    if (c->q->b->kind == SLIP_SHAPE_CYLINDER) {
        ell_cylinder(c, n);
    } else if (c->q->b->kind == SLIP_SHAPE_ELLIPSOID) {
        p.sort = ELL_WHOLE;
        p.r = 0;
        ell_newton(c, &p, n);
    } else {
        ell_vertices(c, s, moved, n);
    }
}

/* ---- overlap ---------------------------------------------------------------------------------------------- */

/* From n on beyond the best normal, each time twice as far, while that is better: where the overlap is nearly as deep
 * as the radius of curvature, single steps are short. */
static void ell_stride(ell_best *c, const slip_real n[3])
{
    slip_real way[3], m[3], stride = 1, last;

    slip_sub3(c->n, n, way);
    do {
        last = c->d;
        slip_axpy3(stride, way, c->n, m);
        if (slip_normalize3(m, m) > 0) ell_offer(c, m);
        stride *= 2;
    } while (c->d > last && !core_is_over(c->q));
}

/* Ascends from a normal to a maximum; 1 when it got there. */
static int ell_ascend(ell_best *best, const slip_real from[3], int *iterations)
{
    const core_pair *q = best->q;
    const slip_real gain = 4*SLIP_REAL_EPS*q->size;
    ell_best c = *best;
    gjk_simplex s;
    core_pair out;
    core_result r;
    slip_real move[3], n[3], last;
    int k, there = 0;

    c.d = -SLIP_REAL_MAX;
    ell_offer(&c, from);
    for (k = 0; k < ELL_CLIMBS && !there && !core_is_over(q); ++k) {
        last = c.d;
        slip_copy3(c.n, n);
        out = *q;
        slip_scale3(slip_max(ELL_OUT*q->size - c.d, 0), c.n, move);
        slip_add3(q->p, move, out.p);
        if (slip_gjk_distance(&out, c.n, SLIP_REAL_MAX/4, 1, &s, &r) != GJK_APART) break;
        *iterations += r.iterations;
        ell_parts(&c, &s, move, r.n);
        there = !(c.d > last + gain);
        if (!there) ell_stride(&c, n);
    }
    if (c.d > best->d) *best = c;
    return there;
}

static slip_real ell_least_radius(const slip_shape *s)
{
    const slip_real *h = s->half, most = slip_max(slip_max(h[0], h[1]), h[2]);
    const slip_real least = slip_min(slip_min(h[0], h[1]), h[2]);

    return s->kind == SLIP_SHAPE_ELLIPSOID && most > 0 ? least*least/most : 0;
}

/* Whether a maximum is shallow enough to be the only one, with room for the error of an ascent. */
static int ell_is_only(const ell_best *c)
{
    return c->d >= -(ell_least_radius(c->q->a) + ell_least_radius(c->q->b))/2;
}

/* Ascends from both directions of the axes of a frame. */
static void ell_ascend_axes(ell_best *best, const slip_real R[9], int axes, int *iterations)
{
    slip_real n[3];
    int i;

    for (i = 3 - axes; i < 3 && !core_is_over(best->q); ++i) {
        slip_set3(R[i], R[3 + i], R[6 + i], n);
        ell_ascend(best, n, iterations);
        slip_neg3(n, n);
        ell_ascend(best, n, iterations);
    }
}

static void ell_overlap(ell_best *best, const gjk_simplex *s, const slip_real guess[3], core_result *r)
{
    static const slip_real unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    core_pair *q = best->q;
    core_result e;
    slip_real n[3];
    int f;

    slip_normalize3(guess, n);
    if ((ell_ascend(best, n, &r->iterations) && ell_is_only(best)) || core_is_over(q)) return;
    e.iterations = r->iterations;
    slip_epa_depth(q, s, &e);
    r->iterations = e.iterations;
    ell_ascend(best, e.n, &r->iterations);
    ell_ascend_axes(best, unit, 3, &r->iterations);
    if (q->b->kind != SLIP_SHAPE_MESH)
        ell_ascend_axes(best, q->R, q->b->kind == SLIP_SHAPE_CYLINDER ? 1 : 3, &r->iterations);
    for (f = 0; q->b->kind == SLIP_SHAPE_MESH && f < q->b->hull->nf && !core_is_over(q); ++f) {
        slip_mat3_vec(q->R, q->b->hull->plane + 4*f, n);
        slip_neg3(n, n);
        ell_offer(best, n);
    }
    slip_copy3(best->n, n);
    ell_ascend(best, n, &r->iterations);
}

/* ---- the query -------------------------------------------------------------------------------------------- */

/* Against an ellipsoid or a ball's centre: Newton's method alone, if the maximum it finds must be the only one. */
static int ell_smooth(ell_best *c, const slip_real from[3])
{
    const slip_shape *b = c->q->b;
    ell_part p;

    if (b->kind != SLIP_SHAPE_ELLIPSOID && b->kind != SLIP_SHAPE_SPHERE) return 0;
    p.sort = b->kind == SLIP_SHAPE_ELLIPSOID ? ELL_WHOLE : ELL_CIRCLE;
    p.r = 0;
    slip_copy3(c->q->p, p.x);
    slip_set3(0, 0, 1, p.e);
    return ell_newton(c, &p, from) && ell_is_only(c);
}

static void ell_finish(ell_best *c, core_result *r)
{
    r->status = core_is_over(c->q) ? SLIP_DEADLINE : SLIP_OK;
    slip_copy3(c->n, r->n);
    ell_point(c->q->a->half, r->n, r->a);
    r->d = core_separation(c->q, r->n);
    slip_axpy3(r->d, r->n, r->a, r->b);
}

void slip_ellipsoid_distance(core_pair *q, const slip_real d[3], slip_real beyond, core_result *r)
{
    static const slip_real still[3] = { 0, 0, 0 };
    core_pair other;
    gjk_simplex s;
    gjk_outcome outcome;
    ell_best c;
    slip_real from[3];

    slip_copy3(d, from);
    c.q = q;
    if (q->a->kind != SLIP_SHAPE_ELLIPSOID) {
        c.q = slip_core_turned(q, &other);
        slip_mat3_tvec(q->R, d, from);
        slip_neg3(from, from);
    }
    c.d = -SLIP_REAL_MAX;
    slip_set3(0, 0, 1, c.n);
    r->iterations = 1;
    if (ell_smooth(&c, from)) {
        ell_finish(&c, r);
        if (c.q != q) slip_core_turn_back(q, r);
        return;
    }
    outcome = slip_gjk_distance(c.q, from, beyond, 0, &s, r);
    if (outcome == GJK_APART || outcome == GJK_CLOSE) {
        if (outcome == GJK_APART && r->d > ELL_NEAR*q->size) {
            ell_parts(&c, &s, still, r->n);
            slip_copy3(c.n, from);
            if (r->d > c.d + 64*SLIP_REAL_EPS*q->size) ell_ascend(&c, from, &r->iterations);  /* GJK stopped short */
        } else {
            ell_overlap(&c, &s, outcome == GJK_APART ? r->n : from, r);
        }
        ell_finish(&c, r);
    }
    if (c.q != q) slip_core_turn_back(q, r);
}
