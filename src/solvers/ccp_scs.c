/* ccp-scs: the CCP as a cone program by the operator splitting of SCS, CR's baseline (CR Fig. 5, ref. 42).
 *
 *     min 1/2 x'P x + c'x  over  A x + s = b, s in K             x = lambda, P = G + R, c = g, A = -Id, b = 0
 *
 * K holds a friction cone per contact (a second-order cone in (mu lambda_N, lambda_T)), a half-line per limit, a line
 * per bilateral row; y in K* is sigma. SCS 3 solves the homogeneous self-dual embedding of its optimality conditions
 * (O'Donoghue, Chu, Parikh, Boyd 2016; with a quadratic objective: O'Donoghue 2021) by Douglas-Rachford splitting. With
 * z = (x, y), M = (P A'; -A 0), q = (c, b), u = (z, tau):
 *
 *     1   p <- (R + M)^-1 R w_z                                 R = diag(rho_x, 1/scale);  r = (R + M)^-1 q, kept
 *     2   tau~ <- the root >= 0 of  tau^2 (d + r'R r) + tau (r'R w_z - 2 r'R p - d w_tau) + p'R (p - w_z)
 *     3   z~ <- p - r tau~
 *     4   u <- the projection of 2 u~ - w on R^n x K* x [0, oo)
 *     5   w <- w + alpha (u - u~)
 *         s <- (u_y + w_y - 2 y~)/scale                         in K;  lambda = s/tau
 *
 * (R + M) is solved by one factorisation of P + rho_x + scale. As in SCS: alpha = 1.5 (option over_relaxation), rho_x =
 * 1e-6, scale = 0.1 at first, moved at most every 100 iterations when primal and dual residual, each relative, are more
 * than a factor of ten apart on the mean; residuals are computed every 25. tau -> 0 shows that there is no solution.
 *
 * SCS equilibrates its data; here one number D per block makes the diagonal of P about 1 and the largest entry of c 1
 * (scaled.h), which does not change the cones. The antisymmetric part of a G that is not quite symmetric is added to c,
 * at the lambda last judged. */
#include "contact/delassus.h"
#include "solvers/scaled.h"
#include "solvers/solvers.h"

#include <string.h>

#define SCS_ITERATIONS   20000                      /* CR Tab. II's limit                                    */
#define SCS_EVERY        25                         /* iterations between residuals, as in SCS               */
#define SCS_RESCALE      100                        /* iterations between changes of scale, as in SCS        */
#define SCS_ALPHA        SLIP_R(1.5)
#define SCS_RHO_X        SLIP_TOL(1e-6, 1e-4)       /* SCS: 1e-6; float has no digits for it                 */
#define SCS_SCALE        SLIP_R(0.1)
#define SCS_UNBOUNDED    SLIP_TOL(1e-7, 1e-4)       /* SCS's eps_infeas                                      */

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    int n;
    slip_scaling D;
    slip_real *wx, *wy, w_tau;         /* the splitting's variable                                            */
    slip_real *x, *y, tau;             /* u                                                                   */
    slip_real *px, *py;                /* p, then z~                                                          */
    slip_real *rx, *ry;                /* r                                                                   */
    slip_real *c, *s;                  /* scaled g; s                                                         */
    slip_real *shift, *lambda, *sigma, *best;
    slip_gfactor factor;
    slip_real scale, log_ratio;        /* 1/rho_y; sum of the logarithms of primal over dual residual         */
    int looks, since;                  /* terms of that sum; iterations since scale moved                     */
    int iterations, factorizations;
    slip_residual residual;
    slip_real excess;
} scs_work;

static slip_status scs_carve(scs_work *w, const slip_problem *p, slip_arena *a)
{
    slip_real **const arrays[] = { &w->D.D, &w->wx, &w->wy, &w->x, &w->y, &w->px, &w->py, &w->rx, &w->ry, &w->c, &w->s,
                                   &w->shift, &w->lambda, &w->sigma, &w->best };
    size_t k;

    a->failed = 0;
    w->p = p;
    w->n = p->n;
    for (k = 0; k < sizeof arrays/sizeof *arrays; ++k) *arrays[k] = slip_arena_reals(a, (size_t)p->n);
    return a->failed ? SLIP_ERR_WORKSPACE : slip_gfactor_prepare(&w->factor, p, a);
}

/* ---- the linear system ------------------------------------------------------------------------------------ */

