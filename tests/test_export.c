/* slipstick export: the C source that it writes compiles alone and computes the same bits as the file it comes from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"

#define STEM SLIP_TEST_BIN ".export"

static char said[1 << 14];

void setUp(void) { }
void tearDown(void) { }

/* Runs the exported world beside that of the file, and its dynamics beside those of the file's model. Prints what is
 * different; returns how much is. */
static const char *const program =
    "#include \"slipstick_parts.h\"\n"
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include HEADER\n"
    "#define JOIN_(a, b) a##_##b\n#define JOIN(a, b) JOIN_(a, b)\n#define OURS(x) JOIN(NAME, x)\n"
    "static int differences;\n"
    "static void same(const char *what, int k, const slip_real *a, const slip_real *b, int n)\n{\n"
    "    if (memcmp(a, b, (size_t)n*sizeof *a) != 0 && differences++ < 5) printf(\"%s %d differs\\n\", what, k);\n}\n"
    "static void dynamics(const slip_model *m, slip_arena *mem)\n{\n"
    "    const slip_model *ours = &OURS(model);\n    slip_data *d, *e;\n    slip_random r = slip_random_seed(7);\n"
    "    slip_real q[999], v[999], t[999], a[999], b[999];\n    int i, k;\n"
    "    if (m->nq > 999 || slip_data_create(m, mem, &d) < 0 || slip_data_create(ours, mem, &e) < 0) exit(3);\n"
    "    for (k = 0; k < 20; ++k) {\n"
    "        slip_neutral(m, q);\n"
    "        for (i = 0; i < 2*m->nv; ++i) *(i < m->nv ? v + i : t + i - m->nv) = slip_random_uniform(&r, -1, 1);\n"
    "        slip_integrate(m, q, v, 1, q);\n"
    "        if (slip_aba(m, d, q, v, t, NULL, a) != slip_aba(ours, e, q, v, t, NULL, b)) exit(4);\n"
    "        same(\"aba\", k, a, b, m->nv);\n"
    "        slip_rnea(m, d, q, v, t, NULL, a);\n        slip_rnea(ours, e, q, v, t, NULL, b);\n"
    "        same(\"rnea\", k, a, b, m->nv);\n"
    "        slip_crba(m, d, q);\n        slip_crba(ours, e, q);\n"
    "        same(\"crba\", k, d->M, e->M, m->branches.size);\n"
    "    }\n}\n"
    "/* Every field: one that export does not know is 0 there. */\n"
    "static void same_options(const slip_world *w)\n{\n"
    "    slip_world_options a = *slip_world_options_of((slip_world *)w), b = OURS(world).options;\n"
    "    a.max_contacts = b.max_contacts;\n    a.max_pairs = b.max_pairs;\n"
    "    if (memcmp(&a, &b, sizeof a) != 0 && ++differences) puts(\"options differ\");\n}\n"
    "int main(int argc, char **argv)\n{\n"
    "    const size_t bytes = (size_t)1 << 26;\n"
    "    void *block = malloc(bytes);\n    slip_arena mem = slip_arena_over(block, bytes), tight;\n"
    "    slip_scene_options opt = slip_scene_defaults();\n    slip_scene scene;\n    slip_world *theirs, *ours;\n"
    "    slip_error err;\n    char text[300];\n    int k;\n"
    "    opt.solver = OURS(solvers)[0];\n"
    "    if (argc < 2 || slip_scene_load(argv[1], &opt, &mem, &scene, NULL, &err) < 0\n"
    "        || slip_scene_start(&scene, &mem, &theirs, NULL, &err) < 0) return 2;\n"
    "    tight = slip_arena_over(slip_arena_take(&mem, BYTES, 1), BYTES);\n"
    "    if (OURS(start)(&tight, &ours, &err) < 0) { slip_error_text(&err, text, 300); puts(text); return 2; }\n"
    "    same_options(theirs);\n"
    "    printf(\"left %d\\n\", (int)slip_arena_left(&tight));\n"
    "    for (k = 0; k < 200; ++k) {\n"
    "        if (slip_step(theirs) != slip_step(ours)) ++differences;\n"
    "        same(\"q of step\", k, slip_world_q(theirs), slip_world_q(ours), scene.model->nq);\n"
    "        same(\"v of step\", k, slip_world_v(theirs), slip_world_v(ours), scene.model->nv);\n"
    "    }\n"
    "    printf(\"%d contacts\\n\", slip_contact_count(ours));\n"
    "    dynamics(scene.model, &mem);\n    free(block);\n"
    "    return differences > 0;\n}\n";

static int run(const char *line)
{
    int code = system(line);
    FILE *f = fopen(STEM ".out", "rb");

    TEST_ASSERT_NOT_NULL(f);
    said[fread(said, 1, sizeof said - 1, f)] = '\0';
    fclose(f);
    return code;
}

