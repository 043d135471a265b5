/* Inverse dynamics in contact space: the impulses that explain given contact velocities (CR Sec. IV).
 *
 * The problem's G is not read: p->g holds the desired velocities, c = J v_ref + corrections, and p->R the
 * compliance. With R diagonal every contact stands alone. */
#ifndef SLIP_SOLVERS_ID_PROX_H
#define SLIP_SOLVERS_ID_PROX_H

#include "contact/residual.h"

/* Such a problem: nc contacts, nl limits, nb bilateral rows; mu [nc], c [n], R [n] or NULL. Arrays are
 * pointed to, not copied. */
slip_problem slip_inverse_problem(int nc, int nl, int nb, const slip_real *mu, const slip_real *c, const slip_real *R);

/* Result of an inverse. */
typedef struct {
    slip_status status;
    int iterations;              /* the most that any block took                                            */
    slip_residual residual;      /* id-prox: of (47) with sigma = R lambda + c; id-barrier: of TO eq. 22    */
    int diverged;                /* blocks whose motion no impulse explains                                 */
    int elastic;                 /* id-barrier: 1 when some velocity violates v_min                         */
    int worst;                   /* a block that diverged, else that of the largest residual, -1: none      */
} slip_id_result;

typedef struct {
    slip_contact_model model;       /* SLIP_MODEL_NCP, or SLIP_MODEL_CCP: without De Saxce's correction        */
    slip_real rho;               /* proximal weight [1/kg]: 1e-8 (1e-3 in float, which resolves no more)     */
    slip_real tol;               /* on eps_abs of the residual: 1e-6 (1e-4)                                  */
    int max_iterations;          /* 100                                                                      */
} slip_id_prox_options;

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
