/* Recorded tosses of a cube: reading them, simulating them with a contact model, scoring the model, fitting it.
 *
 * A recording is a CSV file with one row per frame:
 *     toss,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz
 * the toss's number, seconds, the cube's centre [m] and orientation (body to world, real part first), the centre's
 * velocity [m/s] in world axes and the angular velocity [rad/s] in body axes. The table is z = 0. See docs/real.md. */
#ifndef SLIP_TOOLS_REAL_H
#define SLIP_TOOLS_REAL_H

#include "sim_run.h"

/* ---- recordings (real.c) ---------------------------------------------------------------------------------------- */

typedef struct {
    double t, p[3];
    double q[4];                 /* x y z w, of length 1, as in slip_world_q()                                   */
    double v[3], w[3];           /* v: world axes, w: body axes                                                  */
} real_row;

typedef struct {
    int number, first, count;    /* of the file; its rows in real_set.rows                                       */
    int touch;                   /* its first row in which the cube touches the table; count: none               */
} real_toss;

typedef struct {
    real_row *rows;
    real_toss *tosses;
    int nrows, ntosses;
    double dt;                   /* median time between rows [s]                                                 */
} real_set;

/* A cube; as the README of the recordings has it: 0.0524 m, 0.37 kg, 8.1e-4 kg m^2, 9.81 m/s^2. */
typedef struct {
    double half_width, mass, inertia, gravity;       /* inertia: about the centre of mass, the same for all axes */
    double com[3];               /* centre of mass seen from the cube's centre, body axes [m]                     */
    double corner;               /* radius of its corners and edges [m]; 0: sharp                                 */
} real_body;
real_body real_body_defaults(void);

/* Reads a file (`-`: standard input); 0, after a message with file, line, column and value, when it is wrong. */
int  real_read(const char *command, const char *path, real_set *set);
int  real_parse(const char *command, const char *text, const char *file, real_set *set);
void real_free(real_set *set);

/* Height of the cube's lowest corner above the table in a row [m]. */
double real_gap(const real_row *row, double half_width);

/* The face that is up: 1, 2, 3 for +x, +y, +z of the body, negative for the other ones. */
int real_face(const real_row *row);

/* Fills in `touch` of each toss: the first row with a gap below 0.003 m, or, as the touch may lie between two rows, one
 * in which the cube has become faster upwards by twice what gravity takes from it. */
void real_find_touches(real_set *set, const real_body *body);

/* Gravity and the centre of mass from the flights before the first touch, by least squares over all of them: the centre
 * of mass falls on parabolas, and the cube's centre turns about it. The half width from the height in the last rows,
 * median over the n tosses of `list`; the inertia goes with its square. None of these depends on a contact model.
 * flights: how many tosses have enough rows in the air. Errors are NAN where these tosses do not determine a number. */
typedef struct {
    double gravity, gravity_error, half_width, half_width_error;
    double com[3], com_error[3];
    int flights;
} real_measured;
real_measured real_measure(const real_set *set, const int *list, int n, const real_body *body);

/* Whether this can be a recording of that body above a table at z = 0: warns on stderr where what is measured is not
 * what was taken (half width, gravity), or where flights are too short to measure; 0, after a message, when no toss
 * begins above the table and comes down on it. */
int  real_check(const char *command, const char *file, const real_set *set, const real_measured *measured,
                const real_body *body);

/* Takes what is measured over what is given; of the centre of mass the components that differ from 0. */
void real_take_measured(const real_measured *measured, real_body *body);
void real_take_com(const real_measured *measured, real_body *body);          /* that alone */

/* ---- simulating and scoring (real_sim.c) ------------------------------------------------------------------------- */

/* Parameters of a model that are fitted. Restitution and compliance exclude each other: a soft surface bounces by
 * itself. */
enum { REAL_MU, REAL_RESTITUTION, REAL_STIFFNESS, REAL_DAMPING, REAL_COMPLIANCE,
       REAL_TIME, REAL_RATIO,        /* MuJoCo's law: solref's time constant and damping ratio */
       REAL_PARAMETERS };
typedef struct { double x[REAL_PARAMETERS]; } real_law;
extern const char *const real_parameter_names[REAL_PARAMETERS];      /* with units */

typedef struct {
    const char *name;            /* "soft NCP (ours)"                                                             */
    const slip_solver *solver;
    unsigned parameters;         /* bits 1 << REAL_MU ...                                                         */
    int is_slow;                 /* several milliseconds a toss: quick reports leave it out                       */
    const char *option, *value;  /* of the solver; NULL: none                                                     */
} real_model;
enum { REAL_MODELS = 10 };
extern const real_model real_models[REAL_MODELS];

/* Where a simulation starts. First: the first row as recorded. Touch: the row two frames before the first touch, as
 * recorded. Flight: the first row, with position and velocities from a least-squares fit of the flight. */
typedef enum { REAL_START_FIRST, REAL_START_TOUCH, REAL_START_FLIGHT } real_start;
extern const char *const real_start_names[3];

typedef struct {
    real_body body;
    real_start start;
    double dt;                   /* [s]; rows are compared with the nearest step                                  */
    slip_integrator integrator;
    int horizon;                 /* rows after the first touch that count; 0: all                                 */
} real_terms;

