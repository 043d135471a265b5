/* Parameters of a scene found from recorded motions (docs/fit.md): recordings, parameters and the worlds that have
 * them, one step with its derivative, and Gauss-Newton's method with multiple shooting. */
#ifndef SLIP_TOOLS_FIT_H
#define SLIP_TOOLS_FIT_H

#include "sim_run.h"

/* ---- recordings (fit_log.c) -------------------------------------------------------------------------------------- */

typedef struct { int number, first, count; } fit_run;        /* rows first .. first + count - 1 of the file */

/* Rows of one or several runs. v is differenced from q where the file has none. */
typedef struct {
    int n, nruns, has_v, has_tau;
    double *time;                            /* [n] [s], rising within a run                          */
    slip_real *q, *v, *tau;                  /* [n][nq], [n][nv], [n][nv]                             */
    fit_run *runs;
} fit_log;

/* Reads a CSV file (`-`: standard input) with a line of names: time (or t), q_JOINT and v_JOINT as `slipstick sim
 * --csv` writes them, tau_JOINT, run (or toss). v and tau may be missing. A scene with a single floating body takes
 * px py pz qw qx qy qz vx vy vz wx wy wz as well, vx vy vz in world axes. 0, after a message with file, line, column
 * and value, when it cannot be used. */
int  fit_log_read(const char *command, const char *path, const slip_model *model, fit_log *log);
void fit_log_free(fit_log *log);

/* Marks the runs that a choice names: all, even, odd, or numbers and ranges 1,4,10-19; `every:N` takes every N-th of
 * those before it (even,every:12). 0 after a message. */
int  fit_log_choose(const char *command, const char *option, const char *spec, const fit_log *log,
                    unsigned char *chosen);

/* ---- parameters (fit_parameters.c) ------------------------------------------------------------------------------- */

typedef enum {
    FIT_MU, FIT_RESTITUTION, FIT_STIFFNESS, FIT_CONTACT_DAMPING,     /* of a surface, a pair of them, or all   */
    FIT_MASS, FIT_COM, FIT_INERTIA,                                  /* of a link: 1, 3 and 6 numbers          */
    FIT_DAMPING, FIT_FRICTION, FIT_ARMATURE,                         /* of a joint                             */
    FIT_KINDS
} fit_kind;

enum { FIT_MOST = 64 };                      /* numbers that are free                                          */

typedef struct {
    fit_kind kind;
    int index, pair;                         /* link, joint or surface, -1: all surfaces; pair of surfaces or -1     */
    int first, count;                        /* its numbers in x                                                     */
    double lo, hi;                           /* bounds of what is reported; -HUGE_VAL, HUGE_VAL: none                */
    char name[160];                          /* as on the command line                                               */
} fit_parameter;

typedef struct {
    int nparameters, n;                      /* n: numbers x                                                         */
    fit_parameter parameter[FIT_MOST];
} fit_set;

/* Reads `mu,mass:link,...`, and bounds `mu=0:1` into a set that has the parameter. 0 after a message that names what is
 * wrong and what is meant perhaps. */
int fit_set_read(const char *command, const char *list, const slip_scene *scene, fit_set *set);
int fit_set_bound(const char *command, const char *text, fit_set *set);

/* Numbers x without a sign or a triangle to keep: logarithms of masses and stiffnesses, and of inertias the Cholesky
 * factor of the second moment of mass about its centre, with logarithms on the diagonal (docs/fit.md). */
void fit_set_start(const fit_set *set, const slip_scene *scene, double *x);
void fit_set_clamp(const fit_set *set, double *x);           /* into the bounds                               */
int  fit_set_at_bound(const fit_set *set, const double *x, int i);        /* -1 lower, 1 upper, 0 neither       */
int  fit_set_is_step(const fit_set *set, const double *dx);  /* no logarithm changes by 1 or more             */
double fit_set_scale(const fit_set *set, const double *x, int i);         /* a small step of x_i for differences */

/* What is reported: numbers y in SI units and their names, and dy/dx by differences, [n][n]. Inertias are those about
 * the centre of mass, link axes: ixx ixy ixz iyy iyz izz. */
void fit_set_values(const fit_set *set, const double *x, double *y);
void fit_set_value_name(const fit_set *set, int i, char *text, int size);
const char *fit_set_unit(const fit_set *set, int i);
void fit_set_slopes(const fit_set *set, const double *x, double *dy);

/* A world of the scene with other parameters. */
typedef struct {
    slip_scene scene;
    slip_world *world;
    void *block;
} fit_plant;

/* Makes the scene's world with parameters x. 0 after a message. */
int  fit_plant_open(const char *command, const slip_scene *scene, const fit_set *set, const double *x, fit_plant *p);
void fit_plant_close(fit_plant *p);

