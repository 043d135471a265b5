/* slipstick real: contact models fitted to recorded tosses of a cube and scored on others. */
#define _POSIX_C_SOURCE 199309L   /* isatty, fileno */

#include "movie.h"
#include "real.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char real_help[] =
    "usage: slipstick real FILE.csv [OPTIONS]\n"
    "       slipstick real --example FILE.csv\n\n"
    "Fits each contact model to the recorded tosses with even numbers and scores it on the odd ones: position error\n"
    "in cube widths, rotation error in degrees, right face up at the end; with 95 % intervals by bootstrap over tosses.\n"
    "Columns of FILE (- is standard input): toss,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz; the table is z = 0.\n\n"
    "  --half-width M      of the cube [m] (0.0524)        --mass M       [kg] (0.37)\n"
    "  --inertia I         about each axis [kg m^2] (8.1e-4)\n"
    "  --gravity G         [m/s^2] (9.81)                  --corner R     radius of corners and edges [m] (0)\n"
    "  --com X,Y,Z         centre of mass from the cube's centre, body axes [m] (0,0,0)\n"
    "  --measured          gravity and centre of mass from the flights, half width from the rest, instead of the given\n"
    "  --start WHERE       first (row as recorded; default), touch (two rows before it), flight (first row, its state\n"
    "                      fitted to the whole flight)\n"
    "  --substeps N        steps between two rows (1)      --euler        semi-implicit Euler instead of midpoint\n"
    "  --model TEXT        only models whose name contains this; may be repeated\n"
    "  --law MU,X[,D]      no fit: friction and restitution, stiffness and damping, or compliance, or, of\n"
    "                      MuJoCo's law, time constant and damping ratio (needs --model)\n"
    "  --quick             few tosses for the fit\n"
    "  --scores FILE.csv   errors of every scored toss    --svg DIR      distributions of the errors\n"
    "  --html FILE         a page with a toss, the recorded cube as a ghost\n"
    "  --toss N            which toss (the first scored one)\n"
    "  --example FILE.csv  writes a recording: 16 tosses simulated with friction 0.2 and restitution 0.3\n\n"
    "example: slipstick real --example toss.csv && slipstick real toss.csv --model 'NCP, default' --html toss.html\n";

enum { REAL_FILTERS = 8 };

typedef struct {
    const char *path, *scores, *svg, *html, *example;
    const char *filters[REAL_FILTERS];
    int nfilters, is_measured, is_quick, substeps, toss, has_toss, has_law, nlaw;
    double law[3];
    real_terms terms;
} real_options;

/* ---- options ----------------------------------------------------------------------------------------------------- */

static int real_option_start(cli_args *args, real_start *start)
{
    const char *text = cli_value(args);
    int i;

    for (i = 0; text && i < 3; ++i)
        if (strcmp(text, real_start_names[i]) == 0) return *start = (real_start)i, 1;
    if (text) cli_usage(args, "--start: '%s' is not one of first, touch, flight", text);
    return 0;
}

/* Numbers with commas, at most three, from lo on; how many, 0 when the text is none of these. */
static int real_option_numbers(const char *text, double lo, double x[3])
{
    const int length = text ? (int)strlen(text) : 0;
    int at = 0, n = 0;

    while (text && n < 3) {
        const int used = slip_read_double(text + at, length - at, &x[n]);

        if (used <= 0 || !(x[n] >= lo && x[n] < 1e9)) break;
        ++n;
        at += used;
        if (at == length) return n;
        if (text[at++] != ',') break;
    }
    return 0;
}

static int real_option_law(cli_args *args, real_options *o)
{
    const char *text = cli_value(args);

    o->nlaw = real_option_numbers(text, 0, o->law);
    o->has_law = o->nlaw >= 2;
    if (text && !o->has_law) cli_usage(args, "--law: '%s' is not two or three numbers >= 0 with commas", text);
    return o->has_law;
}

static int real_option_com(cli_args *args, double com[3])
{
    const char *text = cli_value(args);
    const int ok = real_option_numbers(text, -1e9, com) == 3;

    if (text && !ok) cli_usage(args, "--com: '%s' is not three numbers with commas", text);
    return ok;
}

/* Whether the centre of mass is inside of the cube. */
static int real_is_inside(const real_body *b)
{
    return fabs(b->com[0]) < b->half_width && fabs(b->com[1]) < b->half_width && fabs(b->com[2]) < b->half_width;
}

