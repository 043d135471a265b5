/* The contact problem: its text, its checks, its conversions. */
#include "unity.h"
#include "contact_aid.h"
#include "slipstick_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *memory;
static slip_arena mem;
enum { TEST_BYTES = 4 << 20 };

void setUp(void)
{
    memory = (unsigned char *)malloc(TEST_BYTES);
    mem = slip_arena_over(memory, TEST_BYTES);
}

void tearDown(void)
{
    free(memory);
}

static const char good[] =
    "contact-problem 1\n"
    "name two contacts\n"
    "source by hand\n"
    "nc 2\n"
    "mu 0.5 0.25\n"
    "g 1 2 -3 0 0 -1e-3\n"
    "blocks 3\n"
    "0 0  2 0 0  0 2 0  0 0 2\n"
    "1 1  3 0 0  0 3 0  0 0 3\n"
    "1 0  0 0 0  0 0 0  0 0 0.001\n";

static slip_status problem_test_read(const char *text, slip_problem *p, slip_error *err)
{
    slip_error_clear(err);
    return slip_problem_read(text, strlen(text), &mem, p, err);
}

/* Replaces the first `from` by `to`. */
static const char *problem_test_edit(const char *from, const char *to)
{
    static char out[2000];
    const char *at = strstr(good, from);

    TEST_ASSERT_NOT_NULL(at);
    memcpy(out, good, (size_t)(at - good));
    strcpy(out + (at - good), to);
    strcat(out, at + strlen(from));
    return out;
}

static void test_a_good_text_is_read(void)
{
    slip_problem p;
    slip_error err;
    slip_real B[9];

    TEST_ASSERT_EQUAL_INT(SLIP_OK, problem_test_read(good, &p, &err));
    TEST_ASSERT_EQUAL_INT(2, p.nc);
    TEST_ASSERT_EQUAL_INT(6, p.n);
    TEST_ASSERT_EQUAL_STRING("two contacts", p.name);
    TEST_ASSERT_EQUAL_DOUBLE((slip_real)0.25, p.mu[1]);
    TEST_ASSERT_EQUAL_DOUBLE((slip_real)-1e-3, p.g[5]);
    slip_problem_block(&p, 1, 0, B);
    TEST_ASSERT_EQUAL_DOUBLE((slip_real)0.001, B[8]);
    slip_problem_block(&p, 0, 1, B);                         /* the mirror is not listed: zero, and G not symmetric */
    TEST_ASSERT_EQUAL_DOUBLE(0, B[8]);
    TEST_ASSERT_EQUAL_INT(0, p.G.symmetric);
}

/* Each edit must be refused, at the right line. */
static void test_bad_texts_are_refused_with_their_line(void)
{
    static const struct { const char *from, *to; int line; } cases[] = {
        { "contact-problem 1", "contact-problem 2", 1 },
        { "contact-problem 1", "something else", 1 },
        { "name two", "nam two", 2 },
        { "nc 2", "nc two", 4 },
        { "nc 2", "nc -2", 4 },
        { "nc 2", "nc 99999999", 4 },
        { "nc 2", "nc 3", 5 },
        { "mu 0.5 0.25", "mu 0.5", 5 },
        { "mu 0.5 0.25", "mu 0.5 0.25 1", 5 },
        { "mu 0.5 0.25", "mu 0.5 -0.25", 5 },
        { "mu 0.5 0.25", "mu 0.5 nan", 5 },
        { "g 1 2", "g 1", 6 },
        { "g 1 2", "g inf 2", 6 },
        { "g 1 2", "g 1 x2", 6 },
        { "blocks 3", "blocks 2", 10 },
        { "blocks 3", "blocks 4", 11 },
        { "blocks 3", "blocks 5", 7 },
        { "blocks 3", "block 3", 7 },
        { "1 0  0", "1 2  0", 10 },
        { "1 0  0", "-1 0  0", 10 },
        { "1 0  0", "1 1  0", 10 },
        { "0 0 0.001", "0 0", 10 },
        { "0 0 0.001", "0 0 0.001 7", 10 },
        { "0 0 0.001", "0 0 nan", 10 },
        { "0 0 0.001", "0 0 0.5", 10 },                      /* asymmetric by far more than 1 % */
        { "0 0  2 0 0  0 2 0  0 0 2", "0 0  2 0 0  0 2 0  0 0 -2", 7 },
    };
    size_t k;

    for (k = 0; k < sizeof cases/sizeof *cases; ++k) {
        const size_t low = slip_arena_mark(&mem), high = slip_arena_mark_scratch(&mem);
        slip_problem p;
        slip_error err;

        TEST_ASSERT_MESSAGE(problem_test_read(problem_test_edit(cases[k].from, cases[k].to), &p, &err) < 0,
                            cases[k].to);
        TEST_ASSERT_EQUAL_INT_MESSAGE(cases[k].line, err.line, err.what);
        TEST_ASSERT(err.what[0] != '\0');
        TEST_ASSERT(slip_arena_mark(&mem) == low && slip_arena_mark_scratch(&mem) == high);
    }
}

