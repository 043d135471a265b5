/* Arcs: how far contact points and the frames of loops leave the straight lines that the rows of a step predict.
 *
 * A step moves a point by dt J v+ + dt^2/2 (dJ/dt) v+ + ..., to where the next step's forces act; J v+ is the first
 * term. So rows have J v+ + dt/2 (dJ/dt) v, which is the velocity J v+ at the end of the step, half way between the
 * two; the mean velocity stands for v+. A foot on a hip that turns at 50 rad/s would sink half a millimetre a step
 * without it, a box that pivots on its corner would leave it, and loops would open.
 *
 * (dJ/dt) v of a body's point is w x (w x r) and what its joints add. Where a surface is round the contact does not
 * stay at one point of the body but travels at a velocity u, seen from the body, and adds w x u:
 *
 *   sphere, capsule     u = -+ rho w x n, so that only the arc of the centre, or of the axis, counts: a ball rolls
 *                       straight
 *   ellipsoid           as its point of normal -+n does
 *   rim of a cylinder   u = r (e' - w x e), e the unit vector from the axis to the contact, which follows the lowest
 *                       point of the rim: e = -+ (n - (n.a) a)/|n - (n.a) a|, a the axis, a' = w x a
 *
 * The other surface counts as flat and at rest for that.
 *
 * The velocity before the step stands for v+, also where a contact is struck: the arc of the velocity after the hit
 * would take a second solve, and the overlap that the difference makes is worked off without creating energy (rows.c),
 * 10 um for a disc that lands on its rim at 40 rad/s. SLIP_EULER has the plain rows of the papers. */
#include "sim/world_private.h"

/* The angle by which the lowest point of a rim may run over the body in a step for its row to cover others [rad]. The
 * arc leaves out terms of third order, angle/3 of it: a ninth here. Where more was covered, discs that land flat turned
 * their rims into the ground by as much as they are thick; with a tenth of it steady motion is braked. */
#define ARC_COVERS SLIP_R(0.333)

/* (dJ/dt) v of a body's point, with the axes of the step's middle kept (integrate.c): the acceleration of a floating or
 * planar root that comes from its turning axes is not part of it; one that floats alone goes straight by its centre of
 * mass. All with gravity as an acceleration of the world. */
static void arc_accel(const slip_world *w, int body, const slip_real point[3], slip_real a[3])
{
    const slip_model *m = w->model;
    const slip_data *d = w->data;
    const int root = w->fixed.body_tree[body];
    slip_real r[3];

    if (body == 0) { slip_copy3(d->accel, a);  return; }
    slip_sub3(point, d->pose[body].p, r);
    if (w->fixed.has_offset && body == root) {           /* centre is 0 unless the body is alone */
        slip_real c[3];

        slip_mat3_vec(d->pose[body].R, w->fixed.centre + 3*body, c);
        slip_sub3(r, c, r);
    }
    if (w->fixed.free_single[body]) {                    /* its spin changes as its momentum stays */
        const slip_real *turn = d->velocity + 6*body + 3;
        slip_real spin[3], rate[3];

        slip_mat3_tvec(d->pose[body].R, turn, spin);
        slip_sim_spin_rate(w, body, spin, rate);
        slip_mat3_vec(d->pose[body].R, rate, rate);
        slip_cross3(turn, r, a);
        slip_cross3(turn, a, a);
        slip_cross3_add(rate, r, a);
        slip_add3(a, d->accel, a);
        return;
    }
    slip_mat3_vec(d->bias + 9*body, r, a);
    slip_add3(a, d->accel + 6*body, a);
    if (m->type[root] == SLIP_JOINT_FLOATING || m->type[root] == SLIP_JOINT_PLANAR) {
        slip_sub3(a, d->accel + 6*root, a);
        slip_add3(a, d->accel, a);
    }
}

slip_real slip_sim_loop_arc(const slip_world *w, const slip_row_site *row)
{
    const slip_real *wa = w->data->velocity + 6*row->body_a + 3, *wb = w->data->velocity + 6*row->body_b + 3;
    slip_real a[3], b[3], t[3];

    if (w->opt.integrator == SLIP_EULER) return 0;
    if (row->angular) {                                  /* the axis turns with A */
        slip_sub3(w->data->accel + 6*row->body_b + 3, w->data->accel + 6*row->body_a + 3, a);
        slip_cross3(wb, wa, t);
        slip_add3(a, t, a);
    } else {
        arc_accel(w, row->body_a, row->point_a, a);
        arc_accel(w, row->body_b, row->point_b, b);
        slip_sub3(b, a, a);
    }
    return w->opt.dt/2*slip_dot3(row->axis, a);
}

