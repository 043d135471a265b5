/* default and the engines behind it: what a history callback sees, how exact answers are, which stage gets how far. */
#include "contact_aid.h"
#include "factor_aid.h"
#include "scene_aid.h"

#include <stdlib.h>
#include <string.h>
#include "slipstick.h"
#include "solvers/solvers.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

enum { CUBES = 6, ROWS = 12*CUBES + 2, SINGLE = sizeof(slip_real) == sizeof(float) };

static const size_t room = 8u << 20;
static void *memory;
static slip_real lambda[2][ROWS], sigma[ROWS];

/* A tower of cubes, every second one `heavy` kg, with random velocities across of about `speed`. */
static aid_factored *default_tower(uint64_t seed, slip_real heavy, slip_real speed, int mixed)
{
    slip_random rng = slip_random_seed(seed);
    slip_real mass[CUBES], push[3*CUBES];
    int k;

    for (k = 0; k < CUBES; ++k) mass[k] = k % 2 ? heavy : 1;
    for (k = 0; k < 3*CUBES; ++k) push[k] = k % 3 == 2 ? SLIP_R(-9.81e-3) : speed*slip_random_normal(&rng);
    return aid_tower(CUBES, mass, push, SLIP_R(0.7), mixed);
}

static slip_status default_solve(const char *id, const slip_problem *p, const slip_solver_options *opt, int warm,
                                 slip_real *x, slip_solution *sol)
{
    slip_arena mem = slip_arena_over(memory, room);

    *sol = slip_solution_over(x, sigma, NULL);
    sol->warm = warm ? p->n : 0;
    return slip_solve(slip_solver_find(id), p, opt, sol, &mem);
}

static slip_real default_excess(const slip_problem *p, const slip_solver_options *opt, const slip_real *x)
{
    slip_residual r;

    slip_residual_of(p, x, sigma, &r);
    return slip_residual_excess(&r, opt->tol, opt->tol_rule);
}

/* ---- history ----------------------------------------------------------------------------------------------------- */

typedef struct { int told, in_order, newton, sweep, ipm; slip_real last[ROWS]; int n; } default_log;

static void default_watch(void *context, const slip_iteration *it)
{
    default_log *log = (default_log *)context;

    log->in_order = log->in_order && it->iteration == ++log->told && it->lambda != NULL;
    if (it->lambda) memcpy(log->last, it->lambda, (size_t)log->n*sizeof(slip_real));
    log->newton += strcmp(it->phase, "newton") == 0 && log->ipm == 0;
    log->sweep += strcmp(it->phase, "sweep") == 0;
    log->ipm += strcmp(it->phase, "ipm") == 0;
}

static default_log default_fresh_log(int n)
{
    default_log log;

    memset(&log, 0, sizeof log);
    log.in_order = 1;
    log.n = n;
    return log;
}

/* ---- exact answers ----------------------------------------------------------------------------------------------- */

/* Where all contacts stick Newton's step is exact, so its answer is, and it is kept as it is. */
static void test_an_answer_of_a_world_at_rest_is_exact_and_is_kept(void)
{
    aid_factored *a = default_tower(1, 1, 0, 0);
    const slip_solver_options opt = slip_solver_defaults();
    slip_solution sol;
    int i;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, default_solve("default", &a->p, &opt, 0, lambda[0], &sol));
    for (i = 0; i < a->p.n; ++i) lambda[0][i] *= 1 + SLIP_TOL(1e-5, 1e-3);         /* still within a step of it */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, default_solve("default", &a->p, &opt, 1, lambda[0], &sol));
    TEST_ASSERT_LESS_OR_EQUAL_DOUBLE(SLIP_TOL(1e-3, 1), default_excess(&a->p, &opt, lambda[0]));
    memcpy(lambda[1], lambda[0], sizeof lambda[0]);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, default_solve("default", &a->p, &opt, 1, lambda[0], &sol));
    if (!SINGLE) {
        TEST_ASSERT_EQUAL_INT(0, sol.iterations);
        TEST_ASSERT_EQUAL_MEMORY(lambda[1], lambda[0], sizeof lambda[0]);
    }
    aid_factored_free(a);
}

