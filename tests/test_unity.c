/* The harness itself: a failing assertion must be seen, counted, and end its test. The program runs
 * itself with an argument, as a suite that fails on purpose, and reads what that prints. It builds and
 * passes against upstream Unity as well, so both are held to the same. */
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int one = 1, two = 2;                 /* not constants: compilers then say nothing */
static const int ints[3] = { 1, 1, 2 }, other_ints[3] = { 1, 2, 2 };
static const double reals[3] = { 1, 1, 2 }, other_reals[3] = { 1, 1, 2.5 };
static const float floats[2] = { 1, 2 }, other_floats[2] = { 1, 2.5f };
static const char *const texts[2] = { "a", "b" };
static const char *const other_texts[2] = { "a", "c" };
static const void *no_pointer;
static double zero;

#define INFINITE (1/zero)
#define UNKNOWN  (zero/zero)

/* Assertions that hold, and under the same heading ones that do not. */
#define HOLDING(X) \
    X(TEST_ASSERT(one == 1)) X(TEST_ASSERT_TRUE(one)) X(TEST_ASSERT_FALSE(one == two)) X(TEST_ASSERT_UNLESS(one == 2)) \
    X(TEST_ASSERT_NULL(no_pointer)) X(TEST_ASSERT_NOT_NULL(&one)) X(TEST_ASSERT_EQUAL(1, one)) \
    X(TEST_ASSERT_EQUAL_INT(1, one)) X(TEST_ASSERT_EQUAL_INT8(-1, 255)) X(TEST_ASSERT_EQUAL_INT16(1, one)) \
    X(TEST_ASSERT_EQUAL_INT32(-1, -one)) X(TEST_ASSERT_EQUAL_INT64(1LL << 40, 1LL << 40)) \
    X(TEST_ASSERT_EQUAL_UINT(1, one)) X(TEST_ASSERT_EQUAL_UINT8(255, 255)) X(TEST_ASSERT_EQUAL_UINT64(1, one)) \
    X(TEST_ASSERT_EQUAL_size_t(sizeof ints, sizeof ints)) X(TEST_ASSERT_EQUAL_HEX(1, one)) \
    X(TEST_ASSERT_EQUAL_HEX8(0xff, 0xff)) X(TEST_ASSERT_EQUAL_CHAR('a', 'a')) X(TEST_ASSERT_NOT_EQUAL_INT(1, two)) \
    X(TEST_ASSERT_GREATER_THAN_INT(one, two)) X(TEST_ASSERT_LESS_THAN(two, one)) \
    X(TEST_ASSERT_GREATER_OR_EQUAL_INT(1, one)) X(TEST_ASSERT_LESS_OR_EQUAL_UINT(1, one)) \
    X(TEST_ASSERT_GREATER_THAN_UINT64(1, ~0ULL)) X(TEST_ASSERT_INT_WITHIN(1, one, two)) \
    X(TEST_ASSERT_UINT64_WITHIN(1, ~0ULL - 1, ~0ULL)) X(TEST_ASSERT_EQUAL_PTR(&one, &one)) \
    X(TEST_ASSERT_NOT_EQUAL_PTR(&one, &two)) X(TEST_ASSERT_EQUAL_STRING("ab", "ab")) \
    X(TEST_ASSERT_EQUAL_STRING(NULL, NULL)) X(TEST_ASSERT_EQUAL_STRING_LEN("abc", "abd", 2)) \
    X(TEST_ASSERT_NOT_EQUAL_STRING("ab", "b")) X(TEST_ASSERT_EQUAL_MEMORY("abc", "abd", 2)) \
    X(TEST_ASSERT_EQUAL_INT_ARRAY(ints, other_ints, 1)) X(TEST_ASSERT_EACH_EQUAL_INT(1, ints, 2)) \
    X(TEST_ASSERT_EQUAL_STRING_ARRAY(texts, other_texts, 1)) X(TEST_ASSERT_EQUAL_MEMORY_ARRAY(ints, other_ints, 4, 1)) \
    X(TEST_ASSERT_DOUBLE_WITHIN(1, one, two)) X(TEST_ASSERT_EQUAL_DOUBLE(1, one + 1e-13)) \
    X(TEST_ASSERT_EQUAL_DOUBLE(UNKNOWN, UNKNOWN)) X(TEST_ASSERT_EQUAL_DOUBLE(INFINITE, INFINITE)) \
    X(TEST_ASSERT_EQUAL_FLOAT(1, one + 1e-6)) X(TEST_ASSERT_FLOAT_WITHIN(1, one, two)) \
    X(TEST_ASSERT_EQUAL_DOUBLE_ARRAY(reals, other_reals, 2)) X(TEST_ASSERT_EACH_EQUAL_DOUBLE(1, reals, 2)) \
    X(TEST_ASSERT_EQUAL_FLOAT_ARRAY(floats, other_floats, 1)) \
    X(TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0.5, reals, other_reals, 3)) X(TEST_ASSERT_GREATER_THAN_DOUBLE(one, two)) \
    X(TEST_ASSERT_LESS_OR_EQUAL_DOUBLE(one, one)) X(TEST_ASSERT_DOUBLE_IS_INF(INFINITE)) \
    X(TEST_ASSERT_DOUBLE_IS_NEG_INF(-INFINITE)) X(TEST_ASSERT_DOUBLE_IS_NAN(UNKNOWN)) \
    X(TEST_ASSERT_DOUBLE_IS_DETERMINATE(1)) X(TEST_ASSERT_DOUBLE_IS_NOT_INF(1)) X(TEST_ASSERT_DOUBLE_IS_NOT_NAN(1)) \
    X(TEST_ASSERT_FLOAT_IS_NAN(UNKNOWN)) X(TEST_ASSERT_DOUBLE_IS_NOT_DETERMINATE(UNKNOWN)) \
    X(TEST_ASSERT_NOT_EQUAL_DOUBLE(1, two)) X(TEST_ASSERT_BITS(1, 1, 3)) X(TEST_ASSERT_BIT_LOW(2, 3))

