/* Whole-body balance of a quadruped: joint torques that carry its weight and hold its base, from forces at four feet. */
#ifndef BALANCE_H
#define BALANCE_H

#include "slipstick.h"

enum { BALANCE_FEET = 4, BALANCE_MOST_NV = 32 };

typedef struct {
    const slip_model *model;
    int foot[BALANCE_FEET];          /* links                                                              */
    slip_real radius;                /* of the feet: they touch this far below their origin            [m] */
    slip_real p[3];                  /* where the base is held, upright                                [m] */
    slip_real force[3*BALANCE_FEET]; /* the feet's forces on the robot, as planned; world axes         [N] */

    /* scratch */
    slip_real J[BALANCE_FEET][3*BALANCE_MOST_NV], J6[6*BALANCE_MOST_NV], gravity[BALANCE_MOST_NV];
} balance;

/* Holds the base where the world has it now. SLIP_ERR_ARGUMENT: there are too many joints. */
slip_status balance_begin(balance *b, slip_world *world, const int feet[BALANCE_FEET], slip_real radius);

/* Sets the world's joint torques; a control callback, with the balance as its context. */
void balance_control(void *context, slip_world *world);

#endif
