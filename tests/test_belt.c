/* Surfaces that move against their bodies: conveyors and turntables, by their closed forms; and frictions of two
 * materials of which one is infinite. */
#include <math.h>
#include <string.h>
#include "scene_aid.h"
#include "unity.h"
#include "world_aid.h"

#define G 9.81

void setUp(void) { aid_forget(); }
void tearDown(void) { }

static const char conveyor[] =
    "<scene><simulation dt='0.001'/><surface name='default' friction='0.4'/>"
    "<body name='belt' fixed='true' surface_velocity='1.5 0 0'><origin xyz='0 0 0.05'/>"
    "<geometry><box size='6 0.6 0.1'/></geometry></body>"
    "<body name='box' mass='2'><origin xyz='0 0 0.2'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "</scene>";

/* A box put on a belt of speed u slides until u/(mu g), by u^2/(2 mu g) over the belt, and then goes along. */
static void test_a_box_on_a_conveyor_reaches_its_speed_in_the_time_of_the_closed_form(void)
{
    const double u = 1.5, t1 = u/(0.4*G);
    slip_world *w = aid_start(aid_read(conveyor));
    int k, arrived = -1;

    for (k = 0; k < 1000; ++k) {
        aid_steps(w, 1);
        if (arrived < 0 && fabs((double)aid_body_v(w, "box")[0] - u) < 1e-6) arrived = k + 1;
    }
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-3, t1, arrived*1e-3, "time until it goes along");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-3, u - u*u/(2*0.4*G), (double)aid_body_q(w, "box")[0], "way of one second");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, 0.2, (double)aid_body_q(w, "box")[2], "height");
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_CONTACT_STICK, slip_contact_get(w, 0).state, "sticks to the belt");
}

/* The belt's drive does m u^2, half of which is lost while the box slides. */
static void test_work_of_a_conveyor_is_external_and_the_loss_that_of_contacts(void)
{
    slip_scene *s = aid_read(conveyor);
    slip_work work;
    slip_world *w;

    s->world.options.work = 1;
    w = aid_start(s);
    aid_steps(w, 1000);
    work = slip_world_work(w);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.01, 2*1.5*1.5, work.external, "the belt's drive");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.01, -1.5*1.5, work.contacts, "loss by friction");
}

/* Surface velocities are those of the shape: a belt that is turned by a quarter carries along y. */
static void test_a_turned_conveyor_carries_along_its_own_axis(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><ground surface_velocity='1 0 0'><origin rpy='0 0 1.5707963267948966'/></ground>"
        "<body name='box' mass='1'><origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "</scene>"));

    aid_steps(w, 500);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0, (double)aid_body_v(w, "box")[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1, (double)aid_body_v(w, "box")[1]);
}

/* Radius and speed of a small box after some time on a turntable of 0.3 m friction 0.5. */
static double turntable(double omega, double r, double seconds)
{
    char text[700];
    slip_world *w;

    slip_format(text, (int)sizeof text,
        "<scene><surface name='default' friction='0.5'/>"
        "<body name='table' fixed='true' surface_angular='0 0 %.6g'><origin xyz='0 0 0.05'/>"
        "<geometry><cylinder radius='2' length='0.1'/></geometry></body>"
        "<body name='box' mass='1' velocity='0 %.9g 0' angular='0 0 %.6g'><origin xyz='%.6g 0 0.11'/>"
        "<geometry><box size='0.02 0.02 0.02'/></geometry></body></scene>", omega, omega*r, omega, r);
    w = aid_start(aid_read(text));
    aid_steps(w, (int)(1000*seconds));
    return hypot((double)aid_body_q(w, "box")[0], (double)aid_body_q(w, "box")[1]);
}

