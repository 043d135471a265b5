/* slipstick rollout: many runs of a scene with seeded variations; slipstick merge: joins the parts of one. */
#define _POSIX_C_SOURCE 200112L   /* isatty, fileno, sysconf */

#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "output.h"
#include "rollout.h"
#include "run_log.h"

static void rollout_help(void)
{
    fputs("usage: slipstick rollout SCENE --n N --out FILE [OPTIONS]\n\n"
          "Runs a scene N times with what varies drawn from a seed, and writes a table with a row a run\n"
          "(docs/rollout.md). The table is the same whatever --jobs is. One that was stopped goes on where it was.\n\n"
          "  --n N             runs                              --seed S        of what varies; 0\n"
          "  --jobs J          processes; 0: one a processor; $SLURM_CPUS_PER_TASK, else 1\n"
          "  --vary LIST       uniform between LO and HI, separated by commas: mu=LO:HI, restitution=, mass= and\n"
          "                    gravity= (factors), kp= and kd= (factors on all drives); of one surface or link\n"
          "                    mu:NAME=, restitution:NAME=, mass:NAME=; added to the start: q:JOINT=, v:JOINT=,\n"
          "                    x:LINK=, y:LINK=, z:LINK=\n"
          "  --policy P        zero; random: torques within the effort limits (1 without); FILE: a network\n"
          "  --every K         steps between two decisions of the policy\n"
          "  --out FILE        CSV (- for standard output)       --binary        8 bytes a number instead\n"
          "  --states          q and v of the end as columns     --at-most K     of the runs left, then stop\n"
          "  --anew            forget the rows of an earlier try and a result that is there already\n"
          "  --shard K/M       the K-th of M parts, to FILE.K-of-M; by itself below srun, mpirun, in Slurm arrays\n"
          "                    (none: all of it there too)       --shards M      below GNU parallel: M jobs\n"
          "  --time S  --dt S  --budget N  --package-path DIR  --strict  --quiet    as for 'slipstick sim'\n", stdout);
    fputs(solver_args_help_solver, stdout);
    fputs("\nExit code: 0 complete, 1 not (or, with --strict, a run ended with an error), 2 usage.\n\n"
          "example: slipstick rollout models/cube_slide.xml --n 20 --time 0.2 --vary mu=0.2:1 --jobs 2 --out -\n",
          stdout);
}

typedef struct {
    const char *scene, *out, *vary, *policy, *shard;
    sim_changes changes;
    int n, seed, jobs, every, binary, states, most, anew, shards;
} rollout_arguments;

static int rollout_option(cli_args *args, rollout_arguments *a)
{
    sim_changes *c = &a->changes;
    int ok = 1;

    if (cli_is(args, "--n")) ok = cli_value_int(args, 1, 1000000000, &a->n);
    else if (cli_is(args, "--seed")) ok = cli_value_int(args, 0, 1000000000, &a->seed);
    else if (cli_is(args, "--jobs")) ok = cli_value_int(args, 0, 4096, &a->jobs);
    else if (cli_is(args, "--vary")) ok = (a->vary = cli_value(args)) != NULL;
    else if (cli_is(args, "--policy")) ok = (a->policy = cli_value(args)) != NULL;
    else if (cli_is(args, "--every")) ok = cli_value_int(args, 1, 1000000, &a->every);
    else if (cli_is(args, "--out")) ok = (a->out = cli_value(args)) != NULL;
    else if (cli_is(args, "--binary")) a->binary = 1;
    else if (cli_is(args, "--states")) a->states = 1;
    else if (cli_is(args, "--at-most")) ok = cli_value_int(args, 1, 1000000000, &a->most);
    else if (cli_is(args, "--anew")) a->anew = 1;
    else if (cli_is(args, "--shard")) ok = (a->shard = cli_value(args)) != NULL;
    else if (cli_is(args, "--shards")) ok = cli_value_int(args, 1, 1000000, &a->shards);
    else if (cli_is(args, "--time")) ok = cli_value_real(args, 1e-9, 1e6, &c->time);
    else if (cli_is(args, "--dt")) ok = cli_value_real(args, 1e-9, 10, &c->dt);
    else if (cli_is(args, "--budget")) ok = cli_value_int(args, 1, 1000000000, &c->budget);
    else if (cli_is(args, "--package-path")) ok = cli_value_path(args, &c->packages);
    else if (cli_is(args, "--strict")) c->strict = 1;
    else if (cli_is(args, "--quiet")) c->quiet = 1;
    else if ((ok = solver_args_take(args, &c->solve)) == 0) cli_unknown(args);
    return ok > 0;
}

