/* Budgets: no loop takes more iterations, or goes on after the deadline, than it is given; what is returned then is
 * inside the cones, and says so. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "unity.h"
#include "slipstick_parts.h"
#include "contact_aid.h"
#include "scene_aid.h"

enum { ROWS = 400, SINGLE = sizeof(slip_real) == sizeof(float) };

void setUp(void) { aid_forget(); }
void tearDown(void) { }

/* ---- single solves ---------------------------------------------------------------------------------------------- */

/* Largest |x_T| - mu x_N of the contacts and -x of the limits. */
static double outside(const slip_problem *p, const slip_real *x)
{
    double most = 0;
    int i;

    for (i = 0; i < p->nc; ++i) {
        const double t = hypot((double)x[3*i], (double)x[3*i + 1]), n = (double)x[3*i + 2];

        most = fmax(most, fmax(t - (double)p->mu[i]*n, -n));
    }
    for (i = 3*p->nc; i < 3*p->nc + p->nl; ++i) most = fmax(most, -(double)x[i]);
    return most;
}

static slip_status solve(const slip_solver *s, const slip_problem *p, const slip_solver_options *opt, int warm,
                         slip_real *lambda, slip_solution *sol)
{
    const size_t bytes = slip_solve_bytes(s, p, opt);
    void *block = malloc(bytes);
    slip_arena mem = slip_arena_over(block, bytes);
    slip_status status;

    TEST_ASSERT_NOT_NULL(block);
    *sol = slip_solution_over(lambda, NULL, NULL);
    sol->warm = warm ? p->n : 0;
    status = slip_solve(s, p, opt, sol, &mem);
    free(block);
    return status;
}

/* A redundant problem with limits that takes every solver many iterations. */
static aid_problem *hard_problem(int seed)
{
    slip_random rng = slip_random_seed((uint64_t)seed);
    aid_problem *a = aid_new(8, 2, 0);
    int i;

    for (i = 0; i < 8; ++i) a->mu[i] = SLIP_R(0.6);
    aid_random(&rng, 14, 1, a);
    return a;
}

static void check_budget(const slip_solver *s, const slip_problem *p, long iterations)
{
    slip_solver_options opt = slip_solver_defaults();
    slip_budget budget = { 0, NULL, NULL, 0, 0, 0, 0, 0, 0 };
    slip_real lambda[ROWS] = { 0 }, sigma[ROWS];
    slip_residual r;
    slip_solution sol;
    slip_status status;

    opt.budget = &budget;
    budget.left = iterations;
    status = solve(s, p, &opt, 0, lambda, &sol);
    if (status == SLIP_ERR_UNSUPPORTED) return;
    TEST_ASSERT_TRUE_MESSAGE(status >= 0, s->id);
    TEST_ASSERT_TRUE_MESSAGE(budget.taken + budget.left == iterations
                             && budget.taken <= iterations, s->id);
    TEST_ASSERT_TRUE_MESSAGE(status == SLIP_OK || status == SLIP_DEADLINE || !budget.refused, s->id);
    TEST_ASSERT_TRUE_MESSAGE(status != SLIP_DEADLINE || budget.refused, s->id);
    if (status == SLIP_DEADLINE)
        TEST_ASSERT_TRUE_MESSAGE(outside(p, lambda) <= 1e-12 + (SINGLE ? 1e-5 : 0), s->id);
    slip_residual_of(p, lambda, sigma, &r);
    TEST_ASSERT_TRUE_MESSAGE(slip_abs(r.eps_abs - sol.residual.eps_abs) <= SLIP_TOL(1e-9, 1e-3), s->id);
}

static void test_no_solver_takes_more_iterations_than_it_is_given(void)
{
    static const long given[] = { 0, 1, 2, 3, 7, 20, 100 };
    int i, k, seed;

    for (seed = 1; seed <= 3; ++seed) {
        aid_problem *a = hard_problem(seed);

        for (i = 0; i < slip_solver_count(); ++i)
            for (k = 0; k < 7; ++k) check_budget(slip_solver_get(i), &a->p, given[k]);
        aid_free(a);
    }
}

