/* Reader of motions in CSV files. See motion_file.h. */
#include "motion_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOTION_COLUMNS = 4096 };

void motion_name(const slip_model *m, int is_q, const char *prefix, int i, char *text, int size)
{
    static const char *const q_parts[] = { ".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw" };
    static const char *const v_parts[] = { ".vx", ".vy", ".vz", ".wx", ".wy", ".wz" };
    static const char *const flat_parts[] = { ".x", ".y", ".a" };
    int b;

    text[0] = '\0';
    for (b = 1; b < m->nbodies; ++b) {
        const slip_joint_type type = (slip_joint_type)m->type[b];
        const int n = is_q ? slip_joint_nq(type) : slip_joint_nv(type),
            k = i - (is_q ? m->iq[b] : m->dof_iv[m->idof[b]]);
        const char *part;

        if (m->mimics[b] || k < 0 || k >= n) continue;
        part = n == 1 ? "" : type == SLIP_JOINT_FLOATING ? (is_q ? q_parts[k] : v_parts[k])
             : type == SLIP_JOINT_BALL ? (is_q ? q_parts[3 + k] : v_parts[3 + k]) : flat_parts[k];
        slip_format(text, size, "%s%s%s", prefix, m->joint_name[m->body_joint[b]], part);
    }
}

void motion_free(motion *m)
{
    free(m->time);
    free(m->q);
    free(m->v);
    memset(m, 0, sizeof *m);
}

/* ---- lines and fields ---------------------------------------------------------------------------------- */

typedef struct {
    const char *command, *file, *at;         /* at: the next line                                     */
    int line;
    int columns;                             /* of the rows                                            */
    int time;                                /* column, -1: none                                       */
    int *q, *v;                              /* [nq], [nv] columns; v[0] = -1: none                    */
    double values[MOTION_COLUMNS];           /* of the present row                                     */
} motion_reader;

/* The next field of text[0..*length), which moves behind it; blanks around are cut. 0 when there is none. */
static int motion_field(const char **text, int *length, const char **field, int *n)
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

/* A row of numbers into r->values; empty fields are NaN. Returns how many, 0 after a message. */
static int motion_row(motion_reader *r, const char *line, int length)
{
    const char *field, *rest = line;
    int n, count = 0;

    while (motion_field(&rest, &length, &field, &n)) {
        double x = (double)NAN;

        if (count == MOTION_COLUMNS)
            return cli_fail(r->command, "%s:%d: more than %d columns", r->file, r->line, MOTION_COLUMNS), 0;
        if (n > 0 && slip_read_double(field, n, &x) != n)
            return cli_fail(r->command, "%s:%d:%d: '%.*s' is not a number", r->file, r->line, (int)(field - line) + 1,
                            n, field), 0;
        r->values[count++] = x;
    }
    return count;
}

/* ---- columns ------------------------------------------------------------------------------------------- */

/* The column called `name` in the header, or without its two-letter prefix when that is `q_`; -1: none. */
static int motion_column(const char *header, int length, const char *name)
{
    const char *field;
    int n, column = 0, bare = -1;

    for (; motion_field(&header, &length, &field, &n); ++column) {
        if (slip_text_equal_n(field, n, name)) return column;
        if (name[0] == 'q' && name[1] == '_' && slip_text_equal_n(field, n, name + 2)) bare = column;
    }
    return bare;
}

static int motion_header(motion_reader *r, const slip_model *m, const char *line, int length)
{
    const char *field, *rest = line;
    char name[256];
    int i, n, left = length, missing = -1;

    r->columns = 0;
    while (motion_field(&rest, &left, &field, &n)) r->columns += 1;
    r->time = motion_column(line, length, "time");
    if (r->time < 0) r->time = motion_column(line, length, "t");
    for (i = 0; i < m->nq; ++i) {
        motion_name(m, 1, "q_", i, name, sizeof name);
        r->q[i] = motion_column(line, length, name);
        if (r->q[i] < 0) return cli_fail(r->command, "%s:%d: the header has no column '%s'", r->file, r->line, name), 0;
    }
    for (i = 0; i < m->nv; ++i) {
        motion_name(m, 0, "v_", i, name, sizeof name);
        r->v[i] = motion_column(line, length, name);
        if (r->v[i] < 0 && missing < 0) missing = i;
    }
    for (i = 0; i < m->nv && missing >= 0; ++i) {              /* all of v or none */
        if (r->v[i] < 0) continue;
        motion_name(m, 0, "v_", missing, name, sizeof name);
        return cli_fail(r->command, "%s:%d: the header has velocities, but no column '%s'", r->file, r->line, name), 0;
    }
    return 1;
}

