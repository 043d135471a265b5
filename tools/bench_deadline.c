/* slipstick bench deadline: how well steps keep their budgets in scenes that are kicked, and what that costs. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "hostile.h"
#include "sim_run.h"

static const char deadline_help[] =
    "usage: slipstick bench deadline [--steps N] [--scenes A,B...] [--solvers A,B...]\n\n"
    "Steps scenes of models/ whose bodies are kicked, put back and put elsewhere every 97 steps, each with solvers\n"
    "and two budgets: iterations, and processor time; with default also without. A table, a line for each:\n\n"
    "  late      steps that ended with SLIP_DEADLINE; other: that missed the tolerance otherwise; failed: refused\n"
    "  over      the most that a step took beyond its budget: iterations, or us; in brackets what share of the steps\n"
    "            were over by more than one iteration, or a tenth of the time\n"
    "  gain      largest gain of energy between two kicks but for drives and outer forces, of the kinetic energy\n"
    "            after the kick, of the first kick's for the steps before it; loops and overlaps that the kick has\n"
    "            put there are pulled and pushed with energy\n"
    "  overlap   the most by which the deepest overlap grew after a kick, mm\n"
    "  untested  pairs of shapes that kept their contacts untested, a step\n"
    "  swept     calls of the solver that its sweeps ended, a step\n\n"
    "Under it, for comparison, how often this machine makes a loop of constant work late: what share of 20000 turns\n"
    "took a tenth longer than their median, in processor time.\n\n"
    "  --steps N     steps of each line: 1000\n"
    "  --scenes ...  default: all of the table in docs/measurements.md\n\n"
    "example: slipstick bench deadline --scenes dominoes,pile --solvers default,ncp-pgs\n";

enum { DEADLINE_NONE, DEADLINE_ITERATIONS, DEADLINE_TIME };
enum { DEADLINE_EVERY = 97 };

/* Budgets that a step on a desktop mostly does not fit: iterations, seconds. */
typedef struct { const char *name, *file; int iterations; double seconds; slip_real speed; } deadline_scene;

static const deadline_scene deadline_scenes[] = {
    { "wall", "models/bench/wall.xml", 200, 200e-6, 3 }, { "pile", "models/pile.xml", 400, 500e-6, 3 },
    { "dominoes", "models/dominoes.xml", 100, 100e-6, 2 }, { "pebbles", "models/pebbles.xml", 200, 200e-6, 2 },
    { "hand", "models/hand_cubes.xml", 60, 50e-6, 2 }, { "humanoid", "models/humanoid_fall.xml", 40, 50e-6, 3 },
    { "terrain", "models/solo12_rough.xml", 60, 50e-6, 3 }, { "four-bar", "models/four_bar.xml", 10, 10e-6, 3 },
    { "ratio", "models/stack_ratio.xml", 20, 20e-6, 1 }, { "gears", "models/gears.xml", 10, 10e-6, 3 } };
enum { DEADLINE_SCENES = (int)(sizeof deadline_scenes/sizeof *deadline_scenes) };

static const char deadline_solvers[] = "default,ncp-pgs,ncp-admm,ncp-path,ncp-staggered,lcp-lemke,ccp-newton";

typedef struct {
    long steps, late, other, failed, over;
    double worst, gain, overlap, untested, swept;
} deadline_row;

/* Energy less what drives and outer forces have put in [J]. */
static double deadline_energy(slip_world *w, double *kinetic)
{
    const slip_work work = slip_world_work(w);
    slip_real e[2];

    slip_world_energy(w, &e[0], &e[1]);
    *kinetic = (double)e[0];
    return (double)e[0] + (double)e[1] - work.drives - work.external;
}

/* One step, with its time from the clock that it is bounded by. */
static void deadline_step(slip_world *w, deadline_row *r)
{
    const slip_world_options *o = slip_world_options_of(w);
    const double before = cli_cpu_seconds();
    const slip_status s = slip_step(w);
    const double took = cli_cpu_seconds() - before;
    const slip_step_stats *t = slip_world_stats(w);
    const double over = o->step_seconds > 0 ? took - o->step_seconds
                      : o->step_iterations > 0 ? (double)(t->budget_taken - o->step_iterations) : 0;

    ++r->steps;
    r->late += s == SLIP_DEADLINE;
    r->other += s > SLIP_OK && s != SLIP_DEADLINE && s != SLIP_DROPPED;
    r->failed += s < 0;
    r->over += over > (o->step_seconds > 0 ? o->step_seconds/10 : 1);
    r->worst = fmax(r->worst, over);
    r->untested += t->untested;
    r->swept += t->replaced;
}

static void deadline_run(sim_session *s, const deadline_scene *c, long steps, deadline_row *r)
{
    slip_world *w = s->world;
    hostile h = hostile_begin(s->scene.q, s->scene.v, c->speed, DEADLINE_EVERY);
    double first = 0, kinetic = 0, most = 0, put = 0, still = 0, now;
    long k;

    for (k = 0; k < steps; ++k) {
        const int begins = hostile_before(&h, w) || k == 0;

        if (begins) first = deadline_energy(w, &most);
        if (begins && still > 0) r->gain = fmax(r->gain, still/(most + 1e-3)), still = 0;
        deadline_step(w, r);
        if (slip_world_stats(w)->status < 0) {
            hostile_restart(&h, w);
            first = deadline_energy(w, &most);
        }
        now = deadline_energy(w, &kinetic);
        if (begins) put = (double)slip_world_stats(w)->penetration;
        if (k < DEADLINE_EVERY - 1) still = fmax(still, now - first);    /* nothing has moved it yet */
        else r->gain = fmax(r->gain, (now - first)/(most + 1e-3));
        r->overlap = fmax(r->overlap, (double)slip_world_stats(w)->penetration - put);
    }
}

