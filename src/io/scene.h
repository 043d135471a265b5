/* Scenes: robots, bodies, ground, surfaces, drives and events in time, read from a small XML of our own
 * (docs/scenes.md) into one forest of bodies and everything a world needs to start.
 *
 *     slip_scene_load_world("models/cube_slide.xml", &mem, &world, NULL, &err);    the short way
 *
 *     slip_scene_load(path, NULL, &mem, &scene, &report, &err);              the long way: look at it, change
 *     scene.world.options.dt = …;                                            options, then
 *     slip_scene_start(&scene, &mem, &world, &report, &err);
 *     for (…) { slip_scene_apply(&scene, world); slip_step(world); } */
#ifndef SLIP_IO_SCENE_H
#define SLIP_IO_SCENE_H

#include "sim/world.h"

/* ---- what a scene holds ------------------------------------------------------------------------- */

typedef enum {
    SLIP_EVENT_PUSH,             /* a force on a link while t0 <= t < t1                                    */
    SLIP_EVENT_LOOP,             /* a loop closed or released at t0                                         */
    SLIP_EVENT_TARGET,           /* a drive's target moved at t0, linearly until t1                         */
    SLIP_EVENT_VELOCITY          /* the velocity of a free body, set at t0                                  */
} slip_event_kind;

typedef struct {
    slip_event_kind kind;
    slip_real t0, t1;            /* [s]                                                                     */
    int link;                    /* push, velocity                                                          */
    slip_real force[3], rate[3]; /* push: force(t) = force + rate (t - t0), world axes [N, N/s]             */
    slip_real torque[3];         /* push: world axes [N m]                                                  */
    slip_real at[3];             /* push: point of attack in the link's frame [m]                           */
    int loop, on;                /* loop                                                                    */
    int iv;                      /* target: the velocity coordinate driven                                  */
    int moves, turns;            /* target: it has a position, a velocity; without, q_ref and v_ref stay    */
    slip_real from, to;          /* target: q_ref before and after                                          */
    slip_real v_ref;             /* target: v_ref after                                                     */
    slip_real kp, kd;            /* target: new gains from t0 on; negative: as they were                    */
    slip_real velocity[6];       /* velocity: of the link's origin and angular, world axes                  */
} slip_event;

/* A motion that is prescribed: of a joint of one freedom, whose position is start + value(t); or of a free body, which
 * moves from where it starts by value(t) along an axis, or turns by it about one through its origin, world axes.
 * Several of one joint or body add up, but one at most turns it. */
typedef enum { SLIP_MOVE_CONSTANT, SLIP_MOVE_SINE, SLIP_MOVE_TABLE } slip_move_kind;
typedef struct {
    slip_move_kind kind;
    int joint;                   /* a body's: its floating joint                                            */
    slip_real axis[3], turn[3];  /* of a body: unit vectors, one of them 0; of a joint: both 0              */
    slip_real velocity, t0, t1;  /* constant: value = velocity (t - t0), from t0 to t1 [s]; then it stays   */
    slip_real amplitude, frequency, phase;   /* sine: amplitude sin(2 pi frequency t + phase) [Hz, rad]     */
    int n, smooth;               /* table: points; 1: cubic between them, at rest at both ends; 0: straight */
    const slip_real *time, *value;           /* [n] rising [s]; before the first and after the last it stays */
} slip_move;

typedef struct {
    slip_real eye[3], target[3]; /* world [m]                                                               */
    slip_real fov;               /* vertical opening [degrees]                                              */
    int follow;                  /* link that eye and target move along with; -1: none                      */
    int given;                   /* 1: the scene says where the eye is; 0: a default                        */
} slip_camera;

/* A shape to be drawn. Links without <visual> show their colliders. */
typedef struct {
    int link;                    /* -1: the world                                                           */
    slip_shape shape;            /* a mesh's hull is NULL when it is only drawn; see mesh_path              */
    slip_pose pose;              /* in the link's frame                                                     */
    slip_real colour[4];         /* red, green, blue, opacity in 0..1                                       */
    const char *mesh_path;       /* NULL unless a mesh                                                      */
    slip_real mesh_scale[3];
} slip_visual;

/* A robot of the scene: where its part of the forest begins. */
typedef struct {
    const char *file, *prefix;
    int first_link, nlinks, first_joint, njoints;
    int root;                    /* its root link; -1: it has no links                                      */
    int is_free;                 /* on a floating joint of its own                                          */
    const char *base_why;        /* why its base is fixed; "" where it is free or the scene says so         */
    slip_real size, mass;        /* diagonal of the box around it at the start [m]; all of it [kg]          */
    int joints;                  /* of one freedom, that follow no other                                    */
    int brings_ground;           /* its file has colliders of the world, or of trees that hang on it and    */
                                 /* have no joint that moves                                                */
    int stands_on_own;           /* place="auto" left it where its file puts it, for its ground             */
} slip_scene_robot;

/* A file that the scene or one of its robots names: what writes files must not replace it. Files that an MJCF model
 * includes are not among them, nor are its height fields. */
