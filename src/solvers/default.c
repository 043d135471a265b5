/* default: the stages below, in this order until one meets the tolerance. Ours. default_stages() is the table as code.
 *
 *     stage     runs                           starts from              ends without an answer
 *     sweep     for a single contact or row    the warm start, or 0     after one sweep
 *               for a large problem                                     when another does not pay
 *     newton    with a warm start              the warm start           when it is too slow: newton_pays(), newton.c
 *     path      when newton has no answer      the warm start, then     after the iterations that are left, or when
 *                                              points of its own        all its first points have failed
 *     polish    newton again                   the best point so far    as newton
 *
 * The path is the interior point of ncp-path. It is robust and needs about eight iterations, however many contacts
 * change between open, slipping and sticking. Newton needs fewer steps where few of them change; where it does not
 * converge it is left early, so that it adds a fraction of the path's cost. Costs are estimated in flops, of which 8000
 * take a microsecond on the machine they were measured on; only their ratios count.
 *
 * In a world every step has a warm start; in the first step it is zero. A problem of DEFAULT_SWEEP_ROWS rows is swept
 * first (sweeps.h). With a warm start, or after sweeps, it is then tried without the contacts that stay open, in parts
 * (screen.h). Without memory for a matrix, and where the option `sweeps` bounds them, sweeps replace all stages of a
 * large problem; on a budget they get what the stages leave: default_bounded(). */
#include "solvers/ipm.h"
#include "solvers/newton.h"
#include "solvers/screen.h"
#include "solvers/solvers.h"
#include "solvers/sweeps.h"

#include <string.h>

#define DEFAULT_ITERATIONS 10000

/* Measured costs [flops] of a row and an iteration besides products and factorisations. */
#define DEFAULT_NEWTON_ROW    150.0
#define DEFAULT_PATH_ROW      350.0
#define DEFAULT_STEP          4000.0     /* of a Newton step; an iteration of the interior point takes twice that */

#define DEFAULT_PATH_STEPS    8          /* iterations of a quick interior point; most problems need 4 to 13      */

#define DEFAULT_SWEEP_STEPS   24         /* iterations of the path on problems that are swept, the mean of generated ones
                                          * of the even seeds and of heaps of 1000 boxes                         */

#define DEFAULT_SCREEN_ROWS   60         /* rows from which contacts that stay open are left out                  */
#define DEFAULT_SCREEN_SHARE  4          /* 1/share of the contacts has to stay open                              */
#define DEFAULT_SWEEP_ROWS    240        /* rows from which a problem is swept first                              */
#define DEFAULT_SWEEP_FROM    100        /* excess of the start above which sweeps reduce it: what is left of a start
                                          * near rest are errors of the whole heap, which they hardly do          */
#define DEFAULT_ALONE         64         /* sweeps of a large problem without memory for a matrix, whose cost could
                                          * bound them                                                           */
#define DEFAULT_SCREENS       3          /* solves of the problem without them; contacts come back between them   */

typedef struct {
    const slip_problem *given;
    slip_operator op;            /* the matrix that Newton and the interior point use in turn                   */
    const slip_solver_options *opt;
    slip_arena *arena;
    slip_newton newton;
    slip_ipm ipm;
    slip_real *first, *swept, *sigma;    /* n: the start; the iterate of the sweeps; scratch                    */
    slip_real *best, *best_sigma;        /* n: the best point and its velocities                                */
    int sigma_known;             /* whether best_sigma and the residual are there, from the caller's form of G  */
    slip_sweeps sweeps;
    slip_real excess;            /* of the best point                                                           */
    slip_residual residual;      /* of the best point                                                           */
    int iterations, factorizations;      /* of all stages so far                                                */
    int limit, warm;             /* iterations that all stages may take; whether `first` is a warm start        */
} default_work;

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static slip_status default_carve(default_work *w, const slip_problem *p, const slip_solver_options *opt,
                                 slip_arena *arena)
{
    arena->failed = 0;                                   /* of an earlier solve, which had to sweep */
    w->given = p;
    w->opt = opt;
    w->arena = arena;
    w->swept = slip_arena_reals(arena, (size_t)p->n);
    w->best = slip_arena_reals(arena, (size_t)p->n);
    w->best_sigma = slip_arena_reals(arena, (size_t)p->n);
    w->first = slip_arena_reals(arena, (size_t)p->n);
    w->sigma = slip_arena_reals(arena, (size_t)p->n);
    slip_sweeps_carve(&w->sweeps, p, arena);
    return arena->failed ? SLIP_ERR_WORKSPACE : SLIP_OK;
}

