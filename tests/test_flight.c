/* Bodies that float alone, their centre of mass at the origin or not: what flight keeps, how they rest, slide and roll,
 * and what sensors on them read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "scene_aid.h"
#include "world_aid.h"

#define G 9.81
#define FLOATS (sizeof(slip_real) == 4)

void setUp(void) { aid_forget(); }
void tearDown(void) { }

static void check(double tolerance, double expected, double actual, const char *what)
{
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tolerance, expected, actual, what);
}

#define HAMMER "<collision><geometry><box size='0.3 0.03 0.03'/></geometry></collision>" \
               "<collision><origin xyz='0.15 0 0'/><geometry><box size='0.05 0.05 0.1'/></geometry></collision>"
#define TOP(at) "<inertial><origin xyz='" at "'/><mass value='1'/><inertia ixx='0.004' iyy='0.008' izz='0.011' " \
                "ixy='0.001' ixz='0' iyz='0'/></inertial>"

/* ---- flight ---------------------------------------------------------------------------------------------- */

static slip_world *flying_by(slip_integrator integrator, const char *body, double dt)
{
    char text[1000];
    slip_scene *s;

    snprintf(text, sizeof text, "<scene><simulation gravity='0 0 0'/><body name='it' velocity='1 2 -1' "
             "angular='3 10 2'>%s</body></scene>", body);
    s = aid_read(text);
    s->world.options.dt = (slip_real)dt;
    s->world.options.integrator = integrator;
    return aid_start(s);
}

static slip_world *flying(const char *body, double dt) { return flying_by(SLIP_MIDPOINT, body, dt); }

/* n steps: momentum and energy stay, to rounding. */
static void keeps_for(slip_world *w, int n, double tolerance, const char *what)
{
    slip_real p[6], now[6];
    double start, most = 0, size = 0;

    start = aid_energy_of(w);
    slip_momentum(slip_world_model(w), slip_world_data(w), p);
    for (int i = 0; i < 6; ++i) size = fmax(size, fabs((double)p[i]));
    for (int k = 0; k < n; ++k) {
        aid_steps(w, 1);
        if (k%10 == 0 || k == n - 1) most = fmax(most, fabs(aid_energy_of(w)/start - 1));
    }
    slip_momentum(slip_world_model(w), slip_world_data(w), now);
    for (int i = 0; i < 6; ++i) check(tolerance*size, (double)p[i], (double)now[i], what);
    check(tolerance, 0, most, what);
}

/* For ten seconds at 1 and at 10 ms, at 0.01 and 0.1 rad a step, by both integrators, whose flight is the same. */
static void keeps(const char *body, const char *what)
{
    for (int k = 0; k < 4; ++k) {
        const double dt = k/2 ? 1e-3 : 1e-2;

        keeps_for(flying_by(k%2 ? SLIP_EULER : SLIP_MIDPOINT, body, dt), (int)(10/dt + 0.5),
                  (double)SLIP_TOL(1e-11, 1e-3), what);
        aid_forget();
    }
}

static void test_flight_keeps_momentum_and_energy_wherever_the_origin_is(void)
{
    keeps(TOP("0 0 0"), "about its origin");
    keeps(TOP("0.1 0 0"), "0.1 m off");
    keeps(TOP("-0.3 0.5 1"), "1.2 m off");
    keeps(HAMMER, "hammer");
}

/* A thousand seconds at 0.1 rad a step: errors do not add up but by rounding. */
static void test_a_tumbling_body_keeps_its_energy_over_a_hundred_thousand_steps(void)
{
    slip_world *w = flying(TOP("0 0 0"), 1e-2);

    check(0.02, 0.1063, 1e-2*(double)slip_norm3(slip_world_v(w) + 3), "0.1 rad a step");
    keeps_for(w, 100000, (double)SLIP_TOL(1e-11, 1e-2), "energy and momentum");
}

