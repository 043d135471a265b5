/* Recorded tosses: reading them, measuring them, scoring a model, and finding the law that made them. */
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tools/real.h"
#include "command.h"

#define FOLDER SLIP_TEST_BIN ".test_real.d"
#define HEADER "toss,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n"
#define ROW_0  "1,0,0,0,0.2,1,0,0,0,0,0,0,0,0,0\n"
#define ROW_1  "1,0.01,0,0,0.2,1,0,0,0,0,0,0,0,0,0\n"

enum { RIGID = 5, SOFT = 7 };        /* the rigid and the soft NCP of ours in real_models */

static command_result r;

void setUp(void) { }
void tearDown(void) { }

/* ---- reading --------------------------------------------------------------------------------------------------- */

static void test_bad_files_are_refused_with_their_place_and_value(void)
{
    static const struct { const char *text, *message; } cases[] = {
        { "", "(standard input): the file is empty" },
        { HEADER, "no rows after the first line" },
        { "toss,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy\n", "(standard input):1: no column 'wz'" },
        { "toss,t,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n", "(standard input):1:8: a second column 't'" },
        { HEADER "1,0,0,zero,0.2,1,0,0,0,0,0,0,0,0,0\n", "(standard input):2:7: py is 'zero', expected a number" },
        { HEADER "1,0,0,,0.2,1,0,0,0,0,0,0,0,0,0\n", "(standard input):2:7: py is '', expected a number" },
        { HEADER "1,0,0,nan,0.2,1,0,0,0,0,0,0,0,0,0\n", "py is 'nan', expected a number" },
        { HEADER "1,0,0,1e300,0.2,1,0,0,0,0,0,0,0,0,0\n", "py is '1e300', expected a number" },
        { HEADER "1,0,0,0,0.2,1,0,0,0,0,0,0,0,0\n", "(standard input):2: 14 fields, expected 15" },
        { HEADER "1,0,0,0,0.2,1,1,0,0,0,0,0,0,0,0\n", "(standard input):2:13: the quaternion qw qx qy qz has the "
        "length 1.41421" },
        { HEADER "1,0,0,0,0.2,0,0,0,0,0,0,0,0,0,0\n", "has the length 0, expected 1" },
        { HEADER "1.5,0,0,0,0.2,1,0,0,0,0,0,0,0,0,0\n", "(standard input):2:1: toss is 1.5, expected a whole number" },
        { HEADER ROW_0 ROW_0, "(standard input):3:3: t is 0, expected more than 0 of the row before" },
        { HEADER ROW_0, "(standard input):2: toss 1 has a single row" },
        { HEADER ROW_0 "2,0,0,0,0.2,1,0,0,0,0,0,0,0,0,0\n", "(standard input):2: toss 1 has a single row" },
        { HEADER ROW_0 ROW_1 "2,0,0,0,0.2,1,0,0,0,0,0,0,0,0,0\n2,1,0,0,0.2,1,0,0,0,0,0,0,0,0,0\n" ROW_0,
          "(standard input):6:1: toss 1 again" } };
    size_t i;

    for (i = 0; i < sizeof cases/sizeof *cases; ++i) {
        command_run("real -", cases[i].text, &r);
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, r.code, cases[i].text);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, cases[i].message), r.err);
    }
    command_run("real nowhere.csv", NULL, &r);
    TEST_ASSERT_EQUAL_INT(1, r.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "nowhere.csv"), r.err);
}

static void test_bad_options_are_refused(void)
{
    static const char *const cases[][2] = {
        { "real", "no file" }, { "real a b", "one file at a time" }, { "real a --start here", "first, touch, flight" },
        { "real a --half-width 0", "--half-width" }, { "real a --mass x", "--mass" }, { "real a --corner 0.06",
                                                                                        "half width" },
        { "real a --law 0.2,0.1", "--law needs --model" }, { "real a --law 0.2", "two or three numbers" },
        { "real a --com 0,0", "three numbers" }, { "real a --com 0,0,0.06", "outside of the cube" },
        { "real a --foo", "--foo" } };
    size_t i;

    for (i = 0; i < sizeof cases/sizeof *cases; ++i) {
        command_run(cases[i][0], NULL, &r);
        TEST_ASSERT_EQUAL_INT_MESSAGE(2, r.code, cases[i][0]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, cases[i][1]), r.err);
    }
}

