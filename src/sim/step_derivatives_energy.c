/* The derivative of what bound_energy.c does to trees that were hit: v+ of the tree times s, s^2 = 1 - E/T, with T its
 * kinetic energy at the end and, as at the head of that file, with V = T + U and a, b the velocities before and after
 * the impulses in the middle,
 *
 *   E = V(q+, v+) - V(q, v) - (b - a)' M (a + b)/2 - W,   a = v_mid + x-/2,   b = v* - x+/2
 *   W = (dt/2 f - D (a - v_mid)) . (v_mid + a)/2 + (dt/2 f - D (v* - b)) . (b + v*)/2 + dt/2 wrench . J (both means)
 *
 * With H the momentum of the subtree that freedom S of a child of p moves, at the world's origin, and m, m c its mass:
 *
 *   dT/dq = H . (v_p x S),   dT/dv = H . S,   dU/dq = -g . (m S_lin + S_ang x m c) */
#include "sim/step_derivatives_private.h"

#include "base/dense.h"

#include <string.h>

/* Gradients of the energies of all trees at q, v; body [2*nbodies]: kinetic and potential energy of each body. */
static void sd_gradient(sim_derivative *d, const slip_real *q, const slip_real *v, slip_real *kinetic_q,
                        slip_real *potential_q, slip_real *by_v, slip_real *body)
{
    const slip_world *w = d->w;
    const slip_model *m = w->model;
    slip_real *V = d->after, *H = d->force, *moment = d->accel;      /* [6*nbodies] each, not needed any more */
    int b, i, k;

    slip_motion_pass(m, w->data, q, v);
    slip_dof_columns(m, w->data, d->columns);
    slip_sim_d_motions(d, v, V);
    memset(H, 0, 6*(size_t)m->nbodies*sizeof *H);
    memset(moment, 0, 6*(size_t)m->nbodies*sizeof *H);
    for (b = m->nbodies - 1; b > 0; --b) {
        slip_real I[10], u[6], f[6], h[3], t[3];
        const slip_real *p = w->data->pose[b].p;

        slip_inertia_rotate(w->data->pose[b].R, m->inertia + 10*b, I);
        slip_sim_motion_at(V + 6*b, p, u);
        slip_copy3(V + 6*b + 3, u + 3);
        slip_inertia_vec(I, u, f);
        slip_axpy3(I[0], p, I + 1, h);
        body[2*b] = (slip_dot3(f, u) + slip_dot3(f + 3, u + 3))/2;
        body[2*b + 1] = -slip_dot3(m->gravity, h);
        slip_cross3(p, f, t);
        slip_add3(f + 3, t, f + 3);
        for (i = 0; i < 6; ++i) H[6*b + i] += f[i];
        slip_add3(moment + 6*b, h, moment + 6*b);
        moment[6*b + 3] += I[0];
        for (i = 0; m->parent[b] > 0 && i < 6; ++i) {
            H[6*m->parent[b] + i] += H[6*b + i];
            if (i < 4) moment[6*m->parent[b] + i] += moment[6*b + i];
        }
    }
    for (i = 0; i < d->nv; ++i) {
        kinetic_q[i] = potential_q[i] = 0;
        by_v[i] = m->armature[i]*v[i];
    }
    for (k = 0; k < m->ndofs; ++k) {
        const int own = m->dof_body[k], iv = m->dof_iv[k];
        const slip_real *S = d->columns + 6*k, *P = V + 6*m->parent[own], *h = H + 6*own, scale = m->dof_scale[k];
        slip_real psi[6] = { 0 }, t[3];

        slip_cross3_add(P + 3, S, psi);
        slip_cross3_add(P, S + 3, psi);
        slip_cross3_add(P + 3, S + 3, psi + 3);
        kinetic_q[iv] += scale*(slip_dot3(h, psi) + slip_dot3(h + 3, psi + 3));
        by_v[iv] += scale*(slip_dot3(h, S) + slip_dot3(h + 3, S + 3));
        slip_cross3(S + 3, moment + 6*own, t);
        slip_axpy3(moment[6*own + 3], S, t, t);
        potential_q[iv] -= scale*slip_dot3(m->gravity, t);
    }
}

