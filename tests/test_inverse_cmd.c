/* slipstick inverse from the outside: examples in, tables out, complaints with line and column. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"

#define OUT SLIP_TEST_BIN ".test_inverse.out"
#define ERR SLIP_TEST_BIN ".test_inverse.err"
#define MOTION SLIP_TEST_BIN ".test_inverse.csv"
#define TABLE SLIP_TEST_BIN ".test_inverse.table"
#define PLOTS SLIP_TEST_BIN ".test_inverse"

static char text[1 << 21];

void setUp(void) { }
void tearDown(void)
{
    remove(OUT);
    remove(ERR);
    remove(MOTION);
    remove(TABLE);
    remove(PLOTS "-torque.svg");
    remove(PLOTS "-force.svg");
}

/* Runs the command; returns its exit code. */
static int run(const char *arguments, const char *out)
{
    char command[2048];
    int rc;

    slip_format(command, (int)sizeof command, "%s inverse %s >%s 2>%s", SLIP_TEST_BIN, arguments, out, ERR);
    rc = system(command);
    return rc < 0 ? rc : rc >> 8;
}

static const char *contents(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t n = 0;

    if (f) {
        n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[n] = '\0';
    return text;
}

static void write_motion(const char *what)
{
    FILE *f = fopen(MOTION, "w");

    fputs(what, f);
    fclose(f);
}

/* The largest entry of a column of the table. */
static double largest(const char *path, const char *column)
{
    const char *at = contents(path), *end;
    int index = 0, i;
    double most = 0;

    for (; *at != '\n'; ++index) {
        const size_t n = strcspn(at, ",\n");

        if (n == strlen(column) && strncmp(at, column, n) == 0) break;
        at += n + (at[n] == ',');
    }
    TEST_ASSERT_MESSAGE(*at != '\n', column);
    for (at = strchr(at, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
        double x;

        for (end = at, i = 0; i < index; ++i) end = strchr(end, ',') + 1;
        x = atof(end);
        if (x > most) most = x;
    }
    return most;
}

static int lines(const char *path)
{
    int n = 0;

    for (const char *p = contents(path); *p; ++p) n += *p == '\n';
    return n;
}

static void test_a_squat_is_carried_by_the_feet(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --example squat", MOTION));
    TEST_ASSERT_EQUAL_INT(402, lines(MOTION));
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --motion " MOTION " --csv " TABLE " --svg " PLOTS, OUT));
    TEST_ASSERT_EQUAL_INT(401, lines(TABLE));
    TEST_ASSERT(largest(TABLE, "undriven_before") > 300);
    TEST_ASSERT(largest(TABLE, "undriven") < (double)SLIP_TOL(1e-3, 5));
    TEST_ASSERT(largest(TABLE, "lf_foot.fz") > 80 && largest(TABLE, "lf_foot.fz") < 120);
    TEST_ASSERT_NOT_NULL(strstr(contents(OUT), "at rest"));
    TEST_ASSERT_NOT_NULL(strstr(contents(PLOTS "-torque.svg"), "</svg>"));
    TEST_ASSERT_NOT_NULL(strstr(contents(PLOTS "-force.svg"), "lf_foot"));
}

static void test_without_redistribution_the_weight_stays_on_the_base(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --example squat", MOTION));
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --keep --motion - --csv - <" MOTION, TABLE));
    TEST_ASSERT(largest(TABLE, "undriven") > 300);
}

static void test_a_bare_model_stands_on_the_ground(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --example squat", MOTION));
    TEST_ASSERT_EQUAL_INT(0, run("models/quadruped.urdf --motion " MOTION, TABLE));
    TEST_ASSERT(largest(TABLE, "undriven") < (double)SLIP_TOL(1e-3, 5));
}

static void test_wiping_a_wall_is_explained_by_coulomb_and_not_by_the_convex_model(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("models/wipe.xml --example wipe", MOTION));
    TEST_ASSERT_EQUAL_INT(0, run("models/wipe.xml --push 20 --motion " MOTION " --csv " TABLE, OUT));
    TEST_ASSERT(largest(TABLE, "slip") == 1);
    TEST_ASSERT(largest(TABLE, "iterations") == 1);
    TEST_ASSERT_EQUAL_INT(1, run("models/wipe.xml --push 20 --model ccp --motion " MOTION " --csv " TABLE, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "cannot be explained"));
    TEST_ASSERT_NOT_NULL(strstr(contents(TABLE), slip_status_text(SLIP_DIVERGED)));
}

static void test_what_sim_writes_can_be_read_and_its_torques_are_found_again(void)
{
    char command[1024];

    slip_format(command, (int)sizeof command, "%s sim models/bench/quad_stand.xml --time 0.2 --csv %s >%s 2>%s", SLIP_TEST_BIN,
                MOTION, OUT, ERR);
    TEST_ASSERT_EQUAL_INT(0, system(command));
    TEST_ASSERT_EQUAL_INT(0, run("models/bench/quad_stand.xml --motion " MOTION " --csv " TABLE, OUT));
    TEST_ASSERT(largest(TABLE, "undriven") < (double)SLIP_TOL(1e-3, 20));
}

static void test_the_smooth_model_runs_too(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --example squat", MOTION));
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --solver id-barrier --smooth 0.01 --motion " MOTION " --csv " TABLE, OUT));
    TEST_ASSERT_EQUAL_INT(401, lines(TABLE));
}

static void test_complaints_name_file_line_and_what_is_wrong(void)
{
    write_motion("time,q_a\n0,1\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/squat.xml --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), ":1: the header has no column 'q_root_joint.x'"));
    write_motion("0,0,0.1\n0,0,oops\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), ":2:5: 'oops' is not a number"));
    write_motion("0,0,0.1\n0.1,0\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "2 columns, expected 3"));
    write_motion("0,0,0.1\n0.1,0,0.1\n0.5,0,0.1\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "resample"));
    write_motion("0,0,0.1\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    write_motion("");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_EQUAL_INT(2, run("models/squat.xml", OUT));
    TEST_ASSERT_EQUAL_INT(2, run("models/squat.xml --motion x --solver foo", OUT));
    TEST_ASSERT_EQUAL_INT(2, run("--frobnicate", OUT));
    TEST_ASSERT_EQUAL_INT(1, run("models/squat.xml --motion no-such-file.csv", OUT));
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --example squat", OUT));
}

static void test_help_fits_a_screen_and_ends_with_an_example(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("--help", OUT));
    TEST_ASSERT(lines(OUT) <= 32);
    TEST_ASSERT_NOT_NULL(strstr(contents(OUT), "example: slipstick inverse"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_squat_is_carried_by_the_feet);
    RUN_TEST(test_without_redistribution_the_weight_stays_on_the_base);
    RUN_TEST(test_a_bare_model_stands_on_the_ground);
    RUN_TEST(test_wiping_a_wall_is_explained_by_coulomb_and_not_by_the_convex_model);
    RUN_TEST(test_what_sim_writes_can_be_read_and_its_torques_are_found_again);
    RUN_TEST(test_the_smooth_model_runs_too);
    RUN_TEST(test_complaints_name_file_line_and_what_is_wrong);
    RUN_TEST(test_help_fits_a_screen_and_ends_with_an_example);
    return UNITY_END();
}
