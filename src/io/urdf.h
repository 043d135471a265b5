/* URDF-lite: robots as the ROS world describes them, read into a slip_model_def and a list of shapes.
 *
 * docs/urdf.md has the supported subset as a table. Unknown elements and attributes are warnings with their line, and
 * so are mistakes whose meaning is clear; contradictions and missing data are errors with line and column. Whether
 * masses and inertias are physical is judged later, by slip_model_build(), once fixed links are merged. */
#ifndef SLIP_IO_URDF_H
#define SLIP_IO_URDF_H

#include "base/base.h"
#include "geom/shape.h"
#include "rbd/model.h"

typedef struct {
    int free_base;                    /* adds a floating joint "root_joint" from the world to the root link */
    int independent_mimics;           /* joints stay independent, whatever <mimic> says                       */
    int find_meshes;                  /* look for mesh files, warn when missing; 0: no file is touched       */
    const char *const *package_paths; /* directories that hold the packages of package:// and model://       */
    int npackage_paths;
} slip_urdf_options;

/* Fixed base, mimics followed, meshes looked for, no package paths. */
slip_urdf_options slip_urdf_defaults(void);

typedef enum { SLIP_URDF_COLLISION, SLIP_URDF_VISUAL } slip_urdf_role;

typedef struct {
    int link;                         /* index into def.links; -1: the world's (MJCF)                       */
    slip_urdf_role role;
    slip_shape_kind kind;             /* sphere, box, capsule, cylinder, ellipsoid or mesh                  */
    slip_pose pose;                   /* of the shape in the link frame                                     */
    slip_real size[3];                /* sphere: radius; box: half extents; ellipsoid: half axes; capsule,  */
                                      /* cylinder: radius, half length (of the segment, of the axis) [m];   */
                                      /* mesh: scale                                                        */
    const char *name;                 /* "" when it has none                                                */
    const char *mesh_uri;             /* as written; NULL unless a mesh                                     */
    const char *mesh_path;            /* as a path of this machine; NULL unless a mesh                      */
    int decompose;                    /* of a mesh: 1: convex="decompose"; 2: a part beyond the first       */
    int mesh_found;                   /* the path could be opened; 0 when options say not to look           */
    const slip_real *points;          /* of a mesh that is given as numbers [3*npoints], scaled, else NULL  */
    int npoints;
    const struct slip_heightfield *field;  /* of a height field                                             */
    unsigned group, mask;             /* which shapes it meets, as colliders have it; group 0: as all       */
    const char *material;             /* "" when it has none                                                */
    slip_real colour[4];              /* red, green, blue, opacity in 0..1; grey when nothing says          */
    int line, column;
} slip_urdf_shape;

/* Bullet's <contact> of a link, for the surface of its shapes; what was not written is negative. */
typedef struct {
    slip_real friction;               /* <lateral_friction>                                                 */
    slip_real restitution;
    slip_real rolling, torsion;       /* <rolling_friction>, <spinning_friction> [m]                        */
} slip_urdf_contact;

/* Data of a joint beyond slip_joint_def; no algorithm uses them. */
typedef struct {
    int has_safety;                   /* <safety_controller>                                                */
    slip_real soft_lower, soft_upper, k_position, k_velocity;
    int has_calibration;              /* <calibration>; a missing edge is NaN                               */
    slip_real rising, falling;
} slip_urdf_joint;

/* What other formats say of a robot beyond URDF (mjcf.h). Links are indices, -1 the world. */
typedef struct {
    const char *name;
    int is_weld;                      /* 0: a ball                                                          */
    int a, b;
    slip_pose frame_a, frame_b;
    int has_frame_b;                  /* 0: as the links stand at the start                                 */
} slip_robot_loop;

typedef struct {
    int joint;
    slip_real kp, kd, effort;         /* of a drive on it; effort INFINITY: no limit                        */
} slip_robot_drive;

typedef struct {
    int nloops, ndrives, nexcludes;
    slip_robot_loop *loops;
    slip_robot_drive *drives;
    int (*excludes)[2];
    slip_pose *home;                  /* [def.njoints] where a floating joint starts; NULL: at the origin   */
    slip_real *start;                 /* [def.njoints] where others of one freedom start; NULL: at 0        */
} slip_robot_extras;

typedef struct {
    slip_model_def def;               /* links and joints in the file's order, then "root_joint" if asked   */
    slip_urdf_joint *joints;          /* def.njoints                                                        */
    slip_urdf_contact *contacts;      /* def.nlinks                                                         */
    int nshapes;
    slip_urdf_shape *shapes;          /* in the file's order                                                */
    slip_robot_extras extras;         /* what a URDF does not have: empty                                   */
    int root;                         /* link without a joint above it, or on the joint from the world; -1: no links */
} slip_urdf;

/* Bytes an arena needs for slip_urdf_read() of this text (slip_urdf_load() needs the text's length + 32
 * on top). Fails like slip_urdf_read() on malformed XML. opt may be NULL. */
slip_status slip_urdf_bytes(const char *text, size_t length, const char *file, const slip_urdf_options *opt,
                            size_t *bytes, slip_error *err);

/* Reads a robot from text[0..length), which is not needed afterwards.
 *   file    its name for messages and its directory for relative mesh paths; NULL: none, and "."
 *   opt     NULL for slip_urdf_defaults()
 *   mem     lasting pieces hold the result; scratch is given back
 *   report  gets the warnings; NULL: they are dropped
 * SLIP_ERR_PARSE, SLIP_ERR_LIMIT, SLIP_ERR_UNSUPPORTED: the text; SLIP_ERR_MODEL: what it says, or a
 * warning when the report is strict; SLIP_ERR_WORKSPACE: mem is full. out and mem are untouched then. */
slip_status slip_urdf_read(const char *text, size_t length, const char *file, const slip_urdf_options *opt,
                           slip_arena *mem, slip_urdf *out, slip_report *report, slip_error *err);

/* The same from a file of at most SLIP_XML_MAX_BYTES. Adds SLIP_ERR_FILE. */
slip_status slip_urdf_load(const char *path, const slip_urdf_options *opt, slip_arena *mem, slip_urdf *out,
                           slip_report *report, slip_error *err);

#endif
