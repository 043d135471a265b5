/* The sweeps of default: against sweeps written the plain way; when they come first; the bound on them. */
#include "factor_aid.h"

#include <stdlib.h>
#include <string.h>
#include "slipstick.h"
#include "solvers/solvers.h"
#include "solvers/sweeps.h"
#include "unity.h"

enum { CUBES = 24, ROWS = 12*CUBES + 2, SINGLE = sizeof(slip_real) == sizeof(float) };

static const size_t room = 16u << 20;
static void *memory;
static slip_real lambda[2][ROWS], sigma[ROWS];

void setUp(void) {}
void tearDown(void) {}

/* A tower of cubes of 1 and 3 kg that slide, stick and lift off. */
static aid_factored *tower(int cubes, int mixed)
{
    slip_random rng = slip_random_seed(7);
    slip_real mass[CUBES], push[3*CUBES];
    int k;

    for (k = 0; k < cubes; ++k) mass[k] = k % 2 ? 3 : 1;
    for (k = 0; k < 3*cubes; ++k) push[k] = SLIP_R(0.02)*slip_random_normal(&rng);
    return aid_tower(cubes, mass, push, SLIP_R(0.4), mixed);
}

/* ---- one sweep --------------------------------------------------------------------------------------------------- */

/* A sweep that computes all velocities anew for each block. */
static void plain_sweep(const slip_problem *p, slip_real *x)
{
    int i;

    for (i = 0; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i);
        slip_real d, b[3], y[3];
        slip_local k;

        slip_problem_sigma(p, x, sigma);
        if (slip_block_is_contact(p, i)) {
            slip_local_prepare(p, i, &k);
            slip_mat3_vec(k.A, x + row, b);
            slip_sub3(sigma + row, b, b);
            slip_local_ncp(&k, b, x + row, y);
            slip_copy3(y, x + row);
        } else {
            slip_problem_block(p, i, i, &d);
            x[row] -= sigma[row]/(d + (p->R ? p->R[row] : 0));
            if (slip_block_is_limit(p, i)) x[row] = slip_max(x[row], 0);
        }
    }
}

static void test_sweeps_are_those_written_the_plain_way(void)
{
    int mixed, form, k, i;

    for (mixed = 0; mixed < 2; ++mixed)
        for (form = 0; form < 2; ++form) {
            aid_factored *a = tower(8, mixed);
            slip_arena mem = slip_arena_over(memory, room);
            slip_problem p = a->p;
            slip_sweeps s;

            if (form) {                                  /* the full matrix, without Y */
                TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_problem_to_dense(&p, &mem));
                p.G.form = SLIP_G_DENSE;
                p.G.nv = 0;
            }
            memset(lambda, 0, sizeof lambda);
            slip_sweeps_carve(&s, &p, &mem);
            TEST_ASSERT_FALSE(mem.failed);
            slip_sweeps_begin(&s, lambda[0]);
            for (k = 0; k < 10; ++k) {
                TEST_ASSERT(slip_sweeps_once(&s) > 0);
                plain_sweep(&p, lambda[1]);
                for (i = 0; i < p.n; ++i)
                    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), (double)lambda[1][i],
                                              (double)lambda[0][i]);
            }
            aid_factored_free(a);
        }
}

/* ---- as stages of default ---------------------------------------------------------------------------------------- */

typedef struct { int sweeps, others, sweeps_after; } phases;

static void watch(void *context, const slip_iteration *it)
{
    phases *p = (phases *)context;
    const int is_sweep = strcmp(it->phase, "sweep") == 0;

    p->sweeps += is_sweep;
    p->others += !is_sweep;
    p->sweeps_after += is_sweep && p->others > 0;
}

