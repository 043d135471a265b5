/* Where energy goes: each kind of force's work against closed forms, and nothing left unexplained but what the
 * integrator loses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "scene_aid.h"

#define G 9.81
#define CUBE "<body name='it' mass='2'><origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
#define BALL "<body name='it' mass='1'><origin xyz='0 0 0.6'/><geometry><sphere radius='0.1'/></geometry></body>"

void setUp(void) { aid_forget(); }
void tearDown(void) { }

static double before;

static slip_world *start(slip_scene *scene)
{
    slip_world *w;

    scene->world.options.work = 1;
    w = aid_start(scene);
    before = aid_energy_of(w);
    return w;
}

/* What the energy changed by, and no force did. */
static double unexplained(slip_world *w)
{
    const slip_work work = slip_world_work(w);

    return aid_energy_of(w) - before - slip_work_total(&work);
}

static void check(double tolerance, double expected, double actual, const char *what)
{
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tolerance, expected, actual, what);
}

/* ---- contacts ------------------------------------------------------------------------------------ */

/* Pushed with 15 N at its foot: F s in, mu m g s out, the rest is speed. A step moves by dt (v + v+)/2, over which its
 * work is done; with semi-implicit Euler by dt v+, v dt/2 further in all. */
static void friction_takes(slip_integrator integrator)
{
    slip_scene *s = aid_read("<scene><surface name='default' friction='0.5'/><ground/>" CUBE
                             "<events><push link='it' from='0' force='15 0 0' at='0 0 -0.1'/></events></scene>");
    const double eps = (double)SLIP_TOL(1e-9, 1e-3);
    double way, v;
    slip_world *w;

    s->world.options.integrator = integrator;
    s->world.options.solve.tol = SLIP_TOL(1e-12, 1e-6);
    w = start(s);
    aid_steps(w, 500);
    v = (double)slip_world_v(w)[0];
    way = (double)slip_world_q(w)[0] - (integrator == SLIP_EULER ? v*0.5e-3 : 0);
    TEST_ASSERT(way > 0.3);
    check(eps, 15*way, slip_world_work(w).external, "F s");
    check(eps, -0.5*2*G*way, slip_world_work(w).contacts, "-mu m g s");
    check(eps, v*v, slip_world_work(w).external + slip_world_work(w).contacts, "m v^2/2");
    check(eps, 0, unexplained(w), "unexplained");
    check(0, 0, slip_world_work(w).drives, "no drives");
}

static void test_friction_takes_mu_m_g_times_the_way(void)
{
    friction_takes(SLIP_MIDPOINT);
    friction_takes(SLIP_EULER);
}

/* A cube that slides to rest, turning: the work of its contacts is the change of its energy in each step, exactly, since
 * impulses do their work over (v + v+)/2 and the ground is flat. */
static void test_a_sliding_cubes_energy_is_the_work_of_its_contacts_at_all_times(void)
{
    slip_world *w = start(aid_read("<scene><surface name='default' friction='0.5'/><ground/>" CUBE "</scene>"));
    double most = 0;

    slip_set3(3, 1, 0, slip_world_v(w));
    slip_world_v(w)[5] = 4;
    before = aid_energy_of(w);
    for (int k = 0; k < 800; ++k) {
        aid_steps(w, 1);
        most = fmax(most, fabs(unexplained(w)));
    }
    check((double)SLIP_TOL(1e-3, 2e-2), G*0.2, aid_energy_of(w), "m g h, at rest");
    check((double)SLIP_TOL(1e-9, 1e-3), 0, most, "unexplained");
}

/* A ball falls and stays: all of m g h; one that bounces with 0.5 keeps a quarter. */
static void test_impacts_take_what_restitution_leaves(void)
{
    for (int bounces = 0; bounces < 2; ++bounces) {
        slip_scene *s = aid_read(bounces
            ? "<scene><surface name='default' restitution='0.5'/><ground/>" BALL "</scene>"
            : "<scene><ground/>" BALL "</scene>");
        slip_world *w = start(s);

        aid_steps(w, 400);                               /* on the ground after 0.32 s */
        check(0.02*G*0.5, -G*0.5*(bounces ? 0.75 : 1), slip_world_work(w).contacts, "impact");
        check(1e-3*G*2, 0, unexplained(w), "m g dt (v+ - v)/2");
    }
}

