/* ncp-gs: Gauss-Seidel on the NCP, each contact's own NCP solved as a whole. Ours.
 *
 *  1  for k = 1 ... M
 *  2      for i = 1 ... nc
 *  3          b <- (G lambda + g)_i - G_ii lambda_i                 the velocity without this contact's impulse
 *  4          x <- the solution of K_mu ∋ x _|_ s + Gamma(s) ∈ K*_mu, s = G_ii x + b          local_exact.c
 *  5          lambda_i <- proj(lambda_i + omega (x - lambda_i))     the option `relaxation`, 1: lambda_i <- x
 *
 * ncp-pgs updates normal and tangents one after the other; where they are coupled, each update increases the error of
 * the other, and problems of robots take two to five times the sweeps. Line 4 has a solution for any coupling. A fixed
 * point solves the NCP; there is no proof of convergence, and sweeps over several contacts may cycle: a first stall
 * halves omega (gauss_seidel.c). */
#include "solvers/gauss_seidel.h"
#include "solvers/solvers.h"

static slip_status ncp_gs_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                slip_arena *scratch)
{
    slip_gs w;
    int i;

    if (!slip_gs_begin(&w, p, opt, sol, scratch, SLIP_MODEL_NCP, 0)) return w.status;
    w.may_damp = 1;
    while (slip_gs_next(&w)) {                                               /* 1 */
        for (i = 0; i < p->nc; ++i) {                                        /* 2 */
            const slip_local *k = &w.contact[i];
            const slip_real *old = w.lambda + 3*i;
            slip_real v[3], b[3], x[3];

            slip_gs_velocity(&w, i, v);
            slip_gs_without(k, v, old, b);                                   /* 3 */
            slip_local_ncp(k, b, old, x);                                    /* 4 */
            if (w.relax != 1) {                                              /* 5 */
                slip_gs_blend(w.relax, old, x);
                slip_cone_project_horizontal(k->mu, x, x);
            }
            slip_gs_set(&w, i, x);
        }
        slip_gs_scalars(&w);
    }
    return slip_gs_end(&w);
}

const slip_solver slip_solver_ncp_gs = {
    .id = "ncp-gs", .model = SLIP_MODEL_NCP,
    .about = "Gauss-Seidel, each contact's own NCP solved",
    .paper = "", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_RELAXATION | SLIP_READS_COUNT | SLIP_READS_PATIENCE,
    .solve = ncp_gs_solve, .bytes = slip_gs_bytes
};
