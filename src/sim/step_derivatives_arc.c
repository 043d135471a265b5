/* The derivative of arcs (arc.c) for step_derivatives_rows.c. A body's motion V and acceleration A at the world's
 * origin give the acceleration of its point x, A_lin + alpha x x + w x (V_lin + w x x). A is that at rest of all
 * joints, with the root's origin going straight; of a body that floats alone its centre of mass c goes straight, and
 * its spin changes by -I^-1 (w x I w). Moving a freedom, or raising its velocity, changes V and A as in
 * docs/derivatives.md, Links. */
#include "sim/step_derivatives_private.h"

/* r += v x m for motions. */
static void sd_cross_motion(const slip_real v[6], const slip_real m[6], slip_real r[6])
{
    slip_cross3_add(v + 3, m, r);
    slip_cross3_add(v, m + 3, r);
    slip_cross3_add(v + 3, m + 3, r + 3);
}

static int sd_is_single(const slip_world *w, int b) { return w->fixed.free_single[b] || w->fixed.plane_single[b]; }

/* c in the world. */
static void sd_centre(const slip_world *w, int b, slip_real c[3])
{
    slip_mat3_vec(w->data->pose[b].R, w->fixed.centre + 3*b, c);
    slip_add3(c, w->data->pose[b].p, c);
}

/* A_lin of a body whose centre of mass is not accelerated: -alpha x c - w x (V_lin + w x c). */
static void sd_straight(const slip_real V[6], const slip_real c[3], slip_real A[6])
{
    slip_real v[3], t[3];

    slip_sim_motion_at(V, c, v);
    slip_cross3(A + 3, c, A);
    slip_cross3(V + 3, v, t);
    slip_add3(A, t, A);
    slip_neg3(A, A);
}

/* Accelerations of all bodies at the velocities of d->turning. */
void slip_sim_d_accelerations(sim_derivative *d, const slip_real *u)
{
    const slip_world *w = d->w;
    const slip_model *m = w->model;
    int b, k, i;

    for (i = 0; i < 6; ++i) d->accel[i] = 0;
    for (b = 1; b < m->nbodies; ++b) {
        const int p = m->parent[b], end = m->idof[b] + slip_joint_nv((slip_joint_type)m->type[b]);
        slip_real *A = d->accel + 6*b, joint[6];

        for (i = 0; i < 6; ++i) {
            A[i] = d->accel[6*p + i];
            joint[i] = d->turning[6*b + i] - d->turning[6*p + i];
        }
        if (sd_is_single(w, b)) {
            slip_real spin[3], c[3];

            slip_zero3(A + 3);
            if (w->fixed.free_single[b]) {
                slip_mat3_tvec(w->data->pose[b].R, d->turning + 6*b + 3, spin);
                slip_sim_spin_rate(w, b, spin, spin);
                slip_mat3_vec(w->data->pose[b].R, spin, A + 3);
            }
            sd_centre(w, b, c);
            sd_straight(d->turning + 6*b, c, A);
            continue;
        }
        sd_cross_motion(d->turning + 6*p, joint, A);
        if (p > 0 || (m->type[b] != SLIP_JOINT_FLOATING && m->type[b] != SLIP_JOINT_PLANAR)) continue;
        for (k = m->idof[b]; k < end; ++k) {
            slip_real f[3], df[36];
            const int size = slip_sim_d_freeze(m, b, u + m->dof_iv[m->idof[b]], f, df), at = k - m->idof[b];

            for (i = 0; at < (size == 6 ? 3 : 2) && i < 6; ++i) A[i] -= f[at]*d->columns[6*k + i];
        }
    }
}

