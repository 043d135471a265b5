/* slipstick bench solvers: every solver on every problem of a folder, and Dolan-More performance profiles of them.
 *
 * For solver s on problem p the ratio r = t(p, s)/min over solvers of t(p, .) is infinite when s did not solve p to
 * the tolerance of the NCP, judged independently. The profile of s at tau is the share of problems with r <= tau
 * (Dolan, More: Benchmarking optimization software with performance profiles, 2002). */
#define _POSIX_C_SOURCE 200809L   /* opendir */

#include "bench.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include "problem_file.h"

static const char bsolve_help[] =
    "usage: slipstick bench solvers DIR [--solver ID]... [OPTIONS]\n\n"
    "Times solvers on all problem files (*.txt) of a folder and prints the table, one row for each problem and\n"
    "solver, then for each solver how many were solved, the median time and the median ratio to the fastest.\n\n"
    "  --solver ID    may be repeated; without it all NCP solvers and the default\n"
    "  --tol X        tolerance on the NCP, by the judge (1e-6)\n"
    "  --max-iter N   iteration limit of each solver (20000)\n"
    "  --time S       seconds to spend on repeating a solve, the best counts (0.02)\n"
    "  --csv FILE     performance profiles: tau, and one column for each solver\n"
    "  --svg FILE     the same as a picture\n\n"
    "example: slipstick bench solvers problems/fclib --csv profiles.csv --svg profiles.svg\n";

#define BSOLVE_NEVER ((double)INFINITY)      /* the time of a solver that did not solve */

enum { BSOLVE_MOST_SOLVERS = 20, BSOLVE_MOST_FILES = 1000, BSOLVE_POINTS = 121 };

typedef struct {
    cli_args args;
    const char *folder, *csv, *svg;
    const char *solvers[BSOLVE_MOST_SOLVERS];
    int nsolvers;
    slip_solver_options opt;
    double time;
    char *files[BSOLVE_MOST_FILES];
    int nfiles, problems;
    double *seconds;                        /* problems x solvers; infinite: not solved */
} bsolve_run;

/* ---- the folder ------------------------------------------------------------------------------------ */

static int bsolve_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int bsolve_list(bsolve_run *r)
{
    DIR *d = opendir(r->folder);
    struct dirent *e;

    if (!d) return cli_fail("bench solvers", "%s: cannot be opened", r->folder);
    while ((e = readdir(d)) != NULL && r->nfiles < BSOLVE_MOST_FILES) {
        const size_t length = strlen(e->d_name), room = strlen(r->folder) + length + 2;

        if (length < 5 || strcmp(e->d_name + length - 4, ".txt") != 0) continue;
        r->files[r->nfiles] = (char *)cli_alloc(room);
        snprintf(r->files[r->nfiles++], room, "%s/%s", r->folder, e->d_name);
    }
    closedir(d);
    if (r->nfiles == 0) return cli_fail("bench solvers", "%s: no problem files (*.txt)", r->folder);
    qsort(r->files, (size_t)r->nfiles, sizeof *r->files, bsolve_by_name);
    return CLI_OK;
}

/* ---- runs ------------------------------------------------------------------------------------------ */

/* Best seconds of one solver on one problem, infinite when the NCP is not met. */
static double bsolve_time(const bsolve_run *r, const slip_problem *p, const char *solver, slip_solution *last)
{
    tool_solve s;
    double best = BSOLVE_NEVER, spent = 0;
    int k, solved = 1;

    tool_solve_begin(p, solver, &r->opt, &s);
    for (k = 0; k < 100000 && (k == 0 || spent < r->time) && solved; ++k) {
        double t = cli_seconds();

        s.sol.warm = 0;
        slip_solve(solver, p, &r->opt, &s.sol, &s.arena, NULL);
        t = cli_seconds() - t;
        spent += t;
        if (t < best) best = t;
        solved = s.sol.status >= 0
              && slip_residual_excess(&s.sol.residual, r->opt.tol, r->opt.tol_rule) <= SLIP_R(1.001);
    }
    *last = s.sol;
    tool_solve_end(&s);
    return solved ? best : BSOLVE_NEVER;
}

static void bsolve_problem(bsolve_run *r, const char *path)
{
    tool_problem t;
    double *row = r->seconds + (size_t)r->problems*(size_t)r->nsolvers;
    int s;

    if (!tool_problem_load("bench solvers", path, &t)) return;
    for (s = 0; s < r->nsolvers; ++s) {
        slip_solution sol;

        row[s] = bsolve_time(r, &t.p, r->solvers[s], &sol);
        printf("%-38s %-17s %-6s %7d %6d %12.3f\n", t.name, r->solvers[s], row[s] < BSOLVE_NEVER ? "ok" : "failed",
               sol.iterations, sol.factorizations, 1e6*row[s]);
        fflush(stdout);
    }
    ++r->problems;
    tool_problem_free(&t);
}