/* n steps, the velocity turned around, n steps: back where it came from, with the opposite velocity. */
static void comes_back(slip_world *w, int n, double tolerance, const char *what)
{
    const slip_model *m = slip_world_model(w);
    slip_real q[64], v[64];
    double far = 0;

    TEST_ASSERT(m->nq <= 64 && m->nv <= 64);
    memcpy(q, slip_world_q(w), (size_t)m->nq*sizeof *q);
    memcpy(v, slip_world_v(w), (size_t)m->nv*sizeof *v);
    aid_steps(w, n);
    TEST_ASSERT_EQUAL_INT(0, slip_contact_count(w));
    for (int i = 0; i < m->nq; ++i) far = fmax(far, fabs((double)(slip_world_q(w)[i] - q[i])));
    TEST_ASSERT_MESSAGE(far > 0.3, what);
    for (int i = 0; i < m->nv; ++i) slip_world_v(w)[i] *= -1;
    aid_steps(w, n);
    TEST_ASSERT_EQUAL_INT(0, slip_contact_count(w));
    for (int i = 0; i < m->nq; ++i) check(tolerance, (double)q[i], (double)slip_world_q(w)[i], what);
    for (int i = 0; i < m->nv; ++i) check(30*tolerance, -(double)v[i], (double)slip_world_v(w)[i], what);
}

/* The step is the same forwards and backwards in time. A quaternion comes back with its sign. */
static void test_a_free_body_turned_around_comes_back(void)
{
    comes_back(flying(TOP("0 0 0"), 1e-2), 1000, (double)SLIP_TOL(1e-9, 1e-2), "top");
    aid_forget();
    comes_back(flying(TOP("0.2 -0.1 0.3"), 1e-3), 1000, (double)SLIP_TOL(1e-9, 1e-2), "top off its centre");
    aid_forget();
    comes_back(aid_start(aid_read("<scene><body name='it' velocity='1 2 3' angular='4 -5 6'><origin xyz='0 0 9'/>"
                                  HAMMER "</body></scene>")), 1000, (double)SLIP_TOL(1e-9, 1e-2), "it falls");
}

static const char *const whirl = "<scene><simulation self='false' ring='0' gravity='0 0 -9.81'/>"
                                 "<robot file='quadruped.urdf'><origin xyz='0 0 50'/></robot></scene>";

/* A quadruped in the air whose legs swing; no limit is near, and nothing in its joints is lost. */
static slip_world *whirling_by(slip_integrator integrator, double dt, double speed)
{
    slip_scene *s = aid_read(whirl);
    slip_world *w;
    slip_random rng = slip_random_seed(5);

    s->world.options.integrator = integrator;
    s->world.options.dt = (slip_real)dt;
    w = aid_start(s);

    for (int i = 0; i < slip_world_model(w)->nv; ++i) {
        TEST_ASSERT(slip_world_model(w)->damping[i] == 0 && slip_world_model(w)->friction[i] == 0);
        slip_world_v(w)[i] = (slip_real)speed*slip_random_uniform(&rng, -1, 1);
    }
    return w;
}

static slip_world *whirling(double speed) { return whirling_by(SLIP_MIDPOINT, 1e-3, speed); }

/* Energy and the place of a leg after 0.2 s, at dt and at its half and quarter: of which order are their errors? */
static void has_order(slip_integrator integrator, double factor, double most)
{
    double energy[3], place[3];

    if (FLOATS) return;
    for (int k = 0; k < 3; ++k) {
        const double dt = 2e-3/(1 << k);
        slip_world *w;
        double before;

        aid_forget();
        w = whirling_by(integrator, dt, 3);
        before = aid_energy_of(w);
        aid_steps(w, (int)(0.2/dt + 0.5));
        energy[k] = aid_energy_of(w) - before;
        place[k] = (double)slip_world_q(w)[7];
    }
    check(most, 0, energy[0], "energy");
    check(0.02*fabs(energy[0]), energy[0]/factor, energy[1], "energy at half the step");
    check(0.02*fabs(energy[1]), energy[1]/factor, energy[2], "energy at a quarter");
    check(0.05*fabs(place[1] - place[0]), (place[1] - place[0])/factor, place[2] - place[1], "place");
}

static void test_a_trees_motion_is_of_second_order_and_of_first_with_euler(void)
{
    has_order(SLIP_MIDPOINT, 4, 1e-4);
    has_order(SLIP_EULER, 2, 1);
}

/* The mean velocity of a tree is iterated to 1e-9 of the velocity in a step, not to rounding: 400 steps at 3 rad/s add up
 * to 1e-6 rad/s if all errors had one sign, and to 1e-8 if not. */
static void test_a_tree_turned_around_comes_back(void)
{
    slip_world *w = whirling(3);

    comes_back(w, 200, (double)SLIP_TOL(1e-8, 1e-2), "quadruped");
}

