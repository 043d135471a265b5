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
#include "bench_generate.h"
#include "generate.h"
#include "problem_file.h"
#include "solver_args.h"
#include "output.h"

static void bsolve_help(void)
{
    fputs("usage: slipstick bench solvers [DIR] [--solver ID]... [OPTIONS]\n"
          "       slipstick bench solvers --generate KIND,... [--contacts N,...] [--seeds A:B|even|odd] [OPTIONS]\n\n"
          "Times solvers on all problem files (*.txt) of a folder (default models/problems) and prints the table, one\n"
          "row for each problem and solver, then for each solver how many were solved, the median time and the median\n"
          "ratio to the fastest. Times are processor time, in batches of 50 us at least, the best of many.\n\n"
          "With --generate the simulator makes the problems: stack (beams), wall (bricks hit by a ball, mass ratios\n"
          "to 1e4), pile (boxes), spheres, capsules, chain (bilateral rows), kapla (a tower), rover (few contacts "
          "that\n"
          "slide). Each is solved cold and from the step's warm start by all NCP solvers of ours; the\n"
          "summary is the default's time over the best of the others.\n\n"
          "  --contacts N,...  about so many contacts (default 100,300,1000)\n"
          "  --seeds A:B       draws A to B; even, odd: the even or odd ones of 0 to 5 (default even)\n"
          "  --limit S         seconds for one solve; longer solves count as not solved (20)\n"
          "  --own             judge each solver by the residual of its own model instead\n"
          "  --time S          seconds to spend on repeating a solve, the best counts (0.02)\n"
          "  --warm X          solve a row of problems, g varied by the share X from one to the next, each started\n"
          "                    from the last one's answer; means per solve. Without it every solve is cold\n"
          "  --against CSV     compare with the times in a table (columns problem, solver, tol, seconds, converged):\n"
          "                    per problem the least time of those that say converged at the same tolerance\n"
          "  --csv FILE        performance profiles: tau, and one column for each solver\n"
          "  --svg FILE        the same as a picture\n", stdout);
    fputs(solver_args_help_solver, stdout);
    fputs("                    Both may be repeated; default: all NCP solvers\n", stdout);
    fputs(solver_args_help_options, stdout);
    fputs("\nexample: slipstick bench solvers models/problems --solver ncp-admm --solver default\n", stdout);
}

#define BSOLVE_NEVER ((double)INFINITY)      /* the time of a solver that did not solve */

enum { BSOLVE_MOST_SOLVERS = 2*BENCH_GENERATE_MOST, BSOLVE_MOST_FILES = 1000, BSOLVE_POINTS = 121 };

typedef struct {
    cli_args args;
    const char *folder, *csv, *svg;
    solver_args solve;
    bench_generate generate;                /* nkinds > 0: make problems instead of reading them */
    const slip_solver *solvers[BSOLVE_MOST_SOLVERS];
    const char *names[BSOLVE_MOST_SOLVERS]; /* ids, or engines                            */
    slip_solver_options opts[BSOLVE_MOST_SOLVERS];
    int nsolvers, own;
    slip_solver_options opt;                /* common to all: the tolerance               */
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
    const slip_solver *solver;
    const slip_solver_options *opt;
    tool_solve s;
    slip_real *g;                           /* BSOLVE_ROW x n: g of each, all alike when cold */
    int at, solved, iterations, factorizations;
    int tried;                              /* it ended in time: the next solves need no timer */
} bsolve_case;

/* The last problem of the row is followed by the first, so the variation is periodic. */
static void bsolve_case_begin(const bsolve_run *r, const slip_problem *p, int solver, bsolve_case *c)
{
    slip_random rng = slip_random_seed(7);
    int i, k;

    c->run = r;
    c->p = *p;
    c->solver = r->solvers[solver];
    c->opt = &r->opts[solver];
    c->at = 0;
    c->solved = 1;
    c->tried = 0;
    c->g = (slip_real *)cli_alloc(BSOLVE_ROW*(size_t)p->n*sizeof *c->g);
    for (k = 0; k < BSOLVE_ROW; ++k) for (i = 0; i < p->n; ++i)
        c->g[k*p->n + i] = p->g[i]*(1 + (slip_real)r->vary*slip_random_uniform(&rng, -1, 1));
    tool_solve_begin(p, c->solver, c->opt, &c->s);
}

