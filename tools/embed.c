/* Makes src/io/replay_page.c from the files of src/io/replay_page: embed DIRECTORY > replay_page.c.
 * A line "@include name" stands for the file of that name. Run by `make page`. The text becomes arrays of characters of
 * a few thousand each (C99 promises 4095): as objects of their own they leave a program that writes no page, while a
 * linker cannot tell strings in a table apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EMBED_MOST = 4000 };              /* characters of an array; a line has fewer */

static const char *part_name;            /* of the arrays being written ... */
static int parts;                        /* ... and how many there are, the last one open */
static size_t part_length;

static void embed_text(const char *s, size_t n)
{
    size_t i;

    if (parts == 0 || part_length + n + 1 > EMBED_MOST) {
        printf("%s\nstatic const char replay_page_%s_%d[] =\n", parts ? "    ;\n" : "", part_name, parts);
        ++parts;
        part_length = 0;
    }
    part_length += n + 1;
    fputs("    \"", stdout);
    for (i = 0; i < n; ++i) {
        const unsigned char c = (unsigned char)s[i];

        if (c == '"' || c == '\\') printf("\\%c", c);
        else if (c == '?' && i > 0 && s[i - 1] == '?') fputs("\\?", stdout);      /* no trigraphs */
        else if (c < 0x20 || c > 0x7e) printf("\\%03o", c);
        else putchar(c);
    }
    fputs("\\n\"\n", stdout);
}

static void embed_file(const char *directory, const char *name, int deep)
{
    char path[1024], line[4000];
    FILE *f;

    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path || !(f = fopen(path, "rb"))) {
        fprintf(stderr, "embed: cannot read %s/%s\n", directory, name);
        exit(1);
    }
    while (fgets(line, sizeof line, f)) {
        size_t n = strlen(line);

        if (n + 1 == sizeof line) {
            fprintf(stderr, "embed: %s: a line is too long\n", path);
            exit(1);
        }
        while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r')) --n;
        line[n] = '\0';
        if (strncmp(line, "@include ", 9) == 0 && deep < 4) embed_file(directory, line + 9, deep + 1);
        else embed_text(line, n);
    }
    fclose(f);
}

static void embed_function(const char *directory, const char *what)
{
    char name[64];
    int i;

    snprintf(name, sizeof name, "%s.html", what);
    part_name = what;
    parts = 0;
    embed_file(directory, name, 0);
    printf("    ;\n\nstatic const char *const replay_page_%s_parts[] = {\n", what);
    for (i = 0; i < parts; ++i) printf("    replay_page_%s_%d,\n", what, i);
    printf("    NULL\n};\n\nconst char *const *slip_replay_page_%s(void) { return replay_page_%s_parts; }\n", what,
           what);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    fputs("/* Made by `make page` from the files in replay_page/; change those, not this. */\n#include "
          "\"io/replay_private.h\"\n", stdout);
    embed_function(argv[1], "head");
    embed_function(argv[1], "tail");
    return 0;
}
