/* Mesh files: telling the formats apart, reading them in two runs, joining STL's loose corners, hulls. */
#include "io/mesh_private.h"
#include "geom/hull.h"

#include <string.h>
#include "io/file.h"
#include "io/put.h"

/* ---- what the readers share ------------------------------------------------------------------------ */

slip_status slip_mesh_add_vertex(mesh_sink *sink, const slip_real x[3])
{
    slip_trimesh *m = sink->mesh;

    if (m->nv >= MESH_MOST) return slip_fail(sink->err, SLIP_ERR_LIMIT, 0, 0, "more than %d vertices", MESH_MOST);
    if (m->vertex) slip_copy3(x, m->vertex + 3*(size_t)m->nv);
    ++m->nv;
    return SLIP_OK;
}

slip_status slip_mesh_add_triangle(mesh_sink *sink, int a, int b, int c)
{
    slip_trimesh *m = sink->mesh;

    if (m->nt >= MESH_MOST) return slip_fail(sink->err, SLIP_ERR_LIMIT, 0, 0, "more than %d triangles", MESH_MOST);
    if (m->triangle) {
        int *t = m->triangle + 3*(size_t)m->nt;

        t[0] = a;  t[1] = b;  t[2] = c;
    }
    ++m->nt;
    return SLIP_OK;
}

/* Area vector of the triangle of vertices a, b, c. */
static void mesh_area(const slip_real *x, int a, int b, int c, slip_real n[3])
{
    slip_real u[3], v[3];

    slip_sub3(x + 3*(size_t)b, x + 3*(size_t)a, u);
    slip_sub3(x + 3*(size_t)c, x + 3*(size_t)a, v);
    slip_cross3(u, v, n);
}

/* Whether all triangles of the fan from corner `start` face the way the polygon does. */
static int mesh_fan_is_good(const slip_real *x, const int *corner, int n, int start, const slip_real facing[3])
{
    int k;

    for (k = 1; k + 1 < n; ++k) {
        slip_real a[3];

        mesh_area(x, corner[start], corner[(start + k) % n], corner[(start + k + 1) % n], a);
        if (slip_dot3(a, facing) < 0) return 0;
    }
    return 1;
}

void slip_mesh_refan(slip_trimesh *m, int n, int seen)
{
    int *t = m->triangle ? m->triangle + 3*(size_t)(m->nt - (n > 3 ? n - 2 : 0)) : NULL;
    int corner[MESH_MOST_CORNERS], k, start;
    slip_real facing[3] = { 0, 0, 0 }, a[3];

    if (!t || n <= 3 || n > MESH_MOST_CORNERS) return;
    corner[0] = t[0];
    corner[1] = t[1];
    for (k = 2; k < n; ++k) corner[k] = t[3*(k - 2) + 2];
    for (k = 0; k < n; ++k) if (corner[k] >= seen) return;              /* not read yet */
    for (k = 1; k + 1 < n; ++k) {
        mesh_area(m->vertex, corner[0], corner[k], corner[k + 1], a);
        slip_add3(facing, a, facing);
    }
    for (start = 0; start < n && !mesh_fan_is_good(m->vertex, corner, n, start, facing); ++start) { }
    for (k = 1; start < n && k + 1 < n; ++k) {
        t[3*(k - 1)] = corner[start];
        t[3*(k - 1) + 1] = corner[(start + k) % n];
        t[3*(k - 1) + 2] = corner[(start + k + 1) % n];
    }
}

int slip_mesh_word_real(const char *text, int length, slip_real *x)
{
    slip_real y;

    if (slip_read_real(text, length, &y) != length || !slip_is_finite(y)) return 0;
    *x = y;
    return 1;
}

int slip_mesh_word_is(const char *text, int length, const char *lower)
{
    int i;

    for (i = 0; i < length; ++i) {
        const int c = text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i];

        if (lower[i] == '\0' || c != lower[i]) return 0;
    }
    return lower[length] == '\0';
}

/* ---- telling formats apart ------------------------------------------------------------------------- */

static int mesh_ends_with(const char *name, const char *ending)
{
    const size_t n = name ? strlen(name) : 0, m = strlen(ending);

    return n >= m && slip_mesh_word_is(name + n - m, (int)m, ending);
}

