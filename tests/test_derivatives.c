/* Analytic derivatives of kinematics and dynamics against differences without truncation where there are such, and
 * extrapolated ones elsewhere, over random trees of all joints.
 *
 * Velocities, forces and momenta are trigonometric polynomials in the angle of every joint that turns, of degree 4 at
 * most, and polynomials of degree 2 at most in displacements and velocities. So differences over unit steps, and Riesz'
 * interpolation formula on eight angles, give their derivatives exactly. Mimic joints turn by any multiple of an
 * angle, and accelerations are quotients: there Romberg's extrapolation of central differences is the truth. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "random_tree.h"

enum { NMAX = 6*TREE_MAX_LINKS, TRIALS = 120 };

/* Relative to the largest entry of a matrix: rounding over some tens of bodies. */
#define EXACT   SLIP_TOL(1e-11, 2e-3)
#define ROMBERG SLIP_TOL(1e-8, 5e-2)

static tree t;
static slip_random rng;
static slip_real q[NMAX + TREE_MAX_LINKS], v[NMAX], a[NMAX], tau[NMAX], wrench[6*(TREE_MAX_LINKS + 1)];
static slip_real Dq[NMAX*NMAX], Dv[NMAX*NMAX], Da[NMAX*NMAX], truth[NMAX*NMAX];
static unsigned char memory[1 << 22];
static slip_arena ws;
static int with_wrench, link, frame;

void setUp(void)
{
    rng = slip_random_seed(20260);
    ws = slip_arena_over(memory, sizeof memory);
}
void tearDown(void) { }

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static void random_wrench(void)
{
    slip_real force[3], moment[3], point[3];

    memset(wrench, 0, sizeof wrench);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_kinematics(t.model, t.data, q));
    for (int l = 0; l < t.model->nlinks; ++l) {
        if (slip_random_int(&rng, 0, 2)) continue;
        tree_random_vector(&rng, 3, force);
        tree_random_vector(&rng, 3, moment);
        tree_random_vector(&rng, 3, point);
        slip_scale3(30, force, force);
        slip_wrench_add(t.model, t.data, l, point, force, moment, wrench);
    }
}

static void random_case(int trial, int mimic)
{
    tree_options o = { 0 };

    o.links = 1 + trial % 20;
    o.floating_root = trial % 3 == 0;
    o.mimic = mimic;
    o.armature = trial % 2;
    o.only_simple = trial % 5 == 4;
    tree_make(&t, &o, &rng);
    slip_random_q(t.model, &rng, q);
    tree_random_vector(&rng, t.model->nv, v);
    tree_random_vector(&rng, t.model->nv, a);
    tree_random_vector(&rng, t.model->nv, tau);
    for (int i = 0; i < t.model->nv; ++i) { a[i] *= 5; tau[i] *= 20; }
    with_wrench = trial % 4 >= 2;
    random_wrench();
    link = slip_random_int(&rng, 0, t.model->nlinks - 1);
    frame = trial % 3;
}

static const slip_real *the_wrench(void) { return with_wrench ? wrench : NULL; }

/* ---- what is differentiated: n numbers at a state ---------------------------------------------------------------- */

typedef int (*function)(const slip_real *q, const slip_real *v, const slip_real *a, slip_real *out);

static int by_rnea(const slip_real *q1, const slip_real *v1, const slip_real *a1, slip_real *out)
{
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_rnea(t.model, t.data, q1, v1, a1, the_wrench(), out));
    return t.model->nv;
}

static int by_aba(const slip_real *q1, const slip_real *v1, const slip_real *a1, slip_real *out)
{
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba(t.model, t.data, q1, v1, a1, the_wrench(), out));
    return t.model->nv;
}

static void times(const slip_real *J, const slip_real *x, slip_real y[6])
{
    for (int i = 0; i < 6; ++i) {
        y[i] = 0;
        for (int k = 0; k < t.model->nv; ++k) y[i] += J[i*t.model->nv + k]*x[k];
    }
}

static int by_link_velocity(const slip_real *q1, const slip_real *v1, const slip_real *a1, slip_real *out)
{
    static slip_real J[6*NMAX];

    (void)a1;
    slip_kinematics(t.model, t.data, q1);
    slip_link_jacobian(t.model, t.data, link, (slip_frame)frame, J);
    times(J, v1, out);
    return 6;
}