static void bsolve_case_end(bsolve_case *c)
{
    tool_solve_end(&c->s);
    free(c->g);
}

static void bsolve_once(bsolve_case *c)
{
    const bsolve_run *r = c->run;
    const char *status;

    c->p.g = c->g + c->at*c->p.n;
    c->s.sol.warm = r->vary > 0 && c->s.sol.status == SLIP_OK ? c->p.n : 0;
    if (c->tried) slip_solve(c->solver, &c->p, c->opt, &c->s.sol, &c->s.arena);
    else tool_solve_within(c->solver, &c->p, c->opt, &c->s, r->generate.limit, &status);
    c->tried = 1;
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

/* Solves one problem by all solvers and prints their rows; 0, after a message, when the file cannot be read. */
static int bsolve_problem(bsolve_run *r, const char *path)
{
    tool_problem t;
    double *row = r->seconds + (size_t)r->problems*(size_t)r->nsolvers;
    int s;

    if (!tool_problem_load("bench solvers", path, &t)) return 0;
    for (s = 0; s < r->nsolvers; ++s) {
        bsolve_case c;

        bsolve_case_begin(r, &t.p, s, &c);
        row[s] = bsolve_time(&c);
        printf("%-38s %-17s %-6s ", t.name, r->names[s], row[s] < BSOLVE_NEVER ? "ok" : "failed");
        if (r->vary > 0 && c.solved)
            printf("%7.2f %6.2f", (double)c.iterations/BSOLVE_ROW, (double)c.factorizations/BSOLVE_ROW);
        else printf("%7d %6d", c.s.sol.iterations, c.s.sol.factorizations);
        printf(" %12.3f\n", 1e6*row[s]);
        fflush(stdout);
        bsolve_case_end(&c);
    }
    r->rival[r->problems++] = bsolve_rival(r, t.name);
    tool_problem_free(&t);
    return 1;
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
        printf("%-17s %4d/%-4d %14.3f %18.3f\n", r->names[s], solved, r->problems, bsolve_median(t, r->problems),
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
        printf("%-17s %9d %12d %18.3f\n", r->names[s], n, faster, bsolve_median(q, n));
    }
    free(q);
}

static int bsolve_write_csv(const bsolve_run *r)
{
    FILE *f = output_open("bench solvers", r->csv);
    int k, s;

    if (!f) return CLI_FAILED;
    fputs("tau", f);
    for (s = 0; s < r->nsolvers; ++s) fprintf(f, ",%s", r->names[s]);
    fputc('\n', f);
    for (k = 0; k < BSOLVE_POINTS; ++k) {
        fprintf(f, "%.4f", bsolve_tau(k));
        for (s = 0; s < r->nsolvers; ++s) fprintf(f, ",%.4f", bsolve_profile(r, s, bsolve_tau(k)));
        fputc('\n', f);
    }
    return output_close("bench solvers", r->csv, f) ? CLI_OK : CLI_FAILED;
}

/* Step curves over log tau; the legend in the order of the curves at tau = 10. */
static int bsolve_write_svg(const bsolve_run *r)
{
    static const char *const colours[] = { "#1b6ca8", "#d1495b", "#2e8b57", "#edae49", "#66418a", "#00798c", "#8d5524",
                                           "#444444", "#c06c84", "#6a994e", "#bc6c25", "#5f0f40" };
    const double left = 60, top = 20, width = 560, height = 360;
    FILE *f = output_open("bench solvers", r->svg);
    int k, s;

    if (!f) return CLI_FAILED;
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
                top + 16 + 20*s, r->names[s]);
    }
    fputs("</svg>\n", f);
    return output_close("bench solvers", r->svg, f) ? CLI_OK : CLI_FAILED;
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

