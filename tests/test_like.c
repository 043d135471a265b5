/* Contact laws of other engines, by their closed forms: docs/engines.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "doc_aid.h"
#include "scene_aid.h"
#include "slipstick_parts.h"
#include "unity.h"

#define G 9.81
#define DT 1e-3
#define IS_FLOAT (sizeof(slip_real) == sizeof(float))
#define SMALL (IS_FLOAT ? 2e-2 : 1e-5)   /* relative: ten times the solver's tolerance; float has 7 digits of 0.1 m */

void setUp(void) { aid_forget(); }
void tearDown(void) { }

/* A ball of radius 0.1 m that overlaps the ground by `deep` [m], and what its contacts do. */
static slip_world *ball(const char *contact, double mass, double deep)
{
    static char text[2048];

    snprintf(text, sizeof text, "<scene>%s<ground/><body name='ball' mass='%.9g'><origin xyz='0 0 %.12g'/>"
             "<geometry><sphere radius='0.1'/></geometry></body></scene>", contact, mass, 0.1 - deep);
    return aid_start(aid_read(text));
}

static slip_world *cube(const char *contact, double mass)
{
    static char text[2048];

    snprintf(text, sizeof text, "<scene>%s<ground/><body name='cube' mass='%.9g'><origin xyz='0 0 0.1'/>"
             "<geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>", contact, mass);
    return aid_start(aid_read(text));
}

static double deep(slip_world *w, const char *name) { return 0.1 - (double)aid_body_q(w, name)[2]; }

/* ---- reference acceleration and impedance (MuJoCo) ----------------------------------------------------------- */

/* Depth r at which a point carries the share `load` of a body's weight: load g (1 - d)/d = k r, k = d/(d_max T)^2, with
 * d(r) on its lower arc; R goes with 1/mass, so the mass drops out. */
static double reference_depth(double load, double T, double d_min, double d_max, double width)
{
    double r = 0;
    int i;

    for (i = 0; i < 200; ++i) {
        const double x = fmin(r/width, 1), y = x <= 0.5 ? 2*x*x : 1 - 2*(1 - x)*(1 - x), d = d_min + (d_max - d_min)*y;

        r = load*G*(1 - d)/d/(d/(d_max*d_max*T*T));
    }
    return r;
}

static void test_a_resting_cube_sinks_as_far_as_the_impedance_says_whatever_its_mass(void)
{
    static const double mass[] = { 1, 50 };
    int i;

    for (i = 0; i < 2; ++i) {
        slip_world *w = cube("<solver like='mujoco'/>", mass[i]);
        const double r = reference_depth(0.25, 0.02, 0.9, 0.95, 0.001);

        aid_steps(w, 1500);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(SMALL*r, r, deep(w, "cube"), "depth of four points");
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-6, 0.108e-3, r, "0.11 mm were recorded");
        aid_forget();
    }
}

static void test_a_time_constant_below_two_steps_counts_as_two_steps(void)
{
    slip_world *w = cube("<solver like='mujoco'/><simulation dt='0.01'/><contact time_constant='0.001' d_min='0.8' "
                         "width='0.002'/>", 3);
    const double r = reference_depth(0.25, 0.02, 0.8, 0.95, 0.002);

    aid_steps(w, 300);
    TEST_ASSERT_DOUBLE_WITHIN(SMALL*r, r, deep(w, "cube"));
}

/* MuJoCo takes the mean of both where the impedance has no width to change over. */
static void test_an_impedance_without_width_is_the_mean(void)
{
    slip_world *w = cube("<solver like='mujoco'/><contact d_min='0.6' d_max='0.9' width='0'/>", 3);
    const double d = 0.75, r = 0.25*G*(1 - d)/d/(d/(0.9*0.9*0.02*0.02));

    aid_steps(w, 1500);
    TEST_ASSERT_DOUBLE_WITHIN(SMALL*r, r, deep(w, "cube"));
}

/* Two surfaces with parameters of their own have the means of both, one that has none counts with the law's; of a pair
 * its own hold. */
