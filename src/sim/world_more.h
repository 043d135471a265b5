/* A world beyond world.h: options while it runs, materials read back, forces and accelerations in detail, work. */
#ifndef SLIP_SIM_WORLD_MORE_H
#define SLIP_SIM_WORLD_MORE_H

#include "sim/world.h"

/* ---- options and materials -------------------------------------------------------------------------------- */

slip_world_options *slip_world_options_of(slip_world *world);  /* may change between steps, but for max_pairs and
                                                            parent_child; max_contacts may only shrink, and a solver
                                                            that needs more scratch than the first one fails */

int slip_world_contact_room(const slip_world_def *def);        /* max_contacts, or what 0 stands for          */

slip_contact_law slip_contact_law_defaults(void);              /* the values that slip_contact_law names      */

/* Options beyond one call of the solver per island, as they are in effect with the present solver, contact law and
 * integrator: without a warm start nothing is reused, the barrier model always solves, and only rigid contacts can be
 * told to have created energy (correct). */
typedef struct { int warm_start; slip_real warm_share, reuse; int soften, correct; } slip_world_terms;
slip_world_terms slip_world_terms_of(const slip_world *world);

/* Material i of the description and pair i of its material pairs, NULL when there is none; and changing a pair, as
 * slip_world_set_material() does a material. */
const slip_material *slip_world_material(const slip_world *world, int i);
const slip_material_pair *slip_world_material_pair(const slip_world *world, int i);
slip_status slip_world_set_material_pair(slip_world *world, int i, const slip_material *material);

/* ---- reading ---------------------------------------------------------------------------------------------- */

const char *slip_phase_name(int phase);                 /* "" for others than SLIP_PHASE_...                  */
long      slip_world_steps(const slip_world *world);     /* taken, not those that failed                    */

/* Sum of contact forces of link b on link a's contacts with it: force on b [N], world axes; returns their number. */
int slip_pair_contact_force(const slip_world *world, int link_a, int link_b, slip_real force[3]);

/* Acceleration of a link's origin (classical) and angular acceleration, world axes [m/s^2, rad/s^2]: the mean over the
 * step. Poses and velocities of links: slip_link_pose(), slip_link_velocity() on slip_world_data(). */
void slip_link_acceleration(slip_world *world, int link, slip_real accel[6]);

/* Work by kind, while slip_world_options.work was set; part of snapshots. And the sum of all kinds. */
slip_work slip_world_work(const slip_world *world);
double slip_work_total(const slip_work *work);

/* ---- motions ---------------------------------------------------------------------------------------------- */

int slip_world_is_prescribed(const slip_world *world, int joint);       /* slip_world_prescribe()               */
const slip_real *slip_world_surface_velocity(const slip_world *world, int collider);     /* [6]; NULL: none        */

#endif
