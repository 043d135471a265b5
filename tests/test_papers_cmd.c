/* `slipstick papers` from end to end: what it writes, verdicts that got worse, bad arguments. */
#include "unity.h"

#include <stdio.h>
#include <string.h>
#include "command.h"
#include "slipstick_parts.h"

#define DIR SLIP_TEST_BIN ".test_papers"

static command_result result;
static char text[1 << 20];

void setUp(void) { }
void tearDown(void) { }

static int papers(const char *arguments)
{
    char line[500];

    slip_format(line, (int)sizeof line, "papers %s", arguments);
    command_run(line, NULL, &result);
    return result.code;
}

/* Contents of a file of DIR. */
static const char *file(const char *name)
{
    char path[500];
    FILE *f;
    size_t n;

    slip_format(path, (int)sizeof path, "%s/%s", DIR, name);
    f = fopen(path, "rb");
    TEST_ASSERT_MESSAGE(f != NULL, path);
    n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    return text;
}

static void write_file(const char *name, const char *what)
{
    char path[500];
    FILE *f;

    slip_format(path, (int)sizeof path, "%s/%s", DIR, name);
    f = fopen(path, "wb");
    TEST_ASSERT(f != NULL);
    fputs(what, f);
    fclose(f);
}

static void test_an_experiment_leaves_data_plots_and_a_report(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, papers("LL-fig9 LL-fig10 --quick --quiet --out " DIR), result.err);
    TEST_ASSERT(strstr(result.out, "LL-fig9 ") && strstr(result.out, "index.html"));
    TEST_ASSERT_EQUAL_STRING("", result.err);
    TEST_ASSERT(strncmp(file("LL-fig9.csv"), "solver,time [s],", 16) == 0);
    TEST_ASSERT(strstr(text, "\nncp-pgs,") != NULL);
    TEST_ASSERT(strstr(file("LL-fig9.svg"), "<svg") && strstr(file("LL-fig10-energy.svg"), "analytic"));
    file("index.html");
    TEST_ASSERT(strstr(text, "<!DOCTYPE html>") == text && strstr(text, "</html>"));
    TEST_ASSERT(strstr(text, "id=\"LL-fig10\"") && strstr(text, "<svg") && !strstr(text, "<script"));
    if (sizeof(slip_real) > 4)
        TEST_ASSERT_EQUAL_STRING("LL-fig9 holds: ++++++++\nLL-fig10 holds: +++++++\n",
                                 file("verdicts.txt"));
}

/* A verdict may get better, not worse. HW-tab1 needs ratios that this code does not have. */
static void test_a_worse_verdict_is_a_failure(void)
{
    if (sizeof(slip_real) == 4) TEST_IGNORE_MESSAGE("skipped: the tolerance of 1e-9 needs double precision");
    TEST_ASSERT_EQUAL_INT(0, papers("LL-fig9 --quick --quiet --out " DIR));
    write_file("same.txt", "LL-fig9 holds\n");
    write_file("worse.txt", "LL-fig10 holds\r\nLL-fig9 does not hold\r\n");
    TEST_ASSERT_EQUAL_INT(0, papers("LL-fig9 --quick --quiet --expect " DIR "/same.txt --out " DIR));
    TEST_ASSERT_EQUAL_INT(0, papers("LL-fig9 --quick --quiet --expect " DIR "/worse.txt --out " DIR));
    write_file("better.txt", "HW-tab1 holds\n");
    TEST_ASSERT_EQUAL_INT(1, papers("HW-tab1 --quick --quiet --expect " DIR "/better.txt --out " DIR));
    TEST_ASSERT(strstr(result.err, "HW-tab1: does not hold, expected 'holds'") && strstr(result.err, "not true: "));
    TEST_ASSERT_EQUAL_INT(1, papers("LL-fig9 --quick --quiet --expect " DIR "/none.txt --out " DIR));
    TEST_ASSERT(strstr(result.err, "none.txt"));
}

