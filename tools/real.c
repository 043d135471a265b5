/* Recordings of tosses: reading, and what they say about the cube without a contact model. See real.h. */
#include "real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_COLUMNS = 15 };
static const char *const real_columns[REAL_COLUMNS] = { "toss", "t", "px", "py", "pz", "qw", "qx", "qy", "qz",
                                                        "vx", "vy", "vz", "wx", "wy", "wz" };

real_body real_body_defaults(void)
{
    const real_body body = { 0.0524, 0.37, 8.1e-4, 9.81, 0 };

    return body;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *command, *file, *at;         /* at: the next line */
    int line, columns;
    int column[REAL_COLUMNS];                /* where each is     */
} real_reader;

/* The field that begins at text[*at], without blanks around it; *at moves behind it. 0 when there is none. */
static int real_field(const char *text, int length, int *at, const char **field, int *n)
{
    const char *comma;

    if (*at > length) return 0;
    comma = (const char *)memchr(text + *at, ',', (size_t)(length - *at));
    *field = text + *at;
    *n = comma ? (int)(comma - *field) : length - *at;
    *at += *n + 1;
    while (*n > 0 && **field == ' ') { *field += 1;  *n -= 1; }
    while (*n > 0 && (*field)[*n - 1] == ' ') *n -= 1;
    return 1;
}

static int real_header(real_reader *r)
{
    const char *line, *field;
    int length, at = 0, n, i;

    line = cli_next_line(&r->at, &r->line, &length);
    if (!line) return cli_fail(r->command, "%s: the file is empty, expected a line of column names", r->file), 0;
    for (i = 0; i < REAL_COLUMNS; ++i) r->column[i] = -1;
    while (real_field(line, length, &at, &field, &n)) {
        for (i = 0; i < REAL_COLUMNS; ++i) {
            if (!slip_text_equal_n(field, n, real_columns[i])) continue;
            if (r->column[i] >= 0)
                return cli_fail(r->command, "%s:%d:%d: a second column '%s'", r->file, r->line, (int)(field - line) + 1,
                                real_columns[i]), 0;
            r->column[i] = r->columns;
        }
        ++r->columns;
    }
    for (i = 0; i < REAL_COLUMNS; ++i)
        if (r->column[i] < 0)
            return cli_fail(r->command, "%s:%d: no column '%s'; expected toss,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz",
                            r->file, r->line, real_columns[i]), 0;
    return 1;
}

/* The numbers of a line in the order of real_columns; 0 after a message. where: the columns they stand in, from 1. */
static int real_numbers(real_reader *r, const char *line, int length, double *x, int *where)
{
    const char *field;
    int at = 0, n, i, k = 0;

    while (real_field(line, length, &at, &field, &n)) {
        double value = 0;
        const int place = (int)(field - line) + 1;

        for (i = 0; i < REAL_COLUMNS && r->column[i] != k; ++i) { }
        ++k;
        if (i == REAL_COLUMNS) continue;             /* a column of the user's own */
        if (n == 0 || slip_read_double(field, n, &value) != n || !(fabs(value) < 1e9))
            return cli_fail(r->command, "%s:%d:%d: %s is '%.*s', expected a number", r->file, r->line, place,
                            real_columns[i], n, field), 0;
        x[i] = value;
        where[i] = place;
    }
    if (k != r->columns)
        return cli_fail(r->command, "%s:%d: %d fields, expected %d as in the first line", r->file, r->line, k,
                        r->columns), 0;
    return 1;
}

