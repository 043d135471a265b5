/* Derivatives of inverse dynamics in closed form, in world axes at one point O for each tree (Carpentier and Mansard
 * 2018; Singh, Russell and Wensing 2022; written out for our joints in docs/derivatives.md):
 *
 *   S' = v_b x S,   psi' = v_p x S,   psi'' = a_p x S + v_p x psi'        of a freedom of body b with parent p
 *   outwards   a_b = a_p + S y + v_p x S x,   f_b = I a_b + v_b x* I v_b - wrench
 *   inwards    sums over subtrees: f, I, and B of   B e = v x* I e + e x* I v - I (v x e)
 *   j above or beside i:  dtau_i/dq_j = S_i . (I_i psi''_j + B_i psi'_j)
 *                         dtau_i/dv_j = S_i . (I_i (psi' + S')_j + B_i S_j)
 *   j below i:            dtau_i/dq_j = S_i . (S_j x* f_j + I_j psi''_j + B_j psi'_j),   dtau_i/dv_j with I_j and B_j
 *
 * B has only two blocks that are not zero, B (u, w) = (2 w x p, G w), with the momentum p = m u_b + w_b x h and
 * G = [w_b]x (2 J - tr J) - 2 [h]x [u_b]x. Freedoms below a freedom are consecutive: its rows are vector code. */
#include "rbd/derivatives_private.h"
#include "rbd/kernel_private.h"
#include "rbd/mimic_private.h"

#include <string.h>

/* ---- spatial products -------------------------------------------------------------------------------------------- */

/* r += v x m for motions. */
static inline void deriv_cross_motion(const slip_real v[6], const slip_real m[6], slip_real r[6])
{
    slip_cross3_add(v + 3, m, r);
    slip_cross3_add(v, m + 3, r);
    slip_cross3_add(v + 3, m + 3, r + 3);
}

