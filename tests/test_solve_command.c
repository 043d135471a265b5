/* `slipstick solve` and `slipstick solvers` from end to end: rows, JSON, files written, exit codes, complaints. */
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "slipstick_parts.h"

#define IN  SLIP_TEST_BIN ".test_solve.txt"
#define LAM SLIP_TEST_BIN ".test_solve.lam"
#define CSV SLIP_TEST_BIN ".test_solve.csv"
#define FOLDER SLIP_TEST_BIN ".test_solve.d"

static command_result result;
static const char *const out = result.out, *const complaints = result.err;

static const char sliding[] =
    "contact-problem 1\nname sliding\nnc 1\nmu 0.5\ng 3 4 -1\nblocks 1\n0 0  1 0 0  0 1 0  0 0 1\n";

void setUp(void) { command_write(IN, sliding); }
void tearDown(void) { remove(IN); remove(LAM); remove(CSV); }

/* Runs `slipstick ARGUMENTS`; 1 when it ended with status 0. */
static int run(const char *arguments)
{
    command_run(arguments, NULL, &result);
    return result.code == 0;
}

static int lines(const char *text)
{
    int n = 0;

    for (; *text; ++text) n += *text == '\n';
    return n;
}

static void test_one_row_for_each_solver(void)
{
    TEST_ASSERT_MESSAGE(run("solve " IN), complaints);
    TEST_ASSERT_EQUAL_INT(2, lines(out));
    TEST_ASSERT_NOT_NULL(strstr(out, "default"));
    run("solve " IN " --solver all");
    TEST_ASSERT_EQUAL_INT(1 + slip_solver_count(), lines(out));
    TEST_ASSERT_MESSAGE(run("solve " IN " --solver ncp-admm --solver ncp-newton"), complaints);
    TEST_ASSERT_EQUAL_INT(3, lines(out));
}

static void test_json_has_the_promised_fields(void)
{
    static const char *const fields[] = { "\"problem\": ", "\"solver\": \"ncp-newton\"", "\"status\": \"ok\"",
        "\"iterations\": ", "\"factorizations\": ", "\"eps_primal\": ", "\"eps_dual\": ", "\"eps_comp\": ",
        "\"model_residual\": ", "\"seconds\": ", "\"options\": {\"tol\": ", "\"max_iterations\": 77" };
    size_t k;

    TEST_ASSERT_MESSAGE(run("solve " IN " --solver ncp-newton --json --max-iter 77"), complaints);
    TEST_ASSERT_EQUAL_INT('[', out[0]);
    TEST_ASSERT_NOT_NULL(strchr(out, ']'));
    for (k = 0; k < sizeof fields/sizeof *fields; ++k) TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out, fields[k]), fields[k]);
}

/* The impulses of the textbook: lambda = (-0.3, -0.4, 1) for a unit mass sliding along (3, 4). */
static void test_lambda_is_written_and_can_be_read_back_as_a_warm_start(void)
{
    char text[200];
    slip_real x[3];

    TEST_ASSERT_MESSAGE(run("solve " IN " --solver ncp-newton --lambda " LAM), complaints);
    command_read(LAM, text, sizeof text);
    TEST_ASSERT_EQUAL_INT(3, lines(text));
    TEST_ASSERT_EQUAL_INT(3, slip_read_reals(text, (int)strlen(text), x, 3, NULL));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-3), -0.3, (double)x[0]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-3), -0.4, (double)x[1]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-3), 1, (double)x[2]);
    TEST_ASSERT_MESSAGE(run("solve " IN " --solver ncp-newton --json --warm " LAM), complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "\"iterations\": 0"));
    command_write(LAM, "1 2");
    TEST_ASSERT(!run("solve " IN " --warm " LAM));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "2 values"));
}

static void test_history_has_a_line_for_each_iteration(void)
{
    char text[20000];

    TEST_ASSERT_MESSAGE(run("solve " IN " --solver ncp-admm --history " CSV), complaints);
    command_read(CSV, text, sizeof text);
    TEST_ASSERT_EQUAL_INT(0, strncmp(text, "problem,solver,iteration,phase,eps_primal", 41));
    TEST_ASSERT(lines(text) > 5);
    TEST_ASSERT_NOT_NULL(strstr(text, ",admm,"));
}

