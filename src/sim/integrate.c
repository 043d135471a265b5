/* From velocities to positions: q+ = q [+] h v, the motion without forces for a time h. Origins of floating joints move
 * straight, p+ = p + h R v, orientations turn by exp(h w), and velocities are then expressed in the new axes. Of a body
 * that floats alone it is the centre of mass c that moves straight, with its momentum, and its angular momentum L about
 * c stays as it is in the world's axes. With v_c = v + w x c:
 *
 *   E = exp(h (w + w+)/2),  w+ = I_c^-1 E' I_c w,  v+ = E' v_c - w+ x c,  p+ = p + R (h v_c - (E - 1) c)
 *
 * E turns about the mean of w and w+, so that (w+ + w)/2 . (E' - 1) L = 0: the energy of rotation stays exactly what it
 * was, as L does (after Simo and Wong 1991, whose midpoint rule has this property). -h takes the same way back. */
#include "sim/world_private.h"

#include <string.h>

/* Relative error of the rotation's energy in one call at which the iteration for w+ ends. */
#define INTEGRATE_EXACT SLIP_TOL(1e-14, 1e-7)

/* r = E' x for the rotation E of a quaternion. */
static void integrate_unturn(const slip_real e[4], const slip_real x[3], slip_real r[3])
{
    slip_real inverse[4];

    slip_quat_conj(e, inverse);
    slip_quat_rotate(inverse, x, r);
}

void slip_sim_spin_rate(const slip_world *w, int b, const slip_real spin[3], slip_real rate[3])
{
    slip_real L[3];

    slip_sym3_vec(w->fixed.inertia_centre + 6*b, spin, L);
    slip_cross3(L, spin, rate);
    slip_sym3_vec(w->fixed.inertia_inv + 6*b, rate, rate);
}

/* w [3] of a body that floats alone after the time h, and its turn e: the mean m of w and w+ = I^-1 E(h m)' L by
 * Newton's method, with d(E'L) = h (E'L) x dm. A plain iteration does not converge for slender rods: a round changes
 * the error by the factor h |w| I_max/I_min. The energy is off by h |w| times the last change of the mean. */
static void integrate_spin(const slip_world *w, int b, slip_real h, slip_real spin[3], slip_real e[4])
{
    enum { ROUNDS = 20 };
    const slip_real size = slip_norm3(spin), enough = INTEGRATE_EXACT*size;
    slip_real L[3], mean[3], turn[3], next[3], x[3], A[9], change;
    int i, k;

    slip_sym3_vec(w->fixed.inertia_centre + 6*b, spin, L);
    slip_sim_spin_rate(w, b, spin, mean);
    slip_axpy3(h/2, mean, spin, mean);
    slip_scale3(h, mean, turn);
    slip_quat_exp(turn, e);
    if (h*h*size*size <= SLIP_R(2e-16)) {                /* so slow that w+ is linear in h to a double's rounding */
        slip_scale3(2, mean, next);
        slip_sub3(next, spin, spin);
        return;
    }
    for (i = 0; i < ROUNDS; ++i) {
        integrate_unturn(e, L, next);
        slip_sym3_vec(w->fixed.inertia_inv + 6*b, next, next);
        slip_add3(spin, next, turn);
        slip_scale3(SLIP_R(0.5), turn, turn);
        slip_sub3(turn, mean, turn);
        change = slip_norm3(turn);
        if (slip_abs(h)*size*change <= enough) break;
        integrate_unturn(e, L, x);
        for (k = 0; k < 3; ++k) {                        /* columns of 1 - h/2 I^-1 [E'L]x */
            slip_real column[3] = { 0, 0, 0 }, turned[3];

            column[k] = 1;
            slip_cross3(x, column, turned);
            slip_sym3_vec(w->fixed.inertia_inv + 6*b, turned, turned);
            slip_axpy3(-h/2, turned, column, column);
            A[k] = column[0];
            A[3 + k] = column[1];
            A[6 + k] = column[2];
        }
        if (slip_mat3_inverse(A, A) != 0) slip_mat3_vec(A, turn, turn);
        slip_add3(mean, turn, mean);
        slip_scale3(h, mean, turn);
        slip_quat_exp(turn, e);
    }
    slip_copy3(next, spin);
}

