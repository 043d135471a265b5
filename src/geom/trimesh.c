/* Checks and mass properties of triangle meshes.
 *
 * Half-edges (3 per triangle) are sorted into buckets by the lower of their two vertices and, within a
 * bucket, by the higher: all uses of an edge then lie side by side. */
#include "geom/trimesh.h"

#include <string.h>
#include "geom/hull_private.h"
#include "geom/mass_private.h"

typedef struct {
    const slip_trimesh *mesh;
    int *start;              /* nv + 1: buckets in `list`            */
    int *list;               /* 3 nt half-edges h = 3 t + i          */
    int *part;               /* nt: union-find over triangles        */
} trimesh_edges;

static int trimesh_edges_take(int nv, int nt, slip_arena *arena, trimesh_edges *e)
{
    e->start = (int *)slip_arena_scratch(arena, (size_t)nv + 1, sizeof(int));
    e->list = (int *)slip_arena_scratch(arena, 3*(size_t)nt, sizeof(int));
    e->part = (int *)slip_arena_scratch(arena, (size_t)nt, sizeof(int));
    return e->start && e->list && e->part;
}

size_t slip_trimesh_check_bytes(int nv, int nt)
{
    slip_arena count = slip_arena_counting();
    trimesh_edges e;

    trimesh_edges_take(nv, nt, &count, &e);
    return slip_arena_needed(&count);
}

static int trimesh_from(const slip_trimesh *m, int h) { return m->triangle[h]; }
static int trimesh_to(const slip_trimesh *m, int h)   { return m->triangle[h - h % 3 + (h + 1) % 3]; }
static int trimesh_tip(const slip_trimesh *m, int h)  { return m->triangle[h - h % 3 + (h + 2) % 3]; }

static int trimesh_low(const slip_trimesh *m, int h)
{
    const int a = trimesh_from(m, h), b = trimesh_to(m, h);

    return a < b ? a : b;
}

static int trimesh_high(const slip_trimesh *m, int h)
{
    const int a = trimesh_from(m, h), b = trimesh_to(m, h);

    return a < b ? b : a;
}

static int trimesh_before(const void *mesh, int g, int h)
{
    const slip_trimesh *m = (const slip_trimesh *)mesh;
    const int a = trimesh_high(m, g), b = trimesh_high(m, h);

    return a != b ? a < b : g < h;
}

static void trimesh_sort(const slip_trimesh *m, trimesh_edges *e)
{
    int h, v;

    memset(e->start, 0, ((size_t)m->nv + 1)*sizeof *e->start);
    for (h = 0; h < 3*m->nt; ++h) ++e->start[trimesh_low(m, h) + 1];
    for (v = 0; v < m->nv; ++v) e->start[v + 1] += e->start[v];
    for (h = 0; h < 3*m->nt; ++h) e->list[e->start[trimesh_low(m, h)]++] = h;
    for (v = m->nv; v > 0; --v) e->start[v] = e->start[v - 1];           /* filling moved each start to its end */
    e->start[0] = 0;
    for (v = 0; v < m->nv; ++v)
        slip_hull_sort(e->list + e->start[v], e->start[v + 1] - e->start[v], trimesh_before, m);
}

/* The representative of a triangle's part; paths are halved on the way. */
static int trimesh_root(int *part, int t)
{
    while (part[t] != t) {
        part[t] = part[part[t]];
        t = part[t];
    }
    return t;
}

static void trimesh_unite(int *part, int s, int t)
{
    const int a = trimesh_root(part, s), b = trimesh_root(part, t);

    if (a < b) part[b] = a;
    else       part[a] = b;
}

/* Area vector of triangle t, and its size as twice the area. */
static slip_real trimesh_normal(const slip_trimesh *m, int t, slip_real n[3])
{
    const int *v = m->triangle + 3*t;
    slip_real a[3], b[3];

    slip_sub3(m->vertex + 3*v[1], m->vertex + 3*v[0], a);
    slip_sub3(m->vertex + 3*v[2], m->vertex + 3*v[0], b);
    slip_cross3(a, b, n);
    return slip_normalize3(n, n);
}

/* Height of the third corner of the triangle at g over the plane of the one at h; side -1 for a mesh inside out. */
static slip_real trimesh_bulge(const slip_trimesh *m, int h, int g, int side)
{
    slip_real n[3], d[3];

    if (!(trimesh_normal(m, h/3, n) > 0)) return 0;
    slip_sub3(m->vertex + 3*trimesh_tip(m, g), m->vertex + 3*trimesh_from(m, h), d);
    return (slip_real)side*slip_dot3(n, d);
}

/* Counts one edge, used by the half-edges list[0..n). */
static void trimesh_edge(const slip_trimesh *m, const int *list, int n, slip_real tolerance, slip_trimesh_facts *r)
{
    const int side = r->inside_out ? -1 : 1;

    if (n == 1) ++r->open_edges;
    else if (n > 2) ++r->crowded_edges;
    else if (trimesh_from(m, list[0]) == trimesh_from(m, list[1])) ++r->twisted_edges;
    else if (trimesh_bulge(m, list[0], list[1], side) > tolerance
             && trimesh_bulge(m, list[1], list[0], side) > tolerance)
        ++r->concave_edges;
}

