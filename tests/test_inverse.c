/* slip_inverse_dynamics on whole worlds: it undoes the step, finds contacts by geometry, carries the weight of
 * robots. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "random_tree.h"
#include "world_aid.h"

enum { NV = 128, BLOCK = 1 << 26 };

static unsigned char *block, *scratch_block;
static slip_arena mem, scratch;
static slip_world *world;
static slip_real q[NV], v[NV], v_next[NV], q_next[NV], tau[NV], back[NV];
static aid_world aid;

void setUp(void)
{
    block = (unsigned char *)malloc(BLOCK);
    scratch_block = (unsigned char *)malloc(BLOCK);
    mem = slip_arena_over(block, BLOCK);
    scratch = slip_arena_over(scratch_block, BLOCK);
}

void tearDown(void)
{
    free(block);
    free(scratch_block);
}

/* The inverse that looks as closely as the step itself. */
static slip_inverse_options exact(void)
{
    slip_inverse_options o = slip_inverse_defaults();

    o.touch = 0;
    o.still = SLIP_TOL(1e-7, 1e-4);
    return o;
}

static void remember(slip_world *w)
{
    memcpy(q, slip_world_q(w), (size_t)slip_world_model(w)->nq*sizeof *q);
    memcpy(v, slip_world_v(w), (size_t)slip_world_model(w)->nv*sizeof *v);
    memcpy(tau, slip_world_tau(w), (size_t)slip_world_model(w)->nv*sizeof *tau);
}

static double difference(const slip_real *a, const slip_real *b, int n)
{
    double most = 0;

    for (int i = 0; i < n; ++i) most = fmax(most, fabs((double)(a[i] - b[i])));
    return most;
}

/* A step's velocity is found to 1e-9 of its size (float: 1e-6), since bias forces are at the mean of before and after, an
 * iteration that ends there: coordinate i of tau then is off by row i of M times that over dt. M of slip_world_data(). */
static double by_mean(slip_world *w, const slip_real *v_end, int i)
{
    const slip_branches *b = &slip_world_model(w)->branches;
    const slip_world_options *o = slip_world_options_of(w);
    double fast = 0, inertia = 0;

    if (o->integrator == SLIP_EULER) return 0;
    for (int k = 0; k < b->n; ++k) {
        const slip_real *row = slip_world_data(w)->M + b->row[k];

        fast = fmax(fast, fabs((double)v_end[k]));
        for (int e = 0; e <= b->depth[k]; ++e)
            if (k == i || b->path[b->row[k] + e] == i) inertia += fabs((double)row[e]);
    }
    return (double)SLIP_TOL(1e-9, 1e-6)*fast/(double)o->dt*inertia;
}

static void read_scene(const char *text)
{
    static slip_scene scene;
    slip_error err;

    slip_error_clear(&err);
    if (slip_scene_read(text, strlen(text), "models/test.xml", NULL, &mem, &scene, NULL, &err) < 0)
        TEST_FAIL_MESSAGE(err.what);
    if (slip_scene_start(&scene, &mem, &world, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
}

/* ---- without contacts: the step read backwards ------------------------------------------------------------------ */

static void test_a_step_of_any_tree_under_any_torques_is_explained_by_those_torques(void)
{
    slip_random rng = slip_random_seed(71);
    tree *t = (tree *)malloc(sizeof *t);

    for (int k = 0; k < 40; ++k) {
        const tree_options options = { 1 + k % 12, k % 2, k % 5 == 4, 1, 0 };
        slip_inverse_options o = exact();
        slip_inverse_result r;
        slip_world_def def;
        slip_error err;
        int nv;

        mem = slip_arena_over(block, BLOCK);
        tree_make(t, &options, &rng);
        memset(&def, 0, sizeof def);
        def.model = t->model;
        def.options = slip_world_defaults();
        def.options.max_contacts = 4;
        if (slip_world_create(&def, &mem, &world, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
        nv = t->model->nv;
        for (int n = 0; n < 5; ++n) {
            const int euler = n%2;

            slip_world_options_of(world)->integrator = euler ? SLIP_EULER : SLIP_MIDPOINT;
            slip_random_q(t->model, &rng, slip_world_q(world));
            tree_random_vector(&rng, nv, slip_world_v(world));
            tree_random_vector(&rng, nv, slip_world_tau(world));
            remember(world);
            TEST_ASSERT(slip_step(world) >= 0);
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(world, q, v, slip_world_v(world), &o, &scratch, back,
                                                                 &r));
            for (int i = 0; i < nv; ++i)
                TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-8, 2e-1) + by_mean(world, slip_world_v(world), i), tau[i],
                                          back[i]);
            if (!euler) continue;
            slip_velocity_between(world, q, slip_world_q(world), v_next);
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-2), 0, difference(v_next, slip_world_v(world), nv));
        }
    }
    free(t);
}

/* Makes all quaternions of x longer, or shorter. */
static void stretch(const slip_model *m, slip_real factor, slip_real *x)
{
    for (int b = 1; b < m->nbodies; ++b) {
        const int at = m->iq[b] + (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 0);

        if (m->type[b] != SLIP_JOINT_FLOATING && m->type[b] != SLIP_JOINT_BALL) continue;
        for (int i = 0; i < 4; ++i) x[at + i] *= factor;
    }
}

