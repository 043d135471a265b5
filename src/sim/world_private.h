/* The inside of a world, shared by the files of sim. */
#ifndef SLIP_SIM_WORLD_PRIVATE_H
#define SLIP_SIM_WORLD_PRIVATE_H

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
    slip_real kept;                  /* share of its approach that impacts in the last steps in a row have left it: 1
                                        without any, 0 after an impulse of the step's own rows                   */
    int placed;                      /* its overlap is deeper than its bodies move in a step: it was put there */
    slip_real lift;                  /* its overlap is worked off at that speed with what contacts took: lift.c [m/s] */
    slip_real before[3], toward[3];  /* J v before the step's impulses, and b of the row: J v+ + b      [m/s] */
    slip_real impulse[3], sigma[3], dual[3];     /* contact frame: warm start, then the answer             */
    int struck;                      /* in this round of impacts                                            */
    slip_real slow, impact[3];       /* approach below which it does not bounce [m/s]; sum of its impacts   */
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
    int iterations;                          /* of the search for them                                           */
    slip_real normal[SLIP_FIELD_CONTACTS][3];    /* unit, from the first collider to the second, world               */
    slip_patch_point point[SLIP_FIELD_CONTACTS];
} sim_touch;

/* Memory of a contact from the step before. Sorted by pair, then feature. */
typedef struct {
    int a, b;
    uint32_t feature;
    int reused, jammed, placed;
    slip_real kept;
    slip_real gap;                   /*                                                                 [m] */
    slip_real point[3];              /* where it was, world                                             [m] */
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
} sim_loop;

/* State of a loop, part of a snapshot. */
typedef struct {
    int on;
    slip_real impulse[6], dual[6];
    slip_real missed[6];             /* by the arcs of the last step: loops.c                        [m/s, rad/s] */
} sim_loop_state;

