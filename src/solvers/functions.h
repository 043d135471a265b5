/* The functions behind the constants of solvers.h, for sources and tests of this library. */
#ifndef SLIP_SOLVERS_FUNCTIONS_H
#define SLIP_SOLVERS_FUNCTIONS_H

#include "solvers/solver.h"

slip_solve_function slip_ccp_pgs;
slip_solve_function slip_ccp_admm;
slip_solve_function slip_ccp_newton;
slip_solve_function slip_ccp_barrier;
slip_solve_function slip_ccp_scs;
slip_solve_function slip_ncp_admm;
slip_solve_function slip_ncp_ipm;
slip_solve_function slip_ncp_newton;
slip_solve_function slip_ncp_path;
slip_solve_function slip_ncp_wadmm;
slip_solve_function slip_default;

slip_bytes_function slip_ccp_newton_bytes;
slip_bytes_function slip_ccp_barrier_bytes;
slip_bytes_function slip_ccp_scs_bytes;
slip_bytes_function slip_ncp_ipm_bytes;
slip_bytes_function slip_ncp_newton_bytes;
slip_bytes_function slip_ncp_path_bytes;
slip_bytes_function slip_default_bytes;

#endif