static void test_surfaces_have_parameters_of_the_law_and_meet_at_their_means(void)
{
    static const struct { const char *ground, *pair; double T, d_min, d_max, width; } of[] = {
        { "default", "", 0.03, 0.85, 0.96, 0.002 },
        { "soft", "", 0.04, 0.8, 0.97, 0.003 },
        { "firm", "", 0.03, 0.8, 0.98, 0.002 },
        { "firm", "<surface_pair a='soft' b='firm' time_constant='0.025' d_min='0.85'/>", 0.025, 0.85, 0.95, 0.001 } };
    char text[1024];
    size_t i;

    for (i = 0; i < sizeof of/sizeof *of; ++i) {
        const double r = reference_depth(0.25, of[i].T, of[i].d_min, of[i].d_max, of[i].width);
        slip_world *w;

        snprintf(text, sizeof text, "<scene><solver like='mujoco'/>"
                 "<surface name='soft' time_constant='0.04' d_min='0.8' d_max='0.97' width='0.003'/>"
                 "<surface name='firm' d_min='0.8' d_max='0.99'/>%s<ground surface='%s'/>"
                 "<body name='cube' mass='3' surface='soft'><origin xyz='0 0 0.1'/>"
                 "<geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>", of[i].pair, of[i].ground);
        w = aid_start(aid_read(text));
        aid_steps(w, 2500);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(SMALL*r, r, deep(w, "cube"), of[i].ground);
        aid_forget();
    }
}

/* Under its friction's bound a regularised contact creeps: b v_t = -R_t f_t, a quarter of the push on each point. The
 * push tilts the cube and changes d and R of its points: 2 %. */
static void test_a_pushed_cube_creeps_at_the_speed_of_its_friction_ratio(void)
{
    static const char *const contact[] = { "<solver like='mujoco'/>",
                                           "<solver like='mujoco'/><contact friction_ratio='100'/>" };
    const double b = 2/(0.95*0.02), x = reference_depth(0.25, 0.02, 0.9, 0.95, 0.001)/0.001, d = 0.9 + 0.05*2*x*x;
    const double creep = (1 - d)/d*2/4/b;
    double speed[2];
    int i;

    if (IS_FLOAT) return;                                /* micrometres a second */
    for (i = 0; i < 2; ++i) {
        slip_world *w = cube(contact[i], 1);

        aid_steps(w, 500);
        slip_world_wrench(w)[6] = 2;                     /* of 0.7 m g = 6.9 N, at the centre */
        aid_steps(w, 1000);
        speed[i] = (double)aid_body_v(w, "cube")[0];
        aid_forget();
    }
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.02*creep, creep, speed[0], "ratio 1");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.02*creep/100, creep/100, speed[1], "ratio 100");
}

/* Recorded of MuJoCo 3.12.1 on the same models: largest penetration of a run, and of its last quarter [m]. */
static void recorded(const char *path, const char *engine, const slip_contact_law *law, int steps, double most,
                     double last)
{
    slip_scene *s = aid_open(path);
    slip_world *w;
    double m = 0, l = 0;
    int k;

    TEST_ASSERT(slip_world_like(engine, &s->world.options));
    if (law) s->world.options.law = *law;
    w = aid_start(s);
    for (k = 0; k < steps; ++k) {
        double p;

        aid_steps(w, 1);
        p = (double)slip_world_stats(w)->penetration;
        m = fmax(m, p);
        if (4*(k + 1) > 3*steps) l = fmax(l, p);
    }
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.2*most, most, m, path);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.2*last, last, l, path);
    aid_forget();
}

static void test_penetrations_recorded_of_mujoco_are_met_within_a_fifth(void)
{
    slip_contact_law stiff = slip_contact_law_defaults();

    stiff.kind = SLIP_LAW_REFERENCE;
    stiff.overlap = 1;
    stiff.time_constant = SLIP_R(0.002);
    stiff.d_min = SLIP_R(0.95);
    stiff.d_max = SLIP_R(0.99);
    if (sizeof(slip_real) == sizeof(double)) recorded("models/bench/slide.xml", "mujoco", NULL, 1500, 0.44e-3, 0.11e-3);
    recorded("models/bench/quad_stand.xml", "mujoco", NULL, 2000, 1.49e-3, 1.27e-3);
    if (IS_FLOAT) return;      /* chatter of tilting cubes and 1 : 1e4 are beyond 7 digits */
    recorded("models/bench/quad_drop.xml", "mujoco", NULL, 2000, 29.6e-3, 0.42e-3);
    recorded("models/bench/wall_noball.xml", "mujoco", &stiff, 1000, 0.92e-3, 0.77e-3);
}