/* An option of the body; -1: it is none of them. */
static int real_option_body(cli_args *args, real_body *b)
{
    if (cli_is(args, "--half-width")) return cli_value_real(args, 1e-4, 1e3, &b->half_width);
    if (cli_is(args, "--mass")) return cli_value_real(args, 1e-6, 1e6, &b->mass);
    if (cli_is(args, "--inertia")) return cli_value_real(args, 1e-12, 1e9, &b->inertia);
    if (cli_is(args, "--gravity")) return cli_value_real(args, 0, 1e3, &b->gravity);
    if (cli_is(args, "--com")) return real_option_com(args, b->com);
    if (cli_is(args, "--corner")) return cli_value_real(args, 0, 1e3, &b->corner);
    return -1;
}

/* An option with a value of another kind; 0 after a message, -1: it is none of them. */
static int real_option_value(cli_args *args, real_options *o)
{
    const int body = real_option_body(args, &o->terms.body);

    if (body >= 0) return body;
    if (cli_is(args, "--start")) return real_option_start(args, &o->terms.start);
    if (cli_is(args, "--law")) return real_option_law(args, o);
    if (cli_is(args, "--substeps")) return cli_value_int(args, 1, 1000, &o->substeps);
    if (cli_is(args, "--toss")) return o->has_toss = 1, cli_value_int(args, -1000000000, 1000000000, &o->toss);
    if (cli_is(args, "--scores")) return (o->scores = cli_value(args)) != NULL;
    if (cli_is(args, "--svg")) return (o->svg = cli_value(args)) != NULL;
    if (cli_is(args, "--example")) return (o->example = cli_value(args)) != NULL;
    if (cli_is(args, "--html")) return (o->html = cli_value(args)) != NULL;
    if (!cli_is(args, "--model")) return -1;
    if (o->nfilters == REAL_FILTERS) return cli_usage(args, "more than %d times --model", REAL_FILTERS), 0;
    return (o->filters[o->nfilters++] = cli_value(args)) != NULL;
}

/* CLI_OK, -1 after the help, or the code to end with. */
static int real_read_options(cli_args *args, real_options *o)
{
    int kind, value;

    memset(o, 0, sizeof *o);
    o->terms.body = real_body_defaults();
    o->substeps = 1;
    while ((kind = cli_next(args)) != 0) {
        if (kind == 2) {
            if (o->path) return cli_usage(args, "one file at a time: '%s' is a second one", args->value);
            o->path = args->value;
        }
        else if (cli_is(args, "--help") || cli_is(args, "-h")) return fputs(real_help, stdout), -1;
        else if (cli_is(args, "--measured")) o->is_measured = 1;
        else if (cli_is(args, "--euler")) o->terms.integrator = SLIP_EULER;
        else if (cli_is(args, "--quick")) o->is_quick = 1;
        else {
            value = real_option_value(args, o);
            if (value <= 0) return value < 0 ? cli_unknown(args) : CLI_USAGE;
        }
    }
    if (!o->path && !o->example) return cli_usage(args, "no file");
    if (o->terms.body.corner >= o->terms.body.half_width)
        return cli_usage(args, "--corner: %g is not less than the half width, %g", o->terms.body.corner,
                         o->terms.body.half_width);
    if (!real_is_inside(&o->terms.body)) return cli_usage(args, "--com: the centre of mass is outside of the cube");
    if (o->has_law && o->nfilters == 0) return cli_usage(args, "--law needs --model: its numbers depend on the model");
    return CLI_OK;
}

/* ---- the study --------------------------------------------------------------------------------------------------- */

static int real_is_chosen(const real_options *o, const real_model *model)
{
    int i;

    for (i = 0; i < o->nfilters; ++i) if (strstr(model->name, o->filters[i])) return 1;
    return o->nfilters == 0;
}

/* The numbers of --law in the order of the model's parameters. 0 after a message. */
static int real_given_law(const real_options *o, const real_model *model, real_law *law)
{
    int k, n = 0;

    memset(law, 0, sizeof *law);
    for (k = 0; k < REAL_PARAMETERS; ++k) {
        if (!(model->parameters & 1U << k)) continue;
        if (n < o->nlaw) law->x[k] = o->law[n];
        ++n;
    }
    if (n == o->nlaw) return 1;
    return cli_fail("real", "--law has %d numbers, '%s' takes %d", o->nlaw, model->name, n), 0;
}

