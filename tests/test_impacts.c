/* Impacts with restitution: energy and momentum, balls in a row, Kane's paradox, random tosses, rims that roll. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "slipstick_parts.h"
#include "chain_aid.h"
#include "scene_aid.h"

#define FLOATS (sizeof(slip_real) == 4)

void setUp(void) { aid_forget(); }
void tearDown(void) { }

static char text[4000];

static double energy(slip_world *w) { return aid_energy_of(w); }

/* Beside default: solvers of the NCP, of RaiSim's law and of the CCP. */
enum { OTHERS = 3 };
static const slip_solver *const others[OTHERS] = { &slip_solver_ncp_admm, &slip_solver_raisim_bisection,
                                                   &slip_solver_ccp_newton };

/* A world of `text`; solver NULL: default. */
static slip_world *start_with(const slip_solver *solver)
{
    slip_scene *s = aid_read(text);

    if (solver) s->world.options.solver = solver;
    return aid_start(s);
}

/* ---- balls in a row ------------------------------------------------------------------------------------------- */

/* Three balls of 1 kg and r = 0.1 along x, the first at 1 m/s, the third `gap` behind the second, e = 1. */
static slip_world *three_balls(double gap, const char *law, const slip_solver *solver)
{
    snprintf(text, sizeof text, "<scene name='row'><simulation dt='0.001' gravity='0 0 0' impact='%s'/>"
             "<surface name='default' friction='0' restitution='1'/>"
             "<body name='b0' mass='1' velocity='1 0 0'><origin xyz='-0.25 0 0'/><geometry><sphere radius='0.1'/></geometry></body>"
             "<body name='b1' mass='1'><geometry><sphere radius='0.1'/></geometry></body>"
             "<body name='b2' mass='1'><origin xyz='%.17g 0 0'/><geometry><sphere radius='0.1'/></geometry></body></scene>",
             law, 0.2 + gap);
    return start_with(solver);
}

static void balls_keep_energy_and_momentum(double gap, const char *law, const slip_solver *solver)
{
    slip_world *w = three_balls(gap, law, solver);
    const double tolerance = FLOATS ? 1e-4 : 1e-9;
    double sum = 0;
    char what[120];

    snprintf(what, sizeof what, "gap %g m, %s, %s", gap, law, slip_world_options_of(w)->solver->id);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, aid_steps(w, 400), what);
    for (int i = 0; i < 3; ++i) sum += (double)slip_world_v(w)[6*i];
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tolerance, 0.5, energy(w), what);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tolerance, 1, sum, what);
    aid_forget();
}

static void test_three_balls_keep_energy_and_momentum_whatever_the_gap(void)
{
    static const double gaps[] = { 0, 1e-9, 1e-6, 1e-5, 1e-4, 3e-4, 5e-4, 9e-4, 1e-3 };

    for (int i = 0; i < (int)(sizeof gaps/sizeof *gaps); ++i) {
        balls_keep_energy_and_momentum(gaps[i], "bounded", NULL);
        balls_keep_energy_and_momentum(gaps[i], "sequential", NULL);
    }
}

static void test_the_same_with_solvers_of_other_models(void)
{
    static const slip_solver *const solvers[] = { &slip_solver_ncp_admm, &slip_solver_raisim_bisection, &slip_solver_ncp_gs,
                                                 &slip_solver_ccp_newton };

    for (int i = 0; i < 4; ++i) {
        balls_keep_energy_and_momentum(0, "bounded", solvers[i]);
        balls_keep_energy_and_momentum(3e-4, "bounded", solvers[i]);
    }
}

/* Touching balls are one problem: v = (-1, 2, 2)/3. Ball by ball the last one takes all. */
static void test_touching_balls_share_an_impulse_or_pass_it_on(void)
{
    const double tolerance = FLOATS ? 1e-4 : 1e-8;
    slip_world *w = three_balls(0, "bounded", NULL);

    aid_steps(w, 400);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, -1.0/3, (double)slip_world_v(w)[0]);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, 2.0/3, (double)slip_world_v(w)[6]);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, 2.0/3, (double)slip_world_v(w)[12]);
    w = three_balls(0, "sequential", NULL);
    aid_steps(w, 400);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, 0, (double)slip_world_v(w)[0]);
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, 1, (double)slip_world_v(w)[12]);
}

/* ---- one body on the ground ------------------------------------------------------------------------------------- */

/* SimBenchmark's ball: 5 m high, e = 1, 20 s. The energy is the same at every step. */
static void test_a_ball_bounces_for_ever(void)
{
    slip_world *w = aid_start(aid_read("<scene name='b'><simulation dt='0.001'/><surface name='default' friction='0' restitution='1'/>"
                                       "<ground/><body name='ball' mass='10'><origin xyz='0 0 5'/><geometry><sphere radius='0.1'/>"
                                       "</geometry></body></scene>"));
    const double start = energy(w), tolerance = FLOATS ? 0.5 : 1e-9;

    for (int k = 0; k < 200; ++k) {
        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 100));
        TEST_ASSERT_DOUBLE_WITHIN(tolerance, start, energy(w));
        TEST_ASSERT(aid_body_q(w, "ball")[2] > SLIP_R(0.0999));
    }
}

/* A bounce of e = 0.8 ends, after 1/(1 - e) times the first bounce's time, at rest, and then stays. */
static void test_bounces_that_get_smaller_end_at_rest(void)
{
    slip_world *w = aid_start(aid_read("<scene name='b'><simulation dt='0.001'/><surface name='default' restitution='0.8'/>"
                                       "<ground/><body name='ball' mass='1'><origin xyz='0 0 0.5'/><geometry><sphere radius='0.1'/>"
                                       "</geometry></body></scene>"));
    const double end = sqrt(2*0.4/9.81)*(1 + 2*0.8/(1 - 0.8));

    aid_steps(w, (int)(end*1000) + 50);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-4 : 1e-7, 0.1, (double)aid_body_q(w, "ball")[2]);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-3 : 1e-9, 0, (double)aid_body_v(w, "ball")[2]);
}

