/* slipstick fit: parameters of a scene from recorded motions. */
#define _POSIX_C_SOURCE 199309L   /* isatty, fileno */

#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "movie.h"
#include "output.h"

enum { FIT_MOST_BOUNDS = 32, FIT_MOST_STAGES = 16 };

typedef struct {
    const char *scene, *log, *free, *runs, *score, *svg, *html;
    const char *bound[FIT_MOST_BOUNDS];
    int segment[FIT_MOST_STAGES], nstages;
    int nbounds, show, json, euler;
    sim_changes changes;
    fit_options o;
} fit_arguments;

static void fit_help(void)
{
    fputs("usage: slipstick fit SCENE LOG.csv --free LIST [OPTIONS]\n\n"
          "Finds parameters of a scene from recorded motions, by least squares with multiple shooting on the\n"
          "derivatives of steps (docs/fit.md). The recording has a line of names: time, q_JOINT… and, where known,\n"
          "v_JOINT…, tau_JOINT… (what acts from a row to the next), run. LIST: mu, restitution, stiffness,\n"
          "contact_damping (all surfaces; mu:SURFACE, mu:A/B), mass:LINK, com:LINK, inertia:LINK, damping:JOINT,\n"
          "friction:JOINT, armature:JOINT, with commas.\n\n"
          "  --bound NAME=LO:HI   bounds of a parameter; may be repeated\n"
          "  --runs CHOICE        runs that are fitted: all, even, odd, 1,4,10-19, and behind them every:N\n"
          "  --score CHOICE       other runs, predicted before and after\n"
          "  --segment ROWS,...   rows of a shooting interval (default 10); 10,1000 fits again with longer ones\n"
          "  --model-error E      of a state where intervals meet, over a measurement's (default 1e-3; real data: 1)\n"
          "  --positions          velocities of the recording start the search, but are not fitted\n"
          "  --fixed-start        runs begin exactly in the state of their first row\n"
          "  --robust             large errors count by their size instead of their square (Huber)\n"
          "  --iterations N       at most (default 50)       --tol T   relative fall of the squares (default 1e-6)\n"
          "  --svg PREFIX         plots PREFIX-motion.svg, PREFIX-error.svg: a run before and after\n"
          "  --html FILE          replay of that run with the recording as a ghost      --show RUN   which run\n"
          "  --dt SECONDS         of a step                  --euler   steps by integrator euler\n"
          "  --simple             all derivatives by differences, for comparison\n"
          "  --json               results as JSON            --quiet   no warnings, no progress\n"
          "  --package-path DIR   where package:// meshes are; may be repeated\n\n"
          "Exit code: 0 found, 1 not (no convergence, a parameter without effect, bad files), 2 usage.\n\n"
          "example: slipstick sim models/cube_slide.xml --quiet --csv toss.csv > sim.txt; slipstick fit "
          "models/cube_slide.xml toss.csv --free mu\n", stdout);
}

/* ---- arguments -------------------------------------------------------------------------------------------------- */

static int fit_text_option(cli_args *args, fit_arguments *a)
{
    const struct { const char *name; const char **to; } texts[] = {
        { "--free", &a->free }, { "--runs", &a->runs }, { "--score", &a->score }, { "--svg", &a->svg },
        { "--html", &a->html } };
    size_t i;

    for (i = 0; i < sizeof texts/sizeof *texts; ++i)
        if (cli_is(args, texts[i].name)) return (*texts[i].to = cli_value(args)) != NULL;
    return -1;
}

/* Lengths of intervals, one for each stage of the fit: 10 or 10,1000. */
static int fit_segments(cli_args *args, fit_arguments *a)
{
    const char *text = cli_value(args);

    for (a->nstages = 0; text && *text; ++a->nstages) {
        const int n = (int)strcspn(text, ",");

        if (a->nstages == FIT_MOST_STAGES || slip_read_int(text, n, &a->segment[a->nstages]) != n
            || a->segment[a->nstages] < 1)
            return cli_usage(args, "--segment: '%s', expected up to %d numbers of rows with commas", text,
                             FIT_MOST_STAGES), 0;
        text += n + (text[n] == ',');
    }
    if (text && a->nstages == 0) cli_usage(args, "--segment: expected a number of rows");
    return a->nstages > 0;
}

