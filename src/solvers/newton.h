/* The semi-smooth Newton method of ncp-newton and of the default solver; private to src/solvers.
 *
 * With the natural map of the NCP, block by block with a step r_i = 1/mean diag(G_ii + R_ii),
 *
 *     F(lambda) = lambda - P_K(lambda - r (sigma + Gamma(sigma))),
 *     sigma     = (G + R) lambda + g + (eps/r)(lambda - anchor),
 *
 * Newton's equation (I - D) d + r D (I + dGamma)(G + R + eps/r) d = -F is solved on the range of D only, D being
 * the generalised Jacobian of the projection at x = lambda - r (sigma + Gamma(sigma)):
 *
 *     x inside K     stick   D = I                 3 unknowns     rows: the plain sigma + (…) d = 0
 *     x in the polar open    D = 0                 none           d = -F
 *     else           slip    D = q1 q1' + c q2 q2' 2 unknowns     q1 the generator, q2 across, c = mu y_n/|x_T|
 *
 * so the size of the system is that of the active set. Across the range, d = -F. A limit is open or has one
 * unknown; a bilateral row always has one.
 *
 * The system over the unknowns u, d = B u + (d across the range of D), is (T G B + E) u = b with B and T the blocks'
 * bases and tests, E one small matrix per block (eps, R, curvature). It is factored as a full matrix, by blocks when G
 * is sparse, or, with G = Y Y' of few columns, in the joints' space: K = I + Y' (B E^-1 T) Y (joint_space.h). There,
 * eps = 1e-8 costs half of the digits of a step, none of the answer's.
 *
 * Of a full, symmetric G the rows h of blocks that stick, with T = B = 1, are eliminated first, and an LU is left for
 * the contacts that slip, s:
 *
 *     A = G_hh + E_h = L L',  C = G_sh L^-T
 *     (T (G_ss - C C') B + E) u_s = b_s - T C y,  y = L^-1 b_h,   then  u_h = L^-T (y - C' B u_s)
 *
 * L and C are those of the last step as long as the same blocks stick and slip, with the same eps: then only the small
 * system, whose T and B follow the slip directions, is new.
 *
 * The weight eps plays two parts. While all goes well the anchor follows lambda (Levenberg-Marquardt: eps only
 * keeps a rank-deficient G harmless). When the line search fails, the anchor is kept and the proximal problem, which
 * is strongly monotone for eps large enough, is solved before the anchor moves: once at first, then twice, four
 * times … each time that following lambda fails again. */
#ifndef SLIP_SOLVERS_NEWTON_H
#define SLIP_SOLVERS_NEWTON_H

#include "contact/operator.h"
#include "solvers/solver.h"

/* Share of the tolerance to which Newton continues where that takes few steps. The error of impulses adds up in each
 * step of a world that reuses them; with this share they last for a thousand steps. In float the tolerance is not far
 * above rounding. */
#define SLIP_NEWTON_EXACT SLIP_TOL(1e-3, 1)

#define SLIP_NEWTON_MEMORY 4               /* merits the non-monotone line search looks back on */
#define SLIP_NEWTON_GROUPS 4               /* of blocks with unknowns: newton_group()           */

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    int n, m;
    slip_real *r, *inv_r, *inv_1mu2;        /* m: r_i, 1/r_i and, of contacts, 1/(1 + mu_i^2)           */
    slip_real *weight;                      /* n: 1/r_i by rows                                         */
    int some_infinite;                      /* some mu is infinite                                      */
    slip_real *lambda, *sigma;              /* iterate, feasible, and its sigma without the eps term: n */
    slip_real *anchor, *trial, *trial_sigma;             /* n: see above; point of the line search, its sigma */
    slip_real *anchored;                    /* n: sigma with the eps term                               */
    const slip_real *used_sigma;            /* n: of the last evaluation: sigma or anchored             */
    slip_real *best, *best_sigma;           /* n                                                        */
    slip_real *x, *F;                       /* n, of the last evaluation                                */
    slip_real *direction, *image;           /* n: d across the range of D, in the end all of d; G times it */
    slip_real *u;                           /* 3 m: right-hand side b, then the unknowns                */
    int *rank, *at, *was;                   /* m: unknowns, their place, rank at the last factorisation */
    slip_real *basis, *test;                /* 9 m: rows q_a of D's range, and q_a' (I + dGamma), of slips only */
    slip_real *curve;                       /* m: c                                                     */
    int *listed, listed_end[SLIP_NEWTON_GROUPS];         /* m: see newton_list(), for a dense G; where groups end */
    int eliminated;                         /* rows of sticking blocks that are eliminated first, by Cholesky   */
    slip_real *work;                        /* 4 n, for rows of the system or a vector                  */
    int unknowns, slips, crossing;          /* crossing: `direction` is not all zero before the solve   */
    int factored;
    slip_operator *op, own;                 /* the matrix; its own unless slip_newton_carve_over() was given one */
    slip_real *inverse;                     /* JOINT: 4 m, E^-1                                        */
    slip_real eps, scale;                   /* weight; factor of all r                                  */
    slip_real merit, history[SLIP_NEWTON_MEMORY];        /* sum |F_i|^2/r_i; its last values             */
    int remembered;                         /* merits written to `history` since the anchor was set     */
    int follow;                             /* the anchor follows lambda                                */
    int inner, failures;                    /* steps since the anchor was set; retreats in a row        */
    int outer, patience;                    /* proximal problems solved, and how many before lambda is followed again */
    slip_real max_steps_left;               /* a run ends when more steps than these seem to be left; 0: no bound */
    slip_real earlier_excess[2];            /* the best excess one and two steps ago, for newton_pays() */
    int iterations_before;                  /* iterations before this run, added in the history         */

    slip_residual best_residual;
    slip_real best_excess;
    int iterations, factorizations;         /* totals, for the caller to read                           */
} slip_newton;

/* Carves the workspace; in a counting arena only counts. The second form works with an operator that the caller has
 * carved and may lend to others between two runs. */
slip_status slip_newton_carve(slip_newton *w, const slip_problem *p, const slip_solver_options *opt, slip_arena *arena);
slip_status slip_newton_carve_over(slip_newton *w, slip_operator *op, const slip_solver_options *opt,
                                   slip_arena *arena);

/* Starts from lambda0 (n; NULL: zero), projected on K; `scale` multiplies the r_i (1 is the normal value). */
void slip_newton_start(slip_newton *w, const slip_real *lambda0, slip_real scale);

/* At most `steps` Newton steps. SLIP_OK: w->best meets the tolerance; SLIP_MAX_ITERS; SLIP_STALLED: neither the
 * line search nor the proximal problem makes progress, or the run would take more than w->max_steps_left. */
slip_status slip_newton_run(slip_newton *w, int steps);

/* Solves Newton's equation at the last evaluation: d in w->direction; negative when the matrix is singular. */
slip_status slip_newton_solve_system(slip_newton *w);

/* Classifies all blocks by x, fills rank, at, basis, test, curve and the direction across the range. */
void slip_newton_linearise(slip_newton *w);

#endif
