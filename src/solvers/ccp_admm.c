/* ccp-admm: the convex relaxation (LL eq. 15, 19) by the ADMM of LL Alg. 3, with the proximal term and the rho rules
 * of CR Alg. 1. It is ncp-admm with s = 0: what De Saxce's correction would forbid, a sliding contact that
 * lifts off while it pushes, is allowed.
 *
 *     f <- argmin 1/2 f'(G + R) f + g'f - z'f + rho/2 |f - y|^2 + eta/2 |f - f-|^2
 *     y <- P_K(f - z/rho)
 *     z <- z - rho (f - y)
 *
 * The loop is in admm.c. */
#include "solvers/admm.h"
#include "solvers/solvers.h"

slip_status slip_ccp_admm(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                          slip_arena *scratch)
{
    return slip_admm_solve(p, opt, SLIP_MODEL_CCP, sol, scratch);
}

size_t slip_ccp_admm_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    return slip_admm_bytes(p, opt, SLIP_MODEL_CCP);
}
