/* The converters to other libraries' conventions: there and back, against finite differences of poses, and
 * by what no convention can change, the power of the forces. */
#include <math.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "random_tree.h"

enum { NMAX = 7*TREE_MAX_LINKS, TRIALS = 60 };

static tree t;
static slip_random rng;
static slip_real q[NMAX], q2[NMAX], v[NMAX], a[NMAX], tau[NMAX], x[NMAX], y[NMAX], z[NMAX];
static slip_bullet_body bodies[TREE_MAX_LINKS];

#define ROUND SLIP_TOL(1e-13, 1e-5)                      /* a handful of roundings of numbers near 1 */
#define STEP  SLIP_TOL(1e-5, 1e-2)                       /* central differences: h^2 + eps/h         */
#define FD    SLIP_TOL(1e-8, 5e-3)

void setUp(void) { rng = slip_random_seed(4711); }
void tearDown(void) { }

static void random_case(int trial)
{
    tree_options o = { 0 };

    o.links = 1 + trial % 12;
    o.floating_root = trial % 2;
    o.mimic = trial % 3 == 1;
    tree_make(&t, &o, &rng);
    slip_random_q(t.model, &rng, q);
    tree_random_vector(&rng, t.model->nv, v);
    tree_random_vector(&rng, t.model->nv, a);
    tree_random_vector(&rng, t.model->nv, tau);
}

static void assert_same(int n, const slip_real *expected, const slip_real *actual, slip_real tol, const char *what)
{
    for (int i = 0; i < n; ++i)
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)tol, (double)expected[i], (double)actual[i], what);
}

/* q a time s STEP later on the motion with velocity v and acceleration a now, and the velocity then. */
static void move(slip_real s, slip_real *to, slip_real *v_then)
{
    slip_real half[NMAX];

    for (int i = 0; i < t.model->nv; ++i) {
        half[i] = v[i] + s*STEP/2*a[i];
        v_then[i] = v[i] + s*STEP*a[i];
    }
    slip_integrate(t.model, q, half, s*STEP, to);
}

/* ---- small ones ------------------------------------------------------------------------------------- */

static void test_a_quarter_turn_about_z_is_sqrt_half_0_0_sqrt_half_with_the_scalar_first(void)
{
    const slip_real rpy[3] = { 0, 0, SLIP_PI/2 };
    slip_real quat[4], wxyz[4];

    slip_quat_from_rpy(rpy, quat);
    slip_quat_to_wxyz(quat, wxyz);
    TEST_ASSERT_DOUBLE_WITHIN((double)ROUND, sqrt(0.5), (double)wxyz[0]);
    TEST_ASSERT_DOUBLE_WITHIN((double)ROUND, 0, (double)wxyz[1]);
    TEST_ASSERT_DOUBLE_WITHIN((double)ROUND, 0, (double)wxyz[2]);
    TEST_ASSERT_DOUBLE_WITHIN((double)ROUND, sqrt(0.5), (double)wxyz[3]);
    slip_quat_from_wxyz(wxyz, wxyz);                     /* in place */
    assert_same(4, quat, wxyz, 0, "x y z w again");
}

static void test_roll_pitch_and_yaw_come_back(void)
{
    for (int k = 0; k < 1000; ++k) {
        slip_real rpy[3] = { slip_random_uniform(&rng, -3, 3), slip_random_uniform(&rng, SLIP_R(-1.5), SLIP_R(1.5)),
                             slip_random_uniform(&rng, -3, 3) };
        slip_real quat[4], back[3];

        slip_quat_from_rpy(rpy, quat);
        slip_quat_to_rpy(quat, back);
        assert_same(3, rpy, back, 20*ROUND, "rpy");      /* 1/cos(1.5) = 14 near the gimbal lock */
    }
}

static void test_yaw_turns_last(void)
{
    const slip_real rpy[3] = { SLIP_PI/2, 0, SLIP_PI/2 }, up[3] = { 0, 0, 1 }, expected[3] = { 1, 0, 0 };
    slip_real quat[4], r[3];

    slip_quat_from_rpy(rpy, quat);                       /* roll takes z to -y, yaw then -y to x */
    slip_quat_rotate(quat, up, r);
    assert_same(3, expected, r, ROUND, "z");
}

