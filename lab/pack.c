/* Joins the laboratory into one page: pack TEMPLATE PROGRAM.wasm VERSION MODEL... > lab.html. Run by `make lab`.
 * In the template and in the files it includes, a line of its own
 *     @include PATH      stands for that file; PATH is relative to the directory in which make runs
 *     @program           for the program in base64
 *     @version           for a JavaScript string
 *     @models            for "path": "text", of each model, as JavaScript strings that cannot end a <script>
 *     @text PATH         for the text of a file as one JavaScript string */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program, *version;
static char **models;
static int nmodels;

static void fail(const char *what, const char *path)
{
    fprintf(stderr, "pack: %s %s\n", what, path);
    exit(1);
}

static unsigned char *whole_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = NULL;
    size_t room = 0, got;

    if (!f) fail("cannot read", path);
    *n = 0;
    do {
        room = room ? 2*room : 65536;
        bytes = (unsigned char *)realloc(bytes, room);
        if (!bytes) fail("no memory for", path);
        got = fread(bytes + *n, 1, room - *n, f);
        *n += got;
    } while (got > 0 && *n == room);
    if (ferror(f)) fail("cannot read", path);
    fclose(f);
    return bytes;
}

static void put_string(const unsigned char *s, size_t n)
{
    size_t i;

    putchar('"');
    for (i = 0; i < n; ++i) {
        if (s[i] == '"' || s[i] == '\\') printf("\\%c", s[i]);
        else if (s[i] == '\n') fputs("\\n", stdout);
        else if (s[i] < 0x20 || s[i] == '<') printf("\\u%04x", s[i]);
        else putchar(s[i]);
    }
    putchar('"');
}

static void put_base64(const char *path)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n, i;
    unsigned char *b = whole_file(path, &n);

    for (i = 0; i < n; i += 3) {
        const unsigned x = (unsigned)b[i] << 16 | (i + 1 < n ? (unsigned)b[i + 1] << 8 : 0) | (i + 2 < n ? b[i + 2] : 0);

        putchar(digit[x >> 18]);
        putchar(digit[x >> 12 & 63]);
        putchar(i + 1 < n ? digit[x >> 6 & 63] : '=');
        putchar(i + 2 < n ? digit[x & 63] : '=');
    }
    free(b);
}

static void put_models(void)
{
    int i;

    for (i = 0; i < nmodels; ++i) {
        size_t n;
        unsigned char *text = whole_file(models[i], &n);

        put_string((const unsigned char *)models[i], strlen(models[i]));
        fputs(": ", stdout);
        put_string(text, n);
        fputs(",\n", stdout);
        free(text);
    }
}

static void put_page(const char *path, int deep)
{
    size_t n, at = 0;
    unsigned char *text;

    if (deep > 4) fail("files include one another:", path);
    text = whole_file(path, &n);
    while (at < n) {
        const unsigned char *line = text + at, *end = (const unsigned char *)memchr(line, '\n', n - at);
        const size_t length = end ? (size_t)(end - line) : n - at;
        char name[512];

        at += length + (end != NULL);
        memcpy(name, line, length < sizeof name - 1 ? length : sizeof name - 1);
        name[length < sizeof name - 1 ? length : sizeof name - 1] = '\0';
        if (strncmp(name, "@include ", 9) == 0) put_page(name + 9, deep + 1);
        else if (strcmp(name, "@program") == 0) put_base64(program);
        else if (strcmp(name, "@version") == 0) put_string((const unsigned char *)version, strlen(version));
        else if (strcmp(name, "@models") == 0) put_models();
        else if (strncmp(name, "@text ", 6) == 0) {
            size_t m;
            unsigned char *t = whole_file(name + 6, &m);

            put_string(t, m);
            free(t);
        } else {
            fwrite(line, 1, length, stdout);
            putchar('\n');
        }
    }
    free(text);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("pack TEMPLATE PROGRAM.wasm VERSION MODEL... > lab.html\n", stderr);
        return 2;
    }
    program = argv[2];
    version = argv[3];
    models = argv + 4;
    nmodels = argc - 4;
    put_page(argv[1], 0);
    return fflush(stdout) != 0 || ferror(stdout);
}