#define BREAKING(X) \
    X(TEST_ASSERT(one == 2)) X(TEST_ASSERT_TRUE(one == two)) X(TEST_ASSERT_FALSE(one)) X(TEST_ASSERT_UNLESS(one == 1)) \
    X(TEST_ASSERT_NULL(&one)) X(TEST_ASSERT_NOT_NULL(no_pointer)) X(TEST_ASSERT_EQUAL(2, one)) \
    X(TEST_ASSERT_EQUAL_INT(2, one)) X(TEST_ASSERT_EQUAL_INT8(-1, 127)) X(TEST_ASSERT_EQUAL_INT16(2, one)) \
    X(TEST_ASSERT_EQUAL_INT32(-1, one)) X(TEST_ASSERT_EQUAL_INT64(1LL << 40, 1LL << 41)) \
    X(TEST_ASSERT_EQUAL_UINT(2, one)) X(TEST_ASSERT_EQUAL_UINT8(255, 0)) X(TEST_ASSERT_EQUAL_UINT64(1, ~0ULL)) \
    X(TEST_ASSERT_EQUAL_size_t(sizeof ints, 0)) X(TEST_ASSERT_EQUAL_HEX(2, one)) X(TEST_ASSERT_EQUAL_HEX8(0xff, 0xfe)) \
    X(TEST_ASSERT_EQUAL_CHAR('a', 'b')) X(TEST_ASSERT_NOT_EQUAL_INT(1, one)) X(TEST_ASSERT_GREATER_THAN_INT(two, one)) \
    X(TEST_ASSERT_GREATER_THAN_INT(one, one)) X(TEST_ASSERT_LESS_THAN(one, two)) X(TEST_ASSERT_LESS_THAN(one, one)) \
    X(TEST_ASSERT_GREATER_OR_EQUAL_INT(2, one)) X(TEST_ASSERT_LESS_OR_EQUAL_UINT(1, two)) \
    X(TEST_ASSERT_GREATER_THAN_UINT64(~0ULL, 1)) X(TEST_ASSERT_INT_WITHIN(1, one, 3)) \
    X(TEST_ASSERT_INT_WITHIN(1, 3, one)) \
    X(TEST_ASSERT_UINT64_WITHIN(1, 0, ~0ULL)) X(TEST_ASSERT_EQUAL_PTR(&one, &two)) \
    X(TEST_ASSERT_NOT_EQUAL_PTR(&one, &one)) X(TEST_ASSERT_EQUAL_STRING("ab", "abc")) \
    X(TEST_ASSERT_EQUAL_STRING("ab", NULL)) X(TEST_ASSERT_EQUAL_STRING(NULL, "ab")) \
    X(TEST_ASSERT_EQUAL_STRING_LEN("abc", "abd", 3)) X(TEST_ASSERT_NOT_EQUAL_STRING("ab", "ab")) \
    X(TEST_ASSERT_EQUAL_MEMORY("abc", "abd", 3)) X(TEST_ASSERT_EQUAL_INT_ARRAY(ints, other_ints, 3)) \
    X(TEST_ASSERT_EQUAL_INT_ARRAY(ints, other_ints, 0)) X(TEST_ASSERT_EQUAL_INT_ARRAY(ints, NULL, 2)) \
    X(TEST_ASSERT_EACH_EQUAL_INT(1, ints, 3)) X(TEST_ASSERT_EQUAL_STRING_ARRAY(texts, other_texts, 2)) \
    X(TEST_ASSERT_EQUAL_MEMORY_ARRAY(ints, other_ints, 4, 3)) X(TEST_ASSERT_DOUBLE_WITHIN(0.5, one, two)) \
    X(TEST_ASSERT_DOUBLE_WITHIN(1, one, UNKNOWN)) X(TEST_ASSERT_DOUBLE_WITHIN(1, one, INFINITE)) \
    X(TEST_ASSERT_DOUBLE_WITHIN(INFINITE, one, UNKNOWN)) X(TEST_ASSERT_EQUAL_DOUBLE(1, one + 1e-11)) \
    X(TEST_ASSERT_EQUAL_DOUBLE(0, 1e-300)) X(TEST_ASSERT_EQUAL_DOUBLE(INFINITE, -INFINITE)) \
    X(TEST_ASSERT_EQUAL_FLOAT(1, one + 1e-4)) X(TEST_ASSERT_FLOAT_WITHIN(0.5, one, two)) \
    X(TEST_ASSERT_EQUAL_DOUBLE_ARRAY(reals, other_reals, 3)) X(TEST_ASSERT_EACH_EQUAL_DOUBLE(1, reals, 3)) \
    X(TEST_ASSERT_EQUAL_FLOAT_ARRAY(floats, other_floats, 2)) \
    X(TEST_ASSERT_DOUBLE_ARRAY_WITHIN(0.25, reals, other_reals, 3)) X(TEST_ASSERT_GREATER_THAN_DOUBLE(two, one)) \
    X(TEST_ASSERT_GREATER_THAN_DOUBLE(one, UNKNOWN)) X(TEST_ASSERT_LESS_OR_EQUAL_DOUBLE(one, two)) \
    X(TEST_ASSERT_DOUBLE_IS_INF(1)) X(TEST_ASSERT_DOUBLE_IS_NEG_INF(INFINITE)) X(TEST_ASSERT_DOUBLE_IS_NAN(1)) \
    X(TEST_ASSERT_DOUBLE_IS_DETERMINATE(UNKNOWN)) X(TEST_ASSERT_DOUBLE_IS_NOT_INF(INFINITE)) \
    X(TEST_ASSERT_DOUBLE_IS_NOT_NAN(UNKNOWN)) X(TEST_ASSERT_FLOAT_IS_NAN(1)) \
    X(TEST_ASSERT_DOUBLE_IS_NOT_DETERMINATE(1)) X(TEST_ASSERT_NOT_EQUAL_DOUBLE(1, one)) X(TEST_ASSERT_BITS(1, 1, 2)) \
    X(TEST_ASSERT_BIT_LOW(1, 3)) X(TEST_FAIL()) X(TEST_FAIL_MESSAGE("a message")) \
    X(TEST_ASSERT_EQUAL_INT_MESSAGE(2, one, "a message"))

