/* Attributes that are fields of a struct, by table: <simulation>, <solver>, <contact>, surfaces. Every field of
 * slip_world_options and slip_solver_options that a file can give is here. */
#include "io/scene_private.h"
#include "io/solver_options.h"

#include <stddef.h>
#include <string.h>

/* ---- single attributes -------------------------------------------------------------------------- */

slip_status slip_scene_bad_value(slip_urdf_reader *r, const slip_xml_attribute *a, const char *expected)
{
    return slip_urdf_fail(r, SLIP_ERR_MODEL, a->value_line, a->value_column, "%.*s=\"%.*s\" of <%.*s>, expected %s",
                          slip_xml_shown(a->full), a->full.text, slip_xml_shown(a->value), a->value.text,
                          slip_xml_shown(r->xml->full), r->xml->full.text, expected);
}

slip_status slip_scene_int(slip_urdf_reader *r, const char *attribute, int lo, int hi, int *value, int *found)
{
    const slip_xml_attribute *a = slip_xml_find(r->xml, attribute);
    char expected[64];
    int x = 0;

    if (found) *found = a != NULL;
    if (!a) return SLIP_OK;
    if (slip_read_int(a->value.text, a->value.length, &x) == a->value.length && x >= lo && x <= hi) {
        *value = x;
        return SLIP_OK;
    }
    slip_format(expected, (int)sizeof expected, "a whole number from %d to %d", lo, hi);
    return slip_scene_bad_value(r, a, expected);
}

slip_status slip_scene_word(slip_urdf_reader *r, const char *attribute, const char *words, int *value, int *found)
{
    const slip_xml_attribute *a = slip_xml_find(r->xml, attribute);
    char expected[160];
    int i;

    if (found) *found = a != NULL;
    if (!a) return SLIP_OK;
    i = slip_text_word(words, a->value.text, a->value.length);
    if (i >= 0) {
        *value = i;
        return SLIP_OK;
    }
    slip_format(expected, (int)sizeof expected, "one of: %s", words);
    return slip_scene_bad_value(r, a, expected);
}

/* ---- tables ------------------------------------------------------------------------------------- */

static slip_status scene_real_field(slip_urdf_reader *r, const scene_field *f, slip_real *x)
{
    slip_real y = *x;
    int found;
    const slip_status s = slip_urdf_reals(r, f->name, 1, &y, &found);

    if (s < 0 || !found) return s;
    if ((double)y < f->lo || (double)y > f->hi)
        return slip_scene_bad_value(r, slip_xml_find(r->xml, f->name), f->expected);
    *x = y;
    return SLIP_OK;
}

slip_status slip_scene_fields(slip_urdf_reader *r, const scene_field *fields, int n, void *base)
{
    slip_status s = SLIP_OK;
    int i;

    for (i = 0; i < n && s == SLIP_OK; ++i) {
        const scene_field *f = &fields[i];
        void *at = (char *)base + f->offset;

        switch (f->kind) {
        case SCENE_REAL: s = scene_real_field(r, f, (slip_real *)at); break;
        case SCENE_INT:  s = slip_scene_int(r, f->name, (int)f->lo, (int)f->hi, (int *)at, NULL); break;
        case SCENE_BOOL: s = slip_scene_word(r, f->name, "false true", (int *)at, NULL); break;
        default:         s = slip_scene_word(r, f->name, f->words, (int *)at, NULL); break;
        }
    }
    return s;
}

#define SCENE_MODERATE 0, 1e9, NULL, "a number that is not negative, at most 1e9"
#define SCENE_SOFT 0, (double)SLIP_MOST_STIFFNESS, NULL, "a number that is not negative, at most 1e12"
#define SCENE_ROLLING 0, (double)SLIP_MOST_ROLLING, NULL, "a number that is not negative, at most 1000 m"
#define SCENE_SHARE 0, 1, NULL, "a number from 0 to 1"
#define SCENE_PART 1e-4, 0.9999, NULL, "a number from 1e-4 to 0.9999"
#define SCENE_ABOVE 1e-4, 1e9, NULL, "a number from 1e-4 to 1e9"
#define SCENE_TRUTH 0, 0, NULL, NULL
#define SCENE_COUNT(least, most) least, most, NULL, NULL

