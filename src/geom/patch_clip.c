/* Overlap of two convex faces in the plane (Sutherland and Hodgman 1974) and its reduction to four points.
 *
 * Every corner is named by the two sides that meet in it, whichever polygon they come from, so a name lasts as long as
 * the same sides cross. */
#include "geom/patch_private.h"

#define REDUCE_TOUCH SLIP_R(1e-5)        /* of the patch's extent: a gap that is as good as the least      */
#define REDUCE_APART SLIP_R(1e-2)        /* of its square: what a corner has to add to be another one      */

typedef struct { slip_real u[2]; unsigned next; } clip_corner;   /* next: name of the side that leaves it */

slip_real slip_patch_height(const patch_side *s, const slip_real u[2])
{
    return s->h[0] + s->slope[0]*(u[0] - s->u[0][0]) + s->slope[1]*(u[1] - s->u[0][1]);
}

static void clip_put(const patch_side *a, const patch_side *b, const slip_real u[2], unsigned in, unsigned out,
                     patch_corner *c)
{
    c->u[0] = u[0];
    c->u[1] = u[1];
    c->low = slip_patch_height(a, u);
    c->high = slip_patch_height(b, u);
    c->id = (uint32_t)(a->face & 255) << 24 | (uint32_t)(b->face & 255) << 16 | (uint32_t)in << 8 | (uint32_t)out;
}

/* Which side of the line from p along e a point is on: the cross product, or 0 within a millionth of the line's length.
 * Flush sides, which in a pile are the rule, would otherwise cross where rounding says, somewhere along them. */
static slip_real clip_side(const slip_real p[2], slip_real ex, slip_real ey, const slip_real u[2])
{
    const slip_real s = ex*(u[1] - p[1]) - ey*(u[0] - p[0]);

    return slip_abs(s) <= SLIP_TOL(1e-6, 1e-5)*(ex*ex + ey*ey) ? 0 : s;
}

/* Cuts the polygon to the left of the line p -> q, which bears the name `side`. */
static int clip_cut(const clip_corner *in, int n, const slip_real p[2], const slip_real q[2], unsigned side,
                    clip_corner *out)
{
    const slip_real ex = q[0] - p[0], ey = q[1] - p[1];
    slip_real s0 = clip_side(p, ex, ey, in[0].u);
    const slip_real first = s0;
    int i, m = 0;

    for (i = 0; i < n; ++i) {
        const clip_corner *c = &in[i], *d = &in[i + 1 < n ? i + 1 : 0];
        const slip_real s1 = i + 1 < n ? clip_side(p, ex, ey, d->u) : first;

        if (s0 >= 0) out[m++] = *c;
        if ((s0 > 0 && s1 < 0) || (s0 < 0 && s1 > 0)) {
            const slip_real t = s0/(s0 - s1);

            out[m].u[0] = c->u[0] + t*(d->u[0] - c->u[0]);
            out[m].u[1] = c->u[1] + t*(d->u[1] - c->u[1]);
            out[m++].next = s0 > 0 ? side : c->next;
        } else if (s0 == 0 && s1 < 0) {
            out[m - 1].next = side;                       /* leaves through the corner itself */
        }
        s0 = s1;
    }
    return m;
}

static int clip_polygons(const patch_side *a, const patch_side *b, patch_corner *out)
{
    clip_corner x[PATCH_CORNERS + 2], y[PATCH_CORNERS + 2], *from = x, *to = y, *t;
    int n = b->n, i;

    for (i = 0; i < n; ++i) {
        x[i].u[0] = b->u[i][0];
        x[i].u[1] = b->u[i][1];
        x[i].next = (unsigned)i;
    }
    for (i = 0; i < a->n && n > 0; ++i) {
        n = clip_cut(from, n, a->u[i], a->u[i + 1 < a->n ? i + 1 : 0], CLIP_OF_A + (unsigned)i, to);
        t = from;  from = to;  to = t;
        if (n > PATCH_CORNERS) n = PATCH_CORNERS;
    }
    for (i = 0; i < n; ++i) clip_put(a, b, from[i].u, from[i > 0 ? i - 1 : n - 1].next, from[i].next, &out[i]);
    return n;
}

/* The part of line l over polygon g: two corners, heights along the line itself. */
static int clip_line(const patch_side *g, const patch_side *l, int line_is_a, patch_corner *out)
{
    const slip_real dx = l->u[1][0] - l->u[0][0], dy = l->u[1][1] - l->u[0][1];
    slip_real t[2] = { 0, 1 };
    unsigned end[2] = { 0, 1 };
    int i, k;

    for (i = 0; i < g->n; ++i) {
        const slip_real *p = g->u[i], *q = g->u[i + 1 < g->n ? i + 1 : 0];
        const slip_real ex = q[0] - p[0], ey = q[1] - p[1];
        const slip_real s = ex*(l->u[0][1] - p[1]) - ey*(l->u[0][0] - p[0]), d = ex*dy - ey*dx;   /* s + t d >= 0 */

        if (s < 0 && s + d < 0) return 0;
        if (s < 0 && -s/d > t[0]) { t[0] = -s/d;  end[0] = 2 + (unsigned)i; }
        if (s + d < 0 && -s/d < t[1]) { t[1] = -s/d;  end[1] = 2 + (unsigned)i; }
    }
    if (!(t[0] <= t[1])) return 0;
    for (k = 0; k < 2; ++k) {
        const slip_real u[2] = { l->u[0][0] + t[k]*dx, l->u[0][1] + t[k]*dy };
        const slip_real h = l->h[0] + t[k]*(l->h[1] - l->h[0]);

        out[k].u[0] = u[0];
        out[k].u[1] = u[1];
        out[k].low = line_is_a ? h : slip_patch_height(g, u);
        out[k].high = line_is_a ? slip_patch_height(g, u) : h;
        out[k].id = (uint32_t)(g->face & 255) << 24 | 255u << 16 | (uint32_t)k << 8 | end[k];
    }
    return 2;
}

