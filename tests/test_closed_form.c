/* Systems whose equations stand in textbooks, so that the dynamics can be judged on any machine: the formulas
 * below were written down from Lagrange's and Euler's equations, not taken from the code. */
#include <math.h>
#include <string.h>
#include "unity.h"
#include "slipstick.h"

#define TOL ((double)SLIP_TOL(1e-13, 2e-5))
#define G 9.81

static slip_link_def links[4];
static slip_joint_def joints[4];
static slip_model_def def;
static unsigned char memory[1 << 16];
static const slip_model *model;
static slip_data *data;
static slip_real q[8], v[8], a[8], tau[8], M[36];

void setUp(void)
{
    memset(&def, 0, sizeof def);
    memset(links, 0, sizeof links);
    def.links = links;
    def.joints = joints;
    slip_set3(0, 0, SLIP_R(-9.81), def.gravity);
}

void tearDown(void) { }

/* Adds a body on a joint at (x, 0, z) of its parent, with centre of mass (0, 0, c) and moments Ix, Iy, Iz. */
static slip_joint_def *add(slip_joint_type type, double mass, double c, double Ix, double Iy, double Iz)
{
    static const char *const name[4] = { "one", "two", "three", "four" };
    slip_link_def *l = &links[def.nlinks];
    slip_joint_def *j = &joints[def.njoints];

    l->name = name[def.nlinks];
    l->mass = (slip_real)mass;
    l->com[2] = (slip_real)c;
    l->inertia[0] = (slip_real)Ix;
    l->inertia[3] = (slip_real)Iy;
    l->inertia[5] = (slip_real)Iz;
    *j = slip_joint_defaults();
    j->name = name[def.njoints];
    j->type = type;
    j->parent = def.nlinks - 1;
    j->child = def.nlinks;
    ++def.nlinks;
    ++def.njoints;
    return j;
}

static void compile(void)
{
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_error err;

    slip_error_clear(&err);
    if (slip_model_build(&def, &mem, &model, NULL, &err) != SLIP_OK) TEST_FAIL_MESSAGE(err.what);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(model, &mem, &data));
}

/* Two compound pendulums, both angles about -y: q1 from the vertical, q2 relative to the first rod. */
static const double m1 = 1.3, m2 = 0.7, l1 = 0.6, c1 = 0.25, c2 = 0.35, I1 = 0.04, I2 = 0.02;

static void double_pendulum(void)
{
    add(SLIP_JOINT_REVOLUTE, m1, -c1, 0.1, I1, 0.1);
    add(SLIP_JOINT_REVOLUTE, m2, -c2, 0.1, I2, 0.1)->origin.p[2] = (slip_real)-l1;
    for (int i = 0; i < 2; ++i) slip_set3(0, -1, 0, joints[i].axis);
    compile();
}

