/* Contact problems as text.
 *
 *     contact-problem 1
 *     name <text to the end of the line>
 *     source <text>                                  optional
 *     nc N
 *     nl N                                           optional: limits
 *     nb N                                           optional: bilateral rows
 *     mu <nc numbers>
 *     g <n = 3 nc + nl + nb numbers: t1 t2 n of contact 0, of contact 1, ..., limits, bilateral rows>
 *     R <n numbers>                                  optional: compliance
 *     vmin <nc + nl numbers>                         optional: lowest velocities, for ccp-barrier
 *     distance <nc + nl numbers>                     optional: gaps [m], for ccp-barrier
 *     blocks K
 *     i j  a11 a12 a13 a21 a22 a23 a31 a32 a33       K lines: block of G in rows of block i, columns of j
 *
 * One item per line, in this order; fields separated by blanks; i and j count from 0 over contacts, limits and
 * bilateral rows; a block has 3 rows (columns) for a contact, 1 for the others; both triangles are listed, in any
 * order, none twice; blocks that are not listed are zero. Only mu may be infinite (inf). */
#ifndef SLIP_IO_PROBLEM_H
#define SLIP_IO_PROBLEM_H

#include "contact/problem.h"
#include "io/stream.h"

/* Reads a problem from text[0..length) into the low end of the arena (scratch at the high end is used and released);
 * p->G comes out dense or in blocks, whichever suits it, its pattern symmetric and with all diagonal blocks, and
 * p->G.symmetric is set when it is (to 1e-12). Numbers must be finite, mu >= 0, G symmetric within 1 % and not
 * clearly indefinite.
 * SLIP_ERR_PARSE, SLIP_ERR_ARGUMENT, SLIP_ERR_NOT_SPD with line and column in err; SLIP_ERR_WORKSPACE when it does
 * not fit; p and the arena are then as before. slip_problem_bytes(length) bytes always suffice. */
slip_status slip_problem_read(const char *text, size_t length, slip_arena *mem, slip_problem *p, slip_error *err);
size_t      slip_problem_bytes(size_t length);

/* The same from a file. */
slip_status slip_problem_load(const char *path, slip_arena *mem, slip_problem *p, slip_error *err);

/* Writes a problem. Numbers read back to the same bits, but G comes back without its factor (see slip_delassus).
 * name and source, each one line, may be NULL. SLIP_ERR_FILE when the stream refuses. */
slip_status slip_problem_write(const slip_problem *p, const char *name, const char *source, slip_stream *out);

#endif
