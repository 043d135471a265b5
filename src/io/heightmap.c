/* See heightmap.h. The sizes in the header are checked against the number of bytes before memory is taken; then the
 * heights are read into scratch. */
#include "io/heightmap.h"

#include <string.h>
#include "io/file.h"

enum { HEIGHTMAP_MOST_BYTES = 2000000000 };

typedef struct {
    const char *at, *end;
    int line;
    int nx, ny;
    slip_real *height;       /* NULL while the size is found */
    slip_error *err;
} map_reader;

slip_heightmap_options slip_heightmap_defaults(void)
{
    slip_heightmap_options o;

    o.dx = o.dy = o.scale = 1;
    o.offset = 0;
    return o;
}

/* Stores the value of the file's column i, row j (from the top). */
static void map_put(map_reader *r, int i, int j, slip_real value)
{
    if (r->height) r->height[(size_t)(r->ny - 1 - j)*(size_t)r->nx + (size_t)i] = value;
}

/* ---- CSV ------------------------------------------------------------------------------------------------ */

static int map_is_gap(int c) { return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';'; }

/* One line: returns its numbers, or -1 with err filled. A comma with nothing before it is an empty field. */
static int map_csv_line(map_reader *r, int row)
{
    int n = 0, fresh = 1;                                /* fresh: no number since the last separator */

    for (;;) {
        slip_real x;
        int used;

        while (r->at < r->end && map_is_gap(*r->at)) {
            const int sep = *r->at == ',' || *r->at == ';';

            if (sep && fresh) { slip_fail(r->err, SLIP_ERR_PARSE, r->line, 0, "an empty field");  return -1; }
            if (sep) fresh = 1;
            ++r->at;
        }
        if (r->at >= r->end || *r->at == '\n' || *r->at == '#') break;
        used = slip_read_real(r->at, (int)(r->end - r->at), &x);
        if (used <= 0 || !slip_is_finite(x) || (r->at + used < r->end && !map_is_gap(r->at[used]) && r->at[used] != '\n'
                                                && r->at[used] != '#')) {
            slip_fail(r->err, SLIP_ERR_PARSE, r->line, 0, "value %d is not a finite number", n + 1);
            return -1;
        }
        if (n >= SLIP_FIELD_MOST) {
            slip_fail(r->err, SLIP_ERR_LIMIT, r->line, 0, "more than %d values in a row", SLIP_FIELD_MOST);
            return -1;
        }
        if (r->height && n < r->nx) map_put(r, n, row, x);
        r->at += used;
        fresh = 0;
        ++n;
    }
    while (r->at < r->end && *r->at != '\n') ++r->at;    /* a comment */
    if (r->at < r->end) ++r->at;
    return n;
}

static slip_status map_csv(map_reader *r)
{
    int rows = 0, columns = 0;

    for (r->line = 1; r->at < r->end; ++r->line) {
        const int n = map_csv_line(r, rows);

        if (n < 0) return r->err->status;
        if (n == 0) continue;
        if (rows > 0 && n != columns)
            return slip_fail(r->err, SLIP_ERR_PARSE, r->line, 0, "%d values, but the rows above have %d", n, columns);
        columns = n;
        if (++rows > SLIP_FIELD_MOST)
            return slip_fail(r->err, SLIP_ERR_LIMIT, r->line, 0, "more than %d rows", SLIP_FIELD_MOST);
    }
    r->nx = columns;
    r->ny = rows;
    return SLIP_OK;
}

/* ---- PGM ------------------------------------------------------------------------------------------------ */

/* The next whole number, over blanks and comments; -1 when there is none or it is beyond `most`. */
static int map_pgm_int(map_reader *r, int most)
{
    int x, used;

    while (r->at < r->end && (slip_is_blank(*r->at) || *r->at == '#')) {
        if (*r->at == '#') while (r->at < r->end && *r->at != '\n') ++r->at;
        else r->line += *r->at++ == '\n';
    }
    if (r->at >= r->end || !slip_is_digit(*r->at)) return -1;
    used = slip_read_int(r->at, (int)(r->end - r->at), &x);
    if (used <= 0 || x > most) return -1;
    r->at += used;
    return x;
}

static slip_status map_pgm_text(map_reader *r, int top)
{
    int i, j;

    for (j = 0; j < r->ny; ++j)
        for (i = 0; i < r->nx; ++i) {
            const int v = map_pgm_int(r, top);

            if (v < 0)
                return slip_fail(r->err, SLIP_ERR_PARSE, r->line, 0,
                                 "pixel %d of row %d: a whole number from 0 to %d expected", i + 1, j + 1, top);
            map_put(r, i, j, (slip_real)v/(slip_real)top);
        }
    return SLIP_OK;
}

