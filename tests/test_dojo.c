/* ncp-ipm: what every solver must do; iterate for iterate Dojo's Alg. 2, by a second implementation that eliminates
 * nothing; its stopping rule and its central-path parameter. */
#include "solver_battery.h"

#include <math.h>
#include <string.h>
#include "contact_aid.h"
#include "solvers/solvers.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* ---- Alg. 2 once more, as naively as it can be written ------------------------------------------------------- */

enum { ROWS = 16, UNKNOWNS = 4*ROWS, STEPS = 60 };

/* u = (x, y, xi(1), eta(1)): 2 n + 2 nc unknowns. */
typedef struct {
    const slip_problem *p;
    int n, nc, size;
    double A[ROWS][ROWS], g[ROWS], D[ROWS], unit;
    double u[UNKNOWNS];
} dojo;

typedef enum { ROW_SLACK, ROW_HELD, ROW_NONE } row_kind;

static int has_cone(const dojo *d, int i) { return d->p->mu[i] > 0 && isfinite((double)d->p->mu[i]); }

static row_kind kind_of(const dojo *d, int r)
{
    const int i = r/3;

    if (r >= d->n - d->p->nb) return ROW_HELD;
    if (r >= 3*d->nc || r % 3 == 2 || has_cone(d, i)) return ROW_SLACK;
    return d->p->mu[i] > 0 ? ROW_HELD : ROW_NONE;
}

/* A row whose x and y multiply to kappa by themselves: normals and limits. */
static int is_ort(const dojo *d, int r) { return r < 3*d->nc ? r % 3 == 2 : r < d->n - d->p->nb; }

/* Units: the mean of each block's diagonal becomes 1, and the largest free velocity. */
static void dojo_open(dojo *d, const aid_problem *a)
{
    int i, j, k;

    d->p = &a->p;
    d->n = a->p.n;
    d->nc = a->p.nc;
    d->size = 2*d->n + 2*d->nc;
    for (i = 0; i < d->n; i += k) {
        double sum = 0;

        k = i < 3*d->nc ? 3 : 1;
        for (j = i; j < i + k; ++j) sum += (double)a->G[j*d->n + j] + (a->p.R ? (double)a->R[j] : 0);
        for (j = i; j < i + k; ++j) d->D[j] = 1/sqrt(sum/k);
    }
    d->unit = 0;
    for (i = 0; i < d->n; ++i) d->unit = fmax(d->unit, fabs(d->D[i]*(double)a->g[i]));
    for (i = 0; i < d->n; ++i) {
        d->g[i] = d->D[i]*(double)a->g[i]/d->unit;
        for (j = 0; j < d->n; ++j) {
            const double R = i == j && a->p.R ? (double)a->R[i] : 0;

            d->A[i][j] = d->D[i]*((double)a->G[i*d->n + j] + R)*d->D[j];
        }
    }
    for (i = 0; i < d->size; ++i) d->u[i] = i >= 2*d->n;
    for (i = 0; i < d->n; ++i) if (is_ort(d, i)) d->u[i] = d->u[d->n + i] = 1;
}

