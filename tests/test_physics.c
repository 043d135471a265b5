/* What a world of rigid bodies must show: friction that sticks and slides as Coulomb says, weights that are carried,
 * stacks that stand, flight that keeps what it must keep, sensors that read what they should. Scenes in, numbers out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "scene_aid.h"

#define G 9.81
#define FLOATS (sizeof(slip_real) == 4)

void setUp(void) { aid_forget(); }
void tearDown(void) { }

static double apart(const slip_real *a, const slip_real *b)
{
    return sqrt(pow((double)(a[0] - b[0]), 2) + pow((double)(a[1] - b[1]), 2) + pow((double)(a[2] - b[2]), 2));
}

/* How far a body moves in n steps. */
static double moves(slip_world *w, const char *link, int n)
{
    slip_real before[3];

    slip_copy3(aid_body_q(w, link), before);
    aid_steps(w, n);
    return apart(before, aid_body_q(w, link));
}

static void check(double tolerance, double expected, double actual, const char *what)
{
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tolerance, expected, actual, what);
}

/* ---- friction that sticks ------------------------------------------------------------------------ */

static double pinched_slip(const char *engine, int steps)
{
    slip_scene *s = aid_open("models/pinch.xml");

    if (engine) s->world.options.solver = slip_solver_like(engine, &s->world.options.solve);
    return moves(aid_start(s), "capsule", steps);
}

/* Rigid: slip below a micrometre in ten seconds. Regularised models (R lambda is a velocity: v = R f dt per step) creep
 * for as long as they hold; MuJoCo's at its default impedance by more than a hundred times the limit in one second. */
static void test_a_pinched_capsule_does_not_creep_in_ten_seconds_and_soft_models_do(void)
{
    const double rigid = pinched_slip(NULL, 10000), mujoco = pinched_slip("mujoco", 1000), drake = pinched_slip("drake", 1000);
    char text[160];

    snprintf(text, sizeof text, "slip of a pinched capsule: rigid %.2g m in 10 s, like mujoco %.2g m and like drake %.2g m in 1 s",
             rigid, mujoco, drake);
    puts(text);
    TEST_ASSERT_MESSAGE(rigid < (double)SLIP_TOL(1e-6, 1e-4), text);
    TEST_ASSERT_MESSAGE(mujoco > 100*rigid && mujoco > 1e-5, text);
}

static void test_a_cube_pressed_on_a_wall_hangs_there(void)
{
    const double slip = moves(aid_start(aid_open("models/wall_press.xml")), "cube", 5000);

    check((double)SLIP_TOL(1e-6, 1e-4), 0, slip, "20 N at mu = 1 carry 9.81 N");
}

/* tan of the slope 0.5; friction 1.01 and 0.99 of it. a = g cos (0.5 - 0.495), x = a dt^2 n (n + 1)/2. */
static void test_an_incline_holds_at_099_and_lets_go_at_101_of_the_friction_angle(void)
{
    slip_world *w = aid_start(aid_open("models/incline.xml"));
    const double a = G/sqrt(1.25)*(0.5 - 0.495), way = a*1e-6*1000*1001/2;
    slip_real goes[3];
    double stays;

    slip_copy3(aid_body_q(w, "goes"), goes);
    stays = moves(w, "stays", 1000);
    check((double)SLIP_TOL(1e-6, 2e-4), 0, stays, "below the friction angle");
    check((double)SLIP_TOL(1e-3, 0.2)*way, way, apart(goes, aid_body_q(w, "goes")), "above the friction angle");
}

static double stopping_distance(slip_integrator integrator, double dt, double angle)
{
    slip_scene *s = aid_open("models/bench/slide.xml");
    slip_world *w;

    s->world.options.dt = (slip_real)dt;
    s->world.options.integrator = integrator;
    s->world.options.solve.tol = SLIP_TOL(1e-10, 1e-6);  /* of the way, dt^2 is looked at */
    w = aid_start(s);
    slip_set3((slip_real)(3*cos(angle)), (slip_real)(3*sin(angle)), 0, slip_world_v(w));
    aid_steps(w, (int)(1.2/dt));
    return hypot((double)slip_world_q(w)[0], (double)slip_world_q(w)[1]);
}

/* v^2/(2 a), a = mu g, and what the last step adds when it stops a rest of f a dt: f (1 - f) a dt^2/2. Semi-implicit
 * Euler moves with the velocity at the end of each step, v dt/2 less in all. */
static double stopping_theory(slip_integrator integrator, double dt)
{
    const double a = 0.3*G, n = 3/(a*dt), f = n - floor(n);

    return 9/(2*a) + f*(1 - f)*a*dt*dt/2 - (integrator == SLIP_EULER ? 1.5*dt : 0);
}

static void test_the_stopping_distance_converges_to_coulombs_as_dt_vanishes(void)
{
    static const double dt[] = { 8e-3, 4e-3, 2e-3, 1e-3, 5e-4 };
    const double theory = 9/(2*0.3*G);

    for (int k = 0; k < (FLOATS ? 4 : 5); ++k) {
        const double here = stopping_distance(SLIP_MIDPOINT, dt[k], 0.3), euler = stopping_distance(SLIP_EULER, dt[k], 0.3);

        check((double)SLIP_TOL(1e-8, 1e-3), stopping_theory(SLIP_MIDPOINT, dt[k]), here, "midpoint");
        check((double)SLIP_TOL(1e-8, 1e-3), stopping_theory(SLIP_EULER, dt[k]), euler, "Euler");
        check(0.3*G*dt[k]*dt[k]/8 + (double)SLIP_TOL(1e-8, 1e-3), theory, here, "second order");
    }
}

/* All of the theory's distance, to a dt^2/8 of 1.5 m, a quarter of a millionth. */
static void test_slide_stops_within_a_millionth_in_any_direction(void)
{
    const double theory = 9/(2*0.3*G);

    for (int k = 0; k < 8; ++k) {
        aid_forget();
        check((double)SLIP_TOL(1e-6, 2e-3)*theory, theory,
              stopping_distance(SLIP_MIDPOINT, 1e-3, 0.785398*k + (k > 4 ? 0.2 : 0)), "direction");
    }
}

/* ---- weights that are carried ---------------------------------------------------------------------- */

static const char *const mesh_path = "build/test_physics.tmp.obj";

/* An octahedron of 0.1 m with a face down: the hull of six points. */
static void write_mesh(void)
{
    static const char text[] = "v 0.1 0 0\nv -0.1 0 0\nv 0 0.1 0\nv 0 -0.1 0\nv 0 0 0.1\nv 0 0 -0.1\n"
                               "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
    FILE *f = fopen(mesh_path, "wb");

    TEST_ASSERT_MESSAGE(f != NULL, "cannot write below build/");
    fputs(text, f);
    fclose(f);
}

typedef struct { const char *name, *geometry, *origin; } resting;

/* 45 degrees about x and atan(1/sqrt 2) about y bring a face of the octahedron down; its distance from the centre is
 * 0.1/sqrt 3. */
static const resting shapes[] = {
    { "sphere", "<sphere radius='0.1'/>", "xyz='0 0 0.1'" },
    { "box", "<box size='0.2 0.3 0.4'/>", "xyz='0 0 0.2'" },
    { "capsule", "<capsule radius='0.05' length='0.2'/>", "xyz='0 0 0.05' rpy='1.5707963267948966 0 0.3'" },
    { "cylinder upright", "<cylinder radius='0.05' length='0.2'/>", "xyz='0 0 0.1'" },
    { "cylinder lying", "<cylinder radius='0.05' length='0.2'/>", "xyz='0 0 0.05' rpy='1.5707963267948966 0 0'" },
    { "mesh", "<mesh filename='../build/test_physics.tmp.obj'/>",
      "xyz='0 0 0.057735026918962576' rpy='0.7853981633974483 0.6154797086703873 1'" },
    { "mesh", "<mesh filename='../build/test_physics.tmp.obj'/>",
      "xyz='0 0 0.0578' rpy='0.7853981633974483 0.6154797086703873 0'" } };

static const char *shape_scene(const resting *s, double dt, double mass)
{
    static char text[1024];

    snprintf(text, sizeof text, "<scene><simulation dt='%g'/><surface name='default' friction='0.6'/><ground/>"
             "<body name='it' mass='%g'><origin %s/><geometry>%s</geometry></body></scene>", dt, mass, s->origin, s->geometry);
    return text;
}