/* A ball joint and free bodies, off their centres, still and turning: the lengths of quaternions mean nothing. */
static void quaternions_of_any_length(slip_integrator integrator)
{
    static const slip_real factor[] = { SLIP_R(0.1), SLIP_R(0.999999), SLIP_R(1.7), 30 };
    slip_inverse_options o = exact();
    slip_random rng = slip_random_seed(3);
    const slip_model *m;

    read_scene("<scene><simulation self='false'/><robot file='cassie.urdf'/><body name='b'><origin xyz='3 0 0'/>"
               "<inertial><origin xyz='0.2 -0.1 0.3'/>"
               "<mass value='2'/><inertia ixx='1' iyy='2' izz='2.5'/></inertial></body></scene>");
    m = slip_world_model(world);
    TEST_ASSERT(m->nq <= NV);
    slip_world_options_of(world)->integrator = integrator;
    for (int n = 0; n < 4; ++n) {
        slip_random_q(m, &rng, slip_world_q(world));
        if (n > 0) tree_random_vector(&rng, m->nv, slip_world_v(world));
        remember(world);
        TEST_ASSERT(slip_step(world) >= 0);
        memcpy(q_next, slip_world_q(world), (size_t)m->nq*sizeof *q_next);
        TEST_ASSERT_EQUAL_INT(SLIP_OK,
                              slip_inverse_dynamics(world, q, v, slip_world_v(world), &o, &scratch, tau, NULL));
        stretch(m, factor[n], q);
        stretch(m, factor[3 - n], q_next);
        slip_velocity_between(world, q, q_next, v_next);
        if (integrator == SLIP_EULER)
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-8, 1e-2), 0, difference(v_next, slip_world_v(world), m->nv));
        TEST_ASSERT_EQUAL_INT(SLIP_OK,
                              slip_inverse_dynamics(world, q, v, slip_world_v(world), &o, &scratch, back, NULL));
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-7, 1), 0, difference(tau, back, m->nv));
    }
}

static void test_quaternions_of_any_length_are_read_as_the_step_reads_them(void)
{
    quaternions_of_any_length(SLIP_EULER);
    mem = slip_arena_over(block, BLOCK);
    quaternions_of_any_length(SLIP_MIDPOINT);
}

static void tumbling_needs_nothing(slip_integrator integrator, const slip_real com[3])
{
    slip_inverse_options o = exact();

    aid_begin(&aid, 1);
    aid_add(&aid, slip_shape_box(SLIP_R(0.1), SLIP_R(0.2), SLIP_R(0.3)), 2);
    slip_copy3(com, aid.links[0].com);
    aid_build(&aid);
    slip_world_options_of(aid.world)->integrator = integrator;
    aid_q(&aid, 0)[2] = 10;
    for (int i = 0; i < 6; ++i) aid_v(&aid, 0)[i] = (slip_real)(i - 2);
    for (int k = 0; k < 100; ++k) {
        remember(aid.world);
        slip_step(aid.world);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(aid.world, q, v, aid_v(&aid, 0), &o, &scratch, back,
                                                             NULL));
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 5e-2), 0, difference(back, tau, 6));
        if (integrator != SLIP_EULER) continue;
        slip_velocity_between(aid.world, q, aid_q(&aid, 0), v_next);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 5e-2), 0, difference(v_next, aid_v(&aid, 0), 6));
    }
}

static void test_a_tumbling_body_in_flight_needs_nothing(void)
{
    const slip_real centred[3] = { 0, 0, 0 }, off[3] = { SLIP_R(0.2), SLIP_R(-0.1), SLIP_R(0.3) };

    tumbling_needs_nothing(SLIP_MIDPOINT, centred);
    tumbling_needs_nothing(SLIP_MIDPOINT, off);
    tumbling_needs_nothing(SLIP_EULER, centred);
    tumbling_needs_nothing(SLIP_EULER, off);
}

static void test_damping_of_joints_and_external_wrenches_count(void)
{
    slip_inverse_options o = exact();
    slip_real *wrench;

    read_scene("<scene name='a'><simulation dt='0.002'/><robot file='double_pendulum.urdf' base='fixed'/></scene>");
    wrench = slip_world_wrench(world);
    for (int i = 6; i < 12; ++i) wrench[i] = (slip_real)(i - 8);
    slip_world_v(world)[0] = 1;
    slip_world_tau(world)[1] = SLIP_R(0.3);
    for (int k = 0; k < 20; ++k) {
        remember(world);
        slip_step(world);
        TEST_ASSERT(slip_inverse_dynamics(world, q, v, slip_world_v(world), &o, &scratch, back, NULL) >= 0);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-8, 1e-2), 0, difference(back, tau, slip_world_model(world)->nv));
    }
}

/* A joint that is held moves by rounding at most: no friction is read into that, in whichever direction. */
static void test_dry_friction_counts_only_where_a_joint_moves(void)
{
    slip_inverse_options o = slip_inverse_defaults();
    double friction;

    read_scene("<scene name='a'><simulation dt='0.002'/><robot file='double_pendulum.urdf' base='fixed'/></scene>");
    remember(world);
    friction = 0;
    for (int i = 0; i < slip_world_model(world)->nv; ++i)
        friction = fmax(friction, (double)slip_world_model(world)->friction[i]);
    TEST_ASSERT(friction > 0);
    memset(v, 0, sizeof v);
    TEST_ASSERT(slip_inverse_dynamics(world, q, v, v, &o, &scratch, tau, NULL) >= 0);
    for (int way = -1; way <= 1; way += 2) {
        for (int i = 0; i < slip_world_model(world)->nv; ++i) v[i] = (slip_real)way*SLIP_R(1e-9);
        TEST_ASSERT(slip_inverse_dynamics(world, q, v, v, &o, &scratch, back, NULL) >= 0);
        TEST_ASSERT_DOUBLE_WITHIN(0.01*friction, 0, difference(back, tau, slip_world_model(world)->nv));
        for (int i = 0; i < slip_world_model(world)->nv; ++i) v[i] = (slip_real)way*SLIP_R(0.01);
        TEST_ASSERT(slip_inverse_dynamics(world, q, v, v, &o, &scratch, back, NULL) >= 0);
        TEST_ASSERT(difference(back, tau, slip_world_model(world)->nv) > 0.9*friction);
    }
}

/* tau + J' f = RNEA, by other means than the code's: f from the contacts' own report, J' by the Jacobians of links. All of
 * it at the step's middle and at the mean velocity; with Euler at its start. The base rests, all other joints are hinges
 * and sliders. */
