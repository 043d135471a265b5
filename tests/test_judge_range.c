/* The judges at the ends of their range: impulses and velocities from 1e-150 to 1e150, where squares would overflow or
 * vanish, and contacts without friction, whose cone is a ray. A wrong "solved" is worse than a failed solve: every
 * SLIP_OK is checked by a judge written here, in units in which all numbers are near 1. */
#include "contact_aid.h"
#include "naive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* Scales are powers of two, exact: up to about 1e150 (1e17 in float, where a problem beyond 1e18 is refused). Their
 * squares still exist. A little BEYOND, squares overflow at one end and lose digits at the other. */
#define RANGE ((int)SLIP_TOL(498, 56))
#define BEYOND ((int)SLIP_TOL(516, 66))

/* The judges of all solvers; the first DEFINED are defined by projections, see judge_by_definition(). */
enum { DEFINED = 3, MODELS = 5 };
static const slip_contact_model models[MODELS] = { SLIP_MODEL_NCP, SLIP_MODEL_CCP, SLIP_MODEL_LCP, SLIP_MODEL_BARRIER,
                                                   SLIP_MODEL_RAISIM };

static slip_real power_of_two(int k) { return (slip_real)ldexp(1, k); }

/* Two contacts that slide and press. */
static aid_problem *two_contacts(int k)
{
    slip_random rng = slip_random_seed(7);
    aid_problem *a = aid_new(2, 0, 0);
    int i;

    aid_random(&rng, 12, 1, a);
    for (i = 0; i < a->p.n; ++i) {
        a->G[i*a->p.n + i] += SLIP_R(0.2);
        a->g[i] *= power_of_two(k);
    }
    a->mu[0] = SLIP_R(0.3);
    a->mu[1] = SLIP_R(0.6);
    return a;
}

/* A wrong answer, with residuals of every kind. */
static void wrong_impulses(int k, slip_real lambda[6])
{
    static const double x[6] = { 0.7, -0.4, 0.9, 0.2, 0.1, -0.3 };
    int i;

    for (i = 0; i < 6; ++i) lambda[i] = (slip_real)ldexp(x[i], k);
}

static void expect_ratio(double want, double value, double scale, const char *what)
{
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-12, 1e-5)*want, want, value/scale, what);
}

static slip_residual judged(const slip_problem *p, slip_contact_model model, const slip_real *lambda)
{
    slip_real sigma[NAIVE_ROWS];
    slip_residual r;

    slip_problem_sigma(p, lambda, sigma);
    slip_residual_at(p, model, 4, lambda, sigma, &r);
    return r;
}

static void test_residuals_scale_with_the_problem_over_the_whole_range(void)
{
    int m, k;

    for (m = 0; m < MODELS; ++m) for (k = -RANGE; k <= RANGE; k += RANGE/6) {
        aid_problem *a = two_contacts(k), *one = two_contacts(0);
        const double s = ldexp(1, k);
        slip_real lambda[6], unit[6];
        slip_residual r, r1;
        char text[60];

        wrong_impulses(k, lambda);
        wrong_impulses(0, unit);
        r = judged(&a->p, models[m], lambda);
        r1 = judged(&one->p, models[m], unit);
        snprintf(text, sizeof text, "%s times 2^%d", slip_contact_model_name(models[m]), k);
        TEST_ASSERT_TRUE(r1.eps_primal > 0 && r1.eps_dual > 0 && r1.eps_comp > 0);
        expect_ratio((double)r1.eps_primal, (double)r.eps_primal, s, text);
        expect_ratio((double)r1.eps_dual, (double)r.eps_dual, s, text);
        expect_ratio((double)r1.eps_comp, (double)r.eps_comp/s, s, text);
        expect_ratio((double)slip_residual_excess(&r1, SLIP_R(1e-3), SLIP_TOL_RELATIVE),
                     (double)slip_residual_excess(&r, SLIP_R(1e-3), SLIP_TOL_RELATIVE), 1, text);
        aid_free(a);
        aid_free(one);
    }
}

