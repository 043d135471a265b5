/* slipstick papers: the experiments of the papers, with data, plots and verdicts, in one report. */
#define _POSIX_C_SOURCE 199309L   /* isatty, fileno */

#include "papers_run.h"
#include "output.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char papers_help[] =
    "usage: slipstick papers [ID...] [--out DIR] [--quick] [--data DIR] [--expect FILE] [--quiet]\n"
    "       slipstick papers --list\n\n"
    "Runs the experiments of four papers on frictional contact again, on equal terms, and scores the models on recordings\n"
    "and on other engines' behaviour (all of them, or those named; LL, CR, TO, HW name all of a paper, real those on\n"
    "recordings, like the one on engines). Writes for each its data as CSV and its plots as SVG, and for all one\n"
    "report, DIR/index.html, with a verdict computed from the data: holds, differs (the claim is seen, a number of it is\n"
    "not met), does not hold. Run it where models/ is.\n\n"
    "  --out DIR      where to write (default papers)\n"
    "  --quick        shorter runs and fewer cases, in less than two minutes for all\n"
    "  --data DIR     recordings and problem files: DIR/real/cube-toss.csv, DIR/problems/fclib (default ../shared, and\n"
    "                 then what is not there is left out; with --data it is an error)\n"
    "  --expect FILE  verdicts of an earlier run (its DIR/verdicts.txt): exit code 1 when a statement marked + is not\n"
    "                 true now, or, of a line without marks, the verdict is worse; and when all are to be run\n"
    "                 and the file has no line of one. Tells at the end what was not compared\n"
    "  --table FILE   verdicts and what is seen as a table for docs (markdown)\n"
    "  --source URL   where the report's links to sources go, the root of the repository (default: into this one)\n"
    "  --list         the experiments and what they take, without running them\n"
    "  --quiet        no progress line, which a terminal shows with the time left\n\n"
    "example: slipstick papers LL-fig9 --quick --out build/papers\n";

static const papers_family *const papers_families[] = { &papers_ll, &papers_cr, &papers_to, &papers_hw, &papers_real,
                                                       &papers_like };
enum { PAPERS_FAMILIES = (int)(sizeof papers_families/sizeof *papers_families), PAPERS_ALL = 64 };

typedef struct {
    const papers_experiment *list[PAPERS_ALL];
    int n;
    const char *directory, *expect, *data, *table, *source;
    int quick, quiet, show, whole;   /* whole: no names, all of them */
} papers_args;

/* ---- what to run --------------------------------------------------------------------------------------------- */

static void papers_list(void)
{
    double all = 0, quick = 0;
    int f, i;

    for (f = 0; f < PAPERS_FAMILIES; ++f) {
        const papers_family *p = papers_families[f];

        printf("%s  %s\n", p->name, p->reference);
        for (i = 0; i < p->count; ++i) {
            const papers_experiment *e = &p->list[i];

            if (e->run) printf("  %-17s %4.0f s, quick %3.0f s  %s\n", e->id, e->seconds, e->quick, e->title);
            else printf("  %-17s %-20s  %s\n", e->id, "place left open", e->title);
            all += e->run ? e->seconds : 0;
            quick += e->run ? e->quick : 0;
        }
    }
    printf("all: about %.0f minutes, quick %.0f s; times of one core, estimated\n", ceil(all/60), quick);
}

static void papers_add(papers_args *a, const papers_experiment *e)
{
    int i;

    for (i = 0; i < a->n; ++i) if (a->list[i] == e) return;
    if (a->n < PAPERS_ALL) a->list[a->n++] = e;
}

