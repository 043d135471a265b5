/* The solvers of the papers, one file each; all have the shape described in solver.h. */
#ifndef SLIP_SOLVERS_SOLVERS_H
#define SLIP_SOLVERS_SOLVERS_H

#include "solvers/solver.h"

slip_solve_function slip_lcp_pgs;
slip_solve_function slip_lcp_lemke;
slip_solve_function slip_lcp_staggered;
slip_solve_function slip_ccp_pgs;
slip_solve_function slip_ccp_admm;
slip_solve_function slip_ccp_newton;
slip_solve_function slip_ccp_barrier;
slip_solve_function slip_raisim_bisection;
slip_solve_function slip_raisim_golden;
slip_solve_function slip_raisim_quartic;
slip_solve_function slip_ncp_pgs;
slip_solve_function slip_ncp_staggered;
slip_solve_function slip_ncp_admm;
slip_solve_function slip_ncp_ipm;
slip_solve_function slip_ncp_newton;
slip_solve_function slip_default;         /* Newton and ADMM in turns: what runs when no solver is named */

slip_bytes_function slip_lcp_pgs_bytes;
slip_bytes_function slip_lcp_lemke_bytes;
slip_bytes_function slip_lcp_staggered_bytes;
slip_bytes_function slip_ccp_pgs_bytes;
slip_bytes_function slip_ccp_admm_bytes;
slip_bytes_function slip_ccp_newton_bytes;
slip_bytes_function slip_ccp_barrier_bytes;
slip_bytes_function slip_raisim_bisection_bytes;
slip_bytes_function slip_raisim_golden_bytes;
slip_bytes_function slip_raisim_quartic_bytes;
slip_bytes_function slip_ncp_pgs_bytes;
slip_bytes_function slip_ncp_staggered_bytes;
slip_bytes_function slip_ncp_admm_bytes;
slip_bytes_function slip_ncp_ipm_bytes;
slip_bytes_function slip_ncp_newton_bytes;
slip_bytes_function slip_default_bytes;

#endif
