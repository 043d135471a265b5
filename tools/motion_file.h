/* Motions as CSV files: a row per time with q and, if known, v. It reads the output of `slipstick sim --csv`. */
#ifndef SLIP_TOOLS_MOTION_FILE_H
#define SLIP_TOOLS_MOTION_FILE_H

#include "cli.h"

typedef struct {
    int n;                       /* rows                                                                  */
    double *time;                /* [n], NULL when the file has no such column                             */
    slip_real *q;                /* [n][nq]                                                                */
    slip_real *v;                /* [n][nv], NULL when the file has none                                   */
    double dt;                   /* of the time column, 0 without                                          */
} motion;

/* Reads a file (`-`: standard input). With a header line columns are found by name: `time` or `t`, `q_JOINT` and
 * `v_JOINT`, joints of several coordinates with .x .y .z .qx … behind (see `slipstick sim --csv`); others are skipped.
 * Without, they are q or q and v, in the model's order, after the time if there is one more. Lines that begin with #
 * are comments. Quaternions are x, y, z, w; v is all there or not at all. Without v, angles of continuous joints may
 * jump by whole turns. 0, after a message with line and column, when it cannot be used. */
int  motion_read(const char *command, const char *path, const slip_model *model, motion *out);
void motion_free(motion *m);

/* Whether the first coordinate of a motion without time rises from 0 in even steps: is it the time, and another column
 * missing? */
int motion_begins_like_time(const motion *m, int nq);

/* The name of coordinate i of q (is_q) or v, with its prefix, as in the files. */
void motion_name(const slip_model *model, int is_q, const char *prefix, int i, char *text, int size);

#endif
