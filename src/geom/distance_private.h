/* The closed forms behind slip_distance(), private to geom. World frame. */
#ifndef SLIP_GEOM_DISTANCE_PRIVATE_H
#define SLIP_GEOM_DISTANCE_PRIVATE_H

#include "geom/distance.h"
#include "geom/support.h"

/* A closed form for shapes a and b placed at xa and xb; with `flip` the answer is given as from b to a.
 * SLIP_ERR_ARGUMENT, r untouched: something is not finite, or a size that the shape has is negative or NaN. */
typedef slip_status near_form(const slip_shape *a, const slip_pose *xa, const slip_shape *b, const slip_pose *xb,
                              int flip, slip_distance_result *r);

near_form slip_near_sphere_sphere, slip_near_box_sphere, slip_near_capsule_sphere, slip_near_cylinder_sphere;
near_form slip_near_capsule_capsule, slip_near_box_capsule, slip_near_plane_shape;

/* No negative or NaN size; infinite ones show in the result. A closed form looks at the sizes it uses and no more. */
static inline int near_ball_ok(const slip_shape *s) { return s->radius >= 0; }
static inline int near_stick_ok(const slip_shape *s) { return (s->radius >= 0) & (s->half[2] >= 0); }
static inline int near_box_ok(const slip_shape *s) { return (s->half[0] >= 0) & (s->half[1] >= 0) & (s->half[2] >= 0); }
static inline int near_shape_ok(const slip_shape *s)
{
    return near_ball_ok(s) & near_box_ok(s) && (s->kind != SLIP_SHAPE_MESH || (s->hull && s->hull->nv > 0));
}

/* Writes the answer given in frame X: distance d, normal n, point a; the other point is a + d n. */
static inline slip_status near_put(const slip_pose *X, slip_real d, const slip_real n[3], const slip_real a[3],
                                   int flip, slip_distance_result *r)
{
    slip_real m[3], x[3];

    if (!slip_is_finite(d)) return SLIP_ERR_ARGUMENT;
    slip_mat3_vec(X->R, n, m);
    slip_pose_point(X, a, x);
    r->distance = d;
    r->iterations = 0;
    if (flip) {
        slip_neg3(m, r->normal);
        slip_copy3(x, r->b);
        slip_axpy3(d, m, x, r->a);
    } else {
        slip_copy3(m, r->normal);
        slip_copy3(x, r->a);
        slip_axpy3(d, m, x, r->b);
    }
    return SLIP_OK;
}

/* Box against box: 1 when the answer is in r (core frame); 0 when they are apart and no face and no pair of edges
 * decides, with r->n the best axis to search from. */
int slip_box_box_distance(core_pair *q, core_result *r);

/* Penetration of two polytope cores by every face normal and every pair of edges: slow, used when the expanding
 * polytope fails. r->n: a unit vector as a first guess; a good one saves time. */
void slip_sat_depth(core_pair *q, core_result *r);

/* The faces and edges of a polytope core: how many, the outward normal of face i, and edge i; in the shape's frame, or
 * in the pair's when `placed` says where. */
typedef struct {
    slip_real x[3], e[3];         /* a point, the unit direction                                  */
    slip_real in0[3], in1[3];     /* across the edge, into its two faces; zero when it has none   */
} sat_edge;

int slip_sat_faces(const slip_shape *s);
int slip_sat_edges(const slip_shape *s);
void slip_sat_face_normal(const slip_shape *s, int i, slip_real n[3]);
void slip_sat_edge_of(const slip_shape *s, int i, const core_pair *placed, sat_edge *g);

/* A point core inside a solid hull: the nearest face plane. */
void slip_sat_point_depth(core_pair *q, core_result *r);

/* Overlap, or all but, of two cores of which at least one is a cylinder: every normal that can be the best. */
void slip_cylinder_depth(core_pair *q, core_result *r);

/* A cylinder apart from another core by r, as the search left it with the vertices v[0..n): the normal and distance of
 * the features it ended on, to rounding. */
void slip_cylinder_polish(core_pair *q, const core_vertex *v, int n, core_result *r);

/* Signed distance of two cores of which at least one is an ellipsoid, from the direction d; `beyond` as for GJK. */
void slip_ellipsoid_distance(core_pair *q, const slip_real d[3], slip_real beyond, core_result *r);

#endif