/* ---- error reduction and constraint force mixing (ODE, DART, PhysX) ------------------------------------------ */

/* While gravity keeps a ball on the ground, its overlap shrinks by the share erp in each step. */
static void test_an_overlap_decays_by_the_error_reduction_of_the_engine(void)
{
    static const struct { const char *engine; double erp; } of[] = {
        { "ode", 0.2 }, { "bullet", 0.2 }, { "physx", 0.8 }, { "dart", 0.01 }, { "chrono", 1 },
        { "raisim", 0.3 } };
    char contact[64];
    size_t i;
    int k;

    if (IS_FLOAT) return;      /* micrometres of a ball of 0.1 m */
    for (i = 0; i < sizeof of/sizeof *of; ++i) {
        double before = 5e-6;
        slip_world *w;

        snprintf(contact, sizeof contact, "<solver like='%s'/>", of[i].engine);
        w = ball(contact, 2, before);
        for (k = 0; k < 5; ++k) {
            aid_steps(w, 1);
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-9, (1 - of[i].erp)*before, deep(w, "ball"), of[i].engine);
            before = deep(w, "ball");
        }
        aid_forget();
    }
}

#define PLAIN "<simulation integrator='euler' erp='0.2' max_push='100' slop='0' soften='false' correct='false' " \
              "reuse='0'/><solver id='lcp-pgs'/>"

/* At rest R lambda = -erp gap/dt with lambda = m g dt: cfm is the inverse of a damper, erp that of a spring with it. */
static void test_constraint_force_mixing_lets_a_ball_sag_by_cfm_m_g_dt_over_erp(void)
{
    slip_world *w = ball(PLAIN "<contact law='cfm' cfm='0.005'/>", 2, 0);
    const double sag = 0.005*2*G*DT/0.2, share = 0.5*G*DT*DT/0.2;

    aid_steps(w, 1000);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-3*sag, sag, deep(w, "ball"), "cfm");
    aid_forget();
    w = ball(PLAIN "<contact law='cfm' cfm_share='0.5'/>", 2, 0);
    aid_steps(w, 1000);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(IS_FLOAT ? 1e-7 : 1e-3*share, share, deep(w, "ball"),
                                      "share of the mobility");
}

/* ---- relaxation time and near-rigid contacts (Drake) --------------------------------------------------------- */

static void test_a_soft_point_of_the_relaxation_law_sinks_by_weight_over_stiffness(void)
{
    slip_world *w = ball("<solver like='drake'/><contact stiffness='1e4' relaxation_time='0.02'/>", 2, 0);
    const double sag = 2*G/1e4;

    aid_steps(w, 2000);
    TEST_ASSERT_DOUBLE_WITHIN(SMALL*sag, sag, deep(w, "ball"));
}

/* k (gap + (dt + tau) v) balances the weight where inertia is small: the distance from rest goes by tau/(tau + dt). */
static void test_an_overlap_decays_with_the_relaxation_time(void)
{
    slip_world *w = ball("<solver like='drake'/><contact stiffness='1e7' relaxation_time='0.2' near_rigid='0'/>", 1,
                         1e-3);
    const double rest = G/1e7, rate = 0.2/(0.2 + DT);
    double before;
    int k;

    aid_steps(w, 5);
    before = deep(w, "ball") - rest;
    for (k = 0; k < 100; ++k) aid_steps(w, 1);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-3, pow(rate, 100), (deep(w, "ball") - rest)/before, "a hundred steps");
}

/* A stiffer point than the step resolves is as stiff as one that vibrates with a period of near_rigid steps. Of a ball
 * m = sqrt(2 (7/2)^2 + 1)/3/mass; at rest R m g dt = -gap/(dt + tau). */
