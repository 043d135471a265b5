/* Convex decomposition: a cup and an L are cut into hulls that leave their hollows open, and nothing of the solid is
 * lost. */
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "slipstick_parts.h"

enum { MOST_VERTICES = 400, MOST_TRIANGLES = 800 };
static slip_real vertex[3*MOST_VERTICES];
static int triangle[3*MOST_TRIANGLES];
static slip_trimesh mesh;
static slip_arena mem;
static unsigned char *block;
enum { BLOCK = 1 << 25 };

void setUp(void)
{
    block = (unsigned char *)malloc(BLOCK);
    mem = slip_arena_over(block, BLOCK);
    mesh.nv = mesh.nt = 0;
    mesh.vertex = vertex;
    mesh.triangle = triangle;
}
void tearDown(void) { free(block); }

static int corner(double x, double y, double z)
{
    slip_set3((slip_real)x, (slip_real)y, (slip_real)z, vertex + 3*mesh.nv);
    return mesh.nv++;
}

static void face(int a, int b, int c, int d)
{
    const int t[6] = { a, b, c, a, c, d };

    memcpy(triangle + 3*mesh.nt, t, sizeof t);
    mesh.nt += 2;
}

/* A solid of revolution about z: the outline, from the axis to the axis, anticlockwise in the half-plane x > 0. */
static void lathe(const double (*outline)[2], int n, int sides)
{
    int ring[16][32], i, k;

    for (i = 0; i < n; ++i)
        for (k = 0; k < sides; ++k) {
            const double a = 2*3.14159265358979*k/sides;

            ring[i][k] = outline[i][0] > 0 || k == 0
                       ? corner(outline[i][0]*cos(a), outline[i][0]*sin(a), outline[i][1]) : ring[i][0];
        }
    for (i = 0; i + 1 < n; ++i)
        for (k = 0; k < sides; ++k) {
            const int next = (k + 1) % sides;
            int t[6] = { ring[i][k], ring[i][next], ring[i + 1][next], ring[i][k], ring[i + 1][next], ring[i + 1][k] };

            if (t[0] != t[1]) { memcpy(triangle + 3*mesh.nt, t, 3*sizeof *t);  ++mesh.nt; }
            if (t[4] != t[5]) { memcpy(triangle + 3*mesh.nt, t + 3, 3*sizeof *t);  ++mesh.nt; }
        }
}

/* A cup: 60 mm wide inside, walls of 10 mm, 100 mm high with a floor of 10 mm. */
static void cup(void)
{
    static const double outline[][2] = { { 0, 0 }, { 0.04, 0 }, { 0.04, 0.1 }, { 0.03, 0.1 }, { 0.03, 0.01 },
                                         { 0, 0.01 } };

    lathe(outline, 6, 24);
}

static int is_inside(const slip_hull *h, const slip_real x[3], double by)
{
    int i;

    for (i = 0; i < h->nf; ++i)
        if ((double)(slip_dot3(h->plane + 4*i, x) - h->plane[4*i + 3]) > by) return 0;
    return 1;
}

static void test_a_cup_is_hollow(void)
{
    slip_decomposition d;
    slip_random r = slip_random_seed(3);
    int i, k, kept = 0;

    cup();
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_decompose(&mesh, 32, SLIP_R(0.05), 0, &mem, &d, NULL));
    TEST_ASSERT_TRUE((double)d.hull_volume > 1.7*(double)d.volume);
    TEST_ASSERT_TRUE_MESSAGE((double)d.parts_volume < 1.15*(double)d.volume, "hulls that fill the cup");
    TEST_ASSERT_TRUE((double)d.parts_volume > 0.95*(double)d.volume);
    TEST_ASSERT_TRUE(d.n > 4 && d.n <= 32);
    for (i = 0; i < 2000; ++i) {                               /* a ball of 20 mm on the floor touches no part ... */
        slip_real x[3];
        const double radius = 0.02*sqrt((double)slip_random_uniform(&r, 0, 1));
        const double a = (double)slip_random_uniform(&r, 0, SLIP_R(6.28));

        slip_set3((slip_real)(radius*cos(a)), (slip_real)(radius*sin(a)),
                  slip_random_uniform(&r, SLIP_R(0.02), SLIP_R(0.1)), x);
        for (k = 0; k < d.n; ++k) TEST_ASSERT_FALSE(is_inside(&d.part[k], x, 0));
    }
    for (i = 0; i < mesh.nv; ++i) {                            /* ... and the walls are all there */
        for (k = 0; k < d.n && !is_inside(&d.part[k], vertex + 3*i, (double)SLIP_TOL(1e-9, 1e-6)); ++k) { }
        kept += k < d.n;
    }
    TEST_ASSERT_EQUAL_INT(mesh.nv, kept);
}

static void test_an_L_is_two_boxes_or_close_to_it(void)
{
    slip_decomposition d;
    int a[6], b[6], i;
    static const double outline[6][2] = { { 0, 0 }, { 2, 0 }, { 2, 1 }, { 1, 1 }, { 1, 2 }, { 0, 2 } };

    for (i = 0; i < 6; ++i) a[i] = corner(outline[i][0], outline[i][1], 0);
    for (i = 0; i < 6; ++i) b[i] = corner(outline[i][0], outline[i][1], 1);
    for (i = 0; i < 6; ++i) face(a[i], a[(i + 1) % 6], b[(i + 1) % 6], b[i]);
    face(b[0], b[1], b[2], b[3]);
    face(b[0], b[3], b[4], b[5]);
    face(a[3], a[2], a[1], a[0]);
    face(a[5], a[4], a[3], a[0]);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_decompose(&mesh, 16, SLIP_R(0.01), 0, &mem, &d, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 3, (double)d.volume);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 3.5, (double)d.hull_volume);
    TEST_ASSERT_DOUBLE_WITHIN(0.03, 3, (double)d.parts_volume);
    TEST_ASSERT_EQUAL_INT(2, d.n);
}

