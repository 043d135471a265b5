/* LU in panels of four rows: products, signs of determinants, singular matrices. */
#include "unity.h"
#include "contact/lu.h"
#include "slipstick_parts.h"

#include <math.h>

void setUp(void) {}
void tearDown(void) {}

enum { MOST = 70, LD = MOST + 3 };

static slip_real A[MOST*LD], F[MOST*LD], x[MOST], b[MOST];
static double work[MOST*MOST];
static int pivot[MOST];

/* A (n x n, ld): of all entries the share `filled` is not zero, then `shift` is added to the diagonal. */
static void lu_random(slip_random *rng, int n, int ld, slip_real filled, slip_real shift)
{
    int i, j;

    for (i = 0; i < n; ++i)
        for (j = 0; j < ld; ++j)
            A[i*ld + j] = j >= n ? 77 : slip_random_uniform(rng, 0, 1) < filled ? slip_random_normal(rng) : 0;
    for (i = 0; i < n; ++i) A[i*ld + i] += shift;
}

/* The determinant, with rows as pivots: another way than that of the code. 0 when singular to rounding. */
static double lu_determinant(int n, int ld)
{
    double det = 1;
    int i, j, k;

    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) work[i*n + j] = (double)A[i*ld + j];
    for (k = 0; k < n; ++k) {
        int best = k;

        for (i = k + 1; i < n; ++i) if (fabs(work[i*n + k]) > fabs(work[best*n + k])) best = i;
        if (fabs(work[best*n + k]) < 1e-9) return 0;
        for (j = 0; best != k && j < n; ++j) {
            const double t = work[k*n + j];

            work[k*n + j] = work[best*n + j];
            work[best*n + j] = t;
        }
        det *= best == k ? work[k*n + k] : -work[k*n + k];
        for (i = k + 1; i < n; ++i)
            for (j = n - 1; j >= k; --j) work[i*n + j] -= work[i*n + k]/work[k*n + k]*work[k*n + j];
    }
    return det;
}

/* Laplace's expansion along the first row of the rows and columns that `columns` still has. */
static double lu_laplace(int n, int ld, int row, unsigned columns)
{
    double sum = 0, sign = 1;
    int j;

    if (row == n) return 1;
    for (j = 0; j < n; ++j) {
        if (!(columns >> j & 1)) continue;
        if (A[row*ld + j] != 0) sum += sign*(double)A[row*ld + j]*lu_laplace(n, ld, row + 1, columns & ~(1u << j));
        sign = -sign;
    }
    return sum;
}

static void lu_copy(int n, int ld)
{
    int i;

    for (i = 0; i < n*ld; ++i) F[i] = A[i];
}

/* Solves A x = b for a known x and says how far off; -1 when called singular. */
static double lu_error(slip_random *rng, int n, int ld)
{
    double worst = 0;
    int i, j;

    for (i = 0; i < n; ++i) x[i] = slip_random_normal(rng);
    for (i = 0; i < n; ++i) for (b[i] = 0, j = 0; j < n; ++j) b[i] += A[i*ld + j]*x[j];
    lu_copy(n, ld);
    if (slip_lu_factor(n, F, ld, pivot) != SLIP_OK) return -1;
    slip_lu_solve(n, F, ld, pivot, b);
    for (i = 0; i < n; ++i) worst = fmax(worst, fabs((double)(b[i] - x[i])));
    for (i = 0; i < n; ++i) for (j = n; j < ld; ++j) TEST_ASSERT_EQUAL_DOUBLE(77, F[i*ld + j]);    /* beside A */
    return worst;
}

static void test_systems_of_all_sizes_and_densities_are_solved(void)
{
    static const slip_real filled[] = { 1, SLIP_R(0.5), SLIP_R(0.15), SLIP_R(0.04), 0 };
    slip_random rng = slip_random_seed(1);
    int n, f, pad;

    for (n = 1; n <= MOST; n += n < 14 ? 1 : 7)
        for (f = 0; f < 5; ++f)
            for (pad = 0; pad <= 3; pad += 3) {
                double error;

                lu_random(&rng, n, n + pad, filled[f], (slip_real)(2 + n*filled[f]));        /* well conditioned */
                error = lu_error(&rng, n, n + pad);
                TEST_ASSERT(error >= 0);
                TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-10, 1e-3), 0, error);
            }
}

/* Columns behind the matrix are solved for with it. */
static void test_right_hand_sides_beside_the_matrix_are_eliminated_with_it(void)
{
    slip_random rng = slip_random_seed(6);
    int n, i, k, pad;

    for (n = 1; n <= MOST; n += n < 14 ? 1 : 7)
        for (pad = 1; pad <= 3; ++pad) {
            const int ld = n + pad;

            lu_random(&rng, n, ld, SLIP_R(0.5), n % 3 ? 1 : (slip_real)n);
            for (i = 0; i < n; ++i) for (k = n; k < ld; ++k) A[i*ld + k] = slip_random_normal(&rng);
            lu_copy(n, ld);
            if (slip_lu_factor(n, F, ld, pivot) != SLIP_OK) continue;
            for (i = 0; i < n; ++i) b[i] = A[i*ld + n + pad - 1];
            slip_lu_solve(n, F, ld, pivot, b);
            lu_copy(n, ld);
            TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_lu_factor_wide(n, ld, F, ld, pivot));
            for (i = 0; i < n; ++i) x[i] = F[i*ld + n + pad - 1];
            slip_lu_solve_upper(n, F, ld, pivot, x);
            for (i = 0; i < n; ++i)
                TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-2)*(1 + (double)slip_max_abs(n, b)), b[i], x[i]);
        }
}

