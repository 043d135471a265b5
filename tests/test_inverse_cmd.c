/* slipstick inverse from the outside: examples in, tables out, complaints with line and column. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"

#define OUT SLIP_TEST_BIN ".test_inverse.out"
#define ERR SLIP_TEST_BIN ".test_inverse.err"
#define MOTION SLIP_TEST_BIN ".test_inverse.csv"
#define TABLE SLIP_TEST_BIN ".test_inverse.table"
#define SCENE SLIP_TEST_BIN ".test_inverse.xml"
#define EULER SLIP_TEST_BIN ".test_inverse_euler.xml"
#define PLOTS SLIP_TEST_BIN ".test_inverse"

static char text[1 << 21];

void setUp(void) { }
void tearDown(void)
{
    remove(OUT);
    remove(ERR);
    remove(MOTION);
    remove(TABLE);
    remove(SCENE);
    remove(EULER);
    remove(PLOTS "-torque.svg");
    remove(PLOTS "-force.svg");
}

/* Runs the command; returns its exit code. */
static int run(const char *arguments, const char *out)
{
    char command[2048];
    int rc;

    slip_format(command, (int)sizeof command, "%s inverse %s >%s 2>%s", SLIP_TEST_BIN, arguments, out, ERR);
    rc = system(command);
    return rc < 0 ? rc : rc >> 8;
}

static const char *contents(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t n = 0;

    if (f) {
        n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[n] = '\0';
    return text;
}

static void write_motion(const char *what)
{
    FILE *f = fopen(MOTION, "w");

    fputs(what, f);
    fclose(f);
}

/* The largest entry of a column of the table. */
static double largest(const char *path, const char *column)
{
    const char *at = contents(path), *end;
    int index = 0, i;
    double most = 0;

    for (; *at != '\n'; ++index) {
        const size_t n = strcspn(at, ",\n");

        if (n == strlen(column) && strncmp(at, column, n) == 0) break;
        at += n + (at[n] == ',');
    }
    TEST_ASSERT_MESSAGE(*at != '\n', column);
    for (at = strchr(at, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
        double x;

        for (end = at, i = 0; i < index; ++i) end = strchr(end, ',') + 1;
        x = atof(end);
        if (x > most) most = x;
    }
    return most;
}

static int lines(const char *path)
{
    int n = 0;

    for (const char *p = contents(path); *p; ++p) n += *p == '\n';
    return n;
}

static void test_a_squat_is_carried_by_the_feet(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --example squat", MOTION));
    TEST_ASSERT_EQUAL_INT(402, lines(MOTION));
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --motion " MOTION " --csv " TABLE " --svg " PLOTS, OUT));
    TEST_ASSERT_EQUAL_INT(401, lines(TABLE));
    TEST_ASSERT(largest(TABLE, "undriven_before") > 300);
    TEST_ASSERT(largest(TABLE, "undriven") < (double)SLIP_TOL(1e-3, 5));
    TEST_ASSERT(largest(TABLE, "lf_foot.fz") > 80 && largest(TABLE, "lf_foot.fz") < 120);
    TEST_ASSERT_NOT_NULL(strstr(contents(OUT), "at rest"));
    TEST_ASSERT_NOT_NULL(strstr(contents(PLOTS "-torque.svg"), "</svg>"));
    TEST_ASSERT_NOT_NULL(strstr(contents(PLOTS "-force.svg"), "lf_foot"));
}

static void test_without_redistribution_the_weight_stays_on_the_base(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --example squat", MOTION));
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --keep --motion - --csv - <" MOTION, TABLE));
    TEST_ASSERT(largest(TABLE, "undriven") > 300);
}

static void test_a_bare_model_stands_on_the_ground(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --example squat", MOTION));
    TEST_ASSERT_EQUAL_INT(0, run("models/quadruped.urdf --motion " MOTION, TABLE));
    TEST_ASSERT(largest(TABLE, "undriven") < (double)SLIP_TOL(1e-3, 5));
}

static void test_wiping_a_wall_is_explained_by_coulomb_and_not_by_the_convex_model(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("models/wipe.xml --example wipe", MOTION));
    TEST_ASSERT_EQUAL_INT(0, run("models/wipe.xml --push 20 --motion " MOTION " --csv " TABLE, OUT));
    TEST_ASSERT(largest(TABLE, "slip") == 1);
    TEST_ASSERT(largest(TABLE, "iterations") == 1);
    TEST_ASSERT_EQUAL_INT(1, run("models/wipe.xml --push 20 --model ccp --motion " MOTION " --csv " TABLE, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "cannot be explained"));
    TEST_ASSERT_NOT_NULL(strstr(contents(TABLE), slip_status_text(SLIP_DIVERGED)));
}

static void write_file(const char *path, const char *what)
{
    FILE *f = fopen(path, "w");

    fputs(what, f);
    fclose(f);
}

/* A simulation of a scene, and its inverse with further arguments; returns the inverse's exit code. */
static int undo(const char *scene, const char *seconds, const char *arguments)
{
    char command[1024];

    slip_format(command, (int)sizeof command, "%s sim %s --time %s --csv %s >%s 2>%s", SLIP_TEST_BIN, scene, seconds,
                MOTION, OUT,
                ERR);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(command), scene);
    slip_format(command, (int)sizeof command, "%s --motion %s --csv %s %s", scene, MOTION, TABLE, arguments);
    return run(command, OUT);
}

