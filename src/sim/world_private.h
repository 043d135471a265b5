/* The inside of a world, shared by the files of sim. */
#ifndef SLIP_SIM_WORLD_PRIVATE_H
#define SLIP_SIM_WORLD_PRIVATE_H

#include "sim/world.h"

/* A shape as the step sees it. */
typedef struct {
    int body, link;                  /* body 0: fixed to the world                                          */
    slip_shape shape;
    slip_pose local;                 /* in the body's frame                                                 */
    slip_real reach;                 /* bounding radius about the shape's origin; < 0: unbounded        [m] */
    int material;
    unsigned group, mask;
    const char *name;
} sim_collider;

enum { SIM_STUCK = 1, SIM_LOCKED = 2, SIM_WEDGED = 3 };
enum { SIM_KEPT = 1, SIM_FOUND = 2 };

/* A contact found: the geometry and what the problem will need. */
typedef struct {
    int a, b;                        /* colliders                                                           */
    uint32_t feature;
    slip_real gap;
    slip_real mu, restitution, stiffness, damping, tangent_stiffness, tangent_damping;
    slip_real stretch[2];            /* of the spring along t1, t2, see tangent.c                       [m] */
    slip_real arc;                   /* rate at which the gap closes beyond J v, <= 0; see arc.c      [m/s] */
    slip_contact_site site;
    int island;
    int kept;                        /* SIM_KEPT: the last step took its impulse over unchanged; SIM_FOUND: found it, as
                                      * exactly as rounding lets it; then, what this one did                 */
    int locked;                      /* SIM_LOCKED, SIM_STUCK: its links' joints cannot move them apart: it is soft;
                                      * SIM_WEDGED: nor where friction holds them: its overlap is left alone */
    int yields;                      /* its links are jammed: the same, until they are out of each other    */
    slip_real impulse[3], sigma[3], dual[3];     /* contact frame: warm start, then the answer             */
} sim_contact;

/* The contacts of one pair, the deepest first. */
typedef struct {
    int n, flat;                             /* flat: one normal for all                                         */
    slip_real normal[SLIP_FIELD_CONTACTS][3];    /* unit, from the first collider to the second, world               */
    slip_patch_point point[SLIP_FIELD_CONTACTS];
} sim_touch;

/* What is remembered of a contact from the step before. Sorted by pair, then feature. */
typedef struct {
    int a, b;
    uint32_t feature;
    int kept, locked, yields;
    slip_real point[3];              /* where it was, world                                             [m] */
    slip_real impulse[3];            /* world axes [N s]                                                    */
    slip_real dual[3];               /* world axes [m/s]                                                    */
    slip_real slide;                 /* dual less velocity, along the normal: friction times sliding speed  */
    slip_real stretch[3];            /* world axes [m]                                                      */
} sim_memory;

typedef struct {
    slip_loop_def def;
    int body_a, body_b;
    slip_pose local_a, local_b;      /* in the bodies' frames                                               */
} sim_loop;

/* What changes of a loop: part of a snapshot. */
typedef struct { int on; slip_real impulse[6], dual[6]; } sim_loop_state;

#define SIM_STICK SLIP_TOL(1e9, 1e5)             /* damping of a joint that sticks: times its inertia over dt   */
#define SIM_EXACT SLIP_TOL(1e-6, 1e-3)           /* how well torques are known, relative to their limits          */

/* What is held by a row in a step's later rounds, see settle.c: bits of w->held. */
enum { SIM_HELD_DRIVE = 1, SIM_HELD_FRICTION = 2 };

struct slip_world {
    const slip_model *model;
    slip_data *data;
    slip_world_options opt;
    slip_error error;
    slip_step_stats stats;
    double lap;                      /* the caller's clock at the end of the last phase                 [s] */
    void (*control)(void *context, slip_world *world);
    void *control_context;

    int ncolliders, nmaterials, nmaterial_pairs, nloops;
    sim_collider *colliders;
    slip_pose *collider_pose;        /* world                                                               */
    slip_real *collider_way;         /* what each may move in two steps                                 [m] */
    slip_material *materials;
    slip_material_pair *material_pairs;
    sim_loop *loops;

    slip_broadphase *broad;          /* box i is collider i                                                 */
    int placed;                      /* fixed colliders have their boxes ...                                */
    slip_real placed_margin;         /* ... with this margin                                            [m] */

