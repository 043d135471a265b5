/* Drives at their effort limit and joints with dry friction, after each step: the torque that moved a joint is that of
 * its law at the velocity the step ended with, contacts included, and at the position half a step further, the middle of
 * the next one. The judge takes M and the readings of the world, and of how the step found its answer only its
 * bias forces. */
#include <math.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "sim/world_private.h"                   /* for the bias forces of a step alone                  */
#include "chain_aid.h"
#include "scene_aid.h"

#define FLOATS (sizeof(slip_real) == 4)

enum { MOST_V = 64 };

static aid_chain c;
static slip_world *w;
static slip_data *judge_data;
static int unsettled;                            /* steps that told so                                   */
static int unheld, means;                        /* steps without contact forces up to now; those judged */

void setUp(void)
{
    aid_chain_begin(&c);
    c.world.options.dt = SLIP_R(5e-3);
    unsettled = unheld = means = 0;
}

void tearDown(void) { }

/* On the link before, a hinge about y or a slider along x, `at` along x. */
static slip_joint_def *add_link(slip_joint_type type, double m, double com, double I, double at)
{
    slip_joint_def *j = aid_chain_link(&c, type, c.def.nlinks - 1, m, com, I);

    j->origin.p[0] = (slip_real)at;
    if (type == SLIP_JOINT_REVOLUTE) slip_set3(0, 1, 0, j->axis);
    return j;
}

static double uniform(slip_random *rng, double a, double b)
{
    return (double)slip_random_uniform(rng, (slip_real)a, (slip_real)b);
}

static void add_shape(int link, slip_shape shape, double x, double z) { aid_chain_shape(&c, link, shape, x, 0, z); }

static void build(void)
{
    w = aid_chain_build(&c);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(c.world.model, aid_memory(), &judge_data));
}

static void drive(int i, double kp, double kd, double target, double effort)
{
    slip_drive *d = slip_world_drive(w, i);

    d->kp = (slip_real)kp;
    d->kd = (slip_real)kd;
    d->q_ref = (slip_real)target;
    d->effort = (slip_real)effort;
}

/* ---- the judge ------------------------------------------------------------------------------------------ */

/* What a drive would give without a limit at q and v. */
static double unlimited(const slip_drive *d, double q, double v)
{
    return (double)d->kp*((double)d->q_ref - q) + (double)d->kd*((double)d->v_ref - v) + (double)d->feed;
}

static double clamp(double x, double limit) { return fmax(-limit, fmin(limit, x)); }

/* Joint i, which a torque of `torque` beyond gravity, damping and contacts has brought to v, and which will be at q in
 * the middle of the next step. `about` is how well that torque is known, `slow` how well v is where contacts push. */
static void judge_joint(int i, double q, double v, double torque, double told, double about, double slow)
{
    const slip_branches *b = &slip_world_model(w)->branches;
    const double inertia = (double)judge_data->M[b->row[i] + b->depth[i]];
    const slip_drive *d = slip_world_drive(w, i);
    const double limit = (double)slip_world_model(w)->friction[i], dt = (double)slip_world_options_of(w)->dt;
    const double law = clamp(unlimited(d, q, v), (double)d->effort), rest = torque - law;
    const double little = (FLOATS ? 5e-3 : 5e-6)*limit*dt/inertia;   /* what so little of its friction would do to it */
    const double still = fmax(little, slow);
    char text[160];

    slip_format(text, sizeof text, "joint %d at %g rad/s, step %d: torque %g, by the drive's law %g, friction up to %g",
                i, v, (int)slip_world_steps(w), torque, law, limit);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(about, law, told, text);
    TEST_ASSERT_TRUE_MESSAGE(fabs(rest) <= limit + about, text);
    if (limit > 0 && fabs(v) > still) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(about, v > 0 ? -limit : limit, rest, text);
}

/* The bias forces of a step are those at its middle q and at the mean of the velocities before and after, also where marks
 * have changed in the step; with contacts that mean is a guess, of two steps before. Its iteration ends when dt |v| times
 * its last change is 1e-9 |v|; bias forces go with the square of velocities. */
