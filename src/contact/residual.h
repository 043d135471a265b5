/* The judge: every criterion of LL Sec. II, computed from lambda alone, apart from all solvers.
 *
 *   eps_p = dist(lambda_i, K_i)     [N s]      limit: max(0, -lambda)   bilateral: 0
 *   eps_d = dist(s_i, K*_i)         [m/s]             max(0, -sigma)              |sigma|
 *   eps_c = |lambda_i . s_i|        [J]               |lambda sigma|              |lambda sigma|
 *
 * with s = sigma + Gamma(sigma) for the NCP and s = sigma for the CCP; the LCP has the pyramid of cone.h in place
 * of the cone and Gamma = mu h(-sigma_T), h the support function of the pyramid's section. */
#ifndef SLIP_CONTACT_RESIDUAL_H
#define SLIP_CONTACT_RESIDUAL_H

#include "contact/problem.h"

/* The complementarity problem that a residual belongs to. */
typedef enum {
    SLIP_MODEL_NCP, SLIP_MODEL_CCP, SLIP_MODEL_LCP, SLIP_MODEL_RAISIM, SLIP_MODEL_BARRIER
} slip_contact_model;
/* "NCP", "CCP", "LCP", "RaiSim", "barrier". */
const char *slip_contact_model_name(slip_contact_model model);

/* The laws of contact that a solution of the model obeys, by its equations (LL Sec. III): Signorini's condition,
 * Coulomb's cone (the LCP has a pyramid in its place), maximum dissipation. Bits; also of the laws that a contact
 * breaks. The enumeration slip_law_kind of sim/world.h is another thing: how contacts yield in other engines. */
enum { SLIP_SIGNORINI = 1, SLIP_COULOMB = 2, SLIP_DISSIPATION = 4 };

typedef struct {
    slip_real eps_primal, eps_dual, eps_comp;   /* maxima over all blocks                                  */
    slip_real eps_abs;                          /* the largest of the three                                */
    slip_real lambda_max, sigma_max, g_max;     /* largest entries, for relative criteria                  */
    int worst;                                  /* block of the largest of the three, -1 when there is none */
} slip_residual;

/* sigma (n, output) = (G + R) lambda + g, and its NCP residual. A lambda with a NaN or infinity gives infinite
 * residuals. */
void slip_residual_of(const slip_problem *p, const slip_real *lambda, slip_real *sigma, slip_residual *r);

/* The residual at lambda for a given sigma, both n, by the criterion of a model. `facets` is read by the LCP only. The
 * barrier model has no criterion that lambda alone could meet, and is judged as NCP. */
void slip_residual_at(const slip_problem *p, slip_contact_model model, int facets,
                      const slip_real *lambda, const slip_real *sigma, slip_residual *r);

/* ---- when is it solved -------------------------------------------------------------------------- */

/* How a tolerance is meant; |x| is the largest entry of x.
 * ABSOLUTE   eps_p, eps_d, eps_c <= tol.
 * RELATIVE   eps_p <= tol |lambda|, eps_d <= tol V, eps_c <= tol |lambda| V, with V = max(|g|, min(|sigma|, 10 |g|)):
 *            impulses reduce velocities, so a sigma far above g is an error and does not relax the tolerance.
 * AUTO       the default: absolute for impulses of a usual size, 1e-4 <= |lambda| <= 1e4 N s, else relative. Where
 *            |g| < 1e-3 m/s, eps_d counts 1e-3/|g| times, or lambda = 0 would solve every problem with |g| < tol.
 * BOTH       relative, and absolute with tol max(1, |lambda|/1e5). */
typedef enum { SLIP_TOL_AUTO, SLIP_TOL_ABSOLUTE, SLIP_TOL_RELATIVE, SLIP_TOL_BOTH } slip_tol_rule;

/* ---- physics, contact by contact ------------------------------------------------------------------ */

typedef enum { SLIP_CONTACT_OPEN, SLIP_CONTACT_STICK, SLIP_CONTACT_SLIP } slip_contact_state;
/* "open", "stick" or "slip". */
const char *slip_contact_state_name(slip_contact_state state);

typedef struct {
    slip_real eps_primal, eps_dual, eps_comp;
    slip_real signorini_power;      /* |lambda_n sigma_n|                                          [J]   */
    slip_real signorini_approach;   /* max(0, -sigma_n)                                            [m/s] */
    slip_real coulomb;              /* |lambda_T| - mu max(0, lambda_n), or -lambda_n, or 0: the largest [N s] */
    slip_real mdp_power;            /* mu lambda_n |sigma_T| + lambda_T . sigma_T, >= 0: power that friction
                                       could have taken away but did not                           [J]   */
    slip_real mdp_angle;            /* between lambda_T and -sigma_T where it slips, else 0        [rad] */
    slip_contact_state state;
} slip_contact_criteria;

/* Criteria of contact i (0 <= i < nc) at lambda and sigma (n). A contact is open when lambda_n <= `empty` [N s]; else
 * it sticks when |sigma_T| <= `still` [m/s]. 0 for `empty` takes 1e-6 of the largest lambda, 0 for `still` 1e-6 of the
 * largest sigma or g (1e-4 in float). */
void slip_contact_judge(const slip_problem *p, int i, const slip_real *lambda, const slip_real *sigma,
                        slip_real still, slip_real empty, slip_contact_criteria *c);

typedef struct {
    slip_residual ncp;
    slip_real signorini_power, signorini_approach, coulomb, mdp_power, mdp_angle;   /* maxima               */
    slip_real internal;             /* 2-norm of lambda's part in the null space of G                [N s]  */
    slip_real power;                /* lambda . (sigma + g)/2: energy the contacts add (< 0: take)   [J]    */
    int open, stick, slip;          /* contacts in each state                                               */
} slip_physics;

/* All of it. sigma (n) is output. `internal` needs scratch of the arena for a factorisation of G + eps I and
 * is -1 when arena is NULL or too small. */
void slip_physics_of(const slip_problem *p, const slip_real *lambda, slip_real *sigma, slip_arena *arena,
                     slip_physics *out);

#include "contact/residual_ops.h"    /* for the sources of this library: not part of slipstick.h */

#endif
