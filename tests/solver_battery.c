/* See solver_battery.h. */
#include "solver_battery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/barrier.h"
#include "unity.h"

const slip_solver *battery_solver;
slip_step_rule battery_step = SLIP_STEP_MAX;

enum { BATTERY_ROWS = 64 };
#define BATTERY_BARRIER SLIP_TOL(1e-3, 1e-2)
static slip_real battery_lambda[BATTERY_ROWS], battery_sigma[BATTERY_ROWS], battery_other[BATTERY_ROWS];

static int is_barrier(void) { return battery_solver->model == SLIP_MODEL_BARRIER; }

static slip_solver_options battery_options(void)
{
    slip_solver_options o = slip_solver_defaults();

    o.barrier = BATTERY_BARRIER;
    o.step = battery_step;
    if (is_barrier()) o.tol = SLIP_TOL(1e-6, 1e-3);      /* its gradient has terms t/f_n that cancel */
    return o;
}

slip_real battery_excess(const slip_problem *p, const slip_solver_options *opt, const slip_real *lambda)
{
    slip_real sigma[3*BATTERY_ROWS], scratch[3*BATTERY_ROWS];
    slip_residual r;
    int i;

    slip_problem_sigma(p, lambda, sigma);
    if (is_barrier()) slip_barrier_residual(p, opt->barrier, opt->elastic, lambda, sigma, scratch, &r);
    else {
        if (opt->regularization > 0) {
            slip_problem_diagonal(p, scratch);
            for (i = 0; i < p->n; ++i) sigma[i] += opt->regularization*scratch[i]*lambda[i];
        }
        slip_residual_at(p, battery_solver->model, opt->facets, lambda, sigma, &r);
    }
    return slip_residual_excess(&r, opt->tol, opt->tol_rule);
}

/* Solves cold and demands SLIP_OK by the model's own criterion. */
static slip_solution battery_solve(const slip_problem *p, const slip_solver_options *opt, const char *what)
{
    slip_solution sol;
    slip_status status = aid_solve(battery_solver->solve, battery_solver->bytes, p, opt, 0, battery_lambda,
                                   battery_sigma, &sol);

    TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_OK, status, what);
    TEST_ASSERT_MESSAGE(battery_excess(p, opt, battery_lambda) <= 1, what);
    return sol;
}

/* A cube on a plane, pushed sideways a little above what friction holds when `slide`. */
static aid_problem *battery_cube(int slide)
{
    return aid_incline(2, slide ? SLIP_R(0.6) : SLIP_R(0.3), SLIP_R(0.5), SLIP_R(0.01));
}

void battery_no_contacts_is_a_valid_problem(void)
{
    slip_problem p = slip_problem_dense(0, NULL, NULL, NULL, 0);
    slip_solution sol;

    TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(battery_solver->solve, battery_solver->bytes, &p, NULL, 0,
                                             battery_lambda, NULL, &sol));
    TEST_ASSERT_EQUAL_INT(0, sol.iterations);
}

void battery_free_flight_needs_no_impulse(void)
{
    aid_problem *a = battery_cube(0);
    slip_solver_options o = battery_options();
    slip_solution sol;
    int i;

    for (i = 0; i < 4; ++i) slip_set3(0, 0, 1, a->g + 3*i);
    aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0, battery_lambda, NULL, &sol);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, sol.status);
    for (i = 0; i < 12; ++i) {              /* the barrier pushes by about t/v from a distance */
        const double most = is_barrier() ? 3*(double)o.barrier : 0;

        TEST_ASSERT_DOUBLE_WITHIN(most, 0, (double)battery_lambda[i]);
    }
    aid_free(a);
}

void battery_bad_input_is_refused(void)
{
    aid_problem *a = battery_cube(1);
    slip_solver_options o = battery_options();
    slip_solution sol;
    const slip_real g = a->g[4];

    a->g[4] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0,
                                                       battery_lambda, NULL, &sol));
    a->g[4] = g;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 9,
                                                       battery_lambda, NULL, &sol));
    memset(battery_lambda, 0, sizeof battery_lambda);
    battery_lambda[7] = (slip_real)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 12,
                                                       battery_lambda, NULL, &sol));
    a->mu[2] = SLIP_R(-0.1);
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0,
                                                       battery_lambda, NULL, &sol));
    a->mu[2] = SLIP_R(0.5);
    o.tol = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0,
                                                       battery_lambda, NULL, &sol));
    aid_free(a);
}

