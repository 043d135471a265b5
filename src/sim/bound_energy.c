/* Trees whose bias forces a step cannot integrate well: their energy is set right.
 *
 * Forces that are quadratic in v belong to the mean velocity of a step, which is found by iteration (free_velocity.c).
 * Two kinds of steps have energy errors beyond those of second order, which come and go:
 *
 *   unresolved   The iteration does not converge: the step cannot follow the motion, and its error may create energy
 *                without end. Chains of rods, 1 m by 20 mm, diverged at 10 rad/s and 5 ms.
 *   hit          An impulse in the middle changes the velocity. Each half of the step is of first order alone, and the
 *                errors of the halves, which cancel where the velocity is the same in both, do not.
 *
 * Smooth forces change v by `half` before the middle and by `rest` after it; in the middle, at the mass matrix M of its
 * position, contacts, limits, loops and impacts take v- = v + half to v+ - rest. With W the work of forces from
 * outside, of drives, dampers and dry friction in both halves, the error of a tree's energy is
 *
 *   error = T(q+, v+) + U(q+) - T_M(v+ - rest) + T_M(v-) - T(q, v) - U(q) - W
 *
 * v+ of the tree is scaled so that its kinetic energy falls by the error; in unresolved steps only where it is
 * positive, since their motion is not right anyway and only must stay bounded. In a hit the change of v is of second
 * order in dt, as the error of the halves is, and trees that were not hit keep theirs, which comes and goes. Dry
 * friction holds for the scaled v+ as well: a joint that stands stands, one that slides slides the same way. The torque
 * of a drive (settle.c) is that of the v+ that was found: trees with drives are left alone but in impacts with
 * restitution. Trees with a prescribed coordinate are left alone: what prescribes it does work that is not in W. */
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

void slip_sim_tree_energies(slip_world *w, const slip_real *q, const slip_real *v, slip_real *kinetic)
{
    slip_real *energy = kinetic + w->model->nbodies;     /* not used */
    int i;

    for (i = 0; i < 2*w->model->nbodies; ++i) kinetic[i] = 0;
    bound_sum_energy(w, q, v, 1, energy, kinetic);
}

/* Subtracts T_M(v+ - rest) - T_M(v-), as a product: large numbers would cancel. */
static void bound_impulses(slip_world *w, const slip_step_input *in, slip_real *error)
{
    slip_real *change = w->step.x, *y = w->step.v_mean;
    int i;

    for (i = 0; i < w->model->nv; ++i) change[i] = slip_sim_middle(w, in, i, 1) - slip_sim_middle(w, in, i, 0);
    slip_branches_vec(&w->model->branches, w->data->M, change, y);
    for (i = 0; i < w->model->nv; ++i) {
        const slip_real mean = (slip_sim_middle(w, in, i, 0) + slip_sim_middle(w, in, i, 1))/2;
        const slip_real implicit = w->step.diagonal[i] - w->step.inertia[i];

        error[w->fixed.body_tree[w->fixed.iv_body[i]]] -= (y[i] - implicit*change[i])*mean;
    }
}

/* Subtracts W of the half before or after the middle. */
static void bound_half(slip_world *w, const slip_step_input *in, int after, slip_real *error)
{
    const slip_model *m = w->model;
    slip_real *mean = w->step.nv_scratch;
    int i;

    for (i = 0; i < m->nv; ++i) {
        const slip_real v = slip_sim_middle(w, in, i, after), edge = after ? w->step.v_next[i] : in->v[i];
        const slip_real half = after ? edge - v : v - edge, slope = w->step.diagonal[i] - w->step.inertia[i];

        mean[i] = (v + edge)/2;              /* implicit forces are those of a step of two such halves */
        error[w->fixed.body_tree[w->fixed.iv_body[i]]] -= (w->opt.dt/2*w->step.smooth_force[i] - slope*half)*mean[i];
    }
    slip_velocities(m, w->data, mean);
    for (i = 6; i < 6*m->nbodies; ++i)
        error[w->fixed.body_tree[i/6]] -= w->opt.dt/2*in->wrench[i]*w->data->velocity[i];
}

/* The part of the error before the last drift; v_next in the axes of the middle. */
void slip_sim_bound_energy_begin(slip_world *w, const slip_step_input *in)
{
    slip_real *error = w->step.tree_scratch;
    int i;

    for (i = 0; i < w->model->nbodies; ++i) error[i] = 0;
    bound_impulses(w, in, error);
    bound_half(w, in, 0, error);
    bound_half(w, in, 1, error);
    bound_sum_energy(w, w->state.q, w->state.v, -1, error, NULL);
}

void slip_sim_bound_energy_end(slip_world *w, const slip_step_input *in)
{
    const slip_model *m = w->model;
    slip_real *error = w->step.tree_scratch, *kinetic = error + m->nbodies;
    int i;

    for (i = 0; i < m->nbodies; ++i) kinetic[i] = 0;
    bound_sum_energy(w, w->step.q_next, w->step.v_next, 1, error, kinetic);
    for (i = 0; i < m->nv; ++i)
        if (slip_sim_is_given(w, i)) kinetic[w->fixed.body_tree[w->fixed.iv_body[i]]] = 0;
    for (i = 0; i < m->nv; ++i) {
        const int root = w->fixed.body_tree[w->fixed.iv_body[i]];
        const int hit = w->step.tree_hit[root], driven = w->step.tree_driven[root];
        const int counts = hit > driven || (w->step.unresolved && error[root] > 0 && !driven);

        if (w->fixed.free_single[root] || w->fixed.plane_single[root]) continue;
        if (counts && kinetic[root] > 0)
            w->step.v_next[i] *= slip_sqrt(slip_max(0, 1 - error[root]/kinetic[root]));
    }
    slip_motion_pass(m, w->data, in->q, in->v);          /* the middle, as before */
}
