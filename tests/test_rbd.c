/* Identities that every model obeys, checked over random trees: each algorithm against another one, and
 * all of them against finite differences and conservation laws. */
#include <math.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "random_tree.h"

enum { NMAX = 6*TREE_MAX_LINKS, TRIALS = 120 };

static tree t;
static slip_random rng;
static slip_real q[NMAX + TREE_MAX_LINKS], q2[NMAX + TREE_MAX_LINKS], v[NMAX], a[NMAX], tau[NMAX], x[NMAX], y[NMAX];
static slip_real M[NMAX*NMAX], M2[NMAX*NMAX], J[6*NMAX], wrench[6*(TREE_MAX_LINKS + 1)];

/* Relative accuracy to ask of sums over a tree: its depth and the spread of its masses cost some digits. */
#define REL SLIP_TOL(1e-10, 2e-3)

void setUp(void) { rng = slip_random_seed(12345); }
void tearDown(void) { }

static slip_real largest(int n, const slip_real *z)
{
    slip_real m = 0;

    for (int i = 0; i < n; ++i) m = slip_max(m, slip_abs(z[i]));
    return m;
}

static void assert_close(int n, const slip_real *expected, const slip_real *actual, slip_real rel, const char *what)
{
    const slip_real scale = slip_max(largest(n, expected), SLIP_R(1e-3));

    for (int i = 0; i < n; ++i)
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)(rel*scale), (double)expected[i], (double)actual[i], what);
}

/* A random model of a kind that goes with the trial's number, and a random state. */
static void random_case(int trial)
{
    tree_options o = { 0 };

    o.links = 1 + trial % 25;
    o.floating_root = trial % 3 == 0;
    o.mimic = trial % 4 == 1;
    o.armature = trial % 2;
    o.only_simple = trial % 5 == 4;
    tree_make(&t, &o, &rng);
    slip_random_q(t.model, &rng, q);
    tree_random_vector(&rng, t.model->nv, v);
    tree_random_vector(&rng, t.model->nv, a);
    tree_random_vector(&rng, t.model->nv, tau);
    for (int i = 0; i < t.model->nv; ++i) { a[i] *= 5; tau[i] *= 20; }
}

static void random_wrench(void)
{
    slip_real force[3], moment[3], point[3];

    memset(wrench, 0, sizeof wrench);
    for (int l = 0; l < t.model->nlinks; ++l) {
        if (slip_random_int(&rng, 0, 2)) continue;
        tree_random_vector(&rng, 3, force);
        tree_random_vector(&rng, 3, moment);
        tree_random_vector(&rng, 3, point);
        slip_scale3(30, force, force);
        slip_wrench_add(t.model, t.data, l, point, force, moment, wrench);
    }
}

static void test_aba_undoes_rnea(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_rnea(t.model, t.data, q, v, a, NULL, x));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(t.model, t.data, q, v, x, NULL, y));
        assert_close(t.model->nv, a, y, SLIP_TOL(1e-9, 2e-2), "ABA(RNEA(a)) = a");
    }
}

static void test_aba_undoes_rnea_under_external_wrenches(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        slip_kinematics(t.model, t.data, q);
        random_wrench();
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_rnea(t.model, t.data, q, v, a, wrench, x));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(t.model, t.data, q, v, x, wrench, y));
        assert_close(t.model->nv, a, y, SLIP_TOL(1e-9, 2e-2), "ABA(RNEA(a, w), w) = a");
    }
}

static void test_mass_matrix_times_aba_plus_bias_is_tau(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(t.model, t.data, q, v, tau, NULL, a));
        slip_bias(t.model, t.data, q, v, x);
        slip_crba(t.model, t.data, q);
        slip_branches_vec(&t.model->branches, t.data->M, a, y);
        for (int i = 0; i < t.model->nv; ++i) y[i] += x[i];
        for (int i = 0; i < t.model->nv; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)(REL*(20 + largest(t.model->nv, x))), (double)tau[i], (double)y[i]);
    }
}

