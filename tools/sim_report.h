/* Results of a simulation: summary for people, JSON and CSV for programs. */
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

/* One line of names, then one a step: time, q, v, contact force on each link with a shape (world axes),
 * energies, contacts, penetration, residual, iterations. */
void report_csv_head(FILE *out, sim_session *s);
void report_csv_row(FILE *out, sim_session *s);

/* The name that a coordinate of q or v has there: "q_cube.x". */
void report_coordinate(const slip_model *model, int is_q, int index, char *text, size_t size);

#endif