static int chosen, survived, cleaned;

void setUp(void) { survived = 0; }
void tearDown(void) { ++cleaned; }

/* Both lists, as one test each that takes the chosen assertion. */
#define CASE(assertion) if (at++ == chosen) { assertion; ++survived; }
#define COUNT(assertion) + 1
static void test_one_that_holds(void) { int at = 0; HOLDING(CASE) }
static void test_one_that_breaks(void) { int at = 0; BREAKING(CASE) }

static void test_that_ignores_itself(void) { TEST_IGNORE_MESSAGE("a reason"); ++survived; }
static void test_that_passes_early(void) { TEST_PASS(); ++survived; }

static void test_that_breaks_in_a_helper(void)
{
    chosen = 0;
    test_one_that_breaks();
    ++survived;
}

/* The suite that fails on purpose. Its last line tells how many tests went past a point they should
 * not have reached, and how often tearDown was called. */
static int fail_on_purpose(void)
{
    int leaks = 0, failures;

    UNITY_BEGIN();
    for (chosen = 0; chosen < 0 BREAKING(COUNT); ++chosen) {
        RUN_TEST(test_one_that_breaks);
        leaks += survived;
    }
    RUN_TEST(test_that_ignores_itself);
    leaks += survived;
    RUN_TEST(test_that_passes_early);
    leaks += survived;
    RUN_TEST(test_that_breaks_in_a_helper);
    leaks += survived;
    failures = UNITY_END();
    printf("returned %d leaks %d cleaned %d\n", failures, leaks, cleaned);
    return failures;
}

