/* Small vectors, matrices, quaternions, poses: identities on random data, aliasing, tiny and huge
 * values, and the places where formulas change over or lose digits. */
#include "unity.h"

#include <stdio.h>
#include <string.h>
#include "base/base.h"

#define EPS ((double)SLIP_REAL_EPS)
#define TIMES 20000

static slip_random rng;

void setUp(void) { rng = slip_random_seed(17); }
void tearDown(void) { }

/* ---- helpers ---------------------------------------------------------------------------------- */

static void random3(slip_real a[3])
{
    int i;

    for (i = 0; i < 3; ++i) a[i] = slip_random_normal(&rng);
}

static void random9(slip_real A[9])
{
    int i;

    for (i = 0; i < 9; ++i) A[i] = slip_random_normal(&rng);
}

static void random_rotation(slip_real R[9])
{
    slip_real q[4];

    slip_random_quat(&rng, q);
    slip_quat_to_mat3(q, R);
}

/* Largest difference of two arrays; NaN anywhere gives NaN, which no tolerance admits. */
static double gap(const slip_real *a, const slip_real *b, int n)
{
    double worst = 0;
    int i;

    for (i = 0; i < n; ++i) {
        const double d = fabs((double)a[i] - (double)b[i]);

        if (!(d <= worst)) worst = d;
        if (worst != worst) break;
    }
    return worst;
}

static void check_near(const slip_real *wanted, const slip_real *got, int n, double tolerance, const char *what)
{
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tolerance, 0, gap(wanted, got, n), what);
}

/* The same bits; to rounding where multiplications and additions may be fused, in place otherwise than elsewhere. */
static void check_same(const slip_real *wanted, const slip_real *got, int n, const char *what)
{
#ifdef __FP_FAST_FMA
    check_near(wanted, got, n, 1e-15*(1 + (double)slip_max_abs(n, wanted)), what);
#else
    TEST_ASSERT_TRUE_MESSAGE(memcmp(wanted, got, sizeof(slip_real)*(size_t)n) == 0, what);
#endif
}

static void check_rotation(const slip_real R[9], double tolerance)
{
    slip_real I[9], P[9];

    slip_mat3_identity(I);
    slip_mat3_tmul(R, R, P);
    check_near(I, P, 9, tolerance, "R' R");
    TEST_ASSERT_DOUBLE_WITHIN(tolerance, 1, (double)slip_mat3_det(R));
}

/* ---- 3-vectors ------------------------------------------------------------------------------- */

static void test_vector_operations_do_what_their_names_say(void)
{
    const slip_real a[3] = { 1, -2, 3 }, b[3] = { 4, 5, -6 };
    const slip_real sum[3] = { 5, 3, -3 }, difference[3] = { -3, -7, 9 }, twice[3] = { 2, -4, 6 };
    const slip_real axpy[3] = { 6, 1, 0 }, cross[3] = { -3, 18, 13 }, minus[3] = { -1, 2, -3 };
    slip_real r[3];

    slip_add3(a, b, r);          check_same(sum, r, 3, "add");
    slip_sub3(a, b, r);          check_same(difference, r, 3, "sub");
    slip_scale3(2, a, r);        check_same(twice, r, 3, "scale");
    slip_axpy3(2, a, b, r);      check_same(axpy, r, 3, "axpy");
    slip_cross3(a, b, r);        check_same(cross, r, 3, "cross");
    slip_neg3(a, r);             check_same(minus, r, 3, "neg");
    slip_copy3(a, r);            check_same(a, r, 3, "copy");
    slip_set3(1, -2, 3, r);      check_same(a, r, 3, "set");
    slip_cross3_add(a, b, r);    slip_sub3(r, a, r);  check_same(cross, r, 3, "cross add");
    slip_zero3(r);
    TEST_ASSERT_TRUE(r[0] == 0 && r[1] == 0 && r[2] == 0);
    TEST_ASSERT_TRUE(slip_dot3(a, b) == -24);
    TEST_ASSERT_DOUBLE_WITHIN(4*EPS, 3.7416573867739413, (double)slip_norm3(a));
    TEST_ASSERT_DOUBLE_WITHIN(4*EPS, 2.2360679774997896, (double)slip_norm2(a));
    TEST_ASSERT_DOUBLE_WITHIN(20*EPS, 11.789826122551595, (double)slip_distance3(a, b));
}

