/* The frame around the ADMM solvers. See admm.h. */
#include "solvers/admm.h"

#define ADMM_ITERATIONS    50000
#define ADMM_POWER_STEPS   20                       /* CR Sec. III-F: a few power iterations give L          */
#define ADMM_CHECK_EVERY   10                       /* the judge costs a product with G, as much as a solve  */
#define ADMM_CHECK_WITHIN  10                       /* y is judged when it is expected within 10 tolerances  */
#define ADMM_TRIES         8                        /* factorisations with ADMM_MORE times the rho each: up to 4^8 */
#define ADMM_MORE          4                        /* times rho where G + R + rho is not definite: a power of 2 */
#define ADMM_LOOK          1000                     /* iterations between the watchdog's looks               */
#define ADMM_PATIENCE      20                       /* looks without progress of 1 % that end a run          */

/* ---- memory, start --------------------------------------------------------------------------------------- */

slip_status slip_admm_carve(slip_admm *w, const slip_problem *p, const slip_solver_options *opt,
                            slip_contact_model model, slip_arena *arena)
{
    slip_real **const arrays[] = { &w->f, &w->y, &w->z, &w->f_old, &w->y_old, &w->M, &w->W, &w->sigma, &w->shift,
                                   &w->best };
    const size_t mark = slip_arena_mark(arena);
    slip_status status;
    size_t k;

    arena->failed = 0;
    w->p = p;
    w->opt = opt;
    w->model = model;
    w->n = p->n;
    w->m = slip_block_count(p);
    for (k = 0; k < sizeof arrays/sizeof *arrays; ++k) *arrays[k] = slip_arena_reals(arena, (size_t)p->n);
    status = arena->failed ? SLIP_ERR_WORKSPACE : slip_gfactor_prepare(&w->factor, p, arena);
    if (status < 0) slip_arena_release(arena, mark);
    return status;
}

/* W = mean diag(G_ii + R_ii) of the row's block; blocks that G does not move take the mean of the others. */
static void admm_weights(slip_admm *w)
{
    const slip_problem *p = w->p;
    slip_real sum = 0, mean;
    int i, k, count = 0;

    slip_problem_diagonal(p, w->shift);
    for (i = 0; i < w->m; ++i) {
        const int row = slip_block_row(p, i), dim = slip_block_dim(p, i);
        slip_real d = 0;

        for (k = row; k < row + dim; ++k) d += w->shift[k] + (p->R ? p->R[k] : 0);
        d /= (slip_real)dim;
        if (d > 0) { sum += d; ++count; }
        for (k = row; k < row + dim; ++k) w->W[k] = d;
    }
    mean = count ? sum/(slip_real)count : 1;
    for (k = 0; k < w->n; ++k) if (!(w->W[k] > 0)) w->W[k] = mean;
}

/* Largest eigenvalue of M^-1/2 (G + R) M^-1/2 by power iteration, from below; y_old and shift are scratch. */
static slip_real admm_largest(slip_admm *w)
{
    const slip_problem *p = w->p;
    slip_real *v = w->y_old, *Gv = w->shift, value = 1;
    int i, k;

    for (i = 0; i < w->n; ++i) v[i] = (SLIP_R(1.0) + SLIP_R(0.25)*(slip_real)((i*7) % 5))/slip_sqrt(w->M[i]);
    for (k = 0; k < ADMM_POWER_STEPS; ++k) {
        slip_real before = 0, after = 0;

        for (i = 0; i < w->n; ++i) before += v[i]*v[i]*w->M[i];
        slip_problem_apply(p, v, Gv);
        for (i = 0; i < w->n; ++i) {
            v[i] = (Gv[i] + (p->R ? p->R[i]*v[i] : 0))/w->M[i];
            after += v[i]*v[i]*w->M[i];
        }
        if (!(after > 0)) return 1;
        value = slip_sqrt(after/before);
        for (i = 0; i < w->n; ++i) v[i] /= value;
    }
    return value;
}

static slip_real admm_mean_metric(const slip_admm *w)
{
    slip_real sum = 0;
    int i;

    for (i = 0; i < w->n; ++i) sum += w->M[i];
    return sum/(slip_real)w->n;
}

slip_real slip_admm_rho(const slip_admm *w)
{
    return w->rho*admm_mean_metric(w);
}

