/* <include file="..."/> of MJCF: the children of the other file's root take its place. Files are beside the main. */
#include "io/mjcf_private.h"

#include <string.h>
#include "io/file.h"

enum { INCLUDE_MOST = 100 };              /* files, so that one that includes itself ends */

/* The place after text[from..to), which begins at a place; columns are characters of UTF-8. */
static mjcf_place include_after(const char *text, size_t from, size_t to, mjcf_place place)
{
    for (; from < to; ++from) {
        if (text[from] == '\n') {
            ++place.line;
            place.column = 1;
        } else if (((unsigned char)text[from] & 0xc0) != 0x80) {
            ++place.column;
        }
    }
    return place;
}

/* The first place at or after `from` of a word in text[0..length), outside comments; length when there is none. */
static size_t include_find(const char *text, size_t length, size_t from, const char *word)
{
    const size_t n = strlen(word);

    while (from + n <= length) {
        if (memcmp(text + from, word, n) == 0) return from;
        if (from + 4 <= length && memcmp(text + from, "<!--", 4) == 0)
            for (from += 4; from + 3 <= length && memcmp(text + from, "-->", 3) != 0; ++from) { }
        ++from;
    }
    return length;
}

/* The value of file="..." in text[at..end). */
static slip_xml_slice include_file(const char *text, size_t at, size_t end)
{
    slip_xml_slice value = { NULL, 0 };
    size_t i = include_find(text, end, at, "file");

    while (i < end && text[i] != '"' && text[i] != '\'') ++i;
    if (i >= end) return value;
    value.text = text + i + 1;
    while (i + 1 + (size_t)value.length < end && value.text[value.length] != text[i]) ++value.length;
    return value;
}

/* What is between the root's tags of a file. */
static slip_xml_slice include_inside(const char *text, size_t length)
{
    slip_xml_slice in = { text, 0 };
    size_t at = include_find(text, length, 0, "<mujoco"), end = length;

    while (at < length && text[at] != '>') ++at;
    while (end > at && !(text[end - 1] == '/' && end >= 2 && text[end - 2] == '<')) --end;
    if (at >= length || text[at - 1] == '/' || end < at + 3) return in;
    in.text = text + at + 1;
    in.length = (int)(end - 2 - at - 1);
    return in;
}

/* Notes that text[at..end) is replaced by `inside` bytes, which begin at a place of another file. */
static void include_note(mjcf_parts *p, const char *text, size_t at, size_t end, const char *file, mjcf_place own,
                         size_t inside)
{
    int k = p->n - 1, i;
    mjcf_part after;

    if (p->n + 2 > MJCF_PARTS) return;                         /* more than the files there may be */
    while (k > 0 && p->part[k].at > at) --k;
    after = p->part[k];
    after.own = include_after(text, after.at, end, after.own);
    after.at = at + inside;
    for (i = p->n - 1; i > k; --i) {
        p->part[i + 2] = p->part[i];
        p->part[i + 2].at += inside - (end - at);
    }
    p->part[k + 1].at = at;
    p->part[k + 1].file = file;
    p->part[k + 1].own = own;
    p->part[k + 2] = after;
    p->n += 2;
}

void slip_mjcf_place(const mjcf_parts *p, slip_error *err)
{
    int k = p->n - 1;

    if (p->n < 2 || err->line <= 0) return;
    while (k > 0 && (p->part[k].whole.line > err->line
                     || (p->part[k].whole.line == err->line && p->part[k].whole.column > err->column))) --k;
    if (p->part[k].whole.line == err->line && err->column > 0)
        err->column += p->part[k].own.column - p->part[k].whole.column;
    err->line += p->part[k].own.line - p->part[k].whole.line;
    if (p->part[k].file) slip_error_set_file(err, p->part[k].file);
}

/* One <include> at text[at..end), replaced; the new text is in scratch. */
static slip_status include_one(const char *file, slip_arena *mem, size_t at, size_t end, const char **text,
                               size_t *length, mjcf_parts *parts, slip_error *err)
{
    const slip_xml_slice name = include_file(*text, at, end);
    const char *slash = strrchr(file, '/');
    const size_t n = slash ? (size_t)(slash - file) + 1 : 0;
    static const mjcf_place first = { 1, 1 };
    char path[1024], *other = NULL, *made;
    void *own;
    slip_xml_slice in;
    size_t size = 0, i;
    slip_status s;

    if (!name.text || n + (size_t)name.length + 1 > sizeof path)
        return slip_fail(err, SLIP_ERR_PARSE, 0, 0, "an <include> names no file");
    memcpy(path, file, n);
    memcpy(path + n, name.text, (size_t)name.length);
    path[n + (size_t)name.length] = '\0';
    for (i = n; path[i]; ++i) if (path[i] == '\\') path[i] = '/';
    s = slip_file_read(path, SLIP_XML_MAX_BYTES, mem, &other, &size, err);
    if (s < 0) return s;
    slip_error_set_file(err, file);
    in = include_inside(other, size);
    own = slip_arena_scratch(mem, strlen(path) + 1, 1);
    made = (char *)slip_arena_scratch(mem, *length + (size_t)in.length + 1, 1);
    if (!made || !own) return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "robot does not fit into the arena");
    include_note(parts, *text, at, end, strcpy((char *)own, path),
                 include_after(other, 0, (size_t)(in.text - other), first), (size_t)in.length);
    memcpy(made, *text, at);
    memcpy(made + at, in.text, (size_t)in.length);
    memcpy(made + at + in.length, *text + end, *length - end);
    *text = made;
    *length = at + (size_t)in.length + (*length - end);
    return SLIP_OK;
}

/* Where parts begin in the whole text. */
static void include_count(mjcf_parts *parts, const char *text)
{
    int k;

    parts->part[0].whole.line = parts->part[0].whole.column = 1;
    for (k = 1; k < parts->n; ++k)
        parts->part[k].whole = include_after(text, parts->part[k - 1].at, parts->part[k].at, parts->part[k - 1].whole);
}

slip_status slip_mjcf_include(const char *file, slip_arena *mem, const char **text, size_t *length, mjcf_parts *parts,
                              slip_error *err)
{
    int k;

    memset(parts, 0, sizeof *parts);
    parts->n = parts->part[0].own.line = parts->part[0].own.column = 1;
    for (k = 0; k < INCLUDE_MOST; ++k) {
        const size_t at = include_find(*text, *length, 0, "<include");
        size_t end = at;
        slip_status s;

        while (end < *length && (*text)[end] != '>') ++end;
        if (end < *length && (*text)[end - 1] != '/') {        /* with an end tag of its own */
            end = include_find(*text, *length, end, "</include");
            while (end < *length && (*text)[end] != '>') ++end;
        }
        if (end >= *length) {                                  /* none, or malformed: the XML reader says how */
            include_count(parts, *text);
            return SLIP_OK;
        }
        s = include_one(file, mem, at, end + 1, text, length, parts, err);
        if (s < 0) return s;
        if (*length > SLIP_XML_MAX_BYTES) break;
    }
    return slip_fail(err, SLIP_ERR_LIMIT, 0, 0, "more than %d included files, or too large: does one include itself?",
                     (int)INCLUDE_MOST);
}
