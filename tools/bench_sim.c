/* slipstick bench sim: time of a step on whole scenes, together with its accuracy: contacts, overlaps, and the judge's
 * residual. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sim_run.h"

static const char bench_sim_help[] =
    "usage: slipstick bench sim [SCENE...] [--repeat N] [--starts N] [--solver ID] [OPTIONS]\n\n"
    "Microseconds of processor time per step, over the whole duration of a scene: best run and median run. Without\n"
    "SCENE, the scenes of models/bench; docs/measurements.md has the same scenes on other engines.\n\n"
    "  --repeat N   runs of each start (default 5)\n"
    "  --starts N   as many starts, the last free body moved by a nanometre from one to the next (a micrometre in\n"
    "               float): where motions are chaotic, as in heaps, times differ from start to start. Best and median\n"
    "               are then of the starts' best runs, `mean` is their mean\n"
    "  --package-path DIR   where the packages of package:// meshes are; may be repeated\n"
    "  --equal-terms   each step solves once, the same way for every solver (as 'slipstick compare' does)\n"
    "  --json       one object per scene\n"
    "`worst` is the longest step over the mean one, the largest of all starts. Each step is timed in two more runs\n"
    "and the shorter time taken, since a clock also counts interruptions.\n";
static const char bench_sim_example[] =
    "\nexample: slipstick bench sim models/bench/slide.xml --repeat 3\n";

typedef struct {
    sim_changes changes;
    int repeat, starts, json;
} bench_sim_options;

typedef struct {
    double best, median, mean;               /* [us]                                          */
    double worst;                            /* longest step over the mean one, of all starts */
    double overlap, last_overlap, residual;  /* worst of all starts [m], [m], eps_abs         */
    double contacts;
    long steps, missed;                      /* of one start; of all                          */
} bench_sim_row;

/* Moves the last free body by `context`, a distance, along x when a run begins. */
static void bench_sim_nudge(void *context, slip_world *world)
{
    const slip_model *m = slip_world_model(world);
    int b;

    for (b = m->nbodies - 1; b > 0 && m->type[b] != SLIP_JOINT_FLOATING; --b) {}
    if (b > 0) slip_world_q(world)[m->iq[b]] += *(const slip_real *)context;
}

static int bench_sim_by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Best time of a start's runs [us]; 0, after a message, when a step failed. */
static double bench_sim_start(sim_session *s, int repeat, double *times, bench_sim_row *row)
{
    double best = (double)INFINITY;
    sim_result r;
    int i;

    memset(&r, 0, sizeof r);
    slip_world_options_of(s->world)->work = 0;
    for (i = 0; i < repeat; ++i) {
        sim_run(s, NULL, &r);
        if (r.status < 0 || r.steps == 0) { cli_error(slip_world_error(s->world));  return 0; }
        times[i] = 1e6*r.cpu_seconds/(double)r.steps;
        best = fmin(best, times[i]);
    }
    row->steps = r.steps;
    row->missed += r.missed;
    row->contacts = r.contacts_mean;
    row->overlap = fmax(row->overlap, r.penetration_max);
    row->last_overlap = fmax(row->last_overlap, r.penetration_last_quarter);
    row->residual = fmax(row->residual, r.residual_max);
    return best;
}

/* The time of each step of a run, the least of those so far. */
typedef struct {
    double *least, from;
} bench_sim_steps;

static int bench_sim_time_step(void *context, sim_session *s, long k)
{
    bench_sim_steps *t = (bench_sim_steps *)context;

    (void)s;
    t->least[k - 1] = fmin(t->least[k - 1], sim_cpu_seconds() - t->from);
    t->from = sim_cpu_seconds();
    return 1;
}

/* The longest step of a start over its mean one. */
static double bench_sim_worst(sim_session *s)
{
    bench_sim_steps t;
    const sim_observer observer = { bench_sim_time_step, 1, &t };
    double sum = 0, worst = 0;
    sim_result r;
    long k;
    int run;

    t.least = (double *)cli_alloc((size_t)s->steps*sizeof *t.least);
    for (k = 0; k < s->steps; ++k) t.least[k] = (double)INFINITY;
    for (run = 0; run < 2; ++run) {
        t.from = sim_cpu_seconds();
        sim_run(s, &observer, &r);
    }
    for (k = 0; k < r.steps; ++k) {
        sum += t.least[k];
        worst = fmax(worst, t.least[k]);
    }
    free(t.least);
    return worst*(double)r.steps/sum;
}

/* All starts of a scene; 0, after a message, when one fails. */
static int bench_sim_scene(sim_session *s, const bench_sim_options *o, bench_sim_row *row)
{
    const int n = o->starts > 1 ? o->starts : o->repeat;
    double *times = (double *)cli_alloc((size_t)(o->starts + o->repeat)*sizeof *times), sum = 0;
    slip_real nudge;
    int k, ok = 1;

    memset(row, 0, sizeof *row);
    s->controller.begin = bench_sim_nudge;
    s->controller.context = &nudge;
    for (k = 0; k < o->starts && ok; ++k) {
        nudge = (slip_real)k*SLIP_TOL(1e-9, 1e-6);
        times[k] = bench_sim_start(s, o->repeat, times + o->starts, row);
        sum += times[k];
        ok = times[k] > 0;
        if (ok) row->worst = fmax(row->worst, bench_sim_worst(s));
    }
    if (o->starts == 1) memmove(times, times + 1, (size_t)n*sizeof *times);
    qsort(times, (size_t)n, sizeof *times, bench_sim_by_time);
    row->best = times[0];
    row->median = times[n/2];
    row->mean = sum/o->starts;
    free(times);
    return ok;
}

