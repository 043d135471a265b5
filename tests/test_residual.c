/* The judge, judged by cases that can be worked out by hand. */
#include "unity.h"
#include "contact_aid.h"
#include "slipstick_parts.h"

#include <stdlib.h>

void setUp(void) {}
void tearDown(void) {}

static const double close_to = (double)SLIP_TOL(1e-12, 1e-5);

/* One contact of unit mass without coupling: sigma = lambda + g. */
static aid_problem *residual_unit(slip_real mu, slip_real g0, slip_real g1, slip_real g2)
{
    aid_problem *a = aid_new(1, 0, 0);

    a->G[0] = a->G[4] = a->G[8] = 1;
    a->mu[0] = mu;
    slip_set3(g0, g1, g2, a->g);
    return a;
}

static void residual_state(slip_real mu, const slip_real g[3], const slip_real lambda[3], slip_contact_state state)
{
    aid_problem *a = residual_unit(mu, g[0], g[1], g[2]);
    slip_real sigma[3];
    slip_residual r;
    slip_contact_criteria c;

    slip_residual_of(&a->p, lambda, sigma, &r);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0, r.eps_abs);
    slip_contact_judge(&a->p, 0, lambda, sigma, 0, 0, &c);
    TEST_ASSERT_EQUAL_STRING(slip_contact_state_name(state), slip_contact_state_name(c.state));
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0, c.signorini_power);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0, c.signorini_approach);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0, c.coulomb);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0, c.mdp_power);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-7, 1e-3), 0, c.mdp_angle);
    aid_free(a);
}

static void test_sticking_sliding_and_open_contacts_are_solutions(void)
{
    const slip_real stick_g[3] = { SLIP_R(0.1), SLIP_R(-0.2), -1 }, stick_l[3] = { SLIP_R(-0.1), SLIP_R(0.2), 1 };
    const slip_real slide_g[3] = { 3, 4, -1 }, slide_l[3] = { SLIP_R(-0.3), SLIP_R(-0.4), 1 };
    const slip_real open_g[3] = { 1, 2, 3 }, open_l[3] = { 0, 0, 0 };

    residual_state(SLIP_R(0.5), stick_g, stick_l, SLIP_CONTACT_STICK);
    residual_state(SLIP_R(0.5), slide_g, slide_l, SLIP_CONTACT_SLIP);
    residual_state(SLIP_R(0.5), open_g, open_l, SLIP_CONTACT_OPEN);
}

static void test_each_violation_is_measured_by_its_own_criterion(void)
{
    aid_problem *a = residual_unit(SLIP_R(0.5), 3, 4, -1);
    slip_real sigma[3];
    slip_residual r;
    slip_contact_criteria c;
    const slip_real outside[3] = { SLIP_R(-0.6), SLIP_R(-0.8), 1 };    /* friction 1 where 0.5 is allowed */
    const slip_real weak[3] = { SLIP_R(-0.3), SLIP_R(-0.4), SLIP_R(0.5) };   /* too little normal impulse */
    const slip_real turned[3] = { SLIP_R(-0.4), SLIP_R(-0.3), 1 };     /* friction in the wrong direction */

    slip_residual_of(&a->p, outside, sigma, &r);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0.5/sqrt(1.25), r.eps_primal);
    slip_contact_judge(&a->p, 0, outside, sigma, 0, 0, &c);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0.5, c.coulomb);
    slip_contact_judge(&a->p, 0, weak, (slip_problem_sigma(&a->p, weak, sigma), sigma), 0, 0, &c);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0.5, c.signorini_approach);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0.25, c.signorini_power);
    slip_contact_judge(&a->p, 0, turned, (slip_problem_sigma(&a->p, turned, sigma), sigma), 0, 0, &c);
    /* sigma_T = (2.6, 3.7): angle between (0.4, 0.3) and it; power mu l_n |s| + l_T . s */
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, atan2(3.7, 2.6) - atan2(0.3, 0.4), c.mdp_angle);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.5*sqrt(2.6*2.6 + 3.7*3.7) - (0.4*2.6 + 0.3*3.7), c.mdp_power);
    aid_free(a);
}

/* Limits and bilateral rows. */
static void test_scalar_rows_have_criteria_of_their_own(void)
{
    aid_problem *a = aid_new(0, 1, 1);
    slip_real lambda[2] = { -1, 2 }, sigma[2];
    slip_residual r;

    a->G[0] = a->G[3] = 1;
    a->g[0] = -1;
    a->g[1] = SLIP_R(-1.5);
    slip_residual_of(&a->p, lambda, sigma, &r);               /* sigma = (-2, 0.5) */
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 1, r.eps_primal);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 2, r.eps_dual);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 2, r.eps_comp);
    lambda[0] = 1;
    lambda[1] = SLIP_R(1.5);
    slip_residual_of(&a->p, lambda, sigma, &r);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0, r.eps_abs);
    aid_free(a);
}