/* One row a Newton step, numbered upwards. */
static void test_the_history_of_ccp_newton_has_one_row_a_step(void)
{
    char text[20000];
    const char *at;
    int row, last = 0;

    TEST_ASSERT_MESSAGE(run("solve " IN " --solver ccp-newton --history " CSV), complaints);
    command_read(CSV, text, sizeof text);
    for (at = strchr(text, '\n'); at && at[1]; at = strchr(at + 1, '\n')) {
        const char *number = strstr(at, ",ccp-newton,");

        TEST_ASSERT_NOT_NULL(number);
        TEST_ASSERT(slip_read_int(number + 12, (int)strlen(number + 12), &row) > 0);
        TEST_ASSERT_EQUAL_INT(last + 1, row);
        last = row;
    }
    TEST_ASSERT(last >= 2);
}

static double command_number(const char *key)
{
    const char *at = strstr(out, key);
    double x = -1;

    TEST_ASSERT_NOT_NULL_MESSAGE(at, key);
    at += strlen(key);
    TEST_ASSERT(slip_read_double(at, (int)strlen(at), &x) > 0);
    return x;
}

/* The barrier keeps away from the cone by its weight; a contact that sticks needs one sweep when its
 * tangents are solved together, more by the papers' steps. */
static void test_barrier_and_step_reach_the_solvers(void)
{
    double far, near;

    TEST_ASSERT_MESSAGE(run("solve " IN " --json --solver ccp-barrier --barrier 1,20"), complaints);
    far = command_number("\"eps_comp\": ");
    TEST_ASSERT_MESSAGE(run("solve " IN " --json --solver ccp-barrier --barrier 0.01"), complaints);
    near = command_number("\"eps_comp\": ");
    TEST_ASSERT(far > 2*near);
    TEST_ASSERT(!run("solve " IN " --barrier 0"));
    TEST_ASSERT(!run("solve " IN " --barrier 1,2,3,4"));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "--barrier"));
    command_write(IN, "contact-problem 1\nname c\nnc 1\nmu 0.5\ng 0.3 0.4 -1\nblocks 1\n0 0  2 0.5 0  0.5 1 0  0 0 1\n");
    run("solve " IN " --json --solver ncp-pgs --step max");
    far = command_number("\"iterations\": ");
    run("solve " IN " --json --solver ncp-pgs --step block");
    near = command_number("\"iterations\": ");
    TEST_ASSERT(near != far);
    TEST_ASSERT(!run("solve " IN " --step giant"));
}

/* Cold, warm, and against a table of somebody else's times. */
static void test_bench_solvers_times_a_folder(void)
{
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf " FOLDER " && mkdir " FOLDER));
    command_write(FOLDER "/sliding.txt", sliding);
    command_write(CSV, "problem,solver,tol,iterations,seconds,converged\nsliding,X,1e-6,3,100,1\n"
                       "sliding,Y,1e-6,3,1e-12,0\nsliding,Z,1e-4,3,1e-12,1\n");
    TEST_ASSERT_MESSAGE(run("bench solvers " FOLDER " --solver ncp-pgs --time 0.001 --tol 1e-6 --against " CSV),
                        complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "sliding"));
    TEST_ASSERT_NOT_NULL(strstr(out, "ncp-pgs                   1            1              0.000"));
    TEST_ASSERT_MESSAGE(run("bench solvers " FOLDER " --solver ncp-admm --time 0.001 --warm 0.01 --own"),
                        complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "ncp-admm             1/1"));
    command_write(CSV, "no,table\n");
    TEST_ASSERT(!run("bench solvers " FOLDER " --against " CSV));
    TEST_ASSERT(!run("bench solvers " FOLDER "/nowhere"));
    TEST_ASSERT_MESSAGE(run("bench solvers --help"), complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "example:"));
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf " FOLDER));
}

