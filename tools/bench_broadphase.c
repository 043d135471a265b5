/* slipstick bench collision, broad phase: time of one frame (moves, update, pairs) against the number of
 * boxes. Unit boxes at a density of about two overlaps a box. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include "geom/broadphase.h"

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

/* Two loops over all boxes: what there would be without a broad phase. */
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

static void broad_row(int n)
{
    const int pairs = 12*n + 100, batches = n > 20000 ? 5 : n > 2000 ? 15 : 60;
    const size_t bytes = slip_broadphase_bytes(n, pairs, 0);
    void *block = cli_alloc(bytes), *reals = cli_alloc(6*(size_t)n*sizeof(slip_real));
    slip_arena arena = slip_arena_over(block, bytes);
    slip_proxy proxy = slip_proxy_default();
    broad_world w;
    slip_real lo[3], hi[3];
    double first, drift, fast, jump;
    int i, found;

    w.n = n;
    w.half = slip_cbrt((slip_real)n/2);                  /* 8 overlapping centres a box volume: 4 n/(2 half)^3 = 1 */
    w.x = (slip_real *)reals;
    w.v = w.x + 3*n;
    w.rng = slip_random_seed(1);
    broad_place(&w);
    for (i = 0; i < 3*n; ++i) w.v[i] = slip_random_uniform(&w.rng, SLIP_R(-0.001), SLIP_R(0.001));
    slip_broadphase_create(n, pairs, 0, &arena, &w.bp);
    first = cli_seconds();
    for (i = 0; i < n; ++i) {
        broad_box(&w, i, lo, hi);
        slip_broadphase_add(w.bp, &proxy, lo, hi);
    }
    slip_broadphase_update(w.bp);
    first = cli_seconds() - first;
    slip_broadphase_pairs(w.bp, &found);
    drift = bench_run(broad_drift, &w, 1, 4*batches).best_ns;
    for (i = 0; i < 3*n; ++i) w.v[i] *= 20;
    fast = bench_run(broad_drift, &w, 1, 4*batches).best_ns;
    jump = bench_run(broad_jump, &w, 1, batches).best_ns;
    printf("%8d %9d %12.1f %12.1f %12.1f %12.1f", n, found, 1e6*first, 1e-3*drift, 1e-3*fast, 1e-3*jump);
    if (n <= 10000) printf(" %12.1f\n", 1e-3*bench_run(broad_brute, &w, 1, n > 2000 ? 3 : batches).best_ns);
    else            printf(" %12s\n", "-");
    free(reals);
    free(block);
}

int slip_bench_broadphase(int argc, char **argv)
{
    static const int sizes[] = { 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000 };
    size_t i;

    (void)argc;
    (void)argv;
    printf("broad phase [us per frame, best]: all boxes move by up to 1 mm (drift), 20 mm (fast), anywhere (jump)\n"
           "%8s %9s %12s %12s %12s %12s %12s\n", "boxes", "pairs", "first", "drift", "fast", "jump", "two loops");
    for (i = 0; i < sizeof sizes/sizeof *sizes; ++i) broad_row(sizes[i]);
    return CLI_OK;
}
