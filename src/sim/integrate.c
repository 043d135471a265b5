/* From velocities to positions: q+ = q [+] dt v+, with the axes of the step's start (see free_velocity.c):
 * origins move straight, p+ = p + dt R v, orientations turn by exp(dt w), and velocities are then expressed
 * in the new axes. Of a body that floats alone it is the centre of mass c that moves straight, and its momentum and the
 * angular one about c stay as they are in the world's axes, to rounding: with v_c = v + w x c of the step's end,
 *   E = exp(dt w_half),  L = I_c w,  w+ = I_c^-1 E' L,  v+ = E' v_c - w+ x c,  p+ = p + R (dt v_c - (E - 1) c) */
#include "sim/world_private.h"

/* r = E' x for the rotation E of a quaternion. */
static void integrate_unturn(const slip_real e[4], const slip_real x[3], slip_real r[3])
{
    slip_real inverse[4];

    slip_quat_conj(e, inverse);
    slip_quat_rotate(inverse, x, r);
}

void slip_sim_turn(const slip_world *w, int b, slip_real v[6], slip_real e[4])
{
    const slip_real dt = w->opt.dt, *c = w->fixed.centre + 3*b;
    slip_real turn[3], L[3], back[3];

    slip_scale3(dt, v + 3, turn);
    slip_cross3_add(v + 3, c, v);                        /* of the centre of mass until the end */
    if (w->fixed.free_single[b]) {
        const slip_real *inverse = w->fixed.inertia_inv + 6*b;
        slip_real half[3], mid[3];

        slip_sym3_vec(w->fixed.inertia_centre + 6*b, v + 3, L);    /* w half way: second order */
        slip_scale3(dt/2, v + 3, half);
        slip_quat_exp(half, e);
        integrate_unturn(e, L, mid);
        slip_sym3_vec(inverse, mid, mid);
        slip_quat_rotate(e, mid, mid);
        slip_scale3(dt, mid, turn);
        slip_quat_exp(turn, e);
        integrate_unturn(e, L, L);
        slip_sym3_vec(inverse, L, v + 3);
    } else slip_quat_exp(turn, e);
    integrate_unturn(e, v, v);
    slip_cross3(v + 3, c, back);
    slip_sub3(v, back, v);
}

void slip_sim_turn_bias(const slip_world *w, int b, const slip_real *v, slip_real *bias)
{
    const slip_real *I = w->model->inertia + 10*b;
    slip_real t[3];

    if (w->fixed.free_single[b]) {
        slip_cross3(v + 3, I + 1, t);
        slip_cross3(v + 3, t, bias);
        slip_sym3_vec(I + 4, v + 3, t);
        slip_cross3(v + 3, t, bias + 3);
    } else {                                             /* in its plane */
        slip_set3(-v[2]*v[2]*I[1], -v[2]*v[2]*I[2], 0, bias);
    }
}

/* Adds to accel the change of a velocity that comes from turning by e: v in the new axes, `before` in the old ones. */
static void integrate_turning(const slip_world *w, int b, const slip_real before[6], const slip_real v[6],
                           const slip_real e[4], slip_real accel[6])
{
    const slip_real rate = 1/w->opt.dt, *c = w->fixed.centre + 3*b;
    slip_real spin[3], change[3], arm[3], t[3];

    if (slip_dot3(e, e) < SLIP_TOL(1e-24, 1e-15)) return;        /* half the turn, squared: rounding */
    slip_quat_rotate(e, v + 3, spin);
    slip_sub3(spin, before + 3, change);
    slip_axpy3(rate, change, accel + 3, accel + 3);
    if (!w->fixed.has_offset) return;
    slip_sim_turned(e, c, arm);                          /* -(w+ x E c - w x c) = -(w+ x (E - 1) c + (w+ - w) x c) */
    slip_cross3(spin, arm, t);
    slip_cross3_add(change, c, t);
    slip_axpy3(-rate, t, accel, accel);
}

