/* Shared by the files that compile a model: build.c, branches.c, check.c. */
#ifndef SLIP_RBD_BUILD_PRIVATE_H
#define SLIP_RBD_BUILD_PRIVATE_H

#include "rbd/passes.h"
#include "rbd/spatial.h"

/* More links than this is taken for a mistake. */
#define SLIP_MODEL_MAX_LINKS 1000000
#define SLIP_MODEL_MAX_ENTRIES (1 << 24)   /* of the packed mass matrix: a chain of some 5700 freedoms */

typedef struct {
    const slip_model_def *def;
    slip_arena *mem;
    slip_model *model;

    /* scratch: the joint above each link, child lists by link + 1 (0 the world), depth-first order */
    int *above, *first, *next, *order, *stack, seen;
    int *joint_iq, *joint_iv;                            /* coordinates of joints that move by themselves */
    int nbodies, ndofs;                                  /* laid out so far */

    /* the model's arrays, while they may still be written */
    int *parent, *type, *iq, *idof, *mimics, *angle, *body_joint, *body_link;
    slip_pose *tree;
    slip_real *inertia, *scale, *offset, *turn, *body_mass;
    int *dof_body, *dof_axis, *dof_angular, *dof_iv;
    slip_real *dof_scale, *dof_armature;
    slip_real *armature, *damping, *friction, *velocity_limit, *effort_limit, *lower, *upper;
    int *limit_iq;
    const char **link_name, **joint_name;
    int *link_body, *joint_type, *joint_body;
    slip_pose *link_pose;
} build;

/* Lays out model->dofs and model->branches. SLIP_OK or SLIP_ERR_WORKSPACE. */
slip_status slip_build_branches(build *b);

/* Warns about unphysical bodies, and of joints that have nothing to move, which are repaired if that is wanted. */
slip_status slip_build_check(build *b, slip_report *report, slip_error *err);

#endif