/* A ball on a slab that rests on the ground: its support does not count as an approach, and no energy is lost. */
static void test_a_ball_bounces_on_what_rests(void)
{
    slip_world *w = aid_start(aid_read("<scene name='s'><surface name='default' friction='0' restitution='1'/><ground/><body name='slab' "
        "mass='10'><origin xyz='0 0 0.05'/><geometry><box size='1 1 0.1'/></geometry></body><body name='b' mass='1'>"
        "<origin xyz='0 0 0.3'/><geometry><sphere radius='0.05'/></geometry></body></scene>"));
    const double start = energy(w);

    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 3000));
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 0.05 : 1e-6, start, energy(w));
}

/* A ball of 1 kg falls on one of 1 g that lies just above the ground: some hundred hits in a step, all of them elastic. */
static void test_a_light_ball_between_heavy_ones_passes_all_energy_on(void)
{
    slip_world *w = aid_start(aid_read("<scene name='p'><surface name='default' friction='0' restitution='1'/><ground/><body name='light' "
        "mass='0.001'><origin xyz='0 0 0.0501'/><geometry><sphere radius='0.05'/></geometry></body><body name='heavy' mass='1'>"
        "<origin xyz='0 0 0.4'/><geometry><sphere radius='0.05'/></geometry></body></scene>"));
    const double start = energy(w);

    if (FLOATS) TEST_IGNORE_MESSAGE("skipped: hundreds of hits in single precision");
    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 1000));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, start, energy(w));
}

/* Kane's rod: it falls aslant, and Newton's law with friction creates energy at the first hit; the bounded law does not. */
static double rod_gains(const char *law, const slip_solver *solver)
{
    slip_world *w;
    double before, after, most = 0;

    snprintf(text, sizeof text, "<scene name='k'><simulation dt='0.001' impact='%s'/><surface name='default' friction='0.6' "
             "restitution='1'/><ground/><body name='rod' mass='1' velocity='1.5 0 -2' angular='0 0 0'><origin xyz='0 0 0.5' "
             "rpy='0 0.9 0'/><geometry><capsule radius='0.02' length='0.6'/></geometry></body></scene>", law);
    w = start_with(solver);
    for (int k = 0; k < 400; ++k) {
        before = energy(w);
        if (aid_steps(w, 1) != SLIP_OK) TEST_ASSERT_MESSAGE(solver, "default misses its tolerance");
        after = energy(w);
        most = fmax(most, after/before - 1);
    }
    aid_forget();
    return most;
}

/* In the hit in which Newton's law gains most the bounded one takes the largest share of the restitution that creates
 * no energy: it is known to 1e-10, and so is the energy. */
static void test_the_bounded_law_loses_no_energy_where_newtons_would_gain(void)
{
    slip_world *w = aid_start(aid_read("<scene name='k'><simulation dt='0.001'/><surface name='default' friction='0.6' "
        "restitution='1'/><ground/><body name='rod' mass='1' velocity='1.5 0 -2'><origin xyz='0 0 0.5' rpy='0 0.9 0'/>"
        "<geometry><capsule radius='0.02' length='0.6'/></geometry></body></scene>"));
    double start = energy(w);
    int solves = 0;

    for (int k = 0; k < 200 && solves == 0; ++k) {
        aid_steps(w, 1);
        solves = slip_world_stats(w)->impacts;
    }
    printf("# %d solves, energy %.3g of what it was\n", solves, energy(w)/start - 1);
    if (!FLOATS) TEST_ASSERT_INT_WITHIN(1, 34, solves);  /* with s = 1, s = 0, 34 halvings at most, the lower end */
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-3 : 1e-9, 1, energy(w)/start);
}

static void test_kanes_rod_gains_energy_by_newtons_law_and_none_by_the_bounded_one(void)
{
    for (int i = 0; i <= OTHERS; ++i) {
        const slip_solver *solver = i < OTHERS ? others[i] : NULL;

        if (i != 2) TEST_ASSERT(rod_gains("newton", solver) > 0.01);         /* the CCP's impulse is another one */
        TEST_ASSERT(rod_gains("bounded", solver) < (FLOATS ? 1e-4 : 1e-7));
        TEST_ASSERT(rod_gains("sequential", solver) < (FLOATS ? 1e-4 : 1e-7));
    }
}

/* ---- random tosses ---------------------------------------------------------------------------------------------- */

enum { SHAPES = 9 };
static const char *const shapes[SHAPES] = {
    "<box size='0.1 0.2 0.3'/>", "<box size='0.2 0.2 0.2'/>", "<cylinder radius='0.02' length='0.5'/>",
    "<capsule radius='0.05' length='0.3'/>", "<mesh filename='foot.obj' scale='0.0015 0.0015 0.0015'/>",
    "<cylinder radius='0.1' length='0.01'/>", "<ellipsoid radii='0.1 0.07 0.04'/>",
    "<cylinder radius='0.1' length='0.2'/>", "<sphere radius='0.1'/>" };

static int add_body(char *at, size_t room, const char *name, double mass, double z, const double x[9],
                    const char *shape)
{
    return snprintf(at, room, "<body name='%s' mass='%g' velocity='%g %g %g' angular='%g %g %g'><origin xyz='0 0 %g' "
                    "rpy='%g %g %g'/><geometry>%s</geometry></body>", name, mass, x[0], x[1], x[2] - 1, 6*x[3], 6*x[4],
                    6*x[5], z, x[6], x[7], x[8], shape);
}

