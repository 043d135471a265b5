/* Proximal ADMM. See admm.h for the algorithm and where it parts from the paper. */
#include "solvers/admm.h"

#define ADMM_ITERATIONS    50000
#define ADMM_FREE_MOVES    10                       /* iterations in which rho may move at will              */
#define ADMM_MOVE_EVERY    10
#define ADMM_CHECK_EVERY   10                       /* the true criterion is looked at this often at least  */
#define ADMM_CHECK_WITHIN  10                       /* and when it is expected within so many times the goal */
#define ADMM_POWER_START   SLIP_R(0.25)
#define ADMM_POWER_STEPS   8
#define ADMM_WARM          50                       /* iterations in which a warm start is taken for a good one */
#define ADMM_RELAX_AFTER   3                        /* sticking contacts are done before, and would overshoot   */
#define ADMM_WARM_TUBE     10                       /* a known rho is left alone in a tube so much wider        */
#define ADMM_AWAY          1000                     /* iterations between looks at whether impulses run away    */
#define ADMM_TRIES         8                        /* factorisations with a larger rho each, where G is indefinite */
#define ADMM_MORE          4
#define ADMM_PATIENCE      20000                    /* iterations without progress of 1 % that end a run    */

slip_status slip_admm_carve(slip_admm *w, const slip_problem *p, const slip_solver_options *opt,
                            slip_model_kind model, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena), n = (size_t)p->n;
    slip_status status;

    arena->failed = 0;
    w->p = p;
    w->opt = opt;
    w->model = model;
    w->n = p->n;
    w->m = slip_block_count(p);
    w->W = slip_arena_reals(arena, n);
    w->f = slip_arena_reals(arena, n);
    w->y = slip_arena_reals(arena, n);
    w->z = slip_arena_reals(arena, n);
    w->f_old = slip_arena_reals(arena, n);
    w->y_old = slip_arena_reals(arena, n);
    w->sigma = slip_arena_reals(arena, n);
    w->shift = slip_arena_reals(arena, n);
    w->best = slip_arena_reals(arena, n);
    w->mark = slip_arena_reals(arena, n);
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

/* Largest eigenvalue of W^-1/2 (G + R) W^-1/2 by power iteration, from below; f and sigma are scratch. */
static slip_real admm_largest(slip_admm *w)
{
    const slip_problem *p = w->p;
    slip_real value = 1;
    int i, k;

    for (i = 0; i < w->n; ++i) w->f[i] = (SLIP_R(1.0) + SLIP_R(0.25)*(slip_real)((i*7) % 5))/slip_sqrt(w->W[i]);
    for (k = 0; k < ADMM_POWER_STEPS; ++k) {
        slip_real before = 0, after = 0;

        for (i = 0; i < w->n; ++i) before += w->f[i]*w->f[i]*w->W[i];
        slip_problem_apply(p, w->f, w->sigma);
        for (i = 0; i < w->n; ++i) {
            w->f[i] = (w->sigma[i] + (p->R ? p->R[i]*w->f[i] : 0))/w->W[i];
            after += w->f[i]*w->f[i]*w->W[i];
        }
        if (!(after > 0)) return 1;
        value = slip_sqrt(after/before);
        for (i = 0; i < w->n; ++i) w->f[i] /= value;
    }
    return slip_max(value, 1);
}

/* Factors G + R + (eta + rho) W. A G that rounding left a little indefinite may need more than this rho: then it gets
 * more, and never less again. */
static slip_status admm_factor(slip_admm *w)
{
    slip_status status = SLIP_ERR_NOT_SPD;
    int i, tries;

    w->since = 0;
    w->rho = slip_max(w->rho, w->least);
    for (tries = 0; tries < ADMM_TRIES && status == SLIP_ERR_NOT_SPD; ++tries) {
        const slip_real weight = w->eta + w->rho;

        ++w->factorizations;
        for (i = 0; i < w->n; ++i) w->shift[i] = weight*w->W[i] + (w->p->R ? w->p->R[i] : 0);
        status = slip_gfactor_shift(&w->factor, w->p, w->shift);
        if (status == SLIP_ERR_NOT_SPD) w->rho = w->least = ADMM_MORE*w->rho;
    }
    return status;
}

static slip_real admm_mean_weight(const slip_admm *w)
{
    slip_real sum = 0;
    int i;

    for (i = 0; i < w->n; ++i) sum += w->W[i];
    return sum/(slip_real)w->n;
}

slip_real slip_admm_rho(const slip_admm *w)
{
    return w->rho*admm_mean_weight(w);
}

