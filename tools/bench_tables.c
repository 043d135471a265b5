/* slipstick bench table: tables of the papers measured again, on equal terms, beside the papers' numbers.
 *
 *   LL-tab4   a sliding cube: how far a looser tolerance moves the trajectory, integral of |x - x_ref| [m s]
 *   HW-tab1   time of one sliding contact [ns]
 *   HW-tab2   a quadruped: processor time of 100 000 steps [s] */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "problem_file.h"
#include "sim_run.h"
#include "trot.h"

static const char table_help[] =
    "usage: slipstick bench table LL-tab4|HW-tab1|HW-tab2 [--quick]\n\n"
    "Measures a table of a paper again with the paper's solvers, as printed there, and shows both\n"
    "numbers. Worlds run on equal terms: one solve a step, the last impulses as warm start, the same tolerance; no\n"
    "answer is kept without a solve and no contact softened. Run it where models/ is.\n\n"
    "  LL-tab4   cube that slides to rest: integral of the distance to the trajectory of tolerance 1e-9 [m s]\n"
    "  HW-tab1   one sliding contact by bisection, golden section and roots of a quartic [ns]\n"
    "  HW-tab2   quadruped that trots, hangs, is dropped, moves at random: 100 000 steps [s]\n\n"
    "  --quick   shorter runs, for tests\n\n"
    "example: slipstick bench table LL-tab4 --quick\n";

/* Changes of a scene for one run: a solver, options as text, a time (0: the scene's). */
static void table_changes(const slip_solver *solver, double time, sim_changes *c)
{
    memset(c, 0, sizeof *c);
    c->solve.list[0] = solver;
    c->solve.count = 1;
    c->time = time;
    c->quiet = c->equal_terms = c->options_checked = 1;
    solver_args_set("bench table", &c->solve, "tol_rule", "absolute");
}

/* ---- LL Tab. IV ------------------------------------------------------------------------------------------- */

typedef struct { slip_real *x; } table_path;              /* steps x 3: the cube's position */

static int table_path_step(void *context, sim_session *s, long k)
{
    memcpy(((table_path *)context)->x + 3*(k - 1), slip_world_q(s->world), 3*sizeof(slip_real));
    return 1;
}

/* Runs the cube; its path in memory from cli_alloc, NULL after a message. */
static slip_real *table_slide(const slip_solver *solver, const char *tol, double time, long *steps, double *dt)
{
    sim_changes changes;
    sim_session s;
    sim_observer observer;
    sim_result result;
    table_path path;

    table_changes(solver, time, &changes);
    solver_args_set("bench table", &changes.solve, "tol", tol);
    if (!sim_open("bench table", "models/cube_slide.xml", &changes, &s)) return NULL;
    path.x = (slip_real *)cli_alloc(3*(size_t)(s.steps + 1)*sizeof *path.x);
    observer.step = table_path_step;
    observer.every_step = 1;
    observer.context = &path;
    sim_run(&s, &observer, &result);
    *steps = result.steps;
    *dt = (double)s.scene.world.options.dt;
    sim_close(&s);
    return path.x;
}

/* The integral over time of the distance between two paths. */
static double table_apart(const slip_real *a, const slip_real *b, long steps, double dt)
{
    double sum = 0;
    long k;

    for (k = 0; k < steps; ++k) {
        slip_real d[3];

        slip_sub3(a + 3*k, b + 3*k, d);
        sum += (double)slip_norm3(d)*dt;
    }
    return sum;
}

static int table_ll4(int quick)
{
    static const struct { const char *name; const slip_solver *solver; double printed[3]; } rows[] = {
        { "CCP/PGS", &slip_solver_ccp_pgs, { 6.7e-7, 4.3e-5, 4.8e-2 } },
        { "RaiSim", &slip_solver_raisim_bisection, { 9.0e-8, 4.8e-5, 7.0e-4 } },
        { "NCP/PGS", &slip_solver_ncp_pgs, { 6.0e-10, 9.9e-8, 5.3e-6 } } };
    static const char *const tols[] = { "1e-6", "1e-4", "1e-2" };
    const double time = quick ? 0.2 : 0;
    size_t i, k;

    printf("LL Tab. IV: integral consistency error [m s] against tolerance 1e-9, models/cube_slide.xml\n");
    printf("%-9s %-17s %-9s %12s %12s\n", "paper", "solver", "tolerance", "measured", "LL prints");
    for (i = 0; i < sizeof rows/sizeof *rows; ++i) {
        long steps, n;
        double dt;
        slip_real *reference = table_slide(rows[i].solver, sizeof(slip_real) > 4 ? "1e-9" : "1e-6", time, &steps, &dt);

        if (!reference) return CLI_FAILED;
        for (k = 0; k < 3; ++k) {
            slip_real *path = table_slide(rows[i].solver, tols[k], time, &n, &dt);

            if (!path) { free(reference); return CLI_FAILED; }
            printf("%-9s %-17s %-9s %12.2e %12.2e\n", rows[i].name, rows[i].solver->id, tols[k],
                   table_apart(path, reference, n < steps ? n : steps, dt), rows[i].printed[k]);
            fflush(stdout);
            free(path);
        }
        free(reference);
    }
    return CLI_OK;
}

