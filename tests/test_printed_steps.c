/* The pivots of lcp-lemke and the steps of ccp-newton and ccp-barrier are those of naive_lemke.c, naive_newton.c and
 * naive_barrier.c. LL, CR and TO describe these methods in words; what the solvers add to the words is on their pages
 * and repeated at each test. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "printed_aid.h"
#include "solvers/solvers.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* ---- lcp-lemke ----------------------------------------------------------------------------------------------- */

/* Rounding of iterates whose problem has impulses of unit D, however small the iterate itself is. */
static double rounding_of(const naive_problem *q, const naive_units *u, const double *x)
{
    const double one = u->unit*printed_largest(q->n, u->D), size = printed_largest(q->n, x);

    return size < one ? ROUNDING*one/fmax(size, 1e-300) : ROUNDING;
}

/* Compares basic solutions pivot for pivot, `most` at most, and that both methods end with the same one. Where a pivot
 * was chosen by less than rounding allows, the rest of the problem is left out. Returns how many were compared. */
static int expect_pivots(int trial, aid_problem *a, int facets, int most)
{
    slip_solver_options opt = slip_solver_defaults();
    double want[NAIVE_ROWS], answer[NAIVE_ROWS];
    naive_problem q;
    naive_units u;
    naive_lemke w;
    slip_solution sol;
    char text[80];
    int k, i, end = 0;

    opt.tol = SLIP_TOL(1e-9, 1e-3);
    opt.facets = facets;
    sol = printed_watch("lcp-lemke", &a->p, opt, answer);
    snprintf(text, sizeof text, "problem %d, %d facets", trial, facets);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, sol.status, text);
    naive_read(&a->p, &q);
    for (i = 2; told.count == 0 && i < q.n; i += 3) TEST_ASSERT_TRUE_MESSAGE(q.g[i] >= 0, text);
    if (told.count == 0) return 0;                                 /* free flight: answered before the first pivot */
    u = naive_units_of(&q);
    naive_lemke_start(&q, &u, facets, &w);
    for (k = 0; !end; ++k) {
        if (k == most) return k;
        end = naive_lemke_pivot(&w);
        if (w.margin < (double)SLIP_TOL(1e-8, 2e-3)) return k;
        TEST_ASSERT_TRUE_MESSAGE(end >= 0 && k < told.count, text);
        naive_lemke_impulses(&w, want);
        for (i = 0; i < q.n; ++i) if (q.mu[i/3] == 0 && i % 3 < 2) want[i] = told.x[k][i];     /* told as 0 */
        printed_expect_vector("lcp-lemke", trial, k + 1, q.n, want, told.x[k], rounding_of(&q, &u, want));
    }
    TEST_ASSERT_TRUE_MESSAGE(told.count >= k && told.count <= k + (int)SLIP_TOL(0, 2), text);   /* float: z0 of 1e-7 */
    TEST_ASSERT_EQUAL_INT_MESSAGE(told.count, sol.iterations, text);
    printed_expect_vector("lcp-lemke's answer", trial, k, q.n, want, answer, 10*rounding_of(&q, &u, want));
    return k;
}

static void test_lcp_lemke_pivots_as_the_tableau_does(void)
{
    static const int facets[] = { 4, 5, 8 };
    int trial, pivots = 0;

    for (trial = 0; trial < 3*TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 1);

        pivots += expect_pivots(trial, a, facets[trial/TRIALS], LONG);
        aid_free(a);
    }
    TEST_ASSERT_TRUE(pivots >= (int)SLIP_TOL(850, 500));
}

/* A box on four corners: G has rank 6 of 12, and corners that share a load tie; upright, so do the corners of all
 * pyramids. Angles to both sides of the friction angle, atan 0.5 = 0.46. What pivots leave of a zero once decided the
 * lexicographic rule at 0.1; in float it decides ratios of the right-hand side after some pivots. */
static void test_lcp_lemke_breaks_the_ties_of_a_box_as_the_tableau_does(void)
{
    static const double angles[] = { 0, 0.1, 0.3, 0.45, 0.5, 0.8 };
    int k, pivots = 0;

    for (k = 0; k < 6; ++k) {
        aid_problem *a = aid_incline(1, (slip_real)angles[k], SLIP_R(0.5), SLIP_R(0.01));

        pivots += expect_pivots(100 + k, a, 4, (int)SLIP_TOL(LONG, 6));
        aid_free(a);
    }
    TEST_ASSERT_TRUE(pivots >= (int)SLIP_TOL(79, 30));
}

