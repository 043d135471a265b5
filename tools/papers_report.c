/* The report on the papers' experiments: one page with the verdicts on top, then each experiment with its set-up,
 * numbers, statements and figures. It holds everything it shows. */
#include "papers_run.h"

#include <errno.h>
#include <string.h>

static const char report_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Slipstick: the papers' experiments</title>\n<style>\n"
    ":root { color-scheme: light; }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 0 auto; max-width: 62rem;\n"
    "       padding: 1rem; }\n"
    "h1 { font-size: 1.7rem; line-height: 1.2; } h2 { margin-top: 3rem; border-bottom: 2px solid #ccc; }\n"
    "h3 { margin: 2.2rem 0 0.4rem; } a { color: #0b4f9e; }\n"
    "table { border-collapse: collapse; width: 100%; margin: 0.8rem 0; font-size: 0.92rem; }\n"
    "th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.6rem; border-bottom: 1px solid #ddd; }\n"
    "td.n { font-variant-numeric: tabular-nums; }\n"
    ".scroll { overflow-x: auto; }\n"
    ".v { font-weight: 600; white-space: nowrap; padding: 0.1rem 0.5rem; border-radius: 0.8rem; border: 1px solid; }\n"
    ".holds { color: #0a5c2b; background: #e5f5ea; } .differs { color: #7a4a00; background: #fff2d9; }\n"
    ".does { color: #8c1414; background: #fde8e8; } .not { color: #555; background: #eee; }\n"
    "figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }\n"
    "figcaption { font-size: 0.92rem; color: #444; }\n"
    "ul.s { list-style: none; padding: 0; } ul.s li { padding-left: 1.6rem; text-indent: -1.6rem; }\n"
    "ul.s b { display: inline-block; width: 1.6rem; text-indent: 0; }\n"
    ".claim { border-left: 4px solid #bbb; padding-left: 0.8rem; color: #333; }\n"
    ".data { font-size: 0.88rem; color: #555; }\n"
    "@media print { body { max-width: none; font-size: 11pt; } h2 { break-before: page; }\n"
    "  figure, table, ul.s { break-inside: avoid; } h3 { break-after: avoid; } a { color: inherit; } }\n"
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

/* <TAG>text</TAG> */
static void report_tag(slip_stream *out, const char *tag, const char *text)
{
    slip_put_format(out, "<%s>", tag);
    slip_put_xml(out, text);
    slip_put_format(out, "</%s>", tag);
}

/* "../" for each part of a relative directory; NULL for others, whose way back to the sources is not known. */
static const char *report_way_back(const char *directory, char *way, size_t size)
{
    const char *at = directory;

    way[0] = '\0';
    if (directory[0] == '/') return NULL;
    while (*at) {
        const size_t n = strcspn(at, "/");

        if (n == 2 && strncmp(at, "..", 2) == 0) return NULL;
        if (n > 0 && !(n == 1 && at[0] == '.')) {
            if (strlen(way) + 4 > size) return NULL;
            strcat(way, "../");
        }
        at += n;
        while (*at == '/') ++at;
    }
    return way;
}

/* The solvers of an experiment, each with its source and its page of the docs. */
static void report_solvers(slip_stream *out, const char *ids, const char *directory)
{
    char store[256];
    const char *way = report_way_back(directory, store, sizeof store), *at = ids;

    slip_put_text(out, "<p class=\"data\">Solvers:");
    while (*at) {
        const size_t n = strcspn(at, " ");
        char id[64], file[64];
        size_t i;

        snprintf(id, sizeof id, "%.*s", (int)n, at);
        for (i = 0; id[i]; ++i) file[i] = (char)(id[i] == '-' ? '_' : id[i]);
        file[i] = '\0';
        slip_put_text(out, " ");
        if (way) slip_put_format(out, "<a href=\"%ssrc/solvers/%s.c\"><code>%s</code></a>", way, file, id);
        else slip_put_format(out, "<code>%s</code> (src/solvers/%s.c)", id, file);
        at += n + strspn(at + n, " ");
        if (*at) slip_put_text(out, ",");
    }
    slip_put_text(out, "</p>\n");
}

