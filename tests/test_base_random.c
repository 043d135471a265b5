/* The generator: pinned values, then ranges and moments. Bounds on moments are 6 standard errors. */
#include "unity.h"

#include <limits.h>
#include "base/random.h"
#include "base/vec.h"

#define N 200000

static slip_random rng;

void setUp(void) { rng = slip_random_seed(5); }
void tearDown(void) { }

/* The published output of PCG32 for state 42, sequence 54 (O'Neill's demo program). */
static void test_the_generator_is_pcg32(void)
{
    static const uint32_t wanted[6] = { 0xa15c02b7u, 0x7b47f409u, 0xba1d3330u, 0x83d2f293u, 0xbfa4784bu, 0xcbed606eu };
    slip_random r;
    int i;

    r.state = 0;
    r.stream = 2*54 + 1;
    slip_random_bits(&r);
    r.state += 42;
    slip_random_bits(&r);
    for (i = 0; i < 6; ++i) TEST_ASSERT_EQUAL_HEX32(wanted[i], slip_random_bits(&r));
}

static void test_seeds_give_pinned_and_different_streams(void)
{
    static const uint32_t first[2][3] = {
        { 0xcecf5e73u, 0x5e40274au, 0x604debceu },
        { 0xe4bf023du, 0x2efd7419u, 0xa32b6dafu }
    };
    slip_random a = slip_random_seed(0), b = slip_random_seed(1), c = slip_random_seed(1);
    int i;

    for (i = 0; i < 3; ++i) {
        const uint32_t x = slip_random_bits(&b);

        TEST_ASSERT_EQUAL_HEX32(first[0][i], slip_random_bits(&a));
        TEST_ASSERT_EQUAL_HEX32(first[1][i], x);
        TEST_ASSERT_EQUAL_HEX32(x, slip_random_bits(&c));
    }
}

static void test_bits_are_set_half_of_the_time(void)
{
    int count[32] = { 0 }, i, b;

    for (i = 0; i < N; ++i) {
        const uint32_t x = slip_random_bits(&rng);

        for (b = 0; b < 32; ++b) count[b] += (int)(x >> b & 1);
    }
    for (b = 0; b < 32; ++b) TEST_ASSERT_DOUBLE_WITHIN(6*0.5/sqrt(N), 0.5, count[b]/(double)N);
}

static void test_ints_cover_their_range_evenly(void)
{
    int count[7] = { 0 }, i, low = 0, high = 0;

    for (i = 0; i < N; ++i) {
        const int x = slip_random_int(&rng, -3, 3);

        TEST_ASSERT_TRUE(x >= -3 && x <= 3);
        ++count[x + 3];
    }
    for (i = 0; i < 7; ++i) TEST_ASSERT_DOUBLE_WITHIN(6*0.35/sqrt(N), 1/7.0, count[i]/(double)N);
    for (i = 0; i < 1000; ++i) {
        const int x = slip_random_int(&rng, INT_MIN, INT_MAX);

        low += x < INT_MIN/2;
        high += x > INT_MAX/2;
        TEST_ASSERT_EQUAL_INT(4, slip_random_int(&rng, 4, 4));
        TEST_ASSERT_EQUAL_INT(4, slip_random_int(&rng, 4, 3));
        TEST_ASSERT_TRUE(slip_random_int(&rng, INT_MAX - 1, INT_MAX) >= INT_MAX - 1);
        TEST_ASSERT_TRUE(slip_random_int(&rng, INT_MIN, INT_MIN + 1) <= INT_MIN + 1);
    }
    TEST_ASSERT_INT_WITHIN(90, 250, low);
    TEST_ASSERT_INT_WITHIN(90, 250, high);
}

