/* Models: trees of bodies joined by joints.
 *
 * A slip_model_def is what a user or a file describes: links and joints by name and index, in any
 * order. slip_model_build() checks it and compiles it into a slip_model: fixed joints merged, bodies
 * sorted so that parents come first, every joint axis turned onto local z, constants precomputed. */
#ifndef SLIP_RBD_MODEL_H
#define SLIP_RBD_MODEL_H

#include "base/base.h"

typedef enum {
    SLIP_JOINT_FIXED,        /* nq nv  q, v                                                            */
    SLIP_JOINT_REVOLUTE,     /*  1  1  angle about the axis [rad]                                      */
    SLIP_JOINT_CONTINUOUS,   /*  1  1  the same without limits                                         */
    SLIP_JOINT_PRISMATIC,    /*  1  1  displacement along the axis [m]                                 */
    SLIP_JOINT_PLANAR,       /*  3  3  q = (x, y, angle) in the plane normal to the axis;              */
                             /*        v = (vx, vy, w) in the child's turned axes                      */
    SLIP_JOINT_BALL,         /*  4  3  q = unit quaternion x y z w; v = angular velocity, child's axes */
    SLIP_JOINT_FLOATING      /*  7  6  q = (x y z, qx qy qz qw); v = (linear, angular), child's axes   */
} slip_joint_type;

/* Coordinates of a joint type in q and in v. */
int slip_joint_nq(slip_joint_type type);
int slip_joint_nv(slip_joint_type type);
const char *slip_joint_type_name(slip_joint_type type);

/* ---- what a user describes ---------------------------------------------------------------------- */

typedef struct {
    const char *name;        /* unique among links                                                 */
    slip_real mass;          /* [kg], >= 0                                                         */
    slip_real com[3];        /* centre of mass in the link frame [m]                               */
    slip_real inertia[6];    /* about the centre of mass, link axes: xx xy xz yy yz zz [kg m^2]    */
    int line;                /* where it was read, 0 when it was not                               */
} slip_link_def;

typedef struct {
    const char *name;        /* unique among joints                                                */
    slip_joint_type type;
    int parent, child;       /* link indices; parent -1 is the world                               */
    slip_pose origin;        /* the child's link frame in the parent's link frame at q = 0         */
    slip_real axis[3];       /* in the child's link frame; any length but 0; unused by fixed, ball, floating */
    slip_real lower, upper;  /* position limits [rad or m]; -INFINITY, INFINITY for none           */
    slip_real velocity, effort;          /* limits [rad/s, m/s; N m, N]; INFINITY for none         */
    slip_real damping, friction, armature;   /* [N m s], [N m], [kg m^2], or the same along        */
    int mimic;               /* joint this one follows, q = mimic_scale q[mimic] + mimic_offset; -1: none */
    slip_real mimic_scale, mimic_offset;
    int line;
} slip_joint_def;

/* A joint with nothing but defaults: fixed, at the parent's origin, axis x, no limits, no mimic. */
slip_joint_def slip_joint_def_default(void);

typedef struct {
    const char *name;
    int nlinks, njoints;
    slip_link_def  *links;
    slip_joint_def *joints;  /* a link without a joint above it is fixed to the world              */
    slip_real gravity[3];    /* world axes [m/s^2]                                                 */
} slip_model_def;

#endif
