/* `slipstick fit` from the outside: parameters are found again in recordings of our own making, within the intervals
 * it reports; bad files and names are refused with their place. */
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "slipstick.h"
#include "command.h"

#define FOLDER SLIP_TEST_BIN ".test_fit.d"
#define FREE   "mass:lower,com:lower,inertia:lower,damping:elbow"

static command_result r;
static char line[2048], text[1 << 20];

void setUp(void) { TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "'")); }
void tearDown(void) { TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "'")); }

/* A double pendulum that is driven about; its lower link is what the numbers say. */
static void write_arm(const char *name, double mass, double damping)
{
    snprintf(text, sizeof text, "<robot name='arm'>"
             "<link name='upper'><inertial><origin xyz='0 0 -0.2'/><mass value='1'/>"
             "<inertia ixx='0.02' iyy='0.02' izz='0.005' ixy='0' ixz='0' iyz='0'/></inertial></link>"
             "<joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/><axis xyz='0 1 0'/>"
             "</joint><link name='base'/>"
             "<link name='lower'><inertial><origin xyz='0.02 0 -0.15'/><mass value='%g'/>"
             "<inertia ixx='0.01' iyy='0.012' izz='0.004' ixy='0' ixz='0' iyz='0'/></inertial></link>"
             "<joint name='elbow' type='continuous'><origin xyz='0 0 -0.4'/><parent link='upper'/><child link='lower'/>"
             "<axis xyz='0.6 0.8 0'/><dynamics damping='%g'/></joint>"
             "</robot>", mass, damping);
    snprintf(line, sizeof line, FOLDER "/%s.urdf", name);
    command_write(line, text);
    snprintf(text, sizeof text, "<scene name='arm'><simulation dt='0.004' duration='2' integrator='euler'/>"
             "<robot file='%s.urdf' base='fixed'><drive joint='*' kp='30' kd='1'/></robot><events>"
             "<target joint='shoulder' time='0' over='0.5' position='1'/>"
             "<target joint='elbow' time='0.1' over='0.3' position='-1.5'/>"
             "<target joint='shoulder' time='0.8' over='0.3' position='-0.7'/>"
             "<target joint='elbow' time='0.7' over='0.6' position='1'/>"
             "<target joint='shoulder' time='1.4' over='0.3' position='0.4'/></events></scene>", name);
    snprintf(line, sizeof line, FOLDER "/%s.xml", name);
    command_write(line, text);
}

/* What the true arm does, every third row, with normal errors; sigma of positions and velocities. */
static void write_recording(const char *path, uint64_t seed, double sigma_q, double sigma_v)
{
    slip_random rng = slip_random_seed(seed);
    FILE *out = fopen(path, "w");
    char *at;
    int k;

    TEST_ASSERT_NOT_NULL(out);
    command_read(FOLDER "/true.csv", text, sizeof text);
    fputs("time,q_shoulder,q_elbow,v_shoulder,v_elbow\n", out);
    for (k = 0, at = strchr(text, '\n'); at && at[1]; at = strchr(at + 1, '\n'), ++k) {
        double x[5];

        if (k%3 != 0 || sscanf(at + 1, "%lf,%lf,%lf,%lf,%lf", x, x + 1, x + 2, x + 3, x + 4) != 5) continue;
        fprintf(out, "%.9g,%.17g,%.17g,%.17g,%.17g\n", x[0], x[1] + sigma_q*(double)slip_random_normal(&rng),
                x[2] + sigma_q*(double)slip_random_normal(&rng), x[3] + sigma_v*(double)slip_random_normal(&rng),
                x[4] + sigma_v*(double)slip_random_normal(&rng));
    }
    fclose(out);
}

static void record_true_arm(void)
{
    write_arm("true", 1.3, 0.4);
    write_arm("arm", 0.9, 0);
    command_run("sim " FOLDER "/true.xml --quiet --csv " FOLDER "/true.csv", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
}

static void fit(const char *arguments)
{
    slip_format(line, (int)sizeof line, "fit %s", arguments);
    command_run(line, NULL, &r);
}

/* A number of the JSON result behind the name of a parameter. */
static double number(const char *parameter, const char *key)
{
    char name[128];
    const char *at;

    snprintf(name, sizeof name, "\"%s\"", parameter);
    at = strstr(r.out, name);
    TEST_ASSERT_NOT_NULL_MESSAGE(at, parameter);
    snprintf(name, sizeof name, "\"%s\": ", key);
    at = strstr(at, name);
    TEST_ASSERT_NOT_NULL_MESSAGE(at, key);
    return strtod(at + strlen(name), NULL);
}

/* ---- parameters are found --------------------------------------------------------------------------------------- */

static void test_an_exact_recording_gives_the_parameters_back(void)
{
    const double tol = (double)SLIP_TOL(1e-8, 2e-2);

    record_true_arm();
    write_recording(FOLDER "/log.csv", 1, 0, 0);
    fit(FOLDER "/arm.xml " FOLDER "/log.csv --free mass:lower,damping:elbow --json");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol, 1.3, number("mass:lower", "value"), r.out);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol, 0.4, number("damping:elbow", "value"), r.out);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.9, number("mass:lower", "start"));
}

