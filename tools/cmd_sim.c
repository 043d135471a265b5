/* slipstick sim: runs a scene and prints a summary. */
#define _POSIX_C_SOURCE 199309L   /* isatty, fileno */

#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "movie.h"
#include "problem_dump.h"
#include "run_log.h"
#include "sim_csv.h"
#include "sim_run.h"
#include "sim_report.h"
#include "trot.h"
#include "output.h"

static void sim_help(void)
{
    fputs("usage: slipstick sim SCENE|ROBOT [OPTIONS]\n\n"
          "Simulates a scene (docs/scenes.md; - for standard input), or a robot's file on level ground, and prints a\n"
          "summary: speed, contacts, penetration, the contact solver's true residual, energies.\n\n"
          "  --base free|fixed  of a robot without a scene   --repair armature=X|none  of joints that move nothing\n"
          "  --time SECONDS    how long; the scene's duration by default     --dt SECONDS   time step\n"
          "  --budget N        at most N iterations of all loops of a step; --deadline S: at most S seconds of it\n"
          "  --package-path DIR  where package:// meshes are; may be repeated        --seed N   another seed\n"
          "  --repeat N        runs N times from the start; best and median time\n"
          "  --trot VX[,VY,W]  walks the first robot, a quadruped, at m/s and rad/s; --mpc: forces planned ahead\n"
          "  --csv FILE        time, q, v, contact forces per link, energies, residual of every step (- for stdout)\n"
          "  --torques         in --csv also tau, drive torque and constraint force of every joint [N, N m]\n"
          "  --contacts FILE   CSV, a row a contact and step: time [s], names, feature, stick/slip/open, point,\n"
          "                    gap [m], normal, force in contact and world axes [N], torque [N m] (docs/scenes.md)\n"
          "  --html FILE       a replay of the run as one self-contained page for a browser\n"
          "  --svg DIR         plots of energy, forces, residual and penetration\n"
          "  --log FILE        a log with which 'slipstick replay' repeats the run bit for bit\n"
          "  --dump-problems DIR [--dump-every N]  contact problems and warm starts of every N-th step for 'solve'\n"
          "  --equal-terms     each step solves once, as 'slipstick compare' does    --hash   of all steps\n"
          "  --json            instead of the summary     --quiet   no warnings     --strict   warnings are failures\n",
          stdout);
    fputs(solver_args_help_solver, stdout);
    fputs(solver_args_help_options, stdout);
    fputs("\nOptions of the scene's <solver> that are not given here stay.\n"
          "Exit code: 0 done, 1 a bad scene or a failed step (--strict: or a missed tolerance), 2 usage.\n\n"
          "example: slipstick sim models/bench/quad_stand.xml --solver ncp-admm --repeat 2\n", stdout);
}

typedef struct {
    const char *scene, *csv, *contacts, *html, *svg, *log, *dump;
    const char *how;                 /* the command line */
    sim_changes changes;
    trot_command trot;
    int walks, repeat, json, dump_every, torques, hash;
} sim_arguments;

static int sim_is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }

