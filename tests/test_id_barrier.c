/* id-barrier: the exact inverse of ccp-barrier (TO Sec. III-B, IV), its derivative, and from soft to hard. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "contact_aid.h"
#include "inverse_aid.h"
#include "solvers/barrier.h"
#include "solvers/id_barrier.h"
#include "solvers/solvers.h"

void setUp(void) {}
void tearDown(void) {}

#define DT SLIP_R(0.01)

static slip_real work[2*INV_ROWS];
static const slip_real unit_mass[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

static slip_problem with_velocity(const slip_problem *p, const slip_real *v)
{
    slip_problem inverse = *p;

    inverse.g = v;
    return inverse;
}

static double largest_difference(const slip_real *a, const slip_real *b, int n)
{
    double most = 0;

    for (int i = 0; i < n; ++i) most = fmax(most, fabs((double)(a[i] - b[i])));
    return most;
}

static slip_solver_options forward_options(void)
{
    slip_solver_options o = slip_solver_defaults();

    o.tol = SLIP_TOL(1e-9, 1e-4);
    o.tol_rule = SLIP_TOL_ABSOLUTE;
    return o;
}

/* f follows v by about |I + G B2''|/(R + B1''), B1'' >= t/f_n^2 in every direction: how far an error of eps [m/s] in
 * the forward solution may carry. */
static double sensitivity(const slip_problem *p, const slip_real *v, const slip_real *f, double t)
{
    double most = 0, inertia = 0, softest = 1e300;
    slip_real d[INV_ROWS];

    slip_problem_diagonal(p, d);
    for (int i = 0; i < p->n; ++i) inertia = fmax(inertia, (double)d[i]);
    for (int i = 0; i < p->nc + p->nl; ++i) {
        const int row = i < p->nc ? 3*i + 2 : 2*p->nc + i;
        const double x = (double)(v[row] - p->vmin[i]), n = (double)f[row];

        most = fmax(most, 1 + inertia*t/(x*x));
        softest = fmin(softest, (double)p->R[row] + t/(n*n));
    }
    return most/softest;
}

/* How far two impulses are apart, relative to 1 N s and their size. */
static double relative_difference(const slip_real *a, const slip_real *b, int n)
{
    return largest_difference(a, b, n)/(1 + (double)slip_max_abs(n, a));
}

/* Inverse of forward on 1000 states with 0 to 20 contacts and 0 to 2 limits. Frees c. */
static void undo_forward(inv_case *c, slip_random *rng)
{
    const slip_solver_options o = forward_options();
    slip_real f[INV_ROWS], back[INV_ROWS], v[INV_ROWS];
    slip_solution sol;
    slip_id_result r;
    double worst = 0, relative = 0, eps;
    int solved = 0, elastic = 0;

    for (int k = 0; k < 1000; ++k) {
        const int nc = k % 21, nl = k % 3;
        slip_problem inverse;
        slip_status s;

        inv_state(c, rng, nc, nl, DT);
        s = inv_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &c->p, &o, f, &sol);
        slip_problem_velocity(&c->p, f, v);
        inverse = with_velocity(&c->p, v);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_barrier(&inverse, NULL, back, work, &r));
        if (s < 0 || (!r.elastic && !(sol.model.eps_dual <= 100*o.tol))) continue;
        solved += 1;
        elastic += r.elastic;
        eps = r.elastic ? (double)o.tol : fmax((double)o.tol, (double)sol.model.eps_dual);
        worst = fmax(worst, largest_difference(f, back, c->p.n)/(sensitivity(&c->p, v, f, 0.1)*eps + 1e-7));
        relative = fmax(relative, relative_difference(f, back, c->p.n));
    }
    inv_free(c);
    printf("# solved %d of 1000, %d of them elastic; worst error %g of the bound, %g of f\n", solved, elastic, worst,
           relative);
    TEST_ASSERT_MESSAGE(elastic > 10, "some states are over-constrained");
    TEST_ASSERT_MESSAGE(solved >= (int)SLIP_TOL(1000, 900), "ccp-barrier reaches its tolerance");
    TEST_ASSERT_MESSAGE(worst < 3, "f of the inverse is that of the forward model to its tolerance");
    TEST_ASSERT_MESSAGE(relative < (double)SLIP_TOL(1e-5, 1e-1), "and by itself");
}