static void test_crba_columns_are_rnea_of_unit_accelerations(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        const int n = t.model->nv;

        slip_crba(t.model, t.data, q);
        slip_mass_matrix(t.model, t.data, M);
        memset(v, 0, sizeof v);
        slip_gravity(t.model, t.data, q, x);
        for (int j = 0; j < n; ++j) {
            memset(a, 0, sizeof a);
            a[j] = 1;
            slip_rnea(t.model, t.data, q, v, a, NULL, y);
            for (int i = 0; i < n; ++i)
                TEST_ASSERT_DOUBLE_WITHIN((double)(REL*(1 + largest(n*n, M) + largest(n, x))), (double)M[i*n + j],
                                          (double)(y[i] - x[i]));
        }
    }
}

static void test_mass_matrix_is_positive_definite_and_ltl_reproduces_it(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        const int n = t.model->nv;

        slip_crba(t.model, t.data, q);
        slip_mass_matrix(t.model, t.data, M);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_ltl_factor(&t.model->branches, t.data->M, t.data->L, t.data->D_inv, NULL));
        slip_branches_vec(&t.model->branches, t.data->M, v, x);        /* M v, then M^-1 (M v) */
        slip_ltl_solve(&t.model->branches, t.data->L, t.data->D_inv, x);
        assert_close(n, v, x, SLIP_TOL(1e-9, 5e-2), "M^-1 M v = v");
        memcpy(M2, M, (size_t)(n*n)*sizeof *M);
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, slip_chol_factor(n, M2, n, NULL), "a dense Cholesky agrees");
    }
}

static void test_inverse_of_the_mass_matrix_is_its_inverse(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        const int n = t.model->nv;

        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_mass_matrix_inverse(t.model, t.data, q, M2));
        slip_mass_matrix(t.model, t.data, M);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0, size = 0;

                for (int e = 0; e < n; ++e) {
                    sum += (double)(M[i*n + e]*M2[e*n + j]);
                    size += fabs((double)(M[i*n + e]*M2[e*n + j]));
                }
                /* size, the sum of the absolute terms, grows with the condition of M; so do the errors of M^-1 */
                TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-11, 5e-3)*(1 + size), i == j, sum);
            }
    }
}

static void test_bias_is_rnea_without_acceleration_and_gravity_without_velocity(void)
{
    for (int k = 0; k < 40; ++k) {
        random_case(k);
        memset(a, 0, sizeof a);
        slip_rnea(t.model, t.data, q, v, a, NULL, x);
        slip_bias(t.model, t.data, q, v, y);
        assert_close(t.model->nv, x, y, 4*SLIP_REAL_EPS, "bias");
        memset(v, 0, sizeof v);
        slip_rnea(t.model, t.data, q, v, a, NULL, x);
        slip_gravity(t.model, t.data, q, y);
        assert_close(t.model->nv, x, y, 4*SLIP_REAL_EPS, "gravity");
    }
}

/* Step for central differences: error h^2 from truncation, eps/h from rounding. */
#define STEP SLIP_TOL(1e-5, 1e-2)
#define FD_TOL SLIP_TOL(1e-8, 2e-2)

static void test_bias_after_the_mass_matrix_is_that_of_its_own_positions(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        const int n = t.model->nv;

        slip_bias(t.model, t.data, q, v, x);
        slip_crba(t.model, t.data, q);
        slip_bias_pass(t.model, t.data, v, NULL, y);                   /* with the inertias that CRBA turned */
        assert_close(n, x, y, REL, "the same position");
        slip_random_q(t.model, &rng, q2);
        slip_crba(t.model, t.data, q2);
        slip_bias(t.model, t.data, q, v, y);                           /* without: they are those of q2 */
        assert_close(n, x, y, REL, "another position");
    }
}

