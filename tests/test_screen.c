/* Contacts that stay open are left out, what remains falls into parts, and the answer is one of the whole problem: on
 * towers with gaps, where it is known which. */
#include "factor_aid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "slipstick_parts.h"
#include "solvers/screen.h"
#include "solvers/solvers.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

enum { CUBES = 8, NC = 4*CUBES, MOST = 3*NC + 2 };

static slip_real lambda[MOST], sigma[MOST], work[MOST];
static const size_t room = 4u << 20;
static void *memory;

static slip_arena fresh(void) { return slip_arena_over(memory, room); }

/* Eight cubes at rest; the faces below cubes 3 and 6 separate with `speed`. */
static aid_factored *gaps(slip_real speed, int mixed)
{
    slip_real mass[CUBES], push[3*CUBES];
    aid_factored *a;
    int k;

    for (k = 0; k < CUBES; ++k) {
        mass[k] = (slip_real)(1 + k % 3);
        push[3*k] = SLIP_R(0.002)*(slip_real)(k % 2);
        push[3*k + 1] = 0;
        push[3*k + 2] = SLIP_R(-0.00981);
    }
    a = aid_tower(CUBES, mass, push, SLIP_R(0.5), mixed);
    for (k = 0; k < 4; ++k) {
        a->g[3*(12 + k) + 2] += speed;
        a->g[3*(24 + k) + 2] += speed;
    }
    return a;
}

static int share_a_coordinate(const slip_problem *p, int i, int j)
{
    int e, f;

    for (e = p->G.ystart[i]; e < p->G.ystart[i + 1]; ++e)
        for (f = p->G.ystart[j]; f < p->G.ystart[j + 1]; ++f) if (p->G.ycol[e] == p->G.ycol[f]) return 1;
    return 0;
}

/* A screen of the problem as it is without impulses; what it leaves out. */
static int screened(slip_screen *s, const slip_problem *p, slip_arena *mem)
{
    int i;

    TEST_ASSERT_EQUAL_INT(1, slip_screen_carve(s, p, mem));
    for (i = 0; i < p->n; ++i) { lambda[i] = 0;  sigma[i] = p->g[i]; }
    return slip_screen_pick(s, lambda, sigma, work);
}

static void test_what_separates_is_left_out_and_the_rest_falls_into_parts(void)
{
    int mixed, i, j;

    for (mixed = 0; mixed < 2; ++mixed) {
        aid_factored *a = gaps(5, mixed);
        const slip_problem *p = &a->p;
        slip_arena mem = fresh();
        slip_screen s;

        TEST_ASSERT_EQUAL_INT(8, screened(&s, p, &mem));
        for (i = 0; i < NC; ++i) TEST_ASSERT_EQUAL_INT(i/4 == 3 || i/4 == 6, s.group[i] < 0);
        slip_screen_split(&s);
        TEST_ASSERT_EQUAL_INT(mixed ? 2 : 3, s.groups);        /* the tie joins the lowest and the topmost part */
        for (i = 0; i < slip_block_count(p); ++i)
            for (j = 0; j < i; ++j)
                if (s.group[i] >= 0 && s.group[j] >= 0 && s.group[i] != s.group[j])
                    TEST_ASSERT_EQUAL_INT(0, share_a_coordinate(p, i, j));
        aid_factored_free(a);
    }
}

/* Blocks of p that are in part k, in order. */
static int members(const slip_screen *s, int k, int *block)
{
    int i, count = 0;

    for (i = 0; i < slip_block_count(s->p); ++i) if (s->group[i] == k) block[count++] = i;
    return count;
}

