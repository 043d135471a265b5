/* Semi-smooth Newton on the NCP; see ncp_newton.c and docs/solvers/ncp-newton.md. */
#ifndef SLIP_SOLVERS_NCP_NEWTON_H
#define SLIP_SOLVERS_NCP_NEWTON_H

#include "solvers/solver.h"

#define SLIP_NCP_NEWTON_TAKES (SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE)

/* max_iterations counts Newton steps, 300 by default. Uses lambda of a warm start. */
slip_status slip_ncp_newton(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                            slip_arena *scratch);
size_t slip_ncp_newton_bytes(const slip_problem *p, const slip_solver_options *opt);

#endif
