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
    "solver, then for each solver how many were solved, the median time and the median ratio to the fastest.\n"
    "Times are processor time, in batches of 50 us at least, the best of many.\n\n"
    "  --solver ID    may be repeated; without it all NCP solvers and the default\n"
    "  --tol X        tolerance on the NCP, by the judge (1e-6)\n"
    "  --own          judge each solver by the residual of its own model instead\n"
    "  --max-iter N   iteration limit of each solver (20000)\n"
    "  --time S       seconds to spend on repeating a solve, the best counts (0.02)\n"
    "  --warm X       solve a row of problems, g varied by the share X from one to the next, each started from the\n"
    "                 last one's answer; means per solve. Without it every solve is cold\n"
    "  --against CSV  compare with the times in a table (columns problem, solver, tol, seconds, converged): per\n"
    "                 problem the least time of those that say converged at the same tolerance\n"
    "  --csv FILE     performance profiles: tau, and one column for each solver\n"
    "  --svg FILE     the same as a picture\n\n"
    "example: slipstick bench solvers problems/fclib --csv profiles.csv --svg profiles.svg\n";

#define BSOLVE_NEVER ((double)INFINITY)      /* the time of a solver that did not solve */

enum { BSOLVE_MOST_SOLVERS = 20, BSOLVE_MOST_FILES = 1000, BSOLVE_POINTS = 121 };