static double toss_dt = 0.001;

/* Toss k: shape, e of 0, 0.5, 0.8, 1 and mu of 0, 0.3, 1 in turn, a second body that falls on the first where `two` is
 * set; the largest rise of the energy in a step, of what it was at the start. Elastic ones without friction may lose
 * none either, but in steps that say that they missed their tolerance. */
static double toss(slip_random *rng, int k, int two, int steps, const slip_solver *solver)
{
    static const double es[] = { 0, 0.5, 0.8, 1 }, mus[] = { 0, 0.3, 1 };
    const double e = es[k/SHAPES % 4], mu = mus[k/(4*SHAPES) % 3];
    const int keeps = e + mu*1e3 == 1;
    double start, before, most = 0, x[9];
    slip_world *w;
    int n = snprintf(text, sizeof text, "<scene name='t'><simulation dt='%g'/><surface name='default' friction='%g' "
                     "restitution='%g'/><ground/>", toss_dt, mu, e);

    for (int i = 0; i < 9; ++i) x[i] = (double)slip_random_normal(rng);
    n += add_body(text + n, sizeof text - (size_t)n, "b", 1, 0.4, x, shapes[k % SHAPES]);
    for (int i = 2; i < 9; ++i) x[i] = (double)slip_random_normal(rng);       /* the same way over the ground */
    if (two) n += add_body(text + n, sizeof text - (size_t)n, "c", exp(x[2]), 0.9, x, shapes[k/SHAPES % SHAPES]);
    snprintf(text + n, sizeof text - (size_t)n, "</scene>");
    w = start_with(solver);
    start = before = energy(w);
    for (int i = 0; i < steps; ++i) {
        const slip_status s = aid_steps(w, 1);
        const double after = energy(w), change = (after - before)/start;

        TEST_ASSERT(s >= 0);
        most = fmax(most, keeps && s == SLIP_OK ? fabs(change) : change);
        before = after;
    }
    aid_forget();
    return most;
}

/* Bodies that have come to rest are lifted by 5e-4 of the energy in a second, src/sim/lift.c. */
static void tosses_gain_nothing(int count, int two, int steps, const slip_solver *solver)
{
    slip_random rng = slip_random_seed(5);
    double worst = 0;

    for (int k = 0; k < count; ++k) worst = fmax(worst, toss(&rng, k, two, steps, solver));
    printf("# %d tosses%s, %s: energy rises by %.2g of it at most in a step\n", count, two ? " of two bodies" : "",
           solver ? solver->id : "default", worst);
    TEST_ASSERT(worst < (FLOATS ? 1e-3 : 1e-6*fmax(1, toss_dt/0.001)));
}

static void test_no_step_of_a_thousand_tosses_creates_energy(void)
{
    tosses_gain_nothing(FLOATS ? 108 : 1000, 0, 800, NULL);
}

static void test_nor_of_a_body_that_falls_on_another(void) { tosses_gain_nothing(FLOATS ? 54 : 324, 1, 800, NULL); }

/* An overlap that a step of 4 ms makes may be deeper than the margin; it was pushed out as one that was put there, and
 * added 1.8e-4 of the energy in a step. */
static void test_nor_with_other_steps(void)
{
    toss_dt = 0.004;
    tosses_gain_nothing(FLOATS ? 36 : 216, 0, 400, NULL);
    tosses_gain_nothing(FLOATS ? 36 : 108, 1, 400, NULL);
    toss_dt = 0.0002;
    tosses_gain_nothing(FLOATS ? 36 : 108, 0, 2500, NULL);
    toss_dt = 0.001;
}

/* The bound follows from lambda . sigma <= 0, which holds in each of these models: the NCP's and RaiSim's normal
 * impulse does no work on sigma and their friction opposes it, the CCP's impulse is orthogonal to it. */
static void test_the_same_tosses_with_solvers_of_other_models(void)
{
    for (int i = 0; i < OTHERS; ++i) {
        tosses_gain_nothing(FLOATS ? 36 : 108, 0, 600, others[i]);
        if (!FLOATS) tosses_gain_nothing(36, 1, 600, others[i]);
    }
}

/* An elastic hit without friction keeps the energy to the tolerance of its problem, also by a solver that only comes as
 * close as it is asked to. */
static void test_elastic_tosses_keep_energy_to_the_tolerance_of_impact_problems(void)
{
    slip_random rng = slip_random_seed(5);
    double worst = 0;

    for (int k = 3*SHAPES; k < 4*SHAPES; ++k) worst = fmax(worst, toss(&rng, k, 0, 600, &slip_solver_ncp_admm));
    printf("# elastic tosses, ncp-admm: %.2g\n", worst);
    TEST_ASSERT(worst < (FLOATS ? 1e-3 : 3e-11));
}

/* A contact that the step's row would stop is struck before, also where an arc or the smooth forces bring it there, and
 * however fast the body spins: else its approach is lost. Of tosses of 2 s one in 40 lost between 0.1 and 16 % of its
 * energy in one step, without a word. */
static void test_elastic_tosses_lose_nothing(void)
{
    slip_random rng = slip_random_seed(41);
    double worst[2] = { 0, 0 };

    for (int two = 0; two < 2; ++two)
        for (int n = 0; n < (FLOATS ? 2 : 16)*SHAPES; ++n)
            worst[two] = fmax(worst[two], toss(&rng, 3*SHAPES + n % SHAPES, two, 2000, NULL));
    printf("# elastic tosses, 2 s: %.2g, of two bodies %.2g\n", worst[0], worst[1]);
    TEST_ASSERT(worst[0] < (FLOATS ? 1e-3 : 1e-10));
    TEST_ASSERT(worst[1] < (FLOATS ? 1e-3 : 1e-10));
}

