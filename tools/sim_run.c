/* Loads and runs scenes for commands. See sim_run.h. */
#define _POSIX_C_SOURCE 199309L   /* clock_gettime */

#include "sim_run.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUN_SAMPLE = 64,           /* every so many short steps the phases are timed: that costs a third of a
                                   * microsecond; long ones, which differ more among themselves, are all timed */
       RUN_BATCH = 64 };          /* steps between looks at the clock when unwatched */

double sim_cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static double run_clock(void *unused)
{
    (void)unused;
    return cli_seconds();
}

/* ---- loading ------------------------------------------------------------------------------------ */

static void run_json_real(FILE *out, const char *key, slip_real x)
{
    char text[SLIP_NUMBER_SIZE];

    slip_print_real(x, 0, text);
    fprintf(out, ", \"%s\": %s", key, x - x == 0 ? text : "null");
}

/* The contact law, with the parameters it reads; null: no limit. */
static void run_json_law(FILE *out, const slip_contact_law *l)
{
    static const char *const names[] = { "rigid", "cfm", "reference", "relaxation" };
    const struct { slip_law_kind kind; const char *key; slip_real x; } field[] = {
        { SLIP_LAW_CFM, "cfm", l->cfm }, { SLIP_LAW_CFM, "cfm_share", l->cfm_share },
        { SLIP_LAW_REFERENCE, "time_constant", l->time_constant },
        { SLIP_LAW_REFERENCE, "damping_ratio", l->damping_ratio },
        { SLIP_LAW_REFERENCE, "d_min", l->d_min }, { SLIP_LAW_REFERENCE, "d_max", l->d_max },
        { SLIP_LAW_REFERENCE, "width", l->width }, { SLIP_LAW_REFERENCE, "midpoint", l->midpoint },
        { SLIP_LAW_REFERENCE, "power", l->power }, { SLIP_LAW_REFERENCE, "friction_ratio", l->friction_ratio },
        { SLIP_LAW_RELAXATION, "stiffness", l->stiffness }, { SLIP_LAW_RELAXATION, "allowance", l->allowance },
        { SLIP_LAW_RELAXATION, "relaxation_time", l->relaxation_time },
        { SLIP_LAW_RELAXATION, "near_rigid", l->near_rigid }, { SLIP_LAW_RELAXATION, "stiction", l->stiction } };
    size_t i;

    fprintf(out, ", \"contact\": {\"law\": \"%s\", \"overlap\": %s", names[l->kind], l->overlap ? "true" : "false");
    for (i = 0; i < sizeof field/sizeof *field; ++i)
        if (field[i].kind == l->kind) run_json_real(out, field[i].key, field[i].x);
    fputs("}", out);
}

/* Whether anything works errors off by erp and max_push: contacts of a law that reads them, limits or loops. */
static int run_reads_erp(const slip_scene *scene)
{
    int i;

    if (scene->world.options.law.kind <= SLIP_LAW_CFM || scene->world.nloops > 0) return 1;
    for (i = 0; i < scene->model->nv; ++i)
        if (slip_is_finite(scene->model->lower[i]) || slip_is_finite(scene->model->upper[i])) return 1;
    return 0;
}

void sim_json_terms(FILE *out, const sim_session *session)
{
    static const char *const integrators[] = { "midpoint", "euler", "fourth" };
    const slip_world_options *o = slip_world_options_of(session->world);
    const slip_world_terms t = slip_world_terms_of(session->world);

    fputs("\"solver\": ", out);
    cli_json_text(out, o->solver->id);
    fputs(", ", out);
    solver_args_json(out, o->solver, &o->solve);
    fprintf(out, ", \"warm_start\": %s, \"reuse\": %g, \"soften\": %s", t.warm_start ? "true" : "false",
            (double)t.reuse, t.soften ? "true" : "false");
    fprintf(out, ", \"correct\": %s, \"integrator\": \"%s\"", t.correct ? "true" : "false",
            integrators[o->integrator]);
    run_json_real(out, "warm_share", t.warm_share);
    if (run_reads_erp(&session->scene)) {
        run_json_real(out, "erp", o->erp);
        run_json_real(out, "max_push", o->max_push);
    }
    run_json_real(out, "slop", o->slop);
    run_json_law(out, &o->law);
}

