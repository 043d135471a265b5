/* Parts of the derivative of a step. */
#ifndef SLIP_SIM_STEP_DERIVATIVES_PRIVATE_H
#define SLIP_SIM_STEP_DERIVATIVES_PRIVATE_H

#include "sim/step_derivatives.h"
#include "sim/world_private.h"

/* How slip_sim_drift() moves one joint by the time h, from the velocity v of the coordinates: tangents at q+ by those at
 * q and by v, and v+ by v; n x n each, n the joint's freedoms. v+ does not depend on q. */
typedef struct { int n; slip_real qq[36], qv[36], vv[36]; } sim_drift_blocks;
void slip_sim_drift_derivatives(const slip_world *w, int body, slip_real h, const slip_real *v, sim_drift_blocks *out);

/* What moves a contact's point x and normal: a feature of one body on a plane that the other one carries, or two balls.
 * `plane`: 0 when a has the plane, 1 when b has it. radius of the feature. SLIP_ERR_UNSUPPORTED for any other pair. */
typedef struct { int balls, plane; slip_real radius[2]; } sim_contact_kind;
slip_status slip_sim_contact_kind(const slip_world *w, const sim_contact *c, sim_contact_kind *kind);

/* Changes of point, frame and gap when the bodies of a and b move by the motions at the world's origin da, db [6]. */
void slip_sim_contact_motion(const sim_contact *c, const sim_contact_kind *kind, const slip_real da[6],
                             const slip_real db[6], slip_real dx[3], slip_real dframe[9], slip_real *dgap);

/* Velocity of the point x that a motion at the world's origin gives. */
static inline void slip_sim_motion_at(const slip_real m[6], const slip_real x[3], slip_real u[3])
{
    slip_copy3(m, u);
    slip_cross3_add(m + 3, x, u);
}

#endif
