/* `slipstick info` from end to end: what it prints, that its JSON is JSON, and its exit codes. */
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "slipstick_parts.h"

#define FILE_NAME SLIP_TEST_BIN ".test_info.urdf"

static command_result result;
static const char *const out = result.out, *const complaints = result.err;

void setUp(void) { }
void tearDown(void) { remove(FILE_NAME); }

/* Runs `slipstick info ARGUMENTS`; 1 when it ended well. The output is in `out` and `complaints`. */
static int info(const char *arguments)
{
    char line[1000];

    slip_format(line, (int)sizeof line, "info %s", arguments);
    command_run(line, NULL, &result);
    return result.code == 0;
}

static void has(const char *word)
{
    TEST_ASSERT_MESSAGE(strstr(out, word) != NULL, word);
}

static void test_a_height_field_has_an_extent_and_heights(void)
{
    const char *file = command_file(0, "<mujoco><asset><hfield name='h' nrow='3' ncol='2' size='1 2 0.5 0.1' "
        "elevation='0 0 0 1 0 0'/></asset><worldbody><geom type='hfield' hfield='h'/><geom type='plane' size='1 1 1'/>"
        "<body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>");

    TEST_ASSERT_TRUE(info(file));
    has("2 x 4, heights 0 .. 0.5");
    TEST_ASSERT_NULL_MESSAGE(strstr(out, "length 0"), out);
}

/* ---- a checker of JSON: one value, by a stack of open brackets -------------------------------------- */

static const char *json_blanks(const char *s) { return s + strspn(s, " \n\t\r"); }

static const char *json_string(const char *s)
{
    if (*s != '"') return NULL;
    for (++s; *s != '"'; ++s) {
        if ((unsigned char)*s < 32) return NULL;
        if (*s == '\\' && strchr("\"\\/bfnrtu", *++s) == NULL) return NULL;
    }
    return s + 1;
}

static const char *json_scalar(const char *s)
{
    double x;
    int n;

    if (*s == '"') return json_string(s);
    if (strncmp(s, "true", 4) == 0 || strncmp(s, "null", 4) == 0) return s + 4;
    if (strncmp(s, "false", 5) == 0) return s + 5;
    n = slip_read_double(s, (int)strcspn(s, ",]} \n"), &x);
    return n > 0 && x - x == 0 && (slip_is_digit(s[0]) || (s[0] == '-' && slip_is_digit(s[1]))) ? s + n : NULL;
}

/* A key and its colon, when the innermost bracket is a brace. */
static const char *json_key(const char *s, char bracket)
{
    if (bracket != '{') return s;
    s = json_string(s);
    if (!s || *(s = json_blanks(s)) != ':') return NULL;
    return json_blanks(s + 1);
}

static int is_json(const char *s)
{
    char open[64];
    int depth = 0, fresh;

    s = json_blanks(s);
    for (;;) {
        fresh = 0;
        while (s && (*s == '{' || *s == '[') && depth < 64) {              /* go down to a scalar or an empty bracket */
            open[depth++] = *s;
            s = json_blanks(s + 1);
            fresh = 1;
            if (*s != '}' && *s != ']') s = json_key(s, open[depth - 1]);
        }
        if (s && (!fresh || (*s != '}' && *s != ']'))) s = json_scalar(s);
        if (!s) return 0;
        s = json_blanks(s);
        while (depth > 0 && *s == (open[depth - 1] == '{' ? '}' : ']')) {
            --depth;
            s = json_blanks(s + 1);
        }
        if (depth == 0) return *s == '\0';
        if (*s != ',') return 0;
        s = json_key(json_blanks(s + 1), open[depth - 1]);
    }
}

static void test_the_checker_tells_json_from_what_is_not(void)
{
    TEST_ASSERT(is_json("{}") && is_json(" [ 1 , -2.5e-3, \"a\\\"b\", null, true, {\"k\": [ ]} ]\n") && is_json("3"));
    TEST_ASSERT(!is_json("") && !is_json("{") && !is_json("[1,]") && !is_json("{\"a\" 1}") && !is_json("[1 2]"));
    TEST_ASSERT(!is_json("[inf]") && !is_json("[nan]") && !is_json("{\"a\": 1}}") && !is_json("[\"a]") &&
                !is_json("[.5]"));
}

