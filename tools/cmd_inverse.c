/* slipstick inverse: the torques and contact forces that explain a motion. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "io/svg.h"
#include "motion_example.h"
#include "motion_file.h"
#include "sim_run.h"
#include "output.h"

static void inv_help(void)
{
    fputs("usage: slipstick inverse SCENE|MODEL --motion FILE.csv [OPTIONS]\n"
          "       slipstick inverse SCENE --example squat|wipe > FILE.csv\n\n"
          "Joint torques and contact forces that explain a motion; contacts are found by geometry. A URDF model "
          "floats\n"
          "(unless --fixed) above the ground z = 0. The motion is a CSV file with a header (time, q_JOINT…, v_JOINT…; "
          "what\n"
          "`sim --csv` writes) or bare numbers (q, or q and v, after the time or not). v is derived when missing, and "
          "forces\n"
          "then act at the positions given (integrator euler); with v it is the scene's integrator. Per step: torques,\n"
          "force on each link, and the force left on unactuated joints (0 when the motion is possible).\n\n"
          "  --solver ID        id-prox (rigid or soft contacts) or id-barrier (smooth, acts from a distance)\n"
          "  --model ncp|ccp    id-prox: Coulomb's law, or its convex relaxation, which cannot explain sliding\n"
          "  --push N           id-prox: force to press with where a rigid contact leaves the choice [N]\n"
          "  --touch M          gaps up to this count as touching (default 1e-3 m)\n"
          "  --still V          velocities up to this count as rest (default 1e-3 m/s)\n"
          "  --keep             do not redistribute contact forces to relieve undriven joints\n"
          "  --passive NAMES    unactuated joints, besides floating ones and those without effort: hip,knee_*\n"
          "  --smooth T         id-barrier: weight t of the barrier [J], small is hard (default 0.1)\n"
          "  --dt SECONDS       between rows, when the file has no time\n"
          "  --csv FILE         the table there (default stdout) and a summary to stdout\n"
          "  --svg PREFIX       plots PREFIX-torque.svg and PREFIX-force.svg\n"
          "  --package-path DIR where the packages of package:// meshes are; may be repeated\n"
          "  --fixed            a URDF model's base is fixed          --quiet   no warnings\n\n"
          "Exit code: 0 explained, 1 not (a body enters another, slides under the CCP…), 2 usage.\n\n"
          "example: slipstick inverse models/squat.xml --example squat | slipstick inverse models/squat.xml "
          "--motion -\n", stdout);
}

typedef struct {
    const char *scene, *motion, *example, *csv, *svg, *passive;
    double dt;
    int fixed, quiet;
    cli_paths packages;
    slip_inverse_options o;
} inv_arguments;

/* Data of a run for the summary and the plots. */
typedef struct {
    sim_session session;
    motion motion;
    const slip_model *m;
    FILE *table;
    slip_arena scratch;
    void *scratch_block;
    slip_real *v, *v_ref, *tau;              /* [nv]                                                          */
    unsigned char *actuated;                 /* [nv]                                                          */
    int nlinks, *links;                      /* that move and can touch                                       */
    int rows;
    slip_real *time, *torque, *force;        /* [rows], [nv][rows], [2 nlinks][rows]: normal, friction        */
    double base_before, base_after;          /* largest                                                       */
    int unexplained, first, missed;          /* steps: diverged, and the first of them; other doubts          */
    int stick, slip, contacts;               /* sums                                                          */
} inv_run;

/* ---- arguments ----------------------------------------------------------------------------------------- */

static int inv_word(cli_args *args, const char *one, const char *other, int *is_other)
{
    const char *text = cli_value(args);

    if (!text) return 0;
    *is_other = strcmp(text, other) == 0;
    if (!*is_other && strcmp(text, one) != 0)
        return cli_usage(args, "%s: '%s', expected %s or %s", args->option, text, one, other), 0;
    return 1;
}