static void test_columns_may_stand_in_any_order_among_others(void)
{
    real_set set;

    TEST_ASSERT(real_parse("test", "note,wz,wy,wx,vz,vy,vx,qz,qy,qx,qw,pz,py,px,t,toss\r\n"
                           "a, 3, 2, 1, 6, 5, 4, 0, 0, 0.6, 0.8, 9, 8, 7, 0.5, 4\r\n"
                           "# between\n\nb,3,2,1,6,5,4,0,0,0.6,0.8,9,8,7,0.75,4", "text", &set));
    TEST_ASSERT_EQUAL_INT(1, set.ntosses);
    TEST_ASSERT_EQUAL_INT(4, set.tosses[0].number);
    TEST_ASSERT_EQUAL_INT(2, set.tosses[0].count);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, set.dt);
    TEST_ASSERT_EQUAL_DOUBLE(7, set.rows[0].p[0]);
    TEST_ASSERT_EQUAL_DOUBLE(0.6, set.rows[0].q[0]);
    TEST_ASSERT_EQUAL_DOUBLE(0.8, set.rows[0].q[3]);
    TEST_ASSERT_EQUAL_DOUBLE(6, set.rows[0].v[2]);
    TEST_ASSERT_EQUAL_DOUBLE(3, set.rows[0].w[2]);
    real_free(&set);
}

/* A toss of three rows: falls from `high` to `low`; lengths times `unit`. */
static void the_fall(double high, double low, double unit, const char *start, real_set *set)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "%stoss,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n", start), i;

    for (i = 0; i < 12; ++i)
        n += snprintf(text + n, sizeof text - (size_t)n, "1,%.2f,0,0,%g,1,0,0,0,0,0,-1,0,0,0\n", 0.01*i,
                      unit*(high + (low - high)*i/11));
    TEST_ASSERT_MESSAGE(real_parse("test", text, "text", set), "a byte order mark is no part of the first name");
}

static int fall_is_taken(double high, double low, double unit)
{
    const real_body body = real_body_defaults();
    const int list[1] = { 0 };
    real_measured m;
    real_set set;
    int ok;

    the_fall(high, low, unit, "\xef\xbb\xbf", &set);
    real_find_touches(&set, &body);
    m = real_measure(&set, list, 1, &body);
    ok = real_check("test", "text", &set, &m, &body);
    real_free(&set);
    return ok;
}

static void test_a_recording_that_never_comes_down_on_the_table_is_refused(void)
{
    TEST_ASSERT_EQUAL_INT(1, fall_is_taken(0.3, 0.0524, 1));
    TEST_ASSERT_EQUAL_INT(0, fall_is_taken(0.3, 0.0524, 1000));      /* millimetres      */
    TEST_ASSERT_EQUAL_INT(0, fall_is_taken(5.3, 5.0524, 1));         /* a table at 5 m   */
    TEST_ASSERT_EQUAL_INT(0, fall_is_taken(-0.3, -0.5, 1));          /* below the table  */
}

/* ---- measuring and scoring --------------------------------------------------------------------------------------- */

static real_terms the_terms(void)
{
    real_terms t;

    memset(&t, 0, sizeof t);
    t.body = real_body_defaults();
    t.dt = 1.0/148;
    return t;
}

static void the_example(int model, const real_law *law, const real_terms *terms, int n, real_set *set)
{
    real_stage stage;

    TEST_ASSERT(real_open("test", &real_models[model], terms, 0, &stage));
    real_make_example(&stage, law, n, 1, set);
    real_close(&stage);
    real_find_touches(set, &terms->body);
}

