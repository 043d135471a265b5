/* The one-contact problems of local.h: discs, squares, and RaiSim's sliding contact by its four methods. */
#include "contact_aid.h"

#include <math.h>
#include <stdio.h>

#include "solvers/local.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static slip_local local_of(const slip_real G[9], const slip_real *mu)
{
    static const slip_real g[3] = { 0, 0, 0 };
    slip_problem p = slip_problem_dense(1, mu, g, G, 3);
    slip_local k;

    slip_local_prepare(&p, 0, &k);
    return k;
}

/* RaiSim's contact, to rounding. */
static slip_slide_method *const local_methods[] = { slip_slide_bisection, slip_slide_golden, slip_slide_quartic,
                                                   slip_slide_newton };

static slip_local_case local_raisim(const slip_local *k, const slip_real b[3], slip_slide_method *method, slip_real x[3])
{
    const slip_local_case c = slip_local_open_or_stick(k, b, x);

    if (c == SLIP_LOCAL_SLIDE) slip_local_slide(k, b, NULL, method, 0, x);
    return c;
}

/* sigma_T = A_TT x + b must oppose x with nothing across, or vanish inside. */
static void test_the_disc_problem_satisfies_maximum_dissipation(void)
{
    slip_random rng = slip_random_seed(1);
    const slip_real one = 1;
    int n;

    for (n = 0; n < 20000; ++n) {
        slip_real G[9], b[2] = { slip_random_normal(&rng), slip_random_normal(&rng) }, x[2], s[2];
        const slip_real r = slip_random_uniform(&rng, 0, 2), tiny = SLIP_TOL(1e-13, 2e-5);
        slip_local k;

        aid_random_block(&rng, SLIP_R(0.01), 10, G);
        k = local_of(G, &one);
        slip_local_disc(&k, b, r, x);
        s[0] = G[0]*x[0] + G[1]*x[1] + b[0];
        s[1] = G[3]*x[0] + G[4]*x[1] + b[1];
        TEST_ASSERT(slip_norm2(x) <= r*(1 + 4*SLIP_REAL_EPS));
        if (slip_norm2(x) < r*(1 - SLIP_TOL(1e-9, 1e-4))) TEST_ASSERT(slip_norm2(s) < 30*tiny*(1 + slip_norm2(x)));
        else {
            TEST_ASSERT_DOUBLE_WITHIN((double)(tiny*20*(1 + r)*(1 + r)), 0, (double)(s[0]*x[1] - s[1]*x[0]));
            TEST_ASSERT(s[0]*x[0] + s[1]*x[1] <= tiny*10);
        }
    }
}

static double box_energy(const slip_real G[9], const slip_real b[2], double x, double y)
{
    return x*((double)b[0] + (double)G[0]*x/2 + (double)G[1]*y) + y*((double)b[1] + (double)G[4]*y/2);
}

static void test_the_square_problem_has_no_better_neighbour(void)
{
    slip_random rng = slip_random_seed(2);
    const slip_real one = 1;
    int n, i, j;

    for (n = 0; n < 5000; ++n) {
        slip_real G[9], b[2] = { slip_random_normal(&rng), slip_random_normal(&rng) }, x[2];
        const slip_real r = slip_random_uniform(&rng, 0, 2);
        slip_local k;
        double best;

        aid_random_block(&rng, SLIP_R(0.01), 10, G);
        k = local_of(G, &one);
        slip_local_box(&k, b, r, x);
        best = box_energy(G, b, (double)x[0], (double)x[1]);
        TEST_ASSERT(slip_abs(x[0]) <= r && slip_abs(x[1]) <= r);
        for (i = 0; i <= 20; ++i) for (j = 0; j <= 20; ++j)          /* the whole square, so also the far side */
            TEST_ASSERT(box_energy(G, b, (double)r*(i/10.0 - 1), (double)r*(j/10.0 - 1))
                        >= best - (double)SLIP_TOL(1e-12, 1e-4));
    }
}

/* A Gaussian factor gives coupling of any strength; about one case in five is beyond Painleve's mu |G_nT| = G_nn. */
static void random_coupled(slip_random *rng, slip_real G[9])
{
    slip_real L[9];
    int i, j, k;

    for (i = 0; i < 9; ++i) L[i] = slip_random_normal(rng);
    for (i = 0; i < 3; ++i) for (j = 0; j < 3; ++j)
        for (G[3*i + j] = 0, k = 0; k < 3; ++k) G[3*i + j] += L[3*i + k]*L[3*j + k];
}

