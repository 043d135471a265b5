/* Proximal ADMM on the CCP (LL Alg. 3); see ccp_admm.c and docs/solvers/ccp-admm.md. */
#ifndef SLIP_SOLVERS_CCP_ADMM_H
#define SLIP_SOLVERS_CCP_ADMM_H

#include "solvers/solver.h"

/* max_iterations is 50000 by default. Uses lambda, dual and rho of a warm start. */
slip_status slip_ccp_admm(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                          slip_arena *scratch);
size_t slip_ccp_admm_bytes(const slip_problem *p, const slip_solver_options *opt);

#endif