static void check_balance(const slip_real *t)
{
    const slip_model *m = slip_world_model(world);
    const slip_real dt = slip_world_options_of(world)->dt;
    const int euler = slip_world_options_of(world)->integrator == SLIP_EULER;
    slip_real a[NV], sum[NV], J[6*NV], f[3], x[3], r[3], middle[NV], mean[NV];
    slip_pose X;
    double most = 1;

    TEST_ASSERT_EQUAL_INT(1, m->nq - m->nv);
    memcpy(middle, q, sizeof middle);
    for (int i = 0; i < m->nv; ++i) {
        a[i] = (v_next[i] - v[i])/dt;
        mean[i] = euler ? v[i] : (v[i] + v_next[i])/2;
        if (i >= 6 && !euler) middle[i + 1] += dt/2*v[i];
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_rnea(m, slip_world_data(world), middle, mean, a, NULL, sum));
    for (int i = 0; i < m->nv; ++i) most = fmax(most, fabs((double)sum[i]));
    for (int k = 0; k < slip_contact_count(world); ++k) {
        const slip_contact_info c = slip_contact_get(world, k);

        TEST_ASSERT(slip_cone_distance(c.mu, c.impulse) <= SLIP_TOL(1e-9, 1e-5)*(1 + slip_norm3(c.impulse)));
        slip_mat3_tvec(c.frame, c.impulse, f);
        slip_scale3(1/slip_world_options_of(world)->dt, f, f);
        for (int side = 0; side < 2; ++side) {
            const int link = side ? c.link_b : c.link_a;

            if (link < 0 || m->link_body[link] == 0) continue;
            slip_link_jacobian(m, slip_world_data(world), link, SLIP_FRAME_ALIGNED, J);
            slip_link_pose(m, slip_world_data(world), link, &X);
            slip_sub3(c.point, X.p, r);
            slip_cross3(r, f, x);
            for (int i = 0; i < m->nv; ++i) {
                slip_real work = 0;

                for (int n = 0; n < 3; ++n) work += J[n*m->nv + i]*f[n] + J[(3 + n)*m->nv + i]*x[n];
                sum[i] -= side ? work : -work;
                most = fmax(most, fabs((double)work));
            }
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-10, 1e-4)*most, 0, difference(sum, t, m->nv));
}

/* ---- contacts --------------------------------------------------------------------------------------------------- */

/* A soft ball that slides, or creeps on a tangent that only damps: its force is a function of its state, so nothing is
 * left to choose. */
static void soft_ball(slip_real tangent_damping, int slips)
{
    slip_inverse_options o = exact();
    slip_real forward[3];

    o.redistribute = 0;
    aid_begin(&aid, SLIP_R(0.3));
    aid.materials[0].stiffness = 5000;
    aid.materials[0].damping = 50;
    aid.materials[0].tangent_damping = tangent_damping;
    aid_add(&aid, slip_shape_sphere(SLIP_R(0.1)), 1);
    aid_build(&aid);
    aid_q(&aid, 0)[2] = SLIP_R(0.099);
    aid_v(&aid, 0)[0] = 3;
    for (int k = 0; k < 100; ++k) {
        slip_inverse_result r;

        remember(aid.world);
        TEST_ASSERT(slip_step(aid.world) >= 0);
        TEST_ASSERT_EQUAL_INT(1, slip_contact_count(aid.world));
        slip_copy3(slip_contact_get(aid.world, 0).impulse, forward);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(aid.world, q, v, aid_v(&aid, 0), &o, &scratch, back, &r));
        if (slips) TEST_ASSERT_EQUAL_INT(1, r.slip);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-3, 1.0), 0, r.unactuated);        /* solver's 1e-6 over dt */
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-3), 0,
                                  difference(forward, slip_contact_get(aid.world, 0).impulse, 3));
    }
}

static void test_a_soft_sliding_ball_needs_nothing_and_its_forces_are_those_of_the_step(void) { soft_ball(0, 1); }

static void test_a_ball_that_creeps_needs_nothing_either(void)
{
    soft_ball(SLIP_R(0.2), 0);
    TEST_ASSERT_EQUAL_INT(SLIP_CONTACT_STICK, slip_contact_get(aid.world, 0).state);   /* within its cone */
}

/* A rigid box slides: a ray per corner is open to choice, and the choice removes all of the residual. */
static void test_redistribution_finds_the_forces_of_a_sliding_and_of_a_resting_box(void)
{
    aid_begin(&aid, SLIP_R(0.3));
    aid_add(&aid, slip_shape_box(SLIP_R(0.2), SLIP_R(0.2), SLIP_R(0.1)), 2);
    aid_build(&aid);
    aid_q(&aid, 0)[2] = SLIP_R(0.1);
    aid_v(&aid, 0)[0] = SLIP_R(0.5);
    for (int k = 0; k < 400; ++k) {
        slip_inverse_options o = exact();
        slip_inverse_result r;
        slip_real n = 0;

        remember(aid.world);
        TEST_ASSERT(slip_step(aid.world) >= 0);
        if (k % 10) continue;
        o.still = SLIP_TOL(1e-5, 3e-2);                             /* in float it rattles a little */
        o.touch = SLIP_TOL(0, 1e-4);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(aid.world, q, v, aid_v(&aid, 0), &o, &scratch, back, &r));
        TEST_ASSERT_EQUAL_INT(4, r.contacts);
        TEST_ASSERT(r.unactuated_before > SLIP_TOL(19, -1));                      /* the weight, 19.6 N, and friction */
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(2e-2, 1.0), 0, r.unactuated);
        for (int i = 0; i < 4; ++i) n += slip_contact_get(aid.world, i).force_n;
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(2e-2, 20.0), 2*9.81, n);
    }
}

