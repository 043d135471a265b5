/* Files that commands write: never one of their inputs, never twice, whole or not at all. */
#define _POSIX_C_SOURCE 200112L                  /* symlink, unlink */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "unity.h"
#include "command.h"

static command_result result;
static char before[COMMAND_TEXT], after[COMMAND_TEXT];

void setUp(void) { }
void tearDown(void) { }

#define SCENE "<scene><simulation duration='0.02'/><ground/><body name='b' mass='1'>" \
    "<geometry><sphere radius='0.1'/></geometry></body></scene>"
#define TRIANGLES "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

/* "COMMAND A OPTION B" writes nothing, says why, and leaves B (or its absence) as it was. */
static void refuses(int code, const char *arguments, const char *path, const char *why)
{
    const size_t n = command_read(path, before, sizeof before);

    command_run(arguments, NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(code, result.code, result.err);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, why), result.err);
    TEST_ASSERT_EQUAL_UINT(n, command_read(path, after, sizeof after));
    TEST_ASSERT_EQUAL_STRING(before, after);
}

static void test_an_output_is_never_one_of_the_inputs(void)
{
    char line[1200], link[600];
    const char *scene = command_file(0, SCENE), *mesh = command_file(1, TRIANGLES);

    snprintf(line, sizeof line, "sim '%s' --csv '%s'", scene, scene);
    refuses(1, line, scene, "names this file twice");
    snprintf(line, sizeof line, "sim '%s' --html='%s'", scene, scene);
    refuses(1, line, scene, "names this file twice");
    snprintf(line, sizeof line, "mesh '%s' --hull '%s'", mesh, mesh);
    refuses(1, line, mesh, "names this file twice");
    snprintf(link, sizeof link, "%s.link", scene);
    unlink(link);
    if (symlink(strrchr(scene, '/') + 1, link) != 0) TEST_IGNORE_MESSAGE("no symbolic links here");
    snprintf(line, sizeof line, "sim '%s' --contacts '%s'", scene, link);
    refuses(1, line, scene, "names this file twice");
    unlink(link);
}

static void test_two_outputs_are_two_files(void)
{
    char line[1200];
    const char *scene = command_file(0, SCENE), *out = command_file(1, "old\n");

    snprintf(line, sizeof line, "sim '%s' --csv '%s' --html '%s'", scene, out, out);
    refuses(1, line, out, "names this file twice");
    snprintf(line, sizeof line, "sim '%s' --log '%s' --html '%s'", scene, out, out);
    refuses(1, line, out, "names this file twice");
}

/* A mesh that only collides, beside one that is only drawn; the SRDF; a terrain's table. */
static void expect_inputs_of_a_robot_are_kept(void)
{
    const char *kept[3], *scene;
    char text[1600], line[1400];
    int i;

    kept[0] = command_file(3, TRIANGLES);
    kept[1] = command_file(4, "<robot name='r'/>");
    kept[2] = command_file(5, "0,0\n0,0\n");
    snprintf(text, sizeof text, "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
             "izz='1'/></inertial><visual><geometry><sphere radius='0.1'/></geometry></visual><collision><geometry>"
             "<mesh filename='%s'/></geometry></collision></link></robot>", strrchr(kept[0], '/') + 1);
    snprintf(line, sizeof line, "%s", strrchr(command_file(0, text), '/') + 1);
    snprintf(text, sizeof text, "<scene><simulation duration='0.01'/><terrain kind='file' file='%s' cell='1'/>"
             "<robot file='%s' srdf='%s'><origin xyz='0 0 1'/></robot></scene>", strrchr(kept[2], '/') + 1, line,
             strrchr(kept[1], '/') + 1);
    scene = command_file(1, text);
    for (i = 0; i < 3; ++i) {
        snprintf(line, sizeof line, "sim '%s' --csv '%s' --quiet", scene, kept[i]);
        refuses(1, line, kept[i], "it is an input");
    }
}

