/* STL, text and binary. The stored normals are not used: the corners' order tells outside. Binary numbers
 * are little-endian 32-bit floats whatever this machine is. */
#include "io/mesh_private.h"

#include <string.h>

/* ---- text ------------------------------------------------------------------------------------------ */

/* The next word anywhere ahead; its length, 0 at the end of the file. */
static int stl_word(mesh_cursor *c, const char **word)
{
    for (; c->at < c->end && slip_is_blank(*c->at); ++c->at) c->line += *c->at == '\n';
    *word = c->at;
    while (c->at < c->end && !slip_is_blank(*c->at)) ++c->at;
    return (int)(c->at - *word);
}

static void stl_skip_line(mesh_cursor *c)
{
    while (c->at < c->end && *c->at != '\n') ++c->at;
}

static slip_status stl_expect(mesh_cursor *c, const char *wanted, slip_error *err)
{
    const char *word;
    const int n = stl_word(c, &word);

    if (n == 0) return slip_fail(err, SLIP_ERR_PARSE, c->line, 0, "the file ends where '%s' was expected", wanted);
    if (slip_mesh_word_is(word, n, wanted)) return SLIP_OK;
    return slip_fail(err, SLIP_ERR_PARSE, c->line, 0, "'%s' expected, not '%.*s'", wanted, n < 40 ? n : 40, word);
}

static slip_status stl_reals(mesh_cursor *c, slip_real x[3], int must_be_finite, slip_error *err)
{
    const char *word;
    int i;

    for (i = 0; i < 3; ++i) {
        const int n = stl_word(c, &word);

        if (n == 0) return slip_fail(err, SLIP_ERR_PARSE, c->line, 0, "the file ends where a number was expected");
        if (!slip_mesh_word_real(word, n, &x[i]) && (must_be_finite || slip_read_real(word, n, &x[i]) != n))
            return slip_fail(err, SLIP_ERR_PARSE, c->line, 0, "'%.*s' is not a finite number", n < 40 ? n : 40, word);
        if (must_be_finite && slip_abs(x[i]) > MESH_FAR)
            return slip_fail(err, SLIP_ERR_PARSE, c->line, 0, "vertex coordinate '%.*s': at most %g is taken",
                             n < 40 ? n : 40, word, (double)MESH_FAR);
    }
    return SLIP_OK;
}

/* The rest of a facet, after the word "facet". A normal of an empty facet may be NaN: it is not used. */
static slip_status stl_facet(mesh_cursor *c, mesh_sink *sink)
{
    slip_real x[3];
    slip_status s = stl_expect(c, "normal", sink->err);
    int i;

    if (s == SLIP_OK) s = stl_reals(c, x, 0, sink->err);
    if (s == SLIP_OK) s = stl_expect(c, "outer", sink->err);
    if (s == SLIP_OK) s = stl_expect(c, "loop", sink->err);
    for (i = 0; i < 3 && s == SLIP_OK; ++i) {
        s = stl_expect(c, "vertex", sink->err);
        if (s == SLIP_OK) s = stl_reals(c, x, 1, sink->err);
        if (s == SLIP_OK) s = slip_mesh_add_vertex(sink, x);
    }
    if (s == SLIP_OK) s = stl_expect(c, "endloop", sink->err);
    if (s == SLIP_OK) s = stl_expect(c, "endfacet", sink->err);
    if (s == SLIP_OK) s = slip_mesh_add_triangle(sink, sink->mesh->nv - 3, sink->mesh->nv - 2, sink->mesh->nv - 1);
    return s;
}

/* One solid, after the word "solid". Its name is the rest of the line. */
static slip_status stl_solid(mesh_cursor *c, mesh_sink *sink)
{
    const char *word;
    slip_status s;

    ++sink->notes->solids;
    stl_skip_line(c);
    for (;;) {
        const int n = stl_word(c, &word);

        if (n == 0)
            return slip_fail(sink->err, SLIP_ERR_PARSE, c->line, 0, "the file ends inside a solid, without 'endsolid'");
        if (slip_mesh_word_is(word, n, "endsolid")) { stl_skip_line(c);  return SLIP_OK; }
        if (!slip_mesh_word_is(word, n, "facet"))
            return slip_fail(sink->err, SLIP_ERR_PARSE, c->line, 0, "'facet' or 'endsolid' expected, not '%.*s'",
                             n < 40 ? n : 40, word);
        s = stl_facet(c, sink);
        if (s < 0) return s;
    }
}