static void test_in_flight_the_weight_stays_on_the_base_and_is_reported(void)
{
    slip_inverse_options o = slip_inverse_defaults();
    slip_inverse_result r;

    aid_begin(&aid, 1);
    aid_add(&aid, slip_shape_sphere(SLIP_R(0.1)), 3);
    aid_build(&aid);
    aid_q(&aid, 0)[2] = 5;
    remember(aid.world);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(aid.world, q, v, v, &o, &scratch, back, &r));   /* hovers */
    TEST_ASSERT_EQUAL_INT(0, r.contacts);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-3), 3*9.81, back[2]);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-3), 3*9.81, r.unactuated);
}

/* Friction can hold a box on a slope only up to its angle; what is beyond stays as a residual. */
static void test_redistribution_removes_only_what_friction_can_give(void)
{
    for (int steep = 0; steep < 2; ++steep) {
        const double angle = steep ? 0.5 : 0.2, mu = 0.4, m = 2, g = 9.81;      /* tan 0.5 > 0.4 > tan 0.2 */
        slip_inverse_options o = slip_inverse_defaults();
        slip_inverse_result r;

        aid_begin(&aid, (slip_real)mu);
        slip_set3((slip_real)(g*sin(angle)), 0, (slip_real)(-g*cos(angle)), aid.def.gravity);
        aid_add(&aid, slip_shape_box(SLIP_R(0.2), SLIP_R(0.2), SLIP_R(0.05)), (slip_real)m);
        aid_build(&aid);
        aid_q(&aid, 0)[2] = SLIP_R(0.05);
        remember(aid.world);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(aid.world, q, v, v, &o, &scratch, back, &r));
        TEST_ASSERT_EQUAL_INT(4, r.stick);
        if (!steep) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-5, 1e-1), 0, r.unactuated);
        else TEST_ASSERT(r.unactuated > 0.5 && r.unactuated < m*g);
    }
}

/* Under infinite friction a contact that moves by rounding sticks, even when nothing is snapped. */
static void test_infinite_friction_holds_what_moves_by_rounding(void)
{
    slip_inverse_options o = slip_inverse_defaults();
    slip_inverse_result r;

    o.still = o.touch = 0;
    aid_begin(&aid, (slip_real)INFINITY);
    aid_add(&aid, slip_shape_box(SLIP_R(0.2), SLIP_R(0.2), SLIP_R(0.1)), 2);
    aid_build(&aid);
    aid_q(&aid, 0)[2] = SLIP_R(0.1);
    remember(aid.world);
    memcpy(v_next, v, sizeof v);
    v_next[0] = SLIP_R(1e-9);
    TEST_ASSERT(slip_inverse_dynamics(aid.world, q, v, v_next, &o, &scratch, back, &r) >= 0);
    TEST_ASSERT(slip_all_finite(back, 6));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-5, 20), 0, r.unactuated);
}

static void test_a_motion_into_the_ground_is_reported_as_such(void)
{
    slip_inverse_options o = slip_inverse_defaults();
    slip_inverse_result r;

    aid_begin(&aid, 1);
    aid_add(&aid, slip_shape_sphere(SLIP_R(0.1)), 3);
    aid_build(&aid);
    aid_q(&aid, 0)[2] = SLIP_R(0.1);
    remember(aid.world);
    memcpy(v_next, v, sizeof v);
    v_next[2] = -5;                                             /* 5 mm deep after a step of 1 ms */
    TEST_ASSERT_EQUAL_INT(SLIP_DIVERGED, slip_inverse_dynamics(aid.world, q, v, v_next, &o, &scratch, back, &r));
    TEST_ASSERT_EQUAL_INT(1, r.diverged);
    TEST_ASSERT_EQUAL_INT(0, r.worst);
    TEST_ASSERT(slip_all_finite(back, 6) && slip_abs(back[2]) < 1e5);
}

/* ---- robots
 * -------------------------------------------------------------------------------------------------------- */

static const char quad_text[] =
    "<scene name='stand'><simulation dt='0.001' self='false'/><surface name='default' friction='0.8'/><ground/>"
    "<robot file='quadruped.urdf'><origin xyz='0 0 0.49679959'/>"
    "<joint joint='?f_hfe' position='0.4'/><joint joint='?f_kfe' position='-0.8'/>"
    "<joint joint='?h_hfe' position='-0.4'/><joint joint='?h_kfe' position='0.8'/>"
    "<drive joint='*' kp='200' kd='5' effort='1e9' mode='explicit'/></robot></scene>";

/* A simulated quadruped: every step is explained by joint torques alone, and they bring it to the same velocity. */
static void test_a_standing_quadruped_is_carried_by_its_joints(void)
{
    double worst_base = 0, worst_velocity = 0;

    read_scene(quad_text);
    for (int k = 0; k < 600; ++k) {
        slip_inverse_options o = exact();
        slip_inverse_result r, f;
        const int nv = slip_world_model(world)->nv;

        remember(world);
        TEST_ASSERT(slip_step(world) >= 0);
        memcpy(v_next, slip_world_v(world), (size_t)nv*sizeof *v);
        if (k % 20 || k < 100) continue;
        o.still = SLIP_TOL(1e-5, 1e-3);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(world, q, v, v_next, &o, &scratch, tau, &r));
        TEST_ASSERT_EQUAL_INT(4, r.contacts);
        TEST_ASSERT(r.unactuated_before > 300);
        worst_base = fmax(worst_base, (double)r.unactuated);
        for (int i = 0; i < 6; ++i) tau[i] = 0;                     /* nobody holds the base */
        TEST_ASSERT(slip_forward_dynamics(world, q, v, tau, &o, &scratch, q_next, back, &f) >= 0);
        worst_velocity = fmax(worst_velocity, difference(back, v_next, nv));
    }
    printf("# base residual %g N, velocity %g\n", worst_base, worst_velocity);
    TEST_ASSERT(worst_base < (double)SLIP_TOL(1e-4, 1));
    TEST_ASSERT(worst_velocity < (double)SLIP_TOL(1e-5, 2e-3));
}

