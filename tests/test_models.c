/* How the contact models stand to each other: what must agree, and what must approach what. */
#include "contact_aid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

enum { ROWS = 64 };

static slip_status solve(const char *id, const slip_problem *p, const slip_solver_options *o, slip_real *x,
                         slip_real *sigma)
{
    const slip_solver *s = slip_solver_find(id);
    slip_solution sol;

    TEST_ASSERT_NOT_NULL_MESSAGE(s, id);
    return aid_solve(s->solve, s->bytes, p, o, 0, x, sigma, &sol);
}

static double largest_difference(int n, const slip_real *a, const slip_real *b)
{
    double worst = 0;
    int i;

    for (i = 0; i < n; ++i) worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

static aid_problem *random_problem(slip_random *rng, int k)
{
    aid_problem *a = aid_new(1 + k % 4, 0, 0);

    aid_random(rng, a->p.n + 9, 1, a);
    return a;
}

/* Convex and the same: one objective, to nine digits. */
static void test_ccp_solvers_reach_the_same_objective(void)
{
    static const char *const id[] = { "ccp-pgs", "ccp-gs", "ccp-newton", "ccp-admm", "ccp-scs" };
    slip_random rng = slip_random_seed(41);
    slip_solver_options o = slip_solver_defaults();
    slip_real x[ROWS];
    double first = 0;
    int k, s;

    o.tol = SLIP_TOL(1e-11, 1e-5);
    o.step = SLIP_STEP_BLOCK;                                        /* 3/trace diverges on some */
    for (k = 0; k < 60; ++k) {
        aid_problem *a = random_problem(&rng, k);

        for (s = 0; s < (int)(sizeof id/sizeof *id); ++s) {
            double e;

            TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, solve(id[s], &a->p, &o, x, NULL), id[s]);
            e = aid_energy(&a->p, x);
            if (s == 0) first = e;
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-9, 1e-3)*fabs(first), first, e, id[s]);
        }
        aid_free(a);
    }
}

static void test_ncp_solvers_reach_the_same_velocity(void)
{
    static const char *const id[] = { "ncp-pgs", "ncp-gs", "ncp-staggered", "ncp-path", "ncp-admm", "ncp-newton" };
    slip_random rng = slip_random_seed(42);
    slip_solver_options o = slip_solver_defaults();
    slip_real x[ROWS], first[ROWS], sigma[ROWS];
    int k, s;

    for (k = 0; k < 60; ++k) {
        aid_problem *a = random_problem(&rng, k);

        for (s = 0; s < 6; ++s) {
            o.tol = s == 2 ? SLIP_TOL(1e-9, 1e-4) : SLIP_TOL(1e-9, 1e-5);    /* staggered rounds add up inner errors */
            TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, solve(id[s], &a->p, &o, x, s == 0 ? first : sigma), id[s]);
            if (s > 0)
                TEST_ASSERT_MESSAGE(largest_difference(a->p.n, first, sigma) < (double)SLIP_TOL(1e-5, 1e-2), id[s]);
        }
        aid_free(a);
    }
}

/* Sticking is sticking in every model. */
static void test_all_models_agree_where_everything_sticks(void)
{
    aid_problem *a = aid_incline(2, SLIP_R(0.2), SLIP_R(0.9), SLIP_R(0.01));
    slip_solver_options o = slip_solver_defaults();
    slip_real x[12], sigma[12];
    int i, k;

    o.tol = SLIP_TOL(1e-8, 1e-5);
    for (k = 0; k < slip_solver_count(); ++k) {
        const slip_solver *s = slip_solver_get(k);

        if (s->model == SLIP_MODEL_BARRIER) continue;
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, solve(s->id, &a->p, &o, x, sigma), s->id);
        for (i = 0; i < 12; ++i)
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-5, 1e-2), 0, (double)sigma[i], s->id);
    }
    aid_free(a);
}

