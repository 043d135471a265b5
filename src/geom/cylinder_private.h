/* The search for the best normal of a cylinder and another core, private to geom: candidates are compared one by one
 * and the best is kept. */
#ifndef SLIP_GEOM_CYLINDER_PRIVATE_H
#define SLIP_GEOM_CYLINDER_PRIVATE_H

#include "geom/distance_private.h"

typedef struct {
    core_pair *q;                 /* a is a cylinder, b another one or a polytope     */
    slip_real d, n[3];            /* the best separation so far, and along what       */
    slip_real eps;                /* what a candidate must be better by               */
    slip_real a[3], b[3];     /* the rims' points there, whose supports along n, a hair off a cap's normal, would     */
    int on;                    /* have few digits: 1 A's is known, 2 B's, 3 both; 0 none, the features will tell      */
} cyl_best;

/* Separation of the cylinder from the point y along the unit vector n. For y in B no less than that of the pair. */
static inline slip_real cyl_bound(const cyl_best *c, const slip_real n[3], const slip_real y[3])
{
    const slip_shape *s = c->q->a;

    return slip_dot3(n, y) - s->radius*slip_sqrt(n[0]*n[0] + n[1]*n[1]) - s->half[2]*slip_abs(n[2]);
}

/* Offers n, a unit vector, unless the point y of B shows that it can not be the best; 1 when it was taken. */
static inline int cyl_offer(cyl_best *c, const slip_real n[3], const slip_real y[3])
{
    slip_real d;

    if (!(cyl_bound(c, n, y) > c->d + c->eps)) return 0;
    d = core_separation(c->q, n);
    if (!(d > c->d + c->eps)) return 0;
    c->d = d;
    slip_copy3(n, c->n);
    c->on = 0;
    return 1;
}

/* The same for a normal at which rims touch in the points a of A (on = 1), b of B (2) or both (3), in A's frame. */
static inline void cyl_offer_rim(cyl_best *c, const slip_real n[3], const slip_real y[3], int on, const slip_real a[3],
                                 const slip_real b[3])
{
    if (!cyl_offer(c, n, y)) return;
    c->on = on;
    slip_copy3(a, c->a);
    slip_copy3(b, c->b);
}

/* A normal at which a line touches a cylinder; on a rim, where. */
typedef struct {
    slip_real n[3], at[3];
    int rim;
} cyl_touch;

/* The normals at which a line x + t e, e unit, touches the side of the cylinder s or one of its rims: at most four, in
 * its frame; returns their number. Each may be the best normal for a wedge or a tube around that line. */
int slip_cyl_line_touches(const slip_shape *s, const slip_real x[3], const slip_real e[3], cyl_touch t[4]);

/* Two cylinders: offers every normal that can be the best; or for two apart, those near the best known and near the
 * point a of A. */
void slip_cyl_cylinders(cyl_best *c);
void slip_cyl_cylinders_near(cyl_best *c, const slip_real a[3]);

#endif
