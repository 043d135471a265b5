/* ccp-scs: what every solver must do, that its iterates are SCS's, and where it ends. */
#include "solver_battery.h"
#include "unity.h"
#include "slipstick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONTACTS = 3, N = 3*CONTACTS, KEPT = 20, ALL = 2*N + 1 };

void setUp(void) {}
void tearDown(void) {}

typedef struct { int count; double lambda[KEPT][N]; } scs_log;

static void scs_note(void *context, const slip_iteration *it)
{
    scs_log *log = (scs_log *)context;
    int i;

    TEST_ASSERT_EQUAL_INT(log->count + 1, it->iteration);
    for (i = 0; i < N && log->count < KEPT; ++i) log->lambda[log->count][i] = (double)it->lambda[i];
    ++log->count;
}

/* x <- A^-1 x by Gauss' elimination with pivoting. */
static void naive_gauss(int n, double *A, double *x)
{
    int i, j, k, p;

    for (k = 0; k < n; ++k) {
        for (p = k, i = k; i < n; ++i) if (fabs(A[i*n + k]) > fabs(A[p*n + k])) p = i;
        for (j = 0; j < n; ++j) { const double t = A[k*n + j];  A[k*n + j] = A[p*n + j];  A[p*n + j] = t; }
        { const double t = x[k];  x[k] = x[p];  x[p] = t; }
        for (i = k + 1; i < n; ++i) {
            const double f = A[i*n + k]/A[k*n + k];

            for (j = k; j < n; ++j) A[i*n + j] -= f*A[k*n + j];
            x[i] -= f*x[k];
        }
    }
    for (i = n - 1; i >= 0; --i) {
        for (j = i + 1; j < n; ++j) x[i] -= A[i*n + j]*x[j];
        x[i] /= A[i*n + i];
    }
}

/* The embedding's resolvent without the quadratic formula: the tau at which (R + M) z = R w - q tau and tau + ... hold
 * is found by bisection on  tau^2 - tau w_tau + z'R (z - w) = 0, increasing for the root looked for. */
static double naive_resolvent(const double *G, const double *g, const double *w, double *z)
{
    double lo = 0, hi = 100, R[2*N], Q[4*N*N];
    int i, j, k;

    for (i = 0; i < 2*N; ++i) R[i] = i < N ? 1e-6 : 10;
    for (k = 0; k < 200; ++k) {
        const double tau = (lo + hi)/2;
        double value = tau*tau - tau*w[2*N];

        memset(Q, 0, sizeof Q);
        for (i = 0; i < N; ++i) {
            for (j = 0; j < N; ++j) Q[i*2*N + j] = G[i*N + j];
            Q[i*2*N + N + i] = -1;                             /* A' = -Id */
            Q[(N + i)*2*N + i] = 1;                            /* -A = Id  */
        }
        for (i = 0; i < 2*N; ++i) {
            Q[i*2*N + i] += R[i];
            z[i] = R[i]*w[i] - (i < N ? g[i]*tau : 0);
        }
        naive_gauss(2*N, Q, z);
        for (i = 0; i < 2*N; ++i) value += z[i]*R[i]*(z[i] - w[i]);
        if (value > 0) hi = tau; else lo = tau;
    }
    return (lo + hi)/2;
}

static void naive_cone(double mu, double *x)
{
    const double t = hypot(x[0], x[1]), n = x[2], on = (n + mu*t)/(1 + mu*mu);

    if (t <= mu*n) return;
    if (mu*t <= -n) { x[0] = x[1] = x[2] = 0;  return; }
    x[0] *= mu*on/t;
    x[1] *= mu*on/t;
    x[2] = on;
}

/* O'Donoghue (2021), Alg. for the embedding of a quadratic cone program, d = 1, alpha = 1.5: every iterate to 1e-9,
 * the bisection's precision. The problem is scaled as ccp-scs scales: unit diagonal per block, largest g one. */