/* Processes when --jobs is not given or 0. */
static int rollout_processors(int wanted)
{
    const char *slurm = getenv("SLURM_CPUS_PER_TASK");
    int n = 1;

    if (wanted < 0 && slurm && slip_read_int(slurm, (int)strlen(slurm), &n) > 0 && n >= 1 && n <= 4096) return n;
#if defined(_SC_NPROCESSORS_ONLN)
    if (wanted == 0) n = (int)sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return n > 0 ? n : 1;
}

static int rollout_arguments_of(int argc, char **argv, rollout_arguments *a)
{
    cli_args args;
    int what;

    memset(a, 0, sizeof *a);
    a->jobs = -1;
    a->policy = "zero";
    cli_begin(&args, argc, argv);
    while ((what = cli_next(&args)) != 0) {
        if (what == 1 && (cli_is(&args, "--help") || cli_is(&args, "-h"))) return rollout_help(), -1;
        if (what == 1 && !rollout_option(&args, a)) return CLI_USAGE;
        if (what == 2 && a->scene) return cli_usage(&args, "one scene at a time, but there is also '%s'", args.value);
        if (what == 2) a->scene = args.value;
    }
    if (!a->scene) return cli_usage(&args, "which scene?");
    if (a->n == 0) return cli_usage(&args, "how many runs? --n N");
    if (!a->out) return cli_usage(&args, "where to? --out FILE");
    if (!solver_args_one(&args, &a->changes.solve)) return CLI_USAGE;
    if (a->jobs <= 0) a->jobs = rollout_processors(a->jobs);
    return CLI_OK;
}

/* ---- what the result depends on ---------------------------------------------------------------------------------- */

static uint64_t rollout_hash(uint64_t before, const void *bytes, size_t n)
{
    uint64_t both[2];

    both[0] = before;
    both[1] = log_hash(bytes, n);
    return log_hash(both, sizeof both);
}

static uint64_t rollout_hash_reals(uint64_t before, const slip_real *x, int n)
{
    return rollout_hash(before, x, (size_t)n*sizeof *x);
}

/* The scene's text, the masses and places of its robots, which are files of their own, and the options. */
static uint64_t rollout_hash_scene(const char *text, size_t length, const sim_session *s, const sim_changes *c)
{
    const slip_world_options *o = slip_world_options_of(s->world);
    const slip_model *m = s->scene.model;
    uint64_t h = log_hash(text, length);
    int i;

    h = rollout_hash_reals(h, m->inertia, 10*m->nbodies);
    for (i = 0; i < m->nbodies; ++i) {
        h = rollout_hash_reals(h, m->tree[i].R, 9);
        h = rollout_hash_reals(h, m->tree[i].p, 3);
    }
    h = rollout_hash_reals(h, m->armature, m->nv);
    h = rollout_hash_reals(h, m->effort_limit, m->nv);
    h = rollout_hash_reals(h, s->scene.q, m->nq);
    h = rollout_hash_reals(h, &o->dt, 1);
    h = rollout_hash(h, o->solver->id, strlen(o->solver->id));
    h = rollout_hash(h, &c->budget, sizeof c->budget);
    for (i = 0; i < c->solve.options; ++i) {
        h = rollout_hash(h, c->solve.name[i], strlen(c->solve.name[i]));
        h = rollout_hash(h, c->solve.value[i], strlen(c->solve.value[i]));
    }
    for (i = 0; i < c->solve.likes; ++i) h = rollout_hash(h, c->solve.like[i], strlen(c->solve.like[i]));
    return rollout_hash(h, &c->solve.cold, sizeof c->solve.cold);
}

