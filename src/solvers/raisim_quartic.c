/* raisim-quartic: RaiSim's model, each sliding contact in closed form (HW Sec. V-B, Tab. I, after HW ref. 19).
 *
 *      dE/dtheta = 0 is a quartic in tan(theta/2); its roots after Ferrari, rounding errors polished away
 *      the root on the arc that is seen from the zero-velocity impulse is the minimum
 *
 * Where the quartic's leading coefficient is close to zero or two roots nearly coincide, the closed form loses all
 * digits, and HW Alg. 1 finds the root instead. Both are in local_slide.c. The loop over contacts is HW Alg. 2, in
 * raisim.c. */
#include "solvers/gauss_seidel.h"
#include "solvers/raisim.h"
#include "solvers/solvers.h"

static slip_status raisim_quartic_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                        slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, SLIP_SLIDE_QUARTIC);
}

const slip_solver slip_solver_raisim_quartic = {
    .id = "raisim-quartic", .model = SLIP_MODEL_RAISIM,
    .about = "per-contact roots of a quartic",
    .paper = "HW Sec. V-B", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_ALPHA | SLIP_READS_STOP | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = raisim_quartic_solve, .bytes = slip_gs_bytes
};