static void test_double_pendulum_obeys_the_equations_of_the_textbook(void)
{
    for (int k = 0; k < 50; ++k) {
        const double q1 = 0.37*k - 4, q2 = 2.1 - 0.53*k, w1 = sin(1.1*k), w2 = 2*cos(0.7*k), t1 = 0.1*k,
            t2 = 1 - 0.05*k;

        double_pendulum();
        q[0] = (slip_real)q1;  q[1] = (slip_real)q2;
        v[0] = (slip_real)w1;  v[1] = (slip_real)w2;
        tau[0] = (slip_real)t1;  tau[1] = (slip_real)t2;
        /* T = (m1 c1^2 + I1 + m2 l1^2) w1^2/2 + (m2 c2^2 + I2)(w1 + w2)^2/2 + m2 l1 c2 w1 (w1 + w2) cos q2,
         * V = -(m1 c1 + m2 l1) G cos q1 - m2 c2 G cos(q1 + q2) */
        const double A = m1*c1*c1 + I1 + m2*l1*l1, B = m2*c2*c2 + I2, C = m2*l1*c2;
        const double M11 = A + B + 2*C*cos(q2), M12 = B + C*cos(q2), M22 = B;
        const double g2 = m2*c2*G*sin(q1 + q2), g1 = (m1*c1 + m2*l1)*G*sin(q1) + g2;
        const double h1 = -C*sin(q2)*w2*(2*w1 + w2), h2 = C*sin(q2)*w1*w1;
        const double r1 = t1 - h1 - g1, r2 = t2 - h2 - g2, det = M11*M22 - M12*M12;
        const double a1 = (M22*r1 - M12*r2)/det, a2 = (M11*r2 - M12*r1)/det;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_crba(model, data, q));
        slip_mass_matrix(model, data, M);
        TEST_ASSERT_DOUBLE_WITHIN(TOL, M11, (double)M[0]);
        TEST_ASSERT_DOUBLE_WITHIN(TOL, M12, (double)M[1]);
        TEST_ASSERT_DOUBLE_WITHIN(TOL, M22, (double)M[3]);
        slip_bias(model, data, q, v, a);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*20, h1 + g1, (double)a[0]);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*20, h2 + g2, (double)a[1]);
        slip_gravity(model, data, q, a);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*20, g1, (double)a[0]);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*20, g2, (double)a[1]);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(model, data, q, v, tau, NULL, a));
        TEST_ASSERT_DOUBLE_WITHIN(TOL*500, a1, (double)a[0]);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*500, a2, (double)a[1]);
        slip_kinematics(model, data, q);
        slip_velocities(model, data, v);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*20, A*w1*w1/2 + B*(w1 + w2)*(w1 + w2)/2 + C*w1*(w1 + w2)*cos(q2),
                                  (double)slip_kinetic_energy(model, data, v));
        TEST_ASSERT_DOUBLE_WITHIN(TOL*100, -(m1*c1 + m2*l1)*G*cos(q1) - m2*c2*G*cos(q1 + q2),
                                  (double)slip_potential_energy(model, data));
        setUp();
    }
}

static void test_simple_pendulum_swings_with_the_period_of_the_elliptic_integral(void)
{
    /* Amplitude 1 rad: T = 2 pi sqrt(I/(m g c)) / agm(1, cos(1/2)). */
    const double m = 2, c = 0.5, I = m*c*c + 0.1;
    double x = 1, y = cos(0.5), t = 0, h = (double)SLIP_TOL(1e-4, 1e-3);

    add(SLIP_JOINT_REVOLUTE, m, -c, 0.2, 0.1, 0.2);
    slip_set3(0, 1, 0, joints[0].axis);
    compile();
    for (int i = 0; i < 8; ++i) {
        const double mean = (x + y)/2;

        y = sqrt(x*y);
        x = mean;
    }
    q[0] = 1;
    v[0] = tau[0] = 0;
    /* leapfrog to the first zero crossing of q, a quarter of the period */
    while (q[0] > 0) {
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(model, data, q, v, tau, NULL, a));
        v[0] += (slip_real)(t == 0 ? h/2 : h)*a[0];
        q[0] += (slip_real)h*v[0];
        t += h;
    }
    t += (double)(q[0]/-v[0]);                           /* back to the crossing */
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-7, 1e-3), 2*3.14159265358979323846*sqrt(I/(m*G*c))/x/4, t);
}

static void test_planar_two_link_arm_has_the_mass_matrix_of_the_textbook(void)
{
    /* 2R arm in the horizontal plane, axes z, links along x: no gravity in it */
    const double lc1 = 0.3, L1 = 0.7, lc2 = 0.2, ma = 2, mb = 1.5, Ia = 0.05, Ib = 0.03;

    add(SLIP_JOINT_REVOLUTE, ma, 0, 0.1, 0.1, Ia);
    add(SLIP_JOINT_REVOLUTE, mb, 0, 0.1, 0.1, Ib)->origin.p[0] = (slip_real)L1;
    links[0].com[0] = (slip_real)lc1;
    links[1].com[0] = (slip_real)lc2;
    for (int i = 0; i < 2; ++i) slip_set3(0, 0, 1, joints[i].axis);
    compile();
    for (int k = 0; k < 30; ++k) {
        const double q2 = 0.21*k, w1 = 0.3*k, w2 = 2 - 0.2*k, C = mb*L1*lc2;

        q[0] = (slip_real)(0.5*k);
        q[1] = (slip_real)q2;
        v[0] = (slip_real)w1;
        v[1] = (slip_real)w2;
        slip_crba(model, data, q);
        slip_mass_matrix(model, data, M);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*4, Ia + Ib + ma*lc1*lc1 + mb*(L1*L1 + lc2*lc2) + 2*C*cos(q2), (double)M[0]);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*4, Ib + mb*lc2*lc2 + C*cos(q2), (double)M[1]);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*4, Ib + mb*lc2*lc2, (double)M[3]);
        slip_bias(model, data, q, v, a);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*100, -C*sin(q2)*w2*(2*w1 + w2), (double)a[0]);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*100, C*sin(q2)*w1*w1, (double)a[1]);
    }
}

