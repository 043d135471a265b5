/* From velocities to positions: q+ = q [+] dt v+, with the axes of the step's start (see free_velocity.c):
 * origins move straight, p+ = p + dt R v, orientations turn by exp(dt w), and velocities are then expressed
 * in the new axes. A body that floats alone keeps its angular momentum in the world's axes to rounding. */
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
    const slip_real dt = w->opt.dt;
    slip_real turn[3], L[3];

    slip_scale3(dt, v + 3, turn);
    if (w->free_single[b]) {
        const slip_real *I = w->model->inertia + 10*b + 4, *inverse = w->inertia_inv + 6*b;
        slip_real half[3], mid[3];

        slip_sym3_vec(I, v + 3, L);                      /* turns with the angular velocity half way: second order */
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
}

static void integrate_floating(const slip_world *w, int b, const slip_real *q, slip_real *v, slip_real *out)
{
    slip_real e[4], d[3];

    slip_quat_rotate(q + 3, v, d);
    slip_axpy3(w->opt.dt, d, q, out);
    slip_sim_turn(w, b, v, e);
    slip_quat_mul(q + 3, e, out + 3);
    slip_quat_normalize(out + 3, out + 3);
}

static void integrate_planar(const slip_world *w, const slip_real *q, slip_real *v, slip_real *out)
{
    const slip_real dt = w->opt.dt, c = slip_cos(q[2]), s = slip_sin(q[2]), turn = dt*v[2];
    const slip_real ct = slip_cos(turn), st = slip_sin(turn), x = v[0], y = v[1];

    out[0] = q[0] + dt*(c*x - s*y);
    out[1] = q[1] + dt*(s*x + c*y);
    out[2] = q[2] + turn;
    v[0] = ct*x + st*y;
    v[1] = ct*y - st*x;
}

static void integrate_ball(const slip_world *w, const slip_real *q, const slip_real *v, slip_real *out)
{
    slip_real turn[3], e[4];

    slip_scale3(w->opt.dt, v, turn);
    slip_quat_exp(turn, e);
    slip_quat_mul(q, e, out);
    slip_quat_normalize(out, out);
}

void slip_sim_integrate(slip_world *w)
{
    const slip_model *m = w->model;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const int iq = m->iq[b], iv = m->dof_iv[m->idof[b]];
        const slip_real *q = w->q + iq;
        slip_real *v = w->v_next + iv, *out = w->q_next + iq;

        if (m->mimics[b]) continue;
        switch (m->type[b]) {
        case SLIP_JOINT_FLOATING: integrate_floating(w, b, q, v, out); break;
        case SLIP_JOINT_PLANAR:   integrate_planar(w, q, v, out); break;
        case SLIP_JOINT_BALL:     integrate_ball(w, q, v, out); break;
        default:                  out[0] = q[0] + w->opt.dt*v[0]; break;
        }
    }
}