static void report_numbers(slip_stream *out, const papers_run *r)
{
    int i;

    if (r->nrows == 0) return;
    slip_put_text(out, "<div class=\"scroll\"><table><thead><tr><th></th><th>paper</th><th>here</th></tr></thead>\n");
    for (i = 0; i < r->nrows; ++i) {
        slip_put_text(out, "<tr>");
        report_tag(out, "td", r->rows[i].what);
        slip_put_text(out, "<td class=\"n\">");
        slip_put_xml(out, r->rows[i].paper);
        slip_put_text(out, "</td><td class=\"n\">");
        slip_put_xml(out, r->rows[i].ours);
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
        slip_put_xml(out, s->what);
        slip_put_text(out, s->kind == PAPERS_CLAIM ? " <em>(claim)</em></li>\n" : " <em>(number)</em></li>\n");
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

static void report_experiment(slip_stream *out, const papers_run *r)
{
    int i;

    slip_put_text(out, "<section id=\"");
    slip_put_xml(out, r->e->id);
    slip_put_text(out, "\"><h3>");
    slip_put_xml(out, r->e->id);
    slip_put_text(out, ": ");
    slip_put_xml(out, r->e->title);
    slip_put_text(out, " ");
    report_verdict(out, papers_verdict_of(r));
    slip_put_text(out, "</h3>\n<p class=\"claim\">");
    slip_put_xml(out, r->e->claim);
    slip_put_text(out, "</p>\n");
    report_tag(out, "p", r->e->setup);
    slip_put_text(out, "\n");
    report_statements(out, r);
    report_numbers(out, r);
    report_figures(out, r);
    for (i = 0; i < r->nsaid; ++i) { report_tag(out, "p", r->said[i]);  slip_put_text(out, "\n"); }
    if (r->e->solvers[0]) report_solvers(out, r->e->solvers, r->directory);
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

/* The verdicts at a glance, which are also the table of contents. */
static void report_glance(slip_stream *out, const papers_run *runs, int n)
{
    int i, counts[4] = { 0, 0, 0, 0 };

    for (i = 0; i < n; ++i) ++counts[papers_verdict_of(&runs[i])];
    slip_put_format(out, "<p>%d hold, %d differ in numbers, %d do not hold, %d not run.</p>\n", counts[PAPERS_HOLDS],
                    counts[PAPERS_DIFFERS], counts[PAPERS_DOES_NOT_HOLD], counts[PAPERS_NOT_RUN]);
    slip_put_text(out, "<div class=\"scroll\"><table>\n");
    for (i = 0; i < n; ++i) {
        slip_put_text(out, "<tr><td><a href=\"#");
        slip_put_xml(out, runs[i].e->id);
        slip_put_text(out, "\">");
        slip_put_xml(out, runs[i].e->id);
        slip_put_text(out, "</a></td><td>");
        report_verdict(out, papers_verdict_of(&runs[i]));
        slip_put_text(out, "</td>");
        report_tag(out, "td", runs[i].e->title);
        slip_put_text(out, "</tr>\n");
    }
    slip_put_text(out, "</table></div>\n");
}

static void report_page(slip_stream *out, int quick, const papers_family *const *families, int nfamilies,
                        const papers_run *runs, int n)
{
    int f, i;

    slip_put_text(out, report_head);
    slip_put_text(out, "<h1>The papers&#8217; experiments, run again</h1>\n<p>Every experiment of four papers on "
                       "frictional contact, on equal terms: each step solves one problem, the same for every solver, "
                       "from the last step&#8217;s impulses, to the same tolerance. Solvers with a paper&#8217;s name "
                       "run what the paper prints; ours are marked as ours. A verdict is computed from the statements "
                       "below it: <em>holds</em> when all are true, <em>differs</em> when what the paper claims is "
                       "seen but a number of it is not met, <em>does not hold</em> when a claim is not seen.</p>\n");
    if (quick) slip_put_text(out, "<p><strong>Quick run</strong>: shorter simulations and fewer cases than the full "
                                  "set.</p>\n");
    report_glance(out, runs, n);
    for (f = 0; f < nfamilies; ++f) {
        int any = 0;

        for (i = 0; i < n; ++i) {
            if (runs[i].e < families[f]->list || runs[i].e >= families[f]->list + families[f]->count) continue;
            if (!any++) {
                slip_put_text(out, "<h2>");
                slip_put_xml(out, families[f]->name);
                slip_put_text(out, "</h2>\n");
                report_tag(out, "p", families[f]->reference);
                slip_put_text(out, "\n");
            }
            report_experiment(out, &runs[i]);
        }
    }
    slip_put_text(out, "</body>\n</html>\n");
}

int papers_report(const char *directory, int quick, const papers_family *const *families, int nfamilies,
                  const papers_run *runs, int n)
{
    char path[1024];
    slip_stream out;
    FILE *f;
    int ok;

    snprintf(path, sizeof path, "%s/index.html", directory);
    f = fopen(path, "wb");
    if (!f) return cli_fail("papers", "cannot write '%s': %s", path, strerror(errno)), 0;
    slip_stream_file(f, &out);
    report_page(&out, quick, families, nfamilies, runs, n);
    ok = slip_stream_flush(&out) == SLIP_OK;
    if (fclose(f) != 0 || !ok) return cli_fail("papers", "cannot write '%s'", path), 0;
    return 1;
}