static void test_what_is_convex_stays_whole_and_what_is_open_is_told(void)
{
    static const double ball[][2] = { { 0, -1 }, { 0.7, -0.7 }, { 1, 0 }, { 0.7, 0.7 }, { 0, 1 } };
    slip_decomposition d;

    lathe(ball, 5, 16);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_decompose(&mesh, 16, SLIP_R(0.01), 0, &mem, &d, NULL));
    TEST_ASSERT_EQUAL_INT(1, d.n);
    --mesh.nt;
    TEST_ASSERT_EQUAL_INT(SLIP_DEGENERATE, slip_decompose(&mesh, 16, SLIP_R(0.01), 0, &mem, &d, NULL));
    TEST_ASSERT_EQUAL_INT(1, d.n);
}

/* The height of a ball that falls into the cup, which is a body of a scene: on its floor when it is hollow, else on its
 * brim. */
static double height_in_cup(const char *convex, int *ncolliders)
{
    static const char path[] = SLIP_TEST_BIN ".cup.obj";
    const char *base = strrchr(path, '/');
    FILE *f = fopen(path, "w");
    char text[600];
    slip_scene scene;
    slip_world *w = NULL;
    slip_error err;
    int i;

    TEST_ASSERT_NOT_NULL(f);
    for (i = 0; i < mesh.nv; ++i)
        fprintf(f, "v %.9f %.9f %.9f\n", (double)vertex[3*i], (double)vertex[3*i + 1], (double)vertex[3*i + 2]);
    for (i = 0; i < mesh.nt; ++i)
        fprintf(f, "f %d %d %d\n", triangle[3*i] + 1, triangle[3*i + 1] + 1, triangle[3*i + 2] + 1);
    fclose(f);
    slip_format(text, (int)sizeof text, "<scene><ground/><body name='cup' density='1000'><geometry><mesh filename='%s' "
                "%s/></geometry></body><body name='ball' mass='0.05'><origin xyz='0 0 0.15'/><geometry>"
                "<sphere radius='0.02'/></geometry></body></scene>", base ? base + 1 : path, convex);
    slip_error_clear(&err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_read(text, strlen(text), path, NULL, &mem, &scene, NULL, &err),
                                  err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_start(&scene, &mem, &w, NULL, &err), err.what);
    for (i = 0; i < 800; ++i) TEST_ASSERT_TRUE(slip_step(w) >= 0);
    *ncolliders = scene.world.ncolliders;
    remove(path);
    return (double)slip_world_q(w)[9];
}

static void test_a_cup_in_a_scene_holds_a_ball(void)
{
    int n;

    cup();
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.03, height_in_cup("convex='decompose'", &n));
    TEST_ASSERT_TRUE(n > 6);
    tearDown();
    setUp();
    cup();
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.12, height_in_cup("", &n));
    TEST_ASSERT_EQUAL_INT(3, n);
}

/* A finger stands within the handle, which a hull would fill: the mug comes up with the fingers and keeps its ball. */
static void test_a_gripper_closes_around_a_handle(void)
{
    slip_error err;
    slip_scene scene;
    slip_world *w = NULL;
    int i, mug, ball, drawn = 0;

    slip_error_clear(&err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_load("models/mug.xml", NULL, &mem, &scene, NULL, &err), err.what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_start(&scene, &mem, &w, NULL, &err), err.what);
    for (i = 0; i < scene.nvisuals; ++i)                       /* drawn as its file, once */
        if (scene.visuals[i].shape.kind == SLIP_SHAPE_MESH)
            TEST_ASSERT(scene.visuals[i].mesh_path && !scene.visuals[i].shape.hull && drawn++ == 0);
    TEST_ASSERT_EQUAL_INT(1, drawn);
    slip_world_set_control(w, slip_scene_control, &scene);
    for (i = 0; i < 2300; ++i) TEST_ASSERT_TRUE(slip_step(w) >= 0);
    slip_world_update(w);
    mug = slip_model_find_link(scene.model, "mug");
    ball = slip_model_find_link(scene.model, "ball");
    {
        slip_pose M, B;

        slip_link_pose(scene.model, slip_world_data(w), mug, &M);
        slip_link_pose(scene.model, slip_world_data(w), ball, &B);
        TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.15, (double)M.p[2]);
        TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.03, (double)(B.p[2] - M.p[2]));
    }
}

static void test_too_small_an_arena_is_told(void)
{
    size_t bytes;
    int full = 0;

    cup();
    for (bytes = 1000; bytes < BLOCK; bytes *= 2) {
        slip_decomposition d;
        slip_status s;

        mem = slip_arena_over(block, bytes);
        s = slip_decompose(&mesh, 8, SLIP_R(0.05), 0, &mem, &d, NULL);
        TEST_ASSERT_TRUE(s == SLIP_OK || s == SLIP_ERR_WORKSPACE);
        if (s < 0) TEST_ASSERT_TRUE(mem.low == 0 && mem.high == mem.size);
        full += s < 0;
    }
    TEST_ASSERT_TRUE(full > 3);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_cup_is_hollow);
    RUN_TEST(test_an_L_is_two_boxes_or_close_to_it);
    RUN_TEST(test_what_is_convex_stays_whole_and_what_is_open_is_told);
    RUN_TEST(test_a_cup_in_a_scene_holds_a_ball);
    RUN_TEST(test_a_gripper_closes_around_a_handle);
    RUN_TEST(test_too_small_an_arena_is_told);
    return UNITY_END();
}
