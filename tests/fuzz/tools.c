/* Targets: the readers of the command. They read files and tell faults on stderr; none may end the program. */
#include "fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../tools/cli.h"
#include "../../tools/motion_file.h"
#include "../../tools/real.h"
#include "../../tools/rollout.h"
#include "../../tools/run_log.h"

static char tools_path[128];

static void tools_remove(void) { remove(tools_path); }

/* The bytes as a file; its name. One for each process, as libFuzzer may run several. */
static const char *tools_file(const void *bytes, size_t size)
{
    FILE *f;

    if (!tools_path[0]) {
        const char *folder = getenv("SLIP_FUZZ_DIR");
        const void *mine = tools_path;
        uint32_t name = log_check(0, (const char *)&mine, sizeof mine);      /* another place in each process */

        snprintf(tools_path, sizeof tools_path, "%.40s/fuzz.%08" PRIx32, folder ? folder : "build", name);
        atexit(tools_remove);
    }
    f = fopen(tools_path, "wb");
    FUZZ_CHECK(f != NULL);
    if (size > 0) FUZZ_CHECK(fwrite(bytes, 1, size, f) == size);
    fclose(f);
    return tools_path;
}

static const slip_model *tools_model(void)
{
    static const slip_model *model;

    if (!model) {
        slip_arena mem = slip_arena_over(malloc(1 << 20), 1 << 20);
        slip_error err;
        slip_urdf urdf;

        FUZZ_CHECK(slip_urdf_load("models/double_pendulum.urdf", NULL, &mem, &urdf, NULL, &err) == SLIP_OK);
        FUZZ_CHECK(slip_model_build(&urdf.def, &mem, &model, NULL, &err) == SLIP_OK);
    }
    return model;
}

static void fuzz_motion(const unsigned char *bytes, size_t size)
{
    const slip_model *model = tools_model();
    motion m;

    if (!motion_read("fuzz", tools_file(bytes, size), model, &m)) return;
    FUZZ_CHECK(slip_all_finite(m.q, m.n*model->nq));
    FUZZ_CHECK(!m.v || slip_all_finite(m.v, m.n*model->nv));
    FUZZ_CHECK(!m.time || m.dt - m.dt == 0);
    motion_free(&m);
}

static void fuzz_real(const unsigned char *bytes, size_t size)
{
    char *text = (char *)malloc(size + 1);
    real_set set;
    int i;

    memcpy(text, bytes, size);
    text[size] = '\0';
    if (real_parse("fuzz", text, "fuzz.csv", &set)) {
        for (i = 0; i < set.nrows; ++i) FUZZ_CHECK(set.rows[i].t - set.rows[i].t == 0);
        real_free(&set);
    }
    free(text);
}

static void fuzz_rollout(const unsigned char *bytes, size_t size)
{
    rollout_table t;
    int binary = 0, first;

    if (rollout_table_read("fuzz", tools_file(bytes, size), &t, &binary) != 1) return;
    FUZZ_CHECK(rollout_table_failed(&t, &first) <= t.end - t.first);
    rollout_table_free(&t);
}

static void fuzz_states(const unsigned char *bytes, size_t size)
{
    char command[] = "eval", model[] = "tests/fuzz/pendulum.urdf", *argv[4];     /* short: it is read each time */

    argv[0] = command;
    argv[1] = model;
    argv[2] = (char *)(uintptr_t)tools_file(bytes, size);
    argv[3] = NULL;
    FUZZ_CHECK(slip_cmd_eval(3, argv) != CLI_USAGE);
}

/* A log of which the bytes are the lines behind the scene's; each gets the check that it needs to be believed. */
static void fuzz_log(const unsigned char *bytes, size_t size)
{
    static const char scene[] = "tests/fuzz/corpus/scene/00";
    char command[] = "replay", quiet[] = "--quiet", *argv[4], *text = (char *)malloc(12*size + 4096), *to = text;
    const char *at, *end;
    char *head = (char *)malloc(size + 512);
    uint32_t check = 0;

    to[0] = '\0';
    snprintf(head, 512, "slipstick-log 2\nversion %s %s\nscene %016" PRIx64 " %s\n", SLIP_VERSION, SLIP_REAL_NAME,
             log_file_hash("fuzz", scene), scene);
    end = head + strlen(head) + size;
    memcpy(head + strlen(head), bytes, size);
    for (at = head; at < end; ) {
        const char *stop = (const char *)memchr(at, '\n', (size_t)(end - at));
        const size_t n = (size_t)((stop ? stop : end) - at);

        memcpy(to, at, n);
        check = log_check(check, at, n);
        to += n;
        to += snprintf(to, 16, " ~%08" PRIx32 "\n", check);
        at += n + 1;
    }
    argv[0] = command;
    argv[1] = (char *)(uintptr_t)tools_file(text, (size_t)(to - text));
    argv[2] = quiet;
    argv[3] = NULL;
    free(head);
    free(text);
    slip_cmd_replay(3, argv);
}

const fuzz_target fuzz_tools[] = {
    { "motion", fuzz_motion }, { "real", fuzz_real }, { "rollout", fuzz_rollout }, { "states", fuzz_states },
    { "log", fuzz_log }, { NULL, NULL }
};
