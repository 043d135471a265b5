/* What a firmware can leave out: solvers that it does not name, shapes that it does not have, texts of errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"

#define PROGRAM SLIP_TEST_BIN ".linking"

void setUp(void) { }
void tearDown(void) { }

static const char *const text =
    "#include \"slipstick.h\"\n"
    "static unsigned char memory[1 << 22];\n"
    "int main(void)\n{\n"
    "    slip_arena mem = slip_arena_over(memory, sizeof memory);\n"
    "    slip_world_def def = { 0 };\n"
    "    slip_world *w;\n"
        "    slip_material m = { 0 };\n\n"
    "    def.options = slip_world_defaults_for(&slip_solver_ncp_pgs);\n"
    "    return slip_world_create(&def, &mem, &w, NULL, NULL) == SLIP_OK ? (int)slip_step(w) : 0;\n}\n";

static void test_a_firmware_links_only_the_solver_it_names(void)
{
    static char line[2048], symbols[1 << 18];
    FILE *f = fopen(PROGRAM ".c", "wb");

    if (strstr(SLIP_TEST_BIN, "-merged")) TEST_IGNORE_MESSAGE("the two-file form is one object");
    if (strstr(SLIP_TEST_CC, "--coverage")) TEST_IGNORE_MESSAGE("gcov's names are more than this test reads");
    if (system("nm --version > /dev/null 2>&1") != 0) TEST_IGNORE_MESSAGE("no nm");
    TEST_ASSERT_NOT_NULL(f);
    fputs(text, f);
    fclose(f);
    snprintf(line, sizeof line, SLIP_TEST_CC " -std=c99 %s -o '%s' '%s.c' '%s' -lm && nm '%s' > '%s.out'",
             getenv("SLIP_TEST_LDFLAGS") ? getenv("SLIP_TEST_LDFLAGS") : "", PROGRAM, PROGRAM, SLIP_TEST_LIB, PROGRAM,
             PROGRAM);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(line), line);
    f = fopen(PROGRAM ".out", "rb");
    TEST_ASSERT_NOT_NULL(f);
    symbols[fread(symbols, 1, sizeof symbols - 1, f)] = '\0';
    fclose(f);
    TEST_ASSERT_NOT_NULL(strstr(symbols, "slip_solver_ncp_pgs\n"));
    for (int i = 0; i < slip_solver_count(); ++i) {
        const slip_solver *s = slip_solver_get(i);
        char *at;

        if (s == &slip_solver_ncp_pgs) continue;
        snprintf(line, sizeof line, "slip_solver_%s\n", s->id);
        for (at = strchr(line, '-'); at; at = strchr(at, '-')) *at = '_';
        TEST_ASSERT_NULL_MESSAGE(strstr(symbols, line), s->id);
    }
}

/* Builds a program with sources of ours and flags, and runs it. */
static int build_and_run(const char *program, const char *sources, const char *flags)
{
    static char line[2048];
    FILE *f = fopen(PROGRAM ".c", "wb");

    TEST_ASSERT_NOT_NULL(f);
    fputs(program, f);
    fclose(f);
    snprintf(line, sizeof line, SLIP_TEST_CC " -std=c99 -Wall -Wextra -Werror -O0 %s -o '%s' '%s.c' %s -lm && '%s'",
             flags, PROGRAM, PROGRAM, sources, PROGRAM);
    return system(line);
}

static void test_without_messages_errors_keep_their_status(void)
{
    TEST_ASSERT_EQUAL_INT(0, build_and_run(
        "#include \"base/fail.h\"\n"
        "static int warned;\n"
        "static void warn(void *c, const slip_error *w) { (void)c; warned += w->status == SLIP_ERR_MODEL; }\n"
        "int main(void)\n{\n"
        "    slip_error e = { SLIP_OK, 1, 2, \"file\", \"before\" };\n"
        "    slip_report r = { warn, 0, 0, 0 };\n\n"
        "    if (slip_fail(&e, SLIP_ERR_PARSE, 3, 4, \"text %d\", 5) != SLIP_ERR_PARSE) return 1;\n"
        "    if (e.status != SLIP_ERR_PARSE || e.what[0]) return 2;\n"
        "    if (slip_fail(0, SLIP_ERR_FILE, 0, 0, \"x\") != SLIP_ERR_FILE) return 5;\n"
        "    if (slip_warn(&r, &e, 1, 1, \"w\") != SLIP_OK || r.count != 1 || warned != 1) return 3;\n"
        "    r.strict = 1;\n"
        "    if (slip_warn(&r, &e, 1, 1, \"w\") != SLIP_ERR_MODEL || e.status != SLIP_ERR_MODEL) return 4;\n"
        "    return slip_warn(0, &e, 1, 1, \"w\") != SLIP_OK;\n}\n", "src/base/*.c", "-DSLIP_NO_MESSAGES"));
}