/* Forward of inverse, the same way: any velocity that the constraints allow. Light links need free velocities of up to
 * 1e9 m/s for that, so solved means relative to them. Frees c. */
static void undo_inverse(inv_case *c, slip_random *rng)
{
    const slip_solver_options o = forward_options();
    slip_real f[INV_ROWS], back[INV_ROWS], v[INV_ROWS], g[INV_ROWS];
    slip_solution sol;
    double worst_f = 0, worst_v = 0;
    int solved = 0;

    for (int k = 0; k < 1000; ++k) {
        const int nc = k % 21, nl = k % 3;
        slip_problem inverse;

        inv_state(c, rng, nc, nl, DT);
        for (int i = 0; i < c->p.n; ++i) v[i] = SLIP_R(0.5)*slip_random_normal(rng);
        for (int i = 0; i < nc + nl; ++i)
            v[i < nc ? 3*i + 2 : 2*nc + i] = c->vmin[i] + slip_random_uniform(rng, SLIP_R(0.02), 2);
        inverse = with_velocity(&c->p, v);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_barrier(&inverse, NULL, f, work, NULL));
        slip_problem_apply(&c->p, f, g);
        for (int i = 0; i < c->p.n; ++i) g[i] = v[i] - g[i];       /* c = v - A f */
        memcpy(c->g, g, sizeof g);
        inv_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &c->p, &o, back, &sol);
        if (!(sol.model.eps_dual <= o.tol*slip_max(100, slip_max_abs(c->p.n, c->g)))) continue;
        solved += 1;
        worst_f = fmax(worst_f, largest_difference(f, back, c->p.n)/
                       (sensitivity(&c->p, v, f, 0.1)*fmax((double)o.tol, (double)sol.model.eps_dual) + 1e-7));
        slip_problem_velocity(&c->p, back, g);                     /* g + G f: rounded where g is large */
        worst_v = fmax(worst_v, largest_difference(v, g, c->p.n)/
                       ((double)SLIP_TOL(1e-8, 1e-3) + (double)(1000*SLIP_REAL_EPS*slip_max_abs(c->p.n, c->g))));
    }
    inv_free(c);
    printf("# solved %d of 1000, worst f %g and v %g of their bounds\n", solved, worst_f, worst_v);
    TEST_ASSERT(solved >= (int)SLIP_TOL(1000, 900));
    TEST_ASSERT(worst_f < 3);
    TEST_ASSERT(worst_v < 1);
}

static void test_inverse_undoes_forward_on_1000_states_of_a_random_tree_with_0_to_20_contacts(void)
{
    slip_random rng = slip_random_seed(51);

    undo_forward(inv_new(&rng), &rng);
}

static void test_forward_undoes_inverse_on_1000_states_of_a_random_tree_with_0_to_20_contacts(void)
{
    slip_random rng = slip_random_seed(52);

    undo_inverse(inv_new(&rng), &rng);
}

static void test_inverse_undoes_forward_on_1000_states_of_a_humanoid_with_0_to_20_contacts(void)
{
    slip_random rng = slip_random_seed(58);

    undo_forward(inv_new_robot("models/humanoid37.urdf"), &rng);
}

static void test_forward_undoes_inverse_on_1000_states_of_a_humanoid_with_0_to_20_contacts(void)
{
    slip_random rng = slip_random_seed(59);

    undo_inverse(inv_new_robot("models/humanoid37.urdf"), &rng);
}

/* A joint whose two limits contradict each other: 0.1 rad beyond either. No velocity satisfies both, so the forward
 * model ends in its elastic mode. */