static void test_vector_results_may_overwrite_either_input(void)
{
    slip_real a[3], b[3], r[3], x[3], y[3];

    random3(a);
    random3(b);
#define BOTH(call_r, call_x, call_y, name) \
    do { \
        slip_copy3(a, x); slip_copy3(b, y); call_r; call_x; check_same(r, x, 3, name " into the first"); \
        slip_copy3(a, x); call_y; check_same(r, y, 3, name " into the second"); \
    } while (0)
    BOTH(slip_add3(a, b, r), slip_add3(x, b, x), slip_add3(a, y, y), "add");
    BOTH(slip_sub3(a, b, r), slip_sub3(x, b, x), slip_sub3(a, y, y), "sub");
    BOTH(slip_cross3(a, b, r), slip_cross3(x, b, x), slip_cross3(a, y, y), "cross");
    BOTH(slip_axpy3(3, a, b, r), slip_axpy3(3, x, b, x), slip_axpy3(3, a, y, y), "axpy");
#undef BOTH
    slip_normalize3(a, r);
    slip_copy3(a, x);
    slip_normalize3(x, x);
    check_same(r, x, 3, "normalize in place");
}

static void test_cross_products_are_orthogonal_to_their_factors(void)
{
    int i;

    for (i = 0; i < TIMES; ++i) {
        slip_real a[3], b[3], c[3];
        double size;

        random3(a);
        random3(b);
        slip_cross3(a, b, c);
        size = (double)(slip_norm3(a)*slip_norm3(b));
        TEST_ASSERT_DOUBLE_WITHIN(8*EPS*size*(double)slip_norm3(a), 0, (double)slip_dot3(a, c));
        TEST_ASSERT_DOUBLE_WITHIN(8*EPS*size*(double)slip_norm3(b), 0, (double)slip_dot3(b, c));
    }
}

static void test_normalising_is_immune_to_the_length(void)
{
    const slip_real scales[] = { SLIP_REAL_MAX/4, SLIP_R(1e18), 1, SLIP_R(1e-18), SLIP_REAL_MIN, SLIP_REAL_MIN/1024 };
    slip_real r[3] = { 7, 7, 7 }, zero[3] = { 0, 0, 0 };
    int i, k;

    for (k = 0; k < 6; ++k)
        for (i = 0; i < 1000; ++i) {
            slip_real u[3], a[3];
            double length;

            slip_random_unit3(&rng, u);
            slip_scale3(scales[k], u, a);
            length = (double)slip_normalize3(a, r);
            TEST_ASSERT_DOUBLE_WITHIN(4*EPS, 1, (double)slip_norm3(r));
            /* below the normal range a itself has lost 10 bits */
            TEST_ASSERT_DOUBLE_WITHIN(k == 5 ? 2048*EPS : 8*EPS, 0, gap(u, r, 3));
            TEST_ASSERT_DOUBLE_WITHIN(k == 5 ? 2048*EPS : 8*EPS, 1, length/(double)scales[k]);
        }
    TEST_ASSERT_TRUE(slip_normalize3(zero, r) == 0);
    TEST_ASSERT_TRUE(r[0] == 0 && r[1] == 0 && r[2] == 0);
}

static void check_tangents(const slip_real n[3])
{
    slip_real t1[3], t2[3], c[3];

    slip_tangents(n, t1, t2);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(8*EPS, 1, (double)slip_norm3(t1), "|t1|");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(8*EPS, 1, (double)slip_norm3(t2), "|t2|");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(8*EPS, 0, (double)slip_dot3(t1, t2), "t1 . t2");
    slip_cross3(t1, t2, c);
    check_near(n, c, 3, 8*EPS, "t1 x t2 = n");
}

static void test_tangents_are_orthonormal_and_right_handed_everywhere(void)
{
    static const slip_real poles[6][3] = { { 0, 0, 1 }, { 0, 0, -1 }, { 1, 0, 0 },
                                           { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } };
    slip_real t1[3], t2[3];
    int i, k;

    for (i = 0; i < 6; ++i) check_tangents(poles[i]);
    for (i = 0; i < TIMES; ++i) {
        slip_real n[3];

        slip_random_unit3(&rng, n);
        check_tangents(n);
    }
    for (k = 1; k <= 200; ++k)                              /* closer and closer to -z and to z */
        for (i = 0; i < 20; ++i) {
            const slip_real s = slip_pow(10, SLIP_R(-0.1)*(slip_real)k*SLIP_TOL(16, 2)/10);
            const slip_real a = slip_random_uniform(&rng, 0, 2*SLIP_PI);
            slip_real n[3];

            slip_set3(s*slip_cos(a), s*slip_sin(a), i & 1 ? -1 : 1, n);
            slip_normalize3(n, n);
            check_tangents(n);
        }
    slip_tangents(poles[0], t1, t2);
    check_near(poles[2], t1, 3, 0, "x for n = z");
    check_near(poles[4], t2, 3, 0, "y for n = z");
}

