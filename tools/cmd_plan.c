/* slipstick plan: a motion that does a task, by inverse dynamics with contact. */
#define _POSIX_C_SOURCE 199309L   /* isatty, fileno */

#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "motion_file.h"
#include "movie.h"
#include "output.h"

typedef struct {
    const char *scene, *task, *csv, *html;
    int json, repeat;
    double kp, kd;
    sim_changes changes;
    plan_options o;
} plan_arguments;

static void plan_help(void)
{
    fputs("usage: slipstick plan SCENE --task TASK.txt [--csv MOTION.csv] [OPTIONS]\n\n"
          "Finds a motion from the scene's start that does a task: positions at all times are the unknowns, forces\n"
          "follow from them by inverse dynamics, and the ground hardens while the search goes on (docs/plan.md).\n\n"
          "The task is text: 'time 0.8 40' (seconds, intervals), 'periodic DX DY' (the end is the start, moved),\n"
          "goals 'point LINK T X Y Z [W]' (* for any), 'joint NAME T VALUE [W]', 'pose T [W]', 'upright LINK T [W]',\n"
          "'rest T [W]', and weights 'effort W', 'smooth W'.\n\n"
          "  --csv FILE           the motion: time, q, tau (for slipstick inverse --motion, and --track)\n"
          "  --html FILE          replay of the motion\n"
          "  --repeat N           periods of a periodic motion in both (default 1)\n"
          "  --stages N           of hardening (default 15)      --iterations N   in each at most (default 60)\n"
          "  --track KP,KD        simulates the scene with drives on the motion and its torques; prints how far off\n"
          "  --json               results as JSON                --quiet          no warnings, no progress\n"
          "  --package-path DIR   where package:// meshes are; may be repeated\n\n"
          "Exit code: 0 a possible motion (forces on undriven joints below 0.1 % of the weight), 1 not, 2 usage.\n\n"
          "example: slipstick plan models/solo12_jump.xml --task models/solo12_squat.txt --csv squat.csv && slipstick "
          "inverse models/solo12_jump.xml --motion squat.csv --csv torques.csv --touch 3e-3 --still 3e-2\n", stdout);
}

static int plan_gains(cli_args *args, plan_arguments *a)
{
    const char *text = cli_value(args), *comma = text ? strchr(text, ',') : NULL;

    if (!text) return 0;
    if (comma && slip_read_double(text, (int)(comma - text), &a->kp) == comma - text
        && slip_read_double(comma + 1, (int)strlen(comma + 1), &a->kd) == (int)strlen(comma + 1)
        && a->kp >= 0 && a->kd >= 0) return 1;
    return cli_usage(args, "--track: '%s', expected KP,KD", text), 0;
}

static int plan_option(cli_args *args, plan_arguments *a)
{
    if (cli_is(args, "--task")) return (a->task = cli_value(args)) != NULL;
    if (cli_is(args, "--csv")) return (a->csv = cli_value(args)) != NULL;
    if (cli_is(args, "--html")) return (a->html = cli_value(args)) != NULL;
    if (cli_is(args, "--repeat")) return cli_value_int(args, 1, 1000, &a->repeat);
    if (cli_is(args, "--stages")) return cli_value_int(args, 1, 100, &a->o.stages);
    if (cli_is(args, "--iterations")) return cli_value_int(args, 1, 10000, &a->o.iterations);
    if (cli_is(args, "--track")) return plan_gains(args, a);
    if (cli_is(args, "--package-path")) return cli_value_path(args, &a->changes.packages);
    if (cli_is(args, "--json")) a->json = 1;
    else if (cli_is(args, "--quiet")) a->changes.quiet = 1;
    else return -1;
    return 1;
}

