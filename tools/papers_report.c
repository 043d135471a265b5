/* The report on the papers' experiments: one page with the verdicts on top, then each experiment with its set-up,
 * numbers, statements and figures. It holds everything it shows. */
#define _POSIX_C_SOURCE 199309L   /* getcwd */

#include "papers_run.h"
#include "output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char report_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Slipstick: the papers' experiments</title>\n<style>\n"
    ":root { color-scheme: light; }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 0 auto; max-width: 62rem;\n"
    "       padding: 1rem; }\n"
    "h1 { font-size: 1.7rem; line-height: 1.2; } h2 { margin-top: 3rem; border-bottom: 2px solid #ccc; }\n"
    "h3 { margin: 2.6rem 0 0.4rem; line-height: 1.4; } a { color: #0b4f9e; }\n"
    ".top { font-size: 0.8rem; font-weight: 400; }\n"
    "table { border-collapse: collapse; width: 100%; margin: 0.8rem 0; font-size: 0.92rem; }\n"
    "th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.6rem; border-bottom: 1px solid #ddd; }\n"
    "td.n { font-variant-numeric: tabular-nums; } th.p { background: #f3f5f8; border-bottom: 2px solid #bbb; }\n"
    "tr.ours td { background: #eef4fd; } td.c { white-space: nowrap; color: #444; }\n"
    "code { overflow-wrap: anywhere; } sup { line-height: 0; }\n"
    ".scroll { overflow-x: auto; }\n"
    ".v { font-weight: 600; white-space: nowrap; padding: 0.1rem 0.5rem; border-radius: 0.8rem; border: 1px solid; }\n"
    ".holds { color: #0a5c2b; background: #e5f5ea; } .differs { color: #7a4a00; background: #fff2d9; }\n"
    ".does { color: #8c1414; background: #fde8e8; } .not { color: #555; background: #eee; }\n"
    "figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }\n"
    "@media (max-width: 40rem) { body { padding: 0.6rem; } th, td { padding: 0.25rem 0.3rem; }\n"
    "  td.c { display: none; }\n"
    "  table.glance { font-size: 0.85rem; } table.glance .v { padding: 0 0.3rem; }\n"
    "  table.stack td:nth-child(2)::before { content: 'Asks: '; font-style: italic; }\n"
    "  table.stack td:nth-child(3)::before { content: 'Gives up: '; font-style: italic; }\n"
    "  figure { overflow-x: auto; } figure svg { min-width: 34rem; }\n"
    "  table.stack, table.stack tbody, table.stack tr, table.stack td { display: block; }\n"
    "  table.stack thead { display: none; }\n"
    "  table.stack td { border: 0; } table.stack tr { border-bottom: 1px solid #ddd; padding: 0.3rem 0; } }\n"
    "figcaption { font-size: 0.92rem; color: #444; }\n"
    "ul.s { list-style: none; padding: 0; } ul.s li { padding-left: 1.6rem; text-indent: -1.6rem; }\n"
    "ul.s b { display: inline-block; width: 1.6rem; text-indent: 0; }\n"
    ".claim { border-left: 4px solid #bbb; padding-left: 0.8rem; color: #333; }\n"
    ".data { font-size: 0.88rem; color: #555; }\n"
    "@media print { html { font-size: 9.5pt; } body { max-width: none; font-size: 1rem; padding: 0; }\n"
    "  h2 { break-before: page; }\n"
    "  figure, tr, li, .claim { break-inside: avoid; } h2, h3, .claim { break-after: avoid; }\n"
    "  thead { display: table-header-group; }\n"
    "  figure svg { max-height: 8.5cm; width: auto; } .scroll { overflow: visible; } .top { display: none; }\n"
    "  a { color: inherit; text-decoration: none; } td, th { overflow-wrap: break-word; }\n"
    "  p { orphans: 3; widows: 3; }\n"
    "  .v, tr.ours td, th.p { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }\n"
    "</style>\n</head>\n<body>\n";