/* Bounces are seen in the velocity, at any height. */
static void test_tosses_in_millimetres_are_refused_though_they_bounce(void)
{
    const real_terms terms = the_terms();
    const real_law law = { { 0.2, 0.3, 0, 0, 0 } };
    const int list[1] = { 0 };
    real_measured m;
    real_set set;
    int i, k, unit;

    the_example(RIGID, &law, &terms, 4, &set);
    for (unit = 1; unit <= 1000; unit *= 1000) {
        for (i = 0; i < set.nrows; ++i) for (k = 0; k < 3; ++k) set.rows[i].p[k] *= unit;
        real_find_touches(&set, &terms.body);
        m = real_measure(&set, list, 1, &terms.body);
        TEST_ASSERT(set.tosses[0].touch < set.tosses[0].count);
        TEST_ASSERT_EQUAL_INT(unit == 1, real_check("test", "text", &set, &m, &terms.body));
    }
    real_free(&set);
}

static void test_the_gap_is_that_of_the_lowest_corner(void)
{
    const double s = sqrt(0.5);
    real_row row = { 0, { 1, 2, 0.3 }, { 0, 0, 0, 1 }, { 0 }, { 0 } };

    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.2, real_gap(&row, 0.1));
    row.q[0] = sin(acos(s)/2);                       /* an eighth of a turn about x: on an edge */
    row.q[3] = cos(acos(s)/2);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.3 - 0.1/s, real_gap(&row, 0.1));
}

static void test_errors_are_widths_and_the_angle_between_orientations(void)
{
    const real_row a = { 0, { 0, 0, 0 }, { 0, 0, 0, 1 }, { 0 }, { 0 } };
    real_row b = { 0, { 0.3, 0, 0.4 }, { 0, 0, 0, 1 }, { 0 }, { 0 } };
    const double angles[] = { 0, 1e-9, 0.3, 3.1 };
    double position, rotation;
    int i;

    for (i = 0; i < 8; ++i) {
        const double sign = i < 4 ? 1 : -1;          /* q and -q are one orientation */

        b.q[1] = sign*sin(angles[i%4]/2);
        b.q[3] = sign*cos(angles[i%4]/2);
        real_compare(&a, &b, 0.05, &position, &rotation);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 5, position);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, angles[i%4], rotation);
    }
}

static void test_flights_give_gravity_rest_the_width_and_both_the_start(void)
{
    const real_law law = { { 0.2, 0.1, 0, 0, 0 } };
    const double tol = (double)SLIP_TOL(1e-9, 2e-3);
    real_terms terms = the_terms();
    real_measured m;
    real_row start;
    real_set set;
    int k, every[6] = { 0, 1, 2, 3, 4, 5 };

    terms.body.gravity = 9.5;
    terms.body.half_width = 0.05;
    the_example(RIGID, &law, &terms, 6, &set);
    m = real_measure(&set, every, 6, &terms.body);
    TEST_ASSERT_DOUBLE_WITHIN(100*tol, 9.5, m.gravity);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.05, m.half_width);
    for (k = 0; k < 3; ++k) TEST_ASSERT_DOUBLE_WITHIN(tol, 0, m.com[k]);
    terms.start = REAL_START_FLIGHT;
    for (k = 0; k < 6; ++k) {
        TEST_ASSERT(set.tosses[k].touch > 8 && set.tosses[k].touch < 60);
        set.rows[set.tosses[k].first].v[0] += 0.1;   /* what the first row says about velocity is not used ... */
        set.rows[set.tosses[k].first].w[1] += 0.2;   /* ... but to begin with */
        TEST_ASSERT_EQUAL_INT(0, real_start_of(&set, &set.tosses[k], &terms, 0, &start));
        TEST_ASSERT_DOUBLE_WITHIN(tol, set.rows[set.tosses[k].first].v[0] - 0.1, start.v[0]);
        TEST_ASSERT_DOUBLE_WITHIN(100*tol, set.rows[set.tosses[k].first].w[1] - 0.2, start.w[1]);
    }
    real_free(&set);
}