slip_status slip_scene_material_fields(slip_urdf_reader *r, slip_material *m)
{
    static const scene_field fields[] = {
        { "friction", SCENE_REAL, offsetof(slip_material, friction), 0, (double)SLIP_MOST_FRICTION, NULL,
          "a number that is not negative, at most 1e6" },
        { "restitution", SCENE_REAL, offsetof(slip_material, restitution), SCENE_SHARE },
        { "stiffness", SCENE_REAL, offsetof(slip_material, stiffness), SCENE_SOFT },
        { "damping", SCENE_REAL, offsetof(slip_material, damping), SCENE_SOFT },
        { "tangent_stiffness", SCENE_REAL, offsetof(slip_material, tangent_stiffness), SCENE_SOFT },
        { "tangent_damping", SCENE_REAL, offsetof(slip_material, tangent_damping), SCENE_SOFT },
        { "torsion", SCENE_REAL, offsetof(slip_material, torsion), SCENE_ROLLING },
        { "rolling", SCENE_REAL, offsetof(slip_material, rolling), SCENE_ROLLING },
        { "time_constant", SCENE_REAL, offsetof(slip_material, time_constant), SCENE_MODERATE },
        { "damping_ratio", SCENE_REAL, offsetof(slip_material, damping_ratio), SCENE_ABOVE },
        { "d_min", SCENE_REAL, offsetof(slip_material, d_min), SCENE_PART },
        { "d_max", SCENE_REAL, offsetof(slip_material, d_max), SCENE_PART },
        { "width", SCENE_REAL, offsetof(slip_material, width), SCENE_MODERATE } };

    return slip_scene_fields(r, fields, (int)(sizeof fields/sizeof *fields), m);
}

#define SCENE_LENGTH(table) ((int)(sizeof (table)/sizeof *(table)))

static const scene_field scene_simulation[] = {
    { "dt", SCENE_REAL, offsetof(slip_world_options, dt), 0.999e-9, 10, NULL,
      "a positive number from 1e-9 to 10 s" },
    { "margin", SCENE_REAL, offsetof(slip_world_options, margin), SCENE_MODERATE },
    { "slop", SCENE_REAL, offsetof(slip_world_options, slop), SCENE_MODERATE },
    { "ring", SCENE_REAL, offsetof(slip_world_options, ring), SCENE_MODERATE },
    { "integrator", SCENE_WORD, offsetof(slip_world_options, integrator), 0, 0, "midpoint euler fourth", NULL },
    { "sleep", SCENE_REAL, offsetof(slip_world_options, sleep), SCENE_MODERATE },
    { "sleep_time", SCENE_REAL, offsetof(slip_world_options, sleep_time), SCENE_MODERATE },
    { "erp", SCENE_REAL, offsetof(slip_world_options, erp), SCENE_SHARE },
    { "max_push", SCENE_REAL, offsetof(slip_world_options, max_push), SCENE_MODERATE },
    { "max_pull", SCENE_REAL, offsetof(slip_world_options, max_pull), SCENE_MODERATE },
    { "rest_speed", SCENE_REAL, offsetof(slip_world_options, rest_speed), SCENE_MODERATE },
    { "impact", SCENE_WORD, offsetof(slip_world_options, impact), 0, 0, "bounded newton sequential", NULL },
    { "mix", SCENE_WORD, offsetof(slip_world_options, mix), 0, 0, "geometric mean min max product", NULL },
    { "parent_child", SCENE_BOOL, offsetof(slip_world_options, parent_child), SCENE_TRUTH },
    { "self", SCENE_BOOL, offsetof(slip_world_options, self), SCENE_TRUTH },
    { "max_contacts", SCENE_INT, offsetof(slip_world_options, max_contacts), SCENE_COUNT(0, 100000) },
    { "max_pairs", SCENE_INT, offsetof(slip_world_options, max_pairs), SCENE_COUNT(0, 10000000) },
    { "step_iterations", SCENE_INT, offsetof(slip_world_options, step_iterations), SCENE_COUNT(0, 1000000000) },
    { "warm_share", SCENE_REAL, offsetof(slip_world_options, warm_share), SCENE_SHARE },
    { "islands", SCENE_BOOL, offsetof(slip_world_options, islands), SCENE_TRUTH },
    { "reuse", SCENE_REAL, offsetof(slip_world_options, reuse), SCENE_SHARE },
    { "soften", SCENE_BOOL, offsetof(slip_world_options, soften), SCENE_TRUTH },
    { "correct", SCENE_BOOL, offsetof(slip_world_options, correct), SCENE_TRUTH },
    { "exact_mean", SCENE_BOOL, offsetof(slip_world_options, exact_mean), SCENE_TRUTH } };