static void test_tangents_are_continuous_away_from_minus_z(void)
{
    int i;

    for (i = 0; i < TIMES; ++i) {                           /* rate of turn is below 2/|n + z| */
        slip_real n[3], m[3], a[3], b[3], c[3], d[3];
        double step, distance;

        slip_random_unit3(&rng, n);
        if (n[2] < SLIP_R(-0.999)) continue;
        random3(m);
        slip_axpy3(SLIP_R(1e-3), m, n, m);
        slip_normalize3(m, m);
        step = (double)slip_distance3(n, m);
        distance = sqrt(2*(1 + (double)slip_min(n[2], m[2])));
        slip_tangents(n, a, b);
        slip_tangents(m, c, d);
        TEST_ASSERT_DOUBLE_WITHIN(4*step/distance + 100*EPS, 0, gap(a, c, 3));
        TEST_ASSERT_DOUBLE_WITHIN(4*step/distance + 100*EPS, 0, gap(b, d, 3));
    }
}

static void test_finite_means_neither_nan_nor_infinite(void)
{
    slip_real x[5] = { 1, SLIP_REAL_MAX, 0, -SLIP_REAL_MAX, SLIP_REAL_MIN };
    const slip_real bad[3] = { (slip_real)NAN, (slip_real)INFINITY, -(slip_real)INFINITY };
    int i, k;

    TEST_ASSERT_TRUE(slip_all_finite(x, 5));
    TEST_ASSERT_TRUE(slip_all_finite(x, 0));
    for (i = 0; i < 5; ++i)
        for (k = 0; k < 3; ++k) {
            const slip_real keep = x[i];

            TEST_ASSERT_TRUE(slip_is_finite(x[i]));
            TEST_ASSERT_FALSE(slip_is_finite(bad[k]));
            x[i] = bad[k];
            TEST_ASSERT_FALSE(slip_all_finite(x, 5));
            x[i] = keep;
        }
    TEST_ASSERT_TRUE(slip_clamp(5, -1, 1) == 1 && slip_clamp(-5, -1, 1) == -1 && slip_clamp(0, -1, 1) == 0);
    TEST_ASSERT_TRUE(slip_min(1, 2) == 1 && slip_max(1, 2) == 2);
}

static void test_no_entry_is_overlooked(void)
{
    const slip_real bad[3] = { (slip_real)NAN, (slip_real)INFINITY, SLIP_R(-2.5) };
    slip_real x[11], *at;
    slip_pose X;
    int n, i, k;

    for (n = 0; n < 11; ++n) {
        for (i = 0; i < n; ++i) x[i] = i % 2 ? SLIP_R(2) : SLIP_R(-2);
        TEST_ASSERT_TRUE(slip_all_within(x, n, 2) && slip_all_finite(x, n));
        for (i = 0; i < n; ++i)
            for (k = 0; k < 3; ++k) {
                const slip_real keep = x[i];

                x[i] = bad[k];
                TEST_ASSERT_FALSE(slip_all_within(x, n, 2));
                TEST_ASSERT_EQUAL_INT(k == 2, slip_all_finite(x, n));
                x[i] = keep;
            }
    }
    for (i = 0; i < 12; ++i) {
        slip_pose_identity(&X);
        TEST_ASSERT_TRUE(slip_pose_is_finite(&X));
        at = i < 9 ? X.R + i : X.p + i - 9;
        *at = bad[i % 2];
        TEST_ASSERT_FALSE(slip_pose_is_finite(&X));
    }
}

/* ---- matrices --------------------------------------------------------------------------------- */