/* One option; 1 when it was understood, else the exit code is set. */
static int sim_option(cli_args *args, sim_arguments *a, int *code)
{
    sim_changes *c = &a->changes;
    int ok = 1;

    *code = CLI_USAGE;
    if (cli_is(args, "--time")) ok = cli_value_real(args, 1e-9, 1e6, &c->time);
    else if (cli_is(args, "--dt")) ok = cli_value_real(args, 1e-9, 10, &c->dt);
    else if (cli_is(args, "--budget")) ok = cli_value_int(args, 1, 1000000000, &c->budget);
    else if (cli_is(args, "--deadline")) ok = cli_value_real(args, 1e-9, 1e3, &c->deadline);
    else if (cli_is(args, "--seed")) ok = cli_value_int(args, 0, 1000000000, &c->seed);
    else if (cli_is(args, "--package-path")) ok = cli_value_path(args, &c->packages);
    else if (cli_is(args, "--base")) ok = cli_value_base(args, &c->base);
    else if (cli_is(args, "--repair")) ok = cli_value_repair(args, &c->repair);
    else if (cli_is(args, "--repeat")) ok = cli_value_int(args, 1, 100000, &a->repeat);
    else if (cli_is(args, "--csv")) ok = (a->csv = cli_value(args)) != NULL;
    else if (cli_is(args, "--torques")) a->torques = 1;
    else if (cli_is(args, "--contacts")) ok = (a->contacts = cli_value(args)) != NULL;
    else if (cli_is(args, "--html")) ok = (a->html = cli_value(args)) != NULL;
    else if (cli_is(args, "--svg")) ok = (a->svg = cli_value(args)) != NULL;
    else if (cli_is(args, "--log")) ok = (a->log = cli_value(args)) != NULL;
    else if (cli_is(args, "--hash")) a->hash = 1;
    else if (cli_is(args, "--trot")) ok = a->walks = trot_value(args, &a->trot);
    else if (cli_is(args, "--mpc")) a->trot.predicts = 1;
    else if (cli_is(args, "--dump-problems")) ok = (a->dump = cli_value(args)) != NULL;
    else if (cli_is(args, "--dump-every")) ok = cli_value_int(args, 1, 1000000000, &a->dump_every);
    else if (cli_is(args, "--equal-terms")) c->equal_terms = 1;
    else if (cli_is(args, "--json")) a->json = 1;
    else if (cli_is(args, "--strict")) c->strict = 1;
    else if (cli_is(args, "--quiet")) c->quiet = 1;
    else if ((ok = solver_args_take(args, &c->solve)) == 0) cli_unknown(args);
    return ok > 0;
}

/* Standard output takes one document, a file one table. */
static int sim_check_outputs(const cli_args *args, const sim_arguments *a)
{
    const char *const name[] = { "--json", "--csv", "--contacts", "--html" };
    const int wants[] = { a->json, sim_is_stdout(a->csv), sim_is_stdout(a->contacts), sim_is_stdout(a->html) };
    int i, first = -1;

    if (a->torques && !a->csv) return cli_usage(args, "--torques adds columns to --csv FILE, which is not given");
    if (sim_is_stdout(a->log)) return cli_usage(args, "--log needs a file, not standard output");
    if (a->csv && a->contacts && !sim_is_stdout(a->csv) && strcmp(a->csv, a->contacts) == 0)
        return cli_usage(args, "--csv and --contacts are two tables; give each a file of its own");
    for (i = 0; i < (int)(sizeof wants/sizeof *wants); ++i) {
        if (!wants[i]) continue;
        if (first >= 0)
            return cli_usage(args, "%s needs standard output for itself; give %s a file", name[first], name[i]);
        first = i;
    }
    return CLI_OK;
}

static int sim_arguments_of(int argc, char **argv, sim_arguments *a)
{
    cli_args args;
    int what, code = CLI_OK;

    memset(a, 0, sizeof *a);
    a->repeat = a->dump_every = 1;
    cli_begin(&args, argc, argv);
    while ((what = cli_next(&args)) != 0) {
        if (what == 1 && (cli_is(&args, "--help") || cli_is(&args, "-h"))) return sim_help(), -1;
        if (what == 1 && !sim_option(&args, a, &code)) return code;
        if (what == 2 && a->scene) return cli_usage(&args, "one scene at a time, but there is also '%s'", args.value);
        if (what == 2) a->scene = args.value;
    }
    if (!a->scene) return cli_usage(&args, "which scene?");
    if (!solver_args_one(&args, &a->changes.solve)) return CLI_USAGE;
    return sim_check_outputs(&args, a);
}

/* ---- while it runs ------------------------------------------------------------------------------ */

typedef struct {
    FILE *csv, *contacts;            /* NULL: none */
    slip_real *torques;              /* scratch of --torques; NULL: without */
    movie *film;                     /* NULL: none */
    log_writer *log;                 /* NULL: none */
    int hashes;                      /* of all steps is wanted */
    uint64_t hash;
    int progress, wide;              /* wanted; how wide the line was at most */
    double begun, last;              /* when the run began, when the progress line was written [s] */
} sim_watch;

