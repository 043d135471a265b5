/* The world and its step: one forest of bodies, their colliders, and time.
 *
 * One step, from left to right (docs/simulation.md):
 *   q, v, tau, wrenches -> poses -> contacts -> free velocity -> contact problem -> impulses -> v+ -> q+
 *
 * Second order in time (slip_integrator); bodies that float alone keep energy and momenta. Joint drives and viscous
 * damping are implicit, contacts are rigid unless their material says otherwise, an approaching pair is stopped where
 * it touches (speculative contacts), and overlap is worked off at a fixed rate. Everything a world needs is taken from
 * the arena when it is created; a step allocates nothing. */
#ifndef SLIP_SIM_WORLD_H
#define SLIP_SIM_WORLD_H

#include "contact/assemble.h"
#include "geom/broadphase.h"
#include "geom/geom.h"
#include "rbd/rbd.h"
#include "solvers/solver.h"

/* ---- description ------------------------------------------------------------------------------------ */

typedef struct {
    slip_real friction;          /* Coulomb's mu                                                            */
    slip_real restitution;       /* 0: none, 1: full                                                        */
    slip_real stiffness;         /* of the surface [N/m] per contact point; 0: rigid                        */
    slip_real damping;           /* of a surface that is not rigid [N s/m]                                  */
    slip_real tangent_stiffness; /* the same along the surface, before it slips [N/m] per contact point ... */
    slip_real tangent_damping;   /* ... [N s/m]; both 0: sticks rigidly; damping alone: creeps, as regularised
                                    friction does (docs/simulation.md, Soft surfaces)                       */
    slip_real torsion, rolling;  /* torque about the normal, and across it, per normal force at each contact point [m]:
                                    0 (docs/simulation.md, Torsional and rolling friction)                  */
    /* Of the surface under SLIP_LAW_REFERENCE, as in slip_contact_law; 0: as the law itself has it. Of two surfaces
     * the means count. */
    slip_real time_constant, damping_ratio, d_min, d_max, width;
} slip_material;

/* The largest numbers that a material may have; friction may be infinite as well. */
#define SLIP_MOST_FRICTION  SLIP_R(1e6)
#define SLIP_MOST_STIFFNESS SLIP_R(1e12)
#define SLIP_MOST_ROLLING   SLIP_R(1e3)                  /* torsion and rolling [m]                        */

slip_material slip_material_defaults(void);               /* friction 0.7, nothing else                     */

/* How the frictions of two materials make one. Geometric mean and product: 0 with infinity is 0. Of restitutions,
 * dampings, torsions and rollings the larger one counts, springs are in series. */
typedef enum { SLIP_MIX_GEOMETRIC, SLIP_MIX_MEAN, SLIP_MIX_MIN, SLIP_MIX_MAX, SLIP_MIX_PRODUCT } slip_mix_rule;

/* A shape on a link. Two colliders meet when each one's group is in the other's mask, they are on different
 * bodies, not on parent and child (unless asked for), not both fixed to the world, and not excluded. */
typedef struct {
    const char *name;
    int link;                    /* -1: the world                                                           */
    slip_shape shape;
    slip_pose pose;              /* in the link's frame                                                     */
    int material;                /* index                                                                   */
    unsigned group, mask;        /* bits; 1 and all by default                                              */
    slip_real surface_velocity[6];   /* of its surface against the link, as a conveyor's belt: linear at the shape's
                                    origin, angular; the shape's axes [m/s, rad/s]. 0: it is part of the link */
} slip_collider_def;

/* A material for one pair of materials, instead of the mixture. */
typedef struct { int a, b; slip_material material; } slip_material_pair;

/* A loop closure: frames on two links that must keep together; or a spring with a damper between their origins, whose
 * links still collide. Values are numbers of rows. */
typedef enum { SLIP_LOOP_SPRING = 1, SLIP_LOOP_BALL = 3, SLIP_LOOP_HINGE = 5, SLIP_LOOP_WELD = 6 } slip_loop_kind;
typedef struct {
    const char *name;
    slip_loop_kind kind;         /* a hinge turns about the frames' z                                       */
    int link_a, link_b;          /* -1: the world                                                           */
    slip_pose frame_a, frame_b;  /* in the links' frames                                                    */
    slip_real stiffness;         /* of a spring [N/m], damping [N s/m] and length without force [m]; not    */
    slip_real damping, length;   /* negative, at most 1e12, not both of the first two below 1e-9            */
} slip_loop_def;

