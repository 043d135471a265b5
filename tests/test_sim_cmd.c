/* `slipstick sim` from end to end: results, formats, options, exit codes, and the trot. */
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "slipstick_parts.h"

#define CSV SLIP_TEST_BIN ".test_sim.csv"
#define PACKAGES SLIP_TEST_BIN ".test_packages"

static command_result result;
static const char *const out = result.out, *const complaints = result.err;
static char csv[1 << 20];

void setUp(void) { }
void tearDown(void) { remove(CSV); }

/* Runs `slipstick sim ARGUMENTS` and returns its exit code. */
static int sim(const char *arguments)
{
    char line[1000];

    slip_format(line, (int)sizeof line, "sim %s", arguments);
    command_run(line, NULL, &result);
    return result.code;
}

/* The number behind a key of the JSON in `out`; the k-th of a list. */
static double json(const char *key, int k)
{
    char quoted[80];
    const char *at;
    double x = 0;

    slip_format(quoted, (int)sizeof quoted, "\"%s\": ", key);
    at = strstr(out, quoted);
    TEST_ASSERT_MESSAGE(at != NULL, key);
    at += strlen(quoted);
    if (*at == '[') ++at;
    for (; k > 0; --k) {
        at = strchr(at, ',');
        TEST_ASSERT_MESSAGE(at != NULL, key);
        at += 2;
    }
    TEST_ASSERT_MESSAGE(slip_read_double(at, (int)strlen(at), &x) > 0, key);
    return x;
}

static void must_run(const char *arguments)
{
    TEST_ASSERT_MESSAGE(sim(arguments) == 0, complaints);
}

/* ---- results ------------------------------------------------------------------------------------ */

static void test_json_has_the_promised_keys_and_the_slide_stops_where_theory_says(void)
{
    static const char *const keys[] = { "steps", "cpu_us_per_step", "contacts_mean", "penetration_max",
                                        "penetration_last_quarter",
        "ncp_residual_max", "ncp_residual_median", "energy_start", "energy_end", "final_q", "final_v", "dt", "tol",
        "seed",
        "cpu_us_per_step_median", "repeat", "real_time_factor", "iterations_mean", "iterations_max" };
    int i;

    must_run("models/bench/slide.xml --json");
    for (i = 0; i < (int)(sizeof keys/sizeof *keys); ++i) json(keys[i], 0);
    TEST_ASSERT_EQUAL_INT(1500, (int)json("steps", 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4, json("contacts_mean", 0));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(2e-6, 5e-3), 9/(2*0.3*9.81), json("final_q", 1));      /* v^2/(2 mu g) */
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 4.5 + 0.981, json("energy_start", 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.981, json("energy_end", 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, -4.5, json("work_contacts", 0));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-3), 0, json("energy_unexplained", 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, json("momentum_start", 1));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, json("momentum_end", 1));
    TEST_ASSERT(json("cpu_us_per_step", 0) > 0);
    TEST_ASSERT(json("cpu_us_per_step", 0) <= json("cpu_us_per_step_median", 0));
}

static void test_the_summary_tells_speed_contacts_residual_and_energy(void)
{
    static const char *const words[] = { "steps of 1 ms", "us a step", "times real time", "contacts", "penetration",
                                         "iterations",
                                         "NCP residual", "energy", "where time goes", "solve" };
    int i;

    must_run("models/cube_slide.xml --time 0.2");
    for (i = 0; i < (int)(sizeof words/sizeof *words); ++i) TEST_ASSERT_MESSAGE(strstr(out, words[i]) != NULL,
                                                                                words[i]);
    TEST_ASSERT_EQUAL_STRING("", complaints);
}

static void test_csv_has_a_row_for_each_step_and_a_value_for_each_name(void)
{
    const char *line;
    int names = 1, rows = 0, commas = 0, i;

    must_run("models/cube_slide.xml --time 0.05 --csv " CSV);
    command_read(CSV, csv, sizeof csv);
    TEST_ASSERT(strncmp(csv, "time,q_cube.x,q_cube.y,", 23) == 0);
    TEST_ASSERT(strstr(csv, "v_cube.wz,cube.fx,cube.fy,cube.fz,kinetic,potential,") != NULL);
    TEST_ASSERT(strstr(csv, ",contacts,penetration,residual,iterations\n") != NULL);
    for (i = 0; csv[i] != '\n'; ++i) names += csv[i] == ',';
    for (line = csv + i + 1; *line; ++rows) {
        for (commas = 0; *line != '\n'; ++line) commas += *line == ',';
        TEST_ASSERT_EQUAL_INT(names, commas + 1);
        ++line;
    }
    TEST_ASSERT_EQUAL_INT(50, rows);
}

static void test_contact_forces_in_the_csv_carry_the_weight(void)
{
    const char *row;
    double x = 0;
    int k;

    must_run("models/cube_slide.xml --time 0.02 --csv - --tol 1e-9");
    row = strrchr(out, '\n');                                  /* the end; then to the last row */
    while (row > out && row[-1] != '\n') --row;
    for (k = 0; k < 1 + 7 + 6 + 2; ++k) row = strchr(row, ',') + 1;
    TEST_ASSERT(slip_read_double(row, (int)strcspn(row, ","), &x) > 0);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-4, 2e-2), 9.81, x);
}

static void test_a_document_on_standard_output_stands_alone(void)
{
    size_t n;

    must_run("models/quad_trot.xml --time 0.01 --trot 0.3 --csv -");
    TEST_ASSERT(strncmp(out, "time,", 5) == 0 && strstr(out, "trot") == NULL);
    must_run("models/cube_slide.xml --time 0.01 --html - >" CSV);
    n = command_read(CSV, csv, sizeof csv);
    TEST_ASSERT(n >= 8 && strcmp(csv + n - 8, "</html>\n") == 0);
}

static void test_no_penetration_is_minus_zero(void)
{
    const char *end;
    int rows = 0, k;

    must_run("models/cube_slide.xml --time 0.05 --csv -");    /* ends with contacts,penetration,residual,iterations */
    for (end = strchr(out, '\n'); (end = strchr(end + 1, '\n')) != NULL; ++rows) {
        const char *at = end;

        for (k = 0; k < 3; ++k) do --at; while (*at != ',');
        TEST_ASSERT(at[1] != '-');
    }
    TEST_ASSERT_EQUAL_INT(50, rows);
}