/* The velocity's changes in the last steps, with which the mean velocity's iteration begins, are part of the state. */
static void test_a_fast_trees_snapshot_continues_bit_for_bit(void)
{
    slip_world *w = whirling(15);
    const size_t bytes = slip_snapshot_bytes(w);
    unsigned char *saved = (unsigned char *)malloc(3*bytes);

    aid_steps(w, 37);
    slip_snapshot_save(w, saved);
    aid_steps(w, 100);
    slip_snapshot_save(w, saved + bytes);
    aid_forget();
    w = whirling(1);
    aid_steps(w, 3);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, saved, slip_snapshot_bytes(w)));
    aid_steps(w, 100);
    slip_snapshot_save(w, saved + 2*bytes);
    TEST_ASSERT_EQUAL_MEMORY(saved + bytes, saved + 2*bytes, bytes);
    free(saved);
}

/* Where the centre of mass of the world's only body is. */
static void centre_of(slip_world *w, slip_real c[3])
{
    const slip_model *m = slip_world_model(w);
    slip_real R[9];

    slip_scale3(1/m->inertia[10], m->inertia + 11, c);
    slip_quat_to_mat3(slip_world_q(w) + 3, R);
    slip_mat3_vec(R, c, c);
    slip_add3(slip_world_q(w), c, c);
}

/* c + v t - fall along z, after a second. */
static void centre_falls(slip_integrator integrator, double fall)
{
    slip_scene *s = aid_read("<scene><body name='it' velocity='1 2 3' angular='4 -5 6'>"
                             "<origin xyz='0 0 9' rpy='1 2 3'/>" TOP("0.2 -0.1 0.3") "</body></scene>");
    slip_real from[3], to[3], h[6];
    slip_world *w;

    s->world.options.integrator = integrator;
    w = aid_start(s);
    slip_world_update(w);
    slip_momentum(slip_world_model(w), slip_world_data(w), h);           /* 1 kg: the velocity of the centre */
    centre_of(w, from);
    aid_steps(w, 1000);
    centre_of(w, to);
    for (int i = 0; i < 3; ++i)
        check((double)SLIP_TOL(1e-11, 2e-3), (double)(from[i] + h[i]) - (i == 2 ? fall : 0), (double)to[i], "parabola");
}

static void test_the_centre_of_mass_follows_its_parabola_exactly(void)
{
    centre_falls(SLIP_MIDPOINT, G/2);
    centre_falls(SLIP_EULER, G*1e-6*1000*1001/2);
}

/* The same body told with another origin flies the same way. */
static void test_the_origin_of_a_body_is_a_matter_of_words(void)
{
    static const char *const at[2] = { TOP("0 0 0"), TOP("0.2 -0.1 0.3") };
    slip_real centre[2][3], turn[2][4], spin[2][3];

    for (int k = 0; k < 2; ++k) {
        slip_world *w = flying(at[k], 5e-3);
        slip_real *v = slip_world_v(w), c[3];
        const slip_model *m = slip_world_model(w);

        slip_scale3(1/m->inertia[10], m->inertia + 11, c);
        slip_sub3(slip_world_q(w), c, slip_world_q(w));
        slip_cross3(c, v + 3, v);                                        /* the centre rests: v = -w x c */
        aid_steps(w, 400);
        centre_of(w, centre[k]);
        memcpy(turn[k], slip_world_q(w) + 3, sizeof turn[k]);
        memcpy(spin[k], v + 3, sizeof spin[k]);
    }
    for (int i = 0; i < 3; ++i)
        check((double)SLIP_TOL(1e-12, 1e-4), (double)centre[0][i], (double)centre[1][i], "centre");
    for (int i = 0; i < 4; ++i) check((double)SLIP_TOL(1e-10, 2e-3), (double)turn[0][i], (double)turn[1][i], "turn");
    for (int i = 0; i < 3; ++i) check((double)SLIP_TOL(1e-9, 2e-2), (double)spin[0][i], (double)spin[1][i], "spin");
}

static aid_world flat;

