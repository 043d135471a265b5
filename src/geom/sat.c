/* Penetration of polytope cores by trying every axis (Gottschalk 1996): all face normals and all pairs of edges.
 *
 * Slower than the expanding polytope but never fails: used for shapes so deep in each other, or so nearly round, that
 * the polytope would exceed its memory. A pair of edges only matters if its normal supports both, that is, points out
 * of the wedge between either edge's faces; small shapes try all pairs, two hulls walk from one that matters to the
 * next. */
#include "geom/distance_private.h"

int slip_sat_faces(const slip_shape *s)
{
    return s->kind == SLIP_SHAPE_BOX ? 6 : s->kind == SLIP_SHAPE_MESH ? s->hull->nf : 0;
}

int slip_sat_edges(const slip_shape *s)
{
    return s->kind == SLIP_SHAPE_BOX ? 12 : s->kind == SLIP_SHAPE_MESH ? s->hull->ne : s->kind == SLIP_SHAPE_CAPSULE;
}

void slip_sat_face_normal(const slip_shape *s, int i, slip_real n[3])
{
    if (s->kind == SLIP_SHAPE_MESH) { slip_copy3(s->hull->plane + 4*i, n);  return; }
    slip_zero3(n);
    n[i/2] = i%2 ? SLIP_R(-1) : SLIP_R(1);
}

static void sat_box_edge(const slip_shape *s, int i, sat_edge *g)
{
    const int axis = i/4, j = (axis + 1)%3, k = (axis + 2)%3;
    const slip_real sj = i & 1 ? SLIP_R(1) : SLIP_R(-1), sk = i & 2 ? SLIP_R(1) : SLIP_R(-1);

    g->e[axis] = 1;
    g->x[axis] = 0;
    g->x[j] = sj*s->half[j];
    g->x[k] = sk*s->half[k];
    g->in0[j] = -sj;
    g->in1[k] = -sk;
}

static void sat_hull_edge(const slip_hull *h, int i, sat_edge *g)
{
    const int *edge = h->edge + 4*i;

    slip_copy3(h->vertex + 3*edge[0], g->x);
    slip_sub3(h->vertex + 3*edge[1], g->x, g->e);
    slip_normalize3(g->e, g->e);
    if (edge[2] < 0 || edge[3] < 0) return;
    slip_cross3(h->plane + 4*edge[2], g->e, g->in0);      /* the left face lies to the left of v0 -> v1 */
    slip_cross3(g->e, h->plane + 4*edge[3], g->in1);
}

void slip_sat_edge_of(const slip_shape *s, int i, const core_pair *placed, sat_edge *g)
{
    slip_zero3(g->x);  slip_zero3(g->e);  slip_zero3(g->in0);  slip_zero3(g->in1);
    if (s->kind == SLIP_SHAPE_BOX) sat_box_edge(s, i, g);
    else if (s->kind == SLIP_SHAPE_MESH) sat_hull_edge(s->hull, i, g);
    else g->e[2] = 1;
    if (!placed) return;
    slip_mat3_vec(placed->R, g->x, g->x);
    slip_add3(g->x, placed->p, g->x);
    slip_mat3_vec(placed->R, g->e, g->e);
    slip_mat3_vec(placed->R, g->in0, g->in0);
    slip_mat3_vec(placed->R, g->in1, g->in1);
}

static void sat_try(core_pair *q, const slip_real n[3], slip_real handicap, core_result *r)
{
    const slip_real d = core_separation(q, n);

    if (!(d > r->d + handicap)) return;
    r->d = d;
    slip_copy3(n, r->n);
}

static void sat_try_faces(core_pair *q, core_result *r)
{
    slip_real n[3];
    int i;

    for (i = 0; i < slip_sat_faces(q->a) && !core_is_over(q); ++i) {
        slip_sat_face_normal(q->a, i, n);
        sat_try(q, n, 0, r);
    }
    for (i = 0; i < slip_sat_faces(q->b) && !core_is_over(q); ++i) {
        slip_sat_face_normal(q->b, i, n);
        slip_mat3_vec(q->R, n, n);
        slip_neg3(n, n);
        sat_try(q, n, 0, r);
    }
}