/* A drive on a velocity coordinate of a 1-dof joint: torque kp (q_ref - q) + kd (v_ref - v) + feed, within
 * the effort limit, q and v as they are at the end of the step: any gain is stable. Gains and
 * limit are not negative. */
typedef struct {
    slip_real kp, kd;            /* [N m/rad, N m s/rad] or the same along                                  */
    slip_real q_ref, v_ref;
    slip_real feed;              /* feed-forward [N m or N]                                                 */
    slip_real effort;            /* limit, INFINITY for none                                                */
    int implicit;                /* 0: explicit, at the state of the step's start                           */
} slip_drive;

/* How a step moves positions. Midpoint: half a step with the old velocity, then forces and contacts there, then half a
 * step with the new velocity; second order. Euler: forces and contacts at the start, then the whole step with the new
 * velocity (semi-implicit Euler, as the papers have it); first order. Fourth: steps in which nothing touches and no
 * drive, damping, limit, loop or prescribed motion acts are of fourth order, at three times the cost; others as
 * midpoint. */
typedef enum { SLIP_MIDPOINT, SLIP_EULER, SLIP_FOURTH } slip_integrator;

/* The law of impacts with restitution e (docs/simulation.md, Impacts). Bounded: Newton's, c_n+ = -e c_n, with e scaled
 * down where friction would make it create energy. Newton: as it is. Sequential: as bounded, and bodies that touch pass
 * an impact on one by one instead of sharing it. With SLIP_EULER it is Newton's law within the step's own rows. */
typedef enum { SLIP_IMPACT_BOUNDED, SLIP_IMPACT_NEWTON, SLIP_IMPACT_SEQUENTIAL } slip_impact_law;

/* How contacts yield, as a law for all of them (docs/engines.md has the formulas and whose they are):
 *   rigid        not at all, but for materials with a stiffness
 *   cfm          rigid rows with compliance in all three: constraint force mixing
 *   reference    a reference acceleration -b v - k r, followed with an impedance that grows with the overlap
 *   relaxation   springs and dampers with a relaxation time, regularised by the bodies' mobility
 * A material with a stiffness of its own keeps it under every law; restitution counts under the first two. */
typedef enum { SLIP_LAW_RIGID, SLIP_LAW_CFM, SLIP_LAW_REFERENCE, SLIP_LAW_RELAXATION } slip_law_kind;

typedef struct {
    slip_law_kind kind;          /* SLIP_LAW_RIGID; REFERENCE only for worlds that are made with it          */
    int overlap;                 /* 1: a contact is made where shapes overlap, not before: 0                */
    slip_real cfm;               /* cfm: velocity per force [m/(N s)], R = cfm/dt: 0                        */
    slip_real cfm_share;         /* cfm: R as a share of the row's own mobility G_ii: 0                     */
    slip_real time_constant;     /* reference: [s], at least 2 dt counts: 0.02                              */
    slip_real damping_ratio;     /* reference: 1                                                            */
    slip_real d_min, d_max;      /* reference: impedance without overlap: 0.9; with overlaps from `width`: 0.95 */
    slip_real width;             /* reference: [m]: 0.001                                                   */
    slip_real midpoint, power;   /* reference: of the way from d_min to d_max: 0.5, 2                       */
    slip_real friction_ratio;    /* reference: R of the normal over that of the tangents: 1                 */
    slip_real stiffness;         /* relaxation: of a point [N/m]; 0: by `allowance`                         */
    slip_real allowance;         /* relaxation: overlap of the heaviest body on one point [m]: 0.001        */
    slip_real relaxation_time;   /* relaxation: of a contact [s]: 0.2                                       */
    slip_real near_rigid;        /* relaxation: least period of a contact's vibration, in steps: 1          */
    slip_real stiction;          /* relaxation: R of the tangents as a share of the mobility: 0.001         */
} slip_contact_law;