static void test_twists_turn_into_the_frame_and_back(void)
{
    slip_real quat[4], p[3], world[6], frame[6], back[6];
    slip_pose X;

    for (int k = 0; k < 100; ++k) {
        slip_random_quat(&rng, quat);
        tree_random_vector(&rng, 3, p);
        tree_random_vector(&rng, 6, world);
        slip_pose_from(p, quat, &X);
        slip_twist_from_world(&X, world, frame);
        slip_twist_to_world(&X, frame, back);
        assert_same(6, world, back, ROUND, "twist");
        slip_quat_rotate(quat, frame + 3, back);
        assert_same(3, world + 3, back, ROUND, "angular");
    }
}

/* ---- MuJoCo ------------------------------------------------------------------------------------------- */

static void test_mujoco_there_and_back_is_the_same_state(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_q_to_mujoco(t.model, q, x));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_q_from_mujoco(t.model, x, x));
        assert_same(t.model->nq, q, x, 10*ROUND, "q");
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_v_to_mujoco(t.model, q, v, x));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_v_from_mujoco(t.model, q, x, x));
        assert_same(t.model->nv, v, x, 10*ROUND, "v");
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_a_to_mujoco(t.model, q, v, a, x));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_a_from_mujoco(t.model, q, v, x, x));
        assert_same(t.model->nv, a, x, 10*ROUND, "a");
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_tau_to_mujoco(t.model, q, tau, x));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_tau_from_mujoco(t.model, q, x, x));
        assert_same(t.model->nv, tau, x, 10*ROUND, "tau");
    }
}

static void test_mujoco_free_joint_is_the_pose_of_the_link_and_its_rate(void)
{
    for (int k = 1; k < TRIALS; k += 2) {                /* odd: the root floats on a tilted, shifted origin */
        slip_real qpos[2][7], conj[4], rate[4], w[4], orientation[4];
        slip_pose X;

        random_case(k);
        slip_kinematics(t.model, t.data, q);
        slip_link_pose(t.model, t.data, 0, &X);
        slip_q_to_mujoco(t.model, q, x);
        assert_same(3, X.p, x, 10*ROUND, "position");
        slip_mat3_to_quat(X.R, orientation);
        slip_quat_from_wxyz(x + 3, w);
        TEST_ASSERT_DOUBLE_WITHIN((double)ROUND*10, 1, fabs((double)(w[0]*orientation[0] + w[1]*orientation[1]
                                                                     + w[2]*orientation[2] + w[3]*orientation[3])));
        memset(a, 0, sizeof a);
        for (int s = 0; s < 2; ++s) {
            move(s ? 1 : -1, q2, y);
            slip_q_to_mujoco(t.model, q2, z);
            memcpy(qpos[s], z, sizeof qpos[s]);
        }
        slip_v_to_mujoco(t.model, q, v, y);
        for (int i = 0; i < 3; ++i)
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)FD*10, (double)((qpos[1][i] - qpos[0][i])/(2*STEP)), (double)y[i],
                                              "linear: world axes");
        for (int s = 0; s < 2; ++s) slip_quat_from_wxyz(qpos[s] + 3, qpos[s] + 3);
        for (int i = 0; i < 4; ++i) rate[i] = (qpos[1][3 + i] - qpos[0][3 + i])/(2*STEP);
        slip_quat_conj(w, conj);
        slip_quat_mul(conj, rate, rate);                 /* q' = q (w, 0)/2 with w in body axes */
        for (int i = 0; i < 3; ++i)
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)FD*10, (double)(2*rate[i]), (double)y[3 + i],
                                              "angular: body axes");
    }
}

static void test_mujoco_acceleration_is_the_derivative_of_its_velocity(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        slip_real rate[NMAX];

        random_case(k);
        for (int s = 0; s < 2; ++s) {
            move(s ? 1 : -1, q2, y);
            slip_v_to_mujoco(t.model, q2, y, y);
            for (int i = 0; i < t.model->nv; ++i) rate[i] = s ? (y[i] - rate[i])/(2*STEP) : y[i];
        }
        slip_a_to_mujoco(t.model, q, v, a, x);
        assert_same(t.model->nv, rate, x, 20*FD, "qacc = d qvel/dt");
    }
}

static double power(const slip_real *f, const slip_real *u) { return (double)slip_dot(t.model->nv, f, u); }

static void test_power_is_the_same_in_mujoco(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        slip_v_to_mujoco(t.model, q, v, x);
        slip_tau_to_mujoco(t.model, q, tau, y);
        TEST_ASSERT_DOUBLE_WITHIN((double)ROUND*100, power(tau, v), power(y, x));
    }
}

/* ---- Pinocchio ---------------------------------------------------------------------------------------- */

