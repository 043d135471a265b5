/* slip_sincos against the C library, in ulps of the result; in float against the library's double. */
#include <math.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "base/trig.h"

#define FAR SLIP_TOL(1e5, 2e3)                  /* where the way of reduction changes */

enum { BATCH = 64 };

static slip_random rng;
static slip_real x[BATCH], c[BATCH], s[BATCH];

void setUp(void) { rng = slip_random_seed(2718); }
void tearDown(void) { }

/* Largest error of the batch in units in the last place of numbers near 1; errors near a zero of the function
 * are absolute there, as the argument itself is only known to half an ulp. */
static double worst_ulps(int n)
{
    double worst = 0;

    slip_sincos(n, x, c, s);
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs((double)c[i] - cos((double)x[i])));
        worst = fmax(worst, fabs((double)s[i] - sin((double)x[i])));
    }
    return worst/(double)SLIP_REAL_EPS;
}

static void test_a_turn_either_way_is_exact_to_an_ulp(void)
{
    for (int k = 0; k < 5000; ++k) {
        for (int i = 0; i < BATCH; ++i) x[i] = slip_random_uniform(&rng, -2*SLIP_PI, 2*SLIP_PI);
        TEST_ASSERT_TRUE(worst_ulps(BATCH) < 1);
    }
}

static void test_many_turns_are_exact_to_an_ulp(void)
{
    for (int k = 0; k < 5000; ++k) {
        for (int i = 0; i < BATCH; ++i) x[i] = slip_random_uniform(&rng, -FAR, FAR);
        TEST_ASSERT_TRUE(worst_ulps(BATCH) < 1);
    }
}

static void test_multiples_of_a_quarter_turn_and_their_neighbours(void)
{
    for (int k = -2000; k < 2000; k += BATCH/4) {
        for (int i = 0; i < BATCH/4; ++i) {
            const slip_real y = (slip_real)(k + i)*(SLIP_PI/2);

            x[4*i] = y;
            x[4*i + 1] = y*(1 + SLIP_REAL_EPS);
            x[4*i + 2] = y*(1 - SLIP_REAL_EPS);
            x[4*i + 3] = y + SLIP_PI/4;                  /* the seam between two polynomials */
        }
        TEST_ASSERT_TRUE(worst_ulps(BATCH) < 1);
    }
}

static void test_small_sines_keep_their_relative_accuracy(void)
{
    slip_real y = 1;

    for (int i = 0; i < BATCH; ++i) x[i] = y /= 4;
    slip_sincos(BATCH, x, c, s);
    for (int i = 0; i < BATCH; ++i)
        TEST_ASSERT_DOUBLE_WITHIN(2*(double)SLIP_REAL_EPS*fabs((double)x[i]), sin((double)x[i]), (double)s[i]);
}

static void test_huge_angles(void)
{
    static const double huge[] = { 1e5, 1.0000001e5, 2e3, 2.001e3, 1e6, 1e9, 1e15, 1e22, 1e30, 3e37 };
    const int n = (int)(sizeof huge/sizeof *huge);

    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < n; ++i) x[i] = (slip_real)(sign*huge[i]);
        TEST_ASSERT_TRUE(worst_ulps(n) < 1);
    }
}

static void test_zero_is_exact_and_small_angles_have_cosine_one(void)
{
    x[0] = 0;  x[1] = SLIP_REAL_MIN;  x[2] = -SLIP_REAL_MIN/4;
    slip_sincos(3, x, c, s);
    TEST_ASSERT_TRUE(c[0] == 1 && s[0] == 0);
    TEST_ASSERT_TRUE(c[1] == 1 && s[1] == x[1]);
    TEST_ASSERT_TRUE(c[2] == 1 && s[2] == x[2]);
}

static void test_nan_and_infinity_come_out_as_nan_and_hurt_nobody_else(void)
{
    for (int i = 0; i < 8; ++i) x[i] = (slip_real)i;
    x[2] = (slip_real)NAN;
    x[5] = (slip_real)INFINITY;
    x[6] = -(slip_real)INFINITY;
    slip_sincos(8, x, c, s);
    for (int i = 0; i < 8; ++i) {
        if (i == 2 || i == 5 || i == 6) TEST_ASSERT_TRUE(isnan(c[i]) && isnan(s[i]));
        else TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_REAL_EPS, sin((double)i), (double)s[i]);
    }
}

static void test_sine_is_odd_and_cosine_even_to_the_last_bit(void)
{
    slip_real c2[BATCH], s2[BATCH];

    for (int k = 0; k < 500; ++k) {
        for (int i = 0; i < BATCH; ++i) x[i] = slip_random_uniform(&rng, -100, 100);
        slip_sincos(BATCH, x, c, s);
        for (int i = 0; i < BATCH; ++i) x[i] = -x[i];
        slip_sincos(BATCH, x, c2, s2);
        for (int i = 0; i < BATCH; ++i) TEST_ASSERT_TRUE(c2[i] == c[i] && s2[i] == -s[i]);
    }
}

static void test_the_length_of_the_batch_does_not_change_the_bits(void)
{
    slip_real c1, s1;

    for (int i = 0; i < BATCH; ++i) x[i] = slip_random_uniform(&rng, -100, 100);
    for (int n = 1; n <= BATCH; ++n) {
        slip_sincos(n, x, c, s);
        slip_sincos(1, x + n - 1, &c1, &s1);
        TEST_ASSERT_TRUE(c1 == c[n - 1] && s1 == s[n - 1]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_turn_either_way_is_exact_to_an_ulp);
    RUN_TEST(test_many_turns_are_exact_to_an_ulp);
    RUN_TEST(test_multiples_of_a_quarter_turn_and_their_neighbours);
    RUN_TEST(test_small_sines_keep_their_relative_accuracy);
    RUN_TEST(test_huge_angles);
    RUN_TEST(test_zero_is_exact_and_small_angles_have_cosine_one);
    RUN_TEST(test_nan_and_infinity_come_out_as_nan_and_hurt_nobody_else);
    RUN_TEST(test_sine_is_odd_and_cosine_even_to_the_last_bit);
    RUN_TEST(test_the_length_of_the_batch_does_not_change_the_bits);
    return UNITY_END();
}
