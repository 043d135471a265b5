/* Derivatives of integrate.c, joint by joint. With E the turn of the step, R+ = R E, and eta the change of E in its own
 * axes, dE = E [eta]x, the equations at the head of integrate.c give for a floating joint (x, o: tangents of position and
 * orientation at q; c the centre of mass; v_c = v + w x c; d = h v_c - (E - 1) c):
 *
 *   o+ = E' o + eta,    x+ = E' (x - d x o + h dv_c) + c x eta
 *   dv+ = E' dv_c + (E' v_c) x eta + c x dw+,    eta = h Jr(h w) dw,   dw+ = dw
 *
 * and for a body alone, whose turn is that of the mean of w and w+ = I^-1 L+, L+ = E' I w, with J = Jr(h (w + w+)/2):
 *
 *   eta = h/2 J (dw + dw+),   dw+ = (1 - h/2 I^-1 [L+]x J)^-1 I^-1 (E' I + h/2 [L+]x J) dw
 *
 * Jr is the right Jacobian of SO3. A planar joint is the same in its plane. */
#include "sim/step_derivatives_private.h"

static void drift_cross(const slip_real a[3], slip_real A[9])
{
    A[0] = 0;      A[1] = -a[2];  A[2] = a[1];
    A[3] = a[2];   A[4] = 0;      A[5] = -a[0];
    A[6] = -a[1];  A[7] = a[0];   A[8] = 0;
}

static void drift_full(const slip_real S[6], slip_real A[9])
{
    A[0] = S[0];  A[1] = A[3] = S[1];  A[2] = A[6] = S[2];  A[4] = S[3];  A[5] = A[7] = S[4];  A[8] = S[5];
}

/* C += s A B */
static void drift_add_product(slip_real s, const slip_real A[9], const slip_real B[9], slip_real C[9])
{
    slip_real T[9];
    int i;

    slip_mat3_mul(A, B, T);
    for (i = 0; i < 9; ++i) C[i] += s*T[i];
}

static void drift_put(const slip_real A[9], slip_real s, int row, int column, slip_real *B)
{
    int i;

    for (i = 0; i < 9; ++i) B[6*(row + i/3) + column + i%3] = s*A[i];
}

/* P = dw+/dw and N = eta/dw of a body alone. w [3] before, w_next after. */
static void drift_spin(const slip_world *w, int b, slip_real h, const slip_real E[9], const slip_real spin[3],
                       const slip_real next[3], slip_real P[9], slip_real N[9])
{
    slip_real I[9], inv[9], J[9], mean[3], L[3], LJ[9], A[9], B[9], cross[9];
    int i;

    drift_full(w->fixed.inertia_centre + 6*b, I);
    drift_full(w->fixed.inertia_inv + 6*b, inv);
    slip_add3(spin, next, mean);
    slip_scale3(h/2, mean, mean);
    slip_so3_right_jacobian(mean, J);
    slip_mat3_vec(I, spin, L);
    slip_mat3_tvec(E, L, L);
    drift_cross(L, cross);
    slip_mat3_mul(cross, J, LJ);
    slip_mat3_identity(A);
    drift_add_product(-h/2, inv, LJ, A);
    slip_mat3_tmul(E, I, B);
    for (i = 0; i < 9; ++i) B[i] += h/2*LJ[i];
    slip_mat3_mul(inv, B, B);
    slip_mat3_inverse(A, A);
    slip_mat3_mul(A, B, P);
    slip_mat3_identity(A);
    for (i = 0; i < 9; ++i) A[i] += P[i];
    slip_mat3_mul(J, A, N);
    for (i = 0; i < 9; ++i) N[i] *= h/2;
}