/* 1 understood, 0 refused, -1 unknown. */
static int fit_option(cli_args *args, fit_arguments *a)
{
    const int text = fit_text_option(args, a);

    if (text >= 0) return text;
    if (cli_is(args, "--bound")) {
        if (a->nbounds == FIT_MOST_BOUNDS) return cli_usage(args, "more than %d bounds", FIT_MOST_BOUNDS), 0;
        return (a->bound[a->nbounds++] = cli_value(args)) != NULL;
    }
    if (cli_is(args, "--segment")) return fit_segments(args, a);
    if (cli_is(args, "--iterations")) return cli_value_int(args, 1, 100000, &a->o.iterations);
    if (cli_is(args, "--show")) return cli_value_int(args, 0, 1000000000, &a->show);
    if (cli_is(args, "--model-error")) return cli_value_real(args, 1e-6, 1e6, &a->o.model_error);
    if (cli_is(args, "--tol")) return cli_value_real(args, 1e-15, 1, &a->o.tol);
    if (cli_is(args, "--dt")) return cli_value_real(args, 1e-9, 10, &a->changes.dt);
    if (cli_is(args, "--package-path")) return cli_value_path(args, &a->changes.packages);
    if (cli_is(args, "--simple")) a->o.is_simple = 1;
    else if (cli_is(args, "--positions")) a->o.positions = 1;
    else if (cli_is(args, "--robust")) a->o.robust = 1;
    else if (cli_is(args, "--fixed-start")) a->o.fixed_start = 1;
    else if (cli_is(args, "--json")) a->json = 1;
    else if (cli_is(args, "--euler")) a->euler = 1;
    else if (cli_is(args, "--quiet")) a->changes.quiet = 1;
    else return -1;
    return 1;
}

/* 1: go on; else the exit code is set. */
static int fit_arguments_read(int argc, char **argv, fit_arguments *a, int *code)
{
    cli_args args;
    int kind, ok;

    memset(a, 0, sizeof *a);
    a->o = fit_options_defaults();
    a->runs = "all";
    a->segment[0] = a->o.segment;
    a->nstages = 1;
    a->show = -1;
    cli_begin(&args, argc, argv);
    args.command = "fit";
    *code = CLI_USAGE;
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2) {
            if (a->log) return cli_usage(&args, "too many arguments: '%s'", args.value), 0;
            if (a->scene) a->log = args.value;
            else a->scene = args.value;
            continue;
        }
        if (cli_is(&args, "--help") || cli_is(&args, "-h")) { fit_help();  *code = CLI_OK;  return 0; }
        ok = fit_option(&args, a);
        if (ok < 0) cli_unknown(&args);
        if (ok <= 0) return 0;
    }
    if (!a->scene) return cli_usage(&args, "which scene?"), 0;
    if (!a->log) return cli_usage(&args, "which recording? LOG.csv behind the scene"), 0;
    if (!a->free) return cli_usage(&args, "what is free? For example --free mu,restitution"), 0;
    if (strcmp(a->log, "-") == 0 && strcmp(a->scene, "-") == 0)
        return cli_usage(&args, "scene and recording cannot both come from standard input"), 0;
    a->o.progress = !a->changes.quiet && isatty(fileno(stderr));
    return 1;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

typedef struct {
    const fit_arguments *a;
    sim_session session;
    fit_log log;
    fit_set set;
    unsigned char *fitted, *scored;
    double start[FIT_MOST];      /* x of the scene */
    double before[2], after[2];
    fit_result r;
} fit_job;

static int fit_count(const fit_log *log, const unsigned char *chosen)
{
    int i, n = 0;

    for (i = 0; i < log->nruns; ++i) n += chosen[i];
    return n;
}

static const char *const fit_group_names[FIT_GROUPS] = { "q [m]", "q [rad]", "v [m/s]", "v [rad/s]" };

static void fit_print_values(const fit_job *job)
{
    const fit_result *r = &job->r;
    char name[192];
    int i;

    printf("%-28s %12s %12s %12s  %s\n", "parameter", "start", "found", "+- (95 %)", "unit");
    for (i = 0; i < job->set.n; ++i) {
        fit_set_value_name(&job->set, i, name, sizeof name);
        printf("%-28s %12.6g %12.6g ", name, r->start[i], r->y[i]);
        if (r->bound[i]) printf("%12s", "at its bound");
        else if (r->error[i] - r->error[i] == 0) printf("%12.3g", r->quantile*r->error[i]);
        else printf("%12s", "unknown");
        printf("  %s\n", fit_set_unit(&job->set, i));
    }
}

