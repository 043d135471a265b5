/* Sleeping: what rests stands still and is not solved, and wakes when it should. */
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "world_aid.h"

static aid_world w;

void setUp(void) { }
void tearDown(void) { }

static int asleep(void) { return slip_world_stats(w.world)->asleep; }

static void steps(int n)
{
    int k;

    for (k = 0; k < n; ++k) TEST_ASSERT(slip_step(w.world) >= 0);
}

/* Two boxes on each other and one beside them, side 0.2, that have come to rest. */
static void boxes(slip_real sleep)
{
    int i;

    aid_begin(&w, SLIP_R(0.6));
    for (i = 0; i < 3; ++i) aid_add(&w, slip_shape_box(SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.1)), 1);
    aid_build(&w);
    slip_world_options_of(w.world)->sleep = sleep;
    slip_world_options_of(w.world)->solve.tol = SLIP_TOL(1e-8, 1e-5);    /* rest is an acceleration below 2e-5 m/s^2 */
    for (i = 0; i < 3; ++i) {
        aid_q(&w, i)[0] = i == 2 ? 1 : 0;
        aid_q(&w, i)[2] = SLIP_R(0.1) + (i == 1 ? SLIP_R(0.2) : 0) + SLIP_R(1e-4);
    }
    steps(450);
    TEST_ASSERT_EQUAL_INT(0, asleep());                   /* not tired yet */
    steps(550);
}

static void test_it_is_off_unless_asked_for(void)
{
    boxes(0);
    TEST_ASSERT_EQUAL_INT(0, asleep());
    TEST_ASSERT_EQUAL_INT(2, slip_world_stats(w.world)->islands);
}

static void test_what_rests_stands_still_keeps_its_forces_and_is_not_solved(void)
{
    slip_real q[21], sum = 0;
    int i;

    boxes(SLIP_R(1e-3));
    TEST_ASSERT_EQUAL_INT(3, asleep());
    TEST_ASSERT_EQUAL_INT(0, slip_world_stats(w.world)->islands);
    memcpy(q, slip_world_q(w.world), sizeof q);
    steps(1000);
    TEST_ASSERT_EQUAL_MEMORY(q, slip_world_q(w.world), sizeof q);
    for (i = 0; i < 18; ++i) TEST_ASSERT_EQUAL_DOUBLE(0, (double)slip_world_v(w.world)[i]);
    for (i = 0; i < slip_contact_count(w.world); ++i) {
        const slip_contact_info c = slip_contact_get(w.world, i);

        if (c.link_a < 0 || c.link_b < 0) sum += c.force_n;
    }
    TEST_ASSERT_DOUBLE_WITHIN(3*9.81*(double)SLIP_TOL(1e-6, 1e-3), 3*9.81, (double)sum);
}

static void test_a_push_wakes_its_group_only(void)
{
    boxes(SLIP_R(1e-3));
    slip_world_wrench(w.world)[6*2] = 1;                  /* 1 N sideways on the upper or lower of the two */
    steps(1);
    TEST_ASSERT_EQUAL_INT(1, asleep());
    slip_world_wrench(w.world)[6*2] = 0;
    steps(1);
    TEST_ASSERT_EQUAL_INT(1, asleep());
    steps(700);
    TEST_ASSERT_EQUAL_INT(3, asleep());
}

/* Not even one below `sleep` may be lost. */
/* In a step 1 kg gets 5 % or 0.3 % of the speed of sleep: the former wakes it for the whole sleep_time, the latter is
 * solved for and lets it sleep again at once. */
static void test_a_change_of_a_hundredth_of_the_speed_of_sleep_wakes(void)
{
    boxes(SLIP_R(1e-3));
    slip_world_wrench(w.world)[6*3] = SLIP_R(0.05);
    steps(20);
    TEST_ASSERT_EQUAL_INT(2, asleep());
    steps(700);
    TEST_ASSERT_EQUAL_INT(3, asleep());
    slip_world_wrench(w.world)[6*3] -= SLIP_R(0.003);
    steps(20);
    TEST_ASSERT_EQUAL_INT(3, asleep());
    slip_world_wrench(w.world)[6*3] -= SLIP_R(1e-5);      /* half of what counts as no change: not even solved for */
    steps(1);
    TEST_ASSERT_EQUAL_INT(3, asleep());
}

static void test_who_is_given_a_velocity_wakes(void)
{
    boxes(SLIP_R(1e-3));
    aid_v(&w, 2)[0] = SLIP_R(5e-4);
    steps(1);
    TEST_ASSERT_EQUAL_INT(2, asleep());
    steps(700);
    TEST_ASSERT_EQUAL_INT(3, asleep());
}