static void test_a_mass_on_a_turning_slide_feels_coriolis_and_centrifugal_forces(void)
{
    /* A crank about z carries a slide along its x: polar coordinates r = q2, theta = q1. */
    const double mc = 0.8, Ic = 0.02, ms = 1.2, Is = 0.01;

    add(SLIP_JOINT_CONTINUOUS, mc, 0, 0.1, 0.1, Ic);
    add(SLIP_JOINT_PRISMATIC, ms, 0, 0.1, 0.1, Is);
    slip_set3(0, 0, 1, joints[0].axis);
    slip_set3(1, 0, 0, joints[1].axis);
    compile();
    for (int k = 0; k < 30; ++k) {
        const double r = 0.1*k - 1, w = 3 - 0.1*k, u = 0.4*k - 5, t = 0.3*k, f = 1 - 0.2*k;

        q[0] = (slip_real)(1.7*k);
        q[1] = (slip_real)r;
        v[0] = (slip_real)w;
        v[1] = (slip_real)u;
        tau[0] = (slip_real)t;
        tau[1] = (slip_real)f;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(model, data, q, v, tau, NULL, a));
        TEST_ASSERT_DOUBLE_WITHIN(TOL*2000, (t - 2*ms*r*u*w)/(Ic + Is + ms*r*r), (double)a[0]);
        TEST_ASSERT_DOUBLE_WITHIN(TOL*100, f/ms + r*w*w, (double)a[1]);
    }
}

static void test_a_free_body_obeys_eulers_equations(void)
{
    const double m = 3, Ix = 0.2, Iy = 0.3, Iz = 0.4, w[3] = { 1, -2, 0.5 }, u[3] = { 0.3, 0.1, -0.7 };

    add(SLIP_JOINT_FLOATING, m, 0, Ix, Iy, Iz);
    joints[0].parent = -1;
    compile();
    slip_neutral(model, q);
    for (int i = 0; i < 3; ++i) { v[i] = (slip_real)u[i];  v[3 + i] = (slip_real)w[i]; }
    memset(tau, 0, sizeof tau);
    tau[3] = SLIP_R(0.1);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(model, data, q, v, tau, NULL, a));
    /* I w' + w x I w = tau;  linear: v' + w x v = g in body axes (here the world's) */
    TEST_ASSERT_DOUBLE_WITHIN(TOL*10, (0.1 - (Iz - Iy)*w[1]*w[2])/Ix, (double)a[3]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL*10, -(Ix - Iz)*w[2]*w[0]/Iy, (double)a[4]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL*10, -(Iy - Ix)*w[0]*w[1]/Iz, (double)a[5]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL*10, -(w[1]*u[2] - w[2]*u[1]), (double)a[0]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL*10, -(w[2]*u[0] - w[0]*u[2]), (double)a[1]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL*10, -G - (w[0]*u[1] - w[1]*u[0]), (double)a[2]);
}