void battery_one_byte_short_is_an_error_that_changes_nothing(void)
{
    aid_problem *a = battery_cube(1);
    slip_solver_options o = battery_options();
    slip_solution sol = slip_solution_over(battery_lambda, battery_sigma, NULL);
    const size_t need = battery_solver->bytes(&a->p, &o) - (SLIP_ALIGN - 1);   /* for an aligned block */
    void *block = malloc(need + SLIP_ALIGN);
    unsigned char *aligned = (unsigned char *)block + (SLIP_ALIGN - (uintptr_t)block % SLIP_ALIGN);
    slip_arena arena = slip_arena_over(aligned, need - 1);
    int i;

    for (i = 0; i < 12; ++i) battery_lambda[i] = battery_sigma[i] = 7;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_WORKSPACE, battery_solver->solve(&a->p, &o, &sol, &arena));
    TEST_ASSERT_EQUAL_INT(0, (int)slip_arena_mark(&arena));
    for (i = 0; i < 12; ++i) TEST_ASSERT(battery_lambda[i] == 7 && battery_sigma[i] == 7);
    arena = slip_arena_over(aligned, need);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, battery_solver->solve(&a->p, &o, &sol, &arena));
    TEST_ASSERT_EQUAL_INT(0, (int)slip_arena_mark(&arena));
    free(block);
    aid_free(a);
}

void battery_random_problems_are_solved_by_the_models_own_criterion(void)
{
    slip_random rng = slip_random_seed(11);
    slip_solver_options o = battery_options();
    char what[64];
    int k;

    for (k = 0; k < 200; ++k) {
        const int nc = 1 + k % 5;
        aid_problem *a = aid_new(nc, 0, 0);

        aid_random(&rng, 3*nc + 12, 1, a);
        sprintf(what, "problem %d of %d contacts", k, nc);
        battery_solve(&a->p, &o, what);
        aid_free(a);
    }
}

void battery_limits_and_bilateral_rows_are_solved(void)
{
    slip_random rng = slip_random_seed(12);
    slip_solver_options o = battery_options();
    int k;

    for (k = 0; k < 60; ++k) {
        aid_problem *a = aid_new(k % 3, 1 + k % 2, k % 4);

        aid_random(&rng, a->p.n + 12, 1, a);
        if (battery_solver->takes & SLIP_TAKES_BILATERAL) {
            battery_solve(&a->p, &o, "contacts, limits and bilateral rows");
        } else {
            slip_solution sol;
            const slip_status want = a->p.nb > 0 ? SLIP_ERR_UNSUPPORTED : SLIP_OK;

            TEST_ASSERT_EQUAL_INT(want, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0,
                                                  battery_lambda, NULL, &sol));
        }
        aid_free(a);
    }
}

void battery_compliance_is_part_of_the_problem(void)
{
    slip_random rng = slip_random_seed(13);
    slip_solver_options o = battery_options();
    int k, i;

    for (k = 0; k < 60; ++k) {
        aid_problem *a = aid_new(1 + k % 4, k % 2, 0);

        aid_random(&rng, a->p.n + 9, 1, a);
        for (i = 0; i < a->p.n; ++i) a->R[i] = slip_random_uniform(&rng, 0, SLIP_R(0.5));
        for (i = 0; i < a->p.nc; ++i) a->R[3*i + 1] = a->R[3*i];
        a->p.R = a->R;
        battery_solve(&a->p, &o, "compliant contacts");
        aid_free(a);
    }
}

/* eta and rho of the printed ADMMs are in 1/kg: other masses mean another course, and a light body next to a heavy one
 * is done when the heavy one is. */
static int battery_has_units(void) { return strstr(battery_solver->id, "-admm") != NULL; }

