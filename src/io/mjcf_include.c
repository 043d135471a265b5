/* <include file="..."/> of MJCF: the children of the other file's root take its place. Files are beside the main. */
#include "io/mjcf_private.h"

#include <string.h>
#include "io/file.h"

enum { INCLUDE_MOST = 100 };              /* files, so that one that includes itself ends */

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

/* One <include> at text[at..end), replaced; the new text is in scratch. */
static slip_status include_one(const char *file, slip_arena *mem, size_t at, size_t end, const char **text,
                               size_t *length, slip_error *err)
{
    const slip_xml_slice name = include_file(*text, at, end);
    const char *slash = strrchr(file, '/');
    const size_t n = slash ? (size_t)(slash - file) + 1 : 0;
    char path[1024], *other = NULL, *made;
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
    in = include_inside(other, size);
    made = (char *)slip_arena_scratch(mem, *length + (size_t)in.length + 1, 1);
    if (!made) return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "robot does not fit into the arena");
    memcpy(made, *text, at);
    memcpy(made + at, in.text, (size_t)in.length);
    memcpy(made + at + in.length, *text + end, *length - end);
    *text = made;
    *length = at + (size_t)in.length + (*length - end);
    return SLIP_OK;
}

slip_status slip_mjcf_include(const char *file, slip_arena *mem, const char **text, size_t *length, slip_error *err)
{
    int k;

    for (k = 0; k < INCLUDE_MOST; ++k) {
        const size_t at = include_find(*text, *length, 0, "<include");
        size_t end = at;
        slip_status s;

        while (end < *length && (*text)[end] != '>') ++end;
        if (end >= *length) return SLIP_OK;
        if ((*text)[end - 1] != '/') {                         /* with an end tag of its own */
            end = include_find(*text, *length, end, "</include");
            while (end < *length && (*text)[end] != '>') ++end;
        }
        if (end >= *length) return SLIP_OK;                    /* malformed: the XML reader says how */
        s = include_one(file, mem, at, end + 1, text, length, err);
        if (s < 0) return s;
        if (*length > SLIP_XML_MAX_BYTES) break;
    }
    return slip_fail(err, SLIP_ERR_LIMIT, 0, 0, "more than %d included files, or too large: does one include itself?",
                     (int)INCLUDE_MOST);
}
