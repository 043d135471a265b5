/* Rollouts: the same table whoever makes it, in however many parts and tries. */
#define _POSIX_C_SOURCE 200112L                  /* setenv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "unity.h"
#include "command.h"
#include "slipstick.h"

#define FOLDER SLIP_TEST_BIN ".test_rollout.d"
#define SCENE "<scene name='toss'><simulation duration='0.05'/><ground/>" \
    "<body name='cube' mass='1'><origin xyz='0 0 0.12'/><geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>"
#define ARM "models/arm_drop.xml --n 6 --time 0.02 --seed 3"
#define TOSS "'" FOLDER "/toss.xml' --n 11 --seed 5 --vary mu=0.1:1,mass:cube=0.5:2,z:cube=0:0.05,restitution=0:0.5"

static command_result result;
static char whole[COMMAND_TEXT], other[COMMAND_TEXT], kept[COMMAND_TEXT];

static const char *const variables[] = { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID",
    "SLURM_CPUS_PER_TASK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PARALLEL_SEQ" };

static void clear_environment(void)
{
    size_t i;

    for (i = 0; i < sizeof variables/sizeof *variables; ++i) unsetenv(variables[i]);
}

void setUp(void)
{
    clear_environment();
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "'"));
    command_write(FOLDER "/toss.xml", SCENE);
}

void tearDown(void)
{
    clear_environment();
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "'"));
}

/* "rollout ARGUMENTS --out FOLDER/FILE" ends with this code. */
static void rolls(int code, const char *arguments, const char *file)
{
    char line[2000];

    slip_format(line, (int)sizeof line, "rollout %s --out '%s/%s'", arguments, FOLDER, file);
    command_run(line, NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(code, result.code, result.err);
}

/* The whole table in one process, in `whole`. */
static size_t makes_whole(const char *arguments)
{
    rolls(0, arguments, "whole");
    return command_read(FOLDER "/whole", whole, sizeof whole);
}

static void is_the_whole(size_t n, const char *path)
{
    char name[600];

    snprintf(name, sizeof name, "%s/%s", FOLDER, path);
    TEST_ASSERT_EQUAL_UINT_MESSAGE(n, command_read(name, other, sizeof other), path);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(whole, other, n, path);
}

/* Column `name` of row `row`, from 0. */
static double cell(const char *table, const char *name, int row)
{
    const char *head = strstr(table, "\nrun,"), *line, *at;
    double x = 0;
    int k = 0, i;

    TEST_ASSERT_NOT_NULL_MESSAGE(head, table);
    for (at = ++head; strncmp(at, name, strlen(name)) != 0 || !strchr(",\n", at[strlen(name)]); ++k) {
        at = strpbrk(at, ",\n");
        TEST_ASSERT_MESSAGE(at && *at == ',', name);
        ++at;
    }
    for (line = strchr(head, '\n') + 1, i = 0; i < row; ++i) line = strchr(line, '\n') + 1;
    for (i = 0; i < k; ++i) line = strchr(line, ',') + 1;
    TEST_ASSERT_GREATER_THAN_INT(0, slip_read_double(line, (int)strcspn(line, ",\n"), &x));
    return x;
}

static void test_the_table_is_the_same_for_any_number_of_processes(void)
{
    static const char *const arguments[] = { TOSS " --states", ARM " --policy random --states", TOSS " --binary" };
    char line[2000];
    size_t k, n;

    for (k = 0; k < sizeof arguments/sizeof *arguments; ++k) {
        n = makes_whole(arguments[k]);
        TEST_ASSERT(n > 500);
        snprintf(line, sizeof line, "%s --jobs 3", arguments[k]);
        rolls(0, line, "three");
        is_the_whole(n, "three");
        remove(FOLDER "/whole");
        remove(FOLDER "/three");
    }
}

static void test_what_varies_varies_within_its_bounds_and_has_its_effect(void)
{
    int i;

    makes_whole(TOSS " --states");
    for (i = 0; i < 11; ++i) {
        const double mass = cell(whole, "mass:cube", i), z = cell(whole, "z:cube", i);

        TEST_ASSERT_EQUAL_INT(i, (int)cell(whole, "run", i));
        TEST_ASSERT_EQUAL_INT(50, (int)cell(whole, "steps", i));
        TEST_ASSERT(mass >= 0.5 && mass < 2 && z >= 0 && z < 0.05);
        /* energy of the start: m g (0.12 + z), g = 9.81 */
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, mass*9.81*(0.12 + z), cell(whole, "energy_start", i));
        if (i > 0) TEST_ASSERT(cell(whole, "mu", i) != cell(whole, "mu", i - 1));
    }
    makes_whole("'" FOLDER "/toss.xml' --n 4 --time 0.002 --vary gravity=1:2 --states");
    for (i = 0; i < 4; ++i)                                      /* it falls freely: v = -2 dt g */
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, -0.002*9.81*cell(whole, "gravity", i), cell(whole, "v2", i));
}

