/* See decompose.h. A part is a list of triangles: pieces of the mesh, and signed fans over the cuts, which close it for
 * its volume. A fan covers its cut outside the solid too, once in each direction; so volumes are exact, but its corners
 * are no corners of the part. */
#include "geom/decompose.h"

#include <string.h>
#include "base/fail.h"
#include "geom/hull.h"

enum { DECOMPOSE_CUTS = 7 };              /* places tried along each axis: eighths of the part's length */

typedef struct { slip_real x[9]; int is_cap; } decompose_triangle;

typedef struct {
    decompose_triangle *t;
    int n;
    slip_real volume, hull_volume;
    slip_real lo[3], hi[3];               /* the planes it was cut by; infinite where it was not */
    int is_done;                          /* no cut makes it better */
} decompose_part;

typedef struct {
    const slip_trimesh *mesh;
    slip_arena *mem;
    slip_real tolerance;
    slip_error *err;
} decomposer;

/* ---- volumes ------------------------------------------------------------------------------------- */

static slip_real decompose_volume(const decompose_triangle *t, int n)
{
    slip_real sum = 0, c[3];
    int i;

    for (i = 0; i < n; ++i) {
        slip_cross3(t[i].x + 3, t[i].x + 6, c);
        sum += slip_dot3(t[i].x, c);
    }
    return sum/6;
}

/* Whether a point is inside a closed mesh: a ray from it, in a direction that no edge is likely to be met along, leaves
 * the solid once more than it enters it. */
static int decompose_is_inside(const slip_trimesh *m, const slip_real x[3])
{
    const slip_real ray[3] = { 1, SLIP_R(0.0137), SLIP_R(0.0071) };
    int i, crossings = 0;

    for (i = 0; i < m->nt; ++i) {
        const slip_real *a = m->vertex + 3*m->triangle[3*i], *b = m->vertex + 3*m->triangle[3*i + 1];
        const slip_real *c = m->vertex + 3*m->triangle[3*i + 2];
        slip_real e[3], f[3], s[3], p[3], q[3], det, u, v;

        slip_sub3(b, a, e);
        slip_sub3(c, a, f);
        slip_sub3(x, a, s);
        slip_cross3(ray, f, p);
        slip_cross3(s, e, q);
        det = slip_dot3(e, p);
        u = slip_dot3(s, p);
        v = slip_dot3(ray, q);
        if (det < 0) { u = -u;  v = -v; }
        if (!(det > 0 || det < 0) || u < 0 || v < 0 || u + v > slip_abs(det)) continue;
        crossings += slip_dot3(f, q)/det > 0;
    }
    return crossings % 2;
}

/* Corners of a part where three cuts meet within the solid: they are on no triangle of the mesh. */
static int decompose_corners(const decomposer *d, const decompose_part *p, slip_real *points)
{
    int i, k, n = 0;

    for (i = 0; i < 8; ++i) {
        slip_real x[3];

        for (k = 0; k < 3; ++k) x[k] = i >> k & 1 ? p->hi[k] : p->lo[k];
        if (!slip_all_finite(x, 3) || !decompose_is_inside(d->mesh, x)) continue;
        slip_copy3(x, points + 3*n++);
    }
    return n;
}

/* The hull of a part's corners, fans left out, into *hull; its volume, 0 for a flat one; negative: an error. */
static slip_status decompose_hull(decomposer *d, const decompose_part *part, slip_hull *hull, slip_real *volume)
{
    const decompose_triangle *t = part->t;
    const int n = part->n;
    const size_t high = slip_arena_mark_scratch(d->mem);
    slip_real *points = (slip_real *)slip_arena_scratch(d->mem, 9*(size_t)n + 24, sizeof(slip_real));
    int i, k = 0;
    slip_mass mass;
    slip_shape shape;
    slip_status s = SLIP_DEGENERATE;

    *volume = 0;
    if (!points) return slip_fail(d->err, SLIP_ERR_WORKSPACE, 0, 0, "no room for the corners of %d triangles", n);
    for (i = 0; i < n; ++i)
        if (!t[i].is_cap) memcpy(points + 9*(size_t)k++, t[i].x, sizeof t[i].x);
    if (k > 0)
        s = slip_hull_build(points, 3*k + decompose_corners(d, part, points + 9*(size_t)k), d->tolerance, d->mem, hull,
                            d->err);
    slip_arena_release_scratch(d->mem, high);
    if (s != SLIP_OK) return s;
    shape = slip_shape_mesh(hull);
    if (slip_shape_mass(&shape, 1, &mass) == SLIP_OK) *volume = mass.volume;
    return SLIP_OK;
}

