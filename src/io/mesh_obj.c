/* Wavefront OBJ: vertices and faces. Faces may be polygons (cut into a fan from a corner that sees all others)
 * with indices i, i/j, i//k or i/j/k, positive from 1 or negative from the last vertex so far. Texture
 * coordinates, normals, groups and materials are counted and left; points, lines and curves are warned of. */
#include "io/mesh_private.h"

typedef struct {
    mesh_cursor c;
    mesh_sink *sink;
    int seen;                /* vertices before this statement                      */
    int total;               /* vertices of the whole file; -1 while counting       */
    int most;                /* largest index met                                   */
    int warned;              /* kinds of ignored statements already warned of, bits */
} obj_reader;

/* Whether a backslash at `at` continues the line. */
static int obj_continues(const obj_reader *r)
{
    const char *p = r->c.at + 1;

    while (p < r->c.end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
    return p >= r->c.end || *p == '\n';
}

/* Skips blanks and continued line ends; 0 at the end of the statement. */
static int obj_skip_blanks(obj_reader *r)
{
    for (; r->c.at < r->c.end; ++r->c.at) {
        const char ch = *r->c.at;

        if (ch == '\\' && obj_continues(r)) {
            while (r->c.at < r->c.end && *r->c.at != '\n') ++r->c.at;
            ++r->c.line;
            if (r->c.at >= r->c.end) return 0;
        } else if (ch == '#' || ch == '\n') {
            return 0;
        } else if (!slip_is_blank(ch)) {
            return 1;
        }
    }
    return 0;
}

/* The next word of the statement; its length, 0 at the end. */
static int obj_word(obj_reader *r, const char **word)
{
    if (!obj_skip_blanks(r)) return 0;
    *word = r->c.at;
    while (r->c.at < r->c.end && !slip_is_blank(*r->c.at) && *r->c.at != '#'
           && !(*r->c.at == '\\' && obj_continues(r))) ++r->c.at;
    return (int)(r->c.at - *word);
}

/* Goes to the next statement. */
static void obj_end_line(obj_reader *r)
{
    for (; r->c.at < r->c.end; ++r->c.at) {
        if (*r->c.at == '\n') { ++r->c.at;  ++r->c.line;  return; }
        if (*r->c.at == '\\' && obj_continues(r)) {
            while (r->c.at < r->c.end && *r->c.at != '\n') ++r->c.at;
            ++r->c.line;
            if (r->c.at >= r->c.end) return;
        }
    }
}

static slip_status obj_fail(const obj_reader *r, const char *what)
{
    return slip_fail(r->sink->err, SLIP_ERR_PARSE, r->c.line, 0, "%s", what);
}

static slip_status obj_vertex(obj_reader *r)
{
    slip_real x[3];
    const char *word;
    int i, n;

    for (i = 0; i < 3; ++i) {
        n = obj_word(r, &word);
        if (n == 0) return obj_fail(r, "a vertex needs three coordinates");
        if (!slip_mesh_word_real(word, n, &x[i]))
            return slip_fail(r->sink->err, SLIP_ERR_PARSE, r->c.line, 0,
                             "vertex coordinate '%.*s' is not a finite number", n < 40 ? n : 40, word);
        if (slip_abs(x[i]) > MESH_FAR)
            return slip_fail(r->sink->err, SLIP_ERR_PARSE, r->c.line, 0,
                             "vertex coordinate '%.*s': at most %g is taken",
                             n < 40 ? n : 40, word, (double)MESH_FAR);
    }
    return slip_mesh_add_vertex(r->sink, x);             /* a fourth number (weight) or colours may follow */
}

/* The vertex index at the start of i, i/j, i//k or i/j/k; zero-based, or -1 with err filled. */
static int obj_corner(obj_reader *r, const char *word, int n)
{
    int i = 0, part = 0, at = 0, index = 0;

    while (at < n && part < 3) {
        int used = slip_read_int(word + at, n - at, &i);

        if (used < 0 || (used == 0 && part != 1)) break;
        if (part == 0) index = i;
        at += used;
        if (at >= n) break;
        if (word[at] != '/') break;
        ++at;
        ++part;
        if (at >= n) part = 9;                           /* a trailing slash */
    }
    if (at < n || part > 2 || index == 0) {
        slip_fail(r->sink->err, SLIP_ERR_PARSE, r->c.line, 0,
                  index == 0 && at >= n ? "face index '%.*s': indices count from 1" : "face index '%.*s' is malformed",
                  n < 40 ? n : 40, word);
        return -1;
    }
    if (index > r->most) r->most = index;
    if (index < 0 ? index < -r->seen : r->total >= 0 && index > r->total) {
        slip_fail(r->sink->err, SLIP_ERR_PARSE, r->c.line, 0, "face index %d, but the file has %d vertices%s", index,
                  index < 0 ? r->seen : r->total, index < 0 ? " so far" : "");
        return -1;
    }
    return index < 0 ? r->seen + index : index - 1;
}

static slip_status obj_face(obj_reader *r)
{
    const char *word;
    int first = -1, last = -1, corners = 0, n;

    while ((n = obj_word(r, &word)) > 0) {
        const int v = obj_corner(r, word, n);

        if (v < 0) return SLIP_ERR_PARSE;
        if (++corners == 1) first = v;
        if (corners >= 3) {
            const slip_status s = slip_mesh_add_triangle(r->sink, first, last, v);

            if (s < 0) return s;
        }
        last = v;
    }
    if (corners < 3) return obj_fail(r, "a face needs at least three corners");
    slip_mesh_refan(r->sink->mesh, corners, r->seen);
    r->sink->notes->polygons += corners > 3;
    return SLIP_OK;
}

/* Warns, once per kind, of statements with geometry that is not supported and of unknown ones. */
static slip_status obj_ignore(obj_reader *r, const char *word, int n)
{
    const int kind = n == 1 && *word == 'p' ? 1 : n == 1 && *word == 'l' ? 2 : 4;

    ++r->sink->notes->ignored;
    if (r->warned & kind || !r->sink->report) return SLIP_OK;
    r->warned |= kind;
    return slip_warn(r->sink->report, r->sink->err, r->c.line, 0, "statement '%.*s' is ignored: only faces make a body",
                     n < 40 ? n : 40, word);
}

static slip_status obj_statement(obj_reader *r)
{
    slip_mesh_notes *notes = r->sink->notes;
    const char *word;
    const int n = obj_word(r, &word);

    if (n == 0) return SLIP_OK;
    if (slip_text_equal_n(word, n, "v")) return obj_vertex(r);
    if (slip_text_equal_n(word, n, "f") || slip_text_equal_n(word, n, "fo")) return obj_face(r);
    if (slip_text_equal_n(word, n, "vt") || slip_text_equal_n(word, n, "vn")) ++notes->extras;
    else if (n == 1 && (*word == 'g' || *word == 'o' || *word == 's')) ++notes->groups;
    else if (slip_text_equal_n(word, n, "usemtl") || slip_text_equal_n(word, n, "mtllib")) ++notes->materials;
    else return obj_ignore(r, word, n);
    return SLIP_OK;
}

/* One run; total: vertices of the whole file, -1 when that is not known yet. *most: the largest index met. */
static slip_status obj_run(const char *bytes, size_t length, int total, mesh_sink *sink, int *most)
{
    obj_reader r;
    slip_status s;

    r.c.at = bytes;
    r.c.end = bytes + length;
    r.c.line = 1;
    r.sink = sink;
    r.total = total;
    r.most = 0;
    r.warned = 0;
    sink->mesh->nv = sink->mesh->nt = 0;
    while (r.c.at < r.c.end) {
        r.seen = sink->mesh->nv;
        s = obj_statement(&r);
        if (s < 0) return s;
        obj_end_line(&r);
    }
    *most = r.most;
    return SLIP_OK;
}

slip_status slip_mesh_obj_scan(const char *bytes, size_t length, mesh_sink *sink)
{
    int most;
    slip_status s;

    if (sink->mesh->vertex) return obj_run(bytes, length, sink->mesh->nv, sink, &most);
    s = obj_run(bytes, length, -1, sink, &most);
    if (s < 0 || most <= sink->mesh->nv) return s;
    sink->report = NULL;                                  /* some index is too large: again, to find the first */
    return obj_run(bytes, length, sink->mesh->nv, sink, &most);
}
