/* The default: ncp-newton, ncp-ipm and ncp-admm in turns, each from where the others got (PAPERS.md Sec. 2), after a
 * few sweeps of ncp-pgs for the many problems that need no more.
 *
 *     large and warm: without the contacts that stay open, what is left in parts that share no body (screen.h), each
 *         as follows; the whole only when that does not answer it
 *     Gauss-Seidel sweeps as long as they contract so fast that they will be done before Newton would be; none from a
 *         warm start of some size
 *     large problems, cold:  a few ADMM iterations, which find the active set at the price of few factorisations
 *     Newton from there, and from rest
 *     repeat
 *         an interior point where it is not too large: quickly from a warm start or the middle, else along its path
 *             from another first point each time, Newton from where a long one is now and then; Newton from its best
 *         ADMM from the best iterate, four times as long as last time; not in large problems out of a sequence, of
 *             which it solves none that the interior point leaves
 *         Newton from the best iterate so far, until it stalls or has had its share
 *     until the true criterion holds; or one of them has come to a stop where the options say that it is enough; or
 *         ADMM's impulses run away: then there is no solution, or none that more of the same would find, and Newton
 *         has the last word
 *
 * Newton is quick where contacts slide or hardly change, the interior point solves what Newton's active set wanders
 * about in (light bodies jammed between heavy ones), ADMM is robust where there are too many contacts for it. */
#include "solvers/admm.h"
#include "solvers/gauss_seidel.h"
#include "solvers/ipm.h"
#include "solvers/newton.h"
#include "solvers/screen.h"
#include "solvers/solvers.h"

#include <string.h>

#define DEFAULT_ITERATIONS   50000
#define DEFAULT_TAKES        (SLIP_TAKES_LIMITS | SLIP_TAKES_BILATERAL | SLIP_TAKES_COMPLIANCE)
#define DEFAULT_INSIDE       SLIP_R(1e-2) /* of the largest free velocity: distance from the cones' surfaces at which an
                                          * interior point begins near a warm start            */
#define DEFAULT_INSIDE_PART  SLIP_R(1e-1) /* the same when the largest ones, of open contacts, are left out */
#define DEFAULT_LARGE        300         /* rows from which a cold solve begins with ADMM */
#define DEFAULT_FIRST_ADMM   20
#define DEFAULT_NEWTON       80
#define DEFAULT_GIVE_UP      8           /* Newton steps without progress, where the interior point can take over */
#define DEFAULT_HALVINGS     5           /* from a warm start, of small problems: creeping on does not pay */
#define DEFAULT_NEWTON_FIRST 30          /* steps from where the sweeps stopped             */
#define DEFAULT_FAR          SLIP_R(1e6) /* times the tolerance that a warm start is off: Newton would get lost */
#define DEFAULT_FAR_ROWS     60
#define DEFAULT_LOST         SLIP_R(1e9) /* and so far off the quick interior point gets lost as well: in problems of */
#define DEFAULT_LOST_ROWS    240         /*     this size it finds its way in one of twenty */
#define DEFAULT_REST_ROWS    48          /* from here a few steps from rest are worth it     */
#define DEFAULT_REST_STEPS   6
#define DEFAULT_ADMM         100
#define DEFAULT_IPM_MOST     300         /* unknowns, rows or joints' velocities, up to which the interior point takes
                                          * part: its work grows with their cube               */