/* The name of a file without its folders. */
static const char *rollout_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int rollout_open(const rollout_arguments *a, rollout *r)
{
    const char *file = strcmp(a->scene, "-") == 0 ? "(standard input)" : a->scene;
    size_t length;
    char *text;
    int ok;

    memset(r, 0, sizeof *r);
    if (!(text = cli_read_file("rollout", a->scene, &length))) return 0;
    ok = sim_open_text("rollout", text, length, file, &a->changes, &r->session);
    if (ok) {
        r->scene = rollout_base_name(file);
        r->n = a->n;
        r->seed = a->seed;
        r->states = a->states;
        r->of_scene = rollout_hash_scene(text, length, &r->session, &a->changes);
        ok = (!a->vary || rollout_vary("rollout", a->vary, r))
            && rollout_policy_read("rollout", a->policy, a->every, r);
        r->ncolumns = 1 + r->nvaried + ROLLOUT_RESULTS;
        if (r->states) r->ncolumns += r->session.scene.model->nq + r->session.scene.model->nv;
    }
    free(text);
    return ok;
}

static void rollout_close(rollout *r)
{
    rollout_policy_free(&r->policy);
    free(r->model_block);
    sim_close(&r->session);
}

/* ---- while it runs ---------------------------------------------------------------------------------------------- */

typedef struct {
    rollout_table *table;
    rollout_partial partial;
    unsigned char *done;
    int ndone, made, most;               /* rows there; made by this call; of them at most                     */
    int quiet, tty, wide;
    double begun, shown, flushed, steps;
} rollout_watch;

static int rollout_finished(void *context, const uint64_t *row)
{
    rollout_watch *w = (rollout_watch *)context;
    rollout_table *t = w->table;
    const size_t i = (size_t)row[0] - (size_t)t->first;

    memcpy(t->rows + i*(size_t)t->ncolumns, row, (size_t)t->ncolumns*sizeof *row);
    w->done[i] = 1;
    ++w->ndone;
    ++w->made;
    if (!rollout_partial_add(&w->partial, row)) return cli_fail("rollout", "cannot write the rows so far"), 0;
    return w->made < w->most;
}

/* Progress: a line that is written over on a terminal, else a line a minute. */
static int rollout_waiting(void *context)
{
    rollout_watch *w = (rollout_watch *)context;
    const double now = cli_seconds(), left = w->table->end - w->table->first - w->ndone;

    if (now - w->flushed > 1) {                                  /* what a kill may cost */
        rollout_partial_flush(&w->partial);
        w->flushed = now;
    }
    if (!w->quiet && w->made > 0 && now - w->shown > (w->tty ? 0.2 : 60)) {
        const int n = fprintf(stderr, "%s%d of %d runs, %.3g steps/s, %.0f s left %s", w->tty ? "\r" : "rollout: ",
                              w->ndone, w->table->end - w->table->first, w->steps*w->made/(now - w->begun),
                              left*(now - w->begun)/w->made, w->tty ? "" : "\n");

        if (n > w->wide) w->wide = n;
        w->shown = now;
        fflush(stderr);
    }
    return !output_interrupted();
}

/* The name of a part's file: FILE.csv becomes FILE.3-of-8.csv; free() it. */
static char *rollout_part_name(const char *path, const rollout_shard *s)
{
    const char *dot = strrchr(rollout_base_name(path), '.');
    const size_t stem = dot && dot != rollout_base_name(path) ? (size_t)(dot - path) : strlen(path);
    const size_t room = strlen(path) + 32;
    char *name = (char *)cli_alloc(room);

    if (s->count == 1 || strcmp(path, "-") == 0) slip_format(name, (int)room, "%s", path);
    else slip_format(name, (int)room, "%.*s.%d-of-%d%s", (int)stem, path, s->index + 1, s->count, path + stem);
    return name;
}

/* Whether the result is there already: then *table is it. */
static int rollout_is_there(const char *path, int binary, rollout_table *table)
{
    rollout_table old;
    int was_binary, same;
    FILE *f;

    if (strcmp(path, "-") == 0 || !(f = fopen(path, "rb"))) return 0;
    same = fgetc(f) == '#';
    fclose(f);
    if (!same || rollout_table_read("rollout", path, &old, &was_binary) <= 0) return 0;
    same = was_binary == binary && strcmp(old.head, table->head) == 0 && strcmp(old.names, table->names) == 0
        && old.first == table->first && old.end == table->end;
    rollout_table_free(same ? table : &old);
    if (same) *table = old;
    return same;
}