static int inv_number(cli_args *args, slip_real *x)
{
    double value;

    if (!cli_value_real(args, 0, 1e6, &value)) return 0;
    *x = (slip_real)value;
    return 1;
}

/* One option: 1 understood, 0 refused (a message was given), -1 unknown. */
static int inv_option(cli_args *args, inv_arguments *a)
{
    int other = 0, ok = 1;

    if (cli_is(args, "--motion")) ok = (a->motion = cli_value(args)) != NULL;
    else if (cli_is(args, "--example")) ok = (a->example = cli_value(args)) != NULL;
    else if (cli_is(args, "--csv")) ok = (a->csv = cli_value(args)) != NULL;
    else if (cli_is(args, "--svg")) ok = (a->svg = cli_value(args)) != NULL;
    else if (cli_is(args, "--solver")) {
        ok = inv_word(args, "id-prox", "id-barrier", &other);
        a->o.method = other ? SLIP_ID_BARRIER : SLIP_ID_PROX;
    } else if (cli_is(args, "--model")) {
        ok = inv_word(args, "ncp", "ccp", &other);
        a->o.prox.model = other ? SLIP_MODEL_CCP : SLIP_MODEL_NCP;
    } else if (cli_is(args, "--push")) ok = inv_number(args, &a->o.push);
    else if (cli_is(args, "--touch")) ok = inv_number(args, &a->o.touch);
    else if (cli_is(args, "--still")) ok = inv_number(args, &a->o.still);
    else if (cli_is(args, "--smooth")) {
        double t = 0;

        ok = cli_value_real(args, 1e-12, 1e6, &t);
        a->o.barrier.barrier = (slip_real)t;
    } else if (cli_is(args, "--passive")) ok = (a->passive = cli_value(args)) != NULL;
    else if (cli_is(args, "--dt")) ok = cli_value_real(args, 1e-9, 10, &a->dt);
    else if (cli_is(args, "--package-path")) ok = cli_value_path(args, &a->packages);
    else if (cli_is(args, "--keep")) a->o.redistribute = 0;
    else if (cli_is(args, "--fixed")) a->fixed = 1;
    else if (cli_is(args, "--quiet")) a->quiet = 1;
    else return -1;
    return ok;
}

/* 1: go on; else the exit code is set. */
static int inv_arguments_read(int argc, char **argv, inv_arguments *a, int *code)
{
    cli_args args;
    int kind;

    memset(a, 0, sizeof *a);
    a->o = slip_inverse_defaults();
    cli_begin(&args, argc, argv);
    args.command = "inverse";
    *code = CLI_USAGE;
    while ((kind = cli_next(&args)) != 0) {
        int ok;

        if (kind == 2) {
            if (a->scene) return cli_usage(&args, "one scene at a time, '%s' is the second", args.value), 0;
            a->scene = args.value;
            continue;
        }
        if (cli_is(&args, "--help") || cli_is(&args, "-h")) { inv_help();  *code = CLI_OK;  return 0; }
        ok = inv_option(&args, a);
        if (ok < 0) cli_unknown(&args);
        if (ok <= 0) return 0;
    }
    if (!a->scene) return cli_usage(&args, "which scene or model?"), 0;
    if (!a->motion && !a->example)
        return cli_usage(&args, "which motion? --motion FILE.csv, or --example squat|wipe to make one"), 0;
    if (a->motion && a->example) return cli_usage(&args, "--motion or --example, not both"), 0;
    if (a->example && strcmp(a->example, "squat") != 0 && strcmp(a->example, "wipe") != 0)
        return cli_usage(&args, "--example: '%s', expected squat or wipe", a->example), 0;
    if (a->motion && strcmp(a->motion, "-") == 0 && strcmp(a->scene, "-") == 0)
        return cli_usage(&args, "scene and motion cannot both come from standard input"), 0;
    return 1;
}

/* ---- loading ------------------------------------------------------------------------------------------- */

/* Whether the first element of an XML text is a <robot>. */
static int inv_is_robot(const char *text)
{
    const char *robot = strstr(text, "<robot"), *scene = strstr(text, "<scene");

    return robot && (!scene || robot < scene);
}

