/* lcp-staggered: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include <math.h>
#include <stdio.h>

#include "unity.h"
#define INCLINE 3e-5       /* at 0.999 of the friction angle: eps_c/(0.001 mu lambda_n) lets so much slip pass */

void setUp(void) {}
void tearDown(void) {}

/* A cube on an incline: rests up to the friction angle, and beyond it slides off with g (sin a - mu cos a). */
static void test_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond(void)
{
    static const double over[] = { 0.9, 0.999, 1.001, 1.2, 2 };
    const double mu = 0.5, dt = 0.01;
    slip_solver_options o = slip_solver_defaults();
    int k, i;

    o.tol = SLIP_TOL(1e-9, 1e-5);
    for (k = 0; k < 5; ++k) {
        const double angle = atan(mu)*over[k], slides = dt*9.81*(sin(angle) - mu*cos(angle));
        aid_problem *a = aid_incline(3, (slip_real)angle, (slip_real)mu, (slip_real)dt);
        slip_real x[12], sigma[12];
        slip_solution sol;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0, x, sigma, &sol));
        for (i = 0; i < 4; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(INCLINE, 5e-3), slides > 0 ? slides : 0, (double)sigma[3*i]);
        aid_free(a);
    }
}

static void test_the_robots_of_the_shared_problems_are_solved(void)
{
    static const char *const name[] = { "solo12_stand", "solo12_limp", "solo12_push", "talos_limp", "talos_push" };
    slip_solver_options o = slip_solver_defaults();
    char path[96];
    int k;

    o.barrier = SLIP_R(1e-3);
    for (k = 0; k < 5; ++k) {
        slip_real x[24];
        slip_solution sol;
        aid_problem *a;

        sprintf(path, "../shared/problems/pinocchio/%s.txt", name[k]);
        a = aid_load(path);
        if (!a) TEST_IGNORE_MESSAGE("skipped: ../shared/problems not present");
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0, x, NULL,
                                                         &sol), name[k]);
        TEST_ASSERT_MESSAGE(battery_excess(&a->p, &o, x) <= 1, name[k]);
        aid_free(a);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("lcp-staggered");
    RUN_TEST(test_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(test_the_robots_of_the_shared_problems_are_solved);
    return UNITY_END();
}
