/* Problems that carry their factor, G = Y Y', written block by block; and towers of cubes that way. */
#ifndef FACTOR_AID_H
#define FACTOR_AID_H

#include "contact/problem.h"

typedef struct {
    slip_problem p;                        /* in the FACTOR form */
    slip_real *mu, *g, *R, *y, *work;      /* R is used when p.R is set */
    int *ystart, *ycol, *yat, filled;
} aid_factored;

/* Room for nc contacts, nl limits and nb bilateral rows over nv coordinates, a block touching at most `most`. */
aid_factored *aid_factored_new(int nc, int nl, int nb, int nv, int most);
void          aid_factored_free(aid_factored *a);

/* The next block, over the n ascending columns `column`; returns its rows in Y (dim x n), zero. */
slip_real *aid_factored_block(aid_factored *a, int n, const int *column);

/* A tower of unit cubes, cube k of mass[k] [kg] on cube k - 1, four contacts a face. Cube k falls for dt and moves with
 * push[3k ...] [m/s]. With `mixed` there are all kinds of rows: a contact without friction and one that cannot slip
 * half way up, a ceiling for the topmost cube as a limit, its x tied to the lowest cube's, and compliance. */
aid_factored *aid_tower(int cubes, const slip_real *mass, const slip_real *push, slip_real mu, int mixed);

#endif