#define DEFAULT_IPM_SPARSE   0.05        /* share of blocks that exist: below, G is sparse enough for any size */
#define DEFAULT_IPM_COUNTED  48          /* rows from which memory is asked for it; below: used where there is room */
#define DEFAULT_IPM          18          /* iterations of a quick run                          */
#define DEFAULT_IPM_COLD     40          /* the same without a warm start                      */
#define DEFAULT_PATH         700         /* and of one along the path                          */
#define DEFAULT_PATH_WARM    240         /* of 1400 paths of walls none that arrived took more */
#define DEFAULT_PATHS        2           /* of which there are so many in a turn               */
#define DEFAULT_POLISH       5           /* Newton steps from a point of a long path           */
#define DEFAULT_POLISH_GIVE_UP 3
#define DEFAULT_POLISH_ROWS  100         /* from here on they no longer arrive                 */
#define DEFAULT_COSTLY       150         /* warm and so large: a turn without progress is the last; steps follow */
#define DEFAULT_CONFIRMS     3           /* times that an answer is looked for further inside the tolerance */
#define DEFAULT_CONFIRM      4           /* Newton steps each                                  */
#define DEFAULT_WARM_ROWS    27          /* warm from here on: Newton at once                 */
#define DEFAULT_SWEEPS       30          /* of Gauss-Seidel at most                         */
#define DEFAULT_SWEEPS_LEFT  10          /* more than that ahead: Newton will be faster      */
#define DEFAULT_SWEEPS_FROM  12          /* twice as many between these rows: Newton's        */
#define DEFAULT_SWEEPS_TO    36          /*     matrix grows faster than a sweep at first    */
#define DEFAULT_SCREEN       60          /* rows from which contacts that stay open are left out     */
#define DEFAULT_SCREEN_LEAST 0.25        /* of the contacts: so many have to be such                 */
#define DEFAULT_SCREENS      3           /* rounds in which contacts may come back                   */
#define DEFAULT_HOPELESS     SLIP_R(0.9) /* contraction at which sweeps are given up at once */

typedef struct {
    const slip_problem *given;
    slip_problem copy;                   /* the same, with a factored G multiplied out */
    const slip_solver_options *opt;
    slip_newton newton;
    slip_admm admm;                      /* carved when first needed: an analysis of G is not for nothing */
    slip_ipm ipm;
    slip_arena *arena;
    int admm_carved, admm_ready, ipm_use, ipm_carved, ipm_runs;
    size_t ipm_mark;
    slip_real *best;
    slip_real excess;
    slip_real wild;                      /* impulses above this are not of this problem        */
    slip_residual residual;
    int iterations, factorizations, left, warm;
    int rows;                            /* of the problem that this one is a part of         */
} default_work;

/* Few unknowns, rows or joints' velocities, or a sparse G; a factor may be sparse, see default_carve_ipm(). */
static int default_ipm_pays(const slip_problem *p)
{
    const double m = (double)slip_block_count(p);

    if (p->n <= DEFAULT_IPM_MOST || (p->G.nv > 0 && p->G.nv <= DEFAULT_IPM_MOST)) return 1;
    if (p->G.form == SLIP_G_FACTOR) return 1;
    return p->G.form == SLIP_G_BLOCKS && (double)p->G.start[slip_block_count(p)] < DEFAULT_IPM_SPARSE*m*m;
}

/* Newton; a factored G is multiplied out for it unless it works in the joints' space, which needs no more than Y. */
static slip_status default_carve_newton(default_work *w, slip_arena *arena)
{
    const size_t mark = slip_arena_mark(arena);
    slip_status status = SLIP_OK;

    if (w->copy.G.form == SLIP_G_FACTOR && !slip_arena_is_counting(arena)) {
        status = slip_newton_carve(&w->newton, &w->copy, w->opt, arena);
        if (status >= 0 && w->newton.joint_route) return status;
        slip_arena_release(arena, mark);
        arena->failed = 0;
    }
    if (w->copy.G.form == SLIP_G_FACTOR) {
        status = slip_problem_to_dense(&w->copy, arena);
        if (slip_arena_is_counting(arena)) w->copy.G.form = SLIP_G_DENSE;
        w->copy.G.symmetric = 1;
    }
    return status >= 0 ? slip_newton_carve(&w->newton, &w->copy, w->opt, arena) : status;
}

static slip_status default_carve(default_work *w, const slip_problem *p, const slip_solver_options *opt,
                                 slip_arena *arena)
{
    w->given = p;
    w->copy = *p;
    w->opt = opt;
    w->arena = arena;
    w->admm_carved = w->admm_ready = w->ipm_carved = w->ipm_runs = 0;
    w->ipm_use = default_ipm_pays(p);
    w->best = slip_arena_reals(arena, (size_t)p->n);
    if (!w->best) return SLIP_ERR_WORKSPACE;
    return default_carve_newton(w, arena);
}

