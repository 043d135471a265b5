/* The sweeps that cite a paper make the iterates that the paper prints: those of naive_sweeps.c and naive_bisection.c,
 * which were written from the papers' text alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "printed_aid.h"
#include "solvers/solvers.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* ---- sweeps ---------------------------------------------------------------------------------------- */

typedef void sweep_function(const naive_problem *q, const naive_rules *r, double *x);

static void expect_sweeps(const char *id, sweep_function *sweep, const slip_solver_options *opt)
{
    const naive_rules rules = { opt->step, (double)opt->relaxation, 1 };
    double want[SWEEPS + 1][NAIVE_ROWS], answer[NAIVE_ROWS];
    int trial, k;

    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 1);
        double x[NAIVE_ROWS] = { 0 };
        naive_problem q;

        naive_read(&a->p, &q);
        for (k = 0; k <= SWEEPS; ++k) {
            sweep(&q, &rules, x);
            memcpy(want[k], x, sizeof x);
        }
        printed_watch(id, &a->p, *opt, answer);
        printed_expect_iterates(id, trial, q.n, want, ROUNDING);
        aid_free(a);
    }
}

static void expect_step_rule(const char *id, sweep_function *sweep, slip_step_rule rule)
{
    slip_solver_options opt = printed_options();

    opt.step = rule;
    expect_sweeps(id, sweep, &opt);
}

/* HW eq. 18's alpha weighs the step before the projection; LL eq. 22 mixes the iterates after it (naive_rules' mix).
 * The solvers take the former, which keeps impulses in their cones for alpha > 1. */
static void expect_relaxation(const char *id, sweep_function *sweep)
{
    slip_solver_options opt = printed_options();

    opt.step = SLIP_STEP_MAX;
    opt.relaxation = SLIP_R(1.3);
    expect_sweeps(id, sweep, &opt);
    opt.relaxation = SLIP_R(0.6);
    expect_sweeps(id, sweep, &opt);
}

static void test_lcp_pgs_sweeps_as_LL_Alg_1_with_the_step_of_HW_eq_18(void)
{
    expect_step_rule("lcp-pgs", naive_lcp_pgs_sweep, SLIP_STEP_MAX);
}

static void test_lcp_pgs_sweeps_as_LL_Alg_1_with_the_printed_step(void)
{
    expect_step_rule("lcp-pgs", naive_lcp_pgs_sweep, SLIP_STEP_MIN);
}

static void test_lcp_pgs_sweeps_as_LL_Alg_1_with_exact_tangential_steps(void)
{
    expect_step_rule("lcp-pgs", naive_lcp_pgs_sweep, SLIP_STEP_BLOCK);
}

static void test_lcp_pgs_weighs_its_steps_as_HW_eq_18(void) { expect_relaxation("lcp-pgs", naive_lcp_pgs_sweep); }

static void test_ccp_pgs_sweeps_as_LL_Alg_2(void)
{
    const slip_solver_options opt = printed_options();

    expect_sweeps("ccp-pgs", naive_ccp_pgs_sweep, &opt);
}

static void test_ccp_pgs_weighs_its_steps_as_HW_eq_18(void) { expect_relaxation("ccp-pgs", naive_ccp_pgs_sweep); }

static void test_ncp_pgs_sweeps_as_LL_Alg_5_with_the_step_of_HW_eq_18(void)
{
    expect_step_rule("ncp-pgs", naive_ncp_pgs_sweep, SLIP_STEP_MAX);
}

static void test_ncp_pgs_sweeps_as_LL_Alg_5_with_the_printed_step(void)
{
    expect_step_rule("ncp-pgs", naive_ncp_pgs_sweep, SLIP_STEP_MIN);
}

static void test_ncp_pgs_sweeps_as_LL_Alg_5_with_exact_tangential_steps(void)
{
    expect_step_rule("ncp-pgs", naive_ncp_pgs_sweep, SLIP_STEP_BLOCK);
}

static void test_ncp_pgs_weighs_its_steps_as_HW_eq_18(void) { expect_relaxation("ncp-pgs", naive_ncp_pgs_sweep); }

