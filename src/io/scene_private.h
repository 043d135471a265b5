/* Shared by the files of the scene reader. Like the URDF reader, whose element and attribute functions it uses, it
 * walks the text twice: once to count, once to fill lists as written; names are resolved after that. */
#ifndef SLIP_IO_SCENE_PRIVATE_H
#define SLIP_IO_SCENE_PRIVATE_H

#include "io/scene.h"
#include "io/srdf.h"
#include "io/urdf_private.h"

/* Shared by bodies and robots; the origin comes first, as slip_urdf_read_origin needs it. */
typedef struct {
    slip_pose origin;
    slip_real velocity[3], angular[3];   /* world axes                                                */
    int moves;                           /* one of them was given                                     */
    slip_real surface_velocity[6];       /* of its shapes: linear and angular, its own axes           */
    slip_urdf_ref surface;
    int group, mask;                     /* -1: all                                                   */
    int has_colour;
    slip_real colour[4];
    int line, column;
} scene_placed;

typedef struct {
    scene_placed at;
    slip_urdf_ref file;
    const char *prefix;
    int is_free, has_base;               /* has_base: the scene says which                                */
    int on_ground;                       /* its lowest point goes to the height of its origin             */
    int unless_own;                      /* but not where its file brings ground of its own               */
    int keep_overlaps;                   /* links that overlap at the start collide all the same          */
    slip_urdf_ref srdf_file;
    slip_srdf srdf;
    slip_real *start;                    /* of each joint with one freedom [rad or m]                     */
    slip_real armature;                  /* of all its single joints; negative: as in the file            */
    slip_urdf urdf;
    slip_shape *shapes;                  /* of urdf.shapes; hulls for meshes                            */
    char *is_ground;                     /* of each link: in a tree that hangs on the world and never moves */
    int *surface_of;                     /* of each link, 1 + the one its <contact> makes; 0: none      */
    slip_scene_robot place;
} scene_robot;

/* A body of the scene itself; its link and shapes are in the reader's slip_urdf. */
typedef struct {
    scene_placed at;
    int link, first_shape, nshapes;
    int is_fixed, has_inertial;
    slip_real mass, density;             /* negative: not given                                        */
    int count[3];                        /* copies along x, y, z                                       */
    slip_real step[3], jitter[3];        /* [m]                                                        */
    int random_turn, seed;
    int first_link;                      /* in the merged description                                  */
} scene_body;

/* The world's own shapes: ground planes and height fields. */
typedef struct {
    scene_placed at;
    slip_shape shape;
    int when_needed;                     /* left out where a robot's file brings ground                */
} scene_ground;

typedef struct { slip_urdf_ref name; slip_material m; } scene_surface;
typedef struct { slip_urdf_ref a, b; slip_material m; } scene_pair;
typedef struct { slip_urdf_ref a, b; } scene_exclude;

typedef struct {
    slip_urdf_ref name, a, b;
    slip_loop_kind kind;
    slip_pose frame_a, frame_b;
    int has_a, has_b;
    slip_real axis[3];                   /* of a hinge, in both frames; unit                           */
    slip_real stiffness, damping, length;    /* of a spring; length negative: as at the start          */
    int redundant;                       /* 1: redundant rows are intended, no warning                 */
    int robot;                           /* names are this robot's; -1: the scene's                    */
} scene_loop;

/* <joint> or <drive>. */
typedef struct {
    slip_urdf_ref joint;                 /* pattern                                                    */
    int robot;
    slip_real position, velocity;
    int has_position, has_velocity;
    slip_real rpy[3], angular[3];        /* of a ball joint                                            */
    int has_rpy, has_angular;
    slip_drive drive;
    int has_effort;
    slip_real hold;                      /* in place of gains; 0: not given                            */
} scene_joint;

typedef struct {
    slip_urdf_ref what;                  /* link, loop or joint pattern                                */
    slip_event event;
    int has_at;
} scene_event;

/* <move>. */
typedef struct {
    slip_urdf_ref what;                  /* link, or joint pattern                                     */
    int is_link, robot;
    slip_move move;
} scene_move;

typedef struct {
    int robots, bodies, grounds, surfaces, pairs, excludes, loops, joints, drives, events, moves;
} scene_counts;

typedef struct {
    slip_urdf_reader u;                  /* first: the functions of the URDF reader are used on it     */
    scene_counts room, n;
    slip_shape *shapes;                  /* of u.out.shapes                                            */
    scene_robot *robots;
    scene_body *bodies;
    scene_ground *grounds;
    scene_surface *surfaces;
    scene_pair *pairs;
    scene_exclude *excludes;
    scene_loop *loops;
    scene_joint *joints, *drives;
    scene_event *events;
    scene_move *moves;
    slip_urdf_ref follow;                /* of the camera                                              */
    slip_arena *mem;
    int robot;                           /* the one being read, -1 outside                             */
    int seed;                            /* added to all                                               */
    const char *robot_text;              /* of a robot's file, whose places are then its own; NULL: a scene's */
    size_t robot_length;
    const slip_solver *solver;           /* in place of the scene's; NULL: none                        */
    const slip_registry *registry;       /* where names are looked up; NULL: all                       */
    slip_scene out;
} scene_reader;

