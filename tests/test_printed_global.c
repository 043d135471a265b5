/* Dojo's interior point makes the iterates that the paper prints; Newton's method, Lemke's, SCS and the barrier find the
 * solutions of naive_solutions.c and naive_barrier.c. Their iterates: test_printed_steps.c, test_ccp_scs.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "printed_aid.h"
#include "solvers/solvers.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* ---- interior point ------------------------------------------------------------------------------------ */

/* Each contact's mean diagonal and the largest |g| become 1: ncp-ipm works in such units, and Dojo's starting point has
 * a size of its own. mu = 0 has no interior. */
static void give_unit_scales(aid_problem *a)
{
    const int n = a->p.n;
    slip_real most = 0, d[NAIVE_ROWS];
    int i, j;

    for (i = 0; i < n; ++i) {
        const int k = 3*(i/3);
        const slip_real trace = a->G[k*n + k] + a->G[(k + 1)*n + k + 1] + a->G[(k + 2)*n + k + 2];

        d[i] = (slip_real)sqrt(3/(double)trace);
        most = slip_max(most, slip_abs(d[i]*a->g[i]));
        a->mu[i/3] = slip_max(a->mu[i/3], SLIP_R(0.05));
    }
    for (i = 0; i < n; ++i) {
        for (j = 0; j < n; ++j) a->G[i*n + j] *= d[i]*d[j];
        a->g[i] *= d[i]/most;
    }
}

/* Newton's system, centring, corrector and line search are compared. Start and fractions to the boundary are those that
 * the solver shows (1; 1 and 0.99); the authors' repository has others. Once the violations are at rounding, so are the
 * directions: no more to compare. */
static void test_ncp_ipm_steps_as_Dojos_primal_dual_method(void)
{
    const naive_ipm_rules rules = { 1, 1, 0.99 };
    const slip_solver_options opt = printed_options();
    double want[NAIVE_ROWS], answer[NAIVE_ROWS];
    int trial, k;

    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 0);
        naive_problem q;
        naive_ipm w;

        give_unit_scales(a);
        naive_read(&a->p, &q);
        naive_ipm_start(&q, &rules, &w);
        printed_watch("ncp-ipm", &a->p, opt, answer);
        TEST_ASSERT_TRUE(told.count >= 4 && !told.lost);
        for (k = 0; k < SWEEPS && k < told.count; ++k) {
            naive_ipm_step(&q, &rules, &w);
            if (fmax(w.residual, w.products) < (double)SLIP_TOL(1e-10, 1e-4)) break;
            naive_ipm_impulses(&q, &w, want);
            printed_expect_vector("ncp-ipm", trial, k + 1, q.n, want, told.x[k], (double)SLIP_TOL(1e-10, 1e-2));
        }
        aid_free(a);
    }
}

/* ---- solutions ------------------------------------------------------------------------------------------ */

static slip_solver_options to_the_end(double tol)
{
    slip_solver_options opt = slip_solver_defaults();

    opt.tol = (slip_real)tol;
    return opt;
}

/* R = alpha diag(G) + p->R, alpha the option. */
static void expect_ccp_solution(const char *id, slip_solver_options opt, double within)
{
    int trial, i;

    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 1);
        double want[NAIVE_ROWS], got[NAIVE_ROWS];
        naive_problem q;

        naive_read(&a->p, &q);
        for (i = 0; i < q.n; ++i) q.A[i][i] += (double)opt.regularization*(double)a->G[i*q.n + i];
        naive_ccp_solution(&q, want);
        printed_watch(id, &a->p, opt, got);
        printed_expect_vector(id, trial, told.count, q.n, want, got, within);
        aid_free(a);
    }
}

static void test_ccp_newton_finds_the_minimiser_of_the_regularised_CCP(void)
{
    slip_solver_options opt = to_the_end((double)SLIP_TOL(1e-12, 1e-5));

    opt.regularization = SLIP_R(0.1);
    expect_ccp_solution("ccp-newton", opt, (double)SLIP_TOL(1e-9, 1e-3));
    opt.regularization = SLIP_R(0.01);
    expect_ccp_solution("ccp-newton", opt, (double)SLIP_TOL(1e-9, 1e-3));
}

static void test_ccp_scs_finds_the_minimiser_of_the_CCP(void)
{
    slip_solver_options opt = to_the_end((double)SLIP_TOL(1e-9, 1e-4));

    opt.regularization = 0;
    opt.max_iterations = 100000;
    expect_ccp_solution("ccp-scs", opt, (double)SLIP_TOL(1e-6, 1e-2));
}