/* Without coupling between normal and tangent RaiSim's energy and Coulomb's law choose the same impulse (LL eq. 21). */
static void test_raisim_is_the_ncp_without_coupling(void)
{
    slip_random rng = slip_random_seed(43);
    int k, i;

    for (k = 0; k < 1000; ++k) {
        slip_real G[9] = { 0 }, g[3], x[3], sigma[3], first[3], mu = slip_random_uniform(&rng, 0, 1);
        slip_problem p = slip_problem_dense(1, &mu, g, G, 3);

        for (i = 0; i < 3; ++i) {
            G[4*i] = slip_random_uniform(&rng, SLIP_R(0.1), 5);
            g[i] = slip_random_normal(&rng);
        }
        G[1] = G[3] = SLIP_R(0.3)*slip_min(G[0], G[4]);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, solve("ncp-gs", &p, NULL, x, first));
        TEST_ASSERT_EQUAL_INT(SLIP_OK, solve("raisim-newton", &p, NULL, x, sigma));
        TEST_ASSERT(largest_difference(3, first, sigma) < (double)SLIP_TOL(1e-5, 1e-2));
    }
}

/* MuJoCo's R = alpha diag(G) shifts the answer, in proportion to alpha. */
static void test_ccp_newton_approaches_the_rigid_ccp_as_alpha_vanishes(void)
{
    static const double alpha[] = { 1e-1, 1e-2, 1e-3, 1e-4 };
    slip_random rng = slip_random_seed(44);
    slip_solver_options o = slip_solver_defaults();
    slip_real x[ROWS], rigid[ROWS], sigma[ROWS];
    double error[4] = { 0, 0, 0, 0 };
    int k, s;

    o.tol = SLIP_TOL(1e-9, 1e-5);
    for (k = 0; k < 30; ++k) {
        aid_problem *a = random_problem(&rng, k);

        o.regularization = 0;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, solve("ccp-admm", &a->p, &o, x, rigid));
        for (s = 0; s < 4; ++s) {
            o.regularization = (slip_real)alpha[s];
            TEST_ASSERT_EQUAL_INT(SLIP_OK, solve("ccp-newton", &a->p, &o, x, sigma));
            error[s] += largest_difference(a->p.n, rigid, sigma)/30;
        }
        aid_free(a);
    }
    TEST_ASSERT(error[0] > 1e-3);
    for (s = 1; s < (int)SLIP_TOL(4, 3); ++s) TEST_ASSERT(error[s] < error[s - 1]/4);
}

/* A barrier of weight t over m constraints costs at most m t of the objective (central path). */
static void test_ccp_barrier_approaches_the_ccp_as_t_vanishes(void)
{
    static const double t[] = { 1e-2, 1e-4, 1e-6, 1e-8 };
    slip_random rng = slip_random_seed(45);
    slip_solver_options o = slip_solver_defaults();
    slip_real x[ROWS];
    int k, s;

    for (k = 0; k < 30; ++k) {
        aid_problem *a = random_problem(&rng, k);
        double exact, before = (double)INFINITY;

        o.tol = SLIP_TOL(1e-10, 1e-4);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, solve("ccp-newton", &a->p, &o, x, NULL));
        exact = aid_energy(&a->p, x);
        o.tol = SLIP_TOL(1e-7, 1e-2);
        for (s = 0; s < (int)SLIP_TOL(4, 2); ++s) {
            double gap;

            o.barrier = (slip_real)t[s];
            TEST_ASSERT_EQUAL_INT(SLIP_OK, solve("ccp-barrier", &a->p, &o, x, NULL));
            gap = aid_energy(&a->p, x) - exact;
            TEST_ASSERT(gap >= -(double)SLIP_TOL(1e-8, 1e-3)*(1 + fabs(exact)));
            TEST_ASSERT(gap <= 4*a->p.nc*t[s] + (double)SLIP_TOL(1e-6, 1e-2)*(1 + fabs(exact)));
            TEST_ASSERT(gap <= before + (double)SLIP_TOL(1e-9, 1e-3));
            before = gap;
        }
        aid_free(a);
    }
}

