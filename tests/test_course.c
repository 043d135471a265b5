/* The course: its pages show its programs as they are, the programs print what the pages print, and the numbers are
 * those of closed forms; figures are those that docs/course/figures.c makes; links into the laboratory name scenes and
 * solvers that exist. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "slipstick.h"
#include "unity.h"

enum { LESSONS = 10, TEXT = 1 << 15 };

static const char *const lessons[LESSONS] = {
    "01_contact", "02_signorini", "03_coulomb", "04_models", "05_gauss_seidel", "06_admm", "07_newton", "08_interior",
    "09_recursion", "10_gait"
};
static char page[TEXT], text[TEXT], shown[TEXT];

void setUp(void) { }
void tearDown(void) { }

static void read_file(const char *path, char *to)
{
    FILE *f = fopen(path, "rb");

    TEST_ASSERT_NOT_NULL_MESSAGE(f, path);
    fclose(f);
    TEST_ASSERT_TRUE_MESSAGE(command_read(path, to, TEXT) < TEXT - 1, path);
}

static void read_page(int i)
{
    char path[128];

    snprintf(path, sizeof path, "docs/course/%s.md", lessons[i]);
    read_file(path, page);
}

/* The n-th block of the page that is fenced by ```kind, copied to `shown`. */
static void fenced(const char *kind, int n)
{
    char fence[16];
    const char *at = page, *end;

    snprintf(fence, sizeof fence, "\n```%s\n", kind);
    for (; n > 0 && at; --n) {
        at = strstr(at, fence);
        if (at) at += strlen(fence);
    }
    TEST_ASSERT_NOT_NULL_MESSAGE(at, fence);
    end = strncmp(at, "```", 3) == 0 ? at : strstr(at, "\n```");
    TEST_ASSERT_TRUE_MESSAGE(end && end > at, "the block closes, and is not empty");
    snprintf(shown, sizeof shown, "%.*s\n", (int)(end - at), at);
}

/* ---- programs -------------------------------------------------------------------------------------- */

static void test_pages_show_the_programs_as_they_are(void)
{
    char path[128];
    int i;

    for (i = 0; i < LESSONS; ++i) {
        read_page(i);
        fenced("c", 1);
        snprintf(path, sizeof path, "docs/course/%s.c", lessons[i]);
        read_file(path, text);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(text, shown, "make course-pages");
    }
}

/* Lines that are not empty. */
static int lines_of(const char *s)
{
    int n = 0;

    for (; *s; ++s) n += *s == '\n' && s[1] != '\n';
    return n;
}

/* A file's text has lines of at most 120 columns; bytes that go on with a character of UTF-8 take none. */
static void check_width(const char *path)
{
    const char *s;
    int width = 0;

    read_file(path, text);
    for (s = text; *s; ++s) {
        width = *s == '\n' ? 0 : width + ((*s & 0xc0) != 0x80);
        TEST_ASSERT_TRUE_MESSAGE(width <= 120, path);
    }
}

static void test_programs_can_be_typed_in(void)
{
    char path[128];
    int i;

    check_width("docs/course/figures.c");
    for (i = 0; i < LESSONS; ++i) {
        snprintf(path, sizeof path, "docs/course/solutions/%s.c", lessons[i]);
        check_width(path);
        snprintf(path, sizeof path, "docs/course/%s.c", lessons[i]);
        check_width(path);
        TEST_ASSERT_TRUE_MESSAGE(lines_of(text) >= 25 && lines_of(text) <= 80, path);
        TEST_ASSERT_EQUAL_INT_MESSAGE(i >= 3, strstr(text, "#include \"slipstick.h\"") != NULL, path);
    }
}

/* Where the programs of this build go. */
static const char *built(const char *name, const char *suffix)
{
    static char path[2][256];
    static int slot;
    char *s, *to = path[slot = !slot];

    snprintf(to, sizeof path[0], "%s.course-%s%s", SLIP_TEST_BIN, name, suffix);
    for (s = strstr(to, ".course-"); *s; ++s) if (*s == '/') *s = '-';
    return to;
}