static void test_a_part_is_the_same_problem_in_fewer_rows(void)
{
    aid_factored *a = gaps(5, 1);
    const slip_problem *p = &a->p;
    slip_arena mem = fresh();
    slip_screen s;
    int block[NC + 2], i, j, e, k, r, rows = 0;

    screened(&s, p, &mem);
    slip_screen_split(&s);
    for (i = 0; i < p->n; ++i) lambda[i] = (slip_real)(i + 1);
    for (k = 0; k < s.groups; ++k) {
        const int count = members(&s, k, block);

        slip_screen_make(&s, k, lambda);
        TEST_ASSERT_EQUAL_INT(count, slip_block_count(&s.part));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_problem_check_quick(&s.part));
        rows += s.part.n;
        for (i = 0; i < count; ++i) {
            const int dim = slip_block_dim(p, block[i]), row = slip_block_row(p, block[i]);
            const int at = slip_block_row(&s.part, i);

            TEST_ASSERT_EQUAL_INT(dim, slip_block_dim(&s.part, i));
            if (dim == 3) TEST_ASSERT(s.part.mu[i] == p->mu[block[i]]);
            for (r = 0; r < dim; ++r) {
                TEST_ASSERT(s.part.g[at + r] == p->g[row + r] && s.part.R[at + r] == p->R[row + r]);
                TEST_ASSERT(s.lambda[at + r] == lambda[row + r]);
                s.lambda[at + r] = -lambda[row + r];
            }
            for (j = 0; j < count; ++j) {
                slip_real want[9], is[9];

                slip_problem_block(p, block[i], block[j], want);
                slip_problem_block(&s.part, i, j, is);
                for (e = 0; e < dim*slip_block_dim(&s.part, j); ++e) TEST_ASSERT(want[e] == is[e]);
            }
        }
        slip_screen_spread(&s, k, s.lambda, lambda);
    }
    TEST_ASSERT_EQUAL_INT(p->n - 24, rows);
    for (i = 0; i < p->n; ++i) {
        const int out = i < 3*NC && s.group[i/3] < 0;

        TEST_ASSERT(lambda[i] == (slip_real)(out ? i + 1 : -(i + 1)));
    }
    aid_factored_free(a);
}

static void test_what_is_pushed_stays_and_what_would_overlap_comes_back(void)
{
    aid_factored *a = gaps(5, 0);
    slip_arena mem = fresh();
    slip_screen s;

    TEST_ASSERT_EQUAL_INT(8, screened(&s, &a->p, &mem));
    sigma[3*13 + 2] = SLIP_R(-1e-3);
    TEST_ASSERT_EQUAL_INT(1, slip_screen_add(&s, sigma));
    TEST_ASSERT_EQUAL_INT(0, slip_screen_add(&s, sigma));
    slip_screen_split(&s);
    TEST_ASSERT_EQUAL_INT(2, s.groups);
    sigma[3*13 + 2] = 5;
    lambda[3*13 + 2] = 1;                                      /* pushed, and off by 5 m/s: nothing is sure then */
    TEST_ASSERT_EQUAL_INT(0, slip_screen_pick(&s, lambda, sigma, work));
    aid_factored_free(a);
}

/* The dual cone of an infinite mu is a ray: such a contact does not slide even where it is open. */
static void test_a_contact_that_cannot_slip_stays_though_it_opens(void)
{
    aid_factored *a = gaps(5, 0);
    slip_arena mem = fresh();
    slip_screen s;

    a->mu[13] = (slip_real)INFINITY;
    TEST_ASSERT_EQUAL_INT(7, screened(&s, &a->p, &mem));
    TEST_ASSERT_EQUAL_INT(0, s.group[13]);
    aid_factored_free(a);
}

static slip_real excess_of(const slip_problem *p, const slip_solver_options *opt)
{
    slip_residual r;

    slip_residual_of(p, lambda, sigma, &r);
    return slip_residual_excess(&r, opt->tol, opt->tol_rule);
}

/* Faces that touch and bear nothing, beside impulses that all but answer the problem: they do not separate, and are
 * left out all the same; not where something is off. */
static void test_where_hardly_anything_is_off_what_does_not_push_is_left_out(void)
{
    slip_solver_options opt = slip_solver_defaults();
    aid_factored *a = gaps(5, 0);
    slip_solution sol = slip_solution_over(lambda, sigma, NULL);
    slip_arena mem = fresh();
    slip_screen s;
    int i;

    for (i = 0; i < a->p.n; ++i) lambda[i] = 0;
    sol.warm = a->p.n;
    opt.tol = SLIP_TOL(1e-10, 1e-4);             /* well below what counts as a push */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_default(&a->p, &opt, &sol, &mem));
    for (i = 0; i < NC; ++i) if (i/4 == 3 || i/4 == 6) a->g[3*i + 2] -= sigma[3*i + 2];
    slip_problem_apply(&a->p, lambda, sigma);
    for (i = 0; i < a->p.n; ++i) sigma[i] += a->g[i];
    mem = fresh();
    TEST_ASSERT_EQUAL_INT(1, slip_screen_carve(&s, &a->p, &mem));
    TEST_ASSERT(slip_screen_pick(&s, lambda, sigma, work) >= 8);
    for (i = 0; i < NC; ++i) TEST_ASSERT_EQUAL_INT(lambda[3*i + 2] < SLIP_R(1e-6), s.group[i] < 0);
    for (i = 0; i < NC; ++i) if (i/4 == 3 || i/4 == 6) TEST_ASSERT(sigma[3*i + 2] < SLIP_R(1e-6) && s.group[i] < 0);
    sigma[2] = SLIP_R(-0.01);
    TEST_ASSERT_EQUAL_INT(0, slip_screen_pick(&s, lambda, sigma, work));
    aid_factored_free(a);
}

