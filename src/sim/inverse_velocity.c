/* Velocities of a step read backwards: from the axes of its end into those of its middle, and from two positions. Both
 * undo integrate.c, where floating and planar joints give their velocity in axes that turn with the body. */
#include "sim/inverse_private.h"

void slip_inverse_to_middle(const slip_world *w, slip_real *v)
{
    const slip_model *m = w->model;
    const slip_real back = -slip_sim_last_part(w);
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        slip_real *x = v + m->dof_iv[m->idof[b]], e[4];

        if (m->mimics[b]) continue;
        if (m->type[b] == SLIP_JOINT_FLOATING) slip_sim_turn(w, b, back, x, e);
        else if (m->type[b] == SLIP_JOINT_PLANAR) {
            const slip_real c = slip_cos(back*x[2]), s = slip_sin(back*x[2]), *at = w->fixed.centre + 3*b;
            const slip_real cx = x[0] - x[2]*at[1], cy = x[1] + x[2]*at[0];      /* of the centre of mass */

            x[0] = c*cx + s*cy + x[2]*at[1];
            x[1] = c*cy - s*cx - x[2]*at[0];
        }
    }
}

/* The angular velocity with which floating body b turns by exp(dt mean) in a step. */
static void inverse_mean_to_spin(const slip_world *w, int b, const slip_real mean[3], slip_real spin[3])
{
    enum { STEPS = 30 };
    slip_real y[6] = { 0, 0, 0, 0, 0, 0 }, e[4], d[3];
    int i;

    slip_copy3(mean, spin);
    for (i = 0; i < STEPS && w->fixed.free_single[b]; ++i) {
        slip_copy3(spin, y + 3);
        slip_sim_turn(w, b, w->opt.dt, y, e);
        slip_quat_log(e, d);
        slip_axpy3(-1/w->opt.dt, d, mean, d);
        slip_add3(spin, d, spin);
        if (slip_norm3(d) <= 8*SLIP_REAL_EPS*slip_norm3(spin)) break;
    }
}

/* back = q0^-1, and e = q0^-1 q1, the turn from q0 to q1. Like the step's, they need not be of length 1. */
static void inverse_turn_between(const slip_real *q0, const slip_real *q1, slip_real back[4], slip_real e[4])
{
    slip_real unit[4];

    slip_quat_conj(slip_sim_unit(q0, unit), back);
    slip_quat_mul(back, slip_sim_unit(q1, unit), e);
}

/* v of a floating body that moves from q0 to q1 in a step, in the axes of its end: undoes integrate_floating(). */
static void inverse_floating_between(const slip_world *w, int b, const slip_real *q0, const slip_real *q1, slip_real *v)
{
    const slip_real rate = 1/w->opt.dt, *c = w->fixed.centre + 3*b;
    slip_real e[4], back[4], d[3], arm[3];

    inverse_turn_between(q0 + 3, q1 + 3, back, e);
    slip_sub3(q1, q0, d);
    slip_quat_rotate(back, d, v);
    slip_sim_turned(e, c, arm);
    slip_add3(v, arm, v);                                      /* the way of the centre of mass */
    slip_scale3(rate, v, v);
    slip_quat_log(e, d);
    slip_scale3(rate, d, d);
    inverse_mean_to_spin(w, b, d, v + 3);
    slip_cross3(v + 3, c, arm);
    slip_sub3(v, arm, v);
    slip_sim_turn(w, b, w->opt.dt, v, e);
}

static void inverse_planar_between(const slip_world *w, int b, const slip_real *q0, const slip_real *q1, slip_real *v)
{
    const slip_real rate = 1/w->opt.dt, *at = w->fixed.centre + 3*b, turn = rate*(q1[2] - q0[2]);
    const slip_real c = slip_cos(q1[2]), s = slip_sin(q1[2]), dc = c - slip_cos(q0[2]), ds = s - slip_sin(q0[2]);
    const slip_real x = q1[0] - q0[0] + dc*at[0] - ds*at[1], y = q1[1] - q0[1] + ds*at[0] + dc*at[1];

    slip_set3(rate*(c*x + s*y) + turn*at[1], rate*(c*y - s*x) - turn*at[0], turn, v);
}

void slip_velocity_between(const slip_world *w, const slip_real *q0, const slip_real *q1, slip_real *v)
{
    const slip_model *m = w->model;
    const slip_real rate = 1/w->opt.dt;
    int b;

    for (b = 1; b < m->nbodies; ++b) {
        const slip_real *from = q0 + m->iq[b], *to = q1 + m->iq[b];
        slip_real *x = v + m->dof_iv[m->idof[b]], e[4], back[4];

        if (m->mimics[b]) continue;
        switch (m->type[b]) {
        case SLIP_JOINT_FLOATING: inverse_floating_between(w, b, from, to, x); break;
        case SLIP_JOINT_PLANAR:   inverse_planar_between(w, b, from, to, x); break;
        case SLIP_JOINT_BALL:
            inverse_turn_between(from, to, back, e);
            slip_quat_log(e, x);
            slip_scale3(rate, x, x);
            break;
        default: x[0] = rate*(to[0] - from[0]); break;
        }
    }
}
