/* See world_aid.h. */
#include "world_aid.h"

#include <stdlib.h>
#include <string.h>
#include "unity.h"

static unsigned char *aid_block;
static size_t aid_block_bytes;

void aid_begin(aid_world *w, slip_real mu)
{
    memset(w, 0, sizeof *w);
    w->materials[0] = slip_material_defaults();
    w->materials[0].friction = mu;
    w->colliders[0].name = "plane";
    w->colliders[0].link = -1;
    w->colliders[0].shape = slip_shape_halfspace();
    slip_pose_identity(&w->colliders[0].pose);
    w->colliders[0].group = 1;
    w->colliders[0].mask = ~0u;
    slip_set3(0, 0, SLIP_R(-9.81), w->def.gravity);
    w->world_def.options = slip_world_defaults();
}

/* Diagonal inertia of the shapes that tests use. */
static void aid_inertia(const slip_shape *s, slip_real m, slip_real I[6])
{
    const slip_real x = s->half[0], y = s->half[1], z = s->half[2], r = s->radius;

    memset(I, 0, 6*sizeof *I);
    if (s->kind == SLIP_SHAPE_SPHERE) I[0] = I[3] = I[5] = SLIP_R(0.4)*m*r*r;
    else if (s->kind == SLIP_SHAPE_BOX) {
        I[0] = m/3*(y*y + z*z);
        I[3] = m/3*(x*x + z*z);
        I[5] = m/3*(x*x + y*y);
    } else {
        I[0] = I[3] = m/12*(3*r*r + 4*z*z);
        I[5] = m/2*r*r;
    }
}

int aid_add(aid_world *w, slip_shape shape, slip_real mass)
{
    const int i = w->n++;
    slip_link_def *l = &w->links[i];
    slip_collider_def *c = &w->colliders[i + 1];

    slip_format(w->names[2*i], 16, "body%d", i);
    slip_format(w->names[2*i + 1], 16, "free%d", i);
    l->name = w->names[2*i];
    l->mass = mass;
    aid_inertia(&shape, mass, l->inertia);
    w->joints[i] = slip_joint_defaults();
    w->joints[i].name = w->names[2*i + 1];
    w->joints[i].type = SLIP_JOINT_FLOATING;
    w->joints[i].child = i;
    *c = w->colliders[0];
    c->name = l->name;
    c->link = i;
    c->shape = shape;
    return i;
}

void aid_build(aid_world *w)
{
    slip_arena mem;
    slip_error err;

    if (!aid_block) aid_block = (unsigned char *)malloc(aid_block_bytes = (size_t)1 << 26);
    mem = slip_arena_over(aid_block, aid_block_bytes);
    w->def.name = "aid";
    w->def.nlinks = w->def.njoints = w->n;
    w->def.links = w->links;
    w->def.joints = w->joints;
    slip_error_clear(&err);
    if (slip_model_build(&w->def, &mem, &w->model, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
    w->world_def.model = w->model;
    w->world_def.ncolliders = w->n + 1;
    w->world_def.colliders = w->colliders;
    w->world_def.nmaterials = 1;
    w->world_def.materials = w->materials;
    if (slip_world_create(&w->world_def, &mem, &w->world, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
}

slip_real *aid_q(aid_world *w, int i) { return slip_world_q(w->world) + 7*i; }
slip_real *aid_v(aid_world *w, int i) { return slip_world_v(w->world) + 6*i; }