static void judge_bias(const slip_real *q, const slip_real *v, const slip_real *held, int n)
{
    const double dt = (double)slip_world_options_of(w)->dt, exact = FLOATS ? 1e-5 : 1e-9;
    slip_real mean[MOST_V] = { 0 }, bias[MOST_V];
    double fast = 0, most = 0;

    ++unheld;
    for (int i = 0; i < n; ++i) {
        if (held[i] != 0) unheld = 0;
        mean[i] = (v[i] + slip_world_v(w)[i])/2;
        fast = fmax(fast, fmax(fabs((double)v[i]), fabs((double)slip_world_v(w)[i])));
    }
    if (unheld < 3 || dt*fast > 0.2 || slip_world_options_of(w)->integrator == SLIP_EULER) return;
    ++means;
    slip_bias(slip_world_model(w), judge_data, q, mean, bias);
    for (int i = 0; i < n; ++i) most = fmax(most, fabs((double)bias[i]));
    for (int i = 0; i < n; ++i)
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(exact/dt*(most + 1e-3), (double)bias[i], (double)w->step.nle[i], "bias forces");
}

/* One step, and whether its first n coordinates, all hinges and sliders, obey: from M (v+ - v)/dt + bias + damping v+,
 * less tau and what contacts and limits give. */
static void step_and_judge(int n)
{
    const slip_model *m = slip_world_model(w);
    const double dt = (double)slip_world_options_of(w)->dt;
    const double lever = 0.013;          /* [m] from a hinge to the middle of the hand's shortest links */
    const double slow = (double)slip_world_options_of(w)->solve.tol/lever;   /* contacts' tolerance, as a hinge's rate */
    const int euler = slip_world_options_of(w)->integrator == SLIP_EULER;
    int pushed = 0;
    slip_real q[MOST_V], v[MOST_V], a[MOST_V], Ma[MOST_V], held[MOST_V], told[MOST_V];
    const slip_real *bias = w->step.nle;
    slip_status s;

    TEST_ASSERT(m->nv <= MOST_V && m->nq <= MOST_V);
    memcpy(q, slip_world_q(w), (size_t)m->nq*sizeof *q);
    memcpy(v, slip_world_v(w), (size_t)m->nv*sizeof *v);
    s = slip_step(w);
    if (s < 0) TEST_FAIL_MESSAGE(slip_world_error(w)->what);
    if (slip_world_stats(w)->unsettled > 0) {
        TEST_ASSERT_NOT_EQUAL(SLIP_OK, s);
        ++unsettled;
        return;
    }
    for (int i = 0; i < n && !euler; ++i) q[m->limit_iq[i]] += (slip_real)(dt/2)*v[i];
    slip_crba(m, judge_data, q);
    for (int i = 0; i < m->nv; ++i) a[i] = (slip_world_v(w)[i] - v[i])/(slip_real)dt;
    for (int i = n; i < m->nv; ++i) a[i] = 0;            /* free bodies are trees of their own */
    slip_branches_vec(&m->branches, judge_data->M, a, Ma);
    slip_world_constraint_force(w, held);
    slip_world_drive_force(w, told);
    for (int i = 0; i < n; ++i) pushed |= held[i] != 0;
    for (int i = 0; i < n; ++i) {
        const slip_drive *d = slip_world_drive(w, i);
        const slip_step_stats *stats = slip_world_stats(w);
        const double end = (double)slip_world_v(w)[i], contacts = (double)held[i];
        const double at = (double)slip_world_q(w)[m->limit_iq[i]] + (euler ? 0 : dt/2*end);
        const double lost = (double)(m->damping[i]*slip_world_v(w)[i]), force = (double)slip_world_tau(w)[i];
        const double torque = (double)Ma[i] + (double)bias[i] + lost - force - contacts;
        const double slope = (double)d->kd + dt*(double)d->kp, far = fabs((double)d->q_ref) + fabs(at);
        const double most = fmin((double)d->effort, 1e3) + (double)m->friction[i];
        const double scale = most + fabs(contacts) + fabs((double)Ma[i]);
        const double rounding = (FLOATS ? 5e-7 : 1e-15)*((double)d->kp*far + slope*fabs(end));
        /* a law that was met as a row of the contact problem is met as well as that is solved: in velocity */
        const double rate = stats->held > 0 ? 1e-6*(double)stats->residual.g_max : 0, row = rate*slope;

        judge_joint(i, at, end, torque, (double)told[i], (FLOATS ? 5e-3 : 5e-6)*scale + row + rounding,
                    fmax(rate, pushed ? slow : 0));
    }
    judge_bias(q, v, held, n);
}

static void steps_and_judge(int n, int steps) { for (int k = 0; k < steps; ++k) step_and_judge(n); }

static double fastest(int n)
{
    double most = 0;

    for (int i = 0; i < n; ++i) most = fmax(most, fabs((double)slip_world_v(w)[i]));
    return most;
}

/* ---- drives alone ----------------------------------------------------------------------------------------- */

/* Energy of motion and of the drive's spring, which is linear beyond its effort: what a step takes implicitly can only
 * lose it. */
