/* Height fields: terrain as a grid of heights, solid below.
 *
 * In its own frame the field covers x in [x0, x0 + (nx-1) dx], y in [y0, y0 + (ny-1) dy]; sample (i, j) is
 * at (x0 + i dx, y0 + j dy, height[j nx + i]). A cell has two triangles, cut along the diagonal from
 * (i, j) to (i+1, j+1). The body's pose places the frame in the world. All round it ends in upright walls,
 * slip_heightfield_depth() below its lowest sample; beside them there is nothing. */
#ifndef SLIP_GEOM_HEIGHTFIELD_H
#define SLIP_GEOM_HEIGHTFIELD_H

#include "geom/shape.h"

enum { SLIP_FIELD_BLOCK = 8,              /* cells along each side of a block                      */
       SLIP_FIELD_MOST = 16384 };         /* samples along an axis, at most                        */

typedef struct slip_heightfield {
    int nx, ny;                 /* samples, at least 2 each                                         */
    slip_real dx, dy;           /* spacing [m], > 0                                                 */
    slip_real x0, y0;           /* of sample (0, 0) [m]                                             */
    const slip_real *height;    /* nx ny [m]                                                        */
    int bx, by;                 /* blocks                                                           */
    const slip_real *block;     /* 2 bx by: least and greatest height of each block                 */
    slip_real lo, hi;           /* least and greatest height                                        */
} slip_heightfield;

/* The height at (x, y) of the field's frame. */
typedef slip_real (*slip_height_function)(void *context, slip_real x, slip_real y);

/* A field centred on its frame's origin from nx ny heights (copied) or from a function.
 * SLIP_ERR_ARGUMENT: fewer than 2 or more than SLIP_FIELD_MOST samples, bad spacing, a height that is not
 * finite (err says which); SLIP_ERR_WORKSPACE: less than slip_heightfield_bytes() in the arena. Nothing
 * changes then. err may be NULL. */
slip_status slip_heightfield_build(int nx, int ny, slip_real dx, slip_real dy, const slip_real *height,
                                   slip_arena *arena, slip_heightfield *field, slip_error *err);
slip_status slip_heightfield_from(int nx, int ny, slip_real dx, slip_real dy, slip_height_function f, void *context,
                                  slip_arena *arena, slip_heightfield *field, slip_error *err);
size_t      slip_heightfield_bytes(int nx, int ny);

/* Height and unit normal of the surface above (x, y) of the field's frame; 0 outside the field. On a line
 * between triangles the one with the lower number is taken. normal may be NULL. */
int slip_heightfield_at(const slip_heightfield *field, slip_real x, slip_real y, slip_real *height,
                        slip_real normal[3]);

#endif