/* Changes of V and A of a body when freedom j, which moves it by S, is moved. */
static void sd_by_position(const sim_derivative *d, int j, int body, const slip_real S[6], slip_real dV[6],
                           slip_real dA[6])
{
    const int p = d->w->model->parent[d->w->model->dof_body[j]];
    const slip_real *V = d->turning + 6*body, *A = d->accel + 6*body;
    slip_real first[6] = { 0 }, t[6] = { 0 };
    int i;

    for (i = 0; i < 6; ++i) dV[i] = dA[i] = 0;
    sd_cross_motion(S, V, dV);
    sd_cross_motion(S, A, dA);
    if (p == 0) return;
    sd_cross_motion(d->turning + 6*p, S, first);             /* psi' */
    sd_cross_motion(d->accel + 6*p, S, dA);                  /* psi'' */
    sd_cross_motion(d->turning + 6*p, first, dA);
    sd_cross_motion(V, first, t);
    for (i = 0; i < 6; ++i) {
        dV[i] += first[i];
        dA[i] -= t[i];
    }
}

/* The same when its velocity is raised. */
static void sd_by_velocity(const sim_derivative *d, int j, int body, const slip_real *u, const slip_real S[6],
                           slip_real dV[6], slip_real dA[6])
{
    const slip_world *w = d->w;
    const slip_model *m = w->model;
    const int own = m->dof_body[j], p = m->parent[own];
    slip_real t[6] = { 0 };
    int i, k;

    for (i = 0; i < 6; ++i) { dV[i] = S[i];  dA[i] = 0; }
    if (sd_is_single(w, body)) {
        const slip_real *V = d->turning + 6*body;
        slip_real c[3], v[3], dv[3], spin[3], e[3], L[3], rate[3];

        if (w->fixed.free_single[body]) {                    /* -I^-1 (e x I w + w x I e) */
            slip_mat3_tvec(w->data->pose[body].R, V + 3, spin);
            slip_mat3_tvec(w->data->pose[body].R, S + 3, e);
            slip_sym3_vec(w->fixed.inertia_centre + 6*body, spin, L);
            slip_cross3(L, e, rate);
            slip_sym3_vec(w->fixed.inertia_centre + 6*body, e, L);
            slip_cross3_add(L, spin, rate);
            slip_sym3_vec(w->fixed.inertia_inv + 6*body, rate, rate);
            slip_mat3_vec(w->data->pose[body].R, rate, dA + 3);
        }
        sd_centre(w, body, c);
        slip_sim_motion_at(V, c, v);
        slip_sim_motion_at(S, c, dv);
        slip_cross3(dA + 3, c, dA);
        slip_cross3_add(S + 3, v, dA);
        slip_cross3_add(V + 3, dv, dA);
        slip_neg3(dA, dA);
        return;
    }
    sd_cross_motion(d->turning + 6*p, S, dA);
    sd_cross_motion(d->turning + 6*own, S, dA);
    sd_cross_motion(d->turning + 6*body, S, t);
    for (i = 0; i < 6; ++i) dA[i] -= t[i];
    if (p == 0 && (m->type[own] == SLIP_JOINT_FLOATING || m->type[own] == SLIP_JOINT_PLANAR)) {
        slip_real f[3], df[36];
        const int size = slip_sim_d_freeze(m, own, u + m->dof_iv[m->idof[own]], f, df), at = j - m->idof[own];

        for (k = 0; k < size; ++k)
            for (i = 0; i < 6; ++i) dA[i] -= df[size*k + at]*d->columns[6*(m->idof[own] + k) + i];
    }
}

/* a <- acceleration of x, by V and A. */
static void sd_point(const slip_real V[6], const slip_real A[6], const slip_real x[3], slip_real a[3])
{
    slip_real v[3];

    slip_sim_motion_at(V, x, v);
    slip_sim_motion_at(A, x, a);
    slip_cross3_add(V + 3, v, a);
}

/* Its change by dV, dA and dx. */
static void sd_point_change(const slip_real V[6], const slip_real A[6], const slip_real x[3], const slip_real dV[6],
                            const slip_real dA[6], const slip_real dx[3], slip_real da[3])
{
    slip_real v[3], dv[3];

    slip_sim_motion_at(V, x, v);
    slip_sim_motion_at(dV, x, dv);
    slip_cross3_add(V + 3, dx, dv);
    slip_sim_motion_at(dA, x, da);
    slip_cross3_add(A + 3, dx, da);
    slip_cross3_add(dV + 3, v, da);
    slip_cross3_add(V + 3, dv, da);
}

