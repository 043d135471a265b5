/* The mass matrix: the composite-rigid-body algorithm (Walker and Orin 1982).
 *
 *   inwards    Ic_p += Ic            composite inertia of each subtree, world axes, at the body's origin
 *   for each freedom d of each body: F = Ic s_d, then up the tree: M(d, e) = s_e . F,  F moves by n += r x f
 *
 * Only the entries of a freedom with its ancestors exist; they are written straight into packed rows. */
#include "rbd/kernel_private.h"
#include "rbd/mimic_private.h"

/* Momentum of a subtree that turns about, or moves along, a unit axis through its origin. */
static inline void crba_momentum(const slip_real I[10], const slip_real z[3], int angular, slip_real F[6])
{
    if (angular) {
        slip_cross3(z, I + 1, F);                        /* f = z x h,  n = I z */
        slip_sym3_vec(I + 4, z, F + 3);
    } else {
        slip_scale3(I[0], z, F);                         /* f = m z,    n = h x z */
        slip_cross3(I + 1, z, F + 3);
    }
}

/* Inertias of all bodies in world axes, then composites. */
static void crba_composites(const slip_model *m, slip_data *d)
{
    int b;

    for (b = 1; b < m->nbodies; ++b) slip_inertia_rotate(d->pose[b].R, m->inertia + 10*b, d->inertia + 10*b);
    for (b = m->nbodies - 1; b > 0; --b)
        if (m->parent[b] != 0)
            slip_inertia_add_shifted(d->inertia + 10*b, d->arm + 3*b, d->inertia + 10*m->parent[b]);
}

/* One packed row: the entries of freedom d with its ancestors on body b and on the bodies above. */
static void crba_row(const slip_model *m, const slip_data *data, int d, slip_real *row)
{
    int b = m->dof_body[d], k;
    slip_real z[3], F[6], y[6];

    rbd_axis(&data->pose[b], m->dof_axis[d], z);
    crba_momentum(data->inertia + 10*b, z, m->dof_angular[d], F);
    rbd_joint_force(m, b, &data->pose[b], F, y);         /* its own joint: freedoms up to d itself */
    for (k = m->idof[b]; k <= d; ++k) row[m->dofs.depth[k]] = y[k - m->idof[b]];
    row[m->dofs.depth[d]] += m->dof_armature[d];
    for (;;) {
        const slip_real *r = data->arm + 3*b;

        b = m->parent[b];
        if (b == 0) return;
        slip_cross3_add(r, F, F + 3);
        rbd_joint_force(m, b, &data->pose[b], F, row + m->dofs.depth[m->idof[b]]);
    }
}

/* M from poses that are there already. */
void slip_crba_pass(const slip_model *m, slip_data *d)
{
    int i;

    crba_composites(m, d);
    for (i = 0; i < m->ndofs; ++i) crba_row(m, d, i, d->M_dofs + m->dofs.row[i]);
    if (m->ndofs != m->nv) slip_reduce_mass(m, d->M_dofs, d->M);
}

slip_status slip_crba(const slip_model *model, slip_data *data, const slip_real *q)
{
    if (slip_q_is_bad(model, q)) return SLIP_ERR_ARGUMENT;
    slip_kinematics_pass(model, data, q);
    slip_crba_pass(model, data);
    return SLIP_OK;
}

void slip_mass_matrix(const slip_model *model, const slip_data *data, slip_real *M)
{
    const slip_branches *b = &model->branches;
    const int n = b->n;
    int i, k;

    for (i = 0; i < n*n; ++i) M[i] = 0;
    for (i = 0; i < n; ++i)
        for (k = 0; k <= b->depth[i]; ++k) {
            const int j = b->path[b->row[i] + k];

            M[i*n + j] = M[j*n + i] = data->M[b->row[i] + k];
        }
}

slip_status slip_mass_inverse(const slip_model *model, slip_data *data, const slip_real *q, slip_real *M_inv)
{
    slip_status s = slip_crba(model, data, q);

    if (s == SLIP_OK) s = slip_ltl_factor(&model->branches, data->M, data->L, data->D_inv, NULL);
    if (s == SLIP_OK) slip_ltl_inverse(&model->branches, data->L, data->D_inv, data->L, M_inv);
    return s;
}
