/* The derivative of a step with contact, by implicit differentiation of the solved contact problem
 * (docs/derivatives.md, The step). As products with vectors, and smoothed: step_products.h, step_smoothed.h. */
#ifndef SLIP_SIM_STEP_DERIVATIVES_H
#define SLIP_SIM_STEP_DERIVATIVES_H

#include "sim/world.h"

/* D [rows*columns], row-major: changes of the step's result by changes of its input.
 *   rows     nv of q+, tangent vectors at q+ (rbd/derivatives.h); nv of v+; 3 for each contact, its impulse t1, t2, n
 *            [N s], contacts as slip_contact_get() counts them; nl for joint limits
 *   columns  from `q` on nv tangent directions at q; likewise v, tau, q_ref and v_ref of the drives; 6*nbodies of
 *            slip_world_wrench(); of each contact its friction, restitution, stiffness and damping, nc each; of
 *            each body its density, the relative change of mass and inertia together, nbodies */
typedef struct {
    int nv, nc, nl, rows, columns;
    int q, v, tau, q_ref, v_ref, wrench;     /* first columns, -1 of those that were not asked for               */
    int friction, restitution, stiffness, damping, density;
    slip_real *D;
    int *limit_iv;               /* [nl] coordinates of the limits                                               */
    int nborder, *border;        /* what is at the border of two modes: contacts (< nc), limits (nc ...), drives at
                                    their effort limit and joints that begin to slide (nc + nl + coordinate)     */
    int unique;                  /* 0: contacts share their load in more ways than one; rows of impulses are one */
    slip_real left;              /* largest change of a contact's velocity that should be 0 and is not, over the largest
                                    there is: contacts that share their load and cannot all go on as they are    */
} slip_step_jacobian;

/* Groups of columns: q and v; q_ref and v_ref; those of contacts. */
enum {
    SLIP_BY_STATE = 1, SLIP_BY_TAU = 2, SLIP_BY_DRIVES = 4, SLIP_BY_WRENCH = 8, SLIP_BY_MATERIAL = 16,
    SLIP_BY_DENSITY = 32, SLIP_BY_ALL = 63
};

/* Memory for any step of a world: the result, and scratch behind it [bytes]. */
size_t slip_step_jacobian_bytes(const slip_world *world);

/* Takes one step, as slip_step() does with the option exact_mean (v+ differs by 1e-9 of itself at most), and
 * differentiates it by the inputs named, SLIP_BY_...; the result stays at the low end of mem, scratch is given back.
 * Midpoint and Euler steps; each contact is taken in the mode it is in: open, sticking or sliding; within eps (> 0,
 * of the largest impulse and the largest relative velocity) of another mode it is listed in `border`. What the last
 * steps left (warm starts, the changes of velocity by which the next one predicts its mean) stays as it is.
 *
 * SLIP_OK: the derivative exists. SLIP_DEGENERATE: it does not, or only one-sidedly: something is at a border, or
 * `left` is above eps; D is then that of the modes chosen. A closed contact whose gap is within the slop of 0, or
 * that rests, is at a border too: D has it stay there, while steps close gaps and work overlaps off at different
 * rates. Other positive values are those of the step, whose result is less exact than its tolerance.
 * SLIP_ERR_UNSUPPORTED, with the reason in slip_world_error(): no loops, prescribed motions, contact laws, rolling
 * friction, belts, sleep, compliance along surfaces; solvers of the NCP and the CCP alone; no contact that the step
 * made soft itself; and what docs/derivatives.md, When it does not exist, lists. Where the step's equations, as they
 * are differentiated, do not hold for its result, it is refused as well. SLIP_ERR_WORKSPACE; otherwise as
 * slip_step(). The step has been taken unless slip_step() itself failed, the options are refused or the memory is
 * too small for its notes. */
slip_status slip_step_derivatives(slip_world *world, unsigned inputs, slip_real eps, slip_arena *mem,
                                  slip_step_jacobian *result);

#endif
