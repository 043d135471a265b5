/* The solver that runs when none is named: Newton and ADMM taking turns. See default.c. */
#ifndef SLIP_SOLVERS_DEFAULT_H
#define SLIP_SOLVERS_DEFAULT_H

#include "solvers/solver.h"

/* iterations counts Newton steps and ADMM iterations together; 50000 at most by default. */
slip_status slip_default(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch);
size_t slip_default_bytes(const slip_problem *p, const slip_solver_options *opt);

#endif