/* An interior point that no memory was asked for makes way: ADMM may be in need of what it took. */
static slip_status default_carve_admm(default_work *w)
{
    slip_status status = w->admm_carved ? SLIP_OK
                       : slip_admm_carve(&w->admm, w->given, w->opt, SLIP_MODEL_NCP, w->arena);

    if (status == SLIP_ERR_WORKSPACE && w->ipm_carved) {
        slip_arena_release(w->arena, w->ipm_mark);
        w->ipm_carved = 0;
        status = slip_admm_carve(&w->admm, w->given, w->opt, SLIP_MODEL_NCP, w->arena);
    }
    if (status >= 0) w->admm_carved = 1;
    return status;
}

static slip_status default_carve_ipm(default_work *w)
{
    const size_t mark = slip_arena_mark(w->arena);
    slip_status status = w->ipm_carved ? SLIP_OK : slip_ipm_carve(&w->ipm, &w->copy, w->opt, w->arena);

    if (status >= 0 && !w->ipm_carved && w->ipm.route == SLIP_IPM_DENSE && w->copy.n > DEFAULT_IPM_MOST) {
        slip_arena_release(w->arena, mark);              /* a full matrix after all */
        status = SLIP_ERR_WORKSPACE;
    }
    if (status >= 0 && !w->ipm_carved) {
        w->ipm_carved = 1;
        w->ipm_mark = mark;
    }
    return status;
}

size_t slip_default_bytes(const slip_problem *p, const slip_solver_options *opt)
{
    slip_arena count = slip_arena_counting();
    default_work w;

    default_carve(&w, p, opt, &count);
    default_carve_admm(&w);
    if (w.ipm_use && p->n >= DEFAULT_IPM_COUNTED && p->n <= DEFAULT_IPM_MOST) default_carve_ipm(&w);
    {
        const size_t turns = slip_arena_needed(&count), sweep = slip_gs_bytes(p);

        return (turns > sweep ? turns : sweep) + (size_t)p->n*sizeof(slip_real) + SLIP_ALIGN;   /* + `reached` */
    }
}

/* Far above what stops g at the heaviest contact: where there is no solution impulses grow without end, and against
 * their own size the residuals look no worse than those of none at all. */
static slip_real default_wild(const slip_problem *p, slip_real *diagonal)
{
    slip_real least = (slip_real)INFINITY;
    int i;

    slip_problem_diagonal(p, diagonal);
    for (i = 0; i < p->n; ++i) if (diagonal[i] > 0) least = slip_min(least, diagonal[i] + (p->R ? p->R[i] : 0));
    return SLIP_TOL(1e6, 1e4)*slip_max_abs(p->n, p->g)/least;
}

/* Counts what a part did and keeps its best when it is the best so far; wild ones only when they are much better. */
static void default_collect(default_work *w, int iterations, int factorizations, slip_real excess,
                            const slip_residual *residual, const slip_real *best)
{
    int i;

    w->iterations += iterations;
    w->factorizations += factorizations;
    w->left -= iterations;
    if (!(excess < (excess > 1 && residual->lambda_max > w->wild ? SLIP_R(0.1) : 1)*w->excess)) return;
    w->excess = excess;
    w->residual = *residual;
    for (i = 0; i < w->copy.n; ++i) w->best[i] = best[i];
}

/* A large problem out of a sequence: what is missed now, the next step may make up for. */
static int default_is_costly(const default_work *w) { return w->warm && w->rows >= DEFAULT_COSTLY; }

/* Whether what came to a stop has done so where it may stay. */
static int default_is_enough(const default_work *w, slip_status status)
{
    return status > SLIP_OK && w->excess <= slip_solver_near(w->opt);
}