/* Runs what is left and writes the table once all is there. */
static int rollout_make(const rollout_arguments *a, rollout *r, const char *path, rollout_table *t)
{
    const int n = t->end - t->first, to_file = strcmp(path, "-") != 0;
    rollout_watch w;
    rollout_jobs jobs;
    int ok, before, complete;

    memset(&w, 0, sizeof w);
    w.table = t;
    w.quiet = a->changes.quiet;
    w.tty = isatty(fileno(stderr));
    w.steps = (double)r->session.steps;
    w.most = a->most > 0 ? a->most : n + 1;
    w.done = (unsigned char *)cli_alloc((size_t)n + 1);
    memset(w.done, 0, (size_t)n + 1);
    ok = !to_file || (output_can_open("rollout", path)
                      && rollout_partial_open("rollout", path, a->anew, t, w.done, &w.partial));
    for (before = 0; ok && before < n; ++before) w.ndone += w.done[before];
    before = w.ndone;
    if (ok && before > 0 && !w.quiet)
        fprintf(stderr, "slipstick rollout: %d of %d runs were there already\n", before, n);
    jobs.jobs = a->jobs;  jobs.first = t->first;  jobs.end = t->end;  jobs.done = w.done;  jobs.most = w.most;
    jobs.finished = rollout_finished;  jobs.waiting = rollout_waiting;  jobs.context = &w;
    output_watch_interrupts();
    w.begun = w.shown = w.flushed = cli_seconds();
    if (ok) ok = rollout_runs("rollout", r, &jobs);
    if (w.tty && w.wide > 0) fprintf(stderr, "\r%*s\r", w.wide, "");
    complete = ok && w.ndone == n;
    if (ok && !complete)
        fprintf(stderr, "slipstick rollout: stopped with %d of %d runs; the same command goes on from there\n", w.ndone,
                n);
    if (complete && !w.quiet && w.made > 0)
        fprintf(stderr, "slipstick rollout: %d runs in %.2f s, %.4g steps/s\n", w.made, cli_seconds() - w.begun,
                w.steps*w.made/(cli_seconds() - w.begun));
    if (complete) complete = rollout_table_write("rollout", path, a->binary, t);
    rollout_partial_close(&w.partial, complete);
    free(w.done);
    return complete;
}

int slip_cmd_rollout(int argc, char **argv)
{
    rollout_arguments a;
    rollout_shard shard;
    rollout_table table;
    rollout r;
    char *path;
    int code = rollout_arguments_of(argc, argv, &a), first, end, ok, failed;

    if (code != CLI_OK) return code < 0 ? CLI_OK : code;
    if (!rollout_shard_find("rollout", a.shard, a.shards, &shard)) return CLI_FAILED;
    if (!rollout_open(&a, &r)) { rollout_close(&r); return CLI_FAILED; }
    first = (int)((long long)a.n*shard.index/shard.count);
    end = (int)((long long)a.n*(shard.index + 1)/shard.count);
    path = rollout_part_name(a.out, &shard);
    if (shard.count > 1 && !a.changes.quiet)
        fprintf(stderr, "slipstick rollout: part %d of %d (%s), runs %d to %d, in %s\n", shard.index + 1, shard.count,
                shard.from, first, end - 1, path);
    rollout_table_begin(&r, first, end, &table);
    ok = !a.anew && rollout_is_there(path, a.binary, &table);
    if (ok && !a.changes.quiet) fprintf(stderr, "slipstick rollout: '%s' is complete already\n", path);
    if (!ok) ok = rollout_make(&a, &r, path, &table);
    if (ok && strcmp(path, "-") != 0) rollout_table_summary(stdout, &table);
    failed = ok ? rollout_table_failed(&table, &first) : 0;
    if (failed > 0)
        fprintf(stderr, "slipstick rollout: warning: %d runs ended with an error; the first is run %d\n", failed,
                first);
    code = ok && !(failed > 0 && a.changes.strict) ? CLI_OK : CLI_FAILED;
    rollout_table_free(&table);
    rollout_close(&r);
    free(path);
    return code;
}