static void test_gravity_is_the_gradient_of_the_potential_energy(void)
{
    for (int k = 0; k < 40; ++k) {
        random_case(k);
        slip_gravity(t.model, t.data, q, x);
        for (int i = 0; i < t.model->nv; ++i) {
            double e[2];

            memset(v, 0, sizeof v);
            v[i] = 1;
            for (int s = 0; s < 2; ++s) {
                slip_integrate(t.model, q, v, s ? STEP : -STEP, q2);
                slip_kinematics(t.model, t.data, q2);
                e[s] = (double)slip_potential_energy(t.model, t.data);
            }
            TEST_ASSERT_DOUBLE_WITHIN((double)(FD_TOL*(100 + largest(t.model->nv, x))), (double)x[i],
                                      (e[1] - e[0])/(2*(double)STEP));
        }
    }
}

static void test_link_jacobians_match_velocities_and_finite_differences(void)
{
    for (int k = 0; k < 60; ++k) {
        random_case(k);
        const int n = t.model->nv, link = slip_random_int(&rng, 0, t.model->nlinks - 1);
        slip_pose X[2], X0;
        slip_real vel[6], Jv[3][6], R[9], fd[6];

        slip_kinematics(t.model, t.data, q);
        slip_velocities(t.model, t.data, v);
        slip_link_pose(t.model, t.data, link, &X0);
        slip_link_velocity(t.model, t.data, link, vel);
        for (int f = 0; f < 3; ++f) {
            slip_link_jacobian(t.model, t.data, link, (slip_frame)f, J);
            for (int i = 0; i < 6; ++i) Jv[f][i] = slip_dot(n, J + i*n, v);
        }
        assert_close(6, vel, Jv[SLIP_FRAME_ALIGNED], REL, "J v");
        slip_mat3_tvec(X0.R, vel, fd);
        slip_mat3_tvec(X0.R, vel + 3, fd + 3);
        assert_close(6, fd, Jv[SLIP_FRAME_LOCAL], REL, "J v, local");
        slip_copy3(vel, fd);
        slip_cross3_add(X0.p, vel + 3, fd);              /* v at the world's origin: v - w x p */
        slip_copy3(vel + 3, fd + 3);
        assert_close(6, fd, Jv[SLIP_FRAME_WORLD], REL, "J v, world");
        for (int s = 0; s < 2; ++s) {
            slip_integrate(t.model, q, v, s ? STEP : -STEP, q2);
            slip_kinematics(t.model, t.data, q2);
            slip_link_pose(t.model, t.data, link, &X[s]);
        }
        for (int i = 0; i < 3; ++i) fd[i] = (X[1].p[i] - X[0].p[i])/(2*STEP);
        slip_mat3_transpose(X[0].R, R);
        slip_mat3_mul(X[1].R, R, R);                     /* R1 R0' = exp([2 h w]x) */
        slip_set3((R[7] - R[5])/(4*STEP), (R[2] - R[6])/(4*STEP), (R[3] - R[1])/(4*STEP), fd + 3);
        for (int i = 0; i < 6; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)(FD_TOL*100*(1 + largest(6, vel))), (double)vel[i], (double)fd[i]);
    }
}

static void test_jacobian_derivative_matches_finite_differences_in_every_frame(void)
{
    for (int k = 0; k < 60; ++k) {
        random_case(k);
        const int n = t.model->nv, link = slip_random_int(&rng, 0, t.model->nlinks - 1);

        memset(a, 0, sizeof a);
        for (int f = 0; f < 3; ++f) {
            slip_real dJv[6], Jv[2][6];

            slip_kinematics(t.model, t.data, q);
            slip_velocities(t.model, t.data, v);
            slip_accelerations(t.model, t.data, v, a);
            slip_link_jacobian_dot_v(t.model, t.data, link, (slip_frame)f, dJv);
            for (int s = 0; s < 2; ++s) {
                slip_integrate(t.model, q, v, s ? STEP : -STEP, q2);
                slip_kinematics(t.model, t.data, q2);
                slip_link_jacobian(t.model, t.data, link, (slip_frame)f, J);
                for (int i = 0; i < 6; ++i) Jv[s][i] = slip_dot(n, J + i*n, v);
            }
            for (int i = 0; i < 6; ++i)
                TEST_ASSERT_DOUBLE_WITHIN((double)(FD_TOL*100*(1 + largest(6, dJv) + largest(6, Jv[0]))),
                                          (double)dJv[i],
                                          (double)((Jv[1][i] - Jv[0][i])/(2*STEP)));
        }
    }
}