static void test_contacts_carry_the_weight_of_every_shape_at_any_dt(void)
{
    write_mesh();
    for (int k = 0; k < (int)(sizeof shapes/sizeof *shapes); ++k)
        for (int half = 0; half < 2; ++half) {
            slip_real f[6], on_ground[3];
            slip_world *w;

            aid_forget();
            w = aid_start(aid_read(shape_scene(&shapes[k], half ? 1e-3 : 2e-3, 7)));
            aid_steps(w, half ? 2000 : 1000);
            TEST_ASSERT(slip_link_contact_wrench(w, 0, NULL, f) > 0);
            check((double)SLIP_TOL(1e-6, 2e-3)*7*G, 7*G, (double)f[2], shapes[k].name);
            check((double)SLIP_TOL(1e-6, 2e-3)*7*G, 0, hypot((double)f[0], (double)f[1]), shapes[k].name);
            slip_pair_contact_force(w, 0, -1, on_ground);
            check((double)SLIP_TOL(1e-6, 2e-3)*7*G, -7*G, (double)on_ground[2], shapes[k].name);
        }
    remove(mesh_path);
}

static double deepest_overlap(slip_world *w, int n)
{
    double deepest = 0;

    for (int k = 0; k < n; ++k) {
        aid_steps(w, 1);
        deepest = fmax(deepest, (double)slip_world_stats(w)->penetration);
    }
    return deepest;
}

/* Faces and edges that lie over many samples and ridges of a field. Of all that is near, what touches must be held:
 * a choice of wide but open contacts, or of one end of a ridge at a time, makes them tremble at 0.1 m/s for ever. */
static void test_shapes_come_to_rest_on_bumps(void)
{
    static const char *const kinds[] = { "<box size='0.3 0.2 0.1'/>", "<cylinder radius='0.1' length='0.06'/>" };
    static char text[1024];

    for (int k = 0; k < 8; ++k) {
        const double turn = 0.8*k - 3;
        double deepest, fastest = 0;
        slip_real f[6];
        slip_world *w;

        aid_forget();
        snprintf(text, sizeof text, "<scene><surface name='default' friction='0.9'/><terrain kind='bumps' size='6 6' "
                 "cell='0.07' amplitude='0.1' wavelength='0.6' seed='5'/><body name='b' mass='2'><origin xyz='%g %g 0.15' "
                 "rpy='%g 0.1 %g'/><geometry>%s</geometry></body></scene>", 0.1*k - 0.4, 0.3 - 0.07*k, 0.05*k - 0.2, turn,
                 kinds[k % 2]);
        w = aid_start(aid_read(text));
        deepest = deepest_overlap(w, 3000);
        for (int i = 0; i < 200; ++i) {
            aid_steps(w, 1);
            for (int j = 0; j < 6; ++j) fastest = fmax(fastest, fabs((double)slip_world_v(w)[j]));
        }
        check(0.001, 0, deepest, kinds[k % 2]);
        check((double)SLIP_TOL(1e-3, 8e-2), 0, fastest, kinds[k % 2]);       /* float: one box at 0.06, the others below 0.03 */
        slip_link_contact_wrench(w, 0, NULL, f);
        check((double)SLIP_TOL(1e-2, 1e-1)*2*G, 2*G, (double)f[2], kinds[k % 2]);
    }
}

static const char *two_boxes(double ratio)
{
    static char text[1024];

    snprintf(text, sizeof text, "<scene><surface name='default' friction='0.6'/><ground/>"
             "<body name='low' mass='1'><origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
             "<body name='high' mass='%g'><origin xyz='0 0 0.3'/><geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>",
             ratio);
    return text;
}

static void test_mass_ratios_up_to_a_thousand_stack_without_overlap(void)
{
    for (int ratio = 1; ratio <= 1000; ratio *= 10)
        check((double)SLIP_TOL(1e-5, 1e-4), 0, deepest_overlap(aid_start(aid_read(two_boxes(ratio))), FLOATS ? 100 : 1000), "heavy on light");
    check((double)SLIP_TOL(1e-5, 1e-3), 0, deepest_overlap(aid_start(aid_open("models/stack_ratio.xml")), FLOATS ? 50 : 500), "1:10:100:1000");
}

static void test_a_stack_of_twenty_boxes_stands_for_a_minute(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><simulation dt='0.005'/><surface name='default' friction='0.6'/><ground/><body name='b' mass='1'>"
        "<origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry>"
        "<copies count='1 1 20' step='0 0 0.2'/></body></scene>"));
    slip_real start[20*7];

    memcpy(start, slip_world_q(w), sizeof start);
    if (FLOATS) aid_steps(w, 3000);                      /* seven digits take longer, and end at rounding in one step */
    else TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 12000));
    for (int i = 0; i < 20; ++i)
        check((double)SLIP_TOL(1e-5, 3e-4), 0, apart(start + 7*i, slip_world_q(w) + 7*i), "a box of the stack");
}

/* An overlap of the start is worked off, and what pushed it out does not throw it: at most v^2/2g of 0.1 m/s. */
static void test_an_overlap_of_the_start_makes_no_hop(void)
{
    static const double deep[] = { 1e-4, 1e-3, 1e-2 };
    int k, i, finer;

    for (finer = 0; finer < 2; ++finer)
        for (k = 0; k < 3; ++k) {
            const double dt = finer ? 1e-4 : 1e-3;
            double top = 0;
            char text[512];
            slip_world *w;

            snprintf(text, sizeof text, "<scene name='o'><simulation dt='%g'/><ground/><body name='cube' mass='1'>"
                     "<origin xyz='0 0 %.9g'/><geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>", dt, 0.1 - deep[k]);
            aid_forget();
            w = aid_start(aid_read(text));
            for (i = 0; i < (int)(0.3/dt); ++i) {
                aid_steps(w, 1);
                top = fmax(top, (double)aid_body_q(w, "cube")[2]);
            }
            TEST_ASSERT_MESSAGE(top < 0.1 + 6e-4, "the hop");
            check((double)SLIP_TOL(1e-6, 1e-5), 0.1, (double)aid_body_q(w, "cube")[2], "at rest on the ground");
        }
}

/* A 3 x 3 wall whose cubes overlap by a millimetre settles by millimetres. */
static void test_a_wall_of_overlapping_cubes_settles_where_it_is(void)
{
    char text[4096];
    slip_real start[7*9];
    size_t at = (size_t)snprintf(text, sizeof text, "<scene name='o'><ground/>");
    slip_world *w;
    int i;

    for (i = 0; i < 9; ++i)
        at += (size_t)snprintf(text + at, sizeof text - at, "<body name='b%d' mass='1'><origin xyz='%.9g 0 %.9g'/><geometry>"
                               "<box size='0.2 0.2 0.2'/></geometry></body>", i, 0.199*(i%3), 0.1 + 0.199*(i/3));
    snprintf(text + at, sizeof text - at, "</scene>");
    w = aid_start(aid_read(text));
    memcpy(start, slip_world_q(w), sizeof start);
    aid_steps(w, 1000);
    for (i = 0; i < 9; ++i) check(8e-3, 0, apart(start + 7*i, slip_world_q(w) + 7*i), "a cube of the wall");
}

/* Faces that touch exactly, on all sides: nothing pushes, so nothing may fly. */
static void test_flush_boxes_are_not_ejected(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><surface name='default' friction='0.5'/><ground/><body name='b' mass='1'>"
        "<origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry>"
        "<copies count='2 2 2' step='0.2 0.2 0.2'/></body></scene>"));
    slip_real start[8*7];

    memcpy(start, slip_world_q(w), sizeof start);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 50));      /* and there is room for all contacts */
    for (int i = 0; i < 8; ++i)
        check((double)SLIP_TOL(1e-6, 1e-4), 0, apart(start + 7*i, slip_world_q(w) + 7*i), "a flush box");
}

/* The wall's heavy rows are beyond float; with cubes of one mass it holds still there as well. */
static void test_a_wall_of_equal_cubes_stands_still_in_either_precision(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><surface name='default' friction='0.7'/><ground/>"
        "<body name='a' mass='1'><origin xyz='-0.44 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry>"
        "<copies count='5 1 1' step='0.22 0 0'/></body>"
        "<body name='b' mass='1'><origin xyz='-0.33 0 0.3'/><geometry><box size='0.2 0.2 0.2'/></geometry>"
        "<copies count='4 1 1' step='0.22 0 0'/></body>"
        "<body name='c' mass='1'><origin xyz='-0.22 0 0.5'/><geometry><box size='0.2 0.2 0.2'/></geometry>"
        "<copies count='3 1 1' step='0.22 0 0'/></body></scene>"));
    slip_real start[12*7];

    memcpy(start, slip_world_q(w), sizeof start);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 3000));
    for (int i = 0; i < 12; ++i)
        check((double)SLIP_TOL(1e-8, 1e-5), 0, apart(start + 7*i, slip_world_q(w) + 7*i), "a cube of the wall");
}

static void test_a_wall_without_a_ball_does_not_move(void)
{
    slip_world *w = aid_start(aid_open("models/bench/wall_noball.xml"));
    slip_real start[15*7];

    memcpy(start, slip_world_q(w), sizeof start);
    aid_steps(w, FLOATS ? 10 : 1000);
    for (int i = 0; i < 15; ++i)
        check((double)SLIP_TOL(1e-4, 2e-3), 0, apart(start + 7*i, slip_world_q(w) + 7*i), "a cube of the wall");
}