static void test_parts_from_the_environment_of_launchers_join_to_the_whole(void)
{
    static const struct { const char *name[4], *value[3][4]; const char *more; } launcher[] = {
        { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS" },
          { { "0", "3", "0", "1" }, { "1", "3", "0", "1" }, { "2", "3", "0", "1" } }, "" },
        { { "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID", "PMI_X" },
          { { "0", "3", "7", "" }, { "1", "3", "7", "" }, { "2", "3", "7", "" } }, "" },
        { { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX" },
          { { "5", "3", "5", "7" }, { "6", "3", "5", "7" }, { "7", "3", "5", "7" } }, "" },
        { { "PARALLEL_SEQ", "PMI_X", "PMI_X", "PMI_X" },
          { { "1", "", "", "" }, { "2", "", "", "" }, { "3", "", "", "" } }, " --shards 3" },
    };
    const size_t n = makes_whole(TOSS);
    char line[2000];
    size_t k;
    int part, i;

    for (k = 0; k < sizeof launcher/sizeof *launcher; ++k) {
        clear_environment();
        for (part = 0; part < 3; ++part) {
            for (i = 0; i < 4; ++i) setenv(launcher[k].name[i], launcher[k].value[part][i], 1);
            snprintf(line, sizeof line, "%s%s", TOSS, launcher[k].more);
            rolls(0, line, "part.csv");
        }
        clear_environment();
        command_run("merge '" FOLDER "/part.3-of-3.csv' '" FOLDER "/part.1-of-3.csv' '" FOLDER
                    "/part.2-of-3.csv' --out '" FOLDER "/joined'", NULL, &result);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, result.err);
        is_the_whole(n, "joined");
        TEST_ASSERT_EQUAL_INT(0, system("rm '" FOLDER "'/part.* '" FOLDER "/joined'"));
    }
}

/* A batch script without srun has SLURM_PROCID too, and a task of a wide allocation is not one of its parts. */
static void test_a_batch_script_alone_makes_the_whole(void)
{
    const size_t n = makes_whole(TOSS);

    setenv("SLURM_PROCID", "0", 1);
    setenv("SLURM_NTASKS", "8", 1);
    rolls(0, TOSS, "batch");
    is_the_whole(n, "batch");
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    rolls(0, TOSS " --shard none", "none");
    is_the_whole(n, "none");
    setenv("OMPI_COMM_WORLD_RANK", "two", 1);
    rolls(1, TOSS, "bad");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "OMPI_COMM_WORLD_RANK is 'two'"), result.err);
}

/* An array of 2 tasks with 2 processes each is 4 parts. */
static void test_an_array_of_parallel_jobs_is_split_twice(void)
{
    int task, rank;
    const size_t n = makes_whole(TOSS " --binary");

    setenv("SLURM_ARRAY_TASK_COUNT", "2", 1);
    setenv("SLURM_ARRAY_TASK_MIN", "0", 1);
    setenv("SLURM_ARRAY_TASK_MAX", "4", 1);
    setenv("SLURM_ARRAY_TASK_STEP", "4", 1);
    setenv("SLURM_STEP_ID", "0", 1);
    setenv("SLURM_NTASKS", "2", 1);
    for (task = 0; task < 2; ++task)
        for (rank = 0; rank < 2; ++rank) {
            setenv("SLURM_ARRAY_TASK_ID", task ? "4" : "0", 1);
            setenv("SLURM_PROCID", rank ? "1" : "0", 1);
            rolls(0, TOSS " --binary", "quarter");
        }
    clear_environment();
    command_run("merge '" FOLDER "'/quarter.*-of-4 --out '" FOLDER "/joined'", NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, result.err);
    is_the_whole(n, "joined");
    command_run("merge '" FOLDER "'/quarter.1-of-4 '" FOLDER "'/quarter.[34]-of-4 --out '" FOLDER "/not'",
                NULL, &result);
    TEST_ASSERT_EQUAL_INT(1, result.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "runs 2 to 4 are missing"), result.err);
    command_run("merge '" FOLDER "'/quarter.*-of-4 '" FOLDER "/whole' --out '" FOLDER "/not'", NULL, &result);
    TEST_ASSERT_EQUAL_INT(1, result.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "are there twice"), result.err);
}