/* Applies the command line's changes to the scene. */
static void run_change(const sim_changes *c, slip_scene *scene)
{
    slip_world_options *o = &scene->world.options;

    if (c->solve.likes > 0) slip_world_like(c->solve.like[0], o);
    solver_args_apply(&c->solve, NULL, &o->solve);
    scene->has_barrier |= solver_args_has(&c->solve, "barrier");
    if (c->solve.cold) o->warm_start = 0;
    if (c->dt > 0) o->dt = (slip_real)c->dt;
    if (c->budget > 0) o->step_iterations = c->budget;
    if (c->deadline > 0) {
        o->step_seconds = c->deadline;
        o->clock = run_clock;
    }
    if (c->time > 0) scene->duration = (slip_real)c->time;
    if (c->equal_terms) slip_world_equal_terms(o);
}

/* Refuses options that the scene's solver cannot take, warns of those it does not read; 0 when it cannot run. */
static int run_check_solver(const char *command, const sim_changes *c, const slip_scene *scene)
{
    const slip_world_options *o = &scene->world.options;
    slip_error err;

    slip_error_clear(&err);
    if (slip_solver_check(o->solver, &o->solve, &err) < 0) return cli_fail(command, "%s", err.what), 0;
    if (c->options_checked) return 1;
    return solver_args_warn(command, &c->solve, &o->solver, 1, c->quiet) == 0 || !c->strict;
}

/* How many steps make the duration; -1 with a message when that is none or too many. */
static long run_steps(const char *command, const slip_scene *scene)
{
    const double most = 1e8, dt = (double)scene->world.options.dt, time = (double)scene->duration;
    const double steps = floor(time/dt + 0.5);

    if (steps < 1 && time > 0)
        return cli_fail(command, "%g s are less than half a time step of %g s, so nothing to simulate", time, dt), -1;
    if (steps > most)
        return cli_fail(command, "%g s are %g steps of %g s, expected at most %g steps", time, steps, dt, most), -1;
    return (long)steps;
}

typedef struct { const char *text; size_t length; } run_robot_text;

/* No output replaces a file that the scene names. */
static void run_protect(const slip_scene *scene)
{
    const slip_scene_input *input = scene->inputs;

    for (; input; input = input->next) output_protect(input->path);
}

/* The scene in a block that grows until it fits: first without messages, then once more for the warnings. */
static slip_status run_read(const char *text, size_t length, const char *file, const sim_changes *c,
                            const run_robot_text *robot, sim_session *s, slip_error *err)
{
    slip_scene_options opt = slip_scene_defaults();
    slip_report report = cli_report(c->strict);
    slip_status status = SLIP_ERR_WORKSPACE;
    slip_arena mem;
    size_t bytes;

    opt.seed = c->seed;
    opt.solver = solver_args_solver(&c->solve);
    if (robot) {
        opt.robot_text = robot->text;
        opt.robot_length = robot->length;
    }
    opt.package_paths = c->packages.dir;
    opt.npackage_paths = c->packages.n;
    if (c->repair > 0 || c->repair < 0) opt.repair_armature = (slip_real)fmax(0, c->repair);
    if (c->quiet) report.warn = NULL;
    for (bytes = ((size_t)1 << 20) + 64*length; bytes < SIZE_MAX/4 && bytes >> 20 < 8192; bytes *= 2) {
        s->scene_block = cli_alloc(bytes);
        mem = slip_arena_over(s->scene_block, bytes);
        status = slip_scene_read(text, length, file, &opt, &mem, &s->scene, NULL, err);
        if (status != SLIP_ERR_WORKSPACE) break;
        free(s->scene_block);
        s->scene_block = NULL;
    }
    if (!s->scene_block) return status;
    mem = slip_arena_over(s->scene_block, bytes);        /* when it failed, a warning may say why */
    status = slip_scene_read(text, length, file, &opt, &mem, &s->scene, &report, err);
    s->scene_bytes = mem.low;
    if (status >= 0) run_protect(&s->scene);
    return status;
}