static int plan_arguments_read(int argc, char **argv, plan_arguments *a, int *code)
{
    cli_args args;
    int kind, ok;

    memset(a, 0, sizeof *a);
    a->o = plan_options_defaults();
    a->repeat = 1;
    a->kp = -1;
    cli_begin(&args, argc, argv);
    args.command = "plan";
    *code = CLI_USAGE;
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2) {
            if (a->scene) return cli_usage(&args, "one scene at a time, '%s' is the second", args.value), 0;
            a->scene = args.value;
            continue;
        }
        if (cli_is(&args, "--help") || cli_is(&args, "-h")) { plan_help();  *code = CLI_OK;  return 0; }
        ok = plan_option(&args, a);
        if (ok < 0) cli_unknown(&args);
        if (ok <= 0) return 0;
    }
    if (!a->scene) return cli_usage(&args, "which scene?"), 0;
    if (!a->task) return cli_usage(&args, "which task? --task TASK.txt"), 0;
    if (strcmp(a->scene, "-") == 0 && strcmp(a->task, "-") == 0)
        return cli_usage(&args, "scene and task cannot both come from standard input"), 0;
    a->o.progress = !a->changes.quiet && isatty(fileno(stderr));
    return 1;
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

typedef struct {
    const plan_arguments *a;
    sim_session session;
    plan_task task;
    plan_result r;
    slip_real *q, *tau;
    double off[2];               /* tracked: largest distance of a free body from the plan [m]; rms of joints */
} plan_job;

/* q of row k of the motion with its repetitions. */
static void plan_row(const plan_job *job, long k, slip_real *q)
{
    const slip_model *m = job->session.scene.model;
    const long period = job->task.periodic ? k/job->task.n : 0, at = k - period*job->task.n;
    int b, i;

    memcpy(q, job->q + at*m->nq, (size_t)m->nq*sizeof *q);
    for (b = 1; b < m->nbodies; ++b)
        for (i = 0; i < 2 && m->type[b] == SLIP_JOINT_FLOATING; ++i)
            q[m->iq[b] + i] += (slip_real)((double)period*job->task.advance[i]);
}

static long plan_rows(const plan_job *job) { return (long)job->task.n*(job->task.periodic ? job->a->repeat : 1); }

static void plan_put(FILE *out, slip_real x)
{
    char text[SLIP_NUMBER_SIZE];

    slip_print_real(x, 0, text);
    fprintf(out, ",%s", text);
}

static int plan_write_csv(const plan_job *job, const char *path)
{
    const slip_model *m = job->session.scene.model;
    slip_real *q = (slip_real *)cli_alloc((size_t)m->nq*sizeof *q);
    FILE *out = output_open("plan", path);
    char name[256];
    long k;
    int i;

    if (!out) { free(q);  return 0; }
    fputs("time", out);
    for (i = 0; i < m->nq; ++i) { motion_name(m, 1, "q_", i, name, sizeof name);  fprintf(out, ",%s", name); }
    for (i = 0; i < m->nv; ++i) { motion_name(m, 0, "tau_", i, name, sizeof name);  fprintf(out, ",%s", name); }
    fputc('\n', out);
    for (k = 0; k <= plan_rows(job); ++k) {
        const long at = job->task.periodic ? k%job->task.n : k < job->task.n ? k : job->task.n - 1;

        plan_row(job, k, q);
        fprintf(out, "%.9g", (double)k*job->task.h);
        for (i = 0; i < m->nq; ++i) plan_put(out, q[i]);
        for (i = 0; i < m->nv; ++i) plan_put(out, job->tau[at*m->nv + i]);
        fputc('\n', out);
    }
    free(q);
    return output_close("plan", path, out);
}

/* ---- replay and tracking ---------------------------------------------------------------------------------------- */

/* q, v and the torques of the motion at a time, straight between rows. */
static void plan_at(const plan_job *job, double time, slip_real *q, slip_real *v, const slip_real **tau)
{
    const slip_model *m = job->session.scene.model;
    const double x = time/job->task.h;
    const long last = plan_rows(job) - 1;
    long k = (long)floor(x + 1e-9);
    slip_real *next = v + m->nv;
    int i;

    if (k > last) k = last;
    plan_row(job, k, q);
    plan_row(job, k + 1, next);
    slip_difference(m, q, next, v);
    for (i = 0; i < m->nv; ++i) next[i] = (slip_real)fmin(1, x - (double)k)*v[i];
    slip_integrate(m, q, next, 1, q);
    for (i = 0; i < m->nv; ++i) v[i] = (slip_real)((double)v[i]/job->task.h);
    *tau = job->tau + (k%job->task.n)*m->nv;
}