static const char *scene_simulation_name(int i)
{
    return i < SCENE_LENGTH(scene_simulation) ? scene_simulation[i].name : NULL;
}

/* Warns of attributes that another element would read. */
static slip_status scene_misplaced(slip_urdf_reader *r, const char *(*name)(int i), const char *element)
{
    slip_status s = SLIP_OK;
    int i, k;

    for (i = 0; i < r->xml->nattributes && s == SLIP_OK; ++i) {
        slip_xml_attribute *a = &r->xml->attributes[i];

        for (k = 0; name(k) && !a->read; ++k) {
            if (!slip_xml_slice_is(a->full, name(k))) continue;
            a->read = 1;
            s = slip_urdf_warn(r, a->line, a->column, "attribute %s of <%.*s> ignored; it belongs to <%s>",
                               name(k), slip_xml_shown(r->xml->full), r->xml->full.text, element);
        }
    }
    return s;
}

slip_status slip_scene_read_simulation(slip_urdf_reader *r, void *unused)
{
    static const scene_field whole[] = {
        { "duration", SCENE_REAL, offsetof(slip_scene, duration), 0, 1e6, NULL,
          "a number that is not negative, at most 1e6 s" } };
    scene_reader *scene = scene_of(r);
    slip_status s;
    int found = 0;

    (void)unused;
    s = slip_urdf_reals_within(r, "gravity", 3, SLIP_MOST_SPEED, "m/s^2", scene->out.def.gravity, &found);
    if (s == SLIP_OK) s = slip_scene_fields(r, whole, 1, &scene->out);
    if (s == SLIP_OK)
        s = slip_scene_fields(r, scene_simulation, SCENE_LENGTH(scene_simulation), &scene->out.world.options);
    scene->out.has_max_contacts |= slip_xml_find(r->xml, "max_contacts") != NULL;
    scene->out.has_max_pairs |= slip_xml_find(r->xml, "max_pairs") != NULL;
    if (s == SLIP_OK) s = scene_misplaced(r, slip_solver_option_name, "solver");
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

/* ---- <contact> ---------------------------------------------------------------------------------- */

#define SCENE_LAW(name, kind) { #name, kind, offsetof(slip_contact_law, name),

slip_status slip_scene_read_contact(slip_urdf_reader *r, void *unused)
{
    static const scene_field fields[] = {
        { "law", SCENE_WORD, offsetof(slip_contact_law, kind), 0, 0, "rigid cfm reference relaxation", NULL },
        SCENE_LAW(overlap, SCENE_BOOL) SCENE_TRUTH },
        SCENE_LAW(cfm, SCENE_REAL) SCENE_MODERATE },
        SCENE_LAW(cfm_share, SCENE_REAL) SCENE_MODERATE },
        SCENE_LAW(time_constant, SCENE_REAL) SCENE_MODERATE },
        SCENE_LAW(damping_ratio, SCENE_REAL) SCENE_ABOVE },
        SCENE_LAW(d_min, SCENE_REAL) SCENE_PART },
        SCENE_LAW(d_max, SCENE_REAL) SCENE_PART },
        SCENE_LAW(width, SCENE_REAL) SCENE_MODERATE },
        SCENE_LAW(midpoint, SCENE_REAL) SCENE_PART },
        SCENE_LAW(power, SCENE_REAL) 1, 100, NULL, "a number from 1 to 100" },
        SCENE_LAW(friction_ratio, SCENE_REAL) SCENE_ABOVE },
        SCENE_LAW(stiffness, SCENE_REAL) SCENE_SOFT },
        SCENE_LAW(allowance, SCENE_REAL) 1e-12, 1e9, NULL, "a number from 1e-12 to 1e9 m" },
        SCENE_LAW(relaxation_time, SCENE_REAL) SCENE_MODERATE },
        SCENE_LAW(near_rigid, SCENE_REAL) SCENE_MODERATE },
        SCENE_LAW(stiction, SCENE_REAL) SCENE_MODERATE } };
    slip_status s = slip_scene_fields(r, fields, SCENE_LENGTH(fields), &scene_of(r)->out.world.options.law);

    (void)unused;
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

