/* Tables of rollouts on disk: results as CSV or binary, and the rows so far of one that is not complete. See rollout.h.
 *
 *   # slipstick-rollout 1                     the head: what it is a result of
 *   # version 0.1.0 double
 *   …
 *   # runs 0 1000                             the first run, and the one after the last
 *   run,mu,status,…                           names of the columns
 *
 * Behind it CSV has a line a run; binary has a line "binary ifi…", a letter a column, and then 8 bytes a number, the
 * lowest first: doubles (f) or whole numbers (i, h). Rows so far are binary in the order in which they came, with a
 * check behind each. */
#define _POSIX_C_SOURCE 200112L   /* fcntl, fileno, ftruncate */

#include "rollout.h"
#include "output.h"
#include "run_log.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32) && !defined(__wasi__)
#define ROLLOUT_LOCKS
#include <fcntl.h>
#include <unistd.h>
#endif

/* ---- tables in memory ------------------------------------------------------------------------------------------- */

/* A text that grows. */
typedef struct { char *text; size_t length, room; } table_text;

static void table_print(table_text *t, const char *format, ...)
{
    va_list list;
    char line[1024];
    size_t n;

    va_start(list, format);
    n = (size_t)slip_format_list(line, (int)sizeof line, format, list);
    va_end(list);
    if (n >= sizeof line) n = sizeof line - 1;
    if (t->length + n + 1 > t->room) {
        char *more = (char *)cli_alloc(2*(t->room + n + 1));

        if (t->text) memcpy(more, t->text, t->length);
        free(t->text);
        t->text = more;
        t->room = 2*(t->room + n + 1);
    }
    memcpy(t->text + t->length, line, n + 1);
    t->length += n;
}

static void table_head(const rollout *r, table_text *t)
{
    static const char *const policies[] = { "zero", "random", "network" };
    char hash[24];
    int i;

    table_print(t, "# slipstick-rollout 1\n# version %s %s\n", SLIP_VERSION, SLIP_REAL_NAME);
    snprintf(hash, sizeof hash, "%016" PRIx64, r->of_scene);
    table_print(t, "# scene %s %s\n# n %d\n# seed %d\n# steps %d\n", r->scene, hash, r->n, r->seed,
                (int)r->session.steps);
    for (i = 0; i < r->nvaried; ++i)
        table_print(t, "# vary %s=%g:%g\n", r->varied[i].name, r->varied[i].lo, r->varied[i].hi);
    snprintf(hash, sizeof hash, " %016" PRIx64, r->policy.hash);
    table_print(t, "# policy %s every %d%s\n", policies[r->policy.kind], r->policy.every,
                r->policy.kind == ROLLOUT_NETWORK ? hash : "");
}

void rollout_table_begin(const rollout *r, int first, int end, rollout_table *t)
{
    table_text head = { NULL, 0, 0 }, names = { NULL, 0, 0 };
    char name[ROLLOUT_NAME];
    int i, type;

    memset(t, 0, sizeof *t);
    t->n = r->n;
    t->first = first;
    t->end = end;
    t->ncolumns = r->ncolumns;
    t->types = (char *)cli_alloc((size_t)r->ncolumns + 1);
    for (i = 0; i < r->ncolumns; ++i) {
        table_print(&names, "%s%s", i > 0 ? "," : "", rollout_column(r, i, name, &type));
        t->types[i] = (char)type;
    }
    t->types[i] = '\0';
    table_head(r, &head);
    t->head = head.text;
    t->names = names.text;
    t->rows = (uint64_t *)cli_alloc((size_t)(end - first)*(size_t)r->ncolumns*sizeof *t->rows);
}

void rollout_table_free(rollout_table *t)
{
    free(t->head);
    free(t->types);
    free(t->names);
    free(t->rows);
    memset(t, 0, sizeof *t);
}

static uint64_t *table_row(const rollout_table *t, int run)
{
    return t->rows + (size_t)(run - t->first)*(size_t)t->ncolumns;
}