/* Text begins with "solid" and has no zero byte; but many binary files begin with that word too, so a size
 * that fits the triangle count in the header wins. */
static slip_mesh_format mesh_stl_kind(const char *bytes, size_t length)
{
    size_t i = 0, scan = length < 1024 ? length : 1024;

    if (length >= 84) {
        const unsigned char *b = (const unsigned char *)bytes + 80;
        const uint32_t n = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;

        if (length - 84 == 50*(uint64_t)n) return SLIP_MESH_STL_BINARY;
    }
    if (memchr(bytes, 0, scan)) return SLIP_MESH_STL_BINARY;
    while (i < length && slip_is_blank(bytes[i])) ++i;
    return length - i >= 5 && slip_mesh_word_is(bytes + i, 5, "solid") ? SLIP_MESH_STL_TEXT : SLIP_MESH_STL_BINARY;
}

static slip_mesh_format mesh_kind(const char *name, const char *bytes, size_t length)
{
    slip_mesh_format kind;

    if (mesh_ends_with(name, ".obj")) return SLIP_MESH_OBJ;
    if (mesh_ends_with(name, ".dae")) return SLIP_MESH_DAE;
    kind = mesh_stl_kind(bytes, length);
    if (mesh_ends_with(name, ".stl") || kind == SLIP_MESH_STL_TEXT) return kind;
    return memchr(bytes, 0, length < 1024 ? length : 1024) ? kind : SLIP_MESH_OBJ;
}

static slip_status mesh_scan(slip_mesh_format kind, const char *bytes, size_t length, mesh_sink *sink)
{
    switch (kind) {
    case SLIP_MESH_OBJ:      return slip_mesh_obj_scan(bytes, length, sink);
    case SLIP_MESH_STL_TEXT: return slip_mesh_stl_text_scan(bytes, length, sink);
    case SLIP_MESH_DAE:      return slip_mesh_dae_scan(bytes, length, sink);
    case SLIP_MESH_STL_BINARY: break;
    }
    return slip_mesh_stl_binary_scan(bytes, length, sink);
}

/* ---- joining equal corners ------------------------------------------------------------------------- */

static uint32_t mesh_hash(const slip_real x[3])
{
    uint32_t h = 2166136261u;
    int i;

    for (i = 0; i < 3; ++i) {
        const slip_real y = x[i] + 0;                    /* -0 becomes 0 */
        unsigned char b[sizeof(slip_real)];
        size_t k;

        memcpy(b, &y, sizeof b);
        for (k = 0; k < sizeof b; ++k) h = (h ^ b[k])*16777619u;
    }
    return h ^ h >> 15;
}

static size_t mesh_weld_slots(size_t nv)
{
    size_t n = 16;

    while (n < 2*nv) n *= 2;
    return n;
}

/* Leaves out vertices that no triangle has: they would be corners of the hull. Returns how many, or -1 when the scratch
 * does not fit. */
static int mesh_drop_unused(slip_trimesh *m, slip_arena *arena)
{
    const size_t mark = slip_arena_mark_scratch(arena);
    int *number = (int *)slip_arena_scratch(arena, (size_t)m->nv, sizeof(int));
    int v, kept = 0, unused;

    if (!number) return -1;
    for (v = 0; v < m->nv; ++v) number[v] = -1;
    for (v = 0; v < 3*m->nt; ++v) number[m->triangle[v]] = 0;
    for (v = 0; v < m->nv; ++v) {
        if (number[v] < 0) continue;
        memmove(m->vertex + 3*(size_t)kept, m->vertex + 3*(size_t)v, 3*sizeof *m->vertex);
        number[v] = kept++;
    }
    for (v = 0; v < 3*m->nt; ++v) m->triangle[v] = number[m->triangle[v]];
    unused = m->nv - kept;
    m->nv = kept;
    slip_arena_release_scratch(arena, mark);
    return unused;
}

