/* Dense factorisations and solves: reconstruction, residuals, refusal of what is not definite. */
#include "unity.h"

#include <stdio.h>
#include <string.h>
#include "base/base.h"

#define MOST 150
#define GUARD SLIP_R(-123.5)                 /* in every place that must not be touched */

static slip_random rng;
static slip_real A[MOST*(MOST + 9)], L[MOST*(MOST + 9)], x[MOST], y[MOST], z[MOST];

static const int sizes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 63,
                             64, 65, 71, 72, 73, 100, 127, 128, 129, 137, 150 };
#define SIZES ((int)(sizeof sizes/sizeof *sizes))

void setUp(void) { rng = slip_random_seed(11); }
void tearDown(void) { }

/* A = B B' + shift I from a random B, lower triangle; guards elsewhere. */
static void make_spd(int n, int lda, slip_real shift)
{
    static slip_real B[MOST*MOST];
    int i, j, k;

    for (i = 0; i < n*n; ++i) B[i] = slip_random_normal(&rng);
    for (i = 0; i < n*lda; ++i) A[i] = GUARD;
    for (i = 0; i < n; ++i)
        for (j = 0; j <= i; ++j) {
            slip_real s = i == j ? shift : 0;

            for (k = 0; k < n; ++k) s += B[i*n + k]*B[j*n + k];
            A[i*lda + j] = s;
        }
}

/* Largest |A - L L'|, relative to the largest diagonal entry. */
static double reconstruction_error(int n, int lda)
{
    double worst = 0, scale = 0;
    int i, j, k;

    for (i = 0; i < n; ++i)
        for (j = 0; j <= i; ++j) {
            double s = (double)A[i*lda + j];

            for (k = 0; k <= j; ++k) s -= (double)L[i*lda + k]*(double)L[j*lda + k];
            if (!(fabs(s) <= worst)) worst = fabs(s);
            if (i == j && fabs((double)A[i*lda + i]) > scale) scale = fabs((double)A[i*lda + i]);
        }
    return n ? worst/scale : 0;
}

static void check_guards(int n, int lda)
{
    int i, j;

    for (i = 0; i < n; ++i)
        for (j = i + 1; j < lda; ++j) TEST_ASSERT_TRUE_MESSAGE(L[i*lda + j] == GUARD, "outside of the lower triangle");
}

/* Backward error of Cholesky is below (n + 1) eps in each entry relative to the diagonal (Higham 10.3). */
static double bound(int n) { return (n + 4)*(double)SLIP_REAL_EPS; }

static void check_factors(int n, int lda)
{
    int bad = -7;

    memcpy(L, A, sizeof(slip_real)*(size_t)(n*lda));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_chol_factor(n, L, lda, &bad));
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(bound(n), 0, reconstruction_error(n, lda), "A - L L'");
    check_guards(n, lda);
    TEST_ASSERT_EQUAL_INT(-7, bad);
}

static void test_factors_multiply_back_to_the_matrix_at_every_size_and_stride(void)
{
    int k;

    for (k = 0; k < SIZES; ++k) {
        make_spd(sizes[k], sizes[k], 1);
        check_factors(sizes[k], sizes[k]);
        make_spd(sizes[k], sizes[k] + 7, 1);
        check_factors(sizes[k], sizes[k] + 7);
    }
}

static void test_rows_below_a_triangle_multiply_back_too(void)
{
    int t, i, j, k, n;

    for (t = 0; t < SIZES; ++t) {
        const int rows = sizes[t];

        make_spd(rows, rows, 1);
        for (n = 0; n <= rows; n += 1 + n/8) {
            double scale = 0;

            memcpy(L, A, sizeof(slip_real)*(size_t)(rows*rows));
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_chol_factor_tall(n, rows, L, rows, NULL));
            check_guards(rows, rows);
            for (i = 0; i < rows; ++i) scale = fmax(scale, (double)A[i*rows + i]);
            for (i = 0; i < rows; ++i)
                for (j = 0; j <= i; ++j) {
                    double s = 0;

                    for (k = 0; k <= j && j < n; ++k) s += (double)L[i*rows + k]*(double)L[j*rows + k];
                    if (j < n) TEST_ASSERT_DOUBLE_WITHIN(bound(rows)*scale, A[i*rows + j], s);
                    else TEST_ASSERT_TRUE_MESSAGE(L[i*rows + j] == A[i*rows + j], "columns that are not factored");
                }
        }
    }
}