static void test_criteria_of_single_contacts_scale_with_the_problem_over_the_whole_range(void)
{
    int i, k;

    for (i = 0; i < 2; ++i) for (k = -RANGE; k <= RANGE; k += RANGE/6) {
        aid_problem *a = two_contacts(k), *one = two_contacts(0);
        const double s = ldexp(1, k);
        slip_real lambda[6], unit[6], sigma[6], sigma1[6];
        slip_contact_criteria c, c1;

        wrong_impulses(k, lambda);
        wrong_impulses(0, unit);
        slip_problem_sigma(&a->p, lambda, sigma);
        slip_problem_sigma(&one->p, unit, sigma1);
        slip_contact_judge(&a->p, i, lambda, sigma, 0, 0, &c);
        slip_contact_judge(&one->p, i, unit, sigma1, 0, 0, &c1);
        expect_ratio((double)c1.eps_primal, (double)c.eps_primal, s, "eps_primal");
        expect_ratio((double)c1.eps_dual, (double)c.eps_dual, s, "eps_dual");
        expect_ratio((double)c1.eps_comp, (double)c.eps_comp/s, s, "eps_comp");
        expect_ratio((double)c1.coulomb, (double)c.coulomb, s, "coulomb");
        expect_ratio((double)c1.signorini_power, (double)c.signorini_power/s, s, "signorini_power");
        expect_ratio((double)c1.signorini_approach, (double)c.signorini_approach, s, "signorini_approach");
        expect_ratio(fabs((double)c1.mdp_power), fabs((double)c.mdp_power)/s, s, "mdp_power");
        expect_ratio((double)c1.mdp_angle, (double)c.mdp_angle, 1, "mdp_angle");
        TEST_ASSERT_EQUAL_INT(c1.state, c.state);
        aid_free(a);
        aid_free(one);
    }
}

/* No impulse against a closing contact is no solution, however large or small its velocity. */
static void test_no_impulse_never_passes_for_a_solution_of_a_closing_contact(void)
{
    static const int beyond[] = { 510, 516, 600, 1000, -510, -600, -1000 };   /* 1e155 and more: squares overflow */
    static const int beyond_float[] = { 64, 80, 120, -64, -80, -100, -120 };
    int m, k;

    for (m = 0; m < MODELS; ++m) for (k = 0; k < 7; ++k) {
        aid_problem *a = two_contacts(sizeof(slip_real) == sizeof(double) ? beyond[k] : beyond_float[k]);
        const slip_real none[6] = { 0 };
        const slip_residual r = judged(&a->p, models[m], none);
        const slip_real excess = slip_residual_excess(&r, SLIP_R(1e-6), SLIP_TOL_RELATIVE);
        char text[60];

        snprintf(text, sizeof text, "%s at 2^%d", slip_contact_model_name(models[m]), beyond[k]);
        TEST_ASSERT_TRUE_MESSAGE(r.eps_dual > 0, text);
        TEST_ASSERT_FALSE_MESSAGE(excess <= 1, text);
        aid_free(a);
    }
}

/* ---- solvers against a judge of this file ------------------------------------------------------------- */

/* The nearest point of the pyramid |x_1|, |x_2| <= mu x_n: its height is where the slope of the squared distance
 * vanishes, found by bisection. */
static void project_pyramid(double mu, const double x[3], double y[3])
{
    double lo = 0, hi = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    int i;

    for (i = 0; i < 200; ++i) {
        const double n = (lo + hi)/2;
        const double over = fmax(0, fabs(x[0]) - mu*n) + fmax(0, fabs(x[1]) - mu*n);

        if (n - x[2] - mu*over > 0) hi = n; else lo = n;
    }
    for (y[2] = lo, i = 0; i < 2; ++i) y[i] = fmin(fmax(x[i], -mu*lo), mu*lo);
}

