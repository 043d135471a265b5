/* LU by nodes: products, signs of determinants and patterns against a full LU, pivots that do not do. */
#include "unity.h"
#include "contact/lu.h"
#include "contact/node_lu.h"
#include "slipstick_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

enum { NODES = 12, SIZE = NODES*SLIP_NODE, ROOM = 1 << 20 };

static slip_real A[SIZE*SIZE], F[SIZE*SIZE], x[SIZE], y[NODES*SLIP_NODE_LANES];
static slip_real first_of_two[NODES*SLIP_NODE_LANES], second_of_two[NODES*SLIP_NODE_LANES];
static unsigned char meets[NODES*NODES], given[NODES*NODES];
static int used[NODES], first[NODES + 1], pivot[SIZE];

/* meets (nodes x nodes) as slip_node_lu_analyse() takes it. */
static uint64_t *bits_of(int nodes)
{
    static uint64_t bits[NODES + 1];
    int i;

    memset(bits, 0, sizeof bits);
    for (i = 0; i < nodes*nodes; ++i) if (meets[i]) slip_node_meet(bits, nodes, i / nodes, i % nodes);
    return bits;
}

/* A random pattern with `share` of all pairs, nodes of 1 to 6 rows, and A on it: entry (i, j) of nodes a and b. */
static void node_random(slip_random *rng, int nodes, slip_real share, slip_real shift)
{
    int a, b, r, c;

    first[0] = 0;
    for (a = 0; a < nodes; ++a) {
        used[a] = 1 + (int)slip_random_uniform(rng, 0, SLIP_R(5.999));
        first[a + 1] = first[a] + used[a];
        for (b = 0; b <= a; ++b)
            given[a*nodes + b] = given[b*nodes + a] = a == b || slip_random_uniform(rng, 0, 1) < share;
    }
    for (a = 0; a < nodes; ++a)
        for (b = 0; b < nodes; ++b)
            for (r = first[a]; r < first[a + 1]; ++r)
                for (c = first[b]; c < first[b + 1]; ++c)
                    A[r*SIZE + c] = (given[a*nodes + b] ? slip_random_normal(rng) : 0) + (r == c ? shift : 0);
    for (a = 0; a < nodes*nodes; ++a) meets[a] = given[a];
}

/* A into the blocks, through slip_node_lu_block(); unused rows as they must be. */
static void node_fill(slip_node_lu *s)
{
    int a, b, r, c, ld, transposed;

    slip_node_lu_clear(s);
    for (a = 0; a < s->nodes; ++a)
        for (b = 0; b < s->nodes; ++b) {
            const int at = slip_node_lu_block(s, s->place[a], s->place[b], &ld, &transposed);

            if (!given[a*s->nodes + b]) continue;
            TEST_ASSERT(at >= 0 && (size_t)at < s->entries);
            for (r = 0; r < used[a]; ++r)
                for (c = 0; c < used[b]; ++c)
                    s->D[at + (transposed ? c*ld + r : r*ld + c)] = A[(first[a] + r)*SIZE + first[b] + c];
            for (r = used[a]; a == b && r < SLIP_NODE; ++r) s->D[at + r*ld + r] = 1;
        }
}

static void node_solve(const slip_node_lu *s)
{
    int a, r;

    for (r = 0; r < s->nodes*SLIP_NODE_LANES; ++r) y[r] = 0;
    for (a = 0; a < s->nodes; ++a) for (r = 0; r < used[a]; ++r) y[SLIP_NODE_LANES*s->place[a] + r] = x[first[a] + r];
    for (r = 0; r < s->nodes*SLIP_NODE_LANES; ++r) { first_of_two[r] = y[r];  second_of_two[r] = 2*y[r]; }
    slip_node_lu_solve(s, y);
    slip_node_lu_solve_two(s, first_of_two, second_of_two);
    for (r = 0; r < s->nodes*SLIP_NODE_LANES; ++r) {
        TEST_ASSERT_EQUAL_DOUBLE(y[r], first_of_two[r]);
        TEST_ASSERT_EQUAL_DOUBLE(2*y[r], second_of_two[r]);
    }
}