/* ---- the command ------------------------------------------------------------------------------------ */

static void test_the_tree_shows_links_joints_limits_and_mimics(void)
{
    TEST_ASSERT_MESSAGE(info("models/gripper.urdf --ascii"), complaints);
    TEST_ASSERT_EQUAL_STRING("", complaints);
    has("5 links, 4 joints (1 continuous, 3 prismatic), 1 of them mimicking, nq 3, nv 3, 2.02 kg, 8 shapes, "
        "0 warnings");
    has("mount           0 ");
    has("`- carriage     1.5   lift          prismatic   +z    0  0 .. 0.4 m   200     0.5    damping 5, friction 1");
    has("      |- left   0.06  finger_left");
    has("      `- right  0.06  finger_right  prismatic   +y       0 .. 0.04 m  40      0.2    = 1 finger_left");
    has("capsule   radius 0.008, length 0.055  (0 0 -0.035)");
}

static void test_merged_links_say_where_they_went(void)
{
    TEST_ASSERT(info("--ascii models/rover.urdf"));
    has("fixed to the world");
    has("merged into chassis");
    has("10.5 kg with merged links");
    has("planar");
    has("ball");
}

/* The tree is of the file as it is, with its root in the world; in sim the base may float, and the note says so. */
static void test_the_note_of_a_root_agrees_with_what_sim_does(void)
{
    TEST_ASSERT_MESSAGE(info("--ascii models/solo12.urdf"), complaints);
    has("in sim: base free");
    has("free in sim\n");
    TEST_ASSERT_NULL_MESSAGE(strstr(out, "fixed to the world"), out);
    TEST_ASSERT_MESSAGE(info("--ascii models/arm.urdf"), complaints);
    has("in sim: base fixed");
    has("fixed to the world");
}

/* A floor of the file's own, of the world or of a tree without joints, is said; the base of an arm is none. */
static void test_ground_of_the_file_is_foretold(void)
{
    TEST_ASSERT(info(command_file(0, "<mujoco><worldbody><body><geom type='box' size='1 1 0.1'/></body><body>"
                                     "<freejoint/><geom size='0.1'/></body></worldbody></mujoco>")));
    has("starts where its file puts it, on the file's own ground");
    TEST_ASSERT(info(command_file(0, "<mujoco><worldbody><body><geom type='box' size='1 1 0.1'/><body><joint/>"
                                     "<geom size='0.1'/></body></body></worldbody></mujoco>")));
    has("stands on its lowest point");
    TEST_ASSERT(info(command_file(0, "<mujoco><worldbody><geom type='plane' size='1 1 1' contype='0' conaffinity='0'/>"
                                     "<body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>")));
    has("stands on its lowest point");
}

static void test_json_is_json_and_holds_the_numbers(void)
{
    static const char *const models[] = { "models/double_pendulum.urdf", "models/gripper.urdf", "models/rover.urdf" };
    char arguments[100];
    int i;

    for (i = 0; i < 3; ++i) {
        slip_format(arguments, (int)sizeof arguments, "--json %s", models[i]);
        TEST_ASSERT_MESSAGE(info(arguments), models[i]);
        TEST_ASSERT_MESSAGE(is_json(out), models[i]);
        has("\"warnings\": []");
        has("\"can_be_simulated\": true, \"error\": null");
    }
    TEST_ASSERT(info("--json --free models/gripper.urdf") || strstr(complaints, "mount"));
    TEST_ASSERT(info("--json models/gripper.urdf"));
    has("\"mimic\": {\"joint\": \"finger_left\", \"multiplier\": 1, \"offset\": 0}");
    has("\"lower\": null, \"upper\": null");
}

