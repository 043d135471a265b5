/* See run_log.h. */
#include "run_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *log_field_name(log_field field)
{
    static const char *const name[LOG_FIELDS] = { "q", "v", "contacts", "impulses", "iterations", "status" };

    return (int)field >= 0 && field < LOG_FIELDS ? name[field] : "";
}

static uint64_t log_hash_more(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *b = (const unsigned char *)bytes;

    while (n-- > 0) h = (h ^ *b++)*UINT64_C(1099511628211);
    return h;
}

uint64_t log_hash(const void *bytes, size_t n) { return log_hash_more(UINT64_C(14695981039346656037), bytes, n); }

void log_fields(const slip_world *world, slip_status status, uint64_t field[LOG_FIELDS])
{
    slip_world *w = (slip_world *)(uintptr_t)world;              /* q and v are only read */
    const slip_model *m = slip_world_model(world);
    uint64_t impulses = log_hash("", 0);
    int i;

    for (i = 0; i < slip_contact_count(world); ++i) {
        const slip_contact_info c = slip_contact_get(world, i);

        impulses = log_hash_more(impulses, c.impulse, sizeof c.impulse);
    }
    field[LOG_Q] = log_hash(slip_world_q(w), (size_t)m->nq*sizeof(slip_real));
    field[LOG_V] = log_hash(slip_world_v(w), (size_t)m->nv*sizeof(slip_real));
    field[LOG_CONTACTS] = (uint64_t)slip_contact_count(world);
    field[LOG_IMPULSES] = impulses;
    field[LOG_ITERATIONS] = (uint64_t)slip_world_stats(world)->iterations;
    field[LOG_STATUS] = (uint64_t)(status < 0 ? -(int)status : (int)status);
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

/* A real by its bits, in hexadecimal: the same in any locale and back to the last bit. */
static void log_put_real(FILE *out, slip_real x)
{
#ifdef SLIP_REAL_FLOAT
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    fprintf(out, " %08" PRIx32, bits);
#else
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    fprintf(out, " %016" PRIx64, bits);
#endif
}

static void log_put_reals(FILE *out, const char *word, const slip_real *x, int n)
{
    int i;

    fputs(word, out);
    for (i = 0; i < n; ++i) log_put_real(out, x[i]);
    fputc('\n', out);
}

static void log_put_snapshot(FILE *out, const void *bytes, size_t n)
{
    slip_base64 state;
    slip_stream s;

    fprintf(out, "snapshot %016" PRIx64 " ", log_hash(bytes, n));
    memset(&state, 0, sizeof state);
    slip_stream_file(out, &s);
    slip_base64_put(&state, &s, bytes, n);
    slip_base64_end(&state, &s);
    slip_stream_flush(&s);
    fputc('\n', out);
}

int log_begin(const char *command, const char *path, const char *scene, const sim_changes *c, sim_session *s,
              log_writer *log)
{
    const size_t nv = (size_t)s->scene.model->nv, nb = (size_t)s->scene.model->nbodies;
    uint64_t hash;

    memset(log, 0, sizeof *log);
    if (strcmp(scene, "-") == 0) return cli_fail(command, "--log needs a scene in a file: a log names it"), 0;
    if (strchr(scene, '\n')) return cli_fail(command, "--log cannot name a scene whose path has a line break"), 0;
    hash = log_file_hash(command, scene);
    if (!hash) return 0;
    log->out = fopen(path, "w");
    if (!log->out) return cli_fail(command, "cannot write '%s'", path), 0;
    log->tau = (slip_real *)cli_alloc((nv + 1)*sizeof *log->tau);
    log->wrench = (slip_real *)cli_alloc(6*nb*sizeof *log->wrench);
    log->drives = (slip_drive *)cli_alloc((nv + 1)*sizeof *log->drives);
    fprintf(log->out, "slipstick-log 1\nversion %s %s\nscene %016" PRIx64 " %s\n", SLIP_VERSION, SLIP_REAL_NAME, hash,
            scene);
    if (c->solver) fprintf(log->out, "set solver %s\n", c->solver);
    if (c->like) fprintf(log->out, "set like %s\n", c->like);
    if (c->seed) fprintf(log->out, "set seed %d\n", c->seed);
    log_put_reals(log->out, "set dt", &s->scene.world.options.dt, 1);
    log_put_reals(log->out, "set tol", &s->scene.world.options.solve.tol, 1);
    fprintf(log->out, "steps %ld\n", s->steps);
    log_put_snapshot(log->out, s->snapshot, slip_snapshot_bytes(s->world));
    return 1;
}

static void log_put_drives(FILE *out, const slip_drive *d, int n)
{
    int i;

    fputs("drives", out);
    for (i = 0; i < n; ++i) {
        log_put_real(out, d[i].kp);
        log_put_real(out, d[i].kd);
        log_put_real(out, d[i].q_ref);
        log_put_real(out, d[i].v_ref);
        log_put_real(out, d[i].feed);
        log_put_real(out, d[i].effort);
        fprintf(out, " %d", d[i].implicit != 0);
    }
    fputc('\n', out);
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
        log_put_reals(log->out, "tau", tau, nv);
    }
    if (!log->any || memcmp(wrench, log->wrench, wrench_bytes) != 0) {
        memcpy(log->wrench, wrench, wrench_bytes);
        log_put_reals(log->out, "wrench", wrench, nw);
    }
    if (nv > 0 && (!log->any || !log_same_drives(drives, log->drives, nv))) {
        memcpy(log->drives, drives, (size_t)nv*sizeof *drives);
        log_put_drives(log->out, drives, nv);
    }
    log->any = 1;
}

void log_step(log_writer *log, sim_session *s, long k)
{
    uint64_t field[LOG_FIELDS];

    log_inputs(log, s);
    log_fields(s->world, slip_world_stats(s->world)->status, field);
    fprintf(log->out,
            "step %ld q %016" PRIx64 " v %016" PRIx64 " contacts %d impulses %016" PRIx64
            " iterations %d status %d\n", k,
            field[LOG_Q], field[LOG_V], (int)field[LOG_CONTACTS], field[LOG_IMPULSES], (int)field[LOG_ITERATIONS],
            (int)field[LOG_STATUS]);
}

int log_end(const char *command, const char *path, log_writer *log, long steps)
{
    int bad = 0;

    if (log->out) {
        fprintf(log->out, "end %ld\n", steps);
        bad = ferror(log->out) != 0;
        bad |= fclose(log->out) != 0;
    }
    free(log->tau);
    free(log->wrench);
    free(log->drives);
    memset(log, 0, sizeof *log);
    return bad ? cli_fail(command, "cannot write '%s'", path), 0 : 1;
}