static void node_case(slip_random *rng, void *memory, int nodes, slip_real share, slip_real shift, int *signs)
{
    slip_arena mem = slip_arena_over(memory, ROOM);
    slip_node_lu s;
    slip_real want[SIZE];
    int a, b, r, n;

    node_random(rng, nodes, share, shift);
    n = first[nodes];
    TEST_ASSERT(slip_node_lu_analyse(&s, nodes, bits_of(nodes), &mem));
    node_fill(&s);
    for (r = 0; r < n; ++r) for (a = 0; a < n; ++a) F[r*SIZE + a] = A[r*SIZE + a];
    for (a = 0; a < nodes; ++a)                                /* what was put in is what is read out */
        for (b = 0; b < nodes; ++b)
            TEST_ASSERT_EQUAL_DOUBLE(A[first[a]*SIZE + first[b]],
                                     slip_node_lu_entry(&s, SLIP_NODE_LANES*s.place[a], SLIP_NODE_LANES*s.place[b]));
    if (slip_lu_factor(n, F, SIZE, pivot) != SLIP_OK || slip_node_lu_factor(&s) != SLIP_OK) return;
    for (r = 0; r < n; ++r) want[r] = x[r] = slip_random_normal(rng);
    slip_lu_solve(n, F, SIZE, pivot, want);
    if ((double)slip_max_abs(n, want) > 1e3) return;           /* nearly singular: neither is exact */
    node_solve(&s);
    for (a = 0; a < nodes; ++a)
        for (r = 0; r < used[a]; ++r)
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-7, 2e-1)*(1 + (double)slip_max_abs(n, want)), want[first[a] + r],
                                      y[SLIP_NODE_LANES*s.place[a] + r]);
    TEST_ASSERT_EQUAL_INT(slip_lu_sign(n, F, SIZE, pivot), s.sign);
    ++signs[s.sign > 0];
}

static void test_solutions_and_signs_are_those_of_a_full_lu(void)
{
    slip_random rng = slip_random_seed(41);
    void *memory = malloc(ROOM);
    int k, signs[2] = { 0, 0 };

    for (k = 0; k < 600; ++k) node_case(&rng, memory, 1 + k % NODES, SLIP_R(0.1)*(slip_real)(k % 7), (slip_real)(k % 4), signs);
    TEST_ASSERT(signs[0] > 50 && signs[1] > 50);
    free(memory);
}

/* A chain in any order fills in nothing; of a star the middle comes last. */
static void test_the_order_keeps_chains_and_stars_free_of_fill(void)
{
    slip_random rng = slip_random_seed(42);
    void *memory = malloc(ROOM);
    int k, i, name[NODES];

    for (k = 0; k < 20; ++k) {
        slip_arena mem = slip_arena_over(memory, ROOM);
        slip_node_lu s;

        for (i = 0; i < NODES; ++i) name[i] = i;
        for (i = NODES - 1; i > 0; --i) {
            const int other = (int)slip_random_uniform(&rng, 0, (slip_real)i + SLIP_R(0.999)), t = name[i];

            name[i] = name[other];
            name[other] = t;
        }
        for (i = 0; i < NODES*NODES; ++i) meets[i] = i / NODES == i % NODES;
        for (i = 1; i < NODES; ++i) {
            const int a = name[i], b = name[k % 2 ? i - 1 : 0];

            meets[a*NODES + b] = meets[b*NODES + a] = 1;
        }
        TEST_ASSERT(slip_node_lu_analyse(&s, NODES, bits_of(NODES), &mem));
        TEST_ASSERT_EQUAL_INT(NODES - 1, s.start[NODES]);
        if (k % 2 == 0) TEST_ASSERT(s.order[NODES - 1] == name[0] || s.order[NODES - 2] == name[0]);
    }
    free(memory);
}

enum { MANY = 150 };

static unsigned char plain[MANY*MANY];

/* Eliminates the node of least degree, the first of several, and joins its neighbours: plain <- the pattern. */
static void plain_order(int *order)
{
    int gone[MANY] = { 0 }, i, j, k;

    for (k = 0; k < MANY; ++k) {
        int best = -1, least = 0;

        for (i = 0; i < MANY; ++i) {
            int degree = 0;

            for (j = 0; j < MANY; ++j) degree += j != i && !gone[j] && plain[i*MANY + j];
            if (!gone[i] && (best < 0 || degree < least)) { best = i;  least = degree; }
        }
        for (i = 0; i < MANY; ++i)
            for (j = 0; j < MANY; ++j)
                if (!gone[i] && !gone[j] && i != j && plain[best*MANY + i] && plain[best*MANY + j])
                    plain[i*MANY + j] = 1;
        gone[best] = 1;
        order[k] = best;
    }
}

