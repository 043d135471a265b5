/* Tables of a simulation as CSV, a row a step. */
#ifndef SLIP_TOOLS_SIM_CSV_H
#define SLIP_TOOLS_SIM_CSV_H

#include "sim_run.h"

/* One line of names, then one a step: time, q, v, contact force on each link with a shape (world axes),
 * energies, contacts, penetration, residual, iterations. */
void report_csv_head(FILE *out, sim_session *s);
void report_csv_row(FILE *out, sim_session *s);

/* The name that a coordinate of q or v has there: "q_cube.x". */
void report_coordinate(const slip_model *model, int is_q, int index, char *text, size_t size);

#endif
