/* `slipstick linearize` from the outside: the matrices of a ball in flight, the table, exit codes, messages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "command.h"

static command_result r;
static char line[1024];

static const char scene[] =
    "<scene name='ball'><simulation dt='0.01' integrator='euler'/><ground/>"
    "<body name='ball' mass='2'><origin xyz='0 0 2'/><geometry><sphere radius='0.1'/></geometry></body></scene>";

static const char midpoint[] =
    "<scene><body name='b' mass='1'><geometry><sphere radius='0.1'/></geometry></body></scene>";

static const char sleeping[] =
    "<scene><simulation sleep='0.01'/><body name='b' mass='1'><geometry><sphere radius='0.1'/></geometry></body>"
    "</scene>";

void setUp(void) { }
void tearDown(void) { for (int i = 0; i < 4; ++i) remove(command_file(i, "")); }

static void linearize(const char *text, const char *options)
{
    snprintf(line, sizeof line, "linearize '%s' %s", command_file(0, text), options);
    command_run(line, NULL, &r);
}

/* Number k of row i of the matrix that follows a name. */
static double entry(const char *name, int i, int k)
{
    const char *at = strstr(r.out, name);
    char *end;
    double x = 0;

    TEST_ASSERT_NOT_NULL_MESSAGE(at, name);
    at = strchr(at, '[') + 1;
    for (; i >= 0; --i) at = strchr(at, '[') + 1;
    for (; k >= 0; --k, at = end + 1) {
        x = strtod(at, &end);
        TEST_ASSERT_TRUE(end != at);
    }
    return x;
}

static void test_a_ball_in_flight_has_the_matrices_of_a_free_mass(void)
{
    linearize(scene, "--time 0.05");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_NOT_NULL(strstr(r.out, "\"exists\": true"));
    TEST_ASSERT_NOT_NULL(strstr(r.out, "\"contacts\": []"));
    for (int i = 0; i < 3; ++i) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, entry("\"A\"", i, i));
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.01, entry("\"A\"", i, 6 + i));
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.01/2, entry("\"B\"", 6 + i, i));
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 1e-4/2, entry("\"B\"", i, i));
    }
    /* v has numbers in the body's axes, five steps of falling: turned about y, the body goes elsewhere by v dt a
     * radian */
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 9.81*0.05*0.01, fabs(entry("\"A\"", 0, 4)));
}

static void test_the_table_has_a_row_for_each_number_of_the_state(void)
{
    char path[256], option[300];
    FILE *f;
    int rows = 0;
    static char text[1 << 16];

    snprintf(path, sizeof path, "%s", command_file(1, ""));
    snprintf(option, sizeof option, "--csv '%s'", path);
    linearize(scene, option);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    f = fopen(path, "rb");
    TEST_ASSERT_NOT_NULL(f);
    while (fgets(text, sizeof text, f)) {
        int commas = 0;

        for (const char *c = text; *c; ++c) commas += *c == ',';
        TEST_ASSERT_EQUAL_INT(5*6, commas);
        ++rows;
    }
    fclose(f);
    TEST_ASSERT_EQUAL_INT(1 + 12, rows);
}

/* A ball that slides: dv/dmu = -g dt, once as a column of the table and once as a matrix. */
static void test_parameters_have_columns(void)
{
    static const char sliding[] =
        "<scene name='ball'><simulation dt='0.01' integrator='euler'/><surface name='ice' friction='0.1'/>"
        "<ground surface='ice'/><body name='ball' mass='2' velocity='2 0 0' surface='ice'><origin xyz='0 0 0.0995'/>"
        "<geometry><sphere radius='0.1'/></geometry></body></scene>";

    linearize(sliding, "--param friction,density");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    /* the ball's axes turn by 0.01 s times its spin, 3.1 rad/s for mu, and it leaves the ground at 0.025 m/s */
    TEST_ASSERT_DOUBLE_WITHIN(2*0.01*3.1*0.025, -0.01*9.81 - 0.5*0.0005/0.01, entry("\"by_friction\"", 6, 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, entry("\"by_density\"", 6, 1));
    linearize(sliding, "--param friction --csv -");
    TEST_ASSERT_NOT_NULL(strstr(r.out, ",friction_0\n"));
    linearize(sliding, "--param mu");
    TEST_ASSERT_EQUAL_INT(2, r.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "'mu'"), r.err);
}

/* Derivatives of all kinds against differences: some points of each, and none of them wrong. */
static void test_bench_derivatives_finds_nothing_wrong(void)
{
    static const char *const options[] = { "--points 40 --seed 7 --json", "--points 15 --seed 7 --json --euler" };

    if (sizeof(slip_real) != sizeof(double)) TEST_IGNORE_MESSAGE("differences of float steps say little");
    for (int i = 0; i < 2; ++i) {
        int kinds = 0;

        snprintf(line, sizeof line, "bench derivatives %s", options[i]);
        command_run(line, NULL, &r);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.out);
        for (const char *at = strstr(r.out, "{\"kind\""); at; at = strstr(at + 1, "{\"kind\"")) {
            const char *smooth = strstr(at, "\"smooth\": "), *worst = strstr(at, "\"worst\": ");
            const char *points = strstr(at, "\"points\": ");

            ++kinds;
            TEST_ASSERT_TRUE_MESSAGE(strtod(worst + 9, NULL) < 2e-7, at);
            TEST_ASSERT_TRUE_MESSAGE(strtol(smooth + 10, NULL, 10) >= strtol(points + 10, NULL, 10)/5, at);
        }
        TEST_ASSERT_GREATER_THAN_INT(15, kinds);
    }
}

static void test_what_has_no_derivative_is_said_and_exits_with_one(void)
{
    linearize(scene, "--time 0.9");                          /* it lies on the ground */
    TEST_ASSERT_EQUAL_INT(1, r.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "border of two modes"), r.err);
    TEST_ASSERT_NOT_NULL(strstr(r.out, "\"exists\": false"));
    linearize(sleeping, "");
    TEST_ASSERT_EQUAL_INT(1, r.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "sleep"), r.err);
    TEST_ASSERT_EQUAL_STRING("", r.out);
    linearize(midpoint, "");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    linearize(midpoint, "--euler");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    command_run("linearize", NULL, &r);
    TEST_ASSERT_EQUAL_INT(2, r.code);
    command_run("linearize a b", NULL, &r);
    TEST_ASSERT_EQUAL_INT(2, r.code);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_ball_in_flight_has_the_matrices_of_a_free_mass);
    RUN_TEST(test_the_table_has_a_row_for_each_number_of_the_state);
    RUN_TEST(test_parameters_have_columns);
    RUN_TEST(test_bench_derivatives_finds_nothing_wrong);
    RUN_TEST(test_what_has_no_derivative_is_said_and_exits_with_one);
    return UNITY_END();
}
