/* Tables of a simulation as CSV: a row a step, a row a contact. */
#ifndef SLIP_TOOLS_SIM_CSV_H
#define SLIP_TOOLS_SIM_CSV_H

#include "sim_run.h"

/* One line of names, then one a step: time, q, v, contact force on each link with a shape (world axes), force and moment
 * of each loop, energies, contacts, penetration, residual, iterations. With torques, for each coordinate of v besides:
 * the applied force, the drive's, and that of contacts, limits and loops (tau_, drive_, constraint_) [N, N m].
 *   torques  room for 2 nv numbers, or NULL: without */
void report_csv_head(FILE *out, sim_session *s, int torques);
void report_csv_row(FILE *out, sim_session *s, slip_real *torques);

/* One line of names, then one for each contact of each step (docs/scenes.md has the columns and their units). */
void report_contacts_head(FILE *out);
void report_contacts_rows(FILE *out, const sim_session *s);

/* The name that a coordinate of q or v has there: "q_cube.x". */
void report_coordinate(const slip_model *model, int is_q, int index, char *text, size_t size);

#endif
