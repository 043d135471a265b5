/* raisim-golden: RaiSim's model, each sliding contact by golden-section search along the line of sight (HW Sec. V-B,
 * Tab. I, after HW ref. 7).
 *
 *     bracket [lo, hi] <- the arc of the cone's section seen from the zero-velocity impulse, on the downhill side
 *     compare energies at the two golden points, drop the worse end, until the bracket is a tenth
 *     then parabolas through its ends and the best point, each vertex shrinking it (Brent), until it is small
 *
 * Only values of the energy are used. Golden section alone needs 72 of them to rounding, the parabolas a dozen.
 * Differences of energies are formed without cancellation (local.c), so the angle
 * is found to rounding and not to its square root.
 *
 * The loop over contacts is HW Alg. 2, in raisim.c. */
#include "solvers/raisim.h"
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

slip_status slip_raisim_golden(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, SLIP_SLIDE_GOLDEN);
}

size_t slip_raisim_golden_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    (void)opt;
    return slip_gs_bytes(p);
}