/* ---- cutting ------------------------------------------------------------------------------------- */

/* Where the edge from a to b crosses x[axis] = at. The same whichever end comes first. */
static void decompose_cross(const slip_real *a, const slip_real *b, int axis, slip_real at, slip_real x[3])
{
    const slip_real *low = a[axis] < b[axis] ? a : b, *high = a[axis] < b[axis] ? b : a;
    const slip_real s = (at - low[axis])/(high[axis] - low[axis]);
    int i;

    for (i = 0; i < 3; ++i) x[i] = low[i] + s*(high[i] - low[i]);
    x[axis] = at;
}

/* What is on one side (1: above) of a plane that no corner is on, with a fan over the cut. out NULL: only counted. */
static int decompose_clip(const decompose_part *p, int axis, slip_real at, int side, decompose_triangle *out)
{
    slip_real centre[3] = { 0, 0, 0 };
    int i, k, n = 0, has_centre = 0;

    for (i = 0; i < p->n; ++i) {
        const slip_real *x = p->t[i].x;
        slip_real poly[12], leave[3], enter[3];
        int m = 0, crosses = 0;

        for (k = 0; k < 3; ++k) {
            const slip_real *a = x + 3*k, *b = x + 3*((k + 1) % 3);
            const int in_a = (a[axis] > at) == side, in_b = (b[axis] > at) == side;

            if (in_a) slip_copy3(a, poly + 3*m++);
            if (in_a == in_b) continue;
            decompose_cross(a, b, axis, at, poly + 3*m);
            slip_copy3(poly + 3*m, in_a ? leave : enter);
            ++m;
            crosses = 1;
        }
        for (k = 2; k < m; ++k, ++n) {
            if (!out) continue;
            slip_copy3(poly, out[n].x);
            slip_copy3(poly + 3*(k - 1), out[n].x + 3);
            slip_copy3(poly + 3*k, out[n].x + 6);
            out[n].is_cap = p->t[i].is_cap;
        }
        if (!crosses) continue;
        if (!has_centre) slip_copy3(leave, centre);
        has_centre = 1;
        if (out) {
            slip_copy3(centre, out[n].x);
            slip_copy3(enter, out[n].x + 3);
            slip_copy3(leave, out[n].x + 6);
            out[n].is_cap = 1;
        }
        ++n;
    }
    return n;
}

/* A place near `at` that no corner is on, so that every triangle is cut or not. */
static slip_real decompose_place(const decompose_part *p, int axis, slip_real at, slip_real length)
{
    const slip_real near = 16*SLIP_REAL_EPS*(slip_abs(at) + length);
    int i, tries;

    for (tries = 0; tries < 8; ++tries) {
        for (i = 0; i < 3*p->n && slip_abs(p->t[i/3].x[3*(i % 3) + axis] - at) > near; ++i) { }
        if (i == 3*p->n) return at;
        at += 8*near;
    }
    return at;
}

