/* Elements and attributes of a URDF, shared by the files about links, joints and shapes. Elements and attributes that
 * were not read are warned of here. */
#include "io/urdf_private.h"

#include <string.h>

/* ---- messages --------------------------------------------------------------------------------- */

int slip_urdf_shown(const char *name)
{
    slip_xml_slice s;
    const char *end = (const char *)memchr(name, '\0', 64);

    s.text = name;
    s.length = end ? (int)(end - name) : 64;
    return slip_xml_shown(s);
}

/* Puts the owner's kind and name before a message. */
static void urdf_message(const slip_urdf_reader *r, char *out, int size, const char *format, va_list args)
{
    int n = 0;

    if (r->kind) n = slip_format(out, size, "%s '%.*s': ", r->kind, slip_urdf_shown(r->owner), r->owner);
    slip_format_list(out + n, size - n, format, args);
}

slip_status slip_urdf_fail(slip_urdf_reader *r, slip_status status, int line, int column, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    urdf_message(r, text, (int)sizeof text, format, args);
    va_end(args);
    return slip_fail(r->err, status, line, column, "%s", text);
}

slip_status slip_urdf_warn(slip_urdf_reader *r, int line, int column, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    urdf_message(r, text, (int)sizeof text, format, args);
    va_end(args);
    return slip_warn(r->report, r->err, line, column, "%s", text);
}

/* ---- elements --------------------------------------------------------------------------------- */

enum { URDF_LIST_SIZE = 120 };        /* bytes of attribute names in one warning */

/* Warns of the unread attributes from `i` on that stand on one line; returns the next index. */
static slip_status urdf_warn_attributes(slip_urdf_reader *r, int *i)
{
    slip_xml *x = r->xml;
    const slip_xml_attribute *first = &x->attributes[*i];
    char list[URDF_LIST_SIZE];
    int n = 0, count = 0;

    for (; *i < x->nattributes; ++*i) {
        const slip_xml_attribute *a = &x->attributes[*i];
        const int shown = slip_xml_shown(a->full);

        if (a->read) continue;
        if (a->line != first->line || n + shown + 3 > URDF_LIST_SIZE) break;
        n += slip_format(list + n, URDF_LIST_SIZE - n, "%s%.*s", count++ ? ", " : "", shown, a->full.text);
    }
    return slip_urdf_warn(r, first->line, first->column, "%s %s of <%.*s> ignored%s%s%s",
                          count > 1 ? "attributes" : "attribute", list, slip_xml_shown(x->full), x->full.text,
                          first->meant ? "; did you mean " : "", first->meant ? first->meant : "", first->meant ? "?"
                          : "");
}

static slip_status urdf_unread_attributes(slip_urdf_reader *r)
{
    slip_status s = SLIP_OK;
    int i = 0;

    while (s == SLIP_OK && i < r->xml->nattributes) {
        if (r->xml->attributes[i].read) ++i;
        else s = urdf_warn_attributes(r, &i);
    }
    return s;
}

/* `meant`: the element this one may stand for, or NULL. */
static slip_status urdf_skip(slip_urdf_reader *r, const char *why, const char *meant)
{
    const slip_xml *x = r->xml;
    const slip_xml_slice parent = x->open[x->depth - 2].name;  /* there is one: this is never the root */
    const slip_status s = slip_urdf_warn(r, x->line, x->column, "%s <%.*s> in <%.*s> ignored%s%s%s", why,
                                         slip_xml_shown(x->full), x->full.text, slip_xml_shown(parent), parent.text,
                                         meant ? "; did you mean <" : "", meant ? meant : "", meant ? ">?" : "");

    return s < 0 ? s : slip_xml_skip(r->xml, r->err);
}

/* The START of a child: hands it to its reader. */
static slip_status urdf_child(slip_urdf_reader *r, const slip_urdf_tag *tags, int ntags, unsigned *seen, void *target)
{
    const slip_xml *x = r->xml;
    const char *meant = NULL;
    int i;

    if (slip_xml_slice_is(slip_xml_prefix(x), "xacro"))
        return slip_urdf_fail(r, SLIP_ERR_UNSUPPORTED, x->line, x->column,
                              "<%.*s> is not expanded: this is xacro, not URDF; make one of it by 'xacro FILE > "
                              "NEW.urdf'", slip_xml_shown(x->full), x->full.text);
    for (i = 0; i < ntags; ++i) {
        if (tags[i].read && slip_xml_is_misspelt(x->name, tags[i].name)) meant = tags[i].name;
        if (!slip_xml_is(x, tags[i].name)) continue;
        if (!tags[i].read) return urdf_skip(r, "not simulated:", NULL);
        if (*seen & 1U << i && !tags[i].many) return urdf_skip(r, "repeated", NULL);
        *seen |= 1U << i;
        return tags[i].read(r, target);
    }
    return urdf_skip(r, "unknown element", meant);
}

