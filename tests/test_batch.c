/* Many states at once: the results of one state at a time, whatever is beside it. */
#include <math.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "random_tree.h"

enum { STATES = 11, NMAX = 6*TREE_MAX_LINKS, TRIALS = 60 };

static tree t;
static slip_random rng;
static slip_real q[STATES*(NMAX + TREE_MAX_LINKS)], v[STATES*NMAX], a[STATES*NMAX], x[STATES*NMAX], y[STATES*NMAX],
        z[NMAX];
static slip_real M[STATES*NMAX*64], N[STATES*NMAX*64];
static slip_pose X[STATES*(TREE_MAX_LINKS + 1)], Y[STATES*(TREE_MAX_LINKS + 1)];
static unsigned char memory[1 << 22], plain_memory[1 << 22];

typedef struct plain_batch plain_batch;          /* plain_batch.c */
size_t plain_batch_bytes(const slip_model *model);
int plain_batch_lanes(void);
slip_status plain_batch_create(const slip_model *model, slip_arena *mem, plain_batch **batch);
slip_status plain_batch_kinematics(plain_batch *batch, int n, const slip_real *q, slip_pose *pose);
slip_status plain_batch_rnea(plain_batch *batch, int n, const slip_real *q, const slip_real *v, const slip_real *a,
                             slip_real *tau);
slip_status plain_batch_crba(plain_batch *batch, int n, const slip_real *q, slip_real *M);
slip_status plain_batch_aba(plain_batch *batch, int n, const slip_real *q, const slip_real *v, const slip_real *tau,
                            slip_real *a);

void setUp(void) { rng = slip_random_seed(2); }
void tearDown(void) { }

static slip_batch *batch_of(const slip_model *m)
{
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_batch *b = NULL;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_create(m, &mem, &b));
    return b;
}

/* A tree of every joint type, or of those that one state at a time knows better, and STATES random states. */
static slip_batch *batch_case(int trial)
{
    tree_options o = { 0 };
    int i;

    o.links = 1 + trial % 20;
    o.floating_root = trial % 3 == 0;
    o.mimic = trial % 7 == 1;
    o.armature = trial % 2;
    tree_make(&t, &o, &rng);
    for (i = 0; i < STATES; ++i) slip_random_q(t.model, &rng, q + i*t.model->nq);
    tree_random_vector(&rng, STATES*t.model->nv, v);
    tree_random_vector(&rng, STATES*t.model->nv, a);
    return batch_of(t.model);
}

/* Sums over a tree lose some digits of what its largest numbers have (test_rbd.c). */
static void is_close(int n, const slip_real *expected, const slip_real *actual, const char *what)
{
    slip_real most = SLIP_R(1e-3);
    int i;

    for (i = 0; i < n; ++i) most = slip_max(most, slip_abs(expected[i]));
    for (i = 0; i < n; ++i)
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)(SLIP_TOL(1e-10, 2e-3)*most), (double)expected[i],
                (double)actual[i], what);
}

static void test_a_batch_gives_what_single_calls_give(void)
{
    int trial, i, k;

    for (trial = 0; trial < TRIALS; ++trial) {
        slip_batch *b = batch_case(trial);
        const slip_model *m = t.model;
        const int nv = m->nv, n = 1 + trial % STATES;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_kinematics(b, n, q, X));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_rnea(b, n, q, v, a, x));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_crba(b, n, q, M));
        for (i = 0; i < n; ++i) {
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_rnea(m, t.data, q + i*m->nq, v + i*nv, a + i*nv, NULL, z));
            for (k = 0; k < m->nbodies; ++k) {
                is_close(9, t.data->pose[k].R, X[i*m->nbodies + k].R, "rotation");
                is_close(3, t.data->pose[k].p, X[i*m->nbodies + k].p, "position");
            }
            is_close(nv, z, x + i*nv, "rnea");
            slip_crba(m, t.data, q + i*m->nq);
            for (k = 0; k < m->branches.size; ++k)
                if (m->branches.path[k] < 0) M[i*m->branches.size + k] = t.data->M[k];   /* padding */
            is_close(m->branches.size, t.data->M, M + i*m->branches.size, "crba");
        }
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_rnea(b, n, q, v, NULL, x));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_bias(m, t.data, q, v, z));
        is_close(nv, z, x, "bias");
    }
}

/* ABA undoes RNEA, and equals the single one. */
static void test_accelerations_of_a_batch_are_those_that_its_torques_came_from(void)
{
    int trial, i;

    for (trial = 0; trial < TRIALS; ++trial) {
        slip_batch *b = batch_case(trial);
        const int nv = t.model->nv;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_rnea(b, STATES, q, v, a, x));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_aba(b, STATES, q, v, x, y));
        for (i = 0; i < STATES; ++i) {
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_rnea(t.model, t.data, q + i*t.model->nq, v + i*nv, y + i*nv, NULL, z));
            is_close(nv, x + i*nv, z, "torques of the accelerations");
            if (sizeof(slip_real) < sizeof(double)) continue;    /* light links magnify what floats round */
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(t.model, t.data, q + i*t.model->nq, v + i*nv, x + i*nv, NULL, z));
            is_close(nv, z, y + i*nv, "aba");
        }
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_aba(b, STATES, q, v, x, x));            /* in place */
        TEST_ASSERT_EQUAL_MEMORY(y, x, (size_t)(STATES*nv)*sizeof *x);
    }
}

