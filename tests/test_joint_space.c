/* Systems in the joints' space against the same ones written out: slip_joint_space_*, and Newton's route through it. */
#include "contact_aid.h"
#include "factor_aid.h"

#include <stdlib.h>
#include <string.h>
#include "contact/lu.h"
#include "slipstick.h"
#include "contact/joint_space.h"
#include "solvers/newton.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

enum { ROWS = 200 };

static slip_real full[ROWS*ROWS], G[ROWS*ROWS], rhs[ROWS], want[ROWS], image[ROWS], v[ROWS], D[ROWS];
static int pivot[ROWS];

/* `groups` groups of 1 ... 6 contacts on the same columns, of widths 12, 6 and whatever comes, then limits and a
 * bilateral row over few columns; coordinates 6, 13, ... of nv are touched by none. */
static aid_factored *joint_random(slip_random *rng, int groups, int nv)
{
    static const int widths[] = { 12, 6, 5, 1, 12, 7, 6, 3 };
    int size[8], k, i, c, nc = 0;
    aid_factored *a;

    for (k = 0; k < groups; ++k) nc += size[k] = 1 + (int)slip_random_uniform(rng, 0, SLIP_R(5.999));
    a = aid_factored_new(nc, 3, 1, nv, 12);
    for (k = 0; k < groups + 4; ++k) {
        const int width = k < groups ? widths[k] : 1 + k % 2;
        const int first = (int)slip_random_uniform(rng, 0, (slip_real)(nv - 16));
        const int dim = k < groups ? 3 : 1;
        int column[12], at = first;

        for (c = 0; c < width; ++c, ++at) column[c] = at % 7 == 6 ? ++at : at;
        for (i = 0; i < (k < groups ? size[k] : 1); ++i) {
            slip_real *y = aid_factored_block(a, width, column);

            for (c = 0; c < dim*width; ++c) y[c] = slip_random_normal(rng);
        }
    }
    return a;
}

/* full = I + H D G D, with H's blocks from the joint. */
static void joint_written_out(const slip_joint_space *j)
{
    const slip_problem *p = j->p;
    const int n = p->n;
    int i, r, c, k;

    slip_problem_full(p, G, n);
    for (i = 0; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);

        for (r = 0; r < dim; ++r)
            for (c = 0; c < n; ++c) {
                slip_real s = c == row + r;

                for (k = 0; k < dim; ++k) s += j->H[9*i + 3*r + k]*D[row + k]*G[(row + k)*n + c]*D[c];
                full[(row + r)*n + c] = s;
            }
    }
}

/* Two at once are what they are one by one: `image` is that of s, as slip_joint_space_spread() gave it. */
static void joint_solve_two(slip_joint_space *j, const slip_real *s)
{
    slip_real a[ROWS], b[ROWS], other[ROWS];
    const int n = j->p->n;
    int i;

    for (i = 0; i < n; ++i) { a[i] = s[i];  b[i] = other[i] = i % 5 ? s[n - 1 - i] : 0; }
    slip_joint_space_image_two(j, a, b);
    for (i = 0; i < n; ++i)
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-4)*(1 + fabs((double)image[i])), image[i], a[i]);
    slip_joint_space_gather(j, other, v);
    slip_joint_space_solve(j, v);
    slip_joint_space_spread(j, v, other);
    for (i = 0; i < n; ++i)
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-4)*(1 + fabs((double)other[i])), other[i], b[i]);
}

/* x = s - H V t, t = K^-1 V' s */
static void joint_solve(slip_joint_space *j, const slip_real *s, slip_real *x)
{
    const slip_problem *p = j->p;
    int i, r, k;

    slip_joint_space_gather(j, s, v);
    slip_joint_space_solve(j, v);
    slip_joint_space_spread(j, v, image);
    joint_solve_two(j, s);
    for (i = 0; i < slip_block_count(p); ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);

        for (r = 0; r < dim; ++r)
            for (x[row + r] = s[row + r], k = 0; k < dim; ++k) x[row + r] -= j->H[9*i + 3*r + k]*image[row + k];
    }
}

