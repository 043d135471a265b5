/* G plus a block diagonal: the choice of the route by flops, and all routes against a full matrix written out. */
#include "unity.h"
#include "contact_aid.h"
#include "factor_aid.h"

#include <stdlib.h>
#include "contact/delassus.h"
#include "contact/lu.h"
#include "contact/operator.h"

enum { ROWS = 240, ROOM = 16 << 20 };

static void *memory;
static slip_real full[ROWS*ROWS], A[ROWS*ROWS], W[3*ROWS*9], Z[3*ROWS*9], D[ROWS], want[ROWS], x[ROWS];
static int pivot[ROWS];

void setUp(void) { memory = malloc(ROOM); }
void tearDown(void) { free(memory); }

/* A chain of `bodies` free bodies with `each` contacts between neighbours, then a limit and a bilateral row on the
 * first body, in the FACTOR form. */
static aid_factored *operator_chain(slip_random *rng, int bodies, int each)
{
    aid_factored *a = aid_factored_new(each*(bodies - 1), 1, 1, 6*bodies, 12);
    int i, k, column[12];

    for (i = 0; i < each*(bodies - 1) + 2; ++i) {
        const int contact = i < each*(bodies - 1), first = contact ? 6*(i/each) : 0, width = contact ? 12 : 6;
        slip_real *y;

        for (k = 0; k < width; ++k) column[k] = first + k;
        y = aid_factored_block(a, width, column);
        for (k = 0; k < (contact ? 3 : 1)*width; ++k) y[k] = slip_random_normal(rng);
    }
    return a;
}

/* ---- the choice ----------------------------------------------------------------------------------------------- */

static void test_the_costs_are_flops_counted_by_hand(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2.0/3*27000, slip_operator_dense_flops(30));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 54*100, slip_operator_sparse_flops(100, 100));      /* a product for each pivot */
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 54.0*10*100, slip_operator_sparse_flops(10, 100));  /* m rows of m blocks       */
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 96*12 + 96*2, slip_operator_joint_flops(12, 6, 6)); /* one body                 */
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 96*4*12 + 96*2*8, slip_operator_joint_flops(12, 12, 12));
}

/* The estimate for all nodes coupled is what the analysis counts, up to the lower terms of a sum of squares. */
static void test_the_estimate_over_coordinates_agrees_with_the_analysed_count(void)
{
    slip_random rng = slip_random_seed(1);
    aid_factored *a = aid_factored_new(40, 0, 0, 36, 36);
    slip_arena mem = slip_arena_over(memory, ROOM);
    slip_joint_space j;
    double guess;
    int i, k, column[36];

    for (k = 0; k < 36; ++k) column[k] = k;
    for (i = 0; i < 40; ++i) {
        slip_real *y = aid_factored_block(a, 36, column);

        for (k = 0; k < 108; ++k) y[k] = slip_random_normal(&rng);
    }
    TEST_ASSERT(slip_joint_space_carve(&j, &a->p, &mem));
    guess = slip_operator_joint_flops(120, 36, 36);
    TEST_ASSERT_DOUBLE_WITHIN(0.1*guess, slip_joint_space_flops(&j), guess);
    aid_factored_free(a);
}

static void test_blocks_are_kept_where_less_than_0_577_of_them_exist(void)
{
    TEST_ASSERT(slip_operator_prefers_blocks(90, 30, 510));
    TEST_ASSERT(!slip_operator_prefers_blocks(90, 30, 530));
    TEST_ASSERT(slip_operator_prefers_blocks(9000, 3000, 5190000));
    TEST_ASSERT(!slip_operator_prefers_blocks(9000, 3000, 5200000));
}

/* A floating robot of 18 coordinates, nine at each contact: 384 n + 5184 against 2/3 n^3. */
static void test_Y_is_kept_where_the_coordinates_are_cheaper_than_the_rows(void)
{
    TEST_ASSERT(!slip_operator_prefers_factor(27, 18, 9));
    TEST_ASSERT(slip_operator_prefers_factor(30, 18, 9));
    TEST_ASSERT(!slip_operator_prefers_factor(12, 6, 6));
    TEST_ASSERT(slip_operator_prefers_factor(15, 6, 6));
    TEST_ASSERT(!slip_operator_prefers_factor(600, 600, 12));
    TEST_ASSERT(slip_operator_prefers_factor(700, 600, 12));
}

static slip_operator_route operator_route(const slip_problem *p, double *flops)
{
    slip_arena mem = slip_arena_over(memory, ROOM);
    slip_operator o;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_operator_carve(&o, p, &mem));
    *flops = o.flops;
    return o.route;
}

