/* Support maps of the polytope cores, private to geom.
 *
 * Sphere and capsule are a point and a segment with a radius around them; the radius is added at the end,
 * so most of the work is between sharp cores. A support point has an id that names the core's vertex;
 * a cylinder's rim and an ellipsoid have no vertices, so their ids are -1. */
#ifndef SLIP_GEOM_SUPPORT_H
#define SLIP_GEOM_SUPPORT_H

#include "base/budget.h"
#include "geom/shape.h"

/* Two placed cores, seen from the first one's frame. */
typedef struct {
    const slip_shape *a, *b;
    slip_real R[9], p[3];    /* b's frame in a's: x_a = R x_b + p           */
    slip_real size;          /* reach of both together: scale of rounding [m] */
    int hint_a, hint_b;      /* where the climb over a hull starts          */
    slip_budget *budget;     /* of the search; NULL: none                   */
} core_pair;

/* Every support evaluation, and every step of a loop that has none, takes from the search's budget. Loops end when one
 * was refused, with the best they have; what follows them is a fixed number of evaluations more. */
static inline void core_take(const core_pair *q) { if (SLIP_HAS_BUDGETS && q->budget) slip_budget_take(q->budget); }
static inline int core_is_over(const core_pair *q) { return slip_budget_is_over(q->budget); }

/* The result of a core query, in a's frame; it is about the cores, without the radii around them. */
typedef struct {
    slip_real d, n[3], a[3], b[3];
    int iterations;
    slip_status status;
} core_result;

/* Moves the points so that b - a = d n holds about their middle, for points found with a wide tolerance and normals
 * with more correct digits than the points. */
static inline void core_align_points(core_result *r)
{
    slip_real m[3];

    slip_add3(r->a, r->b, m);
    slip_scale3(SLIP_R(0.5), m, m);
    slip_axpy3(-r->d/2, r->n, m, r->a);
    slip_axpy3(r->d/2, r->n, m, r->b);
}

/* b's frame in a's, for shapes placed at xa and xb. */
static inline void core_place(const slip_pose *xa, const slip_pose *xb, core_pair *q)
{
    slip_real d[3];

    slip_mat3_tmul(xa->R, xb->R, q->R);
    slip_sub3(xb->p, xa->p, d);
    slip_mat3_tvec(xa->R, d, q->p);
}

/* Hull support: index of the vertex farthest along d; the lowest of equals for small hulls, found by
 * climbing from `hint` for large ones. */
int slip_core_hull_support(const slip_hull *hull, const slip_real d[3], int hint);

enum { CORE_CLIMB_ABOVE = 256 };     /* vertices from which climbing beats scanning; measured */

/* r = x, rounded once. A compiler that fuses multiplications and additions may round two uses of one expression
 * differently; for a difference that nearly cancels the two may disagree completely, and x/|x| would not be a unit
 * vector. */
static inline void core_round_once3(const slip_real x[3], slip_real r[3])
{
    volatile slip_real y[3];

    y[0] = x[0];  y[1] = x[1];  y[2] = x[2];
    r[0] = y[0];  r[1] = y[1];  r[2] = y[2];
}

static inline int core_is_polytope(const slip_shape *s)
{
    return !((SLIP_HAS_SHAPE(CYLINDER) && s->kind == SLIP_SHAPE_CYLINDER)
             || (SLIP_HAS_SHAPE(ELLIPSOID) && s->kind == SLIP_SHAPE_ELLIPSOID));
}

/* The radius around the core. */
static inline slip_real core_round(const slip_shape *s)
{
    return s->kind == SLIP_SHAPE_SPHERE || s->kind == SLIP_SHAPE_CAPSULE ? s->radius : 0;
}

static inline void core_cylinder_support(const slip_shape *s, const slip_real d[3], slip_real x[3])
{
    const slip_real rr = d[0]*d[0] + d[1]*d[1];
    const slip_real k = rr > SLIP_REAL_MIN ? s->radius/slip_sqrt(rr) : 0;

    x[0] = k*d[0];
    x[1] = k*d[1];
    x[2] = d[2] >= 0 ? s->half[2] : -s->half[2];
}

/* h: half axes. x = H^2 d/|H d| with H = diag(h). */
static inline void core_ellipsoid_support(const slip_real h[3], const slip_real d[3], slip_real x[3])
{
    const slip_real s[3] = { h[0]*d[0], h[1]*d[1], h[2]*d[2] }, l = slip_norm3(s), k = l > 0 ? 1/l : 0;

    if (!SLIP_HAS_SHAPE(ELLIPSOID)) slip_zero3(x);
    else slip_set3(k*h[0]*s[0], k*h[1]*s[1], k*h[2]*s[2], x);
}