static void joint_case(slip_random *rng, int groups, int nv, void *memory, size_t room)
{
    aid_factored *a = joint_random(rng, groups, nv);
    const int n = a->p.n, m = slip_block_count(&a->p);
    slip_arena mem = slip_arena_over(memory, room);
    slip_real x[ROWS];
    slip_joint_space j;
    int i, k;

    TEST_ASSERT(n <= ROWS);
    TEST_ASSERT(slip_joint_space_carve(&j, &a->p, &mem));
    TEST_ASSERT(j.columns < nv && j.columns > 0);                       /* untouched ones take no place */
    for (i = 0; i < m; ++i) {
        const slip_real d = slip_random_uniform(rng, SLIP_R(0.5), 2);

        for (k = 0; k < slip_block_dim(&a->p, i); ++k) D[slip_block_row(&a->p, i) + k] = d;
    }
    slip_joint_space_open(&j, D);
    for (i = 0; i < 9*m; ++i) j.H[i] = SLIP_R(0.5)*slip_random_normal(rng);      /* neither symmetric nor definite */
    for (i = 0; i < n; ++i) rhs[i] = want[i] = slip_random_normal(rng);
    TEST_ASSERT(slip_joint_space_factor(&j));
    joint_written_out(&j);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_lu_factor(n, full, n, pivot));
    slip_lu_solve(n, full, n, pivot, want);
    joint_solve(&j, rhs, x);
    for (i = 0; i < n; ++i)
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-8, 1e-1)*(1 + (double)slip_max_abs(n, want)), want[i], x[i]);
    TEST_ASSERT_EQUAL_INT(slip_lu_sign(n, full, n, pivot), slip_joint_space_sign(&j));   /* as det(I + HVV') */
    aid_factored_free(a);
}

static void test_the_small_system_solves_the_large_one_and_has_its_sign(void)
{
    slip_random rng = slip_random_seed(31);
    const size_t room = 1u << 20;
    void *memory = malloc(room);
    int k;

    for (k = 0; k < 300; ++k) joint_case(&rng, 3 + k % 6, 20 + k % 23, memory, room);
    free(memory);
}

static void test_products_are_those_of_the_factor(void)
{
    slip_random rng = slip_random_seed(32);
    const size_t room = 1u << 20;
    void *memory = malloc(room);
    int k, i;

    for (k = 0; k < 100; ++k) {
        aid_factored *a = joint_random(&rng, 3 + k % 6, 20 + k % 23);
        slip_arena mem = slip_arena_over(memory, room);
        slip_joint_space j;

        TEST_ASSERT(slip_joint_space_carve(&j, &a->p, &mem));
        slip_joint_space_open(&j, NULL);
        for (i = 0; i < a->p.n; ++i) rhs[i] = slip_random_normal(&rng);
        slip_joint_space_gather(&j, rhs, v);
        slip_joint_space_spread(&j, v, image);
        slip_problem_apply(&a->p, rhs, want);
        for (i = 0; i < a->p.n; ++i) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-10, 1e-3), want[i], image[i]);
        aid_factored_free(a);
    }
    free(memory);
}

static void test_a_singular_system_is_seen(void)
{
    const int column = 0;
    aid_factored *a = aid_factored_new(0, 2, 0, 1, 1);
    char memory[8192];
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_joint_space j;

    *aid_factored_block(a, 1, &column) = 2;
    *aid_factored_block(a, 1, &column) = 0;
    TEST_ASSERT(slip_joint_space_carve(&j, &a->p, &mem));
    slip_joint_space_open(&j, NULL);
    j.H[9] = 0;
    j.H[0] = SLIP_R(-0.25);                                    /* 1 + 2 (-1/4) 2 = 0 */
    TEST_ASSERT(!slip_joint_space_factor(&j));
    j.H[0] = -1;
    TEST_ASSERT(slip_joint_space_factor(&j));
    TEST_ASSERT_EQUAL_INT(-1, slip_joint_space_sign(&j));
    aid_factored_free(a);
}