/* A sphere a centimetre in the ground. */
#define SUNK "<scene><ground/><body name='b' mass='1'><origin xyz='0 0 0.09'/><geometry><sphere radius='0.1'/>" \
             "</geometry></body>%s</scene>"

static void test_the_last_quarter_of_one_step_is_that_step_and_of_a_run_cut_short_nothing(void)
{
    char scene[400];

    slip_format(scene, (int)sizeof scene, SUNK, "");
    command_run("sim - --time 0.001 --json --quiet", scene, &result);
    TEST_ASSERT(json("penetration_max", 0) > 9e-3);
    TEST_ASSERT_DOUBLE_WITHIN(0, json("penetration_max", 0), json("penetration_last_quarter", 0));
    slip_format(scene, (int)sizeof scene, SUNK, "<events><push link='b' from='0.5' force='1e30 0 0'/></events>");
    command_run("sim - --time 1 --json --quiet", scene, &result);
    TEST_ASSERT_EQUAL_INT(1, result.code);
    TEST_ASSERT(strstr(out, "\"penetration_last_quarter\": null") != NULL);
    command_run("sim - --time 1 --quiet", scene, &result);
    TEST_ASSERT(strstr(out, "ENDED EARLY") != NULL && strstr(out, " at most\n  iterations") != NULL);
}

static void test_repeats_end_in_the_same_state(void)
{
    must_run("models/bench/quad_drop.xml --time 0.7 --repeat 3 --json");
    TEST_ASSERT(strstr(out, "\"repeats_identical\": true") != NULL);
    TEST_ASSERT_EQUAL_INT(3, (int)json("repeat", 0));
}

static void test_options_change_the_scene(void)
{
    must_run("models/cube_slide.xml --dt 0.01 --time=0.5 --solver ncp-admm --tol 1e-4 --json");
    TEST_ASSERT_EQUAL_INT(50, (int)json("steps", 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1e-4, json("tol", 0));
    TEST_ASSERT(strstr(out, "\"solver\": \"ncp-admm\"") != NULL);
    must_run("models/cube_slide.xml --time 0.01 --like mujoco --json");
    TEST_ASSERT_NOT_NULL(strstr(out, "\"contact\": {\"law\": \"reference\", \"overlap\": true, "
                                     "\"time_constant\": 0.02"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"integrator\": \"euler\""));
    TEST_ASSERT_NULL_MESSAGE(strstr(out, "\"erp\""), "the law does not read it");
    TEST_ASSERT_NULL(strstr(out, "\"max_push\""));
    must_run("models/humanoid_push.xml --time 0.001 --like mujoco --json");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out, "\"erp\": 0.5, \"max_push\": null"), "its joints' limits do");
    must_run("models/bench/humanoid_up.xml --time 0.001 --like mujoco --json");
    TEST_ASSERT_NULL_MESSAGE(strstr(out, "\"erp\""), "hinges without limits do not");
    must_run("models/cube_slide.xml --time 0.1 --like bullet --json");
    TEST_ASSERT_NOT_NULL(strstr(out, "\"erp\": 0.2, \"max_push\": null"));
    TEST_ASSERT(strstr(out, "\"solver\": \"ncp-pgs\"") != NULL);
}

static void test_seeds_change_what_is_random_and_nothing_else(void)
{
    double a, b;

    must_run("models/pile.xml --time 0.002 --json");
    a = json("final_q", 0);
    must_run("models/pile.xml --time 0.002 --json --seed 0");
    TEST_ASSERT_EQUAL_DOUBLE(a, json("final_q", 0));
    must_run("models/pile.xml --time 0.002 --json --seed 1");
    b = json("final_q", 0);
    TEST_ASSERT(fabs(a - b) > 1e-6);
}

static void test_a_scene_may_come_from_standard_input(void)
{
    must_run("- --time 0.01 --json <models/cube_slide.xml");
    TEST_ASSERT_EQUAL_INT(10, (int)json("steps", 0));
}

/* ---- mistakes ----------------------------------------------------------------------------------- */

static void test_wrong_usage_ends_with_2(void)
{
    TEST_ASSERT_EQUAL_INT(2, sim(""));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --frobnicate"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --dt zero"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --dt 0"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml models/stack.xml"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --trot fast"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --solver ncp-pgs --like ode"));
    TEST_ASSERT(strstr(complaints, "exclude each other") != NULL);
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --json --csv -"));
    TEST_ASSERT(strstr(complaints, "--json needs standard output for itself") != NULL);
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --json --html -"));
    TEST_ASSERT(strstr(complaints, "--json needs standard output for itself; give --html a file") != NULL);
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --csv - --html -"));
    TEST_ASSERT(strstr(complaints, "--csv needs standard output for itself; give --html a file") != NULL);
    TEST_ASSERT_EQUAL_STRING("", out);
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --log -"));
    TEST_ASSERT_EQUAL_INT(0, sim("--help"));
    TEST_ASSERT(strstr(out, "--solver ID") != NULL && strstr(out, "--rho-rule") != NULL);
}

/* A gram under a ton: solved in double, and without a word; missed in float, which is told before and after. */
static void test_masses_beyond_single_precision_are_told_beside_the_steps_they_miss(void)
{
    const int floats = sizeof(slip_real) < sizeof(double);

    must_run("models/stack_two.xml --time 0.05");
    TEST_ASSERT_EQUAL_INT(floats, strstr(complaints, "in single precision") != NULL);
    TEST_ASSERT_EQUAL_INT(floats, strstr(out, "tolerance: single precision, with masses of 1 : 1e+06") != NULL);
    TEST_ASSERT_EQUAL_INT(floats, sim("models/stack_two.xml --time 0.05 --strict"));
    must_run("models/bench/slide.xml --time 0.05");
    TEST_ASSERT_EQUAL_STRING("", complaints);
}

