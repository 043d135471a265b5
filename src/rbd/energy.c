/* Sums over all moving bodies: mass, centre, momentum, energies. */
#include "rbd/kernel_private.h"

slip_real slip_total_mass(const slip_model *model)
{
    slip_real m = 0;
    int b;

    for (b = 1; b < model->nbodies; ++b) m += model->body_mass[b];
    return m;
}

slip_real slip_potential_energy(const slip_model *model, const slip_data *data)
{
    slip_real sum = 0, h[3];
    int b;

    for (b = 1; b < model->nbodies; ++b) {               /* -g . m c = -g . (m p + R h) */
        slip_mat3_vec(data->pose[b].R, model->inertia + 10*b + 1, h);
        slip_axpy3(model->inertia[10*b], data->pose[b].p, h, h);
        sum -= slip_dot3(model->gravity, h);
    }
    return sum;
}

slip_real slip_center_of_mass(const slip_model *model, const slip_data *data, slip_real com[3])
{
    slip_real sum[3] = { 0, 0, 0 }, h[3], mass = 0;
    int b;

    for (b = 1; b < model->nbodies; ++b) {
        slip_mat3_vec(data->pose[b].R, model->inertia + 10*b + 1, h);
        slip_axpy3(model->inertia[10*b], data->pose[b].p, h, h);
        slip_add3(sum, h, sum);
        mass += model->inertia[10*b];
    }
    if (mass > 0) slip_scale3(1/mass, sum, com);
    else slip_zero3(com);
    return mass;
}

/* Momentum of one body about its own origin, world axes. */
static void energy_body_momentum(const slip_model *m, const slip_data *d, int b, slip_real f[6])
{
    slip_real I[10];

    slip_inertia_rotate(d->pose[b].R, m->inertia + 10*b, I);
    slip_inertia_vec(I, d->velocity + 6*b, f);
}

slip_real slip_kinetic_energy(const slip_model *model, const slip_data *data, const slip_real *v)
{
    slip_real sum = 0, f[6];
    int b, i;

    for (b = 1; b < model->nbodies; ++b) {
        const slip_real *o = data->velocity + 6*b;

        energy_body_momentum(model, data, b, f);
        sum += slip_dot3(f, o) + slip_dot3(f + 3, o + 3);
    }
    for (i = 0; i < model->nv; ++i) sum += model->armature[i]*v[i]*v[i];
    return sum/2;
}

void slip_momentum(const slip_model *model, const slip_data *data, slip_real momentum[6])
{
    slip_real com[3], f[6], r[3];
    int b;

    slip_center_of_mass(model, data, com);
    for (b = 0; b < 6; ++b) momentum[b] = 0;
    for (b = 1; b < model->nbodies; ++b) {
        energy_body_momentum(model, data, b, f);
        slip_sub3(data->pose[b].p, com, r);
        slip_add3(momentum, f, momentum);
        slip_add3(momentum + 3, f + 3, momentum + 3);
        slip_cross3_add(r, f, momentum + 3);
    }
}