static void test_uniform_reals_stay_below_the_upper_end_and_have_the_right_moments(void)
{
    double sum = 0, square = 0, lag = 0, last = 0;
    int i;

    for (i = 0; i < N; ++i) {
        const slip_real x = slip_random_uniform(&rng, -1, 3);
        const double u = ((double)x - 1)/2;                   /* uniform on [-1, 1): variance 1/3 */

        TEST_ASSERT_TRUE(x >= -1 && x < 3);
        sum += u;
        square += u*u;
        lag += u*last;
        last = u;
    }
    TEST_ASSERT_DOUBLE_WITHIN(6*sqrt(1/3.0/N), 0, sum/N);
    TEST_ASSERT_DOUBLE_WITHIN(6*sqrt(4/45.0/N), 1/3.0, square/N);
    TEST_ASSERT_DOUBLE_WITHIN(6/3.0/sqrt(N), 0, lag/N);
    for (i = 0; i < N; ++i) {                                 /* an interval of two neighbours: hi is never met */
        const slip_real hi = 1 + SLIP_REAL_EPS;

        TEST_ASSERT_TRUE(slip_random_uniform(&rng, 1, hi) == 1);
    }
}

static void test_normal_reals_have_the_moments_of_the_normal_distribution(void)
{
    double m[5] = { 0 };
    int i, k, tail = 0;

    for (i = 0; i < N; ++i) {
        const double x = (double)slip_random_normal(&rng);
        double p = 1;

        for (k = 0; k < 5; ++k) { m[k] += p/N; p *= x; }
        tail += fabs(x) > 3;
    }
    TEST_ASSERT_DOUBLE_WITHIN(6/sqrt(N), 0, m[1]);
    TEST_ASSERT_DOUBLE_WITHIN(6*sqrt(2.0/N), 1, m[2]);
    TEST_ASSERT_DOUBLE_WITHIN(6*sqrt(15.0/N), 0, m[3]);
    TEST_ASSERT_DOUBLE_WITHIN(6*sqrt(96.0/N), 3, m[4]);
    TEST_ASSERT_DOUBLE_WITHIN(6*sqrt(0.0027/N), 0.0026998, tail/(double)N);
}

static void test_directions_are_unit_and_even(void)
{
    double sum[3] = { 0 }, square[3] = { 0 };
    int i, k;

    for (i = 0; i < N; ++i) {
        slip_real u[3];

        slip_random_unit3(&rng, u);
        TEST_ASSERT_DOUBLE_WITHIN(4*(double)SLIP_REAL_EPS, 1, (double)slip_norm3(u));
        for (k = 0; k < 3; ++k) { sum[k] += (double)u[k]; square[k] += (double)u[k]*(double)u[k]; }
    }
    for (k = 0; k < 3; ++k) {
        TEST_ASSERT_DOUBLE_WITHIN(6*sqrt(1/3.0/N), 0, sum[k]/N);
        TEST_ASSERT_DOUBLE_WITHIN(6*sqrt(4/45.0/N), 1/3.0, square[k]/N);
    }
}

/* For rotations uniform on SO(3), the turned x axis is uniform on the sphere and the trace has mean 0. */
static void test_rotations_are_unit_and_even(void)
{
    double trace = 0, sum[3] = { 0 };
    int i, k;

    for (i = 0; i < N/2; ++i) {
        slip_real q[4], R[9];

        slip_random_quat(&rng, q);
        TEST_ASSERT_DOUBLE_WITHIN(4*(double)SLIP_REAL_EPS, 1, (double)(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]));
        slip_quat_to_mat3(q, R);
        trace += (double)(R[0] + R[4] + R[8]);
        for (k = 0; k < 3; ++k) sum[k] += (double)R[3*k];
    }
    TEST_ASSERT_DOUBLE_WITHIN(6/sqrt(N/2.0), 0, trace/(N/2.0));
    for (k = 0; k < 3; ++k) TEST_ASSERT_DOUBLE_WITHIN(6*sqrt(2/3.0/N), 0, sum[k]/(N/2.0));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_generator_is_pcg32);
    RUN_TEST(test_seeds_give_pinned_and_different_streams);
    RUN_TEST(test_bits_are_set_half_of_the_time);
    RUN_TEST(test_ints_cover_their_range_evenly);
    RUN_TEST(test_uniform_reals_stay_below_the_upper_end_and_have_the_right_moments);
    RUN_TEST(test_normal_reals_have_the_moments_of_the_normal_distribution);
    RUN_TEST(test_directions_are_unit_and_even);
    RUN_TEST(test_rotations_are_unit_and_even);
    return UNITY_END();
}
