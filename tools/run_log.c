/* Writes logs of runs. See run_log.h. */
#include "run_log.h"
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef SLIP_REAL_FLOAT
typedef uint32_t log_bits;           /* of a real */
#else
typedef uint64_t log_bits;
#endif

const char *log_field_name(log_field field)
{
    static const char *const name[LOG_FIELDS] = { "q", "v", "contacts", "impulses", "iterations", "status" };

    return (int)field >= 0 && field < LOG_FIELDS ? name[field] : "";
}

int log_field_is_number(log_field field)
{
    return field == LOG_CONTACTS || field == LOG_ITERATIONS || field == LOG_STATUS;
}

static uint64_t log_hash_more(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *b = (const unsigned char *)bytes;

    while (n-- > 0) h = (h ^ *b++)*UINT64_C(1099511628211);
    return h;
}

uint64_t log_hash(const void *bytes, size_t n) { return log_hash_more(UINT64_C(14695981039346656037), bytes, n); }

/* Numbers by their bits, the lowest byte first whatever the machine's order is. */
static uint64_t log_hash_reals(uint64_t h, const slip_real *x, int n)
{
    int i, k;

    for (i = 0; i < n; ++i) {
        log_bits bits;

        memcpy(&bits, &x[i], sizeof bits);
        for (k = 0; k < (int)sizeof bits; ++k) h = (h ^ (bits >> 8*k & 255))*UINT64_C(1099511628211);
    }
    return h;
}

static uint64_t log_hash_impulses(uint64_t h, const slip_world *world)
{
    int i;

    for (i = 0; i < slip_contact_count(world); ++i) {
        const slip_contact_info c = slip_contact_get(world, i);

        h = log_hash_reals(h, c.impulse, 3);
    }
    return h;
}

uint64_t log_hash_step(uint64_t before, const slip_world *world)
{
    slip_world *w = (slip_world *)(uintptr_t)world;              /* q and v are only read */
    const slip_model *m = slip_world_model(world);
    const slip_real contacts = (slip_real)slip_contact_count(world);
    uint64_t h = before ? before : log_hash("", 0);

    h = log_hash_reals(h, slip_world_q(w), m->nq);
    h = log_hash_reals(h, slip_world_v(w), m->nv);
    h = log_hash_reals(h, &contacts, 1);
    return log_hash_impulses(h, world);
}

void log_fields(const slip_world *world, slip_status status, uint64_t field[LOG_FIELDS])
{
    slip_world *w = (slip_world *)(uintptr_t)world;              /* q and v are only read */
    const slip_model *m = slip_world_model(world);
    const uint64_t none = log_hash("", 0);

    field[LOG_Q] = log_hash_reals(none, slip_world_q(w), m->nq);
    field[LOG_V] = log_hash_reals(none, slip_world_v(w), m->nv);
    field[LOG_CONTACTS] = (uint64_t)slip_contact_count(world);
    field[LOG_IMPULSES] = log_hash_impulses(none, world);
    field[LOG_ITERATIONS] = (uint64_t)slip_world_stats(world)->iterations;
    field[LOG_STATUS] = (uint64_t)(status < 0 ? -(int)status : (int)status);
}

uint32_t log_check(uint32_t before, const char *line, size_t n)
{
    const uint64_t h = log_hash_more(log_hash(&before, 0) ^ before, line, n);

    return (uint32_t)(h ^ h >> 32);
}

size_t log_state_size(const slip_world *world)
{
    const slip_model *m = slip_world_model(world);

    return m->nq + m->nv <= LOG_STATE_MOST ? (size_t)(m->nq + m->nv + 3*slip_contact_count(world)) : 0;
}

void log_state(const slip_world *world, slip_real *state)
{
    slip_world *w = (slip_world *)(uintptr_t)world;              /* q and v are only read */
    const slip_model *m = slip_world_model(world);
    int i;

    memcpy(state, slip_world_q(w), (size_t)m->nq*sizeof *state);
    memcpy(state + m->nq, slip_world_v(w), (size_t)m->nv*sizeof *state);
    for (i = 0; i < slip_contact_count(world); ++i) {
        const slip_contact_info c = slip_contact_get(world, i);

        memcpy(state + m->nq + m->nv + 3*i, c.impulse, sizeof c.impulse);
    }
}

uint64_t log_file_hash(const char *command, const char *path)
{
    size_t n = 0;
    char *text = cli_read_file(command, path, &n);
    uint64_t h;

    if (!text) return 0;
    h = log_hash(text, n);
    free(text);
    return h ? h : 1;
}

/* ---- writing ------------------------------------------------------------------------------------ */

static int log_write(void *context, const void *bytes, size_t n)
{
    log_writer *log = (log_writer *)context;

    log->hash = log_hash_more(log->hash, bytes, n);
    return fwrite(bytes, 1, n, log->out) != n;
}

