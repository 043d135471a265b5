/* raisim-newton: RaiSim's model, each sliding contact by a safeguarded Newton method. Ours.
 *
 *      bracket <- the visible arc on the downhill side of the zero-velocity impulse, whose end is known in closed form
 *      Newton's method on dE/dtheta = 0, a quartic in tan(theta/2), from the last impulse's direction;
 *      a step that would leave the bracket halves it instead
 *
 * Some 4 evaluations to rounding where HW's bisection needs 50. The quartic and slip_quartic_root() are in
 * local_slide.c, the loop over contacts, HW Alg. 2, in raisim.c. */
#include "solvers/gauss_seidel.h"
#include "solvers/raisim.h"
#include "solvers/solvers.h"

/* tau of the direction of `old`, 0 when it is not on the side of the root. */
static slip_real slide_guess(const slip_plane *t, const slip_real *old)
{
    slip_real along, across, sum;

    if (!old) return 0;
    along = t->e[0]*old[0] + t->e[1]*old[1];
    across = t->mirror*(t->e[0]*old[1] - t->e[1]*old[0]);
    sum = along + slip_norm2(old);
    return across > 0 && sum > 0 ? across/sum : 0;
}

void slip_slide_newton(slip_plane *t, slip_real gamma, const slip_real *old, slip_real x[3])
{
    slip_real f[5], tau = 0;

    (void)gamma;                                         /* two evaluations more go to rounding */
    if (slip_plane_quartic(t, f))
        tau = slip_plane_root(f, slip_plane_end(t, 1), slip_quartic_root, slide_guess(t, old));
    slip_plane_impulse_at(t, tau, x);
}

static slip_status raisim_newton_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                       slip_arena *scratch)
{
    return slip_raisim_solve(p, opt, sol, scratch, slip_slide_newton);
}

const slip_solver slip_solver_raisim_newton = {
    .id = "raisim-newton", .model = SLIP_MODEL_RAISIM,
    .about = "per-contact safeguarded Newton",
    .paper = "", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_ALPHA | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = raisim_newton_solve, .bytes = slip_gs_bytes
};