static void test_lcp_pgs_and_ncp_pgs_take_the_step_of_HW_eq_18_by_default(void)
{
    const slip_solver_options opt = printed_options();

    TEST_ASSERT_EQUAL_INT(SLIP_STEP_MAX, opt.step);
    expect_sweeps("lcp-pgs", naive_lcp_pgs_sweep, &opt);
    expect_sweeps("ncp-pgs", naive_ncp_pgs_sweep, &opt);
}

/* ---- RaiSim ----------------------------------------------------------------------------------------- */

/* alpha, gamma and alpha_min of HW Sec. V-C are the defaults. `tol` is what one contact's search leaves. */
static void expect_raisim(const char *id, double tol)
{
    const slip_solver_options opt = printed_options();
    double want[SWEEPS + 1][NAIVE_ROWS], answer[NAIVE_ROWS];
    int trial, k;

    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 1);
        double x[NAIVE_ROWS] = { 0 }, alpha = 1;
        naive_problem q;

        naive_read(&a->p, &q);
        for (k = 0; k <= SWEEPS; ++k, alpha = 0.7 + 0.99*(alpha - 0.7)) {
            naive_raisim_sweep(&q, naive_raisim_slide, alpha, x);
            memcpy(want[k], x, sizeof x);
        }
        printed_watch(id, &a->p, opt, answer);
        printed_expect_iterates(id, trial, q.n, want, tol);
        aid_free(a);
    }
}

/* HW Alg. 1 ends when two impulses are closer than its gamma. */
static void test_raisim_bisection_sweeps_as_HW_Alg_2_to_the_bisections_tolerance(void)
{
    expect_raisim("raisim-bisection", (double)SLIP_TOL(1e-9, 1e-3));
}

/* A search by values of the energy cannot find its minimum closer than the root of rounding. */
static void test_raisim_golden_sweeps_as_HW_Alg_2_to_the_searches_tolerance(void)
{
    expect_raisim("raisim-golden", (double)SLIP_TOL(1e-6, 1e-2));
}

/* A root of a quartic has lost some digits to its coefficients. */
static void test_raisim_quartic_sweeps_as_HW_Alg_2_to_the_quartics_rounding(void)
{
    expect_raisim("raisim-quartic", (double)SLIP_TOL(1e-9, 1e-2));
}

/* ---- HW's bisection to rounding ------------------------------------------------------------------------ */

/* The solver ends HW Alg. 1 at a tenth of its tolerance, as a velocity and as an energy: its gamma of one contact. */
static double gamma_of(const naive_problem *q, double tol, double M[3][3], const double stick[3])
{
    const double size = (M[0][0] + M[1][1] + M[2][2])/3;
    const double length = sqrt(stick[0]*stick[0] + stick[1]*stick[1] + stick[2]*stick[2]);

    return 0.1*tol*fmin(1, printed_largest(q->n, q->g))/(size*fmax(1, length));
}

static double bisection_tol;
static const naive_problem *bisection_problem;
static int slides, out_of_sight;

static void slide_by_bisection(double M[3][3], const double c[3], double mu, double x[3])
{
    double K[9], stick[3] = { -c[0], -c[1], -c[2] };

    if (mu == 0) { naive_raisim_slide(M, c, mu, x);  return; }
    memcpy(K, M, sizeof K);
    naive_linear_solve(3, K, stick);
    out_of_sight += naive_raisim_bisect(M, c, mu, stick, gamma_of(bisection_problem, bisection_tol, M, stick), x);
    ++slides;
}

/* The iterates of `id` on one problem are those of HW Alg. 2 with Alg. 1 in line 8. */
static void expect_bisection(const char *id, const slip_problem *p, int trial, const slip_solver_options *opt,
                             double within)
{
    double want[SWEEPS + 1][NAIVE_ROWS], answer[NAIVE_ROWS], x[NAIVE_ROWS] = { 0 }, alpha = 1;
    naive_problem q;
    int k;

    naive_read(p, &q);
    bisection_problem = &q;
    bisection_tol = (double)opt->tol;
    for (k = 0; k <= SWEEPS; ++k, alpha = 0.7 + 0.99*(alpha - 0.7)) {
        naive_raisim_sweep(&q, slide_by_bisection, alpha, x);
        memcpy(want[k], x, sizeof x);
    }
    printed_watch(id, p, *opt, answer);
    for (k = 0; k < told.count; ++k) printed_expect_vector(id, trial, k + 1, q.n, want[k], told.x[k], within);
}

