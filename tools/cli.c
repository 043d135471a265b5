/* Options, messages, memory and files for the sub-commands. See cli.h. */
#define _POSIX_C_SOURCE 200112L   /* clock_gettime, mkdir */

#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef _WIN32
#include <direct.h>
#define mkdir(path, mode) _mkdir(path)
#endif

void cli_begin(cli_args *args, int argc, char **argv)
{
    args->argc = argc;
    args->argv = argv;
    args->at = 1;
    args->command = argv[0];
    args->option = args->value = NULL;
    args->only_operands = 0;
}

/* Splits "--name=value" in place at the equals sign. */
static void cli_split_option(cli_args *args, char *word)
{
    char *equals = strchr(word, '=');

    args->option = word;
    args->value = NULL;
    if (equals) {
        *equals = '\0';
        args->value = equals + 1;
    }
}

int cli_next(cli_args *args)
{
    char *word;

    if (args->at >= args->argc) return 0;
    word = args->argv[args->at++];
    if (!args->only_operands && word[0] == '-' && word[1] != '\0') {
        if (strcmp(word, "--") == 0) {
            args->only_operands = 1;
            return cli_next(args);
        }
        cli_split_option(args, word);
        return 1;
    }
    args->option = NULL;
    args->value = word;
    return 2;
}

int cli_is(const cli_args *args, const char *name)
{
    return args->option && strcmp(args->option, name) == 0;
}

const char *cli_value(cli_args *args)
{
    if (args->value) return args->value;
    if (args->at < args->argc) return args->value = args->argv[args->at++];
    cli_usage(args, "%s needs a value", args->option);
    return NULL;
}

int cli_value_real(cli_args *args, double lo, double hi, double *x)
{
    const char *text = cli_value(args);
    double y;

    if (!text) return 0;
    if (slip_read_double(text, (int)strlen(text), &y) != (int)strlen(text) || !(y >= lo && y <= hi)) {
        cli_usage(args, "%s: '%s' is not a number from %g to %g", args->option, text, lo, hi);
        return 0;
    }
    *x = y;
    return 1;
}

int cli_value_int(cli_args *args, int lo, int hi, int *x)
{
    const char *text = cli_value(args);
    int y;

    if (!text) return 0;
    if (slip_read_int(text, (int)strlen(text), &y) != (int)strlen(text) || y < lo || y > hi) {
        cli_usage(args, "%s: '%s' is not a whole number from %d to %d", args->option, text, lo, hi);
        return 0;
    }
    *x = y;
    return 1;
}

int cli_value_path(cli_args *args, cli_paths *paths)
{
    if (!cli_value(args)) return 0;
    if (paths->n == CLI_MOST_PATHS) return cli_usage(args, "more than %d package paths", (int)CLI_MOST_PATHS), 0;
    paths->dir[paths->n++] = args->value;
    return 1;
}

int cli_value_base(cli_args *args, int *base)
{
    const char *value = cli_value(args);

    if (!value) return 0;
    *base = strcmp(value, "free") == 0 ? 1 : strcmp(value, "fixed") == 0 ? 2 : 0;
    return *base ? 1 : (cli_usage(args, "--base '%s', expected free or fixed", value), 0);
}

int cli_value_repair(cli_args *args, double *armature)
{
    const char *value = cli_value(args);
    slip_real x = 0;

    if (!value) return 0;
    if (strcmp(value, "none") == 0) return *armature = -1, 1;
    if (strncmp(value, "armature=", 9) == 0) {
        const int n = (int)strlen(value) - 9;

        if (slip_read_real(value + 9, n, &x) != n || !(x > 0 && x <= SLIP_MOST_MASS)) x = 0;
    }
    *armature = (double)x;
    return x > 0 ? 1 : (cli_usage(args, "--repair '%s', expected 'none' or armature=X with X > 0", value), 0);
}

int cli_unknown(const cli_args *args)
{
    return cli_usage(args, "unknown option '%s'", args->option);
}

int cli_usage(const cli_args *args, const char *format, ...)
{
    va_list list;

    fprintf(stderr, "slipstick %s: ", args->command);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\nTry 'slipstick %s --help'.\n", args->command);
    return CLI_USAGE;
}

int cli_fail(const char *command, const char *format, ...)
{
    va_list list;

    fprintf(stderr, "slipstick %s: ", command);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return CLI_FAILED;
}

void cli_error(const slip_error *err)
{
    char text[1024];

    slip_error_text(err, text, (int)sizeof text);
    fprintf(stderr, "slipstick: %s\n", text);
}

static void cli_print_warning(void *context, const slip_error *warning)
{
    char text[1024];

    (void)context;
    slip_error_text(warning, text, (int)sizeof text);
    fprintf(stderr, "slipstick: warning: %s\n", text);
}

slip_report cli_report(int strict)
{
    slip_report r;

    r.warn = cli_print_warning;
    r.context = NULL;
    r.strict = strict;
    r.count = 0;
    return r;
}

static double cli_clock(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

double cli_seconds(void) { return cli_clock(CLOCK_MONOTONIC); }
double cli_cpu_seconds(void) { return cli_clock(CLOCK_PROCESS_CPUTIME_ID); }

void *cli_alloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);

    if (!p) {
        fprintf(stderr, "slipstick: out of memory (%lu bytes asked for)\n", (unsigned long)bytes);
        exit(CLI_FAILED);
    }
    return p;
}

char *cli_read_file(const char *command, const char *path, size_t *length)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t room = 1 << 16, n = 0;
    char *text;

    if (!f) { cli_fail(command, "%s: %s", path, strerror(errno)); return NULL; }
    text = (char *)cli_alloc(room);
    for (;;) {
        const size_t got = fread(text + n, 1, room - n - 1, f);
        char *more;

        n += got;
        if (n < room - 1) break;
        more = (char *)cli_alloc(2*room);
        memcpy(more, text, n);
        free(text);
        text = more;
        room *= 2;
    }
    if (ferror(f)) {
        cli_fail(command, "%s: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (f != stdin) fclose(f);
    if (!text) return NULL;
    text[n] = '\0';
    *length = n;
    return text;
}

void cli_json_text(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    fputc('"', out);
    for (; *s; ++s) {
        if (*s == '"' || *s == '\\') fprintf(out, "\\%c", *s);
        else if (*s < 32)            fprintf(out, "\\u%04x", *s);
        else                         fputc(*s, out);
    }
    fputc('"', out);
}

int cli_make_directory(const char *command, const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return 1;
    return cli_fail(command, "cannot make the directory '%s': %s", path, strerror(errno)), 0;
}

const char *cli_next_line(const char **at, int *line, int *length)
{
    while (**at) {
        const char *text = *at, *end = strchr(text, '\n');

        *length = (int)(end ? end - text : (long)strlen(text));
        *at = end ? end + 1 : text + *length;
        *line += 1;
        while (*length > 0 && (text[*length - 1] == '\r' || text[*length - 1] == ' ')) *length -= 1;
        if (*length > 0 && text[0] != '#') return text;
    }
    return NULL;
}