/* z of an earlier solution, sigma + Gamma(sigma); the CCP's is sigma alone. */
static void admm_carry_dual(slip_admm *w, const slip_real *z)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < w->n; ++i) w->z[i] = z[i];
    if (w->model == SLIP_MODEL_NCP) return;
    for (i = 0; i < p->nc; ++i) if (p->mu[i] < SLIP_MU_INFINITE) w->z[3*i + 2] -= p->mu[i]*slip_norm2(z + 3*i);
}

/* Metric, eta and counters at the start of a run. */
static void admm_reset(slip_admm *w, int weighted)
{
    int i;

    admm_weights(w);
    for (i = 0; i < w->n; ++i) w->M[i] = weighted ? w->W[i] : 1;
    w->eta = w->model == SLIP_MODEL_CCP ? 0 : w->opt->eta;     /* LL Alg. 3 has no proximal term */
    w->L = w->least = 0;
    w->iterations = w->factorizations = w->looks = w->since = w->warm = 0;
    w->best_excess = w->last_excess = w->look_excess = w->look_dual = (slip_real)INFINITY;
    w->primal = w->dual = w->comp = w->checked = w->last_dual = (slip_real)INFINITY;
    w->sigma_is_best = w->judged = 0;
}

slip_status slip_admm_start(slip_admm *w, int weighted, const slip_real *lambda, const slip_real *z, slip_real rho)
{
    int i;

    admm_reset(w, weighted);
    if (rho <= 0) rho = w->opt->rho;
    if (rho > 0) {
        w->rho = rho/admm_mean_metric(w);
    } else {                                                   /* (45) with p = 0, m = eta */
        w->L = admm_largest(w);
        w->rho = slip_sqrt(w->opt->eta*w->L);
    }
    for (i = 0; i < w->n; ++i) w->y[i] = lambda ? lambda[i] : 0;
    slip_problem_project(w->p, w->y, w->y);
    slip_problem_sigma(w->p, w->y, w->sigma);
    for (i = 0; i < w->n; ++i) w->f[i] = w->best[i] = w->y[i];
    if (z) admm_carry_dual(w, z);
    else if (!lambda) for (i = 0; i < w->n; ++i) w->z[i] = 0;
    else if (w->model == SLIP_MODEL_NCP) slip_problem_desaxce(w->p, w->sigma, w->z);
    else for (i = 0; i < w->n; ++i) w->z[i] = w->sigma[i];
    return slip_admm_factor(w);
}

/* ---- linear algebra ---------------------------------------------------------------------------------------- */

slip_status slip_admm_factor(slip_admm *w)
{
    slip_status status = SLIP_ERR_NOT_SPD;
    int i, tries;

    w->since = 0;
    w->rho = slip_max(w->rho, w->least);
    for (tries = 0; tries < ADMM_TRIES && status == SLIP_ERR_NOT_SPD; ++tries) {
        const slip_real weight = w->eta + w->rho;

        ++w->factorizations;
        for (i = 0; i < w->n; ++i) w->shift[i] = weight*w->M[i] + (w->p->R ? w->p->R[i] : 0);
        status = slip_gfactor_shift(&w->factor, w->p, w->shift);
        if (status == SLIP_ERR_NOT_SPD) w->rho = w->least = ADMM_MORE*w->rho;
    }
    return status;
}

static void admm_antisymmetric_dense(const slip_admm *w, slip_real *b)
{
    const size_t ld = (size_t)w->p->G.ld;
    int i, j;

    for (i = 0; i < w->n; ++i) {
        const slip_real *row = w->p->G.dense + (size_t)i*ld;
        slip_real s = 0;

        for (j = 0; j < w->n; ++j) {
            s += row[j]*w->y[j];
            b[j] += row[j]*w->y[i]/2;
        }
        b[i] -= s/2;
    }
}

void slip_admm_subtract_antisymmetric(const slip_admm *w, slip_real *b)
{
    const slip_problem *p = w->p;
    int i, k, r, c;

    if (p->G.symmetric || p->G.form == SLIP_G_FACTOR) return;
    if (p->G.form == SLIP_G_DENSE) { admm_antisymmetric_dense(w, b);  return; }
    for (i = 0; i < w->m; ++i) {
        const int ri = slip_block_row(p, i), di = slip_block_dim(p, i);

        for (k = p->G.start[i]; k < p->G.start[i + 1]; ++k) {
            const int rj = slip_block_row(p, p->G.col[k]), dj = slip_block_dim(p, p->G.col[k]);
            const slip_real *B = p->G.val + p->G.at[k];

            for (r = 0; r < di; ++r) for (c = 0; c < dj; ++c) {
                b[ri + r] -= B[r*dj + c]*w->y[rj + c]/2;
                b[rj + c] += B[r*dj + c]*w->y[ri + r]/2;
            }
        }
    }
}

