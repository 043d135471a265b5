/* The barriers of barrier.h against differences, their walls against a search, their parameters against TO. */
#include "contact_aid.h"

#include <math.h>

#include "solvers/barrier.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void random_inside(slip_random *rng, slip_real mu, slip_real f[3])
{
    const slip_real r = mu*slip_random_uniform(rng, 0, SLIP_R(0.95)), a = slip_random_uniform(rng, 0, 6);

    f[2] = slip_random_uniform(rng, SLIP_R(0.2), 2);
    f[0] = r*f[2]*slip_cos(a);
    f[1] = r*f[2]*slip_sin(a);
}

static void test_derivatives_of_the_contact_barrier_match_differences(void)
{
    slip_random rng = slip_random_seed(1);
    const slip_real h = SLIP_TOL(1e-5, 1e-2);
    int n, i, j;

    for (n = 0; n < 2000; ++n) {
        const slip_real mu = slip_random_uniform(&rng, SLIP_R(0.2), 1), t = SLIP_R(0.1);
        slip_real f[3], g[3], H[9], lo[3], hi[3], g_lo[3], g_hi[3];

        random_inside(&rng, mu/2, f);                                /* far enough from the wall for differences */
        slip_barrier_contact(mu, t, f, g, H);
        for (i = 0; i < 3; ++i) {
            double v_lo, v_hi;

            slip_copy3(f, lo);
            slip_copy3(f, hi);
            lo[i] -= h*f[2];
            hi[i] += h*f[2];
            v_lo = (double)slip_barrier_contact(mu, t, lo, g_lo, NULL);
            v_hi = (double)slip_barrier_contact(mu, t, hi, g_hi, NULL);
            TEST_ASSERT_DOUBLE_WITHIN(1e-2*(fabs((double)g[i]) + 0.1/(double)f[2]), (double)g[i],
                                      (v_hi - v_lo)/(double)(hi[i] - lo[i]));
            for (j = 0; j < 3; ++j)
                TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-4, 5e-2)*(double)(H[0] + H[4] + H[8]), (double)H[3*i + j],
                                          (double)((g_hi[j] - g_lo[j])/(hi[i] - lo[i])));
        }
    }
}

/* TO eq. 25: value, slope and curvature continue at x0 = t/s, and nothing is infinite below. */
static void test_the_elastic_barrier_joins_smoothly(void)
{
    const slip_real t = SLIP_R(0.5), s = 7, x0 = t/s;
    slip_real a1, a2, b1, b2;
    const slip_real a = slip_barrier_scalar(t, s, x0*(1 - SLIP_TOL(1e-9, 1e-5)), &a1, &a2);
    const slip_real b = slip_barrier_scalar(t, s, x0*(1 + SLIP_TOL(1e-9, 1e-5)), &b1, &b2);

    TEST_ASSERT_DOUBLE_WITHIN(1e-3, (double)b, (double)a);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, -7, (double)a1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, (double)b1, (double)a1);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, (double)b2, (double)a2);
    TEST_ASSERT(slip_is_finite(slip_barrier_scalar(t, s, -100, &a1, &a2)) && a1 < 0 && a2 > 0);
    TEST_ASSERT(!slip_is_finite(slip_barrier_scalar(t, 0, 0, &a1, &a2)));
}

static void test_the_step_to_the_wall_ends_on_the_wall(void)
{
    slip_random rng = slip_random_seed(2);
    int n, i, hits = 0;

    for (n = 0; n < 20000; ++n) {
        const slip_real mu = slip_random_uniform(&rng, SLIP_R(0.1), 2);
        slip_real f[3], d[3], x[3], a;

        random_inside(&rng, mu, f);
        for (i = 0; i < 3; ++i) d[i] = slip_random_normal(&rng);
        a = slip_barrier_contact_step(mu, f, d);
        if (!slip_is_finite(a)) a = 1000;                            /* never: then far out is inside, too */
        else ++hits;
        slip_axpy3(a*SLIP_R(0.99), d, f, x);
        TEST_ASSERT(slip_is_finite(slip_barrier_contact(mu, 1, x, NULL, NULL)));
        if (a >= 1000) continue;
        slip_axpy3(a*SLIP_R(1.01), d, f, x);
        TEST_ASSERT(!slip_is_finite(slip_barrier_contact(mu, 1, x, NULL, NULL)));
    }
    TEST_ASSERT(hits > 10000);
}

static void test_compliance_grows_with_distance_as_in_TO_eq_24(void)
{
    const slip_real lo = SLIP_R(0.01), hi = 100, far = SLIP_R(0.1);

    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.01, (double)slip_barrier_compliance(-1, lo, hi, far));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.01, (double)slip_barrier_compliance(0, lo, hi, far));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 50.005, (double)slip_barrier_compliance(SLIP_R(0.05), lo, hi, far));
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 100, (double)slip_barrier_compliance(1, lo, hi, far));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_derivatives_of_the_contact_barrier_match_differences);
    RUN_TEST(test_the_elastic_barrier_joins_smoothly);
    RUN_TEST(test_the_step_to_the_wall_ends_on_the_wall);
    RUN_TEST(test_compliance_grows_with_distance_as_in_TO_eq_24);
    return UNITY_END();
}
