/* Assets of MJCF: meshes and height fields, from files or from numbers; the mass of meshes. */
#include "io/mjcf_private.h"

#include <string.h>
#include "geom/hull.h"
#include "io/file.h"
#include "io/heightmap.h"
#include "io/mesh.h"

static slip_status asset_full(mjcf_reader *r)
{
    return slip_fail(r->u.err, SLIP_ERR_WORKSPACE, 0, 0, "robot does not fit into the arena");
}

/* ---- names and paths ----------------------------------------------------------------------------- */

/* A file's name without its directories. */
static slip_xml_slice asset_base(slip_xml_slice file)
{
    slip_xml_slice base = file;
    int n;

    for (n = 0; n < file.length; ++n)
        if (file.text[n] == '/' || file.text[n] == '\\') {
            base.text = file.text + n + 1;
            base.length = file.length - n - 1;
        }
    return base;
}

/* The path of a file: the model's directory, the compiler's, the file, \ for /; NULL when the arena is full. */
static const char *asset_path(mjcf_reader *r, const char *dir, slip_xml_slice file)
{
    const char *model = r->u.file, *slash = strrchr(model, '/');
    const size_t n = slash ? (size_t)(slash - model) + 1 : 0, m = strlen(dir), length = (size_t)file.length;
    char *path = (char *)slip_arena_take(r->mem, n + m + length + 2, 1), *at = path;

    if (!path) return NULL;
    if (r->compiler.strip_path) file = asset_base(file);
    if (file.text[0] != '/' && dir[0] != '/') {
        memcpy(at, model, n);
        at += n;
    }
    if (m > 0 && file.text[0] != '/') {
        memcpy(at, dir, m);
        at += m;
        if (dir[m - 1] != '/') *at++ = '/';
    }
    memcpy(at, file.text, (size_t)file.length);
    at[slip_xml_decode(file, 1, at)] = '\0';
    for (; *at; ++at) if (*at == '\\') *at = '/';
    return path;
}

/* An asset without a name has its file's, without directories and ending. */
static const char *asset_name(mjcf_reader *r, slip_xml_slice file)
{
    const slip_xml_attribute *name = slip_xml_find(r->u.xml, "name");
    slip_xml_slice base = asset_base(file);
    int n;

    if (name) return slip_mjcf_copy(r, name->value);
    for (n = base.length - 1; n > 0 && base.text[n] != '.'; --n) { }
    if (n > 0) base.length = n;
    return slip_mjcf_copy(r, base);
}

/* ---- meshes -------------------------------------------------------------------------------------- */

/* Triangles as numbers: indices of vertices, three each. */
static slip_status asset_faces(mjcf_reader *r, slip_trimesh *mesh)
{
    slip_real *x;
    int i, n;
    slip_status s = slip_mjcf_list(r, "face", &x, &n);

    if (s < 0 || n == 0) return s;
    mesh->triangle = (int *)slip_arena_take(r->mem, (size_t)n, sizeof(int));
    if (!mesh->triangle) return asset_full(r);
    for (i = 0; i < n; ++i) {
        if (!(x[i] >= 0 && x[i] < (slip_real)mesh->nv) || n % 3)
            return slip_fail(r->u.err, SLIP_ERR_MODEL, r->u.xml->line, r->u.xml->column, "face of <mesh>, expected "
                             "threes of numbers from 0 to %d", mesh->nv - 1);
        mesh->triangle[i] = (int)x[i];
    }
    mesh->nt = n/3;
    return SLIP_OK;
}

static slip_status asset_numbers(mjcf_reader *r, mjcf_mesh *m)
{
    slip_real *x;
    int n;
    slip_status s = slip_mjcf_list(r, "vertex", &x, &n);

    if (s < 0) return s;
    if (n < 12 || n % 3)
        return slip_fail(r->u.err, SLIP_ERR_MODEL, r->u.xml->line, r->u.xml->column, "vertex of <mesh> has %d numbers, "
                         "expected three for each of at least four vertices", n);
    m->numbers.vertex = x;
    m->numbers.nv = n/3;
    s = asset_faces(r, &m->numbers);
    if (s == SLIP_OK) slip_trimesh_scale(m->scale, &m->numbers);
    slip_set3(1, 1, 1, m->scale);
    return s;
}

