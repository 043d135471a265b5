/* Derivatives of a link's velocity and acceleration, freedom by freedom up the tree (docs/derivatives.md). With spatial
 * vectors at one point that stays where it is, V and A of the link, v_p and a_p of the parent of a freedom's body:
 *
 *   dV = S x V + psi',   dA = S x A + psi'' - V x psi'      when the freedom moves by S: S x is the whole link moving
 *   dA = psi' + S' - V x S                                  when its velocity changes
 *
 * In the link's own axes the term S x is absent; in world axes at the link's origin only its rotation is left. */
#include "rbd/kernel_private.h"
#include "rbd/derivatives.h"

/* r += v x m for motions */
static void link_cross(const slip_real v[6], const slip_real m[6], slip_real r[6])
{
    slip_cross3_add(v + 3, m, r);
    slip_cross3_add(v, m + 3, r);
    slip_cross3_add(v + 3, m + 3, r + 3);
}

/* Spatial velocity and acceleration of a body for the point x: from classical ones, a - w x v. */
static void link_motion(const slip_data *d, int b, const slip_real x[3], slip_real V[6], slip_real A[6])
{
    const slip_real *v = d->velocity + 6*b, *a = d->accel + 6*b;
    slip_real r[3], spatial[6];
    int i;

    slip_sub3(x, d->pose[b].p, r);
    slip_motion_shift(v, r, V);
    for (i = 0; i < 6; ++i) spatial[i] = a[i];
    slip_cross3_add(v, v + 3, spatial);
    slip_motion_shift(spatial, r, A);
}

/* The link, in the state for which derivatives are taken. */
typedef struct {
    slip_pose X;
    slip_frame frame;
    slip_real x[3];                                          /* the point of reference */
    slip_real V[6], A[6];
} link_at;

/* From a change of spatial vectors without the whole link's motion to that of the frame's numbers; S NULL: no motion.
 * classical: of an acceleration, whose change of velocity is dV. */
static void link_column(const link_at *at, const slip_real *S, const slip_real *whole, const slip_real *dV,
                        slip_real d[6])
{
    const slip_real *V = at->V;

    if (at->frame == SLIP_FRAME_LOCAL) {
        slip_mat3_tvec(at->X.R, d, d);
        slip_mat3_tvec(at->X.R, d + 3, d + 3);
        return;
    }
    if (at->frame == SLIP_FRAME_WORLD) {
        if (S) link_cross(S, whole, d);
        return;
    }
    if (dV) {                                                /* a + w x v */
        slip_cross3_add(dV + 3, V, d);
        slip_cross3_add(V + 3, dV, d);
    }
    if (S) {
        slip_real lin[3];

        slip_copy3(whole, lin);
        if (dV) slip_cross3_add(V + 3, V, lin);
        slip_cross3_add(S + 3, lin, d);
        slip_cross3_add(S + 3, whole + 3, d + 3);
    }
}

static void link_add(const slip_real d[6], slip_real scale, int nv, slip_real *to)
{
    int i;

    if (!to) return;
    for (i = 0; i < 6; ++i) to[i*nv] += scale*d[i];
}

/* All columns of one freedom. v_p, a_p: of its body's parent; v_b: of its body. */
static void link_freedom(const link_at *at, const slip_real S[6], const slip_real v_p[6], const slip_real a_p[6],
                         const slip_real v_b[6], slip_real vel_dq[6], slip_real acc_dq[6], slip_real acc_dv[6])
{
    slip_real psi[6] = { 0 }, minus[6];
    int i;

    link_cross(v_p, S, psi);
    for (i = 0; i < 6; ++i) {
        minus[i] = -at->V[i];
        vel_dq[i] = acc_dv[i] = psi[i];
        acc_dq[i] = 0;
    }
    link_cross(a_p, S, acc_dq);
    link_cross(v_p, psi, acc_dq);
    link_cross(minus, psi, acc_dq);
    link_cross(v_b, S, acc_dv);
    link_cross(minus, S, acc_dv);
    link_column(at, S, at->V, NULL, vel_dq);
    link_column(at, S, at->A, psi, acc_dq);
    link_column(at, NULL, NULL, S, acc_dv);
}

void slip_link_derivatives(const slip_model *model, const slip_data *data, int link, slip_frame frame,
                           slip_real *vel_dq, slip_real *acc_dq, slip_real *acc_dv)
{
    const int nv = model->nv, body = model->link_body[link];
    slip_real v_p[6], a_p[6], v_b[6], a_b[6], col[18];
    link_at at;
    int b, k, i;

    for (i = 0; i < 6*nv; ++i) {
        if (vel_dq) vel_dq[i] = 0;
        if (acc_dq) acc_dq[i] = 0;
        if (acc_dv) acc_dv[i] = 0;
    }
    at.frame = frame;
    slip_link_pose(model, data, link, &at.X);
    slip_zero3(at.x);
    if (frame != SLIP_FRAME_WORLD) slip_copy3(at.X.p, at.x);
    link_motion(data, body, at.x, at.V, at.A);
    for (b = body; b > 0; b = model->parent[b]) {
        const int end = model->idof[b] + slip_joint_nv((slip_joint_type)model->type[b]);

        link_motion(data, model->parent[b], at.x, v_p, a_p);
        link_motion(data, b, at.x, v_b, a_b);
        for (k = model->idof[b]; k < end; ++k) {
            const slip_real scale = model->dof_scale[k];
            const int iv = model->dof_iv[k];
            slip_real S[6];

            rbd_column(model, data, k, at.x, S);
            link_freedom(&at, S, v_p, a_p, v_b, col, col + 6, col + 12);
            link_add(col, scale, nv, vel_dq ? vel_dq + iv : NULL);
            link_add(col + 6, scale, nv, acc_dq ? acc_dq + iv : NULL);
            link_add(col + 12, scale, nv, acc_dv ? acc_dv + iv : NULL);
        }
    }
}