/* A loop in this step: the velocities that work off its error, and their bound, of points and of axes [m/s, rad/s]. */
typedef struct {
    slip_real pull[6], most[2];
    slip_real error[6], g[6];        /* of the frames [m, rad]; g without the pull                   [m/s, rad/s] */
    slip_real arc[6], missed[6];     /* parts of g: the arcs; what they missed in the last step or round    */
    slip_real ahead[6];              /* error in the middle of the next step, as the rows have it      [m, rad] */
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
    slip_real *dv_held;              /* [nv] that by constraints as the next step expects it                */
    slip_real *push_rest;            /* [nv] v_free - v of the last step awake, see sleep.c                 */
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
    int placed;                      /* fixed colliders have their boxes ...                                */
    slip_real placed_margin;         /* ... with this margin                                            [m] */
    slip_real *M, *L, *D_inv;        /* with constant_mass: M and its factor ...                            */
    int factored, plain_mass;        /* ... are there; L = 1: M is a diagonal                               */
    const slip_solver *checked_solver;           /* for which the options were last checked                 */
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

/* One step, phase by phase. */
typedef struct {
    double lap;                      /* the caller's clock at the end of the last phase                 [s] */

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
    slip_real *tree_error;           /* [3*nbodies] scratch by root bodies                                  */

    /* impacts.c */
    int struck;                      /* some contact was struck: ...                                        */
    slip_real *dv_impact, *push_impact;          /* [nv] ... change of velocity, and J' lambda, by impacts   */
    slip_real *v_impact, *impact_before;         /* [nv], [rows] scratch                                     */

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
    slip_real missed;                /* largest excess of an island over the tolerance; 0: none             */
    slip_real *dv_contact;           /* [nv] change of velocity by contacts, limits and loops               */
    int dv_done;                     /* 1: it is that; 0: it still is D^-1/2 L^-T J' lambda                 */
    slip_real *push;                 /* [nv] J' lambda of all of these, when work is counted          [N s] */

    /* integrate */
    slip_real *v_next, *q_next, *q_ahead;     /* q_ahead: of the next middle, scratch      */
    slip_real *drive_force;          /* [nv]                                                                */
    slip_real *accel, *v_sensed;     /* [nv] for sensors: (v+ - v)/dt, and after slip_sim_sense() the acceleration that
                                        they read; (v+ + v)/2                                               */
    int *unsensed;                   /* [1] whether slip_sim_sense() was not called since the last step     */
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

/* ---- inputs.c: checks of options and inputs ---------------------------------------------------------------- */

/* The joint that a coordinate of v or q belongs to. */
const char *slip_sim_joint_name(const slip_world *w, int iv);
const char *slip_sim_joint_at(const slip_world *w, int iq);

/* Each reports an error by name and value. */
slip_status slip_sim_check_options(const slip_world_options *o, slip_error *err);
slip_status slip_sim_check_state(slip_world *w);
slip_status slip_sim_check_inputs(slip_world *w);        /* options and state, before a step */
slip_status slip_sim_check_drives(slip_world *w);
slip_status slip_sim_check_forces(slip_world *w);        /* and drives: after a velocity that is not finite    */
slip_status slip_sim_check_quaternions(slip_world *w, const slip_real *q);   /* none has length zero        */
slip_status slip_sim_no_inertia(slip_world *w, int iv, slip_real inertia);

/* ---- collide.c, seams.c, arc.c ------------------------------------------------------------------------------- */

/* Name of a collider: its own where it is fixed to the world, else that of its link. */
const char *slip_sim_collider_name(const slip_world *w, int i);

/* Contacts of colliders a and b, placed at xa and xb, with gaps up to the margin; of a height field, that is a. */
slip_status slip_sim_touch(const slip_world *w, int a, int b, const slip_pose *xa, const slip_pose *xb,
                           slip_real margin, sim_touch *touch);

/* Corrects the normal of a pair that would be held apart along the wrong axis, or drops contacts of two edges that just
 * meet, see seams.c. touch->n > 0. */
void slip_sim_choose_axis(const slip_world *w, int a, int b, slip_real margin, sim_touch *touch);

/* The material of a pair; and whether a material's numbers are in range, reported as those of material i. */
slip_material slip_sim_mix(const slip_world *w, int material_a, int material_b);
slip_status slip_sim_check_material(const slip_material *m, int i, slip_error *err);

/* c->arc of all contacts, and dt/2 (dJ/dt) v of a loop's row; both need the accelerations that slip_bias_pass()
 * leaves. */
slip_real slip_sim_loop_arc(const slip_world *w, const slip_row_site *row);
void slip_sim_arcs(slip_world *w);

/* belt.c: c->belt of all contacts; the velocity of the bodies is that in w->data. Work that moving surfaces did in the
 * step. */
void slip_sim_belts(slip_world *w);
slip_real slip_sim_belt_work(const slip_world *w);

/* warm_start.c: the impulses of this step are remembered; those of the last step are found for w->step.contacts. */
void slip_sim_remember_impulses(slip_world *w);
void slip_sim_recall_impulses(slip_world *w);

/* lift.c: c->lift of the contacts that overlap; the work of a contact's impulse, which took its velocity from `before`
 * to `after` (contact frame), is counted. */
void slip_sim_find_lifts(slip_world *w);
void slip_sim_count_lost(slip_world *w, const sim_contact *c, const slip_real impulse[3], const slip_real before[3],
                         const slip_real after[3]);

/* ---- free_velocity.c, settle.c --------------------------------------------------------------------------------- */

/* v_free once more, with other marks. */
slip_status slip_sim_free_again(slip_world *w, const slip_step_input *in, slip_real *v_free);

/* Before the impulses of a step; and after them: whether v_next contradicts the marks in->saturated, in->slides. Then
 * they are changed, M's factor and v_free are new, and the contacts have to be solved again: at most SIM_SETTLE_ROUNDS
 * times a step, whether the solver met its tolerance or not: a step does the same for every solver. may_hold: wrong marks
 * may become rows. */
enum { SIM_SETTLE_FLIPS = 5, SIM_SETTLE_ROUNDS = 16 };
void slip_sim_settle_begin(slip_world *w);
int slip_sim_settle(slip_world *w, const slip_step_input *in, slip_real *v_free, const slip_real *v_next, int may_hold);

/* Torque of a drive at the end of a step with velocity v_end, as if it had no limit. */
static inline slip_real slip_sim_drive_torque(const slip_world *w, const slip_step_input *in, int iv, slip_real v_end)
{
    const slip_drive *d = &in->drives[iv];
    const int iq = w->model->limit_iq[iv];
    const slip_real q = iq < 0 ? 0 : in->q[iq];

    if (!d->implicit) return d->kp*(d->q_ref - q) + d->kd*(d->v_ref - in->v[iv]) + d->feed;
    return d->kp*(d->q_ref - q - w->opt.dt*v_end) + d->kd*(d->v_ref - v_end) + d->feed;
}

static inline int slip_sim_has_drive(const slip_drive *d) { return d->kp != 0 || d->kd != 0 || d->feed != 0; }

/* Torques of the drives in a step that ends with v_next. */
void slip_sim_drive_forces(slip_world *w, const slip_step_input *in, const slip_real *v_next);

/* ---- prescribe.c ---------------------------------------------------------------------------------------------- */

/* Marks of this step, from in->prescribed (NULL: none); then q and v of prescribed joints, and their end. */
void slip_sim_prescribe_marks(slip_world *w, const slip_step_input *in);
void slip_sim_prescribe_begin(slip_world *w, const slip_step_input *start, slip_real *q, slip_real *v);

/* Around the factor of M: prescribed coordinates get infinite inertia. x: adds their change of velocity, and what it
 * does to the others, to a solution with that factor, in the joints' own turning axes. */
void slip_sim_prescribe_inertia(slip_world *w);
void slip_sim_prescribe_factor(slip_world *w);
void slip_sim_prescribe_change(slip_world *w, const slip_step_input *in, slip_real *x);

/* Forces behind the motions, after v_next is known in the axes of the middle; q_next and v_next after the step. */
void slip_sim_prescribe_forces(slip_world *w, const slip_step_input *in);
void slip_sim_prescribe_end(const slip_world *w, slip_real *v_next, slip_real *q_next);
void slip_sim_prescribe_commit(slip_world *w);

/* Takes the part of a change of velocity that comes from keeping the axes of the step's middle out. */
void slip_sim_turning_axes(const slip_world *w, slip_real *dv);

/* Whether a step moves coordinate i by its prescribed motion; whether a body does not give way to anything. */
static inline int slip_sim_is_given(const slip_world *w, int iv)
{
    return w->step.nprescribed > 0 && w->step.given[iv];
}
static inline int slip_sim_is_driven(const slip_world *w, int body)
{
    return w->step.nprescribed > 0 && w->step.driven[body];
}

/* Whether J' lambda is summed. */
static inline int slip_sim_counts_push(const slip_world *w) { return w->opt.work || w->step.nprescribed > 0; }

/* ---- islands.c, rows.c, tangent.c ------------------------------------------------------------------------------ */

void slip_sim_label_islands(slip_world *w);
int slip_sim_group(slip_world *w, int body);             /* the root body that stands for the group of a body */
int slip_sim_island_has(slip_world *w, const slip_island *island, int body_a, int body_b);

/* The gap's term of g, >= 0 apart, <= 0 overlapping [m/s]. Below the slop it is 0: the rounding of one solution (a gap
 * of some picometres, divided by dt) would change the problem in each step. */
slip_real slip_sim_push(const slip_world *w, slip_real gap);

/* Joint limits that a coordinate is beyond, or could reach in two steps at v and within `reach` [m, rad] more; rows of
 * settle.c. Then, of limit k, its gap; and which row of settle.c it is, SIM_HELD_...; 0: none, a limit. */
void slip_sim_find_limits(slip_world *w, const slip_step_input *in, const slip_real *v, slip_real reach);
slip_real slip_sim_limit_gap(const slip_world *w, const slip_step_input *in, int k);
int slip_sim_held(const slip_world *w, int k);

static inline slip_real *slip_sim_held_impulse(const slip_world *w, int iv, int kind)
{
    return w->step.held_impulse + 2*iv + (kind == SIM_HELD_FRICTION);
}

/* Rows of an island at the velocity v into w->step.assembly and w->rows; G is not needed. */
void slip_sim_rows(slip_world *w, const slip_step_input *in, const slip_real *v, const slip_island *island);

/* The same for an impact at the velocity v: g = J v, with only those contacts of the island that its range has. */
void slip_sim_impact_rows(slip_world *w, const slip_step_input *in, const slip_real *v, const slip_island *island);

/* Adds the impacts' change of velocity to v_free; nothing in steps without one. */
void slip_sim_add_impact(const slip_world *w, slip_real *v_free);

/* v_free of a step with impacts, with bias forces of before and after them. */
void slip_sim_free_struck(slip_world *w, const slip_step_input *in, slip_real *v_free);

/* Where w->step.dv_contact is a hit of trees, or one was expected that did not come: v_free with bias forces of before
 * and after it, and 1: impulses have to be found again. */
int slip_sim_free_hit(slip_world *w, const slip_step_input *in, slip_real *v_free);

/* Where the answer in w->rows lets contacts create energy, changes the rows that do so that they cannot; whether any
 * was changed: then the island has to be solved again. A row is changed once, so that this comes to an end. */
int slip_sim_bound_work(slip_world *w, const slip_island *island);

/* The answer in w->rows back to contacts, limits and loops. */
void slip_sim_store_impulses(slip_world *w, const slip_island *island, int reused);

/* law.c: facts of a new world that laws need; R and g of contact k by the world's law, after its rows as a rigid one
 * under SLIP_LAW_CFM, instead of them under the others. before [3]: its velocity before the step. */
slip_status slip_sim_law_begin(slip_world *w, slip_error *err);
void slip_sim_law_cfm(slip_world *w, int k);
void slip_sim_law_rows(slip_world *w, sim_contact *c, int k, const slip_real before[3]);
slip_status slip_sim_check_law(const slip_contact_law *law, slip_error *err);

/* R and g of the tangents of contact k, which yields along the surface; where that is by a spring, its stretch at the
 * end of the step, world axes, and from there back into the contact, a step later. */
void slip_sim_tangent_rows(slip_world *w, const sim_contact *c, int k);
void slip_sim_tangent_keep(const slip_world *w, const sim_contact *c, slip_real stretch[3]);
void slip_sim_tangent_recall(const slip_world *w, sim_contact *c, const slip_real stretch[3]);

/* ---- loops.c ----------------------------------------------------------------------------------------------------- */

/* Mobility of a body if it were free, of its points [1/kg] or about its axes [1/(kg m^2)]; 0 without mass. */
slip_real slip_sim_free_mobility(const slip_world *w, int body, int angular);

/* Whether an island has a loop. Rows r ... of a loop in w->rows, u: their J v at w->step.v_bias; returns the row after
 * them. */
int slip_sim_has_loop(slip_world *w, const slip_island *island, int loop);
int slip_sim_loop_rows(slip_world *w, int loop, const slip_real *u, int r);

/* After the solve, row r ... of a loop: what its error will be. Then, with v_next: what the arcs of all loops have
 * missed; returns whether that changes the step. */
void slip_sim_loop_predict(slip_world *w, int loop, int r);
int slip_sim_loops_missed(slip_world *w, const slip_step_input *in);

/* After slip_sim_rows(): R of the loops' rows; the second also reduces their pull in g, so that it puts no more than a
 * bounded energy into the links. Both need Y. */
void slip_sim_soften_loops(slip_world *w, const slip_island *island);
void slip_sim_bound_pulls(slip_world *w, const slip_island *island);

/* J v of a loop's row at the bodies' velocities in w->data: those of the body that both hang on do not count. */
slip_real slip_sim_loop_velocity(const slip_world *w, int loop, const slip_row_site *row);

/* Row k of a loop; displacement of frame b from frame a along all of them [m, rad]. */
void slip_sim_loop_row(const slip_world *w, int loop, int k, slip_row_site *row);
void slip_sim_loop_error(const slip_world *w, int loop, slip_real error[6]);

/* ---- rolling.c: in a world without such materials none of these is called ---------------------------------------- */

/* All contacts get the friction of their materials. Impulses of contact i from memory m (NULL: none) and back. */
void slip_sim_rolling_find(slip_world *w);
void slip_sim_rolling_recall(slip_world *w, int i, const sim_rolling_memory *m);
void slip_sim_rolling_keep(const slip_world *w, int i, sim_rolling_memory *m);

/* The island's blocks: sites after those of its contacts; their rows, once those of the contacts are there; the
 * answer. */
void slip_sim_rolling_sites(slip_world *w, const slip_island *island);
void slip_sim_rolling_rows(slip_world *w, const slip_island *island);
void slip_sim_rolling_store(slip_world *w, const slip_island *island);

/* Whether bounds contradict the normal impulses in w->rows.lambda. Then all bounds are set anew and the island has to
 * be solved again; in round SIM_ROLLING_ROUNDS they are counted in stats.unbounded instead, and 0 is returned. */
enum { SIM_ROLLING_ROUNDS = 16 };
int slip_sim_rolling_check(slip_world *w, const slip_island *island, int round);

/* The contact, by its place in the island, that block i >= the island's contacts belongs to. */
int slip_sim_rolling_owner(const slip_world *w, const slip_island *island, int i);

/* Bits SIM_ROLLS_... of a material. Whether a solver takes friction against turning of these kinds. */
int slip_sim_rolling_kinds(const slip_material *m);
slip_status slip_sim_rolling_solver(const slip_solver *solver, int kinds, slip_error *err);

/* ---- soften.c, reuse.c, impulses.c, missed.c ------------------------------------------------------------------- */

/* Softens contacts of the island in w->rows. Returns how many yield. And sets the jam mark of overlapping contacts when
 * the island missed its tolerance; it lasts while they overlap. */
int slip_sim_soften(slip_world *w, const slip_island *island);
void slip_sim_mark_jams(slip_world *w, const slip_island *island, int missed);

/* Whether the last step reused the impulses of all contacts of an island. */
int slip_sim_was_reused(const slip_world *w, const slip_island *island);

/* Whether the warm start in w->rows meets the criterion: the first for impulses that were reused before, the second for
 * any. made: the problem with its G; NULL: it is not made yet, and velocities come from Y. */
int slip_sim_reuse_again(slip_world *w, const slip_island *island, slip_residual *residual);
int slip_sim_reuse(slip_world *w, const slip_island *island, const slip_problem *made, slip_residual *residual);

/* How many times a residual exceeds the world's tolerance. */
slip_real slip_sim_excess(const slip_world *w, const slip_residual *r);

/* All islands solved, and v_next. */
slip_status slip_sim_impulses(slip_world *w, const slip_step_input *in, const slip_real *v_free, slip_real *v_next);

/* w->error for an island whose answer exceeds the tolerance, unless another one's exceeded it more or contacts were
 * dropped; for one whose solver failed. The last clears it, before all islands are solved again. */
void slip_sim_report_missed(slip_world *w, slip_status s, const slip_island *island, const slip_residual *r,
                          slip_real excess);
void slip_sim_report_failed(slip_world *w, slip_status s, const slip_island *island);
void slip_sim_forget_missed(slip_world *w);

/* ---- sleep.c ----------------------------------------------------------------------------------------------------- */

/* In this order in a step: wakes trees, after the free velocity; finds the groups that sleep; whether an island sleeps;
 * v_next = 0 for sleeping groups; updates the sleep timers at the end of the step. */
void slip_sim_wake(slip_world *w);
void slip_sim_sleep_groups(slip_world *w);
int slip_sim_island_sleeps(const slip_world *w, const slip_island *island);
void slip_sim_hold_sleepers(slip_world *w);
void slip_sim_update_sleep_timers(slip_world *w);

/* ---- bound_energy.c: around slip_phase_integrate() of a step that is unresolved or hit -------------------------- */

void slip_sim_bound_energy_begin(slip_world *w, const slip_step_input *in);
void slip_sim_bound_energy_end(slip_world *w, const slip_step_input *in);

/* ---- work.c, integrate.c, read.c ----------------------------------------------------------------------------- */

/* Coordinate i of the velocity before (0) or after (1) the impulses in the middle of the step. */
slip_real slip_sim_middle(const slip_world *w, const slip_step_input *in, int i, int after);

/* Adds the work of a step that ends with v_next, in the axes of its start; after slip_sim_drive_forces(). */
void slip_sim_work(slip_world *w, const slip_step_input *in);

/* q at length 1, in e where it is not: users may write quaternions of any length. */
const slip_real *slip_sim_unit(const slip_real q[4], slip_real e[4]);

/* How floating body b turns in the time h, without forces: e, and v in the new axes. -h undoes it. */
void slip_sim_turn(const slip_world *w, int b, slip_real h, slip_real v[6], slip_real e[4]);

/* q_next [nq] = q [+] h v: all bodies move for the time h without forces; v into the new axes. */
void slip_sim_drift(const slip_world *w, const slip_real *q, slip_real h, slip_real *v, slip_real *q_next);

/* Time from the state in the middle of a step, where its forces act, to its end. */
static inline slip_real slip_sim_last_part(const slip_world *w)
{
    return w->opt.integrator == SLIP_EULER ? w->opt.dt : w->opt.dt/2;
}

/* For body b alone on a floating or planar joint: the part of its bias forces, in the axes of the step's start, that
 * integrate.c treats by turning momenta: w x (w x m c), w x I w of the velocity v [6 or 3]. */
void slip_sim_turn_bias(const slip_world *w, int b, const slip_real *v, slip_real *bias);

/* rate = dw/dt = -I^-1 (w x I w) of a body that floats alone, with spin w, body axes. */
void slip_sim_spin_rate(const slip_world *w, int b, const slip_real spin[3], slip_real rate[3]);

/* Velocities of links in w->data and w->step.accel as sensors read them, of the middle of the last step: most steps are
 * followed by none. Called before poses move on. */
void slip_sim_sense(const slip_world *w);

/* Adds to accel [6] of a body that floats alone the acceleration by turning momenta, with spin w: dw/dt = -I^-1 (w x I
 * w) about its centre of mass, and that of its origin about the centre [m/s^2, rad/s^2]. */
void slip_sim_turn_accel(const slip_world *w, int b, const slip_real spin[3], slip_real accel[6]);

/* r = (E - 1) x for the rotation E of a quaternion, without loss when that is small. */
static inline void slip_sim_turned(const slip_real e[4], const slip_real x[3], slip_real r[3])
{
    slip_real t[3];

    slip_cross3(e, x, t);
    slip_scale3(2, t, t);
    slip_scale3(e[3], t, r);
    slip_cross3_add(e, t, r);
}

/* A hash of the world a snapshot belongs to: counts, names and kinds of links, joints, colliders and loops, and how
 * they hang together; no masses, poses or sizes. */
uint64_t slip_sim_fingerprint(const slip_world *w);

/* step.c: solvers get part/whole of what is left of the step's budget, until the end of it. */
void slip_sim_share(slip_world *w, int part, int whole);
void slip_sim_share_end(slip_world *w);

/* Charges the time since the last lap to a phase. */
static inline void slip_sim_lap(slip_world *w, int phase)
{
    double now;

    if (!w->opt.clock) return;
    now = w->opt.clock(w->opt.clock_context);
    w->stats.seconds[phase] += now - w->step.lap;
    w->step.lap = now;
}

#endif
