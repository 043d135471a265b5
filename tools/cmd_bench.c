/* slipstick bench: timings of every layer. Each part lives in its own file; this one finds it. */
#include "cli.h"

#include <string.h>
#include "bench.h"

static const char bench_help[] =
    "usage: slipstick bench [PART] [ARGUMENTS]\n\n"
    "Times the layers of the library; without PART, those down to sim. Build with NATIVE=1 for the best\n"
    "figures.\n\n";

typedef struct {
    const char *name, *about;    /* the name as messages give it: after "bench " */
    int (*run)(int argc, char **argv);
    int by_name;                 /* runs for minutes or needs arguments: left out when all parts run */
} bench_part;

static const bench_part bench_parts[] = {
    { "bench dynamics", "kinematics, Jacobians, RNEA, CRBA, LTL, ABA, M^-1 per model", slip_bench_dynamics, 0 },
    { "bench broadphase", "time of a frame against the number of boxes", slip_bench_broadphase, 0 },
    { "bench inverse", "inverse dynamics in contact space, evaluations per second", slip_bench_inverse, 0 },
    { "bench collision", "distance of two shapes, by kinds, apart and overlapping", slip_bench_collision, 0 },
    { "bench solvers", "contact solvers on problems from files or made up, performance profiles", slip_bench_solvers,
      0 },
    { "bench sim", "steps of whole scenes", slip_bench_sim, 0 },
    { "bench heap", "a step of growing heaps by phase: time, accuracy, memory", slip_bench_heap, 1 },
    { "bench table", "tables of the papers measured again: LL-tab4, HW-tab1, HW-tab2", slip_bench_table, 1 },
    { "bench simbenchmark", "errors and times on SimBenchmark's scenes, beside five engines'", slip_bench_simbenchmark, 1 },
    { "bench iftomm", "pendulum and four-bars of the IFToMM library against their references", slip_bench_iftomm, 1 },
    { "bench order", "order of convergence of the integrators", slip_bench_order, 1 },
    { "bench deadline", "budgets of steps in kicked scenes: overruns, energy, overlap", slip_bench_deadline, 1 },
    { "bench derivatives", "derivatives of steps against differences, at random states", slip_bench_derivatives, 1 },
};
enum { BENCH_PARTS = (int)(sizeof bench_parts/sizeof *bench_parts) };

static void bench_print_help(FILE *out)
{
    int i;

    fputs(bench_help, out);
    for (i = 0; i < BENCH_PARTS; ++i) fprintf(out, "  %-12s %s\n", bench_parts[i].name + 6, bench_parts[i].about);
    fputs("\nexample: slipstick bench dynamics models/double_pendulum.urdf\n", out);
}

int slip_cmd_bench(int argc, char **argv)
{
    int i, worst = CLI_OK;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        bench_print_help(stdout);
        return CLI_OK;
    }
    for (i = 0; i < BENCH_PARTS; ++i) {
        char *all[2] = { (char *)0, (char *)0 };

        all[0] = (char *)bench_parts[i].name;
        if (argc > 1 && strcmp(argv[1], bench_parts[i].name + 6) == 0) {
            argv[1] = all[0];
            return bench_parts[i].run(argc - 1, argv + 1);
        }
        if (argc > 1 || bench_parts[i].by_name) continue;
        {
            const int rc = bench_parts[i].run(1, all);

            worst = rc > worst ? rc : worst;
        }
    }
    if (argc <= 1) return worst;
    fprintf(stderr, "slipstick bench: unknown part '%s'\n", argv[1]);
    bench_print_help(stderr);
    return CLI_USAGE;
}
