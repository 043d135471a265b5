/* The data of a world: what it is made of, its state, inputs and cache, and the arrays of one step. Private to sim; its
 * functions are in world_private.h. */
#ifndef SLIP_SIM_WORLD_DATA_H
#define SLIP_SIM_WORLD_DATA_H

#include "sim/phases.h"

/* A shape as the step sees it. */
typedef struct {
    int body, link;                  /* body 0: fixed to the world                                          */
    slip_shape shape;
    slip_pose local;                 /* in the body's frame                                                 */
    slip_real reach;                 /* bounding radius about the shape's origin; < 0: unbounded        [m] */
    slip_real span;                  /* the same about the body's origin, of bounded shapes             [m] */
    int material;
    unsigned group, mask;
    const char *name;
} sim_collider;

/* A contact: its geometry and its data for the contact problem. */
typedef struct {
    int a, b;                        /* colliders                                                           */
    uint32_t feature;
    slip_real gap;
    slip_real mu, restitution, stiffness, damping, tangent_stiffness, tangent_damping;
    slip_real stretch[2];            /* of the spring along t1, t2, see tangent.c                       [m] */
    slip_real arc[3];                /* dt/2 (dJ/dt) v, contact frame; see arc.c                       [m/s] */
    int covered;                     /* another contact's row covers it; see arc.c                          */
    slip_real belt[2];               /* velocity of the surfaces against their bodies, b's less a's, along t1, t2;
                                        set where w->step.belts                                        [m/s] */
    slip_contact_site site;
    int island;
    int reused;                      /* the last step reused its impulse, and it was rigid; later: this step did */
    int jammed;                      /* soften.c's mark                                                     */
    int rested;                      /* the last step had an impulse of its rows, or an impact that took energy */
    int preset_overlap;              /* it is deeper than its bodies move in a step: it was put there          */
    slip_real lift;                  /* its overlap is worked off at that speed with what contacts took: lift.c [m/s] */
    slip_real before[3], row_b[3];   /* J v before the step's impulses, and b of the row: J v+ + b      [m/s] */
    slip_real impulse[3], sigma[3], dual[3];     /* contact frame: warm start, then the answer             */
    int struck;                      /* in this round of impacts; any_impact: in some round                 */
    slip_real bounce_above;          /* it does not bounce below this approach                        [m/s] */
    slip_real impact[3];             /* sum of its impacts                                              [N s] */
    slip_real ahead;                 /* <= 0: what the approach grows by until the end of the step [m/s], impacts.c */
} sim_contact;

/* Torsional and rolling friction of a contact, beside it in an array of its own: rolling.c. */
typedef struct {
    slip_real torsion, rolling;      /* [m]                                                                 */
    int points;                      /* of its patch, from this contact on; 0: of the patch of one before   */
    slip_real scale;                 /* of angular rows [m]                                                 */
    slip_real impulse[3], spin[3];   /* contact frame: torque times dt [N m s], relative spin [rad/s]       */
} sim_rolling;

/* The same as it is remembered, world axes. */
typedef struct { slip_real impulse[3], spin[3]; } sim_rolling_memory;

/* The contacts of one pair, the deepest first. */
typedef struct {
    int n, flat;                             /* flat: one normal for all                                         */
    slip_real normal[SLIP_FIELD_CONTACTS][3];    /* unit, from the first collider to the second, world               */
    slip_patch_point point[SLIP_FIELD_CONTACTS];
} sim_touch;

/* Memory of a contact from the step before. Sorted by pair, then feature. */
typedef struct {
    int a, b;
    uint32_t feature;
    int reused, jammed, rested, preset_overlap;
    slip_real point[3];              /* where it was, world                                             [m] */
    slip_real normal[3], gap;        /* its normal, world, and its gap [m]: for pairs that a budget leaves out */
    slip_real impulse[3];            /* world axes [N s]                                                    */
    slip_real dual[3];               /* world axes [m/s]                                                    */
    slip_real slide;                 /* dual less velocity, along the normal: friction times sliding speed  */
    slip_real stretch[3];            /* world axes [m]                                                      */
} sim_memory;

