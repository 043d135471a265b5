/* Mass properties: volume, centre of mass, inertia of shapes, hulls and closed triangle meshes. */
#ifndef SLIP_GEOM_MASS_H
#define SLIP_GEOM_MASS_H

#include "geom/shape.h"

typedef struct {
    slip_real volume;        /* [m^3]                                                              */
    slip_real mass;          /* [kg]                                                               */
    slip_real centre[3];     /* centre of mass in the shape's frame [m]                            */
    slip_real inertia[6];    /* about the centre, shape's axes: xx xy xz yy yz zz [kg m^2]         */
} slip_mass;

/* Of a shape with a uniform density [kg/m^3]. SLIP_ERR_UNSUPPORTED for half-spaces and height fields,
 * SLIP_ERR_ARGUMENT for a density that is negative or not finite. A flat hull has none: all zero, centre
 * at the mean of the vertices, and SLIP_DEGENERATE. */
slip_status slip_shape_mass(const slip_shape *shape, slip_real density, slip_mass *mass);

/* The same properties for another total mass [kg], volume and centre kept; a body without volume keeps
 * inertia zero. */
void slip_mass_set(slip_real total, slip_mass *mass);

/* The properties seen from an outer frame, X the shape's frame in it; in and out may be the same. */
void slip_mass_transform(const slip_mass *mass, const slip_pose *X, slip_mass *out);

/* Two bodies taken as one, both in the same frame. */
void slip_mass_add(const slip_mass *a, const slip_mass *b, slip_mass *sum);

#endif
