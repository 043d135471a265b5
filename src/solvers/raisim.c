/* RaiSim's model: the loop over contacts (HW Alg. 2, LL Alg. 4), for the solvers raisim-*.
 *
 *  1  while lambda not converged
 *  2      for each contact i                                b = sigma_i - A_i lambda_i: velocity without its impulse
 *  3          if b_N > 0 (opening)      x <- 0
 *  5          else if -A^-1 b in K_mu   x <- -A^-1 b        (sticking)
 *  8          else                      x <- argmin over K_mu and sigma_N = 0 of the contact's energy (sliding)
 *  4,6,9      lambda_i <- alpha x + (1 - alpha) lambda_i
 * 12      alpha <- alpha_min + gamma (alpha - alpha_min)
 *
 * LL Alg. 4 line 12 prints the weights the other way round, and decays alpha within the sweep; HW's order counts here.
 * Limits and bilateral rows are swept along. The cases are chosen contact by contact: there is no proof of
 * convergence. */
#include "solvers/raisim.h"
#include "solvers/gauss_seidel.h"

/* Line 8's precision as a velocity: a tenth of the tolerance on eps_d. HW Sec. V-B stops at 1e-6 N s. */
static slip_real raisim_velocity(const slip_gs *w)
{
    const slip_real g = slip_max_abs(w->p->n, w->p->g);

    return SLIP_R(0.1)*w->opt->tol*(slip_tol_is_relative(w->opt->tol_rule) ? g : slip_min(1, g));
}

/* The same as an impulse, HW's gamma [N s]; eps_c, which is absolute unless the tolerance is relative, is the velocity
 * times the impulse. */
static slip_real raisim_gamma(const slip_gs *w, const slip_local *k, slip_real velocity, const slip_real x0[3])
{
    const slip_real impulse = slip_tol_is_relative(w->opt->tol_rule) ? 1 : slip_max(1, slip_norm3(x0));

    return velocity/(k->size*impulse);
}

slip_status slip_raisim_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                              slip_arena *scratch, slip_slide_method *method)
{
    slip_gs w;
    slip_real alpha, velocity;
    int i;

    if (!slip_gs_begin(&w, p, opt, sol, scratch, SLIP_MODEL_RAISIM, 0)) return w.status;
    if (method != slip_slide_newton) slip_gs_print_rule(&w, SLIP_GS_VIOLATIONS);           /* HW Sec. V-C */
    w.relax = 1;                                                             /* alpha takes its place */
    alpha = w.opt->alpha;
    velocity = raisim_velocity(&w);
    while (slip_gs_next(&w)) {                                               /* 1       */
        for (i = 0; i < p->nc; ++i) {                                        /* 2       */
            const slip_local *k = &w.contact[i];
            const slip_real *old = w.lambda + 3*i;
            slip_real v[3], b[3], x[3];

            slip_gs_velocity(&w, i, v);
            slip_gs_without(k, v, old, b);
            if (slip_local_open_or_stick(k, b, x) == SLIP_LOCAL_SLIDE)       /* 3, 5, 7 */
                slip_local_slide(k, b, old, method, raisim_gamma(&w, k, velocity, x), x);    /* 8 */
            if (alpha != 1) slip_gs_blend(alpha, old, x);                    /* 4, 6, 9 */
            slip_gs_set(&w, i, x);
        }
        slip_gs_scalars(&w);
        alpha = w.opt->alpha_min + w.opt->alpha_decay*(alpha - w.opt->alpha_min);            /* 12 */
    }
    return slip_gs_end(&w);
}
