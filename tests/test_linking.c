/* A program that names its solver links that one only: what the simulation needs brings no other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"

#define PROGRAM SLIP_TEST_BIN ".linking"

void setUp(void) { }
void tearDown(void) { }

static const char *const text =
    "#include \"slipstick.h\"\n"
    "static unsigned char memory[1 << 22];\n"
    "int main(void)\n{\n"
    "    slip_arena mem = slip_arena_over(memory, sizeof memory);\n"
    "    slip_world_def def = { 0 };\n"
    "    slip_world *w;\n\n"
    "    def.options = slip_world_defaults_for(&slip_solver_ncp_pgs);\n"
    "    return slip_world_create(&def, &mem, &w, NULL, NULL) == SLIP_OK ? (int)slip_step(w) : 0;\n}\n";

static void test_a_firmware_links_only_the_solver_it_names(void)
{
    static char line[2048], symbols[1 << 18];
    FILE *f = fopen(PROGRAM ".c", "wb");

    if (strstr(SLIP_TEST_BIN, "-merged")) TEST_IGNORE_MESSAGE("the two-file form is one object");
    if (system("nm --version > /dev/null 2>&1") != 0) TEST_IGNORE_MESSAGE("no nm");
    TEST_ASSERT_NOT_NULL(f);
    fputs(text, f);
    fclose(f);
    snprintf(line, sizeof line, SLIP_TEST_CC " -std=c99 %s -o '%s' '%s.c' '%s' -lm && nm '%s' > '%s.out'",
             getenv("SLIP_TEST_LDFLAGS") ? getenv("SLIP_TEST_LDFLAGS") : "", PROGRAM, PROGRAM, SLIP_TEST_LIB, PROGRAM,
             PROGRAM);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(line), line);
    f = fopen(PROGRAM ".out", "rb");
    TEST_ASSERT_NOT_NULL(f);
    symbols[fread(symbols, 1, sizeof symbols - 1, f)] = '\0';
    fclose(f);
    TEST_ASSERT_NOT_NULL(strstr(symbols, "slip_solver_ncp_pgs\n"));
    for (int i = 0; i < slip_solver_count(); ++i) {
        const slip_solver *s = slip_solver_get(i);
        char *at;

        if (s == &slip_solver_ncp_pgs) continue;
        snprintf(line, sizeof line, "slip_solver_%s\n", s->id);
        for (at = strchr(line, '-'); at; at = strchr(at, '-')) *at = '_';
        TEST_ASSERT_NULL_MESSAGE(strstr(symbols, line), s->id);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_firmware_links_only_the_solver_it_names);
    return UNITY_END();
}