/* ---- flight ---------------------------------------------------------------------------------------------- */

/* z = z0 + v t - g t^2/2 to rounding: no energy is lost. Semi-implicit Euler falls by g t (t + dt)/2 and loses
 * m g (g t dt/2): first order in dt, and nothing else. */
static void test_free_flight_keeps_energy_and_loses_it_by_eulers_order_and_no_momentum(void)
{
    for (int k = 0; k < 4; ++k) {
        const double dt = k/2 ? 1e-3 : 2e-3;
        slip_scene *s = aid_read("<scene><body name='it' mass='2' velocity='3 1 4'><geometry>"
                                 "<box size='0.1 0.2 0.3'/></geometry></body></scene>");
        slip_world *w;
        double before, most = 0;

        s->world.options.dt = (slip_real)dt;
        s->world.options.integrator = k%2 ? SLIP_EULER : SLIP_MIDPOINT;
        w = aid_start(s);
        before = aid_energy_of(w);
        for (int n = 0; n < (int)(1/dt + 0.5); ++n) {
            aid_steps(w, 1);
            most = fmax(most, fabs(aid_energy_of(w) - before));
        }
        if (k%2 == 0) check((double)SLIP_TOL(1e-12, 1e-5)*before, 0, most, "energy, at all times");
        else check((double)SLIP_TOL(1e-9, 1e-3), before - 2*G*G*dt/2, aid_energy_of(w), "energy by Euler");
        check((double)SLIP_TOL(1e-11, 1e-4), 3, (double)slip_world_v(w)[0], "momentum along x");
        check((double)SLIP_TOL(1e-11, 1e-4), 4 - G, (double)slip_world_v(w)[2], "momentum along z");
    }
}

/* Euler's equations of the top below, I = (1, 2, 2.5), by Runge and Kutta in steps far smaller than the world's. */
static void euler_rate(const double w[3], double r[3])
{
    r[0] = (2 - 2.5)*w[1]*w[2]/1;
    r[1] = (2.5 - 1)*w[2]*w[0]/2;
    r[2] = (1 - 2.0)*w[0]*w[1]/2.5;
}

static void euler_top(double w[3], double time)
{
    const int n = 20000;
    const double h = time/n;

    for (int k = 0; k < n; ++k) {
        double a[3], b[3], c[3], d[3], x[3];

        euler_rate(w, a);
        for (int i = 0; i < 3; ++i) x[i] = w[i] + h/2*a[i];
        euler_rate(x, b);
        for (int i = 0; i < 3; ++i) x[i] = w[i] + h/2*b[i];
        euler_rate(x, c);
        for (int i = 0; i < 3; ++i) x[i] = w[i] + h*c[i];
        euler_rate(x, d);
        for (int i = 0; i < 3; ++i) w[i] += h/6*(a[i] + 2*b[i] + 2*c[i] + d[i]);
    }
}

/* In body axes the angular velocity follows Euler's equations; the scheme is of second order there. */
static void test_a_torque_free_top_obeys_euler_to_second_order(void)
{
    double error[2], truth[3] = { 3, 0.5, -2 };

    euler_top(truth, 2);
    for (int half = 0; half < 2; ++half) {
        const double dt = half ? 2e-3 : 4e-3;
        slip_scene *s = aid_read("<scene><simulation gravity='0 0 0'/><body name='top' angular='3 0.5 -2'><inertial>"
                                 "<mass value='1'/><inertia ixx='1' iyy='2' izz='2.5'/></inertial></body></scene>");
        slip_world *w;
        slip_real *v;

        s->world.options.dt = (slip_real)dt;
        w = aid_start(s);
        v = slip_world_v(w) + 3;
        aid_steps(w, (int)(2/dt + 0.5));
        error[half] = 0;
        for (int i = 0; i < 3; ++i) error[half] = fmax(error[half], fabs((double)v[i] - truth[i]));
    }
    check((double)SLIP_TOL(2e-4, 1e-3), 0, error[0], "angular velocity after two seconds");
    if (!FLOATS) check(0.2, 0.25, error[1]/error[0], "a quarter of the error at half the step");
}

/* ---- loops and contacts that cannot move ------------------------------------------------------------ */

/* The same two bodies welded twice and hinged as well, one end fixed: seventeen rows that say six things. */
static void test_redundant_loops_stay_finite_and_hold(void)
{
    static const char *const ids[] = { "default", "ncp-admm", "ncp-newton" };

    for (int k = 0; k < 3; ++k) {
        slip_scene *s = aid_read(
            "<scene><body name='a' mass='1'><origin xyz='0 0 1'/><geometry><box size='0.1 0.1 0.1'/></geometry></body>"
            "<body name='b' mass='2'><origin xyz='0.3 0 1'/><geometry><box size='0.1 0.1 0.1'/></geometry></body>"
            "<loop name='hold' kind='weld' a='world' b='a'/>"
            "<loop name='one' kind='weld' a='a' b='b'/><loop name='two' kind='weld' a='a' b='b'/>"
            "<loop name='three' kind='hinge' a='a' b='b'/></scene>");
        slip_world *w;

        s->world.options.solver = slip_solver_find(ids[k]);
        w = aid_start(s);
        check((double)SLIP_TOL(1e-5, 1e-3), 0, moves(w, "b", 2000), ids[k]);
    }
}

/* Loops of 3, 5 and 6 rows leave 3, 1 and 0 freedoms: a body hung by its corner from the world, for a second. */
static double loop_motion(const char *kind, slip_real angular[3])
{
    static char text[1024];
    slip_world *w;
    slip_pose X;
    slip_real corner[3];
    const slip_real at[3] = { SLIP_R(-0.1), 0, 0 };

    snprintf(text, sizeof text, "<scene><body name='it' mass='1' angular='0.5 1 0.25'><origin xyz='0.1 0 1'/>"
             "<geometry><box size='0.2 0.1 0.06'/></geometry></body><loop name='l' kind='%s' a='world' b='it'>"
             "<frame_a xyz='0 0 1' rpy='1.5707963267948966 0 0'/><frame_b xyz='-0.1 0 0' rpy='1.5707963267948966 0 0'/></loop></scene>",
             kind);
    w = aid_start(aid_read(text));
    aid_steps(w, 1000);
    slip_world_update(w);
    slip_link_pose(slip_world_model(w), slip_world_data(w), 0, &X);
    slip_mat3_vec(X.R, at, corner);
    slip_add3(X.p, corner, corner);
    slip_copy3(slip_world_v(w) + 3, angular);
    corner[2] -= 1;
    return (double)slip_norm3(corner);
}

static void test_loops_of_three_five_and_six_rows_leave_the_freedoms_they_should(void)
{
    slip_real turn[3];
    const double open = (double)SLIP_TOL(2e-4, 5e-4);     /* w^2 r dt^2/(2 erp) of drift, w about 15/s: 1e-4 m */

    check(open, 0, loop_motion("ball", turn), "a ball holds the point");
    TEST_ASSERT(fabs((double)turn[0]) + fabs((double)turn[2]) > 0.01 && fabs((double)turn[1]) > 0.01);
    check(open, 0, loop_motion("hinge", turn), "a hinge holds the point");
    check((double)SLIP_TOL(1e-4, 1e-2), 0, hypot((double)turn[0], (double)turn[2]), "a hinge turns about its axis alone");
    TEST_ASSERT(fabs((double)turn[1]) > 0.01);
    check(open, 0, loop_motion("weld", turn), "a weld holds the point");
    check((double)SLIP_TOL(1e-4, 1e-2), 0, (double)slip_norm3(turn), "a weld does not turn");
}

/* A loop that is closed with its frames 0.7 m and 1.5 rad apart draws them together at 1 m/s at most, in a straight line,
 * and at as many rad/s as give them the same energy, by their radius of gyration; at 4/5 of both where it is apart by
 * both, at more once one is closed. It holds them from then on; unbounded, the first step would bring them to 350 m/s. */