/* ---- <solver> ----------------------------------------------------------------------------------- */

static slip_status scene_solver_like(slip_urdf_reader *r, slip_world_options *o)
{
    slip_urdf_ref like = { NULL, 0, 0 };
    slip_status s = SLIP_OK;

    if (!slip_xml_find(r->xml, "like")) return SLIP_OK;
    s = slip_urdf_need_text(r, "like", &r->kept, &like);
    if (s < 0) return s;
    if (!slip_world_like(like.name, o))
        return slip_urdf_fail(r, SLIP_ERR_MODEL, like.line, like.column, "like=\"%.*s\", expected one of: %s",
                              slip_urdf_shown(like.name), like.name, slip_solver_engines());
    return SLIP_OK;
}

/* The attributes that are options of solvers. */
static slip_status scene_solver_options(slip_urdf_reader *r, slip_solver_options *o)
{
    slip_error why;
    int i;

    slip_error_clear(&why);
    for (i = 0; i < slip_solver_option_count(); ++i) {
        const slip_xml_attribute *a = slip_xml_find(r->xml, slip_solver_option_name(i));

        if (a && slip_solver_option_set(o, slip_solver_option_name(i), a->value.text, a->value.length, &why) < 0)
            return slip_scene_bad_value(r, a, why.what + strlen("expected "));
    }
    return SLIP_OK;
}

/* Refuses what the solver cannot take; warns of what the scene's own one does not read. */
static slip_status scene_check_solver(slip_urdf_reader *r, const slip_world_options *o)
{
    const slip_solver *other = scene_of(r)->solver, *solver = other ? other : o->solver;
    const slip_xml_attribute *at = slip_xml_find(r->xml, "facets");
    slip_error why;
    slip_status s;
    int i;

    slip_error_clear(&why);
    s = slip_solver_check(solver, &o->solve, &why);
    if (s < 0)
        return slip_urdf_fail(r, SLIP_ERR_MODEL, at ? at->value_line : r->xml->line,
                              at ? at->value_column : r->xml->column, "%s", why.what);
    for (i = 0; i < slip_solver_option_count() && s == SLIP_OK && !other; ++i) {
        const unsigned reads = slip_solver_option_reads(i);

        at = slip_xml_find(r->xml, slip_solver_option_name(i));
        if (at && reads && !(solver->reads & reads))
            s = slip_urdf_warn(r, at->line, at->column, "attribute %s of <solver> has no effect on '%s'",
                               slip_solver_option_name(i), solver->id);
    }
    return s;
}

slip_status slip_scene_read_solver(slip_urdf_reader *r, void *unused)
{
    slip_world_options *o = &scene_of(r)->out.world.options;
    slip_urdf_ref id = { NULL, 0, 0 };
    slip_status s;

    (void)unused;
    s = scene_solver_like(r, o);
    if (s == SLIP_OK && slip_xml_find(r->xml, "id")) {
        s = slip_urdf_need_text(r, "id", &r->kept, &id);
        if (s == SLIP_OK && slip_xml_find(r->xml, "like"))
            s = slip_urdf_fail(r, SLIP_ERR_MODEL, id.line, id.column,
                               "<solver> has both id and like, expected one of them");
        if (s == SLIP_OK) o->solver = slip_registry_find(scene_of(r)->registry, id.name);
        if (s == SLIP_OK && !o->solver)
            s = slip_urdf_fail(r, SLIP_ERR_MODEL, id.line, id.column, "unknown solver '%.*s'; 'slipstick solvers' "
                               "lists the known ones", slip_urdf_shown(id.name), id.name);
    }
    if (s == SLIP_OK) s = scene_solver_options(r, &o->solve);
    if (s == SLIP_OK) s = slip_scene_word(r, "warm_start", "false true", &o->warm_start, NULL);
    scene_of(r)->out.has_barrier |= slip_xml_find(r->xml, "barrier") != NULL;
    if (s == SLIP_OK) s = scene_check_solver(r, o);
    if (s == SLIP_OK) s = scene_misplaced(r, scene_simulation_name, "simulation");
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}
