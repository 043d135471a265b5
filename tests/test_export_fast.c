/* slipstick export --fast: the straight-line functions compile without a warning and compute what the library does, one
 * state or several at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "slipstick_parts.h"
#include "unity.h"

#define STEM SLIP_TEST_BIN ".fast"

static char said[1 << 14];

void setUp(void) { }
void tearDown(void) { }

/* Compares every function with the library at random states, and states of a batch with single ones. What rounds: a
 * chain of n bodies turns and adds each number some ten times per body, so that 10 n eps of the largest number of a
 * result is allowed; forces cancel from the size of the weight. Accelerations and M^-1 are judged by what they leave,
 * M a + nle - tau and M M^-1 - 1, as their own errors grow with the condition of M. */
static const char *const program_batches =
    "#include HEADER\n#include \"slipstick_parts.h\"\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#define MODEL slipstick_fast_robot_model\n#define FAST(name) slipstick_fast_robot_fast_##name\n"
    "#define M_(name) static slip_real name[1 << 16]\n"
    "M_(x); M_(y); M_(M); M_(out);\n"
    "static slip_real q[8][999], v[8][999], a[8][999], rows_q[8*999], rows_v[8*999], rows_a[8*999], share;\n"
    "static int differences;\n"
    "static slip_real most(const slip_real *u, int n)\n{\n"
    "    slip_real m = 0;\n    int i;\n"
    "    for (i = 0; i < n; ++i) m = slip_max(m, slip_abs(u[i]));\n    return m;\n}\n"
    "static void near(const char *what, int k, const slip_real *u, const slip_real *w, int n, slip_real size)\n{\n"
    "    int i;\n"
    "    for (i = 0; i < n; ++i)\n"
    "        if (!(slip_abs(u[i] - w[i]) <= share*size) && differences++ < 9)\n"
    "            printf(\"%s %d: [%d] is %g, expected %g\\n\", what, k, i, (double)w[i], (double)u[i]);\n}\n"
    "static void gather(slip_real from[8][999], int n, int lanes, slip_real *rows)\n{\n"
    "    int i, k;\n"
    "    for (k = 0; k < lanes; ++k) for (i = 0; i < n; ++i) rows[i*lanes + k] = from[k][i];\n}\n"
    "static void batch(const char *what, int lanes, int state, const slip_real *rows, int n)\n{\n"
    "    int i;\n"
    "    for (i = 0; i < n; ++i) y[i] = rows[i*lanes + state];\n"
    "    near(what, state, x, y, n, most(x, n));\n}\n"
    "#define BATCH(name, n, one, four, eight) do { \\\n"
    "    int k_; \\\n"
    "    gather(q, MODEL.nq, 4, rows_q); gather(v, MODEL.nv, 4, rows_v); gather(a, MODEL.nv, 4, rows_a); four; \\\n"
    "    for (k_ = 0; k_ < 4; ++k_) { one; batch(name \" x4\", 4, k_, out, n); } \\\n"
    "    gather(q, MODEL.nq, 8, rows_q); gather(v, MODEL.nv, 8, rows_v); gather(a, MODEL.nv, 8, rows_a); eight; \\\n"
    "    for (k_ = 0; k_ < 8; ++k_) { one; batch(name \" x8\", 8, k_, out, n); } } while (0)\n"
    "#define BATCH_Q(name, n) BATCH(#name, n, FAST(name)(q[k_], x), FAST(name##_x4)(rows_q, out), \\\n"
    "    FAST(name##_x8)(rows_q, out))\n"
    "#define BATCH_QVA(name, n) BATCH(#name, n, FAST(name)(q[k_], v[k_], a[k_], x), \\\n"
    "    FAST(name##_x4)(rows_q, rows_v, rows_a, out), FAST(name##_x8)(rows_q, rows_v, rows_a, out))\n"
    "static void batches(void)\n{\n"
    "    const slip_model *m = &MODEL;\n    int l;\n"
    "    BATCH_Q(fk, 12*m->nlinks);\n    BATCH_Q(columns, 6*m->ndofs);\n    BATCH_Q(gravity, m->nv);\n"
    "    BATCH_Q(crba, m->nv*m->nv);\n    BATCH_Q(minv, m->nv*m->nv);\n"
    "    BATCH_QVA(rnea, m->nv);\n    BATCH_QVA(aba, m->nv);\n"
    "    BATCH(\"bias\", m->nv, FAST(bias)(q[k_], v[k_], x), FAST(bias_x4)(rows_q, rows_v, out),\n"
    "          FAST(bias_x8)(rows_q, rows_v, out));\n"
    "    for (l = 0; l < m->nlinks; ++l)\n"
    "        BATCH(\"jacobian\", 6*m->nv, FAST(jacobians)[l](q[k_], x), FAST(jacobians_x4)[l](rows_q, out),\n"
    "              FAST(jacobians_x8)[l](rows_q, out));\n}\n";
