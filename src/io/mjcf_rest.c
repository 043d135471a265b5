/* What refers to bodies and joints of MJCF by name: actuators, equalities, excluded pairs, keyframes. */
#include "io/mjcf_private.h"

#include <string.h>

int slip_mjcf_find_joint(const mjcf_reader *r, slip_xml_slice name)
{
    const slip_model_def *def = &r->u.out.def;
    int i;

    for (i = 0; i < def->njoints; ++i) if (slip_xml_slice_is(name, def->joints[i].name)) return i;
    return -1;
}

int slip_mjcf_find_link(const mjcf_reader *r, slip_xml_slice name)
{
    const slip_model_def *def = &r->u.out.def;
    int i;

    if (slip_xml_slice_is(name, "world")) return -1;
    for (i = 0; i < def->nlinks; ++i) if (slip_xml_slice_is(name, def->links[i].name)) return i;
    return -2;
}

/* An error, or a note where what made it is not understood. */
static slip_status rest_missing(mjcf_reader *r, const char *kind, const slip_xml_attribute *a)
{
    static const slip_xml_slice unknown = { "what is not understood", 22 };

    if (!r->is_partial)
        return slip_fail(r->u.err, SLIP_ERR_MODEL, a->value_line, a->value_column, "there is no %s '%.*s'", kind,
                         slip_xml_shown(a->value), a->value.text);
    slip_mjcf_note(r, r->tag, unknown);
    return SLIP_OK;
}

/* The links that two attributes name; *found 0: not both are there, and that is tolerated. */
static slip_status rest_need_links(mjcf_reader *r, int link[2], int *found)
{
    static const char *const names[2] = { "body1", "body2" };
    int k;

    *found = 0;
    for (k = 0; k < 2; ++k) {
        const slip_xml_attribute *a = slip_xml_find(r->u.xml, names[k]);

        link[k] = a ? slip_mjcf_find_link(r, a->value) : -1;
        if (link[k] == -2) return rest_missing(r, "body", a);
    }
    *found = 1;
    return SLIP_OK;
}

/* ---- actuators ----------------------------------------------------------------------------------- */

/* Of general ones that are affine in position and velocity, and of position and velocity ones: torque
 * gear (gain u + bias1 q gear + bias2 v gear). */
static slip_status rest_gains(mjcf_reader *r, slip_real *kp, slip_real *kd)
{
    slip_real bias[10] = { 0 };
    int n;
    slip_status s = SLIP_OK;

    *kp = *kd = 0;
    if (strcmp(r->tag, "position") == 0) {
        *kp = 1;
        s = slip_mjcf_reals(r, "kp", 1, kp, &n);
        if (s == SLIP_OK) s = slip_mjcf_reals(r, "kv", 1, kd, &n);
    } else if (strcmp(r->tag, "velocity") == 0) {
        *kd = 1;
        s = slip_mjcf_reals(r, "kv", 1, kd, &n);
    } else if (strcmp(r->tag, "general") == 0 && slip_mjcf_is(r, "biastype", "affine")) {
        s = slip_mjcf_reals(r, "biasprm", 10, bias, &n);
        *kp = slip_max(0, -bias[1]);
        *kd = slip_max(0, -bias[2]);
    }
    return s;
}

static void rest_note_actuator(mjcf_reader *r, const char *why)
{
    const slip_xml_slice reason = { why, (int)strlen(why) };
    char tag[40];

    slip_format(tag, (int)sizeof tag, "%.*s", r->u.xml->name.length > 30 ? 30 : r->u.xml->name.length,
                r->u.xml->name.text);
    slip_mjcf_note(r, tag, reason);
}

/* The joint that an actuator moves, itself or through a tendon, whose length by it is *coef; -1 where it is not
 * understood. */