/* ---- profiles --------------------------------------------------------------------------------------- */

static double bsolve_fastest(const bsolve_run *r, int problem)
{
    double best = BSOLVE_NEVER;
    int s;

    for (s = 0; s < r->nsolvers; ++s) {
        const double t = r->seconds[(size_t)problem*(size_t)r->nsolvers + (size_t)s];

        if (t < best) best = t;
    }
    return best;
}

static double bsolve_ratio(const bsolve_run *r, int problem, int s)
{
    const double best = bsolve_fastest(r, problem), t = r->seconds[(size_t)problem*(size_t)r->nsolvers + (size_t)s];

    return best < BSOLVE_NEVER ? t/best : BSOLVE_NEVER;
}

static double bsolve_profile(const bsolve_run *r, int s, double tau)
{
    int p, count = 0;

    for (p = 0; p < r->problems; ++p) count += bsolve_ratio(r, p, s) <= tau;
    return r->problems ? (double)count/(double)r->problems : 0;
}

/* tau from 1 to 10^4, 30 points a decade. */
static double bsolve_tau(int k)
{
    return pow(10, (double)k/30);
}

static int bsolve_by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double bsolve_median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, bsolve_by_size);
    return n == 0 ? BSOLVE_NEVER : x[n/2];
}

static void bsolve_summary(const bsolve_run *r)
{
    double *t = (double *)cli_alloc((size_t)(r->problems + 1)*sizeof *t), *q;
    int s, p;

    q = (double *)cli_alloc((size_t)(r->problems + 1)*sizeof *q);
    printf("\n%-17s %9s %14s %18s\n", "solver", "solved", "median us", "median ratio");
    for (s = 0; s < r->nsolvers; ++s) {
        int solved = 0;

        for (p = 0; p < r->problems; ++p) {
            t[p] = 1e6*r->seconds[(size_t)p*(size_t)r->nsolvers + (size_t)s];
            q[p] = bsolve_ratio(r, p, s);
            solved += t[p] < BSOLVE_NEVER;
        }
        printf("%-17s %4d/%-4d %14.3f %18.3f\n", r->solvers[s], solved, r->problems, bsolve_median(t, r->problems),
               bsolve_median(q, r->problems));
    }
    free(t);
    free(q);
}

static int bsolve_write_csv(const bsolve_run *r)
{
    FILE *f = strcmp(r->csv, "-") == 0 ? stdout : fopen(r->csv, "w");
    int k, s, bad;

    if (!f) return cli_fail("bench solvers", "%s: cannot be written", r->csv);
    fputs("tau", f);
    for (s = 0; s < r->nsolvers; ++s) fprintf(f, ",%s", r->solvers[s]);
    fputc('\n', f);
    for (k = 0; k < BSOLVE_POINTS; ++k) {
        fprintf(f, "%.4f", bsolve_tau(k));
        for (s = 0; s < r->nsolvers; ++s) fprintf(f, ",%.4f", bsolve_profile(r, s, bsolve_tau(k)));
        fputc('\n', f);
    }
    bad = ferror(f);
    if (f != stdout) bad = fclose(f) != 0 || bad;
    return bad ? cli_fail("bench solvers", "%s: cannot be written", r->csv) : CLI_OK;
}

/* Step curves over log tau; the legend in the order of the curves at tau = 10. */
static int bsolve_write_svg(const bsolve_run *r)
{
    static const char *const colours[] = { "#1b6ca8", "#d1495b", "#2e8b57", "#edae49", "#66418a", "#00798c", "#8d5524",
                                           "#444444", "#c06c84", "#6a994e", "#bc6c25", "#5f0f40" };
    const double left = 60, top = 20, width = 560, height = 360;
    FILE *f = fopen(r->svg, "w");
    int k, s, bad;

    if (!f) return cli_fail("bench solvers", "%s: cannot be written", r->svg);
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 440\" font-family=\"sans-serif\" "
               "font-size=\"13\">\n<rect width=\"820\" height=\"440\" fill=\"white\"/>\n");
    for (k = 0; k <= 4; ++k) {
        const double x = left + width*k/4, y = top + height*(4 - k)/4;

        fprintf(f, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">"
                   "%d</text>\n", x, top, top + height, x, top + height + 18, (int)pow(10, k));
        fprintf(f, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">"
                   "%.2f</text>\n", left, y, left + width, left - 6, y + 4, k/4.0);
    }
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">time over the fastest solver's</text>\n",
            left + width/2, top + height + 40);
    for (s = 0; s < r->nsolvers; ++s) {
        const char *colour = colours[s % (int)(sizeof colours/sizeof *colours)];

        fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"M%.1f %.1f", colour,
                s >= 12 ? " stroke-dasharray=\"5 3\"" : "", left, top + height*(1 - bsolve_profile(r, s, 1)));
        for (k = 1; k < BSOLVE_POINTS; ++k)
            fprintf(f, "H%.1fV%.1f", left + width*k/(BSOLVE_POINTS - 1),
                    top + height*(1 - bsolve_profile(r, s, bsolve_tau(k))));
        fprintf(f, "\"/>\n<path d=\"M635 %.1fh24\" stroke=\"%s\" stroke-width=\"2\"%s/><text x=\"665\" y=\"%.1f\">"
                   "%s</text>\n", top + 12 + 20*s, colour, s >= 12 ? " stroke-dasharray=\"5 3\"" : "",
                top + 16 + 20*s, r->solvers[s]);
    }
    fputs("</svg>\n", f);
    bad = ferror(f);
    bad = fclose(f) != 0 || bad;
    return bad ? cli_fail("bench solvers", "%s: cannot be written", r->svg) : CLI_OK;
}

