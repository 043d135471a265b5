/* ncp-gs: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include <stdlib.h>

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* Whole contacts cycle here; with half the relaxation they converge. */
static void test_sweeps_that_cycle_are_damped(void)
{
    aid_problem *a = aid_load("../shared/problems/fclib/OneObject-i100000-499.txt");
    slip_real *x;
    slip_solution sol;

    if (!a) TEST_IGNORE_MESSAGE("skipped: ../shared/problems not present");
    if (sizeof(slip_real) == 4) { aid_free(a);  TEST_IGNORE_MESSAGE("skipped: needs double precision"); }
    x = (slip_real *)malloc((size_t)a->p.n*sizeof *x);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, NULL, 0, x, NULL,
                                             &sol));
    TEST_ASSERT(sol.iterations < 2000);
    free(x);
    aid_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ncp-gs");
    RUN_TEST(battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(battery_single_contacts_agree_with_brute_force_to_1e_9);
    RUN_TEST(battery_a_stack_with_a_light_bottom_stalls_and_says_so);
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    RUN_TEST(test_sweeps_that_cycle_are_damped);
    return UNITY_END();
}
