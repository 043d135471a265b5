/* Contact problems for the papers' experiments. See papers_problems.h. */
#include "papers_problems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "generate.h"
#include "papers_run.h"
#include "problem_file.h"

/* ---- a set ----------------------------------------------------------------------------------------------------- */

static papers_problem *problems_next(papers_problems *set)
{
    if (set->n == set->room) {
        const int room = 2*set->room + 16;
        papers_problem *more = (papers_problem *)cli_alloc((size_t)room*sizeof *more);

        if (set->n > 0) memcpy(more, set->list, (size_t)set->n*sizeof *more);
        free(set->list);
        set->list = more;
        set->room = room;
    }
    memset(&set->list[set->n], 0, sizeof *set->list);
    return &set->list[set->n++];
}

static int problems_put(void *context, const void *bytes, size_t n)
{
    papers_put((papers_text *)context, (const char *)bytes, n);
    return 0;
}

/* A problem points into many arrays. Written as text and read back it is one block, with the same bits. */
static int problems_copy(const slip_problem *from, papers_problem *to)
{
    papers_text text = { NULL, 0, 0 };
    slip_stream out;
    slip_arena mem;
    slip_error err;
    slip_status status;
    size_t room;

    slip_stream_open(problems_put, &text, &out);
    status = slip_problem_write(from, "copy", NULL, &out);
    slip_stream_flush(&out);
    slip_error_clear(&err);
    room = slip_problem_bytes(text.used);
    to->memory = cli_alloc(room);
    mem = slip_arena_over(to->memory, room);
    if (status >= 0) status = slip_problem_read(text.text, text.used, &mem, &to->p, &err);
    free(text.text);
    if (status < 0) cli_error(&err);
    return status >= 0;
}

static slip_real *problems_reals(const slip_real *x, int n)
{
    slip_real *copy = (slip_real *)cli_alloc((size_t)n*sizeof *copy);

    memcpy(copy, x, (size_t)n*sizeof *copy);
    return copy;
}

int papers_problems_add(papers_problems *set, int family, const char *name, const slip_problem *p,
                        const slip_solution *warm)
{
    papers_problem *q = problems_next(set);

    q->family = family;
    snprintf(q->name, sizeof q->name, "%s", name);
    if (!problems_copy(p, q)) return 0;
    if (warm && warm->warm) {
        q->lambda = problems_reals(warm->lambda, p->n);
        if (warm->dual) q->dual = problems_reals(warm->dual, p->n);
        q->rho = warm->rho;
    }
    return 1;
}

int papers_problems_file(papers_problems *set, int family, const char *path)
{
    tool_problem t;
    papers_problem *q;

    if (!tool_problem_load("papers", path, &t)) return 0;
    q = problems_next(set);
    q->family = family;
    snprintf(q->name, sizeof q->name, "%s", t.name);
    q->p = t.p;
    q->memory = t.memory;
    free((void *)(size_t)t.name);
    return 1;
}

void papers_problems_free(papers_problems *set)
{
    int i;

    for (i = 0; i < set->n; ++i) {
        free(set->list[i].memory);
        free(set->list[i].lambda);
        free(set->list[i].dual);
    }
    free(set->list);
    memset(set, 0, sizeof *set);
}

/* ---- from scenes ----------------------------------------------------------------------------------------------- */

typedef struct {
    papers_problems *set;
    int family, ok;
    const char *name;
    const slip_world *world;         /* NULL: every problem counts */
    long first, every, last;
} problems_watch;

static void problems_see(void *context, const slip_problem *p, const slip_solution *warm)
{
    problems_watch *w = (problems_watch *)context;
    const long step = w->world ? slip_world_steps(w->world) : w->first;
    char name[64];

    if (step < w->first || step > w->last || (step - w->first) % w->every != 0 || p->nc == 0) return;
    if (w->world) snprintf(name, sizeof name, "%s %ld", w->name, step);
    else snprintf(name, sizeof name, "%s", w->name);
    w->ok = papers_problems_add(w->set, w->family, name, p, warm) && w->ok;
}

