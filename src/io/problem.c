/* Reader and writer of contact problems. See problem.h. */
#include "io/problem.h"

#include <math.h>
#include <string.h>
#include "contact/delassus.h"
#include "io/file.h"
#include "io/put.h"

#define PROBLEM_MOST_CONTACTS 100000
#define PROBLEM_MOST_BYTES    ((size_t)1 << 30)

/* ---- lines and words ----------------------------------------------------------------------------- */

typedef struct {
    const char *at, *end;        /* what is left of the text               */
    const char *line, *stop;     /* the current line                       */
    const char *word;            /* where the next word of it is looked for */
    int number;                  /* of the current line, from 1            */
    slip_error *err;
} problem_text;

static slip_status problem_complain(const problem_text *t, const char *where, slip_status status, const char *what,
                                    const char *detail)
{
    return slip_fail(t->err, status, t->number, where ? (int)(where - t->line) + 1 : 0, "%s%s", what, detail);
}

static slip_status problem_full(const problem_text *t)
{
    return slip_fail(t->err, SLIP_ERR_WORKSPACE, 0, 0, "the problem does not fit into the arena");
}

/* Moves to the next line; 0 at the end of the text. */
static int problem_next_line(problem_text *t)
{
    if (t->at >= t->end) { ++t->number; t->line = t->word = t->stop = t->end; return 0; }
    t->line = t->word = t->at;
    t->stop = (const char *)memchr(t->at, '\n', (size_t)(t->end - t->at));
    if (!t->stop) t->stop = t->end;
    t->at = t->stop < t->end ? t->stop + 1 : t->end;
    ++t->number;
    return 1;
}

/* The next word of the line; its length, 0 at the end of the line. */
static int problem_next_word(problem_text *t, const char **word)
{
    const char *s = t->word, *from;

    while (s < t->stop && slip_is_blank(*s)) ++s;
    from = s;
    while (s < t->stop && !slip_is_blank(*s)) ++s;
    *word = from;
    t->word = s;
    return (int)(s - from);
}

/* The line must begin with the word `key`. */
static slip_status problem_expect(problem_text *t, const char *key)
{
    const char *word;
    int length;

    if (!problem_next_line(t))
        return problem_complain(t, NULL, SLIP_ERR_PARSE, "the file ends early; expected a line that begins with ", key);
    length = problem_next_word(t, &word);
    if (!slip_text_equal_n(word, length, key))
        return problem_complain(t, word, SLIP_ERR_PARSE, "expected a line that begins with ", key);
    return SLIP_OK;
}

/* Whether the next line begins with `key`; nothing is consumed. */
static int problem_peek(const problem_text *t, const char *key)
{
    problem_text ahead = *t;
    const char *word;
    int length;

    if (!problem_next_line(&ahead)) return 0;
    length = problem_next_word(&ahead, &word);
    return slip_text_equal_n(word, length, key);
}

static slip_status problem_end_of_line(problem_text *t)
{
    const char *word;

    if (!problem_next_word(t, &word)) return SLIP_OK;
    return problem_complain(t, word, SLIP_ERR_PARSE, "more than was expected on this line", "");
}

static slip_status problem_int(problem_text *t, int lo, int hi, const char *what, int *x)
{
    const char *word;
    const int length = problem_next_word(t, &word);

    if (length == 0 || slip_read_int(word, length, x) != length)
        return problem_complain(t, word, SLIP_ERR_PARSE, "expected a whole number: ", what);
    if (*x < lo || *x > hi)
        return slip_fail(t->err, SLIP_ERR_PARSE, t->number, (int)(word - t->line) + 1,
                         "%s is %d, it must lie between %d and %d", what, *x, lo, hi);
    return SLIP_OK;
}