/* Gives equal vertices one index, the first one's; 0 when the scratch does not fit. */
static int mesh_weld(slip_trimesh *m, slip_arena *arena)
{
    const size_t mark = slip_arena_mark_scratch(arena), slots = mesh_weld_slots((size_t)m->nv);
    int *slot = (int *)slip_arena_scratch(arena, slots, sizeof(int));
    int *number = (int *)slip_arena_scratch(arena, (size_t)m->nv, sizeof(int));
    int v, kept = 0;

    if (!slot || !number) return 0;
    memset(slot, 0xff, slots*sizeof *slot);              /* -1: free */
    for (v = 0; v < m->nv; ++v) {
        const slip_real *x = m->vertex + 3*(size_t)v;
        size_t at = mesh_hash(x) & (slots - 1);

        for (; slot[at] >= 0; at = (at + 1) & (slots - 1)) {
            const slip_real *y = m->vertex + 3*(size_t)slot[at];

            if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2]) break;
        }
        if (slot[at] < 0) {
            slot[at] = kept;
            memmove(m->vertex + 3*(size_t)kept++, x, 3*sizeof *x);
        }
        number[v] = slot[at];
    }
    for (v = 0; v < 3*m->nt; ++v) m->triangle[v] = number[m->triangle[v]];
    m->nv = kept;
    slip_arena_release_scratch(arena, mark);
    return 1;
}

/* ---- parsing --------------------------------------------------------------------------------------- */

static slip_status mesh_scale_check(const slip_real *scale, slip_error *err)
{
    int i;

    for (i = 0; scale && i < 3; ++i)
        if (!slip_is_finite(scale[i]) || scale[i] == 0)
            return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "mesh scale %g: must be finite and not zero",
                             (double)scale[i]);
    return SLIP_OK;
}

/* Second run and what follows it; the counts are in m. */
static slip_status mesh_fill(slip_mesh_format kind, const char *bytes, size_t length, const slip_real *scale,
                             slip_arena *arena, slip_trimesh *m, mesh_sink *sink, slip_mesh_notes *notes)
{
    slip_mesh_notes twice;
    slip_status s;
    int k;

    m->vertex = slip_arena_reals(arena, 3*(size_t)m->nv);
    m->triangle = slip_arena_ints(arena, 3*(size_t)m->nt);
    if (!m->vertex || !m->triangle)
        return slip_fail(sink->err, SLIP_ERR_WORKSPACE, 0, 0, "%d vertices and %d triangles do not fit the arena",
                         m->nv, m->nt);
    memset(&twice, 0, sizeof twice);
    sink->notes = &twice;
    sink->report = NULL;
    s = mesh_scan(kind, bytes, length, sink);
    if (s < 0) return s;
    notes->unused = mesh_drop_unused(m, arena);
    if (notes->unused < 0)
        return slip_fail(sink->err, SLIP_ERR_WORKSPACE, 0, 0, "no room to number %d vertices anew", m->nv);
    if (kind != SLIP_MESH_OBJ) {
        const int before = m->nv;

        if (!mesh_weld(m, arena))
            return slip_fail(sink->err, SLIP_ERR_WORKSPACE, 0, 0, "no room to join the corners of %d triangles", m->nt);
        notes->welded = before - m->nv;
    }
    if (scale) slip_trimesh_scale(scale, m);
    for (k = 0; k < 3*m->nv; ++k)
        if (!(slip_abs(m->vertex[k]) <= MESH_FAR))
            return slip_fail(sink->err, SLIP_ERR_ARGUMENT, 0, 0, "vertex %d: scaled coordinate %g, at most %g is taken",
                             k/3 + 1, (double)m->vertex[k], (double)MESH_FAR);
    return SLIP_OK;
}