/* Drives of the joints of one freedom to where the motion is at the end of a step. */
static void plan_drive(const plan_job *job, slip_world *w, double time, slip_real *q, slip_real *v)
{
    const slip_model *m = job->session.scene.model;
    const slip_real *tau;
    int b;

    plan_at(job, time, q, v, &tau);
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]];
        slip_drive *d = slip_world_drive(w, iv);

        if (m->mimics[b] || slip_joint_nv((slip_joint_type)m->type[b]) != 1) continue;
        d->kp = (slip_real)job->a->kp;
        d->kd = (slip_real)job->a->kd;
        d->q_ref = q[m->iq[b]];
        d->v_ref = v[iv];
        d->feed = tau[iv];
        d->effort = m->effort_limit[iv];
        d->implicit = 1;
    }
}

/* How far the world is from the motion at a time. */
static void plan_compare(plan_job *job, double time, slip_real *q, slip_real *v, double *squares)
{
    const slip_model *m = job->session.scene.model;
    const slip_real *tau, *now = slip_world_q(job->session.world);
    int b;

    plan_at(job, time, q, v, &tau);
    for (b = 1; b < m->nbodies; ++b) {
        const int iq = m->iq[b];

        if (m->type[b] == SLIP_JOINT_FLOATING)
            job->off[0] = fmax(job->off[0], (double)slip_distance3(now + iq, q + iq));
        else if (!m->mimics[b] && slip_joint_nv((slip_joint_type)m->type[b]) == 1)
            *squares += (double)((now[iq] - q[iq])*(now[iq] - q[iq]));
    }
}

/* Runs the world along the motion: tracked by drives, or put on it at each step. 0 after a message. */
static int plan_run(plan_job *job, int tracked, movie *film)
{
    sim_session *s = &job->session;
    const slip_model *m = s->scene.model;
    const double dt = (double)s->scene.world.options.dt, end = (double)plan_rows(job)*job->task.h;
    slip_real *q = (slip_real *)cli_alloc((size_t)(2*m->nq + 3*m->nv)*sizeof *q), *v = q + m->nq;
    const slip_real *tau;
    double squares = 0;
    long k, n = (long)floor(end/dt + 0.5);
    int ok = 1;

    slip_world_set_control(s->world, NULL, NULL);
    plan_at(job, 0, q, v, &tau);
    memcpy(slip_world_q(s->world), q, (size_t)m->nq*sizeof *q);
    memcpy(slip_world_v(s->world), v, (size_t)m->nv*sizeof *v);
    if (!job->task.periodic) memset(slip_world_v(s->world), 0, (size_t)m->nv*sizeof *v);
    for (k = 0; ok && k < n; ++k) {
        if (tracked) plan_drive(job, s->world, (double)(k + 1)*dt, q, v);
        ok = slip_step(s->world) >= 0 || (cli_fail("plan", "%s", slip_world_error(s->world)->what), 0);
        if (tracked) plan_compare(job, (double)(k + 1)*dt, q, v, &squares);
        else {
            plan_at(job, (double)(k + 1)*dt, q, v, &tau);
            memcpy(slip_world_q(s->world), q, (size_t)m->nq*sizeof *q);
            memcpy(slip_world_v(s->world), v, (size_t)m->nv*sizeof *v);
        }
        if (film) slip_replay_step(film->rec, s->world);
    }
    if (tracked) job->off[1] = sqrt(squares/((double)n*(double)m->nv));
    free(q);
    return ok;
}

static int plan_page(plan_job *job, const char *how)
{
    sim_session *s = &job->session;
    movie film;
    int ok;

    s->steps = (long)floor((double)plan_rows(job)*job->task.h/(double)s->scene.world.options.dt + 0.5);
    memcpy(slip_world_q(s->world), job->q, (size_t)s->scene.model->nq*sizeof *job->q);
    if (!movie_begin("plan", s, job->a->kp >= 0 ? "tracked by drives" : "as planned", &film)) return 0;
    ok = plan_run(job, job->a->kp >= 0, &film);
    slip_replay_end(film.rec, s->world);
    ok = ok && movie_write_html("plan", job->a->html, &s->scene, &film, 1, -1, how);
    movie_free(&film);
    return ok;
}

/* ---- */

