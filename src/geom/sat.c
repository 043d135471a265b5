/* Penetration of polytope cores by trying every axis (Gottschalk 1996): all face normals and all pairs of edges.
 *
 * Quadratic in the number of edges and therefore the last resort; exact whatever the polytope search ran into. A pair of
 * edges only matters if its normal supports both, that is, points out of the wedge between either edge's faces. */
#include "geom/distance_private.h"

typedef struct {
    slip_real x[3], e[3];         /* a point, the unit direction                                  */
    slip_real in0[3], in1[3];     /* across the edge, into its two faces; zero when it has none   */
} sat_edge;

static int sat_faces(const slip_shape *s)
{
    return s->kind == SLIP_SHAPE_BOX ? 6 : s->kind == SLIP_SHAPE_MESH ? s->hull->nf : 0;
}

static int sat_edges(const slip_shape *s)
{
    return s->kind == SLIP_SHAPE_BOX ? 12 : s->kind == SLIP_SHAPE_MESH ? s->hull->ne : s->kind == SLIP_SHAPE_CAPSULE;
}

static void sat_face_normal(const slip_shape *s, int i, slip_real n[3])
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

static void sat_edge_of(const slip_shape *s, int i, const core_pair *placed, sat_edge *g)
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

    for (i = 0; i < sat_faces(q->a); ++i) {
        sat_face_normal(q->a, i, n);
        sat_try(q, n, 0, r);
    }
    for (i = 0; i < sat_faces(q->b); ++i) {
        sat_face_normal(q->b, i, n);
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

void sat_depth(core_pair *q, core_result *r)
{
    sat_edge g, h;
    int i, j;

    r->d = -SLIP_REAL_MAX;
    slip_set3(0, 0, 1, r->n);
    sat_try_faces(q, r);
    for (i = 0; i < sat_edges(q->a); ++i) {
        sat_edge_of(q->a, i, NULL, &g);
        for (j = 0; j < sat_edges(q->b); ++j) {
            sat_edge_of(q->b, j, q, &h);
            sat_try_edges(q, &g, &h, r);
        }
    }
    core_witness(q, r);
    r->status = SLIP_OK;
}