/* K = I but for columns 0 and nv - 1, of two nodes: 0 on its diagonal, 1 beside it. Neither node has a pivot, so that
 * only a full LU with pivoting over all columns factors it. Whether it does. */
static int factors_without_a_pivot(int nv)
{
    const size_t room = 8u << 20;
    void *memory = malloc(room);
    slip_arena mem = slip_arena_over(memory, room);
    aid_factored *a = aid_factored_new(0, nv + 1, 0, nv, 2);
    const int ends[2] = { 0, nv - 1 };
    slip_joint_space j;
    slip_real *y, *x;
    int k, done;

    for (k = 0; k < nv; ++k) *aid_factored_block(a, 1, &k) = 1;
    y = aid_factored_block(a, 2, ends);
    y[0] = y[1] = 1;
    TEST_ASSERT(slip_joint_space_carve(&j, &a->p, &mem));
    slip_joint_space_open(&j, NULL);
    for (k = 0; k < 9*(nv + 1); ++k) j.H[k] = 0;
    j.H[0] = j.H[9*(nv - 1)] = -2;
    j.H[9*nv] = 1;
    done = slip_joint_space_factor(&j);
    x = slip_arena_reals(&mem, (size_t)j.lanes);
    TEST_ASSERT_NOT_NULL(x);
    if (done) {
        for (k = 0; k < j.lanes; ++k) x[k] = 0;
        x[j.lane[0]] = 3;
        slip_joint_space_solve(&j, x);
        TEST_ASSERT_EQUAL_INT(-1, slip_joint_space_sign(&j));
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-14, 1e-6), 3, x[j.lane[nv - 1]]);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-14, 1e-6), 0, x[j.lane[0]]);
    }
    aid_factored_free(a);
    free(memory);
    return done;
}

/* Up to 300 columns, which take 300^2 numbers; more would take as many as the dense problem. */
static void test_a_full_factor_stands_in_where_a_node_has_no_pivot_up_to_300_columns(void)
{
    TEST_ASSERT(factors_without_a_pivot(20));
    TEST_ASSERT(factors_without_a_pivot(300));
    TEST_ASSERT(!factors_without_a_pivot(301));
}

static void test_it_is_left_alone_where_it_does_not_fit(void)
{
    slip_random rng = slip_random_seed(33);
    aid_factored *a = joint_random(&rng, 4, 20);
    const size_t room = 1u << 20;
    void *memory = malloc(room);
    slip_arena mem = slip_arena_over(memory, room);
    slip_joint_space j;
    size_t size;

    TEST_ASSERT(slip_joint_space_carve(&j, &a->p, &mem));
    for (size = 0; size < 40000; size += 16) {                 /* any size: all of it or nothing */
        slip_arena small = slip_arena_over(memory, size);

        if (slip_joint_space_carve(&j, &a->p, &small)) break;
        TEST_ASSERT(slip_arena_mark(&small) == 0 && !small.failed);
    }
    TEST_ASSERT(size < 40000);
    a->p.G.nv = 0;
    TEST_ASSERT(!slip_joint_space_carve(&j, &a->p, &mem));
    free(memory);
    aid_factored_free(a);
}

/* ---- Newton ------------------------------------------------------------------------------------------------------ */

/* One Newton run of `steps` from `from` (NULL: zero); where it has got to in `lambda`. */
static void newton_by(const slip_problem *p, const slip_real *from, int steps, slip_newton *w, slip_arena *mem,
                      slip_real *lambda)
{
    slip_solver_options opt = slip_solver_defaults();

    opt.tol = SLIP_TOL(1e-12, 1e-5);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_newton_carve(w, p, &opt, mem));
    slip_newton_start(w, from, 1);
    slip_newton_run(w, steps);
    memcpy(lambda, w->lambda, (size_t)p->n*sizeof(slip_real));
}