static void fit_print(const fit_job *job)
{
    const fit_result *r = &job->r;
    const fit_counts *c = &r->counts;
    char one[192], other[192];
    int g;

    fit_print_values(job);
    if (job->set.n > 1 && fabs(r->correlation) > 0) {
        fit_set_value_name(&job->set, r->pair[0], one, sizeof one);
        fit_set_value_name(&job->set, r->pair[1], other, sizeof other);
        printf("largest correlation          %.3f between %s and %s\n", r->correlation, one, other);
    }
    printf("runs                         %d of %d, %ld measurements more than unknowns\n",
           fit_count(&job->log, job->fitted), job->log.nruns, r->freedom);
    for (g = 0; g < FIT_GROUPS; ++g)
        if (r->count[g] > 0)
            printf("left over %-18s %.4g (rms of %ld)\n", fit_group_names[g], r->sigma[g], r->count[g]);
    printf("iterations                   %d%s\n", r->iterations, r->converged ? "" : ", not converged");
    printf("simulations                  %ld of all runs, %ld steps: %ld derivatives analytic, %ld by differences (%ld "
           "more steps)\n", c->evaluations, c->steps, c->differentiated, c->differenced, c->extra);
    if (job->scored)
        printf("other runs                   rms before %.4g m, %.4g rad; after %.4g m, %.4g rad (%d runs from their "
               "first row)\n", job->before[0], job->before[1], job->after[0], job->after[1],
               fit_count(&job->log, job->scored));
}

static void fit_json_number(const char *key, double x)
{
    char text[SLIP_NUMBER_SIZE];

    slip_print_real((slip_real)x, 0, text);
    printf(", \"%s\": %s", key, x - x == 0 ? text : "null");
}

static void fit_json(const fit_job *job)
{
    const fit_result *r = &job->r;
    const fit_counts *c = &r->counts;
    char name[192];
    int i, g, any = 0;

    printf("{\"scene\": ");
    cli_json_text(stdout, job->a->scene);
    printf(", \"version\": \"%s\", \"precision\": \"%s\",\n \"parameters\": [", SLIP_VERSION, SLIP_REAL_NAME);
    for (i = 0; i < job->set.n; ++i) {
        fit_set_value_name(&job->set, i, name, sizeof name);
        printf("%s\n  {\"name\": ", i ? "," : "");
        cli_json_text(stdout, name);
        printf(", \"unit\": \"%s\"", fit_set_unit(&job->set, i));
        fit_json_number("start", r->start[i]);
        fit_json_number("value", r->y[i]);
        fit_json_number("error", r->error[i]);
        fit_json_number("lower", r->y[i] - r->quantile*r->error[i]);
        fit_json_number("upper", r->y[i] + r->quantile*r->error[i]);
        printf(", \"at_bound\": %s}", r->bound[i] ? "true" : "false");
    }
    printf("],\n \"left_over\": {");
    for (g = 0; g < FIT_GROUPS; ++g)
        if (r->count[g] > 0) printf("%s\"%s\": %.9g", any++ ? ", " : "", fit_group_names[g], r->sigma[g]);
    printf("},\n \"runs\": %d, \"freedom\": %ld, \"iterations\": %d, \"converged\": %s",
           fit_count(&job->log, job->fitted), r->freedom, r->iterations, r->converged ? "true" : "false");
    printf(",\n \"simulations\": %ld, \"steps\": %ld, \"analytic\": %ld, \"differences\": %ld, \"extra_steps\": %ld",
           c->evaluations, c->steps, c->differentiated, c->differenced, c->extra);
    if (job->scored)
        printf(",\n \"scored\": %d, \"before\": [%.9g, %.9g], \"after\": [%.9g, %.9g]",
               fit_count(&job->log, job->scored), job->before[0], job->before[1], job->after[0], job->after[1]);
    puts("}");
}