typedef struct {
    slip_real dt;                /* [s]: 1e-3                                                               */
    const slip_solver *solver;   /* slip_solver_default                                                     */
    slip_solver_options solve;
    slip_real margin;            /* distance within which a contact is made [m]: 0.002, plus the way of two steps */
    slip_real erp;               /* share of an overlap worked off per step: 0.5                            */
    slip_integrator integrator;  /* SLIP_MIDPOINT                                                           */
    slip_real ring;              /* least inertia of a hinge whose link has none, near gimbal lock, as a share of the
                                    carried link's: 0.01; 0: none (docs/simulation.md, Rings)               */
    slip_real slop;              /* gaps and overlaps below this count as touching [m]: 1e-8 (float: 1e-6)   */
    slip_real max_push;          /* fastest such correction [m/s]: 0.1; it remains as speed, a hop of v^2/2g */
    slip_real max_pull;          /* fastest at which loops are drawn together [m/s]: 1; about axes that over the radius
                                    of gyration of their links; plus the rate at which turning opens them
                                    (docs/simulation.md, Loops)                                             */
    slip_impact_law impact;      /* SLIP_IMPACT_BOUNDED                                                     */
    slip_real rest_speed;        /* approach below which nothing bounces [m/s]: 0. Approaches that are slower than what
                                    smooth forces change in a step do not bounce either                     */
    slip_real sleep;             /* groups of bodies slower than this [m/s, rad/s] ...: 0, never            */
    slip_real sleep_time;        /* ... for this long [s] stand still until something changes: 0.5          */
    slip_contact_law law;        /* slip_contact_law_defaults(): rigid                                      */
    slip_mix_rule mix;
    int parent_child;            /* 1: links joined by a joint, or by a loop that is closed, collide        */
    int self;                    /* 0: links of one tree never collide with each other; scenes exclude a robot's
                                    fixed base, and its other trees, as well                                */
    int max_contacts;            /* 0: 4 per collider that moves and 12 per tree, at least 64               */
    int max_pairs;               /* candidate pairs of the broad phase; 0: all of up to 32 colliders, else 16 each */
    int work;                    /* 1: count the work by kind, for slip_world_work(), 1 to 2 % of a step: 0  */
    int islands;                 /* 1: solve independent groups apart when there is more than one           */

    /* options beyond one call of the solver per island; they mean the same for every solver (slip_world_terms) */
    int warm_start;              /* 1: a solve starts from the impulses of the last step; 0: from zero      */
    slip_real warm_share;        /* the share of these impulses that it starts from: 1                      */
    slip_real reuse;             /* these impulses are kept without a solve where they meet the criterion of the
                                    solver's model within this share of its tolerance: 0.1 (float: 1); 0: never.
                                    Needs the warm start; ccp-barrier always solves                         */
    int soften;                  /* 1: contacts of links that hardly move, or that are jammed, get compliance
                                    (docs/simulation.md, Softening)                                         */
    int correct;                 /* 1: solves again where contacts would create energy, trees are hit or arcs of loops
                                    miss: default                                                           */
    int exact_mean;              /* 1: the mean velocity of a step is found to rounding, so that v+ is a smooth function
                                    of its inputs, as slip_step_derivatives() has it; 0: to 1e-9 of v+      */

    int step_iterations;         /* a step's budget: iterations of all its loops together; 0: any number    */
    double step_seconds;         /* a step's budget: time on `clock`, which is needed then [s]; 0: any time. A step that
                                    uses its budget up ends with the best impulses so far, inside their cones, and
                                    SLIP_DEADLINE (docs/simulation.md, Deadlines)                           */

    int scratch_rows;            /* the solver's scratch is for problems of at most so many rows as a full matrix: 1500.
                                    With more, `default` falls back on sweeps, others fail (SLIP_ERR_WORKSPACE) */
    void (*on_problem)(void *context, const slip_problem *problem, const slip_solution *warm);
                                 /* called right before each call of the solver; NULL: none                 */
    void *problem_context;
    double (*clock)(void *context);      /* seconds, for the times in slip_step_stats; NULL: none           */
    void *clock_context;
} slip_world_options;

slip_world_options slip_world_defaults(void);            /* with slip_solver_default                        */
slip_world_options slip_world_defaults_for(const slip_solver *solver);   /* a program that calls only this one links
                                                            no solver but its own                           */

/* Equal terms for comparing solvers: every problem that a step poses is solved by exactly one call, from the same warm
 * start to the same tolerance, whatever the solver is. An island without drives at their limits, joint friction,
 * rolling friction or restitution poses one problem; these change the problem in rounds that have the same bounds for
 * every solver, and slip_step_stats.calls counts all of them. Switches reuse, soften and correct off. */
void slip_world_equal_terms(slip_world_options *options);

/* `--like ENGINE`: sets the solver and its options, the contact law, what works overlaps off and the integrator as an
 * engine has them, and switches reuse, soften and correct off, as no engine has them. ode bullet physx dart mujoco
 * drake raisim dojo simple chrono scs: docs/engines.md has the parameters and their sources. 0 when unknown, *options
 * is then as before. */
