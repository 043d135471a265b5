/* The registry says of each solver which options it reads: solves with an option changed, against solves without. The
 * default passes some on to solvers that it needs only now and then. */
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "contact_aid.h"

enum { CONTACTS = 24, ROWS = 3*CONTACTS };

void setUp(void) { }
void tearDown(void) { }

static const unsigned registry_options[] = {
    SLIP_READS_RELAXATION, SLIP_READS_STEP, SLIP_READS_ALPHA, SLIP_READS_RHO, SLIP_READS_FACETS,
    SLIP_READS_REGULARIZATION, SLIP_READS_BARRIER, SLIP_READS_BARRIER_FINAL, SLIP_READS_RHO_EVERY,
    SLIP_READS_OVER_RELAXATION, SLIP_READS_STOP, SLIP_READS_COUNT };

/* Other values for all of what one bit stands for. */
static void registry_change(unsigned what, slip_solver_options *o)
{
    if (what == SLIP_READS_RELAXATION) o->relaxation = SLIP_R(0.7);
    if (what == SLIP_READS_STEP) o->step = SLIP_STEP_BLOCK;
    if (what == SLIP_READS_ALPHA) {
        o->alpha = SLIP_R(0.8);
        o->alpha_decay = SLIP_R(0.9);
        o->alpha_min = SLIP_R(0.5);
    }
    if (what == SLIP_READS_RHO) {
        o->rho_rule = SLIP_RHO_LINEAR;
        o->rho = 20;
        o->rho_tube = 5;
        o->rho_power = SLIP_R(0.2);
        o->rho_factor = 3;
        o->eta = SLIP_R(1e-3);
    }
    if (what == SLIP_READS_FACETS) o->facets = 8;
    if (what == SLIP_READS_REGULARIZATION) o->regularization = SLIP_R(0.1);
    if (what == SLIP_READS_BARRIER) {
        o->barrier = SLIP_R(0.01);
        o->elastic = 30;
    }
    if (what == SLIP_READS_BARRIER_FINAL) o->barrier_final = SLIP_R(1e-3);
    if (what == SLIP_READS_RHO_EVERY) o->rho_every = 1;
    if (what == SLIP_READS_OVER_RELAXATION) o->over_relaxation = SLIP_R(1.2);
    if (what == SLIP_READS_STOP) o->stop = SLIP_STOP_PRINTED;
    if (what == SLIP_READS_COUNT) {
        o->stop = SLIP_STOP_COUNT;
        o->max_iterations = 0;                           /* all of a solver's most */
    }
}

/* Both stopping rules may end a solve at the same iteration; ncp-wadmm reads its two options after a warm start or ten
 * iterations only (tests/test_admm.c). */
static int registry_may_agree(const slip_solver *s, unsigned what)
{
    return s->solve == slip_default || what == SLIP_READS_STOP
        || (s->solve == slip_ncp_wadmm && (what == SLIP_READS_OVER_RELAXATION || what == SLIP_READS_RHO_EVERY));
}

static void test_solvers_read_the_options_they_say_and_no_others(void)
{
    slip_random rng = slip_random_seed(17);
    aid_problem *a = aid_new(CONTACTS, 0, 0);
    int i, k;

    aid_random(&rng, 40, SLIP_R(-1), a);
    for (i = 0; i < CONTACTS; ++i) a->mu[i] = SLIP_R(0.5);
    for (i = 0; i < slip_solver_count(); ++i) {
        const slip_solver *s = slip_solver_get(i);
        const slip_solver_options plain = slip_solver_defaults();
        slip_real usual[ROWS], other[ROWS];
        slip_solution before, after;

        aid_solve(s->solve, s->bytes, &a->p, &plain, 0, usual, NULL, &before);
        for (k = 0; k < (int)(sizeof registry_options/sizeof *registry_options); ++k) {
            slip_solver_options o = plain;
            char what[64];

            registry_change(registry_options[k], &o);
            slip_format(what, (int)sizeof what, "%s, option %d", s->id, (int)registry_options[k]);
            if (slip_solver_check(s, &o, NULL) < 0) continue;
            aid_solve(s->solve, s->bytes, &a->p, &o, 0, other, NULL, &after);
            if (memcmp(usual, other, sizeof usual) != 0) TEST_ASSERT_MESSAGE(s->reads & registry_options[k], what);
            else if (s->reads & registry_options[k])
                TEST_ASSERT_MESSAGE(registry_may_agree(s, registry_options[k]), what);
        }
    }
    aid_free(a);
}

static void test_options_are_checked_against_the_solver(void)
{
    slip_solver_options o = slip_solver_defaults();
    slip_error err;

    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_solver_check(NULL, &o, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solver_check(&slip_solver_lcp_pgs, &o, &err));
    o.facets = 5;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solver_check(&slip_solver_lcp_lemke, &o, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solver_check(&slip_solver_ncp_admm, &o, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, slip_solver_check(&slip_solver_lcp_staggered, &o, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.what, "5 facets, but the pyramid of 'lcp-staggered' has four"));
    o = slip_solver_defaults();
    o.stop = SLIP_STOP_PRINTED;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solver_check(&slip_solver_ncp_pgs, &o, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, slip_solver_check(&slip_solver_lcp_pgs, &o, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.what, "no paper prints a stopping rule for 'lcp-pgs'"));
    o = slip_solver_defaults();
    o.tol = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_solver_check(&slip_solver_ncp_admm, &o, &err));
}

