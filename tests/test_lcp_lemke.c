/* lcp-lemke: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include <math.h>

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* The section of the pyramid is a polygon around the disc: with more facets the answer nears the cone's. */
static void test_more_facets_come_nearer_to_the_cone(void)
{
    static const int facets[] = { 4, 8, 16, 32 };
    const slip_solver *ncp = slip_solver_find("ncp-pgs");
    slip_random rng = slip_random_seed(31);
    double error[4] = { 0, 0, 0, 0 };
    int n, k, i;

    for (n = 0; n < 40; ++n) {
        aid_problem *a = aid_new(2, 0, 0);
        slip_solver_options o = slip_solver_defaults();
        slip_real x[6], cone[6], sigma[6];
        slip_solution sol;

        aid_random(&rng, 18, 1, a);
        o.tol = SLIP_TOL(1e-9, 1e-5);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(ncp->solve, ncp->bytes, &a->p, &o, 0, x, cone, &sol));
        for (k = 0; k < 4; ++k) {
            double worst = 0;

            o.facets = facets[k];
            TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0, x,
                                                     sigma, &sol));
            for (i = 0; i < 6; ++i) worst = fmax(worst, fabs((double)(sigma[i] - cone[i])));
            error[k] += worst/40;
        }
        aid_free(a);
    }
    TEST_ASSERT(error[0] > 1e-3);
    for (k = 1; k < 4; ++k) TEST_ASSERT(error[k] < error[k - 1]/2);
}

static void test_a_ray_of_pivots_is_bounded_and_honest(void)
{
    aid_problem *a = aid_load("../shared/problems/pinocchio/stack5_light_bottom.txt");
    slip_real x[60];
    slip_solution sol;
    slip_status status;

    if (!a) TEST_IGNORE_MESSAGE("skipped: ../shared/problems not present");
    status = aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, NULL, 0, x, NULL, &sol);
    TEST_ASSERT(sol.iterations <= 100 + 20*120);                  /* nc (k + 2) = 120 variables */
    TEST_ASSERT((status == SLIP_OK) == (sol.model.eps_abs <= SLIP_TOL(1e-6, 1e-4)) || status == SLIP_OK);
    TEST_ASSERT(slip_all_finite(x, 60));
    aid_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("lcp-lemke");
    RUN_TEST(battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    RUN_TEST(test_more_facets_come_nearer_to_the_cone);
    RUN_TEST(test_a_ray_of_pivots_is_bounded_and_honest);
    return UNITY_END();
}
