/* slipstick bench broadphase, and the second part of bench collision: time of one frame (moves, update, pairs) against
 * the number of boxes. Unit boxes at a density of about two overlaps a box. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "geom/broadphase.h"

static const char broad_help[] =
    "usage: slipstick bench broadphase [--json] [--most N]\n\n"
    "Microseconds per frame (moves, update, pairs), best of many, against the number of boxes, all of which move:\n"
    "  first              building it\n"
    "  drift, fast, jump  each box by up to 1 mm, by up to 20 mm, anywhere\n"
    "  two loops          every box against every other, instead\n"
    "and for the jump, after which the tree is built anew, per n log2 n: nanoseconds, and tests of two boxes.\n\n"
    "  --json    one object per row, in nanoseconds\n"
    "  --most N  no more than N boxes (default 100000)\n\n"
    "example: slipstick bench broadphase --most 1000\n";

typedef struct {
    int n;
    slip_real half;          /* half width of the world [m]         */
    slip_real *x, *v;        /* centres, displacements a frame [m]  */
    slip_broadphase *bp;
    slip_random rng;
} broad_world;

static void broad_box(const broad_world *w, int i, slip_real lo[3], slip_real hi[3])
{
    int k;

    for (k = 0; k < 3; ++k) {
        lo[k] = w->x[3*i + k] - SLIP_R(0.5);
        hi[k] = w->x[3*i + k] + SLIP_R(0.5);
    }
}

static void broad_place(broad_world *w)
{
    int i;

    for (i = 0; i < 3*w->n; ++i) w->x[i] = slip_random_uniform(&w->rng, -w->half, w->half);
}

static void broad_update(broad_world *w)
{
    slip_real lo[3], hi[3];
    int i;

    for (i = 0; i < w->n; ++i) {
        broad_box(w, i, lo, hi);
        slip_broadphase_move(w->bp, i, lo, hi);
    }
    slip_broadphase_update(w->bp);
}

/* A frame in which all boxes drift, turning back at the walls. */
static void broad_drift(void *context)
{
    broad_world *w = (broad_world *)context;
    int i;

    for (i = 0; i < 3*w->n; ++i) {
        w->x[i] += w->v[i];
        if (slip_abs(w->x[i]) > w->half) w->v[i] = -slip_copysign(w->v[i], w->x[i]);
    }
    broad_update(w);
}

/* A frame in which all boxes jump anywhere. */
static void broad_jump(void *context)
{
    broad_world *w = (broad_world *)context;

    broad_place(w);
    broad_update(w);
}

static volatile int broad_sink;

/* Two loops over all boxes, for comparison with the broad phase. */
static void broad_brute(void *context)
{
    const broad_world *w = (const broad_world *)context;
    int i, j, n = 0;

    for (i = 0; i < w->n; ++i)
        for (j = i + 1; j < w->n; ++j) {
            const slip_real *a = w->x + 3*i, *b = w->x + 3*j;

            n += (slip_abs(a[0] - b[0]) <= 1) & (slip_abs(a[1] - b[1]) <= 1) & (slip_abs(a[2] - b[2]) <= 1);
        }
    broad_sink = n;
}

typedef struct {
    int n, pairs;
    double first, drift, fast, jump, brute;      /* [ns]; brute 0: not run */
    double tests;                                /* of the last jump       */
} broad_times;

