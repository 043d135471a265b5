/* The inverse of ccp-barrier: Todorov's model from contact velocities to impulses (TO Sec. III-B). The problem is that
 * of the forward model except for p->g, which holds the desired velocities v = G f + g, without corrections: those are
 * in p->vmin. slip_id_result is that of id.h. */
#ifndef SLIP_SOLVERS_ID_BARRIER_H
#define SLIP_SOLVERS_ID_BARRIER_H

#include "solvers/id.h"
#include "solvers/solver.h"

/* t and s of ccp-barrier (solver.h). */
slip_id_barrier_options slip_id_barrier_defaults(void);

/* f = lambda (p->n) that minimises 1/2 f'R f + B1(f) + f'(v + G B2'(v)), TO eq. 23: ccp-barrier started from
 * g = v - G f finds f again. B2 is elastic, for all rows, when some velocity violates v_min: finite impulses for any v
 * (result->elastic). R > 0 makes f unique; rows with R = 0 are taken while a minimum exists.
 *   lambda  p->n, output only      work  2 p->n, scratch      result  may be NULL
 * Bilateral rows need R > 0: f = -y/R. One product with G, then O(nc).
 * SLIP_OK; SLIP_MAX_ITERS. SLIP_DIVERGED: result->diverged blocks have no minimum (R = 0 and y not inside the dual
 * cone); their lambda is 0. SLIP_ERR_ARGUMENT: bad numbers, outputs untouched. */
slip_status slip_id_barrier(const slip_problem *p, const slip_id_barrier_options *opt, slip_real *lambda,
                            slip_real *work, slip_id_result *result);

/* Derivative of f of slip_id_barrier() by v: D (n x n, row-major) = df/dv = -(R + B1'')^-1 (I + G B2''), by the
 * implicit function theorem. lambda is that f; a block whose lambda is not inside its cone gives rows of zeros. work: 2
 * p->n. */
void slip_id_barrier_jacobian(const slip_problem *p, const slip_id_barrier_options *opt, const slip_real *lambda,
                              slip_real *work, slip_real *D);

/* Forward, from soft to hard: ccp-barrier for `steps` weights falling geometrically from t_soft to t_hard, each solved
 * from the last one's answer. visit (may be NULL) is called after each with its weight and answer; non-zero stops.
 * sol as for slip_ccp_barrier, scratch of slip_ccp_barrier_bytes(). The status of the last solve. */
slip_status slip_barrier_continuation(const slip_problem *p, const slip_solver_options *opt, slip_real t_soft,
                                      slip_real t_hard, int steps, slip_solution *sol, slip_arena *scratch,
                                      int (*visit)(void *context, slip_real t, const slip_solution *sol),
                                      void *context);

#endif