/* A scene around a URDF file, above a ground. */
static int inv_open_robot(const inv_arguments *a, const sim_changes *changes, sim_session *s)
{
    const char *slash = strrchr(a->scene, '/'), *file = slash ? slash + 1 : a->scene;
    const size_t size = strlen(file) + 256;
    char *text = (char *)cli_alloc(size);
    int ok;

    slip_format(text, (int)size, "<scene name='model'>%s<robot file='%s' base='%s'/></scene>",
                a->fixed ? "" : "<ground/>", file, a->fixed ? "fixed" : "free");
    ok = sim_open_text("inverse", text, strlen(text), a->scene, changes, s);
    free(text);
    return ok;
}

static int inv_open(const inv_arguments *a, sim_session *s)
{
    sim_changes changes;
    size_t length;
    char *text;
    int robot, ok;

    memset(&changes, 0, sizeof changes);
    changes.dt = a->dt;
    changes.packages = a->packages;
    text = cli_read_file("inverse", a->scene, &length);
    if (!text) return 0;
    robot = inv_is_robot(text);
    changes.quiet = a->quiet || robot;                     /* the motion has a start of its own */
    if (robot && strcmp(a->scene, "-") == 0) {
        cli_fail("inverse", "a model from standard input has no place to look for its meshes; give it by name");
        free(text);
        return 0;
    }
    ok = robot ? inv_open_robot(a, &changes, s) : sim_open_text("inverse", text, length, a->scene, &changes, s);
    free(text);
    return ok;
}

/* Moving links with a shape that touches. */
static void inv_find_links(inv_run *r)
{
    const slip_world_def *d = &r->session.scene.world;
    int i, k;

    r->links = (int *)cli_alloc((size_t)(r->m->nlinks + 1)*sizeof *r->links);
    for (i = 0; i < r->m->nlinks; ++i)
        for (k = 0; k < d->ncolliders && r->m->link_body[i] != 0; ++k)
            if (d->colliders[k].link == i) { r->links[r->nlinks++] = i;  break; }
}

/* Takes the joints of one pattern off those driven; returns how many there are. */
static int inv_release(const slip_model *m, const char *pattern, unsigned char *actuated)
{
    int b, k, found = 0;

    for (b = 1; b < m->nbodies; ++b) {
        const int n = m->mimics[b] ? 0 : slip_joint_nv((slip_joint_type)m->type[b]);

        if (n == 0 || !slip_text_matches(pattern, m->joint_name[m->body_joint[b]])) continue;
        for (k = 0; k < n; ++k) actuated[m->dof_iv[m->idof[b]] + k] = 0;
        found += 1;
    }
    return found;
}

/* Actuated coordinates: those of slip_inverse_dynamics(), without the joints named on the command line,
 * patterns separated by commas. 0, after a message, when one fits no joint. */
static int inv_find_driven(const inv_arguments *a, inv_run *r)
{
    const slip_model *m = r->m;
    const char *list = a->passive ? a->passive : "";
    char pattern[256];
    int b, k;

    r->actuated = (unsigned char *)cli_alloc((size_t)m->nv + 1);
    for (b = 1; b < m->nbodies; ++b) {
        const int iv = m->dof_iv[m->idof[b]], n = m->mimics[b] ? 0 : slip_joint_nv((slip_joint_type)m->type[b]);

        for (k = iv; k < iv + n; ++k) r->actuated[k] = m->type[b] != SLIP_JOINT_FLOATING && m->effort_limit[k] > 0;
    }
    while (*list) {
        const size_t n = strcspn(list, ",");

        slip_format(pattern, (int)sizeof pattern, "%.*s", (int)n, list);
        if (!inv_release(m, pattern, r->actuated))
            return cli_fail("inverse", "--passive: no joint is called '%s'", pattern), 0;
        list += n + (list[n] == ',');
    }
    return 1;
}