/* Eq. (28): the constraints, then the products less kappa e. r_vio and kappa_vio are those of (49), (50). */
static void dojo_residual(const dojo *d, const double *u, double kappa, double *r, double *r_vio, double *k_vio)
{
    const int n = d->n, nc = d->nc;
    const double *x = u, *y = u + n, *xi = u + 2*n, *eta = xi + nc;
    int i, j;

    memset(r, 0, (size_t)d->size*sizeof *r);
    for (i = 0; i < n; ++i) {
        if (kind_of(d, i) == ROW_NONE) continue;
        r[i] = (kind_of(d, i) == ROW_SLACK ? y[i] : 0) - d->g[i];
        for (j = 0; j < n; ++j) r[i] -= d->A[i][j]*x[j];
    }
    for (i = 0; i < nc; ++i) if (has_cone(d, i)) r[2*n + i] = xi[i] - (double)d->p->mu[i]*x[3*i + 2];
    for (*r_vio = 0, i = 0; i < n; ++i) *r_vio = fmax(*r_vio, fabs(r[i]));
    for (i = 2*n; i < 2*n + nc; ++i) *r_vio = fmax(*r_vio, fabs(r[i]));
    for (*k_vio = 0, i = 0; i < n; ++i) if (is_ort(d, i)) {
        *k_vio = fmax(*k_vio, fabs(x[i]*y[i]));
        r[n + i] = x[i]*y[i] - kappa;
    }
    for (i = 0; i < nc; ++i) if (has_cone(d, i)) {
        double q[3] = { xi[i]*eta[i] + x[3*i]*y[3*i] + x[3*i + 1]*y[3*i + 1], xi[i]*y[3*i] + eta[i]*x[3*i],
                        xi[i]*y[3*i + 1] + eta[i]*x[3*i + 1] };

        for (j = 0; j < 3; ++j) *k_vio = fmax(*k_vio, fabs(q[j]));
        r[2*n + nc + i] = q[0] - kappa;
        r[n + 3*i] = q[1];
        r[n + 3*i + 1] = q[2];
    }
}

/* Its Jacobian, by differences: r is quadratic, so that central ones are exact but for rounding. */
static void dojo_jacobian(const dojo *d, double J[UNKNOWNS][UNKNOWNS])
{
    double plus[UNKNOWNS], minus[UNKNOWNS], at[UNKNOWNS], unused;
    int i, j;

    for (j = 0; j < d->size; ++j) {
        memcpy(at, d->u, sizeof at);
        at[j] = d->u[j] + 1;
        dojo_residual(d, at, 0, plus, &unused, &unused);
        at[j] = d->u[j] - 1;
        dojo_residual(d, at, 0, minus, &unused, &unused);
        for (i = 0; i < d->size; ++i) J[i][j] = (plus[i] - minus[i])/2;
    }
    for (i = 0; i < d->n; ++i) {
        if (kind_of(d, i) != ROW_SLACK) J[d->n + i][d->n + i] = 1;                   /* no slack */
        if (kind_of(d, i) == ROW_NONE) J[i][i] = 1;                                  /* no impulse */
        if (kind_of(d, i) == ROW_HELD) J[i][i] -= (double)SLIP_TOL(1e-10, 1e-5);     /* of ncp_ipm_step.c */
    }
    for (i = 0; i < d->nc; ++i)
        if (!has_cone(d, i)) J[2*d->n + i][2*d->n + i] = J[2*d->n + d->nc + i][2*d->n + d->nc + i] = 1;
}

/* x <- -J^-1 x by Gaussian elimination with row exchanges. */
static void dojo_solve(int n, double J[UNKNOWNS][UNKNOWNS], double *x)
{
    int i, j, k, best;

    for (k = 0; k < n; ++k) {
        for (best = k, i = k + 1; i < n; ++i) if (fabs(J[i][k]) > fabs(J[best][k])) best = i;
        for (j = 0; j < n; ++j) { const double t = J[k][j];  J[k][j] = J[best][j];  J[best][j] = t; }
        { const double t = x[k];  x[k] = x[best];  x[best] = t; }
        for (i = k + 1; i < n; ++i) {
            const double f = J[i][k]/J[k][k];

            for (j = k; j < n; ++j) J[i][j] -= f*J[k][j];
            x[i] -= f*x[k];
        }
    }
    for (k = n - 1; k >= 0; --k) {
        for (j = k + 1; j < n; ++j) x[k] -= J[k][j]*x[j];
        x[k] /= J[k][k];
    }
    for (k = 0; k < n; ++k) x[k] = -x[k];
}

