/* The phases of a step. Each function's comment names its inputs and outputs. On equal terms a step is exactly these,
 * from left to right (tests/test_phases.c), where drives, joint friction and rolling friction need no further rounds
 * and no energy has to be bounded. slip_step() besides keeps last impulses that still hold (reuse.c), lets bodies
 * sleep, bounds the energy of springs and of trees that turn too fast (spring.c, bound_energy.c), and has six feedbacks
 * from a later phase to an earlier one: "One step" in docs/architecture.md lists all of it. For a state of its own,
 * inverse dynamics calls the first three, and forward dynamics (inverse.h) the first four and the last.
 *
 *   slip_phase_begin -> slip_phase_kinematics -> slip_phase_collide -> slip_phase_free_velocity ->
 *   slip_phase_impacts -> slip_phase_islands, slip_phase_rows, slip_solve() for each island, slip_phase_add ->
 *   slip_phase_velocity -> slip_phase_integrate
 *
 * Poses, velocities, M and its factor are left in slip_world_data(), contacts where slip_contact_get() reads them. The
 * state of the world is not written by any of them; slip_step() commits it at its end. */
#ifndef SLIP_SIM_PHASES_H
#define SLIP_SIM_PHASES_H

#include "sim/world.h"

/* Input of a step. */
typedef struct {
    const slip_real *q, *v;          /* [nq] [m, rad], [nv] [m/s, rad/s]                                    */
    const slip_real *tau;            /* [nv] joint forces [N, N m]                                          */
    const slip_real *wrench;         /* [6*nbodies] on bodies, as slip_world_wrench() [N, N m]              */
    const slip_drive *drives;        /* [nv]                                                                */
    const slip_real *dv_smooth;      /* [nv] change of v that is expected by smooth forces: where the mean
                                        velocity's iteration begins; NULL: 0                               */
    const slip_real *dv_expected;    /* [nv] the same by contacts, limits and loops; NULL: 0                */
    const int *prescribed;           /* [nbodies] joints whose motion is prescribed, see prescribe.c; NULL: none   */
    int *saturated, *slides;         /* [nv] -1, 0, 1: drives at their limit; joints that slide against their
                                        friction. In: a guess; settled by slip_step(): see settle.c         */
} slip_step_input;

/* The world's own state and inputs. */
slip_step_input slip_world_input(slip_world *world);

/* in->q and in->v become the state in the middle of the step, at which all phases up to the new velocity are taken, in
 * arrays of the world. With SLIP_EULER they stay those of the step's start. SLIP_ERR_ARGUMENT: a quaternion of zero
 * length; slip_world_error() names its joint. */
slip_status slip_phase_begin(slip_world *world, slip_step_input *in);

/* Poses and velocities of all bodies. SLIP_ERR_ARGUMENT: a quaternion of zero length. */
slip_status slip_phase_kinematics(slip_world *world, const slip_step_input *in);

/* Contacts of these poses: gaps, frames, features, friction, and the impulses that the last step found for the same
 * features (zero for new ones); the deepest are kept when there are too many, SLIP_DROPPED.
 * How far it looks ahead depends on the velocities. */
slip_status slip_phase_collide(slip_world *world);

/* v_free [nv]: the velocity at the end of the step without contacts, limits and loops; M and its factor, with the
 * implicit terms of drives and damping; and the arcs on which contact points leave their lines within the step (arc.c).
 * SLIP_ERR_NOT_SPD: slip_world_error() names a joint without inertia. */
slip_status slip_phase_free_velocity(slip_world *world, const slip_step_input *in, slip_real *v_free);

/* Impacts with restitution, whose change of velocity is added to v_free [nv] (impacts.c); nothing with SLIP_EULER,
 * where the rows of the step have it. > 0: an impact problem missed the tolerance, or stats.unbounced. */
slip_status slip_phase_impacts(slip_world *world, const slip_step_input *in, slip_real *v_free);

/* A group of bodies joined by contacts and loops: root body (-1: all bodies) and its contacts, a range. `next` is where
 * slip_island_next() goes on with islands that have no contact, a root body. */
typedef struct { int root, from, to, next; } slip_island;

/* Groups of bodies that contacts and loops join, and the joint limits that v_free may reach. Then, from an island
 * { 0, 0, 0, 0 } on, the next one that has rows; 0 when there is none. */
void slip_phase_islands(slip_world *world, const slip_step_input *in, const slip_real *v_free);
int slip_island_next(slip_world *world, slip_island *island);

/* The contact problem of an island and its warm start, over arrays of the world that the next call overwrites. v_free
 * [nv]: the velocity to be corrected. warm->warm is 0 without slip_world_options.warm_start. */
void slip_phase_rows(slip_world *world, const slip_step_input *in, const slip_real *v_free, const slip_island *island,
                     slip_problem *problem, slip_solution *warm);

/* Adds the effect of the impulses lambda [n] of one island, whose problem slip_phase_rows() made last, on the
 * velocities; once all islands are added, v_next [nv] = v_free + M^-1 J' lambda of all. slip_phase_islands() begins
 * with nothing added. */
void slip_phase_add(slip_world *world, const slip_real *lambda);
void slip_phase_velocity(slip_world *world, const slip_real *v_free, slip_real *v_next);

/* q_next [nq] of the step's end from v_next [nv], which is expressed in the axes of in->q and then in those of the
 * end. */
void slip_phase_integrate(const slip_world *world, const slip_step_input *in, slip_real *v_next, slip_real *q_next);

#endif
