/* The code around the loops of the two staggered solvers: the normal and the tangential rows of a problem as two convex
 * problems, when to stop, the best iterate. The loops of LL Alg. 6 are in ncp_staggered.c and lcp_staggered.c.
 * Private to src/solvers.
 *
 * Limits and bilateral rows belong to the normal problem, as half-lines and lines. The convex problems are solved by
 * prox_newton.c, in scaled units (scaled.h), from the last impulses: where a minimum is not unique it returns the one
 * next to them, so that no internal forces are added (LL Tab. II). */
#ifndef SLIP_SOLVERS_STAGGERED_H
#define SLIP_SOLVERS_STAGGERED_H

#include "solvers/prox_newton.h"
#include "solvers/scaled.h"
#include "solvers/solver.h"

typedef struct {
    slip_prox_newton q;
    int *rows;                         /* rows of p behind each row of q                             */
} slip_stagger;

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_contact_model model;
    slip_scaling scale;
    slip_stagger N, T;
    slip_real *x;                      /* n: scaled impulses                                         */
    slip_real *base, *sub;             /* n: right-hand side and unknown of the problem at hand      */
    slip_real *lambda, *sigma, *best;
    slip_residual residual;
    slip_real excess, mark;            /* the best excess; its value at the last progress            */
    int rounds, since;
    slip_status status;
} slip_staggered;

/* Lines 2 and 4: base = the velocity of the problem's rows without their own impulses, for G as given. */
void slip_staggered_free_velocity(slip_staggered *w, const slip_stagger *s);

/* Lines 3 and 5: the problem's impulses <- argmin of 1/2 l'G l + base'l over its sets. */
void slip_staggered_minimise(slip_staggered *w, slip_stagger *s);

/* The tangential sets of line 5: radius mu lambda_N each. */
void slip_staggered_set_radii(slip_staggered *w);

/* Ends a round: counts, judges, calls the history callback, checks for a stall. 0 to stop with w->status. */
int slip_staggered_end_round(slip_staggered *w);

/* A whole solve around `loop`, of at most `most` rounds. `section` is the set of lambda_T: disc or box. */
typedef slip_status slip_staggered_loop(slip_staggered *w, int most);
slip_status slip_staggered_solve(const slip_problem *p, const slip_solver_options *opt, slip_contact_model model,
                                 slip_set_kind section, slip_staggered_loop *loop, slip_solution *sol,
                                 slip_arena *scratch);
slip_work_function slip_staggered_work;
slip_bytes_function slip_staggered_bytes;

#endif