/* Changes of wrench . (velocities of bodies) by q at the coordinates' velocity v, and J' wrench. In the middle. */
static void sd_wrench_power(sim_derivative *d, const slip_step_input *in, const slip_real *v, slip_real *by_q,
                            slip_real *by_v)
{
    const slip_world *w = d->w;
    const slip_model *m = w->model;
    slip_real *V = d->after;
    int b, j, i, any = 0;

    for (i = 0; i < d->nv; ++i) by_q[i] = by_v[i] = 0;
    for (i = 6; i < 6*m->nbodies; ++i) any |= slip_abs(in->wrench[i]) > 0;
    if (!any) return;
    slip_sim_d_motions(d, v, V);
    for (b = 1; b < m->nbodies; ++b)
        for (j = 0; j < m->ndofs; ++j) {
            const slip_real *F = in->wrench + 6*b, *p = w->data->pose[b].p;
            const slip_real *P = V + 6*m->parent[m->dof_body[j]];
            slip_real S[6], A[6], change[6] = { 0 }, u[3], at[3];

            if (!slip_sim_d_moves(m, j, b)) continue;
            slip_sim_d_column(d, j, b, S);
            for (i = 0; i < 6; ++i) A[i] = V[6*b + i] - P[i];
            slip_cross3_add(S + 3, A, change);
            slip_cross3_add(S, A + 3, change);
            slip_cross3_add(S + 3, A + 3, change + 3);
            slip_sim_motion_at(change, p, u);
            slip_sim_motion_at(S, p, at);
            slip_cross3_add(V + 6*b + 3, at, u);
            by_q[m->dof_iv[j]] += slip_dot3(F, u) + slip_dot3(F + 3, change + 3);
            by_v[m->dof_iv[j]] += slip_dot3(F, at) + slip_dot3(F + 3, S + 3);
        }
}

/* What E of the tree of a root is made of in the middle. */
typedef struct { slip_real *a, *b, *Ta, *Tb, *Va, *Vb, *scratch, *power_q, *power_v, *mean; } sd_middle;

static int sd_in_tree(const slip_world *w, int root, int i) { return w->fixed.body_tree[w->fixed.iv_body[i]] == root; }

/* row <- derivative of the part of E in the middle, in columns of the middle. */
static void sd_middle_row(const sim_derivative *d, const slip_step_input *in, const sd_middle *at, int root,
                          slip_real *row)
{
    const slip_world *w = d->w;
    const slip_step_jacobian *o = d->out;
    const slip_real h = w->opt.dt/2;
    const size_t N = (size_t)d->N;
    int i;

    for (i = 0; i < d->nv; ++i) {
        const slip_real v = d->v[i], a = at->a[i], b = at->b[i], vs = d->vs[i], D = d->stiff[i], f = h*d->push[i];
        const slip_real mean0 = (v + a)/2, mean1 = (b + vs)/2, load0 = f - D*(a - v), load1 = f - D*(vs - b);
        const slip_real power = h*at->power_v[i]/2;
        const slip_real wa = at->Va[i] + D*mean0 - load0/2 - power, wv = -D*mean0 - load0/2 - power;
        const slip_real wb = -at->Vb[i] - D*mean1 - load1/2 - power, ws = D*mean1 - load1/2 - power;
        const slip_real wf = -h*(mean0 + mean1), *r = d->r + (size_t)i*N;
        const slip_real *half0 = d->half[0] + (size_t)i*N, *half1 = d->half[1] + (size_t)i*N;

        if (!sd_in_tree(w, root, i)) continue;
        slip_subtract_row(o->columns, -wa/2, half0, row);                /* a = (v + (v + x-))/2 */
        slip_subtract_row(o->columns, wb/2, half1, row);                 /* b = v* - ((v + x+) - v)/2 */
        slip_subtract_row(o->columns, -(wb + ws), r, row);
        row[o->v + i] += wa/2 + wb/2 + wv + wf*(d->slope_v[i] - w->model->damping[i]);
        row[o->q + i] += at->Ta[i] - at->Tb[i] - h*at->power_q[i] + wf*d->slope_q[i];
        if (o->tau >= 0) row[o->tau + i] += wf;
        if (d->saturated[i] || o->q_ref < 0) continue;
        row[o->q_ref + i] += wf*in->drives[i].kp;
        row[o->v_ref + i] += wf*in->drives[i].kd;
    }
}

