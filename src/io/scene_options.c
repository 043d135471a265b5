/* Attributes that are fields of a struct, by table: <simulation>, <solver>, surfaces. Every field of
 * slip_world_options and slip_solver_options that a file can give is here. */
#include "io/scene_private.h"

#include <stddef.h>
#include <string.h>

/* ---- single attributes -------------------------------------------------------------------------- */

static slip_status scene_bad_value(slip_urdf_reader *r, const slip_xml_attribute *a, const char *expected)
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
    return scene_bad_value(r, a, expected);
}

/* The place of a word in a list separated by blanks; -1 when it is not there. */
static int scene_word_at(const char *words, slip_xml_slice word)
{
    int i = 0;

    while (*words) {
        const char *end = strchr(words, ' ');
        const int n = end ? (int)(end - words) : (int)strlen(words);

        if (n == word.length && memcmp(words, word.text, (size_t)n) == 0) return i;
        words += n + (end != NULL);
        ++i;
    }
    return -1;
}

slip_status slip_scene_word(slip_urdf_reader *r, const char *attribute, const char *words, int *value, int *found)
{
    const slip_xml_attribute *a = slip_xml_find(r->xml, attribute);
    char expected[160];
    int i;

    if (found) *found = a != NULL;
    if (!a) return SLIP_OK;
    i = scene_word_at(words, a->value);
    if (i >= 0) {
        *value = i;
        return SLIP_OK;
    }
    slip_format(expected, (int)sizeof expected, "one of: %s", words);
    return scene_bad_value(r, a, expected);
}

/* ---- tables ------------------------------------------------------------------------------------- */

static slip_status scene_real_field(slip_urdf_reader *r, const scene_field *f, slip_real *x)
{
    slip_real y = *x;
    int found;
    const slip_status s = slip_urdf_reals(r, f->name, 1, &y, &found);

    if (s < 0 || !found) return s;
    if ((double)y < f->lo || (double)y > f->hi) return scene_bad_value(r, slip_xml_find(r->xml, f->name), f->expected);
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

#define SCENE_BIG 1e300
#define SCENE_TINY 1e-300
#define SCENE_POSITIVE SCENE_TINY, SCENE_BIG, NULL, "a positive number"
#define SCENE_NOT_NEGATIVE 0, SCENE_BIG, NULL, "a number that is not negative"
#define SCENE_MODERATE 0, 1e9, NULL, "a number that is not negative, at most 1e9"
#define SCENE_SOFT 0, (double)SLIP_MOST_STIFFNESS, NULL, "a number that is not negative, at most 1e12"
#define SCENE_SHARE 0, 1, NULL, "a number from 0 to 1"
#define SCENE_PART SCENE_TINY, 1, NULL, "a positive number, at most 1"
#define SCENE_ABOVE_ONE 1.000999, SCENE_BIG, NULL, "a number from 1.001"
#define SCENE_BELOW_TWO 0.000999, 1.999001, NULL, "a number from 0.001 to 1.999"
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
        { "tangent_damping", SCENE_REAL, offsetof(slip_material, tangent_damping), SCENE_SOFT } };

    return slip_scene_fields(r, fields, (int)(sizeof fields/sizeof *fields), m);
}

#define SCENE_LENGTH(table) ((int)(sizeof table/sizeof *table))

static const scene_field scene_simulation[] = {
    { "dt", SCENE_REAL, offsetof(slip_world_options, dt), 0.999e-9, 10, NULL,
      "a positive number from 1e-9 to 10 s" },
    { "margin", SCENE_REAL, offsetof(slip_world_options, margin), SCENE_MODERATE },
    { "slop", SCENE_REAL, offsetof(slip_world_options, slop), SCENE_MODERATE },
    { "ring", SCENE_REAL, offsetof(slip_world_options, ring), SCENE_MODERATE },
    { "midway", SCENE_REAL, offsetof(slip_world_options, midway), SCENE_MODERATE },
    { "sleep", SCENE_REAL, offsetof(slip_world_options, sleep), SCENE_MODERATE },
    { "sleep_time", SCENE_REAL, offsetof(slip_world_options, sleep_time), SCENE_MODERATE },
    { "erp", SCENE_REAL, offsetof(slip_world_options, erp), SCENE_SHARE },
    { "max_push", SCENE_REAL, offsetof(slip_world_options, max_push), SCENE_MODERATE },
    { "max_pull", SCENE_REAL, offsetof(slip_world_options, max_pull), SCENE_MODERATE },
    { "rest_speed", SCENE_REAL, offsetof(slip_world_options, rest_speed), SCENE_MODERATE },
    { "mix", SCENE_WORD, offsetof(slip_world_options, mix), 0, 0, "geometric mean min max product", NULL },
    { "parent_child", SCENE_BOOL, offsetof(slip_world_options, parent_child), SCENE_TRUTH },
    { "self", SCENE_BOOL, offsetof(slip_world_options, self), SCENE_TRUTH },
    { "max_contacts", SCENE_INT, offsetof(slip_world_options, max_contacts), SCENE_COUNT(0, 100000) },
    { "max_pairs", SCENE_INT, offsetof(slip_world_options, max_pairs), SCENE_COUNT(0, 10000000) },
    { "islands", SCENE_BOOL, offsetof(slip_world_options, islands), SCENE_TRUTH } };

