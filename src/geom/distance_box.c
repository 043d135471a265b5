/* Box against box: the fifteen separating axes (Gottschalk, Lin and Manocha 1996), and when they are the answer.
 *
 * If none separates, the best is the penetration. If one does, its separation is a lower bound of the distance, and the
 * distance itself when the feature it supports on one box lies over the face (or edge) of the other; else the general
 * search starts from it. The length of e_i x R_j is formed from R's own entries, so that nearly parallel edges
 * lose no digits, and such an axis must beat the others by more than its rounding. */
#include "geom/distance_private.h"

#define BOX_NEAR SLIP_TOL(1e-9, 0)    /* of the boxes' size: touching; in float, rounding is more */

typedef struct {
    slip_real Q[9];               /* |R|                                              */
    slip_real pb[3];              /* p in b's axes                                    */
    slip_real face, edge;         /* best separation of either sort                   */
    int face_at, edge_at;         /* 0..2 A's faces, 3..5 B's; edge 3 i + j           */
    slip_real eps;
} box_axes;

static void box_faces(const core_pair *q, box_axes *x)
{
    const slip_real *ha = q->a->half, *hb = q->b->half, *Q = x->Q;
    slip_real s[6];
    int i;

    for (i = 0; i < 9; ++i) x->Q[i] = slip_abs(q->R[i]);
    slip_mat3_tvec(q->R, q->p, x->pb);
    for (i = 0; i < 3; ++i) {
        s[i] = slip_abs(q->p[i]) - ha[i] - (Q[3*i]*hb[0] + Q[3*i + 1]*hb[1] + Q[3*i + 2]*hb[2]);
        s[3 + i] = slip_abs(x->pb[i]) - hb[i] - (Q[i]*ha[0] + Q[3 + i]*ha[1] + Q[6 + i]*ha[2]);
    }
    x->face_at = 0;
    for (i = 1; i < 6; ++i) if (s[i] > s[x->face_at] + (i < 3 ? 0 : x->eps)) x->face_at = i;
    x->face = s[x->face_at];
}

static void box_edges(const core_pair *q, box_axes *x)
{
    static const int next[3] = { 1, 2, 0 }, last[3] = { 2, 0, 1 };
    const slip_real *ha = q->a->half, *hb = q->b->half, *Q = x->Q, *R = q->R, *p = q->p;
    slip_real sep[9], length[9];
    int i, j, k;

    for (k = 0; k < 9; ++k) {
        const int i0 = k/3, j0 = k%3, i1 = next[i0], i2 = last[i0], j1 = next[j0], j2 = last[j0];
        const slip_real u = R[3*i1 + j0], v = R[3*i2 + j0];

        length[k] = u*u + v*v;                            /* 1 - R_ij^2, without its cancellation */
        sep[k] = slip_abs(p[i2]*u - p[i1]*v) - (ha[i1]*Q[3*i2 + j0] + ha[i2]*Q[3*i1 + j0])
                 - (hb[j1]*Q[3*i0 + j2] + hb[j2]*Q[3*i0 + j1]);
    }
    x->edge = -SLIP_REAL_MAX;
    x->edge_at = -1;
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) {
            const slip_real l = slip_sqrt(length[3*i + j]);
            slip_real s;

            if (!(l > SLIP_TOL(1e-12, 1e-5))) continue;
            s = (sep[3*i + j] - 2*x->eps)/l;
            if (s > x->edge) { x->edge = s;  x->edge_at = 3*i + j; }
        }
}

/* Brings c + sum over the free axes of beta_j R_j, |beta_j| <= h_j, over the rectangle |x_k| <= h_k, k != i, by
 * projecting from one onto the other; 1 when it got there. */
static int box_slide(const slip_real R[9], const slip_real ha[3], const slip_real hb[3], const int level[3], int i,
                     slip_real tol, slip_real x[3])
{
    slip_real beta[3] = { 0, 0, 0 };
    int round, j, k;

    for (round = 0; round < 8; ++round) {
        slip_real off[3];

        for (k = 0; k < 3; ++k) off[k] = k == i ? 0 : slip_clamp(x[k], -ha[k], ha[k]) - x[k];
        if (slip_abs(off[0]) <= tol && slip_abs(off[1]) <= tol && slip_abs(off[2]) <= tol) return 1;
        for (j = 0; j < 3; ++j) {
            slip_real step;

            if (!level[j]) continue;
            step = slip_clamp(beta[j] + R[j]*off[0] + R[3 + j]*off[1] + R[6 + j]*off[2], -hb[j], hb[j]) - beta[j];
            beta[j] += step;
            for (k = 0; k < 3; ++k) x[k] += step*R[3*k + j];
        }
    }
    return 0;
}

/* Face i of the first box (side `sign`) against the second one's support there, b at R, p: the point of b. */
static int box_over_face(const slip_real R[9], const slip_real p[3], const slip_real ha[3], const slip_real hb[3],
                         int i, slip_real sign, slip_real tol, slip_real x[3])
{
    int level[3], j, k;

    slip_copy3(p, x);
    for (j = 0; j < 3; ++j) {
        const slip_real c = sign*R[3*i + j];
        slip_real beta;

        level[j] = slip_abs(c)*hb[j] <= tol;
        if (level[j]) continue;
        beta = slip_copysign(hb[j], -c);
        for (k = 0; k < 3; ++k) x[k] += beta*R[3*k + j];
    }
    return box_slide(R, ha, hb, level, i, tol, x);
}

