#include "printed_aid.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "unity.h"

/* ---- problems ------------------------------------------------------------------------------------ */

aid_problem *printed_problem(int trial, int compliant)
{
    slip_random rng = slip_random_seed(1000 + (uint64_t)trial);
    const int nc = 1 + trial % 4, n = 3*nc;
    aid_problem *a = aid_new(nc, 0, 0);
    int i;

    aid_random(&rng, 2*n, 1, a);
    for (i = 0; i < nc; ++i) {
        slip_real *D = a->G + 3*i*n + 3*i;

        if (trial % 2) D[0] = D[n + 1] = slip_max(D[0], D[n + 1]);
        a->mu[i] = trial % 6 == 0 ? 0 : trial % 6 == 1 ? 1 : slip_random_uniform(&rng, 0, 1);
    }
    for (i = 0; i < n; ++i) {
        a->G[i*n + i] += SLIP_R(0.1);
        a->R[i] = slip_random_uniform(&rng, 0, SLIP_R(0.3));
    }
    if (compliant && trial % 5 == 4) a->p.R = a->R;
    return a;
}

/* ---- watching a solve ------------------------------------------------------------------------------ */

printed_recording told;

static void record(void *context, const slip_iteration *it)
{
    printed_recording *r = (printed_recording *)context;
    int i;

    r->in_order = r->in_order && it->iteration == r->count + 1;
    if (!it->lambda) r->lost = 1;
    if (r->count < LONG && it->lambda) {
        for (i = 0; i < r->n; ++i) r->x[r->count][i] = (double)it->lambda[i];
        r->rho[r->count] = (double)it->rho;
    }
    ++r->count;
}

slip_solver_options printed_options(void)
{
    slip_solver_options opt = slip_solver_defaults();

    opt.tol = SLIP_TOL(1e-14, 1e-7);
    opt.max_iterations = SWEEPS;
    return opt;
}

slip_solution printed_watch(const char *id, const slip_problem *p, slip_solver_options opt, double *x)
{
    const slip_solver *solver = slip_solver_find(id);
    slip_real lambda[NAIVE_ROWS] = { 0 };
    slip_solution sol;
    slip_status status;
    int i;

    TEST_ASSERT_NOT_NULL_MESSAGE(solver, id);
    memset(&told, 0, offsetof(printed_recording, x));
    told.in_order = 1;
    told.n = p->n;
    opt.history = record;
    opt.history_context = &told;
    status = aid_solve(solver->solve, solver->bytes, p, &opt, 0, lambda, NULL, &sol);
    TEST_ASSERT_TRUE_MESSAGE(status >= 0, id);
    TEST_ASSERT_TRUE_MESSAGE(told.in_order, "iterations are numbered from 1, each told once");
    for (i = 0; i < p->n; ++i) x[i] = (double)lambda[i];
    return sol;
}

double printed_largest(int n, const double *x)
{
    double most = 0;
    int i;

    for (i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

void printed_expect_vector(const char *id, int trial, int iteration, int n, const double *want, const double *got,
                           double tol)
{
    const double size = printed_largest(n, want);
    char text[160];
    int i;

    for (i = 0; i < n; ++i) {
        snprintf(text, sizeof text, "%s, problem %d (%d contacts), iteration %d, row %d", id, trial, n/3, iteration, i);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol*size, want[i], got[i], text);
    }
}

void printed_expect_iterates(const char *id, int trial, int n, double want[SWEEPS + 1][NAIVE_ROWS], double tol)
{
    const int count = told.count < SWEEPS ? told.count : SWEEPS;
    const double none[NAIVE_ROWS] = { 0 };
    char text[120];
    int k, i;

    TEST_ASSERT_FALSE_MESSAGE(told.lost, "every iteration is told with its iterate");
    for (k = 0; k < count; ++k) printed_expect_vector(id, trial, k + 1, n, want[k], told.x[k], tol);
    for (i = 0; told.count < SWEEPS && i < n; ++i) {
        const double *last = count > 0 ? want[count - 1] : none;

        snprintf(text, sizeof text, "%s, problem %d, ended after %d iterations", id, trial, count);
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE((double)SLIP_TOL(1e-12, 1e-5), last[i], want[count][i], text);
    }
}
