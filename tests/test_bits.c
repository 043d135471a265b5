/* The same bits on every machine: hashes of 2000 steps of eight scenes (tests/bits.txt), compared by tests/bits.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* Whether every line of the table agrees; what the script printed goes to `said`. */
static int agrees(const char *table, char *said, size_t size)
{
    const char *out = command_file(1, "");
    char line[1024];
    int status;

    snprintf(line, sizeof line, "sh tests/bits.sh '%s' '%s' > '%s' 2>&1", SLIP_TEST_BIN, table, out);
    status = system(line);
    command_read(out, said, size);
    remove(out);
    return status == 0;
}

static void test_eight_scenes_have_the_committed_hashes(void)
{
    static char said[4096];

    if (strstr(SLIP_TEST_CC, "contract=fast"))
        TEST_IGNORE_MESSAGE("fused multiply-add rounds once where the hashes have two roundings");
    if (!agrees("tests/bits.txt", said, sizeof said))
        TEST_FAIL_MESSAGE(strcat(said, "after a change that is meant to change results: make bits"));
    TEST_ASSERT_NOT_NULL(strstr(said, "8 of 8 hashes"));
}

/* A scene that takes one of its hashes and its number of steps from the arguments. */
static int ball_agrees(int steps, const char *hash)
{
    static char said[4096];
    char table[256];
    const char *path;
    int ok;

    snprintf(table, sizeof table, "ball %d %s %s models/ball_drop.xml --time 0.01\n", steps, hash, hash);
    path = command_file(0, table);
    ok = agrees(path, said, sizeof said);
    remove(path);
    return ok;
}

static void test_another_hash_or_number_of_steps_is_noticed(void)
{
    static command_result r;
    char hash[17] = "";
    const char *at;

    command_run("sim models/ball_drop.xml --time 0.01 --hash --json --quiet", NULL, &r);
    at = strstr(r.out, "\"hash\": \"");
    TEST_ASSERT_NOT_NULL(at);
    memcpy(hash, at + 9, 16);
    TEST_ASSERT_EQUAL_INT(16, (int)strspn(hash, "0123456789abcdef"));
    TEST_ASSERT_TRUE(ball_agrees(10, hash));
    TEST_ASSERT_FALSE(ball_agrees(11, hash));
    hash[15] = hash[15] == '0' ? '1' : '0';
    TEST_ASSERT_FALSE(ball_agrees(10, hash));
}

/* One step more gives another hash; a repeated run the same. */
static void test_a_hash_depends_on_all_steps_and_repeats(void)
{
    static const char *const run[3] = { "--time 0.01", "--time 0.01 --repeat 2", "--time 0.011" };
    static command_result r;
    char hash[3][64], line[128];
    int i;

    for (i = 0; i < 3; ++i) {
        const char *at;

        snprintf(line, sizeof line, "sim models/ball_drop.xml --quiet --hash %s", run[i]);
        command_run(line, NULL, &r);
        at = strstr(r.out, "  hash  ");
        TEST_ASSERT_NOT_NULL(at);
        TEST_ASSERT_EQUAL_INT(1, sscanf(at, " hash %63s", hash[i]));
    }
    TEST_ASSERT_EQUAL_STRING(hash[0], hash[1]);
    TEST_ASSERT_TRUE(strcmp(hash[0], hash[2]) != 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_eight_scenes_have_the_committed_hashes);
    RUN_TEST(test_another_hash_or_number_of_steps_is_noticed);
    RUN_TEST(test_a_hash_depends_on_all_steps_and_repeats);
    return UNITY_END();
}
