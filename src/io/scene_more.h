/* A scene beyond scene.h: what the command needs to size its worlds and to run logs again. */
#ifndef SLIP_IO_SCENE_MORE_H
#define SLIP_IO_SCENE_MORE_H

#include "io/scene.h"

/* The text of a scene around a robot's file, URDF or MJCF, which it names by what follows the last slash: level ground,
 * the robot standing on it by its lowest point, its joints held by drives, its base as is wanted or as it seems fit. A
 * file that brings ground of its own gets no other, and starts where it says.
 * Returns its length, 0 when it does not fit in size bytes; six times the name's and 400 always suffice. */
typedef enum { SLIP_BASE_AUTO, SLIP_BASE_FREE, SLIP_BASE_FIXED } slip_scene_base;
size_t slip_scene_around(const char *file, slip_scene_base base, char *text, size_t size);

/* The heaviest of the trees that move over the lightest, robots as a whole; 1 without any. */
slip_real slip_scene_mass_ratio(const slip_scene *scene);

/* After a start: raises max_contacts and max_pairs, unless the scene gives them, so that twice the contacts of the
 * start fit (blocks that lie flush have 28 each, where sixteen a body are allowed for). 1: something was
 * raised, and a world started anew will have that room; 0: there is enough, or the scene says how much. */
int slip_scene_make_room(slip_scene *scene, const slip_world *world);

/* slip_scene_apply() at a given time [s], for a world whose state is set from outside. */
void slip_scene_apply_at(const slip_scene *scene, slip_world *world, slip_real now);

/* slip_scene_apply() as a callback for slip_world_set_control(), the scene being its context. */
void slip_scene_control(void *scene, slip_world *world);

/* Value of a motion at a time [s], and its rate. */
void slip_move_at(const slip_move *move, slip_real time, slip_real *value, slip_real *rate);

/* The same for the step of dt that ends at a time: where two points of a table or more lie within the step, no slope at
 * its end tells how far it went, and the rate is the mean over the step. */
void slip_move_in_step(const slip_move *move, slip_real end, slip_real dt, slip_real *value, slip_real *rate);

/* Position and velocity of a joint by all motions of the scene that move it, at the end of a step of dt (0: at a time);
 * as slip_world_prescribe() takes them. */
void slip_scene_motion(const slip_scene *scene, int joint, slip_real end, slip_real dt, slip_real *q, slip_real *v);

#endif