/* ---- scenes of another size ------------------------------------------------------------------------------------- */

/* Lengths times L, and times and velocities times its root, with the same weight: options with a length or a velocity
 * are scaled as well, and nothing else may have one. A box, a ball and a rod bounce, slide and roll for 0.6 s. */
static slip_world *scaled(double L, double rest_speed)
{
    const double T = sqrt(L);

    snprintf(text, sizeof text, "<scene name='s'><simulation dt='%.17g' margin='%.17g' slop='%.17g' max_push='%.17g' "
             "rest_speed='%.17g'/><surface name='default' friction='0.4' restitution='0.5'/><ground/>"
             "<body name='a' mass='1' velocity='%.17g 0 0' angular='0 %.17g %.17g'>"
             "<origin xyz='0 0 %.17g' rpy='0.3 0.2 0'/>"
             "<geometry><box size='%.17g %.17g %.17g'/></geometry></body>"
             "<body name='b' mass='2'><origin xyz='%.17g 0 %.17g'/><geometry><sphere radius='%.17g'/></geometry></body>"
             "<body name='c' mass='0.5'><origin xyz='%.17g 0 %.17g' rpy='0.5 0 0'/><geometry><cylinder radius='%.17g' "
             "length='%.17g'/></geometry></body></scene>", 1e-3*T, 2e-3*L, 1e-8*L, 0.1*T, rest_speed*T, 0.5*T, 2/T, 1/T,
             0.3*L, 0.2*L, 0.1*L, 0.15*L, -0.5*L, 0.4*L, 0.06*L, 0.4*L, 0.4*L, 0.05*L, 0.2*L);
    return start_with(NULL);
}

static void test_a_scene_a_hundred_times_as_large_does_the_same(void)
{
    enum { STEPS = 600 };
    double small[21], off = 0, moved = 0;

    if (FLOATS) TEST_IGNORE_MESSAGE("rounding decides hits in float");
    for (int rests = 0; rests < 2; ++rests) {
        slip_world *w = scaled(1, rests ? 1.5 : 0);

        aid_steps(w, STEPS);
        for (int i = 0; i < 21; ++i) small[i] = (double)slip_world_q(w)[i];
        aid_forget();
        w = scaled(100, rests ? 1.5 : 0);
        aid_steps(w, STEPS);
        for (int i = 0; i < 21; ++i)
            off = fmax(off, fabs((double)slip_world_q(w)[i]/(i % 7 < 3 ? 100 : 1) - small[i]));
        aid_forget();
        moved = fabs(small[9] - moved);
    }
    printf("# 100 times as large: positions off by %.2g of the size\n", off);
    TEST_ASSERT_MESSAGE(moved > 1e-6, "rest_speed counts");
    TEST_ASSERT(off < 1e-5);
}

/* ---- a disc that lands on its rim ------------------------------------------------------------------------------- */

/* With e = 0, its contact goes round at once. Without the arc in its row it would be 40 um deep a step later. */
static void test_a_disc_that_lands_on_its_rim_does_not_dip_into_the_ground(void)
{
    slip_world *w = aid_start(aid_read("<scene name='d'><simulation dt='0.001'/><surface name='default' friction='0'/>"
        "<ground/><body name='disk' mass='1' velocity='0 0 -2' angular='6 -12 2'><origin xyz='0 0 0.2' rpy='0.6 0.2 0'/>"
        "<geometry><cylinder radius='0.1' length='0.01'/></geometry></body></scene>"));
    double deepest = 0;
    int after = 0;

    for (int k = 0; k < 300 && after < 5; ++k) {
        const double before = energy(w);

        aid_steps(w, 1);
        if (after > 0 || energy(w) < 0.999*before) ++after;
        deepest = fmax(deepest, (double)slip_world_stats(w)->penetration);
    }
    TEST_ASSERT_EQUAL_INT(5, after);
    printf("# overlap after the hit: %.2g m\n", deepest);
    TEST_ASSERT(deepest < 1e-5);
}

/* An overlap of a pair that touched before counts as made by steps: it goes by the slop in every second one, since the
 * speed that one step lifts by is what the next may not add to. */
static void test_an_overlap_that_steps_make_goes_slowly(void)
{
    slip_world *w = aid_start(aid_read("<scene name='o'><ground/><body name='b' mass='1'><origin xyz='0 0 0.1'/>"
                                       "<geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>"));
    const double slop = (double)slip_world_options_of(w)->slop;
    double first;

    aid_steps(w, 10);
    aid_body_q(w, "b")[2] -= (slip_real)(100*slop);
    aid_steps(w, 2);
    first = (double)aid_body_q(w, "b")[2];
    aid_steps(w, 20);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 3*slop : slop, 10*slop, (double)aid_body_q(w, "b")[2] - first);
}

/* What a fall took pays for lifting the body, by at most 5e-4 of its height a second: src/sim/lift.c. */
static void test_what_a_fall_took_pays_for_an_overlap_that_steps_make(void)
{
    const double rate = 5e-4*0.5, depth = 1e-4, weight = 9.81, slop = FLOATS ? 1e-6 : 1e-8;
    slip_world *w = aid_start(aid_read("<scene name='o'><ground/><body name='b' mass='1'><origin xyz='0 0 0.6'/>"
                                       "<geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>"));
    double before, most = 0, first, rise;

    aid_steps(w, 500);
    aid_body_q(w, "b")[2] -= (slip_real)depth;
    aid_steps(w, 2);
    first = (double)aid_body_q(w, "b")[2];
    before = energy(w);
    for (int k = 0; k < 200; ++k) {
        aid_steps(w, 1);
        most = fmax(most, energy(w) - before);
        before = energy(w);
    }
    rise = (double)aid_body_q(w, "b")[2] - first;
    TEST_ASSERT(rise > 0.3*0.2*rate);                    /* the second step of a hit is not counted */
    TEST_ASSERT(rise < 1.1*0.2*rate + 100*slop);
    TEST_ASSERT(most < (FLOATS ? 1e-4 : 1.1*1e-3*rate*weight));
    aid_steps(w, 1500);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 2e-4 : 1e-6, 0.1, (double)aid_body_q(w, "b")[2]);
}