static int real_run_models(const real_options *o, const real_set *set, const real_halves *h, real_result *results,
                           int *n)
{
    const int progress = isatty(fileno(stderr));             /* a line that is written over is for terminals */
    real_search search = real_search_defaults(o->is_quick);
    real_law law;
    int i;

    if (o->has_law) search.rounds = 0;
    for (*n = i = 0; i < REAL_MODELS; ++i) {
        if (!real_is_chosen(o, &real_models[i])) continue;
        if (o->has_law && !real_given_law(o, &real_models[i], &law)) return 0;
        if (progress) fprintf(stderr, "\r%-40s", real_models[i].name);
        if (!real_study("real", set, h, &real_models[i], &o->terms, &search, o->has_law ? &law : NULL, &results[*n]))
            return 0;
        *n += 1;
    }
    if (progress) fprintf(stderr, "\r%40s\r", "");
    return 1;
}

static void real_print_set(const real_options *o, const real_set *set, const real_halves *h, const real_measured *m)
{
    const real_body *b = &o->terms.body;

    printf("recording        %d tosses, %d rows, %.4g s apart\n", set->ntosses, set->nrows, set->dt);
    printf("fitted, scored   %d, %d tosses%s\n", h->nfit, h->nscore,
           h->is_split ? "" : " (the same ones: there are not both even and odd numbers)");
    if (m->flights > 0) {
        printf("measured         gravity %.4g +- %.2g m/s^2 in %d flights, half width %.5g +- %.1g m at rest\n",
               m->gravity, m->gravity_error, m->flights, m->half_width, m->half_width_error);
        printf("                 centre of mass %.2g %.2g %.2g +- %.1g %.1g %.1g m from the centre, in flight\n",
               m->com[0], m->com[1], m->com[2], m->com_error[0], m->com_error[1], m->com_error[2]);
    } else printf("measured         half width %.5g +- %.1g m at rest; no flights\n", m->half_width,
                  m->half_width_error);
    printf("taken            half width %.5g m, mass %g kg, inertia %.4g kg m^2, gravity %.4g m/s^2, corners %g m\n",
           b->half_width, b->mass, b->inertia, b->gravity, b->corner);
    printf("                 centre of mass %.4g %.4g %.4g m\n", b->com[0], b->com[1], b->com[2]);
    printf("simulated        from %s, steps of %.4g s, %s\n\n", real_start_names[o->terms.start], o->terms.dt,
           o->terms.integrator == SLIP_EULER ? "euler" : "midpoint");
}