/* A line of the table: one scene, solver and kind of budget; 0 after a message. */
static int deadline_line(const deadline_scene *c, const slip_solver *solver, int kind, long steps)
{
    const int timed = kind == DEADLINE_TIME;
    sim_changes changes;
    slip_world_options *o;
    sim_session s;
    deadline_row r;

    memset(&changes, 0, sizeof changes);
    memset(&r, 0, sizeof r);
    changes.solve.list[0] = solver;
    changes.solve.count = 1;
    changes.quiet = 1;
    changes.budget = kind == DEADLINE_ITERATIONS ? c->iterations : 0;
    changes.deadline = kind == DEADLINE_TIME ? c->seconds : 0;
    if (!sim_open("bench deadline", c->file, &changes, &s)) return 0;
    o = slip_world_options_of(s.world);
    o->work = 1;
    deadline_run(&s, c, steps, &r);
    printf("| %s | %s | ", c->name, solver->id);
    if (kind == DEADLINE_NONE) printf("none | ");
    else if (timed) printf("%.0f us | ", 1e6*c->seconds);
    else printf("%d | ", c->iterations);
    printf("%.1f %% | %ld | %ld | %.0f (%.2f %%) | %.2g | %.3g | %.3g | %.2g |\n", 100.0*(double)r.late/(double)r.steps,
           r.other, r.failed, fmax(0, timed ? 1e6*r.worst : r.worst), 100.0*(double)r.over/(double)r.steps, r.gain,
           1e3*r.overlap, r.untested/(double)r.steps, r.swept/(double)r.steps);
    fflush(stdout);
    sim_close(&s);
    return 1;
}

/* Both budgets, and none for `default`: without one, pivoting and staggering take hours. */
static int deadline_lines(const deadline_scene *c, const slip_solver *solver, long steps)
{
    const int all = solver == &slip_solver_default;

    return (!all || deadline_line(c, solver, DEADLINE_NONE, steps))
        && deadline_line(c, solver, DEADLINE_ITERATIONS, steps) && deadline_line(c, solver, DEADLINE_TIME, steps);
}

/* ---- the machine ------------------------------------------------------------------------------------------- */

static int deadline_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* n multiplications and additions, each of which waits for the last one; and what they took [s]. */
static double deadline_turn(long n)
{
    const double before = cli_cpu_seconds();
    volatile double x = 1;

    while (n-- > 0) x = x*0.999 + 0.001;
    return cli_cpu_seconds() - before;
}

/* What interruptions and the caches that others fill do to a loop of constant work: no solver can keep a deadline on
 * this clock more often. */
static void deadline_machine(double seconds)
{
    enum { TURNS = 20000 };
    double *took = (double *)cli_alloc(TURNS*sizeof *took), least = 1;
    const long n = 10000;
    long late = 0;
    int i;

    for (i = 0; i < 100; ++i) least = fmin(least, deadline_turn(n));
    for (i = 0; i < TURNS; ++i) took[i] = deadline_turn((long)((double)n*seconds/least));
    qsort(took, TURNS, sizeof *took, deadline_compare);
    for (i = 0; i < TURNS; ++i) late += took[i] > 1.1*took[TURNS/2];
    printf("a loop of %.0f us: over by a tenth in %.2f %% of %d turns, at most by %.0f us\n", 1e6*took[TURNS/2],
           100.0*(double)late/TURNS, TURNS, 1e6*(took[TURNS - 1] - took[TURNS/2]));
    free(took);
}

/* Whether a name is in a list separated by commas; every name is in an empty one. */
static int deadline_listed(const char *list, const char *name)
{
    const size_t n = strlen(name);

    while (list && *list) {
        if (strncmp(list, name, n) == 0 && (list[n] == ',' || list[n] == '\0')) return 1;
        list += strcspn(list, ",");
        list += *list == ',';
    }
    return list == NULL;
}

int slip_bench_deadline(int argc, char **argv)
{
    const char *scenes = NULL, *solvers = deadline_solvers;
    int kind, steps = 1000, i, k;
    double seconds;
    cli_args args;

    cli_begin(&args, argc, argv);
    while ((kind = cli_next(&args)) != 0) {
        if (kind == 2) return cli_usage(&args, "unknown argument '%s'", args.value);
        if (cli_is(&args, "--help") || cli_is(&args, "-h")) return fputs(deadline_help, stdout), CLI_OK;
        if (cli_is(&args, "--steps")) { if (!cli_value_int(&args, 1, 100000000, &steps)) return CLI_USAGE; }
        else if (cli_is(&args, "--scenes")) { if (!(scenes = cli_value(&args))) return CLI_USAGE; }
        else if (cli_is(&args, "--solvers")) { if (!(solvers = cli_value(&args))) return CLI_USAGE; }
        else return cli_unknown(&args);
    }
    puts("| scene | solver | budget | late | other | failed | over | gain | overlap mm | untested | swept |\n"
         "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (i = 0; i < DEADLINE_SCENES; ++i)
        for (k = 0; k < slip_solver_count() && deadline_listed(scenes, deadline_scenes[i].name); ++k)
            if (deadline_listed(solvers, slip_solver_get(k)->id)
                && !deadline_lines(&deadline_scenes[i], slip_solver_get(k), steps)) return CLI_FAILED;
    putchar('\n');
    for (seconds = 10e-6; seconds < 1e-3; seconds *= 5) deadline_machine(seconds);
    return CLI_OK;
}
