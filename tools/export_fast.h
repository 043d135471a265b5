/* `slipstick export --fast`: the dynamics of one robot as straight-line C, for one state or for 4 or 8 at a time. */
#ifndef SLIP_TOOLS_EXPORT_FAST_H
#define SLIP_TOOLS_EXPORT_FAST_H

#include "export.h"

/* Writes PREFIX_fast.c, PREFIX_fast.h, PREFIX_fast_x4.c and PREFIX_fast_x8.c for an exported robot, whose header they
 * include; what each function costs goes to stdout unless quiet. 0 after a message. */
int export_fast(const char *prefix, const export_robot *r, int quiet);

#endif
