/* Models: trees of bodies joined by joints.
 *
 * A slip_model_def is what a user or a file describes: links and joints by name and index, in any
 * order. slip_model_build() checks it and compiles it into a slip_model: fixed joints merged, bodies
 * sorted so that parents come first, every joint axis turned onto local z, constants precomputed. */
#ifndef SLIP_RBD_MODEL_H
#define SLIP_RBD_MODEL_H

#include "base/base.h"

/* Largest magnitudes that readers and worlds accept: larger than in any machine, and small enough for the energy m v^2
 * to be finite in float. */
#define SLIP_MOST_LENGTH SLIP_R(1e9)     /* positions and sizes [m], joint positions [rad or m]        */
#define SLIP_MOST_SPEED  SLIP_R(1e9)     /* [m/s or rad/s]                                             */
#define SLIP_MOST_MASS   SLIP_R(1e18)    /* [kg], densities [kg/m^3]                                   */

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
static inline int slip_joint_nq(slip_joint_type type)
{
    return type >= SLIP_JOINT_PLANAR ? type == SLIP_JOINT_FLOATING ? 7 : type == SLIP_JOINT_BALL ? 4 : 3
        : type != SLIP_JOINT_FIXED;
}
static inline int slip_joint_nv(slip_joint_type type)
{
    return type >= SLIP_JOINT_PLANAR ? type == SLIP_JOINT_FLOATING ? 6 : 3 : type != SLIP_JOINT_FIXED;
}

/* "revolute" and so on, as URDF has them; of a type above only. */
const char *slip_joint_type_name(slip_joint_type type);

/* ---- what a user describes ---------------------------------------------------------------------- */

typedef struct {
    const char *name;        /* unique among links                                                 */
    slip_real mass;          /* [kg], >= 0                                                         */
    slip_real com[3];        /* centre of mass in the link frame [m]                               */
    slip_real inertia[6];    /* about the centre of mass, link axes: xx xy xz yy yz zz [kg m^2]    */
    int line, column;        /* where it was read, 0 when it was not                               */
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
    int line, column;
} slip_joint_def;

/* A joint with nothing but defaults: fixed, at the parent's origin, axis x, no limits, no mimic. */
slip_joint_def slip_joint_defaults(void);

typedef struct {
    const char *name;
    int nlinks, njoints;
    slip_link_def  *links;
    slip_joint_def *joints;  /* a link without a joint above it is fixed to the world              */
    slip_real gravity[3];    /* world axes [m/s^2]                                                 */
    slip_real repair_armature;   /* given to joints that move nothing that has inertia [kg m^2, kg]; 0: to none */
} slip_model_def;

/* ---- what it is compiled to ----------------------------------------------------------------------- */

/* The branch-induced sparsity of a symmetric matrix over a forest (Featherstone 2005): entry (i, j) can
 * be non-zero only when one of the two is an ancestor of the other. Row i is packed: its depth[i] + 1
 * entries are those of i's ancestors, root first, the diagonal last, then padding to a multiple of
 * SLIP_LANES that may hold anything finite. A path to an ancestor is a prefix of the path to i, so every
 * inner loop of a factorisation runs over contiguous memory. */
typedef struct {
    int n;                   /* rows                                                               */
    int size;                /* entries of the packed storage, padding included                    */
    const int *parent;       /* [n]    next ancestor, -1 at a root                                 */
    const int *depth;        /* [n]    number of ancestors                                         */
    const int *row;          /* [n]    where row i starts in the packed storage                    */
    const int *path;         /* [size] which ancestor a packed entry belongs to; -1 for padding    */
    const int *run;          /* [n]    even number of ancestors, from the root on, that are consecutive rows */
} slip_branches;

/* A forest, ready for the algorithms. Immutable, position-independent of any state, free of heap
 * pointers: may be static const data. Body 0 is the world; parents come before children; a subtree is
 * contiguous. Body frames: z along the joint's axis (link frames are kept in link_pose). */