/* Nothing is left of a budget of zero: no iteration, and of the warm start, however far off that is, what creates no
 * energy. The square of the least one underflows. */
static void test_without_a_budget_the_warm_start_creates_no_energy(void)
{
    static const slip_real sizes[] = { 1, 1000, SLIP_TOL(1e-200, 1e-30) };
    aid_problem *a = hard_problem(4);
    int i, k, size;

    for (size = 0; size < 3; ++size)
        for (i = 0; i < slip_solver_count(); ++i) {
            const char *id = slip_solver_get(i)->id;
            slip_solver_options opt = slip_solver_defaults();
            slip_budget budget = { 0, NULL, NULL, 0, 0, 0, 0, 0, 0 };
            slip_real lambda[ROWS];
            slip_solution sol;

            opt.budget = &budget;
            if (size == 2) a->g[2] = 1;                    /* the least one is of a contact that opens */
            for (k = 0; k < a->p.n; ++k) lambda[k] = size == 2 && k != 2 ? 0 : sizes[size]*(slip_real)(k % 5 - 1);
            if (solve(slip_solver_get(i), &a->p, &opt, 1, lambda, &sol) == SLIP_ERR_UNSUPPORTED) continue;
            TEST_ASSERT_EQUAL_INT_MESSAGE(SLIP_DEADLINE, sol.status, id);
            TEST_ASSERT_TRUE_MESSAGE(sol.iterations == 0 && budget.taken == 0 && budget.left == 0, id);
            TEST_ASSERT_TRUE_MESSAGE(aid_energy(&a->p, lambda) <= (SINGLE ? 1e-4 : 1e-12), id);
            TEST_ASSERT_TRUE_MESSAGE(outside(&a->p, lambda) <= (SINGLE ? 1e-3 : 1e-10), id);
        }
    aid_free(a);
}

/* A budget that suffices changes nothing. */
static void test_a_budget_that_suffices_changes_no_bit(void)
{
    aid_problem *a = hard_problem(5);
    int i;

    for (i = 0; i < slip_solver_count(); ++i) {
        const slip_solver *s = slip_solver_get(i);
        slip_solver_options opt = slip_solver_defaults();
        slip_budget budget = { 1000000000, NULL, NULL, 0, 0, 0, 0, 0, 0 };
        slip_real one[ROWS] = { 0 }, two[ROWS] = { 0 };
        slip_solution sol;
        slip_status status;

        opt.max_iterations = 300;
        status = solve(s, &a->p, &opt, 0, one, &sol);
        opt.budget = &budget;
        TEST_ASSERT_EQUAL_INT(status, solve(s, &a->p, &opt, 0, two, &sol));
        TEST_ASSERT_EQUAL_MEMORY(one, two, (size_t)a->p.n*sizeof *one);
        TEST_ASSERT_TRUE_MESSAGE(status < 0 || sol.iterations == 0 || budget.taken > 0, s->id);
    }
    aid_free(a);
}

/* ---- a clock ----------------------------------------------------------------------------------------------------- */

/* Every reading takes a second; iterations that are told of after the deadline are counted. */
typedef struct { double now, until; int after; } slow_clock;

static double read_clock(void *context) { return ((slow_clock *)context)->now += 1; }

static void note_iteration(void *context, const slip_iteration *it)
{
    slow_clock *c = (slow_clock *)context;

    (void)it;
    c->after += c->now >= c->until;
}