/* What keeps the result from being one. */
static int fit_verdict(const fit_job *job)
{
    char name[192];

    if (job->r.undetermined) {
        fit_set_value_name(&job->set, job->r.undetermined - 1, name, sizeof name);
        return cli_fail("fit", "these runs do not tell %s apart from the parameters before it, or it has no effect in "
                        "them", name);
    }
    if (!job->r.converged)
        return cli_fail("fit", "not converged in %d iterations: more --iterations, or shorter --segment",
                        job->r.iterations);
    return CLI_OK;
}

/* ---- */

static int fit_find_shown(const fit_job *job)
{
    int i;

    for (i = 0; i < job->log.nruns; ++i)
        if (job->a->show >= 0 ? job->log.runs[i].number == job->a->show : job->fitted[i]) return i;
    cli_fail("fit", "--show: there is no run %d in the recording", job->a->show);
    return -1;
}

static int fit_can_write(const fit_arguments *a)
{
    char path[512];

    if (a->html && !output_can_open("fit", a->html)) return 0;
    slip_format(path, (int)sizeof path, "%s-error.svg", a->svg ? a->svg : "");
    return !a->svg || output_can_open("fit", path);
}

/* Reads all that is needed; 0 after a message. */
static int fit_prepare(const fit_arguments *a, fit_job *job)
{
    const slip_scene *s = &job->session.scene;
    int i;

    if (a->euler) job->session.scene.world.options.integrator = SLIP_EULER;
    if (s->model->nv == 0) return cli_fail("fit", "nothing moves in this scene"), 0;
    if (!fit_set_read("fit", a->free, s, &job->set)) return 0;
    for (i = 0; i < a->nbounds; ++i) if (!fit_set_bound("fit", a->bound[i], &job->set)) return 0;
    if (!fit_log_read("fit", a->log, s->model, &job->log)) return 0;
    job->fitted = (unsigned char *)cli_alloc((size_t)job->log.nruns + 1);
    if (!fit_log_choose("fit", "--runs", a->runs, &job->log, job->fitted)) return 0;
    if (a->score) {
        job->scored = (unsigned char *)cli_alloc((size_t)job->log.nruns + 1);
        if (!fit_log_choose("fit", "--score", a->score, &job->log, job->scored)) return 0;
    }
    fit_set_start(&job->set, s, job->start);
    return fit_can_write(a) && fit_find_shown(job) >= 0;
}

static int fit_run_job(const fit_arguments *a, fit_job *job, char *how)
{
    const slip_scene *s = &job->session.scene;
    const int shown = fit_find_shown(job);
    fit_options o = a->o;
    int ok = 1, i;

    memcpy(job->r.x, job->start, sizeof job->r.x);
    for (i = 0; ok && i < a->nstages; ++i) {
        double x[FIT_MOST];

        o.segment = a->segment[i];
        memcpy(x, job->r.x, sizeof x);
        ok = fit_solve("fit", s, &job->log, job->fitted, &job->set, &o, x, &job->r);
    }
    fit_set_values(&job->set, job->start, job->r.start);
    if (ok && job->scored)
        ok = fit_score("fit", s, &job->log, job->scored, &job->set, job->start, job->before)
          && fit_score("fit", s, &job->log, job->scored, &job->set, job->r.x, job->after);
    if (!ok) return CLI_FAILED;
    if (a->json) fit_json(job);
    else fit_print(job);
    if (a->svg && !fit_plot("fit", a->svg, s, &job->log, shown, &job->set, job->start, job->r.x)) return CLI_FAILED;
    if (a->html && !fit_page("fit", a->html, s, &job->log, shown, &job->set, job->r.x, how)) return CLI_FAILED;
    return fit_verdict(job);
}

int slip_cmd_fit(int argc, char **argv)
{
    fit_arguments a;
    fit_job *job;
    char *how;
    int code;

    if (!fit_arguments_read(argc, argv, &a, &code)) return code;
    job = (fit_job *)cli_alloc(sizeof *job);
    memset(job, 0, sizeof *job);
    job->a = &a;
    how = movie_command_line(argc, argv);
    code = CLI_FAILED;
    if (sim_open("fit", a.scene, &a.changes, &job->session)) {
        if (fit_prepare(&a, job)) code = fit_run_job(&a, job, how);
        fit_log_free(&job->log);
        free(job->fitted);
        free(job->scored);
        sim_close(&job->session);
    }
    free(how);
    free(job);
    return code;
}