int slip_world_like(const char *engine, slip_world_options *options);

typedef struct {
    const slip_model *model;
    int ncolliders, nmaterials, nmaterial_pairs, nexcludes, nloops;
    const slip_collider_def *colliders;
    const slip_material *materials;
    const slip_material_pair *material_pairs;
    const int (*excludes)[2];    /* pairs of links that never collide                                       */
    const slip_loop_def *loops;
    slip_world_options options;
} slip_world_def;

/* ---- results of a step -------------------------------------------------------------------------------- */

enum { SLIP_PHASE_KINEMATICS, SLIP_PHASE_COLLISION, SLIP_PHASE_DYNAMICS, SLIP_PHASE_ASSEMBLY, SLIP_PHASE_SOLVE,
       SLIP_PHASE_INTEGRATE, SLIP_PHASES };

typedef struct {
    slip_status status;          /* of the step                                                             */
    int contacts, limits, loops; /* in the contact problem                                                  */
    int dropped;                 /* contacts left out for lack of room; the deepest were kept               */
    int dropped_pairs;           /* of these, pairs of the broad phase that were not tested                  */
    int softened;                /* contacts made soft: of links that cannot move apart, or are jammed      */
    int pairs;                   /* candidates of the broad phase                                           */
    int untested;                /* of these, left out by the step's budget; they keep the contacts they had */
    int replaced;                /* calls of the solver that its sweeps ended, for lack of budget            */
    int islands;                 /* groups with rows that are awake                                         */
    int solves;                  /* of these, solved; the others reused the last step's impulses            */
    int asleep;                  /* trees that stand still, see slip_world_options.sleep                    */
    int held;                    /* drives and joint frictions that were rows of the problem                */
    int unsettled;               /* drives and joint frictions that do not fit the step's end (SLIP_MAX_ITERS) */
    int unbounded;               /* torsional and rolling frictions whose bound does not fit the normal impulse that
                                    the step ends with (SLIP_MAX_ITERS)                                     */
    int impacts;                 /* impact problems solved                                                  */
    int calls;                   /* of the solver in all: for each island one, and one more for each round in which
                                    drives, joint friction or bounds of rolling friction changed, for each impact
                                    problem, and where `correct` asks for it                                */
    int unbounced;               /* contacts still struck after the last round of impacts (SLIP_MAX_ITERS)  */
    int iterations, factorizations;
    long budget_taken;           /* iterations of all loops, counted where the step has a budget             */
    slip_residual residual;      /* of the NCP, by the judge; islands together                              */
    slip_real penetration;       /* deepest overlap at the start of the step [m]                            */
    double seconds[SLIP_PHASES];
} slip_step_stats;

/* Work done on the bodies while it was counted [J]; negative: taken from them. The energy's change less their sum is
 * the integrator's error and the effect of writing q or v between steps. */
typedef struct {
    double drives;               /* their torques, and the forces behind prescribed motions                 */
    double external;             /* slip_world_tau() and slip_world_wrench(); surfaces that move            */
    double damping, friction;    /* of joints: viscous, dry                                                 */
    double limits, loops;        /* of joints; loop closures                                                */
    double contacts;             /* friction, impacts, soft surfaces, overlaps worked off                   */
} slip_work;

/* One contact after a step. Impulses act on b; -impulse on a. */
typedef struct {
    int collider_a, collider_b;
    int link_a, link_b;          /* -1: the world                                                           */
    const char *name_a, *name_b; /* of the links, "world"                                                   */
    slip_real point[3];          /* world [m]                                                               */
    slip_real frame[9];          /* rows t1, t2, n; n from a to b                                           */
    slip_real gap;               /* at the start of the step; negative: overlap [m]                         */
    slip_real mu;
    slip_real impulse[3];        /* t1, t2, n [N s]                                                         */
    slip_real velocity[3];       /* sigma of the solved problem: t1, t2, n [m/s]                            */
    slip_real force_n, force_t;  /* impulse over dt [N]                                                     */
    slip_real force[3];          /* the same on b, world axes [N]                                           */
    slip_real torque[3];         /* of torsional and rolling friction on b, world axes [N m]; points of two colliders
                                    with one normal share it; the first of them has it, the others 0        */
    slip_contact_state state;
    uint32_t feature;            /* the same from step to step while the same features touch                */
} slip_contact_info;

typedef struct slip_world slip_world;

/* ---- a world -------------------------------------------------------------------------------------------- */

/* Bytes that slip_world_create() needs; 0 when the description is wrong, or the world beyond the addresses of this
 * machine. */
