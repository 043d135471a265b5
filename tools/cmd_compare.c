/* slipstick compare: one scene under several solvers, side by side. */
#define _POSIX_C_SOURCE 199309L   /* isatty, fileno */

#include "movie.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPARE_MOST = 32 };

static void compare_help(void)
{
    fputs("usage: slipstick compare SCENE [OPTIONS]\n\n"
          "Runs a scene once under each solver and once under the reference, ncp-admm to 1e-10, and tells them\n"
          "apart: the laws of contact each one breaks, how far it strays, what it costs.\n\n"
          "  --solvers LIST    ids, divided by commas, or 'all'; see 'slipstick solvers'. Default: one of each model\n"
          "  --time SECONDS    how long          --dt SECONDS   time step\n"
          "  --tol EPS         the solvers' tolerance           --seed N   another draw of what is random\n"
          "  --package-path DIR  where the packages of package:// meshes are; may be repeated\n"
          "  --html FILE       all runs on one page: side by side or overlaid, with their curves\n"
          "  --svg DIR         energy, forces, residual, penetration, distance and path, all runs in each\n"
          "  --json            the table as JSON\n"
          "  --quiet           no warnings, no progress\n\n"
          "Columns: contacts that break Signorini's law, Coulomb's, maximum dissipation [%]; worst residual of the\n"
          "NCP; deepest overlap; energy at the end; largest and last distance from the reference, mean over "
          "the bodies;\n"
          "time a step.\n\n"
          "Exit code: 0 done, 1 a run failed, 2 usage.\n\n"
          "example: slipstick compare models/bench/slide.xml --solvers all --html slide.html\n", stdout);
}

typedef struct {
    const char *scene, *solvers, *html, *svg;
    const char *how;
    sim_changes changes;
    int json, progress;
} compare_arguments;

/* One run: everything stays until the page is written. */
typedef struct {
    const char *solver, *label;
    sim_session session;
    sim_result result;
    movie film;
    double distance_max, distance_end;
} compare_run;

static int compare_option(cli_args *args, compare_arguments *a)
{
    sim_changes *c = &a->changes;

    if (cli_is(args, "--solvers")) return (a->solvers = cli_value(args)) != NULL;
    if (cli_is(args, "--time")) return cli_value_real(args, 1e-9, 1e6, &c->time);
    if (cli_is(args, "--dt")) return cli_value_real(args, 1e-9, 10, &c->dt);
    if (cli_is(args, "--tol")) return cli_value_real(args, 1e-16, 1e3, &c->tol);
    if (cli_is(args, "--seed")) return cli_value_int(args, 0, 1000000000, &c->seed);
    if (cli_is(args, "--package-path")) return cli_value_path(args, &c->packages);
    if (cli_is(args, "--html")) return (a->html = cli_value(args)) != NULL;
    if (cli_is(args, "--svg")) return (a->svg = cli_value(args)) != NULL;
    if (cli_is(args, "--json")) return a->json = 1;
    if (cli_is(args, "--quiet")) return c->quiet = 1;
    cli_unknown(args);
    return 0;
}

/* Whether standard output is the page. */
static int compare_is_piped(const compare_arguments *a) { return a->html && strcmp(a->html, "-") == 0; }

static int compare_arguments_of(int argc, char **argv, compare_arguments *a)
{
    cli_args args;
    int what;

    memset(a, 0, sizeof *a);
    a->solvers = "lcp-pgs,ccp-admm,raisim-bisection,ncp-pgs,ncp-admm";
    cli_begin(&args, argc, argv);
    while ((what = cli_next(&args)) != 0) {
        if (what == 1 && (cli_is(&args, "--help") || cli_is(&args, "-h"))) return compare_help(), -1;
        if (what == 1 && !compare_option(&args, a)) return CLI_USAGE;
        if (what == 2 && a->scene) return cli_usage(&args, "one scene at a time, but there is also '%s'", args.value);
        if (what == 2) a->scene = args.value;
    }
    if (!a->scene) return cli_usage(&args, "which scene?");
    if (strcmp(a->scene, "-") == 0)
        return cli_usage(&args, "a scene that is read once cannot be compared: name a file");
    if (a->json && compare_is_piped(a))
        return cli_usage(&args, "--json needs standard output for itself; give --html a file");
    return CLI_OK;
}

/* The ids of the list, or all; 0, after a message, when one is unknown. */
static int compare_list(const char *text, compare_run *runs)
{
    int n = 0, i;

    if (strcmp(text, "all") == 0) {
        for (i = 0; i < slip_solver_count() && n < COMPARE_MOST - 1; ++i) runs[n++].solver = slip_solver_get(i)->id;
        return n;
    }
    while (*text) {
        const size_t length = strcspn(text, ",");

        for (i = 0; i < slip_solver_count(); ++i)
            if (slip_text_equal_n(text, (int)length, slip_solver_get(i)->id)) break;
        if (i == slip_solver_count())
            return cli_fail("compare", "unknown solver '%.*s'; 'slipstick solvers' lists the known ones", (int)length,
                            text), 0;
        if (n == COMPARE_MOST - 1) return cli_fail("compare", "at most %d solvers at once", COMPARE_MOST - 1), 0;
        runs[n++].solver = slip_solver_get(i)->id;
        text += length + (text[length] == ',');
    }
    if (n == 0) cli_fail("compare", "which solvers?");
    return n;
}

