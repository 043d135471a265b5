/* The oracle of test_printed_*.c is itself verified: each naive algorithm, run long enough, reaches a point at which the
 * judge of the right model finds no residual. */
#include "contact_aid.h"
#include "naive.h"

#include <math.h>
#include <string.h>

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

enum { TRIALS = 20 };

static slip_random rng;

/* Seeded small problems with a well conditioned G, so that all sweeps converge. */
static aid_problem *contacts(int trial)
{
    const int nc = 1 + trial % 4;
    aid_problem *a = aid_new(nc, 0, 0);
    int i;

    aid_random(&rng, 3*a->p.n, 1, a);
    for (i = 0; i < a->p.n; ++i) a->G[i*a->p.n + i] += SLIP_R(0.2);
    for (i = 0; i < nc; ++i) a->mu[i] = trial % 5 == 0 ? 0 : slip_random_uniform(&rng, 0, 1);
    return a;
}

/* Judges x by the library, in its precision. */
static double judged(const aid_problem *a, slip_contact_model model, const double *x)
{
    slip_real lambda[NAIVE_ROWS], sigma[NAIVE_ROWS];
    slip_residual r;
    int i;

    for (i = 0; i < a->p.n; ++i) lambda[i] = (slip_real)x[i];
    slip_problem_sigma(&a->p, lambda, sigma);
    slip_residual_at(&a->p, model, 4, lambda, sigma, &r);
    return (double)r.eps_abs;
}

#define EXPECT_SOLVED(a, model, x) \
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-10, 1e-4), 0, judged((a), (model), (x)))

/* Runs `sweeps` sweeps of one kind on every problem and judges the last. */
typedef void sweep_function(const naive_problem *q, const naive_rules *r, double *x);

static void expect_sweeps_to_solve(sweep_function *sweep, naive_rules rules, slip_contact_model model)
{
    int trial, k;

    rng = slip_random_seed(11);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        double x[NAIVE_ROWS] = { 0 };
        naive_problem q;

        naive_read(&a->p, &q);
        for (k = 0; k < 3000; ++k) sweep(&q, &rules, x);
        EXPECT_SOLVED(a, model, x);
        aid_free(a);
    }
}

static const naive_rules plain = { SLIP_STEP_MAX, 1, 1 }, block = { SLIP_STEP_BLOCK, 1, 1 };
static const naive_rules weighed = { SLIP_STEP_MAX, 0.7, 1 }, mixed = { SLIP_STEP_MAX, 1, 0.7 };

static void test_naive_sweeps_of_LL_Alg_1_solve_the_LCP(void)
{
    expect_sweeps_to_solve(naive_lcp_pgs_sweep, plain, SLIP_MODEL_LCP);
    expect_sweeps_to_solve(naive_lcp_pgs_sweep, block, SLIP_MODEL_LCP);
    expect_sweeps_to_solve(naive_lcp_pgs_sweep, weighed, SLIP_MODEL_LCP);
    expect_sweeps_to_solve(naive_lcp_pgs_sweep, mixed, SLIP_MODEL_LCP);
}

static void test_naive_sweeps_of_LL_Alg_2_solve_the_CCP(void)
{
    expect_sweeps_to_solve(naive_ccp_pgs_sweep, plain, SLIP_MODEL_CCP);
    expect_sweeps_to_solve(naive_ccp_pgs_sweep, weighed, SLIP_MODEL_CCP);
    expect_sweeps_to_solve(naive_ccp_pgs_sweep, mixed, SLIP_MODEL_CCP);
}

static void test_naive_sweeps_of_LL_Alg_5_solve_the_NCP(void)
{
    expect_sweeps_to_solve(naive_ncp_pgs_sweep, plain, SLIP_MODEL_NCP);
    expect_sweeps_to_solve(naive_ncp_pgs_sweep, block, SLIP_MODEL_NCP);
    expect_sweeps_to_solve(naive_ncp_pgs_sweep, weighed, SLIP_MODEL_NCP);
    expect_sweeps_to_solve(naive_ncp_pgs_sweep, mixed, SLIP_MODEL_NCP);
}