static double spring_energy(double inertia, double kp, double effort, double target)
{
    const double q = (double)slip_world_q(w)[0], v = (double)slip_world_v(w)[0], x = fabs(q - target), edge = effort/kp;

    return inertia*v*v/2 + (x < edge ? kp*x*x/2 : effort*(x - edge/2));
}

static void test_a_light_finger_with_a_stiff_weak_drive_obeys_its_law_and_gains_no_energy(void)
{
    double energy;

    add_link(SLIP_JOINT_REVOLUTE, 1e-3, 0, 1e-5, 0);
    build();
    drive(0, 1e4, 1, 0.8, 0.02);
    energy = spring_energy(1e-5, 1e4, 0.02, 0.8);
    for (int k = 0; k < 400; ++k) {
        double now;

        step_and_judge(1);
        now = spring_energy(1e-5, 1e4, 0.02, 0.8);
        TEST_ASSERT_TRUE(now <= energy*(1 + (FLOATS ? 1e-5 : 1e-12)) + (FLOATS ? 1e-9 : 1e-18));
        energy = now;
    }
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-5 : 1e-9, 0.8, (double)slip_world_q(w)[0]);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-3 : 1e-9, 0, (double)slip_world_v(w)[0]);
    TEST_ASSERT_EQUAL_INT(0, unsettled);
}

/* Which drives of a chain are at their limits depends on the others': from random states all obey in each step. */
static void test_a_chain_of_differing_efforts_obeys_from_any_state(void)
{
    static const double effort[3] = { 0.3, 0.05, 0.01 };
    slip_random rng = slip_random_seed(11);

    for (int i = 0; i < 3; ++i) add_link(SLIP_JOINT_REVOLUTE, 0.02/(i + 1), 0.02, 1e-6, i ? 0.04 : 0);
    build();
    for (int trial = 0; trial < 200; ++trial) {
        for (int i = 0; i < 3; ++i) {
            const double kp = pow(10, uniform(&rng, 0, 4)), kd = pow(10, uniform(&rng, -3, 1));

            drive(i, kp, kd, 0, effort[(i + trial)%3]);
            slip_world_drive(w, i)->q_ref = (slip_real)uniform(&rng, -1, 1);
            slip_world_q(w)[i] = (slip_real)uniform(&rng, -1, 1);
            slip_world_v(w)[i] = (slip_real)uniform(&rng, -10, 10);
        }
        steps_and_judge(3, 10);
    }
    TEST_ASSERT_EQUAL_INT(0, unsettled);
    TEST_ASSERT(means > 1000);
}

static void test_a_chain_of_stiff_weak_drives_comes_to_rest_with_less_energy(void)
{
    double before, after;

    c.def.gravity[2] = SLIP_R(-9.81);
    for (int i = 0; i < 3; ++i) add_link(SLIP_JOINT_REVOLUTE, 0.02/(i + 1), 0.02, 1e-6, i ? 0.04 : 0);
    build();
    drive(0, 1e3, 10, 0.1, 0.3);
    drive(1, 1e4, 10, -0.4, 0.05);
    drive(2, 1e4, 10, 0.7, 0.02);
    for (int i = 0; i < 3; ++i) slip_world_v(w)[i] = i%2 ? 20 : -20;
    before = aid_energy_of(w);
    steps_and_judge(3, 600);
    after = aid_energy_of(w);
    TEST_ASSERT_TRUE(after < before);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-2 : 1e-6, 0, fastest(3));
    TEST_ASSERT_EQUAL_INT(0, unsettled);
}

/* ---- with contacts, limits and dry friction ---------------------------------------------------------------- */

/* A stiff slider on a wall, pushed on and then called back: it lets go in the step it is called. */
static void test_a_drive_at_its_limit_on_a_wall_obeys_and_lets_go_at_once(void)
{
    slip_real f[6];

    add_shape(-1, slip_shape_box(SLIP_R(0.1), 1, 1), 0.15, 0);
    add_link(SLIP_JOINT_PRISMATIC, 1e-2, 0, 1e-5, 0);
    add_shape(0, slip_shape_sphere(SLIP_R(0.05)), 0, 0);
    build();
    drive(0, 1e5, 10, 0.1, 5);
    steps_and_judge(1, 100);
    slip_link_contact_wrench(w, 0, NULL, f);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 1e-2 : 1e-5, -5, (double)f[0]);
    slip_world_drive(w, 0)->q_ref = slip_world_q(w)[0];
    step_and_judge(1);
    slip_link_contact_wrench(w, 0, NULL, f);
    TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 0.1 : 1e-4, 0, (double)f[0]);
    steps_and_judge(1, 50);
    TEST_ASSERT_EQUAL_INT(0, unsettled);
}