/* The words of a list divided by commas, pointed to in place; 0, after a message, when there are too many. */
static int bsolve_kinds(bsolve_run *r)
{
    char *text = (char *)(size_t)cli_value(&r->args);

    while (text && *text) {
        char *comma = strchr(text, ',');

        if (comma) *comma = '\0';
        if (r->generate.nkinds == BENCH_GENERATE_MOST) return cli_usage(&r->args, "too many kinds"), 0;
        if (!strstr(generate_kinds(), text) || strchr(text, ' '))
            return cli_usage(&r->args, "--generate: '%s', expected one of: %s", text, generate_kinds()), 0;
        r->generate.kinds[r->generate.nkinds++] = text;
        text = comma ? comma + 1 : NULL;
    }
    return r->generate.nkinds > 0;
}

static int bsolve_contacts(bsolve_run *r)
{
    const char *text = cli_value(&r->args);
    int n = 0, used;

    if (!text) return 0;
    for (r->generate.ncontacts = 0; r->generate.ncontacts < BENCH_GENERATE_MOST; ) {
        used = slip_read_int(text, (int)strlen(text), &n);
        if (used <= 0 || n < 8 || n > 20000) break;
        r->generate.contacts[r->generate.ncontacts++] = n;
        text += used;
        if (*text == '\0') return 1;
        if (*text++ != ',') break;
    }
    return cli_usage(&r->args, "--contacts: expected whole numbers from 8 to 20000, divided by commas"), 0;
}

/* A:B, even or odd. */
static int bsolve_seeds(bsolve_run *r, const char *text)
{
    int from = 0, to = 5, step = 2, used;

    if (!text) return 0;
    if (strcmp(text, "odd") == 0) from = 1;
    else if (strcmp(text, "even") != 0) {
        used = slip_read_int(text, (int)strlen(text), &from);
        to = from;
        step = 1;
        if (used > 0 && text[used] == ':') {
            text += used + 1;
            used = slip_read_int(text, (int)strlen(text), &to);
        }
        if (used <= 0 || text[used] || from < 0 || to < from || to - from >= 1000)
            return cli_usage(&r->args, "--seeds: expected A:B with 0 <= A <= B, even or odd"), 0;
    }
    for (r->generate.nseeds = 0; from <= to; from += step) r->generate.seeds[r->generate.nseeds++] = from;
    return 1;
}

static int bsolve_option(bsolve_run *r)
{
    cli_args *a = &r->args;
    int taken;

    if (cli_is(a, "--generate")) return bsolve_kinds(r) ? CLI_OK : CLI_USAGE;
    if (cli_is(a, "--contacts")) return bsolve_contacts(r) ? CLI_OK : CLI_USAGE;
    if (cli_is(a, "--seeds")) return bsolve_seeds(r, cli_value(a)) ? CLI_OK : CLI_USAGE;
    if (cli_is(a, "--limit")) return cli_value_real(a, 1e-3, 1e6, &r->generate.limit) ? CLI_OK : CLI_USAGE;
    if (cli_is(a, "--time")) return cli_value_real(a, 0, 1e3, &r->time) ? CLI_OK : CLI_USAGE;
    if (cli_is(a, "--own")) { r->own = 1; return CLI_OK; }
    if (cli_is(a, "--warm")) return cli_value_real(a, 1e-12, 1, &r->vary) ? CLI_OK : CLI_USAGE;
    if (cli_is(a, "--against")) return bsolve_against(r);
    if (cli_is(a, "--csv")) return (r->csv = cli_value(a)) ? CLI_OK : CLI_USAGE;
    if (cli_is(a, "--svg")) return (r->svg = cli_value(a)) ? CLI_OK : CLI_USAGE;
    taken = solver_args_take(a, &r->solve);
    if (taken == 0) return cli_unknown(a);
    return taken > 0 ? CLI_OK : CLI_USAGE;
}

static void bsolve_add(bsolve_run *r, const slip_solver *solver, const char *engine)
{
    slip_solver_options *o = &r->opts[r->nsolvers];

    if (r->nsolvers == BSOLVE_MOST_SOLVERS) return;
    *o = slip_solver_defaults();
    if (!r->generate.nkinds) o->max_iterations = 20000;
    solver_args_apply(&r->solve, engine, o);
    o->clock = tool_clock;
    r->names[r->nsolvers] = engine ? engine : solver->id;
    r->solvers[r->nsolvers++] = solver;
}

