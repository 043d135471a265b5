/* Summary and JSON of a simulation. See sim_report.h. */
#include "sim_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sim_csv.h"

/* ---- timing ------------------------------------------------------------------------------------- */

void report_timing_begin(sim_timing *t, int runs)
{
    memset(t, 0, sizeof *t);
    t->us_per_step = (double *)cli_alloc((size_t)runs*sizeof *t->us_per_step);
    t->identical = 1;
}

void report_timing_add(sim_timing *t, sim_session *s, const sim_result *r, int run)
{
    const size_t nq = (size_t)s->scene.model->nq, nv = (size_t)s->scene.model->nv;
    const slip_real *q = slip_world_q(s->world), *v = slip_world_v(s->world);

    t->us_per_step[t->runs++] = r->steps > 0 ? 1e6*r->cpu_seconds/(double)r->steps : 0;
    if (run == 0) {
        t->first = (slip_real *)cli_alloc((nq + nv)*sizeof *t->first);
        memcpy(t->first, q, nq*sizeof *q);
        memcpy(t->first + nq, v, nv*sizeof *v);
    } else if (memcmp(t->first, q, nq*sizeof *q) != 0 || memcmp(t->first + nq, v, nv*sizeof *v) != 0) {
        t->identical = 0;
    }
}

static int report_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void report_timing_sort(sim_timing *t)
{
    qsort(t->us_per_step, (size_t)t->runs, sizeof *t->us_per_step, report_compare);
    t->best = t->us_per_step[0];
    t->median = t->us_per_step[t->runs/2];
}

void report_timing_end(sim_timing *t)
{
    free(t->us_per_step);
    free(t->first);
}

/* ---- for people --------------------------------------------------------------------------------- */

static const char *report_solver_name(const sim_session *s)
{
    return s->scene.world.options.solver->id;
}

/* A length with a unit that suits it. */
static const char *report_length(double x, char out[64])
{
    if (x >= 1e-3) sprintf(out, "%.3g mm", 1e3*x);
    else if (x >= 1e-6) sprintf(out, "%.3g um", 1e6*x);
    else if (x >= 1e-9) sprintf(out, "%.3g nm", 1e9*x);
    else strcpy(out, x > 0 ? "below 1 nm" : "none");
    return out;
}

/* Three digits without an exponent: 73700, 51.4. */
static const char *report_count(double x, char out[64])
{
    double unit = 1;

    while (x >= 1e3*unit && unit < 1e12) unit *= 10;
    if (x >= 100) sprintf(out, "%.0f", unit*floor(x/unit + 0.5));
    else sprintf(out, "%.3g", x);
    return out;
}

static const char *report_s(long n) { return n == 1 ? "" : "s"; }

/* Parameters of the contact model, printed beside the solver's name: a barrier's weight. */
static const char *report_model(const sim_session *s, char out[64])
{
    out[0] = '\0';
    if (s->scene.world.options.solver->model == SLIP_MODEL_BARRIER)
        sprintf(out, " (soft: barrier %.2g J)", (double)slip_world_options_of(s->world)->solve.barrier);
    return out;
}

static void report_phases(FILE *out, const sim_result *r)
{
    int i, told = 0;

    fputs("  where time goes ", out);
    for (i = 0; i < SLIP_PHASES; ++i) {
        if (r->phase_share[i] < 0.005) continue;
        fprintf(out, "%s %s %.0f %%", told++ ? "," : "", slip_phase_name(i), 100*r->phase_share[i]);
    }
    if (r->control_share >= 0.005) fprintf(out, "%s control %.0f %%", told ? "," : "", 100*r->control_share);
    fputc('\n', out);
}

/* Speed, of the fastest run when there are several. */
static void report_speed(FILE *out, const sim_session *s, const sim_timing *t)
{
    const double us = t->best, dt = (double)s->scene.world.options.dt;
    char a[64], b[64], c[64];

    fprintf(out, "  speed            %s %s a step, %s steps/s, %s times real time",
            report_count(us < 1e4 ? us : us*1e-3, c), us < 1e4 ? "us" : "ms", report_count(us > 0 ? 1e6/us : 0, a),
            report_count(us > 0 ? dt*1e6/us : 0, b));
    if (t->runs > 1)
        fprintf(out, " (best of %d; median %s us%s)", t->runs, report_count(t->median, a),
                t->identical ? "" : "; RUNS DIFFER");
    fputc('\n', out);
}

