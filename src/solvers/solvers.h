/* The solvers, the papers' and ours, one file each; all have the shape described in solver.h. */
#ifndef SLIP_SOLVERS_SOLVERS_H
#define SLIP_SOLVERS_SOLVERS_H

#include "solvers/solver.h"

extern const slip_solver slip_solver_lcp_pgs;
extern const slip_solver slip_solver_lcp_lemke;
extern const slip_solver slip_solver_lcp_staggered;
extern const slip_solver slip_solver_ccp_pgs;
extern const slip_solver slip_solver_ccp_admm;
extern const slip_solver slip_solver_ccp_newton;
extern const slip_solver slip_solver_ccp_barrier;
extern const slip_solver slip_solver_ccp_scs;
extern const slip_solver slip_solver_raisim_bisection;
extern const slip_solver slip_solver_raisim_golden;
extern const slip_solver slip_solver_raisim_quartic;
extern const slip_solver slip_solver_ncp_pgs;
extern const slip_solver slip_solver_ncp_staggered;
extern const slip_solver slip_solver_ncp_admm;
extern const slip_solver slip_solver_ncp_ipm;
extern const slip_solver slip_solver_lcp_gs;
extern const slip_solver slip_solver_ccp_gs;
extern const slip_solver slip_solver_raisim_newton;
extern const slip_solver slip_solver_ncp_gs;
extern const slip_solver slip_solver_ncp_newton;
extern const slip_solver slip_solver_ncp_path;
extern const slip_solver slip_solver_ncp_wadmm;
extern const slip_solver slip_solver_default;

#include "solvers/functions.h"    /* for the sources of this library: not part of slipstick.h */

#endif