static void test_the_route_with_the_fewest_flops_is_taken(void)
{
    const int joint = sizeof(slip_real) == sizeof(double);
    slip_random rng = slip_random_seed(2);
    aid_factored *a = operator_chain(&rng, 11, 4);
    void *more = malloc(ROOM);
    slip_arena mem = slip_arena_over(more, ROOM);
    slip_problem factor = a->p, blocks = a->p, dense = a->p;
    double flops, dense_flops = slip_operator_dense_flops(a->p.n);

    TEST_ASSERT(slip_problem_to_blocks(&blocks, &mem) >= 0 && slip_problem_to_dense(&dense, &mem) >= 0);
    TEST_ASSERT_EQUAL_INT(joint ? SLIP_OPERATOR_JOINT : SLIP_OPERATOR_DENSE, operator_route(&factor, &flops));
    TEST_ASSERT(joint ? flops < dense_flops : flops == dense_flops);
    blocks.G.nv = dense.G.nv = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_OPERATOR_SPARSE, operator_route(&blocks, &flops));
    TEST_ASSERT(flops < dense_flops);
    TEST_ASSERT_EQUAL_INT(SLIP_OPERATOR_DENSE, operator_route(&dense, &flops));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, dense_flops, flops);
    TEST_ASSERT_EQUAL_INT(SLIP_OPERATOR_JOINT, slip_operator_choose(&factor));
    TEST_ASSERT_EQUAL_INT(SLIP_OPERATOR_SPARSE, slip_operator_choose(&blocks));
    TEST_ASSERT_EQUAL_INT(SLIP_OPERATOR_DENSE, slip_operator_choose(&dense));
    aid_factored_free(a);
    a = operator_chain(&rng, 3, 1);                      /* few rows on many coordinates: a full matrix of rows */
    TEST_ASSERT_EQUAL_INT(SLIP_OPERATOR_DENSE, operator_route(&a->p, &flops));
    TEST_ASSERT_EQUAL_INT(SLIP_OPERATOR_DENSE, slip_operator_choose(&a->p));
    TEST_ASSERT(slip_problem_to_blocks(&a->p, &mem) >= 0);
    a->p.G.nv = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_OPERATOR_DENSE, slip_operator_choose(&a->p));         /* 12 of 16 blocks exist */
    aid_factored_free(a);
    free(more);
}

/* ---- factor, solve, sign ---------------------------------------------------------------------------------------- */

/* full = W D G D + Z */
static void operator_write_out(const slip_problem *p)
{
    const int n = p->n;
    int i, r, c, k;

    slip_problem_full(p, A, n);
    for (i = 0; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);

        for (r = 0; r < dim; ++r)
            for (c = 0; c < n; ++c) {
                slip_real s = c >= row && c < row + dim ? Z[9*i + 3*r + c - row] : 0;

                for (k = 0; k < dim; ++k) s += W[9*i + 3*r + k]*D[row + k]*A[(row + k)*n + c]*D[c];
                full[(row + r)*n + c] = s;
            }
    }
}

/* W and Z neither symmetric nor definite. */
static void operator_random_blocks(slip_random *rng, const slip_problem *p)
{
    int i, k;

    for (i = 0; i < slip_block_count(p); ++i) {
        const slip_real d = slip_random_uniform(rng, SLIP_R(0.5), 2);

        for (k = 0; k < slip_block_dim(p, i); ++k) D[slip_block_row(p, i) + k] = d;
        for (k = 0; k < 9; ++k) {
            W[9*i + k] = SLIP_R(0.3)*slip_random_normal(rng);
            Z[9*i + k] = slip_random_normal(rng) + (k % 4 == 0 ? (i % 2 ? 4 : -4) : 0);
        }
    }
}

static void operator_check(const slip_problem *p, slip_operator_route route)
{
    slip_arena mem = slip_arena_over(memory, ROOM);
    slip_operator o;
    int i, k;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_operator_carve(&o, p, &mem));
    TEST_ASSERT_EQUAL_INT(route, o.route);
    slip_operator_open(&o, D);
    TEST_ASSERT(slip_operator_factor(&o, W, Z));
    for (i = 0; i < p->n; ++i) x[i] = p->g[i];
    slip_operator_solve(&o, x);
    for (i = 0; i < p->n; ++i)
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-8, 2e-2)*(1 + (double)slip_max_abs(p->n, want)), want[i], x[i]);
    TEST_ASSERT_EQUAL_INT(slip_lu_sign(p->n, full, p->n, pivot), o.sign);
    slip_operator_apply(&o, want, x);                    /* D G D want: A holds G (operator_write_out()) */
    for (i = 0; i < p->n; ++i) {
        slip_real sum = 0;

        for (k = 0; k < p->n; ++k) sum += D[i]*A[i*p->n + k]*D[k]*want[k];
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-8, 2e-2)*(1 + (double)slip_abs(sum)), sum, x[i]);
    }
}

