/* Timing in batches: best and median. See bench.h. */
#include "bench.h"

#include <stdlib.h>

static int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

bench_time bench_run(void (*call)(void *context), void *context, int calls, int batches)
{
    double *t = (double *)cli_alloc((size_t)batches*sizeof *t);
    bench_time out;
    int i;

    call(context);
    for (i = 0; i < batches; ++i) {
        const double start = cli_seconds();

        call(context);
        t[i] = (cli_seconds() - start)*1e9/calls;
    }
    qsort(t, (size_t)batches, sizeof *t, bench_compare);
    out.best_ns = t[0];
    out.median_ns = t[batches/2];
    free(t);
    return out;
}