static void test_the_inverse_follows_the_elastic_mode_where_limits_contradict_each_other(void)
{
    slip_real G[4] = { 2, -2, -2, 2 }, g[2] = { SLIP_R(0.3), SLIP_R(-0.3) }, R[2] = { SLIP_R(0.01), SLIP_R(0.01) };
    slip_real vmin[2] = { SLIP_R(0.2), SLIP_R(0.2) }, f[2], v[2], back[2];
    slip_problem p = slip_problem_dense_rows(0, 2, 0, NULL, g, R, G, 2), inverse;
    slip_solver_options o = forward_options();
    slip_solution sol;
    slip_id_result r;

    p.vmin = vmin;
    TEST_ASSERT(inv_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &p, &o, f, &sol) > 0);
    slip_problem_velocity(&p, f, v);
    inverse = with_velocity(&p, v);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_barrier(&inverse, NULL, back, work, &r));
    TEST_ASSERT_EQUAL_INT(1, r.elastic);
    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-5, 1e-1)*(double)f[0], f[0], back[0]);
    TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-5, 1e-1)*(double)f[1], f[1], back[1]);
}

/* Velocities into the other body: finite impulses, larger the deeper. */
static void test_elastic_mode_gives_finite_growing_impulses_for_forbidden_velocities(void)
{
    slip_real mu = SLIP_R(0.5), v[3] = { SLIP_R(0.2), 0, 0 }, R[3] = { 1, 1, 1 }, f[3], last = 0;
    slip_problem p = slip_problem_dense_rows(1, 0, 0, &mu, v, R, unit_mass, 3);
    slip_id_result r;

    for (int k = 1; k <= 5; ++k) {
        v[2] = -SLIP_R(0.5)*(slip_real)k;
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_barrier(&p, NULL, f, work, &r));
        TEST_ASSERT_EQUAL_INT(1, r.elastic);
        TEST_ASSERT(slip_is_finite(f[2]) && f[2] > last);
        last = f[2];
    }
}

static void test_the_gradient_vanishes_for_all_frictions_compliances_and_weights(void)
{
    slip_random rng = slip_random_seed(53);

    for (int k = 0; k < 20000; ++k) {
        slip_real mu, v[3], R[3], f[3], vmin[1];
        slip_problem p = slip_problem_dense_rows(1, 0, 0, &mu, v, R, unit_mass, 3);
        slip_id_barrier_options o = slip_id_barrier_defaults();
        slip_id_result r;
        slip_status s;
        char text[240];

        mu = slip_pow(10, slip_random_uniform(&rng, -2, 1));
        o.barrier = slip_pow(10, slip_random_uniform(&rng, (slip_real)SLIP_TOL(-8, -3), 1));
        R[0] = slip_pow(10, slip_random_uniform(&rng, -3, 3));
        R[1] = k % 4 == 0 ? slip_pow(10, slip_random_uniform(&rng, -3, 3)) : R[0];
        R[2] = slip_pow(10, slip_random_uniform(&rng, -3, 3));
        for (int i = 0; i < 3; ++i) v[i] = slip_random_normal(&rng);
        if (k % 7 == 0) v[0] = v[1] = 0;
        vmin[0] = v[2] - slip_pow(10, slip_random_uniform(&rng, -3, 1));
        p.vmin = vmin;
        s = slip_id_barrier(&p, &o, f, work, &r);
        snprintf(text, sizeof text, "mu %g t %g R %g %g %g v %g %g %g x %g: residual %g, %d iterations", (double)mu,
                 (double)o.barrier, (double)R[0], (double)R[1], (double)R[2], (double)v[0], (double)v[1], (double)v[2],
                 (double)(v[2] - vmin[0]), (double)r.residual.eps_abs, r.iterations);
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, s, text);
        TEST_ASSERT_MESSAGE(slip_cone_distance(mu, f) == 0 && f[2] > 0, text);
        TEST_ASSERT_MESSAGE(r.iterations <= (R[0] == R[1] ? 40 : 100), text);
        /* y = v - t/x and R f set the scale, and f near the cone's surface loses digits in mu^2 f_n^2 - |f_T|^2 */
        if (o.barrier > (R[0] == R[1] ? SLIP_R(1e-4) : SLIP_TOL(1e-4, 1)))
            TEST_ASSERT_MESSAGE((double)r.residual.eps_abs <= (double)SLIP_TOL(1e-6, 2e-2)*
                                (10 + (double)(o.barrier/(v[2] - vmin[0]) + slip_max(R[0], R[2])*f[2])), text);
    }
}

