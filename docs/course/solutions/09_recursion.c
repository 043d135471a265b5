/* The articulated-body recursion for a chain of rods in a plane: forward dynamics without M, beside slip_aba. */
#include <math.h>
#include <stdio.h>
#include "slipstick.h"

enum { N = 2 };
static const double length[N] = { 0.5, 0.5 }, mass[N] = { 1, 0.6 }, inertia[N] = { 0.0208583333, 0.012515 };

/* Accelerations of hinges about y. Motions and forces at a rod's hinge are (x, z, about y); IA is 3 x 3. */
static void aba(const double *q, const double *v, const double *tau, double gravity, double *acc)
{
    double angle = 0, w = 0, a0[2] = { 0, gravity }, r[N][2], IA[N][3][3], p[N][3], U[N][3], D[N], u[N];
    double delta[3] = { 0, 0, 0 };

    for (int i = 0; i < N; ++i) {                            /* outwards: motion without joint accelerations */
        double c[2], f[2];

        angle += q[i];  w += v[i];
        r[i][0] = -length[i]*sin(angle);  r[i][1] = -length[i]*cos(angle);
        c[0] = r[i][0]/2;  c[1] = r[i][1]/2;
        for (int k = 0; k < 2; ++k) f[k] = mass[i]*(a0[k] - w*w*c[k]);
        p[i][0] = f[0];  p[i][1] = f[1];  p[i][2] = c[1]*f[0] - c[0]*f[1];
        for (int k = 0; k < 9; ++k) IA[i][k/3][k % 3] = 0;   /* force of an acceleration (x, z, alpha) of the hinge */
        IA[i][0][0] = IA[i][1][1] = mass[i];
        IA[i][0][2] = IA[i][2][0] = mass[i]*c[1];
        IA[i][1][2] = IA[i][2][1] = -mass[i]*c[0];
        IA[i][2][2] = inertia[i] + mass[i]*(c[0]*c[0] + c[1]*c[1]);
        for (int k = 0; k < 2; ++k) a0[k] -= w*w*r[i][k];
    }
    for (int i = N - 1; i >= 0; --i) {                       /* inwards: eliminate the hinge, hand on the rest */
        for (int k = 0; k < 3; ++k) U[i][k] = IA[i][k][2];
        D[i] = U[i][2];
        u[i] = tau[i] - p[i][2];
        if (i == 0) break;
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) IA[i][j][k] -= U[i][j]*U[i][k]/D[i];
            p[i][j] += U[i][j]*u[i]/D[i];
        }
        for (int j = 0; j < 3; ++j)                          /* X = (1 0 rz; 0 1 -rx; 0 0 1): IA_p += X' IA X */
            for (int k = 0; k < 3; ++k) {
                const double X[3][3] = { { 1, 0, r[i - 1][1] }, { 0, 1, -r[i - 1][0] }, { 0, 0, 1 } };

                for (int s = 0; s < 9; ++s) IA[i - 1][j][k] += X[s/3][j]*IA[i][s/3][s % 3]*X[s % 3][k];
                p[i - 1][j] += X[k][j]*p[i][k];
            }
    }
    for (int i = 0; i < N; ++i) {                            /* outwards: accelerations; delta is what they add */
        if (i > 0) { delta[0] += r[i - 1][1]*delta[2];  delta[1] -= r[i - 1][0]*delta[2]; }
        acc[i] = (u[i] - U[i][0]*delta[0] - U[i][1]*delta[1] - U[i][2]*delta[2])/D[i];
        delta[2] += acc[i];
    }
}

int main(void)
{
    static unsigned char memory[1 << 16];
    const double q[N] = { 0.4, 0.7 }, v[N] = { 1, -2 }, tau[N] = { 5, -1 };
    double acc[N];
    slip_real sq[N], sv[N], stau[N], sa[N];
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    const slip_model *model;
    slip_data *data;
    slip_urdf robot;

    if (slip_urdf_load("models/double_pendulum.urdf", NULL, &mem, &robot, NULL, NULL) < 0
        || slip_model_build(&robot.def, &mem, &model, NULL, NULL) < 0
        || slip_data_create(model, &mem, &data) < 0) return 1;
    for (int i = 0; i < N; ++i) { sq[i] = (slip_real)q[i];  sv[i] = (slip_real)v[i];  stau[i] = (slip_real)tau[i]; }
    aba(q, v, tau, 9.81, acc);
    slip_aba(model, data, sq, sv, stau, NULL, sa);
    printf("a  by hand %.6f %.6f  slip_aba %.6f %.6f rad/s^2\n", acc[0], acc[1], (double)sa[0], (double)sa[1]);
    return 0;
}