static double table_double(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static void table_store(uint64_t x, unsigned char to[8])
{
    int k;

    for (k = 0; k < 8; ++k) to[k] = (unsigned char)(x >> 8*k & 255);
}

static uint64_t table_load(const unsigned char from[8])
{
    uint64_t x = 0;
    int k;

    for (k = 7; k >= 0; --k) x = x << 8 | from[k];
    return x;
}

static void table_print_number(FILE *f, int type, uint64_t x)
{
    char text[SLIP_NUMBER_SIZE];

    if (type == 'i') fprintf(f, "%" PRId64, (int64_t)x);
    else if (type == 'h') fprintf(f, "%016" PRIx64, x);
    else {
        slip_print_double(table_double(x), 0, text);
        fputs(text, f);
    }
}

/* A number of text[0..length); 0 when it is not one. */
static int table_read_number(const char *text, int length, int type, uint64_t *x)
{
    int k, i;
    double y;

    if (type == 'i') {
        if (slip_read_int(text, length, &i) != length || length == 0) return 0;
        *x = (uint64_t)(int64_t)i;
        return 1;
    }
    if (type == 'f') {
        if (length == 0 || slip_read_double(text, length, &y) != length) return 0;
        if (y != y) *x = UINT64_C(0x7ff8000000000000);
        else memcpy(x, &y, sizeof y);
        return 1;
    }
    for (*x = 0, k = 0; k < length; ++k) {
        const char *digits = "0123456789abcdef", *at = text[k] ? strchr(digits, text[k]) : NULL;

        if (!at) return 0;
        *x = *x << 4 | (uint64_t)(at - digits);
    }
    return length == 16;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void table_write_head(FILE *f, const rollout_table *t, int binary)
{
    fprintf(f, "%s# runs %d %d\n%s\n", t->head, t->first, t->end, t->names);
    if (binary) fprintf(f, "binary %s\n", t->types);
}

int rollout_table_write(const char *command, const char *path, int binary, const rollout_table *t)
{
    FILE *f = output_open(command, path);
    unsigned char bytes[8];
    int run, k;

    if (!f) return 0;
    table_write_head(f, t, binary);
    for (run = t->first; run < t->end; ++run)
        for (k = 0; k < t->ncolumns; ++k) {
            const uint64_t x = table_row(t, run)[k];

            if (binary) {
                table_store(x, bytes);
                fwrite(bytes, 1, sizeof bytes, f);
            } else {
                table_print_number(f, t->types[k], x);
                fputc(k + 1 < t->ncolumns ? ',' : '\n', f);
            }
        }
    return output_close(command, path, f);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* The text of a file and where its reading is. */
typedef struct { const char *command, *path, *at, *end; int line; } table_reader;

static int table_fail(const table_reader *in, const char *what)
{
    return cli_fail(in->command, "%s:%d: %s", in->path, in->line, what), 0;
}

/* The next line without its end; NULL when there is none that ends. */
static const char *table_line(table_reader *in, int *length)
{
    const char *line = in->at, *end = (const char *)memchr(line, '\n', (size_t)(in->end - line));

    if (!end) return NULL;
    *length = (int)(end - line);
    in->at = end + 1;
    ++in->line;
    return line;
}

static char *table_copy(const char *from, size_t length)
{
    char *to = (char *)cli_alloc(length + 1);

    memcpy(to, from, length);
    to[length] = '\0';
    return to;
}

/* Types of columns by their names, for CSV: whole numbers and hashes are few. */
static int table_types(rollout_table *t)
{
    static const char whole[] = "run status steps missed dropped contacts_max";
    const char *name = t->names;

    t->ncolumns = 0;
    t->types = (char *)cli_alloc(strlen(t->names) + 2);
    for (;;) {
        const char *comma = strchr(name, ',');
        const int length = (int)(comma ? comma - name : (long)strlen(name));

        t->types[t->ncolumns++] = (char)(slip_text_word(whole, name, length) >= 0 ? 'i'
            : slip_text_equal_n(name, length, "hash") ? 'h' : 'f');
        if (!comma) break;
        name = comma + 1;
    }
    t->types[t->ncolumns] = '\0';
    return t->ncolumns;
}

/* A line "# WORD X Y" with whole numbers; how many there are, 0 when it is another line. */
static int table_numbers(const char *line, int length, const char *word, int x[2])
{
    const int n = (int)strlen(word);
    int at, i, count = 0;

    if (length < n + 3 || strncmp(line, "# ", 2) != 0 || strncmp(line + 2, word, (size_t)n) != 0) return 0;
    for (at = n + 2; count < 2 && at < length && line[at] == ' '; at += i) {
        ++at;
        i = slip_read_int(line + at, length - at, &x[count]);
        if (i <= 0) return 0;
        ++count;
    }
    return at == length ? count : 0;
}

/* The head, up to the names of the columns and, when it is binary, their types. */
static int table_read_head(table_reader *in, rollout_table *t, int *binary)
{
    const char *begin = in->at, *line;
    int length, x[2], is_first = 1, n;

    t->n = -1;
    for (;; is_first = 0) {
        line = table_line(in, &length);
        if (!line || (is_first && !slip_text_equal_n(line, length, "# slipstick-rollout 1")))
            return table_fail(in, "not a result of 'slipstick rollout'");
        if (table_numbers(line, length, "n", x) == 1) t->n = x[0];
        if (table_numbers(line, length, "runs", x) == 2) break;
        if (length < 2 || line[0] != '#') return table_fail(in, "a line of the head that does not begin with '# '");
    }
    t->first = x[0];
    t->end = x[1];
    if (!(t->first >= 0 && t->end >= t->first && t->n >= t->end)) return table_fail(in, "runs that cannot be");
    t->head = table_copy(begin, (size_t)(line - begin));
    if (!(line = table_line(in, &length)) || length < 4) return table_fail(in, "no names of columns");
    t->names = table_copy(line, (size_t)length);
    n = table_types(t);
    *binary = in->end - in->at >= 7 && strncmp(in->at, "binary ", 7) == 0;
    if (*binary && (!(line = table_line(in, &length)) || length - 7 != n
                    || strncmp(line + 7, t->types, (size_t)n) != 0))
        return table_fail(in, "types of columns that do not fit their names");
    return 1;
}

static int table_read_binary(table_reader *in, rollout_table *t)
{
    const size_t n = (size_t)(t->end - t->first)*(size_t)t->ncolumns;
    size_t i;

    if ((size_t)(in->end - in->at) != 8*n) return table_fail(in, "more or fewer numbers than its runs have");
    for (i = 0; i < n; ++i) t->rows[i] = table_load((const unsigned char *)in->at + 8*i);
    return 1;
}

static int table_read_lines(table_reader *in, rollout_table *t)
{
    int run, k, length;

    for (run = t->first; run < t->end; ++run) {
        const char *line = table_line(in, &length), *end;

        if (!line) return table_fail(in, "it ends before its last run");
        end = line + length;
        for (k = 0; k < t->ncolumns; ++k) {
            const char *comma = (const char *)memchr(line, ',', (size_t)(end - line));

            if ((comma == NULL) != (k + 1 == t->ncolumns)
                || !table_read_number(line, (int)((comma ? comma : end) - line), t->types[k], &table_row(t, run)[k]))
                return table_fail(in, "a row that is not its columns' numbers");
            line = comma ? comma + 1 : end;
        }
    }
    return in->at == in->end ? 1 : table_fail(in, "there is more behind its last run");
}

int rollout_table_read(const char *command, const char *path, rollout_table *t, int *binary)
{
    table_reader in;
    size_t length;
    char *text;
    FILE *f;
    int ok, run;

    memset(t, 0, sizeof *t);
    if (!(f = fopen(path, "rb")) && errno == ENOENT) return -1;
    if (f) fclose(f);
    if (!(text = cli_read_file(command, path, &length))) return 0;
    in.command = command;  in.path = path;  in.at = text;  in.end = text + length;  in.line = 0;
    ok = table_read_head(&in, t, binary);
    if (ok && (size_t)(t->end - t->first) > length) ok = table_fail(&in, "it ends before its last run");
    if (ok) {
        t->rows = (uint64_t *)cli_alloc((size_t)(t->end - t->first)*(size_t)t->ncolumns*sizeof *t->rows);
        ok = *binary ? table_read_binary(&in, t) : table_read_lines(&in, t);
    }
    for (run = t->first; ok && run < t->end; ++run)
        if (table_row(t, run)[0] != (uint64_t)run) ok = table_fail(&in, "its rows are not in the order of the runs");
    free(text);
    if (!ok) rollout_table_free(t);
    return ok;
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

static int table_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* A quantile of sorted numbers, linear between them. */
static double table_quantile(const double *x, int n, double share)
{
    const double at = share*(n - 1);
    const int i = (int)at;

    return i + 1 < n ? x[i] + (at - i)*(x[i + 1] - x[i]) : x[n - 1];
}

static void table_statistics(FILE *out, const char *name, double *x, int n)
{
    double mean = 0, square = 0;
    int i;

    for (i = 0; i < n; ++i) mean += x[i];
    mean /= n;
    for (i = 0; i < n; ++i) square += (x[i] - mean)*(x[i] - mean);
    qsort(x, (size_t)n, sizeof *x, table_compare);
    fprintf(out, "  %-18s %11.5g %11.5g %11.5g %11.5g %11.5g\n", name, mean, n > 1 ? sqrt(square/(n - 1)) : 0, x[0],
            table_quantile(x, n, 0.5), x[n - 1]);
}

/* Column k as doubles, those that are finite; how many. */
static int table_column(const rollout_table *t, int k, double *x)
{
    int run, n = 0;

    for (run = t->first; run < t->end; ++run) {
        const uint64_t bits = table_row(t, run)[k];
        const double value = t->types[k] == 'f' ? table_double(bits) : (double)(int64_t)bits;

        if (value - value == 0) x[n++] = value;
    }
    return n;
}

int rollout_table_failed(const rollout_table *t, int *first)
{
    const char *at = strstr(t->names, ",status,"), *name;
    int k = 0, run, failed = 0;

    for (name = t->names; at && name <= at; ++name) k += *name == ',';
    for (run = t->first; at && run < t->end; ++run)
        if ((int64_t)table_row(t, run)[k] < 0 && failed++ == 0) *first = run;
    return failed;
}

void rollout_table_summary(FILE *out, const rollout_table *t)
{
    const char *name = t->names;
    double *x = (double *)cli_alloc((size_t)(t->end - t->first + 1)*sizeof *x);
    int k, n, first;

    fprintf(out, "%d runs, %d to %d of %d; %d ended with an error\n", t->end - t->first, t->first, t->end - 1, t->n,
            rollout_table_failed(t, &first));
    fprintf(out, "  %-18s %11s %11s %11s %11s %11s\n", "", "mean", "deviation", "least", "median", "most");
    for (k = 0; k < t->ncolumns; ++k) {
        const int length = (int)strcspn(name, ",");
        char word[ROLLOUT_NAME];

        slip_format(word, (int)sizeof word, "%.*s", length, name);
        name += length + 1;
        if (k > 0 && t->types[k] != 'h' && strcmp(word, "status") != 0 && (n = table_column(t, k, x)) > 0)
            table_statistics(out, word, x, n);
    }
    free(x);
}

/* ---- rows so far ------------------------------------------------------------------------------------------------ */

static size_t partial_row_bytes(int ncolumns) { return 8*((size_t)ncolumns + 1); }

static void partial_pack(const uint64_t *row, int ncolumns, unsigned char *bytes)
{
    int k;

    for (k = 0; k < ncolumns; ++k) table_store(row[k], bytes + 8*k);
    table_store(log_hash(bytes, 8*(size_t)ncolumns), bytes + 8*ncolumns);
}

/* Takes the rows that are whole; returns where they end. */
static long partial_take(FILE *f, long at, rollout_table *t, unsigned char *done)
{
    const size_t n = partial_row_bytes(t->ncolumns);
    unsigned char *bytes = (unsigned char *)cli_alloc(n);
    int k;

    while (fread(bytes, 1, n, f) == n && table_load(bytes + n - 8) == log_hash(bytes, n - 8)) {
        const uint64_t run = table_load(bytes);

        if (run < (uint64_t)t->first || run >= (uint64_t)t->end) break;
        for (k = 0; k < t->ncolumns; ++k) table_row(t, (int)run)[k] = table_load(bytes + 8*k);
        done[run - (uint64_t)t->first] = 1;
        at += (long)n;
    }
    free(bytes);
    return at;
}

/* Whether the file begins with this text; 0 too when it ends before, and then *part tells that it is a part of it. */
static int partial_matches(FILE *f, const char *head, size_t length, int *part)
{
    char *bytes = (char *)cli_alloc(length);
    const size_t got = fread(bytes, 1, length, f);
    const int same = memcmp(bytes, head, got) == 0;

    free(bytes);
    *part = same && got < length;
    return same && got == length;
}

/* One process writes: a lock that ends with it. */
static int partial_lock(FILE *f)
{
#ifdef ROLLOUT_LOCKS
    struct flock lock;

    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return fcntl(fileno(f), F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN);
#else
    (void)f;
    return 1;
#endif
}

/* Goes to where the next row is written, and drops what is behind it. */
static int partial_cut(FILE *f, long at)
{
    if (fseek(f, at, SEEK_SET) != 0) return 0;
#ifdef ROLLOUT_LOCKS
    fflush(f);
    return ftruncate(fileno(f), at) == 0;
#else
    return 1;
#endif
}

int rollout_partial_open(const char *command, const char *path, int anew, rollout_table *t, unsigned char *done,
                         rollout_partial *p)
{
    table_text head = { NULL, 0, 0 };
    int ok, part = 1;
    long at;

    table_print(&head, "%s", "slipstick-rollout, rows so far\n");
    table_print(&head, "%s", t->head);
    table_print(&head, "# runs %d %d\n%s\n", t->first, t->end, t->types);
    memset(p, 0, sizeof *p);
    p->ncolumns = t->ncolumns;
    p->path = (char *)cli_alloc(strlen(path) + sizeof ".partial");
    memcpy(p->path, path, strlen(path));
    memcpy(p->path + strlen(path), ".partial", sizeof ".partial");
    p->f = fopen(p->path, "r+b");
    if (!p->f && errno == ENOENT) p->f = fopen(p->path, "w+b");
    if (!p->f) cli_fail(command, "cannot write '%s': %s", p->path, strerror(errno));
    ok = p->f != NULL;
    if (ok && !partial_lock(p->f)) {
        cli_fail(command, "'%s' is being written by another process", p->path);
        ok = 0;
    }
    at = (long)head.length;
    if (ok && partial_matches(p->f, head.text, head.length, &part) && !anew) at = partial_take(p->f, at, t, done);
    else if (ok && !part && !anew) {
        cli_fail(command, "'%s' has rows of another rollout (other arguments, scene, version or precision); remove it, "
                 "or start over with --anew", p->path);
        ok = 0;
    } else if (ok) {
        rewind(p->f);
        fwrite(head.text, 1, head.length, p->f);
    }
    if (ok && (!partial_cut(p->f, at) || ferror(p->f))) {
        cli_fail(command, "cannot write '%s': %s", p->path, strerror(errno));
        ok = 0;
    }
    if (!ok) rollout_partial_close(p, 0);
    free(head.text);
    return ok;
}

int rollout_partial_add(rollout_partial *p, const uint64_t *row)
{
    const size_t n = partial_row_bytes(p->ncolumns);
    unsigned char *bytes;
    int ok;

    if (!p->f) return 1;
    bytes = (unsigned char *)cli_alloc(n);
    partial_pack(row, p->ncolumns, bytes);
    ok = fwrite(bytes, 1, n, p->f) == n;
    free(bytes);
    return ok;
}

void rollout_partial_flush(rollout_partial *p) { if (p->f) fflush(p->f); }

void rollout_partial_close(rollout_partial *p, int remove_it)
{
    if (p->f) fclose(p->f);
    if (p->f && remove_it) remove(p->path);
    free(p->path);
    memset(p, 0, sizeof *p);
}