/* Rows in any order: every pivot is elsewhere, often beyond the panel, and most rows are zero in it. */
static void test_permuted_rows_are_found(void)
{
    slip_random rng = slip_random_seed(2);
    int k, i, j, n;

    for (k = 0; k < 500; ++k) {
        n = 1 + k % 45;
        lu_random(&rng, n, n, SLIP_R(0.1), 3 + n*SLIP_R(0.1));
        for (i = n - 1; i > 0; --i) {
            const int other = (int)slip_random_uniform(&rng, 0, (slip_real)i + SLIP_R(0.999));

            for (j = 0; j < n; ++j) {
                const slip_real t = A[i*n + j];

                A[i*n + j] = A[other*n + j];
                A[other*n + j] = t;
            }
        }
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-2), 0, lu_error(&rng, n, n));
    }
}

static void test_the_sign_is_that_of_the_determinant(void)
{
    slip_random rng = slip_random_seed(3);
    int k, n, negative = 0, counted = 0;

    for (k = 0; k < 2000; ++k) {
        double det;

        n = 1 + k % 13;
        lu_random(&rng, n, n + k % 2, k % 3 ? 1 : SLIP_R(0.4), 0);
        det = lu_determinant(n, n + k % 2);
        if (n <= 7) TEST_ASSERT_DOUBLE_WITHIN(1e-6*(1 + fabs(det)), lu_laplace(n, n + k % 2, 0, ~0u), det);
        if (fabs(det) < (double)SLIP_TOL(1e-6, 1e-1)) continue;
        lu_copy(n, n + k % 2);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_lu_factor(n, F, n + k % 2, pivot));
        TEST_ASSERT_EQUAL_INT(det < 0 ? -1 : 1, slip_lu_sign(n, F, n + k % 2, pivot));
        negative += det < 0;
        ++counted;
    }
    TEST_ASSERT(counted > 1000 && negative > counted/3 && negative < 2*counted/3);
}

/* A column or row of zeros, at any place, and two equal rows of small whole numbers. */
static void test_singular_matrices_are_refused(void)
{
    slip_random rng = slip_random_seed(4);
    int n, at, j;

    for (n = 1; n <= 13; ++n)
        for (at = 0; at < n; ++at) {
            lu_random(&rng, n, n, 1, 0);
            for (j = 0; j < n; ++j) A[j*n + at] = 0;
            lu_copy(n, n);
            TEST_ASSERT_EQUAL_INT(SLIP_ERR_NOT_SPD, slip_lu_factor(n, F, n, pivot));
            lu_random(&rng, n, n, 1, 0);
            for (j = 0; j < n; ++j) A[at*n + j] = 0;
            lu_copy(n, n);
            TEST_ASSERT_EQUAL_INT(SLIP_ERR_NOT_SPD, slip_lu_factor(n, F, n, pivot));
            lu_random(&rng, n, n, 0, 2);                       /* 2 I, with one row twice */
            if (n == 1) continue;
            for (j = 0; j < n; ++j) A[at*n + j] = A[((at + 1) % n)*n + j];
            lu_copy(n, n);
            TEST_ASSERT_EQUAL_INT(SLIP_ERR_NOT_SPD, slip_lu_factor(n, F, n, pivot));
        }
}

/* Block diagonal: rows below a panel are zero in it; the answer must not depend on what is skipped. */
static void test_against_cholesky_on_bodies_that_touch_few_others(void)
{
    slip_random rng = slip_random_seed(5);
    int k, i, j, n;

    for (k = 0; k < 60; ++k) {
        const int width = 1 + k % 9;

        n = 10 + k;
        lu_random(&rng, n, n, 0, 0);
        for (i = 0; i < n; ++i)
            for (j = 0; j <= i; ++j)
                if (i/width == j/width || (i % 11 == 0 && j % 11 == 0))
                    A[i*n + j] = A[j*n + i] = slip_random_normal(&rng);
        for (i = 0; i < n; ++i) A[i*n + i] = 12 + (slip_real)width;
        for (i = 0; i < n; ++i) x[i] = b[i] = slip_random_normal(&rng);
        lu_copy(n, n);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_lu_factor(n, F, n, pivot));
        TEST_ASSERT_EQUAL_INT(1, slip_lu_sign(n, F, n, pivot));
        slip_lu_solve(n, F, n, pivot, b);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_chol_factor(n, A, n, NULL));
        slip_chol_solve(n, A, n, x);
        for (i = 0; i < n; ++i) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-4), x[i], b[i]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_systems_of_all_sizes_and_densities_are_solved);
    RUN_TEST(test_right_hand_sides_beside_the_matrix_are_eliminated_with_it);
    RUN_TEST(test_permuted_rows_are_found);
    RUN_TEST(test_the_sign_is_that_of_the_determinant);
    RUN_TEST(test_singular_matrices_are_refused);
    RUN_TEST(test_against_cholesky_on_bodies_that_touch_few_others);
    return UNITY_END();
}