/* r += v x* f for a force. */
static inline void deriv_cross_force(const slip_real v[6], const slip_real f[6], slip_real r[6])
{
    slip_cross3_add(v + 3, f, r);
    slip_cross3_add(v + 3, f + 3, r + 3);
    slip_cross3_add(v, f, r + 3);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

slip_status slip_deriv_carve(const slip_model *m, slip_arena *ws, slip_deriv *w)
{
    const size_t mark = slip_arena_mark(ws), nb = (size_t)m->nbodies, n = (size_t)m->ndofs;
    /* groups that begin at the last freedom stay inside a plane */
    const size_t stride = (size_t)SLIP_PADDED(m->ndofs + SLIP_LANES - 1);
    const int failed_before = ws->failed;
    slip_real *plane;

    ws->failed = 0;
    w->n = m->ndofs;
    w->stride = (int)stride;
    w->end = slip_arena_ints(ws, nb);
    w->r = slip_arena_reals(ws, 3*nb);
    w->v = slip_arena_reals(ws, 6*nb);
    w->a = slip_arena_reals(ws, 6*nb);
    w->f = slip_arena_reals(ws, 6*nb);
    w->c = slip_arena_reals(ws, 6*nb);
    w->own = slip_arena_reals(ws, 10*nb);
    w->gyro = slip_arena_reals(ws, 6*nb);
    w->subtree = slip_arena_reals(ws, DERIV_INERTIA*nb);
    w->turned = slip_arena_reals(ws, DERIV_WRENCH*nb);
    w->S = slip_arena_reals(ws, 6*n);
    w->dS = slip_arena_reals(ws, 6*n);
    w->ddS = slip_arena_reals(ws, 6*n);
    w->bar = slip_arena_reals(ws, 6*n);
    plane = slip_arena_reals(ws, 24*stride);
    w->x = slip_arena_reals(ws, n);
    w->T = slip_arena_reals(ws, 2*(n + SLIP_LANES - 1)*stride);
    w->R = m->ndofs == m->nv ? w->T : slip_arena_reals(ws, 2*(size_t)m->nv*stride);
    if (ws->failed) {
        slip_arena_release(ws, mark);
        return SLIP_ERR_WORKSPACE;
    }
    ws->failed = failed_before;
    if (slip_arena_is_counting(ws)) return SLIP_OK;
    memset(plane, 0, 24*stride*sizeof *plane);               /* ends of planes are read, and must be finite */
    w->IS = plane;
    w->BS = w->IS + 6*stride;
    w->WS = w->BS + 3*stride;
    w->Fq = w->WS + 3*stride;
    w->Fv = w->Fq + 6*stride;
    return SLIP_OK;
}

size_t slip_derivatives_bytes(const slip_model *model)
{
    slip_arena count = slip_arena_counting();
    slip_deriv w;

    slip_deriv_carve(model, &count, &w);
    return slip_arena_needed(&count);
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* S of one freedom of a body at r from O. */
static inline void deriv_axis(const slip_model *m, const slip_pose *X, const slip_real r[3], int dof, slip_real S[6])
{
    slip_real z[3];

    rbd_axis(X, m->dof_axis[dof], z);
    if (m->dof_angular[dof]) {
        slip_cross3(r, z, S);
        slip_copy3(z, S + 3);
    } else {
        slip_copy3(z, S);
        slip_zero3(S + 3);
    }
}

/* I, p and G of one body, and v x* I v. */
static inline void deriv_body(const slip_real *own, const slip_real v[6], slip_real sums[DERIV_INERTIA],
                              slip_real gyro[6])
{
    const slip_real *h = own + 1, *J = own + 4, *u = v, *w = v + 3, tr = J[0] + J[3] + J[5], hu = slip_dot3(h, u);
    slip_real *p = sums + 10, *G = sums + 13, momentum[6];
    /* D = 2 J - tr J */
    const slip_real xx = 2*J[0] - tr, xy = 2*J[1], xz = 2*J[2], yy = 2*J[3] - tr, yz = 2*J[4], zz = 2*J[5] - tr;
    int i;

    for (i = 0; i < 10; ++i) sums[i] = own[i];
    slip_inertia_vec(own, v, momentum);
    slip_copy3(momentum, p);
    for (i = 0; i < 6; ++i) gyro[i] = 0;
    deriv_cross_force(v, momentum, gyro);
    /* [w]x D - 2 [h]x [u]x, where [h]x [u]x = u h' - (h . u) 1 */
    G[0] = w[1]*xz - w[2]*xy - 2*(u[0]*h[0] - hu);
    G[1] = w[1]*yz - w[2]*yy - 2*u[0]*h[1];
    G[2] = w[1]*zz - w[2]*yz - 2*u[0]*h[2];
    G[3] = w[2]*xx - w[0]*xz - 2*u[1]*h[0];
    G[4] = w[2]*xy - w[0]*yz - 2*(u[1]*h[1] - hu);
    G[5] = w[2]*xz - w[0]*zz - 2*u[1]*h[2];
    G[6] = w[0]*xy - w[1]*xx - 2*u[2]*h[0];
    G[7] = w[0]*yy - w[1]*xy - 2*u[2]*h[1];
    G[8] = w[0]*yz - w[1]*xz - 2*(u[2]*h[2] - hu);
}

/* Motions and inertias of the bodies alone, from the root outwards. */
static void deriv_outwards(const slip_model *m, const slip_data *d, const slip_real *x, slip_deriv *w)
{
    static const slip_real still[6] = { 0 };
    int b, k, i;

    for (b = 1; b < m->nbodies; ++b) {
        const int p = m->parent[b], first = m->idof[b], end = first + slip_joint_nv((slip_joint_type)m->type[b]);
        const slip_real *v_p = p ? w->v + 6*p : still;
        slip_real *r = w->r + 3*b, *v = w->v + 6*b, *c = w->c + 6*b, *own = w->own + 10*b, joint[6] = { 0 };

        if (p) slip_add3(w->r + 3*p, d->arm + 3*b, r);
        else slip_zero3(r);
        for (k = first; k < end; ++k) {
            slip_real *S = w->S + 6*k, *dS = w->dS + 6*k;

            deriv_axis(m, &d->pose[b], r, k, S);
            for (i = 0; i < 6; ++i) joint[i] += x[k]*S[i];
            for (i = 0; i < 6; ++i) dS[i] = 0;
            deriv_cross_motion(v_p, S, dS);
        }
        for (i = 0; i < 6; ++i) v[i] = v_p[i] + joint[i];
        for (i = 0; i < 6; ++i) c[i] = 0;
        deriv_cross_motion(v_p, joint, c);
        for (k = first; k < end; ++k) {
            slip_real *bar = w->bar + 6*k;

            for (i = 0; i < 6; ++i) bar[i] = w->dS[6*k + i];
            deriv_cross_motion(v, w->S + 6*k, bar);
        }
        for (i = 0; i < 10; ++i) own[i] = 0;
        slip_inertia_add_shifted(d->own + 10*b, r, own);
        deriv_body(own, v, w->subtree + DERIV_INERTIA*b, w->gyro + 6*b);
    }
}

/* A wrench that turned with its body would change by (w x F, w x N + r x (w x F)) for a turn w: F and
 * W = -[N]x - [r]x [F]x of each body. It does not, and inverse dynamics subtracts wrenches, so this is added. */
static void deriv_wrenches(const slip_model *m, const slip_real *wrench, slip_deriv *w)
{
    int b, i;

    for (b = 1; b < m->nbodies; ++b) {
        const slip_real *F = wrench + 6*b, *N = F + 3, *r = w->r + 3*b, rF = slip_dot3(r, F);
        slip_real *sum = w->turned + DERIV_WRENCH*b, *W = sum + 3;

        slip_copy3(F, sum);
        for (i = 0; i < 9; ++i) W[i] = -F[i/3]*r[i%3];
        W[0] += rF;    W[4] += rF;    W[8] += rF;
        W[1] += N[2];  W[2] -= N[1];
        W[3] -= N[2];  W[5] += N[0];
        W[6] += N[1];  W[7] -= N[0];
    }
    for (b = m->nbodies - 1; b > 0; --b) {
        slip_real *sum = w->turned + DERIV_WRENCH*m->parent[b];

        if (m->parent[b] == 0) continue;
        for (i = 0; i < DERIV_WRENCH; ++i) sum[i] += w->turned[DERIV_WRENCH*b + i];
    }
}

/* Sums over subtrees, and where these end. */
static void deriv_inwards(const slip_model *m, slip_deriv *w)
{
    int b, i;

    for (b = 0; b < m->nbodies; ++b) w->end[b] = 0;
    for (b = m->nbodies - 1; b > 0; --b) {
        const int p = m->parent[b], own_end = m->idof[b] + slip_joint_nv((slip_joint_type)m->type[b]);
        slip_real *sum = w->subtree + DERIV_INERTIA*p;

        if (w->end[b] < own_end) w->end[b] = own_end;
        if (p == 0) continue;
        if (w->end[p] < w->end[b]) w->end[p] = w->end[b];
        for (i = 0; i < DERIV_INERTIA; ++i) sum[i] += w->subtree[DERIV_INERTIA*b + i];
    }
}

static inline void deriv_put_plane(const slip_real *x, int n, int stride, slip_real *plane)
{
    int i;

    for (i = 0; i < n; ++i) plane[i*stride] = x[i];
}

/* t = s * x over the planes of x, one group of freedoms: spatial vectors, and their angular parts alone. */
static inline void deriv_dot6(const slip_real s[6], const slip_real *x, int stride, slip_real t[SLIP_LANES])
{
    const slip_real *y = x + stride, *z = y + stride, *u = z + stride, *v = u + stride, *w = v + stride;
    int l;

    for (l = 0; l < SLIP_LANES; ++l)
        t[l] = (s[0]*x[l] + s[1]*y[l] + s[2]*z[l]) + (s[3]*u[l] + s[4]*v[l] + s[5]*w[l]);
}

static inline void deriv_add_dot3(const slip_real s[3], const slip_real *x, int stride, slip_real t[SLIP_LANES])
{
    const slip_real *y = x + stride, *z = y + stride;
    int l;

    for (l = 0; l < SLIP_LANES; ++l) t[l] += s[0]*x[l] + s[1]*y[l] + s[2]*z[l];
}

/* Numbers of a group that are left of it go to 0: they belong to freedoms that are not related. */
static inline void deriv_cut_group(int left, slip_real t[SLIP_LANES])
{
    int l;

    for (l = 0; l < SLIP_LANES; ++l) t[l] = l < left ? t[l] : 0;
}

/* M(i, j) = S_j . I_i S_i for all i from j on in the subtree of j. */
static void deriv_mass(const slip_model *m, slip_data *d, const slip_deriv *w)
{
    const slip_branches *tree = &m->dofs;
    int j, i, l;

    for (j = 0; j < w->n; ++j) {
        const int end = w->end[m->dof_body[j]], depth = tree->depth[j];
        const slip_real *S = w->S + 6*j;

        for (i = j; i < end; i += SLIP_LANES) {
            const int left = end - i < SLIP_LANES ? end - i : SLIP_LANES;
            slip_real t[SLIP_LANES];

            deriv_dot6(S, w->IS + i, w->stride, t);
            for (l = 0; l < left; ++l) d->M_dofs[tree->row[i + l] + depth] = t[l];
        }
        d->M_dofs[tree->row[j] + depth] += m->dof_armature[j];
    }
    if (m->ndofs != m->nv) slip_reduce_mass(m, d->M_dofs, d->M);
}

void slip_deriv_velocities(const slip_model *m, slip_data *d, const slip_real *x, const slip_real *wrench,
                           slip_deriv *w)
{
    int k;

    slip_own_inertia_pass(m, d);
    deriv_outwards(m, d, x, w);
    deriv_inwards(m, w);
    if (wrench) deriv_wrenches(m, wrench, w);
    for (k = 0; k < w->n; ++k) {
        const slip_real *sums = w->subtree + DERIV_INERTIA*m->dof_body[k], *p = sums + 10, *G = sums + 13;
        const slip_real *S = w->S + 6*k, *s = S + 3;
        slip_real IS[6], BS[3], Fv[6], t[3];

        slip_inertia_vec(sums, S, IS);
        deriv_put_plane(IS, 6, w->stride, w->IS + k);
        slip_cross3(p, S, t);                                /* B' S = (0, 2 p x s_linear + G' s_angular) */
        slip_mat3_tvec(G, s, BS);
        slip_axpy3(2, t, BS, BS);
        deriv_put_plane(BS, 3, w->stride, w->BS + k);
        slip_inertia_vec(sums, w->bar + 6*k, Fv);
        slip_cross3(s, p, t);
        slip_axpy3(2, t, Fv, Fv);
        slip_mat3_vec(G, s, t);
        slip_add3(Fv + 3, t, Fv + 3);
        deriv_put_plane(Fv, 6, w->stride, w->Fv + k);
    }
    deriv_mass(m, d, w);
}

void slip_deriv_forces(const slip_model *m, const slip_real *y, const slip_real *wrench, slip_deriv *w)
{
    int b, k, i;

    slip_neg3(m->gravity, w->a);                             /* the world accelerates upwards */
    slip_zero3(w->a + 3);
    for (b = 1; b < m->nbodies; ++b) {
        const int first = m->idof[b], end = first + slip_joint_nv((slip_joint_type)m->type[b]);
        const slip_real *a_p = w->a + 6*m->parent[b];
        slip_real *a = w->a + 6*b, *f = w->f + 6*b;

        for (i = 0; i < 6; ++i) a[i] = a_p[i] + w->c[6*b + i];
        for (k = first; y && k < end; ++k)
            for (i = 0; i < 6; ++i) a[i] += y[k]*w->S[6*k + i];
        slip_inertia_vec(w->own + 10*b, a, f);
        for (i = 0; i < 6; ++i) f[i] += w->gyro[6*b + i];
        if (!wrench) continue;
        for (i = 0; i < 6; ++i) f[i] -= wrench[6*b + i];
        slip_cross3_add(wrench + 6*b, w->r + 3*b, f + 3);    /* less r x F */
    }
    for (b = m->nbodies - 1; b > 0; --b) {
        slip_real *F = w->f + 6*m->parent[b];

        if (m->parent[b] == 0) continue;
        for (i = 0; i < 6; ++i) F[i] += w->f[6*b + i];
    }
}

/* psi'' of a freedom, and the force that the subtree below it needs more when the freedom moves: the plane Fq. */
static inline void deriv_freedom_forces(const slip_model *m, const slip_real *wrench, int k, slip_deriv *w)
{
    static const slip_real still[6] = { 0 };
    const int b = m->dof_body[k], p = m->parent[b];
    const slip_real *sums = w->subtree + DERIV_INERTIA*b, *P = sums + 10, *G = sums + 13;
    const slip_real *S = w->S + 6*k, *dS = w->dS + 6*k;
    slip_real *ddS = w->ddS + 6*k, Fq[6], WS[3], t[3];
    int i;

    for (i = 0; i < 6; ++i) ddS[i] = 0;
    deriv_cross_motion(w->a + 6*p, S, ddS);
    deriv_cross_motion(p ? w->v + 6*p : still, dS, ddS);
    slip_inertia_vec(sums, ddS, Fq);
    deriv_cross_force(S, w->f + 6*b, Fq);
    slip_cross3(dS + 3, P, t);
    slip_axpy3(2, t, Fq, Fq);
    slip_mat3_vec(G, dS + 3, t);
    slip_add3(Fq + 3, t, Fq + 3);
    if (wrench) {
        const slip_real *F = w->turned + DERIV_WRENCH*b, *W = F + 3;

        slip_cross3_add(S + 3, F, Fq);
        slip_mat3_vec(W, S + 3, t);
        slip_add3(Fq + 3, t, Fq + 3);
        slip_mat3_tvec(W, S + 3, WS);                        /* the same for rows: F x s_linear + W' s_angular */
        slip_cross3_add(F, S, WS);
        deriv_put_plane(WS, 3, w->stride, w->WS + k);
    }
    deriv_put_plane(Fq, 6, w->stride, w->Fq + k);
}

/* Column j of T, from the first freedom of j's body to the end of the subtree: rows i below or beside j. */
static void deriv_column(const slip_model *m, const slip_real *wrench, int j, const slip_deriv *w)
{
    const int b = m->dof_body[j], end = w->end[b], stride = w->stride;
    const slip_real *S = w->S + 6*j, *dS = w->dS + 6*j, *ddS = w->ddS + 6*j, *bar = w->bar + 6*j;
    int i, l;

    for (i = m->idof[b]; i < end; i += SLIP_LANES) {
        slip_real tq[SLIP_LANES], tv[SLIP_LANES];

        deriv_dot6(ddS, w->IS + i, stride, tq);
        deriv_dot6(bar, w->IS + i, stride, tv);
        deriv_add_dot3(dS + 3, w->BS + i, stride, tq);
        deriv_add_dot3(S + 3, w->BS + i, stride, tv);
        if (wrench) deriv_add_dot3(S + 3, w->WS + i, stride, tq);
        deriv_cut_group(end - i, tq);
        deriv_cut_group(end - i, tv);
        for (l = 0; l < SLIP_LANES; ++l) {
            w->T[(i + l)*2*stride + j] = tq[l];
            w->T[(i + l)*2*stride + stride + j] = tv[l];
        }
    }
}

/* Row i of T, columns j strictly below i. */
static void deriv_row(const slip_model *m, int i, const slip_deriv *w)
{
    const int b = m->dof_body[i], end = w->end[b], stride = w->stride;
    const slip_real *S = w->S + 6*i;
    slip_real *row = w->T + 2*i*stride;
    int j, l;

    for (j = m->idof[b] + slip_joint_nv((slip_joint_type)m->type[b]); j < end; j += SLIP_LANES) {
        slip_real tq[SLIP_LANES], tv[SLIP_LANES];

        deriv_dot6(S, w->Fq + j, stride, tq);
        deriv_dot6(S, w->Fv + j, stride, tv);
        deriv_cut_group(end - j, tq);
        deriv_cut_group(end - j, tv);
        for (l = 0; l < SLIP_LANES; ++l) row[j + l] = tq[l];
        for (l = 0; l < SLIP_LANES; ++l) row[stride + j + l] = tv[l];
    }
}

/* R = E' T E for both halves. */
static void deriv_reduce(const slip_model *m, const slip_deriv *w)
{
    const int stride = w->stride;
    int d, e, h;

    memset(w->R, 0, 2*(size_t)m->nv*(size_t)stride*sizeof *w->R);
    for (d = 0; d < w->n; ++d)
        for (h = 0; h < 2; ++h) {
            const slip_real *from = w->T + (2*d + h)*stride;
            slip_real *to = w->R + (2*m->dof_iv[d] + h)*stride;

            for (e = 0; e < w->n; ++e) to[m->dof_iv[e]] += m->dof_scale[d]*m->dof_scale[e]*from[e];
        }
}

void slip_deriv_matrices(const slip_model *m, const slip_real *wrench, slip_deriv *w)
{
    int k;

    memset(w->T, 0, 2*(size_t)w->n*(size_t)w->stride*sizeof *w->T);
    for (k = 0; k < w->n; ++k) deriv_freedom_forces(m, wrench, k, w);
    for (k = 0; k < w->n; ++k) {
        deriv_column(m, wrench, k, w);
        deriv_row(m, k, w);
    }
    if (m->ndofs != m->nv) deriv_reduce(m, w);
}

slip_status slip_rnea_derivatives(const slip_model *model, slip_data *data, const slip_real *q, const slip_real *v,
                                  const slip_real *a, const slip_real *wrench, slip_real *dtau_dq, slip_real *dtau_dv,
                                  slip_arena *ws)
{
    const size_t mark = slip_arena_mark(ws), row = (size_t)model->nv*sizeof *q;
    const int n = model->nv;
    slip_deriv w;
    int i;

    if (slip_q_is_invalid(model, q) || !rbd_finite(v, n) || !rbd_finite(a, n)
        || (wrench && !rbd_finite(wrench, 6*model->nbodies))) return SLIP_ERR_ARGUMENT;
    if (slip_deriv_carve(model, ws, &w) != SLIP_OK) return SLIP_ERR_WORKSPACE;
    slip_kinematics_pass(model, data, q);
    slip_deriv_velocities(model, data, slip_expand(model, v, data->u), wrench, &w);
    slip_deriv_forces(model, slip_expand(model, a, data->u), wrench, &w);
    slip_deriv_matrices(model, wrench, &w);
    for (i = 0; i < n; ++i) {
        if (dtau_dq) memcpy(dtau_dq + i*n, w.R + 2*i*w.stride, row);
        if (dtau_dv) memcpy(dtau_dv + i*n, w.R + (2*i + 1)*w.stride, row);
    }
    slip_arena_release(ws, mark);
    return SLIP_OK;
}