/* One half of a part, in scratch. */
static slip_status decompose_half(decomposer *d, const decompose_part *p, int axis, slip_real at, int side,
                                  decompose_part *half)
{
    const int n = decompose_clip(p, axis, at, side, NULL);

    *half = *p;
    half->is_done = 0;
    *(side ? &half->lo[axis] : &half->hi[axis]) = at;
    half->t = (decompose_triangle *)slip_arena_scratch(d->mem, (size_t)n, sizeof *half->t);
    if (!half->t) return slip_fail(d->err, SLIP_ERR_WORKSPACE, 0, 0, "no room for a part of %d triangles", n);
    half->n = decompose_clip(p, axis, at, side, half->t);
    half->volume = decompose_volume(half->t, half->n);
    return SLIP_OK;
}

/* The sum of the volumes of the halves' hulls for one cut; nothing stays taken. */
static slip_status decompose_try(decomposer *d, const decompose_part *p, int axis, slip_real at, slip_real *sum)
{
    const size_t low = slip_arena_mark(d->mem), high = slip_arena_mark_scratch(d->mem);
    decompose_part half;
    slip_hull hull;
    slip_real volume;
    slip_status s = SLIP_OK;
    int side;

    *sum = 0;
    for (side = 0; side < 2 && s >= 0; ++side) {
        s = decompose_half(d, p, axis, at, side, &half);
        if (s >= 0) s = decompose_hull(d, &half, &hull, &volume);
        *sum += s >= 0 ? volume : 0;
        slip_arena_release(d->mem, low);
        slip_arena_release_scratch(d->mem, high);
    }
    return s < 0 ? s : SLIP_OK;
}

/* The best cut of a part: *axis is -1 when it has none. It need not make the hulls smaller: halves of a cup fill as
 * much as the cup, its quarters do not. Of equal cuts the one nearest to the middle. */