/* Warm, so that contacts are left out, with gaps that stay and gaps that close in the step. */
static void test_the_default_solves_the_whole_problem(void)
{
    static const slip_real speeds[] = { SLIP_R(5), SLIP_R(0.05), SLIP_R(0.005), 0, SLIP_R(-0.5) };
    slip_solver_options opt = slip_solver_defaults();
    int k, mixed, i;

    for (mixed = 0; mixed < 2; ++mixed)
        for (k = 0; k < (mixed ? 4 : 5); ++k) {                /* not jammed under the ceiling: too much for float */
            aid_factored *a = gaps(speeds[k], mixed);
            slip_solution sol = slip_solution_over(lambda, sigma, NULL);
            slip_arena mem = fresh();

            for (i = 0; i < a->p.n; ++i) lambda[i] = 0;
            sol.warm = a->p.n;
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_default(&a->p, &opt, &sol, &mem));
            TEST_ASSERT(excess_of(&a->p, &opt) <= 1);
            TEST_ASSERT(sol.iterations > 0);
            for (i = 0; k == 0 && i < NC; ++i)                 /* exactly: they were not in the problem */
                if (i/4 == 3 || i/4 == 6) TEST_ASSERT(lambda[3*i] == 0 && lambda[3*i + 1] == 0 && lambda[3*i + 2] == 0);
            aid_factored_free(a);
        }
}

/* Whether a history saw the lowest contacts move while the topmost ones were still at their start: parts are solved
 * one after another, a whole problem at once. */
typedef struct { const slip_real *start; int n, in_parts, reports; } parts_seen;

static void watch_parts(void *context, const slip_iteration *it)
{
    parts_seen *w = (parts_seen *)context;
    const size_t face = 12*sizeof(slip_real);

    ++w->reports;
    if (memcmp(it->lambda, w->start, face) != 0
        && memcmp(it->lambda + w->n - 12, w->start + w->n - 12, face) == 0) w->in_parts = 1;
}

/* A tower of `cubes` of which the faces below cubes `first` and `second` separate (second = 0: none), pressed together
 * everywhere else at the start. */
static int is_solved_in_parts(int cubes, int first, int second)
{
    slip_real mass[CUBES], push[3*CUBES] = { 0 }, start[MOST];
    slip_solver_options opt = slip_solver_defaults();
    slip_solution sol = slip_solution_over(lambda, sigma, NULL);
    slip_arena mem = fresh();
    parts_seen seen = { start, 12*cubes, 0, 0 };
    aid_factored *a;
    int i;

    for (i = 0; i < cubes; ++i) { mass[i] = 1;  push[3*i + 2] = SLIP_R(-0.01)*(slip_real)(cubes - i); }
    a = aid_tower(cubes, mass, push, SLIP_R(0.5), 0);
    TEST_ASSERT_EQUAL_INT(seen.n, a->p.n);
    for (i = 0; i < a->p.n; ++i) {
        const int face = i/12, is_open = face == first || (second && face == second);

        if (i % 3 == 2 && is_open) a->g[i] += 5;
        start[i] = lambda[i] = i % 3 == 2 && !is_open ? SLIP_R(1e-3) : 0;
    }
    opt.history = watch_parts;
    opt.history_context = &seen;
    sol.warm = a->p.n;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_default(&a->p, &opt, &sol, &mem));
    TEST_ASSERT(excess_of(&a->p, &opt) <= 1 && sol.iterations > 0);
    if (seen.in_parts && sizeof(slip_real) == sizeof(double)) {      /* each part may take the limit */
        TEST_ASSERT_LESS_THAN_INT(seen.reports, sol.iterations);
        memcpy(lambda, start, (size_t)a->p.n*sizeof *lambda);
        opt.max_iterations = sol.iterations;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_default(&a->p, &opt, &sol, &mem));
    }
    aid_factored_free(a);
    return seen.in_parts;
}

