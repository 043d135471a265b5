/* COLLADA meshes: one cube said in every way that robots' files say it, transforms by nodes, and what is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"

static unsigned char block[4 << 20];
static slip_arena arena;
static slip_trimesh mesh;
static slip_mesh_notes notes;
static slip_error err;
static slip_report report;
static char warned[512];
static char text[16384];

static void keep_warning(void *context, const slip_error *warning)
{
    (void)context;
    slip_error_text(warning, warned, (int)sizeof warned);
}

void setUp(void)
{
    arena = slip_arena_over(block, sizeof block);
    memset(&report, 0, sizeof report);
    report.warn = keep_warning;
    warned[0] = '\0';
}
void tearDown(void) { }

/* The cube [-1, 1]^3 with a normal for each face, so that corners have two indices. */
#define POINTS "<source id='p'><float_array id='a' count='24'>-1 -1 -1  1 -1 -1  -1 1 -1  1 1 -1 " \
    "-1 -1 1  1 -1 1  -1 1 1  1 1 1</float_array><technique_common><accessor source='#a' count='8' stride='3'>" \
    "<param name='X' type='float'/></accessor></technique_common></source>" \
    "<source id='n'><float_array id='b' count='3'>0 0 1</float_array></source>" \
    "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
#define INPUTS "<input semantic='VERTEX' source='#v' offset='0'/><input semantic='NORMAL' source='#n' offset='1'/>"
#define QUADS "0 0 2 0 3 0 1 0  4 0 5 0 7 0 6 0  0 0 1 0 5 0 4 0  2 0 6 0 7 0 3 0  0 0 4 0 6 0 2 0  1 0 3 0 7 0 5 0"
#define POLYLIST "<polylist count='6'>" INPUTS "<vcount>4 4 4 4 4 4</vcount><p>" QUADS "</p></polylist>"
#define TRIANGLES "<triangles count='12'><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 1 2 3 4 5 6 5 7 6 " \
    "0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5</p></triangles>"
#define SCENE(nodes) "<library_visual_scenes><visual_scene id='s'>" nodes "</visual_scene></library_visual_scenes>" \
    "<scene><instance_visual_scene url='#s'/></scene>"
#define CUBE "<instance_geometry url='#g'/>"

static slip_status parse(const char *asset, const char *groups, const char *scene)
{
    snprintf(text, sizeof text, "<?xml version='1.0'?><COLLADA version='1.4.1'><asset>%s</asset><library_geometries>"
             "<geometry id='g'><mesh>" POINTS "%s</mesh></geometry></library_geometries>%s</COLLADA>",
             asset, groups, scene);
    arena = slip_arena_over(block, sizeof block);
    return slip_mesh_read("cube.dae", text, strlen(text), NULL, &arena, &mesh, &notes, &report, &err);
}

/* The mesh is closed, outside out, of this volume [m^3] and with this centre [m]. */
static void is_body(double volume, double x, double y, double z)
{
    slip_mass m;

    TEST_ASSERT_EQUAL_STRING("", err.status == SLIP_OK ? "" : err.what);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_trimesh_mass(&mesh, 1, &m));
    /* in float, corners at 1 m are known to 6e-8 m, and the smallest cube has edges of 2 mm */
    TEST_ASSERT_DOUBLE_WITHIN(fabs(volume)*(double)SLIP_TOL(1e-12, 1e-4), volume, (double)m.mass);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), x, (double)m.centre[0]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), y, (double)m.centre[1]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), z, (double)m.centre[2]);
}

static void test_one_cube_in_all_ways_of_saying_polygons(void)
{
    static const char *const ways[] = {
        POLYLIST, TRIANGLES,
        "<polygons>" INPUTS "<p>0 0 2 0 3 0 1 0</p><p>4 0 5 0 7 0 6 0</p><p>0 0 1 0 5 0 4 0</p><p>2 0 6 0 7 0 3 0</p>"
        "<p>0 0 4 0 6 0 2 0</p><p>1 0 3 0 7 0 5 0</p></polygons>",
        "<tristrips><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 3</p><p>4 5 6 7</p><p>0 1 4 5</p>"
        "<p>2 6 3 7</p><p>0 4 2 6</p><p>1 3 5 7</p></tristrips>",
        "<trifans><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 3 1 5 4 6 2</p><p>7 6 4 5 1 3 2 6</p>"
        "</trifans>" };
    int i;

    for (i = 0; i < 5; ++i) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, parse("", ways[i], SCENE("<node>" CUBE "</node>")), err.what);
        TEST_ASSERT_EQUAL_INT(8, mesh.nv);
        TEST_ASSERT_EQUAL_INT(12, mesh.nt);
        TEST_ASSERT_EQUAL_INT(SLIP_MESH_DAE, notes.format);
        is_body(8, 0, 0, 0);
    }
}

