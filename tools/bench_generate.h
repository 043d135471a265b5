/* slipstick bench solvers --generate. */
#ifndef SLIP_TOOLS_BENCH_GENERATE_H
#define SLIP_TOOLS_BENCH_GENERATE_H

#include "bench.h"

enum { BENCH_GENERATE_MOST = 32 };

typedef struct {
    const char *kinds[BENCH_GENERATE_MOST];
    int contacts[BENCH_GENERATE_MOST], seeds[1000];
    int nkinds, ncontacts, nseeds;
    const slip_solver *solvers[2*BENCH_GENERATE_MOST];
    const char *names[2*BENCH_GENERATE_MOST];             /* ids, or engines                  */
    slip_solver_options opts[2*BENCH_GENERATE_MOST];
    int nsolvers;
    double time;                             /* [s] to spend on repeating a solve                */
    double limit;                            /* [s] for one solve                                */
} bench_generate;

/* Prints a row for each problem, start and solver, then the summary. */
int bench_generate_run(const bench_generate *g);

#endif
