/* Recordings of tosses: reading, and what they say about the cube without a contact model. See real.h. */
#include "real.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_COLUMNS = 15 };
static const char *const real_columns[REAL_COLUMNS] = { "toss", "t", "px", "py", "pz", "qw", "qx", "qy", "qz",
                                                        "vx", "vy", "vz", "wx", "wy", "wz" };

real_body real_body_defaults(void)
{
    const real_body body = { 0.0524, 0.37, 8.1e-4, 9.81, { 0, 0, 0 }, 0 };

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

void real_sort(double *x, int n) { qsort(x, (size_t)n, sizeof *x, real_compare_doubles); }

double real_median(double *x, int n)
{
    if (n == 0) return (double)NAN;
    real_sort(x, n);
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
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;      /* a byte order mark, as spreadsheets write it */
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

/* Median and its standard error (1.25 of the mean's, with the spread from the median's absolute deviation). */
static double real_middle(double *x, int n, double *error)
{
    const double middle = real_median(x, n);
    int i;

    for (i = 0; i < n; ++i) x[i] = fabs(x[i] - middle);
    *error = n > 1 ? 1.25*1.4826*real_median(x, n)/sqrt(n) : (double)NAN;
    return middle;
}

/* In flight the cube's centre is at p = line - g t^2/2 - R com: linear in com and g, with a line of its own for each
 * toss and axis. */
enum { REAL_UNKNOWNS = 4 };                          /* com, g */
typedef struct {
    double matrix[REAL_UNKNOWNS][REAL_UNKNOWNS], right[REAL_UNKNOWNS];
    double scatter;                                  /* mean square of what is left [m^2]                        */
} real_normal;

/* Takes the straight line in t that fits y best from it. */
static void real_take_line(const real_row *row, int n, double *y)
{
    double mean = 0, middle = 0, slope = 0, square = 0;
    int i;

    for (i = 0; i < n; ++i) { mean += row[i].t/n;  middle += y[i]/n; }
    for (i = 0; i < n; ++i) {
        slope += (row[i].t - mean)*y[i];
        square += (row[i].t - mean)*(row[i].t - mean);
    }
    for (i = 0; i < n; ++i) y[i] -= middle + slope/square*(row[i].t - mean);
}

/* What each unknown does to the coordinate `axis` of a flight of n rows, and the coordinate itself: REAL_UNKNOWNS + 1
 * columns of n numbers, without their lines. */
static void real_flight_columns(const real_row *row, int n, int axis, double *x)
{
    int i, k;

    for (i = 0; i < n; ++i) {
        const double *q = row[i].q, t = row[i].t - row[0].t;
        const int j = (axis + 1)%3, l = (axis + 2)%3;        /* the row of R(q), by cyclic order */

        x[axis*n + i] = -(1 - 2*(q[j]*q[j] + q[l]*q[l]));
        x[j*n + i] = -2*(q[axis]*q[j] - q[3]*q[l]);
        x[l*n + i] = -2*(q[axis]*q[l] + q[3]*q[j]);
        x[3*n + i] = axis == 2 ? -t*t/2 : 0;
        x[REAL_UNKNOWNS*n + i] = row[i].p[axis];
    }
    for (k = 0; k <= REAL_UNKNOWNS; ++k) real_take_line(row, n, x + k*n);
}

/* The normal equations of a flight for what `known` leaves of it. x: scratch. */
static void real_flight_normal(const real_row *row, int n, const double known[REAL_UNKNOWNS], double *x,
                               real_normal *one)
{
    int axis, i, k, l;

    memset(one, 0, sizeof *one);
    for (axis = 0; axis < 3; ++axis) {
        real_flight_columns(row, n, axis, x);
        for (i = 0; i < n; ++i) {
            double rest = x[REAL_UNKNOWNS*n + i];

            for (k = 0; k < REAL_UNKNOWNS; ++k) rest -= known[k]*x[k*n + i];
            one->scatter += rest*rest/(3*n);
            for (k = 0; k < REAL_UNKNOWNS; ++k) {
                one->right[k] += x[k*n + i]*rest;
                for (l = 0; l < REAL_UNKNOWNS; ++l) one->matrix[k][l] += x[k*n + i]*x[l*n + i];
            }
        }
    }
}

/* Inverts the matrix of n rows by Gauss and Jordan, gravity first. Columns have entries up to 1, so that a sum of n
 * products rounds by n epsilons: an unknown with a pivot below that is not determined; its row and column become 0. */
static void real_invert(double a[REAL_UNKNOWNS][REAL_UNKNOWNS], int n)
{
    int i, j, l;

    for (j = 0; j < REAL_UNKNOWNS; ++j) {
        const int k = (j + 3)%REAL_UNKNOWNS;
        const double pivot = a[k][k], factor = pivot > n*DBL_EPSILON ? 1/pivot : 0;

        a[k][k] = 1;
        for (l = 0; l < REAL_UNKNOWNS; ++l) a[k][l] *= factor;
        for (i = 0; i < REAL_UNKNOWNS; ++i) {
            const double times = a[i][k];

            if (i == k) continue;
            a[i][k] = 0;
            for (l = 0; l < REAL_UNKNOWNS; ++l) a[i][l] -= times*a[k][l];
        }
    }
}

enum { REAL_FLIGHT = 8 };                            /* rows in the air: fewer bend less than they scatter */

/* The rows of a toss in the air; 0 when they are too few. */
static int real_flight_rows(const real_toss *toss) { return toss->touch - 1 >= REAL_FLIGHT ? toss->touch - 1 : 0; }

static void real_multiply(double a[REAL_UNKNOWNS][REAL_UNKNOWNS], const double x[REAL_UNKNOWNS],
                          double y[REAL_UNKNOWNS])
{
    int i, k;

    for (i = 0; i < REAL_UNKNOWNS; ++i)
        for (y[i] = 0, k = 0; k < REAL_UNKNOWNS; ++k) y[i] += a[i][k]*x[k];
}

/* One round: solves with the weights of the tosses; then gives each the weight that its own scatter asks for. Rows of a
 * toss are not independent of each other, tosses are: the square of the error is the sum over tosses of the squares by
 * which each of them moves the solution; NAN when the flights do not determine it. */
static void real_flight_round(const real_set *set, const int *list, int n, double *weight, double *x,
                              double solution[REAL_UNKNOWNS], double square[REAL_UNKNOWNS])
{
    const double zero[REAL_UNKNOWNS] = { 0 }, resolved = 1e-12;      /* (1 um)^2: no recording resolves less */
    double moved[REAL_UNKNOWNS];
    real_normal all, one;
    int i, k, l, rows, count = 0;

    memset(&all, 0, sizeof all);
    for (i = 0; i < n; ++i) {
        rows = real_flight_rows(&set->tosses[list[i]]);
        if (rows == 0) continue;
        count += rows;
        real_flight_normal(&set->rows[set->tosses[list[i]].first], rows, zero, x, &one);
        for (k = 0; k < REAL_UNKNOWNS; ++k) {
            all.right[k] += weight[i]*one.right[k];
            for (l = 0; l < REAL_UNKNOWNS; ++l) all.matrix[k][l] += weight[i]*one.matrix[k][l];
        }
    }
    real_invert(all.matrix, 3*count);
    real_multiply(all.matrix, all.right, solution);
    for (k = 0; k < REAL_UNKNOWNS; ++k) square[k] = all.matrix[k][k] > 0 ? 0 : (double)NAN;
    for (i = 0; i < n; ++i) {
        rows = real_flight_rows(&set->tosses[list[i]]);
        if (rows == 0) continue;
        real_flight_normal(&set->rows[set->tosses[list[i]].first], rows, solution, x, &one);
        real_multiply(all.matrix, one.right, moved);
        for (k = 0; k < REAL_UNKNOWNS; ++k) square[k] += weight[i]*moved[k]*weight[i]*moved[k];
        weight[i] = resolved/(resolved + one.scatter);
    }
}

/* Gravity and the centre of mass. */
static void real_measure_flights(const real_set *set, const int *list, int n, real_measured *m)
{
    enum { ROUNDS = 8 };                             /* each takes the change of the last one to a fifth or less */
    double *x = (double *)cli_alloc((size_t)set->nrows*(REAL_UNKNOWNS + 1)*sizeof *x);
    double *weight = (double *)cli_alloc((size_t)n*sizeof *weight);
    double solution[REAL_UNKNOWNS], square[REAL_UNKNOWNS];
    int i, k;

    for (i = 0; i < n; ++i) weight[i] = 1;
    for (i = 0; i < ROUNDS; ++i) real_flight_round(set, list, n, weight, x, solution, square);
    for (k = 0; k < 3; ++k) {
        m->com_error[k] = sqrt(square[k]);
        m->com[k] = square[k] >= 0 ? solution[k] : (double)NAN;
    }
    m->gravity_error = sqrt(square[3]);
    if (square[3] >= 0) m->gravity = solution[3];
    free(x);
    free(weight);
}

real_measured real_measure(const real_set *set, const int *list, int n, const real_body *body)
{
    double *x = (double *)cli_alloc((size_t)n*sizeof *x);
    real_measured m;
    int i;

    memset(&m, 0, sizeof m);
    m.gravity = body->gravity;
    for (i = 0; i < n; ++i) {
        const real_toss *toss = &set->tosses[list[i]];

        m.flights += real_flight_rows(toss) > 0;
        x[i] = set->rows[toss->first + toss->count - 1].p[2];
    }
    m.half_width = real_middle(x, n, &m.half_width_error);
    free(x);
    real_measure_flights(set, list, n, &m);
    return m;
}

/* Whether a toss comes within a half width of the table: a jump of the velocity alone may be a bounce elsewhere. */
static int real_comes_down(const real_set *set, const real_toss *toss, const real_body *body)
{
    int k;

    for (k = 0; k < toss->count; ++k)
        if (real_gap(&set->rows[toss->first + k], body->half_width) < body->half_width) return 1;
    return 0;
}

int real_check(const char *command, const char *file, const real_set *set, const real_measured *m,
               const real_body *body)
{
    const double width = 0.03, pull = 0.1;           /* a millimetre or two of the cube of the recordings; a tenth of g */
    int i, falls = 0, never = 0;

    for (i = 0; i < set->ntosses; ++i) {
        const real_toss *toss = &set->tosses[i];
        const int down = toss->touch < toss->count && real_comes_down(set, toss, body);

        falls += down && toss->touch > 0;
        never += !down;
    }
    if (falls == 0)
        return cli_fail(command, "%s: no toss comes down on the table: %d of %d never touch z = 0, %d begin there or "
                        "below. The table has to be at z = 0 and lengths in metres; the last rows have the centre at "
                        "%.4g m, and a half width of %.4g m is taken", file, never, set->ntosses,
                        set->ntosses - never, m->half_width, body->half_width), 0;
    if (!(fabs(m->half_width - body->half_width) <= width*body->half_width))
        fprintf(stderr, "slipstick %s: warning: %s: the cube rests with its centre %.4g m above the table, but a half "
                "width of %.4g m is taken: another cube (--half-width), table or unit?\n", command, file, m->half_width,
                body->half_width);
    if (m->flights == 0)
        fprintf(stderr, "slipstick %s: warning: %s: no toss has %d rows in the air: gravity and centre of mass are not "
                "measured\n", command, file, REAL_FLIGHT);
    else if (fabs(m->gravity - body->gravity) > pull*body->gravity)
        fprintf(stderr, "slipstick %s: warning: %s: flights fall at %.4g m/s^2, but a gravity of %.4g m/s^2 is taken: "
                "are times in seconds and z upwards?\n", command, file, m->gravity, body->gravity);
    return 1;
}

void real_take_com(const real_measured *m, real_body *body)
{
    int k;

    for (k = 0; k < 3; ++k)                          /* 1.96 errors: 95 % */
        body->com[k] = fabs(m->com[k]) > 1.96*m->com_error[k] ? m->com[k] : 0;
}

void real_take_measured(const real_measured *m, real_body *body)
{
    const double scale = m->half_width/body->half_width;

    real_take_com(m, body);

    body->inertia *= scale*scale;
    body->corner *= scale;
    body->half_width = m->half_width;
    body->gravity = m->gravity;
}
