/* `slipstick mesh` from end to end: what it prints of good and of broken meshes, its options, what it refuses. */
#include "unity.h"

#include <stdio.h>
#include <string.h>
#include "command.h"
#include "slipstick.h"

static command_result r;

void setUp(void) { }
void tearDown(void) { }

#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"

/* An L of three cubes: closed, not convex, volume 3; one hull has half a unit too much in the notch, two boxes none. */
#define CORNERS "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
static const char ell[] = CORNERS "f 1 4 3 2\nf 1 6 5 4\nf 7 8 9 10\nf 7 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\n"
                                  "f 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

static const char *obj(const char *text)
{
    static const char path[] = SLIP_TEST_BIN ".mesh.obj";

    command_write(path, text);
    return path;
}

/* `slipstick mesh FILE OPTIONS` with that text as the file. */
static void run(const char *text, const char *options)
{
    char line[512];

    snprintf(line, sizeof line, "mesh '%s' %s", obj(text), options);
    command_run(line, NULL, &r);
}

static double number(const char *word)
{
    double x[8];

    TEST_ASSERT_TRUE_MESSAGE(command_numbers(r.out, NULL, word, x, 8) >= 1, word);
    return x[0];
}

static void says(const char *what) { TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.out, what), r.out); }
static void fails(int code, const char *why)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(code, r.code, r.out);
    TEST_ASSERT_EQUAL_STRING("", r.out);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, why), r.err);
}

static void test_a_closed_solid_has_its_volume_and_mass(void)
{
    run(TETRAHEDRON "f 2 3 4\n", "--density 600");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1/6.0, number("volume"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 100, number("mass"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.25, number("centre"));
    says("closed           yes");
    says("convex           yes");
    says("problems         none");
}

static void test_a_factor_scales_and_a_negative_one_mirrors(void)
{
    run(TETRAHEDRON "f 2 3 4\n", "--scale 2,3,-1 --mass 7");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1, number("volume"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 7, number("mass"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.5, number("centre"));
    says("problems         none");                           /* mirrored windings are turned again */
}

static void test_every_defect_is_named(void)
{
    run(TETRAHEDRON, "");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    says("closed           no");
    says("3 open edges (used by one triangle)");
    says("mass_of          hull");
    run(TETRAHEDRON "f 2 4 3\n", "");
    says("3 edges where the windings of two triangles disagree");
    run("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n", "");
    says("inside out: all windings are clockwise from outside");
    run(TETRAHEDRON "f 2 3 4\nf 2 3 1\n", "");
    says("edges used by three triangles or more");
    run(TETRAHEDRON "f 2 3 4\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n", "");
    says("2 separate parts: only their common hull collides");
    run("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", "");
    says("flat: collides as a polygon, has no volume");
    run(ell, "");
    says("concave edges: only the hull collides");
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.5/3.5, number("hull_excess"));     /* of the hull */
}

static void test_a_solid_is_cut_into_parts_and_their_hulls_are_written(void)
{
    char path[] = SLIP_TEST_BIN ".parts.obj", text[4096];

    run(ell, "--decompose --parts 4 --excess 0.01 --hull '" SLIP_TEST_BIN ".parts.obj'");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.5/3, number("one_hull_over"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0, number("parts_over"));
    TEST_ASSERT_DOUBLE_WITHIN(0, 2, number("parts"));
    says("concave edges: the hulls of the parts collide, or one hull without them");
    TEST_ASSERT_NULL_MESSAGE(strstr(r.out, "only the hull"), r.out);
    TEST_ASSERT_TRUE(command_read(path, text, sizeof text) > 0);
    command_run("mesh '" SLIP_TEST_BIN ".parts.obj'", NULL, &r);     /* and read again: the same solid in two pieces */
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 3, number("volume"));
    remove(path);
    run(TETRAHEDRON, "--decompose");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "is not closed: it has no inside that could be cut"), r.err);
}