static const char *const program_states =
    "static void kinematics(slip_data *d, int k)\n{\n"
    "    const slip_model *m = &MODEL;\n    int l;\n"
    "    for (l = 0; l < m->nlinks; ++l) {\n"
    "        slip_pose X;\n        slip_link_pose(m, d, l, &X);\n        memcpy(x + 12*l, &X, sizeof X);\n    }\n"
    "    FAST(fk)(q[k], y);\n    near(\"fk\", k, x, y, 12*m->nlinks, most(x, 12*m->nlinks));\n"
    "    slip_dof_columns(m, d, x);\n    FAST(columns)(q[k], y);\n"
    "    near(\"columns\", k, x, y, 6*m->ndofs, most(x, 6*m->ndofs));\n"
    "    for (l = 0; l < m->nlinks; ++l) {\n"
    "        slip_link_jacobian(m, d, l, SLIP_FRAME_ALIGNED, x);\n        FAST(jacobians)[l](q[k], y);\n"
    "        near(\"jacobian\", k, x, y, 6*m->nv, most(x, 6*m->nv));\n    }\n}\n"
    "static void dynamics(slip_data *d, int k)\n{\n"
    "    const slip_model *m = &MODEL;\n    const int n = m->nv;\n"
    "    const slip_real weight = slip_total_mass(m)*slip_norm3(m->gravity);\n    int i, j, l;\n"
    "    slip_rnea(m, d, q[k], v[k], a[k], NULL, x);\n    FAST(rnea)(q[k], v[k], a[k], y);\n"
    "    near(\"rnea\", k, x, y, n, most(x, n) + weight);\n"
    "    slip_bias(m, d, q[k], v[k], x);\n    FAST(bias)(q[k], v[k], y);\n"
    "    near(\"bias\", k, x, y, n, most(x, n) + weight);\n"
    "    slip_gravity(m, d, q[k], x);\n    FAST(gravity)(q[k], y);\n"
    "    near(\"gravity\", k, x, y, n, most(x, n) + weight);\n"
    "    slip_crba(m, d, q[k]);\n    slip_mass_matrix(m, d, M);\n    FAST(crba)(q[k], y);\n"
    "    near(\"crba\", k, M, y, n*n, most(M, n*n));\n"
    "    FAST(aba)(q[k], v[k], a[k], x);\n    slip_rnea(m, d, q[k], v[k], x, NULL, y);\n"
    "    near(\"aba\", k, a[k], y, n, (slip_real)n*most(M, n*n)*most(x, n) + most(a[k], n) + weight);\n"
    "    FAST(minv)(q[k], y);\n"
    "    for (i = 0; i < n; ++i)\n        for (j = 0; j < n; ++j)\n"
    "            for (out[i*n + j] = i == j, x[i*n + j] = 0, l = 0; l < n; ++l) x[i*n + j] += M[i*n + l]*y[l*n + j];\n"
    "    near(\"minv\", k, out, x, n*n, (slip_real)n*most(M, n*n)*most(y, n*n));\n}\n"
    "int main(void)\n{\n"
    "    const slip_model *m = &MODEL;\n    const size_t bytes = (size_t)1 << 22;\n    void *block = malloc(bytes);\n"
    "    slip_arena mem = slip_arena_over(block, bytes);\n    slip_random r = slip_random_seed(11);\n"
    "    slip_data *d;\n    int i, k;\n"
    "    if (m->nq > 999 || m->nv*m->nv*8 > 1 << 16 || 96*m->nlinks > 1 << 16 || slip_data_create(m, &mem, &d) < 0)\n"
    "        return 3;\n"
    "    share = 10*(slip_real)m->nbodies*SLIP_REAL_EPS;\n"
    "    for (k = 0; k < 8; ++k) {\n"
    "        slip_random_q(m, &r, q[k]);\n"
    "        for (i = 0; i < m->nq && k == 7; ++i) q[k][i] *= SLIP_R(1.5);\n"
    "        for (i = 0; i < m->nv; ++i) {\n"
    "            v[k][i] = slip_random_uniform(&r, -2, 2);\n            a[k][i] = slip_random_uniform(&r, -5, 5);\n"
    "        }\n"
    "        slip_kinematics(m, d, q[k]);\n        kinematics(d, k);\n        dynamics(d, k);\n    }\n"
    "    batches();\n    free(block);\n    return differences > 0;\n}\n";

static int run(const char *line)
{
    int code = system(line);
    FILE *f = fopen(STEM ".out", "rb");

    TEST_ASSERT_NOT_NULL(f);
    said[fread(said, 1, sizeof said - 1, f)] = '\0';
    fclose(f);
    return code;
}