static void bench_sim_head(void)
{
    printf("%-16s %7s %8s %8s %8s %6s %9s %9s %9s %9s %7s\n", "scene", "steps", "us best", "median", "mean", "worst",
           "contacts", "mm over", "last 1/4", "residual", "missed");
}

static void bench_sim_print(const char *name, const bench_sim_options *o, const bench_sim_row *r)
{
    if (o->json) {
        printf("{\"scene\": ");
        cli_json_text(stdout, name);
        printf(", \"steps\": %ld, \"starts\": %d, \"us_best\": %.4g, \"us_median\": %.4g, \"us_mean\": %.4g,"
               " \"worst_over_mean\": %.4g, \"contacts_mean\": %.4g, \"penetration_max\": %.3g,"
               " \"penetration_last_quarter\": %.3g, \"ncp_residual_max\": %.3g, \"steps_missed\": %ld}\n", r->steps,
               o->starts, r->best, r->median, r->mean, r->worst, r->contacts, r->overlap, r->last_overlap,
               r->residual, r->missed);
    } else {
        printf("%-16s %7ld %8.2f %8.2f %8.2f %6.1f %9.1f %9.4f %9.4f %9.1e %7ld\n", name, r->steps, r->best, r->median,
               r->mean, r->worst, r->contacts, 1e3*r->overlap, 1e3*r->last_overlap, r->residual, r->missed);
    }
    fflush(stdout);
}

/* Measures one scene and prints its row, the *rows-th, below the head; CLI_FAILED when the scene cannot run. */
static int bench_sim_one(const char *path, const bench_sim_options *o, int *rows)
{
    sim_session s;
    bench_sim_row row;
    int ok;

    if (!sim_open("bench sim", path, &o->changes, &s)) return CLI_FAILED;
    ok = bench_sim_scene(&s, o, &row);
    if (ok && !o->json && (*rows)++ == 0) bench_sim_head();
    if (ok) bench_sim_print(s.scene.name, o, &row);
    sim_close(&s);
    return ok ? CLI_OK : CLI_FAILED;
}

/* The scenes given, or those of models/bench; a missing scene of these ends the command. */
static int bench_sim_scenes(const bench_sim_options *o, const char *const *paths, int n)
{
    static const char *const usual[] = {
        "models/bench/slide.xml", "models/bench/slide45.xml", "models/bench/quad_drop.xml",
        "models/bench/quad_stand.xml", "models/bench/humanoid_up.xml", "models/bench/humanoid_prone.xml",
        "models/bench/wall_noball.xml", "models/bench/wall.xml" };
    const int given = n > 0;
    int i, rows = 0, worst = CLI_OK;

    if (!given) { paths = usual;  n = (int)(sizeof usual/sizeof *usual); }
    for (i = 0; i < n; ++i) {
        const int code = bench_sim_one(paths[i], o, &rows);

        worst = code > worst ? code : worst;
        if (code != CLI_OK && !given) return cli_fail("bench sim", "name scenes, or run it where models/ is");
    }
    return worst;
}

static void bench_sim_print_help(void)
{
    fputs(bench_sim_help, stdout);
    fputs(solver_args_help_solver, stdout);
    fputs(solver_args_help_options, stdout);
    fputs(bench_sim_example, stdout);
}

/* Options into o, scenes into paths (argc), *n of them; CLI_OK, or -1 after --help, or the exit code. */
static int bench_sim_read(int argc, char **argv, bench_sim_options *o, const char **paths, int *n)
{
    cli_args args;
    int what, ok = 1;

    cli_begin(&args, argc, argv);
    while (ok && (what = cli_next(&args)) != 0) {
        if (what == 2) paths[(*n)++] = args.value;
        else if (cli_is(&args, "--help") || cli_is(&args, "-h")) return bench_sim_print_help(), -1;
        else if (cli_is(&args, "--repeat")) ok = cli_value_int(&args, 1, 100000, &o->repeat);
        else if (cli_is(&args, "--starts")) ok = cli_value_int(&args, 1, 10000, &o->starts);
        else if (cli_is(&args, "--equal-terms")) o->changes.equal_terms = 1;
        else if (cli_is(&args, "--package-path")) ok = cli_value_path(&args, &o->changes.packages);
        else if (cli_is(&args, "--json")) o->json = 1;
        else if ((ok = solver_args_take(&args, &o->changes.solve)) == 0) return cli_unknown(&args);
        else ok = ok > 0;
    }
    if (ok) ok = solver_args_one(&args, &o->changes.solve);
    return ok ? CLI_OK : CLI_USAGE;
}

int slip_bench_sim(int argc, char **argv)
{
    const char **paths = (const char **)cli_alloc((size_t)argc*sizeof *paths);
    bench_sim_options o;
    int n = 0, code;

    memset(&o, 0, sizeof o);
    o.repeat = 5;
    o.starts = 1;
    code = bench_sim_read(argc, argv, &o, paths, &n);
    if (code == CLI_OK) code = bench_sim_scenes(&o, paths, n);
    free((void *)paths);
    return code < 0 ? CLI_OK : code;
}