static void test_parts_of_different_rollouts_are_not_joined(void)
{
    rolls(0, TOSS " --shard 1/2", "a");
    rolls(0, TOSS " --seed 6 --shard 2/2", "a");
    command_run("merge '" FOLDER "'/a.*-of-2 --out '" FOLDER "/not'", NULL, &result);
    TEST_ASSERT_EQUAL_INT(1, result.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "different rollouts: '# seed 5' and '# seed 6'"), result.err);
    command_write(FOLDER "/a.2-of-2", "run,mu\n1,2\n");
    command_run("merge '" FOLDER "'/a.*-of-2 --out '" FOLDER "/not'", NULL, &result);
    TEST_ASSERT_EQUAL_INT(1, result.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "not a result of 'slipstick rollout'"), result.err);
    TEST_ASSERT_NOT_EQUAL(0, access(FOLDER "/not", F_OK));
}

/* The launchers themselves, where they are installed. */
static void launches(const char *launcher, const char *line, const char *arguments)
{
    char text[2000];

    slip_format(text, (int)sizeof text, "command -v %s >/dev/null", launcher);
    if (system(text) != 0) TEST_IGNORE_MESSAGE("not installed here");
    slip_format(text, (int)sizeof text, line, "'" SLIP_TEST_BIN "'", arguments, FOLDER);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(text), text);
    command_run("merge '" FOLDER "'/part.*-of-3 --out '" FOLDER "/joined'", NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, result.err);
}

static void test_mpirun_makes_parts(void)
{
    const size_t n = makes_whole(TOSS);

    launches("mpirun", "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 3 %s rollout %s "
             "--quiet --out '%s/part' >/dev/null 2>&1", TOSS);
    is_the_whole(n, "joined");
}

static void test_gnu_parallel_makes_parts(void)
{
    const size_t n = makes_whole(TOSS);

    launches("parallel", "parallel --version 2>/dev/null | grep -q GNU && seq 3 | parallel -j2 -N1 \"%s rollout %s --shards 3 "
             "--quiet --out '%s/part' #\" >/dev/null 2>&1", TOSS);
    is_the_whole(n, "joined");
}

/* Stopped after 4 runs, then after 3 more; a torn row or a changed byte at the end of what is kept is made again. */
static void test_a_rollout_that_was_stopped_goes_on(void)
{
    const size_t n = makes_whole(TOSS);
    size_t length, k;
    FILE *f;

    rolls(1, TOSS " --at-most 4", "stopped");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "4 of 11 runs"), result.err);
    rolls(1, TOSS " --at-most 3 --jobs 2", "stopped");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "4 of 11 runs were there already"), result.err);
    TEST_ASSERT_NOT_NULL(f = fopen(FOLDER "/stopped.partial", "rb"));
    length = fread(other, 1, sizeof other, f);
    fclose(f);
    memcpy(kept, other, length);
    for (k = 0; k < 3; ++k) {                                    /* whole; torn; with a changed byte */
        if (k == 2) kept[length - 20] ^= 1;
        TEST_ASSERT_NOT_NULL(f = fopen(FOLDER "/stopped.partial", "wb"));
        fwrite(kept, 1, length - (k == 1 ? 30 : 0), f);
        fclose(f);
        rolls(0, TOSS " --jobs 2", "stopped");
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, k == 0 ? "7 of 11 runs were" : "6 of 11 runs were"),
                                     result.err);
        is_the_whole(n, "stopped");
        TEST_ASSERT_NOT_EQUAL_MESSAGE(0, access(FOLDER "/stopped.partial", F_OK), "removed at the end");
        remove(FOLDER "/stopped");
    }
}

/* Killed at any moment, even before its first row or after its last. */
static void test_a_rollout_that_was_killed_goes_on(void)
{
    static const char arguments[] = "'" FOLDER "/toss.xml' --n 400 --seed 5 --vary mu=0.1:1 --jobs 2";
    const size_t n = makes_whole(arguments);
    char line[2000];

    slip_format(line, (int)sizeof line, "rollout %s --out '" FOLDER "/killed' --quiet & p=$!; sleep 0.05; "
                "kill -KILL $p; wait $p", arguments);
    command_run(line, NULL, &result);
    rolls(0, arguments, "killed");
    is_the_whole(n, "killed");
    rolls(0, arguments, "killed");                               /* nothing is left to do */
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "is complete already"), result.err);
}

static void test_rows_of_another_rollout_are_neither_used_nor_overwritten(void)
{
    rolls(1, TOSS " --at-most 2", "a");
    rolls(1, TOSS " --seed 9", "a");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "rows of another rollout"), result.err);
    rolls(0, TOSS, "a");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "2 of 11 runs were there already"), result.err);
    rolls(1, TOSS " --at-most 2", "b");
    rolls(0, TOSS " --seed 9 --anew", "b");
    command_write(FOLDER "/c.partial", "my notes\n");
    rolls(1, TOSS, "c");
    command_read(FOLDER "/c.partial", other, sizeof other);
    TEST_ASSERT_EQUAL_STRING("my notes\n", other);
}