typedef struct {
    const char *name;
    int nq, nv;              /* sizes of q and of v                                                */
    int nbodies;             /* moving bodies + 1                                                  */
    int ndofs;               /* freedoms of all joints, mimicking ones included; nv without those  */
    int nlinks, njoints;     /* as described by the user, fixed ones included                      */
    int idle;                /* 1 + the place in v of a freedom that moves nothing with inertia; 0: there is       */
                             /* none. Such a model has kinematics and inverse dynamics, but no forward             */
                             /* dynamics and no world                                                              */
    slip_real gravity[3];    /* world axes [m/s^2]                                                 */

    /* bodies, [nbodies] */
    const int *parent;       /* body, 0 the world; the world's own entry is 0                      */
    const int *type;         /* slip_joint_type of the joint above                                 */
    const int *iq;           /* first coordinate in q (mimicking: the one followed)                */
    const int *idof;         /* first freedom; without mimic joints this is the place in v         */
    const slip_pose *tree;   /* joint frame in the parent's body frame at q = 0                    */
    const slip_real *inertia;/* [10] each: m, m c (3), about the origin xx xy xz yy yz zz; body axes */
    const slip_real *scale, *offset; /* joint coordinate = scale q[iq] + offset; 1 and 0 unless mimicking */
    const int *mimics;       /* 1 when its joint follows another, else 0                           */
    const int *angle;        /* index in q of the angle of revolute and planar joints, else iq     */
    const slip_real *turn;   /* scale for joints that turn by an angle, 0 for the others           */
    const int *body_joint;   /* index of the joint above in the user's numbering                   */
    const int *body_link;    /* the link that moves on that joint                                  */

    /* freedoms, [ndofs] */
    const int *dof_body;     /* which body                                                         */
    const int *dof_axis;     /* column of the body's rotation that is the axis: 0, 1, 2            */
    const int *dof_angular;  /* 1: turns about the axis, 0: moves along it                         */
    const int *dof_iv;       /* place in v                                                         */
    const slip_real *dof_scale;   /* v of the freedom = dof_scale v[dof_iv]                        */
    const slip_real *dof_armature;/* rotor inertia on this freedom [kg m^2 or kg]                  */
    slip_branches dofs;      /* over ndofs: ancestors in the tree                                  */

    /* velocity coordinates, [nv] */
    slip_branches branches;  /* over nv: the tree's, or its image under the mimic joints           */
    const slip_real *armature;                 /* sum over followers of dof_scale^2 dof_armature   */
    const slip_real *damping, *friction;       /* [N m s or N s/m], [N m or N]                     */
    const slip_real *velocity_limit, *effort_limit;      /* INFINITY for none                      */
    const slip_real *lower, *upper;            /* position limits of 1-dof joints; infinite else   */
    const int *limit_iq;     /* the coordinate in q that lower and upper bound, -1 for none        */

    /* links and joints as described, [nlinks] and [njoints] */
    const char *const *link_name;
    const int *link_body;         /* the body it is part of; 0 when fixed to the world             */
    const slip_pose *link_pose;   /* link frame in that body's frame                               */
    const char *const *joint_name;
    const int *joint_type;        /* slip_joint_type                                               */
    const int *joint_body;        /* the body it moves; -1 for a fixed joint                       */
    const slip_real *body_mass;   /* [nbodies] mass of a body alone; [0]: fixed to the world [kg]  */
} slip_model;

/* Checks a description and compiles it. Memory: *model and its arrays from the low end of mem, scratch
 * from its high end (released). Fixed links are lumped first; a lumped body that is unphysical (negative
 * or triangle-violating principal moments, inertia without mass) is warned about by link name. Joints that
 * move nothing that has inertia get def->repair_armature, with a warning; without it the warning says what is
 * missing, and model->idle is set. Fails with SLIP_ERR_MODEL (names the link or joint and, when
 * known, its place), SLIP_ERR_ARGUMENT (NaN or infinite numbers) or SLIP_ERR_WORKSPACE; *model is then
 * untouched. report and err may be NULL. */
slip_status slip_model_build(const slip_model_def *def, slip_arena *mem, const slip_model **model,
                             slip_report *report, slip_error *err);

/* Index by name, -1 when there is none. Linear search: look up once, before the loop. */
int slip_model_find_link(const slip_model *model, const char *name);
int slip_model_find_joint(const slip_model *model, const char *name);

/* Where a joint's coordinates are: q[iq .. iq + nq - 1], v[iv .. iv + nv - 1]; numbers as slip_joint_type says. A mimic
 * joint has those of the joint it follows. A fixed joint has none, and -1 for iq and iv. */
typedef struct { int iq, nq, iv, nv; } slip_joint_place;

/* That of a joint by its name; returns its index, -1 and *place untouched when there is none.
 *     slip_joint_place knee;
 *     if (slip_model_find_place(model, "knee_l", &knee) >= 0) slip_world_q(world)[knee.iq] = SLIP_R(0.3); */
int slip_model_find_place(const slip_model *model, const char *name, slip_joint_place *place);

#endif
