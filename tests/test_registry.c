/* The registry says of each solver which options it reads: solves with an option changed, against solves without. The
 * default passes some on to solvers that it needs only now and then. */
#include <string.h>
#include "unity.h"
#include "slipstick.h"
#include "contact_aid.h"

enum { CONTACTS = 24, ROWS = 3*CONTACTS };

void setUp(void) { }
void tearDown(void) { }

static const unsigned registry_options[] = {
    SLIP_READS_RELAXATION, SLIP_READS_STEP, SLIP_READS_ALPHA, SLIP_READS_RHO, SLIP_READS_FACETS,
    SLIP_READS_REGULARIZATION, SLIP_READS_BARRIER, SLIP_READS_BARRIER_FINAL };

/* Other values for all of what one bit stands for. */
static void registry_change(unsigned what, slip_solver_options *o)
{
    if (what == SLIP_READS_RELAXATION) o->relaxation = SLIP_R(0.7);
    if (what == SLIP_READS_STEP) o->step = SLIP_STEP_MAX;
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
        o->rho_every = 1;
        o->over_relaxation = SLIP_R(1.2);
        o->eta = SLIP_R(1e-3);
    }
    if (what == SLIP_READS_FACETS) o->facets = 8;
    if (what == SLIP_READS_REGULARIZATION) o->regularization = SLIP_R(0.1);
    if (what == SLIP_READS_BARRIER) {
        o->barrier = SLIP_R(0.01);
        o->elastic = 30;
    }
    if (what == SLIP_READS_BARRIER_FINAL) o->barrier_final = SLIP_R(1e-3);
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

        TEST_ASSERT_EQUAL_UINT(s->reads, slip_solver_reads(s->id));
        aid_solve(s->solve, s->bytes, &a->p, &plain, 0, usual, NULL, &before);
        for (k = 0; k < (int)(sizeof registry_options/sizeof *registry_options); ++k) {
            slip_solver_options o = plain;
            char what[64];

            registry_change(registry_options[k], &o);
            slip_format(what, (int)sizeof what, "%s, option %d", s->id, (int)registry_options[k]);
            if (slip_solver_check(s->id, &o, NULL) < 0) continue;
            aid_solve(s->solve, s->bytes, &a->p, &o, 0, other, NULL, &after);
            if (memcmp(usual, other, sizeof usual) != 0) TEST_ASSERT_MESSAGE(s->reads & registry_options[k], what);
            else TEST_ASSERT_MESSAGE(!(s->reads & registry_options[k]) || s->solve == slip_default, what);
        }
    }
    aid_free(a);
}

static void test_chains_are_checked_name_by_name_with_their_options(void)
{
    slip_solver_options o = slip_solver_defaults();
    slip_error err;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solver_check(NULL, &o, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solver_check("lcp-pgs,ncp-admm", &o, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_solver_check("lcp-pgs,magic,ncp-admm", &o, &err));
    TEST_ASSERT_EQUAL_STRING("unknown solver 'magic' in 'lcp-pgs,magic,ncp-admm'", err.what);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_solver_check("lcp-pgs,", &o, &err));
    o.facets = 5;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solver_check("lcp-lemke", &o, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_solver_check("ncp-admm", &o, &err));
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_UNSUPPORTED, slip_solver_check("lcp-lemke,lcp-staggered", &o, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.what, "5 facets, but the pyramid of 'lcp-staggered' has four"));
    TEST_ASSERT_EQUAL_UINT(SLIP_READS_FACETS | SLIP_READS_RHO, slip_solver_reads("lcp-lemke,ncp-admm"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_solvers_read_the_options_they_say_and_no_others);
    RUN_TEST(test_chains_are_checked_name_by_name_with_their_options);
    return UNITY_END();
}
