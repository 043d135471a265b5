/* Formatting without printf, text helpers, statuses and errors. */
#include "unity.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "base/base.h"

static char out[400];

void setUp(void) { memset(out, '#', sizeof out); }
void tearDown(void) { }

#define CHECK(wanted, ...) \
    do { \
        TEST_ASSERT_EQUAL_INT((int)strlen(wanted), slip_format(out, (int)sizeof out, __VA_ARGS__)); \
        TEST_ASSERT_EQUAL_STRING(wanted, out); \
    } while (0)

static const char *nothing;

static void test_every_conversion_prints_its_argument(void)
{
    CHECK("", "%s", "");
    CHECK("plain", "plain");
    CHECK("joint 'knee': 3 of 4", "joint '%s': %d of %d", "knee", 3, 4);
    CHECK("-2147483648 2147483647 0", "%d %d %d", INT_MIN, INT_MAX, 0);
    CHECK("abc|a||abc", "%.*s|%.*s|%.*s|%.*s", 10, "abc", 1, "abc", 0, "abc", -1, "abc");
    CHECK("(null) (null)", "%s %.*s", nothing, 2, nothing);
    CHECK("x%y", "%c%%%c", 'x', 'y');
    CHECK("12345 0", "%z %z", (size_t)12345, (size_t)0);
    CHECK("0.1 -3 1e+300 inf nan", "%g %g %g %g %g", 0.1, -3.0, 1e300, (double)INFINITY, (double)NAN);
    CHECK("0.333 0.3333333333333333 1e+03 0.3", "%.3g %.16g %.1g %.0g", 1/3.0, 1/3.0, 999.9, 1/3.0);
    CHECK("0.500 -1 3.14159265358979312", "%.3f %.0f %.17f", 0.5, -1.0, 3.14159265358979312);
    snprintf(out, sizeof out, "%lu", (unsigned long)-1);
    if (sizeof(unsigned long) == sizeof(size_t)) {
        char most[32];

        strcpy(most, out);
        CHECK(most, "%z", (size_t)-1);
    }
}

static void test_a_text_without_terminator_is_read_no_further_than_asked(void)
{
    const char raw[3] = { 'a', 'b', 'c' };

    CHECK("abc.", "%.*s.", 3, raw);
}

static void test_unknown_conversions_are_printed_as_they_stand(void)
{
    CHECK("%q 7", "%q %d", 7);
    CHECK("%5d 7", "%5d %d", 7);
    CHECK("%f 7", "%f %d", 7);
    CHECK("%.g %.18g %.123g %.3d 7", "%.g %.18g %.123g %.3d %d", 7);
    CHECK("%.*d 7", "%.*d %d", 7);
    CHECK("100%", "100%");
    CHECK("100%.", "100%.");
    CHECK("%.3", "%.3");
}

static void test_a_text_that_does_not_fit_is_cut_and_its_length_told(void)
{
    int size;

    for (size = 1; size < 30; ++size) {
        setUp();
        TEST_ASSERT_EQUAL_INT(17, slip_format(out, size, "%s%d%s", "0123456789", 12, "abcde"));
        TEST_ASSERT_EQUAL_INT(size - 1 < 17 ? size - 1 : 17, (int)strlen(out));
        TEST_ASSERT_EQUAL_INT(0, strncmp(out, "012345678912abcde", strlen(out)));
        TEST_ASSERT_EQUAL_CHAR('#', out[size < 18 ? size : 18]);
    }
    out[0] = '#';
    TEST_ASSERT_EQUAL_INT(3, slip_format(out, 0, "abc"));
    TEST_ASSERT_EQUAL_CHAR('#', out[0]);
}