static void test_ill_conditioned_matrices_still_multiply_back(void)
{
    const int ns[] = { 4, 9, 20, 60 };
    int k, i, j;

    for (k = 0; k < 4; ++k) {                               /* S M S with scales over 8 decades: condition 1e16 */
        const int n = ns[k];

        make_spd(n, n, (slip_real)n);
        for (i = 0; i < n; ++i)
            for (j = 0; j <= i; ++j) {
                const slip_real si = slip_pow(10, SLIP_R(-8.0)*(slip_real)i/(slip_real)n);
                const slip_real sj = slip_pow(10, SLIP_R(-8.0)*(slip_real)j/(slip_real)n);

                A[i*n + j] *= si*sj;
            }
        memcpy(L, A, sizeof(slip_real)*(size_t)(n*n));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_chol_factor(n, L, n, NULL));
        TEST_ASSERT_DOUBLE_WITHIN(bound(n), 0, reconstruction_error(n, n));
    }
    for (i = 0; i < 6; ++i)                                 /* Hilbert's matrix of order 6, condition 1.5e7 */
        for (j = 0; j <= i; ++j) A[6*i + j] = 1/(slip_real)(i + j + 1);
    for (i = 0; i < 6; ++i) A[7*i] += SLIP_TOL(0, 1e-5);
    memcpy(L, A, sizeof(slip_real)*36);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_chol_factor(6, L, 6, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(bound(6), 0, reconstruction_error(6, 6));
}

static void test_a_pivot_that_is_not_positive_is_found_where_it_is(void)
{
    int k, at, bad;

    for (k = 1; k < SIZES; ++k) {
        const int n = sizes[k], lda = n + 2;

        for (at = 0; at < n; at += 1 + n/9) {
            make_spd(n, lda, 1);
            A[at*lda + at] = slip_random_bits(&rng) & 1 ? -1 : 0;
            memcpy(L, A, sizeof(slip_real)*(size_t)(n*lda));
            bad = -7;
            TEST_ASSERT_EQUAL_INT(SLIP_ERR_NOT_SPD, slip_chol_factor(n, L, lda, &bad));
            TEST_ASSERT_EQUAL_INT(at, bad);
            check_guards(n, lda);
            memcpy(L, A, sizeof(slip_real)*(size_t)(n*lda));
            TEST_ASSERT_EQUAL_INT(SLIP_ERR_NOT_SPD, slip_chol_factor(n, L, lda, NULL));
        }
    }
}

static void test_nan_and_infinity_are_refused_at_their_row(void)
{
    const slip_real wrong[2] = { (slip_real)NAN, (slip_real)INFINITY };
    int k, bad, w;

    for (k = 1; k < SIZES; ++k)
        for (w = 0; w < 2; ++w) {
            const int n = sizes[k], i = slip_random_int(&rng, 0, n - 1), j = slip_random_int(&rng, 0, i);

            if (w == 1 && i == j) continue;                 /* an infinite pivot is positive */
            make_spd(n, n, 1);
            A[i*n + j] = wrong[w];
            memcpy(L, A, sizeof(slip_real)*(size_t)(n*n));
            bad = -7;
            TEST_ASSERT_EQUAL_INT(SLIP_ERR_NOT_SPD, slip_chol_factor(n, L, n, &bad));
            TEST_ASSERT_EQUAL_INT(i, bad);
        }
}

static double largest_gap(int n, const slip_real *a, const slip_real *b)
{
    double worst = 0;
    int i;

    for (i = 0; i < n; ++i)
        if (!(fabs((double)(a[i] - b[i])) <= worst)) worst = fabs((double)(a[i] - b[i]));
    return worst;
}

/* y = A x from the lower triangle. */
static void multiply(int n, int lda)
{
    int i, j;

    for (i = 0; i < n; ++i)
        for (y[i] = 0, j = 0; j < n; ++j) y[i] += (j <= i ? A[i*lda + j] : A[j*lda + i])*x[j];
}

static void test_solves_undo_the_product(void)
{
    int k, i;

    for (k = 0; k < SIZES; ++k) {
        const int n = sizes[k], lda = n + 3;
        const double eps = 20.0*(n + 1)*(double)SLIP_REAL_EPS;    /* condition of B B' + 4 n I is below 2 */

        make_spd(n, lda, 4*(slip_real)n);
        for (i = 0; i < n; ++i) x[i] = slip_random_uniform(&rng, -1, 1);
        multiply(n, lda);
        memcpy(z, y, sizeof z);
        memcpy(L, A, sizeof(slip_real)*(size_t)(n*lda));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_chol_factor(n, L, lda, NULL));
        slip_chol_solve(n, L, lda, y);
        TEST_ASSERT_DOUBLE_WITHIN(eps, 0, largest_gap(n, x, y));
        memcpy(y, z, sizeof y);
        slip_chol_lower(n, L, lda, y);
        slip_chol_upper(n, L, lda, y);
        TEST_ASSERT_DOUBLE_WITHIN(eps, 0, largest_gap(n, x, y));
    }
}