static void plan_print(const plan_job *job)
{
    const plan_result *r = &job->r;
    const slip_model *m = job->session.scene.model;
    const double weight = (double)(slip_total_mass(m)*slip_norm3(m->gravity));

    if (job->a->json) {
        printf("{\"knots\": %d, \"freedoms\": %d, \"iterations\": %d, \"converged\": %s, \"cost\": %.9g, "
               "\"root\": %.9g, \"weight\": %.9g, \"effort\": %.9g, \"band\": %d, \"step_ms\": %.4g",
               job->task.n, m->nv, r->iterations, r->converged ? "true" : "false", r->cost, r->root, weight,
               r->effort, r->band, 1e3*r->step_seconds);
        if (job->a->kp >= 0) printf(", \"tracked\": [%.6g, %.6g]", job->off[0], job->off[1]);
        puts("}");
        return;
    }
    printf("motion           %d knots of %d freedoms, %.4g s\n", job->task.n, job->session.scene.model->nv,
           job->task.n*job->task.h);
    printf("search           %d Newton steps, cost %.6g\n", r->iterations, r->cost);
    printf("undriven joints  at most %.3g N, N m are missing (weight %.4g N)\n", r->root, weight);
    printf("effort           %.4g N m rms over all coordinates\n", r->effort);
    printf("a Newton step    %.3g ms: derivatives %.0f %%, factor %.0f %%, solution %.0f %% (%d unknowns, band %d)\n",
           1e3*r->step_seconds, 100*r->share[0], 100*r->share[1], 100*r->share[2],
           job->task.n*job->session.scene.model->nv, r->band);
    if (job->a->kp >= 0)
        printf("tracked          free bodies at most %.4g m from the motion, joints %.4g rad rms\n", job->off[0],
               job->off[1]);
}

static int plan_make(plan_job *job, const char *how)
{
    const plan_arguments *a = job->a;
    const slip_scene *s = &job->session.scene;
    const slip_model *m = s->model;
    int k, b, i;

    if (!plan_task_read("plan", a->task, m, &job->task)) return CLI_FAILED;
    if ((a->csv && !output_can_open("plan", a->csv)) || (a->html && !output_can_open("plan", a->html)))
        return CLI_FAILED;
    job->q = (slip_real *)cli_alloc((size_t)(job->task.n + 1)*(size_t)m->nq*sizeof *job->q);
    job->tau = (slip_real *)cli_alloc((size_t)job->task.n*(size_t)m->nv*sizeof *job->tau);
    for (k = 0; k <= job->task.n; ++k) {                     /* stands still, or is carried along */
        memcpy(job->q + k*m->nq, s->q, (size_t)m->nq*sizeof *job->q);
        for (b = 1; b < m->nbodies && job->task.periodic; ++b)
            for (i = 0; i < 2 && m->type[b] == SLIP_JOINT_FLOATING; ++i)
                job->q[k*m->nq + m->iq[b] + i] += (slip_real)(job->task.advance[i]*k/job->task.n);
    }
    if (!plan_solve("plan", s, &job->task, &a->o, job->q, job->tau, &job->r)) return CLI_FAILED;
    if (a->csv && !plan_write_csv(job, a->csv)) return CLI_FAILED;
    if (a->html ? !plan_page(job, how) : a->kp >= 0 && !plan_run(job, 1, NULL)) return CLI_FAILED;
    plan_print(job);
    if (!job->r.converged)
        return cli_fail("plan", "the motion needs %.3g N or N m that no motor gives: another task, more --stages or "
                        "--iterations", job->r.root);
    return CLI_OK;
}

int slip_cmd_plan(int argc, char **argv)
{
    plan_arguments a;
    plan_job *job;
    char *how;
    int code;

    if (!plan_arguments_read(argc, argv, &a, &code)) return code;
    job = (plan_job *)cli_alloc(sizeof *job);
    memset(job, 0, sizeof *job);
    job->a = &a;
    how = movie_command_line(argc, argv);
    code = CLI_FAILED;
    if (sim_open("plan", a.scene, &a.changes, &job->session)) {
        code = plan_make(job, how);
        sim_close(&job->session);
    }
    free(job->q);
    free(job->tau);
    free(how);
    free(job);
    return code;
}