/* RaiSim's model has no judge of its own; a single contact's solutions are known from a scan of another author. */
static void test_the_naive_slide_of_HW_is_a_solution_of_RaiSims_model(void)
{
    int trial;

    rng = slip_random_seed(12);
    for (trial = 0; trial < 200; ++trial) {
        aid_problem *a = aid_new(1, 0, 0);
        double x[NAIVE_ROWS] = { 0 };
        slip_real lambda[3];
        naive_problem q;
        int i;

        aid_random_block(&rng, SLIP_R(0.3), 3, a->G);
        for (i = 0; i < 3; ++i) a->g[i] = slip_random_normal(&rng);
        a->mu[0] = slip_random_uniform(&rng, SLIP_R(0.1), 1);
        naive_read(&a->p, &q);
        naive_raisim_sweep(&q, naive_raisim_slide, 1, x);
        for (i = 0; i < 3; ++i) lambda[i] = (slip_real)x[i];
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-8, 1e-3), 0,
                                  aid_brute_distance(a->G, a->g, a->mu[0], SLIP_MODEL_RAISIM, lambda));
        aid_free(a);
    }
}

static void test_naive_sweeps_of_HW_Alg_2_come_to_rest(void)
{
    int trial, k, i;

    rng = slip_random_seed(13);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        double x[NAIVE_ROWS] = { 0 }, y[NAIVE_ROWS], alpha = 1;
        naive_problem q;

        naive_read(&a->p, &q);
        for (k = 0; k < 120; ++k, alpha = 0.7 + 0.99*(alpha - 0.7)) naive_raisim_sweep(&q, naive_raisim_slide, alpha, x);
        memcpy(y, x, sizeof y);
        naive_raisim_sweep(&q, naive_raisim_slide, 1, y);
        for (i = 0; i < q.n; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-10, x[i], y[i]);
        for (i = 2; i < q.n; i += 3) {                        /* Signorini's condition holds in this model */
            const double v = naive_velocity(&q, x, i);

            TEST_ASSERT_TRUE(x[i] >= 0 && v >= -1e-10);
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, v*x[i]);
        }
        aid_free(a);
    }
}

static void test_naive_steps_of_LL_Alg_3_solve_the_CCP(void)
{
    int trial, k;

    rng = slip_random_seed(14);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        naive_admm w = { { 0 }, { 0 }, { 0 }, 0, 0, 0 };
        naive_problem q;

        naive_read(&a->p, &q);
        for (k = 0; k < 3000; ++k) naive_ccp_admm_step(&q, 0.5, &w);
        EXPECT_SOLVED(a, SLIP_MODEL_CCP, w.y);
        aid_free(a);
    }
}

static void test_naive_steps_of_CR_Alg_1_solve_the_NCP_and_their_residuals_vanish(void)
{
    int trial, k;

    rng = slip_random_seed(15);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        naive_admm w = { { 0 }, { 0 }, { 0 }, 0, 0, 0 };
        naive_problem q;

        naive_read(&a->p, &q);
        for (k = 0; k < 3000; ++k) naive_ncp_admm_step(&q, 1e-6, 0.5, &w);
        EXPECT_SOLVED(a, SLIP_MODEL_NCP, w.y);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, w.primal + w.dual + w.comp);
        aid_free(a);
    }
}

static void expect_passes_to_solve(int box, slip_contact_model model)
{
    int trial, k;

    rng = slip_random_seed(16);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        double x[NAIVE_ROWS] = { 0 };
        naive_problem q;

        naive_read(&a->p, &q);
        for (k = 0; k < 100; ++k) naive_staggered_pass(&q, box, x);
        EXPECT_SOLVED(a, model, x);
        aid_free(a);
    }
}