/* Compiles docs/course/NAME.c; 1 when it did. */
static int compile(const char *name)
{
    static char line[4096];
    const char *more = getenv("SLIP_TEST_LDFLAGS");

    snprintf(line, sizeof line, SLIP_TEST_CC " -std=c99 -Wall -Wextra -Wpedantic -Werror %s -o '%s' "
             "'docs/course/%s.c' '%s' -lm", more ? more : "", built(name, ""), name, SLIP_TEST_LIB);
    return system(line) == 0;
}

/* What docs/course/NAME.c prints, in `text`. */
static void run(const char *name, const char *arguments)
{
    static char line[4096];
    const char *prefix = getenv("SLIP_TEST_RUN"), *out = built(name, ".out");

    snprintf(line, sizeof line, "%s '%s' %s > '%s'", prefix ? prefix : "", built(name, ""), arguments, out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(line), line);
    command_read(built(name, ".out"), text, sizeof text);
}

/* The pages are in double, with one rounding an operation. */
static void only_as_printed(void)
{
    static int compiler = -1;

    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("skipped: the pages have numbers of double precision");
    if (strstr(SLIP_TEST_CC, "contract=fast"))
        TEST_IGNORE_MESSAGE("skipped: fused multiply-add rounds once where the pages have two roundings");
    if (compiler < 0) {
        char line[1024];

        command_write(built("none", ".c"), "int main(void) { return 0; }\n");
        snprintf(line, sizeof line, SLIP_TEST_CC " -o '%s' '%s' 2>/dev/null", built("none", ""), built("none", ".c"));
        compiler = system(line) == 0;
    }
    if (!compiler) TEST_IGNORE_MESSAGE("skipped: no compiler here");
}

static void test_programs_print_what_the_pages_print(void)
{
    int i;

    only_as_printed();
    for (i = 0; i < LESSONS; ++i) {
        TEST_ASSERT_TRUE_MESSAGE(compile(lessons[i]), lessons[i]);
        run(lessons[i], "");
        read_page(i);
        fenced("text", 1);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(shown, text, lessons[i]);
    }
}

static void test_solutions_print_what_the_pages_print(void)
{
    char name[64];
    int i;

    only_as_printed();
    for (i = 0; i < LESSONS; ++i) {
        snprintf(name, sizeof name, "solutions/%s", lessons[i]);
        TEST_ASSERT_TRUE_MESSAGE(compile(name), name);
        run(name, "");
        read_page(i);
        fenced("text", 2);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(shown, text, name);
    }
}