/* ---- HW Tab. I -------------------------------------------------------------------------------------------- */

/* A problem of one contact. */
typedef struct { slip_real mu, g[3], G[9]; } table_contact;

/* G = Y Y' + 0.1 I with Y normal, mu from 0.3 to 1, and a free velocity into the ground. */
static void table_draw(slip_random *rng, table_contact *c)
{
    slip_real Y[9];
    int i, j, k;

    for (i = 0; i < 9; ++i) Y[i] = slip_random_normal(rng);
    for (i = 0; i < 3; ++i) for (j = 0; j < 3; ++j) {
        c->G[3*i + j] = i == j ? SLIP_R(0.1) : 0;
        for (k = 0; k < 3; ++k) c->G[3*i + j] += Y[3*i + k]*Y[3*j + k];
    }
    for (i = 0; i < 3; ++i) c->g[i] = slip_random_normal(rng);
    c->g[2] = -slip_abs(c->g[2]);
    c->mu = slip_random_uniform(rng, SLIP_R(0.3), 1);
}

/* Whether a solved contact slides: its impulse is on the cone. */
static int table_slides(const table_contact *c, const slip_real x[3])
{
    const slip_real t = slip_sqrt(x[0]*x[0] + x[1]*x[1]);

    return x[2] > SLIP_R(1e-3) && slip_abs(t - c->mu*x[2]) < SLIP_R(1e-3)*x[2];
}

/* Best nanoseconds of a solve of each contact in a row of `n`. */
static double table_time_contacts(const slip_solver *solver, table_contact *contacts, int n, int rounds)
{
    slip_problem p = slip_problem_dense(1, &contacts[0].mu, contacts[0].g, contacts[0].G, 3);
    const slip_solver_options opt = slip_solver_defaults();
    double best = (double)INFINITY;
    tool_solve s;
    int i, k;

    tool_solve_begin(&p, solver, &opt, &s);
    for (k = 0; k < rounds; ++k) {
        const double start = cli_cpu_seconds();

        for (i = 0; i < n; ++i) {
            p = slip_problem_dense(1, &contacts[i].mu, contacts[i].g, contacts[i].G, 3);
            s.sol.warm = 0;
            slip_solve(solver, &p, &opt, &s.sol, &s.arena);
        }
        best = fmin(best, 1e9*(cli_cpu_seconds() - start)/n);
    }
    tool_solve_end(&s);
    return best;
}

/* n contacts that slide, or n that stick, by the judgement of raisim-bisection. */
static void table_draw_all(int n, int sliding, table_contact *out)
{
    slip_random rng = slip_random_seed(1);
    const slip_solver_options opt = slip_solver_defaults();
    slip_problem p;
    tool_solve s;
    int i = 0;

    table_draw(&rng, &out[0]);
    p = slip_problem_dense(1, &out[0].mu, out[0].g, out[0].G, 3);
    tool_solve_begin(&p, &slip_solver_raisim_bisection, &opt, &s);
    while (i < n) {
        table_draw(&rng, &out[i]);
        if (!sliding) out[i].mu = 1000;
        p = slip_problem_dense(1, &out[i].mu, out[i].g, out[i].G, 3);
        s.sol.warm = 0;
        slip_solve(&slip_solver_raisim_bisection, &p, &opt, &s.sol, &s.arena);
        if (s.sol.status == SLIP_OK && table_slides(&out[i], s.sol.lambda) == sliding) ++i;
    }
    tool_solve_end(&s);
}

static int table_hw1(int quick)
{
    static const struct { const char *name; const slip_solver *solver; double printed; } rows[] = {
        { "Bisection", &slip_solver_raisim_bisection, 580 }, { "Golden Section", &slip_solver_raisim_golden, 1200 },
        { "Analytical", &slip_solver_raisim_quartic, 1600 } };
    const int n = quick ? 200 : 10000, rounds = quick ? 3 : 20;
    table_contact *slide = (table_contact *)cli_alloc((size_t)n*sizeof *slide);
    table_contact *stick = (table_contact *)cli_alloc((size_t)n*sizeof *stick);
    size_t i;

    table_draw_all(n, 1, slide);
    table_draw_all(n, 0, stick);
    printf("HW Tab. I: one sliding contact [ns], %d drawn at random\n", n);
    printf("A sticking contact costs the frame around a solve (checks, judge) and no search: less that, the search\n");
    printf("%-15s %-17s %12s %12s %12s %12s\n", "paper", "solver", "whole solve", "sticking", "search", "HW prints");
    for (i = 0; i < sizeof rows/sizeof *rows; ++i) {
        const double whole = table_time_contacts(rows[i].solver, slide, n, rounds);
        const double frame = table_time_contacts(rows[i].solver, stick, n, rounds);

        printf("%-15s %-17s %12.0f %12.0f %12.0f %12.0f\n", rows[i].name, rows[i].solver->id, whole, frame,
               whole - frame, rows[i].printed);
        fflush(stdout);
    }
    free(slide);
    free(stick);
    return CLI_OK;
}

