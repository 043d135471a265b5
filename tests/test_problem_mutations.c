/* Problem files with bytes changed, words put in and parts cut out: read or refused with a line number, and what is
 * read is taken by every solver without harm: a status, finite impulses. */
#include "unity.h"
#include "slipstick_parts.h"

#include <stdlib.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static const char two[] =
    "contact-problem 1\nname two feet\nsource by hand\nnc 2\nmu 0.5 0.25\ng 0.3 -0.1 -1 1e-3 2.5 -0.75\nblocks 4\n"
    "0 0  1.5 0.1 0  0.1 1.25 0.2  0 0.2 1\n0 1  0.25 0 0  0 0.25 0  0 0 0.125\n"
    "1 0  0.25 0 0  0 0.25 0  0 0 0.125\n1 1  2 0 0.5  0 2 0  0.5 0 1\n";

static int chance(slip_random *rng, int n) { return (int)slip_random_uniform(rng, 0, (slip_real)n*SLIP_R(0.9999)); }

/* One change of text[0..n), with room for more; returns the new length. */
static size_t change(slip_random *rng, int digits_only, char *text, size_t n)
{
    static const char *const words[] = { "nan", "inf", "1e999", "-1", "2147483648", "nc", "blocks", "\n", " ", "1e308",
                                         "-1e308", "4294967297", "1e-320", "\r\n", "\xff", "limits 1" };
    const size_t at = n > 0 ? (size_t)chance(rng, (int)n) : 0;
    const int what = digits_only ? 0 : chance(rng, 5);
    size_t length;

    if (n == 0) return 0;
    if (what == 0) { text[at] = "0123456789.-+e"[chance(rng, 14)];  return n; }
    if (what == 1) { text[at] = (char)chance(rng, 256);  return n; }
    if (what == 2) return chance(rng, 4) == 0 ? at : n;
    if (what == 3) {
        length = (size_t)chance(rng, 20);
        if (at + length > n) length = n - at;
        memmove(text + at, text + at + length, n - at - length);
        return n - length;
    }
    {
        const char *word = words[chance(rng, (int)(sizeof words/sizeof *words))];

        length = strlen(word);
        memmove(text + at + length, text + at, n - at);
        memcpy(text + at, word, length);
        return n + length;
    }
}

static void solve_with_all(const slip_problem *p)
{
    slip_solver_options o = slip_solver_defaults();
    slip_real lambda[64];
    int k;

    if (p->n > 64) return;
    o.max_iterations = 30;
    for (k = 0; k < slip_solver_count(); ++k) {
        const slip_solver *s = slip_solver_get(k);
        const size_t bytes = s->bytes(p, &o);
        void *memory = malloc(bytes ? bytes : 1);
        slip_arena mem = slip_arena_over(memory, bytes);
        slip_solution sol = slip_solution_over(lambda, NULL, NULL);
        const slip_status status = s->solve(p, &o, &sol, &mem);

        free(memory);
        TEST_ASSERT_MESSAGE(status >= 0 || status == SLIP_ERR_ARGUMENT || status == SLIP_ERR_NOT_SPD, s->id);
        if (status >= 0) TEST_ASSERT_MESSAGE(slip_all_finite(lambda, p->n), s->id);
    }
}

/* Reads exactly the bytes given, in memory of exactly the size asked for: a sanitizer sees any step beside them. */
static int read_and_solve(const char *text, size_t n)
{
    const size_t room = slip_problem_bytes(n);
    char *bytes = (char *)malloc(n ? n : 1);
    void *memory = malloc(room ? room : 1);
    slip_arena mem = slip_arena_over(memory, room);
    slip_problem p;
    slip_error err;
    int ok;

    memcpy(bytes, text, n);
    slip_error_clear(&err);
    ok = slip_problem_read(bytes, n, &mem, &p, &err) >= 0;
    if (ok) solve_with_all(&p);
    else TEST_ASSERT_MESSAGE(err.line > 0 && err.what[0] != '\0', "a refusal needs a line and a reason");
    free(memory);
    free(bytes);
    return ok;
}

static int mutate(int digits_only, int rounds, uint64_t seed)
{
    slip_random rng = slip_random_seed(seed);
    char text[2048];
    int k, c, read = 0;

    for (k = 0; k < rounds; ++k) {
        size_t n = sizeof two - 1;

        memcpy(text, two, n);
        for (c = chance(&rng, 5); c >= 0; --c) n = change(&rng, digits_only, text, n);
        read += read_and_solve(text, n);
    }
    return read;
}

static void test_the_original_is_read(void) { TEST_ASSERT(read_and_solve(two, sizeof two - 1)); }

static void test_mutated_problems_are_read_or_refused_with_a_line(void)
{
    const int read = mutate(0, 20000, 1);

    TEST_ASSERT(read > 200 && read < 19000);
}

static void test_problems_with_other_digits_do_no_harm_to_any_solver(void)
{
    const int read = mutate(1, 10000, 2);

    TEST_ASSERT(read > 200 && read < 9900);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_original_is_read);
    RUN_TEST(test_mutated_problems_are_read_or_refused_with_a_line);
    RUN_TEST(test_problems_with_other_digits_do_no_harm_to_any_solver);
    return UNITY_END();
}