static int sim_watch_step(void *context, sim_session *s, long k)
{
    sim_watch *w = (sim_watch *)context;
    const double now = w->progress ? cli_seconds() : 0;

    if (w->contacts) report_contacts_rows(w->contacts, s);
    if (w->csv) report_csv_row(w->csv, s, w->torques);
    if (w->log) log_step(w->log, s, k);
    if (w->film) movie_step(w->film, s);
    if (w->hashes) w->hash = log_hash_step(w->hash, s->world);
    if (w->progress && now - w->last > 0.2) {
        const int n = fprintf(stderr, "\r%s: %.3f of %.3f s, %d contacts, %.0f s left ",
                              s->scene.name[0] ? s->scene.name : s->scene.file, (double)slip_world_time(s->world),
                              (double)s->steps*(double)s->scene.world.options.dt,
                              slip_world_stats(s->world)->contacts, (now - w->begun)*(double)(s->steps - k)/(double)k);

        if (n > w->wide) w->wide = n;
        w->last = now;
        fflush(stderr);
    }
    return 1;
}

/* Outputs of the first run. */
typedef struct { movie film; log_writer log; problem_dump dump; int films, logs; } sim_records;

static int sim_records_begin(const sim_arguments *a, sim_session *s, sim_records *r, sim_watch *watch)
{
    memset(r, 0, sizeof *r);
    if (a->html && !output_can_open("sim", a->html)) return 0;
    if (a->svg && !movie_can_write_svg("sim", a->svg)) return 0;
    if (a->log && !(r->logs = log_begin("sim", a->log, a->scene, &a->changes, s, &r->log))) return 0;
    if ((a->html || a->svg) && !(r->films = movie_begin("sim", s, NULL, &r->film))) return 0;
    if (a->dump && !problem_dump_begin("sim", a->dump, a->dump_every, a->how, s, &r->dump)) return 0;
    watch->log = r->logs ? &r->log : NULL;
    watch->film = r->films ? &r->film : NULL;
    return 1;
}

/* Writes the recorded outputs; 0, after a message, on failure. */
static int sim_records_end(const sim_arguments *a, sim_session *s, sim_records *r, long steps)
{
    int ok = !r->dump.failed;

    slip_world_options_of(s->world)->on_problem = NULL;
    if (a->dump && ok && !a->changes.quiet) fprintf(stderr, "slipstick sim: %ld contact problem%s in %s\n",
                                                    r->dump.written, r->dump.written == 1 ? "" : "s", a->dump);
    if (r->logs) ok = log_end("sim", a->log, &r->log, steps);
    if (r->films) {
        if (ok && a->html) ok = movie_write_html("sim", a->html, &s->scene, &r->film, 1, -1, a->how);
        if (ok && a->svg) ok = movie_write_svg("sim", a->svg, &r->film, 1, -1);
        movie_free(&r->film);
    }
    return ok;
}

/* Opens a table, NULL for no path; 0, after a message, when it cannot be written. */
static int sim_table_open(const char *path, FILE **table)
{
    return !path || (*table = output_open("sim", path)) != NULL;
}

static int sim_tables_begin(const sim_arguments *a, sim_session *s, sim_watch *watch)
{
    if (!sim_table_open(a->csv, &watch->csv)) return 0;
    if (!sim_table_open(a->contacts, &watch->contacts)) return 0;
    if (a->torques) watch->torques = (slip_real *)cli_alloc((2*(size_t)s->scene.model->nv + 1)*sizeof(slip_real));
    if (watch->csv) report_csv_head(watch->csv, s, a->torques);
    if (watch->contacts) report_contacts_head(watch->contacts);
    return 1;
}

static int sim_tables_end(const sim_arguments *a, sim_watch *watch)
{
    int ok = output_close("sim", a->csv, watch->csv);

    ok = output_close("sim", a->contacts, watch->contacts) && ok;
    free(watch->torques);
    return ok;
}

