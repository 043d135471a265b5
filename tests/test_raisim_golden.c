/* raisim-golden: what every solver must do, and what this one claims. */
#include "solver_battery.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("raisim-golden");
    return UNITY_END();
}