/* Radius of a ball or capsule, on which the contact travels: adds rho w x (w x n). */
static slip_real sd_round(const slip_world *w, int collider)
{
    const sim_collider *c = &w->fixed.colliders[collider];

    return c->body > 0 && (c->shape.kind == SLIP_SHAPE_SPHERE || c->shape.kind == SLIP_SHAPE_CAPSULE)
        ? c->shape.radius : 0;
}

/* How a contact travels over an ellipsoid, in the body's axes, as arc_travel_ellipsoid() has it, and its change: d the
 * normal out of the body, w its spin, there; rate = d x w, Q = diag(h^2), s^2 = d'Q d, t = d'Q rate/s^2:
 *
 *   u = Q (rate - t d)/s,   du = Q (drate - dt d - t dd)/s - u ds/s */
static void sd_travel(const slip_shape *shape, const slip_real d[3], const slip_real w[3], const slip_real dd[3],
                      const slip_real dw[3], slip_real u[3], slip_real du[3])
{
    slip_real rate[3], drate[3], q[3], s = 0, ds = 0, t = 0, dt = 0;
    int i;

    slip_cross3(d, w, rate);
    slip_cross3(dd, w, drate);
    slip_cross3_add(d, dw, drate);
    for (i = 0; i < 3; ++i) {
        q[i] = shape->half[i]*shape->half[i];
        s += q[i]*d[i]*d[i];
        ds += q[i]*d[i]*dd[i];
        t += q[i]*d[i]*rate[i];
        dt += q[i]*(dd[i]*rate[i] + d[i]*drate[i]);
    }
    s = slip_sqrt(s);
    ds /= s;
    t /= s*s;
    dt = dt/(s*s) - 2*t*ds/s;
    for (i = 0; i < 3; ++i) {
        u[i] = q[i]*(rate[i] - t*d[i])/s;
        du[i] = q[i]*(drate[i] - dt*d[i] - t*dd[i])/s - u[i]*ds/s;
    }
}

/* Adds w x u of an ellipsoid to a, and its change to da, when the body turns by `turn` and its spin and n change by dw
 * and dn, all in the world. */
static void sd_add_ellipsoid(const sim_derivative *d, const sim_contact *c, int side, const slip_real turn[3],
                             const slip_real dw[3], const slip_real dn[3], slip_real a[3], slip_real da[3])
{
    const int which = side ? c->b : c->a, body = side ? c->site.body_b : c->site.body_a;
    const slip_real *R = d->w->step.collider_pose[which].R, *w = d->turning + 6*body + 3, sign = side ? 1 : -1;
    slip_real out[3], x[3], y[3], normal[3], spin[3], dnormal[3], dspin[3], u[3], du[3];

    if (d->w->fixed.colliders[which].shape.kind != SLIP_SHAPE_ELLIPSOID || body == 0) return;
    slip_scale3(-sign, c->site.frame + 6, out);
    slip_scale3(-sign, dn, x);                           /* as the body sees it, which turns */
    slip_cross3(out, turn, y);
    slip_add3(x, y, x);
    slip_mat3_tvec(R, out, normal);
    slip_mat3_tvec(R, x, dnormal);
    slip_cross3(w, turn, y);
    slip_add3(dw, y, x);
    slip_mat3_tvec(R, w, spin);
    slip_mat3_tvec(R, x, dspin);
    sd_travel(&d->w->fixed.colliders[which].shape, normal, spin, dnormal, dspin, u, du);
    slip_mat3_vec(R, u, u);
    slip_mat3_vec(R, du, du);
    slip_cross3_add(turn, u, du);
    slip_cross3(w, u, x);
    slip_axpy3(sign, x, a, a);
    slip_cross3(dw, u, x);
    slip_cross3_add(w, du, x);
    slip_axpy3(sign, x, da, da);
}

/* The same on the lowest point of a cylinder's rim, as arc_find_rim() has it: with a the axis, a' = w x a, m = out -
 * (out.a) a of length z, e = m/z and k = m' without its part along e, u = radius (k/z - w x e). Other points are
 * corners: u = 0. */