static void test_triangular_solves_undo_triangular_products(void)
{
    int k, i, j;

    for (k = 0; k < SIZES; ++k) {
        const int n = sizes[k];
        const double eps = 60.0*(n + 1)*(double)SLIP_REAL_EPS;

        make_spd(n, n, 4*(slip_real)n);
        memcpy(L, A, sizeof(slip_real)*(size_t)(n*n));
        slip_chol_factor(n, L, n, NULL);
        for (i = 0; i < n; ++i) x[i] = slip_random_uniform(&rng, -1, 1);
        for (i = 0; i < n; ++i) {                           /* y = L x, z = L' x, summed plainly */
            y[i] = z[i] = 0;
            for (j = 0; j <= i; ++j) y[i] += L[i*n + j]*x[j];
            for (j = i; j < n; ++j) z[i] += L[j*n + i]*x[j];
        }
        slip_chol_lower(n, L, n, y);
        TEST_ASSERT_DOUBLE_WITHIN(eps, 0, largest_gap(n, x, y));
        slip_chol_upper(n, L, n, z);
        TEST_ASSERT_DOUBLE_WITHIN(eps, 0, largest_gap(n, x, z));
    }
}

static void test_dot_products_at_every_length(void)
{
    int n, i;

    for (n = 0; n <= 100; ++n) {
        double s = 0, scale = 0;

        for (i = 0; i < n; ++i) {
            x[i] = slip_random_normal(&rng);
            y[i] = slip_random_normal(&rng);
            s += (double)x[i]*(double)y[i];
            scale += fabs((double)x[i]*(double)y[i]);
        }
        x[n] = y[n] = (slip_real)NAN;                        /* one further must not be read */
        TEST_ASSERT_DOUBLE_WITHIN((n + 2)*(double)SLIP_REAL_EPS*scale, s, (double)slip_dot(n, x, y));
    }
}

static void test_the_largest_magnitude_is_found_and_nan_is_not_lost(void)
{
    int n, i;

    TEST_ASSERT_TRUE(slip_max_abs(0, x) == 0);
    for (n = 1; n < 40; ++n)
        for (i = 0; i < n; ++i) {
            memset(x, 0, sizeof x);
            x[i] = -3;
            if (i > 0) x[i - 1] = 2;
            TEST_ASSERT_TRUE(slip_max_abs(n, x) == 3);
            x[i] = (slip_real)NAN;
            if (i + 1 < n) x[i + 1] = 5;
            TEST_ASSERT_TRUE(slip_max_abs(n, x) != slip_max_abs(n, x));
        }
}

static void test_the_same_matrix_gives_the_same_bits_at_any_address_and_stride(void)
{
    static slip_real M[40*60 + 8];
    const int n = 40, strides[] = { 40, 41, 47, 60 };
    int s, off, i, j;

    make_spd(n, n, 1);
    memcpy(L, A, sizeof(slip_real)*(size_t)(n*n));
    slip_chol_factor(n, L, n, NULL);
    for (s = 0; s < 4; ++s)
        for (off = 0; off < 4; ++off) {
            slip_real *m = M + off;

            for (i = 0; i < n; ++i)
                for (j = 0; j <= i; ++j) m[i*strides[s] + j] = A[i*n + j];
            slip_chol_factor(n, m, strides[s], NULL);
            for (i = 0; i < n; ++i)
                for (j = 0; j <= i; ++j) TEST_ASSERT_TRUE(m[i*strides[s] + j] == L[i*n + j]);
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_factors_multiply_back_to_the_matrix_at_every_size_and_stride);
    RUN_TEST(test_rows_below_a_triangle_multiply_back_too);
    RUN_TEST(test_ill_conditioned_matrices_still_multiply_back);
    RUN_TEST(test_a_pivot_that_is_not_positive_is_found_where_it_is);
    RUN_TEST(test_nan_and_infinity_are_refused_at_their_row);
    RUN_TEST(test_solves_undo_the_product);
    RUN_TEST(test_triangular_solves_undo_triangular_products);
    RUN_TEST(test_dot_products_at_every_length);
    RUN_TEST(test_the_largest_magnitude_is_found_and_nan_is_not_lost);
    RUN_TEST(test_the_same_matrix_gives_the_same_bits_at_any_address_and_stride);
    return UNITY_END();
}
