/* The brute-force judge; see truth.h. */
#include "truth.h"

#include <math.h>

typedef long double real;

static void t_sub(const real a[3], const real b[3], real r[3]) { int i; for (i = 0; i < 3; ++i) r[i] = a[i] - b[i]; }
static real t_dot(const real a[3], const real b[3]) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }
static void t_cross(const real a[3], const real b[3], real r[3])
{
    r[0] = a[1]*b[2] - a[2]*b[1];  r[1] = a[2]*b[0] - a[0]*b[2];  r[2] = a[0]*b[1] - a[1]*b[0];
}
static real t_norm(const real a[3]) { return sqrtl(t_dot(a, a)); }
static real t_clamp(real x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* ---- placing ------------------------------------------------------------------------------------ */

static void truth_add(truth_set *t, const slip_pose *X, real x, real y, real z)
{
    int i;

    for (i = 0; i < 3; ++i)
        t->x[t->n][i] = (real)X->R[3*i]*x + (real)X->R[3*i + 1]*y + (real)X->R[3*i + 2]*z + (real)X->p[i];
    ++t->n;
}

void truth_place(const slip_shape *s, const slip_pose *X, truth_set *t)
{
    int i;

    t->n = 0;
    t->radius = s->kind == SLIP_SHAPE_SPHERE || s->kind == SLIP_SHAPE_CAPSULE ? (real)s->radius : 0;
    t->size = (real)slip_shape_reach(s);
    switch (s->kind) {
    case SLIP_SHAPE_CAPSULE:
        truth_add(t, X, 0, 0, -(real)s->half[2]);
        truth_add(t, X, 0, 0, (real)s->half[2]);
        break;
    case SLIP_SHAPE_BOX:
        for (i = 0; i < 8; ++i)
            truth_add(t, X, i & 1 ? (real)s->half[0] : -(real)s->half[0], i & 2 ? (real)s->half[1] : -(real)s->half[1],
                      i & 4 ? (real)s->half[2] : -(real)s->half[2]);
        break;
    case SLIP_SHAPE_MESH:
        for (i = 0; i < s->hull->nv; ++i)
            truth_add(t, X, (real)s->hull->vertex[3*i], (real)s->hull->vertex[3*i + 1], (real)s->hull->vertex[3*i + 2]);
        break;
    default:
        truth_add(t, X, 0, 0, 0);
        break;
    }
}

/* ---- lower bounds: separations ------------------------------------------------------------------- */

static real truth_core_separation(const truth_set *a, const truth_set *b, const real d[3])
{
    real top = -1e300L, low = 1e300L;
    int i;

    for (i = 0; i < a->n; ++i) { const real h = t_dot(d, a->x[i]); if (h > top) top = h; }
    for (i = 0; i < b->n; ++i) { const real h = t_dot(d, b->x[i]); if (h < low) low = h; }
    return low - top;
}

long double truth_separation(const truth_set *a, const truth_set *b, const slip_real d[3])
{
    const real e[3] = { (real)d[0], (real)d[1], (real)d[2] };

    return truth_core_separation(a, b, e) - a->radius - b->radius;
}

static void truth_try(const truth_set *a, const truth_set *b, const real d[3], real scale, real *best, real n[3])
{
    const real l = t_norm(d);
    real e[3], s;
    int i, side;

    if (!(l > 1e-15L*scale)) return;
    for (side = -1; side <= 1; side += 2) {
        for (i = 0; i < 3; ++i) e[i] = side*d[i]/l;
        s = truth_core_separation(a, b, e);
        if (s > *best) { *best = s;  for (i = 0; i < 3; ++i) n[i] = e[i]; }
    }
}

static void truth_triples(const truth_set *of, const truth_set *a, const truth_set *b, real *best, real n[3])
{
    real e[3], f[3], c[3];
    int i, j, k;

    for (i = 0; i < of->n; ++i)
        for (j = i + 1; j < of->n; ++j)
            for (k = j + 1; k < of->n; ++k) {
                t_sub(of->x[j], of->x[i], e);
                t_sub(of->x[k], of->x[i], f);
                t_cross(e, f, c);
                truth_try(a, b, c, t_norm(e)*t_norm(f), best, n);
            }
}

/* Two flat sets in one plane also part within it: across each of their edges. */
static void truth_try_within(const truth_set *a, const truth_set *b, const real c[3], const real e[3], real *best, real n[3])
{
    real d[3];

    t_cross(c, e, d);
    truth_try(a, b, d, t_norm(c)*t_norm(e), best, n);
}

static real truth_axes(const truth_set *a, const truth_set *b, real n[3])
{
    real best = -1e300L, e[3], f[3], c[3];
    int i, j, k, l;

    n[0] = n[1] = 0;  n[2] = 1;
    truth_triples(a, a, b, &best, n);
    truth_triples(b, a, b, &best, n);
    for (i = 0; i < a->n; ++i)
        for (j = i + 1; j < a->n; ++j)
            for (k = 0; k < b->n; ++k)
                for (l = k + 1; l < b->n; ++l) {
                    t_sub(a->x[j], a->x[i], e);
                    t_sub(b->x[l], b->x[k], f);
                    t_cross(e, f, c);
                    truth_try(a, b, c, t_norm(e)*t_norm(f), &best, n);
                    if (a->n > 4 || b->n > 4) continue;
                    truth_try_within(a, b, c, e, &best, n);
                    truth_try_within(a, b, c, f, &best, n);
                }
    return best;
}

/* ---- upper bounds: distances of sub-simplices ---------------------------------------------------- */

static real truth_point_segment(const real p[3], const real x[3], const real y[3])
{
    real e[3], d[3], t, ee;
    int i;

    t_sub(y, x, e);
    t_sub(p, x, d);
    ee = t_dot(e, e);
    t = ee > 0 ? t_clamp(t_dot(d, e)/ee) : 0;
    for (i = 0; i < 3; ++i) d[i] -= t*e[i];
    return t_norm(d);
}

/* Only the interior of the triangle; its edges are tried elsewhere. */
static real truth_point_triangle(const real p[3], const real x[3], const real y[3], const real z[3])
{
    real e[3], f[3], g[3], n[3], c[3], nn, u, v;

    t_sub(y, x, e);
    t_sub(z, x, f);
    t_sub(p, x, g);
    t_cross(e, f, n);
    nn = t_dot(n, n);
    if (!(nn > 0)) return 1e300L;
    t_cross(g, f, c);  u = t_dot(c, n)/nn;
    t_cross(e, g, c);  v = t_dot(c, n)/nn;
    if (u < 0 || v < 0 || u + v > 1) return 1e300L;
    return fabsl(t_dot(g, n))/sqrtl(nn);
}

static real truth_segments(const real p[3], const real q[3], const real x[3], const real y[3])
{
    real d[3], e[3], w[3], n[3], m[3], nn, s, t;
    int i;

    t_sub(q, p, d);
    t_sub(y, x, e);
    t_sub(x, p, w);
    t_cross(d, e, n);
    nn = t_dot(n, n);
    if (!(nn > 0)) return 1e300L;
    t_cross(w, e, m);  s = t_dot(m, n)/nn;
    t_cross(w, d, m);  t = t_dot(m, n)/nn;
    if (s < 0 || s > 1 || t < 0 || t > 1) return 1e300L;
    for (i = 0; i < 3; ++i) w[i] = x[i] + t*e[i] - p[i] - s*d[i];
    return t_norm(w);
}

static real truth_lesser(real a, real b) { return a < b ? a : b; }

/* Vertices of a against vertices, edges and triangles of b. */
static real truth_vertex_features(const truth_set *a, const truth_set *b)
{
    real best = 1e300L;
    int i, j, k, l;

    for (i = 0; i < a->n; ++i)
        for (j = 0; j < b->n; ++j)
            for (k = j; k < b->n; ++k) {
                best = truth_lesser(best, truth_point_segment(a->x[i], b->x[j], b->x[k]));
                for (l = k + 1; l < b->n; ++l)
                    best = truth_lesser(best, truth_point_triangle(a->x[i], b->x[j], b->x[k], b->x[l]));
            }
    return best;
}

static real truth_features(const truth_set *a, const truth_set *b)
{
    real best = truth_lesser(truth_vertex_features(a, b), truth_vertex_features(b, a));
    int i, j, k, l;

    for (i = 0; i < a->n; ++i)
        for (j = i + 1; j < a->n; ++j)
            for (k = 0; k < b->n; ++k)
                for (l = k + 1; l < b->n; ++l)
                    best = truth_lesser(best, truth_segments(a->x[i], a->x[j], b->x[k], b->x[l]));
    return best;
}

long double truth_distance(const truth_set *a, const truth_set *b, long double n[3])
{
    real m[3], d = truth_axes(a, b, m);
    int i;

    /* Overlap unless an axis separates them; sets too thin for any axis (points, segments) are apart by their features, and so
     * are flat ones in one plane. */
    if (d > -1e-16L*(a->size + b->size) || d < -1e200L || (a->n < 3 && b->n < 3)) d = truth_features(a, b);
    for (i = 0; n && i < 3; ++i) n[i] = m[i];
    return d - a->radius - b->radius;
}

long double truth_off_surface(const truth_set *a, const slip_real x[3])
{
    truth_set p;
    real n[3], d;
    int i;

    p.n = 1;
    for (i = 0; i < 3; ++i) p.x[0][i] = (real)x[i];
    d = -1e300L;
    if (a->n > 3) {
        truth_triples(a, a, &p, &d, n);
        if (d <= 0 && d > -1e200L) return fabsl(d - a->radius);
    }
    return fabsl(truth_vertex_features(&p, a) - a->radius);
}