static void test_pinocchio_there_and_back_is_the_same_configuration(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        int extra = 0;

        random_case(k);
        for (int b = 1; b < t.model->nbodies; ++b)
            extra += !t.model->mimics[b] && (t.model->type[b] == SLIP_JOINT_CONTINUOUS ||
                                             t.model->type[b] == SLIP_JOINT_PLANAR);
        TEST_ASSERT_EQUAL_INT(t.model->nq + extra, slip_pinocchio_nq(t.model));
        x[t.model->nq + extra] = 42;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_q_to_pinocchio(t.model, q, x));
        TEST_ASSERT_TRUE_MESSAGE(x[t.model->nq + extra] == 42, "writes no more than it says");
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_q_from_pinocchio(t.model, x, y));
        assert_same(t.model->nq, q, y, ROUND*10, "q");
    }
}

/* One joint of a type, for worked examples. */
static void one_joint(slip_joint_type type)
{
    tree_options o = { 0 };
    slip_arena mem;
    slip_error err;

    o.links = 1;
    tree_make(&t, &o, &rng);
    t.joints[0].type = type;
    slip_pose_identity(&t.joints[0].origin);
    slip_set3(0, 0, 1, t.joints[0].axis);
    mem = slip_arena_over(t.memory, sizeof t.memory);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_model_build(&t.def, &mem, &t.model, NULL, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(t.model, &mem, &t.data));
}

static void test_pinocchio_planar_joint_is_x_y_cosine_sine(void)
{
    const slip_real ours[3] = { SLIP_R(0.5), -2, SLIP_PI/2 }, expected[4] = { SLIP_R(0.5), -2, 0, 1 };

    one_joint(SLIP_JOINT_PLANAR);
    slip_q_to_pinocchio(t.model, ours, x);
    assert_same(4, expected, x, ROUND, "x y cos sin");
    x[2] = x[3] = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_q_from_pinocchio(t.model, x, y));
}

static void test_mujoco_planar_velocity_does_not_turn_with_the_child(void)
{
    const slip_real at[3] = { 0, 0, SLIP_PI/2 }, ahead[3] = { 1, 0, 2 }, expected[3] = { 0, 1, 2 };
    const slip_real zero[3] = { 0, 0, 0 }, centripetal[3] = { -2, 0, 0 };

    one_joint(SLIP_JOINT_PLANAR);
    slip_v_to_mujoco(t.model, at, ahead, x);
    assert_same(3, expected, x, ROUND, "the child's x is the joint's y");
    slip_a_to_mujoco(t.model, at, ahead, zero, x);       /* straight ahead while turning left: a = w v to the left */
    assert_same(3, centripetal, x, ROUND*4, "centripetal");
}

static void test_the_worked_example_of_the_conventions_page(void)
{
    const slip_real h = SLIP_R(0.70710678118654752), ours[7] = { 0, 0, 0, 0, 0, h, h },
        theirs[7] = { 0, 0, 0, h, 0, 0, h };
    const slip_real ahead[6] = { 1, 0, 0, 3, 0, 2 }, qvel[6] = { 0, 1, 0, 3, 0, 2 };
    const slip_real zero[6] = { 0, 0, 0, 0, 0, 0 }, centripetal[6] = { -2, 0, 0, 0, 0, 0 };

    one_joint(SLIP_JOINT_FLOATING);
    slip_q_to_mujoco(t.model, ours, x);
    assert_same(7, theirs, x, ROUND, "qpos");
    slip_v_to_mujoco(t.model, ours, ahead, x);
    assert_same(6, qvel, x, ROUND, "qvel");
    slip_a_to_mujoco(t.model, ours, ahead, zero, x);
    assert_same(6, centripetal, x, 4*ROUND, "qacc");
}

/* ---- ROS ---------------------------------------------------------------------------------------------- */

