/* ccp-newton: primal non-smooth Newton with exact line search on the CCP with compliance (LL Sec. III, CR Tab. I).
 * MuJoCo's method with R = alpha diag(G), Drake's with a physical R.
 *
 *     min over v of  1/2 |v - v_free|_M^2 + ell(J v)             ell(c) = 1/2 lambda(c)'R lambda(c)
 *     lambda(c) = the R-projection of -R^-1 c on K_mu
 *
 *     repeat
 *         c <- J v,  lambda <- lambda(c)                          v = v_free + M^-1 J'x, so c = G x + g
 *         solve Hess d = -grad                                    grad = G (x - lambda), Hess = G + G H G
 *         v <- v + a d, a the exact minimum along d
 *
 * The contact space has no M, and needs none: v runs over v_free + range(M^-1 J'), where the step's parts are those of
 * cone_newton.c, with sparse factorisations where G is sparse. R comes from p->R and the option `regularization`
 * (alpha). Rows that have neither would make ell infinite: they get a proximal weight delta around the last lambda
 * instead, in a loop in which its effect goes to zero, so the rigid CCP itself is solved (LL's objection to the shift
 * does not apply then):
 *
 *     for k = 1, 2, ...   lambda <- argmin over K of the CCP's energy + delta_k/2 |lambda - lambda_k|^2,  delta_k -> 0
 *
 * with |.| in units of the blocks' own diagonals. The same loop carries the antisymmetric part of a slightly asymmetric
 * G to the right-hand side. */
#include "solvers/cone_newton.h"
#include "solvers/solver.h"
#include "solvers/solvers.h"

#include <string.h>

enum { CNEWTON_ROUNDS = 60 };

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_cone_newton q;
    slip_real *shift;        /* n: compliance R + alpha diag(G)                                        */
    slip_real *best, *sigma, *x;
    slip_residual residual;
    slip_real excess;
    int steps;
} cnewton_work;

static int cnewton_carve(cnewton_work *w, const slip_problem *p, slip_arena *a)
{
    const size_t n = (size_t)p->n;

    w->p = p;
    w->shift = slip_arena_reals(a, n);
    w->best = slip_arena_reals(a, n);
    w->sigma = slip_arena_reals(a, n);
    w->x = slip_arena_reals(a, n);
    return w->shift && w->best && w->sigma && w->x && slip_cone_newton_carve(&w->q, p, a);
}

/* The CCP with R + alpha diag(G), judged for G as given. */
static slip_real cnewton_judge(cnewton_work *w, const slip_real *lambda, slip_residual *r)
{
    int i;

    slip_problem_velocity(w->p, lambda, w->sigma);
    for (i = 0; i < w->p->n; ++i) w->sigma[i] += w->shift[i]*lambda[i];
    slip_residual_at(w->p, SLIP_MODEL_CCP, 0, lambda, w->sigma, r);
    return slip_residual_excess(r, w->opt->tol, w->opt->tol_rule);
}

static void cnewton_report(cnewton_work *w)
{
    slip_residual r;

    if (!w->opt->history) return;
    cnewton_judge(w, w->q.lambda, &r);
    slip_solver_report(w->opt, w->steps, &r, 0, w->q.factorizations, w->q.lambda, "newton");
}

/* Newton's method on v for the given R = W and g, at most `most` steps, down to rounding: until the gradient's velocity
 * is below 1e-13 of |c| + |g|, or does not fall by a tenth for 8 steps (for 1 step below 1e-10). */
static void cnewton_minimise(cnewton_work *w, int most)
{
    slip_cone_newton *q = &w->q;
    slip_real gap = slip_cone_newton_evaluate(q), least = (slip_real)INFINITY;       /* c <- J v, lambda <- lambda(c) */
    int it, i, flat = 0;

    for (it = 0; it < most && slip_budget_take(w->opt->budget); ++it) {
        const slip_real size = slip_cone_newton_size(q, q->c) + slip_cone_newton_size(q, q->g);
        slip_real a;

        flat = gap < SLIP_R(0.9)*least ? 0 : flat + 1;
        least = slip_min(least, gap);
        if (gap <= SLIP_TOL(1e-13, 1e-6)*size || !slip_is_finite(gap)) return;
        if (flat > (gap <= SLIP_TOL(1e-10, 1e-4)*size ? 1 : 8)) return;                /* rounding */
        w->steps++;
        if (!slip_cone_newton_direction(q)) return;                                    /* Hess d = -grad */
        a = slip_cone_newton_line_search(q);
        for (i = 0; i < q->n; ++i) q->x[i] += a*q->d[i];                               /* v <- v + a d */
        gap = slip_cone_newton_evaluate(q);                                          /* c <- J v, lambda <- lambda(c) */
        cnewton_report(w);
    }
}