static void test_json_has_the_same_numbers_and_the_defects(void)
{
    run(ell, "--json --decompose --tolerance 1e-6");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    says("\"format\": \"obj\"");
    says("\"vertices\": 12");
    says("\"closed\": true");
    says("\"parts\": 2");
    says("\"problems\": [\"");
    run(TETRAHEDRON "f 2 3 4\n", "--json");
    says("\"problems\": []}");
}

static void test_both_forms_of_stl_are_named(void)
{
    static const float x[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    static const int corner[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };
    static const char path[] = SLIP_TEST_BIN ".mesh.stl";
    unsigned char bytes[84 + 4*50] = { 0 };
    char text[2048] = "solid t\n";
    FILE *f;
    int i, k;

    bytes[80] = 4;                                           /* triangles, low byte first */
    for (i = 0; i < 4; ++i) {
        strcat(text, "facet normal 0 0 0\nouter loop\n");
        for (k = 0; k < 3; ++k) {
            const float *p = x[corner[i][k]];
            int j;

            sprintf(text + strlen(text), "vertex %g %g %g\n", (double)p[0], (double)p[1], (double)p[2]);
            for (j = 0; j < 3; ++j)
                if (p[j] > 0) memcpy(bytes + 84 + 50*i + 12 + 12*k + 4*j, "\0\0\x80\x3f", 4);      /* 1.0f */
        }
        strcat(text, "endloop\nendfacet\n");
    }
    strcat(text, "endsolid t\n");
    command_write(path, text);
    command_run("mesh '" SLIP_TEST_BIN ".mesh.stl'", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    says("format           stl text");
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1/6.0, number("volume"));
    f = fopen(path, "wb");
    TEST_ASSERT_NOT_NULL(f);
    fwrite(bytes, 1, sizeof bytes, f);
    fclose(f);
    command_run("mesh '" SLIP_TEST_BIN ".mesh.stl'", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    says("format           stl binary");
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1/6.0, number("volume"));
    remove(path);
}

static void test_what_cannot_be_meant_is_refused(void)
{
    static const struct { const char *options, *why; } bad[] = {
        { "--scale 0", "--scale: '0' is not one number or three" }, { "--scale 1,2", "--scale: '1,2'" },
        { "--scale 1,2,3,4", "--scale" }, { "--scale 1:2:3", "--scale" }, { "--scale", "--scale" },
        { "--parts 0", "--parts" },       { "--parts 65", "--parts" },    { "--excess -1", "--excess" },
        { "--density x", "--density" },   { "--mass -1", "--mass" },      { "--tolerance -1", "--tolerance" },
        { "--hull", "--hull" },           { "--wrong", "unknown option '--wrong'" }, { "other.obj", "one file at a time" } };

    for (size_t i = 0; i < sizeof bad/sizeof *bad; ++i) {
        run(TETRAHEDRON, bad[i].options);
        fails(2, bad[i].why);
    }
    command_run("mesh", NULL, &r);
    fails(2, "no file given");
    command_run("mesh no-such-file.obj", NULL, &r);
    fails(1, "no-such-file.obj");
    run("v 0 0\n", "");
    fails(1, ".mesh.obj:1:");
    command_run("mesh --help", NULL, &r);
    TEST_ASSERT_EQUAL_INT(0, r.code);
    says("usage: slipstick mesh FILE");
    remove(obj(""));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_closed_solid_has_its_volume_and_mass);
    RUN_TEST(test_a_factor_scales_and_a_negative_one_mirrors);
    RUN_TEST(test_every_defect_is_named);
    RUN_TEST(test_a_solid_is_cut_into_parts_and_their_hulls_are_written);
    RUN_TEST(test_json_has_the_same_numbers_and_the_defects);
    RUN_TEST(test_both_forms_of_stl_are_named);
    RUN_TEST(test_what_cannot_be_meant_is_refused);
    return UNITY_END();
}