static void test_odometry_is_the_pose_and_the_twist_of_the_floating_link(void)
{
    for (int k = 1; k < TRIALS; k += 2) {
        slip_ros_odometry o;
        slip_real vel[6], twist[6];
        slip_pose X, Y;

        random_case(k);
        slip_kinematics(t.model, t.data, q);
        slip_velocities(t.model, t.data, v);
        slip_link_pose(t.model, t.data, 0, &X);
        slip_link_velocity(t.model, t.data, 0, vel);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_joint_to_odometry(t.model, 0, q, v, &o));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_pose_from_ros(o.position, o.orientation, &Y));
        assert_same(3, X.p, Y.p, ROUND*10, "position");
        assert_same(9, X.R, Y.R, ROUND*10, "orientation");
        slip_copy3(o.linear, twist);
        slip_copy3(o.angular, twist + 3);
        slip_twist_to_world(&X, twist, twist);
        assert_same(6, vel, twist, ROUND*10, "twist in child axes");
        memcpy(x, q, sizeof x);
        memcpy(y, v, sizeof y);
        memset(x, 0, 7*sizeof *x);
        memset(y, 0, 6*sizeof *y);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_joint_from_odometry(t.model, 0, &o, x, y));
        if (x[6]*q[6] < 0) for (int i = 3; i < 7; ++i) x[i] = -x[i];    /* q and -q are the same rotation */
        assert_same(t.model->nq, q, x, ROUND*10, "q");
        assert_same(t.model->nv, v, y, 0, "v");
    }
}

static void test_odometry_needs_a_floating_joint_below_the_world(void)
{
    slip_ros_odometry o;

    one_joint(SLIP_JOINT_BALL);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, slip_joint_to_odometry(t.model, 0, q, v, &o));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, slip_joint_to_odometry(t.model, 1, q, v, &o));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, slip_joint_to_odometry(t.model, -1, q, v, &o));
}

static void test_joint_states_carry_mimics_and_keep_the_power(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        tree_options o = { 0 };
        double sum = 0;

        o.links = 1 + k % 12;
        o.mimic = o.only_simple = 1;
        tree_make(&t, &o, &rng);
        slip_random_q(t.model, &rng, q);
        tree_random_vector(&rng, t.model->nv, v);
        tree_random_vector(&rng, t.model->nv, tau);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_state_to_joints(t.model, q, v, tau, x, y, z));
        for (int j = 0; j < t.model->njoints; ++j) {
            const slip_joint_def *jd = &t.joints[j];

            sum += (double)(y[j]*z[j]);
            if (jd->mimic < 0) continue;
            TEST_ASSERT_DOUBLE_WITHIN((double)ROUND*10, (double)(jd->mimic_scale*x[jd->mimic] + jd->mimic_offset),
                                      (double)x[j]);
            TEST_ASSERT_DOUBLE_WITHIN((double)ROUND*10, (double)(jd->mimic_scale*y[jd->mimic]), (double)y[j]);
            z[j] = slip_random_uniform(&rng, -1, 1);     /* a measured effort on the follower counts too */
        }
        TEST_ASSERT_DOUBLE_WITHIN((double)ROUND*100, power(tau, v), sum);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_state_from_joints(t.model, x, y, z, q2, v, a));
        assert_same(t.model->nq, q, q2, 0, "q");
        for (int j = 0, n = t.model->njoints; j < n; ++j) sum += t.joints[j].mimic >= 0 ? (double)(y[j]*z[j]) : 0;
        TEST_ASSERT_DOUBLE_WITHIN((double)ROUND*100, sum, power(a, v));
    }
}

/* ---- Bullet ------------------------------------------------------------------------------------------- */

static void test_bullet_bodies_have_the_momentum_of_the_model(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        slip_real momentum[6], sum[3] = { 0, 0, 0 }, center[3] = { 0, 0, 0 }, com[3];

        random_case(k);
        slip_kinematics(t.model, t.data, q);
        slip_velocities(t.model, t.data, v);
        slip_momentum(t.model, t.data, momentum);
        slip_state_to_bullet(t.model, t.data, bodies);
        const slip_real mass = slip_center_of_mass(t.model, t.data, com);

        for (int b = 1; b < t.model->nbodies; ++b) {
            slip_axpy3(t.model->body_mass[b], bodies[b - 1].linear, sum, sum);
            slip_axpy3(t.model->body_mass[b], bodies[b - 1].pose.p, center, center);
        }
        assert_same(3, momentum, sum, 1000*ROUND, "sum of m v");
        for (int i = 0; i < 3; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)ROUND*1000, (double)(mass*com[i]), (double)center[i]);
    }
}

static void test_bullet_there_and_back_is_the_same_state(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        slip_normalize(t.model, q);
        slip_kinematics(t.model, t.data, q);
        slip_velocities(t.model, t.data, v);
        slip_state_to_bullet(t.model, t.data, bodies);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_state_from_bullet(t.model, bodies, q2, x));
        slip_difference(t.model, q, q2, y);
        for (int i = 0; i < t.model->nv; ++i) {          /* angles may come back a turn apart */
            const double turns = floor((double)(y[i]/(2*SLIP_PI)) + 0.5);

            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)ROUND*1000, 0, (double)y[i] - 2*(double)SLIP_PI*turns, "q");
        }
        assert_same(t.model->nv, v, x, ROUND*1000, "v");
    }
}