static void test_near_rigid_contacts_are_as_stiff_as_the_step_resolves(void)
{
    const double mobility = sqrt(2*3.5*3.5 + 1)/3, R = mobility/(4*acos(-1)*acos(-1)), sag = (DT + 0.02)*R*G*DT;
    slip_world *w = ball("<solver like='drake'/><contact stiffness='1e12' relaxation_time='0.02'/>", 3, 0);

    aid_steps(w, 2000);
    TEST_ASSERT_DOUBLE_WITHIN(IS_FLOAT ? 0.05*sag : 1e-4*sag, sag, deep(w, "ball"));
}

/* Of those that sweep Bullet alone starts from the last impulses by default, from 0.85 of them. */
static void test_engines_start_from_the_last_impulses_or_from_zero(void)
{
    static const struct { const char *engine; int warm; double share; } of[] = {
        { "ode", 0, 1 }, { "dart", 0, 1 }, { "physx", 0, 1 }, { "chrono", 0, 1 }, { "bullet", 1, 0.85 },
        { "mujoco", 1, 1 }, { "drake", 1, 1 } };
    size_t i;

    for (i = 0; i < sizeof of/sizeof *of; ++i) {
        slip_world_options o = slip_world_defaults();

        TEST_ASSERT(slip_world_like(of[i].engine, &o));
        TEST_ASSERT_EQUAL_INT_MESSAGE(of[i].warm, o.warm_start, of[i].engine);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, of[i].share, (double)o.warm_share);
    }
}

/* ---- sweeps, options ----------------------------------------------------------------------------------------- */

/* `solve --like` and `sim --like` run an engine's solver alike; the only difference is a regularisation that the law of
 * a world has instead. */
static void test_an_engine_has_the_same_solver_and_options_for_a_problem_as_for_a_world(void)
{
    static const char *const engines[] = { "ode", "bullet", "physx", "dart", "mujoco", "drake", "raisim", "dojo",
                                           "simple", "chrono", "scs" };
    size_t i;
    int k;

    for (i = 0; i < sizeof engines/sizeof *engines; ++i) {
        slip_world_options world = slip_world_defaults();
        slip_solver_options alone = world.solve;
        const slip_solver *solver = slip_solver_like(engines[i], &alone);

        TEST_ASSERT_TRUE_MESSAGE(slip_world_like(engines[i], &world), engines[i]);
        TEST_ASSERT_TRUE_MESSAGE(solver == world.solver, engines[i]);
        for (k = 0; k < slip_solver_option_count(); ++k) {
            char one[SLIP_SOLVER_OPTION_TEXT], other[SLIP_SOLVER_OPTION_TEXT];

            if (slip_solver_option_reads(k) == SLIP_READS_REGULARIZATION) continue;
            slip_solver_option_text(&alone, k, one);
            slip_solver_option_text(&world.solve, k, other);
            TEST_ASSERT_EQUAL_STRING_MESSAGE(one, other, slip_solver_option_name(k));
        }
    }
}

static void test_engines_that_count_their_sweeps_make_all_of_them_in_every_step(void)
{
    static const struct { const char *engine; int sweeps; } of[] = { { "bullet", 10 }, { "ode", 20 }, { "physx", 4 },
                                                                     { "chrono", 50 } };
    char contact[64];
    size_t i;
    int k, some;

    for (i = 0; i < sizeof of/sizeof *of; ++i) {
        slip_world *w;

        snprintf(contact, sizeof contact, "<solver like='%s'/>", of[i].engine);
        w = cube(contact, 1);
        for (k = some = 0; k < 50; ++k) {
            aid_steps(w, 1);
            if (slip_world_stats(w)->solves == 0) continue;          /* it hops: no contact */
            TEST_ASSERT_EQUAL_INT_MESSAGE(of[i].sweeps, slip_world_stats(w)->iterations, of[i].engine);
            ++some;
        }
        TEST_ASSERT_MESSAGE(some > 20, of[i].engine);
        aid_forget();
    }
}

