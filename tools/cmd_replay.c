/* slipstick replay: runs a log again and names the first step and coordinate that differ, and any damaged line. */
#include "run_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim_csv.h"

static void replay_help(void)
{
    fputs("usage: slipstick replay LOG [--scene FILE] [--package-path DIR]... [--json]\n\n"
          "Runs a recorded run again ('slipstick sim SCENE --log LOG'): from the same state, with the same\n"
          "inputs, step by step. Compares positions, velocities, contacts, impulses and iterations, bit for bit,\n"
          "and names the first step and coordinate that differ, with both values. Every line of a log carries a\n"
          "check: a line that was damaged is named, too.\n\n"
          "  --scene FILE         the scene, when it is not where the log says\n"
          "  --package-path DIR   the same for package:// meshes; may be repeated\n"
          "  --json               the result as JSON\n"
          "  --quiet              no warnings about the scene\n\n"
          "Exit code: 0 identical, 1 different or unusable, 2 usage.\n\n"
          "example: slipstick sim models/bench/slide.xml --log run.log && slipstick replay run.log\n", stdout);
}

/* A log being read, line by line. */
typedef struct {
    const char *file;
    char *text, *next;
    int line;
    char *word, *rest;               /* of the present line: first word; the rest */
    uint32_t check;                  /* that the last line has                    */
    int damaged;                     /* first line that does not fit its check    */
    char damaged_word[32];
} log_reader;

static int replay_bad(const log_reader *in, const char *what)
{
    if (in->damaged)
        fprintf(stderr, "slipstick: %s:%d: damaged: the line does not fit its check\n", in->file, in->damaged);
    fprintf(stderr, "slipstick: %s:%d: %s\n", in->file, in->line > 0 ? in->line : 1, what);
    return 0;
}

/* Removes the check from the end of a line of n bytes and compares it. */
static int replay_fits(log_reader *in, char *line, size_t n)
{
    uint32_t check = 0, want;
    int i;

    if (n < 10 || line[n - 10] != ' ' || line[n - 9] != '~') return 0;
    want = log_check(in->check, line, n - 10);
    for (i = 8; i > 0; --i) {
        const char c = line[n - (size_t)i];
        const int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

        if (d < 0) return 0;
        check = check << 4 | (uint32_t)d;
    }
    line[n - 10] = '\0';
    in->check = check;
    return check == want;
}

/* The next line, cut into its first word and the rest; 0 at the end. One that does not fit its check is remembered. */
static int replay_line(log_reader *in)
{
    char *line = in->next, *end, *blank;
    int fits;

    if (!line || !*line) return 0;
    in->line += 1;
    end = strchr(line, '\n');
    in->next = end ? end + 1 : NULL;
    if (end) *end = '\0';
    fits = replay_fits(in, line, strlen(line)) && end;
    in->word = line;
    blank = strchr(line, ' ');
    in->rest = blank ? blank + 1 : line + strlen(line);
    if (blank) *blank = '\0';
    if (!fits && !in->damaged) {
        in->damaged = in->line;
        slip_format(in->damaged_word, (int)sizeof in->damaged_word, "%s", in->word);
    }
    return 1;
}

/* Hexadecimal digits up to a blank or the end, at most 16; 0 when there are none. */
static int replay_hex(char **at, uint64_t *x)
{
    int n = 0;

    *x = 0;
    while (**at == ' ') ++*at;
    for (; n < 17; ++n, ++*at) {
        const char c = **at;
        const int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

        if (d < 0) break;
        *x = *x << 4 | (uint64_t)d;
    }
    return n > 0 && n <= 16 && (**at == ' ' || **at == '\0');
}

static int replay_real(char **at, slip_real *x)
{
    uint64_t bits;
#ifdef SLIP_REAL_FLOAT
    uint32_t half;

    if (!replay_hex(at, &bits) || bits > UINT32_MAX) return 0;
    half = (uint32_t)bits;
    memcpy(x, &half, sizeof half);
#else
    if (!replay_hex(at, &bits)) return 0;
    memcpy(x, &bits, sizeof bits);
#endif
    return 1;
}

static int replay_reals(char *text, slip_real *x, int n)
{
    int i;

    for (i = 0; i < n; ++i)
        if (!replay_real(&text, &x[i])) return 0;
    while (*text == ' ') ++text;
    return *text == '\0';
}

