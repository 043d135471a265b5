/* Derivatives of forward dynamics from those of inverse dynamics: tau = rnea(q, v, aba(q, v, tau)) holds for all q, v
 * and tau, so that with M = dtau/da
 *
 *   da/dq = -M^-1 dtau/dq,   da/dv = -M^-1 dtau/dv,   da/dtau = M^-1        at the same q, v and a
 *
 * by the branch-sparse factor M = L' D L, all columns at once. M and the bias forces come from the same subtree sums as
 * the derivatives, and so does the acceleration. */
#include "rbd/derivatives_private.h"
#include "rbd/kernel_private.h"

/* The acceleration a = M^-1 (tau - bias) into w->x [nv]. */
static void aba_derivatives_acceleration(const slip_model *m, slip_data *d, const slip_real *tau,
                                         const slip_real *wrench, slip_deriv *w)
{
    slip_real *bias = d->u + m->ndofs;
    int k, i;

    slip_deriv_forces(m, NULL, wrench, w);
    for (k = 0; k < w->n; ++k) {
        const slip_real *S = w->S + 6*k, *f = w->f + 6*m->dof_body[k];

        bias[k] = slip_dot3(S, f) + slip_dot3(S + 3, f + 3);
    }
    slip_gather(m, bias, w->x);
    for (i = 0; i < m->nv; ++i) w->x[i] = tau[i] - w->x[i];
    slip_ltl_solve(&m->branches, d->L, d->D_inv, w->x);
}

slip_status slip_aba_derivatives(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v,
                                 const slip_real *tau, const slip_real *wrench, slip_real *a, slip_real *da_dq,
                                 slip_real *da_dv, slip_real *da_dtau, slip_arena *ws)
{
    const size_t mark = slip_arena_mark(ws);
    const int n = model->nv;
    slip_status s;
    slip_deriv w;
    int i, k;

    if (slip_q_is_invalid(model, q) || !rbd_finite(v, n) || !rbd_finite(tau, n)
        || (wrench && !rbd_finite(wrench, 6*model->nbodies))) return SLIP_ERR_ARGUMENT;
    if (slip_deriv_carve(model, ws, &w) != SLIP_OK) return SLIP_ERR_WORKSPACE;
    slip_kinematics_pass(model, data, q);
    slip_deriv_velocities(model, data, slip_expand(model, v, data->u), wrench, &w);
    s = slip_ltl_factor(&model->branches, data->M, data->L, data->D_inv, NULL);
    if (s == SLIP_OK) {
        aba_derivatives_acceleration(model, data, tau, wrench, &w);
        slip_deriv_forces(model, slip_expand(model, w.x, data->u), wrench, &w);
        slip_deriv_matrices(model, wrench, &w);
        slip_ltl_solve_rows(&model->branches, data->L, data->D_inv, 2*w.stride, w.R);
        for (i = 0; a && i < n; ++i) a[i] = w.x[i];
        for (i = 0; i < n; ++i) {
            const slip_real *row = w.R + 2*i*w.stride;

            for (k = 0; da_dq && k < n; ++k) da_dq[i*n + k] = -row[k];
            for (k = 0; da_dv && k < n; ++k) da_dv[i*n + k] = -row[w.stride + k];
        }
        if (da_dtau) slip_ltl_inverse(&model->branches, data->L, data->D_inv, da_dtau);
    }
    slip_arena_release(ws, mark);
    return s;
}
