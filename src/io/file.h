/* Whole files into an arena. */
#ifndef SLIP_IO_FILE_H
#define SLIP_IO_FILE_H

#include "base/arena.h"
#include "base/status.h"

/* Reads the file into scratch of the arena (release it with slip_arena_release_scratch) and terminates
 * it with a NUL that *length does not count. err names the file.
 * SLIP_ERR_FILE: missing, a directory, unreadable; SLIP_ERR_LIMIT: longer than `most` bytes;
 * SLIP_ERR_WORKSPACE: longer than the arena has room for. Outputs and arena are untouched on failure.
 * Built with SLIP_NO_IO it always gives SLIP_ERR_FILE, and no file exists. */
slip_status slip_file_read(const char *path, size_t most, slip_arena *mem, char **text, size_t *length,
                           slip_error *err);

/* Whether a file can be opened for reading and is not a directory. */
int slip_file_exists(const char *path);

#endif
