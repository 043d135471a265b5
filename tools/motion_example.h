/* Motions to try inverse dynamics on, made for the robot of a scene from its starting state. */
#ifndef SLIP_TOOLS_MOTION_EXAMPLE_H
#define SLIP_TOOLS_MOTION_EXAMPLE_H

#include "sim_run.h"

/* Writes a motion as CSV (time and q) to out.
 *   squat  the first floating body goes down by a sixth of its height and up again, twice in 2 s, all contacts of the
 *          start rolling or resting where they are
 *   wipe   the first contact of the start, or what is nearest to touching, draws two circles of 10 cm on the surface
 * 0, after a message, when the scene does not lend itself to it. */
int motion_example(const char *command, const char *name, sim_session *session, FILE *out);

#endif