/* Exports a file of ours, builds the program with it and the two public headers, and runs it on the file. */
static void check(const char *file, const char *scene, const char *options)
{
    static char line[4096];
    const char *more = getenv("SLIP_TEST_LDFLAGS");
    FILE *f = fopen(STEM ".main.c", "wb");

    TEST_ASSERT_NOT_NULL(f);
    fputs(program, f);
    fclose(f);
    snprintf(line, sizeof line, "'%s' export %s --c '%s_robot.c' --steps 20 %s > '%s.out' 2>&1", SLIP_TEST_BIN, file,
             STEM, options, STEM);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run(line), said);
    snprintf(line, sizeof line, SLIP_TEST_CC " -std=c99 -Wall -Wextra -Wpedantic -Werror %s "
             "-DNAME=slipstick_export_robot -DBYTES=SLIPSTICK_EXPORT_ROBOT_ARENA_BYTES "
             "-DHEADER='\"%s_robot.h\"' -I. -o '%s.run' '%s.main.c' "
             "'%s_robot.c' '%s' -lm > '%s.out' 2>&1", more ? more : "", STEM, STEM, STEM, STEM, SLIP_TEST_LIB, STEM);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run(line), said);
    snprintf(line, sizeof line, "'%s.run' %s > '%s.out' 2>&1", STEM, scene, STEM);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run(line), said);
}

static void test_an_exported_quadruped_takes_the_same_steps(void)
{
    int left = -1;

    check("models/solo12_stand.xml", "models/solo12_stand.xml", "--solvers ncp-pgs --max-contacts 4");
    TEST_ASSERT_EQUAL_INT(1, sscanf(said, "left %d", &left));
    TEST_ASSERT_LESS_THAN_INT(64, left);                 /* the header's size is exact, up to the block's alignment */
    TEST_ASSERT_NOT_NULL(strstr(said, "4 contacts"));
}

static void test_so_do_hulls_and_terrain(void)
{
    check("models/pebbles.xml", "models/pebbles.xml", "");
    check("models/solo12_rough.xml", "models/solo12_rough.xml", "--solvers ncp-admm,default");
}

static void test_so_do_loops_mimic_joints_and_soft_materials(void)
{
    check("models/four_bar.xml", "models/four_bar.xml", "");
    check("models/iftomm/governor.xml", "models/iftomm/governor.xml", "");
    check("models/gears.xml", "models/gears.xml", "");
    check("models/solo12_creep.xml", "models/solo12_creep.xml", "--quiet");
}

static void test_a_robot_alone_is_exported_too(void)
{
    FILE *f = fopen(STEM ".xml", "wb");

    TEST_ASSERT_NOT_NULL(f);
    fputs("<scene><robot file=\"../../models/humanoid.urdf\"/></scene>", f);
    fclose(f);
    check("models/humanoid.urdf", STEM ".xml", "");
}

/* Links and joints whose names are one identifier in capitals. */
static void test_names_that_differ_in_punctuation_alone_compile(void)
{
    static const char *const part = "<joint name='%s' type='revolute'><parent link='base'/><child link='%s'/>"
        "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
        "<link name='%s'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        "</inertial></link>";
    static const char *const names[][2] = { { "j-1", "a-b" }, { "j_1", "a_b" }, { "J.1", "A.B" }, { "j", "a_b__2" } };
    FILE *f = fopen(STEM ".urdf", "wb");
    size_t i;

    TEST_ASSERT_NOT_NULL(f);
    fputs("<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
          "ixz='0' iyz='0'/></inertial></link>", f);
    for (i = 0; i < sizeof names/sizeof *names; ++i) fprintf(f, part, names[i][0], names[i][1], names[i][1]);
    fputs("</robot>", f);
    fclose(f);
    f = fopen(STEM ".xml", "wb");
    TEST_ASSERT_NOT_NULL(f);
    fprintf(f, "<scene><robot file=\"%s\"/></scene>", strrchr(STEM ".urdf", '/') + 1);     /* beside it */
    fclose(f);
    check(STEM ".urdf", STEM ".xml", "");
}

static void test_wrong_usage_is_told(void)
{
    static const char *const lines[][2] = {
        { "models/solo12_stand.xml", "expected a MODEL or SCENE, and --c FILE" },
        { "models/solo12_stand.xml --c robot.h", "ends in .c" },
        { "models/solo12_stand.xml --c 7robot.c", "do not begin with a digit" },
        { "models/solo12_stand.xml --c robot.c --solvers ncp-pgs,nonsense", "unknown solver 'nonsense'" },
        { "models/solo12_stand.xml --c robot.c --solvers ''", "expected ids of solvers" },
        { "models/solo12_stand.xml --c slipstick.c", "the library's own" },
        { "models/solo12_stand.xml --c slip.c", "the library's own" },
        { "models/solo12_stand.xml --c robot.c --fixed", "--fixed is for a MODEL" },
        { "models/gripper.urdf --c robot.c", "Then --fixed" },
        { "- --c robot.c < models/solo12.urdf", "only a scene can come from standard input" },
        { "models/solo12_stand.xml --c robot.c --max-contacts 0", "--max-contacts" } };
    char line[512];
    size_t i;

    for (i = 0; i < sizeof lines/sizeof *lines; ++i) {
        snprintf(line, sizeof line, "'%s' export %s > '%s.out' 2>&1", SLIP_TEST_BIN, lines[i][0], STEM);
        TEST_ASSERT_NOT_EQUAL_MESSAGE(0, run(line), lines[i][0]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, lines[i][1]), said);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_exported_quadruped_takes_the_same_steps);
    RUN_TEST(test_so_do_hulls_and_terrain);
    RUN_TEST(test_so_do_loops_mimic_joints_and_soft_materials);
    RUN_TEST(test_a_robot_alone_is_exported_too);
    RUN_TEST(test_names_that_differ_in_punctuation_alone_compile);
    RUN_TEST(test_wrong_usage_is_told);
    return UNITY_END();
}