size_t slip_world_bytes(const slip_world_def *def);

/* A world in the model's neutral configuration, at rest. The model, the shapes' data and all names must outlive it; the
 * rest of the description is copied. Warns, through the report (NULL: none), of excludes and material pairs that name
 * nothing; slip_scene_start(), which knows the start, warns of overlaps. SLIP_ERR_ARGUMENT (names part and
 * value), SLIP_ERR_UNSUPPORTED (a half-space or height field that moves), SLIP_ERR_MODEL (a warning when the report is
 * strict), SLIP_ERR_WORKSPACE, SLIP_ERR_LIMIT (beyond the addresses of this machine); *world is untouched then. */
slip_status slip_world_create(const slip_world_def *def, slip_arena *mem, slip_world **world, slip_report *report,
                              slip_error *err);

/* Advances by dt. SLIP_OK. Positive: done, but the solver missed its tolerance (SLIP_MAX_ITERS, SLIP_STALLED,
 * SLIP_DIVERGED: slip_world_error() names the worst contact, joint or loop, and its residual) or contacts were left out
 * (SLIP_DROPPED: it names the first pair); see slip_world_stats(). Negative: the state has not changed, except for
 * inputs that the control callback wrote; slip_world_error() names the body or value. */
slip_status slip_step(slip_world *world);
const slip_error *slip_world_error(const slip_world *world);
const slip_step_stats *slip_world_stats(const slip_world *world);

/* The contact problem of the k-th call of the solver in the next step, and its warm start, copied into memory from mem.
 * The step is taken, its control callback called, and undone by a snapshot, which comes from mem as well: the state is
 * as it was, contacts and sensors read the step that was taken. SLIP_ERR_ARGUMENT: the step calls the solver k times
 * or fewer. SLIP_ERR_WORKSPACE. < 0 besides: the step failed. */
slip_status slip_world_problem(slip_world *world, int k, slip_arena *mem, slip_problem *problem, slip_solution *warm);

/* State and inputs. The pointers stay valid; the arrays may be written between steps. */
const slip_model *slip_world_model(const slip_world *world);
slip_data *slip_world_data(slip_world *world);           /* poses and velocities as of slip_world_update()  */
slip_real *slip_world_q(slip_world *world);              /* [nq] joint by joint, see slip_joint_type [m, rad];
                                                            quaternions of any length but 0                 */
slip_real *slip_world_v(slip_world *world);              /* [nv] likewise [m/s, rad/s]                      */
slip_real *slip_world_tau(slip_world *world);            /* [nv] joint forces [N, N m], kept until changed  */
slip_real *slip_world_wrench(slip_world *world);         /* [6*nbodies] force and moment about the body's origin,
                                                            world axes [N, N m], kept until changed; by links:
                                                            slip_wrench_add()                               */
slip_drive *slip_world_drive(slip_world *world, int iv); /* kp = kd = feed = 0: none; NULL for iv outside 0..nv-1;
                                                            of joints of several freedoms kp has to be 0    */
slip_real slip_world_time(const slip_world *world);      /* [s] since it was made                           */

/* Prescribes the motion of a joint, by its index in the model: the next step ends with its velocity v, and at its
 * position q; numbers and axes as those of the joint in slip_world_v() and slip_world_q(). Contacts, loops and other
 * joints are pushed by it, and it is not pushed. q NULL: wherever the mean of the present velocity and v leads. It
 * holds until it is changed: without another q the steps after go on at v. A floating joint that is prescribed is a
 * body that moves by itself. q must be where the step leads, to second order: contacts see v, and a q far from there is
 * a jump. Drives, friction and limits of the joint have no effect; the force that moves it is that of
 * slip_world_drive_force(). Set it before each step, or in the control callback; sleeping bodies that it touches wake
 * when it moves. Part of snapshots. SLIP_ERR_ARGUMENT (slip_world_error() has the reason): no such joint, a fixed or a
 * mimic joint, numbers that are not finite or too large. slip_world_release() makes a joint as it was. */
slip_status slip_world_prescribe(slip_world *world, int joint, const slip_real *q, const slip_real *v);
void slip_world_release(slip_world *world, int joint);

/* Called at the start of every step, before its checks, to set tau, drives, wrenches and prescribed motions; NULL:
 * none. */
void slip_world_set_control(slip_world *world, void (*control)(void *context, slip_world *world), void *context);

