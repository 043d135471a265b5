/* The parts of the patch finder, private to geom. */
#ifndef SLIP_GEOM_PATCH_PRIVATE_H
#define SLIP_GEOM_PATCH_PRIVATE_H

#include "geom/patch.h"
#include "geom/distance_private.h"
#include "geom/support.h"

enum { PATCH_SIDES = 16, PATCH_CORNERS = 2*PATCH_SIDES };
enum { PATCH_CAP = 8 };                 /* corners that stand for a cylinder's rim                 */
enum { CLIP_OF_A = 64 };                /* names of corners: B's sides as they are, A's from here */

/* Cosine below which a face, seen along a normal, looks sideways. */
#define PATCH_SIDEWAYS SLIP_R(0.1)

/* A contact in the plane across the normal: where, how high on either surface, and between which sides. */
typedef struct {
    slip_real u[2];
    slip_real low, high;         /* heights along the normal of A's and of B's surface */
    uint32_t id;
} patch_corner;

/* A face (or a side's line, n = 2) seen along the normal, corners anticlockwise. */
typedef struct {
    slip_real u[PATCH_SIDES][2], h[PATCH_SIDES];   /* in the plane, and height             */
    slip_real slope[2];                            /* of the face's height over the plane  */
    int n, face;                                   /* face: its number, for ids            */
} patch_side;

/* Corners of the overlap of two sides; returns how many, at most PATCH_CORNERS. */
int slip_patch_overlap(const patch_side *a, const patch_side *b, patch_corner out[PATCH_CORNERS]);

/* Height of a face over the point u of the plane. */
slip_real slip_patch_height(const patch_side *s, const slip_real u[2]);

/* Reorders so that the deepest and then the widest come first; returns how many to keep, at most `most`. */
int slip_patch_reduce(patch_corner *c, int n, int most);

/* Two edges along each other (patch_edge.c): 1 with out filled, 0 when the pair, d apart, is none of these. */
int slip_patch_edges(const core_pair *q, const slip_pose *xa, const slip_distance_result *d, slip_real margin,
                     slip_patch *out);

#endif
