/* Derivatives of the centre of mass c and of the momentum h about it. With spatial vectors at c, I and H the inertia
 * and the momentum of the subtree that a freedom S moves, v_p the velocity of its body's parent, m the whole mass:
 *
 *   dc/dq = (I S)_linear/m,   dh/dv = I S,   dh/dq = S x* H + I (v_p x S),   moments less dc/dq x h_linear */
#include "rbd/kernel_private.h"
#include "rbd/derivatives.h"

/* Momenta of subtrees at c, [6*nbodies], the sum of all in that of the world. */
static void momentum_subtrees(const slip_model *m, const slip_data *d, const slip_real c[3], slip_real *H)
{
    slip_real f[6], r[3];
    int b, i;

    for (i = 0; i < 6; ++i) H[i] = 0;
    for (b = 1; b < m->nbodies; ++b) {
        slip_inertia_vec(d->own + 10*b, d->velocity + 6*b, f);
        slip_sub3(d->pose[b].p, c, r);
        slip_force_shift(f, r, H + 6*b);
    }
    for (b = m->nbodies - 1; b > 0; --b)
        for (i = 0; i < 6; ++i) H[6*m->parent[b] + i] += H[6*b + i];
}

/* S x* H + I (v_p x S), with moments about the centre of mass, which moves by dc. */
static void momentum_dq(const slip_data *d, int parent, const slip_real c[3], const slip_real I[10],
                        const slip_real S[6], const slip_real *H, const slip_real *whole, const slip_real dc[3],
                        slip_real dh[6])
{
    slip_real r[3], v_p[6], psi[6];

    slip_sub3(c, d->pose[parent].p, r);
    slip_motion_shift(d->velocity + 6*parent, r, v_p);
    slip_cross3(v_p + 3, S, psi);
    slip_cross3_add(v_p, S + 3, psi);
    slip_cross3(v_p + 3, S + 3, psi + 3);
    slip_inertia_vec(I, psi, dh);
    slip_cross3_add(S + 3, H, dh);
    slip_cross3_add(S + 3, H + 3, dh + 3);
    slip_cross3_add(S, H, dh + 3);
    slip_cross3_add(whole, dc, dh + 3);
}

void slip_momentum_derivatives(const slip_model *model, slip_data *data, slip_real *com_dq, slip_real *h_dq,
                               slip_real *h_dv)
{
    const int nv = model->nv;
    slip_real c[3], *H = data->bias;
    const slip_real mass = slip_center_of_mass(model, data, c);
    int k, i;

    for (i = 0; i < 6*nv; ++i) {
        if (com_dq && i < 3*nv) com_dq[i] = 0;
        if (h_dq) h_dq[i] = 0;
        if (h_dv) h_dv[i] = 0;
    }
    if (h_dq) momentum_subtrees(model, data, c, H);
    for (k = 0; k < model->ndofs; ++k) {
        const int b = model->dof_body[k], iv = model->dof_iv[k];
        const slip_real scale = model->dof_scale[k];
        slip_real I[10] = { 0 }, S[6], IS[6], r[3], dc[3], dh[6];

        slip_sub3(data->pose[b].p, c, r);
        slip_inertia_add_shifted(data->inertia + 10*b, r, I);
        rbd_column(model, data, k, c, S);
        slip_inertia_vec(I, S, IS);
        slip_scale3(1/mass, IS, dc);
        for (i = 0; com_dq && i < 3; ++i) com_dq[i*nv + iv] += scale*dc[i];
        for (i = 0; h_dv && i < 6; ++i) h_dv[i*nv + iv] += scale*IS[i];
        if (!h_dq) continue;
        momentum_dq(data, model->parent[b], c, I, S, H + 6*b, H, dc, dh);
        for (i = 0; i < 6; ++i) h_dq[i*nv + iv] += scale*dh[i];
    }
}
