/* Attributes of MJCF: from the element, else from its class of defaults and the classes above it. */
#include "io/mjcf_private.h"

#include <string.h>

/* ---- classes ------------------------------------------------------------------------------------- */

static int attribute_same(slip_xml_slice a, slip_xml_slice b)
{
    return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
}

slip_status slip_mjcf_find_class(mjcf_reader *r, const slip_xml_attribute *a, int *found)
{
    int i;

    for (i = r->nclasses - 1; i >= 0; --i)
        if (attribute_same(r->classes[i].name, a->value)) {
            *found = i;
            return SLIP_OK;
        }
    return slip_fail(r->u.err, SLIP_ERR_MODEL, a->value_line, a->value_column, "there is no class '%.*s' of defaults",
                     slip_xml_shown(a->value), a->value.text);
}

slip_status slip_mjcf_class(mjcf_reader *r, const char *tag)
{
    const slip_xml_attribute *a = slip_xml_find(r->u.xml, "class");

    r->tag = tag;
    r->class_of = r->body[r->depth].class_of;
    return a ? slip_mjcf_find_class(r, a, &r->class_of) : SLIP_OK;
}

int slip_mjcf_text(mjcf_reader *r, const char *name, slip_xml_slice *value)
{
    const slip_xml_attribute *a = slip_xml_find(r->u.xml, name);
    int c, i;

    if (a) {
        *value = a->value;
        return 1;
    }
    for (c = r->class_of; c >= 0; c = r->classes[c].parent)
        for (i = r->ndefaults - 1; i >= 0; --i) {
            const mjcf_default *d = &r->defaults[i];

            if (d->of != c || !slip_xml_slice_is(d->tag, r->tag) || !slip_xml_slice_is(d->name, name)) continue;
            *value = d->value;
            return 1;
        }
    return 0;
}

int slip_mjcf_is(mjcf_reader *r, const char *name, const char *word)
{
    slip_xml_slice value;

    return slip_mjcf_text(r, name, &value) && slip_xml_slice_is(value, word);
}

/* ---- numbers and names --------------------------------------------------------------------------- */

slip_status slip_mjcf_reals(mjcf_reader *r, const char *name, int n, slip_real *x, int *count)
{
    enum { MOST = 12 };
    slip_real value[MOST];
    slip_xml_slice text;
    int k, at = 0;

    if (count) *count = 0;
    if (!slip_mjcf_text(r, name, &text))
        return count ? SLIP_OK : slip_fail(r->u.err, SLIP_ERR_PARSE, r->u.xml->line, r->u.xml->column,
                                           "<%s> needs the attribute '%s'", r->tag, name);
    k = slip_read_reals(text.text, text.length, value, n < MOST ? n : MOST, &at);
    if (k < 0 || k > n || (!count && k < n))
        return slip_fail(r->u.err, SLIP_ERR_PARSE, r->u.xml->line, r->u.xml->column, "%s=\"%.*s\" of <%s>, expected %d "
                         "finite numbers", name, slip_xml_shown(text), text.text, r->tag, n);
    memcpy(x, value, (size_t)k*sizeof *x);
    if (count) *count = k;
    return SLIP_OK;
}

slip_status slip_mjcf_list(mjcf_reader *r, const char *name, slip_real **x, int *n)
{
    slip_xml_slice text;
    int room;

    *x = NULL;
    *n = 0;
    if (!slip_mjcf_text(r, name, &text)) return SLIP_OK;
    room = slip_read_reals(text.text, text.length, NULL, 0, NULL);     /* counts words */
    *x = slip_arena_reals(r->mem, (size_t)room);
    if (!*x) return slip_fail(r->u.err, SLIP_ERR_WORKSPACE, 0, 0, "robot does not fit into the arena");
    *n = slip_read_reals(text.text, text.length, *x, room, NULL);
    if (*n >= 0) return SLIP_OK;
    return slip_fail(r->u.err, SLIP_ERR_PARSE, r->u.xml->line, r->u.xml->column, "%s of <%s>: word %d is no finite "
                     "number", name, r->tag, -*n);
}

slip_status slip_mjcf_angle(mjcf_reader *r, const char *name, int n, slip_real *x, int *count)
{
    int i, k = 0;
    const slip_status s = slip_mjcf_reals(r, name, n, x, &k);

    for (i = 0; i < k && r->compiler.degrees; ++i) x[i] *= SLIP_PI/180;
    if (count) *count = k;
    return s;
}

const char *slip_mjcf_copy(mjcf_reader *r, slip_xml_slice value)
{
    char *copy = slip_arena_text(r->mem, value.text, (size_t)value.length);

    if (!copy || slip_arena_is_counting(r->mem)) return copy;
    copy[slip_xml_decode(value, 1, copy)] = '\0';
    return copy;
}

const char *slip_mjcf_name(mjcf_reader *r, const char *kind)
{
    const slip_xml_attribute *a = slip_xml_find(r->u.xml, "name");
    char text[40];
    slip_xml_slice made;

    if (a && a->value.length > 0) return slip_mjcf_copy(r, a->value);
    made.text = text;
    made.length = slip_format(text, (int)sizeof text, "%s#%d", kind, ++r->unnamed);
    return slip_mjcf_copy(r, made);
}

