/* The one contact problem: blocks of rows over one Delassus operator (LL eq. 14, CR eq. 27).
 *
 *     sigma = (G + R) lambda + g        lambda [N s], sigma, g [m/s], G [1/kg], R >= 0 diagonal [1/kg]
 *
 *     contact    rows t1, t2, n   K_mu  lambda in K_mu,  sigma + Gamma(sigma) in K*_mu,  orthogonal
 *     limit      1 row            lambda >= 0,  sigma >= 0,  orthogonal
 *     bilateral  1 row            lambda free,  sigma = 0
 *
 * Rows are sorted by kind: first nc contacts with three rows each, then nl limits, then nb bilateral rows;
 * a bilateral constraint of several rows is several bilateral blocks. Block i of the m = nc + nl + nb blocks
 * begins at row 3 i for a contact and 2 nc + i for the others, and has dim(i) = 3 or 1 rows.
 *
 * A problem owns nothing: it points into arrays of the caller, which must outlive it. */
#ifndef SLIP_CONTACT_PROBLEM_H
#define SLIP_CONTACT_PROBLEM_H

#include "base/base.h"
#include "contact/cone.h"

/* ---- G ------------------------------------------------------------------------------------------ */

typedef enum {
    SLIP_G_DENSE,    /* n x n, row-major with leading dimension ld, all entries                          */
    SLIP_G_BLOCKS,   /* only the blocks that exist, both triangles                                       */
    SLIP_G_FACTOR    /* G = Y Y', Y = J L^-1 D^-1/2 with M = L'DL (or J L^-T D^-1/2 with M = LDL'), packed */
} slip_delassus_form;

/* G in one of three forms; the fields of the others are not read, with one exception below.
 *
 * BLOCKS: block row i holds the blocks k = start[i] .. start[i+1]-1 with ascending block columns col[k];
 * block k is dim(i) x dim(col[k]), row-major, at val + at[k]. diag[i] is the k of
 * block (i, i), which must exist. In a problem of contacts only, at[k] = 9 k.
 *
 * FACTOR: row block i touches the dofs ycol[ystart[i] .. ystart[i+1]-1] (ascending) of nv; its values are
 * dim(i) rows of that many numbers, row after row, at y + yat[i]. For a tree these are the dofs on the paths
 * from the two bodies to their roots. `work` is scratch of nv reals that applying G writes, so such a problem must not
 * be used by two threads at once.
 *
 * A problem in another form may carry its factor as well: then nv > 0. Solvers use it to factor in the joints' space
 * where that takes fewer flops.
 *
 * G may be slightly asymmetric in the DENSE and BLOCKS forms (data of others are): every criterion counts
 * for G as given. */
typedef struct {
    slip_delassus_form form;
    int ld;                  /* DENSE                                              */
    const slip_real *dense;
    const int *start;        /* BLOCKS: m + 1                                      */
    const int *col, *at;     /*         start[m] each                              */
    const int *diag;         /*         m                                          */
    const slip_real *val;
    int nv;                  /* FACTOR; 0: not known                               */
    const int *ystart;       /*         m + 1                                      */
    const int *ycol;         /*         ystart[m]                                  */
    const int *yat;          /*         m                                          */
    const slip_real *y;
    slip_real *work;         /*         nv                                         */
    int symmetric;           /* 1 when known to be symmetric to rounding, else 0   */
} slip_delassus;

/* The largest free velocity that is accepted: its square, and that of the impulses it takes, fit into slip_real. */
#define SLIP_MOST_FREE_VELOCITY SLIP_TOL(1e152, 1e18)

typedef struct {
    int nc, nl, nb;          /* contacts, limits, bilateral rows                                          */
    int n;                   /* rows: 3 nc + nl + nb                                                      */
    const slip_real *mu;     /* nc, >= 0; infinity (SLIP_MU_INFINITE and more): the tangent does not move, whether or
                                not the contact is open (in RaiSim's model: while it is closed)           */
    const slip_real *g;      /* n, free velocity with all corrections [m/s]                               */
    const slip_real *R;      /* n, >= 0, compliance [1/kg]; NULL: rigid                                   */
    const slip_real *vmin;   /* nc + nl, lowest velocity of contact normals and limits (TO Sec. III); only
                                ccp-barrier looks at it; NULL: 0                                          */
    const slip_real *distance; /* nc + nl, normal distance, negative inside [m]: makes R grow (TO eq. 24); only
                                ccp-barrier and id-barrier look at it; NULL: R is p->R                    */
    slip_delassus G;
    const char *name;        /* for messages, may be NULL                                                 */
} slip_problem;

/* ---- making one --------------------------------------------------------------------------------- */

/* A problem of nc contacts over a full matrix of 3 nc rows; the arrays are pointed to, not copied. */
slip_problem slip_problem_dense(int nc, const slip_real *mu, const slip_real *g, const slip_real *G, int ld);

/* The same for any mix of blocks: n = 3 nc + nl + nb. R may be NULL. */
slip_problem slip_problem_dense_rows(int nc, int nl, int nb, const slip_real *mu, const slip_real *g,
                                     const slip_real *R, const slip_real *G, int ld);

/* Checks a problem from outside: counts, finite numbers, mu and R not negative, G with non-negative diagonal, symmetric
 * within 1 % of its largest entry and not clearly indefinite (a symmetric factorisation of G plus 1e-4 + (n + 1) eps of
 * its largest diagonal entry succeeds; this part needs scratch from the arena and is left out when arena is NULL).
 * Fills err with contact and value. */
slip_status slip_problem_check(const slip_problem *p, slip_arena *arena, slip_error *err);

#include "contact/problem_ops.h"    /* for the sources of this library: not part of slipstick.h */

#endif