static const scene_field scene_solver[] = {
    { "tol", SCENE_REAL, offsetof(slip_solver_options, tol), SCENE_POSITIVE },
    { "tol_rule", SCENE_WORD, offsetof(slip_solver_options, tol_rule), 0, 0, "auto absolute relative both", NULL },
    { "max_iterations", SCENE_INT, offsetof(slip_solver_options, max_iterations), SCENE_COUNT(0, 1000000000) },
    { "relaxation", SCENE_REAL, offsetof(slip_solver_options, relaxation), SCENE_BELOW_TWO },
    { "step", SCENE_WORD, offsetof(slip_solver_options, step), 0, 0, "block max min", NULL },
    { "alpha", SCENE_REAL, offsetof(slip_solver_options, alpha), SCENE_POSITIVE },
    { "alpha_decay", SCENE_REAL, offsetof(slip_solver_options, alpha_decay), SCENE_PART },
    { "alpha_min", SCENE_REAL, offsetof(slip_solver_options, alpha_min), SCENE_POSITIVE },
    { "rho_rule", SCENE_WORD, offsetof(slip_solver_options, rho_rule), 0, 0, "spectral linear fixed", NULL },
    { "rho", SCENE_REAL, offsetof(slip_solver_options, rho), SCENE_NOT_NEGATIVE },
    { "rho_tube", SCENE_REAL, offsetof(slip_solver_options, rho_tube), SCENE_ABOVE_ONE },
    { "rho_power", SCENE_REAL, offsetof(slip_solver_options, rho_power), SCENE_PART },
    { "rho_factor", SCENE_REAL, offsetof(slip_solver_options, rho_factor), SCENE_ABOVE_ONE },
    { "rho_every", SCENE_INT, offsetof(slip_solver_options, rho_every), SCENE_COUNT(0, 1000000) },
    { "over_relaxation", SCENE_REAL, offsetof(slip_solver_options, over_relaxation), SCENE_BELOW_TWO },
    { "eta", SCENE_REAL, offsetof(slip_solver_options, eta), SCENE_POSITIVE },
    { "facets", SCENE_INT, offsetof(slip_solver_options, facets), SCENE_COUNT(4, 64) },
    { "regularization", SCENE_REAL, offsetof(slip_solver_options, regularization), SCENE_NOT_NEGATIVE },
    { "barrier", SCENE_REAL, offsetof(slip_solver_options, barrier), SCENE_POSITIVE },
    { "elastic", SCENE_REAL, offsetof(slip_solver_options, elastic), SCENE_POSITIVE },
    { "barrier_final", SCENE_REAL, offsetof(slip_solver_options, barrier_final), SCENE_NOT_NEGATIVE } };

