/* Motions found by inverse dynamics with contact (TO): the positions at all times are the unknowns (docs/plan.md). */
#ifndef SLIP_TOOLS_PLAN_H
#define SLIP_TOOLS_PLAN_H

#include "sim_run.h"

/* ---- tasks (plan_task.c) ----------------------------------------------------------------------------------------- */

typedef enum { PLAN_POINT, PLAN_JOINT, PLAN_POSE, PLAN_REST, PLAN_UPRIGHT } plan_goal_kind;

typedef struct {
    plan_goal_kind kind;
    int link, iv, at;                        /* link of a point; coordinate of a joint; knot                         */
    int given[3];                            /* of a point                                                           */
    double value[3], weight;
} plan_goal;

enum { PLAN_MOST_GOALS = 256 };

/* What a motion shall do. Knots 0 .. n are h apart; the first is the scene's start, unless the motion is periodic: then
 * knot n is knot 0 moved by `advance`. */
typedef struct {
    int n, periodic, ngoals;
    double h, advance[2];
    double effort, smooth;                   /* weights of torques and of accelerations                              */
    plan_goal goal[PLAN_MOST_GOALS];
} plan_task;

/* Reads a task, a line each (docs/plan.md). 0 after a message with file and line. */
int plan_task_read(const char *command, const char *path, const slip_model *model, plan_task *task);

/* ---- knots (plan_knot.c) ----------------------------------------------------------------------------------------- */

/* A point of a body that may touch the ground: the centre of a ball of that radius. */
typedef struct { int link; slip_real at[3], radius, mu; } plan_point;

/* The contact forces: f_n = k d log(1 + exp(-gap/d)), f_t = -mu f_n c/sqrt(c^2 + e^2). */
typedef struct { slip_real k, d, e; } plan_contact;

typedef struct {
    const slip_model *m;
    slip_data *data;
    void *block;
    slip_arena mem;                          /* scratch of slip_rnea_derivatives()                                   */
    int npoints;
    plan_point *points;
    slip_real normal[3], offset;             /* of the ground: normal . x >= offset                                  */
    plan_contact law;
    slip_real *wrench, *v, *a, *tau;         /* [6*nbodies], [nv] ...                                                */
    slip_real *Uq, *Uv, *M, *J, *Jp;            /* [nv*nv] ..., [6*nv]                                               */
    slip_real *G, *K, *K2;                   /* [nv*nv] of contacts: du/dq1, du/dv+, du/dq2                          */
    slip_real *centre, *gap, *J2;            /* [3*npoints], [npoints], [npoints][3*nv] at q2                        */
    slip_real *A[2][2];                      /* [nv*nv] of differences before and after: by the first, the second    */
} plan_knot;

int  plan_knot_open(const char *command, const slip_scene *scene, plan_knot *k);
void plan_knot_close(plan_knot *k);

/* u [nv] of the motion q0, q1, q2, h apart, at q1: joint forces that are left when contacts have done their share, and
 * its derivatives by tangents of the three, D [3][nv*nv] (NULL: not wanted). a [nv]: the acceleration. force: NULL, or
 * the sum of normal forces. */
slip_status plan_knot_forces(plan_knot *k, const slip_real *q0, const slip_real *q1, const slip_real *q2, slip_real h,
                             slip_real *u, slip_real *a, slip_real *const D[3], slip_real *force);

/* ---- the search (plan_solve.c) ----------------------------------------------------------------------------------- */

typedef struct {
    int stages, iterations, progress;
    double hard[3], soft[3];                 /* sag of the whole weight on one point [m], d [m], e [m/s]: at the end of
                                                the continuation, at its beginning                                   */
} plan_options;
plan_options plan_options_defaults(void);

typedef struct {
    int iterations, converged, band;         /* band: half the band's width, numbers                                 */
    double cost, root, effort;               /* root: largest force left on undriven joints [N, N m]; rms of torques */
    double step_seconds;                     /* of a full Newton step: derivatives, factor, solution                 */
    double share[3];                         /* of it: derivatives, factor, solution                                 */
} plan_result;

/* q [(n + 1)*nq]: in: where to start; out: the motion. tau [n*nv]. 0 after a message. */
int plan_solve(const char *command, const slip_scene *scene, const plan_task *task, const plan_options *o,
               slip_real *q, slip_real *tau, plan_result *result);

#endif