/* With HW's betas, to rounding, in spite of a coarse gamma: both leave the search at the same angle. */
static void test_raisim_bisection_halves_as_HW_Alg_1_to_rounding(void)
{
    slip_solver_options opt = printed_options();
    int trial;

    if (sizeof(slip_real) == 4) TEST_IGNORE_MESSAGE("skipped: compares to 1e-12");
    opt.tol = slip_solver_defaults().tol;
    slides = 0;
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 0);

        expect_bisection("raisim-bisection", &a->p, trial, &opt, ROUNDING);
        aid_free(a);
    }
    TEST_ASSERT(slides > 100);
}

/* A contact that barely slides sees a short arc: the first step leaves it and is taken back (HW Alg. 1 lines 13-14). */
static void test_raisim_bisection_takes_back_steps_out_of_sight(void)
{
    const slip_solver_options opt = printed_options();
    slip_random rng = slip_random_seed(92);
    aid_problem *a = aid_new(1, 0, 0);
    int m, i;

    if (sizeof(slip_real) == 4) TEST_IGNORE_MESSAGE("skipped: compares to 1e-12");
    out_of_sight = 0;
    for (m = 0; m < TRIALS; ++m) {
        const slip_real angle = slip_random_uniform(&rng, 0, 6), reach = SLIP_R(0.5)*SLIP_R(1.0005);
        const slip_real x0[3] = { reach*slip_cos(angle), reach*slip_sin(angle), 1 };

        aid_random_block(&rng, SLIP_R(0.1), 10, a->G);
        a->mu[0] = SLIP_R(0.5);
        slip_mat3_vec(a->G, x0, a->g);
        for (i = 0; i < 3; ++i) a->g[i] = -a->g[i];
        expect_bisection("raisim-bisection", &a->p, m, &opt, ROUNDING);
    }
    TEST_ASSERT(out_of_sight > 10);
    aid_free(a);
}

/* The other ways to find the same minimum, each to rounding: HW Alg. 2 with another line 8. */
static void test_golden_quartic_and_newton_make_the_sweeps_of_the_bisection(void)
{
    static const char *const ids[] = { "raisim-bisection", "raisim-golden", "raisim-quartic", "raisim-newton" };
    const slip_solver_options opt = printed_options();
    int trial, k;

    if (sizeof(slip_real) == 4) TEST_IGNORE_MESSAGE("skipped: compares to 1e-11");
    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 0);

        for (k = 0; k < 4; ++k) expect_bisection(ids[k], &a->p, trial, &opt, 1e-11);
        aid_free(a);
    }
}

/* ---- HW Sec. V-C: when a solve ends ---------------------------------------------------------------------------- */

/* "summing the magnitude of the impulse updates and the norms of the penetration velocities": those that the sweep from
 * `old` to x met, contact after contact. */
static double stop_updates(const naive_problem *q, const double *old, const double *x)
{
    double mixed[NAIVE_ROWS], sum = 0;
    int i;

    memcpy(mixed, old, sizeof mixed);
    for (i = 0; i < q->nc; ++i) {
        const double *a = old + 3*i, *b = x + 3*i;

        sum += fmax(0, -naive_velocity(q, mixed, 3*i + 2));
        sum += sqrt((a[0] - b[0])*(a[0] - b[0]) + (a[1] - b[1])*(a[1] - b[1]) + (a[2] - b[2])*(a[2] - b[2]));
        memcpy(mixed + 3*i, b, 3*sizeof *b);
    }
    return sum;
}

/* "adding the exact violations of the physical constraints": nothing penetrates, no force at a distance, Coulomb's
 * cone, and no velocity of what sticks. */
static double stop_violations(const naive_problem *q, const double *x)
{
    double sum = 0;
    int i;

    for (i = 0; i < q->nc; ++i) {
        const double t = naive_velocity(q, x, 3*i), u = naive_velocity(q, x, 3*i + 1);
        const double n = naive_velocity(q, x, 3*i + 2), most = q->mu[i]*x[3*i + 2], f = hypot(x[3*i], x[3*i + 1]);

        if (!(x[3*i + 2] > 0)) sum += fmax(0, -n);
        else if (f < (1 - (double)SLIP_TOL(1e-9, 1e-4))*most) sum += sqrt(t*t + u*u + n*n);
        else sum += fabs(n) + fmax(0, f - most);
    }
    return sum;
}