static void test_the_four_methods_agree_to_1e_9_for_any_coupling(void)
{
    slip_random rng = slip_random_seed(3);
    int n, m, slides = 0, strong = 0;

    for (n = 0; n < 100000; ++n) {
        slip_real G[9], b[3], x[4][3], mu = slip_random_uniform(&rng, 0, 2);
        slip_local k;
        slip_local_case c = SLIP_LOCAL_OPEN;

        random_coupled(&rng, G);
        if (slip_mat3_det(G) < SLIP_TOL(1e-4, 1e-1)) continue;       /* conditioning would eat the digits compared */
        for (m = 0; m < 3; ++m) b[m] = slip_random_normal(&rng);
        k = local_of(G, &mu);
        for (m = 0; m < 4; ++m) c = local_raisim(&k, b, local_methods[m], x[m]);
        for (m = 1; m < 4; ++m)
            TEST_ASSERT(slip_distance3(x[0], x[m]) <= SLIP_TOL(1e-9, 3e-2)*(1 + slip_norm3(x[0])));
        slides += c == SLIP_LOCAL_SLIDE;
        strong += c == SLIP_LOCAL_SLIDE && mu*slip_norm2(G + 6) > G[8];
    }
    TEST_ASSERT(slides > 20000 && strong > 2000);
}

/* Friction so strong that a push jams: the impulse must still push, and keep to the cone and to the ground. */
static void test_painleve_contacts_keep_their_laws(void)
{
    slip_random rng = slip_random_seed(4);
    int n, i;

    for (n = 0; n < 20000; ++n) {
        const slip_real mu = slip_random_uniform(&rng, 1, 10);
        slip_real G[9], b[3], x[3], s[3], none[3] = { 0, 0, 0 };
        slip_local k;
        int model;

        aid_random_block(&rng, SLIP_R(0.05), 20, G);
        for (i = 0; i < 3; ++i) b[i] = slip_random_normal(&rng);
        b[2] = -slip_abs(b[2]);
        k = local_of(G, &mu);
        for (model = 0; model < 2; ++model) {
            const slip_real size = 20*(1 + slip_norm3(b))*(1 + mu);

            if (model == 0) local_raisim(&k, b, slip_slide_bisection, x);
            else slip_local_ncp(&k, b, none, x);
            slip_mat3_vec(G, x, s);
            slip_add3(s, b, s);
            TEST_ASSERT(x[2] > 0 && slip_norm2(x) <= mu*x[2]*(1 + SLIP_TOL(1e-12, 1e-4)));
            TEST_ASSERT_DOUBLE_WITHIN((double)(SLIP_TOL(1e-11, 1e-3)*(size + 20*slip_norm3(x))), 0, (double)s[2]);
            if (model == 1) TEST_ASSERT(s[0]*x[0] + s[1]*x[1] <= SLIP_TOL(1e-9, 1e-1)*size*slip_norm3(x));
        }
    }
}

static void test_a_singular_contact_matrix_does_no_harm(void)
{
    static const slip_real lines[4][9] = { { 0 }, { 1 }, { 0, 0, 0, 0, 0, 0, 0, 0, 1 }, { 1, 0, 1, 0, 0, 0, 1, 0, 1 } };
    const slip_real mu = SLIP_R(0.5), b[3] = { SLIP_R(0.3), SLIP_R(-0.1), -1 };
    int i, m;

    for (i = 0; i < 4; ++i) {
        slip_local k = local_of(lines[i], &mu);

        for (m = 0; m < 4; ++m) {
            slip_real x[3];

            local_raisim(&k, b, local_methods[m], x);
            TEST_ASSERT(slip_all_finite(x, 3));
            TEST_ASSERT(slip_cone_distance(mu, x) <= SLIP_TOL(1e-12, 1e-5)*(1 + slip_norm3(x)));
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_disc_problem_satisfies_maximum_dissipation);
    RUN_TEST(test_the_square_problem_has_no_better_neighbour);
    RUN_TEST(test_the_four_methods_agree_to_1e_9_for_any_coupling);
    RUN_TEST(test_painleve_contacts_keep_their_laws);
    RUN_TEST(test_a_singular_contact_matrix_does_no_harm);
    return UNITY_END();
}
