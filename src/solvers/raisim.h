/* The loop that the solvers of RaiSim's contact model share. Private to src/solvers. */
#ifndef SLIP_SOLVERS_RAISIM_H
#define SLIP_SOLVERS_RAISIM_H

#include "solvers/local.h"
#include "solvers/solver.h"

/* HW Alg. 2 with a method for the sliding contact of line 8. */
slip_status slip_raisim_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                              slip_arena *scratch, slip_slide_method *method);

#endif