/* The shipped problems are the default folder; an empty one is refused; generated problems are solved cold and warm. */
static void test_bench_solvers_has_problems_of_its_own_and_makes_others(void)
{
    TEST_ASSERT_MESSAGE(run("bench solvers --solver default --time 0.001"), complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "two_cubes"));
    TEST_ASSERT_NOT_NULL(strstr(out, "default              7/7"));
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf " FOLDER " && mkdir " FOLDER));
    TEST_ASSERT(!run("bench solvers " FOLDER));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "no problem files"));
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf " FOLDER));
    TEST_ASSERT_MESSAGE(run("bench solvers --generate wall,chain --contacts 24 --seeds 2:3 --time 0"), complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "wall-24-2"));
    TEST_ASSERT_NOT_NULL(strstr(out, "chain-24-3"));
    TEST_ASSERT_NOT_NULL(strstr(out, "warm  default"));
    TEST_ASSERT_NOT_NULL(strstr(out, "geom. mean"));
    TEST_ASSERT(!run("bench solvers --generate tower"));
    TEST_ASSERT_EQUAL_INT(2, result.code);
    TEST_ASSERT(!run("bench solvers --generate wall --seeds 3:1"));
    TEST_ASSERT(!run("bench solvers --generate wall --contacts 1"));
}

/* Generated problems are the same for the same seed: iterations and rows agree. */
static void test_generated_problems_repeat_and_a_slow_solver_is_stopped(void)
{
    static char first[COMMAND_TEXT];
    const char *line, *again;

    TEST_ASSERT(run("bench solvers --generate stack --contacts 60 --seeds 0 --time 0 --solver default"));
    strcpy(first, out);
    TEST_ASSERT(run("bench solvers --generate stack --contacts 60 --seeds 0 --time 0 --solver default"));
    line = strstr(first, "stack-60-0");
    again = strstr(out, "stack-60-0");
    TEST_ASSERT(line && again);
    TEST_ASSERT_EQUAL_INT(0, strncmp(line, again, 78));
    TEST_ASSERT(run("bench solvers --generate wall --contacts 200 --seeds 0 --time 0 --solver ncp-staggered "
                    "--tol 1e-14 --limit 0.05"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out, "out of time"), out);
}

static void test_the_papers_tables_are_printed_beside_the_papers_numbers(void)
{
    TEST_ASSERT_MESSAGE(run("bench table LL-tab4 --quick"), complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "4.80e-02"));
    TEST_ASSERT_EQUAL_INT(2 + 9, lines(out));
    TEST_ASSERT_MESSAGE(run("bench table HW-tab1 --quick"), complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "raisim-quartic"));
    TEST_ASSERT_MESSAGE(run("bench table HW-tab2 --quick"), complaints);
    TEST_ASSERT_EQUAL_INT(2 + 8, lines(out));
    TEST_ASSERT(!run("bench table"));
    TEST_ASSERT_EQUAL_INT(2, result.code);
    TEST_ASSERT(!run("bench table LL-tab9"));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "LL-tab4"));
}

static void test_not_converged_is_exit_status_1_and_says_so(void)
{
    TEST_ASSERT(!run("solve " IN " --solver ncp-admm --max-iter 1"));
    TEST_ASSERT_NOT_NULL(strstr(out, "not converged"));
}

static void test_engines_pick_their_solver(void)
{
    run("solve " IN " --like bullet");
    TEST_ASSERT_NOT_NULL(strstr(out, "ncp-pgs"));
    TEST_ASSERT(!run("solve " IN " --like unheard-of"));
    TEST_ASSERT_EQUAL_INT(2, result.code);
    TEST_ASSERT_NOT_NULL(strstr(complaints, "ode bullet physx"));
    run("solve " IN " --like bullet --like simple --solver ncp-admm");
    TEST_ASSERT_EQUAL_INT(4, lines(out));
}

