/* See srdf.h. The text is read twice: once to count the pairs and check everything, once to keep the names. */
#include "io/srdf.h"

#include <string.h>
#include "io/file.h"
#include "io/xml.h"

typedef struct {
    slip_xml *xml;
    slip_arena *mem;
    slip_srdf *out;          /* pairs is NULL while counting */
    slip_report *report;     /* NULL on the second run       */
    slip_error *err;
} srdf_reader;

/* A decoded, terminated copy of an attribute that must be there; NULL with err filled. */
static const char *srdf_name(srdf_reader *r, const char *which)
{
    slip_xml_attribute *a = slip_xml_find(r->xml, which);
    char *copy;

    if (!a || a->value.length == 0) {
        slip_fail(r->err, SLIP_ERR_PARSE, r->xml->line, r->xml->column, "<disable_collisions> without %s", which);
        return NULL;
    }
    if (!r->out->pairs) return "";
    copy = slip_arena_text(r->mem, a->value.text, (size_t)a->value.length);
    if (!copy) {
        slip_fail(r->err, SLIP_ERR_WORKSPACE, 0, 0, "the names of links do not fit the arena");
        return NULL;
    }
    copy[slip_xml_decode(a->value, 1, copy)] = '\0';
    return copy;
}

static slip_status srdf_pair(srdf_reader *r)
{
    slip_srdf_pair p;

    p.line = r->xml->line;
    p.a = srdf_name(r, "link1");
    p.b = p.a ? srdf_name(r, "link2") : NULL;
    if (!p.a || !p.b) return r->err->status;
    if (r->out->pairs) r->out->pairs[r->out->npairs] = p;
    ++r->out->npairs;
    return SLIP_OK;
}

/* One child of <robot>, at its start tag; leaves the reader at its end tag. */
static slip_status srdf_element(srdf_reader *r)
{
    slip_status s = SLIP_OK;

    if (slip_xml_is(r->xml, "disable_collisions")) {
        s = srdf_pair(r);
    } else if (slip_xml_is(r->xml, "enable_collisions") || slip_xml_is(r->xml, "disable_default_collisions")) {
        s = slip_warn(r->report, r->err, r->xml->line, r->xml->column, "<%.*s> is ignored", r->xml->name.length,
                      r->xml->name.text);
    }
    return s < 0 ? s : slip_xml_skip(r->xml, r->err);
}

static slip_status srdf_scan(srdf_reader *r, const char *text, size_t length)
{
    slip_status s = slip_xml_begin(r->xml, text, length, r->err);

    r->out->npairs = 0;
    if (s == SLIP_OK) s = slip_xml_next(r->xml, r->err);
    if (s < 0) return s;
    if (r->xml->event != SLIP_XML_START || !slip_xml_is(r->xml, "robot"))
        return slip_fail(r->err, SLIP_ERR_MODEL, r->xml->line, r->xml->column, "an SRDF begins with <robot>");
    while ((s = slip_xml_next(r->xml, r->err)) == SLIP_OK && r->xml->event != SLIP_XML_DONE) {
        if (r->xml->event != SLIP_XML_START) continue;
        s = srdf_element(r);
        if (s < 0) return s;
    }
    return s;
}

static slip_status srdf_fill(srdf_reader *r, const char *text, size_t length)
{
    slip_status s;

    r->xml = (slip_xml *)slip_arena_scratch(r->mem, 1, sizeof *r->xml);
    if (!r->xml) return slip_fail(r->err, SLIP_ERR_WORKSPACE, 0, 0, "no room for the XML reader");
    s = srdf_scan(r, text, length);
    if (s < 0) return s;
    r->out->pairs = (slip_srdf_pair *)slip_arena_take(r->mem, (size_t)r->out->npairs, sizeof(slip_srdf_pair));
    if (!r->out->pairs)
        return slip_fail(r->err, SLIP_ERR_WORKSPACE, 0, 0, "%d pairs do not fit the arena", r->out->npairs);
    r->report = NULL;
    return srdf_scan(r, text, length);
}

slip_status slip_srdf_read(const char *text, size_t length, const char *file, slip_arena *mem, slip_srdf *out,
                           slip_report *report, slip_error *err)
{
    const size_t low = slip_arena_mark(mem), high = slip_arena_mark_scratch(mem);
    slip_srdf made = { 0, NULL };
    slip_error spare;
    srdf_reader r;
    slip_status s;

    r.xml = NULL;
    r.mem = mem;
    r.out = &made;
    r.report = report;
    r.err = err ? err : &spare;
    slip_error_clear(r.err);
    slip_error_set_file(r.err, file);
    s = srdf_fill(&r, text, length);
    slip_arena_release_scratch(mem, high);
    if (s < 0) {
        slip_arena_release(mem, low);
        return s;
    }
    *out = made;
    return SLIP_OK;
}

slip_status slip_srdf_load(const char *path, slip_arena *mem, slip_srdf *out, slip_report *report, slip_error *err)
{
    const size_t high = slip_arena_mark_scratch(mem);
    slip_error spare;
    char *text;
    size_t length;
    slip_status s;

    if (!err) err = &spare;
    s = slip_file_read(path, SLIP_XML_MAX_BYTES, mem, &text, &length, err);
    if (s == SLIP_OK) s = slip_srdf_read(text, length, path, mem, out, report, err);
    slip_arena_release_scratch(mem, high);
    return s;
}

slip_status slip_srdf_exclude(const slip_srdf *srdf, int (*link)(void *context, const char *name), void *context,
                              slip_broadphase *bp, slip_report *report, slip_error *err)
{
    int i;

    for (i = 0; i < srdf->npairs; ++i) {
        const slip_srdf_pair *p = &srdf->pairs[i];
        const int a = link(context, p->a), b = link(context, p->b);

        if (a < 0 || b < 0) {
            const slip_status s = slip_warn(report, err, p->line, 0, "<disable_collisions>: there is no link '%s'",
                                            a < 0 ? p->a : p->b);

            if (s < 0) return s;
            continue;
        }
        if (slip_broadphase_exclude(bp, a, b) < 0)
            return slip_fail(err, SLIP_ERR_LIMIT, p->line, 0, "more pairs to exclude than the broad phase has room for"
                             " (pair %d)", i + 1);
    }
    return SLIP_OK;
}
