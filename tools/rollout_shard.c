/* Which part of a rollout this process is to do: from --shard, or from the environment that job schedulers and
 * launchers give to the processes they start. See rollout.h. */
#include "rollout.h"

#include <stdlib.h>
#include <string.h>

/* A variable as a whole number that is not negative. 1; 0: it is not set; -1: after a message. */
static int shard_variable(const char *command, const char *name, int *x)
{
    const char *text = getenv(name);
    const int length = text ? (int)strlen(text) : 0;

    if (length == 0) return 0;
    if (slip_read_int(text, length, x) == length && *x >= 0) return 1;
    return cli_fail(command, "the environment's %s is '%s', expected a whole number", name, text), -1;
}

/* Launchers that number their processes from 0. The first that is there counts: mpirun may itself run below srun. */
typedef struct { const char *name, *rank, *size, *only_with; } shard_launcher;
static const shard_launcher shard_launchers[] = {
    { "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL },
    { "PMI", "PMI_RANK", "PMI_SIZE", NULL },
    { "srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID" },   /* a batch script has the first two without a step */
};

/* Takes a part's part: of each of the s->count parts, number `index` of `count`. 0, after a message. */
static int shard_split(const char *command, const char *from, int index, int count, rollout_shard *s)
{
    const size_t used = strlen(s->from);

    if (count < 1 || index >= count) return cli_fail(command, "%s: part %d of %d", from, index, count), 0;
    if (count > 1000000000/s->count) return cli_fail(command, "%s: %d parts are too many", from, count), 0;
    s->index = s->index*count + index;
    s->count *= count;
    slip_format(s->from + used, (int)(sizeof s->from - used), "%s%s", used ? ", " : "", from);
    return 1;
}

/* An array of Slurm's: its task numbers begin anywhere and may have steps. */
static int shard_slurm_array(const char *command, rollout_shard *s)
{
    int id, count, lo, hi, step = 1, set;

    if ((set = shard_variable(command, "SLURM_ARRAY_TASK_ID", &id)) <= 0) return set == 0;
    if (shard_variable(command, "SLURM_ARRAY_TASK_COUNT", &count) <= 0
        || shard_variable(command, "SLURM_ARRAY_TASK_MIN", &lo) <= 0
        || shard_variable(command, "SLURM_ARRAY_TASK_MAX", &hi) <= 0
        || shard_variable(command, "SLURM_ARRAY_TASK_STEP", &step) < 0)
        return cli_fail(command, "a task of a Slurm array without SLURM_ARRAY_TASK_COUNT, _MIN and _MAX; use "
                        "--shard"), 0;
    if (step < 1 || id < lo || id > hi || (id - lo) % step != 0 || (hi - lo)/step + 1 != count)
        return cli_fail(command, "task %d of a Slurm array from %d to %d by %d has %d tasks: its numbers are not "
                        "regular; use --shard K/M", id, lo, hi, step, count), 0;
    return shard_split(command, "Slurm array", (id - lo)/step, count, s);
}

static int shard_launched(const char *command, rollout_shard *s)
{
    size_t i;

    for (i = 0; i < sizeof shard_launchers/sizeof *shard_launchers; ++i) {
        const shard_launcher *l = &shard_launchers[i];
        int rank, size, has_rank, has_size;

        if (l->only_with && !getenv(l->only_with)) continue;
        if ((has_rank = shard_variable(command, l->rank, &rank)) < 0) return 0;
        if ((has_size = shard_variable(command, l->size, &size)) < 0) return 0;
        if (has_rank && has_size) return shard_split(command, l->name, rank, size, s);
    }
    return 1;
}

/* GNU parallel numbers its jobs from 1, but does not say how many there will be: --shards M does. */
static int shard_parallel(const char *command, int shards, rollout_shard *s)
{
    int sequence, set = shard_variable(command, "PARALLEL_SEQ", &sequence);

    if (set < 0) return 0;
    if (!set || sequence < 1)
        return cli_fail(command, "--shards %d needs --shard K/M, or GNU parallel, Slurm or mpirun around it",
                        shards), 0;
    return shard_split(command, "GNU parallel", sequence - 1, shards, s);
}

/* "K/M", K from 1. */
static int shard_given(const char *command, const char *text, rollout_shard *s)
{
    const char *slash = strchr(text, '/');
    const int before = slash ? (int)(slash - text) : 0, after = slash ? (int)strlen(slash + 1) : 0;
    int k, m;

    if (!slash || slip_read_int(text, before, &k) != before || slip_read_int(slash + 1, after, &m) != after || k < 1
        || m < 1 || k > m)
        return cli_fail(command, "--shard: '%s' is not K/M with 1 <= K <= M, nor 'none'", text), 0;
    return shard_split(command, "--shard", k - 1, m, s);
}

int rollout_shard_find(const char *command, const char *given, int shards, rollout_shard *s)
{
    s->index = 0;
    s->count = 1;
    s->from[0] = '\0';
    if (given && strcmp(given, "none") == 0) return 1;
    if (given) return shard_given(command, given, s);
    if (!shard_slurm_array(command, s) || !shard_launched(command, s)) return 0;
    if (shards > 0 && s->from[0] == '\0') return shard_parallel(command, shards, s);
    if (shards > 0 && shards != s->count)
        return cli_fail(command, "--shards %d, but %s has %d parts", shards, s->from, s->count), 0;
    return 1;
}