/* A contact on the rim of a cylinder. The lowest point of the rim lies along e from the axis a; `out`, along - a +
 * size e, points from the shape to the other one. */
typedef struct {
    slip_real axis[3], e[3], along, size;
    slip_real run[3];                /* e' - w x e: how the lowest point runs over the body            [rad/s] */
    slip_real cosine, lower;         /* of the angle from e to the contact; how much lower the lowest point is [m] */
} arc_rim;

/* The rim of a contact; 0 where it lies flat, so that the lowest point would run by more than a radian in the step.
 * Contacts are halfway between both surfaces, so the point of the rim is half a gap back. */
static int arc_find_rim(const slip_world *w, const sim_collider *c, const slip_pose *X, const slip_real spin[3],
                        const slip_real out[3], const sim_contact *contact, arc_rim *rim)
{
    slip_real arm[3], axis_rate[3], turn[3];

    slip_set3(X->R[2], X->R[5], X->R[8], rim->axis);
    rim->along = slip_dot3(out, rim->axis);
    slip_axpy3(-rim->along, rim->axis, out, rim->e);
    rim->size = slip_norm3(rim->e);
    slip_cross3(spin, rim->axis, axis_rate);
    if (!(rim->size > w->opt.dt*slip_norm3(axis_rate))) return 0;
    slip_scale3(1/rim->size, rim->e, rim->e);
    slip_scale3(-slip_dot3(out, axis_rate), rim->axis, rim->run);        /* (out - (out.a) a)' */
    slip_axpy3(-rim->along, axis_rate, rim->run, rim->run);
    slip_axpy3(-slip_dot3(rim->e, rim->run), rim->e, rim->run, rim->run);
    slip_cross3(spin, rim->e, turn);
    slip_scale3(1/rim->size, rim->run, rim->run);
    slip_sub3(rim->run, turn, rim->run);
    slip_sub3(contact->site.point, X->p, arm);
    slip_axpy3(-contact->gap/2, out, arm, arm);
    slip_axpy3(-slip_dot3(arm, rim->axis), rim->axis, arm, arm);
    rim->cosine = slip_dot3(arm, rim->e)/slip_norm3(arm);
    rim->lower = rim->size*c->shape.radius*(1 - rim->cosine);
    return 1;
}

/* u of the lowest point of a rim; zero at other points, which are corners, and on a rim that lies flat. */
static void arc_travel_rim(const slip_world *w, const sim_collider *c, const slip_pose *X, const slip_real spin[3],
                           const slip_real out[3], const sim_contact *contact, slip_real u[3])
{
    arc_rim rim;

    slip_zero3(u);
    if (!arc_find_rim(w, c, X, spin, out, contact, &rim) || !(rim.lower <= w->opt.slop)) return;
    slip_scale3(c->shape.radius, rim.run, u);
}

/* Whether another contact's row makes that of contact i superfluous: points of a rim within a quarter turn of the
 * lowest one move towards it (geom/patch.c) and become the lowest themselves, and the row of the lowest has its arc. */
static int arc_is_covered(const slip_world *w, int i)
{
    const sim_contact *all = w->step.contacts, *c = &all[i];
    int side, k;

    for (side = 0; side < 2; ++side) {
        const int which = side ? c->b : c->a;
        const sim_collider *shape = &w->fixed.colliders[which];
        slip_real out[3];
        arc_rim rim;

        if (!SLIP_HAS_SHAPE(CYLINDER) || shape->body == 0 || shape->shape.kind != SLIP_SHAPE_CYLINDER) continue;
        slip_scale3(side ? -1 : 1, c->site.frame + 6, out);
        if (!arc_find_rim(w, shape, &w->step.collider_pose[which], w->data->velocity + 6*shape->body + 3, out,
                          c, &rim) || !(rim.cosine > 0 && rim.lower > w->opt.slop)) continue;
        if (!(w->opt.dt*slip_norm3(rim.run) < ARC_COVERS)) continue;
        for (k = i; k > 0 && all[k - 1].a == c->a && all[k - 1].b == c->b; --k) { }
        for (; k < w->step.ncontacts && all[k].a == c->a && all[k].b == c->b; ++k)
            if (slip_abs(all[k].gap - (c->gap - rim.lower)) <= w->opt.slop) return 1;
    }
    return 0;
}