/* The solvers and engines given; or all NCP solvers, of ours alone for generated problems. */
static void bsolve_solvers(bsolve_run *r)
{
    slip_solver_options unused = slip_solver_defaults();
    const slip_solver *s;
    int i;

    for (i = 0; i < r->solve.count; ++i) bsolve_add(r, r->solve.list[i], NULL);
    for (i = 0; i < r->solve.likes; ++i) bsolve_add(r, slip_solver_like(r->solve.like[i], &unused), r->solve.like[i]);
    for (i = 0; r->solve.count + r->solve.likes == 0 && (s = slip_solver_get(i)) != NULL; ++i)
        if (s->model == SLIP_MODEL_NCP && !(r->generate.nkinds && *s->paper)) bsolve_add(r, s, NULL);
    r->opt = slip_solver_defaults();
    solver_args_apply(&r->solve, NULL, &r->opt);
    solver_args_warn("bench solvers", &r->solve, r->solvers, r->nsolvers, 0);
}

static int bsolve_generate(bsolve_run *r)
{
    static const int usual[] = { 100, 300, 1000 };
    bench_generate *g = &r->generate;

    if (r->folder) return cli_usage(&r->args, "--generate makes problems; there is also the folder '%s'", r->folder);
    if (g->ncontacts == 0) memcpy(g->contacts, usual, sizeof usual);
    if (g->ncontacts == 0) g->ncontacts = 3;
    if (g->nseeds == 0) bsolve_seeds(r, "even");
    memcpy((void *)g->solvers, (const void *)r->solvers, sizeof r->solvers);
    memcpy((void *)g->names, (const void *)r->names, sizeof r->names);
    memcpy(g->opts, r->opts, sizeof r->opts);
    g->nsolvers = r->nsolvers;
    g->time = r->time;
    return bench_generate_run(g);
}

static int bsolve_all(bsolve_run *r)
{
    int i, rc = bsolve_list(r);

    if (rc != CLI_OK) return rc;
    r->seconds = (double *)cli_alloc((size_t)r->nfiles*(size_t)r->nsolvers*sizeof *r->seconds);
    r->rival = (double *)cli_alloc((size_t)r->nfiles*sizeof *r->rival);
    printf("%-38s %-17s %-6s %7s %6s %12s\n", "problem", "solver", "status", "iter", "fact", "us");
    for (i = 0; i < r->nfiles; ++i) if (!bsolve_problem(r, r->files[i])) rc = CLI_FAILED;
    bsolve_summary(r);
    if (r->against) bsolve_compare(r);
    if (r->csv && bsolve_write_csv(r) != CLI_OK) rc = CLI_FAILED;
    if (r->svg && bsolve_write_svg(r) != CLI_OK) rc = CLI_FAILED;
    for (i = 0; i < r->nfiles; ++i) free(r->files[i]);
    free(r->seconds);
    free(r->rival);
    return rc;
}

int slip_bench_solvers(int argc, char **argv)
{
    bsolve_run *r = (bsolve_run *)cli_alloc(sizeof *r);
    int kind, rc = CLI_OK;

    memset(r, 0, sizeof *r);
    r->time = 0.02;
    r->generate.limit = 20;
    cli_begin(&r->args, argc, argv);
    while (rc == CLI_OK && (kind = cli_next(&r->args)) != 0) {
        if (kind == 1 && (cli_is(&r->args, "--help") || cli_is(&r->args, "-h"))) {
            bsolve_help();
            free(r);
            return CLI_OK;
        }
        if (kind == 1) rc = bsolve_option(r);
        else if (r->folder) rc = cli_usage(&r->args, "one folder at a time");
        else r->folder = r->args.value;
    }
    if (rc == CLI_OK) bsolve_solvers(r);
    if (rc == CLI_OK && r->generate.nkinds) rc = bsolve_generate(r);
    else if (rc == CLI_OK) {
        if (!r->folder) r->folder = "models/problems";
        rc = bsolve_all(r);
    }
    free(r->against);
    free(r);
    return rc;
}
