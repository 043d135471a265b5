/* ncp-pgs: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* The papers' steps have the same fixed points; LL's 1/min only where the tangents are alike. */
static void test_all_steps_and_relaxations_reach_the_same_velocity(void)
{
    static const slip_step_rule rule[] =
        { SLIP_STEP_MAX, SLIP_STEP_BLOCK, SLIP_STEP_MAX, SLIP_STEP_MIN, SLIP_STEP_BLOCK };
    static const double relax[] = { 1, 1, 0.6, 1, 1.3 };          /* 0.6: HW Sec. V-C */
    aid_problem *a = aid_incline(2, SLIP_R(0.7), SLIP_R(0.5), SLIP_R(0.01));
    slip_solver_options o = slip_solver_defaults();
    slip_real x[12], sigma[12], first[12];
    slip_solution sol;
    int k, i;

    o.tol = SLIP_TOL(1e-9, 1e-5);
    for (k = 0; k < 5; ++k) {
        o.step = rule[k];
        o.relaxation = (slip_real)relax[k];
        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0, x, sigma,
                                                 &sol));
        for (i = 0; i < 12; ++i) {
            if (k == 0) first[i] = sigma[i];
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-7, 1e-3), (double)first[i], (double)sigma[i]);
        }
    }
    aid_free(a);
}

/* Infinite friction asks for tangents at rest (K* is the ray) of a contact that no normal impulse acts on, too; another
 * contact pushes. By any of the steps. */
static void test_with_infinite_friction_every_step_stops_the_tangents(void)
{
    static const slip_step_rule rule[] = { SLIP_STEP_MAX, SLIP_STEP_BLOCK, SLIP_STEP_MIN };
    aid_problem *a = aid_new(2, 0, 0);
    slip_solver_options o = slip_solver_defaults();
    slip_real x[6], sigma[6];
    slip_solution sol;
    int k, i;

    for (i = 0; i < 6; ++i) a->G[7*i] = 2;
    a->mu[0] = (slip_real)INFINITY;
    a->mu[1] = SLIP_R(0.5);
    a->g[0] = SLIP_R(0.5);
    a->g[1] = SLIP_R(-1.0);
    a->g[2] = 1;
    a->g[5] = SLIP_R(-1.0);
    for (k = 0; k < 3; ++k) {
        o.step = rule[k];
        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0, x, sigma,
                                                 &sol));
        for (i = 0; i < 2; ++i) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-4), 0, (double)sigma[i]);
    }
    aid_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ncp-pgs");
    RUN_TEST(battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(battery_a_stack_with_a_light_bottom_stalls_and_says_so);
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    RUN_TEST(test_all_steps_and_relaxations_reach_the_same_velocity);
    RUN_TEST(test_with_infinite_friction_every_step_stops_the_tangents);
    return UNITY_END();
}
