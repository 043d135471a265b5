/* ccp-admm: the convex relaxation (LL eq. 15, 19) by the ADMM of LL Alg. 3, as printed.
 *
 *     1   G~^-1 <- (G + R + rho Id)^-1
 *     2   for k = 1 ... M
 *     3       lambda <- -G~^-1 (g - rho z + gamma)
 *     4       z <- P_K(lambda + gamma/rho)
 *     5       gamma <- gamma + rho (lambda - z)
 *
 * Without De Saxce's correction a sliding contact may lift off while it pushes. LL prints a constant rho, no
 * value for it, and recommends to adapt it (end of LL Sec. III): rho_rule = fixed is Alg. 3 to the letter; the default
 * moves rho as ncp-admm does and repeats line 1 then.
 * LL's lambda, z, gamma are called f, y, -z in admm.h; there is no proximal term, eta = 0. */
#include "solvers/admm.h"
#include "solvers/solvers.h"

/* LL Alg. 3. */
static slip_status ccp_admm_loop(slip_admm *w, int most)
{
    const slip_problem *p = w->p;
    const int n = w->n;
    const slip_real tube = w->opt->rho_tube > 0 ? w->opt->rho_tube : SLIP_ADMM_TUBE;
    slip_real *lambda = w->f, *z = w->y, *minus_gamma = w->z;
    slip_status status = SLIP_OK;                              /* slip_admm_start has done line 1 */
    int i, k;

    for (k = 1; k <= most; ++k) {                                                        /* 2 */
        const slip_real rho = w->rho;

        for (i = 0; i < n; ++i) {
            w->f_old[i] = lambda[i];
            w->y_old[i] = z[i];
            lambda[i] = rho*z[i] + minus_gamma[i] - p->g[i];
        }
        slip_admm_subtract_antisymmetric(w, lambda);                                     /*   0 for G = G' */
        slip_gfactor_solve(&w->factor, lambda);                                          /* 3 */
        for (i = 0; i < n; ++i) z[i] = lambda[i] - minus_gamma[i]/rho;
        slip_problem_project(p, z, z);                                                   /* 4 */
        for (i = 0; i < n; ++i) minus_gamma[i] -= rho*(lambda[i] - z[i]);                /* 5 */
        slip_admm_residuals(w);
        if (!slip_admm_end_iteration(w)) return w->status;
        if (slip_admm_move_rho(w, tube)) status = slip_admm_factor(w);                   /* 1 */
        if (status < 0) return status;
    }
    return SLIP_MAX_ITERS;
}

slip_status slip_ccp_admm(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                          slip_arena *scratch)
{
    return slip_admm_solve(p, opt, SLIP_MODEL_CCP, 0, ccp_admm_loop, sol, scratch);
}

const slip_solver slip_solver_ccp_admm = {
    .id = "ccp-admm", .model = SLIP_MODEL_CCP,
    .about = "ADMM on the convex relaxation",
    .paper = "LL Alg. 3", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_RHO | SLIP_READS_STOP,
    .solve = slip_ccp_admm, .bytes = slip_admm_bytes,
    .work = slip_work_of_products, .sweeps = &slip_solver_ccp_gs
};