static void report_verdict(slip_stream *out, papers_verdict v)
{
    const char *name = papers_verdict_name(v);
    const char *blank = strchr(name, ' ');

    slip_put_text(out, "<span class=\"v ");
    slip_put(out, name, blank ? (size_t)(blank - name) : strlen(name));
    slip_put_text(out, "\">");
    slip_put_text(out, name);
    slip_put_text(out, "</span>");
}

static int report_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* How many characters of `at` are to be printed in another way, which is put: 10^3 with a raised exponent, +- as one
 * sign, us behind a number as microseconds, no line break within 1e-9. 0: none. */
static size_t report_sign(slip_stream *out, const char *at, const char *start)
{
    size_t n;

    if (at[0] == '^' && at > start && (at[1] == '-' || (at[1] >= '0' && at[1] <= '9'))) {
        n = 1 + strspn(at + 1, "-") + strspn(at + 1 + strspn(at + 1, "-"), "0123456789");
        slip_put_text(out, "<sup>");
        if (at[1] == '-') slip_put_text(out, "&#8722;");
        slip_put(out, at + 1 + (at[1] == '-'), n - 1 - (at[1] == '-'));
        slip_put_text(out, "</sup>");
        return n;
    }
    if (at[0] == '+' && at[1] == '-') return slip_put_text(out, "&#177;"), 2;
    if (strncmp(at, " us", 3) == 0 && !report_is_letter(at[3]) && at > start && at[-1] >= '0' && at[-1] <= '9')
        return slip_put_text(out, "&#160;&#181;s"), 3;
    if (at > start && at[-1] >= '0' && at[-1] <= '9' && at[0] == 'e' && at[1] == '-' && at[2] >= '0' && at[2] <= '9')
        return slip_put_text(out, "e-&#8288;"), 2;           /* a word joiner */
    return 0;
}

/* Text of an experiment, with such signs. A character of several bytes is put as a whole. */
static void report_text(slip_stream *out, const char *text)
{
    const char *at = text;

    while (*at) {
        const size_t n = report_sign(out, at, text);
        char one[8] = { 0 };
        size_t used = 0;

        if (n == 0)
            do one[used] = at[used];
            while (++used < sizeof one - 1 && ((unsigned char)at[used] & 0xc0) == 0x80);
        slip_put_xml(out, one);
        at += n + used;
    }
}

/* <TAG>text</TAG> */
static void report_tag(slip_stream *out, const char *tag, const char *text)
{
    slip_put_format(out, "<%s>", tag);
    report_text(out, text);
    slip_put_format(out, "</%s>", tag);
}

/* Appends a part of a path after the last one, or removes that for "..". */
static int report_add_part(char *path, size_t size, const char *part, size_t n)
{
    char *end = path + strlen(path);

    if (n == 0 || (n == 1 && part[0] == '.')) return 1;
    if (n == 2 && part[0] == '.' && part[1] == '.') {
        char *last = strrchr(path, '/');

        if (last) *last = '\0';
        return 1;
    }
    if ((size_t)(end - path) + n + 2 > size) return 0;
    *end++ = '/';
    memcpy(end, part, n);
    end[n] = '\0';
    return 1;
}

static int report_add_path(char *path, size_t size, const char *more)
{
    while (*more) {
        const size_t n = strcspn(more, "/");

        if (!report_add_part(path, size, more, n)) return 0;
        more += n;
        more += strspn(more, "/");
    }
    return 1;
}

/* The way from the report's directory to the present one, where the sources are: "../" for a directory in it. NULL when
 * it is not in it: a report elsewhere is looked at elsewhere, too. */
static const char *report_way_back(const char *directory, char *way, size_t size)
{
    char from[1024] = "", to[1024] = "", here[1024];
    const char *a = from, *b = to;

    if (!getcwd(here, sizeof here) || !report_add_path(to, sizeof to, here)) return NULL;
    if (directory[0] != '/' && !report_add_path(from, sizeof from, here)) return NULL;
    if (!report_add_path(from, sizeof from, directory)) return NULL;
    while (*a && *b) {                                       /* without the parts that both have */
        const size_t n = 1 + strcspn(a + 1, "/"), m = 1 + strcspn(b + 1, "/");

        if (n != m || strncmp(a, b, n) != 0) break;
        a += n;
        b += m;
    }
    way[0] = '\0';
    for (; *a; a += 1 + strcspn(a + 1, "/")) {
        if (strlen(way) + 4 > size) return NULL;
        strcat(way, "../");
    }
    return *b ? NULL : way;
}