static void real_print_results(const real_result *results, int n, const real_halves *h)
{
    const int best = real_best(results, n);
    char law[128];
    int i;

    printf("%-28s %-22s %-19s %-19s %-17s %s\n", "model", "position [widths]", "rotation [deg]", "median [deg]",
           "face right [%]",
           "fit");
    for (i = 0; i < n; ++i) {
        const real_summary *s = &results[i].summary;

        real_law_text(results[i].model, &results[i].fit.law, law, sizeof law);
        printf("%-28s %.3f [%.3f, %.3f]   %4.1f [%4.1f, %4.1f]   %4.1f [%4.1f, %4.1f]   %3.0f [%3.0f, %3.0f]   %s\n",
               results[i].model->name, s->position.value, s->position.lo, s->position.hi, s->rotation.value,
               s->rotation.lo,
               s->rotation.hi, s->median.value, s->median.lo, s->median.hi, s->face.value, s->face.lo, s->face.hi, law);
        if (results[i].missed > 0) printf("%28s %ld steps missed the solver's tolerance\n", "", results[i].missed);
    }
    if (n == 1) return;
    printf("\nless %s, which fits best, toss by toss (an interval with 0 in it shows no difference):\n",
           results[best].model->name);
    for (i = 0; i < n; ++i) {
        const real_summary d = real_difference(results[i].scores, results[best].scores, h->nscore, 2);

        if (i != best)
            printf("%-28s %+.3f [%+.3f, %+.3f] %+5.1f [%+5.1f, %+5.1f] %+5.1f [%+5.1f, %+5.1f]\n",
                   results[i].model->name,
                   d.position.value, d.position.lo, d.position.hi, d.rotation.value, d.rotation.lo, d.rotation.hi,
                   d.median.value, d.median.lo, d.median.hi);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int real_write_scores(const char *path, const real_set *set, const real_halves *h, const real_result *results,
                             int n)
{
    const double degrees = 180/acos(-1.0);
    FILE *f = output_open("real", path);
    int i, k;

    if (!f) return 0;
    fprintf(f, "model,toss,position [widths],rotation [degrees],last position [widths],last rotation [degrees],face "
            "right\n");
    for (i = 0; i < n; ++i)
        for (k = 0; k < h->nscore; ++k) {
            const real_score *s = &results[i].scores[k];

            fprintf(f, "\"%s\",%d,%.6g,%.6g,%.6g,%.6g,%d\n", results[i].model->name, set->tosses[h->score[k]].number,
                    s->position, degrees*s->rotation, s->end_position, degrees*s->end_rotation, s->face);
        }
    return output_close("real", path, f);
}

static int real_write_svg(const char *directory, const real_result *results, int n, int nscore)
{
    slip_real *store = (slip_real *)cli_alloc((size_t)2*(size_t)n*(size_t)nscore*sizeof *store);
    slip_plot_series series[REAL_MODELS];
    char path[1024];
    slip_plot plot;
    int k, ok = cli_make_directory("real", directory);

    for (k = 0; ok && k < 2; ++k) {
        snprintf(path, sizeof path, "%s/%s.svg", directory, k ? "rotation" : "position");
        real_distribution(results, n, nscore, k, store, series, &plot);
        ok = output_plot("real", path, &plot);
    }
    free(store);
    return ok;
}

/* The toss of --toss, or the first scored one; NULL when there is none of that number. */
static const real_toss *real_chosen_toss(const real_options *o, const real_set *set, const real_halves *h)
{
    int i;

    if (!o->has_toss) return &set->tosses[h->score[0]];
    for (i = 0; i < set->ntosses; ++i) if (set->tosses[i].number == o->toss) return &set->tosses[i];
    return NULL;
}

/* Whether there are the models and the toss that are asked for; 0 after a message. Fits take their time. */
static int real_check_choice(const real_options *o, const real_set *set, const real_halves *h)
{
    int i, n = 0;

    for (i = 0; i < REAL_MODELS; ++i) n += real_is_chosen(o, &real_models[i]);
    if (n == 0) return cli_fail("real", "no model's name contains '%s'", o->filters[0]), 0;
    if (!real_chosen_toss(o, set, h)) return cli_fail("real", "%s: there is no toss %d", o->path, o->toss), 0;
    return 1;
}

/* Whether the files that are asked for can be written; 0 after a message. Before the fits, which take their time. */
static int real_check_files(const real_options *o)
{
    const char *const files[2] = { o->scores, o->html };
    int i;

    for (i = 0; i < 2; ++i) if (files[i] && !output_can_open("real", files[i])) return 0;
    return !o->svg || cli_make_directory("real", o->svg);
}

static int real_write_example(real_options *o)
{
    enum { OURS = 5, TOSSES = 16 };                  /* the rigid NCP of real_models */
    const real_law law = { { 0.2, 0.3, 0, 0, 0, 0, 0 } };
    real_stage stage;
    real_set set;
    int ok;

    o->terms.dt = 1.0/148;
    if (!real_open("real", &real_models[OURS], &o->terms, 0, &stage)) return CLI_FAILED;
    real_make_example(&stage, &law, TOSSES, 1, &set);
    real_close(&stage);
    ok = real_write("real", o->example, &set);
    real_free(&set);
    return ok ? CLI_OK : CLI_FAILED;
}

int slip_cmd_real(int argc, char **argv)
{
    real_result results[REAL_MODELS];
    real_measured measured;
    real_options o;
    real_halves h;
    real_set set;
    cli_args args;
    char *how;
    int code, ok, i, n = 0;

    cli_begin(&args, argc, argv);
    code = real_read_options(&args, &o);
    if (code != CLI_OK) return code < 0 ? CLI_OK : code;
    if (o.example) return real_write_example(&o);
    if (!real_read("real", o.path, &set)) return CLI_FAILED;
    real_find_touches(&set, &o.terms.body);
    real_split(&set, 0, &h);
    measured = real_measure(&set, h.fit, h.nfit, &o.terms.body);
    ok = real_check("real", o.path, &set, &measured, &o.terms.body) && real_check_files(&o);
    if (o.is_measured) real_take_measured(&measured, &o.terms.body);
    o.terms.dt = set.dt/o.substeps;
    ok = ok && real_check_choice(&o, &set, &h);
    if (ok) real_print_set(&o, &set, &h, &measured);
    memset(results, 0, sizeof results);
    ok = ok && real_run_models(&o, &set, &h, results, &n);
    if (ok) real_print_results(results, n, &h);
    how = movie_command_line(argc, argv);
    ok = ok && (!o.scores || real_write_scores(o.scores, &set, &h, results, n));
    ok = ok && (!o.svg || real_write_svg(o.svg, results, n, h.nscore));
    ok = ok && (!o.html || real_page("real", o.html, &set, real_chosen_toss(&o, &set, &h), &o.terms, results, n, how));
    free(how);
    for (i = 0; i < n; ++i) real_free_result(&results[i]);
    real_free_halves(&h);
    real_free(&set);
    return ok ? CLI_OK : CLI_FAILED;
}