static void test_a_loop_closed_while_apart_is_drawn_together_slowly(void)
{
    static const char *const kinds[] = { "ball", "hinge", "weld" };
    static char text[1024];

    for (int kind = 0; kind < 3; ++kind) {
        const double spin = 1/(sqrt(0.4)*0.05);
        double speed = 0, turn = 0, bent = 0;
        slip_real *a, *b;
        slip_world *w;

        snprintf(text, sizeof text, "<scene><simulation gravity='0 0 0'/><body name='a' mass='1'><geometry><sphere "
                 "radius='0.05'/></geometry></body><body name='b' mass='3'><origin xyz='0.3 0.4 0.5' rpy='1.5 0 0'/>"
                 "<geometry><sphere radius='0.05'/></geometry></body><loop name='l' kind='%s' a='a' b='b'><frame_b "
                 "xyz='0 0 0'/></loop><exclude a='a' b='b'/><events><release loop='l' time='0'/><close loop='l' "
                 "time='0.1'/></events></scene>", kinds[kind]);
        w = aid_start(aid_read(text));
        aid_steps(w, 100);
        check(0, 0, (double)slip_norm3(aid_body_v(w, "a")), "let go");
        for (int k = 0; k < 1500; ++k) {
            slip_real va[3], vb[3], d[3], x[3];

            aid_steps(w, 1);
            a = aid_body_q(w, "a");
            b = aid_body_q(w, "b");
            slip_quat_rotate(a + 3, aid_body_v(w, "a"), va);
            slip_quat_rotate(b + 3, aid_body_v(w, "b"), vb);
            speed = fmax(speed, (double)slip_distance3(va, vb));
            slip_quat_rotate(a + 3, aid_body_v(w, "a") + 3, va);
            slip_quat_rotate(b + 3, aid_body_v(w, "b") + 3, vb);
            turn = fmax(turn, (double)slip_distance3(va, vb));
            slip_sub3(b, a, d);
            slip_set3(SLIP_R(0.3), SLIP_R(0.4), SLIP_R(0.5), x);
            slip_cross3(x, d, x);
            bent = fmax(bent, (double)slip_norm3(x));
        }
        check(0.101, 0.9, speed, "m/s");
        check(kind == 0 ? 1e-6 : 0.101*spin, kind == 0 ? 0 : 0.9*spin, turn, "rad/s");
        check((double)SLIP_TOL(1e-6, 1e-3), 0, bent, "straight");
        check((double)SLIP_TOL(1e-6, 1e-4), 0, apart(aid_body_q(w, "a"), aid_body_q(w, "b")), "together");
        check((double)SLIP_TOL(1e-6, 1e-3), 0, (double)slip_norm3(aid_body_v(w, "b")), "at rest");
    }
}

/* ---- robots ----------------------------------------------------------------------------------------------- */

/* Largest speed of a base in n steps. */
static double fastest(slip_world *w, const char *base, int n)
{
    double v = 0;

    for (int k = 0; k < n; ++k) {
        aid_steps(w, 1);
        v = fmax(v, (double)slip_norm3(aid_body_v(w, base)));
    }
    return v;
}

/* Fastest motion of a foot over the ground [m/s]. */
static double foot_slip(slip_world *w)
{
    double v = 0;

    for (int i = 0; i < slip_contact_count(w); ++i) {
        const slip_contact_info c = slip_contact_get(w, i);

        v = fmax(v, hypot((double)c.velocity[0], (double)c.velocity[1]));
    }
    return v;
}

/* Feet do not creep: below 1 um/s from the first second on. The base still swings a little on its springs: the bench's
 * gains, 200 and 5, leave modes of 13 and 14 rad/s that die with exp(-2.5 t) (docs/measurements.md): 8.7e-5 m/s after a
 * second and 1e-6 after three, whatever the step. */
static void test_the_standing_quadruped_of_the_bench_comes_to_rest(void)
{
    double v[2];

    for (int half = 0; half < 2; ++half) {
        slip_scene *s = aid_open("models/bench/quad_stand.xml");
        slip_world *w;

        s->world.options.dt = half ? SLIP_R(5e-4) : SLIP_R(1e-3);
        w = aid_start(s);
        aid_steps(w, half ? 2000 : 1000);
        v[half] = fastest(w, "base", half ? 1000 : 500);
        check((double)SLIP_TOL(1e-6, 1e-3), 0, foot_slip(w), "m/s of a foot");
        if (!half && !FLOATS) {
            aid_steps(w, 2500);
            check(1e-6, 0, fastest(w, "base", 500), "m/s of the base after four seconds");
        }
    }
    check((double)SLIP_TOL(1e-5, 1e-2), v[0], v[1], "the same motion at half the step");
}

/* With firmer drives, 400 and 10, the mode dies twice as fast. */
static void test_a_quadruped_on_firmer_drives_is_at_rest_sooner(void)
{
    slip_scene *s = aid_open("models/quad_stand.xml");
    slip_world *w;

    s->nevents = 0;
    w = aid_start(s);
    aid_steps(w, 1000);
    check((double)SLIP_TOL(5e-6, 1e-2), 0, fastest(w, "base", 500), "m/s of the base after one second");
    check((double)SLIP_TOL(1e-6, 1e-2), 0, fastest(w, "base", 1000), "m/s of the base");
}

static void test_the_quadruped_is_stable_at_twenty_milliseconds(void)
{
    slip_scene *s = aid_open("models/quad_stand.xml");
    slip_world *w;
    double before;

    s->world.options.dt = SLIP_R(0.02);
    s->nevents = 0;
    w = aid_start(s);
    before = (double)aid_body_q(w, "base")[2];
    aid_steps(w, 500);
    check(0.03, before, (double)aid_body_q(w, "base")[2], "the base sags into its drives and no further");
    check((double)SLIP_TOL(1e-4, 1e-2), 0, (double)slip_norm3(aid_body_v(w, "base")), "and stands");
    check((double)SLIP_TOL(1e-3, 1e-2), 0, (double)slip_world_stats(w)->penetration, "on the ground");
}

/* ---- the step's terms -------------------------------------------------------------------------------------- */

static void test_what_approaches_slower_than_the_rest_speed_does_not_bounce(void)
{
    for (int fast = 0; fast < 2; ++fast) {
        slip_world *w = aid_start(aid_read(
            "<scene><simulation rest_speed='0.5' gravity='0 0 0'/><surface name='default' restitution='0.8'/><ground/>"
            "<body name='ball' mass='1'><origin xyz='0 0 0.101'/><geometry><sphere radius='0.1'/></geometry></body></scene>"));

        slip_world_options_of(w)->solve.tol = SLIP_TOL(1e-9, 1e-6);  /* ten roundings of 0.6 m/s in float are 4e-7 */
        slip_world_v(w)[2] = fast ? SLIP_R(-0.6) : SLIP_R(-0.4);
        aid_steps(w, 20);
        check((double)SLIP_TOL(1e-9, 1e-5), fast ? 0.48 : 0, (double)slip_world_v(w)[2], "speed after the impact");
    }
}

/* Two surfaces of one kind are springs in series: k/2. Held down by 30 N more, it sinks by 30 N/(k/2) more. */
static void test_a_compliant_surface_yields_in_proportion_to_the_force(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><simulation gravity='0 0 0'/><surface name='default' stiffness='4000' damping='60'/><ground/>"
        "<body name='ball' mass='1'><origin xyz='0 0 0.1'/><geometry><sphere radius='0.1'/></geometry></body>"
        "<events><push link='ball' from='0' force='0 0 -10'/><push link='ball' from='2' force='0 0 -30'/></events></scene>"));

    aid_steps(w, 2000);
    check((double)SLIP_TOL(1e-6, 1e-5), 0.1 - 10/2000.0, (double)slip_world_q(w)[2], "under 10 N");
    aid_steps(w, 2000);
    check((double)SLIP_TOL(1e-6, 1e-5), 0.1 - 40/2000.0, (double)slip_world_q(w)[2], "under 40 N");
}

/* 1 kg at 1 m/s into k = 1e4 N/m, d = 1000 N s/m: overdamped, with roots s1 = -10.1 and s2 = -990 1/s it sinks by
 * (e^(s1 t) - e^(s2 t))/(s1 - s2), most at t = ln(s2/s1)/(s1 - s2). */
static void test_a_damped_surface_does_not_push_before_it_is_touched(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><simulation gravity='0 0 0'/><surface name='default'/><surface name='mud' stiffness='1e4' damping='1000'/>"
        "<ground surface='mud'/><body name='ball' mass='1' velocity='0 0 -1'><origin xyz='0 0 0.11'/><geometry>"
        "<sphere radius='0.1'/></geometry></body></scene>"));
    const double root = sqrt(500*500 - 1e4), slow = -500 + root, fast = -500 - root;
    const double t = log(fast/slow)/(slow - fast), deepest = (exp(slow*t) - exp(fast*t))/(slow - fast);
    double lowest = 1;

    for (int i = 0; i < 100; ++i) {
        aid_steps(w, 1);
        if (slip_world_time(w) < SLIP_R(0.0095)) check(1e-6, -1, (double)slip_world_v(w)[2], "speed until it touches");
        lowest = fmin(lowest, (double)slip_world_q(w)[2]);
    }
    check(0.03*deepest, deepest, 0.1 - lowest, "deepest");
}

/* ---- surfaces that yield along themselves ---------------------------------------------------------------------- */