static void test_who_loses_his_support_falls(void)
{
    boxes(SLIP_R(1e-3));
    aid_q(&w, 0)[0] = 5;                                  /* the lower one is taken away */
    steps(200);
    TEST_ASSERT(aid_q(&w, 1)[2] < SLIP_R(0.25));
    TEST_ASSERT_EQUAL_INT(1, asleep());
}

static void test_who_is_hit_moves(void)
{
    boxes(SLIP_R(1e-3));
    aid_q(&w, 2)[0] = SLIP_R(0.35);
    aid_v(&w, 2)[0] = -3;
    steps(300);
    TEST_ASSERT(aid_q(&w, 0)[0] < SLIP_R(-0.05));
}

static void test_a_snapshot_of_sleepers_goes_on_bit_for_bit(void)
{
    slip_real q[21];
    void *saved;

    boxes(SLIP_R(1e-3));
    aid_v(&w, 2)[2] = 1;                                  /* one jumps, two sleep */
    steps(20);
    saved = malloc(slip_snapshot_bytes(w.world));
    slip_snapshot_save(w.world, saved);
    steps(1500);
    memcpy(q, slip_world_q(w.world), sizeof q);
    TEST_ASSERT_EQUAL_INT(3, asleep());
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w.world, saved, slip_snapshot_bytes(w.world)));
    steps(1);
    TEST_ASSERT_EQUAL_INT(2, asleep());
    steps(1499);
    TEST_ASSERT_EQUAL_MEMORY(q, slip_world_q(w.world), sizeof q);
    free(saved);
}

/* One box of 1 kg on a floor of friction mu, asleep after 0.1 s at rest. */
static void one_box(slip_real mu)
{
    aid_begin(&w, mu);
    aid_add(&w, slip_shape_box(SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.1)), 1);
    aid_build(&w);
    slip_world_options_of(w.world)->sleep = SLIP_R(0.01);
    slip_world_options_of(w.world)->sleep_time = SLIP_R(0.1);
    aid_q(&w, 0)[2] = SLIP_R(0.1);
    steps(400);
    TEST_ASSERT_EQUAL_INT(1, asleep());
}

/* 1 N/s against mu m g = 3.924 N, each step's change far too small to see: it moves when the sum is enough, by
 * (t - 3.924 s)^3/6. */
static void test_a_force_that_grows_slowly_moves_who_sleeps(void)
{
    int k;

    one_box(SLIP_R(0.4));
    for (k = 0; k < 5000; ++k) {
        slip_world_wrench(w.world)[6] = (slip_real)k*SLIP_R(1e-3);
        steps(1);
        if (k == 3900) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-7, 1e-4), 0, (double)aid_q(&w, 0)[0]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.02*0.2076, 0.2076, (double)aid_q(&w, 0)[0]);
}

/* Four millinewtons (more in float), without friction: v = F t/m, whether it slept before or was about to. That is four
 * times the acceleration that counts as rest, a hundredth of sleep/sleep_time = 0.1 m/s^2. */
static void test_who_is_pushed_gently_and_held_by_nothing_does_not_sleep(void)
{
    int late;

    for (late = 0; late < 2; ++late) {
        one_box(0);
        if (!late) {                                      /* awake, and slow enough to be tired before it is fast */
            aid_v(&w, 0)[0] = SLIP_R(0.02);
            steps(1);
            aid_v(&w, 0)[0] = 0;
        }
        slip_world_wrench(w.world)[6] = SLIP_TOL(0.004, 0.08);
        steps(2000);
        TEST_ASSERT_EQUAL_INT(0, asleep());
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-5, 1e-3), 2*(double)SLIP_TOL(0.004, 0.08),
                                  (double)aid_v(&w, 0)[0]);
    }
}

/* The same push on a floor that holds it: it wakes, is solved, and sleeps again. */
static void test_who_is_pushed_gently_and_held_sleeps_again(void)
{
    slip_contact_info c;
    slip_real sum = 0;
    int i;

    one_box(SLIP_R(0.4));
    slip_world_wrench(w.world)[6] = SLIP_R(0.08);
    steps(1);
    TEST_ASSERT_EQUAL_INT(0, asleep());
    steps(300);
    TEST_ASSERT_EQUAL_INT(1, asleep());
    for (i = 0; i < slip_contact_count(w.world); ++i) {
        c = slip_contact_get(w.world, i);
        sum += c.link_a < 0 ? c.force[0] : -c.force[0];
    }
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-4, 2e-2), -0.08, (double)sum);
}

static void test_joints_feel_the_contacts_of_who_sleeps(void)
{
    slip_real tau[18];

    boxes(SLIP_R(1e-3));
    TEST_ASSERT_EQUAL_INT(3, asleep());
    slip_world_constraint_force(w.world, tau);
    TEST_ASSERT_DOUBLE_WITHIN(9.81*(double)SLIP_TOL(1e-6, 1e-3), 9.81, (double)tau[2]);
    TEST_ASSERT_DOUBLE_WITHIN(9.81*(double)SLIP_TOL(1e-6, 1e-3), 9.81, (double)tau[14]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-5, 1e-2), 0, (double)tau[0]);
}