/* eps_p, eps_d, eps_c of one contact, by definition. */
static void judge_by_definition(slip_contact_model model, double mu, const double x[3], const double v[3],
                                double eps[3])
{
    const double round = model == SLIP_MODEL_NCP ? hypot(v[0], v[1]) : 0;
    const double slip = model == SLIP_MODEL_LCP ? fabs(v[0]) + fabs(v[1]) : round;
    const double s[3] = { v[0], v[1], v[2] + mu*slip }, minus[3] = { -s[0], -s[1], -s[2] };
    double y[3], z[3];

    (model == SLIP_MODEL_LCP ? project_pyramid : naive_project_cone)(mu, x, y);
    (model == SLIP_MODEL_LCP ? project_pyramid : naive_project_cone)(mu, minus, z);
    eps[0] = sqrt((x[0] - y[0])*(x[0] - y[0]) + (x[1] - y[1])*(x[1] - y[1]) + (x[2] - y[2])*(x[2] - y[2]));
    eps[1] = sqrt(z[0]*z[0] + z[1]*z[1] + z[2]*z[2]);         /* Moreau: the distance to K* */
    eps[2] = fabs(x[0]*s[0] + x[1]*s[1] + x[2]*s[2]);
}

/* The largest relative residual of the NCP, the CCP or the LCP at lambda/2^k for the problem at k = 0. */
static double own_residual(const naive_problem *q, slip_contact_model model, const slip_real *lambda, int k)
{
    double x[NAIVE_ROWS], most = 0, worst = 0, speed = 0;
    int i, j;

    for (i = 0; i < q->n; ++i) {
        x[i] = ldexp((double)lambda[i], -k);
        most = fmax(most, fabs(x[i]));
        speed = fmax(speed, fabs(q->g[i]));
    }
    if (!(most > 0)) return (double)INFINITY;
    for (i = 0; i < q->nc; ++i) {
        double v[3], eps[3];

        for (j = 0; j < 3; ++j) v[j] = naive_velocity(q, x, 3*i + j);
        judge_by_definition(model, q->mu[i], x + 3*i, v, eps);
        worst = fmax(fmax(worst, eps[0]/most), fmax(eps[1]/speed, eps[2]/(most*speed)));
    }
    return worst;
}

/* Whether solver i, asked for a relative 1e-6 at 2^k, says that it is solved; when it does, it must be true. */
static int solves_honestly(const slip_solver *solver, int k)
{
    slip_solver_options opt = slip_solver_defaults();
    aid_problem *a = two_contacts(k), *one = two_contacts(0);
    slip_real lambda[NAIVE_ROWS] = { 0 };
    slip_solution sol;
    naive_problem q;
    slip_status status;
    char text[80];

    opt.tol = SLIP_TOL(1e-6, 1e-3);
    opt.tol_rule = SLIP_TOL_RELATIVE;
    naive_read(&one->p, &q);
    status = aid_solve(solver->solve, solver->bytes, &a->p, &opt, 0, lambda, NULL, &sol);
    snprintf(text, sizeof text, "%s at 2^%d", solver->id, k);
    if (status == SLIP_OK && solver->model != SLIP_MODEL_RAISIM && solver->model != SLIP_MODEL_BARRIER)
        TEST_ASSERT_TRUE_MESSAGE(own_residual(&q, solver->model, lambda, k) <= 1.1*(double)opt.tol, text);
    aid_free(a);
    aid_free(one);
    return status == SLIP_OK;
}

static void test_a_solver_that_says_solved_has_solved_at_every_scale(void)
{
    int i, k;

    for (i = 0; i < slip_solver_count(); ++i) {
        if (strcmp(slip_solver_get(i)->id, "ccp-newton") == 0) continue;   /* solves a regularised problem */
        for (k = -RANGE; k <= RANGE; k += RANGE/3) solves_honestly(slip_solver_get(i), k);
        solves_honestly(slip_solver_get(i), BEYOND);
        solves_honestly(slip_solver_get(i), -BEYOND);
    }
}