/* A cube of 1 kg on four points, pushed along by a force, on ground as told; friction could hold 4.9 N. */
static slip_world *pushed_cube(const char *ground, const char *push)
{
    slip_world *w;
    char text[700];

    snprintf(text, sizeof text, "<scene><surface name='default' friction='0.5'/>"
             "<surface name='soft' friction='0.5' %s/><ground surface='soft'/><body name='it' mass='1'>"
             "<origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
             "<events><push link='it' from='0' %s at='0 0 -0.1'/></events></scene>", ground, push);
    w = aid_start(aid_read(text));
    slip_world_options_of(w)->solve.tol = SLIP_TOL(1e-9, 1e-4);  /* what slips by 1e-8 is asked for */
    return w;
}

/* R_t alone is a damper: dry friction is gone, and the speed is that of the force over all dampers, linear in R. */
static void test_tangents_that_only_damp_creep_in_proportion_to_the_force(void)
{
    const double d[] = { 25, 50, 400 };

    for (int i = 0; i < 3; ++i) {
        char ground[64];
        slip_world *w;

        snprintf(ground, sizeof ground, "tangent_damping='%g'", d[i]);
        w = pushed_cube(ground, "force='2 0 0'");
        aid_steps(w, 1000);
        check((double)SLIP_TOL(1e-8, 1e-5), 2/(4*d[i]), (double)slip_world_v(w)[0], "creeps at F/(4 d)");
    }
    aid_forget();
    check((double)SLIP_TOL(1e-9, 1e-5), 0, moves(pushed_cube("", "force='2 0 0'"), "it", 1000), "rigid: sticks");
}

/* A spring gives way by F/(4 k), damped critically, and is back where it was when the force has gone. */
static void test_a_spring_along_the_surface_yields_and_comes_back(void)
{
    slip_world *w = pushed_cube("tangent_stiffness='500' tangent_damping='22'", "to='2' force='2 0 0'");

    aid_steps(w, 2000);
    check((double)SLIP_TOL(1e-8, 1e-5), 2/2000.0, (double)slip_world_q(w)[0], "F/(4 k)");
    TEST_ASSERT_EQUAL_INT(SLIP_CONTACT_STICK, slip_contact_get(w, 0).state);
    aid_steps(w, 1000);
    check((double)SLIP_TOL(1e-8, 1e-5), 0, (double)slip_world_q(w)[0], "back again");
}

/* Beyond Coulomb's cone it slides as on rigid ground; let go, it stops with the spring stretched and swings back from
 * there by no more than mu m g/(4 k). */
static void test_a_stretched_surface_slides_by_coulombs_law(void)
{
    slip_world *w = pushed_cube("tangent_stiffness='500'", "to='0.5' force='10 0 0'");
    double furthest = 0;

    aid_steps(w, 400);
    {
        const double before = (double)slip_world_v(w)[0];

        aid_steps(w, 100);
        check((double)SLIP_TOL(1e-6, 1e-4), 0.1*(10 - 0.5*G), (double)slip_world_v(w)[0] - before, "(F - mu m g)/m");
    }
    for (int k = 0; k < 1000; ++k) {
        aid_steps(w, 1);
        furthest = fmax(furthest, (double)slip_world_q(w)[0]);
    }
    TEST_ASSERT(furthest - (double)slip_world_q(w)[0] > 1e-3);
    TEST_ASSERT(furthest - (double)slip_world_q(w)[0] < 2*0.5*G/2000);
}

/* On a turntable the stretch carries the cube round and turns with it: 4 k u = m w^2 r outwards and nothing sideways.
 * Were it kept in world axes, the cube would lag by w u t, 8 mm. (Contacts follow tangents, not arcs: dt w^2 r t/2
 * outwards, 0.12 mm, as with rigid friction.) */
static void test_the_stretch_turns_with_the_bodies(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><simulation dt='1e-4'/><surface name='default' friction='0'/>"
        "<surface name='felt' tangent_stiffness='300' tangent_damping='20'/>"
        "<surface_pair a='felt' b='default' friction='0'/><ground/>"
        "<body name='table' mass='10000' surface='felt' angular='0 0 2'><origin xyz='0 0 0.1'/>"
        "<geometry><box size='1 1 0.2'/></geometry></body>"
        "<body name='it' mass='1' surface='felt' velocity='0 0.6 0' angular='0 0 2'><origin xyz='0.3 0 0.25'/>"
        "<geometry><box size='0.1 0.1 0.1'/></geometry></body></scene>"));
    const double k = 150, r = 0.3/(1 - 4/(4*k));         /* two surfaces in series; m w^2 r = 4 k (r - 0.3) */
    double turn, q[2], table[2];

    slip_world_options_of(w)->solve.tol = SLIP_TOL(1e-9, 1e-5);  /* 1e-6 of 10 t on the ground is 10 g of the cube */
    aid_steps(w, 20000);
    for (int i = 0; i < 2; ++i) {
        q[i] = (double)(aid_body_q(w, "it")[i] - aid_body_q(w, "table")[i]);
        table[i] = (double)aid_body_q(w, "table")[5 + i];
    }
    turn = 2*atan2(table[0], table[1]);
    check((double)SLIP_TOL(2e-4, 5e-3), r, cos(turn)*q[0] + sin(turn)*q[1], "outwards");
    check((double)SLIP_TOL(1e-4, 1e-3), 0, cos(turn)*q[1] - sin(turn)*q[0], "sideways");
}

/* Turns the free bodies of a world, and the wrenches on them, by an angle about the world's y; they are at rest. */
static void turn_about_y(slip_world *w, int bodies, double angle)
{
    const slip_real y[3] = { 0, 1, 0 };
    slip_real R[9];

    slip_mat3_from_axis_angle(y, (slip_real)angle, R);
    for (int i = 0; i < bodies; ++i) {
        slip_real *q = slip_world_q(w) + 7*i, *f = slip_world_wrench(w) + 6*(i + 1);

        slip_mat3_vec(R, q, q);
        slip_set3(0, (slip_real)sin(angle/2), 0, q + 3);
        q[6] = (slip_real)cos(angle/2);
        slip_mat3_vec(R, f, f);
    }
}

/* A cube pressed askew on a heavy one in space: the surfaces carry the tangential part. Turned by 0.5 rad with all
 * forces they are at rest as before. Were the stretch cast into the new plane instead of turned, it would be short by
 * 1 - cos 0.5: 0.6 N of 5 N, 1.1e-3 m/s in a step of 2 ms. */
static void test_the_stretch_keeps_its_length_when_the_pair_is_turned(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><simulation gravity='0 0 0' dt='0.002'/>"
        "<surface name='default' friction='1' tangent_stiffness='300' tangent_damping='20'/>"
        "<body name='a' mass='1e9'><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "<body name='b' mass='1'><origin xyz='0 0 0.15'/><geometry><box size='0.1 0.1 0.1'/></geometry></body>"
        "</scene>"));
    const slip_real force[3] = { 5, 0, -20 };

    slip_world_options_of(w)->solve.tol = SLIP_TOL(1e-9, 1e-5);
    slip_copy3(force, slip_world_wrench(w) + 12);
    aid_steps(w, 2000);
    turn_about_y(w, 2, 0.5);
    aid_steps(w, 1);
    check((double)SLIP_TOL(1e-6, 1e-4), 0, (double)slip_max_abs(12, slip_world_v(w)), "fastest coordinate");
}

static void test_the_stretch_is_part_of_a_snapshot(void)
{
    slip_world *w = pushed_cube("tangent_stiffness='500'", "to='2' force='2 0 0'");
    slip_real q[7];
    void *saved = malloc(slip_snapshot_bytes(w));

    aid_steps(w, 100);
    slip_snapshot_save(w, saved);
    aid_steps(w, 500);
    memcpy(q, slip_world_q(w), sizeof q);
    aid_steps(w, 100);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, saved, slip_snapshot_bytes(w)));
    aid_steps(w, 500);
    TEST_ASSERT_EQUAL_MEMORY(q, slip_world_q(w), sizeof q);
    free(saved);
}

/* HW Fig. 7, with Euler's step: nothing but the correction of positions keeps a robot that hangs from its feet from
 * slipping through, and from 2 s on contacts and integrator lose a few joules, as docs/measurements.md tells. */
static void test_feet_that_carry_a_swinging_robot_sink_only_when_positions_are_not_corrected(void)
{
    double depth[2], lost[2] = { 0, 0 };

    for (int corrected = 0; corrected < 2; ++corrected) {
        slip_scene *s;
        slip_world *w;

        aid_forget();
        s = aid_open("models/quad_hang_long.xml");
        s->world.options.integrator = SLIP_EULER;
        if (!corrected) s->world.options.erp = 0;
        w = aid_start(s);
        aid_steps(w, 2000);
        lost[corrected] = aid_energy_of(w);
        aid_steps(w, 10000);
        lost[corrected] -= aid_energy_of(w);
        depth[corrected] = (double)slip_world_stats(w)->penetration;
    }
    TEST_ASSERT_MESSAGE(depth[0] > 0.01, "sinks");
    check((double)SLIP_TOL(5e-5, 2e-4), 0, depth[1], "stays");
    check(2, 1.5, lost[1], "energy lost in 10 s");
}

