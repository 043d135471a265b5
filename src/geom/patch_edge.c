/* Contacts of two edges that lie along each other, as at the top of a house of cards.
 *
 * Across the edges both solids are wedges. Any normal between the faces of both is valid where the corners just touch,
 * and the least translation out of an overlap is across one face, however symmetric the pair is. The normal used here
 * is the one across the chord between the two points where the outlines cross: its force is the gradient of the
 * overlap's area, so it stores no energy in one order and returns it in another (Feng and Owen 2004). It is the face's
 * normal as soon as only one corner is inside the other solid, so it joins the face contacts without a jump. */
#include "geom/patch_private.h"

/* Share of the smaller reach up to which edges touch (SEAM_SHARE of seams.c), and by which they are blunt: the overlap
 * is taken as deeper by so much, else rounding would turn the normal of edges that just touch. */
#define EDGE_TOUCH SLIP_R(1e-3)

enum { EDGE_MOST = 8 };                  /* two corners of a thin card */

/* An edge in the first shape's frame. lo and hi: the normals of its faces, turned to lie in the first shape's cone of
 * normals (for the second shape: reversed), lo before hi anticlockwise about e. */
typedef struct {
    slip_real x[3], e[3], from, to;      /* x + s e, from <= s <= to */
    slip_real lo[3], hi[3];
    int index;
} patch_edge;

/* The outward normal of the face that `in` leads into; `other` leads into the face across the edge. */
static void edge_face(const slip_real e[3], const slip_real in[3], const slip_real other[3], slip_real n[3])
{
    slip_cross3(e, in, n);
    if (slip_dot3(n, other) > 0) slip_neg3(n, n);
}

/* The edges of a core that pass within `by` of its point x (first shape's frame); returns how many. */
static int edges_at(const core_pair *q, int second, const slip_real x[3], slip_real by, patch_edge *out)
{
    const slip_shape *s = second ? q->b : q->a;
    const int most = slip_sat_edges(s);
    slip_real local[3], r[3], c[3];
    int i, n = 0, near = 0;

    slip_copy3(x, local);
    if (second) {
        slip_sub3(x, q->p, local);
        slip_mat3_tvec(q->R, local, local);
    }
    for (i = 0; s->kind == SLIP_SHAPE_BOX && i < 3; ++i) near += s->half[i] - slip_abs(local[i]) <= by;
    if (s->kind == SLIP_SHAPE_BOX && near < 2) return 0;
    for (i = 0; i < most && n < EDGE_MOST; ++i) {
        patch_edge *g = &out[n];
        sat_edge edge;
        slip_real along;

        slip_sat_edge_of(s, i, NULL, &edge);
        slip_sub3(local, edge.x, r);
        slip_cross3(edge.e, r, c);
        if (slip_dot3(c, c) > by*by) continue;
        along = slip_dot3(edge.e, r);
        g->from = 0;
        g->to = s->kind == SLIP_SHAPE_BOX ? s->half[i/4]
                : slip_distance3(s->hull->vertex + 3*s->hull->edge[4*i], s->hull->vertex + 3*s->hull->edge[4*i + 1]);
        if (s->kind == SLIP_SHAPE_BOX) g->from = -g->to;
        if (along < g->from - by || along > g->to + by) continue;
        if (second) slip_sat_edge_of(s, i, q, &edge);
        slip_copy3(edge.x, g->x);
        slip_copy3(edge.e, g->e);
        edge_face(edge.e, edge.in0, edge.in1, g->lo);
        edge_face(edge.e, edge.in1, edge.in0, g->hi);
        g->index = i;
        ++n;
    }
    return n;
}

/* Turns edge b to run along a, and puts the faces of both in order about a. */
static void edge_order(const patch_edge *a, int reverse, patch_edge *g)
{
    slip_real c[3], t;

    if (slip_dot3(a->e, g->e) < 0) {
        slip_neg3(g->e, g->e);
        t = g->from;
        g->from = -g->to;
        g->to = -t;
    }
    if (reverse) {
        slip_neg3(g->lo, g->lo);
        slip_neg3(g->hi, g->hi);
    }
    slip_cross3(g->lo, g->hi, c);
    if (slip_dot3(c, a->e) > 0) return;
    slip_copy3(g->lo, c);
    slip_copy3(g->hi, g->lo);
    slip_copy3(c, g->hi);
}

/* The later of two directions about e, less than half a turn apart. */
static const slip_real *edge_later(const slip_real e[3], const slip_real m[3], const slip_real n[3])
{
    slip_real c[3];

    slip_cross3(m, n, c);
    return slip_dot3(c, e) > 0 ? n : m;
}

/* Point of the line through the origin across m, at which it meets the line through w across n. */
static void edge_crossing(const slip_real e[3], const slip_real m[3], const slip_real n[3], const slip_real w[3],
                          slip_real x[3])
{
    slip_cross3(m, e, x);
    slip_scale3(slip_dot3(n, w)/slip_dot3(n, x), x, x);
}

/* The normal for edges a and b, b's corner at w from a's; 0 when they do not block each other, or when only one of the
 * corners is inside the other solid. */
