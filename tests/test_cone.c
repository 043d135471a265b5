/* Cones: projections by their optimality conditions, which are derived here and not taken from the code. */
#include "unity.h"
#include "slipstick_parts.h"

void setUp(void) {}
void tearDown(void) {}

static const slip_real tiny = SLIP_TOL(1e-12, 1e-4);

static slip_real cone_test_mu(slip_random *rng)
{
    const slip_real special[] = { 0, SLIP_R(1e-3), 1, 10, (slip_real)INFINITY };
    const int k = slip_random_int(rng, 0, 9);

    return k < 5 ? special[k] : slip_random_uniform(rng, 0, 2);
}

static void cone_test_vector(slip_random *rng, slip_real x[3])
{
    int k;

    for (k = 0; k < 3; ++k) x[k] = slip_random_int(rng, 0, 9) == 0 ? 0 : slip_random_normal(rng);
}

/* How far x is outside K_mu (0: inside), without the code under test. */
static double cone_test_outside(slip_real mu, const slip_real x[3])
{
    const double t = sqrt((double)x[0]*(double)x[0] + (double)x[1]*(double)x[1]);

    if (x[2] < 0) return -(double)x[2];
    if (!slip_is_finite(mu) || t <= (double)mu*(double)x[2]) return 0;
    return t - (double)mu*(double)x[2];
}

/* How far x is outside K*_mu. */
static double cone_test_outside_dual(slip_real mu, const slip_real x[3])
{
    const double t = sqrt((double)x[0]*(double)x[0] + (double)x[1]*(double)x[1]);
    const double need = slip_is_finite(mu) ? (double)mu*t : t > 0 ? t : 0;

    if (!slip_is_finite(mu)) return t > -(double)x[2] ? t : -(double)x[2];
    return (double)x[2] >= need ? 0 : need - (double)x[2];
}

/* y = argmin over K of |x - y|^2 in the metric d exactly when y in K, D(y - x) in K*, y . D(y - x) = 0. */
static void cone_test_optimal(slip_real mu, const slip_real d[3], const slip_real x[3], const slip_real y[3], int dual)
{
    const slip_real z[3] = { d[0]*(y[0] - x[0]), d[1]*(y[1] - x[1]), d[2]*(y[2] - x[2]) };
    const double size = 1 + (double)slip_norm3(x), weight = (double)(d[0] + d[1] + d[2]);
    const double steep = slip_is_finite(mu) ? 1 + (double)mu : 1;

    if (dual) {
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)tiny*size*steep*weight, 0, cone_test_outside_dual(mu, y), "y in K*");
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)tiny*size*weight*steep, 0, cone_test_outside(mu, z), "D(y - x) in K");
    } else {
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)tiny*size*steep*weight, 0, cone_test_outside(mu, y), "y in K");
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)tiny*size*weight*steep, 0, cone_test_outside_dual(mu, z),
                                          "D(y - x) in K*");
    }
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)tiny*size*size*weight, 0, slip_dot3(y, z), "y . D(y - x)");
}

static void test_projections_on_cone_and_dual_satisfy_their_optimality_conditions(void)
{
    slip_random rng = slip_random_seed(1);
    const slip_real one[3] = { 1, 1, 1 };
    int k;

    for (k = 0; k < 20000; ++k) {
        const slip_real mu = cone_test_mu(&rng);
        slip_real x[3], y[3];

        cone_test_vector(&rng, x);
        slip_cone_project(mu, x, y);
        cone_test_optimal(mu, one, x, y, 0);
        slip_cone_project_dual(mu, x, y);
        cone_test_optimal(mu, one, x, y, 1);
    }
}

static void test_projections_in_a_diagonal_metric_satisfy_theirs(void)
{
    slip_random rng = slip_random_seed(2);
    int k;

    for (k = 0; k < 20000; ++k) {
        const slip_real mu = cone_test_mu(&rng);
        slip_real x[3], y[3], d[3];
        int i;

        cone_test_vector(&rng, x);
        for (i = 0; i < 3; ++i) d[i] = slip_random_uniform(&rng, SLIP_R(0.2), 5);
        if (k % 3 == 0) d[1] = d[0];
        slip_cone_project_metric(mu, d, x, y);
        cone_test_optimal(mu, d, x, y, 0);
    }
}

static void test_distances_are_those_to_the_projections(void)
{
    slip_random rng = slip_random_seed(3);
    int k;

    for (k = 0; k < 5000; ++k) {
        const slip_real mu = cone_test_mu(&rng);
        slip_real x[3], y[3];

        cone_test_vector(&rng, x);
        slip_cone_project(mu, x, y);
        TEST_ASSERT_DOUBLE_WITHIN(tiny*(1 + slip_norm3(x)), slip_distance3(x, y), slip_cone_distance(mu, x));
        slip_cone_project_dual(mu, x, y);
        TEST_ASSERT_DOUBLE_WITHIN(tiny*(1 + slip_norm3(x)), slip_distance3(x, y), slip_cone_distance_dual(mu, x));
    }
}

static void test_an_output_may_be_the_input(void)
{
    slip_real x[3] = { 1, 2, SLIP_R(0.5) }, y[3], d[3] = { 1, 2, 3 };

    slip_cone_project(SLIP_R(0.5), x, y);
    slip_cone_project(SLIP_R(0.5), x, x);
    TEST_ASSERT_EQUAL_DOUBLE(0, slip_distance3(x, y));
    slip_set3(1, 2, SLIP_R(0.5), x);
    slip_cone_project_metric(SLIP_R(0.5), d, x, y);
    slip_cone_project_metric(SLIP_R(0.5), d, x, x);
    TEST_ASSERT_EQUAL_DOUBLE(0, slip_distance3(x, y));
}