/* One to four bytes: a, e acute, euro, a musical clef. */
static void test_a_cut_never_splits_a_character(void)
{
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9Ez";
    static const int kept[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11 };
    int size;

    for (size = 1; size <= 12; ++size) {
        TEST_ASSERT_EQUAL_INT(11, slip_format(out, size, "%s", text));
        TEST_ASSERT_EQUAL_INT(kept[size - 1], (int)strlen(out));
    }
    /* stray bytes are no characters and are cut like any others */
    slip_format(out, 4, "%s", "\x80\x80\x80\x80\x80");
    TEST_ASSERT_EQUAL_INT(3, (int)strlen(out));
}

static void test_texts_compare_with_and_without_a_length(void)
{
    TEST_ASSERT_TRUE(slip_text_equal("ab", "ab"));
    TEST_ASSERT_FALSE(slip_text_equal("ab", "abc"));
    TEST_ASSERT_FALSE(slip_text_equal("", NULL));
    TEST_ASSERT_FALSE(slip_text_equal(NULL, ""));
    TEST_ASSERT_TRUE(slip_text_equal(NULL, NULL));
    TEST_ASSERT_TRUE(slip_text_equal_n("abc", 2, "ab"));
    TEST_ASSERT_FALSE(slip_text_equal_n("abc", 2, "abc"));
    TEST_ASSERT_FALSE(slip_text_equal_n("abc", 3, "ab"));
    TEST_ASSERT_FALSE(slip_text_equal_n("ab\0c", 3, "ab"));
    TEST_ASSERT_TRUE(slip_text_equal_n("x", 0, ""));
    TEST_ASSERT_FALSE(slip_text_equal_n("x", -1, ""));
    TEST_ASSERT_FALSE(slip_text_equal_n("x", 1, NULL));
}

static void test_lists_of_reals_are_read_and_counted(void)
{
    slip_real x[4] = { 9, 9, 9, 9 };
    int at = -7;

    TEST_ASSERT_EQUAL_INT(3, slip_read_reals(" 1 -2.5\t\r\n3e1 ", 14, x, 4, &at));
    TEST_ASSERT_TRUE(x[0] == 1 && x[1] == SLIP_R(-2.5) && x[2] == 30 && x[3] == 9);
    TEST_ASSERT_EQUAL_INT(0, slip_read_reals("   ", 3, x, 4, &at));
    TEST_ASSERT_EQUAL_INT(0, slip_read_reals("", 0, NULL, 0, NULL));
    TEST_ASSERT_EQUAL_INT(5, slip_read_reals("1 2 3 4 5", 9, x, 2, &at));
    TEST_ASSERT_TRUE(x[1] == 2 && x[2] == 30);
    TEST_ASSERT_EQUAL_INT(2, slip_read_reals("1 23456", 3, x, 4, &at));          /* only the first three bytes */
    TEST_ASSERT_TRUE(x[1] == 2);
    TEST_ASSERT_EQUAL_INT(-7, at);
}