static void sd_add_rim(const sim_derivative *d, const sim_contact *c, int side, const slip_real turn[3],
                       const slip_real dw[3], const slip_real dn[3], slip_real sum[3], slip_real dsum[3])
{
    const int which = side ? c->b : c->a, body = side ? c->site.body_b : c->site.body_a;
    const sim_collider *shape = &d->w->fixed.colliders[which];
    const slip_pose *X = &d->w->step.collider_pose[which];
    const slip_real *w = d->turning + 6*body + 3, sign = side ? 1 : -1, radius = shape->shape.radius;
    const slip_real a[3] = { X->R[2], X->R[5], X->R[8] };
    slip_real out[3], dout[3], da[3], m[3], dm[3], e[3], de[3], rate[3], drate[3], k[3], dk[3], arm[3], u[3], du[3];
    slip_real t[3];
    slip_real along, dalong, z, dz, s;

    if (shape->shape.kind != SLIP_SHAPE_CYLINDER || body == 0) return;
    slip_scale3(-sign, c->site.frame + 6, out);
    slip_scale3(-sign, dn, dout);
    slip_cross3(turn, a, da);
    along = slip_dot3(out, a);
    dalong = slip_dot3(dout, a) + slip_dot3(out, da);
    slip_axpy3(-along, a, out, m);
    z = slip_norm3(m);
    slip_cross3(w, a, rate);
    if (!(z > d->w->opt.dt*slip_norm3(rate))) return;
    slip_scale3(1/z, m, e);
    slip_sub3(c->site.point, X->p, arm);
    slip_axpy3(-c->gap/2, out, arm, arm);
    slip_axpy3(-slip_dot3(arm, a), a, arm, arm);
    if (!(z*radius*(1 - slip_dot3(arm, e)/slip_norm3(arm)) <= d->w->opt.slop)) return;
    slip_axpy3(-dalong, a, dout, dm);
    slip_axpy3(-along, da, dm, dm);
    dz = slip_dot3(e, dm);
    slip_axpy3(-dz, e, dm, de);
    slip_scale3(1/z, de, de);
    slip_cross3(dw, a, drate);
    slip_cross3_add(w, da, drate);
    slip_scale3(-slip_dot3(out, rate), a, k);
    slip_axpy3(-along, rate, k, k);
    slip_scale3(-slip_dot3(dout, rate) - slip_dot3(out, drate), a, dk);
    slip_axpy3(-slip_dot3(out, rate), da, dk, dk);
    slip_axpy3(-dalong, rate, dk, dk);
    slip_axpy3(-along, drate, dk, dk);
    s = slip_dot3(e, k);
    slip_axpy3(-slip_dot3(de, k) - slip_dot3(e, dk), e, dk, dk);
    slip_axpy3(-s, de, dk, dk);
    slip_axpy3(-s, e, k, k);
    slip_cross3(w, e, t);
    slip_scale3(1/z, k, u);
    slip_sub3(u, t, u);
    slip_scale3(1/z, dk, du);
    slip_axpy3(-dz/(z*z), k, du, du);
    slip_cross3(dw, e, t);
    slip_cross3_add(w, de, t);
    slip_sub3(du, t, du);
    slip_cross3(w, u, t);
    slip_axpy3(sign*radius, t, sum, sum);
    slip_cross3(dw, u, t);
    slip_cross3_add(w, du, t);
    slip_axpy3(sign*radius, t, dsum, dsum);
}