typedef struct {
    slip_loop_def def;
    int body_a, body_b;
    int meet;                        /* the body that both hang on: its motion does not change the loop     */
    slip_pose local_a, local_b;      /* in the bodies' frames                                               */
    int next_at_a, next_at_b;        /* the next loop at either body, plus 1; 0: none                       */
} sim_loop;

/* State of a loop, part of a snapshot. */
typedef struct {
    int on;
    slip_real impulse[6], dual[6];
    slip_real missed[6];             /* by the arcs of the last step: loops.c                        [m/s, rad/s] */
                                     /* [0] of a spring: energy it owes: spring.c                             [J] */
} sim_loop_state;

/* A loop in this step: the velocities that work off its error, and their bound, of points and of axes [m/s, rad/s]. */
typedef struct {
    slip_real pull[6], most[2];
    slip_real error[6], g[6];        /* of the frames [m, rad]; g without the pull                   [m/s, rad/s] */
    slip_real arc[6], missed[6];     /* parts of g: the arcs; what they missed in the last step or round    */
    slip_real ahead[6];              /* error in the middle of the next step, as the rows have it      [m, rad] */
    slip_real bias, compliance;      /* springs: what the row adds to J v; its R                                */
    slip_real created;               /* and the energy that they create in the step [J]; 0: `creates` says      */
    int creates;                     /* that no more than errors of second order are                            */
} sim_loop_step;

/* SIM_MEAN_EXACT: if all such errors added up, v would be off by 6e-5 after a minute of 1 ms, and energies by an eighth
 * of the 1e-3 that they may be off by (test_order.c). */
#define SIM_MEAN_EXACT SLIP_TOL(1e-9, 1e-6)      /* relative error of v by a mean velocity not yet converged  */
#define SIM_STICK SLIP_TOL(1e9, 1e5)             /* damping of a joint that sticks: times its inertia over dt   */
#define SIM_EXACT SLIP_TOL(1e-6, 1e-3)           /* how well torques are known, relative to their limits          */

/* Laws held by a row in a step's later rounds, see settle.c: bits of w->step.held. */
enum { SIM_HELD_DRIVE = 1, SIM_HELD_FRICTION = 2 };

/* Motion of a joint: by forces, prescribed by its velocity, by velocity and position. */
enum { SIM_FREE, SIM_GIVEN_VELOCITY, SIM_GIVEN_POSITION };
/* A tree in a step: its impulses are not those expected, or it has taken an impact with restitution. */
enum { SIM_NOT_HIT, SIM_HIT, SIM_STRUCK };
/* Kinds of friction against turning, see rolling.c. */
enum { SIM_ROLLS_ACROSS = 1, SIM_ROLLS_ABOUT = 2 };

/* Data that do not change after a world is made, except materials (slip_world_set_material()). */
typedef struct {
    int ncolliders, nmaterials, nmaterial_pairs, nloops;
    sim_collider *colliders;
    slip_material *materials;
    slip_material_pair *material_pairs;
    sim_loop *loops;
    int most_contacts, max_rows;     /* room for contacts and rows, whatever the option says later          */
    int rolling_kinds, max_blocks;   /* bits SIM_ROLLS_... of all materials; contacts with room for theirs  */
    int max_limits, max_held;        /* room for limit rows, of these for rows of settle.c                  */
    int has_limits, has_friction;    /* some coordinate has a limit; some joint has dry friction            */
    int *body_tree;                  /* [nbodies] the root body above each                                  */
    slip_real *inv_weight;           /* [nbodies] mobility of its centre of mass, see law.c; empty unless has_weights */
    int has_weights;
    slip_real heaviest;              /* weight of the heaviest body                                     [N] */
    int only_tree;                   /* 1 when there is but one tree                                        */
    int *iv_body;                    /* [nv] a body that each velocity coordinate moves                     */
    int *free_single, *plane_single; /* [nbodies] 1: a body alone on a floating or planar joint             */
    int *first_loop;                 /* [nbodies] of the loops at a body, plus 1; 0: none                   */
    slip_real *centre;               /* [3*nbodies] of single bodies: centre of mass, body axes; else 0 [m] */
    slip_real *inertia_centre, *inertia_inv;             /* [6*nbodies] I about it, body axes, and I^-1     */
    int has_offset;                  /* some centre is not 0                                                */
    slip_real *ring;                 /* [nv] inertia of the link that a hinge carries by massless ones, else 0 */
    int has_rings;
    int constant_mass;               /* all bodies float alone: M is the same in each step                  */
    uint64_t fingerprint;            /* of a snapshot's world, see slip_sim_fingerprint()                   */
} sim_fixed;