/* Least a > 0 with y1 + a d1 = |y + a d|. */
static double to_cone(double y1, const double *y, double d1, const double *d)
{
    const double c = y1*y1 - y[0]*y[0] - y[1]*y[1], b = y1*d1 - y[0]*d[0] - y[1]*d[1];
    const double a = d1*d1 - d[0]*d[0] - d[1]*d[1], disc = b*b - a*c;

    if (disc < 0) return HUGE_VAL;
    if (b < 0) return c/(sqrt(disc) - b);
    return a < 0 ? (b + sqrt(disc))/-a : HUGE_VAL;
}

static double dojo_search(const dojo *d, const double *step, double tau_ort, double tau_soc)
{
    const int n = d->n, nc = d->nc;
    double a = 1;
    int i, k;

    for (k = 0; k < 2; ++k) {
        const double *u = d->u + k*n, *v = step + k*n, *u1 = d->u + 2*n + k*nc, *v1 = step + 2*n + k*nc;

        for (i = 0; i < n; ++i) if (is_ort(d, i) && v[i] < 0) a = fmin(a, -tau_ort*u[i]/v[i]);
        for (i = 0; i < nc; ++i)
            if (has_cone(d, i)) a = fmin(a, tau_soc*to_cone(u1[i], u + 3*i, v1[i], v + 3*i));
    }
    return a;
}

static double dojo_mean(const dojo *d, const double *u)
{
    const int n = d->n, nc = d->nc;
    const double *x = u, *y = u + n;
    double sum = 0;
    int i, degree = 0;

    for (i = 0; i < n; ++i) if (is_ort(d, i)) { sum += x[i]*y[i];  ++degree; }
    for (i = 0; i < nc; ++i) if (has_cone(d, i)) {
        sum += u[2*n + i]*u[2*n + nc + i] + x[3*i]*y[3*i] + x[3*i + 1]*y[3*i + 1];
        ++degree;
    }
    return degree > 0 ? sum/degree : 0;
}

/* One turn of the loop; `lambda` gets the iterate in the problem's units. */
static void dojo_iterate(dojo *d, double *lambda)
{
    static double J[UNKNOWNS][UNKNOWNS];
    double aff[UNKNOWNS], step[UNKNOWNS], at[UNKNOWNS], second[UNKNOWNS], r_vio, k_vio, r0, k0;
    double a, sigma, mean, unused, tau;
    int i;

    dojo_residual(d, d->u, 0, aff, &r0, &k0);
    dojo_jacobian(d, J);
    dojo_solve(d->size, J, aff);
    a = dojo_search(d, aff, 1, 1);
    for (i = 0; i < d->size; ++i) at[i] = d->u[i] + a*aff[i];
    mean = dojo_mean(d, d->u);
    sigma = mean > 0 ? pow(fmin(1, fmax(0, dojo_mean(d, at)/mean)), 3) : 0;
    dojo_residual(d, d->u, sigma*mean, step, &unused, &unused);
    dojo_residual(d, aff, 0, second, &unused, &unused);                 /* for the products of the affine direction */
    for (i = 0; i < d->n; ++i) step[d->n + i] += second[d->n + i];
    for (i = 0; i < d->nc; ++i) step[2*d->n + d->nc + i] += second[2*d->n + d->nc + i];
    dojo_jacobian(d, J);
    dojo_solve(d->size, J, step);
    tau = fmax(0.95, 1 - pow(fmax(r0, k0), 2));
    a = dojo_search(d, step, tau, fmin(tau, 0.99));
    for (;; a /= 2) {
        for (i = 0; i < d->size; ++i) at[i] = d->u[i] + a*step[i];
        dojo_residual(d, at, 0, second, &r_vio, &k_vio);
        if (r_vio <= r0 || k_vio <= k0 || a < 1e-9) break;
    }
    memcpy(d->u, at, sizeof at);
    for (i = 0; i < d->n; ++i) lambda[i] = d->unit*d->D[i]*d->u[i];
}

/* ---- the solver's iterates -------------------------------------------------------------------------------------- */

typedef struct { int n, count; slip_real lambda[STEPS][ROWS]; } record;