static void test_figures_are_those_that_the_program_makes(void)
{
    static const char *const figures[] = {
        "01_contact", "02_signorini", "03_coulomb", "04_paths", "04_heights", "05_gauss_seidel", "06_admm", "07_newton",
        "08_interior", "09_recursion", "10_gait"
    };
    static char committed[1 << 16], made[1 << 16];
    char path[256], line[600];
    size_t i;

    only_as_printed();
    TEST_ASSERT_TRUE_MESSAGE(compile("figures"), "figures");
    snprintf(line, sizeof line, "mkdir -p '%s'", built("figures", ".d"));
    TEST_ASSERT_EQUAL_INT(0, system(line));
    snprintf(line, sizeof line, "'%s'", built("figures", ".d"));
    run("figures", line);
    for (i = 0; i < sizeof figures/sizeof *figures; ++i) {
        snprintf(path, sizeof path, "docs/course/figures/%s.svg", figures[i]);
        TEST_ASSERT_TRUE_MESSAGE(command_read(path, committed, sizeof committed) > 1000, path);
        snprintf(path, sizeof path, "%s/%s.svg", built("figures", ".d"), figures[i]);
        command_read(path, made, sizeof made);
        TEST_ASSERT_TRUE_MESSAGE(strcmp(committed, made) == 0, "make course-pages");
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

/* Numbers of the first line of a page's n-th output that begins with `line`; blanks in front do not count. */
static void printed(int lesson, int n, const char *line, double *x, int count)
{
    const char *s = shown;
    int found = 0;

    read_page(lesson);
    fenced("text", n);
    while (s && strncmp(s + strspn(s, " "), line, strlen(line)) != 0) {
        s = strchr(s, '\n');
        if (s) ++s;
    }
    TEST_ASSERT_NOT_NULL_MESSAGE(s, line);
    for (s += strspn(s, " ") + strlen(line); found < count && *s && *s != '\n'; ) {
        char *end;

        if (isalpha((unsigned char)*s)) { while (isalnum((unsigned char)*s) || *s == '_' || *s == '-') ++s;  continue; }
        x[found] = strtod(s, &end);
        if (end > s) { ++found;  s = end; } else ++s;
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(count, found, line);
}

static void within(double tolerance, double expected, double x, const char *what)
{
    char message[128];

    snprintf(message, sizeof message, "%s: expected %g, printed %g", what, expected, x);
    TEST_ASSERT_TRUE_MESSAGE(fabs(x - expected) <= tolerance, message);
}

static void test_the_point_falls_as_galilei_says(void)
{
    double x[1];

    printed(0, 1, "ground first pushes at", x, 1);
    within(0.001, sqrt(2/9.81), x[0], "fall of a metre, and a step");
    printed(0, 1, "largest impulse", x, 1);                   /* the step that hits leaves a gap of up to v dt */
    TEST_ASSERT_TRUE(x[0] < sqrt(2*9.81) && x[0] > sqrt(2*9.81) - 1);
    printed(0, 1, "impulse of the last step", x, 1);
    within(5e-6, 9.81*0.001, x[0], "m g dt");
    printed(0, 1, "sum of all impulses", x, 1);
    within(5e-4, 9.81, x[0], "m g for a second");
    printed(0, 2, "bounce 2:", x, 1);
    within(0.001, 1/16.0, x[0], "two bounces of a half");
}

static void test_the_blocks_keep_their_momentum(void)
{
    double x[4];

    printed(1, 1, "ground closed between closed", x, 4);
    within(1e-4, 3*9.81*0.01, x[0], "the ground carries both");
    within(1e-4, 2*9.81*0.01, x[1], "the lower one carries the upper one");
    read_page(1);
    fenced("text", 1);
    memmove(shown, strstr(shown, "lower block kicked up"), strlen(strstr(shown, "lower block kicked up")) + 1);
    TEST_ASSERT_NOT_NULL(strstr(shown, "v1 0.2352 m/s, v2 0.2352 m/s"));
    within(1e-4, (1*(1 - 0.0981) + 2*(0 - 0.0981))/3, 0.2352, "one velocity for both");
    printed(1, 2, "10 blocks:", x, 4);
    within(0, 1024, x[0], "cases");
    within(0, 1, x[1], "holds");
    within(1e-4, 10*0.0981, x[2], "carries ten");
}

static void test_sliding_stops_where_coulomb_says(void)
{
    const double v = 5, mu = 0.3, g = 9.81;
    double x[2];

    printed(2, 1, "stops after", x, 2);
    within(0.0015, v/(mu*g), x[0], "time");
    printed(2, 1, "distance", x, 2);
    within(0.001, v*v/(2*mu*g) - v*0.001/2, x[0], "way, shorter by half a step");
    printed(2, 2, "mu 0.495:", x, 1);
    within(0.001, 0.5*4*(0.5 - 0.495)*g/sqrt(1.25), x[0], "way down the slope");
}

static void test_the_models_err_as_foretold(void)
{
    const double vx = 3.876, vy = 0.99, mu = 0.8, g = 9.81, dt = 0.002, v = sqrt(vx*vx + vy*vy);
    const double wx = vx*vx/(2*mu*g), wy = vy*vy/(2*mu*g);     /* LCP: each axis stops by itself */
    const double lift = mu*v/(1 + mu*mu);                      /* CCP: speed upwards after the first step */
    double x[6];

    printed(3, 1, "LCP     lcp-gs", x, 6);
    within(0.003, (wx*vx + wy*vy)/v, x[0], "way of the LCP");
    within(0.004, vx/(mu*g), x[1], "time of the LCP");
    within(2, 1000*(wy*vx - wx*vy)/v, x[2], "drift of the LCP");
    printed(3, 1, "CCP     ccp-admm", x, 6);
    within(3, 1000*lift*lift/(2*g), x[3], "hop of the CCP");
    within(0.5, 0, x[2], "the CCP does not drift");
    within(v*dt, v*v/(2*mu*g), x[0], "way of the CCP");
    printed(3, 1, "RaiSim  raisim-newton", x, 6);
    TEST_ASSERT_TRUE_MESSAGE(x[0] > v*v/(2*mu*g) + 0.04 && x[4] > 15 && x[3] == 0, "slides on, does not lift");
    printed(3, 1, "NCP     ncp-gs", x, 6);
    within(v*dt, v*v/(2*mu*g), x[0], "way of the NCP");
    within(0, 0, fabs(x[2]) + fabs(x[3]) + fabs(x[4]), "neither drifts nor lifts, and friction opposes the sliding");
}

static void test_the_crates_slide_as_one_and_the_rate_is_that_of_the_formula(void)
{
    const double n = 9.81*0.01, mu = 0.3, s = sqrt(10);
    double x[6];
    int ratio;

    printed(4, 1, "floor:", x, 6);
    within(2e-5, 2*n, x[2], "two crates on the floor");
    within(2e-5, -mu*2*n*3/s, x[0], "friction on the floor along t1");
    within(2e-5, -mu*2*n/s, x[1], "along t2");
    within(2e-5, -mu*n*3/s, x[3], "friction that takes the upper crate along");
    within(2e-5, n, x[5], "one crate on the other");
    printed(4, 1, "sweep  3  normals/(m g dt)", x, 2);
    within(0, 1.75, x[0], "as with the pen");
    within(0, 0.875, x[1], "as with the pen");
    for (ratio = 1; ratio <= 1000; ratio *= 10) {
        char line[16];

        snprintf(line, sizeof line, "%d ", ratio);
        printed(4, 2, line, x, 3);
        within(1e-5, ratio/(1.0 + ratio), x[0], "rate");
    }
    printed(5, 1, "normals by hand", x, 4);
    within(1e-4, 101*n, x[0], "ADMM: 101 kg on the floor");
    within(1e-4, 100*n, x[1], "ADMM: 100 kg on 1 kg");
}

/* The six impulses of the kicked crates, from a page: the laws hold by a judge of our own. */
static void judge_kicked(int lesson)
{
    static const double mu[2] = { 0.3, 0.5 }, g[6] = { 4, 1, -0.0981, -6, 3, 0 };
    double l[6], s[6], x[2];
    int i;

    for (i = 0; i < 6; ++i) {
        char line[8];

        snprintf(line, sizeof line, "%d  ", i);
        printed(lesson, 1, line, x, 2);
        l[i] = x[0];
        within(2e-6, x[0], x[1], "by hand and by the library");
    }
    for (i = 0; i < 3; ++i) {
        s[i] = l[i] - l[3 + i] + g[i];
        s[3 + i] = -l[i] + 1.01*l[3 + i] + g[3 + i];
    }
    for (i = 0; i < 6; i += 3) {
        const double st = hypot(s[i], s[i + 1]);

        within(1e-5, 0, s[i + 2], "normal velocity");
        TEST_ASSERT_TRUE_MESSAGE(st > 0.1, "it slides");
        within(1e-5, -mu[i/3]*l[i + 2]*s[i]/st, l[i], "friction against the sliding, t1");
        within(1e-5, -mu[i/3]*l[i + 2]*s[i + 1]/st, l[i + 1], "friction against the sliding, t2");
    }
    within(1e-5, 101*0.0981, l[2], "weight of both");
    within(1e-5, 100*0.0981, l[5], "weight of the upper one");
}

static void test_newton_and_the_interior_point_find_impulses_that_obey_the_laws(void)
{
    double x[4];

    judge_kicked(6);
    judge_kicked(7);
    printed(7, 2, "1e-02", x, 4);
    within(1e-5, 0.5*(0.0981 + sqrt(0.0981*0.0981 + 0.04)), x[0], "root of the quadratic");
    within(0.01, 1e6*1e-2/9.81, x[2], "floats at kappa/(m g)");
}

/* M and the bias of two rods on hinges from Lagrange's equations, in the angles to the vertical. */
static void lagrange(const double q[2], const double v[2], double M[3], double bias[2])
{
    const double l = 0.5, c = 0.25, m1 = 1, m2 = 0.6, I1 = 0.0208583333, I2 = 0.012515, g = 9.81;
    const double a = I1 + m1*c*c + m2*l*l, b = I2 + m2*c*c, k = m2*l*c, d = q[1], w1 = v[0], w2 = v[0] + v[1];
    const double p = -k*sin(d)*w2*w2 + (m1*c + m2*l)*g*sin(q[0]), r = k*sin(d)*w1*w1 + m2*c*g*sin(q[0] + q[1]);

    M[0] = a + b + 2*k*cos(d);
    M[1] = b + k*cos(d);
    M[2] = b;
    bias[0] = p + r;
    bias[1] = r;
}

static void test_the_recursions_agree_with_lagrange(void)
{
    const double q[2] = { 0.4, 0.7 }, v[2] = { 1, -2 };
    double M[3], h[2], x[6], det;
    int i;

    lagrange(q, v, M, h);
    printed(8, 1, "tau      by hand", x, 4);
    for (i = 0; i < 4; ++i) within(1e-6, i % 2 ? M[1]*3 + M[2]*4 + h[1] : M[0]*3 + M[1]*4 + h[0], x[i], "torques");
    printed(8, 1, "M        by hand", x, 6);
    for (i = 0; i < 6; ++i) within(1e-6, M[i % 3], x[i], "mass matrix");
    printed(8, 1, "a        by hand", x, 4);
    for (i = 0; i < 4; ++i) within(1e-5, i % 2 ? 4 : 3, x[i], "forward dynamics gives them back");
    printed(8, 2, "a  by hand", x, 4);
    det = M[0]*M[2] - M[1]*M[1];
    for (i = 0; i < 4; ++i)
        within(1e-4, (i % 2 ? (-1 - h[1])*M[0] - (5 - h[0])*M[1] : (5 - h[0])*M[2] - (-1 - h[1])*M[1])/det, x[i],
               "accelerations");
}

static void test_the_ground_carries_the_weight_of_the_trot(void)
{
    double x[4], weight[1];
    int k;

    printed(9, 1, "weight", weight, 1);
    for (k = 1; k <= 5; ++k) {
        char line[16];

        snprintf(line, sizeof line, "%d s:", k);
        printed(9, 1, line, x, 4);
        within(0.01*weight[0], weight[0], x[3], "mean force");
        within(0.01, 0.24, x[2], "height of the trunk");
        within(0.01, 0, x[1], "aside");
    }
    TEST_ASSERT_TRUE_MESSAGE(x[0] > 0.85*0.3*4.5, "walks");
}

/* ---- links and names ------------------------------------------------------------------------------------ */

static int exists(const char *path)
{
    FILE *f = fopen(path, "rb");

    if (f) fclose(f);
    return f != NULL;
}

/* The link of a page that follows `](`, within the tree. */
static void check_link(const char *link, int length)
{
    char path[256];
    int ups = 0;

    for (; length > 3 && strncmp(link, "../", 3) == 0; link += 3, length -= 3) ++ups;
    TEST_ASSERT_TRUE_MESSAGE(ups <= 2, link);
    snprintf(path, sizeof path, "%s%.*s", ups == 0 ? "docs/course/" : ups == 1 ? "docs/" : "", length, link);
    path[strcspn(path, "#")] = '\0';
    TEST_ASSERT_TRUE_MESSAGE(exists(path), path);
}

static void check_solvers(char *list)
{
    char *id;

    for (id = strtok(list, ","); id; id = strtok(NULL, ","))
        TEST_ASSERT_NOT_NULL_MESSAGE(slip_solver_find(id), id);
}

/* KEY=VALUE&... of an address of the laboratory; keys are those of docs/lab.md, where it is there. */
static void check_laboratory(char *address)
{
    static char manual[1 << 16];
    char *next, *item, path[300], key[300];
    int scene = 0;

    command_read("docs/lab.md", manual, sizeof manual);
    for (item = address; item; item = next) {
        char *value = strchr(item, '=');

        next = strchr(item, '&');
        if (next) *next++ = '\0';
        TEST_ASSERT_TRUE_MESSAGE(value && value[1], item);
        *value++ = '\0';
        snprintf(key, sizeof key, "`%s`", item);
        TEST_ASSERT_TRUE_MESSAGE(!manual[0] || strstr(manual, key), key);
        if (strcmp(item, "scene") == 0) {
            snprintf(path, sizeof path, "models/%s%s", value, strstr(value, ".urdf") ? "" : ".xml");
            TEST_ASSERT_TRUE_MESSAGE(exists(path), path);
            scene = 1;
        } else if (strcmp(item, "solver") == 0) {
            check_solvers(value);
        }
    }
    TEST_ASSERT_TRUE_MESSAGE(scene, "the link names a scene");
}

static void test_links_lead_somewhere_and_every_lesson_links_into_the_laboratory(void)
{
    static const char lab[] = "../../build/lab.html#";
    char address[256];
    int i, in_lab;

    for (i = -1; i < LESSONS; ++i) {
        const char *s;

        if (i < 0) read_file("docs/course/README.md", page);
        else read_page(i);
        for (in_lab = 0, s = strstr(page, "]("); s; s = strstr(s, "](")) {
            const int length = (int)strcspn(s += 2, ")");

            if (strncmp(s, "http", 4) == 0) continue;
            if (strncmp(s, lab, sizeof lab - 1) != 0) { check_link(s, length);  continue; }
            snprintf(address, sizeof address, "%.*s", length - (int)sizeof lab + 1, s + sizeof lab - 1);
            check_laboratory(address);
            ++in_lab;
        }
        if (i < 0) continue;
        TEST_ASSERT_TRUE_MESSAGE(in_lab > 0, lessons[i]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(page, "](figures/"), lessons[i]);
    }
}

static void test_functions_that_the_ninth_lesson_names_are_in_the_source(void)
{
    static const char *const files[] = { "rnea.c", "crba.c", "aba.c" };
    static char sources[1 << 16];
    size_t used = 0, i;
    const char *s;
    int names = 0;

    for (i = 0; i < 3; ++i) {
        char path[64];

        snprintf(path, sizeof path, "src/rbd/%s", files[i]);
        used += command_read(path, sources + used, sizeof sources - used);
    }
    read_page(8);
    if (strstr(page, "\n## The program")) *strstr(page, "\n## The program") = '\0';      /* in the text */
    for (s = strstr(page, "()"); s; s = strstr(s + 1, "()")) {
        const char *from = s;
        char name[64];

        while (from > page && (isalnum((unsigned char)from[-1]) || from[-1] == '_')) --from;
        snprintf(name, sizeof name, "%.*s(", (int)(s - from), from);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(sources, name), name);
        ++names;
    }
    TEST_ASSERT_TRUE(names >= 10);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_pages_show_the_programs_as_they_are);
    RUN_TEST(test_programs_can_be_typed_in);
    RUN_TEST(test_programs_print_what_the_pages_print);
    RUN_TEST(test_solutions_print_what_the_pages_print);
    RUN_TEST(test_figures_are_those_that_the_program_makes);
    RUN_TEST(test_the_point_falls_as_galilei_says);
    RUN_TEST(test_the_blocks_keep_their_momentum);
    RUN_TEST(test_sliding_stops_where_coulomb_says);
    RUN_TEST(test_the_models_err_as_foretold);
    RUN_TEST(test_the_crates_slide_as_one_and_the_rate_is_that_of_the_formula);
    RUN_TEST(test_newton_and_the_interior_point_find_impulses_that_obey_the_laws);
    RUN_TEST(test_the_recursions_agree_with_lagrange);
    RUN_TEST(test_the_ground_carries_the_weight_of_the_trot);
    RUN_TEST(test_links_lead_somewhere_and_every_lesson_links_into_the_laboratory);
    RUN_TEST(test_functions_that_the_ninth_lesson_names_are_in_the_source);
    return UNITY_END();
}
