/* Random models for property tests: every joint type, branching, offsets, tilted axes, off-diagonal
 * inertias, fixed links in between, armature, and mimic joints when asked for. */
#ifndef SLIP_TESTS_RANDOM_TREE_H
#define SLIP_TESTS_RANDOM_TREE_H

#include "slipstick_parts.h"

enum { TREE_MAX_LINKS = 64 };

typedef struct {
    int links;                 /* 1 .. TREE_MAX_LINKS                                   */
    int floating_root;         /* the first link floats; otherwise it may hang on any joint */
    int mimic;                 /* some 1-dof joints follow others                       */
    int armature;              /* some joints have rotor inertia                        */
    int only_simple;           /* revolute, continuous and prismatic joints only        */
} tree_options;

typedef struct {
    slip_link_def  links[TREE_MAX_LINKS];
    slip_joint_def joints[TREE_MAX_LINKS];
    char names[2*TREE_MAX_LINKS][16];
    slip_model_def def;
    const slip_model *model;
    slip_data *data;
    unsigned char memory[1 << 20];
} tree;

/* A model and its data. Fails the test when it cannot be built. */
void tree_make(tree *t, const tree_options *options, slip_random *rng);

/* Numbers in [-1, 1). */
void tree_random_vector(slip_random *rng, int n, slip_real *x);

#endif
