/* <joint>: type, origin, axis, limits, dynamics, mimic, safety and calibration data. */
#include "io/urdf_private.h"

#include <assert.h>

/* A joint under construction; the origin comes first, as slip_urdf_read_origin wants. */
typedef struct {
    slip_pose origin;
    slip_joint_def *def;
    slip_urdf_joint *more;
    slip_urdf_joint_refs *refs;
    int has_limit;
    int line, column;                 /* of its start tag */
    int axis_line, axis_column;
} urdf_joint;

/* Whether the joint has one coordinate, an angle or a displacement. */
static int urdf_is_single(slip_joint_type type)
{
    return type == SLIP_JOINT_REVOLUTE || type == SLIP_JOINT_CONTINUOUS || type == SLIP_JOINT_PRISMATIC;
}

/* A number that must not be negative: warned about and taken as `instead` when it is. */
static slip_status urdf_positive(slip_urdf_reader *r, const char *attribute, slip_real *x, slip_real instead,
                                 int *found)
{
    slip_status s = slip_urdf_reals(r, attribute, 1, x, found);

    if (s < 0 || !(*x < 0)) return s;
    s = slip_urdf_warn(r, r->xml->line, r->xml->column, "%s %g is negative; taken as %g", attribute, (double)*x,
                       (double)instead);
    *x = instead;
    return s;
}

/* ---- children --------------------------------------------------------------------------------- */

