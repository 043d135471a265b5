/* Joins the library into one source and two headers:
 *
 *     amalgamate OUTDIR LICENSE slipstick.h slipstick_parts.h SOURCE.c...
 *
 * OUTDIR/slipstick.h has exactly the headers that src/slipstick.h names, in its order; headers that these include in
 * turn are for the sources and left out. OUTDIR/slipstick_parts.h includes slipstick.h and adds every other header that
 * src/slipstick_parts.h reaches. OUTDIR/slipstick.c includes slipstick.h alone, repeats the declarations of the parts
 * and joins all sources in the order given. A header that neither reaches is internal: it is put in place where it is
 * first needed, and each function it declares gets SLIP_PRIVATE in front, which is `static` unless the builder says
 * otherwise; C then gives the definition, further down, internal linkage too. System headers are included once. Text
 * from src/io is left out under SLIP_NO_READERS, and what it includes of the system under SLIP_NO_IO: that of files.
 *
 * Paths are relative to the current directory; headers are looked for below src/. Run by `make dist`. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 512, MOST_DEPTH = 64 };

typedef struct {
    FILE *out;
    int blank;                                           /* the last line written was blank */
    int private_too;                                     /* functions of headers get SLIP_PRIVATE */
    int named_only;                                      /* only headers that the first file names                    */
} writer;

static char *seen[MOST_FILES];                           /* headers put in place, system headers included */
static int nseen;

static void die(const char *what, const char *name)
{
    fprintf(stderr, "amalgamate: %s: %s\n", name, what);
    exit(1);
}

static char *copy_text(const char *s, size_t n)
{
    char *t = (char *)malloc(n + 1);

    if (!t) die("out of memory", "");
    memcpy(t, s, n);
    t[n] = '\0';
    return t;
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    long n;
    char *text;

    if (!f || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0)
        die("cannot be read", path);
    text = (char *)malloc((size_t)n + 2);
    if (!text || fread(text, 1, (size_t)n, f) != (size_t)n) die("cannot be read", path);
    fclose(f);
    if (n > 0 && text[n - 1] != '\n') text[n++] = '\n';
    text[n] = '\0';
    return text;
}

/* Remembers a header; 0 when it was there already. */
static int see(const char *name, size_t length)
{
    int i;

    for (i = 0; i < nseen; ++i)
        if (strlen(seen[i]) == length && memcmp(seen[i], name, length) == 0) return 0;
    if (nseen == MOST_FILES) die("too many headers", name);
    seen[nseen++] = copy_text(name, length);
    return 1;
}

/* One line with its newline; never two blank ones in a row. */
static void write_line(writer *w, const char *line, size_t length)
{
    size_t i = 0;

    while (i < length && isspace((unsigned char)line[i])) ++i;
    if (i == length && w->blank) return;
    w->blank = i == length;
    if (w->blank) fputc('\n', w->out);
    else fwrite(line, 1, length, w->out);
}

static void write_text(writer *w, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "\n") + 1;

        write_line(w, text, n);
        text += n;
    }
}

/* ---- include guards --------------------------------------------------------------------------------------- */

/* Blanks "#ifndef X / #define X" and the last "#endif" of a header: in one file they guard nothing. */
static void drop_guard(char *text)
{
    char *open = strstr(text, "#ifndef SLIP_"), *define, *close = NULL, *at;

    if (!open) return;
    define = strchr(open, '\n') + 1;
    if (strncmp(define, "#define SLIP_", 13) != 0) return;
    for (at = define; (at = strstr(at, "#endif")) != NULL; ++at) close = at;
    if (!close) return;
    memset(close, ' ', strcspn(close, "\n"));
    memset(open, ' ', strcspn(open, "\n"));
    memset(define, ' ', strcspn(define, "\n"));
}

/* ---- which statements of a header declare functions --------------------------------------------------------- */

/* The end of a comment, a literal or a preprocessor line that begins at s; s itself when none does. */
static const char *skip_opaque(const char *s)
{
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");

        return end ? end + 2 : s + strlen(s);
    }
    if (*s == '#') {
        while (*s && *s != '\n') s += s[0] == '\\' && s[1] == '\n' ? 2 : 1;
        return s;
    }
    if (*s == '"' || *s == '\'') {
        const char quote = *s++;

        while (*s && *s != quote) s += *s == '\\' && s[1] ? 2 : 1;
        return *s ? s + 1 : s;
    }
    return s;
}