/* Two lines, all but parallel: where they run beside each other. */
static int clip_lines(const patch_side *a, const patch_side *b, patch_corner *out)
{
    const slip_real dx = a->u[1][0] - a->u[0][0], dy = a->u[1][1] - a->u[0][1], dd = dx*dx + dy*dy;
    const slip_real ex = b->u[1][0] - b->u[0][0], ey = b->u[1][1] - b->u[0][1], ee = ex*ex + ey*ey;
    const slip_real across = dx*ey - dy*ex;
    slip_real s0, s1, lo, hi;
    int k;

    if (!(dd > 0) || !(ee > 0) || across*across > SLIP_R(0.0025)*dd*ee) return 0;       /* within 3 degrees */
    s0 = (dx*(b->u[0][0] - a->u[0][0]) + dy*(b->u[0][1] - a->u[0][1]))/dd;
    s1 = (dx*(b->u[1][0] - a->u[0][0]) + dy*(b->u[1][1] - a->u[0][1]))/dd;
    lo = slip_max(0, slip_min(s0, s1));
    hi = slip_min(1, slip_max(s0, s1));
    if (!(lo < hi)) return 0;
    for (k = 0; k < 2; ++k) {
        const slip_real s = k ? hi : lo, t = (s - s0)/(s1 - s0);

        out[k].low = a->h[0] + s*(a->h[1] - a->h[0]);
        out[k].high = b->h[0] + t*(b->h[1] - b->h[0]);
        out[k].u[0] = (a->u[0][0] + s*dx + b->u[0][0] + t*ex)/2;
        out[k].u[1] = (a->u[0][1] + s*dy + b->u[0][1] + t*ey)/2;
        out[k].id = 254u << 24 | 255u << 16 | (uint32_t)k;
    }
    return 2;
}

int slip_patch_overlap(const patch_side *a, const patch_side *b, patch_corner out[PATCH_CORNERS])
{
    if (a->n < 2 || b->n < 2) return 0;
    if (a->n == 2 && b->n == 2) return clip_lines(a, b, out);
    if (a->n == 2) return clip_line(b, a, 1, out);
    if (b->n == 2) return clip_line(a, b, 0, out);
    return clip_polygons(a, b, out);
}

/* ---- four of many --------------------------------------------------------------------------------------- */

static void reduce_swap(patch_corner *c, int i, int j)
{
    const patch_corner t = c[i];

    c[i] = c[j];
    c[j] = t;
}

static slip_real reduce_area(const slip_real p[2], const slip_real q[2], const slip_real r[2])
{
    return (q[0] - p[0])*(r[1] - p[1]) - (q[1] - p[1])*(r[0] - p[0]);
}

/* Gain of corner k over the k0 chosen ones: distance, area of the triangle, area beyond the triangle. */
static slip_real reduce_gain(const patch_corner *c, int chosen, int k)
{
    const slip_real *p = c[0].u, *q = c[1].u, *r = c[2].u, *x = c[k].u;
    slip_real turn;

    if (chosen == 1) return (x[0] - p[0])*(x[0] - p[0]) + (x[1] - p[1])*(x[1] - p[1]);
    if (chosen == 2) return slip_abs(reduce_area(p, q, x));
    turn = reduce_area(p, q, r) < 0 ? SLIP_R(-1) : SLIP_R(1);
    return slip_max(-turn*reduce_area(p, q, x), slip_max(-turn*reduce_area(q, r, x), -turn*reduce_area(r, p, x)));
}

/* The corner from `chosen` on that adds most, of those whose gap is no more than `most`, and more than `least`; -1:
 * none. A later corner must be better by a twentieth to be chosen before an earlier one: near ties do not alternate. */
static int reduce_best(const patch_corner *c, int n, int chosen, slip_real most, slip_real least)
{
    slip_real best = least;
    int i, at = -1;

    for (i = chosen; i < n; ++i) {
        const slip_real gain = c[i].high - c[i].low <= most ? reduce_gain(c, chosen, i) : 0;

        if (gain > (at < 0 ? 1 : SLIP_R(1.05))*best) { best = gain;  at = i; }
    }
    return at;
}

/* Corners as deep as the deepest one carry the load: they are chosen before the others unless they nearly coincide with
 * a chosen one. */
int slip_patch_reduce(patch_corner *c, int n, int most)
{
    slip_real deepest, span = 0;
    int i, chosen, at = 0;

    if (n < 2) return n;
    for (i = 0; i < n; ++i) span = slip_max(span, slip_abs(c[i].u[0] - c[0].u[0]) + slip_abs(c[i].u[1] - c[0].u[1]));
    deepest = c[0].high - c[0].low;
    for (i = 1; i < n; ++i)
        if (c[i].high - c[i].low < deepest - SLIP_TOL(1e-6, 1e-5)*span) { deepest = c[i].high - c[i].low;  at = i; }
    if (at) reduce_swap(c, 0, at);
    if (n <= most) return n;
    for (chosen = 1; chosen < most; ++chosen) {
        at = reduce_best(c, n, chosen, deepest + REDUCE_TOUCH*span, REDUCE_APART*span*span);
        if (at < 0) at = reduce_best(c, n, chosen, SLIP_REAL_MAX, 0);
        if (at < 0) return chosen;
        reduce_swap(c, chosen, at);
    }
    return most;
}