static void test_no_solver_begins_an_iteration_after_the_deadline(void)
{
    static const double seconds[] = { 0.5, 2, 5, 30 };
    aid_problem *a = hard_problem(6);
    int i, k;

    for (i = 0; i < slip_solver_count(); ++i)
        for (k = 0; k < 4; ++k) {
            slip_solver_options opt = slip_solver_defaults();
            slow_clock clock = { 0, 0, 0 };
            slip_budget budget = { -1, read_clock, NULL, 0, 0, 0, 0, 0, 0 };
            slip_real lambda[ROWS] = { 0 };
            slip_solution sol;

            budget.clock_context = &clock;
            budget.until = clock.until = seconds[k];
            opt.budget = &budget;
            opt.history = note_iteration;
            opt.history_context = &clock;
            if (solve(slip_solver_get(i), &a->p, &opt, 0, lambda, &sol) == SLIP_ERR_UNSUPPORTED) continue;
            TEST_ASSERT_TRUE_MESSAGE(clock.after <= 1, slip_solver_get(i)->id);
            TEST_ASSERT_TRUE_MESSAGE(sol.iterations <= fmax(1, seconds[k]), slip_solver_get(i)->id);
        }
    aid_free(a);
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

static void test_shares_add_up(void)
{
    slip_budget b = { 100, NULL, NULL, 0, 0, 0, 0, 0, 0 }, half = slip_budget_share(&b, 1, 2), rest;
    int i;

    for (i = 0; i < 60; ++i) slip_budget_take(&half);
    TEST_ASSERT_EQUAL_INT(50, half.taken);
    TEST_ASSERT_TRUE(half.refused);
    slip_budget_give_back(&b, &half);
    TEST_ASSERT_TRUE(b.left == 50 && b.taken == 50 && b.refused);
    rest = slip_budget_share(&b, 1, 1);
    TEST_ASSERT_EQUAL_INT(50, rest.left);
    TEST_ASSERT_FALSE(rest.refused);
}

/* ---- searches ---------------------------------------------------------------------------------------------------- */

/* A hull of n points on an ellipsoid, in `block` of 1 MB. */
static slip_shape hull_of(slip_random *rng, int n, slip_hull *hull, void *block)
{
    static slip_real x[3*300];
    slip_arena mem = slip_arena_over(block, 1 << 20);
    int i;

    for (i = 0; i < n; ++i) {
        slip_random_unit3(rng, x + 3*i);
        x[3*i] *= SLIP_R(0.7);
        x[3*i + 1] *= SLIP_R(0.5);
    }
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_hull_build(x, n, 0, &mem, hull, NULL));
    return slip_shape_mesh(hull);
}

/* The signed distance of a pair on budgets up to its whole need, which is returned. None takes more than it has; an
 * overlap that is known has a normal that separates the shapes by its depth, which is no less than the least one. */
static long cut_everywhere(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb)
{
    slip_budget all = { -1, NULL, NULL, 0, 0, 0, 0, 0, 0 };
    slip_distance_cache cache = { { 0, 0, 0 }, 0, 0, NULL };
    slip_distance_result whole, r;
    slip_pose apart = *xb;
    slip_real eps = SLIP_TOL(1e-6, 1e-3);
    int cut = 0;
    long n;

    cache.budget = &all;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_distance(a, xa, b, xb, &cache, &whole));
    for (n = 0; n <= all.taken; n += 1 + n/7) {
        slip_budget some = { 0, NULL, NULL, 0, 0, 0, 0, 0, 0 };
        slip_distance_cache fresh = { { 0, 0, 0 }, 0, 0, NULL };
        slip_status s;

        some.left = n;
        fresh.budget = &some;
        s = slip_distance(a, xa, b, xb, &fresh, &r);
        TEST_ASSERT_TRUE(s == SLIP_OK || s == SLIP_DEADLINE);
        TEST_ASSERT_TRUE(some.taken <= n);
        cut += s == SLIP_DEADLINE;
        if (s == SLIP_OK) TEST_ASSERT_TRUE(slip_abs(r.distance - whole.distance) <= eps);
        if (s == SLIP_OK || !(r.distance < 0)) continue;
        TEST_ASSERT_TRUE(r.distance <= whole.distance + eps);
        TEST_ASSERT_TRUE(slip_abs(slip_norm3(r.normal) - 1) <= eps);
        slip_axpy3(-r.distance, r.normal, xb->p, apart.p);
        TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_distance(a, xa, b, &apart, NULL, &r));
        TEST_ASSERT_TRUE(r.distance >= -eps);
    }
    TEST_ASSERT_TRUE(cut > 0 || all.taken <= 1);
    return all.taken;
}

