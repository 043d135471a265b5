/* Shared by the files of the hull builder: exact arithmetic on the grid, triangles, working memory.
 *
 * The points are moved to the middle of their box, scaled by a power of two and rounded to integers of at most 2^52
 * (kept as doubles, in both precisions of the library). That moves a point by at most 2^-53 of the set's half width,
 * and makes every difference of coordinates exact; sides are then decided with integers, without contradictions. */
#ifndef SLIP_GEOM_HULL_PRIVATE_H
#define SLIP_GEOM_HULL_PRIVATE_H

#include "geom/hull.h"

enum {
    HULL_NOISE = 16          /* heights over a face are computed to better than this [grid units] */
};

typedef struct {
    double n[3];             /* unit normal, outwards                                          */
    double size;             /* twice the area [grid units^2]                                  */
    double far_height;       /* height of the farthest point of the list                       */
    int v[3];                /* anticlockwise from outside                                     */
    int adj[3];              /* the triangle across v[i] -> v[i+1]                             */
    int head, far;           /* list of points it sees, each in one list; its farthest; -1: none */
    int before, after;       /* neighbours in the queue of triangles with points to add        */
    int queued;              /* whether it stands there                                        */
    int mark;                /* +step: seen from the point of this step, -step: not seen       */
    int alive;
} hull_tri;

typedef struct {             /* an edge of the horizon: a -> b on the side that vanishes       */
    int a, b, beyond;        /* the triangle that stays                                        */
} hull_rim;

typedef struct {
    int n;
    double *x;               /* 3n grid coordinates                                            */
    double tol;              /* [grid units], at least HULL_NOISE                              */
    double centre[3];        /* of the box [m]                                                 */
    int shift;               /* grid = round(2^shift (x - centre))                             */
    int *next;               /* n: links of the triangles' point lists                         */
    int *fan;                /* n: the new triangle that starts at a rim point                 */
    hull_tri *tri;           /* room for 2n + 4                                                */
    int ntri;                /* used so far, dead ones included                                */
    int first_free;          /* dead triangles, linked by `after`                              */
    int queue_head, queue_tail;
    int *stack;              /* as many as tri                                                 */
    hull_rim *rim;           /* n + 4                                                          */
    int nrim;
    int step;
} hull_work;

/* The loops of the merged faces, over half-edges h = 3 t + i of the triangles tri[t].v[i] -> v[i+1]. */
typedef struct {
    int ntri;                /* live triangles, listed in `order`, largest first               */
    int *order;
    int *owner;              /* per triangle: its face, -1 for none yet                        */
    int *next, *prev;        /* per half-edge: along its face's loop; next is -1 off any loop  */
    int *stack;
    int *on_loop;            /* per point: the face whose loop it was last put on              */
    int *degree;             /* per point: faces that meet there; 0: no corner of the hull     */
    int *first;              /* per face: one half-edge of its loop                            */
    int *length;             /* per face: corners of its loop                                  */
    int *seed;               /* per face: its largest triangle, whose plane is the face's      */
    int nf;
} hull_faces;

static inline const double *hull_at(const hull_work *w, int p) { return w->x + 3*p; }

static inline int hull_from(const hull_work *w, int h) { return w->tri[h/3].v[h % 3]; }
static inline int hull_to(const hull_work *w, int h)   { return w->tri[h/3].v[(h + 1) % 3]; }

static inline void hull_diff(const double a[3], const double b[3], double d[3])
{
    d[0] = a[0] - b[0];  d[1] = a[1] - b[1];  d[2] = a[2] - b[2];       /* exact on the grid */
}

static inline double hull_dot(const double a[3], const double b[3]) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }

static inline double hull_height(const hull_work *w, const hull_tri *t, int p)
{
    double d[3];

    hull_diff(hull_at(w, p), hull_at(w, t->v[0]), d);
    return hull_dot(t->n, d);
}

/* u x v of exact differences, each component right to the last place (hull_exact.c). */
void slip_hull_cross(const double u[3], const double v[3], double r[3]);

/* Sign of (u x v) . w, exactly. */
int slip_hull_side(const double u[3], const double v[3], const double w[3]);

/* The unit normal of a triangle and twice its area; 0 when the corners are collinear. */
double slip_hull_normal(const double a[3], const double b[3], const double c[3], double n[3]);

/* Sorts indices by heap, in place; `before` must be a strict order without ties. */
void slip_hull_sort(int *order, int n, int (*before)(const void *context, int p, int q), const void *context);

/* Merges the triangles of a finished hull into faces (hull_faces.c); memory from the scratch end. */
void slip_hull_merge(const hull_work *w, hull_faces *f);
int  slip_hull_faces_take(int n, slip_arena *arena, hull_faces *f);

/* The half-edge on the other side of h. */
int slip_hull_twin(const hull_work *w, int h);

/* Writes the result (hull_write.c): a solid, or a polygon, segment or point through corner[0..n), with n ints
 * to spare. Returns SLIP_ERR_WORKSPACE when the arena is full; on a counting arena takes the most that n points
 * can need. */
slip_status slip_hull_write(const hull_work *w, hull_faces *f, const slip_real *points, slip_arena *arena,
                            slip_hull *hull);
slip_status slip_hull_write_flat(const int *corner, int n, const double normal[3], int *spare, const slip_real *points,
                                 slip_arena *arena, slip_hull *hull);
int         slip_hull_take_most(int n, slip_arena *arena);

/* The hull of points in a plane (hull_flat.c): their indices in `loop` (room for 2n), anticlockwise
 * about the normal; returns how many. `loop` and `spare` (n) may be parts of the work's memory. */
int slip_hull_polygon(const hull_work *w, const double normal[3], int *loop, int *spare);

#endif