slip_status slip_urdf_children(slip_urdf_reader *r, const slip_urdf_tag *tags, int ntags, void *target)
{
    slip_xml *x = r->xml;
    const int depth = x->depth;
    unsigned seen = 0;
    slip_status s = urdf_unread_attributes(r);

    while (s == SLIP_OK) {
        s = slip_xml_next(x, r->err);
        if (s < 0) return s;
        if (x->event == SLIP_XML_START)    s = urdf_child(r, tags, ntags, &seen, target);
        else if (x->event == SLIP_XML_END) return x->depth < depth ? SLIP_OK : SLIP_ERR_PARSE;
        else s = slip_urdf_warn(r, x->line, x->column, "text '%.*s' ignored", slip_xml_shown(x->text), x->text.text);
    }
    return s;
}

/* ---- attributes ------------------------------------------------------------------------------- */

/* The attribute, found empty or not; *a is NULL when it is absent. Refuses unexpanded xacro expressions. */
static slip_status urdf_attribute(slip_urdf_reader *r, const char *name, slip_xml_attribute **a)
{
    int i, line, column;

    *a = slip_xml_find(r->xml, name);
    if (!*a) return SLIP_OK;
    for (i = 0; i + 1 < (*a)->value.length; ++i) {
        const char *c = (*a)->value.text + i;

        if (c[0] != '$' || (c[1] != '{' && c[1] != '(')) continue;
        slip_xml_value_place(*a, i, &line, &column);
        return slip_urdf_fail(r, SLIP_ERR_UNSUPPORTED, line, column,
                              "%s=\"%.*s\" is not expanded: this is xacro, not URDF; make one of it by 'xacro FILE > "
                              "NEW.urdf'", name, slip_xml_shown((*a)->value), (*a)->value.text);
    }
    return SLIP_OK;
}

static slip_status urdf_missing(slip_urdf_reader *r, const char *name)
{
    const slip_xml *x = r->xml;

    return slip_urdf_fail(r, SLIP_ERR_PARSE, x->line, x->column, "<%.*s> needs the attribute '%s'",
                          slip_xml_shown(x->full), x->full.text, name);
}

/* Points at the word of a value that is no number, or not one that fits. */
static slip_status urdf_bad_number(slip_urdf_reader *r, const slip_xml_attribute *a, int at, const char *fault)
{
    slip_xml_slice word;
    int line, column;

    word.text = a->value.text + at;
    word.length = 0;
    while (word.length < a->value.length - at && !slip_is_blank(word.text[word.length])) ++word.length;
    slip_xml_value_place(a, at, &line, &column);
    return slip_urdf_fail(r, SLIP_ERR_PARSE, line, column,
                          "'%.*s' in attribute '%.*s' of <%.*s> is %s",
                          slip_xml_shown(word), word.text, slip_xml_shown(a->full), a->full.text,
                          slip_xml_shown(r->xml->full), r->xml->full.text, fault);
}

static slip_status urdf_bad_count(slip_urdf_reader *r, const slip_xml_attribute *a, int want, int count)
{
    return slip_urdf_fail(r, SLIP_ERR_PARSE, a->value_line, a->value_column,
                          "attribute %.*s=\"%.*s\" of <%.*s> holds %d numbers, expected %d", slip_xml_shown(a->full),
                          a->full.text, slip_xml_shown(a->value), a->value.text, slip_xml_shown(r->xml->full),
                          r->xml->full.text, count, want);
}

enum { URDF_CODED_SIZE = 512 };       /* bytes of a list of numbers that is written with references or commas */

