/* Scenes for tests: text or file to a world whose steps apply the events, in memory of the aid's own. */
#ifndef SLIP_TESTS_SCENE_AID_H
#define SLIP_TESTS_SCENE_AID_H

#include "slipstick.h"

/* Forgets everything made so far; call it in setUp() and between large scenes. */
void aid_forget(void);

/* Memory that lasts until aid_forget(). */
slip_arena *aid_memory(void);

/* Reads a scene, from text (files it names are below models/) or from a file. Fails the test on an error. */
slip_scene *aid_read(const char *text);
slip_scene *aid_open(const char *path);

/* A world at the scene's start; its steps apply the events. Fails the test on an error. */
slip_world *aid_start(slip_scene *scene);

/* n steps; an error fails the test. Returns the worst positive status. */
slip_status aid_steps(slip_world *w, int n);

/* Where the coordinates of a free body begin in q and v, by its link's name. */
slip_real *aid_body_q(slip_world *w, const char *link);
slip_real *aid_body_v(slip_world *w, const char *link);

/* Index of a link or of a joint's velocity coordinate by name; fails the test when there is none. */
int aid_link(slip_world *w, const char *link);
int aid_iv(slip_world *w, const char *joint);

/* Kinetic and potential energy together [J]. */
double aid_energy_of(slip_world *w);

#endif