static void test_all_routes_solve_the_same_system_and_have_its_sign(void)
{
    const slip_operator_route joint = slip_operator_allows_joint() ? SLIP_OPERATOR_JOINT : SLIP_OPERATOR_DENSE;
    slip_random rng = slip_random_seed(3);
    void *more = malloc(ROOM);
    slip_real g[ROWS];
    int trial, i, negative = 0;

    for (trial = 0; trial < 10; ++trial) {
        aid_factored *a = operator_chain(&rng, 8 + trial % 3, 3 + trial % 2);
        slip_arena mem = slip_arena_over(more, ROOM);
        slip_problem blocks, dense;

        TEST_ASSERT(a->p.n <= ROWS);
        for (i = 0; i < a->p.n; ++i) want[i] = g[i] = slip_random_normal(&rng);
        a->p.g = g;
        blocks = dense = a->p;
        TEST_ASSERT(slip_problem_to_blocks(&blocks, &mem) >= 0 && slip_problem_to_dense(&dense, &mem) >= 0);
        blocks.G.nv = dense.G.nv = 0;
        operator_random_blocks(&rng, &a->p);
        operator_write_out(&a->p);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_lu_factor(a->p.n, full, a->p.n, pivot));
        slip_lu_solve(a->p.n, full, a->p.n, pivot, want);
        negative += slip_lu_sign(a->p.n, full, a->p.n, pivot) < 0;
        operator_check(&dense, SLIP_OPERATOR_DENSE);
        operator_check(&blocks, SLIP_OPERATOR_SPARSE);
        operator_check(&a->p, joint);
        aid_factored_free(a);
    }
    TEST_ASSERT(negative > 0 && negative < 10);
    free(more);
}

/* A slightly asymmetric G: with `symmetrise` its symmetric part is meant, full or in blocks. */
static void test_the_symmetric_part_is_used_when_asked_for(void)
{
    slip_random rng = slip_random_seed(4);
    aid_factored *a = operator_chain(&rng, 9, 3);
    const int n = a->p.n;
    slip_real *given = (slip_real *)malloc((size_t)(n*n)*sizeof *given), *even = given, y[2][ROWS];
    void *more = malloc(ROOM);
    slip_arena mem = slip_arena_over(more, ROOM);
    slip_problem p[2];
    int i, j, k;

    slip_problem_full(&a->p, given, n);
    for (i = 0; i < n; ++i) for (j = 0; j < i; ++j) if (even[i*n + j] != 0) {
        even[i*n + j] += SLIP_R(0.01);
        even[j*n + i] -= SLIP_R(0.01);
    }
    p[0] = slip_problem_dense_rows(a->p.nc, 1, 1, a->p.mu, a->p.g, NULL, given, n);
    p[1] = p[0];
    TEST_ASSERT(slip_problem_to_blocks(&p[1], &mem) >= 0);
    operator_random_blocks(&rng, &a->p);
    operator_write_out(&a->p);                                           /* its G is the symmetric part of `given` */
    for (i = 0; i < n; ++i) want[i] = slip_random_normal(&rng);
    for (k = 0; k < 2; ++k) {
        slip_arena own = slip_arena_over(memory, ROOM);
        slip_operator o;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_operator_carve(&o, &p[k], &own));
        TEST_ASSERT_EQUAL_INT(k == 0 ? SLIP_OPERATOR_DENSE : SLIP_OPERATOR_SPARSE, o.route);
        o.symmetrise = 1;
        slip_operator_open(&o, D);
        TEST_ASSERT(slip_operator_factor(&o, W, Z));
        for (i = 0; i < n; ++i) y[k][i] = want[i];
        slip_operator_solve(&o, y[k]);
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_lu_factor(n, full, n, pivot));
    slip_lu_solve(n, full, n, pivot, want);
    for (k = 0; k < 2; ++k)
        for (i = 0; i < n; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-8, 2e-2)*(1 + (double)slip_max_abs(n, want)), want[i],
                                      y[k][i]);
    free(given);
    free(more);
    aid_factored_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_costs_are_flops_counted_by_hand);
    RUN_TEST(test_the_estimate_over_coordinates_agrees_with_the_analysed_count);
    RUN_TEST(test_blocks_are_kept_where_less_than_0_577_of_them_exist);
    RUN_TEST(test_Y_is_kept_where_the_coordinates_are_cheaper_than_the_rows);
    RUN_TEST(test_the_route_with_the_fewest_flops_is_taken);
    RUN_TEST(test_all_routes_solve_the_same_system_and_have_its_sign);
    RUN_TEST(test_the_symmetric_part_is_used_when_asked_for);
    return UNITY_END();
}
