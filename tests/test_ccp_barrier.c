/* ccp-barrier: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include "unity.h"
#include "solvers/barrier.h"
#include "slipstick.h"
#include "solvers/barrier.h"

#include <string.h>

void setUp(void) {}
void tearDown(void) {}

/* TO eq. 24: distances make R grow; the same numbers in R by hand give the same answer, bit for bit, and id-barrier
 * takes the answer's velocity back to it. */
static void test_distances_make_the_compliance_grow(void)
{
    static const slip_real far[4] = { SLIP_R(-0.01), SLIP_R(0.05), SLIP_R(0.2), SLIP_R(0.02) };
    slip_id_barrier_options inverse = slip_id_barrier_defaults();
    slip_solver_options o = slip_solver_defaults();
    slip_random rng = slip_random_seed(8);
    aid_problem *a = aid_new(3, 1, 0);
    slip_real by_distance[10], by_hand[10], velocity[10], back[10], work[20];
    slip_solution sol;
    int i;

    aid_random(&rng, 24, 1, a);
    o.tol = SLIP_TOL(1e-9, 1e-4);
    a->p.distance = far;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &a->p, &o, 0, by_distance, NULL,
                                             &sol));
    slip_problem_velocity(&a->p, by_distance, velocity);
    a->p.g = velocity;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_barrier(&a->p, &inverse, back, work, NULL));
    for (i = 0; i < 10; ++i)
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-2), (double)by_distance[i], (double)back[i]);
    a->p.g = a->g;
    a->p.distance = NULL;
    for (i = 0; i < 10; ++i)
        a->R[i] = slip_barrier_compliance(far[i < 9 ? i/3 : 3], SLIP_R(0.01), 100, SLIP_R(0.1));
    a->p.R = a->R;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &a->p, &o, 0, by_hand, NULL,
                                             &sol));
    TEST_ASSERT_EQUAL_INT(0, memcmp(by_hand, by_distance, sizeof by_hand));
    TEST_ASSERT(by_hand[2] > 5*by_hand[8]);                    /* touching pushes, twice d_max away hardly */
    aid_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ccp-barrier");
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    RUN_TEST(test_distances_make_the_compliance_grow);
    return UNITY_END();
}