static void test_nodes_move_their_geometries_in_the_order_of_their_transforms(void)
{
    static const struct { const char *nodes; double volume, x, y, z; } list[] = {
        { "<node><translate>1 2 3</translate>" CUBE "</node>", 8, 1, 2, 3 },
        { "<node><scale>1 2 .5</scale><translate>1 2 3</translate>" CUBE "</node>", 8, 1, 4, 1.5 },
        { "<node><rotate>0 0 2 90</rotate><translate>1 0 0</translate>" CUBE "</node>", 8, 0, 1, 0 },
        { "<node><matrix>0 -2 0 5 2 0 0 6 0 0 2 7 0 0 0 1</matrix>" CUBE "</node>", 64, 5, 6, 7 },
        { "<node><translate>1 0 0</translate><node><rotate>0 1 0 90</rotate><node><translate>0 0 1</translate>" CUBE
          "</node></node></node>", 8, 2, 0, 0 },
        { "<node><translate>4 0 0</translate><node><translate>0 4 0</translate></node>" CUBE "</node>", 8, 4, 0, 0 },
        { "<node><scale>-1 1 1</scale><translate>2 0 0</translate>" CUBE "</node>", 8, -2, 0, 0 },   /* mirrored */
        { "<node>" CUBE "</node><node><translate>4 0 0</translate>" CUBE "</node>", 16, 2, 0, 0 } };
    int i;

    for (i = 0; i < (int)(sizeof list/sizeof *list); ++i) {
        snprintf(warned, sizeof warned, SCENE("%s"), list[i].nodes);
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, parse("", POLYLIST, warned), err.what);
        is_body(list[i].volume, list[i].x, list[i].y, list[i].z);
    }
}

static void test_nodes_of_the_library_are_instantiated(void)
{
    const char *library = "<library_nodes><node id='k'><translate>0 0 1</translate><instance_node url='#c'/></node>"
                          "<node id='c'><scale>2 2 2</scale>" CUBE "</node></library_nodes>"
                          SCENE("<node><instance_node url='#k'/></node><node><translate>0 8 0</translate>"
                                "<instance_node url='#k'/></node>");

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, parse("", TRIANGLES, library), err.what);
    is_body(128, 0, 4, 1);
    TEST_ASSERT_EQUAL_INT(6, notes.instances);
}

/* Units scale; the up axis is told and not applied, as in the viewers that robots' files are drawn for. */
static void test_the_unit_scales_and_the_up_axis_does_not_turn(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("<unit name='millimeter' meter='0.001'/><up_axis>Y_UP</up_axis>", POLYLIST,
                                         SCENE("<node><translate>0 0 1000</translate>" CUBE "</node>")));
    is_body(8e-9, 0, 0, 1);
    TEST_ASSERT_EQUAL_INT('Y', notes.up_axis);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("<up_axis> Z_UP </up_axis>", POLYLIST, ""));      /* no scene: all of it */
    is_body(8, 0, 0, 0);
    TEST_ASSERT_EQUAL_INT('Z', notes.up_axis);
    /* an asset within an element speaks of that element */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("<unit meter='0.5'/><up_axis>Z_UP</up_axis>", POLYLIST, "<library_effects>"
        "<effect><asset><unit meter='7'/><up_axis>Y_UP</up_axis></asset></effect></library_effects>"));
    is_body(1, 0, 0, 0);
    TEST_ASSERT_EQUAL_INT('Z', notes.up_axis);
}

static void test_points_of_no_polygon_are_no_corners_of_the_hull(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("", "<triangles><input semantic='VERTEX' source='#v' offset='0'/>"
                                         "<p>0 2 1 0 1 4 0 4 2 1 2 4</p></triangles>", ""));
    TEST_ASSERT_EQUAL_INT(4, mesh.nv);
    TEST_ASSERT_EQUAL_INT(4, notes.unused);
    is_body(8/6.0, -0.5, -0.5, -0.5);
}

static void test_what_is_not_a_body_is_skipped_with_a_word(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("", POLYLIST "<lines><input semantic='VERTEX' source='#v' offset='0'/>"
                                         "<p>0 1</p></lines>",
                                         SCENE("<node>" CUBE "<instance_light url='#x'/></node>")));
    is_body(8, 0, 0, 0);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warned, "lines are ignored"), warned);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("", POLYLIST, SCENE("<node>" CUBE "<instance_controller url='#c'/></node>")));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warned, "skins"), warned);
}