static int by_link_acceleration(const slip_real *q1, const slip_real *v1, const slip_real *a1, slip_real *out)
{
    static slip_real J[6*NMAX], zero[NMAX];
    slip_real dJv[6];

    slip_kinematics(t.model, t.data, q1);
    slip_velocities(t.model, t.data, v1);
    slip_accelerations(t.model, t.data, v1, zero);
    slip_link_jacobian(t.model, t.data, link, (slip_frame)frame, J);
    slip_link_jacobian_dot_v(t.model, t.data, link, (slip_frame)frame, dJv);
    times(J, a1, out);
    for (int i = 0; i < 6; ++i) out[i] += dJv[i];
    return 6;
}

static int by_com(const slip_real *q1, const slip_real *v1, const slip_real *a1, slip_real *out)
{
    (void)v1; (void)a1;
    slip_kinematics(t.model, t.data, q1);
    slip_center_of_mass(t.model, t.data, out);
    return 3;
}

static int by_momentum(const slip_real *q1, const slip_real *v1, const slip_real *a1, slip_real *out)
{
    (void)a1;
    slip_kinematics(t.model, t.data, q1);
    slip_velocities(t.model, t.data, v1);
    slip_momentum(t.model, t.data, out);
    return 6;
}

/* ---- differences ------------------------------------------------------------------------------------------------- */

enum { BY_Q, BY_V };

/* f at a state moved by h in direction k of q or v; returns the numbers. */
static int moved(function f, int by, int k, slip_real h, slip_real *out)
{
    static slip_real unit[NMAX], q1[NMAX + TREE_MAX_LINKS], v1[NMAX];

    memset(unit, 0, sizeof unit);
    unit[k] = 1;
    memcpy(v1, v, sizeof v1);
    memcpy(q1, q, sizeof q1);
    if (by == BY_Q) slip_integrate(t.model, q, unit, h, q1);
    else v1[k] += h;
    return f(q1, v1, f == by_aba ? tau : a, out);
}

static int turns(int k)
{
    for (int d = 0; d < t.model->ndofs; ++d) if (t.model->dof_iv[d] == k) return t.model->dof_angular[d];
    return 0;
}

/* Without truncation: Riesz' formula f' = sum over r of (-1)^(r+1) f(t_r)/(16 sin^2(t_r/2)), t_r = (2r - 1) pi/8, for
 * trigonometric polynomials of degree 4; (f(1) - f(-1))/2 for polynomials of degree 2. Column k of truth. */
static int exact_column(function f, int by, int k)
{
    static slip_real y[NMAX];
    static double sum[NMAX];
    const int nodes = by == BY_Q && turns(k) ? 8 : 2;
    int n = 0;

    memset(sum, 0, sizeof sum);
    for (int r = 1; r <= nodes; ++r) {
        const double angle = nodes == 2 ? (r == 1 ? 1 : -1) : (2*r - 1)*3.14159265358979323846/8;
        const double s = sin(angle/2), weight = nodes == 2 ? angle/2 : (r % 2 ? 1 : -1)/(16*s*s);

        n = moved(f, by, k, (slip_real)angle, y);
        for (int i = 0; i < n; ++i) sum[i] += weight*(double)y[i];
    }
    for (int i = 0; i < n; ++i) truth[i*t.model->nv + k] = (slip_real)sum[i];
    return n;
}

/* Central differences over h, h/2, h/4, h/8, extrapolated: an error of h^8. */
static int romberg_column(function f, int by, int k)
{
    enum { LEVELS = 4 };
    static slip_real plus[NMAX], minus[NMAX], D[LEVELS][NMAX];
    int n = 0;

    for (int l = 0; l < LEVELS; ++l) {
        const slip_real h = SLIP_TOL(0.01, 0.1)/(slip_real)(1 << l);

        n = moved(f, by, k, h, plus);
        moved(f, by, k, -h, minus);
        for (int i = 0; i < n; ++i) D[l][i] = (plus[i] - minus[i])/(2*h);
    }
    for (int level = 1; level < LEVELS; ++level)
        for (int l = LEVELS - 1; l >= level; --l) {
            const slip_real c = (slip_real)(1 << (2*level));

            for (int i = 0; i < n; ++i) D[l][i] += (D[l][i] - D[l - 1][i])/(c - 1);
        }
    for (int i = 0; i < n; ++i) truth[i*t.model->nv + k] = D[LEVELS - 1][i];
    return n;
}

