/* slipstick papers: the experiments of the papers, with data, plots and verdicts, in one report. */
#define _POSIX_C_SOURCE 199309L   /* isatty, fileno */

#include "papers_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char papers_help[] =
    "usage: slipstick papers [ID...] [--out DIR] [--quick] [--expect FILE] [--quiet]\n"
    "       slipstick papers --list\n\n"
    "Runs the experiments of four papers on frictional contact again, on equal terms, and scores the models on recordings\n"
    "and on other engines' behaviour (all of them, or those named; LL, CR, TO, HW name all of a paper, real those on\n"
    "recordings, like the one on engines). Writes for each its data as CSV and its plots as SVG, and for all one\n"
    "report, DIR/index.html, with a verdict computed from the data: holds, differs (the claim is seen, a number of it is\n"
    "not met), does not hold. Run it where models/ is.\n\n"
    "  --out DIR      where to write (default papers)\n"
    "  --quick        shorter runs and fewer cases, in less than two minutes for all\n"
    "  --expect FILE  verdicts of an earlier run (its DIR/verdicts.txt): exit code 1 when one is worse now\n"
    "  --list         the experiments and what they take, without running them\n"
    "  --quiet        no progress line, which a terminal shows with the time left\n\n"
    "example: slipstick papers LL-fig9 --quick --out build/papers\n";

static const papers_family *const papers_families[] = { &papers_ll, &papers_cr, &papers_to, &papers_hw, &papers_real,
                                                       &papers_like };
enum { PAPERS_FAMILIES = (int)(sizeof papers_families/sizeof *papers_families), PAPERS_ALL = 64 };

typedef struct {
    const papers_experiment *list[PAPERS_ALL];
    int n;
    const char *directory, *expect;
    int quick, quiet, show;
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

/* An experiment's id or a paper's; NULL: all. 0 when there is none of this name. */
static int papers_add_named(papers_args *a, const char *name)
{
    int f, i, found = 0;

    for (f = 0; f < PAPERS_FAMILIES; ++f)
        for (i = 0; i < papers_families[f]->count; ++i) {
            const papers_experiment *e = &papers_families[f]->list[i];

            if (name && strcmp(name, e->id) != 0 && strcmp(name, papers_families[f]->name) != 0) continue;
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
        else if (cli_is(args, "--expect")) { if (!(a->expect = cli_value(args))) return CLI_USAGE; }
        else return cli_unknown(args);
    }
    if (a->n == 0) papers_add_named(a, NULL);
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
        r->before = expected;
        expected += papers_cost(a, i);
        r->after = all - expected;
        r->speed = r->before > 0 && spent > 0 ? spent/r->before : 1;
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

static int papers_write_verdicts(const papers_args *a, const papers_run *runs)
{
    char path[1024];
    FILE *f;
    int i;

    snprintf(path, sizeof path, "%s/verdicts.txt", a->directory);
    f = fopen(path, "w");
    if (!f) return cli_fail("papers", "cannot write '%s': %s", path, strerror(errno)), 0;
    for (i = 0; i < a->n; ++i)
        if (runs[i].e->run) fprintf(f, "%s %s\n", runs[i].e->id, papers_verdict_name(papers_verdict_of(&runs[i])));
    if (fclose(f) != 0) return cli_fail("papers", "cannot write '%s'", path), 0;
    return 1;
}

/* The verdict that a line "ID verdict" of `text` expects; PAPERS_NOT_RUN when there is none. */
static papers_verdict papers_expected(const char *text, const char *id)
{
    const size_t n = strlen(id);
    int v;

    for (; text && *text; text = strchr(text, '\n'), text += text != NULL) {
        if (strncmp(text, id, n) != 0 || text[n] != ' ') continue;
        for (v = PAPERS_HOLDS; v < PAPERS_NOT_RUN; ++v) {
            const char *name = papers_verdict_name((papers_verdict)v);
            const size_t length = strlen(name);

            if (strncmp(text + n + 1, name, length) == 0 && strchr("\r\n", text[n + 1 + length]))
                return (papers_verdict)v;
        }
    }
    return PAPERS_NOT_RUN;
}

/* 0, after messages, when a verdict is worse than the expected one. */
static int papers_compare(const papers_run *runs, int n, const char *text)
{
    int i, k, ok = 1;

    for (i = 0; i < n; ++i) {
        const papers_verdict now = papers_verdict_of(&runs[i]), then = papers_expected(text, runs[i].e->id);

        if (!runs[i].e->run || then == PAPERS_NOT_RUN || now <= then) continue;
        cli_fail("papers", "%s: %s, expected '%s'", runs[i].e->id, papers_verdict_name(now), papers_verdict_name(then));
        for (k = 0; k < runs[i].nchecks; ++k)
            if (!runs[i].checks[k].is_true) fprintf(stderr, "    not true: %s\n", runs[i].checks[k].what);
        ok = 0;
    }
    return ok;
}

int slip_cmd_papers(int argc, char **argv)
{
    papers_run *runs;
    papers_args a;
    char *expected = NULL;
    size_t length;
    cli_args args;
    int i, ok, code;

    cli_begin(&args, argc, argv);
    for (i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return fputs(papers_help, stdout), CLI_OK;
    code = papers_read_args(&args, &a);
    if (code != CLI_OK) return code;
    if (a.show) return papers_list(), CLI_OK;
    if (a.expect && !(expected = cli_read_file("papers", a.expect, &length))) return CLI_FAILED;
    if (!cli_make_directory("papers", a.directory)) return free(expected), CLI_FAILED;
    runs = (papers_run *)cli_alloc((size_t)a.n*sizeof *runs);
    ok = papers_run_all(&a, runs);
    ok = papers_report(a.directory, a.quick, papers_families, PAPERS_FAMILIES, runs, a.n) && ok;
    ok = papers_write_verdicts(&a, runs) && ok;
    if (ok) printf("report: %s/index.html\n", a.directory);
    if (expected) ok = papers_compare(runs, a.n, expected) && ok;
    for (i = 0; i < a.n; ++i) papers_free(&runs[i]);
    free(runs);
    free(expected);
    return ok ? CLI_OK : CLI_FAILED;
}
