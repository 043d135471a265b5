/* slipstick mesh: contents of a mesh file, its convex hull, its mass properties, and its defects. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "geom/decompose.h"
#include "io/mesh.h"
#include "output.h"

static const char mesh_help[] =
    "usage: slipstick mesh FILE [OPTIONS]\n\n"
    "Reads an OBJ, STL or COLLADA (.dae) file (- is standard input) and prints its size, whether it is closed and\n"
    "convex, the vertices and faces of its convex hull, and volume, centre and inertia (about the centre, mesh\n"
    "axes) of the solid inside; of the hull when the mesh is not closed.\n\n"
    "  --scale S | X,Y,Z   factors on the coordinates; negative ones mirror (0.001 for millimetres)\n"
    "  --density RHO       kg/m^3 (1000)\n"
    "  --mass M            kg, instead of a density\n"
    "  --tolerance T       m; points this close to the hull and triangles this close to a plane are merged\n"
    "                      (default: four units of the sixth digit)\n"
    "  --decompose         cut the solid into parts until their hulls have at most 5 % too much volume\n"
    "  --parts N           at most N parts (16; up to 64); --excess X  instead of 0.05\n"
    "  --hull OUT.obj      write the hull, or with --decompose the parts' hulls\n"
    "  --json              print one JSON object\n\n"
    "example: slipstick mesh models/foot.obj --scale 0.001 --mass 0.35 --hull foot_hull.obj\n";

typedef struct {
    const char *path, *hull_path;
    slip_real scale[3], tolerance;
    double density, mass;    /* mass < 0: not given */
    int json, decompose, parts;
    double excess;
} mesh_options;

typedef struct {
    slip_trimesh mesh;
    slip_mesh_notes notes;
    slip_trimesh_facts report;
    slip_hull hull;
    slip_mass mass;          /* of the mesh when it is closed, else of the hull */
    slip_real tolerance, missing;
    int convex, flat;
    slip_decomposition parts;        /* n 0: not asked for, or not closed */
} mesh_findings;

/* ---- options ----------------------------------------------------------------------------------------------- */

static int mesh_option_scale(cli_args *args, slip_real scale[3])
{
    const char *text = cli_value(args);
    int at = 0, i, n;

    if (!text) return 0;
    n = (int)strlen(text);
    for (i = 0; i < 3; ++i) {
        const int used = slip_read_real(text + at, n - at, &scale[i]);

        if (used <= 0 || !slip_is_finite(scale[i]) || scale[i] == 0) break;
        at += used;
        if (at == n) break;
        if (text[at] != ',') break;
        ++at;
    }
    if (at == n && i == 0) scale[1] = scale[2] = scale[0];
    if (at == n && (i == 0 || i == 2)) return 1;
    cli_usage(args, "--scale: '%s' is not one number or three with commas, none of them zero", text);
    return 0;
}

static int mesh_options_read(cli_args *args, mesh_options *o)
{
    int kind;
    double x;

    while ((kind = cli_next(args)) != 0) {
        if (kind == 2) {
            if (o->path) return cli_usage(args, "one file at a time: '%s' is a second one", args->value);
            o->path = args->value;
        } else if (cli_is(args, "--help") || cli_is(args, "-h")) {
            fputs(mesh_help, stdout);
            return -1;
        } else if (cli_is(args, "--decompose")) {
            o->decompose = 1;
        } else if (cli_is(args, "--parts")) {
            if (!cli_value_int(args, 1, SLIP_DECOMPOSE_MOST, &o->parts)) return CLI_USAGE;
        } else if (cli_is(args, "--excess")) {
            if (!cli_value_real(args, 0, 1e6, &o->excess)) return CLI_USAGE;
        } else if (cli_is(args, "--scale")) {
            if (!mesh_option_scale(args, o->scale)) return CLI_USAGE;
        } else if (cli_is(args, "--density")) {
            if (!cli_value_real(args, 0, 1e30, &o->density)) return CLI_USAGE;
        } else if (cli_is(args, "--mass")) {
            if (!cli_value_real(args, 0, 1e30, &o->mass)) return CLI_USAGE;
        } else if (cli_is(args, "--tolerance")) {
            if (!cli_value_real(args, 0, 1e30, &x)) return CLI_USAGE;
            o->tolerance = (slip_real)x;
        } else if (cli_is(args, "--hull")) {
            o->hull_path = cli_value(args);
            if (!o->hull_path) return CLI_USAGE;
        } else if (cli_is(args, "--json")) {
            o->json = 1;
        } else {
            return cli_unknown(args);
        }
    }
    return o->path ? 0 : cli_usage(args, "no file given");
}