/* (x, y) <- (R + M)^-1 (x, y): (P + rho_x + scale) x = a + scale b, y = scale (b - x). The matrix is factored in the
 * problem's units, D^-1 (...) D^-1. */
static void scs_solve_linear(const scs_work *w, slip_real *x, slip_real *y)
{
    int i;

    for (i = 0; i < w->n; ++i) x[i] = (x[i] + w->scale*y[i])/w->D.D[i];
    slip_gfactor_solve(&w->factor, x);
    for (i = 0; i < w->n; ++i) {
        x[i] /= w->D.D[i];
        y[i] = w->scale*(y[i] - x[i]);
    }
}

/* r = (R + M)^-1 q, q = (c, 0). */
static void scs_make_r(scs_work *w)
{
    memcpy(w->rx, w->c, (size_t)w->n*sizeof *w->rx);
    memset(w->ry, 0, (size_t)w->n*sizeof *w->ry);
    scs_solve_linear(w, w->rx, w->ry);
}

/* Factors P + rho_x + scale, and makes r. */
static slip_status scs_factor(scs_work *w)
{
    slip_status status;
    int i;

    for (i = 0; i < w->n; ++i)
        w->shift[i] = (SCS_RHO_X + w->scale)/(w->D.D[i]*w->D.D[i]) + (w->p->R ? w->p->R[i] : 0);
    ++w->factorizations;
    status = slip_gfactor_shift(&w->factor, w->p, w->shift);
    if (status >= 0) scs_make_r(w);
    return status;
}

/* a'R b over both parts. */
static slip_real scs_inner(const scs_work *w, const slip_real *ax, const slip_real *ay, const slip_real *bx,
                           const slip_real *by)
{
    return SCS_RHO_X*slip_dot(w->n, ax, bx) + slip_dot(w->n, ay, by)/w->scale;
}

/* Line 2, with d = 1; p is the first point. */
static slip_real scs_tau(const scs_work *w)
{
    const slip_real a = 1 + scs_inner(w, w->rx, w->ry, w->rx, w->ry);
    const slip_real b = scs_inner(w, w->rx, w->ry, w->wx, w->wy) - 2*scs_inner(w, w->rx, w->ry, w->px, w->py)
                      - w->w_tau;
    const slip_real c = scs_inner(w, w->px, w->py, w->px, w->py) - scs_inner(w, w->px, w->py, w->wx, w->wy);

    return (slip_sqrt(slip_max(0, b*b - 4*a*c)) - b)/(2*a);
}

/* ---- the residuals ---------------------------------------------------------------------------------------- */

/* The CCP's criterion of lambda = s/tau; keeps the best, unless it is computed for the history callback alone. */
static slip_real scs_judge(scs_work *w, slip_residual *r)
{
    const slip_real by = w->tau > 0 ? 1/w->tau : 1;
    int i;

    for (i = 0; i < w->n; ++i) w->lambda[i] = by*w->s[i];
    slip_scaling_out(w->p, &w->D, w->lambda, w->lambda);
    slip_problem_sigma(w->p, w->lambda, w->sigma);
    slip_residual_at(w->p, SLIP_MODEL_CCP, 0, w->lambda, w->sigma, r);
    return slip_residual_excess(r, w->opt->tol, w->opt->tol_rule);
}

/* SCS's residuals in the problem's units; the last three, of the certificate, scaled. Overwrites lambda, sigma. */
typedef struct { slip_real primal, dual, gap, primal_size, dual_size, gap_size, Px, ray, cx; } scs_residuals;

/* Largest entries of s - x (primal) and P x + c - y (dual), the gap |x'P x + c'x|; of the certificate P x, s - x,
 * c'x. */
static scs_residuals scs_residuals_of(scs_work *w)
{
    const slip_problem *p = w->p;
    const slip_real by = w->tau > 0 ? w->D.unit/w->tau : w->D.unit;
    scs_residuals r;
    slip_real xPx = 0;
    int i;

    memset(&r, 0, sizeof r);
    for (i = 0; i < w->n; ++i) w->lambda[i] = by*w->D.D[i]*w->x[i];
    slip_problem_sigma(p, w->lambda, w->sigma);
    for (i = 0; i < w->n; ++i) {
        const slip_real s = by*w->D.D[i]*w->s[i], y = by*w->y[i]/w->D.D[i], Px = w->sigma[i] - p->g[i];

        r.primal = slip_max(r.primal, slip_abs(s - w->lambda[i]));
        r.primal_size = slip_max(r.primal_size, slip_max(slip_abs(s), slip_abs(w->lambda[i])));
        r.dual = slip_max(r.dual, slip_abs(w->sigma[i] - y));
        r.Px = slip_max(r.Px, slip_abs(Px)*w->D.D[i]/w->D.unit);
        r.ray = slip_max(r.ray, slip_abs(s - w->lambda[i])/(w->D.unit*w->D.D[i]));
        r.dual_size = slip_max(r.dual_size, slip_max(slip_max(slip_abs(Px), slip_abs(y)), slip_abs(p->g[i])));
        xPx += Px*w->lambda[i];
        r.cx += p->g[i]*w->lambda[i];
    }
    r.gap = slip_abs(xPx + r.cx);
    r.gap_size = slip_max(slip_abs(xPx), slip_abs(r.cx));
    r.cx /= w->D.unit*w->D.unit;
    return r;
}

