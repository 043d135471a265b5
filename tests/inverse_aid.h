/* Contact problems of random trees and of robots, for the tests of the inverse models. */
#ifndef INVERSE_AID_H
#define INVERSE_AID_H

#include "random_tree.h"

enum { INV_MAX_CONTACTS = 20, INV_MAX_LIMITS = 4, INV_ROWS = 3*INV_MAX_CONTACTS + INV_MAX_LIMITS };

typedef struct {
    tree tree;
    slip_assembly assembly;
    slip_problem p;
    slip_real q[128], v[128];                               /* state of the tree                             */
    slip_real mu[INV_MAX_CONTACTS], g[INV_ROWS], R[INV_ROWS], vmin[INV_MAX_CONTACTS + INV_MAX_LIMITS];
    slip_real gap[INV_MAX_CONTACTS + INV_MAX_LIMITS];
} inv_case;

/* A humanoid-like tree: floating root, 24 one-freedom joints in branches. From malloc; the memory of the assembly
 * too. */
inv_case *inv_new(slip_random *rng);
inv_case *inv_new_robot(const char *path);                  /* the same of a URDF file, on a floating base */
void      inv_free(inv_case *c);

/* A random state with nc contacts against the world, at random bodies, points and directions, and nl limit rows:
 * c->p over c->mu, c->g = J v, c->R = R(gap) of TO eq. 24, c->vmin = -gap/dt. */
void inv_state(inv_case *c, slip_random *rng, int nc, int nl, slip_real dt);

/* Solves forward with memory of the right size. */
slip_status inv_solve(slip_solve_function *solve, slip_bytes_function *bytes, const slip_problem *p,
                      const slip_solver_options *opt, slip_real *lambda, slip_solution *sol);

#endif
