/* Staggered projections (LL Alg. 6, LL refs. 34 and 6): normal and tangential impulses in turn, each a convex problem.
 *
 *  1  for k = 1 ... M
 *  2      g_N~ <- g_N + G_NT lambda_T                (LL prints g_T; the normal problem needs g_N)
 *  3      lambda_N <- argmin over lambda >= 0 of 1/2 lambda'G_NN lambda + g_N~'lambda
 *  4      g_T~ <- g_T + G_TN lambda_N
 *  5      lambda_T <- argmin over |lambda_i| <= mu_i lambda_N,i of 1/2 lambda'G_TT lambda + g_T~'lambda
 *
 * Limits belong to line 3, and bilateral rows too, without the bound. Both problems are solved by prox_newton.c: away
 * from the fixed point to 10^-4 of the last change (half the Newton steps, the same rounds), at the end down to
 * rounding, as the fixed point is only as good as they are. Their proximal steps move along G lambda + g, hence the
 * impulses hold no internal forces (LL Tab. II). Line 3 is followed by a relaxation, lambda_N <- old + omega (new -
 * old), with Aitken's omega from the last two rounds: rounds that circle (strong coupling of friction into the normal)
 * are damped, rounds that creep are stretched. There is no proof of convergence. */
#include "solvers/staggered.h"
#include "solvers/prox_newton.h"
#include "solvers/scaled.h"

#include <string.h>

enum { STAGGERED_ROUNDS = 1000, STAGGERED_PATIENCE = 20 };

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_model_kind model;
    slip_scaling scale;
    slip_prox_newton N, T;
    int *rows_N, *rows_T;              /* rows of p behind each row of the two problems              */
    slip_real *base, *sub;             /* n: right-hand side and unknown of the problem at hand      */
    slip_real *x, *residual_N;         /* n: scaled impulses, last change that line 3 asked for      */
    slip_real *lambda, *sigma, *best;
    slip_real omega, cap;              /* relaxation, and its upper bound                            */
    slip_real delta, excess;           /* first proximal weight, best excess                         */
    slip_real inner;                   /* tolerance of the convex problems, scaled                   */
    int plain;                         /* even steps                                                 */
    slip_residual residual;
} staggered_work;

static int staggered_carve(staggered_work *w, const slip_problem *p, slip_arena *a)
{
    const size_t n = (size_t)p->n;
    const int nN = p->nc + p->nl + p->nb, nT = 2*p->nc;

    w->scale.D = slip_arena_reals(a, n);
    w->rows_N = slip_arena_ints(a, (size_t)nN);
    w->rows_T = slip_arena_ints(a, (size_t)nT);
    w->base = slip_arena_reals(a, n);
    w->sub = slip_arena_reals(a, n);
    w->x = slip_arena_reals(a, n);
    w->residual_N = slip_arena_reals(a, n);
    w->lambda = slip_arena_reals(a, n);
    w->sigma = slip_arena_reals(a, n);
    w->best = slip_arena_reals(a, n);
    return slip_prox_newton_carve(&w->N, nN, nN, a) && slip_prox_newton_carve(&w->T, nT, p->nc, a) && w->scale.D &&
           w->rows_N && w->rows_T && w->base && w->sub && w->x && w->residual_N && w->lambda && w->sigma &&
           w->best;
}

size_t slip_staggered_bytes(const slip_problem *p)
{
    slip_arena a = slip_arena_counting();
    staggered_work w;

    staggered_carve(&w, p, &a);
    return slip_arena_needed(&a);
}

/* ---- setting up ----------------------------------------------------------------------------------------- */

static void staggered_rows(staggered_work *w)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < slip_block_count(p); ++i) {
        slip_set *s = &w->N.sets[i];

        w->rows_N[i] = slip_block_row(p, i) + slip_block_dim(p, i) - 1;
        s->kind = slip_block_is_bilateral(p, i) ? SLIP_SET_FREE : SLIP_SET_PLUS;
        s->row = i;
        s->size = 0;
    }
    for (i = 0; i < p->nc; ++i) {
        slip_set *s = &w->T.sets[i];

        w->rows_T[2*i] = 3*i;
        w->rows_T[2*i + 1] = 3*i + 1;
        s->kind = w->model == SLIP_MODEL_LCP ? SLIP_SET_BOX : SLIP_SET_DISC;
        s->row = 2*i;
        s->size = 0;
    }
}