static slip_status rest_transmission(mjcf_reader *r, int *joint, slip_real *coef)
{
    const slip_xml_attribute *a = slip_xml_find(r->u.xml, "joint"), *t = slip_xml_find(r->u.xml, "tendon");
    const mjcf_tendon *tendon = t ? slip_mjcf_find_tendon(r, t->value) : NULL;

    *joint = -1;
    *coef = 1;
    if (a) {
        *joint = slip_mjcf_find_joint(r, a->value);
        return *joint < 0 ? rest_missing(r, "joint", a) : SLIP_OK;
    }
    if (tendon) *joint = slip_mjcf_tendon_joint(r, tendon, coef);
    if (*joint < 0) rest_note_actuator(r, t ? "tendon of several joints" : "");
    return SLIP_OK;
}

slip_status slip_mjcf_actuator(mjcf_reader *r)
{
    static const char *const tags[] = { "position", "velocity", "motor", "general" };
    slip_robot_extras *e = &r->u.out.extras;
    slip_robot_drive *d = &e->drives[e->ndrives];
    slip_real kp, kd, coef = 1, force[2], gear[6] = { 1, 0, 0, 0, 0, 0 };
    int i, n;
    slip_status s;

    for (i = 0; i < 4 && !slip_xml_is(r->u.xml, tags[i]); ++i) { }
    r->depth = 0;
    if (i == 4) {
        rest_note_actuator(r, "");
        return SLIP_OK;
    }
    s = slip_mjcf_class(r, tags[i]);
    if (s == SLIP_OK) s = rest_transmission(r, &d->joint, &coef);
    if (s < 0 || d->joint < 0) return s;
    if (s == SLIP_OK) s = rest_gains(r, &kp, &kd);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "gear", 6, gear, &n);
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "forcerange", 2, force, &n);
    if (s < 0) return s;
    gear[0] *= coef;
    d->kp = kp*gear[0]*gear[0];
    d->kd = kd*gear[0]*gear[0];
    d->effort = r->u.out.def.joints[d->joint].effort;
    if (n == 2) d->effort = slip_min(d->effort, slip_abs(gear[0])*slip_max(slip_abs(force[0]), slip_abs(force[1])));
    for (i = 0; i < e->ndrives; ++i)
        if (e->drives[i].joint == d->joint) {                  /* a position and a velocity one of the same joint */
            e->drives[i].kp += d->kp;
            e->drives[i].kd += d->kd;
            return SLIP_OK;
        }
    ++e->ndrives;
    return SLIP_OK;
}

/* ---- equalities ---------------------------------------------------------------------------------- */

/* q1 - ref1 = c0 + c1 (q2 - ref2): exact here as a mimic, of joints that follow no other. Ours are q - ref. */
static slip_status rest_joints(mjcf_reader *r)
{
    const slip_xml_attribute *a = slip_xml_find(r->u.xml, "joint1"), *b = slip_xml_find(r->u.xml, "joint2");
    const int i = a ? slip_mjcf_find_joint(r, a->value) : -1, k = b ? slip_mjcf_find_joint(r, b->value) : -1;
    static const slip_xml_slice curved = { "polycoef", 8 }, held = { "joint1", 6 };
    slip_real c[5] = { 0, 1, 0, 0, 0 };
    slip_joint_def *j;
    int n;
    slip_status s;

    if (!a) return slip_fail(r->u.err, SLIP_ERR_PARSE, r->u.xml->line, r->u.xml->column, "<joint> needs 'joint1'");
    if (i < 0 || (b && k < 0)) return rest_missing(r, "joint", i < 0 ? a : b);
    s = slip_mjcf_reals(r, "polycoef", 5, c, &n);
    if (s < 0 || r->u.opt->independent_mimics) return s;
    j = &r->u.out.def.joints[i];
    if (k < 0) slip_mjcf_note(r, "equality", held);
    else if (c[2] != 0 || c[3] != 0 || c[4] != 0 || r->u.out.def.joints[k].mimic == i || k == i)
        slip_mjcf_note(r, "equality", curved);
    else {
        j->mimic = k;
        j->mimic_scale = c[1];
        j->mimic_offset = c[0];
    }
    return SLIP_OK;
}

