/* `slipstick eval` and the command around it, from the outside: output, exit codes, messages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "command.h"

#define PENDULUM "models/double_pendulum.urdf"
#define TOL ((double)SLIP_TOL(1e-12, 1e-4))

static command_result r, r2;
static char line[1024];

void setUp(void) { }
void tearDown(void) { for (int i = 0; i < 4; ++i) remove(command_file(i, "")); }

/* eval of a model on a states text. */
static void eval(const char *model, const char *states, const char *options, command_result *to)
{
    snprintf(line, sizeof line, "eval %s '%s' %s", model, command_file(0, states), options);
    command_run(line, NULL, to);
}

static void assert_fails(int code, const char *a, const char *b)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(code, r.code, r.err);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, a), r.err);
    if (b) TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, b), r.err);
}

static void assert_numbers(const char *from, const char *word, int n, const double *expected)
{
    double x[64];

    TEST_ASSERT_EQUAL_INT_MESSAGE(n, command_numbers(r.out, from, word, x, 64), word);
    for (int i = 0; i < n; ++i) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(TOL*(1 + fabs(expected[i])), expected[i], x[i], word);
}

/* ---- results -------------------------------------------------------------------------------------------- */

static void test_the_example_of_the_help_text_gives_the_textbook_numbers(void)
{
    const double still[2] = { 0, 0 }, energy[2] = { 0, -9.81*(0.25 + 0.6*0.75) },
        com[3] = { 0, 0, -(0.25 + 0.6*0.75)/1.6 };
    const double sideways[2] = { 9.81*(0.25 + 0.6*0.75), 9.81*0.6*0.25 };

    command_run("eval " PENDULUM " models/double_pendulum_states.txt", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_EQUAL_STRING("", r.err);
    assert_numbers("state 0", "aba", 2, still);
    assert_numbers("state 0", "rnea", 2, still);
    assert_numbers("state 0", "energy", 2, energy);
    assert_numbers("state 0", "com", 3, com);
    assert_numbers("state 1", "grav", 2, sideways);
    assert_numbers("state 1", "nle", 2, sideways);
}

static void test_what_is_asked_for_comes_out_in_the_order_of_the_format(void)
{
    static const char *const order[] = { "robot double_pendulum\n", "\njoints shoulder elbow\n",
                                         "\njoint shoulder revolute 0 1 0 1\n",
        "\nstate 3\n", "\naba ", "\nrnea ", "\nM\n", "\nnle ", "\ngrav ", "\nenergy ", "\ncom ", "\nlink base ",
        "\nlink upper ", "\nlink tip ", "\njac " };
    const char *at;

    eval(PENDULUM, "state 3\nq 0.1 0.2\nv 1 2\ntau 3 4\na 5 6\n", "", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    at = r.out;
    for (size_t i = 0; i < sizeof order/sizeof *order; ++i) {
        at = strstr(at, order[i]);
        TEST_ASSERT_NOT_NULL_MESSAGE(at, order[i]);
    }
}

static void test_a_permuted_header_permutes_the_numbers_and_nothing_else(void)
{
    double ours[2], theirs[2], M[2], Mp[2];

    eval(PENDULUM, "state 0\nq 0.4 -0.9\nv 1 -2\ntau 0.5 0.25\na 3 4\n", "", &r);
    eval(PENDULUM, "joint elbow continuous 0 1 0 1\njoint shoulder revolute 1 1 1 1\n"
         "state 0\nq -0.9 0.4\nv -2 1\ntau 0.25 0.5\na 4 3\n", "", &r2);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r2.code, r2.err);
    TEST_ASSERT_EQUAL_INT(2, command_numbers(r.out, NULL, "aba", ours, 2));
    TEST_ASSERT_EQUAL_INT(2, command_numbers(r2.out, NULL, "aba", theirs, 2));
    TEST_ASSERT_TRUE(ours[0] == theirs[1] && ours[1] == theirs[0]);
    TEST_ASSERT_EQUAL_INT(2, command_numbers(r.out, NULL, "rnea", ours, 2));
    TEST_ASSERT_EQUAL_INT(2, command_numbers(r2.out, NULL, "rnea", theirs, 2));
    TEST_ASSERT_TRUE(ours[0] == theirs[1] && ours[1] == theirs[0]);
    sscanf(strstr(r.out, "\nM\n") + 3, "%lf %lf", &M[0], &M[1]);
    sscanf(strstr(r2.out, "\nM\n") + 3, "%*f %*f\n%lf %lf", &Mp[0], &Mp[1]);
    TEST_ASSERT_TRUE_MESSAGE(M[0] == Mp[1] && M[1] == Mp[0], "rows and columns");
}

static void test_cosine_and_sine_or_plain_angles_or_lines_out_of_order_are_the_same_state(void)
{
    static const char rest[] = "v 1 -2\ntau 0.5 0.25\n";
    double ours[2], theirs[2];
    char states[512];
    static const char *const heads[3] = {
        ("joint shoulder revolute 0 1 0 1\njoint elbow continuous 1 2 1 1\nstate 0\n"
         "q 0.4 0.62160996827066445 -0.78332690962748339\n"),
        "joint shoulder revolute 0 1 0 1\njoint elbow continuous 1 2 1 1\nstate 0\nqs 0.4 -0.9\n",
        "joint elbow continuous 1 2 1 1\njoint shoulder revolute 0 1 0 1\nstate 0\nqs 0.4 -0.9\n" };

    eval(PENDULUM, "state 0\nq 0.4 -0.9\nv 1 -2\ntau 0.5 0.25\n", "", &r);
    TEST_ASSERT_EQUAL_INT(2, command_numbers(r.out, NULL, "aba", ours, 2));
    for (int k = 0; k < 3; ++k) {
        snprintf(states, sizeof states, "%s%s", heads[k], rest);
        eval(PENDULUM, states, "", &r2);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, r2.code, r2.err);
        TEST_ASSERT_EQUAL_INT(2, command_numbers(r2.out, NULL, "aba", theirs, 2));
        for (int i = 0; i < 2; ++i) TEST_ASSERT_DOUBLE_WITHIN(TOL*fabs(ours[i]), ours[i], theirs[i]);
    }
}