static int replay_drives(char *text, slip_drive *d, int n)
{
    int i;

    for (i = 0; i < n; ++i) {
        uint64_t implicit;

        if (!replay_real(&text, &d[i].kp) || !replay_real(&text, &d[i].kd) || !replay_real(&text, &d[i].q_ref)
            || !replay_real(&text, &d[i].v_ref) || !replay_real(&text, &d[i].feed) || !replay_real(&text, &d[i].effort)
            || !replay_hex(&text, &implicit) || implicit > 1) return 0;
        d[i].implicit = (int)implicit;
    }
    return *text == '\0';
}

/* ---- the head of a log -------------------------------------------------------------------------- */

typedef struct {
    const char *scene;
    uint64_t scene_hash, snapshot_hash;
    sim_changes changes;
    slip_real dt, tol;
    long steps;
    char *snapshot;                  /* base64 */
    unsigned char *bytes;            /* decoded; of the session */
    int have_dt, have_tol;
    int moved;                       /* the command line says where packages are; the log's own do not count */
} replay_head;

/* "solver ID", "like ENGINE", "option NAME VALUE" or "cold 1" behind `set`; -1 when it is something else. */
static int replay_set_solver(log_reader *in, char *value, solver_args *a)
{
    slip_solver_options unused = slip_solver_defaults();
    char *second;

    if (strcmp(in->rest, "cold") == 0) return a->cold = 1;
    if (strcmp(in->rest, "solver") == 0) {
        a->list[a->count = 0] = slip_solver_find(value);
        return a->list[a->count++] ? 1 : replay_bad(in, "unknown solver");
    }
    if (strcmp(in->rest, "like") == 0) {
        a->like[a->likes = 0] = value;
        return slip_solver_like(a->like[a->likes++], &unused) ? 1 : replay_bad(in, "unknown engine");
    }
    if (strcmp(in->rest, "option") != 0) return -1;
    second = strchr(value, ' ');
    if (!second) return replay_bad(in, "expected 'set option NAME VALUE'");
    *second++ = '\0';
    return solver_args_set("replay", a, value, second);
}

static int replay_set(log_reader *in, replay_head *h)
{
    char *value = strchr(in->rest, ' ');
    int n;

    if (!value) return replay_bad(in, "expected 'set NAME VALUE'");
    *value++ = '\0';
    n = replay_set_solver(in, value, &h->changes.solve);
    if (n >= 0) return n;
    if (strcmp(in->rest, "seed") == 0) {
        n = slip_read_int(value, (int)strlen(value), &h->changes.seed);
        if (n <= 0 || value[n]) return replay_bad(in, "expected a number behind 'set seed'");
    } else if (strcmp(in->rest, "base") == 0) {
        n = slip_read_int(value, (int)strlen(value), &h->changes.base);
        if (n <= 0 || value[n] || h->changes.base < 1 || h->changes.base > 2)
            return replay_bad(in, "expected 1 or 2 behind 'set base'");
    } else if (strcmp(in->rest, "repair") == 0) {
        slip_real repair = 0;

        if (!replay_reals(value, &repair, 1)) return replay_bad(in, "expected a number behind 'set repair'");
        h->changes.repair = (double)repair;
    } else if (strcmp(in->rest, "dt") == 0) h->have_dt = replay_reals(value, &h->dt, 1);
    else if (strcmp(in->rest, "package-path") == 0) {
        cli_paths *p = &h->changes.packages;

        if (!h->moved && p->n < CLI_MOST_PATHS) p->dir[p->n++] = value;
    } else if (strcmp(in->rest, "tol") == 0) h->have_tol = replay_reals(value, &h->tol, 1);
    else return replay_bad(in, "unknown setting");
    return 1;
}

