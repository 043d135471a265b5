/* The manifold of q: rest, integration along a constant twist, difference, random configurations.
 * Exponentials and logarithms of SO3, SE2 and SE3 are those of Murray, Li and Sastry (1994), with series
 * where the closed forms lose digits. */
#include "rbd/kernel_private.h"

/* sin(t)/t, (1 - cos t)/t^2, (t - sin t)/t^3 */
static void config_series(slip_real t, slip_real *a, slip_real *b, slip_real *c)
{
    const slip_real t2 = t*t;

    if (slip_abs(t) < SLIP_TOL(0.01, 0.3)) {
        *a = 1 - t2/6*(1 - t2/20*(1 - t2/42));
        *b = SLIP_R(0.5)*(1 - t2/12*(1 - t2/30*(1 - t2/56)));
        *c = (1 - t2/20*(1 - t2/42*(1 - t2/72)))/6;
        return;
    }
    *a = slip_sin(t)/t;
    *b = (1 - slip_cos(t))/t2;
    *c = (1 - *a)/t2;
}

/* r = V(w) x with V = 1 + b [w]x + c [w]x^2: the displacement of a constant twist, in the start's axes. */
static void config_V(const slip_real w[3], const slip_real x[3], slip_real r[3])
{
    slip_real a, b, c, t1[3], t2[3];

    config_series(slip_norm3(w), &a, &b, &c);
    slip_cross3(w, x, t1);
    slip_cross3(w, t1, t2);
    r[0] = x[0] + b*t1[0] + c*t2[0];
    r[1] = x[1] + b*t1[1] + c*t2[1];
    r[2] = x[2] + b*t1[2] + c*t2[2];
}

void slip_so3_right_jacobian(const slip_real w[3], slip_real J[9])
{
    const slip_real x = w[0], y = w[1], z = w[2];
    slip_real a, b, c;

    config_series(slip_norm3(w), &a, &b, &c);            /* 1 - b [w]x + c [w]x^2 */
    J[0] = 1 - c*(y*y + z*z);  J[1] = b*z + c*x*y;        J[2] = -b*y + c*x*z;
    J[3] = -b*z + c*x*y;       J[4] = 1 - c*(x*x + z*z);  J[5] = b*x + c*y*z;
    J[6] = b*y + c*x*z;        J[7] = -b*x + c*y*z;       J[8] = 1 - c*(x*x + y*y);
}

/* r = V(w)^-1 x = x - w x x/2 + e w x (w x x),  e = (1 - a/(2b))/t^2. */
static void config_V_inverse(const slip_real w[3], const slip_real x[3], slip_real r[3])
{
    const slip_real t = slip_norm3(w), t2 = t*t;
    slip_real a, b, c, e, t1[3], t3[3];

    config_series(t, &a, &b, &c);
    e = t < SLIP_TOL(0.01, 0.3) ? (1 + t2/60*(1 + t2/42))/12 : (1 - a/(2*b))/t2;
    slip_cross3(w, x, t1);
    slip_cross3(w, t1, t3);
    r[0] = x[0] - t1[0]/2 + e*t3[0];
    r[1] = x[1] - t1[1]/2 + e*t3[1];
    r[2] = x[2] - t1[2]/2 + e*t3[2];
}

void slip_neutral(const slip_model *model, slip_real *q)
{
    int b, i;

    for (i = 0; i < model->nq; ++i) q[i] = 0;
    for (b = 1; b < model->nbodies; ++b) {
        if (model->type[b] == SLIP_JOINT_BALL) q[model->iq[b] + 3] = 1;
        if (model->type[b] == SLIP_JOINT_FLOATING) q[model->iq[b] + 6] = 1;
    }
}

static void config_turn(const slip_real quat[4], const slip_real w[3], slip_real out[4])
{
    slip_real e[4];

    slip_quat_exp(w, e);
    slip_quat_mul(quat, e, out);
    slip_quat_normalize(out, out);
}

/* One joint's part of q [+] v; x, y and out are that part of q, v and the result. */
static void config_integrate_joint(int type, const slip_real *x, const slip_real *v, slip_real dt, slip_real *out)
{
    slip_real w[3], d[3], R[9];

    switch (type) {
    case SLIP_JOINT_PLANAR:
        slip_set3(0, 0, dt*v[2], w);
        slip_set3(dt*v[0], dt*v[1], 0, d);
        config_V(w, d, d);
        {
            const slip_real c = slip_cos(x[2]), s = slip_sin(x[2]), px = x[0], py = x[1];

            out[0] = px + c*d[0] - s*d[1];
            out[1] = py + s*d[0] + c*d[1];
            out[2] = x[2] + w[2];
        }
        break;
    case SLIP_JOINT_BALL:
        slip_scale3(dt, v, w);
        config_turn(x, w, out);
        break;
    case SLIP_JOINT_FLOATING:
        slip_scale3(dt, v, d);
        slip_scale3(dt, v + 3, w);
        config_V(w, d, d);
        slip_quat_to_mat3(x + 3, R);
        slip_mat3_vec(R, d, d);
        slip_add3(x, d, out);
        config_turn(x + 3, w, out + 3);
        break;
    default: out[0] = x[0] + dt*v[0]; break;
    }
}

