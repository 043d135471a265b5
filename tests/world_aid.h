/* Small worlds for tests: free bodies on a plane. */
#ifndef SLIP_TESTS_WORLD_AID_H
#define SLIP_TESTS_WORLD_AID_H

#include "slipstick.h"

enum { AID_MAX_BODIES = 32 };

typedef struct {
    slip_link_def links[AID_MAX_BODIES];
    slip_joint_def joints[AID_MAX_BODIES];
    slip_collider_def colliders[AID_MAX_BODIES + 1];
    slip_material materials[1];
    char names[2*AID_MAX_BODIES][16];
    slip_model_def def;
    slip_world_def world_def;
    const slip_model *model;
    slip_world *world;
    int n;
} aid_world;

/* An empty world with a plane z = 0 of friction mu. */
void aid_begin(aid_world *w, slip_real mu);

/* A free body of uniform density; returns its index, which is also that of its link. */
int aid_add(aid_world *w, slip_shape shape, slip_real mass);

/* Builds the model and the world in memory of the aid's own. Fails the test when that does not work. */
void aid_build(aid_world *w);

/* Position (7 numbers) and velocity (6) of body i. */
slip_real *aid_q(aid_world *w, int i);
slip_real *aid_v(aid_world *w, int i);

#endif
