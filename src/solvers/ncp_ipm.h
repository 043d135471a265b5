/* The point, the Newton system and the cone searches of ncp-ipm; private to ncp_ipm.c and ncp_ipm_step.c. Equation
 * numbers are of Howell et al., "Dojo: A Differentiable Physics Engine for Robotics", arXiv 2203.00806v5. */
#ifndef SLIP_SOLVERS_NCP_IPM_H
#define SLIP_SOLVERS_NCP_IPM_H

#include "solvers/scaled.h"
#include "solvers/solver.h"

/* w = (b, c), or a direction: per contact b = (gamma, xi), c = (s, eta) with xi, eta in the second-order cone Q3. The
 * arrays have the problem's rows: a contact's rows of x are xi(2:3), gamma, and those of y eta(2:3), s. A limit has its
 * impulse in x and its slack in y; a bilateral row has y = 0. */
typedef struct {
    slip_real *x, *y;            /* n                                                                      */
    slip_real *xi, *eta;         /* nc: xi(1), eta(1); not used without a cone                             */
} slip_ncp_ipm_point;

typedef struct {
    const slip_problem *p;
    const slip_solver_options *opt;
    slip_scaling scale;          /* all below is of the scaled problem, but lambda, sigma and best         */
    slip_real *A, *g;            /* n x n: D (G + R) D; n: D g/unit                                        */
    slip_real *F;                /* n x n: W A + Z, factored                                               */
    slip_real *W, *Z;            /* 9 per contact                                                          */
    int *pivot;                  /* n                                                                      */
    slip_ncp_ipm_point at, trial;        /* w; w + a_aff D_aff                                             */
    slip_ncp_ipm_point affine, step;     /* its directions                                                 */
    slip_real *E, *E_xi;         /* n, nc: the constraints (20), (21) and s = sigma_N at w                 */
    slip_real *lambda, *sigma;   /* n, in the problem's units: judged                                      */
    slip_real *best;             /* n, likewise: the best judged                                           */
    slip_residual best_residual;
    slip_real best_excess;       /* infinity before the first                                              */
    int iterations;
} slip_ncp_ipm_work;

/* A contact has a friction cone when 0 < mu < infinity. Without friction it has no xi, eta and no tangential impulse;
 * with infinite friction its tangential rows are bilateral. */
static inline int slip_ncp_ipm_has_cone(const slip_problem *p, int i)
{
    return p->mu[i] > 0 && p->mu[i] < SLIP_MU_INFINITE;
}

/* The first point: gamma, s, limits' impulses and slacks 1, xi = eta = e, all else 0. */
void slip_ncp_ipm_start(const slip_ncp_ipm_work *m);

/* The constraints E, E_xi at w and their largest entry, r_vio (49); the largest entry of b o c, kappa_vio (50); the
 * mean of b'c at z, mu of (52). */
slip_real slip_ncp_ipm_constraints(const slip_ncp_ipm_work *m);
slip_real slip_ncp_ipm_products(const slip_ncp_ipm_work *m);
slip_real slip_ncp_ipm_mean(const slip_ncp_ipm_work *m, const slip_ncp_ipm_point *z);

/* The Jacobian R (29) at w, all but the impulses eliminated, and factored. 0: it is singular. */
int slip_ncp_ipm_factor(slip_ncp_ipm_work *m);

/* d = -R^-1 r(w; kappa), with the products of `second` (NULL: none) added to those of w in r. */
void slip_ncp_ipm_direction(const slip_ncp_ipm_work *m, slip_real kappa, const slip_ncp_ipm_point *second,
                            slip_ncp_ipm_point *d);

/* Alg. 1: the longest step <= 1 along d that goes at most the shares tau of the way to the cones' surfaces. */
slip_real slip_ncp_ipm_search(const slip_ncp_ipm_work *m, const slip_ncp_ipm_point *d, slip_real tau_ort,
                              slip_real tau_soc);

/* (47): out = w + a d. */
void slip_ncp_ipm_update(const slip_ncp_ipm_work *m, slip_real a, const slip_ncp_ipm_point *d, slip_ncp_ipm_point *out);

#endif