/* ---- arguments -------------------------------------------------------------------------------------- */

static int bsolve_option(bsolve_run *r)
{
    double x;

    if (cli_is(&r->args, "--solver")) {
        const char *id = cli_value(&r->args);

        if (!id) return CLI_USAGE;
        if (!slip_solver_find(id)) return cli_usage(&r->args, "unknown solver '%s'", id);
        if (r->nsolvers == BSOLVE_MOST_SOLVERS) return cli_usage(&r->args, "too many solvers");
        r->solvers[r->nsolvers++] = id;
        return CLI_OK;
    }
    if (cli_is(&r->args, "--tol")) {
        if (!cli_value_real(&r->args, 1e-300, 1e3, &x)) return CLI_USAGE;
        r->opt.tol = (slip_real)x;
        return CLI_OK;
    }
    if (cli_is(&r->args, "--max-iter"))
        return cli_value_int(&r->args, 1, 1000000000, &r->opt.max_iterations) ? CLI_OK : CLI_USAGE;
    if (cli_is(&r->args, "--time")) return cli_value_real(&r->args, 0, 1e3, &r->time) ? CLI_OK : CLI_USAGE;
    if (cli_is(&r->args, "--csv")) return (r->csv = cli_value(&r->args)) ? CLI_OK : CLI_USAGE;
    if (cli_is(&r->args, "--svg")) return (r->svg = cli_value(&r->args)) ? CLI_OK : CLI_USAGE;
    return cli_unknown(&r->args);
}

static void bsolve_ncp_solvers(bsolve_run *r)
{
    int i;

    for (i = 0; i < slip_solver_count() && r->nsolvers < BSOLVE_MOST_SOLVERS; ++i)
        if (slip_solver_get(i)->model == SLIP_MODEL_NCP) r->solvers[r->nsolvers++] = slip_solver_get(i)->id;
}

static int bsolve_all(bsolve_run *r)
{
    int i, rc = bsolve_list(r);

    if (rc != CLI_OK) return rc;
    r->seconds = (double *)cli_alloc((size_t)r->nfiles*(size_t)r->nsolvers*sizeof *r->seconds);
    printf("%-38s %-17s %-6s %7s %6s %12s\n", "problem", "solver", "status", "iter", "fact", "us");
    for (i = 0; i < r->nfiles; ++i) bsolve_problem(r, r->files[i]);
    bsolve_summary(r);
    if (r->csv) rc = bsolve_write_csv(r);
    if (r->svg && rc == CLI_OK) rc = bsolve_write_svg(r);
    for (i = 0; i < r->nfiles; ++i) free(r->files[i]);
    free(r->seconds);
    return rc;
}

int slip_bench_solvers(int argc, char **argv)
{
    bsolve_run *r;
    int kind, rc = CLI_OK;

    if (argc <= 1) return CLI_OK;           /* as a part of `slipstick bench`, which has no folder to offer */
    r = (bsolve_run *)cli_alloc(sizeof *r);
    memset(r, 0, sizeof *r);
    r->opt = slip_solver_defaults();
    r->opt.max_iterations = 20000;
    r->time = 0.02;
    cli_begin(&r->args, argc, argv);
    while (rc == CLI_OK && (kind = cli_next(&r->args)) != 0) {
        if (kind == 1 && cli_is(&r->args, "--help")) { fputs(bsolve_help, stdout); free(r); return CLI_OK; }
        if (kind == 1) rc = bsolve_option(r);
        else if (r->folder) rc = cli_usage(&r->args, "one folder at a time");
        else r->folder = r->args.value;
    }
    if (rc == CLI_OK && !r->folder) rc = cli_usage(&r->args, "no folder given");
    if (r->nsolvers == 0) bsolve_ncp_solvers(r);
    if (rc == CLI_OK) rc = bsolve_all(r);
    free(r);
    return rc;
}
