/* slipstick bench simbenchmark: the scenes of SimBenchmark (leggedrobotics/SimBenchmark) with its measures of error,
 * beside the numbers that it publishes of five engines (published.c). Scenes: models/simbenchmark.
 *
 * An error is the mean over the steps of a measure of the state before each step, as its programs compute it. Time is
 * of a second run that reads nothing. Atlas is left out: its description is not in models/. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench_world.h"
#include "published.h"
#include "output.h"

static const char sbm_help[] =
    "usage: slipstick bench simbenchmark [NAME...] [--dt S]... [--grid N]... [--integrator NAME]\n"
    "                                    [--quick] [--json] [--svg FILE]\n\n"
    "Runs the scenes of SimBenchmark and prints error and processor time beside its numbers of RaiSim, Bullet, ODE,\n"
    "MuJoCo and DART (of an i7-7700HQ). Without NAME all of them, about five minutes. Run it where models/ is.\n\n"
    "  rolling-y, rolling-xy   25 balls on a box that is pulled: (v - v*)^2 of box and ball [m^2/s^2]\n"
    "  bouncing          49 balls, restitution 1: (E - E0)^2 [J^2]\n"
    "  666               216 balls, inelastic: sum of squared overlaps [m^2]\n"
    "  elastic-666       216 balls, restitution 1: (E - E0)^2 [J^2]\n"
    "  anymal-pd         a grid of quadrupeds on springs: time alone\n"
    "  anymal-momentum   a ball hits a quadruped in space: |p - p0|^2 [kg^2 m^2/s^2]\n"
    "  anymal-energy     a quadruped is thrown: (E - E0)^2 of the flight [J^2]\n"
    "  kapla             a tower of 102 blocks: steps until it falls, of 60 000\n"
    "Atlas, the ninth, is left out: its description is not in models/.\n\n"
    "  --dt S            time step; may be repeated. Default: 1 ms, anymal-pd 5 ms, kapla 10 ms\n"
    "  --grid N          N x N robots in anymal-pd; may be repeated. Default: 1, 2, 3\n"
    "  --integrator X    midpoint (default), euler or fourth\n"
    "  --quick           a small part of each run, for tests; not comparable with the published numbers\n"
    "  --json            one object a run\n"
    "  --svg FILE        error against dt of one scene: bouncing, 666, elastic-666, anymal-momentum, anymal-energy\n\n"
    "The starts of 666 and elastic-666 are drawn by our own generator from SimBenchmark's seed, 42.\n\n"
    "example: slipstick bench simbenchmark anymal-energy --dt 0.001 --dt 0.004\n";

enum { SBM_MOST = 16 };

typedef struct {
    double dt[SBM_MOST];
    int grid[SBM_MOST];
    int ndts, ngrids, quick, json;
    slip_integrator integrator;
    const char *svg;
} sbm_options;

/* Data that the measures read: sums, and numbers looked up or kept at the start. */
typedef struct sbm_test sbm_test;
typedef struct {
    const sbm_test *test;
    double dt, sum, first;           /* [s]; of the measure; energy at the start [J]                       */
    long count;                      /* states in the sum                                                  */
} sbm_measure;

struct sbm_test {
    const char *name, *file;
    const char *error;               /* what is measured, with its unit                                    */
    double dt, quick;                /* of the benchmark; seconds of a quick run                           */
    bench_before *before;
    int is_timed_apart;              /* a second run for the time                                          */
    const published_table *table;
    int column;                      /* of the table; -1: by dt, -2: by the grid                           */
    double pull[3];                  /* rolling: direction of the force                                    */
};

typedef struct {
    double error, dt, cpu_seconds, contacts;
    long steps, missed;
    int robots;                      /* along an edge of the grid                                          */
} sbm_result;

/* ---- measures ---------------------------------------------------------------------------------------------- */

static int sbm_add(sbm_measure *m, double x)
{
    m->sum += x;
    m->count += 1;
    return 1;
}