/* The smooth model, both ways round, on the quadruped near the ground with its joints near their limits. */
static void test_forward_and_inverse_undo_each_other_with_the_barrier_model(void)
{
    slip_random rng = slip_random_seed(72);
    slip_inverse_options o = slip_inverse_defaults();
    double worst = 0, worst_back = 0;
    int contacts = 0, solved = 0, nv;

    o.method = SLIP_ID_BARRIER;
    o.barrier.barrier = SLIP_R(0.1);
    read_scene(quad_text);
    slip_world_options_of(world)->margin = SLIP_R(0.05);
    slip_world_options_of(world)->dt = SLIP_R(0.01);
    slip_world_options_of(world)->solve.tol = SLIP_TOL(1e-10, 1e-5);
    slip_world_options_of(world)->solve.tol_rule = SLIP_TOL_ABSOLUTE;
    nv = slip_world_model(world)->nv;
    for (int k = 0; k < 200; ++k) {
        slip_inverse_result r, f;

        remember(world);
        q[2] += slip_random_uniform(&rng, SLIP_R(-0.005), SLIP_R(0.04));
        for (int i = 0; i < nv; ++i) {
            v[i] = SLIP_R(0.3)*slip_random_normal(&rng);
            tau[i] = i < 6 ? 0 : 5*slip_random_normal(&rng);
        }
        slip_forward_dynamics(world, q, v, tau, &o, &scratch, q_next, v_next, &f);
        if (!(f.residual < SLIP_TOL(1e-8, 1e-3))) continue;
        solved += 1;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(world, q, v, v_next, &o, &scratch, back, &r));
        contacts += r.contacts;
        worst = fmax(worst, difference(back, tau, nv));
        slip_forward_dynamics(world, q, v, back, &o, &scratch, NULL, q_next, &f);
        worst_back = fmax(worst_back, difference(q_next, v_next, nv));
    }
    printf("# %d solved, %d contacts, torque %g N m, velocity %g\n", solved, contacts, worst, worst_back);
    TEST_ASSERT(solved > (int)SLIP_TOL(190, 100) && contacts > 300);
    TEST_ASSERT(worst < (double)SLIP_TOL(1e-4, 1));                 /* tolerance over dt, times what f follows v by */
    TEST_ASSERT(worst_back < (double)SLIP_TOL(1e-6, 2e-3));
}

/* Robots stand, lie and hang about at random: torques and forces together are what moves them, and joints without
 * contact are told apart from the base. */
static void test_torques_and_forces_together_balance_the_motion(void)
{
    static const char *const files[] = { "quadruped.urdf", "humanoid37.urdf", "solo12.urdf" };
    slip_random rng = slip_random_seed(73);
    char text[256];
    int touching = 0;

    for (int k = 0; k < 60; ++k) {
        slip_inverse_options o = slip_inverse_defaults();
        slip_inverse_result r;
        int nv;

        if (k % 20 == 0) {
            mem = slip_arena_over(block, BLOCK);
            slip_format(text, (int)sizeof text, "<scene name='a'><simulation self='false' "
                                                "margin='0.05'/><ground/><robot file='%s'>"
                        "<origin xyz='0 0 0.45'/></robot></scene>", files[k/20]);
            read_scene(text);
        }
        remember(world);
        nv = slip_world_model(world)->nv;
        slip_random_q(slip_world_model(world), &rng, q);
        q[0] = q[1] = 0;
        q[2] = slip_random_uniform(&rng, SLIP_R(0.1), SLIP_R(0.6));
        tree_random_vector(&rng, nv, v);
        memset(v, 0, 6*sizeof *v);                                /* the base's axes stay, as RNEA's do */
        for (int i = 0; i < nv; ++i) v_next[i] = v[i] + (i < 6 ? 0 : SLIP_R(0.01)*slip_random_normal(&rng));
        slip_world_options_of(world)->integrator = k % 3 ? SLIP_MIDPOINT : SLIP_EULER;
        o.method = k % 2 ? SLIP_ID_BARRIER : SLIP_ID_PROX;
        o.push = 10;
        o.redistribute = k % 4 == 0;
        TEST_ASSERT(slip_inverse_dynamics(world, q, v, v_next, &o, &scratch, tau, &r) >= 0);
        if (r.limits > 0) continue;                               /* those act on tau too */
        touching += r.contacts > 0;
        check_balance(tau);
    }
    TEST_ASSERT(touching > 5);
}

/* The smooth model on the humanoid of 37 freedoms, contacts by geometry, in any pose near the ground or above: both
 * directions see the same contacts and the same limits, whatever the velocities between. */