/* A cube whose centre of mass is off its centre: flights tell where it is, and what its centre does at the start. */
static void test_flights_give_the_centre_of_mass_and_a_start_that_knows_it(void)
{
    const real_law law = { { 0.2, 0.1, 0, 0, 0 } };
    const double tol = (double)SLIP_TOL(1e-9, 2e-3), com[3] = { 0.002, -0.003, 0.006 };
    real_terms terms = the_terms();
    real_measured m;
    real_row start;
    real_set set;
    int i, k, every[6] = { 0, 1, 2, 3, 4, 5 };

    memcpy(terms.body.com, com, sizeof com);
    the_example(RIGID, &law, &terms, 6, &set);
    m = real_measure(&set, every, 6, &terms.body);
    TEST_ASSERT_DOUBLE_WITHIN(100*tol, 9.81, m.gravity);     /* parabolas of the cube's centre say 9.755 */
    for (k = 0; k < 3; ++k) {
        TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-9, 1e-4), com[k], m.com[k]);
        TEST_ASSERT(m.com_error[k] < 1e-4);
    }
    terms.start = REAL_START_FLIGHT;
    for (i = 0; i < 6; ++i) {
        const real_row *row = &set.rows[set.tosses[i].first];

        real_start_of(&set, &set.tosses[i], &terms, 0, &start);
        for (k = 0; k < 3; ++k) {
            TEST_ASSERT_DOUBLE_WITHIN(tol, row->p[k], start.p[k]);
            TEST_ASSERT_DOUBLE_WITHIN(10*tol, row->v[k], start.v[k]);
        }
    }
    /* A toss that hit the table unnoticed pulls least squares by millimetres, weights by little. */
    for (k = 4; k < set.tosses[2].touch; ++k) set.rows[set.tosses[2].first + k].p[1] += 0.1*(k - 4)*set.dt;
    m = real_measure(&set, every, 6, &terms.body);
    for (k = 0; k < 3; ++k) TEST_ASSERT_DOUBLE_WITHIN(1e-4, com[k], m.com[k]);
    for (i = 0; i < set.nrows; ++i) memcpy(set.rows[i].q, set.rows[0].q, sizeof set.rows[0].q);
    m = real_measure(&set, every, 6, &terms.body);
    real_take_measured(&m, &terms.body);
    TEST_ASSERT(fabs(m.gravity - 9.81) < 1);                 /* paths that turned, without their turning */
    for (k = 0; k < 3; ++k) {
        TEST_ASSERT_MESSAGE(m.com[k] != m.com[k], "cubes that do not turn tell nothing");
        TEST_ASSERT_EQUAL_DOUBLE(0, terms.body.com[k]);
    }
    real_free(&set);
}

/* 95 % of what is 0 is measured within 1.96 errors of it. */
static void test_an_offset_within_its_error_is_not_taken(void)
{
    const real_measured m = { 9.81, 0, 0.05, 0, { 1e-3, 1e-3, -3e-3 }, { 4e-4, 6e-4, 1e-3 }, 10 };
    real_body body = real_body_defaults();

    real_take_com(&m, &body);
    TEST_ASSERT_EQUAL_DOUBLE(1e-3, body.com[0]);
    TEST_ASSERT_EQUAL_DOUBLE(0, body.com[1]);
    TEST_ASSERT_EQUAL_DOUBLE(-3e-3, body.com[2]);
    TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(0.0524, body.half_width, "that alone");
}

