/* Staggered projections, for the cone and for the pyramid; see staggered.c. Private to src/solvers. */
#ifndef SLIP_SOLVERS_STAGGERED_H
#define SLIP_SOLVERS_STAGGERED_H

#include "solvers/solver.h"

/* model: SLIP_MODEL_NCP (discs) or SLIP_MODEL_LCP (squares). */
slip_status slip_staggered_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                 slip_arena *scratch, slip_model_kind model);
size_t      slip_staggered_bytes(const slip_problem *p);

#endif