static slip_status default_newton(default_work *w, const slip_real *from, slip_real scale, int steps)
{
    slip_newton *n = &w->newton;
    slip_status status;

    slip_newton_start(n, from, scale);
    n->told = w->iterations;
    if (w->warm && w->rows < DEFAULT_COSTLY) n->halvings = DEFAULT_HALVINGS;
    n->give_up = w->ipm_use && (w->ipm_runs == 0 || default_is_costly(w)) ? DEFAULT_GIVE_UP : 0;
    status = slip_newton_run(n, steps < w->left ? steps : w->left);
    default_collect(w, n->iterations, n->factorizations, n->best_excess, &n->best_residual, n->best);
    return status;
}

/* ADMM from `from`, or on from where it was when nobody has found better since: a long way of small steps, at whose end
 * it may arrive or be seen to run away, is not begun again. */
static slip_status default_admm(default_work *w, const slip_real *from, slip_real rho, int steps)
{
    slip_admm *a = &w->admm;
    slip_status status = default_carve_admm(w);
    const int resume = w->admm_ready && !(w->excess < a->best_excess);
    const int iterations = resume ? a->iterations : 0, factorizations = resume ? a->factorizations : 0;

    if (status == SLIP_ERR_WORKSPACE) { w->left = 0;  return SLIP_STALLED; }     /* Newton's best has to do */
    if (status >= 0 && !resume) status = slip_admm_start(a, from, NULL, rho);
    if (status < 0) return status;
    w->admm_ready = 1;
    a->told = w->iterations - iterations;
    status = slip_admm_run(a, steps < w->left ? steps : w->left);
    default_collect(w, a->iterations - iterations, a->factorizations - factorizations, a->best_excess,
                    &a->best_residual, a->best);
    return status;
}

/* A few steps of Newton from a point of a path that has become long: however far it still winds, the contacts' states
 * are often those of the end. */
static int default_polish(void *context, const slip_real *lambda)
{
    default_work *w = (default_work *)context;
    const int left = w->left - w->ipm.iterations;
    slip_newton *n = &w->newton;
    slip_status status;

    if (left <= 0) return 0;
    slip_newton_start(n, lambda, 1);
    n->told = w->iterations;
    n->give_up = DEFAULT_POLISH_GIVE_UP;
    status = slip_newton_run(n, left < DEFAULT_POLISH ? left : DEFAULT_POLISH);
    w->ipm.spent += n->iterations;
    default_collect(w, n->iterations, n->factorizations, n->best_excess, &n->best_residual, n->best);
    return status == SLIP_OK;
}

/* The interior point: quickly from a warm start's best or the middle of the cones, then along the path, each time from
 * another first point. */
static slip_status default_ipm(default_work *w)
{
    const int most = w->warm ? DEFAULT_IPM : DEFAULT_IPM_COLD, path = w->warm ? DEFAULT_PATH_WARM : DEFAULT_PATH;
    const slip_real near = slip_solver_near(w->opt);
    slip_ipm *i = &w->ipm;
    slip_status status = default_carve_ipm(w);
    int k;

    if (status < 0) { w->ipm_use = 0;  return SLIP_STALLED; }
    if (!slip_ipm_open(i, w->best)) {
        i->told = w->iterations;
        i->polish = w->copy.n < DEFAULT_POLISH_ROWS ? default_polish : NULL;
        i->polish_context = w;
        if (w->warm && w->excess > DEFAULT_LOST && w->copy.n >= DEFAULT_LOST_ROWS) status = SLIP_STALLED;
        else status = slip_ipm_run(i, w->warm ? w->best : NULL,
                                   w->rows > w->copy.n ? DEFAULT_INSIDE_PART : DEFAULT_INSIDE,
                                   most < w->left ? most : w->left);
        if (status > SLIP_OK) status = SLIP_STALLED;
        for (k = 0; k < DEFAULT_PATHS && status == SLIP_STALLED && i->best_excess > near && i->iterations < w->left;
             ++k) {
            const int left = w->left - i->iterations;

            status = slip_ipm_follow(i, w->ipm_runs++ % SLIP_IPM_TRIES, path < left ? path : left);
        }
    }
    default_collect(w, i->iterations, i->iterations, i->best_excess, &i->best_residual, i->best);
    return status;
}