static slip_status run_start_once(sim_session *s, slip_report *report, slip_error *err)
{
    slip_arena mem;

    free(s->world_block);
    s->world_bytes = slip_world_bytes(&s->scene.world);
    s->world_block = cli_alloc(s->world_bytes);
    mem = slip_arena_over(s->world_block, s->world_bytes);
    return slip_scene_start(&s->scene, &mem, &s->world, report, err);
}

/* First without messages, until there is room for the contacts of the start; then once more for the warnings. */
static slip_status run_start(const sim_changes *c, sim_session *s, slip_error *err)
{
    slip_report report = cli_report(c->strict);
    slip_status status;

    if (c->quiet) report.warn = NULL;
    do status = run_start_once(s, NULL, err);
    while (status >= 0 && slip_scene_make_room(&s->scene, s->world));
    return status < 0 ? status : run_start_once(s, &report, err);
}

void sim_control(void *context, slip_world *world)
{
    sim_session *s = (sim_session *)context;
    const int is_timed = slip_world_options_of(world)->clock != NULL;
    const double before = is_timed ? cli_seconds() : 0;

    slip_scene_apply(&s->scene, world);
    if (s->controller.update) s->controller.update(s->controller.context, world);
    if (is_timed) s->control_seconds = cli_seconds() - before;
}

/* ---- robots without a scene ------------------------------------------------------------------------ */

/* The scene around a robot's file. */
static char *run_robot_scene(const char *file, int base)
{
    const size_t room = 6*strlen(file) + 400;
    char *text = (char *)cli_alloc(room);

    slip_scene_around(file, (slip_scene_base)base, text, room);
    return text;
}

void sim_describe_robot(const slip_scene *scene, char out[256])
{
    const slip_scene_robot *r = &scene->robots[0];
    int i, held = 0;

    for (i = 0; i < scene->model->nv; ++i) held += scene->drives[i].kp > 0;
    slip_format(out, 256, "base %s%s%s (--base %s for the other), %s, %d joint%s held by drives",
                r->is_free ? "free" : "fixed", r->base_why[0] ? ": " : "", r->base_why, r->is_free ? "fixed" : "free",
                r->stands_on_own ? "starts where its file puts it, on the file's own ground"
                                 : "stands on its lowest point", held, held == 1 ? "" : "s");
}

/* Of a scene's text, or one around a robot's, which is then given too. */
static int run_open(const char *command, const char *text, size_t length, const char *file, const sim_changes *changes,
                    const run_robot_text *robot, sim_session *s)
{
    slip_error err;
    slip_status status;

    memset(s, 0, sizeof *s);
    slip_error_clear(&err);
    status = run_read(text, length, file, changes, robot, s, &err);
    if (status >= 0) run_change(changes, &s->scene);
    if (status >= 0 && (!run_check_solver(command, changes, &s->scene)
                        || (s->steps = run_steps(command, &s->scene)) < 0)) {
        sim_close(s);
        return 0;
    }
    if (status >= 0) status = run_start(changes, s, &err);
    if (status < 0) {
        cli_error(&err);
        sim_close(s);
        return 0;
    }
    s->snapshot = cli_alloc(slip_snapshot_bytes(s->world));
    slip_snapshot_save(s->world, s->snapshot);
    slip_world_set_control(s->world, sim_control, s);
    return 1;
}

int sim_open_text(const char *command, const char *text, size_t length, const char *file, const sim_changes *changes,
                  sim_session *s)
{
    const run_robot_text robot = { text, length };
    char *scene;
    int ok;

    if (slip_robot_format(text, length) == 0) {
        if (changes->base) return cli_fail(command, "--base is for a robot without a scene; <robot base=...>"), 0;
        return run_open(command, text, length, file, changes, NULL, s);
    }
    scene = run_robot_scene(file, changes->base);
    ok = run_open(command, scene, strlen(scene), file, changes, &robot, s);
    if (ok) s->is_robot = 1;
    free(scene);
    return ok;
}