static void test_naive_passes_of_LL_Alg_6_solve_the_NCP_and_with_boxes_the_LCP(void)
{
    expect_passes_to_solve(0, SLIP_MODEL_NCP);
    expect_passes_to_solve(1, SLIP_MODEL_LCP);
}

static void test_naive_solutions_of_the_CCP_and_the_LCP_are_solutions(void)
{
    int trial;

    rng = slip_random_seed(17);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        double x[NAIVE_ROWS];
        naive_problem q;

        naive_read(&a->p, &q);
        naive_ccp_solution(&q, x);
        EXPECT_SOLVED(a, SLIP_MODEL_CCP, x);
        if (q.nc <= 2) {
            TEST_ASSERT_TRUE(naive_lcp_solution_count(&q, x) > 0);
            EXPECT_SOLVED(a, SLIP_MODEL_LCP, x);
        }
        aid_free(a);
    }
}

static void test_the_naive_eigenvalues_are_the_ends_of_the_spectrum(void)
{
    naive_problem q;
    double least, largest;

    memset(&q, 0, sizeof q);
    q.n = 3;
    q.A[0][0] = q.A[1][1] = 2;
    q.A[0][1] = q.A[1][0] = 1;
    q.A[2][2] = 0.5;
    naive_eigenvalues(&q, 0.25, &least, &largest);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.75, least);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3.25, largest);
}

static void test_the_naive_barriers_gradient_is_that_of_its_value_and_vanishes_at_its_minimum(void)
{
    int trial, i, elastic;

    rng = slip_random_seed(18);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        naive_barrier b = { .t = 0.1, .s = 10 };
        double f[NAIVE_ROWS], d[NAIVE_ROWS];

        for (i = 0; i < a->p.nc; ++i) a->mu[i] += SLIP_R(0.2);
        naive_read(&a->p, &b.G);
        for (i = 0; i < b.G.n; ++i) { b.R[i] = 0.1;  f[i] = i % 3 == 2 ? 1.5 : 0.05*(i + 1)/b.G.n; }
        naive_barrier_gradient(&b, 1, f, d);
        for (i = 0; i < b.G.n; ++i) {
            double hi, lo;

            f[i] += 1e-5;
            hi = naive_barrier_value(&b, 1, f);
            f[i] -= 2e-5;
            lo = naive_barrier_value(&b, 1, f);
            f[i] += 1e-5;
            TEST_ASSERT_DOUBLE_WITHIN(1e-5*(1 + fabs(d[i])), (hi - lo)/2e-5, d[i]);
        }
        naive_barrier_solution(&b, f);
        elastic = !naive_barrier_feasible(&b, f);
        naive_barrier_gradient(&b, elastic, f, d);
        for (i = 0; i < b.G.n; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, d[i]);
        aid_free(a);
    }
}

static void test_naive_pivots_of_Lemke_solve_the_LCP(void)
{
    int trial, end;

    rng = slip_random_seed(20);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        double x[NAIVE_ROWS];
        naive_problem q;
        naive_units u;
        naive_lemke w;

        naive_read(&a->p, &q);
        u = naive_units_of(&q);
        naive_lemke_start(&q, &u, 4, &w);
        do end = naive_lemke_pivot(&w); while (end == 0 && w.pivots < 500);
        TEST_ASSERT_EQUAL_INT(1, end);
        naive_lemke_impulses(&w, x);
        EXPECT_SOLVED(a, SLIP_MODEL_LCP, x);
        aid_free(a);
    }
}

static void test_naive_Newton_steps_in_the_velocities_solve_the_CCP_with_compliance(void)
{
    double R[NAIVE_ROWS], x[NAIVE_ROWS];
    int trial, k, i;

    rng = slip_random_seed(21);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        naive_problem q;
        naive_newton w;

        naive_read(&a->p, &q);
        for (i = 0; i < q.n; ++i) R[i] = (double)(a->R[i] = slip_random_uniform(&rng, SLIP_R(0.02), SLIP_R(0.5)));
        naive_newton_start(&q, R, &w);
        for (k = 0; k < 40; ++k) {
            naive_newton_direction(&w);
            if (naive_newton_slope(&w, 0) > -1e-24) break;
            naive_newton_advance(&w, naive_newton_minimum(&w));
        }
        naive_newton_impulses(&w, 0, x);
        a->p.R = a->R;
        EXPECT_SOLVED(a, SLIP_MODEL_CCP, x);
        aid_free(a);
    }
}