static slip_real *inv_reals(size_t n) { return (slip_real *)cli_alloc((n + 1)*sizeof(slip_real)); }

/* The motion, and the time step that goes with it. */
static int inv_read_motion(const inv_arguments *a, inv_run *r)
{
    slip_world_options *o = slip_world_options_of(r->session.world);

    if (!motion_read("inverse", a->motion, r->m, &r->motion)) return 0;
    if (r->motion.n < 2)
        return cli_fail("inverse", "%s: %d rows are no motion, it takes two", a->motion, r->motion.n), 0;
    if (a->dt > 0 && r->motion.dt > 0 && fabs(a->dt - r->motion.dt) > 0.01*a->dt)
        return cli_fail("inverse", "--dt %g, but the rows of %s are %g s apart", a->dt, a->motion, r->motion.dt), 0;
    if (r->motion.dt > 0) o->dt = (slip_real)r->motion.dt;
    if (!a->quiet && motion_begins_like_time(&r->motion, r->m->nq))
        cli_fail("inverse", "%s: warning: the first of %d columns looks like the time, but is taken for a coordinate",
                 a->motion, r->m->nq);
    return 1;
}

static int inv_prepare(inv_arguments *a, inv_run *r)
{
    size_t bytes;

    r->m = slip_world_model(r->session.world);
    if (!inv_find_driven(a, r) || !inv_read_motion(a, r)) return 0;
    a->o.actuated = r->actuated;
    if (!r->motion.v) slip_world_options_of(r->session.world)->integrator = SLIP_EULER;  /* see inv_velocities() */
    inv_find_links(r);
    r->rows = r->motion.n - 1;
    r->v = inv_reals((size_t)r->m->nv);
    r->v_ref = inv_reals((size_t)r->m->nv);
    r->tau = inv_reals((size_t)r->m->nv);
    r->time = inv_reals((size_t)r->rows);
    r->torque = inv_reals((size_t)r->rows*(size_t)r->m->nv);
    r->force = inv_reals((size_t)r->rows*2*(size_t)r->nlinks);
    bytes = slip_inverse_bytes(r->session.world, &a->o);
    r->scratch_block = cli_alloc(bytes);
    r->scratch = slip_arena_over(r->scratch_block, bytes);
    r->first = -1;
    return 1;
}