int sim_describe_text(const char *text, size_t length, const char *file, const sim_changes *changes, char out[256],
                      int *is_free)
{
    const run_robot_text robot = { text, length };
    char *scene;
    sim_session s;
    slip_error err;
    slip_status status;

    memset(&s, 0, sizeof s);
    slip_error_clear(&err);
    scene = run_robot_scene(file, changes->base);
    status = run_read(scene, strlen(scene), file, changes, &robot, &s, &err);
    *is_free = status >= 0 && s.scene.robots[0].is_free;
    if (status >= 0 && s.scene.model->nv > 0) sim_describe_robot(&s.scene, out);
    else slip_format(out, 256, "%s", status < 0 ? err.what : "nothing would move");
    free(s.scene_block);
    free(scene);
    return status >= 0;
}

int sim_open(const char *command, const char *path, const sim_changes *changes, sim_session *s)
{
    const char *file = strcmp(path, "-") == 0 ? "(standard input)" : path;
    size_t length;
    char *text = cli_read_file(command, path, &length);
    int ok;

    memset(s, 0, sizeof *s);
    if (!text) return 0;
    ok = sim_open_text(command, text, length, file, changes, s);
    free(text);
    return ok;
}

void sim_close(sim_session *s)
{
    free(s->snapshot);
    free(s->world_block);
    free(s->scene_block);
    s->snapshot = s->world_block = s->scene_block = NULL;
}

#define RUN_LONG 50e-6            /* [s] a long step */

/* ---- running ------------------------------------------------------------------------------------ */

/* Sums over the steps so far. */
typedef struct {
    double contacts, iterations, calls;
    double phase[SLIP_PHASES], control, sampled;   /* [s], and how many steps they come from */
    int sample;                      /* every so many steps                                */
    double *residual;                /* one a step */
} run_sums;

static void run_note(const sim_session *s, const slip_step_stats *t, long k, run_sums *sum, sim_result *r)
{
    const slip_solver_options *o = &s->scene.world.options.solve;
    const double depth = (double)t->penetration;
    const double excess = (double)slip_residual_excess(&t->residual, o->tol, o->tol_rule);

    sum->contacts += t->contacts;
    sum->iterations += t->iterations;
    sum->calls += t->calls;
    sum->residual[k] = (double)t->residual.eps_abs;
    if (t->contacts > r->contacts_max) r->contacts_max = t->contacts;
    if (t->iterations > r->iterations_max) r->iterations_max = t->iterations;
    if (t->calls > r->calls_max) r->calls_max = t->calls;
    if (t->limits > r->limits_max) r->limits_max = t->limits;
    if (t->softened > r->softened_max) r->softened_max = t->softened;
    if (t->unsettled > 0) ++r->unsettled;
    if (t->unbounded > 0) ++r->unbounded;
    if (t->unbounced > 0) ++r->unbounced;
    if (t->status == SLIP_MAX_ITERS || t->status == SLIP_STALLED || t->status == SLIP_DIVERGED
        || t->status == SLIP_DEADLINE) ++r->missed;
    if (t->status == SLIP_DEADLINE) ++r->late;
    if (t->budget_taken > r->budget_max) r->budget_max = t->budget_taken;
    if (t->dropped > 0 && r->dropped == 0) r->why_dropped = *slip_world_error(s->world);
    r->dropped += t->dropped;
    if (depth > r->penetration_max) r->penetration_max = depth;
    if (4*(k + 1) > 3*s->steps && !(depth <= r->penetration_last_quarter)) r->penetration_last_quarter = depth;
    if (excess > r->excess_max) r->excess_max = excess;
}

/* Adds the phases of a timed step, unless it is one of few and took much longer than those before: another process then
 * had the processor, and this clock counts that time. */
static void run_note_phases(const sim_session *s, const slip_step_stats *t, run_sums *sum)
{
    double all = 0, before = sum->control;
    int i;

    for (i = 0; i < SLIP_PHASES; ++i) {
        all += t->seconds[i];
        before += sum->phase[i];
    }
    if (sum->sample > 1 && sum->sampled > 0 && all > 20*before/sum->sampled) return;
    for (i = 0; i < SLIP_PHASES; ++i) sum->phase[i] += t->seconds[i];
    sum->phase[SLIP_PHASE_KINEMATICS] -= s->control_seconds;   /* a step counts its control there */
    sum->control += s->control_seconds;
    sum->sampled += 1;
}

