/* Mesh files: what must be read, what must be refused and how, and mutated files that must do neither harm. */
#include "unity.h"
#include "io/mesh.h"

#include <stdlib.h>
#include <string.h>

static slip_random rng;
static unsigned char block[1 << 21];
static slip_arena arena;
static slip_error err;
static slip_report report;
static char last_warning[512];

static void keep_warning(void *context, const slip_error *warning)
{
    (void)context;
    slip_error_text(warning, last_warning, (int)sizeof last_warning);
}

void setUp(void)
{
    rng = slip_random_seed(17);
    arena = slip_arena_over(block, sizeof block);
    slip_error_clear(&err);
    memset(&report, 0, sizeof report);
    report.warn = keep_warning;
    last_warning[0] = '\0';
}
void tearDown(void) { }

static const char cube_obj[] =
    "# a cube\nmtllib x.mtl\no cube\n"
    "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n"
    "vt 0 0\nvn 0 0 1\ng sides\nusemtl red\ns off\n"
    "f 1 3 4 2\nf 5/1 6/1 8/1 7/1\nf 1//1 2//1 6//1 5//1\nf 3/1/1 7/1/1 8/1/1 4/1/1\nf -8 -4 -2 -6\nf 2 4 \\\n 8 6\n";

static slip_status parse(const char *name, const char *text, slip_trimesh *mesh, slip_mesh_notes *notes)
{
    return slip_mesh_read(name, text, strlen(text), NULL, &arena, mesh, notes, &report, &err);
}

/* A binary STL of the cube (side 2) with this header word; returns its length. */
static size_t cube_stl(const char *header, char *out)
{
    static const int t[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                               2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
    size_t at = 84;
    int i, k;

    memset(out, 0, 84 + 600);
    memcpy(out, header, strlen(header));
    out[80] = 12;
    for (i = 0; i < 12; ++i, at += 50)
        for (k = 0; k < 9; ++k) {
            const float x = t[3*i + k/3] >> k % 3 & 1 ? 1.0f : -1.0f;
            uint32_t u;

            memcpy(&u, &x, 4);
            out[at + 12 + 4*(size_t)k] = (char)(u & 255);
            out[at + 13 + 4*(size_t)k] = (char)(u >> 8 & 255);
            out[at + 14 + 4*(size_t)k] = (char)(u >> 16 & 255);
            out[at + 15 + 4*(size_t)k] = (char)(u >> 24 & 255);
        }
    return at;
}

/* The same as text. */
static void cube_stl_text(char *out)
{
    static const char *corner[8] = { "-1 -1 -1", "1 -1 -1", "-1 1 -1", "1 1 -1", "-1 -1 1", "1 -1 1", "-1 1 1",
            "1 1 1" };
    static const int t[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                               2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
    int i, k;

    strcpy(out, "solid cube of side 2\n");
    for (i = 0; i < 12; ++i) {
        strcat(out, " facet normal 0 0 nan\n  outer loop\n");
        for (k = 0; k < 3; ++k) {
            strcat(out, "   vertex ");
            strcat(out, corner[t[3*i + k]]);
            strcat(out, "\n");
        }
        strcat(out, "  endloop\n endfacet\n");
    }
    strcat(out, "endsolid cube\n");
}

static void expect_cube(const slip_trimesh *m, double volume)
{
    slip_trimesh_facts r;
    slip_mass mass;

    TEST_ASSERT_EQUAL_INT(8, m->nv);
    TEST_ASSERT_EQUAL_INT(12, m->nt);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_trimesh_check(m, SLIP_R(1e-6), &arena, &r));
    TEST_ASSERT(r.closed && !r.inside_out && r.concave_edges == 0);
    slip_trimesh_mass(m, 1, &mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5*volume, volume, mass.volume);
}

static void test_obj_reads_all_index_forms_polygons_and_continued_lines(void)
{
    slip_trimesh m;
    slip_mesh_notes notes;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("cube.obj", cube_obj, &m, &notes));
    expect_cube(&m, 8);
    TEST_ASSERT_EQUAL_INT(SLIP_MESH_OBJ, notes.format);
    TEST_ASSERT_EQUAL_INT(6, notes.polygons);
    TEST_ASSERT_EQUAL_INT(3, notes.groups);
    TEST_ASSERT_EQUAL_INT(2, notes.materials);
    TEST_ASSERT_EQUAL_INT(2, notes.extras);
    TEST_ASSERT_EQUAL_INT(0, report.count);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse(NULL, cube_obj, &m, NULL));           /* no name: told by content */
}

