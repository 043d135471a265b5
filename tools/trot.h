/* A trotting quadruped: example of a controller behind slip_world_set_control().
 *
 * It has two halves with a small interface. A planner reads the robot's state and plans each foot: the place of a
 * swinging foot, the force of a standing one. The leg controller below it turns that into joint torques and drive
 * targets by the feet's Jacobians. The planner here is simple (Raibert's foot placement and a virtual spring on the
 * trunk) or looks ahead (mpc.h), for which the state has the momenta and the inertia of the whole robot as well. Others
 * take its place with trot_set_planner().
 *
 * The robot must have joints P_haa, P_hfe, P_kfe and links P_foot for P in lf, rf, lh, rh, on a free base whose x is
 * forward: models/quadruped.urdf, models/solo12.urdf. */
#ifndef SLIP_TOOLS_TROT_H
#define SLIP_TOOLS_TROT_H

#include "sim_run.h"

enum { TROT_LF, TROT_RF, TROT_LH, TROT_RH, TROT_LEGS };

/* Commanded velocities, in the robot's own axes. */
typedef struct {
    slip_real forward, sideways;     /* [m/s]                                                                */
    slip_real turn;                  /* [rad/s]                                                              */
    int predicts;                    /* by the model-predictive planner (mpc.h)                              */
    slip_real friction;              /* what that planner believes of the ground; 0: its own 0.2             */
} trot_command;

/* Input of a planner; world axes, feet in the order of the enum. */
typedef struct {
    slip_real time, dt;              /* [s]                                                                  */
    slip_real mass;                  /* of the whole robot [kg]                                              */
    slip_real position[3], R[9];     /* base frame: origin, axes                                             */
    slip_real velocity[3], omega[3];
    slip_real com[3];                /* of the whole robot                                                   */
    slip_real com_velocity[3];
    slip_real inertia[9];            /* of the whole robot as it stands, about its centre of mass [kg m^2]   */
    slip_real spin[3];               /* its angular momentum about there, legs included [kg m^2/s]           */
    slip_real gravity[3];            /* [m/s^2]                                                              */
    slip_real foot[TROT_LEGS][3];    /* centres of the feet                                                  */
    slip_real foot_velocity[TROT_LEGS][3];
    slip_real hip[TROT_LEGS][3];     /* above where the feet stood at the start, moving with the base        */
    slip_real height;                /* of the base above the feet at the start                              */
    int touches[TROT_LEGS];          /* the foot pressed on something in the last step                       */
    slip_real normal[TROT_LEGS][3];  /* of what it pressed on, towards the foot; where it did not: up        */
} trot_state;

/* Output of a planner. */
typedef struct {
    int stance[TROT_LEGS];
    slip_real force[TROT_LEGS][3];   /* stance: force of the ground on the foot [N]                          */
    slip_real foot[TROT_LEGS][3];    /* swing: where the foot should be now, and its velocity                */
    slip_real foot_velocity[TROT_LEGS][3];
} trot_plan;

/* A planner: what it does when a run begins, and before each step. The plan is all zeros when it comes. */
typedef void trot_planner_begin(void *context, const trot_state *state);
typedef void trot_planner(void *context, const trot_state *state, const trot_command *command, trot_plan *plan);

typedef struct trot trot;

/* The value of --trot, "VX", "VX,VY" or "VX,VY,W"; 0, after a message, when it is none of these. */
int trot_value(cli_args *args, trot_command *walk);

/* A controller for the session's first robot, set up as its controller; NULL, after a message, when that is no
 * quadruped of this kind. */
trot *trot_new(sim_session *session, const trot_command *command);
void  trot_free(trot *t);            /* may be NULL */

/* Another planner, from the next run on. begin may be NULL. The context has to last as long as the runs; each of them,
 * with --repeat, starts with begin. */
void trot_set_planner(trot *t, trot_planner_begin *begin, trot_planner *planner, void *context);

/* A few lines on how it walked. */
void trot_report(const trot *t, FILE *out);

#endif
