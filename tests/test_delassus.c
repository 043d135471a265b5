/* The Delassus operator: its factorisations against each other and against plain residuals. */
#include "unity.h"
#include "contact_aid.h"
#include "slipstick_parts.h"
#include "contact/lu.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *memory;
static slip_arena mem;
enum { TEST_BYTES = 64 << 20 };

void setUp(void)
{
    memory = (unsigned char *)malloc(TEST_BYTES);
    mem = slip_arena_over(memory, TEST_BYTES);
}

void tearDown(void)
{
    free(memory);
}

/* Contacts between neighbours in a chain of bodies of 6 dofs each, in the FACTOR form: contact i touches the
 * bodies b and b + 1. Limits and bilateral rows touch one body. */
static slip_problem delassus_chain(slip_random *rng, int nc, int nl, int nb, int bodies)
{
    const int m = nc + nl + nb, n = 3*nc + nl + nb;
    int *start = slip_arena_ints(&mem, (size_t)m + 1), *at = slip_arena_ints(&mem, (size_t)m);
    int *col = slip_arena_ints(&mem, (size_t)(12*m));
    slip_real *y = slip_arena_reals(&mem, (size_t)(36*m)), *mu = slip_arena_reals(&mem, (size_t)nc);
    slip_real *g = slip_arena_reals(&mem, (size_t)n);
    slip_problem p = slip_problem_dense_rows(nc, nl, nb, mu, g, NULL, NULL, n);
    int i, k, used = 0, cols = 0;

    for (i = 0; i < m; ++i) {
        const int body = slip_random_int(rng, 0, bodies - 2), width = i < nc ? 12 : 6, dim = i < nc ? 3 : 1;

        start[i] = cols;
        at[i] = used;
        for (k = 0; k < width; ++k) col[cols++] = 6*body + k;
        for (k = 0; k < dim*width; ++k) y[used++] = slip_random_normal(rng);
    }
    start[m] = cols;
    for (i = 0; i < nc; ++i) mu[i] = SLIP_R(0.5);
    for (i = 0; i < n; ++i) g[i] = slip_random_normal(rng);
    p.G.form = SLIP_G_FACTOR;
    p.G.nv = 6*bodies;
    p.G.ystart = start;
    p.G.ycol = col;
    p.G.yat = at;
    p.G.y = y;
    p.G.work = slip_arena_reals(&mem, (size_t)p.G.nv);
    p.G.symmetric = 1;
    return p;
}

/* |A x - b| with A = G + shift, where x came from solving; G from the product under test elsewhere. */
static double delassus_defect(const slip_problem *p, const slip_real *shift, const slip_real *x, const slip_real *b)
{
    slip_real *r = (slip_real *)malloc((size_t)p->n*sizeof *r);
    double worst = 0;
    int i;

    slip_problem_apply(p, x, r);
    for (i = 0; i < p->n; ++i) {
        const double d = fabs((double)(r[i] + shift[i]*x[i] - b[i]));

        if (d > worst) worst = d;
    }
    free(r);
    return worst;
}

static void delassus_check_route(const slip_problem *p, slip_operator_route route, const slip_real *shift)
{
    slip_real *x = slip_arena_reals(&mem, (size_t)p->n);
    slip_gfactor f;
    int i;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_gfactor_prepare_route(&f, p, route, &mem));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_gfactor_shift(&f, p, shift));
    for (i = 0; i < p->n; ++i) x[i] = p->g[i];
    slip_gfactor_solve(&f, x);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 2e-2), 0, delassus_defect(p, shift, x, p->g));
}