/* ---- work -------------------------------------------------------------------------------------------------- */

static slip_status mesh_examine(const mesh_options *o, slip_arena *arena, mesh_findings *f, slip_error *err)
{
    slip_shape hull_shape;
    slip_status s;

    f->tolerance = o->tolerance > 0 ? o->tolerance : slip_mesh_tolerance(&f->mesh);
    s = slip_trimesh_check(&f->mesh, 4*f->tolerance, arena, &f->report);
    if (s < 0) return slip_fail(err, s, 0, 0, "no room to check the mesh");
    s = slip_hull_build(f->mesh.vertex, f->mesh.nv, f->tolerance, arena, &f->hull, err);
    if (s < 0) return s;
    f->flat = s == SLIP_DEGENERATE;
    f->convex = slip_mesh_is_convex(&f->mesh, &f->report, &f->hull, &f->missing);
    hull_shape = slip_shape_mesh(&f->hull);
    s = f->report.closed ? slip_trimesh_mass(&f->mesh, (slip_real)o->density, &f->mass)
                         : slip_shape_mass(&hull_shape, (slip_real)o->density, &f->mass);
    if (o->mass >= 0 && s >= 0) {
        slip_mass_set((slip_real)o->mass, &f->mass);
    }
    return s;
}

static int mesh_write_hull(const mesh_options *o, const slip_hull *hulls, int n)
{
    FILE *f = output_open("mesh", o->hull_path);
    slip_stream out;

    if (!f) return CLI_FAILED;
    slip_stream_file(f, &out);
    slip_mesh_write_parts(hulls, n, &out);
    return output_close("mesh", o->hull_path, f) ? CLI_OK : CLI_FAILED;
}

/* ---- output ------------------------------------------------------------------------------------------------ */

static const char *mesh_format_name(slip_mesh_format format)
{
    switch (format) {
    case SLIP_MESH_OBJ:      return "obj";
    case SLIP_MESH_STL_TEXT: return "stl text";
    case SLIP_MESH_DAE:      return "dae";
    case SLIP_MESH_STL_BINARY: break;
    }
    return "stl binary";
}

/* Calls put() for every problem found; returns how many there were. */
static int mesh_problems(const mesh_findings *f, void (*put)(const char *text, int first))
{
    const slip_trimesh_facts *r = &f->report;
    const struct { int count; const char *what; } list[] = {
        { r->open_edges,      "open edges (used by one triangle)" },
        { r->crowded_edges,   "edges used by three triangles or more" },
        { r->twisted_edges,   "edges where the windings of two triangles disagree" },
        { r->empty_triangles, "triangles without area" },
        { r->unused_vertices, "vertices no triangle uses" },
        { r->concave_edges,   f->parts.n > 0 ? "concave edges: the hulls of the parts collide, or one hull without them"
                                             : "concave edges: only the hull collides" },
    };
    char text[160];
    int n = 0;
    size_t i;

    for (i = 0; i < sizeof list/sizeof *list; ++i) {
        if (list[i].count == 0) continue;
        slip_format(text, (int)sizeof text, "%d %s", list[i].count, list[i].what);
        put(text, n++ == 0);
    }
    if (r->inside_out) put("inside out: all windings are clockwise from outside", n++ == 0);
    if (r->components > 1) {
        slip_format(text, (int)sizeof text, "%d separate parts: only their common hull collides", r->components);
        put(text, n++ == 0);
    }
    if (f->flat) put("flat: collides as a polygon, has no volume", n++ == 0);
    return n;
}