/* The CCP's solution of a sliding contact: in its own residual, not in the NCP's. */
static void test_a_model_is_judged_by_its_own_law(void)
{
    aid_problem *a = residual_unit(SLIP_R(0.5), 3, 4, -1);
    slip_real x[3], sigma[3];
    slip_residual r;

    slip_neg3(a->g, x);
    slip_cone_project(a->mu[0], x, x);                        /* G = I: the CCP is a projection */
    slip_problem_sigma(&a->p, x, sigma);
    slip_residual_at(&a->p, SLIP_MODEL_CCP, 4, x, sigma, &r);
    TEST_ASSERT_DOUBLE_WITHIN(10*close_to, 0, r.eps_abs);
    slip_residual_at(&a->p, SLIP_MODEL_NCP, 4, x, sigma, &r);
    TEST_ASSERT(r.eps_abs > SLIP_R(0.1));
    aid_free(a);
}

/* With friction along an axis the pyramid's solution is the cone's; along the diagonal it has sqrt(2) more. */
static void test_the_pyramid_is_judged_along_its_corners(void)
{
    aid_problem *a = residual_unit(SLIP_R(0.5), 4, 4, -1);
    const slip_real lambda[3] = { SLIP_R(-0.5), SLIP_R(-0.5), 1 };
    slip_real sigma[3];
    slip_residual r;

    slip_problem_sigma(&a->p, lambda, sigma);
    slip_residual_at(&a->p, SLIP_MODEL_LCP, 4, lambda, sigma, &r);
    TEST_ASSERT_DOUBLE_WITHIN(10*close_to, 0, r.eps_abs);
    slip_residual_at(&a->p, SLIP_MODEL_NCP, 4, lambda, sigma, &r);
    TEST_ASSERT(r.eps_primal > SLIP_R(0.1));
    aid_free(a);
}

static void test_a_nan_is_infinitely_wrong(void)
{
    aid_problem *a = residual_unit(SLIP_R(0.5), 0, 0, -1);
    slip_real lambda[3] = { 0, (slip_real)NAN, 1 }, sigma[3];
    slip_residual r;

    slip_residual_of(&a->p, lambda, sigma, &r);
    TEST_ASSERT(!slip_is_finite(r.eps_abs) && !slip_is_finite(r.eps_primal));
    TEST_ASSERT(slip_residual_excess(&r, 1, SLIP_TOL_ABSOLUTE) > 1);
    aid_free(a);
}

static void test_the_tolerance_rules(void)
{
    slip_residual r;

    r.eps_primal = 0;
    r.eps_dual = SLIP_R(1e-3);
    r.eps_comp = 0;
    r.lambda_max = 1;
    r.sigma_max = 10;
    r.g_max = 10;
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 1, slip_residual_excess(&r, SLIP_R(1e-3), SLIP_TOL_ABSOLUTE));
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 1, slip_residual_excess(&r, SLIP_R(1e-3), SLIP_TOL_AUTO));
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1.0005e-3), SLIP_TOL_AUTO) > 1);          /* room for other judges */
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1.002e-3), SLIP_TOL_AUTO) <= 1);
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.1, slip_residual_excess(&r, SLIP_R(1e-3), SLIP_TOL_RELATIVE));
    r.lambda_max = SLIP_R(1e5);                               /* unusual impulses: AUTO is relative */
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.1, slip_residual_excess(&r, SLIP_R(1e-3), SLIP_TOL_AUTO));
    r.lambda_max = 0;                                         /* doing nothing about an approach of 3e-7 m/s */
    r.eps_dual = r.sigma_max = r.g_max = SLIP_R(3e-7);
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-6), SLIP_TOL_ABSOLUTE) <= 1);
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-6), SLIP_TOL_AUTO) > 1);
    r.lambda_max = SLIP_R(1e-3);
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-6), SLIP_TOL_AUTO) > 1);
}

/* BOTH: relative, and absolute up to impulses of 1e5 N s; beyond, the absolute part grows with them. */
static void test_both_is_the_stricter_of_relative_and_absolute(void)
{
    static const slip_real sizes[] = { 0, SLIP_R(1e-6), SLIP_R(1e-2), 1, SLIP_R(1e3), SLIP_R(9e4), SLIP_R(1.1e5),
                                       SLIP_R(1e7) };
    const slip_real tol = SLIP_R(1e-4);
    slip_random rng = slip_random_seed(9);
    int k, i;

    for (k = 0; k < 400; ++k)
        for (i = 0; i < 8; ++i) {
            slip_residual r = { 0 };
            slip_real a, b, both, grown;

            r.lambda_max = sizes[i];
            r.g_max = slip_exp(2*slip_random_normal(&rng));
            r.sigma_max = r.g_max*slip_random_uniform(&rng, 0, 20);
            r.eps_primal = tol*slip_exp(3*slip_random_normal(&rng));
            r.eps_dual = tol*slip_exp(3*slip_random_normal(&rng));
            r.eps_comp = tol*slip_exp(3*slip_random_normal(&rng));
            grown = slip_max(1, r.lambda_max/SLIP_R(1e5));
            a = slip_residual_excess(&r, tol, SLIP_TOL_ABSOLUTE)/grown;
            b = slip_residual_excess(&r, tol, SLIP_TOL_RELATIVE);
            both = slip_residual_excess(&r, tol, SLIP_TOL_BOTH);
            if (!slip_is_finite(b)) { TEST_ASSERT(!slip_is_finite(both));  continue; }       /* an error of nothing */
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5)*(double)slip_max(a, b), slip_max(a, b), both);
        }
}