/* A claim that held may not be lost in an experiment whose verdict is bad already, even when another one comes true. */
static void test_a_statement_that_is_no_longer_true_is_a_failure(void)
{
    if (sizeof(slip_real) == 4) TEST_IGNORE_MESSAGE("skipped: the tolerance of 1e-9 needs double precision");
    TEST_ASSERT_EQUAL_INT(0, papers("LL-tab4 --quick --quiet --out " DIR));
    TEST_ASSERT_EQUAL_STRING("LL-tab4 does not hold: --+++++--\n", file("verdicts.txt"));
    write_file("same.txt", text);
    TEST_ASSERT_EQUAL_INT(0, papers("LL-tab4 --quick --quiet --expect " DIR "/same.txt --out " DIR));
    write_file("other.txt", "LL-tab4 does not hold: +----++?-\n");
    TEST_ASSERT_EQUAL_INT(1, papers("LL-tab4 --quick --quiet --expect " DIR "/other.txt --out " DIR));
    TEST_ASSERT(strstr(result.err, "LL-tab4: no longer true: CCP, ccp-pgs: the paper's three errors"));
    TEST_ASSERT_NULL_MESSAGE(strchr(strchr(result.err, '\n') + 1, '\n'), result.err);      /* that one alone */
    write_file("more.txt", "LL-tab4 does not hold: --+++++---\n");
    TEST_ASSERT_EQUAL_INT(1, papers("LL-tab4 --quick --quiet --expect " DIR "/more.txt --out " DIR));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "LL-tab4: 9 statements, expected 10"), result.err);
}

/* Statements about time are marked, and kept nowhere. */
static void test_statements_about_time_are_left_to_the_machine(void)
{
    if (sizeof(slip_real) == 4) TEST_IGNORE_MESSAGE("skipped: another number of statements");
    TEST_ASSERT_EQUAL_INT(0, papers("hw-TAB1 --quick --quiet --out " DIR));
    TEST_ASSERT_EQUAL_STRING("HW-tab1 does not hold: ???+-?\n", file("verdicts.txt"));
    TEST_ASSERT(strstr(file("index.html"), "(claim about time)"));
    write_file("time.txt", "HW-tab1 holds: ???+-?\n");
    TEST_ASSERT_EQUAL_INT(0, papers("HW-tab1 --quick --quiet --expect " DIR "/time.txt --out " DIR));
}

/* An empty file would keep nothing of a whole run: refused before it begins. Of named experiments it is told. */
static void test_a_whole_run_has_to_have_all_lines(void)
{
    TEST_ASSERT_EQUAL_INT(0, papers("TO-gait --out " DIR));
    write_file("empty.txt", "LL-fig9 holds\n");
    TEST_ASSERT_EQUAL_INT(1, papers("--quick --quiet --expect " DIR "/empty.txt --out " DIR));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "has no line of LL-fig10"), result.err);
    TEST_ASSERT_NULL(strstr(result.err, "has no line of LL-fig9\n"));
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", result.out, "before anything runs");
    TEST_ASSERT_EQUAL_INT(0, papers("TO-fig1 --quick --expect " DIR "/empty.txt --table " DIR "/t.md --out " DIR));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.out, "TO-fig1: not compared, as no line is kept of it"), result.out);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.out, "1 lines of experiments that were not run"), result.out);
    TEST_ASSERT_NOT_NULL(strstr(file("t.md"), "| TO-fig1 | holds | 3 of 3 | "));
}

/* A line that is not understood would keep nothing: it is refused before anything runs. */
static void test_a_line_that_expects_nothing_is_refused(void)
{
    static const char *const lines[] = { "LL-fig9 hold", "LL-fig99 holds", "LL-fig9", "LL-fig9 holds:",
                                         "LL-fig9 holds: ++x", "LL-fig9 holds or not" };
    char what[100];
    size_t i;

    for (i = 0; i < sizeof lines/sizeof *lines; ++i) {
        slip_format(what, (int)sizeof what, "LL-fig10 holds\n\n%s\n", lines[i]);
        TEST_ASSERT_EQUAL_INT(0, papers("TO-gait --out " DIR));
        write_file("bad.txt", what);
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, papers("LL-fig9 --quick --quiet --expect " DIR "/bad.txt --out " DIR), what);
        slip_format(what, (int)sizeof what, "bad.txt:3: '%s'", lines[i]);
        TEST_ASSERT_MESSAGE(strstr(result.err, what), result.err);
        TEST_ASSERT_EQUAL_STRING("", result.out);
    }
}

static void test_the_list_names_all_papers_and_places_left_open(void)
{
    TEST_ASSERT_EQUAL_INT(0, papers("--list"));
    TEST_ASSERT(strstr(result.out, "LL-fig18") && strstr(result.out, "CR-fig8") && strstr(result.out, "HW-fig7"));
    TEST_ASSERT(strstr(result.out, "TO-gait") && strstr(result.out, "place left open"));
}