static void test_order_and_pattern_are_those_of_a_plain_elimination(void)
{
    static uint64_t bits[(MANY + 1)*((MANY + 63)/64)];
    slip_random rng = slip_random_seed(44);
    void *memory = malloc(32u << 20);
    int order[MANY], i, j, t, ld, transposed;

    for (t = 0; t < 4; ++t) {
        slip_arena mem = slip_arena_over(memory, 32u << 20);
        slip_node_lu s;

        memset(bits, 0, sizeof bits);
        for (i = 0; i < MANY; ++i)
            for (j = 0; j <= i; ++j) {
                plain[i*MANY + j] = plain[j*MANY + i]
                    = i == j || slip_random_uniform(&rng, 0, 1) < SLIP_R(0.02)*(slip_real)t;
                if (!plain[i*MANY + j]) continue;
                slip_node_meet(bits, MANY, i, j);
                slip_node_meet(bits, MANY, j, i);
            }
        TEST_ASSERT(slip_node_lu_analyse(&s, MANY, bits, &mem));
        plain_order(order);
        for (i = 0; i < MANY; ++i) TEST_ASSERT_EQUAL_INT(order[i], s.order[i]);
        for (i = 0; i < MANY; ++i)
            for (j = 0; j < MANY; ++j)
                TEST_ASSERT_EQUAL_INT(plain[order[i]*MANY + order[j]],
                                      slip_node_lu_block(&s, i, j, &ld, &transposed) >= 0);
    }
    free(memory);
}

/* [ e 1 ; 1 e ] of two nodes: regular, but for the pivots that a node has alone. */
static void test_a_pivot_that_another_node_has_is_refused(void)
{
    static const slip_real small[] = { 0, SLIP_TOL(1e-9, 1e-7), SLIP_R(0.5) };
    char memory[1 << 14];
    int k, ld, transposed;

    for (k = 0; k < 3; ++k) {
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_node_lu s;
        int r;

        for (r = 0; r < 4; ++r) meets[r] = 1;
        TEST_ASSERT(slip_node_lu_analyse(&s, 2, bits_of(2), &mem));
        slip_node_lu_clear(&s);
        for (r = 0; r < 2*SLIP_NODE; ++r) s.D[SLIP_NODE_LANES*r + r % SLIP_NODE] = r % SLIP_NODE ? 1 : small[k];
        s.D[slip_node_lu_block(&s, 0, 1, &ld, &transposed)] = 1;
        s.D[slip_node_lu_block(&s, 1, 0, &ld, &transposed)] = 1;
        TEST_ASSERT_EQUAL_INT(k == 2 ? SLIP_OK : SLIP_ERR_NOT_SPD, slip_node_lu_factor(&s));
        if (k == 2) TEST_ASSERT_EQUAL_INT(-1, s.sign);
    }
}

static void test_too_little_memory_is_said(void)
{
    char memory[1 << 14];
    size_t size;
    int r;

    for (size = 0; size < sizeof memory; size += 16) {
        slip_arena mem = slip_arena_over(memory, size);
        slip_node_lu s;

        for (r = 0; r < 9; ++r) meets[r] = 1;
        if (slip_node_lu_analyse(&s, 3, bits_of(3), &mem)) break;
        TEST_ASSERT(mem.failed);
    }
    TEST_ASSERT(size > 9*48*sizeof(slip_real) && size < sizeof memory);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_solutions_and_signs_are_those_of_a_full_lu);
    RUN_TEST(test_the_order_keeps_chains_and_stars_free_of_fill);
    RUN_TEST(test_order_and_pattern_are_those_of_a_plain_elimination);
    RUN_TEST(test_a_pivot_that_another_node_has_is_refused);
    RUN_TEST(test_too_little_memory_is_said);
    return UNITY_END();
}