/* ---- residuals, rho ------------------------------------------------------------------------------------------ */

void slip_admm_residuals(slip_admm *w)
{
    const slip_problem *p = w->p;
    slip_real primal = 0, dual = 0, comp = 0;
    int i, k;

    for (i = 0; i < w->n; ++i) {
        const slip_real prim = w->f[i] - w->y[i];                                        /* (40) */
        const slip_real du = w->eta*(w->f[i] - w->f_old[i]) + w->rho*(w->y[i] - w->y_old[i]);   /* (41) */

        primal = slip_max(primal, prim*prim*w->M[i]);
        dual = slip_max(dual, du*du*w->M[i]);
    }
    for (i = 0; i < w->m; ++i) {                                                         /* (42) */
        const int row = slip_block_row(p, i);
        slip_real s = 0;

        for (k = row; k < row + slip_block_dim(p, i); ++k) s += w->f[k]*w->z[k];
        comp = slip_max(comp, slip_abs(s));
    }
    w->primal = slip_sqrt(primal);
    w->dual = slip_sqrt(dual);
    w->comp = comp;
}

int slip_admm_move_rho(slip_admm *w, slip_real alpha)
{
    const slip_solver_options *o = w->opt;
    const int up = w->primal >= alpha*w->dual, down = w->dual >= alpha*w->primal;
    slip_real factor = o->rho_factor;                                                    /* (44) */

    if (o->rho_rule == SLIP_RHO_FIXED || !(up || down)) return 0;
    if (o->rho_rule == SLIP_RHO_SPECTRAL) {                    /* (45), (46): p moves by p+ = p-, rho by (L/eta)^p+ */
        if (!(w->L > 0)) w->L = admm_largest(w);
        factor = slip_pow(w->L/o->eta, o->rho_power);
    }
    w->rho = up ? w->rho*factor : w->rho/factor;
    return 1;
}

/* ---- the judge ----------------------------------------------------------------------------------------------- */

/* The true criterion of y; keeps the best. Returns its excess. */
static slip_real admm_judge(slip_admm *w, slip_residual *r)
{
    slip_real excess;
    int i;

    slip_problem_sigma(w->p, w->y, w->sigma);
    slip_residual_at(w->p, w->model, 4, w->y, w->sigma, r);
    excess = slip_residual_excess(r, w->opt->tol, w->opt->tol_rule);
    w->judged = 1;
    w->last_excess = excess;
    w->last_dual = r->eps_dual;
    w->checked = w->primal + w->dual;
    w->sigma_is_best = excess < w->best_excess || w->opt->stop == SLIP_STOP_PRINTED;
    if (w->sigma_is_best) {
        w->best_excess = excess;
        w->best_residual = *r;
        for (i = 0; i < w->n; ++i) w->best[i] = w->y[i];
    }
    return excess;
}

int slip_admm_is_solved(slip_admm *w)
{
    slip_residual r;

    return admm_judge(w, &r) <= 1;
}

/* Whether to judge now: every ten iterations, and when the residuals (40) and (41), which fall as the true ones do,
 * indicate that the tolerance may be met. */
static int admm_is_due(const slip_admm *w)
{
    return w->iterations % ADMM_CHECK_EVERY == 0
        || (w->primal + w->dual)*w->last_excess <= ADMM_CHECK_WITHIN*w->checked;
}

/* Reports an iteration to the history callback; an iterate that was not judged yet is judged here for the callback
 * alone. */
static void admm_report(slip_admm *w, slip_residual *r)
{
    if (!w->opt->history) return;
    if (!w->judged) {
        slip_problem_sigma(w->p, w->y, w->shift);
        slip_residual_at(w->p, w->model, 4, w->y, w->shift, r);
    }
    slip_solver_report(w->opt, w->iterations, r, slip_admm_rho(w), w->factorizations, w->y,
                       "admm");
}

