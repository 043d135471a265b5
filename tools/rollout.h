/* Many runs of one scene with seeded variations: `slipstick rollout` and `slipstick merge` (docs/rollout.md).
 *
 * Run i is the same whoever runs it: what varies is drawn from the seed and i alone, and every run begins at the
 * scene's start. A result is a table with a row a run, in the order of the runs; its head says what it is a result of,
 * so that a run that was stopped goes on where it was, and parts made on many machines are joined only when they fit. */
#ifndef SLIP_TOOLS_ROLLOUT_H
#define SLIP_TOOLS_ROLLOUT_H

#include "sim_run.h"

/* ---- what a rollout is --------------------------------------------------------------------------------------- */

typedef enum { ROLLOUT_MU, ROLLOUT_RESTITUTION, ROLLOUT_MASS, ROLLOUT_GRAVITY, ROLLOUT_Q, ROLLOUT_V,
               ROLLOUT_X, ROLLOUT_Y, ROLLOUT_Z, ROLLOUT_KP, ROLLOUT_KD } rollout_kind;

enum { ROLLOUT_MOST_VARIED = 64, ROLLOUT_NAME = 96 };

/* A quantity that varies, uniformly between lo and hi. */
typedef struct {
    rollout_kind kind;
    int index;                           /* material, link, place in q or v; -1: all of them                  */
    double lo, hi;
    char name[ROLLOUT_NAME];             /* as given: "mu", "mass:trunk"                                      */
} rollout_varied;

typedef enum { ROLLOUT_ZERO, ROLLOUT_RANDOM, ROLLOUT_NETWORK } rollout_policy_kind;

typedef enum { ROLLOUT_LINEAR, ROLLOUT_TANH, ROLLOUT_RELU } rollout_activation;

enum { ROLLOUT_MOST_LAYERS = 16 };

/* What sets the torques of the joints. A network's input is q, then v; its output one number a joint. */
typedef struct {
    rollout_policy_kind kind;
    int every;                           /* steps between two decisions                                       */
    int targets;                         /* its output moves the drives' targets [rad, m] instead of torques  */
    int noutputs, *output;               /* the places in v of the joints that are driven                     */
    int nlayers, inputs[ROLLOUT_MOST_LAYERS], outputs[ROLLOUT_MOST_LAYERS];
    rollout_activation activation[ROLLOUT_MOST_LAYERS];
    double *weights[ROLLOUT_MOST_LAYERS];/* outputs x inputs, row-major, then outputs biases                   */
    double *from, *to;                   /* scratch                                                           */
    double *start;                       /* [nv] targets of the drives at the start                           */
    uint64_t hash;                       /* of its file; 0: none                                              */
    slip_random rng;                     /* of ROLLOUT_RANDOM                                                 */
    long step;
} rollout_policy;

typedef struct {
    const char *scene, *policy_text;     /* names, for the head                                               */
    uint64_t of_scene;                   /* hash of the scene's text, its model and its start                 */
    int n, seed, nvaried, states;        /* states: q and v of the end are columns too                        */
    rollout_varied varied[ROLLOUT_MOST_VARIED];
    rollout_policy policy;
    sim_session session;
    void *model_block;                   /* memory of models with other masses; NULL: they do not vary        */
    size_t model_bytes;
    int ncolumns;
} rollout;

/* Reads --vary, "KIND[:NAME]=LO:HI,…"; 0, after a message. */
int rollout_vary(const char *command, const char *text, rollout *r);

/* Reads --policy, "zero", "random" or a file; 0, after a message. */
int rollout_policy_read(const char *command, const char *text, int every, rollout *r);
void rollout_policy_free(rollout_policy *p);

/* Sets torques or targets before a step; the context is the rollout. */
void rollout_policy_begin(rollout *r, int run);
void rollout_policy_update(void *context, slip_world *world);

/* The generator of a run: stream 0 of what varies, 1 of the policy. */
slip_random rollout_random(const rollout *r, int run, int stream);

