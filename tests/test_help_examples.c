/* The example at the end of each command's help runs as printed, in a fresh clone. */
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "slipstick.h"

#define FOLDER SLIP_TEST_BIN ".test_help.d"

static command_result result;

void setUp(void)
{
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "' && "
                                    "ln -s \"$PWD/models\" '" FOLDER "/models' && "
                                    "ln -s \"$PWD/" SLIP_TEST_BIN "\" '" FOLDER "/slipstick'"));
}

void tearDown(void)
{
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "'"));
}

/* Runs the example of `slipstick COMMAND --help` in a folder that holds models/ and the command. */
static void runs_its_example(const char *command)
{
    char line[4000];
    const char *at;
    int n;

    slip_format(line, (int)sizeof line, "%s --help", command);
    command_run(line, NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, command);
    at = strstr(result.out, "example: ");
    TEST_ASSERT_NOT_NULL_MESSAGE(at, command);
    at += strlen("example: ");
    n = snprintf(line, sizeof line, "cd '%s' && PATH=\"$PWD:$PATH\" && { %.*s ; } > out.txt 2> err.txt", FOLDER,
                 (int)strcspn(at, "\n"), at);
    TEST_ASSERT(n > 0 && n < (int)sizeof line);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(line), line);
    command_read(FOLDER "/out.txt", result.out, sizeof result.out);
    TEST_ASSERT_MESSAGE(result.out[0] != '\0', line);
    command_read(FOLDER "/err.txt", result.err, sizeof result.err);
    TEST_ASSERT_NULL_MESSAGE(strstr(result.err, "warning"), result.err);
}

static void test_commands_run_their_examples(void)
{
    static const char *const commands[] = { "", "info", "eval", "collide", "sim", "inverse", "linearize", "fit", "plan",
                                            "compare", "replay", "rollout", "merge", "mesh", "solve", "solvers", "bench",
                                            "real" };
    size_t k;

    for (k = 0; k < sizeof commands/sizeof *commands; ++k) runs_its_example(commands[k]);
}

static void test_benches_run_their_examples(void)
{
    static const char *const parts[] = { "dynamics", "broadphase", "inverse", "collision", "solvers", "sim", "table",
                                         "simbenchmark", "iftomm", "order" };
    char command[40];
    size_t k;

    for (k = 0; k < sizeof parts/sizeof *parts; ++k) {
        slip_format(command, (int)sizeof command, "bench %s", parts[k]);
        runs_its_example(command);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_commands_run_their_examples);
    RUN_TEST(test_benches_run_their_examples);
    return UNITY_END();
}