/* Newton from rest. When every contact that pushes would stick at first sight, the first step is the answer where
 * robots stand and boxes rest; in stacks, sweeps that got nowhere leave a worse start than none. */
static slip_status default_rest(default_work *w)
{
    if (w->copy.n >= DEFAULT_REST_ROWS && w->copy.n < DEFAULT_LARGE)
        return default_newton(w, NULL, 1, DEFAULT_REST_STEPS);
    slip_newton_start(&w->newton, NULL, 1);
    slip_newton_linearise(&w->newton);
    return w->newton.slips == 0 ? default_newton(w, NULL, 1, 2) : SLIP_MAX_ITERS;
}

/* How many Newton steps to begin with. A warm start that is far off tells of changed contacts, in which Newton gets
 * lost more often than not, the more so the more there are: only the start is judged then. */
static int default_first_steps(default_work *w, const slip_solution *sol, const slip_real *from)
{
    const slip_real large = slip_max(1, (slip_real)w->rows/DEFAULT_IPM_MOST);
    slip_residual r;

    if (!sol->warm || !w->ipm_use || w->copy.n < DEFAULT_FAR_ROWS) return DEFAULT_NEWTON_FIRST;
    slip_residual_of(&w->copy, from, w->newton.image, &r);
    return slip_residual_excess(&r, w->opt->tol, w->opt->tol_rule)*large*large > DEFAULT_FAR ? 0 : DEFAULT_NEWTON_FIRST;
}

/* The turns, from where the sweeps stopped. */
static slip_status default_alternate(default_work *w, const slip_solution *sol, const slip_real *from)
{
    static const slip_real scales[] = { SLIP_R(1.0), SLIP_R(0.3), SLIP_R(3.0) };
    slip_status status = sol->warm ? SLIP_MAX_ITERS : default_rest(w);
    int round, admm_steps = DEFAULT_ADMM, diverged = 0;

    if (status != SLIP_OK && !sol->warm && w->copy.n >= DEFAULT_LARGE) {
        status = default_admm(w, from, 0, DEFAULT_FIRST_ADMM);
        from = w->best;
    }
    if (status > SLIP_OK) status = default_newton(w, from, 1, default_first_steps(w, sol, from));
    if (status > SLIP_OK && !w->ipm_use) status = default_newton(w, NULL, 1, DEFAULT_NEWTON);
    for (round = 1; status > SLIP_OK && w->left > 0; ++round) {
        const slip_real before = w->excess;

        if (default_is_enough(w, status)) return SLIP_STALLED;
        if (w->ipm_use) status = default_ipm(w);
        if (default_is_enough(w, status)) return SLIP_STALLED;
        if (w->ipm_use && status > SLIP_OK) status = default_newton(w, w->best, 1, DEFAULT_NEWTON);
        if (status <= SLIP_OK || w->left <= 0) break;
        if (default_is_enough(w, status)) return SLIP_STALLED;
        if (!w->ipm_use || !default_is_costly(w))
            status = default_admm(w, w->best, w->admm_ready ? slip_admm_rho(&w->admm) : 0, admm_steps);
        if (status <= SLIP_OK || w->left <= 0) break;
        diverged = status == SLIP_DIVERGED;
        status = default_newton(w, w->best, scales[round % 3], DEFAULT_NEWTON);
        if (diverged) break;
        admm_steps *= 4;
        if (default_is_costly(w) && status > SLIP_OK && w->excess > before/2) return SLIP_STALLED;
    }
    return diverged && status > SLIP_OK ? SLIP_DIVERGED : status;
}

/* ---- sweeps ---------------------------------------------------------------------------------------- */

/* Sweeps that are still needed when each shrinks the change by before/now, down to the tolerance. */
static slip_real default_sweeps_left(slip_real before, slip_real now, slip_real tol)
{
    if (now <= tol) return 0;
    if (!(now < before)) return (slip_real)INFINITY;
    return slip_log(now/tol)/slip_log(before/now);
}