/* 2/dt times the arc of a contact, world axes. */
static void sd_arc(const sim_derivative *d, const sim_contact *c, slip_real arc[3])
{
    static const slip_real zero[3] = { 0, 0, 0 };
    const slip_real *n = c->site.frame + 6;
    slip_real a[3], t[3], unused[3] = { 0, 0, 0 };
    int side;

    slip_zero3(arc);
    for (side = 0; side < 2; ++side) {
        const int body = side ? c->site.body_b : c->site.body_a;
        const slip_real *V = d->turning + 6*body, radius = sd_round(d->w, side ? c->b : c->a);

        sd_point(V, d->accel + 6*body, c->site.point, a);
        slip_axpy3(side ? 1 : -1, a, arc, arc);
        slip_cross3(V + 3, n, t);
        slip_cross3(V + 3, t, t);
        slip_axpy3(radius, t, arc, arc);
        sd_add_ellipsoid(d, c, side, zero, zero, zero, arc, unused);
        sd_add_rim(d, c, side, zero, zero, zero, arc, unused);
    }
}

int slip_sim_d_has_arc(const sim_contact *c)
{
    return slip_abs(c->arc[0]) + slip_abs(c->arc[1]) + slip_abs(c->arc[2]) > 0;
}

slip_real slip_sim_d_arc_error(const sim_derivative *d, const sim_contact *c)
{
    slip_real arc[3];

    sd_arc(d, c, arc);
    slip_mat3_vec(c->site.frame, arc, arc);
    slip_scale3(d->w->opt.dt/2, arc, arc);
    return slip_distance3(arc, c->arc);
}

void slip_sim_d_arc(const sim_derivative *d, const sim_contact *c, int j, const slip_real Sa[6], const slip_real Sb[6],
                    int moved, const slip_real *u, const slip_real dx[3], const slip_real dframe[9], slip_real by_q[3],
                    slip_real by_u[3])
{
    const slip_real *n = c->site.frame + 6, *x = c->site.point, *dn = dframe + 6;
    slip_real arc[3], dq[3] = { 0, 0, 0 }, du[3] = { 0, 0, 0 }, t[3], s[3], turned[3], unused[3] = { 0, 0, 0 };
    int side;

    sd_arc(d, c, arc);
    for (side = 0; side < 2; ++side) {
        const int body = side ? c->site.body_b : c->site.body_a;
        const slip_real *V = d->turning + 6*body, *A = d->accel + 6*body, *S = side ? Sb : Sa;
        const slip_real radius = sd_round(d->w, side ? c->b : c->a), sign = side ? 1 : -1;
        slip_real dV[6] = { 0 }, dA[6] = { 0 }, uV[6] = { 0 }, uA[6] = { 0 };
        static const slip_real zero[3] = { 0, 0, 0 };

        if (body == 0) continue;
        if (moved & (1 << side)) {
            sd_by_position(d, j, body, S, dV, dA);
            sd_by_velocity(d, j, body, u, S, uV, uA);
        }
        sd_point_change(V, A, x, dV, dA, dx, t);
        slip_axpy3(sign, t, dq, dq);
        sd_point_change(V, A, x, uV, uA, zero, t);
        slip_axpy3(sign, t, du, du);
        sd_add_ellipsoid(d, c, side, S + 3, dV + 3, dn, unused, dq);
        sd_add_ellipsoid(d, c, side, zero, uV + 3, zero, unused, du);
        sd_add_rim(d, c, side, S + 3, dV + 3, dn, unused, dq);
        sd_add_rim(d, c, side, zero, uV + 3, zero, unused, du);
        if (!(radius > 0)) continue;
        slip_cross3(V + 3, n, turned);                       /* dw x (w x n) + w x (dw x n + w x dn) */
        slip_cross3(dV + 3, n, s);
        slip_cross3_add(V + 3, dn, s);
        slip_cross3(V + 3, s, t);
        slip_cross3_add(dV + 3, turned, t);
        slip_axpy3(radius, t, dq, dq);
        slip_cross3(uV + 3, n, s);
        slip_cross3(V + 3, s, t);
        slip_cross3_add(uV + 3, turned, t);
        slip_axpy3(radius, t, du, du);
    }
    slip_mat3_vec(c->site.frame, dq, by_q);
    slip_mat3_vec(dframe, arc, t);
    slip_add3(by_q, t, by_q);
    slip_mat3_vec(c->site.frame, du, by_u);
    slip_scale3(d->w->opt.dt/2, by_q, by_q);
    slip_scale3(d->w->opt.dt/2, by_u, by_u);
}