static void test_a_toss_of_the_same_law_has_no_error_and_of_another_one_has(void)
{
    const real_law law = { { 0.2, 0.3, 0, 0, 0 } }, other = { { 0.5, 0.0, 0, 0, 0 } };
    const real_terms terms = the_terms();
    real_stage stage;
    real_score s;
    real_set set;
    int i, worse = 0;

    the_example(RIGID, &law, &terms, 4, &set);
    TEST_ASSERT(real_open("test", &real_models[RIGID], &terms, 0, &stage));
    for (i = 0; i < set.ntosses; ++i) {
        s = real_simulate(&stage, &set, &set.tosses[i], &law, 0, NULL);
        TEST_ASSERT_EQUAL_DOUBLE(0, s.position);
        TEST_ASSERT_EQUAL_DOUBLE(0, s.rotation);
        TEST_ASSERT_EQUAL_INT(1, s.face);
        s = real_simulate(&stage, &set, &set.tosses[i], &other, 0, NULL);
        worse += s.position > 0.05;
    }
    TEST_ASSERT_EQUAL_INT(4, worse);
    real_close(&stage);
    real_free(&set);
}

/* ---- fitting ----------------------------------------------------------------------------------------------------- */

/* Half of the tosses would do; what comes back is exact to the last interval of the golden section or two. */
static void comes_back(int model, const real_law *law, double within)
{
    const real_search search = { 0, 12, 3, 10, 1 };
    const real_terms terms = the_terms();
    real_stage stage;
    real_set set;
    real_fit fit;
    int list[12], k;

    the_example(model, law, &terms, 12, &set);
    for (k = 0; k < 12; ++k) list[k] = k;
    TEST_ASSERT(real_open("test", &real_models[model], &terms, 0, &stage));
    real_fit_model(&stage, &set, list, 12, &search, NULL, &fit);
    for (k = 0; k < REAL_PARAMETERS; ++k)
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(within*law->x[k], law->x[k], fit.law.x[k], real_parameter_names[k]);
    real_close(&stage);
    real_free(&set);
}

static void test_friction_and_restitution_come_back(void)
{
    const real_law law = { { 0.23, 0.35, 0, 0, 0 } };

    comes_back(RIGID, &law, 0.03);
}

static void test_friction_stiffness_and_damping_come_back(void)
{
    const real_law law = { { 0.18, 0, 6000, 12, 0 } };

    comes_back(SOFT, &law, 0.2);
}