/* Squared distance of a free body's velocity from t a along a direction. */
static double sbm_off(slip_world *w, const char *link, const double pull[3], double speed)
{
    const slip_model *m = slip_world_model(w);
    const int b = m->link_body[slip_model_find_link(m, link)];
    slip_real v[3];
    double sum = 0;
    int c;

    slip_quat_rotate(slip_world_q(w) + m->iq[b] + 3, slip_world_v(w) + m->dof_iv[m->idof[b]], v);
    for (c = 0; c < 3; ++c) sum += ((double)v[c] - speed*pull[c])*((double)v[c] - speed*pull[c]);
    return sum;
}

/* The box slides under 25 balls that roll: accelerations as SimBenchmark's computeAnalyticalSol() has them. */
static int sbm_rolling(void *context, slip_world *w, long k)
{
    sbm_measure *m = (sbm_measure *)context;
    const double M = 10, n = 25, g = 9.81, F = 150, t = m->dt*(double)k;
    const double slide = 0.4*(M + n)*g, roll = (F - slide)/M/(3.5 + n/M);   /* balls of 1 kg: force = acceleration */

    return sbm_add(m, sbm_off(w, "box", m->test->pull, (F - slide - n*roll)/M*t)
                      + sbm_off(w, "ball0", m->test->pull, roll*t));
}

static int sbm_energy(void *context, slip_world *w, long k)
{
    sbm_measure *m = (sbm_measure *)context;
    const double E = bench_world_energy(w);

    if (k == 0) m->first = E;
    return sbm_add(m, (E - m->first)*(E - m->first));
}

/* The energy of the flight, which begins after 1 s. */
static int sbm_flight(void *context, slip_world *w, long k)
{
    sbm_measure *m = (sbm_measure *)context;
    double E;

    if (k < (long)floor(1/m->dt + 0.5)) return 1;
    E = bench_world_energy(w);
    if (m->count == 0) m->first = E;
    return sbm_add(m, (E - m->first)*(E - m->first));
}

/* All bodies are balls of radius 0.1 above the plane z = 0. */
static int sbm_overlaps(void *context, slip_world *w, long k)
{
    const slip_model *model = slip_world_model(w);
    const slip_real *q = slip_world_q(w);
    const double r = 0.1;
    double sum = 0;
    int i, j;

    (void)k;
    for (i = 1; i < model->nbodies; ++i) {
        const slip_real *a = q + model->iq[i];

        if ((double)a[2] < r) sum += (r - (double)a[2])*(r - (double)a[2]);
        for (j = i + 1; j < model->nbodies; ++j) {
            const slip_real *b = q + model->iq[j];
            const double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1];
            const double z = (double)a[2] - (double)b[2], square = x*x + y*y + z*z;

            if (square < 4*r*r) sum += (2*r - sqrt(square))*(2*r - sqrt(square));
        }
    }
    return sbm_add((sbm_measure *)context, sum);
}

static int sbm_momentum(void *context, slip_world *w, long k)
{
    const double expected[3] = { 0, 50, 0 };
    slip_real p[6];
    double sum = 0;
    int c;

    (void)k;
    bench_world_energy(w);                                    /* brings the data up to the state */
    slip_momentum(slip_world_model(w), slip_world_data(w), p);
    for (c = 0; c < 3; ++c) sum += ((double)p[c] - expected[c])*((double)p[c] - expected[c]);
    return sbm_add((sbm_measure *)context, sum);
}

/* Ends when the last block is below the top floor. */
static int sbm_stands(void *context, slip_world *w, long k)
{
    sbm_measure *m = (sbm_measure *)context;

    m->sum = (double)k + 1;
    m->count = 1;
    if (slip_world_q(w)[bench_world_iq(w, "end11") + 2] >= 1) return 1;
    m->sum = (double)k;
    return 0;
}