/* Writes models/NAME to EULER, with integrator euler. Its files are found from there. */
static void with_euler(const char *name)
{
    char path[256];
    const char *at, *next;
    FILE *f;

    slip_format(path, (int)sizeof path, "models/%s", name);
    at = contents(path);
    f = fopen(EULER, "w");
    TEST_ASSERT_NOT_NULL(strstr(at, "<simulation "));
    for (; *at; at = next) {
        static const char *const from[] = { "<simulation ", " file=\"" };
        static const char *const to[] = { "<simulation integrator='euler' ", " file=\"../../models/" };
        int k = 0;

        while (k < 2 && strncmp(at, from[k], strlen(from[k])) != 0) ++k;
        next = at + (k < 2 ? strlen(from[k]) : 1);
        if (k < 2) fputs(to[k], f);
        else fputc(*at, f);
    }
    fclose(f);
}

/* Free bodies move by contacts, loops and the scene's events alone: with them nothing is left to explain. */
static void test_simulated_scenes_are_explained_with_their_pushes_and_loops(void)
{
    static const struct { const char *scene, *seconds; double left, left_float; } cases[] = {
        { "models/cube_push.xml", "0.4", 1e-3, 0.2 },      /* pushed by up to 6.4 N, at rest and sliding */
        { "models/wall_press.xml", "0.1", 1e-3, 0.2 },     /* held by a push of 20 N */
        { SCENE, "0.05", 1e-3, 0.2 },                      /* pushed out of an overlap of 2 mm; 0.3 m from its hook */
        { "models/cassie_drop.xml", "0.12", 1e-3, 20 },    /* four loops, in the air */
        { EULER, "0.2", 1e-3, 20 },                        /* the same, and it lands */
        { "models/quad_stand.xml", "0.2", 1e-3, 5 },
    };

    write_file(SCENE, "<scene name='o'><simulation max_push='0.02'/><ground/><body name='cube' mass='1'><origin xyz='0 "
                      "0 0.098'/>"
                      "<geometry><box size='0.2 0.2 0.2'/></geometry></body><body name='ball' mass='1'><origin xyz='1 "
                      "0 1'/><geometry><sphere radius='0.1'/></geometry></body><loop name='hook' kind='ball' a='world' "
                      "b='ball'><frame_a xyz='1 0 1.3'/><frame_b xyz='0 0 0'/></loop></scene>");
    with_euler("cassie_drop.xml");
    for (int i = 0; i < (int)(sizeof cases/sizeof *cases); ++i) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, undo(cases[i].scene, cases[i].seconds, ""), cases[i].scene);
        TEST_ASSERT_MESSAGE(largest(TABLE, "undriven") < (double)SLIP_TOL(cases[i].left, cases[i].left_float),
                            cases[i].scene);
    }
}