static int compare_watch(void *context, sim_session *s, long k)
{
    movie_step((movie *)context, s);
    (void)k;
    return 1;
}

static int compare_do(const compare_arguments *a, compare_run *r, int is_reference, int number, int count)
{
    sim_changes changes = a->changes;
    sim_observer observer;

    changes.solver = r->solver;
    if (is_reference) changes.tol = (double)SLIP_TOL(1e-10, 1e-5);
    if (number > 0) changes.quiet = 1;                   /* a scene's warnings once, not once a solver */
    if (a->progress)
        fprintf(stderr, "\r%-60s\r%d of %d: %s ", "", number + 1, count, r->label ? r->label : r->solver);
    if (!sim_open("compare", a->scene, &changes, &r->session)) return 0;
    if (!movie_begin("compare", &r->session, r->label, &r->film)) return 0;
    observer.step = compare_watch;
    observer.every_step = 1;
    observer.context = &r->film;
    sim_run(&r->session, &observer, &r->result);
    movie_end(&r->film, &r->session, &r->result);
    return 1;
}

static void compare_free(compare_run *runs, int n)
{
    int i;

    for (i = 0; i < n; ++i) {
        if (runs[i].film.block) movie_free(&runs[i].film);
        sim_close(&runs[i].session);
    }
}

/* ---- telling ------------------------------------------------------------------------------------ */

static const char *compare_name(const compare_run *r) { return r->label ? r->label : r->solver; }

static double compare_share(const compare_run *r, int law)
{
    const slip_replay_summary *s = slip_replay_summary_of(r->film.rec);

    return s->contacts > 0 ? 100.0*(double)s->broken[law]/(double)s->contacts : 0;
}

static double compare_us(const compare_run *r)
{
    return r->result.steps > 0 ? 1e6*r->result.cpu_seconds/(double)r->result.steps : 0;
}

static void compare_table(const compare_run *runs, int n)
{
    int i;

    printf("%-18s %9s %9s %9s %10s %11s %11s %11s %11s %9s\n", "solver", "Signorini", "Coulomb", "max.diss.",
           "residual",
           "overlap mm", "energy J", "strays mm", "ends off mm", "us/step");
    for (i = 0; i < n; ++i) {
        const compare_run *r = &runs[i];

        printf("%-18s %8.3g%% %8.3g%% %8.3g%% %10.2e %11.4g %11.5g %11.4g %11.4g %9.3g", compare_name(r),
               compare_share(r, 0),
               compare_share(r, 1), compare_share(r, 2), r->result.residual_max, 1e3*r->result.penetration_max,
               r->result.energy_end, 1e3*r->distance_max, 1e3*r->distance_end, compare_us(r));
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
    cli_json_text(stdout, compare_name(&runs[n - 1]));
    fputs(", \"runs\": [", stdout);
    for (i = 0; i < n; ++i) {
        const compare_run *r = &runs[i];
        const slip_replay_summary *s = slip_replay_summary_of(r->film.rec);

        fputs(i ? ",\n  {\"solver\": " : "\n  {\"solver\": ", stdout);
        cli_json_text(stdout, compare_name(r));
        printf(", \"status\": \"%s\", ", r->result.status < 0 ? "failed" : "done");
        compare_number("steps", (double)r->result.steps, ", ");
        compare_number("steps_missed_tolerance", (double)r->result.missed, ", ");
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
    else if (!compare_is_piped(a)) compare_table(runs, n);
    if (a->html) ok = movie_write_html("compare", a->html, &runs[0].session.scene, films, n, n - 1, a->how);
    if (ok && a->svg) ok = movie_write_svg("compare", a->svg, films, n, n - 1);
    free(films);
    return ok && !failed ? CLI_OK : CLI_FAILED;
}

int slip_cmd_compare(int argc, char **argv)
{
    compare_arguments a;
    compare_run *runs;
    char *how = NULL;
    int n, i, ok = 1, code = compare_arguments_of(argc, argv, &a);

    if (code != CLI_OK) return code < 0 ? CLI_OK : code;
    if (a.html && !cli_can_write("compare", a.html)) return CLI_FAILED;
    if (a.svg && !movie_can_write_svg("compare", a.svg)) return CLI_FAILED;
    runs = (compare_run *)cli_alloc(COMPARE_MOST*sizeof *runs);
    memset(runs, 0, COMPARE_MOST*sizeof *runs);
    n = compare_list(a.solvers, runs);
    if (n == 0) { free(runs); return CLI_USAGE; }
    runs[n].solver = "ncp-admm";
    runs[n].label = "reference";
    ++n;
    a.progress = !a.changes.quiet && isatty(fileno(stderr));
    a.how = how = movie_command_line(argc, argv);
    for (i = 0; i < n && ok; ++i) ok = compare_do(&a, &runs[i], i == n - 1, i, n);
    if (a.progress) fprintf(stderr, "\r%-60s\r", "");
    code = ok ? compare_tell(&a, runs, n) : CLI_FAILED;
    compare_free(runs, i);
    free(how);
    free(runs);
    return code;
}