/* ---- ccp-newton ---------------------------------------------------------------------------------------------- */

static double newton_distance(const naive_newton *w, double a, const double *lambda)
{
    double at[NAIVE_ROWS];
    int i;

    naive_newton_impulses(w, a, at);
    for (i = 0; i < w->n; ++i) at[i] -= lambda[i];
    return printed_largest(w->n, at);
}

/* The step along d whose impulses are nearest to `lambda`: the best of a grid, then thirds of its interval. */
static double nearest_step(const naive_newton *w, const double *lambda)
{
    const double grid = 0.05;
    double best = 0, least = newton_distance(w, 0, lambda), lo, hi;
    int k;

    for (k = 1; k <= 160; ++k) {
        const double far = newton_distance(w, grid*k, lambda);

        if (far < least) { least = far;  best = grid*k; }
    }
    lo = fmax(0, best - grid);
    hi = best + grid;
    for (k = 0; k < 80; ++k) {
        const double x = lo + (hi - lo)/3, y = hi - (hi - lo)/3;

        if (newton_distance(w, x, lambda) < newton_distance(w, y, lambda)) hi = y;
        else lo = x;
    }
    return (lo + hi)/2;
}

/* What is left of the derivative's value at 0: a tenth at 1, 2, 4 ..., else a thousandth (float: a hundredth). */
static void expect_line_minimum(const naive_newton *w, double a, int trial, int step)
{
    const double left = naive_newton_slope(w, a)/naive_newton_slope(w, 0), rounding = (double)SLIP_TOL(1e-9, 1e-4);
    const double doubled = fmax(1, exp2(round(log2(fmax(a, 1e-3)))));
    const double most = fabs(a/doubled - 1) < rounding ? 0.1 : (double)SLIP_TOL(1e-3, 1e-2);
    char text[120];

    snprintf(text, sizeof text, "ccp-newton, problem %d, step %d: %g of the slope is left at %g", trial, step, left, a);
    TEST_ASSERT_TRUE_MESSAGE(fabs(left) <= most + rounding, text);
}

/* The line search ends at what expect_line_minimum() allows, as MuJoCo's and Drake's exact ones have tolerances: the
 * steps compared are those along the naive direction from the same place. R is above 1 % of the diagonal, so no
 * proximal weight is added. */
static void test_ccp_newton_steps_as_the_primal_method_does(void)
{
    static const slip_real alphas[] = { 1, SLIP_R(0.3), SLIP_R(0.1) };
    slip_solver_options opt = printed_options();
    double want[NAIVE_ROWS], answer[NAIVE_ROWS], R[NAIVE_ROWS];
    int trial, k, i, steps = 0, searched = 0;

    for (trial = 0; trial < 3*TRIALS; ++trial) {
        aid_problem *a = printed_problem(trial, 1);
        naive_problem q;
        naive_newton w;

        opt.regularization = alphas[trial % 3];
        printed_watch("ccp-newton", &a->p, opt, answer);
        for (i = 0; i < a->p.n; ++i)
            R[i] = (double)opt.regularization*(double)a->G[i*a->p.n + i] + (a->p.R ? (double)a->R[i] : 0);
        a->p.R = NULL;
        naive_read(&a->p, &q);
        naive_newton_start(&q, R, &w);
        for (k = 0; k < SWEEPS && k < told.count; ++k) {
            double step;

            naive_newton_direction(&w);
            if (naive_newton_slope(&w, 0) > -(double)SLIP_TOL(1e-12, 1e-4)) break;          /* at the minimum */
            step = nearest_step(&w, told.x[k]);
            naive_newton_impulses(&w, step, want);
            printed_expect_vector("ccp-newton", trial, k + 1, q.n, want, told.x[k], ROUNDING);
            expect_line_minimum(&w, step, trial, k + 1);
            naive_newton_advance(&w, step);
            ++steps;
            searched += fabs(step - 1) > 1e-3;
        }
        aid_free(a);
    }
    TEST_ASSERT_TRUE(steps >= (int)SLIP_TOL(240, 150) && searched >= 10);
}