/* Fills r for the best face; 0 when the other box's support is not over it. Boxes that touch edge to edge, as flush
 * boxes in a pile do, have any normal between two faces: a support that lies beside the face by no more than this
 * tolerance counts as over it. */
static int box_face_answer(const core_pair *q, const box_axes *x, core_result *r)
{
    const int i = x->face_at%3;
    const slip_real near = BOX_NEAR*q->size, tol = slip_abs(x->face) <= near ? slip_max(near, 4*x->eps) : 4*x->eps;
    int ok;

    r->d = x->face;
    if (x->face_at < 3) {
        const slip_real sign = slip_copysign(1, q->p[i]);

        slip_zero3(r->n);
        r->n[i] = sign;
        ok = box_over_face(q->R, q->p, q->a->half, q->b->half, i, sign, tol, r->b);
        slip_copy3(r->b, r->a);
        r->a[i] = sign*q->a->half[i];
    } else {
        const slip_real sign = slip_copysign(1, x->pb[i]);
        slip_real T[9], m[3], y[3];

        slip_mat3_transpose(q->R, T);
        slip_neg3(x->pb, m);
        slip_set3(sign*q->R[i], sign*q->R[3 + i], sign*q->R[6 + i], r->n);
        ok = box_over_face(T, m, q->b->half, q->a->half, i, -sign, tol, y);
        slip_mat3_vec(q->R, y, r->a);
        slip_add3(r->a, q->p, r->a);
        slip_axpy3(r->d, r->n, r->a, r->b);
    }
    return ok;
}

/* Fills r for the best pair of edges; 0 when the nearest points are not on both. */
static int box_edge_answer(const core_pair *q, const box_axes *x, core_result *r)
{
    static const int next[3] = { 1, 2, 0 }, last[3] = { 2, 0, 1 };
    const int i = x->edge_at/3, j = x->edge_at%3, i1 = next[i], i2 = last[i];
    const slip_real *R = q->R, c = R[3*i + j], tol = 4*x->eps;
    slip_real n[3], a[3], b[3], v[3], w[3], ll, alpha, beta;
    int k;

    ll = R[3*i1 + j]*R[3*i1 + j] + R[3*i2 + j]*R[3*i2 + j];
    n[i] = 0;
    n[i1] = -R[3*i2 + j]/slip_sqrt(ll);
    n[i2] = R[3*i1 + j]/slip_sqrt(ll);
    if (slip_dot3(n, q->p) < 0) slip_neg3(n, n);
    for (k = 0; k < 3; ++k) a[k] = slip_copysign(q->a->half[k], n[k]);
    a[i] = 0;
    slip_copy3(q->p, b);
    for (k = 0; k < 3; ++k) {
        slip_real s;

        if (k == j) continue;
        s = slip_copysign(q->b->half[k], -(n[0]*R[k] + n[1]*R[3 + k] + n[2]*R[6 + k]));
        b[0] += s*R[k];  b[1] += s*R[3 + k];  b[2] += s*R[6 + k];
    }
    slip_set3(R[j], R[3 + j], R[6 + j], v);
    slip_sub3(b, a, w);
    beta = -(w[i1]*v[i1] + w[i2]*v[i2])/ll;               /* nearest in the plane across edge i */
    alpha = w[i] + beta*c;
    slip_copy3(n, r->n);
    slip_axpy3(beta, v, b, r->b);
    slip_copy3(a, r->a);
    r->a[i] = alpha;
    slip_sub3(r->b, r->a, w);
    r->d = slip_dot3(n, w);
    slip_axpy3(-r->d, n, w, w);                           /* what nearly parallel edges leave of rounding */
    if (slip_abs(w[0]) + slip_abs(w[1]) + slip_abs(w[2]) > 4*tol) return 0;
    return slip_abs(alpha) <= q->a->half[i] + tol && slip_abs(beta) <= q->b->half[j] + tol;
}

int slip_box_box_distance(core_pair *q, core_result *r)
{
    box_axes x;

    r->status = SLIP_OK;
    r->iterations = 0;
    x.eps = 8*SLIP_REAL_EPS*q->size;
    box_faces(q, &x);
    if (x.face > 0 && box_face_answer(q, &x, r)) return 1;
    box_edges(q, &x);
    if (x.face > 0 || x.edge > 0) {
        if (x.edge > x.face) {
            if (box_edge_answer(q, &x, r)) return 1;
        } else {
            box_face_answer(q, &x, r);
        }
        return 0;
    }
    if (x.edge > x.face + x.eps) {
        if (box_edge_answer(q, &x, r)) return 1;
    } else if (box_face_answer(q, &x, r)) {
        return 1;
    }
    slip_core_witness(q, r);
    return 1;
}