slip_status slip_mesh_read(const char *name, const char *bytes, size_t length, const slip_real *scale,
                           slip_arena *arena, slip_trimesh *mesh, slip_mesh_notes *notes, slip_report *report,
                           slip_error *err)
{
    const size_t low = slip_arena_mark(arena), high = slip_arena_mark_scratch(arena);
    slip_trimesh m = { 0, 0, NULL, NULL };
    slip_mesh_notes local;
    slip_error spare;
    mesh_sink sink;
    slip_status s;

    if (!err) err = &spare;
    slip_error_clear(err);
    slip_error_set_file(err, name);
    memset(&local, 0, sizeof local);
    local.format = mesh_kind(name, bytes, length);
    sink.mesh = &m;
    sink.notes = &local;
    sink.report = report;
    sink.err = err;
    sink.arena = arena;
    s = mesh_scale_check(scale, err);
    if (s == SLIP_OK && length > MESH_MOST_BYTES)
        s = slip_fail(err, SLIP_ERR_LIMIT, 0, 0, "%z bytes: at most %d are read", length, MESH_MOST_BYTES);
    if (s == SLIP_OK) s = mesh_scan(local.format, bytes, length, &sink);
    if (s == SLIP_OK && m.nt < 2)
        s = slip_fail(err, SLIP_ERR_PARSE, 0, 0, "%s", m.nt == 0 ? "the mesh has no triangles"
                                                                   : "a single triangle is no body");
    if (s == SLIP_OK) s = mesh_fill(local.format, bytes, length, scale, arena, &m, &sink, &local);
    slip_arena_release_scratch(arena, high);
    if (s < 0) {
        slip_arena_release(arena, low);
        return s;
    }
    *mesh = m;
    if (notes) *notes = local;
    return SLIP_OK;
}

/* ---- files ----------------------------------------------------------------------------------------- */

slip_status slip_mesh_load(const char *path, const slip_real *scale, slip_arena *arena, slip_trimesh *mesh,
                           slip_mesh_notes *notes, slip_report *report, slip_error *err)
{
    const size_t high = slip_arena_mark_scratch(arena);
    slip_error spare;
    char *bytes = NULL;
    size_t size = 0;
    slip_status s;

    if (!err) err = &spare;
    s = slip_file_read(path, MESH_MOST_BYTES, arena, &bytes, &size, err);
    if (s == SLIP_OK) s = slip_mesh_read(path, bytes, size, scale, arena, mesh, notes, report, err);
    slip_arena_release_scratch(arena, high);
    return s;
}

/* Text of this length holds at most so many vertices: "v 0 0 0" and its line's end take 8 bytes, three
 * binary ones 50; and so many triangles: in a fan, a corner and a blank take 2. */
size_t slip_mesh_read_bytes(size_t length)
{
    slip_arena count = slip_arena_counting();
    const size_t nv = length/8 + 1, nt = length/2 + 1;

    slip_arena_reals(&count, 3*nv);
    slip_arena_ints(&count, 3*nt);
    slip_arena_scratch(&count, mesh_weld_slots(nv), sizeof(int));
    slip_arena_scratch(&count, nv, sizeof(int));
    return slip_arena_needed(&count);
}

/* ---- hulls ----------------------------------------------------------------------------------------- */

slip_real slip_mesh_tolerance(const slip_trimesh *mesh)
{
    slip_real most = 0;
    int i;

    for (i = 0; i < 3*mesh->nv; ++i) most = slip_max(most, slip_abs(mesh->vertex[i]));
    return SLIP_R(2e-5)*most;
}

int slip_mesh_is_convex(const slip_trimesh *mesh, const slip_trimesh_facts *report, const slip_hull *hull,
                        slip_real *missing)
{
    const slip_shape shape = { SLIP_SHAPE_MESH, 0, { 0, 0, 0 }, hull, NULL };
    slip_mass of_mesh, of_hull;
    slip_real gap = 0;

    if (report->closed && slip_trimesh_mass(mesh, 1, &of_mesh) >= 0 && slip_shape_mass(&shape, 1, &of_hull) == SLIP_OK)
        gap = 1 - of_mesh.volume/of_hull.volume;
    if (missing) *missing = gap;
    return report->concave_edges == 0 && gap < SLIP_R(1e-3);
}

/* Moves a mesh from the low end (released to `low`) to the scratch end. */
static int mesh_to_scratch(size_t low, slip_arena *arena, slip_trimesh *m)
{
    const size_t nx = 3*(size_t)m->nv, ni = 3*(size_t)m->nt;
    slip_real *x = (slip_real *)slip_arena_scratch(arena, nx, sizeof *x);
    int *t = (int *)slip_arena_scratch(arena, ni, sizeof *t);

    if (!x || !t) return 0;
    memcpy(x, m->vertex, nx*sizeof *x);
    memcpy(t, m->triangle, ni*sizeof *t);
    m->vertex = x;
    m->triangle = t;
    slip_arena_release(arena, low);
    return 1;
}