/* Any command, which has to end with 0 and must not miss a mesh. */
static void must_find_meshes(const char *arguments)
{
    command_run(arguments, NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
    TEST_ASSERT_MESSAGE(strstr(complaints, "mesh") == NULL, complaints);
}

static void test_meshes_of_packages_are_found_by_their_paths(void)
{
    const char *scene = PACKAGES "/scene.xml";
    char line[1000];

    TEST_ASSERT_EQUAL_INT(0, system("mkdir -p '" PACKAGES "/lib/dice/meshes'"));
    command_write(PACKAGES "/lib/dice/meshes/die.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n"
                  "f 1 4 3\nf 2 3 4\n");
    command_write(PACKAGES "/die.urdf", "<robot name='die'><link name='die'><inertial><mass value='1'/><inertia "
                  "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><mesh "
                  "filename='package://dice/meshes/die.obj'/></geometry></collision></link></robot>");
    command_write(scene, "<scene><simulation duration='0.01'/><ground/><robot file='die.urdf'/></scene>");
    slip_format(line, (int)sizeof line, "%s --json", scene);
    must_run(line);
    TEST_ASSERT_MESSAGE(strstr(complaints, "as a package path") != NULL, complaints);
    TEST_ASSERT_EQUAL_INT(0, (int)json("contacts_max", 0));
    slip_format(line, (int)sizeof line, "sim %s --json --log %s --package-path /nowhere --package-path %s", scene, CSV,
                PACKAGES "/lib");
    must_find_meshes(line);
    TEST_ASSERT_EQUAL_INT(3, (int)json("contacts_max", 0));
    must_find_meshes("replay " CSV);
    must_find_meshes("replay " CSV " --package-path " PACKAGES "/lib");
    slip_format(line, (int)sizeof line, "compare %s --solvers ncp-pgs --package-path %s", scene, PACKAGES "/lib");
    must_find_meshes(line);
    slip_format(line, (int)sizeof line, "bench sim %s --package-path %s --repeat 1", scene, PACKAGES "/lib");
    must_find_meshes(line);
    slip_format(line, (int)sizeof line, "sim %s --csv %s --package-path=%s", scene, CSV, PACKAGES "/lib");
    must_find_meshes(line);
    slip_format(line, (int)sizeof line, "inverse %s --motion %s --package-path %s", scene, CSV, PACKAGES "/lib");
    must_find_meshes(line);
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --package-path"));
    TEST_ASSERT_EQUAL_INT(0, system("rm -r '" PACKAGES "'"));
}

/* A robot's file in the middle of the packages that it names, as it is when a collection was cloned. */
static void test_packages_around_a_robots_file_need_no_path(void)
{
    TEST_ASSERT_EQUAL_INT(0, system("mkdir -p '" PACKAGES "/dice/meshes' '" PACKAGES "/dice/urdf/one'"));
    command_write(PACKAGES "/dice/meshes/die.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n"
                  "f 1 4 3\nf 2 3 4\n");
    command_write(PACKAGES "/dice/urdf/one/die.urdf", "<robot name='die'><link name='die'><inertial><mass value='1'/>"
                  "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
                  "<collision><geometry><mesh filename='package://dice/meshes/die.obj'/></geometry></collision>"
                  "<collision><geometry><mesh filename='package://other/meshes/die.obj'/></geometry></collision>"
                  "<collision><geometry><mesh filename='meshes/die.obj'/></geometry></collision></link></robot>");
    must_find_meshes("sim " PACKAGES "/dice/urdf/one/die.urdf --json --time 0.01");
    command_write(PACKAGES "/dice/urdf/one/die.urdf", "<robot name='die'><link name='die'><inertial><mass value='1'/>"
                  "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>\n\n"
                  "<collision><geometry><mesh filename='package://dice/meshes/none.obj'/></geometry></collision></link>"
                  "</robot>");
    must_run(PACKAGES "/dice/urdf/one/die.urdf --json --time 0.01");
    TEST_ASSERT_MESSAGE(strstr(complaints, "die.urdf:3:1: link 'die': mesh") != NULL, complaints);   /* its own line */
    TEST_ASSERT_EQUAL_INT(0, system("rm -r '" PACKAGES "'"));
}

/* The scene around a robot's file is nobody's: messages speak of that file. */
static void test_messages_of_a_robot_have_its_own_lines(void)
{
    const char *file = PACKAGES ".urdf";
    char line[1000];

    command_write(file, "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
                  "</inertial></link>\n<link name='b'/>\n<joint name='j' type='continuous'><parent link='a'/>"
                  "<child link='b'/></joint></robot>");
    slip_format(line, (int)sizeof line, "%s --json --time 0.01", file);
    must_run(line);
    TEST_ASSERT_MESSAGE(strstr(complaints, ".urdf:3:1: joint 'j' moves nothing") != NULL, complaints);
    TEST_ASSERT_MESSAGE(strstr(complaints, "on the ground") == NULL, complaints);
    command_write(file, "<robot name='r'/>");
    TEST_ASSERT_EQUAL_INT(1, sim(line));
    TEST_ASSERT_MESSAGE(strstr(complaints, ".urdf: the robot has no links") != NULL, complaints);
    remove(file);
}

/* One object per scene, options before and behind; the slide is the same slide from each of its starts. */
static void test_bench_sim_measures_what_sim_runs(void)
{
    command_run("bench sim --json models/bench/slide.xml models/gears.xml --repeat 1 --starts 2", NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
    TEST_ASSERT(strstr(out, "\"scene\": \"gears\"") != NULL);
    TEST_ASSERT_EQUAL_INT(1500, (int)json("steps", 0));
    TEST_ASSERT_EQUAL_INT(2, (int)json("starts", 0));
    TEST_ASSERT_EQUAL_INT(0, (int)json("steps_missed", 0));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4, json("contacts_mean", 0));
    TEST_ASSERT(json("us_best", 0) > 0 && json("us_best", 0) <= json("us_mean", 0));
    TEST_ASSERT(json("us_mean", 0) <= json("us_median", 0)*1.001);        /* of two, the later one */
    TEST_ASSERT(json("worst_over_mean", 0) >= 1);
    command_run("bench sim models/none.xml", NULL, &result);
    TEST_ASSERT_EQUAL_INT(1, result.code);
    TEST_ASSERT(strstr(complaints, "none.xml") != NULL);
    command_run("bench sim --starts 0", NULL, &result);
    TEST_ASSERT_EQUAL_INT(2, result.code);
}

#define DUMP SLIP_TEST_BIN ".test_dump.d"

/* The same option in the scene and on the command line does the same; the command line wins. */
static void test_options_of_solvers_are_those_of_scenes_and_override_them(void)
{
    static const char scene[] = "<scene><simulation duration='0.05'/><solver id='ncp-pgs' step='min' "
        "max_iterations='7' warm_start='false'/><ground/><body name='b' velocity='1 2 0'><origin xyz='0 0 0.1'/>"
        "<geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>";
    const char *path = command_file(0, scene);
    char line[600];

    slip_format(line, (int)sizeof line, "%s --json", path);
    must_run(line);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out, "\"step\": \"min\""), out);
    TEST_ASSERT_NOT_NULL(strstr(out, "\"max_iterations\": 7"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"warm_start\": false"));
    slip_format(line, (int)sizeof line, "%s --json --step max --max-iter 9 --abs-tol 1e-5", path);
    must_run(line);
    TEST_ASSERT_NOT_NULL(strstr(out, "\"step\": \"max\""));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"max_iterations\": 9"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"tol_rule\": \"absolute\""));
    slip_format(line, (int)sizeof line, "%s --json --like raisim", path);
    must_run(line);
    TEST_ASSERT_NOT_NULL(strstr(out, "\"solver\": \"raisim-bisection\""));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"max_iterations\": 150"));
    remove(path);
}