/* A solver's id and its source in the repository, as a link where its root is known. */
static void report_solver(slip_stream *out, const char *id, const char *root)
{
    const slip_solver *solver = slip_solver_find(id);
    char file[64];
    size_t i;

    for (i = 0; id[i]; ++i) file[i] = (char)(id[i] == '-' ? '_' : id[i]);
    file[i] = '\0';
    slip_put_format(out, "<code>%s</code> (%s", id, !solver ? "" : *solver->paper ? solver->paper : "ours");
    slip_put_text(out, solver ? ", " : "");
    if (root) {
        slip_put_text(out, "<a href=\"");
        slip_put_xml(out, root);
        if (*root && root[strlen(root) - 1] != '/') slip_put_text(out, "/");
        slip_put_format(out, "src/solvers/%s.c\">src/solvers/%s.c</a>)", file, file);
    }
    else slip_put_format(out, "src/solvers/%s.c)", file);
}

/* The solvers of an experiment, each with its source and where it is printed. */
static void report_solvers(slip_stream *out, const char *ids, const char *root)
{
    const char *at = ids;

    slip_put_text(out, "<p class=\"data\">Solvers:");
    while (*at) {
        const size_t n = strcspn(at, " ");
        char id[64];

        snprintf(id, sizeof id, "%.*s", (int)n, at);
        slip_put_text(out, " ");
        report_solver(out, id, root);
        at += n + strspn(at + n, " ");
        if (*at) slip_put_text(out, ",");
    }
    slip_put_text(out, "</p>\n");
}

/* Differences from one of ours are not ours. */
static int report_is_ours(const char *what) { return strstr(what, "(ours)") && !strstr(what, " less "); }

/* The paper's, or recorded, numbers beside ours; without their column when there are none. */
static void report_numbers(slip_stream *out, const papers_run *r, const char *column)
{
    int i, printed = 0;

    if (r->nrows == 0) return;
    for (i = 0; i < r->nrows; ++i) printed |= strcmp(r->rows[i].paper, "-") != 0;
    slip_put_text(out, "<div class=\"scroll\"><table><thead><tr><th></th>");
    if (printed) slip_put_format(out, "<th>%s</th>", column);
    slip_put_text(out, printed || strcmp(column, "paper") != 0 ? "<th>here</th></tr></thead>\n"
                                                               : "<th>here (the paper prints no numbers)</th></tr>"
                                                                 "</thead>\n");
    for (i = 0; i < r->nrows; ++i) {
        slip_put_text(out, report_is_ours(r->rows[i].what) ? "<tr class=\"ours\">" : "<tr>");
        report_tag(out, "td", r->rows[i].what);
        if (printed) {
            slip_put_text(out, "<td class=\"n\">");
            report_text(out, r->rows[i].paper);
            slip_put_text(out, "</td>");
        }
        slip_put_text(out, "<td class=\"n\">");
        report_text(out, r->rows[i].ours);
        slip_put_text(out, "</td></tr>\n");
    }
    slip_put_text(out, "</table></div>\n");
}

static void report_statements(slip_stream *out, const papers_run *r)
{
    int i;

    if (r->nchecks > 0) slip_put_text(out, "<ul class=\"s\">\n");
    for (i = 0; i < r->nchecks; ++i) {
        const papers_statement *s = &r->checks[i];

        slip_put_text(out, s->is_true ? "<li><b>&#10003;</b>" : "<li><b>&#10007;</b>");
        report_text(out, s->what);
        slip_put_format(out, " <em>(%s%s)</em></li>\n", s->kind == PAPERS_CLAIM ? "claim" : "number",
                        s->is_timed ? " about time" : "");
    }
    if (r->nchecks > 0) slip_put_text(out, "</ul>\n");
}