static void log_line_begin(log_writer *log)
{
    slip_stream_open(log_write, log, &log->text);
    log->hash = log_hash(NULL, 0) ^ log->check;                  /* as in log_check() */
}

static void log_line_end(log_writer *log)
{
    slip_stream_flush(&log->text);
    log->check = (uint32_t)(log->hash ^ log->hash >> 32);
    fprintf(log->out, " ~%08" PRIx32 "\n", log->check);
}

static void log_put_hex(log_writer *log, uint64_t x, int digits)
{
    char text[17];
    int i;

    for (i = digits; i-- > 0; x >>= 4) text[i] = "0123456789abcdef"[x & 15];
    slip_put(&log->text, text, (size_t)digits);
}

/* A real by its bits, in hexadecimal: the same in any locale and back to the last bit. */
static void log_put_real(log_writer *log, slip_real x)
{
    log_bits bits;

    memcpy(&bits, &x, sizeof bits);
    slip_put_text(&log->text, " ");
    log_put_hex(log, bits, 2*(int)sizeof bits);
}

static void log_put_reals(log_writer *log, const char *word, const slip_real *x, int n)
{
    int i;

    log_line_begin(log);
    slip_put_text(&log->text, word);
    for (i = 0; i < n; ++i) log_put_real(log, x[i]);
    log_line_end(log);
}

static void log_put_bytes(log_writer *log, const void *bytes, size_t n)
{
    slip_base64 state;

    memset(&state, 0, sizeof state);
    slip_base64_put(&state, &log->text, bytes, n);
    slip_base64_end(&state, &log->text);
}

static void log_put_words(log_writer *log, const char *word, const char *value)
{
    log_line_begin(log);
    slip_put_text(&log->text, word);
    slip_put_text(&log->text, value);
    log_line_end(log);
}

static void log_put_number(log_writer *log, const char *word, long x)
{
    log_line_begin(log);
    slip_put_text(&log->text, word);
    slip_put_int(&log->text, x);
    log_line_end(log);
}

static void log_put_hashed(log_writer *log, const char *word, uint64_t hash)
{
    log_line_begin(log);
    slip_put_text(&log->text, word);
    log_put_hex(log, hash, 16);
    slip_put_text(&log->text, " ");
}

/* "set option rho_rule linear" */
static void log_put_option(log_writer *log, const char *name, const char *value)
{
    log_line_begin(log);
    slip_put_text(&log->text, "set option ");
    slip_put_text(&log->text, name);
    slip_put_text(&log->text, " ");
    slip_put_text(&log->text, value);
    log_line_end(log);
}

/* Up to the snapshot. */
static void log_head(log_writer *log, const char *scene, uint64_t scene_hash, const sim_changes *c, sim_session *s)
{
    const size_t bytes = slip_snapshot_bytes(s->world);
    int i;

    log_put_words(log, "slipstick-log 2", "");
    log_put_words(log, "version ", SLIP_VERSION " " SLIP_REAL_NAME);
    log_put_hashed(log, "scene ", scene_hash);
    slip_put_text(&log->text, scene);
    log_line_end(log);
    if (c->solve.count > 0) log_put_words(log, "set solver ", c->solve.list[0]->id);
    if (c->solve.likes > 0) log_put_words(log, "set like ", c->solve.like[0]);
    if (c->solve.cold) log_put_number(log, "set cold ", 1);
    for (i = 0; i < c->solve.options; ++i) log_put_option(log, c->solve.name[i], c->solve.value[i]);
    if (c->seed) log_put_number(log, "set seed ", c->seed);
    if (c->base) log_put_number(log, "set base ", c->base);
    if (c->repair > 0 || c->repair < 0) {
        const slip_real repair = (slip_real)c->repair;

        log_put_reals(log, "set repair", &repair, 1);
    }
    for (i = 0; i < c->packages.n; ++i) log_put_words(log, "set package-path ", c->packages.dir[i]);
    log_put_reals(log, "set dt", &s->scene.world.options.dt, 1);
    log_put_reals(log, "set tol", &s->scene.world.options.solve.tol, 1);
    log_put_number(log, "steps ", s->steps);
    log_put_hashed(log, "snapshot ", log_hash(s->snapshot, bytes));
    log_put_bytes(log, s->snapshot, bytes);
    log_line_end(log);
}

