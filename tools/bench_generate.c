/* slipstick bench solvers --generate: the default against single solvers on problems that the simulator makes. */
#define _POSIX_C_SOURCE 200112L   /* isatty, fileno */

#include "bench_generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "generate.h"
#include "problem_file.h"

enum { GSOLVE_COLD, GSOLVE_WARM };

/* Sums over problems for the summary: default's time over the best single solver's. */
typedef struct {
    int problems, compared, missed;          /* missed: by the default, solved by another        */
    double log_sum, worst;
    char worst_name[64];
} gsolve_ratio;

typedef struct {
    const bench_generate *g;
    char name[64];
    gsolve_ratio all[2], large[2];           /* of all problems; where the best needs 1 ms       */
} gsolve_run;

/* Best seconds of one solver, infinite when it does not solve the problem to the tolerance or in time. */
static double gsolve_solver(const gsolve_run *r, const slip_problem *p, int which, const slip_solution *start,
                            int *iterations, const char **status)
{
    const bench_generate *g = r->g;
    const slip_solver *solver = g->solvers[which];
    const slip_solver_options *opt = &g->opts[which];
    double best = (double)INFINITY, spent = 0;
    tool_solve s;

    tool_solve_begin(p, solver, opt, &s);
    do {
        if (start) {
            memcpy(s.sol.lambda, start->lambda, (size_t)p->n*sizeof *s.sol.lambda);
            if (start->dual) memcpy(s.sol.dual, start->dual, (size_t)p->n*sizeof *s.sol.dual);
            s.sol.rho = start->rho;
        }
        s.sol.warm = start ? p->n : 0;
        spent += tool_solve_within(solver, p, opt, &s, g->limit, status);
        *iterations = s.sol.iterations;
        if (strcmp(*status, "ok") != 0) { best = (double)INFINITY; break; }
        best = fmin(best, s.sol.seconds);
    } while (spent < g->time);
    tool_solve_end(&s);
    return best;
}

static void gsolve_note(gsolve_ratio *r, const char *name, double ours, double best)
{
    ++r->problems;
    if (!(best < (double)INFINITY)) return;
    if (!(ours < (double)INFINITY)) { ++r->missed; return; }
    ++r->compared;
    r->log_sum += log(ours/best);
    if (ours/best > r->worst) {
        r->worst = ours/best;
        slip_format(r->worst_name, (int)sizeof r->worst_name, "%s", name);
    }
}

/* All solvers on one problem, cold and warm. */
static void gsolve_problem(void *context, const slip_problem *p, const slip_solution *start)
{
    gsolve_run *r = (gsolve_run *)context;
    int mode, i;

    for (mode = GSOLVE_COLD; mode <= GSOLVE_WARM; ++mode) {
        double best = (double)INFINITY, ours = (double)INFINITY;

        if (mode == GSOLVE_WARM && !start->warm) break;
        for (i = 0; i < r->g->nsolvers; ++i) {
            const slip_solver *solver = r->g->solvers[i];
            const char *status = "";
            int iterations = 0;
            const double t = gsolve_solver(r, p, i, mode == GSOLVE_WARM ? start : NULL, &iterations, &status);

            printf("%-20s %6d %6d %-5s %-17s %-13s %7d ", r->name, p->nc, p->n, mode ? "warm" : "cold", r->g->names[i],
                   status, iterations);
            if (t < (double)INFINITY) printf("%10.3f\n", 1e3*t); else printf("%10s\n", "-");
            fflush(stdout);
            if (solver == &slip_solver_default) ours = t;
            else best = fmin(best, t);
        }
        gsolve_note(&r->all[mode], r->name, ours, best);
        if (best > 1e-3 || ours > 1e-3) gsolve_note(&r->large[mode], r->name, ours, best);
    }
}

static void gsolve_tell(const char *what, const char *mode, const gsolve_ratio *r)
{
    printf("%-22s %-5s %9d %9d %8d", what, mode, r->problems, r->compared, r->missed);
    if (r->compared > 0) printf(" %12.3f %12.3f  %s\n", exp(r->log_sum/r->compared), r->worst, r->worst_name);
    else printf(" %12s %12s\n", "-", "-");
}

static void gsolve_summary(const gsolve_run *r)
{
    printf("\nTime of default over the best single solver's:\n%-22s %-5s %9s %9s %8s %12s %12s\n", "problems", "start",
           "number", "compared", "missed", "geom. mean", "worst");
    gsolve_tell("all", "cold", &r->all[GSOLVE_COLD]);
    gsolve_tell("all", "warm", &r->all[GSOLVE_WARM]);
    gsolve_tell("above 1 ms", "cold", &r->large[GSOLVE_COLD]);
    gsolve_tell("above 1 ms", "warm", &r->large[GSOLVE_WARM]);
}

int bench_generate_run(const bench_generate *g)
{
    gsolve_run r;
    const int progress = isatty(fileno(stderr)) && !isatty(fileno(stdout));
    int k, c, s, ok = 1;

    memset(&r, 0, sizeof r);
    r.g = g;
    printf("%-20s %6s %6s %-5s %-17s %-13s %7s %10s\n", "problem", "nc", "rows", "start", "solver", "status", "iter",
           "ms");
    for (k = 0; k < g->nkinds && ok; ++k)
        for (c = 0; c < g->ncontacts && ok; ++c)
            for (s = 0; s < g->nseeds && ok; ++s) {
                slip_format(r.name, (int)sizeof r.name, "%s-%d-%d", g->kinds[k], g->contacts[c], g->seeds[s]);
                if (progress) fprintf(stderr, "\rmaking %s ", r.name);
                ok = generate_problem("bench solvers", g->kinds[k], g->contacts[c], g->seeds[s], 0, gsolve_problem,
                                      &r);
            }
    gsolve_summary(&r);
    return !ok ? CLI_FAILED : CLI_OK;
}
