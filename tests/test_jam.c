/* Links that begin deep inside each other: where joints leave no way out the contacts yield, are counted and cost
 * little; where there is one they stay rigid. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "scene_aid.h"

void setUp(void) { aid_forget(); }
void tearDown(void) { }

/* A hand whose thumb starts 9.3 mm inside the palm and is driven on; `more` goes into the scene. */
#define THUMB(more) "<scene><surface name='default' friction='0.3'/><robot file='hand.urdf' base='fixed'>" \
    "<origin rpy='0 -1.8 0'/>" \
    "<joint joint='thumb_joint_0' position='0.44'/><drive joint='thumb_joint_0' kp='100' kd='1' position='1.396'/>" \
    "<joint joint='thumb_joint_1' position='1.07'/><drive joint='thumb_joint_1' kp='100' kd='1' position='-0.105'/>" \
    "<joint joint='thumb_joint_2' position='0.02'/><drive joint='thumb_joint_2' kp='100' kd='1' position='1.644'/>" \
    "<joint joint='thumb_joint_3' position='0.94'/><drive joint='thumb_joint_3' kp='100' kd='1' position='-0.162'/>" \
    "</robot>" more "</scene>"

/* Steps of a scene; counts those that missed their tolerance, those in which a joint's friction or drive does not fit
 * the end of the step, and those with soft contacts. */
typedef struct { int missed, unsettled, soft, iterations, softest; double fastest, deepest; } jam_run;

static jam_run run(slip_world *w, int steps)
{
    jam_run r;

    memset(&r, 0, sizeof r);
    for (int k = 0; k < steps; ++k) {
        const slip_status s = slip_step(w);
        const slip_step_stats *t = slip_world_stats(w);

        if (s < 0) TEST_FAIL_MESSAGE(slip_world_error(w)->what);
        r.missed += s != SLIP_OK && t->unsettled == 0;
        r.unsettled += t->unsettled > 0;
        r.soft += t->softened > 0;
        TEST_ASSERT_TRUE_MESSAGE(t->softened <= slip_contact_count(w), "each contact counts once");
        if (t->softened > r.softest) r.softest = t->softened;
        if (t->iterations > r.iterations) r.iterations = t->iterations;
        r.deepest = fmax(r.deepest, (double)t->penetration);
        for (int i = 0; i < slip_world_model(w)->nv; ++i) r.fastest = fmax(r.fastest, fabs((double)slip_world_v(w)[i]));
    }
    return r;
}

/* Rigid, these steps took up to 8490 iterations and 13 ms each, and none was solved. */
static void test_a_thumb_driven_into_the_palm_costs_little_and_is_told(void)
{
    const jam_run r = run(aid_start(aid_read(THUMB(""))), 300);
    const jam_run free = run(aid_start(aid_read(THUMB("<exclude a='palm' b='thumb_*'/>"))), 300);

    TEST_ASSERT_TRUE(r.soft > 0 && r.softest <= 8);
    TEST_ASSERT_EQUAL_INT(0, r.missed);
    TEST_ASSERT_TRUE_MESSAGE(r.unsettled <= 3, "steps whose frictions find no end: 1 seen, 10 where noise flipped marks");
    TEST_ASSERT_TRUE_MESSAGE(r.iterations < 200, "iterations of the worst step");
    TEST_ASSERT_TRUE_MESSAGE(r.fastest < 2*free.fastest, "nothing is thrown out faster than drives move it");
    TEST_ASSERT_TRUE_MESSAGE(r.deepest < 0.012, "nor driven further in");
}

/* What yields is part of a snapshot. */
static void test_a_jam_continues_bit_for_bit(void)
{
    slip_world *w = aid_start(aid_read(THUMB("")));
    slip_real q[32];
    void *kept;

    run(w, 40);
    kept = slip_arena_take(aid_memory(), slip_snapshot_bytes(w), 1);
    slip_snapshot_save(w, kept);
    run(w, 60);
    memcpy(q, slip_world_q(w), (size_t)slip_world_model(w)->nq*sizeof *q);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, kept, slip_snapshot_bytes(w)));
    run(w, 60);
    TEST_ASSERT_EQUAL_MEMORY(q, slip_world_q(w), (size_t)slip_world_model(w)->nq*sizeof *q);
}

