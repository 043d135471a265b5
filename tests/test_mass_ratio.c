/* Light below heavy (LL Fig. 12, CR Fig. 1 and 4): a cube of 10^3 kg on one of 10^-3 kg, and a wall of 15 cubes from
 * 1 kg in the lowest row to 10^4 kg on top. Global methods reach 1e-9, per-contact ones stall and have to say so. */
#include "contact_aid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "slipstick.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

enum { CUBES = 15, CONTACTS = 60, ROWS = 3*CONTACTS };

/* A contact at the point `at` of the world between cube `lower` (-1: the ground) and cube `upper`, normal upwards. */
typedef struct { int lower, upper; double at[3]; } cube_contact;

static double cube_mass[CUBES], cube_at[CUBES][3];
static cube_contact contacts[CONTACTS];
static slip_real lambda[ROWS], sigma[ROWS];

/* Velocity of a cube's point per unit of its twist (v, w), times sign; rows x, y, z. */
static void point_rows(int cube, const double at[3], double sign, double J[3][6])
{
    const double r[3] = { at[0] - cube_at[cube][0], at[1] - cube_at[cube][1], at[2] - cube_at[cube][2] };
    const double rows[3][6] = { { 1, 0, 0, 0, r[2], -r[1] }, { 0, 1, 0, -r[2], 0, r[0] }, { 0, 0, 1, r[1], -r[0], 0 } };
    int i, k;

    for (i = 0; i < 3; ++i) for (k = 0; k < 6; ++k) J[i][k] = sign*rows[i][k];
}

/* G block of contacts a and b through one cube, added; unit cubes have inertia m/6. */
static void add_block(const cube_contact *a, const cube_contact *b, int cube, double G[3][3])
{
    const double sa = a->upper == cube ? 1 : a->lower == cube ? -1 : 0;
    const double sb = b->upper == cube ? 1 : b->lower == cube ? -1 : 0;
    double Ja[3][6], Jb[3][6];
    int i, j, k;

    if (sa == 0 || sb == 0) return;
    point_rows(cube, a->at, sa, Ja);
    point_rows(cube, b->at, sb, Jb);
    for (i = 0; i < 3; ++i) for (j = 0; j < 3; ++j) for (k = 0; k < 6; ++k)
        G[i][j] += Ja[i][k]*Jb[j][k]*(k < 3 ? 1 : 6)/cube_mass[cube];
}

/* The problem of nc contacts; all cubes fall for dt, cube `hit` moves along x with `speed`. */
static aid_problem *cubes_problem(int nc, int cubes, double dt, int hit, double speed)
{
    aid_problem *a = aid_new(nc, 0, 0);
    int i, j, c, r, s;

    for (i = 0; i < nc; ++i) {
        a->mu[i] = SLIP_R(0.5);
        a->g[3*i + 2] = contacts[i].lower < 0 ? (slip_real)(-9.81*dt) : 0;
        if (contacts[i].upper == hit) a->g[3*i] += (slip_real)speed;
        if (contacts[i].lower == hit) a->g[3*i] -= (slip_real)speed;
        for (j = 0; j < nc; ++j) {
            double G[3][3] = { { 0 } };

            for (c = 0; c < cubes; ++c) add_block(&contacts[i], &contacts[j], c, G);
            for (r = 0; r < 3; ++r) for (s = 0; s < 3; ++s) a->G[(3*i + r)*3*nc + 3*j + s] = (slip_real)G[r][s];
        }
    }
    a->p.G.symmetric = 1;
    return a;
}

/* Four contacts below the cube's corners, on whatever carries them. */
static void stand_on(int cube, int left, int right, cube_contact *c)
{
    int k;

    for (k = 0; k < 4; ++k) {
        c[k].upper = cube;
        c[k].lower = k & 1 ? right : left;
        c[k].at[0] = cube_at[cube][0] + (k & 1 ? 0.5 : -0.5);
        c[k].at[1] = cube_at[cube][1] + (k & 2 ? 0.5 : -0.5);
        c[k].at[2] = cube_at[cube][2] - 0.5;
    }
}

/* Rows of 5, 4, 3, 2 and 1 cubes, each on the gap between two below. */
static aid_problem *wall(double heavier)
{
    int row, k, cube = 0, first = 0;

    for (row = 0; row < 5; ++row) {
        for (k = 0; k < 5 - row; ++k, ++cube) {
            cube_mass[cube] = pow(heavier, row);
            cube_at[cube][0] = k*1.1 + row*0.55;
            cube_at[cube][1] = 0;
            cube_at[cube][2] = row + 0.5;
            stand_on(cube, row ? first - (5 - row + 1) + k : -1, row ? first - (5 - row + 1) + k + 1 : -1,
                     contacts + 4*cube);
        }
        first = cube;
    }
    return cubes_problem(CONTACTS, CUBES, 1e-3, CUBES - 1, 0.05);
}