/* Against a joint's limit and back, with friction on the way. */
static void test_a_drive_with_dry_friction_and_a_joint_limit_obeys(void)
{
    for (int i = 0; i < 2; ++i) {
        slip_joint_def *j = add_link(SLIP_JOINT_REVOLUTE, 0.02, 0.02, 1e-6, i ? 0.04 : 0);

        j->friction = SLIP_R(0.01);
        j->lower = SLIP_R(-0.5);
        j->upper = SLIP_R(0.5);
    }
    c.def.gravity[2] = SLIP_R(-9.81);
    build();
    for (int k = 0; k < 40; ++k) {
        for (int i = 0; i < 2; ++i) drive(i, i ? 1e4 : 100, 0.1, (k + i)%3 ? 0.6 : -0.6, i ? 0.02 : 0.05);
        steps_and_judge(2, 20);
    }
    TEST_ASSERT_EQUAL_INT(0, unsettled);
}

/* Friction alone holds what it can, and slides on with all of it: random pushes, two joints and a drive between. */
static void test_joints_stick_and_slide_under_random_torques(void)
{
    slip_random rng = slip_random_seed(5);

    for (int i = 0; i < 3; ++i)
        add_link(SLIP_JOINT_REVOLUTE, 0.02, 0.02, 1e-6, i ? 0.04 : 0)->friction = SLIP_R(0.01)*(slip_real)i;
    build();
    drive(1, 1e3, 1, 0.3, 0.02);
    for (int k = 0; k < 1000; ++k) {
        for (int i = 0; i < 3; ++i)
            if (k%10 == 0) slip_world_tau(w)[i] = (slip_real)uniform(&rng, -0.02, 0.02);
        slip_world_v(w)[0] *= SLIP_R(0.9);
        step_and_judge(3);
    }
    TEST_ASSERT_EQUAL_INT(0, unsettled);
}

/* ---- a hand ------------------------------------------------------------------------------------------------ */

/* models/hand_ball.xml or the like, with firm drives at 5 ms: 1000 N m/rad on links of 1e-6 kg m^2 and 0.7 N m. */
static void start_hand(const char *path)
{
    w = aid_start(aid_open(path));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(slip_world_model(w), aid_memory(), &judge_data));
    slip_world_options_of(w)->dt = SLIP_R(5e-3);
    slip_world_options_of(w)->solve.tol = SLIP_TOL(1e-9, 1e-4);  /* stillness below 1e-6 m/s is asked for */
    for (int i = 0; i < 16; ++i) {
        slip_world_drive(w, i)->kp = 1000;
        slip_world_drive(w, i)->kd = 10;
    }
}

static void hand_comes_to_rest(const char *path)
{
    start_hand(path);
    steps_and_judge(16, 300);
    for (int k = 0; k < 100; ++k) {
        step_and_judge(16);
        TEST_ASSERT_DOUBLE_WITHIN(FLOATS ? 0.05 : 1e-6, 0, fastest(16));
    }
    TEST_ASSERT_TRUE(unsettled <= (FLOATS ? 20 : 0));
}

static void test_a_hand_with_firm_drives_closes_around_a_ball_and_is_still(void)
{
    hand_comes_to_rest("models/hand_ball.xml");
}

static void test_a_hand_with_firm_drives_closes_around_cubes_and_is_still(void)
{
    hand_comes_to_rest("models/hand_cubes.xml");
}


/* Fingers that are thrown about by targets and efforts that change at random obey too; the few steps in which contacts
 * with friction leave no answer that fits tell so. */
static void test_a_hand_under_random_drives_obeys(void)
{
    slip_random rng = slip_random_seed(3);

    start_hand("models/hand_cubes.xml");
    for (int k = 0; k < 400; ++k) {
        for (int i = 0; i < 16; ++i) {
            slip_drive *d = slip_world_drive(w, i);

            if (k%40 != 0) continue;
            d->kp = (slip_real)pow(10, uniform(&rng, 0, 4));
            d->kd = (slip_real)pow(10, uniform(&rng, -2, 1));
            d->effort = (slip_real)pow(10, uniform(&rng, -2, 0));
            d->feed = (slip_real)(uniform(&rng, -1, 1))*d->effort;
        }
        step_and_judge(16);
    }
    TEST_ASSERT_TRUE(unsettled <= (FLOATS ? 20 : 2));
}

