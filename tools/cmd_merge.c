/* slipstick merge: joins the parts of a rollout that many processes or machines made. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include "output.h"
#include "rollout.h"

static void merge_help(void)
{
    fputs("usage: slipstick merge PART... --out FILE\n\n"
          "Joins the parts of one 'slipstick rollout' to what it writes in one piece, byte for byte, and prints the\n"
          "same statistics. All parts must be of the same scene, options, seed, program version and precision; a\n"
          "run that is missing or there twice is an error.\n\n"
          "  --out FILE        the whole table (- for standard output), CSV or binary as its parts are\n"
          "  --quiet           no statistics\n\n"
          "Exit code: 0 whole, 1 not, 2 usage.\n\n"
          "example: for k in 1 2; do slipstick rollout models/cube_slide.xml --n 6 --shard $k/2 --out r.csv; done; "
          "slipstick merge r.*-of-2.csv --out r.csv\n", stdout);
}

typedef struct { const char *path; rollout_table table; int binary; } merge_part;

static int merge_order(const void *a, const void *b)
{
    const rollout_table *x = &((const merge_part *)a)->table, *y = &((const merge_part *)b)->table;

    return x->first != y->first ? (x->first > y->first) - (x->first < y->first) : (x->end > y->end) - (x->end < y->end);
}

/* The first line in which two heads differ. */
static void merge_tell_difference(const merge_part *a, const merge_part *b)
{
    const char *x = a->table.head, *y = b->table.head;

    while (*x && *y) {
        const int n = (int)strcspn(x, "\n"), m = (int)strcspn(y, "\n");

        if (n != m || strncmp(x, y, (size_t)n) != 0) break;
        x += n + (x[n] != '\0');
        y += m + (y[m] != '\0');
    }
    cli_fail("merge", "'%s' and '%s' are parts of different rollouts: '%.*s' and '%.*s'", a->path, b->path,
             (int)strcspn(x, "\n"), x, (int)strcspn(y, "\n"), y);
}

static int merge_check(const merge_part *parts, int n)
{
    int i, next = 0;

    for (i = 0; i < n; ++i) {
        const rollout_table *t = &parts[i].table;

        if (strcmp(t->head, parts[0].table.head) != 0) return merge_tell_difference(&parts[0], &parts[i]), 0;
        if (strcmp(t->names, parts[0].table.names) != 0 || parts[i].binary != parts[0].binary)
            return cli_fail("merge", "'%s' and '%s' have other columns, or one is binary", parts[0].path,
                            parts[i].path), 0;
        if (t->first < next)
            return cli_fail("merge", "runs %d to %d are there twice, in '%s' and '%s'", t->first,
                            (t->end < next ? t->end : next) - 1, parts[i - 1].path, parts[i].path), 0;
        if (t->first > next)
            return cli_fail("merge", "runs %d to %d are missing: no part has them", next, t->first - 1), 0;
        next = t->end;
    }
    if (next < parts[0].table.n)
        return cli_fail("merge", "runs %d to %d are missing: no part has them", next, parts[0].table.n - 1), 0;
    return 1;
}

/* One table of all parts, in the memory of the first. */
static void merge_join(merge_part *parts, int n)
{
    rollout_table *whole = &parts[0].table;
    uint64_t *rows = (uint64_t *)cli_alloc((size_t)whole->n*(size_t)whole->ncolumns*sizeof *rows);
    int i;

    for (i = 0; i < n; ++i) {
        const rollout_table *t = &parts[i].table;

        memcpy(rows + (size_t)t->first*(size_t)t->ncolumns, t->rows,
               (size_t)(t->end - t->first)*(size_t)t->ncolumns*sizeof *rows);
    }
    free(whole->rows);
    whole->rows = rows;
    whole->first = 0;
    whole->end = whole->n;
}

static int merge_parts(merge_part *parts, int n, const char *out, int quiet)
{
    int i, ok = 1;

    for (i = 0; i < n && ok; ++i) {
        const int got = rollout_table_read("merge", parts[i].path, &parts[i].table, &parts[i].binary);

        if (got < 0) cli_fail("merge", "cannot read '%s': no such file", parts[i].path);
        ok = got > 0;
    }
    if (!ok) return 0;
    qsort(parts, (size_t)n, sizeof *parts, merge_order);
    if (!merge_check(parts, n)) return 0;
    merge_join(parts, n);
    if (!rollout_table_write("merge", out, parts[0].binary, &parts[0].table)) return 0;
    if (!quiet && strcmp(out, "-") != 0) rollout_table_summary(stdout, &parts[0].table);
    return 1;
}

int slip_cmd_merge(int argc, char **argv)
{
    merge_part *parts = (merge_part *)cli_alloc((size_t)argc*sizeof *parts);
    const char *out = NULL;
    cli_args args;
    int what, n = 0, i, quiet = 0, code = -1;

    memset(parts, 0, (size_t)argc*sizeof *parts);
    cli_begin(&args, argc, argv);
    while (code < 0 && (what = cli_next(&args)) != 0) {
        if (what == 2) parts[n++].path = args.value;
        else if (cli_is(&args, "--help") || cli_is(&args, "-h")) { merge_help(); code = CLI_OK; }
        else if (cli_is(&args, "--quiet")) quiet = 1;
        else if (!cli_is(&args, "--out")) code = cli_unknown(&args);
        else if ((out = cli_value(&args)) == NULL) code = CLI_USAGE;
    }
    if (code < 0 && n == 0) code = cli_usage(&args, "which parts?");
    if (code < 0 && !out) code = cli_usage(&args, "where to? --out FILE");
    if (code < 0) code = merge_parts(parts, n, out, quiet) ? CLI_OK : CLI_FAILED;
    for (i = 0; i < n; ++i) rollout_table_free(&parts[i].table);
    free(parts);
    return code;
}
