/* A problem without the contacts that will stay open, in parts; private to src/solvers.
 *
 * In a heap most contacts that collision detection reports are near misses: surfaces within the margin that do not meet
 * in this step. At a warm start, a contact stays open that does not push and separates faster than the worst row is
 * wrong. Where the worst row is wrong by next to nothing, every contact that does not push is left out. The others form
 * parts that share no coordinate, each a smaller problem. Their answers, with zeros for the contacts left out, solve
 * the whole problem if none of these overlaps, which the judge checks. */
#ifndef SLIP_SOLVERS_SCREEN_H
#define SLIP_SOLVERS_SCREEN_H

#include "contact/problem.h"

typedef struct {
    const slip_problem *p;
    slip_problem part;           /* G as the factor of its rows                                            */
    int *group;                  /* per block of p: its part, from 0 on; -1: left out                      */
    int groups;
    slip_real *lambda;           /* part.n: impulses to begin with                                         */
    slip_real *mu, *g, *R;       /* of the part                                                            */
    int *ystart, *ycol, *yat;
    int *root;                   /* G.nv: a coordinate of the same part, itself when it stands for it      */
} slip_screen;

/* Memory for parts of any size. 0 when G's factor is not known, or there is no room. */
int slip_screen_carve(slip_screen *s, const slip_problem *p, slip_arena *arena);

/* Leaves out contacts by a warm start and the velocities there (p->n each); scratch: n. Returns how many. */
int slip_screen_pick(slip_screen *s, const slip_real *lambda, const slip_real *sigma, slip_real *scratch);

/* Numbers the parts of the remaining contacts. */
void slip_screen_split(slip_screen *s);

/* s->part <- part k, and s->lambda from `lambda` (p->n). */
void slip_screen_make(slip_screen *s, int k, const slip_real *lambda);

/* lambda (p->n) <- `from` (part.n) in the rows of part k. */
void slip_screen_spread(const slip_screen *s, int k, const slip_real *from, slip_real *lambda);

/* Takes the contacts back that would overlap with velocities sigma (p->n). Returns how many. */
int slip_screen_add(slip_screen *s, const slip_real *sigma);

#endif
