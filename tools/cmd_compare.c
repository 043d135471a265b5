/* slipstick compare: one scene under several solvers, side by side. */
#define _POSIX_C_SOURCE 199309L   /* isatty, fileno */

#include "movie.h"
#include "trot.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPARE_MOST = 32 };

static void compare_help(void)
{
    fputs("usage: slipstick compare SCENE [OPTIONS]\n\n"
          "Runs a scene once under each solver and once under the reference, ncp-admm to 1e-10, and compares\n"
          "them: violated laws of contact, distance from the reference, time per step. All run on equal terms: each\n"
          "step solves once, from the same warm start, to the same tolerance; no answer of an earlier step is kept\n"
          "without a solve and no contact is softened.\n\n"
          "  --solvers LIST    ids, divided by commas, or 'all'; see 'slipstick solvers'. Default: one of each model\n"
          "  --like ENGINE     adds a run that behaves as an engine does (docs/engines.md); may be repeated\n"
          "  --time SECONDS    how long          --dt SECONDS   time step\n"
          "  --seed N          another seed for the random parts of the scene\n"
          "  --trot VX[,VY,W]  walks the first robot, a quadruped, at m/s and rad/s; --mpc: forces planned ahead\n"
          "  --package-path DIR  where the packages of package:// meshes are; may be repeated\n"
          "  --html FILE       all runs on one page: side by side or overlaid, with their curves\n"
          "  --svg DIR         energy, forces, residual, penetration, distance and path, all runs in each\n"
          "  --json            the table as JSON\n"
          "  --quiet           no warnings, no progress\n\n"
          "Columns: contacts that break Signorini's law, Coulomb's, maximum dissipation [%]; worst residual of the\n"
          "NCP; deepest overlap; energy at the end; largest and last distance from the reference, mean over "
          "the bodies;\n"
          "time a step.\n\n"
          "Exit code: 0 done, 1 a run failed, 2 usage.\n\n", stdout);
    fputs(solver_args_help_options, stdout);
    fputs("\nexample: slipstick compare models/bench/slide.xml --solvers all --time 0.2\n", stdout);
}

typedef struct {
    const char *scene, *html, *svg;
    const char *how;
    sim_changes changes;
    trot_command trot;
    int walks, json, progress;
} compare_arguments;

/* One run: everything stays until the page is written. */
typedef struct {
    const slip_solver *solver;
    const char *engine;              /* NULL: the solver alone                       */
    const char *label;               /* "ncp-pgs", "bullet (ncp-pgs)" or "reference" */
    char text[64];
    trot *walker;
    sim_session session;
    sim_result result;
    movie film;
    double distance_max, distance_end;
} compare_run;

static int compare_option(cli_args *args, compare_arguments *a)
{
    sim_changes *c = &a->changes;
    int taken;

    if (cli_is(args, "--time")) return cli_value_real(args, 1e-9, 1e6, &c->time);
    if (cli_is(args, "--dt")) return cli_value_real(args, 1e-9, 10, &c->dt);
    if (cli_is(args, "--seed")) return cli_value_int(args, 0, 1000000000, &c->seed);
    if (cli_is(args, "--base")) return cli_value_base(args, &c->base);
    if (cli_is(args, "--repair")) return cli_value_repair(args, &c->repair);
    if (cli_is(args, "--package-path")) return cli_value_path(args, &c->packages);
    if (cli_is(args, "--html")) return (a->html = cli_value(args)) != NULL;
    if (cli_is(args, "--svg")) return (a->svg = cli_value(args)) != NULL;
    if (cli_is(args, "--json")) return a->json = 1;
    if (cli_is(args, "--quiet")) return c->quiet = 1;
    if (cli_is(args, "--trot")) return a->walks = trot_value(args, &a->trot);
    if (cli_is(args, "--mpc")) return a->trot.predicts = 1;
    taken = solver_args_take(args, &c->solve);
    if (taken == 0) cli_unknown(args);
    return taken > 0;
}

/* Whether standard output is the page. */
static int compare_is_piped(const compare_arguments *a) { return a->html && strcmp(a->html, "-") == 0; }