/* Time and other numbers of the state. */
typedef struct {
    slip_real time;
    long steps;
    slip_real dt, since;             /* time = since + (steps - from) dt, begun anew when dt changes        */
    long from;
    int nmemory;                     /* contacts remembered                                                 */
    int nbelts;                      /* colliders with a surface velocity                                   */
    int nprescribed;                 /* bodies whose joint is prescribed                                    */
    int late;                        /* the last step's budget was used up: its impulses are cut short      */
    slip_real rho;                   /* ADMM's penalty of the last solve ...                          [1/kg] */
    int problem_rows;                /* ... and how many rows that had                                      */
    int next_a, next_b;              /* the pair that collision on a budget begins with                     */
    slip_work work;
} sim_progress;

/* The state; a snapshot holds it together with the input. One block of memory. A step writes its first part while it
 * computes, and restores it from `before` when it fails; the rest is written at the end of the step. */
typedef struct {
    sim_progress *progress;
    slip_real *limit_impulse;        /* [2*nv] warm start of the limits                               [N s] */
    sim_loop_state *loop_state;      /* [nloops]                                                            */
    int *saturated, *slides;         /* [nv] -1, 0, 1: drives at their limit; joints against their friction */
    slip_real *still;                /* [nbodies] how long the tree of a root has been slow             [s] */
    slip_real *lost;                 /* [nbodies] energy that a tree's contacts took from it: lift.c        [J] */

    slip_real *q, *v;
    slip_real *surface_velocity;     /* [6*ncolliders] see slip_collider_def                    [m/s, rad/s] */
    sim_memory *memory;              /* [max_contacts]                                                      */
    sim_rolling_memory *rolling;     /* beside memory, or NULL: no material has such friction               */
    slip_real *dv_smooth, *dv_last;  /* [nv] change of v in the last step by smooth forces, by constraints  */
    slip_real *dv_expected;          /* [nv] that by constraints as the next step expects it                */
    slip_real *dv_free_rest;         /* [nv] v_free - v of the last step awake, see sleep.c                 */
    slip_real *q_rest, *v_rest;      /* [nq], [nv] as the last step left them                               */
    int *touching_rest;              /* [nbodies] contacts of a tree in the last step                       */
    unsigned char *block, *before;   /* the block itself, and a copy of its first part                      */
    size_t bytes, first_bytes;
} sim_state;

/* Inputs, which users write between steps. */
typedef struct {
    slip_real *tau, *wrench;         /* [nv], [6*nbodies]                                                   */
    slip_drive *drives;              /* [nv]                                                                */
    int *prescribed;                 /* [nbodies] SIM_FREE ... of the joint above                           */
    slip_real *q_given, *v_given;    /* [nq], [nv] of prescribed joints: at the end of the step             */
    void (*control)(void *context, slip_world *world);
    void *control_context;
} sim_input;