static void test_a_hand_that_is_not_jammed_stays_rigid(void)
{
    const jam_run r = run(aid_start(aid_open("models/hand_ball.xml")), 500);

    TEST_ASSERT_EQUAL_INT(0, r.soft);
    TEST_ASSERT_EQUAL_INT(0, r.missed);
}

/* A fingertip 3 mm in a wall, with all the room to leave: out by halves. While deeper than half the margin it counts as
 * soft, by a thousandth of its mobility, which changes nothing to speak of. */
static void test_an_overlap_with_a_way_out_is_left(void)
{
    slip_world *w = aid_start(aid_read("<scene><simulation gravity='0 0 0'/><robot file='hand.urdf' base='fixed'/>"
                                       "<body name='wall' fixed='true'><origin xyz='0.059 0.0435 0.134'/>"
                                       "<geometry><box size='0.1 0.03 0.03'/></geometry></body>"
                                       "<exclude a='palm' b='thumb_1'/></scene>"));
    const jam_run r = run(w, 60);

    TEST_ASSERT_EQUAL_INT(0, r.missed);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 3e-3, r.deepest);
    slip_step(w);
    TEST_ASSERT_TRUE((double)slip_world_stats(w)->penetration < 1e-5);
}

/* Contacts of the first step whose two links begin with a and b, in either order. */
static int touching(slip_world *w, const char *a, const char *b)
{
    int n = 0;

    for (int i = 0; i < slip_contact_count(w); ++i) {
        const slip_contact_info c = slip_contact_get(w, i);

        n += (strncmp(c.name_a, a, strlen(a)) == 0 && strncmp(c.name_b, b, strlen(b)) == 0)
          || (strncmp(c.name_a, b, strlen(b)) == 0 && strncmp(c.name_b, a, strlen(a)) == 0);
    }
    return n;
}

/* Two hands on fixed palms, each with its thumb in its own palm and its fingers across each other; the second one's
 * palm in the first one's fingers; and a wall at the first one's index. With self='false' only the latter two remain.
 */
static void two_hands(slip_world **w, const char *self)
{
    static char text[2048];

    slip_format(text, sizeof text, "<scene><simulation gravity='0 0 0' %s/>"
        "<body name='wall' fixed='true'><origin xyz='0.059 0.0435 0.134'/>"
        "<geometry><box size='0.1 0.03 0.03'/></geometry></body>"
        "<robot file='hand.urdf' base='fixed' overlaps='collide' prefix='l_'>"
        "<joint joint='thumb_joint_0' position='0.44'/>"
        "<joint joint='thumb_joint_1' position='1.07'/>"
        "<joint joint='middle_joint_0' position='-0.47'/><joint joint='middle_joint_1' position='1.6'/>"
        "<joint joint='ring_joint_0' position='0.47'/><joint joint='ring_joint_1' position='1.6'/></robot>"
        "<robot file='hand.urdf' base='fixed' overlaps='collide' prefix='r_'><origin xyz='0 0.02 0.2'/></robot>"
        "</scene>", self);
    *w = aid_start(aid_read(text));
    slip_step(*w);
}

static void test_self_false_covers_a_fixed_base_and_what_stands_on_it_but_nothing_else(void)
{
    slip_world *w;

    two_hands(&w, "");
    TEST_ASSERT_TRUE(touching(w, "l_palm", "l_thumb") > 0);
    TEST_ASSERT_TRUE(touching(w, "l_", "l_") > touching(w, "l_palm", "l_"));
    TEST_ASSERT_TRUE(touching(w, "l_", "r_palm") > 0);
    two_hands(&w, "self='false'");
    TEST_ASSERT_EQUAL_INT(0, touching(w, "l_", "l_"));
    TEST_ASSERT_EQUAL_INT(0, touching(w, "r_", "r_"));
    TEST_ASSERT_TRUE(touching(w, "l_", "r_palm") > 0);
    TEST_ASSERT_TRUE(touching(w, "l_index", "wall") > 0);
}