/* ---- running --------------------------------------------------------------------------------------------------- */

/* The names of the columns after `run` and the quantities that vary. Numbers are doubles but for the integers. */
enum { ROLLOUT_STATUS, ROLLOUT_STEPS, ROLLOUT_MISSED, ROLLOUT_DROPPED, ROLLOUT_CONTACTS_MEAN, ROLLOUT_CONTACTS_MAX,
       ROLLOUT_PENETRATION, ROLLOUT_RESIDUAL, ROLLOUT_ENERGY_START, ROLLOUT_ENERGY_END, ROLLOUT_COM_X, ROLLOUT_COM_Y,
       ROLLOUT_COM_Z, ROLLOUT_HASH, ROLLOUT_RESULTS };

/* Name and type of a column: 'f' a double, 'i' a whole number, 'h' a hash. */
const char *rollout_column(const rollout *r, int column, char name[ROLLOUT_NAME], int *type);

/* One run into row[ncolumns]: of doubles their bits. */
void rollout_run(rollout *r, int run, uint64_t *row);

/* Runs of [first, end) that are not done[i - first] yet, on `jobs` processes; `finished` is called in this process for
 * each, in any order, and says whether to go on. `most`: at most so many runs. 0, after a message, when a process
 * was lost; 1 otherwise, stopped early or not. */
typedef struct {
    int jobs, first, end, most;
    const unsigned char *done;
    int (*finished)(void *context, const uint64_t *row);
    int (*waiting)(void *context);       /* called a few times a second; 0: stop                              */
    void *context;
} rollout_jobs;
int rollout_runs(const char *command, rollout *r, const rollout_jobs *jobs);

/* ---- tables ---------------------------------------------------------------------------------------------------- */

/* A result, or a part of one: rows of [first, end). */
typedef struct {
    char *head;                          /* what it is a result of, lines behind "# "; the same of all parts   */
    int n, first, end, ncolumns;
    char *types;                         /* [ncolumns]                                                        */
    char *names;                         /* of the columns, separated by commas                               */
    uint64_t *rows;                      /* [(end - first)*ncolumns]                                          */
} rollout_table;

void rollout_table_begin(const rollout *r, int first, int end, rollout_table *t);
void rollout_table_free(rollout_table *t);

/* Writes a table as CSV or, for binary, as the same head and 8 bytes a number; 0, after a message. */
int rollout_table_write(const char *command, const char *path, int binary, const rollout_table *t);

/* Reads what rollout_table_write() wrote. 1; 0: after a message; -1: there is no such file (no message). */
int rollout_table_read(const char *command, const char *path, rollout_table *t, int *binary);

/* How many runs ended with an error, and the first of them. */
int rollout_table_failed(const rollout_table *t, int *first);

/* Statistics of all columns, over the runs in their order. */
void rollout_table_summary(FILE *out, const rollout_table *t);

/* The rows that are done, kept in a file until the result is complete. Opens it, or makes it; takes what is in it. 0,
 * after a message: it belongs to something else, another process writes it, or it cannot be written. */
typedef struct { FILE *f; char *path; int ncolumns; } rollout_partial;
int  rollout_partial_open(const char *command, const char *path, int anew, rollout_table *t, unsigned char *done,
                          rollout_partial *p);
int  rollout_partial_add(rollout_partial *p, const uint64_t *row);
void rollout_partial_flush(rollout_partial *p);
void rollout_partial_close(rollout_partial *p, int remove_it);

/* ---- shards ---------------------------------------------------------------------------------------------------- */

/* Part `index` (from 0) of `count`, by --shard or by what started the process; `from` says which. */
typedef struct { int index, count; char from[96]; } rollout_shard;

/* `given`: the value of --shard, NULL for none: then the environment decides. `shards`: that of --shards, 0 for none.
 * 0, after a message. */
int rollout_shard_find(const char *command, const char *given, int shards, rollout_shard *s);

#endif