static int scs_meets(slip_real x, slip_real size, slip_real tol) { return x <= tol + tol*size; }

/* ---- every 25 iterations ---------------------------------------------------------------------------------- */

/* c + (G - G')/2 lambda, for the lambda last judged. */
static void scs_count_antisymmetric(scs_work *w)
{
    const slip_problem *p = w->p;
    int i;

    if (p->G.symmetric || p->G.form == SLIP_G_FACTOR) return;
    slip_problem_apply(p, w->lambda, w->sigma);
    slip_problem_apply_symmetric(p, w->lambda, w->shift);
    for (i = 0; i < w->n; ++i) w->c[i] = w->D.D[i]*(p->g[i] + w->sigma[i] - w->shift[i])/w->D.unit;
    scs_make_r(w);
}

/* Moves scale towards equal relative residuals; w keeps u and s: w_y = y + scale s. */
static slip_status scs_rescale(scs_work *w, const scs_residuals *r)
{
    slip_real factor;
    int i;

    if (!(r->primal > 0) || !(r->dual > 0)) return SLIP_OK;
    w->log_ratio += slip_log(r->primal/r->primal_size) - slip_log(r->dual/r->dual_size);
    ++w->looks;
    factor = slip_exp(w->log_ratio/(2*(slip_real)w->looks));
    if (w->since < SCS_RESCALE || (factor*factor < 10 && factor*factor > SLIP_R(0.1))) return SLIP_OK;
    w->scale *= factor;
    for (i = 0; i < w->n; ++i) w->wy[i] = w->y[i] + w->scale*w->s[i];
    w->log_ratio = 0;
    w->looks = w->since = 0;
    return scs_factor(w);
}

/* Judges by the rule of opt->stop. Returns 0 to continue, 1 to end with *status. */
static int scs_check(scs_work *w, slip_status *status)
{
    const slip_real tol = w->opt->tol;
    const scs_residuals r = scs_residuals_of(w);
    const int printed = w->opt->stop == SLIP_STOP_PRINTED;
    slip_residual judged;
    const slip_real excess = scs_judge(w, &judged);

    if (excess < w->excess || printed) {
        w->excess = excess;
        w->residual = judged;
        memcpy(w->best, w->lambda, (size_t)w->n*sizeof *w->best);
    }
    *status = SLIP_OK;
    if (printed ? scs_meets(r.primal, r.primal_size, tol) && scs_meets(r.dual, r.dual_size, tol) &&
                  scs_meets(r.gap, r.gap_size, tol) : excess <= 1) return 1;
    *status = SLIP_DIVERGED;                                   /* P x = 0, x in K, c'x < 0: the energy has no minimum */
    if (r.cx < 0 && r.Px <= SCS_UNBOUNDED*-r.cx && r.ray <= SCS_UNBOUNDED*-r.cx) return 1;
    scs_count_antisymmetric(w);
    *status = scs_rescale(w, &r);
    return *status < 0;
}

static void scs_report(scs_work *w)
{
    slip_residual r;

    if (!w->opt->history) return;
    scs_judge(w, &r);
    slip_solver_report(w->opt, w->iterations, &r, w->scale, w->factorizations, w->lambda, "scs");
}

/* ---- the loop --------------------------------------------------------------------------------------------- */

