/* See command.h. POSIX: system() and its exit status. */
#define _POSIX_C_SOURCE 200112L

#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "unity.h"

static void command_path(char path[256], const char *what, int slot)
{
    snprintf(path, 256, "%s.test-%s%d-%ld", SLIP_TEST_BIN, what, slot, (long)getpid());
}

size_t command_read(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "rb");
    size_t n = 0;

    if (f) {
        n = fread(text, 1, size - 1, f);
        fclose(f);
    }
    text[n] = '\0';
    return n;
}

void command_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");

    TEST_ASSERT_NOT_NULL_MESSAGE(f, path);
    fwrite(text, 1, strlen(text), f);
    fclose(f);
}

void command_run(const char *arguments, const char *input, command_result *r)
{
    static char line[4096];
    char out[256], err[256], in[256];
    const char *prefix = getenv("SLIP_TEST_RUN");
    int status;

    command_path(out, "out", 0);
    command_path(err, "err", 0);
    command_path(in, "in", 0);
    command_write(in, input ? input : "");
    snprintf(line, sizeof line, "%s '%s' <'%s' >'%s' 2>'%s' %s", prefix ? prefix : "", SLIP_TEST_BIN, in, out, err,
             arguments);                                         /* last, so that they may redirect by themselves */
    status = system(line);
    r->code = status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    command_read(out, r->out, sizeof r->out);
    command_read(err, r->err, sizeof r->err);
    remove(out);
    remove(err);
    remove(in);
}

const char *command_file(int slot, const char *text)
{
    static char paths[8][256];

    command_path(paths[slot], "file", slot);
    command_write(paths[slot], text);
    return paths[slot];
}

int command_numbers(const char *text, const char *from, const char *word, double *x, int most)
{
    const size_t length = strlen(word);
    const char *line = from ? strstr(text, from) : text;
    int n = 0;

    for (; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (strncmp(line, word, length) != 0 || (line[length] != ' ' && line[length] != '\n')) continue;
        for (line += length; *line != '\n' && *line; ++n) {
            char *end;
            const double y = strtod(line, &end);

            if (end == line) return n;
            if (n < most) x[n] = y;
            line = end;
        }
        return n;
    }
    return -1;
}
