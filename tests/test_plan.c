/* Motions by inverse dynamics with smooth contact: derivatives of a knot, a motion judged by `slipstick inverse`, and
 * tasks that are refused. */
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tools/plan.h"
#include "command.h"

#define FOLDER SLIP_TEST_BIN ".test_plan.d"

static command_result r;
static char line[1024];

void setUp(void) { TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "'")); }
void tearDown(void) { TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "'")); }

/* ---- derivatives ------------------------------------------------------------------------------------------------ */

/* Three knots of Solo-12 near the ground that move at random; the derivatives by each of them against central
 * differences. One term is left out: how the rolling of a ball's foot changes with the link's angle at fixed joint
 * velocities, r |w| times the slip's slope; with feet of 16 mm and 1 rad/s it is below 1 % of the largest entry. */
static void test_derivatives_of_a_knot_agree_with_differences(void)
{
    enum { MOST_Q = 19, MOST_V = 18 };
    const slip_real h = SLIP_R(0.02), s = SLIP_R(1e-6);
    slip_random rng = slip_random_seed(4);
    slip_real q[3][MOST_Q], keep[MOST_Q], e[MOST_V], u[MOST_V], less[MOST_V], a[MOST_V], *D[3], force;
    sim_changes changes;
    sim_session session;
    plan_knot k;
    double worst = 0, largest = 0;
    int i, j, x;

    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("differences need double");
    memset(&changes, 0, sizeof changes);
    changes.quiet = 1;
    TEST_ASSERT_TRUE(sim_open("test", "models/solo12_jump.xml", &changes, &session));
    TEST_ASSERT_TRUE(plan_knot_open("test", &session.scene, &k));
    k.law.k = 1000;
    k.law.d = SLIP_R(0.01);
    k.law.e = SLIP_R(0.1);
    for (x = 0; x < 3; ++x) {
        D[x] = (slip_real *)malloc(MOST_V*MOST_V*sizeof(slip_real));
        for (i = 0; i < MOST_V; ++i) e[i] = SLIP_R(0.01)*slip_random_normal(&rng);
        slip_integrate(k.m, session.scene.q, e, 1, q[x]);
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, plan_knot_forces(&k, q[0], q[1], q[2], h, u, a, D, &force));
    TEST_ASSERT_MESSAGE(force > 1, "the feet press on the ground");
    for (x = 0; x < 3; ++x) {
        memcpy(keep, q[x], sizeof keep);
        for (j = 0; j < MOST_V; ++j) {
            memset(e, 0, sizeof e);
            e[j] = s;
            slip_integrate(k.m, keep, e, 1, q[x]);
            plan_knot_forces(&k, q[0], q[1], q[2], h, u, a, NULL, NULL);
            e[j] = -s;
            slip_integrate(k.m, keep, e, 1, q[x]);
            plan_knot_forces(&k, q[0], q[1], q[2], h, less, a, NULL, NULL);
            memcpy(q[x], keep, sizeof keep);
            for (i = 0; i < MOST_V; ++i) {
                worst = fmax(worst, fabs((double)((u[i] - less[i])/(2*s) - D[x][i*MOST_V + j])));
                largest = fmax(largest, fabs((double)D[x][i*MOST_V + j]));
            }
        }
    }
    snprintf(line, sizeof line, "worst %g of %g", worst, largest);
    TEST_ASSERT_MESSAGE(worst < 1e-3*largest, line);
    for (x = 0; x < 3; ++x) free(D[x]);
    plan_knot_close(&k);
    sim_close(&session);
}

/* ---- a motion --------------------------------------------------------------------------------------------------- */

static double json(const char *key)
{
    const char *at = strstr(r.out, key);

    TEST_ASSERT_NOT_NULL_MESSAGE(at, key);
    return strtod(at + strlen(key), NULL);
}

/* Solo-12 weighs 24.5 N; its squat leaves less than a thousandth of it to its base, by the planner's contact model and
 * by the rigid one of id-prox, and drives of 10 N m/rad follow it. */
static void test_a_squat_is_a_possible_motion(void)
{
    double left[2];

    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("accelerations are differences of positions over h^2");
    command_run("plan models/solo12_jump.xml --task models/solo12_squat.txt --json --track 10,0.2 --csv "
                FOLDER "/squat.csv", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_MESSAGE(json("\"root\": ") < 0.0025, r.out);
    TEST_ASSERT_MESSAGE(json("\"tracked\": [") < 0.01, r.out);
    command_run("inverse models/solo12_jump.xml --motion " FOLDER "/squat.csv --touch 3e-3 --still 3e-2 --csv "
                FOLDER "/tau.csv", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, command_numbers(r.out, NULL, "  undriven joints  at most", left, 1), r.out);
    TEST_ASSERT_MESSAGE(left[0] < 0.025, r.out);
}

/* The body comes down by 4 cm at the middle, to a millimetre. */
static void test_goals_are_met(void)
{
    static char text[1 << 18];
    const char *at;
    double x[4] = { 0 };

    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("double only");
    command_run("plan models/solo12_jump.xml --task models/solo12_squat.txt --quiet --csv " FOLDER "/squat.csv",
                NULL, &r);
    command_read(FOLDER "/squat.csv", text, sizeof text);
    at = strstr(text, "\n0.3,");
    TEST_ASSERT_NOT_NULL(at);
    TEST_ASSERT_EQUAL_INT(4, sscanf(at + 1, "%lf,%lf,%lf,%lf", x, x + 1, x + 2, x + 3));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.199, x[3]);
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static void test_bad_tasks_are_refused_with_their_line(void)
{
    static const struct { const char *task, *message; } cases[] = {
        { "", "no line 'time'" },
        { "point base 0 0 0 0\n", "task.txt:1: a goal before the line 'time SECONDS INTERVALS'" },
        { "time 1\n", "task.txt:1: 'time': number 2 is ''" },
        { "time 1 10\nfly 3\n", "task.txt:2: fly, expected time, periodic" },
        { "time 1 10\npoint bse 0.5 0 0 0\n", "task.txt:2: no link is called 'bse'" },
        { "time 1 10\njoint lf_kfx 0.5 0\n", "task.txt:2: no joint of one freedom is called 'lf_kfx'" },
        { "time 1 10\npoint base 2 0 0 0\n", "task.txt:2: 'point': number 2 is '2', expected a number from 0 to 1" },
        { "time 1 10\npoint base 0.5 0 x 0\n", "task.txt:2: 'point': number 4 is 'x'" },
        { "time 1 10\nrest 1 nan\n", "task.txt:2: 'rest': number 2 is 'nan'" } };
    size_t i;

    for (i = 0; i < sizeof cases/sizeof *cases; ++i) {
        command_write(FOLDER "/task.txt", cases[i].task);
        command_run("plan models/solo12_jump.xml --task " FOLDER "/task.txt", NULL, &r);
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, r.code, cases[i].message);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, cases[i].message), r.err);
    }
    command_run("plan models/solo12_jump.xml", NULL, &r);
    TEST_ASSERT_EQUAL_INT(2, r.code);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_derivatives_of_a_knot_agree_with_differences);
    RUN_TEST(test_a_squat_is_a_possible_motion);
    RUN_TEST(test_goals_are_met);
    RUN_TEST(test_bad_tasks_are_refused_with_their_line);
    return UNITY_END();
}