/* `count` numbers from `least` to `most`. */
static slip_status problem_reals(problem_text *t, int count, slip_real least, slip_real most, const char *what,
                                 slip_real *x)
{
    int i;

    for (i = 0; i < count; ++i) {
        const char *word;
        const int length = problem_next_word(t, &word);

        if (length == 0)
            return slip_fail(t->err, SLIP_ERR_PARSE, t->number, (int)(word - t->line) + 1,
                             "%d numbers for %s, expected %d", i, what, count);
        if (slip_read_real(word, length, &x[i]) != length)
            return slip_fail(t->err, SLIP_ERR_PARSE, t->number, (int)(word - t->line) + 1,
                             "'%.*s' is not a number (%s)", length < 40 ? length : 40, word, what);
        if (!(x[i] >= least && x[i] <= most))
            return slip_fail(t->err, SLIP_ERR_ARGUMENT, t->number, (int)(word - t->line) + 1,
                             "%s is %.*s, it must be %s", what, length < 40 ? length : 40, word,
                             least < 0 ? "finite" : most > SLIP_REAL_MAX ? "not negative" : "finite and not negative");
    }
    return problem_end_of_line(t);
}

/* ---- the blocks ---------------------------------------------------------------------------------- */

/* One block as read. */
typedef struct { int i, j, line; slip_real a[9]; } problem_entry;

static slip_status problem_read_entries(problem_text *t, const slip_problem *p, int count, problem_entry *entry)
{
    const int m = slip_block_count(p);
    slip_status s = SLIP_OK;
    int k;

    for (k = 0; k < count && s >= 0; ++k) {
        if (!problem_next_line(t))
            return slip_fail(t->err, SLIP_ERR_PARSE, t->number, 0, "the file ends after %d of %d blocks", k, count);
        entry[k].line = t->number;
        s = problem_int(t, 0, m - 1, "block row", &entry[k].i);
        if (s >= 0) s = problem_int(t, 0, m - 1, "block column", &entry[k].j);
        if (s >= 0)
            s = problem_reals(t, slip_block_dim(p, entry[k].i)*slip_block_dim(p, entry[k].j), -SLIP_REAL_MAX,
                              SLIP_REAL_MAX, "block entry", entry[k].a);
    }
    while (s >= 0 && problem_next_line(t)) {
        const char *word;

        if (problem_next_word(t, &word))
            return problem_complain(t, word, SLIP_ERR_PARSE, "text after the last block", "");
    }
    return s;
}

/* Row lists of the pattern with its mirror and the diagonal: chains of (column, entry) sorted by column.
 * entry is -1 for a block that only its mirror asks for. */
typedef struct { int column, entry, next; } problem_link;

/* Inserts column j into row i, or fills in its entry; returns 0 when it is there already. */
static int problem_insert(int *head, problem_link *link, int *used, int i, int j, int entry)
{
    int *from = &head[i];

    while (*from >= 0 && link[*from].column < j) from = &link[*from].next;
    if (*from >= 0 && link[*from].column == j) {
        if (entry < 0) return 1;
        if (link[*from].entry >= 0) return 0;
        link[*from].entry = entry;
        return 1;
    }
    link[*used].column = j;
    link[*used].entry = entry;
    link[*used].next = *from;
    *from = (*used)++;
    return 1;
}

/* Copies the lists into the block form. Sizes are those of problem_store(). */
static void problem_fill(const slip_problem *p, const int *head, const problem_link *link, const problem_entry *entry,
                         int *start, int *col, int *at, int *diag, slip_real *val)
{
    const int m = slip_block_count(p);
    int i, l, k = 0, next = 0;

    for (i = 0; i < m; ++i) {
        start[i] = k;
        for (l = head[i]; l >= 0; l = link[l].next, ++k) {
            const int size = slip_block_dim(p, i)*slip_block_dim(p, link[l].column);

            col[k] = link[l].column;
            at[k] = next;
            if (col[k] == i) diag[i] = k;
            if (link[l].entry >= 0) memcpy(val + next, entry[link[l].entry].a, (size_t)size*sizeof *val);
            else memset(val + next, 0, (size_t)size*sizeof *val);
            next += size;
        }
    }
    start[m] = k;
}