/* Exports a robot, builds the program with its functions, and runs it. */
static void check(const char *file, const char *options, const char *flags)
{
    static char line[8192];
    const char *more = getenv("SLIP_TEST_LDFLAGS");
    FILE *f = fopen(STEM ".main.c", "wb");

    TEST_ASSERT_NOT_NULL(f);
    fputs(program_batches, f);
    fputs(program_states, f);
    fclose(f);
    snprintf(line, sizeof line, "'%s' export '%s' --c '%s_robot.c' --steps 1 --fast %s > '%s.out' 2>&1", SLIP_TEST_BIN,
             file, STEM, options, STEM);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run(line), said);
    snprintf(line, sizeof line, SLIP_TEST_CC " -std=c99 -O0 -Wall -Wextra -Wpedantic -Wconversion -Wshadow "
             "-Wdouble-promotion -Wvla -Werror %s %s -DHEADER='\"%s_robot_fast.h\"' -I. -o '%s.run' '%s.main.c' "
             "'%s_robot.c' '%s_robot_fast.c' '%s_robot_fast_x4.c' '%s_robot_fast_x8.c' '%s' -lm > '%s.out' 2>&1",
             flags, more ? more : "", STEM, STEM, STEM, STEM, STEM, STEM, STEM, SLIP_TEST_LIB, STEM);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run(line), said);
    snprintf(line, sizeof line, "'%s.run' > '%s.out' 2>&1", STEM, STEM);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, run(line), said);
}

static void test_straight_lines_of_arms_and_hands_compute_what_the_library_does(void)
{
    check("models/double_pendulum.urdf", "--fixed", "");
    check("models/arm.urdf", "", "");
    check("models/hand.urdf", "--fixed", "");
}

static void test_so_do_those_of_legged_robots(void)
{
    check("models/solo12_stand.xml", "--solvers ncp-pgs --max-contacts 4", "");
    check("models/cassie.urdf", "", "-DSLIP_FAST_VECTOR=0");
}

static void test_so_do_those_of_a_robot_whose_inverse_is_written_by_rows(void)
{
    check("models/humanoid37.urdf", "", "");
}

static void test_so_do_those_of_mimic_joints(void)
{
    check("models/gears.urdf", "--fixed", "");
    check("models/gripper.urdf", "--fixed", "-DSLIP_FAST_VECTOR=0");
    check("models/four_bar.xml", "", "");
}

/* A tree of `links` links with joints of every type, tilted frames and inertias, rotors, damping and friction. */
static void write_tree(const char *path, uint64_t seed, int links)
{
    static const char *const types[] = { "planar", "ball", "prismatic", "revolute", "floating", "continuous", "fixed" };
    slip_random r = slip_random_seed(seed);
    FILE *f = fopen(path, "wb");
    double x[8];

    TEST_ASSERT_NOT_NULL(f);
    fputs("<robot name=\"tree\">\n", f);
    for (int i = 0; i < links; ++i) {
        for (int k = 0; k < 8; ++k) x[k] = (double)slip_random_uniform(&r, -1, 1);
        fprintf(f, "<link name=\"part %d*/\"><inertial><mass value=\"%.3f\"/><origin xyz=\"%.3f %.3f %.3f\" "
                "rpy=\"%.3f %.3f %.3f\"/><inertia ixx=\"%.3f\" iyy=\"0.03\" izz=\"0.04\" "
                "ixy=\"0.001\" ixz=\"0\" iyz=\"0.002\"/>"
                "</inertial></link>\n", i, 1.5 + x[0], x[1]/3, x[2]/3, x[3]/3, x[4], x[5], x[6], 0.04 + x[7]/50);
        if (i == 0) continue;
        for (int k = 0; k < 8; ++k) x[k] = (double)slip_random_uniform(&r, -1, 1);
        fprintf(f, "<joint name=\"joint %d\" type=\"%s\"><parent link=\"part %d*/\"/><child link=\"part %d*/\"/>"
                "<origin xyz=\"%.3f %.3f %.3f\" rpy=\"%.3f %.3f %.3f\"/><axis xyz=\"%.3f 0.4 %.3f\"/>"
                "<limit lower=\"-1\" upper=\"2\" effort=\"9\" velocity=\"9\"/>"
                "<dynamics damping=\"0.2\" friction=\"0.1\" armature=\"%.3f\"/></joint>\n", i, types[i % 7],
                (int)slip_random_int(&r, i > 3 ? i - 3 : 0, i - 1), i, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7],
                i % 2 ? 0.05 : 0.0);
    }
    fputs("</robot>\n", f);
    fclose(f);
}

static void test_so_do_those_of_trees_with_every_type_of_joint(void)
{
    write_tree(STEM ".tree.urdf", 5, 9);
    check(STEM ".tree.urdf", "", "");
    write_tree(STEM ".tree.urdf", 6, 8);
    check(STEM ".tree.urdf", "--fixed", "");
}

static void test_a_file_that_cannot_be_written_is_told(void)
{
    TEST_ASSERT_NOT_EQUAL(0, run("'" SLIP_TEST_BIN "' export models/gears.urdf --fixed --fast --steps 1 "
                                 "--c /nowhere/robot.c > '" STEM ".out' 2>&1"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "cannot write"), said);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_straight_lines_of_arms_and_hands_compute_what_the_library_does);
    RUN_TEST(test_so_do_those_of_legged_robots);
    RUN_TEST(test_so_do_those_of_a_robot_whose_inverse_is_written_by_rows);
    RUN_TEST(test_so_do_those_of_mimic_joints);
    RUN_TEST(test_so_do_those_of_trees_with_every_type_of_joint);
    RUN_TEST(test_a_file_that_cannot_be_written_is_told);
    return UNITY_END();
}
