/* The mass matrix: the composite-rigid-body algorithm (Walker and Orin 1982).
 *
 *   inwards    Ic_p += Ic            composite inertia of each subtree, world axes, at the body's origin
 *   for each freedom d of each body: F = Ic s_d, then up the tree: M(d, e) = s_e . F,  F moves by n += r x f
 *
 * Only the entries of a freedom with its ancestors exist; they are written straight into packed rows. */
#include "rbd/kernel_private.h"
#include "rbd/mimic_private.h"

#include <string.h>

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

/* Entries of a row with the freedoms of the bodies above b, written backwards from `end`: F, the momentum at b's
 * origin, is shifted up the tree and projected on each joint's axis. */
static inline void crba_climb(const slip_model *m, const slip_data *d, int b, slip_real F[6], slip_real *end)
{
    int p;

    for (p = m->parent[b]; p != 0; b = p, p = m->parent[b]) {
        const slip_real *R = d->pose[p].R;

        slip_cross3_add(d->arm + 3*b, F, F + 3);
        if (m->type[p] == SLIP_JOINT_REVOLUTE || m->type[p] == SLIP_JOINT_CONTINUOUS)
            *--end = R[2]*F[3] + R[5]*F[4] + R[8]*F[5];
        else {
            end -= slip_joint_nv((slip_joint_type)m->type[p]);
            rbd_joint_force(m, p, &d->pose[p], F, end);
        }
    }
}

/* The own block of a floating body's six freedoms, from its inertia in body axes: [ m 1, -[h]x; [h]x, I ]. */
static void crba_floating_block(const slip_model *m, const slip_data *d, int b, const slip_real in[10])
{
    static const int sym[3][3] = { { 4, 5, 6 }, { 5, 7, 8 }, { 6, 8, 9 } };
    const slip_real cross[3][3] = { { 0, -in[3], in[2] }, { in[3], 0, -in[1] }, { -in[2], in[1], 0 } };
    const int first = m->idof[b], depth = m->dofs.depth[first];
    int k, i;

    for (k = 0; k < 3; ++k) {
        slip_real *linear = d->M_dofs + m->dofs.row[first + k] + depth;
        slip_real *angular = d->M_dofs + m->dofs.row[first + k + 3] + depth;

        for (i = 0; i < k; ++i) linear[i] = 0;
        linear[k] = in[0] + m->dof_armature[first + k];
        for (i = 0; i < 3; ++i) angular[i] = cross[k][i];
        for (i = 0; i <= k; ++i) angular[3 + i] = in[sym[k][i]];
        angular[3 + k] += m->dof_armature[first + k + 3];
    }
}

/* The rows of a floating body's six freedoms. */
static void crba_floating(const slip_model *m, const slip_data *d, int b)
{
    const slip_real *Ic = d->inertia + 10*b;
    slip_real T[9], in[10], z[3], F[6];
    int k;

    slip_mat3_transpose(d->pose[b].R, T);
    slip_inertia_rotate(T, Ic, in);
    crba_floating_block(m, d, b, in);
    for (k = 0; k < 6 && m->parent[b] != 0; ++k) {
        rbd_axis(&d->pose[b], k % 3, z);
        crba_momentum(Ic, z, k >= 3, F);
        crba_climb(m, d, b, F, d->M_dofs + m->dofs.row[m->idof[b] + k] + m->dofs.depth[m->idof[b]]);
    }
}

/* The rows of any other joint's freedoms. */
static inline void crba_rows(const slip_model *m, const slip_data *d, int b)
{
    const int first = m->idof[b], end = first + slip_joint_nv((slip_joint_type)m->type[b]);
    int dof, k;

    for (dof = first; dof < end; ++dof) {
        slip_real *own = d->M_dofs + m->dofs.row[dof] + m->dofs.depth[first], z[3], F[6], y[6];

        rbd_axis(&d->pose[b], m->dof_axis[dof], z);
        crba_momentum(d->inertia + 10*b, z, m->dof_angular[dof], F);
        rbd_joint_force(m, b, &d->pose[b], F, y);
        for (k = 0; k <= dof - first; ++k) own[k] = y[k];
        own[dof - first] += m->dof_armature[dof];
        crba_climb(m, d, b, F, own);
    }
}

/* The row of a turning joint, the common case. */
static inline void crba_revolute(const slip_model *m, const slip_data *d, int b)
{
    const int dof = m->idof[b];
    slip_real *diagonal = d->M_dofs + m->dofs.row[dof] + m->dofs.depth[dof], z[3], F[6];

    rbd_axis(&d->pose[b], 2, z);
    crba_momentum(d->inertia + 10*b, z, 1, F);
    *diagonal = slip_dot3(z, F + 3) + m->dof_armature[dof];
    crba_climb(m, d, b, F, diagonal);
}

void slip_own_inertia_pass(const slip_model *m, slip_data *d)
{
    int b;

    for (b = 1; b < m->nbodies; ++b) slip_inertia_rotate(d->pose[b].R, m->inertia + 10*b, d->own + 10*b);
    d->has_own = 1;
}

/* M from poses that are there already. */
void slip_crba_pass(const slip_model *m, slip_data *d)
{
    int b;

    slip_own_inertia_pass(m, d);
    memcpy(d->inertia, d->own, 10*(size_t)m->nbodies*sizeof *d->own);
    for (b = m->nbodies - 1; b > 0; --b) {               /* children first: b's inertia is complete here */
        if (m->parent[b] != 0)
            slip_inertia_add_shifted(d->inertia + 10*b, d->arm + 3*b, d->inertia + 10*m->parent[b]);
        if (m->type[b] == SLIP_JOINT_REVOLUTE || m->type[b] == SLIP_JOINT_CONTINUOUS) crba_revolute(m, d, b);
        else if (m->type[b] == SLIP_JOINT_FLOATING) crba_floating(m, d, b);
        else crba_rows(m, d, b);
    }
    if (m->ndofs != m->nv) slip_reduce_mass(m, d->M_dofs, d->M);
}

int slip_mass_is_constant(const slip_model *m)
{
    int b;

    for (b = 1; b < m->nbodies; ++b) if (m->type[b] != SLIP_JOINT_FLOATING || m->parent[b] != 0) return 0;
    return m->nbodies > 1;
}

void slip_crba_constant(const slip_model *m, slip_data *d)
{
    int b;

    for (b = 1; b < m->nbodies; ++b) crba_floating_block(m, d, b, m->inertia + 10*b);
}

slip_status slip_crba(const slip_model *model, slip_data *data, const slip_real *q)
{
    if (slip_q_is_invalid(model, q)) return SLIP_ERR_ARGUMENT;
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

slip_status slip_mass_matrix_inverse(const slip_model *model, slip_data *data, const slip_real *q, slip_real *M_inv)
{
    slip_status s = slip_crba(model, data, q);

    if (s == SLIP_OK) s = slip_ltl_factor(&model->branches, data->M, data->L, data->D_inv, NULL);
    if (s == SLIP_OK) slip_ltl_inverse(&model->branches, data->L, data->D_inv, M_inv);
    return s;
}
