/* Watching a solve must not change it: with and without a history callback, every solver makes the same iterations and
 * returns the same bits, and tells each iteration once, with its iterate. */
#include <string.h>

#include "contact_aid.h"
#include "factor_aid.h"
#include "unity.h"

enum { CUBES = 6, ROWS = 12*CUBES + 2, PROBLEMS = 24 };

void setUp(void) {}
void tearDown(void) {}

/* calls, iterations out of order (not one after the other), calls without an iterate */
typedef struct { int calls, disorder, empty; } watcher;

static void watch(void *context, const slip_iteration *it)
{
    watcher *w = (watcher *)context;

    if (it->iteration != ++w->calls) w->disorder = 1;
    if (!it->lambda) w->empty = 1;
}

static slip_solution solve_from(const slip_solver *s, const slip_problem *p, const slip_solver_options *o, int warm,
                                slip_real *lambda)
{
    static double block[1 << 20];
    slip_arena mem = slip_arena_over(block, sizeof block);
    slip_solution sol = slip_solution_over(lambda, NULL, NULL);

    sol.warm = warm ? p->n : 0;
    slip_solve(s, p, o, &sol, &mem);
    return sol;
}

/* NULL, or what the callback changed. */
static const char *difference(const slip_solver *s, const slip_problem *p, slip_solver_options o, int warm)
{
    slip_real plain[ROWS], watched[ROWS];
    slip_solution a, b;
    watcher w = { 0, 0, 0 };
    int i;

    for (i = 0; i < p->n; ++i) plain[i] = watched[i] = i % 3 == 2 ? 1 : SLIP_R(0.1);      /* the warm start */
    a = solve_from(s, p, &o, warm, plain);
    o.history = watch;
    o.history_context = &w;
    b = solve_from(s, p, &o, warm, watched);
    if (memcmp(plain, watched, (size_t)p->n*sizeof(slip_real)) != 0) return "other impulses";
    if (a.iterations != b.iterations) return "another number of iterations";
    if (a.status != b.status) return "another status";
    if (w.disorder || w.calls != b.iterations) return "not each iteration told once";
    return w.empty ? "an iteration without its iterate" : NULL;
}

static void expect_no_difference(const slip_problem *p, slip_solver_options o, int warm)
{
    int i;

    for (i = 0; i < slip_solver_count(); ++i) {
        const slip_solver *s = slip_solver_get(i);
        const char *what = difference(s, p, o, warm);
        char text[128];

        if (!what) continue;
        slip_format(text, (int)sizeof text, "%s: %s", s->id, what);
        TEST_FAIL_MESSAGE(text);
    }
}

static void test_a_history_callback_changes_nothing_on_random_problems(void)
{
    slip_random rng = slip_random_seed(61);
    int k;

    for (k = 0; k < PROBLEMS; ++k) {
        aid_problem *a = aid_new(1 + k % 5, k % 3, 0);
        slip_solver_options o = slip_solver_defaults();

        aid_random(&rng, k % 2 ? a->p.n/2 + 3 : a->p.n + 9, 1, a);        /* every other G is singular */
        o.tol = k % 3 == 0 ? SLIP_TOL(1e-9, 1e-5) : o.tol;
        o.max_iterations = k % 4 == 0 ? 7 : 0;
        expect_no_difference(&a->p, o, k % 5 == 1);
        aid_free(a);
    }
}

/* Six cubes, every other one heavy, pushed aside; G is known by its factor. */
static void test_a_history_callback_changes_nothing_on_towers(void)
{
    slip_random rng = slip_random_seed(62);
    int k, j;

    for (k = 0; k < 8; ++k) {
        slip_real mass[CUBES], push[3*CUBES];
        slip_solver_options o = slip_solver_defaults();
        aid_factored *a;

        for (j = 0; j < CUBES; ++j) mass[j] = j % 2 && k % 3 ? 100 : 1;
        for (j = 0; j < 3*CUBES; ++j)
            push[j] = j % 3 == 2 ? SLIP_R(-9.81e-3) : SLIP_R(0.05)*slip_random_normal(&rng);
        a = aid_tower(CUBES, mass, push, SLIP_R(0.7), k % 2);
        o.max_iterations = 300;
        expect_no_difference(&a->p, o, k/2 % 2);
        aid_factored_free(a);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_history_callback_changes_nothing_on_random_problems);
    RUN_TEST(test_a_history_callback_changes_nothing_on_towers);
    return UNITY_END();
}
