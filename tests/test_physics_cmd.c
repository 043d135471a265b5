/* `slipstick bench simbenchmark`, `bench iftomm` and `bench order` from end to end: numbers, formats, exit codes. */
#include "unity.h"

#include <stdio.h>
#include <string.h>
#include "command.h"
#include "slipstick_parts.h"

#define SVG SLIP_TEST_BIN ".test_physics.svg"

static command_result result;
static char svg[1 << 18];

void setUp(void) { }
void tearDown(void) { remove(SVG); }

static int bench(const char *arguments)
{
    char line[500];

    slip_format(line, (int)sizeof line, "bench %s", arguments);
    command_run(line, NULL, &result);
    return result.code;
}

static void must_run(const char *arguments)
{
    TEST_ASSERT_MESSAGE(bench(arguments) == 0, result.err);
    TEST_ASSERT_EQUAL_STRING("", result.err);
}

/* Ends with code 2 and this message. */
static void is_refused(const char *arguments, const char *message)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, bench(arguments), arguments);
    TEST_ASSERT_MESSAGE(strstr(result.err, message) != NULL, result.err);
    TEST_ASSERT_EQUAL_STRING("", result.out);
}

/* The number behind a key of the JSON, behind the first occurrence of `after`. */
static double json(const char *after, const char *key)
{
    const char *at = strstr(result.out, after);
    char quoted[60];
    double x = -1;

    slip_format(quoted, (int)sizeof quoted, "\"%s\": ", key);
    TEST_ASSERT_MESSAGE(at != NULL, after);
    at = strstr(at, quoted);
    TEST_ASSERT_MESSAGE(at != NULL, key);
    at += strlen(quoted);
    if (*at == '[') ++at;
    TEST_ASSERT_MESSAGE(slip_read_double(at, (int)strlen(at), &x) > 0, key);
    return x;
}

/* ---- simbenchmark ------------------------------------------------------------------------------------------ */

static void test_simbenchmark_runs_all_its_scenes(void)
{
    static const char *const names[] = { "rolling-y", "rolling-xy", "bouncing", "666", "elastic-666", "anymal-pd",
                                         "anymal-momentum", "anymal-energy", "kapla" };
    char quoted[40];
    size_t i;

    must_run("simbenchmark --quick --json --grid 2");
    for (i = 0; i < sizeof names/sizeof *names; ++i) {
        slip_format(quoted, (int)sizeof quoted, "\"name\": \"%s\"", names[i]);
        TEST_ASSERT(json(quoted, "steps") > 0);
        TEST_ASSERT(json(quoted, "cpu_s") >= 0);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0, 50, json("\"name\": \"kapla\"", "error"));
    TEST_ASSERT_DOUBLE_WITHIN(0, 2, json("\"name\": \"anymal-pd\"", "grid"));
    TEST_ASSERT_DOUBLE_WITHIN(0, 16, json("\"name\": \"anymal-pd\"", "contacts_mean"));
}

/* Bounds: of energy and momentum RaiSim's published errors at 1 ms; of rolling, where Bullet is better, 1e-8. */
static void test_simbenchmark_errors_of_whole_runs_are_within_their_bounds(void)
{
    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("skipped: published errors are of double precision");
    must_run("simbenchmark anymal-energy anymal-momentum rolling-xy elastic-666 --json");
    TEST_ASSERT(json("\"name\": \"anymal-energy\"", "error") <= 0.0118);
    TEST_ASSERT(json("\"name\": \"anymal-momentum\"", "error") <= 4.7e-5);
    TEST_ASSERT(json("\"name\": \"rolling-xy\"", "error") <= 1e-8);
    TEST_ASSERT(json("\"name\": \"elastic-666\"", "error") <= 1e-12);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.0118404, json("{\"engine\": \"RaiSim\"", "error"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.015, json("{\"engine\": \"RaiSim\"", "cpu_s"));
    must_run("simbenchmark 666 --dt 0.01 --json");
    TEST_ASSERT(json("\"name\": \"666\"", "error") <= 1e-9);
    must_run("simbenchmark anymal-energy --integrator fourth --json");
    TEST_ASSERT(json("\"name\": \"anymal-energy\"", "error") <= 1e-10);
}

static void test_simbenchmark_prints_a_table_and_says_when_numbers_are_not_comparable(void)
{
    must_run("simbenchmark anymal-energy --dt 0.01 --integrator euler");
    TEST_ASSERT_NOT_NULL(strstr(result.out, "anymal-energy: 300 steps of 0.01 s"));
    TEST_ASSERT_NOT_NULL(strstr(result.out, "Slipstick euler"));
    TEST_ASSERT_NOT_NULL(strstr(result.out, "342.786"));
    must_run("simbenchmark anymal-energy --dt 0.02");
    TEST_ASSERT_NOT_NULL(strstr(result.out, "no published numbers"));
    must_run("simbenchmark anymal-energy --dt 0.01 --quick");
    TEST_ASSERT_NOT_NULL(strstr(result.out, "not comparable"));
}

static void test_simbenchmark_plots_one_scene_against_the_step(void)
{
    must_run("simbenchmark anymal-energy --dt 0.01 --dt 0.005 --svg " SVG);
    command_read(SVG, svg, sizeof svg);
    TEST_ASSERT_NOT_NULL(strstr(svg, "<svg"));
    TEST_ASSERT_NOT_NULL(strstr(svg, "Slipstick"));
    TEST_ASSERT_NOT_NULL(strstr(svg, "RaiSim"));
}