/* A disc that lands spinning turns its rim 1.4 mm into the ground, and comes to rest; the overlap lasted for minutes. */
static void test_a_disc_that_comes_to_rest_does_not_overlap(void)
{
    slip_world *w = aid_start(aid_read("<scene name='t'><simulation dt='0.001'/>"
        "<surface name='default' friction='0.3' rolling='5e-4'/>"
        "<ground/><body name='b' mass='1' velocity='1.28874 -1.24016 0.0259931' angular='-4.0967 -9.25832 47.1726'>"
        "<origin xyz='0 0 0.7' rpy='0.184763 0.459637 -0.6332'/><geometry><cylinder radius='0.1' length='0.004'/></geometry></body></scene>"));
    double deepest = 0;

    for (int k = 0; k < 6000; ++k) {
        aid_steps(w, 1);
        deepest = fmax(deepest, (double)slip_world_stats(w)->penetration);
    }
    printf("# a disc that lands: overlap %.2g m, at rest %.2g m\n", deepest, (double)slip_world_stats(w)->penetration);
    TEST_ASSERT(deepest > 1e-4);
    TEST_ASSERT((double)slip_world_stats(w)->penetration < (FLOATS ? 2e-4 : 3e-6));
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 2e-3 : 3e-5, 0.002*9.81, energy(w));
}

/* Discs that land flat, whose lowest point runs by up to a radian in a step of 4 ms: while its row stood for the points
 * beside it, and the far side of a leaning rim had no contact, 10 of 24 came to rest 0.5 to 4.7 mm deep. Rolling
 * friction brings them to rest: those that still go round are deeper. */
static void test_discs_that_land_flat_do_not_turn_their_rims_into_the_ground(void)
{
    slip_random rng = slip_random_seed(3);
    double worst = 0, rest = 0;

    for (int k = 0; k < 24; ++k) {
        double x[9], depth, speed = 0;
        slip_world *w;
        int n = snprintf(text, sizeof text, "<scene name='t'><simulation dt='0.004'/><surface name='default' "
                         "friction='0.3' rolling='5e-4'/><ground/>");

        for (int i = 0; i < 9; ++i) x[i] = (double)slip_random_normal(&rng);
        snprintf(text + n, sizeof text - (size_t)n, "<body name='b' mass='1' velocity='%g %g %g' angular='%g %g %g'>"
                 "<origin xyz='0 0 0.5' rpy='%g %g %g'/><geometry><cylinder radius='0.1' length='0.004'/></geometry>"
                 "</body></scene>", x[0], x[1], x[2], 10*x[3], 10*x[4], 10*x[5], x[6], x[7], x[8]);
        w = start_with(NULL);
        aid_steps(w, 2500);
        depth = (double)slip_world_stats(w)->penetration;
        for (int i = 0; i < 6; ++i) speed = fmax(speed, fabs((double)slip_world_v(w)[i]));
        worst = fmax(worst, depth);
        if (speed < 0.1) rest = fmax(rest, depth);
        aid_forget();
    }
    printf("# discs that land at 4 ms: overlap after 10 s %.2g m, at rest %.2g m\n", worst, rest);
    TEST_ASSERT(worst < (FLOATS ? 1e-3 : 3e-4));
    TEST_ASSERT(rest < (FLOATS ? 1e-3 : 1e-5));          /* in float one is still being lifted */
}

/* An overlap that is put there is worked off at erp and max_push, as ever. */
static void test_an_overlap_that_was_put_there_is_worked_off_at_once(void)
{
    slip_world *w = aid_start(aid_read("<scene name='o'><ground/><body name='b' mass='1'><origin xyz='0 0 0.0999'/>"
                                       "<geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>"));

    aid_steps(w, 20);
    TEST_ASSERT(aid_body_q(w, "b")[2] > SLIP_R(0.09999));
}

/* ---- trees that are hit ---------------------------------------------------------------------------------------- */

/* SimBenchmark's ANYmal floats without gravity and is hit by a ball of 10 kg at 5 m/s, without restitution. The hit takes
 * two steps: the first one closes the gap. With bias forces at the velocity before, the momentum of 50 kg m/s was off by
 * 5e-3. */
static void test_a_tree_that_is_hit_keeps_its_momentum(void)
{
    slip_world *w = aid_start(aid_open("models/simbenchmark/anymal_momentum.xml"));
    const double start = energy(w);
    slip_real p[6];

    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 1500));
    TEST_ASSERT_MESSAGE(energy(w) < 0.9*start, "it is hit");
    slip_momentum(slip_world_model(w), slip_world_data(w), p);
    printf("# momentum off by %.2g, %.2g, %.2g\n", (double)p[0], (double)p[1] - 50, (double)p[2]);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 0.05 : 1e-3, 50, (double)p[1]);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 0.05 : 1e-3, 0, (double)p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 0.05 : 1e-3, 0, (double)p[2]);
}

/* What else there is: nothing, hardly any dry friction or damping by a drive in the last joint, a drive of another tree. */
enum { PLAIN, STICKY, DRIVEN, BESIDE, KINDS };