size_t slip_default_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena count = slip_arena_counting();
    default_work w;

    slip_arena_reals(&count, (size_t)p->n);              /* lambda, sigma and swept of slip_default() */
    slip_arena_reals(&count, (size_t)p->n);
    slip_arena_reals(&count, (size_t)p->n);
    default_carve(&w, p, opt, &count);
    slip_operator_carve(&w.op, p, &count);
    slip_newton_carve_over(&w.newton, &w.op, opt, &count);
    slip_ipm_carve_over(&w.ipm, &w.op, opt, &count);
    return slip_arena_needed(&count);
}

/* ---- the best point ---------------------------------------------------------------------------------------------- */

/* Keeps lambda (n) when it is the best point so far. sigma (n): its velocities; NULL when they were computed from
 * another form of G than the caller's, whose sums round differently. */
static void default_keep_best(default_work *w, slip_real excess, const slip_residual *residual, const slip_real *lambda,
                              const slip_real *sigma)
{
    const size_t bytes = (size_t)w->given->n*sizeof *lambda;

    if (!(excess < w->excess)) return;
    w->excess = excess;
    w->residual = *residual;
    memcpy(w->best, lambda, bytes);
    if (sigma) memcpy(w->best_sigma, sigma, bytes);
    w->sigma_known = sigma != NULL;
}

/* Judges lambda (n) with the caller's G and keeps it when it is the best point so far. Returns its excess. */
static slip_real default_judge(default_work *w, const slip_real *lambda)
{
    slip_residual r;
    slip_real excess;

    slip_residual_of(w->given, lambda, w->sigma, &r);
    excess = slip_residual_excess(&r, w->opt->tol, w->opt->tol_rule);
    default_keep_best(w, excess, &r, lambda, w->sigma);
    return excess;
}

static int default_iterations_left(const default_work *w)
{
    return slip_budget_is_over(w->opt->budget) ? 0 : w->limit - w->iterations;
}

static int default_is_large(const slip_problem *p) { return p->n >= DEFAULT_SWEEP_ROWS; }

/* ---- sweep ------------------------------------------------------------------------------------------------------- */

/* Reports the iterate of a sweep to the history callback. */
static void default_sweep_report(default_work *w, const slip_real *lambda)
{
    slip_residual r;

    if (!w->opt->history) return;
    slip_residual_of(w->given, lambda, w->sigma, &r);
    slip_solver_report(w->opt, w->iterations, &r, 0, w->factorizations, lambda, "sweep");
}

/* Estimated cost of so many iterations of the path over w->op [flops]. */
static double default_path_flops(const default_work *w, int steps)
{
    return steps*(w->op.flops + 2*DEFAULT_STEP + DEFAULT_PATH_ROW*w->given->n);
}

/* That of the path after sweeps, before w->op is carved; 0 when there is no memory for it. */
static double default_path_ahead(default_work *w)
{
    const size_t mark = slip_arena_mark(w->arena);
    const slip_status status = slip_operator_carve(&w->op, w->given, w->arena);

    slip_arena_release(w->arena, mark);
    w->arena->failed = 0;
    return status < 0 ? 0 : default_path_flops(w, DEFAULT_SWEEP_STEPS);
}

/* What `sweeps` sweeps have done: contacts opened or closed, and the fall of the largest change of a sweep [m/s]. */
typedef struct { int sweeps, turned; slip_real from, to; } default_pace;

/* Whether another sweep pays, by the flops that it may save of the path, which takes `path` of them with all nc
 * contacts and path (c/nc)^2 with the c that are closed: in a heap they grow with the square. A sweep that opens or
 * closes contacts tells which ones the path can do without, each of them 2 path c/nc^2. Or sweeps at this pace bring
 * the excess to 1 for less than the path. */
static int default_sweep_pays(const default_work *w, double path, const default_pace *t, slip_real excess)
{
    const double cost = t->sweeps*slip_operator_sweep_flops(w->given), nc = w->given->nc > 0 ? w->given->nc : 1;
    const double share = w->sweeps.closed/nc;

    if (t->turned*2*path*share > nc*cost) return 1;
    return t->to < t->from && (double)slip_log(excess)*cost < path*share*share*(double)slip_log(t->from/t->to);
}