static int replay_head_line(log_reader *in, replay_head *h)
{
    const char *word = in->word;
    int n = 0, steps = 0;

    if (strcmp(word, "version") == 0) {
        char mine[64];

        slip_format(mine, (int)sizeof mine, "%s %s", SLIP_VERSION, SLIP_REAL_NAME);
        if (strcmp(in->rest, mine) != 0) {
            fprintf(stderr, "slipstick: %s:%d: made by version %s; this one is %s\n", in->file, in->line, in->rest,
                    mine);
            return 0;
        }
        return 1;
    }
    if (strcmp(word, "scene") == 0) {
        if (!replay_hex(&in->rest, &h->scene_hash) || *in->rest != ' ')
            return replay_bad(in, "expected a hash and a path behind 'scene'");
        if (!h->scene) h->scene = in->rest + 1;
        return 1;
    }
    if (strcmp(word, "set") == 0) return replay_set(in, h);
    if (strcmp(word, "steps") == 0) {
        n = slip_read_int(in->rest, (int)strlen(in->rest), &steps);
        h->steps = steps;
        return n > 0 && !in->rest[n] && steps >= 0 ? 1 : replay_bad(in, "expected a number behind 'steps'");
    }
    if (strcmp(word, "snapshot") == 0) {
        if (!replay_hex(&in->rest, &h->snapshot_hash) || *in->rest != ' ')
            return replay_bad(in, "expected a hash behind 'snapshot'");
        h->snapshot = in->rest + 1;
        return 1;
    }
    return replay_bad(in, "not a line of a log's head");
}

/* Reads up to the snapshot. */
static int replay_read_head(log_reader *in, replay_head *h)
{
    if (!replay_line(in) || strcmp(in->word, "slipstick-log") != 0 || strcmp(in->rest, "2") != 0)
        return replay_bad(in, "not a log of this slipstick (expected 'slipstick-log 2')");
    while (!h->snapshot) {
        if (!replay_line(in)) return replay_bad(in, "the log ends before its snapshot");
        if (in->damaged && strcmp(in->word, "snapshot") != 0)
            return replay_bad(in, "nothing can be run again from a damaged head");
        if (!replay_head_line(in, h)) return 0;
    }
    if (!h->scene) return replay_bad(in, "the log names no scene");
    if (!h->have_dt || !h->have_tol) return replay_bad(in, "the log has no time step or no tolerance");
    return 1;
}

/* ---- running again ------------------------------------------------------------------------------ */

typedef struct {
    sim_session *session;
    slip_real *tau, *wrench;
    slip_drive *drives;
    char *state;                     /* base64 of the state after the next step; NULL: hashes alone */
} replay_inputs;

/* Events first, as in the run itself; then the inputs of the log. */
static void replay_control(void *context, slip_world *world)
{
    const replay_inputs *in = (const replay_inputs *)context;
    const slip_model *m = slip_world_model(world);

    slip_scene_apply(&in->session->scene, world);
    memcpy(slip_world_tau(world), in->tau, (size_t)m->nv*sizeof(slip_real));
    memcpy(slip_world_wrench(world), in->wrench, 6*(size_t)m->nbodies*sizeof(slip_real));
    if (m->nv > 0) memcpy(slip_world_drive(world, 0), in->drives, (size_t)m->nv*sizeof(slip_drive));
}

typedef struct {
    long steps;                      /* run again                                              */
    long first;                      /* step that differs first, -1: none                      */
    log_field field;
    int line;
    uint64_t logged, found;
    long differ;                     /* steps that differ                                      */
    int snapshot_damaged;
    char what[200];                  /* the coordinate, "" when only its field is known        */
    slip_real was, is;
    int damaged_input;               /* step whose input line is damaged; 0: none              */
} replay_outcome;

static int replay_step_line(log_reader *in, long k, uint64_t field[LOG_FIELDS])
{
    char *at = in->rest;
    int n, number = 0, f;

    n = slip_read_int(at, (int)strlen(at), &number);
    if (n <= 0 || number != k) return replay_bad(in, "the steps of the log are not in order");
    at += n;
    for (f = 0; f < LOG_FIELDS; ++f) {
        const char *name = log_field_name((log_field)f);

        if (*at != ' ' || strncmp(at + 1, name, strlen(name)) != 0 || at[1 + strlen(name)] != ' ')
            return replay_bad(in, "a field of the step is missing or misspelt");
        at += 2 + strlen(name);
        if (log_field_is_number((log_field)f)) {
            n = slip_read_int(at, (int)strlen(at), &number);
            if (n <= 0) return replay_bad(in, "expected a number");
            field[f] = (uint64_t)number;
            at += n;
        } else if (!replay_hex(&at, &field[f])) return replay_bad(in, "expected a hash");
    }
    return *at == '\0' ? 1 : replay_bad(in, "something is left at the end of the step");
}