/* It goes round while omega^2 r < mu g, here r < 0.545 m, and slips outwards beyond. */
static void test_a_box_on_a_turntable_slips_where_the_closed_form_says(void)
{
    const double omega = 3, critical = 0.5*G/(omega*omega);
    const double near = sizeof(slip_real) == sizeof(double) ? 2e-4 : 2e-3;

    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(near, 0.98*critical, turntable(omega, 0.98*critical, 2), "stays on its circle");
    TEST_ASSERT_TRUE_MESSAGE(turntable(omega, 1.02*critical, 2) > 1.1*critical, "slips outwards");
}

static void test_a_surface_velocity_changes_between_steps_and_wakes_sleepers(void)
{
    const slip_real on[6] = { 1, 0, 0, 0, 0, 0 }, bad[6] = { (slip_real)NAN, 0, 0, 0, 0, 0 };
    slip_scene *s = aid_read(
        "<scene><simulation sleep='0.01' sleep_time='0.1'/><ground/>"
        "<body name='box' mass='1'><origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "</scene>");
    slip_world *w = aid_start(s);
    void *saved;
    slip_real v;

    aid_steps(w, 300);
    TEST_ASSERT_EQUAL_INT(1, slip_world_stats(w)->asleep);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_world_set_surface_velocity(w, 0, bad));
    TEST_ASSERT_NOT_NULL(strstr(slip_world_error(w)->what, "ground"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_world_set_surface_velocity(w, 2, on));
    TEST_ASSERT_NULL(slip_world_surface_velocity(w, 2));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_world_set_surface_velocity(w, 0, on));
    saved = slip_arena_take(aid_memory(), slip_snapshot_bytes(w), 1);
    slip_snapshot_save(w, saved);
    aid_steps(w, 400);
    v = aid_body_v(w, "box")[0];
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 1, (double)v);
    slip_world_set_surface_velocity(w, 0, (const slip_real[6]){ 0 });
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, saved, slip_snapshot_bytes(w)));
    aid_steps(w, 400);
    TEST_ASSERT_TRUE_MESSAGE(v == aid_body_v(w, "box")[0], "the surface velocity is part of snapshots");
}

/* A ball thrown down on a belt is kicked along by friction: mu (1 + e) of its speed at most. */
static void test_impacts_see_the_velocity_of_the_surface(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><simulation gravity='0 0 0'/><surface name='default' friction='0.1' restitution='0.5'/>"
        "<ground surface_velocity='9 0 0'/><body name='ball' mass='1' velocity='0 0 -2'><origin xyz='0 0 0.13'/>"
        "<geometry><sphere radius='0.1'/></geometry></body></scene>"));
    slip_real R[9], v[3];

    aid_steps(w, 60);
    slip_quat_to_mat3(aid_body_q(w, "ball") + 3, R);
    slip_mat3_vec(R, aid_body_v(w, "ball"), v);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-4, 1, (double)v[2], "bounces");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-3, 0.1*1.5*2, (double)v[0], "is kicked along");
}

static void test_bad_surface_velocities_are_errors_with_their_place(void)
{
    const char *text = "<scene>\n<ground surface_velocity='1 0'/></scene>";
    slip_scene scene;
    slip_error err;

    TEST_ASSERT_TRUE(slip_scene_read(text, strlen(text), "belt.xml", NULL, aid_memory(), &scene, NULL, &err) < 0);
    TEST_ASSERT_EQUAL_INT(2, err.line);
    TEST_ASSERT_NOT_NULL(strstr(err.what, "surface_velocity"));
}

/* ---- friction of two materials ------------------------------------------------------------------- */

/* Friction of a contact of two materials under a rule; the box must stand on the ground after 0.2 s. */
static double mixed(slip_mix_rule rule, slip_real a, slip_real b)
{
    static aid_world w;
    static slip_material two[2];
    slip_real *q;
    int k;

    aid_begin(&w, 1);
    aid_add(&w, slip_shape_box(SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.1)), 1);
    aid_build(&w);
    two[0] = two[1] = slip_material_defaults();
    two[0].friction = a;
    two[1].friction = b;
    w.world_def.materials = two;
    w.world_def.nmaterials = 2;
    w.colliders[1].material = 1;
    w.world_def.options.mix = rule;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_world_create(&w.world_def, aid_memory(), &w.world, NULL, NULL));
    q = aid_q(&w, 0);
    q[2] = SLIP_R(0.1);
    for (k = 0; k < 200; ++k) TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step(w.world));
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-5, 0.1, (double)q[2], "it stands on the ground");
    return (double)slip_contact_get(w.world, 0).mu;
}