/* F dt/m and M dt/I from rest, at the centre of mass; the axes turn by M dt^2/I = 2e-6, and the velocity with them. */
static void test_an_external_wrench_moves_and_turns_a_body_as_newton_says(void)
{
    slip_world *w = aid_start(aid_read("<scene><simulation gravity='0 0 0'/><body name='it' mass='2'><geometry>"
                                       "<sphere radius='0.5'/></geometry></body></scene>"));
    const slip_real wrench[6] = { 4, -2, 1, SLIP_R(0.4), 0, SLIP_R(-0.2) };
    const double I = 0.4*2*0.25;

    memcpy(slip_world_wrench(w) + 6, wrench, sizeof wrench);
    aid_steps(w, 1);
    for (int i = 0; i < 3; ++i) {
        check((double)SLIP_TOL(1e-8, 1e-7), (double)wrench[i]/2*1e-3, (double)slip_world_v(w)[i], "F dt/m");
        check((double)SLIP_TOL(1e-12, 1e-7), (double)wrench[3 + i]/I*1e-3, (double)slip_world_v(w)[3 + i], "M dt/I");
    }
}

static void test_time_goes_on_smoothly_when_dt_changes(void)
{
    slip_world *w = aid_start(aid_read("<scene><ground/><body name='it' mass='2' velocity='1 0 0'><origin xyz='0 0 0.1'/>"
                                       "<geometry><sphere radius='0.1'/></geometry></body></scene>"));

    aid_steps(w, 100);
    slip_world_options_of(w)->dt = SLIP_R(2.5e-4);
    aid_steps(w, 400);
    slip_world_options_of(w)->dt = SLIP_R(1e-3);
    aid_steps(w, 50);
    check((double)SLIP_TOL(1e-12, 1e-6), 0.25, (double)slip_world_time(w), "100 + 100 + 50 ms");
    check((double)SLIP_TOL(1e-6, 1e-5), 0.1, (double)slip_world_q(w)[2], "it still rolls on the ground");
    TEST_ASSERT_EQUAL_INT(550, (int)slip_world_steps(w));
}

/* ---- the same again ------------------------------------------------------------------------------------------- */

static const char tumble[] =
    "<scene><surface name='default' friction='0.4' restitution='0.3'/><ground/>"
    "<body name='b' mass='1' velocity='1 0.5 0' angular='3 -2 5'><origin xyz='0 0 0.2'/>"
    "<geometry><box size='0.2 0.15 0.1'/></geometry><copies count='2 1 3' step='0.25 0 0.25'/></body>"
    "<loop name='tie' kind='ball' a='b0' b='b1'/>"
    "<events><push link='b2' from='0.4' to='0.9' force='3 0 2' rate='1 0 0'/></events></scene>";

static void test_a_snapshot_in_mid_contact_continues_bit_for_bit_in_a_fresh_world(void)
{
    slip_world *w = aid_start(aid_read(tumble)), *fresh;
    const slip_model *m = slip_world_model(w);
    void *snapshot;

    aid_steps(w, 300);
    TEST_ASSERT(slip_contact_count(w) > 0);
    snapshot = malloc(slip_snapshot_bytes(w));
    slip_snapshot_save(w, snapshot);
    aid_steps(w, 1000);
    fresh = aid_start(aid_read(tumble));
    aid_steps(fresh, 7);                                 /* whatever it did before does not count */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(fresh, snapshot, slip_snapshot_bytes(fresh)));
    aid_steps(fresh, 1000);
    TEST_ASSERT_EQUAL_INT(0, memcmp(slip_world_q(w), slip_world_q(fresh), (size_t)m->nq*sizeof(slip_real)));
    TEST_ASSERT_EQUAL_INT(0, memcmp(slip_world_v(w), slip_world_v(fresh), (size_t)m->nv*sizeof(slip_real)));
    TEST_ASSERT_EQUAL_DOUBLE((double)slip_world_time(w), (double)slip_world_time(fresh));
    free(snapshot);
}

static void test_a_robots_snapshot_continues_bit_for_bit_in_a_fresh_world(void)
{
    slip_world *w = aid_start(aid_open("models/hand_cubes.xml")), *fresh;
    const slip_model *m = slip_world_model(w);
    void *snapshot;

    aid_steps(w, 400);
    snapshot = malloc(slip_snapshot_bytes(w));
    slip_snapshot_save(w, snapshot);
    aid_steps(w, 300);
    fresh = aid_start(aid_open("models/hand_cubes.xml"));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(fresh, snapshot, slip_snapshot_bytes(fresh)));
    aid_steps(fresh, 300);
    TEST_ASSERT_EQUAL_INT(0, memcmp(slip_world_q(w), slip_world_q(fresh), (size_t)m->nq*sizeof(slip_real)));
    free(snapshot);
}

static void test_two_runs_of_a_busy_scene_give_the_same_bits(void)
{
    slip_world *w[2];
    const slip_model *m;

    for (int k = 0; k < 2; ++k) {
        w[k] = aid_start(aid_open("models/dominoes.xml"));
        aid_steps(w[k], 150);
    }
    m = slip_world_model(w[0]);
    TEST_ASSERT_EQUAL_INT(0, memcmp(slip_world_q(w[0]), slip_world_q(w[1]), (size_t)m->nq*sizeof(slip_real)));
    TEST_ASSERT_EQUAL_INT(0, memcmp(slip_world_v(w[0]), slip_world_v(w[1]), (size_t)m->nv*sizeof(slip_real)));
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static void test_contacts_are_read_one_by_one_by_link_and_by_pair(void)
{
    slip_world *w = aid_start(aid_read(two_boxes(3)));
    slip_real sum = 0, low[6], pair[3], back[3], world[6];
    int on_ground = 0;

    aid_steps(w, 1000);
    TEST_ASSERT_EQUAL_INT(8, slip_contact_count(w));
    for (int i = 0; i < 8; ++i) {
        const slip_contact_info c = slip_contact_get(w, i);
        const int ground = c.link_a < 0 || c.link_b < 0;

        check((double)SLIP_TOL(1e-7, 1e-4), 1, fabs((double)c.frame[8]), "the normal is vertical");
        check((double)SLIP_TOL(1e-7, 1e-4), ground ? 0 : 0.2, (double)c.point[2], "on the faces");
        check(1e-6, 0.1, fabs((double)c.point[0]), "at the corners");
        check((double)SLIP_TOL(1e-12, 1e-6), (double)(c.impulse[2]/SLIP_R(1e-3)), (double)c.force_n, "impulse over dt");
        TEST_ASSERT_EQUAL_STRING(ground ? "world" : "low", c.link_a < 0 || !ground ? c.name_a : c.name_b);
        if (ground) { sum += c.force_n;  ++on_ground; }
    }
    TEST_ASSERT_EQUAL_INT(4, on_ground);
    check((double)SLIP_TOL(1e-5, 1e-1), 4*G, (double)sum, "the ground carries both");
    TEST_ASSERT_EQUAL_INT(8, slip_link_contact_wrench(w, aid_link(w, "low"), NULL, low));
    check((double)SLIP_TOL(1e-5, 1e-1), G, (double)low[2], "4 g from below less 3 g from above");
    TEST_ASSERT_EQUAL_INT(4, slip_pair_contact_force(w, aid_link(w, "low"), aid_link(w, "high"), pair));
    check((double)SLIP_TOL(1e-5, 1e-1), 3*G, (double)pair[2], "force on the second");
    TEST_ASSERT_EQUAL_INT(4, slip_pair_contact_force(w, aid_link(w, "high"), aid_link(w, "low"), back));
    check((double)SLIP_TOL(1e-9, 1e-4), -(double)pair[2], (double)back[2], "action and reaction");
    TEST_ASSERT_EQUAL_INT(4, slip_link_contact_wrench(w, -1, NULL, world));
    check((double)SLIP_TOL(1e-5, 1e-1), -4*G, (double)world[2], "the world feels the weight");
    TEST_ASSERT_EQUAL_INT(0, slip_pair_contact_force(w, aid_link(w, "high"), -1, back));
}

static void test_contact_states_tell_sticking_slipping_and_open(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><surface name='default' friction='0.5'/><ground/>"
        "<body name='rests' mass='1'><origin xyz='0 0 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "<body name='slides' mass='1' velocity='1 0 0'><origin xyz='0 1 0.1'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "<body name='hovers' mass='1'><origin xyz='0 2 0.1015'/><geometry><sphere radius='0.1'/></geometry></body></scene>"));

    aid_steps(w, 3);
    TEST_ASSERT_EQUAL_INT(9, slip_contact_count(w));
    for (int i = 0; i < 9; ++i) {
        const slip_contact_info c = slip_contact_get(w, i);
        const char *name = c.link_a < 0 ? c.name_b : c.name_a;
        const slip_contact_state expected = name[0] == 'r' ? SLIP_CONTACT_STICK
                                          : name[0] == 's' ? SLIP_CONTACT_SLIP : SLIP_CONTACT_OPEN;

        TEST_ASSERT_EQUAL_INT_MESSAGE((int)expected, (int)c.state, name);
        if (name[0] == 's') check((double)SLIP_TOL(1e-6, 1e-3)*c.force_n + 1e-9, 0.5*(double)c.force_n, (double)c.force_t, "mu N");
    }
}