/* The barrier of a scene is not the option's default, nothing is reused without a warm start or by the barrier model,
 * and contacts that are no rigid ones are not corrected: what is printed is what runs. */
static void test_json_says_what_is_in_effect(void)
{
    must_run("models/cube_slide.xml --time 0.01 --solver ccp-barrier --json");
    TEST_ASSERT_NULL_MESSAGE(strstr(out, "\"barrier\": 0.1"), out);
    TEST_ASSERT_NOT_NULL(strstr(out, "\"reuse\": 0, "));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"correct\": false"));
    must_run("models/cube_slide.xml --time 0.01 --solver ccp-barrier --barrier 0.1 --json");
    TEST_ASSERT_NOT_NULL(strstr(out, "\"barrier\": 0.1"));
    must_run("models/cube_slide.xml --time 0.01 --solver ncp-pgs --cold --json");
    TEST_ASSERT_NOT_NULL(strstr(out, "\"reuse\": 0, "));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"warm_share\": 0"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"patience\": null"));       /* the solver's own */
    TEST_ASSERT_NOT_NULL(strstr(out, "\"correct\": true"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"solver_calls_mean\": 1,"));
}

static void test_options_without_effect_are_warned_of_and_wrong_ones_end_with_2(void)
{
    must_run("models/cube_slide.xml --time 0.01 --solver ncp-pgs --rho-rule linear");
    TEST_ASSERT_NOT_NULL(strstr(complaints, "option rho_rule has no effect on 'ncp-pgs'"));
    must_run("models/cube_slide.xml --time 0.01 --solver ncp-pgs --rho-rule linear --quiet");
    TEST_ASSERT_EQUAL_STRING("", complaints);
    TEST_ASSERT_EQUAL_INT(1, sim("models/cube_slide.xml --time 0.01 --solver ncp-pgs --rho 1 --strict"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --step giant"));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "--step: 'giant', expected one of: block max min"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --step contact"));
    TEST_ASSERT_NOT_NULL(strstr(complaints, "ncp-gs"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --solver lcp-pgs --facets 8"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --solver ncp-pgs --like ode"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --max-iter x"));
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --barrier 1,2,3,4"));
    command_run("compare models/cube_slide.xml --solvers lcp-pgs,magic", NULL, &result);
    TEST_ASSERT_EQUAL_INT(2, result.code);
    command_run("bench sim models/cube_slide.xml --solver magic", NULL, &result);
    TEST_ASSERT_EQUAL_INT(2, result.code);
}

/* A value that a solver refuses is an error of usage, said once, before anything runs: alike in sim, compare, solve. */
static void test_an_option_that_the_solver_refuses_is_an_error_of_usage_in_every_command(void)
{
    static const char *const lines[] = {
        "sim models/bench/slide.xml --time 0.01 --solver lcp-pgs --facets 8",
        "compare models/bench/slide.xml --time 0.01 --solvers lcp-lemke,lcp-pgs --facets 8",
        "compare models/bench/slide.xml --time 0.01 --facets 8",
        "solve models/problems/cube_slide.txt --solver lcp-pgs --facets 8",
    };
    size_t i;

    for (i = 0; i < sizeof lines/sizeof *lines; ++i) {
        command_run(lines[i], NULL, &result);
        TEST_ASSERT_EQUAL_INT_MESSAGE(2, result.code, lines[i]);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("", result.out, lines[i]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.err, "8 facets, but the pyramid of 'lcp-pgs' has four"), result.err);
        TEST_ASSERT_NULL_MESSAGE(strstr(result.err, "warning"), result.err);
    }
}

static void test_compare_takes_engines_a_trot_and_options_and_says_its_terms(void)
{
    command_run("compare models/bench/slide.xml --time 0.05 --solvers ncp-pgs --like bullet --like ode --step min",
                NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "equal terms: one solve for each problem of a step"));
    TEST_ASSERT_NOT_NULL(strstr(out, "--like: that engine's own contact law"));
    TEST_ASSERT_NOT_NULL(strstr(out, "bullet (ncp-pgs)"));
    TEST_ASSERT_NOT_NULL(strstr(out, "ode (lcp-pgs)"));
    command_run("compare models/quad_trot.xml --trot 0.3 --time 0.02 --solvers ncp-admm --json --cold", NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
    TEST_ASSERT_NOT_NULL(strstr(out, "\"equal_terms\": true"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"warm_start\": false"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"reuse\": 0, \"soften\": false"));
    TEST_ASSERT_NOT_NULL(strstr(out, "\"rho_rule\": \"spectral\""));
    command_run("compare models/bench/slide.xml --trot 0.3 --time 0.02", NULL, &result);
    TEST_ASSERT_EQUAL_INT(1, result.code);
}

enum { DUMP_ROWS = 64 };

/* At rest the contacts stay the same, so that what a solve starts from in step 21 is what it found in step 20. `solve`
 * repeats that solve from its two files, bit for bit, also by a solver that needs the dual variables and rho. */
static void test_solve_repeats_the_solves_of_a_step_from_their_files(void)
{
    static const char *const solvers[] = { "ncp-pgs", "ncp-admm", "ncp-wadmm", "ccp-scs", "default" };
    static slip_real found[DUMP_ROWS], next[2*DUMP_ROWS + 1];
    char line[400], text[8000];
    size_t i;

    for (i = 0; i < sizeof solvers/sizeof *solvers; ++i) {
        int n;

        TEST_ASSERT_EQUAL_INT(0, system("rm -rf " DUMP));
        slip_format(line, (int)sizeof line, "models/bench/quad_stand.xml --time 0.022 --equal-terms --quiet "
                    "--solver %s --dump-problems " DUMP, solvers[i]);
        must_run(line);
        slip_format(line, (int)sizeof line, "solve " DUMP "/step000020.txt --warm " DUMP "/step000020.warm --solver %s "
                    "--tol-rule both --max-iter 1000 --lambda " CSV, solvers[i]);
        command_run(line, NULL, &result);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
        command_read(CSV, text, sizeof text);
        n = slip_read_reals(text, (int)strlen(text), found, DUMP_ROWS, NULL);
        TEST_ASSERT_EQUAL_INT(12, n);
        command_read(DUMP "/step000021.warm", text, sizeof text);
        TEST_ASSERT_EQUAL_INT(2*n + 1,
                              slip_read_reals(text, (int)strlen(text), next, 2*DUMP_ROWS + 1, NULL));
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(found, next, (size_t)n*sizeof *found, solvers[i]);
    }
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf " DUMP));
}

/* The problem of step 20 is solved at once from its warm start. */
static void test_problems_are_dumped_with_their_warm_starts_and_solve_reads_them(void)
{
    char text[4000];

    TEST_ASSERT_EQUAL_INT(0, system("rm -rf " DUMP));
    must_run("models/solo12_push.xml --time 0.05 --dump-problems " DUMP " --dump-every 20");
    TEST_ASSERT_NOT_NULL(strstr(complaints, "problems in " DUMP));
    TEST_ASSERT(command_read(DUMP "/step000020.txt", text, sizeof text) > 0);
    TEST_ASSERT_NOT_NULL(strstr(text, "name solo12_push, step 20\n"));
    TEST_ASSERT(command_read(DUMP "/step000020.warm", text, sizeof text) > 0);
    TEST_ASSERT_EQUAL_INT(0, (int)command_read(DUMP "/step000021.txt", text, sizeof text));
    command_run("solve " DUMP "/step000020.txt --warm " DUMP "/step000020.warm --solver ncp-newton --json", NULL,
                &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
    TEST_ASSERT(json("iterations", 0) <= 6);
    must_run("models/solo12_push.xml --time 0.01 --cold --quiet --dump-problems " DUMP "/cold");
    TEST_ASSERT(command_read(DUMP "/cold/step000005.txt", text, sizeof text) > 0);
    TEST_ASSERT_EQUAL_INT(0, (int)command_read(DUMP "/cold/step000005.warm", text, sizeof text));
    TEST_ASSERT_EQUAL_INT(1, sim("models/cube_slide.xml --dump-problems /nowhere/at/all"));
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf " DUMP));
}

/* A log keeps the solver's options. */
static void test_a_log_with_options_of_the_solver_replays(void)
{
    must_run("models/cube_slide.xml --time 0.05 --solver ncp-admm --rho-rule linear --rho 3 --cold --log " CSV);
    command_run("replay " CSV, NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
    command_read(CSV, csv, sizeof csv);
    TEST_ASSERT_NOT_NULL(strstr(csv, "set option rho_rule linear"));
    TEST_ASSERT_NOT_NULL(strstr(csv, "set cold 1"));
}

/* A robot's file is put on the ground: base, height and drives are said, and a log of it replays. */
static void test_a_robot_without_a_scene_stands(void)
{
    must_run("models/solo12.urdf --time 0.3 --json --log " CSV);
    command_run("replay " CSV, NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
    must_run("models/solo12.urdf --time 0.3");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.out, "base free (--base fixed for the other), stands on its lowest "
                                        "point, 12 joints held"), result.out);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.out, "contacts         4 on average, 4 at most"), result.out);
    must_run("models/arm.urdf --time 0.1");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.out, "base fixed: one joint carries all of it"), result.out);
    must_run("models/arm.urdf --time 0.1 --base free --log " CSV);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.out, "base free"), result.out);
    command_run("replay " CSV, NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
}