/* The velocity that the tolerance allows, in the problem's units. */
static slip_real default_speed(const slip_problem *p, const slip_solver_options *opt)
{
    slip_real g = 0;
    int i;

    for (i = 0; i < p->n; ++i) g = slip_max(g, slip_abs(p->g[i]));
    return opt->tol*(slip_tol_is_relative(opt->tol_rule) ? g : slip_min(1, g*SLIP_R(1e3)));
}

/* Gauss-Seidel as in ncp-pgs. Returns 1 when *status is final (solved, or refused); else `reached` (n) is where it
 * stopped and *sweeps how many were made. */
static int default_sweep(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_real *reached, slip_arena *scratch, slip_status *status, int *sweeps)
{
    slip_gs w;
    const int patience = DEFAULT_SWEEPS_LEFT*(p->n > DEFAULT_SWEEPS_FROM && p->n <= DEFAULT_SWEEPS_TO ? 2 : 1);
    slip_real last = (slip_real)INFINITY, enough;
    int i;

    if (!slip_gs_begin(&w, p, opt, sol, scratch, SLIP_MODEL_NCP, 0, NULL)) { *status = w.status; return 1; }
    if (w.limit > DEFAULT_SWEEPS) w.limit = DEFAULT_SWEEPS;
    enough = default_speed(p, w.opt);
    w.target = 3*enough;
    while (slip_gs_next(&w)) {
        const slip_real now = w.before;

        if (w.sweeps == 2 && now > DEFAULT_HOPELESS*last) break;
        if (w.sweeps >= 3 && default_sweeps_left(last, now, enough) > (slip_real)patience) break;
        last = now;
        for (i = 0; i < p->nc; ++i) {
            slip_real sigma[3], b[3], x[3];

            slip_gs_velocity(&w, i, sigma);
            slip_gs_without(&w.contact[i], sigma, w.lambda + 3*i, b);
            slip_local_ncp(&w.contact[i], b, w.lambda + 3*i, x);
            slip_gs_set(&w, i, x);
        }
        slip_gs_scalars(&w);
    }
    *sweeps = w.sweeps;
    if (w.status == SLIP_OK) { *status = slip_gs_end(&w); return 1; }
    for (i = 0; i < p->n; ++i) reached[i] = w.lambda[i];
    slip_arena_release(scratch, w.mark);
    return 0;
}

/* Sweeps, or, when there is a warm start and the problem is no longer tiny, nothing: Newton's few steps from there cost
 * less. As default_sweep. */
static int default_begin(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_real *reached, slip_arena *scratch, slip_status *status, int *sweeps)
{
    slip_solver_options unused;
    int i;

    if (!sol->warm || p->n < DEFAULT_WARM_ROWS) return default_sweep(p, opt, sol, reached, scratch, status, sweeps);
    if (!slip_solver_open(p, SLIP_MODEL_NCP, DEFAULT_TAKES, &opt, &unused, sol, status)) return 1;
    for (i = 0; i < p->n; ++i) reached[i] = sol->lambda[i];
    return 0;
}

/* ---- all together ---------------------------------------------------------------------------------- */

/* Judges the answer with G as it was given, whose sums round otherwise. Where that sees it just outside of the
 * tolerance (in float, where rounding is not much less) Newton is to go further in. `aim` are the options that the
 * parts know. */
static slip_status default_confirm(default_work *w, const slip_solver_options *opt, slip_solver_options *aim,
                                   slip_status status)
{
    int k;

    for (k = 0; ; ++k) {
        slip_residual_of(w->given, w->best, w->newton.image, &w->residual);
        if (k == DEFAULT_CONFIRMS || status != SLIP_OK || w->left <= 0
            || slip_residual_excess(&w->residual, opt->tol, opt->tol_rule) <= 1) return status;
        aim->tol /= 2;
        w->excess *= 2;
        default_newton(w, w->best, 1, DEFAULT_CONFIRM);
    }
}

