/* Two cylinders: all normals at which their separation can have its maximum (see distance_cylinder.c for why these).
 *
 * Sorts: a cap and anything; the two sides crossed; a side and a rim, which is a rim against a line; two rims. The last
 * is the distance of two circles. Its minima are those of f(t), the squared distance of the point a(t) of one circle
 * from the other, for that has one nearest point b:  f' = 2 (a - b).a',  f'' = 2 ((a - b).a'' + (a' - b').a').
 * f has at most four minima; they are found by the signs of f' and f'' on a grid, then by bisection and Newton. */
#include "geom/cylinder_private.h"

enum { RIMS_STEPS = 32 };

/* Circle A of radius ra at height z on the axis z; circle B round c with axis w, which points out of B there. */
typedef struct {
    const core_pair *q;
    slip_real ra, z, rb, c[3], w[3];
} rims_pair;

typedef struct {
    slip_real t, a[3], b[3];
    slip_real slope, bend;        /* f'/2 and f''/2 */
} rims_point;

static void rims_at(const rims_pair *p, slip_real t, rims_point *x)
{
    const slip_real cs = slip_cos(t), sn = slip_sin(t), tangent[3] = { -p->ra*sn, p->ra*cs, 0 };
    slip_real y[3], dy[3], u[3], l, k;
    int i;

    core_take(p->q);
    x->t = t;
    slip_set3(p->ra*cs, p->ra*sn, p->z, x->a);
    slip_sub3(x->a, p->c, y);
    slip_axpy3(-slip_dot3(y, p->w), p->w, y, y);                      /* across B's axis, and its change */
    slip_axpy3(-slip_dot3(tangent, p->w), p->w, tangent, dy);
    l = slip_normalize3(y, u);
    if (!(l > 0)) { slip_tangents(p->w, u, y);  l = SLIP_REAL_MIN; }
    slip_axpy3(p->rb, u, p->c, x->b);
    x->slope = -slip_dot3(x->b, tangent);                             /* a.a' = 0 */
    k = slip_dot3(u, dy);
    x->bend = p->ra*(x->b[0]*cs + x->b[1]*sn);                        /* -b.a'' */
    for (i = 0; i < 3; ++i) x->bend -= p->rb/l*(dy[i] - k*u[i])*tangent[i];
}

/* The root of the slope (with `bent`, of the second derivative) between lo and hi. */
static void rims_root(const rims_pair *p, rims_point lo, rims_point hi, int bent, rims_point *x)
{
    const int rises = bent ? lo.bend < 0 : lo.slope < 0;
    slip_real t = (lo.t + hi.t)/2;
    int i;

    for (i = 0; i < (bent ? 24 : 64); ++i) {
        slip_real next, g;

        rims_at(p, t, x);
        g = bent ? x->bend : x->slope;
        if ((g < 0) == rises) lo.t = t;
        else hi.t = t;
        next = bent ? lo.t : t - g/x->bend;
        if (!(next > lo.t && next < hi.t)) next = (lo.t + hi.t)/2;
        if (slip_abs(next - t) <= 4*SLIP_REAL_EPS || !(lo.t < hi.t) || core_is_over(p->q)) return;
        t = next;
    }
}

/* Offers n, of any length, if it can be turned to point out of both cylinders. */
static void rims_offer(cyl_best *c, const rims_pair *p, const rims_point *x, slip_real n[3])
{
    if (!(slip_normalize3(n, n) > 0)) return;
    if (n[2]*p->z < 0) slip_neg3(n, n);
    if (slip_dot3(n, p->w) <= SLIP_TOL(1e-12, 1e-6)) cyl_offer_rim(c, n, x->b, 3, x->a, x->b);
}

/* The normals at a pair of rim points: the cross product of both tangents, and the line between the points. One of the
 * two always has enough correct digits. */
static void rims_normals(cyl_best *c, const rims_pair *p, const rims_point *x)
{
    const slip_real tangent[3] = { -slip_sin(x->t), slip_cos(x->t), 0 };
    slip_real n[3], u[3];

    slip_sub3(x->b, p->c, u);
    slip_cross3(p->w, u, u);
    slip_cross3(tangent, u, n);
    rims_offer(c, p, x, n);
    slip_sub3(x->a, x->b, n);
    rims_offer(c, p, x, n);
}

/* The minimum between lo and hi. Other minima may lie close to it, at any scale: circles that nearly touch cross twice.
 * Steps away from it, each longer than all before, find the next one. */
static void rims_minimum(cyl_best *c, const rims_pair *p, const rims_point *lo, const rims_point *hi)
{
    rims_point x, y, last, next;
    int side;

    rims_root(p, *lo, *hi, 0, &x);
    rims_normals(c, p, &x);
    for (side = -1; side <= 1; side += 2) {
        slip_real h;

        last = x;
        for (h = SLIP_TOL(1e-8, 1e-4); h < 4*SLIP_PI/RIMS_STEPS && !core_is_over(p->q); h *= SLIP_R(1.6)) {
            rims_at(p, x.t + (slip_real)side*h, &y);
            if ((slip_real)side*last.slope < 0 && (slip_real)side*y.slope > 0) {
                rims_root(p, side > 0 ? last : y, side > 0 ? y : last, 0, &next);
                rims_normals(c, p, &next);
            }
            last = y;
        }
    }
}

