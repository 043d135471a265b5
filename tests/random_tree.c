/* See random_tree.h. */
#include "random_tree.h"

#include <string.h>
#include "unity.h"

void tree_random_vector(slip_random *rng, int n, slip_real *x)
{
    for (int i = 0; i < n; ++i) x[i] = slip_random_uniform(rng, -1, 1);
}

/* A solid ellipsoid's inertia in random axes: physical, with off-diagonal entries. */
static void tree_random_inertia(slip_random *rng, slip_link_def *l)
{
    slip_real a[3], q[4], R[9], diagonal[6] = { 0 };

    l->mass = slip_random_uniform(rng, SLIP_R(0.2), 5);
    tree_random_vector(rng, 3, l->com);
    slip_scale3(SLIP_R(0.2), l->com, l->com);
    for (int i = 0; i < 3; ++i) a[i] = slip_random_uniform(rng, SLIP_R(0.05), SLIP_R(0.3));
    diagonal[0] = l->mass/5*(a[1]*a[1] + a[2]*a[2]);
    diagonal[3] = l->mass/5*(a[0]*a[0] + a[2]*a[2]);
    diagonal[5] = l->mass/5*(a[0]*a[0] + a[1]*a[1]);
    slip_random_quat(rng, q);
    slip_quat_to_mat3(q, R);
    slip_sym3_rotate(R, diagonal, l->inertia);
}

static slip_joint_type tree_random_type(slip_random *rng, const tree_options *o)
{
    static const slip_joint_type simple[] = { SLIP_JOINT_REVOLUTE, SLIP_JOINT_CONTINUOUS, SLIP_JOINT_PRISMATIC };
    static const slip_joint_type all[] = { SLIP_JOINT_REVOLUTE, SLIP_JOINT_REVOLUTE, SLIP_JOINT_CONTINUOUS,
                                           SLIP_JOINT_PRISMATIC, SLIP_JOINT_PLANAR, SLIP_JOINT_BALL,
                                           SLIP_JOINT_FLOATING, SLIP_JOINT_FIXED };

    return o->only_simple ? simple[slip_random_int(rng, 0, 2)] : all[slip_random_int(rng, 0, 7)];
}

static void tree_random_joint(slip_random *rng, const tree_options *o, int i, slip_joint_def *j)
{
    slip_real q[4];

    *j = slip_joint_defaults();
    j->type = i == 0 && o->floating_root ? SLIP_JOINT_FLOATING : tree_random_type(rng, o);
    j->child = i;
    j->parent = i == 0 || (!o->floating_root && slip_random_int(rng, 0, 5) == 0) ? -1
        : slip_random_int(rng, i > 6 ? i - 6 : 0, i - 1);
    slip_random_quat(rng, q);
    slip_quat_to_mat3(q, j->origin.R);
    tree_random_vector(rng, 3, j->origin.p);
    slip_scale3(SLIP_R(0.5), j->origin.p, j->origin.p);
    slip_random_unit3(rng, j->axis);
    if (slip_random_int(rng, 0, 3) == 0) slip_set3(0, 0, slip_random_int(rng, 0, 1) ? 1 : -1, j->axis);
    slip_scale3(slip_random_uniform(rng, SLIP_R(0.5), 2), j->axis, j->axis);
    if (o->armature && slip_random_int(rng, 0, 1)) j->armature = slip_random_uniform(rng, 0, SLIP_R(0.3));
}

static int tree_is_1dof(slip_joint_type t)
{
    return t == SLIP_JOINT_REVOLUTE || t == SLIP_JOINT_CONTINUOUS || t == SLIP_JOINT_PRISMATIC;
}

/* Lets about a third of the 1-dof joints follow an earlier or later one (never in a cycle: only
 * joints that follow nobody are followed). */
static void tree_add_mimics(tree *t, slip_random *rng)
{
    for (int i = 0; i < t->def.njoints; ++i) {
        const int k = slip_random_int(rng, 0, t->def.njoints - 1);
        slip_joint_def *j = &t->joints[i];
        int followed = 0;

        for (int n = 0; n < t->def.njoints; ++n) followed |= t->joints[n].mimic == i;
        if (followed || k == i || slip_random_int(rng, 0, 2) != 0) continue;
        if (!tree_is_1dof(j->type) || !tree_is_1dof(t->joints[k].type) || t->joints[k].mimic >= 0) continue;
        j->mimic = k;
        j->mimic_scale = slip_random_uniform(rng, -2, 2);
        j->mimic_offset = slip_random_uniform(rng, -1, 1);
    }
}

void tree_make(tree *t, const tree_options *o, slip_random *rng)
{
    slip_arena mem = slip_arena_over(t->memory, sizeof t->memory);
    slip_error err;

    memset(&t->def, 0, sizeof t->def);
    t->def.name = "tree";
    t->def.nlinks = t->def.njoints = o->links;
    t->def.links = t->links;
    t->def.joints = t->joints;
    slip_set3(SLIP_R(0.3), SLIP_R(-0.4), SLIP_R(-9.81), t->def.gravity);
    for (int i = 0; i < o->links; ++i) {
        slip_format(t->names[2*i], 16, "link%d", i);
        slip_format(t->names[2*i + 1], 16, "joint%d", i);
        tree_random_inertia(rng, &t->links[i]);
        t->links[i].name = t->names[2*i];
        t->links[i].line = 0;
        tree_random_joint(rng, o, i, &t->joints[i]);
        t->joints[i].name = t->names[2*i + 1];
    }
    if (o->mimic) tree_add_mimics(t, rng);
    slip_error_clear(&err);
    if (slip_model_build(&t->def, &mem, &t->model, NULL, &err) != SLIP_OK) TEST_FAIL_MESSAGE(err.what);
    TEST_ASSERT_EQUAL_INT(SLIP_OK, slip_data_create(t->model, &mem, &t->data));
}