static void test_simbenchmark_refuses_what_it_does_not_have(void)
{
    is_refused("simbenchmark atlas", "atlas is left out");
    is_refused("simbenchmark rooling", "unknown scene 'rooling', expected one of: rolling-y");
    is_refused("simbenchmark --svg x.svg", "--svg plots one scene");
    is_refused("simbenchmark kapla --svg x.svg", "--svg plots one scene");
    is_refused("simbenchmark bouncing --svg -", "--svg needs a file");
    is_refused("simbenchmark --dt 0", "--dt");
    is_refused("simbenchmark --grid 16", "--grid");
    is_refused("simbenchmark --integrator rk4", "unknown integrator 'rk4'");
    is_refused("simbenchmark --fast", "unknown option");
    TEST_ASSERT_EQUAL_INT(1, bench("simbenchmark bouncing --svg /no/such/folder/x.svg"));
}

/* ---- iftomm ------------------------------------------------------------------------------------------------ */

static void test_iftomm_prints_errors_against_the_reference(void)
{
    must_run("iftomm A01 A02");
    TEST_ASSERT_NOT_NULL(strstr(result.out, "A01 simple pendulum: 10000 steps of 0.001 s, midpoint"));
    TEST_ASSERT_NOT_NULL(strstr(result.out, "EXUDYN"));
    TEST_ASSERT_NOT_NULL(strstr(result.out, "A02 N-four-bar, N = 2"));
    must_run("iftomm A01 --json --dt 0.002");
    TEST_ASSERT_DOUBLE_WITHIN(0, 5000, json("A01", "steps"));
    TEST_ASSERT(json("A01", "energy_error") < (double)SLIP_TOL(1e-4, 1e-2));
    TEST_ASSERT(json("A01", "position_errors") < (double)SLIP_TOL(1e-6, 1e-2));
}

/* 81 rods, of 620 J, with forty-one freedoms at each horizontal passage. */
static void test_iftomm_a02_with_forty_cells_keeps_its_branch_and_its_energy(void)
{
    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("singular positions need double");
    must_run("iftomm A02-40 --json");
    TEST_ASSERT_DOUBLE_WITHIN(0, 0, json("A02-40", "steps_missed"));
    TEST_ASSERT(json("A02-40", "energy_error") < 2.5e-3);
    TEST_ASSERT(json("A02-40", "position_errors") < 1e-4);
}

static void test_iftomm_a04_comes_closer_with_the_square_of_the_step(void)
{
    double coarse;

    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("rounding in float hides it");
    must_run("iftomm A04 --json");
    coarse = json("A04", "position_errors");
    TEST_ASSERT_DOUBLE_WITHIN(0, 0, json("A04", "steps_missed"));
    TEST_ASSERT(json("A04", "energy_error") < 0.03);
    TEST_ASSERT(coarse < 1e-4);                          /* after 1 s */
    must_run("iftomm A04 --json --dt 0.0005");
    TEST_ASSERT(json("A04", "energy_error") < 0.0075);
    TEST_ASSERT(json("A04", "position_errors") < 0.3*coarse);
}

static void test_iftomm_refuses_what_it_does_not_have(void)
{
    is_refused("iftomm A03", "unknown problem 'A03', expected A01, A02, A02-40 or A04");
    is_refused("iftomm --dt 0.0015", "does not divide 1 s");
    is_refused("iftomm --integrator rk4", "unknown integrator 'rk4'");
    is_refused("iftomm --svg x", "unknown option");
}

/* ---- order ------------------------------------------------------------------------------------------------- */

static void test_order_is_two_by_default_and_one_of_euler(void)
{
    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("skipped: errors of rounding in single precision");
    must_run("order arm flight --json --svg " SVG);
    TEST_ASSERT_DOUBLE_WITHIN(0.1, 2, json("\"arm\", \"integrator\": \"midpoint\"", "order"));
    TEST_ASSERT_DOUBLE_WITHIN(0.1, 1, json("\"arm\", \"integrator\": \"euler\"", "order"));
    TEST_ASSERT_DOUBLE_WITHIN(0.1, 2, json("\"flight\", \"integrator\": \"midpoint\"", "order"));
    command_read(SVG, svg, sizeof svg);
    TEST_ASSERT_NOT_NULL(strstr(svg, "flight"));
}

static void test_order_prints_a_table_and_tells_what_diverges(void)
{
    must_run("order sliding top");
    TEST_ASSERT_NOT_NULL(strstr(result.out, "sliding          midpoint"));
    TEST_ASSERT_NOT_NULL(strstr(result.out, "diverges"));
}

static void test_order_refuses_what_it_does_not_have(void)
{
    is_refused("order pendulum", "unknown scene 'pendulum', expected one of: flight top");
    is_refused("order --svg -", "--svg needs a file");
    is_refused("order --dt 1", "unknown option");
    TEST_ASSERT_EQUAL_INT(1, bench("order --svg /no/such/folder/x.svg"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_simbenchmark_runs_all_its_scenes);
    RUN_TEST(test_simbenchmark_errors_of_whole_runs_are_within_their_bounds);
    RUN_TEST(test_simbenchmark_prints_a_table_and_says_when_numbers_are_not_comparable);
    RUN_TEST(test_simbenchmark_plots_one_scene_against_the_step);
    RUN_TEST(test_simbenchmark_refuses_what_it_does_not_have);
    RUN_TEST(test_iftomm_prints_errors_against_the_reference);
    RUN_TEST(test_iftomm_a02_with_forty_cells_keeps_its_branch_and_its_energy);
    RUN_TEST(test_iftomm_a04_comes_closer_with_the_square_of_the_step);
    RUN_TEST(test_iftomm_refuses_what_it_does_not_have);
    RUN_TEST(test_order_is_two_by_default_and_one_of_euler);
    RUN_TEST(test_order_prints_a_table_and_tells_what_diverges);
    RUN_TEST(test_order_refuses_what_it_does_not_have);
    return UNITY_END();
}
