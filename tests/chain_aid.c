/* See chain_aid.h. */
#include "chain_aid.h"

#include <string.h>
#include "scene_aid.h"
#include "unity.h"

void aid_chain_begin(aid_chain *c)
{
    aid_forget();
    memset(c, 0, sizeof *c);
    c->material = slip_material_defaults();
    c->world.options = slip_world_defaults();
    c->world.colliders = c->colliders;
    c->world.materials = &c->material;
    c->world.nmaterials = 1;
    c->def.name = "chain";
    c->def.links = c->links;
    c->def.joints = c->joints;
}

slip_joint_def *aid_chain_link(aid_chain *c, slip_joint_type type, int parent, double m, double com, double I)
{
    const int i = c->def.nlinks;
    slip_link_def *l = &c->links[i];
    slip_joint_def *j = &c->joints[i];

    TEST_ASSERT(i < CHAIN_MOST);
    c->def.nlinks = c->def.njoints = i + 1;
    slip_format(c->names[2*i], 8, "link%d", i);
    slip_format(c->names[2*i + 1], 8, "joint%d", i);
    l->name = c->names[2*i];
    l->mass = (slip_real)m;
    l->com[0] = (slip_real)com;
    l->inertia[0] = l->inertia[3] = l->inertia[5] = (slip_real)I;
    *j = slip_joint_defaults();
    j->name = c->names[2*i + 1];
    j->type = type;
    j->parent = parent;
    j->child = i;
    return j;
}

slip_collider_def *aid_chain_shape(aid_chain *c, int link, slip_shape shape, double x, double y, double z)
{
    slip_collider_def *d = &c->colliders[c->world.ncolliders++];

    TEST_ASSERT(c->world.ncolliders <= CHAIN_MOST);
    d->name = link < 0 ? "wall" : c->names[2*link];
    d->link = link;
    d->shape = shape;
    slip_pose_identity(&d->pose);
    slip_set3((slip_real)x, (slip_real)y, (slip_real)z, d->pose.p);
    d->group = 1;
    d->mask = ~0u;
    return d;
}

slip_world *aid_chain_build(aid_chain *c)
{
    slip_world *w = NULL;
    slip_error err;

    slip_error_clear(&err);
    if (slip_model_build(&c->def, aid_memory(), &c->world.model, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
    if (slip_world_create(&c->world, aid_memory(), &w, NULL, &err) < 0) TEST_FAIL_MESSAGE(err.what);
    return w;
}