/* A plate on a planar joint, its centre of mass at (0.3, -0.2), that spins and drifts. */
static void plate(void)
{
    aid_begin(&flat, 0);
    slip_zero3(flat.def.gravity);
    aid_add(&flat, slip_shape_box(SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.1)), 2);
    slip_set3(SLIP_R(0.3), SLIP_R(-0.2), SLIP_R(0.1), flat.links[0].com);
    flat.joints[0].type = SLIP_JOINT_PLANAR;
    slip_set3(0, 0, 1, flat.joints[0].axis);
    slip_set3(0, 0, 5, flat.joints[0].origin.p);
    aid_build(&flat);
    slip_set3(1, -2, 7, slip_world_v(flat.world));
}

static void test_a_plate_in_a_plane_keeps_its_momentum_and_energy_too(void)
{
    slip_real p[6], now[6], kinetic, end, u;

    plate();
    slip_world_options_of(flat.world)->dt = SLIP_R(1e-2);
    slip_world_energy(flat.world, &kinetic, &u);
    slip_momentum(flat.model, slip_world_data(flat.world), p);
    for (int k = 0; k < 1000; ++k) TEST_ASSERT(slip_step(flat.world) >= 0);
    slip_world_energy(flat.world, &end, &u);
    slip_momentum(flat.model, slip_world_data(flat.world), now);
    check((double)SLIP_TOL(1e-10, 1e-2), (double)kinetic, (double)end, "energy");
    check((double)SLIP_TOL(1e-10, 1e-2), (double)p[0], (double)now[0], "momentum along x");
    check((double)SLIP_TOL(1e-10, 1e-2), (double)p[1], (double)now[1], "momentum along y");
    check((double)SLIP_TOL(1e-9, 1e-1), (double)p[5], (double)now[5], "angular momentum");
}

/* ---- on the ground --------------------------------------------------------------------------------------- */

static void test_a_hammer_rests_on_its_head_and_its_end_and_the_ground_carries_it(void)
{
    slip_world *w = aid_start(aid_read("<scene><ground/><body name='it'><origin xyz='0 0 0.06' rpy='0 -0.1 0'/>" HAMMER
                                       "</body></scene>"));
    const double mg = G*(double)slip_world_model(w)->inertia[10];
    slip_real f[6], v[6], early = 0, late = 0;

    aid_steps(w, 1500);
    for (int k = 0; k < 3000; ++k) {
        aid_steps(w, 1);
        if (k < 1000) early = slip_max(early, slip_world_stats(w)->penetration);
        else late = slip_max(late, slip_world_stats(w)->penetration);
    }
    slip_link_contact_wrench(w, 0, NULL, f);
    check((double)SLIP_TOL(1e-6, 1e-3)*mg, mg, (double)f[2], "weight");
    check((double)SLIP_TOL(1e-6, 1e-3)*mg, 0, hypot((double)f[0], (double)f[1]), "sideways");
    memcpy(v, slip_world_v(w), sizeof v);
    for (int i = 0; i < 6; ++i) check((double)SLIP_TOL(1e-6, 1e-3), 0, (double)v[i], "it rests");
    check((double)SLIP_TOL(1e-8, 2e-6), (double)early, (double)late, "overlap does not grow");
    check((double)SLIP_TOL(1e-7, 1e-5), 0, (double)late, "overlap");
}

/* A box whose centre of mass is low and behind: it slides v^2/(2 mu g), and at most mu g dt^2/8 = 5e-7 m further; the
 * solver leaves its 1e-6. */
static void test_a_lopsided_box_slides_as_far_as_coulomb_says(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><surface name='default' friction='0.4'/><ground/><body name='it' velocity='2 0 0'>"
        "<origin xyz='0 0 0.1'/><inertial><origin xyz='-0.04 0 -0.05'/><mass value='1'/>"
        "<inertia ixx='0.004' iyy='0.004' izz='0.004'/></inertial>"
        "<geometry><box size='0.2 0.2 0.2'/></geometry></body></scene>"));

    aid_steps(w, 1000);
    check((double)SLIP_TOL(3e-6, 1.5e-3), 4/(2*0.4*G), (double)slip_world_q(w)[0], "way");
    check((double)SLIP_TOL(1e-7, 1e-5), 0.1, (double)slip_world_q(w)[2], "height");
}