slip_status slip_mjcf_mesh(mjcf_reader *r)
{
    static const slip_xml_slice none = { "mesh", 4 };
    mjcf_mesh *m = &r->meshes[r->nmeshes];
    slip_xml_slice file = none, word;
    int n, has_file;
    slip_status s = slip_mjcf_class(r, "mesh");

    if (s < 0) return s;
    memset(m, 0, sizeof *m);
    m->line = r->u.xml->line;
    m->inertia = r->compiler.exact ? MJCF_EXACT : MJCF_LEGACY;
    if (slip_mjcf_text(r, "inertia", &word) && slip_xml_slice_is(word, "exact")) m->inertia = MJCF_EXACT;
    if (slip_mjcf_text(r, "inertia", &word) && slip_xml_slice_is(word, "convex")) m->inertia = MJCF_CONVEX;
    slip_set3(1, 1, 1, m->scale);
    s = slip_mjcf_reals(r, "scale", 3, m->scale, &n);
    has_file = slip_mjcf_text(r, "file", &file) && file.length > 0;
    if (s == SLIP_OK && !has_file && !slip_xml_find(r->u.xml, "vertex")) {
        static const slip_xml_slice builtin = { "builtin", 7 };

        slip_mjcf_note(r, "mesh", builtin);
        r->is_partial = 1;
        return SLIP_OK;
    }
    m->name = asset_name(r, file);
    if (has_file) m->path = asset_path(r, r->compiler.mesh_dir[0] ? r->compiler.mesh_dir : r->compiler.asset_dir, file);
    if (!m->name || (has_file && !m->path)) return asset_full(r);
    if (s == SLIP_OK && !has_file) s = asset_numbers(r, m);
    if (s == SLIP_OK) ++r->nmeshes;
    return s;
}

/* ---- mass of meshes ------------------------------------------------------------------------------ */

/* Volume of the tetrahedron between p and a triangle. */
static slip_real asset_tetrahedron(const slip_trimesh *m, int t, const slip_real p[3], slip_real D[3][3])
{
    slip_real n[3];
    int k;

    for (k = 0; k < 3; ++k) slip_sub3(m->vertex + 3*m->triangle[3*t + k], p, D[k]);
    slip_cross3(D[1], D[2], n);
    return slip_dot3(D[0], n)/6;
}

/* Where tetrahedra begin: the mean of the triangles' centres, by area. */
static void asset_middle(const slip_trimesh *m, slip_real middle[3])
{
    slip_real sum = 0;
    int t, k;

    slip_zero3(middle);
    for (t = 0; t < m->nt; ++t) {
        const slip_real *a = m->vertex + 3*m->triangle[3*t], *b = m->vertex + 3*m->triangle[3*t + 1];
        const slip_real *c = m->vertex + 3*m->triangle[3*t + 2];
        slip_real u[3], v[3], n[3], area;

        slip_sub3(b, a, u);
        slip_sub3(c, a, v);
        slip_cross3(u, v, n);
        area = slip_norm3(n)/2;
        for (k = 0; k < 3; ++k) middle[k] += area*(a[k] + b[k] + c[k])/3;
        sum += area;
    }
    if (sum > 0) slip_scale3(1/sum, middle, middle);
}

/* MuJoCo's first way to weigh a mesh, and still its usual one: tetrahedra between the surface's middle and the
 * triangles all count as positive, for the volume and its centre, and once more from that centre for the inertia. It is
 * exact for meshes that are seen whole from their middle, and too heavy for others, which need not be closed. */