static void test_the_default_solves_at_every_scale(void)
{
    char text[20];
    int k;

    for (k = -RANGE; k <= RANGE; k += RANGE/6) {
        snprintf(text, sizeof text, "2^%d", k);
        TEST_ASSERT_TRUE_MESSAGE(solves_honestly(slip_solver_find("default"), k), text);
    }
}

/* ---- infinite friction -------------------------------------------------------------------------------- */

/* It holds the tangent, open or closed: lambda = 0 is no answer where an open contact moves along. Alone and beside a
 * contact that closes; a solver either meets the judge or says that it has not. */
static void test_infinite_friction_holds_open_contacts_too(void)
{
    static const double inf[2] = { (double)INFINITY, (double)SLIP_MU_INFINITE };
    static unsigned char memory[1 << 20];
    int i, k, nc, solved = 0;

    for (i = 0; i < slip_solver_count(); ++i) for (k = 0; k < 2; ++k) for (nc = 1; nc <= 2; ++nc) {
        const slip_solver *s = slip_solver_get(i);
        static const slip_real g[6] = { 3, 1, 2, 1, 1, -1 };
        aid_problem *a = aid_new(nc, 0, 0);
        slip_real lambda[6] = { 0, 0, 0, 0, 0, 0 };
        slip_arena mem = slip_arena_over(memory, sizeof memory);
        slip_solution sol = slip_solution_over(lambda, NULL, NULL);
        slip_status status;
        int r;

        for (r = 0; r < a->p.n; ++r) { a->G[r*a->p.n + r] = 1;  a->g[r] = g[r]; }
        for (r = 0; r < nc; ++r) a->mu[r] = (slip_real)inf[k];
        status = slip_solve(s, &a->p, NULL, &sol, &mem);
        if (status == SLIP_OK && s->model != SLIP_MODEL_BARRIER) {
            const slip_residual judge = judged(&a->p, s->model, lambda);

            TEST_ASSERT_TRUE_MESSAGE(judge.eps_abs <= SLIP_TOL(1e-6, 1e-4), s->id);
            for (r = 0; r < nc; ++r) {
                if (s->model == SLIP_MODEL_RAISIM && g[3*r + 2] > 0) continue;     /* its open contacts hold nothing */
                TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-3, -(double)g[3*r], (double)lambda[3*r], s->id);
                TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-3, -(double)g[3*r + 1], (double)lambda[3*r + 1], s->id);
            }
            solved += 1;
        }
        aid_free(a);
    }
    TEST_ASSERT_GREATER_THAN_INT(3*(slip_solver_count() - 1), solved);
}

/* ---- contacts without friction ------------------------------------------------------------------------ */

static slip_residual judge_one(slip_contact_model model, double mu, const double x[3], const double s[3])
{
    aid_problem *a = aid_new(1, 0, 0);
    slip_real lambda[3], sigma[3];
    slip_residual r;
    int i;

    for (i = 0; i < 3; ++i) { lambda[i] = (slip_real)x[i];  sigma[i] = (slip_real)s[i];  a->G[4*i] = 1; }
    a->mu[0] = (slip_real)mu;
    slip_residual_at(&a->p, model, 4, lambda, sigma, &r);
    aid_free(a);
    return r;
}

static const double frictions[3] = { 0, 1e-3, 0.5 };
static const double at_rest[3] = { 0, 0, 0 };

#define EXPECT_NEAR(want, got) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-6), (want), (double)(got))

