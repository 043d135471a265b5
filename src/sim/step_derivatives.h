/* The derivative of a step with contact, by implicit differentiation of the solved contact problem
 * (docs/derivatives.md, The step). */
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
                                    their effort limit (nc + nl + coordinate)                                    */
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

/* Takes one step, as slip_step() does, and differentiates it by the inputs named, SLIP_BY_...; the result
 * stays at the low end of mem, scratch is given back. Each contact is taken in the mode it is in: open, sticking or
 * sliding; within eps (> 0, of the largest impulse and the largest relative velocity) of another mode it is listed in
 * `border`.
 *
 * SLIP_OK: the derivative exists. SLIP_DEGENERATE: it does not, or only one-sidedly: a contact is at a border, or
 * `left` is above eps; D is then that of the modes chosen. A closed contact whose gap is within the slop of 0 is at a
 * border too: D has it stay there, while steps close gaps and work overlaps off at different rates. Other positive
 * values are those of the step, whose result is less exact than its tolerance. SLIP_ERR_UNSUPPORTED, with the reason
 * in slip_world_error(): only SLIP_EULER, solvers of the NCP, and worlds without loops, prescribed motions, joint
 * friction, contact laws, rolling friction, belts, sleep, and compliance along surfaces; contacts of spheres, boxes,
 * capsules and meshes with half-spaces, of spheres with spheres and with faces of boxes; no contact that the step
 * made soft itself. Where the step's equations, as they are differentiated, do not hold for its result, it is refused
 * as well. SLIP_ERR_WORKSPACE; otherwise as slip_step(). The step has been taken unless slip_step() itself failed or
 * the options are refused. */
slip_status slip_step_derivatives(slip_world *world, unsigned inputs, slip_real eps, slip_arena *mem,
                                  slip_step_jacobian *result);

/* The same derivative as products with vectors, without D: the step is differentiated once, and each product costs about
 * as much as one column. */
typedef struct {
    slip_step_jacobian at;       /* as above; D is NULL, but where the step was hit or struck: then it is there, and products
                                    are those with it                                                            */
    void *inside;
} slip_step_linear;

/* Memory for any step of a world, of which slip_step_linearize() keeps the most. */
size_t slip_step_linear_bytes(const slip_world *world);

/* As slip_step_derivatives(), status and all. `result` holds as long as mem does, whatever the world does next. */
slip_status slip_step_linearize(slip_world *world, unsigned inputs, slip_real eps, slip_arena *mem,
                                slip_step_linear *result);

/* out [rows] = D change, change [columns]: how the result changes. */
void slip_step_forward(const slip_step_linear *linear, const slip_real *change, slip_real *out);

/* out [columns] = D' weight, weight [rows]: the gradient by all inputs of a function whose gradient by the step's result
 * is `weight` (by q+ as a tangent vector). */
void slip_step_adjoint(const slip_step_linear *linear, const slip_real *weight, slip_real *out);

/* The derivative of a smoothed problem, the mean of the step over random changes of q and v: the mean of D over samples.
 * It is not the derivative of the step; it exists where that has corners. Rows of q+ and v+ alone [2*nv*columns]. */
typedef struct {
    int nv, columns;
    int q, v, tau, q_ref, v_ref, wrench, density;        /* first columns, -1 of those that were not asked for */
    slip_real *D;
    int samples, without;                                /* samples in the mean; those whose step has no derivative */
} slip_step_smoothed;

/* Memory for any step of a world [bytes]. */
size_t slip_step_smoothed_bytes(const slip_world *world);

/* `samples` steps from normal changes of q (tangent directions, standard deviation sigma_q [m, rad]) and of v (sigma_v),
 * drawn from rng; then the step itself is taken, without a change. inputs as above but SLIP_BY_MATERIAL. The status is
 * that of the step; SLIP_DEGENERATE: no sample has a derivative; SLIP_ERR_ARGUMENT, SLIP_ERR_WORKSPACE: the world is as it was. */
slip_status slip_step_derivatives_randomised(slip_world *world, unsigned inputs, slip_real sigma_q, slip_real sigma_v,
                                             int samples, slip_random *rng, slip_arena *mem,
                                             slip_step_smoothed *result);

#endif
