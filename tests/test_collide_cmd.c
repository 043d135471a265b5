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
    RUN_TEST(test_the_bench_runs_on_pairs_of_its_own);
    return UNITY_END();
}