static aid_problem *pair(double lower, double upper)
{
    cube_mass[0] = lower;
    cube_mass[1] = upper;
    memset(cube_at, 0, sizeof cube_at);
    cube_at[0][2] = 0.5;
    cube_at[1][2] = 1.5;
    stand_on(0, -1, -1, contacts);
    stand_on(1, 0, 0, contacts + 4);
    return cubes_problem(8, 2, 1e-3, -1, 0);
}

static slip_status solve_by(const char *id, const slip_problem *p, const slip_solver_options *o, slip_solution *sol)
{
    const slip_solver *s = slip_solver_find(id);
    slip_status status;

    TEST_ASSERT_NOT_NULL(s);
    status = aid_solve(s->solve, s->bytes, p, o, 0, lambda, sigma, sol);
    TEST_ASSERT_MESSAGE(status >= 0 && slip_all_finite(lambda, p->n), id);
    return status;
}

/* The judge's word, relative to the load: a tonne's impulse times rounding in G lambda is 1e-9 J in single pieces. */
static double judged(const slip_problem *p, const slip_solver_options *o)
{
    slip_residual r;

    slip_residual_of(p, lambda, sigma, &r);
    return (double)slip_residual_excess(&r, o->tol, o->tol_rule);
}

static void must_solve(const char *id, aid_problem *a, slip_tol_rule rule)
{
    slip_solver_options o = slip_solver_defaults();
    slip_solution sol;

    o.tol = SLIP_R(1e-9);
    o.tol_rule = rule;
    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, solve_by(id, &a->p, &o, &sol), id);
    TEST_ASSERT_MESSAGE(judged(&a->p, &o) <= 1, id);
}

/* Not to 1e-9, not even to 1e-6: says so, and reports a residual that is the one of what it returns. */
static void must_stall(const char *id, aid_problem *a)
{
    slip_solver_options o = slip_solver_defaults();
    slip_residual r;
    slip_solution sol;
    slip_status status;

    o.tol = SLIP_R(1e-9);
    status = solve_by(id, &a->p, &o, &sol);
    TEST_ASSERT_MESSAGE(status == SLIP_STALLED || status == SLIP_MAX_ITERS, id);
    slip_residual_of(&a->p, lambda, sigma, &r);
    TEST_ASSERT_MESSAGE(r.eps_abs > SLIP_R(1e-6), id);
    TEST_ASSERT_MESSAGE(sol.residual.eps_abs == r.eps_abs, id);
}

static const char *const per_contact[] = { "lcp-pgs", "ccp-pgs", "raisim-bisection", "raisim-golden", "raisim-quartic",
                                           "ncp-pgs", "lcp-gs", "ccp-gs", "raisim-newton", "ncp-gs" };
enum { PER_CONTACT = (int)(sizeof per_contact/sizeof *per_contact) };

static void test_a_wall_of_15_cubes_up_to_1e4_kg_is_solved_to_1e_9_by_admm_newton_and_default(void)
{
    aid_problem *a = wall(10);

    if (sizeof(slip_real) == 4) { aid_free(a);  TEST_IGNORE_MESSAGE("skipped: 1e-9 needs double precision"); }
    must_solve("ncp-admm", a, SLIP_TOL_ABSOLUTE);
    must_solve("ncp-newton", a, SLIP_TOL_ABSOLUTE);
    must_solve("default", a, SLIP_TOL_ABSOLUTE);
    aid_free(a);
}

/* The wall carries its weight: the ground's normal impulses add up to m g dt. */
static void test_the_ground_carries_the_wall(void)
{
    aid_problem *a = wall((double)SLIP_TOL(10, 2));
    slip_solution sol;
    double sum = 0, weight = 0;
    int i;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, solve_by("ncp-admm", &a->p, NULL, &sol));
    for (i = 0; i < CONTACTS; ++i) if (contacts[i].lower < 0) sum += (double)lambda[3*i + 2];
    for (i = 0; i < CUBES; ++i) weight += cube_mass[i]*9.81e-3;
    TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-4, 1e-2)*weight, weight, sum);
    aid_free(a);
}

static void test_per_contact_solvers_stall_on_the_wall_and_say_so(void)
{
    aid_problem *a = wall(10);
    int k;

    for (k = 0; k < PER_CONTACT; ++k) must_stall(per_contact[k], a);
    aid_free(a);
}

