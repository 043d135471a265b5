/* The tables of `slipstick sim`: torques of joints (--csv --torques) and forces of contacts (--contacts). */
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "slipstick_parts.h"

#define STATES SLIP_TEST_BIN ".test_tables_states.csv"
#define TOUCH  SLIP_TEST_BIN ".test_tables_touch.csv"

static command_result result;
static char text[1 << 20], more[1 << 20];

void setUp(void) { }
void tearDown(void) { remove(STATES);  remove(TOUCH); }

static int sim(const char *format, const char *scene)
{
    char line[1000];

    slip_format(line, (int)sizeof line, format, scene);
    command_run(line, NULL, &result);
    return result.code;
}

static void must_run(const char *format, const char *scene)
{
    TEST_ASSERT_MESSAGE(sim(format, scene) == 0, result.err);
}

/* The field after `at`, unquoted as RFC 4180 says; returns the place behind its comma or line end, NULL at the end. */
static const char *next_field(const char *at, char field[200])
{
    const int quoted = *at == '"';
    int n = 0;

    if (quoted) ++at;
    for (; *at; ++at) {
        if (quoted && at[0] == '"' && at[1] == '"') ++at;
        else if (quoted ? *at == '"' : *at == ',' || *at == '\n') break;
        TEST_ASSERT(n < 199);
        field[n++] = *at;
    }
    field[n] = '\0';
    if (quoted) ++at;
    TEST_ASSERT(*at == ',' || *at == '\n');
    return at + 1;
}

/* The field of a row in the column of this name. */
static void field_of(const char *table, const char *row, const char *name, char field[200])
{
    const char *head = table;

    for (;;) {
        head = next_field(head, field);
        if (strcmp(field, name) == 0) break;
        TEST_ASSERT_MESSAGE(head[-1] == ',', name);
        row = next_field(row, field);
    }
    next_field(row, field);
}

static double number(const char *table, const char *row, const char *name)
{
    char field[200];
    double x = 0;

    field_of(table, row, name, field);
    TEST_ASSERT_MESSAGE(slip_read_double(field, (int)strlen(field), &x) > 0, name);
    return x;
}

static const char *last_row(const char *table)
{
    const char *row = table + strlen(table) - 1;

    while (row > table && row[-1] != '\n') --row;
    return row;
}

static const char *row_after(const char *row) { return strchr(row, '\n') + 1; }

/* ---- contacts ------------------------------------------------------------------------------------------------ */

/* A box of 2 kg, its names with commas and quotes, on a slope of 3 : 4 that holds it. */
static const char box_scene[] =
    "<scene><simulation dt='0.002' duration='0.4' gravity='-5.886 0 -7.848'/><surface name='rough' friction='1'/>"
    "<ground surface='rough'/><body name='box, &quot;big&quot;' mass='2' surface='rough'>"
    "<origin xyz='0 0 0.1'/><geometry><box size='0.4 0.4 0.2'/></geometry></body></scene>";

static void test_contact_rows_of_a_resting_box_balance_its_weight_in_force_and_moment(void)
{
    const double eps = (double)SLIP_TOL(1e-5, 2e-2);
    double sum[3] = { 0, 0, 0 }, moment[3] = { 0, 0, 0 };
    const char *row;
    int rows = 0, last = 0;

    must_run("sim %s --tol 1e-9 --contacts " TOUCH, command_file(0, box_scene));
    TEST_ASSERT(strstr(result.out, "contacts") != NULL);                     /* the summary is there besides */
    command_read(TOUCH, text, sizeof text);
    for (row = row_after(text); *row; row = row_after(row), ++rows) {
        double p[3], f[3], n[3], t1[3], t2[3], f_t1, f_t2, f_n;
        int k;

        if (number(text, row, "time") < 0.399) continue;
        p[0] = number(text, row, "px");  p[1] = number(text, row, "py");  p[2] = number(text, row, "pz");
        f[0] = number(text, row, "fx");  f[1] = number(text, row, "fy");  f[2] = number(text, row, "fz");
        n[0] = number(text, row, "nx");  n[1] = number(text, row, "ny");  n[2] = number(text, row, "nz");
        t1[0] = number(text, row, "t1x");  t1[1] = number(text, row, "t1y");  t1[2] = number(text, row, "t1z");
        f_t1 = number(text, row, "f_t1");  f_t2 = number(text, row, "f_t2");  f_n = number(text, row, "f_n");
        t2[0] = n[1]*t1[2] - n[2]*t1[1];  t2[1] = n[2]*t1[0] - n[0]*t1[2];  t2[2] = n[0]*t1[1] - n[1]*t1[0];
        for (k = 0; k < 3; ++k) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-5, f_t1*t1[k] + f_t2*t2[k] + f_n*n[k], f[k]);
            sum[k] += f[k];
            moment[k] += (p[(k + 1) % 3] - (k == 1 ? 0.1 : 0))*f[(k + 2) % 3]
                       - (p[(k + 2) % 3] - (k == 0 ? 0.1 : 0))*f[(k + 1) % 3];
        }
        TEST_ASSERT(hypot(f_t1, f_t2) <= f_n*number(text, row, "mu")*(1 + 1e-4) + 1e-6);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0, number(text, row, "gap"));
        TEST_ASSERT_DOUBLE_WITHIN(0, 0, number(text, row, "mz"));
        ++last;
    }
    TEST_ASSERT_EQUAL_INT(4, last);
    TEST_ASSERT_EQUAL_INT(4*200, rows);
    TEST_ASSERT_DOUBLE_WITHIN(eps, 2*5.886, sum[0]);
    TEST_ASSERT_DOUBLE_WITHIN(eps, 0, sum[1]);
    TEST_ASSERT_DOUBLE_WITHIN(eps, 2*7.848, sum[2]);
    TEST_ASSERT_DOUBLE_WITHIN(eps, 0, moment[0]);
    TEST_ASSERT_DOUBLE_WITHIN(eps, 0, moment[1]);
    TEST_ASSERT_DOUBLE_WITHIN(eps, 0, moment[2]);
}