static void test_intervals_hold_the_value_and_equal_scores_have_no_difference(void)
{
    real_score a[50];
    real_summary s, d;
    slip_random rng = slip_random_seed(3);
    int i;

    memset(a, 0, sizeof a);
    for (i = 0; i < 50; ++i) {
        a[i].position = (double)slip_random_uniform(&rng, 0, 1);
        a[i].rotation = (double)slip_random_uniform(&rng, 0, 1);
        a[i].face = i%2;
    }
    s = real_summarise(a, 50, 1);
    TEST_ASSERT(s.position.lo < s.position.value && s.position.value < s.position.hi);
    TEST_ASSERT(s.median.lo <= s.median.value && s.median.value <= s.median.hi);
    TEST_ASSERT_EQUAL_DOUBLE(50, s.face.value);
    /* a mean of n uniform numbers has the deviation sqrt(1/12n), and 95 % lie within 1.96 of it on both sides */
    TEST_ASSERT_DOUBLE_WITHIN(0.25*2*1.96*sqrt(1/600.0), 2*1.96*sqrt(1/600.0), s.position.hi - s.position.lo);
    d = real_difference(a, a, 50, 1);
    TEST_ASSERT_EQUAL_DOUBLE(0, d.position.lo);
    TEST_ASSERT_EQUAL_DOUBLE(0, d.rotation.hi);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static void test_the_command_fits_scores_and_writes_its_files(void)
{
    static char text[1 << 20];

    TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "' && mkdir -p '" FOLDER "'"));
    command_run("real --example '" FOLDER "/toss.csv'", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    command_run("real '" FOLDER "/toss.csv' --model 'NCP, default (ours)' --model LCP --law 0.2,0.3 --scores '" FOLDER
                "/s.csv' --svg '" FOLDER "' --html '" FOLDER "/t.html' --toss 3", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, r.code, "the soft NCP takes three numbers");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "'soft NCP, default (ours)' takes 3"), r.err);
    command_run("real '" FOLDER "/toss.csv' --model 'LCP, lcp' --model ncp-pgs --law 0.2,0.3 --scores '" FOLDER
                "/s.csv' --svg '" FOLDER "' --html '" FOLDER "/t.html' --toss 3", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.out, "16 tosses, 1920 rows"), r.out);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.out, "\nNCP, ncp-pgs"), r.out);
    command_read(FOLDER "/s.csv", text, sizeof text);
    TEST_ASSERT_NOT_NULL(strstr(text, "\n\"LCP, lcp-pgs\",15,"));
    command_read(FOLDER "/position.svg", text, sizeof text);
    TEST_ASSERT_NOT_NULL(strstr(text, "Position error of a toss"));
    command_read(FOLDER "/t.html", text, sizeof text);
    TEST_ASSERT_NOT_NULL(strstr(text, "recorded"));
    command_run("real '" FOLDER "/toss.csv' --model ncp-pgs --law 0.2,0.3 --html '" FOLDER "/t.html' --toss 99", NULL,
                &r);
    TEST_ASSERT_EQUAL_INT(1, r.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "there is no toss 99"), r.err);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", r.out, "said before the fits");
    command_run("real '" FOLDER "/toss.csv' --model ncp-pgs --law 0.2,0.3 --scores '" FOLDER "/none/s.csv'", NULL, &r);
    TEST_ASSERT_EQUAL_INT(1, r.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "none/s.csv"), r.err);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", r.out, "said before the fits");
    command_run("real '" FOLDER "/toss.csv' --half-width 0.06 --model ncp-pgs --law 0.2,0.3", NULL, &r);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(r.err, "a half width of 0.06 m is taken"), r.err);
    command_run("real '" FOLDER "/toss.csv' --model nothing", NULL, &r);
    TEST_ASSERT_EQUAL_STRING("slipstick real: no model's name contains 'nothing'\n", r.err);
    command_run("real '" FOLDER "/toss.csv' --model ncp-pgs --law 0.2,0.3", NULL, &r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, r.code, r.err);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", r.err, "no line that is written over in a file");
    TEST_ASSERT_NULL_MESSAGE(strstr(r.out, "which fits best"), "one model is not compared");
    TEST_ASSERT_EQUAL_INT(0, system("rm -rf '" FOLDER "'"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bad_files_are_refused_with_their_place_and_value);
    RUN_TEST(test_bad_options_are_refused);
    RUN_TEST(test_columns_may_stand_in_any_order_among_others);
    RUN_TEST(test_tosses_in_millimetres_are_refused_though_they_bounce);
    RUN_TEST(test_the_gap_is_that_of_the_lowest_corner);
    RUN_TEST(test_errors_are_widths_and_the_angle_between_orientations);
    RUN_TEST(test_flights_give_gravity_rest_the_width_and_both_the_start);
    RUN_TEST(test_flights_give_the_centre_of_mass_and_a_start_that_knows_it);
    RUN_TEST(test_an_offset_within_its_error_is_not_taken);
    RUN_TEST(test_a_toss_of_the_same_law_has_no_error_and_of_another_one_has);
    RUN_TEST(test_friction_and_restitution_come_back);
    RUN_TEST(test_friction_stiffness_and_damping_come_back);
    RUN_TEST(test_intervals_hold_the_value_and_equal_scores_have_no_difference);
    RUN_TEST(test_a_recording_that_never_comes_down_on_the_table_is_refused);
    RUN_TEST(test_the_command_fits_scores_and_writes_its_files);
    return UNITY_END();
}
