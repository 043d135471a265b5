/* Where energy goes: the work that each kind of force does in a step.
 *
 * An impulse p that takes v to v+ does the work p . (v + v+)/2: exact for the kinetic energy, since v+' M v+ - v' M v =
 * (v+ - v)' M (v+ + v). Forces are those of the solved step, with implicit terms at v+. Gravity and gyroscopic forces
 * are no losses: the energy change that all forces together do not explain is the integrator's error.
 *
 * Smooth forces act in two halves, contacts, limits, loops and impacts between them. Where the halves change v by the
 * same amount, the mean velocity of both kinds is (v + v+)/2. In a hit of trees the first half changes it by s more
 * than the mean of the two: constraints then act at (v + v+)/2 + s and smooth forces, on average, at (v + v+)/2 + s/2.
 */
#include "sim/world_private.h"

#include <string.h>

/* Whether some external wrench is not zero: compares the array with itself, shifted by one number. */
static int work_is_pushed(const slip_world *w)
{
    const slip_real *wrench = w->input.wrench;
    const int n = 6*w->model->nbodies;

    return wrench[0] != 0 || memcmp(wrench, wrench + 1, (size_t)(n - 1)*sizeof *wrench) != 0;
}

/* Impulse of a joint's dry friction. A sticking joint is a damper: its part of the diagonal is the rest after inertia,
 * damping and drive. A drive that is a row of the contact problem (settle.c) was at its limit when the diagonal was
 * made. */
static slip_real work_dry_friction(const slip_world *w, int i)
{
    const slip_real dt = w->opt.dt;
    const slip_drive *d = &w->input.drives[i];
    slip_real stiff = w->step.diagonal[i] - w->step.inertia[i] - dt*w->model->damping[i];

    if (w->state.slides[i]) return -(slip_real)w->state.slides[i]*w->model->friction[i]*dt;
    if (d->implicit && !w->state.saturated[i] && !(w->step.held[i] & SIM_HELD_DRIVE)) stiff -= dt*d->kd + dt*dt*d->kp;
    return -stiff*w->step.v_next[i];
}

slip_real slip_sim_middle(const slip_world *w, const slip_step_input *in, int i, int after)
{
    const slip_real all = w->step.v_free[i] - in->v[i] - (w->step.any_impact ? w->step.dv_impact[i] : 0);
    const slip_real half = w->step.hit ? w->step.half[i] : all/2;

    return after ? w->step.v_next[i] - (all - half) : in->v[i] + half;
}

/* Work of forces on coordinates: drives, dampers, forces from outside, constraints (as if all of them were contacts).
 * mean, middle: the velocities at which smooth forces and constraints act. */
static void work_of_coordinates(slip_world *w, const slip_step_input *in, slip_real *mean, slip_real *middle,
                                slip_work *sum)
{
    const slip_real dt = w->opt.dt, *v_next = w->step.v_next;
    const slip_real *c = w->model->damping, *tau = w->input.tau;
    slip_real drives = 0, external = 0, damping = 0, constraints = 0;
    int i;

    for (i = 0; i < w->model->nv; ++i) {
        const slip_real plain = (in->v[i] + v_next[i])/2;
        const slip_real y = w->step.hit ? (slip_sim_middle(w, in, i, 0) + slip_sim_middle(w, in, i, 1))/2 : plain;
        const slip_real x = (plain + y)/2;

        mean[i] = x;
        middle[i] = y;
        drives += w->step.drive_force[i]*x;
        external += tau[i]*x;
        damping += c[i]*v_next[i]*x;
        constraints += (w->step.jt_lambda[i] + (w->step.any_impact ? w->step.jt_lambda_impact[i] : 0))*y;
    }
    sum->drives += (double)(dt*drives);
    sum->external += (double)(dt*external);
    sum->damping -= (double)(dt*damping);
    sum->contacts += (double)constraints;
}

static void work_of_friction(const slip_world *w, const slip_real *mean, slip_work *sum)
{
    slip_real work = 0;
    int i;

    for (i = 0; i < w->model->nv; ++i)
        if (w->model->friction[i] > 0 && !slip_sim_is_given(w, i) && !(w->step.held[i] & SIM_HELD_FRICTION))
            work += work_dry_friction(w, i)*mean[i];
    sum->friction += (double)work;
}

/* Work of limits, and of the rows of settle.c: friction acts with its limit less the row's c; a drive's row is part of
 * its force already. */
static void work_of_limits(const slip_world *w, const slip_real *middle, slip_work *sum)
{
    slip_real limits = 0, friction = 0, all = 0;
    int i;

    for (i = 0; i < w->step.nlimits; ++i) {
        const int iv = w->step.limit_iv[i], held = slip_sim_held(w, i);
        const slip_real sign = w->step.limit_sign[i];
        const slip_real *impulse = held ? slip_sim_held_impulse(w, iv, held)
                                        : &w->state.limit_impulse[2*iv + (sign < 0)];
        const slip_real work = sign*middle[iv]**impulse;

        all += work;
        if (held == SIM_HELD_FRICTION) friction += work - sign*middle[iv]*w->model->friction[iv]*w->opt.dt;
        else if (!held) limits += work;
    }
    sum->limits += (double)limits;
    sum->friction += (double)friction;
    sum->contacts -= (double)all;
}

/* Work of a loop's impulses; needs the bodies' velocities in w->data, see work_of_bodies(). */
static slip_real work_of_loop(const slip_world *w, int loop)
{
    slip_row_site row;
    slip_real work = 0;
    int i;

    for (i = 0; i < (int)w->fixed.loops[loop].def.kind; ++i) {
        slip_sim_loop_row(w, loop, i, &row);
        work += w->state.loop_state[loop].impulse[i]*slip_sim_loop_velocity(w, loop, &row);
    }
    return work;
}

/* Work of external wrenches and of loops; loops were counted with the contacts before. */
static void work_of_bodies(slip_world *w, const slip_real *mean, const slip_real *middle, slip_work *sum)
{
    slip_real pushes = 0, loops = 0;
    int i;

    slip_velocities(w->model, w->data, mean);
    for (i = 6; i < 6*w->model->nbodies; ++i) pushes += w->input.wrench[i]*w->data->velocity[i];
    if (w->step.hit) slip_velocities(w->model, w->data, middle);
    for (i = 0; i < slip_sim_loop_count(w); ++i) if (w->state.loop_state[i].on) loops += work_of_loop(w, i);
    sum->external += (double)(w->opt.dt*pushes);
    sum->loops += (double)loops;
    sum->contacts -= (double)loops;
}

void slip_sim_work(slip_world *w, const slip_step_input *in)
{
    slip_work *sum = &w->state.progress->work;
    slip_real *mean = w->step.x, *middle = w->step.nv_scratch;

    work_of_coordinates(w, in, mean, middle, sum);
    if (w->fixed.has_friction) work_of_friction(w, mean, sum);
    if (w->step.nlimits > 0) work_of_limits(w, middle, sum);
    if (slip_sim_loop_count(w) > 0 || work_is_pushed(w)) work_of_bodies(w, mean, middle, sum);
    if (w->step.belts) {
        const double belts = (double)slip_sim_belt_work(w);

        sum->external += belts;
        sum->contacts -= belts;
    }
}

slip_work slip_world_work(const slip_world *w) { return w->state.progress->work; }

double slip_work_total(const slip_work *k)
{
    return k->drives + k->external + k->damping + k->friction + k->limits + k->loops + k->contacts;
}