/* A ball with a heavy side rolls unevenly and loses nothing. */
static void test_a_ball_with_a_heavy_side_rolls_on_without_loss_gain_or_overlap(void)
{
    for (int fine = 0; fine < 2; ++fine) {
        slip_scene *s = aid_read("<scene><ground/><body name='it' velocity='0.5 0 0' angular='0 5 0'>"
            "<origin xyz='0 0 0.1'/><inertial><origin xyz='0.03 0 0.02'/><mass value='1'/>"
            "<inertia ixx='0.004' iyy='0.004' izz='0.004'/></inertial>"
            "<geometry><sphere radius='0.1'/></geometry></body></scene>");
        slip_world *w;
        double start, least, most;

        s->world.options.dt = fine ? SLIP_R(1e-3) : SLIP_R(5e-3);
        w = aid_start(s);
        start = least = most = aid_energy_of(w);
        for (int k = 0; k < (fine ? 30000 : 6000); ++k) {                /* half a minute, twenty turns */
            double e;

            aid_steps(w, 1);
            e = aid_energy_of(w);
            least = fmin(least, e);
            most = fmax(most, e);
            TEST_ASSERT((double)slip_world_stats(w)->penetration < (fine ? (double)SLIP_TOL(2e-6, 1e-5) : 3e-4));
        }
        TEST_ASSERT((double)slip_world_q(w)[0] > 15);
        check((fine ? (double)SLIP_TOL(1e-4, 2e-2) : 2e-3)*start, start, least, "no loss");
        check((double)SLIP_TOL(1e-4, 2e-2)*start, start, most, "no gain");
    }
}

static void test_a_tumbling_hammers_snapshot_continues_bit_for_bit(void)
{
    static const char text[] = "<scene><ground/><body name='it' velocity='1 0 0' angular='2 9 1'>"
                               "<origin xyz='0 0 0.3'/>" HAMMER "</body></scene>";
    slip_world *w = aid_start(aid_read(text));
    const size_t bytes = slip_snapshot_bytes(w);
    unsigned char *saved = (unsigned char *)malloc(3*bytes);

    aid_steps(w, 250);
    slip_snapshot_save(w, saved);
    aid_steps(w, 1000);
    slip_snapshot_save(w, saved + bytes);
    w = aid_start(aid_read(text));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_snapshot_restore(w, saved, slip_snapshot_bytes(w)));
    aid_steps(w, 1000);
    slip_snapshot_save(w, saved + 2*bytes);
    TEST_ASSERT_EQUAL_MEMORY(saved + bytes, saved + 2*bytes, bytes);
    free(saved);
}

/* ---- accelerations --------------------------------------------------------------------------------------- */

/* How far what slip_link_acceleration() reads of a step is from the change of the link's velocity, at most in 50 ms. */
static double misread(slip_world *w)
{
    const slip_model *m = slip_world_model(w);
    const double dt = (double)slip_world_options_of(w)->dt;
    const int last = m->nlinks - 1;
    slip_real before[6], after[6], a[6];
    double most = 0;

    for (int k = 0; k*dt < 0.0499; ++k) {
        slip_world_update(w);
        slip_link_velocity(m, slip_world_data(w), last, before);
        TEST_ASSERT(slip_step(w) >= 0);
        slip_link_acceleration(w, last, a);
        slip_world_update(w);
        slip_link_velocity(m, slip_world_data(w), last, after);
        for (int i = 0; i < 6; ++i) most = fmax(most, fabs((double)(after[i] - before[i])/dt - (double)a[i]));
    }
    return most;
}

static slip_world *accelerated(int what, slip_integrator integrator, double dt)
{
    slip_scene *s;

    aid_forget();
    switch (what) {
    case 0: return flying_by(integrator, TOP("0 0 0"), dt);
    case 1: return flying_by(integrator, TOP("0.1 0.2 0"), dt);
    case 2: return flying_by(integrator, HAMMER, dt);
    case 3:
        plate();
        slip_world_options_of(flat.world)->dt = (slip_real)dt;
        slip_world_options_of(flat.world)->integrator = integrator;
        return flat.world;
    default:
        s = aid_read(what == 4 ? "<scene><ground/><body name='it' angular='1 3 0'><origin xyz='0 0 0.3'/>" HAMMER
                                 "</body></scene>"
                   : what == 5 ? "<scene><body name='it' angular='1 3 0'>" TOP("0.1 0.2 0") "</body><events>"
                                 "<push link='it' from='0' force='1 2 3' at='0.1 0 0.2'/></events></scene>"
                   : what == 6 ? "<scene><robot file='double_pendulum.urdf' base='fixed'><joint joint='*' "
                                 "velocity='3'/></robot></scene>"
                               : "<scene><robot file='quadruped.urdf'><origin xyz='0 0 9'/><joint joint='*' "
                                 "velocity='3'/></robot></scene>");
        s->world.options.dt = (slip_real)dt;
        s->world.options.integrator = integrator;
        return aid_start(s);
    }
}