static slip_solution solve(int cubes, int sweeps, phases *seen)
{
    aid_factored *a = tower(cubes, 0);
    slip_solver_options opt = slip_solver_defaults();
    slip_solution sol = slip_solution_over(lambda[0], sigma, NULL);
    slip_arena mem = slip_arena_over(memory, room);

    memset(seen, 0, sizeof *seen);
    memset(lambda, 0, sizeof lambda);
    opt.sweeps = sweeps;
    opt.history = watch;
    opt.history_context = seen;
    sol.warm = a->p.n;
    slip_solve(&slip_solver_default, &a->p, &opt, &sol, &mem);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE((double)SLIP_TOL(1e-14, 1e-6), (double)sol.residual.eps_primal,
                                         "inside the cones");
    aid_factored_free(a);
    return sol;
}

/* 240 rows are 20 cubes. */
static void test_large_problems_are_swept_first(void)
{
    phases seen;
    slip_solution sol = solve(20, 0, &seen);

    if (!SINGLE) TEST_ASSERT_EQUAL_INT(SLIP_OK, sol.status);
    TEST_ASSERT_EQUAL_INT(32, seen.sweeps);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, seen.sweeps_after, "sweeps after other stages");
    TEST_ASSERT_GREATER_THAN_INT(0, seen.others);
    sol = solve(19, 0, &seen);
    if (!SINGLE) TEST_ASSERT_EQUAL_INT(SLIP_OK, sol.status);
    TEST_ASSERT_EQUAL_INT(0, seen.sweeps);
}

/* The answer of a tower is a start near that of the same tower with an error of 10 tolerances, not of 1000. */
static void test_a_start_near_the_answer_is_not_swept(void)
{
    const slip_real errors[2] = { SLIP_R(1e-5), SLIP_R(1e-3) };
    int k;

    if (SINGLE) TEST_IGNORE_MESSAGE("skipped: the tolerance of float is above these errors");
    for (k = 0; k < 2; ++k) {
        aid_factored *a = tower(20, 0);
        slip_solver_options opt = slip_solver_defaults();
        slip_solution sol = slip_solution_over(lambda[0], sigma, NULL);
        slip_arena mem = slip_arena_over(memory, room);
        phases seen = { 0, 0, 0 };
        int i;

        opt.tol = SLIP_R(1e-9);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solve(&slip_solver_default, &a->p, &opt, &sol, &mem));
        for (i = 2; i < a->p.n; i += 3) a->g[i] -= errors[k];
        opt.tol = SLIP_R(1e-6);
        opt.history = watch;
        opt.history_context = &seen;
        sol.warm = a->p.n;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solve(&slip_solver_default, &a->p, &opt, &sol, &mem));
        TEST_ASSERT_EQUAL_INT(k == 0 ? 0 : 32, seen.sweeps);
        aid_factored_free(a);
    }
}

static void test_a_bound_on_sweeps_is_kept_by_large_problems_and_leaves_small_ones_exact(void)
{
    phases seen;
    slip_solution few = solve(20, 5, &seen), more;

    TEST_ASSERT_EQUAL_INT(SLIP_MAX_ITERS, few.status);
    TEST_ASSERT_EQUAL_INT(5, few.iterations);
    TEST_ASSERT_EQUAL_INT(0, few.factorizations);
    more = solve(20, 50, &seen);
    TEST_ASSERT_EQUAL_INT(50, more.iterations);
    TEST_ASSERT(more.residual.eps_abs < few.residual.eps_abs/4);
    more = solve(19, 5, &seen);
    if (!SINGLE) TEST_ASSERT_EQUAL_INT(SLIP_OK, more.status);
    TEST_ASSERT_GREATER_THAN_INT(0, more.factorizations);
}

int main(void)
{
    int failed;

    memory = malloc(room);
    if (!memory) return 1;
    UNITY_BEGIN();
    RUN_TEST(test_sweeps_are_those_written_the_plain_way);
    RUN_TEST(test_large_problems_are_swept_first);
    RUN_TEST(test_a_start_near_the_answer_is_not_swept);
    RUN_TEST(test_a_bound_on_sweeps_is_kept_by_large_problems_and_leaves_small_ones_exact);
    failed = UNITY_END();
    free(memory);
    return failed;
}