/* u of an ellipsoid with half axes h, whose point of normal d is Q d/s, Q = diag(h^2), s^2 = d'Q d: d/dt of that, with
 * d' = -w x d seen from the body. */
static void arc_travel_ellipsoid(const slip_shape *shape, const slip_pose *X, const slip_real spin[3],
                                 const slip_real out[3], slip_real u[3])
{
    slip_real d[3], w[3], rate[3], q[3], s, t = 0;
    int i;

    slip_mat3_tvec(X->R, out, d);
    slip_mat3_tvec(X->R, spin, w);
    slip_cross3(d, w, rate);
    for (i = 0; i < 3; ++i) q[i] = shape->half[i]*shape->half[i];
    s = slip_sqrt(q[0]*d[0]*d[0] + q[1]*d[1]*d[1] + q[2]*d[2]*d[2]);
    for (i = 0; i < 3; ++i) t += q[i]*d[i]*rate[i]/(s*s);
    for (i = 0; i < 3; ++i) rate[i] = q[i]*(rate[i] - t*d[i])/s;
    slip_mat3_vec(X->R, rate, u);
}

/* Adds w x u, with which a contact travels over collider `which`, times `side`, to a. */
static void arc_add_travel(const slip_world *w, const sim_contact *contact, int which, slip_real side, slip_real a[3])
{
    const sim_collider *c = &w->fixed.colliders[which];
    const slip_real *spin = w->data->velocity + 6*c->body + 3;
    slip_real out[3], u[3], t[3];

    if (c->body == 0) return;
    slip_scale3(-side, contact->site.frame + 6, out);    /* side: 1 for the second collider, -1 for the first */
    switch (c->shape.kind) {
    case SLIP_SHAPE_SPHERE:
    case SLIP_SHAPE_CAPSULE:
        slip_cross3(spin, out, u);
        slip_scale3(-c->shape.radius, u, u);
        break;
    case SLIP_SHAPE_CYLINDER:
        if (!SLIP_HAS_SHAPE(CYLINDER)) return;
        arc_travel_rim(w, c, &w->step.collider_pose[which], spin, out, contact, u);
        break;
    case SLIP_SHAPE_ELLIPSOID:
        if (!SLIP_HAS_SHAPE(ELLIPSOID)) return;
        arc_travel_ellipsoid(&c->shape, &w->step.collider_pose[which], spin, out, u);
        break;
    default: return;
    }
    slip_cross3(spin, u, t);
    slip_axpy3(side, t, a, a);
}

/* Whether a collider's body may have arcs longer than the slop in a step; one that floats alone has none unless it
 * turns. */
static int arc_has(const slip_world *w, int which)
{
    const sim_collider *c = &w->fixed.colliders[which];
    const slip_real *spin = w->data->velocity + 6*c->body + 3, dt = w->opt.dt;

    if (c->body == 0) return 0;
    if (!w->fixed.free_single[c->body]) return 1;
    return dt*dt*slip_dot3(spin, spin)*(c->span + slip_norm3(w->fixed.centre + 3*c->body)) > w->opt.slop;
}

/* c->arc by the velocities and accelerations in w->data; 0 where neither body turns. Returns whether it has one. */
static int arc_of_contact(const slip_world *w, const sim_contact *c, slip_real arc[3])
{
    const slip_contact_site *s = &c->site;
    slip_real a[3], b[3];

    slip_zero3(arc);
    if (!arc_has(w, c->a) && !arc_has(w, c->b)) return 0;
    arc_accel(w, s->body_a, s->point, a);
    arc_accel(w, s->body_b, s->point, b);
    slip_sub3(b, a, a);
    arc_add_travel(w, c, c->b, 1, a);
    arc_add_travel(w, c, c->a, -1, a);
    slip_scale3(w->opt.dt/2, a, a);
    slip_mat3_vec(s->frame, a, arc);
    return 1;
}

void slip_sim_arcs(slip_world *w)
{
    int i;

    w->step.arcs = 0;
    for (i = 0; w->opt.integrator != SLIP_EULER && i < w->step.ncontacts; ++i) {
        sim_contact *c = &w->step.contacts[i];

        if (!arc_of_contact(w, c, c->arc)) continue;
        w->step.arcs = 1;
        c->covered = arc_is_covered(w, i);
    }
}