/* The name of number i of a state: a coordinate, or a component of a contact's impulse. */
static log_field replay_name(const sim_session *s, int i, char *text, size_t size)
{
    static const char *const axis[] = { "t1", "t2", "n" };
    const slip_model *m = s->scene.model;
    const slip_collider_def *c = s->scene.world.colliders;
    slip_contact_info contact;

    if (i < m->nq) return report_coordinate(m, 1, i, text, size), LOG_Q;
    i -= m->nq;
    if (i < m->nv) return report_coordinate(m, 0, i, text, size), LOG_V;
    i -= m->nv;
    contact = slip_contact_get(s->world, i/3);
    slip_format(text, (int)size, "impulse %s of contact %d (%s on %s)", axis[i%3], i/3, c[contact.collider_a].name,
                c[contact.collider_b].name);
    return LOG_IMPULSES;
}

/* Compares number by number with the state in the log. 1 and the first difference when there is one; 0 as well for a
 * state of another length, or none. */
static int replay_compare_state(const replay_inputs *in, log_field *field, replay_outcome *out)
{
    const sim_session *s = in->session;
    const size_t n = log_state_size(s->world), length = in->state ? strlen(in->state) : 0;
    slip_real *logged, *now;
    size_t i;
    int found = 0;

    if (!length || n == 0) return 0;
    logged = (slip_real *)cli_alloc(length + n*sizeof *now + 16);
    now = (slip_real *)cli_alloc(n*sizeof *now);
    log_state(s->world, now);
    if (slip_base64_read(in->state, length, (unsigned char *)logged) == (long)(n*sizeof *now))
        for (i = 0; i < n && !found; ++i)
            if (memcmp(&logged[i], &now[i], sizeof *now) != 0) {
                found = 1;
                out->was = logged[i];
                out->is = now[i];
                *field = replay_name(s, (int)i, out->what, sizeof out->what);
            }
    free(logged);
    free(now);
    return found;
}

static void replay_compare(const replay_inputs *in, const uint64_t logged[LOG_FIELDS],
                           const uint64_t found[LOG_FIELDS], long k, int line, replay_outcome *out)
{
    log_field field = LOG_FIELDS;
    replay_outcome named = *out;
    int f, differs;

    for (f = 0; f < LOG_FIELDS; ++f)
        if (logged[f] != found[f]) break;
    differs = out->first < 0 && replay_compare_state(in, &field, &named);
    if (f == LOG_FIELDS && !differs) return;
    out->differ += 1;
    if (out->first >= 0) return;
    if (differs && (f == LOG_FIELDS || (int)field <= f)) {
        named.differ = out->differ;
        *out = named;
        f = (int)field;
    }
    out->first = k;
    out->field = (log_field)f;
    out->line = line;
    out->logged = logged[f];
    out->found = found[f];
}

static int replay_one(log_reader *in, replay_inputs *inputs, long k, replay_outcome *out)
{
    uint64_t logged[LOG_FIELDS], found[LOG_FIELDS];
    slip_status status;

    if (!replay_step_line(in, k, logged)) return 0;
    status = slip_step(inputs->session->world);
    log_fields(inputs->session->world, status, found);
    replay_compare(inputs, logged, found, k, in->line, out);
    inputs->state = NULL;
    out->steps = k;
    if (status < 0) {
        cli_error(slip_world_error(inputs->session->world));
        return 0;
    }
    return 1;
}

/* A line of inputs: 1 done, 0 it cannot be read, -1 it is something else. */
static int replay_input(log_reader *in, replay_inputs *inputs)
{
    const slip_model *m = inputs->session->scene.model;
    const char *word = in->word;

    if (strcmp(word, "tau") == 0)
        return replay_reals(in->rest, inputs->tau, m->nv)
            || replay_bad(in, "expected as many reals as velocities behind 'tau'");
    if (strcmp(word, "wrench") == 0)
        return replay_reals(in->rest, inputs->wrench, 6*m->nbodies)
            || replay_bad(in, "expected six reals a body behind 'wrench'");
    if (strcmp(word, "drives") == 0)
        return replay_drives(in->rest, inputs->drives, m->nv)
            || replay_bad(in, "expected seven numbers a velocity behind 'drives'");
    if (strcmp(word, "state") != 0) return -1;
    inputs->state = in->rest;
    return 1;
}

