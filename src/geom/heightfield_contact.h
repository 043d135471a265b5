/* Height fields triangle by triangle, and their contacts with the other shapes. */
#ifndef SLIP_GEOM_HEIGHTFIELD_CONTACT_H
#define SLIP_GEOM_HEIGHTFIELD_CONTACT_H

#include "geom/heightfield.h"
#include "geom/hull.h"

/* Corners of triangle t in 0 .. 2 (nx-1)(ny-1) - 1, anticlockwise from above; cell (i, j) has the triangles
 * 2 (j (nx-1) + i), on its lower right, and the next one, on its upper left. */
void slip_heightfield_triangle(const slip_heightfield *field, int t, slip_real corner[9]);

/* Depth of the solid below the lowest sample, for bounds and walls: the field's longer side. [m] */
slip_real slip_heightfield_depth(const slip_heightfield *field);

/* Bounds of the surface, and of the body below it down to `depth` under its least height, when placed. */
void slip_heightfield_bounds(const slip_heightfield *field, const slip_pose *pose, slip_real depth,
                             slip_real lo[3], slip_real hi[3]);

/* ---- contacts ------------------------------------------------------------------------------------------ */

enum { SLIP_FIELD_CONTACTS = 8 };

typedef struct {
    slip_real point[3];         /* halfway between the surfaces, world [m]                          */
    slip_real normal[3];        /* unit, from the field to the shape, world                         */
    slip_real gap;              /* < 0: penetration [m]                                             */
    uint32_t feature;           /* the same from step to step while the same features touch         */
} slip_field_contact;

/* Contacts of a placed shape (sphere, capsule, box, cylinder, mesh) with a placed field: at most
 * SLIP_FIELD_CONTACTS with a gap up to `margin`, the deepest first, then those that touch next and are far
 * apart; four when all have one normal.
 * Every cell that is looked at, and every support evaluation, takes an iteration from the budget, which may be NULL;
 * when one was refused (slip_budget_is_over()) the contacts are those found by then.
 * Returns how many, or a negative slip_status: bad shape, NaN, a kind that cannot touch a field.
 *
 * Two kinds of contact are made. Points of the shape (centres of rounded ends, corners, points of a
 * cylinder's rims) against the triangles: the normal is the triangle's, to the last bit; a point below the
 * surface is pushed out of the triangle nearest to it. And ridges, edges of the field that are truly convex,
 * against the whole shape, kept only when the normal lies between those of the two triangles that meet
 * there, or 0.01 rad beside for what lies flush; two points where the shape lies along it. Edges inside a plane
 * or in a valley make no contact, so none is felt when sliding over them.
 * The walls at the border are as solid as the surface: a point below is pushed out of a wall that is nearer,
 * points beside meet them, and the border's edges and the four upright ones meet the shape as ridges do. */
int slip_heightfield_contacts(const slip_heightfield *field, const slip_pose *pose_f, const slip_shape *shape,
                              const slip_pose *pose_s, slip_real margin, slip_budget *budget,
                              slip_field_contact out[SLIP_FIELD_CONTACTS]);

#endif