static slip_status urdf_read_end(slip_urdf_reader *r, void *target)
{
    slip_urdf_joint_refs *refs = ((urdf_joint *)target)->refs;
    slip_urdf_ref *end = slip_xml_is(r->xml, "parent") ? &refs->parent : &refs->child;
    const slip_status s = slip_urdf_need_text(r, "link", &r->passing, end);

    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status urdf_read_axis(slip_urdf_reader *r, void *target)
{
    urdf_joint *j = (urdf_joint *)target;
    int found = 0;
    slip_status s = slip_urdf_reals(r, "xyz", 3, j->def->axis, &found);

    j->axis_line = r->xml->line;
    j->axis_column = r->xml->column;
    if (s == SLIP_OK && !found)
        s = slip_urdf_warn(r, r->xml->line, r->xml->column, "<axis> has no xyz; taken as \"1 0 0\"");
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

/* lower and upper of a revolute or prismatic joint. URDF takes a missing one as 0; with both missing the joint would be
 * locked, which is surely a mistake, so it is left free. */
static slip_status urdf_read_range(slip_urdf_reader *r, slip_joint_def *def)
{
    slip_real lower = 0, upper = 0;
    int has_lower, has_upper = 0;
    slip_status s = slip_urdf_reals(r, "lower", 1, &lower, &has_lower);

    if (s == SLIP_OK) s = slip_urdf_reals(r, "upper", 1, &upper, &has_upper);
    if (s < 0) return s;
    if (!has_lower && !has_upper)
        return slip_urdf_warn(r, r->xml->line, r->xml->column,
                              "<limit> has neither lower nor upper; position not limited");
    if (lower > upper)                                         /* Bullet's way of saying that there is none */
        return slip_urdf_warn(r, r->xml->line, r->xml->column,
                              "lower limit %g%s is above upper limit %g%s: position not limited", (double)lower,
                              has_lower ? "" : " (the default)", (double)upper, has_upper ? "" : " (the default)");
    def->lower = lower;
    def->upper = upper;
    if (lower < upper) return SLIP_OK;
    return slip_urdf_warn(r, r->xml->line, r->xml->column, "lower and upper limit are both %g: the joint cannot move",
                          (double)lower);
}

static slip_status urdf_read_limit(slip_urdf_reader *r, void *target)
{
    urdf_joint *j = (urdf_joint *)target;
    slip_joint_def *def = j->def;
    int has_effort = 0, has_velocity = 0;
    slip_status s = SLIP_OK;

    j->has_limit = 1;
    if (def->type == SLIP_JOINT_REVOLUTE || def->type == SLIP_JOINT_PRISMATIC) s = urdf_read_range(r, def);
    if (s == SLIP_OK) s = urdf_positive(r, "effort", &def->effort, (slip_real)INFINITY, &has_effort);
    if (s == SLIP_OK) s = urdf_positive(r, "velocity", &def->velocity, (slip_real)INFINITY, &has_velocity);
    if (s == SLIP_OK && urdf_is_single(def->type) && !(has_effort && has_velocity))
        s = slip_urdf_warn(r, r->xml->line, r->xml->column, "<limit> lacks %s; not limited",
                           has_effort ? "velocity" : has_velocity ? "effort" : "effort and velocity");
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status urdf_read_dynamics(slip_urdf_reader *r, void *target)
{
    slip_joint_def *def = ((urdf_joint *)target)->def;
    int found;
    slip_status s = urdf_positive(r, "damping", &def->damping, 0, &found);

    if (s == SLIP_OK) s = urdf_positive(r, "friction", &def->friction, 0, &found);
    if (s == SLIP_OK) s = urdf_positive(r, "armature", &def->armature, 0, &found);
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status urdf_read_mimic(slip_urdf_reader *r, void *target)
{
    urdf_joint *j = (urdf_joint *)target;
    int found;
    slip_status s = slip_urdf_need_text(r, "joint", &r->passing, &j->refs->mimic);

    if (s == SLIP_OK) s = slip_urdf_reals(r, "multiplier", 1, &j->def->mimic_scale, &found);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "offset", 1, &j->def->mimic_offset, &found);
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status urdf_read_safety(slip_urdf_reader *r, void *target)
{
    slip_urdf_joint *more = ((urdf_joint *)target)->more;
    int found;
    slip_status s = slip_urdf_reals(r, "soft_lower_limit", 1, &more->soft_lower, &found);

    if (s == SLIP_OK) s = slip_urdf_reals(r, "soft_upper_limit", 1, &more->soft_upper, &found);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "k_position", 1, &more->k_position, &found);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "k_velocity", 1, &more->k_velocity, &found);
    more->has_safety = 1;
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status urdf_read_calibration(slip_urdf_reader *r, void *target)
{
    slip_urdf_joint *more = ((urdf_joint *)target)->more;
    int found;
    slip_status s = slip_urdf_reals(r, "rising", 1, &more->rising, &found);

    if (s == SLIP_OK) s = slip_urdf_reals(r, "falling", 1, &more->falling, &found);
    more->has_calibration = 1;
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

/* ---- the joint -------------------------------------------------------------------------------- */

/* Whether a text is this word of small letters, whatever letters it is written in. */
static int urdf_is_word(const char *text, const char *word)
{
    while (*word && (*text == *word || (*text >= 'A' && *text <= 'Z' && *text - 'A' + 'a' == *word))) ++text, ++word;
    return !*word && !*text;
}

static slip_status urdf_read_type(slip_urdf_reader *r, slip_joint_type *type)
{
    static const struct { const char *name; slip_joint_type type; } types[] = {
        { "revolute", SLIP_JOINT_REVOLUTE }, { "continuous", SLIP_JOINT_CONTINUOUS },
        { "prismatic", SLIP_JOINT_PRISMATIC }, { "fixed", SLIP_JOINT_FIXED }, { "floating", SLIP_JOINT_FLOATING },
        { "planar", SLIP_JOINT_PLANAR }, { "ball", SLIP_JOINT_BALL }, { "spherical", SLIP_JOINT_BALL } };
    slip_urdf_pool pool = r->passing;                          /* the text is not kept */
    slip_urdf_ref ref;
    const slip_status s = slip_urdf_need_text(r, "type", &pool, &ref);
    int i;

    if (s < 0) return s;
    for (i = 0; i < (int)(sizeof types/sizeof *types); ++i) {
        if (!urdf_is_word(ref.name, types[i].name)) continue;
        *type = types[i].type;
        if (slip_text_equal(ref.name, types[i].name)) return SLIP_OK;
        return slip_urdf_warn(r, ref.line, ref.column, "joint type '%s' taken as '%s'", ref.name, types[i].name);
    }
    *type = SLIP_JOINT_FIXED;
    return slip_urdf_warn(r, ref.line, ref.column, "joint type '%.*s' is unknown, expected revolute, continuous, "
                          "prismatic, fixed, floating, planar or ball; taken as fixed", slip_urdf_shown(ref.name),
                          ref.name);
}

/* A <mimic> where it has no meaning: dropped on a fixed joint, as some generated files have it. */
static slip_status urdf_check_mimic(slip_urdf_reader *r, urdf_joint *j)
{
    const slip_urdf_ref mimic = j->refs->mimic;

    if (!mimic.name || urdf_is_single(j->def->type)) return SLIP_OK;
    if (j->def->type != SLIP_JOINT_FIXED)
        return slip_urdf_fail(r, SLIP_ERR_MODEL, mimic.line, mimic.column,
                              "<mimic> in a %s joint, expected revolute, continuous or prismatic",
                              slip_joint_type_name(j->def->type));
    j->refs->mimic.name = NULL;
    return slip_urdf_warn(r, mimic.line, mimic.column, "<mimic> in a fixed joint ignored");
}

static slip_status urdf_check_joint(slip_urdf_reader *r, urdf_joint *j)
{
    const slip_joint_type type = j->def->type;
    const slip_real *a = j->def->axis;
    slip_status s;

    if (!j->refs->parent.name) return slip_urdf_fail(r, SLIP_ERR_PARSE, j->line, j->column, "has no <parent>");
    if (!j->refs->child.name)  return slip_urdf_fail(r, SLIP_ERR_PARSE, j->line, j->column, "has no <child>");
    if ((urdf_is_single(type) || type == SLIP_JOINT_PLANAR) && !(slip_abs(a[0]) + slip_abs(a[1]) + slip_abs(a[2]) > 0))
        return slip_urdf_fail(r, SLIP_ERR_MODEL, j->axis_line, j->axis_column, "axis \"0 0 0\" has no direction");
    if ((s = urdf_check_mimic(r, j)) < 0) return s;
    if ((type == SLIP_JOINT_REVOLUTE || type == SLIP_JOINT_PRISMATIC) && !j->has_limit)
        return slip_urdf_warn(r, j->line, j->column, "has no <limit>, which its type should have; not limited");
    return SLIP_OK;
}

static void urdf_begin_joint(slip_urdf_reader *r, urdf_joint *j)
{
    static const slip_urdf_joint blank = { 0, 0, 0, 0, 0, 0, (slip_real)NAN, (slip_real)NAN };
    static const slip_urdf_ref none = { NULL, 0, 0 };
    const int i = r->out.def.njoints;

    slip_pose_identity(&j->origin);
    j->def = &r->out.def.joints[i];
    j->more = &r->out.joints[i];
    j->refs = &r->joints[i];
    j->has_limit = 0;
    j->line = j->axis_line = r->xml->line;
    j->column = j->axis_column = r->xml->column;
    *j->def = slip_joint_defaults();
    j->def->line = j->line;
    j->def->column = j->column;
    *j->more = blank;
    j->refs->parent = j->refs->child = j->refs->mimic = none;
}

slip_status slip_urdf_read_joint(slip_urdf_reader *r, void *unused)
{
    static const slip_urdf_tag tags[] = {
        { "origin", 0, slip_urdf_read_origin }, { "parent", 0, urdf_read_end }, { "child", 0, urdf_read_end },
        { "axis", 0, urdf_read_axis }, { "limit", 0, urdf_read_limit }, { "dynamics", 0, urdf_read_dynamics },
        { "mimic", 0, urdf_read_mimic }, { "safety_controller", 0, urdf_read_safety },
        { "calibration", 0, urdf_read_calibration }, { "gazebo", 1, NULL } };
    urdf_joint j;
    slip_status s;

    (void)unused;
    assert(r->out.def.njoints < r->room.joints);
    urdf_begin_joint(r, &j);
    s = slip_urdf_need_text(r, "name", &r->kept, &j.refs->name);
    if (s < 0) return s;
    j.def->name = r->owner = j.refs->name.name;
    r->kind = "joint";
    s = urdf_read_type(r, &j.def->type);
    if (s == SLIP_OK) s = slip_urdf_children(r, tags, (int)(sizeof tags/sizeof *tags), &j);
    if (s == SLIP_OK) s = urdf_check_joint(r, &j);
    j.def->origin = j.origin;
    r->kind = NULL;
    ++r->out.def.njoints;
    return s;
}
