/* ccp-barrier: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ccp-barrier");
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    return UNITY_END();
}