/* Three slender links in a row, hinged about random axes and thrown at the ground; free, or on a ball joint above it. */
static slip_world *chain(slip_random *rng, double mu, int hangs, int kind)
{
    static aid_chain c;
    const double length = 0.3, r = 0.03;
    slip_real down[3] = { 0, 0, -3 }, R[9], x[4], *q, *v;
    slip_world *w;

    aid_chain_begin(&c);
    c.material.friction = (slip_real)mu;
    c.material.restitution = 1;
    slip_set3(0, 0, SLIP_R(-9.81), c.def.gravity);
    for (int i = 0; i < 3; ++i) {
        const double m = exp(0.5*(double)slip_random_normal(rng));
        const slip_joint_type root = hangs ? SLIP_JOINT_BALL : SLIP_JOINT_FLOATING;
        const slip_joint_type type = i == 0 ? root : SLIP_JOINT_REVOLUTE;
        const slip_shape rod = slip_shape_capsule((slip_real)r, (slip_real)(length/2 - r));
        slip_joint_def *j = aid_chain_link(&c, type, i - 1, m, length/2, m*length*length/12);
        slip_real *turned = aid_chain_shape(&c, i, rod, length/2, 0, 0)->pose.R;

        c.links[i].inertia[0] = (slip_real)(m*r*r/2);
        for (int k = 0; k < 3; ++k) x[k] = slip_random_normal(rng);
        slip_normalize3(x, j->axis);
        j->origin.p[0] = (slip_real)(i > 0 ? length : 0);
        j->origin.p[2] = SLIP_R(0.5)*(slip_real)(i == 0 && hangs);
        turned[0] = turned[8] = 0;                       /* from z, the capsule's axis, to x */
        turned[2] = 1;
        turned[6] = -1;
    }
    if (kind == STICKY) c.joints[2].friction = SLIP_R(1e-6);
    if (kind == BESIDE) slip_set3(0, 0, 1, aid_chain_link(&c, SLIP_JOINT_REVOLUTE, -1, 1, 0, 1)->axis);
    aid_chain_shape(&c, -1, slip_shape_halfspace(), 0, 0, 0);
    w = aid_chain_build(&c);
    q = slip_world_q(w);
    v = slip_world_v(w);
    for (int k = 0; k < 4; ++k) x[k] = slip_random_normal(rng);
    slip_quat_normalize(x, x);
    if (!hangs) {
        q[2] = 1;
        memcpy(q + 3, x, sizeof x);
        slip_quat_to_mat3(x, R);
        slip_mat3_tvec(R, down, v);
    }
    for (int k = hangs ? 0 : 3; k < (hangs ? 5 : 8); ++k) v[k] = 3*slip_random_normal(rng);
    if (kind >= DRIVEN) slip_world_drive(w, slip_world_model(w)->nv - 1)->kd = SLIP_R(1e-6);
    return w;
}

/* The hits of 48 chains: by how much the energy rises in a step with impacts; without friction also how much it falls. */
static void hit_chains(int kind, double *up, double *down)
{
    slip_random rng = slip_random_seed(7);
    int hits = 0;

    *up = *down = 0;
    for (int n = 0; n < (kind == PLAIN ? 48 : 24); ++n) {
        const double mu = n % 2 ? 0.6 : 0;
        slip_world *w = chain(&rng, mu, n/2 % 2, kind);
        const double start = energy(w);
        double before = start;

        for (int k = 0; k < 700; ++k) {
            double change;

            TEST_ASSERT(aid_steps(w, 1) >= 0);
            change = (energy(w) - before)/start;
            before += start*change;
            if (slip_world_stats(w)->impacts == 0) continue;
            ++hits;
            *up = fmax(*up, change);
            if (n % 2 == 0) *down = fmin(*down, change);
        }
    }
    printf("# %d hits: energy changes by %.2g, without friction also by %.2g\n", hits, *up, *down);
    TEST_ASSERT(hits > 25);
}

/* An elastic hit of a linkage keeps its energy, with friction it gains none: the errors of the bias forces in the two
 * halves of the step added up to 1.3e-2 of it. */
static void test_elastic_linkages_keep_their_energy_in_a_hit(void)
{
    double up, down;

    hit_chains(PLAIN, &up, &down);
    TEST_ASSERT(up < (FLOATS ? 1e-4 : 1e-9));
    TEST_ASSERT(down > (FLOATS ? -1e-4 : -1e-9));
}

/* So it does with dry friction or a drive in it, whose work is known, or if something else in the world has a drive. Hits
 * of such worlds were left alone and gained up to a fifth. The drive keeps its torque where the velocity is set right. */
static void test_so_do_linkages_with_friction_or_drives_or_beside_one(void)
{
    double up, down;

    for (int kind = STICKY; kind < KINDS; ++kind) {
        hit_chains(kind, &up, &down);
        TEST_ASSERT(up < (FLOATS ? 1e-4 : 1e-7));        /* c w^2 dt at 40 rad/s is 2e-7 of it */
        TEST_ASSERT(down > (FLOATS ? -1e-4 : -1e-6));
    }
}

/* ---- Euler's disk ----------------------------------------------------------------------------------------------- */

#define DISK_R 0.1
#define DISK_H 0.0005          /* half its thickness */

/* Thin, tilted by a, with its centre at rest: the contact runs round at sqrt(4 g/(r sin a)). */
static slip_world *disk(double dt, double a, double rolling, const slip_solver *solver)
{
    const double spin = sqrt(4*9.81/(DISK_R*sin(a)))*sin(a);

    snprintf(text, sizeof text, "<scene name='d'><simulation dt='%g'/><surface name='default' friction='1' rolling='%g'/>"
             "<ground/><body name='disk' mass='1' angular='0 %.17g %.17g'><origin xyz='0 0 %.17g' rpy='%.17g 0 0'/>"
             "<geometry><cylinder radius='%g' length='%g'/></geometry></body></scene>", dt, rolling, spin*cos(a), spin*sin(a),
             DISK_R*sin(a) + DISK_H*cos(a), a, DISK_R, 2*DISK_H);
    return start_with(solver);
}

