/* The shapes that can touch, each in its own frame: parameters for the simple ones, data for a hull. */
#ifndef SLIP_GEOM_SHAPE_H
#define SLIP_GEOM_SHAPE_H

#include "base/base.h"

typedef enum {
    SLIP_SHAPE_SPHERE,       /* radius                                                       */
    SLIP_SHAPE_BOX,          /* half extents                                                 */
    SLIP_SHAPE_CAPSULE,      /* radius, half length of the segment on local z                */
    SLIP_SHAPE_CYLINDER,     /* radius, half length on local z                               */
    SLIP_SHAPE_ELLIPSOID,    /* three half axes                                              */
    SLIP_SHAPE_MESH,         /* convex hull of vertices                                      */
    SLIP_SHAPE_HALFSPACE,    /* solid z <= 0                                                 */
    SLIP_SHAPE_HEIGHTFIELD   /* solid below a grid of heights                                */
} slip_shape_kind;

enum { SLIP_SHAPE_KINDS = SLIP_SHAPE_HEIGHTFIELD + 1 };

/* The kinds that the library is built for, all unless the builder names those he needs:
 *     -DSLIP_SHAPES='(1 << SLIP_SHAPE_SPHERE | 1 << SLIP_SHAPE_HALFSPACE)'
 * leaves out the code of the others; slip_shape_check() refuses them, and a world says so. A height field needs
 * capsules for its ridges. */
#ifndef SLIP_SHAPES
#define SLIP_SHAPES ((1 << SLIP_SHAPE_KINDS) - 1)
#endif
#define SLIP_SHAPES_BUILT ((SLIP_SHAPES) | ((SLIP_SHAPES) >> SLIP_SHAPE_HEIGHTFIELD & 1) << SLIP_SHAPE_CAPSULE)
#define SLIP_HAS_SHAPE(name) (SLIP_SHAPES_BUILT >> SLIP_SHAPE_##name & 1)

/* A convex polytope as data, read-only once made (slip_hull_build() and friends fill it).
 *
 * Only extreme points are vertices. A face is a true facet: coplanar triangles are merged to one convex
 * polygon, its loop anticlockwise seen from outside. Flat input is allowed: a polygon has two faces,
 * a segment nv = 2, ne = 1, nf = 0, a point nv = 1 and nothing else. All arrays live in the caller's arena. */
typedef struct {
    int nv, nf, ne;
    const slip_real *vertex;      /* 3 nv, in the shape's frame                                    [m] */
    const slip_real *soa;         /* the same, x[stride], y[stride], z[stride]; the tail repeats vertex 0 */
    int stride;                   /* nv rounded up to a multiple of SLIP_HULL_LANES                     */
    const slip_real *plane;       /* 4 nf: unit outward normal n, offset d; n.x <= d, equal on the face */
    const int *loop_start;        /* nf + 1: face f's vertices are loop[loop_start[f] .. loop_start[f+1]) */
    const int *loop;              /* vertex indices                                                    */
    const int *loop_twin;         /* the face across the edge loop[k] -> next of the loop             */
    const int *edge;              /* 4 ne: v0 < v1, the face left of v0 -> v1 seen from outside, the one right;
                                     -1 for the faces of a segment                                     */
    const int *adj_start;         /* nv + 1: vertex v's neighbours are adj[adj_start[v] .. adj_start[v+1])  */
    const int *adj;               /* neighbours along edges, anticlockwise seen from outside (flat: any order) */
    const int *adj_face;          /* the face left of v -> adj[k]; so v's faces, each once             */
    slip_real lo[3], hi[3];       /* bounds in the shape's frame                                   [m] */
    slip_real centre[3];          /* mean of the vertices, inside                                  [m] */
    slip_real radius;             /* of the vertices about the centre                              [m] */
    slip_real reach;              /* of the vertices about the origin                              [m] */
} slip_hull;

enum { SLIP_HULL_LANES = 8 };

struct slip_heightfield;          /* heightfield.h */

/* A shape, cheap to copy. Fields that a kind does not use are zero. The functions below make one. */
typedef struct {
    slip_shape_kind kind;
    slip_real radius;                         /* sphere, capsule, cylinder                               [m] */
    slip_real half[3];                        /* box half extents; ellipsoid half axes; capsule, cylinder: half[2]
                                                 half length                                             [m] */
    const slip_hull *hull;                    /* mesh                                                        */
    const struct slip_heightfield *field;     /* height field                                                */
} slip_shape;

/* Sizes in metres, as in the fields above; not checked here but by slip_shape_check() and by every query. Hull and
 * field are pointed to, not copied. */
slip_shape slip_shape_sphere(slip_real radius);
slip_shape slip_shape_box(slip_real hx, slip_real hy, slip_real hz);
slip_shape slip_shape_capsule(slip_real radius, slip_real half_length);
slip_shape slip_shape_cylinder(slip_real radius, slip_real half_length);
slip_shape slip_shape_ellipsoid(slip_real a, slip_real b, slip_real c);
slip_shape slip_shape_mesh(const slip_hull *hull);
slip_shape slip_shape_halfspace(void);
slip_shape slip_shape_heightfield(const struct slip_heightfield *field);

/* SLIP_OK, or SLIP_ERR_ARGUMENT: unknown kind or one that SLIP_SHAPES leaves out, a size that is negative, NaN or
 * infinite, a missing or empty hull. Sizes of zero are allowed, but for ellipsoids: a sphere may be a point, a box a
 * plate. */
slip_status slip_shape_check(const slip_shape *shape);

/* Axis-aligned bounds of a placed shape, tight for all kinds but height fields, whose bounds are those of
 * their rotated box. A half-space reaches to -+SLIP_REAL_MAX but along an axis its normal is exactly along. */
void slip_shape_bounds(const slip_shape *shape, const slip_pose *pose, slip_real lo[3], slip_real hi[3]);

#include "geom/shape_query.h"    /* for the sources of this library: not part of slipstick.h */

#endif