/* A step of a tree takes bias forces at a mean velocity for which its constraints' share dv is guessed from the two steps
 * before; the inverse knows better. An impact is not guessed, and leaves C(v - dv/2) - C(v): small against the impact
 * itself, which is M dv/dt, by the turn |v| dt of the links that carry it, here at some rad/s for 1 ms. */
static void test_an_impact_of_a_tree_is_explained_but_for_the_guess_of_its_mean_velocity(void)
{
    TEST_ASSERT_EQUAL_INT(0, undo("models/cassie_drop.xml", "0.2", ""));
    TEST_ASSERT(largest(TABLE, "contacts") > 0);
    TEST_ASSERT(largest(TABLE, "undriven") < (double)SLIP_TOL(1e-3, 1e-2)*largest(TABLE, "undriven_before"));
}

/* The numbers of a column into x; returns how many. */
static int read_column(const char *path, const char *column, double *x, int most)
{
    const char *at = contents(path), *end;
    int index = 0, n = 0;

    for (; strncmp(at, column, strlen(column)) != 0; ++index) at = strchr(at, ',') + 1;
    for (at = strchr(at, '\n') + 1; *at && n < most; at = strchr(at, '\n') + 1) {
        end = at;
        for (int i = 0; i < index; ++i) end = strchr(end, ',') + 1;
        x[n++] = atof(end);
    }
    return n;
}

/* Only the crank is driven: the loop's forces are then known, and the crank's torque is that of its drive. The largest
 * difference after `from` rows. */
static double crank_is_driven(const char *scene, const char *dt, int from)
{
    enum { MOST = 1000 };
    static double v[MOST], tau[MOST];
    char command[512];
    double most = 0;
    int n;

    slip_format(command, (int)sizeof command, "%s sim %s --dt %s --tol %s --time 0.3 --csv %s >%s 2>%s", SLIP_TEST_BIN,
                scene, dt, sizeof(slip_real) == 8 ? "1e-10" : "1e-5", MOTION, OUT, ERR);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(command), scene);
    slip_format(command, (int)sizeof command, "%s --motion %s --csv %s --passive crank_pin,rocker", scene, MOTION, TABLE);
    TEST_ASSERT_EQUAL_INT(0, run(command, OUT));
    TEST_ASSERT(largest(TABLE, "undriven") < (double)SLIP_TOL(1e-6, 1e-1));
    n = read_column(TABLE, "tau_crank", tau, MOST);
    TEST_ASSERT_EQUAL_INT(n + 1, read_column(MOTION, "v_crank", v, MOST));
    for (int k = from; k < n; ++k) {
        const double miss = 2*(6.2831853 - v[k + 1]) - tau[k];

        if (miss > most) most = miss;
        if (-miss > most) most = -miss;
    }
    return most;
}

/* To rounding with Euler. Otherwise the loop's share in the mean velocity is that of the step before: dt^2 off in a smooth
 * motion, and so is the torque. The first 20 ms are left out, in which a linkage at rest is told to turn. */
