/* `slipstick papers real`: where its recording comes from, and that its verdicts are kept. */
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "slipstick_parts.h"

#define DIR SLIP_TEST_BIN ".test_papers_real"

static command_result result;
static char text[1 << 20];

void setUp(void) { }
void tearDown(void) { }

/* Mean position error of a model in DIR/out/real-tosses.csv. */
static double mean_position(const char *model)
{
    char *row;
    double sum = 0;
    int n = 0;

    command_read(DIR "/out/real-tosses.csv", text, sizeof text);
    for (row = strtok(text, "\n"); row; row = strtok(NULL, "\n")) {
        int toss;
        double position;

        if (row[0] != '"' || strncmp(row + 1, model, strlen(model)) != 0 || row[1 + strlen(model)] != '"') continue;
        TEST_ASSERT_EQUAL_INT(2, sscanf(row + strlen(model) + 3, "%d,%lf", &toss, &position));
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, toss%2, "fitted tosses are not scored");
        sum += position;
        ++n;
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(8, n, model);
    return sum/n;
}

/* Sixteen tosses that a rigid NCP made: it comes nearest to them, and the pyramid of the LCP is told apart. */
static void test_a_recording_of_our_own_is_explained_by_the_model_that_made_it(void)
{
    double ours;

    TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" DIR "' && mkdir -p '" DIR "/real'"));
    command_run("real --example '" DIR "/real/cube-toss.csv'", NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, result.err);
    command_run("papers real-tosses --quick --quiet --data '" DIR "' --out '" DIR "/out'", NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, result.err);
    ours = mean_position("NCP, default (ours)");     /* a quick fit finds friction and restitution to a few per cent */
    TEST_ASSERT(ours < 0.07);
    TEST_ASSERT(mean_position("LCP, lcp-pgs") > 2*ours && mean_position("soft CCP, ccp-newton") > 2*ours);
    command_read(DIR "/out/index.html", text, sizeof text);
    TEST_ASSERT_NOT_NULL(strstr(text, "the pyramid of the LCP costs position"));
    command_read(DIR "/out/verdicts.txt", text, sizeof text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, ": +"), "the pyramid is told apart");
    TEST_ASSERT_EQUAL_INT_MESSAGE(5, (int)strspn(strchr(text, ':') + 2, "+-"), text);    /* intervals of 8 are wide */
}

/* What --data names has to be there; what only the default directory lacks is left out, and compared with nothing. */
static void test_a_recording_that_is_not_there_is_an_error_where_it_was_asked_for(void)
{
    FILE *f;

    command_run("papers real-tosses --quick --quiet --data tests --out '" DIR "/out'", NULL, &result);
    TEST_ASSERT_EQUAL_INT(1, result.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "real-tosses: cannot read 'tests/real/cube-toss.csv'"),
                                 result.err);
    command_run("papers real-tosses --data", NULL, &result);
    TEST_ASSERT_EQUAL_INT(2, result.code);
    f = fopen("../shared/real/cube-toss.csv", "r");
    if (f) { fclose(f);  return; }
    command_run("papers real --quick --quiet --expect docs/papers_verdicts.txt --out '" DIR "/out'", NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, result.err);
    TEST_ASSERT_NOT_NULL(strstr(result.out, "real-tosses: not compared, as its data is not there"));
}

/* The verdicts on the recording itself. */
static void test_verdicts_on_the_recorded_tosses_are_kept(void)
{
    FILE *f = fopen("../shared/real/cube-toss.csv", "r");

    if (!f) TEST_IGNORE_MESSAGE("skipped: the recording is not at hand");
    fclose(f);
    if (sizeof(slip_real) == 4) TEST_IGNORE_MESSAGE("skipped: verdicts are of double precision");
    command_run("papers real --quick --quiet --data ../shared --expect docs/papers_verdicts.txt --out '" DIR "/out'",
                NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, result.err);
    command_read(DIR "/out/verdicts.txt", text, sizeof text);
    TEST_ASSERT(strstr(text, "real-tosses ") && strstr(text, "real-fine ") && strstr(text, "real-missing "));
    command_read("docs/papers_verdicts.txt", text, sizeof text);
    TEST_ASSERT(strstr(text, "real-tosses ") && strstr(text, "real-fine ") && strstr(text, "real-missing "));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_recording_of_our_own_is_explained_by_the_model_that_made_it);
    RUN_TEST(test_a_recording_that_is_not_there_is_an_error_where_it_was_asked_for);
    RUN_TEST(test_verdicts_on_the_recorded_tosses_are_kept);
    return UNITY_END();
}