/* With R the limit differs from the CCP: v_n = sigma_n - R f_n may not fall below v_min. */
static void test_the_barrier_keeps_velocities_above_v_min(void)
{
    slip_random rng = slip_random_seed(46);
    slip_solver_options o = slip_solver_defaults();
    slip_real x[ROWS], c[ROWS], vmin[4] = { SLIP_R(-0.1), SLIP_R(0.2), 0, SLIP_R(0.05) };
    int k, i;

    o.barrier = SLIP_R(1e-3);
    o.tol = SLIP_TOL(1e-6, 1e-3);
    for (k = 0; k < 40; ++k) {
        aid_problem *a = random_problem(&rng, k);

        for (i = 0; i < a->p.n; ++i) a->R[i] = SLIP_R(0.3);
        a->p.R = a->R;
        a->p.vmin = vmin;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, solve("ccp-barrier", &a->p, &o, x, NULL));
        slip_problem_velocity(&a->p, x, c);
        for (i = 0; i < a->p.nc; ++i) TEST_ASSERT(c[3*i + 2] > vmin[i]);
        aid_free(a);
    }
}

/* Which laws a model keeps (LL Tab. II), seen on a sliding cube that is turned against the pyramid's axes. */
static void test_each_model_gives_up_what_the_table_says(void)
{
    aid_problem *a = aid_incline(2, SLIP_R(0.7), SLIP_R(0.5), SLIP_R(0.01));
    slip_solver_options o = slip_solver_defaults();
    slip_real x[12], sigma[12];
    slip_physics f;
    int i, k;

    for (i = 0; i < 4; ++i) {                                        /* downhill at 0.4 rad from t1 */
        const slip_real v = a->g[3*i];

        a->g[3*i] = v*slip_cos(SLIP_R(0.4));
        a->g[3*i + 1] = v*slip_sin(SLIP_R(0.4));
    }
    o.tol = SLIP_TOL(1e-9, 1e-5);
    for (k = 0; k < slip_solver_count(); ++k) {
        const slip_solver *s = slip_solver_get(k);
        const double small = (double)SLIP_TOL(1e-6, 1e-3);

        if (s->model == SLIP_MODEL_BARRIER) continue;
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, solve(s->id, &a->p, &o, x, sigma), s->id);
        slip_physics_of(&a->p, x, sigma, NULL, &f);
        if (s->model == SLIP_MODEL_NCP) {
            TEST_ASSERT_MESSAGE((double)f.signorini_power < small && (double)f.coulomb < small, s->id);
            TEST_ASSERT_MESSAGE((double)f.mdp_power < small, s->id);
        } else if (s->model == SLIP_MODEL_LCP) {
            TEST_ASSERT_MESSAGE((double)f.signorini_power < small, s->id);
            TEST_ASSERT_MESSAGE((double)f.coulomb > 1e-4, s->id);    /* corners stick out of the cone */
        } else if (s->model == SLIP_MODEL_CCP) {
            TEST_ASSERT_MESSAGE((double)f.coulomb < small && (double)f.mdp_power < small, s->id);
            TEST_ASSERT_MESSAGE((double)f.signorini_power > 1e-5, s->id);
        } else {
            TEST_ASSERT_MESSAGE((double)f.signorini_power < small && (double)f.coulomb < small, s->id);
        }
    }
    aid_free(a);
}

/* The laws that a model keeps by its equations, measured on the sliding cube: Signorini and Coulomb both ways, maximum
 * dissipation where it is kept. */