static void test_frictionless_and_infinite_friction_have_their_own_closed_forms(void)
{
    slip_real mu = 0, v[3] = { 1, 2, SLIP_R(0.5) }, R[3] = { 2, 2, 2 }, f[3];
    slip_problem p = slip_problem_dense_rows(1, 0, 0, &mu, v, R, unit_mass, 3);
    slip_id_result r;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_barrier(&p, NULL, f, work, &r));
    TEST_ASSERT_EQUAL_DOUBLE(0, f[0]);
    TEST_ASSERT(f[2] > 0 && r.residual.eps_abs < SLIP_TOL(1e-12, 1e-5));
    mu = (slip_real)INFINITY;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_barrier(&p, NULL, f, work, &r));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -1, f[1]);
    TEST_ASSERT(r.residual.eps_abs < SLIP_TOL(1e-12, 1e-5));
}

static void test_without_compliance_a_minimum_exists_only_inside_the_dual_cone(void)
{
    slip_real mu = SLIP_R(0.5), v[3] = { SLIP_R(0.1), 0, 5 }, R[3] = { 0, 0, 0 }, f[3];
    slip_problem p = slip_problem_dense_rows(1, 0, 0, &mu, v, R, unit_mass, 3);
    slip_id_result r;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_barrier(&p, NULL, f, work, &r));
    TEST_ASSERT(r.residual.eps_abs < SLIP_TOL(1e-7, 1e-3));
    v[0] = 20;                                                 /* slides faster than it lifts off */
    TEST_ASSERT_EQUAL_INT(SLIP_DIVERGED, slip_id_barrier(&p, NULL, f, work, &r));
    TEST_ASSERT_EQUAL_INT(1, r.diverged);
    TEST_ASSERT_EQUAL_INT(0, r.worst);
    TEST_ASSERT_EQUAL_DOUBLE(0, f[2]);
}

/* ---- derivatives against finite differences ------------------------------------------------------------------ */

static void test_derivatives_of_the_barriers_match_finite_differences(void)
{
    slip_random rng = slip_random_seed(54);
    const double h = (double)SLIP_TOL(1e-6, 1e-3), tol = (double)SLIP_TOL(1e-6, 2e-2);

    for (int k = 0; k < 500; ++k) {
        const slip_real mu = slip_random_uniform(&rng, SLIP_R(0.2), 2), t = SLIP_R(0.1), slope = k % 2 ? 10 : 0;
        slip_real f[3], grad[3], hess[9], up[3], gu[3], gd[3], d1, d2, a1, a2, b1, b2;
        const slip_real x = slip_random_uniform(&rng, slope > 0 ? SLIP_R(-0.5) : SLIP_R(0.5), 1);

        f[2] = slip_random_uniform(&rng, SLIP_R(0.5), 2);
        f[0] = SLIP_R(0.5)*mu*f[2]*slip_random_uniform(&rng, -1, 1);
        f[1] = SLIP_R(0.5)*mu*f[2]*slip_random_uniform(&rng, -1, 1);
        slip_barrier_contact(mu, t, f, grad, hess);
        for (int i = 0; i < 3; ++i) {
            double plus, minus;

            slip_copy3(f, up);
            up[i] += (slip_real)h;
            plus = (double)slip_barrier_contact(mu, t, up, gu, NULL);
            up[i] -= 2*(slip_real)h;
            minus = (double)slip_barrier_contact(mu, t, up, gd, NULL);
            TEST_ASSERT_DOUBLE_WITHIN(tol*(1 + fabs((double)grad[i])), grad[i], (plus - minus)/(2*h));
            for (int j = 0; j < 3; ++j)
                TEST_ASSERT_DOUBLE_WITHIN(10*tol*(1 + fabs((double)hess[3*j + i])), hess[3*j + i],
                                          (double)(gu[j] - gd[j])/(2*h));
        }
        slip_barrier_slopes(t, slope, x, &d1, &d2);
        slip_barrier_slopes(t, slope, x + (slip_real)h, &a1, &a2);
        slip_barrier_slopes(t, slope, x - (slip_real)h, &b1, &b2);
        TEST_ASSERT_DOUBLE_WITHIN(2*tol*(double)d2*10, d2, (double)(a1 - b1)/(2*h));
        {
            slip_real e1, e2;
            const double plus = (double)slip_barrier_scalar(t, slope, x + (slip_real)h, &e1, &e2);
            const double minus = (double)slip_barrier_scalar(t, slope, x - (slip_real)h, &e1, &e2);

            TEST_ASSERT_DOUBLE_WITHIN(tol*(1 + fabs((double)d1)), d1, (plus - minus)/(2*h));
        }
    }
}

