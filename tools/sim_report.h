/* Results of a simulation: summary for people, JSON for programs. */
#ifndef SLIP_TOOLS_SIM_REPORT_H
#define SLIP_TOOLS_SIM_REPORT_H

#include "sim_run.h"

/* Times of repeated runs, and whether all of them ended in the same state. */
typedef struct {
    double *us_per_step;             /* CPU, one a run */
    int runs;
    slip_real *first;                /* the state, q and v, that the first run ended in */
    int identical;
    double best, median;
} sim_timing;

void report_timing_begin(sim_timing *timing, int runs);
void report_timing_add(sim_timing *timing, sim_session *s, const sim_result *result, int run);
void report_timing_end(sim_timing *timing);

void report_summary(FILE *out, sim_session *s, const sim_result *r, sim_timing *timing);
void report_json(FILE *out, sim_session *s, const sim_result *r, sim_timing *timing, int seed);

#endif