/* The last state, alone, has the same bits as behind ten others, in another lane. */
static void test_a_state_does_not_notice_its_neighbours(void)
{
    int trial;

    for (trial = 0; trial < TRIALS; ++trial) {
        slip_batch *b = batch_case(trial);
        const int nq = t.model->nq, nv = t.model->nv, size = t.model->branches.size, last = STATES - 1;

        slip_batch_kinematics(b, STATES, q, X);
        slip_batch_kinematics(b, 1, q + last*nq, Y);
        TEST_ASSERT_EQUAL_MEMORY(X + last*t.model->nbodies, Y, (size_t)t.model->nbodies*sizeof *X);
        slip_batch_rnea(b, STATES, q, v, a, x);
        slip_batch_rnea(b, 1, q + last*nq, v + last*nv, a + last*nv, z);
        TEST_ASSERT_EQUAL_MEMORY(x + last*nv, z, (size_t)nv*sizeof *x);
        slip_batch_crba(b, STATES, q, M);
        slip_batch_crba(b, 1, q + last*nq, N);
        TEST_ASSERT_EQUAL_MEMORY(M + last*size, N, (size_t)size*sizeof *M);
        slip_batch_aba(b, STATES, q, v, a, x);
        slip_batch_aba(b, 1, q + last*nq, v + last*nv, a + last*nv, z);
        TEST_ASSERT_EQUAL_MEMORY(x + last*nv, z, (size_t)nv*sizeof *x);
    }
}

static void test_vectors_give_the_bits_of_the_plain_path(void)
{
    int trial;

#ifdef __FP_FAST_FMA
    TEST_IGNORE_MESSAGE("fused operations round as the compiler places them");
#endif
    TEST_ASSERT_EQUAL_INT(1, plain_batch_lanes());
    for (trial = 0; trial < TRIALS; ++trial) {
        slip_batch *b = batch_case(trial);
        slip_arena mem = slip_arena_over(plain_memory, sizeof plain_memory);
        const size_t nv = (size_t)(STATES*t.model->nv), size = (size_t)(STATES*t.model->branches.size);
        plain_batch *p;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, plain_batch_create(t.model, &mem, &p));
        slip_batch_kinematics(b, STATES, q, X);
        plain_batch_kinematics(p, STATES, q, Y);
        TEST_ASSERT_EQUAL_MEMORY(Y, X, (size_t)(STATES*t.model->nbodies)*sizeof *X);
        slip_batch_rnea(b, STATES, q, v, a, x);
        plain_batch_rnea(p, STATES, q, v, a, y);
        TEST_ASSERT_EQUAL_MEMORY(y, x, nv*sizeof *x);
        slip_batch_crba(b, STATES, q, M);
        plain_batch_crba(p, STATES, q, N);
        /* else padding is anything */
        if (t.model->ndofs == t.model->nv) TEST_ASSERT_EQUAL_MEMORY(N, M, size*sizeof *M);
        slip_batch_aba(b, STATES, q, v, a, x);
        plain_batch_aba(p, STATES, q, v, a, y);
        TEST_ASSERT_EQUAL_MEMORY(y, x, nv*sizeof *x);
    }
}

/* A NaN in state 9 of 11 leaves what is behind its vector, and itself, as it was. */
static void test_a_bad_state_is_refused_and_writes_nothing(void)
{
    slip_batch *b = batch_case(3);
    const int nv = t.model->nv, nq = t.model->nq, vector = 9/slip_batch_lanes()*slip_batch_lanes();
    slip_real kept, root[4];
    int i;

    memset(x, 1, sizeof x);
    memcpy(y, x, sizeof y);
    kept = v[9*nv];
    v[9*nv] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_batch_rnea(b, STATES, q, v, a, x));
    TEST_ASSERT_EQUAL_MEMORY(y + vector*nv, x + vector*nv, sizeof x - (size_t)(vector*nv)*sizeof *x);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_batch_aba(b, STATES, q, v, a, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_batch_aba(b, STATES, q, a, v, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_batch_rnea(b, STATES, q, a, v, x));
    TEST_ASSERT_EQUAL_MEMORY(y + vector*nv, x + vector*nv, sizeof x - (size_t)(vector*nv)*sizeof *x);
    v[9*nv] = kept;
    memcpy(root, q + 9*nq + 3, sizeof root);
    memset(q + 9*nq + 3, 0, sizeof root);                        /* the root's quaternion */
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_batch_kinematics(b, STATES, q, X));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_batch_crba(b, STATES, q, M));
    memcpy(q + 9*nq + 3, root, sizeof root);
    q[10*nq] = (slip_real)INFINITY;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_batch_rnea(b, STATES, q, v, a, x));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_rnea(b, 10, q, v, a, x));
    for (i = 0; i < 10*nv; ++i) TEST_ASSERT(x[i] - x[i] == 0);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_rnea(b, 0, q, v, a, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_batch_rnea(b, -1, q, v, a, x));
}

static void test_memory_that_is_one_byte_short_is_refused(void)
{
    slip_batch *b = NULL;
    slip_arena mem;
    int trial;

    for (trial = 0; trial < 8; ++trial) {
        batch_case(trial);
        mem = slip_arena_over(memory, slip_batch_bytes(t.model));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_batch_create(t.model, &mem, &b));
        mem = slip_arena_over(memory, mem.low - 1);
        b = NULL;
        TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_batch_create(t.model, &mem, &b));
        TEST_ASSERT_NULL(b);
        TEST_ASSERT_EQUAL_UINT(0, mem.low);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_batch_gives_what_single_calls_give);
    RUN_TEST(test_accelerations_of_a_batch_are_those_that_its_torques_came_from);
    RUN_TEST(test_a_state_does_not_notice_its_neighbours);
    RUN_TEST(test_vectors_give_the_bits_of_the_plain_path);
    RUN_TEST(test_a_bad_state_is_refused_and_writes_nothing);
    RUN_TEST(test_memory_that_is_one_byte_short_is_refused);
    return UNITY_END();
}