void battery_scale_does_not_matter(void)
{
    static const double factor[] = { 1e-6, 1e-3, 1e3, 1e6 };
    slip_solver_options o = battery_options();
    int k, j, i;

    o.tol_rule = SLIP_TOL_RELATIVE;
    for (k = 0; k < 8; ++k) {
        slip_random rng = slip_random_seed(140 + (uint64_t)(k % 2));
        const slip_real m = k < 4 ? (slip_real)factor[k] : 1, l = k < 4 ? 1 : (slip_real)factor[k - 4];
        aid_problem *a, *b;
        slip_solution first, second;

        if (battery_has_units() && sizeof(slip_real) == 4 && k < 4) continue;    /* eta has no digits there */
        a = aid_new(3, 1, 0);
        b = aid_new(3, 1, 0);
        aid_random(&rng, 24, 1, a);
        memcpy(b->G, a->G, (size_t)(a->p.n*a->p.n)*sizeof(slip_real));
        memcpy(b->g, a->g, (size_t)a->p.n*sizeof(slip_real));
        memcpy(b->mu, a->mu, 3*sizeof(slip_real));
        aid_scale(m, l, b);
        o.barrier = BATTERY_BARRIER;
        first = battery_solve(&a->p, &o, "unscaled");
        memcpy(battery_other, battery_lambda, sizeof battery_other);
        o.barrier = BATTERY_BARRIER*m*l*l;                   /* an energy */
        o.elastic = 10*m*l;
        second = battery_solve(&b->p, &o, "scaled");
        o.elastic = 10;
        if (k >= 4 || !battery_has_units())
            TEST_ASSERT_INT_WITHIN_MESSAGE((unsigned)(3 + first.iterations/5), first.iterations, second.iterations,
                                           "iterations");
        for (i = 0, j = 0; i < a->p.n; ++i)
            if (slip_abs(battery_lambda[i]/(m*l) - battery_other[i]) > SLIP_TOL(1e-3, 3e-2)) j = i + 1;
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, j, "row of another impulse");
        aid_free(a);
        aid_free(b);
    }
}

void battery_a_warm_start_from_the_answer_is_the_answer(void)
{
    slip_solver_options o = battery_options();
    int slide;

    for (slide = 0; slide < 2; ++slide) {
        aid_problem *a = battery_cube(slide);
        slip_solution sol;

        battery_solve(&a->p, &o, "cold");
        memcpy(battery_other, battery_lambda, sizeof battery_other);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 12,
                                                 battery_lambda, battery_sigma, &sol));
        TEST_ASSERT_MESSAGE(sol.iterations <= (is_barrier() ? 12 : 1), "a warm start takes no time");
        TEST_ASSERT(battery_excess(&a->p, &o, battery_lambda) <= 1);
        aid_free(a);
    }
}

void battery_redundant_contacts_are_solved(void)
{
    aid_problem *a = battery_cube(1), *b = aid_new(8, 0, 0);
    slip_solver_options o = battery_options();
    slip_real out[3] = { 0, 0, 0 };
    int i, j;

    for (i = 0; i < 24; ++i) {                              /* every contact twice: rank 6 of 24 rows */
        for (j = 0; j < 24; ++j) b->G[24*i + j] = a->G[12*(i % 12) + j % 12];
        b->g[i] = a->g[i % 12];
        if (i < 8) b->mu[i] = a->mu[i % 4];
    }
    battery_solve(&b->p, &o, "eight contacts of a cube");
    for (i = 0; i < 8; ++i) slip_add3(out, battery_lambda + 3*i, out);
    if (!is_barrier())                                      /* they carry the weight, m g cos(angle) dt */
        TEST_ASSERT_DOUBLE_WITHIN(battery_solver->model == SLIP_MODEL_CCP ? 0.2 : (double)SLIP_TOL(1e-3, 2e-2),
                                  2*9.81*0.01*cos(0.6), (double)out[2]);
    aid_free(a);
    aid_free(b);
}

void battery_without_friction_there_is_no_tangential_impulse(void)
{
    aid_problem *a = battery_cube(1);
    slip_solver_options o = battery_options();
    double sum = 0;
    int i;

    for (i = 0; i < 4; ++i) a->mu[i] = 0;
    battery_solve(&a->p, &o, "no friction");
    for (i = 0; i < 4; ++i) {
        TEST_ASSERT(battery_lambda[3*i] == 0 && battery_lambda[3*i + 1] == 0);
        sum += (double)battery_lambda[3*i + 2];
    }
    TEST_ASSERT_DOUBLE_WITHIN(is_barrier() ? 1 : 1e-4, 2*9.81*0.01*cos(0.6), sum);
    aid_free(a);
}