static void undoes_itself(slip_integrator integrator, double dt, int states, int contacts, double torque, double velocity)
{
    slip_random rng = slip_random_seed(74);
    slip_inverse_options o = slip_inverse_defaults();
    double worst = 0, worst_back = 0;
    int most = 0, none = 0, limits = 0, elastic = 0, solved = 0, nv;

    o.method = SLIP_ID_BARRIER;
    read_scene("<scene name='h'><simulation self='false' margin='0.05'/><surface name='default' "
               "friction='0.6'/><ground/>"
               "<robot file='humanoid37.urdf'><origin xyz='0 0 1'/></robot></scene>");
    slip_world_options_of(world)->solve.tol = SLIP_TOL(1e-10, 1e-5);
    slip_world_options_of(world)->solve.tol_rule = SLIP_TOL_ABSOLUTE;
    slip_world_options_of(world)->integrator = integrator;
    slip_world_options_of(world)->dt = (slip_real)dt;
    nv = slip_world_model(world)->nv;
    for (int k = 0; k < states; ++k) {
        const slip_real margin = SLIP_R(0.05) + SLIP_R(0.05)*(slip_real)(k % 6);
        slip_inverse_result r, f;
        slip_real low = 100;

        slip_random_q(slip_world_model(world), &rng, q);
        for (int i = 0; i < nv; ++i) {
            v[i] = SLIP_R(0.3)*slip_random_normal(&rng);
            tau[i] = i < 6 ? 0 : slip_random_normal(&rng);
        }
        q[2] = 2;
        memcpy(slip_world_q(world), q, (size_t)slip_world_model(world)->nq*sizeof *q);
        slip_world_options_of(world)->margin = 4;                 /* how high is it? */
        slip_world_update(world);
        slip_world_options_of(world)->margin = margin;
        for (int i = 0; i < slip_contact_count(world); ++i) low = slip_min(low, slip_contact_get(world, i).gap);
        q[2] -= low - slip_random_uniform(&rng, SLIP_R(-0.005), SLIP_R(1.6)*margin);
        TEST_ASSERT(slip_forward_dynamics(world, q, v, tau, &o, &scratch, NULL, v_next, &f) >= 0);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(world, q, v, v_next, &o, &scratch, back, &r));
        TEST_ASSERT_EQUAL_INT_MESSAGE(f.limits, r.limits, "the same limits in both directions");
        TEST_ASSERT_EQUAL_INT_MESSAGE(f.contacts, r.contacts, "the same contacts");
        most = r.contacts > most ? r.contacts : most;
        none += r.contacts == 0;
        limits += r.limits;
        elastic += r.elastic;
        if (!r.elastic && !(f.residual < SLIP_TOL(1e-8, 1e-3))) continue;
        solved += 1;
        worst = fmax(worst, difference(back, tau, nv));
        slip_forward_dynamics(world, q, v, back, &o, &scratch, NULL, q_next, &f);
        worst_back = fmax(worst_back, difference(q_next, v_next, nv));
    }
    printf("# humanoid: %d solved, up to %d contacts, none in %d states, %d limits, %d elastic; torque %g N m, "
           "velocity %g\n", solved,
           most, none, limits, elastic, worst, worst_back);
    TEST_ASSERT(solved >= (int)((double)SLIP_TOL(1, 0.9)*states));
    TEST_ASSERT(most >= contacts && none > states/10 && limits > states);
    TEST_ASSERT(worst < torque);
    TEST_ASSERT(worst_back < velocity);
}

/* As in the paper: at the start of steps of 10 ms, at whose ends light links turn by a radian a step. The solver's
 * tolerance over dt is left, as f follows v. */
static void test_the_barrier_model_undoes_itself_on_a_humanoid_in_any_pose(void)
{
    undoes_itself(SLIP_EULER, 0.01, 1000, 20, (double)SLIP_TOL(1e-5, 0.5), (double)SLIP_TOL(1e-7, 5e-3));
}

/* With bias forces at the mean velocity, which is found where links turn by less than that. */
static void test_the_barrier_model_undoes_itself_at_the_mean_velocity(void)
{
    undoes_itself(SLIP_MIDPOINT, 0.001, 300, 10, (double)SLIP_TOL(1e-5, 5), (double)SLIP_TOL(1e-7, 5e-3));
}


static const char wall_text[] =
    "<scene name='wipe'><simulation dt='0.001'/><surface name='default' friction='0.3'/>"
    "<body name='wall' fixed='true'><origin xyz='0.62 0 0.5'/><geometry><box size='0.1 3 3'/></geometry></body>"
    "<exclude a='base' b='shoulder'/><robot file='arm.urdf' base='fixed'><joint joint='shoulder_lift' position='-1.2'/>"
    "<joint joint='elbow' position='1.6'/><joint joint='wrist_1' position='-0.4'/></robot></scene>";

/* Distance of the arm from the wall. */
static slip_real wall_gap(void)
{
    slip_real best = 1;

    TEST_ASSERT(slip_world_update(world) >= 0);
    for (int i = 0; i < slip_contact_count(world); ++i) {
        const slip_contact_info c = slip_contact_get(world, i);

        if (strcmp(c.name_a, "wall") == 0 || strcmp(c.name_b, "wall") == 0) best = slip_min(best, c.gap);
    }
    return best;
}

/* Leans the arm forward until it touches: Newton on the gap. */
static void touch_wall(void)
{
    const slip_real h = SLIP_TOL(1e-6, 1e-3);
    slip_real *lift = slip_world_q(world) + 1;

    slip_world_options_of(world)->margin = 2;
    for (int k = 0; k < 50; ++k) {
        const slip_real gap = wall_gap();
        slip_real slope;

        if (slip_abs(gap) < SLIP_TOL(1e-12, 1e-6)) return;
        *lift += h;
        slope = (wall_gap() - gap)/h;
        *lift -= h + slip_clamp(gap/slope, SLIP_R(-0.1), SLIP_R(0.1));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0, wall_gap());
}

/* Joint velocities that move a link's point by `target`, of least norm. */
static void move_point(int link, const slip_real point[3], slip_real target[3], slip_real *out)
{
    const slip_model *m = slip_world_model(world);
    slip_real J[6*NV], P[3*NV], A[9], r[3];
    slip_pose X;
    const int n = m->nv;

    slip_link_jacobian(m, slip_world_data(world), link, SLIP_FRAME_ALIGNED, J);
    slip_link_pose(m, slip_world_data(world), link, &X);
    slip_sub3(point, X.p, r);
    for (int i = 0; i < n; ++i) {
        const slip_real w[3] = { J[3*n + i], J[4*n + i], J[5*n + i] };
        slip_real x[3];

        slip_cross3(w, r, x);
        for (int k = 0; k < 3; ++k) P[k*n + i] = J[k*n + i] + x[k];
    }
    for (int i = 0; i < 3; ++i) for (int k = 0; k < 3; ++k) A[3*i + k] = slip_dot(n, P + i*n, P + k*n);
    slip_chol_factor(3, A, 3, NULL);
    slip_chol_solve(3, A, 3, target);
    for (int i = 0; i < n; ++i) out[i] = P[i]*target[0] + P[n + i]*target[1] + P[2*n + i]*target[2];
}

