/* lcp-staggered: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* Work is bounded by n^2 times Newton steps whatever the limit on rounds, see staggered.c: 60 contacts that it cannot
 * do end within a second, as not converged. */
static void test_the_bound_on_work_ends_a_hopeless_search(void)
{
    aid_problem *a = aid_load("../shared/problems/fclib/LMGC_100_PR_PerioBox-i00361-60-03000.txt");
    slip_solver_options o = slip_solver_defaults();
    slip_real lambda[180];
    slip_solution sol;

    if (!a) TEST_IGNORE_MESSAGE("skipped: ../shared/problems not present");
    o.max_iterations = 1000000;
    o.tol = SLIP_TOL(1e-6, 1e-7);                        /* below the rounding of float; at 1e-4 it is solved */
    TEST_ASSERT_EQUAL_INT(SLIP_MAX_ITERS, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0, lambda,
                                                    NULL, &sol));
    TEST_ASSERT(sol.iterations < 10000 && slip_all_finite(lambda, 180));
    aid_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("lcp-staggered");
    RUN_TEST(battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    RUN_TEST(test_the_bound_on_work_ends_a_hopeless_search);
    return UNITY_END();
}