void slip_sim_turn(const slip_world *w, int b, slip_real h, slip_real v[6], slip_real e[4])
{
    const slip_real *c = w->fixed.centre + 3*b;
    slip_real t[3];

    slip_cross3_add(v + 3, c, v);                        /* of the centre of mass until the end */
    if (w->fixed.free_single[b]) integrate_spin(w, b, h, v + 3, e);
    else {
        slip_scale3(h, v + 3, t);
        slip_quat_exp(t, e);
    }
    integrate_unturn(e, v, v);
    slip_cross3(v + 3, c, t);
    slip_sub3(v, t, v);
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

void slip_sim_turn_accel(const slip_world *w, int b, const slip_real spin[3], slip_real accel[6])
{
    const slip_real *c = w->fixed.centre + 3*b;
    slip_real rate[3], t[3];

    slip_sim_spin_rate(w, b, spin, rate);
    slip_add3(accel + 3, rate, accel + 3);
    slip_cross3(rate, c, t);                             /* the origin goes round the centre of mass */
    slip_sub3(accel, t, accel);
    slip_cross3(spin, c, t);
    slip_cross3(spin, t, t);
    slip_sub3(accel, t, accel);
}

const slip_real *slip_sim_unit(const slip_real q[4], slip_real e[4])
{
    const slip_real off = q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3] - 1;

    if (slip_abs(off) <= SLIP_TOL(1e-14, 1e-6)) return q;
    slip_quat_normalize(q, e);
    return e;
}

/* q+ and v+ of a floating joint, by the equations at the head of this file. */
static void integrate_floating(const slip_world *w, int b, slip_real h, const slip_real *q, slip_real *v,
                               slip_real *out)
{
    slip_real e[4], unit[4], d[3], arm[3];
    const slip_real *now = slip_sim_unit(q + 3, unit);

    slip_copy3(v, d);
    slip_cross3_add(v + 3, w->fixed.centre + 3*b, d);
    slip_scale3(h, d, d);
    slip_sim_turn(w, b, h, v, e);
    if (w->fixed.has_offset) {
        slip_sim_turned(e, w->fixed.centre + 3*b, arm);
        slip_sub3(d, arm, d);
    }
    slip_quat_rotate(now, d, d);
    slip_add3(q, d, out);
    slip_quat_mul(now, e, out + 3);
    slip_quat_normalize(out + 3, out + 3);
}

/* The same in a plane, where the angular velocity stays: arm = (E - 1) c. */
static void integrate_planar(const slip_world *w, int b, slip_real h, const slip_real *q, slip_real *v, slip_real *out)
{
    const slip_real c = slip_cos(q[2]), s = slip_sin(q[2]), turn = h*v[2], *at = w->fixed.centre + 3*b;
    const slip_real ct = slip_cos(turn), st = slip_sin(turn), versine = 2*slip_sin(turn/2)*slip_sin(turn/2);
    const slip_real arm[2] = { -versine*at[0] - st*at[1], st*at[0] - versine*at[1] };
    const slip_real x = v[0] - v[2]*at[1], y = v[1] + v[2]*at[0], dx = h*x - arm[0], dy = h*y - arm[1];

    out[0] = q[0] + c*dx - s*dy;
    out[1] = q[1] + s*dx + c*dy;
    out[2] = q[2] + turn;
    v[0] = ct*x + st*y + v[2]*at[1];
    v[1] = ct*y - st*x - v[2]*at[0];
}

static void integrate_ball(slip_real h, const slip_real *q, const slip_real *v, slip_real *out)
{
    slip_real turn[3], e[4];

    slip_scale3(h, v, turn);
    slip_quat_exp(turn, e);
    slip_quat_mul(q, e, out);
    slip_quat_normalize(out, out);
}

void slip_sim_drift(const slip_world *w, const slip_real *q, slip_real h, slip_real *v, slip_real *q_next)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int iq = m->iq[b], iv = m->dof_iv[m->idof[b]];

        if (m->mimics[b]) continue;
        switch (m->type[b]) {
        case SLIP_JOINT_FLOATING: integrate_floating(w, b, h, q + iq, v + iv, q_next + iq); break;
        case SLIP_JOINT_PLANAR:   integrate_planar(w, b, h, q + iq, v + iv, q_next + iq); break;
        case SLIP_JOINT_BALL:     integrate_ball(h, q + iq, v + iv, q_next + iq); break;
        default:                  q_next[iq] = q[iq] + h*v[iv]; break;
        }
    }
}

void slip_phase_integrate(const slip_world *w, const slip_step_input *in, slip_real *v_next, slip_real *q_next)
{
    slip_sim_drift(w, in->q, slip_sim_last_part(w), v_next, q_next);
    if (w->step.nprescribed > 0) slip_sim_prescribe_end(w, v_next, q_next);
}
