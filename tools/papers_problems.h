/* Contact problems for the papers' experiments: copied from the steps of scenes, generated, or read from files; and
 * solved with the time taken. */
#ifndef SLIP_TOOLS_PAPERS_PROBLEMS_H
#define SLIP_TOOLS_PAPERS_PROBLEMS_H

#include "papers.h"

typedef struct {
    slip_problem p;                  /* its Delassus matrix dense or in blocks, without a factor                  */
    slip_real *lambda, *dual, rho;   /* the step's warm start; lambda NULL: none                                  */
    int family;                      /* as the experiment counts them                                             */
    char name[64];
    void *memory;
} papers_problem;

typedef struct { papers_problem *list; int n, room; } papers_problems;

/* Adds a copy. warm may be NULL. 0, after a message, when the problem cannot be copied. */
int papers_problems_add(papers_problems *set, int family, const char *name, const slip_problem *p,
                        const slip_solution *warm);

/* Adds a problem file; 0, after a message, when it cannot be read. */
int papers_problems_file(papers_problems *set, int family, const char *path);

/* Adds the problem of a generated scene (generate.h). */
int papers_problems_generate(papers_problems *set, int family, const char *kind, int contacts, int seed,
                             double friction);

/* Runs a scene from its start and adds the problem of every `every`th step from `first` to `last`; all bodies in one
 * problem, as in the papers. Steps without contact are left out. 0, after a message, when the scene fails. */
int papers_problems_run(papers_problems *set, int family, sim_session *s, long first, long every, long last);

void papers_problems_free(papers_problems *set);

/* Result and cost of a solve. */
typedef struct {
    int solved;                      /* to the tolerance, by the judge and the solver's own model                 */
    int iterations, factorizations;
    double seconds;                  /* the best of the repeats, processor time                                   */
    double eps;                      /* the largest of its model's three criteria                                 */
} papers_solve_result;

/* Solves it again and again for `time` seconds, at least once. warm: from the step's warm start if it has one. */
papers_solve_result papers_solve(const papers_problem *q, const slip_solver *solver, const slip_solver_options *opt,
                                 int warm, double time);

/* Options with a strictly absolute tolerance, as the papers print it. */
slip_solver_options papers_absolute(double tol, int max_iterations);

/* Mean and standard deviation of n numbers; the value below which a share lies (sorts x). n > 0. */
void papers_mean(const double *x, int n, double *mean, double *deviation);
double papers_quantile(double *x, int n, double share);

/* Mean of n > 0 numbers and the central 95 % of means of resamples of them (bootstrap), drawn with `seed`. */
typedef struct { double value, lo, hi; } papers_interval;
papers_interval papers_bootstrap(const double *x, int n, unsigned seed);

#endif
