/* One contact with all others held: the small problems that per-contact solvers solve over and over.
 *
 *     sigma(x) = A x + b,     A = G_ii + R_i (3x3, symmetric),    b = velocity without this contact's impulse
 *
 * Private to src/solvers. Order t1, t2, n; A in 1/kg, b in m/s, impulses in N s. */
#ifndef SLIP_SOLVERS_LOCAL_H
#define SLIP_SOLVERS_LOCAL_H

#include "contact/problem.h"

typedef struct {
    slip_real A[9];          /* symmetric part of G_ii + R_i, made definite by a proximal eps where singular     */
    slip_real eps;           /* what was added to the diagonal for that: 0 as a rule                            */
    slip_real inv[9];        /* A^-1                                                                            */
    slip_real S[3];          /* Schur complement A_TT - w w'/A_nn as (11, 12, 22), w = A_nT                     */
    slip_real inv_nn;        /* 1/A_nn                                                                          */
    slip_real mu;
    slip_real size;          /* trace(A)/3: turns an impulse into a velocity of about the size it causes        */
} slip_local;

/* Fills k from block i of p. Where A is singular (a point locked in a direction) eps trace(A) is added to its
 * diagonal. As solvers form b = sigma - A lambda with this A, that is a proximal step: it slows the sweep in
 * that direction a little and does not move its fixed point. A zero block gives zero inverses: it is left at 0. */
void slip_local_prepare(const slip_problem *p, int i, slip_local *k);

/* ---- tangential problems: min 1/2 x'A_TT x + b'x over a set of radius r ------------------------------ */

/* The disc |x| <= r, exactly (secular equation). Its optimality is the maximum dissipation principle:
 * A_TT x + b = -nu x, nu >= 0. A step along A_TT^-1 with a radial projection after it would not have that. */
void slip_local_disc(const slip_local *k, const slip_real b[2], slip_real r, slip_real x[2]);

/* The square |x|_inf <= r, exactly: the optimum lies on an edge seen from the free minimum. */
void slip_local_box(const slip_local *k, const slip_real b[2], slip_real r, slip_real x[2]);

/* ---- RaiSim's sliding contact (HW eq. 8-15, LL eq. 20) ------------------------------------------------- */

/* The three single-contact methods of HW Tab. I, and HW's bisection as printed (Alg. 1) down to `gamma`. */
typedef enum { SLIP_SLIDE_BISECTION, SLIP_SLIDE_GOLDEN, SLIP_SLIDE_QUARTIC, SLIP_SLIDE_PAPER } slip_slide_method;

/* The whole single contact: opens, sticks or slides (HW Alg. 2, lines 3-9). `old` (NULL: none, not x) is the last
 * impulse, about whose direction bisection and golden section look first. `gamma`: final bracket in the half angle's
 * tangent; 0 takes the precision's best. b_n >= 0 opens: x = 0. */
typedef enum { SLIP_LOCAL_OPEN, SLIP_LOCAL_STICK, SLIP_LOCAL_SLIDE } slip_local_case;
slip_local_case slip_local_raisim(const slip_local *k, const slip_real b[3], const slip_real *old,
                                  slip_slide_method method, slip_real gamma, slip_real x[3]);

/* The same contact under the NCP, exactly: sigma_T against lambda_T instead of least energy. For strong coupling (mu
 * |A_nT| > A_nn, Painleve's case) several impulses may solve it; one of them is found. `old` is the last impulse:
 * near it, where it slides on, one Newton step is taken instead. x must not be old. */
slip_local_case slip_local_ncp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3]);

/* The same under the LCP of the square pyramid and under the CCP (local_exact.c). `old`, the last impulse, is where the
 * search begins. 1 when solved; 0, x of no use, when there is no solution (LCP, strong coupling), none was found within
 * a few steps, or mu is infinite: the caller takes its paper's step then. x must not be old. */
int slip_local_lcp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3]);
int slip_local_ccp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3]);

#endif