static void test_polygons_that_are_not_convex_are_cut_without_folds(void)
{
    static const char bracket[] =                        /* an L, extruded */
        "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
        "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
    slip_trimesh m;
    slip_trimesh_facts r;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("l.obj", bracket, &m, NULL));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_trimesh_check(&m, SLIP_R(1e-6), &arena, &r));
    TEST_ASSERT(r.closed && r.concave_edges == 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 14, r.area);
}

static void test_stl_text_and_binary_give_the_same_cube(void)
{
    static char text[4096], binary[1024];
    slip_trimesh m;
    slip_mesh_notes notes;
    size_t n;

    cube_stl_text(text);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("cube.stl", text, &m, &notes));
    expect_cube(&m, 8);
    TEST_ASSERT_EQUAL_INT(SLIP_MESH_STL_TEXT, notes.format);
    TEST_ASSERT_EQUAL_INT(28, notes.welded);
    n = cube_stl("a header", binary);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_read("cube.STL", binary, n, NULL, &arena, &m, &notes, &report, &err));
    expect_cube(&m, 8);
    n = cube_stl("solid but binary", binary);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_read("cube.stl", binary, n, NULL, &arena, &m, &notes, &report, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_MESH_STL_BINARY, notes.format);
    expect_cube(&m, 8);
    TEST_ASSERT_EQUAL_INT(0, report.count);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_read("x.stl", binary, n + 7, NULL, &arena, &m, &notes, &report, &err));
    TEST_ASSERT_EQUAL_INT(1, report.count);                                    /* trailing bytes are warned of */
    binary[80] = 0;                                                            /* as if nobody had counted */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_read("x.stl", binary, n, NULL, &arena, &m, &notes, &report, &err));
    expect_cube(&m, 8);
    TEST_ASSERT_EQUAL_INT(2, report.count);
}

static void test_scales_apply_and_mirrors_flip_the_windings(void)
{
    const slip_real scale[3] = { SLIP_R(0.001), SLIP_R(-0.002), SLIP_R(0.003) };
    const slip_real bad[3] = { 1, 0, 1 }, worse[3] = { 1, 1, (slip_real)NAN };
    slip_trimesh m;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_read("c.obj", cube_obj, strlen(cube_obj), scale, &arena, &m, NULL,
            &report, &err));
    expect_cube(&m, 48e-9);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT,
                          slip_mesh_read("c.obj", cube_obj, strlen(cube_obj), bad, &arena, &m, NULL, &report, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT,
                          slip_mesh_read("c.obj", cube_obj, strlen(cube_obj), worse, &arena, &m, NULL, &report, &err));
}

typedef struct { const char *text; slip_status status; int line; const char *says; } bad_file;