/* New files may be spelled in two ways, and a scene names files that the command line does not. */
static void test_files_are_known_by_any_spelling_and_inputs_of_inputs_too(void)
{
    static const char robot[] = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
                                "izz='1'/></inertial></link></robot>";
    const char *urdf = command_file(0, robot), *last = strrchr(urdf, '/'), *scene;
    char line[2000], text[700], directory[600], fresh[700];

    snprintf(text, sizeof text, "<scene><simulation duration='0.01'/><ground/><robot file='%s'/></scene>", last + 1);
    scene = command_file(1, text);
    snprintf(line, sizeof line, "sim '%s' --csv '%s' --quiet", scene, urdf);
    refuses(1, line, urdf, "it is an input, a file that the scene or robot names");
    snprintf(line, sizeof line, "sim '%s' --html '%s' --quiet", scene, urdf);
    refuses(1, line, urdf, "it is an input");
    expect_inputs_of_a_robot_are_kept();
    urdf = command_file(0, robot);
    scene = command_file(1, text);
    snprintf(directory, sizeof directory, "%.*s", (int)(last - urdf), urdf);
    snprintf(fresh, sizeof fresh, "%s/fresh_output", directory);
    snprintf(line, sizeof line, "sim '%s' --csv '%s' --html '%s/./fresh_output' --quiet", scene, fresh, directory);
    refuses(1, line, scene, "names this file twice");
    TEST_ASSERT_NOT_EQUAL(0, access(fresh, F_OK));
    snprintf(text, sizeof text, "%s/fresh_link", directory);
    unlink(text);
    if (symlink("fresh_output", text) != 0) TEST_IGNORE_MESSAGE("no symbolic links here");
    snprintf(line, sizeof line, "sim '%s' --csv '%s' --html '%s' --quiet", scene, fresh, text);
    refuses(1, line, scene, "names this file twice");
    unlink(text);
    TEST_ASSERT_NOT_EQUAL(0, access(fresh, F_OK));
}

static void test_what_cannot_be_written_is_said_with_the_reason_and_before_the_run(void)
{
    const char *scene = command_file(0, SCENE);
    char line[1200];

    snprintf(line, sizeof line, "sim '%s' --html /nowhere/a.html", scene);
    refuses(1, line, "/nowhere/a.html", "cannot write '/nowhere/a.html': No such file or directory");
    TEST_ASSERT_EQUAL_STRING("", result.out);
    snprintf(line, sizeof line, "sim '%s' --csv build", scene);
    refuses(1, line, "build/none", "cannot write 'build': Is a directory");
    if (access("/dev/full", W_OK) != 0) TEST_IGNORE_MESSAGE("there is no /dev/full here");
    snprintf(line, sizeof line, "sim '%s' --csv /dev/full", scene);
    refuses(1, line, "build/none", "cannot write '/dev/full': No space left on device");
    refuses(1, "--version > /dev/full", "build/none", "cannot write the output");
    refuses(1, "sim --help > /dev/full", "build/none", "cannot write the output");
}

/* The old file stays until the new one is complete; nothing else is left beside it. */
static void test_a_run_that_fails_leaves_what_was_there(void)
{
    char line[1200], part[600];
    const char *scene = command_file(0, "<scene><ground/></scene"), *out = command_file(1, "old\n");

    snprintf(part, sizeof part, "%s.part", out);
    snprintf(line, sizeof line, "sim '%s' --csv '%s'", scene, out);
    refuses(1, line, out, "");
    TEST_ASSERT_NOT_EQUAL(0, access(part, F_OK));
    scene = command_file(0, SCENE);
    snprintf(line, sizeof line, "sim '%s' --csv '%s' --html /nowhere/a.html", scene, out);
    command_run(line, NULL, &result);
    TEST_ASSERT_EQUAL_INT(1, result.code);
    snprintf(line, sizeof line, "sim '%s' --csv '%s'", scene, out);
    command_run(line, NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, result.err);
    TEST_ASSERT(command_read(out, after, sizeof after) > 100 && strncmp(after, "time,", 5) == 0);
    TEST_ASSERT_NOT_EQUAL(0, access(part, F_OK));
}

/* Ctrl-C ends the run after a step, and the table ends with a whole row. */
static void test_an_interrupted_run_keeps_whole_rows(void)
{
    char line[1200];
    const char *out = command_file(1, "old\n");
    FILE *f;
    int c, commas = 0, row = 0, rows = 0, last = 0;

    snprintf(line, sizeof line, "sim models/pile.xml --csv '%s' --quiet & p=$!; sleep 0.7; kill -INT $p; wait $p", out);
    command_run(line, NULL, &result);
    if (result.code == 0) TEST_IGNORE_MESSAGE("the run was faster than its interrupt");
    TEST_ASSERT_EQUAL_INT(1, result.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "interrupted after"), result.err);
    TEST_ASSERT_NOT_NULL(f = fopen(out, "rb"));
    while ((c = getc(f)) != EOF) {
        last = c;
        commas += c == ',';
        if (c != '\n') continue;
        if (rows++ == 0) row = commas;
        TEST_ASSERT_EQUAL_INT_MESSAGE(row, commas, "each row has as many columns as the head");
        commas = 0;
    }
    fclose(f);
    TEST_ASSERT(last == '\n' && rows > 1 && rows < 2001);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_output_is_never_one_of_the_inputs);
    RUN_TEST(test_two_outputs_are_two_files);
    RUN_TEST(test_files_are_known_by_any_spelling_and_inputs_of_inputs_too);
    RUN_TEST(test_what_cannot_be_written_is_said_with_the_reason_and_before_the_run);
    RUN_TEST(test_a_run_that_fails_leaves_what_was_there);
    RUN_TEST(test_an_interrupted_run_keeps_whole_rows);
    return UNITY_END();
}
