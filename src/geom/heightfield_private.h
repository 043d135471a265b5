/* Shared by the files of height field contacts. All in the field's frame. */
#ifndef SLIP_GEOM_HEIGHTFIELD_PRIVATE_H
#define SLIP_GEOM_HEIGHTFIELD_PRIVATE_H

#include "geom/heightfield_contact.h"
#include "geom/patch.h"

enum { FIELD_CANDIDATES = 48 };

/* Sine of the least angle that makes a ridge. */
#define FIELD_RIDGE SLIP_TOL(1e-7, 1e-4)

typedef struct {
    slip_real point[3], normal[3], gap;      /* point halfway between the surfaces */
    uint32_t feature;
} field_hit;

typedef struct {
    const slip_heightfield *f;
    const slip_shape *shape;
    slip_pose pose;                          /* the shape in the field's frame      */
    slip_real margin;
    slip_real lean;                          /* sine by which a normal may lean out of its edge's region */
    slip_budget *budget;                     /* NULL: none                          */
    field_hit hit[FIELD_CANDIDATES];
    int nhits;
} field_query;

/* An edge of the field between two triangles: a, b its ends, c the far corner on its left, d on its right. */
typedef struct {
    slip_real a[3], b[3], c[3], d[3];
    int i, j, di, dj;                        /* a is sample (i, j), b sample (i + di, j + dj) */
    uint32_t feature;
} field_edge;

/* Adds a contact. One at the place, or with the name, and with the normal of another replaces it if deeper; in a full
 * list the shallowest gives way. */
void slip_field_add(field_query *q, const field_hit *hit);

/* Adds point k of the patch of an edge (slip_field_segment) by this name. */
void slip_field_add_patch(field_query *q, const slip_patch *patch, int k, uint32_t feature);

/* Range of cells under an interval; 0 when it misses the field. */
int slip_field_range(slip_real lo, slip_real hi, slip_real start, slip_real step, int cells, int *first, int *last);

void slip_field_sample(const slip_heightfield *f, int i, int j, slip_real x[3]);

/* For a ridge: the outward in-plane directions of its left and right triangle. 0 when it is none. */
int slip_field_is_ridge(const field_edge *e, slip_real out_left[3], slip_real out_right[3]);

/* Whether the contact at the ridge's nearest point x belongs to this ridge: always, except at its ends. */
int slip_field_owns(const field_query *q, const field_edge *e, const slip_real x[3], const slip_real n[3]);

/* The segment from a to b against the shape: 0 when they are farther apart than the margin. */
int slip_field_segment(const field_query *q, const slip_real a[3], const slip_real b[3], slip_patch *patch);

/* Whether a normal lies between those of the two faces beside an edge, given the outward in-plane directions left and
 * right of these faces. */
int slip_field_between(const field_query *q, const slip_real n[3], const slip_real left[3], const slip_real right[3]);

/* ---- the border: heightfield_border.c -------------------------------------------------------------------- */

/* Sides 0 .. 3 face -y, +x, +y, -x: outward normal; whether a box reaches over the wall's plane; */
void slip_field_wall_normal(int side, slip_real n[3]);
int slip_field_meets_wall(const slip_heightfield *f, int side, const slip_real lo[3], const slip_real hi[3]);

/* For p inside the solid, `best` (<= 0) its height over what is nearest so far with normal n: that with the walls. */
slip_real slip_field_wall_nearest(const slip_heightfield *f, const slip_real p[3], slip_real best, slip_real n[3]);

/* Height of p, beside the field, over the wall it looks at and its normal; beyond all bounds when it looks at none. */
slip_real slip_field_wall_outside(const slip_heightfield *f, const slip_real p[3], slip_real n[3]);

/* Contacts of the border's edges, those around the surface and those at the four corners, with the shape, whose bounds
 * with margin are lo and hi. */
void slip_field_border(field_query *q, const slip_real lo[3], const slip_real hi[3]);

#endif
