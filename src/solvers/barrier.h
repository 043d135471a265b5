/* The logarithmic barriers of Todorov's contact model (TO eq. 9-11, 16, 20, 25) and the steps to their singularities.
 * ccp-barrier minimises with them; the inverse model solves with the same ones, so that it is an exact inverse.
 * Order t1, t2, n; t > 0 is the barrier's weight [J]. */
#ifndef SLIP_SOLVERS_BARRIER_H
#define SLIP_SOLVERS_BARRIER_H

#include "contact/residual.h"
#include "solvers/id_barrier.h"

/* B1 of one contact: -t log(mu^2 f_n^2 - |f_T|^2) - t log f_n (TO eq. 9, 10); grad[3] and hess[9] (symmetric, positive
 * semidefinite) may be NULL. Returns the value, infinity outside. For mu = 0 and mu = infinity only the second term is
 * there, and the caller holds a frictionless f_T at 0. */
slip_real slip_barrier_contact(slip_real mu, slip_real t, const slip_real f[3], slip_real grad[3], slip_real hess[9]);

/* -t log x for a scalar x >= 0 (f_n of a limit, v - v_min): value, with first and second derivative. slope > 0 gives
 * the elastic form (TO eq. 25): below x0 = t/slope the parabola with the same value and two derivatives at x0, finite
 * everywhere. slope = 0: the plain barrier, infinite for x <= 0. */
slip_real slip_barrier_scalar(slip_real t, slip_real slope, slip_real x, slip_real *d1, slip_real *d2);

/* The two derivatives alone, which cost no logarithm; for slope = 0 and x <= 0 minus infinity and infinity. */
void slip_barrier_slopes(slip_real t, slip_real slope, slip_real x, slip_real *d1, slip_real *d2);

/* The largest a with f + a d on or inside the cone and f_n >= 0, f strictly inside; infinity when none. Analytic: a
 * root of a quadratic (TO Sec. III-D). The same for a half-line. */
slip_real slip_barrier_contact_step(slip_real mu, const slip_real f[3], const slip_real d[3]);
slip_real slip_barrier_scalar_step(slip_real x, slip_real d);

/* R of a row at distance d [m]: r_min when touching, r_max beyond d_max, straight between (TO eq. 24). TO's values are
 * r_min = 0.01, r_max = 100 [1/kg], d_max = 0.1 m. */
slip_real slip_barrier_compliance(slip_real d, slip_real r_min, slip_real r_max, slip_real d_max);

/* R of the rows of block i: p->R plus, where p->distance is known, TO's growing compliance. */
void slip_barrier_block_compliance(const slip_problem *p, const slip_barrier_law *law, int i, slip_real R[3]);

/* v - v_min of contact or limit i for velocities v (n), and its row: the normal of a contact. */
slip_real slip_barrier_margin(const slip_problem *p, const slip_real *v, int i, int *row);

/* The judge of the barrier model, from lambda alone: eps_dual is the largest entry of the gradient of E + B (TO eq.
 * 17) [m/s] or of v_min - v, eps_primal the distance to the cones [N s], eps_comp 0. grad (n), c (n) are output and
 * scratch. R is p->R alone: ccp-barrier passes a copy of the problem whose R has the distances in it. Of a slightly
 * asymmetric G the symmetric part is used: an energy depends on no other. */
void slip_barrier_residual(const slip_problem *p, slip_real t, slip_real slope, const slip_real *lambda,
                           slip_real *grad, slip_real *c, slip_residual *r);

#endif
