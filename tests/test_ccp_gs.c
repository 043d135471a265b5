/* ccp-gs: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ccp-gs");
    RUN_TEST(battery_single_contacts_agree_with_brute_force_to_1e_9);
    RUN_TEST(battery_a_stack_with_a_light_bottom_stalls_and_says_so);
    return UNITY_END();
}