/* Overlaps of every kind of search: ellipsoids, cylinders, expanding polytopes, all axes of large hulls. */
static void test_searches_end_with_the_best_bound_when_their_budget_is_used_up(void)
{
    slip_random rng = slip_random_seed(9);
    slip_hull hull[2];
    void *block[2] = { malloc(1 << 20), malloc(1 << 20) };
    const slip_shape shapes[] = { slip_shape_ellipsoid(SLIP_R(0.3), SLIP_R(0.7), SLIP_R(1.1)), slip_shape_box(1, 1, 1),
                                  slip_shape_cylinder(SLIP_R(0.4), SLIP_R(0.9)), slip_shape_capsule(SLIP_R(0.2), 1),
                                  hull_of(&rng, 20, &hull[0], block[0]), hull_of(&rng, 300, &hull[1], block[1]) };
    const int count = (int)(sizeof shapes/sizeof *shapes);
    long most = 0;
    int i, j, k;

    for (i = 0; i < count; ++i)
        for (j = i; j < count; ++j)
            for (k = 0; k < 6; ++k) {
                slip_real turn[3], e[4];
                slip_pose xa, xb;

                slip_pose_identity(&xa);
                slip_random_unit3(&rng, turn);
                slip_scale3(k, turn, turn);
                slip_quat_exp(turn, e);
                slip_quat_to_mat3(e, xb.R);
                slip_random_unit3(&rng, xb.p);
                slip_scale3(SLIP_R(0.3)*(slip_real)k, xb.p, xb.p);
                most = (long)fmax((double)most, (double)cut_everywhere(&shapes[i], &xa, &shapes[j], &xb));
            }
    TEST_ASSERT_TRUE(most > 1000);                             /* ellipsoids inside one another */
    free(block[0]);
    free(block[1]);
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static slip_world *start(const char *path, int iterations)
{
    slip_scene *s = aid_open(path);

    s->world.options.step_iterations = iterations;
    return aid_start(s);
}

/* A heap that is hit: collision and the rounds of a step count too, and no step takes more than its budget. */
static void test_no_step_takes_more_than_its_budget(void)
{
    enum { BUDGET = 1000 };
    slip_world *w = start("models/bench/wall.xml", BUDGET);
    int k, late = 0;

    for (k = 0; k < 150; ++k) {
        const slip_status s = slip_step(w);
        const slip_step_stats *t = slip_world_stats(w);

        TEST_ASSERT_TRUE(s >= 0);
        TEST_ASSERT_TRUE(t->budget_taken > 0 && t->budget_taken <= BUDGET);
        TEST_ASSERT_TRUE(s != SLIP_DEADLINE || slip_world_error(w)->what[0] != '\0');
        late += s == SLIP_DEADLINE;
    }
    TEST_ASSERT_TRUE(late > 0);                            /* else the budget was none */
    TEST_ASSERT_TRUE(slip_world_stats(w)->penetration < SLIP_R(0.02));
}

/* Budgets far too small for the wall: it overlaps, and says so, but nothing flies apart. With next to no iterations it
 * overlaps by 0.2 m, and pushing that out puts energy in. */
static void test_steps_that_are_cut_short_create_no_energy(void)
{
    static const int budgets[] = { 1, 60, 90, 110 };
    int i, k, late = 0;

    for (i = 0; i < 4; ++i) {
        slip_world *w = start("models/bench/wall.xml", budgets[i]);
        const double before = aid_energy_of(w);

        for (k = 0; k < 250; ++k) late += slip_step(w) == SLIP_DEADLINE;
        TEST_ASSERT_TRUE(aid_energy_of(w) <= before*(i == 0 ? 1.1 : 1 + 1e-3));
        aid_forget();
    }
    TEST_ASSERT_TRUE(late > 100);
}

/* Height fields count the cells that are looked at: more than one a pair. */
static void test_pairs_with_terrain_count_their_cells(void)
{
    slip_world *w = start("models/quad_rough.xml", 100000);
    int k;

    for (k = 0; k < 50; ++k) {
        const slip_step_stats *t = slip_world_stats(w);

        TEST_ASSERT_TRUE(slip_step(w) >= 0);
        TEST_ASSERT_TRUE(t->budget_taken >= 5*t->pairs && t->untested == 0);
    }
}

/* Ellipsoids inside one another, whose search takes thousands of evaluations, and a box on a field of cells much
 * smaller than it: steps end within their budget, work the overlap off all the same, and say that pairs were cut. */
static void test_one_search_does_not_exceed_the_budget(void)
{
    static const char scene[] =
        "<scene><simulation dt='2e-3'/><ground/>"
        "<body name='a'><origin xyz='0 0 2'/><geometry><ellipsoid radii='0.3 0.7 1.1'/></geometry></body>"
        "<body name='b'><origin xyz='0.05 0 2'/><geometry><ellipsoid radii='1 0.2 0.6'/></geometry></body></scene>";
    static const char field[] =
        "<scene><simulation dt='2e-3'/>"
        "<terrain kind='bumps' size='4 4' cell='0.02' amplitude='0.05' wavelength='0.6' seed='7'/>"
        "<body name='a'><origin xyz='0 0 0.5'/><geometry><box size='1 1 0.4'/></geometry></body></scene>";
    static const int budgets[] = { 50, 200, 1000 };
    int i, k, kind, cut;

    for (kind = 0; kind < 2; ++kind)
        for (i = 0; i < 3; ++i) {
            slip_scene *s = aid_read(kind ? field : scene);
            slip_world *w;

            s->world.options.step_iterations = budgets[i];
            w = aid_start(s);
            for (k = cut = 0; k < 1500; ++k) {
                const slip_status status = slip_step(w);

                TEST_ASSERT_TRUE(status >= 0);
                TEST_ASSERT_TRUE(slip_world_stats(w)->budget_taken <= budgets[i]);
                TEST_ASSERT_TRUE(status == SLIP_DEADLINE || slip_world_stats(w)->untested == 0);
                cut += slip_world_stats(w)->untested > 0;
            }
            TEST_ASSERT_TRUE(cut > 0);
            if (i > 0 || kind == 1)                        /* 25 evaluations do not tell that ellipsoids overlap */
                TEST_ASSERT_TRUE(slip_world_stats(w)->penetration < SLIP_R(0.01));
            TEST_ASSERT_TRUE(slip_world_q(w)[2] > 0);
            aid_forget();
        }
}

/* More bodies than a step has iterations: all of them get their turn, and rest in the end. */
static void test_islands_take_turns(void)
{
    slip_scene *s = aid_read("<scene><simulation dt='1e-3'/><ground/><body name='a'><origin xyz='0 0 0.1'/><geometry>"
                             "<sphere radius='0.1'/></geometry><copies count='6 5 1' step='0.3 0.3 1'/></body></scene>");
    slip_world *w;
    int k, i;

    s->world.options.step_iterations = 50;                 /* 25 for 30 pairs, 25 for 30 islands */
    s->world.options.reuse = 0;
    w = aid_start(s);
    for (k = 0; k < 1000; ++k) {
        TEST_ASSERT_TRUE(slip_step(w) >= 0);
        TEST_ASSERT_TRUE(slip_world_stats(w)->budget_taken <= 50);
    }
    for (i = 0; i < 30; ++i) TEST_ASSERT_TRUE(slip_abs(slip_world_q(w)[7*i + 2] - SLIP_R(0.1)) < SLIP_R(1e-3));
}

/* ---- hostile worlds ---------------------------------------------------------------------------------------------- */

/* n steps, of which every 97th begins with random velocities up to `kick`. Energy comes from kicks alone, no step takes
 * more than the budget, and one that leaves pairs untested says so. Returns
 * how many steps were late; *deepest: the deepest overlap. */
static int hostile_steps(slip_world *w, int n, int budget, double kick, double *deepest)
{
    slip_random r = slip_random_seed(3);
    const int nv = slip_world_model(w)->nv;
    double first = aid_energy_of(w), energy = first;
    int i, k, late = 0;

    *deepest = 0;
    for (k = 0; k < n; ++k) {
        const slip_step_stats *t = slip_world_stats(w);
        slip_status s;

        for (i = 0; kick > 0 && k % 97 == 96 && i < nv; ++i)
            slip_world_v(w)[i] += slip_random_uniform(&r, (slip_real)-kick, (slip_real)kick);
        if (kick > 0 && k % 97 == 96) energy = first = aid_energy_of(w);
        s = slip_step(w);
        TEST_ASSERT_TRUE(s >= 0);
        TEST_ASSERT_TRUE(s == SLIP_DEADLINE || t->untested == 0);
        if (budget > 0) TEST_ASSERT_TRUE(t->budget_taken <= budget);
        late += s == SLIP_DEADLINE;
        *deepest = fmax(*deepest, (double)t->penetration);
        energy = aid_energy_of(w);
        TEST_ASSERT_TRUE(energy <= first + 0.02*fabs(first) + 1e-6);
    }
    return late;
}

static void test_dominoes_fall_on_any_budget(void)
{
    static const int budgets[] = { 1, 20, 60, 200 };
    static const double most[] = { 10, 0.02, 0.001, 0.001 };       /* [m]; they are 30 mm thick */
    double deepest;
    int i;

    for (i = 0; i < 4; ++i) {
        slip_world *w = start("models/dominoes.xml", budgets[i]);

        TEST_ASSERT_TRUE(hostile_steps(w, 1000, budgets[i], 0, &deepest) > 0);
        TEST_ASSERT_TRUE(deepest < most[i]);
        aid_forget();
    }
}

static void test_a_kicked_pile_keeps_to_its_budget(void)
{
    static const int budgets[] = { 1, 60, 200, 2000 };
    static const double most[] = { 10, 1, 0.5, 0.05 };     /* [m]; the pile is 2 m high */
    double deepest;
    int i;

    for (i = 0; i < 4; ++i) {
        slip_world *w = start("models/pile.xml", budgets[i]);

        TEST_ASSERT_TRUE(hostile_steps(w, 300, budgets[i], 3, &deepest) > 0);
        TEST_ASSERT_TRUE(deepest < most[i]);
        aid_forget();
    }
}

/* Budgets that a factorisation does not fit: every solver's sweeps take its place, without a lack of memory. */
static void test_solvers_whose_set_up_does_not_fit_are_replaced(void)
{
    int i;

    for (i = 0; i < slip_solver_count(); ++i) {
        const slip_solver *solver = slip_solver_get(i);
        slip_scene *s = aid_open("models/hand_cubes.xml");
        int k, replaced = 0;
        slip_world *w;

        s->world.options.solver = solver;
        s->world.options.step_iterations = 60;
        w = aid_start(s);
        for (k = 0; k < 400; ++k) {
            TEST_ASSERT_TRUE_MESSAGE(slip_step(w) >= 0, solver->id);
            replaced += slip_world_stats(w)->replaced;
        }
        TEST_ASSERT_TRUE_MESSAGE(!solver->sweeps == !replaced, solver->id);
        aid_forget();
    }
}

/* Drives are beyond their effort only as long as no round can be had: what is found out in the end holds in the next
 * step. */
static void test_drives_at_their_limit_are_found_without_a_round_to_spare(void)
{
    slip_world *w = start("models/solo12_stand.xml", 10);
    int i, k, wrong = 0;

    slip_world_options_of(w)->reuse = 0;
    for (k = 0; k < 20; ++k) slip_step(w);
    for (i = 6; i < slip_world_model(w)->nv; ++i) {
        slip_world_drive(w, i)->effort = SLIP_R(0.5);
        slip_world_drive(w, i)->q_ref += SLIP_R(0.5);
    }
    for (k = 0; k < 20; ++k) {
        TEST_ASSERT_TRUE(slip_step(w) >= 0);
        wrong += slip_world_stats(w)->unsettled;
    }
    TEST_ASSERT_TRUE(wrong > 0 && wrong < 40);              /* 127 when marks only change in rounds */
}

static void test_a_quadruped_stands_on_a_budget_of_ten(void)
{
    slip_world *w = start("models/solo12_stand.xml", 0);
    slip_world *tight = NULL;
    slip_real z[2];
    int i;

    TEST_ASSERT_TRUE(aid_steps(w, 300) == SLIP_OK);
    z[0] = slip_world_q(w)[2];
    aid_forget();
    tight = start("models/solo12_stand.xml", 10);
    for (i = 0; i < 300; ++i) TEST_ASSERT_TRUE(slip_step(tight) >= 0);
    z[1] = slip_world_q(tight)[2];
    TEST_ASSERT_TRUE(slip_abs(z[0] - z[1]) < SLIP_R(1e-3));
}

static void test_a_budget_that_suffices_leaves_a_world_as_it_is(void)
{
    static slip_real q[200];
    slip_world *w = start("models/hand_ball.xml", 0);
    int nq;

    aid_steps(w, 200);
    nq = slip_world_model(w)->nq;
    TEST_ASSERT_TRUE(nq <= 200);
    memcpy(q, slip_world_q(w), (size_t)nq*sizeof *q);
    aid_forget();
    w = start("models/hand_ball.xml", 1000000);
    aid_steps(w, 200);
    TEST_ASSERT_EQUAL_MEMORY(q, slip_world_q(w), (size_t)nq*sizeof *q);
    slip_world_options_of(w)->step_iterations = 0;          /* and it can be taken away again */
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step(w));
    TEST_ASSERT_EQUAL_INT(0, slip_world_stats(w)->budget_taken);
}

