/* ncp-newton and the default solver: what every solver must do, and what these two claim. */
#include "solver_battery.h"
#include "unity.h"
#include "slipstick_parts.h"

#include <stdlib.h>

void setUp(void) {}
void tearDown(void) {}

static slip_status solve_by_ncp_newton(const slip_problem *p, const slip_solver_options *opt, slip_real *lambda,
                               slip_real *sigma, slip_solution *sol)
{
    return aid_solve(slip_ncp_newton, slip_ncp_newton_bytes, p, opt, 0, lambda, sigma, sol);
}

static slip_status solve_by_ncp_admm(const slip_problem *p, const slip_solver_options *opt, slip_real *lambda,
                               slip_real *sigma, slip_solution *sol)
{
    return aid_solve(slip_ncp_admm, slip_solver_ncp_admm.bytes, p, opt, 0, lambda, sigma, sol);
}

/* 10^4 random single contacts against a brute-force search over directions that knows nothing of Newton. */
static void newton_single_contacts(slip_solve_function *solve, slip_bytes_function *bytes, int cases)
{
    slip_random rng = slip_random_seed(77);
    aid_problem *a = aid_new(1, 0, 0);
    slip_solver_options opt = slip_solver_defaults();
    double worst = 0;
    int k;

    opt.tol = SLIP_TOL(1e-13, 1e-5);
    opt.tol_rule = SLIP_TOL_RELATIVE;
    for (k = 0; k < cases; ++k) {
        slip_real lambda[3];
        slip_solution sol;
        double d;

        aid_random_block(&rng, SLIP_R(0.2), 5, a->G);
        a->mu[0] = slip_random_uniform(&rng, SLIP_R(0.05), 1);
        a->g[0] = slip_random_normal(&rng);
        a->g[1] = slip_random_normal(&rng);
        a->g[2] = slip_random_normal(&rng);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(solve, bytes, &a->p, &opt, 0, lambda, NULL, &sol));
        d = aid_brute_distance(a->G, a->g, a->mu[0], 0, lambda);
        /* relative to |lambda| or to what g would ask for, whichever is larger: a grazing contact has next to none */
        if (slip_norm3(lambda) < slip_norm3(a->g)) d *= slip_norm3(lambda)/slip_norm3(a->g);
        if (d > worst) worst = d;
    }
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-9, 1e-2), 0, worst, "distance to the brute-force answer");
    aid_free(a);
}

static void test_newton_agrees_with_brute_force_on_single_contacts(void)
{
    newton_single_contacts(slip_ncp_newton, slip_ncp_newton_bytes, 3000);
}

static void test_default_agrees_with_brute_force_on_single_contacts(void)
{
    newton_single_contacts(slip_default, slip_default_bytes, 3000);
}

/* Below, at and above the friction angle: sticks, or slides down with the textbook acceleration. */
static void test_a_box_on_an_incline_knows_the_friction_angle(void)
{
    const slip_real mu = SLIP_R(0.5), dt = SLIP_R(0.01), gravity = SLIP_R(9.81), critical = slip_atan2(mu, 1);
    const slip_real angles[3] = { critical*SLIP_R(0.99), critical, critical*SLIP_R(1.01) };
    int k;

    for (k = 0; k < 3; ++k) {
        aid_problem *a = aid_incline(3, angles[k], mu, dt);
        const slip_real slide = dt*gravity*(slip_sin(angles[k]) - mu*slip_cos(angles[k]));
        slip_solver_options opt = slip_solver_defaults();
        slip_real lambda[12], sigma[12], total = 0;
        slip_solution sol;
        int i;

        opt.tol = SLIP_TOL(1e-10, 1e-5);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, solve_by_ncp_newton(&a->p, &opt, lambda, sigma, &sol));
        for (i = 0; i < 4; ++i) {
            TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-9, 1e-4), slide > 0 ? slide : 0, sigma[3*i]);
            TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-9, 1e-4), 0, sigma[3*i + 2]);
            total += lambda[3*i + 2];
        }
        TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-8, 1e-3), 3*gravity*slip_cos(angles[k])*dt, total);
        aid_free(a);
    }
}

/* Newton converges fast: a 6-contact problem with sliding takes few steps, and another digit costs one more. */
static void test_from_1e_6_to_1e_10_takes_few_more_steps(void)
{
    slip_random rng = slip_random_seed(3);
    int k, worse = 0;

    for (k = 0; k < 50; ++k) {
        aid_problem *a = aid_new(6, 0, 0);
        slip_solver_options opt = slip_solver_defaults();
        slip_real lambda[18];
        slip_solution sol;
        int i, coarse;

        for (i = 0; i < 6; ++i) a->mu[i] = SLIP_R(0.4);
        aid_random(&rng, 18, 1, a);
        opt.tol = SLIP_TOL(1e-6, 1e-3);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, solve_by_ncp_newton(&a->p, &opt, lambda, NULL, &sol));
        coarse = sol.iterations;
        opt.tol = SLIP_TOL(1e-10, 1e-4);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, solve_by_ncp_newton(&a->p, &opt, lambda, NULL, &sol));
        worse += sol.iterations > coarse + 2;
        aid_free(a);
    }
    TEST_ASSERT_MESSAGE(worse <= 2, "more than two extra steps in more than 2 of 50 problems");
}

