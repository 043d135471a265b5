/* ncp-admm: the NCP by the proximal ADMM of CR Alg. 1, rigid and compliant, as printed.
 *
 *      1       for k = 1 ... n_iter
 *      2           s <- Gamma(z)
 *      3-4         f <- -(G + R + (eta + rho) Id)^-1 (g + s - eta f - rho y - z)
 *      5           y <- P_K(f - z/rho)
 *      6           z <- z - rho (f - y)
 *      7-10        stop by (43), or when y meets the true criterion (option stop)
 *     11           rho by the spectral strategy of Sec. III-F, the linear one, or not at all (option rho_rule)
 *     13       lambda <- y
 *
 * eta = 1e-6 and rho are in [1/kg], the unit of G. Limits and bilateral rows are blocks of K: half-lines and lines. CR
 * prints neither the tube alpha nor the first p: alpha = 10 is the value in the authors' Simple, p = 0 gives rho =
 * sqrt(mL), with m = eta (CR: m >= eta > 0) and L the largest eigenvalue of G + R by power iteration. */
#include "solvers/admm.h"
#include "solvers/solvers.h"

/* CR Alg. 1. */
static slip_status ncp_admm_loop(slip_admm *w, int most)
{
    const slip_problem *p = w->p;
    const int n = w->n;
    const slip_real tube = w->opt->rho_tube > 0 ? w->opt->rho_tube : SLIP_ADMM_TUBE;
    slip_real *f = w->f, *y = w->y, *z = w->z;
    int i, k;

    for (k = 1; k <= most; ++k) {                                                        /*  1 */
        const slip_real eta = w->eta, rho = w->rho;
        slip_status status = SLIP_OK;

        for (i = 0; i < n; ++i) {
            w->f_old[i] = f[i];
            w->y_old[i] = y[i];
            f[i] = eta*f[i] + rho*y[i] + z[i] - p->g[i];                                 /*  4 */
        }
        for (i = 0; i < p->nc; ++i)
            if (p->mu[i] < SLIP_MU_INFINITE) f[3*i + 2] -= p->mu[i]*slip_norm2(z + 3*i);    /*  2: - Gamma(z) */
        slip_admm_subtract_antisymmetric(w, f);                                          /*     0 for G = G' */
        slip_gfactor_solve(&w->factor, f);                                               /*  3 */
        for (i = 0; i < n; ++i) y[i] = f[i] - z[i]/rho;
        slip_problem_project(p, y, y);                                                   /*  5 */
        for (i = 0; i < n; ++i) z[i] -= rho*(f[i] - y[i]);                               /*  6 */
        slip_admm_residuals(w);                                                          /*  7 */
        if (!slip_admm_end_iteration(w)) return w->status;                                     /*  8 - 10 */
        if (slip_admm_move_rho(w, tube)) status = slip_admm_factor(w);                   /* 11 */
        if (status < 0) return status;
    }
    return SLIP_MAX_ITERS;
}

slip_status slip_ncp_admm(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                          slip_arena *scratch)
{
    return slip_admm_solve(p, opt, SLIP_MODEL_NCP, 0, ncp_admm_loop, sol, scratch);
}

const slip_solver slip_solver_ncp_admm = {
    .id = "ncp-admm", .model = SLIP_MODEL_NCP,
    .about = "proximal ADMM with spectral penalty",
    .paper = "CR Alg. 1", .engines = "Simple",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_RHO | SLIP_READS_STOP,
    .solve = slip_ncp_admm, .bytes = slip_admm_bytes,
    .work = slip_work_of_products, .sweeps = &slip_solver_ncp_gs
};