/* A of a subproblem: scaled symmetric part of G, and R, on the given rows. */
static void staggered_matrix(const staggered_work *w, const int *rows, slip_prox_newton *q)
{
    const slip_problem *p = w->p;
    const slip_real *D = w->scale.D;
    slip_real B[9], C[9];
    int i, j;

    for (i = 0; i < q->n; ++i) for (j = 0; j <= i; ++j) {
        const int a = rows[i], b = rows[j];
        const int ba = a < 3*p->nc ? a/3 : a - 2*p->nc, bb = b < 3*p->nc ? b/3 : b - 2*p->nc;
        const int da = slip_block_dim(p, ba), db = slip_block_dim(p, bb);
        const int ra = a - slip_block_row(p, ba), rb = b - slip_block_row(p, bb);
        slip_real v;

        slip_problem_block(p, ba, bb, B);
        slip_problem_block(p, bb, ba, C);
        v = D[a]*D[b]*(B[ra*db + rb] + C[rb*da + ra])/2;
        if (a == b && p->R) v += D[a]*D[a]*p->R[a];
        q->A[(size_t)i*(size_t)q->n + (size_t)j] = q->A[(size_t)j*(size_t)q->n + (size_t)i] = v;
    }
}

/* ---- a round ---------------------------------------------------------------------------------------------- */

/* Lines 2 and 4: base = sigma - A_qq x_q on the problem's rows, for G as given; sub = x_q. */
static void staggered_base(staggered_work *w, const int *rows, const slip_prox_newton *q)
{
    int i;

    slip_scaling_out(w->p, &w->scale, w->x, w->lambda);
    slip_problem_sigma(w->p, w->lambda, w->sigma);
    for (i = 0; i < q->n; ++i) w->sub[i] = w->x[rows[i]];
    for (i = 0; i < q->n; ++i)
        w->base[i] = w->scale.D[rows[i]]*w->sigma[rows[i]]/w->scale.unit
                   - slip_dot(q->n, q->A + (size_t)i*(size_t)q->n, w->sub);
}

/* Aitken's relaxation (Irons and Tuck): the secant through the last two residuals r = new - old along their
 * difference. */
static void staggered_relax(staggered_work *w)
{
    slip_real along = 0, size = 0;
    int i;

    for (i = 0; i < w->N.n; ++i) {
        const slip_real d = w->residual_N[i] - w->sub[i];

        along += w->residual_N[i]*d;
        size += d*d;
    }
    if (along <= 0) w->omega = slip_min(2*w->omega, w->cap);      /* residuals still grow: a root lies further on */
    else w->omega = slip_clamp(w->omega*along/size, SLIP_R(0.02)*w->cap, w->cap);
}

static void staggered_normal(staggered_work *w, int round)
{
    int i;

    staggered_base(w, w->rows_N, &w->N);                                                 /* 2 */
    slip_prox_newton_solve(&w->N, w->base, w->delta, w->inner, w->sub);                  /* 3 */
    for (i = 0; i < w->N.n; ++i) w->sub[i] -= w->x[w->rows_N[i]];
    if (round > 2 && !w->plain) staggered_relax(w);
    for (i = 0; i < w->N.n; ++i) {
        slip_real *x = &w->x[w->rows_N[i]];

        w->residual_N[i] = w->sub[i];
        *x += w->omega*w->sub[i];
        if (i < w->p->nc + w->p->nl) *x = slip_max(*x, 0);
    }
}

static void staggered_tangent(staggered_work *w)
{
    const slip_problem *p = w->p;
    int i;

    for (i = 0; i < p->nc; ++i) {                             /* the discs of now, the guess inside them */
        const slip_real r = slip_is_finite(p->mu[i]) ? p->mu[i]*w->x[3*i + 2] : p->mu[i];

        w->T.sets[i].size = r;
        w->x[3*i] = slip_clamp(w->x[3*i], -r, r);
        w->x[3*i + 1] = slip_clamp(w->x[3*i + 1], -r, r);
    }
    staggered_base(w, w->rows_T, &w->T);                                             /* 4 */
    slip_prox_newton_solve(&w->T, w->base, w->delta, w->inner, w->sub);                  /* 5 */
    for (i = 0; i < w->T.n; ++i) w->x[w->rows_T[i]] = w->sub[i];
}

