/* Contact problems made by simulating scenes of boxes, balls and chains, for `bench solvers --generate`. */
#ifndef SLIP_TOOLS_GENERATE_H
#define SLIP_TOOLS_GENERATE_H

#include "sim_run.h"

/* The kinds, separated by blanks: "stack wall pile spheres capsules chain links kapla rover". */
const char *generate_kinds(void);

/* Simulates a scene of this kind, with about so many contacts and drawn by the seed, up to a step worth solving, and
 * calls `use` with that step's problem and warm start; both are valid only meanwhile. friction: of all surfaces, 0 for
 * the kind's own; stack, capsules, pile, spheres and links read it. Returns 0, after a message, when the kind is
 * unknown or the scene fails. */
typedef void generate_use(void *context, const slip_problem *p, const slip_solution *start);
int generate_problem(const char *command, const char *kind, int contacts, int seed, double friction, generate_use *use,
                     void *context);

/* Contacts for which a heap's world has room, for each body, and from how many bodies on a world's 100 000. */
enum { GENERATE_HEAP_CONTACTS = 10, GENERATE_HEAP_BODIES = 9990 };

/* Opens a scene of so many bodies that fall into a tray and come to rest, as shapes says ("boxes", "balls", "mixed":
 * generate_heap_shapes()); their places, masses and turns are drawn by the seed. Time steps of 5 ms for 1.5 s unless
 * `changes` says otherwise. Returns 0, after a message, when the shapes are unknown or the world does not fit. */
const char *generate_heap_shapes(void);
int generate_heap(const char *command, const char *shapes, int bodies, int seed, const sim_changes *changes,
                  sim_session *session);

#endif
