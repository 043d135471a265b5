/* `slipstick collide` and `bench collision` from end to end. */
#include "unity.h"

#include <string.h>
#include "command.h"
#include "slipstick.h"

static command_result r;

void setUp(void) { }
void tearDown(void) { }

static void test_a_ball_beside_a_box_is_measured(void)
{
    double x[10];

    command_run("collide -", "pair 1\na sphere 1 pose 0 0 0 1 0 0 0\nb box 1 1 1 pose 3 0 0 1 0 0 0\n", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_EQUAL_INT(10, command_numbers(r.out, NULL, "1", x, 10));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), 1, x[0]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), 1, x[1]);
}

static void test_an_ellipsoid_beside_another_is_measured_and_a_flat_one_refused(void)
{
    double x[10];

    command_run("collide -", "pair 1\na ellipsoid 1 2 3 pose 0 0 0 1 0 0 0\nb ellipsoid 3 0.5 1 pose 5 0 0 1 0 0 0\n",
                &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_EQUAL_INT(10, command_numbers(r.out, NULL, "1", x, 10));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), 1, x[0]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), 2, x[7]);
    command_run("collide -", "pair 1\na ellipsoid 1 0 3 pose 0 0 0 1 0 0 0\nb sphere 1 pose 5 0 0 1 0 0 0\n", &r);
    TEST_ASSERT_EQUAL_INT(1, r.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, ":2: the ellipsoid has a zero or negative size"), r.err);
}

static void test_a_file_without_pairs_is_told(void)
{
    static const char *const empty[] = { "", "\n\n", "# nothing\n", "mesh 1 4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n" };

    for (size_t i = 0; i < sizeof empty/sizeof *empty; ++i) {
        command_run("collide -", empty[i], &r);
        TEST_ASSERT_EQUAL_INT(1, r.code);
        TEST_ASSERT_EQUAL_STRING("", r.out);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "(standard input): no pairs in it"), r.err);
    }
}

#define BALLS "pair 7\na sphere 1 pose 0 0 0 1 0 0 0\nb sphere 1 pose 3 0 0 1 0 0 0\n"

static void test_the_other_order_gives_the_same_points_and_normal(void)
{
    double x[10], y[10];
    int i;

    command_run("collide -", BALLS, &r);
    TEST_ASSERT_EQUAL_INT(10, command_numbers(r.out, NULL, "7", x, 10));
    command_run("collide --swap -", BALLS, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_EQUAL_INT(10, command_numbers(r.out, NULL, "7", y, 10));
    for (i = 0; i < 10; ++i) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), x[i], y[i]);
}

static void test_given_distances_are_checked_to_a_tolerance(void)
{
    command_run("collide --check -", BALLS "dist 1\n", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.out);
    TEST_ASSERT_EQUAL_STRING("1 pairs, 0 differ\n", r.out);
    command_run("collide --check -", BALLS "dist 1.01\n", &r);
    TEST_ASSERT_EQUAL_INT(1, r.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.out, "7: distance 1, expected 1.0"), r.out);      /* 1.0099999 in float */
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.out, "1 pairs, 1 differ"), r.out);
    command_run("collide --check --tol 0.01 -", BALLS "dist 1.01\n", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.out);
}

static void test_what_cannot_be_meant_is_refused(void)
{
    static const struct { const char *arguments, *why; } bad[] = {
        { "collide", "a file of pairs is expected" }, { "collide - -", "one file at a time" },
        { "collide - --tol 2", "--tol" }, { "collide - --wrong", "unknown option '--wrong'" } };

    for (size_t i = 0; i < sizeof bad/sizeof *bad; ++i) {
        command_run(bad[i].arguments, BALLS, &r);
        TEST_ASSERT_EQUAL_INT(2, r.code);
        TEST_ASSERT_EQUAL_STRING("", r.out);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, bad[i].why), r.err);
    }
}

static void test_the_bench_runs_on_pairs_of_its_own(void)      /* with SAN=address, leaks fail it */
{
    command_run("bench collision --batches 1 --most 0 --json", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_NOT_NULL(strstr(r.out, "\"a\":\"mesh\",\"b\":\"mesh\""));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_ball_beside_a_box_is_measured);
    RUN_TEST(test_an_ellipsoid_beside_another_is_measured_and_a_flat_one_refused);
    RUN_TEST(test_a_file_without_pairs_is_told);
    RUN_TEST(test_the_other_order_gives_the_same_points_and_normal);
    RUN_TEST(test_given_distances_are_checked_to_a_tolerance);
    RUN_TEST(test_what_cannot_be_meant_is_refused);
    RUN_TEST(test_the_bench_runs_on_pairs_of_its_own);
    return UNITY_END();
}