/* They are those of the step's middle: the mean over the step to second order. With semi-implicit Euler they are those
 * of its start, to first order. Rounding of a difference of velocities, over dt: 1e-15 m/s/0.5 ms. */
static void test_accelerations_are_the_changes_of_velocities(void)
{
    static const char *const name[] = { "top", "top off its centre", "hammer", "plate", "it falls",
                                        "it is pushed", "pendulum", "quadruped" };

    for (int k = 0; k < 8; ++k) {
        const double one = misread(accelerated(k, SLIP_MIDPOINT, 1e-3));
        const double half = misread(accelerated(k, SLIP_MIDPOINT, 5e-4));
        const double one_euler = misread(accelerated(k, SLIP_EULER, 1e-3));
        const double half_euler = misread(accelerated(k, SLIP_EULER, 5e-4));

        check(k < 5 ? (double)SLIP_TOL(1e-3, 0.1) : (double)SLIP_TOL(1e-2, 0.5), 0, one, name[k]);
        if (FLOATS) continue;
        check(0.01*one + 2e-10, one/4, half, name[k]);
        check(0.02*one_euler + 2e-10, one_euler/2, half_euler, name[k]);
    }
}

/* A torque-free top: alpha = -I^-1 w x I w, to first order in dt; its origin, c off, accelerates by that, too. */
static void test_a_tumbling_body_feels_what_euler_says(void)
{
    slip_world *w = flying(TOP("0.1 0 0"), 1e-5);
    const slip_real *v = slip_world_v(w);
    slip_real a[6], alpha[3], arm[3] = { SLIP_R(-0.1), 0, 0 }, spin[3], t[3], u[3];
    const slip_real Ic[9] = { SLIP_R(0.004), SLIP_R(0.001), 0, SLIP_R(0.001), SLIP_R(0.008), 0, 0, 0, SLIP_R(0.011) };
    slip_real inverse[9], L[3];

    slip_copy3(v + 3, spin);
    aid_steps(w, 1);
    slip_link_acceleration(w, 0, a);
    slip_mat3_vec(Ic, spin, L);
    slip_cross3(L, spin, t);
    slip_mat3_inverse(Ic, inverse);
    slip_mat3_vec(inverse, t, alpha);
    slip_cross3(alpha, arm, t);
    slip_cross3(spin, arm, u);
    slip_cross3_add(spin, u, t);
    for (int i = 0; i < 3; ++i) check((double)SLIP_TOL(1e-2, 1), (double)alpha[i], (double)a[3 + i], "alpha");
    for (int i = 0; i < 3; ++i) check((double)SLIP_TOL(2e-3, 1), (double)t[i], (double)a[i], "origin");
}

static void test_an_imu_on_a_lopsided_body_reads_weight_at_rest_and_its_own_circle_when_falling(void)
{
    slip_world *w = aid_start(aid_read(
        "<scene><ground/><body name='rests'><origin xyz='0 0 0.1'/>"
        "<inertial><origin xyz='0.03 0 -0.05'/><mass value='1'/>"
        "<inertia ixx='0.004' iyy='0.004' izz='0.004'/></inertial><geometry><box size='0.2 0.2 0.2'/></geometry></body>"
        "<body name='falls' angular='0 0 6'><origin xyz='0 5 9' rpy='0 0 0.3'/><inertial><origin xyz='0.5 0 0'/>"
        "<mass value='1'/><inertia ixx='0.4' iyy='0.4' izz='0.5'/></inertial></body></scene>"));
    slip_real a[3], g[3];

    aid_steps(w, 300);
    slip_link_imu(w, aid_link(w, "rests"), a, g);
    check((double)SLIP_TOL(1e-5, 5e-2), G, (double)a[2], "at rest");
    check((double)SLIP_TOL(1e-5, 5e-2), 0, hypot((double)a[0], (double)a[1]), "at rest");
    slip_link_imu(w, aid_link(w, "falls"), a, g);
    check(18*0.01, 18, (double)a[0], "w^2 r towards the centre of mass");
    check(18*0.01, 0, (double)a[1], "and nowhere else");
    check((double)SLIP_TOL(1e-6, 5e-2), 0, (double)a[2], "nor along the axis");
}

