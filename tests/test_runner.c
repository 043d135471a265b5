/* tests/run.sh: that it adds up what programs report and sees those that crash. The programs are small
 * shell scripts made for the purpose, beside this one. */
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *self;
static char output[20000];
static int status;

void setUp(void) { }
void tearDown(void) { }

/* Makes PROGRAM.<name>, a script of one line. */
static void make_program(const char *name, const char *line)
{
    static char path[3000], command[3200];
    FILE *file;

    snprintf(path, sizeof path, "%s.%s", self, name);
    file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fprintf(file, "#!/bin/sh\n%s\n", line);
    fclose(file);
    snprintf(command, sizeof command, "chmod +x \"%s\"", path);
    TEST_ASSERT_EQUAL_INT(0, system(command));
}

/* Runs tests/run.sh on programs of these names, separated by blanks. */
static void run(const char *names)
{
    static char command[20000], name[100];
    FILE *file;
    size_t n = 0;
    int used;

    used = snprintf(command, sizeof command, "sh tests/run.sh");
    while (sscanf(names, "%99s", name) == 1) {
        used += snprintf(command + used, sizeof command - (size_t)used, " \"%s.%s\"", self, name);
        names = strstr(names, name) + strlen(name);
    }
    snprintf(command + used, sizeof command - (size_t)used, " > \"%s.out\" 2>&1", self);
    status = system(command);
    snprintf(command, sizeof command, "%s.out", self);
    file = fopen(command, "r");
    TEST_ASSERT_NOT_NULL(file);
    n = fread(output, 1, sizeof output - 1, file);
    fclose(file);
    output[n] = '\0';
}

static void check_last_line(const char *wanted, int success)
{
    const size_t n = strlen(output), w = strlen(wanted);

    TEST_ASSERT_TRUE_MESSAGE(n >= w && strcmp(output + n - w, wanted) == 0, output);
    TEST_ASSERT_TRUE_MESSAGE((status == 0) == success, "exit status");
}

static void test_programs_for_the_runner_can_be_made(void)
{
    make_program("good", "echo 'a.c:1:test_a:PASS'; echo '3 Tests 0 Failures 0 Ignored'; echo OK");
    make_program("skips", "echo 'a.c:1:test_b:IGNORE: no data'; echo '2 Tests 0 Failures 1 Ignored '; echo OK");
    make_program("fails", "echo 'a.c:9:test_c:FAIL: Expected 1 Was 2'; echo '5 Tests 2 Failures 1 Ignored'; exit 2");
    make_program("crashes", "echo 'a.c:1:test_d:PASS'; kill -SEGV $$");
    make_program("crashes_late", "echo '4 Tests 0 Failures 0 Ignored'; exit 9");
    make_program("forgets", "echo '4 Tests 1 Failures 0 Ignored'; exit 0");
    make_program("empty", "echo '0 Tests 0 Failures 0 Ignored'");
}

static void test_passing_suites_are_shown_and_added_up(void)
{
    run("good");
    check_last_line("\n3 passed, 0 failed\n", 1);
    run("good skips good");
    check_last_line("\n7 passed, 0 failed\n", 1);
    TEST_ASSERT_NOT_NULL(strstr(output, ".skips"));
    TEST_ASSERT_NOT_NULL(strstr(output, ", 1 skipped\n"));
    TEST_ASSERT_NOT_NULL(strstr(output, "test_b:IGNORE: no data\n"));
    TEST_ASSERT_NOT_NULL(strstr(output, "\n1 skipped"));
}

static void test_failures_are_shown_counted_and_returned(void)
{
    run("good fails");
    check_last_line("\n5 passed, 2 failed\n", 0);
    TEST_ASSERT_NOT_NULL(strstr(output, ", 2 FAILED\n"));
    TEST_ASSERT_NOT_NULL(strstr(output, "a.c:9:test_c:FAIL: Expected 1 Was 2\n"));
    run("forgets");
    check_last_line("\n3 passed, 1 failed\n", 0);
}

static void test_a_crash_is_a_failure_before_and_after_the_closing_line(void)
{
    run("good crashes good");
    check_last_line("\n6 passed, 1 failed\n", 0);
    run("crashes_late");
    check_last_line("\n4 passed, 1 failed\n", 0);
    run("not_there good");
    check_last_line("\n3 passed, 1 failed\n", 0);
}

static void test_no_tests_at_all_are_no_success(void)
{
    run("");
    check_last_line("0 passed, 0 failed\n", 0);
    run("empty good");
    check_last_line("\n3 passed, 1 failed\n", 0);
}

int main(int argc, char **argv)
{
    FILE *script = fopen("tests/run.sh", "r");

    (void)argc;
    self = argv[0];
    if (!script) {
        fprintf(stderr, "run me from the root of the tree: tests/run.sh is not here\n");
        return 1;
    }
    fclose(script);
    UNITY_BEGIN();
    RUN_TEST(test_programs_for_the_runner_can_be_made);
    RUN_TEST(test_passing_suites_are_shown_and_added_up);
    RUN_TEST(test_failures_are_shown_counted_and_returned);
    RUN_TEST(test_a_crash_is_a_failure_before_and_after_the_closing_line);
    RUN_TEST(test_no_tests_at_all_are_no_success);
    return UNITY_END();
}
