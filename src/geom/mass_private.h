/* Volume integrals over closed triangle surfaces, shared by mass.c and trimesh.c. */
#ifndef SLIP_GEOM_MASS_PRIVATE_H
#define SLIP_GEOM_MASS_PRIVATE_H

#include "geom/mass.h"

/* Sums over the tetrahedra between a reference point and the triangles of a closed surface, in double
 * whatever slip_real is. Start with slip_mass_sums_begin(), add every triangle (anticlockwise from
 * outside), end with slip_mass_from_sums(). */
typedef struct {
    double ref[3];           /* reference point: near the body, against cancellation              */
    double v6;               /* 6 volume                                                           */
    double s24[3];           /* 24 integral of x                                                   */
    double c120[6];          /* 120 integral of x x': xx xy xz yy yz zz                            */
} slip_mass_sums;

void slip_mass_sums_begin(const slip_real ref[3], slip_mass_sums *sums);
void slip_mass_sums_add(const slip_real a[3], const slip_real b[3], const slip_real c[3], slip_mass_sums *sums);

/* A surface turned inside out (negative volume) counts as its mirror image. Returns SLIP_DEGENERATE, mass 0
 * and the reference point as centre, when the volume is zero. */
slip_status slip_mass_from_sums(const slip_mass_sums *sums, slip_real density, slip_mass *mass);

#endif
