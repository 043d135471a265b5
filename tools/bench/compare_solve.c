/* Contact problems solved by Siconos and by Slipstick in turn, in one process, each to the same tolerance by the same
 * judge, from zero:
 *
 *     compare_solve PROBLEM... [--tries N]
 *
 * Prints a line a problem and solver: name, contacts, solver, least milliseconds, NCP residual (eps_abs). Siconos gets
 * W dense or sparse, whichever is faster, and a tolerance that is tightened by ten until the judge is content or it
 * gains nothing; the time is that of its last solve. Problems with limits or bilateral rows are left out: Siconos has
 * no such rows in these solvers. */
#define _POSIX_C_SOURCE 200112L
#include "slipstick_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/NumericsVerbose.h>

enum { TRIES_MOST = 1000 };
#define TOLERANCE 1e-6

static const struct { const char *name; int id, iterations; } peers[] = {
    { "siconos NSGS", SICONOS_FRICTION_3D_NSGS, 20000 },
    { "siconos NSN_AC", SICONOS_FRICTION_3D_NSN_AC, 500 },
    { "siconos ADMM", SICONOS_FRICTION_3D_ADMM, 20000 },
    { "siconos DSFP", SICONOS_FRICTION_3D_DSFP, 20000 },
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

/* Their rows are n, t1, t2; ours t1, t2, n. */
static int their_row(int i) { return 3*(i/3) + (i % 3 + 1) % 3; }

static FrictionContactProblem *their_problem(const slip_problem *p, int sparse)
{
    FrictionContactProblem *out = frictionContactProblem_new();
    double *G = (double *)malloc(sizeof(double)*(size_t)p->n*(size_t)p->n);
    slip_real *ours = (slip_real *)malloc(sizeof(slip_real)*(size_t)p->n*(size_t)p->n);
    int i, j;

    slip_problem_full(p, ours, p->n);
    out->dimension = 3;
    out->numberOfContacts = p->nc;
    out->q = (double *)malloc(sizeof(double)*(size_t)p->n);
    out->mu = (double *)malloc(sizeof(double)*(size_t)p->nc);
    out->M = NM_create(sparse ? NM_SPARSE : NM_DENSE, p->n, p->n);
    if (sparse) NM_triplet_alloc(out->M, 9*p->nc);
    if (sparse) out->M->matrix2->origin = NSM_TRIPLET;
    for (j = 0; j < p->n; ++j)
        for (i = 0; i < p->n; ++i) {
            double x = (double)ours[i*p->n + j];

            if (i == j && p->R) x += (double)p->R[i];
            if (!sparse) out->M->matrix0[their_row(i) + p->n*their_row(j)] = x;
            else if (x != 0) NM_zentry(out->M, their_row(i), their_row(j), x, 0);
        }
    for (i = 0; i < p->n; ++i) out->q[their_row(i)] = (double)p->g[i];
    for (i = 0; i < p->nc; ++i) out->mu[i] = (double)p->mu[i];
    free(G);
    free(ours);
    return out;
}

static double judged(const slip_problem *p, const slip_real *lambda, slip_real *sigma)
{
    slip_residual r;

    slip_residual_of(p, lambda, sigma, &r);
    return (double)r.eps_abs;
}

/* One solve of theirs from zero; seconds, and the residual by our judge. */
static double their_solve(const slip_problem *p, FrictionContactProblem *theirs, int k, double tolerance,
        slip_real *lambda,
                          slip_real *sigma, double *residual)
{
    SolverOptions *options = solver_options_create(peers[k].id);
    double *r = (double *)calloc((size_t)p->n, sizeof *r), *u = (double *)calloc((size_t)p->n, sizeof *u), begun, spent;
    int i;

    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = peers[k].iterations;
    begun = now();
    fc3d_driver(theirs, r, u, options);
    spent = now() - begun;
    for (i = 0; i < p->n; ++i) lambda[i] = (slip_real)r[their_row(i)];
    *residual = judged(p, lambda, sigma);
    solver_options_delete(options);
    free(r);
    free(u);
    return spent;
}

static double our_solve(const slip_problem *p, slip_real *lambda, slip_real *sigma, void *scratch, size_t bytes,
                        double *residual)
{
    slip_solver_options opt = slip_solver_defaults();
    slip_solution sol = slip_solution_over(lambda, sigma, NULL);
    slip_arena mem = slip_arena_over(scratch, bytes);
    double begun;

    opt.tol = SLIP_R(TOLERANCE);
    opt.tol_rule = SLIP_TOL_ABSOLUTE;
    begun = now();
    slip_solve(&slip_solver_default, p, &opt, &sol, &mem);
    begun = now() - begun;
    *residual = judged(p, lambda, sigma);
    return begun;
}

static void compare(const slip_problem *p, const char *name, int tries)
{
    enum { PEERS = (int)(sizeof peers/sizeof *peers) };
    slip_solver_options opt = slip_solver_defaults();
    size_t bytes = slip_solve_bytes(&slip_solver_default, p, &opt);
    void *scratch = malloc(bytes);
    slip_real *lambda = (slip_real *)malloc(sizeof(slip_real)*(size_t)p->n);
    slip_real *sigma = (slip_real *)malloc(sizeof(slip_real)*(size_t)p->n);
    FrictionContactProblem *theirs[2] = { their_problem(p, 0), their_problem(p, 1) };
    double best[PEERS + 1], residual[PEERS + 1], tolerance[PEERS][2], r;
    int form[PEERS], i, k, t;

    for (k = 0; k < PEERS; ++k) {                                /* each finds its tolerance and its form first */
        double least = INFINITY;

        form[k] = -1;
        for (i = 0; i < 2; ++i) {
            double spent = 0;

            for (tolerance[k][i] = TOLERANCE; tolerance[k][i] > 1e-13; tolerance[k][i] /= 10) {
                spent = their_solve(p, theirs[i], k, tolerance[k][i], lambda, sigma, &r);
                if (r <= TOLERANCE) break;
            }
            if (r <= TOLERANCE && spent < least) { least = spent; form[k] = i; }
        }
        best[k] = INFINITY;
        residual[k] = r;
    }
    best[PEERS] = INFINITY;
    for (t = 0; t < tries; ++t) {                                /* in turn */
        for (k = 0; k < PEERS; ++k) {
            double spent = INFINITY;

            if (form[k] >= 0) spent = their_solve(p, theirs[form[k]], k, tolerance[k][form[k]], lambda, sigma,
                    &residual[k]);
            if (spent < best[k]) best[k] = spent;
        }
        r = our_solve(p, lambda, sigma, scratch, bytes, &residual[PEERS]);
        if (r < best[PEERS]) best[PEERS] = r;
    }
    for (k = 0; k <= PEERS; ++k)
        printf("%s,%d,%s,%.6g,%.3g\n", name, p->nc, k < PEERS ? peers[k].name : "slipstick", 1e3*best[k], residual[k]);
    fflush(stdout);
    frictionContactProblem_free(theirs[0]);
    frictionContactProblem_free(theirs[1]);
    free(scratch);
    free(lambda);
    free(sigma);
}

int main(int argc, char **argv)
{
    int i, tries = 5;

    for (i = 1; i + 1 < argc; ++i) if (strcmp(argv[i], "--tries") == 0) { tries = atoi(argv[i + 1]); argc = i; }
    numerics_set_verbose(0);
    for (i = 1; i < argc; ++i) {
        const char *slash = strrchr(argv[i], '/');
        FILE *f = fopen(argv[i], "rb");
        slip_problem p;
        slip_arena mem;
        slip_error err;
        long length;
        char *text;

        if (!f) { fprintf(stderr, "compare_solve: cannot read %s\n", argv[i]); return 1; }
        fseek(f, 0, SEEK_END);
        length = ftell(f);
        rewind(f);
        text = (char *)malloc((size_t)length + 1);
        length = (long)fread(text, 1, (size_t)length, f);
        fclose(f);
        mem = slip_arena_over(malloc(slip_problem_bytes((size_t)length)), slip_problem_bytes((size_t)length));
        slip_error_clear(&err);
        if (slip_problem_read(text, (size_t)length, &mem, &p, &err) < 0) {
            fprintf(stderr, "compare_solve: %s: %s\n", argv[i], err.what);
            return 1;
        }
        if (p.nl + p.nb == 0) compare(&p, slash ? slash + 1 : argv[i], tries);
        free(text);
        free(mem.base);
    }
    return 0;
}
