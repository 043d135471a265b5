/* Functions that the papers' experiments call while they run. See papers.h. */
#include "papers_run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *papers_verdict_name(papers_verdict v)
{
    static const char *const names[] = { "holds", "differs", "does not hold", "not run" };

    return names[v];
}

/* ---- text -------------------------------------------------------------------------------------------------- */

void papers_put(papers_text *t, const char *bytes, size_t n)
{
    if (t->used + n + 1 > t->size) {
        const size_t size = 2*(t->used + n + 1);
        char *more = (char *)cli_alloc(size);

        if (t->used > 0) memcpy(more, t->text, t->used);
        free(t->text);
        t->text = more;
        t->size = size;
    }
    memcpy(t->text + t->used, bytes, n);
    t->used += n;
    t->text[t->used] = '\0';
}

static int papers_put_stream(void *context, const void *bytes, size_t n)
{
    papers_put((papers_text *)context, (const char *)bytes, n);
    return 0;
}

static char *papers_copy(const char *text)
{
    char *copy = (char *)cli_alloc(strlen(text) + 1);

    return strcpy(copy, text);
}

/* A formatted text of its own; cut at 1023 bytes. */
static char *papers_format(const char *format, va_list list)
{
    char text[1024];

    vsnprintf(text, sizeof text, format, list);
    return papers_copy(text);
}

/* ---- a run --------------------------------------------------------------------------------------------------- */

void papers_begin(papers_run *r, const papers_experiment *e, const char *directory, int quick)
{
    memset(r, 0, sizeof *r);
    r->e = e;
    r->directory = directory;
    r->quick = quick;
    r->quiet = 1;
    r->speed = 1;
    r->started = cli_seconds();
}

int papers_finish(papers_run *r)
{
    int i;

    r->seconds = cli_seconds() - r->started;
    for (i = 0; i < r->ndata; ++i) {
        if (ferror(r->open[i]) | fclose(r->open[i])) {
            cli_fail("papers", "cannot write '%s/%s'", r->directory, r->data[i]);
            r->failed = 1;
        }
    }
    return !r->failed;
}

void papers_free(papers_run *r)
{
    int i;

    for (i = 0; i < r->nrows; ++i) { free(r->rows[i].what);  free(r->rows[i].paper);  free(r->rows[i].ours); }
    for (i = 0; i < r->nchecks; ++i) free(r->checks[i].what);
    for (i = 0; i < r->nfigures; ++i) {
        free(r->figures[i].file);
        free(r->figures[i].caption);
        free(r->figures[i].svg.text);
    }
    for (i = 0; i < r->nsaid; ++i) free(r->said[i]);
    for (i = 0; i < r->ndata; ++i) free(r->data[i]);
}

papers_verdict papers_verdict_of(const papers_run *r)
{
    papers_verdict v = r->nchecks > 0 ? PAPERS_HOLDS : PAPERS_NOT_RUN;
    int i;

    for (i = 0; i < r->nchecks; ++i) {
        if (r->checks[i].is_true) continue;
        if (r->checks[i].kind == PAPERS_CLAIM) return PAPERS_DOES_NOT_HOLD;
        v = PAPERS_DIFFERS;
    }
    return v;
}

int papers_is_quick(const papers_run *r) { return r->quick; }

void papers_progress(papers_run *r, double share)
{
    const double mine = r->quick ? r->e->quick : r->e->seconds, left = r->speed*((1 - share)*mine + r->after);
    const double all = r->before + mine + r->after;
    char time[32];

    if (r->quiet) return;
    if (left < 90) snprintf(time, sizeof time, "%.0f s", left);
    else snprintf(time, sizeof time, "%.0f min", left/60);
    fprintf(stderr, "\r%-17s %3.0f %% of all, about %s left   ", r->e->id,
            all > 0 ? 100*(r->before + share*mine)/all : 0, time);
    fflush(stderr);
}

/* ---- files --------------------------------------------------------------------------------------------------- */

/* "ID-NAME.end", or "ID.end". */
static char *papers_file(const papers_run *r, const char *name, const char *end)
{
    char file[256];

    snprintf(file, sizeof file, "%s%s%s%s", r->e->id, name ? "-" : "", name ? name : "", end);
    return papers_copy(file);
}

/* Opens a file of the directory; NULL after a message. */
static FILE *papers_open_file(papers_run *r, const char *file)
{
    char path[1024];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", r->directory, file);
    f = fopen(path, "w");
    if (!f) cli_fail("papers", "cannot write '%s': %s", path, strerror(errno));
    if (!f) r->failed = 1;
    return f;
}

FILE *papers_csv(papers_run *r, const char *name)
{
    char *file = papers_file(r, name, ".csv");
    FILE *f = r->ndata < PAPERS_MOST ? papers_open_file(r, file) : NULL;

    if (!f) { free(file);  return NULL; }
    r->data[r->ndata] = file;
    r->open[r->ndata++] = f;
    return f;
}

