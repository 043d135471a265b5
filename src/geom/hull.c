/* Quickhull (Barber, Dobkin, Huhdanpaa 1996) over triangles, with two liberties.
 *
 * Which triangles a new point sees is decided exactly (hull_exact.c), so the horizon is always one simple
 * loop and the surface closed, whatever the input. And the tolerance enters in one place only: a point is
 * added if some triangle has it more than that above its plane. A point left in a list at the end is
 * walked to the triangle above which it truly lies, and either proven to be within the tolerance of the
 * surface or handed back to be added. Merging into faces is hull_faces.c, flat input hull_flat.c. */
#include "geom/hull_private.h"
#include "geom/hull.h"

#include <string.h>

/* ---- the grid ---------------------------------------------------------------------------------- */

/* Bounds of the points; 0 when one is not finite. */
static int hull_bounds(const slip_real *points, int n, double lo[3], double hi[3])
{
    int i, j;

    for (j = 0; j < 3; ++j) lo[j] = hi[j] = (double)points[j];
    for (i = 0; i < n; ++i) {
        if (!slip_all_finite(points + 3*i, 3)) return 0;
        for (j = 0; j < 3; ++j) {
            const double x = (double)points[3*i + j];

            if (x < lo[j]) lo[j] = x;
            if (x > hi[j]) hi[j] = x;
        }
    }
    return 1;
}

/* Places the points on the grid. The default tolerance is what rounding of the input may have cost:
 * 4 eps times the sum of the largest coordinates, offset included; and not below the noise of heights. */
static void hull_place(hull_work *w, const slip_real *points, slip_real tolerance, const double lo[3],
                       const double hi[3])
{
    double half = 0, span = 0, tol;
    int i, j, e;

    for (j = 0; j < 3; ++j) {
        w->centre[j] = lo[j]/2 + hi[j]/2;
        half = fmax(half, fmax(hi[j] - w->centre[j], w->centre[j] - lo[j]));
        span += fmax(fabs(lo[j]), fabs(hi[j]));
    }
    frexp(half, &e);
    w->shift = half > 0 ? 52 - e : 0;
    for (i = 0; i < w->n; ++i)
        for (j = 0; j < 3; ++j)
            w->x[3*i + j] = rint(ldexp((double)points[3*i + j] - w->centre[j], w->shift));
    tol = fmax((double)tolerance, 4*(double)SLIP_REAL_EPS*span);
    w->tol = half > 0 ? fmax(ldexp(tol, w->shift), HULL_NOISE) : HULL_NOISE;
}

/* ---- triangles and their lists ----------------------------------------------------------------- */

static void hull_queue_add(hull_work *w, int t)
{
    hull_tri *f = &w->tri[t];

    if (f->queued) return;
    f->queued = 1;
    f->before = w->queue_tail;
    f->after = -1;
    if (w->queue_tail >= 0) w->tri[w->queue_tail].after = t;
    else w->queue_head = t;
    w->queue_tail = t;
}

static void hull_queue_drop(hull_work *w, int t)
{
    hull_tri *f = &w->tri[t];

    if (!f->queued) return;
    f->queued = 0;
    if (f->before >= 0) w->tri[f->before].after = f->after;
    else w->queue_head = f->after;
    if (f->after >= 0) w->tri[f->after].before = f->before;
    else w->queue_tail = f->before;
}

static int hull_tri_make(hull_work *w, int a, int b, int c)
{
    const int reuse = w->first_free >= 0, t = reuse ? w->first_free : w->ntri++;
    hull_tri *f = &w->tri[t];

    if (reuse) w->first_free = f->after;
    f->v[0] = a;  f->v[1] = b;  f->v[2] = c;
    f->adj[0] = f->adj[1] = f->adj[2] = -1;
    f->size = slip_hull_normal(hull_at(w, a), hull_at(w, b), hull_at(w, c), f->n);
    f->head = f->far = -1;
    f->far_height = 0;
    f->before = f->after = -1;
    f->queued = 0;
    f->mark = 0;
    f->alive = 1;
    return t;
}

static void hull_tri_free(hull_work *w, int t)
{
    hull_queue_drop(w, t);
    w->tri[t].alive = 0;
    w->tri[t].after = w->first_free;
    w->first_free = t;
}