static slip_status map_pgm_binary(map_reader *r, int top)
{
    const unsigned char *p = (const unsigned char *)r->at;
    const int wide = top > 255;
    int i, j;

    for (j = 0; j < r->ny; ++j)
        for (i = 0; i < r->nx; ++i, p += 1 + wide) {
            const int v = wide ? p[0] << 8 | p[1] : p[0];

            if (v > top)
                return slip_fail(r->err, SLIP_ERR_PARSE, 0, 0, "pixel %d of row %d is %d, above the header's %d",
                                 i + 1, j + 1, v, top);
            map_put(r, i, j, (slip_real)v/(slip_real)top);
        }
    return SLIP_OK;
}

/* Reads the header and, once there is room for heights, the pixels. */
static slip_status map_pgm(map_reader *r)
{
    const int binary = r->at[1] == '5';
    size_t pixels, need, left;
    int nx, ny, top;

    r->line = 1;
    r->at += 2;
    nx = map_pgm_int(r, SLIP_FIELD_MOST);
    ny = map_pgm_int(r, SLIP_FIELD_MOST);
    if (nx < 0 || ny < 0)
        return slip_fail(r->err, SLIP_ERR_PARSE, r->line, 0, "PGM header: width and height from 0 to %d expected",
                         SLIP_FIELD_MOST);
    top = map_pgm_int(r, 65535);
    if (top < 1)
        return slip_fail(r->err, SLIP_ERR_PARSE, r->line, 0, "PGM header: a white level from 1 to 65535 expected");
    if (binary && r->at < r->end) ++r->at;               /* the one blank before the pixels */
    pixels = (size_t)nx*(size_t)ny;
    left = (size_t)(r->end - r->at);
    need = binary ? pixels*(top > 255 ? 2 : 1) : 2*pixels - (pixels > 0);
    if (need > left)
        return slip_fail(r->err, SLIP_ERR_PARSE, 0, 0,
                         "the header promises %d x %d pixels, %z bytes at least; there are %z", nx, ny, need, left);
    r->nx = nx;
    r->ny = ny;
    if (!r->height) return SLIP_OK;
    return binary ? map_pgm_binary(r, top) : map_pgm_text(r, top);
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

static int map_is_pgm(const char *bytes, size_t length)
{
    return length > 2 && bytes[0] == 'P' && (bytes[1] == '2' || bytes[1] == '5') && slip_is_blank(bytes[2]);
}

static slip_status map_scan(map_reader *r, const char *bytes, size_t length)
{
    r->at = bytes;
    r->end = bytes + length;
    return map_is_pgm(bytes, length) ? map_pgm(r) : map_csv(r);
}

static slip_status map_build(map_reader *r, const char *bytes, size_t length, const slip_heightmap_options *opt,
                             slip_arena *arena, slip_heightfield *field)
{
    slip_status s = map_scan(r, bytes, length);
    size_t k, n;

    if (s < 0) return s;
    if (r->nx < 2 || r->ny < 2)
        return slip_fail(r->err, SLIP_ERR_PARSE, 0, 0, "%d x %d heights: at least 2 x 2 make a field", r->nx, r->ny);
    n = (size_t)r->nx*(size_t)r->ny;
    r->height = (slip_real *)slip_arena_scratch(arena, n, sizeof(slip_real));
    if (!r->height)
        return slip_fail(r->err, SLIP_ERR_WORKSPACE, 0, 0, "%d x %d heights do not fit the arena", r->nx, r->ny);
    s = map_scan(r, bytes, length);
    if (s < 0) return s;
    for (k = 0; k < n; ++k) r->height[k] = opt->scale*r->height[k] + opt->offset;
    return slip_heightfield_build(r->nx, r->ny, opt->dx, opt->dy, r->height, arena, field, r->err);
}

slip_status slip_heightmap_read(const char *name, const char *bytes, size_t length, const slip_heightmap_options *opt,
                                slip_arena *arena, slip_heightfield *field, slip_error *err)
{
    const slip_heightmap_options usual = slip_heightmap_defaults();
    const size_t high = slip_arena_mark_scratch(arena);
    slip_error spare;
    map_reader r;
    slip_status s;

    memset(&r, 0, sizeof r);
    r.err = err ? err : &spare;
    slip_error_clear(r.err);
    slip_error_set_file(r.err, name);
    if (length > HEIGHTMAP_MOST_BYTES)
        return slip_fail(r.err, SLIP_ERR_LIMIT, 0, 0, "%z bytes: at most %d are read", length, HEIGHTMAP_MOST_BYTES);
    s = map_build(&r, bytes, length, opt ? opt : &usual, arena, field);
    slip_arena_release_scratch(arena, high);
    return s;
}

slip_status slip_heightmap_load(const char *path, const slip_heightmap_options *opt, slip_arena *arena,
                                slip_heightfield *field, slip_error *err)
{
    const size_t high = slip_arena_mark_scratch(arena);
    slip_error spare;
    char *bytes;
    size_t length;
    slip_status s;

    if (!err) err = &spare;
    s = slip_file_read(path, HEIGHTMAP_MOST_BYTES, arena, &bytes, &length, err);
    if (s == SLIP_OK) s = slip_heightmap_read(path, bytes, length, opt, arena, field, err);
    slip_arena_release_scratch(arena, high);
    return s;
}