static void test_bad_arguments_are_named(void)
{
    TEST_ASSERT_EQUAL_INT(2, papers("LL-fig99"));
    TEST_ASSERT(strstr(result.err, "'LL-fig99'") && strstr(result.err, "--list"));
    TEST_ASSERT_EQUAL_INT(2, papers("--out"));
    TEST_ASSERT_EQUAL_INT(2, papers("--fast"));
    TEST_ASSERT_EQUAL_INT(1, papers("LL-fig9 --quick --quiet --out /dev/null/papers"));
    TEST_ASSERT(strstr(result.err, "/dev/null/papers"));
    TEST_ASSERT_EQUAL_INT(0, papers("--help"));
}

/* Before anything runs, which takes minutes. */
static void test_paths_that_cannot_be_used_are_refused_at_once(void)
{
    TEST_ASSERT_EQUAL_INT(0, papers("TO-gait --out " DIR));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.out, "TO-gait           its place is left open"), result.out);
    write_file("file", "");
    TEST_ASSERT_EQUAL_INT(1, papers("TO-fig1 --quick --quiet --out " DIR "/file"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "file/index.html"), result.err);
    TEST_ASSERT_EQUAL_STRING("", result.out);
    TEST_ASSERT_EQUAL_INT(1, papers("TO-fig1 --quick --quiet --data nowhere --out " DIR));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "'nowhere' is not a directory"), result.err);
    TEST_ASSERT_EQUAL_STRING("", result.out);
}

/* Each figure of the papers is found by its own name, in any case. */
static void test_figures_under_the_id_of_another_one_are_found(void)
{
    TEST_ASSERT_EQUAL_INT(0, papers("to-tab1 TO-fig4 --quick --quiet --out " DIR));
    TEST_ASSERT(strstr(result.out, "TO-fig4+tab1 ") == result.out);
    TEST_ASSERT_NULL_MESSAGE(strstr(result.out + 1, "TO-fig4+tab1"), "once");
    TEST_ASSERT_EQUAL_INT(0, papers("LL-fig14 LL-fig15 CR-fig1 CR-tab2 CR-tab4 HW-tab2 HW-fig4 HW-fig5 ENGINES --list"));
}

/* Whether a row of the table in docs/papers.md, "| id, id | verdict | ...", has this id with this verdict. */
static int docs_say(const char *row, const char *id, const char *verdict)
{
    const char *end = strchr(row, '\n'), *bar = row[0] == '|' ? strchr(row + 1, '|') : NULL, *at = row + 2;
    const size_t length = strlen(id);

    if (!bar || (end && bar > end)) return 0;
    for (; at < bar; at = strpbrk(at, ",|") + 2)
        if (strncmp(at, id, length) == 0 && (at[length] == ',' || at[length] == ' '))
            return strncmp(bar + 2, verdict, strlen(verdict)) == 0 || (strncmp(verdict, "holds", 5) == 0
                                                                       && strncmp(bar + 2, "hold |", 6) == 0);
    return 0;
}

/* Verdicts that depend on time are of the machine that ran the set, in the docs as in the file. */
static void test_the_docs_have_the_verdicts_of_the_full_set(void)
{
    static char docs[1 << 16], list[1 << 13];
    char *line, *next;
    int n = 0;

    command_read("docs/papers.md", docs, sizeof docs);
    command_read("docs/papers_verdicts_full.txt", list, sizeof list);
    for (line = list; *line; line = next, ++n) {
        char *verdict = strchr(line, ' '), *colon = strchr(line, ':');
        const char *row = docs;
        int said = 0;

        TEST_ASSERT(verdict && colon && strchr(colon, '\n'));
        next = strchr(colon, '\n') + 1;
        *verdict++ = '\0';
        *colon = '\0';
        while (row && !said) {
            said = docs_say(row, line, verdict);
            row = strchr(row, '\n');
            row = row ? row + 1 : NULL;
        }
        TEST_ASSERT_MESSAGE(said, line);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(33, n, "experiments that run");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_experiment_leaves_data_plots_and_a_report);
    RUN_TEST(test_a_worse_verdict_is_a_failure);
    RUN_TEST(test_a_statement_that_is_no_longer_true_is_a_failure);
    RUN_TEST(test_statements_about_time_are_left_to_the_machine);
    RUN_TEST(test_a_whole_run_has_to_have_all_lines);
    RUN_TEST(test_a_line_that_expects_nothing_is_refused);
    RUN_TEST(test_the_list_names_all_papers_and_places_left_open);
    RUN_TEST(test_bad_arguments_are_named);
    RUN_TEST(test_paths_that_cannot_be_used_are_refused_at_once);
    RUN_TEST(test_figures_under_the_id_of_another_one_are_found);
    RUN_TEST(test_the_docs_have_the_verdicts_of_the_full_set);
    return UNITY_END();
}