int log_begin(const char *command, const char *path, const char *scene, const sim_changes *c, sim_session *s,
              log_writer *log)
{
    const size_t nv = (size_t)s->scene.model->nv, nb = (size_t)s->scene.model->nbodies;
    uint64_t hash;
    int i;

    memset(log, 0, sizeof *log);
    for (i = 0; i < c->packages.n; ++i)
        if (strchr(c->packages.dir[i], '\n'))
            return cli_fail(command, "--log cannot name a package path that has a line break"), 0;
    if (strcmp(scene, "-") == 0) return cli_fail(command, "--log needs a scene in a file: a log names it"), 0;
    if (strchr(scene, '\n')) return cli_fail(command, "--log cannot name a scene whose path has a line break"), 0;
    hash = log_file_hash(command, scene);
    if (!hash) return 0;
    log->out = output_open(command, path);
    if (!log->out) return 0;
    log->tau = (slip_real *)cli_alloc((nv + 1)*sizeof *log->tau);
    log->wrench = (slip_real *)cli_alloc(6*nb*sizeof *log->wrench);
    log->drives = (slip_drive *)cli_alloc((nv + 1)*sizeof *log->drives);
    log_head(log, scene, hash, c, s);
    return 1;
}

static void log_put_drives(log_writer *log, const slip_drive *d, int n)
{
    int i;

    log_line_begin(log);
    slip_put_text(&log->text, "drives");
    for (i = 0; i < n; ++i) {
        log_put_real(log, d[i].kp);
        log_put_real(log, d[i].kd);
        log_put_real(log, d[i].q_ref);
        log_put_real(log, d[i].v_ref);
        log_put_real(log, d[i].feed);
        log_put_real(log, d[i].effort);
        slip_put_text(&log->text, d[i].implicit ? " 1" : " 0");
    }
    log_line_end(log);
}

/* Field by field: the padding of a struct need not agree. */
static int log_same_drives(const slip_drive *a, const slip_drive *b, int n)
{
    int i;

    for (i = 0; i < n; ++i)
        if (a[i].kp != b[i].kp || a[i].kd != b[i].kd || a[i].q_ref != b[i].q_ref || a[i].v_ref != b[i].v_ref
            || a[i].feed != b[i].feed || a[i].effort != b[i].effort || a[i].implicit != b[i].implicit) return 0;
    return 1;
}

/* Inputs as the step found them: a world keeps them until they are changed. */
static void log_inputs(log_writer *log, sim_session *s)
{
    const int nv = s->scene.model->nv, nw = 6*s->scene.model->nbodies;
    const slip_real *tau = slip_world_tau(s->world), *wrench = slip_world_wrench(s->world);
    const slip_drive *drives = slip_world_drive(s->world, 0);
    const size_t tau_bytes = (size_t)nv*sizeof *tau, wrench_bytes = (size_t)nw*sizeof *wrench;

    if (!log->any || memcmp(tau, log->tau, tau_bytes) != 0) {
        memcpy(log->tau, tau, tau_bytes);
        log_put_reals(log, "tau", tau, nv);
    }
    if (!log->any || memcmp(wrench, log->wrench, wrench_bytes) != 0) {
        memcpy(log->wrench, wrench, wrench_bytes);
        log_put_reals(log, "wrench", wrench, nw);
    }
    if (nv > 0 && (!log->any || !log_same_drives(drives, log->drives, nv))) {
        memcpy(log->drives, drives, (size_t)nv*sizeof *drives);
        log_put_drives(log, drives, nv);
    }
    log->any = 1;
}

static void log_put_state(log_writer *log, const slip_world *world)
{
    const size_t n = log_state_size(world);

    if (n == 0) return;
    if (n > log->state_room) {
        free(log->state);
        log->state_room = 2*n;
        log->state = (slip_real *)cli_alloc(log->state_room*sizeof *log->state);
    }
    log_state(world, log->state);
    log_line_begin(log);
    slip_put_text(&log->text, "state ");
    log_put_bytes(log, log->state, n*sizeof *log->state);
    log_line_end(log);
}

void log_step(log_writer *log, sim_session *s, long k)
{
    uint64_t field[LOG_FIELDS];
    int f;

    log_inputs(log, s);
    log_put_state(log, s->world);
    log_fields(s->world, slip_world_stats(s->world)->status, field);
    log_line_begin(log);
    slip_put_text(&log->text, "step ");
    slip_put_int(&log->text, k);
    for (f = 0; f < LOG_FIELDS; ++f) {
        slip_put_format(&log->text, " %s ", log_field_name((log_field)f));
        if (log_field_is_number((log_field)f)) slip_put_int(&log->text, (long long)field[f]);
        else log_put_hex(log, field[f], 16);
    }
    log_line_end(log);
}

int log_end(const char *command, const char *path, log_writer *log, long steps)
{
    int ok;

    if (log->out) log_put_number(log, "end ", steps);
    ok = output_close(command, path, log->out);
    free(log->tau);
    free(log->wrench);
    free(log->drives);
    free(log->state);
    memset(log, 0, sizeof *log);
    return ok;
}