/* Figures and tables that stand under the id of another one. */
static const char *const papers_other_names[][2] = {
    { "LL-fig14", "LL-tab3" }, { "LL-fig15", "LL-tab4" }, { "CR-fig1", "CR-fig4" }, { "CR-tab2", "CR-fig7" },
    { "CR-tab4", "CR-tab3" }, { "HW-tab2", "HW-tab2+fig4+fig5" }, { "HW-fig4", "HW-tab2+fig4+fig5" },
    { "HW-fig5", "HW-tab2+fig4+fig5" }, { "TO-fig4", "TO-fig4+tab1" }, { "TO-tab1", "TO-fig4+tab1" },
    { "engines", "like" } };

/* Whether two names are the same in all but upper and lower case. */
static int papers_is_name(const char *a, const char *b)
{
    for (; *a && tolower((unsigned char)*a) == tolower((unsigned char)*b); ++a) ++b;
    return *a == *b;
}

/* An experiment's id or a paper's, in any case; NULL: all. 0 when there is none of this name. */
static int papers_add_named(papers_args *a, const char *name)
{
    size_t k;
    int f, i, found = 0;

    for (k = 0; name && k < sizeof papers_other_names/sizeof *papers_other_names; ++k)
        if (papers_is_name(name, papers_other_names[k][0])) name = papers_other_names[k][1];
    for (f = 0; f < PAPERS_FAMILIES; ++f)
        for (i = 0; i < papers_families[f]->count; ++i) {
            const papers_experiment *e = &papers_families[f]->list[i];

            if (name && !papers_is_name(name, e->id) && !papers_is_name(name, papers_families[f]->name)) continue;
            papers_add(a, e);
            found = 1;
        }
    return found;
}

/* CLI_OK, or the code to end with. */
static int papers_read_args(cli_args *args, papers_args *a)
{
    int kind;

    memset(a, 0, sizeof *a);
    a->directory = "papers";
    while ((kind = cli_next(args)) != 0) {
        if (kind == 2) {
            if (!papers_add_named(a, args->value))
                return cli_usage(args, "no experiment '%s'; 'slipstick papers --list' shows them", args->value);
        }
        else if (cli_is(args, "--quick")) a->quick = 1;
        else if (cli_is(args, "--quiet")) a->quiet = 1;
        else if (cli_is(args, "--list")) a->show = 1;
        else if (cli_is(args, "--out")) { if (!(a->directory = cli_value(args))) return CLI_USAGE; }
        else if (cli_is(args, "--data")) { if (!(a->data = cli_value(args))) return CLI_USAGE; }
        else if (cli_is(args, "--table")) { if (!(a->table = cli_value(args))) return CLI_USAGE; }
        else if (cli_is(args, "--source")) { if (!(a->source = cli_value(args))) return CLI_USAGE; }
        else if (cli_is(args, "--expect")) { if (!(a->expect = cli_value(args))) return CLI_USAGE; }
        else return cli_unknown(args);
    }
    a->whole = a->n == 0;
    if (a->whole) papers_add_named(a, NULL);
    return CLI_OK;
}

/* ---- running --------------------------------------------------------------------------------------------------- */

static double papers_cost(const papers_args *a, int i)
{
    return !a->list[i]->run ? 0 : a->quick ? a->list[i]->quick : a->list[i]->seconds;
}