/* E's direct dependence on the wrenches and densities of the tree's bodies; energies [2*nbodies] at the end, at a, at b
 * and at the start. */
static void sd_body_columns(sim_derivative *d, const sd_middle *at, int root, slip_real *const energy[4],
                            slip_real *row)
{
    const slip_world *w = d->w;
    const slip_step_jacobian *o = d->out;
    slip_real u[3];
    int b, i;

    slip_sim_d_motions(d, at->mean, d->after);
    for (b = 1; b < d->nb; ++b) {
        const slip_real *V = d->after + 6*b, h = w->opt.dt/2;

        if (w->fixed.body_tree[b] != root) continue;
        slip_sim_motion_at(V, w->data->pose[b].p, u);
        for (i = 0; o->wrench >= 0 && i < 3; ++i) {
            row[o->wrench + 6*b + i] -= h*u[i];
            row[o->wrench + 6*b + 3 + i] -= h*V[3 + i];
        }
        if (o->density < 0) continue;
        row[o->density + b] += energy[0][2*b] + energy[0][2*b + 1] + energy[1][2*b] - energy[2][2*b]
            - energy[3][2*b] - energy[3][2*b + 1];
    }
}

/* v+ of a tree, unscaled in `plain`, times s: rows of D. row: dE, start: gradient of V(q+, v+). */
static slip_status sd_scale_tree(sim_derivative *d, int root, const slip_real *plain, const slip_real *kinetic_q,
                                 const slip_real *by_v, const slip_real *energy, slip_real *row)
{
    const slip_world *w = d->w;
    const slip_step_jacobian *o = d->out;
    const size_t columns = (size_t)o->columns;
    slip_real T = 0, s, most = 0;
    int i, k, at = -1;

    for (i = 0; i < d->nv; ++i) {
        if (!sd_in_tree(w, root, i)) continue;
        T += by_v[i]*plain[i]/2;
        if (slip_abs(plain[i]) > most) { most = slip_abs(plain[i]);  at = i; }
    }
    if (at < 0 || !(T > 0)) return SLIP_OK;                  /* it stands still: nothing was scaled */
    s = w->step.v_next[at]/plain[at];
    if (!(s > SLIP_TOL(1e-6, 1e-3))) return slip_sim_d_refuse(d->w, "a tree that was hit lost all of its energy");
    for (i = 0; i < d->nv; ++i)
        if (sd_in_tree(w, root, i) && slip_abs(w->step.v_next[i] - s*plain[i]) > SLIP_TOL(1e-9, 1e-3)*most)
            return slip_sim_d_refuse(d->w, "the energy of a tree that was hit is another one");
    for (k = 0; k < o->columns; ++k) row[k] = -row[k];       /* 2 s T ds = -dE + (1 - s^2) dT */
    for (i = 0; i < d->nv; ++i) {
        if (!sd_in_tree(w, root, i)) continue;
        slip_subtract_row(o->columns, -(1 - s*s)*kinetic_q[i], d->D + (size_t)i*columns, row);
        slip_subtract_row(o->columns, -(1 - s*s)*by_v[i], d->D + (size_t)(d->nv + i)*columns, row);
    }
    for (k = 1; o->density >= 0 && k < d->nb; ++k)
        if (w->fixed.body_tree[k] == root) row[o->density + k] += (1 - s*s)*energy[2*k];
    for (i = 0; i < d->nv; ++i) {
        slip_real *v = d->D + (size_t)(d->nv + i)*columns;

        if (!sd_in_tree(w, root, i)) continue;
        for (k = 0; k < o->columns; ++k) v[k] = s*v[k] + plain[i]*row[k]/(2*s*T);
    }
    return SLIP_OK;
}

