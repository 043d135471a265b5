/* Height maps from files: CSV grids and PGM images, as height fields. */
#ifndef SLIP_IO_HEIGHTMAP_H
#define SLIP_IO_HEIGHTMAP_H

#include "geom/heightfield.h"

typedef struct {
    slip_real dx, dy;        /* spacing of the samples [m]                                                */
    slip_real scale;         /* CSV: times this; PGM: the height of white above black [m]                 */
    slip_real offset;        /* added to all heights [m]                                                  */
} slip_heightmap_options;

slip_heightmap_options slip_heightmap_defaults(void);    /* 1 m apart, scale 1, offset 0 */

/* Reads a field from bytes in memory. PGM (P2 or P5, 8 or 16 bit) is recognised by its first two bytes; anything else
 * is a grid of numbers: a line is a row, numbers are separated by commas, semicolons, tabs or blanks, empty lines and
 * text behind a # are skipped. Either way the file is the map as seen from above: its first row is the farthest one
 * (largest y), its first column has the smallest x. The field is centred on its frame. name is for messages; opt NULL
 * for the defaults. SLIP_ERR_PARSE with line or byte, SLIP_ERR_ARGUMENT, SLIP_ERR_LIMIT, SLIP_ERR_WORKSPACE: field and
 * arena as before. Of the arena it needs slip_heightfield_bytes() and the heights once more as scratch. */
slip_status slip_heightmap_read(const char *name, const char *bytes, size_t length, const slip_heightmap_options *opt,
                                slip_arena *arena, slip_heightfield *field, slip_error *err);

/* The same from a file, whose bytes are scratch in the arena meanwhile. Adds SLIP_ERR_FILE. */
slip_status slip_heightmap_load(const char *path, const slip_heightmap_options *opt, slip_arena *arena,
                                slip_heightfield *field, slip_error *err);

#endif