static void test_a_spinning_top_precesses_at_the_rate_that_balances_gravity(void)
{
    /* A symmetric top on a ball joint, tilted by theta, steady precession W about the vertical with spin s:
     *   (A cos th) W^2 - C n W + m g l = 0,  n = s + W cos th,  A = I1 + m l^2 about the pivot. */
    const double m = 0.5, l = 0.1, I1_ = 0.002, C = 0.001, th = 0.6, n = 120, A = I1_ + m*l*l;
    const double W = (C*n - sqrt(C*C*n*n - 4*A*cos(th)*m*G*l))/(2*A*cos(th));
    slip_real axis[3] = { 0, 1, 0 }, rotation[3];

    add(SLIP_JOINT_BALL, m, l, I1_, I1_, C);
    compile();
    slip_scale3((slip_real)th, axis, rotation);
    slip_quat_exp(rotation, q);                          /* tilted about y: the axis lies in the xz plane */
    /* body axes: vertical is (-sin th, 0, cos th); w = W vertical + spin along z with total axial part n */
    v[0] = (slip_real)(-W*sin(th));
    v[1] = 0;
    v[2] = (slip_real)n;
    memset(tau, 0, sizeof tau);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(model, data, q, v, tau, NULL, a));
    /* The tilt stays: w = W e + s z with the vertical e, whose derivative in body axes is e x w. */
    TEST_ASSERT_DOUBLE_WITHIN(TOL*1000, 0, (double)a[0]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL*1000, W*sin(th)*(n - W*cos(th)), (double)a[1]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL*1000, 0, (double)a[2]);
}

static void test_a_planar_body_is_a_free_body_in_its_plane(void)
{
    const double m = 2, c = 0.3, Iz = 0.1, w = 1.5, vx = 0.4, vy = -0.2, f = 1, g = -2, n = 0.5;

    add(SLIP_JOINT_PLANAR, m, 0, 0.2, 0.2, Iz);
    links[0].com[0] = (slip_real)c;
    slip_set3(0, 0, 1, joints[0].axis);
    compile();
    q[0] = 1;  q[1] = 2;  q[2] = SLIP_R(0.8);
    v[0] = (slip_real)vx;  v[1] = (slip_real)vy;  v[2] = (slip_real)w;
    tau[0] = (slip_real)f;  tau[1] = (slip_real)g;  tau[2] = (slip_real)n;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(model, data, q, v, tau, NULL, a));
    /* m (ax - w vy - c w^2) = f;  m (ay + w vx + c al) = g;  Iz al + m c (ay + w vx + c al) = n */
    const double al = (n - c*g)/Iz;

    TEST_ASSERT_DOUBLE_WITHIN(TOL*10, f/m + w*vy + c*w*w, (double)a[0]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL*100, g/m - w*vx - c*al, (double)a[1]);
    TEST_ASSERT_DOUBLE_WITHIN(TOL*100, al, (double)a[2]);
}

static void test_armature_and_a_gear_act_like_the_rotor_they_stand_for(void)
{
    /* Two discs, the second geared to the first by -3: inertia seen by the first is I1 + Ir + 9 I2. */
    add(SLIP_JOINT_CONTINUOUS, 1, 0, 0.1, 0.1, 0.05)->armature = SLIP_R(0.2);
    add(SLIP_JOINT_CONTINUOUS, 1, 0, 0.1, 0.1, 0.07);
    joints[1].parent = -1;
    joints[1].mimic = 0;
    joints[1].mimic_scale = -3;
    for (int i = 0; i < 2; ++i) slip_set3(0, 0, 1, joints[i].axis);
    compile();
    q[0] = v[0] = 1;
    tau[0] = 2;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(model, data, q, v, tau, NULL, a));
    TEST_ASSERT_DOUBLE_WITHIN(TOL*10, 2/(0.05 + 0.2 + 9*0.07), (double)a[0]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_double_pendulum_obeys_the_equations_of_the_textbook);
    RUN_TEST(test_simple_pendulum_swings_with_the_period_of_the_elliptic_integral);
    RUN_TEST(test_planar_two_link_arm_has_the_mass_matrix_of_the_textbook);
    RUN_TEST(test_a_mass_on_a_turning_slide_feels_coriolis_and_centrifugal_forces);
    RUN_TEST(test_a_free_body_obeys_eulers_equations);
    RUN_TEST(test_a_spinning_top_precesses_at_the_rate_that_balances_gravity);
    RUN_TEST(test_a_planar_body_is_a_free_body_in_its_plane);
    RUN_TEST(test_armature_and_a_gear_act_like_the_rotor_they_stand_for);
    return UNITY_END();
}
