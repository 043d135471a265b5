/* Recordings as CSV files. See fit.h. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "motion_file.h"

enum { LOG_MOST_COLUMNS = 4096, LOG_TOSS = 13 };

typedef struct {
    const char *command, *file, *at;
    int line, columns;
    int time, run;
    int *q, *v, *tau;                        /* columns; v[0], tau[0] = -1: none                              */
    int is_toss;                             /* columns of a floating body: px … wz, v of the origin in world axes */
    const char *header;
    int header_length;
    double values[LOG_MOST_COLUMNS];
    int where[LOG_MOST_COLUMNS];
} fit_reader;

static const char *const fit_toss_names[LOG_TOSS] = { "px", "py", "pz", "qx", "qy", "qz", "qw", "vx", "vy", "vz",
                                                      "wx", "wy", "wz" };

static int fit_field(const char **text, int *length, const char **field, int *n)
{
    const char *comma;

    if (*length < 0) return 0;
    comma = (const char *)memchr(*text, ',', (size_t)*length);
    *field = *text;
    *n = comma ? (int)(comma - *text) : *length;
    *length -= comma ? *n + 1 : *length + 1;
    *text = comma ? comma + 1 : *text + *n;
    while (*n > 0 && **field == ' ') { *field += 1;  *n -= 1; }
    while (*n > 0 && (*field)[*n - 1] == ' ') *n -= 1;
    return 1;
}

static int fit_column(const fit_reader *r, const char *name)
{
    const char *field, *header = r->header;
    int n, length = r->header_length, column = 0;

    for (; fit_field(&header, &length, &field, &n); ++column)
        if (slip_text_equal_n(field, n, name)) return column;
    return -1;
}

/* Columns of a kind, all or none; 0 after a message when some are missing. */
static int fit_columns(fit_reader *r, const slip_model *m, const char *prefix, int is_q, int n, int *column)
{
    char name[256];
    int i, missing = -1, found = -1;

    for (i = 0; i < n; ++i) {
        motion_name(m, is_q, prefix, i, name, sizeof name);
        column[i] = fit_column(r, name);
        if (column[i] < 0 && missing < 0) missing = i;
        if (column[i] >= 0) found = i;
    }
    if (missing < 0 || (found < 0 && !is_q)) return 1;
    motion_name(m, is_q, prefix, missing, name, sizeof name);
    return cli_fail(r->command, "%s:%d: the first line has no column '%s'", r->file, r->line, name), 0;
}

/* A file in the format of `slipstick real`, for a scene of one floating body. */
static int fit_toss_columns(fit_reader *r, const slip_model *m)
{
    int i, *where;

    if (m->nq != 7 || m->nv != 6 || fit_column(r, "px") < 0) return 1;
    for (i = 0; i < LOG_TOSS; ++i) {
        where = i < 7 ? &r->q[i] : &r->v[i - 7];
        *where = fit_column(r, fit_toss_names[i]);
        if (*where < 0)
            return cli_fail(r->command, "%s:%d: the first line has 'px', but no column '%s'", r->file, r->line,
                            fit_toss_names[i]), 0;
    }
    r->is_toss = 1;
    return 1;
}

static int fit_header(fit_reader *r, const slip_model *m)
{
    const char *field, *rest;
    int n, left;

    r->header = cli_next_line(&r->at, &r->line, &r->header_length);
    if (!r->header)
        return cli_fail(r->command, "%s: the file is empty, expected a line of column names", r->file), 0;
    rest = r->header;
    left = r->header_length;
    while (fit_field(&rest, &left, &field, &n)) r->columns += 1;
    if (r->columns > LOG_MOST_COLUMNS)
        return cli_fail(r->command, "%s:%d: more than %d columns", r->file, r->line, LOG_MOST_COLUMNS), 0;
    r->time = fit_column(r, "time");
    if (r->time < 0) r->time = fit_column(r, "t");
    if (r->time < 0) return cli_fail(r->command, "%s:%d: the first line has no column 'time'", r->file, r->line), 0;
    r->run = fit_column(r, "run");
    if (r->run < 0) r->run = fit_column(r, "toss");
    r->v[0] = r->tau[0] = -1;
    if (!fit_toss_columns(r, m)) return 0;
    if (r->is_toss) return 1;
    return fit_columns(r, m, "q_", 1, m->nq, r->q) && fit_columns(r, m, "v_", 0, m->nv, r->v)
        && fit_columns(r, m, "tau_", 0, m->nv, r->tau);
}

/* The numbers of a row; columns that are not used may hold anything. */
static int fit_row(fit_reader *r, const char *line, int length)
{
    const char *field, *rest = line;
    int n, k = 0;

    while (fit_field(&rest, &length, &field, &n)) {
        double x = (double)NAN;

        if (k < r->columns) {
            r->where[k] = (int)(field - line) + 1;
            if (n == 0 || slip_read_double(field, n, &x) != n) x = (double)NAN;
            r->values[k] = x;
        }
        ++k;
    }
    if (k != r->columns)
        return cli_fail(r->command, "%s:%d: %d fields, expected %d as in the first line", r->file, r->line, k,
                        r->columns), 0;
    return 1;
}

