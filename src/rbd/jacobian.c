/* Jacobians of link frames. In world axes a freedom's column is geometry alone: a turning one moves a
 * point at x with z x (x - o) and turns it with z, a sliding one moves it with z. */
#include "rbd/kernel_private.h"

void slip_dof_columns(const slip_model *model, const slip_data *data, slip_real *columns)
{
    static const slip_real origin[3] = { 0, 0, 0 };
    int d;

    for (d = 0; d < model->ndofs; ++d) rbd_column(model, data, d, origin, columns + 6*d);
}

/* A vector pair turned into the link's axes, for SLIP_FRAME_LOCAL. */
static void jacobian_to_local(const slip_pose *X, slip_real col[6])
{
    slip_mat3_tvec(X->R, col, col);
    slip_mat3_tvec(X->R, col + 3, col + 3);
}

void slip_link_jacobian(const slip_model *model, const slip_data *data, int link, slip_frame frame, slip_real *J)
{
    const int b = model->link_body[link], nv = model->nv;
    slip_pose X;
    slip_real x[3] = { 0, 0, 0 }, col[6];
    int d, i, k;

    for (i = 0; i < 6*nv; ++i) J[i] = 0;
    if (b == 0) return;
    slip_link_pose(model, data, link, &X);
    if (frame != SLIP_FRAME_WORLD) slip_copy3(X.p, x);
    /* the chain of freedoms from the link's body to the root */
    for (d = model->idof[b] + slip_joint_nv((slip_joint_type)model->type[b]) - 1; d >= 0; d = model->dofs.parent[d]) {
        rbd_column(model, data, d, x, col);
        if (frame == SLIP_FRAME_LOCAL) jacobian_to_local(&X, col);
        for (k = 0; k < 6; ++k) J[k*nv + model->dof_iv[d]] += model->dof_scale[d]*col[k];
    }
}

void slip_link_jacobian_dot_v(const slip_model *model, const slip_data *data, int link, slip_frame frame,
                              slip_real dJv[6])
{
    const int b = model->link_body[link];
    const slip_real *w = data->velocity + 6*b + 3, *acc = data->accel + 6*b;
    slip_real r[3], t[3], v[6];
    slip_pose X;

    slip_link_pose(model, data, link, &X);
    slip_link_velocity(model, data, link, v);
    slip_sub3(X.p, data->pose[b].p, r);
    slip_copy3(acc, dJv);                                /* classical: a + alpha x r + w x (w x r) */
    slip_cross3_add(acc + 3, r, dJv);
    slip_cross3(w, r, t);
    slip_cross3_add(w, t, dJv);
    slip_copy3(acc + 3, dJv + 3);
    if (frame == SLIP_FRAME_ALIGNED) return;
    slip_cross3_add(v, w, dJv);                          /* spatial: less w x v, as the axes turn with the link */
    if (frame == SLIP_FRAME_LOCAL) {
        jacobian_to_local(&X, dJv);
        return;
    }
    /* d/dt (v - w x x) = a - alpha x x - w x v at the world's origin; w x v is gone already */
    slip_cross3_add(X.p, dJv + 3, dJv);
}
