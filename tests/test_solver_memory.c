/* Memory of Newton, interior point and default: what they ask for is enough, with and without a known factor of G, and
 * less of it ends in an answer or in a refusal, never in a wrong word. */
#include "factor_aid.h"

#include <stdlib.h>
#include <string.h>
#include "slipstick_parts.h"
#include "solvers/solvers.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

enum { ROWS = 320 };

typedef struct { const char *name; slip_solve_function *solve; slip_bytes_function *bytes; } memory_solver;

static const memory_solver solvers[] = { { "ncp-newton", slip_ncp_newton, slip_ncp_newton_bytes },
                                         { "ncp-path", slip_ncp_path, slip_ncp_path_bytes },
                                         { "default", slip_default, slip_default_bytes } };

static slip_real lambda[ROWS], sigma[ROWS];

/* `nc` contacts along a chain of nv coordinates, twelve each; g is what a motion of the coordinates causes. */
static aid_factored *memory_chain(slip_random *rng, int nc, int nv)
{
    aid_factored *a = aid_factored_new(nc, 0, 0, nv, 12);
    const int width = nv < 12 ? nv : 12;
    slip_real motion[ROWS];
    int column[12], i, k, c;

    for (c = 0; c < nv; ++c) motion[c] = slip_random_normal(rng);
    for (i = 0; i < nc; ++i) {
        slip_real *y;

        for (c = 0; c < width; ++c) column[c] = i*(nv - width)/(nc - 1) + c;
        y = aid_factored_block(a, width, column);
        for (c = 0; c < 3*width; ++c) y[c] = slip_random_normal(rng);
        for (k = 0; k < 3; ++k) for (c = 0; c < width; ++c) a->g[3*i + k] += y[k*width + c]*motion[column[c]];
        a->mu[i] = SLIP_R(0.5);
    }
    return a;
}

/* With `size` poisoned bytes: all NaN, and a guard behind them. */
static slip_status memory_solve(const memory_solver *s, const slip_problem *p, const slip_solver_options *opt,
                                size_t size)
{
    unsigned char *block = (unsigned char *)malloc(size + 64);
    slip_arena mem = slip_arena_over(block, size);
    slip_solution sol = slip_solution_over(lambda, sigma, NULL);
    slip_status status;
    size_t i;

    if (!block) abort();
    memset(block, 0xff, size + 64);
    status = s->solve(p, opt, &sol, &mem);
    for (i = 0; i < 64; ++i) TEST_ASSERT_EQUAL_INT(0xff, block[size + i]);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, (int)slip_arena_mark(&mem), s->name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(status, sol.status, s->name);
    free(block);
    return status;
}

/* The word and the judge agree. */
static void memory_is_honest(const slip_problem *p, const slip_solver_options *opt, slip_status status,
                             const char *name)
{
    slip_residual r;

    TEST_ASSERT_MESSAGE(slip_all_finite(lambda, p->n), name);
    slip_residual_of(p, lambda, sigma, &r);
    if (status == SLIP_OK) TEST_ASSERT_MESSAGE(slip_residual_excess(&r, opt->tol, opt->tol_rule) <= 1, name);
}

/* p in form k: full, blocks, factor; the first two with the factor known when `known`. */
static slip_problem memory_form(const aid_factored *a, int k, int known, slip_arena *mem)
{
    slip_problem p = a->p;

    if (k == 0) TEST_ASSERT(slip_problem_to_dense(&p, mem) >= 0);
    if (k == 1) TEST_ASSERT(slip_problem_to_blocks(&p, mem) >= 0);
    if (k < 2 && !known) p.G.nv = 0;
    return p;
}

static void test_what_is_asked_for_is_enough(void)
{
    slip_random rng = slip_random_seed(41);
    slip_solver_options opt = slip_solver_defaults();
    const size_t room = 8u << 20;
    void *memory = malloc(room);
    int nc, nv, k, s, known;

    opt.max_iterations = 60;
    for (nc = 4; nc <= 60; nc += nc < 20 ? 3 : 13)
        for (nv = 6; nv < 3*nc; nv += 1 + 3*nc/9) {
            aid_factored *a = memory_chain(&rng, nc, nv);

            for (k = 0; k < 3; ++k)
                for (known = 0; known < 2; ++known) {
                    slip_arena mem = slip_arena_over(memory, room);
                    const slip_problem p = memory_form(a, k, known, &mem);

                    for (s = 0; s < 3; ++s) {
                        const slip_status status = memory_solve(&solvers[s], &p, &opt, solvers[s].bytes(&p, &opt));

                        TEST_ASSERT_MESSAGE(status >= 0, solvers[s].name);
                        memory_is_honest(&p, &opt, status, solvers[s].name);
                    }
                }
            aid_factored_free(a);
        }
    free(memory);
}

