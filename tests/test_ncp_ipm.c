/* ncp-ipm: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ncp-ipm");
    battery_singles = (int)SLIP_TOL(100000, 20000);
    battery_rare = 1;                            /* one between two near-solutions, see docs/solvers/ncp-ipm.md */
    RUN_TEST(battery_single_contacts_agree_with_brute_force_to_1e_9);
    RUN_TEST(battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    return UNITY_END();
}
