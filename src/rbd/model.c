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
    j.line = j.column = 0;
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

slip_joint_place slip_model_place(const slip_model *model, int joint)
{
    const int body = model->joint_body[joint];
    const slip_joint_type type = (slip_joint_type)model->joint_type[joint];
    slip_joint_place place;

    place.iq = body < 0 ? -1 : model->iq[body];
    place.nq = body < 0 ? 0 : slip_joint_nq(type);
    place.iv = body < 0 ? -1 : model->dof_iv[model->idof[body]];
    place.nv = body < 0 ? 0 : slip_joint_nv(type);
    return place;
}

int slip_model_find_place(const slip_model *model, const char *name, slip_joint_place *place)
{
    const int joint = slip_model_find_joint(model, name);

    if (joint >= 0) *place = slip_model_place(model, joint);
    return joint;
}