static void test_names_with_commas_and_quotes_are_quoted(void)
{
    char field[200];

    must_run("sim %s --time 0.01 --contacts -", command_file(0, box_scene));
    TEST_ASSERT(strncmp(result.out, "time,link_a,collider_a,link_b,collider_b,feature,state,", 55) == 0);
    field_of(result.out, last_row(result.out), "collider_a", field);
    TEST_ASSERT_EQUAL_STRING("ground", field);
    field_of(result.out, last_row(result.out), "link_b", field);
    TEST_ASSERT_EQUAL_STRING("box, \"big\"", field);
    TEST_ASSERT(strstr(result.out, ",\"box, \"\"big\"\"\",") != NULL);
    field_of(result.out, last_row(result.out), "state", field);
    TEST_ASSERT_EQUAL_STRING("stick", field);
}

/* A ball whose spin rolling friction brakes: the moment is about the ground's normal and against the spin. */
static void test_torsional_friction_is_in_the_rows(void)
{
    static const char ball[] =
        "<scene><simulation duration='0.05'/><surface name='felt' friction='1' torsion='0.01'/><ground surface='felt'/>"
        "<body name='b' mass='1' angular='0 0 30' surface='felt'><origin xyz='0 0 0.1'/>"
        "<geometry><sphere radius='0.1'/></geometry></body></scene>";

    must_run("sim %s --tol 1e-8 --contacts -", command_file(0, ball));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, -0.01*9.81, number(result.out, last_row(result.out), "mz"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, 9.81, number(result.out, last_row(result.out), "f_n"));
}

/* ---- torques ------------------------------------------------------------------------------------------------- */

/* Two rods of 0.5 m, 1 and 2 kg, without friction in their joints. */
static const char rods[] =
    "<robot name='rods'><link name='base'/>"
    "<joint name='upper, a' type='revolute'><parent link='base'/><child link='u'/><axis xyz='0 1 0'/>"
    "<limit lower='-3' upper='0.5' effort='100' velocity='100'/></joint>"
    "<link name='u'><inertial><origin xyz='0 0 -0.25'/><mass value='1'/>"
    "<inertia ixx='0.02' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.001'/></inertial></link>"
    "<joint name='lower' type='revolute'><origin xyz='0 0 -0.5'/><parent link='u'/><child link='l'/><axis xyz='0 1 0'/>"
    "<limit lower='-3' upper='3' effort='100' velocity='100'/></joint>"
    "<link name='l'><inertial><origin xyz='0 0 -0.25'/><mass value='2'/>"
    "<inertia ixx='0.04' ixy='0' ixz='0' iyy='0.04' iyz='0' izz='0.001'/></inertial></link></robot>";

static const char *rods_scene(const char *drives)
{
    const char *robot = command_file(1, rods), *base = strrchr(robot, '/');
    char scene[1000];

    slip_format(scene, (int)sizeof scene, "<scene><simulation duration='3' dt='0.002'/><robot file='%s' base='fixed'>"
                "<joint joint='upper, a' position='0.5'/><joint joint='lower' position='0.7'/>%s</robot></scene>",
                base ? base + 1 : robot, drives);
    return command_file(0, scene);
}

/* g (m1 c sin a + m2 (l sin a + c sin(a + b))) and g m2 c sin(a + b), with c = l/2: RNEA at rest. */
static void gravity_torques(double a, double b, double tau[2])
{
    tau[1] = 9.81*2*0.25*sin(a + b);
    tau[0] = tau[1] + 9.81*(1*0.25 + 2*0.5)*sin(a);
}

