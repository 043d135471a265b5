/* Runs that can be repeated: their start, the inputs of each step, and its results.
 *
 * A log is text, a word and its values a line, with a check of the line (and of the check before it) at its end:
 *
 *   slipstick-log 2 ~8a1f03c2
 *   version 0.1.0 double       scene models/slide.xml 5f2c…     (the file and a hash of its bytes)
 *   set solver ncp-admm        set dt 3f50624dd2f1a9fc          (what the command line changed; reals by their bits)
 *   set option rho_rule linear                                  (options of the solver as text)
 *   steps 1000                 snapshot 81c3… BASE64            (the start, with a hash)
 *   tau …, wrench …, drives …                                   (inputs, before the step that they changed for)
 *   state BASE64               (q, v, impulses behind the step, as they are in memory; not in scenes of many bodies)
 *   step 1 q 9a… v 03… contacts 4 impulses 77… iterations 12 status 0
 *   end 1000 */
#ifndef SLIP_TOOLS_RUN_LOG_H
#define SLIP_TOOLS_RUN_LOG_H

#include "sim_run.h"

/* The fields of a step's result. */
typedef enum { LOG_Q, LOG_V, LOG_CONTACTS, LOG_IMPULSES, LOG_ITERATIONS, LOG_STATUS, LOG_FIELDS } log_field;
const char *log_field_name(log_field field);
int         log_field_is_number(log_field field);                 /* else a hash */

/* 64-bit FNV-1a. */
uint64_t log_hash(const void *bytes, size_t n);

/* The hash of a run so far, 0 before the first step, with one step more: its q, v, number of contacts and impulses. The
 * same on machines of either byte order. */
uint64_t log_hash_step(uint64_t before, const slip_world *world);

/* The check of a line: of its bytes and of the check of the line before, which is 0 at the start. */
uint32_t log_check(uint32_t before, const char *line, size_t n);

/* More coordinates than this are kept by their hashes alone. */
enum { LOG_STATE_MOST = 4000 };

/* How many numbers of its state a step leaves in a log: q, v and the impulses; 0 when they are too many. */
size_t log_state_size(const slip_world *world);
void   log_state(const slip_world *world, slip_real *state);      /* [log_state_size()] */
void     log_fields(const slip_world *world, slip_status status, uint64_t field[LOG_FIELDS]);

/* ---- writing: before the run, after each step, at the end --------------------------------------- */

typedef struct {
    FILE *out;
    slip_stream text;                /* of the present line */
    uint64_t hash;
    uint32_t check;                  /* of the line before  */
    slip_real *tau, *wrench;         /* inputs last written */
    slip_drive *drives;
    slip_real *state;
    size_t state_room;
    int any;
} log_writer;

/* 0, after a message, when the file cannot be written or the scene not be read again. */
int  log_begin(const char *command, const char *path, const char *scene, const sim_changes *changes, sim_session *s,
               log_writer *log);
void log_step(log_writer *log, sim_session *s, long k);
int  log_end(const char *command, const char *path, log_writer *log, long steps);

/* Hash of a file's bytes; 0 when it cannot be read (a message was given). */
uint64_t log_file_hash(const char *command, const char *path);

#endif