/* Found anew, contacts keep their own velocities and states, however they are numbered now; new ones are open. */
static void test_contacts_found_anew_keep_their_own_states(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><surface name='default' friction='0.1'/><ground/>"
        "<body name='slides' mass='1' velocity='3 0 0'><origin xyz='0 0 0.1'/>"
        "<geometry><sphere radius='0.1'/></geometry></body>"
        "<body name='rests' mass='1'><origin xyz='0 3 0.1'/><geometry><sphere radius='0.1'/></geometry></body>"
        "<body name='flies' mass='1'><origin xyz='0 6 9'/><geometry><sphere radius='0.1'/></geometry></body></scene>"));
    slip_contact_info was, is;

    aid_steps(w, 100);
    was = slip_contact_get(w, 1);
    TEST_ASSERT_EQUAL_INT(2, slip_contact_count(w));
    TEST_ASSERT_EQUAL_INT(SLIP_CONTACT_SLIP, slip_contact_get(w, 0).state);
    TEST_ASSERT_EQUAL_INT(SLIP_CONTACT_STICK, was.state);
    aid_body_q(w, "slides")[2] += SLIP_R(0.5);           /* its contact goes, that of the other is now the first */
    aid_body_q(w, "flies")[2] = SLIP_R(0.1);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_world_update(w));
    TEST_ASSERT_EQUAL_INT(2, slip_contact_count(w));
    is = slip_contact_get(w, 0);
    TEST_ASSERT_EQUAL_STRING("rests", is.link_a < 0 ? is.name_b : is.name_a);
    TEST_ASSERT_EQUAL_INT(SLIP_CONTACT_STICK, is.state);
    for (int i = 0; i < 3; ++i)
        check((double)SLIP_TOL(1e-12, 1e-6), (double)was.velocity[i], (double)is.velocity[i], "velocity");
    is = slip_contact_get(w, 1);
    TEST_ASSERT_EQUAL_INT(SLIP_CONTACT_OPEN, is.state);
    for (int i = 0; i < 3; ++i) check(0, 0, (double)is.velocity[i], "a new one's velocity");
}

/* At rest an IMU feels g upwards; falling it feels nothing; pushed with F it feels F/m. */
static void test_an_imu_reads_what_it_should(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><ground/><body name='rests' mass='2'><origin xyz='0 0 0.1' rpy='0 0 0.7'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "<body name='falls' mass='2' velocity='1 2 3' angular='1 2 3'><origin xyz='0 5 9' rpy='1 2 3'/><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "<body name='pushed' mass='2'><origin xyz='0 9 9' rpy='0 0 1.5707963267948966'/><geometry><sphere radius='0.1'/></geometry></body>"
        "<events><push link='pushed' from='0' force='4 0 0'/></events></scene>"));
    const double small = (double)SLIP_TOL(1e-5, 2e-2);
    slip_real a[3], g[3];

    aid_steps(w, 100);
    slip_link_imu(w, aid_link(w, "rests"), a, g);
    check(small, G, (double)a[2], "at rest");
    check(small, 0, hypot((double)a[0], (double)a[1]), "at rest");
    slip_link_imu(w, aid_link(w, "falls"), a, g);
    check(small, 0, (double)slip_norm3(a), "falling");
    check(small, sqrt(14.0), (double)slip_norm3(g), "turning");
    slip_link_imu(w, aid_link(w, "pushed"), a, g);
    check(small, 2, -(double)a[1], "4 N on 2 kg along the world's x, which is its -y");
}

/* The origin of a body goes round its centre of mass at 0.5 m: w x (w x r) points to the centre, +x, 36*0.5 m/s^2. One
 * step of the scheme holds the acceleration to first order in w dt = 6e-3. */
/* -1 is the world, which stands still and feels g; so does what does not exist. */
static void test_links_that_do_not_exist_read_as_the_world(void)
{
    slip_world *w = aid_start(aid_read(tumble));

    aid_steps(w, 200);
    for (int k = 0; k < 3; ++k) {
        const int link = k == 0 ? -1 : k == 1 ? -7 : slip_world_model(w)->nlinks;
        slip_real accel[6], felt[3], gyro[3], wrench[6];

        slip_link_acceleration(w, link, accel);
        slip_link_imu(w, link, felt, gyro);
        for (int i = 0; i < 6; ++i) check(0, 0, (double)accel[i], "acceleration");
        for (int i = 0; i < 3; ++i) check(1e-6, i == 2 ? 9.81 : 0, (double)felt[i], "felt");
        for (int i = 0; i < 3; ++i) check(0, 0, (double)gyro[i], "turns");
        TEST_ASSERT_EQUAL_INT(k == 0, slip_link_contact_wrench(w, link, NULL, wrench) > 0);
    }
}

static void test_an_imu_off_centre_feels_the_centripetal_acceleration(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><simulation gravity='0 0 0'/><body name='spins' velocity='0 -3 0' angular='0 0 6'><inertial><origin xyz='0.5 0 0'/>"
        "<mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></body></scene>"));
    slip_real a[3], g[3], all[6];

    aid_steps(w, 1);
    slip_link_acceleration(w, 0, all);
    check(18*0.01, 18, (double)all[0], "acceleration of the origin");
    check((double)SLIP_TOL(1e-6, 1e-2), 0, (double)slip_norm3(all + 3), "it turns evenly");
    slip_link_imu(w, 0, a, g);
    check(18*0.01, 18, (double)a[0], "towards the centre");
    check(18*0.01, 0, (double)a[1], "and nowhere else");
    check((double)SLIP_TOL(1e-9, 1e-5), 6, (double)g[2], "gyroscope");
}

static void test_foot_forces_of_a_standing_quadruped_carry_it(void)
{
    slip_world *w = aid_start(aid_open("models/bench/quad_stand.xml"));
    const slip_model *m = slip_world_model(w);
    slip_real f[6];
    double sum = 0, heaviest = 0;
    int feet = 0;

    aid_steps(w, 1500);
    for (int i = 0; i < m->nlinks; ++i) {
        if (slip_link_contact_wrench(w, i, NULL, f) == 0) continue;
        sum += (double)f[2];
        heaviest = fmax(heaviest, (double)f[2]);
        ++feet;
    }
    TEST_ASSERT_EQUAL_INT(4, feet);
    check((double)SLIP_TOL(1e-5, 1e-2)*330, (double)slip_total_mass(m)*G, sum, "the four feet together");
    TEST_ASSERT(heaviest < 0.3*sum);
}

/* A cube that slides to rest turns its kinetic energy into heat: mu m g s, s being its way. */
static void test_energies_add_up_when_a_cube_slides_to_rest(void)
{
    slip_world *w = aid_start(aid_open("models/bench/slide.xml"));
    const double before = aid_energy_of(w);

    check((double)SLIP_TOL(1e-9, 1e-5), 4.5 + 0.1*G, before, "kinetic and potential");
    aid_steps(w, 500);
    /* the scheme's way is short of the true one by v dt/2 in proportion: 0.3 m g (v0 - v) dt/2 of heat */
    check((double)SLIP_TOL(4.5e-3, 6e-3), before - 0.3*G*(double)slip_world_q(w)[1], aid_energy_of(w), "half way");
    aid_steps(w, 1000);
    check((double)SLIP_TOL(1e-6, 1e-4), 0.1*G, aid_energy_of(w), "at rest");
}

/* ---- limp robots --------------------------------------------------------------------------------- */

/* Drops a humanoid, a little differently each time, and returns the deepest overlap in mm; its energy may only fall. */
static double fall(const char *scene, int variant, int steps)
{
    slip_world *w;
    double before, after, deepest = 0;
    int i;

    aid_forget();
    w = aid_start(aid_open(scene));
    slip_world_q(w)[2] += SLIP_R(1e-3)*(slip_real)variant;
    slip_world_v(w)[3] += SLIP_R(0.01)*(slip_real)variant;
    before = aid_energy_of(w);
    for (i = 0; i < steps; ++i) {
        aid_steps(w, 1);
        deepest = fmax(deepest, 1000*(double)slip_world_stats(w)->penetration);
        if (i%50 != 49) continue;
        after = aid_energy_of(w);
        TEST_ASSERT_MESSAGE(after < before*1.001, "energy appeared");
        before = fmin(before, after);
    }
    return deepest;
}