/* A file's floor, with a bump, and its key hold: no ground is added, the body starts where the key has it. A plane that
 * only shows is no floor. A log replays. */
static void test_a_model_with_ground_of_its_own_keeps_it(void)
{
    static const char text[] = "<mujoco><worldbody>%s<body><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>"
        "</worldbody><keyframe><key qpos='0.2 0 0.25 1 0 0 0'/></keyframe></mujoco>";
    static const char *const grounds[3] = {
        "<geom type='plane' size='5 5 1' pos='0 0 -1'/><geom type='box' size='0.5 0.5 0.05' pos='0 0 0.1'/>",
        "<body><geom type='box' size='0.5 0.5 0.05' pos='0 0 0.1'/></body>",
        "<geom type='plane' size='5 5 1' contype='0' conaffinity='0'/>" };
    static const double height[3] = { 0.25, 0.25, 0.1 };
    char model[600], line[400];
    int i;

    for (i = 0; i < 3; ++i) {
        slip_format(model, (int)sizeof model, text, grounds[i]);
        slip_format(line, (int)sizeof line, "--json --time 0.2 --log %s %s", CSV, command_file(1, model));
        must_run(line);
        TEST_ASSERT_EQUAL_STRING("", complaints);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.2, json("final_q", 0));
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, height[i], json("final_q", 2));
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0, json("penetration_max", 0));
        TEST_ASSERT_DOUBLE_WITHIN(0.5, 4, json("contacts_mean", 0));
        command_run("replay " CSV, NULL, &result);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
        slip_format(line, (int)sizeof line, "--time 0.01 %s", command_file(1, model));
        must_run(line);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(out, i < 2 ? "starts where its file puts it, on the file's own ground"
                                                       : "stands on its lowest point"), out);
    }
}