static double largest(int n, const slip_real *x)
{
    double most = 0;

    for (int i = 0; i < n; ++i) most = fmax(most, fabs((double)x[i]));
    return most;
}

/* D against differences of f, all columns; tolerances are relative to the largest entry, or to `least`. */
static void assert_derivative(function f, int by, const slip_real *D, double tol, double least, const char *what)
{
    const int nv = t.model->nv;
    double scale;
    int n = 0;

    for (int k = 0; k < nv; ++k)
        n = t.model->ndofs != nv || f == by_aba ? romberg_column(f, by, k) : exact_column(f, by, k);
    scale = tol*fmax(least, largest(n*nv, truth));
    for (int i = 0; i < n*nv; ++i) {
        char where[96];

        if (fabs((double)truth[i] - (double)D[i]) <= scale) continue;
        snprintf(where, sizeof where, "%s, row %d, column %d of %d", what, i/nv, i%nv, nv);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(scale, (double)truth[i], (double)D[i], where);
    }
}

/* ---- inverse dynamics -------------------------------------------------------------------------------------------- */

static void rnea_derivatives(void)
{
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_rnea_derivatives(t.model, t.data, q, v, a, the_wrench(), Dq, Dv, &ws));
    slip_mass_matrix(t.model, t.data, Da);
}

static void test_inverse_dynamics_of_all_joints_with_wrenches(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k, 0);
        rnea_derivatives();
        assert_derivative(by_rnea, BY_Q, Dq, (double)EXACT, 1, "dtau_dq");
        assert_derivative(by_rnea, BY_V, Dv, (double)EXACT, 1, "dtau_dv");
    }
}

static void test_inverse_dynamics_with_mimic_joints(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        random_case(k, 1);
        rnea_derivatives();
        assert_derivative(by_rnea, BY_Q, Dq, (double)ROMBERG, 1, "dtau_dq");
        assert_derivative(by_rnea, BY_V, Dv, (double)ROMBERG, 1, "dtau_dv");
    }
}

static void test_the_mass_matrix_is_that_of_crba(void)
{
    static slip_real M[NMAX*NMAX];

    for (int k = 0; k < TRIALS; ++k) {
        random_case(k, k % 2);
        rnea_derivatives();
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_crba(t.model, t.data, q));
        slip_mass_matrix(t.model, t.data, M);
        for (int i = 0; i < t.model->nv*t.model->nv; ++i)
            TEST_ASSERT_DOUBLE_WITHIN((double)EXACT*largest(t.model->nv*t.model->nv, M), (double)M[i], (double)Da[i]);
    }
}

/* Whether a freedom of one coordinate is at, above or below one of another. */
static int related(int i, int j)
{
    const slip_model *m = t.model;

    for (int d = 0; d < m->ndofs; ++d)
        for (int e = m->dof_iv[d] == i ? m->ndofs - 1 : -1; e >= 0; --e) {
            int low = d > e ? d : e;
            const int high = d > e ? e : d;

            if (m->dof_iv[e] != j) continue;
            while (low > high) low = m->dofs.parent[low];
            if (low == high) return 1;
        }
    return 0;
}

static void test_entries_of_unrelated_freedoms_are_exactly_zero(void)
{
    int zeros = 0;

    for (int k = 0; k < TRIALS; ++k) {
        random_case(k, k % 2);
        rnea_derivatives();
        for (int i = 0; i < t.model->nv*t.model->nv; ++i) {
            if (related(i/t.model->nv, i%t.model->nv)) continue;
            ++zeros;
            TEST_ASSERT_TRUE(Dq[i] == 0 && Dv[i] == 0);
        }
    }
    TEST_ASSERT_GREATER_THAN_INT(1000, zeros);
}