static void test_the_jacobian_of_the_inverse_matches_finite_differences(void)
{
    slip_random rng = slip_random_seed(55);
    inv_case *c = inv_new(&rng);
    slip_real v[INV_ROWS], w[INV_ROWS], f[INV_ROWS], plus[INV_ROWS], minus[INV_ROWS],
        *D = (slip_real *)malloc(INV_ROWS*INV_ROWS*sizeof *D);
    const slip_real h = SLIP_TOL(1e-5, 1e-2);
    slip_id_barrier_options o = slip_id_barrier_defaults();

    o.tol = SLIP_TOL(1e-13, 1e-6);
    for (int k = 0; k < 60; ++k) {
        const int nc = 1 + k % 6, nl = 2;
        slip_problem p;

        inv_state(c, &rng, nc, nl, DT);
        if (k % 5 == 0) for (int i = 0; i < nc; ++i) c->R[3*i] *= 3;      /* tangents of different compliance */
        for (int i = 0; i < c->p.n; ++i) v[i] = slip_random_normal(&rng);
        for (int i = 0; i < nc + nl; ++i)
            v[i < nc ? 3*i + 2 : 2*nc + i] = c->vmin[i] + slip_random_uniform(&rng, SLIP_R(0.2), 1);
        if (k % 3 == 0) v[2] = c->vmin[0] - SLIP_R(0.3);               /* elastic */
        p = with_velocity(&c->p, w);
        memcpy(w, v, sizeof w);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_id_barrier(&p, &o, f, work, NULL));
        slip_id_barrier_jacobian(&p, &o, f, work, D);
        for (int j = 0; j < c->p.n; ++j) {
            w[j] = v[j] + h;
            slip_id_barrier(&p, &o, plus, work, NULL);
            w[j] = v[j] - h;
            slip_id_barrier(&p, &o, minus, work, NULL);
            w[j] = v[j];
            for (int i = 0; i < c->p.n; ++i) {
                const double numeric = (double)(plus[i] - minus[i])/(2*(double)h);
                const double exact = (double)D[i*c->p.n + j];

                TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-4, 1e-1)*(fabs(exact) + (double)SLIP_TOL(1e-3, 5e-1)),
                                          exact, numeric);
            }
        }
    }
    free(D);
    inv_free(c);
}