static void test_what_is_wrong_is_named_with_its_line(void)
{
    static const struct { const char *groups, *scene, *says; slip_status status; } list[] = {
        { POLYLIST, SCENE("<node><instance_geometry url='#h'/></node>"), "'#h' names nothing", SLIP_ERR_PARSE },
        { POLYLIST, "<scene><instance_visual_scene url='#t'/></scene>", "'#t' names nothing", SLIP_ERR_PARSE },
        { "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 8</p></triangles>", "", "vertex 8 of 8",
          SLIP_ERR_PARSE },
        { "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 x</p></triangles>", "",
          "'x' is not a whole", SLIP_ERR_PARSE },
        { "<triangles><p>0 2 1</p></triangles>", "", "without a VERTEX", SLIP_ERR_PARSE },
        { "<polylist>" INPUTS "<vcount>4</vcount><p>" QUADS "</p></polylist>", "", "more corners than",
          SLIP_ERR_PARSE },
        { "<polylist><input semantic='VERTEX' source='#w' offset='0'/></polylist>", "", "'#w' names nothing",
          SLIP_ERR_PARSE },
        { POLYLIST, SCENE("<node><translate>1 2</translate>" CUBE "</node>"), "<translate> needs 3 numbers",
          SLIP_ERR_PARSE },
        { POLYLIST, SCENE("<node><translate>1 2 nan</translate>" CUBE "</node>"), "'nan' is not a finite",
          SLIP_ERR_PARSE },
        { POLYLIST, SCENE("<node id='m'>" CUBE "<instance_node url='#m'/></node>"), "contain itself", SLIP_ERR_LIMIT },
        { "", SCENE("<node>" CUBE "</node>"), "no triangles", SLIP_ERR_PARSE } };
    int i;

    for (i = 0; i < (int)(sizeof list/sizeof *list); ++i) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(list[i].status, parse("", list[i].groups, list[i].scene), list[i].says);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.what, list[i].says), err.what);
        TEST_ASSERT_EQUAL_STRING("cube.dae", err.file);
        TEST_ASSERT_EQUAL_UINT_MESSAGE(0, slip_arena_mark(&arena), "nothing is left in the arena");
    }
}

/* Two levels of doubling below a thousand instances come to more text than is read. */
static void test_a_file_that_multiplies_itself_ends(void)
{
    static char big[400000];
    int i, n = 0;

    n += snprintf(big + n, sizeof big - (size_t)n, "<COLLADA><library_geometries><geometry id='g'><mesh>" POINTS
                  "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>");
    for (i = 0; i < 30000; ++i) n += snprintf(big + n, sizeof big - (size_t)n, "0 2 1 ");
    n += snprintf(big + n, sizeof big - (size_t)n, "</p></triangles></mesh></geometry></library_geometries>"
                  "<library_nodes><node id='a'>");
    for (i = 0; i < 40; ++i) n += snprintf(big + n, sizeof big - (size_t)n, "<instance_node url='#b'/>");
    n += snprintf(big + n, sizeof big - (size_t)n, "</node><node id='b'>");
    for (i = 0; i < 3000; ++i) n += snprintf(big + n, sizeof big - (size_t)n, CUBE);
    n += snprintf(big + n, sizeof big - (size_t)n, "</node></library_nodes>"
                  SCENE("<node><instance_node url='#a'/></node>") "</COLLADA>");
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_LIMIT,
                          slip_mesh_read("big.dae", big, (size_t)n, NULL, &arena, &mesh, NULL, NULL, &err));
}

/* Every byte of a file changed once, and the file cut anywhere: refused, or a mesh of sound indices. */
static void test_damaged_files_do_no_harm(void)
{
    slip_random rng = slip_random_seed(3);
    static char copy[16384];
    size_t n, i;
    int k;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("<unit meter='2'/>", POLYLIST,
                                         SCENE("<node><scale>1 2 3</scale>" CUBE "</node>")));
    n = strlen(text);
    for (i = 0; i < n; ++i) {
        memcpy(copy, text, n);
        if (i % 2) copy[i] = (char)slip_random_int(&rng, 0, 255);
        arena = slip_arena_over(block, sizeof block);
        if (slip_mesh_read("d.dae", copy, i % 2 ? n : i, NULL, &arena, &mesh, NULL, NULL, &err) < 0) continue;
        for (k = 0; k < 3*mesh.nt; ++k) TEST_ASSERT(mesh.triangle[k] >= 0 && mesh.triangle[k] < mesh.nv);
    }
}

static void test_too_small_arenas_are_told(void)
{
    size_t size;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, parse("", POLYLIST, SCENE("<node>" CUBE "</node>")));
    for (size = 0; size < 60000; size += 997) {
        const slip_arena small = slip_arena_over(block, size);

        arena = small;
        if (slip_mesh_read("c.dae", text, strlen(text), NULL, &arena, &mesh, NULL, NULL, &err) == SLIP_OK) break;
        TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, err.status);
    }
    TEST_ASSERT(size > 10000 && size < 60000);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_one_cube_in_all_ways_of_saying_polygons);
    RUN_TEST(test_nodes_move_their_geometries_in_the_order_of_their_transforms);
    RUN_TEST(test_nodes_of_the_library_are_instantiated);
    RUN_TEST(test_the_unit_scales_and_the_up_axis_does_not_turn);
    RUN_TEST(test_points_of_no_polygon_are_no_corners_of_the_hull);
    RUN_TEST(test_what_is_not_a_body_is_skipped_with_a_word);
    RUN_TEST(test_what_is_wrong_is_named_with_its_line);
    RUN_TEST(test_a_file_that_multiplies_itself_ends);
    RUN_TEST(test_damaged_files_do_no_harm);
    RUN_TEST(test_too_small_arenas_are_told);
    return UNITY_END();
}
