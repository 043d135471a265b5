/* ncp-wadmm: a weighted ADMM for the NCP; ours. It is ncp-admm (CR Alg. 1) with three changes.
 *
 *     2       s <- Gamma(z)
 *     3-4     f <- -(G + R + (eta + rho) W)^-1 (g + s - eta W f - rho W y - z)
 *     5       y <- P_K(f~ - z/(rho W)),   f~ = y + omega (f - y)
 *     6       z <- z - rho W (f~ - y)
 *     11      rho as in ncp-admm, but after rho_every iterations at most every rho_every-th
 *
 * W is a diagonal, one number per block: mean diag(G_ii + R_ii). This is the paper's algorithm on lambda_i sqrt(W_i): a
 * light and a heavy body are treated alike, the iterates do not depend on units, eta and rho are pure numbers. omega is
 * over-relaxation, used after a warm start only: it upsets the balance of residuals that moves rho. Moving rho seldom
 * saves factorisations: a dozen suffice. */
#include "solvers/admm.h"
#include "solvers/solvers.h"

#define WADMM_MOVE_EVERY   10                       /* and in as many iterations at the start rho may move each time */
#define WADMM_TUBE         3                        /* 10 needs twice the iterations on the problem files    */
#define WADMM_RELAXATION   SLIP_R(1.8)
#define WADMM_WARM         50                       /* iterations after a warm start with omega and a wider tube */
#define WADMM_WARM_TUBE    10                       /* factor by which the tube is wider for a rho from a warm start */

/* Whether rho may move now. */
static int wadmm_may_move(slip_admm *w)
{
    const int every = w->opt->rho_every > 0 ? w->opt->rho_every : WADMM_MOVE_EVERY;

    ++w->since;
    return w->iterations <= every || w->since >= every;
}

static slip_status wadmm_run(slip_admm *w, int most)
{
    const slip_problem *p = w->p;
    const int n = w->n;
    const slip_real omega = w->opt->over_relaxation > 0 ? w->opt->over_relaxation : WADMM_RELAXATION, *W = w->M;
    const slip_real usual = w->opt->rho_tube > 0 ? w->opt->rho_tube : WADMM_TUBE;
    slip_real *f = w->f, *y = w->y, *z = w->z;
    slip_status status = SLIP_OK;
    int i, k;

    for (k = 1; k <= most; ++k) {                                                        /*  1 */
        const slip_real eta = w->eta, rho = w->rho, tube = (w->warm ? WADMM_WARM_TUBE : 1)*usual;
        const slip_real relax = w->warm ? omega : 1;

        for (i = 0; i < n; ++i) {
            w->f_old[i] = f[i];
            w->y_old[i] = y[i];
            f[i] = W[i]*(eta*f[i] + rho*y[i]) + z[i] - p->g[i];                          /*  4 */
        }
        for (i = 0; i < p->nc; ++i)
            if (p->mu[i] < SLIP_MU_INFINITE) f[3*i + 2] -= p->mu[i]*slip_norm2(z + 3*i);    /*  2 */
        slip_admm_subtract_antisymmetric(w, f);
        slip_gfactor_solve(&w->factor, f);                                               /*  3 */
        for (i = 0; i < n; ++i) z[i] = y[i] += relax*(f[i] - y[i]) - z[i]/(rho*W[i]);    /*     x = f~ - z/(rho W) */
        slip_problem_project(p, y, y);                                                   /*  5 */
        for (i = 0; i < n; ++i) z[i] = rho*W[i]*(y[i] - z[i]);                           /*  6: z = rho W (y - x) */
        slip_admm_residuals(w);                                                          /*  7 */
        if (!slip_admm_end_iteration(w)) return w->status;                                     /*  8 - 10 */
        if (wadmm_may_move(w) && slip_admm_move_rho(w, tube)) status = slip_admm_factor(w);   /* 11 */
        if (status < 0) return status;
        w->warm = w->warm && w->iterations < WADMM_WARM;
    }
    return SLIP_MAX_ITERS;
}

slip_status slip_ncp_wadmm(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                           slip_arena *scratch)
{
    return slip_admm_solve(p, opt, SLIP_MODEL_NCP, 1, wadmm_run, sol, scratch);
}

const slip_solver slip_solver_ncp_wadmm = {
    .id = "ncp-wadmm", .model = SLIP_MODEL_NCP,
    .about = "ADMM with a weight per contact",
    .paper = "", .engines = "",
    .takes = SLIP_TAKES_ALL,
    .reads = SLIP_READS_RHO | SLIP_READS_RHO_EVERY | SLIP_READS_OVER_RELAXATION | SLIP_READS_STOP,
    .solve = slip_ncp_wadmm, .bytes = slip_admm_bytes,
    .work = slip_work_of_products, .sweeps = &slip_solver_ncp_gs
};