/* Changes material i of the description. SLIP_ERR_ARGUMENT, with the reason in slip_world_error(), leaves it as it was.
 * SLIP_ERR_UNSUPPORTED: torsion or rolling where no material of the description had it, so that there is no memory for
 * it. Sleeping bodies wake. Not part of snapshots. */
slip_status slip_world_set_material(slip_world *world, int i, const slip_material *material);

/* Changes the surface velocity of collider i (slip_collider_def) between steps. Sleeping bodies wake. Part of
 * snapshots. SLIP_ERR_ARGUMENT: no such collider, or a number that is not finite or beyond SLIP_MOST_SPEED. */
slip_status slip_world_set_surface_velocity(slip_world *world, int collider, const slip_real velocity[6]);

/* Turns a loop closure on or off; others than 0..nloops-1 are ignored. Sleeping bodies wake. A loop that is closed with
 * its frames apart pulls them together by erp a step, at max_pull at most. */
void slip_world_set_loop(slip_world *world, int loop, int on);

/* Poses and velocities of the present state into slip_world_data(), and contacts found anew, with the impulses and
 * velocities that the last step remembered for them, zero for new ones: these are open. A step leaves those of its
 * start; call this to read the state it ended in. Steps go on as if it had not been called. SLIP_DROPPED;
 * SLIP_ERR_ARGUMENT for a state that a step would refuse. */
slip_status slip_world_update(slip_world *world);

/* ---- reading ---------------------------------------------------------------------------------------------- */

/* Contact i of the last step, 0 <= i < slip_contact_count(); any other i gives one of colliders -1 and zeros. */
int slip_contact_count(const slip_world *world);
slip_contact_info slip_contact_get(const slip_world *world, int i);

/* Sum of contact forces on a link (-1: the world), and moment about a point of the world (NULL: the link frame's
 * origin), world axes [N, N m]; returns the number of contacts. This is the reading of a foot's force sensor. */
int slip_link_contact_wrench(const slip_world *world, int link, const slip_real point[3], slip_real wrench[6]);

/* Joint forces of contacts, limits and loops together [nv], J' lambda of the last step over dt; drives' torques
 * [nv]; [N, N m]. Of sleeping bodies: the forces that hold them. The first needs M as the step left it in
 * slip_world_data(). */
void slip_world_constraint_force(const slip_world *world, slip_real *tau);
void slip_world_drive_force(const slip_world *world, slip_real *tau);

/* Force and moment of a loop closure on link b in the last step, world axes [N, N m]; the moment is about the origin of
 * frame_b. On link a acts the opposite, about the origin of frame_a, which is the same place where the loop is closed.
 * A ball has no moment, a hinge none about its axis. Without what impacts with restitution added; a loop that is off,
 * or does not exist, reads as 0. As sensors, before slip_world_update() moves the poses on. */
void slip_loop_force(const slip_world *world, int loop, slip_real wrench[6]);

/* Sensors, of the last step as it began: call them before slip_world_update() or slip_world_energy() moves the poses
 * on. A link that does not exist reads as the world. Reading of an IMU at a link's origin: specific force [m/s^2] and
 * angular velocity [rad/s], link axes. */
void slip_link_imu(slip_world *world, int link, slip_real accel[3], slip_real gyro[3]);

/* Energies of the present state [J]; brings the poses and velocities in slip_world_data() up to it, for slip_momentum()
 * and slip_center_of_mass() as well. */
void slip_world_energy(slip_world *world, slip_real *kinetic, slip_real *potential);

/* ---- snapshots -------------------------------------------------------------------------------------------- */

/* The whole changing state as one flat copy: q, v, inputs, drives, loops, warm start, marks of drives and friction,
 * sleep timers, work, time; nothing in a step is random. Restoring it, in this world or in one of the same description,
 * options and materials, continues bit for bit. Contacts and sensors still read the step before the restoring; poses
 * and contacts of the restored state: slip_world_update(). It is for the build that wrote it. `from` need not be
 * trusted or aligned: one of another size, of another world (other links, joints, colliders, loops by name, kind and
 * place, or max_contacts; masses, sizes and materials may differ), or with a count, an index or a number out of range
 * is refused, SLIP_ERR_ARGUMENT, with the reason in slip_world_error(), and changes nothing. */
size_t slip_snapshot_bytes(const slip_world *world);
void   slip_snapshot_save(const slip_world *world, void *to);
slip_status slip_snapshot_restore(slip_world *world, const void *from, size_t bytes);

#include "sim/world_more.h"    /* for the sources of this library: not part of slipstick.h */

#endif
