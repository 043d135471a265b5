/* raisim-golden: RaiSim's model, each sliding contact by golden-section search along the line of sight (HW Sec. V-B,
 * Tab. I, after HW ref. 7).
 *
 *      bracket <- the arc of the cone's section that is seen from the zero-velocity impulse
 *      compare the energies at the two golden points, drop the end next to the higher one,
 *      until the impulses of the bracket differ by less than gamma
 *
 * Only values of the energy are used: slide_golden() in local_slide.c. The loop over contacts is HW Alg. 2, in
 * raisim.c. */
#include "solvers/gauss_seidel.h"
#include "solvers/raisim.h"
#include "solvers/solvers.h"

static slip_status raisim_golden_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                       slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, SLIP_SLIDE_GOLDEN);
}

const slip_solver slip_solver_raisim_golden = {
    .id = "raisim-golden", .model = SLIP_MODEL_RAISIM,
    .about = "per-contact golden section",
    .paper = "HW Sec. V-B", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_ALPHA | SLIP_READS_STOP | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = raisim_golden_solve, .bytes = slip_gs_bytes
};
