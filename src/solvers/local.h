/* One contact with all others held: the small problems that per-contact solvers solve in each sweep.
 *
 *     sigma(x) = A x + b,     A = G_ii + R_i (3x3, symmetric),    b = velocity without this contact's impulse
 *
 * local.c prepares a contact and solves its tangential problems, local_slide.c states RaiSim's sliding contact, which
 * the files raisim_*.c solve, local_exact.c solves the whole contact of the LCP, the CCP and the NCP.
 *
 * Private to src/solvers. Order t1, t2, n; A in 1/kg, b in m/s, impulses in N s. */
#ifndef SLIP_SOLVERS_LOCAL_H
#define SLIP_SOLVERS_LOCAL_H

#include "contact/problem.h"

typedef struct {
    slip_real diag[3];       /* diagonal of G_ii + R_i, as given                                                */
    slip_real tn[2];         /* (G_ii)_Tn, as given: turns a change of the normal impulse into one of sigma_T   */
    slip_real A[9];          /* symmetric part of G_ii + R_i, made definite by a proximal term where singular   */
    slip_real inv[9];        /* A^-1                                                                            */
    slip_real S[3];          /* Schur complement A_TT - w w'/A_nn as (11, 12, 22), w = A_nT                     */
    slip_real inv_nn;        /* 1/A_nn                                                                          */
    slip_real mu;
    slip_real size;          /* trace/3: turns an impulse into a velocity of about the size it causes           */
} slip_local;

/* Fills k from block i of p. Where A is singular (a point locked in a direction) a multiple of trace(A) is added to its
 * diagonal. As solvers form b = sigma - A lambda with this A, that is a proximal step: it slows the sweep in
 * that direction a little and does not move its fixed point. A zero block gives zero inverses: it is left at 0. */
void slip_local_prepare(const slip_problem *p, int i, slip_local *k);

/* ---- tangential problems: min 1/2 x'A_TT x + b'x over a set of radius r ------------------------------ */

typedef void slip_local_section(const slip_local *k, const slip_real b[2], slip_real r, slip_real x[2]);

/* The disc |x| <= r, exactly (secular equation). Its optimality is the maximum dissipation principle:
 * A_TT x + b = -nu x, nu >= 0. A step along A_TT^-1 with a radial projection after it would not have that. */
slip_local_section slip_local_disc;

/* The square |x|_inf <= r, exactly: the optimum lies on an edge seen from the free minimum. */
slip_local_section slip_local_box;

/* ---- the three cases of a contact (HW Alg. 2 lines 3-8) -------------------------------------------------- */

typedef enum { SLIP_LOCAL_OPEN, SLIP_LOCAL_STICK, SLIP_LOCAL_SLIDE } slip_local_case;

/* Decides the case and solves the first two: b_n > 0 opens, x = 0; x = -A^-1 b within the cone sticks. SLIDE: x is
 * -A^-1 b, the impulse of zero velocity, outside the cone. mu = infinity never slides. */
slip_local_case slip_local_open_or_stick(const slip_local *k, const slip_real b[3], slip_real x[3]);

/* ---- sliding in the plane sigma_n = 0 (HW eq. 8-15, LL eq. 20), local_slide.c ---------------------------- */

/* With sigma_n = 0 the normal impulse is a function of the tangential one, x_n = -(b_n + w.x_T)/A_nn, and the problem
 * is one in the plane. In units of rho = -mu b_n/A_nn:
 *
 *     min 1/2 x'S x + s'x   over   |x| + a.x <= 1,     a = mu w/A_nn,   S = A_TT - w w'/A_nn
 *
 * The boundary is a conic with a focus at the origin, r(theta) = 1/(1 + a.u(theta)) (HW eq. 14), an ellipse for |a| < 1
 * and a branch of a hyperbola for the strongly coupled |a| > 1. Axes: e, the direction of the zero-velocity impulse
 * x0 = L e (HW's initial guess), and `mirror` times its left normal. */