/* Cut anywhere, the text is refused, unless only the last line's tail of digits or its end is missing. */
static void test_a_truncated_text_never_passes_for_a_whole_one(void)
{
    size_t k;

    for (k = 0; k + 6 < strlen(good); ++k) {
        slip_problem p;
        slip_error err;

        mem = slip_arena_over(memory, TEST_BYTES);
        slip_error_clear(&err);
        TEST_ASSERT(slip_problem_read(good, k, &mem, &p, &err) < 0);
    }
}

static void test_an_arena_too_small_is_a_status(void)
{
    size_t bytes;
    int worked = 0;

    for (bytes = 0; bytes < 4000; bytes += 16) {
        slip_arena small = slip_arena_over(memory, bytes);
        slip_problem p;
        slip_error err;
        const slip_status s = slip_problem_read(good, strlen(good), &small, &p, &err);

        TEST_ASSERT(s == SLIP_OK || s == SLIP_ERR_WORKSPACE);
        worked += s == SLIP_OK;
    }
    TEST_ASSERT(worked > 0);
}

static void test_no_contacts_is_a_valid_problem(void)
{
    slip_problem p;
    slip_error err;
    slip_solution sol = slip_solution_over(NULL, NULL, NULL);

    TEST_ASSERT_EQUAL_INT(SLIP_OK, problem_test_read("contact-problem 1\nname none\nnc 0\nmu\ng\nblocks 0\n",
                                                     &p, &err));
    TEST_ASSERT_EQUAL_INT(0, p.n);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solve(&slip_solver_default, &p, NULL, &sol, &mem));
}

/* Random numbers, written and read: the same bits, dense or sparse. */
static void test_what_is_written_reads_back_to_the_same_bits(void)
{
    slip_random rng = slip_random_seed(1);
    int n;

    for (n = 0; n < 10; ++n) {
        const int nc = n < 5 ? 3 : 40;
        aid_problem *a = aid_new(nc, 0, 0);
        slip_problem p;
        slip_error err;
        slip_stream out;
        FILE *f = tmpfile();
        static char text[4 << 20];
        size_t length;
        void *block = malloc(64 << 20);
        slip_arena big = slip_arena_over(block, 64 << 20);
        int i, j, r, c;

        TEST_ASSERT_NOT_NULL(f);
        for (i = 0; i < nc; ++i) a->mu[i] = slip_random_uniform(&rng, 0, 1);
        aid_random(&rng, 3*nc, 1, a);
        for (i = 0; i < nc; ++i)                             /* leave most blocks of the larger ones out */
            for (j = 0; j < nc; ++j)
                for (r = 0; r < 3 && nc > 3 && (i > j ? i - j : j - i) > 1; ++r)
                    for (c = 0; c < 3; ++c) a->G[(3*i + r)*3*nc + 3*j + c] = 0;
        for (i = 0; i < 3*nc; ++i) a->G[i*3*nc + i] += 10;
        if (n % 2) { for (i = 0; i < 3*nc; ++i) a->R[i] = slip_random_uniform(&rng, 0, 1);  a->p.R = a->R; }
        if (n % 3 == 0) a->p.distance = a->mu;               /* any numbers */
        slip_stream_file(f, &out);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_problem_write(&a->p, "random", "a test", &out));
        rewind(f);
        length = fread(text, 1, sizeof text, f);
        fclose(f);
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_problem_read(text, length, &big, &p, &err), err.what);
        TEST_ASSERT_EQUAL_INT(nc > 3 ? SLIP_G_BLOCKS : SLIP_G_DENSE, p.G.form);
        TEST_ASSERT(memcmp(p.mu, a->mu, (size_t)nc*sizeof(slip_real)) == 0);
        TEST_ASSERT(memcmp(p.g, a->g, 3*(size_t)nc*sizeof(slip_real)) == 0);
        TEST_ASSERT((p.R != NULL) == (n % 2));
        TEST_ASSERT((p.distance != NULL) == (n % 3 == 0));
        if (p.distance) TEST_ASSERT(memcmp(p.distance, a->mu, (size_t)nc*sizeof(slip_real)) == 0);
        for (i = 0; i < nc; ++i)
            for (j = 0; j < nc; ++j) {
                slip_real A[9], B[9];

                slip_problem_block(&p, i, j, A);
                slip_problem_block(&a->p, i, j, B);
                TEST_ASSERT(memcmp(A, B, sizeof A) == 0);
            }
        free(block);
        aid_free(a);
    }
}