void papers_plot(papers_run *r, const char *name, const char *caption, const slip_plot *plot)
{
    papers_figure *g = &r->figures[r->nfigures];
    slip_plot mine = *plot;
    char id[128], *c;
    slip_stream out;
    FILE *f;

    if (r->nfigures == PAPERS_MOST) return;
    ++r->nfigures;
    memset(g, 0, sizeof *g);
    g->file = papers_file(r, name, ".svg");
    g->caption = papers_copy(caption);
    slip_stream_open(papers_put_stream, &g->svg, &out);
    snprintf(id, sizeof id, "%s%s%s-", r->e->id, name ? "-" : "", name ? name : "");
    for (c = id; *c; ++c) if (*c == '+') *c = '-';
    mine.id = id;
    slip_svg_plot(&mine, &out);
    slip_stream_flush(&out);
    f = papers_open_file(r, g->file);
    if (!f) return;
    fwrite(g->svg.text, 1, g->svg.used, f);
    if (ferror(f) | fclose(f)) {
        cli_fail("papers", "cannot write '%s/%s'", r->directory, g->file);
        r->failed = 1;
    }
}

slip_plot_series papers_line(const char *name, const slip_real *x, const slip_real *y, int n)
{
    slip_plot_series s;

    memset(&s, 0, sizeof s);
    s.name = name;
    s.x = x;
    s.y = y;
    s.n = n;
    return s;
}

slip_plot papers_axes(const char *title, const char *x_label, const char *y_label, int log,
                      const slip_plot_series *series, int n)
{
    slip_plot plot;

    memset(&plot, 0, sizeof plot);
    plot.title = title;
    plot.x_label = x_label;
    plot.y_label = y_label;
    plot.log_x = log & 1;
    plot.log_y = (log & 2) != 0;
    plot.nseries = n;
    plot.series = series;
    return plot;
}

slip_plot papers_categories(const char *title, const char *const *names, int nnames, const char *y_label, int log_y,
                            const slip_plot_series *series, int n)
{
    slip_plot plot = papers_axes(title, NULL, y_label, log_y ? 2 : 0, series, n);

    plot.x_names = names;
    plot.nx_names = nnames;
    plot.x_lo = SLIP_R(0.5);                 /* half a place beside the first and the last */
    plot.x_hi = (slip_real)nnames + SLIP_R(0.5);
    return plot;
}

void papers_draw(papers_run *r, const char *name, const char *caption, const char *title, const char *x_label,
                 const char *y_label, int log, const slip_plot_series *series, int n)
{
    const slip_plot plot = papers_axes(title, x_label, y_label, log, series, n);

    papers_plot(r, name, caption, &plot);
}

const char *papers_inputs(const papers_run *r) { return r->inputs ? r->inputs : PAPERS_INPUTS; }

int papers_input(papers_run *r, const char *file, char *path, size_t size)
{
    FILE *f;

    snprintf(path, size, "%s/%s", papers_inputs(r), file);
    f = fopen(path, "r");
    if (f) return fclose(f), 1;
    if (r->inputs) return cli_fail("papers", "%s: cannot read '%s': %s", r->e->id, path, strerror(errno)), 0;
    r->no_data = 1;
    return -1;
}

/* ---- words ----------------------------------------------------------------------------------------------------- */

void papers_number(papers_run *r, const char *what, const char *paper, const char *format, ...)
{
    papers_row *row = &r->rows[r->nrows];
    va_list list;

    if (r->nrows == PAPERS_MOST) return;
    ++r->nrows;
    row->what = papers_copy(what);
    row->paper = papers_copy(paper);
    va_start(list, format);
    row->ours = papers_format(format, list);
    va_end(list);
}

static void papers_state(papers_run *r, papers_kind kind, int is_true, int is_timed, const char *format, va_list list)
{
    papers_statement *s = &r->checks[r->nchecks];

    if (r->nchecks == PAPERS_MOST) return;
    ++r->nchecks;
    s->kind = kind;
    s->is_true = is_true;
    s->is_timed = is_timed;
    s->what = papers_format(format, list);
}

void papers_check(papers_run *r, papers_kind kind, int is_true, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    papers_state(r, kind, is_true, 0, format, list);
    va_end(list);
}

void papers_check_timed(papers_run *r, papers_kind kind, int is_true, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    papers_state(r, kind, is_true, 1, format, list);
    va_end(list);
}

void papers_say(papers_run *r, const char *format, ...)
{
    va_list list;

    if (r->nsaid == PAPERS_MOST) return;
    va_start(list, format);
    r->said[r->nsaid++] = papers_format(format, list);
    va_end(list);
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

static int papers_ascending(const void *a, const void *b)
{
    const slip_real x = *(const slip_real *)a, y = *(const slip_real *)b;

    return x < y ? -1 : x > y;
}

void papers_sort(slip_real *x, int n) { qsort(x, (size_t)n, sizeof *x, papers_ascending); }

double papers_median(slip_real *x, int n)
{
    papers_sort(x, n);
    return n > 0 ? (double)x[n/2] : 0;
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

int papers_open(papers_run *r, const char *path, const char *text, const slip_solver *solver, double dt, double time,
                const char *const *options, sim_session *s)
{
    sim_changes c;
    int ok;

    memset(&c, 0, sizeof c);
    c.solve.list[0] = solver;
    c.solve.count = solver != NULL;
    c.dt = dt;
    c.time = time;
    c.quiet = c.equal_terms = c.options_checked = 1;
    for (; options && options[0]; options += 2)
        if (!solver_args_set(r->e->id, &c.solve, options[0], options[1])) return 0;
    ok = text ? sim_open_text(r->e->id, text, strlen(text), path, &c, s) : sim_open(r->e->id, path, &c, s);
    if (ok) slip_world_options_of(s->world)->integrator = SLIP_EULER;
    if (ok) slip_world_options_of(s->world)->solve.patience = 1000000000;    /* sweeps end at their limit alone */
    return ok;
}