/* The rule holds at the last sweep and at none before; but where the sweeps stalled or came to their limit. */
static void expect_printed_stop(const char *id, int by_updates, double relaxation)
{
    const double tol = (double)SLIP_TOL(1e-6, 1e-3), slack = (double)SLIP_TOL(1e-10, 2e-4);
    int trial, ended = 0;

    for (trial = 0; trial < TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 1);
        slip_solver_options opt = slip_solver_defaults();
        double answer[NAIVE_ROWS], zero[NAIVE_ROWS] = { 0 };
        naive_problem q;
        int k;

        opt.tol = (slip_real)tol;
        opt.tol_rule = SLIP_TOL_ABSOLUTE;
        opt.stop = SLIP_STOP_PRINTED;
        opt.relaxation = (slip_real)relaxation;
        opt.max_iterations = LONG;
        naive_read(&a->p, &q);
        printed_watch(id, &a->p, opt, answer);
        for (k = 0; k < told.count && k < LONG; ++k) {
            const double *old = k > 0 ? told.x[k - 1] : zero;
            const double error = by_updates ? stop_updates(&q, old, told.x[k]) : stop_violations(&q, told.x[k]);

            if (k + 1 < told.count) TEST_ASSERT_TRUE_MESSAGE(error > tol - slack, id);
            else ended += error <= tol + slack;
        }
        if (told.count > 0) printed_expect_vector(id, trial, told.count, q.n, told.x[told.count - 1], answer, ROUNDING);
        aid_free(a);
    }
    TEST_ASSERT_TRUE_MESSAGE(ended > TRIALS/2, id);
}

static void test_ncp_pgs_stops_at_the_sum_of_HW_V_C(void)
{
    expect_printed_stop("ncp-pgs", 1, 1);
    expect_printed_stop("ncp-pgs", 1, 0.6);
}

static void test_raisim_stops_at_the_violations_of_HW_V_C(void)
{
    expect_printed_stop("raisim-bisection", 0, 1);
    expect_printed_stop("raisim-golden", 0, 1);
    expect_printed_stop("raisim-quartic", 0, 1);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_ncp_pgs_stops_at_the_sum_of_HW_V_C);
    RUN_TEST(test_raisim_stops_at_the_violations_of_HW_V_C);
    RUN_TEST(test_lcp_pgs_sweeps_as_LL_Alg_1_with_the_step_of_HW_eq_18);
    RUN_TEST(test_lcp_pgs_sweeps_as_LL_Alg_1_with_the_printed_step);
    RUN_TEST(test_lcp_pgs_sweeps_as_LL_Alg_1_with_exact_tangential_steps);
    RUN_TEST(test_lcp_pgs_weighs_its_steps_as_HW_eq_18);
    RUN_TEST(test_ccp_pgs_sweeps_as_LL_Alg_2);
    RUN_TEST(test_ccp_pgs_weighs_its_steps_as_HW_eq_18);
    RUN_TEST(test_ncp_pgs_sweeps_as_LL_Alg_5_with_the_step_of_HW_eq_18);
    RUN_TEST(test_ncp_pgs_sweeps_as_LL_Alg_5_with_the_printed_step);
    RUN_TEST(test_ncp_pgs_sweeps_as_LL_Alg_5_with_exact_tangential_steps);
    RUN_TEST(test_ncp_pgs_weighs_its_steps_as_HW_eq_18);
    RUN_TEST(test_lcp_pgs_and_ncp_pgs_take_the_step_of_HW_eq_18_by_default);
    RUN_TEST(test_raisim_bisection_sweeps_as_HW_Alg_2_to_the_bisections_tolerance);
    RUN_TEST(test_raisim_golden_sweeps_as_HW_Alg_2_to_the_searches_tolerance);
    RUN_TEST(test_raisim_quartic_sweeps_as_HW_Alg_2_to_the_quartics_rounding);
    RUN_TEST(test_raisim_bisection_halves_as_HW_Alg_1_to_rounding);
    RUN_TEST(test_raisim_bisection_takes_back_steps_out_of_sight);
    RUN_TEST(test_golden_quartic_and_newton_make_the_sweeps_of_the_bisection);
    return UNITY_END();
}
