/* slipstick bench heap: what a step costs in heaps of more and more bodies, and how exact it is. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "generate.h"

static const char heap_help[] =
    "usage: slipstick bench heap [--shapes NAME] [--bodies N,N...] [--seed S] [--dt S] [--time S] [OPTIONS]\n\n"
    "Drops bodies from a grid into a tray, where they come to rest, and prints three lines for each number of bodies:\n"
    "for the first, the second and the last third of the time, in which they fall, settle and rest. Per step:\n\n"
    "  ms         processor time, all of it, and in the phases collide, assemble and solve\n"
    "  worst      the longest step\n"
    "  contacts   iter, fact: the mean; iterations of the solver, and its factorisations\n"
    "  residual   the largest, as the judge of the NCP measures it; missed: steps that did not meet the tolerance\n"
    "  overlap    the deepest of all steps [mm]\n"
    "  kB         memory of the world, each body\n\n"
    "Then the slopes of the three times against the number of bodies, on logarithmic axes.\n\n"
    "  --shapes NAME   boxes, balls or mixed (boxes)\n"
    "  --bodies N,...  numbers of bodies (100,300,1000)\n"
    "  --seed S        places, turns and masses (1)\n"
    "  --dt S, --time S   time step (0.005) and duration (1.5)\n"
    "  --json          one object per line\n";
static const char heap_example[] = "\nexample: slipstick bench heap --bodies 50,100 --time 0.6\n";

enum { HEAP_MOST = 16, HEAP_PARTS = 3 };
static const char *const heap_parts[HEAP_PARTS] = { "fall", "settle", "rest" };

typedef struct {
    const char *shapes;
    int bodies[HEAP_MOST], count, seed, json;
    sim_changes changes;
} heap_options;

/* Sums and worst values over the steps of a third of the time. */
typedef struct {
    long steps, missed;
    double seconds, phase[SLIP_PHASES], worst, contacts, iterations, factorizations, residual, overlap;
} heap_part;

static double heap_clock(void *unused)
{
    (void)unused;
    return cli_cpu_seconds();
}

/* One step, added to its third; 0, after a message, when it failed. */
static int heap_step(slip_world *w, heap_part *part)
{
    const double from = cli_cpu_seconds();
    const slip_status status = slip_step(w);
    const double took = cli_cpu_seconds() - from;
    const slip_step_stats *t = slip_world_stats(w);
    int i;

    if (status < 0) return cli_error(slip_world_error(w)), 0;
    ++part->steps;
    part->missed += status > SLIP_OK;
    part->seconds += took;
    part->worst = fmax(part->worst, took);
    for (i = 0; i < SLIP_PHASES; ++i) part->phase[i] += t->seconds[i];
    part->contacts += t->contacts;
    part->iterations += t->iterations;
    part->factorizations += t->factorizations;
    part->residual = fmax(part->residual, (double)t->residual.eps_abs);
    part->overlap = fmax(part->overlap, (double)t->penetration);
    return 1;
}

static void heap_head(void)
{
    printf("%-7s %-6s %8s %8s %8s %8s %8s %8s %7s %6s %9s %6s %8s %6s\n", "bodies", "part", "ms", "collide", "assemble",
           "solve", "worst", "contacts", "iter", "fact", "residual", "missed", "overlap", "kB");
}

static void heap_print(const heap_options *o, int bodies, const char *name, const heap_part *p, double bytes)
{
    const double n = (double)p->steps, ms = 1e3/n;

    printf(o->json ? "{\"shapes\": \"%s\", \"bodies\": %d, \"part\": \"%s\", \"ms\": %.4g, \"ms_collide\": %.4g, "
                     "\"ms_assemble\": %.4g, \"ms_solve\": %.4g, \"ms_worst\": %.4g, \"contacts\": %.4g, "
                     "\"iterations\": %.4g, \"factorizations\": %.4g, \"residual\": %.3g, \"missed\": %ld, "
                     "\"overlap_mm\": %.4g, \"kB_per_body\": %.4g}\n"
                   : "%.0s%-7d %-6s %8.3f %8.3f %8.3f %8.3f %8.3f %8.0f %7.1f %6.2f %9.2g %6ld %8.3f %6.1f\n",
           o->shapes, bodies, name, ms*p->seconds, ms*p->phase[SLIP_PHASE_COLLISION], ms*p->phase[SLIP_PHASE_ASSEMBLY],
           ms*p->phase[SLIP_PHASE_SOLVE], 1e3*p->worst, p->contacts/n, p->iterations/n, p->factorizations/n,
           p->residual, p->missed, 1e3*p->overlap, bytes/1e3/bodies);
    fflush(stdout);
}