static void report_figures(slip_stream *out, const papers_run *r)
{
    int i;

    for (i = 0; i < r->nfigures; ++i) {
        slip_put_text(out, "<figure>");
        slip_put(out, r->figures[i].svg.text, r->figures[i].svg.used);
        report_tag(out, "figcaption", r->figures[i].caption);
        slip_put_text(out, "</figure>\n");
    }
}

static void report_experiment(slip_stream *out, const papers_run *r, const char *column, const char *root)
{
    int i;

    slip_put_text(out, "<section id=\"");
    slip_put_xml(out, r->e->id);
    slip_put_text(out, "\"><h3>");
    slip_put_xml(out, r->e->id);
    slip_put_text(out, ": ");
    report_text(out, r->e->title);
    slip_put_text(out, " ");
    report_verdict(out, papers_verdict_of(r));
    slip_put_text(out, " <a class=\"top\" href=\"#verdicts\">verdicts</a></h3>\n<p class=\"claim\">");
    report_text(out, r->e->claim);
    slip_put_text(out, "</p>\n");
    report_tag(out, "p", r->e->setup);
    slip_put_text(out, "\n");
    report_statements(out, r);
    report_numbers(out, r, column);
    report_figures(out, r);
    for (i = 0; i < r->nsaid; ++i) { report_tag(out, "p", r->said[i]);  slip_put_text(out, "\n"); }
    if (r->e->solvers[0]) report_solvers(out, r->e->solvers, root);
    if (r->ndata > 0) slip_put_text(out, "<p class=\"data\">Data:");
    for (i = 0; i < r->ndata; ++i) {
        slip_put_text(out, i > 0 ? ", <a href=\"" : " <a href=\"");
        slip_put_xml(out, r->data[i]);
        slip_put_text(out, "\">");
        slip_put_xml(out, r->data[i]);
        slip_put_text(out, "</a>");
    }
    if (r->ndata > 0) slip_put_text(out, "</p>\n");
    slip_put_text(out, "</section>\n");
}

static int report_is_of(const papers_run *r, const papers_family *family)
{
    return r->e >= family->list && r->e < family->list + family->count;
}

/* "5 of 8 claims, 1 of 2 numbers" */
/* Adds the statements of a kind and how many of them are true to *all and *seen. */
static void report_count(const papers_run *r, papers_kind kind, int *seen, int *all)
{
    int i;

    for (i = 0; i < r->nchecks; ++i) {
        *all += r->checks[i].kind == kind;
        *seen += r->checks[i].kind == kind && r->checks[i].is_true;
    }
}

static void report_counts(slip_stream *out, const papers_run *r)
{
    static const char *const words[2][2] = { { "claim", "claims" }, { "number", "numbers" } };
    int k, told = 0;

    for (k = 0; k < 2; ++k) {
        int seen = 0, all = 0;

        report_count(r, k == 0 ? PAPERS_CLAIM : PAPERS_FIGURE, &seen, &all);
        if (all == 0) continue;
        slip_put_format(out, "%s%d of %d %s", told++ ? ", " : "", seen, all, words[k][all > 1]);
    }
}

static void report_glance_row(slip_stream *out, const papers_run *r)
{
    slip_put_text(out, "<tr><td><a href=\"#");
    slip_put_xml(out, r->e->id);
    slip_put_text(out, "\">");
    slip_put_xml(out, r->e->id);
    slip_put_text(out, "</a></td><td>");
    report_verdict(out, papers_verdict_of(r));
    slip_put_text(out, "</td>");
    report_tag(out, "td", r->e->title);
    slip_put_text(out, "<td class=\"c\">");
    report_counts(out, r);
    slip_put_text(out, "</td></tr>\n");
}