static void test_a_world_without_a_law_is_rigid_and_an_unknown_engine_changes_nothing(void)
{
    slip_world_options o = slip_world_defaults(), before = o;

    TEST_ASSERT_EQUAL_INT(SLIP_LAW_RIGID, o.law.kind);
    TEST_ASSERT(!slip_world_like("quake", &o));
    TEST_ASSERT_EQUAL_MEMORY(&before, &o, sizeof o);
    TEST_ASSERT(slip_world_like("mujoco", &o));
    TEST_ASSERT(o.law.kind == SLIP_LAW_REFERENCE && o.solve.regularization == 0 && o.integrator == SLIP_EULER);
    TEST_ASSERT(o.reuse == 0 && !o.soften && !o.correct);
}

static slip_world_options like(const char *engine)
{
    slip_world_options o = slip_world_defaults();

    TEST_ASSERT(slip_world_like(engine, &o));
    return o;
}

static void test_laws_have_the_defaults_that_the_page_states(void)
{
    const slip_contact_law l = slip_contact_law_defaults();
    const double cfm[] = { (double)l.cfm, (double)l.cfm_share };
    const double reference[] = { (double)l.time_constant, (double)l.damping_ratio, (double)l.d_min, (double)l.d_max,
                                 (double)l.width, (double)l.midpoint, (double)l.power, (double)l.friction_ratio };
    const double relaxation[] = { (double)l.stiffness, 0, (double)l.allowance, (double)l.relaxation_time,
                                  (double)l.near_rigid, (double)l.stiction };        /* 0: "0: heaviest weight ..." */

    doc_states("docs/engines.md", "| `cfm` |", 3, 2, cfm);
    doc_states("docs/engines.md", "| `reference` |", 3, 8, reference);
    doc_states("docs/engines.md", "| `relaxation` |", 3, 6, relaxation);
}

/* Cells: 2 the law's numbers, 3 how overlaps are worked off ("r < 0" is one of them), 4 the start. */
static void test_engines_have_the_parameters_that_the_page_states(void)
{
    const slip_world_options ode = like("ode"), bullet = like("bullet"), physx = like("physx"), dart = like("dart");
    const slip_world_options raisim = like("raisim"), dojo = like("dojo"), chrono = like("chrono"), scs = like("scs");
    const slip_world_options drake = like("drake"), mujoco = like("mujoco");
    const double ode_law[] = { 1e-10, 1e-5 }, ode_pushes[] = { (double)ode.erp, 0 };
    const double bullet_pushes[] = { (double)bullet.erp }, bullet_start[] = { (double)bullet.warm_share };
    const double physx_pushes[] = { (double)physx.erp };
    const double dart_law[] = { (double)dart.law.cfm_share };
    const double dart_pushes[] = { (double)dart.erp, 1e3*(double)dart.max_push, 0 };
    const double raisim_pushes[] = { (double)raisim.erp, 0 }, dojo_pushes[] = { (double)dojo.erp };
    const double chrono_pushes[] = { (double)chrono.max_push };
    const double scs_pushes[] = { (double)scs.erp, (double)scs.max_push };
    const double drake_law[] = { 1e3*(double)drake.law.allowance, (double)drake.law.relaxation_time/2,
                                 (double)drake.law.relaxation_time/2, (double)drake.law.near_rigid,
                                 (double)drake.law.stiction };
    const slip_contact_law *m = &mujoco.law;
    const double mujoco_law[] = { (double)m->time_constant, (double)m->damping_ratio, (double)m->d_min,
                                  (double)m->d_max, (double)m->width, (double)m->midpoint, (double)m->power,
                                  (double)m->friction_ratio };

    TEST_ASSERT_DOUBLE_WITHIN(IS_FLOAT ? 1e-9 : 1e-14, IS_FLOAT ? ode_law[1] : ode_law[0], (double)ode.law.cfm);
    doc_states("docs/engines.md", "| ODE |", 2, 2, ode_law);
    doc_states("docs/engines.md", "| ODE |", 3, 2, ode_pushes);
    doc_states("docs/engines.md", "| Bullet |", 3, 1, bullet_pushes);
    doc_states("docs/engines.md", "| Bullet |", 4, 1, bullet_start);
    doc_states("docs/engines.md", "| PhysX |", 3, 1, physx_pushes);
    doc_states("docs/engines.md", "| DART |", 2, 1, dart_law);
    doc_states("docs/engines.md", "| DART |", 3, 3, dart_pushes);
    doc_states("docs/engines.md", "| RaiSim |", 3, 2, raisim_pushes);
    doc_states("docs/engines.md", "| Dojo |", 3, 1, dojo_pushes);
    doc_states("docs/engines.md", "| Chrono |", 3, 1, chrono_pushes);
    doc_states("docs/engines.md", "| SCS |", 3, 2, scs_pushes);
    doc_states("docs/engines.md", "| Drake |", 2, 5, drake_law);
    doc_states("docs/engines.md", "| MuJoCo |", 2, 8, mujoco_law);
}