static void test_two_cubes_are_solved_to_1e_9(void)
{
    const slip_real mass[2] = { 1, 1000 };
    slip_solver_options opt = slip_solver_defaults();
    slip_random rng = slip_random_seed(4);
    int k, i;

    if (SINGLE) TEST_IGNORE_MESSAGE("skipped: 1e-9 needs double precision");
    opt.tol = SLIP_R(1e-9);
    for (k = 0; k < 100; ++k) {
        slip_real push[6];
        aid_factored *a;
        slip_solution sol;

        for (i = 0; i < 6; ++i) push[i] = i % 3 == 2 ? SLIP_R(-9.81e-3) : SLIP_R(0.05)*slip_random_normal(&rng);
        a = aid_tower(2, mass, push, SLIP_R(0.7), 0);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, default_solve("default", &a->p, &opt, 0, lambda[0], &sol));
        TEST_ASSERT_LESS_OR_EQUAL_DOUBLE(1, default_excess(&a->p, &opt, lambda[0]));
        aid_factored_free(a);
    }
}

/* Velocities of any size are solved alike, in as many iterations. */
static void test_the_unit_of_velocity_does_not_matter(void)
{
    static const double units[] = { 1, 1e-15, 1e15, 1e-150, 1e150 };
    slip_solver_options opt = slip_solver_defaults();
    int k, u, i, iterations = 0;

    opt.tol_rule = SLIP_TOL_RELATIVE;
    for (k = 1; k <= 5; ++k)
        for (u = 0; u < (SINGLE ? 3 : 5); ++u) {
            aid_factored *a = default_tower((uint64_t)k, 10, SLIP_R(0.05), 0);
            slip_solution sol;

            for (i = 0; i < a->p.n; ++i) a->g[i] *= (slip_real)units[u];
            TEST_ASSERT_EQUAL_INT(SLIP_OK, default_solve("default", &a->p, &opt, 0, lambda[0], &sol));
            if (u == 0) iterations = sol.iterations;
            if (!SINGLE) TEST_ASSERT_EQUAL_INT(iterations, sol.iterations);
            aid_factored_free(a);
        }
}

/* With exactly the memory asked for, every stage fits: problems that need the path get it. */
static void test_the_memory_that_is_asked_for_is_enough_for_every_stage(void)
{
    const slip_solver_options opt = slip_solver_defaults();
    slip_random rng = slip_random_seed(6);
    int nc, i, paths = 0;

    for (nc = 1; nc <= 24; ++nc) {
        aid_problem *a = aid_new(nc, nc % 3, nc % 2);
        const size_t bytes = slip_default_bytes(&a->p, &opt);
        slip_solution sol = slip_solution_over(lambda[0], NULL, NULL);
        slip_solver_options watched = opt;
        default_log log = default_fresh_log(a->p.n);
        slip_arena mem = slip_arena_over(memory, bytes);

        for (i = 0; i < nc; ++i) a->mu[i] = SLIP_R(0.8);
        aid_random(&rng, a->p.n/2 + 1, 0, a);                    /* more rows than coordinates: redundant */
        watched.history = default_watch;
        watched.history_context = &log;
        slip_default(&a->p, &watched, &sol, &mem);
        if (sol.status != SLIP_OK) TEST_ASSERT_GREATER_THAN_INT_MESSAGE(0, log.ipm, "the path was left out");
        paths += log.ipm > 0;
        aid_free(a);
    }
    TEST_ASSERT_GREATER_THAN_INT(0, paths);
}

/* A warm start may be finite and its residual infinite. No stage keeps such a start, and the answer must not be what
 * the scratch memory held before. */
static void test_a_start_without_a_finite_residual_leaves_nothing_of_the_scratch(void)
{
    const unsigned char filling[3] = { 0x00, 0x41, 0xff };       /* zeros, 2e6 or 12, NaN */
    const slip_real mu[2] = { SLIP_R(0.5), SLIP_R(0.5) };
    const slip_real g[6] = { SLIP_R(0.1), 0, -1, SLIP_R(0.1), 0, -1 };
    slip_solver_options opt = slip_solver_defaults();
    slip_real G[36] = { 0 };
    slip_problem p;
    int i, k, most;

    for (i = 0; i < 6; ++i) G[7*i] = 2;
    G[2*6 + 5] = G[5*6 + 2] = SLIP_R(0.5);
    p = slip_problem_dense(2, mu, g, G, 6);
    for (most = 1; most <= 100; most += 99)
        for (k = 0; k < 3; ++k) {
            slip_real *x = lambda[k > 0];
            slip_solution sol;

            opt.max_iterations = most;
            memset(memory, filling[k], slip_solve_bytes(&slip_solver_default, &p, &opt));
            for (i = 0; i < p.n; ++i) x[i] = SLIP_TOL(1e300, 1e38);
            default_solve("default", &p, &opt, 1, x, &sol);
            TEST_ASSERT_EQUAL_MEMORY_MESSAGE(lambda[0], x, (size_t)p.n*sizeof *x, "as with zeros in the scratch");
            TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(10, slip_max_abs(p.n, x), "impulses that stop 1 m/s");
        }
    TEST_ASSERT_LESS_OR_EQUAL_DOUBLE_MESSAGE(1, default_excess(&p, &opt, lambda[1]), "excess");
}