/* `--like` gives an engine's solver its number of iterations, and no solve makes more. */
static void test_like_an_engine_makes_no_more_than_its_iterations(void)
{
    static const struct { const char *engine, *id; int most; } like[] = {
        { "ode", "lcp-pgs", 20 }, { "physx", "lcp-pgs", 4 }, { "dart", "lcp-pgs", 30 }, { "bullet", "ncp-pgs", 10 },
        { "chrono", "ccp-pgs", 50 }, { "raisim", "raisim-bisection", 150 } };
    aid_problem *a = aid_two_cubes(50);
    slip_real x[24];
    int k;

    for (k = 0; k < (int)(sizeof like/sizeof *like); ++k) {
        slip_solver_options o = slip_solver_defaults();
        const slip_solver *s = slip_solver_like(like[k].engine, &o);
        slip_solution sol;

        TEST_ASSERT_NOT_NULL_MESSAGE(s, like[k].engine);
        TEST_ASSERT_EQUAL_STRING(like[k].id, s->id);
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_MAX_ITERS, aid_solve(s->solve, s->bytes, &a->p, &o, 0, x, NULL, &sol),
                                      like[k].engine);
        TEST_ASSERT_EQUAL_INT_MESSAGE(like[k].most, sol.iterations, like[k].engine);
    }
    aid_free(a);
}

/* A user's solver that answers every problem with zero impulses. */
static slip_status registry_toy(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                slip_arena *scratch)
{
    (void)opt;
    (void)scratch;
    memset(sol->lambda, 0, (size_t)p->n*sizeof *sol->lambda);
    return sol->status = SLIP_MAX_ITERS;
}

static size_t registry_toy_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)p;
    (void)opt;
    return 0;
}

static void test_a_program_adds_a_solver_of_its_own(void)
{
    static const slip_solver toy = {
        .id = "toy", .model = SLIP_MODEL_NCP,
        .about = "zero impulses",
        .paper = "", .engines = "",
        .takes = SLIP_TAKES_ALL, .reads = 0,
        .solve = registry_toy, .bytes = registry_toy_bytes
    };
    static const slip_solver *const list[] = { &toy };
    const slip_registry mine = { list, 1, slip_registry_all() };
    aid_problem *a = aid_new(2, 0, 0);
    slip_random rng = slip_random_seed(3);
    slip_real lambda[6] = { 1, 1, 1, 1, 1, 1 };
    slip_solution sol = slip_solution_over(lambda, NULL, NULL);
    static double room[64];
    slip_arena mem = slip_arena_over(room, sizeof room);

    TEST_ASSERT_EQUAL_PTR(&toy, slip_registry_find(&mine, "toy"));
    TEST_ASSERT_EQUAL_PTR(&slip_solver_ncp_pgs, slip_registry_find(&mine, "ncp-pgs"));
    TEST_ASSERT_EQUAL_PTR(&slip_solver_ncp_pgs, slip_registry_find(NULL, "ncp-pgs"));
    TEST_ASSERT_NULL(slip_registry_find(&mine, "toys"));
    TEST_ASSERT_NULL(slip_solver_find("toy"));
    aid_random(&rng, 6, SLIP_R(-1), a);
    a->g[2] = -1;                                /* an approach that zero impulses do not stop */
    TEST_ASSERT_EQUAL_INT(SLIP_MAX_ITERS, slip_solve(&toy, &a->p, NULL, &sol, &mem));
    TEST_ASSERT_TRUE(lambda[2] == 0);
    TEST_ASSERT_TRUE(sol.model.eps_abs > 0 && sol.residual.eps_abs > 0);     /* judged, though the toy did not fill it */
    aid_free(a);
}

/* A user who reads solver.h relies on these numbers. */
static void test_the_defaults_are_those_that_the_headers_promise(void)
{
    const slip_solver_options o = slip_solver_defaults();
    const slip_id_prox_options prox = slip_id_prox_defaults();
    const slip_id_barrier_options barrier = slip_id_barrier_defaults();

    TEST_ASSERT(o.tol == SLIP_TOL(1e-6, 1e-4) && o.tol_rule == SLIP_TOL_AUTO && o.stop == SLIP_STOP_TRUE);
    TEST_ASSERT(o.relaxation == 1 && o.step == SLIP_STEP_MAX);
    TEST_ASSERT(o.alpha == 1 && o.alpha_decay == SLIP_R(0.99) && o.alpha_min == SLIP_R(0.7));
    TEST_ASSERT(o.rho_rule == SLIP_RHO_SPECTRAL && o.rho_power == SLIP_R(0.05) && o.rho_factor == 2);
    TEST_ASSERT(o.eta == SLIP_R(1e-6) && o.facets == 4 && o.barrier == SLIP_R(0.1) && o.elastic == 10);
    TEST_ASSERT(o.r_min == SLIP_R(0.01) && o.r_max == 100 && o.d_max == SLIP_R(0.1));
    TEST_ASSERT(prox.rho == SLIP_TOL(1e-8, 1e-3) && prox.tol == SLIP_TOL(1e-6, 1e-4));
    TEST_ASSERT(barrier.tol == SLIP_TOL(1e-9, 1e-5) && barrier.barrier == o.barrier && barrier.elastic == o.elastic);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_solvers_read_the_options_they_say_and_no_others);
    RUN_TEST(test_options_are_checked_against_the_solver);
    RUN_TEST(test_like_an_engine_makes_no_more_than_its_iterations);
    RUN_TEST(test_a_program_adds_a_solver_of_its_own);
    RUN_TEST(test_the_defaults_are_those_that_the_headers_promise);
    return UNITY_END();
}
