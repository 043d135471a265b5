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

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ccp-pgs");
    RUN_TEST(battery_single_contacts_agree_with_brute_force_to_1e_9);
    RUN_TEST(battery_a_stack_with_a_light_bottom_stalls_and_says_so);
    RUN_TEST(test_a_sliding_contact_leaves_the_ground);
    return UNITY_END();
}
