/* SRDF: the pairs of links of a robot that need not be checked for collision. */
#ifndef SLIP_IO_SRDF_H
#define SLIP_IO_SRDF_H

#include "base/base.h"
#include "geom/broadphase.h"

typedef struct {
    const char *a, *b;       /* names of links, as written */
    int line;
} slip_srdf_pair;

typedef struct {
    int npairs;
    slip_srdf_pair *pairs;   /* in the file's order        */
} slip_srdf;

/* Reads the <disable_collisions link1= link2=> elements of a <robot>. Other elements of the format describe
 * planning and are passed over; <enable_collisions> and <disable_default_collisions>, which would change the
 * meaning, are warned of. file is for messages (may be NULL), the result lies in mem's low end, report may be
 * NULL. SLIP_ERR_PARSE, SLIP_ERR_LIMIT, SLIP_ERR_UNSUPPORTED: the text; SLIP_ERR_MODEL: not an SRDF, or a
 * warning of a strict report; SLIP_ERR_WORKSPACE. out and mem are untouched then. */
slip_status slip_srdf_read(const char *text, size_t length, const char *file, slip_arena *mem, slip_srdf *out,
                           slip_report *report, slip_error *err);

/* The same from a file. Adds SLIP_ERR_FILE. */
slip_status slip_srdf_load(const char *path, slip_arena *mem, slip_srdf *out, slip_report *report, slip_error *err);

/* Puts the pairs on a broad phase's exclude list. link() gives the number of a link's name, -1 when there is
 * none: such pairs are warned of and left out. SLIP_ERR_LIMIT when the list is full. */
slip_status slip_srdf_exclude(const slip_srdf *srdf, int (*link)(void *context, const char *name), void *context,
                              slip_broadphase *bp, slip_report *report, slip_error *err);

#endif
