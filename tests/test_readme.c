/* The program of README.md compiles as printed, runs, and says what README says it does; so do its commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "command.h"

static char readme[1 << 16];
static command_result r;

void setUp(void)
{
    FILE *f = fopen("README.md", "rb");
    size_t n;

    TEST_ASSERT_NOT_NULL_MESSAGE(f, "README.md");
    n = fread(readme, 1, sizeof readme - 1, f);
    fclose(f);
    readme[n] = '\0';
}

void tearDown(void) { }

/* The text of the first block fenced by ```KIND after `from`, copied to `to`; where it ends in *after. */
static void fenced(const char *from, const char *kind, char *to, size_t size, const char **after)
{
    char fence[16];
    const char *start, *end;

    snprintf(fence, sizeof fence, "\n```%s\n", kind);
    start = strstr(from, fence);
    TEST_ASSERT_NOT_NULL_MESSAGE(start, fence);
    start = start ? start + strlen(fence) : "";
    end = strstr(start, "\n```");
    TEST_ASSERT_TRUE_MESSAGE(end && (size_t)(end - start) + 2 < size, "the fence closes");
    if (!end) return;
    memcpy(to, start, (size_t)(end - start) + 1);
    to[end - start + 1] = '\0';
    *after = end;
}

static void test_the_first_program_compiles_as_printed_and_prints_what_is_printed(void)
{
    static char program[8192], expected[1024], line[4096];
    const char *after = readme, *prefix = getenv("SLIP_TEST_RUN");
    int lines = 0;
    FILE *f;

    fenced(readme, "c", program, sizeof program, &after);
    fenced(after, "text", expected, sizeof expected, &after);
    for (const char *s = program; *s; ++s) lines += *s == '\n';
    TEST_ASSERT_TRUE_MESSAGE(lines < 40, "it is the smallest program, after all");
    f = fopen(SLIP_TEST_BIN ".readme.c", "wb");
    TEST_ASSERT_NOT_NULL(f);
    fputs(program, f);
    fclose(f);
    snprintf(line, sizeof line, SLIP_TEST_CC " -std=c99 -Wall -Wextra -Wpedantic -Werror %s -o '%s.readme' "
                                             "'%s.readme.c' '%s' -lm",
             getenv("SLIP_TEST_LDFLAGS") ? getenv("SLIP_TEST_LDFLAGS") : "", SLIP_TEST_BIN, SLIP_TEST_BIN,
             SLIP_TEST_LIB);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(line), line);
    snprintf(line, sizeof line, "%s '%s.readme' > '%s.readme.out'", prefix ? prefix : "", SLIP_TEST_BIN, SLIP_TEST_BIN);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(line), line);
    f = fopen(SLIP_TEST_BIN ".readme.out", "rb");
    TEST_ASSERT_NOT_NULL(f);
    line[fread(line, 1, sizeof line - 1, f)] = '\0';
    fclose(f);
    TEST_ASSERT_EQUAL_STRING(expected, line);
}

/* Lines of README that begin with four blanks and `slipstick`, up to a gap of two blanks. */
static void test_every_command_shown_works(void)
{
    int shown = 0;
    const char *s;
    char line[512];

    for (s = strstr(readme, "\n    slipstick "); s; s = strstr(s + 1, "\n    slipstick ")) {
        const char *start = s + strlen("\n    slipstick "), *gap = strstr(start, "  ");
        size_t n = strcspn(start, "\n");

        if (gap && (size_t)(gap - start) < n) n = (size_t)(gap - start);
        snprintf(line, sizeof line, "%.*s", (int)n, start);
        if (sizeof(slip_real) < sizeof(double) && strcmp(line, "bench sim") == 0)    /* walls of 1 : 10^4 take minutes */
            snprintf(line, sizeof line, "bench sim models/bench/slide.xml");
        command_run(line, NULL, &r);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, line);
        ++shown;
    }
    TEST_ASSERT_TRUE(shown >= 3);
}

static void test_links_to_files_lead_somewhere(void)
{
    const char *s;
    char path[256];

    for (s = strstr(readme, "]("); s; s = strstr(s + 1, "](")) {
        FILE *f;

        snprintf(path, sizeof path, "%.*s", (int)strcspn(s + 2, ")#"), s + 2);
        if (strncmp(path, "http", 4) == 0) continue;
        f = fopen(path, "rb");
        TEST_ASSERT_NOT_NULL_MESSAGE(f, path);
        fclose(f);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_first_program_compiles_as_printed_and_prints_what_is_printed);
    RUN_TEST(test_every_command_shown_works);
    RUN_TEST(test_links_to_files_lead_somewhere);
    return UNITY_END();
}