slip_status slip_mjcf_equality(mjcf_reader *r)
{
    const int is_weld = slip_xml_is(r->u.xml, "weld");
    slip_robot_extras *e = &r->u.out.extras;
    slip_robot_loop *l = &e->loops[e->nloops];
    slip_real anchor[3] = { 0, 0, 0 };
    int n, link[2], found;
    slip_status s;

    r->depth = 0;
    r->tag = is_weld ? "weld" : slip_xml_is(r->u.xml, "joint") ? "joint" : slip_xml_is(r->u.xml, "tendon") ? "tendon"
             : "connect";
    r->class_of = -1;
    if (slip_mjcf_is(r, "active", "false")) return SLIP_OK;
    if (slip_xml_is(r->u.xml, "joint")) return rest_joints(r);
    if (slip_xml_is(r->u.xml, "tendon")) return slip_mjcf_tendon_equality(r);
    if ((!is_weld && !slip_xml_is(r->u.xml, "connect")) || !slip_xml_find(r->u.xml, "body1")) {
        slip_xml_slice none = { "", 0 };

        slip_mjcf_note(r, "equality between others than bodies or joints", none);
        return SLIP_OK;
    }
    s = rest_need_links(r, link, &found);
    if (s < 0 || !found) return s;
    l->a = link[0];
    l->b = link[1];
    l->is_weld = is_weld;
    l->name = slip_mjcf_name(r, "equality");
    if (!l->name) return slip_fail(r->u.err, SLIP_ERR_WORKSPACE, 0, 0, "robot does not fit into the arena");
    s = slip_mjcf_reals(r, "anchor", 3, anchor, &n);
    slip_pose_identity(&l->frame_a);
    slip_pose_identity(&l->frame_b);
    slip_copy3(anchor, l->frame_a.p);
    l->has_frame_b = 0;
    if (s == SLIP_OK) ++e->nloops;
    return s;
}

slip_status slip_mjcf_exclude(mjcf_reader *r)
{
    slip_robot_extras *e = &r->u.out.extras;
    int link[2], found;
    slip_status s;

    r->tag = "exclude";
    s = rest_need_links(r, link, &found);
    if (s < 0 || !found) return s;
    e->excludes[e->nexcludes][0] = link[0];
    e->excludes[e->nexcludes++][1] = link[1];
    return SLIP_OK;
}

/* ---- keyframes ----------------------------------------------------------------------------------- */

/* The next number of a list, 0 at its end. */
static int rest_next(slip_xml_slice *text, slip_real *x)
{
    int n;

    while (text->length > 0 && slip_is_blank(text->text[0])) ++text->text, --text->length;
    n = slip_read_real(text->text, text->length, x);
    text->text += n;
    text->length -= n;
    return n > 0 && slip_is_finite(*x);
}

slip_status slip_mjcf_key(mjcf_reader *r)
{
    const slip_xml_attribute *a = slip_xml_find(r->u.xml, "qpos");
    slip_model_def *def = &r->u.out.def;
    slip_real x[7];
    slip_xml_slice text;
    int j, k, ok = 1;

    if (!a || r->has_key) return SLIP_OK;
    text = a->value;
    for (j = 0; j < def->njoints && ok; ++j) {                 /* joints in the file's order, as MuJoCo has them */
        const slip_joint_type type = def->joints[j].type;
        const int n = slip_joint_nq(type);

        for (k = 0; k < n && ok; ++k) ok = rest_next(&text, &x[k]);
        if (!ok) break;
        if (n == 1) r->u.out.extras.start[j] = x[0] - r->ref[j];
        if (type == SLIP_JOINT_FLOATING) {
            slip_real q[4];

            slip_quat_from_wxyz(x + 3, q);
            if (!(slip_quat_normalize(q, q) > 0)) ok = 0;
            else slip_pose_from(x, q, &r->u.out.extras.home[j]);
        }
    }
    r->has_key = ok;
    if (ok) return SLIP_OK;
    return slip_warn(r->u.report, r->u.err, a->value_line, a->value_column, "a keyframe has too few numbers; not used");
}