static void test_what_stands_does_no_work_and_nothing_is_counted_unasked(void)
{
    slip_world *w = start(aid_read("<scene><ground/>" CUBE "</scene>"));

    aid_steps(w, 500);
    check((double)SLIP_TOL(1e-8, 1e-4), 0, slip_world_work(w).contacts, "at rest");
    w = aid_start(aid_read("<scene><ground/>" CUBE "<events><push link='it' from='0' force='30 0 0'/></events>"
                           "</scene>"));
    aid_steps(w, 100);
    check(0, 0, slip_world_work(w).external, "not asked for");
}

/* ---- joints --------------------------------------------------------------------------------------- */

/* A double pendulum lifted by drives: what they put in is height, speed, damping and dry friction. At half the step,
 * a quarter is left unexplained; with semi-implicit Euler half. */
static void drives_lift(slip_integrator integrator, double order)
{
    double left[2];

    for (int half = 0; half < 2; ++half) {
        slip_scene *s = aid_read("<scene><robot file='double_pendulum.urdf' base='fixed'><origin xyz='0 0 2'/>"
                                 "<drive joint='*' kp='60' kd='6' position='1.5'/></robot></scene>");
        slip_work work;
        slip_world *w;

        s->world.options.integrator = integrator;
        s->world.options.dt = SLIP_R(1e-3)/(half ? 2 : 1);
        w = start(s);
        aid_steps(w, half ? 4000 : 2000);
        work = slip_world_work(w);
        left[half] = unexplained(w);
        TEST_ASSERT(work.drives > 1 && work.damping < 0 && work.friction < 0);
        check((integrator == SLIP_EULER ? (double)SLIP_TOL(0.01, 0.02) : (double)SLIP_TOL(3e-5, 0.02))*work.drives, 0,
              left[half], "unexplained");
    }
    if (sizeof(slip_real) == 8) check(0.1*fabs(left[0]/order), left[0]/order, left[1], "order");
}

static void test_drives_lift_an_arm_by_the_work_they_do(void)
{
    drives_lift(SLIP_MIDPOINT, 4);
    drives_lift(SLIP_EULER, 2);
}

/* The crank is not driven: gravity swings the linkage for two seconds, and its loop takes next to nothing. */
static void test_a_loop_takes_nothing(void)
{
    slip_scene *s = aid_open("models/four_bar.xml");
    slip_world *w;
    slip_real swing = 0;

    s->world.options.dt = SLIP_R(2.5e-4);
    w = start(s);
    slip_world_drive(w, aid_iv(w, "crank"))->kd = 0;
    for (int k = 0; k < 8000; ++k) {
        aid_steps(w, 1);
        swing = slip_max(swing, slip_abs(slip_world_v(w)[aid_iv(w, "crank")]));
    }
    TEST_ASSERT(swing > 1);
    check(1e-3, 0, slip_world_work(w).loops, "the loop");
    check((double)SLIP_TOL(2e-3, 2e-2), 0, unexplained(w), "unexplained");
    check((double)SLIP_TOL(1e-9, 1e-5), 0, slip_world_work(w).contacts, "there are no contacts");
}

/* Loops, springs, dampers, limits and contacts at once; light rods spin at hundreds of rad/s (docs/measurements.md). */
static void test_a_falling_biped_with_four_loops_loses_nothing_unseen(void)
{
    slip_world *w = start(aid_open("models/cassie_drop.xml"));

    aid_steps(w, 1000);
    TEST_ASSERT(aid_energy_of(w) < before - 200);
    check(0.15, 0, unexplained(w), "unexplained");
    check(0.1, 0, slip_world_work(w).loops, "four loops");
}

/* A joint that dry friction holds does no work but its creep's, also one without damping, whose rest of the diagonal is
 * friction's alone; pushed beyond, friction takes its torque times the way. */
static void test_dry_friction_takes_its_torque_times_the_way_and_nothing_when_it_holds(void)
{
    static const char path[] = SLIP_TEST_BIN ".dry.urdf";
    FILE *f = fopen(path, "w");
    slip_scene *s;
    slip_world *w;

    TEST_ASSERT_NOT_NULL(f);
    fputs("<robot name='dry'><link name='base'/><link name='wheel'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
          "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
          "<joint name='axle' type='continuous'><parent link='base'/>"
          "<child link='wheel'/><axis xyz='0 0 1'/><dynamics friction='2' damping='0'/></joint></robot>", f);
    fclose(f);
    s = aid_read("<scene><robot file='../" SLIP_TEST_BIN ".dry.urdf' base='fixed'/></scene>");
    remove(path);
    w = start(s);
    slip_world_tau(w)[0] = 1;
    aid_steps(w, 500);
    check((double)SLIP_TOL(1e-9, 1e-6), 0, slip_world_work(w).friction, "it holds");
    check((double)SLIP_TOL(1e-9, 1e-6), 0, unexplained(w), "unexplained while it holds");
    slip_world_tau(w)[0] = 5;
    aid_steps(w, 500);
    TEST_ASSERT(slip_world_q(w)[0] > SLIP_R(0.3));
    check((double)SLIP_TOL(1e-6, 1e-3), -2*(double)slip_world_q(w)[0], slip_world_work(w).friction,
          "its torque times the way");
    check((double)SLIP_TOL(1e-9, 1e-4), 0, unexplained(w), "unexplained");
}