static slip_status decompose_best(decomposer *d, const decompose_part *p, int *axis, slip_real *at)
{
    slip_real least = (slip_real)INFINITY;
    int i, k;

    *axis = -1;
    for (k = 0; k < 3; ++k) {
        slip_real lo = p->t[0].x[k], hi = lo;
        int cut;

        for (i = 0; i < 3*p->n; ++i) {
            lo = slip_min(lo, p->t[i/3].x[3*(i % 3) + k]);
            hi = slip_max(hi, p->t[i/3].x[3*(i % 3) + k]);
        }
        for (cut = 0; cut < DECOMPOSE_CUTS && hi - lo > 2*d->tolerance; ++cut) {
            const int eighth = 4 + (cut % 2 ? (cut + 1)/2 : -cut/2);      /* 4 5 3 6 2 7 1 */
            const slip_real near = lo + (hi - lo)*(slip_real)eighth/(DECOMPOSE_CUTS + 1);
            const slip_real place = decompose_place(p, k, near, hi - lo);
            slip_real sum;
            const slip_status s = decompose_try(d, p, k, place, &sum);

            if (s < 0) return s;
            if (sum >= least*(1 - SLIP_R(1e-6))) continue;
            least = sum;
            *axis = k;
            *at = place;
        }
    }
    return SLIP_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

/* Cuts a part; the second half goes to *other. */
static slip_status decompose_cut(decomposer *d, decompose_part *p, decompose_part *other)
{
    decompose_part half[2];
    slip_hull hull;
    slip_real at = 0;
    int axis, side;
    slip_status s = decompose_best(d, p, &axis, &at);

    if (s < 0 || axis < 0) {
        p->is_done = 1;                                        /* too thin to be cut */
        return s;
    }
    for (side = 0; side < 2 && s >= 0; ++side) {
        const size_t low = slip_arena_mark(d->mem);

        s = decompose_half(d, p, axis, at, side, &half[side]);
        if (s >= 0) s = decompose_hull(d, &half[side], &hull, &half[side].hull_volume);
        slip_arena_release(d->mem, low);
    }
    if (s < 0) return s;
    *p = half[0];
    *other = half[1];
    return SLIP_OK;
}

/* Cuts until it is good enough; returns the number of parts, or an error. */
static int decompose_all(decomposer *d, decompose_part *part, int most, slip_real excess)
{
    const slip_real allowed = excess*part[0].volume;
    int n = 1, i;

    while (n < most) {
        slip_real sum = 0;
        int worst = -1;
        slip_status s;

        for (i = 0; i < n; ++i) {
            const slip_real over = part[i].hull_volume - part[i].volume;

            sum += slip_max(0, over);
            if (!part[i].is_done && (worst < 0 || over > part[worst].hull_volume - part[worst].volume)) worst = i;
        }
        if (sum <= allowed || worst < 0) break;
        s = decompose_cut(d, &part[worst], &part[n]);
        if (s < 0) return s;
        n += !part[worst].is_done;
    }
    return n;
}

/* The mesh's triangles as a part, and whether it has an inside. */
static slip_status decompose_begin(decomposer *d, const slip_trimesh *mesh, decompose_part *p)
{
    slip_trimesh_facts facts;
    slip_status s = slip_trimesh_check(mesh, d->tolerance, d->mem, &facts);
    int i, k;

    if (s < 0) return slip_fail(d->err, s, 0, 0, "no room to check the mesh");
    memset(p, 0, sizeof *p);
    for (k = 0; k < 3; ++k) {
        p->lo[k] = -(slip_real)INFINITY;
        p->hi[k] = (slip_real)INFINITY;
    }
    p->n = mesh->nt;
    p->t = (decompose_triangle *)slip_arena_scratch(d->mem, (size_t)mesh->nt, sizeof *p->t);
    if (!p->t) return slip_fail(d->err, SLIP_ERR_WORKSPACE, 0, 0, "no room for the mesh's triangles");
    for (i = 0; i < mesh->nt; ++i) {
        for (k = 0; k < 3; ++k) slip_copy3(mesh->vertex + 3*mesh->triangle[3*i + k], p->t[i].x + 3*k);
        p->t[i].is_cap = 0;
    }
    p->volume = decompose_volume(p->t, p->n);
    return facts.closed && p->volume > 0 ? SLIP_OK : SLIP_DEGENERATE;
}

slip_status slip_decompose(const slip_trimesh *mesh, int most, slip_real excess, slip_real tolerance, slip_arena *mem,
                           slip_decomposition *out, slip_error *err)
{
    const size_t low = slip_arena_mark(mem), high = slip_arena_mark_scratch(mem);
    slip_decomposition made;
    decompose_part part[SLIP_DECOMPOSE_MOST];
    decomposer d;
    slip_status s, status;
    int i, n = 1;

    memset(&made, 0, sizeof made);
    d.mesh = mesh;
    d.mem = mem;
    d.tolerance = tolerance;
    d.err = err;
    made.part = (slip_hull *)slip_arena_take(mem, SLIP_DECOMPOSE_MOST, sizeof *made.part);
    if (!made.part) return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "no room for the parts");
    s = status = decompose_begin(&d, mesh, &part[0]);
    if (s >= 0) {
        const size_t mark = slip_arena_mark(mem);

        s = decompose_hull(&d, &part[0], &made.part[0], &part[0].hull_volume);
        slip_arena_release(mem, mark);
        made.volume = part[0].volume;
        made.hull_volume = part[0].hull_volume;
    }
    if (s == SLIP_OK && status == SLIP_OK) {
        n = decompose_all(&d, part, most < 1 ? 1 : most > SLIP_DECOMPOSE_MOST ? SLIP_DECOMPOSE_MOST : most, excess);
        if (n < 0) s = (slip_status)n;
    }
    for (i = 0; i < n && s >= 0; ++i) {
        slip_real volume;

        s = decompose_hull(&d, &part[i], &made.part[made.n], &volume);
        made.parts_volume += s >= 0 ? volume : 0;
        made.n += s == SLIP_OK || (s == SLIP_DEGENERATE && n == 1);    /* a sliver without volume is left out */
    }
    slip_arena_release_scratch(mem, high);
    if (s < 0) {
        slip_arena_release(mem, low);
        return s;
    }
    *out = made;
    return status;
}