static void expect_refusal(const char *name, const bad_file *b)
{
    slip_trimesh m = { 77, 78, NULL, NULL };
    const size_t low = slip_arena_mark(&arena), high = slip_arena_mark_scratch(&arena);

    TEST_ASSERT_EQUAL_INT_MESSAGE(b->status, parse(name, b->text, &m, NULL), b->text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(b->line, err.line, b->text);
    TEST_ASSERT_MESSAGE(strstr(err.what, b->says) != NULL, err.what);
    TEST_ASSERT_EQUAL_STRING(name, err.file);
    TEST_ASSERT(m.nv == 77 && m.nt == 78);
    TEST_ASSERT(low == slip_arena_mark(&arena) && high == slip_arena_mark_scratch(&arena));
}

static void test_bad_obj_files_are_refused_with_their_line(void)
{
    static const bad_file bad[] = {
        { "", SLIP_ERR_PARSE, 0, "no triangles" },
        { "v 0 0 0\nv 1 0 0\nv 0 1 0\n", SLIP_ERR_PARSE, 0, "no triangles" },
        { "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", SLIP_ERR_PARSE, 0, "single triangle" },
        { "v 0 0\n", SLIP_ERR_PARSE, 1, "three coordinates" },
        { "\n\nv 0 0 nan\n", SLIP_ERR_PARSE, 3, "'nan'" },
        { "v 0 0 1e999\n", SLIP_ERR_PARSE, 1, "'1e999'" },
        { "v 0 0 1x\n", SLIP_ERR_PARSE, 1, "'1x'" },
        { "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", SLIP_ERR_PARSE, 4, "three corners" },
        { "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\n", SLIP_ERR_PARSE, 5, "index 4" },
        { "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 -4\n", SLIP_ERR_PARSE, 5, "index -4" },
        { "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 0 1 2\n", SLIP_ERR_PARSE, 5, "count from 1" },
        { "v 0 0 0\nf 1 1/ 1\n", SLIP_ERR_PARSE, 2, "malformed" },
        { "v 0 0 0\nf 1 1/1/1/1 1\n", SLIP_ERR_PARSE, 2, "malformed" },
        { "v 0 0 0\nf 1 x 1\n", SLIP_ERR_PARSE, 2, "malformed" },
        { "v 0 0 0\nf 1 99999999999999 1\n", SLIP_ERR_PARSE, 2, "malformed" },
        { "f 1 2 3\nf 3 2 1\n", SLIP_ERR_PARSE, 1, "has 0 vertices" },
        { "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 7\n", SLIP_ERR_PARSE, 5, "index 7" },        /* before its being alone */
        { "v 0 0 0\nv 1 0 0\nf 1 2 3\nf 1 2 9\nf 1 2 1\n", SLIP_ERR_PARSE, 3, "index 3" },  /* the first of two */
        { "v 0 0 0\nv 1 0 1e38\nf 1 2 1\n", SLIP_ERR_PARSE, 2, "'1e38': at most" },
        { "v 1e308 0 0\n", SLIP_ERR_PARSE, 1, "'1e308'" },
    };
    size_t i;

    for (i = 0; i < sizeof bad/sizeof *bad; ++i) expect_refusal("bad.obj", &bad[i]);
}

static void test_bad_stl_texts_are_refused_with_their_line(void)
{
    static const bad_file bad[] = {
        { "solid x\nendsolid x\n", SLIP_ERR_PARSE, 0, "no triangles" },
        { "solid x\n facet normal 0 0 1\n  outer loop\n", SLIP_ERR_PARSE, 4, "ends where 'vertex'" },
        { "solid x\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1\n", SLIP_ERR_PARSE, 3,
                "number" },
        { "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", SLIP_ERR_PARSE, 4, "'inf'" },
        { "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nvertex 1 1 1\nvertex 2 2 2\n",
          SLIP_ERR_PARSE, 7, "'endloop' expected" },
        { "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 1 1\nendloop\nendfacet\n",
          SLIP_ERR_PARSE, 9, "endsolid" },
        { "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e35\n", SLIP_ERR_PARSE, 4, "'1e35': at most" },
        { "solid x\nhello\n", SLIP_ERR_PARSE, 2, "'hello'" },
        { "solidx", SLIP_ERR_PARSE, 1, "'solid' expected" },
        { "short", SLIP_ERR_PARSE, 0, "too few" },
        { "\xef\xbb\xbfsolid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 1 1\nendloop\n"
          "endfacet\nendsolid x\n", SLIP_ERR_PARSE, 0, "byte order mark: neither STL text" },
        { "# made by hand\nsolid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 1 1\nendloop\n"
          "endfacet\nendsolid x\n", SLIP_ERR_PARSE, 0, "text that begins otherwise: neither STL text" },
    };
    size_t i;

    for (i = 0; i < sizeof bad/sizeof *bad; ++i) expect_refusal("bad.stl", &bad[i]);
}

static void test_bad_binary_stls_are_refused_with_the_byte(void)
{
    static char b[1024];
    slip_trimesh m;
    size_t n;

    memset(b, 0, 100);
    b[80] = (char)0x80;  b[81] = (char)0x96;  b[82] = (char)0x98;              /* 10 000 000 triangles in 100 bytes */
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_mesh_read("b.stl", b, 100, NULL, &arena, &m, NULL, &report, &err));
    TEST_ASSERT_MESSAGE(strstr(err.what, "10000000") && strstr(err.what, "room for 0"), err.what);
    memcpy(b, "solid ", 6);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_mesh_read("b.stl", b, 100, NULL, &arena, &m, NULL, &report, &err));
    TEST_ASSERT_MESSAGE(strstr(err.what, "10000000") != NULL, err.what);
    n = cube_stl("x", b);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_mesh_read("b.stl", b, n - 1, NULL, &arena, &m, NULL, &report, &err));
    b[84 + 50 + 12 + 2] = (char)0xc0;
    b[84 + 50 + 12 + 3] = (char)0x7f;                                          /* a NaN in the second triangle */
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_mesh_read("b.stl", b, n, NULL, &arena, &m, NULL, &report, &err));
    TEST_ASSERT_MESSAGE(strstr(err.what, "triangle 2 (byte 146)") != NULL, err.what);
    n = cube_stl("x", b);
    b[80] = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_mesh_read("b.stl", b, 84, NULL, &arena, &m, NULL, &report, &err));
    b[80] = 1;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_mesh_read("b.stl", b, 134, NULL, &arena, &m, NULL, &report, &err));
}