void battery_with_infinite_friction_nothing_slips(void)
{
    aid_problem *a = battery_cube(1);
    slip_solver_options o = battery_options();
    int i;

    for (i = 0; i < 4; ++i) a->mu[i] = (slip_real)INFINITY;
    battery_solve(&a->p, &o, "infinite friction");
    for (i = 0; i < 4; ++i)
        TEST_ASSERT_DOUBLE_WITHIN(is_barrier() ? 0.1 : 1e-3, 0, (double)slip_norm2(battery_sigma + 3*i));
    aid_free(a);
}

static void battery_hear(void *context, const slip_iteration *it)
{
    int *state = (int *)context;                            /* calls, last iteration, disorder */

    if (it->iteration < state[1] || !it->phase || !(it->eps_dual >= 0)) state[2] = 1;
    state[0]++;
    state[1] = it->iteration;
}

void battery_history_counts_upwards(void)
{
    aid_problem *a = battery_cube(1);
    slip_solver_options o = battery_options();
    int state[3] = { 0, 0, 0 };

    o.history = battery_hear;
    o.history_context = state;
    battery_solve(&a->p, &o, "with a history");
    TEST_ASSERT(state[0] > 0);
    TEST_ASSERT_EQUAL_INT(0, state[2]);
    aid_free(a);
}

void battery_the_limit_returns_an_honest_iterate(void)
{
    aid_problem *a = battery_cube(1);
    slip_solver_options o = battery_options();
    slip_solution sol;
    slip_status status;

    o.max_iterations = 1;
    o.tol = SLIP_TOL(1e-10, 1e-6);
    status = aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, &o, 0, battery_lambda, NULL, &sol);
    TEST_ASSERT(status == SLIP_OK || status == SLIP_MAX_ITERS || status == SLIP_STALLED);
    TEST_ASSERT(slip_all_finite(battery_lambda, 12));
    TEST_ASSERT_MESSAGE((status == SLIP_OK) == (battery_excess(&a->p, &o, battery_lambda) <= 1), "says what it did");
    TEST_ASSERT(sol.iterations <= 1);
    aid_free(a);
}

void battery_the_same_input_gives_the_same_bits(void)
{
    aid_problem *a = battery_cube(1);
    slip_solver_options o = battery_options();

    battery_solve(&a->p, &o, "once");
    memcpy(battery_other, battery_lambda, 12*sizeof(slip_real));
    battery_solve(&a->p, &o, "twice");
    TEST_ASSERT_EQUAL_INT(0, memcmp(battery_other, battery_lambda, 12*sizeof(slip_real)));
    aid_free(a);
}

void battery_all_forms_of_G_agree(void)
{
    static unsigned char memory[1 << 16];
    slip_arena arena = slip_arena_over(memory, sizeof memory);
    slip_random rng = slip_random_seed(15);
    slip_solver_options o = battery_options();
    aid_problem *a = aid_new(4, 2, 0);
    slip_problem blocks;
    int i, j, n;

    aid_random(&rng, 30, 1, a);
    n = a->p.n;
    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j)         /* two islands: half of the blocks vanish */
        if ((i < 6) != (j < 6)) a->G[i*n + j] = 0;
    blocks = a->p;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_problem_to_blocks(&blocks, &arena));
    battery_solve(&a->p, &o, "dense");
    memcpy(battery_other, battery_lambda, sizeof battery_other);
    battery_solve(&blocks, &o, "blocks");
    for (i = 0; i < n; ++i)
        TEST_ASSERT_DOUBLE_WITHIN(SLIP_TOL(1e-5, 1e-2), (double)battery_other[i], (double)battery_lambda[i]);
    aid_free(a);
}

void battery_G_counts_as_given_when_slightly_asymmetric(void)
{
    slip_random rng = slip_random_seed(16);
    slip_solver_options o = battery_options();
    int k, i, j;

    for (k = 0; k < 20; ++k) {
        aid_problem *a = aid_new(3, 0, 0);

        aid_random(&rng, 24, 1, a);
        for (i = 0; i < 9; ++i) for (j = 0; j < i; ++j) a->G[9*i + j] += SLIP_R(1e-3)*slip_random_normal(&rng);
        battery_solve(&a->p, &o, "asymmetric G");
        aid_free(a);
    }
}