int papers_problems_run(papers_problems *set, int family, sim_session *s, long first, long every, long last)
{
    problems_watch w = { NULL, 0, 1, NULL, NULL, 0, 1, 0 };
    slip_world_options *o = slip_world_options_of(s->world);
    sim_result result;
    long all = s->steps;

    w.set = set;
    w.family = family;
    w.name = s->scene.name;
    w.world = s->world;
    w.first = first;
    w.every = every;
    w.last = last;
    o->islands = 0;
    o->on_problem = problems_see;
    o->problem_context = &w;
    if (s->steps > last + 1) s->steps = last + 1;
    sim_run(s, NULL, &result);
    s->steps = all;
    o->on_problem = NULL;
    if (result.status < 0) cli_error(slip_world_error(s->world));
    return result.status >= 0 && w.ok;
}

int papers_problems_generate(papers_problems *set, int family, const char *kind, int contacts, int seed,
                             double friction)
{
    problems_watch w = { NULL, 0, 1, NULL, NULL, 0, 1, 0 };
    char name[64];

    snprintf(name, sizeof name, "%s-%d-%d", kind, contacts, seed);
    w.set = set;
    w.family = family;
    w.name = name;
    return generate_problem("papers", kind, contacts, seed, friction, problems_see, &w) && w.ok;
}

/* ---- solving --------------------------------------------------------------------------------------------------- */

slip_solver_options papers_absolute(double tol, int max_iterations)
{
    slip_solver_options opt = slip_solver_defaults();

    opt.tol = (slip_real)tol;
    opt.tol_rule = SLIP_TOL_ABSOLUTE;
    opt.max_iterations = opt.patience = max_iterations;      /* sweeps get all of them, as in the papers */
    return opt;
}

papers_solve_result papers_solve(const papers_problem *q, const slip_solver *solver, const slip_solver_options *opt,
                                 int warm, double time)
{
    const size_t bytes = (size_t)q->p.n*sizeof(slip_real);
    papers_solve_result out = { 0, 0, 0, (double)INFINITY, (double)INFINITY };
    double spent = 0;
    tool_solve s;

    tool_solve_begin(&q->p, solver, opt, &s);
    do {
        double start;

        s.sol.warm = warm && q->lambda ? q->p.n : 0;
        if (s.sol.warm) {
            memcpy(s.sol.lambda, q->lambda, bytes);
            if (q->dual) memcpy(s.sol.dual, q->dual, bytes);
            else s.sol.warm = 0;
            s.sol.rho = q->rho;
        }
        start = cli_cpu_seconds();
        slip_solve(solver, &q->p, opt, &s.sol, &s.arena);
        out.seconds = fmin(out.seconds, cli_cpu_seconds() - start);
        spent += out.seconds;
    } while (spent < time);
    out.solved = s.sol.status == SLIP_OK;
    out.iterations = s.sol.iterations;
    out.factorizations = s.sol.factorizations;
    if (s.sol.status >= 0) out.eps = (double)s.sol.model.eps_abs;
    tool_solve_end(&s);
    return out;
}

/* ---- statistics ------------------------------------------------------------------------------------------------ */

void papers_mean(const double *x, int n, double *mean, double *deviation)
{
    double sum = 0, square = 0;
    int i;

    for (i = 0; i < n; ++i) sum += x[i];
    *mean = sum/n;
    for (i = 0; i < n; ++i) square += (x[i] - *mean)*(x[i] - *mean);
    *deviation = sqrt(square/n);
}

static int problems_by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

double papers_quantile(double *x, int n, double share)
{
    const int k = (int)(share*n);

    qsort(x, (size_t)n, sizeof *x, problems_by_size);
    return x[k < n ? k : n - 1];
}

papers_interval papers_bootstrap(const double *x, int n, unsigned seed)
{
    enum { RESAMPLES = 2000 };
    slip_random rng = slip_random_seed(seed);
    double *means = (double *)cli_alloc(RESAMPLES*sizeof *means), deviation;
    papers_interval out;
    int i, k;

    papers_mean(x, n, &out.value, &deviation);
    for (i = 0; i < RESAMPLES; ++i) {
        means[i] = 0;
        for (k = 0; k < n; ++k) means[i] += x[slip_random_int(&rng, 0, n - 1)]/n;
    }
    out.lo = papers_quantile(means, RESAMPLES, 0.025);
    out.hi = papers_quantile(means, RESAMPLES, 0.975);
    free(means);
    return out;
}