static void test_lcp_lemke_finds_a_solution_of_the_LCP_among_those_of_all_complementary_cases(void)
{
    const slip_solver_options opt = to_the_end((double)SLIP_TOL(1e-10, 1e-5));
    int trial;

    for (trial = 0; trial < 4*TRIALS; ++trial) if (trial % 4 < 2) {
        aid_problem *a = printed_problem(trial, 0);
        double x[NAIVE_ROWS];
        naive_problem q;
        char text[40];

        naive_read(&a->p, &q);
        printed_watch("lcp-lemke", &a->p, opt, x);
        snprintf(text, sizeof text, "problem %d", trial);
        TEST_ASSERT_TRUE_MESSAGE(naive_lcp_has_solution(&q, x, (double)SLIP_TOL(1e-9, 1e-3)), text);
        aid_free(a);
    }
}

/* ---- barrier ----------------------------------------------------------------------------------------------- */

static naive_barrier barrier_of(aid_problem *a, const slip_solver_options *opt)
{
    naive_barrier b;
    int i;

    memset(&b, 0, sizeof b);
    a->p.R = NULL;
    naive_read(&a->p, &b.G);
    a->p.R = a->R;
    for (i = 0; i < b.G.n; ++i) b.R[i] = (double)a->R[i];
    b.t = (double)opt->barrier;
    b.s = (double)opt->elastic;
    return b;
}

static void test_ccp_barrier_finds_the_minimiser_of_TO_eq_17(void)
{
    const slip_solver_options opt = to_the_end((double)SLIP_TOL(1e-10, 1e-5));
    int trial, i;

    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 0);
        double want[NAIVE_ROWS], got[NAIVE_ROWS], grad[NAIVE_ROWS];
        naive_barrier b;

        for (i = 0; i < a->p.nc; ++i) a->mu[i] = slip_max(a->mu[i], SLIP_R(0.1));   /* mu = 0 has no interior */
        b = barrier_of(a, &opt);
        naive_barrier_solution(&b, want);
        printed_watch("ccp-barrier", &a->p, opt, got);
        printed_expect_vector("ccp-barrier", trial, told.count, b.G.n, want, got, (double)SLIP_TOL(1e-8, 1e-2));
        naive_barrier_gradient(&b, !naive_barrier_feasible(&b, got), got, grad);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-2), 0, printed_largest(b.G.n, grad));
        aid_free(a);
    }
}

/* The value falls, with the rows that started infeasible in elastic mode or without: which rows are elastic at an
 * iteration is the solver's business. TO prints no line search beyond the step to the constraints; descent is what its
 * claim of a convex problem solved by Newton's method needs. */
static void test_ccp_barrier_descends_at_every_iteration(void)
{
    slip_solver_options opt = to_the_end((double)SLIP_TOL(1e-10, 1e-5));
    int trial, i, k;

    opt.barrier = 10;                                /* so large that t need not fall to it in phases (TO Sec. III-D) */
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 0);
        double got[NAIVE_ROWS];
        naive_barrier b;
        char text[120];

        for (i = 0; i < a->p.nc; ++i) a->mu[i] = slip_max(a->mu[i], SLIP_R(0.1));
        b = barrier_of(a, &opt);
        printed_watch("ccp-barrier", &a->p, opt, got);
        TEST_ASSERT_TRUE(told.count > 1);
        TEST_ASSERT_FALSE_MESSAGE(told.lost, "every iteration is told with its iterate");
        for (k = 1; k < told.count && k < LONG; ++k) {
            const double from[2] = { naive_barrier_value(&b, 0, told.x[k - 1]), naive_barrier_value(&b, 1, told.x[k - 1]) };
            const double to[2] = { naive_barrier_value(&b, 0, told.x[k]), naive_barrier_value(&b, 1, told.x[k]) };
            int falls = 0, mode;

            for (mode = 0; mode < 2; ++mode)
                falls |= to[mode] <= from[mode] + (double)SLIP_TOL(1e-12, 1e-4)*(1 + fabs(from[mode]));
            snprintf(text, sizeof text, "problem %d, iteration %d: from %.17g to %.17g", trial, k + 1, from[1], to[1]);
            TEST_ASSERT_TRUE_MESSAGE(falls, text);
        }
        aid_free(a);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_ncp_ipm_steps_as_Dojos_primal_dual_method);
    RUN_TEST(test_ccp_newton_finds_the_minimiser_of_the_regularised_CCP);
    RUN_TEST(test_ccp_scs_finds_the_minimiser_of_the_CCP);
    RUN_TEST(test_lcp_lemke_finds_a_solution_of_the_LCP_among_those_of_all_complementary_cases);
    RUN_TEST(test_ccp_barrier_finds_the_minimiser_of_TO_eq_17);
    RUN_TEST(test_ccp_barrier_descends_at_every_iteration);
    return UNITY_END();
}