static void hear(void *context, const slip_iteration *it)
{
    record *h = (record *)context;

    TEST_ASSERT_EQUAL_INT_MESSAGE(++h->count, it->iteration, "each iteration is told once, in order");
    TEST_ASSERT(h->count <= STEPS);
    memcpy(h->lambda[h->count - 1], it->lambda, (size_t)h->n*sizeof(slip_real));
}

/* A random problem of contacts, limits, bilateral rows; `k` picks how many, and which friction and compliance. */
static aid_problem *random_problem(slip_random *rng, int k)
{
    const slip_real few[] = { SLIP_R(0.3), SLIP_R(0.8), SLIP_R(0.0), (slip_real)INFINITY };
    aid_problem *a = aid_new(1 + k % 4, k % 3, k/3 % 2);
    int i;

    aid_random(rng, a->p.n + 9, 1, a);
    for (i = 0; i < a->p.nc; ++i) a->mu[i] = k < 8 ? few[i % 2] : few[(i + k) % 4];
    for (i = 0; i < a->p.n; ++i) a->R[i] = SLIP_R(0.1);
    if (k % 5 == 4) a->p.R = a->R;
    return a;
}

static void test_iterates_are_those_of_dojos_algorithm_2(void)
{
    static record h;
    static dojo d;
    slip_random rng = slip_random_seed(31);
    slip_real lambda[ROWS];
    double want[ROWS];
    int k, j, i, compared = 0;

    for (k = 0; k < 24; ++k) {
        aid_problem *a = random_problem(&rng, k);
        slip_solver_options o = slip_solver_defaults();
        slip_solution sol;
        char text[64];

        o.history = hear;
        o.history_context = &h;
        o.tol = SLIP_TOL(1e-6, 1e-2);
        h.n = a->p.n;
        h.count = 0;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(slip_ncp_ipm, slip_ncp_ipm_bytes, &a->p, &o, 0, lambda, NULL, &sol));
        TEST_ASSERT_EQUAL_INT(sol.iterations, h.count);
        dojo_open(&d, a);
        for (j = 0; j < h.count; ++j, ++compared) {
            /* from the sixth on, rounding decides ties in the line search */
            const double close = (double)SLIP_TOL(j < 5 ? 1e-11 : 1e-6, 1e-2);
            double size = 0;

            dojo_iterate(&d, want);
            for (i = 0; i < h.n; ++i) size = fmax(size, fabs(want[i]));
            for (i = 0; i < h.n; ++i) {
                slip_format(text, (int)sizeof text, "problem %d, iteration %d, row %d", k, j + 1, i);
                TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(close*size, want[i], (double)h.lambda[j][i], text);
            }
        }
        aid_free(a);
    }
    TEST_ASSERT_MESSAGE(compared > 60, "enough iterates to compare");
}

/* ---- kappa and the printed stop --------------------------------------------------------------------------------- */

/* A body of 2 kg falls at 1 m/s on one contact without friction: s = x/2 - 1. Once E is 0 the iterates rest where
 * x s = kappa less the correction's product dx ds, of the affine step dx = -x s/(x/2 + s), ds = dx/2. */
static double resting_product(double x)
{
    const double s = x/2 - 1, dx = -x*s/(x/2 + s);

    return x*s + dx*dx/2;
}

static void test_kappa_does_not_fall_below_a_fifth_of_its_tolerance(void)
{
    const slip_real mu[1] = { 0 }, g[3] = { 0, 0, -1 }, half = SLIP_R(0.5);
    const slip_real G[9] = { half, 0, 0, 0, half, 0, 0, 0, half };
    const slip_problem p = slip_problem_dense(1, mu, g, G, 3);
    static record h;
    slip_solver_options o = slip_solver_defaults();
    slip_real lambda[3];
    slip_solution sol;

    o.history = hear;
    o.history_context = &h;
    o.barrier_final = SLIP_R(0.1);
    h.n = 3;
    h.count = 0;
    aid_solve(slip_ncp_ipm, slip_ncp_ipm_bytes, &p, &o, 0, lambda, NULL, &sol);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_MAX_ITERS, sol.status, "a relaxed contact is no solution");
    TEST_ASSERT_EQUAL_INT(50, sol.iterations);
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-12, 1e-5), 0.1/5, resting_product((double)h.lambda[49][2]));
}