/* A value's text as numbers separated by blanks: in `coded` where it is not that as it stands. */
static slip_status urdf_plain_numbers(slip_urdf_reader *r, const slip_xml_attribute *a, char *coded,
                                      slip_xml_slice *text, int *commas)
{
    int i;

    *commas = 0;
    *text = a->value;
    if (text->length > URDF_CODED_SIZE) return SLIP_OK;
    if (memchr(text->text, '&', (size_t)text->length)) {
        text->length = slip_xml_decode(*text, 1, coded);
        text->text = coded;
    }
    if (!r->lenient || !memchr(text->text, ',', (size_t)text->length)) return SLIP_OK;
    memmove(coded, text->text, (size_t)text->length);
    text->text = coded;
    for (i = 0; i < text->length; ++i)
        if (coded[i] == ',') {
            coded[i] = ' ';
            ++*commas;
        }
    return slip_urdf_warn(r, a->value_line, a->value_column, "%s in %.*s=\"%.*s\" taken as %s",
                          *commas > 1 ? "commas" : "comma", slip_xml_shown(a->full), a->full.text,
                          slip_xml_shown(a->value), a->value.text, *commas > 1 ? "blanks" : "a blank");
}

slip_status slip_urdf_reals(slip_urdf_reader *r, const char *attribute, int n, slip_real *x, int *found)
{
    slip_xml_attribute *a;
    slip_xml_slice text;
    slip_real value[6];
    char coded[URDF_CODED_SIZE];
    int count, commas, at = 0;
    slip_status s = urdf_attribute(r, attribute, &a);

    if (s < 0) return s;
    if (found) *found = a != NULL;
    if (!a) return found ? SLIP_OK : urdf_missing(r, attribute);
    s = urdf_plain_numbers(r, a, coded, &text, &commas);
    if (s < 0) return s;
    if (commas && n == 1) return urdf_bad_number(r, a, 0, "not a number: write a point for a decimal comma");
    count = slip_read_reals(text.text, text.length, value, n < 6 ? n : 6, &at);
    if (count < 0)  return urdf_bad_number(r, a, text.text == coded ? 0 : at, "not a finite number");
    if (count > n && r->lenient && !commas)
        s = slip_urdf_warn(r, a->value_line, a->value_column, "%.*s=\"%.*s\" holds %d numbers, expected %d: the rest "
                           "is ignored", slip_xml_shown(a->full), a->full.text, slip_xml_shown(a->value), a->value.text,
                           count, n);
    else if (count != n) return urdf_bad_count(r, a, n, count);
    if (s >= 0) memcpy(x, value, (size_t)n*sizeof *x);
    return s;
}

int slip_urdf_count(slip_urdf_reader *r, const char *attribute)
{
    const slip_xml_attribute *a = slip_xml_find(r->xml, attribute);

    return a ? slip_read_reals(a->value.text, a->value.length, NULL, 0, NULL) : 0;
}

/* Offset of word i of a value. */
static int urdf_word_at(slip_xml_slice value, int i)
{
    int at = 0;

    for (;; --i) {
        while (at < value.length && slip_is_blank(value.text[at])) ++at;
        if (i == 0) return at;
        while (at < value.length && !slip_is_blank(value.text[at])) ++at;
    }
}

slip_status slip_urdf_reals_within(slip_urdf_reader *r, const char *attribute, int n, slip_real most, const char *unit,
                                   slip_real *x, int *found)
{
    slip_real value[6];
    char fault[80];
    int i, at, given = 0;
    const slip_status s = slip_urdf_reals(r, attribute, n, value, found ? &given : NULL);

    if (found) *found = given;
    else given = 1;
    if (s < 0 || !given) return s;
    for (i = 0; i < n; ++i) {
        const slip_xml_attribute *a = slip_xml_find(r->xml, attribute);

        if (slip_abs(value[i]) <= most) continue;
        slip_format(fault, (int)sizeof fault, "too large, expected at most %.3g%s%s", (double)most, *unit ? " " : "",
                    unit);
        at = memchr(a->value.text, '&', (size_t)a->value.length) ? 0 : urdf_word_at(a->value, i);
        return urdf_bad_number(r, a, at, fault);
    }
    memcpy(x, value, (size_t)n*sizeof *x);
    return s;
}

slip_status slip_urdf_list(slip_urdf_reader *r, const char *attribute, slip_real most, const char *unit,
                           slip_arena *mem, const slip_real **list, int *n)
{
    slip_xml_attribute *a;
    slip_real *x;
    char fault[80];
    int i, at = 0;
    const slip_status s = urdf_attribute(r, attribute, &a);

    if (s < 0) return s;
    if (!a) return urdf_missing(r, attribute);
    *n = slip_read_reals(a->value.text, a->value.length, NULL, 0, NULL);     /* how many */
    x = slip_arena_reals(mem, (size_t)*n);
    if (!x) return slip_fail(r->err, SLIP_ERR_WORKSPACE, 0, 0, "no room for %d numbers", *n);
    if (slip_read_reals(a->value.text, a->value.length, x, *n, &at) < 0)
        return urdf_bad_number(r, a, at, "not a finite number");
    for (i = 0; i < *n; ++i) {
        if (slip_abs(x[i]) <= most) continue;
        slip_format(fault, (int)sizeof fault, "too large, expected at most %.3g %s", (double)most, unit);
        return urdf_bad_number(r, a, urdf_word_at(a->value, i), fault);
    }
    *list = x;
    return SLIP_OK;
}