static void test_drives_hold_a_pendulum_with_the_torques_of_rnea(void)
{
    const double eps = (double)SLIP_TOL(1e-6, 2e-2);
    const char *row;
    double tau[2];

    must_run("sim %s --csv - --torques", rods_scene("<drive joint='*' kp='2000' kd='50' position='0.4'/>"));
    row = last_row(result.out);
    gravity_torques(number(result.out, row, "q_upper_ a"), number(result.out, row, "q_lower"), tau);
    TEST_ASSERT_DOUBLE_WITHIN(eps, tau[0], number(result.out, row, "drive_upper_ a"));
    TEST_ASSERT_DOUBLE_WITHIN(eps, tau[1], number(result.out, row, "drive_lower"));
    TEST_ASSERT_DOUBLE_WITHIN(eps, 0, number(result.out, row, "constraint_lower"));
    TEST_ASSERT_DOUBLE_WITHIN(0, 0, number(result.out, row, "tau_lower"));
}

/* The upper rod is driven against its stop: the stop gives what the drive does not. */
static void test_a_stop_shows_in_the_constraint_force(void)
{
    const double eps = (double)SLIP_TOL(1e-4, 5e-2);
    const char *row;
    double tau[2];

    must_run("sim %s --tol 1e-9 --csv - --torques", rods_scene("<drive joint='lower' kp='2000' kd='50' position='0.7'/>"
                                                  "<drive joint='upper, a' kp='200' kd='20' position='0.8'/>"));
    row = last_row(result.out);
    gravity_torques(number(result.out, row, "q_upper_ a"), number(result.out, row, "q_lower"), tau);
    TEST_ASSERT_DOUBLE_WITHIN(eps, tau[0], number(result.out, row, "drive_upper_ a")
                                           + number(result.out, row, "constraint_upper_ a"));
    TEST_ASSERT(number(result.out, row, "constraint_upper_ a") < -1);
}

static void test_torques_only_add_columns_behind_the_others(void)
{
    const char *a = text, *b = more;
    int rows = 0;

    must_run("sim %s --time 0.05 --csv " STATES, "models/quad_stand.xml");
    command_read(STATES, text, sizeof text);
    must_run("sim %s --time 0.05 --csv " STATES " --torques --contacts " TOUCH, "models/quad_stand.xml");
    command_read(STATES, more, sizeof more);
    for (; *a; a = row_after(a), b = row_after(b), ++rows) {
        const size_t n = strcspn(a, "\n");

        TEST_ASSERT(strncmp(a, b, n) == 0 && b[n] == ',');
    }
    TEST_ASSERT_EQUAL_INT(51, rows);
    TEST_ASSERT_NOT_NULL(strstr(more, ",iterations,tau_root_joint.vx,"));
    TEST_ASSERT_NOT_NULL(strstr(more, ",drive_lf_haa,"));
    TEST_ASSERT(command_read(TOUCH, more, sizeof more) > 0);
}

/* ---- usage --------------------------------------------------------------------------------------------------- */

static void test_bad_paths_and_two_documents_on_one_output_are_refused(void)
{
    TEST_ASSERT_EQUAL_INT(1, sim("sim %s --contacts /nowhere/at/all.csv", "models/cube_slide.xml"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "cannot write '/nowhere/at/all.csv': "), result.err);
    TEST_ASSERT_EQUAL_STRING("", result.out);
    TEST_ASSERT_EQUAL_INT(2, sim("sim %s --torques", "models/cube_slide.xml"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "--torques adds columns to --csv FILE"), result.err);
    TEST_ASSERT_EQUAL_INT(2, sim("sim %s --csv - --contacts -", "models/cube_slide.xml"));
    TEST_ASSERT_NOT_NULL(strstr(result.err, "--csv needs standard output for itself; give --contacts a file"));
    TEST_ASSERT_EQUAL_INT(2, sim("sim %s --json --contacts -", "models/cube_slide.xml"));
    TEST_ASSERT_EQUAL_INT(2, sim("sim %s --csv " TOUCH " --contacts " TOUCH, "models/cube_slide.xml"));
    TEST_ASSERT_NOT_NULL(strstr(result.err, "give each a file of its own"));
    TEST_ASSERT_EQUAL_INT(2, sim("sim %s --contacts", "models/cube_slide.xml"));
    must_run("sim %s --time 0.01 --csv - --torques --contacts " TOUCH, "models/cube_slide.xml");
    TEST_ASSERT(strncmp(result.out, "time,q_cube.x,", 14) == 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_contact_rows_of_a_resting_box_balance_its_weight_in_force_and_moment);
    RUN_TEST(test_names_with_commas_and_quotes_are_quoted);
    RUN_TEST(test_torsional_friction_is_in_the_rows);
    RUN_TEST(test_drives_hold_a_pendulum_with_the_torques_of_rnea);
    RUN_TEST(test_a_stop_shows_in_the_constraint_force);
    RUN_TEST(test_torques_only_add_columns_behind_the_others);
    RUN_TEST(test_bad_paths_and_two_documents_on_one_output_are_refused);
    return UNITY_END();
}