    /* state: what a snapshot holds, in one block */
    slip_real *q, *v, *tau, *wrench;
    slip_drive *drives;
    slip_real *limit_impulse;        /* [2*nv]                                                              */
    sim_loop_state *loop_state;      /* [nloops]                                                            */
    sim_memory *memory;              /* [max_contacts]                                                      */
    int *saturated, *slides;         /* [nv] -1, 0, 1: drives at their limit; joints against their friction  */
    slip_real *still;                /* [nbodies] how long the tree of a root has been slow             [s] */
    slip_real *push_rest;            /* [nv] v_free - v of the last step awake, see sleep.c                   */
    slip_real *q_rest, *v_rest;      /* [nq], [nv] as the last step left them                               */
    int *touching_rest;              /* [nbodies] contacts of a tree in the last step                       */
    struct sim_clock {
        slip_real time;
        long steps;
        slip_real dt, since;         /* time = since + (steps - from) dt, begun anew when dt changes          */
        long from;
        int nmemory;
        slip_real rho;
        int problem_rows;
        slip_work work;
    } *clock;
    unsigned char *state;            /* the block itself                                                    */
    size_t state_bytes;
    uint64_t fingerprint;            /* of what the state is for, see slip_sim_fingerprint()                */
    struct sim_clock clock_before;   /* of these, what a step changes on its way: put back when it fails     */
    slip_real *limit_before, *still_before;
    int *marks_before;               /* [2*nv] saturated, slides                                            */
    sim_loop_state *loop_before;

    /* one step */
    int ncontacts, most_contacts;    /* there is room for most_contacts, whatever the option says later      */
    sim_contact *contacts;           /* [max_contacts]                                                      */
    int bounces, heaped;             /* some contact has restitution; w->order is a heap, see collide.c      */
    slip_real *v_free, *v_next, *nle, *x, *drive_force, *accel;   /* [nv]                                    */
    slip_real *q_next;
    int actuated;                    /* some coordinate has a drive or dry friction                         */
    int rounds;                      /* of settle.c so far                                                  */
    int *held, nheld, max_held;      /* [nv] bits SIM_HELD_..., and how many of them                        */
    slip_real *held_impulse;         /* [2*nv] c dt of a drive's and a friction's row                   [N m s] */
    slip_real *held_force;           /* [nv] of both, along the coordinate                                [N m] */
    slip_real *ring;                 /* [nv] inertia of the link that a hinge carries by massless ones, else 0  */
    int has_rings, has_friction;     /* some hinge has one; some joint has dry friction                     */
    slip_real *inertia, *diagonal;   /* [nv] of M alone, and with what is implicit                          */
    int constant_mass, factored;     /* all bodies float alone: M is the same in each step; it is there ... */
    slip_real *M_kept, *L_kept, *D_inv_kept;             /* ... and here, with its factor                   */
    int plain_mass;                  /* ... of which L = 1: M is a diagonal, as of bodies in their principal axes */
    int *free_single, *plane_single; /* [nbodies] 1: a body alone on a floating or planar joint             */
    slip_real *centre;               /* [3*nbodies] of these: centre of mass, body axes; 0 for others   [m] */
    slip_real *inertia_centre, *inertia_inv;             /* [6*nbodies] I about it, body axes, and I^-1      */
    int has_offset;                  /* some centre is not 0                                                */
    slip_real *v_way, *v_seen;       /* [nv] velocities for rows, see impulses.c; the second is v_free or the first */
    int *limit_iv;                   /* [max_limits] coordinate and sign of each limit row                  */
    slip_real *limit_sign;
    int nlimits, max_limits;         /* held rows are the last nheld of them                                */
    int *body_tree;                  /* [nbodies] the root body above each                                  */
    int only_tree, all_free;         /* the root body when there is but one tree, else 0; all are free_single */
    int has_limits;                  /* some coordinate has one                                             */
    int *iv_body;                    /* [nv] a body that each velocity coordinate moves                    */
    int *group;                      /* [nbodies] union-find over root bodies                               */
    int *order;                      /* [max_contacts] contacts by island; by gap while they are found, if so many */
    int *touching, *sleeps;          /* [nbodies] contacts of a tree; whether a group sleeps                 */
    slip_real *v_mid;                /* [nv] velocity midway through the step, see free_velocity.c           */
    const slip_real *v_bias;         /* v or v_mid: what nle was taken at                                   */
    slip_real *v_start, *dv_contact; /* [nv] velocity before the step; change by contacts, limits and loops */
    slip_real *push;                 /* [nv] J' lambda of all of these, when work is counted          [N s] */
    int dv_done;                     /* 1: dv_contact is that change; 0: still D^-1/2 L^-T J' lambda of it      */
    slip_assembly assembly;
    slip_problem problem;
    slip_real *mu, *g, *R, *lambda, *sigma, *dual;       /* [rows]                                          */
    int max_rows, compliant;
    slip_real missed;                /* how many times the tolerance an island of this step has, at worst; 0: none */
    slip_arena scratch;              /* for the solver                                                      */
    const char *solver_id;           /* the option last looked up, and what it means: NULL for a chain      */
    const slip_solver *solver;
};