static void asset_legacy_mass(const slip_trimesh *m, slip_real density, slip_mass *out)
{
    slip_real middle[3], centre[3] = { 0, 0, 0 }, volume = 0, P[6] = { 0, 0, 0, 0, 0, 0 }, D[3][3];
    static const int row[6] = { 0, 0, 0, 1, 1, 2 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    int t, k;

    memset(out, 0, sizeof *out);
    asset_middle(m, middle);
    for (t = 0; t < m->nt; ++t) {
        const slip_real v = slip_abs(asset_tetrahedron(m, t, middle, D));

        volume += v;
        for (k = 0; k < 3; ++k) centre[k] += v*(D[0][k] + D[1][k] + D[2][k])/4;
    }
    if (!(volume > 0)) return;
    for (k = 0; k < 3; ++k) centre[k] = middle[k] + centre[k]/volume;
    for (t = 0; t < m->nt; ++t) {
        const slip_real v = slip_abs(asset_tetrahedron(m, t, centre, D));

        for (k = 0; k < 6; ++k) {                              /* integral of x_i x_j over the tetrahedron */
            const int i = row[k], j = column[k];
            const slip_real si = D[0][i] + D[1][i] + D[2][i], sj = D[0][j] + D[1][j] + D[2][j];

            P[k] += v/20*(D[0][i]*D[0][j] + D[1][i]*D[1][j] + D[2][i]*D[2][j] + si*sj);
        }
    }
    out->mass = density*volume;
    slip_copy3(centre, out->centre);
    out->inertia[0] = density*(P[3] + P[5]);
    out->inertia[1] = -density*P[1];
    out->inertia[2] = -density*P[2];
    out->inertia[3] = density*(P[0] + P[5]);
    out->inertia[4] = -density*P[4];
    out->inertia[5] = density*(P[0] + P[3]);
}

/* The mass of the hull. */
static slip_status asset_hull_mass(mjcf_reader *r, const slip_trimesh *mesh, slip_real density, slip_mass *mass,
                                   slip_error *why)
{
    slip_hull hull;
    slip_shape shape;
    slip_status s = slip_hull_build(mesh->vertex, mesh->nv, slip_mesh_tolerance(mesh), r->mem, &hull, why);

    if (s < 0) return s;
    shape = slip_shape_mesh(&hull);
    slip_shape_mass(&shape, density, mass);
    return SLIP_OK;
}

slip_status slip_mjcf_mesh_mass(mjcf_reader *r, const mjcf_mesh *m, slip_real density, slip_mass *mass)
{
    const size_t low = slip_arena_mark(r->mem);
    slip_trimesh mesh = m->numbers;
    slip_error why;
    slip_status s = SLIP_OK;

    memset(mass, 0, sizeof *mass);
    slip_error_clear(&why);
    if (m->path) s = slip_mesh_load(m->path, m->scale, r->mem, &mesh, NULL, NULL, &why);
    if (s >= 0 && (m->inertia == MJCF_CONVEX || mesh.nt == 0)) s = asset_hull_mass(r, &mesh, density, mass, &why);
    else if (s >= 0 && m->inertia == MJCF_EXACT) slip_trimesh_mass(&mesh, density, mass);
    else if (s >= 0) asset_legacy_mass(&mesh, density, mass);
    slip_arena_release(r->mem, low);
    if (s == SLIP_ERR_WORKSPACE) return slip_fail(r->u.err, s, 0, 0, "%s", why.what);
    if (s < 0) s = slip_warn(r->u.report, r->u.err, m->line, 0, "mesh '%s' gives no mass: %s", m->name, why.what);
    if (mass->mass < 0) {                                      /* inside out */
        mass->mass = -mass->mass;
        slip_scale3(-1, mass->inertia, mass->inertia);
        slip_scale3(-1, mass->inertia + 3, mass->inertia + 3);
    }
    return s < 0 ? s : SLIP_OK;
}

/* ---- height fields ------------------------------------------------------------------------------- */

/* Heights to 0 ... high, the lowest sample at 0; a level field is at 0. */
static void asset_normalize(slip_real *x, int n, slip_real high)
{
    slip_real lo = x[0], hi = x[0];
    int i;

    for (i = 0; i < n; ++i) {
        lo = slip_min(lo, x[i]);
        hi = slip_max(hi, x[i]);
    }
    for (i = 0; i < n; ++i) x[i] = hi > lo ? high*(x[i] - lo)/(hi - lo) : 0;
}

static uint32_t asset_word(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* MuJoCo's binary files: rows and columns as 32-bit integers, then 32-bit floats, the least y first; little-endian. */
static slip_real *asset_binary(mjcf_reader *r, const char *bytes, size_t length, int size[2])
{
    const unsigned char *b = (const unsigned char *)bytes;
    slip_real *x;
    int i, n;

    if (length < 8) return NULL;
    for (i = 0; i < 2; ++i) {
        const uint32_t side = asset_word(b + 4*i);

        if (side < 2 || side > SLIP_FIELD_MOST) return NULL;
        size[i] = (int)side;
    }
    n = size[0]*size[1];
    if (length != 8 + 4*(size_t)n) return NULL;
    x = slip_arena_reals(r->mem, (size_t)n);
    for (i = 0; i < n && x; ++i) {
        const uint32_t word = asset_word(b + 8 + 4*(size_t)i);
        float value;

        memcpy(&value, &word, sizeof value);
        x[i] = slip_is_finite((slip_real)value) ? (slip_real)value : 0;
    }
    return x;
}

/* Heights of a file: MuJoCo's own, or a picture or a table (heightmap.h). *x NULL: the reason is in f->why. */
static slip_status asset_heights(mjcf_reader *r, mjcf_hfield *f, slip_xml_slice file, slip_real **x, int size[2])
{
    const char *path = asset_path(r, r->compiler.asset_dir[0] ? r->compiler.asset_dir : r->compiler.mesh_dir, file);
    const size_t high = slip_arena_mark_scratch(r->mem);
    char *bytes = NULL;
    size_t length = 0;
    slip_heightfield map;
    slip_error why;
    slip_status s;

    if (!path) return asset_full(r);
    *x = NULL;
    slip_error_clear(&why);
    s = slip_file_read(path, SLIP_XML_MAX_BYTES, r->mem, &bytes, &length, &why);
    if (s == SLIP_OK && length > 4 && memcmp(bytes, "\211PNG", 4) == 0) {
        f->why = "PNG is not read: convert it to PGM";
    } else if (s == SLIP_OK && !(*x = asset_binary(r, bytes, length, size))) {
        s = slip_heightmap_read(path, bytes, length, NULL, r->mem, &map, &why);
        if (s >= 0) {
            *x = (slip_real *)map.height;                      /* the arena's, of this reader alone */
            size[0] = map.ny;
            size[1] = map.nx;
        }
    }
    slip_arena_release_scratch(r->mem, high);
    if (s == SLIP_ERR_WORKSPACE) return asset_full(r);
    if (s < 0) {
        f->why = slip_arena_text(r->mem, why.what, strlen(why.what));
        if (!f->why) return asset_full(r);
    }
    return SLIP_OK;
}

/* Numbers as they are seen from above: the first row has the largest y. */
static slip_status asset_elevation(mjcf_reader *r, const slip_real size[2], slip_real **x, int count[2])
{
    slip_real *list;
    int i, k, n, rows = 0, columns = 0;
    slip_status s = slip_mjcf_list(r, "elevation", &list, &n);

    if (s < 0) return s;
    if (size[0] >= 2 && size[1] >= 2 && size[0] <= SLIP_FIELD_MOST && size[1] <= SLIP_FIELD_MOST) {
        rows = (int)size[0];
        columns = (int)size[1];
    }
    if (rows == 0 || (n > 0 && n != rows*columns))
        return slip_fail(r->u.err, SLIP_ERR_MODEL, r->u.xml->line, r->u.xml->column, "<hfield> of %g by %g samples "
                         "with %d heights, expected 2 to %d samples each way and a height for each", (double)size[0],
                         (double)size[1], n, (int)SLIP_FIELD_MOST);
    *x = (slip_real *)slip_arena_take_zero(r->mem, (size_t)(rows*columns), sizeof **x);
    if (!*x) return asset_full(r);
    count[0] = rows;
    count[1] = columns;
    for (i = 0; i < rows && n > 0; ++i)
        for (k = 0; k < columns; ++k) (*x)[(rows - 1 - i)*columns + k] = list[i*columns + k];
    return SLIP_OK;
}

slip_status slip_mjcf_hfield(mjcf_reader *r)
{
    static const slip_xml_slice unnamed = { "hfield", 6 };
    mjcf_hfield *f = &r->hfields[r->nhfields];
    slip_real box[4], grid[2] = { 0, 0 }, *x = NULL;
    slip_xml_slice file = unnamed;
    int n, count[2] = { 0, 0 };
    slip_status s;

    r->tag = "hfield";
    r->class_of = -1;
    memset(f, 0, sizeof *f);
    f->line = r->u.xml->line;
    s = slip_mjcf_reals(r, "size", 4, box, NULL);
    if (s == SLIP_OK && !(box[0] > 0 && box[1] > 0 && box[2] >= 0))
        s = slip_fail(r->u.err, SLIP_ERR_MODEL, r->u.xml->line, r->u.xml->column, "size=\"%g %g %g %g\" of <hfield>, "
                      "expected positive numbers", (double)box[0], (double)box[1], (double)box[2], (double)box[3]);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "nrow", 1, &grid[0], &n);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "ncol", 1, &grid[1], &n);
    if (s < 0) return s;
    if (slip_mjcf_text(r, "file", &file) && file.length > 0) s = asset_heights(r, f, file, &x, count);
    else s = asset_elevation(r, grid, &x, count);
    f->name = asset_name(r, file);
    f->field = (slip_heightfield *)slip_arena_take(r->mem, 1, sizeof *f->field);
    if (s == SLIP_OK && (!f->name || !f->field)) s = asset_full(r);
    if (s < 0) return s;
    if (x) {
        asset_normalize(x, count[0]*count[1], box[2]);
        s = slip_heightfield_build(count[1], count[0], 2*box[0]/(slip_real)(count[1] - 1),
                                   2*box[1]/(slip_real)(count[0] - 1), x, r->mem, f->field, r->u.err);
    }
    if (s == SLIP_OK) ++r->nhfields;
    return s < 0 ? s : SLIP_OK;
}
