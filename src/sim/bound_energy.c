/* Trees that turn too fast for the step: their energy does not rise.
 *
 * Forces that are quadratic in v belong to the mean velocity of a step, which is found by iteration (free_velocity.c).
 * A round gains the factor of a link's turn in the step, times the ratio of inertias where links are slender. If it
 * does not converge, the step cannot follow the motion, and its error may create energy without end: chains of rods,
 * 1 m by 20 mm, diverged at 10 rad/s and 5 ms. Such a step is checked tree by tree. Its error is what it changes the
 * energy by, less the work W of all other forces,
 *
 *   error = T(q+, v+) + U(q+) - T(q, v) - U(q) - W,      W = m' (M (v+ - v) + dt nle),    m = (v + v+)/2
 *
 * with M and nle of the step's middle. Where it is positive, v+ of the tree is scaled so that it becomes 0: kinetic
 * energy falls by it. The motion of such a step is not right, but it stays bounded. Worlds with drives or dry friction
 * are left alone: their torques are those of the v+ that was found (settle.c). */
#include "sim/world_private.h"

/* Adds sign times the energy of each tree to energy [nbodies], by root bodies; kinetic alone into kinetic, unless that
 * is NULL. */
static void bound_sum_energy(slip_world *w, const slip_real *q, const slip_real *v, slip_real sign, slip_real *energy,
                        slip_real *kinetic)
{
    const slip_model *m = w->model;
    slip_real I[10], f[6], h[3];
    int b, i;

    slip_motion_pass(m, w->data, q, v);
    for (b = 1; b < m->nbodies; ++b) {
        const slip_real *o = w->data->velocity + 6*b, *R = w->data->pose[b].R;
        const int root = w->fixed.body_tree[b];
        slip_real T;

        slip_inertia_rotate(R, m->inertia + 10*b, I);
        slip_inertia_vec(I, o, f);
        T = (slip_dot3(f, o) + slip_dot3(f + 3, o + 3))/2;
        slip_mat3_vec(R, m->inertia + 10*b + 1, h);
        slip_axpy3(m->inertia[10*b], w->data->pose[b].p, h, h);
        energy[root] += sign*(T - slip_dot3(m->gravity, h));
        if (kinetic) kinetic[root] += T;
    }
    for (i = 0; i < m->nv; ++i) {
        const int root = w->fixed.body_tree[w->fixed.iv_body[i]];
        const slip_real T = m->armature[i]*v[i]*v[i]/2;

        energy[root] += sign*T;
        if (kinetic) kinetic[root] += T;
    }
}

/* Subtracts the work W of the other forces on each tree; v_next in the axes of the middle. */
void slip_sim_bound_energy_begin(slip_world *w, const slip_step_input *in)
{
    const slip_model *m = w->model;
    const slip_branches *b = &m->branches;
    slip_real *dv = w->step.x, *y = w->step.v_mean, *mean = w->step.v_impact, *error = w->step.tree_error;
    int i;

    for (i = 0; i < m->nbodies; ++i) error[i] = 0;
    for (i = 0; i < m->nv; ++i) dv[i] = w->step.v_next[i] - in->v[i];
    slip_sim_turning_axes(w, dv);
    slip_branches_vec(b, w->data->M, dv, y);
    for (i = 0; i < m->nv; ++i) {
        const slip_real implicit = w->step.diagonal[i] - w->step.inertia[i];

        mean[i] = (in->v[i] + w->step.v_next[i])/2;
        error[w->fixed.body_tree[w->fixed.iv_body[i]]] -= mean[i]*(y[i] - implicit*dv[i] + w->opt.dt*w->step.nle[i]);
    }
    slip_velocities(m, w->data, mean);
    for (i = 6; i < 6*m->nbodies; ++i)                   /* forces from outside are part of nle */
        error[w->fixed.body_tree[i/6]] -= w->opt.dt*in->wrench[i]*w->data->velocity[i];
    bound_sum_energy(w, w->state.q, w->state.v, -1, error, NULL);
}

void slip_sim_bound_energy_end(slip_world *w, const slip_step_input *in)
{
    const slip_model *m = w->model;
    slip_real *error = w->step.tree_error, *kinetic = error + m->nbodies;
    int i;

    for (i = 0; i < m->nbodies; ++i) kinetic[i] = 0;
    bound_sum_energy(w, w->step.q_next, w->step.v_next, 1, error, kinetic);
    for (i = 0; i < m->nv; ++i) {
        const int root = w->fixed.body_tree[w->fixed.iv_body[i]];

        if (w->fixed.free_single[root] || w->fixed.plane_single[root] || slip_sim_is_given(w, i)) continue;
        if (error[root] > 0) w->step.v_next[i] *= slip_sqrt(slip_max(0, 1 - error[root]/kinetic[root]));
    }
    slip_motion_pass(m, w->data, in->q, w->step.v_impact);           /* the mean, as before */
}
