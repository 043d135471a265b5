/* Loading a file of shape pairs: read it, and give the reader memory until it is enough. */
#include "pair_file.h"

#include <stdlib.h>
#include <string.h>

void *pair_file_load(const char *command, const char *path, slip_pairs *pairs)
{
    slip_status s = SLIP_ERR_WORKSPACE;
    slip_error err;
    size_t length, size;
    char *text = cli_read_file(command, path, &length);
    void *block = NULL;

    if (!text) return NULL;
    for (size = 64*length + ((size_t)1 << 16); s == SLIP_ERR_WORKSPACE && size < (size_t)-1/4; size *= 4) {
        slip_arena arena = slip_arena_over(block = cli_alloc(size), size);

        slip_error_clear(&err);
        s = slip_pairs_read(text, length, &arena, pairs, &err);
        if (s < 0) free(block);
    }
    free(text);
    if (s >= 0 && pairs->n > 0) return block;
    if (s >= 0) {
        free(block);
        slip_fail(&err, SLIP_ERR_PARSE, 0, 0, "no pairs in it: a line 'pair ID' and two shapes are expected");
    }
    slip_error_set_file(&err, strcmp(path, "-") == 0 ? "(standard input)" : path);
    cli_error(&err);
    return NULL;
}