/* One number of the row; 0 after a message when it is none or too large. */
static int fit_number(const fit_reader *r, int column, const char *name, double most, double *x)
{
    *x = r->values[column];
    if (fabs(*x) <= most) return 1;
    return cli_fail(r->command, "%s:%d:%d: %s is not a number up to %g", r->file, r->line, r->where[column], name,
                    most), 0;
}

static int fit_numbers(const fit_reader *r, const slip_model *m, const char *prefix, int is_q, int n, const int *column,
                       double most, slip_real *out)
{
    char name[256];
    double x;
    int i;

    for (i = 0; i < n; ++i) {
        motion_name(m, is_q, prefix, i, name, sizeof name);
        if (!fit_number(r, column[i], name, most, &x)) return 0;
        out[i] = (slip_real)x;
    }
    return 1;
}

/* Quaternions are 1 long to the digits of the file. */
static int fit_normalize(const fit_reader *r, const slip_model *m, slip_real *q)
{
    int b, k;

    for (b = 1; b < m->nbodies; ++b) {
        const int at = m->iq[b] + (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 0);
        double sum = 0;

        if (m->mimics[b] || (m->type[b] != SLIP_JOINT_FLOATING && m->type[b] != SLIP_JOINT_BALL)) continue;
        for (k = 0; k < 4; ++k) sum += (double)q[at + k]*(double)q[at + k];
        if (!(fabs(sqrt(sum) - 1) < 0.05))
            return cli_fail(r->command, "%s:%d:%d: a quaternion has the length %g, expected 1", r->file, r->line,
                            r->where[r->q[at]], sqrt(sum)), 0;
    }
    return slip_normalize(m, q) == SLIP_OK;
}

static int fit_add_run(const fit_reader *r, int number, fit_log *log)
{
    int i;

    for (i = 0; i < log->nruns; ++i)
        if (log->runs[i].number == number)
            return cli_fail(r->command, "%s:%d: run %d again: rows of a run have to be consecutive", r->file, r->line,
                            number), 0;
    log->runs[log->nruns].number = number;
    log->runs[log->nruns].first = log->n;
    log->runs[log->nruns++].count = 0;
    return 1;
}

static int fit_take(const fit_reader *r, const slip_model *m, fit_log *log)
{
    slip_real *q = log->q + (size_t)log->n*(size_t)m->nq, *v = log->v + (size_t)log->n*(size_t)m->nv;
    slip_real *tau = log->has_tau ? log->tau + (size_t)log->n*(size_t)m->nv : NULL;
    double number = 1, time;
    fit_run *run = log->nruns > 0 ? &log->runs[log->nruns - 1] : NULL;

    if (r->run >= 0 && !fit_number(r, r->run, "run", 1e9, &number)) return 0;
    if (number != floor(number))
        return cli_fail(r->command, "%s:%d:%d: run is %g, expected a whole number", r->file, r->line, r->where[r->run],
                        number), 0;
    if (!fit_number(r, r->time, "time", (double)SLIP_MOST_LENGTH, &time)) return 0;
    if (!run || run->number != (int)number) {
        if (!fit_add_run(r, (int)number, log)) return 0;
    } else if (!(time > log->time[log->n - 1]))
        return cli_fail(r->command, "%s:%d:%d: time is %g, expected more than %g of the row before", r->file, r->line,
                        r->where[r->time], time, log->time[log->n - 1]), 0;
    log->time[log->n] = time;
    if (!fit_numbers(r, m, "q_", 1, m->nq, r->q, (double)SLIP_MOST_LENGTH, q) || !fit_normalize(r, m, q)) return 0;
    if (log->has_v && !fit_numbers(r, m, "v_", 0, m->nv, r->v, (double)SLIP_MOST_SPEED, v)) return 0;
    if (tau && !fit_numbers(r, m, "tau_", 0, m->nv, r->tau, 1e12, tau)) return 0;
    if (r->is_toss) {                                /* the model has both velocities in the body's axes */
        slip_real conj[4], u[3];

        slip_copy3(v, u);
        slip_quat_conj(q + 3, conj);
        slip_quat_rotate(conj, u, v);
    }
    log->runs[log->nruns - 1].count += 1;
    log->n += 1;
    return 1;
}

/* Velocities by central differences of a run's rows, one-sided at its ends. */
static void fit_difference_run(const slip_model *m, const fit_run *run, fit_log *log)
{
    int k, i;

    for (k = 0; k < run->count; ++k) {
        const int a = run->first + (k > 0 ? k - 1 : 0), b = run->first + (k + 1 < run->count ? k + 1 : k);
        const double h = log->time[b] - log->time[a];
        slip_real *v = log->v + (size_t)(run->first + k)*(size_t)m->nv;

        slip_difference(m, log->q + (size_t)a*(size_t)m->nq, log->q + (size_t)b*(size_t)m->nq, v);
        for (i = 0; i < m->nv; ++i) v[i] = (slip_real)((double)v[i]/h);
    }
}