/* How well the contacts were solved. */
static void report_contacts(FILE *out, const sim_session *s, const sim_result *r)
{
    const double ratio = (double)slip_scene_mass_ratio(&s->scene);
    char a[64], b[64];

    fprintf(out, "  contacts         %s on average, %d at most", report_count(r->contacts_mean, a), r->contacts_max);
    if (r->softened_max) fprintf(out, "; up to %d soft, of links that cannot part", r->softened_max);
    if (r->dropped) fprintf(out, "; %d dropped: %s", r->dropped, r->why_dropped.what);
    fprintf(out, "\n  penetration      %s", report_length(r->penetration_max, a));
    if (r->penetration_max > 0) fputs(" at most", out);
    if (r->penetration_max > 0 && r->penetration_last_quarter >= 0)
        fprintf(out, ", %s in the last quarter", report_length(r->penetration_last_quarter, b));
    fprintf(out, "\n  iterations       %s on average%s, %d at most", report_count(r->iterations_mean, a),
            r->iterations_mean < 1 && r->iterations_max > 0 ? " (0 where the last answer still holds)" : "",
            r->iterations_max);
    if (r->missed) fprintf(out, "; %ld step%s missed the tolerance", r->missed, report_s(r->missed));
    if (r->late) fprintf(out, "; %ld ran out of its budget", r->late);
    if (r->missed && sizeof(slip_real) < sizeof(double) && ratio >= 300)
        fprintf(out, ": single precision, with masses of 1 : %.3g", ratio);
    if (r->unsettled) fprintf(out, "; in %ld a drive or joint friction is out of its law", r->unsettled);
    if (r->unbounced) fprintf(out, "; in %ld a contact that is struck ends without restitution", r->unbounced);
    if (r->unbounded) fprintf(out, "; in %ld a torsional or rolling friction is out of its bound", r->unbounded);
    fprintf(out, "\n  NCP residual     median %.2g, worst %.2g (judged apart from the solver)\n", r->residual_median,
            r->residual_max);
}

enum { REPORT_WORKS = 7 };
static const char *const report_work_name[REPORT_WORKS] = { "drives", "external", "damping", "friction", "limits",
                                                            "loops", "contacts" };

static double report_work_of(const slip_work *k, int i)
{
    const double work[REPORT_WORKS] = { k->drives, k->external, k->damping, k->friction, k->limits, k->loops,
                                        k->contacts };

    return work[i];
}

/* The change of energy that no force's work explains: the integrator's error, and events that set velocities. */
static double report_unexplained(const sim_result *r)
{
    return r->energy_end - r->energy_start - slip_work_total(&r->work);
}

static void report_work(FILE *out, const sim_result *r)
{
    const double least = 1e-9*fmax(1, fmax(fabs(r->energy_start), fabs(r->energy_end)));
    int i;

    fputs("  work of         ", out);
    for (i = 0; i < REPORT_WORKS; ++i)
        if (fabs(report_work_of(&r->work, i)) > least)
            fprintf(out, " %s %+.4g J,", report_work_name[i], report_work_of(&r->work, i));
    fprintf(out, " unexplained %+.2g J\n", report_unexplained(r));
}