static int sd_is_scaled(const slip_world *w, int root)
{
    return w->fixed.body_tree[root] == root && w->step.tree_hit[root] > w->step.tree_driven[root]
        && !w->fixed.free_single[root] && !w->fixed.plane_single[root];
}

slip_status slip_sim_d_scale(sim_derivative *d, const slip_step_input *in)
{
    slip_world *w = d->w;
    const slip_step_jacobian *o = d->out;
    const size_t n = (size_t)d->nv, nb = (size_t)d->nb, columns = (size_t)o->columns;
    slip_real *at = d->work, *Tq, *Uq, *Gv, *Tq0, *Uq0, *Gv0, *plain, *energy[4], *row = d->lambda_row;
    slip_status s = SLIP_OK;
    sd_middle mid;
    int i, root;

    Tq = at;  Uq = Tq + n;  Gv = Uq + n;  Tq0 = Gv + n;  Uq0 = Tq0 + n;  Gv0 = Uq0 + n;  plain = Gv0 + n;
    mid.a = plain + n;  mid.b = mid.a + n;  mid.Ta = mid.b + n;  mid.Tb = mid.Ta + n;  mid.Va = mid.Tb + n;
    mid.Vb = mid.Va + n;  mid.scratch = mid.Vb + n;  mid.power_q = mid.scratch + n;  mid.power_v = mid.power_q + n;
    mid.mean = mid.power_v + n;
    for (i = 0; i < 4; ++i) energy[i] = mid.mean + n + 2*nb*(size_t)i;
    for (i = 0; i < d->nv; ++i) {
        mid.a[i] = d->v[i] + d->x[0][i]/2;
        mid.b[i] = d->vs[i] - d->x[1][i]/2;
        mid.mean[i] = (d->v[i] + mid.a[i] + mid.b[i] + d->vs[i])/2;
        plain[i] = d->vs[i];
    }
    slip_sim_drift(w, d->q, slip_sim_last_part(w), plain, w->step.q_ahead);
    sd_gradient(d, d->q0, d->v0, Tq0, Uq0, Gv0, energy[3]);
    sd_gradient(d, w->step.q_next, plain, Tq, Uq, Gv, energy[0]);
    sd_gradient(d, d->q, mid.a, mid.Ta, mid.scratch, mid.Va, energy[1]);
    sd_gradient(d, d->q, mid.b, mid.Tb, mid.scratch, mid.Vb, energy[2]);
    sd_wrench_power(d, in, mid.mean, mid.power_q, mid.power_v);
    for (root = 1; root < d->nb && s == SLIP_OK; ++root) {
        if (!sd_is_scaled(w, root)) continue;
        memset(row, 0, (size_t)d->N*sizeof *row);
        sd_middle_row(d, in, &mid, root, row);
        slip_sim_d_from_start(d, row);
        sd_body_columns(d, &mid, root, energy, row);
        for (i = 0; i < d->nv; ++i) {
            if (!sd_in_tree(w, root, i)) continue;
            slip_subtract_row(o->columns, -(Tq[i] + Uq[i]), d->D + (size_t)i*columns, row);
            slip_subtract_row(o->columns, -Gv[i], d->D + (n + (size_t)i)*columns, row);
            row[o->q + i] -= Tq0[i] + Uq0[i];
            row[o->v + i] -= Gv0[i];
        }
        s = sd_scale_tree(d, root, plain, Tq, Gv, energy[0], row);
    }
    return s;
}