/* O is a point of the tree: a kilometre away only the position itself has lost digits. */
static void test_far_from_the_worlds_origin_derivatives_keep_their_digits(void)
{
    static slip_real near_q[NMAX*NMAX], near_v[NMAX*NMAX];
    const slip_real far = SLIP_R(1048576);
    int n;

    for (int k = 0; k < 30; k += 3) {                        /* those with a floating root */
        random_case(k, 0);
        n = t.model->nv*t.model->nv;
        rnea_derivatives();
        memcpy(near_q, Dq, sizeof near_q);
        memcpy(near_v, Dv, sizeof near_v);
        q[0] += far;
        q[1] -= far;
        rnea_derivatives();
        for (int i = 0; i < n; ++i) {
            TEST_ASSERT_DOUBLE_WITHIN((double)EXACT*(1 + largest(n, near_q)), (double)near_q[i], (double)Dq[i]);
            TEST_ASSERT_DOUBLE_WITHIN((double)EXACT*(1 + largest(n, near_v)), (double)near_v[i], (double)Dv[i]);
        }
    }
}

/* ---- forward dynamics -------------------------------------------------------------------------------------------- */

static void test_forward_dynamics_of_all_joints_with_wrenches_and_mimic_joints(void)
{
    static slip_real acc[NMAX], same[NMAX], M_inv[NMAX*NMAX];

    for (int k = 0; k < TRIALS; ++k) {
        const int mimic = k % 4 == 1;
        int n;

        random_case(k, mimic);
        n = t.model->nv;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba_derivatives(t.model, t.data, q, v, tau, the_wrench(), acc, Dq, Dv, Da,
                                                            &ws));
        by_aba(q, v, tau, same);
        for (int i = 0; i < n; ++i)
            TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-9, 2e-2)*(1 + largest(n, same)), (double)same[i], (double)acc[i]);
        slip_mass_matrix_inverse(t.model, t.data, q, M_inv);
        for (int i = 0; i < n*n; ++i)
            TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-9, 2e-2)*largest(n*n, M_inv), (double)M_inv[i], (double)Da[i]);
        if (sizeof(slip_real) == sizeof(float)) continue;    /* differences of float accelerations say little */
        assert_derivative(by_aba, BY_Q, Dq, 1e-8, 1, "da_dq");
        assert_derivative(by_aba, BY_V, Dv, 1e-8, 1, "da_dv");
    }
}

/* M da/dq + dtau/dq = 0 at the acceleration itself, both precisions. */
static void test_forward_and_inverse_dynamics_have_opposite_derivatives(void)
{
    static slip_real Aq[NMAX*NMAX], Av[NMAX*NMAX];

    for (int k = 0; k < TRIALS; ++k) {
        int n;

        random_case(k, k % 4 == 1);
        n = t.model->nv;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_aba_derivatives(t.model, t.data, q, v, tau, the_wrench(), a, Aq, Av, NULL,
                                                            &ws));
        rnea_derivatives();
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double by_q = (double)Dq[i*n + j], by_v = (double)Dv[i*n + j], terms = 1;

                for (int l = 0; l < n; ++l) {
                    const double a_q = (double)Da[i*n + l]*(double)Aq[l*n + j];
                    const double a_v = (double)Da[i*n + l]*(double)Av[l*n + j];

                    by_q += a_q;
                    by_v += a_v;
                    terms += fabs(a_q) + fabs(a_v);
                }
                TEST_ASSERT_DOUBLE_WITHIN((double)EXACT*terms, 0, by_q);
                TEST_ASSERT_DOUBLE_WITHIN((double)EXACT*terms, 0, by_v);
            }
    }
}

/* ---- links, centre of mass, momentum ----------------------------------------------------------------------------- */

static void test_velocities_and_accelerations_of_links_in_all_frames(void)
{
    for (int k = 0; k < 2*TRIALS; ++k) {
        const int mimic = k % 4 == 1;
        const double tol = (double)(mimic ? ROMBERG : EXACT);

        random_case(k, mimic);
        slip_kinematics(t.model, t.data, q);
        slip_velocities(t.model, t.data, v);
        slip_accelerations(t.model, t.data, v, a);
        slip_link_derivatives(t.model, t.data, link, (slip_frame)frame, Dq, Da, Dv);
        assert_derivative(by_link_velocity, BY_Q, Dq, tol, 1, "vel_dq");
        assert_derivative(by_link_acceleration, BY_Q, Da, tol, 1, "acc_dq");
        assert_derivative(by_link_acceleration, BY_V, Dv, tol, 1, "acc_dv");
    }
}