static void trimesh_edges_count(const slip_trimesh *m, const trimesh_edges *e, slip_real tolerance,
                                slip_trimesh_facts *r)
{
    int at, end, k;

    for (at = 0; at < 3*m->nt; at = end) {
        const int h = e->list[at];

        for (end = at + 1; end < 3*m->nt && trimesh_low(m, e->list[end]) == trimesh_low(m, h)
                           && trimesh_high(m, e->list[end]) == trimesh_high(m, h); ++end) { }
        for (k = at + 1; k < end; ++k) trimesh_unite(e->part, h/3, e->list[k]/3);
        if (trimesh_low(m, h) != trimesh_high(m, h)) trimesh_edge(m, e->list + at, end - at, tolerance, r);
    }
}

static void trimesh_bounds(const slip_trimesh *m, const trimesh_edges *e, slip_trimesh_facts *r)
{
    int v, j;

    slip_set3(SLIP_REAL_MAX, SLIP_REAL_MAX, SLIP_REAL_MAX, r->lo);
    slip_set3(-SLIP_REAL_MAX, -SLIP_REAL_MAX, -SLIP_REAL_MAX, r->hi);
    for (v = 0; v < 3*m->nt; ++v)
        for (j = 0; j < 3; ++j) {
            r->lo[j] = slip_min(r->lo[j], m->vertex[3*m->triangle[v] + j]);
            r->hi[j] = slip_max(r->hi[j], m->vertex[3*m->triangle[v] + j]);
        }
    memset(e->start, 0, ((size_t)m->nv + 1)*sizeof *e->start);
    for (v = 0; v < 3*m->nt; ++v) e->start[m->triangle[v]] = 1;
    for (v = 0; v < m->nv; ++v) r->unused_vertices += !e->start[v];
    if (m->nt == 0) { slip_zero3(r->lo);  slip_zero3(r->hi); }
}

/* Triangles without area, measured against their own longest side. */
static void trimesh_areas(const slip_trimesh *m, slip_trimesh_facts *r)
{
    double area = 0;
    int t, i;

    for (t = 0; t < m->nt; ++t) {
        const int *v = m->triangle + 3*t;
        slip_real n[3], side = 0;
        const slip_real twice = trimesh_normal(m, t, n);

        for (i = 0; i < 3; ++i) side = slip_max(side, slip_distance3(m->vertex + 3*v[i], m->vertex + 3*v[(i + 1) % 3]));
        r->empty_triangles += !(twice > 4*SLIP_REAL_EPS*side*side);
        area += (double)twice/2;
    }
    r->area = (slip_real)area;
}

static void trimesh_sum(const slip_trimesh *m, slip_mass_sums *sums)
{
    int t;

    slip_mass_sums_begin(m->vertex + 3*m->triangle[0], sums);
    for (t = 0; t < m->nt; ++t) {
        const int *v = m->triangle + 3*t;

        slip_mass_sums_add(m->vertex + 3*v[0], m->vertex + 3*v[1], m->vertex + 3*v[2], sums);
    }
}

slip_status slip_trimesh_check(const slip_trimesh *mesh, slip_real tolerance, slip_arena *arena,
                               slip_trimesh_facts *report)
{
    const size_t mark = slip_arena_mark_scratch(arena);
    trimesh_edges e;
    slip_mass_sums sums;
    int t;

    if (!trimesh_edges_take(mesh->nv, mesh->nt, arena, &e)) {
        slip_arena_release_scratch(arena, mark);
        return SLIP_ERR_WORKSPACE;
    }
    memset(report, 0, sizeof *report);
    for (t = 0; t < mesh->nt; ++t) e.part[t] = t;
    if (mesh->nt > 0) {
        trimesh_sum(mesh, &sums);
        report->inside_out = sums.v6 < 0;
    }
    trimesh_sort(mesh, &e);
    trimesh_edges_count(mesh, &e, tolerance, report);
    for (t = 0; t < mesh->nt; ++t) report->components += e.part[t] == t;
    trimesh_areas(mesh, report);
    trimesh_bounds(mesh, &e, report);
    report->closed = mesh->nt >= 4 && !report->open_edges && !report->crowded_edges && !report->twisted_edges;
    slip_arena_release_scratch(arena, mark);
    return SLIP_OK;
}

slip_status slip_trimesh_mass(const slip_trimesh *mesh, slip_real density, slip_mass *mass)
{
    slip_mass_sums sums;

    if (mesh->nt < 1 || !(density >= 0) || !slip_is_finite(density)) return SLIP_ERR_ARGUMENT;
    trimesh_sum(mesh, &sums);
    return slip_mass_from_sums(&sums, density, mass);
}

void slip_trimesh_scale(const slip_real scale[3], slip_trimesh *mesh)
{
    int i, t;

    for (i = 0; i < mesh->nv; ++i) {
        slip_real *v = mesh->vertex + 3*i;

        slip_set3(scale[0]*v[0], scale[1]*v[1], scale[2]*v[2], v);
    }
    if (!(scale[0]*scale[1]*scale[2] < 0)) return;
    for (t = 0; t < mesh->nt; ++t) {
        const int b = mesh->triangle[3*t + 1];

        mesh->triangle[3*t + 1] = mesh->triangle[3*t + 2];
        mesh->triangle[3*t + 2] = b;
    }
}
