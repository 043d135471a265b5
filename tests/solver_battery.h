/* What every solver must be able to do, written once. A test program sets battery_solver and runs RUN_BATTERY(). */
#ifndef SOLVER_BATTERY_H
#define SOLVER_BATTERY_H

#include <stdio.h>
#include "contact_aid.h"

extern const slip_solver *battery_solver;
extern slip_step_rule battery_step;         /* SLIP_STEP_MAX */

/* The residual of the solver's own model, computed afresh from lambda: excess over opt's tolerance, <= 1 if solved. */
slip_real battery_excess(const slip_problem *p, const slip_solver_options *opt, const slip_real *lambda);

void battery_no_contacts_is_a_valid_problem(void);
void battery_free_flight_needs_no_impulse(void);
void battery_bad_input_is_refused(void);
void battery_one_byte_short_is_an_error_that_changes_nothing(void);
void battery_random_problems_are_solved_by_the_models_own_criterion(void);
void battery_limits_and_bilateral_rows_are_solved(void);
void battery_compliance_is_part_of_the_problem(void);
void battery_scale_does_not_matter(void);
void battery_a_warm_start_from_the_answer_is_the_answer(void);
void battery_redundant_contacts_are_solved(void);
void battery_a_singular_G_does_no_harm(void);
void battery_tiny_and_huge_masses_side_by_side(void);
void battery_without_friction_there_is_no_tangential_impulse(void);
void battery_with_infinite_friction_nothing_slips(void);
void battery_history_counts_upwards(void);
void battery_the_limit_returns_an_honest_iterate(void);
void battery_the_same_input_gives_the_same_bits(void);
void battery_all_forms_of_G_agree(void);
void battery_G_counts_as_given_when_slightly_asymmetric(void);

/* Asked of some: contacts by brute force (how many, and how many a solver may give up on, saying so), an incline, a
 * stack that Gauss-Seidel cannot do, the robots of ../shared. */
extern int battery_singles, battery_rare;
void battery_single_contacts_agree_with_brute_force_to_1e_9(void);
void battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond(void);
void battery_a_stack_with_a_light_bottom_stalls_and_says_so(void);
void battery_the_robots_of_the_shared_problems_are_solved(void);

#define RUN_BATTERY(id) \
    do { \
        battery_solver = slip_solver_find(id); \
        if (!battery_solver) { printf("no solver called '%s' in registry.c\n", id);  return 1; } \
        RUN_TEST(battery_no_contacts_is_a_valid_problem); \
        RUN_TEST(battery_free_flight_needs_no_impulse); \
        RUN_TEST(battery_bad_input_is_refused); \
        RUN_TEST(battery_one_byte_short_is_an_error_that_changes_nothing); \
        RUN_TEST(battery_random_problems_are_solved_by_the_models_own_criterion); \
        RUN_TEST(battery_limits_and_bilateral_rows_are_solved); \
        RUN_TEST(battery_compliance_is_part_of_the_problem); \
        RUN_TEST(battery_scale_does_not_matter); \
        RUN_TEST(battery_a_warm_start_from_the_answer_is_the_answer); \
        RUN_TEST(battery_redundant_contacts_are_solved); \
        RUN_TEST(battery_a_singular_G_does_no_harm); \
        RUN_TEST(battery_tiny_and_huge_masses_side_by_side); \
        RUN_TEST(battery_without_friction_there_is_no_tangential_impulse); \
        RUN_TEST(battery_with_infinite_friction_nothing_slips); \
        RUN_TEST(battery_history_counts_upwards); \
        RUN_TEST(battery_the_limit_returns_an_honest_iterate); \
        RUN_TEST(battery_the_same_input_gives_the_same_bits); \
        RUN_TEST(battery_all_forms_of_G_agree); \
        RUN_TEST(battery_G_counts_as_given_when_slightly_asymmetric); \
    } while (0)

#endif