static void check_bad_word(const char *text, int word, int offset)
{
    slip_real x[4];
    int at = -7;

    TEST_ASSERT_EQUAL_INT_MESSAGE(-1 - word, slip_read_reals(text, (int)strlen(text), x, 4, &at), text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(offset, at, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(-1 - word, slip_read_reals(text, (int)strlen(text), x, 4, NULL), text);
}

static void test_a_word_that_is_no_finite_number_is_pointed_at(void)
{
    check_bad_word("x", 0, 0);
    check_bad_word("1 2x 3", 1, 2);
    check_bad_word("1 2 nan", 2, 4);
    check_bad_word("  inf", 0, 2);
    check_bad_word("1 1e999", 1, 2);
    check_bad_word("1,5 2", 0, 0);
    check_bad_word("1 - 2", 1, 2);
}

static void test_every_status_has_its_own_text(void)
{
    const int all[] = { SLIP_OK, SLIP_MAX_ITERS, SLIP_STALLED, SLIP_DROPPED, SLIP_DEGENERATE, SLIP_DIVERGED,
                        SLIP_ERR_ARGUMENT, SLIP_ERR_WORKSPACE, SLIP_ERR_NOT_SPD, SLIP_ERR_PARSE, SLIP_ERR_FILE,
                        SLIP_ERR_MODEL, SLIP_ERR_LIMIT, SLIP_ERR_UNSUPPORTED };
    const int n = (int)(sizeof all/sizeof *all);
    int i, j;

    TEST_ASSERT_EQUAL_STRING("unknown status", slip_status_text((slip_status)-9));
    for (i = 0; i < n; ++i) {
        TEST_ASSERT_TRUE(strlen(slip_status_text((slip_status)all[i])) > 0);
        TEST_ASSERT_NOT_EQUAL_STRING("unknown status", slip_status_text((slip_status)all[i]));
        for (j = 0; j < i; ++j)
            TEST_ASSERT_NOT_EQUAL_STRING(slip_status_text((slip_status)all[i]), slip_status_text((slip_status)all[j]));
    }
}

static void check_error_text(slip_error *err, const char *file, int line, int column, const char *wanted)
{
    slip_error_clear(err);
    slip_error_set_file(err, file);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, slip_fail(err, SLIP_ERR_PARSE, line, column, "axis %d is %s", 2, "zero"));
    TEST_ASSERT_EQUAL_INT((int)strlen(wanted), slip_error_text(err, out, (int)sizeof out));
    TEST_ASSERT_EQUAL_STRING(wanted, out);
}

static void test_an_error_names_file_line_and_column_as_far_as_known(void)
{
    slip_error err;

    check_error_text(&err, "a.urdf", 41, 7, "a.urdf:41:7: axis 2 is zero");
    check_error_text(&err, "a.urdf", 41, 0, "a.urdf:41: axis 2 is zero");
    check_error_text(&err, "a.urdf", 0, 0, "a.urdf: axis 2 is zero");
    check_error_text(&err, NULL, 41, 7, "line 41, column 7: axis 2 is zero");
    check_error_text(&err, "", 41, 0, "line 41: axis 2 is zero");
    check_error_text(&err, "", 0, 0, "axis 2 is zero");
    TEST_ASSERT_EQUAL_INT(14, slip_error_text(&err, out, 5));
    TEST_ASSERT_EQUAL_STRING("axis", out);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_PARSE, err.status);
    slip_error_clear(&err);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, err.status);
    TEST_ASSERT_EQUAL_STRING("", err.what);
}

static void test_errors_may_be_absent(void)
{
    slip_error_clear(NULL);
    slip_error_set_file(NULL, "x");
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_FILE, slip_fail(NULL, SLIP_ERR_FILE, 1, 1, "%s", "x"));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_warn(NULL, NULL, 1, 1, "%s", "x"));
}

static void test_an_error_may_quote_the_one_it_replaces(void)
{
    slip_error err;

    slip_error_clear(&err);
    slip_fail(&err, SLIP_ERR_PARSE, 1, 2, "inner");
    slip_fail(&err, SLIP_ERR_MODEL, 3, 4, "outer: %s, %s", err.what, err.what);
    TEST_ASSERT_EQUAL_STRING("outer: inner, inner", err.what);
    slip_error_set_file(&err, "dir/file");
    slip_error_set_file(&err, err.file + 4);
    TEST_ASSERT_EQUAL_STRING("file", err.file);
}

static void test_long_file_names_keep_their_tail_and_long_messages_their_head(void)
{
    static char file[1000], what[1000];
    slip_error err;
    int i;

    for (i = 0; i < 999; ++i) file[i] = what[i] = (char)('a' + i % 26);
    slip_error_clear(&err);
    slip_error_set_file(&err, file);
    TEST_ASSERT_EQUAL_INT((int)sizeof err.file - 1, (int)strlen(err.file));
    TEST_ASSERT_EQUAL_STRING(file + 999 - (sizeof err.file - 1), err.file);
    slip_fail(&err, SLIP_ERR_FILE, 0, 0, "%s", what);
    TEST_ASSERT_EQUAL_INT((int)sizeof err.what - 1, (int)strlen(err.what));
    TEST_ASSERT_EQUAL_MEMORY(what, err.what, sizeof err.what - 1);
    slip_fail(&err, SLIP_ERR_FILE, 0, 0, "short");
    TEST_ASSERT_EQUAL_STRING("short", err.what);
    for (i = 255; i <= 257; ++i) {                       /* around the exact size */
        file[i] = '\0';
        slip_error_set_file(&err, file);
        TEST_ASSERT_EQUAL_STRING(file + (i > 255 ? i - 255 : 0), err.file);
        file[i] = 'x';
    }
}