static void test_a_scale_that_takes_coordinates_out_of_reach_is_refused(void)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    const slip_real scale[3] = { 1, SLIP_TOL(1e300, 1e30), 1 };
    slip_trimesh m;

    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_mesh_read("t.obj", text, strlen(text), scale, &arena, &m, NULL,
                                                             &report, &err));
    TEST_ASSERT_MESSAGE(strstr(err.what, "vertex 3: scaled") != NULL, err.what);
}

/* A bow tie, a polygon with a corner twice, one that is a line: read, and told of by the check. */
static void test_polygons_that_cross_or_collapse_are_read_and_their_faults_counted(void)
{
    static const struct { const char *faces; int empty; } list[] = {
        { "f 1 2 4 3\n", 0 }, { "f 1 2 3 3\n", 1 }, { "f 1 2 5 2\n", 2 }, { "f 1 1 1 1\n", 2 } };
    size_t i;

    for (i = 0; i < sizeof list/sizeof *list; ++i) {
        static unsigned char more[1 << 14];
        slip_arena work = slip_arena_over(more, sizeof more);
        char text[200];
        slip_trimesh m;
        slip_trimesh_facts r;

        sprintf(text, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\n%s", list[i].faces);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, slip_mesh_read("p.obj", text, strlen(text), NULL, &arena, &m, NULL, &report,
                                                         &err), err.what);
        TEST_ASSERT_EQUAL_INT(2, m.nt);
        TEST_ASSERT_EQUAL_INT(0, slip_trimesh_check(&m, SLIP_R(1e-6), &work, &r));
        TEST_ASSERT_EQUAL_INT(list[i].empty, r.empty_triangles);
        TEST_ASSERT_EQUAL_INT(0, r.closed);
    }
}

static void test_lines_and_unknown_statements_are_warned_of_once(void)
{
    static char text[2048];
    slip_trimesh m;
    slip_mesh_notes notes;

    strcpy(text, cube_obj);
    strcat(text, "l 1 2\nl 2 3\np 1\ncurv 0 1\nwhatever\n");
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("c.obj", text, &m, &notes));
    TEST_ASSERT_EQUAL_INT(3, report.count);
    TEST_ASSERT_EQUAL_INT(5, notes.ignored);
    report.strict = 1;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_MODEL, parse("c.obj", text, &m, &notes));
}

/* ---- files ---------------------------------------------------------------------------------------- */

static const char *const path = "build/test_mesh_files.tmp.obj";

static void write_file(const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");

    TEST_ASSERT_MESSAGE(f != NULL, "cannot write below build/");
    fwrite(text, 1, n, f);
    fclose(f);
}

static void test_a_cube_file_becomes_a_hull_with_six_faces_and_only_that_stays(void)
{
    slip_hull h;
    const slip_real scale[3] = { SLIP_R(0.1), SLIP_R(0.1), SLIP_R(-0.1) };

    write_file(cube_obj, strlen(cube_obj));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_load_hull(path, scale, 0, &arena, &h, &report, &err));
    TEST_ASSERT(h.nv == 8 && h.nf == 6 && h.ne == 12 && report.count == 0);
    TEST_ASSERT(slip_arena_mark(&arena) < 2000 && slip_arena_mark_scratch(&arena) == arena.size);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_FILE, slip_mesh_load_hull("no/such/file.stl", NULL, 0, &arena, &h, &report, &err));
    TEST_ASSERT_EQUAL_STRING("no/such/file.stl", err.file);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_FILE, slip_mesh_load_hull("build", NULL, 0, &arena, &h, &report, &err));
    arena = slip_arena_over(block, 3000);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_mesh_load_hull(path, scale, 0, &arena, &h, &report, &err));
    TEST_ASSERT(slip_arena_mark(&arena) == 0);
    remove(path);
}

