/* Loading a file of shape pairs for the tools. */
#ifndef SLIP_TOOLS_PAIR_FILE_H
#define SLIP_TOOLS_PAIR_FILE_H

#include "cli.h"
#include "pairs.h"

/* Reads the file (`-`: standard input). Returns the memory that the pairs live in, to be freed; NULL, with a message,
 * on failure. */
void *pair_file_load(const char *command, const char *path, slip_pairs *pairs);

#endif