/* ---- budgets ----------------------------------------------------------------------------------------------------- */

/* What the stages did on 40 towers from warm starts that are off by `off`. */
static default_log default_count(slip_real heavy, slip_real speed, slip_real off)
{
    default_log all = default_fresh_log(0);
    int k, i;

    for (k = 1; k <= 40; ++k) {
        aid_factored *a = default_tower((uint64_t)k, heavy, speed, 0);
        slip_solver_options opt = slip_solver_defaults();
        slip_random rng = slip_random_seed((uint64_t)k + 100);
        default_log log = default_fresh_log(a->p.n);
        slip_solution sol;

        default_solve("ncp-path", &a->p, &opt, 0, lambda[0], &sol);
        for (i = 0; i < a->p.n; ++i) a->g[i] += off*slip_random_normal(&rng);
        opt.history = default_watch;
        opt.history_context = &log;
        default_solve("default", &a->p, &opt, 1, lambda[0], &sol);
        if (!SINGLE) TEST_ASSERT_EQUAL_INT(SLIP_OK, sol.status);
        all.newton += log.newton;
        all.sweep += log.sweep;
        all.ipm += log.ipm;
        all.told += log.ipm > 0;
        aid_factored_free(a);
    }
    return all;
}

/* A warm start next to the answer is Newton's: the path is not needed. */
static void test_a_good_warm_start_is_left_to_newton(void)
{
    const default_log log = default_count(1, SLIP_R(1e-3), SLIP_R(1e-6));

    if (SINGLE) TEST_IGNORE_MESSAGE("skipped: counts are those of double precision");
    TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(12, log.told, "solves that needed the path");
    TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE(80, log.newton, "steps of Newton");
    TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(200, log.newton, "steps of Newton");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, log.sweep, "sweeps");
}

/* In a jam most contacts change between sticking, slipping and open: Newton is not tried, or left after a step or
 * two. */
static void test_in_a_jam_newton_is_left_soon(void)
{
    const default_log log = default_count(SLIP_R(1e4), SLIP_R(0.1), SLIP_R(1e-1));

    if (SINGLE) TEST_IGNORE_MESSAGE("skipped: counts are those of double precision");
    TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE(30, log.told, "solves that needed the path: else it is no jam");
    TEST_ASSERT_LESS_THAN_INT_MESSAGE(40, log.newton, "steps of Newton before it");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, log.sweep, "sweeps");
}

/* Without a warm start the path is all there is. */
static void test_from_zero_the_path_comes_first(void)
{
    int k;

    for (k = 1; k <= 10; ++k) {
        aid_factored *a = default_tower((uint64_t)k, 10, SLIP_R(0.05), 0);
        slip_solver_options opt = slip_solver_defaults();
        default_log log = default_fresh_log(a->p.n);
        slip_solution sol;

        opt.history = default_watch;
        opt.history_context = &log;
        default_solve("default", &a->p, &opt, 0, lambda[0], &sol);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, log.sweep, "sweeps");
        TEST_ASSERT_GREATER_THAN_INT_MESSAGE(0, log.ipm, "iterations of the path");
        if (!SINGLE) TEST_ASSERT_EQUAL_INT_MESSAGE(0, log.newton, "steps of Newton before it");
        aid_factored_free(a);
    }
}

/* A contact alone is solved exactly, warm or cold, before memory is taken for matrices; one that opens takes no
 * iteration at all when it is one of several. */