static int real_make_row(const real_reader *r, const double *x, const int *where, real_row *row)
{
    const double length = sqrt(x[5]*x[5] + x[6]*x[6] + x[7]*x[7] + x[8]*x[8]);
    int i;

    if (!(fabs(length - 1) < 0.01))                  /* rounding to two digits is let through */
        return cli_fail(r->command, "%s:%d:%d: the quaternion qw qx qy qz has the length %g, expected 1", r->file,
                        r->line,
                        where[5], length), 0;
    if (x[0] != floor(x[0]))
        return cli_fail(r->command, "%s:%d:%d: toss is %g, expected a whole number", r->file, r->line, where[0], x[0]),
        0;
    row->t = x[1];
    for (i = 0; i < 3; ++i) {
        row->p[i] = x[2 + i];
        row->q[i] = x[6 + i]/length;
        row->v[i] = x[9 + i];
        row->w[i] = x[12 + i];
    }
    row->q[3] = x[5]/length;
    return 1;
}

/* Adds a row to the set, which has room, and to its last toss or a new one. */
static int real_add(const real_reader *r, const double *x, const int *where, real_set *set)
{
    const int number = (int)x[0];
    real_toss *toss = set->ntosses > 0 ? &set->tosses[set->ntosses - 1] : NULL;
    real_row *row = &set->rows[set->nrows];
    int i;

    if (!real_make_row(r, x, where, row)) return 0;
    if (toss && toss->number == number) {
        if (!(row->t > row[-1].t))
            return cli_fail(r->command, "%s:%d:%d: t is %g, expected more than %g of the row before", r->file, r->line,
                            where[1], row->t, row[-1].t), 0;
    } else {
        for (i = 0; i < set->ntosses; ++i)
            if (set->tosses[i].number == number)
                return cli_fail(r->command, "%s:%d:%d: toss %d again: rows of a toss have to be consecutive", r->file,
                                r->line, where[0], number), 0;
        if (toss && toss->count < 2)
            return cli_fail(r->command, "%s:%d: toss %d has a single row, expected two or more", r->file, r->line - 1,
                            toss->number), 0;
        toss = &set->tosses[set->ntosses++];
        toss->number = number;
        toss->first = set->nrows;
        toss->count = 0;
    }
    ++toss->count;
    toss->touch = toss->count;
    ++set->nrows;
    return 1;
}

static int real_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double real_median(double *x, int n)
{
    if (n == 0) return (double)NAN;
    qsort(x, (size_t)n, sizeof *x, real_compare_doubles);
    return n%2 ? x[n/2] : (x[n/2 - 1] + x[n/2])/2;
}

static void real_find_dt(real_set *set)
{
    double *dt = (double *)cli_alloc((size_t)set->nrows*sizeof *dt);
    int i, k, n = 0;

    for (i = 0; i < set->ntosses; ++i) {
        const real_row *row = &set->rows[set->tosses[i].first];

        for (k = 1; k < set->tosses[i].count; ++k) dt[n++] = row[k].t - row[k - 1].t;
    }
    set->dt = real_median(dt, n);
    free(dt);
}

int real_parse(const char *command, const char *text, const char *file, real_set *set)
{
    real_reader r;
    const char *line;
    double x[REAL_COLUMNS];
    size_t lines = 1;
    int length, ok, where[REAL_COLUMNS];

    memset(set, 0, sizeof *set);
    memset(&r, 0, sizeof r);
    r.command = command;
    r.file = file;
    r.at = text;
    for (line = text; *line; ++line) lines += *line == '\n';
    set->rows = (real_row *)cli_alloc(lines*sizeof *set->rows);
    set->tosses = (real_toss *)cli_alloc(lines*sizeof *set->tosses);
    ok = real_header(&r);
    while (ok && (line = cli_next_line(&r.at, &r.line, &length)) != NULL)
        ok = real_numbers(&r, line, length, x, where) && real_add(&r, x, where, set);
    if (ok && set->ntosses == 0) ok = (cli_fail(command, "%s: no rows after the first line", file), 0);
    if (ok && set->tosses[set->ntosses - 1].count < 2)
        ok = (cli_fail(command, "%s:%d: toss %d has a single row, expected two or more", file, r.line,
                       set->tosses[set->ntosses - 1].number), 0);
    if (ok) real_find_dt(set);
    else real_free(set);
    return ok;
}