/* Each half of it, by hand: all errors zero but one. */
static void test_both_by_hand(void)
{
    slip_residual r = { 0 };

    r.lambda_max = 100;
    r.sigma_max = r.g_max = SLIP_R(0.01);
    r.eps_primal = SLIP_R(2e-3);                              /* relative: 2e-5 of the impulse; absolute: 2e-3 */
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-4), SLIP_TOL_RELATIVE) < 1);
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-4), SLIP_TOL_BOTH) > 1);
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(2.1e-3), SLIP_TOL_BOTH) <= 1);
    r.eps_primal = 0;
    r.eps_dual = SLIP_R(5e-5);                                /* absolute: 5e-5; relative: 5e-3 of the speed */
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-4), SLIP_TOL_ABSOLUTE) < 1);
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-4), SLIP_TOL_BOTH) > 1);
    r.lambda_max = SLIP_R(1e7);                               /* a hundred times 1e5: so are the errors that pass */
    r.sigma_max = r.g_max = 1;
    r.eps_dual = 0;
    r.eps_primal = SLIP_R(9e-3);
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-4), SLIP_TOL_ABSOLUTE) > 1);
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-4), SLIP_TOL_BOTH) <= 1);
    r.eps_primal = SLIP_R(1.1e-2);
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-4), SLIP_TOL_BOTH) > 1);
    r.eps_primal = (slip_real)INFINITY;
    TEST_ASSERT(slip_residual_excess(&r, SLIP_R(1e-4), SLIP_TOL_BOTH) > 1);
}

/* Two contacts that squeeze a point mass from opposite sides along t1: pulling both ways moves nothing. */
static void test_internal_forces_are_what_moves_nothing(void)
{
    aid_problem *a = aid_new(2, 0, 0);
    slip_real lambda[6] = { 5, 1, 2, -3, 1, 2 }, sigma[6];
    slip_physics f;
    void *memory = malloc(1 << 16);
    slip_arena mem = slip_arena_over(memory, 1 << 16);
    int i, j, k;

    for (i = 0; i < 2; ++i) for (j = 0; j < 2; ++j) for (k = 0; k < 3; ++k) a->G[(3*i + k)*6 + 3*j + k] = 1;
    a->mu[0] = a->mu[1] = 1;
    /* null space: (x, -x); lambda's part: t1 (4, -4), others 0 */
    slip_physics_of(&a->p, lambda, sigma, &mem, &f);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-2), sqrt(32.0), f.internal);
    slip_physics_of(&a->p, lambda, sigma, NULL, &f);
    TEST_ASSERT_EQUAL_DOUBLE(-1, f.internal);
    free(memory);
    aid_free(a);
}

/* A foot of a trotting quadruped that leaves the ground while it slides, mu |G_TN| = 1.39 G_NN: RaiSim's law has no
 * more to say of it than that it opens. Half a millimetre a second into the ground is a violation of as much. */
static void test_raisims_open_contact_is_a_solution_whatever_the_coupling(void)
{
    static const double G[9] = { 3.87, 0.1841, -1.773, 0.1841, 1.7644, 0.3158, -1.773, 0.3158, 1.0356 };
    const slip_real lambda[3] = { 0, 0, 0 };
    slip_real sigma[3] = { SLIP_R(-0.0603), SLIP_R(-0.0608), SLIP_R(4.2e-5) };
    aid_problem *a = residual_unit(SLIP_R(0.8), sigma[0], sigma[1], sigma[2]);
    slip_residual r;
    int i;

    for (i = 0; i < 9; ++i) a->G[i] = (slip_real)G[i];
    slip_residual_at(&a->p, SLIP_MODEL_RAISIM, 0, lambda, sigma, &r);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 0, r.eps_abs);
    sigma[2] = SLIP_R(-5e-4);
    slip_residual_at(&a->p, SLIP_MODEL_RAISIM, 0, lambda, sigma, &r);
    TEST_ASSERT_DOUBLE_WITHIN(close_to, 5e-4, r.eps_dual);
    aid_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_sticking_sliding_and_open_contacts_are_solutions);
    RUN_TEST(test_each_violation_is_measured_by_its_own_criterion);
    RUN_TEST(test_scalar_rows_have_criteria_of_their_own);
    RUN_TEST(test_a_model_is_judged_by_its_own_law);
    RUN_TEST(test_the_pyramid_is_judged_along_its_corners);
    RUN_TEST(test_a_nan_is_infinitely_wrong);
    RUN_TEST(test_the_tolerance_rules);
    RUN_TEST(test_both_is_the_stricter_of_relative_and_absolute);
    RUN_TEST(test_both_by_hand);
    RUN_TEST(test_internal_forces_are_what_moves_nothing);
    RUN_TEST(test_raisims_open_contact_is_a_solution_whatever_the_coupling);
    return UNITY_END();
}