static int compare_arguments_of(cli_args *args, int argc, char **argv, compare_arguments *a)
{
    int what;

    memset(a, 0, sizeof *a);
    a->changes.equal_terms = a->changes.options_checked = 1;
    cli_begin(args, argc, argv);
    while ((what = cli_next(args)) != 0) {
        if (what == 1 && (cli_is(args, "--help") || cli_is(args, "-h"))) return compare_help(), -1;
        if (what == 1 && !compare_option(args, a)) return CLI_USAGE;
        if (what == 2 && a->scene) return cli_usage(args, "one scene at a time, but there is also '%s'", args->value);
        if (what == 2) a->scene = args->value;
    }
    if (!a->scene) return cli_usage(args, "which scene?");
    if (strcmp(a->scene, "-") == 0)
        return cli_usage(args, "a scene that is read once cannot be compared: name a file");
    if (a->json && compare_is_piped(a))
        return cli_usage(args, "--json needs standard output for itself; give --html a file");
    return CLI_OK;
}

static void compare_add(compare_run *runs, int *n, const slip_solver *solver, const char *engine)
{
    compare_run *r = &runs[*n];

    if (*n == COMPARE_MOST - 1) return;
    r->solver = solver;
    r->engine = engine;
    if (engine) slip_format(r->text, (int)sizeof r->text, "%s (%s)", engine, solver->id);
    r->label = engine ? r->text : solver->id;
    ++*n;
}

/* The solvers and engines given, or one of each model; the reference last. */
static int compare_list(const solver_args *a, compare_run *runs)
{
    static const slip_solver *const usual[] = { &slip_solver_lcp_pgs, &slip_solver_ccp_admm,
                                                &slip_solver_raisim_bisection, &slip_solver_ncp_pgs,
                                                &slip_solver_ncp_admm };
    slip_solver_options unused = slip_solver_defaults();
    int n = 0, i;

    for (i = 0; i < a->count; ++i) compare_add(runs, &n, a->list[i], NULL);
    for (i = 0; i < a->likes; ++i) compare_add(runs, &n, slip_solver_like(a->like[i], &unused), a->like[i]);
    for (i = 0; n == i && i < (int)(sizeof usual/sizeof *usual) && a->count + a->likes == 0; ++i)
        compare_add(runs, &n, usual[i], NULL);
    runs[n].solver = &slip_solver_ncp_admm;
    runs[n].label = "reference";
    return n + 1;
}

/* Whether every run can have the options given; CLI_USAGE, after a message, when one cannot. */
static int compare_check(const cli_args *args, const compare_arguments *a, const compare_run *runs, int n)
{
    int i;

    for (i = 0; i < n; ++i)
        if (!solver_args_check(args, &a->changes.solve, runs[i].solver, runs[i].engine)) return CLI_USAGE;
    return CLI_OK;
}

/* Warns of options that no run reads. */
static void compare_warn(const compare_arguments *a, const compare_run *runs, int n)
{
    const slip_solver *solvers[COMPARE_MOST];
    int i;

    for (i = 0; i < n; ++i) solvers[i] = runs[i].solver;
    solver_args_warn("compare", &a->changes.solve, solvers, n, a->changes.quiet);
}

/* What is recorded, and the progress of all runs, the earlier ones included. */
typedef struct {
    movie *film;
    const char *label;
    int progress, number, count;     /* wanted; this run of so many */
    double begun, last;              /* when the first run began, when the line was written [s] */
} compare_watcher;

static int compare_watch(void *context, sim_session *s, long k)
{
    compare_watcher *w = (compare_watcher *)context;
    const double now = w->progress ? cli_seconds() : 0, done = w->number + (double)k/(double)s->steps;

    movie_step(w->film, s);
    if (!w->progress || now - w->last < 0.2) return 1;
    fprintf(stderr, "\r%-60s\r%d of %d: %s, %.0f s left ", "", w->number + 1, w->count, w->label,
            (now - w->begun)*(w->count - done)/done);
    w->last = now;
    fflush(stderr);
    return 1;
}