/* At most `most` sweeps from the start. The last iterate is left in w->swept, and may not have been judged. They end
 * when the tolerance is met (Newton goes on to SLIP_NEWTON_EXACT of it, which makes impulses last longer in a world),
 * or when a sweep changes no less than the one before. The judge costs a product with G, so it is called only when the
 * excess, taken to fall in proportion to the largest change of a sweep, should have come down to 1. `all`: for the rest
 * of a budget: a change that grows does not end them, and the last iterate is always judged. path: flops of the path
 * that follows; then they go on while they pay, at the pace since sweep 1, 2, 4, 8 ... 0: there is none. */
static slip_status default_sweep(default_work *w, int most, int all, double path)
{
    slip_real change = (slip_real)INFINITY, before, excess = 0, at = 1;    /* excess: judged last, at this change */
    default_pace pace = { 0, 0, 0, 0 };
    int k, is_judged = 1;

    slip_problem_project(w->given, w->first, w->swept);
    slip_sweeps_begin(&w->sweeps, w->swept);
    for (k = 1; k <= most && default_iterations_left(w) > 0 && slip_budget_take(w->opt->budget); ++k) {
        before = change;
        change = slip_sweeps_once(&w->sweeps);
        ++w->iterations;
        default_sweep_report(w, w->swept);
        is_judged = k == 1 || excess*change <= at;
        if (is_judged) {
            excess = default_judge(w, w->swept);
            at = change;
            if (excess <= 1) return SLIP_OK;
        }
        if (change <= 0 || (!all && !(change < before))) break;
        ++pace.sweeps;
        pace.turned += w->sweeps.turned;
        pace.to = change;
        if (path > 0 && k > 1 && !default_sweep_pays(w, path, &pace, excess*change/at)) break;
        if ((k & (k - 1)) == 0) { pace.sweeps = pace.turned = 0;  pace.from = change; }
    }
    return all && !is_judged && default_judge(w, w->swept) <= 1 ? SLIP_OK : SLIP_MAX_ITERS;
}

/* ---- newton ------------------------------------------------------------------------------------------------------ */

/* Flops of a Newton step: a factorisation, and what is done for each row and step besides. */
static double default_newton_flops(const default_work *w)
{
    return w->op.flops + DEFAULT_STEP + DEFAULT_NEWTON_ROW*w->given->n;
}

/* Newton from `from` (n), while the steps that remain at its present rate cost no more than `budget` [flops]. */
static slip_status default_newton(default_work *w, const slip_real *from, double budget)
{
    const double step = default_newton_flops(w);
    const int is_as_given = w->op.route != SLIP_OPERATOR_JOINT && w->op.p.G.form == w->given->G.form;
    slip_newton *n = &w->newton;
    slip_status status;

    slip_newton_start(n, from, 1);
    n->iterations_before = w->iterations;
    n->max_steps_left = (slip_real)(budget/step);
    status = slip_newton_run(n, default_iterations_left(w));
    w->iterations += n->iterations;
    w->factorizations += n->factorizations;
    default_keep_best(w, n->best_excess, &n->best_residual, n->best, is_as_given ? n->best_sigma : NULL);
    return status;
}

/* ---- path -------------------------------------------------------------------------------------------------------- */

/* As ncp-path: judges the best point so far first, then starts from the warm start, or from the middle of the cones
 * where that is none, for the iterations that are left. Returns SLIP_STALLED without memory for it. */
static slip_status default_path(default_work *w)
{
    slip_ipm *i = &w->ipm;
    slip_status status = slip_ipm_carve_over(i, &w->op, w->opt, w->arena);

    if (status < 0) return SLIP_STALLED;
    slip_ipm_open(i, w->best);
    i->iterations_before = w->iterations;
    status = slip_ipm_solve_from(i, w->warm ? w->first : NULL, default_iterations_left(w));
    w->iterations += i->iterations;
    w->factorizations += i->iterations;
    default_keep_best(w, i->best_excess, &i->best_residual, i->best, NULL);
    return status;
}

/* ---- all stages -------------------------------------------------------------------------------------------------- */

/* On a budget every slip_budget_take() in here, also of a sweep, costs a factorisation (default_stages_fit()).
 * The stages in order. A status > SLIP_OK says that the stage has not met the tolerance: the next one runs. */