/* Cache: could be computed anew at any time. */
typedef struct {
    slip_broadphase *broad;          /* box i is collider i                                                 */
    int (*extreme)[6];               /* of each collider, vertices of its hull for slip_hull_bounds()       */
    int fixed_boxes_ready;           /* fixed colliders have their boxes ...                                */
    slip_real fixed_boxes_margin;    /* ... with this margin                                            [m] */
    slip_real *M, *L, *D_inv;        /* with constant_mass: M and its factor ...                            */
    int factored, mass_is_diagonal;  /* ... are there; L = 1                                                */
    const slip_solver *checked_solver;           /* for which the options were last checked                 */
    double pace;                     /* of the solver's flops on the clock, see slip_budget          [s/flop] */
    double seconds_row, seconds_after;   /* kept in reserve by steps with a deadline, see step.c     [s] */
} sim_cache;

/* The rows of one problem (slip_sim_rows()), in the order contacts, limits, loops. */
typedef struct {
    slip_real *mu, *g, *R;           /* [blocks], [rows], [rows]; R counts when compliant. Blocks: contacts and those
                                        of rolling.c                                                        */
    slip_real *distance;             /* [blocks + limits] gaps                                          [m] */
    slip_real *lambda, *sigma, *dual;            /* [rows] warm start, then the answer                      */
    int compliant;                   /* some R is not 0                                                     */
    int with_before;                 /* contacts have their velocities before the step                      */
} sim_rows;

/* What a derivative notes of a step on its way, at three places: before round k of impacts; of each island's impulses
 * in it; and before the impulses are found once more because trees were hit (step_derivatives_watch.c). */
typedef struct sim_watch {
    void (*round)(struct sim_watch *watch, const slip_world *world, const slip_real *v_free, int k);
    void (*impact)(struct sim_watch *watch, const slip_world *world, const slip_island *island);
    void (*hit)(struct sim_watch *watch, const slip_world *world, const slip_real *v_free);
} sim_watch;