static void test_the_three_forms_of_G_multiply_alike(void)
{
    slip_random rng = slip_random_seed(1);
    slip_problem p = delassus_chain(&rng, 12, 3, 2, 6), blocks = p, dense = p;
    slip_real x[41], a[41], b[41], c[41];
    int i;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_problem_to_blocks(&blocks, &mem));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_problem_to_dense(&dense, &mem));
    TEST_ASSERT(blocks.G.start[17] < 17*17);                     /* the chain leaves blocks out */
    for (i = 0; i < 41; ++i) x[i] = slip_random_normal(&rng);
    slip_problem_apply(&p, x, a);
    slip_problem_apply(&blocks, x, b);
    slip_problem_apply(&dense, x, c);
    for (i = 0; i < 41; ++i) {
        TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-11, 1e-3), a[i], b[i]);
        TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-11, 1e-3), a[i], c[i]);
    }
    slip_problem_diagonal(&p, a);
    slip_problem_diagonal(&blocks, b);
    for (i = 0; i < 41; ++i) {
        TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-11, 1e-3), a[i], b[i]);
        TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-11, 1e-3), a[i], dense.G.dense[i*41 + i]);
    }
}

static void test_sweeping_sees_the_same_velocity_as_the_product(void)
{
    slip_random rng = slip_random_seed(2);
    slip_problem p = delassus_chain(&rng, 8, 2, 1, 5), forms[3];
    slip_real lambda[27], c[27];
    int f, i, k;

    forms[0] = forms[1] = forms[2] = p;
    slip_problem_to_blocks(&forms[1], &mem);
    slip_problem_to_dense(&forms[2], &mem);
    for (f = 0; f < 3; ++f) {
        slip_sweep s;

        memset(lambda, 0, sizeof lambda);
        s = slip_sweep_begin(&forms[f], lambda);
        for (k = 0; k < 50; ++k) {
            slip_real v[3] = { 0, 0, 0 }, row[3];

            i = slip_random_int(&rng, 0, 10);
            v[0] = slip_random_normal(&rng);
            v[1] = slip_random_normal(&rng);
            slip_sweep_set(&s, i, v);
            i = slip_random_int(&rng, 0, 10);
            slip_sweep_row(&s, i, row);
            slip_problem_velocity(&forms[f], lambda, c);
            TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-10, 1e-2), c[slip_block_row(&p, i)], row[0]);
            s = slip_sweep_begin(&forms[f], lambda);             /* the product used the factored form's scratch */
        }
    }
}

static void test_dense_sparse_and_joint_routes_solve(void)
{
    slip_random rng = slip_random_seed(3);
    int n;

    for (n = 0; n < 20; ++n) {
        const size_t mark = slip_arena_mark(&mem);
        slip_problem p = delassus_chain(&rng, slip_random_int(&rng, 1, 40), n % 4, n % 3, 10), blocks = p;
        slip_real *shift = slip_arena_reals(&mem, (size_t)p.n);
        int i;

        slip_problem_to_blocks(&blocks, &mem);
        for (i = 0; i < p.n; ++i) shift[i] = slip_random_uniform(&rng, SLIP_R(0.1), 1);
        delassus_check_route(&blocks, SLIP_OPERATOR_DENSE, shift);
        delassus_check_route(&blocks, SLIP_OPERATOR_SPARSE, shift);
        delassus_check_route(&p, SLIP_OPERATOR_DENSE, shift);
        delassus_check_route(&p, SLIP_OPERATOR_JOINT, shift);
        slip_arena_release(&mem, mark);
    }
}

static void test_a_new_shift_uses_the_old_order_again(void)
{
    slip_random rng = slip_random_seed(4);
    slip_problem p = delassus_chain(&rng, 30, 0, 0, 12);
    slip_real *shift = slip_arena_reals(&mem, 90), *x = slip_arena_reals(&mem, 90);
    slip_gfactor f;
    const int *order;
    int k, i;

    slip_problem_to_blocks(&p, &mem);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_gfactor_prepare_route(&f, &p, SLIP_OPERATOR_SPARSE, &mem));
    order = f.sparse.order;
    for (k = 0; k < 5; ++k) {
        for (i = 0; i < 90; ++i) {
            shift[i] = SLIP_R(0.1)*(slip_real)(k + 1);
            x[i] = p.g[i];
        }
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_gfactor_shift(&f, &p, shift));
        slip_gfactor_solve(&f, x);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 2e-2), 0, delassus_defect(&p, shift, x, p.g));
        TEST_ASSERT(order == f.sparse.order);
    }
}