/* 95 % intervals of 5 numbers in 12 recordings with errors: 57 of 60 are expected to hold the truth, with a deviation
 * of 1.7 if all were independent; of intervals half as wide, 40. */
static void test_intervals_hold_the_truth(void)
{
    static const struct { const char *name; double value; } truth[] = {
        { "mass:lower", 1.3 }, { "com:lower.x", 0.02 }, { "com:lower.y", 0 }, { "com:lower.z", -0.15 },
        { "damping:elbow", 0.4 } };
    int seed, held = 0, total = 0;
    size_t i;

    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("errors of 1e-4 are near those of float");
    record_true_arm();
    for (seed = 1; seed <= 12; ++seed) {
        write_recording(FOLDER "/log.csv", (uint64_t)seed, 2e-4, 2e-3);
        fit(FOLDER "/arm.xml " FOLDER "/log.csv --free mass:lower,com:lower,damping:elbow --json");
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
        for (i = 0; i < sizeof truth/sizeof *truth; ++i, ++total)
            held += number(truth[i].name, "lower") <= truth[i].value
                 && truth[i].value <= number(truth[i].name, "upper");
    }
    snprintf(line, sizeof line, "%d of %d intervals", held, total);
    TEST_ASSERT_MESSAGE(held >= 51, line);
}

static void test_inertias_stay_those_of_a_body(void)
{
    int seed;

    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("double only");
    record_true_arm();
    for (seed = 1; seed <= 3; ++seed) {                  /* errors so large that the inertia is hardly determined */
        double a, b, c;

        write_recording(FOLDER "/log.csv", (uint64_t)seed, 2e-2, 2e-1);
        fit(FOLDER "/arm.xml " FOLDER "/log.csv --free " FREE " --json --iterations 20");
        a = number("inertia:lower.ixx", "value");
        b = number("inertia:lower.iyy", "value");
        c = number("inertia:lower.izz", "value");
        TEST_ASSERT_MESSAGE(number("mass:lower", "value") > 0 && a > 0 && b > 0 && c > 0, r.out);
        TEST_ASSERT_MESSAGE(a + b > c && b + c > a && c + a > b, r.out);
    }
}

static void test_analytic_and_differenced_derivatives_lead_to_the_same_place(void)
{
    double analytic[2], simple[2];

    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("double only");
    record_true_arm();
    write_recording(FOLDER "/log.csv", 3, 1e-4, 1e-3);
    fit(FOLDER "/arm.xml " FOLDER "/log.csv --free mass:lower,damping:elbow --json");
    analytic[0] = number("mass:lower", "value");
    analytic[1] = number("damping:elbow", "value");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.out, "\"differences\": 0"), r.out);
    fit(FOLDER "/arm.xml " FOLDER "/log.csv --free mass:lower,damping:elbow --json --simple");
    simple[0] = number("mass:lower", "value");
    simple[1] = number("damping:elbow", "value");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.out, "\"analytic\": 0"), r.out);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, simple[0], analytic[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, simple[1], analytic[1]);
}

/* A block that slides: v falls by mu g dt a step, so that a hundredth of a per cent of mu shows. */
static void test_the_friction_of_a_sliding_block_is_found(void)
{
    static const char scene[] =
        "<scene><simulation dt='0.005' duration='0.5' integrator='euler'/><surface name='default' friction='%g'/>"
        "<ground/><body name='block' mass='1' velocity='2 0 0'><origin xyz='0 0 0.05'/>"
        "<geometry><box size='0.4 0.4 0.1'/></geometry></body></scene>";

    snprintf(text, sizeof text, scene, 0.3);
    command_write(FOLDER "/true.xml", text);
    snprintf(text, sizeof text, scene, 0.15);
    command_write(FOLDER "/block.xml", text);
    command_run("sim " FOLDER "/true.xml --quiet --csv " FOLDER "/log.csv", NULL, &r);
    fit(FOLDER "/block.xml " FOLDER "/log.csv --free mu --json");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-5, 1e-2), 0.3, number("mu", "value"), r.out);
}

static void test_a_parameter_without_effect_is_named(void)
{
    record_true_arm();
    write_recording(FOLDER "/log.csv", 1, 1e-3, 1e-2);
    fit(FOLDER "/arm.xml " FOLDER "/log.csv --free mass:lower,mu");
    TEST_ASSERT_EQUAL_INT(1, r.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "do not tell mu apart"), r.err);
}