/* Puts point p, at this height over triangle t, into its list. */
static void hull_attach(hull_work *w, int t, int p, double height)
{
    hull_tri *f = &w->tri[t];

    w->next[p] = f->head;
    f->head = p;
    if (f->far < 0 || height > f->far_height) {
        f->far = p;
        f->far_height = height;
    }
    if (height > w->tol) hull_queue_add(w, t);
}

/* Whether triangle t sees p, which is at height h over it: exactly. */
static int hull_sees_at(const hull_work *w, int t, int p, double h)
{
    const hull_tri *f = &w->tri[t];
    const double *a = hull_at(w, f->v[0]);
    double u[3], v[3], d[3];

    if (h > HULL_NOISE) return 1;
    if (h < -HULL_NOISE) return 0;
    hull_diff(hull_at(w, f->v[1]), a, u);
    hull_diff(hull_at(w, f->v[2]), a, v);
    hull_diff(hull_at(w, p), a, d);
    return slip_hull_side(u, v, d) > 0;
}

static int hull_sees(const hull_work *w, int t, int p) { return hull_sees_at(w, t, p, hull_height(w, &w->tri[t], p)); }

/* Puts p into the list of the triangle among t[0..nt) it is highest above. Visibility is exact here too: a point in the
 * list of a triangle that does not see it could be lost when that triangle is removed. A point that no triangle sees is
 * inside the hull and dropped (a triangle that p sees and that stays would share a rim edge with one that goes, and the
 * new triangle over that edge, lying between the two, would see p as well). */
static void hull_assign(hull_work *w, const int *t, int nt, int p)
{
    double best = -HULL_NOISE;
    int i, at = -1;

    for (i = 0; i < nt; ++i) {
        const double h = hull_height(w, &w->tri[t[i]], p);

        if (h > best && hull_sees_at(w, t[i], p, h)) { best = h;  at = t[i]; }
    }
    if (at >= 0) hull_attach(w, at, p, best);
}

/* ---- the first tetrahedron --------------------------------------------------------------------- */

static double hull_squared(const double d[3]) { return hull_dot(d, d); }

/* The two ends of the set along its widest axis. */
static void hull_ends(const hull_work *w, int end[2])
{
    double wide = -1;
    int i, j;

    for (j = 0; j < 3; ++j) {
        int lo = 0, hi = 0;

        for (i = 1; i < w->n; ++i) {
            if (w->x[3*i + j] < w->x[3*lo + j]) lo = i;
            if (w->x[3*i + j] > w->x[3*hi + j]) hi = i;
        }
        if (w->x[3*hi + j] - w->x[3*lo + j] > wide) {
            wide = w->x[3*hi + j] - w->x[3*lo + j];
            end[0] = lo;
            end[1] = hi;
        }
    }
}

/* Four points that span the set, as far apart as a linear scan finds them. Returns the dimension, and the
 * corners found so far. */
static int hull_simplex(const hull_work *w, int corner[4])
{
    double u[3], d[3], n[3], most = 0;
    int i;

    hull_ends(w, corner);
    hull_diff(hull_at(w, corner[1]), hull_at(w, corner[0]), u);
    if (sqrt(hull_squared(u)) <= w->tol) return 0;
    for (i = 0; i < w->n; ++i) {                                /* farthest from that line */
        hull_diff(hull_at(w, i), hull_at(w, corner[0]), d);
        n[0] = u[1]*d[2] - u[2]*d[1];  n[1] = u[2]*d[0] - u[0]*d[2];  n[2] = u[0]*d[1] - u[1]*d[0];
        if (hull_squared(n) > most) { most = hull_squared(n);  corner[2] = i; }
    }
    if (!(sqrt(most) > w->tol*sqrt(hull_squared(u)))) return 1;
    if (!(slip_hull_normal(hull_at(w, corner[0]), hull_at(w, corner[1]), hull_at(w, corner[2]), n) > 0)) return 1;
    most = w->tol;
    corner[3] = -1;
    for (i = 0; i < w->n; ++i) {                                /* farthest from that plane */
        hull_diff(hull_at(w, i), hull_at(w, corner[0]), d);
        if (fabs(hull_dot(n, d)) > most) { most = fabs(hull_dot(n, d));  corner[3] = i; }
    }
    return corner[3] < 0 ? 2 : 3;
}