/* Of one toss: means over its rows from the start on. */
typedef struct {
    double position;             /* in cube widths                                                                */
    double rotation;             /* [rad]                                                                         */
    double end_position, end_rotation;       /* in the last row                                                   */
    int face;                    /* the same face is up in the last row                                           */
    int missed;                  /* steps whose solve missed its tolerance or failed                              */
} real_score;

typedef struct {
    sim_session session;
    real_terms terms;
    const real_model *model;
} real_stage;

/* A world for tosses; has_ghost: with a second cube that touches nothing. 0 after a message. */
int  real_open(const char *command, const real_model *model, const real_terms *terms, int has_ghost, real_stage *stage);
void real_close(real_stage *stage);
void real_set_law(real_stage *stage, const real_law *law);
void real_begin(real_stage *stage, const real_row *state);           /* puts the cube there, at time 0           */

/* The state that a toss starts in, and its row. offset: rows after that one, for
 * the spread among neighbouring frames. */
int real_start_of(const real_set *set, const real_toss *toss, const real_terms *terms, int offset, real_row *state);

/* Simulates a toss. poses: NULL, or one row per row of the toss from the start on, which are filled in. */
real_score real_simulate(real_stage *stage, const real_set *set, const real_toss *toss, const real_law *law,
                         int offset, real_row *poses);

/* Position error in widths and rotation error of one row against another. */
void real_compare(const real_row *a, const real_row *b, double half_width, double *position, double *rotation);

/* ---- examples (real_example.c) ----------------------------------------------------------------------------------- */

/* Tosses that the stage's model makes, from the first row, at random starts; real_free() frees them. */
void real_make_example(real_stage *stage, const real_law *law, int ntosses, uint64_t seed, real_set *set);

/* Writes a recording; 0 after a message. */
int real_write(const char *command, const char *path, const real_set *set);

/* ---- fitting (real_fit.c) ---------------------------------------------------------------------------------------- */

/* The error that a fit minimises: the mean over tosses of position [widths] + rotation [rad]/2. A point at the
 * cube's radius of gyration, about half a width, is off by at most that many widths. */
double real_objective(const real_score *scores, int n);

typedef struct {
    int tosses;                  /* at most so many tosses of the half that is fitted; 0: all                     */
    int grid_tosses;             /* ... for the coarse grid; 0: none, the first round goes over all of the bounds */
    int rounds, golden;          /* rounds over the parameters; evaluations of each golden-section search         */
    uint64_t seed;               /* of the choice of tosses                                                       */
} real_search;
real_search real_search_defaults(int is_quick);

typedef struct {
    real_law law;
    double objective;            /* on all tosses of its list                                                     */
    int evaluations;
} real_fit;

/* Fits the model to the n tosses in `list` (indices). from: NULL, or a law to start from instead of the grid. */
void real_fit_model(real_stage *stage, const real_set *set, const int *list, int n, const real_search *search,
                    const real_law *from, real_fit *fit);

/* ---- statistics -------------------------------------------------------------------------------------------------- */

typedef struct { double value, lo, hi; } real_interval;              /* 95 % by bootstrap over tosses            */
typedef struct { real_interval position, rotation, median, face; } real_summary;

/* Means of position [widths] and rotation [degrees], median of rotation [degrees], share of right faces [%]. */
real_summary real_summarise(const real_score *scores, int n, uint64_t seed);

/* The same of the differences a - b, toss by toss: an interval that contains 0 shows no difference. */
real_summary real_difference(const real_score *a, const real_score *b, int n, uint64_t seed);

/* Sorts n numbers, in ascending order. The median sorts them, too, and is NAN of none; so do quartiles, of n > 0. */
void real_sort(double *x, int n);
double real_median(double *x, int n);
void real_quartiles(double *x, int n, double quartiles[3]);

/* ---- studies (real_study.c) -------------------------------------------------------------------------------------- */

/* The halves of a recording: tosses with even numbers are fitted, odd ones scored. When there are none of a kind, all
 * tosses are in both halves, and is_split is 0. */
typedef struct { int *fit, *score, nfit, nscore, is_split; } real_halves;
void real_split(const real_set *set, int most_scored, real_halves *h);       /* most_scored: 0 for all            */
void real_free_halves(real_halves *h);

typedef struct {
    const real_model *model;
    real_fit fit;
    real_score *scores;          /* of the halves' nscore tosses                                                  */
    real_summary summary;
    long missed;                 /* steps, in all of them                                                         */
    double seconds;              /* processor time of fit and scores                                              */
} real_result;

/* Fits a model to one half and scores it on the other. from: as in real_fit_model(). 0 after a message. */
int  real_study(const char *command, const real_set *set, const real_halves *h, const real_model *model,
                const real_terms *terms, const real_search *search, const real_law *from, real_result *result);
void real_free_result(real_result *result);

/* The result with the smallest objective on the half that is fitted, so that scores do not choose it. */
int real_best(const real_result *results, int n);

/* "friction 0.18, restitution 0.1" */
void real_law_text(const real_model *model, const real_law *law, char *text, size_t size);

/* The share of tosses below each error, one series a result: position in widths, or rotation in degrees. store keeps
 * the numbers: 2 nscore reals a result. */
void real_distribution(const real_result *results, int n, int nscore, int is_rotation, slip_real *store,
                       slip_plot_series *series, slip_plot *plot);

/* A page with the simulated tosses of n models, and the recorded cube as a ghost that touches nothing. */
int real_page(const char *command, const char *path, const real_set *set, const real_toss *toss,
              const real_terms *terms,
              const real_result *results, int n, const char *how);

#endif