/* A star: its centre must be eliminated last, or everything fills in. */
static void test_minimum_degree_leaves_the_centre_of_a_star_for_last(void)
{
    enum { M = 30 };
    int start[M + 1], col[3*M], i, used = 0;
    slip_sparse s;

    for (i = 0; i < M; ++i) {
        start[i] = used;
        if (i == 0) {
            int j;

            for (j = 1; j < M; ++j) col[used++] = j;
        } else {
            col[used++] = 0;
        }
    }
    start[M] = used;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_sparse_analyse(&s, M, start, col, 0, &mem));
    TEST_ASSERT(s.place[0] >= M - 2);
    TEST_ASSERT_EQUAL_INT(M - 1, s.start[M]);                    /* no fill */
}

/* A grid of 20 x 20 in its natural order has 20 blocks in most columns of L: 400*20; minimum degree needs less. */
static void test_minimum_degree_reduces_the_fill_of_a_grid(void)
{
    enum { N = 20, M = N*N };
    static int start[M + 1], col[5*M];
    int i, used = 0;
    slip_sparse s;

    for (i = 0; i < M; ++i) {
        start[i] = used;
        if (i >= N)         col[used++] = i - N;
        if (i % N > 0)      col[used++] = i - 1;
        if (i % N < N - 1)  col[used++] = i + 1;
        if (i < M - N)      col[used++] = i + N;
    }
    start[M] = used;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_sparse_analyse(&s, M, start, col, 0, &mem));
    TEST_ASSERT_MESSAGE(s.start[M] < M*N*6/10, "fill");
}

/* General (not symmetric) blocks on a symmetric pattern. */
typedef struct { int n; const slip_real *A; } delassus_full;

static void delassus_block_of(const void *context, int i, int j, slip_real B[9])
{
    const delassus_full *f = (const delassus_full *)context;
    int r, c;

    for (r = 0; r < 3; ++r) for (c = 0; c < 3; ++c) B[3*r + c] = f->A[(3*i + r)*f->n + 3*j + c];
}

/* Of the eight diagonals of signs one is definite; (+, -, -) has a positive first entry and a positive determinant. */
static void test_a_symmetric_factorisation_refuses_every_indefinite_pivot(void)
{
    const int start[2] = { 0, 0 }, col[1] = { 0 };
    slip_real A[9];
    delassus_full full = { 3, A };
    slip_sparse s;
    int k, i;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_sparse_analyse(&s, 1, start, col, 0, &mem));
    for (k = 0; k < 8; ++k) {
        memset(A, 0, sizeof A);
        for (i = 0; i < 3; ++i) A[4*i] = k >> i & 1 ? SLIP_R(-1) : SLIP_R(1);
        TEST_ASSERT_EQUAL_INT(k == 0 ? SLIP_OK : SLIP_ERR_NOT_SPD,
                              slip_sparse_factor(&s, start, col, delassus_block_of, &full));
    }
}

static void test_the_general_factorisation_solves_unsymmetric_systems(void)
{
    enum { M = 12, N = 3*M };
    static slip_real A[N*N], x[N], b[N];
    slip_random rng = slip_random_seed(6);
    int start[M + 1], col[3*M], i, j, used = 0;
    delassus_full full = { N, A };
    slip_sparse s;

    memset(A, 0, sizeof A);
    for (i = 0; i < M; ++i) {                                    /* a ring */
        start[i] = used;
        col[used++] = (i + 1) % M < (i + M - 1) % M ? (i + 1) % M : (i + M - 1) % M;
        col[used++] = (i + 1) % M < (i + M - 1) % M ? (i + M - 1) % M : (i + 1) % M;
    }
    start[M] = used;
    for (i = 0; i < N; ++i) {
        b[i] = slip_random_normal(&rng);
        for (j = 0; j < N; ++j) {
            const int gap = (i/3 - j/3 + M) % M;

            if (gap <= 1 || gap == M - 1) A[i*N + j] = slip_random_normal(&rng) + (i == j ? 12 : 0);
        }
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_sparse_analyse(&s, M, start, col, 1, &mem));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_sparse_factor(&s, start, col, delassus_block_of, &full));
    memcpy(x, b, sizeof x);
    slip_sparse_solve(&s, x);
    for (i = 0; i < N; ++i) {
        double r = -(double)b[i];

        for (j = 0; j < N; ++j) r += (double)A[i*N + j]*(double)x[j];
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-4), 0, r);
    }
}