/* The four triangles over the corners, neighbours linked, and every other point in a list. */
static void hull_begin(hull_work *w, const int corner[4])
{
    static const int face[4][3] = { { 0, 1, 2 }, { 1, 0, 3 }, { 2, 1, 3 }, { 0, 2, 3 } };
    static const int beside[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
    int c[4], t[4], i, j;
    double u[3], v[3], d[3];

    for (i = 0; i < 4; ++i) c[i] = corner[i];
    hull_diff(hull_at(w, c[1]), hull_at(w, c[0]), u);
    hull_diff(hull_at(w, c[2]), hull_at(w, c[0]), v);
    hull_diff(hull_at(w, c[3]), hull_at(w, c[0]), d);
    if (slip_hull_side(u, v, d) > 0) { c[1] = corner[2];  c[2] = corner[1]; }     /* the fourth lies below */
    for (i = 0; i < 4; ++i) t[i] = hull_tri_make(w, c[face[i][0]], c[face[i][1]], c[face[i][2]]);
    for (i = 0; i < 4; ++i) for (j = 0; j < 3; ++j) w->tri[t[i]].adj[j] = t[beside[i][j]];
    for (i = 0; i < w->n; ++i)
        if (i != c[0] && i != c[1] && i != c[2] && i != c[3]) hull_assign(w, t, 4, i);
}

/* ---- adding a point ---------------------------------------------------------------------------- */

/* Marks all triangles that see p, from t on; lists them in the stack and the edges round them in the rim. */
static int hull_flood(hull_work *w, int t, int p)
{
    int seen = 0, at, i;

    ++w->step;
    w->nrim = 0;
    w->tri[t].mark = w->step;
    w->stack[seen++] = t;
    for (at = 0; at < seen; ++at) {
        const hull_tri *f = &w->tri[w->stack[at]];

        for (i = 0; i < 3; ++i) {
            hull_tri *g = &w->tri[f->adj[i]];

            if (g->mark != w->step && g->mark != -w->step) {
                g->mark = hull_sees(w, f->adj[i], p) ? w->step : -w->step;
                if (g->mark > 0) w->stack[seen++] = f->adj[i];
            }
            if (g->mark == -w->step) {
                hull_rim *r = &w->rim[w->nrim++];

                r->a = f->v[i];
                r->b = f->v[(i + 1) % 3];
                r->beyond = f->adj[i];
            }
        }
    }
    return seen;
}

/* Makes t the neighbour of `beyond` across its edge b -> a. */
static void hull_link(hull_work *w, int beyond, int b, int t)
{
    hull_tri *g = &w->tri[beyond];
    const int i = g->v[0] == b ? 0 : g->v[1] == b ? 1 : 2;

    g->adj[i] = t;
}

/* Gathers the lists of the seen triangles into one and frees them; returns its first point. */
static int hull_remove_seen(hull_work *w, int seen)
{
    int pool = -1, i;

    for (i = 0; i < seen; ++i) {
        int p = w->tri[w->stack[i]].head, q;

        for (; p >= 0; p = q) {
            q = w->next[p];
            w->next[p] = pool;
            pool = p;
        }
        hull_tri_free(w, w->stack[i]);
    }
    return pool;
}

/* Replaces what p sees, beginning at t, by a cone of triangles from p over the rim. */
static void hull_add(hull_work *w, int t, int p)
{
    int pool = hull_remove_seen(w, hull_flood(w, t, p)), i, q;

    for (i = 0; i < w->nrim; ++i) {
        const hull_rim *r = &w->rim[i];
        const int made = hull_tri_make(w, r->a, r->b, p);

        w->tri[made].adj[0] = r->beyond;
        hull_link(w, r->beyond, r->b, made);
        w->fan[r->a] = made;
        w->stack[i] = made;
    }
    for (i = 0; i < w->nrim; ++i) {
        const int made = w->stack[i], beside = w->fan[w->tri[made].v[1]];

        w->tri[made].adj[1] = beside;
        w->tri[beside].adj[2] = made;
    }
    for (; pool >= 0; pool = q) {
        q = w->next[pool];
        if (pool != p) hull_assign(w, w->stack, w->nrim, pool);
    }
}

static void hull_add_all(hull_work *w)
{
    while (w->queue_head >= 0) hull_add(w, w->queue_head, w->tri[w->queue_head].far);
}

/* ---- the points left over ---------------------------------------------------------------------- */

/* Distance of p beyond the line of edge i of f, in its plane (> 0: outside), and its distance to the edge itself. */
static double hull_beyond(const hull_work *w, const hull_tri *f, int i, int p, double *distance)
{
    const double *a = hull_at(w, f->v[i]), *b = hull_at(w, f->v[(i + 1) % 3]), *n = f->n;
    double e[3], d[3], length2, s;
    int j;

    hull_diff(b, a, e);
    hull_diff(hull_at(w, p), a, d);
    length2 = hull_squared(e);
    s = fmin(fmax(hull_dot(e, d)/length2, 0), 1);
    {
        const double out = (e[1]*n[2] - e[2]*n[1])*d[0] + (e[2]*n[0] - e[0]*n[2])*d[1] + (e[0]*n[1] - e[1]*n[0])*d[2];

        for (j = 0; j < 3; ++j) d[j] -= s*e[j];
        *distance = sqrt(hull_squared(d));
        return out/sqrt(length2);
    }
}

/* The triangle that has p highest above it, or -1 when none has it above the tolerance. O(triangles) */
static int hull_search(const hull_work *w, int p)
{
    double best = w->tol;
    int t, at = -1;

    for (t = 0; t < w->ntri; ++t) {
        const double h = w->tri[t].alive ? hull_height(w, &w->tri[t], p) : 0;

        if (h > best) { best = h;  at = t; }
    }
    return at;
}

/* For a point of t's list, not higher than the tolerance above t: a triangle above which it is higher, or
 * HULL_SETTLED when it is within the tolerance of the surface, which no growth can change. Walks towards the
 * point, edge by edge; if that leads nowhere, and no triangle has the point higher (by a sharp corner it may
 * still be farther away than the tolerance), t itself, so that it is looked at again. */
enum { HULL_SETTLED = -1 };

static int hull_settle(const hull_work *w, int start, int p)
{
    int steps, i, t = start;

    for (steps = 0; steps < 50; ++steps) {
        const hull_tri *f = &w->tri[t];
        const double height = hull_height(w, f, p);
        double worst = 0, distance;
        int edge = -1;

        if (height > w->tol) return t;
        for (i = 0; i < 3; ++i) {
            const double out = hull_beyond(w, f, i, p, &distance);

            if (distance <= w->tol) return HULL_SETTLED;
            if (out > worst) { worst = out;  edge = i; }
        }
        if (edge < 0 && height >= -w->tol) return HULL_SETTLED;
        if (edge < 0) break;                             /* under it, as over the far side of a thin plate */
        t = f->adj[edge];
    }
    t = hull_search(w, p);
    return t >= 0 ? t : start;
}

/* Empties all lists; points still to be added, or looked at again, go to the list of a triangle that sees them. */
static void hull_resolve_lists(hull_work *w)
{
    int t, p, q;

    for (t = 0; t < w->ntri; ++t) {
        if (!w->tri[t].alive || w->tri[t].queued) continue;
        p = w->tri[t].head;
        w->tri[t].head = w->tri[t].far = -1;
        for (; p >= 0; p = q) {
            const int at = hull_settle(w, t, p);

            q = w->next[p];
            if (at != HULL_SETTLED) hull_attach(w, at, p, hull_height(w, &w->tri[at], p));
        }
    }
}

/* ---- the whole --------------------------------------------------------------------------------- */

static int hull_take(int n, slip_arena *arena, hull_work *w)
{
    const size_t m = (size_t)n;

    w->n = n;
    w->x = (double *)slip_arena_scratch(arena, 3*m, sizeof(double));
    w->next = (int *)slip_arena_scratch(arena, m, sizeof(int));
    w->fan = (int *)slip_arena_scratch(arena, m, sizeof(int));
    w->tri = (hull_tri *)slip_arena_scratch(arena, 2*m + 4, sizeof(hull_tri));
    w->stack = (int *)slip_arena_scratch(arena, 2*m + 4, sizeof(int));
    w->rim = (hull_rim *)slip_arena_scratch(arena, m + 4, sizeof(hull_rim));
    w->ntri = 0;
    w->first_free = w->queue_head = w->queue_tail = -1;
    w->nrim = 0;
    w->step = 0;
    return w->x && w->next && w->fan && w->tri && w->stack && w->rim;
}

static slip_status hull_solid(hull_work *w, const int corner[4], const slip_real *points, slip_arena *arena,
                              slip_hull *hull)
{
    hull_faces faces;

    hull_begin(w, corner);
    hull_add_all(w);
    for (hull_resolve_lists(w); w->queue_head >= 0; hull_resolve_lists(w)) hull_add_all(w);
    if (!slip_hull_faces_take(w->n, arena, &faces)) return SLIP_ERR_WORKSPACE;
    slip_hull_merge(w, &faces);
    return slip_hull_write(w, &faces, points, arena, hull);
}

static slip_status hull_flat(hull_work *w, int dimension, const int corner[4], const slip_real *points,
                             slip_arena *arena, slip_hull *hull)
{
    double normal[3] = { 0, 0, 1 };
    int count = dimension + 1;

    w->stack[0] = corner[0];
    w->stack[1] = corner[1];
    if (dimension == 2) {
        slip_hull_normal(hull_at(w, corner[0]), hull_at(w, corner[1]), hull_at(w, corner[2]), normal);
        count = slip_hull_polygon(w, normal, w->stack, w->next);
    }
    return slip_hull_write_flat(w->stack, count, normal, w->fan, points, arena, hull);
}

static slip_status hull_run(hull_work *w, const slip_real *points, slip_real tolerance, const double lo[3],
                            const double hi[3], slip_arena *arena, slip_hull *hull)
{
    int corner[4] = { 0, 0, 0, 0 }, dimension;
    slip_status status;

    if (!hull_take(w->n, arena, w)) return SLIP_ERR_WORKSPACE;
    hull_place(w, points, tolerance, lo, hi);
    dimension = hull_simplex(w, corner);
    if (dimension == 3) return hull_solid(w, corner, points, arena, hull);
    status = hull_flat(w, dimension, corner, points, arena, hull);
    return status == SLIP_OK ? SLIP_DEGENERATE : status;
}

slip_status slip_hull_build(const slip_real *points, int n, slip_real tolerance, slip_arena *arena, slip_hull *hull,
                            slip_error *err)
{
    const size_t low = slip_arena_mark(arena), high = slip_arena_mark_scratch(arena);
    double lo[3], hi[3];
    hull_work w;
    slip_hull made;
    slip_status status;

    if (n < 1) return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "convex hull of no points");
    if (n > SLIP_HULL_MOST_POINTS)
        return slip_fail(err, SLIP_ERR_LIMIT, 0, 0, "convex hull of %d points: at most %d", n, SLIP_HULL_MOST_POINTS);
    if (!slip_is_finite(tolerance)) return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "convex hull: tolerance not finite");
    if (!hull_bounds(points, n, lo, hi))
        return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "convex hull: a coordinate is not finite");
    memset(&made, 0, sizeof made);
    w.n = n;
    status = hull_run(&w, points, tolerance, lo, hi, arena, &made);
    slip_arena_release_scratch(arena, high);
    if (status < 0) {
        slip_arena_release(arena, low);
        return slip_fail(err, status, 0, 0, "convex hull of %d points: the arena is too small", n);
    }
    *hull = made;
    return status;
}

size_t slip_hull_bytes(int n)
{
    slip_arena count = slip_arena_counting();
    hull_work w;
    hull_faces f;

    if (n < 1 || n > SLIP_HULL_MOST_POINTS) return 0;
    hull_take(n, &count, &w);
    slip_hull_faces_take(n, &count, &f);
    slip_hull_take_most(n, &count);
    return slip_arena_needed(&count);
}

int slip_hull_dimension(const slip_hull *hull)
{
    return hull->nf > 2 ? 3 : hull->nf == 2 ? 2 : hull->nv > 1 ? 1 : 0;
}
