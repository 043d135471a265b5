/* A few links on joints, described in C and made into a world: for tests that want one joint, and no file. */
#ifndef SLIP_TESTS_CHAIN_AID_H
#define SLIP_TESTS_CHAIN_AID_H

#include "slipstick.h"

enum { CHAIN_MOST = 8 };

typedef struct {
    slip_link_def links[CHAIN_MOST];
    slip_joint_def joints[CHAIN_MOST];
    slip_collider_def colliders[CHAIN_MOST];
    slip_material material;
    slip_model_def def;
    slip_world_def world;
    char names[2*CHAIN_MOST][8];
} aid_chain;

/* Nothing yet: no gravity, default options and material, all memory of the tests before given back. */
void aid_chain_begin(aid_chain *c);

/* A link of mass m whose inertia about its centre, com along x, is I all round; its joint hangs on link `parent`, -1 the
 * world. For the caller to go on with. */
slip_joint_def *aid_chain_link(aid_chain *c, slip_joint_type type, int parent, double m, double com, double I);

/* A shape at (x, y, z) in a link's frame, or a wall (link -1). */
slip_collider_def *aid_chain_shape(aid_chain *c, int link, slip_shape shape, double x, double y, double z);

/* The world; fails the test when there is none. */
slip_world *aid_chain_build(aid_chain *c);

#endif
