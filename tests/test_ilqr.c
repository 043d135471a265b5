/* iLQR over steps: a linear problem is solved in one iteration, costs fall, memory is what is counted, and the examples
 * do what they say. */
#include "unity.h"

#define main mpc_main
#include "../examples/mpc/mpc.c"
#undef main

#include <math.h>
#include <stdlib.h>

static unsigned char room[8 << 20];

void setUp(void) { memset(Q, 0, sizeof Q);  memset(Q_end, 0, sizeof Q_end);  memset(q_ref, 0, sizeof q_ref); }
void tearDown(void) { }

static slip_world *open_world(const char *scene, slip_arena *mem)
{
    slip_world *w = NULL;
    slip_error err;

    *mem = slip_arena_over(room, sizeof room);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_scene_load_world(scene, mem, &w, NULL, &err), err.what);
    return w;
}

/* The cart with its pole held straight down, in effect: weights on the cart alone, small motions. */
static slip_ilqr_options cart_options(const slip_model *m)
{
    slip_ilqr_options o = slip_ilqr_defaults();

    o.horizon = 15;
    o.iv = motors;
    o.q_ref = q_ref;
    o.Q = Q;
    o.Q_end = Q_end;
    o.R = R;
    find_motors(m, SLIP_R(0.1), &o);
    q_ref[0] = SLIP_R(0.001);
    Q[0] = 1;
    Q_end[0] = 10;
    Q_end[2] = 1;
    return o;
}

/* What the torques of a loop cost, by steps of another kind: plain ones, in a loop of its own. */
static double cost_of(slip_world *w, const slip_ilqr_options *o, const slip_real *u)
{
    double cost = 0;
    int k, i;

    for (i = 0; i < 2; ++i) slip_world_q(w)[i] = slip_world_v(w)[i] = 0;
    for (k = 0; k <= o->horizon; ++k) {
        const slip_real *weight = k < o->horizon ? o->Q : o->Q_end, *q = slip_world_q(w), *v = slip_world_v(w);

        for (i = 0; i < 2; ++i)
            cost += (double)(weight[i]*(q[i] - o->q_ref[i])*(q[i] - o->q_ref[i]) + weight[2 + i]*v[i]*v[i])/2;
        if (k == o->horizon) break;
        cost += (double)(o->R[0]*u[k]*u[k])/2;
        slip_world_tau(w)[motors[0]] = u[k];
        slip_step(w);
    }
    return cost;
}

/* Small motions are linear to the square of the angles, 1e-3: one iteration leaves a gradient of that share. */
static void test_a_linear_problem_takes_one_iteration(void)
{
    slip_arena mem;
    slip_world *w = open_world("models/mpc_cartpole.xml", &mem);
    const slip_ilqr_options o = cart_options(slip_world_model(w));
    const slip_real zero[2] = { 0, 0 };
    slip_real cost, u[15];
    slip_ilqr *loop;
    double at, most = 0;
    int k;

    if (sizeof(slip_real) < sizeof(double)) TEST_IGNORE_MESSAGE("costs of 1e-6 are differenced");
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_ilqr_create(w, &o, &mem, &loop));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_ilqr_iterate(loop, zero, zero, &cost));
    for (k = 0; k < 15; ++k) u[k] = *slip_ilqr_torque(loop, k);
    at = cost_of(w, &o, u);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9*at, at, (double)cost);
    for (k = 0; k < 15; ++k) {                               /* a gradient against what the first torque costs */
        const slip_real keep = u[k], s = SLIP_R(1e-3)*u[0];
        double slope;

        u[k] = keep + s;
        slope = cost_of(w, &o, u);
        u[k] = keep - s;
        slope -= cost_of(w, &o, u);
        u[k] = keep;
        most = fmax(most, fabs(slope/(2*(double)s)));
    }
    TEST_ASSERT_MESSAGE(most < 1e-3*(double)(o.R[0]*slip_abs(u[0])), "the gradient is not 0");
}