static slip_status problem_store(problem_text *t, const slip_problem *p, int count, const problem_entry *entry,
                                 slip_arena *mem, slip_delassus *G)
{
    const int m = slip_block_count(p);
    const size_t most = 2*(size_t)count + (size_t)m;
    int *head = (int *)slip_arena_scratch(mem, (size_t)m, sizeof *head);
    problem_link *link = (problem_link *)slip_arena_scratch(mem, most, sizeof *link);
    int *start, *col, *at, *diag, i, k, used = 0;
    slip_real *val;

    if (!head || !link) return problem_full(t);
    for (i = 0; i < m; ++i) head[i] = -1;
    for (k = 0; k < count; ++k) {
        if (!problem_insert(head, link, &used, entry[k].i, entry[k].j, k))
            return slip_fail(t->err, SLIP_ERR_PARSE, entry[k].line, 1, "block %d %d is given twice",
                             entry[k].i, entry[k].j);
        problem_insert(head, link, &used, entry[k].j, entry[k].i, -1);
    }
    for (i = 0; i < m; ++i) problem_insert(head, link, &used, i, i, -1);
    start = slip_arena_ints(mem, (size_t)m + 1);
    col = slip_arena_ints(mem, (size_t)used);
    at = slip_arena_ints(mem, (size_t)used);
    diag = slip_arena_ints(mem, (size_t)m);
    val = slip_arena_reals(mem, 9*(size_t)used);
    if (!start || !col || !at || !diag || !val)
        return problem_full(t);
    problem_fill(p, head, link, entry, start, col, at, diag, val);
    memset(G, 0, sizeof *G);
    G->form = SLIP_G_BLOCKS;
    G->start = start;
    G->col = col;
    G->at = at;
    G->diag = diag;
    G->val = val;
    return SLIP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static slip_status problem_read_name(problem_text *t, slip_arena *mem, const char **name)
{
    const char *from = t->word, *to = t->stop;
    char *copy;

    while (from < to && slip_is_blank(*from)) ++from;
    while (to > from && slip_is_blank(to[-1])) --to;
    copy = slip_arena_text(mem, from, (size_t)(to - from));
    if (!copy) return problem_full(t);
    *name = copy;
    return SLIP_OK;
}

/* One list of numbers into fresh memory. */
static slip_status problem_read_list(problem_text *t, const char *key, const char *what, int count, slip_real least,
                                     slip_real most, slip_arena *mem, const slip_real **list)
{
    slip_real *x = slip_arena_reals(mem, (size_t)count);
    slip_status s = problem_expect(t, key);

    if (s < 0) return s;
    if (!x) return problem_full(t);
    *list = x;
    return problem_reals(t, count, least, most, what, x);
}

/* "KEY N", when the next line is one. */
static slip_status problem_read_count(problem_text *t, const char *key, const char *what, int *count)
{
    slip_status s;

    if (!problem_peek(t, key)) return SLIP_OK;
    s = problem_expect(t, key);
    if (s >= 0) s = problem_int(t, 0, PROBLEM_MOST_CONTACTS, what, count);
    return s < 0 ? s : problem_end_of_line(t);
}

/* The lines of numbers between the counts and the blocks. */
static slip_status problem_read_lists(problem_text *t, slip_arena *mem, slip_problem *p)
{
    const slip_real big = SLIP_REAL_MAX;
    slip_status s = problem_read_list(t, "mu", "friction coefficient", p->nc, 0, (slip_real)INFINITY, mem, &p->mu);

    if (s >= 0) s = problem_read_list(t, "g", "free velocity", p->n, -big, big, mem, &p->g);
    if (s >= 0 && problem_peek(t, "R")) s = problem_read_list(t, "R", "compliance", p->n, 0, big, mem, &p->R);
    if (s >= 0 && problem_peek(t, "vmin"))
        s = problem_read_list(t, "vmin", "lowest velocity", p->nc + p->nl, -big, big, mem, &p->vmin);
    if (s >= 0 && problem_peek(t, "distance"))
        s = problem_read_list(t, "distance", "distance", p->nc + p->nl, -big, big, mem, &p->distance);
    return s;
}

/* Everything before the blocks' lines; *count is their number. */
static slip_status problem_read_head(problem_text *t, slip_arena *mem, slip_problem *p, int *count)
{
    slip_status s = problem_expect(t, "contact-problem");
    int version, m;

    if (s >= 0) s = problem_int(t, 1, 1, "format version", &version);
    if (s >= 0) s = problem_end_of_line(t);
    if (s >= 0) s = problem_expect(t, "name");
    if (s >= 0) s = problem_read_name(t, mem, &p->name);
    if (s >= 0 && problem_peek(t, "source")) problem_next_line(t);
    if (s >= 0) s = problem_expect(t, "nc");
    if (s >= 0) s = problem_int(t, 0, PROBLEM_MOST_CONTACTS, "number of contacts", &p->nc);
    if (s >= 0) s = problem_end_of_line(t);
    if (s >= 0) s = problem_read_count(t, "nl", "number of limits", &p->nl);
    if (s >= 0) s = problem_read_count(t, "nb", "number of bilateral rows", &p->nb);
    if (s < 0) return s;
    p->n = 3*p->nc + p->nl + p->nb;
    m = slip_block_count(p);
    s = problem_read_lists(t, mem, p);
    if (s >= 0) s = problem_expect(t, "blocks");
    if (s >= 0) s = problem_int(t, 0, m > 46000 ? 0x7fffffff : m*m, "number of blocks", count);
    return s < 0 ? s : problem_end_of_line(t);
}

/* The line of the block that differs most from its mirror. */
static int problem_worst_line(int count, const problem_entry *entry, const slip_problem *p)
{
    slip_real worst = 0;
    int k, r, c, line = 0;

    for (k = 0; k < count; ++k) {
        const int rows = slip_block_dim(p, entry[k].i), columns = slip_block_dim(p, entry[k].j);
        slip_real T[9];

        slip_problem_block(p, entry[k].j, entry[k].i, T);
        for (r = 0; r < rows; ++r)
            for (c = 0; c < columns; ++c)
                if (slip_abs(entry[k].a[columns*r + c] - T[rows*c + r]) > worst) {
                    worst = slip_abs(entry[k].a[columns*r + c] - T[rows*c + r]);
                    line = entry[k].line;
                }
    }
    return line;
}

static slip_status problem_read_all(problem_text *t, slip_arena *mem, slip_problem *p)
{
    problem_entry *entry;
    slip_status s;
    slip_real asymmetry;
    int count = 0, blocks_line;

    s = problem_read_head(t, mem, p, &count);
    if (s < 0) return s;
    blocks_line = t->number;
    if ((size_t)count > (size_t)(t->end - t->at)/5 + 1)      /* a block line has 5 bytes at least */
        return slip_fail(t->err, SLIP_ERR_PARSE, t->number, 1, "%d blocks do not fit into the rest of the file", count);
    entry = (problem_entry *)slip_arena_scratch(mem, (size_t)count, sizeof *entry);
    if (!entry) return problem_full(t);
    s = problem_read_entries(t, p, count, entry);
    if (s >= 0) s = problem_store(t, p, count, entry, mem, &p->G);
    if (s < 0) return s;
    asymmetry = slip_problem_asymmetry(p);
    p->G.symmetric = asymmetry <= SLIP_TOL(1e-12, 1e-6);
    if (asymmetry > SLIP_R(0.01))
        return slip_fail(t->err, SLIP_ERR_ARGUMENT, problem_worst_line(count, entry, p), 1,
                         "G is not symmetric: this block differs from its mirror by %.2g of the largest entry, "
                         "0.01 is allowed", (double)asymmetry);
    if (slip_problem_tidy(p, mem) < 0)
        return problem_full(t);
    s = slip_problem_check(p, mem, t->err);
    if (s < 0 && t->err) t->err->line = blocks_line;
    return s;
}

slip_status slip_problem_read(const char *text, size_t length, slip_arena *mem, slip_problem *p, slip_error *err)
{
    const size_t low = slip_arena_mark(mem), high = slip_arena_mark_scratch(mem);
    slip_problem read;
    problem_text t;
    slip_status s;

    memset(&read, 0, sizeof read);
    t.at = text;
    t.end = text + length;
    t.line = t.word = t.stop = text;
    t.number = 0;
    t.err = err;
    s = problem_read_all(&t, mem, &read);
    slip_arena_release_scratch(mem, high);
    if (s < 0) slip_arena_release(mem, low);
    else *p = read;
    return s;
}

/* Every number of a file takes at least two bytes, and the problem in memory is a small multiple of that, except for
 * the dense copy (nine times the blocks at most, where all are single rows) and the factorisation of the check. */
size_t slip_problem_bytes(size_t length)
{
    return 64*length + ((size_t)1 << 20);
}

slip_status slip_problem_load(const char *path, slip_arena *mem, slip_problem *p, slip_error *err)
{
    const size_t high = slip_arena_mark_scratch(mem);
    char *text;
    size_t length;
    slip_status s = slip_file_read(path, PROBLEM_MOST_BYTES, mem, &text, &length, err);

    if (s < 0) return s;
    slip_error_clear(err);
    slip_error_set_file(err, path);
    s = slip_problem_read(text, length, mem, p, err);
    slip_arena_release_scratch(mem, high);
    return s;
}

/* ---- writing ------------------------------------------------------------------------------------- */

/* Whether block (i, j) has anything in it. */
static int problem_block_of(const slip_problem *p, int i, int j, slip_real B[9])
{
    const int size = slip_block_dim(p, i)*slip_block_dim(p, j);
    int k;

    slip_problem_block(p, i, j, B);
    for (k = 0; k < size; ++k) if (B[k] != 0) return 1;
    return 0;
}

static void problem_put_list(slip_stream *out, const char *key, int n, const slip_real *x)
{
    slip_put_text(out, key);
    slip_put_reals(out, n, x);
    slip_put(out, "\n", 1);
}

static void problem_put_blocks(slip_stream *out, const slip_problem *p)
{
    const int m = slip_block_count(p);
    int i, j, count = 0;
    slip_real B[9];
    char place[2*SLIP_NUMBER_SIZE];

    for (i = 0; i < m; ++i) for (j = 0; j < m; ++j) count += problem_block_of(p, i, j, B);
    slip_put_format(out, "blocks %d\n", count);
    for (i = 0; i < m; ++i)
        for (j = 0; j < m; ++j) {
            if (!problem_block_of(p, i, j, B)) continue;
            slip_format(place, (int)sizeof place, "%d %d", i, j);
            problem_put_list(out, place, slip_block_dim(p, i)*slip_block_dim(p, j), B);
        }
}

slip_status slip_problem_write(const slip_problem *p, const char *name, const char *source, slip_stream *out)
{
    slip_put_text(out, "contact-problem 1\nname ");
    slip_put_text(out, name ? name : p->name ? p->name : "unnamed");
    if (source) { slip_put_text(out, "\nsource "); slip_put_text(out, source); }
    slip_put_format(out, "\nnc %d\n", p->nc);
    if (p->nl > 0) slip_put_format(out, "nl %d\n", p->nl);
    if (p->nb > 0) slip_put_format(out, "nb %d\n", p->nb);
    problem_put_list(out, "mu", p->nc, p->mu);
    problem_put_list(out, "g", p->n, p->g);
    if (p->R) problem_put_list(out, "R", p->n, p->R);
    if (p->vmin) problem_put_list(out, "vmin", p->nc + p->nl, p->vmin);
    if (p->distance) problem_put_list(out, "distance", p->nc + p->nl, p->distance);
    problem_put_blocks(out, p);
    return slip_stream_flush(out);
}