/* Whether a declaration without braces is not one of a function: the others are prototypes, and functions
 * declared through a typedef (`near_form slip_near_box_sphere;`), as headers say `extern` of their objects. */
static int begins_with_other(const char *s)
{
    static const char *const words[] = { "typedef ", "static ", "extern ", "struct ", "union ", "enum " };
    size_t i;

    for (i = 0; i < sizeof words/sizeof *words; ++i)
        if (strncmp(s, words[i], strlen(words[i])) == 0) return 1;
    return 0;
}

/* Scans one statement at file scope from s; returns its end. *declares: it is a function's declaration. */
static const char *scan_statement(const char *s, int *declares)
{
    const char *start = s;
    int depth = 0, arguments = 0, braces = 0;

    *declares = 0;
    for (; *s; ++s) {
        const char *next = skip_opaque(s);

        if (next != s) { s = next - 1; continue; }
        if (*s == '(' && depth == 0 && !braces) arguments = 1;
        if (*s == '(' || *s == '{') ++depth;
        if (*s == '{') braces = 1;
        if (*s == ')' || *s == '}') --depth;
        if (*s == '}' && depth == 0 && arguments) return s + 1;          /* a body */
        if (*s == ';' && depth == 0) {
            *declares = !braces && !begins_with_other(start);
            return s + 1;
        }
    }
    return s;
}

/* A copy of a header's text with SLIP_PRIVATE before each declaration of a function. */
static char *mark_private(const char *text)
{
    char *marked = (char *)malloc(4*strlen(text) + 64), *to = marked;
    const char *s = text;

    if (!marked) die("out of memory", "");
    while (*s) {
        const char *next = skip_opaque(s);
        int declares = 0;

        if (next == s && !isspace((unsigned char)*s)) next = scan_statement(s, &declares);
        else if (next == s) next = s + 1;
        if (declares) to += sprintf(to, "SLIP_PRIVATE ");
        memcpy(to, s, (size_t)(next - s));
        to += next - s;
        s = next;
    }
    *to = '\0';
    return marked;
}

/* ---- putting files in place --------------------------------------------------------------------------------- */

static void place_file(writer *w, const char *path, int is_header, int depth);

/* The name in an include line, and which kind: '"', '<' or 0 for any other line. */
static char include_of(const char *line, const char **name, size_t *length)
{
    const char *s = line;

    if (strncmp(s, "#include", 8) != 0) return 0;
    s += 8;
    while (*s == ' ') ++s;
    if (*s != '"' && *s != '<') return 0;
    *name = s + 1;
    *length = strcspn(s + 1, "\">\n");
    return *s;
}

static void place_line(writer *w, const char *line, size_t length, int depth)
{
    const char *name;
    size_t n;
    char path[512];

    switch (include_of(line, &name, &n)) {
    case '<':
        if (see(name, n)) write_line(w, line, length);
        break;
    case '"':
        if ((w->named_only && depth > 0) || !see(name, n)) break;
        if (n + 5 > sizeof path) die("name too long", name);
        sprintf(path, "src/%.*s", (int)n, name);
        place_file(w, path, 1, depth + 1);
        break;
    default: write_line(w, line, length); break;
    }
}

static void place_file(writer *w, const char *path, int is_header, int depth)
{
    char *text = read_text(path), *marked = NULL;
    const int io = strncmp(path, "src/io/", 7) == 0;
    const char *s;

    if (depth > MOST_DEPTH) die("headers include each other too deeply", path);
    if (is_header && depth > 0) drop_guard(text);
    if (is_header && w->private_too) marked = mark_private(text);
    if (io) write_text(w, "\n#ifndef SLIP_NO_READERS\n");
    for (s = marked ? marked : text; *s; s += strcspn(s, "\n") + 1) place_line(w, s, strcspn(s, "\n") + 1, depth);
    if (io) write_text(w, "#endif\n");
    free(marked);
    free(text);
}

/* System headers of a public header go to the top, outside of extern "C". */
static void place_system_headers(writer *w, const char *path, int depth)
{
    char *text = read_text(path), *s;
    const int io = strncmp(path, "src/io/", 7) == 0;

    if (depth > MOST_DEPTH) die("headers include each other too deeply", path);
    for (s = text; *s; s += strcspn(s, "\n") + 1) {
        const char *name;
        size_t n;
        char next[512];
        const char kind = include_of(s, &name, &n);

        if (kind == '<' && see(name, n)) {
            if (io) write_text(w, "#if !defined SLIP_NO_IO && !defined SLIP_NO_READERS\n");
            write_line(w, s, strcspn(s, "\n") + 1);
            if (io) write_text(w, "#endif\n");
        }
        if (kind != '"' || (w->named_only && depth > 0) || n + 5 > sizeof next || !see(name, n)) continue;
        sprintf(next, "src/%.*s", (int)n, name);
        place_system_headers(w, next, depth + 1);
    }
    free(text);
}