static void cnewton_start(cnewton_work *w, const slip_solver_options *opt, const slip_solution *sol)
{
    const slip_problem *p = w->p;
    int i;

    w->opt = opt;
    slip_cone_newton_setup(&w->q);
    w->steps = 0;
    slip_problem_diagonal(p, w->shift);
    for (i = 0; i < p->n; ++i) {
        w->shift[i] = opt->regularization*w->shift[i] + (p->R ? p->R[i] : 0);
        w->x[i] = sol->warm ? sol->lambda[i] : 0;
    }
    slip_problem_project(p, w->x, w->x);
    memcpy(w->best, w->x, (size_t)p->n*sizeof(slip_real));
    w->excess = cnewton_judge(w, w->best, &w->residual);
}

/* One proximal step from w->x: right-hand side for G as given, then Newton; the answer goes to w->x. */
static void cnewton_round(cnewton_work *w, slip_real delta, int most)
{
    slip_cone_newton *q = &w->q;
    int i;

    slip_problem_velocity(w->p, w->x, w->sigma);
    slip_cone_newton_product(q, w->x, q->u);
    for (i = 0; i < q->n; ++i) {
        const slip_real weight = delta/(q->D[i]*q->D[i]), prox = slip_max(0, weight - w->shift[i]);

        q->W[i] = w->shift[i] + prox;
        q->g[i] = w->sigma[i] - q->u[i] - prox*w->x[i];                      /* g + (G - sym G) lambda - prox lambda */
    }
    memcpy(q->x, w->x, (size_t)q->n*sizeof(slip_real));
    cnewton_minimise(w, most);
    memcpy(w->x, q->lambda, (size_t)q->n*sizeof(slip_real));
}

/* Judges x, keeps it when it is the best so far; returns its excess. */
static slip_real cnewton_keep(cnewton_work *w, const slip_real *x)
{
    slip_residual r;
    const slip_real excess = cnewton_judge(w, x, &r);

    if (excess < w->excess) {
        w->excess = excess;
        w->residual = r;
        memcpy(w->best, x, (size_t)w->p->n*sizeof(slip_real));
    }
    return excess;
}

/* Continues from the better of two iterates: lambda(c) has the rounding of c divided by a small W, the projection of x
 * the error of an x that is not yet in K. Returns the factor of progress. */
static slip_real cnewton_choose(cnewton_work *w)
{
    const slip_real before = w->excess, answer = cnewton_keep(w, w->x);

    if (answer > 1) {
        slip_problem_project(w->p, w->q.x, w->q.x);
        if (cnewton_keep(w, w->q.x) < answer) memcpy(w->x, w->q.x, (size_t)w->p->n*sizeof(slip_real));
    }
    return w->excess/before;
}

/* The proximal loop: delta falls tenfold from round to round. */
static slip_status cnewton_loop(cnewton_work *w, int warm)
{
    const slip_real least = SLIP_TOL(1e-9, 1e-5);
    const int limit = w->opt->max_iterations > 0 ? w->opt->max_iterations : 2000;
    slip_real delta = warm ? SLIP_R(1e-5) : SLIP_R(1e-2);
    int k, flat = 0;

    for (k = 0; k < CNEWTON_ROUNDS && w->excess > 1; ++k) {
        const int left = limit - w->steps;

        if (left <= 0 || slip_budget_is_over(w->opt->budget)) return SLIP_MAX_ITERS;
        cnewton_round(w, delta, left < 80 ? left : 80);
        flat = cnewton_choose(w) < SLIP_R(0.5) || delta > least ? 0 : flat + 1;
        if (flat > 6) return SLIP_STALLED;
        delta = slip_max(least, delta/10);
    }
    return w->excess <= 1 ? SLIP_OK : SLIP_STALLED;
}

slip_status slip_ccp_newton(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                            slip_arena *scratch)
{
    slip_solver_options storage;
    cnewton_work w;
    slip_status status;
    size_t mark;

    if (!slip_solver_open(p, SLIP_MODEL_CCP, SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE, &opt,
                          &storage, sol, &status)) return status;
    mark = slip_arena_mark(scratch);
    if (!cnewton_carve(&w, p, scratch)) {
        slip_arena_release(scratch, mark);
        return sol->status = SLIP_ERR_WORKSPACE;
    }
    cnewton_start(&w, opt, sol);
    status = cnewton_loop(&w, sol->warm);
    sol->iterations = w.steps;
    sol->factorizations = w.q.factorizations;
    status = slip_solver_close(p, opt, w.best, w.sigma, &w.residual, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}

size_t slip_ccp_newton_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena a = slip_arena_counting();
    cnewton_work w;

    (void)opt;
    cnewton_carve(&w, p, &a);
    return slip_arena_needed(&a);
}

const slip_solver slip_solver_ccp_newton = {
    .id = "ccp-newton", .model = SLIP_MODEL_CCP,
    .about = "primal Newton on the regularised convex problem",
    .paper = "LL Sec. III, CR Tab. I", .engines = "MuJoCo, Drake",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_REGULARIZATION,
    .solve = slip_ccp_newton, .bytes = slip_ccp_newton_bytes,
    .work = slip_work_of_factorisations, .sweeps = &slip_solver_ccp_gs
};