/* Forward: (A + R + B1'' + A B2'' A) df = -(I + A B2'') dc, here for one contact. */
static void test_the_forward_model_is_smooth_with_the_derivative_of_its_equation(void)
{
    slip_random rng = slip_random_seed(56);
    slip_solver_options o = slip_solver_defaults();
    const slip_real h = SLIP_TOL(1e-5, 3e-2);

    o.tol = SLIP_TOL(1e-11, 1e-5);
    o.tol_rule = SLIP_TOL_ABSOLUTE;
    for (int k = 0; k < 50; ++k) {
        slip_real G[9], g[3], R[3] = { SLIP_R(0.1), SLIP_R(0.1), SLIP_R(0.1) }, mu = SLIP_R(0.6), f[3], v[3], hess[9],
            H[9];
        slip_real d1, d2, plus[3], minus[3], base;
        slip_problem p = slip_problem_dense_rows(1, 0, 0, &mu, g, R, G, 3);
        slip_solution sol;

        aid_random_block(&rng, SLIP_R(0.3), 3, G);
        for (int i = 0; i < 3; ++i) g[i] = slip_random_normal(&rng);
        inv_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &p, &o, f, &sol);
        slip_problem_velocity(&p, f, v);
        slip_barrier_contact(mu, o.barrier, f, plus, hess);
        slip_barrier_slopes(o.barrier, 0, v[2], &d1, &d2);
        for (int i = 0; i < 3; ++i) for (int j = 0; j < 3; ++j)
            H[3*i + j] = G[3*i + j] + hess[3*i + j] + (i == j ? R[i] : 0) + G[3*i + 2]*d2*G[6 + j];
        slip_chol_factor(3, H, 3, NULL);
        for (int j = 0; j < 3; ++j) {
            slip_real x[3] = { 0, 0, 0 };

            x[j] = -1;
            if (j == 2) for (int i = 0; i < 3; ++i) x[i] -= G[3*i + 2]*d2;
            slip_chol_solve(3, H, 3, x);
            base = g[j];
            g[j] = base + h;
            inv_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &p, &o, plus, &sol);
            g[j] = base - h;
            inv_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &p, &o, minus, &sol);
            g[j] = base;
            for (int i = 0; i < 3; ++i)
                TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-4, 5e-2), x[i],
                                          (double)(plus[i] - minus[i])/(2*(double)h));
        }
    }
}

/* ---- from soft to hard ------------------------------------------------------------------------------------------ */

typedef struct { double value[16], weight[16]; int count; const slip_problem *p; } path;

static int path_visit(void *context, slip_real t, const slip_solution *sol)
{
    path *w = (path *)context;

    w->weight[w->count] = (double)t;
    w->value[w->count++] = aid_energy(w->p, sol->lambda);
    return 0;
}

/* As t falls the energy falls towards the CCP's minimum, and the gap is at most (number of barriers) t. */
static void test_the_continuation_ends_at_the_convex_problems_solution(void)
{
    slip_random rng = slip_random_seed(57);

    for (int k = 0; k < 20; ++k) {
        aid_problem *a = aid_new(3, 0, 0);
        slip_solver_options o = slip_solver_defaults();
        slip_real f[9], hard[9];
        slip_solution sol = slip_solution_over(f, NULL, NULL), exact;
        slip_arena scratch;
        size_t bytes;
        void *block;
        path w = { { 0 }, { 0 }, 0, NULL };

        aid_random(&rng, 40, 1, a);
        w.p = &a->p;
        o.tol = SLIP_TOL(1e-8, 1e-3);
        o.tol_rule = SLIP_TOL_ABSOLUTE;
        bytes = slip_ccp_barrier_bytes(&a->p, &o);
        block = malloc(bytes);
        scratch = slip_arena_over(block, bytes);
        TEST_ASSERT(slip_barrier_continuation(&a->p, &o, 1, SLIP_TOL(1e-7, 1e-3), 8, &sol, &scratch, path_visit,
                                              &w) >= 0);
        free(block);
        TEST_ASSERT_EQUAL_INT(8, w.count);
        TEST_ASSERT(aid_solve(slip_ccp_newton, slip_ccp_newton_bytes, &a->p, NULL, 0, hard, NULL, &exact) >= 0);
        for (int i = 0; i < w.count; ++i) {
            TEST_ASSERT(w.value[i] - aid_energy(&a->p, hard) <= 12*w.weight[i] + (double)SLIP_TOL(1e-6, 1e-1));
            if (i > 0) TEST_ASSERT(w.value[i] <= w.value[i - 1] + (double)SLIP_TOL(1e-9, 1e-2));
        }
        aid_free(a);
    }
}