static void test_all_judges_agree_with_the_definitions_for_random_impulses_and_velocities(void)
{
    slip_random rng = slip_random_seed(21);
    int trial, m, i;

    for (trial = 0; trial < 3000; ++trial) for (m = 0; m < DEFINED; ++m) {
        const double mu = trial % 3 == 0 ? 0 : (double)slip_random_uniform(&rng, 0, 2);
        double x[3], v[3], eps[3];
        slip_residual r;

        for (i = 0; i < 3; ++i) {
            x[i] = (double)slip_random_normal(&rng);
            v[i] = (double)slip_random_normal(&rng);
        }
        judge_by_definition(models[m], mu, x, v, eps);
        r = judge_one(models[m], mu, x, v);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-7, 1e-3), eps[0], (double)r.eps_primal);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-7, 1e-3), eps[1], (double)r.eps_dual);
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-4), eps[2], (double)r.eps_comp);
    }
}

/* The judge of single contacts has distances of its own. */
static void test_the_judge_of_single_contacts_agrees_with_the_definitions(void)
{
    slip_random rng = slip_random_seed(22);
    int trial, i;

    for (trial = 0; trial < 3000; ++trial) {
        aid_problem *a = aid_new(1, 0, 0);
        double x[3], v[3], eps[3];
        slip_real lambda[3], sigma[3];
        slip_contact_criteria c;

        for (i = 0; i < 3; ++i) {
            x[i] = (double)(lambda[i] = slip_random_normal(&rng));
            v[i] = (double)(sigma[i] = slip_random_normal(&rng));
            a->G[4*i] = 1;
        }
        if (trial % 3) a->mu[0] = slip_random_uniform(&rng, 0, 2);
        judge_by_definition(SLIP_MODEL_NCP, (double)a->mu[0], x, v, eps);
        slip_contact_judge(&a->p, 0, lambda, sigma, 0, 0, &c);
        EXPECT_NEAR(1, (1 + (double)c.eps_primal)/(1 + eps[0]));
        EXPECT_NEAR(1, (1 + (double)c.eps_dual)/(1 + eps[1]));
        EXPECT_NEAR(1, (1 + (double)c.eps_comp)/(1 + eps[2]));
        aid_free(a);
    }
}

static void test_a_pull_is_as_far_outside_of_the_ray_as_of_any_cone(void)
{
    const double pull[3] = { 0, 0, -2 };
    int m, f;

    for (m = 0; m < MODELS; ++m) for (f = 0; f < 3; ++f)
        EXPECT_NEAR(2, judge_one(models[m], frictions[f], pull, at_rest).eps_primal);
}

static void test_a_pull_with_a_tangential_impulse_is_as_far_as_the_apex(void)
{
    const double pull[3] = { 0.3, 0.4, -1.2 };
    int m;

    for (m = 0; m < MODELS; ++m) EXPECT_NEAR(1.3, judge_one(models[m], 0, pull, at_rest).eps_primal);
    EXPECT_NEAR(1.3, judge_one(SLIP_MODEL_NCP, 0.5, pull, at_rest).eps_primal);
}

static void test_a_pull_while_the_contact_separates_breaks_complementarity_with_and_without_friction(void)
{
    const double pull[3] = { 0, 0, -2 }, parting[3] = { 0, 0, 3 };
    int m, f;

    for (m = 0; m < MODELS; ++m) for (f = 0; f < 3; ++f) {
        const slip_residual r = judge_one(models[m], frictions[f], pull, parting);

        EXPECT_NEAR(2, r.eps_primal);
        EXPECT_NEAR(0, r.eps_dual);
        EXPECT_NEAR(6, r.eps_comp);
    }
}

static void test_without_friction_a_tangential_velocity_is_no_violation(void)
{
    const double push[3] = { 0, 0, 1 }, slide[3] = { 3, -4, 0 };
    int m;

    for (m = 0; m < MODELS; ++m) {
        const slip_residual r = judge_one(models[m], 0, push, slide);

        EXPECT_NEAR(0, r.eps_abs);
    }
}