void report_summary(FILE *out, sim_session *s, const sim_result *r, sim_timing *t)
{
    const slip_scene *scene = &s->scene;
    const double dt = (double)scene->world.options.dt;
    const int nv = scene->model->nv, moving = scene->model->nbodies - 1;
    char a[64];

    report_timing_sort(t);
    fprintf(out, "%s%s%s\n", scene->name[0] ? scene->name : scene->file, scene->about[0] ? ": " : "", scene->about);
    fprintf(out, "  scene            %d freedom%s, %d moving bod%s, %.6g kg, %d shape%s, %.1f MB\n", nv, report_s(nv),
            moving, moving == 1 ? "y" : "ies", (double)slip_total_mass(scene->model), scene->world.ncolliders,
            report_s(scene->world.ncolliders), 1e-6*(double)(s->scene_bytes + s->world_bytes));
    if (s->is_robot) {
        char how[256];

        sim_describe_robot(scene, how);
        fprintf(out, "  robot            %s\n", how);
    }
    fprintf(out, "  run              %.6g s in %ld step%s of %.6g ms, solver %s%s, tolerance %.2g%s\n",
            (double)r->steps*dt, r->steps, report_s(r->steps), 1e3*dt, report_solver_name(s), report_model(s, a),
            (double)scene->world.options.solve.tol, r->steps < s->steps ? ", ENDED EARLY" : "");
    report_speed(out, s, t);
    report_contacts(out, s, r);
    fprintf(out, "  energy           %.6g J to %.6g J (%+.3g J)\n", r->energy_start, r->energy_end,
            r->energy_end - r->energy_start);
    report_work(out, r);
    report_phases(out, r);
    if (r->hash) fprintf(out, "  hash             %016" PRIx64 "\n", r->hash);
}

/* ---- for programs ------------------------------------------------------------------------------- */

static void report_number(FILE *out, double x)
{
    char text[SLIP_NUMBER_SIZE];

    if (x - x != 0) { fputs("null", out); return; }
    slip_print_double(x, 0, text);
    fputs(text, out);
}

static void report_key(FILE *out, const char *key, double x)
{
    fprintf(out, "  \"%s\": ", key);
    report_number(out, x);
    fputs(",\n", out);
}

static void report_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "  \"%s\": ", key);
    cli_json_text(out, text);
    fputs(",\n", out);
}

static void report_list(FILE *out, const char *key, const slip_real *x, int n, const char *end)
{
    int i;

    fprintf(out, "  \"%s\": [", key);
    for (i = 0; i < n; ++i) {
        char text[SLIP_NUMBER_SIZE];

        slip_print_real(x[i], 0, text);
        fprintf(out, "%s%s", i ? ", " : "", x[i] - x[i] == 0 ? text : "null");
    }
    fprintf(out, "]%s\n", end);
}

/* Names of all coordinates of q or of v, in their order; as the columns of --csv. */
static void report_names(FILE *out, const char *key, const slip_model *m, int is_q)
{
    const int n = is_q ? m->nq : m->nv;
    char text[256];
    int i;

    fprintf(out, "  \"%s\": [", key);
    for (i = 0; i < n; ++i) {
        report_coordinate(m, is_q, i, text, sizeof text);
        fputs(i ? ", " : "", out);
        cli_json_text(out, text);
    }
    fputs("],\n", out);
}

/* Force and moment of each loop in the last step. */
static void report_loops(FILE *out, sim_session *s)
{
    slip_real wrench[6];
    char text[SLIP_NUMBER_SIZE];
    int i, k;

    if (s->scene.world.nloops == 0) return;
    fputs("  \"loop_wrench\": {", out);
    for (i = 0; i < s->scene.world.nloops; ++i) {
        slip_loop_force(s->world, i, wrench);
        fputs(i ? ", " : "", out);
        cli_json_text(out, s->scene.world.loops[i].name);
        for (k = 0; k < 6; ++k) {
            slip_print_real(wrench[k], 0, text);
            fprintf(out, "%s%s", k ? ", " : ": [", slip_is_finite(wrench[k]) ? text : "null");
        }
        fputs("]", out);
    }
    fputs("},\n", out);
}

