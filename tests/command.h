/* Running the `slipstick` command from a test and looking at what it did. */
#ifndef SLIP_TESTS_COMMAND_H
#define SLIP_TESTS_COMMAND_H

#include <stddef.h>

enum { COMMAND_TEXT = 1 << 20 };

typedef struct {
    int code;                          /* exit code; -1 when it did not exit by itself    */
    char out[COMMAND_TEXT];            /* standard output, terminated, cut when longer    */
    char err[COMMAND_TEXT];            /* standard error                                  */
} command_result;

/* Runs `slipstick ARGUMENTS` (a shell line, so quote what needs it) with `input` on its standard input, NULL
 * for none. The environment variable SLIP_TEST_RUN is put before the command: an emulator, or valgrind. */
void command_run(const char *arguments, const char *input, command_result *r);

/* A file's text, terminated and cut when longer, empty when there is no file; returns its length. */
size_t command_read(const char *path, char *text, size_t size);
void   command_write(const char *path, const char *text);

/* A file below the build's directory with the given text; returns its path, the same buffer every time for
 * the same `slot` (0 .. 7). */
const char *command_file(int slot, const char *text);

/* Numbers after `word` at the start of a line of text, the first one after `from` (NULL: anywhere). Returns
 * how many there are, -1 when there is no such line. */
int command_numbers(const char *text, const char *from, const char *word, double *x, int most);

#endif
