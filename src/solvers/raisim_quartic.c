/* raisim-quartic: RaiSim's model, each sliding contact by the analytic solution of the sliding contact (HW Sec. V-B,
 * Tab. I, after HW ref. 19).
 *
 *     dE/dtheta = 0 is a quartic in tan(theta/2); Ferrari's roots, polished by Newton on the quartic
 *     the root on the arc seen from the zero-velocity impulse is the minimum
 *
 * Where the quartic's leading coefficient all but vanishes or its roots run together, the closed form has no
 * digits left, and the root is found by bracketing instead.
 *
 * The loop over contacts is HW Alg. 2, in raisim.c. */
#include "solvers/raisim.h"
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

slip_status slip_raisim_quartic(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, SLIP_SLIDE_QUARTIC);
}

size_t slip_raisim_quartic_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)opt;
    return slip_gs_bytes(p);
}