static slip_real staggered_judge(staggered_work *w, int round)
{
    slip_residual r;
    slip_real excess;

    slip_scaling_out(w->p, &w->scale, w->x, w->lambda);
    slip_problem_sigma(w->p, w->lambda, w->sigma);
    slip_residual_at(w->p, w->model, 4, w->lambda, w->sigma, &r);
    slip_solver_tell(w->opt, round, &r, 0, w->N.factorizations + w->T.factorizations, "staggered");
    excess = slip_residual_excess(&r, w->opt->tol, w->opt->tol_rule);
    if (excess < w->excess || round == 1) {
        w->excess = excess;
        w->residual = r;
        memcpy(w->best, w->lambda, (size_t)w->p->n*sizeof(slip_real));
    }
    return excess;
}

/* Newton steps cost up to n^3, and a round takes dozens: with hundreds of contacts the limit on rounds alone would mean
 * hours. The bound below is 3300 steps with a hundred contacts, and out of sight with twenty. */
static int staggered_is_spent(const staggered_work *w)
{
    const slip_real steps = (slip_real)w->N.steps + (slip_real)w->T.steps, n = (slip_real)w->p->n;

    return steps*n*n > SLIP_R(3e8);
}

/* Rounds jump to and fro: smaller steps from the best; at last small and even ones from nothing, which for a single
 * contact climb to the first solution there is. */
static void staggered_slow_down(staggered_work *w)
{
    if (w->cap >= SLIP_R(1e-2)) {
        w->cap = w->omega = slip_min(1, w->cap)/4;
        slip_scaling_in(w->p, &w->scale, w->best, w->x);
    } else {
        w->plain = 1;
        w->omega = SLIP_R(0.1);
        memset(w->x, 0, (size_t)w->p->n*sizeof(slip_real));
    }
}

static slip_status staggered_loop(staggered_work *w, int *rounds)
{
    const int limit = w->opt->max_iterations > 0 ? w->opt->max_iterations : STAGGERED_ROUNDS;
    slip_real mark = (slip_real)INFINITY, excess;
    int k, since = 0;

    for (k = 1; k <= limit; ++k) {                                                       /* 1 */
        *rounds = k;
        w->delta = k == 1 ? SLIP_R(1e-2) : SLIP_R(1e-5);
        w->inner = SLIP_TOL(1e-15, 1e-6);
        if (k > 1) w->inner = slip_max(w->inner, SLIP_R(1e-4)*slip_max_abs(w->N.n, w->residual_N));
        staggered_normal(w, k);
        staggered_tangent(w);
        excess = staggered_judge(w, k);
        if (excess <= 1) return SLIP_OK;
        if (staggered_is_spent(w)) return SLIP_MAX_ITERS;
        if (excess < SLIP_R(0.95)*mark) { mark = excess;  since = k; }
        if (k - since > (w->plain ? 10 : 1)*STAGGERED_PATIENCE) {
            if (w->plain) return SLIP_STALLED;
            staggered_slow_down(w);
            mark = (slip_real)INFINITY;
            since = k;
        }
    }
    return SLIP_MAX_ITERS;
}

slip_status slip_staggered_solve(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                 slip_arena *scratch, slip_model_kind model)
{
    slip_solver_options storage;
    staggered_work w;
    slip_status status;
    size_t mark;

    if (!slip_solver_open(p, model, SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE, &opt, &storage,
                          sol, &status)) return status;
    mark = slip_arena_mark(scratch);
    if (!staggered_carve(&w, p, scratch)) {
        slip_arena_release(scratch, mark);
        return sol->status = SLIP_ERR_WORKSPACE;
    }
    w.p = p;
    w.opt = opt;
    w.model = model;
    w.omega = slip_min(1, opt->relaxation);
    w.cap = 4;
    w.plain = 0;
    w.excess = (slip_real)INFINITY;
    slip_scaling_make(p, &w.scale);
    staggered_rows(&w);
    staggered_matrix(&w, w.rows_N, &w.N);
    staggered_matrix(&w, w.rows_T, &w.T);
    memset(w.x, 0, (size_t)p->n*sizeof(slip_real));
    if (sol->warm) slip_scaling_in(p, &w.scale, sol->lambda, w.x);
    status = staggered_loop(&w, &sol->iterations);
    sol->factorizations = w.N.factorizations + w.T.factorizations;
    status = slip_solver_close(p, opt, w.best, w.sigma, &w.residual, status, sol);
    slip_arena_release(scratch, mark);
    return status;
}
