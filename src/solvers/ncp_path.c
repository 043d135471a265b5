/* ncp-path: a path-following interior point on the NCP. Ours; the equations are Dojo's (CR ref. 25).
 *
 * Not the CCP: Signorini and maximum dissipation are complementarities of their own, coupled by the normal impulse.
 * Per contact, lambda = (beta, gamma) with slacks s, eta for sigma and psi for the sliding speed:
 *
 *     s = sigma_N,  eta = sigma_T
 *     s gamma = kappa                                              s, gamma >= 0
 *     (mu gamma, beta) o (psi, eta) = kappa (1, 0)                 both in the second-order cone Q
 *
 * where x o y = (x.y, x0 y1 + y0 x1) is the cone's product. For kappa = 0 it means beta = -mu gamma eta/|eta| or eta =
 * 0: Coulomb with maximum dissipation. Limits have the first complementarity only, bilateral rows sigma = 0.
 *
 *     repeat
 *         linearise; eliminate s, eta, psi:   (W G + Z) d lambda = rhs        W, Z: 3x3 per contact
 *         affine step (kappa = 0), its length a;   centring (kappa_aff/kappa)^3, corrector d x o d y   [Mehrotra]
 *         step to 0.99 of the way to the cones' surfaces
 *     until lambda meets the tolerance
 *
 * W G + Z is not symmetric (friction is not a potential), so each iteration takes an LU, in the space that takes the
 * fewest flops (ipm.h). The NCP is not monotone, so the path to kappa = 0 may fold back, where this quick run stalls:
 * then the path is followed by its arc length, around the folds (ipm_path.c), at two to four times the iterations. Warm
 * starts have to be pushed off the boundary and so help little (CR Sec. II). Works on G/diag, g/max (scaled.h). */
#include "solvers/ipm.h"
#include "solvers/solvers.h"

#define NCP_PATH_LIMIT 2000              /* iterations: five paths of the longest kind */

slip_status slip_ncp_path(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options storage;
    slip_status status;
    slip_ipm w;
    int limit;

    if (!slip_solver_open(p, SLIP_MODEL_NCP, SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE, &opt,
                          &storage, sol, &status)) return status;
    status = slip_ipm_carve(&w, p, opt, scratch);
    if (status < 0) return sol->status = status;
    limit = opt->max_iterations > 0 ? opt->max_iterations : NCP_PATH_LIMIT;
    status = slip_ipm_open(&w, sol->warm ? sol->lambda : NULL) ? SLIP_OK
           : slip_ipm_solve_from(&w, sol->warm ? sol->lambda : NULL, limit);
    sol->iterations = sol->factorizations = w.iterations;
    status = slip_solver_close(p, opt, w.best, w.sigma, &w.best_residual, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}

size_t slip_ncp_path_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena a = slip_arena_counting();
    slip_ipm w;

    slip_ipm_carve(&w, p, opt, &a);
    return slip_arena_needed(&a);
}

const slip_solver slip_solver_ncp_path = {
    .id = "ncp-path", .model = SLIP_MODEL_NCP,
    .about = "interior point that follows its central path around folds",
    .paper = "", .engines = "",
    .takes = SLIP_TAKES_ALL, .takes_factor = 1,
    .solve = slip_ncp_path, .bytes = slip_ncp_path_bytes,
    .work = slip_work_of_factorisations, .sweeps = &slip_solver_ncp_gs
};