/* ---- ccp-barrier --------------------------------------------------------------------------------------------- */

typedef struct { int steps, elastic, cut, halved; } barrier_count;

/* Compares the first steps for a barrier weight t, given in units of the problem. TO Sec. III-D solves at t, or in
 * phases of falling t: ours start at 0.1 in these units and divide by ten when the decrement is below t/2, with an
 * elastic slope larger as t is. TO names no first point, ours is an impulse of one along each normal. `shift` of the
 * largest entry is added to the Hessian's diagonal. */
static void expect_barrier_steps(int trial, double weight, double within, barrier_count *sum)
{
    slip_solver_options opt = printed_options();
    const double shift = (double)SLIP_TOL(1e-12, 2e-7);
    aid_problem *a = printed_problem(trial, 0);
    double f[NAIVE_ROWS], answer[NAIVE_ROWS], t;
    naive_problem q;
    naive_barrier b;
    naive_units u;
    int k, i;

    memset(&b, 0, sizeof b);
    for (i = 0; i < a->p.nc; ++i) a->mu[i] = slip_max(a->mu[i], SLIP_R(0.1));              /* mu = 0 has no interior */
    naive_read(&a->p, &b.G);
    a->p.R = a->R;
    naive_read(&a->p, &q);
    u = naive_units_of(&q);
    for (i = 0; i < q.n; ++i) { b.R[i] = (double)a->R[i];  f[i] = i % 3 == 2 ? u.unit*u.D[i] : 0; }
    opt.barrier = (slip_real)(weight*u.unit*u.unit);
    t = (double)opt.barrier;
    printed_watch("ccp-barrier", &a->p, opt, answer);
    for (b.t = fmax(t, 0.1*u.unit*u.unit), k = 0; k < SWEEPS && k < told.count; ++k) {
        naive_barrier_step step;

        b.s = (double)opt.elastic*fmin(b.t/t, 1e6);
        step = naive_barrier_advance(&b, shift, &u, f);
        if (step.decrement < (double)SLIP_TOL(1e-10, 1e-3)*b.t) break;                      /* at the minimum */
        printed_expect_vector("ccp-barrier", trial, k + 1, q.n, f, told.x[k], within);
        ++sum->steps;
        sum->elastic += step.elastic;
        sum->cut += step.length < 1;
        sum->halved += step.halvings > 0;
        if (step.decrement < b.t/2) b.t = fmax(t, b.t/10);
    }
    aid_free(a);
}

/* No phases: the print's own steps but for the 1 % that keeps them off the surface, the shift, and the halving, which
 * one step of all needs. */
static void test_ccp_barrier_steps_at_a_fixed_t_as_TO_Sec_III_D_says(void)
{
    barrier_count sum = { 0, 0, 0, 0 };
    int trial;

    for (trial = 0; trial < 3*TRIALS; ++trial)
        expect_barrier_steps(trial, trial < TRIALS ? 2 : 0.11, ROUNDING, &sum);
    TEST_ASSERT_TRUE(sum.steps >= 450 && sum.elastic >= 60 && sum.cut >= 15 && sum.halved <= 1);
}

/* Phases, with halving where the energy would rise. The Hessian of a stiff parabola has a condition of some 1e8. */
static void test_ccp_barrier_steps_in_phases_of_falling_t(void)
{
    barrier_count sum = { 0, 0, 0, 0 };
    int trial;

    for (trial = 0; trial < 3*TRIALS; ++trial)
        expect_barrier_steps(trial, (double)SLIP_TOL(1e-4, 1e-2), (double)SLIP_TOL(1e-7, 2e-2), &sum);
    TEST_ASSERT_TRUE(sum.steps >= 600 && sum.elastic >= 70 && sum.cut >= 70);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_lcp_lemke_pivots_as_the_tableau_does);
    RUN_TEST(test_lcp_lemke_breaks_the_ties_of_a_box_as_the_tableau_does);
    RUN_TEST(test_ccp_newton_steps_as_the_primal_method_does);
    RUN_TEST(test_ccp_barrier_steps_at_a_fixed_t_as_TO_Sec_III_D_says);
    RUN_TEST(test_ccp_barrier_steps_in_phases_of_falling_t);
    return UNITY_END();
}
