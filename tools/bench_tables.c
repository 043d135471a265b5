/* slipstick bench table: tables of the papers measured again, on equal terms, beside the papers' numbers.
 *
 *   LL-tab4   a sliding cube: how far a looser tolerance moves the trajectory, integral of |x - x_ref| [m s]
 *   HW-tab1   time of one sliding contact [ns]
 *   HW-tab2   a quadruped: processor time of 100 000 steps [s] */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "hw_contact.h"
#include "hw_tasks.h"
#include "slide_path.h"

static const char table_help[] =
    "usage: slipstick bench table LL-tab4|HW-tab1|HW-tab2 [--quick]\n\n"
    "Measures a table of a paper again with the paper's solvers, as printed there, and shows both\n"
    "numbers. Worlds run on equal terms: one solve a problem, the last impulses as warm start, the same tolerance; no\n"
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

/* Runs the cube; 0 after a message. */
static int table_slide(const slip_solver *solver, const char *tol, double time, slide_path *path)
{
    sim_changes changes;
    sim_session s;
    int ok;

    table_changes(solver, time, &changes);
    solver_args_set("bench table", &changes.solve, "tol", tol);
    if (!sim_open("bench table", "models/cube_slide.xml", &changes, &s)) return 0;
    ok = slide_path_run(&s, path);
    sim_close(&s);
    return ok;
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
        slide_path reference, path;

        if (!table_slide(rows[i].solver, sizeof(slip_real) > 4 ? "1e-9" : "1e-6", time, &reference)) return CLI_FAILED;
        for (k = 0; k < 3; ++k) {
            if (!table_slide(rows[i].solver, tols[k], time, &path)) return slide_path_free(&reference), CLI_FAILED;
            printf("%-9s %-17s %-9s %12.2e %12.2e\n", rows[i].name, rows[i].solver->id, tols[k],
                   slide_path_apart(&path, &reference), rows[i].printed[k]);
            fflush(stdout);
            slide_path_free(&path);
        }
        slide_path_free(&reference);
    }
    return CLI_OK;
}

/* ---- HW Tab. I -------------------------------------------------------------------------------------------- */

static int table_hw1(int quick)
{
    const int n = quick ? 200 : 10000, rounds = quick ? 3 : 20;
    const double gamma = 1e-6;                       /* [N s], HW Sec. V-B */
    hw_contact *contacts = (hw_contact *)cli_alloc((size_t)n*sizeof *contacts);
    int i;

    hw_contacts_draw(n, contacts);
    printf("HW Tab. I: one sliding contact [ns], %d drawn at random, threshold 1e-6 N s\n", n);
    printf("%-29s %-17s %12s %12s\n", "method", "solver", "measured", "HW prints");
    for (i = 0; i < HW_METHODS; ++i) {
        printf("%-29s %-17s %12.0f ", hw_methods[i].name, hw_methods[i].solver,
               hw_contact_time(contacts, n, hw_methods[i].method, gamma, rounds));
        if (hw_methods[i].printed_ns > 0) printf("%12.0f\n", hw_methods[i].printed_ns);
        else printf("%12s\n", "-");
        fflush(stdout);
    }
    free(contacts);
    return CLI_OK;
}

/* ---- HW Tab. II ------------------------------------------------------------------------------------------- */

static int table_hw2(int quick)
{
    int i, k;

    printf("HW Tab. II: 100 000 steps of a quadruped [s]; ncp-pgs with relaxation 0.6, tolerance 1e-6\n");
    printf("%-8s %-17s %12s %12s %12s %11s %8s\n", "task", "solver", "whole steps", "solves", "HW prints", "iterations",
           "missed");
    for (i = 0; i < HW_TASKS; ++i)
        for (k = 0; k <= HW_PGS; ++k) {
            hw_world w;
            sim_result r;
            double all;

            if (!hw_open("bench table", i, hw_ways[k].solver, hw_ways[k].options, 0, quick ? 0.2 : 0, &w))
                return CLI_FAILED;
            sim_run(&w.s, NULL, &r);
            if (r.status < 0) cli_error(slip_world_error(w.s.world));
            hw_close(&w);
            if (r.status < 0) return CLI_FAILED;
            all = 1e5*r.cpu_seconds/(double)r.steps;
            printf("%-8s %-17s %12.3f %12.3f %12.2f %11.2f %8ld\n", hw_tasks[i].name, hw_ways[k].solver->id, all,
                   all*r.phase_share[SLIP_PHASE_SOLVE], k == HW_PGS ? hw_tasks[i].pgs : hw_tasks[i].bisection,
                   r.iterations_mean, r.missed);
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