/* Nothing touches the arm: three midpoint steps in one are of fourth order, so half the step leaves a sixteenth of the error.
 * A body on the ground takes the midpoint step. */
static void test_the_fourth_order_step_is_one_in_flight_and_midpoint_elsewhere(void)
{
    static const char cube[] = "<scene><ground/><body name='cube' velocity='1 0 0'><origin xyz='0 0 0.1'/><geometry>"
                               "<box size='0.2 0.2 0.2'/></geometry></body></scene>";
    slip_real end[2][7];
    double error[2];

    for (int k = 0; k < 2; ++k) {
        slip_scene *s = aid_open("models/order/arm.xml");
        slip_world *w;
        double start;

        s->world.options.integrator = SLIP_FOURTH;
        s->world.options.dt = (slip_real)(k ? 2e-3 : 4e-3);
        w = aid_start(s);
        start = aid_energy_of(w);
        aid_steps(w, k ? 1000 : 500);
        error[k] = fabs(aid_energy_of(w) - start)/start;
        aid_forget();
    }
    check((double)SLIP_TOL(3e-8, 1e-3), 0, error[0], "energy at 4 ms");      /* (8 rad/s 4 ms)^4 = 1e-6, and its constant */
    if (!FLOATS) check(error[0]/10, 0, error[1], "energy at 2 ms");
    for (int k = 0; k < 2; ++k) {
        slip_scene *s = aid_read(cube);
        slip_world *w;

        s->world.options.integrator = k ? SLIP_FOURTH : SLIP_MIDPOINT;
        w = aid_start(s);
        aid_steps(w, 100);
        memcpy(end[k], slip_world_q(w), sizeof end[k]);
        aid_forget();
    }
    TEST_ASSERT_EQUAL_MEMORY(end[0], end[1], sizeof end[0]);
}

/* A rod 500 times as long as thick: I_max/I_min = 1.7e5. A plain iteration for its spin diverged. */
static void test_a_slender_rod_keeps_its_energy(void)
{
    slip_world *w = aid_start(aid_read("<scene><simulation gravity='0 0 0'/><body name='rod' mass='1' angular='0 20 5'><origin "
                                       "rpy='0.3 0.2 0.1'/><geometry><box size='1 0.002 0.002'/></geometry></body></scene>"));
    const double start = aid_energy_of(w);

    aid_steps(w, 3000);
    check((double)SLIP_TOL(1e-9, 1e-2)*start, start, aid_energy_of(w), "energy");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_flight_keeps_momentum_and_energy_wherever_the_origin_is);
    RUN_TEST(test_a_tumbling_body_keeps_its_energy_over_a_hundred_thousand_steps);
    RUN_TEST(test_a_free_body_turned_around_comes_back);
    RUN_TEST(test_a_tree_turned_around_comes_back);
    RUN_TEST(test_a_trees_motion_is_of_second_order_and_of_first_with_euler);
    RUN_TEST(test_a_fast_trees_snapshot_continues_bit_for_bit);
    RUN_TEST(test_the_centre_of_mass_follows_its_parabola_exactly);
    RUN_TEST(test_the_origin_of_a_body_is_a_matter_of_words);
    RUN_TEST(test_a_plate_in_a_plane_keeps_its_momentum_and_energy_too);
    RUN_TEST(test_a_hammer_rests_on_its_head_and_its_end_and_the_ground_carries_it);
    RUN_TEST(test_a_lopsided_box_slides_as_far_as_coulomb_says);
    RUN_TEST(test_a_ball_with_a_heavy_side_rolls_on_without_loss_gain_or_overlap);
    RUN_TEST(test_a_tumbling_hammers_snapshot_continues_bit_for_bit);
    RUN_TEST(test_accelerations_are_the_changes_of_velocities);
    RUN_TEST(test_a_tumbling_body_feels_what_euler_says);
    RUN_TEST(test_an_imu_on_a_lopsided_body_reads_weight_at_rest_and_its_own_circle_when_falling);
    RUN_TEST(test_the_fourth_order_step_is_one_in_flight_and_midpoint_elsewhere);
    RUN_TEST(test_a_slender_rod_keeps_its_energy);
    return UNITY_END();
}