static void test_the_centre_of_mass_and_the_momentum(void)
{
    for (int k = 0; k < TRIALS; ++k) {
        const int mimic = k % 4 == 1;
        const double tol = (double)(mimic ? ROMBERG : EXACT);

        random_case(k, mimic);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_crba(t.model, t.data, q));
        slip_velocities(t.model, t.data, v);
        slip_momentum_derivatives(t.model, t.data, Da, Dq, Dv);
        assert_derivative(by_com, BY_Q, Da, tol, 1, "com_dq");
        assert_derivative(by_momentum, BY_Q, Dq, tol, 1, "h_dq");
        assert_derivative(by_momentum, BY_V, Dv, tol, 1, "h_dv");
    }
}

/* ---- what can go wrong ------------------------------------------------------------------------------------------- */

static void test_one_byte_too_few_is_an_error_that_leaves_all_as_it_was(void)
{
    size_t most;

    random_case(7, 1);
    most = slip_derivatives_bytes(t.model);
    for (size_t size = 0; size <= most; size += size + 64 < most ? 64 : 1) {
        slip_arena small = slip_arena_over(memory, size);
        slip_status s;

        Dq[0] = Dv[0] = 7;
        s = slip_rnea_derivatives(t.model, t.data, q, v, a, NULL, Dq, Dv, &small);
        TEST_ASSERT_TRUE(s == SLIP_OK || (s == SLIP_ERR_WORKSPACE && Dq[0] == 7 && Dv[0] == 7));
        TEST_ASSERT_EQUAL_UINT64(0, slip_arena_mark(&small));
        s = slip_aba_derivatives(t.model, t.data, q, v, tau, NULL, NULL, Dq, Dv, NULL, &small);
        TEST_ASSERT_TRUE(s == SLIP_OK || (s == SLIP_ERR_WORKSPACE && (size == most || Dq[0] == 7)));
        TEST_ASSERT_EQUAL_UINT64(0, slip_arena_mark(&small));
        if (size == most) TEST_ASSERT_EQUAL_INT(SLIP_OK, s);
    }
}

static void test_inputs_that_are_not_finite_are_errors(void)
{
    random_case(9, 0);
    Dq[0] = 7;
    for (int k = 0; k < 3; ++k) {
        slip_real *const bad = k == 0 ? q : k == 1 ? v : a, old = bad[0];

        bad[0] = (slip_real)NAN;
        TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_rnea_derivatives(t.model, t.data, q, v, a, NULL, Dq, Dv, &ws));
        TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT,
                              slip_aba_derivatives(t.model, t.data, q, v, a, NULL, NULL, Dq, Dv, NULL, &ws));
        bad[0] = old;
    }
    wrench[6] = (slip_real)INFINITY;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_rnea_derivatives(t.model, t.data, q, v, a, wrench, Dq, Dv, &ws));
    TEST_ASSERT_TRUE(Dq[0] == 7);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_inverse_dynamics_of_all_joints_with_wrenches);
    RUN_TEST(test_inverse_dynamics_with_mimic_joints);
    RUN_TEST(test_the_mass_matrix_is_that_of_crba);
    RUN_TEST(test_entries_of_unrelated_freedoms_are_exactly_zero);
    RUN_TEST(test_far_from_the_worlds_origin_derivatives_keep_their_digits);
    RUN_TEST(test_forward_dynamics_of_all_joints_with_wrenches_and_mimic_joints);
    RUN_TEST(test_forward_and_inverse_dynamics_have_opposite_derivatives);
    RUN_TEST(test_velocities_and_accelerations_of_links_in_all_frames);
    RUN_TEST(test_the_centre_of_mass_and_the_momentum);
    RUN_TEST(test_one_byte_too_few_is_an_error_that_leaves_all_as_it_was);
    RUN_TEST(test_inputs_that_are_not_finite_are_errors);
    return UNITY_END();
}