static void test_dense_LU_pivots_and_solves(void)
{
    enum { N = 17 };
    slip_random rng = slip_random_seed(7);
    slip_real A[N*N], F[N*N], x[N], b[N];
    int pivot[N], n, i, j;

    for (n = 0; n < 100; ++n) {
        for (i = 0; i < N*N; ++i) F[i] = A[i] = slip_random_normal(&rng);
        for (i = 0; i < N; ++i) F[i*N + i] = A[i*N + i] = 0;     /* needs exchanges */
        for (i = 0; i < N; ++i) x[i] = b[i] = slip_random_normal(&rng);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_lu_factor(N, F, N, pivot));
        slip_lu_solve(N, F, N, pivot, x);
        for (i = 0; i < N; ++i) {
            double r = -(double)b[i], size = 1;

            for (j = 0; j < N; ++j) { r += (double)A[i*N + j]*(double)x[j]; size += fabs((double)x[j]); }
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-4)*size, 0, r);
        }
    }
    for (i = 0; i < N*N; ++i) F[i] = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_NOT_SPD, slip_lu_factor(N, F, N, pivot));
}

static void test_an_indefinite_matrix_is_refused_by_every_route(void)
{
    slip_random rng = slip_random_seed(8);
    slip_problem p = delassus_chain(&rng, 20, 0, 0, 8), dense;
    slip_real *shift = slip_arena_reals(&mem, 60);
    slip_gfactor f;
    int i;

    slip_problem_to_blocks(&p, &mem);
    for (i = 0; i < 60; ++i) shift[i] = i == 31 ? -1000 : 1;
    dense = p;
    slip_problem_to_dense(&dense, &mem);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_gfactor_prepare_route(&f, &p, SLIP_OPERATOR_SPARSE, &mem));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_NOT_SPD, slip_gfactor_shift(&f, &p, shift));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_gfactor_prepare_route(&f, &dense, SLIP_OPERATOR_DENSE, &mem));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_NOT_SPD, slip_gfactor_shift(&f, &dense, shift));
}

static void test_the_size_that_is_counted_is_enough_and_less_is_refused(void)
{
    slip_random rng = slip_random_seed(9);
    slip_problem p = delassus_chain(&rng, 40, 2, 2, 10);
    slip_operator_route route;

    slip_problem_to_blocks(&p, &mem);
    for (route = SLIP_OPERATOR_DENSE; route <= SLIP_OPERATOR_SPARSE; route = (slip_operator_route)(route + 1)) {
        slip_arena count = slip_arena_counting(), exact, small;
        slip_gfactor f;
        size_t bytes;
        void *block;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_gfactor_prepare_route(&f, &p, route, &count));
        bytes = slip_arena_needed(&count);
        block = malloc(bytes);
        exact = slip_arena_over(block, bytes);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_gfactor_prepare_route(&f, &p, route, &exact));
        small = slip_arena_over(block, 2000);
        TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_gfactor_prepare_route(&f, &p, route, &small));
        TEST_ASSERT_EQUAL_INT(0, (int)slip_arena_mark(&small));
        free(block);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_three_forms_of_G_multiply_alike);
    RUN_TEST(test_sweeping_sees_the_same_velocity_as_the_product);
    RUN_TEST(test_dense_sparse_and_joint_routes_solve);
    RUN_TEST(test_a_new_shift_uses_the_old_order_again);
    RUN_TEST(test_minimum_degree_leaves_the_centre_of_a_star_for_last);
    RUN_TEST(test_minimum_degree_reduces_the_fill_of_a_grid);
    RUN_TEST(test_a_symmetric_factorisation_refuses_every_indefinite_pivot);
    RUN_TEST(test_the_general_factorisation_solves_unsymmetric_systems);
    RUN_TEST(test_dense_LU_pivots_and_solves);
    RUN_TEST(test_an_indefinite_matrix_is_refused_by_every_route);
    RUN_TEST(test_the_size_that_is_counted_is_enough_and_less_is_refused);
    return UNITY_END();
}