static void inv_close(inv_run *r)
{
    motion_free(&r->motion);
    sim_close(&r->session);
    free(r->scratch_block); free(r->v); free(r->v_ref); free(r->tau); free(r->links); free(r->actuated);
    free(r->time); free(r->torque); free(r->force);
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static void inv_put(FILE *out, slip_real x)
{
    char text[SLIP_NUMBER_SIZE];

    slip_print_real(x, 9, text);
    fprintf(out, ",%s", text);
}

static void inv_head(const inv_run *r)
{
    static const char *const axes[] = { "fx", "fy", "fz" };
    char name[256];
    int i, k;

    fputs("time", r->table);
    for (i = 0; i < r->m->nv; ++i) {
        motion_name(r->m, 0, "tau_", i, name, sizeof name);
        fprintf(r->table, ",%s", name);
    }
    for (i = 0; i < r->nlinks; ++i)
        for (k = 0; k < 3; ++k) fprintf(r->table, ",%s.%s", r->m->link_name[r->links[i]], axes[k]);
    fputs(",undriven_before,undriven,contacts,stick,slip,residual,iterations,status\n", r->table);
}

/* Sums of a link's normal and friction forces, for the plot. */
static void inv_remember_forces(inv_run *r, int k, int i)
{
    slip_real *normal = &r->force[2*i*r->rows + k], *friction = normal + r->rows;
    int n;

    *normal = *friction = 0;
    for (n = 0; n < slip_contact_count(r->session.world); ++n) {
        const slip_contact_info c = slip_contact_get(r->session.world, n);

        if (c.link_a != r->links[i] && c.link_b != r->links[i]) continue;
        *normal += c.force_n;
        *friction += c.force_t;
    }
}

static void inv_row(inv_run *r, int k, const slip_inverse_result *result)
{
    slip_real wrench[6];
    char text[SLIP_NUMBER_SIZE];
    int i;

    slip_print_real(r->time[k], 12, text);
    fputs(text, r->table);
    for (i = 0; i < r->m->nv; ++i) {
        inv_put(r->table, r->tau[i]);
        r->torque[i*r->rows + k] = r->tau[i];
    }
    for (i = 0; i < r->nlinks; ++i) {
        slip_link_contact_wrench(r->session.world, r->links[i], NULL, wrench);
        inv_put(r->table, wrench[0]);
        inv_put(r->table, wrench[1]);
        inv_put(r->table, wrench[2]);
        inv_remember_forces(r, k, i);
    }
    inv_put(r->table, result->unactuated_before);
    inv_put(r->table, result->unactuated);
    fprintf(r->table, ",%d,%d,%d", result->contacts, result->stick, result->slip);
    inv_put(r->table, result->residual);
    fprintf(r->table, ",%d,%s\n", result->iterations, slip_status_text(result->status));
}

/* ---- the run ------------------------------------------------------------------------------------------- */

/* Velocities before and after step k: those of the file, or from its positions. The latter are those of a step by
 * SLIP_EULER, at whose positions forces act; by SLIP_MIDPOINT positions alone do not tell the velocity. */
static void inv_velocities(inv_run *r, int k)
{
    const int nq = r->m->nq, nv = r->m->nv;
    const slip_real *q = r->motion.q + k*nq;

    if (r->motion.v) {
        memcpy(r->v, r->motion.v + k*nv, (size_t)nv*sizeof *r->v);
        memcpy(r->v_ref, r->motion.v + (k + 1)*nv, (size_t)nv*sizeof *r->v);
        return;
    }
    slip_velocity_between(r->session.world, q, q + nq, r->v_ref);
    if (k > 0) slip_velocity_between(r->session.world, q - nq, q, r->v);
    else memcpy(r->v, r->v_ref, (size_t)nv*sizeof *r->v);
}

/* Loops closed or released before the motion begins. */
static void inv_loops_before(inv_run *r)
{
    const slip_scene *scene = &r->session.scene;
    const double begin = r->motion.time ? r->motion.time[0] : 0;
    int i;

    for (i = 0; i < scene->nevents; ++i)
        if (scene->events[i].kind == SLIP_EVENT_LOOP && (double)scene->events[i].t0 < begin)
            slip_world_set_loop(r->session.world, scene->events[i].loop, scene->events[i].on);
}

/* Applies the scene's events of step k, as in a simulation: pushes on bodies, loops, and velocities set anew, from
 * which the step then starts. */
static void inv_events(inv_run *r, int k)
{
    slip_world *world = r->session.world;

    if (r->session.scene.nevents == 0) return;
    memcpy(slip_world_q(world), r->motion.q + k*r->m->nq, (size_t)r->m->nq*sizeof *r->v);
    memcpy(slip_world_v(world), r->v, (size_t)r->m->nv*sizeof *r->v);
    slip_scene_apply_at(&r->session.scene, world, r->time[k]);
    memcpy(r->v, slip_world_v(world), (size_t)r->m->nv*sizeof *r->v);
}

static void inv_count(inv_run *r, int k, const slip_inverse_result *result)
{
    r->base_before = fmax(r->base_before, (double)result->unactuated_before);
    r->base_after = fmax(r->base_after, (double)result->unactuated);
    r->contacts += result->contacts;
    r->stick += result->stick;
    r->slip += result->slip;
    if (result->status == SLIP_DIVERGED) {
        if (r->unexplained++ == 0) r->first = k;
    } else r->missed += result->status != SLIP_OK;
}

static int inv_steps(const inv_arguments *a, inv_run *r)
{
    const double dt = (double)slip_world_options_of(r->session.world)->dt;
    slip_inverse_result result;
    int k;

    inv_head(r);
    inv_loops_before(r);
    for (k = 0; k < r->rows; ++k) {
        r->time[k] = (slip_real)(r->motion.time ? r->motion.time[k] : k*dt);
        inv_velocities(r, k);
        inv_events(r, k);
        if (slip_inverse_dynamics(r->session.world, r->motion.q + k*r->m->nq, r->v, r->v_ref, &a->o, &r->scratch,
                                  r->tau, &result) < 0)
            return cli_fail("inverse", "row %d: %s", k + 1, slip_world_error(r->session.world)->what), 0;
        inv_count(r, k, &result);
        inv_row(r, k, &result);
    }
    return 1;
}

/* ---- summary and plots --------------------------------------------------------------------------------- */

/* The joint that comes nearest to its effort limit, if joints have any. */
static void inv_print_torques(const inv_run *r)
{
    int i, k, worst = -1;
    double share = 0, most = 0;
    char name[256];

    for (i = 0; i < r->m->nv; ++i)
        for (k = 0; k < r->rows; ++k) {
            const double x = fabs((double)r->torque[i*r->rows + k]), limit = (double)r->m->effort_limit[i];

            if (limit > 0 && limit < 1e300 && x/limit > share) { share = x/limit;  worst = i;  most = x; }
        }
    if (worst < 0) return;
    motion_name(r->m, 0, "", worst, name, sizeof name);
    printf("  torque           at most %.3g N m on %s, %.0f %% of its effort limit\n", most, name, 100*share);
}

/* id-barrier: whether the motion is so close to the bound of allowed velocities that the barrier's force t/x is
 * large. */
static int inv_is_grazing(const inv_arguments *a, const inv_run *r)
{
    double mass = 0;
    int b;

    for (b = 1; b < r->m->nbodies; ++b) mass += (double)r->m->inertia[10*b];
    return a->o.method == SLIP_ID_BARRIER && r->base_after > 1000*9.81*mass;
}

static void inv_print_summary(const inv_arguments *a, const inv_run *r)
{
    printf("%s: %d steps of %g s by %s\n", a->motion, r->rows, (double)slip_world_options_of(r->session.world)->dt,
           a->o.method == SLIP_ID_BARRIER ? "id-barrier" : a->o.prox.model == SLIP_MODEL_CCP ? "id-prox, ccp"
           : "id-prox, ncp");
    printf("  contacts         %.2f on average", (double)r->contacts/r->rows);
    if (a->o.method == SLIP_ID_PROX)
        printf(": %.2f at rest, %.2f sliding", (double)r->stick/r->rows, (double)r->slip/r->rows);
    putchar('\n');
    printf("  undriven joints  at most %.4g N or N m", r->base_after);
    if (r->base_before != r->base_after) printf(" (%.4g before redistribution)", r->base_before);
    putchar('\n');
    inv_print_torques(r);
    if (r->unexplained) {
        printf("  unexplained      %d steps, the first at %g s: no force explains that motion\n", r->unexplained,
               (double)r->time[r->first]);
        fprintf(stderr, "slipstick inverse: %d of %d steps cannot be explained\n", r->unexplained, r->rows);
    }
    if (!a->quiet && inv_is_grazing(a, r))
        fputs("slipstick inverse: warning: the motion is so close to the barrier's bound that forces exceed a\n"
              "thousand times the weight: lift it by a millimetre, or take id-prox\n", stderr);
    if (r->missed) printf("  tolerance        missed in %d steps\n", r->missed);
}

/* One plot of n rows of numbers over time. */
static int inv_plot(const char *prefix, const char *suffix, const char *title, const char *unit, const inv_run *r,
                    int n, const slip_real *rows, const char *const *names)
{
    slip_plot_series *series = (slip_plot_series *)cli_alloc((size_t)(n + 1)*sizeof *series);
    char *path = (char *)cli_alloc(strlen(prefix) + strlen(suffix) + 1);
    slip_plot plot;
    int i, ok;

    memset(series, 0, (size_t)(n + 1)*sizeof *series);
    for (i = 0; i < n; ++i) {
        series[i].name = names[i];
        series[i].x = r->time;
        series[i].y = rows + i*r->rows;
        series[i].n = r->rows;
    }
    memset(&plot, 0, sizeof plot);
    plot.title = title;
    plot.x_label = "time [s]";
    plot.y_label = unit;
    plot.nseries = n;
    plot.series = series;
    strcpy(path, prefix);
    strcat(path, suffix);
    ok = output_plot("inverse", path, &plot);
    free(path);
    free(series);
    return ok;
}

/* Torques of all joints but the base's, which is no motor. */
static int inv_plot_torques(const char *prefix, const inv_run *r)
{
    const char **names = (const char **)cli_alloc((size_t)(r->m->nv + 1)*sizeof *names);
    char (*text)[64] = (char (*)[64])cli_alloc((size_t)(r->m->nv + 1)*sizeof *text);
    const int skip = r->m->nbodies > 1 && r->m->type[1] == SLIP_JOINT_FLOATING ? 6 : 0;
    int i, ok;

    for (i = 0; i < r->m->nv; ++i) {
        motion_name(r->m, 0, "", i, text[i], 64);
        names[i] = text[i];
    }
    ok = inv_plot(prefix, "-torque.svg", "joint torques", "torque [N m]", r, r->m->nv - skip, r->torque + skip*r->rows,
                  names + skip);
    free(text);
    free(names);
    return ok;
}

/* Normal and friction force of every link that touches at some time. */
static int inv_plot_forces(const char *prefix, const inv_run *r)
{
    const char **names = (const char **)cli_alloc(2*(size_t)(r->nlinks + 1)*sizeof *names);
    char (*text)[64] = (char (*)[64])cli_alloc(2*(size_t)(r->nlinks + 1)*sizeof *text);
    slip_real *rows = inv_reals(2*(size_t)r->nlinks*(size_t)r->rows);
    int i, part, n = 0, ok;

    for (i = 0; i < r->nlinks; ++i)
        for (part = 0; part < 2 && slip_max_abs(r->rows, r->force + 2*i*r->rows) > 0; ++part, ++n) {
            slip_format(text[n], 64, "%s, %s", r->m->link_name[r->links[i]], part ? "friction" : "normal");
            names[n] = text[n];
            memcpy(rows + n*r->rows, r->force + (2*i + part)*r->rows, (size_t)r->rows*sizeof *rows);
        }
    ok = inv_plot(prefix, "-force.svg", "contact forces", "force [N]", r, n, rows, names);
    free(rows);
    free(text);
    free(names);
    return ok;
}

int slip_cmd_inverse(int argc, char **argv)
{
    inv_arguments a;
    inv_run r;
    int code, ok;

    if (!inv_arguments_read(argc, argv, &a, &code)) return code;
    memset(&r, 0, sizeof r);
    if (!inv_open(&a, &r.session)) return CLI_FAILED;
    if (a.example) {
        ok = motion_example("inverse", a.example, &r.session, stdout);
        sim_close(&r.session);
        return ok ? CLI_OK : CLI_FAILED;
    }
    ok = inv_prepare(&a, &r);
    r.table = stdout;
    if (ok && a.csv) ok = (r.table = output_open("inverse", a.csv)) != NULL;
    if (ok) ok = inv_steps(&a, &r);
    if (a.csv) ok &= output_close("inverse", a.csv, r.table);
    if (ok && r.table != stdout) inv_print_summary(&a, &r);
    else if (ok && r.unexplained)
        fprintf(stderr, "slipstick inverse: %d of %d steps cannot be explained\n", r.unexplained, r.rows);
    if (ok && a.svg) ok = inv_plot_torques(a.svg, &r) && inv_plot_forces(a.svg, &r);
    code = ok && !r.unexplained ? CLI_OK : CLI_FAILED;
    inv_close(&r);
    return code;
}