/* Marks are part of what a snapshot holds: continued from the middle of it, the same bits. */
static void test_a_snapshot_among_drives_at_their_limits_continues_bit_for_bit(void)
{
    slip_real q[MOST_V], v[MOST_V];
    void *kept;

    start_hand("models/hand_cubes.xml");
    aid_steps(w, 60);
    kept = slip_arena_take(aid_memory(), slip_snapshot_bytes(w), 1);
    slip_snapshot_save(w, kept);
    aid_steps(w, 100);
    memcpy(q, slip_world_q(w), (size_t)slip_world_model(w)->nq*sizeof *q);
    memcpy(v, slip_world_v(w), (size_t)slip_world_model(w)->nv*sizeof *v);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, kept, slip_snapshot_bytes(w)));
    aid_steps(w, 100);
    TEST_ASSERT_EQUAL_MEMORY(q, slip_world_q(w), (size_t)slip_world_model(w)->nq*sizeof *q);
    TEST_ASSERT_EQUAL_MEMORY(v, slip_world_v(w), (size_t)slip_world_model(w)->nv*sizeof *v);
}

/* An arm on a damped hinge whose tip overlaps a wall straight ahead, 1 mm beside the line through the hinge: nothing to
 * push with. It must not be thrown out by that lever, step after step: rigidly it leaves at 28 rad/s, and
 * softened at 0.33 rad/s, when it has turned so far that the lever is one. */
static void test_a_contact_through_the_hinge_throws_nothing(void)
{
    add_link(SLIP_JOINT_REVOLUTE, 1, 0.5, 0.01, 0)->damping = SLIP_R(0.5);
    add_shape(0, slip_shape_sphere(SLIP_R(0.1)), 0.9, 0);
    add_shape(-1, slip_shape_box(SLIP_R(0.1), 1, 1), 1.0999, 0);
    c.material.friction = 0;
    c.world.options.dt = SLIP_R(1e-3);
    build();
    slip_world_q(w)[0] = SLIP_R(0.001);
    slip_world_drive(w, 0)->feed = SLIP_R(0.05);
    for (int k = 0; k < 1000; ++k) {
        TEST_ASSERT(slip_step(w) >= 0);
        if (k < 20) TEST_ASSERT_EQUAL_INT_MESSAGE(1, slip_world_stats(w)->softened, "it counts as soft in each step");
        TEST_ASSERT_TRUE(fastest(1) < 0.4);
    }
}

/* The same arm turned by 0.05 rad: its lever of 45 mm has the mobility lever^2/I = 8e-3, of 1 if it were free. That is
 * eight times what counts as locked, so the wall is rigid; at 0.01 rad, 3e-4, it is not. */
static void test_a_contact_with_a_lever_is_rigid(void)
{
    for (int locked = 0; locked < 2; ++locked) {
        const double q = locked ? 0.01 : 0.05;

        setUp();
        add_link(SLIP_JOINT_REVOLUTE, 1, 0.5, 0.01, 0);
        add_shape(0, slip_shape_sphere(SLIP_R(0.1)), 0.9, 0);
        add_shape(-1, slip_shape_box(SLIP_R(0.1), 1, 1), 0.9*cos(q) + 0.2 - 1e-4, 0);
        c.material.friction = 0;
        c.world.options.dt = SLIP_R(1e-3);
        build();
        slip_world_q(w)[0] = (slip_real)q;
        TEST_ASSERT(slip_step(w) >= 0);
        TEST_ASSERT_EQUAL_INT(1, slip_contact_count(w));
        TEST_ASSERT_EQUAL_INT(locked, slip_world_stats(w)->softened);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_light_finger_with_a_stiff_weak_drive_obeys_its_law_and_gains_no_energy);
    RUN_TEST(test_a_chain_of_differing_efforts_obeys_from_any_state);
    RUN_TEST(test_a_chain_of_stiff_weak_drives_comes_to_rest_with_less_energy);
    RUN_TEST(test_a_drive_at_its_limit_on_a_wall_obeys_and_lets_go_at_once);
    RUN_TEST(test_a_drive_with_dry_friction_and_a_joint_limit_obeys);
    RUN_TEST(test_joints_stick_and_slide_under_random_torques);
    RUN_TEST(test_a_hand_with_firm_drives_closes_around_a_ball_and_is_still);
    RUN_TEST(test_a_hand_with_firm_drives_closes_around_cubes_and_is_still);
    RUN_TEST(test_a_hand_under_random_drives_obeys);
    RUN_TEST(test_a_snapshot_among_drives_at_their_limits_continues_bit_for_bit);
    RUN_TEST(test_a_contact_through_the_hinge_throws_nothing);
    RUN_TEST(test_a_contact_with_a_lever_is_rigid);
    return UNITY_END();
}