/* An arm of two links hangs from a ball joint, nearly straight, its tip a little in the ground and held there by
 * friction: an impulse along it hardly moves it. Working 20 um of overlap off took 100 N s and 0.5 J, which threw the
 * elbow out at 8 rad/s; of a push drawn in to what a thousandth of the free mobility takes, it is 0.05 J. */
static void test_an_arm_at_its_dead_point_is_not_pushed_out(void)
{
    static const char *const path = "build/test_jam.tmp.urdf";
    static char text[1024];

    FILE *f = fopen(path, "wb");
    TEST_ASSERT_MESSAGE(f != NULL, "cannot write below build/");
    fputs("<robot name='arm'><link name='mount'/>"
          "<joint name='shoulder_x' type='continuous'><parent link='mount'/><child link='ring'/>"
          "<axis xyz='1 0 0'/></joint>"
          "<link name='ring'><inertial><mass value='0.1'/>"
          "<inertia ixx='0.001' ixy='0' ixz='0' iyy='0.001' iyz='0' izz='0.001'/></inertial></link>"
          "<joint name='shoulder_y' type='continuous'><parent link='ring'/><child link='upper'/>"
          "<axis xyz='0 1 0'/></joint>"
          "<link name='upper'><inertial><origin xyz='0 0 -0.15'/><mass value='1'/>"
          "<inertia ixx='0.008' ixy='0' ixz='0' iyy='0.008' iyz='0' izz='0.001'/></inertial></link>"
          "<joint name='elbow' type='continuous'><origin xyz='0 0 -0.3'/><parent link='upper'/><child link='lower'/>"
          "<axis xyz='0 1 0'/></joint>"
          "<link name='lower'><inertial><origin xyz='0 0 -0.15'/><mass value='1'/>"
          "<inertia ixx='0.008' ixy='0' ixz='0' iyy='0.008' iyz='0' izz='0.001'/></inertial>"
          "<collision><origin xyz='0 0 -0.3'/><geometry><sphere radius='0.02'/></geometry></collision></link>"
          "</robot>", f);
    fclose(f);
    for (int k = 0; k < 4; ++k) {
        const double bend = 2e-4*pow(2, k), lean = 0.15, low = 0.3*cos(lean) + 0.3*cos(lean + bend) + 0.02;
        double start, most;
        slip_world *w;

        aid_forget();
        snprintf(text, sizeof text, "<scene><surface name='default' friction='0.7'/><ground/>"
                 "<robot file='../%s' base='fixed'><origin xyz='0 0 %.17g'/>"
                 "<joint joint='shoulder_y' position='%.17g'/><joint joint='elbow' position='%.17g'/></robot></scene>",
                 path, low - 20e-6, lean, bend);
        w = aid_start(aid_read(text));
        start = most = aid_energy_of(w);
        for (int i = 0; i < 50; ++i) {
            aid_steps(w, 1);
            most = fmax(most, aid_energy_of(w));
        }
        TEST_ASSERT_TRUE_MESSAGE(most < start + 0.06, "energy from nowhere");
    }
    remove(path);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_thumb_driven_into_the_palm_costs_little_and_is_told);
    RUN_TEST(test_a_jam_continues_bit_for_bit);
    RUN_TEST(test_a_hand_that_is_not_jammed_stays_rigid);
    RUN_TEST(test_an_overlap_with_a_way_out_is_left);
    RUN_TEST(test_self_false_covers_a_fixed_base_and_what_stands_on_it_but_nothing_else);
    RUN_TEST(test_an_arm_at_its_dead_point_is_not_pushed_out);
    return UNITY_END();
}