/* d(friction, restitution, stiffness or damping of a contact between two surfaces)/dx_i: 0 for other kinds. */
double fit_contact_slope(const fit_set *set, const slip_scene *scene, int parameter, int surface_a, int surface_b,
                         fit_kind kind);

/* ---- one step (fit_step.c) --------------------------------------------------------------------------------------- */

typedef struct {
    long steps;                              /* taken for predictions                                          */
    long differentiated, differenced;        /* of these, with a derivative: analytic; by central differences  */
    long extra;                              /* steps that the differences took                                */
    long evaluations;                        /* all runs simulated once                                        */
} fit_counts;

/* The worlds of one evaluation: one with parameters x, and for each number one with x_i + h and x_i - h. */
typedef struct {
    const char *command;
    const slip_scene *scene;
    const fit_set *set;
    fit_plant base, *more, *less;            /* [set->n]                                                       */
    double *h;                               /* [set->n]                                                       */
    int has_regressors;                      /* all joints have one freedom: see fit_step.c                    */
    int is_simple;                           /* 1: all derivatives by differences, for comparison              */
    void *block, *before, *after;
    size_t bytes;
    slip_arena mem;
    slip_real *scratch;
    slip_data *data;
    void *data_block;
    fit_counts *counts;
} fit_stage;

int  fit_stage_open(const char *command, const slip_scene *scene, const fit_set *set, const double *x, int with_slopes,
                    fit_counts *counts, fit_stage *st);
void fit_stage_close(fit_stage *st);

/* Puts the world of the stage into a state at a time [s], drives as the events before it have left them. */
void fit_stage_put(fit_stage *st, double time, const slip_real *q, const slip_real *v);

/* One step at a time [s] under torques tau (NULL: none). A [2nv][2nv], B [2nv][n] (both or none): the step's derivative
 * by tangents of q and v, and by x. 0 when the step failed, after a message. */
int  fit_stage_step(fit_stage *st, double time, const slip_real *tau, double *A, double *B);

/* ---- the fit (fit_solve.c) --------------------------------------------------------------------------------------- */

enum { FIT_GROUPS = 4 };                     /* q of sliding, q of turning freedoms, v of both                  */

typedef struct {
    int segment;                             /* rows of a shooting interval                                      */
    int iterations;
    double model_error;                      /* of a state where intervals meet, over that of a measurement      */
    double tol;                              /* relative fall of the sum of squares that ends the fit            */
    int is_simple;                           /* see fit_stage                                                    */
    int positions;                           /* 1: velocities of the recording only start the search             */
    int fixed_start;                         /* 1: runs begin in the state of their first row                     */
    int robust;                              /* 1: Huber's loss for rows and for defects                          */
    int progress;                            /* 1: a line on stderr after each iteration                         */
} fit_options;
fit_options fit_options_defaults(void);

typedef struct {
    double x[FIT_MOST], y[FIT_MOST], error[FIT_MOST];        /* found; reported; standard error of y, NAN: none   */
    double start[FIT_MOST];                                  /* y of the scene                                     */
    double correlation;                                      /* largest of two numbers, and which                  */
    int pair[2];
    int bound[FIT_MOST];                                     /* -1, 1: x_i ended at a bound                       */
    double sigma[FIT_GROUPS];                                /* rms of what is left: m, rad, m/s, rad/s            */
    long count[FIT_GROUPS];
    double quantile;                                         /* of Student's t, 95 %                               */
    double cost[2];                                          /* half the weighted squares: at the start, at the end */
    int iterations, converged, undetermined;                 /* undetermined: 1 + a number without any effect      */
    long freedom;                                            /* measurements less unknowns                         */
    fit_counts counts;
} fit_result;

/* From parameters x. chosen [log->nruns]: runs that count. Adds to result->counts. 0 after a message. */
int fit_solve(const char *command, const slip_scene *scene, const fit_log *log, const unsigned char *chosen,
              const fit_set *set, const fit_options *o, const double *x, fit_result *result);

/* ---- results (fit_report.c) -------------------------------------------------------------------------------------- */

/* A run simulated from its first row under parameters x: q of each row, [count][nq]. 0 after a message. */
int fit_predict(const char *command, const slip_scene *scene, const fit_log *log, int run, const fit_set *set,
                const double *x, slip_real *q);

/* Root mean square over the rows of the chosen runs of the errors of q, sliding and turning freedoms. */
int fit_score(const char *command, const slip_scene *scene, const fit_log *log, const unsigned char *chosen,
              const fit_set *set, const double *x, double rms[2]);

int fit_plot(const char *command, const char *path, const slip_scene *scene, const fit_log *log, int run,
             const fit_set *set, const double *before, const double *after);

/* The run under the parameters found, and the recording as a ghost that touches nothing. */
int fit_page(const char *command, const char *path, const slip_scene *scene, const fit_log *log, int run,
             const fit_set *set, const double *x, const char *how);

#endif