/* Farthest point of the core along d in its own frame; returns its id. */
static inline int core_support(const slip_shape *s, const slip_real d[3], int *hint, slip_real x[3])
{
    switch (s->kind) {
    case SLIP_SHAPE_BOX:
        x[0] = slip_copysign(s->half[0], d[0]);
        x[1] = slip_copysign(s->half[1], d[1]);
        x[2] = slip_copysign(s->half[2], d[2]);
        return (x[0] > 0) | (x[1] > 0) << 1 | (x[2] > 0) << 2;
    case SLIP_SHAPE_MESH:
        slip_zero3(x);
        if (!SLIP_HAS_SHAPE(MESH)) return 0;
        *hint = slip_core_hull_support(s->hull, d, *hint);
        slip_copy3(s->hull->vertex + 3*(*hint), x);
        return *hint;
    case SLIP_SHAPE_CAPSULE:
        x[0] = 0;  x[1] = 0;
        x[2] = slip_copysign(s->half[2], d[2]);
        return x[2] > 0;
    case SLIP_SHAPE_CYLINDER:
        core_cylinder_support(s, d, x);
        return -1;
    case SLIP_SHAPE_ELLIPSOID:
        core_ellipsoid_support(s->half, d, x);
        return -1;
    default:
        slip_zero3(x);
        return 0;
    }
}

/* The same for the second shape of a pair, with d and x in the first one's frame. */
static inline int core_support_b(core_pair *q, const slip_real d[3], slip_real x[3])
{
    slip_real e[3], y[3];
    int id;

    slip_mat3_tvec(q->R, d, e);
    id = core_support(q->b, e, &q->hint_b, y);
    slip_mat3_vec(q->R, y, x);
    slip_add3(x, q->p, x);
    return id;
}

static inline int core_support_a(core_pair *q, const slip_real d[3], slip_real x[3])
{
    return core_support(q->a, d, &q->hint_a, x);
}

/* The pair with its shapes in the other order, in *other, which is returned; and a result for it turned back to q. */
core_pair *slip_core_turned(const core_pair *q, core_pair *other);
void slip_core_turn_back(const core_pair *q, core_result *r);

/* A vertex of the difference A - B. */
typedef struct {
    slip_real w[3], a[3], b[3];   /* w = a - b        */
    int ia, ib;                   /* ids of a and b   */
} core_vertex;

/* The vertex of A - B farthest along d. */
static inline void core_vertex_along(core_pair *q, const slip_real d[3], core_vertex *v)
{
    slip_real m[3];

    core_take(q);
    slip_neg3(d, m);
    v->ia = core_support_a(q, d, v->a);
    v->ib = core_support_b(q, m, v->b);
    slip_sub3(v->a, v->b, v->w);
}

/* Vertex `id` of a polytope core, as core_support() numbers them, in its own frame. */
static inline void core_corner(const slip_shape *s, int id, slip_real x[3])
{
    int k;

    slip_zero3(x);
    if (SLIP_HAS_SHAPE(MESH) && s->kind == SLIP_SHAPE_MESH) slip_copy3(s->hull->vertex + 3*id, x);
    if (s->kind == SLIP_SHAPE_BOX) for (k = 0; k < 3; ++k) x[k] = id >> k & 1 ? s->half[k] : -s->half[k];
    if (s->kind == SLIP_SHAPE_CAPSULE) x[2] = id ? s->half[2] : -s->half[2];
}

/* The vertex of A - B that two polytopes' vertices ia and ib make, as core_vertex_along() gives it. */
static inline void core_vertex_of(const core_pair *q, int ia, int ib, core_vertex *v)
{
    slip_real y[3];

    v->ia = ia;
    v->ib = ib;
    core_corner(q->a, ia, v->a);
    core_corner(q->b, ib, y);
    slip_mat3_vec(q->R, y, v->b);
    slip_add3(v->b, q->p, v->b);
    slip_sub3(v->a, v->b, v->w);
}

/* Separation of the cores along the unit vector n: min over B of n.x minus max over A of n.x. */
static inline slip_real core_separation(core_pair *q, const slip_real n[3])
{
    core_vertex v;

    core_vertex_along(q, n, &v);
    return -slip_dot3(n, v.w);
}

/* A flat set of support vertices of one core (a face, an edge or a vertex), in a's frame. */
typedef struct {
    const slip_shape *shape;
    const slip_real *R, *p;       /* NULL: the shape's frame is a's                            */
    const int *loop;              /* hull face: vertex indices; else NULL and x holds the points */
    int n;
    int cap;                      /* +-1: the cylinder's whole cap at +-z; x then holds four points of its rim */
    slip_real x[4][3];
    int id[4];
} core_feature;

/* The feature of the core whose vertices are within `tol` of the support plane along n (a's frame). */
void slip_core_feature_of(core_pair *q, int second, const slip_real n[3], slip_real tol, core_feature *f);
void slip_core_feature_point(const core_feature *f, int i, slip_real x[3]);

/* The unit normal of B's face at its vertex `ib` that is nearest to `about`, from A to B, in a's frame. Returns 0 when
 * B has no faces. */
int slip_core_face_of_b(const core_pair *q, int ib, const slip_real about[3], slip_real n[3]);

/* The unit normal that the features of three difference vertices fix: a face of A, of B, or a crossed pair
 * of edges; on the side of `about`. Returns 0 when they fix none. */
int slip_core_feature_normal(const core_pair *q, const core_vertex v[3], const slip_real about[3], slip_real n[3]);

/* Witness points for a known normal r->n and separation r->d: a point common to both support features,
 * seen along n. Returns how far they miss each other, seen so: rounding, or more where rounding chose the normal. */
slip_real slip_core_witness(core_pair *q, core_result *r);

/* The same with a point (a's frame) in place of the first core's feature, or of the second's. */
slip_real slip_core_witness_at(core_pair *q, int second, const slip_real x[3], core_result *r);

#endif