typedef struct {
    cli_args args;
    const char *folder, *csv, *svg;
    const char *solvers[BSOLVE_MOST_SOLVERS];
    int nsolvers, own;
    slip_solver_options opt;
    double time, vary;                      /* vary > 0: warm starts on g varied by this share */
    char *against;                          /* text of the CSV, NULL: none */
    double *rival;                          /* problems: its best seconds, infinite: none      */
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

/* ---- a rival's table --------------------------------------------------------------------------------- */

/* Field `want` of a CSV line (no quotes in such tables), "" when there are fewer; returns its length. */
static int bsolve_field(const char *line, int want, const char **field)
{
    for (; want > 0; --want) {
        line += strcspn(line, ",\r\n");
        if (*line == ',') ++line;
    }
    *field = line;
    return (int)strcspn(line, ",\r\n");
}

static int bsolve_column(const char *head, const char *name)
{
    const char *field;
    int k, length;

    for (k = 0; (length = bsolve_field(head, k, &field)) > 0; ++k)
        if ((size_t)length == strlen(name) && strncmp(field, name, (size_t)length) == 0) return k;
    return -1;
}

static double bsolve_number(const char *line, int column)
{
    const char *field;
    const int length = bsolve_field(line, column, &field);
    double x;

    return column >= 0 && length > 0 && slip_read_double(field, length, &x) == length ? x : (double)NAN;
}

/* The least seconds of the rows of a problem that converged at our tolerance; infinite without one. */
static double bsolve_rival(const bsolve_run *r, const char *problem)
{
    const char *line = r->against, *field;
    const size_t length = strlen(problem);
    double best = BSOLVE_NEVER;
    int seconds, tol, converged;

    if (!line) return BSOLVE_NEVER;
    seconds = bsolve_column(line, "seconds");
    tol = bsolve_column(line, "tol");
    converged = bsolve_column(line, "converged");
    while ((line = strchr(line, '\n')) != NULL) {
        ++line;
        if ((size_t)bsolve_field(line, 0, &field) != length || strncmp(field, problem, length) != 0) continue;
        if (fabs(bsolve_number(line, tol)/(double)r->opt.tol - 1) > 1e-6) continue;
        if (converged >= 0 && bsolve_number(line, converged) < 1) continue;
        if (bsolve_number(line, seconds) < best) best = bsolve_number(line, seconds);
    }
    return best;
}

/* ---- runs ------------------------------------------------------------------------------------------ */

enum { BSOLVE_ROW = 16 };                   /* problems in a row of warm starts */

typedef struct {
    const bsolve_run *run;
    slip_problem p;
    const char *solver;
    tool_solve s;
    slip_real *g;                           /* BSOLVE_ROW x n: g of each, all alike when cold */
    int at, solved, iterations, factorizations;
} bsolve_case;

/* The last of the row is followed by the first: it varies no more from that than from its neighbours. */
static void bsolve_case_begin(const bsolve_run *r, const slip_problem *p, const char *solver, bsolve_case *c)
{
    slip_random rng = slip_random_seed(7);
    int i, k;

    c->run = r;
    c->p = *p;
    c->solver = solver;
    c->at = 0;
    c->solved = 1;
    c->g = (slip_real *)cli_alloc(BSOLVE_ROW*(size_t)p->n*sizeof *c->g);
    for (k = 0; k < BSOLVE_ROW; ++k) for (i = 0; i < p->n; ++i)
        c->g[k*p->n + i] = p->g[i]*(1 + (slip_real)r->vary*slip_random_uniform(&rng, -1, 1));
    tool_solve_begin(p, solver, &r->opt, &c->s);
}

static void bsolve_case_end(bsolve_case *c)
{
    tool_solve_end(&c->s);
    free(c->g);
}

static void bsolve_once(bsolve_case *c)
{
    const bsolve_run *r = c->run;

    c->p.g = c->g + c->at*c->p.n;
    c->s.sol.warm = r->vary > 0 && c->s.sol.status == SLIP_OK ? c->p.n : 0;
    slip_solve(c->solver, &c->p, &r->opt, &c->s.sol, &c->s.arena, NULL);
    c->at = (c->at + 1) % BSOLVE_ROW;
    c->solved = c->solved && c->s.sol.status >= 0
             && slip_residual_excess(r->own ? &c->s.sol.model : &c->s.sol.residual, r->opt.tol, r->opt.tol_rule)
                <= SLIP_R(1.001);
    c->iterations += c->s.sol.iterations;
    c->factorizations += c->s.sol.factorizations;
}

/* Processor seconds of `count` solves. */
static double bsolve_batch(bsolve_case *c, int count)
{
    const double start = cli_cpu_seconds();
    int k;

    for (k = 0; k < count; ++k) bsolve_once(c);
    return cli_cpu_seconds() - start;
}

/* Best seconds a solve of one solver on one problem, infinite when one was not solved. */
static double bsolve_time(bsolve_case *c)
{
    const double least = 50e-6;             /* of a batch: the clock itself takes a good part of a microsecond */
    double best, spent, t;
    int count = 1;

    c->s.sol.status = SLIP_MAX_ITERS;
    best = spent = bsolve_batch(c, 1);
    if (c->run->vary > 0) best = BSOLVE_NEVER;                    /* that one was cold */
    while (c->solved && spent < c->run->time) {
        const int step = c->run->vary > 0 ? BSOLVE_ROW : 1;

        if (count < step) count = step;
        t = bsolve_batch(c, count);
        spent += t;
        if (t/count < best) best = t/count;
        if (t < least && count < 100000) count *= 2;
    }
    c->iterations = c->factorizations = 0;                        /* mean of one row, by one more */
    if (c->solved && c->run->vary > 0) bsolve_batch(c, BSOLVE_ROW);
    return c->solved ? best : BSOLVE_NEVER;
}

static void bsolve_problem(bsolve_run *r, const char *path)
{
    tool_problem t;
    double *row = r->seconds + (size_t)r->problems*(size_t)r->nsolvers;
    int s;

    if (!tool_problem_load("bench solvers", path, &t)) return;
    for (s = 0; s < r->nsolvers; ++s) {
        bsolve_case c;

        bsolve_case_begin(r, &t.p, r->solvers[s], &c);
        row[s] = bsolve_time(&c);
        printf("%-38s %-17s %-6s ", t.name, r->solvers[s], row[s] < BSOLVE_NEVER ? "ok" : "failed");
        if (r->vary > 0 && c.solved)
            printf("%7.2f %6.2f", (double)c.iterations/BSOLVE_ROW, (double)c.factorizations/BSOLVE_ROW);
        else printf("%7d %6d", c.s.sol.iterations, c.s.sol.factorizations);
        printf(" %12.3f\n", 1e6*row[s]);
        fflush(stdout);
        bsolve_case_end(&c);
    }
    r->rival[r->problems++] = bsolve_rival(r, t.name);
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

/* Times over the rival's best on the problems that it solved; ours infinite where not solved. */
static void bsolve_compare(const bsolve_run *r)
{
    double *q = (double *)cli_alloc((size_t)(r->problems + 1)*sizeof *q);
    int s, p;

    printf("\n%-17s %9s %12s %18s\n", "solver", "compared", "faster on", "median ratio");
    for (s = 0; s < r->nsolvers; ++s) {
        int n = 0, faster = 0;

        for (p = 0; p < r->problems; ++p) {
            if (!(r->rival[p] < BSOLVE_NEVER)) continue;
            q[n] = r->seconds[(size_t)p*(size_t)r->nsolvers + (size_t)s]/r->rival[p];
            faster += q[n++] < 1;
        }
        printf("%-17s %9d %12d %18.3f\n", r->solvers[s], n, faster, bsolve_median(q, n));
    }
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

static int bsolve_against(bsolve_run *r)
{
    const char *path = cli_value(&r->args);
    size_t length;

    if (!path) return CLI_USAGE;
    free(r->against);
    r->against = cli_read_file("bench solvers", path, &length);
    if (!r->against) return CLI_FAILED;
    if (bsolve_column(r->against, "problem") != 0 || bsolve_column(r->against, "seconds") < 0
        || bsolve_column(r->against, "tol") < 0)
        return cli_fail("bench solvers", "%s: no table with columns problem (the first), tol, seconds", path);
    return CLI_OK;
}

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
    if (cli_is(&r->args, "--own")) { r->own = 1; return CLI_OK; }
    if (cli_is(&r->args, "--warm")) return cli_value_real(&r->args, 1e-12, 1, &r->vary) ? CLI_OK : CLI_USAGE;
    if (cli_is(&r->args, "--against")) return bsolve_against(r);
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
    r->rival = (double *)cli_alloc((size_t)r->nfiles*sizeof *r->rival);
    printf("%-38s %-17s %-6s %7s %6s %12s\n", "problem", "solver", "status", "iter", "fact", "us");
    for (i = 0; i < r->nfiles; ++i) bsolve_problem(r, r->files[i]);
    bsolve_summary(r);
    if (r->against) bsolve_compare(r);
    if (r->csv) rc = bsolve_write_csv(r);
    if (r->svg && rc == CLI_OK) rc = bsolve_write_svg(r);
    for (i = 0; i < r->nfiles; ++i) free(r->files[i]);
    free(r->seconds);
    free(r->rival);
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
    free(r->against);
    free(r);
    return rc;
}