static void sat_try_edges(core_pair *q, const sat_edge *g, const sat_edge *h, core_result *r)
{
    const slip_real eps = 64*SLIP_REAL_EPS;
    slip_real n[3], sine;
    int side;

    slip_cross3(g->e, h->e, n);
    sine = slip_normalize3(n, n);
    if (!(sine > eps)) return;
    for (side = 0; side < 2; ++side) {
        const slip_real slack = eps/sine;

        if (slip_dot3(n, g->in0) <= slack && slip_dot3(n, g->in1) <= slack
            && slip_dot3(n, h->in0) >= -slack && slip_dot3(n, h->in1) >= -slack)
            sat_try(q, n, 4*SLIP_REAL_EPS*q->size/sine, r);
        slip_neg3(n, n);
    }
}

/* ---- two solid hulls --------------------------------------------------------------------------------------
 *
 * On the sphere of directions an edge of A is the arc between its faces' normals, and a pair of edges matters where an
 * arc of A crosses one of B. Along an arc of A the support vertex of B changes exactly there: walking from vertex to
 * neighbour along each arc visits all crossings, and only those. About linear in the number of edges. */

/* Whether no n of the arc over side k of face f can beat the best, since x of A against the point y of B is deep
 * enough: linear along the chord, deeper on the arc. */
static int sat_arc_cannot_win(const slip_hull *a, int f, int k, const slip_real y[3], const core_result *r)
{
    slip_real e[3];

    slip_sub3(y, a->vertex + 3*a->loop[k], e);
    return r->d < 0 && slip_dot3(a->plane + 4*f, e) < r->d && slip_dot3(a->plane + 4*a->loop_twin[k], e) < r->d;
}

/* The arc from face f over side k of its loop; `at`: B's support vertex opposite to f. */
static void sat_walk(const core_pair *q, int f, int k, int at, core_result *r)
{
    const slip_hull *a = q->a->hull, *b = q->b->hull;
    const slip_real *n0 = a->plane + 4*f, *n1 = a->plane + 4*a->loop_twin[k], *x = a->vertex + 3*a->loop[k];
    slip_real m0[3], m1[3], e[3], y[3], now = 0;
    int steps;

    slip_mat3_tvec(q->R, n0, m0);  slip_neg3(m0, m0);
    slip_mat3_tvec(q->R, n1, m1);  slip_neg3(m1, m1);
    for (steps = 0; steps < b->nv && !core_is_over(q); ++steps) {
        slip_real n[3], d, next = 2;
        int i, to = -1;

        core_take(q);
        for (i = b->adj_start[at]; i < b->adj_start[at + 1]; ++i) {
            slip_real g0, g1, t;

            slip_sub3(b->vertex + 3*b->adj[i], b->vertex + 3*at, e);
            g1 = slip_dot3(m1, e);
            if (!(g1 > 0)) continue;                      /* not above `at` when the arc ends */
            g0 = slip_dot3(m0, e);
            t = g0 < g1 ? slip_max(-g0/(g1 - g0), now) : now;
            if (t < next) { next = t;  to = b->adj[i]; }
        }
        if (to < 0 || next > 1) return;
        for (i = 0; i < 3; ++i) n[i] = (1 - next)*n0[i] + next*n1[i];
        if (!(slip_normalize3(n, n) > 0)) return;
        slip_mat3_vec(q->R, b->vertex + 3*at, y);
        slip_add3(y, q->p, y);
        slip_sub3(y, x, e);
        d = slip_dot3(n, e);
        if (d > r->d + 16*SLIP_REAL_EPS*q->size) {
            r->d = d;
            slip_copy3(n, r->n);
        }
        at = to;
        now = next;
    }
}

/* Face f of A and the arcs that leave it for later faces. y: B's support for the face before, which rules out most; the
 * true one is looked for only where it does not. */
