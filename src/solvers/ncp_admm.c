/* ncp-admm: the NCP by the proximal ADMM of CR Alg. 1, rigid and compliant.
 *
 *     2       s <- Gamma(z)
 *     3-4     f <- -(G + R + eta + rho)^-1 (g + s - eta f - rho y - z)
 *     5       y <- P_K(f - z/rho)
 *     6       z <- z - rho (f - y)
 *     7-10    stop when y solves the NCP to the tolerance (the true criterion, not (43))
 *     11      rho by the spectral rule, Sec. III-F
 *
 * The loop itself, with what differs from the paper, is in admm.h and admm.c; ccp-admm shares it. */
#include "solvers/admm.h"
#include "solvers/solvers.h"

slip_status slip_ncp_admm(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                          slip_arena *scratch)
{
    return slip_admm_solve(p, opt, SLIP_MODEL_NCP, sol, scratch);
}

size_t slip_ncp_admm_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    return slip_admm_bytes(p, opt, SLIP_MODEL_NCP);
}
