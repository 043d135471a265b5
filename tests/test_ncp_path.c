/* ncp-path: what every solver must do, and what this one claims. */
#include "solver_battery.h"

#include <stdlib.h>
#include "contact_aid.h"
#include "solvers/ipm.h"
#include "solvers/solvers.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

enum { PAIRS = 16, EACH = 4, CONTACTS = PAIRS*EACH, ROWS = 3*CONTACTS, FREEDOMS = 6*(PAIRS + 1) };

/* A chain of bodies, each pair meeting in four contacts: Y row block i touches the twelve freedoms of two bodies. */
typedef struct {
    slip_problem p;
    slip_real mu[CONTACTS], g[ROWS], y[12*ROWS], work[FREEDOMS];
    int ystart[CONTACTS + 1], ycol[12*CONTACTS], yat[CONTACTS];
} ipm_chain;

static void chain_make(ipm_chain *c)
{
    slip_random rng = slip_random_seed(5);
    int i, k;

    for (i = 0; i <= CONTACTS; ++i) c->ystart[i] = 12*i;
    for (i = 0; i < CONTACTS; ++i) {
        c->mu[i] = SLIP_R(0.5);
        c->yat[i] = 36*i;
        for (k = 0; k < 12; ++k) c->ycol[12*i + k] = 6*(i/EACH) + k;
        for (k = 0; k < 3; ++k) c->g[3*i + k] = (k == 2 ? -1 : 0) + SLIP_R(0.5)*slip_random_normal(&rng);
    }
    for (i = 0; i < 12*ROWS; ++i) c->y[i] = slip_random_normal(&rng);
    c->p = slip_problem_dense_rows(CONTACTS, 0, 0, c->mu, c->g, NULL, NULL, ROWS);
    c->p.G.form = SLIP_G_FACTOR;
    c->p.G.symmetric = 1;
    c->p.G.nv = FREEDOMS;
    c->p.G.ystart = c->ystart;
    c->p.G.ycol = c->ycol;
    c->p.G.yat = c->yat;
    c->p.G.y = c->y;
    c->p.G.work = c->work;
}

/* The route that is taken with exactly the memory asked for. */
static slip_operator_route chain_route(const slip_problem *p, const slip_solver_options *opt)
{
    const size_t bytes = slip_ncp_path_bytes(p, opt);
    void *memory = malloc(bytes);
    slip_arena mem = slip_arena_over(memory, bytes);
    slip_ipm w;

    TEST_ASSERT(memory && slip_ipm_carve(&w, p, opt, &mem) == SLIP_OK);
    free(memory);
    return w.op->route;
}

/* Full matrix, blocks and joints' space are three ways to the same step; float keeps to the first two. */
static void test_the_three_factorisations_give_the_same_answer(void)
{
    const slip_operator_route joint = sizeof(slip_real) == sizeof(double) ? SLIP_OPERATOR_JOINT : SLIP_OPERATOR_DENSE;
    const slip_operator_route want[3] = { SLIP_OPERATOR_DENSE, SLIP_OPERATOR_SPARSE, joint };
    static slip_real lambda[3][ROWS], sigma[3][ROWS];
    static ipm_chain c;
    slip_solver_options opt = slip_solver_defaults();
    const size_t room = 4u << 20;
    void *memory = malloc(room);
    int k, i;

    TEST_ASSERT(memory != NULL);
    opt.tol = SLIP_TOL(1e-9, 1e-4);
    chain_make(&c);
    for (k = 0; k < 3; ++k) {
        slip_problem p = c.p;
        slip_arena mem = slip_arena_over(memory, room);
        slip_solution sol;

        TEST_ASSERT(k == 1 ? slip_problem_to_blocks(&p, &mem) >= 0 : slip_problem_to_dense(&p, &mem) >= 0);
        if (k < 2) p.G.nv = 0;
        TEST_ASSERT_EQUAL_INT(want[k], chain_route(&p, &opt));
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, aid_solve(slip_ncp_path, slip_ncp_path_bytes, &p, &opt, 0, lambda[k],
                                                         sigma[k], &sol),
                                      k == 0 ? "full" : k == 1 ? "blocks" : "joints");
    }
    for (k = 1; k < 3; ++k)
        for (i = 0; i < ROWS; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 2e-2), (double)sigma[0][i], (double)sigma[k][i]);
    free(memory);
}

/* A factor with four times as many columns as rows is of no use, and must not cost memory that was not asked for. */
static void test_a_factor_of_no_use_takes_no_memory(void)
{
    static ipm_chain c;
    const slip_solver_options opt = slip_solver_defaults();
    const size_t room = 4u << 20;
    void *memory = malloc(room);
    slip_arena mem = slip_arena_over(memory, room);
    slip_problem p;
    int i;

    chain_make(&c);
    for (i = 0; i < 12*CONTACTS; ++i) c.ycol[i] = i;                         /* each contact on freedoms of its own */
    p = c.p;
    p.G.nv = 12*CONTACTS;
    p.G.work = (slip_real *)slip_arena_take(&mem, 12*CONTACTS, sizeof(slip_real));
    TEST_ASSERT(p.G.work && slip_problem_to_dense(&p, &mem) >= 0);
    TEST_ASSERT_EQUAL_INT(SLIP_OPERATOR_DENSE, chain_route(&p, &opt));
    free(memory);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ncp-path");
    battery_singles = (int)SLIP_TOL(100000, 20000);
    battery_rare = (int)SLIP_TOL(0, 1);
    RUN_TEST(battery_single_contacts_agree_with_brute_force_to_1e_9);
    RUN_TEST(battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    RUN_TEST(test_the_three_factorisations_give_the_same_answer);
    RUN_TEST(test_a_factor_of_no_use_takes_no_memory);
    return UNITY_END();
}
