/* `make bench-check` names what got slower by more than noise (tools/bench/results.py). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "unity.h"
#include "command.h"

#define FOLDER SLIP_TEST_BIN ".test_bench_check.d"
#define HEAD "{\"schema\": 1, \"about\": {\"version\": \"a\", \"compiler\": \"b\", \"flags\": \"c\", " \
    "\"processor\": \"d\"}, \"rows\": ["
#define ROW(name, unit, value, noise) \
    "{\"name\": \"" name "\", \"unit\": \"" unit "\", \"value\": " #value ", \"noise\": " #noise "}"

static char out[4000];

void setUp(void)
{
    if (system("command -v python3 >/dev/null 2>&1") != 0) TEST_IGNORE_MESSAGE("there is no python3 here");
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "'"));
}

void tearDown(void) { TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "'")); }

/* Exit code of the check of two files; what it says is in `out`. */
static int checks(const char *old_rows, const char *new_rows)
{
    int status;

    command_write(FOLDER "/old.json", old_rows);
    command_write(FOLDER "/new.json", new_rows);
    status = system("python3 tools/bench/results.py check '" FOLDER "/old.json' '" FOLDER "/new.json' >'" FOLDER
                    "/out' 2>&1");
    command_read(FOLDER "/out", out, sizeof out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_more_instructions_are_named(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, checks(HEAD ROW("a", "instructions", 1000, 0) "]}",
                                            HEAD ROW("a", "instructions", 1009, 0) "]}"), out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, checks(HEAD ROW("a", "instructions", 1000, 0) "," ROW("b", "ns", 5, 0.1) "]}",
                                            HEAD ROW("a", "instructions", 1011, 0) "," ROW("b", "ns", 5, 0.1) "]}"),
                                                    out);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out, "slower   a: 1000 -> 1011"), out);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out, "2 compared, 1 slower, 0 faster"), out);
}

static void test_time_counts_beyond_the_noise_of_both(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, checks(HEAD ROW("a", "ns", 10, 0.1) "]}", HEAD ROW("a", "ns", 12.9, 0.2) "]}"),
            out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, checks(HEAD ROW("a", "ns", 10, 0.1) "]}", HEAD ROW("a", "ns", 13.1, 0.2) "]}"),
            out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, checks(HEAD ROW("a", "ns", 10, 0.1) "]}", HEAD ROW("a", "ns", 5, 0.2) "]}"), out);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out, "1 compared, 0 slower, 1 faster"), out);
}

static void test_files_that_cannot_be_compared_are_refused(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, checks("{}", HEAD "]}"), out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, checks(HEAD "]}", "not json"), out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, checks(HEAD ROW("a", "ns", 1, 0) "]}", HEAD ROW("a", "instructions", 1, 0) "]}"),
            out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, checks(HEAD ROW("a", "ns", 0, 0) "]}", HEAD "]}"), out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, checks(HEAD ROW("a", "ns", 1, 0) "," ROW("a", "ns", 1, 0) "]}", HEAD "]}"), out);
}

/* The file in the tree is one, and gets no slower than itself. */
static void test_the_results_in_the_tree_can_be_compared(void)
{
    TEST_ASSERT_EQUAL_INT(0,
            system("python3 tools/bench/results.py check bench/results.json bench/results.json >/dev/null"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_more_instructions_are_named);
    RUN_TEST(test_time_counts_beyond_the_noise_of_both);
    RUN_TEST(test_files_that_cannot_be_compared_are_refused);
    RUN_TEST(test_the_results_in_the_tree_can_be_compared);
    return UNITY_END();
}