/* ---- what only some solvers are asked to do ------------------------------------------------------------- */

/* A point locked sideways, one locked altogether and leaving, and an ordinary one: rank 4 of 9 rows, two zero columns
 * too many for any inverse. */
void battery_a_singular_G_does_no_harm(void)
{
    aid_problem *a = aid_new(3, 0, 0);
    slip_solver_options o = battery_options();
    int i;

    a->G[2*9 + 2] = 2;
    for (i = 6; i < 9; ++i) a->G[9*i + i] = 1;
    for (i = 0; i < 3; ++i) a->mu[i] = SLIP_R(0.5);
    a->g[2] = -1;
    a->g[5] = SLIP_R(0.5);
    a->g[6] = 1;
    a->g[8] = -1;
    battery_solve(&a->p, &o, "singular G");
    if (!is_barrier()) {                                    /* the barrier pushes on what is near, too */
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-4, 1e-2), 0.5, (double)battery_lambda[2]);
        for (i = 3; i < 6; ++i) TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-4, 1e-2), 0, (double)battery_lambda[i]);
    }
    aid_free(a);
}

/* 10^-6 kg and 10^6 kg side by side: each gets the answer it gets alone. The criterion, relative to the largest impulse
 * of all, does not ask that of the light one, and interior points stop when it is met: only the heavy one counts. */
void battery_tiny_and_huge_masses_side_by_side(void)
{
    const slip_real light = SLIP_TOL(1e-6, 1e-2), heavy = SLIP_TOL(1e6, 1e2);
    aid_problem *a = aid_new(2, 0, 0), *b = aid_new(1, 0, 0);
    slip_solver_options o = battery_options();
    slip_random rng = slip_random_seed(77);
    slip_real G[9];
    int i, j;

    o.tol_rule = SLIP_TOL_RELATIVE;
    aid_random_block(&rng, SLIP_R(0.5), 2, G);
    for (i = 0; i < 3; ++i) for (j = 0; j < 3; ++j) {
        a->G[6*i + j] = G[3*i + j]/light;
        a->G[6*(i + 3) + j + 3] = G[3*i + j]/heavy;
        b->G[3*i + j] = G[3*i + j];
    }
    a->mu[0] = a->mu[1] = b->mu[0] = SLIP_R(0.4);
    for (i = 0; i < 6; ++i) a->g[i] = b->g[i % 3] = i % 3 == 2 ? SLIP_R(-0.5) : i % 3 == 0 ? SLIP_R(0.7) : SLIP_R(0.2);
    if (is_barrier()) o.tol = SLIP_TOL(1e-6, 1e-2);
    battery_solve(&b->p, &o, "1 kg");
    memcpy(battery_other, battery_lambda, sizeof battery_other);
    battery_solve(&a->p, &o, "1e-6 kg and 1e6 kg");
    i = strcmp(battery_solver->id, "ncp-path") == 0 || strcmp(battery_solver->id, "ncp-ipm") == 0
     || battery_has_units() ? 3 : 0;
    for (; i < 6 && !is_barrier(); ++i)                     /* the barrier's weight is an energy, and so of a size */
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-4, 3e-2), (double)battery_other[i % 3],
                                  (double)(battery_lambda[i]/(i < 3 ? light : heavy)));
    aid_free(a);
    aid_free(b);
}

int battery_singles = 100000, battery_rare = 0;

/* One contact, all others held: sticks, slides or opens, with any coupling. The answer must be one of those that a scan
 * of all directions finds; errors count against the impulse that g alone asks for. */