static void fit_reserve(fit_reader *r, const slip_model *m, const char *text, fit_log *log)
{
    size_t lines = 2;

    for (; *text; ++text) lines += *text == '\n';
    log->has_v = r->v[0] >= 0;
    log->has_tau = r->tau[0] >= 0;
    log->time = (double *)cli_alloc(lines*sizeof *log->time);
    log->q = (slip_real *)cli_alloc(lines*(size_t)m->nq*sizeof *log->q);
    log->v = (slip_real *)cli_alloc(lines*(size_t)m->nv*sizeof *log->v);
    log->runs = (fit_run *)cli_alloc(lines*sizeof *log->runs);
    if (log->has_tau) log->tau = (slip_real *)cli_alloc(lines*(size_t)m->nv*sizeof *log->tau);
}

static int fit_parse(fit_reader *r, const slip_model *m, const char *text, fit_log *log)
{
    const char *line;
    int length, i;

    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    r->at = text;
    if (!fit_header(r, m)) return 0;
    fit_reserve(r, m, text, log);
    while ((line = cli_next_line(&r->at, &r->line, &length)) != NULL)
        if (!fit_row(r, line, length) || !fit_take(r, m, log)) return 0;
    if (log->n == 0) return cli_fail(r->command, "%s: no rows after the first line", r->file), 0;
    for (i = 0; i < log->nruns; ++i) {
        if (log->runs[i].count < 3)
            return cli_fail(r->command, "%s: run %d has %d rows, expected three or more", r->file, log->runs[i].number,
                            log->runs[i].count), 0;
        if (!log->has_v) fit_difference_run(m, &log->runs[i], log);
    }
    return 1;
}

int fit_log_read(const char *command, const char *path, const slip_model *model, fit_log *log)
{
    fit_reader *r = (fit_reader *)cli_alloc(sizeof *r);
    size_t length;
    char *text = cli_read_file(command, path, &length);
    int ok = 0;

    memset(log, 0, sizeof *log);
    memset(r, 0, sizeof *r);
    r->command = command;
    r->file = strcmp(path, "-") == 0 ? "(standard input)" : path;
    r->q = (int *)cli_alloc((size_t)(model->nq + 1)*sizeof *r->q);
    r->v = (int *)cli_alloc((size_t)(model->nv + 1)*sizeof *r->v);
    r->tau = (int *)cli_alloc((size_t)(model->nv + 1)*sizeof *r->tau);
    if (text) ok = fit_parse(r, model, text, log);
    if (!ok) fit_log_free(log);
    free(text);
    free(r->q);
    free(r->v);
    free(r->tau);
    free(r);
    return ok;
}

void fit_log_free(fit_log *log)
{
    free(log->time);
    free(log->q);
    free(log->v);
    free(log->tau);
    free(log->runs);
    memset(log, 0, sizeof *log);
}

/* ---- choosing runs ----------------------------------------------------------------------------------------------- */

/* One part of a choice: 1 done, 0 it is none. */
static int fit_choose_part(const char *part, int length, const fit_log *log, unsigned char *chosen)
{
    int i, k = 0, from, to, n = slip_read_int(part, length, &from);

    if (length > 6 && slip_text_equal_n(part, 6, "every:")) {
        n = slip_read_int(part + 6, length - 6, &to);
        if (n != length - 6 || to < 1) return 0;
        for (i = 0; i < log->nruns; ++i)
            if (chosen[i]) chosen[i] = (unsigned char)(k++%to == 0);
        return 1;
    }
    for (i = 0; i < log->nruns; ++i) {
        const int number = log->runs[i].number;

        if (slip_text_equal_n(part, length, "all")
            || (slip_text_equal_n(part, length, "even") && number%2 == 0)
            || (slip_text_equal_n(part, length, "odd") && number%2 != 0)) chosen[i] = 1;
    }
    if (slip_text_equal_n(part, length, "all") || slip_text_equal_n(part, length, "even")
        || slip_text_equal_n(part, length, "odd")) return 1;
    if (n <= 0) return 0;
    to = from;
    if (n < length && (part[n] != '-' || slip_read_int(part + n + 1, length - n - 1, &to) != length - n - 1)) return 0;
    for (i = 0; i < log->nruns; ++i)
        if (log->runs[i].number >= from && log->runs[i].number <= to) { chosen[i] = 1;  ++k; }
    return k > 0;
}

int fit_log_choose(const char *command, const char *option, const char *spec, const fit_log *log, unsigned char *chosen)
{
    const char *part;
    int length = (int)strlen(spec), n, i, count = 0;

    memset(chosen, 0, (size_t)log->nruns);
    while (fit_field(&spec, &length, &part, &n))
        if (!fit_choose_part(part, n, log, chosen))
            return cli_fail(command, "%s: '%.*s' names no run; expected all, even, odd, numbers of runs (3,10-19) or "
                            "every:N behind them", option, n, part), 0;
    for (i = 0; i < log->nruns; ++i) count += chosen[i];
    if (count == 0) return cli_fail(command, "%s: there is no such run in the recording", option), 0;
    return 1;
}