static const sbm_test sbm_tests[] = {
    { "rolling-y", "rolling_y", "(v - v*)^2 of box and ball [m^2/s^2]", 0.001, 0.2, sbm_rolling, 1, &published_rolling,
      0, { 0, 1, 0 } },
    { "rolling-xy", "rolling_xy", "(v - v*)^2 of box and ball [m^2/s^2]", 0.001, 0.2, sbm_rolling, 1,
      &published_rolling, 1, { 0.5, 0.866025403784439, 0 } },
    { "bouncing", "bouncing", "(E - E0)^2 [J^2]", 0.001, 2, sbm_energy, 1, &published_bouncing, -1, { 0, 0, 0 } },
    { "666", "666", "sum of squared overlaps [m^2]", 0.001, 0.3, sbm_overlaps, 1, &published_heap, -1, { 0, 0, 0 } },
    { "elastic-666", "elastic_666", "(E - E0)^2 [J^2]", 0.001, 0.5, sbm_energy, 1, &published_elastic, -1,
      { 0, 0, 0 } },
    { "anymal-pd", "anymal_pd", NULL, 0.005, 1, NULL, 0, &published_pd, -2, { 0, 0, 0 } },
    { "anymal-momentum", "anymal_momentum", "|p - p0|^2 [kg^2 m^2/s^2]", 0.001, 1.5, sbm_momentum, 1,
      &published_momentum, -1, { 0, 0, 0 } },
    { "anymal-energy", "anymal_energy", "(E - E0)^2 [J^2]", 0.001, 1.5, sbm_flight, 1, &published_energy, -1,
      { 0, 0, 0 } },
    { "kapla", "kapla", "steps until it falls", 0.01, 0.5, sbm_stands, 0, &published_kapla, 0, { 0, 0, 0 } },
};
enum { SBM_TESTS = (int)(sizeof sbm_tests/sizeof *sbm_tests) };

/* ---- runs -------------------------------------------------------------------------------------------------- */

/* A scene of n x n robots 2 m apart, as text from cli_alloc. */
static char *sbm_grid(int n)
{
    static const char head[] =
        "<scene name=\"anymal_pd\"><simulation dt=\"0.005\" duration=\"250\" self=\"false\"/><ground/>";
    static const char joints[] =
        "<joint joint=\"l?_haa\" position=\"0.03\"/><joint joint=\"r?_haa\" position=\"-0.03\"/>"
        "<joint joint=\"?f_hfe\" position=\"0.4\"/><joint joint=\"?f_kfe\" position=\"-0.8\"/>"
        "<joint joint=\"?h_hfe\" position=\"-0.4\"/><joint joint=\"?h_kfe\" position=\"0.8\"/>"
        "<drive joint=\"*\" kp=\"40\" kd=\"1\" effort=\"1e9\" mode=\"explicit\"/></robot>";
    const size_t each = sizeof joints + 100, size = sizeof head + (size_t)(n*n)*each + 20;
    char *text = (char *)cli_alloc(size), *at = text;
    int i;

    at += snprintf(at, size, "%s", head);
    for (i = 0; i < n*n; ++i)
        at += snprintf(at, each, "<robot file=\"anymal.urdf\" prefix=\"r%d_\"><origin xyz=\"%d %d 0.54\"/>%s", i,
                       2*(i/n), 2*(i % n), joints);
    strcpy(at, "</scene>");
    return text;
}

static int sbm_open(const sbm_test *t, const sbm_options *o, double dt, int grid, sim_session *s)
{
    char path[64];
    sim_changes c;
    int ok;

    memset(&c, 0, sizeof c);
    c.dt = dt;
    c.time = o->quick ? t->quick : 0;
    c.quiet = 1;                                   /* anymal-pd starts 1.8 mm in the ground, rolling 20 um */
    slip_format(path, (int)sizeof path, "models/simbenchmark/%s.xml", t->file);
    if (grid > 1) {
        char *text = sbm_grid(grid);

        ok = sim_open_text("bench simbenchmark", text, strlen(text), "models/simbenchmark/generated.xml", &c, s);
        free(text);
    } else ok = sim_open("bench simbenchmark", path, &c, s);
    if (!ok) return cli_fail("bench simbenchmark", "run it where models/ is"), 0;
    slip_world_options_of(s->world)->integrator = o->integrator;
    return 1;
}

