/* ccp-pgs: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* LL eq. 18: where the CCP slides it also lifts, sigma_n = mu |sigma_T|. */
static void test_a_sliding_contact_leaves_the_ground(void)
{
    const slip_real G[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, g[3] = { 1, 0, SLIP_R(-0.2) }, mu = SLIP_R(0.5);
    slip_problem p = slip_problem_dense(1, &mu, g, G, 3);
    slip_real x[3], sigma[3];
    slip_solution sol;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(battery_solver->solve, battery_solver->bytes, &p, NULL, 0, x, sigma,
                                             &sol));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-5, 1e-3), 0.5*(double)slip_norm2(sigma), (double)sigma[2]);
    TEST_ASSERT(sigma[2] > SLIP_R(0.1));
}

/* 3/trace(G_ii) is 3/lambda_max for a contact that can move in one direction only, beyond the 2/lambda_max within which
 * a gradient step contracts: LL's step jumps to and fro, the shorter one converges. */
static void test_the_printed_step_cycles_on_a_contact_locked_sideways_and_the_shorter_one_does_not(void)
{
    const slip_real G[9] = { 0, 0, 0, 0, 0, 0, 0, 0, 2 }, g[3] = { 0, 0, -1 }, mu = SLIP_R(0.5);
    slip_problem p = slip_problem_dense(1, &mu, g, G, 3);
    slip_solver_options o = slip_solver_defaults();
    slip_real x[3];
    slip_solution sol;

    TEST_ASSERT_EQUAL_INT(SLIP_STALLED, aid_solve(battery_solver->solve, battery_solver->bytes, &p, &o, 0, x, NULL,
                                                  &sol));
    o.step = SLIP_STEP_BLOCK;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(battery_solver->solve, battery_solver->bytes, &p, &o, 0, x, NULL, &sol));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-5, 1e-3), 0.5, (double)x[2]);
}

/* The battery runs with the step that always descends, and once more, where contacts are not locked, as printed. */
int main(void)
{
    UNITY_BEGIN();
    battery_step = SLIP_STEP_BLOCK;
    RUN_BATTERY("ccp-pgs");
    battery_step = SLIP_STEP_MAX;
    RUN_TEST(battery_random_problems_are_solved_by_the_models_own_criterion);
    RUN_TEST(battery_limits_and_bilateral_rows_are_solved);
    RUN_TEST(battery_compliance_is_part_of_the_problem);
    RUN_TEST(battery_redundant_contacts_are_solved);
    RUN_TEST(test_the_printed_step_cycles_on_a_contact_locked_sideways_and_the_shorter_one_does_not);
    RUN_TEST(battery_a_stack_with_a_light_bottom_stalls_and_says_so);
    RUN_TEST(test_a_sliding_contact_leaves_the_ground);
    return UNITY_END();
}