static void test_the_printed_rule_stops_by_dojos_tolerances(void)
{
    aid_problem *a = aid_incline(2, SLIP_R(0.6), SLIP_R(0.5), SLIP_R(0.01));
    slip_solver_options o = slip_solver_defaults();
    slip_real lambda[12], sigma[12];
    slip_solution fine, coarse;
    int i;

    o.stop = SLIP_STOP_PRINTED;
    o.tol = SLIP_TOL(1e-6, 1e-5);
    aid_solve(slip_ncp_ipm, slip_ncp_ipm_bytes, &a->p, &o, 0, lambda, sigma, &fine);
    TEST_ASSERT_MESSAGE(fine.residual.eps_comp < 2*o.tol, "two products below tol for each contact");
    o.barrier_final = SLIP_R(1e-4);
    aid_solve(slip_ncp_ipm, slip_ncp_ipm_bytes, &a->p, &o, 0, lambda, sigma, &coarse);
    TEST_ASSERT_MESSAGE(coarse.iterations < fine.iterations, "a larger kappa_tol stops earlier");
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_STALLED, coarse.status, "and is not said to solve the problem");
    for (i = 0; i < 4; ++i)
        TEST_ASSERT_MESSAGE(lambda[3*i + 2]*sigma[3*i + 2] < SLIP_R(1e-4), "each product is below kappa_tol [J]");
    aid_free(a);
}

static void test_like_dojo_asks_for_its_printed_rule(void)
{
    slip_solver_options o = slip_solver_defaults();

    TEST_ASSERT(slip_solver_like("dojo", &o) == &slip_solver_ncp_ipm);
    TEST_ASSERT_EQUAL_INT(SLIP_STOP_PRINTED, o.stop);
    TEST_ASSERT_EQUAL_INT(50, o.max_iterations);
}

/* Redundant bilateral rows make G singular where nothing but NCP_IPM_HELD keeps the matrix regular. */
static void test_redundant_bilateral_rows_are_solved(void)
{
    aid_problem *a = aid_new(1, 0, 2);
    slip_solver_options o = slip_solver_defaults();
    slip_real lambda[5], sigma[5];
    slip_solution sol;
    int i, j;

    for (i = 0; i < 3; ++i) a->G[5*i + i] = 1;
    for (i = 3; i < 5; ++i) for (j = 3; j < 5; ++j) a->G[5*i + j] = 1;
    a->mu[0] = SLIP_R(0.5);
    a->g[0] = SLIP_R(0.7);
    a->g[2] = -1;
    a->g[3] = a->g[4] = SLIP_R(0.4);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(slip_ncp_ipm, slip_ncp_ipm_bytes, &a->p, &o, 0, lambda, sigma, &sol));
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 1e-3), -0.4, (double)(lambda[3] + lambda[4]));
    aid_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_BATTERY("ncp-ipm");
    battery_singles = (int)SLIP_TOL(100000, 20000);
    battery_rare = (int)SLIP_TOL(80, 20);                /* 73 whose central path folds back, at mu around 1.2 */
    RUN_TEST(battery_single_contacts_agree_with_brute_force_to_1e_9);
    RUN_TEST(battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond);
    RUN_TEST(battery_the_robots_of_the_shared_problems_are_solved);
    RUN_TEST(test_iterates_are_those_of_dojos_algorithm_2);
    RUN_TEST(test_kappa_does_not_fall_below_a_fifth_of_its_tolerance);
    RUN_TEST(test_the_printed_rule_stops_by_dojos_tolerances);
    RUN_TEST(test_like_dojo_asks_for_its_printed_rule);
    RUN_TEST(test_redundant_bilateral_rows_are_solved);
    return UNITY_END();
}