static void test_with_equal_masses_they_do_not(void)
{
    aid_problem *a = wall(1);
    slip_solver_options o = slip_solver_defaults();
    slip_solution sol;

    o.tol = SLIP_TOL(1e-5, 1e-3);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, solve_by("ncp-pgs", &a->p, &o, &sol));
    aid_free(a);
}

static void test_a_tonne_on_a_gram_is_solved_to_1e_9_by_admm_and_default(void)
{
    aid_problem *a = pair(1e-3, 1e3);

    if (sizeof(slip_real) == 4) { aid_free(a);  TEST_IGNORE_MESSAGE("skipped: 1e-9 needs double precision"); }
    must_solve("ncp-admm", a, SLIP_TOL_RELATIVE);
    must_solve("default", a, SLIP_TOL_RELATIVE);
    aid_free(a);
}

static void test_per_contact_solvers_stall_on_a_tonne_on_a_gram_and_say_so(void)
{
    aid_problem *a = pair(1e-3, 1e3);
    int k;

    for (k = 0; k < PER_CONTACT; ++k) must_stall(per_contact[k], a);
    aid_free(a);
}

/* A weight on what cannot move: impulses grow without end along a direction that G does not feel. */
static void test_a_problem_without_a_solution_ends_as_diverged(void)
{
    static const char *const ids[] = { "ncp-admm", "ccp-admm", "default" };
    aid_problem *a = aid_new(2, 0, 0);
    int i, k;

    for (i = 0; i < 3; ++i) {                               /* two contacts from both sides, pressed together */
        a->G[7*i] = a->G[7*(i + 3)] = 1;
        a->G[6*i + i + 3] = a->G[6*(i + 3) + i] = -1;
    }
    a->mu[0] = a->mu[1] = SLIP_R(0.5);
    a->g[2] = a->g[5] = -1;
    for (k = 0; k < 3; ++k) {
        slip_solution sol;
        const slip_status status = solve_by(ids[k], &a->p, NULL, &sol);

        if (sizeof(slip_real) == 4 || k == 2) {             /* growth drowns in rounding; default does not watch it */
            TEST_ASSERT(status > SLIP_OK);
            continue;
        }
        TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_DIVERGED, status, ids[k]);
        TEST_ASSERT(sol.iterations <= 6000);
    }
    aid_free(a);
}

/* One contact that G moves in a single, oblique direction only, and g elsewhere: no impulse is an answer, ever larger
 * ones look ever so slightly better against their own size. The default neither tries for ever nor hands one out. */
static void test_without_a_solution_the_default_returns_no_wild_impulse(void)
{
    static const slip_real J[3] = { SLIP_R(0.496911), SLIP_R(0.707507), SLIP_R(0.0440471) };
    const slip_tol_rule rules[] = { SLIP_TOL_AUTO, SLIP_TOL_RELATIVE };
    aid_problem *a = aid_new(1, 0, 0);
    slip_solver_options opt = slip_solver_defaults();
    slip_solution sol;
    int i, k;

    for (i = 0; i < 9; ++i) a->G[i] = J[i/3]*J[i % 3];
    a->p.G.symmetric = 1;
    a->mu[0] = SLIP_R(0.551);
    a->g[0] = SLIP_R(-0.271);
    a->g[1] = SLIP_R(0.241);
    a->g[2] = SLIP_R(-0.127);
    for (k = 0; k < 2; ++k) {
        opt.tol_rule = rules[k];
        TEST_ASSERT(solve_by("default", &a->p, &opt, &sol) > SLIP_OK);
        TEST_ASSERT(sol.iterations <= 20000);
        TEST_ASSERT(sol.residual.lambda_max <= SLIP_R(1e8));
    }
    aid_free(a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_wall_of_15_cubes_up_to_1e4_kg_is_solved_to_1e_9_by_admm_newton_and_default);
    RUN_TEST(test_the_ground_carries_the_wall);
    RUN_TEST(test_per_contact_solvers_stall_on_the_wall_and_say_so);
    RUN_TEST(test_with_equal_masses_they_do_not);
    RUN_TEST(test_a_tonne_on_a_gram_is_solved_to_1e_9_by_admm_and_default);
    RUN_TEST(test_per_contact_solvers_stall_on_a_tonne_on_a_gram_and_say_so);
    RUN_TEST(test_a_problem_without_a_solution_ends_as_diverged);
    RUN_TEST(test_without_a_solution_the_default_returns_no_wild_impulse);
    return UNITY_END();
}
