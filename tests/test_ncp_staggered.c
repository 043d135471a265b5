/* ncp-staggered: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ncp-staggered");
    battery_singles = 100000;
    battery_rare = 450;                          /* 441 strongly coupled ones, see docs/solvers/ncp-staggered.md */
    RUN_TEST(battery_single_contacts_agree_with_brute_force_to_1e_9);
    RUN_TEST(battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    return UNITY_END();
}
