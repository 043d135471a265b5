/* Mimic joints as an exact reduced coordinate: the velocities of the freedoms are x = E v, where each row
 * of E has one entry. Forces reduce by E', the mass matrix by E' M E. Without mimic joints E is the
 * identity and nothing is copied. */
#include "rbd/kernel_private.h"
#include "rbd/mimic_private.h"

const slip_real *slip_expand(const slip_model *m, const slip_real *v, slip_real *room)
{
    int d;

    if (m->ndofs == m->nv) return v;
    for (d = 0; d < m->ndofs; ++d) room[d] = m->dof_scale[d]*v[m->dof_iv[d]];
    return room;
}

void slip_gather(const slip_model *m, const slip_real *y, slip_real *tau)
{
    int d, i;

    if (m->ndofs == m->nv) {
        for (i = 0; i < m->nv; ++i) tau[i] = y[i];
        return;
    }
    for (i = 0; i < m->nv; ++i) tau[i] = 0;
    for (d = 0; d < m->ndofs; ++d) tau[m->dof_iv[d]] += m->dof_scale[d]*y[d];
}

void slip_reduce_mass(const slip_model *m, const slip_real *M_dofs, slip_real *M)
{
    const slip_branches *t = &m->dofs, *r = &m->branches;
    int d, k, i;

    for (i = 0; i < r->size; ++i) M[i] = 0;
    for (d = 0; d < m->ndofs; ++d)
        for (k = 0; k <= t->depth[d]; ++k) {
            const int e = t->path[t->row[d] + k], id = m->dof_iv[d], ie = m->dof_iv[e];
            const int deep = id > ie ? id : ie, shallow = id > ie ? ie : id;
            const slip_real x = m->dof_scale[d]*m->dof_scale[e]*M_dofs[t->row[d] + k];

            /* an off-diagonal entry that folds onto the diagonal stands for itself and its mirror image */
            M[r->row[deep] + r->depth[shallow]] += id == ie && d != e ? 2*x : x;
        }
}