void battery_single_contacts_agree_with_brute_force_to_1e_9(void)
{
    const int rare = battery_rare + (sizeof(slip_real) == 4 ? battery_singles/200 : 0);
    slip_random rng = slip_random_seed(21);
    slip_solver_options o = slip_solver_defaults();
    int k, i, cases[3] = { 0, 0, 0 }, unsolved = 0;
    char text[64];

    o.tol = SLIP_TOL(1e-13, 1e-5);
    o.tol_rule = SLIP_TOL_RELATIVE;
    for (k = 0; k < battery_singles; ++k) {
        slip_real G[9], g[3], x[3], sigma[3], mu = slip_random_uniform(&rng, 0, SLIP_R(1.5));
        slip_problem p = slip_problem_dense(1, &mu, g, G, 3);
        slip_solution sol;
        double size, error;

        aid_random_block(&rng, SLIP_R(0.1), 10, G);
        for (i = 0; i < 3; ++i) g[i] = slip_random_normal(&rng);
        aid_solve(battery_solver->solve, battery_solver->bytes, &p, &o, 0, x, sigma, &sol);
        if (slip_residual_excess(&sol.model, SLIP_TOL(1e-12, 1e-4), o.tol_rule) > 1) {
            TEST_ASSERT_MESSAGE(sol.status != SLIP_OK, "an unsolved case passed for solved");
            ++unsolved;
            continue;
        }
        size = sqrt((double)slip_dot3(x, x));
        error = aid_brute_distance(G, g, mu, battery_solver->model, x)*size;
        TEST_ASSERT_DOUBLE_WITHIN((double)SLIP_TOL(1e-9, 1e-2)*(size + sqrt((double)slip_dot3(g, g))/10), 0, error);
        cases[x[2] <= 0 ? 0 : slip_norm3(sigma) < SLIP_TOL(1e-9, 1e-3) ? 1 : 2]++;
    }
    sprintf(text, "it gave up on %d cases", unsolved);
    TEST_ASSERT_MESSAGE(unsolved <= rare, text);
    for (k = 0; k < 3; ++k) TEST_ASSERT_MESSAGE(cases[k] > battery_singles/20, "open, stick and slide");
}

/* A cube on an incline: rests up to the friction angle, and beyond it slides off with g (sin a - mu cos a). At 0.999 of
 * the angle a slip of eps_c/(0.001 mu lambda_n) still passes for sticking: hence the tolerance. */
void battery_a_block_on_an_incline_holds_to_the_friction_angle_and_slides_beyond(void)
{
    static const double over[] = { 0.9, 0.999, 1, 1.001, 1.2, 2 };
    const double mu = 0.5, dt = 0.01;
    slip_solver_options o = slip_solver_defaults();
    int k, i;

    for (k = 0; k < 6; ++k) {
        const double angle = atan(mu)*over[k], slides = dt*9.81*(sin(angle) - mu*cos(angle));
        aid_problem *a = aid_incline(3, (slip_real)angle, (slip_real)mu, (slip_real)dt);

        o.tol = over[k] == 1 ? SLIP_TOL(1e-6, 1e-4) : SLIP_TOL(1e-9, 1e-5);      /* sweeps creep between the cases */
        battery_solve(&a->p, &o, "incline");
        for (i = 0; i < 4; ++i)
            TEST_ASSERT_DOUBLE_WITHIN(over[k] == 1 ? 5e-3 : (double)SLIP_TOL(3e-5, 5e-3), slides > 0 ? slides : 0,
                                      (double)battery_sigma[3*i]);
        aid_free(a);
    }
}

/* Five cubes, the heaviest on top (1 : 10^4): Gauss-Seidel creeps, and has to say so. */
void battery_a_stack_with_a_light_bottom_stalls_and_says_so(void)
{
    aid_problem *a = aid_load("../shared/problems/pinocchio/stack5_light_bottom.txt");
    slip_solution sol;
    slip_status status;

    if (!a) TEST_IGNORE_MESSAGE("skipped: ../shared/problems not present");
    status = aid_solve(battery_solver->solve, battery_solver->bytes, &a->p, NULL, 0, battery_lambda, NULL, &sol);
    TEST_ASSERT(status == SLIP_STALLED || status == SLIP_MAX_ITERS);
    TEST_ASSERT(sol.model.eps_abs > SLIP_R(1e-4));
    TEST_ASSERT(slip_all_finite(battery_lambda, 60));
    aid_free(a);
}

void battery_the_robots_of_the_shared_problems_are_solved(void)
{
    static const char *const name[] = { "solo12_stand", "solo12_limp", "solo12_push", "talos_limp", "talos_push" };
    slip_solver_options o = battery_options();
    char path[96];
    int k;

    for (k = 0; k < 5; ++k) {
        aid_problem *a;

        sprintf(path, "../shared/problems/pinocchio/%s.txt", name[k]);
        a = aid_load(path);
        if (!a) TEST_IGNORE_MESSAGE("skipped: ../shared/problems not present");
        battery_solve(&a->p, &o, name[k]);
        aid_free(a);
    }
}