static void test_a_concave_mesh_becomes_its_hull_with_a_warning_that_names_the_file(void)
{
    static const char dented[] =                         /* a cube with a pyramid cut out of its top */
        "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\nv 0 0 0\n"
        "f 1 3 4 2\nf 5 6 9\nf 6 8 9\nf 8 7 9\nf 7 5 9\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    static const char two[] =                            /* two tetrahedra apart: each convex, not both */
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        "v 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n";
    slip_hull h;

    write_file(dented, strlen(dented));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_load_hull(path, NULL, 0, &arena, &h, &report, &err));
    TEST_ASSERT(h.nv == 8 && h.nf == 6 && report.count == 1);
    TEST_ASSERT_MESSAGE(strstr(last_warning, path) && strstr(last_warning, "not convex")
                        && strstr(last_warning, "20.0 %"), last_warning);
    write_file(two, strlen(two));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_load_hull(path, NULL, 0, &arena, &h, &report, &err));
    TEST_ASSERT_EQUAL_INT(2, report.count);
    remove(path);
}

static void test_a_flat_mesh_is_usable_but_warned_of(void)
{
    static const char flat[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    slip_hull h;

    write_file(flat, strlen(flat));
    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, slip_mesh_load_hull(path, NULL, 0, &arena, &h, &report, &err));
    TEST_ASSERT(h.nv == 4 && h.nf == 2 && report.count == 1);
    remove(path);
}

static void test_a_turned_box_in_six_digits_or_floats_keeps_six_faces(void)
{
    static char text[4096];
    slip_hull h;
    int trial, i, k;

    for (trial = 0; trial < 40; ++trial) {
        slip_real q[4], R[9];

        arena = slip_arena_over(block, sizeof block);
        slip_random_quat(&rng, q);
        slip_quat_to_mat3(q, R);
        text[0] = '\0';
        for (i = 0; i < 8; ++i) {
            slip_real x[3] = { i & 1 ? SLIP_R(0.2) : SLIP_R(-0.2), i & 2 ? SLIP_R(0.3) : SLIP_R(-0.3), i & 4 ? 1 : -1 };
            char number[SLIP_NUMBER_SIZE];

            slip_mat3_vec(R, x, x);
            strcat(text, "v");
            for (k = 0; k < 3; ++k) {
                slip_print_double((double)x[k], 6, number);
                strcat(text, " ");
                strcat(text, number);
            }
            strcat(text, "\n");
        }
        strcat(text, "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
        write_file(text, strlen(text));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_load_hull(path, NULL, 0, &arena, &h, &report, &err));
        TEST_ASSERT(h.nv == 8 && h.nf == 6);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, report.count, last_warning);
    }
    remove(path);
}

static void test_what_is_written_reads_back(void)
{
    slip_real x[3*40];
    slip_hull h, back;
    slip_stream out;
    FILE *f;
    int i;

    for (i = 0; i < 120; ++i) x[i] = slip_random_normal(&rng);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_hull_build(x, 40, 0, &arena, &h, &err));
    f = fopen(path, "wb");
    TEST_ASSERT(f != NULL);
    slip_stream_file(f, &out);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_write_obj(&h, &out));
    fclose(f);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mesh_load_hull(path, NULL, 0, &arena, &back, &report, &err));
    TEST_ASSERT_EQUAL_INT(0, report.count);
    TEST_ASSERT(back.nv == h.nv && back.nf == h.nf);
    TEST_ASSERT(memcmp(back.vertex, h.vertex, (size_t)(3*h.nv)*sizeof *h.vertex) == 0);
    remove(path);
}

/* ---- mutations ------------------------------------------------------------------------------------ */

/* Any outcome is right but a crash, a NaN, a bad index or a changed arena after a refusal. */
static void try_bytes(const char *name, const char *bytes, size_t n)
{
    slip_trimesh m;
    slip_trimesh_facts r;
    slip_hull h;
    const slip_status s = slip_mesh_read(name, bytes, n, NULL, &arena, &m, NULL, &report, &err);
    int i;

    if (s < 0) {
        TEST_ASSERT(slip_arena_mark(&arena) == 0 && slip_arena_mark_scratch(&arena) == arena.size);
        TEST_ASSERT(err.what[0] != '\0');
        return;
    }
    TEST_ASSERT(m.nt >= 2);
    for (i = 0; i < 3*m.nt; ++i) TEST_ASSERT(m.triangle[i] >= 0 && m.triangle[i] < m.nv);
    TEST_ASSERT(slip_all_finite(m.vertex, 3*m.nv));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_trimesh_check(&m, slip_mesh_tolerance(&m), &arena, &r));
    TEST_ASSERT(slip_hull_build(m.vertex, m.nv, slip_mesh_tolerance(&m), &arena, &h, &err) >= 0);
    if (h.nf > 0) TEST_ASSERT_EQUAL_INT(2, h.nv - h.ne + h.nf);
}

