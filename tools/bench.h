/* The parts of `slipstick bench`, and timing in batches, which they share. */
#ifndef SLIP_TOOLS_BENCH_H
#define SLIP_TOOLS_BENCH_H

#include "cli.h"

/* Best and median over many batches, per call [ns]. */
typedef struct { double best_ns, median_ns; } bench_time;

/* Times `call`, which does `calls` calls of the thing measured each time it is invoked, in `batches`
 * batches after one to warm up. */
bench_time bench_run(void (*call)(void *context), void *context, int calls, int batches);

int slip_bench_dynamics(int argc, char **argv);
int slip_bench_broadphase(int argc, char **argv);
int slip_bench_inverse(int argc, char **argv);
int slip_bench_collision(int argc, char **argv);

/* The pair queries alone: pairs from a file (NULL: made up); the broad phase alone, up to `most` boxes. As a table or
 * as JSON. */
int slip_bench_collision_narrow(const char *path, int json, int batches);
void slip_bench_broadphase_rows(int json, int most);
int slip_bench_solvers(int argc, char **argv);
int slip_bench_sim(int argc, char **argv);
int slip_bench_heap(int argc, char **argv);
int slip_bench_table(int argc, char **argv);
int slip_bench_simbenchmark(int argc, char **argv);
int slip_bench_iftomm(int argc, char **argv);
int slip_bench_order(int argc, char **argv);
int slip_bench_deadline(int argc, char **argv);
int slip_bench_derivatives(int argc, char **argv);

#endif
