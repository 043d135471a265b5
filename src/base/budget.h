/* A bound on work, for programs with a deadline: a number of iterations, a time on the caller's clock, or both. Loops
 * take one iteration at a time and end, with the best they have, when there is none left. */
#ifndef SLIP_BASE_BUDGET_H
#define SLIP_BASE_BUDGET_H

typedef struct {
    long left;                              /* iterations that may still be taken; negative: any number     */
    double (*clock)(void *context);         /* [s]; NULL: no deadline                                       */
    void *clock_context;
    double until;                           /* the deadline on that clock [s]                               */
    long taken;                             /* iterations taken so far                                      */
    int refused;                            /* 1: an iteration was refused                                  */
    double pace;                            /* measured time of a flop on that clock [s]; 0: not known yet  */
    long price;                             /* what the next iterations count for, set by solvers; 0: 1     */
    double ahead;                           /* and the time that each will take by `pace` [s]               */
} slip_budget;

#include "base/budget_ops.h"    /* for the sources of this library: not part of slipstick.h */

#endif