/* inputs.c: the joint that a coordinate of v or q belongs to; options, the state, and everything else
 * that users may write between steps; the messages for a zero quaternion in q and for an M that has no factor. Each
 * names what is wrong and its value. */
const char *slip_sim_joint_name(const slip_world *w, int iv);
const char *slip_sim_joint_at(const slip_world *w, int iq);
slip_status slip_sim_check_options(const slip_world_options *o, slip_error *err);
slip_status slip_sim_check_state(slip_world *w);
slip_status slip_sim_check_inputs(slip_world *w);        /* options and state, before a step */
slip_status slip_sim_check_drives(slip_world *w);
slip_status slip_sim_check_forces(slip_world *w);        /* and drives: when they have made no velocity */
slip_status slip_sim_bad_quaternion(slip_world *w, slip_status s);
slip_status slip_sim_no_inertia(slip_world *w, int iv, slip_real inertia);

/* Contacts of the present poses into w->contacts, deepest kept when there are too many (w->stats.dropped). */
slip_status slip_sim_collide(slip_world *w);
void slip_sim_place_colliders(slip_world *w);

/* What a collider is called: one of the world's own by its name, others by their links'. */
const char *slip_sim_collider_name(const slip_world *w, int i);

/* Contacts of colliders a and b, placed at xa and xb, with gaps up to the margin; of a height field, that is a. */
slip_status slip_sim_touch(const slip_world *w, int a, int b, const slip_pose *xa, const slip_pose *xb,
                           slip_real margin, sim_touch *touch);

/* Turns the contacts of a pair that would be held apart along the wrong axis, or drops those of an edge that just meets
 * an edge, see foresee.c. touch->n > 0. */
void slip_sim_foresee(const slip_world *w, int a, int b, slip_real margin, sim_touch *touch);

/* M, its factor, bias forces and the free velocity, with drives and losses. */
slip_status slip_sim_free_velocity(slip_world *w);

/* Whether some link of a robot turns far in a step; then, w->nle at a velocity midway, w->v_bias, with data's
 * velocities those of v (nv) again. Needs w->nle at v, and the factor of M with damping. */
int slip_sim_is_fast(const slip_world *w);
void slip_sim_bias_midway(slip_world *w, const slip_real *v);

/* v_free once more, with other marks. */
slip_status slip_sim_free_again(slip_world *w);

/* settle.c: before a step's impulses; and after them: whether v_next contradicts what v_free took for granted, drives
 * within their limits, joints that stick or slide. Then M's factor and v_free are new, and the contacts have to be
 * solved again. may_hold: what is in doubt may become rows, which slip_sim_contact_impulses() knows of. solved: the
 * contacts were; otherwise little is gained by further rounds, which cost most then. */
void slip_sim_settle_begin(slip_world *w);
int slip_sim_settle(slip_world *w, int may_hold, int solved);

/* Torque of a drive at the end of a step with velocity v_end, as if it had no limit. */
static inline slip_real slip_sim_drive_torque(const slip_world *w, int iv, slip_real v_end)
{
    const slip_drive *d = &w->drives[iv];
    const int iq = w->model->limit_iq[iv];
    const slip_real q = iq < 0 ? 0 : w->q[iq];

    if (!d->implicit) return d->kp*(d->q_ref - q) + d->kd*(d->v_ref - w->v[iv]) + d->feed;
    return d->kp*(d->q_ref - q - w->opt.dt*v_end) + d->kd*(d->v_ref - v_end) + d->feed;
}

static inline int slip_sim_has_drive(const slip_drive *d) { return d->kp != 0 || d->kd != 0 || d->feed != 0; }

/* impulses.c: which row of settle.c row k of the limits is, SIM_HELD_...; 0: none, a limit. */
int slip_sim_held(const slip_world *w, int k);

static inline slip_real *slip_sim_held_impulse(const slip_world *w, int iv, int kind)
{
    return w->held_impulse + 2*iv + (kind == SIM_HELD_FRICTION);
}

/* sleep.c: trees that have reason to wake, after slip_sim_free_velocity(); which groups sleep, once they are known; one
 * of them; v_next = 0 for those; how long trees have been slow, when a step is done. */