/* One step, phase by phase. */
typedef struct {
    double lap;                      /* the caller's clock at the end of the last phase                 [s] */
    sim_watch *watch;                /* of slip_step_derivatives(), else NULL                               */

    /* the state in the middle of the step, where forces act */
    slip_real *q_mid, *v_mid;        /* [nq], [nv]                                                          */

    /* prescribe.c */
    int nprescribed;                 /* bodies whose joint is prescribed in this step                       */
    int *given;                      /* [nv] 1: a coordinate of one; all below is set where nprescribed > 0 */
    int *driven;                     /* [nbodies] 1: all joints up to the world are prescribed; body 0: 1   */
    slip_real *v_end;                /* [nv] of prescribed joints: at the end, in the axes of the middle    */
    slip_real *q_end;                /* [nq] of prescribed joints: at the end                               */

    /* collide */
    slip_pose *collider_pose;        /* [ncolliders] world                                                  */
    slip_real *collider_way;         /* [ncolliders] distance each may move in two steps                    [m] */
    int ncontacts;
    sim_contact *contacts;           /* [max_contacts]                                                      */
    int bounces, heaped;             /* some contact has restitution; `order` is a heap, see collide.c      */
    int arcs;                        /* some contact has an arc                                             */
    int belts;                       /* some collider has a surface velocity                                */
    sim_rolling *rolling;            /* [max_contacts] beside contacts, or NULL                             */
    int rolls;                       /* some contact has friction against turning: it counts                */

    /* free velocity */
    slip_real *nle, *x;              /* [nv] bias forces [N, N m]; right-hand side, then scratch            */
    slip_real *inertia, *diagonal;   /* [nv] of M alone, and with implicit terms                            */
    slip_real *v_mean;               /* [nv] the mean of the velocities before and after the step ...       */
    const slip_real *v_bias;         /* ... or the one before: the velocity that nle was taken at           */
    slip_real *v_free;               /* [nv]                                                                */
    int actuated;                    /* some coordinate has a drive or dry friction                         */
    int unresolved;                  /* the iteration for v_mean did not converge: bound_energy.c           */
    int hit;                         /* bias forces are those of two halves, before and after a hit; ...    */
    slip_real *half;                 /* [nv] ... the change by smooth forces in the first one               */
    int *tree_driven, *tree_hit;     /* [nbodies] by root bodies: some drive acts; SIM_HIT ...              */
    slip_real *smooth_force;         /* [nv] forces from outside, of dampers, drives and dry friction at the velocity v,
                                        less their slope, diagonal - inertia, times the change of v         */
    slip_real *tree_scratch;           /* [3*nbodies] scratch by root bodies                                  */

    /* impacts.c */
    int any_impact;                  /* some contact was struck in some round: ...                          */
    slip_real *dv_impact;            /* [nv] ... change of velocity by impacts                              */
    slip_real *jt_lambda_impact;     /* [nv] ... and J' lambda, when it is summed                     [N s] */
    slip_real *nv_scratch;           /* [nv] in impacts.c the velocity from round to round, else scratch    */
    slip_real *impact_before;        /* [rows] scratch                                                      */

    /* settle.c */
    int rounds;                      /* so far                                                              */
    int *held, nheld;                /* [nv] bits SIM_HELD_..., and how many of them                        */
    slip_real *held_impulse;         /* [2*nv] c dt of a drive's and a friction's row               [N m s] */
    slip_real *held_force;           /* [nv] of both, along the coordinate                            [N m] */

    /* islands and rows */
    int *group;                      /* [nbodies] union-find over root bodies                               */
    int *order;                      /* [max_contacts] contacts by island                                   */
    int *touching, *sleeps;          /* [nbodies] contacts of a tree; whether a group sleeps                */
    int *limit_iv;                   /* [max_limits] coordinate and sign of each limit row; the last nheld  */
    slip_real *limit_sign;           /* of them are those of settle.c                                       */
    int nlimits;
    sim_loop_step *loops;            /* [nloops]                                                            */
    slip_real *loop_work;            /* [7*6*nloops] scratch of loops.c                                     */

    /* solve */
    slip_assembly assembly;
    slip_problem problem;
    slip_arena scratch;              /* for the solver                                                      */
    slip_budget budget, share;       /* of the step, and of the part of it that is at work; see slip_sim_share()  */
    double due;                      /* the step's deadline on its clock                                [s] */
    slip_real missed;                /* largest excess of an island over the tolerance; 0: none             */
    slip_real *dv_contact;           /* [nv] change of velocity by contacts, limits and loops               */
    int dv_done;                     /* 1: it is that; 0: it still is D^-1/2 L^-T J' lambda                 */
    slip_real *jt_lambda;            /* [nv] J' lambda of all of these, when it is summed             [N s] */

    /* integrate */
    slip_real *v_next, *q_next, *q_ahead;     /* q_ahead: of the next middle, scratch      */
    slip_real *drive_force;          /* [nv]                                                                */
    slip_real *accel, *v_sensed;     /* [nv] for sensors: (v+ - v)/dt, and after slip_sim_sense() the acceleration that
                                        they read; (v+ + v)/2                                               */
    int unsensed;                    /* whether slip_sim_sense() was not called since the last step         */
} sim_step;

struct slip_world {
    const slip_model *model;
    slip_data *data;                 /* poses, velocities, M and its factor                                 */
    slip_world_options opt;
    sim_fixed fixed;
    sim_state state;
    sim_input input;
    sim_cache cache;
    sim_rows rows;
    sim_step step;
    slip_error error;
    slip_step_stats stats;
};

/* Loops of the world. With SLIP_NO_LOOPS there are none, and compilers leave the code for them out. */
static inline int slip_sim_loop_count(const slip_world *w)
{
#ifdef SLIP_NO_LOOPS
    (void)w;
    return 0;
#else
    return w->fixed.nloops;
#endif
}

/* The law of its contacts. With SLIP_NO_LAWS it is rigid, and the code of the others is left out likewise. */
#ifdef SLIP_NO_LAWS
#define SLIP_HAS_LAWS 0
#else
#define SLIP_HAS_LAWS 1
#endif

static inline slip_law_kind slip_sim_law(const slip_world *w)
{
    return SLIP_HAS_LAWS ? w->opt.law.kind : SLIP_LAW_RIGID;
}

#endif