/* From 60 rows on, and where a quarter of the contacts or more stay open: less does not pay for the search. */
static void test_only_large_problems_with_many_open_contacts_are_split(void)
{
    TEST_ASSERT(is_solved_in_parts(8, 3, 6));                  /* 96 rows, 8 of 32 contacts */
    TEST_ASSERT(!is_solved_in_parts(8, 3, 0));                 /*          4 of 32          */
    TEST_ASSERT(is_solved_in_parts(5, 1, 3));                  /* 60 rows                   */
    TEST_ASSERT(!is_solved_in_parts(4, 1, 2));                 /* 48 rows                   */
}

/* A heap whose warm start is off by a tenth: whatever the budget, it is kept, and what comes back is no worse than what
 * came in. */
static void test_a_budget_is_kept_and_no_start_is_made_worse(void)
{
    static const int budgets[] = { 1, 2, 5, 20 };
    slip_solver_options opt = slip_solver_defaults();
    slip_random rng = slip_random_seed(3);
    int k, t, i, cut = 0;

    for (t = 0; t < 20; ++t)
        for (k = 0; k < 4; ++k) {
            aid_factored *a = gaps(5, t % 2);
            slip_solution sol = slip_solution_over(lambda, sigma, NULL);
            slip_arena mem = fresh();
            slip_real before;

            for (i = 0; i < a->p.n; ++i) a->g[i] += SLIP_R(0.02)*slip_random_normal(&rng);
            for (i = 0; i < a->p.n; ++i) lambda[i] = SLIP_R(0.02)*slip_random_normal(&rng);
            for (i = 0; i < a->p.nc; ++i) {                                    /* within the cones */
                lambda[3*i] = lambda[3*i + 1] = 0;
                lambda[3*i + 2] = i/4 == 3 || i/4 == 6 ? 0 : slip_abs(lambda[3*i + 2]);
            }
            before = excess_of(&a->p, &opt);
            sol.warm = a->p.n;
            opt.max_iterations = budgets[k];
            TEST_ASSERT(slip_default(&a->p, &opt, &sol, &mem) >= 0);
            TEST_ASSERT(sol.iterations <= budgets[k]);
            TEST_ASSERT(excess_of(&a->p, &opt) <= slip_max(1, before*(1 + SLIP_TOL(1e-12, 1e-4))));
            cut += sol.status != SLIP_OK;
            aid_factored_free(a);
        }
    TEST_ASSERT(cut > 10);
}

/* With the memory that is asked for, and with less. */
static void test_memory_decides_about_the_way_not_about_the_answer(void)
{
    slip_solver_options opt = slip_solver_defaults();
    aid_factored *a = gaps(5, 1);
    const size_t asked = slip_default_bytes(&a->p, &opt);
    int k, i;

    for (k = 0; k < 2; ++k) {
        slip_solution sol = slip_solution_over(lambda, sigma, NULL);
        slip_arena mem = slip_arena_over(memory, k ? asked : asked/3);

        TEST_ASSERT(asked <= room);
        for (i = 0; i < a->p.n; ++i) lambda[i] = 0;
        sol.warm = a->p.n;
        TEST_ASSERT(slip_default(&a->p, &opt, &sol, &mem) >= 0);
        if (sol.status == SLIP_OK) TEST_ASSERT(excess_of(&a->p, &opt) <= 1);
        TEST_ASSERT(k == 0 || sol.status == SLIP_OK);
    }
    aid_factored_free(a);
}

int main(void)
{
    int failed;

    memory = malloc(room);
    if (!memory) return 1;
    UNITY_BEGIN();
    RUN_TEST(test_what_separates_is_left_out_and_the_rest_falls_into_parts);
    RUN_TEST(test_a_part_is_the_same_problem_in_fewer_rows);
    RUN_TEST(test_what_is_pushed_stays_and_what_would_overlap_comes_back);
    RUN_TEST(test_a_contact_that_cannot_slip_stays_though_it_opens);
    RUN_TEST(test_where_hardly_anything_is_off_what_does_not_push_is_left_out);
    RUN_TEST(test_the_default_solves_the_whole_problem);
    RUN_TEST(test_only_large_problems_with_many_open_contacts_are_split);
    RUN_TEST(test_a_budget_is_kept_and_no_start_is_made_worse);
    RUN_TEST(test_memory_decides_about_the_way_not_about_the_answer);
    failed = UNITY_END();
    free(memory);
    return failed;
}
