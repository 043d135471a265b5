/* How fast does the trot of lesson 10 go, and where does it fall? The same rule at other speeds and periods. */
#include <stdio.h>
#include "slipstick.h"

enum { LEGS = 4, NV = 18 };
static double speed = 0.3, period = 0.3, lift = 0.05;                /* the rule, to be changed [m/s, s, m] */
static const double spring = 400, damper = 40, drive = 30, correct = 0.03, swing = 120, swing_damper = 4;

static unsigned char memory[16 << 20];
static slip_real home[LEGS][3], height;                      /* feet at the start, in the base's axes; its height */
static int base, foot[LEGS];                                 /* links */
static slip_joint_place hip_joint[LEGS];                     /* the first of a leg's three joints */

/* Before each step: plans the force f of the ground on every foot; its torques are -J' f. */
static void control(void *unused, slip_world *world)
{
    const slip_model *m = slip_world_model(world);
    slip_data *data = slip_world_data(world);
    const double t = slip_world_time(world) - 0.5, go = t > 0 ? speed : 0, weight = 9.81*slip_total_mass(m);
    slip_real *tau = slip_world_tau(world), v[6], vf[6], J[6*NV];
    slip_pose X, F;

    (void)unused;
    slip_kinematics(m, data, slip_world_q(world));
    slip_velocities(m, data, slip_world_v(world));
    slip_link_pose(m, data, base, &X);
    slip_link_velocity(m, data, base, v);
    for (int i = 0; i < LEGS; ++i) {
        const double turns = t/period + (i == 1 || i == 2 ? 0.5 : 0) + 1;           /* diagonal legs together */
        const double phase = 2*(turns - (int)turns) - 1;                            /* 0 to 1: swings */
        double arm[3], hip[3], vh[3], f[3];

        slip_link_pose(m, data, foot[i], &F);
        slip_link_velocity(m, data, foot[i], vf);
        for (int k = 0; k < 3; ++k) {                        /* the point of the trunk above the foot's home */
            arm[k] = X.R[3*k]*home[i][0] + X.R[3*k + 1]*home[i][1];
            hip[k] = X.p[k] + arm[k];
        }
        for (int k = 0; k < 3; ++k)                          /* v + w x arm */
            vh[k] = v[k] + v[3 + (k + 1) % 3]*arm[(k + 2) % 3] - v[3 + (k + 2) % 3]*arm[(k + 1) % 3];
        if (t < 0 || phase < 0) {                            /* stands: a spring under the hip, a damper drives */
            f[0] = drive*(go - vh[0]);  f[1] = -drive*vh[1];
            f[2] = weight/(t < 0 ? 4 : 2) + spring*(height - hip[2]) - damper*vh[2];
        } else {                                             /* swings to where it will stand under the hip */
            const double to[3] = { hip[0] + vh[0]*period/4 + correct*(vh[0] - go),
                                   hip[1] + vh[1]*period/4 + correct*vh[1], 4*lift*phase*(1 - phase) };

            for (int k = 0; k < 3; ++k)
                f[k] = -swing*(to[k] - F.p[k]) - swing_damper*((k < 2 ? vh[k] : 0) - vf[k]);
        }
        slip_link_jacobian(m, data, foot[i], SLIP_FRAME_ALIGNED, J);
        for (int j = hip_joint[i].iv; j < hip_joint[i].iv + 3; ++j)
            tau[j] = (slip_real)-(f[0]*J[j] + f[1]*J[NV + j] + f[2]*J[2*NV + j]);
    }
}

/* Five seconds at the present speed and period: the way of the last second [m], and how high a foot came [m]. */
static int run(double *way, double *highest)
{
    static const char *const names[2][LEGS] = { { "lf_foot", "rf_foot", "lh_foot", "rh_foot" },
                                                { "lf_haa", "rf_haa", "lh_haa", "rh_haa" } };
    slip_arena mem = slip_arena_over(memory, sizeof memory);
    slip_world *world;
    double before = 0;

    if (slip_scene_load_world("models/solo12_trot.xml", &mem, &world, NULL, NULL) < 0) return 0;
    base = slip_model_find_link(slip_world_model(world), "base");
    slip_world_update(world);
    height = slip_world_q(world)[2];
    *highest = 0;
    for (int i = 6; i < NV; ++i) { slip_world_drive(world, i)->kp = 0;  slip_world_drive(world, i)->kd = SLIP_R(0.1); }
    for (int i = 0; i < LEGS; ++i) {
        slip_pose F;

        foot[i] = slip_model_find_link(slip_world_model(world), names[0][i]);
        slip_model_find_place(slip_world_model(world), names[1][i], &hip_joint[i]);
        slip_link_pose(slip_world_model(world), slip_world_data(world), foot[i], &F);
        for (int k = 0; k < 3; ++k) home[i][k] = F.p[k];
    }
    slip_world_set_control(world, control, NULL);
    for (int k = 1; k <= 5000; ++k) {
        slip_pose F;

        if (slip_step(world) < 0) return 0;
        for (int i = 0; i < LEGS; ++i) {
            slip_link_pose(slip_world_model(world), slip_world_data(world), foot[i], &F);
            if (F.p[2] > *highest) *highest = F.p[2];
        }
        if (k == 4000) before = slip_world_q(world)[0];
    }
    *way = slip_world_q(world)[0] - before;
    return 1;
}

int main(void)
{
    printf("period s  asked m/s  walks m/s  highest foot m\n");
    for (int k = 0; k < 2; ++k) {
        period = k == 0 ? 0.3 : 0.4;
        for (int i = 1; i <= 4; ++i) {
            double way, highest;

            speed = 0.2*i;
            if (!run(&way, &highest)) return 1;
            printf("%8.2f  %9.1f  %9.3f  %14.3f%s\n", period, speed, way, highest,
                   highest > 4*lift ? "  stumbles" : "");
        }
    }
    return 0;
}