/* ---- orientations -------------------------------------------------------------------------------- */

static void attribute_about(const slip_real axis[3], slip_real angle, slip_real R[9])
{
    slip_real u[3], q[4];

    slip_normalize3(axis, u);
    slip_scale3(slip_sin(angle/2), u, q);
    q[3] = slip_cos(angle/2);
    slip_quat_to_mat3(q, R);
}

static void attribute_euler(const char *sequence, const slip_real angle[3], slip_real R[9])
{
    int i;

    slip_mat3_identity(R);
    for (i = 0; i < 3; ++i) {
        const char c = sequence[i];
        const int fixed = c >= 'X' && c <= 'Z';
        slip_real axis[3] = { 0, 0, 0 }, one[9], out[9];

        axis[(c - (fixed ? 'X' : 'x')) % 3] = 1;
        attribute_about(axis, angle[i], one);
        if (fixed) slip_mat3_mul(one, R, out);
        else       slip_mat3_mul(R, one, out);
        memcpy(R, out, sizeof out);
    }
}

/* x along the first, y in the plane of both. */
static void attribute_axes(const slip_real x[6], slip_real R[9])
{
    slip_real u[3], v[3], w[3];
    int i;

    slip_normalize3(x, u);
    slip_cross3(u, x + 3, w);
    slip_normalize3(w, w);
    slip_cross3(w, u, v);
    for (i = 0; i < 3; ++i) {
        R[3*i] = u[i];
        R[3*i + 1] = v[i];
        R[3*i + 2] = w[i];
    }
}

slip_status slip_mjcf_turn(mjcf_reader *r, slip_real R[9], int *found)
{
    slip_real x[6], q[4];
    int n, k;
    slip_status s = slip_mjcf_reals(r, "quat", 4, x, &n);

    *found = n;
    if (s == SLIP_OK && n == 4) {
        slip_quat_from_wxyz(x, q);
        if (!(slip_quat_normalize(q, q) > 0))
            return slip_fail(r->u.err, SLIP_ERR_MODEL, r->u.xml->line, r->u.xml->column, "quat is no rotation");
        slip_quat_to_mat3(q, R);
    }
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "axisangle", 4, x, &k);
    if (s == SLIP_OK && k == 4) attribute_about(x, r->compiler.degrees ? x[3]*SLIP_PI/180 : x[3], R);
    if (s == SLIP_OK && k == 4) *found = k;
    if (s == SLIP_OK) s = slip_mjcf_angle(r, "euler", 3, x, &k);
    if (s == SLIP_OK && k == 3) attribute_euler(r->compiler.euler, x, R);
    if (s == SLIP_OK && k == 3) *found = k;
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "xyaxes", 6, x, &k);
    if (s == SLIP_OK && k == 6) attribute_axes(x, R);
    if (s == SLIP_OK && k == 6) *found = k;
    if (s == SLIP_OK) s = slip_mjcf_reals(r, "zaxis", 3, x, &k);
    if (s == SLIP_OK && k == 3) {
        slip_normalize3(x, x);
        slip_mat3_z_to(x, R);
        *found = k;
    }
    return s;
}

slip_status slip_mjcf_pose(mjcf_reader *r, slip_pose *X)
{
    int n;
    slip_status s;

    slip_pose_identity(X);
    s = slip_mjcf_reals(r, "pos", 3, X->p, &n);
    if (s == SLIP_OK) s = slip_mjcf_turn(r, X->R, &n);
    if (s == SLIP_OK) {
        const slip_pose in_frame = *X;

        slip_pose_mul(&r->body[r->depth].frame, &in_frame, X);
    }
    return s;
}

/* ---- what is not understood ---------------------------------------------------------------------- */

void slip_mjcf_note(mjcf_reader *r, const char *element, slip_xml_slice attribute)
{
    char what[64];
    int i;

    slip_format(what, (int)sizeof what, attribute.length > 0 ? "%.*s of <%s>" : "%.*s<%s>",
                attribute.length > 30 ? 30 : attribute.length, attribute.length > 0 ? attribute.text : "", element);
    for (i = 0; i < r->nnotes && strcmp(r->notes[i].what, what) != 0; ++i) { }
    if (i == MJCF_NOTES) return;
    if (i == r->nnotes) {
        memcpy(r->notes[i].what, what, sizeof what);
        r->notes[i].line = r->u.xml->line;
        r->notes[i].times = 0;
        ++r->nnotes;
    }
    ++r->notes[i].times;
}

void slip_mjcf_unread(mjcf_reader *r)
{
    const slip_xml *x = r->u.xml;
    char tag[32];
    int i;

    slip_format(tag, (int)sizeof tag, "%.*s", x->name.length > 30 ? 30 : x->name.length, x->name.text);
    for (i = 0; i < x->nattributes; ++i)
        if (!x->attributes[i].read) slip_mjcf_note(r, tag, x->attributes[i].full);
}