static void test_a_law_that_cannot_be_is_refused_by_name(void)
{
    slip_world *w = ball("", 1, 0);

    slip_world_options_of(w)->law.kind = SLIP_LAW_REFERENCE;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_step(w));
    TEST_ASSERT_NOT_NULL(strstr(slip_world_error(w)->what, "'reference'"));
    slip_world_options_of(w)->law.kind = SLIP_LAW_RELAXATION;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step(w));
    slip_world_options_of(w)->law.relaxation_time = -1;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_step(w));
    TEST_ASSERT_NOT_NULL(strstr(slip_world_error(w)->what, "relaxation_time is -1"));
    slip_world_options_of(w)->law = slip_contact_law_defaults();
    slip_world_options_of(w)->law.kind = SLIP_LAW_CFM;
    slip_world_options_of(w)->law.cfm = SLIP_R(2e12);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_step(w));
    TEST_ASSERT_NOT_NULL(strstr(slip_world_error(w)->what, IS_FLOAT ? "cfm is"
                                : "cfm is 2000000000000, expected 0 to 1000000000000"));
    slip_world_options_of(w)->law.cfm = 0;
    slip_world_options_of(w)->law.allowance = SLIP_R(5e-13);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_step(w));
    TEST_ASSERT_NOT_NULL(strstr(slip_world_error(w)->what, IS_FLOAT ? "allowance is" : "allowance is 5e-13, expected 1e-12"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_resting_cube_sinks_as_far_as_the_impedance_says_whatever_its_mass);
    RUN_TEST(test_a_time_constant_below_two_steps_counts_as_two_steps);
    RUN_TEST(test_an_impedance_without_width_is_the_mean);
    RUN_TEST(test_surfaces_have_parameters_of_the_law_and_meet_at_their_means);
    RUN_TEST(test_a_pushed_cube_creeps_at_the_speed_of_its_friction_ratio);
    RUN_TEST(test_penetrations_recorded_of_mujoco_are_met_within_a_fifth);
    RUN_TEST(test_an_overlap_decays_by_the_error_reduction_of_the_engine);
    RUN_TEST(test_constraint_force_mixing_lets_a_ball_sag_by_cfm_m_g_dt_over_erp);
    RUN_TEST(test_a_soft_point_of_the_relaxation_law_sinks_by_weight_over_stiffness);
    RUN_TEST(test_an_overlap_decays_with_the_relaxation_time);
    RUN_TEST(test_near_rigid_contacts_are_as_stiff_as_the_step_resolves);
    RUN_TEST(test_engines_start_from_the_last_impulses_or_from_zero);
    RUN_TEST(test_an_engine_has_the_same_solver_and_options_for_a_problem_as_for_a_world);
    RUN_TEST(test_engines_that_count_their_sweeps_make_all_of_them_in_every_step);
    RUN_TEST(test_a_world_without_a_law_is_rigid_and_an_unknown_engine_changes_nothing);
    RUN_TEST(test_laws_have_the_defaults_that_the_page_states);
    RUN_TEST(test_engines_have_the_parameters_that_the_page_states);
    RUN_TEST(test_a_law_that_cannot_be_is_refused_by_name);
    return UNITY_END();
}