const slip_real *slip_sim_unit(const slip_real q[4], slip_real e[4])
{
    const slip_real off = q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3] - 1;

    if (slip_abs(off) <= SLIP_TOL(1e-14, 1e-6)) return q;
    slip_quat_normalize(q, e);
    return e;
}

/* q+ and v+ of a floating joint, by the equations at the head of this file. */
static void integrate_floating(const slip_world *w, int b, const slip_real *q, slip_real *v, slip_real *out,
                               slip_real *accel)
{
    slip_real e[4], unit[4], d[3], arm[3], before[6];
    const slip_real *now = slip_sim_unit(q + 3, unit);

    slip_copy3(v, before);
    slip_copy3(v + 3, before + 3);
    slip_copy3(v, d);
    slip_cross3_add(v + 3, w->fixed.centre + 3*b, d);
    slip_sim_turn(w, b, v, e);
    if (w->fixed.has_offset) {
        slip_sim_turned(e, w->fixed.centre + 3*b, arm);
        slip_axpy3(-1/w->opt.dt, arm, d, d);
    }
    slip_quat_rotate(now, d, d);
    slip_axpy3(w->opt.dt, d, q, out);
    slip_quat_mul(now, e, out + 3);
    slip_quat_normalize(out + 3, out + 3);
    if (w->fixed.free_single[b] && accel) integrate_turning(w, b, before, v, e, accel);
}

/* The same in a plane, where the angular velocity stays: arm = (E - 1) c. */
static void integrate_planar(const slip_world *w, int b, const slip_real *q, slip_real *v, slip_real *out,
                             slip_real *accel)
{
    const slip_real dt = w->opt.dt, c = slip_cos(q[2]), s = slip_sin(q[2]), turn = dt*v[2], *at = w->fixed.centre + 3*b;
    const slip_real ct = slip_cos(turn), st = slip_sin(turn), versine = 2*slip_sin(turn/2)*slip_sin(turn/2);
    const slip_real arm[2] = { -versine*at[0] - st*at[1], st*at[0] - versine*at[1] };
    const slip_real x = v[0] - v[2]*at[1], y = v[1] + v[2]*at[0], dx = x - arm[0]/dt, dy = y - arm[1]/dt;

    out[0] = q[0] + dt*(c*dx - s*dy);
    out[1] = q[1] + dt*(s*dx + c*dy);
    out[2] = q[2] + turn;
    v[0] = ct*x + st*y + v[2]*at[1];
    v[1] = ct*y - st*x - v[2]*at[0];
    if (!accel) return;
    accel[0] += v[2]*arm[1]/dt;
    accel[1] -= v[2]*arm[0]/dt;
}

static void integrate_ball(const slip_world *w, const slip_real *q, const slip_real *v, slip_real *out)
{
    slip_real turn[3], e[4];

    slip_scale3(w->opt.dt, v, turn);
    slip_quat_exp(turn, e);
    slip_quat_mul(q, e, out);
    slip_quat_normalize(out, out);
}

void slip_phase_integrate(const slip_world *w, const slip_step_input *in, slip_real *v_next, slip_real *q_next,
                          slip_real *accel)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int iq = m->iq[b], iv = m->dof_iv[m->idof[b]];
        const slip_real *q = in->q + iq;
        slip_real *v = v_next + iv, *out = q_next + iq, *a = accel ? accel + iv : NULL;

        if (m->mimics[b]) continue;
        switch (m->type[b]) {
        case SLIP_JOINT_FLOATING: integrate_floating(w, b, q, v, out, a); break;
        case SLIP_JOINT_PLANAR:   integrate_planar(w, b, q, v, out, a); break;
        case SLIP_JOINT_BALL:     integrate_ball(w, q, v, out); break;
        default:                  out[0] = q[0] + w->opt.dt*v[0]; break;
        }
    }
}