/* NCP solvers agree in velocity where G is definite. */
static void test_newton_and_admm_agree_in_velocity(void)
{
    slip_random rng = slip_random_seed(8);
    int k, i;

    for (k = 0; k < 40; ++k) {
        aid_problem *a = aid_new(4, 2, 1);
        slip_solver_options opt = slip_solver_defaults();
        slip_real lambda[15], s1[15], s2[15];
        slip_solution sol;

        for (i = 0; i < 4; ++i) a->mu[i] = slip_random_uniform(&rng, SLIP_R(0.1), SLIP_R(0.5));
        aid_random(&rng, 30, 1, a);
        opt.tol = SLIP_TOL(1e-10, 1e-5);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, solve_by_ncp_newton(&a->p, &opt, lambda, s1, &sol));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, solve_by_ncp_admm(&a->p, &opt, lambda, s2, &sol));
        for (i = 0; i < 15; ++i) TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-7, 1e-2), s1[i], s2[i]);
        aid_free(a);
    }
}

/* Its sweeps need less memory than the rest: with half of it it does what it can, with a tenth it refuses. */
static void test_default_with_too_little_memory_sweeps_or_refuses_and_changes_nothing(void)
{
    slip_random rng = slip_random_seed(12);
    int k, i, refused = 0, solved = 0;

    for (k = 0; k < 40; ++k) {
        aid_problem *a = aid_new(8, 0, 0);
        slip_solver_options opt = slip_solver_defaults();
        slip_real lambda[24];
        slip_solution sol = slip_solution_over(lambda, NULL, NULL);
        slip_status status;
        slip_arena mem;
        size_t bytes;
        void *memory;

        for (i = 0; i < 8; ++i) a->mu[i] = SLIP_R(0.5);
        aid_random(&rng, 10, 1, a);
        opt.tol = SLIP_TOL(1e-9, 1e-5);
        for (i = 0; i < 24; ++i) lambda[i] = 7;
        bytes = slip_default_bytes(&a->p, &opt)/(k < 20 ? 2 : 10);
        memory = malloc(bytes);
        mem = slip_arena_over(memory, bytes);
        status = slip_default(&a->p, &opt, &sol, &mem);
        TEST_ASSERT(k < 20 ? status >= SLIP_OK : status == SLIP_ERR_WORKSPACE);
        solved += status == SLIP_OK;
        if (status == SLIP_ERR_WORKSPACE) {
            ++refused;
            for (i = 0; i < 24; ++i) TEST_ASSERT_EQUAL_DOUBLE(7, lambda[i]);
        }
        TEST_ASSERT_EQUAL_INT(0, (int)slip_arena_mark(&mem));
        free(memory);
        aid_free(a);
    }
    TEST_ASSERT(refused > 0 && solved > 0);
}

static void test_every_engine_has_a_solver(void)
{
    static const char *engines[] = { "ode", "bullet", "physx", "dart", "mujoco", "drake", "raisim", "dojo", "simple",
                                     "chrono", "scs" };
    int k;

    for (k = 0; k < 11; ++k) {
        slip_solver_options opt = slip_solver_defaults();

        TEST_ASSERT_NOT_NULL(slip_solver_like(engines[k], &opt));
        TEST_ASSERT(opt.max_iterations > 0);
    }
    TEST_ASSERT_NULL(slip_solver_like("quake", NULL));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ncp-newton");
    battery_singles = (int)SLIP_TOL(100000, 10000);
    battery_rare = 30;                           /* 27 strongly coupled ones that it gives up on, and says so */
    RUN_TEST(battery_single_contacts_agree_with_brute_force_to_1e_9);
    battery_rare = 0;
    RUN_TEST(battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    battery_solver = slip_solver_find("default");        /* all but the test of a workspace one byte short: */
    RUN_TEST(battery_no_contacts_is_a_valid_problem);
    RUN_TEST(battery_free_flight_needs_no_impulse);
    RUN_TEST(battery_bad_input_is_refused);
    RUN_TEST(test_default_with_too_little_memory_sweeps_or_refuses_and_changes_nothing);
    RUN_TEST(battery_random_problems_are_solved_by_the_models_own_criterion);
    RUN_TEST(battery_limits_and_bilateral_rows_are_solved);
    RUN_TEST(battery_compliance_is_part_of_the_problem);
    RUN_TEST(battery_scale_does_not_matter);
    RUN_TEST(battery_a_warm_start_from_the_answer_is_the_answer);
    RUN_TEST(battery_redundant_contacts_are_solved);
    RUN_TEST(battery_without_friction_there_is_no_tangential_impulse);
    RUN_TEST(battery_with_infinite_friction_nothing_slips);
    RUN_TEST(battery_history_counts_upwards);
    RUN_TEST(battery_the_limit_returns_an_honest_iterate);
    RUN_TEST(battery_the_same_input_gives_the_same_bits);
    RUN_TEST(battery_all_forms_of_G_agree);
    RUN_TEST(battery_G_counts_as_given_when_slightly_asymmetric);
    battery_solver = slip_solver_find("default");
    RUN_TEST(battery_single_contacts_agree_with_brute_force_to_1e_9);
    RUN_TEST(test_newton_agrees_with_brute_force_on_single_contacts);
    RUN_TEST(test_default_agrees_with_brute_force_on_single_contacts);
    RUN_TEST(test_a_box_on_an_incline_knows_the_friction_angle);
    RUN_TEST(test_from_1e_6_to_1e_10_takes_few_more_steps);
    RUN_TEST(test_newton_and_admm_agree_in_velocity);
    RUN_TEST(test_every_engine_has_a_solver);
    return UNITY_END();
}