static void report_json_run(FILE *out, const sim_session *s, const sim_result *r, const sim_timing *t, int seed)
{
    const slip_scene *scene = &s->scene;
    const double dt = (double)scene->world.options.dt;

    report_text(out, "scene", scene->name[0] ? scene->name : scene->file);
    report_text(out, "version", SLIP_VERSION);
    report_text(out, "precision", SLIP_REAL_NAME);
    fputs("  ", out);
    sim_json_terms(out, s);
    fputs(",\n", out);
    report_text(out, "status", r->status < 0 ? slip_world_error(s->world)->what : "done");
    report_key(out, "tol", (double)scene->world.options.solve.tol);
    report_key(out, "dt", dt);
    report_key(out, "seed", seed);
    report_key(out, "steps", (double)r->steps);
    if (r->hash) fprintf(out, "  \"hash\": \"%016" PRIx64 "\",\n", r->hash);
    report_key(out, "simulated_s", (double)r->steps*dt);
    report_key(out, "repeat", t->runs);
    fprintf(out, "  \"repeats_identical\": %s,\n", t->identical ? "true" : "false");
    report_key(out, "cpu_us_per_step", t->best);
    report_key(out, "cpu_us_per_step_median", t->median);
    report_key(out, "steps_per_s", t->best > 0 ? 1e6/t->best : 0);
    report_key(out, "real_time_factor", t->best > 0 ? 1e6*dt/t->best : 0);
}

static void report_json_contacts(FILE *out, const sim_result *r)
{
    report_key(out, "contacts_mean", r->contacts_mean);
    report_key(out, "contacts_max", r->contacts_max);
    report_key(out, "contacts_dropped", r->dropped);
    report_key(out, "contacts_softened_max", r->softened_max);
    report_key(out, "penetration_max", r->penetration_max);
    report_key(out, "penetration_last_quarter", r->penetration_last_quarter);
    report_key(out, "iterations_mean", r->iterations_mean);
    report_key(out, "iterations_max", r->iterations_max);
    report_key(out, "solver_calls_mean", r->calls_mean);
    report_key(out, "solver_calls_max", r->calls_max);
    report_key(out, "steps_missed_tolerance", (double)r->missed);
    report_key(out, "steps_out_of_budget", (double)r->late);
    report_key(out, "budget_taken_max", (double)r->budget_max);
    report_key(out, "steps_unsettled", (double)r->unsettled);
    report_key(out, "steps_unbounded", (double)r->unbounded);
    report_key(out, "steps_unbounced", (double)r->unbounced);
    report_key(out, "ncp_residual_max", r->residual_max);
    report_key(out, "ncp_residual_median", r->residual_median);
    report_key(out, "residual_over_tolerance_max", r->excess_max);
}

static void report_json_energy(FILE *out, const sim_result *r)
{
    char key[64];
    int i;

    report_key(out, "energy_start", r->energy_start);
    report_key(out, "energy_end", r->energy_end);
    for (i = 0; i < REPORT_WORKS; ++i) {
        slip_format(key, (int)sizeof key, "work_%s", report_work_name[i]);
        report_key(out, key, report_work_of(&r->work, i));
    }
    report_key(out, "energy_unexplained", report_unexplained(r));
    report_list(out, "momentum_start", r->momentum_start, 6, ",");
    report_list(out, "momentum_end", r->momentum_end, 6, ",");
}

static void report_json_phases(FILE *out, const sim_result *r)
{
    int i;

    fputs("  \"phase_share\": {", out);
    for (i = 0; i < SLIP_PHASES; ++i) {
        fprintf(out, "\"%s\": ", slip_phase_name(i));
        report_number(out, r->phase_share[i]);
        fputs(", ", out);
    }
    fputs("\"control\": ", out);
    report_number(out, r->control_share);
    fputs("},\n", out);
}

void report_json(FILE *out, sim_session *s, const sim_result *r, sim_timing *t, int seed)
{
    const slip_model *m = s->scene.model;

    report_timing_sort(t);
    fputs("{\n", out);
    report_json_run(out, s, r, t, seed);
    report_json_contacts(out, r);
    report_json_energy(out, r);
    report_key(out, "memory_bytes", (double)(s->scene_bytes + s->world_bytes));
    report_json_phases(out, r);
    report_loops(out, s);
    report_names(out, "q_names", m, 1);
    report_names(out, "v_names", m, 0);
    report_list(out, "final_q", slip_world_q(s->world), m->nq, ",");
    report_list(out, "final_v", slip_world_v(s->world), m->nv, "");
    fputs("}\n", out);
}