/* `rows`: of the problem that this one is a part of, without contacts that stay open; its own when it is none. */
static slip_status default_whole(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol, int rows,
                                 slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options aim = *opt;
    slip_status status;
    slip_real *reached;
    default_work w;
    int sweeps = 0, done;

    reached = slip_arena_reals(scratch, (size_t)p->n);
    if (!reached) return sol->status = SLIP_ERR_WORKSPACE;
    done = default_begin(p, opt, sol, reached, scratch, &status, &sweeps);
    if (done) { slip_arena_release(scratch, mark); return status; }
    status = default_carve(&w, p, &aim, scratch);
    if (status == SLIP_ERR_WORKSPACE) {                  /* less than slip_default_bytes(): sweeps need little */
        slip_arena_release(scratch, mark);
        return slip_ncp_pgs(p, opt, sol, scratch);
    }
    if (status >= 0) {
        w.factorizations = 0;
        w.iterations = sweeps;
        w.warm = sol->warm > 0;
        w.rows = rows;
        w.excess = (slip_real)INFINITY;
        w.wild = default_wild(&w.copy, w.best);
        w.left = (opt->max_iterations > 0 ? opt->max_iterations : DEFAULT_ITERATIONS) - sweeps;
        status = default_alternate(&w, sol, reached);
    }
    if (status >= 0) {
        status = default_confirm(&w, opt, &aim, status);
        sol->iterations = w.iterations;
        sol->factorizations = w.factorizations;
        sol->rho = w.admm_ready ? slip_admm_rho(&w.admm) : 0;
        status = slip_solver_close_at(p, opt, w.best, w.newton.image, &w.residual, &w.residual, status, sol);
    }
    slip_arena_release(scratch, mark);
    return sol->status = status;
}

/* ---- without the contacts that stay open ----------------------------------------------------------------- */

static int default_budget(const slip_solver_options *opt)
{
    return opt->max_iterations > 0 ? opt->max_iterations : DEFAULT_ITERATIONS;
}

/* All parts of s, from and into lambda (p->n). A status that is not SLIP_OK when one of them has it; SLIP_OK also for
 * what is enough: then *excess is how far that is from the tolerance, else 1. An iteration of the whole is one of all
 * parts: sol counts those of the longest. */
static slip_status default_parts(slip_screen *s, const slip_solver_options *opt, slip_solution *sol, slip_real *lambda,
                                 slip_real *excess, slip_arena *scratch)
{
    slip_solver_options inner = *opt;
    slip_status worst = SLIP_OK;
    int k, most = 0;

    *excess = 1;
    inner.clock = NULL;
    inner.max_iterations = default_budget(opt) - sol->iterations;
    slip_screen_split(s);
    for (k = 0; k < s->groups; ++k) {
        slip_solution part = slip_solution_over(s->lambda, s->sigma, NULL);
        slip_real off;
        slip_status status;

        slip_screen_make(s, k, lambda);
        part.warm = s->part.n;
        status = default_whole(&s->part, &inner, &part, s->p->n, scratch);
        if (status < 0) return status;
        off = slip_residual_excess(&part.residual, opt->tol, opt->tol_rule);
        if (status != SLIP_OK && off > slip_solver_near(opt)) worst = status;
        *excess = slip_max(*excess, off);
        if (part.iterations > most) most = part.iterations;
        sol->factorizations += part.factorizations;
        slip_screen_spread(s, k, lambda);
    }
    sol->iterations += most;
    return worst;
}

/* Without contacts that stay open, by the velocities `sigma` (n; changed) at the impulses in sol->lambda, until that is
 * an answer of the whole, in lambda and sigma: 1. 0: it is not; what was found is in lambda, or the start. */
