/* examples/my_solver.c runs as it is, and does what every solver must do. Jacobi's short steps are too slow for the
 * rest of the battery. */
#define main my_solver_main
#include "../examples/my_solver.c"
#undef main

#include "solver_battery.h"
#include "unity.h"

int my_solver_main(void);

void setUp(void) { battery_solver = &my_solver; }
void tearDown(void) { }

static void test_the_example_solves_its_problem(void) { TEST_ASSERT_EQUAL_INT(0, my_solver_main()); }

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_example_solves_its_problem);
    RUN_TEST(battery_no_contacts_is_a_valid_problem);
    RUN_TEST(battery_free_flight_needs_no_impulse);
    RUN_TEST(battery_bad_input_is_refused);
    RUN_TEST(battery_one_byte_short_is_an_error_that_changes_nothing);
    RUN_TEST(battery_random_problems_are_solved_by_the_models_own_criterion);
    RUN_TEST(battery_limits_and_bilateral_rows_are_solved);
    RUN_TEST(battery_compliance_is_part_of_the_problem);
    RUN_TEST(battery_a_warm_start_from_the_answer_is_the_answer);
    RUN_TEST(battery_with_infinite_friction_nothing_slips);
    RUN_TEST(battery_history_counts_upwards);
    RUN_TEST(battery_the_limit_returns_an_honest_iterate);
    RUN_TEST(battery_the_same_input_gives_the_same_bits);
    RUN_TEST(battery_all_forms_of_G_agree);
    return UNITY_END();
}