/* A finger without inertia is repaired, with what is asked for or not at all. */
static void test_a_joint_that_moves_nothing_is_repaired_as_asked(void)
{
    static const char text[] = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' "
        "iyy='1' izz='1'/></inertial></link><link name='b'/><joint name='j' type='continuous'>"
        "<parent link='a'/><child link='b'/>"
        "</joint></robot>";
    FILE *f = fopen(CSV ".urdf", "w");

    TEST_ASSERT_NOT_NULL(f);
    fputs(text, f);
    fclose(f);
    must_run(CSV ".urdf --time 0.01");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(complaints, "joint 'j' moves nothing that has inertia: repaired by "
                                                    "armature=0.01"), complaints);
    must_run(CSV ".urdf --time 0.01 --repair armature=2 --log " CSV);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(complaints, "repaired by armature=2"), complaints);
    command_run("replay " CSV, NULL, &result);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result.code, complaints);
    TEST_ASSERT_EQUAL_INT(1, sim(CSV ".urdf --time 0.01 --repair none"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(complaints, "give link 'b' a mass and inertia"), complaints);
    TEST_ASSERT_EQUAL_INT(2, sim(CSV ".urdf --repair mass=1"));
    remove(CSV ".urdf");
}

static void test_what_cannot_be_run_ends_with_1_and_a_reason(void)
{
    TEST_ASSERT_EQUAL_INT(1, sim("models/none.xml"));
    TEST_ASSERT(strstr(complaints, "none.xml") != NULL);
    TEST_ASSERT_EQUAL_INT(1, sim("--base fixed models/cube_slide.xml"));
    TEST_ASSERT(strstr(complaints, "robot without a scene") != NULL);
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --solver magic"));
    TEST_ASSERT(strstr(complaints, "unknown solver 'magic'") != NULL);
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --solver ''"));
    TEST_ASSERT(strstr(complaints, "unknown solver ''") != NULL);
    TEST_ASSERT_EQUAL_STRING("", out);
    TEST_ASSERT_EQUAL_INT(2, sim("models/cube_slide.xml --like magic"));
    TEST_ASSERT(strstr(complaints, "unknown engine 'magic'") != NULL);
    TEST_ASSERT_EQUAL_INT(1, sim("models/cube_slide.xml --trot 1"));
    TEST_ASSERT(strstr(complaints, "no robot on a free base") != NULL);
    TEST_ASSERT_EQUAL_INT(1, sim("models/humanoid_fall.xml --trot 1"));
    TEST_ASSERT(strstr(complaints, "no joint 'lf_haa'") != NULL);
    TEST_ASSERT_EQUAL_INT(1, sim("models/cube_slide.xml --csv /nowhere/x.csv"));
    TEST_ASSERT_EQUAL_INT(1, sim("models/cube_slide.xml --dt 5"));
    TEST_ASSERT(strstr(complaints, "less than half a time step of 5 s") != NULL);
    TEST_ASSERT_EQUAL_INT(1, sim("models/cube_slide.xml --dt 1e-9 --time 1e6"));
    TEST_ASSERT(strstr(complaints, "expected at most 1e+08 steps") != NULL);
}

/* 1e8 steps would take an hour: whoever complains at once has not run them. */
static void test_what_cannot_be_written_is_found_before_the_run(void)
{
    static const char *const options[] = { "--svg /nowhere/plots", "--svg models/quadruped.urdf",
                                           "--html /nowhere/page.html", "--csv /nowhere/x.csv" };
    char arguments[200];
    int i;

    for (i = 0; i < 4; ++i) {
        slip_format(arguments, (int)sizeof arguments, "models/quad_trot.xml --time 1e5 %s", options[i]);
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, sim(arguments), options[i]);
        TEST_ASSERT_MESSAGE(strstr(complaints, "cannot ") != NULL, complaints);
        TEST_ASSERT_EQUAL_STRING("", out);
    }
}

/* Runs a scene given as text. */
static int sim_text(const char *text, const char *options)
{
    char arguments[500];

    slip_format(arguments, (int)sizeof arguments, "sim - %s", options);
    command_run(arguments, text, &result);
    return result.code;
}

#define BODY(attributes) "<ground/><body name=\"b\" mass=\"1\" " attributes "><origin xyz=\"0 0 0.1\"/>" \
                         "<geometry><box size=\"0.2 0.2 0.2\"/></geometry></body>"

static void test_numbers_beyond_reason_are_refused_at_load_or_by_the_step_and_no_energy_is_infinite(void)
{
    TEST_ASSERT_EQUAL_INT(1, sim_text("<scene>\n" BODY("velocity=\"1e30 0 0\"") "</scene>", ""));
    TEST_ASSERT(strstr(complaints, "(standard input):2:44: body 'b': '1e30' in attribute 'velocity'") != NULL);
    TEST_ASSERT_EQUAL_INT(1, sim_text("<scene>" BODY("") "<events><push link=\"b\" from=\"0.05\" force=\"1e30 0 0\"/>"
                                      "</events></scene>", ""));
    TEST_ASSERT(strstr(complaints, "the step would end with joint 'b' at a velocity of 1e+27") != NULL);
    TEST_ASSERT(strstr(out, "in 50 steps") != NULL && strstr(out, "ENDED EARLY") != NULL);
    TEST_ASSERT(strstr(out, "inf") == NULL && strstr(out, "nan") == NULL);
}

/* Most steps of this run are free fall, and hundreds of times shorter than those of the impact that follow: they count
 * all the same. */
static void test_time_by_phase_counts_the_long_steps_too(void)
{
    TEST_ASSERT_EQUAL_INT(0, sim_text("<scene><simulation duration=\"0.8\"/><ground/><body name=\"b\" mass=\"1\">"
                                      "<origin xyz=\"0 0 1\"/><geometry><box size=\"0.2 0.2 0.2\"/></geometry>"
                                      "<copies count=\"1 1 10\" step=\"0 0 0.25\"/></body></scene>",
                                      "--json --quiet --solver ncp-pgs --tol 1e-14"));
    TEST_ASSERT(json("solve", 0) > 0.8);
}

