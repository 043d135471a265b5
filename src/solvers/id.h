/* Options and results of the two inverses of contact, id-prox (CR Sec. IV) and id-barrier (TO Sec. III-B). Their
 * functions are in id_prox.h and id_barrier.h; slip_inverse_dynamics() calls them for a whole world. */
#ifndef SLIP_SOLVERS_ID_H
#define SLIP_SOLVERS_ID_H

#include "contact/residual.h"

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

/* R by distance, TO eq. 24: r_min [1/kg] for d <= 0, straight to r_max at d_max [m], constant beyond. */
typedef struct { slip_real r_min, r_max, d_max; } slip_barrier_law;

typedef struct {
    slip_real barrier;           /* t [J]: 0.1, as in ccp-barrier; small is hard, large is smooth            */
    slip_real elastic;           /* s [N s]: 10                                                              */
    slip_barrier_law law;        /* R at p->distance: 0.01 to 100 1/kg within 0.1 m, as in ccp-barrier       */
    slip_real tol;               /* on the gradient, relative to the largest of 1 m/s and |v + B2'|: 1e-9 (1e-5) */
    int max_iterations;          /* of each contact's Newton: 100                                            */
} slip_id_barrier_options;

#endif