static int replay_last(log_reader *in, long k)
{
    int last = 0;
    const int n = slip_read_int(in->rest, (int)strlen(in->rest), &last);

    if (n <= 0 || in->rest[n] || last != k) return replay_bad(in, "the log's end does not fit its steps");
    if (in->next && *in->next) return replay_bad(in, "there is more behind the log's end");
    return 1;
}

static int replay_steps(log_reader *in, replay_inputs *inputs, replay_outcome *out)
{
    long k = 0;

    while (replay_line(in)) {
        const int input = replay_input(in, inputs);

        if (input == 0) return 0;
        if (in->damaged == in->line && input == 1 && inputs->state != in->rest) out->damaged_input = (int)k + 1;
        if (input == 1) continue;
        if (strcmp(in->word, "end") == 0) return replay_last(in, k);
        if (strcmp(in->word, "step") != 0) return replay_bad(in, "unknown word in a log");
        if (!replay_one(in, inputs, ++k, out)) return 0;
    }
    return replay_bad(in, "the log ends without its 'end' line: it was cut off");
}

/* The start: the snapshot when it is whole; a damaged one is a difference at step 0. */
static int replay_start(log_reader *in, replay_head *h, sim_session *s, replay_outcome *out)
{
    const size_t length = strlen(h->snapshot);
    long n;

    h->bytes = (unsigned char *)cli_alloc(length + 4);
    n = slip_base64_read(h->snapshot, length, h->bytes);
    if (n < 0 || log_hash(h->bytes, (size_t)n) != h->snapshot_hash) {
        out->snapshot_damaged = 1;
        out->first = 0;
        out->line = in->line;
        return 1;
    }
    if (slip_snapshot_restore(s->world, h->bytes, (size_t)n) < 0)
        return replay_bad(in, slip_world_error(s->world)->what);
    return 1;
}

static void replay_json_report(const log_reader *in, const replay_outcome *o, const char *field)
{
    printf("{\"identical\": %s, \"steps\": %ld, \"first_step\": %ld, \"field\": \"%s\", \"coordinate\": ",
           o->first < 0 && !in->damaged ? "true" : "false", o->steps, o->first, field);
    cli_json_text(stdout, o->what);
    if (o->what[0] && o->was - o->was == 0 && o->is - o->is == 0) {
        char was[SLIP_NUMBER_SIZE], is[SLIP_NUMBER_SIZE];

        slip_print_real(o->was, 0, was);
        slip_print_real(o->is, 0, is);
        printf(", \"logged\": %s, \"now\": %s", was, is);
    }
    printf(", \"steps_that_differ\": %ld, \"damaged_line\": %d}\n", o->differ, in->damaged);
}

static void replay_say_values(const replay_outcome *o)
{
    char was[SLIP_NUMBER_SIZE], is[SLIP_NUMBER_SIZE];

    if (o->what[0]) {
        slip_print_real(o->was, 0, was);
        slip_print_real(o->is, 0, is);
        printf("  %s: logged %s, now %s\n", o->what, was, is);
    } else if (log_field_is_number(o->field)) {
        printf("  logged %d, now %d\n", (int)o->logged, (int)o->found);
    } else {
        printf("  logged hash %016" PRIx64 ", now %016" PRIx64 "\n", o->logged, o->found);
    }
}

static void replay_report(const log_reader *in, const replay_outcome *o, int json)
{
    const char *field = o->snapshot_damaged ? "snapshot" : o->first >= 0 ? log_field_name(o->field) : "";

    if (json) { replay_json_report(in, o, field); return; }
    if (in->damaged) {
        printf("%s: damaged at line %d (%s", in->file, in->damaged, in->damaged_word);
        if (o->damaged_input) printf(", an input of step %d", o->damaged_input);
        puts("): the line does not fit its check");
    }
    if (o->snapshot_damaged) {
        printf("%s: differs at step 0 in snapshot (line %d): the log's own copy of the start is damaged\n", in->file,
               o->line);
    } else if (o->first >= 0) {
        printf("%s: differs first at step %ld in %s (line %d)\n", in->file, o->first, field, o->line);
        replay_say_values(o);
        if (o->differ == 1 && o->first < o->steps)
            puts("  all later steps agree: the log was changed there, not the run");
        else printf("  %ld of %ld steps differ\n", o->differ, o->steps);
    } else if (in->damaged) {
        printf("%s: the run agrees in all %ld steps\n", in->file, o->steps);
    } else {
        printf("%s: identical, %ld steps\n", in->file, o->steps);
    }
}