static void test_the_tail_of_a_file_name_starts_with_a_whole_character(void)
{
    static char file[800];
    slip_error err;
    int i, shift;

    for (shift = 0; shift < 3; ++shift) {
        for (i = 0; i < 266; ++i) memcpy(file + 3*i, "\xE2\x82\xAC", 3);
        file[798 - shift] = '\0';
        slip_error_clear(&err);
        slip_error_set_file(&err, file);
        TEST_ASSERT_TRUE(strlen(err.file) > sizeof err.file - 5);
        TEST_ASSERT_EQUAL_HEX8(0xE2, err.file[0]);
    }
}

static slip_error warned;
static int warnings;

static void keep_warning(void *context, const slip_error *warning)
{
    *(int *)context += 1;
    warned = *warning;
}

static void test_warnings_are_counted_passed_on_or_made_errors(void)
{
    slip_report report = { NULL, NULL, 0, 0 };
    slip_error err;

    slip_error_clear(&err);
    slip_error_set_file(&err, "m.urdf");
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_warn(&report, &err, 3, 4, "mass of '%s' is 0", "arm"));
    TEST_ASSERT_EQUAL_INT(1, report.count);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, err.status);
    warnings = 0;
    report.warn = keep_warning;
    report.context = &warnings;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_warn(&report, &err, 3, 4, "mass of '%s' is 0", "arm"));
    TEST_ASSERT_EQUAL_INT(1, warnings);
    slip_error_text(&warned, out, (int)sizeof out);
    TEST_ASSERT_EQUAL_STRING("m.urdf:3:4: mass of 'arm' is 0", out);
    report.strict = 1;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_MODEL, slip_warn(&report, &err, 5, 6, "no inertia"));
    TEST_ASSERT_EQUAL_INT(1, warnings);
    TEST_ASSERT_EQUAL_INT(3, report.count);
    slip_error_text(&err, out, (int)sizeof out);
    TEST_ASSERT_EQUAL_STRING("m.urdf:5:6: no inertia", out);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_MODEL, slip_warn(&report, NULL, 5, 6, "no inertia"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_conversion_prints_its_argument);
    RUN_TEST(test_a_text_without_terminator_is_read_no_further_than_asked);
    RUN_TEST(test_unknown_conversions_are_printed_as_they_stand);
    RUN_TEST(test_a_text_that_does_not_fit_is_cut_and_its_length_told);
    RUN_TEST(test_a_cut_never_splits_a_character);
    RUN_TEST(test_texts_compare_with_and_without_a_length);
    RUN_TEST(test_lists_of_reals_are_read_and_counted);
    RUN_TEST(test_a_word_that_is_no_finite_number_is_pointed_at);
    RUN_TEST(test_every_status_has_its_own_text);
    RUN_TEST(test_an_error_names_file_line_and_column_as_far_as_known);
    RUN_TEST(test_errors_may_be_absent);
    RUN_TEST(test_an_error_may_quote_the_one_it_replaces);
    RUN_TEST(test_long_file_names_keep_their_tail_and_long_messages_their_head);
    RUN_TEST(test_the_tail_of_a_file_name_starts_with_a_whole_character);
    RUN_TEST(test_warnings_are_counted_passed_on_or_made_errors);
    return UNITY_END();
}