/* The disk's axis in the world: its third component is the cosine of the tilt. */
static void axis_of(slip_world *w, double axis[3])
{
    const slip_real *q = aid_body_q(w, "disk") + 3;
    const double x = (double)q[0], y = (double)q[1], z = (double)q[2], s = (double)q[3];

    axis[0] = 2*(x*z + s*y);
    axis[1] = 2*(y*z - s*x);
    axis[2] = 1 - 2*(x*x + y*y);
}

static void disk_keeps(double dt, double tilt, double loss, const slip_solver *solver)
{
    slip_world *w = disk(dt, tilt, 0, solver);
    const double start = energy(w);
    double most = 0, before = start, axis[3];

    for (int k = 0; k < 2/dt; ++k) {
        double after;

        TEST_ASSERT(aid_steps(w, 1) >= 0);
        after = energy(w);
        most = fmax(most, (after - before)/start);
        before = after;
    }
    axis_of(w, axis);
    printf("# Euler's disk at %g rad, %g s, %s: energy rises by %.2g of it at most in a step, after 2 s %.6f\n",
           tilt, dt, solver ? solver->id : "default", most, before/start);
    TEST_ASSERT_MESSAGE(most < (FLOATS ? 1e-3 : 1e-6), "energy");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(FLOATS ? 0.05 : loss, 1, before/start, "energy at the end");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(FLOATS ? 0.05 : loss, 1, acos(axis[2])/tilt, "tilt");
    aid_forget();
}

static void test_eulers_disk_keeps_its_tilt_and_gains_no_energy(void)
{
    disk_keeps(0.001, 0.5, 5e-3, NULL);
    disk_keeps(0.001, 0.1, 1e-3, NULL);
    if (!FLOATS) disk_keeps(0.004, 0.1, 1e-2, NULL);     /* the lowest point runs by a quarter of a radian in a step */
    for (int i = 0; i < OTHERS; ++i) disk_keeps(0.001, 0.5, 5e-3, others[i]);
}

/* A rim that goes round leaves its arc by 20 nm in a step, always downwards. That is worked off by the approach: the disk
 * sank by 20 um a second while half of each approach was lost. */
static void test_a_rim_that_goes_round_does_not_sink(void)
{
    slip_world *w = disk(0.001, 0.5, 0, NULL);
    double start = energy(w), deepest = 0;

    for (int k = 0; k < 10000; ++k) {
        TEST_ASSERT(aid_steps(w, 1) >= 0);
        deepest = fmax(deepest, (double)slip_world_stats(w)->penetration);
    }
    printf("# Euler's disk, 10 s: overlap at most %.2g m, energy %.6f\n", deepest, energy(w)/start);
    TEST_ASSERT_MESSAGE(deepest < (FLOATS ? 1e-3 : 3e-5), "overlap");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(FLOATS ? 0.05 : 3e-4, 1, energy(w)/start, "energy");
}

/* Discs that begin to roll on their rims in all ways, most of them with nutation: what the rows leave out of their way
 * does not add up. */
static void test_rims_that_roll_do_not_sink(void)
{
    slip_random rng = slip_random_seed(9);
    double deepest = 0, later = 0;

    for (int k = 0; k < 16; ++k) {
        const double a = 0.3 + 1.2*(double)slip_random_uniform(&rng, 0, 1), half = 0.0025;
        const double s = 3 + 20*(double)slip_random_uniform(&rng, 0, 1);
        const double x = 2*(double)slip_random_normal(&rng), n = 2*(double)slip_random_normal(&rng);
        const double w[3] = { x, cos(a)*n - sin(a)*s, sin(a)*n + cos(a)*s };
        const double r[3] = { 0, -DISK_R*cos(a) + half*sin(a), -DISK_R*sin(a) - half*cos(a) };      /* lowest */
        double early = 0;
        slip_world *world;

        snprintf(text, sizeof text, "<scene name='d'><surface name='default' friction='%d'/><ground/><body name='disk' "
                 "mass='1' velocity='%.17g %.17g %.17g' angular='%.17g %.17g %.17g'>"
                 "<origin xyz='0 0 %.17g' rpy='%.17g 0 0'/>"
                 "<geometry><cylinder radius='%g' length='%g'/></geometry></body></scene>", k % 2,
                 w[2]*r[1] - w[1]*r[2], w[0]*r[2], -w[0]*r[1], w[0], w[1], w[2], -r[2], a, DISK_R, 2*half);
        world = start_with(NULL);
        for (int i = 0; i < 8000; ++i) {
            aid_steps(world, 1);
            if (i < 2000) early = fmax(early, (double)slip_world_stats(world)->penetration);
            else later = fmax(later, (double)slip_world_stats(world)->penetration);
        }
        deepest = fmax(deepest, early);
        aid_forget();
    }
    printf("# rims that roll: overlap %.2g m in the first two seconds, %.2g m in six more\n", deepest, later);
    TEST_ASSERT(deepest < (FLOATS ? 2e-3 : 1e-4));
    TEST_ASSERT(later < (FLOATS ? 2e-3 : 1e-4));
}

/* A coin that spins on its rim without friction leans over, to 0.27 rad, and gets up again; there the lowest point runs
 * round at 88 rad/s. Nothing takes energy from it but the step: 1e-4 a second. */
