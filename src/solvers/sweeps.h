/* The sweeps of default: one block after another is solved exactly, the others held. Private to src/solvers.
 *
 * Where G = Y Y' is known they work on v = Y' lambda, the velocities of the coordinates: a contact between two free
 * bodies then takes 36 numbers of Y and 12 of v, however many contacts its bodies have, and G is not touched. */
#ifndef SLIP_SOLVERS_SWEEPS_H
#define SLIP_SOLVERS_SWEEPS_H

#include "solvers/local.h"

typedef struct {
    slip_problem p;              /* the problem, in the FACTOR form where Y is known, v being p.G.work          */
    slip_local *contact;         /* nc                                                                          */
    slip_real *scalar;           /* nl + nb: 1/(G + R)_ii                                                       */
    slip_sweep sweep;
    int closed, turned;          /* contacts with an impulse after the last sweep; those it has opened or closed */
} slip_sweeps;

/* Memory, left in arena->failed when there is none. */
void slip_sweeps_carve(slip_sweeps *s, const slip_problem *p, slip_arena *arena);

/* Factors of the diagonal blocks, and v for the impulses lambda (n), which later sweeps change. */
void slip_sweeps_begin(slip_sweeps *s, slip_real *lambda);

/* One sweep over all blocks. Returns the largest change [m/s]. */
slip_real slip_sweeps_once(slip_sweeps *s);

#endif
