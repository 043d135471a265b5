/* A problem scaled to a diagonal of 1 and free velocities of 1, as a full matrix: for the global solvers that work on
 * dense arrays.
 *
 *     lambda = unit D x,    A = D G D,    b = D g/unit,    D A-diagonal of about 1, largest |b| = 1
 *
 * D is one positive number per block, so cones, half-lines and pyramids do not change, and velocities are sigma = unit
 * D^-1 (A x + b). Solvers thus work on a problem without large mass ratios on the diagonal. Private to src/solvers. */
#ifndef SLIP_SOLVERS_SCALED_H
#define SLIP_SOLVERS_SCALED_H

#include "contact/problem.h"

typedef struct {
    slip_real *D;          /* n                                                        */
    slip_real unit;        /* [m/s] times D                                            */
} slip_scaling;

/* D and unit of p; D is the caller's array of p->n. */
void slip_scaling_make(const slip_problem *p, slip_scaling *s);

/* A (n x n) = D G D as given, or its symmetric part; b (n) = D g/unit. */
void slip_scaling_matrix(const slip_problem *p, const slip_scaling *s, int symmetric, slip_real *A);
void slip_scaling_vector(const slip_problem *p, const slip_scaling *s, const slip_real *g, slip_real *b);

/* r (n) = D R D, zeros for a rigid problem. */
void slip_scaling_compliance(const slip_problem *p, const slip_scaling *s, slip_real *r);

/* x from lambda and back. May be the same array. */
void slip_scaling_in(const slip_problem *p, const slip_scaling *s, const slip_real *lambda, slip_real *x);
void slip_scaling_out(const slip_problem *p, const slip_scaling *s, const slip_real *x, slip_real *lambda);

#endif
