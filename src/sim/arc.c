/* Arcs: how far contact points leave the straight lines that the rows of a step predict.
 *
 * A step moves a point of a link by dt J v+ + dt^2/2 (dJ/dt) v+ + …; the rows contain the first term only. A foot on
 * a hip that turns at 50 rad/s is off by half a millimetre a step, always to the same side. So where the second term
 * closes the gap, its rate dt/2 n . (dJ/dt) v is added to the contact's row; v of the step's start, or midway
 * (free_velocity.c), stands for v+. Where it opens the gap it is left out: the lowest point of a rolling wheel is such
 * a point, and the wheel must not lift off. The term is real motion, not the correction of an overlap, so max_push does
 * not bound it; ARC_MOST bounds it for very fast spins. Single free bodies have no such term to speak of. */
#include "sim/world_private.h"

#define ARC_FREE SLIP_R(2e-5)        /* [m] a step: less is left to erp, so that rows of slow worlds do not change    */
#define ARC_MOST SLIP_R(1)           /* [m/s] */

/* (dJ/dt) v of a body's point, with the axes of the step's start kept (integrate.c): the acceleration of a floating or
 * planar root that comes from its turning axes is not part of it. All with gravity as an acceleration of the world. */
static inline void arc_accel(const slip_world *w, int body, const slip_real point[3], slip_real a[3])
{
    const slip_model *m = w->model;
    const slip_data *d = w->data;
    const int root = w->fixed.body_tree[body];
    slip_real r[3];

    slip_sub3(point, d->pose[body].p, r);
    slip_mat3_vec(d->bias + 9*body, r, a);
    slip_add3(a, d->accel + 6*body, a);
    if (m->type[root] == SLIP_JOINT_FLOATING || m->type[root] == SLIP_JOINT_PLANAR) {
        slip_sub3(a, d->accel + 6*root, a);
        slip_add3(a, d->accel, a);
    }
}

static slip_real arc_of(const slip_world *w, int body, const slip_real point[3], const slip_real n[3])
{
    slip_real a[3];

    arc_accel(w, body, point, a);
    return slip_dot3(n, a);
}

slip_real slip_sim_loop_arc(const slip_world *w, const slip_row_site *row)
{
    const slip_real *wa = w->data->velocity + 6*row->body_a + 3, *wb = w->data->velocity + 6*row->body_b + 3;
    slip_real a[3], b[3], t[3];

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

void slip_sim_arcs(slip_world *w)
{
    const int *single = w->fixed.free_single;
    int i;

    for (i = 0; !w->fixed.all_free && i < w->step.ncontacts; ++i) {
        sim_contact *c = &w->step.contacts[i];
        const slip_contact_site *s = &c->site;
        const slip_real *n = s->frame + 6;

        if ((s->body_a == 0 || single[s->body_a]) && (s->body_b == 0 || single[s->body_b])) continue;
        c->arc = w->opt.dt/2*(arc_of(w, s->body_b, s->point, n) - arc_of(w, s->body_a, s->point, n));
        c->arc = slip_clamp(c->arc + ARC_FREE/w->opt.dt, -ARC_MOST, 0);
    }
}