static void test_matrix_products_agree_with_their_definition(void)
{
    int i, j, k;

    for (k = 0; k < 1000; ++k) {
        slip_real A[9], B[9], C[9], D[9], T[9], x[3], y[3], z[3];

        random9(A);
        random9(B);
        random3(x);
        for (i = 0; i < 3; ++i) {
            y[i] = A[3*i]*x[0] + A[3*i + 1]*x[1] + A[3*i + 2]*x[2];
            for (j = 0; j < 3; ++j) {
                C[3*i + j] = A[3*i]*B[j] + A[3*i + 1]*B[3 + j] + A[3*i + 2]*B[6 + j];
                T[3*j + i] = A[3*i + j];
            }
        }
        slip_mat3_mul(A, B, D);         check_near(C, D, 9, 50*EPS, "A B");
        slip_mat3_transpose(A, D);      check_same(T, D, 9, "A'");
        slip_mat3_tmul(T, B, D);        check_near(C, D, 9, 50*EPS, "A'' B");
        slip_mat3_vec(A, x, z);         check_near(y, z, 3, 50*EPS, "A x");
        slip_mat3_tvec(T, x, z);        check_near(y, z, 3, 50*EPS, "A'' x");
        slip_mat3_mul(A, B, C);
        slip_mat3_copy(A, D);           slip_mat3_mul(D, B, D);   check_same(C, D, 9, "A B into A");
        slip_mat3_copy(B, D);           slip_mat3_mul(A, D, D);   check_same(C, D, 9, "A B into B");
        slip_mat3_copy(A, D);           slip_mat3_transpose(D, D); check_same(T, D, 9, "A' in place");
        slip_mat3_copy(B, D);           slip_mat3_tmul(T, D, D);  check_same(C, D, 9, "A'' B into B");
        slip_mat3_vec(A, x, y);
        slip_mat3_vec(A, x, x);         check_same(y, x, 3, "A x into x");
        TEST_ASSERT_DOUBLE_WITHIN(100*EPS*(1 + fabs((double)(slip_mat3_det(A)*slip_mat3_det(B)))),
                                  0, (double)((slip_mat3_det(C) - slip_mat3_det(A)*slip_mat3_det(B))/100));
    }
}

static void test_inverses_undo_and_singular_matrices_are_left_alone(void)
{
    const slip_real singular[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, keep[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    slip_real zero[9] = { 0 }, B[9], I[9];
    int i;

    slip_mat3_identity(I);
    for (i = 0; i < TIMES; ++i) {
        slip_real A[9], P[9];
        double det, size;

        random9(A);
        det = (double)slip_mat3_inverse(A, B);
        TEST_ASSERT_DOUBLE_WITHIN(0, det, (double)slip_mat3_det(A));
        size = (double)(slip_max_abs(9, A)*slip_max_abs(9, B));
        slip_mat3_mul(A, B, P);
        check_near(I, P, 9, 60*EPS*size*size, "A A^-1");    /* cofactors: the condition number may enter twice */
        slip_mat3_copy(A, P);
        slip_mat3_inverse(P, P);
        check_same(B, P, 9, "inverse in place");
    }
    slip_mat3_copy(keep, B);
    TEST_ASSERT_TRUE(slip_mat3_inverse(singular, B) == 0);
    check_same(keep, B, 9, "singular");
    TEST_ASSERT_TRUE(slip_mat3_inverse(zero, B) == 0);
    check_same(keep, B, 9, "zero");
    zero[4] = (slip_real)NAN;
    slip_mat3_inverse(zero, B);
    check_same(keep, B, 9, "NaN");
}

/* A V = V diag(w), V a rotation, w ascending. */
static void check_eigen(const slip_real A[9], const char *what)
{
    slip_real S[9], w[3], V[9], AV[9], VW[9], scale;
    int i, j;

    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) S[3*i + j] = A[3*(i > j ? i : j) + (i > j ? j : i)];
    scale = slip_max_abs(9, S);
    slip_mat3_eigen(A, w, V);
    TEST_ASSERT_TRUE_MESSAGE(w[0] <= w[1] && w[1] <= w[2], what);
    check_rotation(V, 30*EPS);
    slip_mat3_mul(S, V, AV);
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) VW[3*i + j] = V[3*i + j]*w[j];
    check_near(AV, VW, 9, 60*EPS*(double)scale, what);
}