static int replay_again(log_reader *in, replay_head *h, int json)
{
    replay_outcome out;
    replay_inputs inputs;
    sim_session s;
    size_t nv, nb;
    uint64_t hash;
    char tol[SLIP_NUMBER_SIZE];
    int ok;

    memset(&out, 0, sizeof out);
    out.first = -1;
    hash = log_file_hash("replay", h->scene);
    if (!hash) return CLI_FAILED;
    if (hash != h->scene_hash)
        return cli_fail("replay", "'%s' is not the scene that was recorded: its bytes differ", h->scene);
    h->changes.dt = (double)h->dt;
    slip_print_real(h->tol, 0, tol);
    if (!solver_args_set("replay", &h->changes.solve, "tol", tol)) return CLI_FAILED;
    if (!sim_open("replay", h->scene, &h->changes, &s)) return CLI_FAILED;
    nv = (size_t)s.scene.model->nv;
    nb = (size_t)s.scene.model->nbodies;
    inputs.session = &s;
    inputs.state = NULL;
    inputs.tau = (slip_real *)cli_alloc((nv + 1)*sizeof(slip_real));
    inputs.wrench = (slip_real *)cli_alloc(6*nb*sizeof(slip_real));
    inputs.drives = (slip_drive *)cli_alloc((nv + 1)*sizeof(slip_drive));
    memset(inputs.tau, 0, (nv + 1)*sizeof(slip_real));
    memset(inputs.wrench, 0, 6*nb*sizeof(slip_real));
    memset(inputs.drives, 0, (nv + 1)*sizeof(slip_drive));
    slip_world_set_control(s.world, replay_control, &inputs);
    ok = replay_start(in, h, &s, &out) && (out.snapshot_damaged || replay_steps(in, &inputs, &out));
    if (ok || out.first >= 0) replay_report(in, &out, json);
    free(inputs.tau);
    free(inputs.wrench);
    free(inputs.drives);
    free(h->bytes);
    sim_close(&s);
    return ok && out.first < 0 && !in->damaged ? CLI_OK : CLI_FAILED;
}

int slip_cmd_replay(int argc, char **argv)
{
    log_reader in;
    replay_head head;
    cli_args args;
    size_t length = 0;
    int what, json = 0, code;

    memset(&in, 0, sizeof in);
    memset(&head, 0, sizeof head);
    cli_begin(&args, argc, argv);
    while ((what = cli_next(&args)) != 0) {
        if (what == 1 && (cli_is(&args, "--help") || cli_is(&args, "-h"))) return replay_help(), CLI_OK;
        if (what == 1 && cli_is(&args, "--json")) json = 1;
        else if (what == 1 && cli_is(&args, "--quiet")) head.changes.quiet = 1;
        else if (what == 1 && cli_is(&args, "--package-path")) {
            if (!cli_value_path(&args, &head.changes.packages)) return CLI_USAGE;
            head.moved = 1;
        } else if (what == 1 && cli_is(&args, "--scene")) {
            head.scene = cli_value(&args);
            if (!head.scene) return CLI_USAGE;
        } else if (what == 1) return cli_unknown(&args);
        else if (in.file) return cli_usage(&args, "one log at a time, but there is also '%s'", args.value);
        else in.file = args.value;
    }
    if (!in.file) return cli_usage(&args, "which log?");
    in.text = in.next = cli_read_file("replay", in.file, &length);
    if (!in.text) return CLI_FAILED;
    if (strlen(in.text) != length) code = (replay_bad(&in, "not a text: it has a byte 0"), CLI_FAILED);
    else code = replay_read_head(&in, &head) ? replay_again(&in, &head, json) : CLI_FAILED;
    free(in.text);
    return code;
}
