/* ncp-ipm: a primal-dual interior point on the NCP, as in Dojo (CR Tab. I, CR ref. 25).
 *
 * Not the CCP: Signorini and maximum dissipation are complementarities of their own, coupled by the normal impulse.
 * Per contact, lambda = (beta, gamma) with slacks s, eta for sigma and psi for the sliding speed:
 *
 *     s = sigma_N,  eta = sigma_T
 *     s gamma = kappa                                              s, gamma >= 0
 *     (mu gamma, beta) o (psi, eta) = kappa (1, 0)                 both in the second-order cone Q
 *
 * where x o y = (x.y, x0 y1 + y0 x1) is the cone's product. For kappa = 0 it says beta = -mu gamma eta/|eta| or eta =
 * 0: Coulomb with maximum dissipation. Limits have the first complementarity only, bilateral rows sigma = 0.
 *
 *     repeat
 *         linearise; eliminate s, eta, psi:   (W G + Z) d lambda = rhs        W, Z: 3x3 per contact
 *         affine step (kappa = 0), its length a;   centring (kappa_aff/kappa)^3, corrector d x o d y   [Mehrotra]
 *         step to 0.99 of the way to the cones' surfaces
 *     until the judge is content with lambda
 *
 * W G + Z is not symmetric (friction is not a potential), so it is an LU in every iteration, in whichever space is
 * smallest (ipm.h). The NCP is not monotone, so the path to kappa = 0 may fold back and this quick run gets stuck
 * there: then the path is followed by its arc length, around the folds (ipm_path.c), at two to four times the
 * iterations. Warm starts have to be pushed off the boundary and so help little (CR Sec. II). Works on G/diag, g/max
 * (scaled.h). */
#include "solvers/ipm.h"
#include "solvers/solvers.h"

enum { NCP_IPM_QUICK = 25, NCP_IPM_PATH = 400, NCP_IPM_LIMIT = 2000 };     /* iterations of each run, and in all */

/* Quick runs from the warm start and from the middle of the cones, then the path from one first point after another. */
static slip_status ncp_ipm_loop(slip_ipm *w, const slip_real *warm)
{
    const int limit = w->opt->max_iterations > 0 ? w->opt->max_iterations : NCP_IPM_LIMIT;
    slip_status status = SLIP_STALLED;
    int t;

    for (t = warm ? -2 : -1; t < SLIP_IPM_TRIES && status > SLIP_OK && w->iterations < limit; ++t) {
        const int most = t < 0 ? NCP_IPM_QUICK : NCP_IPM_PATH, left = limit - w->iterations;
        const int steps = left < most ? left : most;

        status = t < 0 ? slip_ipm_run(w, t == -2 ? warm : NULL, SLIP_R(1e-2), steps) : slip_ipm_follow(w, t, steps);
    }
    if (status <= SLIP_OK) return status;
    return w->iterations >= limit ? SLIP_MAX_ITERS : SLIP_STALLED;
}

slip_status slip_ncp_ipm(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options storage;
    slip_status status;
    slip_ipm w;

    if (!slip_solver_open(p, SLIP_MODEL_NCP, SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE, &opt,
                          &storage, sol, &status)) return status;
    status = slip_ipm_carve(&w, p, opt, scratch);
    if (status < 0) return sol->status = status;
    status = slip_ipm_open(&w, sol->warm ? sol->lambda : NULL) ? SLIP_OK
           : ncp_ipm_loop(&w, sol->warm ? sol->lambda : NULL);
    sol->iterations = sol->factorizations = w.iterations;
    status = slip_solver_close(p, opt, w.best, w.sigma, &w.best_residual, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}

size_t slip_ncp_ipm_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena a = slip_arena_counting();
    slip_ipm w;

    slip_ipm_carve(&w, p, opt, &a);
    return slip_arena_needed(&a);
}