/* The verdicts at a glance, which are also the table of contents. */
static void report_glance(slip_stream *out, const papers_family *const *families, int nfamilies, const papers_run *runs,
                          int n)
{
    int i, f, counts[4] = { 0, 0, 0, 0 }, seen = 0, all = 0;

    for (i = 0; i < n; ++i) {
        ++counts[papers_verdict_of(&runs[i])];
        report_count(&runs[i], PAPERS_CLAIM, &seen, &all);
    }
    slip_put_format(out, "<p id=\"verdicts\">%d hold, %d differ in numbers, %d do not hold, %d not run. An experiment "
                    "does not hold as soon as one claim is not seen: of all %d claims %d are.</p>\n", counts[PAPERS_HOLDS],
                    counts[PAPERS_DIFFERS], counts[PAPERS_DOES_NOT_HOLD], counts[PAPERS_NOT_RUN], all, seen);
    slip_put_text(out, "<div class=\"scroll\"><table class=\"glance\">\n");
    for (f = 0; f < nfamilies; ++f) {
        int any = 0;

        for (i = 0; i < n; ++i) {
            if (!report_is_of(&runs[i], families[f])) continue;
            if (!any++) {
                slip_put_format(out, "<tr><th class=\"p\" colspan=\"4\"><a href=\"#paper-%s\">%s</a>: ",
                                families[f]->name, families[f]->name);
                slip_put_xml(out, families[f]->reference);
                slip_put_text(out, "</th></tr>\n");
            }
            report_glance_row(out, &runs[i]);
        }
    }
    slip_put_text(out, "</table></div>\n");
}

static void report_opening(slip_stream *out, int quick)
{
    slip_put_text(out, "<h1>The papers&#8217; experiments, run again</h1>\n<p>Every experiment of four papers on "
                       "frictional contact, on equal terms: each step solves one problem, the same for every solver, "
                       "from the last step&#8217;s impulses, to the same tolerance. Solvers with a paper&#8217;s name "
                       "run what the paper prints; our own are marked <em>(ours)</em>, on blue rows of "
                       "tables.</p>\n"
                       "<p>A verdict is computed from the statements below it, each a <em>claim</em> of the paper or a "
                       "<em>number</em> that it prints: <em>holds</em> when all are true, <em>differs</em> when the "
                       "claims are seen but a number is not met, <em>does not hold</em> when a claim is not seen. What "
                       "a paper leaves open is chosen, stated and varied.</p>\n"
                       "<p>Contents: <a href=\"#verdicts\">the verdicts</a>, <a href=\"#models\">what each model gives "
                       "up</a>, <a href=\"#figures\">where each figure is</a>, then the experiments.</p>\n");
    slip_put_format(out, "<p class=\"data\">Slipstick %s, %s precision, <code>slipstick papers%s</code>.%s</p>\n",
                    SLIP_VERSION, strcmp(SLIP_REAL_NAME, "float") == 0 ? "single" : "double", quick ? " --quick" : "",
                    quick ? " <strong>Quick run</strong>: shorter simulations and fewer cases than the full set." : "");
}

static void report_page(slip_stream *out, const char *root, int quick, const papers_family *const *families,
                        int nfamilies, const papers_run *runs, int n)
{
    int f, i;

    slip_put_text(out, report_head);
    report_opening(out, quick);
    report_glance(out, families, nfamilies, runs, n);
    papers_guide_models(out, runs, n);
    papers_guide_figures(out, runs, n);
    for (f = 0; f < nfamilies; ++f) {
        int any = 0;

        for (i = 0; i < n; ++i) {
            if (!report_is_of(&runs[i], families[f])) continue;
            if (!any++) {
                slip_put_format(out, "<h2 id=\"paper-%s\">%s</h2>\n", families[f]->name, families[f]->name);
                report_tag(out, "p", families[f]->reference);
                slip_put_text(out, "\n");
            }
            report_experiment(out, &runs[i], families[f]->column, root);
        }
    }
    slip_put_text(out, "</body>\n</html>\n");
}

int papers_report(const char *directory, const char *source, int quick, const papers_family *const *families,
                  int nfamilies, const papers_run *runs, int n)
{
    char path[1024], way[2048];
    slip_stream out;
    FILE *f;

    snprintf(path, sizeof path, "%s/index.html", directory);
    f = output_open("papers", path);
    if (!f) return 0;
    slip_stream_file(f, &out);
    report_page(&out, source ? source : report_way_back(directory, way, sizeof way), quick, families, nfamilies, runs, n);
    slip_stream_flush(&out);                             /* output_close() sees what went wrong */
    return output_close("papers", path, f);
}