/* A network of one layer that is a spring: torque = -2 (q - 0.5), on the arm that starts at q. */
static void test_a_network_sets_torques_by_the_state(void)
{
    char policy[4000];
    int n = 0, i, k;

    makes_whole("models/arm_drop.xml --n 1 --time 0.001 --states");
    for (k = 0; strstr(whole, (snprintf(policy, sizeof policy, ",q%d", k), policy)); ++k) { }
    TEST_ASSERT_GREATER_THAN_INT(0, k);
    n = slip_format(policy, (int)sizeof policy, "slipstick-policy 1\nevery 2 # steps\noutput torque\n"
                    "layer %d %d tanh\n", 2*k, k);
    for (i = 0; i < k*2*k + k; ++i) n += slip_format(policy + n, (int)sizeof policy - n, " %d", i % 7 - 3);
    command_write(FOLDER "/net.txt", policy);
    rolls(0, "models/arm_drop.xml --n 1 --time 0.001 --states --policy '" FOLDER "/net.txt'", "net.csv");
    command_read(FOLDER "/net.csv", other, sizeof other);
    for (i = 0, n = 0; i < k; ++i) {
        char name[20];

        snprintf(name, sizeof name, "v%d", i);
        n += cell(whole, name, 0) != cell(other, name, 0);
    }
    TEST_ASSERT_GREATER_THAN_INT_MESSAGE(0, n, "the network moved nothing");
    command_write(FOLDER "/net.txt", "slipstick-policy 1\nlayer 3 1 linear\n1 2 3 x\n");
    rolls(1, "models/arm_drop.xml --n 1 --policy '" FOLDER "/net.txt'", "net.csv");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "net.txt:2: layer 1 has 3 inputs, but there are"), result.err);
    command_write(FOLDER "/net.txt", "slipstick-policy 1\n\nsize 3\n");
    rolls(1, "models/arm_drop.xml --n 1 --policy '" FOLDER "/net.txt'", "net.csv");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "net.txt:3: expected one of: every output layer, found 'size'"),
                                 result.err);
}

static void test_wrong_arguments_say_what_was_expected(void)
{
    static const struct { const char *vary, *why; } wrong[] = {
        { "--vary mu=1:0.2", "expected LO:HI with 0 <= LO <= HI <= 1e+06" },
        { "--vary mu=1", "'mu=1': expected LO:HI" },
        { "--vary friction=0:1", "unknown 'friction'; expected mu, restitution" },
        { "--vary mass:cub=1:2", "the scene has no link 'cub'" },
        { "--vary q:cube=1:2", "the scene has no joint 'cube' of one freedom" },
        { "--vary q=1:2", "'q' of which joint?" },
        { "--vary mu=0:1,mu=0:1", "'mu' is there twice" },
        { "--policy random", "no joint of one freedom" },
        { "--shard 3/2", "'3/2' is not K/M" },
        { "--shards 4", "--shards 4 needs" },
    };
    char line[600];
    size_t k;

    for (k = 0; k < sizeof wrong/sizeof *wrong; ++k) {
        snprintf(line, sizeof line, "'" FOLDER "/toss.xml' --n 2 %s", wrong[k].vary);
        rolls(1, line, "not");
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, wrong[k].why), result.err);
        TEST_ASSERT_NOT_EQUAL(0, access(FOLDER "/not", F_OK));
    }
    rolls(2, "'" FOLDER "/toss.xml'", "not");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "how many runs? --n N"), result.err);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_table_is_the_same_for_any_number_of_processes);
    RUN_TEST(test_what_varies_varies_within_its_bounds_and_has_its_effect);
    RUN_TEST(test_parts_from_the_environment_of_launchers_join_to_the_whole);
    RUN_TEST(test_a_batch_script_alone_makes_the_whole);
    RUN_TEST(test_an_array_of_parallel_jobs_is_split_twice);
    RUN_TEST(test_parts_of_different_rollouts_are_not_joined);
    RUN_TEST(test_mpirun_makes_parts);
    RUN_TEST(test_gnu_parallel_makes_parts);
    RUN_TEST(test_a_rollout_that_was_stopped_goes_on);
    RUN_TEST(test_a_rollout_that_was_killed_goes_on);
    RUN_TEST(test_rows_of_another_rollout_are_neither_used_nor_overwritten);
    RUN_TEST(test_a_network_sets_torques_by_the_state);
    RUN_TEST(test_wrong_arguments_say_what_was_expected);
    return UNITY_END();
}