static int run_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void run_finish(run_sums *sum, sim_result *r)
{
    double all = sum->control;
    int i;

    for (i = 0; i < SLIP_PHASES; ++i) all += sum->phase[i];
    for (i = 0; i < SLIP_PHASES; ++i) r->phase_share[i] = all > 0 ? sum->phase[i]/all : 0;
    r->control_share = all > 0 ? sum->control/all : 0;
    if (r->steps == 0) return;
    r->contacts_mean = sum->contacts/(double)r->steps;
    r->iterations_mean = sum->iterations/(double)r->steps;
    r->calls_mean = sum->calls/(double)r->steps;
    qsort(sum->residual, (size_t)r->steps, sizeof *sum->residual, run_compare);
    r->residual_max = sum->residual[r->steps - 1];
    r->residual_median = sum->residual[r->steps/2];
}

/* Energy, and the momentum [6], of the present state. */
static double run_energy(slip_world *world, slip_real *momentum)
{
    slip_real kinetic, potential;

    slip_world_energy(world, &kinetic, &potential);
    slip_momentum(slip_world_model(world), slip_world_data(world), momentum);
    return (double)(kinetic + potential);
}

/* The time of one reading of the processor's clock: a microsecond on some machines, more than a small step. */
static double run_clock_cost(void)
{
    double least = 1;
    int i;

    for (i = 0; i < 50; ++i) {
        const double before = sim_cpu_seconds(), cost = sim_cpu_seconds() - before;

        if (cost < least) least = cost;
    }
    return least;
}

/* A stretch of steps between two looks at the clock; the phases of sampled steps are timed. */
static slip_status run_batch(sim_session *s, long from, long to, run_sums *sum, sim_result *r)
{
    slip_world_options *o = slip_world_options_of(s->world);
    slip_status status = SLIP_OK;
    long k;

    for (k = from; k < to && status >= 0; ++k) {
        o->clock = k % sum->sample == 0 || o->step_seconds > 0 ? run_clock : NULL;
        status = slip_step(s->world);
        if (status < 0) break;
        run_note(s, slip_world_stats(s->world), k, sum, r);
        if (o->clock) run_note_phases(s, slip_world_stats(s->world), sum);
    }
    r->steps = k;
    return status < 0 ? status : SLIP_OK;
}

void sim_run(sim_session *s, const sim_observer *observer, sim_result *r)
{
    const long batch = observer && observer->every_step ? 1 : RUN_BATCH;
    const double cost = run_clock_cost();
    run_sums sum;
    int go_on = 1;

    memset(r, 0, sizeof *r);
    r->penetration_last_quarter = (double)NAN;
    memset(&sum, 0, sizeof sum);
    sum.sample = RUN_SAMPLE;
    sum.residual = (double *)cli_alloc((size_t)(s->steps + 1)*sizeof *sum.residual);
    slip_snapshot_restore(s->world, s->snapshot, slip_snapshot_bytes(s->world));
    if (s->controller.begin) s->controller.begin(s->controller.context, s->world);
    r->energy_start = run_energy(s->world, r->momentum_start);
    while (r->steps < s->steps && r->status >= 0 && go_on && !output_interrupted()) {
        const long to = r->steps + batch < s->steps ? r->steps + batch : s->steps;
        const double before = sim_cpu_seconds();

        r->status = run_batch(s, r->steps, to, &sum, r);
        r->cpu_seconds += fmax(0, sim_cpu_seconds() - before - cost);
        if (r->cpu_seconds > RUN_LONG*(double)r->steps) sum.sample = 1;
        if (observer && r->status >= 0) go_on = observer->step(observer->context, s, r->steps);
    }
    r->energy_end = run_energy(s->world, r->momentum_end);
    r->work = slip_world_work(s->world);
    run_finish(&sum, r);
    free(sum.residual);
}