/* The changes of the scene for a run: its own solver; the reference takes none of the options except --cold. */
static void compare_changes(const compare_arguments *a, const compare_run *r, int is_reference, sim_changes *c)
{
    *c = a->changes;
    c->solve.count = r->engine ? 0 : 1;
    c->solve.list[0] = r->solver;
    c->solve.likes = r->engine ? 1 : 0;
    c->solve.like[0] = r->engine;
    if (!is_reference) return;
    c->solve.options = 0;
    solver_args_set("compare", &c->solve, "tol", sizeof(slip_real) > 4 ? "1e-10" : "1e-5");
}

static int compare_do(const compare_arguments *a, compare_run *r, int is_reference, compare_watcher *watcher)
{
    sim_changes changes;
    sim_observer observer;

    compare_changes(a, r, is_reference, &changes);
    if (watcher->number > 0) changes.quiet = 1;          /* a scene's warnings once, not once a solver */
    watcher->film = &r->film;
    watcher->label = r->label;
    if (!sim_open("compare", a->scene, &changes, &r->session)) return 0;
    if (a->walks && !(r->walker = trot_new(&r->session, &a->trot))) return 0;
    if (!movie_begin("compare", &r->session, r->label, &r->film)) return 0;
    observer.step = compare_watch;
    observer.every_step = 1;
    observer.context = watcher;
    sim_run(&r->session, &observer, &r->result);
    movie_end(&r->film, &r->session, &r->result);
    return 1;
}

static void compare_free(compare_run *runs, int n)
{
    int i;

    for (i = 0; i < n; ++i) {
        if (runs[i].film.block) movie_free(&runs[i].film);
        trot_free(runs[i].walker);
        sim_close(&runs[i].session);
    }
}

/* ---- telling ------------------------------------------------------------------------------------ */

static double compare_share(const compare_run *r, int law)
{
    const slip_replay_summary *s = slip_replay_summary_of(r->film.rec);

    return s->contacts > 0 ? 100.0*(double)s->broken[law]/(double)s->contacts : 0;
}

static double compare_us(const compare_run *r)
{
    return r->result.steps > 0 ? 1e6*r->result.cpu_seconds/(double)r->result.steps : 0;
}

/* likes: how many runs are of --like. */
static void compare_table(const compare_run *runs, int n, int likes)
{
    int i;

    printf("equal terms: one solve for each problem of a step, %s, tolerance %.2g; nothing kept without a solve, nothing "
           "softened\n",
           runs[0].session.scene.world.options.warm_start ? "from the last step's impulses" : "from zero (--cold)",
           (double)runs[0].session.scene.world.options.solve.tol);
    if (likes > 0) printf("--like: that engine's own contact law, start, iterations and step instead\n");
    printf("%-18s %9s %9s %9s %10s %11s %11s %11s %11s %9s %9s\n", "solver", "Signorini", "Coulomb", "max.diss.",
           "residual", "overlap mm", "energy J", "strays mm", "ends off mm", "calls", "us/step");
    for (i = 0; i < n; ++i) {
        const compare_run *r = &runs[i];

        printf("%-18s %8.3g%% %8.3g%% %8.3g%% %10.2e %11.4g %11.5g %11.4g %11.4g %9.3g %9.3g", r->label,
               compare_share(r, 0),
               compare_share(r, 1), compare_share(r, 2), r->result.residual_max, 1e3*r->result.penetration_max,
               r->result.energy_end, 1e3*r->distance_max, 1e3*r->distance_end, r->result.calls_mean,
               compare_us(r));
        if (r->result.status < 0) printf("  failed at step %ld", r->result.steps);
        else if (r->result.missed) printf("  %ld step%s missed", r->result.missed, r->result.missed > 1 ? "s" : "");
        putchar('\n');
    }
}

static void compare_number(const char *key, double x, const char *end)
{
    char text[SLIP_NUMBER_SIZE];

    slip_print_double(x, 9, text);
    printf("\"%s\": %s%s", key, x - x == 0 ? text : "null", end);
}