/* A step whose deadline has passed when it begins tests no pair and takes no iteration; the contacts and impulses of
 * the last one still hold. */
static void test_a_world_keeps_a_deadline_on_its_clock(void)
{
    slip_world *w = start("models/solo12_stand.xml", 0);
    slip_world_options *o = slip_world_options_of(w);
    slow_clock clock = { 0, 0, 0 };
    slip_real z;

    aid_steps(w, 100);                                     /* until it stands */
    z = slip_world_q(w)[2];
    o->clock = read_clock;
    o->clock_context = &clock;
    o->step_seconds = 0.5;
    o->reuse = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_DEADLINE, slip_step(w));
    TEST_ASSERT_TRUE(slip_world_stats(w)->untested > 0);
    TEST_ASSERT_EQUAL_INT(0, slip_world_stats(w)->iterations);
    TEST_ASSERT_EQUAL_INT(4, slip_world_stats(w)->contacts);
    TEST_ASSERT_TRUE(slip_abs(slip_world_q(w)[2] - z) < SLIP_R(1e-4));
    o->step_seconds = 1e9;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step(w));
}

static void test_budgets_that_cannot_be_are_refused(void)
{
    slip_world *w = start("models/solo12_stand.xml", 0);
    slip_world_options *o = slip_world_options_of(w);

    o->step_iterations = -1;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_step(w));
    o->step_iterations = 0;
    o->step_seconds = 1e-3;                                 /* without a clock */
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_step(w));
    o->step_seconds = (double)NAN;
    TEST_ASSERT_EQUAL_INT(SLIP_ERR_ARGUMENT, slip_step(w));
    o->step_seconds = 0;
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_step(w));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_no_solver_takes_more_iterations_than_it_is_given);
    RUN_TEST(test_without_a_budget_the_warm_start_creates_no_energy);
    RUN_TEST(test_a_budget_that_suffices_changes_no_bit);
    RUN_TEST(test_no_solver_begins_an_iteration_after_the_deadline);
    RUN_TEST(test_shares_add_up);
    RUN_TEST(test_searches_end_with_the_best_bound_when_their_budget_is_used_up);
    RUN_TEST(test_no_step_takes_more_than_its_budget);
    RUN_TEST(test_steps_that_are_cut_short_create_no_energy);
    RUN_TEST(test_pairs_with_terrain_count_their_cells);
    RUN_TEST(test_one_search_does_not_exceed_the_budget);
    RUN_TEST(test_islands_take_turns);
    RUN_TEST(test_dominoes_fall_on_any_budget);
    RUN_TEST(test_a_kicked_pile_keeps_to_its_budget);
    RUN_TEST(test_solvers_whose_set_up_does_not_fit_are_replaced);
    RUN_TEST(test_drives_at_their_limit_are_found_without_a_round_to_spare);
    RUN_TEST(test_a_quadruped_stands_on_a_budget_of_ten);
    RUN_TEST(test_a_budget_that_suffices_leaves_a_world_as_it_is);
    RUN_TEST(test_a_world_keeps_a_deadline_on_its_clock);
    RUN_TEST(test_budgets_that_cannot_be_are_refused);
    return UNITY_END();
}