static void test_a_coin_that_nods_without_friction_keeps_its_energy(void)
{
    slip_world *w = aid_start(aid_read("<scene name='c'><simulation dt='0.001'/><surface name='default' friction='0'/>"
                                       "<ground/><body name='disk' mass='1' velocity='0.9 0 0' angular='0 0.3 9'>"
                                       "<origin xyz='0 0 0.0989699' rpy='1.4 0 0'/><geometry><cylinder radius='0.1' "
                                       "length='0.005'/></geometry></body></scene>"));
    const double start = energy(w);
    double axis[3], low = 2;

    for (int k = 0; k < 4000; ++k) {
        TEST_ASSERT(aid_steps(w, 1) >= 0);
        axis_of(w, axis);
        low = fmin(low, acos(axis[2]));
    }
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.01, 0.27, low, "it leans over");
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 0.05 : 1e-3, 1, energy(w)/start);
}

/* Steady rolling at the tilt a, with the rate W about the vertical and the spin s about the axis. The centre moves at
 * u = W h sin a - r s, and the moments about it are, with A, C the moments of inertia over m,
 *
 *     g (r cos a - h sin a) = u W (r sin a + h cos a) + W sin a (A W cos a - C s)
 *
 * of which W^2 = 4 g/(r sin a) is the case s = h = 0. Returns the right side over the left one. */
static double balance(double a, double W, double s)
{
    const double r = DISK_R, h = DISK_H, A = r*r/4 + h*h/3, C = r*r/2, u = W*h*sin(a) - r*s;

    return (u*W*(r*sin(a) + h*cos(a)) + W*sin(a)*(A*W*cos(a) - C*s))/(9.81*(r*cos(a) - h*sin(a)));
}

/* With rolling friction it sinks, and its rate follows the closed form, over means of a quarter second. */
static void test_eulers_disk_goes_round_by_its_closed_form_as_it_sinks(void)
{
    slip_world *w = disk(0.001, 0.5, 1e-3, NULL);
    double last[3], axis[3], start = energy(w), before = start, most = 0, least = 1, tilt = 0;

    axis_of(w, last);
    for (int n = 0; n < 10; ++n) {
        double turned = 0, spin = 0;

        tilt = 0;
        for (int k = 0; k < 250; ++k) {
            double after;

            TEST_ASSERT(aid_steps(w, 1) >= 0);
            axis_of(w, axis);
            turned += atan2(last[0]*axis[1] - last[1]*axis[0], last[0]*axis[0] + last[1]*axis[1]);
            memcpy(last, axis, sizeof last);
            tilt += acos(axis[2])/250;
            spin += (double)aid_body_v(w, "disk")[5]/250;
            after = energy(w);
            most = fmax(most, (after - before)/start);
            before = after;
        }
        least = fmin(least, fmin(balance(tilt, turned/0.25, spin), 2 - balance(tilt, turned/0.25, spin)));
    }
    printf("# sunk to %.3f rad, the rate is off by at most %.2g of the balance\n", tilt, 1 - least);
    TEST_ASSERT_MESSAGE(tilt < 0.35, "it sinks");
    TEST_ASSERT_MESSAGE(1 - least < (FLOATS ? 0.03 : 0.01), "rate");
    TEST_ASSERT_MESSAGE(most < (FLOATS ? 1e-3 : 1e-6), "energy");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_three_balls_keep_energy_and_momentum_whatever_the_gap);
    RUN_TEST(test_the_same_with_solvers_of_other_models);
    RUN_TEST(test_touching_balls_share_an_impulse_or_pass_it_on);
    RUN_TEST(test_a_ball_bounces_for_ever);
    RUN_TEST(test_bounces_that_get_smaller_end_at_rest);
    RUN_TEST(test_a_ball_bounces_on_what_rests);
    RUN_TEST(test_a_light_ball_between_heavy_ones_passes_all_energy_on);
    RUN_TEST(test_the_bounded_law_loses_no_energy_where_newtons_would_gain);
    RUN_TEST(test_kanes_rod_gains_energy_by_newtons_law_and_none_by_the_bounded_one);
    RUN_TEST(test_no_step_of_a_thousand_tosses_creates_energy);
    RUN_TEST(test_nor_of_a_body_that_falls_on_another);
    RUN_TEST(test_nor_with_other_steps);
    RUN_TEST(test_the_same_tosses_with_solvers_of_other_models);
    RUN_TEST(test_elastic_tosses_keep_energy_to_the_tolerance_of_impact_problems);
    RUN_TEST(test_elastic_tosses_lose_nothing);
    RUN_TEST(test_a_scene_a_hundred_times_as_large_does_the_same);
    RUN_TEST(test_a_disc_that_lands_on_its_rim_does_not_dip_into_the_ground);
    RUN_TEST(test_an_overlap_that_steps_make_goes_slowly);
    RUN_TEST(test_what_a_fall_took_pays_for_an_overlap_that_steps_make);
    RUN_TEST(test_a_disc_that_comes_to_rest_does_not_overlap);
    RUN_TEST(test_discs_that_land_flat_do_not_turn_their_rims_into_the_ground);
    RUN_TEST(test_an_overlap_that_was_put_there_is_worked_off_at_once);
    RUN_TEST(test_a_tree_that_is_hit_keeps_its_momentum);
    RUN_TEST(test_elastic_linkages_keep_their_energy_in_a_hit);
    RUN_TEST(test_so_do_linkages_with_friction_or_drives_or_beside_one);
    RUN_TEST(test_eulers_disk_keeps_its_tilt_and_gains_no_energy);
    RUN_TEST(test_a_rim_that_goes_round_does_not_sink);
    RUN_TEST(test_rims_that_roll_do_not_sink);
    RUN_TEST(test_a_coin_that_nods_without_friction_keeps_its_energy);
    RUN_TEST(test_eulers_disk_goes_round_by_its_closed_form_as_it_sinks);
    return UNITY_END();
}