/* ---- bookkeeping ---------------------------------------------------------------------------------- */

/* A limp quadruped falls on its feet, knees and trunk: hits of a tree, whose bias forces differ before and after them. Work
 * counted at the mean velocity of the whole step left 0.21 J unexplained. */
static void test_hits_of_a_tree_do_the_work_that_its_energy_changes_by(void)
{
    slip_world *w = start(aid_open("models/squat.xml"));

    aid_steps(w, 400);
    printf("# %.3g J of %.4g J unexplained\n", unexplained(w), slip_world_work(w).contacts);
    TEST_ASSERT(slip_world_work(w).contacts < -100);
    check((double)SLIP_TOL(1.6e-2, 0.1), 0, unexplained(w), "unexplained");
}

static void test_sums_go_with_snapshots_and_a_failed_step_adds_nothing(void)
{
    slip_world *w = start(aid_read("<scene><surface name='default' friction='0.5'/><ground/>" CUBE "</scene>"));
    void *saved = malloc(slip_snapshot_bytes(w));
    slip_work work;

    slip_world_v(w)[0] = 2;
    aid_steps(w, 100);
    slip_snapshot_save(w, saved);
    work = slip_world_work(w);
    TEST_ASSERT(work.contacts < -0.1);
    aid_steps(w, 100);
    TEST_ASSERT(slip_world_work(w).contacts < work.contacts);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, saved, slip_snapshot_bytes(w)));
    TEST_ASSERT_EQUAL_DOUBLE(work.contacts, slip_world_work(w).contacts);
    slip_world_wrench(w)[6] = SLIP_R(1e20);
    TEST_ASSERT(slip_step(w) < 0);
    TEST_ASSERT_EQUAL_DOUBLE(slip_work_total(&work), slip_world_work(w).contacts);
    free(saved);
}

/* Limbs that turn by up to some hundredths of a radian in a step. Bias forces taken at the start of
 * each step would create energy, a sixteenth of all there is. */
static void test_limbs_that_whirl_gain_no_energy(void)
{
    slip_world *w = start(aid_read("<scene><simulation duration='1' gravity='0 0 0'/><robot file='humanoid.urdf'>"
                                   "<origin xyz='0 0 10'/></robot></scene>"));
    const slip_model *m = slip_world_model(w);
    slip_random rng = slip_random_seed(3);
    double most = 0;

    slip_world_options_of(w)->self = 0;
    for (int i = 3; i < m->nv; ++i) slip_world_v(w)[i] = slip_random_uniform(&rng, -8, 8);
    before = aid_energy_of(w);
    for (int k = 0; k < 300; ++k) {
        TEST_ASSERT(slip_step(w) >= 0);
        most = fmax(most, fabs(unexplained(w)));
    }
    printf("# %.3g J of %.3g J came from nowhere\n", most, before);
    TEST_ASSERT(most < (double)SLIP_TOL(5e-3, 2e-2)*before);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_friction_takes_mu_m_g_times_the_way);
    RUN_TEST(test_a_sliding_cubes_energy_is_the_work_of_its_contacts_at_all_times);
    RUN_TEST(test_impacts_take_what_restitution_leaves);
    RUN_TEST(test_what_stands_does_no_work_and_nothing_is_counted_unasked);
    RUN_TEST(test_drives_lift_an_arm_by_the_work_they_do);
    RUN_TEST(test_a_loop_takes_nothing);
    RUN_TEST(test_a_falling_biped_with_four_loops_loses_nothing_unseen);
    RUN_TEST(test_hits_of_a_tree_do_the_work_that_its_energy_changes_by);
    RUN_TEST(test_sums_go_with_snapshots_and_a_failed_step_adds_nothing);
    RUN_TEST(test_limbs_that_whirl_gain_no_energy);
    RUN_TEST(test_dry_friction_takes_its_torque_times_the_way_and_nothing_when_it_holds);
    return UNITY_END();
}
