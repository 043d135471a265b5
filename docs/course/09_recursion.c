/* Newton-Euler's recursion for a chain of rods in a plane, then M and forward dynamics from it, beside the library. */
#include <math.h>
#include <stdio.h>
#include "slipstick.h"

enum { N = 2 };                                              /* the rods of models/double_pendulum.urdf */
static const double length[N] = { 0.5, 0.5 }, mass[N] = { 1, 0.6 }, inertia[N] = { 0.0208583333, 0.012515 };

/* tau = M a + bias of hinges about y; x to the front, z up, every rod hangs along -z at q = 0. */
static void rnea(const double *q, const double *v, const double *acc, double gravity, double *tau)
{
    double angle = 0, w = 0, alpha = 0, a[2] = { 0, gravity };      /* the world accelerates upwards */
    double f[N][2], n[N], r[N][2];

    for (int i = 0; i < N; ++i) {                                   /* outwards: motion, then force = m a */
        double c[2], ac[2];

        angle += q[i];  w += v[i];  alpha += acc[i];
        r[i][0] = -length[i]*sin(angle);                            /* from this hinge to the next */
        r[i][1] = -length[i]*cos(angle);
        c[0] = r[i][0]/2;  c[1] = r[i][1]/2;                        /* the centre of mass */
        ac[0] = a[0] + alpha*c[1] - w*w*c[0];
        ac[1] = a[1] - alpha*c[0] - w*w*c[1];
        f[i][0] = mass[i]*ac[0];  f[i][1] = mass[i]*ac[1];
        n[i] = inertia[i]*alpha + c[1]*f[i][0] - c[0]*f[i][1];      /* moment about the hinge */
        a[0] += alpha*r[i][1] - w*w*r[i][0];                        /* the next hinge */
        a[1] += -alpha*r[i][0] - w*w*r[i][1];
    }
    for (int i = N - 1; i >= 0; --i) {                              /* inwards: each force goes to the parent */
        tau[i] = n[i];
        if (i == 0) break;
        f[i - 1][0] += f[i][0];  f[i - 1][1] += f[i][1];
        n[i - 1] += n[i] + r[i - 1][1]*f[i][0] - r[i - 1][0]*f[i][1];
    }
}

int main(void)
{
    static unsigned char memory[1 << 16];
    const double q[N] = { 0.4, 0.7 }, v[N] = { 1, -2 }, a[N] = { 3, 4 }, zero[N] = { 0, 0 };
    double tau[N], bias[N], M[N][N], b[N], det;
    slip_real sq[N], sv[N], sa[N], stau[N], sM[N*N];
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    const slip_model *model;
    slip_data *data;
    slip_urdf robot;

    if (slip_urdf_load("models/double_pendulum.urdf", NULL, &mem, &robot, NULL, NULL) < 0
        || slip_model_build(&robot.def, &mem, &model, NULL, NULL) < 0
        || slip_data_create(model, &mem, &data) < 0) return 1;
    for (int i = 0; i < N; ++i) { sq[i] = (slip_real)q[i];  sv[i] = (slip_real)v[i];  sa[i] = (slip_real)a[i]; }

    rnea(q, v, a, 9.81, tau);
    slip_rnea(model, data, sq, sv, sa, NULL, stau);
    printf("tau      by hand %.6f %.6f   slip_rnea  %.6f %.6f N m\n", tau[0], tau[1], (double)stau[0], (double)stau[1]);

    for (int j = 0; j < N; ++j) {                            /* column j of M: the torques of a unit acceleration */
        const double e[N] = { j == 0, j == 1 };

        rnea(q, zero, e, 0, b);
        for (int i = 0; i < N; ++i) M[i][j] = b[i];
    }
    slip_crba(model, data, sq);
    slip_mass_matrix(model, data, sM);
    printf("M        by hand %.6f %.6f %.6f   slip_crba  %.6f %.6f %.6f kg m^2\n", M[0][0], M[0][1], M[1][1],
           (double)sM[0], (double)sM[1], (double)sM[3]);

    rnea(q, v, zero, 9.81, bias);                            /* the forces of a motion without acceleration */
    det = M[0][0]*M[1][1] - M[0][1]*M[1][0];
    b[0] = ((tau[0] - bias[0])*M[1][1] - (tau[1] - bias[1])*M[0][1])/det;
    b[1] = ((tau[1] - bias[1])*M[0][0] - (tau[0] - bias[0])*M[1][0])/det;
    slip_aba(model, data, sq, sv, stau, NULL, sa);
    printf("a        by hand %.6f %.6f   slip_aba   %.6f %.6f rad/s^2\n", b[0], b[1], (double)sa[0], (double)sa[1]);
    return 0;
}