static void test_kinetic_energy_is_half_v_M_v(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        slip_crba(t.model, t.data, q);
        slip_velocities(t.model, t.data, v);
        slip_branches_vec(&t.model->branches, t.data->M, v, x);
        const double e = (double)slip_kinetic_energy(t.model, t.data, v);

        TEST_ASSERT_DOUBLE_WITHIN((double)REL*e, e, (double)(slip_dot(t.model->nv, v, x)/2));
    }
}

/* d/dt (v' M v / 2) = v . (tau - g): the statement that Mdot - 2C is skew. */
static void test_power_of_the_joint_forces_is_the_rate_of_the_energy(void)
{
    for (int k = 0; k < 60; ++k) {
        random_case(k);
        double e[2], power;

        slip_aba(t.model, t.data, q, v, tau, NULL, a);
        power = (double)slip_dot(t.model->nv, tau, v);
        for (int s = 0; s < 2; ++s) {
            const slip_real h = s ? STEP : -STEP;

            /* second order in h: the velocity half way, then the velocity at the end */
            for (int i = 0; i < t.model->nv; ++i) { x[i] = v[i] + h/2*a[i]; y[i] = v[i] + h*a[i]; }
            slip_integrate(t.model, q, x, h, q2);
            slip_kinematics(t.model, t.data, q2);
            slip_velocities(t.model, t.data, y);
            e[s] = (double)(slip_kinetic_energy(t.model, t.data, y) + slip_potential_energy(t.model, t.data));
        }
        const double size = fabs(power) + fabs(e[0]) + (double)largest(t.model->nv, a);

        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(3e-7, 1e-1)*(1 + size), power, (e[1] - e[0])/(2*(double)STEP));
    }
}

/* A floating root and no joint forces: Newton's and Euler's laws for the whole. */
static void test_momentum_changes_by_gravity_alone_in_free_flight(void)
{
    for (int k = 0; k < 30; ++k) {
        tree_options o = { 0 };
        slip_real p0[6], p1[6];

        o.links = 2 + k % 20;
        o.floating_root = 1;
        o.mimic = k % 3 == 0;
        tree_make(&t, &o, &rng);
        slip_random_q(t.model, &rng, q);
        tree_random_vector(&rng, t.model->nv, v);
        memset(tau, 0, sizeof tau);
        tree_random_vector(&rng, t.model->nv - 6, tau + 6);              /* internal forces do not matter */
        slip_aba(t.model, t.data, q, v, tau, NULL, a);
        for (int s = 0; s < 2; ++s) {
            const slip_real h = s ? STEP : -STEP;

            for (int i = 0; i < t.model->nv; ++i) { x[i] = v[i] + h/2*a[i]; y[i] = v[i] + h*a[i]; }
            slip_integrate(t.model, q, x, h, q2);
            slip_kinematics(t.model, t.data, q2);
            slip_velocities(t.model, t.data, y);
            slip_momentum(t.model, t.data, s ? p1 : p0);
        }
        const slip_real m = slip_total_mass(t.model), size = 1 + largest(6, p0) + largest(t.model->nv, a);

        for (int i = 0; i < 6; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)(SLIP_TOL(1e-6, 3e-1)*size), (double)(i < 3 ? m*t.model->gravity[i] : 0),
                                      (double)((p1[i] - p0[i])/(2*STEP)));
    }
}

static void test_integrate_and_difference_are_inverse(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k);
        for (int i = 0; i < t.model->nv; ++i) v[i] *= k % 2 ? SLIP_R(1e-4) : 2;   /* below the half turn */
        slip_integrate(t.model, q, v, 1, q2);
        slip_difference(t.model, q, q2, x);
        assert_close(t.model->nv, v, x, SLIP_TOL(1e-11, 1e-3)*(k % 2 ? 10 : 1), "q [+] v [-] q");
    }
}