int real_read(const char *command, const char *path, real_set *set)
{
    size_t length;
    char *text = cli_read_file(command, path, &length);
    int ok;

    memset(set, 0, sizeof *set);
    if (!text) return 0;
    ok = real_parse(command, text, strcmp(path, "-") == 0 ? "(standard input)" : path, set);
    free(text);
    return ok;
}

void real_free(real_set *set)
{
    free(set->rows);
    free(set->tosses);
    memset(set, 0, sizeof *set);
}

/* ---- what the rows say ------------------------------------------------------------------------------------------- */

double real_gap(const real_row *row, double half_width)
{
    const double *q = row->q;
    const double zx = 2*(q[0]*q[2] - q[3]*q[1]), zy = 2*(q[1]*q[2] + q[3]*q[0]), zz = 1 - 2*(q[0]*q[0] + q[1]*q[1]);

    return row->p[2] - half_width*(fabs(zx) + fabs(zy) + fabs(zz));
}

void real_find_touches(real_set *set, const real_body *body)
{
    const double near = 0.003, jump = 2*body->gravity;
    int i, k;

    for (i = 0; i < set->ntosses; ++i) {
        real_toss *toss = &set->tosses[i];
        const real_row *row = &set->rows[toss->first];

        for (k = 0; k < toss->count && real_gap(&row[k], body->half_width) >= near; ++k)
            if (k > 0 && row[k].v[2] - row[k - 1].v[2] > jump*(row[k].t - row[k - 1].t)) break;
        toss->touch = k;
    }
}

/* The acceleration of z over n rows by least squares, in powers of time about the middle, which are orthogonal enough:
 * a parabola's curvature is the part of z along t^2 - mean(t^2) - (its part along t). */
static double real_curvature(const real_row *row, int n)
{
    double mean = 0, m2 = 0, m3 = 0, along = 0, square = 0;
    int i;

    for (i = 0; i < n; ++i) mean += row[i].t/n;
    for (i = 0; i < n; ++i) {
        const double t = row[i].t - mean;

        m2 += t*t/n;
        m3 += t*t*t/n;
    }
    for (i = 0; i < n; ++i) {
        const double t = row[i].t - mean, f = t*t - m2 - m3/m2*t;

        along += f*row[i].p[2];
        square += f*f;
    }
    return 2*along/square;
}

/* Median and its standard error (1.25 of the mean's, with the spread from the median's absolute deviation). */
static double real_middle(double *x, int n, double *error)
{
    const double middle = real_median(x, n);
    int i;

    for (i = 0; i < n; ++i) x[i] = fabs(x[i] - middle);
    *error = n > 1 ? 1.25*1.4826*real_median(x, n)/sqrt(n) : (double)NAN;
    return middle;
}

real_measured real_measure(const real_set *set, const real_body *body)
{
    enum { ENOUGH = 8 };                             /* rows in the air: fewer bend less than they scatter */
    double *x = (double *)cli_alloc((size_t)set->ntosses*sizeof *x);
    real_measured m;
    int i, n = 0;

    for (i = 0; i < set->ntosses; ++i) {
        const real_toss *toss = &set->tosses[i];

        if (toss->touch - 1 < ENOUGH) continue;
        x[n++] = -real_curvature(&set->rows[toss->first], toss->touch - 1);
    }
    m.flights = n;
    m.gravity = real_middle(x, n, &m.gravity_error);
    for (i = 0; i < set->ntosses; ++i)
        x[i] = set->rows[set->tosses[i].first + set->tosses[i].count - 1].p[2];
    m.half_width = real_middle(x, set->ntosses, &m.half_width_error);
    if (n == 0) m.gravity = body->gravity;
    free(x);
    return m;
}

void real_take_measured(const real_measured *m, real_body *body)
{
    const double scale = m->half_width/body->half_width;

    body->inertia *= scale*scale;
    body->corner *= scale;
    body->half_width = m->half_width;
    body->gravity = m->gravity;
}