static void test_without_friction_a_tangential_impulse_is_a_violation(void)
{
    const double drag[3] = { 0.3, -0.4, 1 };
    int m;

    for (m = 0; m < MODELS; ++m) EXPECT_NEAR(0.5, judge_one(models[m], 0, drag, at_rest).eps_primal);
}

static void test_without_friction_an_approach_is_a_violation_by_its_normal_part_alone(void)
{
    const double none[3] = { 0, 0, 0 }, approach[3] = { 3, -4, -2 };
    int m;

    for (m = 0; m < MODELS; ++m) EXPECT_NEAR(2, judge_one(models[m], 0, none, approach).eps_dual);
}

static void test_the_judge_of_single_contacts_reports_a_pull_with_and_without_friction(void)
{
    int f;

    for (f = 0; f < 3; ++f) {
        const slip_real lambda[3] = { 0, 0, -2 }, sigma[3] = { 0, 0, 3 };
        aid_problem *a = aid_new(1, 0, 0);
        slip_contact_criteria c;

        a->G[0] = a->G[4] = a->G[8] = 1;
        a->mu[0] = (slip_real)frictions[f];
        slip_contact_judge(&a->p, 0, lambda, sigma, 0, 0, &c);
        EXPECT_NEAR(2, c.eps_primal);
        EXPECT_NEAR(6, c.signorini_power);
        TEST_ASSERT_TRUE(c.coulomb >= 2 && (double)c.coulomb <= 2*(1 + frictions[f]));
        aid_free(a);
    }
}

/* The physics of a whole problem takes the maxima of the same judges. */
static void test_the_physics_of_a_problem_report_a_pull_with_and_without_friction(void)
{
    int f;

    for (f = 0; f < 3; ++f) {
        const slip_real lambda[3] = { 0, 0, -2 };
        aid_problem *a = aid_new(1, 0, 0);
        slip_real sigma[3];
        slip_physics all;

        a->G[0] = a->G[4] = a->G[8] = 1;
        a->g[2] = 5;
        a->mu[0] = (slip_real)frictions[f];
        slip_physics_of(&a->p, lambda, sigma, NULL, &all);
        EXPECT_NEAR(2, all.ncp.eps_primal);
        EXPECT_NEAR(6, all.ncp.eps_comp);
        TEST_ASSERT_TRUE(all.coulomb >= 2);
        aid_free(a);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_infinite_friction_holds_open_contacts_too);
    RUN_TEST(test_residuals_scale_with_the_problem_over_the_whole_range);
    RUN_TEST(test_criteria_of_single_contacts_scale_with_the_problem_over_the_whole_range);
    RUN_TEST(test_no_impulse_never_passes_for_a_solution_of_a_closing_contact);
    RUN_TEST(test_a_solver_that_says_solved_has_solved_at_every_scale);
    RUN_TEST(test_the_default_solves_at_every_scale);
    RUN_TEST(test_all_judges_agree_with_the_definitions_for_random_impulses_and_velocities);
    RUN_TEST(test_the_judge_of_single_contacts_agrees_with_the_definitions);
    RUN_TEST(test_a_pull_is_as_far_outside_of_the_ray_as_of_any_cone);
    RUN_TEST(test_a_pull_with_a_tangential_impulse_is_as_far_as_the_apex);
    RUN_TEST(test_a_pull_while_the_contact_separates_breaks_complementarity_with_and_without_friction);
    RUN_TEST(test_without_friction_a_tangential_velocity_is_no_violation);
    RUN_TEST(test_without_friction_a_tangential_impulse_is_a_violation);
    RUN_TEST(test_without_friction_an_approach_is_a_violation_by_its_normal_part_alone);
    RUN_TEST(test_the_judge_of_single_contacts_reports_a_pull_with_and_without_friction);
    RUN_TEST(test_the_physics_of_a_problem_report_a_pull_with_and_without_friction);
    return UNITY_END();
}