static void test_an_error_comes_with_the_warnings_that_explain_it(void)
{
    TEST_ASSERT_EQUAL_INT(1, sim_text("<scene>\n<include file=\"more.xml\"/></scene>", ""));
    TEST_ASSERT(strstr(complaints, ":2:1: unknown element <include>") != NULL);
    TEST_ASSERT(strstr(complaints, "no robot and no body") != NULL);
}

static void test_dropped_contacts_are_told_with_a_pair_and_fail_when_strict(void)
{
    static const char text[] = "<scene><simulation max_contacts=\"3\"/>" BODY("") "</scene>";

    TEST_ASSERT_EQUAL_INT(0, sim_text(text, "--time 0.01"));
    TEST_ASSERT(strstr(complaints, "between 'ground' and 'b': max_contacts is 3") != NULL);
    TEST_ASSERT(strstr(out, "10 dropped: no room for all contacts") != NULL);
    TEST_ASSERT_EQUAL_INT(1, sim_text(text, "--time 0.01 --strict"));
}

static void test_strict_turns_warnings_into_failures(void)
{
    static const char text[] = "'<scene><planet/><ground/><body name=\"b\" mass=\"1\"><origin xyz=\"0 0 1\"/>"
                               "<geometry><sphere radius=\"0.1\"/></geometry></body></scene>'";
    char arguments[500];

    slip_format(arguments, (int)sizeof arguments, "- --time 0.01 --strict <%s", CSV);
    {
        FILE *f = fopen(CSV, "w");

        TEST_ASSERT(f != NULL);
        fwrite(text + 1, 1, sizeof text - 3, f);
        fclose(f);
    }
    TEST_ASSERT_EQUAL_INT(1, sim(arguments));
    TEST_ASSERT_MESSAGE(strstr(complaints, "(standard input):1:8: unknown element <planet>") != NULL, complaints);
    slip_format(arguments, (int)sizeof arguments, "- --time 0.01 <%s", CSV);
    TEST_ASSERT_EQUAL_INT(0, sim(arguments));
    TEST_ASSERT(strstr(complaints, "warning: (standard input):1:8") != NULL);
    slip_format(arguments, (int)sizeof arguments, "- --time 0.01 --quiet <%s", CSV);
    TEST_ASSERT_EQUAL_INT(0, sim(arguments));
    TEST_ASSERT_EQUAL_STRING("", complaints);
}

static void test_help_fits_a_screen_and_ends_with_an_example(void)
{
    int lines = 0, i;

    must_run("--help");
    for (i = 0; out[i]; ++i) lines += out[i] == '\n';
    TEST_ASSERT(lines <= 40);
    TEST_ASSERT(strstr(out, "example: slipstick sim ") != NULL);
}

/* ---- the trot ----------------------------------------------------------------------------------- */

static double walked(const char *arguments)
{
    must_run(arguments);
    return json("final_q", 0);
}

static void test_the_quadrupeds_trot_at_about_the_speed_they_are_asked_for(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(0.25*0.5*3.8, 0.5*3.8, walked("models/quad_trot.xml --time 4 --trot 0.5 --json"));
    TEST_ASSERT_DOUBLE_WITHIN(0.25*0.3*3.8, 0.3*3.8, walked("models/solo12_trot.xml --time 4 --trot 0.3 --json"));
    TEST_ASSERT_DOUBLE_WITHIN(0.3*0.3*3.8, -0.3*3.8, walked("models/quad_trot.xml --time 4 --trot -0.3 --json"));
}

static void trots_whatever_the_seed(const char *scene)
{
    char arguments[200];
    int seed;

    for (seed = 0; seed < 3; ++seed) {
        slip_format(arguments, (int)sizeof arguments, "%s --time 4 --trot 0.4 --seed %d --json", scene, seed);
        TEST_ASSERT_DOUBLE_WITHIN(0.3*0.4*3.8, 0.4*3.8, walked(arguments));
        TEST_ASSERT_DOUBLE_WITHIN(0.12, 0.5, json("final_q", 2));
        TEST_ASSERT(fabs(json("final_q", 3)) < 0.15 && fabs(json("final_q", 4)) < 0.15);
    }
}

static void test_the_quadruped_trots_over_rough_slippery_ground_whatever_the_seed(void)
{
    trots_whatever_the_seed("models/quad_rough.xml");
}

static void test_the_quadruped_trots_over_frozen_puddles_whatever_the_seed(void)
{
    trots_whatever_the_seed("models/quad_ice.xml");
}

static void test_solo_trots_over_rough_slippery_ground(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(0.3*0.3*3.8, 0.3*3.8, walked("models/solo12_rough.xml --time 4 --trot 0.3 --json"));
    TEST_ASSERT_DOUBLE_WITHIN(0.08, 0.24, json("final_q", 2));
    TEST_ASSERT(fabs(json("final_q", 3)) < 0.15 && fabs(json("final_q", 4)) < 0.15);
}

/* 4.8 s at 0.5 rad/s are 137 degrees; no metre is walked that sliding could be told by. */
static void test_turning_on_the_spot_is_told_as_a_turn(void)
{
    const char *turn;
    double rate = 0;

    must_run("models/quad_trot.xml --trot 0,0,0.5");
    turn = strstr(out, "turn ");
    TEST_ASSERT_MESSAGE(turn != NULL && strstr(out, "rad/s (0.50)") != NULL, out);
    TEST_ASSERT(slip_read_double(turn + 5, (int)strcspn(turn + 5, " "), &rate) > 0);
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 0.5, rate);
    TEST_ASSERT_MESSAGE(strstr(out, "forward 0.00 m/s (0.00 asked for)") != NULL, out);
    TEST_ASSERT(strstr(out, "per metre") == NULL);
}

/* ---- soft ground -------------------------------------------------------------------------------- */

static void test_cubes_sink_by_weight_over_stiffness_and_the_rigid_one_not_at_all(void)
{
    const double k[] = { 1e6, 1e5, 1e4, 1e3 };                  /* N/m per corner, as in the scene */
    int i;

    must_run("models/soft_sweep.xml --json");
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-5), 0.1, json("final_q", 2));
    for (i = 0; i < 4; ++i) {
        const double depth = 9.81/(4*k[i]), eps = 1e-3*depth + (double)SLIP_TOL(1e-9, 1e-5);

        TEST_ASSERT_DOUBLE_WITHIN(eps, 0.1 - depth, json("final_q", 7*(i + 1) + 2));
    }
}

