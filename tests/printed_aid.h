/* What the tests of the printed algorithms (test_printed_*.c) share: small random problems, a solve whose iterates are
 * recorded, and comparisons with iterates of the naive implementations of naive.h. */
#ifndef PRINTED_AID_H
#define PRINTED_AID_H

#include "contact_aid.h"
#include "naive.h"

enum { TRIALS = 30, SWEEPS = 8, LONG = 4000 };

/* Relative tolerance of iterates: rounding, grown by the few sweeps that are compared. */
#define ROUNDING ((double)SLIP_TOL(1e-12, 2e-4))

/* 1 to 4 contacts; equal tangential diagonals in every other problem; mu from 0 to 1; G positive definite; R in every
 * fifth when `compliant`. */
aid_problem *printed_problem(int trial, int compliant);

/* What the history callback told: how often, whether numbered 1, 2, 3 ..., whether ever without an iterate. */
typedef struct {
    int count, in_order, lost, n;
    double x[LONG][NAIVE_ROWS], rho[LONG];
} printed_recording;

extern printed_recording told;

/* No tolerance, SWEEPS iterations. */
slip_solver_options printed_options(void);

/* Solves cold by `id`, recording in `told`; the answer is in x. */
slip_solution printed_watch(const char *id, const slip_problem *p, slip_solver_options opt, double *x);

double printed_largest(int n, const double *x);

/* got is want to `tol` of the largest entry of want. */
void printed_expect_vector(const char *id, int trial, int iteration, int n, const double *want, const double *got,
                           double tol);

/* The recorded iterates are want[0], want[1] ...; a solver may end early only where the naive one comes to rest. */
void printed_expect_iterates(const char *id, int trial, int n, double want[SWEEPS + 1][NAIVE_ROWS], double tol);

#endif