/* One run for the error, another for the time; 0 after a message. */
static int sbm_run(const sbm_test *t, const sbm_options *o, double dt, int grid, sbm_result *out)
{
    bench_run_result r;
    sbm_measure m;
    sim_session s;

    if (!sbm_open(t, o, dt, grid, &s)) return 0;
    memset(&m, 0, sizeof m);
    m.test = t;
    m.dt = dt;
    r = bench_world_run(&s, t->before, &m);
    out->error = m.count > 0 ? m.sum/(double)m.count : -1;
    out->dt = dt;
    out->robots = grid;
    out->steps = r.steps;
    out->missed = r.missed;
    out->contacts = r.contacts;
    if (t->is_timed_apart && r.status >= 0) r = bench_world_run(&s, NULL, NULL);
    out->cpu_seconds = r.cpu_seconds;
    if (r.status < 0) cli_error(slip_world_error(s.world));
    sim_close(&s);
    return r.status >= 0;
}

/* ---- printing ---------------------------------------------------------------------------------------------- */

/* The column of the published table that a run belongs to; -1: none. */
static int sbm_column(const sbm_test *t, const sbm_options *o, const sbm_result *r)
{
    const double x = t->column == -1 ? r->dt : r->robots;
    int k;

    if (o->quick || (t->column != -1 && fabs(r->dt - t->dt) > 1e-9)) return -1;
    if (t->column >= 0) return t->column;
    for (k = 0; k < t->table->ncolumns; ++k) if (fabs(t->table->column[k] - x) <= 1e-6*x) return k;
    return -1;
}

static void sbm_print_row(const char *engine, double error, double seconds, long steps)
{
    printf("  %-34s", engine);
    if (error < 0) printf(" %12s", "");
    else printf(" %12.6g", error);
    if (seconds < 0) printf(" %10s\n", "");
    else printf(" %10.4g %10.4g\n", seconds, 1e6*seconds/(double)steps);
}

static void sbm_print_text(const sbm_test *t, const sbm_options *o, const sbm_result *r)
{
    const int column = sbm_column(t, o, r);
    char name[40];
    int i;

    printf("%s", t->name);
    if (t->column == -2) printf(" %d x %d", r->robots, r->robots);
    printf(": %ld steps of %g s, %.4g contacts", r->steps, r->dt, r->contacts);
    if (r->missed > 0) printf(", %ld steps missed the tolerance", r->missed);
    if (t->error) printf("; error: %s", t->error);
    printf("\n  %-34s %12s %10s %10s\n", "engine", t->error ? "error" : "", "CPU s", "us/step");
    slip_format(name, (int)sizeof name, "Slipstick %s", bench_integrator_name(o->integrator));
    sbm_print_row(name, r->error, r->cpu_seconds, r->steps > 0 ? r->steps : 1);
    for (i = 0; i < t->table->nrows && column >= 0; ++i) {
        const published_row *p = &t->table->rows[i];

        if (p->value[column] < 0 && p->seconds[column] < 0) continue;
        sbm_print_row(p->engine, p->value[column], p->seconds[column],
                      t->before == sbm_stands ? (long)p->value[column] : r->steps);
    }
    if (column < 0) printf("  %s\n", o->quick ? "(a part of the run: not comparable with published numbers)"
                                              : "(no published numbers for this step)");
    printf("\n");
    fflush(stdout);
}

/* A number of JSON, which has no infinity: null for these and for what was not published. */
static void sbm_json_number(const char *key, double x)
{
    if (x >= 0 && x <= 1e300) printf(", \"%s\": %.6g", key, x);
    else printf(", \"%s\": null", key);
}

static void sbm_print_json(const sbm_test *t, const sbm_options *o, const sbm_result *r)
{
    const int column = sbm_column(t, o, r);
    int i;

    printf("{\"name\": \"%s\", \"integrator\": \"%s\", \"dt\": %g, \"steps\": %ld, \"quick\": %s", t->name,
           bench_integrator_name(o->integrator), r->dt, r->steps, o->quick ? "true" : "false");
    if (t->column == -2) printf(", \"grid\": %d", r->robots);
    sbm_json_number("error", r->error);
    printf(", \"cpu_s\": %.4g, \"us_per_step\": %.4g, \"contacts_mean\": %.4g, \"steps_missed\": %ld, \"published\": [",
           r->cpu_seconds, 1e6*r->cpu_seconds/(double)(r->steps > 0 ? r->steps : 1), r->contacts, r->missed);
    for (i = 0; i < t->table->nrows && column >= 0; ++i) {
        const published_row *p = &t->table->rows[i];

        printf("%s{\"engine\": \"%s\"", i > 0 ? ", " : "", p->engine);
        sbm_json_number("error", p->value[column]);
        sbm_json_number("cpu_s", p->seconds[column]);
        printf("}");
    }
    printf("]}\n");
    fflush(stdout);
}