static void compare_json(const compare_arguments *a, const compare_run *runs, int n)
{
    int i;

    fputs("{\"scene\": ", stdout);
    cli_json_text(stdout, a->scene);
    fputs(", \"reference\": ", stdout);
    cli_json_text(stdout, runs[n - 1].label);
    fputs(", \"equal_terms\": true, \"runs\": [", stdout);
    for (i = 0; i < n; ++i) {
        const compare_run *r = &runs[i];
        const slip_replay_summary *s = slip_replay_summary_of(r->film.rec);

        fputs(i ? ",\n  {\"run\": " : "\n  {\"run\": ", stdout);
        cli_json_text(stdout, r->label);
        fputs(", ", stdout);
        sim_json_terms(stdout, &r->session);
        printf(", \"status\": \"%s\", ", r->result.status < 0 ? "failed" : "done");
        compare_number("steps", (double)r->result.steps, ", ");
        compare_number("steps_missed_tolerance", (double)r->result.missed, ", ");
        compare_number("solver_calls_mean", r->result.calls_mean, ", ");
        compare_number("signorini_broken_percent", compare_share(r, 0), ", ");
        compare_number("coulomb_broken_percent", compare_share(r, 1), ", ");
        compare_number("dissipation_broken_percent", compare_share(r, 2), ", ");
        compare_number("signorini_power_max", (double)s->signorini, ", ");
        compare_number("coulomb_excess_max", (double)s->coulomb, ", ");
        compare_number("dissipation_missed_max", (double)s->dissipation, ", ");
        compare_number("ncp_residual_max", r->result.residual_max, ", ");
        compare_number("penetration_max", r->result.penetration_max, ", ");
        compare_number("energy_end", r->result.energy_end, ", ");
        compare_number("distance_max", r->distance_max, ", ");
        compare_number("distance_end", r->distance_end, ", ");
        compare_number("cpu_us_per_step", compare_us(r), "}");
    }
    fputs("\n]}\n", stdout);
}

static int compare_tell(const compare_arguments *a, compare_run *runs, int n)
{
    movie *films = (movie *)cli_alloc((size_t)n*sizeof *films);
    int i, failed = 0, ok = 1;

    for (i = 0; i < n; ++i) {
        films[i] = runs[i].film;
        runs[i].distance_max = movie_distance_max(&runs[i].film, &runs[n - 1].film);
        runs[i].distance_end = movie_distance(&runs[i].film, &runs[n - 1].film,
                                              slip_replay_frames(runs[i].film.rec) - 1);
        failed |= runs[i].result.status < 0;
    }
    if (a->json) compare_json(a, runs, n);
    else if (!compare_is_piped(a)) compare_table(runs, n, a->changes.solve.likes);
    if (a->html) ok = movie_write_html("compare", a->html, &runs[0].session.scene, films, n, n - 1, a->how);
    if (ok && a->svg) ok = movie_write_svg("compare", a->svg, films, n, n - 1);
    free(films);
    return ok && !failed ? CLI_OK : CLI_FAILED;
}

int slip_cmd_compare(int argc, char **argv)
{
    compare_arguments a;
    compare_watcher watcher;
    compare_run *runs;
    char *how = NULL;
    cli_args args;
    int n, i, ok = 1, code = compare_arguments_of(&args, argc, argv, &a);

    if (code != CLI_OK) return code < 0 ? CLI_OK : code;
    if (a.html && !output_can_open("compare", a.html)) return CLI_FAILED;
    if (a.svg && !movie_can_write_svg("compare", a.svg)) return CLI_FAILED;
    runs = (compare_run *)cli_alloc(COMPARE_MOST*sizeof *runs);
    memset(runs, 0, COMPARE_MOST*sizeof *runs);
    n = compare_list(&a.changes.solve, runs);
    code = compare_check(&args, &a, runs, n - 1);
    if (code != CLI_OK) return free(runs), code;
    compare_warn(&a, runs, n - 1);
    a.progress = !a.changes.quiet && isatty(fileno(stderr));
    a.how = how = movie_command_line(argc, argv);
    memset(&watcher, 0, sizeof watcher);
    watcher.progress = a.progress;
    watcher.count = n;
    watcher.begun = watcher.last = cli_seconds();
    for (i = 0; i < n && ok; ++i) {
        watcher.number = i;
        ok = compare_do(&a, &runs[i], i == n - 1, &watcher);
    }
    if (a.progress) fprintf(stderr, "\r%-60s\r", "");
    code = ok ? compare_tell(&a, runs, n) : CLI_FAILED;
    compare_free(runs, i);
    free(how);
    free(runs);
    return code;
}