/* sqrt(t/m) of lift-off is a hundredth of g dt: 2 % of the weight with four contacts. In float gaps up to the slop of
 * 1e-6 m come and go, whose 1e-6 m/dt is a tenth of g dt at 1 ms. */
static void test_what_rests_under_the_barrier_stays_at_its_weight(void)
{
    static const char text[] = "<scene><simulation dt=\"%s\"/>" BODY("") "</scene>";
    static const char *const steps[] = { "0.001", "0.01" };
    char scene[500];
    int i;

    for (i = 0; i < 2; ++i) {
        const char *row;
        int rows = 0;

        slip_format(scene, (int)sizeof scene, text, steps[i]);
        TEST_ASSERT_EQUAL_INT(0, sim_text(scene, "--solver ccp-barrier --time 0.1 --csv -"));
        for (row = strchr(out, '\n') + 1; *row; row = strchr(row, '\n') + 1, ++rows) {
            const char *at = row;
            double fz = 0;
            int k;

            for (k = 0; k < 1 + 7 + 6 + 2; ++k) at = strchr(at, ',') + 1;
            TEST_ASSERT(slip_read_double(at, (int)strcspn(at, ","), &fz) > 0);
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(0.03, 0.12)*9.81, 9.81, fz);
        }
        TEST_ASSERT(rows >= 10);
    }
    TEST_ASSERT_EQUAL_INT(0, sim_text("<scene><solver id=\"ccp-barrier\" barrier=\"0.1\"/>" BODY("") "</scene>",
                                      "--time 0.01"));
    TEST_ASSERT_MESSAGE(strstr(out, "ccp-barrier (soft: barrier 0.1 J)") != NULL, out);
}

/* LL Fig. 13, centre: compliance along the surface, and dry friction is gone. 4 feet, 50 N s/m each. */
static void test_solo_creeps_on_tangents_that_only_damp(void)
{
    must_run("models/solo12_creep.xml --time 2.4 --json");
    TEST_ASSERT_DOUBLE_WITHIN(2e-5, 3/(4*50.0), json("final_v", 0));
}

static void test_the_pushed_humanoid_stays_on_its_feet(void)
{
    must_run("models/humanoid_push.xml --json");
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0.8785, json("final_q", 2));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_json_has_the_promised_keys_and_the_slide_stops_where_theory_says);
    RUN_TEST(test_the_summary_tells_speed_contacts_residual_and_energy);
    RUN_TEST(test_csv_has_a_row_for_each_step_and_a_value_for_each_name);
    RUN_TEST(test_contact_forces_in_the_csv_carry_the_weight);
    RUN_TEST(test_no_penetration_is_minus_zero);
    RUN_TEST(test_a_document_on_standard_output_stands_alone);
    RUN_TEST(test_the_last_quarter_of_one_step_is_that_step_and_of_a_run_cut_short_nothing);
    RUN_TEST(test_repeats_end_in_the_same_state);
    RUN_TEST(test_options_change_the_scene);
    RUN_TEST(test_seeds_change_what_is_random_and_nothing_else);
    RUN_TEST(test_a_scene_may_come_from_standard_input);
    RUN_TEST(test_wrong_usage_ends_with_2);
    RUN_TEST(test_masses_beyond_single_precision_are_told_beside_the_steps_they_miss);
    RUN_TEST(test_meshes_of_packages_are_found_by_their_paths);
    RUN_TEST(test_packages_around_a_robots_file_need_no_path);
    RUN_TEST(test_messages_of_a_robot_have_its_own_lines);
    RUN_TEST(test_options_of_solvers_are_those_of_scenes_and_override_them);
    RUN_TEST(test_json_says_what_is_in_effect);
    RUN_TEST(test_options_without_effect_are_warned_of_and_wrong_ones_end_with_2);
    RUN_TEST(test_an_option_that_the_solver_refuses_is_an_error_of_usage_in_every_command);
    RUN_TEST(test_compare_takes_engines_a_trot_and_options_and_says_its_terms);
    RUN_TEST(test_solve_repeats_the_solves_of_a_step_from_their_files);
    RUN_TEST(test_problems_are_dumped_with_their_warm_starts_and_solve_reads_them);
    RUN_TEST(test_a_log_with_options_of_the_solver_replays);
    RUN_TEST(test_what_cannot_be_run_ends_with_1_and_a_reason);
    RUN_TEST(test_what_cannot_be_written_is_found_before_the_run);
    RUN_TEST(test_numbers_beyond_reason_are_refused_at_load_or_by_the_step_and_no_energy_is_infinite);
    RUN_TEST(test_time_by_phase_counts_the_long_steps_too);
    RUN_TEST(test_an_error_comes_with_the_warnings_that_explain_it);
    RUN_TEST(test_dropped_contacts_are_told_with_a_pair_and_fail_when_strict);
    RUN_TEST(test_strict_turns_warnings_into_failures);
    RUN_TEST(test_help_fits_a_screen_and_ends_with_an_example);
    RUN_TEST(test_the_quadrupeds_trot_at_about_the_speed_they_are_asked_for);
    RUN_TEST(test_the_quadruped_trots_over_rough_slippery_ground_whatever_the_seed);
    RUN_TEST(test_the_quadruped_trots_over_frozen_puddles_whatever_the_seed);
    RUN_TEST(test_solo_trots_over_rough_slippery_ground);
    RUN_TEST(test_turning_on_the_spot_is_told_as_a_turn);
    RUN_TEST(test_cubes_sink_by_weight_over_stiffness_and_the_rigid_one_not_at_all);
    RUN_TEST(test_what_rests_under_the_barrier_stays_at_its_weight);
    RUN_TEST(test_solo_creeps_on_tangents_that_only_damp);
    RUN_TEST(test_bench_sim_measures_what_sim_runs);
    RUN_TEST(test_the_pushed_humanoid_stays_on_its_feet);
    RUN_TEST(test_a_robot_without_a_scene_stands);
    RUN_TEST(test_a_model_with_ground_of_its_own_keeps_it);
    RUN_TEST(test_a_joint_that_moves_nothing_is_repaired_as_asked);
    return UNITY_END();
}