/* The pyramid is spanned by its corners: y is the projection when y . (x - y) = 0 and no corner improves on it. */
static void test_the_pyramids_projection_is_optimal_over_its_corners(void)
{
    slip_random rng = slip_random_seed(5);
    int n, j;

    for (n = 0; n < 5000; ++n) {
        const int k = slip_random_int(&rng, 3, 16);
        const slip_real mu = slip_random_uniform(&rng, 0, 2);
        slip_real x[3], y[3], r[3];

        cone_test_vector(&rng, x);
        slip_pyramid_project(mu, k, x, y);
        slip_sub3(x, y, r);
        TEST_ASSERT_DOUBLE_WITHIN(tiny*(1 + slip_dot3(x, x)), 0, slip_dot3(y, r));
        TEST_ASSERT(y[2] >= 0);
        for (j = 0; j < k; ++j) {
            const slip_real facet = 2*SLIP_PI*(slip_real)j/(slip_real)k, corner = facet + SLIP_PI/(slip_real)k;
            const slip_real reach = mu/slip_cos(SLIP_PI/(slip_real)k);
            const slip_real e[3] = { reach*slip_cos(corner), reach*slip_sin(corner), 1 };

            TEST_ASSERT(slip_cos(facet)*y[0] + slip_sin(facet)*y[1] <= mu*y[2] + tiny*(1 + slip_norm3(x)));
            TEST_ASSERT(slip_dot3(r, e) <= tiny*(1 + slip_norm3(x))*(1 + reach));
        }
    }
}

static void test_with_more_facets_the_pyramid_becomes_the_cone(void)
{
    slip_random rng = slip_random_seed(6);
    int n;

    for (n = 0; n < 300; ++n) {
        const slip_real mu = slip_random_uniform(&rng, SLIP_R(0.1), 1);
        slip_real x[3], y[3], last = (slip_real)INFINITY;
        int k;

        cone_test_vector(&rng, x);
        slip_cone_project(mu, x, y);
        for (k = 8; k <= 512; k *= 8) {
            slip_real z[3], gap;

            slip_pyramid_project(mu, k, x, z);
            gap = slip_distance3(y, z);
            /* the section's radius exceeds the disc's by 1/cos(pi/k) - 1 < 6/k^2 at most; along the surface the
             * projection moves by about the square root of that */
            TEST_ASSERT(gap <= 6*slip_norm3(x)/(slip_real)k + tiny);
            TEST_ASSERT(gap <= last + SLIP_R(0.02)*slip_norm3(x) + tiny);
            last = gap;
        }
    }
}

static void test_four_facets_bound_each_tangent_alone(void)
{
    const slip_real inside[3] = { SLIP_R(0.9), SLIP_R(-0.9), 1 }, outside[3] = { SLIP_R(1.1), 0, 1 };

    TEST_ASSERT_EQUAL_DOUBLE(0, slip_pyramid_distance(1, 4, inside));
    TEST_ASSERT_DOUBLE_WITHIN(tiny, 0.1/sqrt(2.0), slip_pyramid_distance(1, 4, outside));
}

static void test_desaxce_adds_the_sliding_speed_to_the_normal(void)
{
    const slip_real v[3] = { 3, 4, -1 };
    slip_real s[3];

    slip_desaxce(SLIP_R(0.5), v, s);
    TEST_ASSERT_EQUAL_DOUBLE(3, s[0]);
    TEST_ASSERT_EQUAL_DOUBLE(4, s[1]);
    TEST_ASSERT_DOUBLE_WITHIN(tiny, 1.5, s[2]);
    slip_desaxce((slip_real)INFINITY, v, s);
    TEST_ASSERT_EQUAL_DOUBLE(-1, s[2]);
    slip_desaxce(0, v, s);
    TEST_ASSERT_EQUAL_DOUBLE(-1, s[2]);
}

static void test_horizontal_projection_keeps_the_normal_part(void)
{
    slip_real x[3] = { 3, 4, 2 }, y[3];

    slip_cone_project_horizontal(1, x, y);
    TEST_ASSERT_DOUBLE_WITHIN(tiny, 1.2, y[0]);
    TEST_ASSERT_DOUBLE_WITHIN(tiny, 1.6, y[1]);
    TEST_ASSERT_EQUAL_DOUBLE(2, y[2]);
    x[2] = -1;
    slip_cone_project_horizontal(1, x, y);
    TEST_ASSERT_EQUAL_DOUBLE(0, slip_norm3(y));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_projections_on_cone_and_dual_satisfy_their_optimality_conditions);
    RUN_TEST(test_projections_in_a_diagonal_metric_satisfy_theirs);
    RUN_TEST(test_distances_are_those_to_the_projections);
    RUN_TEST(test_an_output_may_be_the_input);
    RUN_TEST(test_the_pyramids_projection_is_optimal_over_its_corners);
    RUN_TEST(test_with_more_facets_the_pyramid_becomes_the_cone);
    RUN_TEST(test_four_facets_bound_each_tangent_alone);
    RUN_TEST(test_desaxce_adds_the_sliding_speed_to_the_normal);
    RUN_TEST(test_horizontal_projection_keeps_the_normal_part);
    return UNITY_END();
}