/* ---- the three files -------------------------------------------------------------------------------------------- */

static FILE *open_out(const char *folder, const char *name)
{
    char path[1024];
    FILE *f;

    if (strlen(folder) + strlen(name) + 2 > sizeof path) die("path too long", folder);
    sprintf(path, "%s/%s", folder, name);
    f = fopen(path, "wb");
    if (!f) die("cannot be written", path);
    return f;
}

static void write_licence(writer *w, const char *path)
{
    char *text = read_text(path), *s;

    write_text(w, "/* Slipstick as two files, slipstick.c and slipstick.h, joined from its sources by `make dist`;\n"
                  " * slipstick_parts.h declares the parts that slipstick.h leaves out.\n"
                  " *\n");
    for (s = text; *s; s += strcspn(s, "\n") + 1) {
        fputs(*s == '\n' ? " *" : " * ", w->out);
        fwrite(s, 1, strcspn(s, "\n") + 1, w->out);
    }
    write_text(w, " */\n");
    free(text);
}

static void finish(FILE *f, const char *name)
{
    if (ferror(f) || fclose(f) != 0) die("cannot be written", name);
}

/* Forgets our own headers seen as the `from`-th or later: they were only scanned. */
static void forget_local_headers(int from)
{
    int i, n = from;

    for (i = from; i < nseen; ++i)
        if (!strchr(seen[i], '/')) seen[n++] = seen[i];
        else free(seen[i]);
    nseen = n;
}

/* One public header: what it includes of the system first, then its own text. */
static void write_header(writer *w, const char *path, const char *guard)
{
    const int before = nseen;
    char line[100];

    see("slipstick.h", 11);
    sprintf(line, "#ifndef %s\n#define %s\n", guard, guard);
    write_text(w, line);
    place_system_headers(w, path, 0);
    write_text(w, "#endif\n\n");
    forget_local_headers(before);
    place_file(w, path, 1, 0);
}

static void write_source(writer *w, const char *parts, char **sources, int n)
{
    char banner[600];
    int i;

    place_file(w, parts, 1, 0);
    write_text(w, "\n/* Functions that the parts of the library share but do not offer; without src/io some\n"
                  " * of them have no caller. */\n"
                  "#ifndef SLIP_PRIVATE\n#ifdef __GNUC__\n#define SLIP_PRIVATE static __attribute__((unused))\n"
                  "#else\n#define SLIP_PRIVATE static\n#endif\n#endif\n");
    w->private_too = 1;
    for (i = 0; i < n; ++i) {
        if (strlen(sources[i]) > 500) die("path too long", sources[i]);
        sprintf(banner, "\n/* ==== %s ==== */\n\n", sources[i]);
        write_text(w, banner);
        place_file(w, sources[i], 0, 0);
    }
}

int main(int argc, char **argv)
{
    writer header = { NULL, 0, 0, 1 }, parts = { NULL, 0, 0, 0 }, source = { NULL, 0, 0, 0 };
    int in_header;

    if (argc < 6) {
        fputs("usage: amalgamate OUTDIR LICENSE slipstick.h slipstick_parts.h SOURCE.c...\n", stderr);
        return 2;
    }
    header.out = open_out(argv[1], "slipstick.h");
    write_licence(&header, argv[2]);
    write_header(&header, argv[3], "SLIPSTICK_SYSTEM_HEADERS");
    finish(header.out, "slipstick.h");
    in_header = nseen;

    parts.out = open_out(argv[1], "slipstick_parts.h");
    write_licence(&parts, argv[2]);
    write_text(&parts, "#include \"slipstick.h\"\n");
    write_header(&parts, argv[4], "SLIPSTICK_PARTS_SYSTEM_HEADERS");
    finish(parts.out, "slipstick_parts.h");

    while (nseen > in_header) free(seen[--nseen]);       /* the source does not include slipstick_parts.h */
    source.out = open_out(argv[1], "slipstick.c");
    write_licence(&source, argv[2]);
    write_text(&source, "#include \"slipstick.h\"\n\n");
    write_source(&source, argv[4], argv + 5, argc - 5);
    finish(source.out, "slipstick.c");
    return 0;
}
