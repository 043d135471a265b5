/* Overlaps that steps have made, worked off with the energy that contacts have taken from the bodies.
 *
 * A body that is hit may turn a corner or a rim into the ground for which there was no contact yet, and arcs leave out
 * terms of third order. To lift its weight mg by such an overlap takes energy, and a contact must create none. But the
 * hit itself took much more. So each tree keeps an account of what its contacts took, `lost`, and a step may spend the
 * share LIFT_RATE dt of it. A contact that is lifted at the speed u does the work lambda u, and all contacts of the
 * tree together load u, load the sum of their impulses in the last step. So
 *
 *     u = LIFT_RATE dt lost/load,     of both trees the smaller one
 *
 * After a fall from the height h it rises by h LIFT_RATE: 1 mm in two seconds for 1 m.
 *
 * Only what has come to rest is lifted: a tree of less kinetic energy than its deepest overlap takes to lift, load/dt
 * times that. One that rolls for ever without loss sinks without loss too, by terms of third order; lifting it each
 * time would be a source of energy, as slow as it is. */
#include "sim/world_private.h"

/* [1/s] With 1 ms 5e-7 of the energy that there was, half of what a step may rise by (test_impacts.c). */
#define LIFT_RATE SLIP_R(5e-4)

/* In units of the slop, which alone works that off in 200 steps. With 10 a falling quadruped takes 1 % longer. */
#define LIFT_FROM 100

static int lift_tree(const slip_world *w, int body) { return body == 0 ? 0 : w->fixed.body_tree[body]; }

/* Whether an overlap is more than the slop in every second step works off soon. */
static int lift_overlaps(const slip_world *w, const sim_contact *c)
{
    return c->gap < -LIFT_FROM*w->opt.slop && c->impulse[2] > 0;
}

/* Adds the kinetic energy of each tree, by the velocities in w->data, until it is enough to tell that it moves.
 * Armatures do not count. */
static void lift_add_kinetic(const slip_world *w, const slip_real *load, const slip_real *deep, slip_real *kinetic)
{
    int b;

    for (b = 1; b < w->model->nbodies; ++b) {
        const int root = w->fixed.body_tree[b];
        const slip_real *v = w->data->velocity + 6*b;
        slip_real I[10], f[6];

        if (kinetic[root]*w->opt.dt > load[root]*deep[root] || !(load[root] > 0)) continue;
        slip_inertia_rotate(w->data->pose[b].R, w->model->inertia + 10*b, I);
        slip_inertia_vec(I, v, f);
        kinetic[root] += (slip_dot3(f, v) + slip_dot3(f + 3, v + 3))/2;
    }
}

/* The least of `most` and the speed that a tree allows. */
static slip_real lift_speed(const slip_world *w, int root, slip_real most)
{
    const int n = w->model->nbodies;
    const slip_real *load = w->step.tree_error, *deep = load + n, *kinetic = deep + n;

    if (root == 0 || !(load[root] > 0)) return most;
    if (kinetic[root]*w->opt.dt > load[root]*deep[root]) return 0;
    return slip_min(most, LIFT_RATE*w->opt.dt*w->state.lost[root]/load[root]);
}

void slip_sim_find_lifts(slip_world *w)
{
    const int n = w->model->nbodies;
    slip_real *load = w->step.tree_error, *deep = load + n, *kinetic = deep + n;
    int i, side, any = 0;

    for (i = 0; i < w->step.ncontacts; ++i) {
        w->step.contacts[i].lift = 0;
        any |= lift_overlaps(w, &w->step.contacts[i]);
    }
    if (!any || w->opt.integrator == SLIP_EULER || w->state.progress->late) return;      /* late: load is not known */
    for (i = 0; i < n; ++i) load[i] = deep[i] = kinetic[i] = 0;
    for (i = 0; i < w->step.ncontacts; ++i)
        for (side = 0; side < 2; ++side) {
            const sim_contact *c = &w->step.contacts[i];
            const int root = lift_tree(w, side ? c->site.body_b : c->site.body_a);

            load[root] += c->impulse[2];
            deep[root] = slip_max(deep[root], -c->gap);
        }
    lift_add_kinetic(w, load, deep, kinetic);
    for (i = 0; i < w->step.ncontacts; ++i) {
        sim_contact *c = &w->step.contacts[i];

        if (!lift_overlaps(w, c)) continue;
        c->lift = lift_speed(w, lift_tree(w, c->site.body_a), w->opt.max_push);
        c->lift = lift_speed(w, lift_tree(w, c->site.body_b), c->lift);
    }
}

void slip_sim_count_lost(slip_world *w, const sim_contact *c, const slip_real impulse[3], const slip_real before[3],
                         const slip_real after[3])
{
    const int a = lift_tree(w, c->site.body_a), b = lift_tree(w, c->site.body_b);
    slip_real loss = -(slip_dot3(impulse, before) + slip_dot3(impulse, after))/2;

    if (a > 0 && b > 0 && a != b) loss /= 2;
    if (a > 0) w->state.lost[a] = slip_max(0, w->state.lost[a] + loss);
    if (b > 0 && b != a) w->state.lost[b] = slip_max(0, w->state.lost[b] + loss);
}
