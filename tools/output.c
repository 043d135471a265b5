/* See output.h. */
#define _POSIX_C_SOURCE 200112L   /* lstat, readlink */

#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli.h"
#ifndef __wasi__                                 /* WASI has no signals */
#include <signal.h>
#endif
#ifdef _WIN32
#define lstat stat
#define ssize_t int
#define readlink(path, to, size) ((void)(path), (void)(to), (void)(size), -1)        /* no links */
#else
#include <unistd.h>
#endif

enum { OUTPUT_LINKS = 40 };                      /* as many as Linux follows; a loop of them has no end */

/* ---- the other files of the command line ------------------------------------------------------------------------- */

static const char **output_words;                /* of the command line, of --name=value the value */
static int output_nwords;

void output_arguments(int argc, char **argv)
{
    int i;

    output_words = (const char **)cli_alloc((size_t)argc*sizeof *output_words);
    output_nwords = argc;
    for (i = 0; i < argc; ++i) {
        const char *value = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;

        output_words[i] = value ? value + 1 : argv[i];
    }
}

/* Whether two paths name one file or directory that exists. Where files have no numbers (Windows): 0. */
static int output_is_one(const char *a, const char *b)
{
    struct stat of_a, of_b;

    if (stat(a, &of_a) != 0 || stat(b, &of_b) != 0) return 0;
    return of_a.st_ino != 0 && of_a.st_ino == of_b.st_ino && of_a.st_dev == of_b.st_dev;
}

/* The directory of a path; free() it. */
static char *output_directory(const char *path, const char **last)
{
    const char *slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    char *directory = (char *)cli_alloc(n + 3);

    sprintf(directory, "%.*s.", (int)n, path);
    *last = slash ? slash + 1 : path;
    return directory;
}

/* Where a link leads that leads to nothing yet: writing to it makes that file. Else the path itself; free() it. */
static char *output_target(const char *path)
{
    char *at = (char *)cli_alloc(strlen(path) + 1);
    struct stat s;
    int links;

    strcpy(at, path);
    for (links = 0; links < OUTPUT_LINKS && stat(at, &s) != 0; ++links) {
        char to[1024];
        const ssize_t n = readlink(at, to, sizeof to - 1);
        const char *last;
        char *directory, *next;

        if (n <= 0) break;
        to[n] = '\0';
        directory = output_directory(at, &last);
        next = (char *)cli_alloc(strlen(directory) + (size_t)n + 2);
        sprintf(next, "%s%s%s", *to == '/' ? "" : directory, *to == '/' ? "" : "/", to);
        free(directory);
        free(at);
        at = next;
    }
    return at;
}

/* Whether two paths name one file, that there is or would be. */
static int output_is_same(const char *a, const char *b)
{
    const char *last_a, *last_b;
    char *to_a, *to_b, *of_a, *of_b;
    int same;

    if (strcmp(a, b) == 0 || output_is_one(a, b)) return 1;
    to_a = output_target(a);
    to_b = output_target(b);
    of_a = output_directory(to_a, &last_a);
    of_b = output_directory(to_b, &last_b);
    same = strcmp(last_a, last_b) == 0 && output_is_one(of_a, of_b);
    free(of_a);
    free(of_b);
    free(to_a);
    free(to_b);
    return same;
}

/* ---- files that are read without being on the command line ------------------------------------------------------- */

typedef struct output_input { struct output_input *next; char path[1]; } output_input;
static output_input *output_inputs;

void output_protect(const char *path)
{
    output_input *i = (output_input *)cli_alloc(sizeof *i + strlen(path));

    strcpy(i->path, path);
    i->next = output_inputs;
    output_inputs = i;
}

static int output_is_input(const char *path)
{
    const output_input *i = output_inputs;

    while (i && !output_is_same(path, i->path)) i = i->next;
    return i != NULL;
}

/* Whether the command line names this file more than once. */
static int output_is_shared(const char *path)
{
    int i, n = 0;

    for (i = 2; i < output_nwords; ++i) n += output_is_same(path, output_words[i]);      /* behind the command */
    return n > 1;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

static int output_is_stdout(const char *path) { return strcmp(path, "-") == 0; }

/* Whether a path is written directly: a pipe, a device, or a link, which renaming would replace. */
static int output_is_direct(const char *path)
{
    struct stat s;

    return lstat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

/* The name under which a file is written until it is complete; free() it. */
static char *output_part(const char *path)
{
    const size_t length = strlen(path);
    char *part = (char *)cli_alloc(length + sizeof ".part");

    memcpy(part, path, length);
    memcpy(part + length, ".part", sizeof ".part");
    return part;
}

static int output_fail(const char *command, const char *path)
{
    cli_fail(command, "cannot write '%s': %s", path, errno ? strerror(errno) : "unknown reason");
    return 0;
}

/* Makes sure that an existing file may be replaced: renaming does not ask for permission to write it. */
static int output_is_writable(const char *path)
{
    FILE *f = fopen(path, "r+b");

    if (!f) return errno == ENOENT;
    return fclose(f) == 0;
}

FILE *output_open(const char *command, const char *path)
{
    char *part;
    FILE *f;

    if (output_is_stdout(path)) return stdout;
    if (output_is_shared(path)) {
        cli_fail(command, "cannot write '%s': the command line names this file twice", path);
        return NULL;
    }
    if (output_is_input(path)) {
        cli_fail(command, "cannot write '%s': it is an input, a file that the scene or robot names", path);
        return NULL;
    }
    errno = 0;
    if (output_is_direct(path)) f = fopen(path, "wb");
    else {
        part = output_part(path);
        f = output_is_writable(path) ? fopen(part, "wb") : NULL;
        free(part);
    }
    if (!f) output_fail(command, path);
    return f;
}

int output_close(const char *command, const char *path, FILE *f)
{
    int ok;
    char *part;

    if (!f || f == stdout) return 1;
    errno = 0;
    ok = !ferror(f);
    ok &= fclose(f) == 0;
    if (output_is_direct(path)) return ok || output_fail(command, path);
    part = output_part(path);
#ifdef _WIN32
    if (ok) remove(path);                                /* rename() does not replace a file there */
#endif
    ok = ok && rename(part, path) == 0;
    if (!ok) output_fail(command, path);
    if (!ok) remove(part);
    free(part);
    return ok;
}

int output_plot(const char *command, const char *path, const slip_plot *plot)
{
    FILE *f = output_open(command, path);
    slip_stream out;

    if (!f) return 0;
    slip_stream_file(f, &out);
    slip_svg_plot(plot, &out);
    slip_stream_flush(&out);                             /* output_close() sees what went wrong */
    return output_close(command, path, f);
}

int output_can_open(const char *command, const char *path)
{
    struct stat s;
    char *part;
    FILE *f;

    if (output_is_stdout(path)) return 1;
    if (output_is_direct(path) && (stat(path, &s) != 0 || !S_ISDIR(s.st_mode))) return 1;    /* a pipe has to be open
                                                                                                 at its other end */
    f = output_open(command, path);
    if (!f) return 0;
    fclose(f);
    part = output_part(path);
    remove(part);
    free(part);
    return 1;
}

/* ---- interrupts -------------------------------------------------------------------------------------------------- */

#ifndef __wasi__
static volatile sig_atomic_t output_stop;

static void output_on_interrupt(int number)
{
    output_stop = 1;
    signal(number, SIG_DFL);
}

void output_watch_interrupts(void) { signal(SIGINT, output_on_interrupt); }

int output_interrupted(void) { return output_stop != 0; }
#else
void output_watch_interrupts(void) { }

int output_interrupted(void) { return 0; }
#endif
