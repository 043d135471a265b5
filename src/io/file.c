/* See file.h. Plain C streams: no seeking, so pipes and devices can be read as well. With SLIP_NO_IO there are none. */
#include "io/file.h"

#include <string.h>
#include "base/fail.h"

#ifdef SLIP_NO_IO

slip_status slip_file_read(const char *path, size_t most, slip_arena *mem, char **text, size_t *length, slip_error *err)
{
    (void)most;
    (void)mem;
    *text = NULL;                                        /* for compilers, which see callers read them */
    *length = 0;
    slip_error_clear(err);
    slip_error_set_file(err, path);
    return slip_fail(err, SLIP_ERR_FILE, 0, 0, "cannot be read: the library is built without files (SLIP_NO_IO)");
}

int slip_file_exists(const char *path)
{
    (void)path;
    return 0;
}

#else

#include <errno.h>
#include <stdio.h>

static slip_status file_fail(const char *path, slip_error *err, int code)
{
    slip_error_clear(err);
    slip_error_set_file(err, path);
    return slip_fail(err, SLIP_ERR_FILE, 0, 0, "cannot be read: %s", code ? strerror(code) : "unknown reason");
}

/* The stream's bytes go straight into the arena's gap, whose size is the room there is. */
static slip_status file_fill(FILE *f, const char *path, size_t most, slip_arena *mem, size_t *length, slip_error *err)
{
    const size_t room = slip_arena_left(mem), want = room > most ? most + 1 : room;
    size_t n;

    errno = 0;
    n = want ? fread(mem->base + mem->low, 1, want, f) : 0;
    if (ferror(f)) return file_fail(path, err, errno);
    slip_error_clear(err);
    slip_error_set_file(err, path);
    if (n > most) return slip_fail(err, SLIP_ERR_LIMIT, 0, 0, "longer than %z bytes, which is the limit", most);
    if (n == room) {
        mem->failed = 1;
        return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "longer than the %z bytes left in the arena", room);
    }
    *length = n;
    return SLIP_OK;
}

slip_status slip_file_read(const char *path, size_t most, slip_arena *mem, char **text, size_t *length, slip_error *err)
{
    FILE *f;
    size_t n = 0;
    char *at;
    slip_status s;

    if (slip_arena_is_counting(mem)) return slip_fail(err, SLIP_ERR_ARGUMENT, 0, 0, "a counting arena holds no file");
    errno = 0;
    f = fopen(path, "rb");
    if (!f) return file_fail(path, err, errno);
    s = file_fill(f, path, most, mem, &n, err);
    (void)fclose(f);                                  /* read only: nothing can be lost */
    if (s < 0) return s;
    at = (char *)slip_arena_scratch(mem, n + 1, 1);
    if (!at) return slip_fail(err, SLIP_ERR_WORKSPACE, 0, 0, "%z bytes do not fit into the arena", n + 1);
    memmove(at, mem->base + mem->low, n);
    at[n] = '\0';
    *text = at;
    *length = n;
    return SLIP_OK;
}

int slip_file_exists(const char *path)
{
    FILE *f = fopen(path, "rb");
    int c, bad;

    if (!f) return 0;
    c = fgetc(f);
    bad = c == EOF && ferror(f);                      /* a directory opens, but does not read */
    (void)fclose(f);
    return !bad;
}

#endif
