/* Files that a command writes. A file is written beside its name and renamed when it is complete, so that a run that
 * fails or is killed leaves what was there; no file is both read and written, or written twice, by one command. */
#ifndef SLIP_TOOLS_OUTPUT_H
#define SLIP_TOOLS_OUTPUT_H

#include <stdio.h>
#include "slipstick_parts.h"

/* Remembers the command line, so that an output is not one of its other files. Called once, by main(). */
void output_arguments(int argc, char **argv);

/* Remembers a file that is read though the command line does not name it; output_open() refuses it. */
void output_protect(const char *path);

/* Opens a file for writing (`-`: standard output); NULL, after a message on stderr, when it cannot be written or is
 * named twice on the command line. Until output_close() its bytes are in PATH.part; pipes, devices and links are
 * written directly. */
FILE *output_open(const char *command, const char *path);

/* Completes a file: 1, or 0 after a message when not all of it was written; then the file that was there stays.
 * f == NULL or standard output, which main() looks after: 1. */
int output_close(const char *command, const char *path, FILE *f);

/* Writes a plot as SVG; 0, after a message, when it cannot be written. */
int output_plot(const char *command, const char *path, const slip_plot *plot);

/* Whether output_open() would succeed, asked before the work rather than after it; a message when not. Leaves no
 * file. */
int output_can_open(const char *command, const char *path);

/* From now on a first interrupt (Ctrl-C) is left to the caller, who asks whether there was one and then ends its work
 * early and closes its files; a second one ends the process. */
void output_watch_interrupts(void);
int output_interrupted(void);

#endif
