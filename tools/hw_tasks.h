/* The four tasks of HW Sec. V: a quadruped of 18 freedoms trots, hangs from its feet, is dropped, moves at random.
 * Shared by `bench table HW-tab2` and the papers' experiments. */
#ifndef SLIP_TOOLS_HW_TASKS_H
#define SLIP_TOOLS_HW_TASKS_H

#include "sim_run.h"
#include "trot_plan.h"

enum { HW_TROT, HW_HANG, HW_DROP, HW_RANDOM, HW_TASKS };

typedef struct {
    const char *name, *scene;
    double time;                     /* of one run [s]: HW drops until nothing moves, resets `random` every 5 s     */
    double bisection, pgs;           /* HW Tab. II: 100 000 steps [s]                                              */
} hw_task;

extern const hw_task hw_tasks[HW_TASKS];

/* The solvers that HW compares, with the options of HW Sec. V-C: tolerance 1e-6, absolute; PGS relaxed by 0.6; as many
 * sweeps as it takes. And ours, to the same tolerance. */
enum { HW_BISECTION, HW_PGS, HW_OURS, HW_WAYS };

typedef struct { const char *name; const slip_solver *solver; const char *const *options; } hw_way;

extern const hw_way hw_ways[HW_WAYS];

/* A world in which a task runs. It must not move in memory while it is open. */
typedef struct {
    sim_session s;
    trot *walker;                    /* NULL but for HW_TROT */
    trot_gait gait;
} hw_world;

/* On equal terms, with the symplectic Euler step and without correction of positions (HW Sec. II). dt, time: 0 for the
 * task's. options: pairs as in scenes, ended by NULL; NULL: those of the scene. 0, after a message, when it cannot be
 * opened. */
int hw_open(const char *command, int task, const slip_solver *solver, const char *const *options, double dt,
            double time, hw_world *w);
void hw_close(hw_world *w);

/* Lets the next runs start level, as the scenes do (k = 0), or with the trunk rolled and pitched by angles within 0.3
 * rad, drawn with seed k: HW repeats dropping and random motion many times and names no start. Not for HW_TROT. */
void hw_tilt(hw_world *w, int k);

/* A step of a run. */
typedef struct {
    int iterations, contacts;
    int missed;                      /* the tolerance                                                               */
    double whole, solve;             /* [s], the least of the repeats: runs repeat to the bit, disturbances do not   */
} hw_step;

/* Runs from the start and notes at most `room` steps; their times are kept where they were smaller before, unless this
 * is the first run. Returns how many, 0 after a message. */
int hw_measure(hw_world *w, int first, hw_step *steps, int room);

#endif