static void test_public_robots_are_shown_and_their_json_is_whole(void)
{
    static const char *const names[] = { "allegro", "anymal", "bolt", "cassie", "humanoid", "hyq", "iiwa14", "kinova",
                                         "panda", "romeo", "solo12", "ur5" };
    char arguments[200];
    int i;

    if (!slip_file_exists("../shared/robots/allegro.urdf"))
        TEST_IGNORE_MESSAGE("skipped: ../shared/robots not present");
    for (i = 0; i < 12; ++i) {
        slip_format(arguments, (int)sizeof arguments, "../shared/robots/%s.urdf --free", names[i]);
        TEST_ASSERT_MESSAGE(info(arguments), names[i]);
        has("root_joint");
        slip_format(arguments, (int)sizeof arguments, "../shared/robots/%s.urdf --json", names[i]);
        TEST_ASSERT_MESSAGE(info(arguments), names[i]);
        TEST_ASSERT_MESSAGE(is_json(out), names[i]);
    }
}

static void test_a_model_may_come_through_standard_input(void)
{
    TEST_ASSERT(info("- < models/gripper.urdf"));
    has("gripper ((standard input))");
    TEST_ASSERT(!info("- < /dev/null"));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "no root element"));
}

static void test_failures_are_told_on_the_other_stream(void)
{
    TEST_ASSERT(!info("models/none.urdf"));
    TEST_ASSERT_EQUAL_STRING("", out);
    TEST_ASSERT_NOT_NULL(strstr(complaints, "models/none.urdf"));
    TEST_ASSERT(!info(""));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "--help"));
    TEST_ASSERT(!info("--frobnicate models/gripper.urdf"));
    TEST_ASSERT(!info("a b"));
    TEST_ASSERT(!info("models/gripper.urdf --package-path"));
}

static void test_a_model_without_forward_dynamics_is_shown_with_the_cure(void)
{
    TEST_ASSERT(info("--free models/rover.urdf --ascii"));
    has("`- chassis");
    has("link 'floor' a mass and inertia, or the joint an armature (--repair armature=0.01)");
    TEST_ASSERT(info("--free models/rover.urdf --ascii --repair armature=0.5"));
    has("repaired by armature=0.5");
    TEST_ASSERT(!info("--free models/rover.urdf --strict"));
    TEST_ASSERT(!info("--free models/rover.urdf --repair armature=0"));
    TEST_ASSERT(info("--free --json models/rover.urdf"));
    TEST_ASSERT(is_json(out));
    has("\"can_be_simulated\": false");
}

static void test_strict_turns_a_warning_into_an_error(void)
{
    static const char text[] = "<robot name=\"r\"><link name=\"a\" type=\"x\"/></robot>";
    FILE *f = fopen(FILE_NAME, "wb");

    TEST_ASSERT_NOT_NULL(f);
    fputs(text, f);
    fclose(f);
    TEST_ASSERT(info(FILE_NAME));
    has("1 warnings");
    has("warning: ");
    has(":1:32: link 'a': attribute type of <link> ignored");
    TEST_ASSERT(!info("--strict " FILE_NAME));
    TEST_ASSERT_NOT_NULL(strstr(complaints, ":1:32: link 'a'"));
}

static void test_help_fits_a_screen_and_ends_with_an_example(void)
{
    const char *s;
    int lines = 0;

    TEST_ASSERT(info("--help"));
    for (s = out; *s; ++s) lines += *s == '\n';
    TEST_ASSERT(lines > 5 && lines <= 24);
    has("example: slipstick info models/gripper.urdf\n");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_height_field_has_an_extent_and_heights);
    RUN_TEST(test_the_checker_tells_json_from_what_is_not);
    RUN_TEST(test_the_tree_shows_links_joints_limits_and_mimics);
    RUN_TEST(test_merged_links_say_where_they_went);
    RUN_TEST(test_the_note_of_a_root_agrees_with_what_sim_does);
    RUN_TEST(test_ground_of_the_file_is_foretold);
    RUN_TEST(test_json_is_json_and_holds_the_numbers);
    RUN_TEST(test_public_robots_are_shown_and_their_json_is_whole);
    RUN_TEST(test_a_model_may_come_through_standard_input);
    RUN_TEST(test_failures_are_told_on_the_other_stream);
    RUN_TEST(test_a_model_without_forward_dynamics_is_shown_with_the_cure);
    RUN_TEST(test_strict_turns_a_warning_into_an_error);
    RUN_TEST(test_help_fits_a_screen_and_ends_with_an_example);
    return UNITY_END();
}
