/* lcp-pgs: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("lcp-pgs");
    RUN_TEST(battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(battery_a_stack_with_a_light_bottom_stalls_and_says_so);
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    return UNITY_END();
}
