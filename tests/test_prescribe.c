/* Prescribed motions: bodies and joints that push and are not pushed, by closed forms and by their work. */
#include <math.h>
#include <string.h>
#include "chain_aid.h"
#include "scene_aid.h"
#include "unity.h"

#define G 9.81
#define IS_DOUBLE (sizeof(slip_real) == sizeof(double))

void setUp(void) { aid_forget(); }
void tearDown(void) { }

/* Velocity of a free body's origin, world axes. */
static void world_velocity(slip_world *w, const char *link, slip_real v[3])
{
    slip_real R[9];

    slip_quat_to_mat3(aid_body_q(w, link) + 3, R);
    slip_mat3_vec(R, aid_body_v(w, link), v);
}

/* Largest slip of a box over a table that is shaken at 2 Hz with an acceleration of `share` times mu g. */
static double shaken_slip(double share)
{
    const double f = 2, omega = 2*3.14159265358979323846*f, amplitude = share*0.4*G/(omega*omega);
    char text[800];
    double slip = 0;
    slip_world *w;
    int k;

    slip_format(text, (int)sizeof text,
        "<scene><surface name='default' friction='0.4'/><move link='table' axis='1 0 0' kind='sine' amplitude='%.9g' "
        "frequency='%.9g' phase='1.5707963267948966'/>"
        "<body name='table' mass='0.1'><origin xyz='0 0 0.05'/><geometry><box size='2 1 0.1'/></geometry></body>"
        "<body name='box' mass='30'><origin xyz='%.9g 0 0.2'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "</scene>", amplitude, f, amplitude);
    w = aid_start(aid_read(text));
    for (k = 0; k < 2000; ++k) {
        double gone;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step(w));
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(IS_DOUBLE ? 1e-9 : 1e-6, amplitude*cos(omega*(k + 1)*1e-3),
                                          (double)aid_body_q(w, "table")[0], "the table goes as it is told");
        gone = fabs((double)(aid_body_q(w, "box")[0] - aid_body_q(w, "table")[0]));
        if (gone > slip) slip = gone;
    }
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-5, 0.2, (double)aid_body_q(w, "box")[2], "height of the box");
    return slip;
}

static void test_a_box_on_a_shaken_table_sticks_below_mu_g_and_slips_above(void)
{
    TEST_ASSERT_TRUE_MESSAGE(shaken_slip(0.97) < (IS_DOUBLE ? 2e-6 : 2e-5), "sticks");
    TEST_ASSERT_TRUE_MESSAGE(shaken_slip(1.10) > 1e-4, "slips");
}

/* A piston of a gram lifts a stack of ten kilograms by a smooth table of points. */
static const char piston[] =
    "<scene><simulation dt='0.001'/><move link='piston' axis='0 0 1' kind='table' interpolation='smooth' "
    "times='0 0.5 1 1.5' values='0 0.1 0.25 0.2'/><ground/>"
    "<body name='piston' mass='0.001'><origin xyz='0 0 -0.05'/><geometry><box size='1 1 0.1'/></geometry></body>"
    "<body name='a' mass='4'><origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
    "<body name='b' mass='6'><origin xyz='0 0 0.3'/><geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>";

static void test_a_piston_lifts_a_stack_exactly_along_its_motion(void)
{
    slip_scene *s = aid_read(piston);
    slip_work work;
    double start;
    slip_world *w;
    int k;

    s->world.options.work = 1;
    w = aid_start(s);
    start = aid_energy_of(w);
    for (k = 1; k <= 2000; ++k) {
        slip_real value, rate;
        double at;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step(w));
        slip_move_at(&s->moves[0], slip_world_time(w), &value, &rate);
        at = (double)value - 0.05;
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(IS_DOUBLE ? 1e-12 : 1e-6, at, (double)aid_body_q(w, "piston")[2], "piston");
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-5, at + 0.15, (double)aid_body_q(w, "a")[2], "lower box");
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-5, at + 0.35, (double)aid_body_q(w, "b")[2], "upper box");
        TEST_ASSERT_TRUE_MESSAGE((double)slip_world_stats(w)->penetration < 2e-5, "no overlap grows");
    }
    work = slip_world_work(w);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-3, 10.001*G*0.2, work.drives, "work of the piston");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(2e-3, aid_energy_of(w) - start, slip_work_total(&work), "energy balance");
}

