/* Inverse dynamics in contact space: the impulses that explain given contact velocities (CR Sec. IV).
 *
 * The problem's G is not read: p->g holds the desired velocities, c = J v_ref + corrections, and p->R the
 * compliance. With R diagonal every contact stands alone. */
#ifndef SLIP_SOLVERS_ID_PROX_H
#define SLIP_SOLVERS_ID_PROX_H

#include "solvers/id.h"

/* Such a problem: nc contacts, nl limits, nb bilateral rows; mu [nc], c [n], R [n] or NULL. Arrays are
 * pointed to, not copied. */
slip_problem slip_inverse_problem(int nc, int nl, int nb, const slip_real *mu, const slip_real *c, const slip_real *R);

slip_id_prox_options slip_id_prox_defaults(void);

/* lambda (p->n) with K_mu ∋ lambda _|_ sigma + Gamma(sigma) ∈ K*_mu, sigma = R lambda + c (CR eq. 47).
 *   opt     NULL for the defaults
 *   warm    1: lambda holds a guess. A rigid contact that does not open has many solutions (sticking: the whole
 *           cone, sliding: a ray), and the guess decides which one is found; 0 starts from none. Blocks with
 *           compliance have one solution, found whatever the guess.
 *   sigma   p->n, output; may be NULL
 *   result  may be NULL
 * SLIP_OK; SLIP_MAX_ITERS. SLIP_DIVERGED: no impulse explains the motion of result->diverged blocks (it enters the
 * other body, or slides under the CCP without lifting off): their lambda is the guess, projected on the cone, and sigma
 * is that of this lambda. SLIP_ERR_ARGUMENT for bad numbers: outputs untouched. */
slip_status slip_id_prox(const slip_problem *p, const slip_id_prox_options *opt, int warm, slip_real *lambda,
                         slip_real *sigma, slip_id_result *result);

#endif
