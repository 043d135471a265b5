/* Shared by inverse.c, inverse_velocity.c and redistribute.c. */
#ifndef SLIP_SIM_INVERSE_PRIVATE_H
#define SLIP_SIM_INVERSE_PRIVATE_H

#include "sim/inverse.h"
#include "solvers/id_barrier.h"
#include "solvers/id_prox.h"
#include "sim/world_private.h"

/* Mode of a contact, for the inverse with rigid contacts. FIXED: its impulse follows from compliance, or no impulse
 * explains its motion. */
typedef enum { INVERSE_OPEN, INVERSE_STICK, INVERSE_SLIP, INVERSE_FIXED } inverse_mode;

typedef struct {
    slip_world *w;
    const slip_inverse_options *o;
    slip_arena *mem;
    slip_step_input in;              /* input of the phases: the caller's q and v, ...                      */
    slip_real *q, *v, *tau;          /* ... copied here                                                     */
    slip_drive *drives;              /* without gains                                                       */
    int *marks;                      /* [2*nv] of drives and of dry friction, from zero                     */
    slip_real *goal;                 /* [nv] the goal velocity, in the axes of the step's middle            */
    slip_real *a;                    /* [nv] acceleration; forward: change of velocity by constraints ...   */
    slip_real *dv_expected;          /* [nv] ... as the mean velocity has it                                */
    slip_real *wrench;               /* [6*nbodies] external and contact wrenches                           */
    slip_real *free_tau;             /* [nv] scratch                                                        */
    slip_real *plain, *vmin, *work;  /* [rows] J v; [rows]; [2 rows]                                        */
    unsigned char *mode;             /* [contacts] inverse_mode                                             */
    slip_problem p;                  /* the contact problem, over the world's arrays                        */
} inverse_work;

static inline int inverse_is_driven(const inverse_work *k, int iv)
{
    const slip_model *m = k->w->model;

    if (k->o->actuated) return k->o->actuated[iv] != 0;
    return m->type[k->w->fixed.iv_body[iv]] != SLIP_JOINT_FLOATING && m->effort_limit[iv] > 0;
}

/* v [nv] of the step's end, in place, into the axes of its middle (slip_phase_begin()). */
void slip_inverse_to_middle(const slip_world *w, slip_real *v);

/* Changes lambda = w->rows.lambda, among the impulses that explain the motion, so that tau [nv] (with the present
 * lambda) becomes as small as possible on unactuated coordinates. Returns whether it changed anything;
 * SLIP_ERR_WORKSPACE leaves lambda alone. */
slip_status slip_inverse_redistribute(inverse_work *k, const slip_real *tau, int *changed);

/* Bytes of scratch it needs for the world's largest problem. */
size_t slip_inverse_redistribute_bytes(const slip_world *w);

#endif
