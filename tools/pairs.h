/* Files of shape pairs with, if given, their true distances: what `slipstick collide` reads.
 *
 *   mesh ID nv                     followed by nv lines `x y z`; the shape is the convex hull of the points
 *   pair ID
 *   a KIND parameters pose px py pz qw qx qy qz
 *   b KIND parameters pose px py pz qw qx qy qz
 *   dist D                         this line and the next three are optional
 *   normal nx ny nz unique U
 *   witness ax ay az bx by bz unique U
 *   tag free text
 *
 * KIND: sphere r | box hx hy hz | capsule r h | cylinder r h | ellipsoid a b c | mesh ID | halfspace. Lines
 * that start with # and empty ones are skipped. Metres, world frame. */
#ifndef SLIP_TOOLS_PAIRS_H
#define SLIP_TOOLS_PAIRS_H

#include "geom/distance.h"
#include "geom/hull.h"

typedef struct {
    int id, line;                        /* as in the file                                     */
    slip_shape a, b;
    slip_pose pose_a, pose_b;
    int has_truth;                       /* a dist line was there                              */
    slip_distance_result truth;          /* zero where not given                               */
    int normal_unique, witness_unique;
    char tag[64];                        /* cut when longer                                    */
} slip_shape_pair;

typedef struct {
    int n, nmesh;
    slip_shape_pair *pair;
    slip_hull *hull;
    int *mesh_id;
} slip_pairs;

/* Reads text[0..length); everything lives in the arena. SLIP_ERR_WORKSPACE: too small, try a larger one.
 * SLIP_ERR_PARSE with line and reason: anything else that is wrong. *pairs and arena are untouched on failure. */
slip_status slip_pairs_read(const char *text, size_t length, slip_arena *arena, slip_pairs *pairs, slip_error *err);

#endif