static void test_eigenvectors_of_random_and_degenerate_matrices(void)
{
    const slip_real diagonal[9] = { 3, 0, 0, 0, 1, 0, 0, 0, 2 }, triple[9] = { 5, 0, 0, 0, 5, 0, 0, 0, 5 };
    const slip_real lower[9] = { 2, 99, 99, 1, 2, 99, 0, 1, 2 }, zero[9] = { 0 };
    const slip_real one[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    slip_real w[3], V[9];
    int i, k;

    check_eigen(diagonal, "diagonal");
    check_eigen(triple, "multiple of the identity");
    check_eigen(zero, "zero");
    check_eigen(one, "rank one");
    check_eigen(lower, "only the lower triangle counts");
    slip_mat3_eigen(lower, w, V);
    TEST_ASSERT_DOUBLE_WITHIN(10*EPS, 2 - sqrt(2), (double)w[0]);
    TEST_ASSERT_DOUBLE_WITHIN(10*EPS, 2 + sqrt(2), (double)w[2]);
    for (i = 0; i < TIMES; ++i) {
        slip_real A[9], R[9], D[9] = { 0 };

        random9(A);
        check_eigen(A, "random");
        random_rotation(R);                                 /* R D R' with two equal, or tiny, eigenvalues */
        D[0] = 1;
        D[4] = i & 1 ? 1 : SLIP_R(1e-12);
        D[8] = i & 2 ? 2 : 1 + 4*SLIP_REAL_EPS;
        slip_mat3_mul(R, D, A);
        slip_mat3_transpose(R, R);
        slip_mat3_mul(A, R, A);
        check_eigen(A, "degenerate");
        for (k = 0; k < 9; ++k) A[k] *= i & 1 ? SLIP_TOL(1e150, 1e18) : SLIP_TOL(1e-150, 1e-18);
        check_eigen(A, "far from 1");
    }
}

static void test_rotations_about_an_axis_turn_by_the_angle(void)
{
    const slip_real z[3] = { 0, 0, 3 }, none[3] = { 0, 0, 0 }, x[3] = { 1, 0, 0 };
    slip_real R[9], I[9], y[3];
    int i;

    slip_mat3_from_axis_angle(z, SLIP_PI/2, R);
    slip_mat3_vec(R, x, y);
    TEST_ASSERT_DOUBLE_WITHIN(4*EPS, 1, (double)y[1]);
    slip_mat3_identity(I);
    slip_mat3_from_axis_angle(none, 1, R);
    check_same(I, R, 9, "no axis, no rotation");
    for (i = 0; i < TIMES; ++i) {
        slip_real axis[3], turned[3];
        const slip_real angle = slip_random_uniform(&rng, -6, 6);

        random3(axis);
        slip_mat3_from_axis_angle(axis, angle, R);
        check_rotation(R, 16*EPS);
        slip_mat3_vec(R, axis, turned);
        check_near(axis, turned, 3, 40*EPS, "the axis stays");
        TEST_ASSERT_DOUBLE_WITHIN(20*EPS, 1 + 2*cos((double)angle), (double)(R[0] + R[4] + R[8]));
    }
}

static void check_rpy(slip_real roll, slip_real pitch, slip_real yaw, double tolerance)
{
    const slip_real rpy[3] = { roll, pitch, yaw };
    slip_real R[9], S[9], back[3], x[3] = { roll, 0, 0 }, y[3] = { 0, pitch, 0 }, z[3] = { 0, 0, yaw }, a[4], b[4];

    slip_mat3_from_rpy(rpy, R);
    check_rotation(R, 20*EPS);
    slip_mat3_to_rpy(R, back);
    slip_mat3_from_rpy(back, S);
    check_near(R, S, 9, tolerance, "R of rpy of R");
    TEST_ASSERT_TRUE(slip_abs(back[1]) <= SLIP_PI/2 + 2*SLIP_REAL_EPS);
    slip_quat_exp(z, a);                                    /* the same by quaternions: small entries are noise */
    slip_quat_exp(y, b);
    slip_quat_mul(a, b, a);
    slip_quat_exp(x, b);
    slip_quat_mul(a, b, a);
    slip_quat_to_mat3(a, S);
    check_near(R, S, 9, 20*EPS, "R of rpy and of quaternions");
    slip_mat3_to_rpy(S, back);
    slip_mat3_from_rpy(back, R);
    check_near(S, R, 9, tolerance, "R of rpy of a noisy R");
}

static void test_roll_pitch_yaw_round_trips_also_at_the_poles(void)
{
    const slip_real quarter = SLIP_PI/2;
    slip_real rpy[3], R[9], S[9], back[3];
    int i, k;

    slip_set3(SLIP_R(0.3), SLIP_R(-0.7), SLIP_R(2.1), rpy);
    slip_mat3_from_rpy(rpy, R);
    slip_mat3_to_rpy(R, back);
    check_near(rpy, back, 3, 8*EPS, "angles");
    {                                                       /* the product of the three rotations */
        const slip_real x[3] = { 1, 0, 0 }, y[3] = { 0, 1, 0 }, z[3] = { 0, 0, 1 };
        slip_real X[9], Y[9], Z[9];

        slip_mat3_from_axis_angle(x, rpy[0], X);
        slip_mat3_from_axis_angle(y, rpy[1], Y);
        slip_mat3_from_axis_angle(z, rpy[2], Z);
        slip_mat3_mul(Z, Y, S);
        slip_mat3_mul(S, X, S);
        check_near(R, S, 9, 8*EPS, "Rz Ry Rx");
    }
    for (i = 0; i < TIMES; ++i) {
        for (k = 0; k < 3; ++k) rpy[k] = slip_random_uniform(&rng, -3, 3);
        check_rpy(rpy[0], rpy[1], rpy[2], 30*EPS);
    }
    for (i = 0; i < 1000; ++i)                              /* nearer and nearer to +-90 degrees, and there */
        for (k = 0; k <= 17; ++k) {
            const slip_real off = k == 17 ? 0 : slip_pow(10, -(slip_real)k);
            const slip_real pitch = (i & 1 ? 1 : -1)*(quarter - (i & 2 ? off : -off));
            const slip_real roll = slip_random_uniform(&rng, -3, 3);

            check_rpy(roll, pitch, slip_random_uniform(&rng, -3, 3), 60*EPS);
        }
    slip_set3(SLIP_R(0.4), quarter, SLIP_R(1.1), rpy);
    slip_mat3_from_rpy(rpy, R);
    R[0] = R[3] = R[7] = R[8] = 0;
    slip_mat3_to_rpy(R, back);
    TEST_ASSERT_TRUE(back[0] == 0);
    TEST_ASSERT_DOUBLE_WITHIN(8*EPS, 0.7, (double)back[2]);
}

static void test_the_rotation_that_takes_z_to_an_axis(void)
{
    const slip_real up[3] = { 0, 0, 1 }, down[3] = { 0, 0, -1 }, half_turn[9] = { 1, 0, 0, 0, -1, 0, 0, 0, -1 };
    slip_real R[9], I[9];
    int i;

    slip_mat3_identity(I);
    slip_mat3_z_to(up, R);
    check_near(I, R, 9, 0, "z to z");
    slip_mat3_z_to(down, R);
    check_near(half_turn, R, 9, 0, "z to -z");
    for (i = 0; i < TIMES; ++i) {
        slip_real axis[3], turned[3];

        slip_random_unit3(&rng, axis);
        slip_mat3_z_to(axis, R);
        check_rotation(R, 16*EPS);
        slip_mat3_vec(R, up, turned);
        check_same(axis, turned, 3, "R z");
        /* the shortest way: no turn about z, so R - R' has no z part */
        TEST_ASSERT_DOUBLE_WITHIN(8*EPS, 0, (double)(R[3] - R[1]));
    }
}

/* ---- quaternions ------------------------------------------------------------------------------ */

static void test_quaternion_products_are_rotation_products(void)
{
    int i;

    for (i = 0; i < TIMES; ++i) {
        slip_real a[4], b[4], c[4], d[4], A[9], B[9], C[9], D[9], x[3], y[3], z[3];

        slip_random_quat(&rng, a);
        slip_random_quat(&rng, b);
        random3(x);
        slip_quat_mul(a, b, c);
        slip_quat_to_mat3(a, A);
        slip_quat_to_mat3(b, B);
        slip_quat_to_mat3(c, C);
        check_rotation(A, 16*EPS);
        slip_mat3_mul(A, B, D);
        check_near(D, C, 9, 16*EPS, "R(a b) = R(a) R(b)");
        slip_quat_rotate(a, x, y);
        slip_mat3_vec(A, x, z);
        check_near(z, y, 3, 60*EPS, "q x q*");
        slip_quat_conj(a, d);
        slip_quat_rotate(d, y, y);
        check_near(x, y, 3, 60*EPS, "there and back, in place");
        memcpy(d, a, sizeof d);
        slip_quat_mul(d, b, d);
        check_same(c, d, 4, "a b into a");
        memcpy(d, b, sizeof d);
        slip_quat_mul(a, d, d);
        check_same(c, d, 4, "a b into b");
    }
}

static void test_quaternions_and_matrices_convert_both_ways(void)
{
    int i, k;

    for (i = 0; i < TIMES; ++i) {
        slip_real q[4], r[4], R[9], S[9];

        slip_random_quat(&rng, q);
        if (i % 4 == 0) q[i/4 % 4] *= SLIP_R(1e-9);          /* half turns and their neighbours */
        if (i % 8 == 0) q[i/8 % 4] = 0;
        slip_quat_normalize(q, q);
        if (q[3] < 0) for (k = 0; k < 4; ++k) q[k] = -q[k];
        slip_quat_to_mat3(q, R);
        slip_mat3_to_quat(R, r);
        TEST_ASSERT_TRUE(r[3] >= 0);
        if (q[3] > 10*SLIP_REAL_EPS) check_near(q, r, 4, 16*EPS, "q of R of q");
        slip_quat_to_mat3(r, S);
        check_near(R, S, 9, 16*EPS, "R of q of R");
        for (k = 0; k < 4; ++k) r[k] = q[k]*(1 + 1000*SLIP_REAL_EPS);     /* |q| a little off */
        slip_quat_to_mat3(r, S);
        check_rotation(S, 16*EPS);
    }
}

static void test_quaternions_normalise_at_any_length(void)
{
    const slip_real scales[] = { SLIP_REAL_MAX/4, 1, SLIP_REAL_MIN };
    slip_real q[4], r[4], a[4], one[4], bad[4] = { 0, 0, 0, 0 };
    int i, k;

    for (k = 0; k < 3; ++k) {
        slip_random_quat(&rng, q);
        for (i = 0; i < 4; ++i) a[i] = q[i]*scales[k];
        TEST_ASSERT_DOUBLE_WITHIN(8*EPS, 1, (double)(slip_quat_normalize(a, r)/scales[k]));
        check_near(q, r, 4, 8*EPS, "q/|q|");
    }
    slip_quat_identity(one);
    TEST_ASSERT_TRUE(slip_quat_normalize(bad, r) == 0);
    check_same(one, r, 4, "zero");
    bad[1] = (slip_real)NAN;
    TEST_ASSERT_TRUE(slip_quat_normalize(bad, r) == 0);
    check_same(one, r, 4, "NaN");
    bad[1] = (slip_real)INFINITY;
    TEST_ASSERT_TRUE(slip_quat_normalize(bad, r) == 0);
    check_same(one, r, 4, "infinity");
}

static void test_exp_and_log_are_inverse_from_zero_to_pi(void)
{
    int i, k;

    for (k = -40; k <= 40; ++k)
        for (i = 0; i < 200; ++i) {                         /* angles near 0, in between, near pi */
            const double tiny = pow(10, -fabs((double)k)/2);
            const slip_real angle = (slip_real)(k < 0 ? tiny : 3.1415926535897931 - tiny);
            slip_real u[3], w[3], q[4], back[3];

            if (angle <= 0) continue;
            slip_random_unit3(&rng, u);
            slip_scale3(angle, u, w);
            slip_quat_exp(w, q);
            TEST_ASSERT_DOUBLE_WITHIN(4*EPS, 1, (double)(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]));
            slip_quat_log(q, back);
            if (angle < SLIP_PI - 8*SLIP_REAL_EPS) check_near(w, back, 3, 8*EPS*(double)angle, "log exp w");
            TEST_ASSERT_TRUE(slip_norm3(back) <= SLIP_PI*(1 + 2*SLIP_REAL_EPS));
        }
}