/* rho = sqrt(m L) (L/m)^p with m = eta (45). */
static slip_real admm_spectral(const slip_admm *w)
{
    return slip_sqrt(w->eta*w->bound)*slip_pow(w->bound/w->eta, w->power);
}

/* z of an earlier solution, sigma + Gamma(sigma); the CCP's is sigma alone. */
static void admm_carry_dual(slip_admm *w, const slip_real *z)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < w->n; ++i) w->z[i] = z[i];
    if (w->model == SLIP_MODEL_NCP) return;
    for (i = 0; i < p->nc; ++i) if (slip_is_finite(p->mu[i])) w->z[3*i + 2] -= p->mu[i]*slip_norm2(z + 3*i);
}

slip_status slip_admm_start(slip_admm *w, const slip_real *lambda, const slip_real *z, slip_real rho)
{
    int i;

    admm_weights(w);
    w->eta = w->opt->eta;
    w->power = ADMM_POWER_START;
    w->bound = 0;
    w->iterations = w->factorizations = 0;
    w->least = 0;
    w->best_excess = w->stuck_excess = w->look_excess = w->look_dual = w->primal = w->dual = (slip_real)INFINITY;
    w->stuck_since = w->told = 0;
    w->warm = 0;
    if (rho <= 0) rho = w->opt->rho;
    if (rho > 0) {
        w->rho = rho/admm_mean_weight(w);
    } else {
        w->bound = admm_largest(w);
        w->rho = admm_spectral(w);
    }
    for (i = 0; i < w->n; ++i) w->y[i] = lambda ? lambda[i] : 0;
    slip_problem_project(w->p, w->y, w->y);
    slip_problem_sigma(w->p, w->y, w->sigma);
    for (i = 0; i < w->n; ++i) w->f[i] = w->best[i] = w->mark[i] = w->y[i];
    if (z) admm_carry_dual(w, z);
    else if (!lambda) for (i = 0; i < w->n; ++i) w->z[i] = 0;
    else if (w->model == SLIP_MODEL_NCP) slip_problem_desaxce(w->p, w->sigma, w->z);
    else for (i = 0; i < w->n; ++i) w->z[i] = w->sigma[i];
    return admm_factor(w);
}

/* y meets the tolerance? Keeps the best. */
static int admm_judge(slip_admm *w)
{
    slip_residual r;
    slip_real excess;
    int i;

    slip_problem_sigma(w->p, w->y, w->sigma);
    slip_residual_at(w->p, w->model, 4, w->y, w->sigma, &r);
    excess = slip_residual_excess(&r, w->opt->tol, w->opt->tol_rule);
    w->last_excess = excess;
    w->last_dual = r.eps_dual;
    w->checked = w->primal + w->dual;
    w->sigma_is_best = excess < w->best_excess;
    if (w->sigma_is_best) {
        w->best_excess = excess;
        w->best_residual = r;
        for (i = 0; i < w->n; ++i) w->best[i] = w->y[i];
    }
    slip_solver_tell(w->opt, w->told + w->iterations, &r, slip_admm_rho(w), w->factorizations, "admm");
    return excess <= 1;
}

/* Subtracts the antisymmetric part of G times y: (G y - G' y)/2. */
static void admm_subtract_antisymmetric(const slip_admm *w, slip_real *b)
{
    const slip_problem *p = w->p;
    int i, j, k;

    if (p->G.form == SLIP_G_DENSE) {
        const size_t ld = (size_t)p->G.ld;

        for (i = 0; i < w->n; ++i) {
            const slip_real *row = p->G.dense + (size_t)i*ld;
            slip_real s = 0;

            for (j = 0; j < w->n; ++j) {
                s += row[j]*w->y[j];
                b[j] += row[j]*w->y[i]/2;
            }
            b[i] -= s/2;
        }
        return;
    }
    for (i = 0; i < w->m; ++i) {
        const int ri = slip_block_row(p, i), di = slip_block_dim(p, i);

        for (k = p->G.start[i]; k < p->G.start[i + 1]; ++k) {
            const int rj = slip_block_row(p, p->G.col[k]), dj = slip_block_dim(p, p->G.col[k]);
            const slip_real *B = p->G.val + p->G.at[k];
            int r, c;

            for (r = 0; r < di; ++r)
                for (c = 0; c < dj; ++c) {
                    b[ri + r] -= B[r*dj + c]*w->y[rj + c]/2;
                    b[rj + c] += B[r*dj + c]*w->y[ri + r]/2;
                }
        }
    }
}

