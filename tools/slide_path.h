/* The path of a scene's first body and the scene's energy, step by step, and how far two such paths are apart: LL's
 * integral consistency error. Shared by the papers' experiments and `bench table`. */
#ifndef SLIP_TOOLS_SLIDE_PATH_H
#define SLIP_TOOLS_SLIDE_PATH_H

#include "sim_run.h"

typedef struct {
    slip_real *time, *energy;        /* [s], [J]: kinetic plus potential, 0 at the start's potential; n each */
    slip_real *x;                    /* 3 n: the body's position [m]                                         */
    long n;
    double dt;                       /* [s]                                                                  */
    long missed;                     /* steps that missed the tolerance                                      */
    double iterations;               /* mean of a step                                                       */
} slide_path;

/* Runs a session and keeps its path, in memory of its own; 0, after a message, when a step fails. */
int  slide_path_run(sim_session *s, slide_path *path);
void slide_path_free(slide_path *path);

/* The integral over time of the distance between two paths [m s], at the steps of `a`; those of `b` are the same or a
 * whole number of times shorter. */
double slide_path_apart(const slide_path *a, const slide_path *b);

/* The largest difference of their energies at the steps of `a` [J]. */
double slide_path_energy_apart(const slide_path *a, const slide_path *b);

#endif