static void test_integrating_in_many_steps_is_the_same_as_in_one(void)
{
    for (int k = 0; k < 20; ++k) {
        random_case(k);
        slip_integrate(t.model, q, v, 1, q2);
        for (int i = 0; i < 64; ++i) slip_integrate(t.model, q, v, SLIP_R(1)/64, q);
        slip_difference(t.model, q, q2, x);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-4), 0, (double)largest(t.model->nv, x));
    }
}

static void test_bad_numbers_are_refused_and_leave_the_output_alone(void)
{
    tree_options o = { 0 };

    o.links = 5;
    o.floating_root = 1;
    tree_make(&t, &o, &rng);
    slip_random_q(t.model, &rng, q);
    memset(v, 0, sizeof v);
    memset(tau, 0, sizeof tau);
    a[0] = 7;
    v[t.model->nv - 1] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_aba(t.model, t.data, q, v, tau, NULL, a));
    v[t.model->nv - 1] = 0;
    tau[0] = (slip_real)INFINITY;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_aba(t.model, t.data, q, v, tau, NULL, a));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_rnea(t.model, t.data, q, v, tau, NULL, a));
    tau[0] = 0;
    memset(q + 3, 0, 4*sizeof *q);                       /* a quaternion of zero length */
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_aba(t.model, t.data, q, v, tau, NULL, a));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_kinematics(t.model, t.data, q));
    TEST_ASSERT_TRUE(a[0] == 7);
}

static void test_outputs_may_alias_inputs(void)
{
    for (int k = 0; k < 20; ++k) {
        random_case(k);
        slip_rnea(t.model, t.data, q, v, a, NULL, x);
        memcpy(y, a, sizeof y);
        slip_rnea(t.model, t.data, q, v, y, NULL, y);
        TEST_ASSERT_EQUAL_INT(0, memcmp(x, y, (size_t)t.model->nv*sizeof *x));
        slip_aba(t.model, t.data, q, v, tau, NULL, x);
        memcpy(y, tau, sizeof y);
        slip_aba(t.model, t.data, q, v, y, NULL, y);
        TEST_ASSERT_EQUAL_INT(0, memcmp(x, y, (size_t)t.model->nv*sizeof *x));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_aba_undoes_rnea);
    RUN_TEST(test_aba_undoes_rnea_under_external_wrenches);
    RUN_TEST(test_mass_matrix_times_aba_plus_bias_is_tau);
    RUN_TEST(test_crba_columns_are_rnea_of_unit_accelerations);
    RUN_TEST(test_mass_matrix_is_positive_definite_and_ltl_reproduces_it);
    RUN_TEST(test_inverse_of_the_mass_matrix_is_its_inverse);
    RUN_TEST(test_bias_is_rnea_without_acceleration_and_gravity_without_velocity);
    RUN_TEST(test_bias_after_the_mass_matrix_is_that_of_its_own_positions);
    RUN_TEST(test_gravity_is_the_gradient_of_the_potential_energy);
    RUN_TEST(test_link_jacobians_match_velocities_and_finite_differences);
    RUN_TEST(test_jacobian_derivative_matches_finite_differences_in_every_frame);
    RUN_TEST(test_kinetic_energy_is_half_v_M_v);
    RUN_TEST(test_power_of_the_joint_forces_is_the_rate_of_the_energy);
    RUN_TEST(test_momentum_changes_by_gravity_alone_in_free_flight);
    RUN_TEST(test_integrate_and_difference_are_inverse);
    RUN_TEST(test_integrating_in_many_steps_is_the_same_as_in_one);
    RUN_TEST(test_bad_numbers_are_refused_and_leave_the_output_alone);
    RUN_TEST(test_outputs_may_alias_inputs);
    return UNITY_END();
}
