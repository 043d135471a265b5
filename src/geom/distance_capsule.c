/* Box against capsule: the distance of a segment c + t w, |t| <= h, from a box, in the box's frame.
 *
 * Apart: f(t), half the squared distance to the box, is convex with a piecewise linear slope
 *     f'(t) = sum_i w_i e_i(t),   e_i = x_i - clamp(x_i, -h_i, h_i),   x = c + t w,
 * whose kinks lie where x crosses a face's plane; the root is bracketed between kinks and then solved exactly.
 * Overlapping: the separating axes, three faces and three box edges crossed with w. */
#include "geom/distance_private.h"

typedef struct {
    const slip_real *half;        /* of the box     */
    slip_real c[3], w[3], h;      /* of the segment */
    slip_real size;
} stick;

static void stick_excess(const stick *k, slip_real t, slip_real e[3])
{
    int i;

    for (i = 0; i < 3; ++i) {
        const slip_real x = k->c[i] + t*k->w[i];

        e[i] = x - slip_clamp(x, -k->half[i], k->half[i]);
    }
}

/* Sign of f' at t; 0 when the distance changes by no more than rounding along the segment, or is nothing. */
static int stick_slope(const stick *k, slip_real t)
{
    const slip_real eps = 8*SLIP_REAL_EPS;
    slip_real e[3], f;

    stick_excess(k, t, e);
    f = slip_dot3(k->w, e);
    if (f*f <= eps*eps*slip_dot3(e, e)) return 0;
    return f < 0 ? -1 : 1;
}

/* The t of least distance; the middle where a stretch of them is nearest. */
static slip_real stick_nearest(const stick *k)
{
    slip_real lo = -k->h, hi = k->h, zero_lo = k->h, zero_hi = -k->h, top = 0, bottom = 0, e[3];
    const int first = stick_slope(k, lo), last = stick_slope(k, hi);
    int i, side;

    if (first > 0) return lo;
    if (last < 0) return hi;
    if (first == 0) zero_lo = zero_hi = lo;
    if (last == 0) { zero_hi = hi;  zero_lo = slip_min(zero_lo, hi); }
    for (i = 0; i < 3; ++i)
        for (side = -1; side <= 1; side += 2) {
            const slip_real t = ((slip_real)side*k->half[i] - k->c[i])/k->w[i];
            int f;

            if (!(t > lo && t < hi)) continue;
            f = stick_slope(k, t);
            if (f < 0) lo = t;
            else if (f > 0) hi = t;
            else { zero_lo = slip_min(zero_lo, t);  zero_hi = slip_max(zero_hi, t); }
        }
    if (zero_lo <= zero_hi) return (zero_lo + zero_hi)/2;
    stick_excess(k, (lo + hi)/2, e);                      /* one linear piece: the coordinates outside there */
    for (i = 0; i < 3; ++i) {
        if (e[i] == 0) continue;
        top += k->w[i]*(slip_copysign(k->half[i], e[i]) - k->c[i]);
        bottom += k->w[i]*k->w[i];
    }
    return bottom > 0 ? slip_clamp(top/bottom, lo, hi) : (lo + hi)/2;
}

/* ---- axes ---------------------------------------------------------------------------------------- */

/* Separation along a face's normal: axis i, sign of the side in n. */
static slip_real stick_face(const stick *k, int i, slip_real n[3])
{
    slip_zero3(n);
    n[i] = slip_copysign(1, k->c[i]);
    return slip_abs(k->c[i]) - k->half[i] - k->h*slip_abs(k->w[i]);
}

/* Separation along box edge i crossed with the segment; -SLIP_REAL_MAX when they are parallel. */
static slip_real stick_edge(const stick *k, int i, slip_real n[3])
{
    const int j = (i + 1)%3, m = (i + 2)%3;
    const slip_real ll = k->w[j]*k->w[j] + k->w[m]*k->w[m], inv = ll > 0 ? 1/slip_sqrt(ll) : 0;
    slip_real s;

    if (!(ll > SLIP_TOL(1e-24, 1e-12))) return -SLIP_REAL_MAX;
    slip_zero3(n);
    n[j] = -inv*k->w[m];
    n[m] = inv*k->w[j];
    s = n[j]*k->c[j] + n[m]*k->c[m];
    if (s < 0) { n[j] = -n[j];  n[m] = -n[m];  s = -s; }
    return s - slip_abs(n[j])*k->half[j] - slip_abs(n[m])*k->half[m];
}

/* Best of the six axes: index 0..2 a face, 3..5 an edge. Faces win ties. */
static int stick_axis(const stick *k, slip_real *sep, slip_real n[3])
{
    slip_real best = -SLIP_REAL_MAX, m[3];
    int i, at = 0;

    for (i = 0; i < 6; ++i) {
        const slip_real s = i < 3 ? stick_face(k, i, m) : stick_edge(k, i - 3, m);

        if (s > best + (i < 3 ? 0 : 8*SLIP_REAL_EPS*k->size)) { best = s;  at = i;  slip_copy3(m, n); }
    }
    *sep = best;
    return at;
}