static void test_mimic_joints_follow_unless_the_header_lists_them(void)
{
    double x[8];

    eval("models/gripper.urdf", "state 0\nq 0.1 0.2 0.03\nv 0 0 0\ntau 0 0 1\n", "", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_EQUAL_INT(3, command_numbers(r.out, NULL, "aba", x, 8));
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(TOL*10, 1/(0.05 + 2*0.06), x[2], "both fingers and the motor");
    eval("models/gripper.urdf", "joint lift prismatic 0 1 0 1\njoint wrist continuous 1 1 1 1\njoint finger_left "
                                "prismatic 2 1 2 1\n"
         "joint finger_right prismatic 3 1 3 1\nstate 0\nq 0.1 0.2 0.03 0.03\nv 0 0 0 0\ntau 0 0 1 0\n", "", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_EQUAL_INT(4, command_numbers(r.out, NULL, "aba", x, 8));
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(TOL*10, 1/(0.05 + 0.06), x[2], "one finger and the motor");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(TOL*10, 0, x[3], "the other one does not care");
}

static void test_a_free_base_falls(void)
{
    double x[8];

    eval(PENDULUM, "state 0\nq 0 0 0 0 0 0 1 0.1 0.2\nv 0 0 0 0 0 0 0 0\ntau 0 0 0 0 0 0 0 0\n", "--free", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, r.code, "the base has neither mass nor inertia");
    eval("models/rover.urdf", "state 0\nq 1 2 0.3 0 0 0 1\nv 0 0 0 0 0 0\ntau 0 0 0 0 0 0\n", "", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    eval("models/gripper.urdf", "joint root_joint free 0 7 0 6\njoint lift prismatic 7 1 6 1\njoint wrist continuous 8 "
                                "1 7 1\n"
         "joint finger_left prismatic 9 1 8 1\nstate 0\n", "", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, r.code, "a massless mount cannot float either");
    command_run("eval - models/double_pendulum_states.txt --free",
                "<robot name='double_pendulum'><link name='b'><inertial><mass value='2'/><inertia ixx='1' ixy='0' "
                "ixz='0' iyy='1' "
                "iyz='0' izz='1'/></inertial></link></robot>", &r);
    assert_fails(1, "'shoulder'", "not in the model");
    snprintf(line, sizeof line, "eval - '%s' --free", command_file(1,
            "state 0\nq 0 0 0 0 0 0 1\nv 0 0 0 0 0 0\ntau 0 0 0 0 0 0\n"));
    command_run(line, "<robot name='b'><link name='b'><inertial><mass value='2'/><inertia ixx='1' ixy='0' ixz='0' "
                      "iyy='1' "
                "iyz='0' izz='1'/></inertial></link></robot>", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_EQUAL_INT(6, command_numbers(r.out, NULL, "aba", x, 8));
    TEST_ASSERT_DOUBLE_WITHIN(TOL*10, -9.81, x[2]);
}

/* ddq_dq of a pendulum at rest is the linearised one; what comes out goes in again and comes out the same. */
static void test_derivatives_come_out_with_their_state_in_the_format_that_goes_in(void)
{
    double by_q[2], by_tau[2];

    eval(PENDULUM, "state 3\nq 0 0\nv 0 0\ntau 0 0\n", "--derivatives", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    assert_numbers("state 3", "qs", 2, (const double[2]){ 0, 0 });
    assert_numbers("state 3", "aba", 2, (const double[2]){ 0, 0 });
    /* M ddq_dq = -K with K11 = 9.81 (0.25 + 0.6*0.75), and M ddq_dtau = 1 */
    TEST_ASSERT_EQUAL_INT(2, sscanf(strstr(r.out, "ddq_dq\n") + 7, "%lf %lf", &by_q[0], &by_q[1]));
    TEST_ASSERT_EQUAL_INT(2, sscanf(strstr(r.out, "ddq_dtau\n") + 9, "%lf %lf", &by_tau[0], &by_tau[1]));
    TEST_ASSERT_DOUBLE_WITHIN(TOL*100, -9.81*((0.25 + 0.6*0.75)*by_tau[0] + 0.6*0.25*by_tau[1]), by_q[0]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL*100, -9.81*0.6*0.25*(by_tau[0] + by_tau[1]), by_q[1]);
    eval(PENDULUM, r.out, "--derivatives", &r2);
    TEST_ASSERT_EQUAL_STRING(r.out, r2.out);
    eval(PENDULUM, "state 3\nq 0 0\nv 0 0\n", "--derivatives", &r);
    assert_fails(1, "no line tau", "state");
}

static void test_lines_that_are_missing_leave_their_results_out(void)
{
    eval(PENDULUM, "state 0\nq 0 0\n", "", &r);
    TEST_ASSERT_EQUAL_INT(0, r.code);
    TEST_ASSERT_NULL(strstr(r.out, "\naba"));
    TEST_ASSERT_NULL(strstr(r.out, "\nrnea"));
    TEST_ASSERT_NULL(strstr(r.out, "\nnle"));
    TEST_ASSERT_NOT_NULL(strstr(r.out, "\ngrav"));
    eval(PENDULUM, "state 0\nq 0 0\nv 0 0\ntau 0 0\nstate 1\nq 0 0\nv 0 0\na 0 0\n", "", &r);
    TEST_ASSERT_NOT_NULL(strstr(r.out, "\naba"));
    TEST_ASSERT_NULL_MESSAGE(strstr(strstr(r.out, "state 1"), "\naba"), "tau of the state before is not used");
    TEST_ASSERT_NOT_NULL(strstr(strstr(r.out, "state 1"), "\nrnea"));
    eval(PENDULUM, "state 7\nv 0 0\n", "", &r);
    assert_fails(1, "state' 7 has no line q", NULL);
}

static void test_links_and_the_jacobian_may_be_chosen(void)
{
    eval(PENDULUM, "state 0\nq 0 0\nlink tip\njac tip\n", "", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_NULL(strstr(r.out, "link base"));
    TEST_ASSERT_NOT_NULL(strstr(r.out, "\nlink tip "));
    TEST_ASSERT_NOT_NULL(strstr(r.out, "\njac tip\n"));
    eval(PENDULUM, "state 0\nq 0 0\njac nobody\n", "", &r);
    assert_fails(1, ":3: ", "'nobody'");
}

/* ---- complaints ----------------------------------------------------------------------------------------- */

static void test_wrong_counts_and_bad_numbers_are_told_with_their_line(void)
{
    eval(PENDULUM, "state 0\nq 0 0\nv 1\n", "", &r);
    assert_fails(1, ":3: 'v' has 1 numbers, expected 2", NULL);
    eval(PENDULUM, "state 0\nq 0 0 0\n", "", &r);
    assert_fails(1, ":2: 'q' has 3 numbers, expected 2", NULL);
    eval(PENDULUM, "state 0\nq 0 nan\n", "", &r);
    assert_fails(1, ":2: 'q': number 2 of 2 is not a finite number", NULL);
    eval(PENDULUM, "state 0\nq 0 1e999\n", "", &r);
    assert_fails(1, ":2: ", "finite");
    eval(PENDULUM, "state 0\nq 0 0.5x\n", "", &r);
    assert_fails(1, ":2: ", "finite");
    eval(PENDULUM, "state zero\nq 0 0\n", "", &r);
    assert_fails(1, ":1: ", "'state'");
    eval(PENDULUM, "state 1e300\nq 0 0\n", "", &r);
    assert_fails(1, ":1: ", "'state'");
    eval("models/rover.urdf", "state 0\nq 0 0 0 0 0 0 0\n", "", &r);
    assert_fails(1, "state 0", "bad argument");
}

static void test_a_bad_first_state_leaves_no_output(void)
{
    command_run("eval models/double_pendulum.urdf -", "state 0\nq 1\n", &r);
    TEST_ASSERT_EQUAL_INT(1, r.code);
    TEST_ASSERT_EQUAL_STRING("", r.out);
    command_run("eval models/double_pendulum.urdf -", "state 0\nq 1 2\nstate 1\nq 1\n", &r);
    TEST_ASSERT_EQUAL_INT(1, r.code);
    TEST_ASSERT_EQUAL_INT(0, strncmp("robot double_pendulum\n", r.out, 22));
    TEST_ASSERT_NOT_NULL(strstr(r.out, "\nstate 0\n"));
}

static void test_headers_that_do_not_fit_the_model_are_refused(void)
{
    eval(PENDULUM, "joint knee revolute 0 1 0 1\nstate 0\nq 0\n", "", &r);
    assert_fails(1, "'knee'", "not in the model");
    eval(PENDULUM, "joint tip_joint revolute 0 1 0 1\nstate 0\nq 0\n", "", &r);
    assert_fails(1, "'tip_joint'", "fixed");
    eval(PENDULUM, "joint shoulder revolute 0 1 0 1\nstate 0\nq 0\n", "", &r);
    assert_fails(1, "1 of the model's 2 freedoms", NULL);
    eval(PENDULUM, "joint shoulder revolute 0 1 0 1\njoint shoulder revolute 1 1 1 1\nstate 0\nq 0 0\n", "", &r);
    assert_fails(1, "twice", NULL);
    eval(PENDULUM, "joint shoulder revolute 0 1 0 1\njoint elbow continuous 5 1 1 1\nstate 0\nq 0 0\n", "", &r);
    assert_fails(1, "place 1 of q", NULL);
    eval(PENDULUM, "joint shoulder revolute 0 3 0 3\nstate 0\nq 0 0\n", "", &r);
    assert_fails(1, "'shoulder'", "does not fit");
    eval("models/gripper.urdf", "joint lift prismatic 0 2 0 1\njoint wrist continuous 2 1 1 1\n"
         "joint finger_left prismatic 3 1 2 1\nstate 0\nq 0 1 0 0\n", "", &r);
    assert_fails(1, "'lift'", "does not fit");           /* a displacement has no cosine and sine */
    eval(PENDULUM, "joint shoulder revolute 0 1\nstate 0\nq 0 0\n", "", &r);
    assert_fails(1, ":1: ", "needs NAME TYPE iq nq iv nv");
    eval(PENDULUM, "joint shoulder revolute -1 1 0 1\nstate 0\nq 0 0\n", "", &r);
    assert_fails(1, ":1: ", "needs NAME TYPE iq nq iv nv");
}

static void test_files_that_are_missing_or_empty_or_broken_are_told_by_name(void)
{
    command_run("eval nowhere.urdf models/double_pendulum_states.txt", NULL, &r);
    assert_fails(1, "nowhere.urdf", NULL);
    command_run("eval " PENDULUM " nowhere.txt", NULL, &r);
    assert_fails(1, "nowhere.txt", NULL);
    command_run("eval " PENDULUM " -", "", &r);
    assert_fails(1, "-: no state", NULL);                /* an empty text has no line to name */
    command_run("eval - models/double_pendulum_states.txt", "<robot name='x'>\n  <link nam='a'/>\n</robot>", &r);
    assert_fails(1, "(standard input):2:", NULL);
    command_run("eval " PENDULUM " models", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, r.code, "a directory is no states file");
}

static void test_standard_input_works_for_either_file_but_not_for_both(void)
{
    command_run("eval " PENDULUM " -", "state 0\nq 0 0\n", &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    command_run("eval - -", "", &r);
    assert_fails(2, "standard input", "--help");
}

static void test_wrong_usage_exits_with_two_and_points_to_the_help(void)
{
    command_run("", NULL, &r);
    assert_fails(2, "usage:", NULL);
    command_run("frobnicate", NULL, &r);
    assert_fails(2, "unknown command 'frobnicate'", "usage:");
    TEST_ASSERT_EQUAL_STRING("", r.out);
    command_run("eval", NULL, &r);
    assert_fails(2, "MODEL and STATES", "--help");
    command_run("eval a b c", NULL, &r);
    assert_fails(2, "too many arguments: 'c'", NULL);
    command_run("eval --fre a b", NULL, &r);
    assert_fails(2, "'--fre'", "--help");
    command_run("eval a b --package-path", NULL, &r);
    assert_fails(2, "--package-path needs a value", NULL);
    command_run("bench nothing", NULL, &r);
    assert_fails(2, "'nothing'", NULL);
}

/* How often a text holds a word. */
static int count_of(const char *text, const char *word)
{
    int n = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word)) ++n;
    return n;
}

#define HEAVY(name) "<link name='" name "'><inertial><mass value='2'/>" \
                    "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
static const char heavy_robot[] = "<robot name='r'>" HEAVY("trunk") HEAVY("arm")
    "<joint name='j' type='continuous'><parent link='trunk'/><child link='arm'/></joint></robot>";

static void test_bench_json_has_an_object_per_model_and_function_on_the_base_asked_for(void)
{
    static const char *const functions[] = { "fk", "jacobians", "rnea", "crba", "ltl", "solve", "aba", "minv",
                                             "drnea", "daba" };
    static const char *const bases[] = { "", "--free", "--fixed" };
    static const int nv[] = { 7, 7, 1 };                 /* a root with mass floats unless told otherwise */
    const char *path = command_file(0, heavy_robot);

    for (int b = 0; b < 3; ++b) {
        snprintf(line, sizeof line, "bench dynamics %s %s --json --batches 1 %s", path, path, bases[b]);
        command_run(line, NULL, &r);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
        for (size_t i = 0; i < sizeof functions/sizeof *functions; ++i) {
            snprintf(line, sizeof line, "{\"model\": \"%s\", \"function\": \"%s\", \"nv\": %d, \"best_ns\": ", path,
                     functions[i], nv[b]);
            TEST_ASSERT_EQUAL_INT_MESSAGE(2, count_of(r.out, line), line);
        }
        TEST_ASSERT_EQUAL_INT(20, count_of(r.out, "\"median_ns\": "));
    }
}

static void test_bench_reads_standard_input_when_told_the_base(void)
{
    command_run("bench dynamics - --free --batches 1", heavy_robot, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_NOT_NULL(strstr(r.out, "7 dof"));
    command_run("bench dynamics - --batches 1", heavy_robot, &r);
    assert_fails(2, "--free or --fixed", "--help");
}

static void test_help_fits_a_screen_and_ends_with_an_example_that_works(void)
{
    static const char *const commands[] = { "", "eval", "bench", "bench dynamics", "info" };

    for (size_t i = 0; i < sizeof commands/sizeof *commands; ++i) {
        const char *s, *example;
        int lines = 0;

        snprintf(line, sizeof line, "%s --help", commands[i]);
        command_run(line, NULL, &r);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, commands[i]);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("", r.err, commands[i]);
        for (s = r.out; *s; ++s) lines += *s == '\n';
        TEST_ASSERT_TRUE_MESSAGE(lines <= 40, commands[i]);
        example = strstr(r.out, "example: slipstick ");
        TEST_ASSERT_NOT_NULL_MESSAGE(example, commands[i]);
        example = example ? example + strlen("example: slipstick ") : "";
        snprintf(line, sizeof line, "%.*s", (int)strcspn(example, "\n"), example);
        command_run(line, NULL, &r);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, line);
    }
}

static void test_the_version_names_the_precision(void)
{
    char expected[64];

    snprintf(expected, sizeof expected, "slipstick %s (%s)\n", SLIP_VERSION, SLIP_REAL_NAME);
    command_run("--version", NULL, &r);
    TEST_ASSERT_EQUAL_INT(0, r.code);
    TEST_ASSERT_EQUAL_STRING(expected, r.out);
}

/* ---- the golden files, as a user would compare them ------------------------------------------------------- */

static char golden[1 << 22];

static int read_golden(const char *robot)
{
    char path[128];
    FILE *f;
    size_t n;

    snprintf(path, sizeof path, "../shared/golden/dynamics/%s.txt", robot);
    f = fopen(path, "rb");
    if (!f) return 0;
    n = fread(golden, 1, sizeof golden - 1, f);
    fclose(f);
    golden[n] = '\0';
    return 1;
}

/* Whether a line of the golden file is input, which eval does not repeat. */
static int is_input(const char *s)
{
    static const char *const words[] = { "q ", "qs ", "v ", "tau ", "a " };

    for (size_t i = 0; i < sizeof words/sizeof *words; ++i)
        if (strncmp(s, words[i], strlen(words[i])) == 0) return 1;
    return 0;
}

/* Largest difference of two lines relative to the largest number of the first; the words must be the same. */
static double line_error(const char *a, const char *b)
{
    double scale = 1e-6, worst = 0;

    for (; *a && *a != '\n';) {
        char *ea, *eb;
        const double x = strtod(a, &ea), y = strtod(b, &eb);

        if (ea == a || eb == b) {
            if (*a != *b) return (double)INFINITY;
            ++a;
            ++b;
            continue;
        }
        scale = fmax(scale, fabs(x));
        worst = fmax(worst, fabs(x - y));
        a = ea;
        b = eb;
    }
    return *b && *b != '\n' ? (double)INFINITY : worst/scale;
}

static void test_golden_files_come_out_as_they_went_in(void)
{
    static const char *const robots[] = { "solo12", "anymal", "romeo", "ur5", "allegro" };

    for (size_t i = 0; i < sizeof robots/sizeof *robots; ++i) {
        const char *g, *o;

        if (!read_golden(robots[i])) TEST_IGNORE_MESSAGE("skipped: ../shared/golden not present");
        snprintf(line, sizeof line, "eval ../shared/robots/%s.urdf ../shared/golden/dynamics/%s.txt", robots[i],
                 robots[i]);
        command_run(line, NULL, &r);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
        for (g = golden, o = r.out; g && *g; g = strchr(g, '\n'), g = g ? g + 1 : NULL) {
            if (is_input(g)) continue;
            TEST_ASSERT_NOT_NULL_MESSAGE(o, "the output ends early");
            /* single rows of a matrix may be small next to the whole: absolute at that level */
            if (!(line_error(g, o) <= (double)SLIP_TOL(1e-9, 2e-3))) {
                snprintf(line, sizeof line, "%s: golden %.60s, ours %.60s", robots[i], g, o);
                TEST_FAIL_MESSAGE(line);
            }
            o = strchr(o, '\n');
            o = o ? o + 1 : NULL;
        }
        TEST_ASSERT_TRUE_MESSAGE(o == NULL || *o == '\0' || strlen(r.out) == COMMAND_TEXT - 1, "the output has more");
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_example_of_the_help_text_gives_the_textbook_numbers);
    RUN_TEST(test_what_is_asked_for_comes_out_in_the_order_of_the_format);
    RUN_TEST(test_a_permuted_header_permutes_the_numbers_and_nothing_else);
    RUN_TEST(test_cosine_and_sine_or_plain_angles_or_lines_out_of_order_are_the_same_state);
    RUN_TEST(test_mimic_joints_follow_unless_the_header_lists_them);
    RUN_TEST(test_a_free_base_falls);
    RUN_TEST(test_derivatives_come_out_with_their_state_in_the_format_that_goes_in);
    RUN_TEST(test_lines_that_are_missing_leave_their_results_out);
    RUN_TEST(test_links_and_the_jacobian_may_be_chosen);
    RUN_TEST(test_wrong_counts_and_bad_numbers_are_told_with_their_line);
    RUN_TEST(test_a_bad_first_state_leaves_no_output);
    RUN_TEST(test_headers_that_do_not_fit_the_model_are_refused);
    RUN_TEST(test_files_that_are_missing_or_empty_or_broken_are_told_by_name);
    RUN_TEST(test_standard_input_works_for_either_file_but_not_for_both);
    RUN_TEST(test_wrong_usage_exits_with_two_and_points_to_the_help);
    RUN_TEST(test_bench_json_has_an_object_per_model_and_function_on_the_base_asked_for);
    RUN_TEST(test_bench_reads_standard_input_when_told_the_base);
    RUN_TEST(test_help_fits_a_screen_and_ends_with_an_example_that_works);
    RUN_TEST(test_the_version_names_the_precision);
    RUN_TEST(test_golden_files_come_out_as_they_went_in);
    return UNITY_END();
}