/* The tip slides along the wall where forces act, in the middle of the step: it begins half a step before. */
static void wipes(slip_integrator integrator)
{
    slip_inverse_options o = slip_inverse_defaults();
    slip_inverse_result r, f;
    slip_contact_info c;
    slip_real along[3] = { 0, SLIP_R(0.1), SLIP_R(0.05) };
    int nv;

    mem = slip_arena_over(block, BLOCK);
    read_scene(wall_text);
    slip_world_options_of(world)->integrator = integrator;
    touch_wall();
    slip_world_options_of(world)->margin = SLIP_R(1e-3);
    TEST_ASSERT(slip_world_update(world) >= 0);
    TEST_ASSERT_EQUAL_INT(1, slip_contact_count(world));
    c = slip_contact_get(world, 0);
    remember(world);
    nv = slip_world_model(world)->nv;
    move_point(c.link_a >= 0 && slip_world_model(world)->link_body[c.link_a] ? c.link_a : c.link_b, c.point, along,
               v_next);
    memcpy(v, v_next, sizeof v);
    for (int i = 0; i < nv && integrator != SLIP_EULER; ++i) q[i] -= slip_world_options_of(world)->dt/2*v[i];
    o.push = 20;
    o.still = SLIP_R(1e-3);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(world, q, v, v_next, &o, &scratch, tau, &r));
    c = slip_contact_get(world, 0);
    TEST_ASSERT_EQUAL_INT(1, r.iterations);
    TEST_ASSERT_DOUBLE_WITHIN(0.5, 20/(1 + 0.3*0.3), c.force_n);
    TEST_ASSERT_DOUBLE_WITHIN(0.2, 0.3*(double)c.force_n, c.force_t);
    TEST_ASSERT_EQUAL_INT(0, r.unactuated > 0);                 /* all joints are driven */
    TEST_ASSERT(slip_forward_dynamics(world, q, v, tau, &o, &scratch, NULL, back, &f) >= 0);
    /* v_next has no normal part in the middle of the step, the step's own none at its end: they differ by an arc,
     * dt/2 (dJ/dt) v, 1 ms/2 times (0.11 m/s)^2 over some 0.1 m */
    TEST_ASSERT_DOUBLE_WITHIN(integrator == SLIP_EULER ? (double)SLIP_TOL(1e-5, 5e-2) : (double)SLIP_TOL(2e-4, 5e-2), 0,
                              difference(back, v_next, nv));
    o.prox.model = SLIP_MODEL_CCP;
    TEST_ASSERT_EQUAL_INT(SLIP_DIVERGED, slip_inverse_dynamics(world, q, v, v_next, &o, &scratch, tau, &r));
    TEST_ASSERT_EQUAL_INT(1, r.diverged);
}

static void test_an_arm_wipes_a_wall_with_the_force_wanted_and_the_ccp_says_that_it_cannot(void)
{
    wipes(SLIP_MIDPOINT);
    wipes(SLIP_EULER);
}

/* TO Fig. 3 on a world: a ball of 1 kg falls 0.3 m; the impulse grows smoothly inside the margin, nothing
 * penetrates. */
static void test_a_ball_drops_smoothly_under_the_barrier_model(void)
{
    slip_inverse_options o = slip_inverse_defaults();
    double last = 0, jump = 0, entry = 0, peak = 0, lowest = 1;

    o.method = SLIP_ID_BARRIER;
    o.barrier.barrier = SLIP_R(1e-4);
    aid_begin(&aid, SLIP_R(0.5));
    aid.world_def.options.margin = SLIP_R(0.1);
    aid_add(&aid, slip_shape_sphere(SLIP_R(0.1)), 1);
    aid_build(&aid);
    aid_q(&aid, 0)[2] = SLIP_R(0.4);
    for (int k = 0; k < 600; ++k) {
        slip_inverse_result r;
        double impulse = 0;

        remember(aid.world);
        TEST_ASSERT(slip_forward_dynamics(aid.world, q, v, tau, &o, &scratch, q_next, v_next, &r) >= 0);
        if (r.contacts > 0) {
            impulse = (double)slip_contact_get(aid.world, 0).impulse[2];
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_inverse_dynamics(aid.world, q, v, v_next, &o, &scratch, back, NULL));
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-1, 20), 0, difference(back, tau, 6));
        }
        if (entry == 0) entry = impulse;
        else jump = fmax(jump, fabs(impulse - last));
        peak = fmax(peak, impulse);
        last = impulse;
        memcpy(aid_q(&aid, 0), q_next, 7*sizeof *q);
        memcpy(aid_v(&aid, 0), v_next, 6*sizeof *v);
        lowest = fmin(lowest, (double)q_next[2] - 0.1);
    }
    printf("# lowest gap %g m, impulse %g N s at the margin, then at most %g from step to step, peak %g, at rest with "
           "%g m/s\n",
           lowest, entry, jump, peak, (double)v_next[2]);
    TEST_ASSERT(lowest > 0);
    TEST_ASSERT_MESSAGE(entry > 0 && entry < 0.01*2.2, "the margin is felt as a hundredth of a rigid impact, 2.2 N s");
    TEST_ASSERT_MESSAGE(peak < 0.05 && jump < 0.05*peak, "inside it the impulse is continuous");
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0, v_next[2]);
}

static void test_a_joint_pressed_into_its_limit_is_explained(void)
{
    slip_inverse_options o = exact();
    int limit = 0;

    read_scene("<scene name='a'><simulation dt='0.001'/><robot file='gripper.urdf' base='fixed'/></scene>");
    for (int i = 0; i < slip_world_model(world)->nv; ++i) slip_world_tau(world)[i] = -1;
    for (int k = 0; k < 400; ++k) {
        slip_inverse_result r;
        slip_status s;

        remember(world);
        TEST_ASSERT(slip_step(world) >= 0);
        if (k % 20) continue;
        s = slip_inverse_dynamics(world, q, v, slip_world_v(world), &o, &scratch, back, &r);
        TEST_ASSERT_MESSAGE(s == SLIP_OK, "every step of the simulation is explained");
        limit += r.limits > 0;
        TEST_ASSERT(slip_forward_dynamics(world, q, v, back, &o, &scratch, NULL, v_next, &r) >= 0);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-5, 1e-2), 0,
                                  difference(v_next, slip_world_v(world), slip_world_model(world)->nv));
    }
    TEST_ASSERT_MESSAGE(limit > 0, "a limit was reached");
}