typedef struct slip_scene_input {
    const char *path;
    const struct slip_scene_input *next;
} slip_scene_input;

typedef struct {
    const char *file, *name, *about;
    slip_real duration;          /* [s]                                                                     */
    slip_model_def def;          /* all trees merged; names with their prefixes                             */
    const slip_model *model;
    slip_world_def world;
    slip_real *q, *v;            /* the state at the start: model->nq, model->nv                            */
    slip_drive *drives;          /* model->nv                                                               */
    int nrobots, nevents, nvisuals;
    slip_scene_robot *robots;
    slip_event *events;
    int nmoves;
    slip_move *moves;            /* prescribed motions                                                      */
    slip_real *q_moves;          /* [model->nq] where they start from; q has their values at time 0 added   */
    slip_visual *visuals;
    const char **surfaces;       /* world.nmaterials names                                                  */
    slip_camera camera;
    const slip_scene_input *inputs;  /* robots, meshes, SRDF files, terrain; NULL: none                      */
    int line, column;            /* of the root element                                                     */
    int has_max_contacts, has_max_pairs;     /* the scene says how many: slip_scene_make_room() leaves them  */
    int has_barrier;             /* the scene gives ccp-barrier's weight: slip_scene_start() leaves it      */
} slip_scene;

/* ---- reading ------------------------------------------------------------------------------------ */

typedef struct {
    int seed;                         /* added to every seed of the scene: terrain, jitter                  */
    const char *const *package_paths; /* directories that hold the packages of package:// in robots' meshes */
    int npackage_paths;
    const slip_solver *solver;        /* in place of the scene's; NULL: the scene's                         */
    const slip_registry *registry;    /* where the scene's solver is looked up; NULL: slip_registry_all()   */
    slip_real repair_armature;        /* for joints that move nothing that has inertia; 0: they are errors  */
    const char *robot_text;           /* of the robot `file`, whose scene is slip_scene_around()'s: it is   */
    size_t robot_length;              /* not read again, and messages have its lines; NULL: another scene   */
} slip_scene_options;

/* Rotor inertia for joints of robots that move nothing that has inertia [kg m^2, kg for sliding ones]: a rotor of
 * 1e-6 kg m^2, as small servos have it, behind a gear of 100:1. It sets how such a joint itself answers to forces; all
 * others move as without it, because nothing is coupled to it. */
#define SLIP_REPAIR_ARMATURE SLIP_R(0.01)

/* Seed 0, no package paths, the scene's solver, SLIP_REPAIR_ARMATURE. */
slip_scene_options slip_scene_defaults(void);

/* Reads a scene from text[0..length), which is not needed afterwards; opt NULL for the defaults. `file` is its name for
 * messages and its directory for the files it names; NULL: none, and ".". Everything is taken from mem, which is left
 * as it was on failure. Errors name file, line, column, the value found and what was expected; unknown elements and
 * doubtful values are warnings through the report (NULL: dropped), errors when it is strict. SLIP_ERR_PARSE,
 * SLIP_ERR_LIMIT, SLIP_ERR_UNSUPPORTED: the text; SLIP_ERR_MODEL: what it says; SLIP_ERR_FILE: a file it names;
 * SLIP_ERR_WORKSPACE: mem is full. */
slip_status slip_scene_read(const char *text, size_t length, const char *file, const slip_scene_options *opt,
                            slip_arena *mem, slip_scene *scene, slip_report *report, slip_error *err);

/* The same from a file. */
slip_status slip_scene_load(const char *path, const slip_scene_options *opt, slip_arena *mem, slip_scene *scene,
                            slip_report *report, slip_error *err);

/* A world in the scene's starting state, from mem. The weight of ccp-barrier, unless the scene or the caller gives
 * one, is 1e-4 m (g dt)^2 with the mass of the lightest tree. Warns of colliders that overlap there by more
 * than 0.1 mm, with the pair and the depth, of loops that are open there, and of contacts there is no room for; in
 * single precision of a slip_scene_mass_ratio() of 1000 and more. */
slip_status slip_scene_start(const slip_scene *scene, slip_arena *mem, slip_world **world, slip_report *report,
                             slip_error *err);

/* Puts a world of this scene back to its start: state, drives, loops; forces cleared. Time goes on counting, so
 * for events too start a new world or restore a snapshot. */
void slip_scene_reset(const slip_scene *scene, slip_world *world);

/* Opens a scene and starts its world, whose steps then apply the events by themselves. */
slip_status slip_scene_load_world(const char *path, slip_arena *mem, slip_world **world, slip_report *report,
                                  slip_error *err);

/* Applies what is due at the world's present time; call it before each step: events, and prescribed motions as they
 * are at the end of that step. Depends on the time alone, so that a restored snapshot continues the same. Overwrites
 * the wrenches on pushed bodies, and nothing else that is not due. */
void slip_scene_apply(const slip_scene *scene, slip_world *world);

#include "io/scene_more.h"    /* for the sources of this library: not part of slipstick.h */

#endif