/* All kinds of blocks, compliance, lowest velocities and infinite friction. */
static void test_limits_and_bilateral_rows_read_back_to_the_same_bits(void)
{
    enum { NC = 3, NL = 2, NB = 4, N = 3*NC + NL + NB, M = NC + NL + NB };
    static const char *const without[] = { "\nnl ", "\nnb ", "\nvmin ", "\ndistance " };
    static char text[1 << 16];
    slip_random rng = slip_random_seed(3);
    aid_problem *a = aid_new(NC, NL, NB);
    slip_real vmin[NC + NL], distance[NC + NL];
    slip_problem p;
    slip_error err;
    slip_stream out;
    FILE *f = tmpfile();
    size_t k;
    int i, j;

    TEST_ASSERT_NOT_NULL(f);
    aid_random(&rng, N, 1, a);
    for (i = 0; i < NC; ++i) a->mu[i] = i == 1 ? (slip_real)INFINITY : slip_random_uniform(&rng, 0, 1);
    for (i = 0; i < N; ++i) a->R[i] = slip_random_uniform(&rng, 0, 1);
    for (i = 0; i < NC + NL; ++i) vmin[i] = slip_random_uniform(&rng, -1, 1);
    for (i = 0; i < NC + NL; ++i) distance[i] = slip_random_uniform(&rng, -1, 1);
    a->p.R = a->R;
    a->p.vmin = vmin;
    a->p.distance = distance;
    slip_stream_file(f, &out);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_problem_write(&a->p, "mixed", NULL, &out));
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, problem_test_read(text, &p, &err), err.what);
    TEST_ASSERT(p.nc == NC && p.nl == NL && p.nb == NB && p.n == N);
    TEST_ASSERT(memcmp(p.mu, a->mu, NC*sizeof(slip_real)) == 0);
    TEST_ASSERT(memcmp(p.g, a->g, N*sizeof(slip_real)) == 0);
    TEST_ASSERT(memcmp(p.R, a->R, N*sizeof(slip_real)) == 0);
    TEST_ASSERT(memcmp(p.vmin, vmin, sizeof vmin) == 0);
    TEST_ASSERT(memcmp(p.distance, distance, sizeof distance) == 0);
    for (i = 0; i < M; ++i)
        for (j = 0; j < M; ++j) {
            const size_t size = (size_t)(slip_block_dim(&p, i)*slip_block_dim(&p, j));
            slip_real A[9], B[9];

            slip_problem_block(&p, i, j, A);
            slip_problem_block(&a->p, i, j, B);
            TEST_ASSERT(memcmp(A, B, size*sizeof *A) == 0);
        }
    for (k = 0; k < sizeof without/sizeof *without; ++k) {            /* each line counts */
        char *line = strstr(text, without[k]), kept;

        TEST_ASSERT_NOT_NULL(line);
        kept = line[1];
        line[1] = 'x';
        TEST_ASSERT(problem_test_read(text, &p, &err) < 0);
        line[1] = kept;
    }
    aid_free(a);
}

