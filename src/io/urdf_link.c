/* <link> and its <inertial>: mass, centre of mass, and inertia turned into link axes. Only numbers are
 * checked here; whether they are physical is seen after fixed links are merged. */
#include "io/urdf_private.h"

#include <assert.h>

typedef struct {
    slip_pose origin;                 /* of the inertial frame in the link frame; first, see slip_urdf_read_origin */
    slip_real mass, inertia[6];
    int has_mass, has_inertia;
} urdf_inertial;

static slip_status urdf_read_mass(slip_urdf_reader *r, void *target)
{
    urdf_inertial *in = (urdf_inertial *)target;
    const slip_status s = slip_urdf_reals_within(r, "value", 1, SLIP_MOST_MASS, "kg", &in->mass, NULL);

    if (s < 0) return s;
    if (in->mass < 0)
        return slip_urdf_fail(r, SLIP_ERR_MODEL, r->xml->line, r->xml->column, "mass %g is negative", (double)in->mass);
    in->has_mass = 1;
    return slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status urdf_read_inertia(slip_urdf_reader *r, void *target)
{
    static const char *const names[6] = { "ixx", "ixy", "ixz", "iyy", "iyz", "izz" };
    urdf_inertial *in = (urdf_inertial *)target;
    slip_status s = SLIP_OK;
    int i, found, on_diagonal = 0;

    for (i = 0; s == SLIP_OK && i < 6; ++i) {
        s = slip_urdf_reals(r, names[i], 1, &in->inertia[i], &found);
        if (found && (i == 0 || i == 3 || i == 5)) ++on_diagonal;
    }
    if (s == SLIP_OK && on_diagonal < 3)
        s = slip_urdf_warn(r, r->xml->line, r->xml->column, "<inertia> lacks ixx, iyy or izz; taken as 0");
    in->has_inertia = 1;
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

void slip_urdf_turn_inertia(const slip_real R[9], const slip_real I[6], slip_real out[6])
{
    const slip_real full[9] = { I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5] };
    slip_real RI[9], Rt[9], A[9];

    slip_mat3_mul(R, full, RI);
    slip_mat3_transpose(R, Rt);
    slip_mat3_mul(RI, Rt, A);
    out[0] = A[0];  out[1] = A[1];  out[2] = A[2];
    out[3] = A[4];  out[4] = A[5];  out[5] = A[8];
}

slip_status slip_urdf_read_inertial(slip_urdf_reader *r, void *target)
{
    static const slip_urdf_tag tags[] = {
        { "origin", 0, slip_urdf_read_origin }, { "mass", 0, urdf_read_mass }, { "inertia", 0, urdf_read_inertia } };
    slip_link_def *link = (slip_link_def *)target;
    urdf_inertial in = { { { 0 }, { 0 } }, 0, { 0 }, 0, 0 };
    const int line = r->xml->line, column = r->xml->column;
    slip_status s;

    slip_pose_identity(&in.origin);
    s = slip_urdf_children(r, tags, 3, &in);
    if (s == SLIP_OK && !in.has_mass)    s = slip_urdf_warn(r, line, column, "<inertial> has no <mass>; taken as 0");
    if (s == SLIP_OK && !in.has_inertia) s = slip_urdf_warn(r, line, column, "<inertial> has no <inertia>; taken as 0");
    link->mass = in.mass;
    slip_copy3(in.origin.p, link->com);
    slip_urdf_turn_inertia(in.origin.R, in.inertia, link->inertia);
    if (s == SLIP_OK && !slip_all_finite(link->inertia, 6))
        s = slip_urdf_fail(r, SLIP_ERR_MODEL, line, column, "inertia overflows when turned into link axes");
    return s;
}

/* ---- Bullet's <contact> --------------------------------------------------------------------------- */

/* The value of a coefficient from 0 to `most`. */
static slip_status urdf_coefficient(slip_urdf_reader *r, slip_real most, slip_real *x)
{
    const slip_xml *xml = r->xml;
    slip_real value;
    slip_status s = slip_urdf_reals(r, "value", 1, &value, NULL);

    if (s < 0) return s;
    *x = slip_clamp(value, 0, most);
    if (*x < value || *x > value)
        s = slip_urdf_warn(r, xml->line, xml->column, "<%.*s> %g is not within 0 to %g; taken as %g",
                           slip_xml_shown(xml->full), xml->full.text, (double)value, (double)most, (double)*x);
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

static slip_status urdf_read_lateral(slip_urdf_reader *r, void *target)
{
    return urdf_coefficient(r, SLIP_R(1e6), &((slip_urdf_contact *)target)->friction);
}

static slip_status urdf_read_restitution(slip_urdf_reader *r, void *target)
{
    return urdf_coefficient(r, 1, &((slip_urdf_contact *)target)->restitution);
}

static slip_status urdf_read_rolling(slip_urdf_reader *r, void *target)
{
    return urdf_coefficient(r, 1000, &((slip_urdf_contact *)target)->rolling);
}

static slip_status urdf_read_spinning(slip_urdf_reader *r, void *target)
{
    return urdf_coefficient(r, 1000, &((slip_urdf_contact *)target)->torsion);
}

static slip_status urdf_read_contact(slip_urdf_reader *r, void *link_def)
{
    static const slip_urdf_tag tags[] = {
        { "lateral_friction", 0, urdf_read_lateral }, { "restitution", 0, urdf_read_restitution },
        { "rolling_friction", 0, urdf_read_rolling }, { "spinning_friction", 0, urdf_read_spinning },
        { "stiffness", 1, NULL }, { "damping", 1, NULL }, { "contact_cfm", 1, NULL }, { "contact_erp", 1, NULL },
        { "inertia_scaling", 1, NULL }, { "friction_anchor", 1, NULL } };

    return slip_urdf_children(r, tags, (int)(sizeof tags/sizeof *tags),
                              &r->out.contacts[(slip_link_def *)link_def - r->out.def.links]);
}

slip_status slip_urdf_read_link(slip_urdf_reader *r, void *unused)
{
    static const slip_urdf_contact nothing = { -1, -1, -1, -1 };
    static const slip_urdf_tag tags[] = {
        { "inertial", 0, slip_urdf_read_inertial }, { "collision", 1, slip_urdf_read_collision },
        { "visual", 1, slip_urdf_read_visual }, { "contact", 0, urdf_read_contact },
        { "self_collision_checking", 1, NULL },
        { "sensor", 1, NULL }, { "gazebo", 1, NULL } };
    const int i = r->out.def.nlinks;
    slip_link_def *link = &r->out.def.links[i];
    slip_status s;

    (void)unused;
    assert(i < r->room.links);
    r->out.contacts[i] = nothing;
    link->line = r->xml->line;
    link->column = r->xml->column;
    s = slip_urdf_need_text(r, "name", &r->kept, &r->links[i]);
    if (s < 0) return s;
    link->name = r->owner = r->links[i].name;
    r->kind = "link";
    s = slip_urdf_children(r, tags, (int)(sizeof tags/sizeof *tags), link);
    r->kind = NULL;
    ++r->out.def.nlinks;
    return s;
}