void slip_integrate(const slip_model *model, const slip_real *q, const slip_real *v, slip_real dt, slip_real *out)
{
    int b;

    for (b = 1; b < model->nbodies; ++b) {
        const int iq = model->iq[b], iv = model->dof_iv[model->idof[b]];

        if (!model->mimics[b]) config_integrate_joint(model->type[b], q + iq, v + iv, dt, out + iq);
    }
}

/* w with b = a exp(w/2), the shorter way round */
static void config_turn_between(const slip_real a[4], const slip_real b[4], slip_real w[3])
{
    slip_real inv[4], rel[4];

    slip_quat_conj(a, inv);
    slip_quat_mul(inv, b, rel);
    slip_quat_normalize(rel, rel);
    slip_quat_log(rel, w);
}

static void config_difference_joint(int type, const slip_real *x, const slip_real *y, slip_real *v)
{
    slip_real w[3], d[3], R[9];

    switch (type) {
    case SLIP_JOINT_PLANAR: {
        const slip_real c = slip_cos(x[2]), s = slip_sin(x[2]), dx = y[0] - x[0], dy = y[1] - x[1];

        slip_set3(0, 0, y[2] - x[2], w);
        slip_set3(c*dx + s*dy, c*dy - s*dx, 0, d);
        config_V_inverse(w, d, d);
        v[0] = d[0];  v[1] = d[1];  v[2] = w[2];
        break; }
    case SLIP_JOINT_BALL:
        config_turn_between(x, y, v);
        break;
    case SLIP_JOINT_FLOATING:
        config_turn_between(x + 3, y + 3, w);
        slip_quat_to_mat3(x + 3, R);
        slip_sub3(y, x, d);
        slip_mat3_tvec(R, d, d);
        config_V_inverse(w, d, v);
        slip_copy3(w, v + 3);
        break;
    default: v[0] = y[0] - x[0]; break;
    }
}

void slip_difference(const slip_model *model, const slip_real *q0, const slip_real *q1, slip_real *v)
{
    int b;

    for (b = 1; b < model->nbodies; ++b) {
        const int iq = model->iq[b], iv = model->dof_iv[model->idof[b]];

        if (!model->mimics[b]) config_difference_joint(model->type[b], q0 + iq, q1 + iq, v + iv);
    }
}

slip_status slip_normalize(const slip_model *model, slip_real *q)
{
    int b;

    if (slip_q_is_invalid(model, q)) return SLIP_ERR_ARGUMENT;
    for (b = 1; b < model->nbodies; ++b) {
        if (model->type[b] == SLIP_JOINT_BALL) slip_quat_normalize(q + model->iq[b], q + model->iq[b]);
        if (model->type[b] == SLIP_JOINT_FLOATING) slip_quat_normalize(q + model->iq[b] + 3, q + model->iq[b] + 3);
    }
    return SLIP_OK;
}

/* Uniform within limits, or within +-reach without. */
static slip_real config_random_within(const slip_model *m, int b, slip_random *rng, slip_real reach)
{
    const int iv = m->dof_iv[m->idof[b]];
    const slip_real lo = slip_is_finite(m->lower[iv]) ? m->lower[iv] : -reach;
    const slip_real hi = slip_is_finite(m->upper[iv]) ? m->upper[iv] : reach;

    return hi > lo ? slip_random_uniform(rng, lo, hi) : lo;
}

void slip_random_q(const slip_model *model, slip_random *rng, slip_real *q)
{
    int b, i;

    for (b = 1; b < model->nbodies; ++b) {
        slip_real *x = q + model->iq[b];

        if (model->mimics[b]) continue;
        switch (model->type[b]) {
        case SLIP_JOINT_PRISMATIC: x[0] = config_random_within(model, b, rng, 1); break;
        case SLIP_JOINT_PLANAR:
            x[0] = slip_random_uniform(rng, -1, 1);
            x[1] = slip_random_uniform(rng, -1, 1);
            x[2] = slip_random_uniform(rng, -SLIP_PI, SLIP_PI);
            break;
        case SLIP_JOINT_BALL: slip_random_quat(rng, x); break;
        case SLIP_JOINT_FLOATING:
            for (i = 0; i < 3; ++i) x[i] = slip_random_uniform(rng, -1, 1);
            slip_random_quat(rng, x + 3);
            break;
        default: x[0] = config_random_within(model, b, rng, SLIP_PI); break;
        }
    }
}