/* A stretch of the grid: a minimum where the slope goes from - to +. Between two ends with slopes of the same sign the
 * slope may change its sign twice; then the second derivative has a root, and the slope there shows it. */
static void rims_stretch(cyl_best *c, const rims_pair *p, const rims_point *lo, const rims_point *hi)
{
    rims_point mid;

    if (lo->slope <= 0 && hi->slope > 0) { rims_minimum(c, p, lo, hi);  return; }
    if ((lo->slope > 0) != (hi->slope > 0) || (lo->bend > 0) == (hi->bend > 0) || (lo->bend > 0) == (lo->slope > 0))
        return;
    rims_root(p, *lo, *hi, 1, &mid);
    if ((mid.slope > 0) == (lo->slope > 0)) return;
    if (lo->slope > 0) rims_minimum(c, p, &mid, hi);
    else rims_minimum(c, p, lo, &mid);
}

static void rims_circles(cyl_best *c, const rims_pair *p)
{
    const slip_real step = 2*SLIP_PI/RIMS_STEPS;
    rims_point last, x;
    int i;

    rims_at(p, 0, &last);
    for (i = 1; i <= RIMS_STEPS && !core_is_over(c->q); ++i) {
        rims_at(p, (slip_real)i*step, &x);
        /* points of A within the stretch are nearer to B by less than half of it: none may come near enough to
         * matter */
        if (c->d >= 0 || slip_distance3(x.a, x.b) - p->ra*step < -c->d) rims_stretch(c, p, &last, &x);
        last = x;
    }
}

/* The line x + t e of one cylinder's axis against the rims of the other, s. */
static void rims_line(cyl_best *c, const slip_shape *s, const slip_real x[3], const slip_real e[3], int second)
{
    cyl_touch t[4];
    slip_real y[3];
    int k, count = slip_cyl_line_touches(s, x, e, t);

    for (k = 0; k < count; ++k) {
        slip_real *n = t[k].n, *at = t[k].at;

        if (second) {                                     /* found in B's frame, from B to A */
            slip_mat3_vec(c->q->R, n, n);
            slip_neg3(n, n);
        }
        if (second && t[k].rim) {
            slip_mat3_vec(c->q->R, at, at);
            slip_add3(at, c->q->p, at);
        }
        slip_neg3(n, y);
        core_take(c->q);
        core_support_b(c->q, y, y);
        cyl_offer_rim(c, n, y, !t[k].rim ? 0 : second ? 2 : 1, at, at);
    }
}

/* Everything but two rims. */
static void rims_others(cyl_best *c, const slip_real w[3])
{
    const core_pair *q = c->q;
    slip_real back[3], n[3];
    int k;

    slip_copy3(w, n);
    for (k = 0; k < 2; ++k) { cyl_offer(c, n, q->p);  slip_neg3(n, n); }
    rims_line(c, q->a, q->p, w, 0);
    slip_mat3_tvec(q->R, q->p, back);
    slip_neg3(back, back);
    slip_set3(q->R[6], q->R[7], q->R[8], n);              /* A's axis in B's frame */
    rims_line(c, q->b, back, n, 1);
}

/* The rims on the sides that two bits of k say. */
static void rims_choose(const core_pair *q, const slip_real w[3], int k, rims_pair *p)
{
    p->q = q;
    p->ra = q->a->radius;
    p->rb = q->b->radius;
    p->z = k & 1 ? q->a->half[2] : -q->a->half[2];
    slip_scale3(k & 2 ? SLIP_R(1) : SLIP_R(-1), w, p->w);
    slip_axpy3(q->b->half[2], p->w, q->p, p->c);
}

void slip_cyl_cylinders(cyl_best *c)
{
    const slip_real w[3] = { c->q->R[2], c->q->R[5], c->q->R[8] };
    rims_pair p;
    int k;

    rims_others(c, w);
    for (k = 0; k < 4; ++k) {
        rims_choose(c->q, w, k, &p);
        rims_circles(c, &p);
    }
}

void slip_cyl_cylinders_near(cyl_best *c, const slip_real a[3])
{
    const slip_real w[3] = { c->q->R[2], c->q->R[5], c->q->R[8] };
    const int k = (c->n[2] > 0) | (slip_dot3(c->n, w) < 0) << 1;
    rims_pair p;
    rims_point x;
    int i;

    rims_others(c, w);
    rims_choose(c->q, w, k, &p);
    rims_at(&p, slip_atan2(a[1], a[0]), &x);
    for (i = 0; i < 12 && x.bend > 0 && !core_is_over(c->q); ++i) {
        const slip_real t = x.t - x.slope/x.bend;

        if (slip_abs(t - x.t) <= 4*SLIP_REAL_EPS) break;
        rims_at(&p, t, &x);
    }
    rims_normals(c, &p, &x);
}