static slip_status default_stages(default_work *w)
{
    slip_status status;
    double path;                                         /* estimated cost of the path [flops] */

    if (slip_block_count(w->given) == 1 && default_sweep(w, 1, 0, 0) == SLIP_OK) return SLIP_OK;
    if (!w->warm && default_judge(w, w->first) <= 1) return SLIP_OK;             /* 0 is an answer: all open */
    status = slip_operator_carve(&w->op, w->given, w->arena);
    if (status >= 0) status = slip_newton_carve_over(&w->newton, &w->op, w->opt, w->arena);
    if (status < 0 && w->warm) default_judge(w, w->first);                       /* sweeps may be worse */
    if (status < 0 && default_is_large(w->given)) return default_sweep(w, DEFAULT_ALONE, 1, 0);
    if (status < 0) return default_sweep(w, default_iterations_left(w), 0, 0);     /* no memory for a matrix */
    path = default_path_flops(w, DEFAULT_PATH_STEPS);
    status = w->warm ? default_newton(w, w->first, path) : SLIP_STALLED;
    if (status > SLIP_OK) status = default_path(w);
    if (status > SLIP_OK) status = default_newton(w, w->best, path);             /* polish */
    return status;
}

static int default_limit(const slip_solver_options *opt)
{
    return opt->max_iterations > 0 ? opt->max_iterations : DEFAULT_ITERATIONS;
}

/* Makes w ready for the stages on p, from `start` (n; NULL: zero), with at most `limit` iterations. is_warm: whether it
 * is a warm start, from which Newton and the path begin. */
static slip_status default_start(default_work *w, const slip_problem *p, const slip_solver_options *opt,
                                 const slip_real *start, int is_warm, int limit, slip_arena *scratch)
{
    const slip_status status = default_carve(w, p, opt, scratch);

    if (status < 0) return status;
    w->iterations = w->factorizations = 0;
    w->warm = is_warm;
    w->excess = (slip_real)INFINITY;
    w->limit = limit;
    if (start) memcpy(w->first, start, (size_t)p->n*sizeof(slip_real));
    else memset(w->first, 0, (size_t)p->n*sizeof(slip_real));
    /* `best` is defined from the start on, so that stages may run in any order: a start whose residual is infinite is
     * never kept. */
    memset(w->best, 0, (size_t)p->n*sizeof(slip_real));
    w->sigma_known = 0;
    memset(&w->residual, 0, sizeof w->residual);
    return SLIP_OK;
}

/* Whether the set-up of the matrix and two of its factorisations fit a budget; then its price is that of the next
 * ones. Newton mostly needs one or two steps. */
static int default_stages_fit(const slip_problem *p, const slip_solver_options *opt, slip_budget *b)
{
    const slip_work_estimate work = slip_work_of_factorisations(p, opt);
    const long units = slip_budget_units(p, work.setup), price = slip_budget_units(p, work.iteration);

    if (!slip_budget_has(b, units + 2*price, slip_budget_seconds(b, work.setup + 2*work.iteration))) return 0;
    slip_budget_count(b, units);
    b->price = price;
    b->ahead = slip_budget_seconds(b, work.iteration);
    return 1;
}

/* The stages with half of the budget; if they do not fit or do not end within it, sweeps with the rest. A path that is
 * cut short has no answer, but every sweep makes the last one better. `refused` is cleared for the sweeps, which would
 * not run otherwise, and set again if they fail: slip_solve() then returns SLIP_DEADLINE. */
static slip_status default_bounded(default_work *w)
{
    const slip_solver_options *opt = w->opt;
    slip_solver_options first = *opt;
    slip_budget half = slip_budget_share(opt->budget, 1, 2);
    slip_status status;

    if (!default_stages_fit(w->given, opt, &half)) return default_sweep(w, default_iterations_left(w), 1, 0);
    first.budget = &half;
    w->opt = &first;
    status = default_stages(w);
    w->opt = opt;
    slip_budget_give_back(opt->budget, &half);
    if (status <= SLIP_OK || !half.refused) return status;
    opt->budget->refused = 0;
    status = default_sweep(w, default_iterations_left(w), 1, 0);
    if (status > SLIP_OK) opt->budget->refused = 1;
    return status;
}

/* The bound on sweeps that the options ask for: what is large gets no matrix then. */
static int default_is_real_time(const slip_problem *p, const slip_solver_options *opt)
{
    return opt->sweeps > 0 && default_is_large(p);
}

/* The stages on p, see default_start(); the answer is in w. A budget that parts of the problem have used up allows no
 * sweep: the start, inside its cones, is the answer then. */
