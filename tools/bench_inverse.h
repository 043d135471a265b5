/* Inverse contact models timed, for `bench inverse` and for the papers' Tab. 1 of TO. */
#ifndef SLIP_TOOLS_BENCH_INVERSE_H
#define SLIP_TOOLS_BENCH_INVERSE_H

#include "bench.h"

enum { BENCH_INVERSE_CONTACTS = 20,          /* at most                                                     */
       BENCH_INVERSE_TABLE = 4 };

/* TO Tab. 1: evaluations per second in a single thread of 3 GHz, 2008. */
typedef struct { int contacts; double per_second; } bench_inverse_printed;
extern const bench_inverse_printed bench_inverse_table[BENCH_INVERSE_TABLE];

/* Times of one evaluation, best of many batches over 64 problems [ns], and mean Newton iterations, from cold. */
typedef struct {
    int contacts;
    double barrier_ns, prox_ns;              /* inverse: id-barrier, id-prox                                */
    double forward_ns;                       /* ccp-barrier                                                 */
    double iterations;                       /* of id-barrier's slowest contact                             */
    double forward_iterations;               /* of ccp-barrier                                              */
} bench_inverse_row;

void bench_inverse_measure(int contacts, int batches, bench_inverse_row *row);

#endif