static void mesh_put_line(const char *text, int first)
{
    (void)first;
    printf("problem          %s\n", text);
}

static void mesh_put_json(const char *text, int first)
{
    if (!first) fputs(", ", stdout);
    cli_json_text(stdout, text);
}

/* A line "name x y z" or a JSON member "name": [x, y, z]. */
static void mesh_put_reals(const mesh_options *o, const char *name, const slip_real *x, int n)
{
    char number[SLIP_NUMBER_SIZE];
    int i;

    if (o->json) printf(", \"%s\": %s", name, n > 1 ? "[" : "");
    else         printf("%-16s", name);
    for (i = 0; i < n; ++i) {
        slip_print_real(x[i] + 0, 0, number);         /* no -0 */
        printf(o->json ? "%s%s" : "%s %s", o->json && i > 0 ? ", " : "", number);
    }
    fputs(o->json ? (n > 1 ? "]" : "") : "\n", stdout);
}

static void mesh_put_int(const mesh_options *o, const char *name, int x)
{
    if (o->json) printf(", \"%s\": %d", name, x);
    else         printf("%-16s %d\n", name, x);
}

static void mesh_put_yes(const mesh_options *o, const char *name, int yes)
{
    if (o->json) printf(", \"%s\": %s", name, yes ? "true" : "false");
    else         printf("%-16s %s\n", name, yes ? "yes" : "no");
}

static void mesh_put_text(const mesh_options *o, const char *name, const char *text)
{
    if (o->json) {
        printf(", \"%s\": ", name);
        cli_json_text(stdout, text);
    } else {
        printf("%-16s %s\n", name, text);
    }
}

static void mesh_print(const mesh_options *o, const mesh_findings *f)
{
    char axis[2] = "";

    if (o->json) { fputs("{\"file\": ", stdout);  cli_json_text(stdout, o->path); }
    else         printf("%-16s %s\n", "file", o->path);
    mesh_put_text(o, "format", mesh_format_name(f->notes.format));
    mesh_put_int(o, "vertices", f->mesh.nv);
    mesh_put_int(o, "triangles", f->mesh.nt);
    if (f->notes.polygons) mesh_put_int(o, "polygons_cut", f->notes.polygons);
    if (f->notes.welded) mesh_put_int(o, "corners_joined", f->notes.welded);
    if (f->notes.unused) mesh_put_int(o, "vertices_unused", f->notes.unused);
    if (f->notes.instances) mesh_put_int(o, "instances", f->notes.instances);
    axis[0] = f->notes.up_axis;
    if (f->notes.up_axis) mesh_put_text(o, "up_axis", o->json || axis[0] == 'Z' ? axis : "not z, and not applied");
    if (f->notes.groups) mesh_put_int(o, "groups_ignored", f->notes.groups);
    if (f->notes.materials) mesh_put_int(o, "materials_ignored", f->notes.materials);
    mesh_put_reals(o, "lower", f->report.lo, 3);
    mesh_put_reals(o, "upper", f->report.hi, 3);
    mesh_put_reals(o, "area", &f->report.area, 1);
    mesh_put_yes(o, "closed", f->report.closed);
    mesh_put_yes(o, "convex", f->convex);
    mesh_put_int(o, "hull_vertices", f->hull.nv);
    mesh_put_int(o, "hull_edges", f->hull.ne);
    mesh_put_int(o, "hull_faces", f->hull.nf);
    mesh_put_reals(o, "tolerance", &f->tolerance, 1);
    mesh_put_text(o, "mass_of", f->report.closed ? "mesh" : "hull");
    mesh_put_reals(o, "volume", &f->mass.volume, 1);
    mesh_put_reals(o, "mass", &f->mass.mass, 1);
    mesh_put_reals(o, "centre", f->mass.centre, 3);
    mesh_put_reals(o, "inertia", f->mass.inertia, 6);
    if (f->report.closed && !f->convex) mesh_put_reals(o, "hull_excess", &f->missing, 1);
    if (f->parts.n > 0) {
        const slip_real excess = f->parts.parts_volume/f->parts.volume - 1;
        const slip_real whole = f->parts.hull_volume/f->parts.volume - 1;

        mesh_put_int(o, "parts", f->parts.n);
        mesh_put_reals(o, "one_hull_over", &whole, 1);
        mesh_put_reals(o, "parts_over", &excess, 1);
    }
    if (o->json) {
        fputs(", \"problems\": [", stdout);
        mesh_problems(f, mesh_put_json);
        fputs("]}\n", stdout);
    } else if (mesh_problems(f, mesh_put_line) == 0) {
        printf("%-16s none\n", "problems");
    }
}