/* The same steps up to the digits that eps = 1e-8 costs: by an LU of the full matrix, in the joints' space, and with
 * the contacts that stick eliminated first, by Cholesky. used: how often the last two were. */
static void newton_steps(const slip_problem *given, const slip_real *from, int steps, slip_real l[3][ROWS],
                         void *memory, size_t room, int used[3])
{
    double most;
    int i, k;

    for (k = 0; k < 3; ++k) {
        slip_problem p = *given;
        slip_arena mem = slip_arena_over(memory, room);
        slip_newton w;

        TEST_ASSERT(slip_problem_to_dense(&p, &mem) >= 0);
        if (k != 1) p.G.nv = 0;
        p.G.symmetric = k == 2;
        newton_by(&p, from, steps, &w, &mem, l[k]);
        TEST_ASSERT(k == 1 || w.op->route == SLIP_OPERATOR_DENSE);
        TEST_ASSERT(k != 0 || w.eliminated == 0);
        if (k == 1) used[0] += w.op->route == SLIP_OPERATOR_JOINT;
        if (k == 2) used[1] += w.eliminated > 0 && w.slips > 0;
        if (k == 2) used[2] += w.eliminated > 0 && w.slips > 0 && w.factorizations < w.iterations;
    }
    most = (double)slip_max_abs(given->n, l[0]);
    for (i = 0; i < given->n; ++i) {
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-3)*most, l[0][i], l[1][i]);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-3)*most, l[0][i], l[2][i]);
    }
}

/* From zero, and from near the answer, where contacts keep their state. Towers with compliance: impulses are unique. */
static void newton_case(slip_random *rng, int mixed, void *memory, size_t room, int used[3])
{
    slip_real mass[6], push[18], l[3][ROWS], near[ROWS];
    aid_factored *a;
    int i, k, steps;

    for (k = 0; k < 6; ++k) mass[k] = slip_random_uniform(rng, 1, 3);
    for (k = 0; k < 18; ++k) push[k] = SLIP_R(0.03)*slip_random_normal(rng) - (k % 3 == 2 ? SLIP_R(0.1) : 0);
    a = aid_tower(6, mass, push, SLIP_R(0.5), mixed);
    for (i = 0; i < a->p.n; ++i) a->R[i] = SLIP_R(1e-2);
    a->p.R = a->R;
    for (steps = 1; steps <= 3; ++steps) newton_steps(&a->p, NULL, steps, l, memory, room, used);
    newton_steps(&a->p, NULL, 20, l, memory, room, used);
    for (i = 0; i < a->p.n; ++i) near[i] = SLIP_R(1.001)*l[0][i];
    newton_steps(&a->p, near, 3, l, memory, room, used);
    aid_factored_free(a);
}

static void test_newton_takes_the_same_steps_by_all_factorisations(void)
{
    slip_random rng = slip_random_seed(34);
    const size_t room = 4u << 20;
    void *memory = malloc(room);
    int k, used[3] = { 0 };

    for (k = 0; k < 40; ++k) newton_case(&rng, k % 2, memory, room, used);
    TEST_ASSERT(used[1] > 20);                           /* some stick, others slip */
    if (sizeof(slip_real) == sizeof(double)) {           /* float is at its tolerance after a step */
        TEST_ASSERT(used[0] > 20);
        TEST_ASSERT(used[2] > 20);                       /* the factor of those that stick was used again */
    }
    free(memory);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_small_system_solves_the_large_one_and_has_its_sign);
    RUN_TEST(test_products_are_those_of_the_factor);
    RUN_TEST(test_a_singular_system_is_seen);
    RUN_TEST(test_a_full_factor_stands_in_where_a_node_has_no_pivot_up_to_300_columns);
    RUN_TEST(test_it_is_left_alone_where_it_does_not_fit);
    RUN_TEST(test_newton_takes_the_same_steps_by_all_factorisations);
    return UNITY_END();
}