static void test_the_iterates_are_those_of_the_self_dual_embedding(void)
{
    slip_random rng = slip_random_seed(4);
    aid_problem *a = aid_new(CONTACTS, 0, 0);
    slip_solver_options o = slip_solver_defaults();
    double G[N*N], g[N], w[ALL] = { 0 }, z[2*N], u[ALL], s[N], most = 0;
    slip_real lambda[N];
    slip_solution sol;
    scs_log log;
    int i, j, k;

    if (sizeof(slip_real) == 4) { aid_free(a);  TEST_IGNORE_MESSAGE("skipped: rho_x is another one in float"); }
    aid_random(&rng, 2*N, 1, a);
    for (i = 0; i < CONTACTS; ++i) a->mu[i] = SLIP_R(0.5);
    for (i = 0; i < N; i += 3) {                               /* unit mean diagonal */
        const slip_real m = (a->G[i*N + i] + a->G[(i + 1)*N + i + 1] + a->G[(i + 2)*N + i + 2])/3;

        for (k = i; k < i + 3; ++k) for (j = 0; j < N; ++j) {
            a->G[k*N + j] /= slip_sqrt(m);
            a->G[j*N + k] /= slip_sqrt(m);
        }
    }
    for (i = 0; i < N; ++i) most = fmax(most, fabs((double)a->g[i]));
    for (i = 0; i < N; ++i) a->g[i] /= (slip_real)most;
    for (i = 0; i < N*N; ++i) G[i] = (double)a->G[i];
    for (i = 0; i < N; ++i) g[i] = (double)a->g[i];
    memset(&log, 0, sizeof log);
    o.history = scs_note;
    o.history_context = &log;
    o.max_iterations = KEPT;
    aid_solve(slip_ccp_scs, slip_ccp_scs_bytes, &a->p, &o, 0, lambda, NULL, &sol);
    TEST_ASSERT_EQUAL_INT(KEPT, log.count);
    w[2*N] = 1;
    for (k = 0; k < KEPT; ++k) {
        const double tau = naive_resolvent(G, g, w, z);

        for (i = 0; i < N; ++i) {
            u[i] = 2*z[i] - w[i];
            s[i] = w[N + i] - 2*z[N + i];
        }
        for (i = 0; i < N; i += 3) naive_cone(0.5, s + i);
        for (i = 0; i < N; ++i) u[N + i] = s[i] - (w[N + i] - 2*z[N + i]);
        u[2*N] = fmax(0, 2*tau - w[2*N]);
        for (i = 0; i < 2*N; ++i) w[i] += 1.5*(u[i] - z[i]);
        w[2*N] += 1.5*(u[2*N] - tau);
        for (i = 0; i < N; ++i) 
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, 10*s[i]/(u[2*N] > 0 ? u[2*N] : 1), log.lambda[k][i]);
    }
    aid_free(a);
}

/* Two contacts press a body from both sides; it gives way by `soft` times what one contact alone would move it. */
static slip_status squeezed(slip_real soft, slip_solution *sol)
{
    aid_problem *a = aid_new(2, 0, 0);
    slip_real lambda[6];
    int k;

    for (k = 0; k < 3; ++k) {
        a->G[7*k] = a->G[7*(k + 3)] = 1;
        a->G[6*k + k + 3] = a->G[6*(k + 3) + k] = soft - 1;
    }
    a->mu[0] = a->mu[1] = SLIP_R(0.5);
    a->g[2] = a->g[5] = SLIP_R(-1.0);
    aid_solve(slip_ccp_scs, slip_ccp_scs_bytes, &a->p, NULL, 0, lambda, NULL, sol);
    aid_free(a);
    return sol->status;
}

/* A body that does not give way: G d = 0, g.d < 0. */
static void test_a_problem_without_a_solution_is_seen_by_its_certificate(void)
{
    slip_solution sol;

    TEST_ASSERT_EQUAL_INT(SLIP_DIVERGED, squeezed(0, &sol));
}

/* By SCS's eps_infeas = 1e-7: |P x| <= 1e-7 (-c'x) counts as P x = 0. Along d = (1, 1) of both normals |G d| is `soft`
 * and -g.d is 2, so up to soft = 2e-7 a body is rigid, and above it is not, and its impulses of 1/soft are found. */
static void test_a_body_counts_as_rigid_below_1e_7_and_not_above(void)
{
    slip_solution sol;

    TEST_ASSERT_EQUAL_INT(SLIP_DIVERGED, squeezed(SLIP_TOL(1e-7, 1e-4)*SLIP_R(0.3), &sol));
    TEST_ASSERT(sol.iterations <= 100);                        /* by the certificate, not for want of iterations */
    if (sizeof(slip_real) == 8) TEST_ASSERT_EQUAL_INT(SLIP_OK, squeezed(SLIP_R(1e-6), &sol));
    else TEST_ASSERT(squeezed(SLIP_R(1e-3), &sol) != SLIP_DIVERGED);
}

/* What ccp-admm solves to 1e-4, in at most 5000 iterations. */
static void test_the_pinocchio_problems_are_solved_to_1e_4(void)
{
    static const char *const names[] = { "solo12_push", "talos_push", "talos_stand", "stack5_equal_push",
                                         "stack5_light_bottom_push" };
    slip_solver_options o = slip_solver_defaults();
    int k;

    o.tol = SLIP_R(1e-4);
    o.max_iterations = 5000;
    for (k = 0; k < (int)(sizeof names/sizeof *names); ++k) {
        slip_real lambda[200];
        slip_solution sol;
        aid_problem *a;
        char path[200];

        slip_format(path, (int)sizeof path, "../shared/problems/pinocchio/%s.txt", names[k]);
        a = aid_load(path);
        if (!a) TEST_IGNORE_MESSAGE("skipped: ../shared/problems not present");
        if (sizeof(slip_real) == 8 || k < 3)
            TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, aid_solve(slip_ccp_scs, slip_ccp_scs_bytes, &a->p, &o, 0, lambda,
                                                             NULL, &sol), names[k]);
        aid_free(a);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ccp-scs");
    battery_singles = 5000;
    RUN_TEST(battery_single_contacts_agree_with_brute_force_to_1e_9);
    RUN_TEST(test_the_iterates_are_those_of_the_self_dual_embedding);
    RUN_TEST(test_a_problem_without_a_solution_is_seen_by_its_certificate);
    RUN_TEST(test_a_body_counts_as_rigid_below_1e_7_and_not_above);
    RUN_TEST(test_the_pinocchio_problems_are_solved_to_1e_4);
    return UNITY_END();
}