/* All runs: the first is watched when there is something to write; times of all are kept. */
static int sim_runs(const sim_arguments *a, sim_session *s, sim_timing *timing, sim_result *result)
{
    sim_watch watch;
    sim_records records;
    sim_observer observer;
    slip_work work;
    int i, written = 1;

    memset(&watch, 0, sizeof watch);
    if (!sim_tables_begin(a, s, &watch) || !sim_records_begin(a, s, &records, &watch)) {
        sim_tables_end(a, &watch);
        return CLI_FAILED;
    }
    watch.progress = !a->changes.quiet && a->repeat == 1 && isatty(fileno(stderr));
    watch.begun = cli_seconds();
    observer.step = sim_watch_step;
    watch.hashes = a->hash;
    observer.every_step = watch.csv || watch.contacts || watch.film || watch.log || watch.hashes;
    observer.context = &watch;
    output_watch_interrupts();
    for (i = 0; i < a->repeat && !(i > 0 && output_interrupted()); ++i) {
        slip_world_options_of(s->world)->work = i == 0;   /* all runs are the same; repeats are for timing alone   */
        sim_run(s, i == 0 && (observer.every_step || watch.progress) ? &observer : NULL, result);
        if (i == 0) work = result->work;
        result->work = work;
        result->hash = watch.hash;
        if (i == 0 && watch.film) movie_end(watch.film, s, result);
        if (i == 0) written = sim_records_end(a, s, &records, result->steps);
        report_timing_add(timing, s, result, i);
        if (result->status < 0) break;
    }
    if (watch.progress && watch.wide > 0) fprintf(stderr, "\r%*s\r", watch.wide, "");
    written = sim_tables_end(a, &watch) && written;
    if (output_interrupted())
        fprintf(stderr, "slipstick sim: interrupted after %ld of %ld steps; what is written ends there\n", result->steps,
                s->steps);
    return written && !output_interrupted() ? CLI_OK : CLI_FAILED;
}

/* Whether standard output is a document already, so that no summary may follow. */
static int sim_fills_stdout(const sim_arguments *a)
{
    return a->json || sim_is_stdout(a->csv) || sim_is_stdout(a->contacts) || sim_is_stdout(a->html);
}

/* Prints the summary, and the names of files written. */
static void sim_tell(const sim_arguments *a, sim_session *s, const sim_result *result, sim_timing *timing,
                     const trot *walker)
{
    report_summary(stdout, s, result, timing);
    if (walker) trot_report(walker, stdout);
    if (a->svg) printf("  plots            in %s\n", a->svg);
    if (a->html) printf("  page             %s: open it in a browser\n", a->html);
}

int slip_cmd_sim(int argc, char **argv)
{
    sim_arguments a;
    sim_session s;
    sim_result result;
    sim_timing timing;
    trot *walker = NULL;
    char *how;
    int code = sim_arguments_of(argc, argv, &a);

    if (code != CLI_OK) return code < 0 ? CLI_OK : code;
    a.how = how = movie_command_line(argc, argv);
    if (!sim_open("sim", a.scene, &a.changes, &s)) { free(how); return CLI_FAILED; }
    if (a.walks) {
        walker = trot_new(&s, &a.trot);
        if (!walker) { free(how); sim_close(&s); return CLI_FAILED; }
    }
    report_timing_begin(&timing, a.repeat);
    code = sim_runs(&a, &s, &timing, &result);
    if (code == CLI_OK) {
        if (a.json) report_json(stdout, &s, &result, &timing, a.changes.seed);
        else if (!sim_fills_stdout(&a)) sim_tell(&a, &s, &result, &timing, walker);
        if (result.status < 0) cli_error(slip_world_error(s.world));
        if (result.status < 0 || (a.changes.strict && (result.missed > 0 || result.dropped > 0))) code = CLI_FAILED;
    }
    report_timing_end(&timing);
    free(how);
    trot_free(walker);
    sim_close(&s);
    return code;
}
