/* Proximal ADMM on the NCP (CR Alg. 1); see ncp_admm.c and docs/solvers/ncp-admm.md. */
#ifndef SLIP_SOLVERS_NCP_ADMM_H
#define SLIP_SOLVERS_NCP_ADMM_H

#include "solvers/solver.h"

/* max_iterations is 50000 by default. Uses lambda, dual and rho of a warm start. */
slip_status slip_ncp_admm(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                          slip_arena *scratch);
size_t slip_ncp_admm_bytes(const slip_problem *p, const slip_solver_options *opt);

#endif