/* At rest the piston's force is the weight of all. */
static void test_the_force_behind_a_motion_is_read_as_that_of_a_drive(void)
{
    slip_world *w = aid_start(aid_read(piston));
    slip_real f[18];

    aid_steps(w, 2000);
    slip_world_drive_force(w, f);
    TEST_ASSERT_DOUBLE_WITHIN(IS_DOUBLE ? 1e-3 : 0.5, 10.001*G, (double)f[aid_iv(w, "piston") + 2]);
    slip_world_constraint_force(w, f);
    TEST_ASSERT_DOUBLE_WITHIN(IS_DOUBLE ? 1e-3 : 0.5, -10*G, (double)f[aid_iv(w, "piston") + 2]);
}

/* A body that is turned carries a box round, and loses it beyond omega^2 r = mu g. */
static double carried_round(double share)
{
    const double omega = 2, r = share*0.5*G/(omega*omega);
    char text[800];
    slip_world *w;

    slip_format(text, (int)sizeof text,
        "<scene><surface name='default' friction='0.5'/>"
        "<move link='table' turn='0 0 2' kind='constant' velocity='%.6g'/>"
        "<body name='table' mass='1'><origin xyz='0 0 0.05'/><geometry><cylinder radius='3' length='0.1'/></geometry>"
        "</body><body name='box' mass='1' velocity='0 %.9g 0' angular='0 0 %.6g'><origin xyz='%.9g 0 0.11'/>"
        "<geometry><box size='0.02 0.02 0.02'/></geometry></body></scene>", omega, omega*r, omega, r);
    w = aid_start(aid_read(text));
    aid_steps(w, 2000);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(IS_DOUBLE ? 1e-9 : 1e-4, sin(2*omega/2),
                                      (double)aid_body_q(w, "table")[5], "turn");
    return hypot((double)aid_body_q(w, "box")[0], (double)aid_body_q(w, "box")[1])/r;
}

static void test_a_turned_body_carries_what_friction_holds(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(IS_DOUBLE ? 2e-4 : 2e-3, 1, carried_round(0.98));
    TEST_ASSERT_TRUE(carried_round(1.02) > 1.1);
}

static void test_nothing_pushes_a_body_that_is_moved(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><move link='plate' axis='0 1 0' kind='constant' velocity='0.2' from='0.1' to='0.6'/><ground/>"
        "<body name='plate' mass='0.01'><origin xyz='0 0 0'/><geometry><box size='1 1 0.1'/></geometry></body>"
        "<body name='ball' mass='100' velocity='0 0 -5'><origin xyz='0 0 0.5'/><geometry><sphere radius='0.2'/>"
        "</geometry></body></scene>"));
    slip_real v[3];

    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 300));                /* half in the ground, and no contact with it */
    world_velocity(w, "plate", v);
    TEST_ASSERT_DOUBLE_WITHIN(IS_DOUBLE ? 1e-12 : 1e-6, 0.2, (double)v[1]);
    aid_steps(w, 700);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.1, (double)aid_body_q(w, "plate")[1]);
    TEST_ASSERT_DOUBLE_WITHIN(IS_DOUBLE ? 1e-12 : 1e-6, 0, (double)aid_body_q(w, "plate")[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.25, (double)aid_body_q(w, "ball")[2]);
}

/* The force behind a prescribed joint is that of inverse dynamics, and its work balances the energy. */
static void test_a_prescribed_joint_moves_the_links_below_it(void)
{
    slip_scene *s = aid_read("<scene><simulation dt='0.0002'/><robot file='double_pendulum.urdf' base='fixed'>"
                             "<move joint='shoulder' kind='sine' amplitude='0.5' frequency='1'/></robot></scene>");
    slip_work work;
    slip_world *w;
    double start;

    s->world.options.work = 1;
    w = aid_start(s);
    start = aid_energy_of(w);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 5000));
    TEST_ASSERT_DOUBLE_WITHIN(IS_DOUBLE ? 1e-9 : 1e-4, 0, (double)slip_world_q(w)[0]);
    TEST_ASSERT_TRUE_MESSAGE(fabs((double)slip_world_q(w)[1]) > 0.05, "the elbow swings");
    work = slip_world_work(w);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(IS_DOUBLE ? 1e-5 : 1e-2, aid_energy_of(w) - start, slip_work_total(&work),
                                      "energy balance");
    TEST_ASSERT_TRUE(fabs(work.drives) > 0.01);
}