/* Lines 2 to 4. */
static void admm_f_step(slip_admm *w)
{
    const slip_problem *p = w->p;
    slip_real *f = w->f;
    int i;

    for (i = 0; i < w->n; ++i) {
        w->f_old[i] = f[i];
        f[i] = w->z[i] - p->g[i] + w->W[i]*(w->eta*f[i] + w->rho*w->y[i]);
    }
    if (w->model == SLIP_MODEL_NCP)
        for (i = 0; i < p->nc; ++i)
            if (slip_is_finite(p->mu[i])) f[3*i + 2] -= p->mu[i]*slip_norm2(w->z + 3*i);
    if (!p->G.symmetric && p->G.form != SLIP_G_FACTOR) admm_subtract_antisymmetric(w, f);
    slip_gfactor_solve(&w->factor, f);
}

/* Lines 5 to 7. With x = f - z/(rho W), line 6 is z = rho W (y - x). Residuals are weighted as W makes
 * them comparable: f - y by sqrt(W), the dual one by 1/sqrt(W). */
static void admm_y_step(slip_admm *w)
{
    const slip_real relax = w->warm && w->iterations > ADMM_RELAX_AFTER ? w->opt->over_relaxation : 1;
    slip_real primal = 0, dual = 0;
    int i;

    for (i = 0; i < w->n; ++i) {
        w->y_old[i] = w->y[i];
        w->y[i] += relax*(w->f[i] - w->y[i]) - w->z[i]/(w->rho*w->W[i]);
        w->z[i] = w->y[i];
    }
    slip_problem_project(w->p, w->y, w->y);
    for (i = 0; i < w->n; ++i) {
        const slip_real prim = w->f[i] - w->y[i];
        const slip_real du = w->eta*(w->f[i] - w->f_old[i]) + w->rho*(w->y[i] - w->y_old[i]);

        w->z[i] = w->rho*w->W[i]*(w->y[i] - w->z[i]);
        primal = slip_max(primal, prim*prim*w->W[i]);
        dual = slip_max(dual, du*du*w->W[i]);
    }
    w->primal = slip_sqrt(primal);
    w->dual = slip_sqrt(dual);
}

/* Line 11. Returns 1 when rho moved. */
static int admm_move_rho(slip_admm *w)
{
    const slip_solver_options *o = w->opt;
    const int every = o->rho_every > 0 ? o->rho_every : ADMM_MOVE_EVERY;
    const slip_real tube = w->warm ? ADMM_WARM_TUBE*o->rho_tube : o->rho_tube;
    const int up = w->primal > tube*w->dual, down = w->dual > tube*w->primal;

    ++w->since;
    w->warm = w->warm && w->iterations < ADMM_WARM;
    if (o->rho_rule == SLIP_RHO_FIXED || !(up || down)) return 0;
    if (w->iterations > ADMM_FREE_MOVES && w->since < every) return 0;
    if (o->rho_rule == SLIP_RHO_LINEAR) {
        w->rho = up ? w->rho*o->rho_factor : w->rho/o->rho_factor;
    } else {
        const slip_real bound = w->bound > 0 ? w->bound : 1;
        const slip_real factor = slip_pow(bound/w->eta, o->rho_power);      /* kappa^p */

        w->rho = up ? w->rho*factor : w->rho/factor;
    }
    return 1;
}

/* Whether the true criterion, which costs a product with G, is worth computing: now and then, and when the cheap
 * residuals, falling as it does, say that it may be near. */
static int admm_promising(const slip_admm *w)
{
    return w->opt->history || w->iterations % ADMM_CHECK_EVERY == 0
        || (w->primal + w->dual)*w->last_excess <= ADMM_CHECK_WITHIN*w->checked;
}

/* Whether y runs away along a direction d that G does not feel and that g pushes along: d in K, G d = 0, g.d < 0. No
 * impulse then brings the velocity g.d to zero, unless contacts slide; it is asked only where nothing gets better. */
static int admm_runs_away(slip_admm *w)
{
    const slip_problem *p = w->p;
    slip_real *d = w->shift, *Gd = w->sigma, size = 0, image = 0, outside = 0, push = 0, g = 0;
    int i;

    for (i = 0; i < w->n; ++i) d[i] = w->y[i] - w->mark[i];
    slip_problem_apply(p, d, Gd);
    w->sigma_is_best = 0;
    for (i = 0; i < w->n; ++i) {
        const slip_real root = slip_sqrt(w->W[i]);

        size = slip_max(size, slip_abs(d[i])*root);
        image = slip_max(image, slip_abs(Gd[i] + (p->R ? p->R[i]*d[i] : 0))/root);
        g = slip_max(g, slip_abs(p->g[i])/root);
        push += p->g[i]*d[i];
    }
    slip_problem_project(p, d, Gd);
    for (i = 0; i < w->n; ++i) outside = slip_max(outside, slip_abs(Gd[i] - d[i])*slip_sqrt(w->W[i]));
    return image <= SLIP_TOL(1e-4, 1e-2)*size && outside <= SLIP_TOL(1e-4, 1e-2)*size && push < SLIP_R(-1e-3)*size*g;
}