static void test_bullet_velocity_is_that_of_the_centre_of_mass(void)
{
    const slip_real com[3] = { 1, 0, 0 }, spin[6] = { 0, 0, 0, 0, 0, 3 }, linear[3] = { 0, 3, 0 };
    slip_real wrench[6] = { 0, 2, 0, 0, 0, 0 }, at_com[6], back[6], vel[6];
    slip_bullet_body o;
    slip_pose X, Y;

    slip_pose_identity(&X);
    slip_link_to_bullet(&X, spin, com, &o);              /* turning about the link's origin moves the centre */
    assert_same(3, com, o.pose.p, 0, "origin");
    assert_same(3, linear, o.linear, 0, "linear");
    slip_link_from_bullet(&o, com, &Y, vel);
    assert_same(6, spin, vel, 0, "velocity again");
    assert_same(3, X.p, Y.p, 0, "position again");
    slip_wrench_to_bullet(&X, com, wrench, at_com);      /* a force at the origin turns about the centre */
    TEST_ASSERT_DOUBLE_WITHIN(0, -2, (double)at_com[5]);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)ROUND,
                                      (double)(slip_dot3(wrench, spin) + slip_dot3(wrench + 3, spin + 3)),
                                      (double)(slip_dot3(at_com, o.linear) + slip_dot3(at_com + 3, o.angular)),
                                      "power");
    slip_wrench_from_bullet(&X, com, at_com, back);
    assert_same(6, wrench, back, 0, "wrench again");
}

/* ---- refusals ------------------------------------------------------------------------------------------- */

static void test_bad_numbers_are_refused_and_leave_the_output_alone(void)
{
    slip_pose X;

    random_case(1);
    memset(x, 0, sizeof x);
    q[0] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_q_to_mujoco(t.model, q, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_q_from_mujoco(t.model, q, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_q_to_pinocchio(t.model, q, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_q_from_pinocchio(t.model, q, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_v_to_mujoco(t.model, q, v, x));
    q[0] = 0;
    v[0] = (slip_real)INFINITY;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_v_to_mujoco(t.model, q, v, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_a_to_mujoco(t.model, q, v, a, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_a_from_mujoco(t.model, q, v, a, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_state_to_joints(t.model, q, v, tau, x, x, x));
    v[0] = 0;
    memset(q + 3, 0, 4*sizeof *q);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_q_to_mujoco(t.model, q, x));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_pose_from_ros(q, q + 3, &X));
    for (int i = 0; i < NMAX; ++i) TEST_ASSERT_TRUE(x[i] == 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_quarter_turn_about_z_is_sqrt_half_0_0_sqrt_half_with_the_scalar_first);
    RUN_TEST(test_roll_pitch_and_yaw_come_back);
    RUN_TEST(test_yaw_turns_last);
    RUN_TEST(test_twists_turn_into_the_frame_and_back);
    RUN_TEST(test_mujoco_there_and_back_is_the_same_state);
    RUN_TEST(test_mujoco_free_joint_is_the_pose_of_the_link_and_its_rate);
    RUN_TEST(test_mujoco_acceleration_is_the_derivative_of_its_velocity);
    RUN_TEST(test_mujoco_planar_velocity_does_not_turn_with_the_child);
    RUN_TEST(test_the_worked_example_of_the_conventions_page);
    RUN_TEST(test_power_is_the_same_in_mujoco);
    RUN_TEST(test_pinocchio_there_and_back_is_the_same_configuration);
    RUN_TEST(test_pinocchio_planar_joint_is_x_y_cosine_sine);
    RUN_TEST(test_odometry_is_the_pose_and_the_twist_of_the_floating_link);
    RUN_TEST(test_odometry_needs_a_floating_joint_below_the_world);
    RUN_TEST(test_joint_states_carry_mimics_and_keep_the_power);
    RUN_TEST(test_bullet_bodies_have_the_momentum_of_the_model);
    RUN_TEST(test_bullet_there_and_back_is_the_same_state);
    RUN_TEST(test_bullet_velocity_is_that_of_the_centre_of_mass);
    RUN_TEST(test_bad_numbers_are_refused_and_leave_the_output_alone);
    return UNITY_END();
}
