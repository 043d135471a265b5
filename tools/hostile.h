/* A hostile set of states for worst cases: kicks, and new beginnings near the start. Shared by `bench deadline`,
 * `export` and the firmware of tools/embedded.sh: needs slipstick_parts.h alone. */
#ifndef SLIP_TOOLS_HOSTILE_H
#define SLIP_TOOLS_HOSTILE_H

#include "slipstick_parts.h"

typedef struct {
    slip_random random;
    const slip_real *q, *v;              /* the start                                              */
    slip_real speed;                     /* kicks are up to this in each coordinate [m/s, rad/s]   */
    int every;                           /* steps between changes                                  */
    long steps, changes;
} hostile;

hostile hostile_begin(const slip_real *q, const slip_real *v, slip_real speed, int every);

/* Before each step: 1 when it has changed the state. In turn: the velocities are kicked; the start, kicked; a state
 * that random velocities lead to from the start within a twentieth of a second, joint limits or not, kicked. */
int hostile_before(hostile *h, slip_world *world);

/* The start, after a step that was refused. */
void hostile_restart(const hostile *h, slip_world *world);

#endif