static void test_inverse_dynamics_gives_the_force_of_a_prescribed_joint(void)
{
    slip_scene *s = aid_read("<scene><simulation dt='0.0001'/><robot file='double_pendulum.urdf' base='fixed'>"
                             "<joint joint='elbow' position='1'/></robot></scene>");
    slip_world *w = aid_start(s);
    const slip_model *m = slip_world_model(w);
    slip_data *data;
    const int shoulder = slip_model_find_joint(m, "shoulder");
    slip_real q[2], v[2], a[2], tau[2], f[2], given = 0;
    int k;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(m, aid_memory(), &data));
    for (k = 0; k < 3000; ++k) {
        memcpy(q, slip_world_q(w), sizeof q);
        memcpy(v, slip_world_v(w), sizeof v);
        given = SLIP_R(3)*(slip_real)(k + 1)*SLIP_R(1e-4);            /* an acceleration of 3 rad/s^2 */
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_world_prescribe(w, shoulder, NULL, &given));
        aid_steps(w, 1);
    }
    for (k = 0; k < 2; ++k) {
        a[k] = (slip_world_v(w)[k] - v[k])/SLIP_R(1e-4);
        q[k] = (q[k] + slip_world_q(w)[k])/2;
        v[k] = (v[k] + slip_world_v(w)[k])/2;
    }
    slip_world_drive_force(w, f);
    slip_rnea(m, data, q, v, a, NULL, tau);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(IS_DOUBLE ? 1e-4 : 0.2, (double)tau[0] + (double)(m->damping[0]*v[0]),
                                      (double)f[0], "shoulder");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(IS_DOUBLE ? 1e-4 : 0.2, -(double)(m->damping[1]*v[1]), (double)tau[1], "elbow");
    TEST_ASSERT_DOUBLE_WITHIN(IS_DOUBLE ? 1e-9 : 1e-4, 0.3*0.3*3/2, (double)slip_world_q(w)[0]);
    TEST_ASSERT_EQUAL_INT(1, slip_world_is_prescribed(w, shoulder));
    slip_world_release(w, shoulder);
    slip_world_release(w, shoulder);
    TEST_ASSERT_EQUAL_INT(0, slip_world_is_prescribed(w, shoulder));
    aid_steps(w, 10);
    TEST_ASSERT_TRUE(slip_world_v(w)[0] != given);
}

/* A joint of each kind at a constant velocity in its own turning axes, by velocity alone: circles and turns. */
static void test_joints_of_every_kind_go_on_at_the_velocity_they_are_given(void)
{
    static const slip_joint_type types[3] = { SLIP_JOINT_FLOATING, SLIP_JOINT_PLANAR, SLIP_JOINT_BALL };
    static const slip_real given[3][6] = { { 2, 0, 0, 0, 0, 1 }, { 2, 0, 1, 0, 0, 0 }, { 0, 0, 1, 0, 0, 0 } };
    const double exact = IS_DOUBLE ? 1e-6 : 1e-3;
    static aid_chain c;
    int i, k;

    for (i = 0; i < 3; ++i) {
        slip_joint_def *j;
        const slip_real *q;
        slip_world *w;

        aid_chain_begin(&c);
        j = aid_chain_link(&c, types[i], -1, 2, 0.3, 0.1);
        slip_set3(0, 0, 1, j->axis);
        w = aid_chain_build(&c);
        q = slip_world_q(w);
        memcpy(slip_world_v(w), given[i], (size_t)slip_world_model(w)->nv*sizeof(slip_real));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_world_prescribe(w, 0, NULL, given[i]));
        for (k = 0; k < 1000; ++k) TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step(w));
        if (i < 2) {
            TEST_ASSERT_DOUBLE_WITHIN(exact, 2*sin(1), (double)q[0]);
            TEST_ASSERT_DOUBLE_WITHIN(exact, 2*(1 - cos(1)), (double)q[1]);
        }
        if (i == 1) TEST_ASSERT_DOUBLE_WITHIN(exact, 1, (double)q[2]);
        else TEST_ASSERT_DOUBLE_WITHIN(exact, sin(0.5), (double)(i == 0 ? q[5] : q[2]));
        TEST_ASSERT_TRUE(memcmp(slip_world_v(w), given[i], (size_t)slip_world_model(w)->nv*sizeof(slip_real)) == 0);
    }
}