/* The parts of a closed mesh, in a block that grows. */
static slip_status mesh_decompose(const mesh_options *o, mesh_findings *f, void **block, slip_error *err)
{
    size_t bytes = (size_t)1 << 24;
    slip_status s = SLIP_ERR_WORKSPACE;

    if (!f->report.closed) {
        fprintf(stderr, "slipstick mesh: %s is not closed: it has no inside that could be cut\n", o->path);
        return SLIP_OK;
    }
    for (; s == SLIP_ERR_WORKSPACE && bytes <= CLI_MOST_BYTES; bytes *= 4) {
        slip_arena mem;

        free(*block);
        *block = cli_alloc(bytes);
        mem = slip_arena_over(*block, bytes);
        s = slip_decompose(&f->mesh, o->parts, (slip_real)o->excess, f->tolerance, &mem, &f->parts, err);
    }
    return s;
}

/* ---- the command ------------------------------------------------------------------------------------------- */

static int mesh_run(const mesh_options *o, const char *bytes, size_t length)
{
    slip_report report = cli_report(0);
    size_t size = slip_mesh_read_bytes(length);
    void *block = NULL, *more = NULL, *parts = NULL;
    mesh_findings f;
    slip_error err;
    slip_status s;
    int rc = CLI_OK;

    do {                                                 /* more where a COLLADA file has many instances */
        slip_arena arena;

        free(block);
        block = cli_alloc(size);
        arena = slip_arena_over(block, size);
        memset(&f, 0, sizeof f);
        s = slip_mesh_read(o->path, bytes, length, o->scale, &arena, &f.mesh, &f.notes, &report, &err);
        size *= 4;
    } while (s == SLIP_ERR_WORKSPACE && size <= CLI_MOST_BYTES);
    if (s >= 0) {
        const size_t need = slip_hull_bytes(f.mesh.nv) + slip_trimesh_check_bytes(f.mesh.nv, f.mesh.nt);
        slip_arena work;

        more = cli_alloc(need);
        work = slip_arena_over(more, need);
        s = mesh_examine(o, &work, &f, &err);
    }
    if (s >= 0 && o->decompose) s = mesh_decompose(o, &f, &parts, &err);
    if (s < 0) {
        cli_error(&err);
        rc = CLI_FAILED;
    } else {
        mesh_print(o, &f);
        if (o->hull_path)
            rc = mesh_write_hull(o, f.parts.n > 0 ? f.parts.part : &f.hull, f.parts.n > 0 ? f.parts.n : 1);
    }
    free(parts);
    free(more);
    free(block);
    return rc;
}

int slip_cmd_mesh(int argc, char **argv)
{
    cli_args args;
    mesh_options o;
    char *bytes;
    size_t length;
    int rc;

    memset(&o, 0, sizeof o);
    slip_set3(1, 1, 1, o.scale);
    o.density = 1000;
    o.mass = -1;
    o.parts = 16;
    o.excess = 0.05;
    cli_begin(&args, argc, argv);
    rc = mesh_options_read(&args, &o);
    if (rc != 0) return rc < 0 ? CLI_OK : rc;
    bytes = cli_read_file("mesh", o.path, &length);
    if (!bytes) return CLI_FAILED;
    rc = mesh_run(&o, bytes, length);
    free(bytes);
    return rc;
}
