/* Fixed tendons of MJCF: sums of joint positions. Where one joint moves all of a tendon, directly or by mimics, an
 * actuator on it is one on that joint; an equality of a tendon of two joints is a mimic. All else that tendons do is
 * listed. */
#include "io/mjcf_private.h"

#include <string.h>

static slip_status tendon_joints(mjcf_reader *r, mjcf_tendon *t)
{
    static const slip_xml_slice many = { "a tendon of many joints", 23 };
    slip_xml *x = r->u.xml;
    const int depth = x->depth;
    int is_too_long = 0;
    slip_status s;

    for (;;) {
        const slip_xml_attribute *a;

        s = slip_xml_next(x, r->u.err);
        if (s < 0) return s;
        if (x->event == SLIP_XML_END && x->depth < depth) return SLIP_OK;
        if (x->event != SLIP_XML_START || !slip_xml_is(x, "joint")) continue;
        if (t->n == MJCF_TENDON_JOINTS) {
            slip_mjcf_note(r, "fixed", many);
            is_too_long = 1;
            t->n = 0;
        }
        if (is_too_long) continue;                             /* to the end of <fixed> */
        a = slip_xml_find(x, "joint");
        t->joint[t->n] = a ? slip_mjcf_find_joint(r, a->value) : -1;
        if (t->joint[t->n] < 0 && !r->is_partial)
            return slip_fail(r->u.err, SLIP_ERR_MODEL, x->line, x->column, "<fixed>: there is no joint '%.*s'",
                             a ? slip_xml_shown(a->value) : 0, a ? a->value.text : "");
        r->tag = "joint";
        r->class_of = -1;
        s = slip_mjcf_reals(r, "coef", 1, &t->coef[t->n], NULL);
        if (s < 0) return s;
        t->n += t->joint[t->n] >= 0;
    }
}

/* What a tendon does by itself. */
static void tendon_note(mjcf_reader *r)
{
    static const char *const names[] = { "range", "stiffness", "damping", "frictionloss", "armature" };
    slip_xml_slice value;
    int i;

    for (i = 0; i < 5; ++i) {
        const slip_xml_slice name = { names[i], (int)strlen(names[i]) };

        if (slip_mjcf_text(r, names[i], &value)) slip_mjcf_note(r, "fixed", name);
    }
}

slip_status slip_mjcf_tendon(mjcf_reader *r)
{
    static const slip_xml_slice none = { "", 0 };
    const slip_xml_attribute *name = slip_xml_find(r->u.xml, "name");
    mjcf_tendon *t = &r->tendons[r->ntendons];
    slip_status s;

    r->depth = 0;
    if (!slip_xml_is(r->u.xml, "fixed")) {
        slip_mjcf_note(r, slip_xml_is(r->u.xml, "spatial") ? "spatial" : "tendon", none);
        return slip_xml_skip(r->u.xml, r->u.err);
    }
    memset(t, 0, sizeof *t);
    t->name = name ? slip_mjcf_copy(r, name->value) : "";
    if (!t->name) return slip_fail(r->u.err, SLIP_ERR_WORKSPACE, 0, 0, "robot does not fit into the arena");
    s = slip_mjcf_class(r, "tendon");
    if (s < 0) return s;
    tendon_note(r);
    ++r->ntendons;
    return tendon_joints(r, t);
}

const mjcf_tendon *slip_mjcf_find_tendon(const mjcf_reader *r, slip_xml_slice name)
{
    int i;

    for (i = 0; i < r->ntendons; ++i)
        if (r->tendons[i].name[0] && slip_xml_slice_is(name, r->tendons[i].name)) return &r->tendons[i];
    return NULL;
}

int slip_mjcf_tendon_joint(const mjcf_reader *r, const mjcf_tendon *t, slip_real *coef)
{
    const slip_joint_def *joints = r->u.out.def.joints;
    int i, leader = -1;

    *coef = 0;
    for (i = 0; i < t->n; ++i) {
        slip_real scale = t->coef[i];
        int j = t->joint[i], steps = 0;

        for (; joints[j].mimic >= 0 && steps < r->u.out.def.njoints; j = joints[j].mimic, ++steps)
            scale *= joints[j].mimic_scale;
        if (leader >= 0 && j != leader) return -1;
        leader = j;
        *coef += scale;
    }
    return *coef != 0 ? leader : -1;
}

/* The sum of a tendon's terms stays c0, or is c0 + c1 that of another, from where joints are at their references: of
 * two joints in all, one follows the other. */
slip_status slip_mjcf_tendon_equality(mjcf_reader *r)
{
    static const slip_xml_slice other = { "tendon not of two joints", 24 };
    const slip_xml_attribute *a = slip_xml_find(r->u.xml, "tendon1"), *b = slip_xml_find(r->u.xml, "tendon2");
    const mjcf_tendon *one = a ? slip_mjcf_find_tendon(r, a->value) : NULL;
    const mjcf_tendon *two = b ? slip_mjcf_find_tendon(r, b->value) : NULL;
    slip_real c[5] = { 0, 1, 0, 0, 0 }, other_coef;
    slip_joint_def *j;
    int n, leader;
    slip_status s;

    s = slip_mjcf_reals(r, "polycoef", 5, c, &n);
    if (s < 0 || r->u.opt->independent_mimics) return s;
    if (!one || (b && !two) || c[2] != 0 || c[3] != 0 || c[4] != 0 || one->n != (two ? 1 : 2)
        || (two && two->n != 1) || !(one->coef[0] != 0)) {
        slip_mjcf_note(r, "equality", other);
        return SLIP_OK;
    }
    leader = two ? two->joint[0] : one->joint[1];
    other_coef = two ? c[1]*two->coef[0] : -one->coef[1];
    j = &r->u.out.def.joints[one->joint[0]];
    if (leader == one->joint[0] || j->mimic >= 0 || r->u.out.def.joints[leader].mimic == one->joint[0]) {
        slip_mjcf_note(r, "equality", other);
        return SLIP_OK;
    }
    j->mimic = leader;
    j->mimic_scale = other_coef/one->coef[0];
    j->mimic_offset = c[0]/one->coef[0];
    return SLIP_OK;
}