/* ---- the watchdog -------------------------------------------------------------------------------------------- */

/* Whether impulses are so large, relative to those that would stop g, that rounding leaves no digits of the
 * velocities. */
static int admm_lost_precision(const slip_admm *w)
{
    slip_real size = 0, g = 0;
    int i;

    for (i = 0; i < w->n; ++i) {
        size = slip_max(size, w->y[i]*w->y[i]*w->W[i]);
        g = slip_max(g, w->p->g[i]*w->p->g[i]/w->W[i]);
    }
    return !(size <= SLIP_TOL(1e16, 1e8)*g);
}

/* Every ADMM_LOOK iterations: has the excess or the dual residual fallen below its least value at earlier looks? The
 * best excess of all is no measure: an early iterate may stay the best while impulses still grow to the size that a
 * heavy stack needs. */
static slip_status admm_check_progress(slip_admm *w)
{
    if (w->iterations % ADMM_LOOK != 0) return SLIP_OK;
    if (w->last_excess < SLIP_R(0.99)*w->look_excess || w->last_dual < SLIP_R(0.99)*w->look_dual) w->looks = 0;
    else ++w->looks;
    w->look_excess = slip_min(w->look_excess, w->last_excess);
    w->look_dual = slip_min(w->look_dual, w->last_dual);
    if (w->looks > 1 && admm_lost_precision(w)) return SLIP_DIVERGED;
    return w->looks >= ADMM_PATIENCE ? SLIP_STALLED : SLIP_OK;
}

int slip_admm_end_iteration(slip_admm *w)
{
    const int printed = w->opt->stop == SLIP_STOP_PRINTED;
    slip_residual r;
    int met = 0;

    ++w->iterations;
    w->judged = 0;
    if (printed) met = slip_max(slip_max(w->primal, w->dual), w->comp) <= w->opt->tol;   /* (43) */
    if (admm_is_due(w)) {
        const slip_real excess = admm_judge(w, &r);

        met = printed ? met : excess <= 1;
    }
    admm_report(w, &r);
    w->status = met ? SLIP_OK : admm_check_progress(w);
    if (met || w->status != SLIP_OK) return 0;
    if (!slip_budget_take(w->opt->budget)) w->status = SLIP_DEADLINE;    /* the next iteration is refused */
    return w->status == SLIP_OK;
}

/* ---- a whole solve ------------------------------------------------------------------------------------------- */

size_t slip_admm_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena count = slip_arena_counting();
    slip_admm w;

    slip_admm_carve(&w, p, opt, SLIP_MODEL_NCP, &count);
    return slip_arena_needed(&count);
}

static slip_status admm_close(slip_admm *w, slip_status status, slip_solution *sol)
{
    slip_residual r;

    sol->iterations = w->iterations;
    sol->factorizations = w->factorizations;
    sol->rho = slip_admm_rho(w);
    if (!w->judged) admm_judge(w, &r);                         /* the last iterate */
    if (!w->sigma_is_best) slip_problem_sigma(w->p, w->best, w->sigma);
    return slip_solver_close_at(w->p, w->opt, w->best, w->sigma, &w->best_residual,
                                w->model == SLIP_MODEL_NCP ? &w->best_residual : NULL, status, sol);
}

slip_status slip_admm_solve(const slip_problem *p, const slip_solver_options *opt, slip_contact_model model,
                            int weighted, slip_admm_loop *loop, slip_solution *sol, slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options storage;
    slip_status status;
    slip_admm w;

    if (!slip_solver_open(p, model, SLIP_TAKES_ALL, &opt, &storage, sol, &status)) return status;
    status = slip_admm_carve(&w, p, opt, model, scratch);
    if (status >= 0)
        status = slip_admm_start(&w, weighted, sol->warm ? sol->lambda : NULL, sol->warm ? sol->dual : NULL,
                                 sol->warm ? sol->rho : 0);
    if (status >= 0) {
        w.warm = sol->warm && sol->rho > 0;
        if ((opt->stop == SLIP_STOP_PRINTED || !slip_admm_is_solved(&w)) && slip_budget_take(opt->budget))
            status = loop(&w, opt->max_iterations > 0 ? opt->max_iterations : ADMM_ITERATIONS);
    }
    if (status >= 0) status = admm_close(&w, status, sol);
    slip_arena_release(scratch, mark);
    return sol->status = status;
}