static void test_bad_numbers_are_refused_and_nothing_is_written(void)
{
    slip_real mu = 1, v[3] = { 0, 0, (slip_real)NAN }, f[3] = { 7, 7, 7 };
    slip_problem p = slip_problem_dense_rows(1, 0, 0, &mu, v, NULL, unit_mass, 3);
    slip_id_barrier_options o = slip_id_barrier_defaults();

    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_id_barrier(&p, NULL, f, work, NULL));
    v[2] = 1;
    o.barrier = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_id_barrier(&p, &o, f, work, NULL));
    TEST_ASSERT_EQUAL_DOUBLE(7, f[0]);
}

/* The impulse as a function of the state has no jumps: from one gap to the next, 10 um apart, it changes by less
 * than a hundredth of its size, from the margin's edge, where it is 100 times softer, to touching and beyond. */
static void test_the_impulse_is_a_continuous_function_of_distance_and_velocity(void)
{
    slip_real mu = SLIP_R(0.5), g[3] = { SLIP_R(0.3), 0, -1 }, R[3] = { 0, 0, 0 }, vmin = 0, f[3], last = 0, rise = 0;
    slip_problem p = slip_problem_dense_rows(1, 0, 0, &mu, g, R, unit_mass, 3);
    slip_solver_options o = forward_options();
    slip_solution sol;
    double jump = 0;

    o.barrier = SLIP_R(1e-3);
    p.vmin = &vmin;
    for (int k = 0; k < 11000; ++k) {
        const slip_real gap = SLIP_R(0.0999) - SLIP_R(1e-5)*(slip_real)k;         /* 0.1 m … -0.01 m */

        R[0] = R[1] = R[2] = slip_barrier_compliance(gap, SLIP_R(0.01), 100, SLIP_R(0.1));
        vmin = -gap/DT;
        TEST_ASSERT(inv_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &p, &o, f, &sol) >= 0);
        if (k > 0) jump = fmax(jump, fabs((double)(f[2] - last))/(double)slip_max(f[2], last));
        last = f[2];
    }
    printf("# over the gap: at most %g of the impulse in 10 um\n", jump);
    TEST_ASSERT_MESSAGE(jump < 0.01, "R changes by 0.01 of 1/m then");
    jump = 0;
    for (int k = 0; k < 2000; ++k) {
        g[2] = SLIP_R(-1.0) + SLIP_R(1e-3)*(slip_real)k;
        R[0] = R[1] = R[2] = slip_barrier_compliance(SLIP_R(0.005), SLIP_R(0.01), 100, SLIP_R(0.1));
        vmin = -SLIP_R(0.005)/DT;
        TEST_ASSERT(inv_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &p, &o, f, &sol) >= 0);
        if (k > 0) jump = fmax(jump, fabs((double)(f[2] - last)));
        rise = slip_max(rise, k > 0 ? f[2] - last : 0);
        last = f[2];
    }
    printf("# over the velocity: at most %g N s for 1 mm/s\n", jump);
    TEST_ASSERT_MESSAGE(jump < 1.1e-3, "a unit mass needs no more than what stops it");
    TEST_ASSERT_MESSAGE(rise < SLIP_TOL(1e-6, 1e-4), "the faster it leaves the less it is pushed");
}