/* ---- plot -------------------------------------------------------------------------------------------------- */

/* Error against dt: ours of these runs, and the published ones; the first row of engines whose solvers agree. */
static int sbm_plot(const sbm_test *t, const sbm_options *o, const sbm_result *r, int n)
{
    const published_table *p = t->table;
    slip_real ours_x[SBM_MOST], ours_y[SBM_MOST], x[PUBLISHED_MOST];
    slip_real *y = (slip_real *)cli_alloc((size_t)(p->nrows*p->ncolumns)*sizeof *y);
    slip_plot_series *series = (slip_plot_series *)cli_alloc((size_t)(p->nrows + 1)*sizeof *series);
    char title[80], label[80];
    slip_plot plot;
    int i, k, ok;

    memset(series, 0, (size_t)(p->nrows + 1)*sizeof *series);
    for (i = 0; i < n; ++i) {
        ours_x[i] = (slip_real)r[i].dt;
        ours_y[i] = (slip_real)r[i].error;
    }
    series[0].name = "Slipstick";
    series[0].x = ours_x;
    series[0].y = ours_y;
    series[0].n = n;
    for (k = 0; k < p->ncolumns; ++k) x[k] = (slip_real)p->column[k];
    memset(&plot, 0, sizeof plot);
    plot.nseries = 1;
    for (i = 0; i < p->nrows; ++i) {
        slip_plot_series *s = &series[plot.nseries];

        if (strncmp(p->rows[i].engine, "MuJoCo CG", 9) == 0 || strncmp(p->rows[i].engine, "MuJoCo PGS", 10) == 0
            || strcmp(p->rows[i].engine, "DART PGS") == 0 || strcmp(p->rows[i].engine, "ODE quick") == 0) continue;
        for (k = 0; k < p->ncolumns; ++k) y[i*p->ncolumns + k] = (slip_real)p->rows[i].value[k];
        s->name = p->rows[i].engine;
        s->x = x;
        s->y = y + i*p->ncolumns;
        s->n = p->ncolumns;
        plot.nseries += 1;
    }
    slip_format(title, (int)sizeof title, "SimBenchmark: %s", t->name);
    slip_format(label, (int)sizeof label, "mean error, %s", t->error);
    plot.title = title;
    plot.x_label = "time step [s]";
    plot.y_label = label;
    plot.log_x = plot.log_y = 1;
    plot.series = series;
    ok = output_plot("bench simbenchmark", o->svg, &plot);
    free(series);
    free(y);
    return ok;
}

/* ---- the command ------------------------------------------------------------------------------------------- */

/* All steps, or all grids, of one scene. */
static int sbm_scene(const sbm_test *t, const sbm_options *o)
{
    const int by_grid = t->column == -2;
    sbm_result r[SBM_MOST];
    int i, k, n = 0;

    for (i = 0; i < (by_grid && o->ngrids > 0 ? o->ngrids : 1); ++i)
        for (k = 0; k < (o->ndts > 0 ? o->ndts : 1); ++k) {
            sbm_result *now = &r[n < SBM_MOST ? n : SBM_MOST - 1];

            if (!sbm_run(t, o, o->ndts > 0 ? o->dt[k] : t->dt, by_grid ? o->grid[i] : 1, now)) return CLI_FAILED;
            if (o->json) sbm_print_json(t, o, now);
            else sbm_print_text(t, o, now);
            n += n < SBM_MOST;
        }
    return !o->svg || sbm_plot(t, o, r, n) ? CLI_OK : CLI_FAILED;
}

