/* ncp-staggered: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include <math.h>
#include <stdio.h>

#include "unity.h"

enum { SINGLES = 20000, RAISIM = 0, RARE = 10 }; /* RARE: strongly coupled ones, see docs */
#define INCLINE 3e-5       /* at 0.999 of the friction angle: eps_c/(0.001 mu lambda_n) lets so much slip pass */

void setUp(void) {}
void tearDown(void) {}

/* One contact, all others held: sticks, slides or opens, with any coupling. The answer must be one of those that a scan of
 * all directions finds; errors count against the impulse that g alone asks for. */
static void test_single_contacts_agree_with_brute_force_to_1e_9(void)
{
    slip_random rng = slip_random_seed(21);
    slip_solver_options o = slip_solver_defaults();
    int k, i, cases[3] = { 0, 0, 0 }, unsolved = 0;

    o.tol = SLIP_TOL(1e-12, 1e-5);
    o.tol_rule = SLIP_TOL_RELATIVE;
    for (k = 0; k < SINGLES; ++k) {
        slip_real G[9], g[3], x[3], sigma[3], mu = slip_random_uniform(&rng, 0, SLIP_R(1.5));
        slip_problem p = slip_problem_dense(1, &mu, g, G, 3);
        slip_solution sol;
        double size, error;

        aid_random_block(&rng, SLIP_R(0.1), 10, G);
        for (i = 0; i < 3; ++i) g[i] = slip_random_normal(&rng);
        if (aid_solve(battery_solver->solve, battery_solver->bytes, &p, &o, 0, x, sigma, &sol) != SLIP_OK) { ++unsolved;  continue; }
        size = sqrt((double)slip_dot3(x, x));
        error = aid_brute_distance(G, g, mu, RAISIM, x)*size;
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-2)*(size + sqrt((double)slip_dot3(g, g))/10), 0, error);
        cases[x[2] <= 0 ? 0 : slip_norm3(sigma) < SLIP_TOL(1e-9, 1e-3) ? 1 : 2]++;
    }
    TEST_ASSERT_MESSAGE(unsolved <= SLIP_TOL(RARE, RARE + SINGLES/200), "cases it gave up on");
    TEST_ASSERT_MESSAGE(cases[0] > SINGLES/10 && cases[1] > SINGLES/20 && cases[2] > SINGLES/10, "open, stick and slide");
}

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
    RUN_BATTERY("ncp-staggered");
    RUN_TEST(test_single_contacts_agree_with_brute_force_to_1e_9);
    RUN_TEST(test_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(test_the_robots_of_the_shared_problems_are_solved);
    return UNITY_END();
}
