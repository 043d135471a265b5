/* Solvers that take the time of a solve (tools/solve_probe.c): repeats change nothing but the time, costs add up. */
#include "unity.h"

#include <string.h>
#include "../tools/solve_probe.h"
#include "command.h"
#include "slipstick_parts.h"

enum { ROWS = 64, BYTES = 1 << 20 };

static char text[1 << 16], memory[BYTES], room[BYTES];
static slip_problem p;

void setUp(void)
{
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_error err;

    slip_error_clear(&err);
    command_read("models/problems/solo12_push.txt", text, sizeof text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_problem_read(text, strlen(text), &mem, &p, &err), err.what);
    TEST_ASSERT(p.n > 0 && p.n <= ROWS);
}
void tearDown(void) { }

/* A solution with a warm start of ones along the normals. */
static slip_solution warm(slip_real x[3][ROWS])
{
    slip_solution s;
    int i;

    memset(x, 0, 3*sizeof *x);
    for (i = 2; i < p.n; i += 3) x[0][i] = SLIP_R(0.01);
    s = slip_solution_over(x[0], x[1], x[2]);
    s.warm = p.n;
    return s;
}

static void test_repeated_solves_start_from_the_same_start(void)
{
    static const slip_solver *const solvers[] = { &slip_solver_ncp_pgs, &slip_solver_ncp_admm };
    const slip_solver_options opt = slip_solver_defaults();
    slip_real a[3][ROWS], b[3][ROWS];
    size_t i;

    for (i = 0; i < 2; ++i) {
        slip_arena scratch = slip_arena_over(room, sizeof room);
        slip_solution once = warm(a), often = warm(b);
        slip_status status;
        double seconds;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solve(solvers[i], &p, &opt, &once, &scratch));
        seconds = solve_best(solvers[i], &p, &opt, 5, &often, &scratch, &status);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, status);
        TEST_ASSERT(seconds >= 0 && seconds < 1);
        TEST_ASSERT_EQUAL_INT(once.iterations, often.iterations);
        TEST_ASSERT(once.iterations > 0);
        TEST_ASSERT_EQUAL_INT(0, memcmp(a, b, sizeof a[0]));
    }
}

static void test_costs_add_up(void)
{
    const slip_solver_options opt = slip_solver_defaults();
    slip_real x[3][ROWS];
    slip_arena scratch = slip_arena_over(room, sizeof room);
    solve_cost cost = { 3, 0, 0, 0, 0, 0 };
    double n = p.n, operations = 0, iterations = 0;
    int k;

    for (k = 0; k < 2; ++k) {
        const slip_solver *timed = solve_timed(&slip_solver_ncp_admm, &cost);
        slip_solution s = warm(x);

        TEST_ASSERT(slip_solve_bytes(timed, &p, &opt) >= slip_solve_bytes(&slip_solver_ncp_admm, &p, &opt)
                                                         + 2*(size_t)p.n*sizeof(slip_real));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solve(timed, &p, &opt, &s, &scratch));
        TEST_ASSERT(s.factorizations > 0);
        iterations += s.iterations;
        operations += 2*n*n*s.iterations + n*n*n/3*s.factorizations;
    }
    TEST_ASSERT_EQUAL_DOUBLE(iterations, cost.iterations);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9*operations, operations, cost.operations);
    TEST_ASSERT_EQUAL_DOUBLE(2.0*p.nc, cost.contacts);
    TEST_ASSERT_EQUAL_DOUBLE(2, cost.solves);
}

static void test_a_scratch_without_room_for_the_start_is_refused(void)
{
    const slip_solver_options opt = slip_solver_defaults();
    slip_arena scratch = slip_arena_over(room, 8);
    slip_real x[3][ROWS];
    slip_solution s = warm(x);
    slip_status status;

    solve_best(&slip_solver_ncp_pgs, &p, &opt, 2, &s, &scratch, &status);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, status);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_repeated_solves_start_from_the_same_start);
    RUN_TEST(test_costs_add_up);
    RUN_TEST(test_a_scratch_without_room_for_the_start_is_refused);
    return UNITY_END();
}