/* The door: each kind of nonsense by itself. */
static void test_the_check_names_what_is_wrong(void)
{
    slip_random rng = slip_random_seed(3);
    int k;

    for (k = 0; k < 7; ++k) {
        aid_problem *a = aid_new(2, 1, 0);
        slip_error err;
        slip_status want = k == 0 ? SLIP_OK : k == 6 ? SLIP_ERR_NOT_SPD : SLIP_ERR_ARGUMENT;

        aid_random(&rng, 7, 1, a);
        a->mu[0] = a->mu[1] = SLIP_R(0.5);
        if (k == 1) a->mu[1] = -1;
        if (k == 2) a->g[3] = (slip_real)NAN;
        if (k == 3) { a->R[2] = -1;  a->p.R = a->R; }
        if (k == 4) a->G[5] = (slip_real)INFINITY;
        if (k == 5) a->G[1] += SLIP_R(0.5);
        if (k == 6) { a->G[8] -= 100;  a->G[0] = 300; }
        slip_error_clear(&err);
        TEST_ASSERT_EQUAL_INT_MESSAGE(want, slip_problem_check(&a->p, &mem, &err), err.what);
        TEST_ASSERT((err.what[0] != '\0') == (k > 0));
        if (k > 0 && k < 6) TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_problem_check_quick(&a->p));
        aid_free(a);
    }
}

static void test_blocks_that_are_zero_are_left_out_and_conversions_keep_values(void)
{
    slip_random rng = slip_random_seed(4);
    aid_problem *a = aid_new(5, 2, 1);
    slip_problem p;
    slip_real back[18*18];
    int i;

    aid_random(&rng, 18, 1, a);
    for (i = 0; i < 18; ++i) {                               /* uncouple contact 2 from all others */
        int j;

        for (j = 0; j < 18; ++j) if ((i/3 == 2) != (j/3 == 2)) a->G[i*18 + j] = 0;
    }
    p = a->p;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_problem_to_blocks(&p, &mem));
    TEST_ASSERT_EQUAL_INT(8*8 - 14, p.G.start[8]);
    slip_problem_full(&p, back, 18);
    TEST_ASSERT(memcmp(back, a->G, sizeof back) == 0);
    TEST_ASSERT_EQUAL_DOUBLE(0, slip_problem_asymmetry(&p) > SLIP_TOL(1e-15, 1e-6));
    aid_free(a);
}

/* Projection on all blocks: cones, half-lines, everything. */
static void test_the_product_projection_treats_each_kind_of_block(void)
{
    aid_problem *a = aid_new(1, 1, 1);
    const slip_real x[5] = { 3, 4, 0, -2, -5 };
    slip_real y[5], s[5];

    a->mu[0] = 1;
    slip_problem_project(&a->p, x, y);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.5, y[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, y[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2.5, y[2]);
    TEST_ASSERT_EQUAL_DOUBLE(0, y[3]);
    TEST_ASSERT_EQUAL_DOUBLE(-5, y[4]);
    slip_problem_desaxce(&a->p, x, s);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 5, s[2]);
    TEST_ASSERT_EQUAL_DOUBLE(-2, s[3]);
    aid_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_good_text_is_read);
    RUN_TEST(test_bad_texts_are_refused_with_their_line);
    RUN_TEST(test_a_truncated_text_never_passes_for_a_whole_one);
    RUN_TEST(test_an_arena_too_small_is_a_status);
    RUN_TEST(test_no_contacts_is_a_valid_problem);
    RUN_TEST(test_what_is_written_reads_back_to_the_same_bits);
    RUN_TEST(test_limits_and_bilateral_rows_read_back_to_the_same_bits);
    RUN_TEST(test_the_check_names_what_is_wrong);
    RUN_TEST(test_blocks_that_are_zero_are_left_out_and_conversions_keep_values);
    RUN_TEST(test_the_product_projection_treats_each_kind_of_block);
    return UNITY_END();
}