static void test_passive_joints_of_a_closed_loop_leave_the_drives_torque(void)
{
    double one, half;

    with_euler("four_bar.xml");
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-1), 0, crank_is_driven(EULER, "0.001", 0));
    one = crank_is_driven("models/four_bar.xml", "0.001", 20);
    half = crank_is_driven("models/four_bar.xml", "0.0005", 40);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-1), 0, one);
    if (sizeof(slip_real) == 8) TEST_ASSERT_DOUBLE_WITHIN(0.1*one, one/4, half);
    TEST_ASSERT_EQUAL_INT(1, run("models/four_bar.xml --passive crank_pin,nobody --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "no joint is called 'nobody'"));
}

/* A body set in motion at 0.05 s, and one let go at 0.03 s. */
static void test_velocities_and_releases_of_a_scene_are_no_riddle(void)
{
    write_file(SCENE, "<scene name='e'><simulation dt='0.001' duration='0.1'/><ground/>"
                      "<body name='ball' mass='2'><origin xyz='0 0 5'/><geometry><sphere "
                      "radius='0.1'/></geometry></body>"
                      "<body name='lamp' mass='1'><origin xyz='2 0 5'/><geometry><sphere "
                      "radius='0.1'/></geometry></body>"
                      "<loop name='wire' kind='ball' a='lamp' b='world'/>"
                      "<events><set_velocity link='ball' time='0.05' linear='1 2 3' angular='0 0 4'/>"
                      "<release loop='wire' time='0.03'/></events></scene>");
    TEST_ASSERT_EQUAL_INT(0, undo(SCENE, "0.1", ""));
    TEST_ASSERT(largest(TABLE, "undriven_before") > 9);      /* while the lamp hangs */
    TEST_ASSERT(largest(TABLE, "undriven") < (double)SLIP_TOL(1e-6, 0.5));
}

static void test_what_sim_writes_can_be_read_and_its_torques_are_found_again(void)
{
    char command[1024];

    slip_format(command, (int)sizeof command, "%s sim models/bench/quad_stand.xml --time 0.2 --csv %s >%s 2>%s",
                SLIP_TEST_BIN,
                MOTION, OUT, ERR);
    TEST_ASSERT_EQUAL_INT(0, system(command));
    TEST_ASSERT_EQUAL_INT(0, run("models/bench/quad_stand.xml --motion " MOTION " --csv " TABLE, OUT));
    TEST_ASSERT(largest(TABLE, "undriven") < (double)SLIP_TOL(1e-3, 20));
}

/* The motion that is there, higher. */
static void lift(double height)
{
    const char *at = contents(MOTION);
    FILE *f = fopen(MOTION, "w");

    fwrite(at, 1, strcspn(at, "\n") + 1, f);
    for (at = strchr(at, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
        const char *z = strchr(strchr(strchr(at, ',') + 1, ',') + 1, ',') + 1;

        fwrite(at, 1, (size_t)(z - at), f);
        fprintf(f, "%.17g", atof(z) + height);
        fwrite(strchr(z, ','), 1, strcspn(strchr(z, ','), "\n") + 1, f);
    }
    fclose(f);
}

static void test_the_smooth_model_runs_too(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --example squat", MOTION));
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --solver id-barrier --smooth 0.01 --motion " MOTION " --csv " TABLE,
                                 OUT));
    TEST_ASSERT_EQUAL_INT(401, lines(TABLE));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "so close to the barrier")); /* feet on the ground to the last digit */
    lift(0.001);
    TEST_ASSERT_EQUAL_INT(0, run("models/squat.xml --solver id-barrier --smooth 0.1 --motion " MOTION " --csv " TABLE,
                                 OUT));
    TEST_ASSERT_EQUAL_INT(0, (int)strlen(contents(ERR)));
    TEST_ASSERT(largest(TABLE, "lf_foot.fz") > 5 && largest(TABLE, "lf_foot.fz") < 100);
}