/* A run with so many bodies; seconds a step of its thirds into `seconds`. */
static int heap_run(const heap_options *o, int bodies, double seconds[HEAP_PARTS])
{
    heap_part parts[HEAP_PARTS];
    sim_session s;
    long k;
    int i, ok = 1;

    memset(parts, 0, sizeof parts);
    if (!generate_heap("bench heap", o->shapes, bodies, o->seed, &o->changes, &s)) return 0;
    slip_world_options_of(s.world)->clock = heap_clock;
    for (k = 0; k < s.steps && ok; ++k) ok = heap_step(s.world, &parts[HEAP_PARTS*k/s.steps]);
    for (i = 0; i < HEAP_PARTS && ok; ++i) {
        heap_print(o, bodies, heap_parts[i], &parts[i], (double)s.world_bytes);
        seconds[i] = parts[i].seconds/(double)parts[i].steps;
    }
    sim_close(&s);
    return ok;
}

/* The slope of log seconds against log bodies, by least squares. */
static double heap_slope(const heap_options *o, double seconds[][HEAP_PARTS], int part)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    int i;

    for (i = 0; i < o->count; ++i) {
        const double a = log(o->bodies[i]), b = log(seconds[i][part]);

        x += a;
        y += b;
        xx += a*a;
        xy += a*b;
    }
    return (o->count*xy - x*y)/(o->count*xx - x*x);
}

static int heap_run_all(const heap_options *o)
{
    double seconds[HEAP_MOST][HEAP_PARTS];
    int i;

    if (!o->json) heap_head();
    for (i = 0; i < o->count; ++i)
        if (!heap_run(o, o->bodies[i], seconds[i])) return CLI_FAILED;
    if (o->json || o->count < 2) return CLI_OK;
    printf("slope");
    for (i = 0; i < HEAP_PARTS; ++i) printf("  %s %.2f", heap_parts[i], heap_slope(o, seconds, i));
    printf("\n");
    return CLI_OK;
}

/* "100,300" into o->bodies; 0 after a message. */
static int heap_read_bodies(cli_args *args, heap_options *o)
{
    const char *at = cli_value(args);

    for (o->count = 0; at && o->count < HEAP_MOST; ++at) {
        char *end;
        const long n = strtol(at, &end, 10);

        if (end == at || n < 2 || n > 10000 || (*end != ',' && *end != '\0'))
            return cli_usage(args, "'%s' is no list of numbers of bodies, 2 to 10000", at), 0;
        o->bodies[o->count++] = (int)n;
        at = end;
        if (*at == '\0') return 1;
    }
    return at ? (cli_usage(args, "more than %d numbers of bodies", HEAP_MOST), 0) : 0;
}

static void heap_print_help(void)
{
    fputs(heap_help, stdout);
    fputs(solver_args_help_solver, stdout);
    fputs(solver_args_help_options, stdout);
    fputs(heap_example, stdout);
}

static int heap_read(int argc, char **argv, heap_options *o)
{
    cli_args args;
    int what, ok = 1;

    cli_begin(&args, argc, argv);
    while (ok && (what = cli_next(&args)) != 0) {
        if (what == 2) return cli_usage(&args, "unexpected argument '%s'", args.value);
        if (cli_is(&args, "--help") || cli_is(&args, "-h")) return heap_print_help(), -1;
        if (cli_is(&args, "--shapes")) ok = (o->shapes = cli_value(&args)) != NULL;
        else if (cli_is(&args, "--bodies")) ok = heap_read_bodies(&args, o);
        else if (cli_is(&args, "--seed")) ok = cli_value_int(&args, 0, 1000000, &o->seed);
        else if (cli_is(&args, "--dt")) ok = cli_value_real(&args, 1e-6, 0.1, &o->changes.dt);
        else if (cli_is(&args, "--time")) ok = cli_value_real(&args, 1e-3, 1e3, &o->changes.time);
        else if (cli_is(&args, "--json")) o->json = 1;
        else if ((ok = solver_args_take(&args, &o->changes.solve)) == 0) return cli_unknown(&args);
        else ok = ok > 0;
    }
    if (ok) ok = solver_args_one(&args, &o->changes.solve);
    return ok ? CLI_OK : CLI_USAGE;
}

int slip_bench_heap(int argc, char **argv)
{
    heap_options o;
    int code;

    memset(&o, 0, sizeof o);
    o.shapes = "boxes";
    o.bodies[0] = 100;
    o.bodies[1] = 300;
    o.bodies[2] = 1000;
    o.count = 3;
    o.seed = 1;
    o.changes.quiet = 1;
    code = heap_read(argc, argv, &o);
    if (code == CLI_OK) code = heap_run_all(&o);
    return code < 0 ? CLI_OK : code;
}
