/* Facts about joint types, defaults of descriptions, look-ups by name. */
#include "rbd/model.h"

const char *slip_joint_type_name(slip_joint_type type)
{
    static const char *const name[] = { "fixed", "revolute", "continuous", "prismatic", "planar", "ball", "floating" };

    return name[type];
}

slip_joint_def slip_joint_defaults(void)
{
    slip_joint_def j;

    j.name = "";
    j.type = SLIP_JOINT_FIXED;
    j.parent = j.child = -1;
    slip_pose_identity(&j.origin);
    slip_set3(1, 0, 0, j.axis);
    j.lower = -(slip_real)INFINITY;
    j.upper = j.velocity = j.effort = (slip_real)INFINITY;
    j.damping = j.friction = j.armature = 0;
    j.mimic = -1;
    j.mimic_scale = 1;
    j.mimic_offset = 0;
    j.line = 0;
    return j;
}

static int model_find_name(const char *const *names, int n, const char *name)
{
    int i;

    for (i = 0; i < n; ++i)
        if (slip_text_equal(names[i], name)) return i;
    return -1;
}

int slip_model_find_link(const slip_model *model, const char *name)
{
    return model_find_name(model->link_name, model->nlinks, name);
}

int slip_model_find_joint(const slip_model *model, const char *name)
{
    return model_find_name(model->joint_name, model->njoints, name);
}