static int default_without(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol, slip_real *sigma,
                           slip_real *lambda, slip_arena *scratch)
{
    slip_screen s;
    slip_real slow;
    int i, k, out;

    if (!slip_screen_carve(&s, p, scratch)) return 0;
    out = slip_screen_pick(&s, sol->lambda, sigma, lambda);
    memcpy(lambda, sol->lambda, (size_t)p->n*sizeof *lambda);
    if ((double)out < DEFAULT_SCREEN_LEAST*p->nc) return 0;
    for (i = 0; i < p->nc; ++i) if (s.group[i] < 0) lambda[3*i] = lambda[3*i + 1] = lambda[3*i + 2] = 0;
    for (k = 0; k < DEFAULT_SCREENS && sol->iterations < default_budget(opt); ++k) {
        sol->status = default_parts(&s, opt, sol, lambda, &slow, scratch);
        if (sol->status < 0) return 0;
        slip_residual_of(p, lambda, sigma, &sol->residual);
        if (sol->status == SLIP_OK && slip_residual_excess(&sol->residual, opt->tol, opt->tol_rule)
                                          <= (slow > 1 ? slip_solver_near(opt) : 1)) return 1;
        if (sol->status != SLIP_OK || slip_screen_add(&s, sigma) == 0) return 0;
    }
    return 0;
}

/* The whole, from the better one of its start and of what its parts found; sol has counted these already. Gives back
 * lambda and sigma, which begin at `mark`. */
static slip_status default_after(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                 const slip_real *lambda, slip_real *sigma, slip_real start, size_t mark,
                                 slip_arena *scratch)
{
    slip_solver_options rest = *opt;
    const int iterations = sol->iterations, factorizations = sol->factorizations;
    const double seconds = opt->clock ? sol->seconds + opt->clock(opt->clock_context) : 0;
    slip_status status;
    slip_residual r;

    if (iterations > 0) {
        slip_residual_of(p, lambda, sigma, &r);
        if (slip_residual_excess(&r, opt->tol, opt->tol_rule) < start)
            memcpy(sol->lambda, lambda, (size_t)p->n*sizeof *lambda);
    }
    rest.max_iterations = default_budget(opt) - iterations;
    if (rest.max_iterations <= 0) {
        slip_residual_of(p, sol->lambda, sigma, &r);
        status = slip_solver_close_at(p, opt, sol->lambda, sigma, &r, &r, SLIP_MAX_ITERS, sol);
        sol->rho = 0;
        return status;
    }
    slip_arena_release(scratch, mark);
    scratch->failed = 0;
    status = default_whole(p, &rest, sol, p->n, scratch);
    sol->iterations += iterations;
    sol->factorizations += factorizations;
    sol->seconds += seconds;
    return status;
}

static slip_status default_screened(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                                    slip_arena *scratch)
{
    const size_t mark = slip_arena_mark(scratch);
    slip_solver_options unused;
    slip_status status;
    slip_residual r;
    slip_real *sigma, *lambda, start;
    int done;

    if (!slip_solver_open(p, SLIP_MODEL_NCP, DEFAULT_TAKES, &opt, &unused, sol, &status)) return status;
    sigma = slip_arena_reals(scratch, (size_t)p->n);
    lambda = slip_arena_reals(scratch, (size_t)p->n);
    if (!sigma || !lambda) {
        slip_arena_release(scratch, mark);
        scratch->failed = 0;
        return default_whole(p, opt, sol, p->n, scratch);
    }
    slip_residual_of(p, sol->lambda, sigma, &r);
    start = slip_residual_excess(&r, opt->tol, opt->tol_rule);
    memcpy(lambda, sol->lambda, (size_t)p->n*sizeof *lambda);
    done = start > 1 && default_without(p, opt, sol, sigma, lambda, scratch);
    if (done) {
        r = sol->residual;
        sol->rho = 0;
        status = slip_solver_close_at(p, opt, lambda, sigma, &r, &r, sol->status, sol);
    } else {
        status = default_after(p, opt, sol, lambda, sigma, start, mark, scratch);
    }
    slip_arena_release(scratch, mark);
    return status;
}

slip_status slip_default(const slip_problem *p, const slip_solver_options *opt, slip_solution *sol,
                         slip_arena *scratch)
{
    slip_solver_options storage;

    if (!opt) { storage = slip_solver_defaults(); opt = &storage; }
    if (sol->warm && p->n >= DEFAULT_SCREEN && p->G.nv > 0) return default_screened(p, opt, sol, scratch);
    return default_whole(p, opt, sol, p->n, scratch);
}
