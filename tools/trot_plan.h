/* The planner of the trot and its gait; see trot.h for what it stands between. */
#ifndef SLIP_TOOLS_TROT_PLAN_H
#define SLIP_TOOLS_TROT_PLAN_H

#include "trot.h"

typedef struct {
    /* parameters */
    slip_real period;                /* of a stride [s]; each pair stands for half of it                     */
    slip_real stand;                 /* on all fours before the first step [s]                               */
    slip_real lift, sink;            /* swinging feet rise so high, and aim so far below the ground [m]      */
    slip_real gain;                  /* of the foot placement: k above [s]                                   */
    slip_real friction;              /* what the planner believes of the ground                              */

    /* memory */
    slip_real hold[TROT_LEGS][3];    /* last footholds                                                       */
    slip_real from[TROT_LEGS][3];    /* where the present swing began                                        */
    int was_stance[TROT_LEGS];
    slip_real up[3];                 /* normal of the ground, smoothed                                       */
    slip_real forward[3], left[3];   /* heading                                                              */
    slip_real lag[3];                /* how far it stays behind what is asked for, forgotten in time [m]     */
} trot_gait;

/* A gait for legs of this length. */
trot_gait trot_gait_default(slip_real height);

/* Whether a leg stands at a time [s]. */
int trot_gait_stands(const trot_gait *g, int leg, slip_real time);

/* Height of the plane through the last footholds below a place [m]. */
slip_real trot_gait_ground(const trot_gait *g, const slip_real p[3]);

/* The part that planners share: heading and slope, which feet stand, where the others swing; wanted: the velocity asked
 * for, in world axes and along the slope. Forces of standing feet are left to the planner. */
void trot_gait_feet(trot_gait *g, const trot_state *s, const trot_command *c, slip_real wanted[3], trot_plan *plan);

/* The planner; its context: a trot_gait, which a run begins with defaults. */
trot_planner_begin trot_raibert_begin;
trot_planner trot_raibert;

#endif