/* Limbs that turn by hundredths of a radian in a step: the step takes their bias at the mean velocity, and so must the
 * inverse. Nothing drives them, so nothing may come back. */
static void test_a_whirl_in_the_air_needs_no_torque(void)
{
    slip_inverse_options o = exact();
    slip_random rng = slip_random_seed(8);
    int fast = 0;

    read_scene("<scene name='a'><simulation dt='0.001' ring='0'/><robot file='humanoid.urdf'>"
               "<origin xyz='0 0 10'/></robot></scene>");
    for (int i = 0; i < slip_world_model(world)->nv; ++i) slip_world_v(world)[i] = slip_random_uniform(&rng, -8, 8);
    for (int k = 0; k < 60; ++k) {
        const int nv = slip_world_model(world)->nv;

        remember(world);
        TEST_ASSERT(slip_step(world) >= 0);
        if (slip_world_stats(world)->contacts > 0) continue;
        for (int i = 6; i < nv; ++i) fast |= slip_abs(v[i]) > 20;
        TEST_ASSERT(slip_inverse_dynamics(world, q, v, slip_world_v(world), &o, &scratch, back, NULL) >= 0);
        for (int i = 0; i < nv; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 2) + by_mean(world, slip_world_v(world), i), 0, back[i]);
    }
    TEST_ASSERT_MESSAGE(fast, "some joint was fast");
}

/* ---- manners
 * --------------------------------------------------------------------------------------------------------- */

static void test_the_worlds_state_stays_and_bad_input_is_refused(void)
{
    slip_inverse_options o = slip_inverse_defaults();
    slip_arena small;
    size_t bytes;
    unsigned char *one, *two;

    read_scene(quad_text);
    bytes = slip_snapshot_bytes(world);
    one = (unsigned char *)malloc(bytes);
    two = (unsigned char *)malloc(bytes);
    for (int k = 0; k < 5; ++k) slip_step(world);
    slip_snapshot_save(world, one);
    remember(world);
    TEST_ASSERT(slip_inverse_dynamics(world, q, v, v, &o, &scratch, back, NULL) >= 0);
    TEST_ASSERT(slip_forward_dynamics(world, q, v, tau, &o, &scratch, NULL, back, NULL) >= 0);
    slip_snapshot_save(world, two);
    TEST_ASSERT_EQUAL_INT(0, memcmp(one, two, bytes));
    back[0] = 77;
    memcpy(v_next, v, sizeof v);
    v_next[3] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_inverse_dynamics(world, q, v, v_next, &o, &scratch, back, NULL));
    small = slip_arena_over(scratch_block, 256);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, slip_inverse_dynamics(world, q, v, v, &o, &small, back, NULL));
    TEST_ASSERT_EQUAL_DOUBLE(77, back[0]);
    free(one);
    free(two);
}

/* TO's numbers for R(d), as docs/solvers/ccp-barrier.md has them, and the bounds of contact and of rest of
 * docs/inverse.md, 1 mm and 1 mm/s. */
static void test_defaults_are_those_of_the_paper_and_of_the_pages(void)
{
    const slip_inverse_options o = slip_inverse_defaults();

    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.01, (double)o.r_min);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 100, (double)o.r_max);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1e-3, (double)o.touch);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1e-3, (double)o.still);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_defaults_are_those_of_the_paper_and_of_the_pages);
    RUN_TEST(test_a_step_of_any_tree_under_any_torques_is_explained_by_those_torques);
    RUN_TEST(test_quaternions_of_any_length_are_read_as_the_step_reads_them);
    RUN_TEST(test_a_tumbling_body_in_flight_needs_nothing);
    RUN_TEST(test_damping_of_joints_and_external_wrenches_count);
    RUN_TEST(test_dry_friction_counts_only_where_a_joint_moves);
    RUN_TEST(test_a_soft_sliding_ball_needs_nothing_and_its_forces_are_those_of_the_step);
    RUN_TEST(test_a_ball_that_creeps_needs_nothing_either);
    RUN_TEST(test_redistribution_finds_the_forces_of_a_sliding_and_of_a_resting_box);
    RUN_TEST(test_in_flight_the_weight_stays_on_the_base_and_is_reported);
    RUN_TEST(test_redistribution_removes_only_what_friction_can_give);
    RUN_TEST(test_infinite_friction_holds_what_moves_by_rounding);
    RUN_TEST(test_a_motion_into_the_ground_is_reported_as_such);
    RUN_TEST(test_a_standing_quadruped_is_carried_by_its_joints);
    RUN_TEST(test_forward_and_inverse_undo_each_other_with_the_barrier_model);
    RUN_TEST(test_torques_and_forces_together_balance_the_motion);
    RUN_TEST(test_the_barrier_model_undoes_itself_on_a_humanoid_in_any_pose);
    RUN_TEST(test_the_barrier_model_undoes_itself_at_the_mean_velocity);
    RUN_TEST(test_an_arm_wipes_a_wall_with_the_force_wanted_and_the_ccp_says_that_it_cannot);
    RUN_TEST(test_a_ball_drops_smoothly_under_the_barrier_model);
    RUN_TEST(test_a_joint_pressed_into_its_limit_is_explained);
    RUN_TEST(test_a_whirl_in_the_air_needs_no_torque);
    RUN_TEST(test_the_worlds_state_stays_and_bad_input_is_refused);
    return UNITY_END();
}