/* A box on a slope of 0.3, tilted gravity: it holds at 0.6, not at 0.2. */
static void test_who_loses_his_friction_slides(void)
{
    slip_material m;

    aid_begin(&w, SLIP_R(0.6));
    aid_add(&w, slip_shape_box(SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.1)), 1);
    slip_set3(SLIP_R(2.943), 0, SLIP_R(-9.81), w.def.gravity);
    aid_build(&w);
    slip_world_options_of(w.world)->sleep = SLIP_R(1e-3);
    aid_q(&w, 0)[2] = SLIP_R(0.1);
    steps(1000);
    TEST_ASSERT_EQUAL_INT(1, asleep());
    m = *slip_world_material(w.world, 0);
    m.friction = -1;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_world_set_material(w.world, 0, &m));
    TEST_ASSERT(strstr(slip_world_error(w.world)->what, "friction is -1") != NULL);
    steps(1);
    TEST_ASSERT_EQUAL_INT(1, asleep());                   /* refused: nothing has changed */
    m.friction = SLIP_R(0.2);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_world_set_material(w.world, 0, &m));
    steps(1000);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 9.81*0.1, (double)aid_v(&w, 0)[0]);   /* g (0.3 - 0.2) t */
    TEST_ASSERT(slip_world_material(w.world, 1) == NULL && slip_world_material_pair(w.world, 0) == NULL);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_world_set_material(w.world, 1, &m));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_world_set_material_pair(w.world, 0, &m));
}

/* A ball hangs from the ceiling by a loop, at rest from the start, and falls when that is let go. */
static void test_who_is_let_go_by_a_loop_falls(void)
{
    slip_loop_def loop;

    memset(&loop, 0, sizeof loop);
    aid_begin(&w, SLIP_R(0.6));
    aid_add(&w, slip_shape_sphere(SLIP_R(0.1)), 1);
    loop.kind = SLIP_LOOP_BALL;
    loop.link_b = -1;
    slip_pose_identity(&loop.frame_a);
    slip_pose_identity(&loop.frame_b);
    loop.frame_b.p[2] = 2;
    w.world_def.loops = &loop;
    w.world_def.nloops = 1;
    aid_build(&w);
    slip_world_options_of(w.world)->sleep = SLIP_R(1e-3);
    aid_q(&w, 0)[2] = 2;
    steps(1000);
    TEST_ASSERT_EQUAL_INT(1, asleep());
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-4), 2, (double)aid_q(&w, 0)[2]);
    slip_world_set_loop(w.world, 0, 0);
    steps(100);
    TEST_ASSERT_EQUAL_INT(0, asleep());
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, -0.981, (double)aid_v(&w, 0)[2]);
}

/* A blow beyond reason is refused after it has woken the one that it meets: nothing has changed. */
static void test_a_step_that_fails_wakes_nobody(void)
{
    size_t bytes;
    void *before, *after;

    boxes(SLIP_R(1e-3));
    slip_world_wrench(w.world)[6*1] = SLIP_R(1e20);
    bytes = slip_snapshot_bytes(w.world);
    before = malloc(bytes);
    after = malloc(bytes);
    slip_snapshot_save(w.world, before);
    TEST_ASSERT(slip_step(w.world) < 0);
    slip_snapshot_save(w.world, after);
    TEST_ASSERT_EQUAL_MEMORY(before, after, bytes);
    free(before);
    free(after);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_it_is_off_unless_asked_for);
    RUN_TEST(test_what_rests_stands_still_keeps_its_forces_and_is_not_solved);
    RUN_TEST(test_a_push_wakes_its_group_only);
    RUN_TEST(test_a_change_of_a_hundredth_of_the_speed_of_sleep_wakes);
    RUN_TEST(test_who_is_given_a_velocity_wakes);
    RUN_TEST(test_who_loses_his_support_falls);
    RUN_TEST(test_who_is_hit_moves);
    RUN_TEST(test_a_snapshot_of_sleepers_goes_on_bit_for_bit);
    RUN_TEST(test_a_force_that_grows_slowly_moves_who_sleeps);
    RUN_TEST(test_who_is_pushed_gently_and_held_by_nothing_does_not_sleep);
    RUN_TEST(test_who_is_pushed_gently_and_held_sleeps_again);
    RUN_TEST(test_joints_feel_the_contacts_of_who_sleeps);
    RUN_TEST(test_who_loses_his_friction_slides);
    RUN_TEST(test_who_is_let_go_by_a_loop_falls);
    RUN_TEST(test_a_step_that_fails_wakes_nobody);
    return UNITY_END();
}