/* Any amount up to all of it. */
static void test_less_ends_in_an_answer_or_a_refusal(void)
{
    static const slip_real mass[5] = { 1, 1000, 1, 1000, 1 };
    slip_real push[15] = { 0 };
    slip_solver_options opt = slip_solver_defaults();
    const size_t room = 1u << 20;
    void *memory = malloc(room);
    int k, s, i, part, solved = 0, refused = 0;
    aid_factored *a;

    for (k = 0; k < 5; ++k) { push[3*k] = SLIP_R(0.01)*(slip_real)(k % 2);  push[3*k + 2] = SLIP_R(-0.01); }
    a = aid_tower(5, mass, push, SLIP_R(0.7), 0);
    opt.max_iterations = 1500;
    opt.tol_rule = SLIP_TOL_RELATIVE;
    for (k = 0; k < 3; ++k) {
        slip_arena mem = slip_arena_over(memory, room);
        const slip_problem p = memory_form(a, k, 1, &mem);

        for (s = 0; s < 3; ++s)
            for (part = 1; part <= 24; ++part) {
                slip_status status;

                for (i = 0; i < p.n; ++i) lambda[i] = 7;
                status = memory_solve(&solvers[s], &p, &opt, solvers[s].bytes(&p, &opt)*(size_t)part/24);
                if (status < 0) {
                    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_ERR_WORKSPACE, status, solvers[s].name);
                    for (i = 0; i < p.n; ++i) TEST_ASSERT_EQUAL_DOUBLE(7, lambda[i]);
                    ++refused;
                } else {
                    memory_is_honest(&p, &opt, status, solvers[s].name);
                    solved += status == SLIP_OK;
                }
                TEST_ASSERT(part < 24 || status >= 0);
            }
    }
    TEST_ASSERT(refused > 0 && (solved > 0 || sizeof(slip_real) == sizeof(float)));      /* 1 : 1000 is much for float */
    aid_factored_free(a);
    free(memory);
}

/* A cube between a floor and a ceiling that close in on it has no answer. Every stage has a go with the memory that is
 * counted, and the default says that it is not solved. */
static void test_the_default_says_so_where_there_is_no_answer(void)
{
    static const int column[6] = { 0, 1, 2, 3, 4, 5 };
    aid_factored *a = aid_factored_new(12, 0, 0, 6, 6);
    const size_t room = 1u << 20;
    void *memory = malloc(room);
    int i, k;

    for (i = 0; i < 12; ++i) {
        const slip_real up = i % 3 ? 1 : -1, h = SLIP_R(0.5), x = i & 1 ? h : -h, y = i & 2 ? h : -h;
        const slip_real rows[18] = { 1, 0, 0, 0, -h*up, -y,   0, up, 0, h, 0, up*x,   0, 0, up, up*y, -up*x, 0 };

        memcpy(aid_factored_block(a, 6, column), rows, sizeof rows);
        a->mu[i] = SLIP_R(0.5);
        a->g[3*i + 2] = -1;
    }
    for (k = 0; k < 3; ++k) {
        const slip_solver_options opt = slip_solver_defaults();
        slip_arena mem = slip_arena_over(memory, room);
        const slip_problem p = memory_form(a, k, 1, &mem);

        const slip_status status = memory_solve(&solvers[2], &p, &opt, slip_default_bytes(&p, &opt));

        TEST_ASSERT(status > SLIP_OK);
    }
    aid_factored_free(a);
    free(memory);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_is_asked_for_is_enough);
    RUN_TEST(test_less_ends_in_an_answer_or_a_refusal);
    RUN_TEST(test_the_default_says_so_where_there_is_no_answer);
    return UNITY_END();
}