/* TO Sec. IV, Fig. 3: a ball of 1 kg dropped from 0.3 m at 1 ms, margin 0.1 m. One contact, one mass. */
static void test_a_dropped_ball_slows_down_smoothly_and_never_penetrates(void)
{
    const slip_real dt = SLIP_R(1e-3), dmax = SLIP_R(0.1);
    slip_real gap = SLIP_R(0.3), speed = 0, mu = SLIP_R(0.5), last = 0, G[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    slip_id_barrier_options back_options = slip_id_barrier_defaults();
    slip_solver_options o = slip_solver_defaults();
    double jump = 0, peak = 0, entry = 0, arrival = 0;
    int touched = 0;

    o.barrier = SLIP_R(1e-4);
    o.tol = SLIP_TOL(1e-9, 1e-4);
    o.tol_rule = SLIP_TOL_ABSOLUTE;
    for (int k = 0; k < 600; ++k) {
        slip_real g[3] = { 0, 0, 0 }, R[3], vmin, f[3] = { 0, 0, 0 }, v[3], back[3];
        slip_problem p = slip_problem_dense_rows(1, 0, 0, &mu, g, R, G, 3), inverse;
        slip_solution sol;

        g[2] = speed - SLIP_R(9.81)*dt;
        if (gap < dmax) {
            R[0] = R[1] = R[2] = slip_barrier_compliance(gap, SLIP_R(0.01), 100, dmax);
            vmin = -gap/dt;
            p.vmin = &vmin;
            TEST_ASSERT(inv_solve(slip_ccp_barrier, slip_ccp_barrier_bytes, &p, &o, f, &sol) >= 0);
            slip_problem_velocity(&p, f, v);
            inverse = with_velocity(&p, v);
            back_options.barrier = o.barrier;
            back_options.elastic = o.elastic;
            slip_id_barrier(&inverse, &back_options, back, work, NULL);
            TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-6, 2e-3), f[2], back[2]);
            if (touched == 0) { entry = (double)f[2];  arrival = -(double)g[2]; }
            else jump = fmax(jump, fabs((double)(f[2] - last)));
            peak = fmax(peak, (double)f[2]);
            touched += 1;
        }
        speed = g[2] + f[2];
        gap += dt*speed;
        last = f[2];
        TEST_ASSERT_MESSAGE(gap > 0, "no penetration");
    }
    printf("# impulse: %g N s at the margin, then at most %g N s from step to step, peak %g; rests at %g m with %g "
           "m/s\n", entry,
           jump, peak, (double)gap, (double)speed);
    TEST_ASSERT(touched > 300);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0, speed);                 /* it has come to rest */
    TEST_ASSERT_MESSAGE(peak < 0.05, "the impulse is spread: a rigid contact needs 2.2 N s at once");
    TEST_ASSERT_MESSAGE(jump < 0.05*peak, "inside the margin it is continuous: little changes from step to step");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.05*arrival/101, arrival/101, entry,
                                      "at the margin |v|/(1/m + r_max), TO eq. 24");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_inverse_undoes_forward_on_1000_states_of_a_random_tree_with_0_to_20_contacts);
    RUN_TEST(test_forward_undoes_inverse_on_1000_states_of_a_random_tree_with_0_to_20_contacts);
    RUN_TEST(test_inverse_undoes_forward_on_1000_states_of_a_humanoid_with_0_to_20_contacts);
    RUN_TEST(test_forward_undoes_inverse_on_1000_states_of_a_humanoid_with_0_to_20_contacts);
    RUN_TEST(test_the_inverse_follows_the_elastic_mode_where_limits_contradict_each_other);
    RUN_TEST(test_elastic_mode_gives_finite_growing_impulses_for_forbidden_velocities);
    RUN_TEST(test_the_gradient_vanishes_for_all_frictions_compliances_and_weights);
    RUN_TEST(test_frictionless_and_infinite_friction_have_their_own_closed_forms);
    RUN_TEST(test_without_compliance_a_minimum_exists_only_inside_the_dual_cone);
    RUN_TEST(test_derivatives_of_the_barriers_match_finite_differences);
    RUN_TEST(test_the_jacobian_of_the_inverse_matches_finite_differences);
    RUN_TEST(test_the_forward_model_is_smooth_with_the_derivative_of_its_equation);
    RUN_TEST(test_the_continuation_ends_at_the_convex_problems_solution);
    RUN_TEST(test_bad_numbers_are_refused_and_nothing_is_written);
    RUN_TEST(test_the_impulse_is_a_continuous_function_of_distance_and_velocity);
    RUN_TEST(test_a_dropped_ball_slows_down_smoothly_and_never_penetrates);
    return UNITY_END();
}
