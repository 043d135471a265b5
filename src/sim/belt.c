/* Surfaces that move against their bodies: conveyor belts, turntables.
 *
 * A collider's surface has the velocity u + w x r, in the shape's own axes, beside that of its body. Contacts see it
 * along their tangents alone: g_t = J_t v + belt, belt = u_b - u_a, so that friction acts against the velocity of one
 * surface over the other and carries along what lies on it. Nothing is moved by it but through friction.
 *
 * Where a surface turns, its velocity is taken where the other body's point will be half a step later (arc.c): what
 * lies on a turntable goes round on a circle instead of a spiral. SLIP_EULER has the plain rows.
 *
 * Work: contacts do lambda . J v on the bodies; lambda_t . (J_t v + belt) <= 0 of it is friction's loss, and the rest,
 * -lambda_t . belt, comes from whatever drives the surface: external. */
#include "sim/world_private.h"

#include <string.h>

/* Adds `sign` times the velocity of a collider's surface, at a point on body `other`, to sum; world axes. */
static void belt_add(const slip_world *w, int collider, const slip_real point[3], int other, slip_real sign,
                     slip_real sum[3])
{
    const slip_real *u = w->state.surface_velocity + 6*collider, *v = w->data->velocity + 6*other;
    const slip_pose *X = &w->step.collider_pose[collider];
    slip_real at[3], r[3], t[3], turn[3];

    if (!(slip_dot3(u, u) + slip_dot3(u + 3, u + 3) > 0)) return;
    slip_copy3(point, at);
    if (w->opt.integrator != SLIP_EULER) {
        slip_sub3(point, w->data->pose[other].p, r);
        slip_cross3(v + 3, r, t);
        slip_add3(t, v, t);
        slip_axpy3(w->opt.dt/2, t, at, at);
    }
    slip_sub3(at, X->p, r);
    slip_mat3_vec(X->R, u + 3, turn);
    slip_mat3_vec(X->R, u, t);
    slip_cross3_add(turn, r, t);
    slip_axpy3(sign, t, sum, sum);
}

void slip_sim_belts(slip_world *w)
{
    int i;

    w->step.belts = w->state.progress->nbelts > 0;
    for (i = 0; w->step.belts && i < w->step.ncontacts; ++i) {
        sim_contact *c = &w->step.contacts[i];
        slip_real u[3] = { 0, 0, 0 };

        belt_add(w, c->a, c->site.point, c->site.body_b, -1, u);
        belt_add(w, c->b, c->site.point, c->site.body_a, 1, u);
        c->belt[0] = slip_dot3(c->site.frame, u);
        c->belt[1] = slip_dot3(c->site.frame + 3, u);
    }
}

slip_real slip_sim_belt_work(const slip_world *w)
{
    slip_real work = 0;
    int i;

    for (i = 0; i < w->step.ncontacts; ++i) {
        const sim_contact *c = &w->step.contacts[i];

        work -= c->impulse[0]*c->belt[0] + c->impulse[1]*c->belt[1];
        if (w->step.any_impact) work -= c->impact[0]*c->belt[0] + c->impact[1]*c->belt[1];
    }
    return work;
}

const slip_real *slip_world_surface_velocity(const slip_world *w, int i)
{
    return i >= 0 && i < w->fixed.ncolliders ? w->state.surface_velocity + 6*i : NULL;
}

slip_status slip_world_set_surface_velocity(slip_world *w, int i, const slip_real velocity[6])
{
    slip_real *u = i >= 0 && i < w->fixed.ncolliders ? w->state.surface_velocity + 6*i : NULL;
    int k, before = 0, after = 0;

    slip_error_clear(&w->error);
    if (!u) return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "there is no collider %d", i);
    for (k = 0; k < 6; ++k)
        if (!(slip_abs(velocity[k]) <= SLIP_MOST_SPEED))
            return slip_fail(&w->error, SLIP_ERR_ARGUMENT, 0, 0, "the surface velocity of collider '%s' is %g, "
                             "expected a number of at most %g", slip_sim_collider_name(w, i), (double)velocity[k],
                             (double)SLIP_MOST_SPEED);
    for (k = 0; k < 6; ++k) {
        before |= u[k] != 0;
        after |= velocity[k] != 0;
        u[k] = velocity[k];
    }
    w->state.progress->nbelts += after - before;
    memset(w->state.still, 0, (size_t)w->model->nbodies*sizeof *w->state.still);     /* all wake */
    return SLIP_OK;
}
