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
 * W G + Z is not symmetric (friction is not a potential), so it is an LU of size n every iteration, a sparse one where G
 * is sparse (ipm.h). There is no
 * proof of convergence as the NCP is not monotone: when steps get short, a centring step follows, and when a run gets
 * stuck another one starts elsewhere, with small steps along the central path instead of the predictor. Warm starts
 * have to be pushed off the boundary and so help little (CR Sec. II). Works on G/diag, g/max (scaled.h). */
#include "solvers/ipm.h"
#include "solvers/solvers.h"

enum { NCP_IPM_STEPS = 120 };                /* of each run */

static slip_status ncp_ipm_loop(slip_ipm *w, const slip_real *warm)
{
    const int limit = w->opt->max_iterations > 0 ? w->opt->max_iterations : SLIP_IPM_TRIES*NCP_IPM_STEPS;
    slip_status status = SLIP_STALLED;
    int t;

    for (t = warm ? -1 : 0; t < SLIP_IPM_TRIES && status > SLIP_OK && w->iterations < limit; ++t) {
        const int left = limit - w->iterations;

        status = slip_ipm_run(w, t < 0 ? warm : NULL, t < 0 ? 0 : t, left < NCP_IPM_STEPS ? left : NCP_IPM_STEPS);
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
    status = slip_ipm_open(&w, sol->warm ? sol->lambda : NULL) ? SLIP_OK : ncp_ipm_loop(&w, sol->warm ? sol->lambda : NULL);
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