static void sat_face(core_pair *q, int f, slip_real y[3], core_result *r)
{
    const slip_hull *a = q->a->hull;
    const slip_real *plane = a->plane + 4*f;
    slip_real n[3];
    int k, known = 0;

    for (k = a->loop_start[f] - 1; k < a->loop_start[f + 1]; ++k) {      /* the face itself, then its sides */
        const int face = k < a->loop_start[f];

        if (face ? slip_dot3(plane, y) - plane[3] <= r->d : f > a->loop_twin[k] || sat_arc_cannot_win(a, f, k, y, r))
            continue;
        if (!known) {
            slip_neg3(plane, n);
            core_take(q);
            core_support_b(q, n, y);
            known = 1;
            if (!face && sat_arc_cannot_win(a, f, k, y, r)) continue;
        }
        if (!face) {
            sat_walk(q, f, k, q->hint_b, r);
        } else if (slip_dot3(plane, y) - plane[3] > r->d) {
            r->d = slip_dot3(plane, y) - plane[3];
            slip_copy3(plane, r->n);
        }
    }
}

static void sat_hulls(core_pair *q, core_result *r)
{
    const slip_hull *b = q->b->hull;
    slip_real n[3], x[3];
    int f;

    slip_set3(0, 0, 1, n);
    core_support_a(q, n, x);
    for (f = 0; f < b->nf && !core_is_over(q); ++f) {
        slip_real base;

        slip_mat3_vec(q->R, b->plane + 4*f, n);
        slip_neg3(n, n);
        base = slip_dot3(n, q->p) - b->plane[4*f + 3];
        if (base - slip_dot3(n, x) <= r->d) continue;     /* the support of the face before is deep enough */
        core_take(q);
        core_support_a(q, n, x);
        if (base - slip_dot3(n, x) <= r->d) continue;
        r->d = base - slip_dot3(n, x);
        slip_copy3(n, r->n);
    }
    core_support_b(q, r->n, x);
    for (f = 0; f < q->a->hull->nf && !core_is_over(q); ++f) sat_face(q, f, x, r);
}

static void sat_all_pairs(core_pair *q, core_result *r)
{
    sat_edge g, h;
    int i, j;

    sat_try_faces(q, r);
    for (i = 0; i < slip_sat_edges(q->a) && !core_is_over(q); ++i) {
        core_take(q);
        slip_sat_edge_of(q->a, i, NULL, &g);
        for (j = 0; j < slip_sat_edges(q->b); ++j) {
            slip_sat_edge_of(q->b, j, q, &h);
            sat_try_edges(q, &g, &h, r);
        }
    }
}

void slip_sat_depth(core_pair *q, core_result *r)
{
    r->d = core_separation(q, r->n) - 64*SLIP_REAL_EPS*q->size;
    if (!slip_is_finite(r->d)) { r->d = -SLIP_REAL_MAX;  slip_set3(0, 0, 1, r->n); }
    if (q->a->kind == SLIP_SHAPE_MESH && q->b->kind == SLIP_SHAPE_MESH && q->a->hull->nf > 3 && q->b->hull->nf > 3) {
        sat_hulls(q, r);
        r->status = core_is_over(q) ? SLIP_DEADLINE : SLIP_OK;
        r->d = core_separation(q, r->n);
    } else {
        sat_all_pairs(q, r);
        r->status = core_is_over(q) ? SLIP_DEADLINE : SLIP_OK;
    }
    slip_core_witness(q, r);
}

void slip_sat_point_depth(core_pair *q, core_result *r)
{
    const int second = q->a->kind == SLIP_SHAPE_MESH;     /* the point is the other */
    const slip_hull *h = second ? q->a->hull : q->b->hull;
    const slip_real *plane = h->plane;
    slip_real c[3], best = -SLIP_REAL_MAX;
    int f, at = 0;

    if (second) {
        slip_copy3(q->p, c);
    } else {
        slip_mat3_tvec(q->R, q->p, c);
        slip_neg3(c, c);
    }
    for (f = 0; f < h->nf; ++f) {
        const slip_real d = plane[4*f]*c[0] + plane[4*f + 1]*c[1] + plane[4*f + 2]*c[2] - plane[4*f + 3];

        if (d > best) { best = d;  at = f; }
    }
    r->d = best;
    r->status = SLIP_OK;
    if (second) {
        slip_copy3(plane + 4*at, r->n);
        slip_copy3(q->p, r->b);
        slip_axpy3(-best, r->n, r->b, r->a);
    } else {
        slip_mat3_vec(q->R, plane + 4*at, r->n);
        slip_neg3(r->n, r->n);
        slip_zero3(r->a);
        slip_scale3(best, r->n, r->b);
    }
}
