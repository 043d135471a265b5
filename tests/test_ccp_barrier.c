/* ccp-barrier: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include <stdio.h>

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

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
    RUN_BATTERY("ccp-barrier");
    RUN_TEST(test_the_robots_of_the_shared_problems_are_solved);
    return UNITY_END();
}
