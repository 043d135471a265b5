/* Running scenes for commands: loading with the command line's changes, stepping, and the results. Shared by sim,
 * compare, replay, inverse and bench. */
#ifndef SLIP_TOOLS_SIM_RUN_H
#define SLIP_TOOLS_SIM_RUN_H

#include "cli.h"
#include "solver_args.h"

/* The command line's changes of a scene. */
typedef struct {
    solver_args solve;               /* over the scene's <solver>; at most one solver or engine            */
    double dt, time;                 /* 0: the scene's                                                     */
    int budget;                      /* iterations of all loops of a step; 0: the scene's                  */
    double deadline;                 /* [s] of a step; 0: none                                             */
    int equal_terms;                 /* one solve per island and step (see slip_world_equal_terms)         */
    int seed;                        /* added to the scene's seeds                                         */
    int base;                        /* of a robot without a scene: 0 as it seems fit, 1 free, 2 fixed     */
    double repair;                   /* armature of joints that move nothing; 0: the usual, -1: none       */
    int strict, quiet;               /* warnings are errors; are not shown                                 */
    int options_checked;             /* options that have no effect were warned of already                 */
    cli_paths packages;              /* of package:// in its robots' meshes                                */
} sim_changes;

/* Something that sets torques and drives before each step, beside the scene's events: a controller. */
typedef struct {
    void (*begin)(void *context, slip_world *world);    /* at the start of each run; may be NULL           */
    void (*update)(void *context, slip_world *world);   /* before each step                                */
    void *context;
} sim_controller;

typedef struct {
    slip_scene scene;
    slip_world *world;
    sim_controller controller;       /* update NULL: none                                                  */
    long steps;                      /* of a run                                                           */
    int is_robot;                    /* the file is a robot: the scene around it is ours                   */
    size_t scene_bytes, world_bytes; /* memory they take                                                   */
    void *scene_block, *world_block, *snapshot;
    double control_seconds;          /* of the last timed step                                             */
} sim_session;

/* Called after each step, or every now and then; its time is not counted. Return 0 to end the run. */
typedef struct {
    int (*step)(void *context, sim_session *session, long k);
    int every_step;
    void *context;
} sim_observer;

typedef struct {
    slip_status status;              /* OK, or the error that ended the run early (negative)               */
    long steps;                      /* taken                                                              */
    double cpu_seconds;              /* of the steps alone                                                 */
    double phase_share[SLIP_PHASES]; /* of the time, measured on every 16th step; with the next, sum 1     */
    double control_share;            /* events and controller                                              */
    double contacts_mean, iterations_mean;
    double calls_mean;               /* of the solver a step, see slip_step_stats                          */
    int calls_max;
    int contacts_max, iterations_max, limits_max, dropped;
    int softened_max;                /* contacts made soft in one step                                     */
    long unsettled;                  /* steps that end with a drive or joint friction out of its law       */
    long unbounced;                  /* ... with contacts that are struck and end without restitution      */
    long unbounded;                  /* ... with a torsional or rolling friction out of its bound          */
    slip_error why_dropped;          /* of the first step that dropped a contact */
    long missed;                     /* steps whose solve missed the tolerance                             */
    long late;                       /* of these, steps that ran out of their budget                      */
    long budget_max;                 /* most iterations of all loops of a step that has a budget          */
    double penetration_max, penetration_last_quarter;   /* [m]; NaN for a run that ended before            */
    double residual_max, residual_median;               /* eps_abs of the NCP, by the judge                */
    double excess_max;               /* largest residual over the tolerance, by its own rule               */
    double energy_start, energy_end; /* [J]                                                                */
    slip_work work;                  /* done in between [J]                                                */
    uint64_t hash;                   /* of all steps (log_hash_step()); 0: was not asked for               */
    slip_real momentum_start[6], momentum_end[6];   /* linear, and angular about the centre of mass, world axes */
} sim_result;

/* `"solver": ..., "options": {...}, "warm_start": ..., "reuse": ..., "soften": ...` of JSON: the solver, its options
 * and the terms of the running world as they are in effect; what nothing in the scene reads is left out. An option is
 * null where the solver takes a value of its own. */
void sim_json_terms(FILE *out, const sim_session *session);

/* Loads a scene (`-`: standard input) and makes its world. A robot's file is put into a scene: on level ground,
 * standing on its lowest point, or where its file puts it if that brings ground; joints held by drives. 0, after a
 * message, when it cannot be used. */
int  sim_open(const char *command, const char *path, const sim_changes *changes, sim_session *session);
int  sim_open_text(const char *command, const char *text, size_t length, const char *file, const sim_changes *changes,
                   sim_session *session);
void sim_close(sim_session *session);

/* One line about a robot without a scene: its base and why, and what holds it. `out` has room for 256 bytes. */
void sim_describe_robot(const slip_scene *scene, char out[256]);

/* The same of a robot's text, and whether its base floats; 0, with the reason, when no scene can be made around it. */
int sim_describe_text(const char *text, size_t length, const char *file, const sim_changes *changes, char out[256],
                      int *is_free);

/* The control of a session's world, the session being its context: the scene's events, then the controller. */
void sim_control(void *session, slip_world *world);

/* Runs from the start; may be called again. observer may be NULL. */
void sim_run(sim_session *session, const sim_observer *observer, sim_result *result);

/* Seconds of processor time. */
double sim_cpu_seconds(void);

#endif