static void test_plots_and_a_page_with_a_ghost_are_written(void)
{
    record_true_arm();
    write_recording(FOLDER "/log.csv", 1, 1e-3, 1e-2);
    fit(FOLDER "/arm.xml " FOLDER "/log.csv --free mass:lower --model-error 1 --svg " FOLDER "/fit --html "
        FOLDER "/fit.html");
    command_read(FOLDER "/fit-motion.svg", text, sizeof text);
    TEST_ASSERT_NOT_NULL(strstr(text, "after the fit"));
    command_read(FOLDER "/fit-error.svg", text, sizeof text);
    TEST_ASSERT_NOT_NULL(strstr(text, "before the fit"));
    command_read(FOLDER "/fit.html", text, sizeof text);
    TEST_ASSERT_NOT_NULL(strstr(text, "recorded lower"));
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static void test_unknown_names_are_refused_with_a_suggestion(void)
{
    static const struct { const char *list, *message; } cases[] = {
        { "mas:lower", "unknown parameter 'mas'; perhaps 'mass'?" },
        { "mass:lowr", "no link is called 'lowr'; perhaps 'lower'?" },
        { "damping:elbw", "no joint is called 'elbw'; perhaps 'elbow'?" },
        { "mu:ice", "no surface is called 'ice'; perhaps 'default'?" },
        { "mass", "mass of which link? mass:NAME" },
        { "mu,mu", "'mu' twice" },
        { "inertia:base", "the link has no mass to start from" } };
    size_t i;

    record_true_arm();
    write_recording(FOLDER "/log.csv", 1, 0, 0);
    for (i = 0; i < sizeof cases/sizeof *cases; ++i) {
        snprintf(text, sizeof text, FOLDER "/arm.xml " FOLDER "/log.csv --free %s", cases[i].list);
        fit(text);
        TEST_ASSERT_EQUAL_INT(1, r.code);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, cases[i].message), r.err);
    }
}

static void test_bad_recordings_are_refused_with_their_place(void)
{
    static const struct { const char *log, *message; } cases[] = {
        { "", "log.csv: the file is empty" },
        { "q_shoulder,q_elbow\n", "log.csv:1: the first line has no column 'time'" },
        { "time,q_shoulder\n0,1\n", "log.csv:1: the first line has no column 'q_elbow'" },
        { "time,q_shoulder,q_elbow,v_elbow\n", "log.csv:1: the first line has no column 'v_shoulder'" },
        { "time,q_shoulder,q_elbow\n0,0,0\n0.1,nan,0\n", "log.csv:3:5: q_shoulder is not a number" },
        { "time,q_shoulder,q_elbow\n0,0,0\n0.1,x,0\n", "log.csv:3:5: q_shoulder is not a number" },
        { "time,q_shoulder,q_elbow\n0,0,0\n0.1,0\n", "log.csv:3: 2 fields, expected 3" },
        { "time,q_shoulder,q_elbow\n0,0,0\n0,0,0\n", "log.csv:3:1: time is 0, expected more than 0" },
        { "time,q_shoulder,q_elbow\n0,0,0\n0.1,0,0\n", "run 1 has 2 rows, expected three or more" },
        { "time,q_shoulder,q_elbow\n0,0,0\n0.001,0,0\n0.002,0,0\n0.003,0,0\n", "closer than half a step" } };
    size_t i;

    record_true_arm();
    for (i = 0; i < sizeof cases/sizeof *cases; ++i) {
        command_write(FOLDER "/log.csv", cases[i].log);
        fit(FOLDER "/arm.xml " FOLDER "/log.csv --free mass:lower");
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, r.code, cases[i].message);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, cases[i].message), r.err);
    }
    fit(FOLDER "/arm.xml " FOLDER "/log.csv");
    TEST_ASSERT_EQUAL_INT(2, r.code);
    fit(FOLDER "/arm.xml " FOLDER "/log.csv --free mass:lower --runs 7");
    TEST_ASSERT_EQUAL_INT(1, r.code);
    fit(FOLDER "/arm.xml " FOLDER "/log.csv --free mass:lower --bound mass=3");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "expected NAME=LOWER:UPPER"), r.err);
}

static void test_a_bound_holds(void)
{
    record_true_arm();
    write_recording(FOLDER "/log.csv", 1, 1e-3, 1e-2);
    fit(FOLDER "/arm.xml " FOLDER "/log.csv --free mass:lower,damping:elbow --bound mass:lower=0.5:1.1 --json "
        "--model-error 1");
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), 1.1, number("mass:lower", "value"));
    TEST_ASSERT_NOT_NULL(strstr(r.out, "\"at_bound\": true"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_exact_recording_gives_the_parameters_back);
    RUN_TEST(test_intervals_hold_the_truth);
    RUN_TEST(test_inertias_stay_those_of_a_body);
    RUN_TEST(test_analytic_and_differenced_derivatives_lead_to_the_same_place);
    RUN_TEST(test_the_friction_of_a_sliding_block_is_found);
    RUN_TEST(test_a_parameter_without_effect_is_named);
    RUN_TEST(test_plots_and_a_page_with_a_ghost_are_written);
    RUN_TEST(test_unknown_names_are_refused_with_a_suggestion);
    RUN_TEST(test_bad_recordings_are_refused_with_their_place);
    RUN_TEST(test_a_bound_holds);
    return UNITY_END();
}
