/* What a linker sees of the library: its names have one prefix, and a program of the other precision does not link. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "base/real.h"

#ifdef SLIP_REAL_FLOAT
#define OTHER_FLAG "-USLIP_REAL_FLOAT"
#define OTHER_NAME "double"
#else
#define OTHER_FLAG "-DSLIP_REAL_FLOAT"
#define OTHER_NAME "float"
#endif

static char said[1 << 16];

void setUp(void) { }
void tearDown(void) { }

static void write_program(const char *text)
{
    FILE *f = fopen(SLIP_TEST_BIN ".link.c", "wb");

    TEST_ASSERT_NOT_NULL(f);
    fputs(text, f);
    fclose(f);
}

/* Compiles and links the program with one more flag; returns the compiler's code, its messages in `said`. */
static int link_program(const char *flag)
{
    static char line[4096];
    const char *more = getenv("SLIP_TEST_LDFLAGS");
    int code;
    FILE *f;

    snprintf(line, sizeof line, SLIP_TEST_CC " -std=c99 %s %s -o '%s.link' '%s.link.c' '%s' -lm > '%s.link.out' "
             "2>&1", flag, more ? more : "", SLIP_TEST_BIN, SLIP_TEST_BIN, SLIP_TEST_LIB, SLIP_TEST_BIN);
    code = system(line);
    f = fopen(SLIP_TEST_BIN ".link.out", "rb");
    TEST_ASSERT_NOT_NULL(f);
    said[fread(said, 1, sizeof said - 1, f)] = '\0';
    fclose(f);
    return code;
}

static void test_a_program_of_the_other_precision_does_not_link_and_the_message_names_it(void)
{
    static const char *const calls[][2] = {
        { "slip_arena_over", "slip_arena a = slip_arena_over(0, 0); return (int)a.size;" },
        { "slip_distance", "return slip_distance(0, 0, 0, 0, 0, 0);" },
        { "slip_solver_defaults", "slip_solver_options o = slip_solver_defaults(); return o.max_iterations;" },
        { "slip_world_defaults", "slip_world_options o = slip_world_defaults(); return o.max_contacts;" },
    };
    char text[512], name[64];
    size_t i;

    for (i = 0; i < sizeof calls/sizeof *calls; ++i) {
        snprintf(text, sizeof text, "#include \"slipstick.h\"\nint main(void) { %s }\n", calls[i][1]);
        write_program(text);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, link_program(""), said);
        TEST_ASSERT_NOT_EQUAL_MESSAGE(0, link_program(OTHER_FLAG), calls[i][0]);
        snprintf(name, sizeof name, "%s_" OTHER_NAME, calls[i][0]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, name), said);
    }
}

static void test_every_global_symbol_of_the_library_has_the_prefix(void)
{
    if (system("command -v nm > /dev/null 2>&1") != 0) TEST_IGNORE_MESSAGE("nm is not installed");
    TEST_ASSERT_EQUAL_INT(0, system("sh tools/check_symbols.sh '" SLIP_TEST_LIB "'"));
}

/* tools/count_functions.sh says how it counts. What goes beyond belongs in slipstick_parts.h. */
static void test_the_public_header_has_few_enough_functions_to_be_read(void)
{
    enum { MOST = 170 };
    int n = -1;
    FILE *f;

    TEST_ASSERT_EQUAL_INT(0, system("sh tools/count_functions.sh src/slipstick.h | wc -l > '" SLIP_TEST_BIN ".count'"));
    f = fopen(SLIP_TEST_BIN ".count", "rb");
    TEST_ASSERT_NOT_NULL(f);
    TEST_ASSERT_EQUAL_INT(1, fscanf(f, "%d", &n));
    fclose(f);
    TEST_ASSERT_GREATER_THAN_INT(100, n);                /* else the script does not find them */
    TEST_ASSERT_LESS_OR_EQUAL_INT(MOST, n);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_program_of_the_other_precision_does_not_link_and_the_message_names_it);
    RUN_TEST(test_every_global_symbol_of_the_library_has_the_prefix);
    RUN_TEST(test_the_public_header_has_few_enough_functions_to_be_read);
    return UNITY_END();
}
