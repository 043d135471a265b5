/* See balance.h. With q the configuration, g(q) the forces that carry the robot's weight, J_i the Jacobian of foot i's
 * contact point and f_i the force on it, a robot at rest obeys
 *
 *     tau + sum J_i' f_i = g(q),      tau = 0 in the six rows of the base.
 *
 * The rows of the base, with a spring and a damper that hold it added, are A f = h; of all f the one of least norm is
 * A' (A A')^-1 h. The other rows then give the torques. */
#include "balance.h"

#include <math.h>
#include <string.h>

#ifdef SLIP_REAL_FLOAT
#define BALANCE_SQRT sqrtf
#else
#define BALANCE_SQRT sqrt
#endif

/* The base returns as a critically damped oscillator of two hertz. */
#define BALANCE_OMEGA (2*SLIP_PI*2)

slip_status balance_begin(balance *b, slip_world *world, const int feet[BALANCE_FEET], slip_real radius)
{
    int i;

    memset(b, 0, sizeof *b);
    b->model = slip_world_model(world);
    b->radius = radius;
    if (b->model->nv > BALANCE_MOST_NV) return SLIP_ERR_ARGUMENT;
    memcpy(b->foot, feet, sizeof b->foot);
    for (i = 0; i < 3; ++i) b->p[i] = slip_world_q(world)[i];
    return SLIP_OK;
}

/* J of a foot's lowest point: its origin's velocity plus w x d, d = (0, 0, -radius). */
static void balance_jacobian(balance *b, const slip_data *data, int foot)
{
    const int nv = b->model->nv;
    slip_real *J = b->J[foot];
    const slip_real *w = b->J6 + 3*nv;
    int k;

    slip_link_jacobian(b->model, data, b->foot[foot], SLIP_FRAME_ALIGNED, b->J6);
    memcpy(J, b->J6, 3*(size_t)nv*sizeof *J);
    for (k = 0; k < nv; ++k) {
        J[k] -= b->radius*w[nv + k];
        J[nv + k] += b->radius*w[k];
    }
}

/* h: the base's weight, and what holds it; in the base's axes, as its coordinates are. */
static void balance_wanted(const balance *b, const slip_data *data, const slip_real *v, slip_real mass, slip_real h[6])
{
    const slip_real *R = data->pose[1].R, *p = data->pose[1].p;
    const slip_real turn[3] = { (R[7] - R[5])/2, (R[2] - R[6])/2, (R[3] - R[1])/2 };     /* axis times sine */
    slip_real inertia = 0;
    int i, k;

    for (i = 0; i < BALANCE_FEET; ++i) {                 /* as if the mass were above the feet */
        slip_pose X;

        slip_link_pose(b->model, data, b->foot[i], &X);
        for (k = 0; k < 2; ++k) inertia += mass*(X.p[k] - p[k])*(X.p[k] - p[k])/BALANCE_FEET;
    }
    for (i = 0; i < 3; ++i) {
        slip_real e = 0;

        for (k = 0; k < 3; ++k) e += R[3*k + i]*(b->p[k] - p[k]);
        h[i] = b->gravity[i] + mass*BALANCE_OMEGA*(BALANCE_OMEGA*e - 2*v[i]);
        h[3 + i] = b->gravity[3 + i] - inertia*BALANCE_OMEGA*(BALANCE_OMEGA*turn[i] + 2*v[3 + i]);
    }
}

/* x <- S^-1 x for a symmetric positive definite S, whose lower triangle becomes its Cholesky factor. */
static void balance_solve(slip_real S[36], slip_real x[6])
{
    int i, j, k;

    for (i = 0; i < 6; ++i)
        for (j = 0; j <= i; ++j) {
            slip_real s = S[6*i + j];

            for (k = 0; k < j; ++k) s -= S[6*i + k]*S[6*j + k];
            S[6*i + j] = i == j ? 1/BALANCE_SQRT(s) : s*S[6*j + j];
        }
    for (i = 0; i < 6; ++i) {
        for (k = 0; k < i; ++k) x[i] -= S[6*i + k]*x[k];
        x[i] *= S[6*i + i];
    }
    for (i = 5; i >= 0; --i) {
        for (k = i + 1; k < 6; ++k) x[i] -= S[6*k + i]*x[k];
        x[i] *= S[6*i + i];
    }
}

/* The forces of least norm with A f = h: A has the first six columns of all J. */
static void balance_forces(balance *b, slip_real h[6])
{
    const int nv = b->model->nv;
    slip_real S[36];
    int i, j, foot, row;

    for (i = 0; i < 6; ++i)
        for (j = 0; j <= i; ++j) {
            slip_real s = 0;

            for (foot = 0; foot < BALANCE_FEET; ++foot)
                for (row = 0; row < 3; ++row) s += b->J[foot][row*nv + i]*b->J[foot][row*nv + j];
            S[6*i + j] = s;
        }
    balance_solve(S, h);
    for (foot = 0; foot < BALANCE_FEET; ++foot)
        for (row = 0; row < 3; ++row) {
            slip_real f = 0;

            for (i = 0; i < 6; ++i) f += b->J[foot][row*nv + i]*h[i];
            b->force[3*foot + row] = f;
        }
}

void balance_control(void *context, slip_world *world)
{
    balance *b = (balance *)context;
    slip_data *data = slip_world_data(world);            /* scratch between steps */
    const slip_real *q = slip_world_q(world), *v = slip_world_v(world);
    slip_real *tau = slip_world_tau(world), h[6];
    const int nv = b->model->nv;
    int i, foot, row;

    if (slip_gravity(b->model, data, q, b->gravity) < 0) return;
    for (foot = 0; foot < BALANCE_FEET; ++foot) balance_jacobian(b, data, foot);
    balance_wanted(b, data, v, slip_total_mass(b->model), h);
    balance_forces(b, h);
    for (i = 6; i < nv; ++i) {
        tau[i] = b->gravity[i];
        for (foot = 0; foot < BALANCE_FEET; ++foot)
            for (row = 0; row < 3; ++row) tau[i] -= b->J[foot][row*nv + i]*b->force[3*foot + row];
    }
}