static inline scene_reader *scene_of(slip_urdf_reader *r) { return (scene_reader *)(void *)r; }

/* ---- scene_read.c: the elements below <scene> --------------------------------------------------- */
slip_status slip_scene_read_root(scene_reader *r);

/* ---- scene_options.c: attributes that are fields of a struct ------------------------------------ */

typedef enum { SCENE_REAL, SCENE_INT, SCENE_BOOL, SCENE_WORD } scene_field_kind;
typedef struct {
    const char *name;
    scene_field_kind kind;
    size_t offset;
    double lo, hi;                       /* SCENE_REAL and SCENE_INT: allowed values                   */
    const char *words;                   /* SCENE_WORD: the words in the order of their values, separated by blanks */
    const char *expected;                /* for messages                                               */
} scene_field;

/* Fails: a value that is not what was expected. */
slip_status slip_scene_bad_value(slip_urdf_reader *r, const slip_xml_attribute *a, const char *expected);
slip_status slip_scene_fields(slip_urdf_reader *r, const scene_field *fields, int n, void *base);
slip_status slip_scene_word(slip_urdf_reader *r, const char *attribute, const char *words, int *value, int *found);
slip_status slip_scene_int(slip_urdf_reader *r, const char *attribute, int lo, int hi, int *value, int *found);
slip_status slip_scene_read_simulation(slip_urdf_reader *r, void *unused);
slip_status slip_scene_read_solver(slip_urdf_reader *r, void *unused);
slip_status slip_scene_read_contact(slip_urdf_reader *r, void *unused);
slip_status slip_scene_material_fields(slip_urdf_reader *r, slip_material *m);

/* ---- scene_ground.c ----------------------------------------------------------------------------- */
slip_status slip_scene_read_ground(slip_urdf_reader *r, void *unused);
slip_status slip_scene_read_terrain(slip_urdf_reader *r, void *unused);
slip_status slip_scene_read_placed(slip_urdf_reader *r, scene_placed *at, int is_body);
slip_status slip_scene_read_belt(slip_urdf_reader *r, scene_placed *at);

/* ---- scene_merge.c: robots loaded, bodies multiplied, one description, one model ---------------- */
slip_status slip_scene_merge(scene_reader *r);
void slip_scene_copy_pose(const scene_body *b, int k, slip_pose *X);      /* where the k-th copy goes */

/* The path of a file that a scene names, relative to the scene's directory, now one of its inputs; from mem, NULL when
 * full. */
char *slip_scene_path(scene_reader *r, const char *name);

/* Adds a path, which stays where it is, to the scene's inputs. */
slip_status slip_scene_input_add(scene_reader *r, const char *path);

/* ---- scene_place.c: how robots stand at the start ----------------------------------------------- */
#define SCENE_OVERLAP SLIP_R(1e-4)       /* overlaps beyond this are spoken of [m]                     */

/* Decides on the base where the scene does not, puts the robot on the ground where that is wanted, and measures it. */
slip_status slip_scene_place(scene_reader *r, scene_robot *robot);
void slip_scene_hold(const slip_scene_robot *robot, slip_real yield, int turns, slip_real gravity, slip_drive *d);

/* Pairs of links of one robot that overlap at the start, beside the given ones; *more lies in scratch. */
slip_status slip_scene_overlaps(scene_reader *r, const int (*pairs)[2], int npairs, int (**more)[2], int *nmore);

/* ---- scene_resolve.c: names to indices, the starting state, and the world's description --------- */
slip_status slip_scene_resolve(scene_reader *r);

/* The next joint of one freedom after `joint` that matches; -1: no more. A plain name must be fit; a pattern passes
 * over others. */
slip_status slip_scene_next_joint(scene_reader *r, const slip_urdf_ref *pattern, int robot, int *joint);

/* ---- scene_move.c: prescribed motions ------------------------------------------------------------ */
slip_status slip_scene_read_move(slip_urdf_reader *r, void *unused);
slip_status slip_scene_moves(scene_reader *r);

/* ---- scene_shape.c: shapes with their hulls, masses of bodies; colliders, visuals, excluded pairs -- */
slip_status slip_scene_shapes(scene_reader *r);
slip_status slip_scene_colliders(scene_reader *r);

/* A link of the merged description by name, with a robot's prefix (-1: none) in front; -1: none. */
int slip_scene_find_link(const scene_reader *r, int robot, const char *name);

/* The same for a reference, an error when there is none; "world" is -1. */
slip_status slip_scene_link(scene_reader *r, int robot, const slip_urdf_ref *ref, int *link);

/* ---- scene_loop.c: loops, and the starting state moved so that they are closed ------------------ */
slip_status slip_scene_loops(scene_reader *r);

/* SLIP_ERR_WORKSPACE: the scene does not fit into the arena. */
slip_status slip_scene_full(slip_error *err);

#endif