static const sbm_test *sbm_find(const char *name)
{
    int i;

    for (i = 0; i < SBM_TESTS; ++i) if (strcmp(sbm_tests[i].name, name) == 0) return &sbm_tests[i];
    return NULL;
}

/* Adds a test by name; CLI_OK, or the exit code after a message. */
static int sbm_take_name(const cli_args *args, const char *name, const sbm_test **list, int *n)
{
    const sbm_test *t = sbm_find(name);
    int i;

    if (strcmp(name, "atlas") == 0 || strcmp(name, "atlas-pd") == 0)
        return cli_usage(args, "atlas is left out: its description is not in models/");
    if (!t) return cli_usage(args, "unknown scene '%s', expected one of: rolling-y rolling-xy bouncing 666 elastic-666 "
                             "anymal-pd anymal-momentum anymal-energy kapla", name);
    for (i = 0; i < *n; ++i) if (list[i] == t) return CLI_OK;
    list[(*n)++] = t;
    return CLI_OK;
}

static int sbm_take_dt(cli_args *args, sbm_options *o)
{
    if (o->ndts == SBM_MOST) return cli_usage(args, "at most %d time steps", (int)SBM_MOST), 0;
    return cli_value_real(args, 1e-6, 0.1, &o->dt[o->ndts++]);
}

static int sbm_take_grid(cli_args *args, sbm_options *o)
{
    if (o->ngrids == SBM_MOST) return cli_usage(args, "at most %d grids", (int)SBM_MOST), 0;
    return cli_value_int(args, 1, 15, &o->grid[o->ngrids++]);
}

/* Options into o, scenes into list; CLI_OK, -1 after --help, or the exit code. */
static int sbm_read(int argc, char **argv, sbm_options *o, const sbm_test **list, int *n)
{
    cli_args args;
    int what, ok = 1, code;

    cli_begin(&args, argc, argv);
    while (ok && (what = cli_next(&args)) != 0) {
        if (what == 2) {
            code = sbm_take_name(&args, args.value, list, n);
            if (code != CLI_OK) return code;
        } else if (cli_is(&args, "--help") || cli_is(&args, "-h")) return fputs(sbm_help, stdout), -1;
        else if (cli_is(&args, "--dt")) ok = sbm_take_dt(&args, o);
        else if (cli_is(&args, "--grid")) ok = sbm_take_grid(&args, o);
        else if (cli_is(&args, "--integrator")) ok = bench_take_integrator(&args, &o->integrator);
        else if (cli_is(&args, "--quick")) o->quick = 1;
        else if (cli_is(&args, "--json")) o->json = 1;
        else if (cli_is(&args, "--svg")) ok = (o->svg = cli_value(&args)) != NULL;
        else return cli_unknown(&args);
    }
    if (!ok) return CLI_USAGE;
    if (o->svg && (*n != 1 || list[0]->column != -1))
        return cli_usage(&args, "--svg plots one scene: name bouncing, 666, elastic-666, anymal-momentum or "
                         "anymal-energy");
    if (o->svg && strcmp(o->svg, "-") == 0)
        return cli_usage(&args, "--svg needs a file: standard output has the table");
    return CLI_OK;
}

int slip_bench_simbenchmark(int argc, char **argv)
{
    const sbm_test *list[SBM_TESTS];
    sbm_options o;
    int i, n = 0, code, worst = CLI_OK;

    memset(&o, 0, sizeof o);
    o.integrator = SLIP_MIDPOINT;
    code = sbm_read(argc, argv, &o, list, &n);
    if (code != CLI_OK) return code < 0 ? CLI_OK : code;
    if (o.svg && !output_can_open("bench simbenchmark", o.svg)) return CLI_FAILED;
    if (o.ngrids == 0) for (; o.ngrids < 3; ++o.ngrids) o.grid[o.ngrids] = o.ngrids + 1;
    if (n == 0) for (; n < SBM_TESTS; ++n) list[n] = &sbm_tests[n];
    for (i = 0; i < n; ++i) {
        code = sbm_scene(list[i], &o);
        worst = code > worst ? code : worst;
    }
    return worst;
}