static void test_mistakes_are_named(void)
{
    TEST_ASSERT(!run("solve"));
    TEST_ASSERT(!run("solve " IN " --solver ncp-nothing"));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "ncp-nothing"));
    TEST_ASSERT(!run("solve " IN " --tol abc"));
    TEST_ASSERT(!run("solve " IN " --json --lambda -"));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "--json"));
    TEST_ASSERT_EQUAL_STRING("", out);
    TEST_ASSERT(!run("solve /nowhere/at/all.txt"));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "/nowhere/at/all.txt"));
    command_write(IN, "contact-problem 1\nname x\nnc 1\nmu -1\ng 0 0 0\nblocks 0\n");
    TEST_ASSERT(!run("solve " IN));
    TEST_ASSERT_NOT_NULL(strstr(complaints, ":4:"));
}

static void test_no_contacts_is_solved(void)
{
    command_write(IN, "contact-problem 1\nname none\nnc 0\nmu\ng\nblocks 0\n");
    TEST_ASSERT_MESSAGE(run("solve " IN " --json --lambda " LAM), complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "\"status\": \"ok\""));
}

static void test_the_table_of_solvers_has_all_of_them(void)
{
    const char *at;
    int i;

    TEST_ASSERT(run("solvers"));
    TEST_ASSERT_EQUAL_INT(1 + 3*2 + 2*(slip_solver_count() + 2), lines(out));
    TEST_ASSERT_NOT_NULL(strstr(out, "RaiSim"));
    TEST_ASSERT_NOT_NULL(strstr(out, "id-barrier"));
    for (at = out; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
        TEST_ASSERT_MESSAGE(strcspn(at, "\n") <= 120, "fits a terminal");
    TEST_ASSERT(run("solvers --json"));
    for (i = 0; i < slip_solver_count(); ++i) TEST_ASSERT_NOT_NULL(strstr(out, slip_solver_get(i)->id));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"group\": \"ours\""));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"takes_limits\": true"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"options\": [\"tol\", \"tol_rule\", \"max_iterations\", \"stop\", \"step\""));
    TEST_ASSERT(run("solve --help"));
    TEST_ASSERT_NOT_NULL(strstr(out, "example:"));
}

/* The ticks that `solvers` shows are those of tools/solver_ticks_table.h; measuring them again must not change them. A
 * solver that is not in that file shows `-`, and fails here. */
static void test_the_ticks_of_solvers_are_those_measured(void)
{
    if (sizeof(slip_real) == 4) { TEST_ASSERT(!run("solvers --measure"));  return; }
    TEST_ASSERT_MESSAGE(run("solvers --measure"), "these ticks are not those of tools/solver_ticks_table.h: copy what "
                        "'slipstick solvers --measure' prints there");
    TEST_ASSERT_NOT_NULL(strstr(out, "{ \"default\", \"SCMNIRG\" }"));
    TEST_ASSERT(run("solvers"));
    TEST_ASSERT_NOT_NULL(strstr(out, "default           NCP      SCMNIRG"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_one_row_for_each_solver);
    RUN_TEST(test_json_has_the_promised_fields);
    RUN_TEST(test_lambda_is_written_and_can_be_read_back_as_a_warm_start);
    RUN_TEST(test_history_has_a_line_for_each_iteration);
    RUN_TEST(test_the_history_of_ccp_newton_has_one_row_a_step);
    RUN_TEST(test_barrier_and_step_reach_the_solvers);
    RUN_TEST(test_bench_solvers_times_a_folder);
    RUN_TEST(test_bench_solvers_has_problems_of_its_own_and_makes_others);
    RUN_TEST(test_generated_problems_repeat_and_a_slow_solver_is_stopped);
    RUN_TEST(test_the_papers_tables_are_printed_beside_the_papers_numbers);
    RUN_TEST(test_not_converged_is_exit_status_1_and_says_so);
    RUN_TEST(test_engines_pick_their_solver);
    RUN_TEST(test_mistakes_are_named);
    RUN_TEST(test_no_contacts_is_solved);
    RUN_TEST(test_the_table_of_solvers_has_all_of_them);
    RUN_TEST(test_the_ticks_of_solvers_are_those_measured);
    return UNITY_END();
}