static void test_log_takes_the_shorter_way_round(void)
{
    int i, k;

    for (i = 0; i < TIMES; ++i) {
        slip_real q[4], m[4], w[3], v[3], r[4], R[9], S[9];

        slip_random_quat(&rng, q);
        for (k = 0; k < 4; ++k) m[k] = -q[k];
        slip_quat_log(q, w);
        slip_quat_log(m, v);
        check_near(w, v, 3, 0, "q and -q are one rotation");
        TEST_ASSERT_TRUE(slip_norm3(w) <= SLIP_PI*(1 + 2*SLIP_REAL_EPS));
        slip_quat_exp(w, r);
        slip_quat_to_mat3(q, R);
        slip_quat_to_mat3(r, S);
        check_near(R, S, 9, 20*EPS, "exp log q");
    }
    {
        slip_real one[4], half[4] = { 0, 1, 0, 0 }, w[3], zero[3] = { 0, 0, 0 }, q[4];

        slip_quat_identity(one);
        slip_quat_log(one, w);
        check_same(zero, w, 3, "log 1");
        slip_quat_exp(zero, q);
        check_same(one, q, 4, "exp 0");
        slip_quat_log(half, w);
        TEST_ASSERT_DOUBLE_WITHIN(4*EPS, 3.1415926535897931, (double)w[1]);
    }
}