/* Lines 1-5 until convergence or `most` iterations. */
static slip_status scs_loop(scs_work *w, int most)
{
    const slip_real alpha = w->opt->over_relaxation > 0 ? w->opt->over_relaxation : SCS_ALPHA;
    slip_status status;
    slip_real tau;
    int i;

    while (w->iterations < most && slip_budget_take(w->opt->budget)) {
        for (i = 0; i < w->n; ++i) { w->px[i] = SCS_RHO_X*w->wx[i];  w->py[i] = w->wy[i]/w->scale; }
        scs_solve_linear(w, w->px, w->py);                                               /* 1 */
        tau = scs_tau(w);                                                                /* 2 */
        for (i = 0; i < w->n; ++i) {
            w->px[i] -= tau*w->rx[i];                                                    /* 3 */
            w->py[i] -= tau*w->ry[i];
            w->x[i] = 2*w->px[i] - w->wx[i];                                             /* 4: R^n */
            w->y[i] = w->wy[i] - 2*w->py[i];
        }
        slip_problem_project(w->p, w->y, w->s);                /* K* by Moreau: P_K*(v) = v + P_K(-v) */
        w->tau = slip_max(0, 2*tau - w->w_tau);
        for (i = 0; i < w->n; ++i) {
            w->y[i] = w->s[i] - w->y[i];                                                 /* 4: K* */
            w->s[i] /= w->scale;
            w->wx[i] += alpha*(w->x[i] - w->px[i]);                                      /* 5 */
            w->wy[i] += alpha*(w->y[i] - w->py[i]);
        }
        w->w_tau += alpha*(w->tau - tau);
        ++w->iterations;
        ++w->since;
        scs_report(w);
        if (w->iterations % SCS_EVERY == 0 && scs_check(w, &status)) return status;
    }
    return SLIP_MAX_ITERS;
}

/* Cold: w = (0, 0, 1). Warm: the fixed point of lambda, w_x = lambda, w_y = y + scale s with y = sigma. */
static void scs_start(scs_work *w, const slip_solution *sol)
{
    const slip_problem *p = w->p;
    int i;

    slip_scaling_make(p, &w->D);
    slip_scaling_vector(p, &w->D, p->g, w->c);
    w->scale = SCS_SCALE;
    w->log_ratio = 0;
    w->looks = w->since = w->iterations = w->factorizations = 0;
    for (i = 0; i < w->n; ++i) w->lambda[i] = sol->warm ? sol->lambda[i] : 0;
    slip_problem_project(p, w->lambda, w->lambda);
    memcpy(w->best, w->lambda, (size_t)w->n*sizeof *w->best);
    slip_problem_sigma(p, w->lambda, w->sigma);
    slip_residual_at(p, SLIP_MODEL_CCP, 0, w->lambda, w->sigma, &w->residual);
    w->excess = slip_residual_excess(&w->residual, w->opt->tol, w->opt->tol_rule);
    slip_scaling_in(p, &w->D, w->lambda, w->wx);
    for (i = 0; i < w->n; ++i)
        w->wy[i] = sol->warm ? w->D.D[i]*w->sigma[i]/w->D.unit + w->scale*w->wx[i] : 0;
    w->w_tau = 1;
}

slip_status slip_ccp_scs(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol, slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options storage;
    slip_status status;
    scs_work w;

    if (!slip_solver_open(p, SLIP_MODEL_CCP, SLIP_TAKES_ALL, &opt, &storage, sol, &status)) return status;
    status = scs_carve(&w, p, scratch);
    if (status >= 0) {
        w.opt = opt;
        scs_start(&w, sol);
        status = scs_factor(&w);
    }
    if (status >= 0 && (w.excess > 1 || opt->stop == SLIP_STOP_PRINTED))
        status = scs_loop(&w, opt->max_iterations > 0 ? opt->max_iterations : SCS_ITERATIONS);
    if (status >= 0) {
        sol->iterations = w.iterations;
        sol->factorizations = w.factorizations;
        status = slip_solver_close(p, opt, w.best, w.sigma, &w.residual, status, sol);
    }
    slip_arena_release(scratch, mark);
    return sol->status = status;
}

size_t slip_ccp_scs_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena a = slip_arena_counting();
    scs_work w;

    (void)opt;
    scs_carve(&w, p, &a);
    return slip_arena_needed(&a);
}

const slip_solver slip_solver_ccp_scs = {
    .id = "ccp-scs", .model = SLIP_MODEL_CCP,
    .about = "operator splitting on the self-dual embedding",
    .paper = "CR Fig. 5 (SCS)", .engines = "SCS",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_OVER_RELAXATION | SLIP_READS_STOP,
    .solve = slip_ccp_scs, .bytes = slip_ccp_scs_bytes,
    .work = slip_work_of_products, .sweeps = &slip_solver_ccp_gs
};