/* All of them; 0 when one could not be run. */
static int papers_run_all(const papers_args *a, papers_run *runs)
{
    const int quiet = a->quiet || !isatty(fileno(stderr));     /* a line that is written over is for terminals */
    double spent = 0, expected = 0, all = 0;
    int i, ok = 1;

    for (i = 0; i < a->n; ++i) all += papers_cost(a, i);
    for (i = 0; i < a->n; ++i) {
        papers_run *r = &runs[i];

        papers_begin(r, a->list[i], a->directory, a->quick);
        r->quiet = quiet;
        r->inputs = a->data;
        r->before = expected;
        expected += papers_cost(a, i);
        r->after = all - expected;
        r->speed = r->before > 0 && spent > 0 ? spent/r->before : 1;
        if (!r->e->run && a->n == 1) printf("%-17s its place is left open: %s\n", r->e->id, r->e->setup);
        if (!r->e->run) continue;
        papers_progress(r, 0);
        if (!r->e->run(r)) { cli_fail("papers", "%s could not be run", r->e->id);  r->failed = 1; }
        ok = papers_finish(r) && ok;
        spent += r->seconds;
        if (!quiet) fprintf(stderr, "\r%60s\r", "");
        printf("%-17s %-14s %7.1f s  %s\n", r->e->id, papers_verdict_name(papers_verdict_of(r)), r->seconds,
               r->e->title);
        fflush(stdout);
    }
    return ok;
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

/* Marks of an experiment's statements, in their order: + true, - not true, ? about time, which machines answer. */
static char papers_mark(const papers_statement *s) { return (char)(s->is_timed ? '?' : s->is_true ? '+' : '-'); }

static int papers_write_verdicts(const papers_args *a, const papers_run *runs)
{
    char path[1024];
    FILE *f;
    int i, k;

    snprintf(path, sizeof path, "%s/verdicts.txt", a->directory);
    f = output_open("papers", path);
    if (!f) return 0;
    for (i = 0; i < a->n; ++i) {
        if (!runs[i].e->run) continue;
        fprintf(f, "%s %s%s", runs[i].e->id, papers_verdict_name(papers_verdict_of(&runs[i])),
                runs[i].nchecks > 0 ? ": " : "");
        for (k = 0; k < runs[i].nchecks; ++k) putc(papers_mark(&runs[i].checks[k]), f);
        putc('\n', f);
    }
    return output_close("papers", path, f);
}

/* A line "ID verdict: ++-+?": what is expected of an experiment. The part from the colon on may be left out: then the
 * verdict is compared, otherwise the statements, from which it follows. */
typedef struct { const papers_experiment *e; papers_verdict verdict; char marks[PAPERS_MOST + 1]; } papers_expected;

/* Reads a line; 0 when it is none of these. */
static int papers_read_expected(const char *line, papers_expected *x)
{
    const size_t n = strcspn(line, " ");
    int f, i, v;

    memset(x, 0, sizeof *x);
    for (f = 0; f < PAPERS_FAMILIES; ++f)
        for (i = 0; i < papers_families[f]->count; ++i) {
            const papers_experiment *e = &papers_families[f]->list[i];

            if (strlen(e->id) == n && strncmp(line, e->id, n) == 0) x->e = e;
        }
    if (!x->e || line[n] != ' ') return 0;
    for (v = PAPERS_HOLDS; v < PAPERS_NOT_RUN; ++v) {
        const char *name = papers_verdict_name((papers_verdict)v);
        const char *end = line + n + 1 + strlen(name);
        size_t marks;

        if (strncmp(line + n + 1, name, strlen(name)) != 0) continue;
        x->verdict = (papers_verdict)v;
        if (*end == '\0') return 1;
        if (strncmp(end, ": ", 2) != 0) continue;
        marks = strspn(end + 2, "+-?");
        if (marks == 0 || marks > PAPERS_MOST || end[2 + marks] != '\0') return 0;
        memcpy(x->marks, end + 2, marks);
        return 1;
    }
    return 0;
}

/* 0, after messages, when a statement that was true is not, or there are not as many. */
static int papers_keeps_marks(const papers_run *r, const char *marks)
{
    int k, ok = 1;

    if ((int)strlen(marks) != r->nchecks)
        return cli_fail("papers", "%s: %d statements, expected %d; is the file of a run with other options?", r->e->id,
                        r->nchecks, (int)strlen(marks)), 0;
    for (k = 0; k < r->nchecks; ++k) {
        if (marks[k] != '+' || r->checks[k].is_true) continue;
        cli_fail("papers", "%s: no longer true: %s", r->e->id, r->checks[k].what);
        ok = 0;
    }
    return ok;
}

/* 0, after messages, when a run is worse than what is expected of it. */
static int papers_is_as_expected(const papers_run *r, const papers_expected *x)
{
    const papers_verdict now = papers_verdict_of(r);
    int k;

    if (r->no_data) return 1;                        /* papers_tell_left_out() says so */
    if (x->marks[0]) return papers_keeps_marks(r, x->marks);
    if (now <= x->verdict) return 1;
    cli_fail("papers", "%s: %s, expected '%s'", r->e->id, papers_verdict_name(now), papers_verdict_name(x->verdict));
    for (k = 0; k < r->nchecks; ++k)
        if (!r->checks[k].is_true) fprintf(stderr, "    not true: %s\n", r->checks[k].what);
    return 0;
}

/* What a file of such lines expects; -1, after a message, when a line is none of them. */
static int papers_read_all_expected(const char *file, papers_expected list[PAPERS_ALL])
{
    size_t length;
    char *text = cli_read_file("papers", file, &length), *at = text;
    int line, n = 0;

    if (!text) return -1;
    for (line = 1; *at && n >= 0; ++line) {
        char *end = at + strcspn(at, "\n"), *next = end + (*end == '\n');

        if (end > at && end[-1] == '\r') --end;
        *end = '\0';
        if (*at && (n == PAPERS_ALL || !papers_read_expected(at, &list[n++]))) {
            cli_fail("papers", "%s:%d: '%s' is not an experiment and its verdict", file, line, at);
            n = -1;
        }
        at = next;
    }
    free(text);
    return n;
}

static const papers_expected *papers_line_of(const papers_run *r, const papers_expected *list, int expected)
{
    int i;

    for (i = 0; i < expected; ++i) if (list[i].e == r->e) return &list[i];
    return NULL;
}

/* Which lines and statements were compared with nothing. */
static void papers_tell_left_out(const papers_run *runs, int n, const papers_expected *list, int expected)
{
    int i, k, here, compared = 0, timed = 0, away = 0;

    for (k = 0; k < n; ++k) {
        const papers_expected *x = papers_line_of(&runs[k], list, expected);

        if (!runs[k].e->run) continue;
        if (!x) printf("%s: not compared, as no line is kept of it\n", runs[k].e->id);
        else if (runs[k].no_data) printf("%s: not compared, as its data is not there\n", runs[k].e->id);
        else for (i = 0; x->marks[i]; ++i) { compared += x->marks[i] == '+';  timed += x->marks[i] == '?'; }
    }
    for (i = 0; i < expected; ++i) {
        for (here = k = 0; k < n; ++k) here |= runs[k].e == list[i].e;
        away += !here;
    }
    printf("compared: %d statements that were true; not compared: %d about time, and %d lines of experiments that were "
           "not run\n", compared, timed, away);
}

/* Whether something is kept of each experiment, when all are to be run; 0 after messages. */
static int papers_check_lines(const papers_args *a, const papers_expected *list, int expected)
{
    int i, k, ok = 1;

    for (i = 0; a->whole && i < a->n; ++i) {
        for (k = 0; k < expected && list[k].e != a->list[i]; ++k) { }
        if (k < expected || !a->list[i]->run) continue;
        cli_fail("papers", "'%s' has no line of %s", a->expect, a->list[i]->id);
        ok = 0;
    }
    return ok;
}

/* 0, after messages, when one of the runs is worse than expected. */
static int papers_compare(const papers_args *a, const papers_run *runs, const papers_expected *list, int expected)
{
    int k, ok = 1;

    for (k = 0; k < a->n; ++k) {
        const papers_expected *x = papers_line_of(&runs[k], list, expected);

        if (!runs[k].e->run) continue;
        if (x) ok = papers_is_as_expected(&runs[k], x) && ok;
    }
    papers_tell_left_out(runs, a->n, list, expected);
    return ok;
}

/* Text of a table's cell: one line, no bars. */
static void papers_cell(FILE *f, const char *text)
{
    for (; *text; ++text) {
        if (*text == '|') fputc('\\', f);
        fputc(*text == '\n' ? ' ' : *text, f);
    }
}

/* The verdicts as a table in markdown: what is not true, and of those that hold the first statement. 0 after a
 * message. */
static int papers_write_table(const papers_args *a, const papers_run *runs)
{
    FILE *f = output_open("papers", a->table);
    int i, k;

    if (!f) return 0;
    fprintf(f, "| id | verdict | true | not true, or what is seen |\n|---|---|---|---|\n");
    for (i = 0; i < a->n; ++i) {
        const papers_run *r = &runs[i];
        const papers_verdict v = papers_verdict_of(r);
        int seen = 0, told = 0;

        if (!r->e->run || v == PAPERS_NOT_RUN) continue;
        for (k = 0; k < r->nchecks; ++k) seen += r->checks[k].is_true;
        fprintf(f, "| %s | %s | %d of %d | ", r->e->id, papers_verdict_name(v), seen, r->nchecks);
        for (k = 0; k < r->nchecks; ++k) {
            if (v == PAPERS_HOLDS ? k > 0 : r->checks[k].is_true) continue;
            if (told++) fputs("; ", f);
            papers_cell(f, r->checks[k].what);
        }
        fputs(" |\n", f);
    }
    return output_close("papers", a->table, f);
}

/* What would only be noticed after minutes: an output that cannot be written, inputs and models that are not there. 0
 * after a message. */
static int papers_check_paths(const papers_args *a)
{
    static const char model[] = "models/solo12.urdf";
    char path[1024];
    struct stat about;
    FILE *f;
    int i, real = 0;                                 /* tosses need no model */

    for (i = 0; i < a->n; ++i)
        real += a->list[i] >= papers_real.list && a->list[i] < papers_real.list + papers_real.count;
    if (a->data && (stat(a->data, &about) != 0 || !S_ISDIR(about.st_mode)))
        return cli_fail("papers", "--data: '%s' is not a directory", a->data), 0;
    f = real < a->n ? fopen(model, "r") : NULL;
    if (real < a->n && !f) return cli_fail("papers", "cannot read '%s': run it where models/ is", model), 0;
    if (f) fclose(f);
    if (!cli_make_directory("papers", a->directory)) return 0;
    snprintf(path, sizeof path, "%s/index.html", a->directory);
    return output_can_open("papers", path) && (!a->table || output_can_open("papers", a->table));
}

int slip_cmd_papers(int argc, char **argv)
{
    papers_run *runs;
    papers_args a;
    papers_expected list[PAPERS_ALL];
    cli_args args;
    int i, ok, code, expected = 0;

    cli_begin(&args, argc, argv);
    for (i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return fputs(papers_help, stdout), CLI_OK;
    code = papers_read_args(&args, &a);
    if (code != CLI_OK) return code;
    if (a.show) return papers_list(), CLI_OK;
    if (a.expect && (expected = papers_read_all_expected(a.expect, list)) < 0) return CLI_FAILED;
    if (a.expect && !papers_check_lines(&a, list, expected)) return CLI_FAILED;
    if (!papers_check_paths(&a)) return CLI_FAILED;
    runs = (papers_run *)cli_alloc((size_t)a.n*sizeof *runs);
    ok = papers_run_all(&a, runs);
    ok = papers_report(a.directory, a.source, a.quick, papers_families, PAPERS_FAMILIES, runs, a.n) && ok;
    ok = papers_write_verdicts(&a, runs) && ok;
    ok = (!a.table || papers_write_table(&a, runs)) && ok;
    if (ok) printf("report: %s/index.html\n", a.directory);
    ok = (!a.expect || papers_compare(&a, runs, list, expected)) && ok;
    for (i = 0; i < a.n; ++i) papers_free(&runs[i]);
    free(runs);
    return ok ? CLI_OK : CLI_FAILED;
}