static void test_naive_steps_of_the_barrier_end_at_its_minimum(void)
{
    double f[NAIVE_ROWS], grad[NAIVE_ROWS];
    int trial, k, i;

    rng = slip_random_seed(22);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        naive_barrier b = { .t = 0.1, .s = 10 };
        naive_units u;

        for (i = 0; i < a->p.nc; ++i) a->mu[i] += SLIP_R(0.2);
        naive_read(&a->p, &b.G);
        u = naive_units_of(&b.G);
        for (i = 0; i < b.G.n; ++i) f[i] = i % 3 == 2;
        for (k = 0; k < 60; ++k) if (naive_barrier_advance(&b, 0, &u, f).halvings == 40) break;
        naive_barrier_gradient(&b, !naive_barrier_feasible(&b, f), f, grad);
        for (i = 0; i < b.G.n; ++i) TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, grad[i]);
        aid_free(a);
    }
}

static void expect_interior_point_to_solve(naive_ipm_rules rules)
{
    int trial, k;

    rng = slip_random_seed(19);
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = contacts(trial);
        double x[NAIVE_ROWS];
        naive_problem q;
        naive_ipm w;

        for (k = 0; k < a->p.nc; ++k) a->mu[k] += SLIP_R(0.05);
        naive_read(&a->p, &q);
        naive_ipm_start(&q, &rules, &w);
        for (k = 0; k < 100 && w.residual + w.products > 1e-13; ++k) naive_ipm_step(&q, &rules, &w);
        naive_ipm_impulses(&q, &w, x);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-4), 0, judged(a, SLIP_MODEL_NCP, x));
        aid_free(a);
    }
}

static void test_naive_steps_of_Dojos_interior_point_solve_the_NCP(void)
{
    const naive_ipm_rules repository = { 1.5, 0.95, 0.95 }, other = { 1, 1, 0.99 };

    expect_interior_point_to_solve(repository);
    expect_interior_point_to_solve(other);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_naive_sweeps_of_LL_Alg_1_solve_the_LCP);
    RUN_TEST(test_naive_sweeps_of_LL_Alg_2_solve_the_CCP);
    RUN_TEST(test_naive_sweeps_of_LL_Alg_5_solve_the_NCP);
    RUN_TEST(test_the_naive_slide_of_HW_is_a_solution_of_RaiSims_model);
    RUN_TEST(test_naive_sweeps_of_HW_Alg_2_come_to_rest);
    RUN_TEST(test_naive_steps_of_LL_Alg_3_solve_the_CCP);
    RUN_TEST(test_naive_steps_of_CR_Alg_1_solve_the_NCP_and_their_residuals_vanish);
    RUN_TEST(test_naive_passes_of_LL_Alg_6_solve_the_NCP_and_with_boxes_the_LCP);
    RUN_TEST(test_naive_solutions_of_the_CCP_and_the_LCP_are_solutions);
    RUN_TEST(test_the_naive_eigenvalues_are_the_ends_of_the_spectrum);
    RUN_TEST(test_the_naive_barriers_gradient_is_that_of_its_value_and_vanishes_at_its_minimum);
    RUN_TEST(test_naive_pivots_of_Lemke_solve_the_LCP);
    RUN_TEST(test_naive_Newton_steps_in_the_velocities_solve_the_CCP_with_compliance);
    RUN_TEST(test_naive_steps_of_the_barrier_end_at_its_minimum);
    RUN_TEST(test_naive_steps_of_Dojos_interior_point_solve_the_NCP);
    return UNITY_END();
}