/* Whether impulses are so large, against those that would stop g, that rounding leaves no digits of the velocities. */
static int admm_is_wild(const slip_admm *w)
{
    slip_real size = 0, g = 0;
    int i;

    for (i = 0; i < w->n; ++i) {
        size = slip_max(size, w->y[i]*w->y[i]*w->W[i]);
        g = slip_max(g, w->p->g[i]*w->p->g[i]/w->W[i]);
    }
    return !(size <= SLIP_TOL(1e16, 1e8)*g);
}

/* Looks every ADMM_AWAY iterations whether the verdict or the dual residual is lower than at all looks before: the
 * best verdict may be an early one, long unbeaten while impulses still grow to what a heavy stack needs. */
static void admm_look(slip_admm *w)
{
    if (w->last_excess < SLIP_R(0.99)*w->look_excess || w->last_dual < SLIP_R(0.99)*w->look_dual)
        w->stuck_since = w->iterations;
    w->look_excess = slip_min(w->look_excess, w->last_excess);
    w->look_dual = slip_min(w->look_dual, w->last_dual);
}

/* Rounding, or a problem without a solution, ends progress long before the iteration limit. SLIP_OK: go on. */
static slip_status admm_is_stuck(slip_admm *w)
{
    int i, stuck;

    if (w->best_excess < SLIP_R(0.99)*w->stuck_excess) {
        w->stuck_excess = w->best_excess;
        w->stuck_since = w->iterations;
    }
    if (w->iterations % ADMM_AWAY == 0) admm_look(w);
    stuck = w->iterations - w->stuck_since;
    if (w->iterations % ADMM_AWAY == 0) {
        const int grew = slip_max_abs(w->n, w->y) > SLIP_R(1.2)*slip_max_abs(w->n, w->mark);

        if (stuck > ADMM_AWAY && (admm_is_wild(w) || (grew && admm_runs_away(w)))) return SLIP_DIVERGED;
        for (i = 0; i < w->n; ++i) w->mark[i] = w->y[i];
    }
    return stuck >= ADMM_PATIENCE ? SLIP_STALLED : SLIP_OK;
}

slip_status slip_admm_run(slip_admm *w, int steps)
{
    slip_status status;
    int k;

    if (admm_judge(w)) return SLIP_OK;
    for (k = 0; k < steps; ++k) {
        ++w->iterations;
        admm_f_step(w);
        admm_y_step(w);
        if (admm_promising(w) && admm_judge(w)) return SLIP_OK;
        status = admm_is_stuck(w);
        if (status == SLIP_OK && admm_move_rho(w)) status = admm_factor(w);
        if (status != SLIP_OK) return status;
    }
    return SLIP_MAX_ITERS;
}

size_t slip_admm_bytes(const slip_problem *p, const slip_solver_options *opt, slip_model_kind model)
{
    slip_arena count = slip_arena_counting();
    slip_admm w;

    slip_admm_carve(&w, p, opt, model, &count);
    return slip_arena_needed(&count);
}

slip_status slip_admm_solve(const slip_problem *p, const slip_solver_options *opt, slip_model_kind model,
                            slip_solution *sol, slip_arena *scratch)
{
    const unsigned takes = SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE;
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options storage;
    slip_status status;
    slip_admm w;

    if (!slip_solver_open(p, model, takes, &opt, &storage, sol, &status)) return status;
    status = slip_admm_carve(&w, p, opt, model, scratch);
    if (status >= 0)
        status = slip_admm_start(&w, sol->warm ? sol->lambda : NULL, sol->warm ? sol->dual : NULL,
                                 sol->warm ? sol->rho : 0);
    w.warm = sol->warm && sol->rho > 0;
    if (status >= 0) status = slip_admm_run(&w, opt->max_iterations > 0 ? opt->max_iterations : ADMM_ITERATIONS);
    if (status >= 0) {
        sol->iterations = w.iterations;
        sol->factorizations = w.factorizations;
        sol->rho = slip_admm_rho(&w);
        if (!w.sigma_is_best) slip_problem_sigma(p, w.best, w.sigma);
        status = slip_solver_close_at(p, opt, w.best, w.sigma, &w.best_residual,
                                      model == SLIP_MODEL_NCP ? &w.best_residual : NULL, status, sol);
    }
    slip_arena_release(scratch, mark);
    return sol->status = status;
}