/* Columns by their number, for a file without a header. */
static int motion_positions(motion_reader *r, const slip_model *m, int columns)
{
    const int with_v = columns >= m->nq + m->nv && m->nv > 0, timed = columns - m->nq - (with_v ? m->nv : 0);
    int i;

    if (timed < 0 || timed > 1)
        return cli_fail(r->command,
                        "%s:%d: %d columns, expected q (%d) or q and v (%d), and the time before them or not",
                        r->file, r->line, columns, m->nq, m->nq + m->nv), 0;
    r->columns = columns;
    r->time = timed ? 0 : -1;
    for (i = 0; i < m->nq; ++i) r->q[i] = timed + i;
    for (i = 0; i < m->nv; ++i) r->v[i] = with_v ? timed + m->nq + i : -1;
    return 1;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void *motion_alloc(int n, int width, size_t item)
{
    return cli_alloc((size_t)(n > 0 ? n : 1)*(size_t)(width > 0 ? width : 1)*item);
}

/* Length of the quaternion farthest from 1, of those in q; 1 when there are none. */
static double motion_quaternion(const slip_model *m, const slip_real *q)
{
    double worst = 1;
    int b, k;

    for (b = 1; b < m->nbodies; ++b) {
        const slip_real *e = q + m->iq[b] + (m->type[b] == SLIP_JOINT_FLOATING ? 3 : 0);
        double sum = 0;

        if (m->mimics[b] || (m->type[b] != SLIP_JOINT_FLOATING && m->type[b] != SLIP_JOINT_BALL)) continue;
        for (k = 0; k < 4; ++k) sum += (double)e[k]*(double)e[k];
        if (fabs(sqrt(sum) - 1) > fabs(worst - 1)) worst = sqrt(sum);
    }
    return worst;
}

/* Continuous joints turn on where their angle jumps by a whole turn: encoders count from -pi to pi. */
static void motion_unwrap(const slip_model *m, const slip_real *before, slip_real *q)
{
    const double turn = 2*3.14159265358979323846;
    int b;

    for (b = 1; b < m->nbodies; ++b)
        if (m->type[b] == SLIP_JOINT_CONTINUOUS && !m->mimics[b])
            q[m->iq[b]] += (slip_real)(turn*floor((double)(before[m->iq[b]] - q[m->iq[b]])/turn + 0.5));
}

static int motion_take(motion_reader *r, const slip_model *m, motion *out)
{
    const int k = out->n;
    double length;
    int i;

    for (i = 0; i < m->nq; ++i) out->q[k*m->nq + i] = (slip_real)r->values[r->q[i]];
    for (i = 0; i < m->nv && out->v; ++i) out->v[k*m->nv + i] = (slip_real)r->values[r->v[i]];
    if (out->time) out->time[k] = r->values[r->time];
    if (!slip_all_within(out->q + k*m->nq, m->nq, SLIP_MOST_LENGTH)      /* what worlds take */
        || (out->v && !slip_all_within(out->v + k*m->nv, m->nv, SLIP_MOST_SPEED))
        || (out->time && !(fabs(out->time[k]) <= (double)SLIP_MOST_LENGTH)))
        return cli_fail(r->command, "%s:%d: a number is missing, not finite or beyond %g", r->file, r->line,
                        (double)SLIP_MOST_LENGTH), 0;
    length = motion_quaternion(m, out->q + k*m->nq);           /* 1 to the digits of the file */
    if (fabs(length - 1) > 0.05 || slip_normalize(m, out->q + k*m->nq) != SLIP_OK)
        return cli_fail(r->command, "%s:%d: a quaternion (x, y, z, w) has length %.3g: is every column in its place?",
                        r->file, r->line, length), 0;
    if (k > 0 && !out->v) motion_unwrap(m, out->q + (k - 1)*m->nq, out->q + k*m->nq);
    out->n += 1;
    return 1;
}

/* Room for as many rows as the text has lines. */
static void motion_reserve(const motion_reader *r, const slip_model *m, const char *text, motion *out)
{
    int lines = 2;

    for (; *text; ++text) lines += *text == '\n';
    out->q = (slip_real *)motion_alloc(lines, m->nq, sizeof *out->q);
    if (m->nv > 0 && r->v[0] >= 0) out->v = (slip_real *)motion_alloc(lines, m->nv, sizeof *out->v);
    if (r->time >= 0) out->time = (double *)motion_alloc(lines, 1, sizeof *out->time);
}

static int motion_parse(motion_reader *r, const slip_model *m, const char *text, motion *out)
{
    int length, n;
    const char *line;
    double x;

    r->at = text;
    line = cli_next_line(&r->at, &r->line, &length);
    if (!line) return cli_fail(r->command, "%s: no motion in it", r->file), 0;
    if (slip_read_double(line, length, &x) > 0) {
        n = motion_row(r, line, length);
        if (n == 0 || !motion_positions(r, m, n)) return 0;
    } else {
        if (!motion_header(r, m, line, length)) return 0;
        line = cli_next_line(&r->at, &r->line, &length);
    }
    motion_reserve(r, m, text, out);
    for (; line; line = cli_next_line(&r->at, &r->line, &length)) {
        n = motion_row(r, line, length);
        if (n == 0) return 0;
        if (n != r->columns)
            return cli_fail(r->command, "%s:%d: %d columns, expected %d", r->file, r->line, n, r->columns), 0;
        if (!motion_take(r, m, out)) return 0;
    }
    return 1;
}

/* The time between rows, which must be the same throughout. */
static int motion_pace(const motion_reader *r, motion *m)
{
    int i;

    m->dt = 0;
    if (!m->time || m->n < 2) return 1;
    m->dt = (m->time[m->n - 1] - m->time[0])/(m->n - 1);
    if (!(m->dt > 0)) return cli_fail(r->command, "%s: the time does not advance", r->file), 0;
    for (i = 1; i < m->n; ++i)
        if (!(fabs(m->time[i] - m->time[i - 1] - m->dt) <= 0.01*m->dt))
            return cli_fail(r->command,
                            "%s: row %d is %g s after the one before, the others are %g s apart: resample the motion",
                            r->file, i + 1, m->time[i] - m->time[i - 1], m->dt), 0;
    return 1;
}

int motion_begins_like_time(const motion *m, int nq)
{
    int i;

    if (m->time || m->n < 3 || nq == 0 || m->q[0] != 0 || !(m->q[nq] > 0)) return 0;
    for (i = 2; i < m->n; ++i)
        if (fabs((double)(m->q[i*nq] - m->q[(i - 1)*nq] - m->q[nq])) > 1e-3*(double)m->q[nq]) return 0;
    return 1;
}

int motion_read(const char *command, const char *path, const slip_model *model, motion *out)
{
    motion_reader *r = (motion_reader *)cli_alloc(sizeof *r);
    size_t length;
    char *text = cli_read_file(command, path, &length);
    int ok = 0;

    memset(out, 0, sizeof *out);
    memset(r, 0, sizeof *r);
    r->command = command;
    r->file = path;
    r->q = (int *)motion_alloc(model->nq, 1, sizeof *r->q);
    r->v = (int *)motion_alloc(model->nv, 1, sizeof *r->v);
    if (text) ok = motion_parse(r, model, text, out) && motion_pace(r, out);
    if (!ok) motion_free(out);
    free(text);
    free(r->q);
    free(r->v);
    free(r);
    return ok;
}