/* The blocks of a floating joint, 6 x 6. */
static void drift_floating(const slip_world *w, int b, slip_real h, const slip_real v[6], int alone,
                           sim_drift_blocks *out)
{
    const slip_real *c = w->fixed.centre + 3*b;
    slip_real next[6], e[4], E[9], Et[9], P[9], N[9], C[9], D[9], T[9], vc[3], d[3], turned[3];
    int i;

    for (i = 0; i < 36; ++i) out->qq[i] = out->qv[i] = out->vv[i] = 0;
    for (i = 0; i < 6; ++i) next[i] = v[i];
    if (alone) slip_sim_turn(w, b, h, next, e);
    else {
        slip_scale3(h, v + 3, d);
        slip_quat_exp(d, e);
    }
    slip_quat_to_mat3(e, E);
    slip_mat3_transpose(E, Et);
    if (alone) drift_spin(w, b, h, E, v + 3, next + 3, P, N);
    else {
        slip_so3_right_jacobian(d, N);
        for (i = 0; i < 9; ++i) N[i] *= h;
        slip_mat3_identity(P);
    }
    slip_copy3(v, vc);
    slip_cross3_add(v + 3, c, vc);
    slip_sim_turned(e, c, turned);
    slip_scale3(h, vc, d);
    slip_sub3(d, turned, d);
    drift_cross(c, C);
    drift_put(Et, 1, 0, 0, out->qq);
    drift_put(Et, 1, 3, 3, out->qq);
    drift_cross(d, D);
    slip_mat3_mul(Et, D, T);
    drift_put(T, -1, 0, 3, out->qq);
    drift_put(Et, h, 0, 0, out->qv);                      /* h E' (dv - c x dw) + c x eta */
    slip_mat3_mul(Et, C, T);
    for (i = 0; i < 9; ++i) T[i] *= -h;
    drift_add_product(1, C, N, T);
    drift_put(T, 1, 0, 3, out->qv);
    drift_put(N, 1, 3, 3, out->qv);
    drift_put(Et, 1, 0, 0, out->vv);                      /* E' (dv - c x dw) + (E' v_c) x eta + c x dw+ */
    slip_mat3_mul(Et, C, T);
    for (i = 0; i < 9; ++i) T[i] = -T[i];
    slip_mat3_vec(Et, vc, d);
    drift_cross(d, D);
    drift_add_product(1, D, N, T);
    drift_add_product(1, C, P, T);
    drift_put(T, 1, 0, 3, out->vv);
    drift_put(P, 1, 3, 3, out->vv);
}

/* Rows and columns x, y and turn about z of a 6 x 6 matrix. */
static void drift_in_plane(slip_real *A)
{
    static const int at[3] = { 0, 1, 5 };
    slip_real T[9];
    int i;

    for (i = 0; i < 9; ++i) T[i] = A[6*at[i/3] + at[i%3]];
    for (i = 0; i < 9; ++i) A[i] = T[i];
}

void slip_sim_drift_derivatives(const slip_world *w, int body, slip_real h, const slip_real *v, sim_drift_blocks *out)
{
    slip_real full[6] = { 0 }, e[4], turn[3], E[9];
    int i;

    out->n = slip_joint_nv((slip_joint_type)w->model->type[body]);
    switch (w->model->type[body]) {
    case SLIP_JOINT_FLOATING: drift_floating(w, body, h, v, w->fixed.free_single[body], out); break;
    case SLIP_JOINT_PLANAR:
        full[0] = v[0];
        full[1] = v[1];
        full[5] = v[2];
        drift_floating(w, body, h, full, 0, out);
        drift_in_plane(out->qq);
        drift_in_plane(out->qv);
        drift_in_plane(out->vv);
        break;
    case SLIP_JOINT_BALL:
        slip_scale3(h, v, turn);
        slip_quat_exp(turn, e);
        slip_quat_to_mat3(e, E);
        slip_mat3_transpose(E, out->qq);
        slip_so3_right_jacobian(turn, out->qv);
        for (i = 0; i < 9; ++i) out->qv[i] *= h;
        slip_mat3_identity(out->vv);
        break;
    default:
        out->qq[0] = out->vv[0] = 1;
        out->qv[0] = h;
        break;
    }
}
