/* RaiSim's contact model: what its three solvers share, and its criterion. */
#ifndef SLIP_SOLVERS_RAISIM_H
#define SLIP_SOLVERS_RAISIM_H

#include "solvers/local.h"
#include "solvers/solver.h"

/* HW Alg. 2 with a method for the sliding contact of line 8. */
slip_status slip_raisim_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                              slip_arena *scratch, slip_slide_method method);

/* The residual of RaiSim's model for a given sigma = (G + R) lambda + g.
 *
 * Per contact the model is  0 <= lambda_N  _|_  sigma_N >= 0,  lambda in K_mu,  and where it touches the ground lambda
 * minimises the contact's energy over K_mu and the plane sigma_N = 0 (LL eq. 20). With y >= 0 the plane's multiplier
 * and A = G_ii + R_i that is  K_mu ∋ lambda _|_ s = sigma + y A_(:,N) ∈ K*_mu, which is LL eq. 21; y is the number
 * with y A_NN = mu |sigma_T + y A_TN|. It takes the place of De Saxce's Gamma, which it equals when A_TN = 0.
 * eps_p, eps_d, eps_c as in residual.h with this s. Limits and bilateral rows as there. */
void slip_raisim_residual(const slip_problem *p, const slip_real *lambda, const slip_real *sigma, slip_residual *r);

#endif