static void test_exp_of_tiny_vectors_keeps_their_direction(void)
{
    const slip_real w[3] = { SLIP_REAL_MIN, -2*SLIP_REAL_MIN, 0 };
    slip_real q[4];

    slip_quat_exp(w, q);
    TEST_ASSERT_TRUE(q[0] == w[0]/2 && q[1] == w[1]/2 && q[2] == 0 && q[3] == 1);
}

/* ---- poses ------------------------------------------------------------------------------------ */

static void random_pose(slip_pose *X)
{
    slip_real p[3], q[4];

    random3(p);
    slip_random_quat(&rng, q);
    slip_pose_from(p, q, X);
}

static void test_poses_compose_invert_and_move_points(void)
{
    slip_pose I;
    int i;

    slip_pose_identity(&I);
    for (i = 0; i < TIMES; ++i) {
        slip_pose A, B, C, D;
        slip_real x[3], y[3], z[3];

        random_pose(&A);
        random_pose(&B);
        random3(x);
        slip_pose_mul(&A, &B, &C);
        slip_pose_point(&C, x, y);
        slip_pose_point(&B, x, z);
        slip_pose_point(&A, z, z);
        check_near(y, z, 3, 100*EPS, "(A B) x = A (B x)");
        slip_pose_inv_point(&C, y, y);
        check_near(x, y, 3, 100*EPS, "C^-1 C x");
        slip_pose_inverse(&C, &D);
        slip_pose_mul(&C, &D, &D);
        check_near(I.R, D.R, 9, 30*EPS, "C C^-1, rotation");
        check_near(I.p, D.p, 3, 100*EPS, "C C^-1, position");
        D = A;
        slip_pose_mul(&D, &B, &D);
        TEST_ASSERT_EQUAL_MEMORY(&C, &D, sizeof C);
        D = B;
        slip_pose_mul(&A, &D, &D);
        TEST_ASSERT_EQUAL_MEMORY(&C, &D, sizeof C);
        slip_pose_inverse(&A, &C);
        D = A;
        slip_pose_inverse(&D, &D);
        TEST_ASSERT_EQUAL_MEMORY(&C, &D, sizeof C);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_vector_operations_do_what_their_names_say);
    RUN_TEST(test_vector_results_may_overwrite_either_input);
    RUN_TEST(test_cross_products_are_orthogonal_to_their_factors);
    RUN_TEST(test_normalising_is_immune_to_the_length);
    RUN_TEST(test_tangents_are_orthonormal_and_right_handed_everywhere);
    RUN_TEST(test_tangents_are_continuous_away_from_minus_z);
    RUN_TEST(test_finite_means_neither_nan_nor_infinite);
    RUN_TEST(test_no_entry_is_overlooked);
    RUN_TEST(test_matrix_products_agree_with_their_definition);
    RUN_TEST(test_inverses_undo_and_singular_matrices_are_left_alone);
    RUN_TEST(test_eigenvectors_of_random_and_degenerate_matrices);
    RUN_TEST(test_rotations_about_an_axis_turn_by_the_angle);
    RUN_TEST(test_roll_pitch_yaw_round_trips_also_at_the_poles);
    RUN_TEST(test_the_rotation_that_takes_z_to_an_axis);
    RUN_TEST(test_quaternion_products_are_rotation_products);
    RUN_TEST(test_quaternions_and_matrices_convert_both_ways);
    RUN_TEST(test_quaternions_normalise_at_any_length);
    RUN_TEST(test_exp_and_log_are_inverse_from_zero_to_pi);
    RUN_TEST(test_log_takes_the_shorter_way_round);
    RUN_TEST(test_exp_of_tiny_vectors_keeps_their_direction);
    RUN_TEST(test_poses_compose_invert_and_move_points);
    return UNITY_END();
}