static int edge_normal(const patch_edge *a, const patch_edge *b, const slip_real w[3], slip_real touch, slip_real n[3])
{
    const slip_real *lo = edge_later(a->e, a->lo, b->lo), *hi = edge_later(a->e, a->hi, b->hi) == a->hi ? b->hi : a->hi;
    slip_real k[3], c[3], v[3], x[3], y[3];

    slip_cross3(lo, hi, c);
    if (slip_dot3(lo, hi) < PATCH_SIDEWAYS || slip_dot3(c, a->e) < PATCH_SIDEWAYS) return 0;
    slip_add3(lo, hi, k);
    slip_normalize3(k, k);
    slip_axpy3(-touch, k, w, v);
    slip_axpy3(-slip_dot3(a->e, v), a->e, v, v);
    if (!(slip_dot3(a->lo, v) < 0 && slip_dot3(a->hi, v) < 0 && slip_dot3(b->lo, v) < 0 && slip_dot3(b->hi, v) < 0))
        return 0;
    edge_crossing(a->e, a->lo, b->hi, v, x);
    edge_crossing(a->e, a->hi, b->lo, v, y);
    slip_sub3(y, x, c);
    slip_cross3(c, a->e, n);
    if (!(slip_normalize3(n, n) > 0)) return 0;
    if (slip_dot3(n, k) < 0) slip_neg3(n, n);
    return 1;
}

/* The contact of one pair of edges: two points at the ends of their common length. 0 when they make none, or are not
 * nearer to each other than *nearest, which becomes their distance. */
static int edge_contacts(const patch_edge *a, const patch_edge *g, slip_real touch, slip_real margin,
                         slip_real *nearest, slip_patch *out)
{
    patch_edge b = *g, own = *a;
    slip_real r[3], w[3], n[3], at, from, to, off, gap[2];
    int k;

    edge_order(a, 0, &own);
    edge_order(a, 1, &b);
    slip_sub3(b.x, a->x, r);
    at = slip_dot3(a->e, r);
    from = slip_max(a->from, b.from + at);
    to = slip_min(a->to, b.to + at);
    slip_cross3(a->e, b.e, w);
    if (!(to - from > touch) || slip_norm3(w)*(to - from) > touch || slip_norm3(w) > PATCH_SIDEWAYS) return 0;
    slip_axpy3((from + to)/2 - at, b.e, r, w);
    slip_axpy3(-(from + to)/2, a->e, w, w);               /* from a's middle point to b's */
    off = slip_norm3(w);
    if (!(off < *nearest) || !edge_normal(&own, &b, w, touch, n)) return 0;
    *nearest = off;
    slip_copy3(n, out->normal);
    out->n = 0;
    for (k = 0; k < 2; ++k) {
        const slip_real s = k ? to : from;
        const uint32_t pair = (uint32_t)a->index*4099u + (uint32_t)g->index;
        slip_real x[3];

        slip_axpy3(s, a->e, a->x, x);
        slip_axpy3(s - at, b.e, b.x, w);
        slip_sub3(w, x, w);
        gap[out->n] = slip_dot3(out->normal, w);
        if (!(gap[out->n] <= margin)) continue;
        slip_axpy3(SLIP_R(0.5), w, x, out->point[out->n].point);
        out->point[out->n].gap = gap[out->n];
        out->point[out->n].id = 0xe0000000u | (2u*pair + (uint32_t)k) % 0x1fffffffu;
        ++out->n;
    }
    if (out->n == 2 && gap[1] < gap[0]) {
        const slip_patch_point t = out->point[0];

        out->point[0] = out->point[1];
        out->point[1] = t;
    }
    return out->n > 0;
}

int slip_patch_edges(const core_pair *q, const slip_pose *xa, const slip_distance_result *d, slip_real margin,
                     slip_patch *out)
{
    const slip_real ra = slip_shape_reach(q->a), rb = slip_shape_reach(q->b), touch = EDGE_TOUCH*slip_min(ra, rb);
    const slip_real by = touch/PATCH_SIDEWAYS;            /* farther along a face one corner at most is inside */
    patch_edge a[EDGE_MOST], b[EDGE_MOST];
    slip_real x[3];
    slip_real nearest = SLIP_REAL_MAX;
    int na, nb, i, j, found = 0;

    if (slip_sat_faces(q->a) < 4 || slip_sat_faces(q->b) < 4 || slip_abs(d->distance) > touch) return 0;
    slip_pose_inv_point(xa, d->a, x);
    if ((na = edges_at(q, 0, x, by, a)) == 0) return 0;
    slip_pose_inv_point(xa, d->b, x);
    nb = edges_at(q, 1, x, by, b);
    for (i = 0; i < na; ++i)
        for (j = 0; j < nb; ++j) found |= edge_contacts(&a[i], &b[j], touch, margin, &nearest, out);
    if (!found || out->n == 0) return 0;
    slip_mat3_vec(xa->R, out->normal, out->normal);
    for (i = 0; i < out->n; ++i) slip_pose_point(xa, out->point[i].point, out->point[i].point);
    return 1;
}