/* ---- HW Tab. II ------------------------------------------------------------------------------------------- */

typedef struct { const char *name, *scene; int trots; double printed[2]; } table_task;

/* Seconds of 100 000 steps, and of their solves alone; 0 after a message. */
static int table_walk(const table_task *t, const slip_solver *solver, const char *relaxation, int quick,
                      sim_result *result)
{
    const trot_command command = { SLIP_R(0.5), 0, 0 };
    sim_changes changes;
    sim_session s;
    trot *walker = NULL;

    table_changes(solver, quick ? 0.2 : 0, &changes);
    solver_args_set("bench table", &changes.solve, "tol", sizeof(slip_real) > 4 ? "1e-6" : "1e-4");
    if (relaxation) solver_args_set("bench table", &changes.solve, "relaxation", relaxation);
    if (!sim_open("bench table", t->scene, &changes, &s)) return 0;
    if (t->trots && !(walker = trot_new(&s, &command))) { sim_close(&s); return 0; }
    sim_run(&s, NULL, result);
    trot_free(walker);
    if (result->status < 0) cli_error(slip_world_error(s.world));
    sim_close(&s);
    return result->status >= 0;
}

static int table_hw2(int quick)
{
    static const table_task tasks[] = {
        { "Trot", "models/quad_trot.xml", 1, { 1.98, 1.81 } }, { "Hang", "models/quad_hang.xml", 0, { 2.57, 5.92 } },
        { "Drop", "models/bench/quad_drop.xml", 0, { 2.62, 4.35 } },
        { "Random", "models/quad_random.xml", 0, { 1.90, 2.88 } } };
    static const struct { const slip_solver *solver; const char *relaxation; } ways[] = {
        { &slip_solver_raisim_bisection, NULL }, { &slip_solver_ncp_pgs, "0.6" } };          /* HW Sec. V-C */
    size_t i, k;

    printf("HW Tab. II: 100 000 steps of a quadruped [s]; ncp-pgs with relaxation 0.6, tolerance 1e-6\n");
    printf("%-8s %-17s %12s %12s %12s %11s %8s\n", "task", "solver", "whole steps", "solves", "HW prints", "iterations",
           "missed");
    for (i = 0; i < sizeof tasks/sizeof *tasks; ++i)
        for (k = 0; k < 2; ++k) {
            sim_result r;
            double all;

            if (!table_walk(&tasks[i], ways[k].solver, ways[k].relaxation, quick, &r)) return CLI_FAILED;
            all = 1e5*r.cpu_seconds/(double)r.steps;
            printf("%-8s %-17s %12.3f %12.3f %12.2f %11.2f %8ld\n", tasks[i].name, ways[k].solver->id, all,
                   all*r.phase_share[SLIP_PHASE_SOLVE], tasks[i].printed[k], r.iterations_mean, r.missed);
            fflush(stdout);
        }
    return CLI_OK;
}

/* ---- */

int slip_bench_table(int argc, char **argv)
{
    static const struct { const char *name; int (*run)(int quick); } tables[] = {
        { "LL-tab4", table_ll4 }, { "HW-tab1", table_hw1 }, { "HW-tab2", table_hw2 } };
    const char *name = NULL;
    cli_args args;
    int kind, quick = 0;
    size_t i;

    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2 && name) return cli_usage(&args, "one table at a time, but there is also '%s'", args.value);
        if (kind == 2) name = args.value;
        else if (cli_is(&args, "--help") || cli_is(&args, "-h")) return fputs(table_help, stdout), CLI_OK;
        else if (cli_is(&args, "--quick")) quick = 1;
        else return cli_unknown(&args);
    }
    for (i = 0; name && i < sizeof tables/sizeof *tables; ++i)
        if (strcmp(tables[i].name, name) == 0) return tables[i].run(quick);
    if (!name) return cli_usage(&args, "which table? expected one of: LL-tab4 HW-tab1 HW-tab2");
    return cli_usage(&args, "unknown table '%s', expected one of: LL-tab4 HW-tab1 HW-tab2", name);
}