static void mutate(const char *name, const char *bytes, size_t n, int rounds)
{
    static const char spice[] = "v f / - \\ # nan inf 1e400 999999999 0 solid facet vertex endloop \n\r\t";
    static char copy[8192];
    int round, k;

    for (round = 0; round < rounds; ++round) {
        size_t m = n;

        memcpy(copy, bytes, n);
        for (k = slip_random_int(&rng, 1, 4); k > 0; --k) {
            const size_t at = (size_t)slip_random_int(&rng, 0, (int)m - 1), left = m - at;
            const size_t want = (size_t)slip_random_int(&rng, 1, 12), len = want < left ? want : left;

            switch (slip_random_int(&rng, 0, 4)) {
            case 0: copy[at] = (char)slip_random_int(&rng, 0, 255);  break;
            case 1: memmove(copy + at, copy + at + len, left - len);  m -= len;  break;
            case 2: memcpy(copy + at, spice + slip_random_int(&rng, 0, (int)sizeof spice - 14),
                    left < 12 ? left : 12);  break;
            case 3: if (m + len < sizeof copy) { memmove(copy + at + len, copy + at, left);  m += len; }  break;
            default: m = at + 1;  break;
            }
        }
        arena = slip_arena_over(block, sizeof block);
        try_bytes(name, copy, m);
    }
}

static void test_mutated_files_are_read_or_refused_but_never_harmful(void)
{
    static char text[4096], binary[1024];
    size_t n;

    cube_stl_text(text);
    mutate("m.obj", cube_obj, strlen(cube_obj), 8000);
    mutate("m.stl", text, strlen(text), 4000);
    n = cube_stl("solid?", binary);
    mutate("m.stl", binary, n, 8000);
    mutate("m", binary, n, 2000);
}

static void test_every_truncation_is_refused_or_a_smaller_mesh(void)
{
    static char text[4096], binary[1024];
    size_t n, k;

    cube_stl_text(text);
    for (k = 0; k < strlen(text); ++k) { arena = slip_arena_over(block, sizeof block);  try_bytes("t.stl", text, k); }
    for (k = 0; k < strlen(cube_obj); ++k) {
        arena = slip_arena_over(block, sizeof block);
        try_bytes("t.obj", cube_obj, k);
    }
    n = cube_stl("x", binary);
    for (k = 0; k < n; ++k) {
        slip_trimesh m;

        TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_mesh_read("t.stl", binary, k, NULL, &arena, &m, NULL, &report,
                &err));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_obj_reads_all_index_forms_polygons_and_continued_lines);
    RUN_TEST(test_polygons_that_are_not_convex_are_cut_without_folds);
    RUN_TEST(test_stl_text_and_binary_give_the_same_cube);
    RUN_TEST(test_scales_apply_and_mirrors_flip_the_windings);
    RUN_TEST(test_bad_obj_files_are_refused_with_their_line);
    RUN_TEST(test_bad_stl_texts_are_refused_with_their_line);
    RUN_TEST(test_bad_binary_stls_are_refused_with_the_byte);
    RUN_TEST(test_a_scale_that_takes_coordinates_out_of_reach_is_refused);
    RUN_TEST(test_polygons_that_cross_or_collapse_are_read_and_their_faults_counted);
    RUN_TEST(test_lines_and_unknown_statements_are_warned_of_once);
    RUN_TEST(test_a_cube_file_becomes_a_hull_with_six_faces_and_only_that_stays);
    RUN_TEST(test_a_concave_mesh_becomes_its_hull_with_a_warning_that_names_the_file);
    RUN_TEST(test_a_flat_mesh_is_usable_but_warned_of);
    RUN_TEST(test_a_turned_box_in_six_digits_or_floats_keeps_six_faces);
    RUN_TEST(test_what_is_written_reads_back);
    RUN_TEST(test_mutated_files_are_read_or_refused_but_never_harmful);
    RUN_TEST(test_every_truncation_is_refused_or_a_smaller_mesh);
    return UNITY_END();
}