static void broad_time(int n, broad_times *t)
{
    const int pairs = 12*n + 100, batches = n > 20000 ? 5 : n > 2000 ? 15 : 60;
    const size_t bytes = slip_broadphase_bytes(n, pairs, 0);
    void *block = cli_alloc(bytes), *reals = cli_alloc(6*(size_t)n*sizeof(slip_real));
    slip_arena arena = slip_arena_over(block, bytes);
    slip_proxy proxy = slip_proxy_defaults();
    broad_world w;
    slip_real lo[3], hi[3];
    int i;

    w.n = t->n = n;
    w.half = slip_cbrt((slip_real)n/2);                  /* 8 overlapping centres a box volume: 4 n/(2 half)^3 = 1 */
    w.x = (slip_real *)reals;
    w.v = w.x + 3*n;
    w.rng = slip_random_seed(1);
    broad_place(&w);
    for (i = 0; i < 3*n; ++i) w.v[i] = slip_random_uniform(&w.rng, SLIP_R(-0.001), SLIP_R(0.001));
    slip_broadphase_create(n, pairs, 0, &arena, &w.bp);
    t->first = cli_seconds();
    for (i = 0; i < n; ++i) {
        broad_box(&w, i, lo, hi);
        slip_broadphase_add(w.bp, &proxy, lo, hi);
    }
    slip_broadphase_update(w.bp);
    t->first = 1e9*(cli_seconds() - t->first);
    slip_broadphase_pairs(w.bp, &t->pairs);
    t->drift = bench_run(broad_drift, &w, 1, 4*batches).best_ns;
    for (i = 0; i < 3*n; ++i) w.v[i] *= 20;
    t->fast = bench_run(broad_drift, &w, 1, 4*batches).best_ns;
    t->jump = bench_run(broad_jump, &w, 1, batches).best_ns;
    t->tests = (double)slip_broadphase_tests(w.bp);
    t->brute = n <= 10000 ? bench_run(broad_brute, &w, 1, n > 2000 ? 3 : batches).best_ns : 0;
    free(reals);
    free(block);
}

static void broad_print(const broad_times *t, int json)
{
    const double each = t->n*log2(t->n);

    if (json) {
        printf("{\"part\":\"broad\",\"boxes\":%d,\"pairs\":%d,\"first_ns\":%.0f,\"drift_ns\":%.0f,\"fast_ns\":%.0f,"
               "\"jump_ns\":%.0f,\"jump_tests\":%.0f,\"jump_ns_per_nlogn\":%.3f", t->n, t->pairs, t->first, t->drift,
               t->fast, t->jump, t->tests, t->jump/each);
        if (t->brute > 0) printf(",\"two_loops_ns\":%.0f", t->brute);
        puts("}");
        return;
    }
    printf("%8d %9d %11.1f %11.1f %11.1f %11.1f", t->n, t->pairs, 1e-3*t->first, 1e-3*t->drift, 1e-3*t->fast,
           1e-3*t->jump);
    if (t->brute > 0) printf(" %11.1f", 1e-3*t->brute);
    else              printf(" %11s", "-");
    printf(" %9.2f %9.2f\n", t->jump/each, t->tests/each);
}

void slip_bench_broadphase_rows(int json, int most)
{
    static const int sizes[] = { 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000 };
    size_t i;

    if (!json)
        printf("broad phase [us per frame, best]: all boxes move by up to 1 mm (drift), 20 mm (fast), anywhere "
               "(jump);\n"
               "the jump per n log2 n in ns and in tests of two boxes\n"
               "%8s %9s %11s %11s %11s %11s %11s %9s %9s\n", "boxes", "pairs", "first", "drift", "fast", "jump",
               "two loops", "ns/nlogn", "t/nlogn");
    for (i = 0; i < sizeof sizes/sizeof *sizes && sizes[i] <= most; ++i) {
        broad_times t;

        broad_time(sizes[i], &t);
        broad_print(&t, json);
    }
}

int slip_bench_broadphase(int argc, char **argv)
{
    int json = 0, most = 100000, what;
    cli_args args;

    cli_begin(&args, argc, argv);
    while ((what = cli_next(&args)) != 0) {
        if (what == 2) return cli_usage(&args, "unexpected argument '%s'", args.value);
        else if (cli_is(&args, "--help")) return fputs(broad_help, stdout), CLI_OK;
        else if (cli_is(&args, "--json")) json = 1;
        else if (cli_is(&args, "--most")) { if (!cli_value_int(&args, 10, 100000, &most)) return CLI_USAGE; }
        else return cli_unknown(&args);
    }
    slip_bench_broadphase_rows(json, most);
    return CLI_OK;
}