/* Snapshots hold the motion; a slow platform keeps what lies on it awake; steps of SLIP_EULER have it as well. */
static void test_motions_are_part_of_snapshots_and_wake_sleepers(void)
{
    slip_scene *s = aid_read(
        "<scene><simulation sleep='0.05' sleep_time='0.1'/>"
        "<body name='plate' mass='1'><origin xyz='0 0 0.05'/><geometry><box size='1 1 0.1'/></geometry></body>"
        "<body name='box' mass='1'><origin xyz='0 0 0.2'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "</scene>");
    const slip_real still[6] = { 0, 0, 0, 0, 0, 0 }, slow[6] = { SLIP_R(0.01), 0, 0, 0, 0, 0 };
    slip_world *w;
    void *saved;
    slip_real x;
    int e, plate;

    for (e = 0; e < 2; ++e) {
        s->world.options.integrator = e ? SLIP_EULER : SLIP_MIDPOINT;
        w = aid_start(s);
        plate = slip_model_find_joint(slip_world_model(w), "plate");
        slip_world_prescribe(w, plate, NULL, still);
        aid_steps(w, 500);
        TEST_ASSERT_EQUAL_INT(2, slip_world_stats(w)->asleep);
        TEST_ASSERT_DOUBLE_WITHIN(IS_DOUBLE ? 1e-12 : 1e-6, 0.05, (double)aid_body_q(w, "plate")[2]);
        slip_world_prescribe(w, plate, NULL, slow);
        saved = slip_arena_take(aid_memory(), slip_snapshot_bytes(w), 1);
        slip_snapshot_save(w, saved);
        aid_steps(w, 1000);
        x = aid_body_q(w, "box")[0];
        TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.01, (double)x);
        slip_world_release(w, plate);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, saved, slip_snapshot_bytes(w)));
        aid_steps(w, 1000);
        TEST_ASSERT_TRUE(x == aid_body_q(w, "box")[0]);
    }
}

/* A plate that presses a rigid box on the ground has no solution: steps say so, and nothing is thrown. */
static void test_a_motion_that_crushes_is_reported_and_throws_nothing(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><ground/><move link='plate' axis='0 0 1' velocity='-0.05'/>"
        "<body name='plate' mass='1'><origin xyz='0 0 0.251'/><geometry><box size='1 1 0.1'/></geometry></body>"
        "<body name='box' mass='1'><origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "</scene>"));
    slip_real v[3];

    TEST_ASSERT_TRUE(aid_steps(w, 200) > SLIP_OK);
    world_velocity(w, "box", v);
    TEST_ASSERT_TRUE(slip_norm3(v) < SLIP_R(0.2));
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.241, (double)aid_body_q(w, "plate")[2]);
}

/* Limits and drives of a joint that is moved have no effect. */
static void test_a_prescribed_joint_knows_no_limits_and_no_drive(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><simulation self='false'/><robot file='arm.urdf' base='fixed'>"
        "<drive joint='elbow' kp='1000' kd='10' position='0'/>"
        "<move joint='elbow' kind='constant' velocity='4'/></robot></scene>"));
    const slip_real before = slip_world_q(w)[aid_iv(w, "elbow")];

    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 1000));
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, (double)before + 4, (double)slip_world_q(w)[aid_iv(w, "elbow")]);
}