slip_status slip_mesh_stl_text_scan(const char *bytes, size_t length, mesh_sink *sink)
{
    mesh_cursor c;
    const char *word;
    int n;

    c.at = bytes;
    c.end = bytes + length;
    c.line = 1;
    sink->mesh->nv = sink->mesh->nt = 0;
    while ((n = stl_word(&c, &word)) > 0) {
        slip_status s;

        if (!slip_mesh_word_is(word, n, "solid"))
            return slip_fail(sink->err, SLIP_ERR_PARSE, c.line, 0, "'solid' expected, not '%.*s'", n < 40 ? n : 40,
                             word);
        s = stl_solid(&c, sink);
        if (s < 0) return s;
    }
    return SLIP_OK;
}

/* ---- binary ---------------------------------------------------------------------------------------- */

static uint32_t stl_u32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static slip_real stl_f32(const char *bytes)
{
    const uint32_t u = stl_u32(bytes);
    float x;

    memcpy(&x, &u, sizeof x);
    return (slip_real)x;
}

/* Whether the three bytes by which some editors mark UTF-8 are in front. */
static int stl_is_marked(const char *bytes, size_t length)
{
    return length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
}

slip_status slip_mesh_stl_binary_scan(const char *bytes, size_t length, mesh_sink *sink)
{
    const uint32_t claimed = length >= 84 ? stl_u32(bytes + 80) : 0;
    const size_t room = length >= 84 ? (length - 84)/50 : 0;
    /* a writer that never went back to its header claims too few; too many are claimed by a file that was cut off */
    const int is_short = length > 84 && claimed < room && (length - 84)%50 == 0;
    const size_t count = is_short ? room : claimed;
    size_t t, k;

    sink->mesh->nv = sink->mesh->nt = 0;
    if (length < 84)
        return slip_fail(sink->err, SLIP_ERR_PARSE, 0, 0, "%z bytes are too few for an STL file: text starts with "
                         "'solid', binary has a header of 84 bytes", length);
    if (claimed > room && !memchr(bytes, 0, length < 1024 ? length : 1024))    /* floats and padding have zeros */
        return slip_fail(sink->err, SLIP_ERR_PARSE, 0, 0, "%s: neither STL text, whose first word is 'solid', nor "
                         "binary, which has bytes of 0", stl_is_marked(bytes, length)
                         ? "the file begins with a byte order mark" : "the file is text that begins otherwise");
    if (claimed > room)
        return slip_fail(sink->err, SLIP_ERR_PARSE, 0, 0,
                         "the header (byte 80) claims %z triangles, the file has room for %z", (size_t)claimed, room);
    for (t = 0; t < count; ++t) {
        for (k = 0; k < 3; ++k) {
            const size_t at = 84 + 50*t + 12 + 12*k;
            const slip_real x[3] = { stl_f32(bytes + at), stl_f32(bytes + at + 4), stl_f32(bytes + at + 8) };
            slip_status s;

            if (!slip_all_finite(x, 3))
                return slip_fail(sink->err, SLIP_ERR_PARSE, 0, 0, "triangle %z (byte %z): a coordinate is not finite",
                                 t + 1, at);
            if (slip_abs(x[0]) > MESH_FAR || slip_abs(x[1]) > MESH_FAR || slip_abs(x[2]) > MESH_FAR)
                return slip_fail(sink->err, SLIP_ERR_PARSE, 0, 0, "triangle %z (byte %z): a coordinate beyond %g",
                                 t + 1, at, (double)MESH_FAR);
            s = slip_mesh_add_vertex(sink, x);
            if (s < 0) return s;
        }
        if (slip_mesh_add_triangle(sink, sink->mesh->nv - 3, sink->mesh->nv - 2, sink->mesh->nv - 1) < 0)
            return SLIP_ERR_LIMIT;
    }
    if (sink->report && is_short)
        return slip_warn(sink->report, sink->err, 0, 0, "the header (byte 80) claims %z triangles, the file has "
                         "%z: all are read", (size_t)claimed, room);
    if (sink->report && length > 84 + 50*(size_t)claimed)
        return slip_warn(sink->report, sink->err, 0, 0, "%z bytes after the last triangle are ignored",
                         length - 84 - 50*(size_t)claimed);
    return SLIP_OK;
}