static slip_status mesh_hull_warnings(const slip_trimesh *m, const slip_hull *hull, slip_real tolerance,
                                      slip_arena *arena, slip_report *report, slip_error *err)
{
    slip_trimesh_facts found;
    slip_real missing;

    if (slip_hull_dimension(hull) < 3)
        return slip_warn(report, err, 0, 0, "the mesh is flat: it collides as a polygon and has no volume");
    if (slip_trimesh_check(m, tolerance, arena, &found) < 0)
        return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "no room to check %d triangles", m->nt);
    if (slip_mesh_is_convex(m, &found, hull, &missing)) return SLIP_OK;
    if (!found.closed)
        return slip_warn(report, err, 0, 0, "the mesh is not convex: its convex hull is used (%d vertices, %d faces)",
                         hull->nv, hull->nf);
    return slip_warn(report, err, 0, 0,
                     "the mesh is not convex: its convex hull is used (%d vertices, %d faces, %.1f %% more volume)",
                     hull->nv, hull->nf, 100*(double)missing/(1 - (double)missing));
}

static slip_status mesh_make_hull(const slip_trimesh *m, slip_real tolerance, slip_arena *arena, slip_hull *hull,
                                  slip_report *report, slip_error *err)
{
    const slip_real tol = tolerance > 0 ? tolerance : slip_mesh_tolerance(m);
    slip_status s = slip_hull_build(m->vertex, m->nv, tol, arena, hull, err), warned;

    if (s == SLIP_ERR_WORKSPACE)
        return slip_fail(err, s, 0, 0, "the hull of %d vertices needs %z bytes of arena", m->nv,
                         slip_hull_bytes(m->nv));
    if (s < 0) return s;
    warned = mesh_hull_warnings(m, hull, 4*tol, arena, report, err);
    return warned < 0 ? warned : s;
}

slip_status slip_mesh_load_hull(const char *path, const slip_real *scale, slip_real tolerance, slip_arena *arena,
                                slip_hull *hull, slip_report *report, slip_error *err)
{
    const size_t low = slip_arena_mark(arena), high = slip_arena_mark_scratch(arena);
    slip_trimesh m;
    slip_hull made;
    slip_error spare;
    slip_status s;

    if (!err) err = &spare;
    s = slip_mesh_load(path, scale, arena, &m, NULL, report, err);
    if (s >= 0 && !mesh_to_scratch(low, arena, &m))
        s = slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "%d vertices and %d triangles do not fit the arena twice",
                      m.nv, m.nt);
    if (s >= 0) s = mesh_make_hull(&m, tolerance, arena, &made, report, err);
    slip_arena_release_scratch(arena, high);
    if (s < 0) slip_arena_release(arena, low);
    else *hull = made;
    return s;
}

/* ---- writing --------------------------------------------------------------------------------------- */

slip_status slip_mesh_write_parts(const slip_hull *hulls, int n, slip_stream *out)
{
    int i, k, part, first = 1;

    for (part = 0; part < n; ++part) {
        const slip_hull *hull = &hulls[part];

        if (n > 1) slip_put_format(out, "o part%d\n", part);
        for (i = 0; i < hull->nv; ++i) {
            slip_put_text(out, "v");
            slip_put_reals(out, 3, hull->vertex + 3*i);
            slip_put_text(out, "\n");
        }
        for (i = 0; i < hull->nf; ++i) {
            slip_put_text(out, "f");
            for (k = hull->loop_start[i]; k < hull->loop_start[i + 1]; ++k)
                slip_put_format(out, " %d", hull->loop[k] + first);
            slip_put_text(out, "\n");
        }
        first += hull->nv;
    }
    return slip_stream_flush(out);
}

slip_status slip_mesh_write_obj(const slip_hull *hull, slip_stream *out)
{
    return slip_mesh_write_parts(hull, 1, out);
}