/* The geometric mean of 0 and infinity was NaN, and the body fell through the ground with SLIP_OK. */
static void test_no_friction_beside_infinite_friction_is_no_friction(void)
{
    const slip_real inf = (slip_real)INFINITY;

    TEST_ASSERT_EQUAL_DOUBLE(0, mixed(SLIP_MIX_GEOMETRIC, 0, inf));
    TEST_ASSERT_EQUAL_DOUBLE(0, mixed(SLIP_MIX_GEOMETRIC, inf, 0));
    TEST_ASSERT_EQUAL_DOUBLE(0, mixed(SLIP_MIX_PRODUCT, 0, inf));
    TEST_ASSERT_EQUAL_DOUBLE(0, mixed(SLIP_MIX_MIN, 0, inf));
    TEST_ASSERT_TRUE(isinf(mixed(SLIP_MIX_MEAN, 0, inf)));
    TEST_ASSERT_TRUE(isinf(mixed(SLIP_MIX_MAX, 0, inf)));
    TEST_ASSERT_TRUE(isinf(mixed(SLIP_MIX_GEOMETRIC, SLIP_R(0.5), inf)));
    TEST_ASSERT_TRUE(isinf(mixed(SLIP_MIX_PRODUCT, SLIP_R(0.5), inf)));
    TEST_ASSERT_EQUAL_DOUBLE(0.5, mixed(SLIP_MIX_MIN, SLIP_R(0.5), inf));
}

/* A box that touches the ground and moves along it at 1 m/s, 10 cm wide: what friction holds tips by 5 mm at most and
 * falls back to where it stood. With mu = 1e6 the tolerance allowed any approach, and it fell through the ground with
 * SLIP_OK; with infinite mu it hung 1 mm above it by tangents of contacts that were open. */
static void test_a_box_held_by_any_large_friction_stands_on_the_ground(void)
{
    static const slip_real mu[] = { 10, 1000, 10000, SLIP_R(1e6), (slip_real)INFINITY };

    for (int i = 0; i < 5; ++i) {
        static aid_world w;
        slip_real *q;

        aid_begin(&w, mu[i]);
        aid_add(&w, slip_shape_box(SLIP_R(0.05), SLIP_R(0.05), SLIP_R(0.05)), 1);
        aid_build(&w);
        q = aid_q(&w, 0);
        q[2] = SLIP_R(0.05);
        slip_world_v(w.world)[0] = 1;
        for (int k = 0; k < 1000; ++k) TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step(w.world));
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-6, 1e-4), 0.05, (double)q[2], "height");
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-5, 1e-3), 0.0005, (double)q[0], "way");
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_box_on_a_conveyor_reaches_its_speed_in_the_time_of_the_closed_form);
    RUN_TEST(test_work_of_a_conveyor_is_external_and_the_loss_that_of_contacts);
    RUN_TEST(test_a_turned_conveyor_carries_along_its_own_axis);
    RUN_TEST(test_a_box_on_a_turntable_slips_where_the_closed_form_says);
    RUN_TEST(test_a_surface_velocity_changes_between_steps_and_wakes_sleepers);
    RUN_TEST(test_impacts_see_the_velocity_of_the_surface);
    RUN_TEST(test_bad_surface_velocities_are_errors_with_their_place);
    RUN_TEST(test_no_friction_beside_infinite_friction_is_no_friction);
    RUN_TEST(test_a_box_held_by_any_large_friction_stands_on_the_ground);
    return UNITY_END();
}
