/* What the files of assembly share; private to them. assemble.c: memory and J. assemble_y.c: Y and products with J and
 * Y. assemble_g.c: G and the problem. */
#ifndef SLIP_CONTACT_ASSEMBLE_PRIVATE_H
#define SLIP_CONTACT_ASSEMBLE_PRIVATE_H

#include "contact/assemble.h"
#include "contact/quad.h"

/* Rows of the largest full G that there is room for, 72 kB of doubles. Up to there the products of zeros are cheaper
 * than the search for the blocks that exist, which visits as many pairs of entries. */
enum { ASSEMBLE_DENSE_ROWS = 96, LANES = SLIP_ASSEMBLY_LANES };

/* The lanes of one coordinate, or of one sum over coordinates. */
typedef struct { slip_lanes q[SLIP_QUAD_PARTS]; } assemble_quad;

/* y += s x */
static inline void assemble_axpy(slip_real s, const slip_real *x, assemble_quad *y)
{
    int k;

    for (k = 0; k < SLIP_QUAD_PARTS; ++k) y->q[k] += s*slip_quad_load(x, k);
}

/* Blocks of rows so far; rows of block i, and the first of them. */
static inline int assemble_count(const slip_assembly *a) { return a->nc + a->nl + a->nb; }
static inline int assemble_dim(const slip_assembly *a, int i) { return i < a->nc ? 3 : 1; }
static inline int assemble_row(const slip_assembly *a, int i) { return i < a->nc ? 3*i : 2*a->nc + i; }

/* Whether a block has one side only, the other one being the world. */
static inline int assemble_is_path(const slip_assembly *a, int i) { return a->leaf[2*i] < 0 || a->leaf[2*i + 1] < 0; }

/* Where each of n columns stands. */
static inline const int *assemble_slots(const slip_assembly *a, int n, const int *cols)
{
    int k;

    for (k = 0; k < n; ++k) a->slot[cols[k]] = k;
    return a->slot;
}

/* assemble_y.c: computes Y of the blocks added since the last call. Impulses that are reused need J alone, so Y is not
 * computed before. */
void slip_assembly_need_y(slip_assembly *a);

#endif