void slip_sim_wake(slip_world *w);
void slip_sim_sleep_groups(slip_world *w);
int slip_sim_group_sleeps(const slip_world *w, int group);
void slip_sim_hold_sleepers(slip_world *w);
void slip_sim_grow_tired(slip_world *w);

/* The root body that stands for the group of a body's tree. */
int slip_sim_group(slip_world *w, int body);

/* c->arc of all contacts; needs the accelerations that slip_bias_pass() leaves. And, likewise, twice the rate at which
 * arcs part what the rows of a loop keep together, at most: its points, or its axes [m/s, rad/s]. */
void slip_sim_arcs(slip_world *w);
slip_real slip_sim_arc_between(const slip_world *w, const slip_row_site *row);

/* tangent.c: R and g of the tangents of contact k, which yields along the surface; where that is by a spring, its
 * stretch at the end of the step, world axes, and from there back into the contact, a step later. */
void slip_sim_tangent_rows(slip_world *w, const sim_contact *c, int k);
void slip_sim_tangent_keep(const slip_world *w, const sim_contact *c, slip_real stretch[3]);
void slip_sim_tangent_recall(const slip_world *w, sim_contact *c, const slip_real stretch[3]);

/* Torques of the drives in a step that ends with v_next. */
void slip_sim_drive_forces(slip_world *w);

/* The problem, its solution, and v_next. */
slip_status slip_sim_contact_impulses(slip_world *w);

/* For the inverse: rows of all contacts, of the limits in w->limit_iv and of the loops in one assembly, whatever the
 * islands; w->mu, w->R, w->compliant, and w->g = J v + corrections. Needs M's factor. And the gap of limit k. */
void slip_sim_all_rows(slip_world *w, slip_real *v);
slip_real slip_sim_limit_gap(const slip_world *w, int k);

/* read.c: a hash of what a snapshot is for: counts, names and kinds of links, joints, colliders and loops, and how they
 * hang together; no masses, poses or sizes. */
uint64_t slip_sim_fingerprint(const slip_world *w);

/* missed.c: w->error for an island, its contacts beginning at w->order[from], whose answer exceeds the tolerance,
 * unless another one's exceeded it more or contacts were dropped; for one whose solver failed; and before all is solved
 * anew. */
void slip_sim_tell_missed(slip_world *w, slip_status s, int from, int island, const slip_residual *r, slip_real excess);
void slip_sim_tell_failed(slip_world *w, slip_status s, int island);
void slip_sim_tell_again(slip_world *w);

/* Row k of a loop: impulses.c's, for who reads them. error: how far b is from where a wants it. */
void slip_sim_loop_row(const slip_world *w, int loop, int k, slip_row_site *row, slip_real *error);

/* Adds the work of a step that ends with v_next, in the axes of its start; after slip_sim_drive_forces(). */
void slip_sim_work(slip_world *w);

/* q_next from v_next, which is re-expressed in the new axes; accel (NULL: none) gets what turning adds. */
void slip_sim_integrate(slip_world *w, slip_real *accel);

/* q at length 1, in e where it is not: users may have written few digits of it, or without a thought of its length. */
const slip_real *slip_sim_unit(const slip_real q[4], slip_real e[4]);

/* How floating body b turns in a step that it ends with v, given in the axes of the step's start: e, and v in the new
 * axes. What integrate.c does, for who has to undo it. */
void slip_sim_turn(const slip_world *w, int b, slip_real v[6], slip_real e[4]);

/* For body b alone on a floating or planar joint: the part of its bias forces, in the axes of the step's start, that
 * integrate.c treats by turning momenta: w x (w x m c), w x I w of the velocity v [6 or 3]. */
void slip_sim_turn_bias(const slip_world *w, int b, const slip_real *v, slip_real *bias);

/* r = (E - 1) x for the rotation E of a quaternion, without loss when that is small. */
static inline void slip_sim_turned(const slip_real e[4], const slip_real x[3], slip_real r[3])
{
    slip_real t[3];

    slip_cross3(e, x, t);
    slip_scale3(2, t, t);
    slip_scale3(e[3], t, r);
    slip_cross3_add(e, t, r);
}

/* The material of a pair. */
slip_material slip_sim_mix(const slip_world *w, int material_a, int material_b);

/* Charges the time since the last lap to a phase. */
static inline void slip_sim_lap(slip_world *w, int phase)
{
    double now;

    if (!w->opt.clock) return;
    now = w->opt.clock(w->opt.clock_context);
    w->stats.seconds[phase] += now - w->lap;
    w->lap = now;
}

#endif