/* The hips, three hinges with nothing between them, line up on the way: unless the rings have inertia, two runs of three
 * end at 1e13 J. */
static void test_a_limp_humanoid_falls_through_gimbal_lock_without_gaining_energy(void)
{
    int i;

    for (i = 0; i < 6; ++i)
        TEST_ASSERT_MESSAGE(fall("models/bench/humanoid_prone.xml", i, 700) < 1, "an overlap of a millimetre");
}

/* Hips that start where the first and the last hinge are one, so that M is singular. */
static void test_a_robot_may_start_in_gimbal_lock(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><ground/><robot file='humanoid.urdf'><origin xyz='0 0 1.3'/>"
        "<joint joint='hip_z_right' position='-1.5707963267948966'/></robot></scene>"));
    const double before = aid_energy_of(w);

    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_steps(w, 300));
    TEST_ASSERT_MESSAGE(aid_energy_of(w) < before*1.001, "energy appeared");
}

/* A rod of 1 m hangs from a universal joint whose cross has no mass. Twisted by 1 mN m it spins about its long axis, 5e-5
 * kg m^2, as if the cross were not there: what keeps gimbals from locking must keep out of this. */
static void test_a_rod_on_a_massless_cross_spins_with_its_own_inertia(void)
{
    static const char path[] = "build/test_physics.tmp.urdf";
    static const char rod[] = "<robot name='rod'><link name='base'/><link name='cross'/>"
        "<joint name='yaw' type='continuous'><parent link='base'/><child link='cross'/><axis xyz='0 0 1'/></joint>"
        "<joint name='pitch' type='continuous'><parent link='cross'/><child link='rod'/><axis xyz='0 1 0'/></joint>"
        "<link name='rod'><inertial><origin xyz='0 0 -0.5'/><mass value='1'/>"
        "<inertia ixx='0.0833583' iyy='0.0833583' izz='5e-5' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";
    FILE *f = fopen(path, "wb");
    slip_world *w;

    TEST_ASSERT_MESSAGE(f != NULL, "cannot write below build/");
    fputs(rod, f);
    fclose(f);
    w = aid_start(aid_read("<scene><robot file='../build/test_physics.tmp.urdf' base='fixed'/></scene>"));
    remove(path);
    slip_world_tau(w)[aid_iv(w, "yaw")] = SLIP_R(1e-3);
    aid_steps(w, 100);
    check((double)SLIP_TOL(1e-9, 1e-3), 2, (double)slip_world_v(w)[aid_iv(w, "yaw")], "rate after 0.1 s");
}

/* What the solver, limits and loops remember is state as well: a step that fails has not happened. */
static void test_a_failed_step_leaves_the_snapshot_as_it_was(void)
{
    static const char *const scenes[] = { "models/four_bar.xml", "models/cassie_drop.xml", "models/cube_slide.xml" };

    for (int k = 0; k < 3; ++k) {
        slip_world *w;
        unsigned char *before, *after;
        size_t bytes;

        aid_forget();
        w = aid_start(aid_open(scenes[k]));
        aid_steps(w, 400);
        bytes = slip_snapshot_bytes(w);
        before = (unsigned char *)malloc(bytes);
        after = (unsigned char *)malloc(bytes);
        TEST_ASSERT(before && after);
        for (int i = 0; i < slip_world_model(w)->nv; ++i) slip_world_tau(w)[i] = SLIP_R(1e18);
        slip_snapshot_save(w, before);
        TEST_ASSERT(slip_step(w) < 0);
        slip_snapshot_save(w, after);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(before, after, bytes, scenes[k]);
        free(before);
        free(after);
    }
}

/* Points of turning links do not go straight. Without the arcs of the rows: 0.3 and 0.09 mm. */
static void test_links_that_turn_fast_do_not_sink_in(void)
{
    int i;

    for (i = 0; i < 3; ++i) {
        TEST_ASSERT_MESSAGE(fall("models/bench/humanoid_prone_arm.xml", i, 700) < 0.2, "humanoid");
        TEST_ASSERT_MESSAGE(fall("models/bench/quad_drop.xml", i, 700) < 0.07, "quadruped");
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_limp_humanoid_falls_through_gimbal_lock_without_gaining_energy);
    RUN_TEST(test_a_robot_may_start_in_gimbal_lock);
    RUN_TEST(test_a_rod_on_a_massless_cross_spins_with_its_own_inertia);
    RUN_TEST(test_a_failed_step_leaves_the_snapshot_as_it_was);
    RUN_TEST(test_links_that_turn_fast_do_not_sink_in);
    RUN_TEST(test_a_pinched_capsule_does_not_creep_in_ten_seconds_and_soft_models_do);
    RUN_TEST(test_a_cube_pressed_on_a_wall_hangs_there);
    RUN_TEST(test_an_incline_holds_at_099_and_lets_go_at_101_of_the_friction_angle);
    RUN_TEST(test_the_stopping_distance_converges_to_coulombs_as_dt_vanishes);
    RUN_TEST(test_slide_stops_within_a_millionth_in_any_direction);
    RUN_TEST(test_contacts_carry_the_weight_of_every_shape_at_any_dt);
    RUN_TEST(test_shapes_come_to_rest_on_bumps);
    RUN_TEST(test_mass_ratios_up_to_a_thousand_stack_without_overlap);
    RUN_TEST(test_a_stack_of_twenty_boxes_stands_for_a_minute);
    RUN_TEST(test_flush_boxes_are_not_ejected);
    RUN_TEST(test_an_overlap_of_the_start_makes_no_hop);
    RUN_TEST(test_a_wall_of_overlapping_cubes_settles_where_it_is);
    RUN_TEST(test_a_wall_of_equal_cubes_stands_still_in_either_precision);
    RUN_TEST(test_a_wall_without_a_ball_does_not_move);
    RUN_TEST(test_free_flight_keeps_energy_and_loses_it_by_eulers_order_and_no_momentum);
    RUN_TEST(test_a_torque_free_top_obeys_euler_to_second_order);
    RUN_TEST(test_redundant_loops_stay_finite_and_hold);
    RUN_TEST(test_loops_of_three_five_and_six_rows_leave_the_freedoms_they_should);
    RUN_TEST(test_a_loop_closed_while_apart_is_drawn_together_slowly);
    RUN_TEST(test_the_standing_quadruped_of_the_bench_comes_to_rest);
    RUN_TEST(test_a_quadruped_on_firmer_drives_is_at_rest_sooner);
    RUN_TEST(test_the_quadruped_is_stable_at_twenty_milliseconds);
    RUN_TEST(test_what_approaches_slower_than_the_rest_speed_does_not_bounce);
    RUN_TEST(test_a_compliant_surface_yields_in_proportion_to_the_force);
    RUN_TEST(test_a_damped_surface_does_not_push_before_it_is_touched);
    RUN_TEST(test_tangents_that_only_damp_creep_in_proportion_to_the_force);
    RUN_TEST(test_a_spring_along_the_surface_yields_and_comes_back);
    RUN_TEST(test_a_stretched_surface_slides_by_coulombs_law);
    RUN_TEST(test_the_stretch_turns_with_the_bodies);
    RUN_TEST(test_the_stretch_keeps_its_length_when_the_pair_is_turned);
    RUN_TEST(test_the_stretch_is_part_of_a_snapshot);
    RUN_TEST(test_feet_that_carry_a_swinging_robot_sink_only_when_positions_are_not_corrected);
    RUN_TEST(test_an_external_wrench_moves_and_turns_a_body_as_newton_says);
    RUN_TEST(test_time_goes_on_smoothly_when_dt_changes);
    RUN_TEST(test_a_snapshot_in_mid_contact_continues_bit_for_bit_in_a_fresh_world);
    RUN_TEST(test_a_robots_snapshot_continues_bit_for_bit_in_a_fresh_world);
    RUN_TEST(test_two_runs_of_a_busy_scene_give_the_same_bits);
    RUN_TEST(test_contacts_are_read_one_by_one_by_link_and_by_pair);
    RUN_TEST(test_contact_states_tell_sticking_slipping_and_open);
    RUN_TEST(test_contacts_found_anew_keep_their_own_states);
    RUN_TEST(test_an_imu_reads_what_it_should);
    RUN_TEST(test_links_that_do_not_exist_read_as_the_world);
    RUN_TEST(test_an_imu_off_centre_feels_the_centripetal_acceleration);
    RUN_TEST(test_foot_forces_of_a_standing_quadruped_carry_it);
    RUN_TEST(test_energies_add_up_when_a_cube_slides_to_rest);
    return UNITY_END();
}