typedef struct {
    slip_real S[3], a[2], L;     /* in these axes; S as 11 12 22          */
    slip_real e[2], mirror;
    slip_real rho, normal, mu;   /* normal = -b_n/A_nn = rho/mu           */
} slip_plane;

/* Fills t; x0 of slip_local_open_or_stick. 0 when there is no plane problem: the impulse is (0, 0, t->normal). */
int slip_plane_begin(const slip_local *k, const slip_real b[3], const slip_real x0[3], slip_plane *t);

/* The impulse on the boundary in direction (c, s), whose length is h. */
void slip_plane_impulse(const slip_plane *t, slip_real c, slip_real s, slip_real h, slip_real x[3]);

/* With tau = tan(angle/2), tau >= 0: the impulse there; |tau| at the end of the visible arc, or of q > 0, on the side
 * of `sign`; and q dE/dtheta as a quartic f[0] + f[1] tau + ... The plane is mirrored where needed so that f(0) < 0: the
 * minimum is the first root at tau > 0. Returns 0 when tau = 0 is the minimum. */
void      slip_plane_impulse_at(const slip_plane *t, slip_real tau, slip_real x[3]);
slip_real slip_plane_end(const slip_plane *t, slip_real sign);
int       slip_plane_quartic(slip_plane *t, slip_real f[5]);

static inline slip_real slip_quartic_at(const slip_real c[5], slip_real t)
{
    const slip_real t2 = t*t;

    return (c[0] + c[1]*t) + t2*((c[2] + c[3]*t) + t2*c[4]);
}

/* The root in [lo, hi] of a quartic that goes from negative to positive there. */
typedef slip_real slip_quartic_method(const slip_real c[5], slip_real lo, slip_real hi, slip_real guess);

/* By Newton's method; a step that would leave the bracket halves it instead. `guess` is used when inside. */
slip_quartic_method slip_quartic_root;

/* The root of f in [0, end]; below 0 when `find` says so. */
slip_real slip_plane_root(const slip_real f[5], slip_real end, slip_quartic_method *find, slip_real guess);

/* The least energy on the boundary, in x: RaiSim's sliding contact. gamma [N s]: the interval of impulses at which
 * bisection and golden section stop (HW Alg. 1 line 33); 0 goes to rounding. old (NULL: none): the last impulse, whose
 * direction Newton's method starts from. */
typedef void slip_slide_method(slip_plane *t, slip_real gamma, const slip_real *old, slip_real x[3]);

slip_slide_method slip_slide_bisection, slip_slide_golden, slip_slide_quartic;       /* those of HW Tab. I  */
slip_slide_method slip_slide_newton;                                                 /* ours                */

/* HW Alg. 1 with another first step beta1 [rad] or another first angle, start, which has to be in sight of the
 * zero-velocity impulse (line 13). */
void slip_slide_search(const slip_plane *t, slip_real gamma, slip_real beta1, slip_real start, slip_real x[3]);

/* A sliding contact by `method`. `x`: in x0, out the impulse. */
void slip_local_slide(const slip_local *k, const slip_real b[3], const slip_real *old, slip_slide_method *method,
                      slip_real gamma, slip_real x[3]);

/* ---- the whole contact, exactly (local_exact.c); x must not be old --------------------------------------- */

/* Under the NCP. For strong coupling (mu |A_nT| > A_nn, Painleve's case) several impulses may solve it; one of them is
 * found. Where `old`, the last impulse, slid, one Newton step from its direction is taken if it is small. */
void slip_local_ncp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3]);

/* Under the LCP of the square pyramid and under the CCP. The search begins at `old`, the last impulse. Where there is
 * no solution (LCP, strong coupling), Newton's method does not find it (CCP) or mu is infinite, x is a step of
 * projected Gauss-Seidel from `old`. */
void slip_local_lcp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3]);
void slip_local_ccp(const slip_local *k, const slip_real b[3], const slip_real old[3], slip_real x[3]);

#endif