static void test_costs_fall_through_contact(void)
{
    slip_arena mem;
    slip_world *w = open_world("models/mpc_hopper.xml", &mem);
    const slip_model *m = slip_world_model(w);
    slip_ilqr_options o = slip_ilqr_defaults();
    slip_real q[4], v[4] = { 0, 0, 0, 0 }, cost, last = SLIP_REAL_MAX, first = 0;
    slip_ilqr *loop;
    int k;

    memcpy(q, slip_world_q(w), sizeof q);
    o.horizon = 40;
    o.iv = motors;
    o.effort = effort;
    o.q_ref = q_ref;
    o.Q = Q;
    o.Q_end = Q_end;
    o.R = R;
    hopper_setup(m, &o);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_ilqr_create(w, &o, &mem, &loop));
    for (k = 0; k < 15; ++k) {
        TEST_ASSERT_GREATER_OR_EQUAL_INT(0, slip_ilqr_iterate(loop, q, v, &cost));
        TEST_ASSERT_MESSAGE(cost <= last*(1 + 100*SLIP_REAL_EPS), "the cost rose");
        last = cost;
        if (k == 0) first = cost;
    }
    TEST_ASSERT_MESSAGE(last < SLIP_R(0.9)*first, "the leg learns to jump");
    for (k = 0; k < 40; ++k) TEST_ASSERT_TRUE(slip_abs(slip_ilqr_torque(loop, k)[0]) <= effort[0]);
}

static void test_memory_is_what_is_counted(void)
{
    slip_arena mem, tight;
    slip_world *w = open_world("models/mpc_cartpole.xml", &mem);
    const slip_ilqr_options o = cart_options(slip_world_model(w));
    const size_t bytes = slip_ilqr_bytes(w, &o);
    void *block = malloc(bytes);
    slip_ilqr *loop = NULL;

    tight = slip_arena_over(block, bytes);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_ilqr_create(w, &o, &tight, &loop));
    loop = NULL;
    tight = slip_arena_over(block, bytes/2);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_ilqr_create(w, &o, &tight, &loop));
    TEST_ASSERT_NULL(loop);
    free(block);
}

static void test_bad_options_are_refused(void)
{
    static const slip_real negative = -1;
    static const int far = 7;
    slip_arena mem;
    slip_world *w = open_world("models/mpc_cartpole.xml", &mem);
    slip_ilqr_options good = cart_options(slip_world_model(w)), bad[6];
    slip_ilqr *loop = NULL;
    int k;

    for (k = 0; k < 6; ++k) bad[k] = good;
    bad[0].horizon = 0;
    bad[1].nu = 0;
    bad[2].R = &negative;
    bad[3].iv = &far;
    bad[4].Q = NULL;
    bad[5].steps = 0;
    for (k = 0; k < 6; ++k) TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_ilqr_create(w, &bad[k], &mem, &loop));
    TEST_ASSERT_NULL(loop);
}

static void test_a_cart_swings_its_pole_up(void) { TEST_ASSERT_EQUAL_INT(0, run(&tasks[0], 0)); }
static void test_a_leg_hops_a_metre(void) { TEST_ASSERT_EQUAL_INT(0, run(&tasks[1], 0)); }

static void test_solo12_takes_a_push_that_it_falls_from_without(void)
{
    TEST_ASSERT_EQUAL_INT(0, run(&tasks[2], 0));
    TEST_ASSERT_EQUAL_INT(1, run(&tasks[2], 1));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_linear_problem_takes_one_iteration);
    RUN_TEST(test_costs_fall_through_contact);
    RUN_TEST(test_memory_is_what_is_counted);
    RUN_TEST(test_bad_options_are_refused);
    RUN_TEST(test_a_cart_swings_its_pole_up);
    RUN_TEST(test_a_leg_hops_a_metre);
    RUN_TEST(test_solo12_takes_a_push_that_it_falls_from_without);
    return UNITY_END();
}