static void test_values_of_motions(void)
{
    const slip_real time[3] = { 1, 2, 4 }, value[3] = { 0, 1, -1 };
    slip_real x, y, up, down, rate;
    slip_move m;
    int k;

    memset(&m, 0, sizeof m);
    m.kind = SLIP_MOVE_TABLE;
    m.n = 3;
    m.time = time;
    m.value = value;
    for (m.smooth = 0; m.smooth < 2; ++m.smooth) {
        slip_move_at(&m, 0, &x, &y);
        TEST_ASSERT_TRUE(x == 0 && y == 0);
        slip_move_at(&m, 9, &x, &y);
        TEST_ASSERT_TRUE(x == -1 && y == 0);
        slip_move_at(&m, 2, &x, &y);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, (double)x);
        for (k = 1; k < 29; ++k) {                                    /* the rate is that of the value */
            const slip_real t = 1 + SLIP_R(0.1)*(slip_real)k + SLIP_R(0.05), h = SLIP_TOL(1e-6, 1e-3);

            slip_move_at(&m, t, &x, &rate);
            slip_move_at(&m, t + h, &up, &y);
            slip_move_at(&m, t - h, &down, &y);
            TEST_ASSERT_DOUBLE_WITHIN(IS_DOUBLE ? 1e-8 : 1e-2, (double)((up - down)/(2*h)), (double)rate);
        }
    }
    m.smooth = 0;
    slip_move_at(&m, 3, &x, &y);
    TEST_ASSERT_TRUE(x == 0 && y == -1);
}

/* A plate that goes 5 mm up within a tenth of a step of 1 ms, and on at 0.1 m/s: the velocity of that step is the way
 * over dt, so that what lies on it is thrown. The slope at the step's end was taken, 0.1 m/s, and the box was found
 * 5 mm inside the plate. */
static void test_a_table_that_jumps_within_a_step_moves_at_its_mean(void)
{
    slip_world *w = aid_start(aid_read("<scene><simulation dt='0.001'/><move link='plate' axis='0 0 1' kind='table' "
                                       "times='0 0.0102 0.0103 1' values='0 0 0.005 0.10397'/>"
                                       "<body name='plate' mass='1'><origin xyz='0 0 -0.05'/><geometry>"
                                       "<box size='1 1 0.1'/></geometry></body><body name='b' mass='1'>"
                                       "<origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
                                       "</scene>"));
    double fastest = 0, deepest = 0;

    for (int k = 0; k < 40; ++k) {
        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 1));
        fastest = fmax(fastest, (double)aid_body_v(w, "plate")[2]);
        deepest = fmax(deepest, (double)(aid_body_q(w, "plate")[2] + SLIP_R(0.15) - aid_body_q(w, "b")[2]));
    }
    printf("# plate that jumps: at most %.4g m/s, box %.3g mm in it, %.4g m/s\n", fastest, 1000*deepest,
           (double)aid_body_v(w, "b")[2]);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.02, 5.07, fastest, "5 mm and 0.07 mm in a millisecond");
    TEST_ASSERT(deepest < 3e-3);
}