/* Overlap: a is the box's point, b the segment's, b - a = sep n. */
static void stick_overlap(const stick *k, int axis, slip_real sep, const slip_real n[3], slip_real a[3], slip_real b[3])
{
    const int i = axis%3;
    slip_real t, lo = -k->h, hi = k->h;
    int j;

    if (axis >= 3) {                                      /* edge i of the box: nearest in the plane across it */
        const int u = (i + 1)%3, v = (i + 2)%3;
        const slip_real ru = slip_copysign(k->half[u], n[u]) - k->c[u], rv = slip_copysign(k->half[v], n[v]) - k->c[v];

        t = (k->w[u]*ru + k->w[v]*rv)/(k->w[u]*k->w[u] + k->w[v]*k->w[v]);
        t = slip_clamp(t, lo, hi);
    } else {                                              /* face: the deepest of the part over it */
        for (j = 0; j < 3; ++j) {
            slip_real t0, t1;

            if (j == i || slip_abs(k->c[j]) + k->h*slip_abs(k->w[j]) <= k->half[j]) continue;
            t0 = (-k->half[j] - k->c[j])/k->w[j];
            t1 = (k->half[j] - k->c[j])/k->w[j];
            lo = slip_max(lo, slip_min(t0, t1));
            hi = slip_min(hi, slip_max(t0, t1));
        }
        if (slip_abs(k->w[i])*(hi - lo) <= 8*SLIP_REAL_EPS*k->size) t = (lo + hi)/2;
        else t = n[i]*k->w[i] < 0 ? hi : lo;
    }
    slip_axpy3(t, k->w, k->c, b);
    slip_axpy3(-sep, n, b, a);
}

/* ---- the pair ------------------------------------------------------------------------------------ */

/* Separation along any unit n. */
static slip_real stick_separation(const stick *k, const slip_real n[3])
{
    return slip_dot3(n, k->c) - k->h*slip_abs(slip_dot3(n, k->w))
           - (slip_abs(n[0])*k->half[0] + slip_abs(n[1])*k->half[1] + slip_abs(n[2])*k->half[2]);
}

/* The normal of two cores that are e apart at t. Over a single face e is exact. Over an edge crossed by the segment the
 * cross product is more exact where e is short. Where the two nearly meet, the one of e and the axes that certifies the
 * largest distance. */
static void stick_normal(const stick *k, slip_real t, const slip_real e[3], slip_real d, slip_real n[3])
{
    const int out = (e[0] != 0) + (e[1] != 0) + (e[2] != 0), edge = e[0] == 0 ? 0 : e[1] == 0 ? 1 : 2;
    slip_real m[3], s;

    slip_normalize3(e, n);
    if (d > SLIP_TOL(1e-4, 1e-2)*k->size) return;
    if (out == 2 && slip_abs(t) < k->h && stick_edge(k, edge, m) > -SLIP_REAL_MAX) {
        if (slip_dot3(m, n) < 0) slip_neg3(m, m);
        if (slip_dot3(m, n) > SLIP_R(0.9)) slip_copy3(m, n);
    }
    if (d > SLIP_TOL(1e-8, 1e-4)*k->size) return;
    stick_axis(k, &s, m);
    if (s > stick_separation(k, n)) slip_copy3(m, n);
}

static int stick_on_box(const stick *k, const slip_real x[3])
{
    const slip_real eps = 64*SLIP_REAL_EPS*k->size;

    return slip_abs(x[0]) <= k->half[0] + eps && slip_abs(x[1]) <= k->half[1] + eps
        && slip_abs(x[2]) <= k->half[2] + eps;
}

/* Nearly parallel to an edge the crossing point is lost in rounding; the overlap of the features is not. */
static void stick_witness(const slip_shape *box, const slip_shape *b, const slip_pose *xa, const slip_pose *xb,
                          const stick *k, slip_real d, const slip_real n[3], slip_real x[3])
{
    core_result r;
    core_pair q;

    q.a = box;
    q.b = b;
    slip_mat3_tmul(xa->R, xb->R, q.R);
    slip_copy3(k->c, q.p);
    q.size = k->size;
    q.hint_a = q.hint_b = 0;
    q.budget = NULL;
    r.d = d;
    slip_copy3(n, r.n);
    slip_core_witness(&q, &r);
    slip_copy3(r.a, x);
}

slip_status slip_near_box_capsule(const slip_shape *box, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                                  int flip, slip_distance_result *r)
{
    slip_real e[3], n[3], x[3], y[3], t, d, best = 0;
    int axis = 0;
    stick k;

    if (!(near_box_ok(box) & near_stick_ok(b))) return SLIP_ERR_ARGUMENT;
    k.half = box->half;
    k.h = b->half[2];
    slip_pose_inv_point(xa, xb->p, k.c);
    slip_set3(xb->R[2], xb->R[5], xb->R[8], k.w);
    slip_mat3_tvec(xa->R, k.w, k.w);
    k.size = box->half[0] + box->half[1] + box->half[2] + k.h;
    if (!slip_is_finite(k.size + slip_dot3(k.c, k.w))) return SLIP_ERR_ARGUMENT;
    t = stick_nearest(&k);
    stick_excess(&k, t, e);
    if (slip_dot3(e, e) < SLIP_TOL(1e-6, 1e-2)*k.size*k.size) core_round_once3(e, e);
    d = slip_norm3(e);
    if (!(d > 8*SLIP_REAL_EPS*k.size)) axis = stick_axis(&k, &best, n);
    if (d > 0 && best >= -8*SLIP_REAL_EPS*k.size) {
        stick_normal(&k, t, e, d, n);
        slip_axpy3(t, k.w, k.c, y);
        slip_sub3(y, e, x);
    } else {
        d = best;                                         /* a plate pierced to rounding is pierced */
        stick_overlap(&k, axis, d, n, x, y);
        if (!stick_on_box(&k, x)) stick_witness(box, b, xa, xb, &k, d, n, x);
    }
    return near_put(xa, d - b->radius, n, x, flip, r);
}