static void test_the_models_laws_are_those_measured(void)
{
    aid_problem *slides = aid_incline(2, SLIP_R(0.7), SLIP_R(0.5), SLIP_R(0.01));
    const double small = (double)SLIP_TOL(1e-6, 1e-3);
    slip_solver_options o = slip_solver_defaults();
    slip_real x[12], sigma[12];
    slip_physics f;
    int i, k;

    for (i = 0; i < 4; ++i) {
        const slip_real v = slides->g[3*i];

        slides->g[3*i] = v*slip_cos(SLIP_R(0.4));
        slides->g[3*i + 1] = v*slip_sin(SLIP_R(0.4));
    }
    o.tol = SLIP_TOL(1e-9, 1e-5);
    for (k = 0; k < slip_solver_count(); ++k) {
        const slip_solver *s = slip_solver_get(k);

        o.tol = s->model == SLIP_MODEL_BARRIER ? SLIP_TOL(1e-6, 1e-3) : SLIP_TOL(1e-9, 1e-5);
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, solve(s->id, &slides->p, &o, x, sigma), s->id);
        slip_physics_of(&slides->p, x, sigma, NULL, &f);
        if (slip_contact_model_laws(s->model) & SLIP_SIGNORINI) TEST_ASSERT_MESSAGE((double)f.signorini_power < small, s->id);
        else TEST_ASSERT_MESSAGE((double)f.signorini_power > 1e-5, s->id);
        if (slip_contact_model_laws(s->model) & SLIP_COULOMB) TEST_ASSERT_MESSAGE((double)f.coulomb < small, s->id);
        else TEST_ASSERT_MESSAGE((double)f.coulomb > 1e-4, s->id);
        if (slip_contact_model_laws(s->model) & SLIP_DISSIPATION) TEST_ASSERT_MESSAGE((double)f.mdp_power < small, s->id);
    }
    aid_free(slides);
}

/* LL Fig. 12: per-contact methods need sweeps in proportion to the mass ratio, and say so when they give up; methods
 * that see all contacts at once do not mind. */
static void test_a_mass_ratio_of_ten_thousand_stalls_per_contact_methods_only(void)
{
    static const char *const global[] = { "lcp-lemke", "lcp-staggered", "ccp-newton", "ncp-staggered", "ncp-admm" };
    static const char *const sweeps[] = { "lcp-pgs", "lcp-gs", "ccp-pgs", "ccp-gs", "raisim-bisection", "raisim-newton", "ncp-pgs",
                                         "ncp-gs" };
    aid_problem *a = aid_two_cubes(10000);
    slip_solver_options o = slip_solver_defaults();
    slip_real x[24];
    int k;

    if (sizeof(slip_real) == 4) { aid_free(a);  a = aid_two_cubes(100); }    /* as far as seven digits go */
    o.tol_rule = SLIP_TOL_ABSOLUTE;
    for (k = 0; k < 5; ++k) TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, solve(global[k], &a->p, &o, x, NULL), global[k]);
    for (k = 0; k < 8; ++k) {
        slip_status status;

        o.max_iterations = (int)SLIP_TOL(0, 500);
        status = solve(sweeps[k], &a->p, &o, x, NULL);
        TEST_ASSERT_MESSAGE(status == SLIP_STALLED || status == SLIP_MAX_ITERS, sweeps[k]);
    }
    aid_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_ccp_solvers_reach_the_same_objective);
    RUN_TEST(test_ncp_solvers_reach_the_same_velocity);
    RUN_TEST(test_all_models_agree_where_everything_sticks);
    RUN_TEST(test_raisim_is_the_ncp_without_coupling);
    RUN_TEST(test_ccp_newton_approaches_the_rigid_ccp_as_alpha_vanishes);
    RUN_TEST(test_ccp_barrier_approaches_the_ccp_as_t_vanishes);
    RUN_TEST(test_the_barrier_keeps_velocities_above_v_min);
    RUN_TEST(test_each_model_gives_up_what_the_table_says);
    RUN_TEST(test_the_models_laws_are_those_measured);
    RUN_TEST(test_a_mass_ratio_of_ten_thousand_stalls_per_contact_methods_only);
    return UNITY_END();
}