slip_status slip_urdf_bad_entry(slip_urdf_reader *r, const char *attribute, int i, const char *fault)
{
    const slip_xml_attribute *a = slip_xml_find(r->xml, attribute);

    return urdf_bad_number(r, a, urdf_word_at(a->value, i), fault);
}

/* Decodes a value into a pool, terminated. The counting pass has made the room. */
static slip_status urdf_keep(slip_urdf_reader *r, slip_xml_slice raw, slip_urdf_pool *pool, const char **text)
{
    int n;

    if ((size_t)raw.length + 1 > pool->left) return slip_fail(r->err, SLIP_ERR_WORKSPACE, 0, 0, "no room for a name");
    n = slip_xml_decode(raw, 1, pool->at);
    pool->at[n] = '\0';
    *text = pool->at;
    pool->at += n + 1;
    pool->left -= (size_t)n + 1;
    return SLIP_OK;
}

slip_status slip_urdf_text(slip_urdf_reader *r, const char *attribute, slip_urdf_pool *pool, const char **text)
{
    slip_xml_attribute *a;
    const slip_status s = urdf_attribute(r, attribute, &a);

    if (s < 0) return s;
    *text = "";
    return a ? urdf_keep(r, a->value, pool, text) : SLIP_OK;
}

slip_status slip_urdf_need_text(slip_urdf_reader *r, const char *attribute, slip_urdf_pool *pool, slip_urdf_ref *ref)
{
    slip_xml_attribute *a;
    const slip_status s = urdf_attribute(r, attribute, &a);

    if (s < 0) return s;
    if (!a) return urdf_missing(r, attribute);
    if (a->value.length == 0)
        return slip_urdf_fail(r, SLIP_ERR_PARSE, a->value_line, a->value_column, "attribute '%s' of <%.*s> is empty",
                              attribute, slip_xml_shown(r->xml->full), r->xml->full.text);
    ref->line = a->value_line;
    ref->column = a->value_column;
    return urdf_keep(r, a->value, pool, &ref->name);
}

/* ---- <origin> --------------------------------------------------------------------------------- */

/* A quaternion's rotation; its length may be off by rounding to a few digits. */
static slip_status urdf_turn(slip_urdf_reader *r, const slip_real quat[4], slip_real R[9])
{
    const slip_xml *x = r->xml;
    slip_real unit[4];
    const slip_real length = slip_quat_normalize(quat, unit);
    slip_status s = SLIP_OK;

    if (!(length > 0) || !slip_is_finite(length))
        return slip_urdf_fail(r, SLIP_ERR_MODEL, x->line, x->column, "quat_xyzw=\"%g %g %g %g\" is no rotation",
                              (double)quat[0], (double)quat[1], (double)quat[2], (double)quat[3]);
    if (slip_abs(length - 1) > SLIP_R(1e-3))
        s = slip_urdf_warn(r, x->line, x->column, "quat_xyzw has length %.6g instead of 1; normalised", (double)length);
    slip_quat_to_mat3(unit, R);
    return s;
}

slip_status slip_urdf_read_origin(slip_urdf_reader *r, void *pose)
{
    slip_pose *X = (slip_pose *)pose;
    slip_real rpy[3], quat[4];
    int has_rpy = 0, has_quat = 0;
    slip_status s = slip_urdf_reals_within(r, "xyz", 3, SLIP_MOST_LENGTH, "m", X->p, &has_rpy);

    if (s == SLIP_OK) s = slip_urdf_reals(r, "rpy", 3, rpy, &has_rpy);
    if (s == SLIP_OK) s = slip_urdf_reals(r, "quat_xyzw", 4, quat, &has_quat);
    if (s < 0) return s;
    if (has_rpy && has_quat)
        return slip_urdf_fail(r, SLIP_ERR_MODEL, r->xml->line, r->xml->column,
                              "<origin> has both rpy and quat_xyzw, expected one of them");
    if (has_rpy) slip_mat3_from_rpy(rpy, X->R);
    if (has_quat && (s = urdf_turn(r, quat, X->R)) < 0) return s;
    return slip_urdf_children(r, NULL, 0, NULL);
}