/* Warns of attributes that another element would read. */
static slip_status scene_misplaced(slip_urdf_reader *r, const scene_field *fields, int n, const char *element)
{
    slip_status s = SLIP_OK;
    int i, k;

    for (i = 0; i < r->xml->nattributes && s == SLIP_OK; ++i) {
        slip_xml_attribute *a = &r->xml->attributes[i];

        for (k = 0; k < n && !a->read; ++k) {
            if (!slip_xml_slice_is(a->full, fields[k].name)) continue;
            a->read = 1;
            s = slip_urdf_warn(r, a->line, a->column, "attribute %s of <%.*s> ignored; it belongs to <%s>",
                               fields[k].name, slip_xml_shown(r->xml->full), r->xml->full.text, element);
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
    if (s == SLIP_OK) s = scene_misplaced(r, scene_solver, SCENE_LENGTH(scene_solver), "solver");
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}

/* ---- <solver> ----------------------------------------------------------------------------------- */

/* Every id of a chain "ncp-admm,ncp-pgs" is one of the registry's. */
static slip_status scene_check_chain(slip_urdf_reader *r, const slip_urdf_ref *chain)
{
    const char *at = chain->name;

    while (*at) {
        const char *end = strchr(at, ',');
        const int n = end ? (int)(end - at) : (int)strlen(at);
        int i;

        for (i = 0; i < slip_solver_count(); ++i)
            if (slip_text_equal_n(at, n, slip_solver_get(i)->id)) break;
        if (i == slip_solver_count())
            return slip_urdf_fail(r, SLIP_ERR_MODEL, chain->line, chain->column + (int)(at - chain->name),
                                  "unknown solver '%.*s'; 'slipstick solvers' lists the known ones", n, at);
        if (end && !end[1])
            return slip_urdf_fail(r, SLIP_ERR_MODEL, chain->line, chain->column + (int)(end - chain->name),
                                  "a solver is missing behind the comma");
        at += n + (end != NULL);
    }
    return SLIP_OK;
}

static slip_status scene_solver_like(slip_urdf_reader *r, slip_world_options *o)
{
    slip_urdf_ref like = { NULL, 0, 0 };
    const slip_solver *found;
    slip_status s = SLIP_OK;

    if (!slip_xml_find(r->xml, "like")) return SLIP_OK;
    s = slip_urdf_need_text(r, "like", &r->kept, &like);
    if (s < 0) return s;
    found = slip_solver_like(like.name, &o->solve);
    if (!found)
        return slip_urdf_fail(r, SLIP_ERR_MODEL, like.line, like.column, "like=\"%.*s\", expected ode, bullet, physx, "
                              "dart, mujoco, drake, raisim, dojo, simple or chrono", slip_urdf_shown(like.name),
                              like.name);
    o->solver = found->id;
    return SLIP_OK;
}

/* Refuses what the solver cannot take; warns of what the scene's own one does not read. */
static slip_status scene_check_solver(slip_urdf_reader *r, const slip_world_options *o)
{
    static const struct { const char *name; unsigned reads; } of[] = {
        { "relaxation", SLIP_READS_RELAXATION }, { "step", SLIP_READS_STEP }, { "alpha", SLIP_READS_ALPHA },
        { "alpha_decay", SLIP_READS_ALPHA }, { "alpha_min", SLIP_READS_ALPHA }, { "rho_rule", SLIP_READS_RHO },
        { "rho", SLIP_READS_RHO }, { "rho_tube", SLIP_READS_RHO }, { "rho_power", SLIP_READS_RHO },
        { "rho_factor", SLIP_READS_RHO }, { "rho_every", SLIP_READS_RHO }, { "over_relaxation", SLIP_READS_RHO },
        { "eta", SLIP_READS_RHO }, { "facets", SLIP_READS_FACETS }, { "regularization", SLIP_READS_REGULARIZATION },
        { "barrier", SLIP_READS_BARRIER }, { "elastic", SLIP_READS_BARRIER },
        { "barrier_final", SLIP_READS_BARRIER_FINAL } };
    const char *other = scene_of(r)->solver, *chain = other ? other : o->solver ? o->solver : "default";
    const unsigned reads = slip_solver_reads(chain);
    const slip_xml_attribute *at = slip_xml_find(r->xml, "facets");
    slip_error why;
    slip_status s;
    int i;

    slip_error_clear(&why);
    s = slip_solver_check(chain, &o->solve, &why);
    if (s < 0)
        return slip_urdf_fail(r, SLIP_ERR_MODEL, at ? at->value_line : r->xml->line,
                              at ? at->value_column : r->xml->column, "%s", why.what);
    for (i = 0; i < SCENE_LENGTH(of) && s == SLIP_OK && !other; ++i) {
        at = slip_xml_find(r->xml, of[i].name);
        if (at && !(reads & of[i].reads))
            s = slip_urdf_warn(r, at->line, at->column, "attribute %s of <solver> has no effect on '%s'", of[i].name,
                               chain);
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
        if (s == SLIP_OK) s = scene_check_chain(r, &id);
        if (s == SLIP_OK) o->solver = id.name;
    }
    if (s == SLIP_OK) s = slip_scene_fields(r, scene_solver, SCENE_LENGTH(scene_solver), &o->solve);
    scene_of(r)->out.has_barrier |= slip_xml_find(r->xml, "barrier") != NULL;
    if (s == SLIP_OK) s = scene_check_solver(r, o);
    if (s == SLIP_OK) s = scene_misplaced(r, scene_simulation, SCENE_LENGTH(scene_simulation), "simulation");
    return s < 0 ? s : slip_urdf_children(r, NULL, 0, NULL);
}