static void test_complaints_name_file_line_and_what_is_wrong(void)
{
    write_motion("time,q_a\n0,1\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/squat.xml --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), ":1: the header has no column 'q_root_joint.x'"));
    write_motion("0,0,0.1\n0,0,oops\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), ":2:5: 'oops' is not a number"));
    write_motion("0,0,0.1\n0.1,0\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "2 columns, expected 3"));
    write_motion("0,0,0.1\n0.1,0,0.1\n0.5,0,0.1\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "resample"));
    write_motion("0,0,0.1\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    write_motion("");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_EQUAL_INT(2, run("models/squat.xml", OUT));
    TEST_ASSERT_EQUAL_INT(2, run("models/squat.xml --motion x --solver foo", OUT));
    TEST_ASSERT_EQUAL_INT(2, run("--frobnicate", OUT));
    TEST_ASSERT_EQUAL_INT(1, run("models/squat.xml --motion no-such-file.csv", OUT));
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --example squat", OUT));
    TEST_ASSERT_EQUAL_INT(2, run("models/squat.xml --example jump", OUT));
    TEST_ASSERT_EQUAL_INT(2, run("models/squat.xml --example squat --motion " MOTION, OUT));
    TEST_ASSERT_EQUAL_INT(2, run("models/squat.xml --solver id-barrier --smooth 0 --motion " MOTION, OUT));
}

/* The elbow is continuous and turns evenly past pi, as an encoder tells it: the torques are those of the even
 * motion. */
static void test_an_angle_that_jumps_by_a_whole_turn_goes_on(void)
{
    double even;

    write_motion("time,q_shoulder,q_elbow\n0,0,3.0\n0.1,0,3.1\n0.2,0,3.2\n0.3,0,3.3\n");
    TEST_ASSERT_EQUAL_INT(0, run("models/double_pendulum.urdf --fixed --motion " MOTION, TABLE));
    even = largest(TABLE, "tau_elbow");
    write_motion("time,q_shoulder,q_elbow\n0,0,3.0\n0.1,0,3.1\n0.2,0,-3.083185307179586\n0.3,0,-2.983185307179586\n");
    TEST_ASSERT_EQUAL_INT(0, run("models/double_pendulum.urdf --fixed --motion " MOTION, TABLE));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-8, 1e-3), even, largest(TABLE, "tau_elbow"));
}

/* Files that can be read but cannot be meant. */
static void test_motions_that_cannot_be_meant_are_refused(void)
{
    write_motion("time,q_shoulder,q_elbow\n0,0,0.1\n0,0,0.1\n0,0,0.1\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "does not advance"));
    write_motion("time,q_shoulder,q_elbow\n0.2,0,0.1\n0.1,0,0.1\n0,0,0.1\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "does not advance"));
    write_motion("time,q_shoulder,q_elbow,v_shoulder\n0,0,0.1,0\n0.1,0,0.1,0\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "no column 'v_elbow'"));
    write_motion("time,q_shoulder,q_elbow\n0,0,0.1\n0.1,0,0.1\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --dt 0.2 --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "--dt 0.2, but"));
    TEST_ASSERT_EQUAL_INT(0, run("models/double_pendulum.urdf --fixed --dt 0.1 --motion " MOTION, OUT));
    write_motion("time,q_shoulder,q_elbow\n0,nan,0.1\n0.1,0,0.1\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/double_pendulum.urdf --fixed --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), ":2: a number is missing, not finite or beyond 1e+09"));
    write_motion("0,0.1\n0.1,0.1\n0.2,0.1\n");                    /* time and the elbow, but no shoulder */
    TEST_ASSERT_EQUAL_INT(0, run("models/double_pendulum.urdf --fixed --dt 0.1 --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), "looks like the time"));
    /* one joint short */
    write_motion("0,0,0,0.5,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0\n0.1,0,0,0.5,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0\n");
    TEST_ASSERT_EQUAL_INT(1, run("models/squat.xml --motion " MOTION, OUT));
    TEST_ASSERT_NOT_NULL(strstr(contents(ERR), ":1: a quaternion"));
}

static void test_help_fits_a_screen_and_ends_with_an_example(void)
{
    TEST_ASSERT_EQUAL_INT(0, run("--help", OUT));
    TEST_ASSERT(lines(OUT) <= 32);
    TEST_ASSERT_NOT_NULL(strstr(contents(OUT), "example: slipstick inverse"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_squat_is_carried_by_the_feet);
    RUN_TEST(test_without_redistribution_the_weight_stays_on_the_base);
    RUN_TEST(test_a_bare_model_stands_on_the_ground);
    RUN_TEST(test_wiping_a_wall_is_explained_by_coulomb_and_not_by_the_convex_model);
    RUN_TEST(test_what_sim_writes_can_be_read_and_its_torques_are_found_again);
    RUN_TEST(test_the_smooth_model_runs_too);
    RUN_TEST(test_complaints_name_file_line_and_what_is_wrong);
    RUN_TEST(test_an_angle_that_jumps_by_a_whole_turn_goes_on);
    RUN_TEST(test_motions_that_cannot_be_meant_are_refused);
    RUN_TEST(test_simulated_scenes_are_explained_with_their_pushes_and_loops);
    RUN_TEST(test_an_impact_of_a_tree_is_explained_but_for_the_guess_of_its_mean_velocity);
    RUN_TEST(test_passive_joints_of_a_closed_loop_leave_the_drives_torque);
    RUN_TEST(test_velocities_and_releases_of_a_scene_are_no_riddle);
    RUN_TEST(test_help_fits_a_screen_and_ends_with_an_example);
    return UNITY_END();
}