static slip_status default_run(default_work *w, const slip_problem *p, const slip_solver_options *opt,
                               const slip_real *start, int is_warm, int limit, slip_arena *scratch)
{
    slip_status status = default_start(w, p, opt, start, is_warm, limit, scratch);

    if (status < 0) return status;
    status = default_is_real_time(p, opt) ? default_sweep(w, opt->sweeps, 1, 0)
           : opt->budget ? default_bounded(w) : default_stages(w);
    if (status > SLIP_OK && !(w->excess < (slip_real)INFINITY)) {
        slip_problem_project(w->given, w->first, w->swept);
        default_judge(w, w->swept);
    }
    return status;
}

/* ---- without the contacts that stay open ------------------------------------------------------------------------- */

/* Reports an iteration on a part to the caller's history callback, as one on the whole problem: the part's impulses are
 * put into those of the whole, whose residual is reported. */
typedef struct {
    const slip_screen *s;
    const slip_solver_options *opt;
    slip_real *lambda, *sigma;           /* n each: of the whole                */
    int part, before;                    /* iterations before those of the part */
} default_part_report;

static void default_report_part(void *context, const slip_iteration *it)
{
    const default_part_report *t = (const default_part_report *)context;
    slip_residual r;

    slip_screen_spread(t->s, t->part, it->lambda, t->lambda);
    slip_residual_of(t->s->p, t->lambda, t->sigma, &r);
    slip_solver_report(t->opt, t->before + it->iteration, &r, it->rho, it->factorizations, t->lambda, it->phase);
}

/* Solves all parts of s, one after another, from the impulses in lambda (n of the whole problem) and into them; sigma
 * (n) is overwritten. Each part may take the iterations that are left, and those of the longest count: one of every part
 * costs no more than one of the whole problem. Returns the worst status. */
static slip_status default_parts(slip_screen *s, const slip_solver_options *opt, slip_solution *sol, slip_real *lambda,
                                 slip_real *sigma, slip_arena *scratch)
{
    const int is_warm = sol->warm > 0;
    const int left = default_limit(opt) - sol->iterations;
    slip_solver_options inner = *opt;
    slip_status worst = SLIP_OK;
    default_part_report report;
    int k, most = 0;

    report.s = s;
    report.opt = opt;
    report.lambda = lambda;
    report.sigma = sigma;
    if (opt->history) inner.history = default_report_part;
    inner.history_context = &report;
    slip_screen_split(s);
    if (left <= 0) return SLIP_MAX_ITERS;
    for (k = 0; k < s->groups; ++k) {
        const size_t mark = slip_arena_mark(scratch);
        slip_status status;
        default_work w;

        report.part = k;
        report.before = sol->iterations;
        slip_screen_make(s, k, lambda);
        status = default_run(&w, &s->part, &inner, s->lambda, is_warm, left, scratch);
        if (status < 0) return status;
        if (status > SLIP_OK) worst = status;
        slip_screen_spread(s, k, w.best, lambda);
        if (w.iterations > most) most = w.iterations;
        sol->factorizations += w.factorizations;
        slip_arena_release(scratch, mark);
    }
    sol->iterations += most;
    return worst;
}

/* Solves the problem without the contacts that stay open, judged by the velocities sigma (n) at the warm start.
 * Contacts left out that the answer would close are taken back, and it is solved again, DEFAULT_SCREENS times at most.
 * Returns 1 when lambda (n) solves the whole problem. */
static int default_screened(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                            const slip_real *start, slip_real *lambda, slip_real *sigma, slip_residual *r,
                            slip_arena *scratch)
{
    slip_screen s;
    int i, k;

    if (!slip_screen_carve(&s, p, scratch)) return 0;
    if (DEFAULT_SCREEN_SHARE*slip_screen_pick(&s, start, sigma, lambda) < p->nc) return 0;
    memcpy(lambda, start, (size_t)p->n*sizeof *lambda);
    for (i = 0; i < p->nc; ++i) if (s.group[i] < 0) slip_zero3(lambda + 3*i);
    for (k = 0; k < DEFAULT_SCREENS; ++k) {
        if (default_parts(&s, opt, sol, lambda, sigma, scratch) != SLIP_OK) return 0;
        slip_residual_of(p, lambda, sigma, r);
        if (slip_residual_excess(r, opt->tol, opt->tol_rule) <= 1) return 1;
        if (slip_screen_add(&s, sigma) == 0) return 0;
    }
    return 0;
}

