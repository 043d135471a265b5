/* ncp-newton: the NCP by a semi-smooth Newton method on the active set, proximal when it has to be.
 * Ours; the natural map goes back to Alart and Curnier (1991), the proximal outer loop to Rockafellar (1976).
 *
 *     lambda <- P_K(warm start or 0), anchor <- lambda, eps <- eps_min
 *     repeat
 *         x <- lambda - r (sigma + Gamma(sigma));  F <- lambda - P_K(x)          sigma with eps (lambda - anchor)
 *         classify x: stick, slip, open; solve Newton's equation for d on the active set      newton_system.c
 *         lambda <- P_K(lambda + t d), t = 1, 1/2, ... until |F| falls below the last four
 *         full step: eps <- eps/10, anchor <- lambda
 *         no step:   lambda <- anchor, eps <- max(10 eps, 1e-2), and solve the proximal problem before the
 *                    anchor moves again
 *     until the true criterion holds on lambda
 *
 * All iterates lie in K. When it stalls it starts again from its best iterate with another r. */
#include "solvers/newton.h"
#include "solvers/solvers.h"

#define NCP_NEWTON_STEPS 300

size_t slip_ncp_newton_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena count = slip_arena_counting();
    slip_newton w;

    slip_newton_carve(&w, p, opt, &count);
    return slip_arena_needed(&count);
}

slip_status slip_ncp_newton(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                            slip_arena *scratch)
{
    static const slip_real scales[] = { SLIP_R(1.0), SLIP_R(0.3), SLIP_R(3.0), SLIP_R(0.1) };
    const unsigned takes = SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE;
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options storage;
    slip_status status;
    slip_newton w;
    int attempt, left, iterations = 0, factorizations = 0;

    if (!slip_solver_open(p, SLIP_MODEL_NCP, takes, &opt, &storage, sol, &status)) return status;
    status = slip_newton_carve(&w, p, opt, scratch);
    if (status < 0) { slip_arena_release(scratch, mark); return sol->status = status; }
    left = opt->max_iterations > 0 ? opt->max_iterations : NCP_NEWTON_STEPS;
    for (attempt = 0; attempt < 4 && left > 0; ++attempt) {
        slip_newton_start(&w, attempt == 0 ? (sol->warm ? sol->lambda : NULL) : w.trial, scales[attempt]);
        w.iterations_before = iterations;
        status = slip_newton_run(&w, left);
        iterations += w.iterations;
        factorizations += w.factorizations;
        left -= w.iterations;
        if (status != SLIP_STALLED) break;
        slip_problem_project(p, w.best, w.trial);
    }
    sol->iterations = iterations;
    sol->factorizations = factorizations;
    sol->rho = w.eps*w.inv_r[0];
    slip_residual_of(p, w.best, w.best_sigma, &w.best_residual);     /* with G as given, whose sums round otherwise */
    status = slip_solver_close_at(p, opt, w.best, w.best_sigma, &w.best_residual, &w.best_residual, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}

const slip_solver slip_solver_ncp_newton = {
    .id = "ncp-newton", .model = SLIP_MODEL_NCP,
    .about = "semi-smooth Newton on the active set, proximal",
    .paper = "", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = 0, .takes_factor = 1,
    .solve = slip_ncp_newton, .bytes = slip_ncp_newton_bytes,
    .work = slip_work_of_factorisations, .sweeps = &slip_solver_ncp_gs
};
