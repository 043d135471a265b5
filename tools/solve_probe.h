/* Solvers around a solver, for measurements: one that shows each problem and its solution to an observer (internal
 * forces, a second solve of the same problem), one that takes the time, and one that iterates before it judges. One at
 * a time. */
#ifndef SLIP_TOOLS_SOLVE_PROBE_H
#define SLIP_TOOLS_SOLVE_PROBE_H

#include "cli.h"

/* Called after each solve with its outcome; may use what is left of the scratch, and leaves p and sol as they are. */
typedef void solve_observer(void *context, const slip_problem *p, const slip_solver_options *opt,
                            const slip_solution *sol, slip_arena *scratch);

/* The solver to pass on: `solver` with this observer, valid until the next call. room: scratch in bytes that the
 * observer may use beyond that of the solver. */
const slip_solver *solve_probe(const slip_solver *solver, size_t room, solve_observer *observer, void *context);

/* Solves `repeats` times from the same start, which is sol's; the least processor time [s] of one, which other programs
 * on the machine disturb least. Scratch: the solver's and solve_best_bytes(). */
double solve_best(const slip_solver *solver, const slip_problem *p, const slip_solver_options *opt, int repeats,
                  slip_solution *sol, slip_arena *scratch, slip_status *status);
size_t solve_best_bytes(const slip_problem *p);

/* What solves cost, as sums: least processor time of the repeats [s]; iterations, contacts, solves; and, on no
 * machine's clock, operations: 2 n^2 for the products or the triangles of an iteration, n^3/3 for each factorisation,
 * of n rows. */
typedef struct { int repeats; double seconds, iterations, operations, contacts, solves; } solve_cost;

/* `solver` that adds the cost of each solve to *cost, whose `repeats` the caller sets; valid until the next call. */
const slip_solver *solve_timed(const slip_solver *solver, solve_cost *cost);

/* `solver`, one of sweeps, with at least one sweep whatever the warm start is worth, as a loop does that sweeps first
 * and tests the residual afterwards; valid until the next call. (Ours accept a warm start that meets the tolerance, and
 * return the best iterate instead of the last.) */
const slip_solver *solve_sweep_first(const slip_solver *solver);

#endif