static void test_bad_motions_are_errors_with_their_place(void)
{
#define PLATE "<body name='p' mass='1'><geometry><sphere radius='1'/></geometry></body>"
    static const struct { const char *text; int column; const char *says; } list[] = {
        { "<scene>" PLATE "\n<move link='p' velocity='1'/></scene>", 1, "either an axis" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 0' velocity='1'/></scene>", 22, "axis of <move> has length 0" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1'/></scene>", 1, "needs the attribute 'velocity'" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' velocity='x'/></scene>", 39, "not a finite number" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' velocity='1' from='2' to='1'/></scene>", 55, "later" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' velocity='1' from='-2'/></scene>", 48,
          "from=\"-2\" of <move>, expected 0 s" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' kind='sine' frequency='1'/></scene>", 1,
          "<move> needs the attribute 'amplitude'" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' kind='sine' amplitude='1' frequency='-3'/></scene>", 66,
          "frequency=\"-3\" of <move>, expected 0 Hz" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' kind='jump'/></scene>", 35, "constant sine table" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' kind='table' times='0 1 1' values='0 1 2'/></scene>", 53,
          "'1' in attribute 'times' of <move> is not later" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' kind='table' times='0 1 1.5' values='0 -1e9 1e9'/></scene>", 73,
          "'1e9' in attribute 'values' of <move> is reached at more than 1e9 m/s" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' kind='table' times='0 1' values='0 1 2'/></scene>", 62,
          "as many numbers" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' kind='table' times='0' values='0'/></scene>", 49,
          "two numbers" },
        { "<scene>" PLATE "\n<move link='p' axis='0 0 1' kind='table' times='0 a' values='0'/></scene>", 51, "'a' in" },
        { "<scene>" PLATE "\n<move link='q' axis='0 0 1' velocity='1'/></scene>", 13, "no link or body 'q'" },
        { "<scene>" PLATE "\n<move joint='q' velocity='1'/></scene>", 14, "no joint with one freedom matches 'q'" },
        { "<scene>" PLATE "\n<move link='p' joint='p' velocity='1'/></scene>", 23, "expected one of them" },
        { "<scene>" PLATE "<body name='f' fixed='true'><geometry><sphere radius='1'/></geometry></body>"
          "\n<move link='f' axis='0 0 1' velocity='1'/></scene>", 13, "fixed to the world" },
        { "<scene>" PLATE "<move link='p' turn='0 0 1' velocity='1'/>"
          "\n<move link='p' turn='1 0 0' velocity='1'/></scene>", 13, "turned by two" } };
    slip_scene scene;
    slip_error err;
    int i;

    for (i = 0; i < (int)(sizeof list/sizeof *list); ++i) {
        const char *t = list[i].text;

        TEST_ASSERT_TRUE_MESSAGE(slip_scene_read(t, strlen(t), "m.xml", NULL, aid_memory(), &scene, NULL, &err) < 0, t);
        TEST_ASSERT_MESSAGE(strstr(err.what, list[i].says) != NULL, err.what);
        TEST_ASSERT_EQUAL_INT_MESSAGE(2, err.line, err.what);
        TEST_ASSERT_EQUAL_INT_MESSAGE(list[i].column, err.column, err.what);
    }
}

static void test_bad_calls_are_refused_with_a_reason(void)
{
    slip_world *w = aid_start(aid_read("<scene><robot file='double_pendulum.urdf' base='fixed'/>" PLATE "</scene>"));
    const slip_model *m = slip_world_model(w);
    const slip_real bad[7] = { (slip_real)NAN, 0, 0, 0, 0, 0, 0 }, none[7] = { 0, 0, 0, 0, 0, 0, 0 };
    int j, fixed = -1;

    for (j = 0; j < m->njoints; ++j) if (m->joint_body[j] < 0) fixed = j;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_world_prescribe(w, -1, NULL, none));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_world_prescribe(w, m->njoints, NULL, none));
    if (fixed >= 0) TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_world_prescribe(w, fixed, NULL, none));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_world_prescribe(w, slip_model_find_joint(m, "elbow"), NULL, bad));
    TEST_ASSERT_NOT_NULL(strstr(slip_world_error(w)->what, "elbow"));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_world_prescribe(w, slip_model_find_joint(m, "p"), none, none));
    TEST_ASSERT_NOT_NULL(strstr(slip_world_error(w)->what, "length 0"));
    TEST_ASSERT_EQUAL_INT(0, slip_world_is_prescribed(w, slip_model_find_joint(m, "p")));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_box_on_a_shaken_table_sticks_below_mu_g_and_slips_above);
    RUN_TEST(test_a_piston_lifts_a_stack_exactly_along_its_motion);
    RUN_TEST(test_the_force_behind_a_motion_is_read_as_that_of_a_drive);
    RUN_TEST(test_a_turned_body_carries_what_friction_holds);
    RUN_TEST(test_nothing_pushes_a_body_that_is_moved);
    RUN_TEST(test_a_prescribed_joint_moves_the_links_below_it);
    RUN_TEST(test_inverse_dynamics_gives_the_force_of_a_prescribed_joint);
    RUN_TEST(test_joints_of_every_kind_go_on_at_the_velocity_they_are_given);
    RUN_TEST(test_motions_are_part_of_snapshots_and_wake_sleepers);
    RUN_TEST(test_a_motion_that_crushes_is_reported_and_throws_nothing);
    RUN_TEST(test_a_prescribed_joint_knows_no_limits_and_no_drive);
    RUN_TEST(test_values_of_motions);
    RUN_TEST(test_a_table_that_jumps_within_a_step_moves_at_its_mean);
    RUN_TEST(test_bad_motions_are_errors_with_their_place);
    RUN_TEST(test_bad_calls_are_refused_with_a_reason);
    return UNITY_END();
}