/* ---- sweeps first ------------------------------------------------------------------------------------------------ */

/* Sweeps of a large problem whose factor of G is known, from `start` (n; NULL: zero), unless that is near an answer,
 * while they pay. They tell which contacts stay open, and leave the interior point fewer iterations. Returns the
 * impulses to go on from: swept (n), or `start` where sweeps have made these worse. */
static const slip_real *default_sweep_first(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                            const slip_real *start, slip_real *swept, slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_real before;
    default_work w;

    if (p->G.nv <= 0 || !default_is_large(p)) return start;
    if (default_start(&w, p, opt, start, start != NULL, default_limit(opt), scratch) >= 0) {
        slip_problem_project(p, w.first, w.swept);
        before = default_judge(&w, w.swept);
        if (before > DEFAULT_SWEEP_FROM) {
            const double path = default_path_ahead(&w);

            default_sweep(&w, path > 0 ? default_iterations_left(&w) : DEFAULT_ALONE, 1, path);
            memcpy(swept, w.swept, (size_t)p->n*sizeof *swept);
            if (default_judge(&w, swept) < before) start = swept;
        }
        sol->iterations += w.iterations;
    }
    slip_arena_release(scratch, mark);
    scratch->failed = 0;
    return start;
}

/* ---- the solver -------------------------------------------------------------------------------------------------- */

/* Calls default_screened() for problems with a start that does not hold any more, a known factor of G and enough rows.
 * Returns 1 when lambda, sigma (n) and *r are the answer. Else *start becomes lambda where that is better, although not
 * all parts are solved. */
static int default_try_screened(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                const slip_real **start, slip_real *lambda, slip_real *sigma, slip_residual *r,
                                slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    const int before = sol->iterations;
    slip_real excess;
    int solved;

    if (!*start || p->G.nv <= 0 || p->n < DEFAULT_SCREEN_ROWS) return 0;
    slip_residual_of(p, *start, sigma, r);
    excess = slip_residual_excess(r, opt->tol, opt->tol_rule);
    if (excess <= 1) return 0;
    solved = default_screened(p, opt, sol, *start, lambda, sigma, r, scratch);
    slip_arena_release(scratch, mark);
    scratch->failed = 0;
    if (solved || sol->iterations == before) return solved;
    slip_residual_of(p, lambda, sigma, r);
    if (slip_residual_excess(r, opt->tol, opt->tol_rule) < excess) *start = lambda;
    return 0;
}

slip_status slip_default(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options storage;
    slip_real *lambda, *sigma, *swept;
    const slip_real *start;
    slip_residual r;
    slip_status status = SLIP_OK;
    default_work w;
    int exact;

    if (!slip_solver_open(p, SLIP_MODEL_NCP, SLIP_TAKES_ALL, &opt, &storage, sol, &status)) return status;
    lambda = slip_arena_reals(scratch, (size_t)p->n);
    sigma = slip_arena_reals(scratch, (size_t)p->n);
    swept = slip_arena_reals(scratch, (size_t)p->n);
    start = sol->warm ? sol->lambda : NULL;
    exact = !default_is_real_time(p, opt);
    if (!lambda || !sigma || !swept) status = SLIP_ERR_WORKSPACE;
    else if (exact) start = default_sweep_first(p, opt, sol, start, swept, scratch);
    if (status >= 0 && !(exact && default_try_screened(p, opt, sol, &start, lambda, sigma, &r, scratch))) {
        status = default_run(&w, p, opt, start, sol->warm > 0, default_limit(opt) - sol->iterations, scratch);
        if (status >= 0) {
            if (!w.sigma_known) slip_residual_of(p, w.best, w.best_sigma, &w.residual);
            lambda = w.best;
            sigma = w.best_sigma;
            r = w.residual;
            sol->iterations += w.iterations;
            sol->factorizations += w.factorizations;
        }
    }
    if (status >= 0) {
        sol->rho = 0;
        status = slip_solver_close_at(p, opt, lambda, sigma, &r, &r, status, sol);
    }
    slip_arena_release(scratch, mark);
    return sol->status = status;
}

const slip_solver slip_solver_default = {
    .id = "default", .model = SLIP_MODEL_NCP,
    .about = "Newton, then the interior point",
    .paper = "", .engines = "",
    .takes = SLIP_TAKES_ALL, .reads = SLIP_READS_SWEEPS, .takes_factor = 1,
    .solve = slip_default, .bytes = slip_default_bytes
};