/* The answers that remain are those of the whole library. */
static void test_shapes_that_are_not_built_are_refused(void)
{
    TEST_ASSERT_EQUAL_INT(0, build_and_run(
        "#include \"geom/geom.h\"\n"
        "int main(void)\n{\n"
        "    const slip_shape ball = slip_shape_sphere(1), floor = slip_shape_halfspace();\n"
        "    const slip_shape box = slip_shape_box(1, 1, 1), stick = slip_shape_capsule(1, 1);\n"
        "    slip_pose origin, above;\n    slip_patch p;\n    slip_distance_result d;\n\n"
        "    slip_pose_identity(&origin);\n    above = origin;\n    above.p[2] = SLIP_R(1.5);\n"
        "    if (slip_patch_find(&floor, &origin, &ball, &above, 1, NULL, &p) != SLIP_OK || p.n != 1) return 1;\n"
        "    if (p.point[0].gap < SLIP_R(0.499) || p.point[0].gap > SLIP_R(0.501)) return 2;\n"
        "    if (slip_distance(&ball, &origin, &ball, &above, NULL, &d) != SLIP_OK || !(d.distance < 0)) return 3;\n"
        "    if (slip_shape_check(&box) != SLIP_ERR_ARGUMENT || slip_shape_check(&ball) != SLIP_OK) return 4;\n"
        "    if (slip_distance(&box, &origin, &box, &above, NULL, &d) >= 0) return 5;\n"
        "    if (slip_patch_find(&floor, &origin, &box, &above, 1, NULL, &p) >= 0) return 6;\n"
        "    if (slip_distance(&stick, &origin, &ball, &above, NULL, &d) >= 0) return 7;\n"
        "    return slip_shape_is_built(SLIP_SHAPE_BOX) || !slip_shape_is_built(SLIP_SHAPE_SPHERE);\n}\n",
        "src/base/*.c src/geom/*.c", "-DSLIP_SHAPES='(1 << SLIP_SHAPE_SPHERE | 1 << SLIP_SHAPE_HALFSPACE)'"));
}

/* Of text in memory, readers need no files: those that a text names cannot be read. Budgets, laws and loops that are
 * left out are refused, and a world without them runs. */
static void test_without_files_readers_read_memory_and_a_world_runs(void)
{
    TEST_ASSERT_EQUAL_INT(0, build_and_run(
        "#include \"slipstick_parts.h\"\n#include <string.h>\n"
        "static unsigned char memory[1 << 24];\n"
        "int main(void)\n{\n"
        "    static const char text[] = \"<robot name='r'><link name='a'><inertial><mass value='1'/>\"\n"
        "        \"<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>\"\n"
        "        \"<collision><geometry><sphere radius='0.5'/></geometry></collision></link></robot>\";\n"
        "    slip_arena mem = slip_arena_over(memory, sizeof memory);\n"
        "    slip_urdf_options o = slip_urdf_defaults();\n"
        "    slip_urdf robot;\n    slip_error e;\n    const slip_collider_def *c;\n    int n;\n"
        "    slip_world_def def = { 0 };\n    slip_loop_def loop = { 0 };\n    slip_world *w;\n"
        "    slip_material m = { 0 };\n\n"
        "    o.free_base = 1;\n"
        "    if (slip_urdf_read(text, strlen(text), NULL, &o, &mem, &robot, NULL, &e) != SLIP_OK) return 1;\n"
        "    if (slip_urdf_colliders(&robot, &mem, &c, &n, NULL, &e) != SLIP_OK || n != 1) return 2;\n"
        "    if (slip_urdf_load(\"models/solo12.urdf\", &o, &mem, &robot, NULL, &e) != SLIP_ERR_FILE) return 3;\n"
        "    if (strstr(e.what, \"SLIP_NO_IO\") == NULL) return 4;\n"
        "    if (slip_model_build(&robot.def, &mem, &def.model, NULL, &e) != SLIP_OK) return 9;\n"
        "    def.colliders = c;\n    def.ncolliders = n;\n"
        "    def.materials = &m;\n    def.nmaterials = 1;\n"
        "    def.options = slip_world_defaults();\n"
        "    loop.kind = SLIP_LOOP_BALL;\n    def.loops = &loop;\n    def.nloops = 1;\n"
        "    if (slip_world_create(&def, &mem, &w, NULL, &e) != SLIP_ERR_UNSUPPORTED) return 5;\n"
        "    def.loops = NULL;\n    def.nloops = 0;\n    def.options.law.kind = SLIP_LAW_CFM;\n"
        "    if (slip_world_create(&def, &mem, &w, NULL, &e) != SLIP_ERR_UNSUPPORTED) return 6;\n"
        "    def.options = slip_world_defaults();\n    def.options.step_iterations = 9;\n"
        "    if (slip_world_create(&def, &mem, &w, NULL, &e) != SLIP_ERR_UNSUPPORTED) return 7;\n"
        "    def.options = slip_world_defaults();\n    def.options.max_contacts = 4;\n"
        "    if (slip_world_create(&def, &mem, &w, NULL, &e) != SLIP_OK || slip_step(w) != SLIP_OK) return 8;\n"
        "    return !(slip_world_v(w)[2] < 0);\n}\n",
        "src/base/*.c src/rbd/*.c src/geom/*.c src/contact/*.c src/solvers/*.c src/sim/*.c src/io/file.c "
        "src/io/urdf*.c src/io/xml.c src/io/mesh*.c src/io/stream.c",
        "-DSLIP_NO_IO -DSLIP_NO_BUDGETS -DSLIP_NO_LAWS -DSLIP_NO_LOOPS"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_firmware_links_only_the_solver_it_names);
    RUN_TEST(test_without_messages_errors_keep_their_status);
    RUN_TEST(test_shapes_that_are_not_built_are_refused);
    RUN_TEST(test_without_files_readers_read_memory_and_a_world_runs);
    return UNITY_END();
}