/* ---- the tests of the output ------------------------------------------------------------------- */

static char output[65536];
static int  output_status;

static void run_self(const char *self)
{
    static char command[4096], path[2048];
    FILE *file;
    size_t n = 0;

    snprintf(path, sizeof path, "%s.out", self);
    snprintf(command, sizeof command, "\"%s\" fail > \"%s\"", self, path);
    output_status = system(command);
    file = fopen(path, "rb");
    if (file) {
        n = fread(output, 1, sizeof output - 1, file);
        fclose(file);
        remove(path);
    }
    output[n] = '\0';
}

static int count_of(const char *text)
{
    const char *at = output;
    int n = 0;

    while ((at = strstr(at, text)) != NULL) {
        ++n;
        at += strlen(text);
    }
    return n;
}

static void test_assertions_that_hold_let_the_test_go_on(void)
{
    int reached = 0, all = 0 HOLDING(COUNT);

    for (chosen = 0; chosen < all; ++chosen) {
        test_one_that_holds();
        reached += survived;
        survived = 0;
    }
    TEST_ASSERT_EQUAL_INT(all, reached);
}

static void test_every_broken_assertion_is_reported_once(void)
{
    TEST_ASSERT_EQUAL_INT(0 BREAKING(COUNT), count_of(":test_one_that_breaks:FAIL"));
    TEST_ASSERT_EQUAL_INT(0, count_of(":test_one_that_breaks:PASS"));
    TEST_ASSERT_EQUAL_INT(1, count_of(":test_that_breaks_in_a_helper:FAIL"));
}

static void test_failures_and_ignored_tests_are_counted_and_returned(void)
{
    char wanted[80];
    const int n = 0 BREAKING(COUNT);

    snprintf(wanted, sizeof wanted, "\n%d Tests %d Failures 1 Ignored", n + 3, n + 1);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, count_of(wanted), wanted);
    TEST_ASSERT_EQUAL_INT(1, count_of("\nFAIL\n"));
    snprintf(wanted, sizeof wanted, "\nreturned %d ", n + 1);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, count_of(wanted), wanted);
    TEST_ASSERT_TRUE_MESSAGE(output_status != 0, "exit status of a failing suite");
}

static void test_a_broken_assertion_ends_its_test_but_not_its_tear_down(void)
{
    char wanted[80];

    snprintf(wanted, sizeof wanted, " leaks 0 cleaned %d\n", (0 BREAKING(COUNT)) + 3);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, count_of(wanted), wanted);
}

static void test_lines_name_the_place_the_test_and_what_was_expected(void)
{
    TEST_ASSERT_EQUAL_INT(1, count_of(":test_that_ignores_itself:IGNORE: a reason\n"));
    TEST_ASSERT_EQUAL_INT(1, count_of(":test_that_passes_early:PASS\n"));
    TEST_ASSERT_TRUE(count_of("test_unity.c:") >= 0 BREAKING(COUNT));
    TEST_ASSERT_TRUE(count_of(":FAIL: Expected 2 Was 1\n") >= 3);
    TEST_ASSERT_EQUAL_INT(2, count_of("a message\n"));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fail") == 0) return fail_on_purpose() > 0;
    run_self(argv[0]);
    UNITY_BEGIN();
    RUN_TEST(test_assertions_that_hold_let_the_test_go_on);
    RUN_TEST(test_every_broken_assertion_is_reported_once);
    RUN_TEST(test_failures_and_ignored_tests_are_counted_and_returned);
    RUN_TEST(test_a_broken_assertion_ends_its_test_but_not_its_tear_down);
    RUN_TEST(test_lines_name_the_place_the_test_and_what_was_expected);
    return UNITY_END();
}