static void test_a_single_contact_takes_one_sweep(void)
{
    const slip_real G[9] = { 2, SLIP_R(0.3), SLIP_R(0.1), SLIP_R(0.3), 3, SLIP_R(0.2), SLIP_R(0.1), SLIP_R(0.2), 1 };
    const slip_real mu = SLIP_R(0.5), g[3] = { 1, -2, -1 };
    const slip_problem p = slip_problem_dense(1, &mu, g, G, 3);
    int warm;

    for (warm = 0; warm < 2; ++warm) {
        slip_solver_options opt = slip_solver_defaults();
        default_log log = default_fresh_log(p.n);
        slip_solution sol;

        opt.history = default_watch;
        opt.history_context = &log;
        lambda[0][0] = lambda[0][1] = 0;
        lambda[0][2] = 1;
        default_solve("default", &p, &opt, warm, lambda[0], &sol);
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, log.sweep, "sweeps");
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, log.ipm, "iterations of the path");
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, log.newton, "steps of Newton");
    }
}

static void test_from_zero_open_contacts_take_no_iteration(void)
{
    aid_factored *a = default_tower(1, 10, SLIP_R(0.05), 0);
    slip_solver_options opt = slip_solver_defaults();
    slip_real g[ROWS];
    slip_solution sol;
    int i;

    for (i = 0; i < a->p.n; ++i) g[i] = i % 3 == 2 ? 1 : SLIP_R(0.1);
    a->p.g = g;
    default_solve("default", &a->p, &opt, 0, lambda[0], &sol);
    TEST_ASSERT_EQUAL_INT(0, sol.iterations);
    TEST_ASSERT_EQUAL_DOUBLE(0, slip_max_abs(a->p.n, lambda[0]));
    aid_factored_free(a);
}

/* A ball hits fifteen cubes of 1 kg to 10 t: the heap's path has many folds, and the tolerance is near rounding. One
 * step of 1000 ends at 1.8e-6; older versions missed several by up to 6e-5. */
static void test_a_wall_that_is_hit_meets_the_tolerance(void)
{
    slip_world *w;
    int missed = 0;

    if (SINGLE) TEST_IGNORE_MESSAGE("skipped: mass ratios of 10^4 need double precision");
    aid_forget();
    w = aid_start(aid_open("models/bench/wall.xml"));
    for (int k = 0; k < 1000; ++k) {
        missed += aid_steps(w, 1) != SLIP_OK;
        TEST_ASSERT_LESS_THAN_DOUBLE(3e-6, slip_world_stats(w)->residual.eps_abs);
    }
    TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE(1, missed, "steps that missed the tolerance");
}

/* In float the path often ends just above the tolerance on mass ratios of 1000, and Newton from its best point mends
 * some: of 400 steps of the tower 328 miss with this last stage, 359 without. In double none does. */
static void test_newton_after_the_path_mends_steps_of_a_tower_in_float(void)
{
    slip_world *w;
    int i, missed = 0;

    aid_forget();
    w = aid_start(aid_open("models/stack_ratio.xml"));
    for (i = 0; i < 400; ++i) missed += aid_steps(w, 1) > SLIP_OK;
    TEST_ASSERT(missed <= (sizeof(slip_real) == sizeof(float) ? 345 : 0));
}

int main(void)
{
    int failed;

    UNITY_BEGIN();
    memory = malloc(room);
    if (!memory) return 1;
    RUN_TEST(test_an_answer_of_a_world_at_rest_is_exact_and_is_kept);
    RUN_TEST(test_two_cubes_are_solved_to_1e_9);
    RUN_TEST(test_the_unit_of_velocity_does_not_matter);
    RUN_TEST(test_the_memory_that_is_asked_for_is_enough_for_every_stage);
    RUN_TEST(test_a_start_without_a_finite_residual_leaves_nothing_of_the_scratch);
    RUN_TEST(test_a_good_warm_start_is_left_to_newton);
    RUN_TEST(test_in_a_jam_newton_is_left_soon);
    RUN_TEST(test_from_zero_the_path_comes_first);
    RUN_TEST(test_a_single_contact_takes_one_sweep);
    RUN_TEST(test_from_zero_open_contacts_take_no_iteration);
    RUN_TEST(test_a_wall_that_is_hit_meets_the_tolerance);
    RUN_TEST(test_newton_after_the_path_mends_steps_of_a_tower_in_float);
    failed = UNITY_END();
    free(memory);
    return failed;
}
